//! Helper functions for wgpu: create textures, buffers, bind groups and pipelines, and begin render
//! passes.

use std::sync::mpsc::channel;

use kiss3d::context::Context;

/// Alignment in bytes of each row in a copy from a texture to a buffer.
const ROW: usize = wgpu::COPY_BYTES_PER_ROW_ALIGNMENT as usize;

/// wgpu device and queue that kiss3d opened.
#[derive(Clone)]
pub(super) struct Gpu {
    pub(super) device: wgpu::Device,
    pub(super) queue: wgpu::Queue,
    /// Set if the adapter is a software driver that runs on the processor.
    pub(super) is_cpu: bool,
}

/// Texture on the graphics card with its default view.
#[derive(Clone)]
pub(super) struct Texture {
    pub(super) texture: wgpu::Texture,
    pub(super) view: wgpu::TextureView,
}

impl Texture {
    /// Returns width and height of the texture in texels.
    pub(super) fn size(&self) -> [f32; 2] {
        [self.texture.width() as f32, self.texture.height() as f32]
    }
}

impl Gpu {
    /// Returns the name of kiss3d's adapter if it is a software driver that runs on the processor;
    /// `None` for a graphics card.
    pub(super) fn software_name() -> Option<String> {
        let info = Context::get().adapter.get_info();
        (info.device_type == wgpu::DeviceType::Cpu).then_some(info.name)
    }

    /// Returns kiss3d's device; its window or off-screen surface must exist.
    pub(super) fn of_window() -> Self {
        let context = Context::get();
        let is_cpu = Self::software_name().is_some();
        Self {
            device: (*context.device).clone(),
            queue: (*context.queue).clone(),
            is_cpu,
        }
    }

    /// Calls `make`, which creates objects on the graphics card, and returns the result; `None` if
    /// the card ran out of memory during the call.
    pub(super) fn within_memory<T>(&self, make: impl FnOnce() -> T) -> Option<T> {
        let scope = self.device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let made = make();
        pollster::block_on(scope.pop()).is_none().then_some(made)
    }

    /// Blocks until the device has finished all submitted work. Ignores the loss of the device,
    /// which the next drawing call reports.
    pub(super) fn drain(&self) {
        self.device.poll(wgpu::PollType::wait_indefinitely()).ok();
    }

    /// Creates a texture that is uploaded from main memory and read by shaders. `size`: texels
    /// along x, y and z; if the third is 0, the texture is 2D, else 3D.
    pub(super) fn map(
        &self,
        label: &str,
        size: [usize; 3],
        format: wgpu::TextureFormat,
    ) -> Texture {
        let usage = wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST;
        let flat = size[2] == 0;
        self.texture(
            label,
            size,
            format,
            usage,
            if flat {
                wgpu::TextureDimension::D2
            } else {
                wgpu::TextureDimension::D3
            },
        )
    }

    /// Creates a 2D texture of `size` texels (width, height) that render passes write and shaders
    /// read.
    pub(super) fn target(
        &self,
        label: &str,
        size: [usize; 2],
        format: wgpu::TextureFormat,
    ) -> Texture {
        let usage = wgpu::TextureUsages::TEXTURE_BINDING
            | wgpu::TextureUsages::RENDER_ATTACHMENT
            | wgpu::TextureUsages::COPY_SRC;
        self.texture(
            label,
            [size[0], size[1], 0],
            format,
            usage,
            wgpu::TextureDimension::D2,
        )
    }

    fn texture(
        &self,
        label: &str,
        size: [usize; 3],
        format: wgpu::TextureFormat,
        usage: wgpu::TextureUsages,
        dimension: wgpu::TextureDimension,
    ) -> Texture {
        let texture = self.device.create_texture(&wgpu::TextureDescriptor {
            label: Some(label),
            size: extent(size),
            mip_level_count: 1,
            sample_count: 1,
            dimension,
            format,
            usage,
            view_formats: &[],
        });
        let view = texture.create_view(&wgpu::TextureViewDescriptor::default());
        Texture { texture, view }
    }

    /// Submits the passes recorded in `encoder`, then returns the bytes of the texture `from`,
    /// row-major from the top; `None` if the device is lost.
    pub(super) fn read(
        &self,
        mut encoder: wgpu::CommandEncoder,
        from: &Texture,
    ) -> Option<Vec<u8>> {
        let (width, height) = (
            from.texture.width() as usize,
            from.texture.height() as usize,
        );
        let texel = from.texture.format().block_copy_size(None).unwrap_or(4) as usize;
        let stride = (texel * width).next_multiple_of(ROW);
        let buffer = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("picture"),
            size: (stride * height) as u64,
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        encoder.copy_texture_to_buffer(
            from.texture.as_image_copy(),
            wgpu::TexelCopyBufferInfo {
                buffer: &buffer,
                layout: wgpu::TexelCopyBufferLayout {
                    offset: 0,
                    bytes_per_row: Some(stride as u32),
                    rows_per_image: Some(height as u32),
                },
            },
            from.texture.size(),
        );
        self.queue.submit(Some(encoder.finish()));
        let (done, mapped) = channel();
        buffer.map_async(wgpu::MapMode::Read, .., move |result| {
            // The receiver waits below; a send fails only after the receiver was dropped.
            let _ = done.send(result);
        });
        self.device.poll(wgpu::PollType::wait_indefinitely()).ok()?;
        mapped.recv().ok()?.ok()?;
        let bytes = buffer.get_mapped_range(..).ok()?;
        Some(
            bytes
                .chunks_exact(stride)
                .flat_map(|row| &row[..texel * width])
                .copied()
                .collect(),
        )
    }

    /// Uploads `bytes` into the box of texels of `to` with the lower corner `origin` and the size
    /// `size` (both along x, y and z). The bytes have x fastest, then y, then z, without padding.
    pub(super) fn write(&self, to: &Texture, origin: [usize; 3], size: [usize; 3], bytes: &[u8]) {
        let extent = extent(size);
        let rows = extent.height * extent.depth_or_array_layers;
        let [x, y, z] = origin.map(|v| v as u32);
        self.queue.write_texture(
            wgpu::TexelCopyTextureInfo {
                texture: &to.texture,
                mip_level: 0,
                origin: wgpu::Origin3d { x, y, z },
                aspect: wgpu::TextureAspect::All,
            },
            bytes,
            wgpu::TexelCopyBufferLayout {
                offset: 0,
                bytes_per_row: Some(bytes.len() as u32 / rows),
                rows_per_image: Some(extent.height),
            },
            extent,
        );
    }

    /// Creates a buffer of `bytes` bytes for the parameters of one shader.
    ///
    /// The buffer is a read-only storage buffer, although its size would allow a uniform buffer:
    /// software Vulkan (llvmpipe) compiles values of uniform buffers on which branches and loops
    /// depend into the shader, and keeps a shader for each set of values. Parameters that change
    /// from frame to frame would then cost a compilation and about 20 MB per frame.
    pub(super) fn numbers(&self, label: &str, bytes: usize) -> wgpu::Buffer {
        self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some(label),
            size: bytes as u64,
            usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        })
    }

    /// Creates a sampler with linear interpolation that clamps texture coordinates at the edges.
    pub(super) fn linear_held(&self) -> wgpu::Sampler {
        self.device.create_sampler(&wgpu::SamplerDescriptor {
            label: Some("linear, edges held"),
            mag_filter: wgpu::FilterMode::Linear,
            min_filter: wgpu::FilterMode::Linear,
            ..wgpu::SamplerDescriptor::default()
        })
    }

    /// Creates a sampler with linear interpolation that repeats the texture along all axes.
    pub(super) fn linear_repeated(&self) -> wgpu::Sampler {
        self.device.create_sampler(&wgpu::SamplerDescriptor {
            label: Some("linear, repeated"),
            address_mode_u: wgpu::AddressMode::Repeat,
            address_mode_v: wgpu::AddressMode::Repeat,
            address_mode_w: wgpu::AddressMode::Repeat,
            mag_filter: wgpu::FilterMode::Linear,
            min_filter: wgpu::FilterMode::Linear,
            ..wgpu::SamplerDescriptor::default()
        })
    }

    /// Creates a bind-group layout whose binding with the number `i` has the type `kinds[i]`;
    /// `None` leaves the number unused.
    pub(super) fn layout(
        &self,
        label: &str,
        kinds: &[Option<wgpu::BindingType>],
    ) -> wgpu::BindGroupLayout {
        let entries: Vec<_> = (0..)
            .zip(kinds)
            .filter_map(|(binding, kind)| {
                Some(wgpu::BindGroupLayoutEntry {
                    binding,
                    visibility: wgpu::ShaderStages::VERTEX_FRAGMENT,
                    ty: (*kind)?,
                    count: None,
                })
            })
            .collect();
        self.device
            .create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
                label: Some(label),
                entries: &entries,
            })
    }

    /// Creates a bind group with the layout `layout`; each element of `resources` is a binding
    /// number and its resource.
    pub(super) fn bind(
        &self,
        layout: &wgpu::BindGroupLayout,
        resources: &[(u32, wgpu::BindingResource)],
    ) -> wgpu::BindGroup {
        let entries: Vec<_> = resources
            .iter()
            .map(|(binding, resource)| wgpu::BindGroupEntry {
                binding: *binding,
                resource: resource.clone(),
            })
            .collect();
        self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout,
            entries: &entries,
        })
    }

    /// Creates the render pipeline that `make` describes, without vertex buffers.
    pub(super) fn pipeline(&self, make: &PipelineSpec) -> wgpu::RenderPipeline {
        let layout = self
            .device
            .create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label: Some(make.fragment),
                bind_group_layouts: &[Some(make.layout)],
                // All parameters come from storage buffers: see `numbers`.
                immediate_size: 0,
            });
        let target = wgpu::ColorTargetState {
            format: make.format,
            blend: make.blend,
            write_mask: wgpu::ColorWrites::ALL,
        };
        self.device
            .create_render_pipeline(&wgpu::RenderPipelineDescriptor {
                label: Some(make.fragment),
                layout: Some(&layout),
                vertex: wgpu::VertexState {
                    module: make.module,
                    entry_point: Some(make.vertex),
                    buffers: &[],
                    compilation_options: wgpu::PipelineCompilationOptions::default(),
                },
                fragment: Some(wgpu::FragmentState {
                    module: make.module,
                    entry_point: Some(make.fragment),
                    targets: &[Some(target)],
                    compilation_options: wgpu::PipelineCompilationOptions::default(),
                }),
                primitive: wgpu::PrimitiveState::default(),
                depth_stencil: make.depth.clone(),
                multisample: wgpu::MultisampleState {
                    count: make.samples,
                    ..wgpu::MultisampleState::default()
                },
                multiview_mask: None,
                cache: None,
            })
    }

    /// Returns the depth state that kiss3d's render pass requires, with neither depth test nor
    /// depth write.
    pub(super) fn untested_depth(&self) -> wgpu::DepthStencilState {
        wgpu::DepthStencilState {
            format: Context::depth_format(),
            depth_write_enabled: Some(false),
            depth_compare: Some(wgpu::CompareFunction::Always),
            stencil: wgpu::StencilState::default(),
            bias: wgpu::DepthBiasState::default(),
        }
    }

    /// Compiles a shader module from the WGSL text `source`.
    pub(super) fn module(&self, label: &str, source: &str) -> wgpu::ShaderModule {
        self.device
            .create_shader_module(wgpu::ShaderModuleDescriptor {
                label: Some(label),
                source: wgpu::ShaderSource::Wgsl(source.into()),
            })
    }
}

/// Parameters of a render pipeline, used by `Gpu::pipeline`.
pub(super) struct PipelineSpec<'a> {
    pub(super) module: &'a wgpu::ShaderModule,
    pub(super) vertex: &'a str,
    pub(super) fragment: &'a str,
    pub(super) layout: &'a wgpu::BindGroupLayout,
    pub(super) format: wgpu::TextureFormat,
    pub(super) blend: Option<wgpu::BlendState>,
    pub(super) depth: Option<wgpu::DepthStencilState>,
    pub(super) samples: u32,
}

/// Returns the binding type of a texture with the dimension `dimension` whose samples have the type
/// `sample_type`.
pub(super) fn sampled(
    sample_type: wgpu::TextureSampleType,
    dimension: wgpu::TextureViewDimension,
) -> wgpu::BindingType {
    wgpu::BindingType::Texture {
        sample_type,
        view_dimension: dimension,
        multisampled: false,
    }
}

/// Returns the binding type of a buffer made by [`Gpu::numbers`].
pub(super) fn numbers_binding() -> wgpu::BindingType {
    wgpu::BindingType::Buffer {
        ty: wgpu::BufferBindingType::Storage { read_only: true },
        has_dynamic_offset: false,
        min_binding_size: None,
    }
}

/// Converts `values` to half-precision floats, and returns their raw bits.
pub(super) fn halves<const N: usize>(values: [f32; N]) -> [u16; N] {
    values.map(|value| half::f16::from_f32(value).to_bits())
}

fn extent(size: [usize; 3]) -> wgpu::Extent3d {
    wgpu::Extent3d {
        width: size[0].max(1) as u32,
        height: size[1].max(1) as u32,
        depth_or_array_layers: size[2].max(1) as u32,
    }
}

/// Begins a render pass that draws over the present content of the texture `to`.
pub(super) fn color_pass<'a>(
    encoder: &'a mut wgpu::CommandEncoder,
    label: &str,
    to: &wgpu::TextureView,
) -> wgpu::RenderPass<'a> {
    pass(encoder, label, to, wgpu::LoadOp::Load)
}

/// Begins a render pass on the texture `to`, cleared to black.
pub(super) fn clear_pass<'a>(
    encoder: &'a mut wgpu::CommandEncoder,
    label: &str,
    to: &wgpu::TextureView,
) -> wgpu::RenderPass<'a> {
    pass(encoder, label, to, wgpu::LoadOp::Clear(wgpu::Color::BLACK))
}

fn pass<'a>(
    encoder: &'a mut wgpu::CommandEncoder,
    label: &str,
    to: &wgpu::TextureView,
    load: wgpu::LoadOp<wgpu::Color>,
) -> wgpu::RenderPass<'a> {
    encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        label: Some(label),
        color_attachments: &[Some(wgpu::RenderPassColorAttachment {
            view: to,
            resolve_target: None,
            ops: wgpu::Operations {
                load,
                store: wgpu::StoreOp::Store,
            },
            depth_slice: None,
        })],
        depth_stencil_attachment: None,
        timestamp_writes: None,
        occlusion_query_set: None,
        multiview_mask: None,
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn shaders_read_no_uniform_buffers() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/paint/gpu/shaders");
        let mut shaders = 0;
        for file in std::fs::read_dir(folder).expect("the shaders are there") {
            let path = file.expect("a file").path();
            let source = std::fs::read_to_string(&path).expect("text");
            shaders += 1;
            // Software Vulkan compiles values of uniform buffers into the shader: see
            // `Gpu::numbers`.
            assert!(
                !source.contains("var<uniform>"),
                "{}: a uniform buffer",
                path.display()
            );
        }
        assert!(shaders > 5, "{shaders} shaders");
    }
}
