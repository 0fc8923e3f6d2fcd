//! Cells without data (holes) of a heightmap: filling, or cropping.

use super::cut::largest_whole;
use super::heightmap::BYTES_A_HEIGHT;
use super::{Fill, Heightmap, TerrainError};
use lavoxel_base::memory::MemoryEstimate;

/// Memory in bytes of a cell index in the queue of `fill_nearest`.
const BYTES_A_PLACE: f64 = 4.0;

impl Heightmap {
    /// Fills cells without data by the rule `rule`, or crops them away; no effect on a heightmap in
    /// which all cells have data.
    ///
    /// # Errors
    /// [`TerrainError::AllNoData`] when there is nothing to fill from, [`TerrainError::NoData`]
    /// when the rule is [`Fill::Error`] and there are holes, [`TerrainError::TooMuchMemory`] when
    /// there are too many to fill.
    pub fn fill(&mut self, rule: Fill) -> Result<(), TerrainError> {
        let total = self.heights.len();
        let missing = self.no_data();
        let Some((lowest, _)) = self.range() else {
            return Err(TerrainError::AllNoData { total });
        };
        match rule {
            _ if missing == 0 => {}
            Fill::Error => return Err(TerrainError::NoData { missing, total }),
            Fill::Lowest => self
                .heights
                .iter_mut()
                .filter(|h| h.is_nan())
                .for_each(|h| *h = lowest),
            Fill::Nearest => self.fill_nearest(missing)?,
            Fill::Cut => *self = self.crop(largest_whole(&self.heights))?,
        }
        Ok(())
    }

    /// Gives each cell without data the height of the nearest cell with data, by a breadth-first
    /// search from all cells with data. `holes`: number of cells without data.
    fn fill_nearest(&mut self, holes: usize) -> Result<(), TerrainError> {
        let (rows, cols) = self.heights.dim();
        let around = |r: usize, c: usize| {
            let (south, east) = ((r + 1).min(rows - 1), (c + 1).min(cols - 1));
            (r.saturating_sub(1)..=south)
                .flat_map(move |r| (c.saturating_sub(1)..=east).map(move |c| (r, c)))
        };
        let heights = &self.heights;
        let next_to_a_hole = |&(r, c): &(usize, usize)| {
            !heights[[r, c]].is_nan() && around(r, c).any(|at| heights[at].is_nan())
        };
        let cells = || (0..rows).flat_map(|r| (0..cols).map(move |c| (r, c)));
        let edge = cells().filter(next_to_a_hole).count();
        // Two rings exist at a time, and a growing list exists twice for a moment.
        MemoryEstimate::new("the heights of the map", heights.len(), BYTES_A_HEIGHT)
            .and(MemoryEstimate::new("filling its holes", edge + 3 * holes.min(heights.len()), BYTES_A_PLACE))
            .check("crop to a part without holes, or fill them otherwise (fill_no_data, or --fill lowest)")?;
        let mut ring: Vec<u32> = Vec::with_capacity(edge);
        ring.extend(
            cells()
                .filter(next_to_a_hole)
                .map(|(r, c)| (r * cols + c) as u32),
        );
        while !ring.is_empty() {
            let mut next = Vec::new();
            for place in std::mem::take(&mut ring) {
                let (r, c) = (place as usize / cols, place as usize % cols);
                let height = self.heights[[r, c]];
                for (nr, nc) in around(r, c) {
                    if self.heights[[nr, nc]].is_nan() {
                        self.heights[[nr, nc]] = height;
                        next.push((nr * cols + nc) as u32);
                    }
                }
            }
            ring = next;
        }
        Ok(())
    }
}
