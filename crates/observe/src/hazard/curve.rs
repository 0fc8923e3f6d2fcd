//! Shape of the effusion rate over the duration of an eruption.
//!
//! | text | curve |
//! |---|---|
//! | `steady` | constant rate |
//! | `wane:0.1,20` | linear rise to the peak in a tenth of the duration, then exponential decay to a twentieth of the peak at the end |
//!
//! Basaltic eruptions wax fast and wane slowly (Wadge 1981, Journal of Volcanology and Geothermal
//! Research 11).
//!
//! - Invariant: the erupted volume is the mean rate times the duration, whatever the curve.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Number of intervals of the piecewise linear function that approximates the exponential decay.
const ROWS: usize = 32;

/// Upper bound on the ratio of the peak effusion rate to the effusion rate at the end.
const MOST_FACTOR: f64 = 1e4;

/// Shape of the effusion rate over the duration of an eruption.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Curve {
    /// Constant effusion rate from the start to the end of the eruption.
    #[default]
    Steady,
    /// Linear rise from 0 to the peak rate, then exponential decay until the end.
    Wane {
        /// Time of the peak effusion rate as a fraction of the eruption's duration, 0 to 0.9.
        share: f64,
        /// Ratio of the peak effusion rate to the effusion rate at the end, 1 to 10⁴.
        factor: f64,
    },
}

impl Curve {
    /// Returns the effusion rate over time for an eruption with the mean rate `mean_m3_s` (m³/s)
    /// and the duration `duration_s` (s). First value: rows (time in s, rate in m³/s); second
    /// value: true if the rate is interpolated linearly between the rows, false if each row is a
    /// step.
    pub(super) fn rates(self, mean_m3_s: f64, duration_s: f64) -> (Vec<[f64; 2]>, bool) {
        let Self::Wane { share, factor } = self else {
            return (vec![[0.0, mean_m3_s], [duration_s, 0.0]], false);
        };
        let fall = libm::log(factor);
        let falling = (0..=ROWS).map(|i| {
            let part = i as f64 / ROWS as f64;
            [share + (1.0 - share) * part, libm::exp(-fall * part)]
        });
        let rising = (share > 0.0).then_some([0.0, 0.0]);
        let shape: Vec<[f64; 2]> = rising.into_iter().chain(falling).collect();
        let area: f64 = shape
            .windows(2)
            .map(|pair| 0.5 * (pair[0][1] + pair[1][1]) * (pair[1][0] - pair[0][0]))
            .sum();
        let mut rates: Vec<[f64; 2]> = shape
            .iter()
            .map(|[time, rate]| [time * duration_s, rate * mean_m3_s / area])
            .collect();
        // Times of a table must increase, so the final drop to 0 takes the shortest step that the
        // table allows.
        let end = duration_s * (1.0 + 1e-9);
        rates.push([end, 0.0]);
        (rates, true)
    }
}

impl FromStr for Curve {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected = || {
            format!(
                "{text:?} is no curve of rates: steady, or wane:SHARE,FACTOR with a share of the duration from 0 to 0.9 until the peak \
                 and the peak over the rate at the end, from 1 to {MOST_FACTOR}, such as wane:0.1,20"
            )
        };
        if text.trim() == "steady" {
            return Ok(Self::Steady);
        }
        let numbers = text
            .trim()
            .strip_prefix("wane:")
            .and_then(|rest| rest.split_once(','))
            .ok_or_else(expected)?;
        let number = |text: &str| text.trim().parse::<f64>().map_err(|_| expected());
        let (share, factor) = (number(numbers.0)?, number(numbers.1)?);
        let is_right = (0.0..=0.9).contains(&share) && (1.0..=MOST_FACTOR).contains(&factor);
        if is_right {
            Ok(Self::Wane { share, factor })
        } else {
            Err(expected())
        }
    }
}

impl TryFrom<String> for Curve {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl fmt::Display for Curve {
    /// Writes the curve as text that `FromStr` parses to an equal curve.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Steady => f.write_str("steady"),
            Self::Wane { share, factor } => write!(f, "wane:{share},{factor}"),
        }
    }
}

impl From<Curve> for String {
    fn from(curve: Curve) -> Self {
        curve.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lavoxel_sim::source::VentFlow;

    #[test]
    fn every_curve_pours_the_volume_of_its_mean_rate() {
        for text in [
            "steady",
            "wane:0.1,20",
            "wane:0,5",
            "wane:0.9,10000",
            "wane:0.3,1",
        ] {
            let curve: Curve = text.parse().expect(text);
            assert_eq!(curve.to_string(), text);
            let (rates_m3_s, linear) = curve.rates(7.0, 86_400.0);
            let flow = VentFlow {
                rates_m3_s,
                linear,
                ..VentFlow::steady(0.0)
            };
            flow.validate("vent[0]").expect(text);
            let volume = flow.volume_m3(0.0, 1e6);
            assert!(
                (volume / (7.0 * 86_400.0) - 1.0).abs() < 1e-7,
                "{text}: {volume} m³"
            );
        }
        let wane: Curve = "wane:0.1,20".parse().expect("a curve");
        let (rates, _) = wane.rates(1.0, 100.0);
        let peak = rates.iter().map(|[_, rate]| *rate).fold(0.0, f64::max);
        let of = |time: f64| {
            rates
                .iter()
                .find(|[at, _]| (at - time).abs() < 1e-9)
                .map(|[_, rate]| *rate)
        };
        assert_eq!(of(10.0), Some(peak));
        assert!((of(100.0).expect("the end") * 20.0 / peak - 1.0).abs() < 1e-9 && peak > 2.0);
    }

    #[test]
    fn what_is_no_curve_is_named() {
        for text in [
            "",
            "wane",
            "wane:0.1",
            "wane:1,5",
            "wane:0.1,0.5",
            "wane:nan,2",
            "falling",
        ] {
            assert!(
                text.parse::<Curve>()
                    .is_err_and(|error| error.contains("wane:0.1,20")),
                "{text}"
            );
        }
    }
}
