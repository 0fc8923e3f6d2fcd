//! One run of a fit: the scene with some of its numbers replaced, and how well it agrees with what was observed.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use serde::{Deserialize, Serialize};

use super::observed::Observation;
use super::study::CalibrateError;
use crate::hazard::{BUILDING, Weighed};
use lavoxel_automaton::engine::tiled::Tiled;
use lavoxel_geo::map::Site;
use lavoxel_scene::scene::{NumberKey, Scene, SceneError, Template};
use lavoxel_sim::records::FlowRecords;
use lavoxel_sim::simulation::Simulation;

/// Scores of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Scores {
    /// Of each observation that the fit goes by, from 0 to 1.
    pub(super) observed: Vec<f64>,
    /// Of each that it is checked by.
    pub(super) checked: Vec<f64>,
    /// Fault of numbers that make no run; all scores are 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) fault: Option<String>,
}

/// All that runs of a fit have in common.
pub(super) struct Trials {
    pub(super) template: Template,
    pub(super) keys: Vec<NumberKey>,
    pub(super) site: Site,
    /// Remarks on how its heightmap was read.
    pub(super) notes: Vec<String>,
    pub(super) observed: Vec<Observation>,
    pub(super) checked: Vec<Observation>,
    pub(super) stop: Arc<AtomicBool>,
}

impl Trials {
    /// The scene with these values, one for each key.
    pub(super) fn scene(&self, values: &[f64]) -> Result<Scene, SceneError> {
        let pairs: Vec<_> = self.keys.iter().zip(values.iter().copied()).collect();
        self.template.with(&pairs)
    }

    /// Makes a run; none where it was stopped before its end. `again` is 0, or the number of a repetition with other seeds.
    ///
    /// # Errors
    /// When memory does not suffice, or a number changes the box.
    pub(super) fn run(
        &self,
        values: &[f64],
        again: u32,
        stopped: &dyn Fn() -> bool,
    ) -> Result<Option<Scores>, CalibrateError> {
        let mut weighed = Weighed::default();
        let alone = BUILDING.lock();
        let built = self.scene(values).and_then(|mut scene| {
            reseed(&mut scene, again);
            scene.build(Box::new(Tiled::default()))
        });
        let stage = match built {
            Ok(stage) => stage,
            Err(error @ SceneError::Memory { .. }) => return Err(error.into()),
            Err(error) => return Ok(Some(self.none(error.to_string()))),
        };
        if (stage.site.grid, stage.site.placement()) != (self.site.grid, self.site.placement()) {
            let mend = "fit numbers that leave the box where it is";
            return Err(CalibrateError::Wrong(format!("--vary: a number changes the box or its cells; {mend}")));
        }
        weighed.weigh(stage.simulation.world())?;
        drop(alone);
        self.watch(stage.simulation, weighed, stopped)
    }

    /// Scores of numbers that make no run.
    fn none(&self, fault: String) -> Scores {
        Scores { observed: vec![0.0; self.observed.len()], checked: vec![0.0; self.checked.len()], fault: Some(fault) }
    }

    /// Makes the steps and scores each observation when its time has come.
    fn watch(
        &self,
        mut simulation: Simulation,
        mut weighed: Weighed,
        stopped: &dyn Fn() -> bool,
    ) -> Result<Option<Scores>, CalibrateError> {
        simulation.stop_by(self.stop.clone());
        // Cells are read by other matter and air alone.
        simulation.show_when_asked();
        simulation.end_at(self.observed.iter().chain(&self.checked).map(|seen| seen.time_s).reduce(f64::max));
        let mut records = FlowRecords::new(self.site.grid);
        let mut scores = Scores {
            observed: vec![f64::NAN; self.observed.len()],
            checked: vec![f64::NAN; self.checked.len()],
            fault: None,
        };
        loop {
            let Some(flow) = simulation.world().flow() else { return Ok(None) };
            let has_come = |time_s: f64| flow.time_s() >= time_s;
            let all =
                self.observed.iter().zip(&mut scores.observed).chain(self.checked.iter().zip(&mut scores.checked));
            let mut is_over = true;
            for (observation, score) in all.filter(|(_, score)| score.is_nan()) {
                if has_come(observation.time_s) {
                    *score = rounded(observation.score(flow, &records, &self.site));
                } else {
                    is_over = false;
                }
            }
            if is_over {
                return Ok(Some(scores));
            }
            if stopped() {
                return Ok(None);
            }
            let to_come = simulation.events_to_come();
            simulation.step();
            if simulation.was_stopped() {
                return Ok(None);
            }
            if Weighed::is_due(simulation.steps()) {
                weighed.weigh(simulation.world())?;
            }
            let is_event = simulation.events_to_come() < to_come;
            let Some(flow) = simulation.world().flow() else { return Ok(None) };
            // Lava that an event puts somewhere may never move.
            if is_event {
                records.observe(flow, flow.wet());
            }
            records.observe(flow, flow.changed());
        }
    }
}

/// Other seeds for a repetition. The error of a heightmap is that of repetitions alone: the others run on the ground of the file.
fn reseed(scene: &mut Scene, again: u32) {
    let terrain = &mut scene.spec.terrain;
    if again == 0 {
        terrain.error_m = None;
        return;
    }
    scene.spec.seed = scene.spec.seed.wrapping_add(u64::from(again)) & (u64::MAX >> 1);
    terrain.error_seed = terrain.error_m.map(|_| terrain.error_seed.unwrap_or(1).wrapping_add(again));
}

/// A score with nine digits behind the point: as a file gives it back.
fn rounded(score: f64) -> f64 {
    (score * 1e9).round() / 1e9
}
