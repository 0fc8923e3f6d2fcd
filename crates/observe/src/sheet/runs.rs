//! Statistics over the runs of a hazard map, read from the table `runs.csv`.

use std::path::Path;

use super::SheetError;
use super::table;
use lavoxel_base::memory::MemoryEstimate;
use lavoxel_files::input::RUNS;
use lavoxel_files::table::TableRow;

/// Values of one run: those columns of a row of `runs.csv` that the statistics use.
struct Line {
    rate_m3_s: f64,
    volume_m3: f64,
    duration_s: f64,
    area_m2: f64,
    reach_m: f64,
    poured_m3: f64,
    set_m3: f64,
    out_m3: f64,
    blocked_m3: f64,
    ended: String,
    exact: String,
}

impl Line {
    /// Parses a row of `runs.csv`; `column` returns the index of the column with a given name.
    /// Returns a message if a column is missing or a number is malformed.
    fn from_row(
        row: &TableRow,
        column: impl Fn(&str) -> Result<usize, String>,
    ) -> Result<Self, String> {
        let number = |name: &str| row.number(column(name)?, name);
        let word = |name: &str| Ok::<_, String>(row.text(column(name)?).to_owned());
        Ok(Self {
            rate_m3_s: number("rate_m3_s")?,
            volume_m3: number("volume_m3")?,
            duration_s: number("duration_s")?,
            area_m2: number("area_m2")?,
            reach_m: number("reach_m")?,
            poured_m3: number("poured_m3")?,
            set_m3: number("set_m3")?,
            out_m3: number("out_m3")?,
            blocked_m3: number("blocked_m3")?,
            ended: word("ended")?,
            exact: word("exact")?,
        })
    }
}

/// Smallest value, mean, largest value and sum of a quantity over all runs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Spread {
    pub(super) least: f64,
    pub(super) mean: f64,
    pub(super) most: f64,
    pub(super) sum: f64,
}

impl Spread {
    fn from_lines(lines: &[Line], number: impl Fn(&Line) -> f64) -> Self {
        let numbers = || lines.iter().map(&number);
        let sum: f64 = numbers().sum();
        let (least, most) = (
            numbers().fold(f64::INFINITY, f64::min),
            numbers().fold(0.0, f64::max),
        );
        Self {
            least: if lines.is_empty() { 0.0 } else { least },
            mean: sum / lines.len().max(1) as f64,
            most,
            sum,
        }
    }
}

/// Memory in bytes per row of the table of runs with its texts; doubled for `Vec` growth.
const BYTES_A_RUN: f64 = 2.0 * (size_of::<Line>() + 64) as f64;

/// Statistics over all runs of a hazard folder.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Runs {
    pub(super) count: usize,
    pub(super) rate_m3_s: Spread,
    pub(super) volume_m3: Spread,
    pub(super) duration_s: Spread,
    pub(super) area_m2: Spread,
    pub(super) reach_m: Spread,
    pub(super) poured_m3: Spread,
    pub(super) set_m3: Spread,
    pub(super) out_m3: Spread,
    pub(super) blocked_m3: Spread,
    pub(super) cut_short: usize,
    pub(super) left_the_box: usize,
    pub(super) blocked: usize,
    pub(super) inexact: usize,
}

impl Runs {
    pub(super) fn read(path: &Path) -> Result<Self, SheetError> {
        let lines = table::read(&RUNS, path, |table| {
            // Checked before the rows are parsed: a table may have a million rows.
            let need =
                MemoryEstimate::new("the rows of the table", table.rows().len(), BYTES_A_RUN);
            need.check("leave out rows")
                .map_err(|error| error.to_string())?;
            let column = |name: &str| {
                table
                    .column(&[name])
                    .ok_or_else(|| format!("has no column {name:?}"))
            };
            let lines: Result<Vec<_>, String> = table
                .rows()
                .iter()
                .map(|row| Line::from_row(row, column))
                .collect();
            lines.map_err(|fault| format!("is no table of runs: {fault}"))
        })?;
        let count = |is_so: &dyn Fn(&Line) -> bool| lines.iter().filter(|line| is_so(line)).count();
        let spread = |number: fn(&Line) -> f64| Spread::from_lines(&lines, number);
        Ok(Self {
            count: lines.len(),
            rate_m3_s: spread(|line| line.rate_m3_s),
            volume_m3: spread(|line| line.volume_m3),
            duration_s: spread(|line| line.duration_s),
            area_m2: spread(|line| line.area_m2),
            reach_m: spread(|line| line.reach_m),
            poured_m3: spread(|line| line.poured_m3),
            set_m3: spread(|line| line.set_m3),
            out_m3: spread(|line| line.out_m3),
            blocked_m3: spread(|line| line.blocked_m3),
            cut_short: count(&|line| line.ended == "limit"),
            left_the_box: count(&|line| line.out_m3 > 0.0),
            blocked: count(&|line| line.blocked_m3 > 0.0),
            inexact: count(&|line| line.exact != "yes"),
        })
    }

    /// Returns all warnings about the runs, one sentence each.
    pub(super) fn warnings(&self) -> Vec<String> {
        let of = |count: usize, what: &str| {
            (count > 0).then(|| format!("{count} of {} runs {what}.", self.count))
        };
        [
            of(self.cut_short, "still advanced when their time was up"),
            of(self.left_the_box, "lost lava at the sides of the map"),
            of(self.blocked, "could not pour all of their lava"),
            of(self.inexact, "have accounts that are not exact"),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}
