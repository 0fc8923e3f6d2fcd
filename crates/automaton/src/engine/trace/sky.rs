//! Cache of the open (not solid) cells of a strip, kept from one application of the tracing rule to
//! the next.

use crate::world::GroundStrip;

/// Open (not solid) cells of a strip: for each column of tiles, a bit mask of cells per height,
/// from the lowest open cell to the highest solid cell.
#[derive(Debug, Default)]
pub(super) struct Sky {
    columns: Vec<SkyColumn>,
    /// True if the ground had changed at the last `Sky::refresh`.
    pub(super) changed: bool,
}

#[derive(Debug)]
struct SkyColumn {
    /// Version of the ground for which the masks were computed, as returned by
    /// [`GroundStrip::version`].
    version: u64,
    /// Height y of the lowest open cell of the column of tiles.
    first: usize,
    /// Bit masks of the open cells in each tile of the column, from height `first` upwards.
    masks: Vec<u32>,
    /// Bit mask of a tile's cells inside of the simulation box; above `masks` all of these are
    /// open.
    inside: u32,
}

impl SkyColumn {
    /// Placeholder whose `version` matches no version of the ground, so that the next refresh
    /// computes the masks.
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
    /// Recomputes the masks of the columns of tiles in which the ground changed; `count` is the
    /// number of tiles along x.
    pub(super) fn refresh(&mut self, ground: GroundStrip<'_>, count: usize) {
        self.changed = self.columns.len() != count;
        self.columns.resize_with(count, || SkyColumn::STALE);
        for (tx, column) in self.columns.iter_mut().enumerate() {
            if column.version != ground.version(tx) {
                column.read(ground, tx);
                self.changed = true;
            }
        }
    }

    /// Returns the lowest height y from which upwards all cells of the strip are open.
    pub(super) fn top(&self) -> usize {
        self.columns
            .iter()
            .map(|column| column.first + column.masks.len())
            .max()
            .unwrap_or(0)
    }

    /// Returns the bit mask of the open cells of the tile at (`tx`, `y`), x in tiles.
    #[inline(always)]
    pub(super) fn open(&self, tx: usize, y: usize) -> u32 {
        let SkyColumn {
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

    /// Returns the bit mask of the cells of the tile at (`tx`, `y`) whose upper neighbour is open;
    /// `ny` is the height of the simulation box in cells.
    #[inline(always)]
    pub(super) fn open_above(&self, tx: usize, y: usize, ny: usize) -> u32 {
        if y + 1 < ny { self.open(tx, y + 1) } else { 0 }
    }
}
