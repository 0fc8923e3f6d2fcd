//! The change clock of a liquid: readers keep a [`Cursor`] and read only the tiles that changed since.
//!
//! Gravity visits every tile that changed, whatever changed it. Before it does, each strip records these tiles
//! ([`Strip::record_falling`]). A later change still has its `falling` bit. Both together cover all changes since the last
//! read, and at most the changes of one step more. The first gravity after a read starts a new record: a reader with an
//! older cursor must read the whole strip.

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

/// A moment up to which a reader has read one liquid.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cursor {
    stamp: u64,
    number: u64,
}

impl Strip {
    /// At least the tiles that changed after the read with this number; `None` where the record does not reach back so far.
    pub(crate) fn changes_since(&self, read: u64) -> Option<Changes<'_>> {
        (read >= self.record.since).then(|| {
            // A read after the last gravity here covered its record.
            let record = if read == self.record.since { &self.record } else { &NOTHING };
            Changes { strip: self, record, rows: record.rows.union(self.falling) }
        })
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
