//! Placeholder for targets without a C compiler, where GeoPackages cannot be read.

use std::path::Path;

use lavoxel_files::input::Loaded;
use serde_json::Value;

/// Always fails: this build has no SQLite, and therefore cannot read GeoPackages.
pub(super) fn collection(_: &Path) -> Result<Loaded<Value>, String> {
    Err("cannot be read in a browser; a GeoJSON file can".to_owned())
}
