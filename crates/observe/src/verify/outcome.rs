//! Measured values with references, and the verdict on a case.

use serde::Serialize;

/// Value with its reference.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Name of the measure, with its unit.
    pub what: String,
    /// Reference from theory or from field data.
    pub reference: f64,
    /// Value of the model.
    pub value: f64,
    /// Allowed absolute deviation, in the unit of the value.
    pub tolerance: f64,
    /// Bounds flag: no theory gives the reference, which is the middle of two bounds.
    pub is_bounded: bool,
    /// `holds`, `fails`, or for field data `outside`; empty before the case has run.
    pub verdict: &'static str,
}

/// Returns the verdict word; field data are compared only, so a deviation is `outside`, not
/// `fails`.
pub(super) fn verdict(holds: bool, is_field: bool) -> &'static str {
    match (holds, is_field) {
        (true, _) => "holds",
        (false, true) => "outside",
        (false, false) => "fails",
    }
}

impl Row {
    /// Creates a row with a tolerance of `share` times the reference.
    pub(super) fn relative(what: &str, reference: f64, value: f64, share: f64) -> Self {
        Self::absolute(what, reference, value, share * reference.abs())
    }

    /// Creates a row with an absolute `tolerance`.
    pub(super) fn absolute(what: &str, reference: f64, value: f64, tolerance: f64) -> Self {
        Self { what: what.to_owned(), reference, value, tolerance, is_bounded: false, verdict: "" }
    }

    /// Creates a row for a value between two bounds, without theory.
    pub(super) fn between(what: &str, [least, most]: [f64; 2], value: f64) -> Self {
        let middle = Self::absolute(what, 0.5 * (least + most), value, 0.5 * (most - least));
        Self { is_bounded: true, ..middle }
    }

    /// Returns true if the value lies within its tolerance.
    pub fn holds(&self) -> bool {
        (self.value - self.reference).abs() <= self.tolerance
    }
}

/// Curve for a plot: points of the model and of the reference.
#[derive(Clone, Debug, Serialize)]
pub struct Curve {
    /// Labels of the horizontal and the vertical axis, with units.
    pub axes: [String; 2],
    /// Logarithmic flag for both axes.
    pub is_logarithmic: bool,
    /// Points of the model, (x, y).
    pub model: Vec<(f64, f64)>,
    /// Points of the reference, (x, y).
    pub theory: Vec<(f64, f64)>,
    /// Source of the reference: theory, or another quantity of the case.
    pub reference: &'static str,
}

/// Result of a case.
#[derive(Clone, Debug, Serialize)]
pub struct Outcome {
    /// Name of the case.
    pub name: &'static str,
    /// Title above its plot.
    pub title: &'static str,
    /// Set-up, and the source of its law.
    pub about: &'static str,
    /// Field flag: the references are field data.
    pub is_field: bool,
    /// Measured values with their references.
    pub rows: Vec<Row>,
    /// Curve for the plot.
    pub curve: Curve,
    /// Exactness flag: the ledgers of volume and heat close to the unit.
    pub is_exact: bool,
    /// Fraction of fluxes clamped by the limiter against overshoot.
    pub capped_share: f64,
    /// `holds` if all values lie within their tolerances and the ledgers close, else `fails`; for
    /// field data `outside` where the ledgers close.
    pub verdict: &'static str,
}

impl Outcome {
    /// Returns true if all values lie within their tolerances and the ledgers close.
    pub fn holds(&self) -> bool {
        self.is_exact && self.rows.iter().all(Row::holds)
    }

    /// Returns true if the model fails: a deviation from field data is no failure, but an open
    /// ledger is.
    pub fn fails(&self) -> bool {
        !self.holds() && (!self.is_field || !self.is_exact)
    }

    /// Returns the largest relative deviation of a value; `None` if no reference from theory
    /// differs from 0.
    pub fn deviation(&self) -> Option<f64> {
        let has_size = |row: &&Row| row.reference != 0.0 && !row.is_bounded;
        let shares = self.rows.iter().filter(has_size).map(|row| (row.value / row.reference - 1.0).abs());
        shares.reduce(f64::max)
    }
}
