//! Textures of exported meshes, as PNG.

use super::Skin;
use crate::export::state::ExportState;
use lavoxel_automaton::view::{Drape, linear_to_srgb};

/// Width in texels of the emission texture of lava.
const SHADES: usize = 256;

/// Length of the longer side of the ground texture, in texels.
const SIDE: usize = 1024;

/// Upper bound on the memory in bytes of all textures of a mesh file, as texels and as PNG
/// together.
pub(super) const MOST_BYTES: usize = 2 * 3 * 1024 * 1024;

/// Palette position (0 to 1) below which the emission texture of lava is black.
const DARK: f32 = 0.12;

/// Returns the factor on the colour of the palette at `position` that gives the emission of lava.
pub(super) fn heat(position: f32) -> f32 {
    ((position - DARK) / (1.0 - DARK)).max(0.0).powi(2)
}

/// Creates the emission texture of lava as PNG: one row of texels, from cold to hot. Cold crust is
/// black; above the palette position `DARK`, emission grows with the square of the difference from
/// `DARK`.
pub(super) fn glow(skin: &Skin) -> Vec<u8> {
    let texel = |i: usize| {
        let position = i as f32 / (SHADES - 1) as f32;
        skin.palette
            .linear(position)
            .map(|c| (linear_to_srgb((c * heat(position)).clamp(0.0, 1.0)) * 255.0 + 0.5) as u8)
    };
    png(
        [SHADES, 1],
        &(0..SHADES).flat_map(texel).collect::<Vec<_>>(),
    )
}

/// Returns the texture of the ground seen from above as PNG: rock, covered by the picture `drape`
/// if given. Never `None`.
pub(super) fn ground(shot: &ExportState<'_>, drape: Option<&Drape>) -> Option<Vec<u8>> {
    /// Upper bound on the number of texels along a column's edge in a texture without `drape`: the
    /// heights contain no finer detail.
    const OF_COLUMN: usize = 4;
    let grid = shot.site.grid;
    let longer = grid.nx.max(grid.nz);
    let side = if drape.is_some() {
        SIDE
    } else {
        SIDE.min(OF_COLUMN * longer)
    };
    let texels = |columns: usize| (columns * side).div_ceil(longer).max(1);
    let size = [texels(grid.nx), texels(grid.nz)];
    Some(png(
        size,
        &lavoxel_render::ground_picture(shot.world.ground().surface(), drape, size),
    ))
}

/// Encodes RGB texels (8-bit sRGB, row-major) of an image of `wide` × `high` texels as PNG.
fn png([wide, high]: [usize; 2], rgb: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, wide as u32, high as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let written = encoder
        .write_header()
        .and_then(|mut writer| writer.write_image_data(rgb));
    written.expect("memory takes every byte of a picture of this size");
    bytes
}
