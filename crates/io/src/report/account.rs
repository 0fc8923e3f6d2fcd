//! Account of a conserved quantity as a report shows it: sums in units for JSON, and as text.

use serde::{Serialize, Serializer};

use lavoxel_base::account::{self, Side, Sum};

/// Account of a conserved quantity in a report: current content, and sums of inflow and outflow.
#[derive(Debug)]
pub(super) struct Account {
    /// Current content of the simulation box, in units of the quantity.
    pub now: i128,
    /// JSON key of the current content.
    now_key: &'static str,
    /// Text at the end of all JSON keys of the account, such as `_units`.
    suffix: &'static str,
    sums: Vec<Sum>,
    /// Size of a unit in m³ or J if numbers are serialised in m³ or J; `None` if numbers are
    /// serialised in units.
    unit: Option<f64>,
}

impl Account {
    /// Creates the account of a material: current content `now` with the JSON key `now_key`, and
    /// `sums`, both in units. All JSON keys end in `_units`.
    pub(super) fn of_matter(now_key: &'static str, now: u64, sums: Vec<Sum>) -> Self {
        Self {
            now: now.into(),
            now_key,
            suffix: "_units",
            sums,
            unit: None,
        }
    }

    /// Creates the account of matter that is serialised as a table of its own, so that its JSON
    /// keys have no suffix. `now`: current content; `sums`: sums; both in units.
    pub(super) fn table(now: u64, sums: Vec<Sum>) -> Self {
        Self {
            now: now.into(),
            now_key: "now",
            suffix: "",
            sums,
            unit: None,
        }
    }

    /// Creates the account of a flow's volume or heat. `suffix`: end of its JSON keys; `unit`: size
    /// of a unit in m³ or J. The current content, which follows from `sums`, is that of the liquid.
    pub(super) fn of_flow(suffix: &'static str, sums: Vec<Sum>, unit: f64) -> Self {
        Self {
            now: -account::excess(&sums, 0),
            now_key: "liquid",
            suffix,
            sums,
            unit: Some(unit),
        }
    }

    /// Returns the current content in m³ or J; in units if the field `unit` is `None`.
    pub(super) fn now(&self) -> f64 {
        self.size(self.now)
    }

    /// Returns the sum with the key `key` in m³ or J; in units if the field `unit` is `None`. 0 if
    /// the account has no such sum.
    pub(super) fn get(&self, key: &str) -> f64 {
        self.size(self.units(key))
    }

    /// Returns the total inflow in m³ or J; in units if the field `unit` is `None`.
    pub(super) fn came(&self) -> f64 {
        let came = self.sums.iter().filter(|sum| sum.side == Side::Came);
        self.size(came.map(|sum| sum.units).sum())
    }

    fn size(&self, units: i128) -> f64 {
        units as f64 * self.unit.unwrap_or(1.0)
    }

    /// Formats the sums of one side of the account (inflow or outflow), except those whose keys are
    /// in `not`. `amount` formats a sum given in m³ or J (in units if the field `unit` is `None`);
    /// a sum for which it returns `None` is left out.
    pub(super) fn parts(
        &self,
        side: Side,
        not: &[&str],
        amount: impl Fn(f64) -> Option<String>,
    ) -> Vec<String> {
        let shown = self
            .sums
            .iter()
            .filter(|sum| sum.side == side && !not.contains(&sum.key));
        shown
            .filter_map(|sum| Some(format!("{} {}", amount(self.size(sum.units))?, sum.words)))
            .collect()
    }

    pub(super) fn is_exact(&self) -> bool {
        account::excess(&self.sums, self.now) == 0
    }

    /// Returns the sum with the key `key` in units; 0 if the account has no such sum.
    pub(super) fn units(&self, key: &str) -> i128 {
        self.sums
            .iter()
            .find(|sum| sum.key == key)
            .map_or(0, |sum| sum.units)
    }

    /// Formats the sums of the account, separated by commas: the first `always` sums, and after
    /// these only sums of inflow and outflow that are not 0. `amount` formats a number of units.
    pub(super) fn words(&self, always: usize, amount: impl Fn(i128) -> String) -> String {
        let shown =
            |at: usize, sum: &Sum| at < always || (sum.units != 0 && sum.side != Side::Aside);
        let shown = self
            .sums
            .iter()
            .enumerate()
            .filter(|(at, sum)| shown(*at, sum));
        let parts: Vec<_> = shown
            .map(|(_, sum)| format!("{} {}", amount(sum.units), sum.words))
            .collect();
        parts.join(", ")
    }
}

/// Serialises the account as a table: current content and sums, by key.
impl Serialize for Account {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let key = |key: &str| format!("{key}{}", self.suffix);
        let now = std::iter::once((key(self.now_key), self.now));
        let pairs = now.chain(self.sums.iter().map(|sum| (key(sum.key), sum.units)));
        match self.unit {
            Some(unit) => {
                serializer.collect_map(pairs.map(|(key, units)| (key, units as f64 * unit)))
            }
            // Sums of matter fit into 64 bits.
            None => serializer.collect_map(pairs.map(|(key, units)| (key, units as i64))),
        }
    }
}
