//! Readers of bytes and text that the tests of several formats share.

use std::collections::BTreeMap;
use std::io::Read;

use flate2::read::ZlibDecoder;

pub(crate) fn between<'a>(text: &'a str, before: &str, after: &str) -> &'a str {
    text.split_once(before)
        .unwrap()
        .1
        .split_once(after)
        .unwrap()
        .0
}

pub(crate) fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes
        .as_chunks::<4>()
        .0
        .iter()
        .map(|b| f32::from_le_bytes(*b))
        .collect()
}

/// Cursor over a byte slice that reads numbers from the front.
pub(crate) struct Bytes<'a>(pub(crate) &'a [u8]);

impl<'a> Bytes<'a> {
    pub(crate) fn take(&mut self, n: usize) -> &'a [u8] {
        let (head, rest) = self.0.split_at(n);
        self.0 = rest;
        head
    }

    pub(crate) fn u32(&mut self) -> u32 {
        u32::from_le_bytes(self.take(4).try_into().unwrap())
    }

    pub(crate) fn u64(&mut self) -> u64 {
        u64::from_le_bytes(self.take(8).try_into().unwrap())
    }

    pub(crate) fn text(&mut self) -> String {
        let n = self.u32() as usize;
        String::from_utf8(self.take(n).to_vec()).unwrap()
    }

    pub(crate) fn metadata(&mut self) -> BTreeMap<String, Vec<u8>> {
        let count = self.u32();
        let mut entry = || {
            let (name, _kind) = (self.text(), self.text());
            let n = self.u32() as usize;
            (name, self.take(n).to_vec())
        };
        (0..count).map(|_| entry()).collect()
    }

    /// Returns the indices of the set bits among the next `bits` bits.
    pub(crate) fn mask(&mut self, bits: usize) -> Vec<usize> {
        let bytes = self.take(bits / 8);
        (0..bits)
            .filter(|bit| bytes[bit / 8] >> (bit % 8) & 1 == 1)
            .collect()
    }

    pub(crate) fn values(&mut self, count: usize) -> Vec<f32> {
        assert_eq!(self.take(1), [0], "inactive values are the background");
        let size = self.u64() as i64;
        let bytes = self.take(size.unsigned_abs() as usize);
        let mut plain = Vec::new();
        if size > 0 {
            ZlibDecoder::new(bytes).read_to_end(&mut plain).unwrap();
        } else {
            plain.extend(bytes);
        }
        assert_eq!(plain.len(), 4 * count);
        floats(&plain)
    }
}
