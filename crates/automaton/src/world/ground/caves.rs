//! Storage of the solid cells of hollow columns (caves, overhangs), one bit per cell.

/// Value in `Caves::slots` for a column that is not stored.
const NONE: u32 = u32::MAX;

/// Solid cells of those columns that are stored (the hollow ones), one bit per cell. Uses no memory
/// until the first column is stored; afterwards 4 bytes per column of the simulation box, and the
/// bits of the stored columns.
#[derive(Clone, Debug)]
pub(super) struct Caves {
    /// Number of columns of cells in the simulation box.
    columns: usize,
    /// Number of 64-bit words of a stored column; the cell at height y is bit `y % 64` of word `y /
    /// 64`.
    words: usize,
    /// For each column of the simulation box the index of its bits in `cells`, in units of `words`;
    /// empty while no column is stored.
    slots: Vec<u32>,
    /// Bits of the stored columns, `words` words each.
    cells: Vec<u64>,
    /// Indices in `cells` (in units of `words`) of removed columns, for reuse.
    free: Vec<u32>,
}

impl Caves {
    /// Creates a store for a simulation box of `columns` columns of `ny` cells, in which no column
    /// is stored.
    pub(super) const fn none(columns: usize, ny: usize) -> Self {
        Self {
            columns,
            words: ny.div_ceil(64),
            slots: Vec::new(),
            cells: Vec::new(),
            free: Vec::new(),
        }
    }

    /// Number of stored columns.
    pub(super) fn len(&self) -> usize {
        self.cells.len() / self.words - self.free.len()
    }

    /// Returns the bits of the column with index `column`, which must be stored.
    #[inline]
    pub(super) fn bits_of_column(&self, column: usize) -> &[u64] {
        &self.cells[self.slots[column] as usize * self.words..][..self.words]
    }

    /// Returns a mutable reference to the bits of the column with index `column`, which must be
    /// stored.
    pub(super) fn of_mut(&mut self, column: usize) -> &mut [u64] {
        &mut self.cells[self.slots[column] as usize * self.words..][..self.words]
    }

    /// Returns true if the cell at height `y` of the column with index `column` is solid; the
    /// column must be stored.
    #[inline]
    pub(super) fn is_solid(&self, column: usize, y: usize) -> bool {
        self.cells[self.slots[column] as usize * self.words + y / 64] >> (y % 64) & 1 == 1
    }

    /// Stores the column with index `column`, whose cells below `top` are solid and whose other
    /// cells are open; returns the bits of the column.
    pub(super) fn insert(&mut self, column: usize, top: usize) -> &mut [u64] {
        if self.slots.is_empty() {
            self.slots = vec![NONE; self.columns];
        }
        debug_assert!(self.slots[column] == NONE, "the column is stored already");
        self.slots[column] = self.free.pop().unwrap_or_else(|| {
            let slot = self.cells.len() / self.words;
            self.cells.resize(self.cells.len() + self.words, 0);
            slot as u32
        });
        let cells = self.of_mut(column);
        for (i, word) in cells.iter_mut().enumerate() {
            *word = pile(top, i);
        }
        cells
    }

    /// Removes the column with index `column` from the store.
    pub(super) fn remove(&mut self, column: usize) {
        self.free
            .push(std::mem::replace(&mut self.slots[column], NONE));
        if self.len() == 0 {
            *self = Self {
                slots: Vec::new(),
                cells: Vec::new(),
                free: Vec::new(),
                ..*self
            };
        }
    }

    /// Heap memory of the store in bytes.
    pub(super) fn bytes(&self) -> usize {
        size_of::<u32>() * (self.slots.len() + self.free.len())
            + size_of::<u64>() * self.cells.len()
    }
}

/// Height of the column with the bits `cells`, in cells: y of the highest solid cell plus one, 0 if
/// all cells are open.
pub(super) fn top_of(cells: &[u64]) -> usize {
    cells
        .iter()
        .rposition(|&word| word != 0)
        .map_or(0, |i| 64 * i + 64 - cells[i].leading_zeros() as usize)
}

/// Returns true if the column with the bits `cells` is not hollow: no open cell lies below a solid
/// one.
pub(super) fn is_pile(cells: &[u64]) -> bool {
    cells
        .iter()
        .map(|word| word.count_ones() as usize)
        .sum::<usize>()
        == top_of(cells)
}

/// Returns word `i` of the bits of a column whose cells below `top` are solid and whose other cells
/// are open.
fn pile(top: usize, i: usize) -> u64 {
    match top.saturating_sub(64 * i) {
        0 => 0,
        n => u64::MAX >> (64 - n.min(64)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_keep_their_cells_while_slots_are_reused() {
        let mut caves = Caves::none(10, 100);
        assert_eq!((caves.len(), caves.bytes()), (0, 0));
        caves.insert(3, 70)[0] &= !1;
        caves.insert(9, 100)[1] = 0;
        assert!(!caves.is_solid(3, 0) && caves.is_solid(3, 69) && !caves.is_solid(3, 70));
        caves.remove(3);
        assert_eq!((top_of(caves.insert(5, 64)), caves.len()), (64, 2));
        assert!(is_pile(caves.bits_of_column(5)) && caves.bits_of_column(9) == [u64::MAX, 0]);
        caves.remove(5);
        caves.remove(9);
        assert_eq!(
            (caves.len(), caves.bytes()),
            (0, 0),
            "memory goes with the last cave"
        );
    }
}
