//! Interface of a solver of the air's motion.

use crate::{Amounts, Field, Openness};
use lavoxel_base::grid::Place;

/// Forces on the air in a step. Lengths are in cells, times in steps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Forces {
    /// Upward acceleration for heat 1.0, in cells/step².
    pub lift: f32,
    /// Downward acceleration for ash 1.0 and for steam 1.0, in cells/step².
    pub weight: f32,
    /// Units of heat of the layered air at rest, by height in cells; empty: 0 everywhere.
    pub background: Vec<u32>,
    /// Coefficients of the deceleration a·v² + b·v + c of a speed v.
    pub friction: [f32; 3],
    /// Deceleration of air that neither lift nor wind drives, and the lift that such air
    /// withstands, in cells/step².
    pub calming: f32,
    /// Wind in cells a step along x and z, by height in cells; empty: no wind.
    pub wind: Vec<[f32; 2]>,
}

/// Changes of the accounts by a step, in units, indexed by [`crate::Field`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flows {
    /// Units that left through open sides, minus units that came in.
    pub out: [i64; Field::COUNT],
    /// Units lost by the decay of heat.
    pub decayed: [u64; Field::COUNT],
}

/// Solver that moves the air and the fields it carries.
///
/// Invariant: all results are the same bits for any number of threads and on every instruction set.
pub trait Solver: Send + Sync + std::fmt::Debug {
    /// Takes over the ground after changes in the columns of cells (x, z). Must also be called once
    /// before the first step, with all columns. Velocities through shut faces become 0.
    fn set_ground(&mut self, openness: &Openness, columns: &[(usize, usize)]);

    /// Makes one step of all fields and the velocity. Invariant: a field never gives more than it
    /// has, and solid cells hold nothing.
    fn step(&mut self, amounts: &mut Amounts, openness: &Openness, forces: &Forces) -> Flows;

    /// Velocity at the centre of a cell, in cells a step.
    fn velocity(&self, place: Place) -> [f32; 3];

    /// Adds `velocity` to that of a cell, in cells a step; components into shut faces stay 0.
    fn push(&mut self, place: Place, velocity: [f32; 3]);

    /// Sets the velocity of all cells to a wind, in cells a step along x and z by height.
    fn blow(&mut self, wind: &[[f32; 2]]);

    /// Adds a change of the wind to the velocity in all cells, in cells a step along x and z by
    /// height.
    fn change_wind(&mut self, change: &[[f32; 2]]);

    /// State other than the amounts, in planes of bits, for snapshots and checkpoints.
    fn planes(&self) -> Vec<Vec<u32>>;

    /// Restores a state of the same cells from planes by [`Solver::planes`].
    ///
    /// # Errors
    /// Names the fault of planes from a file; nothing is changed then.
    fn restore(&mut self, planes: &[Vec<u32>]) -> Result<(), String>;

    /// Memory of the solver in bytes.
    fn bytes(&self) -> usize;

    /// Copy with the same state.
    fn boxed_clone(&self) -> Box<dyn Solver>;
}
