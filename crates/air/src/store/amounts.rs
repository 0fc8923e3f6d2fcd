//! Amounts that the air carries: heat, ash, steam and inks, plus the density of the air if the
//! solver needs it.
//!
//! Amounts are integers in every cell, so that their sums do not depend on the order of summation.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::AirGrid;
use lavoxel_base::grid::Place;
use lavoxel_base::parallel::*;

/// Number of units that make up a field value of 1.0.
pub const UNIT: u32 = 1 << 20;

/// Field that the air carries, with one amount per cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// Relative excess temperature (T − Tₐ)/Tₐ, where Tₐ is the ambient temperature.
    Heat,
    /// Ash; 1.0 is the mass per cubic metre set by the scene (`air.ash_unit_kg_m3`).
    Ash,
    /// Drops of water; 1.0 is the same mass as for ash.
    Steam,
    /// Density of the air, 1.0 at rest; only for a solver with density.
    Density,
    /// First ink: a passive tracer without weight, in the unit of ash (`air.ash_unit_kg_m3`). An
    /// ink exists if its number is at most `air.inks`.
    Ink1,
    /// Second ink.
    Ink2,
    /// Third ink.
    Ink3,
    /// Fourth ink.
    Ink4,
}

impl Field {
    /// Fields other than inks, in the order of their indices.
    pub const ALL: [Self; 4] = [Self::Heat, Self::Ash, Self::Steam, Self::Density];

    /// Fields that are advected and act on the motion of the air.
    pub const CARRIED: [Self; 3] = [Self::Heat, Self::Ash, Self::Steam];

    /// Fields that are advected without effect on the motion; their indices follow those of
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

/// Amounts of all fields in the cells of an air's box; each field also has a halo of
/// [`crate::BEYOND`] cells beyond every side, whose contents belong to the solver.
#[derive(Clone, Debug)]
pub struct Amounts {
    grid: AirGrid,
    /// Units per cell, one array per field, indexed by field; empty for a field that does not
    /// exist.
    fields: Vec<Vec<u32>>,
    version: u64,
}

impl PartialEq for Amounts {
    fn eq(&self, other: &Self) -> bool {
        (self.grid, &self.fields) == (other.grid, &other.fields)
    }
}

impl Eq for Amounts {}

/// Returns a version number that was never used before in this process.
fn next_version() -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(0);
    LAST.fetch_add(1, Ordering::Relaxed)
}

impl Amounts {
    /// Returns fields with amount 0, and density 1.0 in every cell if `with_density` is set.
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

    /// Adds `inks` inks with amount 0; at most as many as [`Field::INKS`] has.
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

    /// Returns true if `field` exists.
    pub fn has(&self, field: Field) -> bool {
        !self.fields[field as usize].is_empty()
    }

    /// Iterator over the existing fields, in the order of their indices.
    pub fn present(&self) -> impl Iterator<Item = Field> + use<> {
        let present: Vec<_> = Field::ALL
            .into_iter()
            .chain(Field::INKS)
            .filter(|&field| self.has(field))
            .collect();
        present.into_iter()
    }

    /// Units of `field` in all cells, halo included, indexed by [`AirGrid::at`]; empty for a field
    /// that does not exist.
    pub fn field(&self, field: Field) -> &[u32] {
        &self.fields[field as usize]
    }

    /// Mutable units of `field`, as in [`Amounts::field`]; changes the version.
    pub fn field_mut(&mut self, field: Field) -> &mut [u32] {
        self.version = next_version();
        &mut self.fields[field as usize]
    }

    /// Mutable units of all fields, indexed by field; changes the version.
    pub fn fields_mut(&mut self) -> &mut [Vec<u32>] {
        self.version = next_version();
        &mut self.fields
    }

    /// Version number that changes whenever a field may have changed: amounts with equal versions
    /// are equal.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Units of `field` in the cell `place`.
    pub fn get(&self, field: Field, place: Place) -> u32 {
        self.fields[field as usize][self.grid.at(place)]
    }

    /// Sum of the units of `field` over all cells of the box, without the halo.
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

    /// Memory of all fields in bytes.
    pub fn bytes(&self) -> usize {
        self.fields
            .iter()
            .map(|field| size_of_val(&field[..]))
            .sum()
    }
}
