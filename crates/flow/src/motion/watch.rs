//! Extreme values that tell where a flow exceeded the range of validity of its model: inertia, and
//! head differences whose levelling was deferred.

use serde::{Deserialize, Serialize};

/// Reynolds number ρ q/η above which inertia matters and a flow is no longer a creeping film.
const CREEPING: f64 = 1.0;

/// Extreme values of a flow since its start, which tell if the model of a creeping film was valid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FlowWatch {
    /// Largest Reynolds number ρ q/η of the uppermost liquid of any column, with the flux q in
    /// m²/s.
    pub reynolds: f64,
    /// Number of the column with the largest Reynolds number.
    pub reynolds_column: u32,
    /// End time in seconds of the step with the largest Reynolds number.
    pub reynolds_at_s: f64,
    /// End time in seconds of the first step with a Reynolds number above 1; `None` if no step had
    /// one.
    pub inertial_since_s: Option<f64>,
    /// Largest head difference between neighbouring columns, in units of height, whose levelling a
    /// sub-step deferred.
    pub put_off: i64,
}

impl FlowWatch {
    /// Returns true if all values are in their ranges for a flow of `columns` columns; checked for
    /// values read from a file.
    pub(crate) fn can_be(&self, columns: usize) -> bool {
        let times = [
            self.reynolds,
            self.reynolds_at_s,
            self.inertial_since_s.unwrap_or(0.0),
        ];
        times
            .iter()
            .all(|number| number.is_finite() && *number >= 0.0)
            && (self.reynolds_column as usize) < columns
            && (0..=1 << 56).contains(&self.put_off)
    }

    /// Updates the largest Reynolds number, and the time since which inertia matters, from the
    /// largest Reynolds number of a step and its column; `now_s`: end of the step in seconds.
    pub(crate) fn note(&mut self, (reynolds, column): (f64, u32), now_s: f64) {
        if reynolds > self.reynolds {
            (self.reynolds, self.reynolds_column, self.reynolds_at_s) = (reynolds, column, now_s);
        }
        if reynolds > CREEPING {
            self.inertial_since_s.get_or_insert(now_s);
        }
    }
}
