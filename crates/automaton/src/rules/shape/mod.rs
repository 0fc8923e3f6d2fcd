//! Shapes of rules, and the interface by which the list runs a rule. A rule says what happens in
//! cells, and to which shape the rule belongs; a [`Driver`], which each engine is, carries any rule
//! of a shape over the box and knows none of the rules by name.

mod bodies;
mod heights;
mod point;
mod sweep;
mod turns;
mod updown;

pub(crate) use self::bodies::Bodies;
pub(crate) use self::heights::{Height, HeightKind, Shares, Surface};
pub use self::point::{Due, Needed, Point};
pub(super) use self::sweep::lower;
pub use self::sweep::{Bed, DIRECTIONS, Gift, Gifts, Here, Side};
pub(crate) use self::sweep::{Column, Exchange, Flow, Near, Next, Pair};
pub(crate) use self::turns::{Around, TilesAround, Turns};
pub use self::turns::{SIDES, Turn};
pub(crate) use self::updown::UpDown;

use super::{Param, RulesSpec};
use crate::matter::Material;
use crate::world::{Content, World};
use lavoxel_base::grid::{Grid, Place};
use lavoxel_base::random::Draw;

/// Rule of the list in [`super::Rule`].
pub(crate) trait Listed: Sized {
    /// Parameters of the rule in the table of a material.
    const PARAMS: &'static [Param<Material>] = &[];

    /// Makes the rule for the layer of a site; `None` for a rule that is made from several layers.
    fn of(_site: &Site<'_>) -> Option<Self> {
        None
    }

    /// Returns true if the rule runs in `step`.
    fn is_due(&self, _step: u64) -> bool {
        true
    }

    /// Runs the rule in a layer by the method of its shape.
    fn run<D: Driver>(&self, driver: &mut D, on: (&mut World, usize), draw: Draw);
}

/// Layer for which a rule is made.
pub(crate) struct Site<'a> {
    pub(crate) material: &'a Material,
    pub(crate) layer: usize,
    pub(crate) grid: Grid,
    /// Parameters of the lava and of the box.
    pub(crate) spec: &'a RulesSpec,
}

/// Way to carry rules over the box: one method for each shape. `on` is the world with the index of
/// the layer that the rule moves.
pub(crate) trait Driver {
    /// Moves matter between pairs of cells along columns.
    fn column<R: Column<Q>, const Q: usize>(&mut self, on: (&mut World, usize), rule: &R);
    /// Lets cells give to those around them, all at once.
    fn exchange<R: Exchange<Q>, const Q: usize>(&mut self, on: (&mut World, usize), rule: &R, draw: Draw);
    /// Changes each cell by itself.
    fn each<R: Each>(&mut self, on: (&mut World, usize), rule: &R);
    /// Lets cells give up and down along columns, at random.
    fn updown<R: UpDown>(&mut self, on: (&mut World, usize), rule: &R, draw: Draw);
    /// Lets grains fall and take turns.
    fn turns<R: Turns>(&mut self, on: (&mut World, usize), rule: &R, draw: Draw);
    /// Moves liquid through its bodies.
    fn bodies<R: Bodies>(&mut self, on: (&mut World, usize), rule: &R);
    /// Finds the places where something is due in a round of a step, in any order.
    fn points(&mut self, world: &World, rule: &dyn Point, draw: Draw, round: u64) -> Vec<Due>;
}

/// Rule by which cells lose energy, counted as friction. Invariant: such a rule changes nothing
/// that it reads of other cells.
pub(crate) trait Each {
    /// Energy that a cell of a layer loses, in units.
    fn loses(&self, world: &World, layer: usize, cell: (Place, Content)) -> u16;

    /// Takes the lost energy from all cells; `losing` is scratch memory for the losing cells.
    fn act(&self, (world, layer): (&mut World, usize), losing: &mut Vec<(Place, u16)>) {
        if world.layers[layer].is_asleep() {
            return;
        }
        losing.clear();
        losing.reserve(world.layers[layer].tally().cells as usize);
        let lost = |cell: (Place, Content)| (cell.0, self.loses(world, layer, cell));
        losing.extend(world.layers[layer].held().map(lost).filter(|&(_, lost)| lost > 0));
        let layer = &mut world.layers[layer];
        for (place, lost) in losing.drain(..) {
            let cell = layer.at(place);
            layer.set(place, Content { energy: cell.energy - lost, ..cell });
            layer.ledger.energy.friction += u64::from(lost);
        }
    }
}
