//! Model of the air above and around the ground: heat lifts the air, and the air carries heat, ash,
//! steam and inks (after Mick West, Practical Fluid Mechanics, Game Developer, March and April
//! 2007).
//!
//! The air has its own grid, whose cells are one or more voxels (cells of the lava's grid) wide
//! ([`AirGrid`]), and stores which of its cells and faces are blocked by solid voxels
//! ([`Openness`]). The air carries integer amounts, each booked in an account ([`Amounts`],
//! [`FieldAccount`]). A [`Solver`] computes the motion.
//!
//! The crate must not know materials, scenes or pictures.
//!
//! - Invariant: heat, ash, steam and inks are integers, and their accounts balance exactly.
//! - Invariant: all results are the same bits for any number of threads.
//!
//! Begin with `solver.rs`, the interface of a solver; a new solver implements its trait.

#![warn(missing_docs, clippy::print_stdout)]

mod fall;
pub mod incompressible;
mod measured;
pub mod practical_fluid;
mod setup;
mod solver;
mod space;
mod state;
mod store;
mod wind;

pub use self::setup::motion::Motion;
pub use self::setup::scale::LAVA_K;
pub use self::setup::scale::Scale;
pub use self::setup::spec::{AirSpec, SidesSpec};
pub use self::solver::{Flows, Forces, Solver};
pub use self::space::grid::{AXES, AirGrid, BEYOND, Side};
pub use self::space::openness::{OPEN, Openness};
pub use self::state::Air;
pub use self::store::account::FieldAccount;
pub use self::store::amounts::{Amounts, Field, UNIT};
pub use self::store::saved::AirState;
pub use self::store::saved::Numbers;
pub use self::wind::FASTEST_M_S;
pub use self::wind::Wind;
