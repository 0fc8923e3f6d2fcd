//! Reader of points on a grid as text (`.xyz`): one line per point with its coordinates and height,
//! in any order.
//!
//! ```text
//! x y z
//! 445005 4175095 812.4
//! 445015 4175095 813.1
//! ```
//!
//! Fields are separated by blanks, or by what the first line contains outside of quotation marks
//! (`;`, tab, comma); with another separator than a comma, a comma within a number is a decimal
//! comma. A first line with words is a heading; lines that begin with `#` are comments. Points are
//! the middles of cells; cells without a point have no data. A `.prj` file next to the points
//! states their coordinate system.
//!
//! The file is read twice, first for the grid: its extent, and the spacing, which is the mean of
//! the smallest steps between successive points.

use std::io::BufRead;
use std::path::Path;

use ndarray::Array2;

use super::csv::{fields, next_line};
use super::read::{LoadOptions, open};
use super::sidecar::Sidecars;
use super::tokens::decimal;
use crate::terrain::error::checked_samples;
use crate::terrain::{Crs, Georeference, Heightmap, TerrainError};
use lavoxel_base::validate::quoted;
use lavoxel_files::table::{separator_of, with_point};

/// Largest distance of a point from the middle of its cell, in cells.
const OFF: f64 = 0.1;
/// Largest number of cells of the grid per point; scattered points have more.
const SPARSEST: usize = 16;
/// Number of fields of a point that are read.
const READ: usize = 3;

/// Reads points on a grid.
///
/// # Errors
/// Names the line, and the expected content. The grid is checked against the memory limit before
/// its heights are stored.
pub(super) fn read(path: &Path, options: &LoadOptions) -> Result<Heightmap, TerrainError> {
    let sidecars = Sidecars::read(path)?;
    let crs = options.understood(path, sidecars.system(Crs::default()))?;
    let grid = PointGrid::find(path)?;
    let samples = checked_samples(path, grid.shape(), u64::MAX, 0.0)?;
    if samples > SPARSEST * grid.points {
        let found = format!(
            "{} points for {} × {} cells; for scattered points: gdal_grid",
            grid.points,
            grid.shape().0,
            grid.shape().1
        );
        return Err(TerrainError::content(path, "points on a grid", found));
    }
    let (cols, rows) = grid.shape();
    let values = sidecars.heights(options, path)?;
    let mut heights = Array2::from_elem((rows, cols), f32::NAN);
    let mut points = Points::open(path)?;
    while let Some(point) = points.next()? {
        let wrong =
            |expected: &str, found: String| TerrainError::text(path, points.line, expected, found);
        let cell = grid.cell(point).ok_or_else(|| {
            let expected = "a point on the grid of the others; for scattered points: gdal_grid";
            wrong(expected, format!("{}, {}", point[0], point[1]))
        })?;
        let metres = values.metres(point[2]).ok_or_else(|| {
            let expected =
                "a height within ±100 km, or the sign for no data named (no_data, or --no-data)";
            wrong(expected, point[2].to_string())
        })?;
        let height = &mut heights[cell];
        if !height.is_nan() && *height != metres {
            return Err(wrong(
                "one height per place",
                format!("{metres} m after {height} m"),
            ));
        }
        *height = metres;
    }
    values.check(&heights, path)?;
    let (origin, cell_size_m) =
        Georeference::north_up(path, heights.dim(), grid.corner(), grid.size(), crs)?;
    let notes = points
        .extra
        .then(|| "fields of the points behind the third are not read".to_owned());
    Ok(Heightmap {
        heights,
        cell_size_m,
        origin: Some(origin),
        notes: notes.into_iter().collect(),
    })
}

/// Points of a file, one line after the other.
struct Points<'a, R> {
    reader: R,
    path: &'a Path,
    /// Number of the line that was read last, from 1.
    line: usize,
    text: Vec<u8>,
    /// Separator of fields; `None` for blanks. Found in the first line.
    separator: Option<Option<char>>,
    /// Set if any line has more fields than are read.
    extra: bool,
}

impl<'a> Points<'a, Box<dyn BufRead>> {
    fn open(path: &'a Path) -> Result<Self, TerrainError> {
        let (reader, _) = open(path)?;
        Ok(Self {
            reader: Box::new(reader),
            path,
            line: 0,
            text: Vec::new(),
            separator: None,
            extra: false,
        })
    }
}

impl<R: BufRead> Points<'_, R> {
    /// Returns the next point as x, y and height in the units of the file; `None` at the end.
    fn next(&mut self) -> Result<Option<[f64; 3]>, TerrainError> {
        while next_line(&mut self.reader, &mut self.text, self.path, self.line + 1)? {
            self.line += 1;
            let text = std::str::from_utf8(&self.text)
                .ok()
                .filter(|text| !text.contains('\0'));
            let expected = "a point: x, y and height";
            let wrong = |found: String| TerrainError::text(self.path, self.line, expected, found);
            let text = text.ok_or_else(|| wrong("binary data".to_owned()))?;
            let text = text.trim_start_matches('\u{feff}').trim();
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            let is_first = self.separator.is_none();
            let separator = *self
                .separator
                .get_or_insert_with(|| Some(separator_of(text)).filter(|c| text.contains(*c)));
            let found: Vec<&str> = match separator {
                Some(separator) => fields(text, separator).take(READ + 1).collect(),
                None => text.split_whitespace().take(READ + 1).collect(),
            };
            self.extra |= found.len() > READ;
            let comma = separator.is_some_and(|separator| separator != ',');
            let number = |field: &&str| decimal(&with_point(field, comma));
            let numbers: Vec<f64> = found.iter().take(READ).map_while(number).collect();
            match numbers[..] {
                [x, y, height] if x.is_finite() && y.is_finite() => {
                    return Ok(Some([x, y, height]));
                }
                _ if is_first && text.contains(char::is_alphabetic) => {}
                _ => return Err(wrong(quoted(text))),
            }
        }
        Ok(None)
    }
}

/// Extent and spacing along one axis, as far as points were read.
#[derive(Clone, Copy, Debug)]
struct Span {
    low: f64,
    high: f64,
    last: f64,
    /// Sum and number of the smallest steps between successive points.
    steps: (f64, f64),
}

impl Span {
    fn new(first: f64) -> Self {
        Self {
            low: first,
            high: first,
            last: first,
            steps: (0.0, 0.0),
        }
    }

    fn add(&mut self, value: f64) {
        (self.low, self.high) = (self.low.min(value), self.high.max(value));
        let step = (value - self.last).abs();
        self.last = value;
        // Rounding of the text changes every step a little; their mean is exact.
        let mean = self.step().unwrap_or(f64::INFINITY);
        if step > 0.0 && step < 0.75 * mean {
            self.steps = (step, 1.0);
        } else if step > 0.0 && step < 1.25 * mean {
            self.steps = (self.steps.0 + step, self.steps.1 + 1.0);
        }
    }

    fn step(&self) -> Option<f64> {
        (self.steps.1 > 0.0).then(|| self.steps.0 / self.steps.1)
    }

    /// Number of points along the axis, and their exact spacing.
    fn points(&self, path: &Path) -> Result<(usize, f64), TerrainError> {
        let step = self
            .step()
            .ok_or_else(|| TerrainError::content(path, "points on a grid", "points on one line"))?;
        let steps = ((self.high - self.low) / step).round();
        Ok((
            (steps as usize).saturating_add(1),
            (self.high - self.low) / steps,
        ))
    }
}

/// Grid of the points of a file.
struct PointGrid {
    /// West and north of the middles of the outer cells.
    west: f64,
    north: f64,
    /// Number of cells and their size along x and y.
    x: (usize, f64),
    y: (usize, f64),
    /// Number of points in the file.
    points: usize,
}

impl PointGrid {
    /// Reads the points of the file at `path` for their grid.
    fn find(path: &Path) -> Result<Self, TerrainError> {
        let mut points = Points::open(path)?;
        let first = points.next()?;
        let [x, y, _] =
            first.ok_or_else(|| TerrainError::content(path, "points on a grid", "no points"))?;
        let (mut along, mut across, mut count) = (Span::new(x), Span::new(y), 1);
        while let Some([x, y, _]) = points.next()? {
            along.add(x);
            across.add(y);
            count += 1;
        }
        Ok(Self {
            west: along.low,
            north: across.high,
            x: along.points(path)?,
            y: across.points(path)?,
            points: count,
        })
    }

    /// Number of columns and rows.
    fn shape(&self) -> (usize, usize) {
        (self.x.0, self.y.0)
    }

    /// Width and depth of a cell.
    fn size(&self) -> (f64, f64) {
        (self.x.1, self.y.1)
    }

    /// Coordinates of the north-west corner of the outer cell.
    fn corner(&self) -> (f64, f64) {
        (self.west - 0.5 * self.x.1, self.north + 0.5 * self.y.1)
    }

    /// Returns row and column of the cell in whose middle `point` lies; `None` beside the middles.
    fn cell(&self, point: [f64; 3]) -> Option<(usize, usize)> {
        let index = |from: f64, (count, size): (usize, f64)| {
            let at = from / size;
            let near = at.round();
            let is_in = near >= 0.0 && (near as usize) < count && (at - near).abs() <= OFF;
            is_in.then_some(near as usize)
        };
        Some((
            index(self.north - point[1], self.y)?,
            index(point[0] - self.west, self.x)?,
        ))
    }
}
