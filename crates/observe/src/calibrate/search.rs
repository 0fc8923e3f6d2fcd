//! Differential evolution search of a calibration, and sampling of the plausible region.
//!
//! - Invariant: each point is a pure function of the seed and of the results of earlier
//!   generations.

use lavoxel_base::random::{Draw, Salt, StepKey, normal};

/// Crossover probability of the differential evolution: the chance that a coordinate of a new point
/// comes from the mutant instead of the population member it may replace.
const CROSSED: f64 = 0.9;

/// Smallest and largest differential weight F, the factor on difference vectors in a mutation;
/// drawn uniformly between both.
const FACTORS: [f64; 2] = [0.4, 0.9];

/// Fraction of the population, namely the members with the highest scores, from which a mutation
/// draws its leader (p in JADE).
const LEADERS: f64 = 0.2;

/// Fraction of the runs (repetitions not counted) that belong to the search phase.
const SEARCHED: f64 = 0.6;

/// Standard deviation of the random displacement of points in the spread phase, as a fraction of
/// the search range.
const JITTER: f64 = 0.02;

/// Smallest distance below the best score at which a run still counts as plausible.
const LEAST_MARGIN: f64 = 0.01;

/// Phase of a calibration to which a run belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// Search of the calibration for the run with the highest score.
    Search,
    /// Repetition of the best run with other random seeds, which shows the scatter of its score.
    Repeat,
    /// Sampling of the region of the search space in which runs score as well as the repetitions of
    /// the best run.
    Spread,
}

impl Phase {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Search => "search",
            Self::Repeat => "repeat",
            Self::Spread => "spread",
        }
    }
}

/// Point of the search space: one coordinate per varied scene parameter, from 0 (lower bound) to 1
/// (upper bound), and the phase that chose the point.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Point {
    pub(super) shares: Vec<f64>,
    pub(super) phase: Phase,
}

/// Completed run of a calibration: its point in the search space, and its score, 0 to 1.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Done {
    pub(super) point: Point,
    pub(super) score: f64,
}

/// Settings of the search: random seed, and the counts of varied scene parameters, runs, population
/// members and repetitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Search {
    pub(super) seed: u64,
    pub(super) numbers: usize,
    pub(super) runs: usize,
    pub(super) population: usize,
    pub(super) repeats: usize,
}

impl Search {
    /// Returns the number of runs in the search phase: a multiple of the population size.
    pub(super) fn searched(&self) -> usize {
        let wished =
            SEARCHED * self.runs.saturating_sub(self.repeats) as f64 / self.population as f64;
        (wished.round() as usize).max(1) * self.population
    }

    /// Returns the points of the next generation of runs. `done`: all earlier runs in order. Empty
    /// if all runs are done.
    pub(super) fn next(&self, done: &[Done]) -> Vec<Point> {
        let (first, searched) = (done.len(), self.searched().min(self.runs));
        let left = self.runs - first;
        if first < searched {
            let slots = 0..self.population.min(searched - first);
            let population = self.population_of(done);
            return slots
                .map(|slot| self.searching(first + slot, slot, &population))
                .collect();
        }
        if first < searched + self.repeats {
            let Some(best) = best(done) else {
                return Vec::new();
            };
            let again = Point {
                shares: best.point.shares.clone(),
                phase: Phase::Repeat,
            };
            return vec![again; left.min(searched + self.repeats - first)];
        }
        let plausible: Vec<&[f64]> = plausible(done).map(|done| &*done.point.shares).collect();
        (first..first + left.min(self.population))
            .map(|run| self.spreading(run, &plausible))
            .collect()
    }

    /// Returns the population after the runs `done`: for each population member, the run with the
    /// highest score among the runs made for this member.
    fn population_of<'a>(&self, done: &'a [Done]) -> Vec<&'a Done> {
        let mut slots: Vec<&Done> = Vec::new();
        for (i, trial) in done.iter().enumerate() {
            match slots.get_mut(i % self.population) {
                Some(slot) if trial.score >= slot.score => *slot = trial,
                Some(_) => {}
                None => slots.push(trial),
            }
        }
        slots
    }

    fn searching(&self, run: usize, slot: usize, population: &[&Done]) -> Point {
        let numbers = Numbers::new(self.seed, run);
        let shares = if population.len() < 4 {
            self.first(slot, numbers)
        } else {
            let pick = |use_: usize| population[numbers.below(population.len(), use_)];
            let mut leaders: Vec<&Done> = population.to_vec();
            leaders.sort_by(|a, b| b.score.total_cmp(&a.score));
            let count = ((LEADERS * leaders.len() as f64).ceil() as usize).max(2);
            let (own, leader) = (
                population[slot],
                leaders[numbers.below(count.min(leaders.len()), 0)],
            );
            let (a, b) = (pick(1), pick(2));
            let factor = FACTORS[0] + (FACTORS[1] - FACTORS[0]) * numbers.uniform(3, 0);
            // At least one number comes from the mutant; otherwise the trial could equal its
            // competitor.
            let forced = numbers.below(self.numbers, 4);
            let of = |i: usize, point: &Done| point.point.shares[i];
            let share = |i: usize| {
                if i != forced && numbers.uniform(5, i) >= CROSSED {
                    return of(i, own);
                }
                let drawn = of(i, own)
                    + factor * (of(i, leader) - of(i, own))
                    + factor * (of(i, a) - of(i, b));
                reflected(drawn)
            };
            (0..self.numbers).map(share).collect()
        };
        Point {
            shares,
            phase: Phase::Search,
        }
    }

    /// Returns the coordinates of the population member with index `slot` in the first generation
    /// by Latin hypercube sampling: on each coordinate axis, each of the `population` equal
    /// intervals holds one member.
    fn first(&self, slot: usize, numbers: Numbers) -> Vec<f64> {
        let parts = |i: usize| {
            let order = Numbers::new(self.seed, 0);
            let mut parts: Vec<usize> = (0..self.population).collect();
            parts.sort_by(|a, b| {
                order
                    .uniform(10 + i, *a)
                    .total_cmp(&order.uniform(10 + i, *b))
            });
            parts
        };
        (0..self.numbers)
            .map(|i| (parts(i)[slot] as f64 + numbers.uniform(6, i)) / self.population as f64)
            .collect()
    }

    /// Returns a new point of the spread phase for run number `run`: one of the points `plausible`,
    /// displaced along the difference of two others (a move of differential evolution Monte Carlo,
    /// ter Braak, Statistics and Computing 16, 2006).
    fn spreading(&self, run: usize, plausible: &[&[f64]]) -> Point {
        let numbers = Numbers::new(self.seed, run);
        let pick = |use_: usize| plausible[numbers.below(plausible.len(), use_)];
        let (from, a, b) = (pick(0), pick(1), pick(2));
        let factor = 0.5 + numbers.uniform(3, 0);
        let share =
            |i: usize| reflected(from[i] + factor * (a[i] - b[i]) + JITTER * numbers.normal(i));
        Point {
            shares: (0..self.numbers).map(share).collect(),
            phase: Phase::Spread,
        }
    }
}

/// Returns the run with the highest score, the first if several are equal; repetitions are
/// excluded. `None` if `done` is empty.
pub(super) fn best(done: &[Done]) -> Option<&Done> {
    let runs = done.iter().filter(|done| done.point.phase != Phase::Repeat);
    runs.reduce(|best, run| if run.score > best.score { run } else { best })
}

/// Returns the lowest score of plausible runs: two standard deviations below the mean score of the
/// repetitions, but at least `LEAST_MARGIN` below the best score of the search. `None` if `done`
/// has no run of the search phase.
pub(super) fn least_plausible(done: &[Done]) -> Option<f64> {
    let best = done
        .iter()
        .filter(|done| done.point.phase == Phase::Search)
        .map(|done| done.score)
        .reduce(f64::max)?;
    let again: Vec<f64> = done
        .iter()
        .filter(|done| done.point.phase == Phase::Repeat)
        .map(|done| done.score)
        .collect();
    let count = again.len() as f64;
    let mean = again.iter().sum::<f64>() / count;
    let variance = again
        .iter()
        .map(|score| (score - mean).powi(2))
        .sum::<f64>()
        / (count - 1.0);
    let repeated = if again.len() > 1 {
        mean - 2.0 * variance.sqrt()
    } else {
        best
    };
    Some(repeated.min(best - LEAST_MARGIN))
}

/// Iterates over those runs of `done` whose score is at least `least_plausible(done)`; repetitions
/// are excluded.
pub(super) fn plausible(done: &[Done]) -> impl Iterator<Item = &Done> {
    let least = least_plausible(done).unwrap_or(f64::INFINITY);
    done.iter()
        .filter(move |done| done.point.phase != Phase::Repeat && done.score >= least)
}

/// Maps a coordinate of any finite value into the range 0 to 1 by reflection at 0 and at 1.
fn reflected(share: f64) -> f64 {
    let folded = share.rem_euclid(2.0);
    if folded > 1.0 { 2.0 - folded } else { folded }
}

/// Generator of the random numbers that choose the point of one run.
#[derive(Clone, Copy)]
struct Numbers(StepKey);

impl Numbers {
    fn new(seed: u64, run: usize) -> Self {
        Self(
            Draw {
                seed,
                step: run as u64,
            }
            .key_of(Salt::Search, 0),
        )
    }

    /// Returns a random number, uniform in the open interval (0, 1). `use_`: index of the purpose;
    /// `i`: index of the coordinate or population member. Equal arguments give equal numbers.
    fn uniform(self, use_: usize, i: usize) -> f64 {
        self.0.uniform_at([use_, i, 0])
    }

    fn below(self, count: usize, use_: usize) -> usize {
        ((self.uniform(use_, 0) * count as f64) as usize).min(count - 1)
    }

    fn normal(self, i: usize) -> f64 {
        normal(self.uniform(7, i), self.uniform(8, i))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn search() -> Search {
        Search {
            seed: 5,
            numbers: 2,
            runs: 240,
            population: 16,
            repeats: 6,
        }
    }

    /// Returns the score of a synthetic run: largest at the point (0.3, 0.7), with a narrow ridge
    /// through this point, along which one coordinate compensates the other. Repetitions differ by
    /// up to 0.01 from the score without noise.
    fn score(point: &Point, run: usize) -> f64 {
        let [x, y] = [point.shares[0] - 0.3, point.shares[1] - 0.7];
        let noise = if point.phase == Phase::Repeat {
            0.01 * ((run % 3) as f64 - 1.0)
        } else {
            0.0
        };
        0.9 - 4.0 * (x + y).powi(2) - 0.4 * (x - y).powi(2) + noise
    }

    fn run(search: &Search) -> Vec<Done> {
        let mut done: Vec<Done> = Vec::new();
        loop {
            let points = search.next(&done);
            if points.is_empty() {
                return done;
            }
            let first = done.len();
            done.extend(points.into_iter().enumerate().map(|(i, point)| Done {
                score: score(&point, first + i),
                point,
            }));
        }
    }

    #[test]
    fn the_best_is_found_and_what_is_as_good_is_spread_over() {
        let search = search();
        let done = run(&search);
        assert_eq!(done.len(), 240);
        let found = best(&done).expect("a best");
        assert!(found.score > 0.8999, "{found:?}");
        // The plausible region is an ellipse, long across the ridge; the runs reach all of the
        // ellipse.
        let least = least_plausible(&done).expect("repetitions");
        let half = ((0.9 - least) / 0.4).sqrt() / 2.0;
        let along: Vec<f64> = plausible(&done)
            .map(|d| (d.point.shares[0] - 0.3) - (d.point.shares[1] - 0.7))
            .collect();
        let [low, high] = [
            along.iter().copied().reduce(f64::min),
            along.iter().copied().reduce(f64::max),
        ]
        .map(Option::unwrap);
        assert!(
            low < -1.5 * half && high > 1.5 * half,
            "{low} to {high} of ±{}",
            2.0 * half
        );
        assert!(plausible(&done).count() > 60);
    }

    #[test]
    fn a_generation_follows_from_those_before_it() {
        let (search, done) = (search(), run(&search()));
        assert_eq!(run(&search), done);
        assert_eq!(search.next(&done[..32])[3], done[35].point);
        let first: Vec<_> = done[..16]
            .iter()
            .map(|done| (done.point.shares[0] * 16.0) as usize)
            .collect();
        let mut parts = first.clone();
        parts.sort_unstable();
        assert_eq!(parts, (0..16).collect::<Vec<_>>());
        assert_ne!(run(&Search { seed: 6, ..search }), done);
    }

    #[test]
    fn few_runs_are_a_search_alone() {
        let few = Search {
            runs: 7,
            population: 16,
            repeats: 6,
            ..search()
        };
        assert_eq!(run(&few).len(), 7);
    }
}
