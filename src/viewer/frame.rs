//! One frame: picture, panel, measures.

use std::time::{Duration, Instant};

use super::app::App;
use super::pace;
use super::pointer::Drag;
use super::ui::{self, Stage};

/// Pause of a window that is not shown.
const HIDDEN: Duration = Duration::from_millis(15);
/// Time between two looks at the title.
const TITLE: Duration = Duration::from_millis(500);

impl App {
    /// Draws a frame. Says whether the window is still there.
    pub(super) fn draw(&mut self) -> bool {
        let begin = Instant::now();
        self.clock.drawn = begin;
        let context = self.window.egui_context().clone();
        // A window that is hidden skips frames; the panel's last pass is then still open.
        let skipped = context.cumulative_pass_nr() == self.clock.pass;
        if skipped {
            std::thread::sleep(HIDDEN);
        } else if let Some(camera) = self.camera() {
            self.clock.pass = context.cumulative_pass_nr();
            self.painter.show(&self.state.view(camera.clone()));
            let aim =
                self.aim().filter(|_| !matches!(self.pointer.drag(), Some(Drag::Turn | Drag::Pan | Drag::Cut(_))));
            let handles = self.handles();
            let scale = self.window.scale_factor() as f32;
            let stage = Stage { camera: &camera, scale, pointer: aim.map(|aim| aim.pixel), handles: &handles };
            let (window, state) = (&mut self.window, &mut self.state);
            let before = state.look.clone();
            window.draw_ui(|context| ui::draw(context, state, &stage));
            if self.state.look != before {
                self.look_changed();
            }
        }
        let painter = Some(&mut self.painter as &mut dyn kiss3d::renderer::Renderer3d);
        let alive = pollster::block_on(self.window.render(None, None, None, None, painter, None));
        self.after_frame(begin.elapsed());
        alive
    }

    /// Measures the frame, takes it into the recording, and renames the window.
    fn after_frame(&mut self, took: Duration) {
        let times = self.painter.times();
        self.state.history.note_frame(times, took);
        let rested = std::mem::take(&mut self.clock.rested);
        self.clock.frames.note(Instant::now(), rested);
        self.state.frame.scale = times.scale;
        self.state.frame.recording = self.record_frame();
        if self.clock.titled.elapsed() > TITLE {
            self.clock.titled = Instant::now();
            // Title and panel show this one number until the next look.
            self.state.frame.fps = self.clock.frames.per_second();
            if let Some(report) = &self.state.report {
                let fps = self.state.frame.fps.map(|fps| format!(", {} fps", pace::short(fps))).unwrap_or_default();
                self.window.set_title(&format!("{}, step {}{fps} – Lavoxel", report.name, report.step));
            }
        }
    }
}
