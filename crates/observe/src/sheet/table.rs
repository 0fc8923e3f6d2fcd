//! Exposure tables as written by `lavoxel hazard` and `lavoxel run`: buildings, roads and areas
//! with the lava that reaches them.

use std::cmp::Ordering;
use std::path::Path;

use super::SheetError;
use lavoxel_base::memory::MemoryEstimate;
use lavoxel_base::validate::escape_for_terminal;
use lavoxel_files::input::{ASSETS, Loaded, Reader};
use lavoxel_files::table;

/// Upper bound on the number of rows of a table; enough for a study of a million runs.
const MOST_ROWS: usize = 1 << 20;

/// Reads the CSV file at `path`, which has a header row, with the limits of `reader`, and returns
/// the result of `parse`.
pub(super) fn read<T>(
    reader: &Reader,
    path: &Path,
    parse: impl FnOnce(&table::Table) -> Result<T, String>,
) -> Result<T, SheetError> {
    let wrong = |fault: String| {
        SheetError::wrong(format!(
            "{}: {}",
            path.display(),
            escape_for_terminal(&fault)
        ))
    };
    let table = |text: Loaded<String>| parse(&table::Table::parse(&text, MOST_ROWS)?);
    reader
        .text(path, table)
        .map_err(|error| wrong(error.to_string()))?
        .map_err(wrong)
}

/// Memory in bytes per row of an exposure table with its name; doubled for `Vec` growth.
const BYTES_A_ROW: f64 = 2.0 * (size_of::<Asset>() + 32) as f64;

/// Upper bound on the number of assets listed in a sheet or report.
const MOST_LISTED: usize = 1000;

/// Row of an exposure table: a building, road or area. A value is `None` if lava never arrives or
/// the table lacks the column.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Asset {
    pub(super) name: String,
    pub(super) probability: Option<f64>,
    pub(super) first_h: Option<f64>,
    pub(super) arrival_h: Option<f64>,
    pub(super) thickness_m: Option<f64>,
    pub(super) reached: bool,
}

/// Rows of all exposure tables: reached assets in descending order of probability, then in
/// ascending order of arrival time.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Table {
    pub(super) reached: Vec<Asset>,
    /// Number of assets in the tables that lava never reaches.
    pub(super) others: usize,
    /// Set if the tables state probabilities over several runs.
    pub(super) of_runs: bool,
}

impl Table {
    /// Reads the exposure tables at `paths` and joins their rows; `None` if `paths` is empty.
    pub(super) fn read(paths: &[std::path::PathBuf]) -> Result<Option<Self>, SheetError> {
        let mut table = Self::default();
        for path in paths {
            read(&ASSETS, path, |rows| table.add(rows))?;
        }
        table.reached.sort_by(order);
        Ok((!paths.is_empty()).then_some(table))
    }

    fn add(&mut self, table: &table::Table) -> Result<(), String> {
        let Some(name) = table.column(&["name"]) else {
            return Err("has no column \"name\": expected a table of --exposure".to_owned());
        };
        let columns = [
            table.column(&["probability"]),
            table.column(&["arrival_first_h"]),
            table.column(&["arrival_median_h", "arrival_h"]),
            table.column(&["thickness_median_m", "thickness_max_m"]),
        ];
        if columns.iter().all(Option::is_none) {
            return Err("has no column of probability, arrival or thickness: expected a table of --exposure".to_owned());
        }
        self.of_runs |= columns[0].is_some();
        let need = MemoryEstimate::new(
            "the rows of the table",
            self.reached.len() + table.rows().len(),
            BYTES_A_ROW,
        );
        need.check("leave out rows")
            .map_err(|error| error.to_string())?;
        for row in table.rows() {
            // Cells without a number hold words such as "never".
            let number = |column: Option<usize>| row.number(column?, "").ok();
            let [probability, first_h, arrival_h, thickness_m] = columns.map(number);
            let name = escape_for_terminal(row.text(name));
            let reached = probability.map_or(arrival_h.is_some(), |p| p > 0.0);
            let asset = Asset {
                name,
                probability,
                first_h,
                arrival_h,
                thickness_m,
                reached,
            };
            if reached {
                self.reached.push(asset)
            } else {
                self.others += 1
            }
        }
        Ok(())
    }
}

fn order(a: &Asset, b: &Asset) -> Ordering {
    let probability = b
        .probability
        .unwrap_or(0.0)
        .total_cmp(&a.probability.unwrap_or(0.0));
    let arrival = |asset: &Asset| asset.arrival_h.unwrap_or(f64::INFINITY);
    probability
        .then(arrival(a).total_cmp(&arrival(b)))
        .then_with(|| a.name.cmp(&b.name))
}

/// Formats the table as texts: the header fields, and the fields of each row.
pub(super) fn words(table: &Table) -> (Vec<&'static str>, Vec<Vec<String>>) {
    let number = |value: Option<f64>, digits: usize| {
        value.map_or("–".to_owned(), |value| format!("{value:.digits$}"))
    };
    // The unit follows the time, so that no number gets long.
    let time = |value: Option<f64>| match value {
        None => "–".to_owned(),
        Some(hours) if hours < 1.0 / 60.0 => "< 1 min".to_owned(),
        Some(hours) if hours < 1.0 => format!("{:.0} min", 60.0 * hours),
        Some(hours) if hours < 48.0 => format!("{hours:.1} h"),
        Some(hours) => format!("{:.1} d", hours / 24.0),
    };
    let percent = |value: Option<f64>| {
        value.map_or("–".to_owned(), |p| match 100.0 * p {
            percent if percent < 1.0 => format!("{percent:.1} %"),
            percent => format!("{percent:.0} %"),
        })
    };
    let row = |asset: &Asset| {
        let mut row = vec![asset.name.clone()];
        if table.of_runs {
            row.extend([percent(asset.probability), time(asset.first_h)]);
        }
        row.extend([time(asset.arrival_h), number(asset.thickness_m, 1)]);
        row
    };
    let heading = if table.of_runs {
        vec!["name", "prob.", "first", "median", "thick. m"]
    } else {
        vec!["name", "arrival", "thick. m"]
    };
    (
        heading,
        table.reached.iter().take(MOST_LISTED).map(row).collect(),
    )
}
