//! Reactions (*Grid Based Fluid Systems*, lava boils water and ice cools steam): parts of each
//! consumed material become parts of each product, all in units.
//!
//! ```text
//! takes kA A (+ kB B), makes kC C (+ kD D)
//! x = min(a_A / kA, a_B / kB, rate, (2 − a_C) / kC, (2 − a_D) / kD)     rounded down; a cell of lava alone has 1, not 2
//! a_A −= kA x ; a_B −= kB x ; a_C += kC x ; a_D += kD x
//! ```
//!
//! Within a cell, and next to a material that is only read, every cell reacts by the state before.
//! Across a face, a step has the pairs of one axis whose lower cell is even or odd along that axis
//! (step mod 6): no two pairs share a cell. In a pair, first A in the lower cell reacts with B in
//! the upper, then A in the upper with B in the lower.
//!
//! A grain reacts as one whole cell of its material or not at all. Lava takes its energy along in
//! proportion.

use super::shape::{Driver, Due, Listed, Needed, Point};
use crate::matter::{Kind, Material, Reaction, ReactionHeat, Where};
use crate::world::{Part, World};
use lavoxel_base::grid::tile::TilePlace;
use lavoxel_base::grid::{Grid, Place};
use lavoxel_base::random::{Draw, Salt, StepKey};
use lavoxel_base::units::{AMOUNT_ONE, amount_units, energy_units};

/// Reaction in fixed point: amounts and energies in units.
#[derive(Clone, Debug, PartialEq)]
pub struct Reacting {
    /// Consumed materials: the first A, the second B.
    pub takes: Vec<Part>,
    /// Products: the first C, the second D.
    pub makes: Vec<Part>,
    /// Catalyst: layer index of the material that must be in a neighbouring cell, and its minimum
    /// amount in units; `None` if no neighbour is needed.
    pub near: Option<(usize, u16)>,
    /// Arrangement of the materials: within a cell, next to a material, or across a face.
    pub place: Where,
    /// Fraction (0–1) of the box height above which the reaction takes place.
    pub above: f64,
    /// Upper bound of the extent per cell and step, in units per stoichiometric part.
    pub rate: u32,
    /// Fraction of cells that react per step, of 256.
    pub chance: u16,
    /// Energy of a full cell of produced lava, in units.
    pub energy: u16,
    /// Heat taken from neighbouring lava (physical model); `None` for a reaction without heat.
    pub heat: Option<Heat>,
    /// Index of the reaction; selects an independent random stream.
    pub number: usize,
    /// Layer indices of granular materials.
    grains: Vec<usize>,
}

/// Heat demand of a reaction, converted for the cells of a world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Heat {
    /// Heat demand (J/kg), heat transfer coefficient and temperature, as given in the scene.
    pub about: ReactionHeat,
    /// Mass of one part of the first material, in kg per m³ of cell volume.
    pub part_kg_m3: f64,
}

impl Reacting {
    /// Creates the rule of a validated reaction with index `number`; `materials` are in layer
    /// order.
    pub fn new(reaction: &Reaction, number: usize, materials: &[Material]) -> Self {
        let layer = |name: &str| materials.iter().position(|material| material.name == name);
        // A checked reaction names known materials only, so that no part is dropped here.
        let part = |(name, count): &(String, u32)| {
            let layer = layer(name)?;
            Some(Part {
                layer,
                count: (*count).max(1),
                whole: materials[layer].kind == Kind::Grain,
            })
        };
        let near = reaction.near.iter().flat_map(|near| &near.0);
        let mut near =
            near.filter_map(|(name, least)| Some((layer(name)?, amount_units(*least).max(1))));
        let grains = materials
            .iter()
            .enumerate()
            .filter(|(_, material)| material.kind == Kind::Grain);
        let first = reaction
            .takes
            .0
            .first()
            .and_then(|(name, count)| Some((&materials[layer(name)?], *count)));
        let part_kg_m3 = first.map_or(0.0, |(material, count)| {
            material.density * f64::from(count) / f64::from(AMOUNT_ONE)
        });
        Self {
            heat: reaction.heat.map(|about| Heat { about, part_kg_m3 }),
            takes: reaction.takes.0.iter().filter_map(part).collect(),
            makes: reaction.makes.0.iter().filter_map(part).collect(),
            near: near.next(),
            place: reaction.place(),
            above: reaction.above,
            rate: (reaction.rate * f64::from(AMOUNT_ONE)).round().max(1.0) as u32,
            chance: (reaction.chance * 256.0).round() as u16,
            energy: energy_units(reaction.energy),
            number,
            grains: grains.map(|(layer, _)| layer).collect(),
        }
    }

    /// Number of rounds per step; all cells react simultaneously within a round.
    pub fn rounds(&self) -> u64 {
        if self.place == Where::Across { 2 } else { 1 }
    }

    /// Returns true if the reaction takes heat from neighbouring lava; such a reaction does not run
    /// in a world without a flow that supplies heat.
    pub fn takes_heat(&self) -> bool {
        self.heat.is_some() && self.near.is_some()
    }

    /// Applies the `due` events in a world in which no flow takes part.
    fn carry_out(&self, world: &mut World, due: &[Due]) {
        for &Due { places, parts } in due.iter().filter(|_| !self.takes_heat()) {
            for (part, place) in self.takes.iter().zip(places) {
                world.consume(part.layer, place, (part.count * parts) as u16);
            }
            for (part, place) in self.makes.iter().zip(places) {
                world.produce(part.layer, place, (part.count * parts) as u16, self.energy);
            }
        }
    }

    /// Number of parts per whole grain; `None` for a reaction without grains.
    pub fn whole_parts(&self) -> Option<u32> {
        let whole = self.takes.iter().chain(&self.makes).find(|part| part.whole);
        whole.map(|part| u32::from(AMOUNT_ONE) / part.count)
    }

    /// Returns the hash key of the reaction's random draws in a step.
    pub fn key(&self, draw: Draw) -> StepKey {
        draw.key_of(Salt::Reaction, self.number)
    }

    /// Returns the extent of the reaction, in parts; `places`: cell of A and C, cell of B and D.
    fn extent(&self, world: &World, places: [Place; 2]) -> u32 {
        let amount =
            |part: &Part, place: Place| u32::from(world.layers()[part.layer].at(place).amount);
        let taken = self
            .takes
            .iter()
            .zip(places)
            .map(|(part, place)| amount(part, place) / part.count);
        let mut most = taken.min().unwrap_or(0).min(self.rate);
        let whole = self.whole_parts();
        if let Some(whole) = whole {
            // The rate limits fluids only: it is a rate per cell, and a grain is a whole cell.
            most = self
                .takes
                .iter()
                .zip(places)
                .map(|(part, place)| amount(part, place) / part.count)
                .min()
                .unwrap_or(0);
            most = if most >= whole { whole } else { 0 };
        }
        for (i, (part, place)) in self.makes.iter().zip(places).enumerate() {
            // Both products may be one material in one cell; then they share the room there.
            let twin = self.makes.iter().zip(places).enumerate();
            let count: u32 = twin
                .filter(|(j, (other, there))| {
                    *j == i || (other.layer == part.layer && *there == place)
                })
                .map(|(_, (other, _))| other.count)
                .sum();
            most = most.min(
                u32::from(world.most_of(part.layer)).saturating_sub(amount(part, place)) / count,
            );
            if part.whole && !self.has_room_for_grain(world, place, places) {
                return 0;
            }
        }
        if whole.is_some_and(|whole| most < whole) {
            0
        } else {
            most
        }
    }

    /// Returns true if the cell `place` contains no grain, or only a grain that the reaction
    /// consumes.
    fn has_room_for_grain(&self, world: &World, place: Place, places: [Place; 2]) -> bool {
        let taken = |layer: usize| {
            self.takes
                .iter()
                .zip(places)
                .any(|(part, at)| part.layer == layer && at == place)
        };
        self.grains
            .iter()
            .all(|&layer| world.layers()[layer].at(place).amount == 0 || taken(layer))
    }
}

impl Point for Reacting {
    fn site(&self) -> (usize, u16) {
        self.takes.first().map_or((0, u16::MAX), |first| {
            (first.layer, u16::try_from(first.count).unwrap_or(u16::MAX))
        })
    }

    fn needs(&self) -> [Option<Needed>; 2] {
        let second = self
            .takes
            .get(1)
            .map(|part| (part.layer, self.place == Where::Across));
        let near = self.near.map(|(layer, _)| (layer, true));
        [second, near].map(|needed| needed.map(|(layer, beside)| Needed { layer, beside }))
    }

    fn chosen(&self, tile: TilePlace, draw: Draw) -> u32 {
        self.key(draw).chosen(tile, self.chance)
    }

    fn due(&self, world: &World, place: Place, draw: Draw, round: u64) -> Option<Due> {
        let first = self.takes.first()?;
        if u32::from(world.layers()[first.layer].at(place).amount) < first.count
            || (place[1] as f64) < self.above * world.grid().ny as f64
            || !self.key(draw).chooses(place, self.chance)
        {
            return None;
        }
        let places = match self.place {
            Where::Across => [place, partner(world.grid(), place, draw.step, round)?],
            Where::Cell | Where::Beside => [place, place],
        };
        let meets = |(layer, least): (usize, u16)| {
            // Matter that shares a cell with the lava meets the lava too; a grain is a whole cell.
            let shares = || self.heat.is_some() && world.layers()[layer].at(place).amount >= least;
            world
                .grid()
                .around(place)
                .any(|near| world.layers()[layer].at(near).amount >= least)
                || shares()
        };
        if self.near.is_some_and(|near| !meets(near)) {
            return None;
        }
        let parts = self.extent(world, places);
        (parts > 0).then_some(Due { places, parts })
    }
}

impl Listed for Reacting {
    fn run<D: Driver>(&self, driver: &mut D, (world, _): (&mut World, usize), draw: Draw) {
        for round in 0..self.rounds() {
            let due = driver.points(world, self, draw, round);
            self.carry_out(world, &due);
        }
    }
}

/// Returns the partner cell of `place` in step `step`; `None` unless `place` is the lower cell of a
/// pair in the first round, or the upper cell in the second.
fn partner(grid: Grid, place: Place, step: u64, round: u64) -> Option<Place> {
    let (axis, odd) = ((step % 6 / 2) as usize, step % 2);
    let lower = place[axis] as u64 % 2 == odd;
    if lower != (round == 0) {
        return None;
    }
    let mut other = place;
    other[axis] = if lower {
        place[axis] + 1
    } else {
        place[axis].checked_sub(1)?
    };
    (other[axis] < [grid.nx, grid.ny, grid.nz][axis]).then_some(other)
}
