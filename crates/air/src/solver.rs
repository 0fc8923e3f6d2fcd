//! Interface of a solver of the air's motion.

use crate::{Amounts, Field, Openness};
use lavoxel_base::grid::Place;

/// Forces on the air in a step. Lengths in cells, times in steps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Forces {
    /// Upward acceleration for heat 1.0.
    pub lift: f32,
    /// Downward acceleration for ash 1.0 and steam 1.0.
    pub weight: f32,
    /// Units of heat by height that lift nothing, in layered air; empty: none.
    pub background: Vec<u32>,
    /// The deceleration a·v² + b·v + c of a speed v.
    pub friction: [f32; 3],
    /// Deceleration of air that moves though nothing lifts it and no wind blows, and the lift that it withstands.
    pub calming: f32,
    /// The wind by height, along x and z; empty: none.
    pub wind: Vec<[f32; 2]>,
}

/// Changes of the accounts by a step, in units by the numbers of [`crate::Field`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flows {
    /// Gone through open sides, less what came in.
    pub out: [i64; Field::COUNT],
    /// Lost by the decay of heat.
    pub decayed: [u64; Field::COUNT],
}

/// Moves the air and what it carries.
///
/// All results are the same bits for any number of threads and on every instruction set.
pub trait Solver: Send + Sync + std::fmt::Debug {
    /// Takes over a ground that changed in some columns of cells (x, z); also called once before the first step, with all columns.
    /// Velocities through shut faces become 0.
    fn set_ground(&mut self, openness: &Openness, columns: &[(usize, usize)]);

    /// One step of all fields and the velocity. A field never gives more than it has, and cells that are solid hold nothing.
    fn step(&mut self, amounts: &mut Amounts, openness: &Openness, forces: &Forces) -> Flows;

    /// The velocity at the centre of a cell, in cells a step.
    fn velocity(&self, place: Place) -> [f32; 3];

    /// Adds to the velocity of a cell, in cells a step; components into shut faces stay 0.
    fn push(&mut self, place: Place, velocity: [f32; 3]);

    /// Has a wind blow in all cells, in cells a step along x and z by height.
    fn blow(&mut self, wind: &[[f32; 2]]);

    /// Adds to the velocity in all cells, in cells a step along x and z by height.
    fn change_wind(&mut self, change: &[[f32; 2]]);

    /// Its state besides the amounts, in planes of bits, for snapshots and checkpoints.
    fn planes(&self) -> Vec<Vec<u32>>;

    /// Takes over a state of the same cells that [`Solver::planes`] gave.
    ///
    /// # Errors
    /// Says what is wrong with planes from a file; nothing is changed then.
    fn restore(&mut self, planes: &[Vec<u32>]) -> Result<(), String>;

    /// Memory that it takes, in bytes.
    fn bytes(&self) -> usize;

    /// A copy with the same state.
    fn boxed_clone(&self) -> Box<dyn Solver>;
}
