//! Appearance of a world in pictures: camera, look, materials and palettes, as plain data. Scene
//! files contain these data and the renderers read them; nothing is drawn here.

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
