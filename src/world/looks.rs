//! Who looked at a liquid, and what changed since: whoever looks again need only see that.
//!
//! Gravity looks at every tile that changed, whoever changed it, so before it does, a strip puts these tiles down as
//! `dirty` ([`Strip::note_falling`]). What changed later is still marked as `falling`. Both together have all that changed
//! since the last look at the liquid, and at most a step's changes more. The first gravity after a look begins a new list:
//! for those whose last look was an earlier one, anything in that strip may have changed.

use std::sync::atomic::{AtomicU64, Ordering};

use super::tiles::{Rows, Strip};
use crate::stamp;

/// Counts the looks at one liquid. A copy goes its own way, so it is told apart and nobody has looked at it.
#[derive(Debug)]
pub(crate) struct Looks {
    stamp: u64,
    count: AtomicU64,
}

impl Looks {
    /// Nobody has looked.
    pub(super) fn none() -> Self {
        Self { stamp: stamp::new(), count: AtomicU64::new(0) }
    }

    /// Looks once more.
    pub(crate) fn look(&self) -> Look {
        Look { stamp: self.stamp, number: self.count.fetch_add(1, Ordering::Relaxed) + 1 }
    }

    /// Number of the last look, from 1; 0 before the first.
    pub(crate) fn last(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }

    /// Number of a look, if it was one at this liquid.
    pub(crate) fn number(&self, look: Look) -> Option<u64> {
        (look.stamp == self.stamp).then_some(look.number)
    }
}

impl Clone for Looks {
    fn clone(&self) -> Self {
        // The lists of the strips are copied too, and belong to these numbers.
        Self { stamp: stamp::new(), count: AtomicU64::new(self.last()) }
    }
}

/// What a strip puts down.
#[derive(Clone, Debug)]
pub(super) struct Dirty {
    /// A bit for each tile that changed, by [`Strip::index`]; no words at all before the first.
    words: Vec<u64>,
    /// Rows outside of which all bits are clear.
    rows: Rows,
    /// Number of the look since which it is put down; 0 before the first.
    since: u64,
}

impl Dirty {
    /// Nothing is put down.
    pub(super) const NONE: Self = Self { words: Vec::new(), rows: Rows::NONE, since: 0 };

    /// Makes room for so many words, `width` to each y, and begins a new list where `last_look` is another look.
    #[inline]
    pub(super) fn begin(&mut self, last_look: u64, words: usize, width: usize) {
        self.words.resize(words, 0);
        if self.since != last_look {
            self.since = last_look;
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

/// What is put down for those who have seen it.
static NOTHING: Dirty = Dirty::NONE;

/// One look at one liquid.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Look {
    stamp: u64,
    number: u64,
}

impl Strip {
    /// At least the tiles that changed after the look with this number; `None` where that is not known any more.
    pub(crate) fn changes_since(&self, look: u64) -> Option<Changes<'_>> {
        (look >= self.dirty.since).then(|| {
            // Whoever looked after the last gravity here has seen what it put down.
            let dirty = if look == self.dirty.since { &self.dirty } else { &NOTHING };
            Changes { strip: self, dirty, rows: dirty.rows.union(self.falling) }
        })
    }
}

/// Tiles of a strip that changed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Changes<'a> {
    strip: &'a Strip,
    dirty: &'a Dirty,
    /// Rows outside of which no tile changed.
    pub(crate) rows: Rows,
}

impl Changes<'_> {
    /// The tiles `64 · w` and on at one y, a bit for each that changed.
    #[inline]
    pub(crate) fn word(&self, y: usize, w: usize) -> u64 {
        let index = self.strip.index(y, w);
        self.strip.row(index).falling | self.dirty.words.get(index).copied().unwrap_or(0)
    }
}
