//! The quantities of a world by name: one list for slices, probe, legends, files and reports.
//!
//! A quantity is what is measured (a [`CellMeasure`] or a [`ColumnMeasure`]) of one material or of the ground. Those of the
//! lava go by the bare name of the measure, `amount`; those of other materials have the material in front, `water.amount`.
//! `lava.amount` is read as `amount`.

use std::sync::Arc;

use crate::matter::Material;
use lavoxel_base::measure::{CellMeasure, ColumnMeasure, Measure, Of};

/// A number that every cell of a world has.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Quantity<M = CellMeasure> {
    /// None for the ground.
    material: Option<Arc<str>>,
    measure: M,
}

/// A number that every column of a world has: what a map shows.
pub type ColumnQuantity = Quantity<ColumnMeasure>;

/// The air, where a name has a material.
const AIR: &str = "air";

impl Default for Quantity {
    /// The amount of the lava.
    fn default() -> Self {
        Self::new(CellMeasure::Amount, Material::LAVA)
    }
}

impl<M: Measure> Quantity<M> {
    /// A measure of a material; the ground's measures have none.
    pub fn new(measure: M, material: &str) -> Self {
        let material = measure.facts().of.has_material().then(|| material.into());
        Self { material, measure }
    }

    /// All quantities of a world of these materials. The ground's follow those of the lava.
    pub fn of_materials<'a>(materials: impl IntoIterator<Item = &'a Material>) -> Vec<Self> {
        let of_material = |material: &'a Material| {
            let has = move |measure: &&M| match measure.facts().of {
                Of::Materials => true,
                Of::Carriers | Of::Ground => material.carries_energy(),
                Of::Air | Of::Fallout | Of::Flow => false,
            };
            M::ALL.iter().filter(has).map(|measure| Self::new(*measure, &material.name))
        };
        materials.into_iter().flat_map(of_material).collect()
    }

    /// All quantities of an air.
    pub fn of_air() -> Vec<Self> {
        let of_air = M::ALL.iter().filter(|measure| matches!(measure.facts().of, Of::Air | Of::Fallout));
        of_air.map(|measure| Self::new(*measure, AIR)).collect()
    }

    /// All quantities of the cells of a world of these materials, in the physical model where `flows`: then those of the flow
    /// take the place of those in vent units.
    pub fn of_cells(materials: &[Material], flows: bool, has_air: bool) -> Vec<Self> {
        let own = || M::ALL.iter().filter(|measure| flows && measure.facts().of == Of::Flow);
        let shared =
            Self::of_materials(materials).into_iter().filter(|q| !flows || q.measure.facts().of != Of::Carriers);
        let mut quantities: Vec<Self> = shared
            .flat_map(|quantity| {
                let of_lava = quantity.material() == Some(Material::LAVA);
                let own = own().filter(move |_| of_lava).map(|measure| Self::new(*measure, Material::LAVA));
                std::iter::once(quantity).chain(own)
            })
            .collect();
        quantities.extend(has_air.then(Self::of_air).into_iter().flatten());
        quantities
    }

    /// All quantities of the columns of a world of these materials: what maps show. `melts` says whether the lava of its flow
    /// melts, if it has one.
    pub fn of_columns(materials: &[Material], melts: Option<bool>, has_air: bool) -> Vec<Self> {
        let mut quantities = match melts {
            None => Self::of_materials(materials),
            // The other materials only show what the flow measures.
            Some(true) => Self::of_flow(),
            Some(false) => {
                let others = Self::of_materials(Material::besides_lava(materials));
                Self::of_flow().into_iter().chain(others).collect()
            }
        };
        quantities.extend(has_air.then(Self::of_air).into_iter().flatten());
        quantities
    }

    /// All quantities of a world of the physical model: those of the flow take the place of those that count in steps and
    /// vent units.
    pub fn of_flow() -> Vec<Self> {
        let shared = Self::of_materials(&[Material::lava()]);
        let own = M::ALL.iter().filter(|measure| measure.facts().of == Of::Flow);
        let own: Vec<_> = own.map(|measure| Self::new(*measure, Material::LAVA)).collect();
        let is_own = |name: String| own.iter().any(|quantity| quantity.name() == name);
        let shared = shared.into_iter().filter(|q| q.measure.facts().of != Of::Carriers && !is_own(q.name()));
        shared.chain(own.iter().cloned()).collect()
    }

    /// The quantity of a list that goes by a name.
    ///
    /// # Errors
    /// Names all that there are.
    pub fn find<'a>(name: &str, list: &'a [Self]) -> Result<&'a Self, UnknownQuantity> {
        let bare = name.strip_prefix(Material::LAVA).and_then(|rest| rest.strip_prefix('.')).unwrap_or(name);
        let known = || list.iter().map(Self::name).collect::<Vec<_>>().join(", ");
        let unknown = || UnknownQuantity { name: name.to_owned(), known: known() };
        list.iter().find(|quantity| quantity.name() == bare).ok_or_else(unknown)
    }

    /// Measure of the quantity.
    pub fn measure(&self) -> M {
        self.measure
    }

    /// The material that is measured; none for the ground.
    pub fn material(&self) -> Option<&str> {
        self.material.as_deref()
    }

    /// Whether it is measured of the air, and not of what came out of it.
    pub fn is_of_air(&self) -> bool {
        self.measure.facts().of == Of::Air
    }

    /// Another measure of the same material.
    #[must_use]
    pub fn like(&self, measure: M) -> Self {
        Self { material: self.material.clone(), measure }
    }

    /// The name in flags and lists: `amount`, `water.amount`, `solid`.
    pub fn name(&self) -> String {
        self.with_name(self.measure.facts().name)
    }

    /// A name that a format has for the measure, with the material in front where it belongs.
    pub fn with_name(&self, measure: &str) -> String {
        self.of_another().map_or(measure.to_owned(), |material| format!("{material}.{measure}"))
    }

    /// The name for formats that take letters, digits and `_`: `water_amount`, `max_thickness`.
    pub fn symbol(&self) -> String {
        symbol(&self.name())
    }

    /// The name for people, such as under a colour bar: `amount`, `water amount`.
    pub fn words(&self) -> String {
        self.name().replace('.', " ")
    }

    /// The unit; empty for none.
    pub fn unit(&self) -> &'static str {
        self.measure.facts().unit
    }

    /// Description in a line.
    pub fn description(&self) -> String {
        self.measure.facts().what.replace("{}", self.material().unwrap_or_default())
    }

    /// The material, where it is not the one of bare names.
    fn of_another(&self) -> Option<&str> {
        self.material().filter(|material| *material != Material::LAVA)
    }
}

/// A name in letters, digits and `_`.
pub fn symbol(name: &str) -> String {
    name.replace(['.', '-'], "_")
}

/// A name that no quantity goes by.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no quantity {name:?}; there are {known}")]
pub struct UnknownQuantity {
    /// The name.
    pub name: String,
    /// The names that there are, with commas between.
    pub known: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all<M: Measure>(materials: &[Material]) -> Vec<Quantity<M>> {
        Quantity::of_materials(materials)
    }

    fn names<M: Measure>(materials: &[Material]) -> Vec<String> {
        all::<M>(materials).iter().map(Quantity::name).collect()
    }

    #[test]
    fn other_materials_follow_with_their_names_in_front() {
        let lava = [Material::lava()];
        assert_eq!(names::<CellMeasure>(&lava), ["amount", "energy", "specific-energy", "solid"]);
        let both = [Material::lava(), Material::water()];
        assert_eq!(names::<CellMeasure>(&both), ["amount", "energy", "specific-energy", "solid", "water.amount"]);
        let maps = names::<ColumnMeasure>(&both);
        assert_eq!(maps[..6], ["thickness", "arrival", "max-thickness", "peak-energy", "surface", "ground"]);
        assert_eq!(maps[6..], ["water.thickness", "water.arrival", "water.max-thickness", "water.surface"]);
    }

    #[test]
    fn every_name_finds_its_quantity() {
        let list = all::<CellMeasure>(&[Material::lava(), Material::water()]);
        for quantity in &list {
            assert_eq!(Quantity::find(&quantity.name(), &list), Ok(quantity));
        }
        assert_eq!(Quantity::find("lava.energy", &list), Quantity::find("energy", &list));
        for wrong in ["heat", "water.energy", "lava", "lava.", "", "water", "lava.water.amount2"] {
            let error = Quantity::find(wrong, &list).map(Quantity::name).expect_err("a wrong name");
            assert_eq!(error.known, "amount, energy, specific-energy, solid, water.amount", "{wrong}");
        }
    }

    #[test]
    fn a_quantity_is_told_in_every_form() {
        let quantity = ColumnQuantity::new(ColumnMeasure::MaxThickness, "water");
        let forms = [quantity.name(), quantity.symbol(), quantity.words(), quantity.description()];
        let expected = [
            "water.max-thickness",
            "water_max_thickness",
            "water max-thickness",
            "largest water thickness after any step",
        ];
        assert_eq!(forms, expected);
        assert_eq!(Quantity::new(CellMeasure::Solid, "water").material(), None);
    }
}
