//! A finished picture in the window: one texture, stretched over it.

use super::mailbox::Pixels;
use crate::viewer::paint::device::{Gpu, PipelineSpec, Texture, halves, sampled};

/// kiss3d's film codes with a plain gamma of 2.2 afterwards. Taking it off here, from a table, is cheaper than a power
/// for each pixel of the window where a processor runs the shaders.
const GAMMA: f32 = 2.2;

/// The pipeline, and the texture of the last picture.
pub(super) struct Screen {
    layout: wgpu::BindGroupLayout,
    sampler: wgpu::Sampler,
    module: wgpu::ShaderModule,
    /// By its number of samples.
    pipeline: Option<(u32, wgpu::RenderPipeline)>,
    picture: Option<(Texture, wgpu::BindGroup)>,
    /// For each byte its light, as the bits of a half-precision float.
    light: [u16; 256],
}

impl Screen {
    pub(super) fn new(gpu: &Gpu) -> Self {
        let float = sampled(wgpu::TextureSampleType::Float { filterable: true }, wgpu::TextureViewDimension::D2);
        let sampler = wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Filtering);
        Self {
            layout: gpu.layout("screen", &[Some(float), Some(sampler)]),
            sampler: gpu.linear_held(),
            module: gpu.module("screen", include_str!("screen.wgsl")),
            pipeline: None,
            picture: None,
            light: std::array::from_fn(|byte| halves([(byte as f32 / 255.0).powf(GAMMA)])[0]),
        }
    }

    /// Takes another picture.
    pub(super) fn put(&mut self, gpu: &Gpu, pixels: &Pixels) {
        let size = [pixels.size.0, pixels.size.1, 0];
        let fits = |texture: &Texture| texture.size() == [size[0] as f32, size[1] as f32];
        if self.picture.as_ref().is_none_or(|(texture, _)| !fits(texture)) {
            let texture = gpu.map("picture", size, wgpu::TextureFormat::Rgba16Float);
            let bind = gpu.bind(
                &self.layout,
                &[
                    (0, wgpu::BindingResource::TextureView(&texture.view)),
                    (1, wgpu::BindingResource::Sampler(&self.sampler)),
                ],
            );
            self.picture = Some((texture, bind));
        }
        if let Some((texture, _)) = &self.picture {
            let light: Vec<u16> = pixels.rgba.iter().map(|&byte| self.light[usize::from(byte)]).collect();
            gpu.write(texture, [0; 3], size, bytemuck::cast_slice(&light));
        }
    }

    /// Draws the picture, inside kiss3d's pass.
    pub(super) fn draw(&mut self, gpu: &Gpu, pass: &mut wgpu::RenderPass<'_>, samples: u32) {
        if self.pipeline.as_ref().is_none_or(|(made_for, _)| *made_for != samples) {
            self.pipeline = Some((samples, self.pipeline_for(gpu, samples)));
        }
        if let (Some((_, pipeline)), Some((_, bind))) = (&self.pipeline, &self.picture) {
            pass.set_pipeline(pipeline);
            pass.set_bind_group(0, bind, &[]);
            pass.draw(0..3, 0..1);
        }
    }

    fn pipeline_for(&self, gpu: &Gpu, samples: u32) -> wgpu::RenderPipeline {
        gpu.pipeline(&PipelineSpec {
            module: &self.module,
            vertex: "whole",
            fragment: "shown",
            layout: &self.layout,
            format: kiss3d::context::Context::render_format(),
            blend: None,
            depth: Some(gpu.untested_depth()),
            samples,
        })
    }
}
