//! Outlines of regions of raster cells, as polygons along cell edges.
//!
//! Cells that share an edge belong to the same polygon; cells that only meet at a corner do not. No
//! ring passes a corner twice, so that polygons are simple: where a region encloses a hole whose
//! boundary meets the outside at a corner, the hole is a separate ring that touches the outer ring
//! there.

use std::collections::HashMap;

use ndarray::Array2;

/// Cell corner `[column, row]`, counted from the north-west corner of the raster.
pub type Corner = [usize; 2];

/// Outline of one region of a mask: cells connected by common edges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outline {
    /// Outer ring, counter-clockwise with north up; closed without repeating the first corner.
    pub outer: Vec<Corner>,
    /// Rings of the region's holes, clockwise with north up.
    pub holes: Vec<Vec<Corner>>,
    /// Number of cells in the region that the outline encloses.
    pub cells: usize,
}

/// Offsets `[column, row]` of the four directions along cell edges: east, north, west, south; each
/// is a left turn from the one before.
const STEPS: [(isize, isize); 4] = [(1, 0), (0, -1), (-1, 0), (0, 1)];

/// Returns the outlines of all regions of true cells of `mask` (row 0 north, column 0 west), in the
/// row-major order of their first cells.
pub fn outlines(mask: &Array2<bool>) -> Vec<Outline> {
    let (pieces, cells) = pieces(mask);
    let none = |cells: &usize| Outline {
        outer: Vec::new(),
        holes: Vec::new(),
        cells: *cells,
    };
    let mut outlines: Vec<Outline> = cells.iter().map(none).collect();
    let mut edges = Edges::from_mask(mask);
    for row in 0..=mask.nrows() {
        for col in 0..=mask.ncols() {
            while let Some(direction) = edges.any([col, row]) {
                let piece = pieces[left_of([col, row], direction)];
                for ring in edges.trace([col, row], direction) {
                    let outline = &mut outlines[piece - 1];
                    match twice_the_area(&ring) > 0 {
                        true => outline.outer = ring,
                        false => outline.holes.push(ring),
                    }
                }
            }
        }
    }
    outlines
}

/// Returns an upper bound on the number of corners of all outlines: the number of cell edges
/// between true and false cells of `mask`, including those at the sides of the raster.
pub fn edges(mask: &Array2<bool>) -> usize {
    let (rows, cols) = mask.dim();
    let is_in = |row: usize, col: usize| row < rows && col < cols && mask[(row, col)];
    let before = |at: usize| at.wrapping_sub(1);
    let sides = |row: usize, col: usize| {
        let here = is_in(row, col);
        usize::from(here != is_in(before(row), col)) + usize::from(here != is_in(row, before(col)))
    };
    (0..=rows)
        .map(|row| (0..=cols).map(|col| sides(row, col)).sum::<usize>())
        .sum()
}

/// Labels the regions of true cells of `mask`. Returns the region number of each cell (from 1; 0
/// for false cells), and the number of cells of each region.
fn pieces(mask: &Array2<bool>) -> (Array2<usize>, Vec<usize>) {
    let (rows, cols) = mask.dim();
    let (mut pieces, mut counts) = (Array2::zeros((rows, cols)), Vec::new());
    let mut open = Vec::new();
    for start in ndarray::indices((rows, cols)) {
        if !mask[start] || pieces[start] != 0 {
            continue;
        }
        counts.push(0);
        pieces[start] = counts.len();
        open.push(start);
        while let Some((row, col)) = open.pop() {
            counts[pieces[start] - 1] += 1;
            for (dx, dy) in STEPS {
                let next = (row.wrapping_add_signed(dy), col.wrapping_add_signed(dx));
                if mask.get(next) == Some(&true) && pieces[next] == 0 {
                    pieces[next] = counts.len();
                    open.push(next);
                }
            }
        }
    }
    (pieces, counts)
}

/// Returns the (row, column) of the cell on the left of the edge that starts at the corner [`x`,
/// `y`] in the direction `direction` (index in `STEPS`).
fn left_of([x, y]: Corner, direction: usize) -> (usize, usize) {
    match direction {
        0 => (y - 1, x),
        1 => (y - 1, x - 1),
        2 => (y, x - 1),
        _ => (y, x),
    }
}

/// Directed edges between true and false cells, with the true cell on the left; edges are removed
/// when they have been traced.
struct Edges {
    /// Bit mask of the directions of the edges that start at each corner.
    from: Array2<u8>,
}

impl Edges {
    fn from_mask(mask: &Array2<bool>) -> Self {
        let (rows, cols) = mask.dim();
        let mut from = Array2::zeros((rows + 1, cols + 1));
        for ((row, col), _) in mask.indexed_iter().filter(|(_, inside)| **inside) {
            let outside = |dx: isize, dy: isize| {
                mask.get((row.wrapping_add_signed(dy), col.wrapping_add_signed(dx))) != Some(&true)
            };
            // The south edge runs east, the east edge north, the north edge west, the west edge
            // south.
            let sides = [
                (0, 1, [row + 1, col]),
                (1, 0, [row + 1, col + 1]),
                (0, -1, [row, col + 1]),
                (-1, 0, [row, col]),
            ];
            for (direction, (dx, dy, corner)) in sides.into_iter().enumerate() {
                from[corner] |= u8::from(outside(dx, dy)) << direction;
            }
        }
        Self { from }
    }

    /// Returns the direction (index in `STEPS`) of an edge that starts at the corner [`x`, `y`];
    /// `None` if no untraced edge starts there.
    fn any(&self, [x, y]: Corner) -> Option<usize> {
        let bits = self.from[[y, x]];
        (bits != 0).then(|| bits.trailing_zeros() as usize)
    }

    /// Follows the edges from the corner `start` in the direction `direction` (index in `STEPS`)
    /// until they close, and removes them. Returns the rings found: more than one where the path
    /// passes a corner twice.
    fn trace(&mut self, start: Corner, mut direction: usize) -> Vec<Vec<Corner>> {
        let (mut rings, mut path, mut passed) = (Vec::new(), Vec::new(), HashMap::new());
        let mut at = start;
        loop {
            if let Some(first) = passed.insert(at, path.len()) {
                // A corner was passed before: the path in between is a ring.
                let ring: Vec<Corner> = path.drain(first..).collect();
                ring.iter().skip(1).for_each(|corner| {
                    passed.remove(corner);
                });
                passed.insert(at, first);
                rings.push(straightened(&ring));
            }
            if at == start && !rings.is_empty() && path.is_empty() {
                return rings;
            }
            path.push(at);
            self.from[[at[1], at[0]]] &= !(1 << direction);
            let (dx, dy) = STEPS[direction];
            at = [at[0].wrapping_add_signed(dx), at[1].wrapping_add_signed(dy)];
            // Turns left where there is a choice: around the cell, so that cells that meet at a
            // corner stay apart.
            let bits = self.from[[at[1], at[0]]];
            let next = [1, 0, 3]
                .into_iter()
                .map(|turn| (direction + turn) % 4)
                .find(|d| bits & (1 << d) != 0);
            direction = next.unwrap_or(direction);
        }
    }
}

/// Returns the corners of `ring` at which it changes direction.
fn straightened(ring: &[Corner]) -> Vec<Corner> {
    let n = ring.len();
    let turns = |i: &usize| {
        let (before, here, after) = (ring[(i + n - 1) % n], ring[*i], ring[(i + 1) % n]);
        (before[0] == here[0]) != (here[0] == after[0])
    };
    (0..n).filter(turns).map(|i| ring[i]).collect()
}

/// Returns twice the signed area of a ring in cells; positive if the ring runs counter-clockwise
/// with north up.
pub fn twice_the_area(ring: &[Corner]) -> i64 {
    let number = |value: usize| value as i64;
    let corners = ring.iter().zip(ring.iter().cycle().skip(1));
    -corners
        .map(|(a, b)| number(a[0]) * number(b[1]) - number(b[0]) * number(a[1]))
        .sum::<i64>()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use lavoxel_base::random::mix64;

    fn mask(rows: &[&str]) -> Array2<bool> {
        let cells = rows
            .iter()
            .flat_map(|row| row.chars().map(|c| c == '#'))
            .collect();
        Array2::from_shape_vec((rows.len(), rows[0].len()), cells).expect("rows of one length")
    }

    /// Traces the outlines of `mask` and asserts that the rings are simple, have the right
    /// direction, and enclose the numbers of cells that the outlines state. Returns the outlines.
    fn check(mask: &Array2<bool>) -> Vec<Outline> {
        let found = outlines(mask);
        assert_eq!(
            found.iter().map(|o| o.cells).sum::<usize>(),
            mask.iter().filter(|inside| **inside).count()
        );
        for outline in &found {
            assert!(twice_the_area(&outline.outer) > 0, "{outline:?}");
            assert!(
                outline.holes.iter().all(|hole| twice_the_area(hole) < 0),
                "{outline:?}"
            );
            let rings = || outline.holes.iter().chain([&outline.outer]);
            assert_eq!(
                rings().map(|ring| twice_the_area(ring)).sum::<i64>(),
                2 * outline.cells as i64,
                "{outline:?}"
            );
            for ring in rings() {
                assert!(ring.len() >= 4 && ring.len() % 2 == 0, "{ring:?}");
                assert_eq!(
                    ring.iter().collect::<BTreeSet<_>>().len(),
                    ring.len(),
                    "a corner twice: {ring:?}"
                );
            }
        }
        found
    }

    #[test]
    fn a_ring_has_a_hole_and_cells_at_corners_are_apart() {
        let found = check(&mask(&["###..", "#.#..", "###..", "...#.", "....."]));
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].outer, [[0, 0], [0, 3], [3, 3], [3, 0]]);
        assert_eq!(found[0].holes, [[[1, 1], [2, 1], [2, 2], [1, 2]]]);
        assert_eq!((found[1].cells, found[1].outer.len()), (1, 4));
    }

    /// Checks a hole that meets the outside at a corner, so that both rings touch there.
    #[test]
    fn a_hole_may_touch_the_outer_ring() {
        let found = check(&mask(&["###", "#.#", "##."]));
        assert_eq!(
            (found.len(), found[0].holes.len(), found[0].cells),
            (1, 1, 7)
        );
        let two_holes = check(&mask(&["####", "#.##", "##.#", "####"]));
        assert_eq!((two_holes.len(), two_holes[0].holes.len()), (1, 2));
    }

    #[test]
    fn nothing_has_no_outline_and_everything_has_one() {
        assert_eq!(check(&mask(&["...", "..."])), []);
        assert_eq!(
            check(&mask(&["###", "###"]))[0].outer,
            [[0, 0], [0, 2], [3, 2], [3, 0]]
        );
        assert_eq!(check(&Array2::from_elem((0, 0), true)), []);
    }

    #[test]
    fn outlines_of_noise_are_simple_and_exact() {
        for seed in 0..60_u64 {
            let (rows, cols, share) =
                (3 + seed as usize % 23, 2 + seed as usize % 31, 1 + seed % 3);
            let inside = |(row, col)| mix64(seed * 1_000_003 + (row * 64 + col) as u64) % 4 < share;
            check(&Array2::from_shape_fn((rows, cols), inside));
        }
    }
}
