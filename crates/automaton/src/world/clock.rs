//! Change clock of a liquid: readers keep a [`Cursor`] and read only the tiles that changed since.
//!
//! The column rule of a layer visits every tile that changed. Before the visit, each strip records
//! these tiles ([`Strip::record_falling`]). A later change still has its `falling` bit. Both
//! together cover all changes since the last read, and at most the changes of one step more. The
//! first column rule after a read starts a new record: a reader with an older cursor of the same
//! [`Reading`] must read the whole strip.

use std::sync::atomic::{AtomicU64, Ordering};

use super::record::{KINDS, Reads, Record};
use super::rows::Rows;
use super::tiles::{Row, Strip};
use lavoxel_base::stamp;

/// Kind of reader of a layer. Each kind has a separate change record, because readers read at
/// different intervals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// Renderers (low-pass filter and other picture makers), at irregular intervals.
    Pictures,
    /// Recorders of column histories, after every step.
    Records,
    /// Lighter layers, in every step.
    Lighter,
    /// Layers of grains less dense than the fluid, in every step.
    Grains,
    /// Air model, in every step.
    Air,
    /// Tracing rule, in every run.
    Trace,
}

/// Read counters of one layer, one for each `Reading`. A cloned clock gets a new identity: cursors
/// of the original are invalid for the clone.
#[derive(Debug)]
pub struct ChangeClock {
    stamp: u64,
    counts: [AtomicU64; KINDS],
}

impl ChangeClock {
    /// Creates a clock without any reads.
    pub(super) fn none() -> Self {
        Self {
            stamp: stamp::new(),
            counts: Default::default(),
        }
    }

    /// Registers a read by a reader of this `kind` and returns its cursor for the next read.
    pub fn read(&self, kind: Reading) -> Cursor {
        Cursor {
            stamp: self.stamp,
            kind,
            number: self.count(kind),
        }
    }

    /// Registers a read by a reader of this `kind` and returns its number, from 1.
    pub(super) fn count(&self, kind: Reading) -> u64 {
        self.counts[kind as usize].fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Number of the last read per kind, from 1; 0 if the kind has never read.
    pub(crate) fn last(&self) -> Reads {
        std::array::from_fn(|kind| self.counts[kind].load(Ordering::Relaxed))
    }

    /// Kind and read number of `cursor`; `None` if the cursor belongs to another layer.
    pub(super) fn number(&self, cursor: Cursor) -> Option<(Reading, u64)> {
        (cursor.stamp == self.stamp).then_some((cursor.kind, cursor.number))
    }

    /// Unique identity of the clock within the process.
    pub(super) fn stamp(&self) -> u64 {
        self.stamp
    }

    /// Returns true if no reader outside of the world (renderers, recorders) has read the layer
    /// yet.
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

/// Empty change record, used for a reader that is up to date.
static NOTHING: Record = Record::NONE;

/// Position of a reader in the change history of one layer.
#[derive(Clone, Copy, Debug)]
pub struct Cursor {
    stamp: u64,
    kind: Reading,
    number: u64,
}

impl Strip {
    /// Returns a superset of the tiles that changed after read number `read` of this `kind`; `None`
    /// if the record does not reach back far enough, so that the whole strip must be read.
    pub(super) fn changes_after(&self, kind: Reading, read: u64) -> Option<Changes<'_>> {
        let record = &self.records.0[kind as usize];
        (read >= record.since).then(|| {
            // A read after the last visit of the column rule here covered its record.
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

    /// Marks tiles as changed where `heavier`, the changes of a heavier layer, has changed tiles.
    pub(super) fn change_under(&mut self, heavier: &Changes<'_>) {
        if self.rows.is_empty() {
            self.rows = vec![Row::EMPTY; self.len()];
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

    /// Adds all tiles marked `falling` to the change records before the column rule clears the
    /// marks. `reads`: last read number per kind; nothing is recorded if all are 0.
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

/// Changed tiles of one strip, as bit sets.
#[derive(Clone, Copy, Debug)]
pub struct Changes<'a> {
    strip: &'a Strip,
    record: &'a Record,
    /// Range of y that contains all changed tiles.
    pub rows: Rows,
}

impl Changes<'_> {
    /// Returns the bit set of changed tiles in the row y: bit i is the tile with x index 64 `w` +
    /// i.
    #[inline]
    pub fn word(&self, y: usize, w: usize) -> u64 {
        let index = self.strip.index(y, w);
        self.strip.row(index).falling | self.record.words.get(index).copied().unwrap_or(0)
    }
}
