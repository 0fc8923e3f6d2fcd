//! Comparison of two timing tables of `lavoxel bench`, such as those of two commits.

use std::path::Path;

use serde::Serialize;

use super::table::{BenchTable, NAME_WIDTH, Times, number};
use super::timed::Timed;

/// Criterion by which a change of a median is marked as significant, in the words of the output.
const RULE: &str = "marked where each median lies outside of the p10 to p90 of the other";

/// New timing table, compared with an old table by the differences of their medians.
#[derive(Serialize)]
pub(super) struct Comparison {
    file: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<String>,
    /// Warnings about differences in machine or settings between the two tables, which make their
    /// times hard to compare.
    warnings: Vec<String>,
    rule: &'static str,
    changes: Vec<Change>,
    /// Number of timings (one stage in one world) that only one of the two tables contains.
    alone: usize,
}

/// Medians of one stage in one world, in milliseconds, in the old and in the new timing table.
#[derive(Serialize)]
struct Change {
    #[serde(skip)]
    of: Timed,
    stage: String,
    world: String,
    old_ms: f64,
    new_ms: f64,
    /// New median divided by the old one; `None` if the old one is 0.
    ratio: Option<f64>,
    outside_noise: bool,
}

impl Comparison {
    /// Compares the timings that both tables contain. `file`: path of the old table.
    pub(super) fn new(old: &BenchTable, new: &BenchTable, file: &Path) -> Self {
        let mut changes = Vec::new();
        for of in Timed::all() {
            for (row, now) in new.stage(of) {
                let before = old.stage(of).find(|(other, _)| other.world == row.world);
                changes.extend(before.map(|(_, before)| Change::new(of, &row.world, before, now)));
            }
        }
        Self {
            file: file.display().to_string(),
            label: old.label.clone(),
            warnings: warnings(old, new),
            rule: RULE,
            alone: old.all().count() + new.all().count() - 2 * changes.len(),
            changes,
        }
    }

    pub(super) fn text(&self) -> String {
        let label = self
            .label
            .as_ref()
            .map_or(String::new(), |label| format!(" ({label})"));
        let mut lines: Vec<String> = self
            .warnings
            .iter()
            .map(|warning| format!("warning: {warning}"))
            .collect();
        lines.push(format!(
            "against {}{label}: medians in milliseconds,",
            self.file
        ));
        lines.push(RULE.to_owned());
        for of in Timed::all() {
            let changes = self.changes.iter().filter(|change| change.of == of);
            let mut part: Vec<String> = changes.map(Change::text).collect();
            if !part.is_empty() {
                let heads = ["before", "now", "now/before"]
                    .map(|head| format!("{head:>11}"))
                    .join("");
                part.insert(0, format!("{:<NAME_WIDTH$}{heads}", of.title()));
                lines.extend(part);
            }
        }
        if self.alone > 0 {
            lines.push(format!("{} rows are in one of the tables only", self.alone));
        }
        lines.join("\n")
    }
}

impl Change {
    fn new(of: Timed, world: &str, old: &Times, new: &Times) -> Self {
        let outside = |median: f64, other: &Times| median < other.p10 || median > other.p90;
        Self {
            of,
            stage: of.key(),
            world: world.to_owned(),
            old_ms: old.p50,
            new_ms: new.p50,
            ratio: Some(new.p50 / old.p50).filter(|ratio| ratio.is_finite()),
            outside_noise: outside(new.p50, old) && outside(old.p50, new),
        }
    }

    fn text(&self) -> String {
        let mark = match (self.outside_noise, self.new_ms < self.old_ms) {
            (false, _) => "",
            (true, true) => "  faster",
            (true, false) => "  slower",
        };
        let ratio = self
            .ratio
            .map_or("?".to_owned(), |ratio| format!("{ratio:.2}"));
        let (old, new) = (number(self.old_ms), number(self.new_ms));
        format!(
            "  {:<w$}{old:>11}{new:>11}{ratio:>11}{mark}",
            self.world,
            w = NAME_WIDTH - 2
        )
    }
}

/// Returns the timing table `table` as JSON text, with the comparison `compared` if there is one.
pub(super) fn json(
    table: &BenchTable,
    compared: Option<&Comparison>,
) -> serde_json::Result<String> {
    #[derive(Serialize)]
    struct Both<'a> {
        #[serde(flatten)]
        table: &'a BenchTable,
        #[serde(skip_serializing_if = "Option::is_none")]
        compared: Option<&'a Comparison>,
    }
    serde_json::to_string_pretty(&Both { table, compared })
}

/// Returns one warning for each difference between two timing tables in machine, number of threads,
/// number of steps or size of the box.
fn warnings(old: &BenchTable, new: &BenchTable) -> Vec<String> {
    let mut warnings = Vec::new();
    let mut differ = |what: &str, old: String, new: String| {
        if old != new {
            warnings.push(format!("another {what} than before: {new}, not {old}"));
        }
    };
    differ("machine", old.machine.clone(), new.machine.clone());
    differ(
        "number of threads",
        old.threads.to_string(),
        new.threads.to_string(),
    );
    differ(
        "number of steps",
        old.steps.to_string(),
        new.steps.to_string(),
    );
    differ("box", format!("{:?}", old.dims), format!("{:?}", new.dims));
    warnings
}
