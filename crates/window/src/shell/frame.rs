//! Drawing of one frame: picture, panel, measurements.

use std::time::{Duration, Instant};

use crate::edit::vent_handles::Handle;
use crate::input::pointer::Drag;
use crate::past::pace;
use crate::shell::app::App;
use crate::shell::clock::Reasons;
use crate::shell::straight::Straight;
use crate::state::Frame;
use crate::ui::{self, Stage};
use lavoxel_render::Camera;

/// Pause after a frame of a window that is not shown.
const HIDDEN: Duration = Duration::from_millis(15);
/// Interval between two updates of the title.
const TITLE: Duration = Duration::from_millis(500);
/// Lowest rate shown, in pictures per second.
const SLOWEST: f64 = 1.0;
/// Interval between two log lines while the picture changes.
const LOGGED: Duration = Duration::from_secs(2);

/// Owned parts of a [`Stage`].
struct Marks {
    camera: Camera,
    scale: f32,
    pointer: Option<(f32, f32)>,
    rests: Duration,
    handles: Vec<Handle>,
}

impl Marks {
    fn stage(&self) -> Stage<'_> {
        let Self { camera, scale, pointer, rests, handles } = self;
        Stage { camera, scale: *scale, pointer: *pointer, rests: *rests, handles }
    }
}

impl App {
    /// Draws a frame. Returns true while the window is open.
    pub(crate) fn draw(&mut self, reasons: Reasons) -> bool {
        let begin = Instant::now();
        self.clock.drawn = begin;
        let alive =
            (self.is_for_the_picture(reasons) && self.state.sides.is_none() && self.draw_straight()) || self.draw_all();
        self.after_frame(begin.elapsed());
        alive
    }

    /// Returns true if the frame only has to show another picture: no event or highlight for the
    /// panel.
    fn is_for_the_picture(&self, Reasons { picture, heard, touched, .. }: Reasons) -> bool {
        let on_panel = self.pointer.at.is_some_and(|at| self.over_panel(at));
        picture && !heard && !touched && !on_panel && self.painter.times().shown > 0
    }

    /// Draws the picture and the unchanged panel by the fast path; returns false if that is not
    /// possible.
    fn draw_straight(&mut self) -> bool {
        let Some(mut straight) = self.straight.take() else { return false };
        let seconds = self.clock.now();
        let covered = self.covered().round() as u32;
        let drawn = self.marks().is_some_and(|marks| {
            let (window, painter, state) = (&mut self.window, &mut self.painter, &mut self.state);
            straight.show(window, painter, (seconds, covered), |context| ui::draw(context, state, &marks.stage()))
        });
        self.straight = Some(straight);
        drawn
    }

    /// Draws everything, and passes events to the panel. Returns true while the window is open.
    fn draw_all(&mut self) -> bool {
        self.straight.iter_mut().for_each(Straight::forget_panel);
        let context = self.window.egui_context().clone();
        // A hidden window skips frames, so the last pass of the panel may still be open.
        let skipped = context.cumulative_pass_nr() == self.clock.pass;
        if skipped {
            std::thread::sleep(HIDDEN);
        } else if self.painter.times().shown == 0 && !self.painter.has_news() {
            self.clock.pass = context.cumulative_pass_nr();
            let name = &self.state.scene.spec.name;
            self.window.draw_ui(|context| ui::loading(context, name));
        } else if let Some(marks) = self.marks() {
            self.clock.pass = context.cumulative_pass_nr();
            let (window, state) = (&mut self.window, &mut self.state);
            let before = state.look.clone();
            window.draw_ui(|context| ui::draw(context, state, &marks.stage()));
            if self.state.look != before {
                self.look_changed();
            }
        }
        let painter = Some(&mut self.painter as &mut dyn kiss3d::renderer::Renderer3d);
        pollster::block_on(self.window.render(None, None, None, None, painter, None))
    }

    /// Marks over the picture; `None` before the first camera.
    fn marks(&self) -> Option<Marks> {
        let camera = self.camera()?;
        // The picture may be older than the camera: marks are drawn for the camera of the picture.
        let camera = self.painter.shown_camera().map_or(camera, |shown| shown.resized(self.size()));
        let aim = self.aim().filter(|_| !matches!(self.pointer.drag(), Some(Drag::Turn | Drag::Pan | Drag::Cut(_))));
        Some(Marks {
            camera,
            scale: self.window.scale_factor() as f32,
            pointer: aim.map(|aim| aim.pixel),
            rests: self.pointer.rests(self.clock.drawn),
            handles: self.handles(),
        })
    }

    /// Measures the frame, adds a recording's frame, and updates the title.
    fn after_frame(&mut self, took: Duration) {
        let times = self.painter.times();
        // A picture by the processor takes longer than the frame of the window that shows it, so
        // the frame is no upper bound there.
        let took = if self.painter.is_on_cpu() { Duration::MAX } else { took };
        self.state.times.note_frame(times, took);
        let rate = self.clock.rate.note(times.shown, Instant::now());
        let finished = self.painter.is_finished();
        // Title and panel show this one number; a picture that is being refined has no rate.
        let fps = (!finished && rate >= SLOWEST).then_some(rate);
        self.state.frame = Frame { fps, scale: times.scale, finished, recording: self.record_frame() };
        self.log_pictures();
        // More frames follow a change, so that hover effects and fades complete.
        self.clock.awake = self.clock.awake.saturating_sub(1);
        if self.clock.titled.elapsed() > TITLE {
            self.clock.titled = Instant::now();
            if let Some(report) = &self.state.report {
                let fps = self.state.frame.fps.map(|fps| format!(", {} fps", pace::short(fps))).unwrap_or_default();
                self.window.set_title(&format!("{}, step {}{fps} – Lavoxel", report.name, report.step));
            }
        }
    }

    /// Logs the rate of pictures, and the times at which a still picture is whole and finished.
    fn log_pictures(&mut self) {
        let Frame { fps, scale, finished, .. } = self.state.frame;
        let fps = fps.unwrap_or_default();
        let straight = self.straight.as_ref().map_or(0, |straight| straight.frames);
        let passes = self.window.egui_context().cumulative_pass_nr() + straight;
        let (clock, now) = (&mut self.clock, Instant::now());
        let after = self.painter.times().changed.map_or(0.0, |changed| (now - changed).as_secs_f64());
        let whole = scale > 0.999;
        let frames = clock.frames.note(passes, now);
        if whole && !clock.whole {
            self.journal.say(&format!("whole resolution {after:.2} s after the last change"));
        }
        if finished && !clock.finished {
            self.journal.say(&format!("picture finished {after:.2} s after the last change"));
        } else if !finished && now - clock.logged > LOGGED {
            clock.logged = now;
            let steps = self.state.report.as_ref().map_or(0.0, |report| report.steps_per_second);
            let resolution = 100.0 * scale;
            self.journal.say(&format!(
                "{fps:.1} pictures/s at {resolution:.0} % of the resolution, {frames:.1} frames/s, {steps:.0} steps/s"
            ));
        }
        (clock.whole, clock.finished) = (whole, finished);
    }
}
