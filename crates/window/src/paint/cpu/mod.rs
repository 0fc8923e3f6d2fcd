//! CPU painter: draws with the ray-marcher of [`lavoxel_render`] on a separate thread.
//!
//! Invariant: the window shows the latest finished picture and waits for the drawing thread only
//! when it requests a picture for an image file.

mod mailbox;
mod marcher;
mod mirror;
mod screen;
#[cfg(test)]
mod tests;

use std::ops::Range;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use image::RgbaImage;
use kiss3d::camera::Camera3d;
use kiss3d::renderer::Renderer3d;
use kiss3d::resource::RenderContext;

use self::mailbox::{Finished, Job, Mailbox, PictureContent, Pixels, VolumeChanges};
use self::marcher::Marcher;
use self::screen::Screen;
use super::{PaintTimes, Part, View, limit};
use lavoxel_base::grid::Grid;
use lavoxel_base::parallel::on_own_threads;
use lavoxel_base::validate::Invalid;
use lavoxel_paint::bake::BakedGround;
use lavoxel_paint::changes::Changes;
use lavoxel_paint::device::Gpu;
use lavoxel_render::ground::land::TerrainLook;
use lavoxel_render::ground::sky::Sky;
use lavoxel_render::{Bounds, Camera, Cut, LookSpec, Mouth};

/// Upper bound in bytes of the volume changes that wait for the drawing thread; above this bound,
/// `Painter::has_room` returns false.
const MOST_WAITING: usize = 32 << 20;

/// CPU painter: the window's side of the drawing thread.
pub struct CpuPainter {
    gpu: Gpu,
    screen: Screen,
    /// Texture in the size of the window, which contains the panel as drawn last.
    sheet: Screen,
    mailbox: Arc<Mailbox>,
    thread: Option<JoinHandle<()>>,
    look: LookSpec,
    grid: Option<Grid>,
    ground: Option<BakedGround>,
    cuts: [Option<Arc<Cut>>; 3],
    view: Option<View>,
    /// Pixel columns of the window into which the picture is drawn; `None` for the whole window.
    part: Part,
    /// Changes of the volume that arrived before the first ground; sent to the drawing thread
    /// together with the first ground.
    early: VolumeChanges,
    steps: u64,
    /// Vent mouths that throw sparks (lava fountains).
    mouths: Arc<Vec<Mouth>>,
    /// Number of updates so far that replace all data; serves as the number of the simulation box.
    epoch: u64,
    /// Counter of all visible changes of scene and look, without those of camera and display
    /// options.
    content: u64,
    /// Counter of all visible changes of scene, look, camera and display options.
    state: u64,
    /// Finished picture that the next frame of the window uploads; `None` if there is no new
    /// picture.
    next: Option<Finished>,
    /// Picture on the screen with its camera; `None` before the first picture.
    on_screen: Option<(Pixels, Camera)>,
    /// Value of `state` for which the picture on the screen is final (no refined picture follows);
    /// `None` while a refined picture may follow.
    finished: Option<u64>,
    times: PaintTimes,
}

impl CpuPainter {
    pub(super) fn new(gpu: Gpu, look: &LookSpec) -> Result<Self, Invalid> {
        look.validate()?;
        let mailbox = Arc::new(Mailbox::default());
        let marcher = Marcher::new(Arc::clone(&mailbox));
        // If the thread cannot start, the first `fetch` panics.
        let thread = std::thread::Builder::new()
            .name("drawing".to_owned())
            .spawn(move || {
                on_own_threads(("drawing", rayon::current_num_threads()), || marcher.run())
            })
            .ok();
        Ok(Self {
            screen: Screen::new(&gpu),
            sheet: Screen::new(&gpu),
            gpu,
            mailbox,
            thread,
            look: look.clone(),
            grid: None,
            ground: None,
            cuts: [None, None, None],
            view: None,
            part: None,
            early: VolumeChanges::default(),
            steps: 0,
            mouths: Arc::default(),
            epoch: 0,
            content: 0,
            state: 0,
            next: None,
            on_screen: None,
            finished: None,
            times: PaintTimes::default(),
        })
    }

    pub(super) fn set_look(&mut self, look: &LookSpec) -> Result<(), Invalid> {
        look.validate()?;
        // Colours are checked only when the palette is built.
        look.palette.build("look.palette")?;
        if *look == self.look {
            return Ok(());
        }
        let other_sun = Sky::new(look).sun != Sky::new(&self.look).sun;
        let ground = |look: &LookSpec| (look.cell_height, look.surroundings, look.drape.clone());
        let other_ground = ground(look) != ground(&self.look);
        if (other_sun || other_ground)
            && let Some(ground) = &mut self.ground
        {
            ground.relight();
        }
        self.look = look.clone();
        self.change(VolumeChanges::default());
        Ok(())
    }

    /// Returns the exponent that kiss3d's film pass must apply to the picture's bytes before that
    /// pass codes them with its own gamma.
    pub(super) fn film_gamma() -> f32 {
        screen::GAMMA
    }

    pub(super) fn has_room(&self) -> bool {
        // At most one update per picture: the simulation thread need not filter and send data that
        // the drawing thread cannot show yet.
        let since = self
            .times
            .changed
            .map_or(Duration::MAX, |changed| changed.elapsed());
        let waiting = self.mailbox.waiting();
        waiting == 0 || (waiting < MOST_WAITING && since >= 2 * self.times.draw)
    }

    pub(super) fn apply(&mut self, changes: &mut Changes) {
        let start = Instant::now();
        if changes.reset {
            self.epoch += 1;
            (self.ground, self.grid, self.cuts) = (None, Some(changes.grid), [None, None, None]);
            self.early = VolumeChanges::default();
        }
        let Some(grid) = self.grid else { return };
        if let Some(patch) = &changes.ground {
            match &mut self.ground {
                Some(ground) => drop(ground.apply(patch, &self.look)),
                None => self.ground = Some(BakedGround::new(patch, grid, &self.look)),
            }
        }
        let cuts = changes.cuts.iter().any(Option::is_some);
        for (mine, cut) in self.cuts.iter_mut().zip(&mut changes.cuts) {
            if let Some(cut) = cut.take() {
                *mine = Some(Arc::new(cut));
            }
        }
        // Drifting patterns move with the step even where no patch arrived.
        let drifts = self.steps != changes.step;
        self.steps = changes.step;
        self.mouths = Arc::new(std::mem::take(&mut changes.mouths));
        let parts = VolumeChanges {
            lava: std::mem::take(&mut changes.patches),
            media: changes.media.take().into_iter().collect(),
            air: changes.air.take(),
            crust: changes.crust.take(),
        };
        let bytes = parts.bytes();
        (self.times.upload, self.times.uploaded_bytes) = (start.elapsed(), bytes);
        if changes.reset || changes.ground.is_some() || cuts || parts.is_there() || drifts {
            self.change(parts);
        }
    }

    /// Raises the change counters, and sends the new state with `parts` (changes of the volume) to
    /// the drawing thread.
    fn change(&mut self, parts: VolumeChanges) {
        self.content += 1;
        self.state += 1;
        self.times.changed = Some(Instant::now());
        self.post(parts);
    }

    /// Sends the present state with `parts` (changes of the volume) to the drawing thread; before
    /// the first ground, stores `parts` until the ground arrives.
    fn post(&mut self, parts: VolumeChanges) {
        self.early.append(parts);
        let (Some(grid), Some(ground)) = (self.grid, &self.ground) else {
            return;
        };
        let wanted = PictureContent {
            epoch: self.epoch,
            grid,
            land: ground.land.clone(),
            look: self.look.clone(),
            cuts: self.cuts.clone(),
            steps: self.steps,
            mouths: self.mouths.clone(),
            content: self.content,
            state: self.state,
            view: self.view.clone(),
        };
        self.mailbox.post(wanted, std::mem::take(&mut self.early));
    }

    pub(super) fn hurry_ground(&mut self) {
        self.ground.iter_mut().for_each(BakedGround::hurry);
    }

    pub(super) fn subject(&self) -> Option<Bounds> {
        self.ground.as_ref().map(BakedGround::subject)
    }

    /// Returns the ground as it is drawn, if it is final.
    pub(super) fn land(&self) -> Option<Arc<TerrainLook>> {
        self.ground.as_ref()?.final_land()
    }

    pub(super) fn set_resting(&mut self, rests: bool) {
        self.mailbox.set_resting(rests);
    }

    pub(super) fn place(&mut self, part: Part) {
        self.part = part;
    }

    pub(super) fn show(&mut self, view: &View) {
        if self.view.as_ref() != Some(view) {
            self.view = Some(view.clone());
            self.state += 1;
            self.times.changed = Some(Instant::now());
            self.post(VolumeChanges::default());
        }
    }

    pub(super) fn shown_camera(&self) -> Option<&Camera> {
        let on_screen = self.on_screen.as_ref().map(|(_, camera)| camera);
        self.next.as_ref().map(|next| &next.camera).or(on_screen)
    }

    /// Shows the result of a finished bake of the ground, and takes the latest finished picture
    /// from the drawing thread. Returns true if there is a picture that the window has not shown
    /// yet.
    pub(super) fn fetch(&mut self) -> bool {
        if let Some(ground) = &mut self.ground
            && ground.tend(&self.look)
        {
            self.change(VolumeChanges::default());
        }
        if let Some(finished) = self.mailbox.take_finished() {
            self.next = Some(finished);
        } else if self.thread.as_ref().is_none_or(JoinHandle::is_finished) {
            self.fail();
        }
        self.next.is_some()
    }

    /// Resumes the panic of the drawing thread in the calling thread; this thread ends before the
    /// window closes only by a bug.
    ///
    /// # Panics
    /// Always.
    fn fail(&mut self) {
        match self.thread.take().map(JoinHandle::join) {
            Some(Err(panic)) => std::panic::resume_unwind(panic),
            _ => panic!("there is no drawing thread"),
        }
    }

    pub(super) fn is_finished(&self) -> bool {
        self.next.is_none()
            && !self.mailbox.has_finished()
            && self.finished == Some(self.state)
            && self.ground.as_ref().is_none_or(BakedGround::settled)
    }

    pub(super) fn times(&self) -> PaintTimes {
        self.times
    }

    pub(super) fn picture(
        &mut self,
        view: &View,
        frames: u32,
        transparent: bool,
    ) -> Option<RgbaImage> {
        if let Some(ground) = &mut self.ground
            && ground.finish(&self.look)
        {
            self.change(VolumeChanges::default());
        }
        self.ground.as_ref()?;
        let (reply, answer) = channel();
        self.mailbox.ask(Job {
            view: view.clone(),
            smooth: frames > 1,
            transparent,
            reply,
        });
        answer.recv().ok()?
    }

    pub(super) fn seen(&self) -> Option<RgbaImage> {
        let (pixels, _) = self.on_screen.as_ref()?;
        pixels.whole()
    }

    /// Copies the pixel columns `columns` of the latest picture onto the surface `on`, whose format
    /// is `format`. Returns false if there is no picture.
    pub(super) fn lay(
        &mut self,
        on: &wgpu::TextureView,
        format: wgpu::TextureFormat,
        columns: Range<u32>,
    ) -> bool {
        self.take_next();
        let columns = match &self.part {
            Some(part) => columns.start.max(part.start)..columns.end.min(part.end),
            None => columns,
        };
        if columns.is_empty() {
            return true;
        }
        self.on_screen.is_some()
            && self
                .screen
                .lay(&self.gpu, (on, format), columns, &self.part)
    }

    /// Returns a cleared texture of `size` pixels (width, height), into which the panel is drawn.
    pub(super) fn sheet(
        &mut self,
        size: [usize; 2],
        format: wgpu::TextureFormat,
    ) -> wgpu::TextureView {
        self.sheet.blank(&self.gpu, size, format)
    }

    /// Copies the pixel columns `columns` of the panel's texture onto the surface `on`, whose
    /// format is `format`.
    pub(super) fn lay_sheet(
        &mut self,
        on: &wgpu::TextureView,
        format: wgpu::TextureFormat,
        columns: Range<u32>,
    ) {
        self.sheet.lay(&self.gpu, (on, format), columns, &None);
    }

    /// Uploads the next finished picture to the graphics card, if there is one, and stores its
    /// drawing time.
    fn take_next(&mut self) {
        let Some(next) = self.next.take() else { return };
        self.screen.upload(&self.gpu, &next.pixels);
        self.times.draw = next.took;
        self.times.scale = next.share;
        self.times.shown += 1;
        self.finished = next.last.then_some(next.state);
        self.on_screen = Some((next.pixels, next.camera));
    }
}

impl Drop for CpuPainter {
    fn drop(&mut self) {
        self.mailbox.quit();
        if let Some(thread) = self.thread.take() {
            // The panic hook has reported any panic of the thread.
            thread.join().ok();
        }
    }
}

impl Renderer3d for CpuPainter {
    /// Draws the latest picture into kiss3d's render pass; kiss3d's own camera is not used.
    fn render(
        &mut self,
        _pass: usize,
        _camera: &mut dyn Camera3d,
        render_pass: &mut wgpu::RenderPass<'_>,
        context: &RenderContext,
    ) {
        self.take_next();
        let target = [context.viewport_width, context.viewport_height];
        limit(render_pass, &self.part, target);
        self.screen
            .draw(&self.gpu, render_pass, context.sample_count);
        limit(
            render_pass,
            &self.part.as_ref().map(|_| 0..u32::MAX),
            target,
        );
    }
}
