//! Terrain: heightmaps, operations on them, and their conversion to the ground of a simulation box.
//!
//! Two kinds of array are used in this module, both of shape `(rows, cols)` with **row 0 in the
//! north** and **column 0 in the west**:
//!
//! - a [`Heightmap`] contains heights in metres, with NaN where there is no data;
//! - a [`Surface`] contains the height of the ground in *cells* above the floor of a box, one
//!   number per voxel column, shape `(nz, nx)`. A cell is solid when its centre lies below that
//!   height.
//!
//! [`load()`] reads a file as a heightmap; [`formats`] has one source file per format.
//! [`TerrainSpec`] converts a heightmap, or the result of a [generator](crate::generate), to the
//! ground of a box.

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
