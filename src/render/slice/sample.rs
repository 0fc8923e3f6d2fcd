//! What a slice shows of a world: a quantity where its material is, and elsewhere rock and the other materials.

use crate::matter::Material;
use crate::world::{CellMeasure, CellValues, Quantity, World};

use super::Content;

/// A world as a slice shows it.
pub struct Sample<'a> {
    values: CellValues<'a>,
    solid: CellValues<'a>,
    /// The materials that are shown without values, by their number among those of the world.
    plain: Vec<(u8, &'a str, CellValues<'a>)>,
}

impl<'a> Sample<'a> {
    /// A world of which the values of a quantity are shown.
    pub fn new(world: &'a World, quantity: &Quantity) -> Self {
        let shown = |material: &Material| quantity.material() == Some(&material.name);
        let amount = |material: &Material| world.values(&Quantity::new(CellMeasure::Amount, &material.name));
        let plain = (0..).zip(world.materials()).filter(|(_, material)| !shown(material));
        Self {
            values: world.values(quantity),
            solid: world.values(&Quantity::new(CellMeasure::Solid, "")),
            plain: plain.map(|(number, material)| (number, &material.name[..], amount(material))).collect(),
        }
    }

    /// What is shown of the cell at (x, y, z).
    pub fn at(&self, x: usize, y: usize, z: usize) -> Content {
        if self.solid.at(x, y, z) > 0.0 {
            return Content::Solid;
        }
        if self.values.holds(x, y, z) {
            return Content::Value(self.values.at(x, y, z));
        }
        let plain = self.plain.iter().find(|(_, _, values)| values.holds(x, y, z));
        plain.map_or(Content::Empty, |(number, _, _)| Content::Material(*number))
    }

    /// The materials that are shown without values, for the key.
    pub fn plain(&self) -> Vec<(u8, String)> {
        self.plain.iter().map(|(number, name, _)| (*number, (*name).to_owned())).collect()
    }
}
