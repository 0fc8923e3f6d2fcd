//! The surface cells of a strip, by body and height.

use super::air::{Air, Sky};
use super::bodies::Bodies;
use super::near::{Near, around};
use crate::engine::heavier::{Heavier, Layers};
use crate::grid::tile::{Lanes, ROW, bits};
use crate::rules::trace::{Height, Shares, Surface, Tracing};
use crate::simd::{Simd, Work};
use crate::units::AMOUNT_ONE;
use crate::world::{AMOUNT, GroundStrip, Strip};

/// The surface cells of a strip. Heights, pieces and spots come from the lowest y on, and at each y from the west.
#[derive(Debug, Default)]
pub(super) struct Surfaces {
    pub(super) spots: Vec<Spot>,
    pub(super) pieces: Vec<Piece>,
    pub(super) heights: Vec<Height>,
    /// For each of the heights, its number among those of all strips.
    pub(super) numbers: Vec<u32>,
    /// For each of the heights, the shares of its cells.
    pub(super) shares: Vec<Shares>,
    /// Where the last height of each body may be.
    last: Vec<u32>,
    /// Whether anything was written into the strip.
    pub(super) changed: bool,
}

/// A tile with surface cells.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot {
    /// Number of its row in the strip, its bit there, and its y.
    pub(super) index: usize,
    pub(super) bit: usize,
    pub(super) y: usize,
    pub(super) amounts: Lanes,
    /// Room for each of the bodies to which a cell belongs.
    rooms: Lanes,
    /// Cells that offer their amount.
    gives: u32,
    /// Numbers of its first piece and of the one after its last.
    pub(super) pieces: [usize; 2],
}

/// The surface cells of a tile that belong to one body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    /// Number of the height in the strip.
    pub(super) height: usize,
    pub(super) cells: u32,
}

impl Spot {
    /// One of its cells.
    #[inline(always)]
    pub(super) fn cell(&self, lane: usize) -> Surface {
        let amount = self.amounts.0[lane];
        let offer = if self.gives >> lane & 1 == 1 { amount } else { 0 };
        Surface { offer, amount, room: self.rooms.0[lane] }
    }
}

impl Surfaces {
    /// Forgets everything; bodies have smaller numbers than `bodies`.
    pub(super) fn begin(&mut self, bodies: usize) {
        self.spots.clear();
        self.pieces.clear();
        self.heights.clear();
        self.last.resize(bodies, 0);
        self.changed = false;
    }

    /// Number of the height of a body at y.
    #[inline]
    fn height(&mut self, body: u32, y: usize) -> usize {
        let last = self.last[body as usize] as usize;
        if self.heights.get(last).is_some_and(|height| height.body == body && height.y == y as u32) {
            return last;
        }
        self.last[body as usize] = self.heights.len() as u32;
        self.heights.push(Height::new(body, y as u32));
        self.heights.len() - 1
    }

    /// Adds cells of the last spot to a body at y.
    #[inline]
    fn add(&mut self, body: u32, y: usize, cells: u32) {
        let height = self.height(body, y);
        let first = self.spots.last().map_or(0, |spot| spot.pieces[0]);
        match self.pieces[first..].iter_mut().find(|piece| piece.height == height) {
            Some(piece) => piece.cells |= cells,
            None => self.pieces.push(Piece { height, cells }),
        }
    }

    /// All pieces, each with its spot.
    pub(super) fn each_piece(&mut self, mut see: impl FnMut(&Spot, &Piece, &mut Height)) {
        for spot in &self.spots {
            for piece in &self.pieces[spot.pieces[0]..spot.pieces[1]] {
                see(spot, piece, &mut self.heights[piece.height]);
            }
        }
    }
}

/// Finds the surface cells of a strip.
pub(super) struct Look<'a> {
    pub(super) rule: &'a Tracing,
    pub(super) tz: usize,
    pub(super) strip: &'a Strip,
    pub(super) ground: GroundStrip<'a>,
    pub(super) sky: &'a Sky,
    pub(super) heavier: Layers<'a>,
    pub(super) bodies: &'a Bodies,
    /// `None` where air makes way.
    pub(super) air: Option<&'a Air>,
    pub(super) found: &'a mut Surfaces,
}

impl Work for Look<'_> {
    #[inline(always)]
    fn with<S: Simd>(mut self, s: S) {
        let (bodies, tz) = (self.bodies, self.tz);
        self.found.begin(bodies.end());
        let near = tz.saturating_sub(1)..(tz + 2).min(bodies.strips.len());
        let rows = bodies.strips[near].iter().map(|strip| strip.rows()).filter(|rows| !rows.is_empty());
        let Some(rows) = rows.reduce(|a, b| a.start.min(b.start)..a.end.max(b.end)) else { return };
        let is_near = self.heavier.is_near(tz);
        let here = &bodies.strips[tz];
        let north = if tz > 0 { bodies.strips.get(tz - 1) } else { None };
        let south = bodies.strips.get(tz + 1);
        // Nothing is a surface below the roof of the box.
        for y in rows.start.saturating_sub(1)..(rows.end + 1).min(self.ground.ny() - 1) {
            let (row, above) = (here.row(y), here.row(y + 1));
            let below = if y > 0 { here.row(y - 1) } else { here.row(usize::MAX) };
            let north = north.map(|strip| strip.row(y));
            let south = south.map(|strip| strip.row(y));
            for tx in 0..self.strip.count {
                let beside = [
                    if tx > 0 { row[tx - 1] } else { 0 },
                    row.get(tx + 1).copied().unwrap_or(0),
                    north.map_or(0, |row| row[tx]),
                    south.map_or(0, |row| row[tx]),
                ];
                let near = Near { here: row[tx], below: below[tx], above: above[tx], beside };
                // Deep down every cell has one above it that is too full.
                let deep = if self.rule.through >= self.rule.fullest { near.above } else { 0 };
                let touched = near.touched() & !deep;
                if touched != 0 {
                    self.tile(s, [tx, y], (near, touched), is_near);
                }
            }
        }
    }
}

impl Look<'_> {
    /// The surface cells of one tile among those that are `touched`.
    #[inline(always)]
    fn tile<S: Simd>(&mut self, s: S, [tx, y]: [usize; 2], (near, touched): (Near, u32), is_near: bool) {
        let (strip, tz) = (self.strip, self.tz);
        let (index, bit) = (strip.index(y, tx / ROW), tx % ROW);
        let over = index + strip.width;
        let mut filling = s.load(&strip.tile(strip.row(over).slots[bit]).0[AMOUNT]);
        if is_near {
            filling = s.add_saturating(filling, self.heavier.amount(s, over, bit, tz));
        }
        let roomy = !s.above(filling, s.splat(self.rule.fullest)) & touched;
        if roomy == 0 {
            return;
        }
        let mut cells = roomy & self.sky.open(self.ground, tx, y) & self.sky.open(self.ground, tx, y + 1);
        if let Some(air) = self.air {
            cells &= air.free([tx, y + 1, tz]);
        }
        if cells == 0 {
            return;
        }
        let amounts = s.load(&strip.tile(strip.row(index).slots[bit]).0[AMOUNT]);
        let full = s.splat(AMOUNT_ONE);
        let space = if is_near { s.sub(full, self.heavier.amount(s, index, bit, tz)) } else { full };
        let holds = s.above(amounts, s.splat(0));
        let on = if self.rule.rest { near.below & holds & !near.here } else { 0 };
        let gives = (near.here | on) & !s.above(s.splat(self.rule.min_liquid), amounts);
        let first = self.found.pieces.len();
        let pieces = [first, first];
        let mut spot = Spot { index, bit, y, amounts: Lanes::ZERO, rooms: Lanes::ZERO, gives, pieces };
        s.store(&mut spot.amounts, amounts);
        s.store(&mut spot.rooms, s.sub_saturating(space, amounts));
        self.found.spots.push(spot);
        self.divide([tx, y], near, cells, on);
    }

    /// Gives the surface cells of the last spot to their bodies; those `on` a body belong to the one below.
    fn divide(&mut self, [tx, y]: [usize; 2], near: Near, cells: u32, on: u32) {
        let place = [tx, y, self.tz];
        let at = |by: [isize; 3]| -> [usize; 3] { std::array::from_fn(|k| place[k].wrapping_add_signed(by[k])) };
        // Every tile here has cells of a body.
        if let Some(body) = self.bodies.only(near.tiles().map(at)) {
            self.found.add(body, y, cells);
        } else {
            for lane in bits(cells.into()) {
                let bit = 1 << lane;
                if near.here & bit != 0 {
                    self.join(place, y, bit);
                } else if on & bit != 0 {
                    self.join(at([0, -1, 0]), y, bit);
                } else {
                    self.share_out(at, y, lane);
                }
            }
        }
        let found = &mut *self.found;
        let Some(spot) = found.spots.last_mut() else { return };
        spot.pieces[1] = found.pieces.len();
        for piece in &found.pieces[spot.pieces[0]..] {
            let height = &mut found.heights[piece.height];
            bits(piece.cells.into()).for_each(|lane| height.add(spot.cell(lane)));
        }
    }

    /// Gives a surface cell to the body of a cell.
    fn join(&mut self, tile: [usize; 3], y: usize, bit: u32) {
        if let Some(body) = self.bodies.body(tile, bit) {
            self.found.add(body, y, bit);
        }
    }

    /// Gives a free cell to each body that touches it, and to each an equal part of its room.
    fn share_out(&mut self, at: impl Fn([isize; 3]) -> [usize; 3], y: usize, lane: usize) {
        let mut touching = [u32::MAX; 6];
        let mut count = 0;
        for (by, bit) in around(lane as u32) {
            let [tx, y, tz] = at(by);
            if tx >= self.strip.count || tz >= self.bodies.strips.len() {
                continue;
            }
            if let Some(body) = self.bodies.body([tx, y, tz], bit)
                && !touching[..count].contains(&body)
            {
                touching[count] = body;
                count += 1;
            }
        }
        if let Some(spot) = self.found.spots.last_mut() {
            spot.rooms.0[lane] /= count.max(1) as u16;
        }
        touching[..count].iter().for_each(|&body| self.found.add(body, y, 1 << lane));
    }
}
