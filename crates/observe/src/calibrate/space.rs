//! Search space of a calibration: varied scene parameters with their bounds.

use std::fmt;
use std::str::FromStr;

use lavoxel_scene::scene::NumberKey;

/// Scene parameter with its search bounds; as text `flow.lava.yield_pa=100..5000`, with `:log`
/// appended for a search in the logarithm.
#[derive(Clone, Debug, PartialEq)]
pub struct Vary {
    /// Key of the varied scene parameter in the scene file.
    pub key: NumberKey,
    /// Lower bound of the search, in the unit of the scene parameter.
    pub low: f64,
    /// Upper bound of the search, in the unit of the scene parameter.
    pub high: f64,
    /// True if the search is uniform in the logarithm of the value instead of in the value.
    pub is_log: bool,
}

impl Vary {
    /// Returns the value of the scene parameter at the coordinate `share`: 0 is the lower bound, 1
    /// the upper bound.
    pub(super) fn value(&self, share: f64) -> f64 {
        match self.is_log {
            true => libm::exp(
                libm::log(self.low) + share * (libm::log(self.high) - libm::log(self.low)),
            ),
            false => self.low + share * (self.high - self.low),
        }
        .clamp(self.low, self.high)
    }
}

impl fmt::Display for Vary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}={}..{}{}",
            self.key,
            self.low,
            self.high,
            if self.is_log { ":log" } else { "" }
        )
    }
}

impl FromStr for Vary {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            "must be a number of the scene and its bounds, such as flow.lava.yield_pa=100..5000:log"
                .to_owned()
        };
        let (key, bounds) = text.split_once('=').ok_or_else(wrong)?;
        let (bounds, is_log) = bounds
            .strip_suffix(":log")
            .map_or((bounds, false), |bounds| (bounds, true));
        let (low, high) = bounds.split_once("..").ok_or_else(wrong)?;
        let number = |text: &str| {
            text.trim()
                .parse::<f64>()
                .ok()
                .filter(|number| number.is_finite())
                .ok_or_else(wrong)
        };
        let vary = Self {
            key: key.parse()?,
            low: number(low)?,
            high: number(high)?,
            is_log,
        };
        match vary {
            Self { low, high, .. } if low >= high => {
                Err("the first bound must be below the second".to_owned())
            }
            Self {
                low, is_log: true, ..
            } if low <= 0.0 => Err("bounds of a logarithm must be above 0".to_owned()),
            _ => Ok(vary),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_read_and_searched_evenly_or_by_their_logarithm() {
        let vary: Vary = "flow.lava.yield_pa=100..10000:log".parse().expect("right");
        assert!((vary.value(0.5) - 1000.0).abs() < 1e-9 && vary.value(1.0) == 10_000.0);
        assert_eq!(vary.to_string(), "flow.lava.yield_pa=100..10000:log");
        let even: Vary = "vent[0].x_m=-5..15".parse().expect("right");
        assert_eq!(
            [0.0, 0.5, 1.0].map(|share| even.value(share)),
            [-5.0, 5.0, 15.0]
        );
        for wrong in [
            "",
            "a",
            "a=1",
            "a=2..1",
            "a=0..1:log",
            "a=1..nan",
            "=1..2",
            "a b=1..2",
            "a=1..1",
        ] {
            assert!(wrong.parse::<Vary>().is_err(), "{wrong}");
        }
    }
}
