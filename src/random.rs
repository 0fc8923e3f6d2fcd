//! Random bits by counter: a pure function of (seed, step, cell, direction), never a stateful generator, so that a
//! draw does not depend on the order in which cells are visited or on the number of threads.
//!
//! One 64-bit hash serves the 32 cells of a *group* for two directions; a group is a tile of storage, 8 cells in x, 1 in y
//! and 4 in z. Every bit of the hash is a fair coin of its own, so each cell still has four independent bits: all 2⁴
//! patterns are equally likely.

use crate::grid::Place;
use crate::grid::tile::{TILE_X, TILE_Z, TilePlace};

/// The finaliser of SplitMix64 (Steele, Lea and Flood 2014): a bijection whose output bits all depend on all input
/// bits.
#[inline]
pub fn mix64(mut v: u64) -> u64 {
    v = (v ^ (v >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    v = (v ^ (v >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    v ^ (v >> 31)
}

/// What the random bits of a step follow from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Draw {
    /// The seed of the run.
    pub seed: u64,
    /// Steps made before.
    pub step: u64,
}

impl Draw {
    /// The draws of a rule that runs so many times in a step: each run counts as a step.
    pub fn passes(self, passes: u32) -> impl Iterator<Item = Self> {
        let first = self.step.wrapping_mul(u64::from(passes));
        (0..u64::from(passes)).map(move |pass| Self { seed: self.seed, step: first.wrapping_add(pass) })
    }

    /// The key of the step's patterns.
    pub fn key(self) -> StepKey {
        StepKey::new(self.seed, self.step)
    }
}

/// The key of one spreading step.
#[derive(Clone, Copy, Debug)]
pub struct StepKey(u64);

impl StepKey {
    /// Key for `step` of the run that `seed` names.
    pub fn new(seed: u64, step: u64) -> Self {
        Self(mix64(mix64(seed.wrapping_add(0x9e37_79b9_7f4a_7c15)) ^ step.wrapping_mul(0xd1b5_4a32_d192_ed03)))
    }

    /// Four fair bits for a cell, one for each direction; bit `d` belongs to `DIRECTIONS[d]` of the spreading rule.
    #[inline]
    pub fn pattern(self, [x, y, z]: Place) -> u8 {
        self.row(y, z).pattern(x)
    }

    /// The patterns of the row of cells with equal `y` and `z`, for visiting them in order.
    #[inline]
    pub fn row(self, y: usize, z: usize) -> RowPatterns {
        RowPatterns { key: self, y, z, group_x: usize::MAX, words: [0; 2] }
    }

    /// A random byte of a cell; each `salt` draws others.
    pub fn byte(self, salt: u64, [x, y, z]: Place) -> u8 {
        let lane = (z % TILE_Z) * TILE_X + x % TILE_X;
        (self.bytes(salt, [x / TILE_X, y, z / TILE_Z])[lane / 8] >> (lane % 8 * 8)) as u8
    }

    /// The random bytes of a group of 32 cells, eight to a word, by the place of its tile.
    #[inline]
    pub(crate) fn bytes(self, salt: u64, tile: TilePlace) -> [u64; 4] {
        let [mut word, _] = Self(mix64(self.0 ^ salt.wrapping_mul(0xa24b_aed4_963e_e407))).group(tile);
        std::array::from_fn(|_| {
            word = mix64(word ^ 0x9fb2_1c65_1e98_df25);
            word
        })
    }

    /// The two words of a group of 32 cells, by the place of its tile: directions 0 and 1 in the halves of the first, 2 and 3
    /// in the second. Groups are numbered by their places, not by the shape of the box.
    #[inline]
    pub(crate) fn group(self, [tx, y, tz]: TilePlace) -> [u64; 2] {
        let number = (tx as u64) | (y as u64) << 21 | (tz as u64) << 42;
        let first = mix64(self.0 ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        [first, mix64(first ^ 0x8cb9_2ba7_2f3d_8dd7)]
    }
}

/// The patterns of one row; neighbours that share a group share its hash.
#[derive(Clone, Copy, Debug)]
pub struct RowPatterns {
    key: StepKey,
    y: usize,
    z: usize,
    group_x: usize,
    words: [u64; 2],
}

impl RowPatterns {
    /// Four fair bits for the cell at `x`, as [`StepKey::pattern`].
    #[inline]
    pub fn pattern(&mut self, x: usize) -> u8 {
        if self.group_x != x / TILE_X {
            self.group_x = x / TILE_X;
            self.words = self.key.group([self.group_x, self.y, self.z / TILE_Z]);
        }
        let lane = (self.z % TILE_Z) * TILE_X + x % TILE_X;
        let pair = |word: u64| (word >> lane & 1) as u8 | ((word >> (lane + 32) & 1) as u8) << 1;
        pair(self.words[0]) | pair(self.words[1]) << 2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_the_bits_of_its_group() {
        let key = StepKey::new(7, 11);
        let words = key.group([2, 5, 3]);
        for lane in 0..32 {
            let pattern = key.pattern([2 * TILE_X + lane % TILE_X, 5, 3 * TILE_Z + lane / TILE_X]);
            for d in 0..4 {
                let bit = words[d / 2] >> (lane + 32 * (d % 2)) & 1;
                assert_eq!(u64::from(pattern >> d & 1), bit, "lane {lane}, direction {d}");
            }
        }
    }

    #[test]
    fn a_byte_is_one_of_its_group_and_even() {
        let key = StepKey::new(7, 11);
        let mut counts = [0_u32; 256];
        for tz in 0..64 {
            let bytes = key.bytes(3, [2, 5, tz]).map(u64::to_le_bytes);
            for (lane, &byte) in bytes.as_flattened().iter().enumerate() {
                assert_eq!(key.byte(3, [2 * TILE_X + lane % TILE_X, 5, tz * TILE_Z + lane / TILE_X]), byte);
                counts[usize::from(byte)] += 1;
            }
        }
        assert!(counts.iter().all(|&count| count < 30), "of 2,048 bytes 8 have each value: {counts:?}");
        assert_ne!(key.bytes(3, [2, 5, 0]), key.bytes(4, [2, 5, 0]));
    }

    #[test]
    fn pinned_so_that_saved_scenes_replay() {
        let words = StepKey::new(1, 2).group([3, 4, 5]);
        assert_eq!(words, [0x7609daf29e4c72c7, 0x80d156fa2d9ce7fc]);
        assert_ne!(words, StepKey::new(1, 3).group([3, 4, 5]));
        assert_ne!(words, StepKey::new(2, 2).group([3, 4, 5]));
    }
}
