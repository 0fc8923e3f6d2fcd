//! Tables of effusion rates (`.csv`): times or dates, effusion rates or radiant power, and standard
//! errors, merged from several files.
//!
//! | column | what |
//! |---|---|
//! | `time_s`, `time_min`, `time_h`, `time_d` | time from the start of the simulation |
//! | `date` | `2006-07-14`, `2006-07-14T12:00` or with a zone; without one UTC |
//! | `rate_m3_s` | effusion rate |
//! | `power_w`, `power_mw` | radiant power, which the vent's `radiant_j_m3` makes a rate |
//! | `error_m3_s`, `error_w`, `error_mw` | standard error of a rate or a power |
//!
//! Rows of all files are sorted by time. Rows of one time are merged, with weights 1/error² where
//! all have errors, else with equal weights.
//!
//! Radiant power is proportional to the rate where lava spreads as it pours: rate = power/c, with c
//! = 6.45·10²⁵ X^(−10.4) J/m³ for X percent of silica, within 50 % (Coppola and others 2013,
//! *Rheological control on the radiant density of active lava flows and domes*, J. Volcanol.
//! Geotherm. Res. 249); 1.4·10⁸ at 50 %.

use std::path::Path;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use super::need::BYTES_A_RATE;
use super::vent::RatesFiles;
use super::{Scene, SceneError};
use lavoxel_base::memory::MemoryEstimate;
use lavoxel_base::validate::{Invalid, escape_for_terminal};
use lavoxel_files::input::RATES;
use lavoxel_files::output::protect;
use lavoxel_files::table::{self, Table};

/// Upper bound on the number of rows of a rate file.
const MOST_ROWS: usize = 100_000;

/// Memory in bytes per row while rate files are merged: the row, the row with its converted time,
/// and the merged row, in lists that grow by doubling.
const BYTES_A_ROW: f64 =
    2.0 * (2 * size_of::<RateRow>() + size_of::<f64>() + size_of::<[f64; 2]>()) as f64;

/// Description of the rows of rate files in the message about the memory limit.
const ROWS: &str = "the rows of the tables of rates";
/// Advice in the message about the memory limit: to keep one row per hour or per day.
const MEND: &str = "keep those of an hour or a day";

/// Names of time columns in lower case, each with the factor that converts its values to seconds.
const TIMES: [(&str, f64); 4] = [
    ("time_s", 1.0),
    ("time_min", 60.0),
    ("time_h", 3600.0),
    ("time_d", 86_400.0),
];
/// Name of the column of dates in a rate file, in lower case.
const DATE: &str = "date";
/// Name of the column of effusion rates (m³/s) in a rate file, in lower case.
const RATE: &str = "rate_m3_s";
/// Names of columns of radiated power, each with the factor that converts its values to W.
const POWERS: [(&str, f64); 2] = [("power_w", 1.0), ("power_mw", 1e6)];
/// Name of the column of standard errors of the effusion rate (m³/s) in a rate file, in lower case.
const ERROR: &str = "error_m3_s";
/// Names of columns of standard errors of the power, each with the factor that converts its values
/// to W.
const POWER_ERRORS: [(&str, f64); 2] = [("error_w", 1.0), ("error_mw", 1e6)];

/// Row of a rate file: time, effusion rate in m³/s, and standard error of the rate in m³/s if
/// known.
#[derive(Clone, Copy, Debug, PartialEq)]
struct RateRow {
    when: When,
    rate_m3_s: f64,
    error_m3_s: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum When {
    Seconds(f64),
    /// Date of a row of a rate file, in seconds since 1970-01-01 UTC.
    Date(f64),
}

impl Scene {
    /// Returns the scene with its rate files read and the rows of the files stored in its vents.
    /// `text`: text of the scene, for line numbers in errors.
    pub(super) fn with_rates(mut self, text: &str) -> Result<Self, SceneError> {
        self.read_rates()
            .map_err(|invalid| SceneError::in_text(&self.origin, text, invalid))?;
        Ok(self)
    }

    /// Reads the rate files of all vents whose files have not been read yet, and stores their rows
    /// in the vents.
    pub(super) fn read_rates(&mut self) -> Result<(), Invalid> {
        // Summed over all vents, because their tables exist at the same time.
        let mut held = Vec::new();
        for (i, vent) in self.spec.vents.iter_mut().enumerate() {
            let (Some(rates), Some(flow)) = (vent.rates.take(), vent.flow.as_mut()) else {
                continue;
            };
            let key = format!("vent[{i}].rates_files");
            let wrong = |(name, fault): (String, String)| {
                Invalid::new(&key, escape_for_terminal(&name), fault)
            };
            flow.rates_m3_s = rates.read(&self.folder).map_err(wrong)?;
            let need = MemoryEstimate::new(ROWS, flow.rates_m3_s.len(), BYTES_A_RATE);
            let names = || rates.files.join(", ");
            need.check(MEND)
                .map_err(|error| wrong((names(), format!("tables of rates: {error}"))))?;
            held.push(need.held());
        }
        Ok(())
    }
}

impl RatesFiles {
    /// Reads the rate files (relative to `folder`) and merges their rows. Returns rows [time in s
    /// from the start of the simulation, rate in m³/s], ascending by time.
    ///
    /// # Errors
    /// Returns the name of the file and a sentence about the fault.
    pub fn read(&self, folder: &Path) -> Result<Vec<[f64; 2]>, (String, String)> {
        let mut rows = Vec::new();
        for name in &self.files {
            let of_file = read(&folder.join(name), self.radiant_j_m3);
            let of_file = of_file.and_then(|more| {
                let need = MemoryEstimate::new(ROWS, rows.len() + more.len(), BYTES_A_ROW);
                need.check(MEND)
                    .map(|()| more)
                    .map_err(|error| error.to_string())
            });
            rows.extend(
                of_file.map_err(|fault| (name.clone(), format!("a table of rates: {fault}")))?,
            );
        }
        self.join(&rows)
            .map_err(|fault| (self.files.join(", "), format!("tables of rates: {fault}")))
    }

    /// Returns true if a rate file contains dates instead of times; files that cannot be read are
    /// ignored.
    pub fn has_dates(&self, folder: &Path) -> bool {
        let rows = |name: &String| read(&folder.join(name), self.radiant_j_m3).unwrap_or_default();
        self.files
            .iter()
            .flat_map(rows)
            .any(|row| matches!(row.when, When::Date(_)))
    }

    /// Converts the times of all rows to seconds from the start of the simulation, sorts the rows,
    /// and merges rows of equal time. Returns rows [time in s, rate in m³/s].
    fn join(&self, rows: &[RateRow]) -> Result<Vec<[f64; 2]>, String> {
        let dates = || {
            rows.iter().filter_map(|row| {
                if let When::Date(date) = row.when {
                    Some(date)
                } else {
                    None
                }
            })
        };
        let start = match &self.start {
            Some(start) => Some(unix_seconds(start).ok_or_else(|| {
                format!(
                    "rates_start {} is no date such as 2006-07-14T12:00",
                    escape_for_terminal(start)
                )
            })?),
            None if dates().count() == rows.len() => dates().reduce(f64::min),
            None if dates().next().is_some() => {
                return Err(
                    "some have dates and some times from the start: say the date of the start with rates_start"
                        .to_owned(),
                );
            }
            None => None,
        };
        let seconds = |row: &RateRow| match row.when {
            When::Seconds(seconds) => seconds,
            When::Date(date) => date - start.unwrap_or(date),
        };
        let mut all: Vec<(f64, RateRow)> = rows.iter().map(|row| (seconds(row), *row)).collect();
        all.sort_by(|a, b| a.0.total_cmp(&b.0));
        let joined: Vec<[f64; 2]> = all
            .chunk_by(|a, b| a.0 == b.0)
            .map(|same| [same[0].0, self.mean(same)])
            .collect();
        Ok(from_the_start(joined))
    }

    /// Returns the weighted mean of the rates in `same`, rows of equal time, in m³/s, plus `shift`
    /// × the standard error of the mean; at least 0.
    fn mean(&self, same: &[(f64, RateRow)]) -> f64 {
        let all_known = same
            .iter()
            .all(|(_, row)| row.error_m3_s.is_some_and(|error| error > 0.0));
        let weight = |row: &RateRow| {
            if all_known {
                row.error_m3_s.map_or(1.0, |error| 1.0 / (error * error))
            } else {
                1.0
            }
        };
        let total: f64 = same.iter().map(|(_, row)| weight(row)).sum();
        let mean = same
            .iter()
            .map(|(_, row)| weight(row) * row.rate_m3_s)
            .sum::<f64>()
            / total;
        // Standard error of a weighted mean of values with independent errors.
        let errors = same
            .iter()
            .map(|(_, row)| (weight(row) * row.error_m3_s.unwrap_or(0.0)).powi(2));
        (mean + self.shift * errors.sum::<f64>().sqrt() / total).max(0.0)
    }
}

/// Returns the rows of a rate table whose times are above 0, after a row at time 0 with the last
/// rate at or before that time. Rows are [time in s, rate in m³/s].
fn from_the_start(rows: Vec<[f64; 2]>) -> Vec<[f64; 2]> {
    let before = rows.iter().rposition(|[time, _]| *time <= 0.0);
    let first = before.map(|at| [0.0, rows[at][1]]);
    first
        .into_iter()
        .chain(rows.into_iter().filter(|[time, _]| *time > 0.0))
        .collect()
}

fn read(path: &Path, radiant_j_m3: Option<f64>) -> Result<Vec<RateRow>, String> {
    // Protects the input from being overwritten by an output of this command.
    protect(path);
    let rows = RATES.text(path, |text| parse(&text, radiant_j_m3));
    rows.map_err(|error| error.to_string())?
}

/// Parses the rows of a rate file. `radiant_j_m3`: radiated energy per erupted volume in J/m³, by
/// which radiant power is divided to get a rate.
fn parse(text: &str, radiant_j_m3: Option<f64>) -> Result<Vec<RateRow>, String> {
    let table = Table::parse(text, MOST_ROWS)?;
    let columns = Columns::from_table(&table, radiant_j_m3)?;
    let rows = table
        .rows()
        .iter()
        .map(|row| columns.row(row))
        .collect::<Result<Vec<_>, _>>()?;
    if rows.is_empty() {
        Err("has no row below its heading".to_owned())
    } else {
        Ok(rows)
    }
}

/// Indices of the columns of a rate file, each with the factor that converts its values to SI
/// units.
struct Columns {
    /// Index of the time column, and the factor that converts its values to seconds; the factor is
    /// `None` for a column of dates.
    time: (usize, Option<f64>),
    rate: (usize, f64),
    error: Option<(usize, f64)>,
}

impl Columns {
    fn from_table(table: &Table, radiant_j_m3: Option<f64>) -> Result<Self, String> {
        let find = |name: &str| table.column(&[name]);
        let first = |names: &[(&str, f64)]| {
            names
                .iter()
                .find_map(|(name, factor)| Some((find(name)?, *factor)))
        };
        let time = first(&TIMES)
            .map(|(at, factor)| (at, Some(factor)))
            .or_else(|| Some((find(DATE)?, None)));
        let time =
            time.ok_or("its heading names no time: time_s, time_min, time_h, time_d or date")?;
        if let Some(at) = find(RATE) {
            return Ok(Self {
                time,
                rate: (at, 1.0),
                error: find(ERROR).map(|at| (at, 1.0)),
            });
        }
        let (at, watts) =
            first(&POWERS).ok_or("its heading names no rate: rate_m3_s, or power_w or power_mw")?;
        let joules = radiant_j_m3.ok_or(
            "it has radiant power: say with radiant_j_m3 how much is radiated for each m³, 1.4e8 J for basalt",
        )?;
        let error = first(&POWER_ERRORS).map(|(at, watts)| (at, watts / joules));
        Ok(Self {
            time,
            rate: (at, watts / joules),
            error: error.or_else(|| Some((find(ERROR)?, 1.0))),
        })
    }

    fn row(&self, row: &table::TableRow) -> Result<RateRow, String> {
        let when = match self.time {
            (at, Some(factor)) => When::Seconds(row.number(at, "time")? * factor),
            (at, None) => {
                let wrong = || {
                    row.fault(&format!(
                        "{:?} is no date such as 2006-07-14T12:00",
                        escape_for_terminal(row.text(at))
                    ))
                };
                When::Date(unix_seconds(row.text(at)).ok_or_else(wrong)?)
            }
        };
        let rate_m3_s = row.number(self.rate.0, "rate")? * self.rate.1;
        if rate_m3_s < 0.0 {
            return Err(row.fault(&format!("rate {rate_m3_s} is below 0")));
        }
        let error = row.number_or_none(self.error.map(|(at, _)| at), "error")?;
        let error_m3_s = error
            .zip(self.error)
            .map(|(error, (_, factor))| (error * factor).abs());
        Ok(RateRow {
            when,
            rate_m3_s,
            error_m3_s,
        })
    }
}

/// Returns the seconds since 1970-01-01 UTC of a date such as `2006-07-14T12:00`. A date without a
/// zone is taken as UTC. `None` if the text is not a date.
pub fn unix_seconds(text: &str) -> Option<f64> {
    let stamp = text.parse::<Timestamp>().ok();
    let civil = || {
        TimeZone::UTC
            .to_timestamp(text.parse::<DateTime>().ok()?)
            .ok()
    };
    stamp
        .or_else(civil)
        .map(|stamp| stamp.as_duration().as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(start: Option<&str>, shift: f64) -> RatesFiles {
        RatesFiles {
            files: Vec::new(),
            start: start.map(str::to_owned),
            shift,
            radiant_j_m3: None,
        }
    }

    #[test]
    fn times_dates_rates_and_power_are_read() {
        let rows = parse(
            "time_h,rate_m3_s,error_m3_s\n0,2,0.5\n# a remark\n24; no\n",
            None,
        )
        .expect_err("a wrong line");
        assert_eq!(rows, "line 4: time \"24; no\" is no number");
        let comma = parse("sep=;\ntime_h;rate_m3_s\n0;2,5\n;\n", None).expect("right");
        assert_eq!(files(None, 0.0).join(&comma), Ok(vec![[0.0, 2.5]]));
        let rows = parse(
            "\u{feff}Time_H;Rate_m3_s;error_m3_s\n0;2;0.5\n24;12.5;\n",
            None,
        )
        .expect("right");
        assert_eq!(
            files(None, 0.0).join(&rows),
            Ok(vec![[0.0, 2.0], [86_400.0, 12.5]])
        );
        assert_eq!(
            files(None, -1.0).join(&rows),
            Ok(vec![[0.0, 1.5], [86_400.0, 12.5]])
        );
        let power = parse(
            "date,power_mw\n2006-07-14T12:00,280\n2006-07-15T00:00Z,1400\n2006-07-16,0\n",
            Some(1.4e8),
        );
        let power = power.expect("right");
        assert_eq!(
            files(None, 0.0).join(&power),
            Ok(vec![[0.0, 2.0], [43_200.0, 10.0], [129_600.0, 0.0]])
        );
        // The rate before the start holds until the first row after.
        let later = files(Some("2006-07-15T06:00+02:00"), 0.0).join(&power);
        assert_eq!(later, Ok(vec![[0.0, 10.0], [72_000.0, 0.0]]));
    }

    #[test]
    fn sources_are_joined_by_time_and_error() {
        let ground = parse("time_s,rate_m3_s,error_m3_s\n0,4,1\n100,8,2\n", None).expect("right");
        let space = parse("time_s,rate_m3_s,error_m3_s\n50,6,3\n100,2,1\n", None).expect("right");
        let both: Vec<_> = ground.into_iter().chain(space).collect();
        let joined = files(None, 0.0).join(&both).expect("right");
        assert_eq!(joined[..2], [[0.0, 4.0], [50.0, 6.0]]);
        // Weights 1/4 and 1.
        assert!(
            (joined[2][1] - (0.25 * 8.0 + 2.0) / 1.25).abs() < 1e-12,
            "{joined:?}"
        );
        let high = files(None, 1.0).join(&both).expect("right");
        assert!(
            (high[2][1] - joined[2][1] - 1.0 / 1.25f64.sqrt()).abs() < 1e-12,
            "{high:?}"
        );
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (text, part) in [
            ("", "is empty"),
            (
                "time_h,rate_m3_s\n0,1,250.5\n",
                "line 2: has 3 fields under a heading of 2",
            ),
            (
                "time_h,rate_m3_s\n0,2,5\n",
                "line 2: has 3 fields under a heading of 2",
            ),
            ("time_h\n1\n", "names no rate"),
            ("time_h,rate_m3_s\n", "no row"),
            ("time_h,rate_m3_s\n1,-2\n", "line 2: rate -2 is below 0"),
            ("time_h,rate_m3_s\n1,nan\n", "is no number"),
            ("date,rate_m3_s\n14.7.2006,1\n", "is no date"),
            ("time_h,power_w\n1,1\n", "say with radiant_j_m3"),
        ] {
            assert!(
                parse(text, None).is_err_and(|fault| fault.contains(part)),
                "{text:?}: {:?}",
                parse(text, None)
            );
        }
        let mixed = [When::Seconds(1.0), When::Date(1.0)].map(|when| RateRow {
            when,
            rate_m3_s: 1.0,
            error_m3_s: None,
        });
        assert!(
            files(None, 0.0)
                .join(&mixed)
                .is_err_and(|fault| fault.contains("rates_start"))
        );
        assert!(
            files(Some("x"), 0.0)
                .join(&mixed)
                .is_err_and(|fault| fault.contains("is no date"))
        );
    }
}
