//! Shape of rules for bodies of liquid: connected cells through which liquid passes from high
//! surfaces to low ones.

use super::heights::Height;
use crate::world::{RuleNumbers, World};
use lavoxel_base::grid::{Place, Walls};
use lavoxel_base::simd::Simd;

/// Rule by which a liquid passes through its bodies.
pub(crate) trait Bodies: Sync {
    /// Returns all numbers on which the result depends.
    fn numbers(&self) -> RuleNumbers;

    /// Boundary at the sides of the box.
    fn walls(&self) -> Walls;

    /// Returns true if air that reaches neither roof nor open side holds a surface below.
    fn keeps_air(&self) -> bool;

    /// Returns true if liquid that stands on a body belongs to the body.
    fn rests(&self) -> bool;

    /// Returns true if the liquid passes only through cells below which nothing has room.
    fn is_deep(&self) -> bool;

    /// Returns bits of the cells of a tile through which liquid passes; `below` marks cells below
    /// rock, the roof or a cell of a body.
    fn passes<S: Simd>(&self, s: S, amounts: S::V, below: u32) -> u32;

    /// Returns bits of the cells of a tile with room for rising liquid.
    fn roomy<S: Simd>(&self, s: S, fillings: S::V) -> u32;

    /// Returns bits of the cells of a tile that hold enough to give.
    fn gives<S: Simd>(&self, s: S, amounts: S::V) -> u32;

    /// Books the flow between the heights of each body; `heights` are sorted by body, the lowest
    /// first.
    fn book(&self, heights: &mut [Height]);

    /// Returns the amounts after the run of all cells that change, and the amount that leaves the
    /// box.
    fn settle(&self, world: &World, layer: usize) -> (Vec<(Place, u16)>, u64);
}
