//! Ground on the graphics card: textures and buffers of the maps that `render::land` bakes, for the
//! pass that finds the ground under each pixel.

use std::sync::Arc;

use lavoxel_base::grid::Grid;
use lavoxel_render::LookSpec;
use lavoxel_render::ground::land::TerrainLook;
use lavoxel_render::ground::surroundings::Beyond;

use super::caves::CaveBuffer;
use crate::bake::BakedGround;
use crate::changes::GroundPatch;
use crate::device::{Gpu, Texture, halves};

/// Baked maps of the ground on the graphics card: height, albedo, normal and slope.
pub(super) struct GroundMaps {
    /// Copy in main memory of the baked maps, from which the bounds for the camera are computed.
    pub(super) land: Arc<TerrainLook>,
    pub(super) height: Texture,
    pub(super) albedo: Texture,
    pub(super) normal: Texture,
    pub(super) slope: Texture,
    /// Index buffer of the ground's upper surface, a triangle mesh.
    pub(super) triangles: wgpu::Buffer,
    pub(super) triangle_corners: u32,
    /// Buffer with the nodes of the ground around the simulation box (a single placeholder node
    /// without such ground), and the number of vertices of its triangles.
    pub(super) beyond: wgpu::Buffer,
    pub(super) beyond_corners: u32,
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
        let height = map(
            "ground height",
            wgpu::TextureFormat::R32Float,
            bytemuck::cast_slice(&heights.data),
            nodes,
        );
        let light = &land.light.data;
        // The light factors are stored in the alpha channels of albedo and normal, which saves a
        // texture.
        let texels = |rgb: &[lavoxel_render::math::V3],
                      alpha: fn(&nalgebra::Vector2<f32>) -> f32|
         -> Vec<[u16; 4]> {
            rgb.iter()
                .zip(light)
                .map(|(c, l)| halves([c.x, c.y, c.z, alpha(l)]))
                .collect()
        };
        let format = wgpu::TextureFormat::Rgba16Float;
        let albedo = map(
            "ground albedo",
            format,
            bytemuck::cast_slice(&texels(&land.albedo.data, |l| l.y)),
            nodes,
        );
        let normal = map(
            "ground normal",
            format,
            bytemuck::cast_slice(&texels(&land.normal.data, |l| l.x)),
            nodes,
        );
        let slope: Vec<[u16; 2]> = land.slope.data.iter().map(|s| halves([s.x, s.y])).collect();
        let columns = [land.slope.width, land.slope.depth, 0];
        let slope = map(
            "ground slope",
            wgpu::TextureFormat::Rg16Float,
            bytemuck::cast_slice(&slope),
            columns,
        );
        let corners = triangles(heights.width as u32, heights.depth as u32);
        let bytes: &[u8] = bytemuck::cast_slice(&corners);
        let triangles = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("ground triangles"),
            size: bytes.len() as u64,
            usage: wgpu::BufferUsages::INDEX | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        gpu.queue.write_buffer(&triangles, 0, bytes);
        let triangle_corners = corners.len() as u32;
        let nodes = land
            .beyond
            .as_ref()
            .map_or_else(|| vec![[0; 4]], packed_surroundings);
        let bytes: &[u8] = bytemuck::cast_slice(&nodes);
        let beyond = gpu.numbers("ground around", bytes.len());
        gpu.queue.write_buffer(&beyond, 0, bytes);
        let squares = |beyond: &Beyond| (beyond.heights().width - 1) * (beyond.heights().depth - 1);
        let beyond_corners = 6 * land.beyond.as_ref().map_or(0, squares) as u32;
        Self {
            land,
            height,
            albedo,
            normal,
            slope,
            triangles,
            triangle_corners,
            beyond,
            beyond_corners,
        }
    }

    /// Returns the number of vertices of all triangles in the four side walls of the ground block.
    pub(super) fn wall_corners(&self) -> u32 {
        let heights = &self.land.block.heights;
        6 * 2 * (heights.width - 1 + heights.depth - 1) as u32
    }
}

/// Returns the nodes of the ground around a box, packed for the shader: height as the bits of an
/// `f32`, then albedo, normal (x, z), and the light of sky and sun.
fn packed_surroundings(beyond: &Beyond) -> Vec<[u32; 4]> {
    let node = |k: usize| {
        let (color, normal, light) = (
            beyond.albedo.data[k],
            beyond.normal.data[k],
            beyond.light.data[k],
        );
        let [red, green, blue, east, south] =
            halves([color.x, color.y, color.z, normal.x, normal.z]).map(u32::from);
        let [sky, sun] =
            [light.x, light.y].map(|share| (share.clamp(0.0, 1.0) * 255.0 + 0.5) as u32);
        [
            beyond.heights().data[k].to_bits(),
            red | green << 16,
            blue | east << 16,
            south | sky << 16 | sun << 24,
        ]
    };
    (0..beyond.heights().data.len()).map(node).collect()
}

/// Returns the triangle indices of a mesh of `width` × `depth` nodes (`width` fastest), two
/// triangles per square.
fn triangles(width: u32, depth: u32) -> Vec<u32> {
    let square = |k: u32| {
        let a = k / (width - 1) * width + k % (width - 1);
        [a, a + width, a + 1, a + 1, a + width, a + width + 1]
    };
    (0..(width - 1) * (depth - 1)).flat_map(square).collect()
}

/// Ground on the graphics card: uploaded maps and caves, and the background bake that renews the
/// maps.
pub(super) struct GroundRoom {
    pub(super) baked: BakedGround,
    pub(super) maps: GroundMaps,
    pub(super) caves: CaveBuffer,
}

impl GroundRoom {
    /// Bakes the whole ground coarsely and uploads the maps; the fine bake runs in the background.
    pub(super) fn new(gpu: &Gpu, ground: &GroundPatch, grid: Grid, look: &LookSpec) -> Self {
        let baked = BakedGround::new(ground, grid, look);
        let maps = GroundMaps::upload(gpu, baked.land.clone());
        let mut caves = CaveBuffer::none(gpu);
        caves.follow(gpu, &baked.land.block.caves);
        Self { baked, maps, caves }
    }

    /// Applies `patch`, a changed rectangle of the ground, and uploads the maps if the change shows
    /// at once.
    pub(super) fn apply(&mut self, gpu: &Gpu, patch: &GroundPatch, look: &LookSpec) {
        let changed = self.baked.apply(patch, look);
        self.upload(gpu, changed);
    }

    /// Uploads the result of a finished background bake, and starts the next bake when due. Returns
    /// true if the uploaded maps changed.
    pub(super) fn tend(&mut self, gpu: &Gpu, look: &LookSpec) -> bool {
        let changed = self.baked.tend(look);
        self.upload(gpu, changed)
    }

    /// Waits until the maps show the present ground in full resolution, and uploads them. Returns
    /// true if the uploaded maps changed.
    pub(super) fn finish(&mut self, gpu: &Gpu, look: &LookSpec) -> bool {
        let changed = self.baked.finish(look);
        self.upload(gpu, changed)
    }

    fn upload(&mut self, gpu: &Gpu, changed: bool) -> bool {
        if changed {
            self.maps = GroundMaps::upload(gpu, self.baked.land.clone());
            self.caves.follow(gpu, &self.baked.land.block.caves);
        }
        changed
    }
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
