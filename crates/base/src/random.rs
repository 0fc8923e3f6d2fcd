//! Counter-based random bits: a pure function of (seed, step, cell, direction), without the state
//! of a generator, so that the bits depend neither on the order of the cells nor on the number of
//! threads.
//!
//! One 64-bit hash serves the 32 cells of a *group* for two directions; a group is a tile of
//! storage, 8 cells along x, 1 along y and 4 along z. Every bit of the hash is 0 or 1 with equal
//! probability, independently of all others, so that for the four independent bits of a cell all 2⁴
//! patterns are equally likely.

use crate::grid::Place;
use crate::grid::tile::{TILE_X, TILE_Z, TilePlace};

/// Mixes the bits of `v` by the finalizer of SplitMix64 (Steele, Lea and Flood 2014): a bijection
/// whose output bits all depend on all input bits.
#[inline]
pub fn mix64(mut v: u64) -> u64 {
    v = (v ^ (v >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    v = (v ^ (v >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    v ^ (v >> 31)
}

/// Standard normal variate from two independent uniform variates `u` and `v` in (0, 1) (Box and
/// Muller 1958).
pub fn normal(u: f64, v: f64) -> f64 {
    (-2.0 * libm::log(u)).sqrt() * libm::cos(std::f64::consts::TAU * v)
}

/// Purpose for which random numbers are used, other than the patterns by which matter spreads
/// sideways. Each purpose has its own independent stream, so that adding a purpose leaves the
/// numbers of all others unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Salt {
    /// Random order in which grains try the horizontal directions in a step.
    Order = 1,
    /// Selection of grains that drag by a lighter material keeps at their place in this step.
    Drag = 2,
    /// Selection of cells from which grains slide diagonally past a corner, the same in all steps.
    Corners = 3,
    /// Selection of cells from which grains slip sideways, the same in all steps.
    Slip = 4,
    /// Selection of cells in which a faucet (a source of grains) places a grain in this step.
    Faucet = 5,
    /// Selection of cells that an edit fills with loose grains.
    Loose = 6,
    /// Selection of cells from which a gas rises or sinks in this step.
    Drift = 7,
    /// Selection of cells from which a gas spreads sideways in this step.
    Waft = 8,
    /// Selection of cells in which a reaction takes place in this step.
    Reaction = 9,
    /// Pulsation of a vent's output into the air, one number per block of air cells.
    Pulse = 10,
    /// Selection of the places where ash from the air settles.
    Ashfall = 11,
    /// Position, effusion rate, size and random seed of each simulation of a hazard map.
    Hazard = 12,
    /// Sideways push of the jet of a vent, one direction per block of air cells.
    Sway = 13,
    /// Waves that simulate the elevation error of a heightmap.
    Survey = 14,
    /// Sample points of the calibration search over a scene's parameters.
    Search = 15,
    /// Selection of falling grains that scatter sideways.
    Scatter = 16,
    /// Side to which each scattered grain moves.
    ScatterSide = 17,
    /// Selection of grains that stay suspended in the air for a step.
    Hang = 18,
    /// Rounding of the distance by which the air carries a grain in a step to whole cells.
    Carried = 19,
}

/// Seed of the simulation and number of the step, which together determine all random bits of the
/// step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Draw {
    /// Random seed of the simulation.
    pub seed: u64,
    /// Number of steps completed before this step.
    pub step: u64,
}

impl Draw {
    /// Iterates over the random draws of a rule that makes `passes` passes per step, one draw for
    /// each pass; every pass in every step has different random numbers.
    pub fn passes(self, passes: u32) -> impl Iterator<Item = Self> {
        let first = self.step.wrapping_mul(u64::from(passes));
        (0..u64::from(passes)).map(move |pass| Self {
            seed: self.seed,
            step: first.wrapping_add(pass),
        })
    }

    /// Hash key of the random bits by which matter spreads sideways in the step.
    pub fn key(self) -> StepKey {
        StepKey::new(self.seed, self.step)
    }

    /// Hash key of the random numbers for the purpose `salt` in the step; `stream` (below 2⁵⁶)
    /// tells apart what draws for the same purpose: a material, a reaction or a source.
    pub fn key_of(self, salt: Salt, stream: u64) -> StepKey {
        let StepKey(key) = self.key();
        StepKey(mix64(
            key ^ (salt as u64 | stream << 8).wrapping_mul(0xa24b_aed4_963e_e407),
        ))
    }
}

/// Number of the random stream that belongs to `name`, for [`Draw::key_of`].
// The place in a list would not do: a scene that gains a material would draw other numbers for all
// materials behind it.
pub fn stream_of(name: &str) -> u64 {
    let of_bytes = |stream, byte| mix64(stream ^ u64::from(byte)).wrapping_add(1);
    name.bytes().fold(0, of_bytes) >> 8
}

/// Returns the next 64-bit word of a group's hash stream after the word `hash`.
#[inline]
fn next(hash: u64) -> u64 {
    mix64(hash ^ 0x8cb9_2ba7_2f3d_8dd7)
}

/// Hash key of the random numbers of one purpose in one step; all numbers are pure functions of the
/// key and a place.
#[derive(Clone, Copy, Debug)]
pub struct StepKey(u64);

impl StepKey {
    /// Creates the key of the spreading patterns for the step number `step` of a simulation with
    /// the random seed `seed`.
    pub fn new(seed: u64, step: u64) -> Self {
        Self(mix64(
            mix64(seed.wrapping_add(0x9e37_79b9_7f4a_7c15))
                ^ step.wrapping_mul(0xd1b5_4a32_d192_ed03),
        ))
    }

    /// Four independent random bits of the cell (x, y, z); bit `d` belongs to `DIRECTIONS[d]` of
    /// the spreading rule.
    #[inline]
    pub fn pattern(self, [x, y, z]: Place) -> u8 {
        self.row(y, z).pattern(x)
    }

    /// Returns the patterns (as from `StepKey::pattern`) of the row of cells with equal `y` and
    /// `z`, computed on request; requests in ascending x are fastest.
    #[inline]
    pub fn row(self, y: usize, z: usize) -> RowPatterns {
        RowPatterns {
            key: self,
            y,
            z,
            group_x: usize::MAX,
            words: [0; 2],
        }
    }

    /// Two random words of the group of 32 cells at the tile (tx, y, tz), x and z in tiles. Each
    /// 32-bit half has one bit per cell for one direction: directions 0 and 1 in the first word, 2
    /// and 3 in the second. The hash depends on the tile's position, not on the size of the
    /// simulation box.
    #[inline]
    pub fn group(self, [tx, y, tz]: TilePlace) -> [u64; 2] {
        let number = (tx as u64) | (y as u64) << 21 | (tz as u64) << 42;
        let first = mix64(self.0 ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        [first, next(first)]
    }

    /// Creates the key of a purpose whose random numbers are the same in every step of every
    /// simulation.
    pub fn fixed(salt: Salt) -> Self {
        Self(mix64((salt as u64).wrapping_mul(0xa24b_aed4_963e_e407)))
    }

    /// Creates the key of a purpose whose random numbers are the same in every step of all
    /// simulations with `seed`.
    pub fn of_run(salt: Salt, seed: u64) -> Self {
        let Self(key) = Self::fixed(salt);
        Self(mix64(key ^ mix64(seed.wrapping_add(0x9e37_79b9_7f4a_7c15))))
    }

    /// Random 64-bit number of this key, without dependence on a place.
    pub fn number(self) -> u64 {
        mix64(self.0)
    }

    /// Random 64-bit number of this key for the cell (x, y, z).
    pub fn number_at(self, [x, y, z]: Place) -> u64 {
        let number = (x as u64) | (y as u64) << 21 | (z as u64) << 42;
        mix64(self.0 ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    /// Random number of this key for the cell `place`, uniform in (0, 1), both ends excluded.
    pub fn uniform_at(self, place: Place) -> f64 {
        // 53 bits: the precision of an `f64`.
        ((self.number_at(place) >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    }

    /// Returns true with probability `share` / 256, independently for each cell (x, y, z); always
    /// from a `share` of 256.
    pub fn chooses(self, [x, y, z]: Place, share: u16) -> bool {
        let lane = (z % TILE_Z) * TILE_X + x % TILE_X;
        self.chosen([x / TILE_X, y, z / TILE_Z], share) >> lane & 1 == 1
    }

    /// Bit mask of the cells of the group at `tile` whose random number from 0 to 3 (the lower two
    /// bits of [`StepKey::pattern`]) equals `one`.
    #[inline]
    pub fn drawing(self, tile: TilePlace, one: usize) -> u32 {
        let word = self.group(tile)[0];
        let bits = |bits: u64, wanted: bool| if wanted { bits as u32 } else { !bits as u32 };
        bits(word, one & 1 == 1) & bits(word >> 32, one & 2 == 2)
    }

    /// Bit mask of the cells of the group at `tile` that are chosen with probability `share` / 256
    /// each (all from a `share` of 256). The random bytes are bit-sliced over 32-bit words, most
    /// significant bit first; words that cannot change the result are not generated.
    #[inline]
    pub fn chosen(self, tile: TilePlace, share: u16) -> u32 {
        if share >= 256 {
            return u32::MAX;
        }
        let (mut below, mut undecided) = (0, u32::MAX);
        let (mut rest, mut hash) = (share << 8, self.group(tile)[0]);
        for half in [0, 32].into_iter().cycle() {
            if rest == 0 {
                break;
            }
            let bits = (hash >> half) as u32;
            if rest >> 15 == 1 {
                below |= undecided & !bits;
                undecided &= bits;
            } else {
                undecided &= !bits;
            }
            rest <<= 1;
            if half != 0 {
                hash = next(hash);
            }
        }
        below
    }
}

/// Random patterns of the cells of one row, with a cache: neighbouring cells of a group reuse one
/// hash.
#[derive(Clone, Copy, Debug)]
pub struct RowPatterns {
    key: StepKey,
    y: usize,
    z: usize,
    group_x: usize,
    words: [u64; 2],
}

impl RowPatterns {
    /// Four random bits of the cell at `x` in the row, as [`StepKey::pattern`] returns them.
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
                assert_eq!(
                    u64::from(pattern >> d & 1),
                    bit,
                    "lane {lane}, direction {d}"
                );
            }
        }
    }

    #[test]
    fn a_share_of_the_cells_is_chosen() {
        let key = Draw { seed: 3, step: 5 }.key_of(Salt::Drag, 2);
        let places = || (0..64).flat_map(|z| (0..64).map(move |x| [x, 7, z]));
        // A cell that a share chooses is chosen by all larger shares: they compare one byte.
        let mut before = 0;
        for share in [0, 1, 64, 65, 128, 200, 255, 256] {
            let chosen = places().filter(|&place| key.chooses(place, share)).count();
            let expected = f64::from(share) / 256.0 * 4096.0;
            assert!(
                (chosen as f64 - expected).abs() <= 0.04 * 4096.0,
                "{chosen} of 4096 for {share}"
            );
            assert!(
                chosen >= before
                    && places()
                        .all(|place| !key.chooses(place, share.max(1) - 1)
                            || key.chooses(place, share))
            );
            before = chosen;
        }
        assert_eq!(before, 4096);
    }

    #[test]
    fn pinned_so_that_saved_scenes_replay() {
        let words = StepKey::new(1, 2).group([3, 4, 5]);
        assert_eq!(words, [0x7609daf29e4c72c7, 0x80d156fa2d9ce7fc]);
        assert_ne!(words, StepKey::new(1, 3).group([3, 4, 5]));
        assert_ne!(words, StepKey::new(2, 2).group([3, 4, 5]));
    }
}
