//! Rule shape for connected bodies of liquid: liquid moves from high to low surfaces of a body
//! through connected full cells.

use super::heights::Height;
use crate::world::{RuleNumbers, World};
use lavoxel_base::grid::{Place, Walls};
use lavoxel_base::simd::Simd;

/// Rule that moves liquid through connected bodies.
pub(crate) trait Bodies: Sync {
    /// Returns all parameters that influence the result, as raw bits.
    fn numbers(&self) -> RuleNumbers;

    /// Boundary condition at the sides of the simulation box.
    fn walls(&self) -> Walls;

    /// Returns true if air that is not connected to the roof or an open side stops a surface below
    /// it from rising.
    fn keeps_air(&self) -> bool;

    /// Returns true if liquid on top of a body belongs to the body even where the cell is too empty
    /// to transport liquid.
    fn rests(&self) -> bool;

    /// Returns true if any cell that transports liquid is too full to give room to liquid that
    /// rises from the cell below.
    fn is_deep(&self) -> bool;

    /// Returns the bit mask of the cells of a tile that transport liquid; `amounts` are those of
    /// the cells, `below` marks cells below rock, the roof or a body cell.
    fn passes<S: Simd>(&self, s: S, amounts: S::V, below: u32) -> u32;

    /// Returns the bit mask of the cells with enough free volume for rising liquid; `fillings` are
    /// the amounts plus those of denser matter.
    fn roomy<S: Simd>(&self, s: S, fillings: S::V) -> u32;

    /// Returns the bit mask of the cells that contain enough liquid to give some.
    fn donors<S: Simd>(&self, s: S, amounts: S::V) -> u32;

    /// Computes the flow out of and into each of `heights` and stores it there; they are sorted by
    /// body, then from the bottom up.
    fn book(&self, heights: &mut [Height]);

    /// Returns every cell that changes in a run with its new amount, and the amount that leaves the
    /// simulation box, in the smallest unit; this cell-by-cell form is the definition of the rule.
    fn settle(&self, world: &World, layer: usize) -> (Vec<(Place, u16)>, u64);
}
