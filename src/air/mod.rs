//! The air around the ground: heat lifts it, and it carries heat, ash and steam (seed 3: Mick West, Practical Fluid Mechanics,
//! Game Developer, March and April 2007).
//!
//! The air has cells of its own, some voxels wide ([`AirGrid`]), and reads which voxels are in its way ([`Openness`]). What it
//! carries are whole units, each of which an account knows ([`Amounts`], [`FieldAccount`]). A [`Solver`] moves it.

mod account;
mod amounts;
pub mod article;
mod fall;
mod grid;
pub mod incompressible;
mod measured;
mod motion;
mod openness;
mod saved;
mod scale;
mod solver;
mod spec;
mod state;
mod wind;

pub use self::account::FieldAccount;
pub use self::amounts::{Amounts, Field, UNIT};
pub use self::grid::{AXES, AirGrid, BEYOND, Side};
pub use self::motion::Motion;
pub use self::openness::{OPEN, Openness};
pub(crate) use self::saved::AirState;
#[cfg(feature = "files")]
pub(crate) use self::saved::Numbers;
pub(crate) use self::scale::LAVA_K;
pub use self::scale::Scale;
pub use self::solver::{Flows, Forces, Solver};
pub use self::spec::{AirSpec, SidesSpec};
pub use self::state::Air;
#[cfg(feature = "viewer")]
pub(crate) use self::wind::FASTEST_M_S;
pub use self::wind::Wind;
