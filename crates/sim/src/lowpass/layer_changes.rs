//! Changes of a layer and of the ground since the layer was last filtered.

use lavoxel_automaton::world::{
    Changes, Cursor, Ground, GroundChanges, GroundCursor, Layer, Reading, Rows, Span,
};
use lavoxel_base::grid::Grid;
use lavoxel_base::grid::tile::{ROW, TILE_X, TILE_Z};

/// Read positions in the change records of a layer and of the ground when the layer was last
/// filtered.
#[derive(Clone, Debug)]
pub(super) struct LayerCursor {
    layer: Cursor,
    ground: GroundCursor,
}

/// Changes of a layer and of the ground since a `LayerCursor` was set.
pub(super) struct LayerChanges<'a> {
    /// Changed tiles in each strip; `None` if any tile of the strip may have changed.
    strips: Vec<Option<Changes<'a>>>,
    /// Columns of tiles in which, or next to which, the ground changed.
    ground: GroundChanges,
}

impl<'a> LayerChanges<'a> {
    /// Returns the changes of `layer` and `ground` since `cursor`, and sets `cursor` to now. If
    /// `cursor` is `None` or belongs to another layer, all cells count as changed.
    pub(super) fn since(
        cursor: &mut Option<LayerCursor>,
        layer: &'a Layer,
        ground: &Ground,
    ) -> Self {
        let read = cursor.as_ref().map(|cursor| cursor.layer);
        let strips = layer
            .strips
            .iter()
            .map(|strip| layer.changes_since(strip, read))
            .collect();
        let now = layer.clock.read(Reading::Pictures);
        let cursor = cursor.get_or_insert_with(|| LayerCursor {
            layer: now,
            ground: ground.cursor(),
        });
        cursor.layer = now;
        Self {
            strips,
            ground: ground.changes_since(&mut cursor.ground),
        }
    }

    /// Returns true if neither the layer nor the ground changed.
    pub(super) fn is_empty(&self) -> bool {
        self.strips
            .iter()
            .all(|changes| changes.is_some_and(|changes| changes.rows.is_empty()))
            && self.ground.is_empty()
    }

    /// Returns the changes within `reach` cells (at most the depth of a tile) of the slab of cells
    /// at `z`: those that affect the filtered values in this slab.
    pub(super) fn near_slab(&self, grid: Grid, z: usize, reach: usize) -> Around<'_> {
        let strips = z.saturating_sub(reach) / TILE_Z..=(z + reach).min(grid.nz - 1) / TILE_Z;
        Around {
            grid,
            strips: &self.strips[strips],
            ground: &self.ground,
            tz: z / TILE_Z,
            reach,
        }
    }
}

/// Changes of a layer and of the ground that lie within reach of the filter from one slab of cells
/// (constant z).
pub(super) struct Around<'a> {
    grid: Grid,
    strips: &'a [Option<Changes<'a>>],
    ground: &'a GroundChanges,
    /// Index of the strip (four rows along z) that contains the slab.
    tz: usize,
    /// Distance along x and z, in cells, up to which the filter reads around a cell.
    reach: usize,
}

impl Around<'_> {
    /// Returns true if the changed tiles near the slab are known; false if any tile may have
    /// changed.
    pub(super) fn is_known(&self) -> bool {
        self.strips.iter().all(Option::is_some)
    }

    /// Returns the range of heights y in the slab within reach of a change.
    pub(super) fn rows(&self) -> std::ops::Range<usize> {
        if self.ground.has_any(self.tz) {
            return 0..self.grid.ny;
        }
        let rows = self
            .strips
            .iter()
            .flatten()
            .fold(Rows::NONE, |rows, changes| rows.union(changes.rows))
            .range();
        if rows.is_empty() {
            rows
        } else {
            rows.start.saturating_sub(1)..(rows.end + 1).min(self.grid.ny)
        }
    }

    /// Returns a bit mask of the tiles in row `y` within reach of a change. `w`: index of the
    /// 64-bit word within the row; `has_density`: true if the row has or had a nonzero value; if
    /// false, changes of the ground do not count.
    pub(super) fn word(&self, y: usize, w: usize, has_density: bool) -> u64 {
        let words = self.grid.nx.div_ceil(ROW * TILE_X);
        let word = |w: usize| {
            let near = y.saturating_sub(1)..(y + 2).min(self.grid.ny);
            let changes = self
                .strips
                .iter()
                .flatten()
                .flat_map(|changes| near.clone().map(|y| changes.word(y, w)));
            let word = changes.fold(0, |all, word| all | word);
            if has_density {
                word | self.ground.word(self.tz, w)
            } else {
                word
            }
        };
        dilated_word(word, w, words)
    }

    /// Iterates over ranges of cells in row `y` that are within reach of a change; neighbouring
    /// ranges may overlap. Changes of the ground count only if `has_density` is true: the row has
    /// or had a nonzero value.
    pub(super) fn spans(&self, y: usize, has_density: bool) -> impl Iterator<Item = Span> {
        let near = y.saturating_sub(1)..(y + 2).min(self.grid.ny);
        let nx = self.grid.nx;
        (0..nx.div_ceil(ROW * TILE_X)).flat_map(move |w| {
            let changes = self.strips.iter().flatten();
            let word = changes
                .flat_map(|changes| near.clone().map(|y| changes.word(y, w)))
                .fold(0, |all, word| all | word);
            let word = if has_density {
                word | self.ground.word(self.tz, w)
            } else {
                word
            };
            runs(word).map(move |(from, to)| {
                let cell = |tile: usize| ((w * ROW + tile) * TILE_X).min(nx) as u16;
                grown(
                    Span {
                        from: cell(from),
                        to: cell(to),
                    },
                    self.reach,
                    nx,
                )
            })
        })
    }
}

/// Returns `span` extended by `by` cells at both ends, clamped to a row of `nx` cells.
pub(super) fn grown(span: Span, by: usize, nx: usize) -> Span {
    if span.is_empty() {
        return span;
    }
    Span {
        from: span.from.saturating_sub(by as u16),
        to: (usize::from(span.to) + by).min(nx) as u16,
    }
}

/// Returns the word with index `w` of a row of bits in which each set bit was extended to both
/// neighbours. `word` returns a word of the original row, which has `words` words.
pub(super) fn dilated_word(word: impl Fn(usize) -> u64, w: usize, words: usize) -> u64 {
    let here = word(w);
    let before = if w > 0 { word(w - 1) >> 63 } else { 0 };
    let after = if w + 1 < words { word(w + 1) << 63 } else { 0 };
    here | here << 1 | here >> 1 | before | after
}

/// Iterates over the runs of set bits in `word` as (first bit, end bit), end exclusive.
pub(super) fn runs(mut word: u64) -> impl Iterator<Item = (usize, usize)> {
    std::iter::from_fn(move || {
        let from = word.trailing_zeros();
        (word != 0).then(|| {
            let to = from + (word >> from).trailing_ones();
            // A run may end at bit 63, where a plain shift by 64 bits would overflow.
            word &= u64::MAX.checked_shl(to).unwrap_or(0);
            (from as usize, to as usize)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_found_up_to_both_ends() {
        let found = |word| runs(word).collect::<Vec<_>>();
        assert_eq!(found(0), []);
        assert_eq!(found(u64::MAX), [(0, 64)]);
        assert_eq!(
            found(0b1100_1011 | 1 << 63),
            [(0, 2), (3, 4), (6, 8), (63, 64)]
        );
    }
}
