//! How a world is viewed, as plain descriptions: camera, look, materials and palette. Scene files hold them, [`crate::render`] and the
//! window draw by them; they need neither.

mod camera;
mod color_by;
mod drape;
mod look;
mod material;
mod palette;
mod style;
mod sun;

pub use camera::CameraSpec;
pub(crate) use color_by::COLORS;
pub use drape::Drape;
pub(crate) use drape::Pixels;
pub use look::{AirLook, Antialias, LookSpec, SkyPreset, Surroundings};
pub(crate) use material::Form;
pub use material::{MaterialLook, Preset};
pub use palette::{PALETTE_NAMES, Palette, PaletteSpec, Stop};
pub(crate) use palette::{linear_to_srgb, srgb_to_linear};
pub use style::Style;
pub use sun::sun;
