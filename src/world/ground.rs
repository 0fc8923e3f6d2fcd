//! The ground: which cells are solid, and the smooth surface they were cut from.

use std::collections::HashMap;

use crate::parallel::*;
use ndarray::Array2;

use crate::grid::Grid;
use crate::stamp;

/// Solid cells of the box.
///
/// Nearly every column is solid from the floor to its top and needs two bytes; the others, with caves and overhangs,
/// have a bit for each cell.
///
/// Keeps: `tops[column]` is the lowest cell above the highest solid cell of that column (0 where none is solid, `ny`
/// where the column is solid to the roof), and has the bit `HOLLOW` where `hollow` has the column.
#[derive(Clone, Debug)]
pub struct Ground {
    grid: Grid,
    surface: Array2<f32>,
    tops: Vec<u16>,
    /// For each column with a cell that is not solid under one that is: the solid cells, bit `y % 64` of word `y / 64`.
    hollow: HashMap<usize, Box<[u64]>>,
    stamp: u64,
}

/// Marks a top whose column has cells that are not solid below it. Heights are below it: [`crate::grid::MAX_SIDE`].
const HOLLOW: u16 = 1 << 15;

/// Columns that are compared at once.
const STRIDE: usize = 32;

/// Whether the cells at `y` of these columns, none of which has caves, are all solid or all not, as asked.
#[inline]
fn are_alike(tops: &[u16; STRIDE], y: usize, solid: bool) -> bool {
    // Without a way out in the middle, so that many are compared by one instruction.
    let height = y as u16;
    tops.iter().fold(true, |all, &top| all & (top & HOLLOW == 0) & ((height < top) == solid))
}

impl Ground {
    /// Cuts the box at a surface of shape (`nz`, `nx`), heights in cells above the floor at the column centres: a cell
    /// is solid when its centre lies below the surface.
    pub fn from_surface(ny: usize, surface: Array2<f32>) -> Self {
        let (nz, nx) = surface.dim();
        let grid = Grid::new(nx, ny, nz);
        let top = |&h: &f32| (h + 0.5).floor().clamp(0.0, ny as f32) as u16;
        let tops = match surface.as_slice() {
            Some(heights) => heights.par_iter().with_min_len(1 << 14).map(top).collect(),
            None => surface.iter().map(top).collect(),
        };
        Self { grid, surface, tops, hollow: HashMap::new(), stamp: stamp::new() }
    }

    /// A ground from what [`Ground::surface`] and [`Ground::caves`] gave, every number of which is checked.
    ///
    /// # Errors
    /// Says which column cannot be.
    pub(crate) fn from_parts(ny: usize, surface: Array2<f32>, caves: Vec<(usize, Box<[u64]>)>) -> Result<Self, String> {
        if let Some(wrong) = surface.iter().position(|height| !height.is_finite()) {
            return Err(format!(
                "the height of column {wrong} is {}",
                surface.as_slice().map_or(f32::NAN, |h| h[wrong])
            ));
        }
        let mut ground = Self::from_surface(ny, surface);
        for (column, cells) in caves {
            let top = ground.tops.get(column).copied().ok_or_else(|| format!("there is no column {column}"))?;
            // The surface lies on the highest solid cell, and a column without a cave has no bits of its own.
            if cells.len() != ny.div_ceil(64) || top_of(&cells) != usize::from(top) || cells == pile(top.into(), ny) {
                return Err(format!("the cells of column {column} do not fit its height, {top}"));
            }
            ground.tops[column] |= HOLLOW;
            ground.hollow.insert(column, cells);
        }
        Ok(ground)
    }

    /// The columns with a cell that is not solid under one that is, in order: number and solid cells, bit `y % 64` of
    /// word `y / 64`.
    pub(crate) fn caves(&self) -> Vec<(usize, &[u64])> {
        let mut caves: Vec<_> = self.hollow.iter().map(|(&column, cells)| (column, &cells[..])).collect();
        caves.sort_unstable_by_key(|&(column, _)| column);
        caves
    }

    /// A box with no solid cell.
    pub fn none(grid: Grid) -> Self {
        Self::from_surface(grid.ny, Array2::zeros((grid.nz, grid.nx)))
    }

    /// Shape of the box.
    pub fn grid(&self) -> Grid {
        self.grid
    }

    /// Heights of shape (`nz`, `nx`) in cells above the floor, for drawing.
    pub fn surface(&self) -> &Array2<f32> {
        &self.surface
    }

    /// Whether a cell is solid.
    #[inline]
    pub fn is_solid(&self, x: usize, y: usize, z: usize) -> bool {
        let column = self.grid.column(x, z);
        let top = self.tops[column];
        y < usize::from(top & !HOLLOW) && (top & HOLLOW == 0 || self.hollow[&column][y / 64] >> (y % 64) & 1 == 1)
    }

    /// Adds `weight` to the sums of those cells of the row (y, z), from `x` on, that are not solid.
    pub(crate) fn add_open(&self, (y, z): (usize, usize), x: usize, weight: u32, sums: &mut [u32]) {
        let tops = &self.tops[self.grid.column(x, z)..][..sums.len()];
        let height = y as u16;
        for (sum, &top) in sums.iter_mut().zip(tops) {
            *sum += weight * u32::from(height >= top);
        }
        // A hollow column was higher than all.
        if tops.iter().fold(0, |all, top| all | top) & HOLLOW != 0 {
            for (i, _) in tops.iter().enumerate().filter(|&(_, top)| top & HOLLOW != 0) {
                sums[i] += weight * u32::from(!self.is_solid(x + i, y, z));
            }
        }
    }

    /// Whether the cell at a flat index is solid.
    #[inline]
    pub fn is_solid_at(&self, index: usize) -> bool {
        let (row, x) = (index / self.grid.nx, index % self.grid.nx);
        self.is_solid(x, row % self.grid.ny, row / self.grid.ny)
    }

    /// The cells of the row (y, z) from `x − 1` to `x + 8`: a bit for each that is solid, and one for each inside the box.
    pub(super) fn solid_bits(&self, x: usize, y: usize, z: usize) -> (u32, u32) {
        const CELLS: usize = 10;
        let (from, to) = (x.saturating_sub(1), (x + 9).min(self.grid.nx));
        let first = from + 1 - x;
        let row = &self.tops[self.grid.column(from, z)..self.grid.column(to, z)];
        let mut tops = [0; CELLS];
        tops[first..first + row.len()].copy_from_slice(row);
        let hollow = tops.iter().fold(0, |all, top| all | top) & HOLLOW != 0;
        let mut solid = 0;
        for (i, &top) in tops.iter().enumerate() {
            solid |= u32::from((y as u16) < top) << i;
        }
        if hollow {
            solid =
                (from..to).map(|x| u32::from(self.is_solid(x, y, z))).rfold(0, |bits, bit| bits << 1 | bit) << first;
        }
        (solid, ((1 << row.len()) - 1) << first)
    }

    /// The row (y, z) from west to east as runs of cells that are all solid or all not, each with its length.
    pub(super) fn runs(&self, y: usize, z: usize) -> impl Iterator<Item = (bool, usize)> + '_ {
        let tops = &self.tops[self.grid.column(0, z)..][..self.grid.nx];
        let solid = move |x: usize| match tops[x] {
            top if top & HOLLOW == 0 => y < top.into(),
            _ => self.is_solid(x, y, z),
        };
        let mut x = 0;
        std::iter::from_fn(move || {
            let (start, first) = (x, x < tops.len() && solid(x));
            while tops[x..].first_chunk().is_some_and(|some| are_alike(some, y, first)) {
                x += STRIDE;
            }
            while x < tops.len() && solid(x) == first {
                x += 1;
            }
            (x > start).then_some((first, x - start))
        })
    }

    /// Of the slab at `z`, the y below which every cell is solid and the one from which none is.
    pub(super) fn heights(&self, z: usize) -> (usize, usize) {
        let tops = &self.tops[self.grid.column(0, z)..][..self.grid.nx];
        let whole = tops.iter().map(|&top| if top & HOLLOW == 0 { top } else { 0 }).min().unwrap_or(0);
        let highest = tops.iter().map(|&top| top & !HOLLOW).max().unwrap_or(0);
        (whole.into(), highest.into())
    }

    /// A number that changes with every change of the ground: two grounds with the same stamp are equal.
    pub fn stamp(&self) -> u64 {
        self.stamp
    }

    /// Memory that it takes, in bytes.
    pub fn bytes(&self) -> usize {
        let hollow =
            self.hollow.len() * (self.grid.ny.div_ceil(64) * size_of::<u64>() + size_of::<(usize, Box<[u64]>)>());
        self.surface.len() * size_of::<f32>() + self.tops.len() * size_of::<u16>() + hollow
    }

    /// The lowest cell above the highest solid cell of a column.
    #[inline]
    pub fn top(&self, x: usize, z: usize) -> usize {
        usize::from(self.tops[self.grid.column(x, z)] & !HOLLOW)
    }

    /// Makes a cell solid or not and keeps the surface in step with the highest solid cell.
    pub(super) fn set(&mut self, x: usize, y: usize, z: usize, solid: bool) {
        if self.is_solid(x, y, z) == solid {
            return;
        }
        self.stamp = stamp::new();
        let column = self.grid.column(x, z);
        let old_top = self.top(x, z);
        let mut cells = self.hollow.remove(&column).unwrap_or_else(|| pile(old_top, self.grid.ny));
        cells[y / 64] ^= 1 << (y % 64);
        let top = top_of(&cells);
        self.tops[column] = top as u16;
        if cells != pile(top, self.grid.ny) {
            self.tops[column] |= HOLLOW;
            self.hollow.insert(column, cells);
        }
        if top != old_top {
            self.surface[[z, x]] = top as f32;
        }
    }
}

/// The lowest cell above all bits of a column.
fn top_of(cells: &[u64]) -> usize {
    cells.iter().rposition(|&word| word != 0).map_or(0, |i| 64 * i + 64 - cells[i].leading_zeros() as usize)
}

/// The bits of a column that is solid below `top`.
fn pile(top: usize, ny: usize) -> Box<[u64]> {
    let word = |i: usize| match top.saturating_sub(64 * i) {
        0 => 0,
        n => u64::MAX >> (64 - n.min(64)),
    };
    (0..ny.div_ceil(64)).map(word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn a_cell_is_solid_when_its_centre_lies_below_the_surface() {
        let ground = Ground::from_surface(3, array![[0.0, 0.49, 0.51, 1.5, 9.0]]);
        let tops: Vec<usize> = (0..5).map(|x| ground.top(x, 0)).collect();
        assert_eq!(tops, [0, 0, 1, 2, 3]);
        assert!(ground.is_solid(3, 1, 0) && !ground.is_solid(3, 2, 0));
    }

    #[test]
    fn the_top_follows_digging_and_building() {
        let mut ground = Ground::from_surface(4, array![[2.0]]);
        ground.set(0, 3, 0, true);
        assert_eq!((ground.top(0, 0), ground.surface()[[0, 0]]), (4, 4.0));
        ground.set(0, 3, 0, false);
        assert_eq!(ground.top(0, 0), 2);
    }
}
