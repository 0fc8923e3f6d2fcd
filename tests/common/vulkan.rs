//! Check for a Vulkan driver, for tests of pictures of the graphics card.

use super::needs::skip;

/// True if a Vulkan driver is installed; records a skipped test where none is.
pub(crate) fn vulkan() -> bool {
    let instance = wgpu::Instance::default();
    let adapter =
        pollster::block_on(instance.request_adapter(&wgpu::RequestAdapterOptions::default()));
    if adapter.is_err() {
        skip("a Vulkan driver (Debian: mesa-vulkan-drivers)");
    }
    adapter.is_ok()
}
