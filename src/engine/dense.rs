//! The engine that users get: dense storage, rows without liquid skipped, slabs of equal z handed to threads.
//!
//! Every output has one writer and every sum is of integers, so the bits do not depend on the number of threads.
//! Spreading makes two passes: the first writes down what each cell gives (reading only the state before), the second
//! lets each slab take what its own cells and those of its two neighbour slabs give.

use rayon::prelude::*;

use super::Engine;
use crate::grid::Grid;
use crate::random::StepKey;
use crate::rules::gravity::{Cell, fall};
use crate::rules::spreading::{Bed, DIRECTIONS, Giver, spreads};
use crate::rules::{Rules, Walls};
use crate::units::AMOUNT_ONE;
use crate::world::{Ground, Liquid, Span, World};

/// Dense engine with the scratch memory of the spreading step, which grows with the liquid and is kept.
#[derive(Debug, Default)]
pub struct Dense {
    gifts: Vec<SlabGifts>,
}

/// What one cell gives to its four neighbours, in units.
#[derive(Clone, Copy, Debug, Default)]
struct Gift {
    amount: [u16; 4],
    arriving: [u16; 4],
    energy: u16,
}

/// What the cells of one slab give.
#[derive(Debug, Default)]
struct SlabGifts {
    /// For each y the cells that were looked at, and where their gifts start.
    rows: Vec<(Span, usize)>,
    gifts: Vec<Gift>,
    outflow: u64,
    outflow_energy: u64,
    friction: u64,
}

impl SlabGifts {
    /// The gifts of row `y` with their cells; empty when nobody gives.
    fn row(&self, y: usize) -> impl Iterator<Item = (usize, &Gift)> {
        let (span, start) = self.rows[y];
        let range = span.range();
        self.gifts[start..start + range.len()].iter().enumerate().map(move |(i, gift)| (range.start + i, gift))
    }
}

impl Engine for Dense {
    fn gravity(&mut self, world: &mut World, rules: &Rules) {
        let grid = world.grid;
        let solid = world.ground.solid().par_chunks_exact(grid.slab());
        let Liquid { amount, energy, spans, .. } = &mut world.lava;
        amount
            .par_chunks_exact_mut(grid.slab())
            .zip(energy.par_chunks_exact_mut(grid.slab()))
            .zip(spans.par_chunks_exact_mut(grid.ny))
            .zip(solid)
            .for_each(|(((amount, energy), spans), solid)| slab_falls(grid, rules, solid, amount, energy, spans));
    }

    fn spreading(&mut self, world: &mut World, rules: &Rules, key: StepKey) {
        let grid = world.grid;
        self.gifts.resize_with(grid.nz, SlabGifts::default);
        let (ground, lava) = (&world.ground, &world.lava);
        self.gifts.par_iter_mut().enumerate().for_each(|(z, gifts)| gifts.collect(ground, lava, rules, key, z));

        let gifts = &self.gifts;
        let Liquid { amount, energy, spans, ledger, .. } = &mut world.lava;
        amount
            .par_chunks_exact_mut(grid.slab())
            .zip(energy.par_chunks_exact_mut(grid.slab()))
            .zip(spans.par_chunks_exact_mut(grid.ny))
            .enumerate()
            .for_each(|(z, ((amount, energy), spans))| slab_takes(grid, gifts, z, (amount, energy), spans));
        for slab in gifts {
            ledger.outflow += slab.outflow;
            ledger.energy.outflow += slab.outflow_energy;
            ledger.energy.friction += slab.friction;
        }
    }
}

/// Gravity in one slab, rows from the bottom up.
fn slab_falls(grid: Grid, rules: &Rules, solid: &[bool], amount: &mut [u16], energy: &mut [u16], spans: &mut [Span]) {
    let nx = grid.nx;
    for y in 1..grid.ny {
        let span = spans[y];
        if span.is_empty() {
            continue;
        }
        let below = (y - 1) * nx;
        let (amount_below, amount_here) = amount[below..below + 2 * nx].split_at_mut(nx);
        let (energy_below, energy_here) = energy[below..below + 2 * nx].split_at_mut(nx);
        let solid_below = &solid[below..below + nx];
        let mut moved = false;
        for x in span.range() {
            if amount_here[x] == 0 || solid_below[x] || amount_below[x] == AMOUNT_ONE {
                continue;
            }
            let here = Cell { amount: amount_here[x], energy: energy_here[x] };
            let parcel = fall(here, Cell { amount: amount_below[x], energy: energy_below[x] }, rules);
            amount_here[x] -= parcel.amount;
            energy_here[x] -= parcel.energy;
            amount_below[x] += parcel.amount;
            energy_below[x] += parcel.energy;
            moved = true;
        }
        if moved {
            spans[y - 1] = spans[y - 1].union(span).shrunk(amount_below);
            spans[y] = span.shrunk(amount_here);
        }
    }
}

impl SlabGifts {
    /// Writes down what every cell of slab `z` gives.
    fn collect(&mut self, ground: &Ground, lava: &Liquid, rules: &Rules, key: StepKey, z: usize) {
        let grid = ground.grid();
        self.rows.clear();
        self.gifts.clear();
        (self.outflow, self.outflow_energy, self.friction) = (0, 0, 0);
        for y in 0..grid.ny {
            let span = lava.spans[z * grid.ny + y];
            let start = self.gifts.len();
            let mut giving = Span::EMPTY;
            let mut patterns = key.row(y, z);
            for x in span.range() {
                let cell = lava.cell(grid.index(x, y, z));
                if cell.energy <= rules.threshold {
                    self.gifts.push(Gift::default());
                    continue;
                }
                let bed = if y == 0 || ground.is_solid(x, y - 1, z) {
                    Bed::Solid
                } else {
                    Bed::Liquid(lava.cell(grid.index(x, y - 1, z)).amount)
                };
                let gift = if spreads(cell, bed, rules) {
                    giving = span;
                    self.gift(ground, lava, rules, (cell, bed), ([x, y, z], patterns.pattern(x)))
                } else {
                    Gift::default()
                };
                self.gifts.push(gift);
            }
            if giving.is_empty() {
                self.gifts.truncate(start);
            }
            self.rows.push((giving, start));
        }
    }

    /// What one spreading cell gives to the neighbours of its pattern.
    fn gift(
        &mut self,
        ground: &Ground,
        lava: &Liquid,
        rules: &Rules,
        (cell, bed): (Cell, Bed),
        ([x, y, z], pattern): ([usize; 3], u8),
    ) -> Gift {
        let grid = ground.grid();
        let giver = Giver::new(cell, bed, rules);
        let mut gift = Gift::default();
        for (d, &(dx, dz)) in DIRECTIONS.iter().enumerate() {
            if pattern >> d & 1 == 0 {
                continue;
            }
            let (to_x, to_z) = (x.wrapping_add_signed(dx), z.wrapping_add_signed(dz));
            if to_x < grid.nx && to_z < grid.nz {
                let to = grid.index(to_x, y, to_z);
                if ground.is_solid_at(to) {
                    continue;
                }
                let parcel = giver.gives(lava.cell(to));
                gift.amount[d] = parcel.amount;
                gift.arriving[d] = giver.arrives(parcel.energy);
                gift.energy += parcel.energy;
                self.friction += u64::from(parcel.energy - gift.arriving[d]);
            } else if rules.walls == Walls::Open {
                let parcel = giver.gives(Cell::default());
                gift.amount[d] = parcel.amount;
                gift.energy += parcel.energy;
                self.outflow += u64::from(parcel.amount);
                self.outflow_energy += u64::from(parcel.energy);
            }
        }
        gift
    }
}

/// Lets slab `z` take what its own cells and those of the slabs beside it give.
fn slab_takes(
    grid: Grid,
    gifts: &[SlabGifts],
    z: usize,
    (amount, energy): (&mut [u16], &mut [u16]),
    spans: &mut [Span],
) {
    for (y, span) in spans.iter_mut().enumerate() {
        let row = y * grid.nx..(y + 1) * grid.nx;
        let (amount, energy) = (&mut amount[row.clone()], &mut energy[row]);
        let mut reach = gifts[z].rows[y].0.grown(grid.nx);
        for (x, gift) in gifts[z].row(y) {
            amount[x] -= gift.amount.iter().sum::<u16>();
            energy[x] -= gift.energy;
            for (d, to) in [(0, x.wrapping_sub(1)), (1, x + 1)] {
                if to < grid.nx {
                    amount[to] += gift.amount[d];
                    energy[to] += gift.arriving[d];
                }
            }
        }
        for (d, from) in [(2, z + 1), (3, z.wrapping_sub(1))] {
            let Some(slab) = gifts.get(from) else { continue };
            reach = reach.union(slab.rows[y].0);
            for (x, gift) in slab.row(y) {
                amount[x] += gift.amount[d];
                energy[x] += gift.arriving[d];
            }
        }
        if !reach.is_empty() {
            *span = span.union(reach).shrunk(amount);
        }
    }
}
