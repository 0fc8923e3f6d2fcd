//! Rule shape for bodies of liquid: transport from high to low surfaces through connected full
//! cells.

use super::heights::Height;
use crate::world::{RuleNumbers, World};
use lavoxel_base::grid::{Place, Walls};
use lavoxel_base::simd::Simd;

/// Rule that transports liquid through connected bodies.
pub(crate) trait Bodies: Sync {
    /// Returns all parameters that influence the result, as raw numbers.
    fn numbers(&self) -> RuleNumbers;

    /// Boundary at the sides of the box.
    fn walls(&self) -> Walls;

    /// Returns true if trapped air (not connected to roof or open side) blocks a surface below it.
    fn keeps_air(&self) -> bool;

    /// Returns true if partly filled cells on top of a body belong to the body.
    fn rests(&self) -> bool;

    /// Returns true if a cell filled above the transport threshold never has room for liquid that
    /// rises from the cell below.
    fn is_deep(&self) -> bool;

    /// Returns the bit mask of cells of a tile that transport liquid; `below` marks cells below
    /// rock, the roof or a body cell.
    fn passes<S: Simd>(&self, s: S, amounts: S::V, below: u32) -> u32;

    /// Returns the bit mask of cells with enough free volume for rising liquid; `fillings` include
    /// heavier matter.
    fn roomy<S: Simd>(&self, s: S, fillings: S::V) -> u32;

    /// Returns the bit mask of cells that contain enough liquid to be donors.
    fn gives<S: Simd>(&self, s: S, amounts: S::V) -> u32;

    /// Computes the flow between the heights of each body and stores it in `heights`, which are
    /// sorted by body, then from the lowest height up.
    fn book(&self, heights: &mut [Height]);

    /// Returns place and new amount (in units) of every cell that changes in a run, and the amount
    /// that leaves the box.
    fn settle(&self, world: &World, layer: usize) -> (Vec<(Place, u16)>, u64);
}
