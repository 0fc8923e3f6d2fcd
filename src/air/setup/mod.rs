//! Choices of a scene for its air: the `[air]` table, the solver, and scales from metres, seconds and kelvin.

pub(in crate::air) mod motion;
pub(in crate::air) mod scale;
pub(in crate::air) mod spec;
