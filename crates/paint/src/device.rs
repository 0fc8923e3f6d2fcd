//! Device of wgpu, with helper functions: create textures, buffers, bind groups and pipelines, and begin render
//! passes.

#[cfg(not(target_arch = "wasm32"))]
mod wait;

/// wgpu device and queue.
#[derive(Clone)]
pub struct Gpu {
    /// Device on which all objects are created.
    pub device: wgpu::Device,
    /// Queue of the device.
    pub queue: wgpu::Queue,
    /// Set if the adapter is a software driver that runs on the processor.
    pub is_cpu: bool,
}

/// Texture on the graphics card with its default view.
#[derive(Clone)]
pub struct Texture {
    /// Texture.
    pub texture: wgpu::Texture,
    /// View of the whole texture.
    pub view: wgpu::TextureView,
}

impl Texture {
    /// Returns width and height of the texture in texels.
    pub fn size(&self) -> [f32; 2] {
        [self.texture.width() as f32, self.texture.height() as f32]
    }
}

impl Gpu {
    /// Calls `make`, which creates objects on the graphics card, and returns the result. A browser
    /// reports a card without memory later, as the loss of the device.
    #[cfg(target_arch = "wasm32")]
    pub fn within_memory<T>(&self, make: impl FnOnce() -> T) -> Option<T> {
        Some(make())
    }

    /// Returns no bytes: a browser does not wait for the graphics card, and shows its pictures.
    #[cfg(target_arch = "wasm32")]
    pub fn read(&self, _encoder: wgpu::CommandEncoder, _from: &Texture) -> Option<Vec<u8>> {
        None
    }

    /// Creates a texture that is uploaded from main memory and read by shaders. `size`: texels
    /// along x, y and z; if the third is 0, the texture is 2D, else 3D.
    pub fn map(&self, label: &str, size: [usize; 3], format: wgpu::TextureFormat) -> Texture {
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
    pub fn target(&self, label: &str, size: [usize; 2], format: wgpu::TextureFormat) -> Texture {
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

    /// Uploads `bytes` into the box of texels of `to` with the lower corner `origin` and the size
    /// `size` (both along x, y and z). The bytes have x fastest, then y, then z, without padding.
    pub fn write(&self, to: &Texture, origin: [usize; 3], size: [usize; 3], bytes: &[u8]) {
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
    pub fn numbers(&self, label: &str, bytes: usize) -> wgpu::Buffer {
        self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some(label),
            size: bytes as u64,
            usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        })
    }

    /// Creates a sampler with linear interpolation that clamps texture coordinates at the edges.
    pub fn linear_held(&self) -> wgpu::Sampler {
        self.device.create_sampler(&wgpu::SamplerDescriptor {
            label: Some("linear, edges held"),
            mag_filter: wgpu::FilterMode::Linear,
            min_filter: wgpu::FilterMode::Linear,
            ..wgpu::SamplerDescriptor::default()
        })
    }

    /// Creates a sampler with linear interpolation that repeats the texture along all axes.
    pub fn linear_repeated(&self) -> wgpu::Sampler {
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
    pub fn layout(
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
    pub fn bind(
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
    pub fn pipeline(&self, make: &PipelineSpec) -> wgpu::RenderPipeline {
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

    /// Returns the depth state of a pass with a depth texture of the format `format`, with neither
    /// depth test nor depth write.
    pub fn untested_depth(format: wgpu::TextureFormat) -> wgpu::DepthStencilState {
        wgpu::DepthStencilState {
            format,
            depth_write_enabled: Some(false),
            depth_compare: Some(wgpu::CompareFunction::Always),
            stencil: wgpu::StencilState::default(),
            bias: wgpu::DepthBiasState::default(),
        }
    }

    /// Compiles a shader module from the WGSL text `source`.
    pub fn module(&self, label: &str, source: &str) -> wgpu::ShaderModule {
        self.device
            .create_shader_module(wgpu::ShaderModuleDescriptor {
                label: Some(label),
                source: wgpu::ShaderSource::Wgsl(source.into()),
            })
    }
}

/// Parameters of a render pipeline, used by `Gpu::pipeline`.
pub struct PipelineSpec<'a> {
    /// Shaders.
    pub module: &'a wgpu::ShaderModule,
    /// Name of the vertex shader.
    pub vertex: &'a str,
    /// Name of the fragment shader.
    pub fragment: &'a str,
    /// Layout of the bind group.
    pub layout: &'a wgpu::BindGroupLayout,
    /// Format of the target.
    pub format: wgpu::TextureFormat,
    /// Blending; `None`: colours replace those of the target.
    pub blend: Option<wgpu::BlendState>,
    /// Depth test; `None` without a depth texture.
    pub depth: Option<wgpu::DepthStencilState>,
    /// Number of samples per pixel.
    pub samples: u32,
}

/// Returns the binding type of a texture with the dimension `dimension` whose samples have the type
/// `sample_type`.
pub fn sampled(
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
pub fn numbers_binding() -> wgpu::BindingType {
    wgpu::BindingType::Buffer {
        ty: wgpu::BufferBindingType::Storage { read_only: true },
        has_dynamic_offset: false,
        min_binding_size: None,
    }
}

/// Converts `values` to half-precision floats, and returns their raw bits.
pub fn halves<const N: usize>(values: [f32; N]) -> [u16; N] {
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
pub fn color_pass<'a>(
    encoder: &'a mut wgpu::CommandEncoder,
    label: &str,
    to: &wgpu::TextureView,
) -> wgpu::RenderPass<'a> {
    pass(encoder, label, to, wgpu::LoadOp::Load)
}

/// Begins a render pass on the texture `to`, cleared to black.
pub fn clear_pass<'a>(
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
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/gpu/shaders");
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
