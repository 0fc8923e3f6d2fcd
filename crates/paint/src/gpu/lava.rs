//! Volume of the lava on the graphics card, with its bricks, slices and emitted light; uploads only
//! what has changed.

use crate::changes::Patch;
use lavoxel_base::grid::Grid;
use lavoxel_render::Cut;

use crate::device::{Gpu, Texture, halves};

use super::bricks::{FARTHEST, TooLarge, brick_count, distances};
use super::fog::FogTexture;
use super::media::MediaTextures;
use super::smoke::SmokeTextures;

/// Textures and buffers of everything that fills the simulation box: lava, other materials, gases
/// and smoke.
pub(super) struct VolumeTextures {
    pub(super) grid: Grid,
    pub(super) volume: Texture,
    pub(super) bricks: Texture,
    pub(super) ember: Texture,
    /// Textures of the materials other than lava.
    pub(super) media: MediaTextures,
    /// Texture of the gases, and of the shadow of solids.
    pub(super) fog: FogTexture,
    /// Textures of ash and steam in the air.
    pub(super) smoke: SmokeTextures,
    /// Texels of the slices across x, y and z, one slice after another.
    pub(super) cuts: wgpu::Buffer,
    /// Cell index of each uploaded slice across x, y and z; `None` if the slice was never uploaded.
    pub(super) cut_cells: [Option<usize>; 3],
    /// Set for each uploaded slice (across x, y and z) that shows amounts.
    pub(super) cuts_of_amounts: [bool; 3],
    /// Largest density of lava in each brick, from 0 (empty cell) to 255 (full cell); x fastest.
    brick_maxima: Vec<u8>,
    /// For each brick, true if the last upload marked it as occupied, so that rays sample it.
    occupied: Vec<bool>,
    /// Largest density that is invisible, on the scale from 0 (empty cell) to 255 (full cell).
    empty: u8,
    /// Set while rays skip empty bricks, which is faster and gives the same pictures.
    skipping: bool,
}

impl VolumeTextures {
    /// Creates the textures of an empty box with the cells of `grid`.
    ///
    /// # Errors
    /// When the graphics card cannot hold textures of this size.
    pub(super) fn new(gpu: &Gpu, grid: Grid) -> Result<Self, TooLarge> {
        let size = [grid.nx, grid.ny, grid.nz];
        let most = gpu.device.limits().max_texture_dimension_3d as usize;
        if size.iter().any(|&side| side > most) {
            return Err(TooLarge {
                size,
                reason: format!("it draws at most {most} along each side"),
            });
        }
        // wgpu initializes a new texture with zeros.
        let volume = gpu
            .within_memory(|| gpu.map("volume", size, wgpu::TextureFormat::Rg8Unorm))
            .ok_or_else(|| TooLarge {
                size,
                reason: "its memory is too small".to_owned(),
            })?;
        let count = brick_count(grid);
        let total = count.iter().product();
        let bricks = gpu.map("bricks", count, wgpu::TextureFormat::R8Uint);
        gpu.write(&bricks, [0; 3], count, &vec![FARTHEST; total]);
        let ember = gpu.map(
            "ember",
            [grid.nx, grid.nz, 0],
            wgpu::TextureFormat::Rgba16Float,
        );
        let cuts = gpu.numbers("slices", CUT_TEXEL * cut_places(grid)[3]);
        Ok(Self {
            grid,
            volume,
            bricks,
            ember,
            media: MediaTextures::none(gpu, grid),
            fog: FogTexture::none(gpu, grid),
            smoke: SmokeTextures::none(gpu),
            cuts,
            cut_cells: [None; 3],
            cuts_of_amounts: [false; 3],
            brick_maxima: vec![0; total],
            occupied: vec![false; total],
            empty: 0,
            skipping: true,
        })
    }

    /// Uploads `patches`, changed box-shaped regions of the lava's volume. Returns the number of
    /// uploaded bytes.
    pub(super) fn patch(&self, gpu: &Gpu, patches: &[Patch]) -> usize {
        for patch in patches {
            gpu.write(
                &self.volume,
                patch.origin,
                patch.size,
                bytemuck::cast_slice(&patch.texels),
            );
        }
        patches.iter().map(|patch| 2 * patch.texels.len()).sum()
    }

    /// Replaces the largest density of each brick (0 to 255, x fastest) and uploads the brick
    /// distances.
    pub(super) fn set_bricks(&mut self, gpu: &Gpu, maxima: Vec<u8>) {
        self.brick_maxima = maxima;
        self.send_bricks(gpu, false);
    }

    /// Sets `empty`, the largest invisible density (0 for an empty to 255 for a full cell), and
    /// turns empty-space skipping on or off.
    pub(super) fn set_empty(&mut self, gpu: &Gpu, empty: u8, skipping: bool) {
        let changed = (self.empty, self.skipping) != (empty, skipping);
        (self.empty, self.skipping) = (empty, skipping);
        if changed {
            self.media.set_skipping(gpu, skipping);
            self.send_bricks(gpu, true);
        }
    }

    fn send_bricks(&mut self, gpu: &Gpu, anyway: bool) {
        let occupied: Vec<bool> = self
            .brick_maxima
            .iter()
            .map(|&most| most > self.empty || !self.skipping)
            .collect();
        if !anyway && occupied == self.occupied {
            return;
        }
        let distance = distances(self.grid, occupied.iter().copied());
        gpu.write(&self.bricks, [0; 3], brick_count(self.grid), &distance);
        self.occupied = occupied;
    }

    /// Uploads `ember`, which has for each column (x fastest) the emitted light, height × emitted
    /// light, and the surface temperature in K.
    pub(super) fn set_ember(&self, gpu: &Gpu, ember: &[[f32; 3]]) {
        let texels: Vec<[u16; 4]> = ember
            .iter()
            .map(|[glow, lifted, kelvin]| halves([*glow, *lifted, *kelvin, 0.0]))
            .collect();
        gpu.write(
            &self.ember,
            [0; 3],
            [self.grid.nx, self.grid.nz, 0],
            bytemuck::cast_slice(&texels),
        );
    }

    /// Uploads the slice across `axis` (0 x, 1 y, 2 z); ignores a slice of a box of another size.
    pub(super) fn set_cut(&mut self, gpu: &Gpu, axis: usize, cut: &Cut) {
        let places = cut_places(self.grid);
        // A slice of another box would overwrite its neighbours in the buffer.
        if cut.texels.len() == places[axis + 1] - places[axis] {
            let bytes = cut.texels.as_flattened();
            gpu.queue
                .write_buffer(&self.cuts, (CUT_TEXEL * places[axis]) as u64, bytes);
            self.cut_cells[axis] = Some(cut.cell);
            self.cuts_of_amounts[axis] = cut.of_amounts;
        }
    }
}

/// Number of bytes per texel of a slice.
const CUT_TEXEL: usize = 4;

/// Returns the indices of the first texels of the slices across x, y and z in their common buffer,
/// and the total number of texels.
fn cut_places(grid: Grid) -> [usize; 4] {
    let Grid { nx, ny, nz } = grid;
    [0, ny * nz, ny * nz + nz * nx, ny * nz + nz * nx + ny * nx]
}
