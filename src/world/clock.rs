//! The change clock of a liquid: readers keep a [`Cursor`] and read only the tiles that changed since.
//!
//! The column rule of a layer visits every tile that changed. Before it does, each strip records these tiles
//! ([`Strip::record_falling`]). A later change still has its `falling` bit. Both together cover all changes since the last
//! read, and at most the changes of one step more. The first column rule after a read starts a new record: a reader with an
//! older cursor of the same [`Reading`] must read the whole strip.

use std::sync::atomic::{AtomicU64, Ordering};

use super::Layer;
use super::tiles::{Rows, Strip};
use crate::stamp;

/// A kind of reader. Each kind has a record of its own, because its readers read at a pace of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// The low-pass and its like, now and then.
    Pictures,
    /// The records of the columns' past, after every step.
    Records,
    /// The lighter layers, in every step.
    Lighter,
}

/// Number of kinds.
const KINDS: usize = 3;

/// Counts the reads of one layer, by kind of reader. A copy has a clock of its own, to which cursors of the original do not
/// belong.
#[derive(Debug)]
pub(crate) struct ChangeClock {
    stamp: u64,
    counts: [AtomicU64; KINDS],
}

impl ChangeClock {
    /// No reader yet.
    pub(super) fn none() -> Self {
        Self { stamp: stamp::new(), counts: Default::default() }
    }

    /// Starts a read: the cursor of this moment.
    pub(crate) fn read(&self, kind: Reading) -> Cursor {
        Cursor { stamp: self.stamp, kind, number: self.count(kind) }
    }

    /// Starts a read: its number.
    pub(super) fn count(&self, kind: Reading) -> u64 {
        self.counts[kind as usize].fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Number of the last read of each kind, from 1; 0 before the first.
    pub(crate) fn last(&self) -> Reads {
        std::array::from_fn(|kind| self.counts[kind].load(Ordering::Relaxed))
    }

    /// Whether nothing outside of the world has read it yet.
    pub(super) fn is_unread(&self) -> bool {
        [Reading::Pictures, Reading::Records].iter().all(|&kind| self.last()[kind as usize] == 0)
    }
}

impl Clone for ChangeClock {
    fn clone(&self) -> Self {
        // The records of the strips are copied too, and belong to these numbers.
        Self { stamp: stamp::new(), counts: self.last().map(AtomicU64::new) }
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

/// The number of the last read of each kind; 0 without a reader.
pub(crate) type Reads = [u64; KINDS];

/// A moment up to which a reader has read one layer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cursor {
    stamp: u64,
    kind: Reading,
    number: u64,
}

/// The records of a strip, by kind of reader.
#[derive(Clone, Debug)]
pub(super) struct ChangeRecords([Record; KINDS]);

impl ChangeRecords {
    /// No tile.
    pub(super) const NONE: Self = Self([Record::NONE; KINDS]);
}

impl Layer {
    /// At least the tiles of a strip that changed since a read; `None` where there was none, where it was of another layer,
    /// or where the record does not reach back so far.
    pub(crate) fn changes_since<'a>(&self, strip: &'a Strip, cursor: Option<Cursor>) -> Option<Changes<'a>> {
        let cursor = cursor.filter(|cursor| cursor.stamp == self.clock.stamp)?;
        strip.changes_after(cursor.kind, cursor.number)
    }
}

impl Strip {
    /// At least the tiles that changed after the read with this number; `None` where the record does not reach back so far.
    pub(super) fn changes_after(&self, kind: Reading, read: u64) -> Option<Changes<'_>> {
        let record = &self.records.0[kind as usize];
        (read >= record.since).then(|| {
            // A read after the last visit of the column rule here covered its record.
            let record = if read == record.since { record } else { &NOTHING };
            Changes { strip: self, record, rows: record.rows.union(self.falling) }
        })
    }

    /// Adds what is `falling` to the records, before the column rule visits it; where there is no reader, nothing is recorded.
    pub(crate) fn record_falling(&mut self, reads: Reads) {
        if self.falling.is_empty() || reads == [0; KINDS] {
            return;
        }
        let places = self.len();
        let Self { rows, width, falling, records, .. } = self;
        let range = falling.range();
        let rows = &rows[range.start * *width..range.end * *width];
        for (record, read) in records.0.iter_mut().zip(reads).filter(|&(_, read)| read > 0) {
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
