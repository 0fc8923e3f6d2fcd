//! Amounts that the air carries in each cell: heat, ash, steam and inks, and the density of the air
//! if the solver needs it.
//!
//! Amounts are integers, so that their sums do not depend on the order of summation.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::AirGrid;
use lavoxel_base::grid::Place;
use lavoxel_base::parallel::*;

/// Number of units that make a value of 1.0 of a field in a cell.
pub const UNIT: u32 = 1 << 20;

/// Quantity that the air carries, with one integer amount per cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// Excess temperature relative to the ambient temperature Tₐ: (T − Tₐ)/Tₐ.
    Heat,
    /// Ash; a value of 1.0 is `air.ash_unit_kg_m3` of the scene, in kg/m³.
    Ash,
    /// Drops of water; a value of 1.0 is `air.ash_unit_kg_m3` of the scene, in kg/m³.
    Steam,
    /// Density of the air relative to air at rest; exists only for a solver that needs it.
    Density,
    /// First ink, a tracer without weight; a value of 1.0 is `air.ash_unit_kg_m3` of the scene, in
    /// kg/m³. Exists if `air.inks` is at least 1.
    Ink1,
    /// Second ink, a tracer without weight, like the first; exists if `air.inks` is at least 2.
    Ink2,
    /// Third ink, a tracer without weight, like the first; exists if `air.inks` is at least 3.
    Ink3,
    /// Fourth ink, a tracer without weight, like the first; exists if `air.inks` is 4.
    Ink4,
}

impl Field {
    /// All fields other than inks, in the order of their indices.
    pub const ALL: [Self; 4] = [Self::Heat, Self::Ash, Self::Steam, Self::Density];

    /// Fields that the air carries and that act on its motion by lift or weight.
    pub const CARRIED: [Self; 3] = [Self::Heat, Self::Ash, Self::Steam];

    /// Inks: fields that the air carries and that do not act on its motion; their indices follow
    /// those of [`Field::ALL`].
    pub const INKS: [Self; 4] = [Self::Ink1, Self::Ink2, Self::Ink3, Self::Ink4];

    /// Number of fields, including inks.
    pub(crate) const COUNT: usize = Self::ALL.len() + Self::INKS.len();

    /// Name of the field in files and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Heat => "heat",
            Self::Ash => "ash",
            Self::Steam => "steam",
            Self::Density => "density",
            Self::Ink1 => "ink1",
            Self::Ink2 => "ink2",
            Self::Ink3 => "ink3",
            Self::Ink4 => "ink4",
        }
    }
}

/// Amounts of all fields in the cells of the air's box. Each field also has a halo of
/// [`crate::BEYOND`] cells beyond every side, which only the solver uses.
#[derive(Clone, Debug)]
pub struct Amounts {
    grid: AirGrid,
    /// Amounts in units of 2⁻²⁰: one array for each field, by the index of the field; empty for a
    /// field that does not exist.
    fields: Vec<Vec<u32>>,
    version: u64,
}

impl PartialEq for Amounts {
    fn eq(&self, other: &Self) -> bool {
        (self.grid, &self.fields) == (other.grid, &other.fields)
    }
}

impl Eq for Amounts {}

/// Returns a version number that was never returned before in this process.
fn next_version() -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(0);
    LAST.fetch_add(1, Ordering::Relaxed)
}

impl Amounts {
    /// Returns amounts of 0 in all fields but inks; if `with_density` is true, also the density
    /// field, with 1.0 in every cell.
    pub fn none(grid: AirGrid, with_density: bool) -> Self {
        let is_there = |field: &Field| with_density || *field != Field::Density;
        let cells = |field: Field| vec![0; if is_there(&field) { grid.len() } else { 0 }];
        let inks = Field::INKS.map(|_| Vec::new());
        let fields = Field::ALL.map(cells).into_iter().chain(inks).collect();
        let mut amounts = Self {
            grid,
            fields,
            version: next_version(),
        };
        if with_density {
            grid.cells
                .places()
                .for_each(|place| amounts.field_mut(Field::Density)[grid.at(place)] = UNIT);
        }
        amounts
    }

    /// Adds the first `inks` ink fields (at most as many as [`Field::INKS`]), with amount 0 in
    /// every cell.
    #[must_use]
    pub fn with_inks(mut self, inks: usize) -> Self {
        for field in Field::INKS.into_iter().take(inks) {
            self.fields[field as usize] = vec![0; self.grid.len()];
        }
        self
    }

    /// Shape and layout of the grid of air cells.
    pub fn grid(&self) -> AirGrid {
        self.grid
    }

    /// Returns true if `field` exists in this air.
    pub fn has(&self, field: Field) -> bool {
        !self.fields[field as usize].is_empty()
    }

    /// Iterates over the fields that exist, in the order of their indices.
    pub fn present(&self) -> impl Iterator<Item = Field> + use<> {
        let present: Vec<_> = Field::ALL
            .into_iter()
            .chain(Field::INKS)
            .filter(|&field| self.has(field))
            .collect();
        present.into_iter()
    }

    /// Amounts of `field` in all cells including the halo, in units of 2⁻²⁰, at [`AirGrid::at`];
    /// empty if the field does not exist.
    pub fn field(&self, field: Field) -> &[u32] {
        &self.fields[field as usize]
    }

    /// Mutable amounts of `field` in all cells, laid out as in [`Amounts::field`]; the version
    /// changes.
    pub fn field_mut(&mut self, field: Field) -> &mut [u32] {
        self.version = next_version();
        &mut self.fields[field as usize]
    }

    /// Mutable amounts of all fields, by the index of the field, each laid out as in
    /// [`Amounts::field`]; the version changes.
    pub fn fields_mut(&mut self) -> &mut [Vec<u32>] {
        self.version = next_version();
        &mut self.fields
    }

    /// Version of the amounts, which changes whenever an amount may have changed: amounts with
    /// equal versions are equal.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Amount of `field` in the cell `place`, in units of 2⁻²⁰.
    pub fn get(&self, field: Field, place: Place) -> u32 {
        self.fields[field as usize][self.grid.at(place)]
    }

    /// Total amount of `field` in the air's box, without the halo, in units of 2⁻²⁰.
    pub fn total(&self, field: Field) -> u64 {
        let (grid, values) = (self.grid, self.field(field));
        let row = |y, z| {
            values[grid.at([0, y, z])..][..grid.cells.nx]
                .iter()
                .map(|&v| u64::from(v))
                .sum::<u64>()
        };
        (0..grid.cells.nz)
            .into_par_iter()
            .map(|z| (0..grid.cells.ny).map(|y| row(y, z)).sum::<u64>())
            .sum()
    }

    /// Memory in bytes of the amounts of all fields.
    pub fn bytes(&self) -> usize {
        self.fields
            .iter()
            .map(|field| size_of_val(&field[..]))
            .sum()
    }
}
