//! Pictures of a running scene by a graphics card, for a window or a page of a browser.
//!
//! ```text
//!  simulation ──► changes::ChangeFinder ──► changes::Changes ──► GpuPainter ──► screen, image
//! ```
//!
//! | module | contents |
//! |---|---|
//! | [`changes`] | picture data that changed, and where they are found |
//! | [`bake`] | ground that is baked beside the pictures |
//! | `gpu` | the painter: textures, render passes, shaders |
//! | [`device`] | the device, with helper functions |
//! | [`rest`] | when a picture is worth more time |
//!
//! - Invariant: the pictures are nearly those of `lavoxel_render::renderer::Renderer`; tests draw
//!   both.
//!
//! It must not know windows, or how a model computes a step. Begin with `gpu/mod.rs`.

#![warn(missing_docs, clippy::print_stdout)]

pub mod bake;
pub mod changes;
pub mod device;
mod gpu;
pub mod rest;

use std::ops::Range;
use std::time::Duration;

use web_time::Instant;

pub use self::gpu::{GpuPainter, TooLarge};
use lavoxel_render::Camera;
pub use lavoxel_render::running::Quality;

/// Camera, display options and resolution rule of the next frames.
#[derive(Clone, Debug, PartialEq)]
pub struct View {
    /// Camera; the size of its picture, in pixels, is that of the window or of the window's columns
    /// that belong to the painter.
    pub camera: Camera,
    /// Number of pixel columns at the left of the window that the panel covers; the CPU painter
    /// does not trace rays there.
    pub covered: usize,
    /// Rule for the resolution of pictures, moving and still.
    pub quality: Quality,
    /// Set for each slice (across x, y and z) that the picture shows; has no effect until the
    /// slice has come.
    pub cuts_shown: [bool; 3],
    /// Set if the picture shows the lava and other contents of the simulation box.
    pub volume_shown: bool,
    /// Set if the picture shows the ground.
    pub ground_shown: bool,
}

impl View {
    /// Returns the camera for the picture without the columns under the panel.
    pub fn visible(&self) -> Camera {
        self.camera.right_of(self.covered)
    }
}

/// Target onto which a picture is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Screen {
    /// Format of the colours.
    pub format: wgpu::TextureFormat,
    /// Format of the depth texture of the render pass; `None` without one.
    pub depth: Option<wgpu::TextureFormat>,
    /// Number of samples per pixel.
    pub samples: u32,
    /// Set if the target takes sRGB-coded colours; otherwise a later pass codes them by a gamma of
    /// 2.2.
    pub is_coded: bool,
}

/// Timing and size of the last update, and of the picture on the screen.
#[derive(Clone, Copy, Debug, Default)]
pub struct PaintTimes {
    /// Duration of the last call of `GpuPainter::apply`.
    pub upload: Duration,
    /// Size of the volume data in the last update, in bytes.
    pub uploaded_bytes: usize,
    /// Time for drawing the picture on the screen, measured on the drawing device (graphics card or
    /// processor).
    pub draw: Duration,
    /// Resolution of the picture as a fraction (0 to 1) of the window's resolution, along each
    /// axis.
    pub scale: f32,
    /// Time of the last visible change of scene, camera or display options; `None` before the first
    /// change.
    pub changed: Option<Instant>,
    /// Number of different pictures shown so far.
    pub shown: u64,
}

/// Range of pixel columns of the window, over its full height, in which a picture is drawn; `None`
/// for the whole window.
pub type Part = Option<Range<u32>>;

/// Limits the viewport of `pass` to the pixel columns `part` of a target of `width` × `height`
/// pixels; `None` for the whole target.
pub fn limit(pass: &mut wgpu::RenderPass<'_>, part: &Part, [width, height]: [u32; 2]) {
    if let Some(part) = part {
        // While the window's size changes, the part may reach beyond the target.
        let left = part.start.min(width.saturating_sub(1));
        let across = part.end.clamp(left + 1, width.max(left + 1)) - left;
        pass.set_viewport(left as f32, 0.0, across as f32, height as f32, 0.0, 1.0);
    }
}
