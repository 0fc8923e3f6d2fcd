//! Space of the air: the shape of its box, and the room that the ground leaves.

pub(in crate::air) mod grid;
pub(in crate::air) mod openness;
