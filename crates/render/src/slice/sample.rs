//! Slice through a world: a quantity where its material is, and elsewhere rock and the other materials, in each cell
//! the one that fills most of it.

use lavoxel_air::Air;
use lavoxel_automaton::matter::Material;
use lavoxel_automaton::world::{CellMeasure, Quantity, World};
use lavoxel_base::grid::Place;
use lavoxel_sim::state::{CellValues, StateRef};

use super::Content;
use crate::chart::key::Plain;

/// A world as a slice shows it.
pub struct Sample<'a> {
    values: CellValues<'a>,
    solid: CellValues<'a>,
    /// The air, of which the motion is shown.
    moving: Option<&'a Air>,
    /// The materials that are shown without values, and their amounts.
    plain: Vec<(Plain, CellValues<'a>)>,
}

impl<'a> Sample<'a> {
    /// A world of which the values of a quantity are shown.
    pub fn new(state: impl Into<StateRef<'a>>, quantity: &Quantity) -> Self {
        let state: StateRef<'a> = state.into();
        let with_amount = |plain: Plain| {
            let amount = state.values(&Quantity::new(CellMeasure::Amount, &plain.name));
            (plain, amount)
        };
        Self {
            values: state.values(quantity),
            moving: state.air.filter(|_| quantity.measure() == CellMeasure::Speed),
            solid: state.values(&Quantity::new(CellMeasure::Solid, "")),
            plain: Self::named(state.world, quantity).map(with_amount).collect(),
        }
    }

    /// The materials without values: lava only where there is some, as a scene need not have any.
    fn named(world: &World, quantity: &Quantity) -> impl Iterator<Item = Plain> + use<> {
        let has_lava = world.lava().tiles().next().is_some();
        let plain = Plain::without_values(quantity, world.materials()).into_iter();
        plain.filter(move |plain| has_lava || plain.name != Material::LAVA)
    }

    /// Contents that are shown of a cell.
    pub fn at(&self, place: Place) -> Content {
        // Rock that fills no whole cell of a flow may have lava on it.
        if self.values.holds(place) {
            return Content::Value(self.values.at(place));
        }
        if self.solid.at(place) > 0.0 {
            return Content::Solid;
        }
        let there = self.plain.iter().enumerate().filter(|(_, (_, amount))| amount.holds(place));
        let amounts = there.map(|(number, (_, amount))| (number, amount.at(place)));
        // Of equal ones the heaviest.
        let most = amounts.reduce(|most, other| if other.1 > most.1 { other } else { most });
        most.map_or(Content::Empty, |(number, _)| Content::Material(number as u8))
    }

    /// The velocity of a cell in m/s along x, y and z, where the slice shows the air's speed and there is air.
    pub fn motion(&self, place: Place) -> Option<[f32; 3]> {
        let air = self.moving?;
        if self.solid.at(place) > 0.0 { None } else { air.motion(place) }
    }

    /// The materials that are shown without values, in the order that [`Content::Material`] counts.
    pub fn plain(&self) -> Vec<Plain> {
        self.plain.iter().map(|(plain, _)| plain.clone()).collect()
    }
}
