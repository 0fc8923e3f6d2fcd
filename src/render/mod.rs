//! Pictures: camera, volume ray-marcher, slices and palettes. Nothing here knows the rules or the simulation.
//!
//! The rooms that the crate can enter are shared with the window, which draws the same things with the graphics card:
//! what is baked for the ray-marcher is uploaded there, and the formulas are the same.

mod axes;
mod beams;
pub(crate) mod billows;
pub(crate) mod blackbody;
pub(crate) mod blocks;
pub(crate) mod bricks;
pub(crate) mod camera;
mod cinematic;
pub(crate) mod clear;
pub(crate) mod contents;
mod crust;
pub(crate) mod ember;
mod field;
pub(crate) mod film;
pub(crate) mod fog;
mod frame;
pub(crate) mod haze;
pub(crate) mod heightfield;
pub(crate) mod image;
mod key;
pub(crate) mod land;
pub(crate) mod legend;
#[doc(hidden)] // for the ray-marcher that tests compare with
pub mod mask;
pub(crate) mod math;
pub(crate) mod media;
mod names;
mod need;
pub(crate) mod noise;
mod pages;
mod picture;
mod places;
pub(crate) mod plain;
pub(crate) mod plates;
pub(crate) mod plume;
pub(crate) mod prepared;
pub(crate) mod raster;
mod relief;
pub(crate) mod renderer;
mod seen;
mod shading;
mod sheet;
pub(crate) mod sky;
mod slice;
pub(crate) mod smoke;
pub(crate) mod solid;
pub(crate) mod steam;
mod text;
pub(crate) mod ticks;
mod tiles;
mod tracer;
pub(crate) mod transfer;
mod veils;
pub(crate) mod water;

#[cfg(all(test, feature = "files"))]
mod tests;
#[cfg(all(test, feature = "files"))]
mod tests_looks;
#[cfg(all(test, feature = "files"))]
mod tests_media;
#[cfg(all(test, feature = "files"))]
mod tests_smoke;

pub use crate::view::{
    AirLook, Antialias, CameraSpec, LookSpec, MaterialLook, PALETTE_NAMES, Palette, PaletteSpec, Preset, SkyPreset,
    Stop, Style,
};
pub use axes::Ruler;
pub use blackbody::BlackBody;
pub use camera::{Bounds, Camera, Framing, Ray};
pub use contents::Cut;
pub use ember::Glow;
pub use image::Image;
pub use key::Plain;
#[cfg(feature = "files")]
pub(crate) use land::picture as ground_picture;
pub use legend::Scale;
pub use names::Named;
pub use need::{need, need_of_air, need_of_media, need_of_picture, need_of_smoke};
pub use picture::picture;
pub use relief::Relief;
pub use renderer::Renderer;
pub use sheet::{Legend, Sheet};
pub use slice::{Axis, Content, Crop, Part, Sample, SliceSpec, SliceStyle, Survey, slice, slice_of_motion};
pub use ticks::round_up;
