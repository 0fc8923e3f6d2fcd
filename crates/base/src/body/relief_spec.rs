//! Keys of a scene for a body (a shape into which the scene puts matter or rock) that is read from
//! a heightmap, such as a bar of chocolate or the floor of a mould.

use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Cells;
use crate::param::{Table, table};
use crate::validate::{Invalid, one_line};

/// Largest allowed coordinate and size, in cells: the largest number of cells along an axis of the
/// simulation box.
const FAR: f64 = crate::grid::MAX_SIDE as f64;

table! {
    /// The shape `kind = "heightmap"` of a body: all cells below the heights of a file. The lowest
    /// height of the file lies at the bottom of the shape, the highest at the top; where the file
    /// has no height, the shape has no cells.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct ReliefSpec {
        /// Heightmap file, relative to the folder of the scene, in any supported format of
        /// heightmaps.
        must pub file: PathBuf;
        /// Lowest corner of the shape (x, y, z): west, bottom, north.
        must pub from: [f64; 3], [-FAR, FAR] "cells";
        /// Extent of the shape along x, y and z.
        must pub size: [f64; 3], [0.5, FAR] "cells";
        ..
        /// Cells inside the shape; `None` until a scene has read the file.
        pub cells: Option<Arc<Cells>>;
    }
}

impl ReliefSpec {
    /// Checks that every number is in range; `key` is the name of the table in messages.
    pub fn validate(&self, key: &str) -> Result<(), Invalid> {
        one_line(&format!("{key}.file"), &self.file.to_string_lossy())?;
        self.check(key)
    }
}
