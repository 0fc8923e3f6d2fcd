//! Positions in the world: coordinate systems of maps, georeferences of rasters, and the position
//! of the simulation box on a map.

pub mod columns;
pub mod compare;
pub mod contour;
pub mod crs;
mod degrees;
mod epsg;
pub mod features;
pub mod geojson;
mod georeference;
#[cfg_attr(target_family = "wasm", path = "gpkg_without_sqlite.rs")]
mod gpkg;
pub mod longitude;
mod nzmg;
pub mod outline;
mod placement;
#[cfg_attr(target_family = "wasm", path = "registry_in_browser.rs")]
mod registry;
pub mod rounded;
pub mod scale;
mod site;
mod wkt;

pub use crs::{Crs, Epsg, GeoKey};
pub use degrees::ToDegrees;
pub use georeference::{Bounds, Georeference};
pub use placement::Placement;
pub use scale::Scale;
pub use site::Site;
