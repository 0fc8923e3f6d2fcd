//! Rules of the automaton: one file per rule, each with its formula for one or two cells and the
//! equations of the paper from which it comes. [`crate::engine`] applies the rules to the whole
//! box, and does so fast.
//!
//! The paper: Xiaoming Wei, Wei Li and Arie Kaufman, *Interactive Flowing of Highly Viscous Volumes
//! in Virtual Environments*, 2003. Equations 1–5 are gravity, 6–19 spreading; section 5 is the
//! low-pass filter. A paragraph marked **Decided** settles a point that the paper leaves open. The
//! other liquids follow *An Exploration of Cellular Automata and Graph Based Game Systems, part 2:
//! Grid Based Fluid Systems*; grains follow *How To Make a “Falling Sand” Style Water Simulation*.

mod change;
pub mod compress;
pub mod damping;
pub mod drift;
pub mod dry;
pub mod float;
pub mod grains;
pub mod gravity;
pub mod inert;
pub mod level;
mod material;
mod params;
pub mod react;
pub mod roof_outflow;
mod schedule;
mod shape;
pub mod solidify;
pub mod spreading;
pub mod squeeze;
pub mod trace;
mod transfer;

pub use change::{Change, MaterialChange, Parameters, RulesChange};
pub use lavoxel_base::grid::Walls;
pub use lavoxel_base::param::Scale;
pub use params::{Friction, Roof, RulesSpec};
pub use schedule::{Rule, Rules};
pub(crate) use shape::{
    Around, Bodies, Column, Driver, Each, Exchange, Flow, Height, HeightKind, Near, Next, Pair,
    Shares, Surface, TilesAround, Turns, UpDown, masked,
};
pub use shape::{Bed, DIRECTIONS, Due, Gift, Gifts, Here, Needed, Point, SIDES, Side, Turn};
pub use transfer::Parcel;

/// Numeric parameter of a rule: access to a field of a `T`, with key, range and help text.
pub type Param<T = RulesSpec> = lavoxel_base::param::Param<T>;
