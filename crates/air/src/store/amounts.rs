//! Amounts that the air carries: heat, ash, steam and inks, and its own density if the solver has
//! one.
//!
//! Amounts are integers in every cell, so that their sums are exact in any order.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::AirGrid;
use lavoxel_base::grid::Place;
use lavoxel_base::parallel::*;

/// Units of a field to 1.0.
pub const UNIT: u32 = 1 << 20;

/// A field of the air.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// Excess of the temperature relative to the ambient one: (T − Tₐ)/Tₐ.
    Heat,
    /// Ash; 1.0 is the mass per cubic metre set by the scene (`air.ash_unit_kg_m3`).
    Ash,
    /// Drops of water; 1.0 is the same mass as for ash.
    Steam,
    /// Density of the air, 1.0 at rest; only for a solver with density.
    Density,
    /// First ink, which weighs nothing, in the unit of ash (`air.ash_unit_kg_m3`). An ink exists if
    /// `air.inks` counts it.
    Ink1,
    /// Second ink.
    Ink2,
    /// Third ink.
    Ink3,
    /// Fourth ink.
    Ink4,
}

impl Field {
    /// Fields other than inks, in the order of their numbers.
    pub const ALL: [Self; 4] = [Self::Heat, Self::Ash, Self::Steam, Self::Density];

    /// Fields that the air carries and that act on its motion.
    pub const CARRIED: [Self; 3] = [Self::Heat, Self::Ash, Self::Steam];

    /// Fields that the air carries without effect on its motion; their numbers follow those of
    /// [`Field::ALL`].
    pub const INKS: [Self; 4] = [Self::Ink1, Self::Ink2, Self::Ink3, Self::Ink4];

    /// Number of fields, inks included.
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

/// Fields over the cells of an air's box, each with [`crate::BEYOND`] cells beyond every side,
/// whose contents belong to the solver.
#[derive(Clone, Debug)]
pub struct Amounts {
    grid: AirGrid,
    /// Units of each field, indexed by field; empty for a field that does not exist.
    fields: Vec<Vec<u32>>,
    version: u64,
}

impl PartialEq for Amounts {
    fn eq(&self, other: &Self) -> bool {
        (self.grid, &self.fields) == (other.grid, &other.fields)
    }
}

impl Eq for Amounts {}

/// Version number that no other change of amounts has.
fn next_version() -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(0);
    LAST.fetch_add(1, Ordering::Relaxed)
}

impl Amounts {
    /// Empty fields, and air at rest if the solver has a density.
    pub fn none(grid: AirGrid, with_density: bool) -> Self {
        let is_there = |field: &Field| with_density || *field != Field::Density;
        let cells = |field: Field| vec![0; if is_there(&field) { grid.len() } else { 0 }];
        let inks = Field::INKS.map(|_| Vec::new());
        let fields = Field::ALL.map(cells).into_iter().chain(inks).collect();
        let mut amounts = Self { grid, fields, version: next_version() };
        if with_density {
            grid.cells.places().for_each(|place| amounts.field_mut(Field::Density)[grid.at(place)] = UNIT);
        }
        amounts
    }

    /// Adds `inks` empty inks, at most the number of [`Field::INKS`].
    #[must_use]
    pub fn with_inks(mut self, inks: usize) -> Self {
        for field in Field::INKS.into_iter().take(inks) {
            self.fields[field as usize] = vec![0; self.grid.len()];
        }
        self
    }

    /// Grid of the air's cells.
    pub fn grid(&self) -> AirGrid {
        self.grid
    }

    /// Returns true if the field exists.
    pub fn has(&self, field: Field) -> bool {
        !self.fields[field as usize].is_empty()
    }

    /// Iterator over the existing fields, in the order of their numbers.
    pub fn present(&self) -> impl Iterator<Item = Field> + use<> {
        let present: Vec<_> = Field::ALL.into_iter().chain(Field::INKS).filter(|&field| self.has(field)).collect();
        present.into_iter()
    }

    /// Units of a field in all cells, by [`AirGrid::at`]; empty for a field that does not exist.
    pub fn field(&self, field: Field) -> &[u32] {
        &self.fields[field as usize]
    }

    /// Mutable units of a field, as in [`Amounts::field`].
    pub fn field_mut(&mut self, field: Field) -> &mut [u32] {
        self.version = next_version();
        &mut self.fields[field as usize]
    }

    /// Mutable units of all fields, in the order of their numbers.
    pub fn fields_mut(&mut self) -> &mut [Vec<u32>] {
        self.version = next_version();
        &mut self.fields
    }

    /// Version number that changes whenever a field may have changed: amounts with equal versions
    /// are equal.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Units of a field in a cell.
    pub fn get(&self, field: Field, place: Place) -> u32 {
        self.fields[field as usize][self.grid.at(place)]
    }

    /// Sum of the units of a field in the whole box.
    pub fn total(&self, field: Field) -> u64 {
        let (grid, values) = (self.grid, self.field(field));
        let row = |y, z| values[grid.at([0, y, z])..][..grid.cells.nx].iter().map(|&v| u64::from(v)).sum::<u64>();
        (0..grid.cells.nz).into_par_iter().map(|z| (0..grid.cells.ny).map(|y| row(y, z)).sum::<u64>()).sum()
    }

    /// Memory of all fields in bytes.
    pub fn bytes(&self) -> usize {
        self.fields.iter().map(|field| size_of_val(&field[..])).sum()
    }
}
