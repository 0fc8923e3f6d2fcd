//! Measures of the agreement of two footprints, and the reach and length of a footprint.
//!
//! A is the judged footprint and B the reference, such as a simulated and an observed flow:
//!
//! | measure | definition | 1 means |
//! |---|---|---|
//! | fit | √(∩ / ∪) | the same cells |
//! | Jaccard | ∩ / ∪ | the same cells |
//! | precision | ∩ / A | A covers nothing that B does not |
//! | recall | ∩ / B | A covers all of B |

use ndarray::Array2;

use super::Placement;

/// Point of a map as [x, y], in map units.
type Point = [f64; 2];

/// Numbers of cells that two footprints A and B cover on the same raster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Agreement {
    /// Number of raster cells that footprint A covers.
    pub a: usize,
    /// Number of raster cells that footprint B covers.
    pub b: usize,
    /// Number of raster cells that both footprints cover (intersection).
    pub both: usize,
}

impl Agreement {
    /// Counts the cells of the footprints `a` and `b`, given as masks, and of their intersection.
    ///
    /// # Panics
    /// When the masks have different shapes.
    pub fn new(a: &Array2<bool>, b: &Array2<bool>) -> Self {
        assert_eq!(a.dim(), b.dim(), "both footprints are on one raster");
        let count = |mask: &Array2<bool>| mask.iter().filter(|inside| **inside).count();
        Self {
            a: count(a),
            b: count(b),
            both: a.iter().zip(b).filter(|(a, b)| **a && **b).count(),
        }
    }

    /// Returns the number of raster cells that at least one footprint covers (union).
    pub fn either(&self) -> usize {
        self.a + self.b - self.both
    }

    /// Returns the fit √(∩ / ∪), 0 to 1; `None` if both footprints are empty.
    pub fn fit(&self) -> Option<f64> {
        self.jaccard().map(f64::sqrt)
    }

    /// Returns the Jaccard index ∩ / ∪, 0 to 1; `None` if both footprints are empty.
    pub fn jaccard(&self) -> Option<f64> {
        share(self.both, self.either())
    }

    /// Returns the precision ∩ / A, 0 to 1; `None` if A is empty.
    pub fn precision(&self) -> Option<f64> {
        share(self.both, self.a)
    }

    /// Returns the recall ∩ / B, 0 to 1; `None` if B is empty.
    pub fn recall(&self) -> Option<f64> {
        share(self.both, self.b)
    }
}

fn share(part: usize, whole: usize) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// Footprint as a boolean mask on a georeferenced raster.
#[derive(Clone, Debug, PartialEq)]
pub struct Footprint {
    /// Position and cell size of the footprint's raster on the map.
    pub place: Placement,
    /// True for cells of the footprint; shape (rows, cols), row 0 north, column 0 west.
    pub inside: Array2<bool>,
}

impl Footprint {
    /// Returns the bounding box [west, south, east, north] of the footprint's cells in map units;
    /// `None` for an empty footprint.
    pub fn bounds(&self) -> Option<[f64; 4]> {
        let cells = self.inside.indexed_iter().filter(|(_, inside)| **inside);
        let [w, n, e, s] = cells.fold(
            [usize::MAX, usize::MAX, 0, 0],
            |[w, n, e, s], ((row, col), _)| {
                [w.min(col), n.min(row), e.max(col + 1), s.max(row + 1)]
            },
        );
        let [west, south] = self.place.at([w as f64, s as f64]);
        let [east, north] = self.place.at([e as f64, n as f64]);
        (e > 0).then_some([west, south, east, north])
    }

    /// Returns true if the cell that contains the map point `[x, y]` belongs to the footprint.
    pub fn contains(&self, point: Point) -> bool {
        let cell = self.place.cell_of(point);
        cell.and_then(|cell| self.inside.get(cell)) == Some(&true)
    }

    /// Returns a copy of the footprint on the raster `place`. A cell of `place` belongs to the copy
    /// if its centre lies in a cell of this footprint.
    pub fn onto(&self, place: Placement) -> Self {
        let (xs, ys): (Vec<f64>, Vec<f64>) = (place.xs().collect(), place.ys().collect());
        let inside = Array2::from_shape_fn((place.rows, place.cols), |(row, col)| {
            self.contains([xs[col], ys[row]])
        });
        Self { place, inside }
    }

    /// Iterates over the centres of the footprint's cells, in map units.
    fn middles(&self) -> impl Iterator<Item = Point> + '_ {
        let cells = self.inside.indexed_iter().filter(|(_, inside)| **inside);
        cells.map(|(cell, _)| self.place.middle(cell))
    }

    /// Returns the largest distance in metres from the map point `from` to a cell centre of the
    /// footprint; `None` for an empty footprint. `metres`: metres on the ground per map unit along
    /// x and y.
    pub fn reach(&self, from: Point, metres: (f64, f64)) -> Option<f64> {
        self.middles()
            .map(|middle| distance(from, middle, metres))
            .max_by(f64::total_cmp)
    }

    /// Returns the largest distance in metres between two cell centres of the footprint; `None` for
    /// an empty footprint. `metres`: metres on the ground per map unit along x and y.
    pub fn length(&self, metres: (f64, f64)) -> Option<f64> {
        // The farthest points are the first or the last ones of their rows.
        let mut ends = Vec::new();
        for (row, cells) in self.inside.outer_iter().enumerate() {
            let first = cells.iter().position(|inside| *inside);
            let last = cells.iter().rposition(|inside| *inside);
            let both = first.into_iter().chain(last);
            ends.extend(both.map(|col| self.place.middle((row, col))));
        }
        let hull = hull(&ends);
        let pairs = hull
            .iter()
            .flat_map(|a| hull.iter().map(move |b| distance(*a, *b, metres)));
        pairs.max_by(f64::total_cmp)
    }
}

fn distance(a: Point, b: Point, metres: (f64, f64)) -> f64 {
    ((a[0] - b[0]) * metres.0).hypot((a[1] - b[1]) * metres.1)
}

/// Returns the vertices of the convex hull of `points`, by Andrew's monotone chain.
fn hull(points: &[Point]) -> Vec<Point> {
    let turn = |a: Point, b: Point, c: Point| {
        (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
    };
    let mut sorted = points.to_vec();
    sorted.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    let chain = |points: &mut dyn Iterator<Item = Point>| {
        let mut chain: Vec<Point> = Vec::new();
        for point in points {
            while chain.len() > 1
                && turn(chain[chain.len() - 2], chain[chain.len() - 1], point) <= 0.0
            {
                chain.pop();
            }
            chain.push(point);
        }
        chain
    };
    let mut hull = chain(&mut sorted.iter().copied());
    hull.extend(chain(&mut sorted.iter().rev().copied()));
    hull
}

/// Returns the raster `place` extended on its four sides by whole cells until it covers the bounds
/// [west, south, east, north] in map units; `None` if the extended raster would have more than
/// `most` cells.
pub fn covering(
    place: &Placement,
    [west, south, east, north]: [f64; 4],
    most: usize,
) -> Option<Placement> {
    let Placement {
        cols, rows, cell, ..
    } = *place;
    // A thousandth of a cell allows for the arithmetic of programs that wrote the coordinates.
    let cells = |length: f64, cell: f64| (length / cell - 1e-3).ceil().max(0.0);
    let (w, n) = (
        cells(place.west - west, cell.0),
        cells(north - place.north, cell.1),
    );
    let e = cells(east - (place.west + cols as f64 * cell.0), cell.0);
    let s = cells(place.south() - south, cell.1);
    let (wide, high) = (cols as f64 + w + e, rows as f64 + n + s);
    (wide * high <= most as f64).then_some(Placement {
        cols: wide as usize,
        rows: high as usize,
        west: place.west - w * cell.0,
        north: place.north + n * cell.1,
        cell,
    })
}

/// Adds to `footprint` the cells whose centres lie in a polygon with the rings `rings` (points in
/// map units), by the even-odd rule.
pub fn fill(footprint: &mut Footprint, rings: &[Vec<Point>]) {
    let Placement {
        cols,
        rows,
        west,
        north,
        cell,
    } = footprint.place;
    let mut crossings: Vec<Vec<f64>> = vec![Vec::new(); rows];
    for ring in rings {
        for (a, b) in ring.iter().zip(ring.iter().cycle().skip(1)) {
            let (low, high) = if a[1] < b[1] { (a, b) } else { (b, a) };
            // Rows whose centres lie from the lower end up to below the upper end.
            let row_of = |y: f64| ((north - y) / cell.1 - 0.5).clamp(-1.0, rows as f64);
            let (first, last) = (
                row_of(high[1]).floor() as i64 + 1,
                row_of(low[1]).floor() as i64,
            );
            for row in first.max(0)..=last.min(rows as i64 - 1) {
                let y = north - (row as f64 + 0.5) * cell.1;
                let x = low[0] + (y - low[1]) / (high[1] - low[1]) * (high[0] - low[0]);
                crossings[row as usize].push(x);
            }
        }
    }
    for (row, mut xs) in crossings.into_iter().enumerate() {
        xs.sort_by(f64::total_cmp);
        for pair in xs.chunks_exact(2) {
            let col_of =
                |x: f64| ((x - west) / cell.0 - 0.5).ceil().clamp(0.0, cols as f64) as usize;
            (col_of(pair[0])..col_of(pair[1])).for_each(|col| footprint.inside[[row, col]] = true);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(cols: usize, rows: usize) -> Placement {
        Placement {
            cols,
            rows,
            west: 100.0,
            north: 200.0,
            cell: (2.0, 2.0),
        }
    }

    fn empty(place: Placement) -> Footprint {
        Footprint {
            place,
            inside: Array2::from_elem((place.rows, place.cols), false),
        }
    }

    fn rectangle([west, south, east, north]: [f64; 4]) -> Vec<Point> {
        vec![
            [west, south],
            [east, south],
            [east, north],
            [west, north],
            [west, south],
        ]
    }

    #[test]
    fn measures_are_those_of_their_definitions() {
        let (mut a, mut b) = (empty(place(10, 10)), empty(place(10, 10)));
        fill(&mut a, &[rectangle([100.0, 180.0, 112.0, 200.0])]);
        fill(&mut b, &[rectangle([108.0, 180.0, 120.0, 200.0])]);
        let found = Agreement::new(&a.inside, &b.inside);
        assert_eq!(
            found,
            Agreement {
                a: 60,
                b: 60,
                both: 20
            }
        );
        assert_eq!(
            (found.either(), found.jaccard(), found.fit()),
            (100, Some(0.2), Some(0.2_f64.sqrt()))
        );
        assert_eq!(
            (found.precision(), found.recall()),
            (Some(1.0 / 3.0), Some(1.0 / 3.0))
        );
        let none = Agreement {
            a: 0,
            b: 4,
            both: 0,
        };
        assert_eq!(
            (none.precision(), none.recall(), none.fit()),
            (None, Some(0.0), Some(0.0))
        );
        assert_eq!(
            Agreement {
                a: 0,
                b: 0,
                both: 0
            }
            .fit(),
            None
        );
    }

    #[test]
    fn polygons_take_the_cells_whose_middles_they_hold() {
        let mut with_hole = empty(place(10, 10));
        fill(
            &mut with_hole,
            &[
                rectangle([100.0, 180.0, 120.0, 200.0]),
                rectangle([104.0, 184.0, 108.0, 188.0]),
            ],
        );
        assert_eq!(
            with_hole.inside.iter().filter(|inside| **inside).count(),
            96
        );
        assert!(
            !with_hole.contains([105.0, 185.0])
                && with_hole.contains([101.0, 199.0])
                && !with_hole.contains([99.0, 199.0])
        );
        // A circle, exact up to half of a cell's width around the border.
        let mut circle = empty(Placement {
            cell: (0.1, 0.1),
            ..place(200, 200)
        });
        let at = |i: u32| (f64::from(i) / 500.0 * std::f64::consts::TAU).sin_cos();
        fill(
            &mut circle,
            &[(0..500)
                .map(at)
                .map(|(s, c)| [110.0 + 8.0 * c, 190.0 + 8.0 * s])
                .collect()],
        );
        let area = 0.01 * circle.inside.iter().filter(|inside| **inside).count() as f64;
        assert!(
            (area / (std::f64::consts::PI * 64.0) - 1.0).abs() < 0.002,
            "{area}"
        );
        // Outside of the raster, upside down, without height, far away.
        let mut clipped = empty(place(2, 2));
        let far = [
            [-1e300, -1e300],
            [1e300, -1e300],
            [1e300, 1e300],
            [-1e300, 1e300],
        ];
        fill(&mut clipped, &[far.to_vec(), vec![[0.0, 5.0], [9.0, 5.0]]]);
        assert_eq!(clipped.inside.iter().filter(|inside| **inside).count(), 4);
    }

    #[test]
    fn reach_and_length_are_in_metres() {
        let mut bar = empty(place(10, 10));
        fill(&mut bar, &[rectangle([102.0, 196.0, 110.0, 198.0])]);
        assert_eq!(bar.reach([103.0, 197.0], (1.0, 1.0)), Some(6.0));
        assert_eq!(
            (bar.length((1.0, 1.0)), bar.length((3.0, 1.0))),
            (Some(6.0), Some(18.0))
        );
        assert_eq!(empty(place(3, 3)).length((1.0, 1.0)), None);
        let mut square = empty(place(10, 10));
        fill(&mut square, &[rectangle([100.0, 180.0, 120.0, 200.0])]);
        assert!(
            square
                .length((1.0, 1.0))
                .is_some_and(|length| (length - 18.0 * 2.0_f64.sqrt()).abs() < 1e-9)
        );
    }

    #[test]
    fn a_raster_grows_by_whole_cells() {
        let grown = covering(&place(10, 10), [95.0, 179.9, 120.0, 201.0], 1000).expect("few cells");
        assert_eq!(
            grown,
            Placement {
                cols: 13,
                rows: 12,
                west: 94.0,
                north: 202.0,
                cell: (2.0, 2.0)
            }
        );
        assert_eq!(
            covering(&place(10, 10), [101.0, 190.0, 110.0, 195.0], 1000),
            Some(place(10, 10))
        );
        assert_eq!(
            covering(&place(10, 10), [0.0, 0.0, 1e9, 1e9], 1 << 26),
            None
        );
        assert_eq!(
            covering(&place(10, 10), [f64::NAN, 0.0, f64::INFINITY, 1.0], 1 << 26),
            None
        );
    }

    #[test]
    fn a_footprint_comes_onto_another_raster_by_the_nearest_cell() {
        let mut coarse = empty(place(4, 4));
        fill(&mut coarse, &[rectangle([102.0, 194.0, 106.0, 198.0])]);
        assert_eq!(coarse.bounds(), Some([102.0, 194.0, 106.0, 198.0]));
        let fine = coarse.onto(Placement {
            cell: (0.5, 0.5),
            ..place(16, 16)
        });
        assert_eq!(
            (
                fine.bounds(),
                fine.inside.iter().filter(|inside| **inside).count()
            ),
            (coarse.bounds(), 64)
        );
        assert_eq!(empty(place(2, 2)).bounds(), None);
    }
}
