//! Builder of TIFF files with a single strip, tag by tag, valid or invalid.
#![allow(dead_code, reason = "each test file uses its own part")]

/// Tags and pixels of a TIFF file under construction.
#[derive(Clone)]
pub(crate) struct Tiff {
    big_endian: bool,
    /// Directory entries: tag, type, number of values, and index of their bytes in `values`.
    entries: Vec<(u16, u16, u32, usize)>,
    values: Vec<Vec<u8>>,
    pixels: Vec<u8>,
}

impl Tiff {
    /// Creates a picture of `cols` × `rows` numbers with `bits` bits each. `format`: 1 unsigned, 2
    /// signed, 3 float; `pixels`: bytes of the numbers.
    pub(crate) fn new(
        [cols, rows]: [u16; 2],
        [bits, format]: [u16; 2],
        pixels: Vec<u8>,
        big_endian: bool,
    ) -> Self {
        let mut tiff = Self {
            big_endian,
            entries: Vec::new(),
            values: Vec::new(),
            pixels,
        };
        for (tag, value) in [
            (256, cols),
            (257, rows),
            (258, bits),
            (259, 1),
            (262, 1),
            (277, 1),
            (278, rows),
            (339, format),
        ] {
            tiff.shorts(tag, &[value]);
        }
        tiff.longs(273, &[0]);
        let length = tiff.pixels.len() as u32;
        tiff.longs(279, &[length]);
        tiff
    }

    /// Creates a map of four floats. `keys`: GeoKeys with their values in the directory itself; the
    /// corner lies at (`x`, `y`), and `cell` is the width of a cell, in map units.
    pub(crate) fn on_map(keys: &[(u16, u16)], [x, y, cell]: [f64; 3]) -> Self {
        let pixels = [0f32, 1.0, 2.0, 3.0]
            .into_iter()
            .flat_map(f32::to_le_bytes)
            .collect();
        let mut tiff = Self::new([2, 2], [32, 3], pixels, false);
        tiff.doubles(33550, &[cell, cell, 0.0]);
        tiff.doubles(33922, &[0.0, 0.0, 0.0, x, y, 0.0]);
        let keys: Vec<_> = keys.iter().map(|&(id, value)| [id, 0, 1, value]).collect();
        tiff.keys(&keys);
        tiff
    }

    /// Adds a GeoKey directory; each entry is (key, tag that holds the value, count, value or
    /// offset).
    pub(crate) fn keys(&mut self, keys: &[[u16; 4]]) {
        let shorts: Vec<u16> = [[1, 1, 0, keys.len() as u16]]
            .iter()
            .chain(keys)
            .flatten()
            .copied()
            .collect();
        self.shorts(34735, &shorts);
    }

    pub(crate) fn shorts(&mut self, tag: u16, values: &[u16]) {
        let bytes = values
            .iter()
            .flat_map(|v| self.ordered(v.to_le_bytes()))
            .collect();
        self.set_tag(tag, 3, values.len() as u32, bytes);
    }

    pub(crate) fn longs(&mut self, tag: u16, values: &[u32]) {
        let bytes = values
            .iter()
            .flat_map(|v| self.ordered(v.to_le_bytes()))
            .collect();
        self.set_tag(tag, 4, values.len() as u32, bytes);
    }

    pub(crate) fn doubles(&mut self, tag: u16, values: &[f64]) {
        let bytes = values
            .iter()
            .flat_map(|v| self.ordered(v.to_le_bytes()))
            .collect();
        self.set_tag(tag, 12, values.len() as u32, bytes);
    }

    pub(crate) fn text(&mut self, tag: u16, text: &[u8]) {
        self.set_tag(tag, 2, text.len() as u32, text.to_vec());
    }

    /// Sets the values of the tag `tag`, in place of an earlier entry. `kind`: TIFF type; `count`:
    /// number of values.
    pub(crate) fn set_tag(&mut self, tag: u16, kind: u16, count: u32, bytes: Vec<u8>) {
        self.without(tag);
        self.entries.push((tag, kind, count, self.values.len()));
        self.values.push(bytes);
    }

    /// Adds an entry for `tag` that shares the values of the tag set last.
    pub(crate) fn again(&mut self, tag: u16) {
        let (_, kind, count, value) = *self.entries.last().expect("a tag");
        self.entries.push((tag, kind, count, value));
    }

    /// Replaces the pixels by `pixels`, which has the same number of bytes.
    pub(crate) fn pixels(&mut self, pixels: Vec<u8>) {
        self.pixels = pixels;
    }

    pub(crate) fn without(&mut self, tag: u16) {
        self.entries.retain(|entry| entry.0 != tag);
    }

    fn ordered<const N: usize>(&self, mut bytes: [u8; N]) -> [u8; N] {
        if self.big_endian {
            bytes.reverse();
        }
        bytes
    }

    /// Returns the bytes of the file.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut entries = self.entries.clone();
        entries.sort_by_key(|entry| entry.0);
        let mut at = 8 + 2 + 12 * entries.len() + 4;
        let places: Vec<usize> = self
            .values
            .iter()
            .map(|bytes| {
                let place = at;
                at += if bytes.len() > 4 { bytes.len() } else { 0 };
                place
            })
            .collect();
        let mut file = if self.big_endian {
            b"MM\0*\0\0\0\x08".to_vec()
        } else {
            b"II*\0\x08\0\0\0".to_vec()
        };
        file.extend(self.ordered((entries.len() as u16).to_le_bytes()));
        for (tag, kind, count, value) in entries {
            file.extend(self.ordered(tag.to_le_bytes()));
            file.extend(self.ordered(kind.to_le_bytes()));
            file.extend(self.ordered(count.to_le_bytes()));
            match &self.values[value] {
                // The strip comes last in the file.
                _ if tag == 273 => file.extend(self.ordered((at as u32).to_le_bytes())),
                bytes if bytes.len() > 4 => {
                    file.extend(self.ordered((places[value] as u32).to_le_bytes()))
                }
                bytes => file.extend(bytes.iter().copied().chain([0; 4]).take(4)),
            }
        }
        file.extend([0; 4]);
        self.values
            .iter()
            .filter(|bytes| bytes.len() > 4)
            .for_each(|bytes| file.extend(bytes));
        file.extend(&self.pixels);
        file
    }
}
