//! What of a world changed since a low-pass saw it.

use crate::grid::Grid;
use crate::grid::tile::{ROW, TILE_X, TILE_Z};
use crate::world::{Changes, Look, Rows, Span, World};

/// A look at a world: at its liquid, with the ground that lay under it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    liquid: Look,
    ground: u64,
}

impl Seen {
    /// Looks at a world.
    pub(super) fn now(world: &World) -> Self {
        Self { liquid: world.lava.looks.look(), ground: world.ground.stamp() }
    }
}

/// For each strip the tiles that changed; nothing is known of a strip that has `None`.
pub(super) struct News<'a>(Vec<Option<Changes<'a>>>);

impl<'a> News<'a> {
    /// What is news for somebody who saw this world last, another world, or none.
    pub(super) fn since(seen: Option<Seen>, world: &'a World) -> Self {
        let look = seen
            .filter(|seen| seen.ground == world.ground.stamp())
            .and_then(|seen| world.lava.looks.number(seen.liquid));
        Self(world.lava.strips.iter().map(|strip| look.and_then(|look| strip.changes_since(look))).collect())
    }

    /// Whether nothing changed.
    pub(super) fn is_empty(&self) -> bool {
        self.0.iter().all(|changes| changes.is_some_and(|changes| changes.rows.is_empty()))
    }

    /// What is news in the slab at `z` and those beside it.
    pub(super) fn around(&self, grid: Grid, z: usize) -> Around<'_> {
        let strips = z.saturating_sub(1) / TILE_Z..=(z + 1).min(grid.nz - 1) / TILE_Z;
        Around { grid, strips: &self.0[strips] }
    }
}

/// What is news in a slab and those beside it.
pub(super) struct Around<'a> {
    grid: Grid,
    strips: &'a [Option<Changes<'a>>],
}

impl Around<'_> {
    /// Whether all that changed is known.
    pub(super) fn is_known(&self) -> bool {
        self.strips.iter().all(Option::is_some)
    }

    /// The rows of the slab that the filter reaches from a change.
    pub(super) fn rows(&self) -> std::ops::Range<usize> {
        let rows = self.strips.iter().flatten().fold(Rows::NONE, |rows, changes| rows.union(changes.rows)).range();
        if rows.is_empty() { rows } else { rows.start.saturating_sub(1)..(rows.end + 1).min(self.grid.ny) }
    }

    /// The cells of the row `y` that the filter reaches from a change; the ends of some may lie in others.
    pub(super) fn spans(&self, y: usize) -> impl Iterator<Item = Span> {
        let near = y.saturating_sub(1)..(y + 2).min(self.grid.ny);
        let nx = self.grid.nx;
        (0..nx.div_ceil(ROW * TILE_X)).flat_map(move |w| {
            let changes = self.strips.iter().flatten();
            let word =
                changes.flat_map(|changes| near.clone().map(|y| changes.word(y, w))).fold(0, |all, word| all | word);
            runs(word).map(move |(from, to)| {
                let cell = |tile: usize| ((w * ROW + tile) * TILE_X).min(nx) as u16;
                Span { from: cell(from), to: cell(to) }.grown(nx)
            })
        })
    }
}

/// The runs of bits that are set, each with its end outside.
fn runs(mut word: u64) -> impl Iterator<Item = (usize, usize)> {
    std::iter::from_fn(move || {
        let from = word.trailing_zeros();
        (word != 0).then(|| {
            let to = from + (word >> from).trailing_ones();
            // Not one shift, which may be by all 64 bits.
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
        assert_eq!(found(0b1100_1011 | 1 << 63), [(0, 2), (3, 4), (6, 8), (63, 64)]);
    }
}
