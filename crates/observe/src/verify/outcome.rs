//! Measured values with references, and the verdict on a case.

use serde::Serialize;

/// Measured value with its reference and tolerance.
#[derive(Clone, Debug, Serialize)]
pub struct MeasuredRow {
    /// Name of the measured quantity, with its unit.
    pub what: String,
    /// Reference from theory or from field data.
    pub reference: f64,
    /// Value computed by the model.
    pub value: f64,
    /// Largest accepted absolute deviation, in the unit of the value.
    pub tolerance: f64,
    /// Bounds flag: without a theory, `reference` is the middle of two bounds.
    pub is_bounded: bool,
    /// Verdict: `holds`, `fails`, or for field data `outside`; empty before the case has run.
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

impl MeasuredRow {
    /// Creates a row with a relative tolerance: `share` times the reference.
    pub(super) fn relative(what: &str, reference: f64, value: f64, share: f64) -> Self {
        Self::absolute(what, reference, value, share * reference.abs())
    }

    /// Creates a row with an absolute `tolerance`.
    pub(super) fn absolute(what: &str, reference: f64, value: f64, tolerance: f64) -> Self {
        Self {
            what: what.to_owned(),
            reference,
            value,
            tolerance,
            is_bounded: false,
            verdict: "",
        }
    }

    /// Creates a row for a value that must lie between the bounds `[least, most]`, without theory.
    pub(super) fn between(what: &str, [least, most]: [f64; 2], value: f64) -> Self {
        let middle = Self::absolute(what, 0.5 * (least + most), value, 0.5 * (most - least));
        Self {
            is_bounded: true,
            ..middle
        }
    }

    /// Returns true if the deviation of the value is within its tolerance.
    pub fn is_within_tolerance(&self) -> bool {
        (self.value - self.reference).abs() <= self.tolerance
    }
}

/// Curves for a plot: model and reference.
#[derive(Clone, Debug, Serialize)]
pub struct Curve {
    /// Labels of the horizontal and the vertical axis, with their units.
    pub axes: [String; 2],
    /// Logarithmic flag: both axes are logarithmic.
    pub is_logarithmic: bool,
    /// Points (x, y) of the model.
    pub model: Vec<(f64, f64)>,
    /// Points (x, y) of the reference.
    pub theory: Vec<(f64, f64)>,
    /// Legend entry of the reference: theory, or another quantity of the case.
    pub reference: &'static str,
}

/// Result of a verification case.
#[derive(Clone, Debug, Serialize)]
pub struct Outcome {
    /// Name of the case.
    pub name: &'static str,
    /// Title of the case, shown above its plot.
    pub title: &'static str,
    /// Description of the set-up, and source of the reference.
    pub about: &'static str,
    /// Field flag: the references are field data.
    pub is_field: bool,
    /// Measured values with their references.
    pub rows: Vec<MeasuredRow>,
    /// Curve for the plot.
    pub curve: Curve,
    /// Exactness flag: the volume and heat ledgers have no imbalance.
    pub is_exact: bool,
    /// Fraction of fluxes that the overshoot limiter reduced.
    pub capped_share: f64,
    /// `holds` if all values lie within their tolerances and the ledgers close, else `fails`; for
    /// field data `outside` where the ledgers close.
    pub verdict: &'static str,
}

impl Outcome {
    /// Returns true if all values are within their tolerances and the ledgers have no imbalance.
    pub fn is_within_tolerance(&self) -> bool {
        self.is_exact && self.rows.iter().all(MeasuredRow::is_within_tolerance)
    }

    /// Returns true if the model fails: for field data only by a ledger imbalance, not by a
    /// deviation.
    pub fn fails(&self) -> bool {
        !self.is_within_tolerance() && (!self.is_field || !self.is_exact)
    }

    /// Returns the largest relative deviation from theory over all values; `None` if no theoretical
    /// reference differs from 0.
    pub fn deviation(&self) -> Option<f64> {
        let has_size = |row: &&MeasuredRow| row.reference != 0.0 && !row.is_bounded;
        let shares = self
            .rows
            .iter()
            .filter(has_size)
            .map(|row| (row.value / row.reference - 1.0).abs());
        shares.reduce(f64::max)
    }
}
