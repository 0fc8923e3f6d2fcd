//! Event loop of the window: handles events, sends commands to the simulation, and draws frames.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use kiss3d::event::{Action as Press, Key, WindowEvent};
use kiss3d::window::Window;

use crate::camera::rig::Rig;
use crate::camera::viewpoint::Size;
use crate::edit::tools::ToolRequest;
use crate::edit::vent_handles::{self, Handle};
use crate::history::journal::{Journal, Log};
use crate::history::record::Files;
use crate::input::ground_pick::meet_ground;
use crate::input::keys::{Cap, Down};
use crate::input::pointer::Aim;
use crate::input::pointer::{Drag, Pointer};
use crate::messages::{Command, Glow, Notice, Pace, Watch};
use crate::paint::{DrawOn, Painter, Quality, View};
use crate::shell::clock::{Clock, Reasons};
use crate::shell::compare::Compare;
use crate::shell::dialog::{Answer, Dialog};
use crate::shell::direct_present::DirectPresent;
use crate::shell::display::{self, DisplayLost, NoWindow};
use crate::shell::print::Printing;
use crate::shell::recent::Recent;
use crate::shell::second::SecondRun;
use crate::state::{Request, State};
use crate::ui;
use crate::worker::{StartError, Worker};
use lavoxel_automaton::world::Quantity;
use lavoxel_base::validate::Invalid;
use lavoxel_render::{Bounds, Camera, Ray};
use lavoxel_scene::scene::{Overrides, Scene};
use lavoxel_session::Tool;
use lavoxel_session::{entered, lies_in};

/// Time for which the event loop sleeps between two polls, while no frame is due.
const REST: Duration = Duration::from_millis(8);
/// Smallest time between the starts of two frames; bounds the frame rate where neither the screen's
/// refresh nor the drawing time limits the rate.
const SHORTEST: Duration = Duration::from_millis(4);
/// Time after the pointer's last movement during which a camera drag with a held button still
/// counts as a movement of the camera.
const HELD: Duration = Duration::from_millis(300);
/// Number of frames drawn after the last change, so that hover effects and fades of the panel reach
/// their end.
const AFTER: u32 = 4;

/// Settings with which the window opens its first scene.
pub struct Options {
    /// Width and height in logical pixels (points); `None`: the largest size that fits the screen,
    /// at most 1280 × 800.
    pub size: Option<(u32, u32)>,
    /// Pace of the simulation outside of pauses.
    pub pace: Pace,
    /// Set to open the window with the simulation paused.
    pub paused: bool,
    /// Number of steps that the simulation makes as fast as possible before a pause; `None`: the
    /// simulation runs at `pace`.
    pub steps: Option<u64>,
    /// Set to show the panel when the window opens.
    pub panel: bool,
    /// Path of the scene's file, for the list of recent files; `None` for a scene without a file.
    pub file: Option<PathBuf>,
    /// Set if `file` is an unchanged session file whose history the window replays.
    pub resumes: bool,
    /// Path of the bare heightmap from which the scene was made, and the overrides of the command
    /// line; `None` for other scenes. If set, the window offers to open the heightmap in the
    /// physical model.
    pub heightmap: Option<(PathBuf, Overrides)>,
    /// Set to show the start screen over the scene; the tour of the window begins if the user has
    /// never seen the tour.
    pub start_screen: bool,
    /// Device that draws the pictures: graphics card or processor.
    pub draw_on: DrawOn,
    /// Scene of a second run, shown in the right part of the window; `None` for one run.
    pub second: Option<Scene>,
    /// Callback for the window's log, called with one line per event; `None` for no log.
    pub log: Option<Log>,
    /// Function that returns true once the window should close (such as after Ctrl-C in the
    /// terminal); called once per pass of the event loop.
    pub stop: fn() -> bool,
}

/// Error that prevents the window from opening or from staying open.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ViewerError {
    /// The window cannot be opened, since there is no display, no graphics adapter, or a shared
    /// library is missing.
    #[error(transparent)]
    NoWindow(#[from] NoWindow),
    /// The connection to the display broke while the window was open.
    #[error(transparent)]
    Lost(#[from] DisplayLost),
    /// The scene or the second scene is invalid, or the simulation thread cannot be started.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The scene's look settings are invalid.
    #[error(transparent)]
    Look(#[from] Invalid),
}

/// Opens a window that shows `scene`, and returns when the user closes the window. Must be called
/// on the main thread.
///
/// # Errors
/// See [`ViewerError`]. If a scene is invalid, no window is opened.
pub fn open(scene: Scene, options: Options) -> Result<(), ViewerError> {
    let clock = Clock::new();
    let worker = Worker::start(scene.clone(), options.second)?;
    let mut window = display::open_window(&format!("{} – Lavoxel", scene.spec.name), options.size)?;
    ui::theme(window.egui_context());
    // Shows a loading screen first: shaders and the ground take a moment.
    window.draw_ui(|context| ui::loading(context, &scene.spec.name));
    pollster::block_on(window.render(None, None, None, None, None, None));
    // In the passes of a graphics card, a software adapter needs minutes for a picture, and the
    // window would stay black.
    let software = Painter::software_adapter().filter(|_| options.draw_on == DrawOn::Gpu);
    let draw_on = if software.is_some() {
        DrawOn::Cpu
    } else {
        options.draw_on
    };
    let painter = Painter::new(&scene.look(), draw_on)?;
    window.hdr_settings_mut().color_grading.gamma = painter.film_gamma();
    // A challenge starts paused: the player has yet to read the task.
    let paused = options.paused || !scene.spec.goals.is_empty();
    let pace = if paused { Pace::Paused } else { options.pace };
    let starting = options.steps.map_or(!paused, |steps| steps > 0);
    // Only one of the two commands: with both, one step more could be made between them.
    let start = options.steps.map_or(Command::Pace(pace), Command::Steps);
    let mut state = State::new(scene, pace, options.panel);
    state.rate = options.pace;
    state.recent = Recent::of_user();
    options
        .file
        .iter()
        .for_each(|file| state.recent.remember(file));
    state
        .requests
        .extend(options.file.filter(|_| options.resumes).map(Request::Open));
    state.shown.models = options.heightmap.map(Box::new);
    (state.shown.opening, state.shown.focus_path) = (options.start_screen, options.start_screen);
    state.shown.tour = (options.start_screen && state.recent.takes_the_tour()).then_some(0);
    state.shown.usual_fps = painter.usual_fps();
    state.shown.quality = Quality::Auto {
        target_fps: painter.usual_fps(),
    };
    let mut app = App {
        straight: DirectPresent::new(&painter),
        state,
        journal: Journal::new(options.log, starting),
        start: Some(start),
        stop: options.stop,
        window,
        worker,
        painter,
        rig: None,
        opened: None,
        pointer: Pointer::default(),
        down: Down::default(),
        shift: false,
        control: false,
        acted: false,
        files: Files::new(),
        recording_since: Instant::now(),
        asked: Asked::default(),
        clock,
        gesture: false,
        compare: Compare::default(),
        printing: Printing::default(),
        second: None,
        dialog: None,
        dialog_for_second: false,
        quit: false,
    };
    app.journal.say(if app.painter.is_on_cpu() {
        "drawing on the processor"
    } else {
        "drawing on the graphics card"
    });
    if let Some(name) = software {
        app.tell(Notice::wrong(format!(
            "no graphics card: the adapter is software ({name}), which needs minutes for a picture; the processor draws instead, as with \
             --renderer cpu"
        )));
    }
    match display::while_there(|| app.run()) {
        Ok(()) => app.close(),
        Err(lost) => {
            app.abandon();
            return Err(lost.into());
        }
    }
    Ok(())
}

pub(crate) struct App {
    pub(crate) window: Window,
    pub(crate) worker: Worker,
    pub(crate) painter: Painter,
    /// Fast path that presents frames in which only the picture has changed, without kiss3d's
    /// drawing; `None` if unavailable.
    pub(crate) straight: Option<DirectPresent>,
    pub(crate) state: State,
    /// Camera rig; `None` before the first report of the simulation.
    pub(crate) rig: Option<Rig>,
    /// Bounds in cells of the scene as opened, with which a film of the scene frames its camera;
    /// `None` before the first report.
    pub(crate) opened: Option<Bounds>,
    pub(crate) pointer: Pointer,
    /// Keyboard keys that the user holds down.
    pub(crate) down: Down,
    pub(crate) shift: bool,
    pub(crate) control: bool,
    /// Set if the key pressed last has triggered an action.
    pub(crate) acted: bool,
    pub(crate) files: Files,
    pub(crate) recording_since: Instant,
    pub(crate) journal: Journal,
    asked: Asked,
    pub(crate) clock: Clock,
    /// Set once a command has been sent since a mouse button or key was pressed; until the release,
    /// further commands are undone together with the first.
    pub(crate) gesture: bool,
    pub(crate) compare: Compare,
    /// Print of the present view, traced in the background.
    pub(crate) printing: Printing,
    /// Second run at the right of the window; `None` for one run.
    pub(crate) second: Option<SecondRun>,
    pub(crate) dialog: Option<Dialog>,
    /// Set while a file dialog is open in which the user chooses the scene of the second run.
    pub(crate) dialog_for_second: bool,
    /// Command that starts the simulation, sent once the first picture is on the screen; `None`
    /// afterwards.
    start: Option<Command>,
    stop: fn() -> bool,
    pub(crate) quit: bool,
}

/// Values sent to the simulation last, one per kind of request; a value is sent again only after a
/// change.
#[derive(Default)]
struct Asked {
    ray: Option<[f32; 6]>,
    cuts: Option<([Option<usize>; 3], Quantity)>,
    glow: Option<Glow>,
    gives_way: bool,
    watch: Watch,
}

impl App {
    fn run(&mut self) {
        while !self.quit && !(self.stop)() {
            let seconds = self.clock.tick();
            let reasons = self.look_around(seconds);
            if self.clock.drawn.elapsed() < reasons.wait(self.painter.is_on_cpu()) {
                std::thread::sleep(REST);
                self.window.canvas_mut().poll_events();
                continue;
            }
            let begin = Instant::now();
            if !self.draw(reasons) {
                self.quit = true;
            }
            std::thread::sleep(SHORTEST.saturating_sub(begin.elapsed()));
        }
    }

    /// Handles window events, updates of the simulation and results of the file dialog, and moves
    /// the camera. `seconds`: time since the last call. Returns the reasons for drawing another
    /// frame.
    fn look_around(&mut self, seconds: f32) -> Reasons {
        let on_cpu = self.painter.is_on_cpu();
        let [heard, numbers, moved, worked] = [
            self.hear(),
            self.receive(),
            self.move_camera(seconds),
            self.work(),
        ];
        // On the CPU, drags of the camera do not wake the window: the CPU painter starts the next
        // picture by itself, and that picture shows the turned camera. The panel receives the
        // drag's events when the button is released.
        let heard =
            heard && !(on_cpu && matches!(self.pointer.drag(), Some(Drag::Turn | Drag::Pan)));
        if heard || worked || (!on_cpu && (moved || numbers)) {
            self.clock.awake = AFTER;
        }
        if let Some(camera) = self.camera() {
            // A recording may show the whole window: then no columns count as covered.
            let covered = if self.files.recorder().is_some() {
                0
            } else {
                self.covered() as usize
            };
            self.place_pictures();
            self.painter.show(&View {
                covered,
                ..self.state.view(camera)
            });
        }
        // Both painters must fetch their finished pictures, so neither call may be skipped.
        let second = self.second.as_mut();
        let beside = second.is_some_and(|second| second.painter.has_news());
        let picture = self.painter.has_news() | beside;
        self.begin();
        let toasts = !self.state.toasts.is_empty();
        let repaint = self.window.egui_context().has_requested_repaint();
        Reasons {
            picture,
            heard,
            touched: self.clock.awake > 0 || repaint || (toasts && !on_cpu),
            numbers: numbers || moved || toasts,
        }
    }

    /// Sends the start command once the first picture is on the screen, or if no picture can be
    /// drawn.
    fn begin(&mut self) {
        let shown = self.painter.times().shown > 0;
        let hopeless = self.state.report.is_some() && !self.painter.has_scene();
        if (shown || hopeless)
            && let Some(start) = self.start.take()
        {
            if shown {
                self.journal
                    .say(&format!("first picture after {:.1} s", self.clock.now()));
            }
            self.worker.send(start);
            self.state.pace.touch();
        }
    }

    /// Completes the files being written and ends the simulation thread, after the connection to
    /// the display has broken. Leaks the window's resources, since freeing them would call into the
    /// display.
    fn abandon(self) {
        let Self {
            files,
            mut journal,
            worker,
            painter,
            straight,
            window,
            second,
            ..
        } = self;
        for notice in files.close() {
            journal.note(&notice);
        }
        drop(worker);
        // Freeing the resources of a lost display would call into the display, so they are leaked.
        std::mem::forget((painter, second, straight, window));
    }

    /// Completes the files being written and ends the simulation thread; called when the window
    /// closes.
    fn close(mut self) {
        self.end_recording();
        let Self {
            files,
            mut journal,
            worker,
            painter,
            straight,
            window,
            second,
            ..
        } = self;
        for notice in files.close() {
            journal.note(&notice);
        }
        journal.say("closed");
        // Order of the drops: the painter's textures before the last window's device.
        drop((worker, painter, second, straight));
        drop(window);
    }

    /// Returns width and height in pixels, at least 1, of the picture of the first run: that of the
    /// whole window, or with two runs that of the region left of the divider.
    pub(crate) fn size(&self) -> Size {
        let width = self.divider().unwrap_or_else(|| self.window.width());
        (width.max(1) as usize, self.window.height().max(1) as usize)
    }

    /// Returns the camera with which this frame shows the first run; `None` before the first
    /// report.
    pub(crate) fn camera(&self) -> Option<Camera> {
        self.rig.as_ref().map(|rig| rig.window_camera(self.size()))
    }

    /// Handles all pending window events. Returns true if there were any.
    fn hear(&mut self) -> bool {
        let mut manager = self.window.events();
        let mut any = false;
        let mut events = manager.iter().peekable();
        while let Some(mut event) = events.next() {
            any = true;
            // A key event names only the position on the keyboard: the next event holds the
            // character of the user's layout.
            let typed = match (event.value, events.peek().map(|next| next.value)) {
                (WindowEvent::Key(_, Press::Press, _), Some(WindowEvent::Char(typed))) => {
                    Some(typed)
                }
                _ => None,
            };
            event.inhibited = self.handle(event.value, typed);
        }
        drop(events);
        for path in self.window.dropped_files() {
            any = true;
            self.open(&path);
        }
        any
    }

    /// Handles one window event; `typed`: character of a pressed key. Returns true if the panel
    /// must not receive the event.
    fn handle(&mut self, event: WindowEvent, typed: Option<char>) -> bool {
        match event {
            WindowEvent::Close => self.quit = true,
            WindowEvent::FramebufferSize(width, height) => {
                self.journal.say(&format!("window {width}x{height}"))
            }
            WindowEvent::CursorPos(x, y, _) => self.moved((x as f32, y as f32)),
            WindowEvent::MouseButton(button, action, held) => self.button(button, action, held),
            WindowEvent::Scroll(_, y, _) => self.wheel(y as f32),
            WindowEvent::Key(key, action, held) => return self.key(key, typed, action, held),
            // While Control is held, a letter is a shortcut and no text.
            // The character of a key that triggered an action is no text either: the action may
            // have opened a text field.
            WindowEvent::Char(_) => {
                return std::mem::take(&mut self.acted) || !self.typing() || self.control;
            }
            _ => {}
        }
        false
    }

    /// Applies all updates that the simulation thread has sent. Returns true if anything visible
    /// changed.
    fn receive(&mut self) -> bool {
        let mut any = self.hear_dialog();
        while self.painter.has_room()
            && self
                .second
                .as_ref()
                .is_none_or(|second| second.painter.has_room())
            && let Some(mut update) = self.worker.poll()
        {
            any = true;
            if let Err(too_large) = self.painter.apply(&mut update.changes) {
                update.notices.push(Notice::wrong(too_large.to_string()));
            }
            // A probe in the cut-away part of the box would describe an invisible cell.
            let part = self.camera().map(|camera| self.state.visible_part(&camera));
            let probe = update.report.probe.take();
            update.report.probe =
                probe.filter(|probe| part.is_none_or(|part| lies_in(probe.point, part)));
            let came = self.state.follow(&update);
            std::mem::take(&mut update.notices)
                .into_iter()
                .for_each(|notice| self.tell(notice));
            self.journal.follow(&update.report);
            if let Some(answer) = update.print.take() {
                self.take_subject(answer);
            }
            if came {
                self.end_print();
                self.end_comparison();
                self.place_camera(true);
                self.second_keeps_look();
                self.look_changed();
            }
            self.follow_second(update.second);
        }
        any |= self.go_on_comparing();
        any |= self.go_on_printing();
        for notice in self.files.notices() {
            any = true;
            self.tell(notice);
        }
        any
    }

    /// Opens the file that the user chose in the file dialog. Returns true if the dialog was
    /// closed.
    fn hear_dialog(&mut self) -> bool {
        let answer = self.dialog.as_ref().map_or(Answer::Waiting, Dialog::poll);
        if answer == Answer::Waiting {
            return false;
        }
        self.dialog = None;
        match answer {
            Answer::Chosen(path) if self.dialog_for_second => self.run_second(&path),
            Answer::Chosen(path) => self.open(&path),
            Answer::Missing => {
                if self.state.shown.opening {
                    self.tell(Notice::new(
                        "this system has no dialog for files: type a path into the line".to_owned(),
                    ));
                }
                self.show_files();
                self.state.shown.for_second = self.dialog_for_second;
            }
            Answer::Closed | Answer::Waiting => {}
        }
        true
    }

    /// Returns the bounds in cells that the camera frames; `None` before the first ground has
    /// arrived.
    pub(crate) fn subject(&self) -> Option<Bounds> {
        self.painter
            .subject()
            .map(|subject| self.state.proportioned(subject))
    }

    /// Creates the camera rig for the first scene, and for another scene (`reset`). Fits the rig to
    /// the window's size and to the width that the panel covers, if these have changed.
    fn place_camera(&mut self, reset: bool) {
        let (size, covered) = (self.size(), self.covered());
        let shares = self.second.is_some();
        if !reset
            && self
                .rig
                .as_ref()
                .is_some_and(|rig| rig.is_fitted(size, covered) && rig.shares == shares)
        {
            return;
        }
        let Some(subject) = self.subject() else {
            return;
        };
        match &mut self.rig {
            Some(rig) if !reset => {
                rig.shares = shares;
                rig.fit(&subject, size, covered);
            }
            rig => {
                let spec = &self.state.scene.spec.camera;
                let mut new = Rig::new(spec, &subject, size, covered);
                new.share(shares, &subject);
                *rig = Some(new);
                self.opened = Some(subject);
            }
        }
    }

    /// Returns the width in pixels that the panel covers at the left of the window; 0 if the panel
    /// takes at least 60 % of the window's width.
    pub(crate) fn covered(&self) -> f32 {
        let scale = self.window.scale_factor() as f32;
        let width = self.window.width() as f32 / scale;
        let panel = ui::panel_width(&self.state.shown, width);
        if panel < 0.6 * width {
            panel * scale
        } else {
            0.0
        }
    }

    /// Shows a notice to the user and writes its text to the journal.
    pub(crate) fn tell(&mut self, notice: Notice) {
        self.journal.note(&notice);
        self.state.tell(notice);
    }

    /// Applies the present look settings to the painters of both runs; shows a notice if they are
    /// invalid.
    pub(crate) fn look_changed(&mut self) {
        let second = self.second_follows_look();
        if let Err(invalid) = self.painter.set_look(&self.state.look).and(second) {
            self.tell(Notice::wrong(invalid.to_string()));
        }
    }

    /// Moves the camera as the held keys demand, eases the shown camera towards its goal, and
    /// advances the preview of a film; `seconds`: time since the last call. Returns true while the
    /// camera moves.
    fn move_camera(&mut self, seconds: f32) -> bool {
        self.place_camera(false);
        if self.preview(seconds) {
            return true;
        }
        let typing = self.typing();
        let Some(rig) = &mut self.rig else {
            return false;
        };
        if !typing {
            let types = |letter: char| self.down.steers(Cap::Types(letter));
            let walk = [
                types('d') - types('a'),
                types('e') - types('q'),
                types('w') - types('s'),
            ];
            match &self.state.ground {
                _ if walk == [0.0; 3] => {}
                Some(ground) if rig.first_person => {
                    rig.walk_on(walk, seconds, |x, z| vent_handles::ground_at(ground, x, z));
                }
                _ => rig.walk(walk, seconds),
            }
            let held = |key: Key| self.down.steers(Cap::At(key));
            let turn = (
                held(Key::Right) - held(Key::Left),
                held(Key::Down) - held(Key::Up),
            );
            let pixels = 260.0 * seconds;
            if turn != (0.0, 0.0) {
                rig.drag((-turn.0 * pixels, -turn.1 * pixels));
            }
        }
        // In first person, water and lava above the ground lift the eye.
        let watched = self
            .state
            .report
            .as_ref()
            .and_then(|report| report.watched.as_ref());
        if let (Some(stand), Some(ground)) = (
            watched.and_then(|watched| watched.stand),
            &self.state.ground,
        ) && rig.first_person
            && self.state.column(rig.feet()) == Some(stand.at)
        {
            let [x, z] = stand.at.map(|at| at as f64 + 0.5);
            rig.stand_above(stand.surface - vent_handles::ground_at(ground, x, z));
        }
        (self.state.first_person, self.state.turntable) = (rig.first_person, rig.turntable);
        rig.advance(seconds)
    }

    /// Carries out the requests of the panel, and sends the changed requests of tools, slices and
    /// plots to the simulation. Returns true if the panel requested anything, a tool is in use, or
    /// a recording runs.
    fn work(&mut self) -> bool {
        let requests = std::mem::take(&mut self.state.requests);
        let any = !requests.is_empty();
        requests
            .into_iter()
            .for_each(|request| self.carry_out(request));
        let aim = self.aim();
        if let Some(report) = &self.state.report
            && let Some(stroke) = self.state.tools.stroke(self.clock.now(), report.step)
        {
            self.worker.send(Command::Stroke(Box::new(stroke)));
            self.painter.hurry_ground();
        }
        if let (Some(aim), Some(report)) = (&aim, &self.state.report) {
            match self.state.tools.tick(aim, report) {
                Some(ToolRequest::Send(Command::World(command))) => self.do_to_world(command),
                Some(ToolRequest::Send(command)) => self.worker.send(command),
                Some(ToolRequest::Pick(column, point)) => self.state.plots.pick(column, point),
                Some(ToolRequest::Say(text)) => self.tell(Notice::new(text.to_owned())),
                None => {}
            }
        }
        self.ask_for_pick(aim.map(|aim| aim.ray));
        // From here on each request is sent only if it differs from the last one.
        let cuts = (self.state.cuts.wanted(), self.state.cuts.quantity.clone());
        if self.asked.cuts.as_ref() != Some(&cuts) {
            self.worker.send(Command::Cuts(cuts.0, cuts.1.clone()));
            self.asked.cuts = Some(cuts);
        }
        let stand = self
            .rig
            .as_ref()
            .filter(|rig| rig.first_person)
            .and_then(|rig| self.state.column(rig.feet()));
        let watch = Watch {
            stand,
            ..self.state.plots.wanted(self.state.report.as_ref())
        };
        if self.asked.watch != watch {
            self.worker.send(Command::Watch(watch.clone()));
            self.asked.watch = watch;
        }
        let gives_way = self.pictures_first();
        if self.asked.gives_way != gives_way {
            self.worker.send(Command::GiveWay(gives_way));
            self.asked.gives_way = gives_way;
        }
        let glow = self.state.glow();
        if self.painter.needs_ember() && self.asked.glow.replace(glow) != Some(glow) {
            self.worker.send(Command::Glow(glow));
        }
        if let Some(glow) = self.second_glow() {
            self.worker.send(Command::SecondGlow(glow));
        }
        any || self.state.tools.is_busy() || self.files.recorder().is_some()
    }

    /// Returns true while drawing has priority over simulation steps: the painter is the CPU
    /// painter, the user drags the camera, and no recording runs.
    fn pictures_first(&mut self) -> bool {
        let drags = matches!(self.pointer.drag(), Some(Drag::Turn | Drag::Pan));
        let moves = drags && self.pointer.rests(Instant::now()) < HELD;
        moves && self.painter.is_on_cpu() && self.files.recorder().is_none()
    }

    /// Returns the position of the pointer, and its rays into the scene, while the pointer is over
    /// the picture of the first run. `None` over the panel, the second run or a print, outside the
    /// window, and before the first report.
    pub(crate) fn aim(&self) -> Option<Aim> {
        let pixel = self.pointer.at?;
        let ours = self.pointer.drag() != Some(Drag::Panel);
        let over_panel = self.pointer.drag().is_none() && self.over_panel(pixel);
        if self.is_printing() {
            return None;
        }
        let (ray, entered, part) = self.sight(pixel)?;
        let dragged = self
            .state
            .ground
            .as_ref()
            .filter(|_| self.state.tools.dragged().is_some());
        let ground = dragged.and_then(|ground| meet_ground(ground, &ray, part));
        let (now, shift) = (self.clock.now(), self.shift);
        (ours && !over_panel && !self.over_second(pixel)).then_some(Aim {
            pixel,
            ray,
            entered,
            part,
            ground,
            now,
            shift,
        })
    }

    /// Returns the ray through the pixel (`x`, `y`), its remainder from the entry into the visible
    /// region of the simulation box, and that region (lower and upper bound in cells along x, y and
    /// z). `None` before the first report.
    pub(crate) fn sight(&self, (x, y): (f32, f32)) -> Option<(Ray, Ray, [[f32; 2]; 3])> {
        let (camera, sides) = (self.camera()?, self.state.sides()?);
        let (ray, part) = (camera.ray(x, y), self.state.visible_part(&camera));
        Some((ray, entered(&ray, part, sides.map(|n| n as f32)), part))
    }

    /// Requests the values of the cell that `ray` hits, if the ray has changed since the last
    /// request; `None` stops the measurement. The ray of a click that waits for its probe takes
    /// precedence. While the user drags the camera or a slice, no cell is probed.
    fn ask_for_pick(&mut self, ray: Option<Ray>) {
        let turning = matches!(
            self.pointer.drag(),
            Some(Drag::Turn | Drag::Pan | Drag::Cut(_))
        );
        let ray = self.state.tools.waits_for().or(ray.filter(|_| !turning));
        let part = self
            .camera()
            .map(|camera| self.state.visible_part(&camera))
            .zip(self.state.sides());
        let ray = ray
            .zip(part)
            .map(|(ray, (part, sides))| entered(&ray, part, sides.map(|n| n as f32)));
        let numbers = ray.map(|ray| {
            let (o, d) = (ray.origin, ray.direction);
            [o.x, o.y, o.z, d.x, d.y, d.z]
        });
        if numbers != self.asked.ray {
            self.asked.ray = numbers;
            self.worker.send(Command::Pick(ray));
        }
    }

    /// Returns the draggable handles of the vents in the picture; empty unless the source tool is
    /// selected.
    pub(crate) fn handles(&self) -> Vec<Handle> {
        match (&self.state.ground, self.camera()) {
            (Some(ground), Some(camera)) if self.state.tools.tool == Tool::Source => {
                vent_handles::handles(&self.state.vents.value, ground, &camera)
            }
            _ => Vec::new(),
        }
    }

    /// Returns true if the pixel (`x`, `y`) of the window lies over the panel or another element of
    /// the user interface.
    pub(crate) fn over_panel(&self, (x, y): (f32, f32)) -> bool {
        let scale = self.window.scale_factor() as f32;
        let context = self.window.egui_context();
        let layer = context.layer_id_at(kiss3d::egui::pos2(x / scale, y / scale));
        context.egui_is_using_pointer()
            || layer.is_some_and(|layer| layer.order != kiss3d::egui::Order::Background)
    }

    /// Returns true while a text field or the start screen receives the keyboard input.
    pub(crate) fn typing(&self) -> bool {
        self.state.shown.opening || self.window.egui_context().egui_wants_keyboard_input()
    }
}
