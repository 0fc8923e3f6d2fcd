//! Keys of a scene for a body (a shape into which a scene puts matter or rock) that is read from a
//! world of blocks, such as a building of Minecraft or MagicaVoxel.

use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Cells;
use crate::param::{Table, table};
use crate::validate::{Invalid, one_line};

/// Largest allowed coordinate, in cells: the largest number of cells along an axis of the
/// simulation box.
const FAR: f64 = crate::grid::MAX_SIDE as f64;

table! {
    /// The shape `kind = "blocks"` of a body: the blocks with certain names of a file of
    /// MagicaVoxel (`.vox`) or of Minecraft (`.schem`, `.litematic`).
    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    pub struct BlocksSpec {
        /// File of blocks, relative to the folder of the scene.
        must pub file: PathBuf;
        /// Names of the blocks that belong to the shape, without `minecraft:`, such as
        /// `oak_planks`, or colours in `.vox`, such as `#7f7f7f`; `*` stands for any characters.
        /// Absent: all blocks but air.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        may pub of: Vec<String>;
        /// Lowest corner of the file (x, y, z): west, bottom, north.
        must pub from: [f64; 3], [-FAR, FAR] "cells";
        /// Edge length of a block; 1 when left out.
        #[serde(default = "one", skip_serializing_if = "is_one")]
        may pub edge: f64, [0.01, 256.0] "cells";
        /// Quarter turns of the file, clockwise as seen from above.
        #[serde(default, skip_serializing_if = "is_zero")]
        may pub quarter_turns: usize, [0.0, 3.0] "";
        ..
        /// Cells of the shape; `None` until a scene has read the file.
        pub cells: Option<Arc<Cells>>;
    }
}

fn one() -> f64 {
    1.0
}

fn is_one(number: &f64) -> bool {
    *number == 1.0
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

impl BlocksSpec {
    /// Checks that every number is in range; `key` is the name of the table in messages.
    pub fn validate(&self, key: &str) -> Result<(), Invalid> {
        one_line(&format!("{key}.file"), &self.file.to_string_lossy())?;
        for name in &self.of {
            one_line(&format!("{key}.of"), name)?;
        }
        self.check(key)
    }
}
