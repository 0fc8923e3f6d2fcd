//! Interface of a solver of the air's motion.

use crate::{Amounts, Field, Openness};
use lavoxel_base::grid::Place;

/// Forces on the air in a step. Lengths are in cells, times in steps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Forces {
    /// Upward acceleration in cells/step² of air with a heat value of 1.0.
    pub lift: f32,
    /// Downward acceleration in cells/step² per 1.0 of ash plus steam.
    pub weight: f32,
    /// Heat in units of stratified air at rest, indexed by height in cells; empty: 0 at every
    /// height.
    pub background: Vec<u32>,
    /// Coefficients `[a, b, c]` of the deceleration a·v² + b·v + c at speed v, in cells and steps.
    pub friction: [f32; 3],
    /// Deceleration in cells/step² of air that neither lift nor wind drives; also the threshold of
    /// lift below which such air is not accelerated.
    pub calming: f32,
    /// Wind velocity along x and z in cells per step, indexed by height in cells; empty: no wind.
    pub wind: Vec<[f32; 2]>,
}

/// Changes of the accounts in one step, in units, indexed by [`crate::Field`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flows {
    /// Outflow through open sides minus inflow, in units.
    pub out: [i64; Field::COUNT],
    /// Units of each field lost by decay.
    pub decayed: [u64; Field::COUNT],
}

/// Solver that moves the air and the fields it carries.
///
/// Invariant: all results are the same bits for any number of threads and on every instruction set.
pub trait Solver: Send + Sync + std::fmt::Debug {
    /// Updates the solver's copy of the solid cells and faces in the columns `(x, z)` of `columns`.
    /// Call once with all columns before the first step, and after each change. Velocities through
    /// closed faces become 0.
    fn set_ground(&mut self, openness: &Openness, columns: &[(usize, usize)]);

    /// Advances all fields and the velocity by one step and returns the outflow and decay.
    /// Invariant: no amount becomes negative, and solid cells contain nothing.
    fn step(&mut self, amounts: &mut Amounts, openness: &Openness, forces: &Forces) -> Flows;

    /// Velocity at the centre of the cell `place`, in cells per step (x east, y up, z south).
    fn velocity(&self, place: Place) -> [f32; 3];

    /// Adds `velocity` (cells per step) to the velocity of the cell `place`; components through
    /// closed faces stay 0.
    fn push(&mut self, place: Place, velocity: [f32; 3]);

    /// Sets the velocity of all cells to `wind`: cells per step along x and z, indexed by height in
    /// cells.
    fn blow(&mut self, wind: &[[f32; 2]]);

    /// Adds `change` to the velocity of all cells: change of the wind in cells per step along x and
    /// z, indexed by height in cells.
    fn change_wind(&mut self, change: &[[f32; 2]]);

    /// State of the solver without the amounts, as arrays of 32-bit words, for snapshots and
    /// checkpoints.
    fn planes(&self) -> Vec<Vec<u32>>;

    /// Restores a state from arrays written by [`Solver::planes`] for the same grid.
    ///
    /// # Errors
    /// Names the fault if the arrays do not fit; the solver is unchanged then.
    fn restore(&mut self, planes: &[Vec<u32>]) -> Result<(), String>;

    /// Memory of the solver in bytes.
    fn bytes(&self) -> usize;

    /// Copy with the same state.
    fn boxed_clone(&self) -> Box<dyn Solver>;
}
