//! Round numbers along axes and colour bars: multiples of 1, 2 or 5 times a power of ten.

use lavoxel_base::round::steps;
pub(crate) use lavoxel_base::round::{number, round_down};

/// Rounds a positive `value` up to two significant digits; returns any other value unchanged.
pub fn round_up(value: f64) -> f64 {
    lavoxel_base::round::round_up(value)
}

/// Maximum number of intervals between the tick values of an axis or colour bar.
const MOST: f64 = 10.0;

/// Tick values of an axis or colour bar: evenly spaced round numbers between its two ends.
#[derive(Clone, Debug, PartialEq)]
pub struct Ticks {
    /// Difference between consecutive tick values.
    step: f64,
    /// Tick values in ascending order.
    pub values: Vec<f64>,
}

impl Ticks {
    /// Returns all multiples of `step` from `low` to `high`; no tick values if `step` is unusable
    /// (0, NaN, or so small that there are more than 10,000 multiples).
    fn new((low, high): (f64, f64), step: f64) -> Self {
        let first = (low / step - 1e-6).ceil();
        let count = (high / step + 1e-6).floor() - first + 1.0;
        let count = if count <= 1e4 { count as u32 } else { 0 };
        Self {
            step,
            values: (0..count).map(|i| (first + f64::from(i)) * step).collect(),
        }
    }

    /// Returns the most closely spaced round values from `low` to `high` whose labels fit on an
    /// axis of `pixels` pixels without overlap; consecutive values differ by at least `least`.
    /// `room` returns the length in pixels of a label along the axis, including the gap after it.
    pub fn fitting(
        (low, high): (f64, f64),
        least: f64,
        pixels: f32,
        room: impl Fn(&str) -> f32,
    ) -> Self {
        let per_pixel = (high - low) / f64::from(pixels.max(1.0));
        let fits = |ticks: &Self| {
            let widest = ticks.labels().map(|label| room(&label)).fold(0.0, f32::max);
            ticks.step >= per_pixel * f64::from(widest)
        };
        let least = least.max((high - low) / MOST);
        let none = || Self {
            step: 1.0,
            values: Vec::new(),
        };
        steps(least)
            .map(|step| Self::new((low, high), step))
            .find(fits)
            .unwrap_or_else(none)
    }

    /// Returns the tick values as text, each with the decimal places that the distance of the
    /// values requires.
    pub fn labels(&self) -> impl Iterator<Item = String> + '_ {
        self.values.iter().map(|value| number(*value, self.step))
    }

    /// Returns `value` as text, rounded to a tenth of the difference between consecutive tick
    /// values.
    pub(crate) fn label(&self, value: f64) -> String {
        number(value, 0.1 * self.step)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(ticks: &Ticks) -> Vec<String> {
        ticks.labels().collect()
    }

    #[test]
    fn ticks_are_round_and_inside() {
        // Each number takes `room` of 100 pixels.
        let found = |span, room: f32| labels(&Ticks::fitting(span, 0.0, 100.0, |_| room));
        assert_eq!(
            found((0.0, 1.0), 15.0),
            ["0", "0.2", "0.4", "0.6", "0.8", "1"]
        );
        assert_eq!(
            found((0.0, 1.1), 15.0),
            ["0", "0.2", "0.4", "0.6", "0.8", "1"]
        );
        assert_eq!(found((0.0, 128.0), 30.0), ["0", "50", "100"]);
        assert_eq!(
            found((-0.3, 0.1), 20.0),
            ["−0.3", "−0.2", "−0.1", "0", "0.1"]
        );
        assert_eq!(
            found((2_667_400.0, 2_668_010.0), 30.0),
            ["2667400", "2667600", "2667800", "2668000"]
        );
        assert_eq!(found((3.0, 3.0), 1.0), [""; 0]);
        assert_eq!(found((0.0, f64::NAN), 1.0), [""; 0]);
    }

    #[test]
    fn numbers_on_an_axis_stand_clear_of_each_other() {
        // Five pixels per letter, and five between two numbers.
        let room = |label: &str| 5.0 * (label.chars().count() + 1) as f32;
        for span in [
            (0.0, 128.0),
            (2_667_400.0, 2_668_010.0),
            (-0.004, 0.0031),
            (0.0, 7.0),
        ] {
            for pixels in [40.0, 90.0, 200.0, 1000.0] {
                let ticks = Ticks::fitting(span, 0.0, pixels, room);
                let place = |value: f64| (value - span.0) / (span.1 - span.0) * f64::from(pixels);
                for (pair, label) in ticks.values.windows(2).zip(ticks.labels()) {
                    let apart = (place(pair[1]) - place(pair[0])) as f32;
                    assert!(
                        apart >= room(&label) - 1e-3,
                        "{span:?} on {pixels}: {label} has {apart} pixels"
                    );
                }
                assert!(ticks.values.len() <= 11, "{ticks:?}");
            }
        }
        let fewer = Ticks::fitting((0.0, 128.0), 0.0, 90.0, room).values.len();
        assert!(fewer >= 3 && fewer < Ticks::fitting((0.0, 128.0), 0.0, 400.0, room).values.len());
        assert_eq!(
            labels(&Ticks::fitting((0.0, 3.0), 1.0, 500.0, room)),
            ["0", "1", "2", "3"],
            "no half cells"
        );
    }
}
