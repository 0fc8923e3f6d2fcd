//! Export of every field of a state as a compressed NumPy archive (`.npz`).
//!
//! Fields have shape (z, y, x) or (y, x), as maps have in xarray and rasterio: z runs **up** from
//! the floor, y from **north to south** and x from **west to east**, so `amount[k]` is a map of the
//! cells at height k, north up. (Inside the program the axes have other names: up is y, south is
//! z.)
//!
//! | entry | shape, type | unit | description |
//! |---|---|---|---|
//! | `amount` | (z, y, x) f32 | full cells | filling of the cell with lava, 0 to 1 |
//! | `energy` | (z, y, x) f32 | vent units | energy of the lava in the cell |
//! | `cell_temperature`, `cell_viscosity`, `velocity_east`, `velocity_north` | (z, y, x) f32 | K, Pa s, m/s | in the physical model, in place of `energy`; 0 without lava |
//! | `set` | (z, y, x) f32 | full cells | in the physical model, lava that turned to rock |
//! | `solid` | (z, y, x) bool | | rock |
//! | `thickness`, `max_thickness`, `peak_energy`, `surface`, `ground` | (y, x) f32 | | the [maps](super::maps), NaN for no data |
//! | `arrival` | (y, x) f64 | steps | map of the arrival, NaN for never |
//! | `water_amount`, `water_thickness`, … | | | fields of another material of the scene |
//! | `x`, `y` | (x), (y) f64 | map units | middles of the columns on the map, or metres from the box's south-west corner |
//! | `z` | (z) f64 | m | elevation of the middles of the cells |
//! | `cell_size_m`, `floor_m`, `vertical_exaggeration` | f64 | | `elevation = floor_m + height in cells · cell_size_m / vertical_exaggeration` |
//! | `seed`, `step` | u64 | | |
//! | `scene`, `software`, `crs` | text | | `crs` is well-known text, empty where it is not known |
//! | `units` | (n, 2) text | | names and units: `dict(file["units"].tolist())` |
//!
//! In a scene with air the entries `air_box_…` hold the whole box of the air, which may be wider
//! and higher ([`lavoxel_air`]); `air_ash` and similar entries hold the part inside the lava box,
//! on the cells of that box.
//!
//! - Invariant: amounts and energies are exact; `amount · 2^15` and `energy · 2^13` are whole
//!   numbers, and `amount · 2^24` in the physical model.

mod air;

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::Path;

use ndarray::Array2;
use ndarray_npy::{NpzWriter, WriteNpyError, WriteNpyExt, WriteNpzError};

use super::maps::{Maps, Values};
use super::{ExportError, MEND, Provenance};
use lavoxel_automaton::world::{CellMeasure, ColumnMeasure, Quantity};
use lavoxel_base::grid::Grid;
use lavoxel_base::measure::Measure;
use lavoxel_base::memory::MemoryEstimate;
use lavoxel_base::validate::Invalid;
use lavoxel_files::output::{Existing, WholeFile, whole};
use lavoxel_geo::map::Site;
use lavoxel_sim::state::State;

/// Upper bound on the number of cells of a box that can be exported: NumPy needs nine bytes per
/// cell.
pub const MAX_CELLS: usize = 1 << 29;

/// Checks that NumPy can read an archive of a box of shape `grid`.
///
/// # Errors
/// The message with size and limit, if the simulation box has more than `MAX_CELLS` cells.
pub fn check_size(grid: Grid) -> Result<(), Invalid> {
    if grid.cells() <= MAX_CELLS {
        return Ok(());
    }
    let size = format!("{:?}", [grid.nx, grid.ny, grid.nz]);
    Err(Invalid::new(
        "grid.size",
        size,
        format!("at most {MAX_CELLS} cells in all to be written as .npz; use maps"),
    ))
}

/// Estimates the memory of writing the archive for a box of shape `grid`, which is that of the
/// values of one map, because maps are written one after the other.
pub fn need(grid: Grid) -> MemoryEstimate {
    MemoryEstimate::new("the maps of the archive", grid.columns(), 16.0)
}

/// Writes all fields of the state in the format that the module describes, row by row, without a
/// second copy of the simulation box.
///
/// # Errors
/// [`ExportError::Invalid`] for a box that is too large, [`ExportError::Output`] when the file is
/// to be kept or cannot be written; no partial file is left.
///
/// # Panics
/// When `maps` has no records of a material of the world.
pub fn write(
    path: &Path,
    maps: &Maps<'_>,
    about: &Provenance,
    existing: Existing,
) -> Result<(), ExportError> {
    check_size(maps.site.grid)?;
    need(maps.site.grid)
        .check(MEND)
        .map_err(ExportError::memory(path))?;
    Ok(whole(path, existing, |out| {
        write_all(out, maps, about).map_err(io_error)
    })?)
}

/// Converts an error of the archive library to an I/O error.
fn io_error(error: WriteNpzError) -> io::Error {
    match error {
        WriteNpzError::Npy(WriteNpyError::Io(cause)) => cause,
        other => io::Error::other(other.to_string()),
    }
}

fn write_all(
    file: &mut WholeFile,
    maps: &Maps<'_>,
    about: &Provenance,
) -> Result<(), WriteNpzError> {
    let mut npz = NpzWriter::new_compressed(file);
    let (world, site) = (maps.world, maps.site);
    let (maps_of, fields) = entries(world);
    let mut units = unit_names(&maps_of, &fields, site);
    units.extend(
        world
            .air()
            .into_iter()
            .flat_map(|air| air::units(air, site)),
    );
    // Texts and numbers become arrays without axes: an archive holds nothing but arrays.
    let text = |text: &str| Entry::texts(vec![], vec![text.to_owned()]);
    npz.add_array("units", &Entry::texts(vec![units.len() / 2, 2], units))?;
    npz.add_array("scene", &text(&about.scene))?;
    npz.add_array("software", &text(Provenance::SOFTWARE))?;
    npz.add_array(
        "crs",
        &text(
            site.crs()
                .and_then(|crs| crs.wkt.as_deref())
                .unwrap_or_default(),
        ),
    )?;
    npz.add_array("seed", &Entry::number("<u8", about.seed.to_le_bytes()))?;
    npz.add_array("step", &Entry::number("<u8", about.step.to_le_bytes()))?;
    npz.add_array(
        "cell_size_m",
        &Entry::number("<f8", site.cell_size_m.to_le_bytes()),
    )?;
    npz.add_array("floor_m", &Entry::number("<f8", site.floor_m.to_le_bytes()))?;
    npz.add_array(
        "vertical_exaggeration",
        &Entry::number("<f8", site.vertical_exaggeration.to_le_bytes()),
    )?;
    let place = site.placement();
    npz.add_array("x", &ndarray::Array1::from_iter(place.xs()))?;
    npz.add_array("y", &ndarray::Array1::from_iter(place.ys()))?;
    let middles = (0..site.grid.ny).map(|y| site.elevation_m(y as f64 + 0.5));
    npz.add_array("z", &ndarray::Array1::from_iter(middles))?;
    for (name, quantity) in maps_of {
        match maps.values(&quantity) {
            Values::Real(values) => npz.add_array(name, &values)?,
            Values::Whole(values) => npz.add_array(name, &with_nan(&values))?,
        }
    }
    for (name, field) in fields {
        npz.add_array(name, &cells(world, &field))?;
    }
    world
        .air()
        .map_or(Ok(()), |air| air::write(&mut npz, air, site))?;
    npz.finish()?;
    Ok(())
}

/// Entry name, and the quantity whose values the archive entry contains.
type Named<M> = (String, Quantity<M>);

/// Returns the quantities of the archive as (maps with their entry names, cell fields with their
/// entry names). Energy per amount is omitted, because it is the quotient of two entries.
fn entries(world: &State) -> (Vec<Named<ColumnMeasure>>, Vec<Named<CellMeasure>>) {
    let mut taken = BTreeSet::new();
    let maps = named(world.column_quantities(), &mut taken);
    let mut fields = world.quantities();
    fields.retain(|quantity| quantity.measure() != CellMeasure::SpecificEnergy);
    (maps, named(fields, &mut taken))
}

/// Assigns an entry name to each quantity in `all`: its symbol, or material and symbol if `taken`
/// contains the symbol. A cell field with the name of a map, such as the temperature, gets the
/// prefix `cell_`. Adds the names to `taken`.
fn named<M: Measure>(all: Vec<Quantity<M>>, taken: &mut BTreeSet<String>) -> Vec<Named<M>> {
    let mut name = |quantity: Quantity<M>| {
        let symbol = quantity.symbol();
        let names = [symbol.clone(), quantity.name(), format!("cell_{symbol}")];
        let free = names.into_iter().find(|name| taken.insert(name.clone()));
        (free.unwrap_or(symbol), quantity)
    };
    all.into_iter().map(&mut name).collect()
}

/// Returns the units of all maps, cell fields and coordinates of the archive that have a unit, as a
/// flat list: name, unit, name, unit, …
fn unit_names(
    maps: &[Named<ColumnMeasure>],
    fields: &[Named<CellMeasure>],
    site: &Site,
) -> Vec<String> {
    let map = site.map_unit();
    let fields = fields.iter().filter(|(_, field)| !field.unit().is_empty());
    let fields = fields.map(|(name, field)| (&name[..], field.unit()));
    let axes = [
        ("x", map),
        ("y", map),
        ("z", "m"),
        ("cell_size_m", "m"),
        ("floor_m", "m"),
        ("step", "steps"),
    ];
    let maps = maps
        .iter()
        .map(|(name, quantity)| (&name[..], quantity.unit()));
    fields
        .chain(axes)
        .chain(maps)
        .flat_map(|(name, unit)| [name.to_owned(), unit.to_owned()])
        .collect()
}

/// Converts integer map values to floats; the no-data value becomes NaN.
fn with_nan(values: &Array2<i32>) -> Array2<f64> {
    values.mapv(|v| {
        if v == Values::NO_WHOLE {
            f64::NAN
        } else {
            f64::from(v)
        }
    })
}

/// Function that writes the elements of an array to the archive, in file order.
type Fill<'a> = Box<dyn Fn(&mut dyn Write) -> io::Result<()> + 'a>;

/// Entry of the archive whose elements are computed while they are written; supports the NumPy
/// types that the crate `ndarray-npy` cannot write.
struct Entry<'a> {
    /// NumPy type of the entry's elements, such as `<f4`.
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
    /// Creates an entry with a single number of the NumPy type `descr` (8 bytes wide) from its
    /// little-endian bytes.
    fn number(descr: &str, bytes: [u8; 8]) -> Self {
        Self {
            descr: descr.to_owned(),
            shape: vec![],
            fill: Box::new(move |out| out.write_all(&bytes)),
        }
    }

    /// Creates an entry of texts. NumPy stores all texts of an array with the length of the
    /// longest, four bytes per character.
    fn texts(shape: Vec<usize>, texts: Vec<String>) -> Self {
        let longest = texts
            .iter()
            .map(|text| text.chars().count())
            .max()
            .unwrap_or(0)
            .max(1);
        let fill = move |out: &mut dyn Write| {
            texts.iter().try_for_each(|text| {
                let padded = text.chars().chain(std::iter::repeat('\0')).take(longest);
                padded
                    .into_iter()
                    .try_for_each(|c| out.write_all(&u32::from(c).to_le_bytes()))
            })
        };
        Self {
            descr: format!("<U{longest}"),
            shape,
            fill: Box::new(fill),
        }
    }

    /// Returns the header of this entry's `.npy` file (version 1.0), padded to a multiple of 64
    /// bytes.
    fn header(&self) -> Vec<u8> {
        let sides: String = self.shape.iter().map(|side| format!("{side}, ")).collect();
        let text = format!(
            "{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}",
            self.descr,
            sides.trim_end()
        );
        const BEFORE: usize = 10;
        let length = (BEFORE + text.len() + 1).next_multiple_of(64) - BEFORE;
        let mut header = b"\x93NUMPY\x01\x00".to_vec();
        header.extend_from_slice(&(length as u16).to_le_bytes());
        header.extend_from_slice(format!("{text:<width$}\n", width = length - 1).as_bytes());
        header
    }
}

/// Returns the shape (z, y, x) that a cell field has in the archive.
fn shape(grid: Grid) -> Vec<usize> {
    vec![grid.ny, grid.nz, grid.nx]
}

/// Returns the archive entry with the values of `quantity` in all cells; the entry of solid cells
/// is boolean.
fn cells<'a>(world: &'a State, quantity: &Quantity) -> Entry<'a> {
    let (values, grid) = (world.values(quantity), world.grid());
    let truth = quantity.measure() == CellMeasure::Solid;
    let fill = move |out: &mut dyn Write| {
        let mut row = vec![0.0; grid.nx];
        let mut bytes = Vec::new();
        for (y, z) in rows(grid) {
            values.row(y, z, &mut row);
            bytes.clear();
            match truth {
                true => bytes.extend(row.iter().map(|&value| u8::from(value > 0.0))),
                false => bytes.extend(row.iter().flat_map(|value| value.to_le_bytes())),
            }
            out.write_all(&bytes)?;
        }
        Ok(())
    };
    let descr = if truth { "|b1" } else { "<f4" };
    Entry {
        descr: descr.to_owned(),
        shape: shape(grid),
        fill: Box::new(fill),
    }
}

/// Iterates over the rows of cells, as pairs (`y`, `z`), in the order of the archive.
fn rows(grid: Grid) -> impl Iterator<Item = (usize, usize)> {
    (0..grid.ny).flat_map(move |y| (0..grid.nz).map(move |z| (y, z)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lavoxel_automaton::matter::Material;
    use lavoxel_automaton::world::{Ground, World};

    #[test]
    fn no_two_entries_have_the_same_name() {
        let material = |name: &str| Material {
            name: name.to_owned(),
            ..Material::water()
        };
        let materials = ["max", "a", "a_max"].map(material).to_vec();
        let world = State::from(World::with_materials(
            Ground::none(Grid::new(1, 1, 1)),
            materials,
        ));
        let (maps, fields) = entries(&world);
        let names: Vec<_> = maps
            .into_iter()
            .map(|(name, _)| name)
            .chain(fields.into_iter().map(|(name, _)| name))
            .collect();
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
        assert!(
            names.iter().any(|name| name == "max.thickness")
                && names.iter().any(|name| name == "a_max.thickness")
        );
    }
}
