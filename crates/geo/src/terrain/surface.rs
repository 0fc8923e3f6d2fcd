//! Ground of a box, as one height per column.

use ndarray::Array2;

use super::{Georeference, Heightmap};

/// Ground of a simulation box: heights, cell size and georeference.
#[derive(Clone, Debug, PartialEq)]
pub struct Surface {
    /// Height of the ground above the floor in cells at the middle of each column, shape
    /// `(nz, nx)`; row 0 is north, column 0 is west. A cell is solid when its centre lies below the
    /// ground.
    pub heights: Array2<f32>,
    /// Position (x, z) where a vent is placed by default, in cells from the north-west corner: the
    /// crater of the built-in volcano, otherwise the highest column away from the sides.
    pub summit: (f64, f64),
    /// Width of a cell of the simulation box in metres.
    pub cell_size_m: f64,
    /// Elevation of the simulation box's floor (y = 0), in metres.
    pub floor_m: f64,
    /// Vertical stretch factor of the simulation box: `elevation = floor_m + y · cell_size_m /
    /// vertical_exaggeration`.
    pub vertical_exaggeration: f64,
    /// Georeference of the north-west corner of the simulation box; `None` if the heightmap has
    /// none.
    pub georeference: Option<Georeference>,
    /// Notes on assumptions made and data ignored when the heightmap was read, one sentence each.
    pub notes: Vec<String>,
}

impl Surface {
    /// Returns a heightmap of the ground's elevations in metres, one cell per column.
    pub fn to_heightmap(&self) -> Heightmap {
        let metres = self.cell_size_m / self.vertical_exaggeration;
        Heightmap {
            heights: self
                .heights
                .mapv(|h| (self.floor_m + f64::from(h) * metres) as f32),
            cell_size_m: (self.cell_size_m, self.cell_size_m),
            origin: self.georeference.clone(),
            notes: self.notes.clone(),
        }
    }
}

/// Returns the centre (x, z) in cells of the highest column away from the sides, because lava from
/// a column at a side would leave the simulation box at once; of several equally high columns, the
/// one nearest to the centre of the box.
pub fn summit(heights: &Array2<f32>) -> (f64, f64) {
    let (rows, cols) = heights.dim();
    let inner = |i: usize, n: usize| i >= n / 8 && i < n - n / 8;
    let off = |i: usize, n: usize| (2 * i + 1).abs_diff(n).pow(2);
    let far = |(r, c): (usize, usize)| off(r, rows) + off(c, cols);
    let inside = heights
        .indexed_iter()
        .filter(|((r, c), _)| inner(*r, rows) && inner(*c, cols));
    let highest = inside.max_by(|(at, a), (bt, b)| a.total_cmp(b).then(far(*bt).cmp(&far(*at))));
    let (r, c) = highest.map_or((rows / 2, cols / 2), |(at, _)| at);
    middle_of((c, r))
}

/// Returns the position (x, z) in cells of the centre of the column with the index (`x`, `z`).
pub(super) fn middle_of((x, z): (usize, usize)) -> (f64, f64) {
    (x as f64 + 0.5, z as f64 + 0.5)
}

/// Smallest number of cells of air above the highest ground that a flow needs.
pub(super) const LEAST_AIR: f64 = 4.0;

/// Returns the height in cells of a simulation box that leaves room for a flow above ground whose
/// highest point is `top` cells above the floor.
pub(super) fn with_headroom(top: f64) -> usize {
    (top + (0.1 * top).max(LEAST_AIR)).ceil() as usize
}
