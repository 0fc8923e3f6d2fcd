//! Ground: solid cells, and the smooth height field of their surface, for rendering.

mod caves;
mod versions;

use lavoxel_base::parallel::*;
use ndarray::Array2;

use self::caves::{Caves, is_pile, top_of};
use self::versions::Versions;
pub use self::versions::{GroundChanges, GroundCursor};
use lavoxel_base::grid::tile::{TILE_X, TILE_Z, TilePlace};
use lavoxel_base::grid::{Grid, Place};

/// Solid cells of the simulation box, stored by column.
///
/// A column that is solid from the floor to its top takes two bytes; a column with caves or
/// overhangs has one bit per cell in addition.
///
/// Invariant: `tops[column]` is the lowest cell above the highest solid cell of that column (0
/// where none is solid, `ny` where the column is solid to the roof), and has the bit `HOLLOW` where
/// `caves` stores the column.
#[derive(Clone, Debug)]
pub struct Ground {
    grid: Grid,
    surface: Array2<f32>,
    tops: Vec<u16>,
    /// Solid cells of the hollow columns (in which an open cell lies below a solid one), as bit
    /// sets.
    caves: Caves,
    /// Bit set, one bit per column of cells, of columns whose top is rock solidified from lava in
    /// this simulation; empty if there are none.
    fresh: Vec<u64>,
    versions: Versions,
}

/// View of the ground in one strip (the tiles with one z index).
#[derive(Clone, Copy, Debug)]
pub struct GroundStrip<'a> {
    pub(super) ground: &'a Ground,
    pub(super) tz: usize,
    versions: &'a [u64],
}

impl GroundStrip<'_> {
    /// Version of the ground in the column of tiles with x index `tx` of this strip, including a
    /// margin of one cell around the tiles; equal versions mean equal cells.
    #[inline]
    pub(crate) fn version(self, tx: usize) -> u64 {
        self.versions[tx]
    }

    /// Height of the simulation box in cells.
    #[inline]
    pub(crate) fn ny(self) -> usize {
        self.ground.grid.ny
    }
}

/// Bit of a stored top that marks a hollow column, in which an open cell lies below a solid one.
/// Heights never reach this bit, because they are at most [`lavoxel_base::grid::MAX_SIDE`].
const HOLLOW: u16 = 1 << 15;

/// Number of columns of cells compared at once in the search for stretches of equal cells.
// Comparing 32 columns at once took the hash of a box of 4096 × 512 × 4096 cells from 5.9 s to 1.0
// s.
const STRIDE: usize = 32;

/// Returns true if all cells at height `y` of the columns with these `tops` are solid (if `solid`
/// is true) or all are open (if `solid` is false); false if one of the columns is hollow.
#[inline]
fn are_alike(tops: &[u16; STRIDE], y: usize, solid: bool) -> bool {
    // Without an early exit, so that many columns are compared by one instruction.
    let height = y as u16;
    tops.iter().fold(true, |all, &top| {
        all & (top & HOLLOW == 0) & ((height < top) == solid)
    })
}

impl Ground {
    /// Creates the ground from a height field: `surface` has shape (`nz`, `nx`) and heights in
    /// cells above the floor at the column centres. A cell is solid if its centre lies below the
    /// surface; `ny` is the height of the simulation box in cells.
    pub fn from_surface(ny: usize, surface: Array2<f32>) -> Self {
        let (nz, nx) = surface.dim();
        let grid = Grid::new(nx, ny, nz);
        let top = |&h: &f32| (h + 0.5).floor().clamp(0.0, ny as f32) as u16;
        let tops = match surface.as_slice() {
            Some(heights) => heights.par_iter().with_min_len(1 << 14).map(top).collect(),
            None => surface.iter().map(top).collect(),
        };
        let caves = Caves::none(grid.columns(), ny);
        Self {
            grid,
            surface,
            tops,
            caves,
            fresh: Vec::new(),
            versions: Versions::new(grid),
        }
    }

    /// Creates the ground from saved parts, the results of [`Ground::surface`] and
    /// [`Ground::caves`], and checks that they are consistent; `ny` is the height of the simulation
    /// box in cells.
    ///
    /// # Errors
    /// If a part is inconsistent; the error names the column.
    pub fn from_parts(
        ny: usize,
        surface: Array2<f32>,
        caves: Vec<(usize, Box<[u64]>)>,
    ) -> Result<Self, String> {
        if let Some(wrong) = surface.iter().position(|height| !height.is_finite()) {
            return Err(format!(
                "the height of column {wrong} is {}",
                surface.as_slice().map_or(f32::NAN, |h| h[wrong])
            ));
        }
        let mut ground = Self::from_surface(ny, surface);
        for (column, cells) in caves {
            let top = ground
                .tops
                .get(column)
                .copied()
                .ok_or_else(|| format!("there is no column {column}"))?;
            // The surface lies on the highest solid cell, and a column without a cave has no bits
            // of its own.
            if top & HOLLOW != 0
                || cells.len() != ny.div_ceil(64)
                || top_of(&cells) != usize::from(top)
                || is_pile(&cells)
            {
                return Err(format!(
                    "the cells of column {column} do not fit its height, {}",
                    top & !HOLLOW
                ));
            }
            ground.tops[column] |= HOLLOW;
            ground
                .caves
                .insert(column, top.into())
                .copy_from_slice(&cells);
        }
        Ok(ground)
    }

    /// Returns the hollow columns, in which an open cell lies below a solid one, in ascending
    /// order: column index, and solid cells as bit `y % 64` of word `y / 64`.
    pub fn caves(&self) -> Vec<(usize, &[u64])> {
        if self.caves.len() == 0 {
            return Vec::new();
        }
        let hollow = self
            .tops
            .iter()
            .enumerate()
            .filter(|&(_, top)| top & HOLLOW != 0);
        hollow
            .map(|(column, _)| (column, self.caves.bits_of_column(column)))
            .collect()
    }

    /// Bit set, in the order of [`Grid::column`], of columns whose top is rock solidified from lava
    /// in this simulation; empty if there are none. Used only for rendering.
    pub fn fresh(&self) -> &[u64] {
        &self.fresh
    }

    /// Sets or clears the flag that the top of the column (`x`, `z`) is rock solidified from lava.
    pub fn set_fresh(&mut self, x: usize, z: usize, is_fresh: bool) {
        let column = self.grid.column(x, z);
        if self.fresh.is_empty() {
            if !is_fresh {
                return;
            }
            self.fresh = vec![0; self.grid.columns().div_ceil(64)];
        }
        let (word, bit) = (&mut self.fresh[column / 64], 1 << (column % 64));
        if (*word & bit != 0) != is_fresh {
            *word ^= bit;
            self.versions.bump(self.grid, x, z);
        }
    }

    /// Creates a ground without solid cells.
    pub fn none(grid: Grid) -> Self {
        Self::from_surface(grid.ny, Array2::zeros((grid.nz, grid.nx)))
    }

    /// Grid of the ground: number of cells along x, y and z.
    pub fn grid(&self) -> Grid {
        self.grid
    }

    /// Height field of the ground's surface for rendering, shape (`nz`, `nx`), in cells above the
    /// floor.
    pub fn surface(&self) -> &Array2<f32> {
        &self.surface
    }

    /// Returns true if the cell at (x, y, z) is solid.
    #[inline]
    pub fn is_solid(&self, [x, y, z]: Place) -> bool {
        let column = self.grid.column(x, z);
        let top = self.tops[column];
        y < usize::from(top & !HOLLOW) && (top & HOLLOW == 0 || self.caves.is_solid(column, y))
    }

    /// Adds `weight` to `sums[i]` for each i for which the cell (`x` + i, `y`, `z`) is not solid;
    /// arguments `(y, z)` and `x` in cells.
    pub fn add_open(&self, (y, z): (usize, usize), x: usize, weight: u32, sums: &mut [u32]) {
        let tops = &self.tops[self.grid.column(x, z)..][..sums.len()];
        let height = y as u16;
        for (sum, &top) in sums.iter_mut().zip(tops) {
            *sum += weight * u32::from(height >= top);
        }
        // A hollow column was treated as higher than all others above; corrected here.
        if tops.iter().fold(0, |all, top| all | top) & HOLLOW != 0 {
            for (i, _) in tops
                .iter()
                .enumerate()
                .filter(|&(_, top)| top & HOLLOW != 0)
            {
                sums[i] += weight * u32::from(!self.is_solid([x + i, y, z]));
            }
        }
    }

    /// Returns two bit masks for the ten cells from x − 1 to x + 8 at the given y and z, lowest bit
    /// first: solid cells, and cells inside of the simulation box.
    pub(super) fn solid_bits(&self, [x, y, z]: Place) -> (u32, u32) {
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
            solid = (from..to)
                .map(|x| u32::from(self.is_solid([x, y, z])))
                .rfold(0, |bits, bit| bits << 1 | bit)
                << first;
        }
        (solid, ((1 << row.len()) - 1) << first)
    }

    /// Returns the bit mask of the solid cells of the tile (tx, y, tz), x and z in tiles and y in
    /// cells.
    pub(super) fn solid_cells(&self, [tx, y, tz]: TilePlace) -> u32 {
        let mut cells = 0;
        for (row, z) in (tz * TILE_Z..self.grid.nz).take(TILE_Z).enumerate() {
            let (solid, _) = self.solid_bits([tx * TILE_X, y, z]);
            cells |= (solid >> 1 & 0xff) << (TILE_X * row);
        }
        cells
    }

    /// Iterates over the stretches of consecutive cells along x that are all solid or all open, at
    /// the given `y` and `z`, from west to east: true for solid cells, and number of cells.
    pub(super) fn runs(&self, y: usize, z: usize) -> impl Iterator<Item = (bool, usize)> + '_ {
        let tops = &self.tops[self.grid.column(0, z)..][..self.grid.nx];
        let solid = move |x: usize| match tops[x] {
            top if top & HOLLOW == 0 => y < top.into(),
            _ => self.is_solid([x, y, z]),
        };
        let mut x = 0;
        std::iter::from_fn(move || {
            let (start, first) = (x, x < tops.len() && solid(x));
            while tops[x..]
                .first_chunk()
                .is_some_and(|some| are_alike(some, y, first))
            {
                x += STRIDE;
            }
            while x < tops.len() && solid(x) == first {
                x += 1;
            }
            (x > start).then_some((first, x - start))
        })
    }

    /// Returns two heights in cells for the slab of cells with this `z`: all cells below the first
    /// height are solid, and all cells from the second height upwards are open.
    pub(super) fn heights(&self, z: usize) -> (usize, usize) {
        let tops = &self.tops[self.grid.column(0, z)..][..self.grid.nx];
        let whole = tops
            .iter()
            .map(|&top| if top & HOLLOW == 0 { top } else { 0 })
            .min()
            .unwrap_or(0);
        let highest = tops.iter().map(|&top| top & !HOLLOW).max().unwrap_or(0);
        (whole.into(), highest.into())
    }

    /// Version stamp of the whole ground; changes with every edit. Equal stamps imply equal
    /// grounds.
    pub fn stamp(&self) -> u64 {
        self.versions.stamp()
    }

    /// Returns a view of the ground in the tiles with z index `tz`.
    #[inline]
    pub fn strip(&self, tz: usize) -> GroundStrip<'_> {
        GroundStrip {
            ground: self,
            tz,
            versions: self.versions.strip(tz),
        }
    }

    /// Returns a cursor for a reader that has read the ground in its present state; later changes
    /// are relative to this state.
    pub fn cursor(&self) -> GroundCursor {
        GroundCursor::new(&self.versions)
    }

    /// Returns the columns of tiles in which the ground differs from the state at `cursor`, and
    /// moves the cursor to the present state. The cursor may come from another ground, such as an
    /// older copy.
    pub fn changes_since(&self, cursor: &mut GroundCursor) -> GroundChanges {
        cursor.advance(&self.versions)
    }

    /// Number of hollow columns, in which an open cell lies below a solid one.
    pub(super) fn hollow_columns(&self) -> usize {
        self.caves.len()
    }

    /// Memory of the ground (cells, surface and versions) in bytes.
    pub fn bytes(&self) -> usize {
        self.surface.len() * size_of::<f32>()
            + self.tops.len() * size_of::<u16>()
            + self.caves.bytes()
            + size_of_val(&self.fresh[..])
            + self.versions.bytes()
    }

    /// Returns the height of the column (`x`, `z`) in cells: y of the highest solid cell plus one,
    /// 0 if all cells are open.
    #[inline]
    pub fn top(&self, x: usize, z: usize) -> usize {
        usize::from(self.tops[self.grid.column(x, z)] & !HOLLOW)
    }

    /// Returns y of the lowest open cell of the column (`x`, `z`); `ny` if all cells are solid.
    pub fn lowest_open(&self, x: usize, z: usize) -> usize {
        let top = self.top(x, z);
        if self.tops[self.grid.column(x, z)] & HOLLOW == 0 {
            return top;
        }
        (0..top).find(|&y| !self.is_solid([x, y, z])).unwrap_or(top)
    }

    /// Makes the cell `place` solid or open and updates the height field if the top of the column
    /// moves. Returns true if the cell changed.
    pub(super) fn set(&mut self, place: Place, solid: bool) -> bool {
        if self.is_solid(place) == solid {
            return false;
        }
        let [x, y, z] = place;
        self.versions.bump(self.grid, x, z);
        let column = self.grid.column(x, z);
        let old = self.tops[column];
        let old_top = usize::from(old & !HOLLOW);
        if old & HOLLOW == 0 && y + usize::from(!solid) == old_top {
            // The cell lies on top of a column without caves, or is its highest cell.
            self.tops[column] = (y + usize::from(solid)) as u16;
        } else {
            self.set_in_cave(column, y, old);
        }
        let top = self.top(x, z);
        if top != old_top {
            self.surface[[z, x]] = top as f32;
        }
        true
    }

    /// Sets the height of the rendered surface in the column (`x`, `z`), in cells above the floor;
    /// does not change which cells are solid.
    pub fn set_height(&mut self, x: usize, z: usize, height: f32) {
        let height = height.min(self.grid.ny as f32);
        if self.surface[[z, x]] != height {
            self.versions.bump(self.grid, x, z);
            self.surface[[z, x]] = height;
        }
    }

    /// Makes the cell at height `y` of the column with index `column` solid or open, for a column
    /// that is hollow before or after the change; `old` is the column's entry in `tops` before the
    /// change.
    fn set_in_cave(&mut self, column: usize, y: usize, old: u16) {
        let cells = match old & HOLLOW {
            0 => self.caves.insert(column, old.into()),
            _ => self.caves.of_mut(column),
        };
        cells[y / 64] ^= 1 << (y % 64);
        let (top, is_pile) = (top_of(cells) as u16, is_pile(cells));
        self.tops[column] = if is_pile { top } else { top | HOLLOW };
        if is_pile {
            self.caves.remove(column);
        }
    }
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
        assert!(ground.is_solid([3, 1, 0]) && !ground.is_solid([3, 2, 0]));
    }

    #[test]
    fn the_top_follows_digging_and_building() {
        let mut ground = Ground::from_surface(4, array![[2.0]]);
        ground.set([0, 3, 0], true);
        assert_eq!((ground.top(0, 0), ground.surface()[[0, 0]]), (4, 4.0));
        ground.set([0, 3, 0], false);
        assert_eq!(ground.top(0, 0), 2);
    }

    #[test]
    fn cells_are_those_that_were_set() {
        let grid = Grid::new(5, 130, 3);
        let mut ground = Ground::none(grid);
        let mut cells = vec![false; grid.cells()];
        let mut random = 1_u64;
        for step in 0..4000 {
            random = lavoxel_base::random::mix64(random);
            // Low cells come more often than high ones, so that columns without caves occur too.
            let y = (random >> 8) as usize % grid.ny * ((random >> 24) as usize % 4) / 3;
            let (x, z, solid) = (
                random as usize % 5,
                (random >> 40) as usize % 3,
                random >> 50 & 3 != step & 1,
            );
            let cell = &mut cells[grid.index([x, y, z])];
            assert_eq!(
                ground.set([x, y, z], solid),
                std::mem::replace(cell, solid) != solid
            );
        }
        assert!(!ground.caves().is_empty());
        for ([x, y, z], &solid) in grid.places().zip(&cells) {
            assert_eq!(ground.is_solid([x, y, z]), solid, "({x}, {y}, {z})");
        }
        let parts = ground
            .caves()
            .into_iter()
            .map(|(column, cells)| (column, cells.into()))
            .collect();
        let again = Ground::from_parts(grid.ny, ground.surface().clone(), parts).expect("it fits");
        assert!(
            grid.places()
                .zip(&cells)
                .all(|([x, y, z], &solid)| again.is_solid([x, y, z]) == solid)
        );
        (0..grid.cells()).for_each(|i| _ = ground.set([i % 5, i / 5 % 130, i / 650], false));
        assert!(ground.caves().is_empty() && ground.bytes() == Ground::none(grid).bytes());
    }

    #[test]
    fn a_change_gives_new_versions_to_the_columns_of_tiles_that_see_it() {
        let grid = Grid::new(40, 9, 20);
        let mut ground = Ground::none(grid);
        let mut cursor = ground.cursor();
        let mut changed =
            |ground: &Ground| ground.changes_since(&mut cursor).iter().collect::<Vec<_>>();
        assert_eq!(changed(&ground), []);
        for ((x, z), seen) in [
            ((12, 6), vec![(1, 1)]),
            ((8, 6), vec![(0, 1), (1, 1)]),
            ((15, 7), vec![(1, 1), (2, 1), (1, 2), (2, 2)]),
            ((0, 0), vec![(0, 0)]),
            ((39, 19), vec![(4, 4)]),
        ] {
            ground.set([x, 3, z], true);
            assert_eq!(changed(&ground), seen, "({x}, {z})");
            assert!(
                !ground.set([x, 3, z], true) && changed(&ground).is_empty(),
                "nothing changed"
            );
        }
        // Copies that are edited apart differ where either was edited.
        let mut copy = ground.clone();
        copy.set([20, 0, 10], true);
        ground.set([3, 0, 1], true);
        assert_eq!(changed(&ground), [(0, 0)]);
        assert_eq!(changed(&copy), [(0, 0), (2, 2)]);
        assert_eq!(
            changed(&Ground::none(grid)).len(),
            5 * 5,
            "another ground altogether"
        );
    }
}
