//! Pictures without the panel and of any size, for screenshots, recordings and tests.

use image::RgbaImage;

use super::GpuPainter;
use super::accumulator::{Accumulator, Task};
use super::film::Outlet;
use crate::View;

impl GpuPainter {
    /// Draws `view` as the average of `frames` jittered frames, and waits for the result. With
    /// `transparent`, sky and backdrop get alpha 0. `None` before the first scene has arrived.
    pub fn picture(&mut self, view: &View, frames: u32, transparent: bool) -> Option<RgbaImage> {
        if let Some(ground) = &mut self.ground
            && ground.finish(&self.gpu, &self.look)
        {
            self.bindings += 1;
            self.changed();
        }
        if self.lava.is_none() || self.ground.is_none() {
            return None;
        }
        self.pictures.forget();
        let frames = frames.max(1);
        for _ in 0..frames {
            self.draw_picture(
                view,
                Task {
                    camera: &view.camera,
                    most: frames,
                    bands: 1,
                },
            );
        }
        let (width, height) = view.camera.size();
        let mut pixels = self.developed(|painter| &mut painter.pictures, [width, height])?;
        // The final pass writes coverage as alpha.
        if !transparent {
            pixels.chunks_exact_mut(4).for_each(|pixel| pixel[3] = 255);
        }
        RgbaImage::from_raw(width as u32, height as u32, pixels)
    }

    /// Returns the picture on the screen in the window's size, without panel and marks; `None`
    /// before the first picture. Traces no rays, since the accumulated light is only converted to
    /// colours again.
    pub fn seen(&mut self) -> Option<RgbaImage> {
        let (width, height) = self.view.as_ref()?.camera.size();
        let mut pixels = self.developed(|painter| &mut painter.window, [width, height])?;
        pixels.chunks_exact_mut(4).for_each(|pixel| pixel[3] = 255);
        RgbaImage::from_raw(width as u32, height as u32, pixels)
    }

    /// Returns the light that `of` has accumulated as sRGB bytes with coverage as alpha, in a picture
    /// of `size` pixels (width, height).
    fn developed(
        &mut self,
        of: fn(&mut Self) -> &mut Accumulator,
        size: [usize; 2],
    ) -> Option<Vec<u8>> {
        let mut accumulator = std::mem::take(of(self));
        let pixels = self.pixels_of(&mut accumulator, size);
        *of(self) = accumulator;
        pixels
    }

    fn pixels_of(&self, accumulator: &mut Accumulator, size: [usize; 2]) -> Option<Vec<u8>> {
        let format = wgpu::TextureFormat::Rgba8Unorm;
        let target = self.gpu.target("picture", size, format);
        let mut encoder = self
            .gpu
            .device
            .create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let development = accumulator.development(&self.gpu, &self.film)?;
        let moment = (&self.look, self.steps);
        self.film
            .aim(&self.gpu, development, moment, Outlet::Picture, size);
        self.film.develop(&mut encoder, development, &target);
        self.gpu.read(encoder, &target)
    }

    /// Frees the textures used to draw pictures for image files.
    pub fn forget_pictures(&mut self) {
        self.pictures = Accumulator::default();
    }
}
