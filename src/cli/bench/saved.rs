//! Timing tables in JSON files: writing and reading.

use std::io::Write;
use std::path::Path;

use lavoxel::input::{BENCH, InputError};
use lavoxel::output::{Existing, whole};
use lavoxel::validate::escape_for_terminal;

use super::table::{BenchTable, FORMAT};

/// Writes a timing table to the file `path`; if this fails, the file is unchanged or absent.
/// `existing`: rule for a file that exists.
pub(super) fn write(table: &BenchTable, path: &Path, existing: Existing) -> anyhow::Result<()> {
    let json = serde_json::to_string_pretty(table)?;
    Ok(whole(path, existing, |out| writeln!(out, "{json}"))?)
}

/// Reads a timing table that [`write`] wrote. Fails for any other content.
pub(super) fn read(path: &Path) -> anyhow::Result<BenchTable> {
    let name = path.display();
    let wrong = |what: &str| {
        anyhow::anyhow!(
            "{name}: not a table of lavoxel bench --save: {}",
            escape_for_terminal(what)
        )
    };
    let table = BENCH
        .text(path, |text| serde_json::from_str::<BenchTable>(&text))
        .map_err(|error| match error {
            InputError::Read(cause) => anyhow::anyhow!("cannot read {name}: {cause}"),
            error => wrong(&error.to_string()),
        })?;
    let mut table = table.map_err(|e| wrong(&e.to_string()))?;
    if table.format != FORMAT {
        return Err(wrong(&format!(
            "its format is {:?}, and {FORMAT:?} is needed",
            table.format
        )));
    }
    if let Some((row, _)) = table.all().find(|(_, times)| !times.is_sound()) {
        return Err(wrong(&format!("the times of {:?} are none", row.world)));
    }
    table.label = table.label.as_deref().map(escape_for_terminal);
    table.machine = escape_for_terminal(&table.machine);
    Ok(table)
}
