//! Falling sand (*How To Make a “Falling Sand” Style Water Simulation*): a grain fills one cell; it
//! falls, slides, flows or slips by at most one cell in a step.
//!
//! ```text
//! scatter  a falling grain, in a share `scatter` of the steps: down to one of four sides, which it draws, if the cell at that side
//!        and the one below it are free
//! fall   down, if the cell below is free; a column from the bottom up and in place: a stack falls as a stack
//! slide  down to one of eight sides, if the cell at that side and the one below it are free;
//!        over a corner only from a fixed share `corners` of the cells, and if one of the two cells between is free
//! flow   with `flow` and a grain above: to one of four sides, if the cell there is free
//! slip   from a fixed share `slip` of the cells: to one of four sides, if the cell there is free and borne, and the cell
//!        beyond and the one below that are free
//! ```
//!
//! In the published algorithm a grain moves as far as it finds room, and the side that is tried
//! first is preferred; the author marks moved grains and alternates the sides. Here falling grains
//! that scatter come first, then the fall; then the eight slides, the flows and the slips are
//! *turns*, each in an order that is random in each step. In a turn all grains move in the same
//! direction, as decided by the state before the turn, so that no two grains enter the same cell; a
//! grain that has moved in the step does not move again.
//!
//! A cell is free unless it is solid, is full of still matter, contains a grain of the same or a
//! heavier material, or is at least half full of fluids denser than the grain: ash lies on lava. A
//! lighter grain in the way changes places with the moving grain. A grain on its way into lighter
//! matter (a lighter grain, or more than half a cell of fluid) stays where it is in a share `drag`
//! of the steps.
//!
//! A grain that the air carries stays suspended in a share `carried` of the steps, and slides only
//! from a cell on which it lies; the coupling `blown` moves it with the air.
//!
//! **Decided:** the cells from which grains slide over a corner or slip are fixed: they follow from
//! the place and the seed, so that a pile comes to rest, and is slightly asymmetric in another
//! direction in each run. If grains slide over a corner from all cells, a pile is a square; if from
//! none, it is a square turned by 45°; if from a quarter, it is round. For a move to a side the
//! cell at that side must be free, too, and over a corner one of the two cells passed: nothing
//! moves between two cells that touch only by an edge. The outside of an open side is free at all
//! heights; a grain that moves there has left the simulation box.

use super::Walls;
use super::shape::{Around, Driver, Listed, Site, TilesAround, Turn, Turns};
use crate::matter::Material;
use crate::world::{RuleNumbers, World};
use lavoxel_base::grid::Place;
use lavoxel_base::grid::tile::TilePlace;
use lavoxel_base::param::{Param, param};
use lavoxel_base::random::{Draw, Salt, StepKey, stream_of};
use lavoxel_base::units::{AMOUNT_HALF, AMOUNT_ONE};

/// Parameters of grains in the table of a material.
pub const PARAMS: &[Param<Material>] = &[
    param!(grains.corners: Linear, [0.0, 1.0] "of the cells",
        "cells from which grains slide over a corner; 0.25 gives round piles, 1 square ones"),
    param!(grains.slip: Linear, [0.0, 1.0] "of the cells",
        "cells from which grains slip to a side; more makes flatter piles"),
    param!(grains.drag: Linear, [0.0, 1.0] "of the steps",
        "steps in which a grain in lighter matter stays; more makes it sink slower"),
    param!(grains.flow: Switch, [0.0, 1.0] "", "whether grains below other grains run to the sides, as tiles of water"),
    param!(grains.scatter: Linear, [0.0, 1.0] "of the steps",
        "steps in which a falling grain goes down to a side that it draws; more widens a falling stream"),
    param!(grains.carried: Linear, [0.0, 1.0] "of the motion",
        "motion of the air that a grain follows, and share of the steps in which it does not fall: 0.9 for leaves, embers, flakes"),
];

/// Rule of the motion of grains, with its parameters in fixed point; probabilities in 1/256.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FallingGrains {
    /// Share of the cells from which grains slide diagonally past the corner of two cells, in
    /// 1/256; the selected cells are the same in all steps.
    pub corners: u16,
    /// Share of the cells from which grains slip sideways, in 1/256; the selected cells are the
    /// same in all steps.
    pub slip: u16,
    /// Probability per step with which lighter matter holds up a grain, in 1/256.
    pub drag: u16,
    /// True if grains that are covered by other grains can move sideways, as in a liquid.
    pub flow: bool,
    /// Probability per step with which a falling grain moves diagonally down, in 1/256.
    pub scatter: u16,
    /// Probability per step with which the air keeps a falling grain suspended, in 1/256.
    pub hang: u16,
    /// Random stream of the material, from its name ([`stream_of`]).
    pub stream: u64,
    /// Boundary condition at the sides of the simulation box.
    pub walls: Walls,
}

impl Turns for FallingGrains {
    const BARS: [u16; 2] = [AMOUNT_ONE, AMOUNT_HALF];
    const THIN: u16 = AMOUNT_HALF;

    fn numbers(&self, seed: u64) -> RuleNumbers {
        let [corners, slip, drag] = [self.corners, self.slip, self.drag].map(u32::from);
        // The flag and a share of 256 are packed into one number, because `RuleNumbers` has eight.
        let open = u32::from(self.walls == Walls::Open) | u32::from(self.hang) << 1;
        [
            corners,
            slip,
            drag,
            self.flow.into(),
            open,
            seed as u32,
            (seed >> 32) as u32,
            self.scatter.into(),
        ]
    }

    fn walls(&self) -> Walls {
        self.walls
    }

    fn scatters(&self, draw: Draw) -> impl Iterator<Item = Turn> {
        let order = order(draw.key_of(Salt::Order, self.stream).number());
        order
            .into_iter()
            .filter(|&side| self.scatter > 0 && side < 4)
            .map(Turn::Scatter)
    }

    fn turns(&self, draw: Draw) -> Vec<Turn> {
        let order = order(draw.key_of(Salt::Order, self.stream).number());
        let level = |wanted: bool| order.into_iter().filter(move |&side| wanted && side < 4);
        let slides = order.into_iter().map(Turn::Slide);
        slides
            .chain(level(self.flow).map(Turn::Flow))
            .chain(level(self.slip > 0).map(Turn::Slip))
            .collect()
    }

    fn goes_level(&self) -> [bool; 2] {
        [self.flow, self.flow || self.slip > 0]
    }

    fn held_up(&self, draw: Draw) -> (StepKey, u16) {
        (draw.key_of(Salt::Drag, self.stream), self.drag)
    }

    fn hangs(&self, draw: Draw) -> (StepKey, u16) {
        (draw.key_of(Salt::Hang, self.stream), self.hang)
    }

    fn goes(&self, turn: Turn, place: Place, draw: Draw, around: &impl Around) -> bool {
        let [dx, dy, dz] = turn.way();
        let free = |n: isize, dy: isize| around.is_free([n * dx, dy, n * dz]);
        // A suspended grain has no support from which it could slide.
        if self.hang > 0 && !matches!(turn, Turn::Scatter(_)) && around.is_free([0, -1, 0]) {
            return false;
        }
        match turn {
            Turn::Scatter(side) => {
                let [scatters, sides] = scatter_keys(draw);
                free(0, -1)
                    && free(1, 0)
                    && free(1, -1)
                    && scatters.chooses(place, self.scatter)
                    && usize::from(sides.pattern(place) & 3) == side
            }
            Turn::Slide(side) => {
                let is_open = || around.is_free([dx, 0, 0]) || around.is_free([0, 0, dz]);
                let is_let =
                    || side < 4 || corner_cells(draw).chooses(place, self.corners) && is_open();
                free(1, 0) && free(1, dy) && is_let()
            }
            Turn::Flow(_) => free(1, 0) && around.is_laden(),
            Turn::Slip(_) => {
                slip_cells(draw).chooses(place, self.slip)
                    && free(1, 0)
                    && !free(1, -1)
                    && free(2, 0)
                    && free(2, -1)
            }
        }
    }

    #[inline(always)]
    fn going(&self, turn: Turn, tile: TilePlace, draw: Draw, around: &impl TilesAround) -> u32 {
        // Masks of free ways come first; random words are drawn only where a way is open.
        let ways = match turn {
            Turn::Scatter(side) => match around.slope() & around.free(0, true) {
                0 => 0,
                ways => {
                    let [scatters, sides] = scatter_keys(draw);
                    ways & scatters.chosen(tile, self.scatter) & sides.drawing(tile, side)
                }
            },
            Turn::Slide(side) => match around.slope() {
                ways if side < 4 || ways == 0 => ways,
                ways => match ways & corner_cells(draw).chosen(tile, self.corners) {
                    0 => 0,
                    ways => ways & around.corner(),
                },
            },
            Turn::Flow(_) => match around.laden() {
                0 => 0,
                laden => laden & around.free(1, false),
            },
            Turn::Slip(_) => {
                let ways = around.free(1, false) & !around.free(1, true);
                let ways = if ways == 0 {
                    0
                } else {
                    ways & around.free(2, false) & around.free(2, true)
                };
                if ways == 0 {
                    0
                } else {
                    ways & slip_cells(draw).chosen(tile, self.slip)
                }
            }
        };
        match turn {
            Turn::Slide(_) | Turn::Flow(_) | Turn::Slip(_) if self.hang > 0 && ways != 0 => {
                ways & !around.free(0, true)
            }
            _ => ways,
        }
    }
}

impl Listed for FallingGrains {
    const PARAMS: &'static [Param<Material>] = PARAMS;

    fn from_site(site: &Site<'_>) -> Option<Self> {
        let grains = &site.material.grains;
        let shares = [
            grains.corners,
            grains.slip,
            grains.drag,
            grains.scatter,
            grains.carried,
        ];
        let [corners, slip, drag, scatter, hang] =
            shares.map(|value| (value * 256.0).round() as u16);
        Some(Self {
            corners,
            slip,
            drag,
            flow: grains.flow,
            scatter,
            hang,
            stream: stream_of(&site.material.name),
            walls: site.spec.walls,
        })
    }

    fn run<D: Driver>(&self, driver: &mut D, on: (&mut World, usize), draw: Draw) {
        driver.turns(on, self, draw);
    }
}

/// Returns the hash key that selects the cells from which grains slide past a corner; the same in
/// all steps of a simulation.
fn corner_cells(draw: Draw) -> StepKey {
    StepKey::of_run(Salt::Corners, draw.seed)
}

/// Returns two hash keys of a step: one selects the falling grains that scatter, the other selects
/// the side to which each grain moves.
fn scatter_keys(draw: Draw) -> [StepKey; 2] {
    [Salt::Scatter, Salt::ScatterSide].map(|salt| draw.key_of(salt, 0))
}

/// Returns the hash key that selects the cells from which grains slip; the same in all steps of a
/// simulation.
fn slip_cells(draw: Draw) -> StepKey {
    StepKey::of_run(Salt::Slip, draw.seed)
}

/// Returns the numbers 0 to 7 in an order that the random number `random` determines (Fisher–Yates
/// shuffle).
fn order(mut random: u64) -> [usize; 8] {
    let mut order = std::array::from_fn(|k| k);
    for k in (1..8).rev() {
        let among = k as u64 + 1;
        order.swap(k, (random % among) as usize);
        random /= among;
    }
    order
}

impl World {
    /// Returns true if a grain of the layer with index `layer` can enter the cell `place`, as
    /// defined in the documentation of [`crate::rules::grains`].
    pub(crate) fn is_free_for(&self, layer: usize, place: Place) -> bool {
        let amount = |layer: &crate::world::Layer| u32::from(layer.at(place).amount);
        let still: u32 = self.layers[..layer].iter().map(amount).sum();
        let denser: u32 = self.denser_fluids(layer).iter().map(amount).sum();
        !self.ground.is_solid(place)
            && still < u32::from(AMOUNT_ONE)
            && self.layers[layer].at(place).amount == 0
            && denser < u32::from(AMOUNT_HALF)
    }

    /// Returns true if the cell `place` contains lighter matter that exerts drag on a grain of the
    /// layer with index `layer`: a lighter grain, or more than half a cell of lighter fluid.
    pub(crate) fn is_thick_for(&self, layer: usize, place: Place) -> bool {
        let amount = |layer: &crate::world::Layer| u32::from(layer.at(place).amount);
        let lighter: u32 = self.lighter_fluids(layer).iter().map(amount).sum();
        lighter > u32::from(AMOUNT_HALF)
            || self
                .lighter_grains(layer)
                .iter()
                .any(|layer| layer.at(place).amount > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_order_is_as_likely() {
        let mut first = [[0; 8]; 8];
        for seed in 0..8000 {
            let order = order(StepKey::new(seed, 3).number());
            assert_eq!(order.iter().sum::<usize>(), 28);
            order
                .into_iter()
                .enumerate()
                .for_each(|(k, side)| first[k][side] += 1);
        }
        // Standard deviation 29.6.
        assert!(
            first
                .as_flattened()
                .iter()
                .all(|count| (850..1150).contains(count)),
            "{first:?}"
        );
    }
}
