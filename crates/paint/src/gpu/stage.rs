//! Render passes that compute the light of a picture: the first finds the ground under each pixel,
//! the second traces one ray per pixel.

use lavoxel_render::lava::blackbody::BlackBody;
use lavoxel_render::mask;
use lavoxel_render::media::haze;
use lavoxel_render::style::transfer::Transfer;

use super::film::RenderTarget;
use super::frame::Frame;
use super::ground::GroundRoom;
use super::lava::VolumeTextures;
use super::turn::Turn;
use super::wgsl;
use crate::device::{Gpu, PipelineSpec, Texture, color_pass, halves, numbers_binding, sampled};

/// Number of entries of the table of black-body colours.
const KELVINS: usize = 512;
/// Temperature of the first entry of the black-body table, in K.
pub(super) const COLDEST: f32 = 400.0;
/// Temperature of the last entry of the black-body table, in K.
pub(super) const HOTTEST: f32 = 1800.0;

/// Render pipelines and lookup tables that do not depend on the scene.
pub(super) struct Stage {
    numbers: wgpu::Buffer,
    /// Two samplers with linear interpolation: the first clamps texture coordinates at the edges,
    /// the second repeats the texture.
    samplers: [wgpu::Sampler; 2],
    hit_layout: wgpu::BindGroupLayout,
    trace_layout: wgpu::BindGroupLayout,
    /// Pipelines of the first pass, which finds the ground, in this order: upper surface, side
    /// walls, bottom, cut faces, caves, and the ground around the simulation box.
    hits: [wgpu::RenderPipeline; 6],
    /// Pipelines of the second pass, which traces rays: one for each partial image, indexed by
    /// `Layer`.
    traces: [wgpu::RenderPipeline; 2],
    black_body: wgpu::Buffer,
    mask: wgpu::Buffer,
    transfer: Texture,
}

/// Partial image of a picture; the light of each is accumulated separately.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layer {
    /// Ground, slices and sky without the light of the lava; depends only on camera, ground, slices
    /// and look.
    Backdrop,
    /// Lava and all other contents of the simulation box, and the light that the lava casts on the
    /// ground.
    Lava,
}

/// Bind groups of both passes for one scene and one picture size.
pub(super) struct Bound {
    hit: wgpu::BindGroup,
    trace: wgpu::BindGroup,
}

/// WGSL source with the declarations used by the shaders of both passes.
const SCENE: &str = include_str!("shaders/scene.wgsl");
/// WGSL source that reads the caves of a column, used by the shaders of both passes.
const CAVES: &str = include_str!("shaders/caves.wgsl");
/// Binding number of the buffer with the caves, in the bind group of a scene.
const CAVES_AT: usize = 18;
/// Binding number of the first colour table in the bind group of a scene; further tables have the
/// following numbers.
const TABLES_AT: usize = 19;
/// Binding number of the sampler that repeats textures, in the bind group of a scene.
const REPEATED_AT: u32 = 22;
/// Binding number of the blue-noise mask, in the bind group of a scene.
const MASK_AT: u32 = 23;
/// Binding number of the buffer with the ground around the simulation box, in the bind group of a
/// scene.
const BEYOND_AT: usize = 24;

impl Stage {
    /// Compiles all shaders, and creates the pipelines and lookup tables.
    pub(super) fn new(gpu: &Gpu) -> Self {
        let shared = wgsl::of_scene();
        let ground = gpu.module(
            "ground",
            &[
                &shared,
                SCENE,
                CAVES,
                include_str!("shaders/ground.wgsl"),
                include_str!("shaders/caves_walk.wgsl"),
            ]
            .concat(),
        );
        let trace = gpu.module(
            "trace",
            &[
                &shared,
                SCENE,
                CAVES,
                include_str!("shaders/noise.wgsl"),
                include_str!("shaders/march.wgsl"),
                include_str!("shaders/cinematic.wgsl"),
                include_str!("shaders/scientific.wgsl"),
                include_str!("shaders/fog.wgsl"),
                include_str!("shaders/smoke.wgsl"),
                include_str!("shaders/media.wgsl"),
                include_str!("shaders/sea.wgsl"),
                include_str!("shaders/sparks.wgsl"),
                include_str!("shaders/flame.wgsl"),
                include_str!("shaders/solids.wgsl"),
                include_str!("shaders/stands.wgsl"),
                include_str!("shaders/trace.wgsl"),
            ]
            .concat(),
        );
        let kinds = bindings();
        let trace_layout = gpu.layout("trace", &kinds);
        let of_hits = |(number, kind): (usize, &Option<wgpu::BindingType>)| {
            kind.filter(|_| matches!(number, 0 | 2 | CAVES_AT | BEYOND_AT))
        };
        let hit_layout = gpu.layout(
            "ground",
            &kinds.iter().enumerate().map(of_hits).collect::<Vec<_>>(),
        );
        let hit = |(vertex, fragment): (&str, &str)| {
            gpu.pipeline(&PipelineSpec {
                module: &ground,
                vertex,
                fragment,
                layout: &hit_layout,
                format: wgpu::TextureFormat::Rg32Float,
                blend: None,
                depth: Some(wgpu::DepthStencilState {
                    format: wgpu::TextureFormat::Depth32Float,
                    depth_write_enabled: Some(true),
                    depth_compare: Some(wgpu::CompareFunction::Greater),
                    stencil: wgpu::StencilState::default(),
                    bias: wgpu::DepthBiasState::default(),
                }),
                samples: 1,
            })
        };
        // Each frame is blended into the running average with a weight set per pass; weight 1
        // replaces the average.
        let share = wgpu::BlendComponent {
            src_factor: wgpu::BlendFactor::Constant,
            dst_factor: wgpu::BlendFactor::OneMinusConstant,
            operation: wgpu::BlendOperation::Add,
        };
        let trace = |fragment: &str| {
            gpu.pipeline(&PipelineSpec {
                module: &trace,
                vertex: "whole",
                fragment,
                layout: &trace_layout,
                format: wgpu::TextureFormat::Rgba16Float,
                blend: Some(wgpu::BlendState {
                    color: share,
                    alpha: share,
                }),
                depth: None,
                samples: 1,
            })
        };
        Self {
            numbers: gpu.numbers("frame", size_of::<Frame>()),
            samplers: [gpu.linear_held(), gpu.linear_repeated()],
            hits: [
                ("top", "hit"),
                ("side", "hit"),
                ("foot", "hit"),
                ("cut", "hit_cut"),
                ("everywhere", "hit_cave"),
                ("around", "hit_around"),
            ]
            .map(hit),
            hit_layout,
            traces: ["backdrop", "lava"].map(trace),
            trace_layout,
            black_body: black_body(gpu),
            mask: mask_of_noise(gpu),
            transfer: transfer(gpu),
        }
    }

    /// Uploads the colours and opacities of the transfer function `transfer`.
    pub(super) fn set_transfer(&self, gpu: &Gpu, transfer: &Transfer) {
        let texels: Vec<[u16; 4]> = transfer.matter.iter().copied().map(halves).collect();
        gpu.write(
            &self.transfer,
            [0; 3],
            [texels.len(), 1, 0],
            bytemuck::cast_slice(&texels),
        );
    }

    /// Creates the bind groups that connect a scene's textures to both passes, which draw into
    /// `sheet`.
    pub(super) fn bind(
        &self,
        gpu: &Gpu,
        room: &GroundRoom,
        lava: &VolumeTextures,
        sheet: &RenderTarget,
    ) -> Bound {
        // Order of the bindings: see `bindings` and `scene.wgsl`.
        let ground = &room.maps;
        let maps = [
            &ground.height,
            &ground.albedo,
            &ground.normal,
            &ground.slope,
            &lava.ember,
            &lava.volume,
            &lava.bricks,
            &lava.media.densities[1],
            &self.transfer,
            &lava.smoke.cells,
            &lava.smoke.flow,
            &lava.smoke.billows,
            &sheet.hits,
            &lava.media.densities[0],
            &lava.media.bricks,
            &lava.fog.cells,
        ];
        let [held, repeated] = self.samplers.each_ref().map(wgpu::BindingResource::Sampler);
        let mut resources = vec![(0, self.numbers.as_entire_binding()), (1, held)];
        let texture = |map: &'_ Texture| map.view.clone();
        let views: Vec<wgpu::TextureView> = maps.into_iter().map(texture).collect();
        resources.extend(
            (2..)
                .zip(&views)
                .map(|(i, view)| (i, wgpu::BindingResource::TextureView(view))),
        );
        resources.push((CAVES_AT as u32, room.caves.buffer.as_entire_binding()));
        let tables = [&self.black_body, &lava.media.opacities, &lava.cuts];
        resources.extend(
            (TABLES_AT as u32..)
                .zip(tables)
                .map(|(i, table)| (i, table.as_entire_binding())),
        );
        resources.push((REPEATED_AT, repeated));
        resources.push((MASK_AT, self.mask.as_entire_binding()));
        resources.push((BEYOND_AT as u32, ground.beyond.as_entire_binding()));
        let hit = [0, 2, CAVES_AT, BEYOND_AT].map(|number| resources[number].clone());
        Bound {
            hit: gpu.bind(&self.hit_layout, &hit),
            trace: gpu.bind(&self.trace_layout, &resources),
        }
    }

    /// Uploads the parameters of the frame that is drawn next.
    pub(super) fn set_frame(&self, gpu: &Gpu, frame: &Frame) {
        gpu.queue
            .write_buffer(&self.numbers, 0, bytemuck::bytes_of(frame));
    }

    /// Runs the first pass: writes distance and face of the ground under each pixel into `to`.
    /// `goes_on`: true to include the ground around the simulation box.
    pub(super) fn hit(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        bound: &Bound,
        (room, goes_on): (&GroundRoom, bool),
        to: &RenderTarget,
    ) {
        let ground = &room.maps;
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("ground"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: &to.hits.view,
                resolve_target: None,
                ops: wgpu::Operations {
                    load: wgpu::LoadOp::Clear(wgpu::Color::TRANSPARENT),
                    store: wgpu::StoreOp::Store,
                },
                depth_slice: None,
            })],
            depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                view: &to.depth.view,
                depth_ops: Some(wgpu::Operations {
                    load: wgpu::LoadOp::Clear(0.0),
                    store: wgpu::StoreOp::Discard,
                }),
                stencil_ops: None,
            }),
            timestamp_writes: None,
            occlusion_query_set: None,
            multiview_mask: None,
        });
        pass.set_bind_group(0, &bound.hit, &[]);
        pass.set_pipeline(&self.hits[0]);
        pass.set_index_buffer(ground.triangles.slice(..), wgpu::IndexFormat::Uint32);
        pass.draw_indexed(0..ground.triangle_corners, 0, 0..1);
        pass.set_pipeline(&self.hits[1]);
        pass.draw(0..ground.wall_corners(), 0..1);
        pass.set_pipeline(&self.hits[2]);
        pass.draw(0..6, 0..1);
        // Six corners for each of six sides.
        pass.set_pipeline(&self.hits[3]);
        pass.draw(0..36, 0..1);
        if !room.caves.is_empty() {
            pass.set_pipeline(&self.hits[4]);
            pass.draw(0..3, 0..1);
        }
        if goes_on {
            pass.set_pipeline(&self.hits[5]);
            pass.draw(0..ground.beyond_corners, 0..1);
        }
    }

    /// Runs the second pass: traces one ray per pixel in the band of pixel rows that `turn` names,
    /// and blends the light into the average in `to`. `layer`: partial image to draw.
    pub(super) fn trace(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        layer: Layer,
        bound: &Bound,
        to: &RenderTarget,
        turn: Turn,
    ) {
        let mut pass = color_pass(encoder, "trace", &to.light.view);
        pass.set_pipeline(&self.traces[layer as usize]);
        pass.set_bind_group(0, &bound.trace, &[]);
        let share = turn.share();
        let rows = turn.rows(to.size[1] as u32);
        pass.set_scissor_rect(0, rows.start, to.size[0] as u32, rows.len() as u32);
        pass.set_blend_constant(wgpu::Color {
            r: share,
            g: share,
            b: share,
            a: share,
        });
        pass.draw(0..3, 0..1);
    }
}

/// Returns the type of each binding of `scene.wgsl`, indexed by binding number; `None` for an
/// unused number.
fn bindings() -> Vec<Option<wgpu::BindingType>> {
    use wgpu::{TextureSampleType as Sample, TextureViewDimension as Dimension};
    let smooth = Sample::Float { filterable: true };
    // Heights and hits are 32-bit floats, which WebGPU filters only with an optional feature.
    let exact = Sample::Float { filterable: false };
    let flat = |sample| sampled(sample, Dimension::D2);
    vec![
        numbers_binding(),
        wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Filtering),
        flat(exact),
        flat(smooth),
        flat(smooth),
        flat(smooth),
        flat(smooth),
        sampled(smooth, Dimension::D3),
        sampled(Sample::Uint, Dimension::D3),
        sampled(smooth, Dimension::D3),
        flat(smooth),
        sampled(smooth, Dimension::D3),
        sampled(smooth, Dimension::D3),
        sampled(smooth, Dimension::D3),
        flat(exact),
        sampled(smooth, Dimension::D3),
        sampled(Sample::Uint, Dimension::D3),
        sampled(smooth, Dimension::D3),
        numbers_binding(),
        numbers_binding(),
        numbers_binding(),
        numbers_binding(),
        wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Filtering),
        numbers_binding(),
        numbers_binding(),
    ]
    .into_iter()
    .map(Some)
    .collect()
}

/// Number of colours in a row of the colour table.
const COLORS: usize = 1024;

/// Creates the colour table: the first row is the transfer function of the plain styles, the second
/// row the colours of smoke in these styles.
fn transfer(gpu: &Gpu) -> Texture {
    let table = gpu.map("transfer", [COLORS, 2, 0], wgpu::TextureFormat::Rgba16Float);
    let color = |i: usize| {
        let [red, green, blue] = haze::PALETTE.linear(i as f32 / (COLORS - 1) as f32);
        halves([red, green, blue, 1.0])
    };
    let colors: Vec<[u16; 4]> = (0..COLORS).map(color).collect();
    gpu.write(
        &table,
        [0, 1, 0],
        [COLORS, 1, 0],
        bytemuck::cast_slice(&colors),
    );
    table
}

/// Creates the buffer with the blue-noise mask, which offsets the samples along a ray differently
/// in each pixel.
pub(super) fn mask_of_noise(gpu: &Gpu) -> wgpu::Buffer {
    let values = mask::values();
    let buffer = gpu.numbers("mask", size_of_val(values));
    gpu.queue
        .write_buffer(&buffer, 0, bytemuck::cast_slice(values));
    buffer
}

/// Creates the table of black-body colours for temperatures from `COLDEST` to `HOTTEST`.
fn black_body(gpu: &Gpu) -> wgpu::Buffer {
    let table = BlackBody::new();
    let entry = |i: usize| {
        let c = table.shown(COLDEST + (HOTTEST - COLDEST) * i as f32 / (KELVINS - 1) as f32);
        [c.x, c.y, c.z, 1.0]
    };
    let entries: Vec<[f32; 4]> = (0..KELVINS).map(entry).collect();
    let buffer = gpu.numbers("black body", KELVINS * size_of::<[f32; 4]>());
    gpu.queue
        .write_buffer(&buffer, 0, bytemuck::cast_slice(&entries));
    buffer
}
