//! Places in the world: what the coordinates of a map mean, where a raster lies on it, and where the box of a simulation
//! stands. Plain numbers and texts: nothing here reads a file.

pub mod crs;
mod epsg;
mod georeference;
mod placement;
mod site;
mod wkt;

pub use crs::{Crs, GeoKey};
pub use georeference::{Bounds, Georeference};
pub use placement::Placement;
pub use site::Site;
