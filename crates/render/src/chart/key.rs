//! Colours of materials in the key of a picture, and palettes for the quantities that slices show.

use lavoxel_automaton::matter::Material;
use lavoxel_automaton::view::{Palette, Preset};
use lavoxel_automaton::world::{CellMeasure, Quantity};

use crate::media::haze;

/// Default colours (sRGB) of materials whose look gives no colour: lava (index 0), presets, and two
/// spare colours (10 and 11) for materials whose default colour is already in use.
pub(crate) const MATERIALS: [[u8; 3]; 15] = [
    [236, 92, 24],
    [58, 128, 214],
    [222, 196, 120],
    [196, 214, 224],
    [120, 214, 236],
    [112, 48, 44],
    [26, 20, 24],
    [248, 248, 200],
    [176, 112, 48],
    [152, 168, 176],
    [70, 190, 90],
    [150, 96, 170],
    [58, 122, 56],
    [246, 116, 212],
    [210, 20, 110],
];

/// Index of the lava's colour in [`MATERIALS`].
const LAVA: usize = 0;
/// Index in `MATERIALS` of the first of the two spare colours, which belong to no preset.
const SPARE: usize = 10;
/// Returns the index in [`MATERIALS`] of the default colour of materials with the preset `preset`.
const fn of_preset(preset: Preset) -> usize {
    match preset {
        Preset::Water => 1,
        Preset::Sand => 2,
        Preset::Steam => 3,
        Preset::Ice => 4,
        Preset::Rubble => 5,
        Preset::Ash => 6,
        Preset::Wax => 7,
        Preset::Gloss => 8,
        Preset::Metal => 9,
        Preset::Leaves => 12,
        Preset::Wall => 13,
        Preset::Roof => 14,
    }
}

/// Grey level (0 to 1, sRGB) with which a material's colour is mixed to get the pale lower end of
/// the material's palette.
const PALE: f32 = 0.93;
/// Fraction (0 to 1) of the material's colour at the lower end of its palette; the remainder is the
/// grey `PALE`.
const LEAST_TONE: f32 = 0.18;

/// Key entry: a material that is drawn in a single colour.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plain {
    /// Name of the material.
    pub name: String,
    /// Colour of the material in sRGB.
    pub color: [u8; 3],
}

/// Returns the index in [`MATERIALS`] of the colour for `material`, and marks the colour as used in
/// `taken`: the default colour of the material, or an unused one if the default is already in use.
/// If all colours are in use, returns the default.
fn free(taken: &mut [bool; MATERIALS.len()], material: &Material) -> usize {
    let own = if material.carries_energy() {
        LAVA
    } else {
        of_preset(material.look.preset)
    };
    let others = (SPARE..MATERIALS.len()).chain(LAVA + 1..SPARE);
    let place = std::iter::once(own)
        .chain(others)
        .find(|&place| !taken[place])
        .unwrap_or(own);
    taken[place] = true;
    place
}

impl Plain {
    /// Returns key entries for all materials of a world, in the order of `materials`.
    pub fn all<'a>(materials: impl IntoIterator<Item = &'a Material>) -> Vec<Self> {
        let mut taken = [false; MATERIALS.len()];
        let plain = |material: &Material| {
            let given = material.look.color.as_ref().map(|_| material.look.srgb());
            let color = given.unwrap_or_else(|| MATERIALS[free(&mut taken, material)]);
            Self {
                name: material.name.clone(),
                color,
            }
        };
        materials.into_iter().map(plain).collect()
    }

    /// Returns key entries for all materials except the material whose values a slice of `quantity`
    /// shows; the slice shows each returned material in a single colour.
    pub fn without_values<'a>(
        quantity: &Quantity,
        materials: impl IntoIterator<Item = &'a Material>,
    ) -> Vec<Self> {
        let mut all = Self::all(materials);
        all.retain(|plain| quantity.material() != Some(&plain.name[..]));
        all
    }
}

/// Returns the palette in which a slice shows `quantity`: a fixed palette for temperature, heat,
/// speed, velocity, viscosity, ash, steam and ink; for other measures of a material, from a pale
/// tone to the material's colour. `None` for lava and ground, which use the palette of the look.
pub fn palette_of_quantity<'a>(
    quantity: &Quantity,
    materials: impl IntoIterator<Item = &'a Material>,
) -> Option<Palette> {
    match quantity.measure() {
        CellMeasure::Heat | CellMeasure::Temperature => Palette::named("inferno"),
        CellMeasure::Speed | CellMeasure::Viscosity => Palette::named("viridis"),
        CellMeasure::VelocityEast | CellMeasure::VelocityNorth => Palette::named("viridis"),
        CellMeasure::Ash | CellMeasure::Steam | CellMeasure::Ink => Some(haze::PALETTE.clone()),
        CellMeasure::Amount
        | CellMeasure::Energy
        | CellMeasure::SpecificEnergy
        | CellMeasure::Solid
        | CellMeasure::Set => {
            let name = quantity.material().filter(|name| *name != Material::LAVA)?;
            let color = Plain::all(materials)
                .into_iter()
                .find(|plain| plain.name == name)?
                .color;
            let tone = |k: usize, t: f32| f32::from(color[k]) / 255.0 * t + PALE * (1.0 - t);
            Some(Palette::sampled(|t| {
                std::array::from_fn(|k| tone(k, LEAST_TONE + (1.0 - LEAST_TONE) * t))
            }))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lavoxel_automaton::view::MaterialLook;

    #[test]
    fn every_quantity_but_the_lavas_has_a_palette_of_its_own() {
        let materials = [
            Material::lava(),
            Material::water(),
            Material::oil(),
            Material::sand(),
        ];
        let all = Quantity::of_materials(&materials)
            .into_iter()
            .chain(Quantity::of_air());
        let mut ends = Vec::new();
        for quantity in all {
            let own = palette_of_quantity(&quantity, &materials);
            let of_look = quantity.measure() == CellMeasure::Solid
                || quantity.material() == Some(Material::LAVA);
            assert_eq!(own.is_none(), of_look, "{}", quantity.name());
            ends.extend(own.map(|palette| palette.srgb(1.0)));
        }
        assert_eq!(
            ends[0],
            MATERIALS[of_preset(Preset::Water)],
            "water is blue, not a fire"
        );
        assert!(ends[1][0] > 2 * ends[1][2], "oil is golden: {:?}", ends[1]);
    }

    #[test]
    fn materials_have_the_colours_of_their_presets_and_none_has_anothers() {
        let looks = Preset::ALL.into_iter().chain([Preset::Water, Preset::Sand]);
        let material = |preset| Material {
            name: "any".into(),
            look: MaterialLook::from_preset(preset),
            ..Material::water()
        };
        let all: Vec<_> = std::iter::once(Material::lava())
            .chain(looks.map(material))
            .collect();
        let colors: Vec<_> = Plain::all(&all)
            .into_iter()
            .map(|plain| plain.color)
            .collect();
        assert_eq!(colors[..2], MATERIALS[..2]);
        assert_eq!(
            colors[13..],
            MATERIALS[SPARE..SPARE + 2],
            "the second water and the second sand"
        );
        let mut different = colors.clone();
        different.sort_unstable();
        different.dedup();
        assert_eq!(different.len(), 15, "{colors:?}");
        // Twenty materials of one preset: more than there are colours.
        let many: Vec<_> = (0..20).map(|_| Material::water()).collect();
        assert!(
            Plain::all(&many)
                .iter()
                .all(|plain| MATERIALS.contains(&plain.color))
        );
    }
}
