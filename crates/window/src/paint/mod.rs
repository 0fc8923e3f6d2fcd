//! Drawing of the scene, from the updates of the simulation thread, into kiss3d's window or into an
//! image.
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
mod print;
mod quality;

use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use image::RgbaImage;
use kiss3d::camera::Camera3d;
use kiss3d::renderer::Renderer3d;
use kiss3d::resource::RenderContext;

use self::cpu::CpuPainter;
use self::device::Gpu;
use self::gpu::GpuPainter;
pub use self::gpu::TooLarge;
pub(crate) use self::print::{MOST_SAMPLES, PrintJob, PrintProgress, PrintThread};
use super::messages::Update;
use lavoxel_base::validate::Invalid;
use lavoxel_render::ground::land::TerrainLook;
pub use lavoxel_render::running::Quality;
use lavoxel_render::{Bounds, Camera, LookSpec};

/// Choice of the device that draws the pictures: graphics card or processor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DrawOn {
    /// The graphics card, or the processor if the adapter is software (llvmpipe).
    #[default]
    Auto,
    /// Graphics card: kiss3d's adapter, even if the adapter is software.
    Gpu,
    /// Processor: the ray-marcher.
    Cpu,
}

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
    /// simulation thread has sent the slice.
    pub cuts_shown: [bool; 3],
    /// Set if the picture shows the lava and other contents of the simulation box.
    pub volume_shown: bool,
    /// Set if the picture shows the ground.
    pub ground_shown: bool,
}

impl View {
    /// Returns the camera for the picture without the columns under the panel.
    pub(crate) fn visible(&self) -> Camera {
        self.camera.right_of(self.covered)
    }
}

/// Timing and size of the last update, and of the picture on the screen.
#[derive(Clone, Copy, Debug, Default)]
pub struct PaintTimes {
    /// Duration of the last call of `Painter::apply`.
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
    /// Number of different pictures that the window has shown so far.
    pub shown: u64,
}

/// Runs `work` in a new rayon pool of `count` threads, whose names begin with `name`. A pool shared
/// with the simulation would make drawing and simulation wait for each other's queued work.
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

/// Range of pixel columns of the window, over its full height, in which a picture is drawn; `None`
/// for the whole window.
pub type Part = Option<Range<u32>>;

/// Limits the viewport of `pass` to the pixel columns `part` of a target of `width` × `height`
/// pixels; `None` for the whole target.
fn limit(pass: &mut wgpu::RenderPass<'_>, part: &Part, [width, height]: [u32; 2]) {
    if let Some(part) = part {
        // While the window's size changes, the part may reach beyond the target.
        let left = part.start.min(width.saturating_sub(1));
        let across = part.end.clamp(left + 1, width.max(left + 1)) - left;
        pass.set_viewport(left as f32, 0.0, across as f32, height as f32, 0.0, 1.0);
    }
}

/// Painters of the left (first field) and the right picture, which kiss3d renders as one object.
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

/// Painter of a scene, on the graphics card or on the processor.
pub enum Painter {
    /// Painter that draws by render passes of the graphics card.
    Gpu(Box<GpuPainter>),
    /// Painter that draws by the ray-marcher on the processor.
    Cpu(Box<CpuPainter>),
}

impl Painter {
    /// Creates a painter with the look settings `look` on kiss3d's device, whose window or
    /// off-screen surface must exist. `draw_on`: choice between graphics card and processor.
    ///
    /// # Errors
    /// If `look` is invalid.
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

    /// Returns the name of kiss3d's adapter if it is software that runs on the processor; `None`
    /// for a graphics card.
    pub fn software_adapter() -> Option<String> {
        Gpu::software_name()
    }

    /// Returns true if the painter draws on the processor.
    pub fn is_on_cpu(&self) -> bool {
        matches!(self, Self::Cpu(_))
    }

    /// Returns the exponent that kiss3d's film pass must apply before its own gamma coding: 1 for
    /// the GPU painter, which delivers linear light, and 2.2 for the CPU painter, which delivers
    /// gamma-coded bytes.
    pub fn film_gamma(&self) -> f32 {
        if self.is_on_cpu() {
            CpuPainter::film_gamma()
        } else {
            1.0
        }
    }

    /// Returns the default target frame rate in frames per second while something moves, which
    /// depends on the drawing device.
    pub fn usual_fps(&self) -> f32 {
        // Controller tolerance: a frame may take a quarter longer than the target before the
        // resolution goes down, so 18 frames per second keep at least 14.
        if self.is_on_cpu() { 18.0 } else { 25.0 }
    }

    /// Replaces the look settings. The ground's light is baked again, on a separate thread, only if
    /// the sun, the height of cells, the surroundings or the drape have changed.
    ///
    /// # Errors
    /// If `look` is invalid; the look settings then stay unchanged.
    pub fn set_look(&mut self, look: &LookSpec) -> Result<(), Invalid> {
        match self {
            Self::Gpu(painter) => painter.set_look(look),
            Self::Cpu(painter) => painter.set_look(look),
        }
    }

    /// Turns empty-space skipping of the GPU painter (over bricks without visible content) on or
    /// off, for measurements of the drawing time. Does not change the pictures; no effect on the
    /// CPU painter.
    pub fn set_skipping(&mut self, skipping: bool) {
        if let Self::Gpu(painter) = self {
            painter.set_skipping(skipping);
        }
    }

    /// Returns true if the painter can take another update now; false while the drawing thread of
    /// the CPU painter is behind with earlier updates.
    pub fn has_room(&self) -> bool {
        match self {
            Self::Gpu(_) => true,
            Self::Cpu(painter) => painter.has_room(),
        }
    }

    /// Bakes changes of the ground at once instead of in batches; called while the user edits the
    /// ground.
    pub fn hurry_ground(&mut self) {
        match self {
            Self::Gpu(painter) => painter.hurry_ground(),
            Self::Cpu(painter) => painter.hurry_ground(),
        }
    }

    /// Applies `update` to the painter's scene, and moves large data out of `update`.
    ///
    /// # Errors
    /// If a new box is too large for the graphics card; nothing is drawn until the next box
    /// arrives.
    pub fn apply(&mut self, update: &mut Update) -> Result<(), TooLarge> {
        match self {
            Self::Gpu(painter) => painter.apply(update),
            Self::Cpu(painter) => {
                painter.apply(update);
                Ok(())
            }
        }
    }

    /// Returns true if updates must contain the light that the lava casts on the ground; false for
    /// the CPU painter, which computes this light itself.
    pub fn needs_ember(&self) -> bool {
        !self.is_on_cpu()
    }

    /// Returns the bounds that a camera frames: those of the ground, in cells. `None` before the
    /// first ground has arrived.
    pub fn subject(&self) -> Option<Bounds> {
        match self {
            Self::Gpu(painter) => painter.subject(),
            Self::Cpu(painter) => painter.subject(),
        }
    }

    /// Returns the ground as it is drawn; `None` before the first ground has arrived, and while a
    /// bake of the ground is in progress or due.
    pub(crate) fn land(&self) -> Option<Arc<TerrainLook>> {
        match self {
            Self::Gpu(painter) => painter.land(),
            Self::Cpu(painter) => painter.land(),
        }
    }

    /// Stops (true) the CPU painter's drawing of pictures for the window, which leaves the processor
    /// to a print, or lets the drawing go on (false). No effect on the GPU painter, whose still
    /// pictures are finished after a few frames.
    pub(crate) fn set_resting(&mut self, rests: bool) {
        if let Self::Cpu(painter) = self {
            painter.set_resting(rests);
        }
    }

    /// Sets the pixel columns of the window in which the next pictures are drawn; the camera of
    /// each view must have the size of these columns.
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

    /// Returns the camera of the picture that the CPU painter shows in the next frame; the camera
    /// may be older than the last view passed to [`Self::show`]. `None` for the GPU painter, whose
    /// frames always show the last view.
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

    /// Returns true if the picture on the screen is final: no refined picture follows unless scene
    /// or view change.
    pub fn is_finished(&self) -> bool {
        match self {
            Self::Gpu(painter) => painter.idle(),
            Self::Cpu(painter) => painter.is_finished(),
        }
    }

    /// Returns true if a scene has arrived that the painter can draw.
    pub fn has_scene(&self) -> bool {
        match self {
            Self::Gpu(painter) => painter.has_scene(),
            Self::Cpu(painter) => painter.subject().is_some(),
        }
    }

    /// Returns timing and size of the last update and of the picture on the screen.
    pub fn times(&self) -> PaintTimes {
        match self {
            Self::Gpu(painter) => painter.times(),
            Self::Cpu(painter) => painter.times(),
        }
    }

    /// Draws `view` for an image file and blocks until the picture is ready. `frames`: number of
    /// averaged frames on the graphics card; on the processor, more than 1 turns antialiasing on.
    /// `transparent`: true to make sky and backdrop transparent (alpha 0). `None` before the first
    /// scene has arrived.
    pub fn picture(&mut self, view: &View, frames: u32, transparent: bool) -> Option<RgbaImage> {
        match self {
            Self::Gpu(painter) => painter.picture(view, frames, transparent),
            Self::Cpu(painter) => painter.picture(view, frames, transparent),
        }
    }

    /// Returns the picture on the screen in the window's size, without panel and marks; traces no
    /// new rays. `None` before the first picture.
    pub fn seen(&mut self) -> Option<RgbaImage> {
        match self {
            Self::Gpu(painter) => painter.seen(),
            Self::Cpu(painter) => painter.seen(),
        }
    }

    /// Copies the pixel columns `columns` of the CPU painter's latest picture onto the surface
    /// `on`, whose format is `format`. Returns false without a picture and for the GPU painter.
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

    /// Returns a cleared texture of `size` pixels (width, height), into which the panel is drawn;
    /// `None` for the GPU painter.
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

    /// Copies the pixel columns `columns` of the panel's texture onto the surface `on`, whose
    /// format is `format`; no effect for the GPU painter.
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

    /// Frees the textures on the graphics card that `picture` has kept for the next image file.
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
