//! Placeholder for systems without a C library, where no GeoPackage can be read.

use std::path::Path;

use lavoxel_files::input::Loaded;
use serde_json::Value;

/// Refuses the file.
pub(super) fn collection(_: &Path) -> Result<Loaded<Value>, String> {
    Err("cannot be read in a browser; a GeoJSON file can".to_owned())
}
