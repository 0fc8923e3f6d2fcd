//! Timing table of `lavoxel bench`, as text and as JSON.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::timed::Timed;

/// Format tag at the beginning of a table's file. The number in the tag is increased when older
/// programs could misread the format.
pub(super) const FORMAT: &str = "lavoxel bench 1";

/// Width in characters of the first column of the text table, which contains the names of the rows.
pub(super) const NAME_WIDTH: usize = 26;

/// Timing table: measured times of the stages, with the machine and the settings.
#[derive(Serialize, Deserialize)]
pub(super) struct BenchTable {
    pub(super) format: String,
    pub(super) version: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) label: Option<String>,
    pub(super) machine: String,
    pub(super) threads: usize,
    pub(super) dims: [usize; 3],
    pub(super) steps: u64,
    pub(super) pictures: u64,
    #[serde(skip_deserializing)]
    pub(super) paper: Paper,
    pub(super) rows: Vec<BenchRow>,
}

/// Mean times of the rules in the paper (section 5), in milliseconds per step, for a box of 128 ×
/// 100 × 128 cells.
#[derive(Serialize)]
pub(super) struct Paper {
    machine: &'static str,
    gravity_ms: f64,
    spreading_ms: f64,
}

impl Default for Paper {
    fn default() -> Self {
        Self {
            machine: "Pentium 4, 2.53 GHz",
            gravity_ms: 3.2,
            spreading_ms: 21.6,
        }
    }
}

/// Row of the timing table: times of the stages in one world, or for one heightmap.
#[derive(Serialize, Deserialize)]
pub(super) struct BenchRow {
    pub(super) world: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    liquid_cells: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    columns: Option<usize>,
    /// Times of each timed subject, with the keys of [`Timed::key`].
    #[serde(flatten)]
    times: BTreeMap<String, Times>,
}

impl BenchRow {
    pub(super) fn new(world: &str, times: BTreeMap<Timed, Times>) -> Self {
        let times = times
            .into_iter()
            .map(|(stage, times)| (stage.key(), times))
            .collect();
        Self {
            world: world.to_owned(),
            liquid_cells: None,
            columns: None,
            times,
        }
    }

    pub(super) fn with_liquid(self, cells: u64) -> Self {
        Self {
            liquid_cells: Some(cells),
            ..self
        }
    }

    pub(super) fn with_columns(self, columns: usize) -> Self {
        Self {
            columns: Some(columns),
            ..self
        }
    }

    pub(super) fn times(&self, stage: Timed) -> Option<&Times> {
        self.times.get(&stage.key())
    }

    /// Returns two texts of a row. First: number of liquid cells or of columns; second: for
    /// columns, millions of columns per second, computed from the median in `times`, else empty.
    fn extent(&self, times: &Times) -> (String, String) {
        match (self.liquid_cells, self.columns) {
            (Some(cells), _) => (cells.to_string(), String::new()),
            (None, Some(columns)) => (
                columns.to_string(),
                format!("{:>8.1} M/s", columns as f64 / times.p50 / 1e3),
            ),
            (None, None) => Default::default(),
        }
    }
}

/// Distribution of durations in milliseconds: mean and percentiles.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub(super) struct Times {
    pub(super) mean: f64,
    pub(super) p10: f64,
    pub(super) p50: f64,
    pub(super) p90: f64,
    pub(super) p99: f64,
}

impl Times {
    /// Computes the distribution of durations in milliseconds; `ms` must not be empty.
    pub(super) fn from_ms(mut ms: Vec<f64>) -> Self {
        ms.sort_unstable_by(f64::total_cmp);
        let at = |share: f64| ms[((ms.len() - 1) as f64 * share).round() as usize];
        let mean = ms.iter().sum::<f64>() / ms.len() as f64;
        Self {
            mean,
            p10: at(0.1),
            p50: at(0.5),
            p90: at(0.9),
            p99: at(0.99),
        }
    }

    pub(super) fn of_durations(times: Vec<Duration>) -> Self {
        Self::from_ms(
            times
                .into_iter()
                .map(|time| time.as_secs_f64() * 1e3)
                .collect(),
        )
    }

    /// Returns true if the values are valid durations: not negative, and percentiles finite and in
    /// ascending order.
    pub(super) fn is_sound(&self) -> bool {
        let Self {
            mean,
            p10,
            p50,
            p90,
            p99,
        } = *self;
        mean >= 0.0 && p10 >= 0.0 && p10 <= p50 && p50 <= p90 && p90 <= p99 && p99.is_finite()
    }

    fn text(&self) -> String {
        [self.mean, self.p10, self.p50, self.p90, self.p99]
            .map(number)
            .join("")
    }
}

/// Formats a duration of `ms` milliseconds with three significant digits (at most six decimals),
/// right-aligned in nine characters; a duration ≤ 0 has no decimals.
pub(super) fn number(ms: f64) -> String {
    let decimals = if ms > 0.0 {
        (2.0 - ms.log10().floor()).clamp(0.0, 6.0)
    } else {
        0.0
    };
    format!("{ms:>9.*}", decimals as usize)
}

impl BenchTable {
    /// Iterates over the rows that have times of `stage`, each with these times.
    pub(super) fn stage(&self, stage: Timed) -> impl Iterator<Item = (&BenchRow, &Times)> {
        self.rows
            .iter()
            .filter_map(move |row| Some((row, row.times(stage)?)))
    }

    /// Iterates over the times of all stages in all rows, each with its row.
    pub(super) fn all(&self) -> impl Iterator<Item = (&BenchRow, &Times)> {
        Timed::all().flat_map(|stage| self.stage(stage))
    }

    pub(super) fn text(&self) -> String {
        let label = self
            .label
            .as_ref()
            .map_or(String::new(), |label| format!("{label}; "));
        let mut lines = vec![
            format!("{label}{}, {} threads", self.machine, self.threads),
            format!(
                "128 × 100 × 128 cells, pictures of 480 × 320; milliseconds of {} steps, of {} pictures",
                self.steps, self.pictures
            ),
        ];
        for stage in Timed::all() {
            if self.stage(stage).next().is_some() {
                lines.extend(self.stage_lines(stage));
            }
        }
        lines
            .iter()
            .map(|line| line.trim_end())
            .collect::<Vec<_>>()
            .join("\n")
    }

    /// Returns the lines of the text table that show the times of `stage`.
    fn stage_lines(&self, stage: Timed) -> Vec<String> {
        let what = if stage == Timed::Open {
            "columns"
        } else {
            "liquid"
        };
        let heads = ["mean", "p10", "p50", "p90", "p99"]
            .map(|head| format!("{head:>9}"))
            .join("");
        let mut lines = vec![
            String::new(),
            format!("{:<NAME_WIDTH$}{what:>9}{heads}", stage.title()),
        ];
        for (row, times) in self.stage(stage) {
            let (extent, rate) = row.extent(times);
            lines.push(format!(
                "  {:<w$}{extent:>9}{}{rate}",
                row.world,
                times.text(),
                w = NAME_WIDTH - 2
            ));
        }
        let theirs = match stage {
            Timed::Rule("gravity") => Some(self.paper.gravity_ms),
            Timed::Rule("spreading") => Some(self.paper.spreading_ms),
            _ => None,
        };
        if let Some(ms) = theirs {
            let (name, machine) = ("the paper's volcano", self.paper.machine);
            lines.push(format!(
                "  {name:<w$}{:>9}{ms:>9.2}  ({machine})",
                "?",
                w = NAME_WIDTH - 2
            ));
        }
        lines
    }
}
