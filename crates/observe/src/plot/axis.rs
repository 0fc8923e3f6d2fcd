//! Axis of a plot: positions of values, ticks and tick labels.

use std::ops::Range;

use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};

use lavoxel_base::round::{number, steps};

/// Scaling of a plot axis: linear or logarithmic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Axis {
    /// Linear scaling of the axis.
    #[default]
    Linear,
    /// Logarithmic scaling; values that are 0 or negative cannot be shown and are omitted.
    Log,
}

impl Axis {
    /// Returns true if the axis can show `value`: finite, and above 0 on a logarithmic axis.
    pub(super) fn has(self, value: f64) -> bool {
        value.is_finite() && (self == Self::Linear || value > 0.0)
    }

    /// Converts `value` to a coordinate in which the axis is linear: `value` itself, or its decimal
    /// logarithm on a logarithmic axis.
    fn even(self, value: f64) -> f64 {
        if self == Self::Log {
            value.log10()
        } else {
            value
        }
    }

    /// Converts a coordinate in which the axis is linear to a value: inverse of `Axis::even`.
    fn back(self, even: f64) -> f64 {
        if self == Self::Log {
            10_f64.powf(even)
        } else {
            even
        }
    }
}

/// Axis with its scaling and the values at its lower and upper end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Extent {
    axis: Axis,
    low: f64,
    high: f64,
}

/// Margin between the data and each end of the axis, as a fraction of the axis length.
const ROOM: f64 = 0.04;

impl Extent {
    /// Creates an axis with a margin that contains all `values` that the scaling `axis` can show.
    pub(super) fn enclosing(axis: Axis, values: impl Iterator<Item = f64>) -> Self {
        let ends = values
            .filter(|value| axis.has(*value))
            .map(|value| axis.even(value));
        let (low, high) = ends.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| {
            (l.min(v), h.max(v))
        });
        let (low, high) = match (low, high) {
            _ if low > high => (0.0, 1.0),
            _ if high - low <= 1e-9 * high.abs() => (low - 0.5, high + 0.5),
            ends => ends,
        };
        let room = ROOM * (high - low);
        // Data without negative values get no axis below zero.
        let from = if axis == Axis::Linear && low >= 0.0 {
            (low - room).max(0.0)
        } else {
            low - room
        };
        Self {
            axis,
            low: axis.back(from),
            high: axis.back(high + room),
        }
    }

    /// Returns the axis extended at its upper end by `share` times the axis length.
    pub(super) fn with_room_above(self, share: f64) -> Self {
        let (low, high) = (self.axis.even(self.low), self.axis.even(self.high));
        Self {
            high: self.axis.back(high + share * (high - low)),
            ..self
        }
    }

    /// Creates an axis whose lower end is at the value `low` and whose upper end is at `high`.
    pub(super) fn between(axis: Axis, low: f64, high: f64) -> Self {
        Self { axis, low, high }
    }

    /// Iterates over `count` values at equal distances along the axis, from its lower to its upper
    /// end, both included.
    pub(super) fn samples(self, count: usize) -> impl Iterator<Item = f64> {
        let (low, high) = (self.axis.even(self.low), self.axis.even(self.high));
        (0..count).map(move |i| {
            self.axis
                .back(low + (high - low) * i as f64 / (count - 1).max(1) as f64)
        })
    }

    /// Returns the values of ticks: about `most` round numbers within the axis.
    pub(super) fn ticks(self, most: usize) -> Vec<f64> {
        let decades = (self.high / self.low).log10();
        if self.axis == Axis::Log && decades > 1.0 {
            // Powers of ten, with 2 and 5 between them if there is room.
            let every = (decades / most as f64).ceil().max(1.0) as i32;
            let fine = every == 1 && 3.0 * decades <= most as f64;
            let powers = (self.low.log10().floor() as i32..=self.high.log10().ceil() as i32)
                .filter(|p| p % every == 0);
            let of = |power: i32| {
                if fine { vec![1.0, 2.0, 5.0] } else { vec![1.0] }
                    .into_iter()
                    .map(move |f| (f, power))
            };
            let value = |(f, p): (f64, i32)| {
                if p < 0 {
                    f / 10_f64.powi(-p)
                } else {
                    f * 10_f64.powi(p)
                }
            };
            return powers
                .flat_map(of)
                .map(value)
                .filter(|v| self.contains(*v))
                .collect();
        }
        let Some(step) = steps((self.high - self.low) / most.max(1) as f64).next() else {
            return Vec::new();
        };
        let (first, last) = (
            (self.low / step - 1e-6).ceil() as i64,
            (self.high / step + 1e-6).floor() as i64,
        );
        (first..=last).map(|i| i as f64 * step).collect()
    }

    /// Returns true if `value` lies within the axis, with a tolerance for rounding.
    pub(super) fn contains(self, value: f64) -> bool {
        (-1e-9..=1.0 + 1e-9).contains(&self.share(value))
    }

    /// Returns the position of `value` along the axis: 0 at the lower end, 1 at the upper end,
    /// below 0 or above 1 beyond the ends.
    pub(super) fn share(self, value: f64) -> f64 {
        let (low, high) = (self.axis.even(self.low), self.axis.even(self.high));
        (self.axis.even(value) - low) / (high - low)
    }

    /// Formats the tick value `value` as a label; `most`: the argument with which [`Extent::ticks`]
    /// returned the ticks.
    pub(super) fn label(self, value: f64, most: usize) -> String {
        let size = value.abs();
        let plain = || match self.ticks(most)[..] {
            [a, b, ..] if self.axis == Axis::Linear || (self.high / self.low).log10() <= 1.0 => {
                number(value, b - a)
            }
            _ => number(value, value),
        };
        match size {
            _ if size == 0.0 => "0".to_owned(),
            _ if (1e-3..1e5).contains(&size) => plain(),
            _ => scientific(value),
        }
    }
}

/// Formats a value in scientific notation, such as 2·10⁻⁴.
fn scientific(value: f64) -> String {
    let power = (value.abs().log10() + 1e-9).floor() as i32;
    let factor = number(value / 10_f64.powi(power), 0.01);
    let digit = |c: char| match c {
        '-' => '⁻',
        c => c.to_digit(10).map_or(c, |d| {
            ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'][d as usize]
        }),
    };
    let power: String = power.to_string().chars().map(digit).collect();
    if factor == "1" {
        format!("10{power}")
    } else {
        format!("{factor}·10{power}")
    }
}

impl Ranged for Extent {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, (from, to): (i32, i32)) -> i32 {
        // Positions far outside are clamped, so that the conversion to pixels does not overflow.
        from + (self.share(*value).clamp(-10.0, 10.0) * f64::from(to - from)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        if hint.weight().allow_light_points() {
            Vec::new()
        } else {
            self.ticks(hint.bold_points())
        }
    }

    fn range(&self) -> Range<f64> {
        self.low..self.high
    }
}

impl ValueFormatter<f64> for Extent {
    fn format(value: &f64) -> String {
        value.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: Axis, low: f64, high: f64, most: usize) -> Vec<String> {
        let extent = Extent::between(axis, low, high);
        extent
            .ticks(most)
            .into_iter()
            .map(|tick| extent.label(tick, most))
            .collect()
    }

    #[test]
    fn axes_have_round_numbers() {
        assert_eq!(
            labels(Axis::Linear, 0.0, 72.0, 8),
            ["0", "10", "20", "30", "40", "50", "60", "70"]
        );
        assert_eq!(
            labels(Axis::Linear, -0.1, 0.32, 6),
            ["−0.1", "0", "0.1", "0.2", "0.3"]
        );
        assert_eq!(
            labels(Axis::Log, 0.9, 120.0, 8),
            ["1", "2", "5", "10", "20", "50", "100"]
        );
        assert_eq!(
            labels(Axis::Log, 1e-5, 1e4, 6),
            ["10⁻⁴", "0.01", "1", "100", "10000"]
        );
        assert_eq!(
            labels(Axis::Log, 2.0, 9.0, 8),
            ["2", "3", "4", "5", "6", "7", "8", "9"]
        );
        assert_eq!(
            labels(Axis::Linear, 0.0, 3e6, 4),
            ["0", "10⁶", "2·10⁶", "3·10⁶"]
        );
    }

    #[test]
    fn an_axis_holds_its_data() {
        let around = |axis, values: &[f64]| Extent::enclosing(axis, values.iter().copied());
        let linear = around(Axis::Linear, &[0.0, 5.0, f64::NAN, 10.0]);
        assert_eq!((linear.low, linear.high), (0.0, 10.4));
        let log = around(Axis::Log, &[0.0, -1.0, 1.0, 100.0]);
        assert!(
            log.low < 1.0 && log.low > 0.7 && log.high > 100.0 && log.high < 130.0,
            "{log:?}"
        );
        let (none, one) = (around(Axis::Log, &[]), around(Axis::Linear, &[7.0]));
        assert!(none.low < none.high && one.low < 7.0 && one.high > 7.0);
    }
}
