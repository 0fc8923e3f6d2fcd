//! Values of a verification case with their references, and the verdict on the case.

use serde::Serialize;

/// Value of a verification case with its reference and tolerance.
#[derive(Clone, Debug, Serialize)]
pub struct MeasuredRow {
    /// Name of the measured quantity of a verification case, with its unit.
    pub what: String,
    /// Reference value from theory or field data, in the unit of the value.
    pub reference: f64,
    /// Value that the simulation gives, in the unit of `what`.
    pub value: f64,
    /// Largest accepted absolute difference from the reference, in the unit of the value.
    pub tolerance: f64,
    /// Set if the value has no theory and only two accepted bounds; `reference` is the middle of
    /// the bounds.
    pub is_bounded: bool,
    /// Verdict on the value: `holds`, `fails`, or for field data `outside`; empty before the case
    /// has run.
    pub verdict: &'static str,
}

/// Returns the verdict on a value as a word; `holds`: true if the value is within its tolerance.
/// Field data are only compared (`is_field`), so that a deviation from field data is `outside` and
/// not `fails`.
pub(super) fn verdict(holds: bool, is_field: bool) -> &'static str {
    match (holds, is_field) {
        (true, _) => "holds",
        (false, true) => "outside",
        (false, false) => "fails",
    }
}

impl MeasuredRow {
    /// Creates a row whose tolerance is `share` times the absolute value of the reference. `what`:
    /// name of the value with its unit.
    pub(super) fn relative(what: &str, reference: f64, value: f64, share: f64) -> Self {
        Self::absolute(what, reference, value, share * reference.abs())
    }

    /// Creates a row with the absolute tolerance `tolerance`. `what`: name of the value with its
    /// unit.
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

    /// Creates a row for a value without theory, which must lie between the bounds `least` and
    /// `most`.
    pub(super) fn between(what: &str, [least, most]: [f64; 2], value: f64) -> Self {
        let middle = Self::absolute(what, 0.5 * (least + most), value, 0.5 * (most - least));
        Self {
            is_bounded: true,
            ..middle
        }
    }

    /// Returns true if the value differs from the reference by at most the tolerance.
    pub fn is_within_tolerance(&self) -> bool {
        (self.value - self.reference).abs() <= self.tolerance
    }
}

/// Two curves of a verification case for a plot: simulation and reference.
#[derive(Clone, Debug, Serialize)]
pub struct Curve {
    /// Labels of the horizontal and the vertical axis, with their units.
    pub axes: [String; 2],
    /// Set if both axes are logarithmic.
    pub is_logarithmic: bool,
    /// Points (x, y) of the simulation, in the units of `axes`.
    pub model: Vec<(f64, f64)>,
    /// Points (x, y) of the reference, in the units of `axes`.
    pub theory: Vec<(f64, f64)>,
    /// Legend entry of the reference curve: a theory, or a second quantity of the case.
    pub reference: &'static str,
}

/// Result of a verification case, with the verdict.
#[derive(Clone, Debug, Serialize)]
pub struct Outcome {
    /// Name of the case on the command line.
    pub name: &'static str,
    /// Title of the case, shown above its plot.
    pub title: &'static str,
    /// Description of the simulated set-up, and source of the reference values.
    pub about: &'static str,
    /// Set if the reference values are field data.
    pub is_field: bool,
    /// Measured values with their references and tolerances.
    pub rows: Vec<MeasuredRow>,
    /// Curves of simulation and reference for a plot.
    pub curve: Curve,
    /// Set if the accounts of volume and heat have no imbalance.
    pub is_exact: bool,
    /// Fraction of all fluxes between columns that were reduced because they would have overshot
    /// the equilibrium, 0 to 1.
    pub capped_share: f64,
    /// Verdict on the case: `holds` if all values lie within their tolerances and the accounts have
    /// no imbalance, otherwise `fails`. For field data, values outside of their tolerances give
    /// `outside`, and only an imbalance gives `fails`.
    pub verdict: &'static str,
}

impl Outcome {
    /// Returns true if all values of the case are within their tolerances and the accounts have no
    /// imbalance.
    pub fn is_within_tolerance(&self) -> bool {
        self.is_exact && self.rows.iter().all(MeasuredRow::is_within_tolerance)
    }

    /// Returns true if the case counts as a failure: a deviation or an imbalance; for field data,
    /// only an imbalance.
    pub fn fails(&self) -> bool {
        !self.is_within_tolerance() && (!self.is_field || !self.is_exact)
    }

    /// Returns the largest deviation from theory over all values, as a fraction of the reference
    /// value; `None` if no value has a theoretical reference other than 0.
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
