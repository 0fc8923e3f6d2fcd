//! Setup of the air from a scene: the `[air]` table, the choice of the solver, and the conversion
//! from metres, seconds and kelvin to cells and steps.

pub(crate) mod motion;
pub(crate) mod scale;
pub(crate) mod spec;
