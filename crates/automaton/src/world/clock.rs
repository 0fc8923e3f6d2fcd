//! Change tracking of a layer: each reader keeps a [`Cursor`] and reads only the tiles that changed
//! since its last read.
//!
//! The vertical rule of a layer processes every tile that changed. Before it runs, each strip
//! records these tiles ([`Strip::record_falling`]). A tile that changes later still has its
//! `falling` bit. The recorded and the marked tiles together contain all changes since the last
//! read, and at most the changes of one step more. The first run of the vertical rule after a read
//! starts a new record: a reader with an older cursor of the same [`Reading`] must read the whole
//! strip.

use std::sync::atomic::{AtomicU64, Ordering};

use super::record::{KINDS, Reads, Record};
use super::rows::Rows;
use super::tiles::{Strip, TileRow};
use lavoxel_base::stamp;

/// Part of the program that reads the changes of a layer. Each kind of reader has its own change
/// record, because readers read at different intervals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// Renderers; they read at irregular intervals.
    Pictures,
    /// Recorders of the history of columns (such as the maximum thickness); they read after every
    /// step.
    Records,
    /// Layers of less dense materials, whose free cell volume depends on the layer that they read;
    /// they read in every step.
    Lighter,
    /// Layers of grains that are less dense than the fluid that they read; they read in every step.
    Grains,
    /// The air model; it reads in every step.
    Air,
    /// Tracing rule (levelling of connected liquid bodies); reads each time it is applied.
    Trace,
}

/// Counter of the reads of one layer, one count per [`Reading`]. A clone gets a new identity, so
/// that cursors of the original are invalid for the clone.
#[derive(Debug)]
pub struct ChangeClock {
    stamp: u64,
    counts: [AtomicU64; KINDS],
}

impl ChangeClock {
    /// Creates a clock without reads: all counts are 0.
    pub(super) fn none() -> Self {
        Self {
            stamp: stamp::new(),
            counts: Default::default(),
        }
    }

    /// Registers a read by a reader of this `kind`; returns the cursor for the reader's next read.
    pub fn read(&self, kind: Reading) -> Cursor {
        Cursor {
            stamp: self.stamp,
            kind,
            number: self.count(kind),
        }
    }

    /// Registers a read by a reader of this `kind` and returns the number of the read, counted from
    /// 1 for each kind.
    pub(super) fn count(&self, kind: Reading) -> u64 {
        self.counts[kind as usize].fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Number of the last read for each kind of reader, counted from 1; 0 if the kind has never
    /// read.
    pub(crate) fn last(&self) -> Reads {
        std::array::from_fn(|kind| self.counts[kind].load(Ordering::Relaxed))
    }

    /// Returns the kind of reader and the read number of `cursor`; `None` if the cursor belongs to
    /// another layer.
    pub(super) fn number(&self, cursor: Cursor) -> Option<(Reading, u64)> {
        (cursor.stamp == self.stamp).then_some((cursor.kind, cursor.number))
    }

    /// Identity of the clock, unique in the process; equal in all cursors that this clock returned.
    pub(super) fn stamp(&self) -> u64 {
        self.stamp
    }

    /// Returns true if no reader outside of the world (renderer or recorder of columns) has read
    /// the layer yet.
    pub(super) fn is_unread(&self) -> bool {
        [Reading::Pictures, Reading::Records]
            .iter()
            .all(|&kind| self.last()[kind as usize] == 0)
    }
}

impl Clone for ChangeClock {
    fn clone(&self) -> Self {
        // The records of the strips are copied too, and belong to these numbers.
        Self {
            stamp: stamp::new(),
            counts: self.last().map(AtomicU64::new),
        }
    }
}

/// Empty change record, for a strip whose changes the reader has read already.
static NOTHING: Record = Record::NONE;

/// Position of one reader in the change history of one layer: kind of reader and number of its last
/// read.
#[derive(Clone, Copy, Debug)]
pub struct Cursor {
    stamp: u64,
    kind: Reading,
    number: u64,
}

impl Strip {
    /// Returns a superset of the tiles of the strip that changed after the read with number `read`
    /// by a reader of this `kind`; `None` if the record does not reach back that far, so that the
    /// reader must read the whole strip.
    pub(super) fn changes_after(&self, kind: Reading, read: u64) -> Option<Changes<'_>> {
        let record = &self.records.0[kind as usize];
        (read >= record.since).then(|| {
            // A read after the vertical rule last ran on this strip covered its record.
            let record = if read == record.since {
                record
            } else {
                &NOTHING
            };
            Changes {
                strip: self,
                record,
                rows: record.rows.union(self.falling),
            }
        })
    }

    /// Marks those tiles of this strip as changed in whose cells a denser layer changed; `heavier`:
    /// changed tiles of that layer's strip.
    pub(super) fn change_under(&mut self, heavier: &Changes<'_>) {
        if self.rows.is_empty() {
            self.rows = vec![TileRow::EMPTY; self.len()];
        }
        for y in heavier.rows.range() {
            let mut changed = 0;
            for w in 0..self.width {
                let (word, index) = (heavier.word(y, w), self.index(y, w));
                let row = &mut self.rows[index];
                row.falling |= word;
                row.flowing |= word;
                changed |= word;
            }
            if changed != 0 {
                self.changes += 1;
                self.falling.add(y);
                self.flowing.add(y);
            }
        }
    }

    /// Adds all tiles marked `falling` to the change records; called before the vertical rule
    /// clears these marks. `reads`: number of the last read for each kind of reader; kinds with 0
    /// have never read and get no record.
    #[inline]
    pub(crate) fn record_falling(&mut self, reads: Reads) {
        if !self.falling.is_empty() && reads != [0; KINDS] {
            self.record(reads);
        }
    }

    // Not inlined, so that the code of the rule that follows stays together.
    #[inline(never)]
    fn record(&mut self, reads: Reads) {
        let places = self.len();
        let Self {
            rows,
            width,
            falling,
            records,
            ..
        } = self;
        let range = falling.range();
        let rows = &rows[range.start * *width..range.end * *width];
        for (record, read) in records
            .0
            .iter_mut()
            .zip(reads)
            .filter(|&(_, read)| read > 0)
        {
            record.begin(read, places, *width);
            for (record, row) in record.words_mut(*falling, *width).iter_mut().zip(rows) {
                *record |= row.falling;
            }
        }
    }
}

/// Set of the tiles of one strip that changed since a reader's last read.
#[derive(Clone, Copy, Debug)]
pub struct Changes<'a> {
    strip: &'a Strip,
    record: &'a Record,
    /// Range of y, in cells, that contains all changed tiles.
    pub rows: Rows,
}

impl Changes<'_> {
    /// Returns the changed tiles at height `y` whose x index lies from 64 `w` to 64 `w` + 63, as a
    /// bit set: bit i stands for x index 64 `w` + i.
    #[inline]
    pub fn word(&self, y: usize, w: usize) -> u64 {
        let index = self.strip.index(y, w);
        self.strip.row(index).falling | self.record.words.get(index).copied().unwrap_or(0)
    }
}
