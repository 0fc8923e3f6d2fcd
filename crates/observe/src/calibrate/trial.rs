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
    /// Score of the run on each grid, 0 to 1; empty for a single grid.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) grids: Vec<f64>,
}

impl Scores {
    /// Returns the mean of `scores`, one for each grid. `observed`: the observations of the search.
    fn mean(scores: &[Self], observed: &[Observation]) -> Self {
        let mean = |of: fn(&Self) -> &Vec<f64>| -> Vec<f64> {
            let count = scores.first().map_or(0, |first| of(first).len());
            let sum = |i: usize| scores.iter().map(|scores| of(scores)[i]).sum::<f64>();
            (0..count)
                .map(|i| rounded(sum(i) / scores.len() as f64))
                .collect()
        };
        let each = scores
            .iter()
            .map(|scores| rounded(weighted(observed, &scores.observed)));
        Self {
            observed: mean(|scores| &scores.observed),
            checked: mean(|scores| &scores.checked),
            fault: None,
            grids: each.filter(|_| scores.len() > 1).collect(),
        }
    }
}

/// Mean of `scores` by the weights of their observations.
pub(super) fn weighted(observed: &[Observation], scores: &[f64]) -> f64 {
    let weights = observed.iter().map(|observation| observation.weight);
    let sum: f64 = weights.clone().sum();
    weights
        .zip(scores)
        .map(|(weight, score)| weight * score)
        .sum::<f64>()
        / sum
}

/// Distances in cells, to the east and to the south, by which the grids of a calibration lie from
/// the place that the scene says; N grids take the first N.
pub(super) const SHIFTS: [[f64; 2]; 8] = [
    [0.0, 0.0],
    [0.5, 0.5],
    [0.5, 0.0],
    [0.0, 0.5],
    [0.25, 0.75],
    [0.75, 0.25],
    [0.25, 0.25],
    [0.75, 0.75],
];

/// Place of the simulation box on its map, with the observations on its columns.
pub(super) struct Placed {
    /// Distance in cells from the place that the scene says, to the east and to the south.
    pub(super) shift: [f64; 2],
    pub(super) site: Site,
    pub(super) observed: Vec<Observation>,
    pub(super) checked: Vec<Observation>,
}

/// Data that all runs of a calibration share.
pub(super) struct Trials {
    pub(super) template: Template,
    pub(super) keys: Vec<NumberKey>,
    /// Grids on which each run is made, at least one; its scores are their means.
    pub(super) grids: Vec<Placed>,
    /// Assumptions made while the files of the scene were read, one sentence each.
    pub(super) notes: Vec<String>,
    pub(super) stop: Arc<AtomicBool>,
}

impl Trials {
    /// Observations of the search, on the first grid.
    pub(super) fn observed(&self) -> &[Observation] {
        self.grids.first().map_or(&[], |grid| &grid.observed)
    }

    /// Observations withheld from the search, on the first grid.
    pub(super) fn checked(&self) -> &[Observation] {
        self.grids.first().map_or(&[], |grid| &grid.checked)
    }

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
        let mut scores = Vec::new();
        for grid in &self.grids {
            match self.run_on(grid, values, again, stopped)? {
                Some(Scores {
                    fault: Some(fault), ..
                }) => return Ok(Some(self.none(fault))),
                Some(found) => scores.push(found),
                None => return Ok(None),
            }
        }
        Ok(Some(Scores::mean(&scores, self.observed())))
    }

    /// Makes a run on one grid; otherwise as [`Trials::run`].
    fn run_on(
        &self,
        grid: &Placed,
        values: &[f64],
        again: u32,
        stopped: &dyn Fn() -> bool,
    ) -> Result<Option<Scores>, StudyError> {
        let mut weighed = Weighed::default();
        let alone = BUILDING.lock();
        let built = self.scene(values).and_then(|mut scene| {
            reseed(&mut scene, again);
            scene.shifted(grid.shift).build(Box::new(Tiled::default()))
        });
        let stage = match built {
            Ok(stage) => stage,
            Err(error @ SceneError::Memory { .. }) => return Err(error.into()),
            Err(error) => return Ok(Some(self.none(error.to_string()))),
        };
        VARIED.check_box(&stage.site, &grid.site)?;
        weighed.weigh(stage.simulation.world())?;
        drop(alone);
        self.watch(grid, stage.simulation, weighed, stopped)
    }

    /// Returns the scores of a run whose scene parameters give no valid scene: 0 against each
    /// observation, with the error message `fault`.
    fn none(&self, fault: String) -> Scores {
        Scores {
            observed: vec![0.0; self.observed().len()],
            checked: vec![0.0; self.checked().len()],
            fault: Some(fault),
            grids: Vec::new(),
        }
    }

    /// Advances `simulation` to the time of the last observation and scores each observation at its
    /// time. `weighed`: memory reservation of the run. `None` if `stopped` returned true before the
    /// end.
    fn watch(
        &self,
        grid: &Placed,
        mut simulation: Simulation,
        mut weighed: Weighed,
        stopped: &dyn Fn() -> bool,
    ) -> Result<Option<Scores>, StudyError> {
        simulation.stop_by(self.stop.clone());
        // Only other matter and air read the cells; skipping their update saves time.
        simulation.show_when_asked();
        simulation.end_at(
            grid.observed
                .iter()
                .chain(&grid.checked)
                .map(|seen| seen.time_s)
                .reduce(f64::max),
        );
        let mut run = Watched::new(simulation);
        let mut scores = Scores {
            observed: vec![f64::NAN; grid.observed.len()],
            checked: vec![f64::NAN; grid.checked.len()],
            fault: None,
            grids: Vec::new(),
        };
        loop {
            let Some(flow) = run.flow() else {
                return Ok(None);
            };
            let all = grid
                .observed
                .iter()
                .zip(&mut scores.observed)
                .chain(grid.checked.iter().zip(&mut scores.checked));
            let mut is_over = true;
            for (observation, score) in all.filter(|(_, score)| score.is_nan()) {
                if flow.time_s() >= observation.time_s {
                    *score = rounded(observation.score(flow, &run.records, &grid.site));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_of_several_grids_are_their_means() {
        let scores = |score: f64| Scores {
            observed: vec![score, 0.5],
            checked: vec![1.0 - score],
            fault: None,
            grids: Vec::new(),
        };
        let mean = Scores::mean(&[scores(0.6), scores(0.8)], &[]);
        assert_eq!(
            (mean.observed, mean.checked, mean.grids.len()),
            (vec![0.7, 0.5], vec![0.3], 2)
        );
        // A run on one grid stays as it is.
        assert_eq!(Scores::mean(&[scores(0.6)], &[]), scores(0.6));
    }

    #[test]
    fn the_first_grid_is_that_of_the_scene_and_no_two_are_the_same() {
        assert_eq!(SHIFTS[0], [0.0; 2]);
        for (i, shift) in SHIFTS.iter().enumerate() {
            assert!(shift.iter().all(|part| (0.0..1.0).contains(part)));
            assert!(!SHIFTS[..i].contains(shift));
        }
    }
}
