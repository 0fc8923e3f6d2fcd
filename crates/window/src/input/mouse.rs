//! Event handlers of the window for mouse, keys and requests of the panel: drags of the camera or
//! with a tool, opening of scenes, screenshots and recordings.

use std::path::Path;
use std::time::Instant;

use image::RgbaImage;
use kiss3d::event::{Action as Press, Key, Modifiers, MouseButton};

use crate::edit::slices;
use crate::edit::vent_handles;
use crate::history::record::{Cutout, Shot};
use crate::input::keys::{self, Action};
use crate::input::pointer::Drag;
use crate::messages::{Command, History, Notice, Pace};
use crate::shell::app::App;
use crate::state::{HEIGHTMAP_PACE, Request, USUAL_PACE};
use lavoxel_files::archive::is_session;
use lavoxel_files::output::file_name;
use lavoxel_files::shipped;
use lavoxel_scene::scene::{LavaSpec, Overrides, Scene, SceneError, pack};

/// Name of the lava preset for a bare heightmap that is opened in the physical model.
const USUAL_LAVA: &str = "etna-basalt";
/// Value that a wheel event has for one notch of the mouse wheel.
const NOTCH: f32 = 10.0;
/// Upper bound of the number of frames that are averaged for a screenshot.
const SHOT_FRAMES: u32 = 8;
/// Upper bound of the time in seconds for drawing a screenshot, during which the window does not
/// respond.
const SHOT_S: f32 = 1.0;

impl App {
    /// Records the pointer's position `at` (in pixels from the top left of the window), and applies
    /// the movement to the drag in progress.
    pub(crate) fn moved(&mut self, at: (f32, f32)) {
        let dragged = self.pointer.move_to(at);
        let size = self.size();
        if matches!(dragged, Some((Drag::Tool, _)))
            && let Some((_, entered, part)) = self.sight(at)
        {
            self.state.tools.trace(entered, part);
        }
        if let (Some((drag, by)), Some(rig)) = (dragged, &mut self.rig) {
            match drag {
                Drag::Turn => rig.drag(by),
                Drag::Pan => rig.pan(by, size),
                Drag::Cut(axis) => self.drag_cut(axis, at),
                Drag::Panel | Drag::Tool => {}
            }
        }
    }

    /// Moves the slice across `axis` (0 x, 1 y, 2 z) to the cell under the pointer at the pixel
    /// (`x`, `y`) during a drag.
    fn drag_cut(&mut self, axis: usize, (x, y): (f32, f32)) {
        let (Some(camera), Some(sides)) = (self.camera(), self.state.sides()) else {
            return;
        };
        if let Some(cell) = slices::dragged_to(axis, &camera.ray(x, y), sides.map(|n| n as f32)) {
            self.state.cuts.at[axis] = cell;
            self.state.cuts.chosen = axis;
        }
    }

    /// Handles the press or release of a mouse button: begins or ends a drag. `held`: modifier keys
    /// held at that time.
    pub(crate) fn button(&mut self, button: MouseButton, press: Press, held: Modifiers) {
        if press == Press::Release {
            if self.pointer.release(button) == Some(Drag::Tool) {
                self.state.tools.release();
            }
            return;
        }
        self.gesture = false;
        let Some(at) = self.pointer.at else { return };
        let drag = if self.over_panel(at) {
            Drag::Panel
        } else {
            self.leave_print_for_tool();
            self.begun(button, held)
        };
        self.pointer.press(button, || drag);
    }

    /// Returns the drag that begins when `button` is pressed over the picture. The left button
    /// drags, in this order of precedence, a slice or vent handle under the pointer, with the
    /// selected tool, or the camera.
    fn begun(&mut self, button: MouseButton, held: Modifiers) -> Drag {
        let shift = held.contains(Modifiers::Shift);
        self.shift = shift;
        let over_second = self.pointer.at.is_some_and(|at| self.over_second(at));
        let free = self.pointer.drag().is_none() && !over_second;
        if button == MouseButton::Button1 && free {
            let all = self.handles();
            let scale = self.window.scale_factor() as f32;
            if let (Some(at), Some(camera), Some(sides)) =
                (self.pointer.at, self.camera(), self.state.sides())
                && let Some(axis) =
                    self.state
                        .cuts
                        .under(&camera, sides.map(|n| n as f32), at, scale)
            {
                return Drag::Cut(axis);
            }
            let handle = self
                .pointer
                .at
                .and_then(|at| vent_handles::under(&all, at, scale))
                .copied();
            if let (Some(aim), Some(report)) = (self.aim(), &self.state.report) {
                // Shift with a drag pans, except on a handle, where Shift selects energy or
                // temperature.
                let takes = handle.is_some() || !shift;
                if takes && self.state.tools.press(&aim, handle.as_ref(), report) {
                    return Drag::Tool;
                }
            }
        }
        match button {
            MouseButton::Button3 => Drag::Pan,
            _ if shift => Drag::Pan,
            _ => Drag::Turn,
        }
    }

    /// Zooms the camera towards the pointer; no effect while the pointer is over the panel. `by`:
    /// value of a wheel event, `NOTCH` per notch.
    pub(crate) fn wheel(&mut self, by: f32) {
        let Some(at) = self.pointer.at.filter(|at| !self.over_panel(*at)) else {
            return;
        };
        let (size, twin) = (self.size(), self.twin(at));
        if let Some(rig) = &mut self.rig {
            rig.zoom(by / NOTCH, twin, size);
        }
    }

    /// Handles the press or release of a key; `typed`: character of a press; `held`: modifier keys
    /// held at that time. Returns true if the panel must not receive the event.
    pub(crate) fn key(
        &mut self,
        key: Key,
        typed: Option<char>,
        press: Press,
        held: Modifiers,
    ) -> bool {
        self.shift = held.contains(Modifiers::Shift);
        self.control = held.intersects(Modifiers::Control | Modifiers::Super);
        self.acted = false;
        if press == Press::Release {
            self.down.release(key);
            return !self.typing();
        }
        if self.typing() && !keys::works_while_typing(key) {
            return false;
        }
        self.gesture = false;
        let first = self.down.press(key, typed, held);
        if let Some(action) =
            keys::action(key, typed, held).filter(|action| first || repeats(*action))
        {
            self.acted = true;
            self.act(action);
        }
        true
    }

    /// Carries out `request`, which the panel or another element of the user interface has made.
    pub(crate) fn carry_out(&mut self, request: Request) {
        // Each action decides by itself.
        if !matches!(request, Request::Do(_) | Request::StopPrint) {
            self.end_print();
        }
        match request {
            Request::Do(action) => self.act(action),
            Request::Send(Command::World(command)) => self.do_to_world(command),
            Request::Send(command) => self.worker.send(command),
            Request::Go(way) => self.go(way),
            Request::Compare(branch) => self.compare(branch),
            Request::Film(wish) => self.film(wish),
            Request::Open(path) => self.open(&path),
            Request::Make(scene) => self.make(*scene),
            Request::ChooseSecond => self.choose_second(),
            Request::RunSecond(path) => self.run_second(&path),
            Request::RunSecondOf(scene) => self.run_second_of(*scene),
            Request::Finer => self.open_finer(),
            Request::Physical => self.open_in_physical_model(),
            Request::Begin => self.begin_challenge(),
            Request::StopPrint => self.stop_print(),
        }
    }

    /// Opens the scene or heightmap `path` (a path, or the name of a built-in scene). On an error,
    /// shows a notice and keeps the present scene.
    pub(crate) fn open(&mut self, path: &Path) {
        let path = shipped::named(path).unwrap_or_else(|| path.to_owned());
        if self.resumes(&path) {
            return;
        }
        let opened = Scene::open(&path);
        let bare = opened.is_ok() && Scene::is_heightmap(&path);
        if !self.opens(&path, opened) {
            return;
        }
        self.state.shown.models = bare.then(|| Box::new((path, Overrides::default())));
        self.state.shown.model_chosen = false;
        let pace = if bare { HEIGHTMAP_PACE } else { USUAL_PACE };
        if bare || self.state.rate == HEIGHTMAP_PACE {
            self.keep_pace(pace);
        }
    }

    /// Opens the session file `path` and replays its history. Returns false, and opens nothing, if
    /// the file is no session file, has no history, or has an unreadable history (which also
    /// becomes a notice).
    fn resumes(&mut self, path: &Path) -> bool {
        let (scene, history) = match pack::history(path) {
            Ok(Some(read)) if is_session(path) => read,
            _ => return false,
        };
        let history = match History::from_text(&history) {
            Ok(history) => Box::new(history),
            Err(error) => {
                self.tell(Notice::wrong(format!(
                    "{}: {error}; it is opened without its history",
                    path.display()
                )));
                return false;
            }
        };
        self.state.shown.opening = false;
        self.state.shown.models = None;
        self.state.expect(scene.clone());
        self.worker.send(Command::Resume(Box::new(scene), history));
        self.state.recent.remember(path);
        self.tell(Notice::new(format!("opening {}", path.display())));
        true
    }

    /// Opens the present bare heightmap again, in the physical model.
    fn open_in_physical_model(&mut self) {
        let Some(heightmap) = self.state.shown.models.take() else {
            return;
        };
        let (path, mut overrides) = *heightmap;
        match LavaSpec::preset(USUAL_LAVA) {
            Ok(lava) => overrides.lava = Some(lava),
            Err(text) => return self.tell(Notice::wrong(text)),
        }
        // The physical model has no rates in cells per step.
        overrides.vents.iter_mut().for_each(|vent| vent.rate = None);
        let opened = Scene::around_heightmap(&path, &overrides);
        if self.opens(&path, opened) {
            self.keep_pace(USUAL_PACE);
        }
    }

    /// Sends the opened scene of the file `path` to the simulation; on an error, shows a notice and
    /// returns false.
    fn opens(&mut self, path: &Path, opened: Result<Scene, SceneError>) -> bool {
        let scene = match opened {
            Ok(scene) => scene,
            Err(error) => {
                self.tell(Notice::wrong(error.to_string()));
                return false;
            }
        };
        self.send(scene);
        self.state.recent.remember(path);
        self.tell(Notice::new(format!("opening {}", path.display())));
        true
    }

    /// Replaces the session by `scene`, which is sent to the simulation, and closes the start
    /// screen.
    fn send(&mut self, scene: Scene) {
        self.state.shown.opening = false;
        self.state.expect(scene.clone());
        self.worker.send(Command::Open(Box::new(scene)));
    }

    /// Opens `scene`, which was generated by the program and has no file.
    fn make(&mut self, scene: Scene) {
        self.tell(Notice::new(format!("opening {}", scene.spec.name)));
        self.state.shown.models = None;
        self.send(scene);
        if self.state.rate == HEIGHTMAP_PACE {
            self.keep_pace(USUAL_PACE);
        }
    }

    /// Opens the present scene again with cells of half the edge length; shows a notice if the
    /// finer scene would be too large.
    fn open_finer(&mut self) {
        let mut scene = self.state.scene.clone();
        match scene.make_finer(2).and_then(|()| scene.check_drawable()) {
            Ok(()) => {
                let [nx, ny, nz] = scene.spec.grid.size;
                self.tell(Notice::new(format!(
                    "{} again in {nx} × {ny} × {nz} cells, half as large",
                    scene.spec.name
                )));
                self.send(scene);
            }
            Err(error) => self.tell(Notice::wrong(error.to_string())),
        }
    }

    /// Sets the pace; while paused, sets only the pace that the simulation will have after the
    /// pause.
    fn keep_pace(&mut self, pace: Pace) {
        if self.state.pace.value == Pace::Paused {
            self.state.rate = pace;
        } else {
            self.state.set_pace(pace);
        }
    }

    /// Draws the present state and writes the picture, or the print that is shown, to an image file.
    /// `transparent`: true to make sky and backdrop transparent (alpha 0).
    pub(crate) fn screenshot(&mut self, transparent: bool) {
        if self.is_printing() {
            return self.save_print(transparent);
        }
        let Some(image) = self.photograph(transparent) else {
            return;
        };
        if let Some(shot) = self.shot(image, transparent) {
            self.files.write(shot);
        }
    }

    /// Returns `image`, a picture of the present state, with name and labels for an image file;
    /// `None` before the first report.
    pub(crate) fn shot(&self, image: RgbaImage, transparent: bool) -> Option<Shot> {
        let report = self.state.report.as_ref()?;
        let labels = vec![
            ("Title", report.name.clone()),
            ("Software", format!("lavoxel {}", env!("CARGO_PKG_VERSION"))),
            ("Seed", report.seed.to_string()),
            ("Step", report.step.to_string()),
        ];
        let name = file_name(&report.name);
        Some(Shot {
            image,
            transparent,
            name,
            labels,
        })
    }

    /// Starts a recording or ends the recording in progress.
    pub(crate) fn toggle_recording(&mut self) {
        if self.files.recorder().is_some() {
            self.end_recording();
            return;
        }
        let Some(report) = &self.state.report else {
            return;
        };
        let part = Cutout::uncovered(
            self.covered() as u32,
            (self.window.width(), self.window.height()),
        );
        let typed = self.state.shown.record_path.trim();
        let path = (!typed.is_empty()).then(|| Path::new(typed));
        match self.files.record(path, &file_name(&report.name), part) {
            Ok(path) => {
                self.recording_since = Instant::now();
                self.state.film.begin();
                self.tell(Notice::new(format!("recording {}", path.display())));
                self.record_frame();
            }
            Err(error) => self.tell(Notice::wrong(error.to_string())),
        }
    }

    /// Ends the recording in progress and makes key frames of its camera path; a recording without
    /// a frame first gets the present picture.
    pub(crate) fn end_recording(&mut self) {
        let Some(recorder) = self.files.recorder() else {
            return;
        };
        let seconds = self.recording_since.elapsed().as_secs_f64();
        if !recorder.has_begun() {
            self.record_seen(seconds);
        }
        self.files.end_recording(seconds);
        self.journal.say("recording ended");
        self.keep_way();
    }

    /// Adds the window's picture to the recording if a frame is due. Returns the time in seconds
    /// since the recording began; `None` without a recording, or if the recording has failed.
    pub(crate) fn record_frame(&mut self) -> Option<f64> {
        let seconds = self.recording_since.elapsed().as_secs_f64();
        let recorder = self.files.recorder()?;
        if recorder.has_failed() {
            self.files.end_recording(seconds);
            return None;
        }
        if recorder.wants(seconds) {
            self.record_seen(seconds);
        }
        self.sample_camera(seconds);
        Some(seconds)
    }

    /// Adds the picture on the screen to the recording, as the picture at `seconds` after the
    /// recording's start.
    fn record_seen(&mut self, seconds: f64) {
        let picture = self.seen();
        if let (Some(picture), Some(recorder)) = (picture, self.files.recorder()) {
            recorder.take(picture, seconds);
        }
    }

    /// Returns the number of frames to average for a screenshot: as many as can be drawn within
    /// `SHOT_S`, at least 1 and at most `SHOT_FRAMES`.
    pub(crate) fn shot_frames(&self) -> u32 {
        let times = self.painter.times();
        let whole = times.draw.as_secs_f32() / (times.scale * times.scale).max(1e-3);
        ((SHOT_S / whole.max(1e-3)) as u32).clamp(1, SHOT_FRAMES)
    }
}

/// Returns true if `action` is carried out again and again while its key is held.
fn repeats(action: Action) -> bool {
    matches!(
        action,
        Action::Step
            | Action::Faster
            | Action::Slower
            | Action::MoveCut(_)
            | Action::Brush(_)
            | Action::Zoom(_)
            | Action::Undo
            | Action::Redo
    )
}
