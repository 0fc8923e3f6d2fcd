//! A scene that runs: the simulation, its site, and the snapshots for rewinding.

use std::path::Path;

use super::snapshots::{MOST_BYTES, Snapshots};
use crate::engine::tiled::Tiled;
use crate::map::Site;
use crate::output::{Existing, OutputError};
use crate::render::{CameraSpec, LookSpec, need_of_smoke};
use crate::scene::{Edge, Scene, SceneError};
use crate::simulation::{Command, Simulation};
use crate::validate::Invalid;
use crate::viewer::messages::Notice;

/// A scene with its simulation and snapshots.
pub(super) struct Session {
    scene: Scene,
    simulation: Simulation,
    site: Site,
    snapshots: Snapshots,
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
        Ok(Self { scene, simulation: stage.simulation, site: stage.site, snapshots, edge_reported: false })
    }

    /// Notices on opening: what was chosen for a bare heightmap, and what may be wrong with the scene.
    pub(super) fn opening_notices(&self) -> Vec<Notice> {
        let lines = self.scene.summary(&self.site, &self.simulation);
        let words = |line: &String| line.split_whitespace().collect::<Vec<_>>().join(" ");
        let chosen = (!self.scene.choices().is_empty()).then(|| lines.iter().map(words).collect::<Vec<_>>().join("; "));
        let warning = self.scene.warning(&self.simulation).map(|text| Notice { wrong: true, text });
        chosen.map(|text| Notice { wrong: false, text }).into_iter().chain(warning).collect()
    }

    /// A notice that lava reached the sides of the box, the first time that it is there.
    pub(super) fn edge(&mut self) -> Option<Notice> {
        if self.edge_reported || !self.simulation.steps().is_multiple_of(EDGE_EVERY) {
            return None;
        }
        let (lava, walls) = (self.simulation.world().lava(), self.simulation.walls());
        let text = Edge::of(lava, walls).words(&self.site)?;
        self.edge_reported = true;
        Some(Notice { wrong: false, text })
    }

    /// One step, and a snapshot when it is time for one.
    pub(super) fn step(&mut self) {
        self.simulation.step();
        self.snapshots.offer(&self.simulation);
    }

    /// Gives the simulation a command.
    pub(super) fn command(&mut self, command: Command) -> Result<(), Invalid> {
        self.simulation.command(command)
    }

    /// Back to the start of the scene; all commands since then are forgotten.
    pub(super) fn reset(&mut self) {
        self.simulation.go_back(self.snapshots.restart());
    }

    /// Keeps the present snapshot.
    pub(super) fn keep(&mut self) -> Result<(), String> {
        if self.snapshots.keep(&self.simulation) {
            return Ok(());
        }
        let most = MOST_BYTES >> 20;
        Err(format!("step {} is not kept: the snapshots would take more than {most} MiB", self.simulation.steps()))
    }

    /// Back to the kept snapshot of a step; what came after it is forgotten.
    pub(super) fn rewind(&mut self, step: u64) -> Result<(), String> {
        let snapshot = self.snapshots.at(step).ok_or_else(|| format!("no snapshot was kept at step {step}"))?;
        self.simulation.go_back(snapshot);
        self.snapshots.forget_after(step);
        Ok(())
    }

    /// Camera and look for the scene that is saved.
    pub(super) fn set_view(&mut self, camera: CameraSpec, look: LookSpec) {
        (self.scene.spec.camera, self.scene.spec.look) = (camera, look);
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

    /// Steps of the snapshots.
    pub(super) fn snapshots(&self) -> Vec<u64> {
        self.snapshots.steps()
    }
}
