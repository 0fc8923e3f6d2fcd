//! Terrain: heightmaps, and measurements on them.
//!
//! Two kinds of array are used in this module, both of shape `(rows, cols)` with **row 0 in the
//! north** and **column 0 in the west**:
//!
//! - a [`Heightmap`] holds heights in metres, with NaN where there is no data;
//! - a [`Surface`] holds the height of the ground in *cells* above the floor of a box, one number
//!   per voxel column, shape `(nz, nx)`. A cell is solid when its centre lies below that height.
//!
//! Files become heightmaps in [`load()`], one file of [`formats`] each; [`TerrainSpec`] turns a
//! heightmap or a [generator](crate::generate) into the ground of a box.

mod build;
mod cut;
mod encoding;
pub mod error;
mod fit;
pub mod formats;
pub mod heightmap;
pub mod hillshade;
mod holes;
mod noise;
pub mod photo;
pub mod resample;
mod smooth;
pub mod spec;
mod surface;
mod survey;
mod unit;
pub mod write;

use crate::map::Placement;
use crate::map::{Bounds, Crs, Epsg, Georeference};
pub use build::CellSize;
pub use encoding::{Encoding, Number};
pub use error::TerrainError;
pub use formats::{LoadOptions, endings, load, load_values, sidecar_files};
pub use heightmap::{Crop, Fill, Heightmap, Statistics};
pub use hillshade::{Hillshade, Picture};
pub use spec::DEFAULT_CELL_SIZE_M;
pub use spec::{TerrainKind, TerrainSpec};
pub use surface::Surface;
pub use surface::summit;
pub use survey::on_columns;
pub use unit::HeightUnit;
