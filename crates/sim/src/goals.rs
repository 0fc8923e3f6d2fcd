//! Goals of a scene: keep an area dry, fill a hollow, reach a sea in time. After every step, each
//! goal sums the matter inside its shape; a verdict is final.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use lavoxel_automaton::world::{Shape, World};
use lavoxel_base::grid::{Grid, Place};
use lavoxel_base::memory::MemoryEstimate;
use lavoxel_base::param::{Table, table};
use lavoxel_base::units::{AMOUNT_ONE, cells};
use lavoxel_base::validate::Invalid;
use lavoxel_base::words::grouped;

/// Upper bound on the number of goals of a scene.
pub const MAX_GOALS: usize = 100;

/// Upper bound on the step at which a goal is decided.
const LAST_STEP: f64 = 1e9;

/// Upper bound on the target amount of a goal, in full cells.
const MOST: f64 = 1e12;

/// Memory in bytes per run of cells along x in a goal's shape, with a factor 2 for the growth of
/// the `Vec`.
const BYTES_A_RUN: f64 = 2.0 * size_of::<CellRun>() as f64;

table! {
    /// A `[[goal]]` as written in a scene: matter in a shape, and exactly one of `keep_below`,
    /// `reach` and `fill`.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct GoalSpec {
        /// Name of the goal for players, such as "The village stays dry".
        must pub name: String;
        /// Name of the material that is counted.
        #[serde(default = "lava")]
        may pub material: String;
        /// Shape in which the material is counted, in cells of the box as for bodies.
        must pub shape: Shape;
        /// Upper limit of the amount in the shape, in every step up to `until`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        may pub keep_below: Option<f64>, [0.0, MOST] "full cells";
        /// Amount that the shape must hold in at least one step up to `until`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        may pub reach: Option<f64>, [1e-3, MOST] "full cells";
        /// Share of the open volume that the shape had before the first step, which the material
        /// must fill in at least one step up to `until`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        may pub fill: Option<f64>, [1e-3, 1.0] "";
        /// Last step of the goal, after which it is decided.
        must pub until: u64, [1.0, LAST_STEP] "steps";
    }
}

fn lava() -> String {
    lavoxel_automaton::matter::Material::LAVA.to_owned()
}

/// Target of a goal: a limit to keep, or an amount to reach.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Aim {
    /// Amount in the shape that must not be exceeded, in full cells.
    KeepBelow(f64),
    /// Amount in the shape that must be reached, in full cells.
    Reach(f64),
    /// Fraction that must be filled of the volume that was open in the shape before the first step,
    /// 0 to 1.
    Fill(f64),
}

impl GoalSpec {
    /// Checks that every number is in range. `key`: name of the goal's table in messages, such as
    /// `goal[0]`.
    pub fn validate(&self, key: &str) -> Result<(), Invalid> {
        self.check(key)?;
        self.shape.validate(&format!("{key}.shape"))?;
        if let Some(kind) = self.shape.kind_of_file() {
            return Err(Invalid::new(
                &format!("{key}.shape.kind"),
                kind,
                "a shape that needs no file, such as box",
            ));
        }
        let given = [self.keep_below, self.reach, self.fill]
            .iter()
            .flatten()
            .count();
        if given != 1 {
            return Err(Invalid::new(
                key,
                format!("{given} aims"),
                "one of keep_below, reach and fill",
            ));
        }
        Ok(())
    }

    /// Returns the target of the goal. The table must have passed [`GoalSpec::validate`].
    pub fn aim(&self) -> Aim {
        match (self.keep_below, self.reach, self.fill) {
            (Some(most), ..) => Aim::KeepBelow(most),
            (_, Some(least), _) => Aim::Reach(least),
            (.., share) => Aim::Fill(share.unwrap_or(1.0)),
        }
    }

    /// Estimates the memory of the list of the shape's cells, for a box of shape `grid`.
    pub fn need(&self, grid: Grid) -> MemoryEstimate {
        let [_, high, deep] = self.shape.extent(grid);
        MemoryEstimate::new("the goals", (high * deep) as usize, BYTES_A_RUN)
    }
}

/// Final outcome of a goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The amount was reached in time, or the limit was kept until the last step.
    Won,
    /// The amount was not reached by the last step, or the limit was exceeded.
    Lost,
}

/// Progress of a goal: the matter counted so far, and the verdict. Checkpoints store it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Progress {
    /// Capacity of the open cells of the shape before the first step, in units of amount.
    pub room: u64,
    /// Amount of the goal's material in the shape when last counted, in units.
    pub now: u64,
    /// Verdict and the step at which it was reached; `None` while the goal is undecided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<(Verdict, u64)>,
}

/// Run of cells of a goal's shape along x, without a gap.
#[derive(Clone, Copy, Debug)]
struct CellRun {
    from: Place,
    /// End of the run of cells along x, exclusive.
    end: usize,
}

/// Goal, with the cells of its shape as runs of cells along x.
#[derive(Debug)]
struct Goal {
    spec: GoalSpec,
    runs: Vec<CellRun>,
}

/// Goals of a simulation, with their progress. Clones share the specifications and the lists of
/// cells; each clone has its own progress.
#[derive(Clone, Debug, Default)]
pub struct Goals {
    goals: Arc<[Goal]>,
    progress: Vec<Progress>,
}

impl Goals {
    /// Starts the goals of the validated tables `specs` in `world`, which must be in the state
    /// before the first step.
    pub fn new(specs: &[GoalSpec], world: &World) -> Self {
        let goals: Arc<[Goal]> = specs
            .iter()
            .map(|spec| Goal::new(spec, world.grid()))
            .collect();
        let progress = goals.iter().map(|goal| Progress {
            room: goal.room(world),
            now: goal.count(world),
            verdict: None,
        });
        let progress = progress.collect();
        Self { goals, progress }
    }

    /// Continues the goals `specs` with the saved `progress`; `None` if their numbers differ.
    pub fn resumed(specs: &[GoalSpec], grid: Grid, progress: Vec<Progress>) -> Option<Self> {
        let goals: Arc<[Goal]> = specs.iter().map(|spec| Goal::new(spec, grid)).collect();
        (goals.len() == progress.len()).then_some(Self { goals, progress })
    }

    /// Returns true if a goal is undecided.
    pub fn are_open(&self) -> bool {
        self.progress
            .iter()
            .any(|progress| progress.verdict.is_none())
    }

    /// Counts the matter in the shapes of all undecided goals after step `step`, and decides goals
    /// that were reached or missed.
    pub(crate) fn update(&mut self, world: &World, step: u64) {
        for (goal, progress) in self.goals.iter().zip(&mut self.progress) {
            if progress.verdict.is_none() {
                progress.now = goal.count(world);
                progress.verdict = goal.verdict(progress, step).map(|verdict| (verdict, step));
            }
        }
    }

    /// Iterates over the goals with their progress, in the scene's order.
    pub fn iter(&self) -> impl Iterator<Item = (&GoalSpec, Progress)> {
        self.goals
            .iter()
            .map(|goal| &goal.spec)
            .zip(self.progress.iter().copied())
    }

    /// Returns the progress of all goals in the scene's order, for a checkpoint.
    pub fn progress(&self) -> &[Progress] {
        &self.progress
    }
}

impl Goal {
    fn new(spec: &GoalSpec, grid: Grid) -> Self {
        let mut runs: Vec<CellRun> = Vec::new();
        for [x, y, z] in spec.shape.cells(grid) {
            match runs.last_mut() {
                Some(run) if run.end == x && run.from[1..] == [y, z] => run.end += 1,
                _ => runs.push(CellRun {
                    from: [x, y, z],
                    end: x + 1,
                }),
            }
        }
        runs.shrink_to_fit();
        Self {
            spec: spec.clone(),
            runs,
        }
    }

    /// Returns the total capacity of the open cells in the goal's shape, in units of amount.
    fn room(&self, world: &World) -> u64 {
        let cells = self
            .runs
            .iter()
            .flat_map(|run| (run.from[0]..run.end).map(|x| [x, run.from[1], run.from[2]]));
        cells
            .filter(|&place| !world.ground().is_solid(place))
            .count() as u64
            * u64::from(AMOUNT_ONE)
    }

    /// Returns the amount of the goal's material in its shape, in units.
    fn count(&self, world: &World) -> u64 {
        let Some(layer) = world.layer(&self.spec.material) else {
            return 0;
        };
        let rows = self.runs.iter().map(
            |&CellRun {
                 from: [x, y, z],
                 end,
             }| layer.row(y, z, x..end),
        );
        rows.flatten().map(|(_, cell)| u64::from(cell.amount)).sum()
    }

    fn verdict(&self, progress: &Progress, step: u64) -> Option<Verdict> {
        let is_over = step >= self.spec.until;
        match self.spec.aim() {
            Aim::KeepBelow(most) if cells(progress.now) > most => Some(Verdict::Lost),
            Aim::KeepBelow(_) => is_over.then_some(Verdict::Won),
            aim if aim.share_of(progress) >= 1.0 => Some(Verdict::Won),
            _ => is_over.then_some(Verdict::Lost),
        }
    }
}

impl Aim {
    /// Returns the progress as a fraction of the target: 1 when complete. For `KeepBelow`: present
    /// amount as a fraction of the limit, above 1 if the limit is exceeded. Without a target
    /// amount, 1 if there is any matter, else 0.
    pub fn share_of(self, progress: &Progress) -> f64 {
        let wanted = match self {
            Self::KeepBelow(cells) | Self::Reach(cells) => cells,
            Self::Fill(share) if progress.room > 0 => share * cells(progress.room),
            // A shape without open cells cannot be filled.
            Self::Fill(_) => return 0.0,
        };
        if wanted > 0.0 {
            cells(progress.now) / wanted
        } else {
            f64::from(u8::from(progress.now > 0))
        }
    }
}

/// Returns the outcome of all goals together: won when every goal is won, lost as soon as one goal
/// is lost; `None` while undecided, and without goals.
pub fn outcome(goals: &[(GoalSpec, Progress)]) -> Option<Verdict> {
    let verdict = |of: Verdict| {
        move |(_, progress): &(GoalSpec, Progress)| progress.verdict.is_some_and(|(is, _)| is == of)
    };
    let won = !goals.is_empty() && goals.iter().all(verdict(Verdict::Won));
    if goals.iter().any(verdict(Verdict::Lost)) {
        Some(Verdict::Lost)
    } else {
        won.then_some(Verdict::Won)
    }
}

/// Describes the progress of the goal `goal` in one line of text.
pub fn words(goal: &GoalSpec, progress: &Progress) -> String {
    let (now, material) = (cells(progress.now), &goal.material);
    let amount = |cells: f64| {
        if cells < 100.0 {
            format!("{cells:.2}")
        } else {
            grouped(cells.round() as u64)
        }
    };
    let count = match goal.aim() {
        Aim::KeepBelow(most) => format!(
            "{} full cells of {material}, at most {}",
            amount(now),
            amount(most)
        ),
        Aim::Reach(least) => format!(
            "{} of {} full cells of {material}",
            amount(now),
            amount(least)
        ),
        Aim::Fill(share) => {
            let full = if progress.room > 0 {
                100.0 * progress.now as f64 / progress.room as f64
            } else {
                0.0
            };
            format!(
                "{full:.0} % full of {material}, {:.0} % asked",
                100.0 * share
            )
        }
    };
    let keeps = matches!(goal.aim(), Aim::KeepBelow(_));
    match progress.verdict {
        None if keeps => format!("kept so far, until step {}: {count}", goal.until),
        None => format!("open until step {}: {count}", goal.until),
        Some((Verdict::Won, step)) if keeps => format!("won, kept to step {step}: {count}"),
        Some((Verdict::Won, step)) => format!("won at step {step}: {count}"),
        Some((Verdict::Lost, step)) => format!("lost at step {step}: {count}"),
    }
}
