//! Contour lines and outlines of a map in raster positions (column, row): input of the vector
//! formats.

use std::path::Path;

use ndarray::Array2;

use super::maps::BYTES_OF_LINES;
use super::style::MapStyle;
use super::{Caption, ExportError, MEND, Provenance};
use lavoxel_base::memory::MemoryEstimate;
use lavoxel_geo::map::contour::Point;
use lavoxel_geo::map::outline::{Corner, Outline, edges, outlines};
use lavoxel_geo::map::{Site, contour, rounded};

/// Map values, labels and options: input for drawing a map as lines or polygons.
pub(super) struct Drawing<'a> {
    pub(super) caption: &'a Caption,
    /// Map values, axes (row, column); NaN where there is no data.
    pub(super) values: Array2<f64>,
    pub(super) style: &'a MapStyle,
    /// Values at which contour lines are drawn, in the unit of the map; `None` takes the values
    /// that the legend labels.
    pub(super) levels: Option<&'a [f64]>,
    /// Set if contour lines and outlines are smoothed by cutting corners.
    pub(super) smooth: bool,
    pub(super) about: &'a Provenance,
    pub(super) site: &'a Site,
}

/// Connected component of a footprint (cells connected by common edges), as polygon rings.
pub(super) struct Component {
    /// Outer ring, followed by the rings of holes; points are (column, row). Rings are closed
    /// without repeating the first point.
    pub(super) rings: Vec<Vec<Point>>,
    /// Number of cells in the connected component.
    pub(super) cells: usize,
}

impl Drawing<'_> {
    /// Fails if the points of the map's lines or polygons would exceed the memory limit. `a_point`:
    /// memory per point in bytes; `path`: output file, for the message.
    pub(super) fn check(&self, path: &Path, a_point: f64) -> Result<(), ExportError> {
        let points = if self.has_lines() {
            self.points_of_lines()
        } else {
            self.points_of_pieces()
        };
        self.weigh(points, a_point)
            .check(MEND)
            .map_err(ExportError::memory(path))
    }

    /// Estimates the memory of `points` points of lines or polygons, and of the map values from
    /// which these are traced. `a_point`: memory per point in bytes.
    pub(super) fn weigh(&self, points: usize, a_point: f64) -> MemoryEstimate {
        let points = MemoryEstimate::new("the lines of the map", points, a_point);
        points.and(MemoryEstimate::new(
            "the map",
            self.values.len(),
            BYTES_OF_LINES,
        ))
    }

    /// Returns true if the map is exported as contour lines, false if as outlines of a footprint.
    pub(super) fn has_lines(&self) -> bool {
        self.caption.above.is_none()
    }

    /// Returns an upper bound on the number of points of all contour lines of the map.
    fn points_of_lines(&self) -> usize {
        let values = self.values_of_lines();
        self.rounded(
            self.levels()
                .into_iter()
                .map(|level| contour::pieces(&values, level))
                .sum(),
        )
    }

    /// Returns an upper bound on the number of points of all outlines of the footprint.
    pub(super) fn points_of_pieces(&self) -> usize {
        self.rounded(edges(&self.covered()))
    }

    fn rounded(&self, sharp: usize) -> usize {
        if self.smooth {
            sharp * rounded::MOST
        } else {
            sharp
        }
    }

    /// Returns the map values from which contour lines are traced. If cells without the quantity
    /// have no data on the map (NaN), these cells have the value 0.
    fn values_of_lines(&self) -> Array2<f64> {
        let none_at_zero = self.style.none_at_zero;
        self.values.mapv(|value| {
            if none_at_zero && value.is_nan() {
                0.0
            } else {
                value
            }
        })
    }

    /// Returns for each cell of the map true if its value is shown in colour; axes (row, column).
    fn covered(&self) -> Array2<bool> {
        self.values.mapv(|value| self.style.shows(value))
    }

    /// Returns the values at which contour lines are drawn, ascending.
    fn levels(&self) -> Vec<f64> {
        let legend = || {
            let inside = |value: &f64| !self.style.none_at_zero || *value > 0.0;
            self.style
                .ticks()
                .into_iter()
                .map(|(value, _)| value)
                .filter(inside)
                .collect()
        };
        self.levels.map_or_else(legend, <[f64]>::to_vec)
    }

    /// Iterates over pairs (value, contour lines at that value), ascending; values without lines
    /// are skipped.
    pub(super) fn lines(&self) -> impl Iterator<Item = (f64, Vec<Vec<Point>>)> + '_ {
        let values = self.values_of_lines();
        let smooth = |line| {
            if self.smooth {
                rounded::line(line)
            } else {
                line
            }
        };
        let of_level = move |level| {
            let lines = contour::lines(&values, level)
                .into_iter()
                .filter(|line| line.len() > 1);
            (level, lines.map(smooth).collect::<Vec<_>>())
        };
        self.levels()
            .into_iter()
            .map(of_level)
            .filter(|(_, lines)| !lines.is_empty())
    }

    /// Iterates over the connected components of the cells that are shown in colour.
    pub(super) fn pieces(&self) -> impl Iterator<Item = Component> + '_ {
        let piece = |Outline {
                         outer,
                         holes,
                         cells,
                     }| {
            let sharp = |ring: &[Corner]| {
                ring.iter()
                    .map(|corner| corner.map(|along| along as f64))
                    .collect()
            };
            let points = |ring: &Vec<Corner>| {
                if self.smooth {
                    rounded::outline(ring)
                } else {
                    sharp(ring)
                }
            };
            Component {
                rings: std::iter::once(&outer).chain(&holes).map(points).collect(),
                cells,
            }
        };
        outlines(&self.covered()).into_iter().map(piece)
    }

    /// Returns the area of a cell of the map in m² on the ground.
    pub(super) fn cell_area_m2(&self) -> f64 {
        self.site.cell_size_m * self.site.cell_size_m
    }
}
