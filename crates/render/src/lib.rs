//! Renderer: draws pictures of volumes, slices and maps, with a camera, a ray-marcher on the CPU,
//! looks of materials, palettes and colour bars.
//!
//! The crate takes volumes and returns pixels. It must not know how simulations run, files or
//! windows.
//!
//! Modules marked `doc(hidden)` are public for the window crate, which draws the same scenes on the
//! graphics card: it uploads the data baked here and uses the same formulas.
//!
//! - Invariant: the pixels do not depend on the number of threads.
//!
//! Begin with [`Renderer::frame`]. A new look of matter is a file of `media`, `lava` or `ground`; a
//! new style is a file of `style`.

#![warn(missing_docs, clippy::print_stdout)]

pub(crate) mod camera;
#[doc(hidden)]
pub mod chart;
#[doc(hidden)]
pub mod contents;
#[doc(hidden)]
pub mod film;
mod frame;
#[doc(hidden)]
pub mod ground;
pub(crate) mod image;
#[doc(hidden)]
pub mod lava;
#[doc(hidden)] // for the ray-marcher that tests compare with
pub mod mask;
#[doc(hidden)]
pub mod math;
#[doc(hidden)]
pub mod media;
mod names;
mod need;
pub(crate) mod noise;
mod picture;
mod print;
#[doc(hidden)]
pub mod renderer;
mod rulers;
#[doc(hidden)]
pub mod running;
mod slice;
#[doc(hidden)]
pub mod style;
#[doc(hidden)]
pub mod volume;

#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_looks;
#[cfg(test)]
mod tests_media;
#[cfg(test)]
mod tests_smoke;

pub use camera::{Bounds, Camera, Framing, Ray};
pub use chart::axes::Ruler;
pub use chart::key::{Plain, palette_of_quantity};
pub use chart::legend::Scale;
pub use chart::notes::{Notes, clock};
pub use chart::relief::Relief;
pub use chart::sheet::{Legend, Sheet};
pub use chart::ticks::round_up;
pub use contents::Cut;
pub use ground::land::picture as ground_picture;
pub use ground::lava_glow::Glow;
pub use image::Image;
pub use lava::blackbody::BlackBody;
pub use lava::sparks::Mouth;
pub use lavoxel_automaton::view::{
    AirLook, Antialias, CameraSpec, LookSpec, MaterialLook, PALETTE_NAMES, Palette, PaletteSpec,
    Preset, SkyPreset, Stop, Style, Surroundings, sun,
};
pub use media::sea::Sea;
pub use names::Named;
pub use need::{
    need, need_of_air, need_of_layers, need_of_media, need_of_picture, need_of_print,
    need_of_smoke, need_of_surroundings,
};
pub use picture::picture;
pub use print::{Print, PrintEnd, PrintLayers};
pub use renderer::Renderer;
pub use slice::{
    Axis, CellRect, Content, Crop, Plane, Sample, Section, SliceSpec, SliceStyle, Slices, Survey,
    slice, slice_of_motion,
};
