//! Change records of a strip: sets of changed tiles, one for each kind of reader.

use super::rows::Rows;

/// Number of variants of `Reading`.
pub(super) const KINDS: usize = 6;

/// Last read number per kind of reader; 0 without a reader.
pub(crate) type Reads = [u64; KINDS];

/// Set of tiles that changed since a read.
#[derive(Clone, Debug)]
pub(super) struct Record {
    /// Bit set of changed tiles, by [`Strip::index`]; empty before the first change.
    pub(super) words: Vec<u64>,
    /// Range of rows that contains all set bits.
    pub(super) rows: Rows,
    /// Read number at which the record starts; 0 without a read.
    pub(super) since: u64,
}

impl Record {
    /// Empty record.
    pub(super) const NONE: Self = Self {
        words: Vec::new(),
        rows: Rows::NONE,
        since: 0,
    };

    /// Resizes the bit set to `words` words, `width` words for each y, and clears the record if
    /// `last_read` is not the read at which the record starts.
    #[inline]
    pub(super) fn begin(&mut self, last_read: u64, words: usize, width: usize) {
        self.words.resize(words, 0);
        if self.since != last_read {
            self.since = last_read;
            let rows = std::mem::replace(&mut self.rows, Rows::NONE).range();
            self.words[rows.start * width..rows.end * width].fill(0);
        }
    }

    /// Returns the mutable words of `rows` and extends the record's range of rows.
    #[inline]
    pub(super) fn words_mut(&mut self, rows: Rows, width: usize) -> &mut [u64] {
        self.rows = self.rows.union(rows);
        let rows = rows.range();
        &mut self.words[rows.start * width..rows.end * width]
    }
}

/// Change records of a strip, indexed by kind of reader.
#[derive(Clone, Debug)]
pub(super) struct ChangeRecords(pub(super) [Record; KINDS]);

impl ChangeRecords {
    /// No changes for any reader.
    pub(super) const NONE: Self = Self([Record::NONE; KINDS]);
}
