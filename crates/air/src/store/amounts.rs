//! Amounts that the air carries: heat, ash, steam and inks, and its own density where the solver has one. Whole units in every cell, so that
//! their sums are exact in any order.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::AirGrid;
use lavoxel_base::grid::Place;
use lavoxel_base::parallel::*;

/// Units of a field to 1.0.
pub const UNIT: u32 = 1 << 20;

/// A field of the air.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// Excess of the temperature over the ambient one, as a share of that: (T − Tₐ)/Tₐ.
    Heat,
    /// Ash; 1.0 is a mass in a cubic metre that the scene sets.
    Ash,
    /// Drops of water; 1.0 is as much as of ash.
    Steam,
    /// The air itself, 1.0 at rest; only where a solver has it.
    Density,
    /// The first ink, which weighs nothing, in the unit of ash (`air.ash_unit_kg_m3`). An ink exists where `air.inks` counts it.
    Ink1,
    /// The second ink.
    Ink2,
    /// The third ink.
    Ink3,
    /// The fourth ink.
    Ink4,
}

impl Field {
    /// All but the inks, in the order of their numbers.
    pub const ALL: [Self; 4] = [Self::Heat, Self::Ash, Self::Steam, Self::Density];

    /// Fields that the air carries and that move it.
    pub const CARRIED: [Self; 3] = [Self::Heat, Self::Ash, Self::Steam];

    /// Fields that the air carries and that leave its motion alone; their numbers follow those of [`Field::ALL`].
    pub const INKS: [Self; 4] = [Self::Ink1, Self::Ink2, Self::Ink3, Self::Ink4];

    /// Number of fields, inks included.
    pub(crate) const COUNT: usize = Self::ALL.len() + Self::INKS.len();

    /// Its name in files and reports.
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

/// The fields over the cells of an air's box, each with [`crate::BEYOND`] cells beyond every side; what those hold is the
/// solver's business.
#[derive(Clone, Debug)]
pub struct Amounts {
    grid: AirGrid,
    /// By the numbers of the fields; those that there are not have no cells.
    fields: Vec<Vec<u32>>,
    version: u64,
}

impl PartialEq for Amounts {
    fn eq(&self, other: &Self) -> bool {
        (self.grid, &self.fields) == (other.grid, &other.fields)
    }
}

impl Eq for Amounts {}

/// A number that no other change of amounts has.
fn next_version() -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(0);
    LAST.fetch_add(1, Ordering::Relaxed)
}

impl Amounts {
    /// Nothing anywhere, and air at rest where the solver has a density.
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

    /// Adds this many inks, at most [`Field::INKS`], of which there is nothing yet.
    #[must_use]
    pub fn with_inks(mut self, inks: usize) -> Self {
        for field in Field::INKS.into_iter().take(inks) {
            self.fields[field as usize] = vec![0; self.grid.len()];
        }
        self
    }

    /// The cells.
    pub fn grid(&self) -> AirGrid {
        self.grid
    }

    /// Whether there is such a field.
    pub fn has(&self, field: Field) -> bool {
        !self.fields[field as usize].is_empty()
    }

    /// The fields that there are, in the order of their numbers.
    pub fn present(&self) -> impl Iterator<Item = Field> + use<> {
        let present: Vec<_> = Field::ALL.into_iter().chain(Field::INKS).filter(|&field| self.has(field)).collect();
        present.into_iter()
    }

    /// The units of a field in all cells, by [`AirGrid::at`]; no cells of a field that there is not.
    pub fn field(&self, field: Field) -> &[u32] {
        &self.fields[field as usize]
    }

    /// Mutable access to it.
    pub fn field_mut(&mut self, field: Field) -> &mut [u32] {
        self.version = next_version();
        &mut self.fields[field as usize]
    }

    /// All fields, to be changed, in the order of their numbers.
    pub fn fields_mut(&mut self) -> &mut [Vec<u32>] {
        self.version = next_version();
        &mut self.fields
    }

    /// A number that changes when a field may have: amounts with the same number are the same.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Units of a field in a cell.
    pub fn get(&self, field: Field, place: Place) -> u32 {
        self.fields[field as usize][self.grid.at(place)]
    }

    /// Units of a field in the whole box.
    pub fn total(&self, field: Field) -> u64 {
        let (grid, values) = (self.grid, self.field(field));
        let row = |y, z| values[grid.at([0, y, z])..][..grid.cells.nx].iter().map(|&v| u64::from(v)).sum::<u64>();
        (0..grid.cells.nz).into_par_iter().map(|z| (0..grid.cells.ny).map(|y| row(y, z)).sum::<u64>()).sum()
    }

    /// Memory that they take, in bytes.
    pub fn bytes(&self) -> usize {
        self.fields.iter().map(|field| size_of_val(&field[..])).sum()
    }
}
