//! Quantities of a world by name: one list for slices, probes, legends, files and reports.
//!
//! A quantity is a measure (a [`CellMeasure`] or a [`ColumnMeasure`]) of one material or of the
//! ground. Quantities of the lava have the name of the measure, such as `amount`; those of other
//! materials begin with the material, as in `water.amount`. `lava.amount` is accepted for `amount`.

use std::sync::Arc;

use crate::matter::Material;
use lavoxel_base::measure::{CellMeasure, ColumnMeasure, Measure, Of};

/// Quantity to display or write: a measure `M` (by default one with one value per cell) of one
/// material, of the ground or of the air.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Quantity<M = CellMeasure> {
    /// Name of the measured material, or of the air; `None` for the ground.
    material: Option<Arc<str>>,
    measure: M,
}

/// Quantity with one value per column, as displayed on maps.
pub type ColumnQuantity = Quantity<ColumnMeasure>;

/// Prefix in the names of quantities of the air, where other quantities have the material's name.
const AIR: &str = "air";

impl Default for Quantity {
    /// Default quantity: the amount of the lava.
    fn default() -> Self {
        Self::new(CellMeasure::Amount, Material::LAVA)
    }
}

impl<M: Measure> Quantity<M> {
    /// Creates the quantity `measure` of the material called `material`; the name is ignored for a
    /// measure of the ground.
    pub fn new(measure: M, material: &str) -> Self {
        let material = measure.facts().of.has_material().then(|| material.into());
        Self { material, measure }
    }

    /// Returns all quantities of a world with these `materials`; those of the ground follow
    /// directly after those of the lava.
    pub fn of_materials<'a>(materials: impl IntoIterator<Item = &'a Material>) -> Vec<Self> {
        let of_material = |material: &'a Material| {
            let has = move |measure: &&M| match measure.facts().of {
                Of::Materials => true,
                Of::Carriers | Of::Ground => material.carries_energy(),
                Of::Air | Of::Fallout | Of::Flow => false,
            };
            M::ALL
                .iter()
                .filter(has)
                .map(|measure| Self::new(*measure, &material.name))
        };
        materials.into_iter().flat_map(of_material).collect()
    }

    /// Returns all quantities of the air model whose measure has the type `M`: one value per cell,
    /// or one per column.
    pub fn of_air() -> Vec<Self> {
        let of_air = M::ALL
            .iter()
            .filter(|measure| matches!(measure.facts().of, Of::Air | Of::Fallout));
        of_air.map(|measure| Self::new(*measure, AIR)).collect()
    }

    /// Returns all quantities with one value per cell of a world with these `materials`. `flows`:
    /// true in the physical model, where quantities such as temperature and velocity replace
    /// energies relative to the vent; `has_air`: adds quantities of the air.
    pub fn of_cells(materials: &[Material], flows: bool, has_air: bool) -> Vec<Self> {
        let own = || {
            M::ALL
                .iter()
                .filter(|measure| flows && measure.facts().of == Of::Flow)
        };
        let shared = Self::of_materials(materials)
            .into_iter()
            .filter(|q| !flows || q.measure.facts().of != Of::Carriers);
        let mut quantities: Vec<Self> = shared
            .flat_map(|quantity| {
                let of_lava = quantity.material() == Some(Material::LAVA);
                let own = own()
                    .filter(move |_| of_lava)
                    .map(|measure| Self::new(*measure, Material::LAVA));
                std::iter::once(quantity).chain(own)
            })
            .collect();
        quantities.extend(has_air.then(Self::of_air).into_iter().flatten());
        quantities
    }

    /// Returns all quantities with one value per column of a world with these `materials`. `melts`:
    /// `None` without the physical model, `Some(true)` if its lava melts, `Some(false)` if its lava
    /// does not; `has_air`: adds quantities of the air.
    pub fn of_columns(materials: &[Material], melts: Option<bool>, has_air: bool) -> Vec<Self> {
        let mut quantities = match melts {
            None => Self::of_materials(materials),
            // The other materials only mirror the flow, whose own measures are listed already.
            Some(true) => Self::of_flow(),
            Some(false) => {
                let others = Self::of_materials(Material::besides_lava(materials));
                Self::of_flow().into_iter().chain(others).collect()
            }
        };
        quantities.extend(has_air.then(Self::of_air).into_iter().flatten());
        quantities
    }

    /// Returns all quantities of the lava of the physical model (flow), in SI units; they replace
    /// the automaton's quantities in steps and in energies relative to the vent.
    pub fn of_flow() -> Vec<Self> {
        let shared = Self::of_materials(&[Material::lava()]);
        let own = M::ALL
            .iter()
            .filter(|measure| measure.facts().of == Of::Flow);
        let own: Vec<_> = own
            .map(|measure| Self::new(*measure, Material::LAVA))
            .collect();
        let is_own = |name: String| own.iter().any(|quantity| quantity.name() == name);
        let shared = shared
            .into_iter()
            .filter(|q| q.measure.facts().of != Of::Carriers && !is_own(q.name()));
        shared.chain(own.iter().cloned()).collect()
    }

    /// Returns the quantity called `name` in `list`; the prefix `lava.` is optional.
    ///
    /// # Errors
    /// If `list` has no quantity of this name; the error lists all names.
    pub fn find<'a>(name: &str, list: &'a [Self]) -> Result<&'a Self, UnknownQuantity> {
        let bare = name
            .strip_prefix(Material::LAVA)
            .and_then(|rest| rest.strip_prefix('.'))
            .unwrap_or(name);
        let known = || list.iter().map(Self::name).collect::<Vec<_>>().join(", ");
        let unknown = || UnknownQuantity {
            name: name.to_owned(),
            known: known(),
        };
        list.iter()
            .find(|quantity| quantity.name() == bare)
            .ok_or_else(unknown)
    }

    /// Measure of the quantity, without the material.
    pub fn measure(&self) -> M {
        self.measure
    }

    /// Name of the measured material; `None` for a quantity of the ground or air.
    pub fn material(&self) -> Option<&str> {
        self.material.as_deref()
    }

    /// Returns true for a quantity of the air itself; false for ash deposited on the ground.
    pub fn is_of_air(&self) -> bool {
        self.measure.facts().of == Of::Air
    }

    /// Returns the quantity with the measure `measure` and the material of this quantity.
    #[must_use]
    pub fn like(&self, measure: M) -> Self {
        Self {
            material: self.material.clone(),
            measure,
        }
    }

    /// Name of the quantity in command-line flags and lists, such as `amount`, `water.amount` or
    /// `solid`.
    pub fn name(&self) -> String {
        self.with_name(self.measure.facts().name)
    }

    /// Returns `measure`, the name of the measure in a file format, with the material's name and a
    /// dot in front; without this prefix for the lava, the ground and the air.
    pub fn with_name(&self, measure: &str) -> String {
        self.of_another().map_or(measure.to_owned(), |material| {
            format!("{material}.{measure}")
        })
    }

    /// Name as an identifier of letters, digits and `_` for file formats: `water_amount`,
    /// `max_thickness`.
    pub fn symbol(&self) -> String {
        symbol(&self.name())
    }

    /// Name of the quantity for display, such as under a colour bar: `amount`, `water amount`.
    pub fn words(&self) -> String {
        self.name().replace('.', " ")
    }

    /// Unit symbol of the quantity; empty if it is dimensionless.
    pub fn unit(&self) -> &'static str {
        self.measure.facts().unit
    }

    /// Description of the quantity in one line, with the material's name inserted.
    pub fn description(&self) -> String {
        self.measure
            .facts()
            .what
            .replace("{}", self.material().unwrap_or_default())
    }

    /// Name of the measured material; `None` for the lava, the ground and the air, whose quantities
    /// have no material prefix.
    fn of_another(&self) -> Option<&str> {
        self.material()
            .filter(|material| *material != Material::LAVA)
    }
}

/// Returns `name` with `.` and `-` replaced by `_`, as an identifier.
pub fn symbol(name: &str) -> String {
    name.replace(['.', '-'], "_")
}

/// Error for a name that no quantity has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no quantity {name:?}; there are {known}")]
pub struct UnknownQuantity {
    /// Unknown name of the quantity that was searched for.
    pub name: String,
    /// Names of all quantities that exist, separated by commas.
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
        assert_eq!(
            names::<CellMeasure>(&lava),
            ["amount", "energy", "specific-energy", "solid"]
        );
        let both = [Material::lava(), Material::water()];
        assert_eq!(
            names::<CellMeasure>(&both),
            [
                "amount",
                "energy",
                "specific-energy",
                "solid",
                "water.amount"
            ]
        );
        let maps = names::<ColumnMeasure>(&both);
        assert_eq!(
            maps[..6],
            [
                "thickness",
                "arrival",
                "max-thickness",
                "peak-energy",
                "surface",
                "ground"
            ]
        );
        assert_eq!(
            maps[6..],
            [
                "water.thickness",
                "water.arrival",
                "water.max-thickness",
                "water.surface"
            ]
        );
    }

    #[test]
    fn every_name_finds_its_quantity() {
        let list = all::<CellMeasure>(&[Material::lava(), Material::water()]);
        for quantity in &list {
            assert_eq!(Quantity::find(&quantity.name(), &list), Ok(quantity));
        }
        assert_eq!(
            Quantity::find("lava.energy", &list),
            Quantity::find("energy", &list)
        );
        for wrong in [
            "heat",
            "water.energy",
            "lava",
            "lava.",
            "",
            "water",
            "lava.water.amount2",
        ] {
            let error = Quantity::find(wrong, &list)
                .map(Quantity::name)
                .expect_err("a wrong name");
            assert_eq!(
                error.known, "amount, energy, specific-energy, solid, water.amount",
                "{wrong}"
            );
        }
    }

    #[test]
    fn a_quantity_is_told_in_every_form() {
        let quantity = ColumnQuantity::new(ColumnMeasure::MaxThickness, "water");
        let forms = [
            quantity.name(),
            quantity.symbol(),
            quantity.words(),
            quantity.description(),
        ];
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
