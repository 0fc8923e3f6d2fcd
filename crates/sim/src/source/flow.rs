//! Effusion of a vent in the physical model: rate in m³/s, which may vary in time, and temperature.

use serde::{Deserialize, Serialize};

use super::{Focus, Vent, Vents};
use lavoxel_base::grid::Grid;
use lavoxel_base::validate::{Invalid, within};
use lavoxel_flow::{FlowClock, FlowPour};

/// Upper bound on the effusion rate of a vent, in m³/s.
pub const FLOW_RATE_MAX: f64 = 1e6;

/// Upper bound on the number of rows in a table of rates.
const MAX_RATES: usize = 10_000;

/// Upper bound on the times in a table of rates, in seconds.
pub(super) const LATEST_S: f64 = 1e12;

/// Upper bound on the temperature of a vent, in kelvin.
pub const FLOW_KELVIN_MAX: f64 = 2000.0;

/// Default effusion rate in m³/s, for example for a vent that a user places in the window.
pub const USUAL_RATE_M3_S: f64 = 10.0;

/// Effusion rates and temperature of a vent in the physical model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VentFlow {
    /// Rows [time in seconds from the start of the simulation, effusion rate in m³/s], by ascending
    /// time. A rate holds until the next row, the last rate without end; before the first row the
    /// rate is 0.
    pub rates_m3_s: Vec<[f64; 2]>,
    /// Set if the rate changes linearly from row to row; otherwise the rate changes in steps.
    #[serde(default, skip_serializing_if = "is_not")]
    pub linear: bool,
    /// Focusing of a fissure's effusion; `None` if all columns get the same rate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub focus: Option<Focus>,
    /// Temperature of the erupted lava in kelvin; `None` for the vent temperature of the scene's
    /// lava.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature_k: Option<f64>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
fn is_not(is_so: &bool) -> bool {
    !is_so
}

impl Default for VentFlow {
    fn default() -> Self {
        Self::steady(USUAL_RATE_M3_S)
    }
}

impl VentFlow {
    /// Creates the rates of a vent that pours `rate_m3_s` (m³/s) constantly from time 0 on, at the
    /// default temperature.
    pub fn steady(rate_m3_s: f64) -> Self {
        Self {
            rates_m3_s: vec![[0.0, rate_m3_s]],
            linear: false,
            focus: None,
            temperature_k: None,
        }
    }

    /// Returns the rate in m³/s if the table has one row that begins at time 0, so that the rate is
    /// constant; otherwise `None`.
    pub fn steady_rate(&self) -> Option<f64> {
        match self.rates_m3_s[..] {
            [[0.0, rate]] => Some(rate),
            _ => None,
        }
    }

    /// Iterates over the time intervals between the rows of the table, as pairs of [start, rate at
    /// the start] and [end, rate just before the end]; the last interval ends at infinity. Times in
    /// seconds, rates in m³/s.
    fn pieces(&self) -> impl Iterator<Item = [[f64; 2]; 2]> + '_ {
        let ends = self
            .rates_m3_s
            .iter()
            .skip(1)
            .copied()
            .map(Some)
            .chain([None]);
        self.rates_m3_s
            .iter()
            .zip(ends)
            .map(|(&[start, rate], end)| {
                let [end, then] = end.unwrap_or([f64::INFINITY, rate]);
                [[start, rate], [end, if self.linear { then } else { rate }]]
            })
    }

    /// Returns the rate in m³/s at `time_s` (seconds from the start).
    pub fn rate_at(&self, time_s: f64) -> f64 {
        let here = self
            .pieces()
            .find(|[[start, _], [end, _]]| (*start..*end).contains(&time_s));
        here.map_or(0.0, |piece| rate_in(piece, time_s))
    }

    /// Returns the volume in m³ that erupts between `from_s` and `to_s` (seconds from the start).
    pub fn volume_m3(&self, from_s: f64, to_s: f64) -> f64 {
        self.integral(from_s, to_s, |_, _| (1.0, 1.0))
    }

    /// Returns the integral, in m³, of the effusion rate times a factor between `from_s` and `to_s`
    /// (seconds from the start). `share`: function from the two ends of an interval to the factor
    /// at both ends; the factor must be linear in between.
    pub(super) fn integral(
        &self,
        from_s: f64,
        to_s: f64,
        share: impl Fn(f64, f64) -> (f64, f64),
    ) -> f64 {
        let part = |piece: [[f64; 2]; 2]| {
            let [[start, _], [end, _]] = piece;
            let (from, to) = (start.max(from_s), end.min(to_s));
            if to <= from {
                return 0.0;
            }
            let ((a, b), (p, q)) = (share(from, to), (rate_in(piece, from), rate_in(piece, to)));
            // Simpson's rule is exact for the product of two straight lines; constants have the
            // rounding of one product.
            let mean = if a == b && p == q {
                a * p
            } else {
                (a * p + (a + b) * (p + q) + b * q) / 6.0
            };
            mean * (to - from)
        };
        self.pieces().map(part).sum()
    }

    /// Returns true if the rate is above 0 at any time.
    pub fn pours(&self) -> bool {
        self.rates_m3_s.iter().any(|[_, rate]| *rate > 0.0)
    }

    /// Checks that all numbers are in range. `key`: name of the table in messages, such as
    /// `vent[0]`.
    ///
    /// # Errors
    /// Returns an error that names the first number out of range.
    pub fn validate(&self, key: &str) -> Result<(), Invalid> {
        let list = format!("{key}.rates_m3_s");
        within(
            &format!("number of rows of {list}"),
            self.rates_m3_s.len() as f64,
            1.0,
            MAX_RATES as f64,
        )?;
        let rate_key = if self.steady_rate().is_some() {
            format!("{key}.rate_m3_s")
        } else {
            list.clone()
        };
        let mut before = None;
        for &[time, rate] in &self.rates_m3_s {
            within(&list, time, 0.0, LATEST_S)?;
            within(&rate_key, rate, 0.0, FLOW_RATE_MAX)?;
            if let Some(before) = before.filter(|&before| time <= before) {
                return Err(Invalid::new(
                    &list,
                    format!("{time} s after {before} s"),
                    "rows with ascending times",
                ));
            }
            before = Some(time);
        }
        self.focus
            .as_ref()
            .map_or(Ok(()), |focus| focus.validate(&format!("{key}.focus")))?;
        let kelvin = |kelvin| {
            within(
                &format!("{key}.temperature_k"),
                kelvin,
                1.0,
                FLOW_KELVIN_MAX,
            )
        };
        self.temperature_k.map_or(Ok(()), kelvin)
    }
}

/// Returns the effusion rate in m³/s at the time `time_s` (seconds), which must lie within the
/// given interval [[start, rate at the start], [end, rate just before the end]] of the table.
fn rate_in([[start, rate], [end, then]]: [[f64; 2]; 2], time_s: f64) -> f64 {
    if rate == then {
        rate
    } else {
        rate + (then - rate) * ((time_s - start) / (end - start))
    }
}

impl Vent {
    /// Returns the volumes in m³ that erupt in the first `steps` steps, as (volume along the whole
    /// line, volume at the places on which the fissure focuses). `clock`: start and end times of
    /// the steps.
    fn poured_m3(&self, flow: &VentFlow, steps: u64, clock: &FlowClock) -> (f64, f64) {
        let steps = steps.min(self.end).max(self.start);
        let (from_s, to_s) = (clock.time_s(self.start), clock.time_s(steps));
        let focused = flow
            .focus
            .as_ref()
            .map_or(0.0, |focus| focus.volume_m3(flow, from_s, to_s));
        (flow.volume_m3(from_s, to_s) - focused, focused)
    }

    /// Returns the volume in m³ that the vent erupts in step `step`; 0 for a vent of the cellular
    /// automaton (classic model). `clock`: start and end times of the steps.
    pub(crate) fn flow_volume_m3(&self, step: u64, clock: &FlowClock) -> f64 {
        let up_to = |flow: &VentFlow, step| {
            let (line, focused) = self.poured_m3(flow, step, clock);
            line + focused
        };
        self.flow
            .as_deref()
            .map_or(0.0, |flow| up_to(flow, step + 1) - up_to(flow, step))
    }

    /// Appends the volumes that the columns of the vent receive in step `step` to `pours`. `clock`:
    /// start and end times of the steps; `vent_k`: temperature in kelvin if the vent has none of
    /// its own.
    fn add_flow_pours(
        &self,
        step: u64,
        (clock, vent_k): (&FlowClock, f64),
        grid: Grid,
        pours: &mut Vec<FlowPour>,
    ) {
        let Some(flow) = &self.flow else { return };
        let [before, after] = [step, step + 1].map(|steps| self.poured_m3(flow, steps, clock));
        if after.0 + after.1 <= before.0 + before.1 {
            return;
        }
        let temperature_k = flow.temperature_k.unwrap_or(vent_k);
        let shares = self.focus.iter().copied().chain(std::iter::repeat(0.0));
        let n = self.columns.len() as f64;
        pours.extend(self.columns.iter().zip(shares).map(|(&(x, z), share)| {
            let [before_m3, after_m3] =
                [before, after].map(|(line, focused)| line / n + focused * share);
            FlowPour {
                column: grid.column(x, z),
                level: self.height,
                before_m3,
                after_m3,
                temperature_k,
            }
        }));
    }
}

impl Vents {
    /// Returns the volumes that the columns of all vents receive in step `step` of the physical
    /// model. `about`: (start and end times of the steps, default temperature in kelvin).
    pub(crate) fn flow_pours(
        &self,
        step: u64,
        about: (&FlowClock, f64),
        grid: Grid,
    ) -> Vec<FlowPour> {
        let mut pours = Vec::new();
        self.pouring()
            .for_each(|placed| placed.vent.add_flow_pours(step, about, grid, &mut pours));
        pours
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::VentSpec;

    #[test]
    fn a_table_of_rates_is_a_sum_of_steps() {
        let flow = VentFlow {
            rates_m3_s: vec![[10.0, 2.0], [20.0, 0.0], [30.0, 1.0]],
            linear: false,
            focus: None,
            temperature_k: None,
        };
        assert_eq!(
            [0.0, 10.0, 25.0, 1e6].map(|time| flow.rate_at(time)),
            [0.0, 2.0, 0.0, 1.0]
        );
        assert_eq!(flow.volume_m3(0.0, 100.0), 20.0 + 70.0);
        assert_eq!(flow.volume_m3(15.0, 32.0), 10.0 + 2.0);
        assert_eq!(VentFlow::steady(3.0).volume_m3(5.0, 6.0), 3.0);
        assert_eq!(
            (flow.steady_rate(), VentFlow::steady(3.0).steady_rate()),
            (None, Some(3.0))
        );
    }

    #[test]
    fn a_linear_table_is_a_sum_of_trapezia() {
        let rates_m3_s = vec![[10.0, 2.0], [20.0, 6.0], [30.0, 0.0]];
        let flow = VentFlow {
            rates_m3_s,
            linear: true,
            ..VentFlow::steady(0.0)
        };
        assert_eq!(
            [0.0, 10.0, 15.0, 25.0, 30.0, 1e6].map(|time| flow.rate_at(time)),
            [0.0, 2.0, 4.0, 3.0, 0.0, 0.0]
        );
        assert_eq!(flow.volume_m3(0.0, 100.0), 40.0 + 30.0);
        assert_eq!(
            flow.volume_m3(15.0, 25.0),
            0.5 * (4.0 + 6.0) * 5.0 + 0.5 * (6.0 + 3.0) * 5.0
        );
        // The last rate applies forever.
        let rising = VentFlow {
            rates_m3_s: vec![[0.0, 0.0], [10.0, 4.0]],
            linear: true,
            ..VentFlow::steady(0.0)
        };
        assert_eq!(rising.volume_m3(0.0, 20.0), 20.0 + 40.0);
    }

    #[test]
    fn wrong_tables_are_named() {
        let refused = |rates: &[[f64; 2]]| {
            let flow = VentFlow {
                rates_m3_s: rates.to_vec(),
                linear: false,
                focus: None,
                temperature_k: None,
            };
            flow.validate("vent[2]").expect_err("wrong").to_string()
        };
        assert!(refused(&[]).starts_with("number of rows of vent[2].rates_m3_s = 0"));
        assert!(
            refused(&[[0.0, -1.0]]).starts_with("vent[2].rate_m3_s = -1: must be a number from 0")
        );
        assert!(
            refused(&[[0.0, 1.0], [0.0, 2.0]])
                .contains("0 s after 0 s: must be rows with ascending times")
        );
        assert!(refused(&[[f64::NAN, 1.0]]).starts_with("vent[2].rates_m3_s = NaN"));
    }

    #[test]
    fn columns_share_what_a_vent_pours() {
        let grid = Grid::new(9, 9, 9);
        let flow = Some(Box::new(VentFlow {
            temperature_k: Some(1300.0),
            ..VentFlow::steady(5.0)
        }));
        let spec = VentSpec {
            x: 4.5,
            z: 4.5,
            radius: 1.0,
            start: 2,
            end: Some(4),
            flow,
            ..VentSpec::default()
        };
        let vents = Vents::new(&[spec], grid);
        let clock = FlowClock::from_step_s(10.0);
        let of = |step| vents.flow_pours(step, (&clock, 1360.0), grid);
        assert!(of(1).is_empty() && of(4).is_empty());
        let pours = of(3);
        assert_eq!((pours.len(), pours[0].column), (5, 3 * 9 + 4));
        assert_eq!(
            (
                pours[0].before_m3,
                pours[0].after_m3,
                pours[0].temperature_k
            ),
            (10.0, 20.0, 1300.0)
        );
    }
}
