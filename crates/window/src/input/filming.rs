//! Key frames of the window's film: requests of the panel, the preview, and the conversion of a
//! recording's camera path to key frames.

use crate::input::pointer::Drag;
use crate::messages::Notice;
use crate::shell::app::App;

/// Request of the panel to edit or preview the film's key frames; indices count from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Filming {
    /// Adds a key frame with the present step of the simulation and the present camera.
    Add,
    /// Replaces step and camera of the key frame with this index by the present step and camera.
    Replace(usize),
    /// Moves the window's camera to the camera of the key frame with this index.
    Show(usize),
    /// Starts the preview of the film, or ends a running preview.
    Preview,
}

impl App {
    /// Carries out the panel's request `wish` about the key frames of the film; does nothing before
    /// the first scene.
    pub(crate) fn film(&mut self, wish: Filming) {
        let (Some(rig), Some(bounds), Some(report)) =
            (&mut self.rig, self.opened, &self.state.report)
        else {
            return;
        };
        let (film, scene) = (&mut self.state.film, &self.state.scene.spec.camera);
        let (step, camera) = (report.step, rig.spec(&bounds));
        match wish {
            Filming::Add => {
                let at = film.add(step, &camera);
                let line = format!(
                    "key frame {} at {:.2} s, step {step}",
                    at + 1,
                    film.keys[at].time_s
                );
                self.journal.say(&line);
            }
            Filming::Replace(at) if at < film.keys.len() => {
                let done = film.replace(at, step, &camera);
                let line = format!("key frame {} has step {step}", at + 1);
                match done {
                    Ok(()) => self.journal.say(&line),
                    Err(text) => self.tell(Notice::wrong(text)),
                }
            }
            Filming::Show(at) => {
                if let Some(time_s) = film.keys.get(at).map(|key| key.time_s) {
                    film.preview = None;
                    rig.stand(&film.camera(time_s, scene), &bounds);
                }
            }
            Filming::Preview => {
                film.preview = if film.preview.is_some() || film.keys.is_empty() {
                    None
                } else {
                    Some(0.0)
                };
                let line = if film.preview.is_some() {
                    "preview of the film"
                } else {
                    "preview ended"
                };
                self.journal.say(line);
            }
            Filming::Replace(_) => {}
        }
    }

    /// Advances the running preview of the film by `seconds` and moves the camera along. A drag of
    /// the camera ends the preview. Returns false if no preview runs.
    pub(crate) fn preview(&mut self, seconds: f32) -> bool {
        let (Some(rig), Some(bounds)) = (&mut self.rig, self.opened) else {
            return false;
        };
        let (film, scene) = (&mut self.state.film, &self.state.scene.spec.camera);
        let Some(at) = film.preview else { return false };
        if film.keys.is_empty() || matches!(self.pointer.drag(), Some(Drag::Turn | Drag::Pan)) {
            film.preview = None;
            return false;
        }
        let (now, end) = (at + f64::from(seconds), film.seconds());
        rig.stand(&film.camera(now.min(end), scene), &bounds);
        film.preview = (now < end).then_some(now);
        if film.preview.is_none() {
            self.journal.say("preview ended");
        }
        true
    }

    /// Adds the present camera and the simulation's present step to the camera path of the
    /// recording. `seconds`: time since the recording began.
    pub(crate) fn sample_camera(&mut self, seconds: f64) {
        let (Some(rig), Some(bounds), Some(report)) = (&self.rig, self.opened, &self.state.report)
        else {
            return;
        };
        self.state
            .film
            .sample(seconds, report.step, rig.shown_spec(&bounds));
    }

    /// Replaces the film's key frames by the camera path of the ended recording, and tells the user
    /// how to render these key frames at full quality.
    pub(crate) fn keep_way(&mut self) {
        if let Some(count) = self.state.film.end() {
            let text = format!(
                "the way of the camera is kept as {count} key frames: save the session (Ctrl+S), then film it at full quality with \
                 lavoxel render SESSION.lavoxel --size 1920x1080 --animation film.mp4"
            );
            self.tell(Notice::new(text));
        }
    }
}
