//! Numbers beside their references, and the verdict on a case.

use serde::Serialize;

/// A number beside its reference.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Name of the measure.
    pub what: String,
    /// Value by theory, or of the field.
    pub reference: f64,
    /// Value of the model.
    pub value: f64,
    /// Largest deviation allowed, in the unit of the numbers.
    pub tolerance: f64,
    /// Whether no theory gives the reference: it is the middle of two bounds.
    pub is_bounded: bool,
    /// `holds`, `fails` or, beside field data, `outside`; once the case has run.
    pub verdict: &'static str,
}

/// The word for whether something holds: numbers of the field are compared, and do not fail.
pub(super) fn verdict(holds: bool, is_field: bool) -> &'static str {
    match (holds, is_field) {
        (true, _) => "holds",
        (false, true) => "outside",
        (false, false) => "fails",
    }
}

impl Row {
    /// A number that may differ by a share of the reference.
    pub(super) fn relative(what: &str, reference: f64, value: f64, share: f64) -> Self {
        Self::absolute(what, reference, value, share * reference.abs())
    }

    /// A number that may differ by so much.
    pub(super) fn absolute(what: &str, reference: f64, value: f64, tolerance: f64) -> Self {
        Self { what: what.to_owned(), reference, value, tolerance, is_bounded: false, verdict: "" }
    }

    /// A number that no theory gives, between two bounds.
    pub(super) fn between(what: &str, [least, most]: [f64; 2], value: f64) -> Self {
        let middle = Self::absolute(what, 0.5 * (least + most), value, 0.5 * (most - least));
        Self { is_bounded: true, ..middle }
    }

    /// Whether the number is within its tolerance.
    pub fn holds(&self) -> bool {
        (self.value - self.reference).abs() <= self.tolerance
    }
}

/// A curve for a picture: points of the model, and those of theory.
#[derive(Clone, Debug, Serialize)]
pub struct Curve {
    /// Labels of the two axes.
    pub axes: [String; 2],
    /// Whether the axes are logarithmic.
    pub is_logarithmic: bool,
    /// Points of the model.
    pub model: Vec<(f64, f64)>,
    /// Points of what the model is compared with.
    pub theory: Vec<(f64, f64)>,
    /// Source of the reference: theory, or another number of the case.
    pub reference: &'static str,
}

/// Result of a case.
#[derive(Clone, Debug, Serialize)]
pub struct Outcome {
    /// Name of the case.
    pub name: &'static str,
    /// Words above a picture of it.
    pub title: &'static str,
    /// Set-up, and the source of its law.
    pub about: &'static str,
    /// Whether the references are numbers of the field.
    pub is_field: bool,
    /// The numbers.
    pub rows: Vec<Row>,
    /// The curve.
    pub curve: Curve,
    /// Whether the ledgers of volume and heat close to the unit.
    pub is_exact: bool,
    /// Share of fluxes held back by the limit that forbids overshooting.
    pub capped_share: f64,
    /// `holds`, or `fails`: whether all numbers are within their tolerances and the ledgers close. Beside field data `outside`, where
    /// the ledgers close.
    pub verdict: &'static str,
}

impl Outcome {
    /// Whether all numbers are within their tolerances and the ledgers close.
    pub fn holds(&self) -> bool {
        self.is_exact && self.rows.iter().all(Row::holds)
    }

    /// Whether the model fails: a deviation from numbers of the field is none of its faults, a ledger that does not close is.
    pub fn fails(&self) -> bool {
        !self.holds() && (!self.is_field || !self.is_exact)
    }

    /// The largest deviation of a number, as a share of its reference; none where theory gives no number but 0.
    pub fn deviation(&self) -> Option<f64> {
        let has_size = |row: &&Row| row.reference != 0.0 && !row.is_bounded;
        let shares = self.rows.iter().filter(has_size).map(|row| (row.value / row.reference - 1.0).abs());
        shares.reduce(f64::max)
    }
}
