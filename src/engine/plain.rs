//! The plain engine: one thread, every cell, no cleverness. It is the specification that other engines must match
//! bit for bit.

use super::{Engine, Stage};
use crate::grid::Grid;
use crate::random::{Draw, StepKey};
use crate::rules::{Bed, Column, DIRECTIONS, Exchange, Here, Rule, Side, Walls};
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
            Rule::Spreading(rule) => exchange(world, layer, rule, draw.key()),
            Rule::Squeeze(rule) => column(world, layer, rule),
            Rule::Level(rule) => exchange(world, layer, rule, draw.key()),
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
fn exchange<const Q: usize>(world: &mut World, layer: usize, rule: &impl Exchange<Q>, key: StepKey) {
    let before = world.clone();
    let grid = world.grid();
    for z in 0..grid.nz {
        for y in 0..grid.ny {
            for x in 0..grid.nx {
                if before.layers[layer].at(x, y, z).amount > 0 {
                    give(&before, world, layer, rule, (key, [x, y, z]));
                }
            }
        }
    }
}

/// What the cell (x, y, z) gives, as the world was `before`.
fn give<const Q: usize>(
    before: &World,
    world: &mut World,
    layer: usize,
    rule: &impl Exchange<Q>,
    (key, [x, y, z]): (StepKey, [usize; 3]),
) {
    let gifts = rule.gives(&here(before, layer, [x, y, z]), key.pattern(x, y, z));
    for ((dx, dz), gift) in DIRECTIONS.into_iter().zip(gifts) {
        let layer = &mut world.layers[layer];
        let (amount, energy) = (gift.parcel.amount, gift.parcel.energy);
        let c = layer.at(x, y, z);
        layer.set(x, y, z, Content { amount: c.amount - amount, energy: c.energy - energy });
        layer.ledger.energy.friction += u64::from(gift.friction);
        match neighbour(before.grid(), x, z, dx, dz) {
            Some((nx, nz)) => {
                let n = layer.at(nx, y, nz);
                let energy = n.energy + (energy - gift.friction);
                layer.set(nx, y, nz, Content { amount: n.amount + amount, energy });
            }
            None => {
                assert!(amount == 0 || rule.walls() == Walls::Open, "nothing leaves a closed box");
                layer.ledger.outflow += u64::from(amount);
                layer.ledger.energy.outflow += u64::from(energy);
            }
        }
    }
}

/// A cell with what is around it.
fn here(world: &World, layer: usize, [x, y, z]: [usize; 3]) -> Here {
    let side = |(dx, dz)| match neighbour(world.grid(), x, z, dx, dz) {
        Some((nx, nz)) if world.ground().is_solid(nx, y, nz) => Side::Solid,
        Some((nx, nz)) => {
            let cell = world.layers[layer].at(nx, y, nz);
            Side::Open { cell, heavier: world.heavier_than(layer, nx, y, nz) }
        }
        None => Side::Outside,
    };
    Here {
        cell: world.layers[layer].at(x, y, z),
        heavier: world.heavier_than(layer, x, y, z),
        bed: Bed::under(world, layer, [x, y, z]),
        beside: DIRECTIONS.map(side),
    }
}

/// The column next to (x, z), if it is inside the box.
fn neighbour(grid: Grid, x: usize, z: usize, dx: isize, dz: isize) -> Option<(usize, usize)> {
    let (x, z) = (x.checked_add_signed(dx)?, z.checked_add_signed(dz)?);
    (x < grid.nx && z < grid.nz).then_some((x, z))
}
