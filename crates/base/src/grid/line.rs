//! Polylines across the columns of the simulation box, such as fissures and barriers.

use super::Grid;

/// Polyline of points (x, z) in cells; a single point is allowed.
#[derive(Clone, Debug, PartialEq)]
pub struct Line(Vec<[f64; 2]>);

impl Line {
    /// Creates a polyline from its `first` point (x, z) and the offsets of the `further` points
    /// relative to `first`, all in cells.
    pub fn new(first: [f64; 2], further: &[[f64; 2]]) -> Self {
        let further = further
            .iter()
            .map(|point| [first[0] + point[0], first[1] + point[1]]);
        Self(std::iter::once(first).chain(further).collect())
    }

    /// Points (x, z) of the polyline, in cells.
    pub fn points(&self) -> &[[f64; 2]] {
        &self.0
    }

    /// Iterates over the segments of the polyline; a single point yields one segment of length 0.
    fn pieces(&self) -> impl Iterator<Item = [[f64; 2]; 2]> + '_ {
        let ends = if self.0.len() == 1 {
            &self.0[..]
        } else {
            &self.0[1..]
        };
        self.0
            .iter()
            .copied()
            .zip(ends.iter().copied())
            .map(<[_; 2]>::from)
    }

    /// Length of the polyline in cells.
    pub fn length(&self) -> f64 {
        self.pieces().map(length).sum()
    }

    /// Upper bound of the number of columns of `grid` within `radius` cells of the polyline.
    pub fn most_columns(&self, radius: f64, grid: Grid) -> f64 {
        let across = 2.0 * radius + 2.0;
        (across * (across + std::f64::consts::SQRT_2 * self.length())).min(grid.columns() as f64)
    }

    /// Returns true if the column that contains the point (x, z) is among [`Line::columns`] for the
    /// same `radius` (cells).
    pub fn contains(&self, radius: f64, [x, z]: [f64; 2]) -> bool {
        let (column, middle) = (
            [x, z].map(|v| v.max(0.0) as usize),
            [x.floor() + 0.5, z.floor() + 0.5],
        );
        let box_of = Grid {
            nx: column[0] + 2,
            ny: 1,
            nz: column[1] + 2,
        };
        let crosses = |piece| crossed(piece, box_of).contains(&column);
        x >= 0.0
            && z >= 0.0
            && self
                .pieces()
                .any(|piece| is_near(piece, radius, middle) || crosses(piece))
    }

    /// Returns the point (x, z), in cells, at the fraction `share` (0–1) of the polyline's length.
    pub fn point(&self, share: f64) -> [f64; 2] {
        let mut left = share * self.length();
        for piece in self.pieces() {
            let long = length(piece);
            if left <= long && long > 0.0 {
                return along(piece, left / long);
            }
            left -= long;
        }
        self.0[self.0.len() - 1]
    }

    /// Columns (x, z) of `grid` whose centres lie within `radius` cells of the polyline, and all
    /// columns that the polyline crosses. Order: rows from north to south, each from west to east;
    /// no duplicates.
    pub fn columns(&self, radius: f64, grid: Grid) -> Vec<(usize, usize)> {
        let (mut columns, mut most) = (Vec::new(), 0);
        for piece in self.pieces() {
            columns.extend(columns_near(piece, radius, grid));
            // Segments share columns: duplicates are removed whenever the list has doubled, to
            // bound its memory.
            if columns.len() > 2 * most {
                ordered(&mut columns);
                most = columns.len();
            }
        }
        ordered(&mut columns);
        columns
    }
}

/// Sorts `columns` (x, z) row by row from north to south, each row from west to east, and removes
/// duplicates.
fn ordered(columns: &mut Vec<(usize, usize)>) {
    columns.sort_unstable_by_key(|&(x, z)| (z, x));
    columns.dedup();
}

fn length([[ax, az], [bx, bz]]: [[f64; 2]; 2]) -> f64 {
    (bx - ax).hypot(bz - az)
}

fn along([[ax, az], [bx, bz]]: [[f64; 2]; 2], share: f64) -> [f64; 2] {
    [ax + share * (bx - ax), az + share * (bz - az)]
}

/// Columns (x, z) within `radius` cells of the segment `piece`, and all columns that the segment
/// crosses.
fn columns_near(piece: [[f64; 2]; 2], radius: f64, grid: Grid) -> Vec<(usize, usize)> {
    let [[ax, az], [bx, bz]] = piece;
    let reach = |a: f64, b: f64, n: usize| {
        let low = (a.min(b) - radius).floor().clamp(0.0, n as f64 - 1.0) as usize;
        let high = (a.max(b) + radius).ceil().clamp(0.0, n as f64 - 1.0) as usize;
        low..=high
    };
    let inside =
        |&(x, z): &(usize, usize)| is_near(piece, radius, [x as f64 + 0.5, z as f64 + 0.5]);
    let box_of = reach(az, bz, grid.nz).flat_map(|z| reach(ax, bx, grid.nx).map(move |x| (x, z)));
    box_of
        .filter(inside)
        .chain(crossed(piece, grid).into_iter().map(|[x, z]| (x, z)))
        .collect()
}

/// Returns true if the point (x, z) lies within `radius` cells of the segment `piece`.
fn is_near(piece: [[f64; 2]; 2], radius: f64, [px, pz]: [f64; 2]) -> bool {
    let [[ax, az], [bx, bz]] = piece;
    let squared = (bx - ax) * (bx - ax) + (bz - az) * (bz - az);
    let share = if squared > 0.0 {
        ((px - ax) * (bx - ax) + (pz - az) * (bz - az)) / squared
    } else {
        0.0
    };
    let [nx, nz] = along(piece, share.clamp(0.0, 1.0));
    let (dx, dz) = (px - nx, pz - nz);
    dx * dx + dz * dz <= radius * radius
}

/// Columns `[x, z]` of `grid` that the segment `piece` crosses, in order along the segment;
/// consecutive columns share a side.
///
/// The segment is cut at every column boundary; each part lies in the column of the part's
/// midpoint.
pub fn crossed(piece: [[f64; 2]; 2], grid: Grid) -> Vec<[usize; 2]> {
    let sides = [grid.nx as f64, grid.nz as f64];
    let Some([from, to]) = clipped(piece, sides) else {
        return Vec::new();
    };
    let mut cuts = vec![from, to];
    for k in 0..2 {
        let ends = [from, to].map(|share| along(piece, share)[k]);
        let (low, high) = (
            ends[0].min(ends[1]).ceil().max(0.0),
            ends[0].max(ends[1]).floor().min(sides[k]),
        );
        let step = piece[1][k] - piece[0][k];
        if step != 0.0 && low <= high {
            let shares =
                (low as usize..=high as usize).map(|side| (side as f64 - piece[0][k]) / step);
            cuts.extend(shares.filter(|share| (from..=to).contains(share)));
        }
    }
    cuts.sort_unstable_by(f64::total_cmp);
    let under = |share: f64| {
        let [x, z] = along(piece, share);
        [
            (x.max(0.0) as usize).min(grid.nx - 1),
            (z.max(0.0) as usize).min(grid.nz - 1),
        ]
    };
    let mut columns = Vec::with_capacity(cuts.len());
    for pair in cuts.windows(2) {
        let next = under(0.5 * (pair[0] + pair[1]));
        if pair[0] == pair[1] && from != to {
            continue;
        }
        // Where two consecutive columns share only a corner, a column with a side to both is
        // inserted.
        if let Some(&[_, z]) = columns
            .last()
            .filter(|&&[x, z]: &&[usize; 2]| x != next[0] && z != next[1])
        {
            columns.push([next[0], z]);
        }
        columns.push(next);
    }
    columns
}

/// Clips the segment from `a` to `b` to the rectangle from 0 to `sides` (x and z, in cells):
/// returns start and end of the part inside, as fractions of the segment's length, or `None` if no
/// part is inside (Liang and Barsky 1984).
pub fn clipped([a, b]: [[f64; 2]; 2], sides: [f64; 2]) -> Option<[f64; 2]> {
    let [mut from, mut to] = [0.0_f64, 1.0_f64];
    for k in 0..2 {
        let step = b[k] - a[k];
        if step == 0.0 {
            if !(0.0..=sides[k]).contains(&a[k]) {
                return None;
            }
            continue;
        }
        let [low, high] = [-a[k] / step, (sides[k] - a[k]) / step];
        from = from.max(low.min(high));
        to = to.min(low.max(high));
    }
    (from <= to).then_some([from, to])
}

#[cfg(test)]
mod tests {
    use super::*;

    const GRID: Grid = Grid {
        nx: 30,
        ny: 4,
        nz: 20,
    };

    #[test]
    fn a_line_has_the_columns_that_it_crosses_and_those_beside() {
        let line = Line::new([2.5, 3.5], &[[10.0, 0.0], [10.0, 5.0]]);
        assert_eq!(
            (line.length(), line.point(0.0), line.point(1.0)),
            (15.0, [2.5, 3.5], [12.5, 8.5])
        );
        assert_eq!(line.point(12.0 / 15.0), [12.5, 5.5]);
        let thin = line.columns(0.0, GRID);
        let expected: Vec<_> = (2..=12)
            .map(|x| (x, 3))
            .chain((4..=8).map(|z| (12, z)))
            .collect();
        assert_eq!(thin, expected);
        let wide = line.columns(1.0, GRID);
        assert!(
            wide.contains(&(5, 2))
                && wide.contains(&(5, 4))
                && wide.contains(&(13, 7))
                && !wide.contains(&(5, 5))
        );
        // On a diagonal, no two consecutive columns share a corner alone.
        let steps = Line::new([0.5, 0.5], &[[2.0, 2.0]]).columns(0.0, GRID);
        assert_eq!(steps, [(0, 0), (1, 0), (1, 1), (2, 1), (2, 2)]);
        // A line that leaves the simulation box keeps the part inside.
        assert_eq!(
            Line::new([27.5, 3.5], &[[1e12, 0.0]]).columns(0.0, GRID),
            [(27, 3), (28, 3), (29, 3)]
        );
        assert_eq!(Line::new([-9.0, 3.5], &[[5.0, 0.0]]).columns(0.0, GRID), []);
        assert_eq!(Line::new([0.0, 0.0], &[]).columns(0.0, GRID), [(0, 0)]);
    }

    #[test]
    fn a_piece_is_clipped_to_the_box() {
        let sides = [20.0, 10.0];
        assert_eq!(
            clipped([[-10.0, 5.0], [30.0, 5.0]], sides),
            Some([0.25, 0.75])
        );
        assert_eq!(clipped([[-10.0, 15.0], [30.0, 15.0]], sides), None);
        assert_eq!(clipped([[1.0, 1.0], [2.0, 2.0]], sides), Some([0.0, 1.0]));
        assert_eq!(clipped([[-5.0, 0.0], [0.0, -5.0]], sides), None);
    }
}
