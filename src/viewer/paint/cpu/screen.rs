//! A finished picture in the window: one texture, laid over it.

use super::mailbox::Pixels;
use crate::viewer::paint::device::{Gpu, PipelineSpec, Texture, color_pass, sampled};

/// kiss3d's film codes light with a plain gamma of 2.2, and takes a power of it before that, which it works out in any case: with this one,
/// the bytes of a picture go through the film as they are. Where a processor runs the shaders, each further step costs
/// milliseconds a frame.
pub(super) const GAMMA: f32 = 2.2;

/// The pipeline, and the texture of the last picture.
pub(super) struct Screen {
    layout: wgpu::BindGroupLayout,
    module: wgpu::ShaderModule,
    /// By its number of samples.
    pipeline: Option<(u32, wgpu::RenderPipeline)>,
    /// That onto a surface, by its format.
    straight: Option<(wgpu::TextureFormat, wgpu::RenderPipeline)>,
    picture: Option<(Texture, wgpu::BindGroup)>,
}

impl Screen {
    pub(super) fn new(gpu: &Gpu) -> Self {
        let float = sampled(wgpu::TextureSampleType::Float { filterable: true }, wgpu::TextureViewDimension::D2);
        Self {
            layout: gpu.layout("screen", &[Some(float)]),
            module: gpu.module("screen", include_str!("screen.wgsl")),
            pipeline: None,
            straight: None,
            picture: None,
        }
    }

    /// Takes another picture.
    pub(super) fn put(&mut self, gpu: &Gpu, pixels: &Pixels) {
        let size = [pixels.size.0, pixels.size.1, 0];
        let fits = |texture: &Texture| texture.size() == [size[0] as f32, size[1] as f32];
        if self.picture.as_ref().is_none_or(|(texture, _)| !fits(texture)) {
            let texture = gpu.map("picture", size, wgpu::TextureFormat::Rgba8Unorm);
            let bind = gpu.bind(&self.layout, &[(0, wgpu::BindingResource::TextureView(&texture.view))]);
            self.picture = Some((texture, bind));
        }
        if let Some((texture, _)) = &self.picture {
            gpu.write(texture, [0; 3], size, &pixels.rgba);
        }
    }

    /// Draws the picture, inside kiss3d's pass.
    pub(super) fn draw(&mut self, gpu: &Gpu, pass: &mut wgpu::RenderPass<'_>, samples: u32) {
        if self.pipeline.as_ref().is_none_or(|(made_for, _)| *made_for != samples) {
            let film = (kiss3d::context::Context::render_format(), Some(gpu.untested_depth()), samples);
            self.pipeline = Some((samples, self.pipeline_onto(gpu, film)));
        }
        self.draw_by(self.pipeline.as_ref(), pass);
    }

    /// Draws the picture over a surface, byte for byte; false before there is one.
    pub(super) fn lay(&mut self, gpu: &Gpu, on: &wgpu::TextureView, format: wgpu::TextureFormat) -> bool {
        if self.straight.as_ref().is_none_or(|(made_for, _)| *made_for != format) {
            self.straight = Some((format, self.pipeline_onto(gpu, (format, None, 1))));
        }
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let drawn = self.draw_by(self.straight.as_ref(), &mut color_pass(&mut encoder, "screen", on));
        gpu.queue.submit([encoder.finish()]);
        drawn
    }

    fn draw_by<T>(&self, pipeline: Option<&(T, wgpu::RenderPipeline)>, pass: &mut wgpu::RenderPass<'_>) -> bool {
        let (Some((_, pipeline)), Some((_, bind))) = (pipeline, &self.picture) else { return false };
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
