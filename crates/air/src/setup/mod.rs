//! Setup of the air from a scene: the `[air]` table, the solver, and scales from metres, seconds
//! and kelvin.

pub(crate) mod motion;
pub(crate) mod scale;
pub(crate) mod spec;
