//! Random numbers of a run of a hazard study.
//!
//! - Invariant: each number is a pure function of the seed, the run number and the use, so that a
//!   run is the same whichever other runs are made, in any order and on any number of threads.

use lavoxel_base::random::{Draw, Salt, StepKey, normal};

/// Purpose of a random number in a run. The discriminants determine every sample and must not
/// change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    /// Random number that chooses the vent feature (point, line or polygon).
    Feature = 0,
    /// Random numbers that choose the position of the vent within the chosen feature.
    Place = 1,
    /// Random number that gives the mean effusion rate of the eruption.
    Rate = 2,
    /// Random number that gives the volume or the duration of the eruption.
    Size = 3,
    /// Random number that gives the seed of the run's simulation.
    Seed = 4,
    /// Random number that gives the seed of the heightmap error.
    Survey = 5,
}

/// Purpose index of the first drawn scene parameter; smaller purpose indices are the discriminants
/// of `Use`.
const FIRST_NUMBER: u64 = 16;

/// Generator of the random numbers of one run for one purpose.
#[derive(Clone, Copy, Debug)]
pub(super) struct Numbers(StepKey);

impl Numbers {
    /// Creates the generator of run `run` for the purpose `used_for`; `seed`: seed of the plan.
    pub(super) fn new(seed: u64, run: u64, used_for: Use) -> Self {
        Self(Draw { seed, step: run }.key_of(Salt::Hazard, used_for as u64))
    }

    /// Creates the generator of run `run` for the drawn scene parameter with the index `place` in
    /// the plan; `seed`: seed of the plan.
    pub(super) fn of_number(seed: u64, run: u64, place: usize) -> Self {
        Self(Draw { seed, step: run }.key_of(Salt::Hazard, FIRST_NUMBER + place as u64))
    }

    /// Returns a random number, uniform in the open interval (0, 1). `i` (below 2²¹) and `row` are
    /// counters: equal values give equal numbers.
    pub(super) fn uniform(self, i: usize, row: usize) -> f64 {
        self.0.uniform_at([i, row, 0])
    }

    /// Returns a random number with the standard normal distribution; equal values of the counter
    /// `i` give equal numbers.
    pub(super) fn normal(self, i: usize) -> f64 {
        normal(self.uniform(i, 0), self.uniform(i, 1))
    }

    /// Returns a random whole number of 32 bits, 0 to 2³² − 1.
    pub(super) fn bits(self) -> u64 {
        self.0.number() >> 32
    }
}

/// Discrete distribution over the indices of a list of weights.
#[derive(Clone, Debug)]
pub(super) struct Weights {
    /// Cumulative weights: entry i is the sum of the weights with the indices 0 to i.
    ends: Vec<f64>,
}

/// Reason why a list of weights gives no distribution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoWeights {
    /// All weights of the list are 0 or less, or the list is empty.
    Nothing,
    /// The sum of the weights in the list is not finite.
    TooLarge,
}

impl NoWeights {
    /// Returns the reason as a text for messages; `nothing` is the text for `NoWeights::Nothing`.
    pub(super) fn words(self, nothing: &str) -> String {
        match self {
            Self::Nothing => nothing.to_owned(),
            Self::TooLarge => {
                "has weights whose sum is too large for a number; divide all by the same".to_owned()
            }
        }
    }
}

impl Weights {
    /// Creates the distribution in which the index i has a probability proportional to weight i of
    /// `weights`, each ≥ 0.
    ///
    /// # Errors
    /// When all weights are 0, or their sum is not finite.
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

    /// Returns the index at the quantile `uniform` (0 to 1) of the distribution; the weight of this
    /// index is never 0.
    pub(super) fn pick(&self, uniform: f64) -> usize {
        let last = self.ends.len() - 1;
        let sum = self.ends[last];
        // Rounding can lift the product to the sum itself; such a number belongs to the last weight
        // above 0.
        let least = self.ends.partition_point(|end| *end < sum);
        self.ends
            .partition_point(|end| *end <= uniform * sum)
            .min(least)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_moments_of_their_law() {
        const N: u64 = 20_000;
        let mean = |number: &dyn Fn(Numbers) -> f64| {
            (0..N)
                .map(|run| number(Numbers::new(7, run, Use::Rate)))
                .sum::<f64>()
                / N as f64
        };
        assert!((mean(&|n| n.uniform(0, 0)) - 0.5).abs() < 0.01);
        assert!((mean(&|n| n.uniform(3, 1).powi(2)) - 1.0 / 3.0).abs() < 0.01);
        assert!(mean(&|n| n.normal(0)).abs() < 0.03);
        assert!((mean(&|n| n.normal(0).powi(2)) - 1.0).abs() < 0.04);
        assert!((mean(&|n| n.normal(0).powi(4)) - 3.0).abs() < 0.25);
        // Neighbouring runs, uses and numbers are uncorrelated.
        let together = |other: &dyn Fn(u64) -> f64| {
            let pairs = (0..N).map(|run| {
                (Numbers::new(7, run, Use::Rate).uniform(0, 0) - 0.5) * (other(run) - 0.5)
            });
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
        assert_eq!(
            [0.0, 0.24, 0.26, 0.999_999, 1.0].map(|u| weights.pick(u)),
            [1, 1, 3, 3, 3]
        );
        let wrong = |weights: &[f64]| Weights::new(weights.iter().copied()).err();
        assert_eq!(
            [wrong(&[0.0, 0.0]), wrong(&[])],
            [Some(NoWeights::Nothing); 2]
        );
        assert_eq!(wrong(&[f64::MAX, f64::MAX]), Some(NoWeights::TooLarge));
    }
}
