//! Post-processing of a picture's accumulated light: bloom, and the final tone-mapping pass into
//! the window or an image.

use lavoxel_render::film::{BLOCK, Shimmer, radii};
use lavoxel_render::{LookSpec, Style};

use super::stage::mask_of_noise;
use super::wgsl::{self, numbers};
use crate::Screen;
use crate::device::{Gpu, PipelineSpec, Texture, color_pass, numbers_binding, sampled};

/// Texture format of accumulated light. Light `c` is stored as `c / (1 + max(c))`, so that an
/// average of frames is weighted by visible brightness.
const LIGHT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba16Float;
/// Edge length of a texel in the texture of the wide blur, in texels of the narrow blur's texture.
const WIDE: usize = 2;

numbers! {
    /// Parameters of one post-processing pass (bloom or final pass), as the shader reads them.
    #[derive(Default)]
    struct FilmNumbers {
        /// Exposure factor; strength of the bloom (1 usual); tone curve (0 plain, 1 filmic); output
        /// coding (0 for a screen that codes by a gamma of 2.2, 1 sRGB).
        how: [f32; 4],
        /// Width and height of the light texture in texels; width and height of the target in
        /// texels.
        size: [f32; 4],
        /// Parameters of a Gaussian blur: direction (x, y) in texels of the source; standard
        /// deviation in texels; number of taps on each side of the centre.
        blur: [f32; 4],
        /// Strength of the heat haze (0 none); phase of the haze in radians; left edge of the
        /// picture in the target, in pixels; last component unused.
        air: [f32; 4],
    }
}

/// Destination of the final post-processing pass: window or image file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outlet {
    /// Screen that codes colours afterwards by a gamma of 2.2.
    Window {
        /// Left edge of the picture on the screen, in pixels.
        left: u32,
    },
    /// Image: colours are coded as sRGB, and the coverage becomes alpha.
    Picture,
}

/// Render pipelines of the post-processing; independent of the picture's size.
pub(super) struct PostProcess {
    layout: wgpu::BindGroupLayout,
    sampler: wgpu::Sampler,
    mask: wgpu::Buffer,
    bright: wgpu::RenderPipeline,
    blur: wgpu::RenderPipeline,
    picture: wgpu::RenderPipeline,
    module: wgpu::ShaderModule,
    /// Pipeline of the final pass onto the screen, with its target; `None` before the first use.
    screen: Option<(Screen, wgpu::RenderPipeline)>,
}

/// One pass of the bloom with its bind group, render target and parameters: extracts bright light
/// if `bright` is set, otherwise blurs.
struct BloomPass {
    bright: bool,
    bind: wgpu::BindGroup,
    to: wgpu::TextureView,
    numbers: wgpu::Buffer,
    blur: [f32; 4],
    sizes: [f32; 4],
}

/// Render targets of one size in pixels, in which the frames of a partial image (backdrop or lava)
/// accumulate.
pub(super) struct RenderTarget {
    pub(super) size: [usize; 2],
    pub(super) light: Texture,
    /// For each pixel, the distance to the ground along the ray in cells, and the number of the
    /// ground's face that the ray hits.
    pub(super) hits: Texture,
    pub(super) depth: Texture,
}

/// Bind groups and targets that combine backdrop and lava into a picture.
pub(super) struct Development {
    lava_size: [f32; 2],
    passes: Vec<BloomPass>,
    develop: wgpu::BindGroup,
    numbers: wgpu::Buffer,
}

impl PostProcess {
    pub(super) fn new(gpu: &Gpu) -> Self {
        let module = gpu.module(
            "film",
            &[
                wgsl::of_film(),
                FilmNumbers::wgsl(),
                include_str!("shaders/film.wgsl").to_owned(),
            ]
            .concat(),
        );
        let float = sampled(
            wgpu::TextureSampleType::Float { filterable: true },
            wgpu::TextureViewDimension::D2,
        );
        let sampler = wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Filtering);
        let kinds = [
            numbers_binding(),
            sampler,
            float,
            float,
            float,
            float,
            numbers_binding(),
        ]
        .map(Some);
        let layout = gpu.layout("film", &kinds);
        let pass = |fragment: &str, format| {
            gpu.pipeline(&PipelineSpec {
                module: &module,
                vertex: "whole",
                fragment,
                layout: &layout,
                format,
                blend: None,
                depth: None,
                samples: 1,
            })
        };
        let (bright, blur) = (pass("bright", LIGHT), pass("blur", LIGHT));
        let picture = pass("develop", wgpu::TextureFormat::Rgba8Unorm);
        Self {
            sampler: gpu.linear_held(),
            mask: mask_of_noise(gpu),
            bright,
            blur,
            picture,
            layout,
            module,
            // Created by the first `show`, which knows the target.
            screen: None,
        }
    }

    /// Creates the bind group of a post-processing pass with the parameters `numbers`. `from`:
    /// textures of the lava's light (for a blur: its source), of the narrow blur, of the wide blur
    /// and of the backdrop's light.
    fn bind(&self, gpu: &Gpu, numbers: &wgpu::Buffer, from: [&Texture; 4]) -> wgpu::BindGroup {
        let mut resources = vec![
            (0, numbers.as_entire_binding()),
            (1, wgpu::BindingResource::Sampler(&self.sampler)),
        ];
        let view = |texture: &'_ Texture| texture.view.clone();
        let views = from.map(view);
        resources.extend(
            (2..)
                .zip(&views)
                .map(|(i, view)| (i, wgpu::BindingResource::TextureView(view))),
        );
        resources.push((6, self.mask.as_entire_binding()));
        gpu.bind(&self.layout, &resources)
    }

    /// Creates render targets of `size` pixels (width, height).
    pub(super) fn sheet(gpu: &Gpu, size: [usize; 2]) -> RenderTarget {
        RenderTarget {
            size,
            light: gpu.target("light", size, LIGHT),
            hits: gpu.target("ground hits", size, wgpu::TextureFormat::Rg32Float),
            depth: gpu.target("depth", size, wgpu::TextureFormat::Depth32Float),
        }
    }

    /// Creates the post-processing resources for the partial images `backdrop` and `lava`; the
    /// bloom has the resolution of `lava`.
    pub(super) fn development(
        &self,
        gpu: &Gpu,
        backdrop: &RenderTarget,
        lava: &RenderTarget,
    ) -> Development {
        let blocks = lava.size.map(|n| n.div_ceil(BLOCK));
        let coarse = blocks.map(|n| n.div_ceil(WIDE));
        let targets: Vec<Texture> = [blocks, blocks, blocks, coarse, coarse]
            .iter()
            .map(|&size| gpu.target("bloom", size, LIGHT))
            .collect();
        let [near, wide] =
            radii(blocks[1]).map(|radius| (radius as f32 * (radius as f32 + 1.0)).sqrt());
        let wide = wide / WIDE as f32;
        // Target indices: bright → 0; 0 → 1 → 2 is the narrow blur, 0 → 3 → 4 the wide one, shrunk
        // on the way.
        let steps: [(bool, &Texture, usize, [f32; 2], f32); 5] = [
            (true, &lava.light, 0, [0.0; 2], 1.0),
            (false, &targets[0], 1, [1.0, 0.0], near),
            (false, &targets[1], 2, [0.0, 1.0], near),
            (false, &targets[0], 3, [WIDE as f32, 0.0], wide),
            (false, &targets[3], 4, [0.0, 1.0], wide),
        ];
        let passes = steps
            .iter()
            .map(|&(bright, from, to, along, sigma)| {
                let numbers = gpu.numbers("bloom", size_of::<FilmNumbers>());
                let to = &targets[to];
                BloomPass {
                    bright,
                    bind: self.bind(gpu, &numbers, [from, from, from, &backdrop.light]),
                    to: to.view.clone(),
                    numbers,
                    blur: [along[0], along[1], sigma, (3.0 * sigma).ceil()],
                    sizes: [from.size()[0], from.size()[1], to.size()[0], to.size()[1]],
                }
            })
            .collect();
        let numbers = gpu.numbers("develop", size_of::<FilmNumbers>());
        let develop = self.bind(
            gpu,
            &numbers,
            [&lava.light, &targets[2], &targets[4], &backdrop.light],
        );
        Development {
            lava_size: lava.light.size(),
            passes,
            develop,
            numbers,
        }
    }

    /// Draws the bloom of the picture into the textures of `development`; does nothing outside the
    /// cinematic style.
    pub(super) fn bloom(
        &self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        development: &Development,
        look: &LookSpec,
    ) {
        if look.style.at_once() != Style::Cinematic {
            return;
        }
        for pass in &development.passes {
            let numbers = FilmNumbers {
                how: how(look, Outlet::Window { left: 0 }),
                size: pass.sizes,
                blur: pass.blur,
                air: [0.0; 4],
            };
            gpu.queue
                .write_buffer(&pass.numbers, 0, bytemuck::bytes_of(&numbers));
            let mut render = color_pass(encoder, "bloom", &pass.to);
            render.set_pipeline(if pass.bright {
                &self.bright
            } else {
                &self.blur
            });
            render.set_bind_group(0, &pass.bind, &[]);
            render.draw(0..3, 0..1);
        }
    }

    /// Uploads the parameters of the final pass into a target of `size` pixels (width, height).
    /// `steps`: number of simulation steps, which determines the phase of the heat haze.
    pub(super) fn aim(
        &self,
        gpu: &Gpu,
        development: &Development,
        (look, steps): (&LookSpec, u64),
        outlet: Outlet,
        size: [usize; 2],
    ) {
        let [light_width, light_height] = development.lava_size;
        let size = [light_width, light_height, size[0] as f32, size[1] as f32];
        let shimmer = if look.style.at_once() == Style::Cinematic {
            look.shimmer
        } else {
            0.0
        };
        let Shimmer { strength, moment } = Shimmer::at(shimmer, steps as f64);
        let left = match outlet {
            Outlet::Window { left } => left as f32,
            Outlet::Picture => 0.0,
        };
        let air = [strength, moment, left, 0.0];
        let numbers = FilmNumbers {
            how: how(look, outlet),
            size,
            blur: [0.0; 4],
            air,
        };
        gpu.queue
            .write_buffer(&development.numbers, 0, bytemuck::bytes_of(&numbers));
    }

    /// Draws the final pass into the texture `to`, for an image file.
    pub(super) fn develop(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        development: &Development,
        to: &Texture,
    ) {
        let mut render = color_pass(encoder, "develop", &to.view);
        render.set_pipeline(&self.picture);
        render.set_bind_group(0, &development.develop, &[]);
        render.draw(0..3, 0..1);
    }

    /// Draws the final pass onto the screen `screen`, within its render pass `pass`.
    pub(super) fn show(
        &mut self,
        gpu: &Gpu,
        pass: &mut wgpu::RenderPass<'_>,
        development: &Development,
        screen: &Screen,
    ) {
        if self
            .screen
            .as_ref()
            .is_none_or(|(made_for, _)| made_for != screen)
        {
            self.screen = Some((*screen, self.pipeline_onto(gpu, screen)));
        }
        if let Some((_, pipeline)) = &self.screen {
            pass.set_pipeline(pipeline);
            pass.set_bind_group(0, &development.develop, &[]);
            pass.draw(0..3, 0..1);
        }
    }

    fn pipeline_onto(&self, gpu: &Gpu, screen: &Screen) -> wgpu::RenderPipeline {
        gpu.pipeline(&PipelineSpec {
            module: &self.module,
            vertex: "whole",
            fragment: "develop",
            layout: &self.layout,
            format: screen.format,
            blend: None,
            depth: screen.depth.map(Gpu::untested_depth),
            samples: screen.samples,
        })
    }
}

/// Returns the field `how` of `FilmNumbers` for the look settings `look` and the destination
/// `outlet`.
fn how(look: &LookSpec, outlet: Outlet) -> [f32; 4] {
    let flag = |yes: bool| f32::from(u8::from(yes));
    [
        look.exposure.exp2(),
        look.glow,
        flag(look.style.at_once() == Style::Cinematic),
        flag(outlet == Outlet::Picture),
    ]
}
