//! Layers of a traced picture, for programs that compose, colour or smooth pictures themselves.

use super::{Pixel, Print};
use crate::image::Image;
use crate::math::V3;

/// Layers of a traced picture: linear numbers of each pixel, rows from the top.
///
/// Light is linear RGB with the primaries of sRGB, before exposure and tone curve; that of white is
/// about 1. Albedo, normal and depth are means over those of a pixel's samples, so that edges are
/// soft; they belong to the first surface that scatters light, seen in mirrors and through glass.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PrintLayers {
    /// Width and height in pixels.
    pub size: (usize, usize),
    /// Light as traced, with its noise.
    pub light: Vec<[f32; 3]>,
    /// Light with its noise smoothed, of which the picture is made.
    pub smoothed: Vec<[f32; 3]>,
    /// Part of `light` that glowing matter sends to the eye itself.
    pub emission: Vec<[f32; 3]>,
    /// Share of light that the surface scatters; 1 in clouds and sky.
    pub albedo: Vec<[f32; 3]>,
    /// Unit normal of the surface with its relief (x east, y up, z south); 0 in clouds and sky.
    pub normal: Vec<[f32; 3]>,
    /// Length of the path from the eye to the surface in cell widths, over the samples that met
    /// one; infinite where none did, as in clouds and sky.
    pub depth: Vec<f32>,
    /// Number of samples.
    pub samples: Vec<u32>,
}

impl Print<'_> {
    /// Returns the layers of the picture so far.
    pub fn layers(&self) -> PrintLayers {
        let arrays = |light: Vec<V3>| light.into_iter().map(Into::into).collect();
        PrintLayers {
            size: self.camera.size(),
            light: arrays(self.means()),
            smoothed: arrays(self.smoothed_light()),
            emission: self.each(|pixel| (pixel.emission * pixel.share()).into()),
            albedo: self.each(|pixel| (pixel.albedo * pixel.share()).into()),
            normal: self.each(|pixel| (pixel.normal * pixel.share()).into()),
            depth: self.each(|pixel| match pixel.surfaces {
                0 => f32::INFINITY,
                surfaces => pixel.depth / surfaces as f32,
            }),
            samples: self.each(|pixel| pixel.samples),
        }
    }

    /// Returns the picture of `Print::smoothed` from `layers` of this print, without smoothing
    /// again.
    pub fn picture_of(&self, layers: &PrintLayers) -> Image {
        self.developed(layers.smoothed.iter().map(|&light| light.into()).collect())
    }

    /// Returns `of` each pixel, rows from the top.
    fn each<T>(&self, of: impl Fn(&Pixel) -> T) -> Vec<T> {
        self.pixels.iter().map(of).collect()
    }
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;

    use crate::camera::Camera;
    use crate::print::PrintLayers;
    use crate::renderer::Renderer;
    use lavoxel_automaton::view::{CameraSpec, LookSpec, Surroundings};
    use lavoxel_base::grid::Grid;
    use lavoxel_sim::lowpass::Volume;

    /// Number of samples of the picture.
    const SAMPLES: u32 = 4;

    /// Returns the layers of a pool of hot lava on a plain under the sky.
    fn pool() -> PrintLayers {
        let grid = Grid::new(20, 12, 20);
        let mut volume = Volume::empty(grid);
        let inside = |[x, y, z]: [usize; 3]| y < 6 && x.abs_diff(10) < 4 && z.abs_diff(10) < 4;
        let byte = |place: [usize; 3]| if inside(place) { 255 } else { 0 };
        volume.density = grid.places().map(byte).collect();
        volume.energy = volume.density.clone();
        let ground = Array2::from_elem((grid.nz, grid.nx), 3.0);
        let look = LookSpec {
            surroundings: Surroundings::Land,
            ..LookSpec::default()
        };
        let mut renderer = Renderer::new(&ground, grid, look).expect("a valid look");
        let spec = CameraSpec {
            elevation_deg: 8.0,
            distance: Some(1.2),
            ..CameraSpec::default()
        };
        let camera = Camera::new(&spec, &renderer.subject(), (32, 24));
        let layers = renderer.print(&volume, &camera, |print| {
            while print.samples() < SAMPLES && print.pass() {}
            let layers = print.layers();
            assert!(print.picture_of(&layers) == print.smoothed());
            layers
        });
        layers.expect("nobody stops it")
    }

    #[test]
    fn layers_hold_what_the_eye_sees_of_lava_and_sky() {
        let layers = pool();
        assert!(layers.samples.iter().all(|&samples| samples == SAMPLES));
        let sum = |colour: [f32; 3]| colour.iter().sum::<f32>();
        let glows = layers.emission.iter().filter(|&&light| sum(light) > 0.1);
        assert!(glows.count() > 10, "the lava glows");
        for (emission, light) in layers.emission.iter().zip(&layers.light) {
            assert!(sum(*emission) <= sum(*light) * 1.0001);
        }
        let top = 2;
        assert!(layers.depth[top].is_infinite() && layers.normal[top] == [0.0; 3]);
        let bottom = layers.depth.len() - 3;
        let [_, up, _] = layers.normal[bottom];
        assert!(layers.depth[bottom] > 1.0 && layers.depth[bottom] < 100.0);
        assert!(up > 0.6, "the plain faces up: {up}");
    }
}
