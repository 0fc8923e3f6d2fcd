//! Pictures: camera, volume ray-marcher, slices and palettes. Nothing here knows the rules or the simulation.
//!
//! The rooms that the crate can enter are shared with the window, which draws the same things with the graphics card:
//! what is baked for the ray-marcher is uploaded there, and the formulas are the same.

pub(crate) mod camera;
pub(crate) mod chart;
pub(crate) mod contents;
pub(crate) mod film;
mod frame;
pub(crate) mod ground;
pub(crate) mod image;
pub(crate) mod lava;
#[doc(hidden)] // for the ray-marcher that tests compare with
pub mod mask;
pub(crate) mod math;
pub(crate) mod media;
mod names;
mod need;
pub(crate) mod noise;
mod picture;
pub(crate) mod renderer;
mod rulers;
mod slice;
pub(crate) mod style;
pub(crate) mod volume;

#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_looks;
#[cfg(test)]
mod tests_media;
#[cfg(test)]
mod tests_smoke;

pub use crate::view::{
    AirLook, Antialias, CameraSpec, LookSpec, MaterialLook, PALETTE_NAMES, Palette, PaletteSpec, Preset, SkyPreset,
    Stop, Style, Surroundings, sun,
};
pub use camera::{Bounds, Camera, Framing, Ray};
pub use chart::axes::Ruler;
pub use chart::key::{Plain, palette_of_quantity};
pub use chart::legend::Scale;
pub use chart::notes::{Notes, clock};
pub use chart::relief::Relief;
pub use chart::sheet::{Legend, Sheet};
pub use chart::ticks::round_up;
pub use contents::Cut;
pub use ground::ember::Glow;
pub(crate) use ground::land::picture as ground_picture;
pub use image::Image;
pub use lava::blackbody::BlackBody;
pub use lava::sparks::Mouth;
pub use media::sea::Sea;
pub use names::Named;
pub use need::{need, need_of_air, need_of_media, need_of_picture, need_of_smoke, need_of_surroundings};
pub use picture::picture;
pub use renderer::Renderer;
pub use slice::{
    Axis, Content, Crop, Part, Plane, Sample, Section, SliceSpec, SliceStyle, Slices, Survey, slice, slice_of_motion,
};
