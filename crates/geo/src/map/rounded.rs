//! Smoothing of outlines and lines for drawings by Chaikin's corner cutting (*An algorithm for
//! high-speed curve generation*, 1974).
//!
//! An outline along cell edges has steps along every oblique side of a footprint. [`outline`] first
//! connects the midpoints of the edges, which turns a staircase of single cells into a straight
//! line. After all passes, the area of a ring is smaller by a sixth of a cell for each convex
//! corner and larger by as much for each concave corner, so that a ring without a hole loses two
//! thirds of a cell, whatever its size. Rings that did not cross before do not cross afterwards:
//! each point stays within the hull of neighbouring corners of its ring.

use super::outline::Corner;

/// Point `[column, row]` in cells, from the north-west corner of the raster.
type Point = [f64; 2];

/// Distance in cells below which two points of a line count as one point.
const SAME: f64 = 1e-4;

/// Number of passes of Chaikin's corner cutting.
const PASSES: usize = 3;

/// Returns a smoothed copy of `ring`, a closed ring of cell corners.
pub fn outline(ring: &[Corner]) -> Vec<Point> {
    cut(middles(ring), true)
}

/// Returns a smoothed copy of a line. A closed line stays closed; an open line keeps its end
/// points.
pub fn line(mut line: Vec<Point>) -> Vec<Point> {
    // A level that equals a value crosses several edges at one cell; a corner of such points would
    // count as straight.
    line.dedup_by(|b, a| (a[0] - b[0]).hypot(a[1] - b[1]) < SAME);
    let closed = line.len() > 3 && line.first() == line.last();
    if !closed {
        return cut(line, false);
    }
    let mut ring = cut(line[1..].to_vec(), true);
    ring.extend(ring.first().copied());
    ring
}

/// Returns the midpoints of all cell edges along the closed ring `ring`, in its order.
fn middles(ring: &[Corner]) -> Vec<Point> {
    let ends = ring.iter().zip(ring.iter().cycle().skip(1));
    let edges = ends.flat_map(|(&[x0, y0], &[x1, y1])| {
        let length = x0.abs_diff(x1) + y0.abs_diff(y1);
        let along = move |from: usize, to: usize, share: f64| {
            from as f64 + (to as f64 - from as f64) * share
        };
        (0..length).map(move |k| {
            let share = (k as f64 + 0.5) / length as f64;
            [along(x0, x1, share), along(y0, y1, share)]
        })
    });
    edges.collect()
}

/// Upper bound on the number of smoothed points per cell edge of an outline, or per point of a line
/// before smoothing.
pub const MOST: usize = 1 << PASSES;

fn cut(mut points: Vec<Point>, closed: bool) -> Vec<Point> {
    for _ in 0..PASSES {
        if points.len() < 3 {
            break;
        }
        let mut next = Vec::with_capacity(2 * points.len());
        next.extend(points.first().filter(|_| !closed));
        let pairs = points
            .iter()
            .zip(points.iter().cycle().skip(1))
            .take(points.len() - usize::from(!closed));
        for (a, b) in pairs {
            let at = |share: f64| [a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share];
            next.extend([at(0.25), at(0.75)]);
        }
        next.extend(points.last().filter(|_| !closed));
        points = next;
    }
    // Only after the last pass: a cut takes a quarter of an edge, which must not grow.
    without_straight(&points, closed)
}

/// Returns `points` without those that lie on the straight line between their neighbours. `closed`:
/// the first point follows the last.
fn without_straight(points: &[Point], closed: bool) -> Vec<Point> {
    let n = points.len();
    let turns = |i: usize| {
        let [a, b, c] = [points[(i + n - 1) % n], points[i], points[(i + 1) % n]];
        ((b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0])).abs() > 1e-9
    };
    let end = |i: usize| !closed && (i == 0 || i + 1 == n);
    (0..n)
        .filter(|&i| end(i) || turns(i))
        .map(|i| points[i])
        .collect()
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;

    use super::*;
    use crate::map::outline::outlines;

    fn area(ring: &[Point]) -> f64 {
        let ends = ring.iter().zip(ring.iter().cycle().skip(1));
        ends.map(|(a, b)| a[0] * b[1] - a[1] * b[0])
            .sum::<f64>()
            .abs()
            / 2.0
    }

    #[test]
    fn a_staircase_becomes_a_straight_line_and_a_disc_round() {
        let stairs = outlines(&Array2::from_shape_fn((20, 20), |(row, col)| {
            row + col < 20
        }));
        let ring = outline(&stairs[0].outer);
        // The hypotenuse keeps only its ends.
        let inside = ring
            .iter()
            .filter(|[x, y]| (x + y - 20.5).abs() < 0.3 && (2.0..18.0).contains(x))
            .count();
        assert!(inside <= 2 && ring.len() < 60, "{inside} of {}", ring.len());
        let disc = Array2::from_shape_fn((40, 40), |(row, col)| {
            (row as f64 - 19.5).hypot(col as f64 - 19.5) < 15.0
        });
        let ring = outline(&outlines(&disc)[0].outer);
        let radii = ring.iter().map(|[x, y]| (x - 20.0).hypot(y - 20.0));
        let (low, high) = radii.fold((f64::MAX, 0.0f64), |(low, high), r| {
            (low.min(r), high.max(r))
        });
        assert!(low > 14.6 && high < 15.4, "{low} {high}");
        let cells = disc.iter().filter(|&&inside| inside).count() as f64;
        // Four corners more turn outwards than inwards. Each loses an eighth of a cell to the
        // middles of its edges, and a quarter of the previous loss with each pass.
        let lost = 4.0
            * (0..=PASSES as i32)
                .map(|pass| 0.125 * 0.25f64.powi(pass))
                .sum::<f64>();
        assert!(
            (cells - area(&ring) - lost).abs() < 1e-9,
            "{} {cells} {lost}",
            area(&ring)
        );
    }

    #[test]
    fn lines_keep_their_ends_and_rings_stay_closed() {
        let open = line(vec![[0.0, 0.0], [4.0, 0.0], [4.0, 4.0]]);
        assert_eq!(
            (open.first(), open.last()),
            (Some(&[0.0, 0.0]), Some(&[4.0, 4.0]))
        );
        assert!(open.len() > 5 && !open.contains(&[4.0, 0.0]));
        let ring = line(vec![
            [0.0, 0.0],
            [4.0, 0.0],
            [4.0, 4.0],
            [0.0, 4.0],
            [0.0, 0.0],
        ]);
        assert!(ring.first() == ring.last() && ring.len() > 12);
        assert_eq!(line(vec![[0.0, 0.0], [1.0, 1.0]]), [[0.0, 0.0], [1.0, 1.0]]);
        // Corners of nearly coincident points are kept.
        let almost = line(vec![
            [0.0, 0.0],
            [4.0, 0.0],
            [4.0 + 4e-8, 4e-8],
            [4.0, 4.0],
            [4.0 - 4e-8, 4.0],
            [0.0, 4.0],
            [0.0, 0.0],
        ]);
        assert!(area(&almost[1..]) > 10.0, "{almost:?}");
        // A single cell.
        assert!(area(&outline(&[[3, 3], [3, 4], [4, 4], [4, 3]])) > 0.3);
    }
}
