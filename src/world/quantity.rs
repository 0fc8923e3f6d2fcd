//! The quantities of a world by name: one list for slices, probe, legends, files and reports.
//!
//! A quantity is what is measured (a [`CellMeasure`] or a [`ColumnMeasure`]) of one material or of the ground. Those of the
//! lava go by the bare name of the measure, `amount`; those of other materials have the material in front, `water.amount`.
//! `lava.amount` is read as `amount`.

use std::sync::Arc;

use crate::matter::Material;
use crate::units::ENERGY_SHOWN;

/// What has a measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// Every material.
    Materials,
    /// Materials that carry energy.
    Carriers,
    /// The ground.
    Ground,
}

/// What is known of a measure before any world is.
#[derive(Clone, Copy, Debug)]
pub struct Facts {
    name: &'static str,
    unit: &'static str,
    /// In a line; `{}` stands for the material.
    what: &'static str,
    of: Of,
}

impl Facts {
    fn new(of: Of, name: &'static str, unit: &'static str, what: &'static str) -> Self {
        Self { name, unit, what, of }
    }
}

/// Something that is measured of a material or of the ground.
pub trait Measure: Copy + PartialEq + 'static {
    /// All of them, in the order in which they are listed.
    const ALL: &'static [Self];

    /// Name, unit and the like.
    fn facts(self) -> Facts;
}

/// What is measured in a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CellMeasure {
    /// How full the cell is.
    Amount,
    /// Energy in the cell.
    Energy,
    /// Energy per amount.
    SpecificEnergy,
    /// 1 in rock, 0 elsewhere.
    Solid,
}

impl Measure for CellMeasure {
    const ALL: &'static [Self] = &[Self::Amount, Self::Energy, Self::SpecificEnergy, Self::Solid];

    fn facts(self) -> Facts {
        match self {
            Self::Amount => Facts::new(Of::Materials, "amount", "full cells", "amount of {}, 0 to 1"),
            Self::Energy => {
                Facts::new(Of::Carriers, "energy", "vent units", "energy of the {}, 1 for a full cell from the vent")
            }
            Self::SpecificEnergy => Facts::new(
                Of::Carriers,
                "specific-energy",
                "vent units per full cell",
                "energy of the {} per amount, 1 from the vent",
            ),
            Self::Solid => Facts::new(Of::Ground, "solid", "", "rock, and which material is where"),
        }
    }
}

impl CellMeasure {
    /// Values from the lower to the upper end of a colour scale; a cell may hold more.
    pub fn range(self) -> (f32, f32) {
        match self {
            Self::Amount | Self::Solid => (0.0, 1.0),
            Self::Energy | Self::SpecificEnergy => (0.0, ENERGY_SHOWN),
        }
    }
}

/// What is measured in a column of cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ColumnMeasure {
    /// What stands in the column now.
    Thickness,
    /// When it first stood there.
    Arrival,
    /// The largest thickness ever.
    MaxThickness,
    /// The largest energy of a cell ever.
    PeakEnergy,
    /// Elevation of the ground with it and all heavier materials.
    Surface,
    /// Elevation of the ground.
    Ground,
}

impl Measure for ColumnMeasure {
    const ALL: &'static [Self] =
        &[Self::Thickness, Self::Arrival, Self::MaxThickness, Self::PeakEnergy, Self::Surface, Self::Ground];

    fn facts(self) -> Facts {
        match self {
            Self::Thickness => Facts::new(Of::Materials, "thickness", "m", "{} thickness"),
            Self::Arrival => {
                Facts::new(Of::Materials, "arrival", "steps", "number of steps after which {} first stood here")
            }
            Self::MaxThickness => {
                Facts::new(Of::Materials, "max-thickness", "m", "largest {} thickness after any step")
            }
            Self::PeakEnergy => {
                Facts::new(Of::Carriers, "peak-energy", "vent units", "largest energy of a cell after any step")
            }
            Self::Surface => Facts::new(Of::Materials, "surface", "m", "elevation of ground and {}"),
            Self::Ground => Facts::new(Of::Ground, "ground", "m", "elevation of the ground"),
        }
    }
}

impl ColumnMeasure {
    /// Whether it needs [`Records`](crate::records::Records) of the past.
    pub fn needs_records(self) -> bool {
        matches!(self, Self::Arrival | Self::MaxThickness | Self::PeakEnergy)
    }
}

/// A number that every cell of a world has.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Quantity<M = CellMeasure> {
    /// None for the ground.
    material: Option<Arc<str>>,
    measure: M,
}

/// A number that every column of a world has: what a map shows.
pub type ColumnQuantity = Quantity<ColumnMeasure>;

impl Default for Quantity {
    /// The amount of the lava.
    fn default() -> Self {
        Self::new(CellMeasure::Amount, Material::LAVA)
    }
}

impl<M: Measure> Quantity<M> {
    /// A measure of a material; the ground's measures have none.
    pub fn new(measure: M, material: &str) -> Self {
        let material = (measure.facts().of != Of::Ground).then(|| material.into());
        Self { material, measure }
    }

    /// All quantities of a world of these materials. The ground's follow those of the first material.
    pub fn of_materials<'a>(materials: impl IntoIterator<Item = &'a Material>) -> Vec<Self> {
        let of_material = |(number, material): (usize, &'a Material)| {
            let has = move |measure: &&M| match measure.facts().of {
                Of::Materials => true,
                Of::Carriers => material.carries_energy(),
                Of::Ground => number == 0,
            };
            M::ALL.iter().filter(has).map(|measure| Self::new(*measure, &material.name))
        };
        materials.into_iter().enumerate().flat_map(of_material).collect()
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

    /// What is measured.
    pub fn measure(&self) -> M {
        self.measure
    }

    /// The material that is measured; none for the ground.
    pub fn material(&self) -> Option<&str> {
        self.material.as_deref()
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

    /// What it is, in a line.
    pub fn description(&self) -> String {
        self.measure.facts().what.replace("{}", self.material().unwrap_or_default())
    }

    /// The material, where it is not the one of bare names.
    fn of_another(&self) -> Option<&str> {
        self.material().filter(|material| *material != Material::LAVA)
    }
}

/// A name in letters, digits and `_`.
pub(crate) fn symbol(name: &str) -> String {
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
