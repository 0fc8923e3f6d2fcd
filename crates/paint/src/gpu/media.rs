//! Materials other than lava on the graphics card: their densities fill the channels of two
//! textures, one channel per material.

use crate::changes::MediaUpdate;
use crate::device::{Gpu, Texture};
use lavoxel_automaton::view::MaterialLook;
use lavoxel_base::grid::Grid;
use lavoxel_render::media::clear::{LEAST, step_opacity};

use super::bricks::{TooLarge, brick_count, distances};

/// Number of materials per texture: one in each colour channel.
const CHANNELS: usize = 4;
/// Upper bound of the number of materials other than lava that the graphics card draws: the
/// channels of two textures. The ray-marcher on the processor has no such bound.
pub(super) const MOST: usize = 2 * CHANNELS;
/// Number of entries of a material's opacity table: one for each density from 0 to 255.
const ENTRIES: usize = 256;

/// Textures of the materials other than lava, and the table of their opacities.
pub(super) struct MediaTextures {
    grid: Grid,
    /// Densities of the first four and of the next four materials, one per colour channel; a single
    /// texel if there are no such materials.
    pub(super) densities: [Texture; 2],
    /// For each brick, the distance in bricks to the nearest brick that contains any of the
    /// materials.
    pub(super) bricks: Texture,
    /// Opacity (0 to 1) of one sampling step in the plain styles, for each density (0 to 255) and
    /// material.
    pub(super) opacities: wgpu::Buffer,
    pub(super) looks: Vec<MaterialLook>,
    /// Number of materials in an update, which is the number of bytes per cell.
    sent: usize,
    /// Number of colour channels of each of the two textures.
    channels: [usize; 2],
    /// Largest density (0 to 255) of any of the materials in each brick; x fastest.
    maxima: Vec<u8>,
    /// Set while rays skip bricks without these materials.
    skipping: bool,
}

impl MediaTextures {
    /// Creates placeholder textures of one texel for a scene without materials other than lava.
    pub(super) fn none(gpu: &Gpu, grid: Grid) -> Self {
        Self {
            grid,
            densities: ["media", "more media"]
                .map(|name| gpu.map(name, [1, 1, 1], wgpu::TextureFormat::Rgba8Unorm)),
            bricks: gpu.map("bricks of media", [1, 1, 1], wgpu::TextureFormat::R8Uint),
            opacities: gpu.numbers("opacities of media", ENTRIES * size_of::<[f32; MOST]>()),
            looks: Vec::new(),
            sent: 0,
            channels: [0; 2],
            maxima: Vec::new(),
            skipping: true,
        }
    }

    /// Uploads the changes in `update`. `step`: sampling distance along rays in cells. Returns the
    /// number of uploaded bytes, and true if new textures replaced the old ones.
    ///
    /// # Errors
    /// When the graphics card cannot hold the textures.
    pub(super) fn apply(
        &mut self,
        gpu: &Gpu,
        update: &MediaUpdate,
        step: f32,
    ) -> Result<(usize, bool), TooLarge> {
        if update.reset {
            self.begin(gpu, update)?;
            self.set_step(gpu, step);
        }
        let mut bytes = 0;
        for patch in &update.patches {
            for (half, texture) in self
                .densities
                .iter()
                .enumerate()
                .filter(|(half, _)| self.channels[*half] > 0)
            {
                // A texel has one, two or four channels: with three materials, the fourth channel
                // is zero.
                let channels = CHANNELS * half..CHANNELS * half + self.channels[half];
                let value = |cell: &[u8], k: usize| cell.get(k).copied().unwrap_or(0);
                let cells = patch.texels.chunks_exact(self.sent.max(1));
                let texels: Vec<u8> = cells
                    .flat_map(|cell| channels.clone().map(move |k| value(cell, k)))
                    .collect();
                gpu.write(texture, patch.origin, patch.size, &texels);
                bytes += texels.len();
            }
        }
        if let Some(maxima) = &update.bricks {
            self.maxima.clone_from(maxima);
            self.send_bricks(gpu);
        }
        Ok((bytes, update.reset))
    }

    fn begin(&mut self, gpu: &Gpu, update: &MediaUpdate) -> Result<(), TooLarge> {
        let size = [self.grid.nx, self.grid.ny, self.grid.nz];
        self.sent = update.media.len();
        self.looks = update
            .media
            .iter()
            .take(MOST)
            .map(|(_, look)| look.clone())
            .collect();
        for (half, texture) in self.densities.iter_mut().enumerate() {
            let (channels, format) = match self.looks.len().saturating_sub(CHANNELS * half) {
                0 => (0, wgpu::TextureFormat::Rgba8Unorm),
                1 => (1, wgpu::TextureFormat::R8Unorm),
                2 => (2, wgpu::TextureFormat::Rg8Unorm),
                _ => (4, wgpu::TextureFormat::Rgba8Unorm),
            };
            self.channels[half] = channels;
            let size = if channels > 0 { size } else { [1; 3] };
            // wgpu initializes a new texture with zeros.
            *texture = gpu
                .within_memory(|| gpu.map("media", size, format))
                .ok_or_else(|| TooLarge {
                    size,
                    reason: "its memory is too small".to_owned(),
                })?;
        }
        self.bricks = gpu.map(
            "bricks of media",
            brick_count(self.grid),
            wgpu::TextureFormat::R8Uint,
        );
        Ok(())
    }

    /// Recomputes the opacity table for the sampling distance `step` along rays, in cells.
    pub(super) fn set_step(&self, gpu: &Gpu, step: f32) {
        let tables: Vec<Vec<f32>> = self
            .looks
            .iter()
            .map(|look| step_opacity(look, step, ENTRIES))
            .collect();
        let entry = |i: usize| {
            std::array::from_fn::<f32, MOST, _>(|k| tables.get(k).map_or(0.0, |table| table[i]))
        };
        let entries: Vec<[f32; MOST]> = (0..ENTRIES).map(entry).collect();
        gpu.queue
            .write_buffer(&self.opacities, 0, bytemuck::cast_slice(&entries));
    }

    /// Turns empty-space skipping for these materials on or off.
    pub(super) fn set_skipping(&mut self, gpu: &Gpu, skipping: bool) {
        self.skipping = skipping;
        self.send_bricks(gpu);
    }

    fn send_bricks(&self, gpu: &Gpu) {
        if self.maxima.is_empty() {
            return;
        }
        let full = |&most: &u8| f32::from(most) > 255.0 * LEAST || !self.skipping;
        let distance = distances(self.grid, self.maxima.iter().map(full));
        gpu.write(&self.bricks, [0; 3], brick_count(self.grid), &distance);
    }
}
