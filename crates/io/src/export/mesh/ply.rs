//! Export of meshes as binary little-endian PLY.

use std::io::{self, Write};
use std::path::Path;

use super::{MaterialMesh, Skin};
use crate::export::ExportError;
use crate::export::state::ExportState;
use lavoxel_files::output::{Existing, whole};

pub(super) fn write(
    path: &Path,
    shot: &ExportState<'_>,
    parts: &[MaterialMesh<'_>],
    skin: &Skin,
    existing: Existing,
) -> Result<(), ExportError> {
    Ok(whole(path, existing, |out| {
        write_all(out, shot, parts, skin)
    })?)
}

fn write_all(
    file: &mut impl Write,
    shot: &ExportState<'_>,
    parts: &[MaterialMesh<'_>],
    skin: &Skin,
) -> io::Result<()> {
    writeln!(file, "ply\nformat binary_little_endian 1.0")?;
    for (name, text) in shot.facts() {
        // A PLY header consists of ASCII lines.
        let text: String = text
            .chars()
            .map(|c| {
                if c == ' ' || c.is_ascii_graphic() {
                    c
                } else {
                    '?'
                }
            })
            .collect();
        writeln!(file, "comment {name}: {text}")?;
    }
    // A single material needs no number.
    let numbered = parts.len() > 1;
    for (number, part) in parts.iter().enumerate().filter(|_| numbered) {
        writeln!(file, "comment material {number}: {}", part.material.name)?;
    }
    let corners: usize = parts.iter().map(|part| part.mesh.positions.len()).sum();
    let triangles: usize = parts.iter().map(|part| part.mesh.triangles.len()).sum();
    writeln!(
        file,
        "comment axes: x east, y north, z up\nelement vertex {corners}"
    )?;
    for property in ["x", "y", "z", "nx", "ny", "nz"] {
        writeln!(file, "property float {property}")?;
    }
    for property in ["red", "green", "blue"] {
        writeln!(file, "property uchar {property}")?;
    }
    writeln!(file, "property float energy\nelement face {triangles}")?;
    writeln!(file, "property list uchar int vertex_indices")?;
    writeln!(
        file,
        "{}end_header",
        if numbered {
            "property uchar material\n"
        } else {
            ""
        }
    )?;
    parts
        .iter()
        .try_for_each(|part| write_corners(file, part, skin))?;
    let mut first = 0;
    for (number, part) in parts.iter().enumerate() {
        for triangle in &part.mesh.triangles {
            file.write_all(&[3])?;
            for corner in triangle {
                file.write_all(&(first + corner).to_le_bytes())?;
            }
            if numbered {
                file.write_all(&[number as u8])?;
            }
        }
        first += part.mesh.positions.len() as u32;
    }
    Ok(())
}

/// Writes the vertices of one material's surface `part` with normals, colours and energies to
/// `file`; a material that carries no energy gets the energy 0.
fn write_corners(file: &mut impl Write, part: &MaterialMesh<'_>, skin: &Skin) -> io::Result<()> {
    let mesh = &part.mesh;
    let plain = part.material.look.srgb();
    for (i, (position, normal)) in mesh.positions.iter().zip(&mesh.normals).enumerate() {
        for number in position.iter().chain(normal) {
            file.write_all(&number.to_le_bytes())?;
        }
        let energy = mesh.energies.get(i).copied();
        file.write_all(&energy.map_or(plain, |energy| skin.palette.srgb(Skin::position(energy))))?;
        file.write_all(&energy.unwrap_or(0.0).to_le_bytes())?;
    }
    Ok(())
}
