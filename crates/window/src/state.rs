//! The state of the window: the last report, the working copies that the user edits, and what is shown. The panel reads
//! and edits it, and queues requests that the frame loop carries out.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ndarray::Array2;

use super::edit::built::Built;
use super::edit::slices::Cuts;
use super::edit::tools::{Dam, Tool, Tools};
use super::input::complete::Completion;
use super::input::filming::Filming;
use super::input::keys::Action;
use super::messages::{Command, Glow, Notice, Pace, Report, Update, Way};
use super::paint::{Quality, View};
use super::past::film::KeyFrames;
use super::past::times::StageTimes;
use super::plots::Plots;
use super::shell::compare::Sides;
use super::shell::recent::Recent;
use super::shell::toasts::Toasts;
use super::ui::gallery::Gallery;
use lavoxel_air::Wind;
use lavoxel_automaton::matter::Material;
use lavoxel_automaton::rules::{RulesChange, RulesSpec, Walls};
use lavoxel_automaton::world::Quantity;
use lavoxel_render::contents::opened;
use lavoxel_render::{Bounds, Camera, LookSpec};
use lavoxel_scene::scene::{Overrides, Scene};
use lavoxel_sim::goals::{Verdict, outcome};
use lavoxel_sim::source::VentSpec;

/// Time for which an edit overrides reports that may be older than it.
const BELIEVED: Duration = Duration::from_millis(600);

/// The pace of a window that begins with a pause, and of one that is no longer unlimited.
pub(crate) const USUAL_PACE: Pace = Pace::Rate(60.0);

/// The pace on a bare heightmap in the classic model, whose steps are no time: its vent takes minutes to fill a valley.
pub const HEIGHTMAP_PACE: Pace = Pace::Rate(10.0);

/// A working copy of something that the simulation reports.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Draft<T> {
    pub(crate) value: T,
    edited: Option<Instant>,
}

impl<T: Clone + PartialEq> Draft<T> {
    pub(crate) fn new(value: T) -> Self {
        Self { value, edited: None }
    }

    /// Marks the value as just edited by the user.
    pub(crate) fn touch(&mut self) {
        self.edited = Some(Instant::now());
    }

    /// Takes over the reported value, also over an edit: that of another scene is void.
    fn replace(&mut self, reported: &T) {
        self.edited = None;
        self.value.clone_from(reported);
    }

    /// Takes over the reported value, unless an edit is still on its way.
    fn follow(&mut self, reported: &T) {
        if self.edited.is_none_or(|at| at.elapsed() > BELIEVED) {
            self.edited = None;
            self.value.clone_from(reported);
        }
    }
}

/// A request to the frame loop.
#[derive(Clone, Debug)]
pub(crate) enum Request {
    /// The action of a key.
    Do(Action),
    /// A message to the simulation.
    Send(Command),
    /// Go through time.
    Go(Way),
    /// Show a branch beside the present one.
    Compare(u64),
    /// Key frames of the film.
    Film(Filming),
    /// Open a scene or a heightmap.
    Open(PathBuf),
    /// Open a scene that has no file.
    Make(Box<Scene>),
    /// Open the scene again in finer cells.
    Finer,
    /// Run the physical model on the bare heightmap.
    Physical,
    /// The player of a challenge has read what is asked.
    Begin,
}

/// A card about the challenge of a scene with goals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Card {
    /// Question before the first step.
    Task,
    /// How it ended.
    End(Verdict),
}

/// State of the screen besides the world.
#[derive(Clone, Debug)]
pub(crate) struct Shown {
    pub(crate) panel: bool,
    /// Whether the panel is folded to a narrow bar, once the user has chosen; before that, narrow windows fold it.
    pub(crate) folded: Option<bool>,
    pub(crate) help: bool,
    pub(crate) volume: bool,
    pub(crate) ground: bool,
    pub(crate) quality: Quality,
    /// Frames a second of [`Quality::Auto`] until the user sets another value.
    pub(crate) usual_fps: f32,
    /// Names typed into the panel.
    pub(crate) open_path: String,
    pub(crate) completion: Completion,
    pub(crate) record_path: String,
    /// Whether the start screen is shown, which is also the dialog for files where the system has none.
    pub(crate) opening: bool,
    /// Whether the line of that screen takes the keys next.
    pub(crate) focus_path: bool,
    /// The step of the tour that is shown.
    pub(crate) tour: Option<usize>,
    /// The card of the challenge that is shown.
    pub(crate) card: Option<Card>,
    /// A bare heightmap, with what the command line said of it, for which the model can be chosen.
    pub(crate) models: Option<Box<(PathBuf, Overrides)>>,
    /// The question for its model is put away until the panel brings it back.
    pub(crate) model_chosen: bool,
}

/// The time line at the bottom of the window.
#[derive(Clone, Debug, Default)]
pub(crate) struct Strip {
    /// The way asked for last in the drag under way.
    pub(crate) asked: Option<Way>,
    /// The branch that gets another name, and the name as far as it is typed.
    pub(crate) rename: Option<(u64, String)>,
}

/// Numbers of the last frames.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Frame {
    /// Different pictures a second over the last second; nothing while the picture is finished.
    pub(crate) fps: Option<f64>,
    /// Share of the resolution that was traced.
    pub(crate) scale: f32,
    /// The picture is as fine as it becomes, and nothing moves.
    pub(crate) finished: bool,
    /// Seconds of the recording under way.
    pub(crate) recording: Option<f64>,
}

pub(crate) struct State {
    /// The scene as it was opened: its camera, look and rules are what resets go back to.
    pub(crate) scene: Scene,
    pub(crate) report: Option<Report>,
    pub(crate) ground: Option<Arc<Array2<f32>>>,
    /// Where rock was put in by hand.
    pub(crate) built: Built,
    pub(crate) look: LookSpec,
    pub(crate) rules: Draft<RulesSpec>,
    /// The materials of the scene with the parameters in force.
    pub(crate) materials: Draft<Vec<Material>>,
    /// The wind in force, where there is air.
    pub(crate) wind: Draft<Option<Wind>>,
    pub(crate) vents: Draft<Vec<(usize, VentSpec)>>,
    pub(crate) pace: Draft<Pace>,
    /// The rate to which a pause goes back.
    pub(crate) rate: Pace,
    pub(crate) cuts: Cuts,
    pub(crate) tools: Tools,
    pub(crate) shown: Shown,
    pub(crate) first_person: bool,
    pub(crate) turntable: bool,
    pub(crate) times: StageTimes,
    /// Key frames that the session is saved with.
    pub(crate) film: KeyFrames,
    pub(crate) toasts: Toasts,
    pub(crate) strip: Strip,
    /// Two branches side by side.
    pub(crate) sides: Option<Sides>,
    pub(crate) frame: Frame,
    /// The panel's queue to the frame loop.
    pub(crate) requests: Vec<Request>,
    /// Scenes that were sent to the simulation, the first one not among them.
    sent: u64,
    /// A scene that was sent to the simulation and is not reported yet, and its number among those that were sent.
    coming: Option<(u64, Scene)>,
    /// Files that were opened, the last first.
    pub(crate) recent: Recent,
    /// Contents of the start screen.
    pub(crate) gallery: Gallery,
    /// Series of the live plots.
    pub(crate) plots: Plots,
}

impl State {
    pub(crate) fn new(scene: Scene, pace: Pace, panel: bool) -> Self {
        let spec = &scene.spec;
        let rate = if pace == Pace::Paused { USUAL_PACE } else { pace };
        Self {
            report: None,
            ground: None,
            built: Built::default(),
            look: scene.look(),
            rules: Draft::new(spec.rules.clone()),
            materials: Draft::new(Vec::new()),
            wind: Draft::new(None),
            vents: Draft::new(Vec::new()),
            pace: Draft::new(pace),
            rate,
            cuts: Cuts::middle(spec.grid.size, scene.usual_quantity()),
            tools: Tools::default(),
            shown: Shown {
                panel,
                folded: None,
                help: false,
                volume: true,
                ground: true,
                quality: Quality::Auto { target_fps: 25.0 },
                usual_fps: 25.0,
                open_path: String::new(),
                completion: Completion::default(),
                record_path: String::new(),
                opening: false,
                focus_path: false,
                tour: None,
                card: None,
                models: None,
                model_chosen: false,
            },
            first_person: false,
            turntable: false,
            times: StageTimes::default(),
            film: KeyFrames::of(&scene.spec.film),
            toasts: Toasts::default(),
            strip: Strip::default(),
            sides: None,
            frame: Frame::default(),
            requests: Vec::new(),
            sent: 0,
            coming: None,
            recent: Recent::default(),
            gallery: Gallery::default(),
            plots: Plots::default(),
            scene,
        }
    }

    /// Notes a scene that is sent to the simulation now: it takes the place of the present one with its first report.
    pub(crate) fn expect(&mut self, scene: Scene) {
        self.sent += 1;
        self.coming = Some((self.sent, scene));
    }

    /// Takes over an update. Returns whether it is the first one of the scene that was sent.
    pub(crate) fn follow(&mut self, update: &Update) -> bool {
        let report = &update.report;
        // By its number: a simulation that runs has passed step 0 when the window first hears of the scene.
        let came = self.coming.as_ref().is_some_and(|(number, _)| *number == report.opened);
        if came {
            self.drafts_replaced_by(report);
        }
        self.rules.follow(&report.rules);
        self.materials.follow(&poured(report));
        self.wind.follow(&report.wind);
        self.tools.follow(&report.materials);
        self.tools.fit(report.flow.is_some());
        self.vents.follow(&report.vents);
        self.pace.follow(&report.pace);
        if let Some(patch) = &update.ground {
            match &mut self.ground {
                Some(heights) if !update.reset => patch.write_to(Arc::make_mut(heights)),
                heights => *heights = Some(Arc::new(patch.heights.clone())),
            }
        }
        if let Some(ground) = &self.ground {
            self.built.follow(&report.built, ground, update.ground.is_some());
        }
        self.times.note(report);
        self.plots.note(report);
        let before = self.report.replace(report.clone());
        if came || before.is_none() {
            self.tools.dam = Dam::fitting(report);
        }
        if came {
            self.arrive();
        }
        self.note_challenge(report, before.filter(|_| !came).as_ref());
        came
    }

    /// Shows what a challenge asks when it comes, and how it ended in the step that decides it, where time stops.
    fn note_challenge(&mut self, report: &Report, before: Option<&Report>) {
        let Some(before) = before else {
            let waits = outcome(&report.goals).is_none() && report.step == 0;
            self.shown.card = (waits && !report.goals.is_empty()).then_some(Card::Task);
            if self.shown.card.is_some() {
                self.tools.tool = Tool::Orbit;
            }
            return;
        };
        // A jump in time decides nothing: it comes to what was decided before.
        if before.epoch != report.epoch {
            self.shown.card = None;
        } else if let (None, Some(verdict)) = (outcome(&before.goals), outcome(&report.goals)) {
            self.shown.card = Some(Card::End(verdict));
            self.set_pace(Pace::Paused);
        }
    }

    /// Takes over what the report of another scene says of all that can be edited, and what was plotted and renamed of the one before goes.
    fn drafts_replaced_by(&mut self, report: &Report) {
        self.rules.replace(&report.rules);
        self.materials.replace(&poured(report));
        self.wind.replace(&report.wind);
        self.vents.replace(&report.vents);
        self.pace.replace(&report.pace);
        self.plots.restart();
        self.strip = Strip::default();
    }

    /// Makes the scene that was sent the present one.
    fn arrive(&mut self) {
        let Some((_, scene)) = self.coming.take() else { return };
        let drape = self.report.as_ref().and_then(|report| report.drape.clone());
        self.look = LookSpec { cell_height: self.cell_height(), drape, ..scene.look() };
        let there =
            |quantity: &Quantity| self.report.as_ref().is_some_and(|report| report.quantities.contains(quantity));
        // A choice of the user stays; what the scene before showed by itself gives way.
        let chosen = Some(std::mem::take(&mut self.cuts.quantity)).filter(|now| *now != self.scene.usual_quantity());
        let quantity = chosen.filter(there).unwrap_or_else(|| scene.usual_quantity());
        self.cuts = Cuts::middle(scene.spec.grid.size, quantity);
        self.tools.cancel();
        self.tools.replaced = None;
        self.film = KeyFrames::of(&scene.spec.film);
        self.scene = scene;
    }

    /// Cells along x, y and z.
    pub(crate) fn sides(&self) -> Option<[usize; 3]> {
        self.report.as_ref().map(|report| [report.grid.nx, report.grid.ny, report.grid.nz])
    }

    /// The column x, z of the box in which a point x, z in cells lies.
    pub(crate) fn column(&self, at: [f32; 2]) -> Option<[usize; 2]> {
        let [nx, _, nz] = self.sides()?;
        let inside = at.iter().zip([nx, nz]).all(|(at, side)| (0.0..side as f32).contains(at));
        inside.then(|| at.map(|at| at as usize))
    }

    /// Bounds that a camera should frame: the ground block, of oblong cells in the physical model, and the matter over it at the start.
    pub(crate) fn proportioned(&self, subject: Bounds) -> Bounds {
        let grid = self.report.as_ref().map(|report| report.grid);
        let matter = grid.map_or_else(Vec::new, |grid| self.scene.spec.matter_at_start(grid));
        subject.of_tall_cells(self.cell_height()).holding(&matter)
    }

    /// Height of a cell as it is drawn, in its widths.
    fn cell_height(&self) -> f32 {
        let flows = self.report.as_ref().filter(|report| report.flow.is_some());
        flows.map_or(1.0, |report| (report.cell_height_m / report.cell_size_m) as f32)
    }

    /// Queues a request for the frame loop.
    pub(crate) fn ask(&mut self, request: Request) {
        self.requests.push(request);
    }

    /// Sets a pace, and keeps it as the one after a pause unless it is a pause.
    pub(crate) fn set_pace(&mut self, pace: Pace) {
        if pace != Pace::Paused {
            self.rate = pace;
        }
        self.pace.value = pace;
        self.pace.touch();
        self.ask(Request::Send(Command::Pace(pace)));
    }

    /// Opens the sides of the box, in the classic model.
    pub(crate) fn open_sides(&mut self) {
        let before = self.rules.value.clone();
        self.rules.value.walls = Walls::Open;
        self.rules.touch();
        let change = RulesChange::between(&before, &self.rules.value);
        self.ask(Request::Send(Command::World(change.into())));
    }

    /// The part of the box that is seen from this camera, in cells along x, y and z: the clip box, cut open by slices.
    pub(crate) fn part(&self, camera: &Camera) -> [[f32; 2]; 3] {
        let Some(sides) = self.sides().map(|sides| sides.map(|n| n as f32)) else { return [[0.0, 0.0]; 3] };
        let plane = |k: usize| self.cuts.shown[k].then(|| (self.cuts.at[k] as f32 + 0.5) / sides[k]);
        let eye = camera.eye();
        let part = opened(self.look.clip, std::array::from_fn(plane), std::array::from_fn(|k| eye[k] / sides[k]));
        std::array::from_fn(|k| part[k].map(|share| share * sides[k]))
    }

    /// The view of a whole picture from this camera.
    pub(crate) fn view(&self, camera: Camera) -> View {
        View {
            camera,
            covered: 0,
            quality: self.shown.quality,
            cuts_shown: self.cuts.shown,
            volume_shown: self.shown.volume,
            ground_shown: self.shown.ground,
        }
    }

    /// Inputs of the light of the lava on the rock.
    pub(crate) fn glow(&self) -> Glow {
        Glow::from(&self.look)
    }

    /// Shows a message.
    pub(crate) fn tell(&mut self, notice: Notice) {
        self.toasts.add(notice, Instant::now());
    }
}

/// The materials besides the lava that tools pour, with the parameters in force.
fn poured(report: &Report) -> Vec<Material> {
    let others = report.materials.iter().filter(|report| !report.shows_flow).map(|report| &report.material);
    others.filter(|material| !material.carries_energy()).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edit_is_not_undone_by_a_report_from_before_it() {
        let mut draft = Draft::new(1);
        draft.value = 5;
        draft.touch();
        draft.follow(&1);
        assert_eq!(draft.value, 5);
        draft.edited = Instant::now().checked_sub(2 * BELIEVED);
        draft.follow(&1);
        assert_eq!(draft.value, 1);
    }

    #[test]
    fn a_pause_goes_back_to_the_rate_before() {
        let mut state = State::new(Scene::volcano(), Pace::Rate(30.0), true);
        state.set_pace(Pace::Paused);
        assert_eq!((state.pace.value, state.rate), (Pace::Paused, Pace::Rate(30.0)));
        assert!(matches!(state.requests[..], [Request::Send(Command::Pace(Pace::Paused))]));
        let paused = State::new(Scene::volcano(), Pace::Paused, true);
        assert_eq!((paused.pace.value, paused.rate), (Pace::Paused, Pace::Rate(60.0)), "not unlimited");
    }
}
