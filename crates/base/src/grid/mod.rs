//! Shape of the simulation box and numbering of its cells. Contains no physics.
//!
//! ```text
//!        y up
//!        |
//!        |____ x east        cell (x, y, z) fills [x, x+1) × [y, y+1) × [z, z+1)
//!       /                    in cell units; its centre is at + 0.5
//!      z south
//! ```
//!
//! In memory `x` runs fastest, then `y`, then `z`: the cells of one `z` form a contiguous *slab*,
//! the unit of work of threads in parallel passes.

pub mod line;
pub mod tile;

use serde::{Deserialize, Serialize};

/// Largest number of cells along one axis of the simulation box. Boxes of this size along every
/// axis are possible, because memory depends on the area of the ground and the volume of the lava,
/// not on the volume of the simulation box.
pub const MAX_SIDE: usize = 8192;

/// Index of a cell along x, y and z, counted from the north-west corner of the simulation box at
/// the floor. A row of cells (along x) is identified by `y` and `z`, a column (along y) by `x` and
/// `z`.
pub type Place = [usize; 3];

/// Size of the simulation box: number of cells along each axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    /// Number of cells from west to east.
    pub nx: usize,
    /// Number of cells from the floor to the top of the box.
    pub ny: usize,
    /// Number of cells from north to south.
    pub nz: usize,
}

impl Grid {
    /// Creates a grid of `nx × ny × nz` cells.
    ///
    /// # Panics
    /// When a side is 0.
    pub fn new(nx: usize, ny: usize, nz: usize) -> Self {
        assert!(
            nx > 0 && ny > 0 && nz > 0,
            "a grid has at least one cell along each axis"
        );
        Self { nx, ny, nz }
    }

    /// Number of cells in the simulation box.
    pub fn cells(self) -> usize {
        self.nx * self.ny * self.nz
    }

    /// Number of vertical columns of cells: `nx · nz`.
    pub fn columns(self) -> usize {
        self.nx * self.nz
    }

    /// Number of cells in one slab of equal `z`: `nx · ny`.
    pub fn slab(self) -> usize {
        self.nx * self.ny
    }

    /// Returns true if the simulation box is one cell thick along x or z (a 2D slice).
    pub fn is_thin(self) -> bool {
        self.nx == 1 || self.nz == 1
    }

    /// Index of the cell (x, y, z) in flat arrays of cells: x fastest, then y, then z.
    #[inline]
    pub fn index(self, [x, y, z]: Place) -> usize {
        debug_assert!(x < self.nx && y < self.ny && z < self.nz);
        (z * self.ny + y) * self.nx + x
    }

    /// Iterates over the indices (x, y, z) of all cells, in the order of [`Grid::index`].
    pub fn places(self) -> impl Iterator<Item = Place> {
        (0..self.nz)
            .flat_map(move |z| (0..self.ny).flat_map(move |y| (0..self.nx).map(move |x| [x, y, z])))
    }

    /// Neighbour of a cell at an offset of `dx`, `dy` and `dz` cells; `None` if the neighbour lies
    /// outside the simulation box.
    #[inline]
    pub fn neighbour(self, [x, y, z]: Place, [dx, dy, dz]: [isize; 3]) -> Option<Place> {
        let (x, y, z) = (
            x.checked_add_signed(dx)?,
            y.checked_add_signed(dy)?,
            z.checked_add_signed(dz)?,
        );
        (x < self.nx && y < self.ny && z < self.nz).then_some([x, y, z])
    }

    /// Iterates over the up to six face neighbours of a cell inside the simulation box, in the
    /// order below, west, east, north, south, above.
    pub fn face_neighbours(self, place: Place) -> impl Iterator<Item = Place> {
        let ways = [
            [0, -1, 0],
            [-1, 0, 0],
            [1, 0, 0],
            [0, 0, -1],
            [0, 0, 1],
            [0, 1, 0],
        ];
        ways.into_iter()
            .filter_map(move |by| self.neighbour(place, by))
    }

    /// Index of the column (x, z) in flat arrays of columns: `z · nx + x`.
    #[inline]
    pub fn column(self, x: usize, z: usize) -> usize {
        z * self.nx + x
    }
}

/// Boundary condition at the four vertical sides of the simulation box.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Walls {
    /// Closed sides: no matter leaves the simulation box through a side.
    #[default]
    Closed,
    /// Open sides: matter that crosses a side leaves the simulation box and is booked as outflow.
    Open,
}

impl Walls {
    /// Returns true if every cell of the simulation box has at most two horizontal neighbours,
    /// where an open side counts as a neighbour. `thin`: the box is one cell thick along x or z.
    pub fn leave_two_sides(self, thin: bool) -> bool {
        thin && self == Self::Closed
    }
}
