//! Maps for geographic information systems: a number for each column of the box, on the map of the heightmap that the
//! ground came from. One file of code per format, told by the ending of the name.
//!
//! | map | unit | what it is |
//! |---|---|---|
//! | `thickness` | m | the lava of the column, without the air between: amounts added up, times the height of a cell |
//! | `arrival` | steps | number of steps after which lava first stood there; 0: before the first step |
//! | `max-thickness` | m | the largest thickness after any step |
//! | `peak-energy` | vent units | the largest energy in any one cell of the column after any step |
//! | `surface` | m | elevation of ground and lava together: `ground` + `thickness` |
//! | `ground` | m | elevation of the ground, with what was built and dug |
//!
//! Metres are true ones: a vertical exaggeration of the box is taken out again. Steps are not seconds; the automaton has no
//! clock. A full cell of fresh lava carries 1 vent unit of energy if its vent says `energy = 1`, and lava spreads from a
//! cell with more than `rules.threshold` of it. There is no data in `thickness` where no lava stands now, and in `arrival`,
//! `max-thickness` and `peak-energy` where it never stood.

use std::path::Path;

use ndarray::{Array2, Zip};

use super::{About, ExportError, asc, geotiff};
use crate::map::Site;
use crate::output::{Existing, check_free};
use crate::records::{NEVER, Records};
use crate::units::{cells, energy};
use crate::world::World;

/// What a map shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// Lava that stands in the column now.
    Thickness,
    /// When lava first stood there.
    Arrival,
    /// The largest thickness ever.
    MaxThickness,
    /// The largest energy of a cell ever.
    PeakEnergy,
    /// Elevation of ground and lava.
    Surface,
    /// Elevation of the ground.
    Ground,
}

impl Quantity {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Thickness, Self::Arrival, Self::MaxThickness, Self::PeakEnergy, Self::Surface, Self::Ground];

    /// The quantity of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|quantity| quantity.name() == name)
    }

    /// The name that it goes by.
    pub fn name(self) -> &'static str {
        match self {
            Self::Thickness => "thickness",
            Self::Arrival => "arrival",
            Self::MaxThickness => "max-thickness",
            Self::PeakEnergy => "peak-energy",
            Self::Surface => "surface",
            Self::Ground => "ground",
        }
    }

    /// The unit of its numbers.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Arrival => "steps",
            Self::PeakEnergy => "vent units",
            _ => "m",
        }
    }

    /// What it is, in a line.
    pub fn description(self) -> &'static str {
        match self {
            Self::Thickness => "lava thickness",
            Self::Arrival => "number of steps after which lava first stood here",
            Self::MaxThickness => "largest lava thickness after any step",
            Self::PeakEnergy => "largest energy of a cell after any step",
            Self::Surface => "elevation of ground and lava",
            Self::Ground => "elevation of the ground",
        }
    }

    /// Whether it needs [`Records`] of the past.
    pub fn needs_records(self) -> bool {
        matches!(self, Self::Arrival | Self::MaxThickness | Self::PeakEnergy)
    }
}

/// The numbers of a map, shape (`nz`, `nx`), row 0 north, column 0 west.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Real numbers; NaN where there is no data.
    Real(Array2<f32>),
    /// Whole numbers; [`Values::NO_WHOLE`] where there is no data.
    Whole(Array2<i32>),
}

impl Values {
    /// Stands for no data among whole numbers.
    pub const NO_WHOLE: i32 = crate::terrain::write::NO_DATA;
}

/// A state of the world and its past, from which maps are drawn.
#[derive(Clone, Copy, Debug)]
pub struct Maps<'a> {
    /// The state.
    pub world: &'a World,
    /// Its past; only some maps need it.
    pub records: Option<&'a Records>,
    /// Where it stands.
    pub site: &'a Site,
}

impl Maps<'_> {
    /// The numbers of a map.
    ///
    /// # Panics
    /// When the quantity [needs records](Quantity::needs_records) and there are none.
    pub fn values(&self, quantity: Quantity) -> Values {
        match quantity {
            Quantity::Thickness => Values::Real(self.thickness().mapv(none_at_zero)),
            Quantity::Arrival => Values::Whole(self.past().arrival().mapv(steps)),
            Quantity::MaxThickness => {
                let thickest = self.past().thickest();
                Values::Real(thickest.mapv(|units| none_at_zero(self.metres(u64::from(units)))))
            }
            Quantity::PeakEnergy => {
                let mut peaks = self.past().peak_energy().mapv(energy);
                let arrival = self.past().arrival();
                Zip::from(&mut peaks)
                    .and(arrival)
                    .for_each(|peak, &at| *peak = if at == NEVER { f32::NAN } else { *peak });
                Values::Real(peaks)
            }
            Quantity::Surface => Values::Real(self.ground() + self.thickness()),
            Quantity::Ground => Values::Real(self.ground()),
        }
    }

    fn past(&self) -> &Records {
        self.records.expect("the caller keeps records for maps that need them")
    }

    /// Metres of lava, 0 where there is none.
    fn thickness(&self) -> Array2<f32> {
        self.world.lava().column_amounts().mapv(|units| self.metres(units))
    }

    /// Thickness in metres of so many units in a column.
    fn metres(&self, units: u64) -> f32 {
        (cells(units) * self.site.cell_height_m()) as f32
    }

    /// Elevation of the ground in metres.
    fn ground(&self) -> Array2<f32> {
        self.world.ground().surface().mapv(|height| self.site.elevation_m(f64::from(height)) as f32)
    }
}

/// Lava of no thickness is no lava.
fn none_at_zero(metres: f32) -> f32 {
    if metres > 0.0 { metres } else { f32::NAN }
}

/// An arrival as a whole number of a map.
fn steps(arrival: u32) -> i32 {
    if arrival == NEVER { Values::NO_WHOLE } else { i32::try_from(arrival).unwrap_or(i32::MAX) }
}

/// The formats of maps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Asc,
    GeoTiff,
}

fn format_of(path: &Path) -> Result<Format, ExportError> {
    let ending = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    match ending.as_str() {
        "asc" => Ok(Format::Asc),
        "tif" | "tiff" => Ok(Format::GeoTiff),
        _ => Err(ExportError::UnknownMapFormat { path: path.to_owned(), ending }),
    }
}

/// Checks, before long work, that a map can be written at `path`.
///
/// # Errors
/// [`ExportError::UnknownMapFormat`] for an ending that is not known, [`ExportError::Output`] for a file that is to be kept
/// or cannot be written; the `.prj` file beside an `.asc` file counts as part of it.
pub fn check_map(path: &Path, existing: Existing) -> Result<(), ExportError> {
    if format_of(path)? == Format::Asc {
        check_free(&path.with_extension("prj"), existing)?;
    }
    Ok(check_free(path, existing)?)
}

/// Writes a map in the format that the ending of `path` names: GeoTIFF (`.tif`, `.tiff`) or ESRI ASCII grid (`.asc`, with
/// a `.prj` file where the coordinate system is known).
///
/// # Errors
/// As [`check_map`]; then no part of the file is left behind.
///
/// # Panics
/// As [`Maps::values`].
pub fn write_map(
    path: &Path,
    quantity: Quantity,
    maps: &Maps<'_>,
    about: &About,
    existing: Existing,
) -> Result<(), ExportError> {
    check_map(path, existing)?;
    let values = maps.values(quantity);
    match format_of(path)? {
        Format::Asc => asc::write(path, &values, maps.site, existing),
        Format::GeoTiff => geotiff::write(path, &values, &geotiff::Labels { quantity, about }, maps.site, existing),
    }
}
