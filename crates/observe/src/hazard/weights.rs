//! Weights of runs by how well their lava fits outlines that were observed.
//!
//! The weight of a run is exp(−½ Σ ((1 − f) / h)²) over all outlines, with the fit f = √(∩/∪) of
//! the outline and of the run's lava at the time of the outline, and the width h of the kernel: an
//! informal likelihood (Beven and Binley 1992, *The future of distributed models*, Hydrol. Process.
//! 6, 279–298). As there, runs that fit badly are rejected: those with less than a thousandth of the
//! weight of the best run get none. The effective number of runs is (Σ w)² / Σ w² (Kish 1965, *Survey Sampling*).
//!
//! - Invariant: without outlines each weight is 1, so that sums of weights are counts.

use super::record::{RecordError, RunRecord};
use super::reduce::RunFiles;
use crate::compare::{DatedFile, Outline};
use lavoxel_base::memory::MemoryEstimate;
use lavoxel_base::validate::escape_for_terminal;
use lavoxel_geo::map::Site;
use lavoxel_scene::scene::{Seconds, unix_seconds};

/// Effective number of runs below which maps of weighted runs get a warning.
pub(super) const FEW: f64 = 10.0;

/// Smallest weight of a run that is not rejected, relative to that of the run that fits best.
const LEAST: f64 = 1e-3;

/// Outlines of the lava that were observed, and the width of the kernel of the weights.
#[derive(Clone, Debug)]
pub(super) struct Observations {
    outlines: Vec<Dated>,
    width: f64,
}

#[derive(Clone, Debug)]
struct Dated {
    /// Time of the outline in seconds since the start of the eruption; infinite for an outline of
    /// the final lava.
    time_s: f64,
    outline: Outline,
}

/// Weights of the runs of a study, in the order of their files.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Weights {
    /// Weight of each run: 1 for the run that fits best, 0 for a rejected run; empty without
    /// observed outlines.
    of_runs: Vec<f64>,
    /// Fit (0 to 1) of each run to each outline; axes (run, outline).
    fits: Vec<Vec<f64>>,
}

impl Observations {
    /// Reads the outlines `files`, each a text `FILE` or `FILE@TIME`. `began`: date of the start of
    /// the eruption, which dates in `files` need; `width`: width of the kernel; `above_m`: value
    /// above which a cell of a raster is lava. Returns a message that names the flag at fault.
    pub(super) fn read(
        files: &[String],
        began: Option<&str>,
        width: f64,
        (site, above_m): (&Site, f64),
    ) -> Result<Self, String> {
        if !(width > 0.0 && width <= 1.0) {
            return Err(format!(
                "--kernel {width}: must be a number above 0, at most 1"
            ));
        }
        let date = |text: &str| {
            let wrong = || {
                format!(
                    "--began {}: must be a date such as 2026-03-04T12:00",
                    escape_for_terminal(text)
                )
            };
            unix_seconds(text).ok_or_else(wrong)
        };
        let began = began.map(date).transpose()?;
        let read = |text: &String| {
            let named =
                |fault: String| format!("--observed {}: {fault}", escape_for_terminal(text));
            let missing = "a date needs the start of the eruption: pass --began 2026-03-01T06:00, or the time since then, such as @3d";
            let file = DatedFile::parse(text, began).map_err(|fault| {
                named(match began {
                    None if fault.starts_with("a date") => missing.to_owned(),
                    _ => fault,
                })
            })?;
            Ok(Dated {
                time_s: file.at.map_or(f64::INFINITY, |Seconds(at)| at),
                outline: Outline::read(&file.path, site, above_m)
                    .map_err(|fault| format!("--observed: {fault}"))?,
            })
        };
        Ok(Self {
            outlines: files.iter().map(read).collect::<Result<_, String>>()?,
            width,
        })
    }

    /// Estimates the memory of the outlines on `columns` columns, and of the weights of `runs` runs.
    pub(super) fn need(&self, columns: usize, runs: u64) -> MemoryEstimate {
        let outlines = self.outlines.len();
        MemoryEstimate::new("the observed outlines", columns, outlines as f64).and(
            MemoryEstimate::new(
                "the weights of the runs",
                runs as usize,
                (8 * (2 * outlines + 1) + 48) as f64,
            ),
        )
    }

    /// Reads all run files and returns the weights of their runs. `above_m`: thickness in metres
    /// above which a column counts as covered.
    pub(super) fn weights(&self, files: &RunFiles, above_m: f64) -> Result<Weights, RecordError> {
        if self.outlines.is_empty() {
            return Ok(Weights::default());
        }
        let mut fits = Vec::with_capacity(files.runs.len());
        files.for_each(|record, _| {
            fits.push(
                self.outlines
                    .iter()
                    .map(|dated| dated.fit(record, above_m))
                    .collect(),
            )
        })?;
        Ok(Weights::from_fits(fits, self.width))
    }
}

impl Dated {
    fn fit(&self, record: &RunRecord, above_m: f64) -> f64 {
        let lava = record.reached().filter(|reached| {
            f64::from(reached.thickness_m) > above_m && f64::from(reached.arrival_s) <= self.time_s
        });
        self.outline.fit(lava.map(|reached| reached.column))
    }
}

impl Weights {
    fn from_fits(fits: Vec<Vec<f64>>, width: f64) -> Self {
        let misfit = |of_run: &Vec<f64>| {
            let squares = of_run.iter().map(|fit| ((1.0 - fit) / width).powi(2));
            squares.sum::<f64>()
        };
        // Only ratios of weights count, and those of the best runs must not underflow.
        let least = fits.iter().map(misfit).fold(f64::INFINITY, f64::min);
        let weight = |of_run| {
            let weight = libm::exp(-0.5 * (misfit(of_run) - least));
            if weight < LEAST { 0.0 } else { weight }
        };
        Self {
            of_runs: fits.iter().map(weight).collect(),
            fits,
        }
    }

    /// Returns the weight of the run with the index `at` in the list of run files.
    pub(super) fn of(&self, at: usize) -> f64 {
        self.of_runs.get(at).copied().unwrap_or(1.0)
    }

    /// Returns the fits of the run with the index `at` to all outlines.
    pub(super) fn fits_of(&self, at: usize) -> &[f64] {
        self.fits.get(at).map_or(&[], Vec::as_slice)
    }
}

/// Returns the effective number of runs with the weights `weights`.
pub(super) fn effective(weights: impl Iterator<Item = f64>) -> f64 {
    let [sum, squares] = weights.fold([0.0, 0.0], |[sum, squares], weight| {
        [sum + weight, squares + weight * weight]
    });
    if squares > 0.0 {
        sum * sum / squares
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_run_that_fits_best_weighs_most_however_bad_all_are() {
        let weights = Weights::from_fits(vec![vec![0.9], vec![0.8], vec![0.1]], 0.1);
        assert_eq!(weights.of(2), 0.0);
        let ratio = |a: usize, b: usize| weights.of(a) / weights.of(b);
        assert!((ratio(0, 1) - (0.5_f64 * (4.0 - 1.0)).exp()).abs() < 1e-9);
        assert_eq!(weights.of(0), 1.0);
        let bad = Weights::from_fits(vec![vec![0.001], vec![0.0]], 1e-3);
        assert_eq!((bad.of(0), bad.of(1)), (1.0, 0.0));
    }

    #[test]
    fn equal_weights_count_whole_and_unequal_ones_less() {
        assert_eq!(effective([1.0; 7].into_iter()), 7.0);
        assert!((effective([1.0, 1.0, 0.0].into_iter()) - 2.0).abs() < 1e-12);
        assert!(effective([1.0, 0.1, 0.1].into_iter()) < 1.5);
        assert_eq!(effective(std::iter::empty()), 0.0);
    }
}
