//! The air around the ground: heat lifts it, and it carries heat, ash and steam (seed 3: Mick West, Practical Fluid Mechanics).
//!
//! The air has cells of its own, some voxels wide ([`AirGrid`]). Two solvers move it ([`Solver`]).

mod amounts;
mod grid;
mod openness;
mod solver;

pub use self::amounts::{Amounts, Field, UNIT};
pub use self::grid::{AXES, AirGrid, BEYOND, Side};
pub use self::openness::{OPEN, Openness};
pub use self::solver::{Flows, Forces, Solver};
