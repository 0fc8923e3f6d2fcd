//! Content of the cells of a slice: the value of the shown quantity if a cell has one, otherwise
//! rock, or the material with the largest amount in the cell.

use lavoxel_air::Air;
use lavoxel_automaton::matter::Material;
use lavoxel_automaton::world::{CellMeasure, Quantity, World};
use lavoxel_base::grid::Place;
use lavoxel_sim::state::{CellValues, StateRef};

use super::Content;
use crate::chart::key::Plain;

/// Contents of the cells of a simulation state, for slices of one quantity.
pub struct Sample<'a> {
    values: CellValues<'a>,
    solid: CellValues<'a>,
    /// Air whose velocity is drawn as arrows; `None` unless the quantity is the speed of the air.
    moving: Option<&'a Air>,
    /// Materials shown in a single colour without values, each with its amounts per cell.
    plain: Vec<(Plain, CellValues<'a>)>,
}

impl<'a> Sample<'a> {
    /// Prepares the contents of the cells of `state` for slices of `quantity`.
    pub fn new(state: impl Into<StateRef<'a>>, quantity: &Quantity) -> Self {
        let state: StateRef<'a> = state.into();
        let with_amount = |plain: Plain| {
            let amount = state.values(&Quantity::new(CellMeasure::Amount, &plain.name));
            (plain, amount)
        };
        Self {
            values: state.values(quantity),
            moving: state
                .air
                .filter(|_| quantity.measure() == CellMeasure::Speed),
            solid: state.values(&Quantity::new(CellMeasure::Solid, "")),
            plain: Self::named(state.world, quantity)
                .map(with_amount)
                .collect(),
        }
    }

    /// Returns the materials of `world` that slices of `quantity` show in a single colour without
    /// values; the lava is left out if the world has none.
    fn named(world: &World, quantity: &Quantity) -> impl Iterator<Item = Plain> + use<> {
        let has_lava = world.lava().tiles().next().is_some();
        let plain = Plain::without_values(quantity, world.materials()).into_iter();
        plain.filter(move |plain| has_lava || plain.name != Material::LAVA)
    }

    /// Returns the content of the cell with the indices `place` (x, y, z).
    pub fn at(&self, place: Place) -> Content {
        // Values come before rock: rock that fills only a part of a cell of a flow may have lava on
        // top.
        if self.values.has_value(place) {
            return Content::Value(self.values.at(place));
        }
        if self.solid.at(place) > 0.0 {
            return Content::Solid;
        }
        let there = self
            .plain
            .iter()
            .enumerate()
            .filter(|(_, (_, amount))| amount.has_value(place));
        let amounts = there.map(|(number, (_, amount))| (number, amount.at(place)));
        // Of equal amounts, the heaviest material wins.
        let most = amounts.reduce(|most, other| if other.1 > most.1 { other } else { most });
        most.map_or(Content::Empty, |(number, _)| {
            Content::Material(number as u8)
        })
    }

    /// Returns the velocity of the air in the cell `place`, in m/s along x, y and z; `None` in
    /// rock, outside of the air, and if the shown quantity is not the speed of the air.
    pub fn motion(&self, place: Place) -> Option<[f32; 3]> {
        let air = self.moving?;
        if self.solid.at(place) > 0.0 {
            None
        } else {
            air.motion(place)
        }
    }

    /// Returns the materials shown in a single colour without values; `Content::Material` is an
    /// index into this list.
    pub fn plain(&self) -> Vec<Plain> {
        self.plain.iter().map(|(plain, _)| plain.clone()).collect()
    }
}
