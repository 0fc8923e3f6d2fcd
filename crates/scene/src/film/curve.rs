//! Curves that interpolate simulation step and camera parameters between the key frames of a film.

use super::Ease;

/// Point of an interpolating curve: time in seconds of film time, value, and interpolation up to
/// the next point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Knot {
    pub(super) time_s: f64,
    pub(super) value: f64,
    /// Kind of interpolation between this knot and the next one.
    pub(super) ease: Ease,
}

/// Curve of one number (step or camera parameter) over the film time, interpolated between points
/// (knots). Between two knots the curve stays within their values: smooth pieces are monotone cubic
/// Hermite splines with equal slopes on both sides of a knot, and join constant and linear pieces
/// without a corner.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Curve {
    knots: Vec<Knot>,
    /// Value of each knot as given; `knots` has the logarithms instead if `of_logs` is set.
    given: Vec<f64>,
    /// Slope of the smooth pieces at each knot, in value (or logarithm of the value) per second of
    /// film time.
    slopes: Vec<f64>,
    /// Set if `knots` has the logarithms of the values, so that logarithms are interpolated.
    of_logs: bool,
}

impl Curve {
    /// Creates a curve through `knots`, whose times must ascend.
    pub(super) fn new(knots: Vec<Knot>) -> Self {
        let slopes = (0..knots.len()).map(|i| slope(&knots, i)).collect();
        let given = knots.iter().map(|knot| knot.value).collect();
        Self {
            knots,
            given,
            slopes,
            of_logs: false,
        }
    }

    /// Creates a curve through positive values that interpolates their logarithms, so that a change
    /// by equal ratios (as in zooming) appears uniform.
    pub(super) fn of_shares(knots: Vec<Knot>) -> Self {
        let given = knots.iter().map(|knot| knot.value).collect();
        let logs = knots
            .into_iter()
            .map(|knot| Knot {
                value: knot.value.ln(),
                ..knot
            })
            .collect();
        Self {
            given,
            of_logs: true,
            ..Self::new(logs)
        }
    }

    /// Returns the value at `time_s` (seconds of film time); before the first and after the last
    /// knot, the value of that knot. `None` if the curve has no knots.
    pub(super) fn at(&self, time_s: f64) -> Option<f64> {
        let after = self.knots.partition_point(|knot| knot.time_s <= time_s);
        let Some(before) = after.checked_sub(1) else {
            return self.given.first().copied();
        };
        let (from, low) = (self.knots[before], self.given[before]);
        let between = self
            .knots
            .get(after)
            .filter(|_| from.time_s < time_s && from.ease != Ease::Hold);
        let Some(to) = between else { return Some(low) };
        let share = (time_s - from.time_s) / (to.time_s - from.time_s);
        let value = if from.ease == Ease::Linear {
            straight(from, *to, share)
        } else {
            self.smooth(before, share)
        };
        let (value, high) = (
            if self.of_logs { value.exp() } else { value },
            self.given[after],
        );
        Some(value.clamp(low.min(high), low.max(high)))
    }

    /// Returns the value of the cubic Hermite piece between the knots `i` and `i + 1`, at the
    /// fraction `s` (0 to 1) of the time between both.
    fn smooth(&self, i: usize, s: f64) -> f64 {
        let (from, to) = (self.knots[i], self.knots[i + 1]);
        let rise = to.value - from.value;
        // Slopes of at most three times the chord slope guarantee monotonicity.
        let limited = |slope: f64| {
            let slope = slope * (to.time_s - from.time_s);
            if slope * rise <= 0.0 {
                0.0
            } else {
                slope.signum() * slope.abs().min(3.0 * rise.abs())
            }
        };
        let [m0, m1] = [self.slopes[i], self.slopes[i + 1]].map(limited);
        let rest = 1.0 - s;
        from.value + rise * s * s * (3.0 - 2.0 * s) + m0 * s * rest * rest - m1 * s * s * rest
    }
}

fn straight(from: Knot, to: Knot, share: f64) -> f64 {
    from.value + (to.value - from.value) * share
}

/// Returns the slope at the knot with the index `i`: 0 at both ends of the curve and next to a
/// constant piece; the slope of an adjacent linear piece; otherwise a weighted harmonic mean of the
/// slopes of the chords to both neighbours, which keeps the curve monotone.
fn slope(knots: &[Knot], i: usize) -> f64 {
    if i == 0 || i + 1 == knots.len() {
        return 0.0;
    }
    let length = |k: usize| knots[k + 1].time_s - knots[k].time_s;
    let secant = |k: usize| (knots[k + 1].value - knots[k].value) / length(k);
    let (before, after) = (secant(i - 1), secant(i));
    match (knots[i - 1].ease, knots[i].ease) {
        (Ease::Hold, _) | (_, Ease::Hold) => 0.0,
        (Ease::Linear, _) => before,
        (_, Ease::Linear) => after,
        (Ease::Smooth, Ease::Smooth) if before * after <= 0.0 => 0.0,
        (Ease::Smooth, Ease::Smooth) => {
            let (w0, w1) = (
                2.0 * length(i) + length(i - 1),
                length(i) + 2.0 * length(i - 1),
            );
            (w0 + w1) / (w0 / before + w1 / after)
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn ease() -> impl Strategy<Value = Ease> {
        prop_oneof![Just(Ease::Smooth), Just(Ease::Linear), Just(Ease::Hold)]
    }

    fn knots() -> impl Strategy<Value = Vec<Knot>> {
        prop::collection::vec((0.01..5.0, -100.0..100.0, ease()), 1..8).prop_map(|parts| {
            let mut time_s = 0.0;
            let knot = |(wait, value, ease)| {
                time_s += wait;
                Knot {
                    time_s,
                    value,
                    ease,
                }
            };
            parts.into_iter().map(knot).collect()
        })
    }

    proptest! {
        #[test]
        fn a_curve_goes_through_its_knots_and_not_beyond_them(knots in knots(), shares in prop::collection::vec(0.0..1.0, 20)) {
            let curve = Curve::new(knots.clone());
            for knot in &knots {
                prop_assert_eq!(curve.at(knot.time_s), Some(knot.value));
            }
            for pair in knots.windows(2) {
                let mut last = pair[0].value;
                let mut sorted: Vec<f64> = shares.clone();
                sorted.sort_by(f64::total_cmp);
                for share in sorted {
                    let value = curve.at(pair[0].time_s + share * (pair[1].time_s - pair[0].time_s)).expect("it has knots");
                    let rises = pair[1].value >= pair[0].value;
                    let slack = 1e-9 * (pair[1].value - pair[0].value).abs();
                    let goes_on = if rises { value >= last - slack } else { value <= last + slack };
                    prop_assert!(goes_on);
                    last = value;
                }
            }
        }

        #[test]
        fn smooth_and_straight_pieces_have_no_jump_and_smooth_ones_no_corner(knots in knots()) {
            let curve = Curve::new(knots.clone());
            let at = |t: f64| curve.at(t).expect("it has knots");
            let tiny = 1e-6;
            for triple in knots.windows(3).filter(|triple| triple[..2].iter().all(|knot| knot.ease != Ease::Hold)) {
                let t = triple[1].time_s;
                let steepest = triple.windows(2).map(|p| (p[1].value - p[0].value).abs() / (p[1].time_s - p[0].time_s)).fold(0.0, f64::max);
                prop_assert!((at(t + tiny) - at(t - tiny)).abs() <= 8.0 * tiny * steepest + 1e-9);
                if triple[0].ease == Ease::Smooth && triple[1].ease == Ease::Smooth {
                    let slopes = [(at(t) - at(t - tiny)) / tiny, (at(t + tiny) - at(t)) / tiny];
                    // The second derivative is at most some 12 rises over the square of the
                    // shortest piece.
                    let bend = triple.windows(2).map(|p| 16.0 * (p[1].value - p[0].value).abs() / (p[1].time_s - p[0].time_s).powi(2)).fold(0.0, f64::max);
                    prop_assert!((slopes[0] - slopes[1]).abs() <= 2.0 * tiny * bend + 1e-3, "{:?}", slopes);
                }
            }
        }
    }
}
