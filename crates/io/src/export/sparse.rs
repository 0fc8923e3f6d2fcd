//! A field over the box that is kept only where it has values, in blocks of 8 × 8 × 8 cells `[east, north, up]`.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::MEND;
use lavoxel_base::memory::{Held, MemoryEstimate, TooMuchMemory};

/// Edge of a block in cells.
pub(super) const EDGE: usize = 8;
/// Cells of a block.
pub(super) const CELLS: usize = EDGE * EDGE * EDGE;

/// Values of a block; up runs fastest, then north, then east.
#[derive(Clone)]
pub(super) struct Block<T> {
    /// A bit for each cell that has a value.
    pub(super) active: [u64; CELLS / 64],
    pub(super) values: [T; CELLS],
}

impl<T: Copy> Block<T> {
    /// The values of the active cells, in their order.
    pub(super) fn active_values(&self) -> impl Iterator<Item = T> + '_ {
        self.active_cells().map(|at| self.values[at])
    }

    /// Numbers of the active cells.
    pub(super) fn active_cells(&self) -> impl Iterator<Item = usize> + '_ {
        (0..CELLS).filter(|at| self.active[at / 64] >> (at % 64) & 1 == 1)
    }
}

/// A field with blocks where it has values, in the order of their places.
pub(super) struct Sparse<T> {
    /// Blocks by their places, counted in blocks.
    pub(super) blocks: BTreeMap<[u16; 3], Box<Block<T>>>,
    /// Why it got no more blocks.
    full: Option<TooMuchMemory>,
}

/// Blocks whose memory is checked at once.
const CHECKED: usize = 256;

/// Bytes of a block beside its cells: its place in the tree, and what the allocator adds.
const A_BLOCK: usize = 48;

impl<T: Copy + Default> Sparse<T> {
    /// No value anywhere.
    pub(super) fn new() -> Self {
        Self { blocks: BTreeMap::new(), full: None }
    }

    /// Memory of so many blocks.
    fn need(blocks: usize) -> MemoryEstimate {
        MemoryEstimate::of("the cells of the file", blocks, (size_of::<Block<T>>() + A_BLOCK) as f64)
    }

    /// Memory that it takes, counted in all estimates while the result lives.
    pub(super) fn held(&self) -> Held {
        Self::need(self.blocks.len()).held()
    }

    /// The field, if it fitted into the memory that is allowed.
    pub(super) fn whole(self) -> Result<Self, TooMuchMemory> {
        self.full.clone().map_or(Ok(self), Err)
    }

    /// Gives a cell a value; a block for which there is no memory stays away, and [`Sparse::whole`] says so.
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
                place.insert(Box::new(Block { active: [0; CELLS / 64], values: [T::default(); CELLS] }))
            }
        };
        let at = place(cell);
        block.active[at / 64] |= 1 << (at % 64);
        block.values[at] = value;
    }
}

/// Number of a cell in its block.
#[inline]
pub(super) fn place([i, j, k]: [usize; 3]) -> usize {
    (i % EDGE * EDGE + j % EDGE) * EDGE + k % EDGE
}

/// The cell with this number in the block at `block`.
pub(super) fn cell_of(block: [u16; 3], at: usize) -> [usize; 3] {
    let inner = [at / (EDGE * EDGE), at / EDGE % EDGE, at % EDGE];
    std::array::from_fn(|axis| usize::from(block[axis]) * EDGE + inner[axis])
}
