//! Contour lines and outlines of a map in raster positions (column, row); input of the vector
//! formats.

use std::path::Path;

use ndarray::Array2;

use super::maps::BYTES_OF_LINES;
use super::style::MapStyle;
use super::{About, Caption, ExportError, MEND};
use lavoxel_base::memory::MemoryEstimate;
use lavoxel_geo::map::contour::Point;
use lavoxel_geo::map::outline::{Corner, Outline, edges, outlines};
use lavoxel_geo::map::{Site, contour, rounded};

/// Map that is exported as lines or polygons.
pub(super) struct Drawing<'a> {
    pub(super) caption: &'a Caption,
    /// Values, axes (row, column); NaN where there is no data.
    pub(super) values: Array2<f64>,
    pub(super) style: &'a MapStyle,
    /// Contour levels; `None` takes the values of the legend.
    pub(super) levels: Option<&'a [f64]>,
    /// Smoothing flag: lines and outlines are smoothed by corner cutting.
    pub(super) smooth: bool,
    pub(super) about: &'a About,
    pub(super) site: &'a Site,
}

/// Connected component of a footprint.
pub(super) struct Piece {
    /// Outer ring, then holes; implicitly closed: the first point is not repeated.
    pub(super) rings: Vec<Vec<Point>>,
    /// Number of cells.
    pub(super) cells: usize,
}

impl Drawing<'_> {
    /// Fails if writing the lines or polygons at `a_point` bytes per point would exceed the memory
    /// limit.
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

    /// Estimates the memory of `points` points at `a_point` bytes each, plus the columns from which
    /// the points are traced.
    pub(super) fn weigh(&self, points: usize, a_point: f64) -> MemoryEstimate {
        let points = MemoryEstimate::of("the lines of the map", points, a_point);
        points.and(MemoryEstimate::of(
            "the map",
            self.values.len(),
            BYTES_OF_LINES,
        ))
    }

    /// Returns true if the map is exported as contour lines, false if as outlines.
    pub(super) fn has_lines(&self) -> bool {
        self.caption.above.is_none()
    }

    /// Returns an upper bound on the points of the contour lines.
    fn points_of_lines(&self) -> usize {
        let values = self.values_of_lines();
        self.rounded(
            self.levels()
                .into_iter()
                .map(|level| contour::pieces(&values, level))
                .sum(),
        )
    }

    /// Returns an upper bound on the points of the outlines.
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

    /// Returns the values for contour tracing; NaN becomes 0 if 0 means absence.
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

    /// Returns the mask of cells with a shown value.
    fn covered(&self) -> Array2<bool> {
        self.values.mapv(|value| self.style.shows(value))
    }

    /// Returns the contour levels in ascending order.
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

    /// Iterates over the contour levels that have lines, each with its lines.
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

    /// Iterates over the connected components of the shown area.
    pub(super) fn pieces(&self) -> impl Iterator<Item = Piece> + '_ {
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
            Piece {
                rings: std::iter::once(&outer).chain(&holes).map(points).collect(),
                cells,
            }
        };
        outlines(&self.covered()).into_iter().map(piece)
    }

    /// Returns the area of a cell in m².
    pub(super) fn cell_area_m2(&self) -> f64 {
        self.site.cell_size_m * self.site.cell_size_m
    }
}
