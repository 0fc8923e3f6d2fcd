//! Account of a quantity in a report: serialised sums in units, and sums as text.

use serde::{Serialize, Serializer};

use lavoxel_base::account::{self, Side, Sum};

/// Account of a quantity.
#[derive(Debug)]
pub(super) struct Account {
    /// Units in the box now.
    pub now: i128,
    /// Key of the present content.
    now_key: &'static str,
    /// Suffix of each key.
    suffix: &'static str,
    sums: Vec<Sum>,
    /// Size of a unit for sums serialised in physical units (m³ or J); `None` serialises units.
    unit: Option<f64>,
}

impl Account {
    /// Creates the account of matter; keys end in `_units`.
    pub(super) fn of_matter(now_key: &'static str, now: u64, sums: Vec<Sum>) -> Self {
        Self { now: now.into(), now_key, suffix: "_units", sums, unit: None }
    }

    /// Creates an account in a table of its own.
    pub(super) fn table(now: u64, sums: Vec<Sum>) -> Self {
        Self { now: now.into(), now_key: "now", suffix: "", sums, unit: None }
    }

    /// Creates the account of a flow, whose content that is not gone is liquid; `unit` is the size
    /// of a unit.
    pub(super) fn of_flow(suffix: &'static str, sums: Vec<Sum>, unit: f64) -> Self {
        Self { now: -account::excess(&sums, 0), now_key: "liquid", suffix, sums, unit: Some(unit) }
    }

    /// Returns the size of the present content.
    pub(super) fn now(&self) -> f64 {
        self.size(self.now)
    }

    /// Returns the size of the sum with `key`.
    pub(super) fn of(&self, key: &str) -> f64 {
        self.size(self.units(key))
    }

    /// Returns the size of everything that came in.
    pub(super) fn came(&self) -> f64 {
        let came = self.sums.iter().filter(|sum| sum.side == Side::Came);
        self.size(came.map(|sum| sum.units).sum())
    }

    fn size(&self, units: i128) -> f64 {
        units as f64 * self.unit.unwrap_or(1.0)
    }

    /// Formats the sums of a side except the keys in `not`; `amount` formats a size, or drops the
    /// sum by `None`.
    pub(super) fn parts(&self, side: Side, not: &[&str], amount: impl Fn(f64) -> Option<String>) -> Vec<String> {
        let shown = self.sums.iter().filter(|sum| sum.side == side && !not.contains(&sum.key));
        shown.filter_map(|sum| Some(format!("{} {}", amount(self.size(sum.units))?, sum.words))).collect()
    }

    pub(super) fn is_exact(&self) -> bool {
        account::excess(&self.sums, self.now) == 0
    }

    /// Returns the units of the sum with `key`; 0 if the sum is missing.
    pub(super) fn units(&self, key: &str) -> i128 {
        self.sums.iter().find(|sum| sum.key == key).map_or(0, |sum| sum.units)
    }

    /// Formats the first `always` sums, and further sums that are not 0.
    pub(super) fn words(&self, always: usize, amount: impl Fn(i128) -> String) -> String {
        let shown = |at: usize, sum: &Sum| at < always || (sum.units != 0 && sum.side != Side::Aside);
        let shown = self.sums.iter().enumerate().filter(|(at, sum)| shown(*at, sum));
        let parts: Vec<_> = shown.map(|(_, sum)| format!("{} {}", amount(sum.units), sum.words)).collect();
        parts.join(", ")
    }
}

/// Serialises as a table: the present content and each sum.
impl Serialize for Account {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let key = |key: &str| format!("{key}{}", self.suffix);
        let now = std::iter::once((key(self.now_key), self.now));
        let pairs = now.chain(self.sums.iter().map(|sum| (key(sum.key), sum.units)));
        match self.unit {
            Some(unit) => serializer.collect_map(pairs.map(|(key, units)| (key, units as f64 * unit))),
            // Sums of matter fit into 64 bits.
            None => serializer.collect_map(pairs.map(|(key, units)| (key, units as i64))),
        }
    }
}
