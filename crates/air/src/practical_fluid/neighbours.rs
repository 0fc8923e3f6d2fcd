//! Kind of each place in and around the air's box: open cell, outside air or solid.

use crate::{OPEN, Openness, Side};
use lavoxel_base::grid::Place;

/// Coordinates (x, y, z) in air cells; may lie outside the air's box.
pub(super) type At = [i32; 3];

/// Kind of a place: open cell, outside air or solid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spot {
    /// Open cell of the air's box; the value is that cell, or for a place beyond a periodic side
    /// the cell at the opposite side.
    Inside(Place),
    /// Ambient air beyond an open side; the value is the nearest cell of the air's box.
    Outside(Place),
    /// Solid cell, or place beyond a wall.
    Solid,
}

/// Solid cells and open shares of faces, extended beyond the sides of the air's box.
#[derive(Clone, Copy, Debug)]
pub(super) struct Around<'a>(pub(super) &'a Openness);

impl Around<'_> {
    /// Kind of the place `at`: open cell, outside air or solid.
    pub(super) fn spot(self, at: At) -> Spot {
        let grid = self.0.grid();
        let (mut place, mut outside) = ([0; 3], false);
        for axis in 0..3 {
            let (n, cells) = (at[axis], grid.size()[axis] as i32);
            place[axis] = match grid.sides[axis] {
                _ if (0..cells).contains(&n) => n,
                _ if axis == 1 && n < 0 => return Spot::Solid,
                Side::Wrap if axis != 1 => n.rem_euclid(cells),
                Side::Open => {
                    outside = true;
                    n.clamp(0, cells - 1)
                }
                _ => return Spot::Solid,
            } as usize;
        }
        match outside {
            true => Spot::Outside(place),
            false if self.0.is_solid(place) => Spot::Solid,
            false => Spot::Inside(place),
        }
    }

    /// Open share of the lower face of the cell `at` along `axis`, from 0 (closed) to [`OPEN`].
    pub(super) fn low(self, axis: usize, at: At) -> u16 {
        match (self.spot(step(at, axis, -1)), self.spot(at)) {
            (Spot::Solid, _) | (_, Spot::Solid) => 0,
            (Spot::Inside(_), Spot::Inside(place)) => self.0.low(axis, place),
            _ => OPEN,
        }
    }

    /// Open share of the upper face of the cell `at` along `axis`, from 0 (closed) to [`OPEN`].
    pub(super) fn high(self, axis: usize, at: At) -> u16 {
        self.low(axis, step(at, axis, 1))
    }

    /// Returns the velocity `v` of the cell `at`, with all components that point into closed faces
    /// set to 0.
    pub(super) fn shut(self, at: At, mut v: [i32; 3]) -> [i32; 3] {
        for (axis, v) in v.iter_mut().enumerate() {
            let open = if *v < 0 {
                self.low(axis, at)
            } else {
                self.high(axis, at)
            };
            *v = if open == 0 { 0 } else { *v };
        }
        v
    }
}

/// Returns the place that is `cells` cells further than `at` along `axis`.
pub(super) fn step(mut at: At, axis: usize, cells: i32) -> At {
    at[axis] += cells;
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::AirGrid;
    use lavoxel_base::grid::Grid;

    #[test]
    fn beyond_the_sides() {
        let grid = AirGrid::new(Grid::new(4, 3, 5), [Side::Wrap, Side::Open, Side::Wall]);
        let mut openness = Openness::free(grid);
        openness.set_solid([0, 2, 2], true);
        openness.set_face(0, [3, 1, 1], 99);
        let around = Around(&openness);
        // Places beyond two sides combine both, and a solid cell stays solid beyond a side that
        // wraps.
        for (at, spot) in [
            ([1, 1, 1], Spot::Inside([1, 1, 1])),
            ([-1, 1, 1], Spot::Inside([3, 1, 1])),
            ([4, 2, 2], Spot::Solid),
            ([4, 3, 2], Spot::Outside([0, 2, 2])),
            ([1, 4, 1], Spot::Outside([1, 2, 1])),
            ([1, 3, -1], Spot::Solid),
            ([1, -1, 1], Spot::Solid),
        ] {
            assert_eq!(around.spot(at), spot, "{at:?}");
        }
        for (axis, at, low, high) in [
            (0, [3, 1, 1], 99, OPEN),
            (0, [-1, 1, 1], 99, OPEN),
            (1, [1, 2, 1], OPEN, OPEN),
            (1, [1, 3, 1], OPEN, OPEN),
            (1, [0, 2, 2], 0, 0),
            (0, [1, 3, 1], OPEN, OPEN),
            (2, [1, 1, 0], 0, OPEN),
        ] {
            assert_eq!(
                (around.low(axis, at), around.high(axis, at)),
                (low, high),
                "axis {axis}, {at:?}"
            );
        }
    }
}
