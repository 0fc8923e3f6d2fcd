//! Cache of the open ground cells of a strip, kept between runs.

use crate::world::GroundStrip;

/// Open cells of a strip, by column of tiles: one mask for each y from the lowest open cell to the
/// highest rock.
#[derive(Debug, Default)]
pub(super) struct Sky {
    columns: Vec<Column>,
    /// Change flag: set if the last refresh found a different ground.
    pub(super) changed: bool,
}

#[derive(Debug)]
struct Column {
    /// Version of the ground, by [`GroundStrip::version`].
    version: u64,
    /// Lowest y with an open cell.
    first: usize,
    /// Masks of the open cells, from y = `first` upwards.
    masks: Vec<u32>,
    /// Mask of cells inside of the box, all of which are open above `masks`.
    inside: u32,
}

impl Column {
    /// Placeholder column that is invalid for every ground version.
    const STALE: Self = Self {
        version: u64::MAX,
        first: 0,
        masks: Vec::new(),
        inside: 0,
    };

    fn read(&mut self, ground: GroundStrip<'_>, tx: usize) {
        let top = ground.top(tx);
        self.masks.clear();
        self.masks.extend(
            (0..top)
                .map(|y| ground.open(tx, y))
                .skip_while(|&open| open == 0),
        );
        (self.version, self.first, self.inside) = (
            ground.version(tx),
            top - self.masks.len(),
            ground.inside(tx),
        );
    }
}

impl Sky {
    /// Updates the columns whose ground changed; `count` is the number of tiles along x.
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

    /// Returns the lowest y at and above which every cell of the strip is open.
    pub(super) fn top(&self) -> usize {
        self.columns
            .iter()
            .map(|column| column.first + column.masks.len())
            .max()
            .unwrap_or(0)
    }

    /// Returns the mask of open cells of the tile at (`tx`, `y`).
    #[inline(always)]
    pub(super) fn open(&self, tx: usize, y: usize) -> u32 {
        let Column {
            first,
            masks,
            inside,
            ..
        } = &self.columns[tx];
        if y < *first {
            0
        } else {
            masks.get(y - first).copied().unwrap_or(*inside)
        }
    }

    /// Returns the mask of cells directly below an open cell in the tile at (`tx`, `y`); `ny` is
    /// the height of the box in cells.
    #[inline(always)]
    pub(super) fn open_above(&self, tx: usize, y: usize, ny: usize) -> u32 {
        if y + 1 < ny { self.open(tx, y + 1) } else { 0 }
    }
}
