//! Tables in files.

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;

use lavoxel::output::{Existing, OutputError, WholeFile};
use lavoxel::validate::tame;

use super::table::{FORMAT, Table};

/// Longest file that is read as a table, in bytes; one has some ten thousand.
const MAX_FILE: u64 = 1 << 20;

/// Writes a table, whole or not at all.
pub(super) fn write(table: &Table, path: &Path, existing: Existing) -> anyhow::Result<()> {
    let json = serde_json::to_string_pretty(table)?;
    let mut file = WholeFile::create(path, existing)?;
    writeln!(file, "{json}").map_err(|cause| OutputError::io(path, cause))?;
    Ok(file.commit()?)
}

/// Reads what [`write`] wrote, and nothing else.
pub(super) fn read(path: &Path) -> anyhow::Result<Table> {
    let name = path.display();
    let mut text = String::new();
    File::open(path)
        .and_then(|file| file.take(MAX_FILE + 1).read_to_string(&mut text))
        .map_err(|cause| anyhow::anyhow!("cannot read {name}: {cause}"))?;
    let wrong = |what: &str| anyhow::anyhow!("{name}: not a table of lavoxel bench --save: {}", tame(what));
    if text.len() as u64 > MAX_FILE {
        return Err(wrong(&format!("longer than {MAX_FILE} bytes")));
    }
    let mut table: Table = serde_json::from_str(&text).map_err(|e| wrong(&e.to_string()))?;
    if table.format != FORMAT {
        return Err(wrong(&format!("its format is {:?}, and {FORMAT:?} is needed", table.format)));
    }
    if let Some((row, _)) = table.all().find(|(_, times)| !times.is_sound()) {
        return Err(wrong(&format!("the times of {:?} are none", row.world)));
    }
    table.label = table.label.as_deref().map(tame);
    table.machine = tame(&table.machine);
    Ok(table)
}
