//! Simulation of one calibration run: replaces scene parameters, and scores the result against the
//! observations.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use serde::{Deserialize, Serialize};

use super::observed::Observation;
use crate::study::{BUILDING, StudyError, VARIED, Watched, Weighed};
use lavoxel_automaton::engine::tiled::Tiled;
use lavoxel_geo::map::Site;
use lavoxel_scene::scene::{NumberKey, Scene, SceneError, Template};
use lavoxel_sim::simulation::Simulation;

/// Scores of one calibration run against all observations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Scores {
    /// Score of the run against each observation of the search, 0 to 1.
    pub(super) observed: Vec<f64>,
    /// Score of the run against each observation withheld from the search, 0 to 1.
    pub(super) checked: Vec<f64>,
    /// Error message if no scene could be built from the values, which sets all scores to 0; `None`
    /// otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) fault: Option<String>,
}

/// Data that all runs of a calibration share.
pub(super) struct Trials {
    pub(super) template: Template,
    pub(super) keys: Vec<NumberKey>,
    pub(super) site: Site,
    /// Assumptions made while the files of the scene were read, one sentence each.
    pub(super) notes: Vec<String>,
    pub(super) observed: Vec<Observation>,
    pub(super) checked: Vec<Observation>,
    pub(super) stop: Arc<AtomicBool>,
}

impl Trials {
    /// Returns the scene with `values` as its varied scene parameters, in the order of the plan.
    pub(super) fn scene(&self, values: &[f64]) -> Result<Scene, SceneError> {
        let pairs: Vec<_> = self.keys.iter().zip(values.iter().copied()).collect();
        self.template.with(&pairs)
    }

    /// Simulates the scene with the varied scene parameters set to `values` (in the order of the
    /// plan) and scores the result against the observations; `None` if `stopped` returned true
    /// before the end. `again`: index of a repetition with other random seeds, 0 for the run
    /// itself.
    ///
    /// # Errors
    /// When memory does not suffice, or if one of the values changes the scene's grid or its
    /// placement on the map, which all runs share.
    pub(super) fn run(
        &self,
        values: &[f64],
        again: u32,
        stopped: &dyn Fn() -> bool,
    ) -> Result<Option<Scores>, StudyError> {
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
        VARIED.check_box(&stage.site, &self.site)?;
        weighed.weigh(stage.simulation.world())?;
        drop(alone);
        self.watch(stage.simulation, weighed, stopped)
    }

    /// Returns the scores of a run whose scene parameters give no valid scene: 0 against each
    /// observation, with the error message `fault`.
    fn none(&self, fault: String) -> Scores {
        Scores {
            observed: vec![0.0; self.observed.len()],
            checked: vec![0.0; self.checked.len()],
            fault: Some(fault),
        }
    }

    /// Advances `simulation` to the time of the last observation and scores each observation at its
    /// time. `weighed`: memory reservation of the run. `None` if `stopped` returned true before the
    /// end.
    fn watch(
        &self,
        mut simulation: Simulation,
        mut weighed: Weighed,
        stopped: &dyn Fn() -> bool,
    ) -> Result<Option<Scores>, StudyError> {
        simulation.stop_by(self.stop.clone());
        // Only other matter and air read the cells; skipping their update saves time.
        simulation.show_when_asked();
        simulation.end_at(
            self.observed
                .iter()
                .chain(&self.checked)
                .map(|seen| seen.time_s)
                .reduce(f64::max),
        );
        let mut run = Watched::new(simulation);
        let mut scores = Scores {
            observed: vec![f64::NAN; self.observed.len()],
            checked: vec![f64::NAN; self.checked.len()],
            fault: None,
        };
        loop {
            let Some(flow) = run.flow() else {
                return Ok(None);
            };
            let all = self
                .observed
                .iter()
                .zip(&mut scores.observed)
                .chain(self.checked.iter().zip(&mut scores.checked));
            let mut is_over = true;
            for (observation, score) in all.filter(|(_, score)| score.is_nan()) {
                if flow.time_s() >= observation.time_s {
                    *score = rounded(observation.score(flow, &run.records, &self.site));
                } else {
                    is_over = false;
                }
            }
            if is_over {
                return Ok(Some(scores));
            }
            if stopped() || !run.step(|state| weighed.weigh(state))? {
                return Ok(None);
            }
        }
    }
}

/// Sets the random seeds of `scene` for the repetition with the index `again`; 0 means no
/// repetition. Only repetitions add the scene's random heightmap error; all other runs use the
/// heights of the file.
fn reseed(scene: &mut Scene, again: u32) {
    let terrain = &mut scene.spec.terrain;
    if again == 0 {
        terrain.error_m = None;
        return;
    }
    scene.spec.seed = scene.spec.seed.wrapping_add(u64::from(again)) & (u64::MAX >> 1);
    terrain.error_seed = terrain
        .error_m
        .map(|_| terrain.error_seed.unwrap_or(1).wrapping_add(again));
}

/// Rounds a score to nine decimals, the precision of scores in run files.
fn rounded(score: f64) -> f64 {
    (score * 1e9).round() / 1e9
}
