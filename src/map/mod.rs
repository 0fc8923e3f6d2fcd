//! Places in the world: what the coordinates of a map mean, where a raster lies on it, and where the box of a simulation
//! stands. Plain numbers and texts: nothing here reads a file.

#[cfg(feature = "files")]
pub(crate) mod columns;
pub mod compare;
pub mod contour;
pub mod crs;
#[cfg(feature = "files")]
mod degrees;
mod epsg;
#[cfg(feature = "files")]
pub mod features;
#[cfg(feature = "files")]
pub mod geojson;
mod georeference;
#[cfg(feature = "files")]
mod gpkg;
pub mod longitude;
#[cfg(feature = "files")]
mod nzmg;
pub mod outline;
mod placement;
#[cfg(feature = "files")]
pub(crate) mod rounded;
pub mod scale;
mod site;
mod wkt;

pub use crs::{Crs, Epsg, GeoKey};
#[cfg(feature = "files")]
pub use degrees::ToDegrees;
pub use georeference::{Bounds, Georeference};
pub use placement::Placement;
pub use scale::Scale;
pub use site::Site;
