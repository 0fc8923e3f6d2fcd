//! The change clock of a liquid: readers keep a [`Cursor`] and read only the tiles that changed since.
//!
//! The column rule of a layer visits every tile that changed. Before it does, each strip records these tiles
//! ([`Strip::record_falling`]). A later change still has its `falling` bit. Both together cover all changes since the last
//! read, and at most the changes of one step more. The first column rule after a read starts a new record: a reader with an
//! older cursor must read the whole strip. Lighter layers, which read in every step, have a record of their own.

use std::sync::atomic::{AtomicU64, Ordering};

use super::tiles::{Rows, Strip};
use crate::stamp;

/// Counts the reads of one liquid. A copy has a clock of its own, to which cursors of the original do not belong.
#[derive(Debug)]
pub(crate) struct ChangeClock {
    stamp: u64,
    count: AtomicU64,
}

impl ChangeClock {
    /// No reader yet.
    pub(super) fn none() -> Self {
        Self { stamp: stamp::new(), count: AtomicU64::new(0) }
    }

    /// Starts a read: the cursor of this moment.
    pub(crate) fn read(&self) -> Cursor {
        Cursor { stamp: self.stamp, number: self.count.fetch_add(1, Ordering::Relaxed) + 1 }
    }

    /// Number of the last read, from 1; 0 before the first.
    pub(crate) fn last(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }

    /// Number of a cursor, if it belongs to this liquid.
    pub(crate) fn number(&self, cursor: Cursor) -> Option<u64> {
        (cursor.stamp == self.stamp).then_some(cursor.number)
    }
}

impl Clone for ChangeClock {
    fn clone(&self) -> Self {
        // The records of the strips are copied too, and belong to these numbers.
        Self { stamp: stamp::new(), count: AtomicU64::new(self.last()) }
    }
}

/// The tiles that a strip recorded as changed.
#[derive(Clone, Debug)]
pub(super) struct Record {
    /// A bit for each tile that changed, by [`Strip::index`]; no words at all before the first.
    words: Vec<u64>,
    /// Rows outside of which all bits are clear.
    rows: Rows,
    /// Number of the read since which it is kept; 0 before the first.
    since: u64,
}

impl Record {
    /// No tile.
    pub(super) const NONE: Self = Self { words: Vec::new(), rows: Rows::NONE, since: 0 };

    /// Makes room for so many words, `width` to each y, and starts a new record where `last_read` is another read.
    #[inline]
    pub(super) fn begin(&mut self, last_read: u64, words: usize, width: usize) {
        self.words.resize(words, 0);
        if self.since != last_read {
            self.since = last_read;
            let rows = std::mem::replace(&mut self.rows, Rows::NONE).range();
            self.words[rows.start * width..rows.end * width].fill(0);
        }
    }

    /// The words of some rows, to set bits in them.
    #[inline]
    pub(super) fn words_mut(&mut self, rows: Rows, width: usize) -> &mut [u64] {
        self.rows = self.rows.union(rows);
        let rows = rows.range();
        &mut self.words[rows.start * width..rows.end * width]
    }
}

/// The record of a reader that has read it.
static NOTHING: Record = Record::NONE;

/// The numbers of the last reads of a layer, by its two kinds of readers; 0 without a reader.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reads {
    /// By the low-pass and its like.
    pub(super) pictures: u64,
    /// By the lighter layers.
    pub(super) lighter: u64,
}

/// A moment up to which a reader has read one liquid.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cursor {
    stamp: u64,
    number: u64,
}

impl Strip {
    /// At least the tiles that changed after the read with this number by the low-pass or its like; `None` where the record
    /// does not reach back so far.
    pub(crate) fn changes_since(&self, read: u64) -> Option<Changes<'_>> {
        self.changes_in(&self.record, read)
    }

    /// The same for the lighter layers, whose reads are never older than the record.
    pub(super) fn changes_for_lighter(&self, read: u64) -> Option<Changes<'_>> {
        self.changes_in(&self.for_lighter, read)
    }

    fn changes_in<'a>(&'a self, record: &'a Record, read: u64) -> Option<Changes<'a>> {
        (read >= record.since).then(|| {
            // A read after the last visit of the column rule here covered its record.
            let record = if read == record.since { record } else { &NOTHING };
            Changes { strip: self, record, rows: record.rows.union(self.falling) }
        })
    }

    /// Adds what is `falling` to the records, before the column rule visits it; where there is no reader, nothing is recorded.
    pub(crate) fn record_falling(&mut self, reads: Reads) {
        if self.falling.is_empty() {
            return;
        }
        let places = self.len();
        let Self { rows, width, falling, record, for_lighter, .. } = self;
        let range = falling.range();
        let rows = &rows[range.start * *width..range.end * *width];
        for (record, read) in [(record, reads.pictures), (for_lighter, reads.lighter)] {
            if read == 0 {
                continue;
            }
            record.begin(read, places, *width);
            for (record, row) in record.words_mut(*falling, *width).iter_mut().zip(rows) {
                *record |= row.falling;
            }
        }
    }
}

/// Tiles of a strip that changed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Changes<'a> {
    strip: &'a Strip,
    record: &'a Record,
    /// Rows outside of which no tile changed.
    pub(crate) rows: Rows,
}

impl Changes<'_> {
    /// The tiles `64 · w` and on at one y, a bit for each that changed.
    #[inline]
    pub(crate) fn word(&self, y: usize, w: usize) -> u64 {
        let index = self.strip.index(y, w);
        self.strip.row(index).falling | self.record.words.get(index).copied().unwrap_or(0)
    }
}
