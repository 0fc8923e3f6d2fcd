//! Measured values of two runs that are compared, and the differences between them.

use super::Update;
use lavoxel_render::LookSpec;
use lavoxel_scene::scene::Seconds;

/// Update of the second run, the right one of two runs that are compared.
#[derive(Debug)]
pub struct SecondUpdate {
    /// Report and changes of the picture data, with the same meaning as for the first run.
    pub update: Box<Update>,
    /// Look settings of the second scene; `None` unless `update` resets all data.
    pub look: Option<Box<LookSpec>>,
    /// Measured values of both runs; `None` before the first measurement.
    pub numbers: Option<TwoRuns>,
}

/// Measured quantity that both runs have, with its value in the left and in the right run.
#[derive(Clone, Debug, PartialEq)]
pub struct Versus {
    /// Name of the quantity, such as `lava in the box`.
    pub name: String,
    /// Unit of both values.
    pub unit: &'static str,
    /// Value of the quantity in the left and in the right run, in `unit`.
    pub values: [f64; 2],
}

impl Versus {
    /// Returns the value of the right run minus the value of the left run, in `unit`.
    pub fn difference(&self) -> f64 {
        self.values[1] - self.values[0]
    }
}

/// Measured values of two runs that advance together.
#[derive(Clone, Debug, PartialEq)]
pub struct TwoRuns {
    /// Names of the scenes of the left (first) and the right (second) run.
    pub names: [String; 2],
    /// Number of steps that the left and the right run have made.
    pub steps: [u64; 2],
    /// Simulated time in seconds of the left and the right run; `None` unless both are physical
    /// models.
    pub times_s: Option<[f64; 2]>,
    /// Set while the right run catches up with the left run, which waits meanwhile.
    pub is_behind: bool,
    /// Quantities that both runs have, without those that are 0 in both.
    pub rows: Vec<Versus>,
    /// State hashes of the left and the right run; `None` unless the pace is paused and the right
    /// run has caught up.
    pub hashes: Option<[u64; 2]>,
}

impl TwoRuns {
    /// Returns the label of the run `side` (0 left, 1 right): name of its scene, and its simulated
    /// time or step number.
    pub(crate) fn label(&self, side: usize) -> String {
        let (name, step) = (&self.names[side], self.steps[side]);
        match self.times_s {
            Some(times_s) => format!("{name}, {}", Seconds(times_s[side])),
            None => format!("{name}, step {step}"),
        }
    }

    /// Returns the measured values as lines for the journal: steps and state hashes, and one line
    /// per quantity.
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
