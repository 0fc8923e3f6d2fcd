//! A scene that runs: the simulation, its site, what was done to it, and the snapshots for rewinding.

use std::path::Path;
use std::sync::Arc;

use super::snapshots::{MOST_BYTES, Snapshots};
use super::stroke::{Brush, Miss, changes};
use crate::engine::tiled::Tiled;
use crate::film::{FilmKey, FilmSpec};
use crate::map::Site;
use crate::output::{Existing, OutputError};
use crate::render::{CameraSpec, LookSpec, need_of_smoke};
use crate::rules::Walls;
use crate::scene::{Edge, Scene, SceneError};
use crate::simulation::{Command, Simulation};
use crate::validate::Invalid;
use crate::viewer::messages::{KeptMoment, Mend, Moment, Notice, Stroke};
use crate::world::{Edit, Matter, Shape};

/// A scene with its simulation and snapshots, and what was done to it.
///
/// Acts of the user are a line. A rewind goes to a moment on it and drops nothing: going on from there, the acts
/// that lie ahead are done again at their steps, to the same bits. Only another act, or the wish to forget, drops them.
pub(super) struct Session {
    scene: Scene,
    simulation: Simulation,
    site: Site,
    snapshots: Snapshots,
    /// Commands and the steps after which they were given, in order; the first `done` are part of the present state.
    acts: Vec<(u64, Command)>,
    done: usize,
    brush: Brush,
    /// Balls of rock among the acts that are done.
    built: Arc<Vec<[f32; 4]>>,
    notices: Vec<Notice>,
    /// Whether the user has seen the notice that lava reached the sides.
    edge_reported: bool,
}

/// Steps between checks of the sides.
const EDGE_EVERY: u64 = 64;

impl Session {
    /// Checks and builds a scene.
    pub(super) fn open(mut scene: Scene) -> Result<Self, SceneError> {
        scene.expect_lava()?;
        scene.validate()?;
        scene.check_drawable_with(need_of_smoke(scene.air_cells()))?;
        let stage = scene.build(Box::new(Tiled::default()))?;
        let snapshots = Snapshots::new(&stage.simulation, MOST_BYTES);
        let mut session = Self {
            scene,
            simulation: stage.simulation,
            site: stage.site,
            snapshots,
            acts: Vec::new(),
            done: 0,
            brush: Brush::default(),
            built: Arc::default(),
            notices: Vec::new(),
            edge_reported: false,
        };
        session.notices = session.opening_notices();
        Ok(session)
    }

    /// Notices on opening: what was chosen for a bare heightmap, and what may be wrong with the scene.
    fn opening_notices(&self) -> Vec<Notice> {
        let lines = self.scene.summary(&self.site, &self.simulation);
        let words = |line: &String| line.split_whitespace().collect::<Vec<_>>().join(" ");
        let chosen = (!self.scene.choices().is_empty()).then(|| lines.iter().map(words).collect::<Vec<_>>().join("; "));
        let warning = self.scene.warning(&self.simulation).map(Notice::wrong);
        chosen.map(Notice::new).into_iter().chain(warning).collect()
    }

    /// Notices since the last call.
    pub(super) fn take_notices(&mut self) -> Vec<Notice> {
        std::mem::take(&mut self.notices)
    }

    /// A notice that lava reached the sides of the box, the first time that it is there.
    fn edge(&mut self) -> Option<Notice> {
        if self.edge_reported || !self.simulation.steps().is_multiple_of(EDGE_EVERY) {
            return None;
        }
        let edge = Edge::of(&self.simulation, &self.site);
        let text = edge.words()?;
        self.edge_reported = true;
        // The sides of the physical model are those of its scene.
        let shut = edge.walls == Walls::Closed && self.simulation.world().flow().is_none();
        // A button brings what the end of the line says.
        let text = if shut { text.split("; ").next().unwrap_or_default().to_owned() } else { text };
        Some(Notice { mend: shut.then_some(Mend::OpenSides), ..Notice::new(text) })
    }

    /// One step, and a snapshot when it is time for one. Acts that lie ahead are done when their step has come.
    pub(super) fn step(&mut self) {
        while let Some((_, act)) = self.acts.get(self.done).filter(|(at, _)| *at <= self.simulation.steps()) {
            let act = act.clone();
            // What was possible then is possible now.
            if let Err(error) = self.simulation.command(act.clone()) {
                self.notices.push(Notice::wrong(error.to_string()));
            }
            self.note_built(&act);
            self.done += 1;
        }
        self.simulation.step();
        self.snapshots.offer(&self.simulation, self.done);
        let edge = self.edge();
        self.notices.extend(edge);
    }

    /// Gives the simulation a command; what lies ahead is dropped.
    pub(super) fn command(&mut self, command: Command) -> Result<(), Invalid> {
        self.simulation.command(command.clone())?;
        self.forget_ahead();
        self.note_built(&command);
        self.acts.push((self.simulation.steps(), command));
        self.done += 1;
        Ok(())
    }

    /// Draws a piece of a stroke. A dab that changes nothing, or that was put in this step already, is no act.
    pub(super) fn draw(&mut self, stroke: &Stroke) -> Result<(), Invalid> {
        let (dabs, miss) = self.brush.dabs(self.simulation.world(), stroke);
        let mut put = false;
        for center in &dabs {
            let shape = Shape::Sphere { center: *center, radius: stroke.radius };
            let edit = Edit { shape, matter: stroke.matter.clone() };
            let again = self.acts[..self.done].last().is_some_and(|(step, act)| {
                *step == self.simulation.steps() && matches!(act, Command::Put(last) if *last == edit)
            });
            if again || !changes(self.simulation.world(), &edit) {
                continue;
            }
            let were = self.brush.seen(self.simulation.world(), &edit.shape);
            self.command(edit.into())?;
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

    /// Adds the ball of a brush of rock.
    fn note_built(&mut self, command: &Command) {
        if let Command::Put(Edit { shape: Shape::Sphere { center, radius }, matter: Matter::Rock }) = command {
            let [x, y, z] = center.map(|v| v as f32);
            Arc::make_mut(&mut self.built).push([x, y, z, *radius as f32]);
        }
    }

    /// The moment of the present state.
    pub(super) fn moment(&self) -> Moment {
        Moment { step: self.simulation.steps(), acts: self.done }
    }

    /// Acts that lie ahead.
    pub(super) fn acts_ahead(&self) -> usize {
        self.acts.len() - self.done
    }

    /// Balls of rock that were put in by hand.
    pub(super) fn built(&self) -> &Arc<Vec<[f32; 4]>> {
        &self.built
    }

    /// Drops the acts and the moments that lie ahead, and says so.
    pub(super) fn forget_ahead(&mut self) {
        let acts = self.acts_ahead();
        self.acts.truncate(self.done);
        let moments = self.snapshots.forget_after(self.moment());
        let counted = |n: usize, one: &str| match n {
            0 => None,
            1 => Some(format!("1 {one}")),
            _ => Some(format!("{n} {one}s")),
        };
        let dropped: Vec<_> = [counted(acts, "change"), counted(moments, "moment")].into_iter().flatten().collect();
        if !dropped.is_empty() {
            let text =
                format!("from step {} on it goes another way: {} dropped", self.moment().step, dropped.join(" and "));
            self.notices.push(Notice::new(text));
        }
    }

    /// Keeps the present moment.
    pub(super) fn keep(&mut self) -> Result<(), String> {
        if self.snapshots.keep(&self.simulation, self.done) {
            return Ok(());
        }
        let most = MOST_BYTES >> 20;
        Err(format!("step {} is not kept: the snapshots would take more than {most} MiB", self.simulation.steps()))
    }

    /// Goes to a kept moment. What lies ahead of it stays, and so does the present one if nothing lies ahead of that.
    pub(super) fn rewind(&mut self, moment: Moment) -> Result<(), String> {
        let unkept = || format!("no snapshot was kept at step {}", moment.step);
        if self.snapshots.at(moment).is_none() {
            return Err(unkept());
        }
        let here = self.moment();
        let newest = self.acts_ahead() == 0 && !self.snapshots.any_after(here);
        if newest && !self.snapshots.leave(&self.simulation, self.done) {
            let text = format!("step {} could not be kept: there is no room for another snapshot", here.step);
            self.notices.push(Notice::new(text));
        }
        // Without room, automatic ones make place.
        let snapshot = self.snapshots.at(moment).ok_or_else(unkept)?;
        self.simulation.go_back(snapshot);
        self.done = moment.acts;
        self.brush = Brush::default();
        self.built = Arc::default();
        let acts = std::mem::take(&mut self.acts);
        acts[..self.done].iter().for_each(|(_, act)| self.note_built(act));
        self.acts = acts;
        Ok(())
    }

    /// Camera and look for the scene that is saved.
    pub(super) fn set_view(&mut self, camera: CameraSpec, look: LookSpec) {
        (self.scene.spec.camera, self.scene.spec.look) = (camera, look);
    }

    /// Key frames of the film for the scene that is saved. Other movements of the scene's camera give way to them.
    pub(super) fn set_film(&mut self, keys: Vec<FilmKey>) {
        let film = &mut self.scene.spec.film;
        if film.keys != keys {
            *film = FilmSpec { keys, orbit_deg: 0.0, camera_move: None, ..film.clone() };
        }
    }

    /// Writes the session as a scene that replays to the same bits.
    pub(super) fn save(&self, path: &Path, existing: Existing) -> Result<(), String> {
        let saved = self.scene.recorded(&self.simulation).save(path, existing);
        saved.map_err(|error| match error {
            SceneError::Output(OutputError::Exists { path }) => {
                format!("{} exists already: choose another name", path.display())
            }
            other => other.to_string(),
        })
    }

    /// The scene's name.
    pub(super) fn name(&self) -> &str {
        &self.scene.spec.name
    }

    /// The simulation as it is now.
    pub(super) fn simulation(&self) -> &Simulation {
        &self.simulation
    }

    /// The site of the box.
    pub(super) fn site(&self) -> &Site {
        &self.site
    }

    /// The kept moments.
    pub(super) fn moments(&self) -> Vec<KeptMoment> {
        self.snapshots.list()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_without_acts_has_the_hash_of_a_run() {
        // Lava may be poured by hand, and would make rubble and steam of the water.
        let text = "[grid]\nsize = [12, 16, 12]\n[terrain]\nkind = \"plane\"\n[[material]]\nname = \"water\"\n[[source]]\nmaterial \
                    = \"water\"\nx = 6.0\nz = 6.0\n";
        let scene = Scene::parse(text, Path::new("pond.toml")).expect("a right scene");
        let mut session = Session::open(scene.clone()).expect("it opens");
        let run = |scene: &Scene| scene.build(Box::new(Tiled::default())).expect("it fits").simulation;
        let mut run = run(&scene);
        assert!(session.simulation.world().layers().len() > run.world().layers().len(), "more may come");
        for step in 0..40 {
            let hashes = [&session.simulation, &run].map(|simulation| simulation.world().state_hash());
            assert_eq!(hashes[0], hashes[1], "step {step}");
            session.step();
            run.step();
        }
    }
}
