//! Reader of points of laser scans (`.las`, `.laz`), which become a grid: the mean height of the
//! ground's points in each cell.
//!
//! Points of the class *ground* (2) count, or, in a file without them, all but noise (7 and 18);
//! withheld points never. Cells are as wide as the user says, or hold four points on average; cells
//! without a point have no data.

use std::io::Cursor;
use std::path::Path;
use std::sync::Arc;

use las::{Header, Point, PointDataBuilder, Reader};
use ndarray::Array2;

use super::read::{LoadOptions, bytes_of, note_of_unit};
use super::sidecar::Sidecars;
use crate::map::crs::GeoKey;
use crate::terrain::error::checked_samples;
use crate::terrain::{Crs, Georeference, Heightmap, TerrainError};
use lavoxel_base::memory::MemoryEstimate;
use lavoxel_base::validate::escape_for_terminal;
use lavoxel_base::words::{grouped, rough, short};
use lavoxel_files::input;

/// First bytes of a file.
pub(super) const MAGIC: &[u8] = b"LASF";

/// Numbers of the classes ground, low noise and high noise.
const GROUND: u8 = 2;
const NOISE: [u8; 2] = [7, 18];
/// Mean number of points in a cell, where the user names no size.
const IN_A_CELL: f64 = 4.0;
/// Memory in bytes per cell for its height, twice while the map is fitted, and for sum and number of
/// its points.
const BYTES_A_CELL: f64 = 2.0 * 4.0 + 20.0;
/// Upper bound on the bytes of the points of a packed file.
const MOST_UNPACKED: u64 = 1 << 44;
/// Number of bytes of points that are unpacked at a time.
const BATCH: usize = 4 << 20;
/// Memory in bytes per part of a packed file, for the table of its parts.
const BYTES_A_PART: f64 = 16.0;

/// Reads points as heights of a grid.
///
/// # Errors
/// [`TerrainError::Content`] for a file that is damaged or has no points of the ground.
pub(super) fn read(path: &Path, options: &LoadOptions) -> Result<Heightmap, TerrainError> {
    // The library of points panics at some damaged files.
    let read = || read_points(path, options);
    input::guard(read).unwrap_or_else(|_| {
        let found = "a damaged file";
        Err(TerrainError::content(path, "points of a laser scan", found))
    })
}

fn read_points(path: &Path, options: &LoadOptions) -> Result<Heightmap, TerrainError> {
    let bytes: Arc<[u8]> = bytes_of(path)?.into();
    check_tables(&bytes, path)?;
    let points = Points { bytes, path };
    let sidecars = Sidecars::read(path)?;
    let header = points.reader()?.header().clone();
    let crs = options.understood(path, sidecars.system(system(&header)))?;
    let counts = points.counted()?;
    let extent = counts.extent();
    // Lengths of the map in metres, found for a grid of one cell.
    let (origin, unit_m) = Georeference::north_up(
        path,
        (1, 1),
        (extent[0], extent[3]),
        (1.0, 1.0),
        crs.clone(),
    )?;
    drop(origin);
    let area = (extent[2] - extent[0]) * (extent[3] - extent[1]);
    let usual = rough((IN_A_CELL * area / counts.used() as f64).sqrt().max(1e-9));
    let size = options
        .cell_size_m
        .map_or(usual, |metres| metres / unit_m.0);
    // Cells lie on whole multiples of their size, so that tiles of a survey fit together.
    let (west, north) = (
        (extent[0] / size).floor() * size,
        (extent[3] / size).ceil() * size,
    );
    let cells = |length: f64| (length / size + 1e-9).ceil().clamp(1.0, 1e9) as usize;
    let (cols, rows) = (cells(extent[2] - west), cells(north - extent[1]));
    let samples = checked_samples(path, (cols, rows), u64::MAX, 0.0)?;
    MemoryEstimate::new("the points of the cells", samples, BYTES_A_CELL)
        .check("name larger cells (--cell-size)")
        .map_err(TerrainError::memory(path))?;
    let values = sidecars.heights(options, path)?;
    let mut sums = vec![(0.0_f64, 0_u32); samples];
    points.each(|point| {
        if !counts.is_used(point) {
            return Ok(());
        }
        let metres = values.metres(point.z).filter(|metres| !metres.is_nan());
        let metres = metres.ok_or_else(|| {
            TerrainError::content(path, "heights within ±100 km", point.z.to_string())
        })?;
        let col = (((point.x - west) / size) as usize).min(cols - 1);
        let row = (((north - point.y) / size) as usize).min(rows - 1);
        let (sum, count) = &mut sums[row * cols + col];
        (*sum, *count) = (*sum + f64::from(metres), *count + 1);
        Ok(())
    })?;
    let mean = |(sum, count): &(f64, u32)| match count {
        0 => f32::NAN,
        count => (sum / f64::from(*count)) as f32,
    };
    let heights = Array2::from_shape_fn((rows, cols), |(row, col)| mean(&sums[row * cols + col]));
    let (origin, cell_size_m) = Georeference::north_up(
        path,
        heights.dim(),
        (west, north),
        (size, size),
        crs.clone(),
    )?;
    let mut notes = vec![counts.note(size)];
    notes.extend(
        options
            .height_unit
            .is_none()
            .then(|| note_of_unit(&crs))
            .flatten(),
    );
    // The size that the user names stays exact.
    let cell_size_m = options
        .cell_size_m
        .map_or(cell_size_m, |metres| (metres, metres));
    Ok(Heightmap {
        heights,
        cell_size_m,
        origin: Some(origin),
        notes,
    })
}

/// Checks that the tables that the library of points makes at once fit into the file and into the
/// memory limit.
fn check_tables(bytes: &[u8], path: &Path) -> Result<(), TerrainError> {
    let wrong = || {
        let found = "a table that is longer than the file";
        TerrainError::content(path, "points of a laser scan", found)
    };
    let number = |at: usize, count: usize| -> Option<u64> {
        let bytes = bytes.get(at..at.checked_add(count)?)?;
        Some(
            bytes
                .iter()
                .rev()
                .fold(0, |number, byte| number << 8 | u64::from(*byte)),
        )
    };
    let place = |number: Option<u64>| number.and_then(|number| usize::try_from(number).ok());
    if !bytes.starts_with(MAGIC) {
        return Err(TerrainError::content(
            path,
            "points of a laser scan",
            "another file",
        ));
    }
    let is_packed = number(104, 1).is_some_and(|format| format & 128 != 0);
    let has_long = number(25, 1) >= Some(4) && number(24, 1) == Some(1);
    let count = if has_long {
        number(247, 8)
    } else {
        number(107, 4)
    };
    let length = number(105, 2).unwrap_or_default();
    let all = count.and_then(|count| count.checked_mul(length.max(1)));
    let most = if is_packed {
        MOST_UNPACKED
    } else {
        bytes.len() as u64
    };
    if all.is_none_or(|all| all > most) {
        return Err(wrong());
    }
    // Extended records, of 60 bytes and what they name.
    if has_long {
        let mut at = place(number(235, 8)).unwrap_or_default();
        for _ in 0..number(243, 4).unwrap_or_default() {
            let length = place(number(at.saturating_add(20), 8)).ok_or_else(wrong)?;
            at = at.saturating_add(60).saturating_add(length);
            if at > bytes.len() {
                return Err(wrong());
            }
        }
    }
    // Table of the parts of a packed file: its place lies before the points.
    if is_packed {
        let first = place(number(96, 4)).ok_or_else(wrong)?;
        let table = place(number(first, 8)).filter(|at| *at < bytes.len());
        let parts = table.and_then(|at| place(number(at.saturating_add(4), 4)));
        MemoryEstimate::new(
            "the parts of the points",
            parts.unwrap_or_default(),
            BYTES_A_PART,
        )
        .check("pack the points again")
        .map_err(TerrainError::memory(path))?;
        if parts.is_some_and(|parts| parts > bytes.len()) {
            return Err(wrong());
        }
        let format = number(104, 1).unwrap_or_default() & 63;
        let layers = layers_of(format, length);
        let mut at = first.saturating_add(8);
        while let (Some(layers), Some(end)) = (layers, table.filter(|end| at < *end)) {
            // A part begins with a whole point and the number of its points.
            at = at.saturating_add(length as usize + 4);
            let sizes: Option<u64> = (0..layers)
                .map(|k| number(at.saturating_add(4 * k), 4))
                .sum();
            let size = place(sizes).ok_or_else(wrong)?;
            at = at.saturating_add(4 * layers).saturating_add(size);
            if at > end {
                return Err(wrong());
            }
        }
    }
    Ok(())
}

/// Returns the number of layers of a part of packed points of the format `format` and `length`
/// bytes; `None` for formats without layers (LASzip, versions below 3).
fn layers_of(format: u64, length: u64) -> Option<usize> {
    // Layers of a point, and its bytes; further bytes have a layer each.
    let (layers, bytes) = match format {
        6 => (9, 30),
        7 => (10, 36),
        8 => (11, 38),
        9 => (10, 59),
        10 => (12, 67),
        _ => return None,
    };
    Some(layers + length.saturating_sub(bytes) as usize)
}

/// Returns the coordinate system that the file states.
fn system(header: &Header) -> Crs {
    if let Some(text) = header.get_wkt_crs_bytes() {
        return Crs::from_wkt(String::from_utf8_lossy(text).trim_end_matches('\0'));
    }
    let keys = header.get_geotiff_crs().ok().flatten();
    let code = keys.and_then(|keys| {
        keys.get_projected_crs_geo_key_value()
            .map(|code| (3072, code))
            .or_else(|| {
                keys.get_geodetic_crs_geo_key_value()
                    .map(|code| (2048, code))
            })
    });
    code.map_or_else(Crs::default, |(key, code)| {
        Crs::from_geo_keys([
            (1024, GeoKey::Short(if key == 3072 { 1 } else { 2 })),
            (key, GeoKey::Short(code)),
        ])
    })
}

/// Points of a file in memory.
struct Points<'a> {
    bytes: Arc<[u8]>,
    path: &'a Path,
}

impl Points<'_> {
    fn wrong(&self, error: &las::Error) -> TerrainError {
        let found = escape_for_terminal(&error.to_string());
        TerrainError::content(self.path, "points of a laser scan", found)
    }

    fn reader(&self) -> Result<Reader, TerrainError> {
        Reader::new(Cursor::new(Arc::clone(&self.bytes))).map_err(|error| self.wrong(&error))
    }

    fn each(
        &self,
        mut see: impl FnMut(&Point) -> Result<(), TerrainError>,
    ) -> Result<(), TerrainError> {
        let mut reader = self.reader()?;
        let mut some = PointDataBuilder::new().for_header(reader.header()).build();
        let count = (BATCH / some.record_len().max(1)).max(1) as u64;
        while reader
            .fill_points(count, &mut some)
            .map_err(|error| self.wrong(&error))?
            > 0
        {
            for point in some.points() {
                let point = point.map_err(|error| self.wrong(&error))?;
                if !point.is_withheld && point.x.is_finite() && point.y.is_finite() {
                    see(&point)?;
                }
            }
        }
        Ok(())
    }

    /// Counts the points of the ground and all others but noise, and finds their extents.
    fn counted(&self) -> Result<Counts, TerrainError> {
        let mut counts = Counts::default();
        self.each(|point| {
            let class = u8::from(point.classification);
            if !NOISE.contains(&class) {
                counts.all.add(point);
            }
            if class == GROUND {
                counts.ground.add(point);
            }
            Ok(())
        })?;
        if counts.used() == 0 {
            let found = "none";
            return Err(TerrainError::content(
                self.path,
                "points of the ground",
                found,
            ));
        }
        Ok(counts)
    }
}

/// Number of points, and extent as west, south, east and north.
#[derive(Clone, Copy, Debug)]
struct Part {
    count: u64,
    extent: [f64; 4],
}

impl Default for Part {
    fn default() -> Self {
        Self {
            count: 0,
            extent: [f64::MAX, f64::MAX, f64::MIN, f64::MIN],
        }
    }
}

impl Part {
    fn add(&mut self, point: &Point) {
        let [west, south, east, north] = self.extent;
        self.count += 1;
        self.extent = [
            west.min(point.x),
            south.min(point.y),
            east.max(point.x),
            north.max(point.y),
        ];
    }
}

/// Points of the ground, and all but noise.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    ground: Part,
    all: Part,
}

impl Counts {
    fn part(&self) -> &Part {
        if self.ground.count > 0 {
            &self.ground
        } else {
            &self.all
        }
    }

    fn used(&self) -> u64 {
        self.part().count
    }

    fn extent(&self) -> [f64; 4] {
        self.part().extent
    }

    fn is_used(&self, point: &Point) -> bool {
        let class = u8::from(point.classification);
        if self.ground.count > 0 {
            class == GROUND
        } else {
            !NOISE.contains(&class)
        }
    }

    /// Returns the note for the user about the points of cells of `size` map units.
    fn note(&self, size: f64) -> String {
        let which = if self.ground.count > 0 {
            "points of the ground"
        } else {
            "points, none of which is said to be ground,"
        };
        format!(
            "means of {} {which} in cells of {} map units (--cell-size)",
            grouped(self.used()),
            short(size, 3)
        )
    }
}
