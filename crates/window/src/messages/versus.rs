//! Numbers of two runs side by side, and their differences.

use super::Update;
use lavoxel_render::LookSpec;
use lavoxel_scene::scene::Seconds;

/// Changes of the second run since the last update.
#[derive(Debug)]
pub struct SecondUpdate {
    /// Changes of the run, as those of the first one.
    pub update: Box<Update>,
    /// Look of the scene; `None` unless the update resets all data.
    pub look: Option<Box<LookSpec>>,
    /// Numbers of both runs; `None` before the first measurement.
    pub numbers: Option<TwoRuns>,
}

/// Quantity that both runs know, with its value in each.
#[derive(Clone, Debug, PartialEq)]
pub struct Versus {
    /// Name of the quantity.
    pub name: String,
    /// Unit of the values.
    pub unit: &'static str,
    /// Value of the left and of the right run.
    pub values: [f64; 2],
}

impl Versus {
    /// Returns the value of the right run minus that of the left one.
    pub fn difference(&self) -> f64 {
        self.values[1] - self.values[0]
    }
}

/// Numbers of two runs that advance together.
#[derive(Clone, Debug, PartialEq)]
pub struct TwoRuns {
    /// Names of the scenes, the left one first.
    pub names: [String; 2],
    /// Number of steps of each run.
    pub steps: [u64; 2],
    /// Simulated time of each run in seconds; `None` if not both are physical models.
    pub times_s: Option<[f64; 2]>,
    /// Set while the right run is behind the left one, which waits.
    pub is_behind: bool,
    /// Quantities that both runs know.
    pub rows: Vec<Versus>,
    /// Hashes of both states; `None` while the runs advance.
    pub hashes: Option<[u64; 2]>,
}

impl TwoRuns {
    /// Returns the label of a run (0 left, 1 right): name, and time or step.
    pub(crate) fn label(&self, side: usize) -> String {
        let (name, step) = (&self.names[side], self.steps[side]);
        match self.times_s {
            Some(times_s) => format!("{name}, {}", Seconds(times_s[side])),
            None => format!("{name}, step {step}"),
        }
    }

    /// Returns the numbers as text: steps and hashes, then a line for each quantity.
    pub(crate) fn lines(&self) -> Vec<String> {
        let [left, right] = self.steps;
        let hashes = self.hashes.map_or(String::new(), |[first, second]| {
            format!(", states {first:016x} and {second:016x}")
        });
        let head = format!("two runs at steps {left} and {right}{hashes}");
        let line = |row: &Versus| {
            let [first, second] = row.values;
            let (name, unit) = (&row.name, row.unit);
            format!(
                "  {name}: {first} and {second} {unit}, difference {}",
                row.difference()
            )
        };
        std::iter::once(head)
            .chain(self.rows.iter().map(line))
            .collect()
    }
}
