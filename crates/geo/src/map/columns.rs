//! Rasterisation of points, lines and polygons to the columns of the simulation box.

use super::compare::{Footprint, fill};
use super::features::Geometry;
use super::geojson::Rings;
use super::{Placement, Site};
use lavoxel_base::grid::line::{clipped, crossed};
use ndarray::Array2;

/// Returns the indices of the columns of the simulation box of `site` that a geometry in map
/// coordinates covers, ascending; and true if a part of the geometry lies outside of the box.
pub fn columns_of(geometry: &Geometry, site: &Site) -> (Vec<u32>, bool) {
    let mut found = Found {
        site,
        columns: Vec::new(),
        cut: false,
    };
    match geometry {
        Geometry::Points(points) => points
            .iter()
            .for_each(|point| found.add(site.cells_of(*point))),
        Geometry::Lines(lines) => lines
            .iter()
            .flat_map(|line| line.windows(2))
            .for_each(|pair| found.add_line(pair)),
        Geometry::Polygons(polygons) => polygons.iter().for_each(|rings| found.add_area(rings)),
    }
    found.once();
    found.columns.shrink_to_fit();
    (found.columns, found.cut)
}

struct Found<'a> {
    site: &'a Site,
    columns: Vec<u32>,
    cut: bool,
}

impl Found<'_> {
    /// Sorts the indices of the columns found so far, ascending, and removes duplicates.
    fn once(&mut self) {
        self.columns.sort_unstable();
        self.columns.dedup();
    }

    /// Returns the numbers of columns of the simulation box along x and along z.
    fn sides(&self) -> [f64; 2] {
        [self.site.grid.nx as f64, self.site.grid.nz as f64]
    }

    /// Adds the column that contains the point `[col, row]`, in cells from the north-west corner,
    /// to `columns`; sets `cut` if the point lies outside of the simulation box.
    fn add(&mut self, [col, row]: [f64; 2]) {
        let [nx, nz] = self.sides();
        if (0.0..nx).contains(&col) && (0.0..nz).contains(&row) {
            self.columns
                .push(self.site.grid.column(col as usize, row as usize) as u32);
        } else {
            self.cut = true;
        }
    }

    /// Adds the columns that the line between the two points of `pair` (in map coordinates) crosses
    /// to `columns`; the line is clipped to the simulation box.
    fn add_line(&mut self, pair: &[[f64; 2]]) {
        let [a, b] = [pair[0], pair[1]].map(|point| self.site.cells_of(point));
        let Some([from, to]) = clipped([a, b], self.sides()) else {
            self.cut = true;
            return;
        };
        self.cut |= [from, to] != [0.0, 1.0];
        let crossed = crossed([a, b], self.site.grid);
        self.columns.extend(
            crossed
                .into_iter()
                .map(|[x, z]| self.site.grid.column(x, z) as u32),
        );
    }

    /// Adds the columns whose centres lie inside a polygon to `columns`; if the polygon contains no
    /// column centre, adds the columns of the polygon's vertices.
    fn add_area(&mut self, rings: &Rings) {
        let cells = |ring: &Vec<[f64; 2]>| {
            ring.iter()
                .map(|point| self.site.cells_of(*point))
                .collect()
        };
        let rings: Rings = rings.iter().map(cells).collect();
        let points = || rings.iter().flatten();
        let [nx, nz] = self.sides();
        self.cut |=
            points().any(|[col, row]| !(0.0..=nx).contains(col) || !(0.0..=nz).contains(row));
        let low = |k: usize, most: f64| {
            points()
                .map(|point| point[k])
                .fold(most, f64::min)
                .floor()
                .clamp(0.0, most)
        };
        let high = |k: usize, most: f64| {
            points()
                .map(|point| point[k])
                .fold(0.0, f64::max)
                .ceil()
                .clamp(0.0, most)
        };
        let ([west, north], [east, south]) = ([low(0, nx), low(1, nz)], [high(0, nx), high(1, nz)]);
        let (cols, rows) = (
            (east - west).max(0.0) as usize,
            (south - north).max(0.0) as usize,
        );
        // Rows of a raster run southwards, so that y changes its sign.
        let place = Placement {
            cols,
            rows,
            west,
            north: -north,
            cell: (1.0, 1.0),
        };
        let mut inside = Footprint {
            place,
            inside: Array2::default((rows, cols)),
        };
        let upwards: Rings = rings
            .iter()
            .map(|ring| ring.iter().map(|[col, row]| [*col, -row]).collect())
            .collect();
        fill(&mut inside, &upwards);
        let before = self.columns.len();
        for ((row, col), _) in inside.inside.indexed_iter().filter(|(_, inside)| **inside) {
            self.columns.push(
                self.site
                    .grid
                    .column(west as usize + col, north as usize + row) as u32,
            );
        }
        if self.columns.len() == before {
            let was_cut = self.cut;
            points().for_each(|point| self.add(*point));
            self.cut |= was_cut;
        }
        // Overlapping parts take no more memory than one.
        if self.columns.len() > 2 * self.site.grid.columns() {
            self.once();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_walked_in_the_box_alone() {
        // Over this distance, a walk step by step would never end.
        let far = Geometry::Lines(vec![vec![[-1e15, 55.0], [1e15, 55.0]]]);
        let grid = lavoxel_base::grid::Grid::new(20, 10, 10);
        let site = Site {
            grid,
            cell_size_m: 10.0,
            floor_m: 0.0,
            vertical_exaggeration: 1.0,
            georeference: None,
        };
        let (columns, cut) = columns_of(&far, &site);
        assert_eq!((columns.len(), cut), (20, true));
    }
}
