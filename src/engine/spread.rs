//! Spreading, tile by tile.
//!
//! Which tiles are looked at: those that hold liquid and changed since spreading last looked; those that have the energy to
//! give (`warm`) and stand beside or above a tile that changed; and those that could have given something then, had
//! another pattern been drawn (`live`). What a tile gives follows from its own cells, those beside and below it, the
//! ground, the rules and the pattern; without the energy, from its own cells alone. A tile that is left out could give
//! nothing with any pattern when it was last looked at, and nothing that this depends on has changed. Other rules and
//! another ground wake all tiles ([`Liquid::wake_under`](crate::world::Liquid)); another seed only draws other patterns.

use super::fall::Share;
use super::gifts::Gifts;
use crate::random::StepKey;
use crate::rules::{Rules, Walls};
use crate::simd::Simd;
use crate::units::{AMOUNT_ONE, ENERGY_MAX};
use crate::world::{Findings, Found, Ground, Lanes, Masks, ROW, Row, Rows, Strip, Tile};

/// Cells of a tile with x = 0 and with x = 7, z = 0 and z = 3: from where gifts leave in each direction.
const EDGES: [u32; 4] = [0x0101_0101, 0x8080_8080, 0xff, 0xff << 24];

/// The rule's numbers as lanes.
pub(super) struct Rule<S: Simd> {
    zero: S::V,
    one: S::V,
    full: S::V,
    threshold: S::V,
    support: S::V,
    spread: S::V,
    alpha: Share<S>,
    /// On rock and on liquid, where there is any friction.
    friction: Option<[Share<S>; 2]>,
    open: bool,
}

impl<S: Simd> Rule<S> {
    #[inline(always)]
    pub(super) fn new(s: S, rules: &Rules) -> Self {
        let friction = [rules.friction_on_solid, rules.friction_on_liquid];
        Self {
            zero: s.splat(0),
            one: s.splat(AMOUNT_ONE),
            full: s.splat(ENERGY_MAX),
            threshold: s.splat(rules.threshold),
            support: s.splat(rules.support),
            spread: s.splat(rules.spread as u16),
            alpha: Share::new(s, rules.alpha),
            friction: if friction == [0, 0] {
                None
            } else {
                Some([Share::new(s, friction[0]), Share::new(s, friction[1])])
            },
            open: rules.walls == Walls::Open,
        }
    }
}

/// What left the world, in units.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Lost {
    pub(super) outflow: u64,
    pub(super) outflow_energy: u64,
    pub(super) friction: u64,
}

/// A strip with those beside it, as they were before.
#[derive(Clone, Copy)]
pub(super) struct Near<'a> {
    pub(super) tz: usize,
    pub(super) north: &'a Strip,
    pub(super) here: &'a Strip,
    pub(super) south: &'a Strip,
}

impl<'a> Near<'a> {
    /// Whether any tile has to be looked at.
    pub(super) fn is_awake(&self, findings: &Findings) -> bool {
        ![findings.live, self.north.flowing, self.here.flowing, self.south.flowing].iter().all(|rows| rows.is_empty())
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
    /// Tiles that have to be looked at, after what was found in this row.
    #[inline(always)]
    fn awake(&self, found: Found) -> u64 {
        let here = self.here.flowing;
        let beside = here << 1 | here >> 1 | self.west.flowing >> 63 | self.east.flowing << 63;
        let around = beside | self.below.flowing | self.north.flowing | self.south.flowing;
        self.here.held & (here | found.live | found.warm & around)
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

/// Writes what the tiles of a strip give into `gifts`: to the strip north of it, to itself, and to the one south.
#[inline(always)]
pub(super) fn strip_gives<S: Simd>(
    s: S,
    rule: &Rule<S>,
    (near, ground, key): (Near<'_>, &Ground, StepKey),
    findings: &mut Findings,
    gifts: [&mut Gifts; 3],
) -> Lost {
    let strip = near.here;
    findings.make(strip.len());
    let looked = findings.live.union(near.north.flowing).union(strip.flowing).union(near.south.flowing).range();
    findings.live = Rows::NONE;
    let mut lost = Lost::default();
    let [north, here, south] = gifts;
    // One more: what changed below.
    for y in looked.start..(looked.end + 1).min(ground.grid().ny) {
        for w in 0..strip.width {
            let index = strip.index(y, w);
            let old = findings.of(index);
            if strip.row(index).held | old.live == 0 {
                continue;
            }
            let rows = near.rows(index, w);
            let mut set = rows.awake(old);
            if set | old.live == 0 {
                continue;
            }
            let mut new = Found { live: 0, warm: old.warm & !set };
            while set != 0 {
                let bit = set.trailing_zeros() as usize % ROW;
                set &= set - 1;
                let at = (bit, [w * ROW + bit, y]);
                let state = tile_gives(s, rule, (near, ground, key), &rows, at, [north, here, south], &mut lost);
                new.warm |= u64::from(state != State::Cold) << bit;
                new.live |= u64::from(state == State::Live) << bit;
            }
            findings.put(rows.index, y, new);
        }
    }
    lost
}

/// How a tile is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// No cell has the energy to give, whatever lies around it.
    Cold,
    /// Nothing could be given, whatever the pattern.
    Still,
    /// Something was or could have been given.
    Live,
}

/// Writes what one tile gives.
#[inline(always)]
fn tile_gives<S: Simd>(
    s: S,
    rule: &Rule<S>,
    (near, ground, key): (Near<'_>, &Ground, StepKey),
    rows: &Around<'_>,
    (bit, [tx, y]): (usize, [usize; 2]),
    [to_north, to_here, to_south]: [&mut Gifts; 3],
    lost: &mut Lost,
) -> State {
    let strip = near.here;
    let (place, slot) = (rows.index * ROW + bit, rows.here.slots[bit]);
    for gifts in [&mut *to_north, &mut *to_here, &mut *to_south] {
        gifts.reserve();
    }
    let fresh;
    let masks = match strip.masks(slot) {
        masks if masks.stamp == ground.stamp() => masks,
        _ => {
            fresh = Masks::new(ground, tx, y, near.tz);
            &fresh
        }
    };
    let tile = strip.tile(slot);
    let (a, e) = (s.load(&tile.amount), s.load(&tile.energy));
    let able = s.above(a, rule.zero) & s.above(e, rule.threshold);
    if able == 0 {
        return State::Cold;
    }
    let below = strip.tile(rows.below.slots[bit]);
    let able = able & (masks.bed | !s.above(rule.support, s.load(&below.amount)));
    if able == 0 {
        return State::Still;
    }
    let mut free = masks.free.map(|free| free & able);
    if rule.open {
        for (free, out) in free.iter_mut().zip(masks.out) {
            *free |= out & able;
        }
    }

    // What there is room for in each direction.
    let [west, east, north, south] = rows.beside(near, bit);
    let share = s.mul_high(a, rule.spread);
    let amounts = around(s, a, [&west.amount, &east.amount, &north.amount, &south.amount]);
    let fits = amounts_that_fit(s, rule, share, amounts);
    let [first, second] = key.group(tx, y, near.tz);
    let drawn = [first as u32, (first >> 32) as u32, second as u32, (second >> 32) as u32];
    let given = [free[0] & drawn[0], free[1] & drawn[1], free[2] & drawn[2], free[3] & drawn[3]];
    let m = keep_each(s, fits, given);
    if !s.any(s.or(s.or(m[0], m[1]), s.or(m[2], m[3]))) {
        let could = keep_each(s, fits, free);
        let any = s.any(s.or(s.or(could[0], could[1]), s.or(could[2], could[3])));
        return if any { State::Live } else { State::Still };
    }

    // The energy that goes along.
    let ratio = s.ratio(a, rule.alpha.of(s, e));
    let energies = around(s, e, [&west.energy, &east.energy, &north.energy, &south.energy]);
    let q = [
        carried(s, rule, m[0], ratio, energies[0]),
        carried(s, rule, m[1], ratio, energies[1]),
        carried(s, rule, m[2], ratio, energies[2]),
        carried(s, rule, m[3], ratio, energies[3]),
    ];
    let leaving = s.add(s.add(m[0], m[1]), s.add(m[2], m[3]));
    let leaving_energy = s.add(s.add(q[0], q[1]), s.add(q[2], q[3]));

    // What arrives.
    let (mut m, mut q) = (m, q);
    if rule.open && masks.out != [0; 4] {
        for d in 0..4 {
            let (amount, energy) = (s.keep(m[d], masks.out[d]), s.keep(q[d], masks.out[d]));
            lost.outflow += sum(s, amount);
            lost.outflow_energy += sum(s, energy);
            (m[d], q[d]) = (s.sub(m[d], amount), s.sub(q[d], energy));
        }
    }
    if let Some([on_rock, on_liquid]) = &rule.friction {
        for energy in &mut q {
            let rubbed = s.or(s.keep(on_rock.of(s, *energy), masks.bed), s.keep(on_liquid.of(s, *energy), !masks.bed));
            lost.friction += sum(s, rubbed);
            *energy = s.sub(*energy, rubbed);
        }
    }
    let zero = rule.zero;
    to_here.add(s, place, y, s.sub(inside(s, m, zero), leaving), s.sub(inside(s, q, zero), leaving_energy));
    if given[0] & EDGES[0] != 0 {
        let (amount, energy) = (s.see_east(zero, m[0]), s.see_east(zero, q[0]));
        if s.any(amount) {
            to_here.add(s, place - 1, y, amount, energy);
        }
    }
    if given[1] & EDGES[1] != 0 {
        let (amount, energy) = (s.see_west(zero, m[1]), s.see_west(zero, q[1]));
        if s.any(amount) {
            to_here.add(s, place + 1, y, amount, energy);
        }
    }
    if given[2] & EDGES[2] != 0 {
        let (amount, energy) = (s.see_south(zero, m[2]), s.see_south(zero, q[2]));
        if s.any(amount) {
            to_north.add(s, place, y, amount, energy);
        }
    }
    if given[3] & EDGES[3] != 0 {
        let (amount, energy) = (s.see_north(zero, m[3]), s.see_north(zero, q[3]));
        if s.any(amount) {
            to_south.add(s, place, y, amount, energy);
        }
    }
    State::Live
}

// No closures here: they would be compiled without the instructions of the path.

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

/// The share of each cell, as far as its neighbours have room.
#[inline(always)]
fn amounts_that_fit<S: Simd>(s: S, rule: &Rule<S>, share: S::V, there: [S::V; 4]) -> [S::V; 4] {
    [
        s.min(share, s.right::<2>(s.sub(rule.one, there[0]))),
        s.min(share, s.right::<2>(s.sub(rule.one, there[1]))),
        s.min(share, s.right::<2>(s.sub(rule.one, there[2]))),
        s.min(share, s.right::<2>(s.sub(rule.one, there[3]))),
    ]
}

#[inline(always)]
fn keep_each<S: Simd>(s: S, v: [S::V; 4], masks: [u32; 4]) -> [S::V; 4] {
    [s.keep(v[0], masks[0]), s.keep(v[1], masks[1]), s.keep(v[2], masks[2]), s.keep(v[3], masks[3])]
}

/// The energy that goes with `moved` at `ratio` to cells with energy `there`.
#[inline(always)]
fn carried<S: Simd>(s: S, rule: &Rule<S>, moved: S::V, ratio: S::V, there: S::V) -> S::V {
    // A share is below 2^13, so that four times it fits.
    s.min(s.mul_high(s.left::<2>(moved), ratio), s.right::<2>(s.sub(rule.full, there)))
}

/// What cells of a tile get from others of the same tile.
#[inline(always)]
fn inside<S: Simd>(s: S, gifts: [S::V; 4], zero: S::V) -> S::V {
    let across = s.add(s.see_east(gifts[0], zero), s.see_west(gifts[1], zero));
    s.add(across, s.add(s.see_south(gifts[2], zero), s.see_north(gifts[3], zero)))
}

/// Sum of all lanes.
#[inline(always)]
fn sum<S: Simd>(s: S, v: S::V) -> u64 {
    let mut lanes = Lanes::ZERO;
    s.store(&mut lanes, v);
    lanes.sum()
}
