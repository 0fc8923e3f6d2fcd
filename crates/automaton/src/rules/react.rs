//! Reactions (*Grid Based Fluid Systems*, lava boils water and ice cools steam): consumed materials
//! become products in fixed proportions; all amounts are in units.
//!
//! ```text
//! takes kA A (+ kB B), makes kC C (+ kD D)
//! x = min(a_A / kA, a_B / kB, rate, (2 − a_C) / kC, (2 − a_D) / kD)     rounded down; a cell of lava alone has 1, not 2
//! a_A −= kA x ; a_B −= kB x ; a_C += kC x ; a_D += kD x
//! ```
//!
//! In one cell, or next to a material that takes no part, all cells react at the same time, by the
//! state before. Across faces, each step has the pairs along one axis whose lower cell is even or
//! odd along this axis (step mod 6), so that no two pairs share a cell. In each pair, first A in
//! the lower cell reacts with B in the upper cell, then A in the upper with B in the lower.
//!
//! A grain reacts as one whole cell of its material or not at all. Lava that is consumed loses a
//! proportional share of its energy.

use super::shape::{Driver, Due, Listed, Needed, Point};
use crate::matter::{Kind, Material, Reaction, ReactionHeat, Where};
use crate::world::{ReactionTerm, World};
use lavoxel_base::grid::tile::TilePlace;
use lavoxel_base::grid::{Grid, Place};
use lavoxel_base::random::{Draw, Salt, StepKey};
use lavoxel_base::units::{AMOUNT_ONE, amount_units, energy_units};

/// Rule of one reaction, with its parameters in fixed point: amounts and energies in units.
#[derive(Clone, Debug, PartialEq)]
pub struct Reacting {
    /// Consumed materials, one or two: A and B in the module documentation.
    pub takes: Vec<ReactionTerm>,
    /// Products, at most two: C and D in the module documentation.
    pub makes: Vec<ReactionTerm>,
    /// Material that a neighbouring cell must contain and that the reaction does not change: index
    /// of its layer, and its smallest amount in units. `None` if the reaction needs no such
    /// material.
    pub near: Option<(usize, u16)>,
    /// Arrangement of the materials: in one cell, next to the material `near`, or in two cells that
    /// share a face.
    pub place: Where,
    /// Height above which the reaction takes place, as a fraction (0–1) of the simulation box's
    /// height.
    pub above: f64,
    /// Largest extent of the reaction per cell and step; a material's amount changes by the extent
    /// times its coefficient, in units of amount. Reactions with grains ignore this limit.
    pub rate: u32,
    /// Probability with which a cell reacts in a step, in 1/256.
    pub chance: u16,
    /// Energy per full cell of the lava that the reaction produces, in units.
    pub energy: u16,
    /// Heat that the reaction takes from neighbouring lava (physical model); `None` if the reaction
    /// takes no heat.
    pub heat: Option<Heat>,
    /// Random stream of the reaction ([`Reaction::streams`]).
    pub stream: u64,
    /// Indices of the layers of granular materials in the world.
    grains: Vec<usize>,
}

/// Heat that a reaction takes from lava, and the mass per cell that converts heat per mass to heat
/// per cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Heat {
    /// Heat per mass (J/kg), heat transfer coefficient and temperature, as the scene gives them.
    pub about: ReactionHeat,
    /// Mass of the first consumed material per unit of the reaction's extent, in kg per m³ of a
    /// cell.
    pub part_kg_m3: f64,
}

impl Reacting {
    /// Creates the rule for `reaction`, which must be validated, with the random stream
    /// `stream` ([`Reaction::streams`]); `materials` are in the order of the layers.
    pub fn new(reaction: &Reaction, stream: u64, materials: &[Material]) -> Self {
        let layer = |name: &str| materials.iter().position(|material| material.name == name);
        // A checked reaction names known materials only, so that no part is dropped here.
        let part = |(name, count): &(String, u32)| {
            let layer = layer(name)?;
            Some(ReactionTerm {
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
            stream,
            grains: grains.map(|(layer, _)| layer).collect(),
        }
    }

    /// Number of rounds of the reaction in a step: 2 for a reaction between cells that share a
    /// face, else 1. In a round all cells react at the same time.
    pub fn rounds(&self) -> u64 {
        if self.place == Where::Across { 2 } else { 1 }
    }

    /// Returns true if the reaction takes heat from neighbouring lava. Such a reaction needs the
    /// physical model: without a flow that supplies heat it does not take place.
    pub fn takes_heat(&self) -> bool {
        self.heat.is_some() && self.near.is_some()
    }

    /// Applies the events `due` to the cells of `world`. Does nothing for a reaction that takes
    /// heat: the coupling with the flow carries out such reactions.
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

    /// Extent at which the reaction consumes or produces exactly one grain; `None` for a reaction
    /// without grains.
    pub fn whole_parts(&self) -> Option<u32> {
        let whole = self.takes.iter().chain(&self.makes).find(|part| part.whole);
        whole.map(|part| u32::from(AMOUNT_ONE) / part.count)
    }

    /// Returns the hash key of this reaction's random numbers in the step that `draw` identifies.
    pub fn key(&self, draw: Draw) -> StepKey {
        draw.key_of(Salt::Reaction, self.stream)
    }

    /// Returns the extent to which the reaction can take place, as a whole number: each amount
    /// (units) changes by the extent times the material's coefficient. `places`: cell of A and C,
    /// then cell of B and D.
    fn extent(&self, world: &World, places: [Place; 2]) -> u32 {
        let amount = |part: &ReactionTerm, place: Place| {
            u32::from(world.layers()[part.layer].at(place).amount)
        };
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

    /// Returns true if the reaction can put a grain into the cell `place`: the cell contains no
    /// grain, or only one that the reaction consumes. `places`: the two cells of the reaction.
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
                .face_neighbours(place)
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

/// Returns the cell that reacts with the cell `place` across a face in the step number `step`;
/// `None` if `place` is not the lower cell (in `round` 0) or the upper cell (in `round` 1) of a
/// pair of this step.
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
