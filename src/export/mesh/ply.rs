//! PLY, little-endian.

use std::io::{self, Write};
use std::path::Path;

use super::{Mesh, Skin};
use crate::export::ExportError;
use crate::export::state::ExportState;
use crate::output::{Existing, OutputError, WholeFile};

pub(super) fn write(
    path: &Path,
    shot: &ExportState<'_>,
    mesh: &Mesh,
    skin: &Skin,
    existing: Existing,
) -> Result<(), ExportError> {
    let mut file = WholeFile::create(path, existing)?;
    write_all(&mut file, shot, mesh, skin).map_err(|e| OutputError::io(path, e))?;
    Ok(file.commit()?)
}

fn write_all(file: &mut impl Write, shot: &ExportState<'_>, mesh: &Mesh, skin: &Skin) -> io::Result<()> {
    writeln!(file, "ply\nformat binary_little_endian 1.0")?;
    for (name, text) in shot.facts() {
        // A head is lines of plain letters.
        let text: String = text.chars().map(|c| if c == ' ' || c.is_ascii_graphic() { c } else { '?' }).collect();
        writeln!(file, "comment {name}: {text}")?;
    }
    writeln!(file, "comment axes: x east, y north, z up\nelement vertex {}", mesh.positions.len())?;
    for property in ["x", "y", "z", "nx", "ny", "nz"] {
        writeln!(file, "property float {property}")?;
    }
    for property in ["red", "green", "blue"] {
        writeln!(file, "property uchar {property}")?;
    }
    writeln!(file, "property float energy\nelement face {}", mesh.triangles.len())?;
    writeln!(file, "property list uchar int vertex_indices\nend_header")?;
    for ((position, normal), energy) in mesh.positions.iter().zip(&mesh.normals).zip(&mesh.energies) {
        for number in position.iter().chain(normal) {
            file.write_all(&number.to_le_bytes())?;
        }
        file.write_all(&skin.palette.srgb(Skin::position(*energy)))?;
        file.write_all(&energy.to_le_bytes())?;
    }
    for triangle in &mesh.triangles {
        file.write_all(&[3])?;
        for corner in triangle {
            file.write_all(&corner.to_le_bytes())?;
        }
    }
    Ok(())
}
