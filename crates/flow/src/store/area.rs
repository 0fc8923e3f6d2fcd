//! Sets of columns as bit sets, for example the columns that have changed in a step.

/// Set of columns of a box, one bit per column. Rows are padded to whole 64-bit words; a rectangle
/// of words encloses all bits that are set.
#[derive(Clone, Debug, Default)]
pub(crate) struct Area {
    nx: usize,
    nz: usize,
    /// Number of 64-bit words per row of columns.
    width: usize,
    words: Vec<u64>,
    /// Start, as `[row, word]`, of the rectangle of words that may be non-zero.
    first: [usize; 2],
    /// End (exclusive), as `[row, word]`, of the rectangle of words that may be non-zero.
    end: [usize; 2],
}

impl Area {
    /// Memory in bytes of a set for a box of `nx` × `nz` columns.
    pub(crate) fn need(nx: usize, nz: usize) -> u64 {
        (nx.div_ceil(64) * nz * size_of::<u64>()) as u64
    }

    /// Empties the set and resizes it for a box of `nx` × `nz` columns.
    pub(crate) fn reset(&mut self, nx: usize, nz: usize) {
        if (self.nx, self.nz) != (nx, nz) {
            let width = nx.div_ceil(64);
            *self = Self {
                nx,
                nz,
                width,
                words: vec![0; width * nz],
                first: [usize::MAX; 2],
                end: [0; 2],
            };
            return;
        }
        for z in self.first[0]..self.end[0] {
            self.words[z * self.width..][self.first[1]..self.end[1]].fill(0);
        }
        (self.first, self.end) = ([usize::MAX; 2], [0; 2]);
    }

    /// Adds column numbers to the set; numbers in ascending order are faster, with one division per
    /// row. Returns true if any column was new.
    pub(crate) fn extend(&mut self, columns: impl IntoIterator<Item = u32>) -> bool {
        let (mut z, mut start, mut new) = (0, usize::MAX / 2, 0);
        for c in columns {
            let c = c as usize;
            if c.wrapping_sub(start) >= self.nx {
                z = c / self.nx;
                start = z * self.nx;
                self.first[0] = self.first[0].min(z);
                self.end[0] = self.end[0].max(z + 1);
            }
            let (word, bit) = ((c - start) / 64, 1 << ((c - start) % 64));
            let bits = &mut self.words[z * self.width + word];
            new |= bit & !*bits;
            *bits |= bit;
            self.first[1] = self.first[1].min(word);
            self.end[1] = self.end[1].max(word + 1);
        }
        new != 0
    }

    /// Adds the columns of `other`, a set for the same box, to this set.
    pub(crate) fn join(&mut self, other: &Self) {
        for z in other.first[0]..other.end[0] {
            let row = z * self.width;
            for w in row + other.first[1]..row + other.end[1] {
                self.words[w] |= other.words[w];
            }
        }
        self.first = [
            self.first[0].min(other.first[0]),
            self.first[1].min(other.first[1]),
        ];
        self.end = [self.end[0].max(other.end[0]), self.end[1].max(other.end[1])];
    }

    /// Replaces the content of `columns` by the numbers of the set's columns, ascending.
    pub(crate) fn list(&self, columns: &mut Vec<u32>) {
        columns.clear();
        for z in self.first[0]..self.end[0] {
            for w in self.first[1]..self.end[1] {
                let mut bits = self.words[z * self.width + w];
                while bits != 0 {
                    columns.push((z * self.nx + w * 64) as u32 + bits.trailing_zeros());
                    bits &= bits - 1;
                }
            }
        }
    }

    /// Replaces this set by all columns at most two faces away from a column of `other`, those of
    /// `other` included.
    pub(crate) fn grow_from(&mut self, other: &Self) {
        self.reset(other.nx, other.nz);
        if other.end[0] == 0 {
            return;
        }
        self.first = [
            other.first[0].saturating_sub(2),
            other.first[1].saturating_sub(1),
        ];
        self.end = [
            (other.end[0] + 2).min(self.nz),
            (other.end[1] + 1).min(self.width),
        ];
        let last = u64::MAX >> (64 * self.width - self.nx);
        for z in self.first[0]..self.end[0] {
            for w in self.first[1]..self.end[1] {
                let word = |up: usize, right: usize| other.word(z + up, w + right);
                let near = |right: usize| word(1, right) | word(3, right);
                let all = wide([word(2, 0), word(2, 1), word(2, 2)], 2)
                    | wide([near(0), near(1), near(2)], 1)
                    | word(0, 1)
                    | word(4, 1);
                self.words[z * self.width + w] = if w + 1 == self.width { all & last } else { all };
            }
        }
    }

    /// Word `w - 1` of row `z - 2` of the bit set; 0 outside the box.
    #[inline]
    fn word(&self, z: usize, w: usize) -> u64 {
        let inside = (2..self.nz + 2).contains(&z) && (1..=self.width).contains(&w);
        if inside {
            self.words[(z - 2) * self.width + w - 1]
        } else {
            0
        }
    }
}

/// Dilates the bits of `word` by up to `places` positions to both sides; bits from the words
/// `before` and `after` in the same row are shifted in.
#[inline]
fn wide([before, word, after]: [u64; 3], places: u32) -> u64 {
    (1..=places).fold(word, |all, n| {
        all | word << n | before >> (64 - n) | word >> n | after << (64 - n)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use lavoxel_base::random::mix64;

    #[test]
    fn the_area_around_is_what_two_faces_reach() {
        for seed in 0..40u64 {
            let (nx, nz) = (
                1 + mix64(seed) as usize % 150,
                1 + mix64(seed + 100) as usize % 12,
            );
            let some: Vec<u32> = (0..(nx * nz) as u32)
                .filter(|&c| mix64(seed << 32 | u64::from(c)).is_multiple_of(20))
                .collect();
            let (mut set, mut around, mut found) = (Area::default(), Area::default(), Vec::new());
            set.reset(nx, nz);
            set.extend(some.iter().rev().copied());
            set.list(&mut found);
            assert_eq!(found, some);
            around.grow_from(&set);
            around.join(&set);
            around.list(&mut found);
            let is_near =
                |a: usize, b: usize| (a % nx).abs_diff(b % nx) + (a / nx).abs_diff(b / nx) <= 2;
            let expected: Vec<u32> = (0..(nx * nz) as u32)
                .filter(|&c| {
                    some.iter()
                        .any(|&other| is_near(c as usize, other as usize))
                })
                .collect();
            assert_eq!(found, expected, "{nx} × {nz}");
            around.grow_from(&Area::default());
            set.reset(nx, nz);
            set.list(&mut found);
            assert!(found.is_empty());
        }
    }
}
