//! Bodies of liquid: connected cells through which it passes from the high surfaces to the low ones.

use super::heights::Height;
use crate::world::{RuleNumbers, World};
use lavoxel_base::grid::{Place, Walls};
use lavoxel_base::simd::Simd;

/// A rule by which a liquid passes through its bodies.
pub(crate) trait Bodies: Sync {
    /// All numbers on which the result depends.
    fn numbers(&self) -> RuleNumbers;

    /// The sides of the box.
    fn walls(&self) -> Walls;

    /// Whether air that reaches neither roof nor open side holds a surface below it.
    fn keeps_air(&self) -> bool;

    /// Whether liquid that stands on a body belongs to it.
    fn rests(&self) -> bool;

    /// Whether the liquid passes only through cells below which nothing has room.
    fn is_deep(&self) -> bool;

    /// Cells of a tile through which liquid passes; `below` has those below rock, the roof or a cell of a body.
    fn passes<S: Simd>(&self, s: S, amounts: S::V, below: u32) -> u32;

    /// Cells of a tile with room for what rises.
    fn roomy<S: Simd>(&self, s: S, fillings: S::V) -> u32;

    /// Cells of a tile that hold enough to give.
    fn gives<S: Simd>(&self, s: S, amounts: S::V) -> u32;

    /// Books what moves between the heights of each body; they come by body, and from the lowest on.
    fn book(&self, heights: &mut [Height]);

    /// Amount of each cell of a layer that gives or takes, afterwards, and the amount that leaves the box.
    fn settle(&self, world: &World, layer: usize) -> (Vec<(Place, u16)>, u64);
}
