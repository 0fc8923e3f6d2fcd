//! Keys of a scene for a body (a shape into which the scene puts matter or rock) that is read from
//! a mesh file.

use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Cells;
use crate::param::{Table, table, words};
use crate::validate::{Invalid, one_line};

/// Largest allowed coordinate and size, in cells: the largest number of cells along an axis of the
/// simulation box.
const FAR: f64 = crate::grid::MAX_SIDE as f64;

/// Axis convention of a mesh file, named by the axis that points up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Up {
    /// Axes x east, y up, z south, as in glTF.
    Y,
    /// Axes x east, y north, z up, as in files for 3D printers.
    Z,
}

words!(Up);

table! {
    /// The shape `kind = "mesh"` of a body: the inside of a closed mesh. The mesh keeps its
    /// proportions in metres: where heights are exaggerated or cells are not cubes, it is stretched
    /// like the land.
    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    pub struct MeshSpec {
        /// Mesh file (`.stl`, `.obj` or `.glb`), relative to the folder of the scene.
        must pub file: PathBuf;
        /// Name of the one object of the file that is used; absent: the whole file.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        may pub part: Option<String>;
        /// Axis of the file that points up; absent: z for `.stl`, else y.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        may pub up: Option<Up>;
        /// Angle by which the mesh is turned clockwise, seen from above.
        #[serde(default, skip_serializing_if = "is_zero")]
        may pub turn_deg: f64, [-3600.0, 3600.0] "°";
        /// Position (x, y, z) of the middle of the mesh's lowest end; either this or `origin`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        may pub base: Option<[f64; 3]>, [-FAR, FAR] "cells";
        /// Position (x, y, z) of the origin of the file; either this or `base`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        may pub origin: Option<[f64; 3]>, [-FAR, FAR] "cells";
        /// Height of the mesh; either this or `unit_m`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        may pub height: Option<f64>, [0.01, FAR] "cells";
        /// Length of a unit of the file: 1 for a file in metres, 0.001 for one in millimetres;
        /// either this or `height`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        may pub unit_m: Option<f64>, [1e-9, 1e9] "m";
        ..
        /// Cells inside the mesh; `None` until a scene has read the file.
        pub cells: Option<Arc<Cells>>;
    }
}

fn is_zero(number: &f64) -> bool {
    *number == 0.0
}

impl MeshSpec {
    /// Checks that every number is in range, that exactly one of `base` and `origin` is given, and
    /// exactly one of `height` and `unit_m`; `key` is the name of the table in messages.
    pub fn validate(&self, key: &str) -> Result<(), Invalid> {
        one_line(&format!("{key}.file"), &self.file.to_string_lossy())?;
        if let Some(part) = &self.part {
            one_line(&format!("{key}.part"), part)?;
        }
        self.check(key)?;
        one_of(
            key,
            [
                ("base", self.base.is_some()),
                ("origin", self.origin.is_some()),
            ],
        )?;
        one_of(
            key,
            [
                ("height", self.height.is_some()),
                ("unit_m", self.unit_m.is_some()),
            ],
        )
    }
}

/// Returns an error unless exactly one of two keys of the table called `key` is given; each array
/// entry is the name of a key and a flag that is true if the key is given.
fn one_of(
    key: &str,
    [(first, has_first), (second, has_second)]: [(&str, bool); 2],
) -> Result<(), Invalid> {
    match (has_first, has_second) {
        (true, true) => Err(Invalid::new(
            &format!("{key}.{second}"),
            "set",
            format!("left out beside {key}.{first}"),
        )),
        (false, false) => Err(Invalid::new(
            &format!("{key}.{first}"),
            "nothing",
            format!("given, or {second}"),
        )),
        _ => Ok(()),
    }
}
