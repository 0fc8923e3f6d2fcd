//! Plain engine: single-threaded, processes every cell, without optimizations.
//!
//! Invariant: this engine is the specification, which other engines must match bit for bit.

mod grains;

use super::Engine;
use crate::rules::{
    Bed, Bodies, Column, DIRECTIONS, Driver, Due, Each, Exchange, Gift, Gifts, Here, Point, Rule,
    Side, Turns, UpDown, Walls,
};
use crate::world::{Content, World};
use lavoxel_base::grid::Place;
use lavoxel_base::random::Draw;

/// Reference engine, which processes every cell of the simulation box in every step.
#[derive(Clone, Copy, Debug, Default)]
pub struct Plain;

impl Engine for Plain {
    fn run(&mut self, world: &mut World, (layer, rule): (usize, &Rule), draw: Draw) {
        rule.run(self, (world, layer), draw);
    }
}

impl Driver for Plain {
    /// Applies a vertical rule to each pair of vertically adjacent open cells, in each column from
    /// the bottom up; a pair sees the changes of the pairs before it in the column.
    fn column<R: Column<Q>, const Q: usize>(
        &mut self,
        (world, layer): (&mut World, usize),
        rule: &R,
    ) {
        let grid = world.grid();
        for (x, z) in (0..grid.nz).flat_map(|z| (0..grid.nx).map(move |x| (x, z))) {
            for y in 1..grid.ny {
                if world.ground().is_solid([x, y - 1, z]) || world.ground().is_solid([x, y, z]) {
                    continue;
                }
                let cells = [y - 1, y].map(|y| world.layers[layer].at([x, y, z]));
                let heavier = world.heavier_than(layer, [x, y - 1, z]);
                for (y, cell) in [y - 1, y]
                    .into_iter()
                    .zip(rule.settle(cells[0], cells[1], heavier))
                {
                    world.layers[layer].set([x, y, z], cell);
                }
            }
        }
    }

    /// Applies an exchange rule (such as spreading): the flow out of every cell is computed from
    /// the state before the step.
    fn exchange<R: Exchange<Q>, const Q: usize>(
        &mut self,
        (world, layer): (&mut World, usize),
        rule: &R,
        draw: Draw,
    ) {
        let before = world.clone();
        let key = draw.key();
        for place in world.grid().places() {
            if before.layers[layer].at(place).amount > 0 {
                let here = here(&before, layer, place, draw);
                give(
                    world,
                    layer,
                    rule,
                    &here,
                    rule.gifts(&here, key.pattern(place)),
                );
            }
        }
    }

    fn each<R: Each>(&mut self, on: (&mut World, usize), rule: &R) {
        rule.act(on, &mut Vec::new());
    }

    fn points(&mut self, world: &World, rule: &dyn Point, draw: Draw, round: u64) -> Vec<Due> {
        self.due(world, rule, draw, round)
    }

    /// Applies a rule of random vertical motion: first upwards, columns from the top down, then
    /// downwards, columns from the bottom up.
    fn updown<R: UpDown>(&mut self, (world, layer): (&mut World, usize), rule: &R, draw: Draw) {
        let (grid, key) = (world.grid(), rule.key(draw));
        for (x, z) in (0..grid.nz).flat_map(|z| (0..grid.nx).map(move |x| (x, z))) {
            for (from, to) in (1..grid.ny)
                .rev()
                .map(|y| (y - 1, y))
                .chain((1..grid.ny).map(|y| (y, y - 1)))
            {
                let (from, to, up) = ([x, from, z], [x, to, z], to > from);
                if world.ground().is_solid(from) || world.ground().is_solid(to) {
                    continue;
                }
                let (amount, there) = (
                    world.layers[layer].at(from).amount,
                    world.layers[layer].at(to).amount,
                );
                let full = there.saturating_add(world.heavier_than(layer, to));
                let held = !up && is_held(world, layer, from, rule.blocking_filling());
                let moved = if !held && rule.acts(key, from, up) {
                    rule.moved(amount, full, up)
                } else {
                    0
                };
                world.layers[layer].set(
                    from,
                    Content {
                        amount: amount - moved,
                        energy: 0,
                    },
                );
                world.layers[layer].set(
                    to,
                    Content {
                        amount: there + moved,
                        energy: 0,
                    },
                );
            }
        }
    }

    fn turns<R: Turns>(&mut self, on: (&mut World, usize), rule: &R, draw: Draw) {
        grains::run(on, rule, draw);
    }

    fn bodies<R: Bodies>(&mut self, (world, layer): (&mut World, usize), rule: &R) {
        let (settled, left) = rule.settle(world, layer);
        world.layers[layer].ledger.outflow += left;
        for (place, amount) in settled {
            world.layers[layer].set(place, Content { amount, energy: 0 });
        }
    }
}

/// Returns true if the matter of the layer in the cell (x, y, z) cannot sink: the cell above is
/// solid, lies above the roof, or is filled to at least `holds` (units of amount).
fn is_held(world: &World, layer: usize, [x, y, z]: Place, holds: u16) -> bool {
    let above = [x, y + 1, z];
    let full = || {
        world.layers[layer]
            .at(above)
            .amount
            .saturating_add(world.heavier_than(layer, above))
    };
    y + 1 == world.grid().ny || world.ground().is_solid(above) || full() >= holds
}

/// Moves the amounts and energies `gifts` from the cell `here` to its neighbours, and books outflow
/// from the simulation box and friction losses.
fn give<const Q: usize>(
    world: &mut World,
    layer: usize,
    rule: &impl Exchange<Q>,
    here: &Here,
    gifts: Gifts,
) {
    let (grid, place) = (world.grid(), here.place);
    let layer = &mut world.layers[layer];
    let across = DIRECTIONS.into_iter().zip(gifts.beside);
    let across = across.map(|((dx, dz), gift)| (grid.neighbour(place, [dx, 0, dz]), gift));
    let vertical = [(-1, gifts.below), (1, gifts.above)]
        .map(|(dy, gift)| (grid.neighbour(place, [0, dy, 0]), gift));
    for (to, gift) in across
        .chain(vertical)
        .filter(|(_, gift)| *gift != Gift::default())
    {
        let (amount, energy) = (gift.parcel.amount, gift.parcel.energy);
        let c = layer.at(place);
        layer.set(
            place,
            Content {
                amount: c.amount - amount,
                energy: c.energy - energy,
            },
        );
        layer.ledger.energy.friction += u64::from(gift.friction);
        match to {
            Some(near) => {
                let n = layer.at(near);
                let energy = n.energy + (energy - gift.friction);
                layer.set(
                    near,
                    Content {
                        amount: n.amount + amount,
                        energy,
                    },
                );
            }
            None => {
                assert!(rule.walls() == Walls::Open, "nothing leaves a closed box");
                layer.ledger.outflow += u64::from(amount);
                layer.ledger.energy.outflow += u64::from(energy);
            }
        }
    }
}

/// Returns the cell at `place` and its neighbours, in the form that a rule reads.
fn here(world: &World, layer: usize, place: Place, draw: Draw) -> Here {
    let side = |by: [isize; 3]| match world.grid().neighbour(place, by) {
        Some(near) if world.ground().is_solid(near) => Side::Solid,
        Some(near) => Side::Open {
            cell: world.layers[layer].at(near),
            heavier: world.heavier_than(layer, near),
        },
        None => Side::Outside,
    };
    Here {
        cell: world.layers[layer].at(place),
        heavier: world.heavier_than(layer, place),
        bed: Bed::under(world, layer, place),
        beside: DIRECTIONS.map(|(dx, dz)| side([dx, 0, dz])),
        below: side([0, -1, 0]),
        above: side([0, 1, 0]),
        place,
        draw,
    }
}
