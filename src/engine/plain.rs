//! The plain engine: one thread, every cell, no cleverness. It is the specification that other engines must match
//! bit for bit.

use super::{Engine, Stage};
use crate::grid::Grid;
use crate::random::{Draw, StepKey};
use crate::rules::Walls;
use crate::rules::gravity::{Gravity, fall};
use crate::rules::spreading::{Bed, DIRECTIONS, Giver, Spreading, spreads};
use crate::world::{Content, World};

/// Visits every cell of the box in every step.
#[derive(Clone, Copy, Debug, Default)]
pub struct Plain;

impl Engine for Plain {
    fn run(&mut self, world: &mut World, stage: Stage<'_>, draw: Draw) {
        match stage {
            Stage::Sources(vents) => vents.pour(world, draw.step),
            Stage::Gravity(rule) => gravity(world, rule),
            Stage::Spreading(rule) => spreading(world, rule, draw.key()),
        }
    }
}

fn gravity(world: &mut World, rule: &Gravity) {
    let grid = world.grid;
    for z in 0..grid.nz {
        for x in 0..grid.nx {
            for y in 1..grid.ny {
                if !world.ground.is_solid(x, y - 1, z) {
                    fall_into(world, rule, x, y, z);
                }
            }
        }
    }
}

fn spreading(world: &mut World, rule: &Spreading, key: StepKey) {
    let before = world.clone();
    let grid = world.grid;
    for z in 0..grid.nz {
        for y in 0..grid.ny {
            for x in 0..grid.nx {
                spread_from(&before, world, rule, key, [x, y, z]);
            }
        }
    }
}

/// Lets the liquid of a cell fall into the one below it.
fn fall_into(world: &mut World, rule: &Gravity, x: usize, y: usize, z: usize) {
    let (mut c, mut b) = (world.lava.at(x, y, z), world.lava.at(x, y - 1, z));
    let parcel = fall(c, b, rule);
    c.amount -= parcel.amount;
    b.amount += parcel.amount;
    c.energy -= parcel.energy;
    b.energy += parcel.energy;
    world.lava.set(x, y, z, c);
    world.lava.set(x, y - 1, z, b);
}

/// Spreads the liquid of a cell, as it was `before`, into the world.
fn spread_from(before: &World, world: &mut World, rule: &Spreading, key: StepKey, [x, y, z]: [usize; 3]) {
    let cell = before.lava.at(x, y, z);
    let bed = Bed::under(before, x, y, z);
    if !spreads(cell, bed, rule) {
        return;
    }
    let giver = Giver::new(cell, bed, rule);
    let pattern = key.pattern(x, y, z);
    for (d, &(dx, dz)) in DIRECTIONS.iter().enumerate() {
        if pattern >> d & 1 == 0 {
            continue;
        }
        match neighbour(before.grid, x, z, dx, dz) {
            Some((nx, nz)) if before.ground.is_solid(nx, y, nz) => {}
            Some((nx, nz)) => {
                let parcel = giver.gives(before.lava.at(nx, y, nz));
                take(world, [x, y, z], parcel.amount, parcel.energy);
                let arriving = giver.arrives(parcel.energy);
                let n = world.lava.at(nx, y, nz);
                let n = Content { amount: n.amount + parcel.amount, energy: n.energy + arriving };
                world.lava.set(nx, y, nz, n);
                world.lava.ledger.energy.friction += u64::from(parcel.energy - arriving);
            }
            None if rule.walls == Walls::Open => {
                let parcel = giver.gives(Content::default());
                take(world, [x, y, z], parcel.amount, parcel.energy);
                world.lava.ledger.outflow += u64::from(parcel.amount);
                world.lava.ledger.energy.outflow += u64::from(parcel.energy);
            }
            None => {}
        }
    }
}

/// Takes liquid out of a cell.
fn take(world: &mut World, [x, y, z]: [usize; 3], amount: u16, energy: u16) {
    let c = world.lava.at(x, y, z);
    world.lava.set(x, y, z, Content { amount: c.amount - amount, energy: c.energy - energy });
}

/// The column next to (x, z), if it is inside the box.
fn neighbour(grid: Grid, x: usize, z: usize, dx: isize, dz: isize) -> Option<(usize, usize)> {
    let (x, z) = (x.checked_add_signed(dx)?, z.checked_add_signed(dz)?);
    (x < grid.nx && z < grid.nz).then_some((x, z))
}
