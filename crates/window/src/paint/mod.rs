//! Draws the scene of the simulation thread's updates, into kiss3d's window or into an image.
//!
//! Two interchangeable painters give the same pictures:
//!
//! ```text
//! gpu   render passes of the graphics card
//! cpu   ray-marcher `render::Renderer` on its own thread; its pictures reach the window as one
//! texture
//! ```
//!
//! [`DrawOn::Auto`] takes the CPU painter where the adapter is software: an adapter that runs the
//! passes of a graphics card on the processor (llvmpipe) needs several times as long for a picture
//! as the ray-marcher, and the window waits for such a picture. `quality` chooses the resolution of
//! both painters.

mod bake;
mod cpu;
mod device;
#[cfg(test)]
mod fixture;
mod gpu;
mod quality;

use std::ops::Range;
use std::time::{Duration, Instant};

use image::RgbaImage;
use kiss3d::camera::Camera3d;
use kiss3d::renderer::Renderer3d;
use kiss3d::resource::RenderContext;

use self::cpu::CpuPainter;
use self::device::Gpu;
use self::gpu::GpuPainter;
pub use self::gpu::TooLarge;
pub use self::quality::Quality;
use super::messages::Update;
use lavoxel_base::validate::Invalid;
use lavoxel_render::{Bounds, Camera, LookSpec};

/// Choice between the painter on the graphics card and the painter on the processor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DrawOn {
    /// The graphics card; the processor where the adapter is software (llvmpipe).
    #[default]
    Auto,
    /// kiss3d's adapter, even where the adapter is software.
    Gpu,
    /// The ray-marcher on the processor.
    Cpu,
}

/// Camera and display options of the next frames.
#[derive(Clone, Debug, PartialEq)]
pub struct View {
    /// Camera; its picture size is the window's size in pixels.
    pub camera: Camera,
    /// Number of pixel columns at the left of the window that the panel covers; the CPU painter
    /// does not trace these columns.
    pub covered: usize,
    /// Rule for the traced resolution of moving and of still pictures.
    pub quality: Quality,
    /// Visibility of the slices across x, y and z, of the slices that the simulation thread sends.
    pub cuts_shown: [bool; 3],
    /// Visibility of the lava; false leaves the lava out of the picture.
    pub volume_shown: bool,
    /// Visibility of the ground; false leaves the ground out of the picture.
    pub ground_shown: bool,
}

impl View {
    /// Camera of the part of the window that the panel does not hide.
    fn visible(&self) -> Camera {
        self.camera.right_of(self.covered)
    }
}

/// Timing and size of the last update and of the picture on the screen.
#[derive(Clone, Copy, Debug, Default)]
pub struct PaintTimes {
    /// Duration of the last `Painter::apply`.
    pub upload: Duration,
    /// Size of the volume data in the last update, in bytes.
    pub uploaded_bytes: usize,
    /// Duration of drawing the picture on the screen, measured on the device that draws (graphics
    /// card or processor).
    pub draw: Duration,
    /// Traced share of the window's resolution along each axis, 0 to 1.
    pub scale: f32,
    /// Time of the last visible change of scene or view; `None` before the first change.
    pub changed: Option<Instant>,
    /// Number of different pictures shown in the window so far.
    pub shown: u64,
}

/// Runs `work` in a separate rayon pool of `count` threads named `name` and a number. In a pool
/// shared with the simulation, drawing and simulation would each wait until all queued work of the
/// other has finished.
fn on_own_threads<T: Send>(
    (name, count): (&'static str, usize),
    work: impl FnOnce() -> T + Send,
) -> T {
    match rayon::ThreadPoolBuilder::new()
        .num_threads(count)
        .thread_name(move |k| format!("{name} {k}"))
        .build()
    {
        Ok(pool) => pool.install(work),
        // The operating system gives no more threads: run in rayon's present pool, which the
        // simulation shares.
        Err(_) => work(),
    }
}

/// Part of the window that a picture takes: pixel columns over the whole height; `None` for the
/// whole window.
pub type Part = Option<Range<u32>>;

/// Limits `pass`, whose target has `target` pixels, to a part of the window.
fn limit(pass: &mut wgpu::RenderPass<'_>, part: &Part, [width, height]: [u32; 2]) {
    if let Some(part) = part {
        // While the window's size changes, the part may reach beyond the target.
        let left = part.start.min(width.saturating_sub(1));
        let across = part.end.clamp(left + 1, width.max(left + 1)) - left;
        pass.set_viewport(left as f32, 0.0, across as f32, height as f32, 0.0, 1.0);
    }
}

/// Painters of two pictures that stand side by side in the window.
pub struct Pair<'a>(pub &'a mut Painter, pub &'a mut Painter);

impl Renderer3d for Pair<'_> {
    fn render(
        &mut self,
        pass: usize,
        camera: &mut dyn Camera3d,
        render_pass: &mut wgpu::RenderPass<'_>,
        context: &RenderContext,
    ) {
        self.0.render(pass, camera, render_pass, context);
        self.1.render(pass, camera, render_pass, context);
    }
}

/// Painter of the scene, on one of the two devices.
pub enum Painter {
    /// Painter on a graphics card.
    Gpu(Box<GpuPainter>),
    /// Painter on the processor.
    Cpu(Box<CpuPainter>),
}

impl Painter {
    /// Creates a painter with the look `look` on kiss3d's device, whose window or off-screen
    /// surface must exist; `draw_on` chooses between graphics card and processor.
    ///
    /// # Errors
    /// When `look` is invalid.
    pub fn new(look: &LookSpec, draw_on: DrawOn) -> Result<Self, Invalid> {
        let gpu = Gpu::of_window();
        let on_gpu = match draw_on {
            DrawOn::Auto => !gpu.is_cpu,
            DrawOn::Gpu => true,
            DrawOn::Cpu => false,
        };
        Ok(match on_gpu {
            true => Self::Gpu(Box::new(GpuPainter::new(gpu, look)?)),
            false => Self::Cpu(Box::new(CpuPainter::new(gpu, look)?)),
        })
    }

    /// Returns the name of kiss3d's adapter if the adapter is software on the processor; `None` for
    /// a graphics card.
    pub fn software_adapter() -> Option<String> {
        Gpu::software_name()
    }

    /// Returns true for the painter on the processor.
    pub fn is_on_cpu(&self) -> bool {
        matches!(self, Self::Cpu(_))
    }

    /// Returns the exponent that kiss3d's film pass must apply before its own gamma coding: the CPU
    /// painter delivers gamma-coded bytes, the GPU painter linear light (exponent 1).
    pub fn film_gamma(&self) -> f32 {
        if self.is_on_cpu() {
            CpuPainter::film_gamma()
        } else {
            1.0
        }
    }

    /// Returns the default target frame rate while something moves, in frames per second.
    pub fn usual_fps(&self) -> f32 {
        // Controller tolerance: a frame may take a quarter longer than the target before the
        // resolution goes down, so 18 frames per second keep at least 14.
        if self.is_on_cpu() { 18.0 } else { 25.0 }
    }

    /// Replaces the look. The ground's light is baked again, on a thread of its own, only if the
    /// sun, the height of cells, the surroundings or the drape differ.
    ///
    /// # Errors
    /// When `look` is invalid; the old look stays.
    pub fn set_look(&mut self, look: &LookSpec) -> Result<(), Invalid> {
        match self {
            Self::Gpu(painter) => painter.set_look(look),
            Self::Cpu(painter) => painter.set_look(look),
        }
    }

    /// Turns empty-space skipping of the graphics card's rays (over empty bricks) on or off, for
    /// measurements. Pictures are identical either way; skipping is faster. No effect on the CPU
    /// painter.
    pub fn set_skipping(&mut self, skipping: bool) {
        if let Self::Gpu(painter) = self {
            painter.set_skipping(skipping);
        }
    }

    /// Returns true if the painter can take another update now. The CPU painter returns false while
    /// its drawing thread is behind with earlier updates.
    pub fn has_room(&self) -> bool {
        match self {
            Self::Gpu(_) => true,
            Self::Cpu(painter) => painter.has_room(),
        }
    }

    /// Bakes ground edits soon instead of in batches; called while the user works on the ground.
    pub fn hurry_ground(&mut self) {
        match self {
            Self::Gpu(painter) => painter.hurry_ground(),
            Self::Cpu(painter) => painter.hurry_ground(),
        }
    }

    /// Applies the changes of `update` and takes the data out of the update.
    ///
    /// # Errors
    /// When a new box is too large for the graphics card; until the next box arrives, nothing is
    /// drawn.
    pub fn apply(&mut self, update: &mut Update) -> Result<(), TooLarge> {
        match self {
            Self::Gpu(painter) => painter.apply(update),
            Self::Cpu(painter) => {
                painter.apply(update);
                Ok(())
            }
        }
    }

    /// Returns true if updates must carry the light of the lava on the ground. The CPU painter
    /// computes this light itself.
    pub fn needs_ember(&self) -> bool {
        !self.is_on_cpu()
    }

    /// Returns the bounds that a camera should frame: the ground block, in cells. `None` before the
    /// first ground has arrived.
    pub fn subject(&self) -> Option<Bounds> {
        match self {
            Self::Gpu(painter) => painter.subject(),
            Self::Cpu(painter) => painter.subject(),
        }
    }

    /// Sets the part of the window that the pictures take; the camera of a view has the size of
    /// that part.
    pub fn place(&mut self, part: Part) {
        match self {
            Self::Gpu(painter) => painter.place(part),
            Self::Cpu(painter) => painter.place(part),
        }
    }

    /// Sets the camera and the display options of the next frames.
    pub fn show(&mut self, view: &View) {
        match self {
            Self::Gpu(painter) => painter.show(view),
            Self::Cpu(painter) => painter.show(view),
        }
    }

    /// Returns the camera of the picture that the next frame shows on the CPU painter, possibly
    /// older than the last view given to [`Self::show`]. `None` on a graphics card, where each
    /// frame shows the last view.
    pub fn shown_camera(&self) -> Option<&Camera> {
        match self {
            Self::Gpu(_) => None,
            Self::Cpu(painter) => painter.shown_camera(),
        }
    }

    /// Returns true if the next frame of the window would differ from the frame on the screen.
    pub fn has_news(&mut self) -> bool {
        match self {
            Self::Gpu(painter) => !painter.idle(),
            Self::Cpu(painter) => painter.fetch(),
        }
    }

    /// Returns true if the picture is final: without a change of scene or view, no refined picture
    /// follows.
    pub fn is_finished(&self) -> bool {
        match self {
            Self::Gpu(painter) => painter.idle(),
            Self::Cpu(painter) => painter.is_finished(),
        }
    }

    /// Returns true once a drawable scene has arrived.
    pub fn has_scene(&self) -> bool {
        match self {
            Self::Gpu(painter) => painter.has_scene(),
            Self::Cpu(painter) => painter.subject().is_some(),
        }
    }

    /// Returns timing and size of the last update and picture.
    pub fn times(&self) -> PaintTimes {
        match self {
            Self::Gpu(painter) => painter.times(),
            Self::Cpu(painter) => painter.times(),
        }
    }

    /// Draws `view` for an image file and blocks until the picture is ready. `frames` > 1 turns
    /// antialiasing on (graphics card: number of averaged frames); with `transparent`, sky and
    /// backdrop get alpha 0. `None` before the first scene has arrived.
    pub fn picture(&mut self, view: &View, frames: u32, transparent: bool) -> Option<RgbaImage> {
        match self {
            Self::Gpu(painter) => painter.picture(view, frames, transparent),
            Self::Cpu(painter) => painter.picture(view, frames, transparent),
        }
    }

    /// Returns the picture on the screen, in the window's size, without panel and marks and without
    /// tracing rays. `None` before the first picture.
    pub fn seen(&mut self) -> Option<RgbaImage> {
        match self {
            Self::Gpu(painter) => painter.seen(),
            Self::Cpu(painter) => painter.seen(),
        }
    }

    /// Copies the pixel columns `columns` of the CPU painter's latest picture onto the surface `on`
    /// of format `format`. Returns false if there is no picture or on a graphics card.
    pub(super) fn lay(
        &mut self,
        on: &wgpu::TextureView,
        format: wgpu::TextureFormat,
        columns: Range<u32>,
    ) -> bool {
        match self {
            Self::Gpu(_) => false,
            Self::Cpu(painter) => painter.lay(on, format, columns),
        }
    }

    /// Returns a cleared texture of `size` pixels (width, height) for the panel, on the CPU
    /// painter; `None` on a graphics card.
    pub(super) fn sheet(
        &mut self,
        size: [usize; 2],
        format: wgpu::TextureFormat,
    ) -> Option<wgpu::TextureView> {
        match self {
            Self::Gpu(_) => None,
            Self::Cpu(painter) => Some(painter.sheet(size, format)),
        }
    }

    /// Copies the pixel columns `columns` of the panel's texture onto the surface `on` of format
    /// `format`; no effect on a graphics card.
    pub(super) fn lay_sheet(
        &mut self,
        on: &wgpu::TextureView,
        format: wgpu::TextureFormat,
        columns: Range<u32>,
    ) {
        if let Self::Cpu(painter) = self {
            painter.lay_sheet(on, format, columns);
        }
    }

    /// Frees the graphics card's textures that `picture` keeps for the next image file.
    pub fn forget_pictures(&mut self) {
        if let Self::Gpu(painter) = self {
            painter.forget_pictures();
        }
    }
}

impl Renderer3d for Painter {
    fn render(
        &mut self,
        pass: usize,
        camera: &mut dyn Camera3d,
        render_pass: &mut wgpu::RenderPass<'_>,
        context: &RenderContext,
    ) {
        match self {
            Self::Gpu(painter) => painter.render(pass, camera, render_pass, context),
            Self::Cpu(painter) => painter.render(pass, camera, render_pass, context),
        }
    }
}
