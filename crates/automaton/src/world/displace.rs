//! Displacement of matter by rock that is put into its cells, as ice and grains displace it.
//!
//! Cells of a layer that become rock and share faces form a *part*. The matter of a part goes to
//! the nearest free volume: a flood fill from the part moves from face to face through cells that
//! are not solid and not full of denser matter. The *height* of a cell is the smallest height to
//! which the matter must rise to reach the cell. Cells are filled in the order of their heights, so
//! that a liquid rises in a vessel before it flows over the rim, and cells of equal height in rings
//! around the part; the last ring, which has more free volume than matter is left, is filled in
//! proportion to its free volumes. A gas goes to the nearest free volume at any height. Matter that
//! finds no free volume is booked as removed and as crushed, and so is still matter, which cannot
//! move.

use std::collections::HashMap;

use super::{Content, Shape, World};
use crate::matter::Kind;
use lavoxel_base::grid::{Grid, Place};
use lavoxel_base::units::{AMOUNT_ONE, ENERGY_MAX};

/// Memory, in bytes per cell with displaced matter, for the search for free volume: a bit per
/// visited cell in a hash table, and the list of the cells of the present ring.
pub const BYTES_A_CELL: f64 = 1.0;

/// Matter being moved to other cells: amount and energy in units.
#[derive(Clone, Copy, Debug, Default)]
struct Displaced {
    amount: u64,
    energy: u64,
}

impl Displaced {
    fn add(&mut self, cell: Content) {
        self.amount += u64::from(cell.amount);
        self.energy += u64::from(cell.energy);
    }

    /// Removes `amount` and a proportional share of the energy, at most `most`, from this matter,
    /// and returns what was removed; all in units.
    fn take(&mut self, amount: u64, most: u64) -> Content {
        let energy =
            (u128::from(self.energy) * u128::from(amount) / u128::from(self.amount.max(1))) as u64;
        let energy = energy.min(most);
        self.amount -= amount;
        self.energy -= energy;
        Content {
            amount: amount as u16,
            energy: energy as u16,
        }
    }
}

/// Set of cells: a hash table from the cell index divided by 64 to a word with one bit per cell.
#[derive(Debug)]
struct Seen {
    grid: Grid,
    words: HashMap<usize, u64>,
}

impl Seen {
    fn none(grid: Grid) -> Self {
        Self {
            grid,
            words: HashMap::new(),
        }
    }

    /// Adds the cell `place` to the set; returns true if the cell was not yet in the set.
    fn insert(&mut self, place: Place) -> bool {
        let at = self.grid.index(place);
        let (word, bit) = (self.words.entry(at / 64).or_default(), 1 << (at % 64));
        let new = *word & bit == 0;
        *word |= bit;
        new
    }
}

/// State of displacing the matter of one layer by rock that is put into a shape.
struct Displacing<'a> {
    world: &'a mut World,
    layer: usize,
    shape: &'a Shape,
    /// True if cells are filled in the order of their heights, so that the matter rises before it
    /// overflows a rim; false for gases.
    by_height: bool,
}

impl World {
    /// Moves all matter in those cells of `shape` that become rock to the nearest cells with free
    /// volume, layer by layer.
    pub fn displace(&mut self, shape: &Shape) {
        for layer in 0..self.layers.len() {
            let kind = self.layers[layer].material().kind;
            if kind == Kind::Still || self.is_mirror(layer) {
                continue;
            }
            Displacing {
                world: self,
                layer,
                shape,
                by_height: kind != Kind::Gas,
            }
            .run();
        }
        shape.cells(self.grid).for_each(|place| self.crush(place));
    }

    /// Removes the matter of all layers that is left in the cell `place`, which becomes rock, and
    /// books this matter as removed and as crushed; layers that mirror another model are unchanged.
    fn crush(&mut self, place: Place) {
        for layer in self.accounted_mut() {
            layer.ledger.crushed += u64::from(layer.at(place).amount);
        }
        self.drain(place);
    }
}

impl Displacing<'_> {
    /// Moves the matter out of every connected group of cells that become rock.
    fn run(&mut self) {
        let grid = self.world.grid;
        if self.world.layers[self.layer]
            .strips
            .iter()
            .all(|strip| strip.tiles() == 0)
        {
            return;
        }
        let shape = self.shape;
        let mut parts = Seen::none(grid);
        for place in shape.cells(grid) {
            if self.is_filled(place) && parts.insert(place) {
                let part = self.connected_cells(place, &mut parts);
                let displaced = self.flood(part);
                self.lose(displaced);
            }
        }
    }

    fn is_filled(&self, place: Place) -> bool {
        self.world.layers[self.layer].at(place).amount > 0
    }

    /// Returns true if the cell `place` becomes rock.
    fn is_taken(&self, place: Place) -> bool {
        self.shape.contains(place.map(|v| v as f64 + 0.5))
    }

    /// Returns the connected cells (face neighbours) that contain matter, become rock and include
    /// the cell `first`; adds these cells to `seen`.
    fn connected_cells(&self, first: Place, seen: &mut Seen) -> Vec<Place> {
        let mut part = vec![first];
        let mut next = 0;
        while let Some(&place) = part.get(next) {
            for near in self.world.grid.face_neighbours(place) {
                if self.is_taken(near) && self.is_filled(near) && seen.insert(near) {
                    part.push(near);
                }
            }
            next += 1;
        }
        part
    }

    /// Moves the matter of the connected cells `part` to surrounding cells, found by flood fill;
    /// returns the matter for which no free volume was found.
    fn flood(&mut self, part: Vec<Place>) -> Displaced {
        let grid = self.world.grid;
        let mut seen = Seen::none(grid);
        let mut displaced = Displaced::default();
        let mut rings = vec![Vec::new(); grid.ny];
        for place in part {
            let layer = &mut self.world.layers[self.layer];
            displaced.add(layer.at(place));
            layer.set(place, Content::default());
            seen.insert(place);
            rings[if self.by_height { place[1] } else { 0 }].push(place);
        }
        // From the lowest height up, so that a vessel fills before liquid flows over its rim.
        for height in 0..grid.ny {
            let mut ring = std::mem::take(&mut rings[height]);
            while !ring.is_empty() {
                self.fill(&ring, &mut displaced);
                if displaced.amount == 0 {
                    return displaced;
                }
                let mut next = Vec::new();
                for near in ring
                    .into_iter()
                    .flat_map(|place| grid.face_neighbours(place))
                {
                    if self.lets_pass(near) && seen.insert(near) {
                        let to = if self.by_height {
                            near[1].max(height)
                        } else {
                            height
                        };
                        if to == height {
                            next.push(near)
                        } else {
                            rings[to].push(near)
                        }
                    }
                }
                ring = next;
            }
        }
        displaced
    }

    /// Returns true if the flood fill may pass through the cell `place`: the cell is not solid,
    /// does not become rock, and is not full of denser matter.
    fn lets_pass(&self, place: Place) -> bool {
        !self.world.ground.is_solid(place)
            && !self.is_taken(place)
            && self.world.heavier_than(self.layer, place) < AMOUNT_ONE
    }

    /// Free volume of the cell `place` for the matter of the layer, in units of amount.
    fn room(&self, place: Place) -> u64 {
        let (world, layer) = (&*self.world, self.layer);
        if self.is_taken(place) {
            0
        } else if world.layers[layer].is_grains() {
            u64::from(AMOUNT_ONE) * u64::from(world.takes_grain(layer, place))
        } else {
            world.room(layer, place).into()
        }
    }

    /// Distributes `displaced` over the cells `ring`, which have the same distance: fills every
    /// cell, or, if the matter does not suffice, each cell in proportion to its free volume.
    fn fill(&mut self, ring: &[Place], displaced: &mut Displaced) {
        let total: u64 = ring.iter().map(|&place| self.room(place)).sum();
        let (there, is_whole) = (displaced.amount, self.world.layers[self.layer].is_grains());
        let mut before = 0;
        for &place in ring {
            let room = self.room(place);
            let amount = if there >= total || is_whole {
                room.min(displaced.amount)
            } else {
                // Apportioned by prefix sums, so that the parts add up exactly.
                let share = |rooms: u64| {
                    (u128::from(there) * u128::from(rooms) / u128::from(total.max(1))) as u64
                };
                share(before + room) - share(before)
            };
            before += room;
            if amount > 0 {
                self.add(place, amount, displaced);
            }
        }
    }

    fn add(&mut self, place: Place, amount: u64, displaced: &mut Displaced) {
        let layer = &mut self.world.layers[self.layer];
        let old = layer.at(place);
        let more = displaced.take(amount, (ENERGY_MAX - old.energy).into());
        layer.set(
            place,
            Content {
                amount: old.amount + more.amount,
                energy: old.energy + more.energy,
            },
        );
    }

    /// Books the matter `rest`, for which no free volume was found, in the account of the layer as
    /// removed and as crushed.
    fn lose(&mut self, rest: Displaced) {
        let ledger = &mut self.world.layers[self.layer].ledger;
        ledger.removed += rest.amount;
        ledger.crushed += rest.amount;
        ledger.energy.removed += rest.energy;
    }
}
