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

mod cpu;
#[cfg(test)]
mod fixture;
#[cfg(test)]
mod gpu_tests;
mod print;

use std::ops::Range;
use std::sync::Arc;

use image::RgbaImage;
use kiss3d::camera::Camera3d;
use kiss3d::context::Context;
use kiss3d::renderer::Renderer3d;
use kiss3d::resource::RenderContext;

use self::cpu::CpuPainter;
pub(crate) use self::print::{MOST_SAMPLES, PrintJob, PrintProgress, PrintThread};
use lavoxel_base::validate::Invalid;
use lavoxel_paint::changes::Changes;
use lavoxel_paint::device::Gpu;
pub use lavoxel_paint::{GpuPainter, PaintTimes, Part, Quality, Screen, TooLarge, View, limit};
use lavoxel_render::ground::land::TerrainLook;
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

/// Returns the name of kiss3d's adapter if it is a software driver that runs on the processor;
/// `None` for a graphics card.
fn software_name() -> Option<String> {
    let info = Context::get().adapter.get_info();
    (info.device_type == wgpu::DeviceType::Cpu).then_some(info.name)
}

/// Returns kiss3d's device; its window or off-screen surface must exist.
fn device_of_window() -> Gpu {
    let context = Context::get();
    Gpu {
        device: (*context.device).clone(),
        queue: (*context.queue).clone(),
        is_cpu: software_name().is_some(),
    }
}

/// Returns the target of kiss3d's render pass, whose film pass codes colours afterwards.
fn screen_of(context: &RenderContext) -> Screen {
    Screen {
        format: Context::render_format(),
        depth: Some(Context::depth_format()),
        samples: context.sample_count,
        is_coded: false,
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
        let gpu = device_of_window();
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
        software_name()
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
    pub fn apply(&mut self, changes: &mut Changes) -> Result<(), TooLarge> {
        match self {
            Self::Gpu(painter) => painter.apply(changes),
            Self::Cpu(painter) => {
                painter.apply(changes);
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
            Self::Gpu(painter) => painter.draw(
                render_pass,
                [context.viewport_width, context.viewport_height],
                &screen_of(context),
            ),
            Self::Cpu(painter) => painter.render(pass, camera, render_pass, context),
        }
    }
}
