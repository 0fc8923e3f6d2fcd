//! Ground of a box as heights.

use ndarray::Array2;

use super::{Georeference, Heightmap};

/// Ground of a box, with its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Surface {
    /// Height of the ground above the floor in cells at the middle of each column, shape
    /// `(nz, nx)`; row 0 is north, column 0 is west. A cell is solid when its centre lies below the
    /// ground.
    pub heights: Array2<f32>,
    /// Default place of a vent, in cells east and south of the north-west corner: the middle of the
    /// built-in volcano's crater; on any other ground that of the highest column that is not near
    /// the sides.
    pub summit: (f64, f64),
    /// Edge of a cell in metres.
    pub cell_size_m: f64,
    /// Elevation of the floor (y = 0) in metres.
    pub floor_m: f64,
    /// Vertical stretch factor: `elevation = floor_m + y · cell_size_m / vertical_exaggeration`.
    pub vertical_exaggeration: f64,
    /// Place on the map, for the edge of the box's north-west column; `None` if the heightmap has
    /// none.
    pub georeference: Option<Georeference>,
    /// Remarks on assumptions and omissions while the heightmap was read, a sentence each.
    pub notes: Vec<String>,
}

impl Surface {
    /// Converts the ground to elevations in metres, on the columns of the box.
    pub fn to_heightmap(&self) -> Heightmap {
        let metres = self.cell_size_m / self.vertical_exaggeration;
        Heightmap {
            heights: self.heights.mapv(|h| (self.floor_m + f64::from(h) * metres) as f32),
            cell_size_m: (self.cell_size_m, self.cell_size_m),
            origin: self.georeference.clone(),
            notes: self.notes.clone(),
        }
    }
}

/// Middle of the highest column that is not near the sides, where lava would only run out of sight;
/// of equal ones, the nearest to the middle of the ground. In cells (east, south).
pub fn summit(heights: &Array2<f32>) -> (f64, f64) {
    let (rows, cols) = heights.dim();
    let inner = |i: usize, n: usize| i >= n / 8 && i < n - n / 8;
    let off = |i: usize, n: usize| (2 * i + 1).abs_diff(n).pow(2);
    let far = |(r, c): (usize, usize)| off(r, rows) + off(c, cols);
    let inside = heights.indexed_iter().filter(|((r, c), _)| inner(*r, rows) && inner(*c, cols));
    let highest = inside.max_by(|(at, a), (bt, b)| a.total_cmp(b).then(far(*bt).cmp(&far(*at))));
    let (r, c) = highest.map_or((rows / 2, cols / 2), |(at, _)| at);
    middle_of((c, r))
}

/// Middle of a column, in cells.
pub(super) fn middle_of((x, z): (usize, usize)) -> (f64, f64) {
    (x as f64 + 0.5, z as f64 + 0.5)
}

/// Least number of air cells above the highest ground that a flow needs.
pub(super) const LEAST_AIR: f64 = 4.0;

/// Height of a box in cells with room for a flow over ground that is `top` cells high.
pub(super) fn with_headroom(top: f64) -> usize {
    (top + (0.1 * top).max(LEAST_AIR)).ceil() as usize
}
