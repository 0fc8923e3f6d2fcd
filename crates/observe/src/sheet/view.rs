//! Position of the map on the paper: frame, scale and grid lines; conversion of map coordinates to
//! millimetres.

use super::canvas::{Point, Rect};
use super::source::Source;
use lavoxel_base::round::{number, steps};
use lavoxel_base::words::grouped;

/// Leading digits of the scale denominators in use on printed maps.
const SCALES: [f64; 10] = [1.0, 1.25, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 7.5];

/// Smallest distance between neighbouring grid lines on the paper, in millimetres.
const GRID: f64 = 26.0;

/// Rectangle (frame) of the map on the paper, with the position and scale of the map.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct View {
    pub(super) frame: Rect,
    /// Denominator N of the map scale 1:N.
    pub(super) scale: f64,
    /// Map coordinates [x, y] of the upper left corner of the map frame.
    corner: Point,
    /// Length of one map unit on the paper in millimetres, along x and y.
    unit_mm: (f64, f64),
    /// Width and height of one map cell on the paper, in millimetres.
    cell_mm: (f64, f64),
    is_geographic: bool,
}

/// Returns the denominator N of the largest scale 1:N with round digits at which an area of
/// `metres` (width, height, on the ground) fits into `room` (width, height in millimetres on the
/// paper).
pub(super) fn round_scale(metres: Point, room: Point) -> f64 {
    let least = (metres[0] / room[0]).max(metres[1] / room[1]) * 1000.0;
    let power = 10_f64.powf(least.max(1.0).log10().floor());
    let scales = SCALES
        .iter()
        .map(|digits| digits * power)
        .chain([10.0 * power]);
    scales
        .into_iter()
        .find(|scale| *scale >= least * (1.0 - 1e-9))
        .unwrap_or(least)
}

impl View {
    /// Creates the view with the largest round scale at which the map `source` fits into `room`.
    /// The frame is at the top of `room`, at its left if `is_left`, otherwise in the middle.
    pub(super) fn fitting(source: &Source, (room, is_left): (Rect, bool)) -> Self {
        let (wide, deep) = source.map.extent_m();
        let scale = round_scale([wide, deep], [room.w, room.h]);
        let mm = 1000.0 / scale;
        let (w, h) = (wide * mm, deep * mm);
        let x = if is_left {
            room.x
        } else {
            room.x + 0.5 * (room.w - w)
        };
        let frame = Rect::new(x, room.y, w, h);
        let (place, metres) = (source.placement(), source.metres_per_unit());
        Self {
            frame,
            scale,
            corner: [place.west, place.north],
            unit_mm: (metres.0 * mm, metres.1 * mm),
            cell_mm: (w / place.cols as f64, h / place.rows as f64),
            is_geographic: source.crs().is_geographic(),
        }
    }

    /// Creates a view with the scale denominator `scale` and no position on a map, for tests.
    #[cfg(test)]
    pub(super) fn of_scale(scale: f64) -> Self {
        let mm = 1000.0 / scale;
        let frame = Rect::new(0.0, 0.0, 100.0, 100.0);
        Self {
            frame,
            scale,
            corner: [0.0; 2],
            unit_mm: (mm, mm),
            cell_mm: (1.0, 1.0),
            is_geographic: false,
        }
    }

    /// Converts the map coordinates `[x, y]` to a point on the paper, in millimetres.
    pub(super) fn at(&self, [x, y]: Point) -> Point {
        [
            self.frame.x + (x - self.corner[0]) * self.unit_mm.0,
            self.frame.y + (self.corner[1] - y) * self.unit_mm.1,
        ]
    }

    /// Converts a position in cells from the north-west corner of the map to a point on the paper,
    /// in millimetres.
    pub(super) fn at_cell(&self, [col, row]: Point) -> Point {
        [
            self.frame.x + col * self.cell_mm.0,
            self.frame.y + row * self.cell_mm.1,
        ]
    }

    /// Converts a length on the ground in metres to millimetres on the paper.
    pub(super) fn mm(&self, metres: f64) -> f64 {
        1000.0 * metres / self.scale
    }

    /// Returns the map coordinates [x, y] of the middle of the map frame.
    pub(super) fn middle(&self) -> Point {
        [
            self.corner[0] + 0.5 * self.frame.w / self.unit_mm.0,
            self.corner[1] - 0.5 * self.frame.h / self.unit_mm.1,
        ]
    }

    /// Returns the distance between neighbouring grid lines in map units: the smallest round number
    /// whose length on the paper is at least `GRID` millimetres.
    pub(super) fn grid_step(&self) -> f64 {
        let least = GRID / self.unit_mm.0.min(self.unit_mm.1);
        steps(least).next().unwrap_or(least)
    }

    /// Returns the vertical grid lines from left to right, as pairs (x in millimetres, label with
    /// the easting or longitude).
    pub(super) fn eastings(&self) -> Vec<(f64, String)> {
        let step = self.grid_step();
        let (from, to) = (
            self.corner[0],
            self.corner[0] + self.frame.w / self.unit_mm.0,
        );
        let place = |x: f64| self.at([x, 0.0])[0];
        multiples(from, to, step)
            .map(|x| (place(x), self.coordinate(x, step, ["E", "W"])))
            .collect()
    }

    /// Returns the horizontal grid lines, from bottom to top, as pairs (y in millimetres, label
    /// with the northing or latitude).
    pub(super) fn northings(&self) -> Vec<(f64, String)> {
        let step = self.grid_step();
        let (from, to) = (
            self.corner[1] - self.frame.h / self.unit_mm.1,
            self.corner[1],
        );
        let place = |y: f64| self.at([0.0, y])[1];
        multiples(from, to, step)
            .map(|y| (place(y), self.coordinate(y, step, ["N", "S"])))
            .collect()
    }

    fn coordinate(&self, value: f64, step: f64, [positive, negative]: [&str; 2]) -> String {
        if self.is_geographic {
            let side = if value < 0.0 { negative } else { positive };
            return format!("{}° {side}", number(value.abs(), step));
        }
        let whole = value.round();
        if step >= 1.0 && whole.abs() < 1e15 {
            let sign = if whole < 0.0 { "−" } else { "" };
            return format!("{sign}{}", grouped(whole.abs() as u64));
        }
        number(value, step)
    }
}

fn multiples(from: f64, to: f64, step: f64) -> impl Iterator<Item = f64> {
    let (first, last) = (
        (from / step - 1e-6).ceil() as i64,
        (to / step + 1e-6).floor() as i64,
    );
    // Upper bound of 200 lines (a usual frame has some tens): guards against a step that vanishes
    // in the rounding of large coordinates.
    (first..=last.min(first.saturating_add(200))).map(move |i| i as f64 * step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_are_round_and_the_map_fits() {
        for (metres, room, scale) in [
            ([840.0, 660.0], [180.0, 170.0], 5000.0),
            ([1000.0, 100.0], [100.0, 100.0], 10_000.0),
            ([1001.0, 100.0], [100.0, 100.0], 12_500.0),
            ([95_000.0, 100.0], [100.0, 100.0], 1_000_000.0),
        ] {
            assert_eq!(round_scale(metres, room), scale, "{metres:?}");
        }
    }
}
