//! Solid cells of hollow columns (caves, overhangs), one bit per cell.

/// Slot value of a column that is not stored.
const NONE: u32 = u32::MAX;

/// Bit sets of selected columns. Takes no memory until the first column is stored; afterwards 4
/// bytes per column of the box plus the bits of the stored columns.
#[derive(Clone, Debug)]
pub(super) struct Caves {
    /// Number of columns of the box.
    columns: usize,
    /// Number of words of a stored column: bit `y % 64` of word `y / 64`.
    words: usize,
    /// Slot of each column; empty while nothing is stored.
    slots: Vec<u32>,
    /// Bit words of the stored columns, by slot.
    cells: Vec<u64>,
    /// Unused slots.
    free: Vec<u32>,
}

impl Caves {
    /// Creates an empty store for `columns` columns of `ny` cells.
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

    /// Returns the bit words of the stored column with index `column`.
    #[inline]
    pub(super) fn of(&self, column: usize) -> &[u64] {
        &self.cells[self.slots[column] as usize * self.words..][..self.words]
    }

    /// Returns the mutable bit words of the stored column with index `column`.
    pub(super) fn of_mut(&mut self, column: usize) -> &mut [u64] {
        &mut self.cells[self.slots[column] as usize * self.words..][..self.words]
    }

    /// Returns true if the cell at height `y` of the stored column is solid.
    #[inline]
    pub(super) fn is_solid(&self, column: usize, y: usize) -> bool {
        self.cells[self.slots[column] as usize * self.words + y / 64] >> (y % 64) & 1 == 1
    }

    /// Adds `column` to the store with all cells below `top` solid; returns its bit words.
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

    /// Removes `column` from the store.
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

    /// Memory in bytes.
    pub(super) fn bytes(&self) -> usize {
        size_of::<u32>() * (self.slots.len() + self.free.len())
            + size_of::<u64>() * self.cells.len()
    }
}

/// Returns y of the highest solid cell plus one; 0 if all cells are open.
pub(super) fn top_of(cells: &[u64]) -> usize {
    cells
        .iter()
        .rposition(|&word| word != 0)
        .map_or(0, |i| 64 * i + 64 - cells[i].leading_zeros() as usize)
}

/// Returns true if the column has no caves: no open cell below a solid one.
pub(super) fn is_pile(cells: &[u64]) -> bool {
    cells
        .iter()
        .map(|word| word.count_ones() as usize)
        .sum::<usize>()
        == top_of(cells)
}

/// Returns bit word `i` of a column that is solid below `top`.
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
        assert!(is_pile(caves.of(5)) && caves.of(9) == [u64::MAX, 0]);
        caves.remove(5);
        caves.remove(9);
        assert_eq!(
            (caves.len(), caves.bytes()),
            (0, 0),
            "memory goes with the last cave"
        );
    }
}
