//! Random error of a heightmap, which models the difference between a survey and the real ground.
//!
//! The error is a Gaussian field of mean 0 whose correlation decreases with the distance d as
//! exp(−d²/L²), computed as a sum of waves of random direction and phase (spectral representation
//! of Shinozuka and Jan, Journal of Sound and Vibration 25, 1972). The field is a function of the
//! position in metres from the north-west corner of the simulation box: cells of another size
//! sample the same field.

use ndarray::Array2;

use super::Surface;
use lavoxel_base::parallel::*;
use lavoxel_base::random::{Draw, Salt};

/// Number of waves in the sum that gives the error: with 256, the distribution of values is
/// Gaussian to within 1 %.
const WAVES: usize = 256;

/// Random error that is added to a heightmap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct HeightError {
    /// Standard deviation of the random height error in metres.
    pub(crate) deviation_m: f64,
    /// Correlation length of the random height error in metres: distance at which the correlation
    /// is 1/e.
    pub(crate) length_m: f64,
    /// Seed of the random numbers from which the height error is computed.
    pub(crate) seed: u64,
}

/// Plane wave as [wave number along x in rad/m, wave number along z in rad/m, phase in radians].
type Wave = [f64; 3];

impl HeightError {
    /// Adds the error to the ground `surface` of a box that is `ny` cells high; the resulting
    /// heights are clamped to the box.
    pub(crate) fn disturb(&self, surface: &mut Surface, ny: usize) {
        let cells_a_metre = surface.vertical_exaggeration / surface.cell_size_m;
        let scale = self.deviation_m * cells_a_metre;
        let field = self.field(surface.heights.dim(), surface.cell_size_m);
        let heights = surface.heights.iter_mut().zip(&field);
        heights.for_each(|(height, z)| {
            *height = (f64::from(*height) + scale * z).clamp(0.0, ny as f64) as f32
        });
    }

    /// Returns the error, scaled to standard deviation 1, at the centres of `rows` × `columns`
    /// columns of a box, shape (rows, columns). `cell_m`: cell width in metres.
    fn field(&self, (rows, columns): (usize, usize), cell_m: f64) -> Array2<f64> {
        let waves = self.waves();
        // cos(a + b) = cos a cos b − sin a sin b: each wave needs one number for each column and
        // one for each row.
        let of = |from: &dyn Fn(&Wave) -> (f64, f64), count: usize| -> Vec<(f64, f64)> {
            let at = |i: usize, (k, phase): (f64, f64)| {
                libm::sincos(k * (i as f64 + 0.5) * cell_m + phase)
            };
            (0..count)
                .flat_map(|i| waves.iter().map(move |wave| (i, wave)))
                .map(|(i, wave)| at(i, from(wave)))
                .collect()
        };
        let east = of(&|&[kx, _, phase]| (kx, phase), columns);
        let south = of(&|&[_, kz, _]| (kz, 0.0), rows);
        let mut field = Array2::zeros((rows, columns));
        let height = (2.0 / WAVES as f64).sqrt();
        let numbers = field.as_slice_mut().expect("a new array is one slice");
        numbers
            .par_chunks_mut(columns.max(1))
            .enumerate()
            .for_each(|(row, numbers)| {
                let here = &south[row * WAVES..][..WAVES];
                for (number, there) in numbers.iter_mut().zip(east.chunks_exact(WAVES)) {
                    let sum: f64 = here
                        .iter()
                        .zip(there)
                        .map(|((s, c), (t, d))| c * d - s * t)
                        .sum();
                    *number = height * sum;
                }
            });
        field
    }

    /// Returns the random plane waves whose sum is the error; their wave numbers are Gaussian with
    /// standard deviation √2/L, where L is the correlation length.
    fn waves(&self) -> Vec<Wave> {
        let key = Draw {
            seed: self.seed,
            step: 0,
        }
        .key_of(Salt::Survey, 0);
        let uniform = |i: usize, j: usize| key.uniform_at([i, j, 0]);
        let wave = |i: usize| {
            let radius =
                (-2.0 * libm::log(uniform(i, 0))).sqrt() * std::f64::consts::SQRT_2 / self.length_m;
            let (sin, cos) = libm::sincos(std::f64::consts::TAU * uniform(i, 1));
            [
                radius * cos,
                radius * sin,
                std::f64::consts::TAU * uniform(i, 2),
            ]
        };
        (0..WAVES).map(wave).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(seed: u64) -> HeightError {
        HeightError {
            deviation_m: 1.0,
            length_m: 30.0,
            seed,
        }
    }

    /// Returns the mean over several seeds of the product of the field's values at two columns that
    /// lie `apart` columns apart in a row.
    fn covariance(apart: usize) -> f64 {
        const SEEDS: u64 = 60;
        let of = |seed: u64| {
            let field = error(seed).field((40, 40), 10.0);
            let rows = field.outer_iter().map(|row| {
                (0..40 - apart)
                    .map(|x| row[x] * row[x + apart])
                    .sum::<f64>()
            });
            rows.sum::<f64>() / (40.0 * (40 - apart) as f64)
        };
        (0..SEEDS).map(of).sum::<f64>() / SEEDS as f64
    }

    #[test]
    fn deviation_and_correlation_are_those_asked_for() {
        for (apart, expected) in [
            (0, 1.0),
            (2, (-4.0_f64 / 9.0).exp()),
            (3, (-1.0_f64).exp()),
            (8, 0.0),
        ] {
            let found = covariance(apart);
            assert!(
                (found - expected).abs() < 0.08,
                "{apart} columns apart: {found} for {expected}"
            );
        }
    }

    #[test]
    fn finer_cells_sample_the_same_field() {
        let (coarse, fine) = (
            error(3).field((10, 12), 30.0),
            error(3).field((30, 36), 10.0),
        );
        for ((row, column), number) in coarse.indexed_iter() {
            assert!((number - fine[[3 * row + 1, 3 * column + 1]]).abs() < 1e-9);
        }
        assert_ne!(coarse, error(4).field((10, 12), 30.0));
    }
}
