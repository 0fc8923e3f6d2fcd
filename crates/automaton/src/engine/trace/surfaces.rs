//! Surface cells of connected bodies of liquid in a strip: donor cells give liquid to the body,
//! receiver cells take liquid from it; grouped by body, height and role.

use super::air::Air;
use super::near::{Near, lane_neighbours};
use super::parts::Connected;
use super::sides::Sides;
use super::sky::Sky;
use crate::engine::heavier::{Heavier, Layers};
use crate::rules::{Bodies, Height, HeightKind as Kind, Shares, Surface};
use crate::world::{AMOUNT, Strip};
use lavoxel_base::grid::tile::{Lanes, ROW, bits};
use lavoxel_base::simd::{Simd, Work};
use lavoxel_base::units::AMOUNT_ONE;

/// Number of roles that a donor or receiver cell can have: the number of variants of [`Kind`].
const KINDS: usize = 4;

/// Donor and receiver cells of one strip for the tracing rule. All lists are sorted by y, then from
/// west to east.
#[derive(Debug, Default)]
pub(super) struct Surfaces {
    /// Tiles that can have donor or receiver cells; valid while the connected bodies of liquid and
    /// the ground are unchanged.
    sites: Vec<Site>,
    /// Scratch buffer: for each tile of the row of tiles above, the bit mask of the body cells that
    /// are covered from above.
    covered: Vec<u32>,
    pub(super) spots: Vec<Spot>,
    pub(super) pieces: Vec<TilePiece>,
    pub(super) heights: Vec<Height>,
    /// Index of each group in `heights` in the list of groups merged over all strips.
    pub(super) numbers: Vec<u32>,
    /// Prefix sums of the cells' shares, by which the flow of each group in `heights` is
    /// apportioned to its cells.
    pub(super) shares: Vec<Shares>,
    /// Probable index in `heights` of the last group of each body and role; checked before use.
    last: Vec<u32>,
    /// True if the flow changed any cell of the strip.
    pub(super) changed: bool,
}

/// Tile that can have donor or receiver cells, because it has open cells at the faces of connected
/// bodies of liquid.
#[derive(Clone, Copy, Debug)]
struct Site {
    tx: u32,
    y: u32,
    near: Near,
    /// Bit mask of the cells of the tile whose upper neighbour is open, so that a liquid surface
    /// can rise in them.
    under_open: u32,
    /// Bit mask of the cells of `under_open` through which liquid of a connected body can pass
    /// (body cells).
    own: u32,
    /// Bit mask of the body cells (cells of a connected body of liquid) directly below rock, the
    /// roof or a covered cell.
    covered: u32,
    /// Bit mask of the free cells: open cells that touch a connected body of liquid at a side or
    /// below, belong to no body, and have no body cell above.
    free: u32,
    /// Bit mask of the open cells directly on top of a connected body of liquid whose own liquid
    /// belongs to that body; 0 if the rule has no such cells.
    above: u32,
    /// Bit mask of the cells of connected bodies of liquid that touch an open side of the
    /// simulation box.
    at_side: u32,
}

/// Tile that has donor or receiver cells in this application of the tracing rule.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot {
    /// Index of the tile's row of tiles in the strip, bit of the tile in that row, and height y of
    /// the tile.
    pub(super) index: usize,
    pub(super) bit: usize,
    pub(super) y: usize,
    pub(super) amounts: Lanes,
    /// Free volume of each cell, in units of amount. If several bodies touch a cell, its volume is
    /// divided equally, and the element is the share of one body.
    rooms: Lanes,
    /// Bit mask of the donor cells (those that give liquid).
    gives: u32,
    /// Range of the tile's elements in `pieces` (groups of cells): first index, and last index plus
    /// one.
    pub(super) pieces: [usize; 2],
}

/// Cells of one tile that belong to the same connected body of liquid and have the same role.
#[derive(Clone, Copy, Debug)]
pub(super) struct TilePiece {
    /// Index in the strip's `heights` of the group to which the cells belong.
    pub(super) height: usize,
    pub(super) cells: u32,
    /// Openings through which the connected body presses liquid, as bit masks of cells: free cells
    /// at the body's sides, free cells on top, and covered cells of the body itself.
    holes: [u32; 3],
}

impl Spot {
    /// Returns the offered amount, the present amount and the free volume of the cell with index
    /// `lane` (0–31), in units of amount.
    #[inline(always)]
    pub(super) fn cell(&self, lane: usize) -> Surface {
        let amount = self.amounts.0[lane];
        let offer = if self.gives >> lane & 1 == 1 {
            amount
        } else {
            0
        };
        Surface {
            offer,
            amount,
            room: self.rooms.0[lane],
        }
    }
}

impl Surfaces {
    /// Clears all lists for a new application of the tracing rule; all body numbers are below
    /// `bodies`.
    pub(super) fn begin(&mut self, bodies: usize) {
        self.spots.clear();
        self.pieces.clear();
        self.heights.clear();
        self.last.resize(KINDS * bodies, 0);
        self.changed = false;
    }

    /// Returns the index in `heights` of the group of cells with the key `key` (body, y, role);
    /// adds the group if it is new.
    #[inline]
    fn height(&mut self, key @ (body, _, kind): (u32, u32, Kind)) -> usize {
        let last = &mut self.last[KINDS * body as usize + kind as usize];
        if self
            .heights
            .get(*last as usize)
            .is_none_or(|height| height.key() != key)
        {
            *last = self.heights.len() as u32;
            self.heights.push(Height::new(key));
        }
        *last as usize
    }

    /// Adds the bit mask `cells` of the last tile in `spots`, with the openings `holes` (bit
    /// masks), to the group with the key `key` (body, y, role).
    #[inline]
    fn add(&mut self, key: (u32, u32, Kind), cells: u32, holes: [u32; 3]) {
        if cells == 0 {
            return;
        }
        let height = self.height(key);
        let first = self.spots.last().map_or(0, |spot| spot.pieces[0]);
        match self.pieces[first..]
            .iter_mut()
            .find(|piece| piece.height == height)
        {
            Some(piece) => {
                piece.cells |= cells;
                piece
                    .holes
                    .iter_mut()
                    .zip(holes)
                    .for_each(|(holes, more)| *holes |= more);
            }
            None => self.pieces.push(TilePiece {
                height,
                cells,
                holes,
            }),
        }
    }

    /// Calls `see` for each set of cells that belong to one tile and one group, with the tile, the
    /// set of cells, and the group.
    pub(super) fn each_piece(&mut self, mut see: impl FnMut(&Spot, &TilePiece, &mut Height)) {
        for spot in &self.spots {
            for piece in &self.pieces[spot.pieces[0]..spot.pieces[1]] {
                see(spot, piece, &mut self.heights[piece.height]);
            }
        }
    }
}

/// SIMD kernel that finds the donor and receiver cells of one strip.
pub(super) struct Look<'a, R> {
    pub(super) rule: &'a R,
    pub(super) tz: usize,
    pub(super) strip: &'a Strip,
    pub(super) sky: &'a Sky,
    pub(super) heavier: Layers<'a>,
    pub(super) bodies: &'a Connected,
    /// Air that is connected to the roof or an open side of the simulation box; `None` if the rule
    /// ignores trapped air.
    pub(super) air: Option<&'a Air>,
    /// Sides of the simulation box, through which liquid leaves if they are open.
    pub(super) sides: Sides,
    pub(super) found: &'a mut Surfaces,
}

impl<R: Bodies> Work for Look<'_, R> {
    #[inline(always)]
    fn with<S: Simd>(mut self, s: S) {
        let (bodies, tz) = (self.bodies, self.tz);
        self.found.begin(bodies.end());
        if self.sky.changed || bodies.changed_near(tz) {
            self.find_sites();
        }
        let is_near = self.heavier.is_near(tz);
        for number in 0..self.found.sites.len() {
            self.site(s, number, is_near);
        }
    }
}

/// Bit masks of the donor and receiver cells of a tile: cells of a free surface, and free cells
/// into which pressure drives liquid.
#[derive(Clone, Copy)]
struct Taking {
    surface: u32,
    pressed: u32,
    /// Bit mask of the surface cells directly on top of a connected body of liquid, to which their
    /// liquid belongs.
    on: u32,
}

impl<R: Bodies> Look<'_, R> {
    /// Finds the tiles of the strip that can have donor or receiver cells, and stores these tiles
    /// in `sites`.
    fn find_sites(&mut self) {
        let (bodies, tz) = (self.bodies, self.tz);
        self.found.sites.clear();
        let near = tz.saturating_sub(1)..(tz + 2).min(bodies.strips.len());
        let rows = bodies.strips[near]
            .iter()
            .map(|strip| strip.rows())
            .filter(|rows| !rows.is_empty());
        let Some(rows) = rows.reduce(|a, b| a.start.min(b.start)..a.end.max(b.end)) else {
            return;
        };
        let here = &bodies.strips[tz];
        let north = if tz > 0 {
            bodies.strips.get(tz - 1)
        } else {
            None
        };
        let south = bodies.strips.get(tz + 1);
        // From the top down, because a covered cell covers the body cell below.
        self.found.covered.clear();
        self.found.covered.resize(self.strip.count, 0);
        for y in (rows.start..(rows.end + 1).min(self.strip.ny())).rev() {
            let (row, above) = (here.row(y), here.row(y + 1));
            let below = if y > 0 {
                here.row(y - 1)
            } else {
                here.row(usize::MAX)
            };
            let north = north.map(|strip| strip.row(y));
            let south = south.map(|strip| strip.row(y));
            for tx in (0..self.strip.count).rev() {
                let beside = [
                    if tx > 0 { row[tx - 1] } else { 0 },
                    row.get(tx + 1).copied().unwrap_or(0),
                    north.map_or(0, |row| row[tx]),
                    south.map_or(0, |row| row[tx]),
                ];
                self.find_site(
                    [tx, y],
                    Near {
                        here: row[tx],
                        below: below[tx],
                        above: above[tx],
                        beside,
                    },
                );
            }
        }
        // The sites were found from the highest to the lowest.
        self.found.sites.reverse();
    }

    /// Adds the tile at (`tx`, `y`) to `sites` if it can have donor or receiver cells; `near`: body
    /// cells in and around the tile.
    #[inline(always)]
    fn find_site(&mut self, [tx, y]: [usize; 2], near: Near) {
        let free = near.beside_or_below() & !near.here;
        let is_deep = self.rule.is_deep();
        let over = self.found.covered[tx];
        let at_side = near.here & self.sides.cells([tx, self.tz]);
        // Deep inside a body every cell has a cell above that is too full, so that such tiles need
        // no search.
        if near.here & !near.above | near.here & over | free | at_side == 0 && is_deep {
            self.found.covered[tx] = 0;
            return;
        }
        let (open, open_above) = (self.sky.open(tx, y), self.open_above(tx, y));
        let below = if is_deep {
            u32::MAX
        } else {
            self.bodies.strips[self.tz].row(y + 2)[tx] | !self.open_above(tx, y + 1)
        };
        let under_open = open_above & !(near.above & below);
        let (own, covered) = (near.here & under_open, near.here & (over | !open_above));
        self.found.covered[tx] = covered;
        let free = free & open;
        let above = if self.rule.rests() {
            near.below & free & under_open
        } else {
            0
        };
        let free = free & !near.above;
        if own | covered | free | above | at_side != 0 {
            let (tx, y) = (tx as u32, y as u32);
            self.found.sites.push(Site {
                tx,
                y,
                near,
                under_open,
                own,
                covered,
                free,
                above,
                at_side,
            });
        }
    }

    /// Returns the bit mask of the cells of the tile at (`tx`, `y`) whose upper neighbour is open.
    fn open_above(&self, tx: usize, y: usize) -> u32 {
        self.sky.open_above(tx, y, self.strip.ny())
    }

    /// Finds the donor and receiver cells of the tile with index `number` in `sites`; `is_near` is
    /// true if denser matter may be in or next to the strip.
    #[inline(always)]
    fn site<S: Simd>(&mut self, s: S, number: usize, is_near: bool) {
        let site = self.found.sites[number];
        let (strip, tz, tx, y) = (self.strip, self.tz, site.tx as usize, site.y as usize);
        let (index, bit) = (strip.index(y, tx / ROW), tx % ROW);
        if site.at_side != 0 {
            self.press_outside(&site);
        }
        let over = index + strip.width;
        let mut filling = s.load(&strip.tile(strip.row(over).slots[bit]).0[AMOUNT]);
        if is_near && site.under_open != 0 {
            filling = s.add_saturating(filling, self.heavier.amount(s, over, bit, tz));
        }
        let roomy = self.rule.roomy(s, filling) & site.under_open;
        if roomy & (site.own | site.above) | site.covered | site.free == 0 {
            return;
        }
        let amounts = s.load(&strip.tile(strip.row(index).slots[bit]).0[AMOUNT]);
        let full = s.splat(AMOUNT_ONE);
        let space = if is_near {
            s.sub(full, self.heavier.amount(s, index, bit, tz))
        } else {
            full
        };
        let holds = s.above(amounts, s.splat(0));
        let on = site.above & holds;
        let mut taking = Taking {
            surface: (site.own | on | site.free & site.near.below) & roomy,
            pressed: (site.covered | site.free & (!roomy | !on & !site.near.below))
                & s.above(space, amounts),
            on: on & roomy,
        };
        if let Some(air) = self.air {
            // Below trapped air no surface moves, and under a ceiling a cell takes only where air
            // is next to it.
            let vented = roomy & air.free([tx, y + 1, tz]);
            taking.surface &= vented;
            let mut sealed = roomy & !vented;
            if taking.pressed & !roomy != 0 {
                sealed |= !roomy & !air.near([tx, y, tz], [strip.count, self.bodies.strips.len()]);
            }
            taking.pressed &= !sealed;
        }
        if taking.surface | taking.pressed == 0 {
            return;
        }
        let gives = taking.surface & (site.own | taking.on) & self.rule.donors(s, amounts);
        let first = self.found.pieces.len();
        let pieces = [first, first];
        let mut spot = Spot {
            index,
            bit,
            y,
            amounts: Lanes::ZERO,
            rooms: Lanes::ZERO,
            gives,
            pieces,
        };
        s.store(&mut spot.amounts, amounts);
        s.store(&mut spot.rooms, s.sub_saturating(space, amounts));
        self.found.spots.push(spot);
        self.divide(&site, taking);
    }

    /// Adds the faces of body cells at open sides of the simulation box as openings to the group
    /// that stands for the space outside of the box.
    fn press_outside(&mut self, site: &Site) {
        let (bodies, tile) = (self.bodies, [site.tx as usize, site.y as usize, self.tz]);
        for (cells, body) in bodies.parts(tile) {
            let faces = self.sides.faces([tile[0], self.tz], cells);
            if faces > 0 {
                let height = self.found.height((body, site.y, Kind::Outside));
                self.found.heights[height].add_holes([faces, 0, 0]);
            }
        }
    }

    /// Assigns the donor and receiver cells `taking` of the last tile in `spots` to the connected
    /// bodies of liquid that they touch.
    #[inline]
    fn divide(&mut self, site: &Site, taking: Taking) {
        let (place, y) = ([site.tx as usize, site.y as usize, self.tz], site.y);
        let at = |by: [isize; 3]| -> [usize; 3] {
            std::array::from_fn(|k| place[k].wrapping_add_signed(by[k]))
        };
        // Common case: one body, so that whole masks are assigned at once. Every tile listed here
        // has cells of a body.
        if let Some(body) = self.bodies.only(site.near.tiles().map(at)) {
            let (free, sides) = (taking.pressed & site.free, site.near.lateral_mask());
            let covered = taking.pressed & !free;
            self.found
                .add((body, y, Kind::Surface), taking.surface, [0; 3]);
            self.found
                .add((body, y, Kind::Covered), covered, [0, 0, covered]);
            self.found.add(
                (body, y, Kind::Pressed),
                free,
                [free & sides, free & !sides, 0],
            );
        } else {
            for lane in bits((taking.surface | taking.pressed).into()) {
                let bit = 1 << lane;
                if site.own & taking.surface & bit != 0 {
                    self.join(place, (y, Kind::Surface), bit);
                } else if site.covered & bit != 0 {
                    self.join(place, (y, Kind::Covered), bit);
                } else if taking.on & bit != 0 {
                    self.join(at([0, -1, 0]), (y, Kind::Surface), bit);
                } else {
                    self.share_out(
                        at,
                        lane,
                        if taking.surface & bit != 0 {
                            Kind::Surface
                        } else {
                            Kind::Pressed
                        },
                    );
                }
            }
        }
        let found = &mut *self.found;
        let Some(spot) = found.spots.last_mut() else {
            return;
        };
        spot.pieces[1] = found.pieces.len();
        for piece in &found.pieces[spot.pieces[0]..] {
            let height = &mut found.heights[piece.height];
            bits(piece.cells.into()).for_each(|lane| height.add(spot.cell(lane)));
            height.add_holes(piece.holes.map(u32::count_ones));
        }
    }

    /// Assigns the cell with bit mask `bit` of `tile`, at height `y` and with the role `kind`, to
    /// the body that contains this cell.
    fn join(&mut self, tile: [usize; 3], (y, kind): (u32, Kind), bit: u32) {
        if let Some(body) = self.bodies.body(tile, bit) {
            let covered = if kind == Kind::Covered { bit } else { 0 };
            self.found.add((body, y, kind), bit, [0, 0, covered]);
        }
    }

    /// Assigns the free cell with index `lane` (0–31) to all bodies that touch it, each with an
    /// equal share of its free volume. The cell gets the role `below` for the body below, and for
    /// every other body the role of a cell into which pressure drives liquid. `at` converts offsets
    /// in tiles to tile indices.
    fn share_out(&mut self, at: impl Fn([isize; 3]) -> [usize; 3], lane: usize, below: Kind) {
        let bit = 1 << lane;
        let mut touching = [(u32::MAX, Kind::Pressed, [0; 3]); 5];
        let mut count = 0;
        for (number, (by, cell)) in lane_neighbours(lane as u32).into_iter().enumerate() {
            let [tx, y, tz] = at(by);
            if tx >= self.strip.count || tz >= self.bodies.strips.len() {
                continue;
            }
            let Some(body) = self.bodies.body([tx, y, tz], cell) else {
                continue;
            };
            // `around` lists the cell below first.
            let (kind, holes) = match number {
                0 => (below, [0, bit, 0]),
                _ => (Kind::Pressed, [bit, 0, 0]),
            };
            match touching[..count]
                .iter_mut()
                .find(|(other, ..)| *other == body)
            {
                Some((_, _, known)) => *known = [bit, 0, 0],
                None => {
                    touching[count] = (body, kind, holes);
                    count += 1;
                }
            }
        }
        let Some(spot) = self.found.spots.last_mut() else {
            return;
        };
        let room = spot.rooms.0[lane];
        spot.rooms.0[lane] = room / count.max(1) as u16;
        let [_, y, _] = at([0; 3]);
        for &(body, kind, holes) in &touching[..count] {
            match kind {
                Kind::Surface => self.found.add((body, y as u32, kind), bit, [0; 3]),
                _ if room == 0 => {}
                _ => self.found.add((body, y as u32, kind), bit, holes),
            }
        }
    }
}
