//! Calls that wait for the graphics card. A browser has one thread for the work of a page, and does
//! not wait.

use std::sync::mpsc::channel;

use super::{Gpu, Texture};

/// Alignment in bytes of each row in a copy from a texture to a buffer.
const ROW: usize = wgpu::COPY_BYTES_PER_ROW_ALIGNMENT as usize;

impl Gpu {
    /// Calls `make`, which creates objects on the graphics card, and returns the result; `None` if
    /// the card ran out of memory during the call.
    pub fn within_memory<T>(&self, make: impl FnOnce() -> T) -> Option<T> {
        let scope = self.device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let made = make();
        pollster::block_on(scope.pop()).is_none().then_some(made)
    }

    /// Blocks until the device has finished all submitted work. Ignores the loss of the device,
    /// which the next drawing call reports.
    pub fn drain(&self) {
        self.device.poll(wgpu::PollType::wait_indefinitely()).ok();
    }

    /// Submits the passes recorded in `encoder`, then returns the bytes of the texture `from`,
    /// row-major from the top; `None` if the device is lost.
    pub fn read(&self, mut encoder: wgpu::CommandEncoder, from: &Texture) -> Option<Vec<u8>> {
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
}
