//! The volume as rays see it, and what of it is cached from frame to frame.

pub(crate) mod blocks;
pub(crate) mod bricks;
pub(crate) mod field;
pub(in crate::render) mod pages;
pub(in crate::render) mod places;
pub(crate) mod prepared;
pub(in crate::render) mod seen;
pub(in crate::render) mod tiles;
