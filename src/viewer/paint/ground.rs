//! The ground on the graphics card: the maps that `render::land` bakes, and where each pixel's ray meets them.
//!
//! Baking takes about a second, so it runs on a thread of its own. A coarse bake of the same heights stands in for it,
//! so that a brush of rock is seen at once.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::thread;

use ndarray::Array2;

use crate::grid::Grid;
use crate::render::LookSpec;
use crate::render::land::{NODES, TerrainLook};

use super::gpu::{Gpu, Texture, halves};

/// Boxes of up to so many columns on the longer side are baked coarsely in a few frames' time.
const COARSE: usize = 256;

/// The baked ground, uploaded.
pub(super) struct GroundMaps {
    /// The maps on this side, for cameras.
    pub(super) land: Arc<TerrainLook>,
    pub(super) height: Texture,
    pub(super) albedo: Texture,
    pub(super) normal: Texture,
    pub(super) slope: Texture,
    /// Corners of the triangles of the top.
    pub(super) triangles: wgpu::Buffer,
    pub(super) triangle_corners: u32,
}

impl GroundMaps {
    fn upload(gpu: &Gpu, land: Arc<TerrainLook>) -> Self {
        let heights = &land.block.heights;
        let nodes = [heights.width, heights.depth, 0];
        let map = |label: &str, format, bytes: &[u8], size| {
            let texture = gpu.map(label, size, format);
            gpu.write(&texture, [0; 3], size, bytes);
            texture
        };
        let height = map("ground height", wgpu::TextureFormat::R32Float, bytemuck::cast_slice(&heights.data), nodes);
        let light = &land.light.data;
        let texels = |rgb: &[crate::render::math::V3], alpha: fn(&nalgebra::Vector2<f32>) -> f32| -> Vec<[u16; 4]> {
            rgb.iter().zip(light).map(|(c, l)| halves([c.x, c.y, c.z, alpha(l)])).collect()
        };
        let format = wgpu::TextureFormat::Rgba16Float;
        let albedo = map("ground albedo", format, bytemuck::cast_slice(&texels(&land.albedo.data, |l| l.y)), nodes);
        let normal = map("ground normal", format, bytemuck::cast_slice(&texels(&land.normal.data, |l| l.x)), nodes);
        let slope: Vec<[u16; 2]> = land.slope.data.iter().map(|s| halves([s.x, s.y])).collect();
        let columns = [land.slope.width, land.slope.depth, 0];
        let slope = map("ground slope", wgpu::TextureFormat::Rg16Float, bytemuck::cast_slice(&slope), columns);
        let corners = triangles(heights.width as u32, heights.depth as u32);
        let bytes: &[u8] = bytemuck::cast_slice(&corners);
        let triangles = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("ground triangles"),
            size: bytes.len() as u64,
            usage: wgpu::BufferUsages::INDEX | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        gpu.queue.write_buffer(&triangles, 0, bytes);
        Self { land, height, albedo, normal, slope, triangles, triangle_corners: corners.len() as u32 }
    }

    /// Corners of the four walls.
    pub(super) fn wall_corners(&self) -> u32 {
        let heights = &self.land.block.heights;
        6 * 2 * (heights.width - 1 + heights.depth - 1) as u32
    }
}

/// Two triangles for each square of nodes.
fn triangles(width: u32, depth: u32) -> Vec<u32> {
    let square = |k: u32| {
        let a = k / (width - 1) * width + k % (width - 1);
        [a, a + width, a + 1, a + 1, a + width, a + width + 1]
    };
    (0..(width - 1) * (depth - 1)).flat_map(square).collect()
}

/// The ground that is shown, and the one that is being baked.
pub(super) struct GroundRoom {
    heights: Arc<Array2<f32>>,
    pub(super) grid: Grid,
    pub(super) maps: GroundMaps,
    baking: Option<Receiver<TerrainLook>>,
    /// Sun or heights changed since the last bake began; what it gives is then void.
    stale: bool,
}

impl GroundRoom {
    /// Shows `heights`, coarsely at first.
    pub(super) fn new(gpu: &Gpu, heights: Arc<Array2<f32>>, grid: Grid, look: &LookSpec) -> Self {
        let maps = GroundMaps::upload(gpu, Arc::new(coarse(&heights, grid, look)));
        Self { heights, grid, maps, baking: None, stale: true }
    }

    /// Other heights for the same box; true when the shown maps changed.
    pub(super) fn set_heights(&mut self, gpu: &Gpu, heights: Arc<Array2<f32>>, look: &LookSpec) -> bool {
        self.heights = heights;
        self.stale = true;
        let quick = self.grid.nx.max(self.grid.nz) <= COARSE;
        if quick {
            self.maps = GroundMaps::upload(gpu, Arc::new(coarse(&self.heights, self.grid, look)));
        }
        quick
    }

    /// Another sun.
    pub(super) fn relight(&mut self) {
        self.stale = true;
    }

    /// Whether the shown maps are final.
    pub(super) fn settled(&self) -> bool {
        !self.stale && self.baking.is_none()
    }

    /// Takes what was baked meanwhile and starts what is due; true when the shown maps changed.
    pub(super) fn tend(&mut self, gpu: &Gpu, look: &LookSpec) -> bool {
        let mut changed = false;
        match self.baking.as_ref().map(Receiver::try_recv) {
            None | Some(Err(TryRecvError::Empty)) => {}
            Some(answer) => {
                self.baking = None;
                if let (Ok(land), false) = (answer, self.stale) {
                    self.maps = GroundMaps::upload(gpu, Arc::new(land));
                    changed = true;
                }
            }
        }
        if self.stale && self.baking.is_none() {
            self.stale = false;
            self.baking = Some(self.bake(look));
        }
        changed
    }

    /// Waits for the final maps.
    pub(super) fn finish(&mut self, gpu: &Gpu, look: &LookSpec) -> bool {
        let mut changed = false;
        while !self.settled() {
            changed |= self.tend(gpu, look);
            thread::sleep(std::time::Duration::from_millis(2));
        }
        changed
    }

    fn bake(&self, look: &LookSpec) -> Receiver<TerrainLook> {
        let (done, baked) = channel();
        let (heights, grid, look) = (self.heights.clone(), self.grid, look.clone());
        // Nobody waits for this thread; when the heights change again its answer is dropped.
        thread::spawn(move || done.send(TerrainLook::bake(&heights, grid, &look, NODES)).is_ok());
        baked
    }
}

/// One node per cell where a full bake has several.
fn coarse(heights: &Array2<f32>, grid: Grid, look: &LookSpec) -> TerrainLook {
    TerrainLook::bake(heights, grid, look, grid.nx.max(grid.nz).min(COARSE))
}

#[cfg(test)]
mod tests {
    use super::triangles;

    #[test]
    fn triangles_cover_every_square_once() {
        let corners = triangles(3, 4);
        assert_eq!(corners.len(), 6 * 2 * 3);
        assert_eq!(corners[..6], [0, 3, 1, 1, 3, 4]);
        assert_eq!(corners.iter().max(), Some(&11));
    }
}
