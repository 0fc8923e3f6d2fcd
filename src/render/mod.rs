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
mod look;
mod math;
mod noise;
mod palette;
mod raster;
mod renderer;
mod sky;
mod transfer;

pub use blackbody::BlackBody;
pub use camera::{Bounds, Camera, CameraSpec, Ray};
pub use image::Image;
pub use land::TerrainLook;
pub use look::{Antialias, ColorBy, LookSpec, SkyPreset, Style};
pub use palette::{PALETTE_NAMES, Palette, PaletteSpec, Stop};
pub use renderer::Renderer;
