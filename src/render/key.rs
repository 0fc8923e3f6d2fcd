//! The key of a picture: materials that are drawn in one colour each.

use crate::matter::Material;
use crate::world::Quantity;

/// Materials without values, by their number in the world, where their look has no colour; more than these repeat.
pub(super) const MATERIALS: [[u8; 3]; 6] =
    [[236, 92, 24], [58, 128, 214], [222, 196, 120], [196, 214, 224], [70, 190, 90], [150, 96, 170]];

/// A material without values: it is drawn in one colour, which the key names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plain {
    /// Its name.
    pub name: String,
    /// Its colour in sRGB.
    pub color: [u8; 3],
}

impl Plain {
    /// All materials of a world, the heaviest first.
    pub fn all<'a>(materials: impl IntoIterator<Item = &'a Material>) -> Vec<Self> {
        let plain = |(number, material): (usize, &Material)| {
            let given = material.look.color.as_ref().map(|_| material.look.srgb());
            Self { name: material.name.clone(), color: given.unwrap_or(MATERIALS[number % MATERIALS.len()]) }
        };
        materials.into_iter().enumerate().map(plain).collect()
    }

    /// Those of the materials that a slice of a quantity shows without values.
    pub fn without_values<'a>(quantity: &Quantity, materials: impl IntoIterator<Item = &'a Material>) -> Vec<Self> {
        let mut all = Self::all(materials);
        all.retain(|plain| quantity.material() != Some(&plain.name[..]));
        all
    }
}
