//! Changes of matter by reactions, by turning to rock and by drying, and their bookkeeping.

use super::{Content, World};
use crate::matter::Kind;
use lavoxel_base::grid::Place;
use lavoxel_base::parallel::*;

/// Reactant or product of a reaction in one cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReactionTerm {
    /// Layer index of the material.
    pub layer: usize,
    /// Stoichiometric coefficient: amount of the material, in units, per unit of the reaction's
    /// extent.
    pub count: u32,
    /// Flag for grains: the reaction consumes or produces the whole contents of a cell or nothing.
    pub whole: bool,
}

impl World {
    /// Removes `amount` (units) of the layer with index `layer` from the cell `place`, which must
    /// contain this amount, and books it as consumed by reactions; lava loses a proportional share
    /// of its energy.
    pub fn consume(&mut self, layer: usize, place: Place, amount: u16) {
        let layer = &mut self.layers[layer];
        let old = layer.at(place);
        let energy = u32::from(old.energy) * u32::from(amount) / u32::from(old.amount.max(1));
        let energy = if amount == old.amount {
            old.energy
        } else {
            energy as u16
        };
        layer.set(
            place,
            Content {
                amount: old.amount - amount,
                energy: old.energy - energy,
            },
        );
        layer.ledger.used += u64::from(amount);
        layer.ledger.energy.used += u64::from(energy);
    }

    /// Adds `amount` (units) of the layer with index `layer` to the cell `place`, which must have
    /// room, and books it as produced by reactions. `energy`: energy of a full cell of the product
    /// if it is lava, in units.
    pub fn produce(&mut self, layer: usize, place: Place, amount: u16, energy: u16) {
        let layer = &mut self.layers[layer];
        let added = layer.add(place, amount, energy);
        layer.ledger.made += u64::from(amount);
        layer.ledger.energy.made += added;
    }

    /// Returns true if the matter of the layer with index `layer` in the cell (x, y, z) can become
    /// rock, because all other matter in the cell fits into the cell above.
    pub(crate) fn can_set(&self, layer: usize, [x, y, z]: Place) -> bool {
        let above = [x, y + 1, z];
        let open = y + 1 < self.grid.ny && !self.ground.is_solid(above);
        self.layers
            .iter()
            .enumerate()
            .filter(|(number, _)| *number != layer)
            .all(|(number, other)| {
                let (here, there) = (
                    other.at([x, y, z]),
                    if open {
                        other.at(above)
                    } else {
                        Content::default()
                    },
                );
                let moves = !matches!(other.material().kind, Kind::Still | Kind::Grain);
                let both = u32::from(here.amount) + u32::from(there.amount);
                let fits = both <= u32::from(self.most_of(number))
                    && here.energy.checked_add(there.energy).is_some();
                here.amount == 0 || open && moves && fits
            })
    }

    /// Makes the cell (x, y, z) solid: the matter of the layer with index `layer` is booked as
    /// solidified, all other matter moves to the cell above. `World::can_set` must be true, and no
    /// layer that mirrors another model may have matter in the cell.
    pub fn set_rock(&mut self, layer: usize, [x, y, z]: Place) {
        let place = [x, y, z];
        for (number, other) in self.layers.iter_mut().enumerate() {
            let here = other.at(place);
            if here == Content::default() {
                continue;
            }
            other.set(place, Content::default());
            if number == layer {
                other.ledger.solidified += u64::from(here.amount);
                other.ledger.energy.removed += u64::from(here.energy);
            } else {
                let there = other.at([x, y + 1, z]);
                let both = Content {
                    amount: here.amount + there.amount,
                    energy: here.energy + there.energy,
                };
                other.set([x, y + 1, z], both);
            }
        }
        self.set_solid(place, true);
    }

    /// Removes the matter of the layer with index `layer`, which must not carry energy, from all
    /// cells with an amount below `below` (units), and books it as dried.
    pub(crate) fn dry(&mut self, layer: usize, below: u16) {
        let layer = &mut self.layers[layer];
        // A layer in which nothing changed has no new film, so a layer at rest costs nothing.
        if layer.searched == Some((layer.version(), below)) {
            return;
        }
        let films: Vec<Vec<_>> = (0..layer.strips.len())
            .into_par_iter()
            .map(|tz| layer.films(tz, below))
            .collect();
        for (place, amount) in films.into_iter().flatten() {
            layer.set(place, Content::default());
            layer.ledger.dried += u64::from(amount);
        }
        layer.searched = Some((layer.version(), below));
    }

    /// Removes the matter of the layer with index `layer` from the topmost cells of the simulation
    /// box and books it as outflow in the layer's ledger.
    pub(crate) fn leave_by_roof(&mut self, layer: usize) {
        let top = self.grid.ny - 1;
        let layer = &mut self.layers[layer];
        let held = (0..self.grid.nz).flat_map(|z| {
            layer
                .row(top, z, 0..self.grid.nx)
                .map(move |(x, cell)| ([x, top, z], cell))
        });
        let held: Vec<_> = held.filter(|(_, cell)| cell.amount > 0).collect();
        for (place, cell) in held {
            layer.set(place, Content::default());
            layer.ledger.outflow += u64::from(cell.amount);
        }
    }
}
