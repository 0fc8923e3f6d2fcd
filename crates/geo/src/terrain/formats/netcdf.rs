//! Reader of heights in netCDF files (`.nc`, and GMT's `.grd`): classic and netCDF-4.
//!
//! The heights are the variable with two axes that have coordinates; where several have, the one
//! that is called like heights. Coordinates are those of the middles of cells, evenly spaced, in
//! either order. Packed numbers, fill values and valid ranges are understood as the CF conventions
//! state them (CF 1.11, sections 2.5.1 and 8.1), and the coordinate system by `grid_mapping`
//! (section 5.6); longitude and latitude without one are those of WGS 84.

use std::path::Path;

use ndarray::{Array2, ArrayD, Axis, Ix2};
use netcdf_reader::{NcFile, NcOpenOptions, NcVariable};

use super::read::{LoadOptions, bytes_of};
use super::sidecar::Sidecars;
use crate::terrain::error::checked_samples;
use crate::terrain::{Crs, Georeference, HeightUnit, Heightmap, TerrainError};
use lavoxel_base::memory::MemoryEstimate;
use lavoxel_base::validate::quoted;

/// First bytes of the classic formats and of HDF5.
const MAGIC: [&[u8]; 2] = [b"CDF", b"\x89HDF\r\n\x1a\n"];
/// Names of variables with heights, in lower case.
const NAMES: [&str; 12] = [
    "z",
    "elevation",
    "height",
    "topo",
    "topography",
    "altitude",
    "dem",
    "band1",
    "surface",
    "bedrock",
    "orog",
    "hgt",
];
/// Largest deviation of a coordinate from even spacing, in cells.
const OFF: f64 = 0.02;
/// Value of floats that were never written, unless the file names another.
const UNWRITTEN: f64 = 9.969_209_968_386_869e36;
/// EPSG code of longitude and latitude on WGS 84.
const WGS_84: u16 = 4326;
/// Memory in bytes per height beside the heights: the numbers as the file has them, and as `f64`.
const BYTES_A_NUMBER: f64 = 16.0;

/// Returns true if the first bytes `start` of a file are those of a netCDF file.
pub(super) fn recognises(start: &[u8]) -> bool {
    MAGIC.iter().any(|magic| start.starts_with(magic))
}

/// Reads the heights of a netCDF file.
///
/// # Errors
/// [`TerrainError::Content`] for another kind of file, and without a variable of heights over
/// evenly spaced coordinates. The numbers are weighed before they are read.
pub(super) fn read(path: &Path, options: &LoadOptions) -> Result<Heightmap, TerrainError> {
    let wrong = |error: &dyn std::fmt::Display| {
        TerrainError::content(path, "a netCDF file", error.to_string())
    };
    let file = opened(path)?;
    let variables = file.variables().map_err(|error| wrong(&error))?;
    let (variable, axes, note) = heights_of(&file, variables, path)?;
    let [y, x] = &axes;
    let samples = checked_samples(path, (x.count, y.count), u64::MAX, 0.0)?;
    MemoryEstimate::new("the numbers of the file", samples, BYTES_A_NUMBER)
        .check("crop or coarsen the file first")
        .map_err(TerrainError::memory(path))?;
    let numbers = file
        .read_variable_unpacked_masked(variable.name())
        .map_err(|error| wrong(&error))?;
    let numbers = north_up(numbers, &axes).ok_or_else(|| wrong(&"axes of other lengths"))?;
    let mut sidecars = Sidecars::read(path)?;
    let said = text_of(variable, "units").filter(|unit| unit.parse::<HeightUnit>().is_ok());
    sidecars.unit = sidecars.unit.take().or(said);
    let values = sidecars.heights(options, path)?.without(Some(UNWRITTEN));
    let mut heights = Vec::with_capacity(samples);
    for number in &numbers {
        heights.push(values.convert(*number, path)?);
    }
    let mut heights =
        Array2::from_shape_vec((y.count, x.count), heights).expect("one height per number");
    sidecars.hide(&mut heights, path)?;
    values.check(&heights, path)?;
    let crs = options.understood(path, sidecars.system(system(&file, variable, x)))?;
    let corner = (x.low - 0.5 * x.step, y.high() + 0.5 * y.step);
    let (origin, cell_size_m) =
        Georeference::north_up(path, heights.dim(), corner, (x.step, y.step), crs)?;
    Ok(Heightmap {
        heights,
        cell_size_m,
        origin: Some(origin),
        notes: note.into_iter().collect(),
    })
}

/// Opens the file at `path`.
fn opened(path: &Path) -> Result<NcFile, TerrainError> {
    let bytes = bytes_of(path)?;
    if !recognises(&bytes) {
        let found = "another kind of grid; convert it: gdal_translate IN OUT.tif";
        return Err(TerrainError::content(path, "a netCDF file", found));
    }
    let most = lavoxel_base::memory::limit().min(usize::MAX as u64) as usize;
    let limits = NcOpenOptions {
        max_chunk_bytes: most,
        max_read_bytes: most,
        ..NcOpenOptions::default()
    };
    NcFile::from_owner(bytes, limits)
        .map_err(|error| TerrainError::content(path, "a netCDF file", error.to_string()))
}

/// Coordinates along an axis of the heights.
struct CoordinateAxis {
    /// Position among the axes of the variable that are longer than 1.
    at: usize,
    count: usize,
    low: f64,
    step: f64,
    /// Set if coordinates fall along the axis.
    falls: bool,
    is_longitude: bool,
}

impl CoordinateAxis {
    fn high(&self) -> f64 {
        self.low + self.step * (self.count - 1) as f64
    }
}

/// Returns the variable of heights, its axes y and x, and a note on the variables that are not read.
fn heights_of<'a>(
    file: &NcFile,
    variables: &'a [NcVariable],
    path: &Path,
) -> Result<(&'a NcVariable, [CoordinateAxis; 2], Option<String>), TerrainError> {
    let has_axes = |variable: &&NcVariable| {
        let long: Vec<_> = long_axes(variable).collect();
        let has = |name: &str| variables.iter().any(|v| v.is_coordinate_variable_for(name));
        long.len() == 2 && long.iter().all(|name| has(name)) && variable.dtype().is_primitive()
    };
    let found: Vec<&NcVariable> = variables.iter().filter(has_axes).collect();
    let is_called = |name: &&str| {
        let called = |v: &&&NcVariable| v.name().to_lowercase() == **name;
        found.iter().find(called).copied()
    };
    let one = || found.first().filter(|_| found.len() == 1).copied();
    let variable = one().or_else(|| NAMES.iter().find_map(is_called));
    let variable = variable.ok_or_else(|| {
        let names: Vec<&str> = found.iter().map(|variable| variable.name()).collect();
        let expected = "one variable of heights over two axes with coordinates, or one that is called z or elevation";
        let found = match names[..] {
            [] => "none".to_owned(),
            _ => format!("{}; keep one: ncks -v NAME IN OUT", quoted(&names.join(", "))),
        };
        TerrainError::content(path, expected, found)
    })?;
    let mut axes = Vec::new();
    for (at, name) in long_axes(variable).enumerate() {
        axes.push(axis(file, variables, (at, name), path)?);
    }
    let is_x = |name: &str, variable: &NcVariable| {
        let said = ["axis", "standard_name", "units"].map(|key| text_of(variable, key));
        let said = said.iter().flatten().any(|word| {
            ["X", "longitude", "projection_x_coordinate", "degrees_east"].contains(&word.as_str())
        });
        said || ["x", "lon", "longitude", "easting"].contains(&name.to_lowercase().as_str())
    };
    let first = long_axes(variable).next().unwrap_or_default();
    let first = variables
        .iter()
        .find(|v| v.is_coordinate_variable_for(first));
    if first.is_some_and(|v| is_x(v.name(), v)) {
        axes.reverse();
    }
    let axes = axes.try_into();
    let axes = axes.map_err(|_| TerrainError::content(path, "two axes", "another number"))?;
    let others = found.iter().map(|other| other.name());
    let others: Vec<&str> = others.filter(|name| *name != variable.name()).collect();
    let note = format!(
        "the heights are {}; not read: {}",
        quoted(variable.name()),
        quoted(&others.join(", "))
    );
    Ok((variable, axes, (!others.is_empty()).then_some(note)))
}

/// Returns the names of the axes of `variable` that are longer than 1.
fn long_axes(variable: &NcVariable) -> impl Iterator<Item = &str> {
    let axes = variable.dimensions().iter().zip(variable.shape());
    axes.filter(|(_, size)| *size > 1)
        .map(|(axis, _)| axis.name.as_str())
}

/// Reads the coordinates of the axis `name`, the `at`-th of its variable.
fn axis(
    file: &NcFile,
    variables: &[NcVariable],
    (at, name): (usize, &str),
    path: &Path,
) -> Result<CoordinateAxis, TerrainError> {
    let wrong = |found: String| {
        TerrainError::content(path, format!("evenly spaced coordinates {name}"), found)
    };
    let variable = variables
        .iter()
        .find(|variable| variable.is_coordinate_variable_for(name))
        .ok_or_else(|| wrong("none".to_owned()))?;
    let points = file
        .read_variable_unpacked(variable.name())
        .map_err(|error| wrong(error.to_string()))?;
    let points: Vec<f64> = points.iter().copied().collect();
    let (Some(&first), Some(&last)) = (points.first(), points.last()) else {
        return Err(wrong("none".to_owned()));
    };
    let step = (last - first) / (points.len() as f64 - 1.0).max(1.0);
    if !(step.is_finite() && step != 0.0) {
        return Err(wrong(format!("{first} to {last}")));
    }
    let off = |(k, at): (usize, &f64)| ((at - first) / step - k as f64).abs() > OFF;
    if let Some((k, at)) = points.iter().enumerate().find(|point| off(*point)) {
        let even = first + step * k as f64;
        return Err(wrong(format!("{at} where {even} would be even")));
    }
    let units = text_of(variable, "units").unwrap_or_default();
    Ok(CoordinateAxis {
        at,
        count: points.len(),
        low: first.min(last),
        step: step.abs(),
        falls: step < 0.0,
        is_longitude: units.to_lowercase().starts_with("degree"),
    })
}

/// Returns `numbers` in rows from the north and columns from the west; `None` if their axes have
/// other lengths than `axes` (y, x).
fn north_up(numbers: ArrayD<f64>, [y, x]: &[CoordinateAxis; 2]) -> Option<Array2<f64>> {
    let mut numbers = numbers;
    while let Some(short) = numbers.shape().iter().position(|&side| side == 1) {
        numbers = numbers.index_axis_move(Axis(short), 0);
    }
    let mut numbers = numbers.into_dimensionality::<Ix2>().ok()?;
    if y.at > x.at {
        numbers.swap_axes(0, 1);
    }
    if !y.falls {
        numbers.invert_axis(Axis(0));
    }
    if x.falls {
        numbers.invert_axis(Axis(1));
    }
    (numbers.dim() == (y.count, x.count)).then_some(numbers)
}

/// Returns the text of the attribute `key` of `variable`.
fn text_of(variable: &NcVariable, key: &str) -> Option<String> {
    let text = variable.attribute(key)?.value.as_string()?;
    Some(text.trim().trim_end_matches('\0').to_owned()).filter(|text| !text.is_empty())
}

/// Returns the coordinate system that the file states for `variable` with the axis `x`.
fn system(file: &NcFile, variable: &NcVariable, x: &CoordinateAxis) -> Crs {
    let mapping = text_of(variable, "grid_mapping");
    let mapping = mapping.and_then(|name| file.variable(&name).ok());
    let said = mapping.and_then(|mapping| {
        let text = ["crs_wkt", "spatial_ref"].iter();
        text.filter_map(|key| text_of(mapping, key)).next()
    });
    match said {
        Some(text) => Crs::from_wkt(&text),
        None if x.is_longitude => Crs::from_epsg(WGS_84).unwrap_or_default(),
        None => Crs::default(),
    }
}
