//! Counters of where a flow left the range of its model: inertia, and moves that sub-steps put off.

use serde::{Deserialize, Serialize};

/// Reynolds number ρ q/η above which a flow is no creeping film.
const CREEPING: f64 = 1.0;

/// Extremes of a flow so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FlowWatch {
    /// Largest Reynolds number ρ q/η of the uppermost run of any column, with the flux q in m²/s.
    pub reynolds: f64,
    /// Number of the column of the largest Reynolds number.
    pub reynolds_column: u32,
    /// End of the step of the largest Reynolds number, in seconds.
    pub reynolds_at_s: f64,
    /// Time in seconds at which the Reynolds number first exceeded 1; `None` if it never did.
    pub inertial_since_s: Option<f64>,
    /// Largest difference of heads between columns whose move a sub-step put off, in units of
    /// height.
    pub put_off: i64,
}

impl FlowWatch {
    /// Returns true if the numbers are possible for a flow of `columns` columns: a file may hold
    /// any.
    pub(crate) fn can_be(&self, columns: usize) -> bool {
        let times = [self.reynolds, self.reynolds_at_s, self.inertial_since_s.unwrap_or(0.0)];
        times.iter().all(|number| number.is_finite() && *number >= 0.0)
            && (self.reynolds_column as usize) < columns
            && (0..=1 << 56).contains(&self.put_off)
    }

    /// Records the largest Reynolds number of a step and its column.
    pub(crate) fn note(&mut self, (reynolds, column): (f64, u32), now_s: f64) {
        if reynolds > self.reynolds {
            (self.reynolds, self.reynolds_column, self.reynolds_at_s) = (reynolds, column, now_s);
        }
        if reynolds > CREEPING {
            self.inertial_since_s.get_or_insert(now_s);
        }
    }
}
