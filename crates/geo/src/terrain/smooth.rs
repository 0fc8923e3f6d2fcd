//! Smoothing of rounded heights within their rounding error, and Gaussian smoothing.
//!
//! A map in whole metres has flats and steps of one metre that the real ground does not have; a
//! thin flow would fill each flat. The true height is only known to lie within half a step of the
//! rounded height. [`Heightmap::smooth`] computes smooth ground within these bounds: passes of the
//! binomial filter 1-2-1 along both axes, each followed by a clamp to half a step around the
//! rounded height.

use ndarray::Array2;

use super::Heightmap;

/// Usual steps in metres to which heights are rounded (metres and feet), descending.
const STEPS: [f64; 10] = [10.0, 5.0, 2.0, 1.0, 0.5, 0.3048, 0.25, 0.2, 0.1, 0.05];

/// Number of times that the filter is applied; flats that are at most as wide as this number of
/// cells become slopes.
const PASSES: usize = 60;

impl Heightmap {
    /// Returns the step in metres to which all heights are rounded; `None` if the heights have no
    /// common step, or span less than two steps.
    pub fn rounding_m(&self) -> Option<f64> {
        let (low, high) = self.range()?;
        let heights = || {
            self.heights
                .iter()
                .filter(|height| height.is_finite())
                .map(|&height| f64::from(height))
        };
        let is_rounded = |step: f64| {
            heights().all(|height| (height / step - (height / step).round()).abs() * step < 2e-3)
        };
        STEPS
            .into_iter()
            .find(|&step| f64::from(high - low) >= 2.0 * step && is_rounded(step))
    }

    /// Smooths heights within half the step to which they are rounded. Returns the step in metres;
    /// `None`, without any change, if the heights are not rounded.
    pub fn smooth(&mut self) -> Option<f64> {
        let step = self.rounding_m()?;
        let half = (step / 2.0) as f32;
        let known = self.heights.clone();
        let mut across = known.clone();
        for _ in 0..PASSES {
            blur(&self.heights, &mut across, [0, 1]);
            blur(&across, &mut self.heights, [1, 0]);
            // NaN stays, because NaN cells are read for no neighbour.
            let within = |height: &mut f32, known: &f32| {
                if known.is_finite() {
                    *height = height.clamp(known - half, known + half);
                }
            };
            self.heights.zip_mut_with(&known, within);
        }
        Some(step)
    }

    /// Smooths heights by a Gaussian whose standard deviation is `metres`; the kernel ends at two
    /// standard deviations. Beyond the edge, the outermost cells are repeated.
    pub fn filter(&mut self, metres: f64) {
        let across = weights(metres / self.cell_size_m.0);
        let down = weights(metres / self.cell_size_m.1);
        let rows = weighted(&self.heights, &across, [0, 1]);
        self.heights = weighted(&rows, &down, [1, 0]);
    }
}

/// Returns Gaussian weights for the distances 0, 1, … cells, normalised so that the kernel of both
/// sides sums to 1. `cells`: standard deviation in cells.
fn weights(cells: f64) -> Vec<f64> {
    let reach = (2.0 * cells).ceil() as i32;
    let raw: Vec<f64> = (0..=reach)
        .map(|i| libm::exp(-0.5 * (f64::from(i) / cells).powi(2)))
        .collect();
    let sum = 2.0 * raw.iter().sum::<f64>() - raw[0];
    raw.into_iter().map(|weight| weight / sum).collect()
}

/// Returns the convolution of `from` with a symmetric kernel along the axis [`down`, `right`] ([1,
/// 0] or [0, 1]). `weights`: values of the kernel at the distances 0, 1, … cells.
fn weighted(from: &Array2<f32>, weights: &[f64], [down, right]: [usize; 2]) -> Array2<f32> {
    let (rows, cols) = from.dim();
    let at = |row: usize, col: usize| f64::from(from[(row.min(rows - 1), col.min(cols - 1))]);
    Array2::from_shape_fn((rows, cols), |(row, col)| {
        let around = weights.iter().enumerate().map(|(i, weight)| {
            let before = at(row.saturating_sub(i * down), col.saturating_sub(i * right));
            let both = if i == 0 {
                before
            } else {
                before + at(row + i * down, col + i * right)
            };
            weight * both
        });
        around.sum::<f64>() as f32
    })
}

/// Writes `from`, filtered with 1-2-1 along the axis [`down`, `right`] ([1, 0] or [0, 1]), to `to`.
/// Cells next to a cell without data or an edge stay unchanged, so that planes are preserved.
fn blur(from: &Array2<f32>, to: &mut Array2<f32>, [down, right]: [usize; 2]) {
    let get = |row: Option<usize>, col: Option<usize>| {
        from.get((row?, col?))
            .copied()
            .filter(|height| height.is_finite())
    };
    for ((row, col), to) in to.indexed_iter_mut() {
        let here = from[(row, col)];
        let before = get(row.checked_sub(down), col.checked_sub(right));
        let after = get(Some(row + down), Some(col + right));
        *to = match (before, after) {
            (Some(before), Some(after)) => 0.25 * before + 0.5 * here + 0.25 * after,
            _ => here,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(height: impl Fn(f64, f64) -> f64) -> Heightmap {
        let heights =
            Array2::from_shape_fn((40, 50), |(row, col)| height(row as f64, col as f64) as f32);
        Heightmap {
            heights,
            cell_size_m: (10.0, 10.0),
            origin: None,
            notes: Vec::new(),
        }
    }

    /// Returns the root mean square in metres of the differences between the heights of `map` and
    /// the function `height`.
    fn off(map: &Heightmap, height: impl Fn(f64, f64) -> f64) -> f64 {
        let squares = map
            .heights
            .indexed_iter()
            .map(|((row, col), h)| (f64::from(*h) - height(row as f64, col as f64)).powi(2));
        (squares.sum::<f64>() / map.heights.len() as f64).sqrt()
    }

    #[test]
    fn a_hill_in_whole_metres_comes_back_within_its_rounding() {
        let hill = |row: f64, col: f64| {
            100.0 + 0.23 * col + 9.0 * (-((row - 20.0).powi(2) + (col - 25.0).powi(2)) / 90.0).exp()
        };
        let mut rounded = map(|row, col| hill(row, col).round());
        let (known, before) = (rounded.heights.clone(), off(&rounded, hill));
        assert_eq!(rounded.smooth(), Some(1.0));
        let apart = rounded
            .heights
            .iter()
            .zip(&known)
            .map(|(a, b)| (a - b).abs())
            .fold(0.0, f32::max);
        assert!(apart <= 0.5, "{apart}");
        let after = off(&rounded, hill);
        assert!(
            (0.27..0.3).contains(&before) && after < 0.65 * before,
            "{before} {after}"
        );
    }

    #[test]
    fn a_gaussian_keeps_the_sum_and_widens_a_spike_alike_along_both_axes() {
        let mut spike = map(|row, col| {
            if row == 20.0 && col == 25.0 {
                100.0
            } else {
                0.0
            }
        });
        spike.cell_size_m = (10.0, 20.0);
        spike.filter(20.0);
        let moment = |of: fn(usize, usize) -> f64| {
            let all = spike.heights.indexed_iter();
            all.map(|((row, col), h)| f64::from(*h) * of(row, col))
                .sum::<f64>()
                / 100.0
        };
        assert!((moment(|_, _| 1.0) - 1.0).abs() < 1e-5);
        let [across, down] = [
            moment(|_, col| (10.0 * (col as f64 - 25.0)).powi(2)),
            moment(|row, _| (20.0 * (row as f64 - 20.0)).powi(2)),
        ];
        // Twice the deviation holds 95 % of a Gaussian and less of its second moment.
        assert!(
            (across / 400.0 - 0.87).abs() < 0.1 && (down / 400.0 - 0.9).abs() < 0.1,
            "{across} {down}"
        );
        let mut plane = map(|_, _| 7.0);
        plane.filter(25.0);
        assert!(
            plane
                .heights
                .iter()
                .all(|height| (height - 7.0).abs() < 1e-5)
        );
    }

    #[test]
    fn heights_that_are_not_rounded_and_gaps_stay() {
        let mut exact = map(|row, col| 0.137 * row + 0.071 * col);
        let known = exact.heights.clone();
        assert_eq!((exact.smooth(), exact.heights == known), (None, true));
        let mut gap = map(|row, _| {
            if row == 7.0 {
                f64::NAN
            } else {
                (0.3 * row).round()
            }
        });
        assert_eq!(gap.smooth(), Some(1.0));
        assert!(
            gap.heights
                .indexed_iter()
                .all(|((row, _), height)| height.is_nan() == (row == 7))
        );
        let feet = map(|row, col| 0.3048 * (row + col));
        assert_eq!(feet.rounding_m(), Some(0.3048));
    }
}
