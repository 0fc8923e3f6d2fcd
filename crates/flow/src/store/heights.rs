//! Heights of the ground before the flow, packed into 5 bytes per column.

use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::store::column::UNIT;

/// Number of bytes in which a height is stored: heights in a box of up to 1,024 cells need 35 bits.
const BYTES: usize = 5;

/// Ground height of each column in units of height; clones share the array (copy on write).
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Heights(Arc<Vec<[u8; BYTES]>>);

impl Heights {
    pub(crate) fn new(heights: impl Iterator<Item = i64>) -> Self {
        let bytes = |height: i64| {
            let [a, b, c, d, e, ..] = height.to_le_bytes();
            [a, b, c, d, e]
        };
        Self(Arc::new(heights.map(bytes).collect()))
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Height of the ground of column `c` above the floor of the box, in units of height.
    #[inline]
    pub(crate) fn at(&self, c: usize) -> i64 {
        let [a, b, c, d, e] = self.0[c];
        i64::from_le_bytes([a, b, c, d, e, 0, 0, 0])
    }

    /// Sets the ground height of column `c` to `height` units of height; clones that share the
    /// array are not affected.
    pub(crate) fn set(&mut self, c: usize, height: i64) {
        let [a, b, d, e, f, ..] = height.to_le_bytes();
        Arc::make_mut(&mut self.0)[c] = [a, b, d, e, f];
    }

    /// Returns true if no height exceeds the top of a box of `top` cells.
    pub(crate) fn are_below(&self, top: usize) -> bool {
        (0..self.len()).all(|c| self.at(c) <= top as i64 * UNIT)
    }

    /// Memory in bytes of the ground heights of `columns` columns.
    pub(crate) fn need(columns: usize) -> u64 {
        (columns * BYTES) as u64
    }
}

impl Serialize for Heights {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Heights {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::deserialize(deserializer).map(|heights| Self(Arc::new(heights)))
    }
}
