//! Space of the air: the shape of its box, and the room that the ground leaves.

pub(crate) mod grid;
pub(crate) mod openness;
