//! Terrain: heightmaps, and what is measured on them.
//!
//! Two kinds of array travel through this module, both of shape `(rows, cols)` with **row 0 in the north** and
//! **column 0 in the west**:
//!
//! - a [`Heightmap`] holds heights in metres, with NaN where there is no data;
//! - a [`Surface`] holds the height of the ground in *cells* above the floor of a box, one number per voxel column,
//!   shape `(nz, nx)`. A cell is solid when its centre lies below that height.
//!
//! Files become heightmaps in [`load()`], one file of code per format; [`TerrainSpec`] turns a heightmap or a
//! [generator](crate::generate) into the ground of a box.

pub mod asc;
mod askew;
mod build;
pub mod csv;
mod cut;
mod encoding;
pub mod error;
mod fit;
pub mod geotiff;
pub mod heightmap;
pub mod hgt;
pub mod hillshade;
mod holes;
pub mod load;
pub mod npy;
pub mod png;
pub mod raw;
mod read;
pub mod resample;
mod samples;
mod smooth;
pub mod spec;
mod surface;
mod tokens;
pub mod usgs_dem;
pub mod write;

use crate::map::{Bounds, Crs, Epsg, Georeference, Placement};
pub(crate) use build::CellSize;
pub use encoding::{Encoding, Number};
pub use error::TerrainError;
pub use heightmap::{Crop, Fill, Heightmap, Statistics};
pub use hillshade::{Hillshade, Picture};
pub use load::{endings, load, load_values};
pub use read::LoadOptions;
pub use spec::{Kind, TerrainSpec};
pub use surface::Surface;
