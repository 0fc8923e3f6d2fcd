//! Union-find structure over the integers from 0.

/// Disjoint sets of the integers from 0; each element points to itself or to a smaller element of
/// its set. Invariant: the smallest element represents its set, whatever the order of the joins.
#[derive(Debug, Default)]
pub(super) struct Union(Vec<u32>);

impl Union {
    /// Makes each of the integers from 0 to `count` − 1 a set of its own.
    pub(super) fn reset(&mut self, count: usize) {
        self.0.clear();
        self.0.extend(0..count as u32);
    }

    /// Adds the next integer as a set of its own and returns it.
    #[inline]
    pub(super) fn push(&mut self) -> u32 {
        let number = self.0.len() as u32;
        self.0.push(number);
        number
    }

    fn find(&mut self, mut number: u32) -> u32 {
        let parents = &mut self.0;
        while parents[number as usize] != number {
            let parent = parents[number as usize];
            parents[number as usize] = parents[parent as usize];
            number = parents[number as usize];
        }
        number
    }

    /// Merges the sets that contain `a` and `b` into one set.
    #[inline]
    pub(super) fn join(&mut self, a: u32, b: u32) {
        if self.0[a as usize] == self.0[b as usize] {
            return;
        }
        let (a, b) = (self.find(a), self.find(b));
        self.0[a.max(b) as usize] = a.min(b);
    }

    /// Makes every element point directly to the smallest element of its set (path compression);
    /// returns all pointers.
    pub(super) fn flatten(&mut self) -> &[u32] {
        for number in 0..self.0.len() {
            // The parent is smaller and points to the smallest already.
            self.0[number] = self.0[self.0[number] as usize];
        }
        &self.0
    }

    /// Returns the smallest element of the set that contains `number`; valid only after
    /// [`Union::flatten`].
    #[inline]
    pub(super) fn smallest(&self, number: u32) -> u32 {
        self.0[number as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_stands_for_all_in_any_order() {
        let pairs = [[5, 2], [9, 5], [7, 3], [3, 8], [8, 9], [4, 6]];
        for turn in 0..pairs.len() {
            let mut union = Union::default();
            union.reset(9);
            assert_eq!(union.push(), 9);
            for [a, b] in pairs.iter().cycle().skip(turn).take(pairs.len()) {
                union.join(*a, *b);
            }
            assert_eq!(union.flatten(), [0, 1, 2, 2, 4, 2, 4, 2, 2, 2]);
            assert_eq!(union.smallest(8), 2);
        }
    }
}
