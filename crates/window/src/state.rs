//! State of the window: last report, working copies of the values that the user edits, and the
//! visibility of parts of the user interface. The panel reads and edits the state, and queues
//! requests for the event loop.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ndarray::Array2;

use super::edit::built::Built;
use super::edit::slices::Cuts;
use super::edit::tools::{Dam, Tool, Tools};
use super::history::film::KeyFrames;
use super::history::times::StageTimes;
use super::input::complete::Completion;
use super::input::filming::Filming;
use super::input::keys::Action;
use super::messages::{Command, Glow, Notice, Pace, Report, TwoRuns, Update, Way};
use super::paint::{Quality, View};
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

/// Time after a user's edit during which reports do not overwrite the edited value, since they may
/// be older than the edit.
const BELIEVED: Duration = Duration::from_millis(600);

/// Default pace, used after a start in pause and after unlimited speed.
pub(crate) const USUAL_PACE: Pace = Pace::Rate(60.0);

/// Default pace for a bare heightmap in the classic model, whose steps have no physical duration:
/// the vent of such a scene takes minutes to fill a valley.
pub const HEIGHTMAP_PACE: Pace = Pace::Rate(10.0);

/// Value that the simulation reports and the user can edit: a working copy for the panel.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Draft<T> {
    pub(crate) value: T,
    edited: Option<Instant>,
}

impl<T: Clone + PartialEq> Draft<T> {
    pub(crate) fn new(value: T) -> Self {
        Self {
            value,
            edited: None,
        }
    }

    /// Marks the value as edited by the user now; reports do not overwrite it for `BELIEVED`.
    pub(crate) fn touch(&mut self) {
        self.edited = Some(Instant::now());
    }

    /// Overwrites the value with `reported` even after a recent edit; used when another scene has
    /// arrived.
    fn replace(&mut self, reported: &T) {
        self.edited = None;
        self.value.clone_from(reported);
    }

    /// Overwrites the value with `reported`, unless the user has edited the value within
    /// `BELIEVED`.
    fn follow(&mut self, reported: &T) {
        if self.edited.is_none_or(|at| at.elapsed() > BELIEVED) {
            self.edited = None;
            self.value.clone_from(reported);
        }
    }
}

/// Request of the user interface to the event loop.
#[derive(Clone, Debug)]
pub(crate) enum Request {
    /// Carries out an action.
    Do(Action),
    /// Sends a command to the simulation thread.
    Send(Command),
    /// Moves the session to another moment, by a seek.
    Go(Way),
    /// Compares the present branch with the branch of this number, by pictures side by side.
    Compare(u64),
    /// Edits or previews the key frames of the film.
    Film(Filming),
    /// Opens the scene file or heightmap with this path, or the built-in scene of this name.
    Open(PathBuf),
    /// Opens a scene that was made in the program and has no file.
    Make(Box<Scene>),
    /// Shows the start screen, where the user chooses the scene of a second run.
    ChooseSecond,
    /// Begins a second run of the scene file or heightmap with this path.
    RunSecond(PathBuf),
    /// Begins a second run of a scene that was made in the program and has no file.
    RunSecondOf(Box<Scene>),
    /// Opens the present scene again with cells of half the edge length.
    Finer,
    /// Opens the present bare heightmap again in the physical model.
    Physical,
    /// Begins a challenge, once the player has read the task.
    Begin,
}

/// Card about the challenge (a scene with goals) that is shown over the picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Card {
    /// Task of the challenge, before the first step.
    Task,
    /// Result of the challenge, once the goals are decided.
    End(Verdict),
}

/// Visibility of parts of the user interface, and the texts in its fields.
#[derive(Clone, Debug)]
pub(crate) struct Shown {
    pub(crate) panel: bool,
    /// Set while the panel is folded to a narrow bar; `None` before the user has folded or unfolded
    /// it: the panel is then folded in narrow windows only.
    pub(crate) folded: Option<bool>,
    pub(crate) help: bool,
    pub(crate) volume: bool,
    pub(crate) ground: bool,
    pub(crate) quality: Quality,
    /// Target frame rate of [`Quality::Auto`] in frames per second, unless the user has set another
    /// rate.
    pub(crate) usual_fps: f32,
    /// Path typed into the start screen's text field.
    pub(crate) open_path: String,
    pub(crate) completion: Completion,
    pub(crate) record_path: String,
    /// Set while the start screen is shown; it also stands in for the file dialog if the system has
    /// none.
    pub(crate) opening: bool,
    /// Set while the start screen is shown for choosing the scene of the second run.
    pub(crate) for_second: bool,
    /// Set if the start screen's text field must get the keyboard focus in the next frame.
    pub(crate) focus_path: bool,
    /// Index of the tour's shown page, counted from 0; `None` without a tour.
    pub(crate) tour: Option<usize>,
    /// Challenge card that is shown; `None` for no card.
    pub(crate) card: Option<Card>,
    /// Bare heightmap for which the user can choose the model: its path, and the overrides of the
    /// command line; `None` for other scenes.
    pub(crate) models: Option<Box<(PathBuf, Overrides)>>,
    /// Set once the user has chosen the model for the bare heightmap; the panel then no longer
    /// asks.
    pub(crate) model_chosen: bool,
}

/// State of the timeline at the bottom of the window.
#[derive(Clone, Debug, Default)]
pub(crate) struct Strip {
    /// Seek requested last during the drag in progress; `None` before the first request.
    pub(crate) asked: Option<Way>,
    /// Number of the branch that the user is renaming, and the name typed so far; `None` if none is
    /// being renamed.
    pub(crate) rename: Option<(u64, String)>,
}

/// Display values of the last frame.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Frame {
    /// Number of different pictures shown per second, averaged over the last second; `None` while
    /// the picture is final or the rate is too low to show.
    pub(crate) fps: Option<f64>,
    /// Resolution of the picture as a fraction (0 to 1) of the window's resolution, along each
    /// axis.
    pub(crate) scale: f32,
    /// Set if the picture is final: nothing moves and no refined picture follows.
    pub(crate) finished: bool,
    /// Time in seconds since the begin of the recording; `None` without a recording.
    pub(crate) recording: Option<f64>,
}

pub(crate) struct State {
    /// Scene as opened; resetting camera, look or rules restores its values.
    pub(crate) scene: Scene,
    pub(crate) report: Option<Report>,
    pub(crate) ground: Option<Arc<Array2<f32>>>,
    /// Rock placed by hand, as columns of cells to mark in the picture.
    pub(crate) built: Built,
    pub(crate) look: LookSpec,
    pub(crate) rules: Draft<RulesSpec>,
    /// Materials other than lava that tools can pour, with their parameters in force.
    pub(crate) materials: Draft<Vec<Material>>,
    /// Wind in force; `None` for a scene without air.
    pub(crate) wind: Draft<Option<Wind>>,
    pub(crate) vents: Draft<Vec<(usize, VentSpec)>>,
    pub(crate) pace: Draft<Pace>,
    /// Pace that the simulation gets at the end of a pause.
    pub(crate) rate: Pace,
    pub(crate) cuts: Cuts,
    pub(crate) tools: Tools,
    pub(crate) shown: Shown,
    pub(crate) first_person: bool,
    pub(crate) turntable: bool,
    pub(crate) times: StageTimes,
    /// Key frames of the film, which are saved with the session.
    pub(crate) film: KeyFrames,
    pub(crate) toasts: Toasts,
    pub(crate) strip: Strip,
    /// Divider with labels, while two branches or two runs are shown side by side; `None` for a
    /// single picture.
    pub(crate) sides: Option<Sides>,
    /// Latest numbers of two runs; `None` without a second run.
    pub(crate) runs: Option<TwoRuns>,
    pub(crate) frame: Frame,
    /// Requests for the event loop, in order; emptied in each pass of the loop.
    pub(crate) requests: Vec<Request>,
    /// Number of scenes sent to the simulation so far, without the first scene.
    sent: u64,
    /// Scene sent to the simulation whose first report has not arrived yet, with its number counted
    /// as `sent`; `None` if there is none.
    coming: Option<(u64, Scene)>,
    /// List of recently opened files.
    pub(crate) recent: Recent,
    /// State of the start screen.
    pub(crate) gallery: Gallery,
    /// Time series of the live plots.
    pub(crate) plots: Plots,
}

impl State {
    pub(crate) fn new(scene: Scene, pace: Pace, panel: bool) -> Self {
        let spec = &scene.spec;
        let rate = if pace == Pace::Paused {
            USUAL_PACE
        } else {
            pace
        };
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
                for_second: false,
                focus_path: false,
                tour: None,
                card: None,
                models: None,
                model_chosen: false,
            },
            first_person: false,
            turntable: false,
            times: StageTimes::default(),
            film: KeyFrames::from_film(&scene.spec.film),
            toasts: Toasts::default(),
            strip: Strip::default(),
            sides: None,
            runs: None,
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

    /// Registers a scene sent to the simulation; the scene becomes the present one with its first
    /// report.
    pub(crate) fn expect(&mut self, scene: Scene) {
        self.sent += 1;
        self.coming = Some((self.sent, scene));
    }

    /// Applies an update to the state. Returns true if the update is the first one of a scene that
    /// was sent.
    pub(crate) fn follow(&mut self, update: &Update) -> bool {
        let report = &update.report;
        // Compared by number, not by step: a running simulation is past step 0 when the first
        // report arrives.
        let came = self
            .coming
            .as_ref()
            .is_some_and(|(number, _)| *number == report.opened);
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
            self.built
                .follow(&report.built, ground, update.ground.is_some());
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

    /// Shows the challenge's task when its scene arrives, and the result in the step that decides
    /// the challenge. `before`: previous report.
    fn note_challenge(&mut self, report: &Report, before: Option<&Report>) {
        let Some(before) = before else {
            let waits = outcome(&report.goals).is_none() && report.step == 0;
            self.shown.card = (waits && !report.goals.is_empty()).then_some(Card::Task);
            if self.shown.card.is_some() {
                self.tools.tool = Tool::Orbit;
            }
            return;
        };
        // A jump in time decides nothing: the state after the jump was decided earlier.
        if before.epoch != report.epoch {
            self.shown.card = None;
        } else if let (None, Some(verdict)) = (outcome(&before.goals), outcome(&report.goals)) {
            self.shown.card = Some(Card::End(verdict));
            self.set_pace(Pace::Paused);
        }
    }

    /// Overwrites all working copies with the values of `report`, the first one of another scene,
    /// and discards plots and texts of the old scene.
    fn drafts_replaced_by(&mut self, report: &Report) {
        self.rules.replace(&report.rules);
        self.materials.replace(&poured(report));
        self.wind.replace(&report.wind);
        self.vents.replace(&report.vents);
        self.pace.replace(&report.pace);
        self.plots.restart();
        self.strip = Strip::default();
    }

    /// Makes the registered scene the present scene, after its first report.
    fn arrive(&mut self) {
        let Some((_, scene)) = self.coming.take() else {
            return;
        };
        let drape = self.report.as_ref().and_then(|report| report.drape.clone());
        self.look = LookSpec {
            cell_height: self.cell_height(),
            drape,
            ..scene.look()
        };
        let there = |quantity: &Quantity| {
            self.report
                .as_ref()
                .is_some_and(|report| report.quantities.contains(quantity))
        };
        // A quantity chosen by the user stays; the default quantity of the old scene is replaced by
        // that of the new one.
        let chosen = Some(std::mem::take(&mut self.cuts.quantity))
            .filter(|now| *now != self.scene.usual_quantity());
        let quantity = chosen
            .filter(there)
            .unwrap_or_else(|| scene.usual_quantity());
        self.cuts = Cuts::middle(scene.spec.grid.size, quantity);
        self.tools.cancel();
        self.tools.replaced = None;
        self.film = KeyFrames::from_film(&scene.spec.film);
        self.scene = scene;
    }

    /// Returns the number of cells of the box along x, y and z; `None` before the first report.
    pub(crate) fn sides(&self) -> Option<[usize; 3]> {
        self.report
            .as_ref()
            .map(|report| [report.grid.nx, report.grid.ny, report.grid.nz])
    }

    /// Returns the column `[x, z]` that contains the point `at` (x and z in cells); `None` outside
    /// the box and before the first report.
    pub(crate) fn column(&self, at: [f32; 2]) -> Option<[usize; 2]> {
        let [nx, _, nz] = self.sides()?;
        let inside = at
            .iter()
            .zip([nx, nz])
            .all(|(at, side)| (0.0..side as f32).contains(at));
        inside.then(|| at.map(|at| at as usize))
    }

    /// Returns the bounds that a camera frames, in cells: `subject` (the ground's bounds),
    /// stretched to the cell height of the physical model and extended upwards by the matter of the
    /// scene's start.
    pub(crate) fn proportioned(&self, subject: Bounds) -> Bounds {
        let grid = self.report.as_ref().map(|report| report.grid);
        let matter = grid.map_or_else(Vec::new, |grid| self.scene.spec.matter_at_start(grid));
        subject.of_tall_cells(self.cell_height()).holding(&matter)
    }

    /// Returns the height of a cell in cell widths, as pictures draw it.
    fn cell_height(&self) -> f32 {
        let flows = self.report.as_ref().filter(|report| report.flow.is_some());
        flows.map_or(1.0, |report| {
            (report.cell_height_m / report.cell_size_m) as f32
        })
    }

    /// Queues a request for the event loop.
    pub(crate) fn ask(&mut self, request: Request) {
        self.requests.push(request);
    }

    /// Sets the pace; any pace except a pause also becomes the pace at the end of the next pause.
    pub(crate) fn set_pace(&mut self, pace: Pace) {
        if pace != Pace::Paused {
            self.rate = pace;
        }
        self.pace.value = pace;
        self.pace.touch();
        self.ask(Request::Send(Command::Pace(pace)));
    }

    /// Opens the sides of the box; no effect in the physical model.
    pub(crate) fn open_sides(&mut self) {
        let before = self.rules.value.clone();
        self.rules.value.walls = Walls::Open;
        self.rules.touch();
        let change = RulesChange::between(&before, &self.rules.value);
        self.ask(Request::Send(Command::World(change.into())));
    }

    /// Returns the part of the box that `camera` shows, limited by the clip box and by slices:
    /// lower and upper bound in cells along x, y and z.
    pub(crate) fn visible_part(&self, camera: &Camera) -> [[f32; 2]; 3] {
        let Some(sides) = self.sides().map(|sides| sides.map(|n| n as f32)) else {
            return [[0.0, 0.0]; 3];
        };
        let plane =
            |k: usize| self.cuts.shown[k].then(|| (self.cuts.at[k] as f32 + 0.5) / sides[k]);
        let eye = camera.eye();
        let part = opened(
            self.look.clip,
            std::array::from_fn(plane),
            std::array::from_fn(|k| eye[k] / sides[k]),
        );
        std::array::from_fn(|k| part[k].map(|share| share * sides[k]))
    }

    /// Returns the view of a picture by `camera`, without columns that the panel covers.
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

    /// Returns the parameters of the light that the lava casts on the rock, for the present look.
    pub(crate) fn glow(&self) -> Glow {
        Glow::from(&self.look)
    }

    /// Shows a notice to the user.
    pub(crate) fn tell(&mut self, notice: Notice) {
        self.toasts.add(notice, Instant::now());
    }
}

/// Returns the materials other than lava that tools can pour, with the parameters in force in
/// `report`.
fn poured(report: &Report) -> Vec<Material> {
    let others = report
        .materials
        .iter()
        .filter(|report| !report.shows_flow)
        .map(|report| &report.material);
    others
        .filter(|material| !material.carries_energy())
        .cloned()
        .collect()
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
        assert_eq!(
            (state.pace.value, state.rate),
            (Pace::Paused, Pace::Rate(30.0))
        );
        assert!(matches!(
            state.requests[..],
            [Request::Send(Command::Pace(Pace::Paused))]
        ));
        let paused = State::new(Scene::volcano(), Pace::Paused, true);
        assert_eq!(
            (paused.pace.value, paused.rate),
            (Pace::Paused, Pace::Rate(60.0)),
            "not unlimited"
        );
    }
}
