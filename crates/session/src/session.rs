//! Session: an open scene with its simulation, its history of recorded commands (acts), and
//! snapshots for the return to earlier moments.

use std::collections::HashSet;
use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use web_time::Instant;

use crate::history::{History, Moment, goes_on};
use crate::notice::{Mend, Notice};
use crate::snapshots::{MOST_BYTES, Snapshots};
use crate::stroke::{Brush, Miss, Stroke, changes};
use crate::timeline::{TimeLine, timeline};
use crate::travel::{Travel, Way};
use lavoxel_automaton::engine::tiled::Tiled;
use lavoxel_automaton::rules::Walls;
use lavoxel_automaton::view::Drape;
use lavoxel_automaton::world::{Edit, Matter, Shape};
use lavoxel_base::memory::{Held, MemoryEstimate, left_beside};
use lavoxel_files::archive::is_session;
use lavoxel_files::output::{Existing, OutputError};
use lavoxel_geo::map::Site;
use lavoxel_render::{
    CameraSpec, LookSpec, need, need_of_media, need_of_print, need_of_smoke, need_of_surroundings,
};
use lavoxel_scene::film::{FilmKey, FilmSpec};
use lavoxel_scene::scene::pack::Extras;
use lavoxel_scene::scene::{Edge, Scene, SceneError};
use lavoxel_sim::simulation::{Command, Simulation};

/// Open scene with its simulation, its snapshots and its history.
///
/// Invariant: [`History`] stores the session's present moment; the simulation is at that moment,
/// seeks to that moment (`Travel`), or shows another branch.
pub struct Session {
    scene: Scene,
    pub(crate) simulation: Simulation,
    site: Site,
    /// Image draped over the ground; `None` without an image.
    drape: Option<Drape>,
    pub(crate) snapshots: Snapshots,
    pub(crate) history: History,
    /// Moment of the simulation's present state; differs from the history's present moment during a
    /// seek.
    pub(crate) at: Moment,
    /// Seek to another moment in progress; `None` if there is none.
    pub(crate) travel: Option<Travel>,
    /// Number of a branch other than the present one that is shown, or that will be shown after the
    /// seek; `None` for the present branch.
    pub(crate) visit: Option<u64>,
    timeline: Arc<TimeLine>,
    /// Set if `timeline` must be rebuilt before its next use.
    timeline_old: bool,
    brush: Brush,
    /// Rock placed by hand that exists at the moment `at`.
    pub(crate) built: Arc<Vec<Rock>>,
    pub(crate) notices: Vec<Notice>,
    /// Set once the user was told that lava has reached the sides of the simulation box.
    edge_reported: bool,
    /// Number of seeks to another moment begun since the session was opened.
    pub(crate) ways: u64,
    /// Number of the last act of the brush stroke in progress; `None` before its first act.
    stroke: Option<u64>,
    /// Thumbnail for the session file, as PNG bytes; `None` if the window has not sent any yet.
    thumbnail: Option<Vec<u8>>,
    /// Moment at which the session file was saved, with the hash of the state at that moment.
    /// `None` if there is no session file with a hash, and once the replay has reached the moment.
    pub(crate) saved: Option<(Moment, u64)>,
}

/// Rock that the user placed, for the marks on the ground.
#[derive(Clone, Debug, PartialEq)]
pub enum Rock {
    /// Ball of rock placed by the brush: centre x, y, z and radius, in cells.
    Ball([f32; 4]),
    /// Columns `[x, z]` of a dam, without the columns that the user has dug out later.
    Dam(Vec<[usize; 2]>),
}

/// Change of a branch of the history; the first field is the branch's number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BranchChange {
    /// Gives the branch another name.
    Rename(u64, String),
    /// Removes the branch, and its acts that lie on no other branch.
    Remove(u64),
}

/// Number of steps between two checks for lava at the sides of the simulation box.
const EDGE_EVERY: u64 = 64;

impl Session {
    /// Validates `scene` and builds a session at its step 0.
    ///
    /// # Errors
    /// If the scene is invalid, or if simulation and pictures need more memory than the limit
    /// allows.
    pub fn open(mut scene: Scene) -> Result<Self, SceneError> {
        scene.expect_lava()?;
        scene.validate()?;
        let drawn = need_of_pictures(&scene);
        scene.check_drawable_with(drawn.clone())?;
        let stage = scene.build(Box::new(Tiled::default()))?;
        let drape = scene.drape(&stage)?;
        // Half of the remaining memory; the rest stays free for later lava and for pictures.
        let room = left_beside(&scene.need_drawn_with(drawn)) / 2;
        let snapshots = Snapshots::new(&stage.simulation, MOST_BYTES.min(room));
        let mut session = Self {
            scene,
            simulation: stage.simulation,
            site: stage.site,
            drape,
            snapshots,
            history: History::new(),
            at: Moment::START,
            travel: None,
            visit: None,
            timeline: Arc::default(),
            timeline_old: true,
            brush: Brush::default(),
            built: Arc::default(),
            notices: Vec::new(),
            edge_reported: false,
            ways: 0,
            stroke: None,
            thumbnail: None,
            saved: None,
        };
        session.notices = session.opening_notices();
        session
            .notices
            .extend(stage.notes.into_iter().map(Notice::wrong));
        Ok(session)
    }

    /// Opens the scene of a session file, and begins the replay of `history` up to its present
    /// moment. Returns an error as text for the user.
    pub fn resume(scene: Scene, history: History) -> Result<Self, String> {
        let mut session = Self::open(scene).map_err(|error| error.to_string())?;
        let here = history.here();
        session.saved = history.state.map(|hash| (here, hash));
        session.history = history;
        session
            .history
            .go(Moment::START)
            .map_err(|error| error.to_string())?;
        session.go(Way::To(here))?;
        session.compare_with_saved();
        Ok(session)
    }

    /// Returns the notices for a newly opened scene: the defaults chosen for a bare heightmap, and
    /// warnings.
    fn opening_notices(&self) -> Vec<Notice> {
        let lines = self.scene.summary(&self.site, &self.simulation);
        let words = |line: &String| line.split_whitespace().collect::<Vec<_>>().join(" ");
        let chosen = (!self.scene.choices().is_empty())
            .then(|| lines.iter().map(words).collect::<Vec<_>>().join("; "));
        let warning = self
            .scene
            .warnings(&self.simulation, None)
            .into_iter()
            .map(Notice::wrong);
        chosen.map(Notice::new).into_iter().chain(warning).collect()
    }

    /// Returns the notices since the last call, oldest first.
    pub fn take_notices(&mut self) -> Vec<Notice> {
        std::mem::take(&mut self.notices)
    }

    /// Checks, every `EDGE_EVERY` steps, for lava at the sides of the simulation box. Returns a
    /// notice for the user when lava is found there for the first time, `None` otherwise.
    fn edge(&mut self) -> Option<Notice> {
        if self.edge_reported || !self.simulation.steps().is_multiple_of(EDGE_EVERY) {
            return None;
        }
        let edge = Edge::from_simulation(&self.simulation, &self.site);
        let text = edge.words()?;
        self.edge_reported = true;
        // The physical model takes its sides from the scene, so the window cannot open them.
        let shut = edge.walls == Walls::Closed && self.simulation.world().flow().is_none();
        // The notice has a button, which replaces the advice at the end of the text.
        let text = if shut {
            text.split("; ").next().unwrap_or_default().to_owned()
        } else {
            text
        };
        Some(Notice {
            mend: shut.then_some(Mend::OpenSides),
            ..Notice::new(text)
        })
    }

    /// Applies the acts that lie ahead in the history at the present step, makes one step, and
    /// takes a snapshot if one is due.
    pub fn step(&mut self) {
        let start = Instant::now();
        while let Some((act, _)) = self
            .history
            .next_ahead()
            .filter(|(_, step)| *step <= self.simulation.steps())
        {
            self.do_again(act);
            self.history.has_done(act);
        }
        self.advance();
        self.snapshots
            .offer(&self.simulation, &self.history, self.at, start.elapsed());
    }

    /// Makes one step of the simulation, and moves the present moment of the history forward by
    /// this step; takes no snapshot.
    pub fn advance(&mut self) {
        self.simulation.step();
        if let Some(name) = self.history.stepped() {
            self.tell_branch(&name);
            self.snapshots.prune(&self.history);
        }
        self.at = self.history.here();
        self.timeline_old = true;
        let edge = self.edge();
        self.notices.extend(edge);
    }

    /// Applies the recorded act number `act` to the simulation again, during a replay.
    pub(crate) fn do_again(&mut self, act: u64) {
        let Some(command) = self.history.act(act).map(|act| act.command.clone()) else {
            return;
        };
        // No error is expected: the act was valid before, in the same state.
        if let Err(error) = self.simulation.command(command.clone()) {
            self.notices.push(Notice::wrong(error.to_string()));
        }
        self.note_built(&command);
        self.at.act = act;
    }

    /// Applies `command` to the simulation and records the command as an act, unless nothing
    /// changes. With `more`, undo reverts this act together with the previous one. If acts lie
    /// ahead in the history, a new branch begins. Returns an error as text for the user.
    pub fn command(&mut self, command: Command, more: bool) -> Result<(), String> {
        command.validate().map_err(|invalid| invalid.to_string())?;
        if self.simulation.has_in_force(&command) {
            return Ok(());
        }
        let before = self.history.act(self.at.act).map(|act| &act.command);
        let more = more && before.is_some_and(|before| goes_on(before, &command));
        self.give(command, more)
    }

    /// Records `command` as an act and applies the command to the simulation; with `more`, undo
    /// reverts this act together with the previous one.
    fn give(&mut self, command: Command, more: bool) -> Result<(), String> {
        self.history.has_room().map_err(|full| full.to_string())?;
        if !more {
            self.snapshots
                .before_act(&self.simulation, &self.history, self.at);
        }
        self.simulation
            .command(command.clone())
            .map_err(|invalid| invalid.to_string())?;
        self.note_built(&command);
        if let Some(name) = self
            .history
            .give(command, more)
            .map_err(|full| full.to_string())?
        {
            self.tell_branch(&name);
            self.snapshots.prune(&self.history);
        }
        self.at = self.history.here();
        self.timeline_old = true;
        Ok(())
    }

    /// Adds a notice for the user that the branch `name` begins at the present step.
    fn tell_branch(&mut self, name: &str) {
        let step = self.history.here().step;
        self.notices.push(Notice::new(format!(
            "{name} begins at step {step}; the way before is kept"
        )));
    }

    /// Applies a piece of a brush stroke and records one act per dab. A dab that changes nothing,
    /// or that repeats the last dab within one step, is skipped.
    pub fn draw(&mut self, stroke: &Stroke) -> Result<(), String> {
        let (dabs, miss) = self.brush.dabs(self.simulation.world(), stroke);
        let mut put = false;
        if stroke.begins {
            self.stroke = None;
        }
        for center in &dabs {
            let shape = self.shape_of(stroke, *center);
            let edit = Edit {
                shape,
                matter: stroke.matter.clone(),
            };
            // A pointer at rest repeats its last dab; within one step, the repetition adds no act.
            let again = self.history.act(self.at.act).is_some_and(|act| {
                act.step == self.at.step
                    && matches!(&act.command, Command::Put(last) if *last == edit)
            });
            if again || !changes(self.simulation.world(), &edit) {
                continue;
            }
            let were = self.brush.seen(self.simulation.world(), &edit.shape);
            let more = self.stroke.is_some_and(|stroke| stroke == self.at.act);
            self.give(edit.into(), more)?;
            self.stroke = Some(self.at.act);
            self.brush.remember(self.simulation.world(), were);
            put = true;
        }
        let miss = miss.or((!dabs.is_empty() && !put && stroke.begins).then_some(Miss::Nothing));
        if put {
            self.brush.has_put();
        } else if let Some(miss) = miss
            && self.brush.tells()
        {
            self.notices.push(Notice::new(miss.words()));
        }
        Ok(())
    }

    /// Returns the shape that a dab of `stroke` at `center` (in cells) changes: a ball of the
    /// brush's radius, or for `Matter::Flood` the open cell under the pointer.
    fn shape_of(&self, stroke: &Stroke, center: [f64; 3]) -> Shape {
        let grid = self.simulation.world().grid();
        let solid = |cell: [f64; 3]| {
            let inside = cell
                .iter()
                .zip([grid.nx, grid.ny, grid.nz])
                .all(|(at, side)| (0.0..side as f64).contains(at));
            inside
                && self
                    .simulation
                    .world()
                    .ground()
                    .is_solid(cell.map(|at| at as usize))
        };
        if !matches!(stroke.matter, Matter::Flood { .. }) {
            return Shape::Sphere {
                center,
                radius: stroke.radius,
            };
        }
        let mut from = center.map(f64::floor);
        // The pointer hits the surface of rock, or a wall from the side: the open cell lies above.
        if solid(from) {
            from[1] += 1.0;
        }
        Shape::Box {
            from,
            to: from.map(|low| low + 1.0),
        }
    }

    /// Updates the list of rock placed by hand after `command`: adds the ball of a rock brush or
    /// the columns of a dam, and removes from dams the columns that were dug away.
    fn note_built(&mut self, command: &Command) {
        let Command::Put(Edit { shape, matter }) = command else {
            return;
        };
        let grid = self.simulation.world().grid();
        match (shape, matter) {
            (Shape::Sphere { center, radius }, Matter::Rock) => {
                let [x, y, z] = center.map(|v| v as f32);
                Arc::make_mut(&mut self.built).push(Rock::Ball([x, y, z, *radius as f32]));
            }
            (_, Matter::Raise { by }) if *by > 0.0 => {
                let columns = shape
                    .columns(grid)
                    .into_iter()
                    .map(|(x, z)| [x, z])
                    .collect();
                Arc::make_mut(&mut self.built).push(Rock::Dam(columns));
            }
            (_, Matter::Nothing | Matter::Raise { .. })
                if self.built.iter().any(|rock| matches!(rock, Rock::Dam(_))) =>
            {
                let dug: HashSet<_> = shape
                    .columns(grid)
                    .into_iter()
                    .map(|(x, z)| [x, z])
                    .collect();
                for rock in Arc::make_mut(&mut self.built) {
                    if let Rock::Dam(columns) = rock {
                        columns.retain(|column| !dug.contains(column));
                    }
                }
            }
            _ => {}
        }
    }

    /// Returns the list of rock placed by hand that exists at the simulation's moment.
    pub fn built(&self) -> &Arc<Vec<Rock>> {
        &self.built
    }

    /// Resets the brush and rebuilds the list of rock placed by hand; called after the simulation
    /// has been restored from a snapshot.
    pub(crate) fn came_back(&mut self) {
        (self.brush, self.stroke) = (Brush::default(), None);
        self.built = Arc::default();
        for act in self.history.path(self.at.act) {
            let command = self.history.act(act).map(|act| act.command.clone());
            command.iter().for_each(|command| self.note_built(command));
        }
        self.snapshots.came_back();
    }

    /// Marks the cached timeline as outdated, so that `timeline` builds a new one.
    pub(crate) fn touch_timeline(&mut self) {
        self.timeline_old = true;
    }

    /// Returns the timeline of the session; rebuilt only if the history or the snapshots have
    /// changed.
    pub fn timeline(&mut self) -> Arc<TimeLine> {
        if std::mem::take(&mut self.timeline_old) {
            let new = timeline(&self.history, &self.snapshots);
            if *self.timeline != new {
                self.timeline = Arc::new(new);
            }
        }
        self.timeline.clone()
    }

    /// Takes a snapshot of the simulation's moment, to which the user wants to return later.
    ///
    /// # Errors
    /// If the snapshots would exceed their memory limit; text for the user.
    pub fn keep(&mut self) -> Result<(), String> {
        self.timeline_old = true;
        if self
            .snapshots
            .keep(&self.simulation, &self.history, self.at)
        {
            return Ok(());
        }
        let most = self.snapshots.most_bytes() >> 20;
        Err(format!(
            "step {} is not kept: the snapshots would take more than {most} MiB",
            self.simulation.steps()
        ))
    }

    /// Renames or removes a branch as `change` demands. Returns an error as text for the user.
    pub fn change_branch(&mut self, change: BranchChange) -> Result<(), String> {
        self.timeline_old = true;
        match change {
            BranchChange::Rename(number, name) => {
                self.history
                    .rename(number, &name)
                    .map_err(|error| error.to_string())?;
            }
            BranchChange::Remove(number) => {
                let name = self
                    .history
                    .remove(number)
                    .map_err(|error| error.to_string())?;
                self.snapshots.prune(&self.history);
                self.notices.push(Notice::new(format!("{name} is deleted")));
            }
        }
        Ok(())
    }

    /// Sets the camera and the look settings that are saved with the scene.
    pub fn set_view(&mut self, camera: CameraSpec, look: LookSpec) {
        (self.scene.spec.camera, self.scene.spec.look) = (camera, look);
    }

    /// Sets the film key frames that are saved with the scene. Changed key frames replace an orbit
    /// or another camera move of the film.
    pub fn set_film(&mut self, keys: Vec<FilmKey>) {
        let film = &mut self.scene.spec.film;
        if film.keys != keys {
            *film = FilmSpec {
                keys,
                orbit_deg: 0.0,
                camera_move: None,
                ..film.clone()
            };
        }
    }

    /// Writes the session to `path`, by the file's extension either as a session file, or as a
    /// scene file whose run reproduces the present state bit for bit. Returns an error as text for
    /// the user.
    pub fn save(&mut self, path: &Path, existing: Existing) -> Result<(), String> {
        let recorded = self.scene.recorded(&self.simulation);
        let saved = if is_session(path) {
            self.pack(&recorded, path, existing)?
        } else {
            recorded.save(path, existing)
        };
        saved.map_err(|error| match error {
            SceneError::Output(OutputError::Exists { path }) => {
                format!("{} exists already: choose another name", path.display())
            }
            other => other.to_string(),
        })
    }

    /// Writes the scene `recorded` and the history as a session file.
    fn pack(
        &mut self,
        recorded: &Scene,
        path: &Path,
        existing: Existing,
    ) -> Result<Result<(), SceneError>, String> {
        let history = self.history_text()?;
        let packed = recorded.pack(path, &self.extras(&history), existing);
        Ok(packed.map(|left| self.tell_left_out(&left)))
    }

    /// Returns the bytes of the session file that [`Session::save`] would write under the name
    /// `name`. Returns an error as text for the user.
    pub fn to_bytes(&mut self, name: &Path) -> Result<Vec<u8>, String> {
        let (recorded, history) = (self.scene.recorded(&self.simulation), self.history_text()?);
        let mut file = Cursor::new(Vec::new());
        let left = recorded
            .pack_to(&mut file, name, &self.extras(&history))
            .map_err(|error| error.to_string())?;
        self.tell_left_out(&left);
        Ok(file.into_inner())
    }

    /// Returns the history as the text that a session file contains, with the hash of the state if
    /// the simulation is at the present moment.
    pub fn history_text(&self) -> Result<String, String> {
        let state = (self.at == self.history.here()).then(|| self.simulation.world().state_hash());
        let text = self.history.to_text(state);
        text.map_err(|error| error.to_string())
    }

    /// Returns what a session file contains besides the scene; `history`: text of the history.
    fn extras<'a>(&'a self, history: &'a str) -> Extras<'a> {
        Extras {
            history: Some((&self.scene, history)),
            thumbnail: self.thumbnail.as_deref(),
        }
    }

    /// Adds a notice for each input file in `left` that was too large for the session file.
    fn tell_left_out(&mut self, left: &[PathBuf]) {
        let words = |file: &PathBuf| {
            Notice::new(format!(
                "{} is too long for the session file",
                file.display()
            ))
        };
        self.notices.extend(left.iter().map(words));
    }

    /// Sets the thumbnail that is saved with the session file, as PNG bytes.
    pub fn set_thumbnail(&mut self, picture: Vec<u8>) {
        self.thumbnail = Some(picture);
    }

    /// Returns the memory that the session needs for the simulation's state and the pictures,
    /// without the snapshots, which have their own entry in the memory accounting.
    pub fn need(&self) -> MemoryEstimate {
        let drawn = self.scene.need_of_drawing(need_of_pictures(&self.scene));
        self.simulation.world().taken().and(drawn)
    }

    /// Returns the memory of a print of `size` (width, height) pixels beside that of the session: a
    /// copy of the volume, a renderer and the traced picture.
    pub fn need_of_print(&self, size: [u32; 2]) -> MemoryEstimate {
        let (grid, scene) = (self.simulation.world().grid(), &self.scene);
        let gas = if scene.has_gas() { grid.cells() } else { 0 };
        let clouds = [scene.air_cells(), gas];
        let clouds = clouds.into_iter().filter(|cells| *cells > 0);
        need(grid, size)
            .and(need_of_media(grid, scene.spec.other_materials()))
            .and(need_of_smoke(scene.air_cells()))
            .and(need_of_print(grid, size, clouds))
    }

    /// Registers the memory of a print of `size` (width, height) pixels.
    ///
    /// # Errors
    /// If session and print together exceed the memory limit; the reason as text for the user.
    pub fn weigh_print(&self, size: [u32; 2]) -> Result<Held, String> {
        let need = self.need_of_print(size);
        let _session = self.need().held();
        need.check("make the window smaller")
            .map_err(|error| format!("no print: {error}"))?;
        Ok(need.held())
    }

    /// Returns the look settings of the session's scene.
    pub fn look(&self) -> LookSpec {
        self.scene.look()
    }

    /// Returns the camera of the session's scene.
    pub fn camera(&self) -> CameraSpec {
        self.scene.spec.camera.clone()
    }

    /// Returns the task of the session's scene, for a challenge; empty without one.
    pub fn task(&self) -> &str {
        &self.scene.spec.task
    }

    /// Returns the name of the session's scene.
    pub fn name(&self) -> &str {
        &self.scene.spec.name
    }

    /// Lowers the upper bound of the memory of all snapshots to `most_bytes` bytes; seeks then replay
    /// more steps.
    pub fn limit_snapshots(&mut self, most_bytes: u64) {
        self.snapshots.limit(most_bytes);
    }

    /// Returns the history of the session: its acts, branches and present moment.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// Returns the moment of the simulation's present state; differs from the history's present
    /// moment during a seek.
    pub fn at(&self) -> Moment {
        self.at
    }

    /// Returns the number of seeks to another moment begun since the session was opened.
    pub fn ways(&self) -> u64 {
        self.ways
    }

    /// Returns the simulation, whose state is that of the moment `at`.
    pub fn simulation(&self) -> &Simulation {
        &self.simulation
    }

    /// Returns the image draped over the ground; `None` without an image.
    pub fn drape(&self) -> Option<&Drape> {
        self.drape.as_ref()
    }

    /// Returns the height of a cell divided by its width, as pictures draw the cell: 1 in the classic
    /// model, the ratio of the site's cell sizes in the physical model.
    pub fn proportion(&self) -> f32 {
        let (flow, site) = (self.simulation.world().flow(), &self.site);
        flow.map_or(1.0, |_| (site.cell_height_m() / site.cell_size_m) as f32)
    }

    /// Returns the site of the simulation box: cell sizes in metres, and position on the Earth if
    /// known.
    pub fn site(&self) -> &Site {
        &self.site
    }
}

/// Estimates the memory that the window needs to draw smoke and the ground around the simulation
/// box of `scene`.
fn need_of_pictures(scene: &Scene) -> MemoryEstimate {
    let smoke = need_of_smoke(scene.air_cells());
    match scene.spec.grid.grid() {
        Ok(grid) => smoke.and(need_of_surroundings(grid, &scene.spec.look)),
        Err(_) => smoke,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_without_acts_has_the_hash_of_a_run() {
        // The session adds layers for lava poured by hand, and for the rubble and steam that lava
        // makes of water; they must not change the hash.
        // Rubble comes in front of sand and steam in front of fire: neither changes their random
        // numbers.
        let poured = ["water", "sand", "fire"].map(|name| {
            format!(
                "[[material]]\nname = \"{name}\"\n[[source]]\nmaterial = \"{name}\"\nx = 6.0\nz = 6.0\nrate = 0.5\n"
            )
        });
        let text = format!(
            "[grid]\nsize = [12, 16, 12]\n[terrain]\nkind = \"plane\"\n{}",
            poured.concat()
        );
        let scene = Scene::parse(&text, Path::new("pond.toml")).expect("a right scene");
        let mut session = Session::open(scene.clone()).expect("it opens");
        let run = |scene: &Scene| {
            scene
                .build(Box::new(Tiled::default()))
                .expect("it fits")
                .simulation
        };
        let mut run = run(&scene);
        assert!(
            session.simulation.world().layers().len() > run.world().layers().len(),
            "more may come"
        );
        for step in 0..40 {
            let hashes =
                [&session.simulation, &run].map(|simulation| simulation.world().state_hash());
            assert_eq!(hashes[0], hashes[1], "step {step}");
            session.step();
            run.step();
        }
    }

    #[test]
    #[ignore = "ten scenes, some slow; .ci/full: cargo test -p lavoxel-session -- --ignored the_page"]
    fn the_page_is_held_to_the_states_of_sessions() {
        let list = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/tests/hashes.json");
        let text = std::fs::read_to_string(&list).expect("the list");
        let rows: Vec<(String, u64, String)> = serde_json::from_str(&text).expect("a list of rows");
        let found = |(name, steps, _): &(String, u64, String)| {
            let path = Path::new("shipped:").join(format!("{name}.toml"));
            let scene = Scene::open(&path).expect("a built-in scene");
            let run = scene.build(Box::new(Tiled::default())).expect("it fits");
            let mut run = run.simulation;
            let mut session = Session::open(scene).expect("it opens");
            for _ in 0..*steps {
                session.step();
                run.step();
            }
            let [hash, other] = [&session.simulation, &run]
                .map(|simulation| format!("{:016x}", simulation.world().state_hash()));
            assert_eq!(hash, other, "a session of {name} is its run");
            (name.clone(), *steps, hash)
        };
        let now: Vec<_> = rows.iter().map(found).collect();
        if std::env::var_os("UPDATE_HASHES").is_some() {
            let row = |row| serde_json::to_string(row).expect("a row");
            let rows: Vec<_> = now.iter().map(row).collect();
            std::fs::write(&list, format!("[\n  {}\n]\n", rows.join(",\n  "))).expect("written");
        } else {
            assert_eq!(now, rows);
        }
    }
}
