//! Descriptions of a world's appearance: camera, look, materials and palette. Scene files store
//! these descriptions and the renderers consume them; this module does not draw.

mod camera;
mod color_by;
mod drape;
mod look;
mod material;
mod palette;
mod style;
mod sun;

pub use camera::CameraSpec;
pub use drape::Drape;
pub use drape::Pixels;
pub use lavoxel_base::measure::COLORS;
pub use look::{AirLook, Antialias, LookSpec, SkyPreset, Surroundings};
pub use material::Form;
pub use material::{MaterialLook, Preset};
pub use palette::{PALETTE_NAMES, Palette, PaletteSpec, Stop};
pub use palette::{linear_to_srgb, srgb_to_linear};
pub use style::Style;
pub use sun::sun;
