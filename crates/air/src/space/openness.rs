//! Solid cells of the air, and the open share of each face between two air cells.

use crate::{AirGrid, Side};
use lavoxel_base::grid::Place;

/// Open share of a fully open face; a closed face has the share 0.
pub const OPEN: u16 = 1 << 15;

/// Cells and faces that the ground blocks: solid flag of each air cell, and open share of each
/// face, 0 to [`OPEN`].
///
/// A cell that is not solid counts as a whole cell of air, even if some of its voxels are solid:
/// the open share scales only the flux across a face.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Openness {
    grid: AirGrid,
    /// Solid flag of each air cell, at index `Grid::index`.
    solid: Vec<bool>,
    /// Open share (0 to [`OPEN`]) of the lower face of each cell along each axis, computed from the
    /// solid voxels at the face alone; `low` and `high` replace the share by 0 at solid cells and
    /// walls.
    faces: [Vec<u16>; 3],
}

impl Openness {
    /// Returns the state of air without ground: no solid cells, all faces open.
    pub fn free(grid: AirGrid) -> Self {
        let cells = grid.cells.cells();
        Self {
            grid,
            solid: vec![false; cells],
            faces: std::array::from_fn(|_| vec![OPEN; cells]),
        }
    }

    /// Shape and layout of the grid of air cells.
    pub fn grid(&self) -> AirGrid {
        self.grid
    }

    /// Returns true if the cell `place` is solid.
    #[inline]
    pub fn is_solid(&self, place: Place) -> bool {
        self.solid[self.grid.cells.index(place)]
    }

    /// Sets the solid flag of the cell `place`; returns true if the flag changed.
    pub fn set_solid(&mut self, place: Place, solid: bool) -> bool {
        std::mem::replace(&mut self.solid[self.grid.cells.index(place)], solid) != solid
    }

    /// Sets the open share (0 to [`OPEN`]) of the lower face of the cell `place` along `axis`;
    /// returns true if the share changed. The share counts only while both cells at the face are
    /// open.
    pub fn set_face(&mut self, axis: usize, place: Place, open: u16) -> bool {
        debug_assert!(open <= OPEN);
        std::mem::replace(&mut self.faces[axis][self.grid.cells.index(place)], open) != open
    }

    /// Open share of the lower face of the cell `place` along `axis`, from 0 to [`OPEN`]; 0 next to
    /// a solid cell, at a wall and at the floor.
    #[inline]
    pub fn low(&self, axis: usize, place: Place) -> u16 {
        if self.is_solid(place) {
            return 0;
        }
        let own = self.faces[axis][self.grid.cells.index(place)];
        let mut beside = place;
        match (place[axis], self.grid.sides[axis]) {
            (0, _) if axis == 1 => return 0,
            (0, Side::Wall) => return 0,
            (0, Side::Open) => return OPEN,
            (0, Side::Wrap) => beside[axis] = self.grid.size()[axis] - 1,
            (n, _) => beside[axis] = n - 1,
        }
        if self.is_solid(beside) { 0 } else { own }
    }

    /// Open share of the upper face of the cell `place` along `axis`, from 0 to [`OPEN`]; 0 next to
    /// a solid cell and at a wall.
    #[inline]
    pub fn high(&self, axis: usize, place: Place) -> u16 {
        let mut beside = place;
        beside[axis] += 1;
        if beside[axis] < self.grid.size()[axis] {
            return self.low(axis, beside);
        }
        beside[axis] = 0;
        match self.grid.sides[axis] {
            Side::Wall => 0,
            Side::Open if self.is_solid(place) => 0,
            Side::Open => OPEN,
            Side::Wrap => self.low(axis, beside),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lavoxel_base::grid::Grid;

    #[test]
    fn faces_beside_solid_cells_and_walls_are_shut() {
        let grid = AirGrid::new(Grid::new(4, 3, 5), [Side::Wrap, Side::Open, Side::Wall]);
        let mut openness = Openness::free(grid);
        assert!(openness.set_solid([0, 1, 2], true) && !openness.set_solid([0, 1, 2], true));
        assert!(openness.set_face(0, [2, 1, 2], 77) && !openness.set_face(0, [2, 1, 2], 77));
        for (axis, place, low, high) in [
            (0, [0, 1, 2], 0, 0),
            (0, [1, 1, 2], 0, 77),
            (0, [2, 1, 2], 77, OPEN),
            (0, [3, 1, 2], OPEN, 0),
            (0, [3, 0, 2], OPEN, OPEN),
            (1, [0, 0, 2], 0, 0),
            (1, [0, 2, 2], 0, OPEN),
            (1, [1, 2, 2], OPEN, OPEN),
            (2, [1, 1, 0], 0, OPEN),
            (2, [1, 1, 4], OPEN, 0),
            (2, [0, 1, 1], OPEN, 0),
        ] {
            assert_eq!(
                (openness.low(axis, place), openness.high(axis, place)),
                (low, high),
                "axis {axis}, {place:?}"
            );
        }
    }
}
