//! Sparse field over the cells of the simulation box: blocks of 8 × 8 × 8 cells `[east, north,
//! up]`, stored only if a cell in the block has a value.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::MEND;
use lavoxel_base::memory::{Held, MemoryEstimate, TooMuchMemory};

/// Edge length of a block of the sparse field, in cells.
pub(super) const EDGE: usize = 8;
/// Number of cells in a block of the sparse field.
pub(super) const CELLS: usize = EDGE * EDGE * EDGE;

/// Values of the cells in one block; the up axis varies fastest, then north, then east.
#[derive(Clone)]
pub(super) struct Block<T> {
    /// Bit mask of the cells in the block that have a value, by cell index.
    pub(super) active: [u64; CELLS / 64],
    pub(super) values: [T; CELLS],
}

impl<T: Copy> Block<T> {
    /// Iterates over the values of the cells that have a value, in index order.
    pub(super) fn active_values(&self) -> impl Iterator<Item = T> + '_ {
        self.active_cells().map(|at| self.values[at])
    }

    /// Iterates over the indices of the cells that have a value, ascending.
    pub(super) fn active_cells(&self) -> impl Iterator<Item = usize> + '_ {
        (0..CELLS).filter(|at| self.active[at / 64] >> (at % 64) & 1 == 1)
    }
}

/// Sparse field of values of type `T` over the cells of the simulation box.
pub(super) struct Sparse<T> {
    /// Blocks with at least one value; key: position of the block (cell position divided by 8).
    pub(super) blocks: BTreeMap<[u16; 3], Box<Block<T>>>,
    /// Error of a memory check that failed while the field grew; `None` if all succeeded.
    full: Option<TooMuchMemory>,
}

/// Number of blocks that are added between two checks of the memory limit.
const CHECKED: usize = 256;

/// Memory that a block needs in addition to its values, in bytes: its entry in the `BTreeMap`, and
/// overhead of the allocator.
const A_BLOCK: usize = 48;

impl<T: Copy + Default> Sparse<T> {
    /// Creates a sparse field without values.
    pub(super) fn new() -> Self {
        Self {
            blocks: BTreeMap::new(),
            full: None,
        }
    }

    /// Estimates the memory of a sparse field with `blocks` blocks.
    fn need(blocks: usize) -> MemoryEstimate {
        MemoryEstimate::new(
            "the cells of the file",
            blocks,
            (size_of::<Block<T>>() + A_BLOCK) as f64,
        )
    }

    /// Reserves the memory of the sparse field until the result is dropped.
    pub(super) fn held(&self) -> Held {
        Self::need(self.blocks.len()).held()
    }

    /// Returns the field, or the memory error if `set` has dropped values because of the memory
    /// limit.
    pub(super) fn whole(self) -> Result<Self, TooMuchMemory> {
        self.full.clone().map_or(Ok(self), Err)
    }

    /// Sets the value of the cell `[east, north, up]`. If there is no memory for a new block, the
    /// value is dropped, and [`Sparse::whole`] will return the memory error.
    pub(super) fn set(&mut self, cell: [usize; 3], value: T) {
        let number = cell.map(|c| (c / EDGE) as u16);
        let blocks = self.blocks.len();
        let block = match self.blocks.entry(number) {
            Entry::Occupied(block) => block.into_mut(),
            Entry::Vacant(_) if self.full.is_some() => return,
            Entry::Vacant(place) => {
                if blocks.is_multiple_of(CHECKED) {
                    self.full = Self::need(blocks + CHECKED).check(MEND).err();
                    if self.full.is_some() {
                        return;
                    }
                }
                place.insert(Box::new(Block {
                    active: [0; CELLS / 64],
                    values: [T::default(); CELLS],
                }))
            }
        };
        let at = place(cell);
        block.active[at / 64] |= 1 << (at % 64);
        block.values[at] = value;
    }
}

/// Returns the index of the cell `[i, j, k]` ([east, north, up]) within its block.
#[inline]
pub(super) fn place([i, j, k]: [usize; 3]) -> usize {
    (i % EDGE * EDGE + j % EDGE) * EDGE + k % EDGE
}

/// Returns the position `[east, north, up]` of the cell with the index `at` in the block at the
/// position `block`.
pub(super) fn cell_of(block: [u16; 3], at: usize) -> [usize; 3] {
    let inner = [at / (EDGE * EDGE), at / EDGE % EDGE, at % EDGE];
    std::array::from_fn(|axis| usize::from(block[axis]) * EDGE + inner[axis])
}
