//! Drawing of one frame of the window: pictures, panel, measured rates and log lines.

use std::time::{Duration, Instant};

use kiss3d::renderer::Renderer3d;

use crate::edit::vent_handles::Handle;
use crate::history::pace;
use crate::input::pointer::Drag;
use crate::paint::Pair;
use crate::shell::app::App;
use crate::shell::clock::Reasons;
use crate::shell::compare::Sides;
use crate::shell::direct_present::DirectPresent;
use crate::state::Frame;
use crate::ui::{self, Stage};
use lavoxel_render::Camera;

/// Pause after each frame that a hidden window skips.
const HIDDEN: Duration = Duration::from_millis(15);
/// Interval between two updates of the window's title.
const TITLE: Duration = Duration::from_millis(500);
/// Lowest picture rate that is displayed, in pictures per second; lower rates are hidden.
const SLOWEST: f64 = 1.0;
/// Interval between two log lines with the picture rate, while the picture changes.
const LOGGED: Duration = Duration::from_secs(2);

/// Data for drawing the marks over the picture; an owned copy, from which a [`Stage`] borrows while
/// the user interface is built.
struct Marks {
    camera: Camera,
    scale: f32,
    pointer: Option<(f32, f32)>,
    rests: Duration,
    handles: Vec<Handle>,
}

impl Marks {
    fn stage(&self) -> Stage<'_> {
        let Self {
            camera,
            scale,
            pointer,
            rests,
            handles,
        } = self;
        Stage {
            camera,
            scale: *scale,
            pointer: *pointer,
            rests: *rests,
            handles,
        }
    }
}

impl App {
    /// Draws a frame; uses the fast path if `reasons` contains only a new picture. Returns true
    /// while the window is open.
    pub(crate) fn draw(&mut self, reasons: Reasons) -> bool {
        let begin = Instant::now();
        self.clock.drawn = begin;
        let alive = (self.is_for_the_picture(reasons)
            && self.state.sides.as_ref().is_none_or(Sides::are_runs)
            && self.state.print.is_none()
            && self.draw_straight())
            || self.draw_all();
        self.after_frame(begin.elapsed());
        alive
    }

    /// Returns true if a frame only has to show a new picture: no reason except `picture` is set,
    /// and the pointer is not over the panel.
    fn is_for_the_picture(
        &self,
        Reasons {
            picture,
            heard,
            touched,
            ..
        }: Reasons,
    ) -> bool {
        let on_panel = self.pointer.at.is_some_and(|at| self.over_panel(at));
        picture && !heard && !touched && !on_panel && self.painter.times().shown > 0
    }

    /// Presents the picture and the cached panel by the fast path. Returns false if the fast path
    /// is unavailable or cannot present now.
    fn draw_straight(&mut self) -> bool {
        let Some(mut straight) = self.straight.take() else {
            return false;
        };
        let seconds = self.clock.now();
        let covered = self.covered().round() as u32;
        let drawn = self.marks().is_some_and(|marks| {
            let second = self.second.as_mut().map(|second| &mut second.painter);
            let (window, state) = (&mut self.window, &mut self.state);
            let painters = (&mut self.painter, second);
            straight.show(window, painters, (seconds, covered), |context| {
                ui::draw(context, state, &marks.stage())
            })
        });
        self.straight = Some(straight);
        drawn
    }

    /// Draws picture and panel by kiss3d's ordinary frame, which passes events to the panel.
    /// Returns true while the window is open.
    fn draw_all(&mut self) -> bool {
        self.straight
            .iter_mut()
            .for_each(DirectPresent::forget_panel);
        let context = self.window.egui_context().clone();
        // A hidden window skips frames, so egui's last pass may still be open.
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
        let mut pair;
        let painter: &mut dyn Renderer3d = match &mut self.second {
            Some(second) => {
                pair = Pair(&mut self.painter, &mut second.painter);
                &mut pair
            }
            None => &mut self.painter,
        };
        pollster::block_on(
            self.window
                .render(None, None, None, None, Some(painter), None),
        )
    }

    /// Returns the data for the marks over the picture; `None` before the first report.
    fn marks(&self) -> Option<Marks> {
        let camera = self.camera()?;
        // The picture may be older than the present camera: marks use the picture's camera.
        let camera = self
            .painter
            .shown_camera()
            .map_or(camera, |shown| shown.resized(self.size()));
        let aim = self.aim().filter(|_| {
            !matches!(
                self.pointer.drag(),
                Some(Drag::Turn | Drag::Pan | Drag::Cut(_))
            )
        });
        Some(Marks {
            camera,
            scale: self.window.scale_factor() as f32,
            pointer: aim.map(|aim| aim.pixel),
            rests: self.pointer.rests(self.clock.drawn),
            handles: self.handles(),
        })
    }

    /// Updates the measured rates, the recording and the window's title after a frame. `took`: time
    /// for drawing the frame.
    fn after_frame(&mut self, took: Duration) {
        let times = self.painter.times();
        // A picture of the CPU painter takes longer than the frame that shows it, so the frame time
        // is no upper bound there.
        let took = if self.painter.is_on_cpu() {
            Duration::MAX
        } else {
            took
        };
        self.state.times.note_frame(times, took);
        let rate = self.clock.rate.note(times.shown, Instant::now());
        let second = self.second.as_ref();
        let finished =
            self.painter.is_finished() && second.is_none_or(|second| second.painter.is_finished());
        // Title and panel show the same rate; a picture that is only refined has no rate.
        let fps = (!finished && rate >= SLOWEST).then_some(rate);
        self.state.frame = Frame {
            fps,
            scale: times.scale,
            finished,
            recording: self.record_frame(),
        };
        self.log_pictures();
        // Some more frames follow a change, so that hover effects and fades complete.
        self.clock.awake = self.clock.awake.saturating_sub(1);
        if self.clock.titled.elapsed() > TITLE {
            self.clock.titled = Instant::now();
            if let Some(report) = &self.state.report {
                let fps = self
                    .state
                    .frame
                    .fps
                    .map(|fps| format!(", {} fps", pace::short(fps)))
                    .unwrap_or_default();
                self.window.set_title(&format!(
                    "{}, step {}{fps} – Lavoxel",
                    report.name, report.step
                ));
            }
        }
    }

    /// Writes to the journal the picture rate, and the times at which the picture reaches the full
    /// resolution and becomes final.
    fn log_pictures(&mut self) {
        let Frame {
            fps,
            scale,
            finished,
            ..
        } = self.state.frame;
        let fps = fps.unwrap_or_default();
        let straight = self.straight.as_ref().map_or(0, |straight| straight.frames);
        let passes = self.window.egui_context().cumulative_pass_nr() + straight;
        let (clock, now) = (&mut self.clock, Instant::now());
        let after = self
            .painter
            .times()
            .changed
            .map_or(0.0, |changed| (now - changed).as_secs_f64());
        let whole = scale > 0.999;
        let frames = clock.frames.note(passes, now);
        if whole && !clock.whole {
            self.journal.say(&format!(
                "whole resolution {after:.2} s after the last change"
            ));
        }
        if finished && !clock.finished {
            self.journal.say(&format!(
                "picture finished {after:.2} s after the last change"
            ));
        } else if !finished && now - clock.logged > LOGGED {
            clock.logged = now;
            let steps = self
                .state
                .report
                .as_ref()
                .map_or(0.0, |report| report.steps_per_second);
            let resolution = 100.0 * scale;
            self.journal.say(&format!(
                "{fps:.1} pictures/s at {resolution:.0} % of the resolution, {frames:.1} frames/s, {steps:.0} steps/s"
            ));
        }
        (clock.whole, clock.finished) = (whole, finished);
    }
}
