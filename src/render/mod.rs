//! Pictures: camera, volume ray-marcher, slices and palettes. Nothing here knows the rules or the simulation.
//!
//! The rooms that the crate can enter are shared with the window, which draws the same things with the graphics card:
//! what is baked for the ray-marcher is uploaded there, and the formulas are the same.

mod beams;
pub(crate) mod blackbody;
pub(crate) mod bricks;
pub(crate) mod camera;
mod cinematic;
mod crust;
pub(crate) mod ember;
mod field;
pub(crate) mod film;
mod frame;
pub(crate) mod heightfield;
pub(crate) mod image;
pub(crate) mod land;
pub(crate) mod legend;
pub(crate) mod look;
pub(crate) mod math;
mod need;
pub(crate) mod noise;
mod pages;
pub(crate) mod palette;
pub(crate) mod plain;
pub(crate) mod plates;
mod prepared;
pub(crate) mod raster;
mod renderer;
pub(crate) mod sky;
mod slice;
mod text;
mod tiles;
mod tracer;
pub(crate) mod transfer;

#[cfg(test)]
mod tests;

pub use blackbody::BlackBody;
pub use camera::{Bounds, Camera, CameraSpec, Framing, Ray};
pub use ember::Glow;
pub use image::Image;
pub use legend::Scale;
pub use look::{Antialias, ColorBy, LookSpec, SkyPreset, Style};
pub use need::{need, need_of_picture};
pub use palette::{PALETTE_NAMES, Palette, PaletteSpec, Stop};
pub use renderer::Renderer;
pub use slice::{Axis, Content, SliceSpec, SliceStyle, slice};
