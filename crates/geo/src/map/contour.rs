//! Contour lines of a raster, by marching squares between the centres of its cells.

use std::collections::{BTreeMap, BTreeSet};

use ndarray::Array2;

/// Point as [column, row] in cells from the north-west corner of the raster; the centre of the
/// first cell is [0.5, 0.5].
pub type Point = [f64; 2];

/// Edge between the centres of two adjacent cells: (row and column of the first cell, true if the
/// second cell lies to the south, false if to the east).
type Edge = (usize, usize, bool);

/// Returns the contour lines of `values` (row 0 north, column 0 west) at the value `level`, with
/// higher values on the left side of each directed line.
///
/// A line that ends where it began is closed; all others end at the edge of the raster or of the
/// data. Squares with a NaN at a corner have no line.
pub fn lines(values: &Array2<f64>, level: f64) -> Vec<Vec<Point>> {
    let mut next = BTreeMap::new();
    let (rows, cols) = values.dim();
    for row in 0..rows.saturating_sub(1) {
        for col in 0..cols.saturating_sub(1) {
            square(values, level, (row, col), &mut next);
        }
    }
    let ends: BTreeSet<Edge> = next.values().copied().collect();
    let starts: Vec<Edge> = next
        .keys()
        .copied()
        .filter(|edge| !ends.contains(edge))
        .collect();
    let mut lines: Vec<_> = starts
        .into_iter()
        .map(|start| follow(&mut next, start))
        .collect();
    while let Some(start) = next.keys().next().copied() {
        lines.push(follow(&mut next, start));
    }
    lines
        .into_iter()
        .map(|line| points(values, level, &line))
        .collect()
}

/// Returns the number of segments of the contour lines of `values` at the value `level`, which
/// approximates the number of points of these lines.
pub fn pieces(values: &Array2<f64>, level: f64) -> usize {
    let (rows, cols) = values.dim();
    let falls = |(row, col): (usize, usize)| {
        let corners = [
            (row + 1, col),
            (row + 1, col + 1),
            (row, col + 1),
            (row, col),
        ]
        .map(|at| values[at]);
        let high = corners.map(|value| value >= level);
        let is_known = !corners.iter().any(|value| value.is_nan());
        if is_known {
            (0..4).filter(|&i| high[i] && !high[(i + 1) % 4]).count()
        } else {
            0
        }
    };
    let squares = |row: usize| {
        (0..cols.saturating_sub(1))
            .map(move |col| falls((row, col)))
            .sum::<usize>()
    };
    (0..rows.saturating_sub(1)).map(squares).sum()
}

/// Adds the contour segments (at most two) in the square between four cell centres to `next`, which
/// maps the edge at which a segment starts to the edge at which it ends. `(row, col)`: north-west
/// cell of the square.
fn square(
    values: &Array2<f64>,
    level: f64,
    (row, col): (usize, usize),
    next: &mut BTreeMap<Edge, Edge>,
) {
    // Counter-clockwise from the south-west, and the edge from each corner to the next.
    let corners = [
        (row + 1, col),
        (row + 1, col + 1),
        (row, col + 1),
        (row, col),
    ]
    .map(|at| values[at]);
    let edges = [
        (row + 1, col, false),
        (row, col + 1, true),
        (row, col, false),
        (row, col, true),
    ];
    if corners.iter().any(|value| value.is_nan()) {
        return;
    }
    let high = corners.map(|value| value >= level);
    let falls = |i: usize| high[i] && !high[(i + 1) % 4];
    let rises = |i: usize| !high[i] && high[(i + 1) % 4];
    // In a saddle the mean decides which two corners are connected.
    let middle_is_high = corners.iter().sum::<f64>() / 4.0 >= level;
    for i in (0..4).filter(|&i| falls(i)) {
        let order = if middle_is_high { [1, 2, 3] } else { [3, 2, 1] };
        if let Some(out) = order.into_iter().map(|k| (i + k) % 4).find(|&k| rises(k)) {
            next.insert(edges[i], edges[out]);
        }
    }
}

/// Removes the contour line that begins at the edge `start` from `next`, a map from start edge to
/// end edge of each segment, and returns the edges of the line in order.
fn follow(next: &mut BTreeMap<Edge, Edge>, start: Edge) -> Vec<Edge> {
    let mut line = vec![start];
    let mut at = start;
    while let Some(edge) = next.remove(&at) {
        line.push(edge);
        at = edge;
    }
    line
}

/// Returns the points where a contour line crosses the edges `line`, interpolated linearly.
fn points(values: &Array2<f64>, level: f64, line: &[Edge]) -> Vec<Point> {
    let mut points: Vec<Point> = line
        .iter()
        .map(|edge| crossing(values, level, *edge))
        .collect();
    points.dedup();
    points
}

fn crossing(values: &Array2<f64>, level: f64, (row, col, south): Edge) -> Point {
    let other = if south {
        (row + 1, col)
    } else {
        (row, col + 1)
    };
    let (a, b) = (values[(row, col)], values[other]);
    let share = ((level - a) / (b - a)).clamp(0.0, 1.0);
    let (x, y) = (col as f64 + 0.5, row as f64 + 0.5);
    if south {
        [x, y + share]
    } else {
        [x + share, y]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the area that a closed line encloses, in cells: positive if the line runs
    /// counter-clockwise with north up, negative otherwise.
    fn area(line: &[Point]) -> f64 {
        -0.5 * line
            .windows(2)
            .map(|pair| pair[0][0] * pair[1][1] - pair[1][0] * pair[0][1])
            .sum::<f64>()
    }

    #[test]
    fn a_cone_has_circles() {
        let cone = Array2::from_shape_fn((81, 81), |(y, x)| {
            40.0 - ((x as f64 - 40.0).hypot(y as f64 - 40.0))
        });
        for radius in [5.0_f64, 12.3, 30.0] {
            let lines = lines(&cone, 40.0 - radius);
            assert_eq!(lines.len(), 1);
            assert_eq!(lines[0].first(), lines[0].last(), "closed");
            for [x, y] in &lines[0] {
                assert!(
                    ((x - 40.5).hypot(y - 40.5) - radius).abs() < 0.05,
                    "{x}, {y}"
                );
            }
            let circle = std::f64::consts::PI * radius * radius;
            assert!(
                (area(&lines[0]) / circle - 1.0).abs() < 0.01,
                "the summit lies at the left"
            );
        }
        assert_eq!(lines(&cone, 41.0), Vec::<Vec<Point>>::new());
    }

    #[test]
    fn lines_end_at_the_edge_of_the_raster_and_of_the_data() {
        let slope = Array2::from_shape_fn((5, 7), |(_, x)| x as f64);
        let found = lines(&slope, 2.5);
        assert_eq!(found.len(), 1);
        assert!(found[0].iter().all(|[x, _]| *x == 3.0));
        let ends = [found[0][0][1], found[0][found[0].len() - 1][1]];
        assert_eq!(ends, [0.5, 4.5], "to the south, with the rise at the left");
        let mut holed = slope;
        holed[[2, 2]] = f64::NAN;
        assert_eq!(lines(&holed, 2.5).len(), 2);
    }

    #[test]
    fn both_ways_through_a_saddle_are_lines_that_do_not_cross() {
        for middle in [0.4, 0.6] {
            let saddle = ndarray::arr2(&[[1.0, 0.0], [0.0, 1.0 + 4.0 * (middle - 0.5)]]);
            let found = lines(&saddle, 0.5);
            assert_eq!(found.len(), 2);
            let same_side = |line: &Vec<Point>| {
                (line[0][0] - line[0][1] > 0.0) == (line[1][0] - line[1][1] > 0.0)
            };
            assert_eq!(found.iter().all(same_side), middle > 0.5, "{found:?}");
        }
    }

    #[test]
    fn levels_that_are_values_give_whole_lines() {
        let steps = Array2::from_shape_fn((9, 9), |(y, x)| {
            f64::from(u8::from((3..6).contains(&x) && (3..6).contains(&y)))
        });
        let found = lines(&steps, 1.0);
        assert_eq!(
            (found.len(), found[0].first() == found[0].last()),
            (1, true)
        );
        assert_eq!(area(&found[0]), 4.0);
    }
}
