//! Open cells of a strip, kept from one run to the next.

use crate::world::GroundStrip;

/// Open cells of a strip by columns of tiles: one mask for each y between the lowest open cell and
/// the highest rock.
#[derive(Debug, Default)]
pub(super) struct Sky {
    columns: Vec<Column>,
    /// Set if the last refresh found another ground.
    pub(super) changed: bool,
}

#[derive(Debug)]
struct Column {
    /// Version of the ground, by [`GroundStrip::version`].
    version: u64,
    /// Lowest y with an open cell.
    first: usize,
    /// Masks of the open cells from `first` on.
    masks: Vec<u32>,
    /// Mask of the cells inside of the box, all of which are open above `masks`.
    inside: u32,
}

impl Column {
    /// Column that matches no ground.
    const STALE: Self = Self { version: u64::MAX, first: 0, masks: Vec::new(), inside: 0 };

    fn read(&mut self, ground: GroundStrip<'_>, tx: usize) {
        let top = ground.top(tx);
        self.masks.clear();
        self.masks.extend((0..top).map(|y| ground.open(tx, y)).skip_while(|&open| open == 0));
        (self.version, self.first, self.inside) = (ground.version(tx), top - self.masks.len(), ground.inside(tx));
    }
}

impl Sky {
    /// Reads the changed columns again.
    pub(super) fn refresh(&mut self, ground: GroundStrip<'_>, count: usize) {
        self.changed = self.columns.len() != count;
        self.columns.resize_with(count, || Column::STALE);
        for (tx, column) in self.columns.iter_mut().enumerate() {
            if column.version != ground.version(tx) {
                column.read(ground, tx);
                self.changed = true;
            }
        }
    }

    /// Returns the y from which every cell of the strip is open.
    pub(super) fn top(&self) -> usize {
        self.columns.iter().map(|column| column.first + column.masks.len()).max().unwrap_or(0)
    }

    /// Returns bits of the open cells of a tile.
    #[inline(always)]
    pub(super) fn open(&self, tx: usize, y: usize) -> u32 {
        let Column { first, masks, inside, .. } = &self.columns[tx];
        if y < *first { 0 } else { masks.get(y - first).copied().unwrap_or(*inside) }
    }

    /// Returns bits of the cells of a tile below an open cell, in a box `ny` cells high.
    #[inline(always)]
    pub(super) fn open_above(&self, tx: usize, y: usize, ny: usize) -> u32 {
        if y + 1 < ny { self.open(tx, y + 1) } else { 0 }
    }
}
