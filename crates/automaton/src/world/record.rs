//! Change records of a strip: one set of changed tiles for each kind of reader.

use super::rows::Rows;

/// Number of variants of `Reading`.
pub(super) const KINDS: usize = 6;

/// Number of the last read for each kind of reader (`Reading`), counted from 1; 0 if there was
/// none.
pub(crate) type Reads = [u64; KINDS];

/// Set of tiles of a strip that changed since one read.
#[derive(Clone, Debug)]
pub(super) struct Record {
    /// Bit set of the changed tiles: one 64-bit word per row of tiles, at [`Strip::index`]; empty
    /// before the first change.
    pub(super) words: Vec<u64>,
    /// Range of y that contains all changed tiles.
    pub(super) rows: Rows,
    /// Number of the read after which the recorded changes begin; 0 if there was no read.
    pub(super) since: u64,
}

impl Record {
    /// Record without changed tiles, of a reader that has not read yet.
    pub(super) const NONE: Self = Self {
        words: Vec::new(),
        rows: Rows::NONE,
        since: 0,
    };

    /// Makes the record long enough for `words` words in total, `width` words for each y. Clears
    /// the record if it does not begin at the read with the number `last_read`.
    #[inline]
    pub(super) fn begin(&mut self, last_read: u64, words: usize, width: usize) {
        self.words.resize(words, 0);
        if self.since != last_read {
            self.since = last_read;
            let rows = std::mem::replace(&mut self.rows, Rows::NONE).range();
            self.words[rows.start * width..rows.end * width].fill(0);
        }
    }

    /// Returns the mutable words of the rows in the range `rows` of y (`width` words for each y),
    /// and extends the record's range of y by `rows`.
    #[inline]
    pub(super) fn words_mut(&mut self, rows: Rows, width: usize) -> &mut [u64] {
        self.rows = self.rows.union(rows);
        let rows = rows.range();
        &mut self.words[rows.start * width..rows.end * width]
    }
}

/// Change records of a strip, one for each kind of reader.
#[derive(Clone, Debug)]
pub(super) struct ChangeRecords(pub(super) [Record; KINDS]);

impl ChangeRecords {
    /// Empty change records: no changed tiles for any kind of reader.
    pub(super) const NONE: Self = Self([Record::NONE; KINDS]);
}
