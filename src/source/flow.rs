//! Lava of a vent in a world of the physical model: cubic metres by the second, at a temperature.

use serde::{Deserialize, Serialize};

use super::{Vent, Vents};
use crate::flow::FlowPour;
use crate::grid::Grid;
use crate::validate::{Invalid, within};

/// Most cubic metres that one vent may pour in a second.
pub(crate) const FLOW_RATE_MAX: f64 = 1e6;

/// Most rows of a table of rates.
const MAX_RATES: usize = 10_000;

/// Latest time of a table of rates in seconds.
const LATEST_S: f64 = 1e12;

/// Highest temperature of a vent in kelvin.
pub(crate) const FLOW_KELVIN_MAX: f64 = 2000.0;

/// Cubic metres by the second of a vent that says nothing else, such as one placed by hand.
pub const USUAL_RATE_M3_S: f64 = 10.0;

/// Rates and temperature of a vent of the physical model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VentFlow {
    /// Seconds from the start of the simulation, ascending, and the rate in m³/s that holds from then up to the next row;
    /// the last one holds for ever, and nothing is poured before the first.
    pub rates_m3_s: Vec<[f64; 2]>,
    /// Temperature in kelvin; absent: that of the lava of the scene.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature_k: Option<f64>,
}

impl Default for VentFlow {
    fn default() -> Self {
        Self::steady(USUAL_RATE_M3_S)
    }
}

impl VentFlow {
    /// One rate from the start on, at the temperature of the lava.
    pub fn steady(rate_m3_s: f64) -> Self {
        Self { rates_m3_s: vec![[0.0, rate_m3_s]], temperature_k: None }
    }

    /// The one rate of a vent that always pours the same.
    pub fn steady_rate(&self) -> Option<f64> {
        match self.rates_m3_s[..] {
            [[0.0, rate]] => Some(rate),
            _ => None,
        }
    }

    /// The rate at a time in seconds.
    pub fn rate_at(&self, time_s: f64) -> f64 {
        self.rates_m3_s.iter().rev().find(|[from, _]| *from <= time_s).map_or(0.0, |[_, rate]| *rate)
    }

    /// Volume in m³ that is poured between two times in seconds.
    pub fn volume_m3(&self, from_s: f64, to_s: f64) -> f64 {
        let ends = self.rates_m3_s.iter().skip(1).map(|[time, _]| *time).chain([f64::INFINITY]);
        let part = |(&[start, rate], end): (&[f64; 2], f64)| rate * (end.min(to_s) - start.max(from_s)).max(0.0);
        self.rates_m3_s.iter().zip(ends).map(part).sum()
    }

    /// Whether it ever pours.
    pub fn pours(&self) -> bool {
        self.rates_m3_s.iter().any(|[_, rate]| *rate > 0.0)
    }

    /// Checks every number; `key` is the name of the vent's table, such as `vent[0]`.
    ///
    /// # Errors
    /// Names the first number that is out of range.
    pub fn validate(&self, key: &str) -> Result<(), Invalid> {
        let list = format!("{key}.rates_m3_s");
        within(&format!("number of rows of {list}"), self.rates_m3_s.len() as f64, 1.0, MAX_RATES as f64)?;
        let rate_key = if self.steady_rate().is_some() { format!("{key}.rate_m3_s") } else { list.clone() };
        let mut before = None;
        for &[time, rate] in &self.rates_m3_s {
            within(&list, time, 0.0, LATEST_S)?;
            within(&rate_key, rate, 0.0, FLOW_RATE_MAX)?;
            if let Some(before) = before.filter(|&before| time <= before) {
                return Err(Invalid::new(&list, format!("{time} s after {before} s"), "rows with ascending times"));
            }
            before = Some(time);
        }
        let kelvin = |kelvin| within(&format!("{key}.temperature_k"), kelvin, 1.0, FLOW_KELVIN_MAX);
        self.temperature_k.map_or(Ok(()), kelvin)
    }
}

impl Vent {
    /// Volume that a vent of the physical model has poured into each of its columns up to a step of `step_s` seconds.
    fn poured_m3(&self, flow: &VentFlow, steps: u64, step_s: f64) -> f64 {
        let steps = steps.min(self.end).max(self.start);
        flow.volume_m3(self.start as f64 * step_s, steps as f64 * step_s) / self.columns.len() as f64
    }

    /// Volume that it pours in a step, 0 of a vent of the classic automaton.
    pub(crate) fn flow_volume_m3(&self, step: u64, step_s: f64) -> f64 {
        let in_step = |flow: &VentFlow| self.poured_m3(flow, step + 1, step_s) - self.poured_m3(flow, step, step_s);
        self.flow.as_deref().map_or(0.0, in_step) * self.columns.len() as f64
    }

    /// Adds what is due in a step of `step_s` seconds, the same share for every column; `vent_k` is the temperature of a
    /// vent that says none.
    fn add_flow_pours(&self, step: u64, (step_s, vent_k): (f64, f64), grid: Grid, pours: &mut Vec<FlowPour>) {
        let Some(flow) = &self.flow else { return };
        let (before_m3, after_m3) = (self.poured_m3(flow, step, step_s), self.poured_m3(flow, step + 1, step_s));
        if after_m3 <= before_m3 {
            return;
        }
        let temperature_k = flow.temperature_k.unwrap_or(vent_k);
        pours.extend(self.columns.iter().map(|&(x, z)| FlowPour {
            column: grid.column(x, z),
            level: self.height,
            before_m3,
            after_m3,
            temperature_k,
        }));
    }
}

impl Vents {
    /// Pours of a step of a world of the physical model, vent by vent.
    pub(crate) fn flow_pours(&self, step: u64, about: (f64, f64), grid: Grid) -> Vec<FlowPour> {
        let mut pours = Vec::new();
        self.pouring().for_each(|placed| placed.vent.add_flow_pours(step, about, grid, &mut pours));
        pours
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::VentSpec;

    #[test]
    fn a_table_of_rates_is_a_sum_of_steps() {
        let flow = VentFlow { rates_m3_s: vec![[10.0, 2.0], [20.0, 0.0], [30.0, 1.0]], temperature_k: None };
        assert_eq!([0.0, 10.0, 25.0, 1e6].map(|time| flow.rate_at(time)), [0.0, 2.0, 0.0, 1.0]);
        assert_eq!(flow.volume_m3(0.0, 100.0), 20.0 + 70.0);
        assert_eq!(flow.volume_m3(15.0, 32.0), 10.0 + 2.0);
        assert_eq!(VentFlow::steady(3.0).volume_m3(5.0, 6.0), 3.0);
        assert_eq!((flow.steady_rate(), VentFlow::steady(3.0).steady_rate()), (None, Some(3.0)));
    }

    #[test]
    fn wrong_tables_are_named() {
        let refused = |rates: &[[f64; 2]]| {
            let flow = VentFlow { rates_m3_s: rates.to_vec(), temperature_k: None };
            flow.validate("vent[2]").expect_err("wrong").to_string()
        };
        assert!(refused(&[]).starts_with("number of rows of vent[2].rates_m3_s = 0"));
        assert!(refused(&[[0.0, -1.0]]).starts_with("vent[2].rate_m3_s = -1: must be a number from 0"));
        assert!(refused(&[[0.0, 1.0], [0.0, 2.0]]).contains("0 s after 0 s: must be rows with ascending times"));
        assert!(refused(&[[f64::NAN, 1.0]]).starts_with("vent[2].rates_m3_s = NaN"));
    }

    #[test]
    fn columns_share_what_a_vent_pours() {
        let grid = Grid::new(9, 9, 9);
        let flow = Some(Box::new(VentFlow { temperature_k: Some(1300.0), ..VentFlow::steady(5.0) }));
        let spec = VentSpec { x: 4.5, z: 4.5, radius: 1.0, start: 2, end: Some(4), flow, ..VentSpec::default() };
        let vents = Vents::new(&[spec], grid);
        let of = |step| vents.flow_pours(step, (10.0, 1360.0), grid);
        assert!(of(1).is_empty() && of(4).is_empty());
        let pours = of(3);
        assert_eq!((pours.len(), pours[0].column), (5, 3 * 9 + 4));
        assert_eq!((pours[0].before_m3, pours[0].after_m3, pours[0].temperature_k), (10.0, 20.0, 1300.0));
    }
}
