//! Texture of the CPU painter in the size of the window: contains the latest finished picture, or
//! the panel as last drawn.

use std::ops::Range;

use super::mailbox::Pixels;
use crate::paint::{Part, limit};
use lavoxel_paint::device::{Gpu, PipelineSpec, Texture, clear_pass, color_pass, sampled};

/// Exponent for kiss3d's film pass with which that pass leaves the bytes of a picture unchanged:
/// the pass applies a configurable exponent, and then codes linear light with a gamma of 2.2. An
/// additional pass that undoes the coding would cost milliseconds per frame where the processor
/// runs the shaders.
pub(super) const GAMMA: f32 = 2.2;

/// Texture of a picture, with the pipelines that draw it.
pub(super) struct Screen {
    layout: wgpu::BindGroupLayout,
    module: wgpu::ShaderModule,
    /// Pipeline for kiss3d's render pass, with the sample count of its target; `None` before the
    /// first use.
    pipeline: Option<(u32, wgpu::RenderPipeline)>,
    /// Pipeline for a surface, with the format of the surface; `None` before the first use.
    straight: Option<(wgpu::TextureFormat, wgpu::RenderPipeline)>,
    picture: Option<(Texture, wgpu::BindGroup)>,
}

impl Screen {
    pub(super) fn new(gpu: &Gpu) -> Self {
        let float = sampled(
            wgpu::TextureSampleType::Float { filterable: true },
            wgpu::TextureViewDimension::D2,
        );
        Self {
            layout: gpu.layout("screen", &[Some(float)]),
            module: gpu.module("screen", include_str!("screen.wgsl")),
            pipeline: None,
            straight: None,
            picture: None,
        }
    }

    /// Uploads `pixels` as the picture; creates a new texture if the size has changed.
    pub(super) fn upload(&mut self, gpu: &Gpu, pixels: &Pixels) {
        let (left, size) = (pixels.left, [pixels.window.0, pixels.window.1, 0]);
        let fits = |texture: &Texture| texture.size() == [size[0] as f32, size[1] as f32];
        if self
            .picture
            .as_ref()
            .is_none_or(|(texture, _)| !fits(texture))
        {
            let texture = gpu.map("picture", size, wgpu::TextureFormat::Rgba8Unorm);
            self.picture = Some(self.bound(gpu, texture));
        }
        if let Some((texture, _)) = &self.picture {
            gpu.write(
                texture,
                [left, 0, 0],
                [size[0] - left, size[1], 0],
                &pixels.rgba,
            );
        }
    }

    /// Draws the picture within kiss3d's render pass `pass` of `samples` samples per pixel.
    pub(super) fn draw(&mut self, gpu: &Gpu, pass: &mut wgpu::RenderPass<'_>, samples: u32) {
        if self
            .pipeline
            .as_ref()
            .is_none_or(|(made_for, _)| *made_for != samples)
        {
            let film = (
                kiss3d::context::Context::render_format(),
                Some(Gpu::untested_depth(kiss3d::context::Context::depth_format())),
                samples,
            );
            self.pipeline = Some((samples, self.pipeline_onto(gpu, film)));
        }
        self.draw_by(self.pipeline.as_ref(), pass);
    }

    /// Replaces the picture by a black render target of `size` pixels (width, height), and returns
    /// the view of that target.
    pub(super) fn blank(
        &mut self,
        gpu: &Gpu,
        size: [usize; 2],
        format: wgpu::TextureFormat,
    ) -> wgpu::TextureView {
        let fits = |texture: &Texture| {
            texture.size() == size.map(|n| n as f32) && texture.texture.format() == format
        };
        let kept = self.picture.take().filter(|(texture, _)| fits(texture));
        let picture = kept.unwrap_or_else(|| self.bound(gpu, gpu.target("sheet", size, format)));
        let view = picture.0.view.clone();
        self.picture = Some(picture);
        let mut encoder = gpu
            .device
            .create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        drop(clear_pass(&mut encoder, "sheet", &view));
        gpu.queue.submit([encoder.finish()]);
        view
    }

    fn bound(&self, gpu: &Gpu, texture: Texture) -> (Texture, wgpu::BindGroup) {
        let bind = gpu.bind(
            &self.layout,
            &[(0, wgpu::BindingResource::TextureView(&texture.view))],
        );
        (texture, bind)
    }

    /// Copies the pixel columns `columns` of the picture byte for byte onto the surface `on`, whose
    /// format is `format`; the picture belongs to the columns `part` of the surface. Returns false
    /// if there is no picture.
    pub(super) fn lay(
        &mut self,
        gpu: &Gpu,
        (on, format): (&wgpu::TextureView, wgpu::TextureFormat),
        columns: Range<u32>,
        part: &Part,
    ) -> bool {
        if self
            .straight
            .as_ref()
            .is_none_or(|(made_for, _)| *made_for != format)
        {
            self.straight = Some((format, self.pipeline_onto(gpu, (format, None, 1))));
        }
        let mut encoder = gpu
            .device
            .create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let mut pass = color_pass(&mut encoder, "screen", on);
        let [width, height] = [on.texture().width(), on.texture().height()];
        limit(&mut pass, part, [width, height]);
        pass.set_scissor_rect(
            columns.start,
            0,
            columns.end.saturating_sub(columns.start),
            height,
        );
        let drawn = self.draw_by(self.straight.as_ref(), &mut pass);
        drop(pass);
        gpu.queue.submit([encoder.finish()]);
        drawn
    }

    fn draw_by<T>(
        &self,
        pipeline: Option<&(T, wgpu::RenderPipeline)>,
        pass: &mut wgpu::RenderPass<'_>,
    ) -> bool {
        let (Some((_, pipeline)), Some((_, bind))) = (pipeline, &self.picture) else {
            return false;
        };
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, bind, &[]);
        pass.draw(0..3, 0..1);
        true
    }

    fn pipeline_onto(
        &self,
        gpu: &Gpu,
        (format, depth, samples): (wgpu::TextureFormat, Option<wgpu::DepthStencilState>, u32),
    ) -> wgpu::RenderPipeline {
        gpu.pipeline(&PipelineSpec {
            module: &self.module,
            vertex: "whole",
            fragment: "shown",
            layout: &self.layout,
            format,
            blend: None,
            depth,
            samples,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paint::fixture::gpu;
    use lavoxel_base::random::mix64;

    /// Returns a random opaque picture of `window` pixels (width, height).
    fn any_picture(window: (usize, usize)) -> Pixels {
        let byte = |i: usize| (mix64((window.0 << 32 | i) as u64) >> 56) as u8;
        let opaque = |i: usize| if i % 4 == 3 { 255 } else { byte(i) };
        Pixels {
            window,
            left: 0,
            rgba: (0..4 * window.0 * window.1).map(opaque).collect(),
        }
    }

    /// Returns the bytes of a surface of `size` pixels after a picture was copied onto it; `None`
    /// before the first picture.
    fn laid(
        gpu: &Gpu,
        screen: &mut Screen,
        format: wgpu::TextureFormat,
        size: (usize, usize),
    ) -> Option<Vec<u8>> {
        let surface = gpu.target("surface", [size.0, size.1], format);
        let drawn = screen.lay(gpu, (&surface.view, format), 0..size.0 as u32, &None);
        let encoder = gpu
            .device
            .create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        drawn.then(|| gpu.read(encoder, &surface).expect("a device"))
    }

    #[test]
    fn a_picture_laid_on_a_surface_keeps_every_byte() {
        let Some(gpu) = gpu() else { return };
        let mut screen = Screen::new(&gpu);
        let (rgba, bgra) = (
            wgpu::TextureFormat::Rgba8Unorm,
            wgpu::TextureFormat::Bgra8Unorm,
        );
        assert_eq!(
            laid(&gpu, &mut screen, rgba, (8, 8)),
            None,
            "there is no picture yet"
        );
        for size in [(301, 199), (64, 2), (1, 77)] {
            let picture = any_picture(size);
            screen.upload(&gpu, &picture);
            // A window's surface may have either order of channels, and may change that order.
            assert!(
                laid(&gpu, &mut screen, rgba, size).as_ref() == Some(&picture.rgba),
                "{size:?}"
            );
            let turned = laid(&gpu, &mut screen, bgra, size).expect("there is a picture");
            let same = turned.chunks_exact(4).zip(picture.rgba.chunks_exact(4));
            assert!(
                same.clone().all(|(a, b)| a == [b[2], b[1], b[0], b[3]]),
                "{size:?}"
            );
        }
        // A sheet begins black, and only the requested columns are laid.
        let mut sheet = Screen::new(&gpu);
        drop(sheet.blank(&gpu, [40, 30], rgba));
        let surface = gpu.target("surface", [40, 30], rgba);
        screen.upload(&gpu, &any_picture((40, 30)));
        assert!(
            screen.lay(&gpu, (&surface.view, rgba), 0..40, &None)
                && sheet.lay(&gpu, (&surface.view, rgba), 3..17, &None)
        );
        let encoder = gpu
            .device
            .create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let both = gpu.read(encoder, &surface).expect("a device");
        let picture = any_picture((40, 30));
        for (i, (pixel, from)) in both
            .chunks_exact(4)
            .zip(picture.rgba.chunks_exact(4))
            .enumerate()
        {
            let wanted = if (3..17).contains(&(i % 40)) {
                &[0, 0, 0, 255]
            } else {
                from
            };
            assert_eq!(pixel, wanted, "pixel {i}");
        }
        // Two pictures stand side by side, each in its part of the surface.
        let pictures = [any_picture((25, 30)), any_picture((15, 30))];
        for (picture, part) in pictures.iter().zip([0..25, 25..40]) {
            screen.upload(&gpu, picture);
            let part = Some(part);
            assert!(screen.lay(&gpu, (&surface.view, rgba), 0..40, &part));
        }
        let encoder = gpu
            .device
            .create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let both = gpu.read(encoder, &surface).expect("a device");
        for (y, row) in both.chunks_exact(4 * 40).enumerate() {
            let [left, right] = [(&pictures[0], 4 * 25), (&pictures[1], 4 * 15)]
                .map(|(picture, bytes)| &picture.rgba[y * bytes..(y + 1) * bytes]);
            assert!(row == [left, right].concat(), "row {y}");
        }
        // Between a resize and the next picture, the last picture is stretched over the whole
        // surface.
        let picture = any_picture((40, 30));
        screen.upload(&gpu, &picture);
        let twice = laid(&gpu, &mut screen, rgba, (80, 60)).expect("there is a picture");
        for (x, y) in [(0, 0), (79, 0), (0, 59), (79, 59), (33, 41)] {
            let (at, from) = (4 * (y * 80 + x), 4 * (y / 2 * 40 + x / 2));
            assert_eq!(twice[at..at + 4], picture.rgba[from..from + 4], "{x}, {y}");
        }
    }
}
