//! Results of a calibration as text, JSON, table and plots.

use std::fmt::Write as _;
use std::path::PathBuf;

use serde::Serialize;

use super::record::RunFile;
use super::search::{Done, Phase, best, least_plausible, plausible};
use super::space::Vary;
use super::trial::Trials;
use crate::plot::{Axis, Page, Plot};
use crate::study::{Folder, StudyError};
use lavoxel_base::words::short;
use lavoxel_files::table::quoted;
use lavoxel_scene::scene::Scene;

/// Absolute correlation, 0 to 1, above which the report names two scene parameters that compensate
/// each other.
const TRADES: f64 = 0.7;

/// Distance from a search bound, as a fraction of the search range, within which the report counts
/// a value as lying on the bound.
const AT_BOUND: f64 = 0.02;

/// Names of the result files that a calibration writes to its folder.
pub(super) const WRITTEN: [&str; 5] = [
    "best.toml",
    "calibration.json",
    "calibration.md",
    "profiles.svg",
    "trace.csv",
];

/// Number of significant digits with which the report prints values of scene parameters.
const DIGITS: i32 = 4;

/// Caution against use as a forecast that every report of a calibration prints.
const NO_FORECAST: &str =
    "A fit, not a forecast: the numbers were chosen for what they are judged by.";

/// Results of a calibration; serialisable, and printable as [text](Report::text).
#[derive(Debug, Serialize)]
pub struct Report {
    runs: usize,
    /// Number of runs for which no scene could be built, because the values of the varied scene
    /// parameters contradict each other.
    faults: usize,
    best_run: usize,
    score: f64,
    observed: Vec<Scored>,
    /// Scores of the best run against the observations withheld from the search.
    checked: Vec<Scored>,
    /// Score of the best run on each grid, if there are several; `score` is their mean.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    grids: Vec<f64>,
    numbers: Vec<Number>,
    plausible_runs: usize,
    least_plausible_score: f64,
    repeated_mean: Option<f64>,
    repeated_deviation: Option<f64>,
    trades: Vec<Trade>,
    processor_seconds: f64,
    /// Assumptions made while the files of the scene were read, one sentence each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
    note: &'static str,
}

#[derive(Debug, Serialize)]
struct Scored {
    name: String,
    score: f64,
}

/// Result for one varied scene parameter: value in the best run, and range of the values in
/// plausible runs.
#[derive(Debug, Serialize)]
struct Number {
    key: String,
    best: f64,
    low: f64,
    high: f64,
    bounds: [f64; 2],
    /// Set if the range of plausible values touches a search bound, so that values beyond the bound
    /// may be plausible.
    at_bound: bool,
}

/// Two scene parameters whose values are correlated over the plausible runs, so that a change of
/// one compensates a change of the other.
#[derive(Debug, Serialize)]
struct Trade {
    a: String,
    b: String,
    correlation: f64,
}

impl Report {
    pub(super) fn new(vary: &[Vary], trials: &Trials, (done, all): (&[Done], &[RunFile])) -> Self {
        let best_run = best(done)
            .and_then(|best| done.iter().position(|run| std::ptr::eq(run, best)))
            .unwrap_or(0);
        let scored = |observations: &[super::observed::Observation], scores: &[f64]| {
            let pairs = observations.iter().zip(scores);
            pairs
                .map(|(observation, score)| Scored {
                    name: observation.name.clone(),
                    score: *score,
                })
                .collect()
        };
        // Ranges are taken over plausible runs, but include the best run even if it is not
        // plausible itself.
        let found: Vec<&Done> = plausible(done).collect();
        let number = |(i, vary): (usize, &Vary)| {
            let shares = || found.iter().map(|done| done.point.shares[i]);
            let own = done[best_run].point.shares[i];
            let (low, high) = (shares().fold(own, f64::min), shares().fold(own, f64::max));
            Number {
                key: vary.key.to_string(),
                best: vary.value(own),
                low: vary.value(low),
                high: vary.value(high),
                bounds: [vary.low, vary.high],
                at_bound: low < AT_BOUND || high > 1.0 - AT_BOUND,
            }
        };
        let again: Vec<f64> = done
            .iter()
            .filter(|done| done.point.phase == Phase::Repeat)
            .map(|done| done.score)
            .collect();
        let (mean, deviation) = moments(&again);
        let best_scores = &all[best_run].scores;
        Self {
            runs: done.len(),
            faults: all
                .iter()
                .filter(|made| made.scores.fault.is_some())
                .count(),
            best_run,
            score: done[best_run].score,
            observed: scored(trials.observed(), &best_scores.observed),
            checked: scored(trials.checked(), &best_scores.checked),
            grids: best_scores.grids.clone(),
            numbers: vary.iter().enumerate().map(number).collect(),
            plausible_runs: found.len(),
            least_plausible_score: least_plausible(done).unwrap_or(0.0),
            repeated_mean: mean,
            repeated_deviation: deviation,
            trades: trades(vary, &found),
            processor_seconds: all.iter().map(|made| made.seconds).sum(),
            notes: trials.notes.clone(),
            note: NO_FORECAST,
        }
    }

    /// Returns the values of the varied scene parameters in the best run, in the order of the plan.
    pub(super) fn best_values(&self) -> Vec<f64> {
        self.numbers.iter().map(|number| number.best).collect()
    }

    /// Formats the report of the calibration as plain text for the terminal.
    pub fn text(&self) -> String {
        let Self {
            runs,
            best_run,
            score,
            plausible_runs,
            least_plausible_score,
            ..
        } = self;
        let mut text =
            format!("best of {runs} runs: run {best_run}, score {score:.3} (1 is the best)\n");
        for (word, list) in [
            ("", &self.observed),
            ("not seen by the fit: ", &self.checked),
        ] {
            list.iter().for_each(|Scored { name, score }| {
                let _ = writeln!(text, "  {score:.3}  {word}{name}");
            });
        }
        if let Some(grids) = self.by_grid() {
            let _ = writeln!(text, "  {grids}");
        }
        let wide = self
            .numbers
            .iter()
            .map(|number| number.key.len())
            .max()
            .unwrap_or(0);
        let _ = writeln!(text, "{:wide$}  {:>12}  plausible", "", "best");
        for Number {
            key,
            best,
            low,
            high,
            at_bound,
            bounds: [least, most],
        } in &self.numbers
        {
            let [best, low, high] = [*best, *low, *high].map(|value| short(value, DIGITS));
            let reaches = if *at_bound {
                format!("  reaches a bound ({least}..{most})")
            } else {
                String::new()
            };
            // The bounds are printed only where plausible values reach a bound: there the range is
            // cut off.
            let _ = writeln!(text, "{key:wide$}  {best:>12}  {low} to {high}{reaches}");
        }
        let _ = writeln!(
            text,
            "{plausible_runs} runs are plausible: score {least_plausible_score:.3} or more{}",
            self.why()
        );
        for Trade { a, b, correlation } in &self.trades {
            let _ = writeln!(
                text,
                "{a} and {b} make up for each other (correlation {correlation:.2})"
            );
        }
        let _ = write!(text, "{NO_FORECAST}");
        text
    }

    /// Returns the scores of the best run on each grid in words; `None` for a single grid.
    fn by_grid(&self) -> Option<String> {
        let (Some(mean), Some(deviation)) = moments(&self.grids) else {
            return None;
        };
        let each: Vec<String> = self
            .grids
            .iter()
            .map(|score| format!("{score:.3}"))
            .collect();
        Some(format!(
            "{} grids: {}; {mean:.3} ± {deviation:.3}",
            each.len(),
            each.join(", ")
        ))
    }

    fn why(&self) -> String {
        match (self.repeated_mean, self.repeated_deviation) {
            (Some(mean), Some(deviation)) => {
                format!(
                    ", as repetitions of the best with other seeds have: {mean:.3} ± {deviation:.3}"
                )
            }
            _ => String::new(),
        }
    }

    /// Returns all warnings about the calibration, one sentence each.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = self.notes.clone();
        for number in self.numbers.iter().filter(|number| number.at_bound) {
            warnings.push(format!(
                "{}: plausible values reach a bound; widen --vary to see where they end",
                number.key
            ));
        }
        if self.checked.is_empty() {
            warnings.push(
                "judge the fit by an outline that it has not seen: --check FILE@TIME".to_owned(),
            );
        }
        if self.faults > 0 {
            warnings.push(format!(
                "{} of {} runs could not be made: their numbers do not go together",
                self.faults, self.runs
            ));
        }
        warnings
    }

    /// Formats the report of the calibration as a Markdown file; `scene`: name of the scene.
    fn markdown(&self, scene: &str) -> String {
        let mut text = format!(
            "# Fit of {scene}\n\n**{NO_FORECAST}**\n\n| number | best | plausible | bounds |\n|---|---|---|---|\n"
        );
        for Number {
            key,
            best,
            low,
            high,
            bounds: [least, most],
            ..
        } in &self.numbers
        {
            let [best, low, high] = [*best, *low, *high].map(|value| short(value, DIGITS));
            let _ = writeln!(
                text,
                "| `{key}` | {best} | {low} to {high} | {least} to {most} |"
            );
        }
        // Checks come last and are marked: their scores did not steer the search.
        let _ = writeln!(text, "\n| judged by | score of the best |\n|---|---|");
        self.observed.iter().for_each(|Scored { name, score }| {
            let _ = writeln!(text, "| {name} | {score:.3} |");
        });
        self.checked.iter().for_each(|Scored { name, score }| {
            let _ = writeln!(text, "| {name}, not seen by the fit | {score:.3} |");
        });
        let Self {
            runs,
            best_run,
            plausible_runs,
            least_plausible_score,
            ..
        } = self;
        let why = self.why();
        let _ = writeln!(
            text,
            "\nBest of {runs} runs: run {best_run}. {plausible_runs} runs are plausible: score {least_plausible_score:.3} or more{why}.\n"
        );
        if let Some(grids) = self.by_grid() {
            let _ = writeln!(text, "- The best on {grids}.");
        }
        for Trade { a, b, correlation } in &self.trades {
            let _ = writeln!(
                text,
                "- `{a}` and `{b}` make up for each other (correlation {correlation:.2})."
            );
        }
        self.warnings().iter().for_each(|warning| {
            let _ = writeln!(text, "- {warning}.");
        });
        let _ = writeln!(text, "\n![Scores by each number](profiles.svg)");
        text
    }

    /// Writes all result files to `folder` and returns their paths. `done`: points and scores of
    /// all runs; `all`: contents of their run files; `best`: the scene with the values of the best
    /// run.
    pub(super) fn write(
        &self,
        folder: &Folder,
        (done, all): (&[Done], &[RunFile]),
        best: &Scene,
    ) -> Result<Vec<PathBuf>, StudyError> {
        let path = folder.path.join("best.toml");
        let scene = format!(
            "# Numbers of the best of {} runs. {NO_FORECAST}\n{}",
            self.runs,
            best.to_toml(&path)?
        );
        let json = serde_json::to_string_pretty(self).expect("a report is plain text and numbers");
        let texts = [
            scene,
            json,
            self.markdown(&best.spec.name),
            self.profiles(done, all)?,
            self.trace(done, all),
        ];
        let files = WRITTEN.iter().zip(&texts);
        Ok(files
            .map(|(name, text)| folder.write(name, text))
            .collect::<Result<_, _>>()?)
    }

    /// Formats all runs as a CSV table with one row per run: phase, values, scores and wall-clock
    /// time. `done`: points and scores of the runs; `all`: contents of their run files.
    fn trace(&self, done: &[Done], all: &[RunFile]) -> String {
        let names = |list: &[Scored]| {
            list.iter()
                .map(|scored| quoted(&scored.name))
                .collect::<Vec<_>>()
        };
        let keys = self.numbers.iter().map(|number| quoted(&number.key));
        let mut heading = vec!["run".to_owned(), "phase".to_owned()];
        heading.extend(keys.chain(["score".to_owned(), "plausible".to_owned()]));
        heading.extend(
            names(&self.observed)
                .into_iter()
                .chain(names(&self.checked)),
        );
        heading.push("seconds".to_owned());
        let mut text = heading.join(",");
        text.push('\n');
        for (run, (done, made)) in done.iter().zip(all).enumerate() {
            let is_plausible =
                done.point.phase != Phase::Repeat && done.score >= self.least_plausible_score;
            let mut row = vec![run.to_string(), done.point.phase.name().to_owned()];
            row.extend(made.values.iter().map(ToString::to_string));
            row.extend([
                done.score.to_string(),
                if is_plausible { "yes" } else { "no" }.to_owned(),
            ]);
            row.extend(
                made.scores
                    .observed
                    .iter()
                    .chain(&made.scores.checked)
                    .map(ToString::to_string),
            );
            row.push(format!("{:.2}", made.seconds));
            let _ = writeln!(text, "{}", row.join(","));
        }
        text
    }

    /// Plots the score of each run over the value of each varied scene parameter, one plot per
    /// parameter, and returns the SVG text.
    fn profiles(&self, done: &[Done], all: &[RunFile]) -> Result<String, StudyError> {
        let least = self.least_plausible_score;
        let runs = || {
            done.iter()
                .zip(all)
                .filter(|(done, _)| done.point.phase != Phase::Repeat)
        };
        let mut page =
            Page::new("Scores of all runs by each number").columns(self.numbers.len().min(3));
        for (
            i,
            Number {
                key,
                best,
                low,
                high,
                bounds: [from, to],
                ..
            },
        ) in self.numbers.iter().enumerate()
        {
            let is_log = from / to > 0.0 && to / from > 30.0;
            let at = |is_in: bool| {
                let some = runs().filter(move |(done, _)| (done.score >= least) == is_in);
                some.map(move |(done, made)| (made.values[i], done.score))
                    .collect::<Vec<_>>()
            };
            let title = format!(
                "{key}: {} ({} to {})",
                short(*best, DIGITS),
                short(*low, DIGITS),
                short(*high, DIGITS)
            );
            let plot = Plot::new(title)
                .axis_x(key.clone(), if is_log { Axis::Log } else { Axis::Linear })
                .axis_y("score", Axis::Linear)
                .range_x(*from, *to)
                .range_y(0.0, 1.0)
                .points("runs", at(false))
                .points("plausible", at(true))
                .line_of_theory("least plausible", move |_| least);
            page = page.plot(plot);
        }
        Ok(page.svg()?)
    }
}

/// Returns the mean and the sample standard deviation of `numbers`; both `None` for fewer than two
/// numbers.
fn moments(numbers: &[f64]) -> (Option<f64>, Option<f64>) {
    let count = numbers.len() as f64;
    if numbers.len() < 2 {
        return (None, None);
    }
    let mean = numbers.iter().sum::<f64>() / count;
    let squares: f64 = numbers.iter().map(|number| (number - mean).powi(2)).sum();
    (Some(mean), Some((squares / (count - 1.0)).sqrt()))
}

/// Returns the pairs of varied scene parameters whose correlation over the plausible runs `found`
/// exceeds `TRADES` in absolute value.
fn trades(vary: &[Vary], found: &[&Done]) -> Vec<Trade> {
    let column = |i: usize| found.iter().map(move |done| done.point.shares[i]);
    let mut trades = Vec::new();
    for a in 0..vary.len() {
        for b in 0..a {
            let mean = |i: usize| column(i).sum::<f64>() / found.len() as f64;
            let (mean_a, mean_b) = (mean(a), mean(b));
            let product = |i: usize, mean_i: f64, j: usize, mean_j: f64| {
                column(i)
                    .zip(column(j))
                    .map(|(p, q)| (p - mean_i) * (q - mean_j))
                    .sum::<f64>()
            };
            let both = product(a, mean_a, b, mean_b);
            let correlation =
                both / (product(a, mean_a, a, mean_a) * product(b, mean_b, b, mean_b)).sqrt();
            if found.len() > 3 && correlation.abs() >= TRADES {
                trades.push(Trade {
                    a: vary[b].key.to_string(),
                    b: vary[a].key.to_string(),
                    correlation,
                });
            }
        }
    }
    trades
}
