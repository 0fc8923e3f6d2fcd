//! Interface of a solver that computes the motion of the air, and the forces and flows that it
//! takes and returns.

use crate::{Amounts, Field, Openness};
use lavoxel_base::grid::Place;

/// Forces on the air in a step, with lengths in edges of an air cell and times in steps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Forces {
    /// Upward acceleration in cells/step² of air with a heat value of 1.0.
    pub lift: f32,
    /// Downward acceleration in cells/step² of air in which ash and steam add up to 1.0.
    pub weight: f32,
    /// Heat of stratified air at rest by height in cells, in units of 2⁻²⁰; empty: 0 at every
    /// height.
    pub background: Vec<u32>,
    /// Coefficients `[a, b, c]` of friction: the deceleration a·v² + b·v + c of air with the speed
    /// v, in cells and steps.
    pub friction: [f32; 3],
    /// Deceleration in cells/step² of air that neither lift nor wind drives. Air at rest is not set
    /// in motion by a lift below this value.
    pub calming: f32,
    /// Wind velocity `[x, z]` in cells per step, by height in cells; empty: no wind.
    pub wind: Vec<[f32; 2]>,
}

/// Amounts that left the air's box or decayed in one step, in units of 2⁻²⁰, indexed by
/// [`crate::Field`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flows {
    /// Outflow of each field through open sides, minus inflow, in units of 2⁻²⁰.
    pub out: [i64; Field::COUNT],
    /// Amount of each field that was lost by decay, in units of 2⁻²⁰; only heat decays.
    pub decayed: [u64; Field::COUNT],
}

/// Solver that moves the air and the fields it carries.
///
/// Invariant: all results are the same bits for any number of threads and on every instruction set.
pub trait Solver: Send + Sync + std::fmt::Debug {
    /// Updates the solver's copy of the solid cells and faces in the `columns` (x, z). Must be
    /// called with all columns before the first step, and after each change. Velocities through
    /// closed faces become 0.
    fn set_ground(&mut self, openness: &Openness, columns: &[(usize, usize)]);

    /// Advances all fields and the velocity by one step; returns outflow and decay of each field.
    /// Invariant: no amount becomes negative, and the amounts in solid cells are 0.
    fn step(&mut self, amounts: &mut Amounts, openness: &Openness, forces: &Forces) -> Flows;

    /// Velocity at the centre of the cell `place`, in cells per step (x east, y up, z south).
    fn velocity(&self, place: Place) -> [f32; 3];

    /// Adds `velocity` (cells per step; x east, y up, z south) to the velocity of the cell `place`;
    /// components through closed faces stay 0.
    fn push(&mut self, place: Place, velocity: [f32; 3]);

    /// Sets the velocity of all cells to `wind`: horizontal velocities `[x, z]` in cells per step,
    /// by height in cells.
    fn blow(&mut self, wind: &[[f32; 2]]);

    /// Adds `change` to the velocity of all cells: changes of the wind's components `[x, z]` in
    /// cells per step, by height in cells.
    fn change_wind(&mut self, change: &[[f32; 2]]);

    /// Returns the state of the solver (velocities and whatever else determines the motion, but not
    /// the amounts) as arrays of 32-bit words, for snapshots and checkpoints.
    fn planes(&self) -> Vec<Vec<u32>>;

    /// Restores the solver's state from arrays that [`Solver::planes`] returned for the same grid.
    ///
    /// # Errors
    /// If the arrays do not fit the grid; the solver is unchanged then.
    fn restore(&mut self, planes: &[Vec<u32>]) -> Result<(), String>;

    /// Memory of the solver in bytes.
    fn bytes(&self) -> usize;

    /// Returns a copy of the solver with the same state.
    fn boxed_clone(&self) -> Box<dyn Solver>;
}
