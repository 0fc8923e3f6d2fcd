//! Rule shapes: access patterns by which an engine applies a rule. A rule defines what happens in
//! cells and implements one shape; a [`Driver`] (each engine is one) applies any rule of a shape to
//! the whole grid without knowledge of single rules.

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
pub(crate) use self::sweep::{Column, Exchange, Flow, Near, Next, Pair, masked};
pub(crate) use self::turns::{Around, TilesAround, Turns};
pub use self::turns::{SIDES, Turn};
pub(crate) use self::updown::UpDown;

use super::{Param, RulesSpec};
use crate::matter::Material;
use crate::world::{Content, World};
use lavoxel_base::grid::{Grid, Place};
use lavoxel_base::random::Draw;

/// Rule that is a variant of [`super::Rule`], the list of all rules.
pub(crate) trait Listed: Sized {
    /// Numeric parameters that the rule reads from the table of a material.
    const PARAMS: &'static [Param<Material>] = &[];

    /// Creates the rule for the layer that the site describes; `None` if the rule does not move
    /// this layer. Rules that need several layers at once return `None` for every layer and are
    /// created elsewhere.
    fn from_site(_site: &Site<'_>) -> Option<Self> {
        None
    }

    /// Returns true if the rule runs in the step number `step`.
    fn is_due(&self, _step: u64) -> bool {
        true
    }

    /// Applies the rule to a layer, with the method of `driver` for its shape; `on` is the world
    /// and the index of the layer.
    fn run<D: Driver>(&self, driver: &mut D, on: (&mut World, usize), draw: Draw);
}

/// Layer for which a rule is created, with all parameters that the rule can read.
pub(crate) struct Site<'a> {
    pub(crate) material: &'a Material,
    pub(crate) grid: Grid,
    /// Parameters of the lava's rules, and boundary conditions at the sides and the top of the
    /// simulation box.
    pub(crate) spec: &'a RulesSpec,
}

/// Engine as seen by a rule: one method for each rule shape. `on`: world, and index of the layer
/// that the rule moves; `draw`: seed and step, which identify the random numbers.
pub(crate) trait Driver {
    /// Applies a vertical rule to each pair of vertically adjacent cells, from the bottom up; a
    /// pair sees the changes of the pairs below.
    fn column<R: Column<Q>, const Q: usize>(&mut self, on: (&mut World, usize), rule: &R);
    /// Applies an exchange rule: the flow from every cell to its neighbours is computed from the
    /// state before the step.
    fn exchange<R: Exchange<Q>, const Q: usize>(
        &mut self,
        on: (&mut World, usize),
        rule: &R,
        draw: Draw,
    );
    /// Applies a rule by which cells lose energy; the loss of a cell does not depend on the losses
    /// of other cells.
    fn each<R: Each>(&mut self, on: (&mut World, usize), rule: &R);
    /// Applies a rule of random vertical motion: matter moves from selected cells upwards, then
    /// downwards.
    fn updown<R: UpDown>(&mut self, on: (&mut World, usize), rule: &R, draw: Draw);
    /// Runs one step of grain motion: each grain falls or moves sideways as `rule` allows.
    fn turns<R: Turns>(&mut self, on: (&mut World, usize), rule: &R, draw: Draw);
    /// Applies a rule that moves liquid through connected bodies of full cells.
    fn bodies<R: Bodies>(&mut self, on: (&mut World, usize), rule: &R);
    /// Returns the cells in which `rule` acts, in any order, in round `round` of the step that
    /// `draw` identifies.
    fn points(&mut self, world: &World, rule: &dyn Point, draw: Draw, round: u64) -> Vec<Due>;
}

/// Rule by which cells lose energy; the lost energy is booked in the account as friction.
pub(crate) trait Each {
    /// Returns the energy that `cell` (place and contents) of the layer with index `layer` loses,
    /// in units.
    fn loses(&self, world: &World, layer: usize, cell: (Place, Content)) -> u16;

    /// Subtracts the lost energy from all cells of the layer and books the loss; `losing`: scratch
    /// buffer for the cells that lose energy, with the loss in units.
    fn act(&self, (world, layer): (&mut World, usize), losing: &mut Vec<(Place, u16)>) {
        if world.layers[layer].is_asleep() {
            return;
        }
        losing.clear();
        losing.reserve(world.layers[layer].tally().cells as usize);
        let lost = |cell: (Place, Content)| (cell.0, self.loses(world, layer, cell));
        losing.extend(
            world.layers[layer]
                .held()
                .map(lost)
                .filter(|&(_, lost)| lost > 0),
        );
        let layer = &mut world.layers[layer];
        for (place, lost) in losing.drain(..) {
            let cell = layer.at(place);
            layer.set(
                place,
                Content {
                    energy: cell.energy - lost,
                    ..cell
                },
            );
            layer.ledger.energy.friction += u64::from(lost);
        }
    }
}
