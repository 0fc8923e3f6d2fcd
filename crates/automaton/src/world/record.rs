//! Records of the changed tiles of a strip, one for each kind of reader.

use super::rows::Rows;

/// Number of kinds of readers.
pub(super) const KINDS: usize = 6;

/// Number of the last read of each kind; 0 without a reader.
pub(crate) type Reads = [u64; KINDS];

/// Tiles that a strip recorded as changed.
#[derive(Clone, Debug)]
pub(super) struct Record {
    /// Bit for each tile that changed, by [`Strip::index`]; empty before the first change.
    pub(super) words: Vec<u64>,
    /// Rows outside of which all bits are clear.
    pub(super) rows: Rows,
    /// Number of the read at which the record starts; 0 before the first.
    pub(super) since: u64,
}

impl Record {
    /// Empty record.
    pub(super) const NONE: Self = Self { words: Vec::new(), rows: Rows::NONE, since: 0 };

    /// Makes room for `words` words, `width` to each y, and starts a new record if `last_read` is
    /// another read.
    #[inline]
    pub(super) fn begin(&mut self, last_read: u64, words: usize, width: usize) {
        self.words.resize(words, 0);
        if self.since != last_read {
            self.since = last_read;
            let rows = std::mem::replace(&mut self.rows, Rows::NONE).range();
            self.words[rows.start * width..rows.end * width].fill(0);
        }
    }

    /// Returns the words of some rows, to set bits.
    #[inline]
    pub(super) fn words_mut(&mut self, rows: Rows, width: usize) -> &mut [u64] {
        self.rows = self.rows.union(rows);
        let rows = rows.range();
        &mut self.words[rows.start * width..rows.end * width]
    }
}

/// Records of a strip, by kind of reader.
#[derive(Clone, Debug)]
pub(super) struct ChangeRecords(pub(super) [Record; KINDS]);

impl ChangeRecords {
    /// Empty records.
    pub(super) const NONE: Self = Self([Record::NONE; KINDS]);
}
