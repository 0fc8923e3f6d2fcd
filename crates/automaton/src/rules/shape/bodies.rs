//! Rule shape for connected bodies of liquid: liquid moves from high to low surfaces of a body
//! through the body's full cells.

use super::heights::Height;
use crate::world::{RuleNumbers, World};
use lavoxel_base::grid::{Place, Walls};
use lavoxel_base::simd::Simd;

/// Rule that moves liquid through connected bodies of full cells.
pub(crate) trait Bodies: Sync {
    /// Returns all parameters that influence the result, as raw bits.
    fn numbers(&self) -> RuleNumbers;

    /// Boundary condition at the sides of the simulation box.
    fn walls(&self) -> Walls;

    /// Returns true if trapped air (not connected to the roof or an open side) keeps a surface of
    /// the liquid from rising.
    fn keeps_air(&self) -> bool;

    /// Returns true if liquid on top of a connected body of liquid belongs to the body even in
    /// cells that contain too little for liquid to pass through.
    fn rests(&self) -> bool;

    /// Returns true if every cell of a connected body is so full that no liquid can rise into the
    /// cell from below.
    fn is_deep(&self) -> bool;

    /// Returns the bit mask of the cells of a tile through which liquid can pass (body cells).
    /// `amounts`: amounts in the cells, in units; `below`: bit mask of the cells below rock, the
    /// roof or a body cell.
    fn passes<S: Simd>(&self, s: S, amounts: S::V, below: u32) -> u32;

    /// Returns the bit mask of the cells with at least the minimum of free volume into which liquid
    /// can rise. `fillings`: amounts including denser matter, in units.
    fn roomy<S: Simd>(&self, s: S, fillings: S::V) -> u32;

    /// Returns the bit mask of the cells that contain at least the minimum amount for giving liquid
    /// to the body; `amounts` in units.
    fn donors<S: Simd>(&self, s: S, amounts: S::V) -> u32;

    /// Computes the flow out of and into each group of cells in `heights` and stores it in the
    /// groups, which are sorted by body, then from the bottom up.
    fn book(&self, heights: &mut [Height]);

    /// Returns the cells of the layer with index `layer` that one application of the rule changes,
    /// each with its new amount, and the amount that leaves the simulation box; all in units. This
    /// cell-by-cell form is the definition of the rule.
    fn settle(&self, world: &World, layer: usize) -> (Vec<(Place, u16)>, u64);
}
