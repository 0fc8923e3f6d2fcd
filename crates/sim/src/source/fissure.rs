//! Fissures: columns of a vent along a line, and the focusing of its rate on a few places.
//!
//! An eruption begins along the whole line and draws together within hours: where more lava flows
//! the rock stays hotter and the conduit wider (Bruce and Huppert 1989, *Thermal control of
//! basaltic fissure eruptions*, Nature 342). The law here prescribes the outcome, not the cause: a
//! share a(t) of the rate comes out at the places `at`, in equal parts; a(t) rises linearly from 0
//! at `from_s` to `share` at `until_s` and then stays. The share 1 − a(t) comes out along the whole
//! line, equal in every column. The volume of a column between two times is the exact integral.

use serde::{Deserialize, Serialize};

use super::VentFlow;
use lavoxel_base::validate::{Invalid, within};

/// Upper bound on the number of points of a fissure, and on the number of places on which its
/// effusion focuses.
pub(crate) const MAX_POINTS: usize = 1000;

/// Focusing of a fissure's effusion in the course of an eruption: the places on which the effusion
/// concentrates, and the time in which it does so.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Focus {
    /// Places on which the effusion concentrates, as fractions (0 to 1) of the fissure's length
    /// from its first point.
    pub at: Vec<f64>,
    /// Fraction (0 to 1) of the effusion rate that comes out at the places `at` from the time
    /// `until_s` on.
    pub share: f64,
    /// Time at which the focusing begins, in seconds from the start of the simulation.
    pub from_s: f64,
    /// Time at which the fraction that comes out at the places `at` reaches `share`, in seconds
    /// from the start of the simulation; the fraction then stays.
    pub until_s: f64,
}

impl Focus {
    /// Returns the fraction (0 to 1) of the effusion rate that comes out at the places on which the
    /// fissure eruption focuses. `time_s`: seconds from the start of the simulation.
    pub fn share_at(&self, time_s: f64) -> f64 {
        self.share * ((time_s - self.from_s) / (self.until_s - self.from_s)).clamp(0.0, 1.0)
    }

    /// Checks that all numbers are in range. `key`: name of the table in messages, such as
    /// `vent[0].focus`.
    pub(crate) fn validate(&self, key: &str) -> Result<(), Invalid> {
        within(
            &format!("number of places of {key}.at"),
            self.at.len() as f64,
            1.0,
            MAX_POINTS as f64,
        )?;
        self.at
            .iter()
            .try_for_each(|&at| within(&format!("{key}.at"), at, 0.0, 1.0))?;
        within(&format!("{key}.share"), self.share, 0.0, 1.0)?;
        within(
            &format!("{key}.from"),
            self.from_s,
            0.0,
            super::flow::LATEST_S,
        )?;
        within(
            &format!("{key}.until"),
            self.until_s,
            0.0,
            super::flow::LATEST_S,
        )?;
        if self.until_s <= self.from_s {
            return Err(Invalid::new(
                &format!("{key}.until"),
                self.until_s,
                format!("later than from = {}", self.from_s),
            ));
        }
        Ok(())
    }

    /// Returns the volume in m³ that comes out at the places `at` between `from_s` and `to_s`
    /// (seconds from the start of the simulation). `flow`: rates of the vent.
    pub(super) fn volume_m3(&self, flow: &VentFlow, from_s: f64, to_s: f64) -> f64 {
        let marks = [
            from_s,
            self.from_s.clamp(from_s, to_s),
            self.until_s.clamp(from_s, to_s),
            to_s,
        ];
        let part = |ends: &[f64]| {
            let (a, b) = (self.share_at(ends[0]), self.share_at(ends[1]));
            flow.integral(ends[0], ends[1], |start, end| {
                let long = ends[1] - ends[0];
                let at = |time: f64| {
                    if long > 0.0 {
                        a + (b - a) * ((time - ends[0]) / long)
                    } else {
                        a
                    }
                };
                (at(start), at(end))
            })
        };
        marks.windows(2).map(part).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flow_that_focuses_pours_its_exact_volume() {
        let focus = Focus {
            at: vec![0.5],
            share: 0.8,
            from_s: 10.0,
            until_s: 30.0,
        };
        assert_eq!(
            [0.0, 20.0, 30.0, 99.0].map(|time| focus.share_at(time)),
            [0.0, 0.4, 0.8, 0.8]
        );
        let steady = VentFlow::steady(2.0);
        assert_eq!(focus.volume_m3(&steady, 0.0, 10.0), 0.0);
        assert!(
            (focus.volume_m3(&steady, 0.0, 40.0) - (2.0 * 0.4 * 20.0 + 2.0 * 0.8 * 10.0)).abs()
                < 1e-12
        );
        // Compares a rate that decreases while the fraction rises with a fine midpoint rule.
        let falling = VentFlow {
            rates_m3_s: vec![[0.0, 6.0], [25.0, 1.0]],
            linear: true,
            ..VentFlow::steady(0.0)
        };
        let midpoints = |i: u32| 0.001 * (f64::from(i) + 0.5);
        let sum: f64 = (0..40_000)
            .map(midpoints)
            .map(|t| 0.001 * falling.rate_at(t) * focus.share_at(t))
            .sum();
        assert!(
            (focus.volume_m3(&falling, 0.0, 40.0) - sum).abs() < 1e-5,
            "{sum}"
        );
        let halves = focus.volume_m3(&falling, 0.0, 17.0) + focus.volume_m3(&falling, 17.0, 40.0);
        assert!((halves - sum).abs() < 1e-5);
    }

    #[test]
    fn wrong_numbers_are_named() {
        let right = Focus {
            at: vec![0.5],
            share: 0.8,
            from_s: 0.0,
            until_s: 30.0,
        };
        let refused = |focus: Focus| {
            focus
                .validate("vent[1].focus")
                .expect_err("wrong")
                .to_string()
        };
        assert!(right.validate("vent[1].focus").is_ok());
        assert!(
            refused(Focus {
                at: vec![],
                ..right.clone()
            })
            .starts_with("number of places of vent[1].focus.at = 0")
        );
        assert!(
            refused(Focus {
                at: vec![1.5],
                ..right.clone()
            })
            .starts_with("vent[1].focus.at = 1.5")
        );
        assert!(
            refused(Focus {
                share: 2.0,
                ..right.clone()
            })
            .starts_with("vent[1].focus.share = 2")
        );
        assert!(
            refused(Focus {
                until_s: 0.0,
                ..right
            })
            .contains("must be later than from = 0")
        );
    }
}
