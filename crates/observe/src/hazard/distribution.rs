//! Probability distributions (laws) from which effusion rates, volumes, durations and scene
//! parameters are drawn.
//!
//! | text | distribution |
//! |---|---|
//! | `5` | constant |
//! | `uniform:1,10` | uniform from 1 to 10 |
//! | `log-uniform:1,100` | uniform in the logarithm: as many from 1 to 10 as from 10 to 100 |
//! | `log-normal:5,2` | median 5; two of three lie within a factor of 2; cut off at three standard deviations, 5/2³ to 5·2³ |
//! | `power-law:1e5,1e8,1.5` | from 1e5 to 1e8, density proportional to the number to the power −1.5 |
//! | `list:1,5,20`, `list:1=3,5=2,20=1` | one of the listed values, with equal or given weights |

use std::fmt;

use super::draw::{NoWeights, Numbers, Weights};

/// Largest distance of a log-normal number from the median, in standard deviations of its
/// logarithm.
const FARTHEST: f64 = 3.0;

/// Upper bound on the absolute value of the exponent e of a power law x⁻ᵉ.
const MOST_EXPONENT: f64 = 20.0;

/// Upper bound on the number of values in a distribution `list:…`.
const MOST: usize = 10_000;

/// Text for error messages that lists the accepted forms of a distribution.
const EXPECTED: &str = "a number, uniform:LOW,HIGH, log-uniform:LOW,HIGH, log-normal:MEDIAN,FACTOR, \
                        power-law:LOW,HIGH,EXPONENT or list:A,B,… (list:A=WEIGHT,B=WEIGHT,…)";

/// Probability distribution from which a number, such as an effusion rate, is drawn.
#[derive(Clone, Debug, PartialEq)]
pub enum Distribution {
    /// Constant, which every draw from the distribution returns.
    Fixed(f64),
    /// Uniform distribution between a lower bound (first field) and an upper bound (second field).
    Uniform(f64, f64),
    /// Distribution that is uniform in the logarithm of the number, between a lower bound (first
    /// field) and an upper bound (second field), both above 0.
    LogUniform(f64, f64),
    /// Log-normal distribution: median (first field), and ratio of a number one standard deviation
    /// above the median to the median (second field).
    LogNormal(f64, f64),
    /// Power law between a lower bound (first field) and an upper bound (second field), both above
    /// 0. The density is proportional to x⁻ᵉ, with the exponent e as third field.
    PowerLaw(f64, f64, f64),
    /// Discrete distribution: pairs (value, weight); weights are relative.
    List(Vec<(f64, f64)>),
}

impl Distribution {
    /// Parses a distribution from text such as `uniform:1,10`. `number` parses each number in the
    /// text, for example a time with its unit, and returns `None` for text that is no number.
    ///
    /// # Errors
    /// The expected form, as text to be appended to the input.
    pub fn parse(text: &str, number: impl Fn(&str) -> Option<f64>) -> Result<Self, String> {
        let wrong = || format!("must be {EXPECTED}");
        let read = |part: &str| {
            number(part.trim())
                .filter(|number| number.is_finite())
                .ok_or_else(wrong)
        };
        let Some((name, rest)) = text.split_once(':') else {
            return Ok(Self::Fixed(read(text)?));
        };
        let two = || -> Result<(f64, f64), String> {
            let (a, b) = rest.split_once(',').ok_or_else(wrong)?;
            Ok((read(a)?, read(b)?))
        };
        let law = match name.trim() {
            "uniform" => two().map(|(low, high)| Self::Uniform(low, high))?,
            "log-uniform" => two().map(|(low, high)| Self::LogUniform(low, high))?,
            "log-normal" => {
                let (median, factor) = rest.split_once(',').ok_or_else(wrong)?;
                // The factor has no unit, even if the median has one.
                Self::LogNormal(read(median)?, factor.trim().parse().map_err(|_| wrong())?)
            }
            "power-law" => {
                let (ends, exponent) = rest.rsplit_once(',').ok_or_else(wrong)?;
                let (low, high) = ends.split_once(',').ok_or_else(wrong)?;
                // The exponent has no unit, even if the bounds have one.
                Self::PowerLaw(
                    read(low)?,
                    read(high)?,
                    exponent.trim().parse().map_err(|_| wrong())?,
                )
            }
            "list" => {
                let entry = |entry: &str| match entry.split_once('=') {
                    Some((value, weight)) => {
                        Ok((read(value)?, weight.trim().parse().map_err(|_| wrong())?))
                    }
                    None => Ok((read(entry)?, 1.0)),
                };
                Self::List(rest.split(',').map(entry).collect::<Result<_, String>>()?)
            }
            _ => return Err(wrong()),
        };
        law.check().map(|()| law)
    }

    fn check(&self) -> Result<(), String> {
        let right = |is_right: bool, expected: &str| {
            if is_right {
                Ok(())
            } else {
                Err(expected.to_owned())
            }
        };
        match self {
            Self::Fixed(_) => Ok(()),
            Self::Uniform(low, high) => right(low <= high, "must have the lower number first"),
            Self::LogUniform(low, high) => right(
                *low > 0.0 && low <= high,
                "must have two numbers above 0, the lower one first",
            ),
            Self::LogNormal(median, factor) => {
                let is_right = *median > 0.0 && *factor >= 1.0 && factor.is_finite();
                right(
                    is_right,
                    "must have a median above 0 and a factor of 1 or more",
                )
            }
            Self::PowerLaw(low, high, exponent) => {
                let is_right =
                    *low > 0.0 && low <= high && (0.0..=MOST_EXPONENT).contains(exponent);
                right(
                    is_right,
                    "must have two numbers above 0, the lower one first, and an exponent from 0 to 20",
                )
            }
            Self::List(entries) => {
                right(entries.len() <= MOST, "must have at most 10000 numbers")?;
                let nothing = "must have weights from 0 up, not all of them 0";
                right(entries.iter().all(|(_, weight)| *weight >= 0.0), nothing)?;
                weights(entries)
                    .map(drop)
                    .map_err(|wrong| wrong.words(nothing))
            }
        }
    }

    /// Returns the smallest and the largest number that can be drawn from the distribution.
    pub fn range(&self) -> (f64, f64) {
        match self {
            Self::Fixed(value) => (*value, *value),
            Self::Uniform(low, high)
            | Self::LogUniform(low, high)
            | Self::PowerLaw(low, high, _) => (*low, *high),
            Self::LogNormal(median, factor) => {
                let most = libm::pow(*factor, FARTHEST);
                (median / most, median * most)
            }
            Self::List(entries) => {
                let values = entries
                    .iter()
                    .filter(|(_, weight)| *weight > 0.0)
                    .map(|(value, _)| *value);
                values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| {
                    (low.min(v), high.max(v))
                })
            }
        }
    }

    /// Returns the quantile of the distribution at the cumulative probability `share` (0 to 1).
    pub(super) fn at_share(&self, share: f64) -> f64 {
        let (low, high) = self.range();
        let value = match self {
            Self::Fixed(value) => *value,
            Self::Uniform(low, high) => low + (high - low) * share,
            Self::LogUniform(low, high) => low * libm::exp(share * libm::log(high / low)),
            Self::LogNormal(median, factor) => {
                let beyond = below(-FARTHEST);
                median * libm::pow(*factor, deviations(beyond + share * (1.0 - 2.0 * beyond)))
            }
            Self::PowerLaw(low, high, exponent) => power_law([*low, *high], *exponent, share),
            Self::List(entries) => {
                let mut entries = entries.clone();
                entries.sort_by(|a, b| a.0.total_cmp(&b.0));
                weights(&entries).map_or(f64::NAN, |weights| entries[weights.pick(share)].0)
            }
        };
        value.clamp(low, high)
    }

    /// Draws a random number from the distribution; `numbers` supplies uniform random numbers.
    pub(super) fn draw(&self, numbers: Numbers) -> f64 {
        let share = |low: f64, high: f64| low + (high - low) * numbers.uniform(0, 0);
        let (low, high) = self.range();
        let value = match self {
            Self::Fixed(value) => *value,
            Self::Uniform(low, high) => share(*low, *high),
            Self::LogUniform(low, high) => libm::exp(share(libm::log(*low), libm::log(*high))),
            Self::LogNormal(median, factor) => {
                let inside = (0..64)
                    .map(|i| numbers.normal(i))
                    .find(|z| z.abs() <= FARTHEST);
                median * libm::pow(*factor, inside.unwrap_or(0.0))
            }
            Self::PowerLaw(low, high, exponent) => {
                power_law([*low, *high], *exponent, numbers.uniform(0, 0))
            }
            Self::List(entries) => {
                weights(entries).map_or(f64::NAN, |w| entries[w.pick(numbers.uniform(0, 0))].0)
            }
        };
        // Logarithms and powers may miss a bound by the last digit.
        value.clamp(low, high)
    }
}

/// Returns the probability that a standard normal random number is below `deviations`.
pub(super) fn below(deviations: f64) -> f64 {
    0.5 * libm::erfc(-deviations / std::f64::consts::SQRT_2)
}

/// Returns the quantile of the standard normal distribution at the probability `share`, by
/// bisection between −10 and 10.
fn deviations(share: f64) -> f64 {
    let (mut low, mut high) = (-10.0, 10.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if below(middle) < share {
            low = middle
        } else {
            high = middle
        }
    }
    0.5 * (low + high)
}

/// Returns the quantile at the cumulative probability `share` (0 to 1) of a power law between the
/// bounds `low` and `high`. For the density ∝ x^−e with e = `exponent`, the distribution function
/// is linear in x^(1−e), or in ln x for e = 1, and is inverted.
fn power_law([low, high]: [f64; 2], exponent: f64, share: f64) -> f64 {
    let power = 1.0 - exponent;
    let span = libm::log(high / low);
    if power.abs() < 1e-9 {
        return low * libm::exp(share * span);
    }
    // Computed in logarithms relative to the lower bound, so that no power overflows.
    low * libm::exp(libm::log1p(share * libm::expm1(power * span)) / power)
}

fn weights(entries: &[(f64, f64)]) -> Result<Weights, NoWeights> {
    Weights::new(entries.iter().map(|(_, weight)| *weight))
}

impl fmt::Display for Distribution {
    /// Formats the probability distribution as text that [`Distribution::parse`] accepts.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fixed(value) => write!(f, "{value}"),
            Self::Uniform(low, high) => write!(f, "uniform:{low},{high}"),
            Self::LogUniform(low, high) => write!(f, "log-uniform:{low},{high}"),
            Self::LogNormal(median, factor) => write!(f, "log-normal:{median},{factor}"),
            Self::PowerLaw(low, high, exponent) => write!(f, "power-law:{low},{high},{exponent}"),
            Self::List(entries) => {
                let entries: Vec<_> = entries
                    .iter()
                    .map(|(value, weight)| format!("{value}={weight}"))
                    .collect();
                write!(f, "list:{}", entries.join(","))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::draw::Use;
    use super::*;

    fn law(text: &str) -> Distribution {
        read(text).expect(text)
    }

    fn read(text: &str) -> Result<Distribution, String> {
        Distribution::parse(text, |number| number.parse().ok())
    }

    /// Returns the mean of `of(x)` over 20,000 numbers x drawn from the distribution `law`.
    fn drawn(law: &Distribution, of: impl Fn(f64) -> f64) -> f64 {
        const N: u64 = 20_000;
        let (low, high) = law.range();
        let draw = |run| {
            let value = law.draw(Numbers::new(3, run, Use::Rate));
            assert!((low..=high).contains(&value), "{value} by {law}");
            of(value)
        };
        (0..N).map(draw).sum::<f64>() / N as f64
    }

    #[test]
    fn laws_have_their_moments() {
        let near = |found: f64, expected: f64, slack: f64| {
            assert!((found - expected).abs() < slack, "{found} for {expected}")
        };
        near(drawn(&law("5"), |v| v), 5.0, 1e-12);
        let even = law("uniform:2,10");
        near(drawn(&even, |v| v), 6.0, 0.06);
        near(drawn(&even, |v| (v - 6.0).powi(2)), 64.0 / 12.0, 0.1);
        let log = law("log-uniform:1,100");
        near(drawn(&log, f64::log10), 1.0, 0.02);
        near(drawn(&log, |v| v), 99.0 / 100f64.ln(), 0.6);
        let normal = law("log-normal:5,2");
        near(drawn(&normal, |v| (v / 5.0).log2()), 0.0, 0.02);
        // Cut off at three standard deviations, the variance is 0.9733 times that of the full
        // distribution.
        near(drawn(&normal, |v| (v / 5.0).log2().powi(2)), 0.9733, 0.03);
        near(
            drawn(&normal, |v| f64::from(u8::from((2.5..=10.0).contains(&v)))),
            0.6845,
            0.01,
        );
        let share_below_10 = |exponent| {
            drawn(&law(&format!("power-law:1,100,{exponent}")), |v| {
                f64::from(u8::from(v < 10.0))
            })
        };
        near(share_below_10(1.5), (1.0 - 0.1f64.sqrt()) / 0.9, 0.01);
        near(share_below_10(1.0), 0.5, 0.01);
        near(share_below_10(0.0), 9.0 / 99.0, 0.01);
        near(share_below_10(20.0), 1.0, 1e-9);
        let list = law("list:1=3,5=0,20=1");
        near(drawn(&list, |v| f64::from(u8::from(v == 1.0))), 0.75, 0.01);
        near(drawn(&list, |v| f64::from(u8::from(v == 5.0))), 0.0, 1e-12);
        near(drawn(&law("list:1,2,3"), |v| v), 2.0, 0.02);
    }

    #[test]
    fn shares_are_those_of_what_is_drawn() {
        for text in [
            "5",
            "uniform:2,10",
            "log-uniform:1,100",
            "log-normal:5,2",
            "power-law:1,100,1.5",
            "list:20=1,1=3,5=2",
        ] {
            let law = law(text);
            let draws: Vec<f64> = (0..20_000)
                .map(|run| law.draw(Numbers::new(3, run, Use::Rate)))
                .collect();
            for share in [0.05, 0.3, 0.5, 0.8, 0.97] {
                let value = law.at_share(share);
                let drawn = |counts: &dyn Fn(f64) -> bool| {
                    draws.iter().filter(|v| counts(**v)).count() as f64 / 20_000.0
                };
                let (under, up_to) = (
                    drawn(&|v| v < value * (1.0 - 1e-9)),
                    drawn(&|v| v <= value * (1.0 + 1e-9)),
                );
                assert!(
                    under - 0.012 < share && share < up_to + 0.012,
                    "{text}: {value} at {share}, {under} to {up_to}"
                );
            }
        }
    }

    #[test]
    fn laws_are_read_as_they_are_written() {
        for text in [
            "5",
            "uniform:1,10.5",
            "log-uniform:0.5,50",
            "log-normal:5,2",
            "power-law:1,100,1.5",
            "list:1=1,5=0.25",
        ] {
            assert_eq!(law(text).to_string(), text);
        }
        assert_eq!(law("list: 1, 2=3").to_string(), "list:1=1,2=3");
        let time = |text: &str| {
            text.strip_suffix('h')
                .and_then(|hours| hours.parse().ok())
                .map(|hours: f64| 3600.0 * hours)
        };
        assert_eq!(
            Distribution::parse("log-normal:2h,3", time),
            Ok(Distribution::LogNormal(7200.0, 3.0))
        );
    }

    #[test]
    fn wrong_laws_are_refused() {
        for (text, part) in [
            ("", "must be a number, uniform:LOW,HIGH"),
            ("normal:1,2", "must be a number"),
            ("uniform:1", "must be a number"),
            ("uniform:nan,2", "must be a number"),
            ("uniform:2,1", "lower number first"),
            ("log-uniform:0,1", "two numbers above 0"),
            ("log-normal:0,2", "a median above 0"),
            ("log-normal:5,0.5", "a factor of 1 or more"),
            ("power-law:1,2", "must be a number"),
            ("power-law:0,2,1", "two numbers above 0"),
            ("power-law:1,2,-1", "an exponent from 0 to 20"),
            ("list:", "must be a number"),
            ("list:1=x", "must be a number"),
            ("list:1=-1,2=3", "weights from 0 up"),
            ("list:1=0", "weights from 0 up"),
        ] {
            assert!(
                read(text).is_err_and(|error| error.contains(part)),
                "{text}: {:?}",
                read(text)
            );
        }
    }
}
