//! Whether the tests of pictures of the graphics card can run.

use super::needs::skip;

/// Whether a Vulkan driver is installed; records a skipped test where none is.
pub(crate) fn vulkan() -> bool {
    let instance = wgpu::Instance::default();
    let adapter = pollster::block_on(instance.request_adapter(&wgpu::RequestAdapterOptions::default()));
    if adapter.is_err() {
        skip("a Vulkan driver (Debian: mesa-vulkan-drivers)");
    }
    adapter.is_ok()
}
