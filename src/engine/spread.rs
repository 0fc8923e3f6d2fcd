//! Spreading over the tiles of a strip; the rule itself is [`crate::rules::spreading`].
//!
//! A tile that holds liquid is visited when it changed since spreading last visited it; when it has the energy to give
//! (`able`) and a tile beside or below it changed; and when another pattern would have let it give on its last visit
//! (`active`). What a tile gives follows from its own cells, those beside and below it, the ground, the rules and the
//! pattern; without the energy, from its own cells alone. So a tile that is skipped could give nothing with any pattern on
//! its last visit, and nothing that this depends on has changed. Other rules wake all tiles
//! ([`Liquid::wake_under`](crate::world::Liquid)); a changed cell of the ground wakes the tiles that read it
//! ([`Liquid::wake_near`](crate::world::Liquid)); another seed only draws other patterns.

use super::deltas::Deltas;
use crate::grid::tile::{Lanes, ROW};
use crate::random::StepKey;
use crate::rules::spreading::Kernel;
use crate::simd::Simd;
use crate::world::{Activities, Activity, GroundStrip, Masks, Row, Rows, Strip, Tile};

/// Cells of a tile with x = 0 and with x = 7, z = 0 and z = 3: from where liquid leaves the tile in each direction.
const EDGES: [u32; 4] = [0x0101_0101, 0x8080_8080, 0xff, 0xff << 24];

/// What left the world, in units.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Lost {
    pub(super) outflow: u64,
    pub(super) outflow_energy: u64,
    pub(super) friction: u64,
}

/// A strip with its neighbours, as they were before the step.
#[derive(Clone, Copy)]
pub(super) struct Near<'a> {
    pub(super) tz: usize,
    pub(super) north: &'a Strip,
    pub(super) here: &'a Strip,
    pub(super) south: &'a Strip,
}

impl<'a> Near<'a> {
    /// Whether any tile has to be visited.
    pub(super) fn is_awake(&self, activities: &Activities) -> bool {
        ![activities.active, self.north.flowing, self.here.flowing, self.south.flowing]
            .iter()
            .all(|rows| rows.is_empty())
            && self.here.tiles() > 0
    }

    /// The row with a number, which has the tiles `64 · w` and on, and those around it.
    #[inline(always)]
    fn rows(&self, index: usize, w: usize) -> Around<'a> {
        let strip = self.here;
        // No row has this number.
        let none = usize::MAX;
        Around {
            index,
            here: strip.row(index),
            below: strip.row(index.wrapping_sub(strip.width)),
            west: strip.row(if w > 0 { index - 1 } else { none }),
            east: strip.row(if w + 1 < strip.width { index + 1 } else { none }),
            north: self.north.row(index),
            south: self.south.row(index),
        }
    }
}

/// A row with those around it, found once for all of its tiles.
struct Around<'a> {
    /// Its number.
    index: usize,
    here: &'a Row,
    below: &'a Row,
    west: &'a Row,
    east: &'a Row,
    north: &'a Row,
    south: &'a Row,
}

impl Around<'_> {
    /// Tiles to visit, given what the last visit saw in this row.
    #[inline(always)]
    fn awake(&self, last: Activity) -> u64 {
        let here = self.here.flowing;
        let beside = here << 1 | here >> 1 | self.west.flowing >> 63 | self.east.flowing << 63;
        let around = beside | self.below.flowing | self.north.flowing | self.south.flowing;
        self.here.held & (here | last.active | last.able & around)
    }

    /// The tiles west, east, north and south of one.
    #[inline(always)]
    fn beside<'a>(&self, near: Near<'a>, bit: usize) -> [&'a Tile; 4] {
        let west = if bit > 0 { self.here.slots[bit - 1] } else { self.west.slots[ROW - 1] };
        let east = if bit + 1 < ROW { self.here.slots[bit + 1] } else { self.east.slots[0] };
        [
            near.here.tile(west),
            near.here.tile(east),
            near.north.tile(self.north.slots[bit]),
            near.south.tile(self.south.slots[bit]),
        ]
    }
}

/// Where the changes of a step are kept: for the strip north of the one that gives, for itself, and for the one south of it.
pub(super) struct Out<'a> {
    pub(super) north: &'a mut Deltas,
    pub(super) here: &'a mut Deltas,
    pub(super) south: &'a mut Deltas,
}

/// Spreading from one strip.
pub(super) struct Spread<'a, S: Simd> {
    pub(super) s: S,
    pub(super) rule: &'a Kernel<S>,
    pub(super) near: Near<'a>,
    pub(super) ground: GroundStrip<'a>,
    pub(super) key: StepKey,
    /// Whether liquid leaves through the sides of the box.
    pub(super) open: bool,
}

/// The tile that gives.
struct Here<'a> {
    rows: &'a Around<'a>,
    /// Its bit in its row.
    bit: usize,
    /// Its place along x, counted in tiles, and y.
    tx: usize,
    y: usize,
}

/// What a tile gives in each direction.
struct Given<S: Simd> {
    amount: [S::V; 4],
    energy: [S::V; 4],
}

/// How a tile is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// No cell has the energy to give, whatever is around it.
    Cold,
    /// Nothing could be given, whatever the pattern.
    Still,
    /// Something was or could have been given.
    Live,
}

impl<S: Simd> Spread<'_, S> {
    /// Writes what the tiles of the strip give.
    #[inline(always)]
    pub(super) fn strip(&self, activities: &mut Activities, mut out: Out<'_>) -> Lost {
        let (near, strip) = (self.near, self.near.here);
        activities.make(strip.len());
        let visited =
            activities.active.union(near.north.flowing).union(strip.flowing).union(near.south.flowing).range();
        activities.active = Rows::NONE;
        let mut lost = Lost::default();
        // One more, for tiles above a change.
        for y in visited.start..(visited.end + 1).min(self.ground.ny()) {
            for w in 0..strip.width {
                let index = strip.index(y, w);
                let old = activities.of(index);
                if strip.row(index).held | old.active == 0 {
                    continue;
                }
                let rows = near.rows(index, w);
                let mut set = rows.awake(old);
                if set | old.active == 0 {
                    continue;
                }
                let mut new = Activity { active: 0, able: old.able & !set };
                while set != 0 {
                    let bit = set.trailing_zeros() as usize % ROW;
                    set &= set - 1;
                    let here = Here { rows: &rows, bit, tx: w * ROW + bit, y };
                    let state = self.tile(&here, &mut out, &mut lost);
                    new.able |= u64::from(state != State::Cold) << bit;
                    new.active |= u64::from(state == State::Live) << bit;
                }
                activities.put(index, y, new);
            }
        }
        lost
    }

    /// Writes what one tile gives.
    #[inline(always)]
    fn tile(&self, here: &Here<'_>, out: &mut Out<'_>, lost: &mut Lost) -> State {
        let (s, rule, strip) = (self.s, self.rule, self.near.here);
        let slot = here.rows.here.slots[here.bit];
        for deltas in [&mut *out.north, &mut *out.here, &mut *out.south] {
            deltas.reserve();
        }
        let fresh;
        let masks = match strip.masks(slot) {
            masks if masks.version == self.ground.version(here.tx) => masks,
            _ => {
                fresh = self.ground.masks(here.tx, here.y);
                &fresh
            }
        };
        let tile = strip.tile(slot);
        let (a, e) = (s.load(&tile.amount), s.load(&tile.energy));
        let able = rule.able(s, (a, e));
        if able == 0 {
            return State::Cold;
        }
        let below = strip.tile(here.rows.below.slots[here.bit]);
        let able = able & rule.supported(s, s.load(&below.amount), masks.bed);
        if able == 0 {
            return State::Still;
        }
        let free = self.free(masks, able);

        let [west, east, north, south] = here.rows.beside(self.near, here.bit);
        let fits = rule.amounts(s, a, around(s, a, [&west.amount, &east.amount, &north.amount, &south.amount]));
        let drawn = self.drawn(here);
        let given = [free[0] & drawn[0], free[1] & drawn[1], free[2] & drawn[2], free[3] & drawn[3]];
        let amount = keep_each(s, fits, given);
        if !any_of(s, amount) {
            return if any_of(s, keep_each(s, fits, free)) { State::Live } else { State::Still };
        }
        let energies = around(s, e, [&west.energy, &east.energy, &north.energy, &south.energy]);
        let energy = rule.energies(s, (a, e), amount, energies);
        let leaving = (sum_of(s, amount), sum_of(s, energy));
        let mut parcels = Given { amount, energy };
        self.lose(masks, &mut parcels, lost);
        self.deliver(here, &parcels, given, leaving, out);
        State::Live
    }

    /// Directions in which each cell that is `able` may give.
    #[inline(always)]
    fn free(&self, masks: &Masks, able: u32) -> [u32; 4] {
        let mut free = masks.free;
        if self.open {
            for (free, out) in free.iter_mut().zip(masks.out) {
                *free |= out;
            }
        }
        [free[0] & able, free[1] & able, free[2] & able, free[3] & able]
    }

    /// The random pattern of the tile, a bit for each cell in each direction.
    #[inline(always)]
    fn drawn(&self, here: &Here<'_>) -> [u32; 4] {
        let [first, second] = self.key.group(here.tx, here.y, self.near.tz);
        [first as u32, (first >> 32) as u32, second as u32, (second >> 32) as u32]
    }

    /// Takes away what leaves the box and what friction takes on the way.
    #[inline(always)]
    fn lose(&self, masks: &Masks, given: &mut Given<S>, lost: &mut Lost) {
        let (s, Given { amount: m, energy: q }) = (self.s, given);
        if self.open && masks.out != [0; 4] {
            for d in 0..4 {
                let (amount, energy) = (s.keep(m[d], masks.out[d]), s.keep(q[d], masks.out[d]));
                lost.outflow += sum(s, amount);
                lost.outflow_energy += sum(s, energy);
                (m[d], q[d]) = (s.sub(m[d], amount), s.sub(q[d], energy));
            }
        }
        if self.rule.has_friction() {
            for energy in q {
                let taken = self.rule.lost(s, *energy, masks.bed);
                lost.friction += sum(s, taken);
                *energy = s.sub(*energy, taken);
            }
        }
    }

    /// Writes what arrives in this tile and in those beside it; `given` has the cells that give in each direction.
    #[inline(always)]
    fn deliver(
        &self,
        here: &Here<'_>,
        Given { amount: m, energy: q }: &Given<S>,
        given: [u32; 4],
        leaving: (S::V, S::V),
        out: &mut Out<'_>,
    ) {
        let (s, y, zero) = (self.s, here.y, self.s.splat(0));
        let place = here.rows.index * ROW + here.bit;
        out.here.add(s, place, y, s.sub(inside(s, *m, zero), leaving.0), s.sub(inside(s, *q, zero), leaving.1));
        if given[0] & EDGES[0] != 0 {
            let (amount, energy) = (s.see_east(zero, m[0]), s.see_east(zero, q[0]));
            if s.any(amount) {
                out.here.add(s, place - 1, y, amount, energy);
            }
        }
        if given[1] & EDGES[1] != 0 {
            let (amount, energy) = (s.see_west(zero, m[1]), s.see_west(zero, q[1]));
            if s.any(amount) {
                out.here.add(s, place + 1, y, amount, energy);
            }
        }
        if given[2] & EDGES[2] != 0 {
            let (amount, energy) = (s.see_south(zero, m[2]), s.see_south(zero, q[2]));
            if s.any(amount) {
                out.north.add(s, place, y, amount, energy);
            }
        }
        if given[3] & EDGES[3] != 0 {
            let (amount, energy) = (s.see_north(zero, m[3]), s.see_north(zero, q[3]));
            if s.any(amount) {
                out.south.add(s, place, y, amount, energy);
            }
        }
    }
}

// No closures here: they would be compiled without the instructions of the level.

/// What the four neighbours of each cell hold, given the tiles around.
#[inline(always)]
fn around<S: Simd>(s: S, v: S::V, beside: [&Lanes; 4]) -> [S::V; 4] {
    [
        s.see_west(v, s.load(beside[0])),
        s.see_east(v, s.load(beside[1])),
        s.see_north(v, s.load(beside[2])),
        s.see_south(v, s.load(beside[3])),
    ]
}

#[inline(always)]
fn keep_each<S: Simd>(s: S, v: [S::V; 4], masks: [u32; 4]) -> [S::V; 4] {
    [s.keep(v[0], masks[0]), s.keep(v[1], masks[1]), s.keep(v[2], masks[2]), s.keep(v[3], masks[3])]
}

#[inline(always)]
fn any_of<S: Simd>(s: S, v: [S::V; 4]) -> bool {
    s.any(s.or(s.or(v[0], v[1]), s.or(v[2], v[3])))
}

#[inline(always)]
fn sum_of<S: Simd>(s: S, v: [S::V; 4]) -> S::V {
    s.add(s.add(v[0], v[1]), s.add(v[2], v[3]))
}

/// What the cells of a tile get from each other.
#[inline(always)]
fn inside<S: Simd>(s: S, given: [S::V; 4], zero: S::V) -> S::V {
    let across = s.add(s.see_east(given[0], zero), s.see_west(given[1], zero));
    s.add(across, s.add(s.see_south(given[2], zero), s.see_north(given[3], zero)))
}

/// Sum of all lanes.
#[inline(always)]
fn sum<S: Simd>(s: S, v: S::V) -> u64 {
    let mut lanes = Lanes::ZERO;
    s.store(&mut lanes, v);
    lanes.sum()
}
