//! Every field of a state as a compressed NumPy archive (`.npz`).
//!
//! Fields have shape (z, y, x) or (y, x), as maps have in xarray and rasterio: z runs **up** from the floor, y from **north
//! to south** and x from **west to east**, so `amount[k]` is a map of the cells at height k, north up. (Inside the program
//! the axes are named otherwise: up is y, south is z.)
//!
//! | entry | shape, type | unit | what it is |
//! |---|---|---|---|
//! | `amount` | (z, y, x) f32 | full cells | how full of lava the cell is, 0 to 1 |
//! | `energy` | (z, y, x) f32 | vent units | energy of the lava in the cell |
//! | `solid` | (z, y, x) bool | | rock |
//! | `thickness`, `max_thickness`, `peak_energy`, `surface`, `ground` | (y, x) f32 | | the [maps](super::maps), NaN for no data |
//! | `arrival` | (y, x) f64 | steps | likewise, NaN for never |
//! | `x`, `y` | (x), (y) f64 | map units | middles of the columns on the map, or metres from the box's south-west corner |
//! | `z` | (z) f64 | m | elevation of the middles of the cells |
//! | `cell_size_m`, `floor_m`, `vertical_exaggeration` | f64 | | `elevation = floor_m + height in cells · cell_size_m / vertical_exaggeration` |
//! | `seed`, `step` | u64 | | |
//! | `scene`, `software`, `crs` | text | | `crs` is well-known text, empty where it is not known |
//! | `units` | (n, 2) text | | names and units: `dict(file["units"].tolist())` |
//!
//! Amounts and energies are exact: `amount · 2^15` and `energy · 2^13` are whole numbers.

use std::io::{self, Write};
use std::path::Path;

use ndarray::Array2;
use ndarray_npy::{NpzWriter, WriteNpyError, WriteNpyExt, WriteNpzError};

use super::maps::{Maps, Quantity, Values};
use super::{About, ExportError};
use crate::grid::Grid;
use crate::map::Site;
use crate::output::{Existing, OutputError, WholeFile};
use crate::units::{amount, energy};
use crate::validate::Invalid;
use crate::world::Content;
use crate::world::World;

/// Largest number of cells of a box that is written: readers take nine bytes for each.
pub const MAX_CELLS: usize = 1 << 29;

/// Refuses boxes that are too large to be written cell by cell.
///
/// # Errors
/// Names the size and the limit.
pub fn check_size(grid: Grid) -> Result<(), Invalid> {
    if grid.cells() <= MAX_CELLS {
        return Ok(());
    }
    let size = format!("{:?}", [grid.nx, grid.ny, grid.nz]);
    Err(Invalid::new("grid.size", size, format!("at most {MAX_CELLS} cells in all to be written as .npz; use maps")))
}

/// Writes all fields; see the [module](self) for what they are. Cells are written row by row, without a second copy of the
/// box.
///
/// # Errors
/// [`ExportError::Invalid`] for a box that is too large, [`ExportError::Output`] when the file is to be kept or cannot be
/// written; then no part of it is left behind.
///
/// # Panics
/// When `maps` has no records.
pub fn write(path: &Path, maps: &Maps<'_>, about: &About, existing: Existing) -> Result<(), ExportError> {
    check_size(maps.site.grid)?;
    let mut file = WholeFile::create(path, existing)?;
    write_all(&mut file, maps, about).map_err(|e| OutputError::io(path, io_error(e)))?;
    Ok(file.commit()?)
}

/// What the system said, or what the archive could not take.
fn io_error(error: WriteNpzError) -> io::Error {
    match error {
        WriteNpzError::Npy(WriteNpyError::Io(cause)) => cause,
        other => io::Error::other(other.to_string()),
    }
}

fn write_all(file: &mut WholeFile, maps: &Maps<'_>, about: &About) -> Result<(), WriteNpzError> {
    let mut npz = NpzWriter::new_compressed(file);
    let (world, site) = (maps.world, maps.site);
    let units = unit_names(site);
    let text = |text: &str| Entry::texts(vec![], vec![text.to_owned()]);
    npz.add_array("units", &Entry::texts(vec![units.len() / 2, 2], units))?;
    npz.add_array("scene", &text(&about.scene))?;
    npz.add_array("software", &text(About::SOFTWARE))?;
    npz.add_array("crs", &text(site.crs().and_then(|crs| crs.wkt.as_deref()).unwrap_or_default()))?;
    npz.add_array("seed", &Entry::number("<u8", about.seed.to_le_bytes()))?;
    npz.add_array("step", &Entry::number("<u8", about.step.to_le_bytes()))?;
    npz.add_array("cell_size_m", &Entry::number("<f8", site.cell_size_m.to_le_bytes()))?;
    npz.add_array("floor_m", &Entry::number("<f8", site.floor_m.to_le_bytes()))?;
    npz.add_array("vertical_exaggeration", &Entry::number("<f8", site.vertical_exaggeration.to_le_bytes()))?;
    let place = site.placement();
    npz.add_array("x", &ndarray::Array1::from_iter(place.xs()))?;
    npz.add_array("y", &ndarray::Array1::from_iter(place.ys()))?;
    let middles = (0..site.grid.ny).map(|y| site.elevation_m(y as f64 + 0.5));
    npz.add_array("z", &ndarray::Array1::from_iter(middles))?;
    for quantity in Quantity::ALL {
        let name = entry_name(quantity);
        match maps.values(quantity) {
            Values::Real(values) => npz.add_array(name, &values)?,
            Values::Whole(values) => npz.add_array(name, &with_nan(&values))?,
        }
    }
    npz.add_array("amount", &cells(world, |cell| amount(cell.amount)))?;
    npz.add_array("energy", &cells(world, |cell| energy(cell.energy)))?;
    npz.add_array("solid", &solid(world))?;
    npz.finish()?;
    Ok(())
}

/// The name of a map's entry, which Python can take as that of a variable.
fn entry_name(quantity: Quantity) -> String {
    quantity.name().replace('-', "_")
}

/// Pairs of name and unit, one after the other.
fn unit_names(site: &Site) -> Vec<String> {
    let map = site.map_unit();
    let fields = [("amount", "full cells"), ("energy", Quantity::PeakEnergy.unit())];
    let axes = [("x", map), ("y", map), ("z", "m"), ("cell_size_m", "m"), ("floor_m", "m"), ("step", "steps")];
    let maps = Quantity::ALL.map(|quantity| (entry_name(quantity), quantity.unit()));
    let others = fields.into_iter().chain(axes).map(|(name, unit)| (name.to_owned(), unit));
    others.chain(maps).flat_map(|(name, unit)| [name, unit.to_owned()]).collect()
}

/// Whole numbers as real ones, NaN for no data.
fn with_nan(values: &Array2<i32>) -> Array2<f64> {
    values.mapv(|v| if v == Values::NO_WHOLE { f64::NAN } else { f64::from(v) })
}

/// Writes the elements of an array.
type Fill<'a> = Box<dyn Fn(&mut dyn Write) -> io::Result<()> + 'a>;

/// An array that is written piece by piece, or of a type that `ndarray-npy` does not know.
struct Entry<'a> {
    /// Type of an element, as NumPy writes it.
    descr: String,
    shape: Vec<usize>,
    fill: Fill<'a>,
}

impl WriteNpyExt for Entry<'_> {
    fn write_npy<W: Write>(&self, mut writer: W) -> Result<(), WriteNpyError> {
        writer.write_all(&self.header())?;
        (self.fill)(&mut writer)?;
        Ok(writer.flush()?)
    }
}

impl Entry<'_> {
    /// One number.
    fn number(descr: &str, bytes: [u8; 8]) -> Self {
        Self { descr: descr.to_owned(), shape: vec![], fill: Box::new(move |out| out.write_all(&bytes)) }
    }

    /// Texts, which NumPy keeps at one length, four bytes a character.
    fn texts(shape: Vec<usize>, texts: Vec<String>) -> Self {
        let longest = texts.iter().map(|text| text.chars().count()).max().unwrap_or(0).max(1);
        let fill = move |out: &mut dyn Write| {
            texts.iter().try_for_each(|text| {
                let padded = text.chars().chain(std::iter::repeat('\0')).take(longest);
                padded.into_iter().try_for_each(|c| out.write_all(&u32::from(c).to_le_bytes()))
            })
        };
        Self { descr: format!("<U{longest}"), shape, fill: Box::new(fill) }
    }

    /// The header of an `.npy` file of version 1.0: its length is a multiple of 64 bytes.
    fn header(&self) -> Vec<u8> {
        let sides: String = self.shape.iter().map(|side| format!("{side}, ")).collect();
        let text = format!("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", self.descr, sides.trim_end());
        const BEFORE: usize = 10;
        let length = (BEFORE + text.len() + 1).next_multiple_of(64) - BEFORE;
        let mut header = b"\x93NUMPY\x01\x00".to_vec();
        header.extend_from_slice(&(length as u16).to_le_bytes());
        header.extend_from_slice(format!("{text:<width$}\n", width = length - 1).as_bytes());
        header
    }
}

/// The shape of a field of cells in the file.
fn shape(grid: Grid) -> Vec<usize> {
    vec![grid.ny, grid.nz, grid.nx]
}

/// A number for every cell, 0 where there is no lava.
fn cells<'a>(world: &'a World, number: impl Fn(Content) -> f32 + 'a) -> Entry<'a> {
    let fill = move |out: &mut dyn Write| {
        let grid = world.grid();
        let empty = vec![0; 4 * grid.nx];
        let mut row = empty.clone();
        for (y, z) in rows(grid) {
            if world.lava().span(y, z).is_empty() {
                out.write_all(&empty)?;
                continue;
            }
            row.fill(0);
            for (x, cell) in world.lava().row(y, z, 0..grid.nx) {
                row[4 * x..4 * x + 4].copy_from_slice(&number(cell).to_le_bytes());
            }
            out.write_all(&row)?;
        }
        Ok(())
    };
    Entry { descr: "<f4".to_owned(), shape: shape(world.grid()), fill: Box::new(fill) }
}

/// Whether each cell is solid.
fn solid(world: &World) -> Entry<'_> {
    let fill = move |out: &mut dyn Write| {
        let grid = world.grid();
        let mut row = vec![0; grid.nx];
        for (y, z) in rows(grid) {
            row.iter_mut().enumerate().for_each(|(x, byte)| *byte = u8::from(world.ground().is_solid(x, y, z)));
            out.write_all(&row)?;
        }
        Ok(())
    };
    Entry { descr: "|b1".to_owned(), shape: shape(world.grid()), fill: Box::new(fill) }
}

/// The rows (y, z) in the order of the file.
fn rows(grid: Grid) -> impl Iterator<Item = (usize, usize)> {
    (0..grid.ny).flat_map(move |y| (0..grid.nz).map(move |z| (y, z)))
}
