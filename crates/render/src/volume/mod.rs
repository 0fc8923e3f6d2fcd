//! Volume sampling for ray marching: occupancy bricks that skip empty space, interpolated density
//! fields, screen tiles, and caches that are kept between frames.

pub(crate) mod blocks;
pub mod bricks;
pub mod field;
pub(crate) mod pages;
pub(crate) mod places;
pub mod prepared;
pub(crate) mod seen;
pub(crate) mod tiles;
