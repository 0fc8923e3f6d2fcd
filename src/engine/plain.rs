//! The plain engine: one thread, every cell, no cleverness. It is the specification that other engines must match
//! bit for bit.

use super::{Engine, Stage};
use crate::grid::Grid;
use crate::random::Draw;
use crate::rules::{Bed, Column, DIRECTIONS, Exchange, Gift, Gifts, Here, Rule, Side, Walls};
use crate::world::{Content, World};

/// Visits every cell of the box in every step.
#[derive(Clone, Copy, Debug, Default)]
pub struct Plain;

impl Engine for Plain {
    fn run(&mut self, world: &mut World, stage: Stage<'_>, draw: Draw) {
        let (layer, rule) = match stage {
            Stage::Sources(vents) => return vents.pour(world, draw.step),
            Stage::Rule { layer, rule } => (layer, rule),
        };
        match rule {
            Rule::Gravity(rule) => column(world, layer, rule),
            Rule::Spreading(rule) => exchange(world, layer, rule, draw),
            Rule::Squeeze(rule) => column(world, layer, rule),
            Rule::Level(rule) => exchange(world, layer, rule, draw),
            Rule::Compress(rule) => draw.passes(rule.passes).for_each(|draw| exchange(world, layer, rule, draw)),
        }
    }
}

/// A rule along the columns of a layer: pairs of open cells from the bottom up, in place.
fn column<const Q: usize>(world: &mut World, layer: usize, rule: &impl Column<Q>) {
    let grid = world.grid();
    for (x, z) in (0..grid.nz).flat_map(|z| (0..grid.nx).map(move |x| (x, z))) {
        for y in 1..grid.ny {
            if world.ground().is_solid(x, y - 1, z) || world.ground().is_solid(x, y, z) {
                continue;
            }
            let cells = [y - 1, y].map(|y| world.layers[layer].at(x, y, z));
            let heavier = world.heavier_than(layer, x, y - 1, z);
            for (y, cell) in [y - 1, y].into_iter().zip(rule.settle(cells[0], cells[1], heavier)) {
                world.layers[layer].set(x, y, z, cell);
            }
        }
    }
}

/// A rule across a layer: every cell gives by the state before.
fn exchange<const Q: usize>(world: &mut World, layer: usize, rule: &impl Exchange<Q>, draw: Draw) {
    let before = world.clone();
    let (grid, key) = (world.grid(), draw.key());
    for [x, y, z] in cells(grid) {
        if before.layers[layer].at(x, y, z).amount > 0 {
            let here = here(&before, layer, [x, y, z], draw.step);
            give(world, layer, rule, &here, rule.gives(&here, key.pattern(x, y, z)));
        }
    }
}

fn cells(grid: Grid) -> impl Iterator<Item = [usize; 3]> {
    (0..grid.nz).flat_map(move |z| (0..grid.ny).flat_map(move |y| (0..grid.nx).map(move |x| [x, y, z])))
}

/// Takes gifts out of the cell `here` and adds them to its neighbours.
fn give<const Q: usize>(world: &mut World, layer: usize, rule: &impl Exchange<Q>, here: &Here, gifts: Gifts) {
    let (grid, [x, y, z]) = (world.grid(), here.place);
    let layer = &mut world.layers[layer];
    let across = DIRECTIONS.into_iter().zip(gifts.beside);
    let across = across.map(|((dx, dz), gift)| (neighbour(grid, x, z, dx, dz).map(|(x, z)| [x, y, z]), gift));
    // The gifts below and above are none where there is no such cell.
    let vertical = [(Some([x, y.saturating_sub(1), z]), gifts.below), (Some([x, y + 1, z]), gifts.above)];
    for (to, gift) in across.chain(vertical).filter(|(_, gift)| *gift != Gift::default()) {
        let (amount, energy) = (gift.parcel.amount, gift.parcel.energy);
        let c = layer.at(x, y, z);
        layer.set(x, y, z, Content { amount: c.amount - amount, energy: c.energy - energy });
        layer.ledger.energy.friction += u64::from(gift.friction);
        match to {
            Some([x, y, z]) => {
                let n = layer.at(x, y, z);
                let energy = n.energy + (energy - gift.friction);
                layer.set(x, y, z, Content { amount: n.amount + amount, energy });
            }
            None => {
                assert!(rule.walls() == Walls::Open, "nothing leaves a closed box");
                layer.ledger.outflow += u64::from(amount);
                layer.ledger.energy.outflow += u64::from(energy);
            }
        }
    }
}

/// A cell with what is around it.
fn here(world: &World, layer: usize, [x, y, z]: [usize; 3], step: u64) -> Here {
    let side = |place: Option<[usize; 3]>| match place {
        Some([x, y, z]) if world.ground().is_solid(x, y, z) => Side::Solid,
        Some([x, y, z]) => {
            let cell = world.layers[layer].at(x, y, z);
            Side::Open { cell, heavier: world.heavier_than(layer, x, y, z) }
        }
        None => Side::Outside,
    };
    let grid = world.grid();
    let beside = |(dx, dz)| neighbour(grid, x, z, dx, dz).map(|(x, z)| [x, y, z]);
    Here {
        cell: world.layers[layer].at(x, y, z),
        heavier: world.heavier_than(layer, x, y, z),
        bed: Bed::under(world, layer, [x, y, z]),
        beside: DIRECTIONS.map(|direction| side(beside(direction))),
        below: side(y.checked_sub(1).map(|y| [x, y, z])),
        above: side((y + 1 < grid.ny).then_some([x, y + 1, z])),
        place: [x, y, z],
        step,
    }
}

/// The column next to (x, z), if it is inside the box.
fn neighbour(grid: Grid, x: usize, z: usize, dx: isize, dz: isize) -> Option<(usize, usize)> {
    let (x, z) = (x.checked_add_signed(dx)?, z.checked_add_signed(dz)?);
    (x < grid.nx && z < grid.nz).then_some((x, z))
}
