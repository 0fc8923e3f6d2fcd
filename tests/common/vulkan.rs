//! Check for a Vulkan driver, which tests of pictures drawn by the graphics card need.

use super::needs::skip;

/// Returns true if a Vulkan driver is installed; otherwise records a skipped test.
pub(crate) fn vulkan() -> bool {
    let instance = wgpu::Instance::default();
    let adapter =
        pollster::block_on(instance.request_adapter(&wgpu::RequestAdapterOptions::default()));
    if adapter.is_err() {
        skip("a Vulkan driver (Debian: mesa-vulkan-drivers)");
    }
    adapter.is_ok()
}
