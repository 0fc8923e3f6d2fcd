//! Turns: all grains that can move the same way do, by the words before.

use super::bits::{Quad, moved_along_x, moved_along_z};
use super::strip::{Listed, Move, Near, Plan, State};
use super::thick::Thick;
use crate::grid::tile::ROW;
use crate::random::Draw;
use crate::rules::grains::{FallingGrains, Turn, corner_cells, slip_cells};
use crate::simd::{Simd, Work};

/// Chooses what moves in a strip.
pub(super) struct Choose<'a> {
    pub(super) plan: &'a mut Plan,
    pub(super) ways: Ways<'a>,
}

/// Where the grains of a strip can go in a turn.
#[derive(Clone, Copy)]
pub(super) struct Ways<'a> {
    pub(super) near: Near<'a>,
    pub(super) rule: &'a FallingGrains,
    pub(super) turn: Turn,
    pub(super) draw: Draw,
    pub(super) thick: Thick<'a>,
    /// Still matter and heavier grains.
    pub(super) heavier: &'a [crate::world::Layer],
}

impl Work for Choose<'_> {
    #[inline(always)]
    fn with<S: Simd>(self, s: S) {
        let Self { plan, ways } = self;
        let Ways { near, turn, thick, .. } = ways;
        plan.moves.clear();
        plan.back.clear();
        let [dx, dy, dz] = turn.way();
        for i in 0..plan.list.len() {
            let tile = plan.list[i];
            let grains = near.here().held[tile.at] & !near.here().moved[tile.at];
            if grains == 0 {
                continue;
            }
            let mut cells = grains & ways.open(&tile);
            if cells == 0 {
                continue;
            }
            let here = [tile.tx as usize, tile.y as usize, thick.tz];
            if thick.is_any {
                let stays = cells & thick.held_up(here);
                if stays != 0 {
                    let stays = stays & ways.thick_there(s, &tile);
                    if stays != 0 {
                        plan.waiting.insert(here[0], here[1]);
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

impl Ways<'_> {
    /// The cells of a tile from which grains could go.
    #[inline(always)]
    fn open(&self, tile: &Listed) -> u32 {
        let near = self.near;
        let place = [tile.tx as usize, tile.y as usize, self.thick.tz];
        let pitch = near.here().held.pitch;
        let [dx, _, dz] = self.turn.way();
        let free =
            |n: isize, at: usize| quad([n * dx, n * dz], at, |dz, at| near.at(dz).free(at)).seen([n * dx, n * dz]);
        match self.turn {
            Turn::Slide(side) => {
                let both = |dz: isize, at: usize| near.at(dz).free(at) & near.at(dz).free(at - pitch);
                let ways = quad([dx, dz], tile.at, both).seen([dx, dz]);
                if side < 4 || ways == 0 {
                    ways
                } else {
                    ways & corner_cells(self.draw).chosen(place, self.rule.corners)
                }
            }
            Turn::Flow(_) => match self.laden(tile) {
                0 => 0,
                laden => laden & free(1, tile.at),
            },
            Turn::Slip(_) => {
                let ways = free(1, tile.at) & !free(1, tile.at - pitch);
                let ways = if ways == 0 { 0 } else { ways & free(2, tile.at) & free(2, tile.at - pitch) };
                if ways == 0 { 0 } else { ways & slip_cells(self.draw).chosen(place, self.rule.slip) }
            }
        }
    }

    /// The cells of a tile with a grain of this kind or a heavier one above.
    #[inline(always)]
    fn laden(&self, tile: &Listed) -> u32 {
        let here = self.near.here();
        let (tx, y) = (tile.tx as usize, tile.y as usize + 1);
        if y == here.changed.height() {
            return 0;
        }
        let heavier = self
            .heavier
            .iter()
            .filter(|layer| layer.is_grains())
            .map(|layer| layer.strips[self.thick.tz].held_cells(tx, y));
        heavier.fold(here.held[tile.at + here.held.pitch], |cells, heavier| cells | heavier)
    }

    /// The cells of a tile whose grains would go into lighter matter.
    #[inline(always)]
    fn thick_there<S: Simd>(&self, s: S, tile: &Listed) -> u32 {
        let [dx, dy, dz] = self.turn.way();
        let tx = tile.tx as usize;
        // Below the floor is no matter, as there is none outside of the box.
        let Some(y) = (tile.y as usize).checked_add_signed(dy) else { return 0 };
        let aside = tx.checked_add_signed(dx);
        let cells = |dz: isize, tx: Option<usize>| match tx {
            Some(tx) => self.thick.cells(s, self.near.at(dz), dz, (tx, y)),
            None => 0,
        };
        let across = if dz == 0 { [0; 2] } else { [cells(dz, Some(tx)), if dx == 0 { 0 } else { cells(dz, aside) }] };
        let aside = if dx == 0 { 0 } else { cells(0, aside) };
        Quad { here: cells(0, Some(tx)), aside, across: across[0], corner: across[1] }.seen([dx, dz])
    }
}

/// The tiles that the cells of one see in a direction, by a word of each; those not seen are empty.
#[inline(always)]
fn quad([dx, dz]: [isize; 2], at: usize, word: impl Fn(isize, usize) -> u32) -> Quad {
    let aside = at.wrapping_add_signed(dx.signum());
    Quad {
        here: word(0, at),
        aside: if dx == 0 { 0 } else { word(0, aside) },
        across: if dz == 0 { 0 } else { word(dz, at) },
        corner: if dx == 0 || dz == 0 { 0 } else { word(dz, aside) },
    }
}

/// Carries out in a strip what it and the one beside it chose.
pub(super) struct Apply<'a> {
    pub(super) state: &'a mut State,
    pub(super) turn: Turn,
}

impl Apply<'_> {
    /// The moves of the strip itself; `is_last` says whether those that cross its end leave the box.
    pub(super) fn own(&mut self, plan: &Plan, is_last: bool) {
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

    /// Takes the grains that come from the strip beside it.
    pub(super) fn beside(&mut self, plan: &Plan) {
        let [dx, dy, dz] = self.turn.way();
        for &Move { tile, cells } in &plan.moves {
            let [_, across] = moved_along_z(dz, cells);
            self.arrive((tile.tx as usize, tile.y as usize), [dx, dy], across);
        }
    }

    /// Grains that come from a column of tiles, at the rows along z where they are now.
    fn arrive(&mut self, (tx, y): (usize, usize), [dx, dy]: [isize; 2], cells: u32) {
        for (there, cells) in
            [tx.wrapping_add_signed(0), tx.wrapping_add_signed(dx)].into_iter().zip(moved_along_x(dx, cells))
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
            // Outside of the box a grain may go below the floor, inside of it there is none.
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
