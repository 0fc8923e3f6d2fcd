//! Pictures: camera, volume ray-marcher, slices and palettes. Nothing here knows the rules or the simulation.

mod blackbody;
mod bricks;
mod camera;
mod cinematic;
mod crust;
mod ember;
mod field;
mod film;
mod heightfield;
mod image;
mod land;
mod legend;
mod look;
mod math;
mod noise;
mod palette;
mod plates;
mod raster;
mod renderer;
mod sky;
mod slice;
mod text;
mod transfer;

#[cfg(test)]
mod tests;

pub use blackbody::BlackBody;
pub use camera::{Bounds, Camera, CameraSpec, Ray};
pub use image::Image;
pub use legend::Scale;
pub use look::{Antialias, ColorBy, LookSpec, SkyPreset, Style};
pub use palette::{PALETTE_NAMES, Palette, PaletteSpec, Stop};
pub use renderer::Renderer;
pub use slice::{Axis, Content, SliceSpec, SliceStyle, slice};
