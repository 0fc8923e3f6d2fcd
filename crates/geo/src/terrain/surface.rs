//! Ground of a box as one height per column.

use ndarray::Array2;

use super::{Georeference, Heightmap};

/// Ground of a box with its georeference.
#[derive(Clone, Debug, PartialEq)]
pub struct Surface {
    /// Height of the ground above the floor in cells at the middle of each column, shape
    /// `(nz, nx)`; row 0 is north, column 0 is west. A cell is solid when its centre lies below the
    /// ground.
    pub heights: Array2<f32>,
    /// Default vent position in cells (east, south) from the north-west corner: the crater of the
    /// built-in volcano, otherwise the highest column away from the sides.
    pub summit: (f64, f64),
    /// Cell width in metres.
    pub cell_size_m: f64,
    /// Elevation of the floor (y = 0), in metres.
    pub floor_m: f64,
    /// Vertical stretch factor: `elevation = floor_m + y · cell_size_m / vertical_exaggeration`.
    pub vertical_exaggeration: f64,
    /// Georeference of the north-west corner of the box; `None` if the heightmap has none.
    pub georeference: Option<Georeference>,
    /// Notes about assumptions and omissions during reading of the heightmap, a sentence each.
    pub notes: Vec<String>,
}

impl Surface {
    /// Converts the ground to a heightmap of elevations in metres, one per column.
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

/// Centre in cells (east, south) of the highest column away from the sides, where lava would leave
/// the box at once; on a tie, the column nearest to the centre of the ground.
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

/// Centre of the column `(x, z)`, in cells.
pub(super) fn middle_of((x, z): (usize, usize)) -> (f64, f64) {
    (x as f64 + 0.5, z as f64 + 0.5)
}

/// Smallest number of air cells above the highest ground that a flow needs.
pub(super) const LEAST_AIR: f64 = 4.0;

/// Box height in cells with headroom for a flow over ground that is `top` cells high.
pub(super) fn with_headroom(top: f64) -> usize {
    (top + (0.1 * top).max(LEAST_AIR)).ceil() as usize
}
