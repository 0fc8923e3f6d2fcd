//! Export of meshes as Universal Scene Description, in text (`.usda`), and of a series of files as a
//! stage that shows each at its step.
//!
//! Lengths are metres, z is up. Colour and glow are primvars of the vertices (`displayColor`, `glow`,
//! `energy`), which the materials read (`UsdPreviewSurface`).

use std::io::{self, Write};
use std::path::Path;

use super::{CRUST, GLOW, MaterialMesh, Mesh, OPACITY, ROCK, Skin, texture};
use crate::export::state::ExportState;
use crate::export::{ExportError, MEND};
use lavoxel_automaton::view::srgb_to_linear;
use lavoxel_base::memory::MemoryEstimate;
use lavoxel_files::output::{Existing, whole};

/// Memory in bytes per vertex for its colour and its light.
const BYTES_A_CORNER: f64 = 24.0;
/// Number of steps in a second of a series.
const STEPS_A_SECOND: u32 = 24;

/// Mesh with the colours of its vertices.
struct Part<'a> {
    name: String,
    mesh: &'a Mesh,
    /// Linear RGB of all vertices, or of each.
    colors: Vec<[f32; 3]>,
    /// Emitted light of each vertex; empty for none.
    glow: Vec<[f32; 3]>,
    opacity: f32,
}

pub(super) fn write(
    path: &Path,
    shot: &ExportState<'_>,
    surfaces: &[MaterialMesh<'_>],
    skin: &Skin,
    existing: Existing,
) -> Result<(), ExportError> {
    let corners = surfaces.iter().map(|part| part.mesh.positions.len());
    let most = corners.max().unwrap_or_default();
    Mesh::need_of_ground(shot.site.grid)
        .and(MemoryEstimate::new(
            "the colours of the mesh",
            most,
            BYTES_A_CORNER,
        ))
        .check(MEND)
        .map_err(ExportError::memory(path))?;
    let ground = Mesh::ground(shot);
    let _ground = ground.need().held();
    Ok(whole(path, existing, |out| {
        head(out, &shot.facts(), None)?;
        writeln!(
            out,
            "def Xform \"world\" (\n    kind = \"component\"\n)\n{{"
        )?;
        for surface in surfaces
            .iter()
            .filter(|part| !part.mesh.triangles.is_empty())
        {
            put(out, &part_of(surface, skin))?;
        }
        put(
            out,
            &Part {
                name: "ground".to_owned(),
                mesh: &ground,
                colors: vec![[ROCK[0], ROCK[1], ROCK[2]]],
                glow: Vec::new(),
                opacity: 1.0,
            },
        )?;
        writeln!(out, "}}")
    })?)
}

fn part_of<'a>(surface: &'a MaterialMesh<'_>, skin: &Skin) -> Part<'a> {
    let (mesh, material) = (&surface.mesh, surface.material);
    let name = name(&material.name);
    if mesh.energies.is_empty() {
        let color = material.look.srgb();
        let color = color.map(|channel| srgb_to_linear(f32::from(channel) / 255.0));
        return Part {
            name,
            mesh,
            colors: vec![color],
            glow: Vec::new(),
            opacity: OPACITY,
        };
    }
    let position = |energy: &f32| Skin::position(*energy).clamp(0.0, 1.0);
    let color = |energy: &f32| skin.palette.linear(position(energy));
    let light = |energy: &f32| color(energy).map(|c| c * texture::heat(position(energy)) * GLOW);
    Part {
        name,
        mesh,
        colors: mesh
            .energies
            .iter()
            .map(|energy| {
                let [red, green, blue] = color(energy);
                [red * CRUST[0], green * CRUST[1], blue * CRUST[2]]
            })
            .collect(),
        glow: mesh.energies.iter().map(light).collect(),
        opacity: 1.0,
    }
}

/// Returns `text` as the name of a prim: letters, digits and underscores.
fn name(text: &str) -> String {
    let fits = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let name: String = text.chars().map(fits).collect();
    if name.starts_with(|c: char| c.is_ascii_digit()) || name.is_empty() {
        format!("_{name}")
    } else {
        name
    }
}

/// Returns `text` as a quoted text.
fn quoted(text: &str) -> String {
    let plain = |c: char| !c.is_control();
    let text: String = text.chars().filter(|c| plain(*c)).collect();
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Writes the head of a file with the texts `facts`; `span`: first and last step of a series.
fn head(
    out: &mut impl Write,
    facts: &[(&str, String)],
    span: Option<(u64, u64)>,
) -> io::Result<()> {
    writeln!(
        out,
        "#usda 1.0\n(\n    defaultPrim = \"world\"\n    metersPerUnit = 1\n    upAxis = \"Z\""
    )?;
    if let Some((first, last)) = span {
        writeln!(
            out,
            "    startTimeCode = {first}\n    endTimeCode = {last}\n    timeCodesPerSecond = {STEPS_A_SECOND}"
        )?;
    }
    writeln!(out, "    customLayerData = {{")?;
    for (key, text) in facts {
        writeln!(out, "        string {key} = {}", quoted(text))?;
    }
    writeln!(out, "    }}\n)\n")
}

/// Writes the numbers of `vectors` as a list of triples.
fn triples(out: &mut impl Write, vectors: &[[f32; 3]]) -> io::Result<()> {
    write!(out, "[")?;
    for (i, [x, y, z]) in vectors.iter().enumerate() {
        write!(out, "{}({x}, {y}, {z})", if i > 0 { ", " } else { "" })?;
    }
    write!(out, "]")
}

/// Writes `numbers` as a list.
fn list<T: std::fmt::Display>(
    out: &mut impl Write,
    numbers: impl Iterator<Item = T>,
) -> io::Result<()> {
    write!(out, "[")?;
    for (i, number) in numbers.enumerate() {
        write!(out, "{}{number}", if i > 0 { ", " } else { "" })?;
    }
    write!(out, "]")
}

fn put(out: &mut impl Write, part: &Part<'_>) -> io::Result<()> {
    let (name, mesh) = (&part.name, part.mesh);
    let end = |pick: fn(f32, f32) -> f32, start: f32| {
        mesh.positions.iter().fold([start; 3], |all, p| {
            std::array::from_fn(|axis| pick(all[axis], p[axis]))
        })
    };
    let extent = [
        end(f32::min, f32::INFINITY),
        end(f32::max, f32::NEG_INFINITY),
    ];
    writeln!(
        out,
        "    def Mesh \"{name}\" (\n        prepend apiSchemas = [\"MaterialBindingAPI\"]\n    )\n    {{"
    )?;
    writeln!(out, "        uniform token subdivisionScheme = \"none\"")?;
    writeln!(out, "        uniform bool doubleSided = 1")?;
    writeln!(out, "        rel material:binding = </world/{name}/look>")?;
    write!(out, "        float3[] extent = ")?;
    triples(out, &extent)?;
    write!(out, "\n        int[] faceVertexCounts = ")?;
    list(out, mesh.triangles.iter().map(|_| 3))?;
    write!(out, "\n        int[] faceVertexIndices = ")?;
    list(out, mesh.triangles.iter().flatten())?;
    write!(out, "\n        point3f[] points = ")?;
    triples(out, &mesh.positions)?;
    write!(out, "\n        normal3f[] normals = ")?;
    triples(out, &mesh.normals)?;
    writeln!(out, " (\n            interpolation = \"vertex\"\n        )")?;
    let of_vertices = |count: usize| if count == 1 { "constant" } else { "vertex" };
    for (key, colors) in [("displayColor", &part.colors), ("glow", &part.glow)] {
        if !colors.is_empty() {
            write!(out, "        color3f[] primvars:{key} = ")?;
            triples(out, colors)?;
            writeln!(
                out,
                " (\n            interpolation = \"{}\"\n        )",
                of_vertices(colors.len())
            )?;
        }
    }
    if !mesh.energies.is_empty() {
        write!(out, "        float[] primvars:energy = ")?;
        list(out, mesh.energies.iter())?;
        writeln!(out, " (\n            interpolation = \"vertex\"\n        )")?;
    }
    look(out, part)?;
    writeln!(out, "    }}\n")
}

/// Writes the material of `part`.
fn look(out: &mut impl Write, part: &Part<'_>) -> io::Result<()> {
    let at = format!("/world/{}/look", part.name);
    writeln!(out, "\n        def Material \"look\"\n        {{")?;
    writeln!(
        out,
        "            token outputs:surface.connect = <{at}/surface.outputs:surface>\n"
    )?;
    writeln!(out, "            def Shader \"surface\"\n            {{")?;
    writeln!(
        out,
        "                uniform token info:id = \"UsdPreviewSurface\""
    )?;
    writeln!(
        out,
        "                color3f inputs:diffuseColor.connect = <{at}/color.outputs:result>"
    )?;
    if !part.glow.is_empty() {
        writeln!(
            out,
            "                color3f inputs:emissiveColor.connect = <{at}/glow.outputs:result>"
        )?;
    }
    writeln!(
        out,
        "                float inputs:opacity = {}",
        part.opacity
    )?;
    writeln!(out, "                float inputs:roughness = 0.9")?;
    writeln!(out, "                token outputs:surface\n            }}")?;
    let readers = [("color", "displayColor"), ("glow", "glow")];
    let count = 1 + usize::from(!part.glow.is_empty());
    for (name, varname) in readers.into_iter().take(count) {
        writeln!(out, "\n            def Shader \"{name}\"\n            {{")?;
        writeln!(
            out,
            "                uniform token info:id = \"UsdPrimvarReader_float3\""
        )?;
        writeln!(out, "                string inputs:varname = \"{varname}\"")?;
        writeln!(out, "                float3 outputs:result\n            }}")?;
    }
    writeln!(out, "        }}")
}

/// Writes a stage that shows the file of each of `steps` (step, name) from its step on until the
/// next one's.
///
/// # Errors
/// When the file cannot be written.
pub fn write_stage(
    path: &Path,
    steps: &[(u64, String)],
    existing: Existing,
) -> Result<(), ExportError> {
    let end = |of: Option<&(u64, String)>| of.map_or(0, |(step, _)| *step);
    let span = (end(steps.first()), end(steps.last()));
    Ok(whole(path, existing, |out| {
        head(out, &[], Some(span))?;
        writeln!(out, "def Xform \"world\"\n{{")?;
        for (number, (step, file)) in steps.iter().enumerate() {
            let file = file.replace('@', "_");
            writeln!(
                out,
                "    def Xform \"step_{step:06}\" (\n        prepend references = @./{file}@\n    )\n    {{"
            )?;
            writeln!(out, "        token visibility.timeSamples = {{")?;
            if number > 0 {
                writeln!(out, "            {}: \"invisible\",", span.0)?;
            }
            writeln!(out, "            {step}: \"inherited\",")?;
            if let Some((next, _)) = steps.get(number + 1) {
                writeln!(out, "            {next}: \"invisible\",")?;
            }
            writeln!(out, "        }}\n    }}\n")?;
        }
        writeln!(out, "}}")
    })?)
}
