//! The lines and outlines of a map, in columns and rows of its raster: of what formats of lines and polygons are made.

use std::path::Path;

use ndarray::Array2;

use super::maps::BYTES_OF_LINES;
use super::style::MapStyle;
use super::{About, Caption, ExportError, MEND};
use lavoxel_base::memory::MemoryEstimate;
use lavoxel_geo::map::contour::Point;
use lavoxel_geo::map::outline::{Corner, Outline, edges, outlines};
use lavoxel_geo::map::{Site, contour, rounded};

/// A map to be drawn as lines or polygons.
pub(super) struct Drawing<'a> {
    pub(super) caption: &'a Caption,
    /// NaN where there is no data.
    pub(super) values: Array2<f64>,
    pub(super) style: &'a MapStyle,
    /// Of contour lines; those of the legend without it.
    pub(super) levels: Option<&'a [f64]>,
    /// Whether corners are rounded.
    pub(super) smooth: bool,
    pub(super) about: &'a About,
    pub(super) site: &'a Site,
}

/// A piece of a footprint.
pub(super) struct Piece {
    /// The outer ring and its holes; the last point of each is joined to the first, and not the same.
    pub(super) rings: Vec<Vec<Point>>,
    /// Number of its cells.
    pub(super) cells: usize,
}

impl Drawing<'_> {
    /// Checks what the lines or polygons take while they are written, at so many bytes a point.
    pub(super) fn check(&self, path: &Path, a_point: f64) -> Result<(), ExportError> {
        let points = if self.has_lines() { self.points_of_lines() } else { self.points_of_pieces() };
        self.weigh(points, a_point).check(MEND).map_err(ExportError::memory(path))
    }

    /// Memory of so many points and of the columns that they come from.
    pub(super) fn weigh(&self, points: usize, a_point: f64) -> MemoryEstimate {
        let points = MemoryEstimate::of("the lines of the map", points, a_point);
        points.and(MemoryEstimate::of("the map", self.values.len(), BYTES_OF_LINES))
    }

    /// Whether it is drawn by contour lines, and not by outlines.
    pub(super) fn has_lines(&self) -> bool {
        self.caption.above.is_none()
    }

    /// How many points the contour lines have at most.
    fn points_of_lines(&self) -> usize {
        let values = self.values_of_lines();
        self.rounded(self.levels().into_iter().map(|level| contour::pieces(&values, level)).sum())
    }

    /// How many points the outlines have at most.
    pub(super) fn points_of_pieces(&self) -> usize {
        self.rounded(edges(&self.covered()))
    }

    fn rounded(&self, sharp: usize) -> usize {
        if self.smooth { sharp * rounded::MOST } else { sharp }
    }

    /// The numbers between which contour lines run.
    fn values_of_lines(&self) -> Array2<f64> {
        let none_at_zero = self.style.none_at_zero;
        self.values.mapv(|value| if none_at_zero && value.is_nan() { 0.0 } else { value })
    }

    /// The cells that the map shows.
    fn covered(&self) -> Array2<bool> {
        self.values.mapv(|value| self.style.shows(value))
    }

    /// The levels of contour lines, rising.
    fn levels(&self) -> Vec<f64> {
        let legend = || {
            let inside = |value: &f64| !self.style.none_at_zero || *value > 0.0;
            self.style.ticks().into_iter().map(|(value, _)| value).filter(inside).collect()
        };
        self.levels.map_or_else(legend, <[f64]>::to_vec)
    }

    /// The contour lines of each level that has any.
    pub(super) fn lines(&self) -> impl Iterator<Item = (f64, Vec<Vec<Point>>)> + '_ {
        let values = self.values_of_lines();
        let smooth = |line| if self.smooth { rounded::line(line) } else { line };
        let of_level = move |level| {
            let lines = contour::lines(&values, level).into_iter().filter(|line| line.len() > 1);
            (level, lines.map(smooth).collect::<Vec<_>>())
        };
        self.levels().into_iter().map(of_level).filter(|(_, lines)| !lines.is_empty())
    }

    /// The pieces of what the map shows.
    pub(super) fn pieces(&self) -> impl Iterator<Item = Piece> + '_ {
        let piece = |Outline { outer, holes, cells }| {
            let sharp = |ring: &[Corner]| ring.iter().map(|corner| corner.map(|along| along as f64)).collect();
            let points = |ring: &Vec<Corner>| if self.smooth { rounded::outline(ring) } else { sharp(ring) };
            Piece { rings: std::iter::once(&outer).chain(&holes).map(points).collect(), cells }
        };
        outlines(&self.covered()).into_iter().map(piece)
    }

    /// Square metres of a cell.
    pub(super) fn cell_area_m2(&self) -> f64 {
        self.site.cell_size_m * self.site.cell_size_m
    }
}
