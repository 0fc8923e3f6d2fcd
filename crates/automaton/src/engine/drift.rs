//! Rules of random vertical motion, such as rising steam, applied to the tiles of a strip: first
//! upwards, columns from the top down, then downwards, columns from the bottom up.
//!
//! Random numbers choose the moving cells in every step, so every tile that contains matter is
//! processed, until no cell could move for any values of the random numbers.

use super::heavier::{Heavier, Layers};
use crate::rules::UpDown;
use crate::world::{AMOUNT, Ground, GroundStrip, Strip};
use lavoxel_base::grid::tile::{ROW, bits};
use lavoxel_base::random::StepKey;
use lavoxel_base::simd::{Simd, Work};

/// SIMD kernel that applies a rule of random vertical motion to the strip `strip` of a layer, for
/// one step.
pub(super) struct Rises<'a, R> {
    pub(super) strip: &'a mut Strip,
    pub(super) tz: usize,
    pub(super) ground: &'a Ground,
    pub(super) heavier: Layers<'a>,
    pub(super) rule: &'a R,
    pub(super) key: StepKey,
}

/// Two vertically adjacent tiles: indices of their rows of tiles in the strip, and their common bit
/// in the rows.
#[derive(Clone, Copy)]
struct Pair {
    /// Index of the row of tiles that contains the giving tile.
    from: usize,
    /// Index of the row of tiles that contains the receiving tile.
    to: usize,
    bit: usize,
}

impl<R: UpDown> Work for Rises<'_, R> {
    #[inline(always)]
    fn with<S: Simd>(mut self, s: S) {
        let ny = self.ground.grid().ny;
        let rows = self.strip.held.range();
        for y in (rows.start..rows.end.min(ny - 1)).rev() {
            self.row(s, y, y + 1, true);
        }
        // One row more than contained matter before, because some matter rose into that row.
        for y in rows.start.max(1)..(rows.end + 1).min(ny) {
            self.row(s, y, y - 1, false);
        }
    }
}

impl<R: UpDown> Rises<'_, R> {
    /// Moves matter from the cells at height `y` (in cells) into the cells at height `to`, which
    /// lie directly above if `up` is true, else directly below.
    #[inline(always)]
    fn row<S: Simd>(&mut self, s: S, y: usize, to: usize, up: bool) {
        for w in 0..self.strip.width {
            let (from, into) = (self.strip.index(y, w), self.strip.index(to, w));
            for bit in bits(self.strip.row(from).held) {
                self.tile(
                    s,
                    Pair {
                        from,
                        to: into,
                        bit,
                    },
                    [y, to, w * ROW + bit],
                    up,
                );
            }
        }
    }

    /// Returns the bit mask of the cells whose matter cannot sink: the cell above is solid, beyond
    /// the roof, or full enough to block sinking (`UpDown::blocking_filling`). `[tx, y]`: index of
    /// the tile; `index` and `bit`: row of the tile and bit in the row.
    #[inline(always)]
    fn held<S: Simd>(&mut self, s: S, [tx, y]: [usize; 2], index: usize, bit: usize) -> u32 {
        let above = index + self.strip.width;
        if y + 1 == self.ground.grid().ny {
            return u32::MAX;
        }
        let slot = self.strip.row(above).slots[bit];
        let open = self
            .strip
            .masks_of(slot, self.ground.strip(self.tz), [tx, y + 1])
            .open;
        let amount = s.load(&self.strip.lanes::<1>(slot)[AMOUNT]);
        let full = s.add_saturating(amount, self.heavier.amount(s, above, bit, self.tz));
        !open | !s.above(s.splat(self.rule.blocking_filling()), full)
    }

    /// Moves matter from the tile `from` into the tile `to`, upwards if `up` is true. `y`, `to_y`:
    /// heights of the giving and the receiving tile in cells; `tx`: x index of both tiles.
    #[inline(always)]
    fn tile<S: Simd>(
        &mut self,
        s: S,
        pair @ Pair { from, to, bit }: Pair,
        place @ [y, to_y, tx]: [usize; 3],
        up: bool,
    ) {
        let chosen = self.rule.acting(self.key, [tx, y, self.tz], up);
        let Some([left, taken]) = self.moved(s, pair, place, (chosen, up)) else {
            return;
        };
        s.store(&mut self.strip.change::<1>(to_y, to, bit)[AMOUNT], taken);
        s.store(&mut self.strip.change::<1>(y, from, bit)[AMOUNT], left);
        if !s.any(left) {
            self.strip.leave(from, bit);
        }
    }

    /// Returns the new amounts of both tiles (giving, receiving) after the cells `chosen` (bit
    /// mask) gave upwards (`up` is true) or downwards; `None` if nothing moves. `y`, `to_y`:
    /// heights of the two tiles; `tx`: their x index.
    #[inline(always)]
    fn moved<S: Simd>(
        &mut self,
        s: S,
        Pair { from, to, bit }: Pair,
        [y, to_y, tx]: [usize; 3],
        (mut chosen, up): (u32, bool),
    ) -> Option<[S::V; 2]> {
        if chosen != 0 && !up {
            chosen &= !self.held(s, [tx, y], from, bit);
        }
        if chosen == 0 {
            return None;
        }
        let ground: GroundStrip<'_> = self.ground.strip(self.tz);
        let slots = [from, to].map(|index| self.strip.row(index).slots[bit]);
        // The bed mask of the upper tile tells where the tile below is closed.
        let upper = if up { to_y } else { y };
        let masks = self
            .strip
            .masks_of(slots[usize::from(up)], ground, [tx, upper]);
        let open = masks.open & !masks.bed;
        let amount = s.load(&self.strip.lanes::<1>(slots[0])[AMOUNT]);
        let there = s.load(&self.strip.lanes::<1>(slots[1])[AMOUNT]);
        let full = s.add_saturating(there, self.heavier.amount(s, to, bit, self.tz));
        let moved = s.keep(self.rule.moved_lanes(s, amount, full, up), chosen & open);
        s.any(moved)
            .then(|| [s.sub(amount, moved), s.add(there, moved)])
    }
}

/// SIMD kernel that sets `found` if matter of any cell of a strip could move vertically for some
/// values of the random numbers.
pub(super) struct Stirs<'a, R> {
    pub(super) rises: Rises<'a, R>,
    pub(super) found: &'a mut bool,
}

impl<R: UpDown> Work for Stirs<'_, R> {
    #[inline(always)]
    fn with<S: Simd>(self, s: S) {
        let Self { mut rises, found } = self;
        let ny = rises.ground.grid().ny;
        let rows = rises.strip.held.range();
        for y in rows.start..rows.end.min(ny) {
            for (to, up) in [(y + 1, true), (y.wrapping_sub(1), false)]
                .into_iter()
                .filter(|&(to, _)| to < ny)
            {
                *found |= rises.row_stirs(s, [y, to], up);
            }
            if *found {
                return;
            }
        }
    }
}

impl<R: UpDown> Rises<'_, R> {
    /// Returns true if matter of any cell at height `y` could move to the cell at height `to` for
    /// some values of the random numbers.
    #[inline(always)]
    fn row_stirs<S: Simd>(&mut self, s: S, [y, to]: [usize; 2], up: bool) -> bool {
        let chosen = if self.rule.ever_acts(up) { u32::MAX } else { 0 };
        for w in 0..self.strip.width {
            let (from, into) = (self.strip.index(y, w), self.strip.index(to, w));
            for bit in bits(self.strip.row(from).held) {
                let pair = Pair {
                    from,
                    to: into,
                    bit,
                };
                if self
                    .moved(s, pair, [y, to, w * ROW + bit], (chosen, up))
                    .is_some()
                {
                    return true;
                }
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use crate::engine::Engine;
    use crate::engine::plain::Plain;
    use crate::engine::tiled::Tiled;
    use crate::matter::Material;
    use crate::rules::{Rules, RulesSpec};
    use crate::world::{Content, Ground, World};
    use lavoxel_base::grid::Grid;
    use lavoxel_base::random::Draw;
    use lavoxel_base::units::AMOUNT_ONE;

    #[test]
    fn gas_that_cannot_move_is_left_alone_until_something_changes() {
        let grid = Grid::new(20, 12, 9);
        let mut world = World::with_materials(Ground::none(grid), vec![Material::steam()]);
        let full = Content {
            amount: AMOUNT_ONE,
            energy: 0,
        };
        grid.places()
            .filter(|&[_, y, _]| y >= 10)
            .for_each(|place| world.layers[1].set(place, full));
        let materials = [world.layers[1].material().clone()];
        let rules = Rules::new(&RulesSpec::default(), &materials, &[], grid);
        let mut plain = world.clone();
        let (mut fast, mut slow) = (Tiled::default(), Plain);
        let mut steps = 0;
        let mut run = |world: &mut World, plain: &mut World, count: u64| {
            for step in steps..steps + count {
                for rule in rules.iter() {
                    fast.run(world, rule, Draw { seed: 1, step });
                    slow.run(plain, rule, Draw { seed: 1, step });
                }
                assert_eq!(world.state_hash(), plain.state_hash(), "step {step}");
            }
            steps += count;
        };
        run(&mut world, &mut plain, 2);
        assert!(
            world.layers[1].traced.is_some() && world.layers[1].is_asleep(),
            "no tile is visited"
        );
        // Empties a cell above the gas.
        for world in [&mut world, &mut plain] {
            world.layers[1].set([3, 11, 3], Content::default());
        }
        run(&mut world, &mut plain, 1);
        assert!(
            world.layers[1].traced.is_none() && !world.layers[1].is_asleep(),
            "it may rise"
        );
        run(&mut world, &mut plain, 60);
        assert!(world.layers[1].at([3, 11, 3]).amount > 0, "it rose");
    }
}
