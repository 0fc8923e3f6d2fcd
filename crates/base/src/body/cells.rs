//! Bit set of the cells inside a body (a shape into which a scene puts matter or rock) that was
//! read from a mesh or a heightmap.

use crate::grid::Place;
use crate::memory::Held;

/// Set of cells, stored as one bit for each cell of a bounding box.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cells {
    /// Lowest corner (x, y, z) of the bounding box, in cells, inclusive.
    low: Place,
    /// Highest corner (x, y, z) of the bounding box, in cells, exclusive.
    high: Place,
    /// One bit per cell of the bounding box, x fastest: set if the cell is in the set.
    bits: Vec<u64>,
    /// Memory of `bits` as counted against the memory limit of the process; released when the set
    /// is dropped.
    held: Held,
}

impl Cells {
    /// Creates an empty set with the bounding box from `low` up to `high` (exclusive), in cells.
    pub fn new(low: Place, high: Place) -> Self {
        let count: usize = (0..3).map(|k| high[k] - low[k]).product();
        let words = count.div_ceil(64);
        Self {
            low,
            high,
            bits: vec![0; words],
            held: Held::bytes(8 * words as u64),
        }
    }

    /// Creates the set of those cells from `low` up to `high` (exclusive) for which `inside`
    /// returns true.
    pub fn between(low: Place, high: Place, inside: impl Fn(Place) -> bool) -> Self {
        let mut cells = Self::new(low, high);
        for z in low[2]..high[2] {
            for y in low[1]..high[1] {
                for x in (low[0]..high[0]).filter(|&x| inside([x, y, z])) {
                    cells.insert(cells.index([x, y, z]));
                }
            }
        }
        cells
    }

    /// Adds the cell with this `index` in the bounding box: x fastest, then y, then z; index 0 is
    /// the cell at the lowest corner.
    pub fn insert(&mut self, index: usize) {
        self.bits[index / 64] |= 1 << (index % 64);
    }

    /// Lowest and highest corner of the bounding box (x, y, z), in cells.
    pub fn bounds(&self) -> ([f64; 3], [f64; 3]) {
        (self.low.map(|v| v as f64), self.high.map(|v| v as f64))
    }

    /// Returns true if the cell that contains the point `p` (x, y, z in cells) is in the set.
    pub fn contains(&self, p: [f64; 3]) -> bool {
        let is_within = (0..3).all(|k| p[k] >= self.low[k] as f64 && p[k] < self.high[k] as f64);
        is_within && {
            let index = self.index(p.map(|v| v as usize));
            self.bits[index / 64] >> (index % 64) & 1 == 1
        }
    }

    /// Number of cells that are in the set.
    pub fn count(&self) -> usize {
        self.bits
            .iter()
            .map(|bits| bits.count_ones() as usize)
            .sum()
    }

    fn index(&self, [x, y, z]: Place) -> usize {
        let [wide, high, _] = [0, 1, 2].map(|k| self.high[k] - self.low[k]);
        ((z - self.low[2]) * high + y - self.low[1]) * wide + x - self.low[0]
    }
}
