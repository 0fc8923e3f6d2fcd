//! Random numbers of a run: a pure function of the seed, the number of the run and the use, so that a run is the same
//! whichever runs are made besides it, in which order and on how many threads.

use lavoxel_base::random::{Draw, Salt, StepKey, normal};

/// Uses of the numbers that a run draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    /// Which of the features has the vent.
    Feature = 0,
    /// Where in it the vent is.
    Place = 1,
    /// The effusion rate.
    Rate = 2,
    /// The volume, or the duration.
    Size = 3,
    /// The seed of the simulation.
    Seed = 4,
    /// The seed of the error of the heightmap.
    Survey = 5,
}

/// Use of the first number of the scene that is drawn.
const FIRST_NUMBER: usize = 16;

/// The numbers that a run draws for one use.
#[derive(Clone, Copy, Debug)]
pub(super) struct Numbers(StepKey);

impl Numbers {
    /// Those of a run.
    pub(super) fn new(seed: u64, run: u64, used_for: Use) -> Self {
        Self(Draw { seed, step: run }.key_of(Salt::Hazard, used_for as usize))
    }

    /// Those of a run for the number of the scene with this place in the list of draws.
    pub(super) fn of_number(seed: u64, run: u64, place: usize) -> Self {
        Self(Draw { seed, step: run }.key_of(Salt::Hazard, FIRST_NUMBER + place))
    }

    /// The number `i` (below 2²¹) of row `row`, evenly spread between 0 and 1, both excluded.
    pub(super) fn uniform(self, i: usize, row: usize) -> f64 {
        self.0.uniform_at([i, row, 0])
    }

    /// A number of the standard normal distribution.
    pub(super) fn normal(self, i: usize) -> f64 {
        normal(self.uniform(i, 0), self.uniform(i, 1))
    }

    /// 32 random bits.
    pub(super) fn bits(self) -> u64 {
        self.0.number() >> 32
    }
}

/// Indices that are drawn in proportion to their weights.
#[derive(Clone, Debug)]
pub(super) struct Weights {
    /// Sum of the weights up to and with each index.
    ends: Vec<f64>,
}

/// Why nothing can be drawn by weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoWeights {
    /// There are none above 0.
    Nothing,
    /// Their sum is no number.
    TooLarge,
}

impl NoWeights {
    /// Words for the fault: `nothing`, or the sum.
    pub(super) fn words(self, nothing: &str) -> String {
        match self {
            Self::Nothing => nothing.to_owned(),
            Self::TooLarge => "has weights whose sum is too large for a number; divide all by the same".to_owned(),
        }
    }
}

impl Weights {
    /// Of these weights, from 0 up.
    ///
    /// # Errors
    /// Says what is wrong where they are all 0, or their sum is no number.
    pub(super) fn new(weights: impl IntoIterator<Item = f64>) -> Result<Self, NoWeights> {
        let mut sum = 0.0;
        let ends: Vec<f64> = weights
            .into_iter()
            .map(|weight| {
                sum += weight;
                sum
            })
            .collect();
        match sum {
            0.0 => Err(NoWeights::Nothing),
            _ if sum > 0.0 && sum.is_finite() => Ok(Self { ends }),
            _ => Err(NoWeights::TooLarge),
        }
    }

    /// The index to which a number between 0 and 1 leads; never one whose weight is 0.
    pub(super) fn pick(&self, uniform: f64) -> usize {
        let last = self.ends.len() - 1;
        let sum = self.ends[last];
        // A product that is rounded up to the sum itself belongs to the last weight that is not 0.
        let least = self.ends.partition_point(|end| *end < sum);
        self.ends.partition_point(|end| *end <= uniform * sum).min(least)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_moments_of_their_law() {
        const N: u64 = 20_000;
        let mean = |number: &dyn Fn(Numbers) -> f64| {
            (0..N).map(|run| number(Numbers::new(7, run, Use::Rate))).sum::<f64>() / N as f64
        };
        assert!((mean(&|n| n.uniform(0, 0)) - 0.5).abs() < 0.01);
        assert!((mean(&|n| n.uniform(3, 1).powi(2)) - 1.0 / 3.0).abs() < 0.01);
        assert!(mean(&|n| n.normal(0)).abs() < 0.03);
        assert!((mean(&|n| n.normal(0).powi(2)) - 1.0).abs() < 0.04);
        assert!((mean(&|n| n.normal(0).powi(4)) - 3.0).abs() < 0.25);
        // Neighbouring runs, uses and numbers have nothing in common.
        let together = |other: &dyn Fn(u64) -> f64| {
            let pairs = (0..N).map(|run| (Numbers::new(7, run, Use::Rate).uniform(0, 0) - 0.5) * (other(run) - 0.5));
            12.0 * pairs.sum::<f64>() / N as f64
        };
        assert!(together(&|run| Numbers::new(7, run + 1, Use::Rate).uniform(0, 0)).abs() < 0.03);
        assert!(together(&|run| Numbers::new(7, run, Use::Size).uniform(0, 0)).abs() < 0.03);
        assert!(together(&|run| Numbers::new(8, run, Use::Rate).uniform(0, 0)).abs() < 0.03);
        assert!(together(&|run| Numbers::new(7, run, Use::Rate).uniform(0, 1)).abs() < 0.03);
    }

    #[test]
    fn weights_are_honoured() {
        let weights = Weights::new([0.0, 1.0, 0.0, 3.0, 0.0]).expect("they have a sum");
        assert_eq!([0.0, 0.24, 0.26, 0.999_999, 1.0].map(|u| weights.pick(u)), [1, 1, 3, 3, 3]);
        let wrong = |weights: &[f64]| Weights::new(weights.iter().copied()).err();
        assert_eq!([wrong(&[0.0, 0.0]), wrong(&[])], [Some(NoWeights::Nothing); 2]);
        assert_eq!(wrong(&[f64::MAX, f64::MAX]), Some(NoWeights::TooLarge));
    }
}
