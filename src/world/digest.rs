//! XXH3 (64 bits, no seed) of long inputs in which most blocks are equal.
//!
//! XXH3 adds up a block of 1024 bytes in eight sums that depend on the block alone, and only then stirs. So blocks that
//! come by the million, such as air, are added up once, and each costs eight additions and multiplications instead of
//! being read. The value is the one that every implementation of XXH3 gives; the tests compare with another one.

use xxhash_rust::xxh3::xxh3_64;

const BLOCK: usize = 1024;
const STRIPE: usize = 64;
/// Bytes by which the secret moves on from one stripe to the next.
const SECRET_STEP: usize = 8;
/// Where in the secret the last stripe and the merging of the sums begin.
const SECRET_LAST: usize = 121;
const SECRET_MERGE: usize = 11;
const SECRET_STIR: usize = 128;

const PRIME32_1: u64 = 0x9e37_79b1;
const PRIME32_2: u64 = 0x85eb_ca77;
const PRIME32_3: u64 = 0xc2b2_ae3d;
const PRIME64_1: u64 = 0x9e37_79b1_85eb_ca87;
const PRIME64_2: u64 = 0xc2b2_ae3d_27d4_eb4f;
const PRIME64_3: u64 = 0x1656_67b1_9e37_79f9;
const PRIME64_4: u64 = 0x85eb_ca77_c2b2_ae63;
const PRIME64_5: u64 = 0x27d4_eb2f_1656_67c5;

/// The secret of XXH3 without a seed.
#[rustfmt::skip]
const SECRET: [u8; 192] = [
    0xb8, 0xfe, 0x6c, 0x39, 0x23, 0xa4, 0x4b, 0xbe, 0x7c, 0x01, 0x81, 0x2c, 0xf7, 0x21, 0xad, 0x1c,
    0xde, 0xd4, 0x6d, 0xe9, 0x83, 0x90, 0x97, 0xdb, 0x72, 0x40, 0xa4, 0xa4, 0xb7, 0xb3, 0x67, 0x1f,
    0xcb, 0x79, 0xe6, 0x4e, 0xcc, 0xc0, 0xe5, 0x78, 0x82, 0x5a, 0xd0, 0x7d, 0xcc, 0xff, 0x72, 0x21,
    0xb8, 0x08, 0x46, 0x74, 0xf7, 0x43, 0x24, 0x8e, 0xe0, 0x35, 0x90, 0xe6, 0x81, 0x3a, 0x26, 0x4c,
    0x3c, 0x28, 0x52, 0xbb, 0x91, 0xc3, 0x00, 0xcb, 0x88, 0xd0, 0x65, 0x8b, 0x1b, 0x53, 0x2e, 0xa3,
    0x71, 0x64, 0x48, 0x97, 0xa2, 0x0d, 0xf9, 0x4e, 0x38, 0x19, 0xef, 0x46, 0xa9, 0xde, 0xac, 0xd8,
    0xa8, 0xfa, 0x76, 0x3f, 0xe3, 0x9c, 0x34, 0x3f, 0xf9, 0xdc, 0xbb, 0xc7, 0xc7, 0x0b, 0x4f, 0x1d,
    0x8a, 0x51, 0xe0, 0x4b, 0xcd, 0xb4, 0x59, 0x31, 0xc8, 0x9f, 0x7e, 0xc9, 0xd9, 0x78, 0x73, 0x64,
    0xea, 0xc5, 0xac, 0x83, 0x34, 0xd3, 0xeb, 0xc3, 0xc5, 0x81, 0xa0, 0xff, 0xfa, 0x13, 0x63, 0xeb,
    0x17, 0x0d, 0xdd, 0x51, 0xb7, 0xf0, 0xda, 0x49, 0xd3, 0x16, 0x55, 0x26, 0x29, 0xd4, 0x68, 0x9e,
    0x2b, 0x16, 0xbe, 0x58, 0x7d, 0x47, 0xa1, 0xfc, 0x8f, 0xf8, 0xb8, 0xd1, 0x7a, 0xd0, 0x31, 0xce,
    0x45, 0xcb, 0x3a, 0x8f, 0x95, 0x16, 0x04, 0x28, 0xaf, 0xd7, 0xfb, 0xca, 0xbb, 0x4b, 0x40, 0x7e,
];

/// The sums of XXH3.
type Sums = [u64; 8];

/// The word of eight bytes at an offset.
#[inline]
fn word(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(std::array::from_fn(|i| bytes[at + i]))
}

/// What a stripe adds to the sums. Inlined, so that the loop over stripes is made of wide instructions.
#[inline(always)]
fn add_stripe(sums: &mut Sums, stripe: &[u8], secret: usize) {
    for i in 0..8 {
        let data = word(stripe, 8 * i);
        let keyed = data ^ word(&SECRET, secret + 8 * i);
        sums[i ^ 1] = sums[i ^ 1].wrapping_add(data);
        sums[i] = sums[i].wrapping_add((keyed & 0xffff_ffff) * (keyed >> 32));
    }
}

/// What whole stripes from the beginning of a block add to the sums.
fn add_stripes(sums: &mut Sums, bytes: &[u8]) {
    for (i, stripe) in bytes.chunks_exact(STRIPE).enumerate() {
        add_stripe(sums, stripe, SECRET_STEP * i);
    }
}

/// Adds what a whole block adds up to, and stirs.
#[inline]
fn add_block(sums: &mut Sums, block: &Sums) {
    for i in 0..8 {
        let sum = sums[i].wrapping_add(block[i]);
        sums[i] = (sum ^ (sum >> 47) ^ word(&SECRET, SECRET_STIR + 8 * i)).wrapping_mul(PRIME32_1);
    }
}

/// Something of so many bytes that is repeated, and what blocks of it add to the sums, by the byte with which they begin.
pub(super) struct Repeated<const N: usize> {
    bytes: [u8; 2 * BLOCK],
    blocks: [Sums; N],
}

impl<const N: usize> Repeated<N> {
    pub(super) fn new(one: [u8; N]) -> Self {
        let bytes = std::array::from_fn(|i| one[i % N]);
        let blocks = std::array::from_fn(|first| {
            let mut sums = [0; 8];
            add_stripes(&mut sums, &bytes[first..first + BLOCK]);
            sums
        });
        Self { bytes, blocks }
    }
}

/// A running XXH3.
pub(super) struct Digest {
    sums: Sums,
    length: u64,
    /// The block before the present one, as far as it was written out, and the present one, which has `filled` bytes. A block is
    /// added to the sums when another byte follows it.
    bytes: [u8; 2 * BLOCK],
    filled: usize,
}

impl Digest {
    pub(super) fn new() -> Self {
        let sums = [PRIME32_3, PRIME64_1, PRIME64_2, PRIME64_3, PRIME64_4, PRIME32_2, PRIME64_5, PRIME32_1];
        Self { sums, length: 0, bytes: [0; 2 * BLOCK], filled: 0 }
    }

    /// Reads bytes.
    pub(super) fn add(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            self.close_full();
            let n = bytes.len().min(BLOCK - self.filled);
            self.put(&bytes[..n]);
            bytes = &bytes[n..];
        }
    }

    /// Reads `count` times the same.
    pub(super) fn add_repeated<const N: usize>(&mut self, what: &Repeated<N>, count: usize) {
        let mut left = count * N;
        let mut first = 0;
        while left > 0 {
            self.close_full();
            while self.filled == 0 && left > 2 * BLOCK {
                add_block(&mut self.sums, &what.blocks[first]);
                self.length += BLOCK as u64;
                left -= BLOCK;
                first = (first + BLOCK) % N;
            }
            let n = left.min(BLOCK - self.filled);
            self.put(&what.bytes[first..first + n]);
            left -= n;
            first = (first + n) % N;
        }
    }

    /// Adds the present block to the sums if it is full.
    #[inline]
    fn close_full(&mut self) {
        if self.filled == BLOCK {
            let mut block = [0; 8];
            add_stripes(&mut block, &self.bytes[BLOCK..]);
            add_block(&mut self.sums, &block);
            self.bytes.copy_within(BLOCK.., 0);
            self.filled = 0;
        }
    }

    /// Puts bytes into the present block, for which there is room.
    #[inline]
    fn put(&mut self, bytes: &[u8]) {
        self.bytes[BLOCK + self.filled..][..bytes.len()].copy_from_slice(bytes);
        self.filled += bytes.len();
        self.length += bytes.len() as u64;
    }

    /// The hash of all that was read.
    pub(super) fn value(&self) -> u64 {
        let end = BLOCK + self.filled;
        if self.length <= BLOCK as u64 {
            // XXH3 reads short inputs in other ways.
            return xxh3_64(&self.bytes[BLOCK..end]);
        }
        let mut sums = self.sums;
        let stripes = (self.filled - 1) / STRIPE * STRIPE;
        add_stripes(&mut sums, &self.bytes[BLOCK..BLOCK + stripes]);
        add_stripe(&mut sums, &self.bytes[end - STRIPE..end], SECRET_LAST);
        let mut value = self.length.wrapping_mul(PRIME64_1);
        for i in (0..8).step_by(2) {
            let keyed = |i: usize| u128::from(sums[i] ^ word(&SECRET, SECRET_MERGE + 8 * i));
            let product = keyed(i) * keyed(i + 1);
            value = value.wrapping_add(product as u64 ^ (product >> 64) as u64);
        }
        value = (value ^ (value >> 37)).wrapping_mul(0x1656_6791_9e37_79f9);
        value ^ (value >> 32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::mix64;

    #[test]
    fn gives_what_xxh3_gives_for_any_length() {
        let bytes: Vec<u8> = (0..5000).map(|i| mix64(i) as u8).collect();
        for length in (0..1300).chain([2047, 2048, 2049, 2111, 2112, 2113, 3072, 4999]) {
            let mut digest = Digest::new();
            // In pieces of odd sizes.
            bytes[..length].chunks(length % 97 + 1).for_each(|piece| digest.add(piece));
            assert_eq!(digest.value(), xxh3_64(&bytes[..length]), "{length} bytes");
        }
    }

    #[test]
    fn what_is_repeated_counts_as_if_written_out() {
        let (air, rock) = (Repeated::new([0; 5]), Repeated::new([1, 0, 0, 0, 0]));
        for seed in 0..200 {
            let mut digest = Digest::new();
            let mut whole = Vec::new();
            for i in 0..seed % 9 {
                let random = mix64(seed << 8 | i) as usize;
                let count = random >> 8 & [7, 255, 4095][(random >> 3) % 3];
                match random % 3 {
                    0 => {
                        digest.add_repeated(&air, count);
                        whole.resize(whole.len() + 5 * count, 0);
                    }
                    1 => {
                        digest.add_repeated(&rock, count);
                        whole.extend([1, 0, 0, 0, 0].repeat(count));
                    }
                    _ => {
                        let bytes: Vec<u8> = (0..count as u64).map(|i| mix64(i) as u8).collect();
                        digest.add(&bytes);
                        whole.extend(bytes);
                    }
                }
            }
            assert_eq!(digest.value(), xxh3_64(&whole), "seed {seed}, {} bytes", whole.len());
        }
    }
}
