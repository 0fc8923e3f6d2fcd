//! Turns: sideways moves of grains. All grains that can make the same move do so at once, based on
//! the bit words before the move.

use super::bits::{Quad, moved_along_x, moved_along_z};
use super::strip::{Listed, Move, Near, StripPlan, StripWords};
use super::thick::Thick;
use crate::rules::{TilesAround, Turn, Turns};
use lavoxel_base::grid::tile::ROW;
use lavoxel_base::random::Draw;
use lavoxel_base::simd::{Simd, Work};

/// SIMD kernel that selects the grains of a strip that make the present sideways move.
pub(super) struct Choose<'a, R> {
    pub(super) plan: &'a mut StripPlan,
    pub(super) ways: Ways<'a, R>,
}

/// Inputs for selecting the grains that make the present sideways move: state of the strips, rule
/// and move.
pub(super) struct Ways<'a, R> {
    pub(super) near: Near<'a>,
    pub(super) rule: &'a R,
    pub(super) turn: Turn,
    pub(super) draw: Draw,
    pub(super) thick: Thick<'a>,
    /// Layers of still matter and of grains heavier than those of the moved layer.
    pub(super) heavier: &'a [crate::world::Layer],
}

impl<R: Turns> Work for Choose<'_, R> {
    #[inline(always)]
    fn with<S: Simd>(self, s: S) {
        let Self { plan, ways } = self;
        let &Ways {
            near, turn, thick, ..
        } = &ways;
        plan.moves.clear();
        plan.back.clear();
        let [dx, dy, dz] = turn.way();
        for i in 0..plan.list.len() {
            let tile = plan.list[i];
            let grains = near.here().held[tile.at] & !near.here().moved[tile.at];
            if grains == 0 {
                continue;
            }
            let place = [tile.tx as usize, tile.y as usize, thick.tz];
            let mut cells = grains
                & ways
                    .rule
                    .going(turn, place, ways.draw, &At { ways: &ways, tile });
            if cells == 0 {
                continue;
            }
            // The more expensive test of the matter ahead runs only for cells whose grains the
            // random numbers may hold up.
            if thick.is_any {
                let stays = cells & thick.held_up(place);
                if stays != 0 {
                    let stays = stays & ways.thick_there(s, &tile);
                    if stays != 0 {
                        plan.waiting.insert(place[0], place[1]);
                        cells &= !stays;
                    }
                }
                if cells == 0 {
                    continue;
                }
            }
            plan.moves.push(Move { tile, cells });
            let down = if dy < 0 { near.here().held.pitch } else { 0 };
            for k in 0..near.here().lighter.len() {
                let there = quad([dx, dz], tile.at - down, |dz, at| {
                    near.at(dz).lighter.get(k).map_or(0, |layer| layer.held[at])
                });
                plan.back.push(cells & there.seen([dx, dz]));
            }
        }
    }
}

/// Tile whose grains may move, with its surroundings: the state that a rule of grains reads.
struct At<'a, R> {
    ways: &'a Ways<'a, R>,
    tile: Listed,
}

impl<R> At<'_, R> {
    /// Returns a tile's bit word shifted along the horizontal direction of the move: bit i is the
    /// bit of the cell that lies `on` cells from cell i in this direction. `word` returns the bit
    /// word at an index of a strip; `at`: index of the tile's bit word.
    #[inline(always)]
    fn seen(&self, on: isize, at: usize, word: impl Fn(&StripWords, usize) -> u32) -> u32 {
        let [dx, _, dz] = self.ways.turn.way();
        quad([on * dx, on * dz], at, |dz, at| {
            word(self.ways.near.at(dz), at)
        })
        .seen([on * dx, on * dz])
    }
}

impl<R> TilesAround for At<'_, R> {
    #[inline(always)]
    fn free(&self, on: isize, below: bool) -> u32 {
        let down = if below {
            self.ways.near.here().held.pitch
        } else {
            0
        };
        self.seen(on, self.tile.at - down, StripWords::free)
    }

    #[inline(always)]
    fn slope(&self) -> u32 {
        self.seen(1, self.tile.at, |strip, at| {
            strip.free(at) & strip.free(at - strip.held.pitch)
        })
    }

    #[inline(always)]
    fn corner(&self) -> u32 {
        let [dx, _, dz] = self.ways.turn.way();
        let side = |way| quad(way, self.tile.at, |dz, at| self.ways.near.at(dz).free(at)).seen(way);
        side([dx, 0]) | side([0, dz])
    }

    #[inline(always)]
    fn laden(&self) -> u32 {
        let (here, tile) = (self.ways.near.here(), &self.tile);
        let (tx, y) = (tile.tx as usize, tile.y as usize + 1);
        if y == here.changed.height() {
            return 0;
        }
        let heavier = self.ways.heavier.iter().filter(|layer| layer.is_grains());
        let heavier = heavier.map(|layer| layer.strips[self.ways.thick.tz].held_cells(tx, y));
        heavier.fold(here.held[tile.at + here.held.pitch], |cells, heavier| {
            cells | heavier
        })
    }
}

impl<R> Ways<'_, R> {
    /// Returns the bit mask of the cells of `tile` whose grains would move into lighter matter that
    /// exerts drag.
    #[inline(always)]
    fn thick_there<S: Simd>(&self, s: S, tile: &Listed) -> u32 {
        let [dx, dy, dz] = self.turn.way();
        let tx = tile.tx as usize;
        // Below the floor there is no matter, and none outside of the simulation box.
        let Some(y) = (tile.y as usize).checked_add_signed(dy) else {
            return 0;
        };
        let aside = tx.checked_add_signed(dx);
        let cells = |dz: isize, tx: Option<usize>| match tx {
            Some(tx) => self.thick.cells(s, self.near.at(dz), dz, (tx, y)),
            None => 0,
        };
        let across = if dz == 0 {
            [0; 2]
        } else {
            [
                cells(dz, Some(tx)),
                if dx == 0 { 0 } else { cells(dz, aside) },
            ]
        };
        let aside = if dx == 0 { 0 } else { cells(0, aside) };
        Quad {
            here: cells(0, Some(tx)),
            aside,
            across: across[0],
            corner: across[1],
        }
        .seen([dx, dz])
    }
}

/// Returns the bit words of a tile and of the adjacent tiles in the direction (`dx`, `dz`). `word`
/// returns the bit word for a z offset of the strip (−1, 0, 1) and an index; `at`: index of the
/// tile's bit word. The word is 0 for tiles that the direction does not reach.
#[inline(always)]
fn quad([dx, dz]: [isize; 2], at: usize, word: impl Fn(isize, usize) -> u32) -> Quad {
    let aside = at.wrapping_add_signed(dx.signum());
    Quad {
        here: word(0, at),
        aside: if dx == 0 { 0 } else { word(0, aside) },
        across: if dz == 0 { 0 } else { word(dz, at) },
        corner: if dx == 0 || dz == 0 {
            0
        } else {
            word(dz, aside)
        },
    }
}

/// Second half of a sideways move in one strip: executes the moves that were selected in the strip
/// and its neighbours.
pub(super) struct Apply<'a> {
    pub(super) state: &'a mut StripWords,
    pub(super) turn: Turn,
}

impl Apply<'_> {
    /// Executes the moves of `plan` that were selected in this strip; `is_last` is true if grains
    /// that leave the strip in the direction of the move also leave the simulation box.
    pub(super) fn own(&mut self, plan: &StripPlan, is_last: bool) {
        let [dx, dy, dz] = self.turn.way();
        let layers = self.state.lighter.len();
        for (i, &Move { tile, cells }) in plan.moves.iter().enumerate() {
            let (tx, y) = (tile.tx as usize, tile.y as usize);
            self.state.held[tile.at] &= !cells;
            self.state.touch(y, tx / ROW, 1 << (tx % ROW));
            for (layer, &back) in self.state.lighter.iter_mut().zip(&plan.back[i * layers..]) {
                if back != 0 {
                    layer.held[tile.at] |= back;
                    layer.touched.insert(tx, y);
                }
            }
            let [inside, across] = moved_along_z(dz, cells);
            self.arrive((tx, y), [dx, dy], inside);
            if is_last {
                self.state.left += u64::from(across.count_ones());
            }
        }
    }

    /// Adds the grains that enter this strip from a neighbouring strip to the bit words of this
    /// strip; `plan`: moves selected in that neighbour.
    pub(super) fn receive_from_neighbour(&mut self, plan: &StripPlan) {
        let [dx, dy, dz] = self.turn.way();
        for &Move { tile, cells } in &plan.moves {
            let [_, across] = moved_along_z(dz, cells);
            self.arrive((tile.tx as usize, tile.y as usize), [dx, dy], across);
        }
    }

    /// Adds the grains `cells` (bit mask, already moved along z), which come from the tile at
    /// (`tx`, `y`) and move by `dx` and `dy` cells, to the bit words of the tiles that they reach,
    /// and counts grains that leave the simulation box.
    fn arrive(&mut self, (tx, y): (usize, usize), [dx, dy]: [isize; 2], cells: u32) {
        for (there, cells) in [tx.wrapping_add_signed(0), tx.wrapping_add_signed(dx)]
            .into_iter()
            .zip(moved_along_x(dx, cells))
        {
            if cells == 0 {
                continue;
            }
            let inside = self.state.barriers.inside.get(there).copied().unwrap_or(0);
            self.state.left += u64::from((cells & !inside).count_ones());
            let cells = cells & inside;
            if cells == 0 {
                continue;
            }
            // Below the floor a grain may go only outside of the simulation box, where it has left
            // already.
            let y = y.wrapping_add_signed(dy);
            let at = self.state.held.at(there, y);
            self.state.held[at] |= cells;
            self.state.moved[at] |= cells;
            self.state.touch(y, there / ROW, 1 << (there % ROW));
            for layer in &mut self.state.lighter {
                if layer.held[at] & cells != 0 {
                    layer.held[at] &= !cells;
                    layer.touched.insert(there, y);
                }
            }
        }
    }
}
