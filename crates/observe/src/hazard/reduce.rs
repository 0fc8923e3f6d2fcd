//! Reduction of all run files to probabilities, quantiles, and one table row per run.
//!
//! Quantiles are computed for one band of columns after the other, so that memory does not grow
//! with the number of runs; each band reads all files once.
//!
//! - Invariant: the result does not depend on the order in which runs were made; probabilities are
//!   sums of weights in the order of the runs' numbers, and quantiles come from sorted values.

use std::cmp::Ordering;
use std::ops::Range;
use std::path::PathBuf;

use super::plan::{Ground, Sample};
use super::record::{Outcome, Reached, RecordError, RunRecord};
use super::weights::{Weights, effective};
use lavoxel_base::memory::MemoryEstimate;
use lavoxel_geo::map::Site;

/// Upper bound on the number of pairs (arrival, thickness) in memory, one pair per run and reached
/// column; limits the number of columns in a band.
const STRIP: usize = 1 << 23;

/// Memory in bytes of one pair (arrival, thickness), each with the weight of its run.
const BYTES_A_PAIR: f64 = 16.0;

/// Slack of sums of weights against the rounding of products with a probability.
const SLACK: f64 = 1e-9;

/// Run files of one plan that the maps summarise.
#[derive(Clone, Debug)]
pub struct RunFiles {
    /// Folder that contains the run files.
    pub folder: PathBuf,
    /// Fingerprint of the plan; each run file of the plan states the same one.
    pub fingerprint: u128,
    /// Number of columns of the simulation box.
    pub columns: usize,
    /// Numbers of the runs that have a file, in ascending order.
    pub runs: Vec<u64>,
    /// Weights of the runs.
    pub weights: Weights,
}

impl RunFiles {
    /// Calls `use_it` with the record and the weight of each run that is not rejected.
    pub(super) fn for_each_weighted(
        &self,
        mut use_it: impl FnMut(&RunRecord, f64),
    ) -> Result<(), RecordError> {
        self.for_each(|record, at| match self.weights.of(at) {
            0.0 => {}
            weight => use_it(record, weight),
        })
    }

    /// Calls `use_it` with the record and the index of each run.
    pub(super) fn for_each(
        &self,
        mut use_it: impl FnMut(&RunRecord, usize),
    ) -> Result<(), RecordError> {
        for (at, run) in self.runs.iter().enumerate() {
            // A file that was removed in the meantime is skipped.
            if let Some(record) =
                RunRecord::read(&self.folder, *run, self.fingerprint, self.columns)?
            {
                use_it(&record, at);
            }
        }
        Ok(())
    }
}

/// Settings by which runs are summarised in maps.
#[derive(Clone, Debug, PartialEq)]
pub struct Reduction {
    /// Inundation threshold in metres: a run inundates a column if its largest thickness there
    /// exceeds the threshold.
    pub above_m: f64,
    /// Probabilities (0 to 1) of the quantiles of arrival and thickness to be mapped, ascending.
    pub quantiles: Vec<f64>,
    /// Times in seconds from the start of the eruption, ascending; for each time t, a map of the
    /// probability that lava arrives before t is written.
    pub before_s: Vec<f64>,
    /// Mean number of eruptions per year, for the map of annual inundation probability; `None`: no
    /// such map.
    pub annual: Option<f64>,
}

impl Reduction {
    /// Number of maps that a study writes.
    pub(super) fn maps(&self) -> usize {
        let of_time = self.before_s.len() + usize::from(self.annual.is_some());
        2 + 2 * self.quantiles.len() + of_time
    }
}

/// Quantiles of arrival or thickness in each column, over those runs that inundate the column.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantiles {
    /// Values with the axes (quantile, column); NaN in columns that no run inundates.
    pub maps: Vec<Vec<f32>>,
}

/// Statistics over all runs of a hazard study, from which the maps are written.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// Results of each run, sorted by run number.
    pub rows: Vec<RunRow>,
    /// Number of runs that inundate each column, row-major.
    pub counts: Vec<u32>,
    /// Sum of the weights of the runs that inundate each column, row-major.
    pub hits: Vec<f64>,
    /// Sum of the weights of the runs in which lava arrives in a column before a time of
    /// `Reduction::before_s`; axes (time, column).
    pub before: Vec<Vec<f64>>,
    /// Quantiles of the arrival time of lava, in seconds from the start of the eruption.
    pub arrival_s: Quantiles,
    /// Quantiles of the largest thickness of lava over a run, in metres.
    pub thickness_m: Quantiles,
    /// Largest thickness of each column over all runs, in metres; NaN in columns that no run
    /// inundates.
    pub thickest_m: Vec<f32>,
}

/// Results of one run, as a row of the table of runs.
#[derive(Clone, Debug, PartialEq)]
pub struct RunRow {
    /// Sampled parameters of the run.
    pub sample: Sample,
    /// Outcome of the run's simulation.
    pub outcome: Outcome,
    /// Weight of the run in the maps, relative to other runs.
    pub weight: f64,
    /// Fit of the run to each observed outline, 0 to 1.
    pub fits: Vec<f64>,
    /// Area that the run inundates, in m².
    pub area_m2: f64,
    /// Greatest straight-line distance from the vent to the centre of an inundated column, in
    /// metres.
    pub reach_m: f64,
    /// Largest thickness of lava in any column during the run, in metres.
    pub thickest_m: f64,
    /// Elevation of the lowest ground that the run inundates, in metres; `None` if the run
    /// inundates nothing.
    pub lowest_m: Option<f64>,
}

impl RunRow {
    fn new(
        record: &RunRecord,
        (weight, fits): (f64, &[f64]),
        above_m: f64,
        ground: &Ground,
    ) -> Self {
        let Site {
            cell_size_m: cell,
            grid,
            floor_m,
            ..
        } = ground.site;
        let [x, z] = record.sample.vent_m.map(|metres| metres / cell);
        let (mut columns, mut reach, mut thickest, mut lowest) =
            (0_usize, 0.0_f64, 0.0_f64, f64::INFINITY);
        for reached in record
            .reached()
            .filter(|reached| f64::from(reached.thickness_m) > above_m)
        {
            let (col, row) = (
                (reached.column % grid.nx) as f64 + 0.5,
                (reached.column / grid.nx) as f64 + 0.5,
            );
            columns += 1;
            reach = reach.max((col - x).hypot(row - z));
            thickest = thickest.max(f64::from(reached.thickness_m));
            lowest = lowest.min(ground.flow().column(reached.column).ground_m);
        }
        Self {
            sample: record.sample,
            outcome: record.outcome.clone(),
            weight,
            fits: fits.to_vec(),
            area_m2: columns as f64 * cell * cell,
            reach_m: reach * cell,
            thickest_m: thickest,
            lowest_m: lowest.is_finite().then_some(floor_m + lowest),
        }
    }
}

impl Summary {
    /// Reads all run files and computes the statistics over all runs.
    ///
    /// # Errors
    /// [`RecordError`] for a file that cannot be read or is not of this plan.
    pub fn from_runs(
        files: &RunFiles,
        reduction: &Reduction,
        ground: &Ground,
    ) -> Result<Self, RecordError> {
        Self::by_strips(files, reduction, ground, STRIP)
    }

    fn by_strips(
        files: &RunFiles,
        reduction: &Reduction,
        ground: &Ground,
        most: usize,
    ) -> Result<Self, RecordError> {
        let above_m = reduction.above_m;
        // The first pass counts runs per column, from which the strips of the quantiles are sized.
        let none = || vec![f32::NAN; files.columns];
        let empty = || Quantiles {
            maps: reduction.quantiles.iter().map(|_| none()).collect(),
        };
        let mut all = Self {
            rows: Vec::with_capacity(files.runs.len()),
            counts: vec![0; files.columns],
            hits: vec![0.0; files.columns],
            before: reduction
                .before_s
                .iter()
                .map(|_| vec![0.0; files.columns])
                .collect(),
            arrival_s: empty(),
            thickness_m: empty(),
            thickest_m: none(),
        };
        files.for_each(|record, at| {
            let weight = files.weights.of(at);
            let seen = (weight, files.weights.fits_of(at));
            all.rows.push(RunRow::new(record, seen, above_m, ground));
            let counts =
                |reached: &Reached| weight > 0.0 && f64::from(reached.thickness_m) > above_m;
            for reached in record.reached().filter(counts) {
                all.counts[reached.column] += 1;
                all.hits[reached.column] += weight;
                for (before, time_s) in all.before.iter_mut().zip(&reduction.before_s) {
                    if f64::from(reached.arrival_s) < *time_s {
                        before[reached.column] += weight;
                    }
                }
                let thickest = &mut all.thickest_m[reached.column];
                *thickest = thickest.max(reached.thickness_m);
            }
        })?;
        if !reduction.quantiles.is_empty() {
            for strip in strips(&all.counts, most) {
                all.add_strip(strip, files, reduction)?;
            }
        }
        Ok(all)
    }

    /// Computes the quantiles of arrival and thickness in the columns with the indices `strip` and
    /// stores them in `self`.
    fn add_strip(
        &mut self,
        strip: Range<usize>,
        files: &RunFiles,
        reduction: &Reduction,
    ) -> Result<(), RecordError> {
        // Counting-sort layout: the counts give each column a fixed slice, filled in a single pass
        // over the files.
        let mut starts = vec![0; strip.len() + 1];
        for (i, count) in self.counts[strip.clone()].iter().enumerate() {
            starts[i + 1] = starts[i] + *count as usize;
        }
        let (mut next, total) = (starts.clone(), starts[strip.len()]);
        let none = || vec![Weighted::default(); total];
        let (mut arrivals, mut thicknesses) = (none(), none());
        files.for_each_weighted(|record, weight| {
            let weight = weight as f32;
            let inside = record
                .reached()
                .filter(|reached| strip.contains(&reached.column));
            for reached in
                inside.filter(|reached| f64::from(reached.thickness_m) > reduction.above_m)
            {
                let next = &mut next[reached.column - strip.start];
                arrivals[*next] = Weighted::new(reached.arrival_s, weight);
                thicknesses[*next] = Weighted::new(reached.thickness_m, weight);
                *next += 1;
            }
        })?;
        for (column, pair) in strip
            .zip(starts.windows(2))
            .filter(|(_, pair)| pair[0] < pair[1])
        {
            for (numbers, maps) in [
                (&mut arrivals, &mut self.arrival_s),
                (&mut thicknesses, &mut self.thickness_m),
            ] {
                let numbers = &mut numbers[pair[0]..pair[1]];
                numbers.sort_unstable_by(Weighted::order);
                for (map, quantile) in maps.maps.iter_mut().zip(&reduction.quantiles) {
                    map[column] = at_quantile(numbers, *quantile);
                }
            }
        }
        Ok(())
    }

    /// Returns the inundation probability of each column, 0 to 1.
    pub fn probability(&self) -> Vec<f32> {
        self.shares(&self.hits)
    }

    /// Converts `sums`, each a sum of weights of runs, to fractions of the weight of all runs, 0
    /// to 1.
    pub fn shares(&self, sums: &[f64]) -> Vec<f32> {
        let all = self.weight();
        sums.iter().map(|sum| (sum / all) as f32).collect()
    }

    /// Returns the sum of the weights of all runs, at least 1: that of the run that fits best.
    fn weight(&self) -> f64 {
        self.rows.iter().map(|row| row.weight).sum::<f64>().max(1.0)
    }

    /// Returns the mean of the quantity `of` over all runs, by their weights.
    pub fn mean(&self, of: impl Fn(&RunRow) -> f64) -> f64 {
        let sum: f64 = self.rows.iter().map(|row| row.weight * of(row)).sum();
        sum / self.weight()
    }

    /// Returns the effective number of runs: that of equally weighted runs whose means vary as
    /// much.
    pub fn effective_runs(&self) -> f64 {
        effective(self.rows.iter().map(|row| row.weight))
    }

    /// Returns the number of columns that are inundated with a probability of at least `share`.
    pub fn columns_from(&self, share: f64) -> usize {
        let least = share * self.weight() - SLACK;
        let columns = self.counts.iter().zip(&self.hits);
        columns
            .filter(|(count, hits)| **count > 0 && **hits >= least)
            .count()
    }

    /// Estimates the memory for summarising `runs` runs on `columns` columns, including the reading
    /// of files.
    pub fn need(columns: usize, runs: u64, reduction: &Reduction) -> MemoryEstimate {
        // Bytes per column: counts and hits, starts of a strip twice, largest thickness, one record being
        // read, two maps per quantile, one map per time.
        let maps = 8.0 * (reduction.quantiles.len() + reduction.before_s.len()) as f64;
        let each = 12.0 + 2.0 * 8.0 + 4.0 + 3.0 * 13.0 + maps;
        let (runs, strip) = (
            runs as usize,
            STRIP.min(columns.saturating_mul(runs as usize)),
        );
        MemoryEstimate::new("the maps of the runs", columns, each)
            .and(MemoryEstimate::new(
                "the strip of the runs",
                strip,
                BYTES_A_PAIR,
            ))
            .and(MemoryEstimate::new(
                "the table of the runs",
                runs,
                size_of::<RunRow>() as f64,
            ))
    }
}

/// Splits the columns into consecutive bands with at most `most` pairs each and returns their index
/// ranges. `counts`: number of pairs (one per run) of each column; a column with more pairs than
/// `most` is a band of its own.
fn strips(counts: &[u32], most: usize) -> Vec<Range<usize>> {
    let (mut strips, mut start, mut held) = (Vec::new(), 0, 0);
    for (column, count) in counts.iter().enumerate() {
        let count = *count as usize;
        if held + count > most && held > 0 {
            strips.push(start..column);
            (start, held) = (column, 0);
        }
        held += count;
    }
    strips.push(start..counts.len());
    strips
}

/// Value of a run, with the weight of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Weighted {
    value: f32,
    weight: f32,
}

impl Weighted {
    pub(super) fn new(value: f32, weight: f32) -> Self {
        Self { value, weight }
    }

    /// Orders by value; equal values by weight, so that the order of the runs changes nothing.
    pub(super) fn order(&self, other: &Self) -> Ordering {
        let values = self.value.total_cmp(&other.value);
        values.then(self.weight.total_cmp(&other.weight))
    }
}

/// Returns the quantile of `sorted` (ascending by value) at the probability `quantile` (0 to 1):
/// the smallest value such that the elements up to it have at least this fraction of all weight.
pub(super) fn at_quantile(sorted: &[Weighted], quantile: f64) -> f32 {
    let weight = |one: &Weighted| f64::from(one.weight);
    let least = quantile * sorted.iter().map(weight).sum::<f64>() - SLACK;
    let mut sum = 0.0;
    let found = sorted.iter().find(|one| {
        sum += weight(one);
        sum >= least
    });
    found.or(sorted.last()).map_or(f32::NAN, |one| one.value)
}

/// Returns the sum of the weights of those elements of `numbers` whose value is below `limit`.
pub(super) fn weight_below(numbers: &[Weighted], limit: f64) -> f64 {
    let below = numbers.iter().filter(|one| f64::from(one.value) < limit);
    // The sum of no numbers is −0.
    below.fold(0.0, |sum, one| sum + f64::from(one.weight))
}

#[cfg(test)]
mod tests {
    use super::super::record::tests::record;
    use super::*;
    use lavoxel_automaton::engine::tiled::Tiled;
    use lavoxel_automaton::rules::RulesSpec;
    use lavoxel_automaton::world::World;
    use lavoxel_base::grid::Grid;
    use lavoxel_base::random::mix64;
    use lavoxel_flow::{FlowBox, FlowSetup, Lava};
    use lavoxel_scene::scene::BuiltScene;
    use lavoxel_sim::simulation::Simulation;
    use lavoxel_sim::state::State;

    fn ground() -> Ground {
        let space = FlowBox {
            nx: 10,
            ny: 20,
            nz: 6,
            dx_m: 10.0,
            dz_m: 2.0,
        };
        let setup = FlowSetup {
            lava: Lava::default(),
            step_s: 10.0,
            open_sides: true,
            seed: 1,
            heaters: Vec::new(),
        };
        let heights: Vec<f64> = (0..60)
            .map(|column| 20.0 - f64::from(column / 10))
            .collect();
        let site = Site {
            grid: Grid::new(10, 20, 6),
            cell_size_m: 10.0,
            floor_m: 100.0,
            vertical_exaggeration: 5.0,
            georeference: None,
        };
        let flow = Flow::new(space, setup, &heights).expect("right");
        let world = World::new(lavoxel_automaton::world::Ground::none(site.grid));
        let simulation = Simulation::new(
            State::from(world).with_flow(flow),
            &RulesSpec::default(),
            &[],
            1,
            Box::new(Tiled::default()),
        );
        Ground::new(
            BuiltScene {
                simulation,
                site,
                notes: Vec::new(),
            },
            1,
            Default::default(),
        )
        .expect("it has a flow")
    }

    use lavoxel_flow::Flow;

    fn files(folder: &tempfile::TempDir, records: &[RunRecord]) -> RunFiles {
        records.iter().for_each(|record| {
            std::fs::write(
                RunRecord::path(folder.path(), record.sample.run),
                record.bytes(9),
            )
            .expect("written")
        });
        let runs = records.iter().map(|record| record.sample.run).collect();
        RunFiles {
            folder: folder.path().to_owned(),
            fingerprint: 9,
            columns: 60,
            runs,
            weights: Weights::default(),
        }
    }

    #[test]
    fn quantiles_are_numbers_that_came_up() {
        let equal = |value: u8| Weighted::new(value.into(), 1.0);
        let sorted: Vec<_> = (1..=10).map(equal).collect();
        let of = |quantile| at_quantile(&sorted, quantile);
        assert_eq!(
            [0.0, 0.1, 0.11, 0.5, 0.9, 1.0].map(of),
            [1.0, 1.0, 2.0, 5.0, 9.0, 10.0]
        );
        assert_eq!(at_quantile(&[equal(7)], 0.5), 7.0);
        // A run of three times the weight counts as three runs.
        let heavy = [(1.0, 1.0), (2.0, 3.0), (3.0, 1.0)].map(|(v, w)| Weighted::new(v, w));
        let of = |quantile| at_quantile(&heavy, quantile);
        assert_eq!(
            [0.0, 0.2, 0.21, 0.8, 0.81, 1.0].map(of),
            [1.0, 1.0, 2.0, 2.0, 3.0, 3.0]
        );
        assert_eq!(weight_below(&heavy, 3.0), 4.0);
    }

    #[test]
    fn runs_become_probabilities_quantiles_and_rows() {
        let folder = tempfile::tempdir().expect("a folder");
        let records = [
            record(0, &[(10, 0.0, 2.0), (11, 30.0, 1.0), (35, 60.0, 0.5)]),
            record(1, &[(10, 0.0, 3.0), (11, 10.0, 0.02)]),
            record(2, &[(10, 5.0, 1.0), (11, 20.0, 4.0)]),
        ];
        let (files, ground) = (files(&folder, &records), ground());
        let reduction = Reduction {
            above_m: 0.05,
            quantiles: vec![0.1, 0.5, 1.0],
            before_s: vec![15.0, 60.0],
            annual: None,
        };
        let all = Summary::from_runs(&files, &reduction, &ground).expect("right");
        let at = |map: &[f32]| [10, 11, 35, 12].map(|column| map[column]);
        assert_eq!(at(&all.probability())[..3], [1.0, 2.0 / 3.0, 1.0 / 3.0]);
        // The arrival at column 11 after 10 s is of a film too thin to count; nothing reached
        // column 35 before 60 s.
        assert_eq!(
            [10, 11, 35].map(|column| all.before[0][column]),
            [3.0, 0.0, 0.0]
        );
        assert_eq!(
            [10, 11, 35].map(|column| all.before[1][column]),
            [3.0, 2.0, 0.0]
        );
        assert_eq!(at(&all.arrival_s.maps[1])[..3], [0.0, 20.0, 60.0]);
        assert_eq!(at(&all.arrival_s.maps[2])[..3], [5.0, 30.0, 60.0]);
        assert_eq!(at(&all.thickness_m.maps[0])[..3], [1.0, 1.0, 0.5]);
        assert_eq!(at(&all.thickest_m)[..3], [3.0, 4.0, 0.5]);
        assert!(at(&all.thickness_m.maps[0])[3].is_nan() && at(&all.thickest_m)[3].is_nan());
        // The vent is in the middle of column 10; column 35 lies five cells east and two south.
        assert_eq!(
            (
                all.rows[0].area_m2,
                all.rows[0].thickest_m,
                all.rows[1].area_m2
            ),
            (300.0, 2.0, 100.0)
        );
        assert!((all.rows[0].reach_m - 10.0 * 5f64.hypot(2.0)).abs() < 1e-9);
        let lowest = all.rows[0].lowest_m.expect("it covers something");
        assert!((lowest - 117.0).abs() < 1e-3, "{lowest}");
        assert_eq!(
            [0.0, 0.4, 1.0].map(|share| all.columns_from(share)),
            [3, 2, 1]
        );
        // Another threshold changes the columns.
        let thick = Summary::from_runs(
            &files,
            &Reduction {
                above_m: 1.5,
                quantiles: vec![],
                before_s: vec![],
                annual: None,
            },
            &ground,
        )
        .expect("right");
        assert_eq!(
            (thick.counts[10], thick.counts[11], thick.counts[35]),
            (2, 1, 0)
        );
    }

    #[test]
    fn strips_of_any_size_give_the_same() {
        let folder = tempfile::tempdir().expect("a folder");
        let number = |run: u64, column: usize| mix64(run * 1000 + column as u64);
        let of_run = |run| {
            let columns = (0..60).filter(|column| number(run, *column) % 3 == 0);
            let reached: Vec<_> = columns
                .map(|c| {
                    (
                        c,
                        (number(run, c) >> 50) as f32,
                        (number(run, c) >> 60) as f32,
                    )
                })
                .collect();
            record(run, &reached)
        };
        let files = files(&folder, &(0..17).map(of_run).collect::<Vec<_>>());
        let reduction = Reduction {
            above_m: 0.5,
            quantiles: vec![0.25, 0.75],
            before_s: vec![],
            annual: None,
        };
        let words = |most| {
            format!(
                "{:?}",
                Summary::by_strips(&files, &reduction, &ground(), most).expect("right")
            )
        };
        let whole = words(usize::MAX);
        for most in [1, 7, 100] {
            assert_eq!(words(most), whole, "{most}");
        }
        let counts = [3, 0, 5, 2, 9, 1];
        assert_eq!(strips(&counts, 8), [0..3, 3..4, 4..5, 5..6]);
        assert_eq!(
            strips(&counts, 100),
            std::iter::once(0..6).collect::<Vec<_>>()
        );
    }
}
