//! Geometry of the air: the shape of its grid, and the cells and faces that the ground blocks.

pub(crate) mod grid;
pub(crate) mod openness;
