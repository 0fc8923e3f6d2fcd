//! Sampling of volumes for ray marching: bricks by which rays skip empty space, interpolated
//! densities, square tiles of pixels, and data that is cached between frames.

pub(crate) mod blocks;
pub mod bricks;
pub mod field;
pub(crate) mod pages;
pub(crate) mod places;
pub mod prepared;
pub(crate) mod seen;
pub(crate) mod tiles;
