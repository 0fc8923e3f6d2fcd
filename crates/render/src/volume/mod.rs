//! The volume as rays see it, and the parts that are cached from frame to frame.

pub(crate) mod blocks;
pub mod bricks;
pub mod field;
pub(crate) mod pages;
pub(crate) mod places;
pub mod prepared;
pub(crate) mod seen;
pub(crate) mod tiles;
