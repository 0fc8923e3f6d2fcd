//! Exchange rules (such as spreading) on the tiles of a strip; all flow is computed from the state
//! before the step.
//!
//! A tile that contains matter is processed if it changed since the rule last processed it; if it
//! has enough energy to give (`able`) and a tile at its sides or below changed; or if it could have
//! given with other random numbers (`active`). The flow out of a tile depends on its own cells, the
//! cells at its sides and below, denser matter, the ground, the rule and the random numbers;
//! without enough energy, on its own cells alone.
//!
//! Invariant: when a skipped tile was last processed it could have given nothing with any random
//! numbers, and none of these inputs has changed since. Other rule parameters mark all tiles
//! ([`Layer::wake_under`](crate::world::Layer)); a changed cell of the ground marks the tiles that
//! read it ([`Layer::wake_near`](crate::world::Layer)); a change of denser matter counts as a
//! change of the tile ([`World::wake_beside_heavier`](crate::world::World)); another seed only
//! changes the random numbers.

use super::deltas::Deltas;
use super::heavier::Heavier;
use crate::rules::{Exchange, Flow, Next, masked};
use crate::world::{
    AMOUNT, Activities, Activity, ENERGY, GroundStrip, Masks, Rows, Strip, TileRow,
};
use lavoxel_base::grid::tile::{Lanes, ROW};
use lavoxel_base::random::{Draw, Salt, StepKey};
use lavoxel_base::simd::Simd;

/// Bit masks of the cells at the four edges of a tile: west (x = 0), east (x = 7), north (z = 0),
/// south (z = 3). Matter that leaves the tile in direction i comes from the cells of mask i.
const EDGES: [u32; 4] = [0x0101_0101, 0x8080_8080, 0xff, 0xff << 24];

/// Losses of a layer in a step by an exchange rule: outflow from the simulation box, and friction.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Lost {
    /// Amount and energy that left through open sides of the simulation box, in units.
    pub(super) outflow: [u64; 2],
    /// Energy lost to friction, in units.
    pub(super) friction: u64,
}

impl Lost {
    /// Adds `other`, the losses in another part of the simulation box, to these losses.
    pub(super) fn add(&mut self, other: Self) {
        self.outflow[AMOUNT] += other.outflow[AMOUNT];
        self.outflow[ENERGY] += other.outflow[ENERGY];
        self.friction += other.friction;
    }
}

/// Strip and its neighbours to the north and south, in the state before the step.
#[derive(Clone, Copy)]
pub(super) struct Near<'a> {
    pub(super) tz: usize,
    pub(super) north: &'a Strip,
    pub(super) here: &'a Strip,
    pub(super) south: &'a Strip,
}

impl<'a> Near<'a> {
    /// Returns true if the exchange rule must process any tile of the strip; `activities`: activity
    /// recorded when its tiles were last processed.
    pub(super) fn is_awake(&self, activities: &Activities) -> bool {
        ![
            activities.active,
            self.north.flowing,
            self.here.flowing,
            self.south.flowing,
        ]
        .iter()
        .all(|rows| rows.is_empty())
            && self.here.tiles() > 0
    }

    /// Returns the row of tiles with the index `index` (its first tile has the x index 64 `w`) and
    /// the six adjacent rows. If `above` is false, a row of empty tiles stands for the row above.
    #[inline(always)]
    fn rows(&self, index: usize, w: usize, above: bool) -> Around<'a> {
        let strip = self.here;
        // Index that no row has, which gives a row of empty tiles.
        let none = usize::MAX;
        Around {
            index,
            here: strip.row(index),
            below: strip.row(index.wrapping_sub(strip.width)),
            above: strip.row(if above { index + strip.width } else { none }),
            west: strip.row(if w > 0 { index - 1 } else { none }),
            east: strip.row(if w + 1 < strip.width { index + 1 } else { none }),
            north: self.north.row(index),
            south: self.south.row(index),
        }
    }
}

/// Row of up to 64 tiles with its six adjacent rows, looked up once for all tiles of the row.
struct Around<'a> {
    /// Index of the middle row in its strip.
    index: usize,
    here: &'a TileRow,
    below: &'a TileRow,
    /// Row above; a row of empty tiles if the rule does not read the cells above.
    above: &'a TileRow,
    west: &'a TileRow,
    east: &'a TileRow,
    north: &'a TileRow,
    south: &'a TileRow,
}

impl Around<'_> {
    /// Returns the tiles of the row that the exchange rule must process, as a bit set; `last` is
    /// the activity recorded when the row's tiles were last processed.
    #[inline(always)]
    fn awake(&self, last: Activity) -> u64 {
        let here = self.here.flowing;
        let beside = here << 1 | here >> 1 | self.west.flowing >> 63 | self.east.flowing << 63;
        let around = beside
            | self.below.flowing
            | self.above.flowing
            | self.north.flowing
            | self.south.flowing;
        self.here.held & (here | last.active | last.able & around)
    }

    /// Returns the contents (amounts, energies) of the tiles to the west, east, north and south of
    /// the tile at bit `bit` of the row.
    #[inline(always)]
    fn side_tiles<'a, const Q: usize>(&self, near: Near<'a>, bit: usize) -> [&'a [Lanes; Q]; 4] {
        let west = if bit > 0 {
            self.here.slots[bit - 1]
        } else {
            self.west.slots[ROW - 1]
        };
        let east = if bit + 1 < ROW {
            self.here.slots[bit + 1]
        } else {
            self.east.slots[0]
        };
        [
            near.here.lanes(west),
            near.here.lanes(east),
            near.north.lanes(self.north.slots[bit]),
            near.south.lanes(self.south.slots[bit]),
        ]
    }
}

/// Lists of changes into which the flow out of one strip is written: those of the strip to the
/// north, of the strip itself, and of the strip to the south.
pub(super) struct Out<'a> {
    pub(super) north: &'a mut Deltas,
    pub(super) here: &'a mut Deltas,
    pub(super) south: &'a mut Deltas,
}

/// SIMD kernel that computes the flow out of one strip by an exchange rule.
pub(super) struct Spread<'a, S: Simd, R: Exchange<Q>, H, const Q: usize> {
    pub(super) s: S,
    pub(super) kernel: &'a R::Kernel<S>,
    pub(super) near: Near<'a>,
    pub(super) heavier: H,
    pub(super) ground: GroundStrip<'a>,
    pub(super) draw: Draw,
    pub(super) key: StepKey,
    /// True if the sides of the simulation box are open: matter that crosses a side leaves the box.
    pub(super) open: bool,
}

/// Tile whose outgoing flow is being computed: its position, and its row with the adjacent rows.
struct Here<'a> {
    rows: &'a Around<'a>,
    /// Bit of the tile in its row of tiles.
    bit: usize,
    /// Index of the tile: x in tiles, y in cells.
    tx: usize,
    y: usize,
}

/// Tile with its surroundings, through which a rule reads amounts, energies and ground; values are
/// computed when the rule asks for them.
struct Surroundings<'a, 'b, S: Simd, R: Exchange<Q>, H, const Q: usize> {
    spread: &'a Spread<'a, S, R, H, Q>,
    here: &'a Here<'b>,
    tile: &'a [Lanes; Q],
    beside: [&'a [Lanes; Q]; 4],
    masks: &'a Masks,
}

impl<S: Simd, R: Exchange<Q>, H: Heavier, const Q: usize> crate::rules::Near<S, Q>
    for Surroundings<'_, '_, S, R, H, Q>
{
    #[inline(always)]
    fn tile(&self) -> &[Lanes; Q] {
        self.tile
    }

    #[inline(always)]
    fn side_values(&self, quantity: usize) -> [S::V; 4] {
        let (s, [west, east, north, south]) = (self.spread.s, self.beside);
        let v = s.load(&self.tile[quantity]);
        [
            s.see_west(v, s.load(&west[quantity])),
            s.see_east(v, s.load(&east[quantity])),
            s.see_north(v, s.load(&north[quantity])),
            s.see_south(v, s.load(&south[quantity])),
        ]
    }

    #[inline(always)]
    fn meets_heavier(&self) -> bool {
        H::MEETS
    }

    #[inline(always)]
    fn fillings(&self) -> (S::V, [S::V; 4]) {
        let (s, [west, east, north, south]) = (self.spread.s, self.beside);
        let (index, bit, tz) = (self.here.rows.index, self.here.bit, self.spread.near.tz);
        // The tile past either end of a row of 64 tiles belongs to the row before or after.
        let before = if bit > 0 {
            (index, bit - 1, tz)
        } else {
            (index.wrapping_sub(1), ROW - 1, tz)
        };
        let after = if bit + 1 < ROW {
            (index, bit + 1, tz)
        } else {
            (index + 1, 0, tz)
        };
        let v = self.filling(self.tile, Some((index, bit, tz)));
        let west = self.filling(west, if self.here.tx > 0 { Some(before) } else { None });
        let east = self.filling(
            east,
            if self.here.tx + 1 < self.spread.near.here.count {
                Some(after)
            } else {
                None
            },
        );
        let north = self.filling(
            north,
            if tz > 0 {
                Some((index, bit, tz - 1))
            } else {
                None
            },
        );
        let south = self.filling(south, Some((index, bit, tz + 1)));
        (
            v,
            [
                s.see_west(v, west),
                s.see_east(v, east),
                s.see_north(v, north),
                s.see_south(v, south),
            ],
        )
    }

    #[inline(always)]
    fn drawn(&self) -> [u32; 4] {
        let [first, second] =
            self.spread
                .key
                .group([self.here.tx, self.here.y, self.spread.near.tz]);
        [
            first as u32,
            (first >> 32) as u32,
            second as u32,
            (second >> 32) as u32,
        ]
    }

    #[inline(always)]
    fn chosen(&self, salt: Salt, stream: u64, share: u16) -> u32 {
        let tile = [self.here.tx, self.here.y, self.spread.near.tz];
        self.spread.draw.key_of(salt, stream).chosen(tile, share)
    }

    #[inline(always)]
    fn below(&self) -> Next<S> {
        let (s, Here { rows, bit, y, .. }) = (self.spread.s, self.here);
        let tile = self.spread.near.here.lanes::<Q>(rows.below.slots[*bit]);
        let near = &self.spread.near;
        let place = if *y > 0 {
            Some((rows.index - near.here.width, *bit, near.tz))
        } else {
            None
        };
        Next {
            amount: s.load(&tile[AMOUNT]),
            filling: self.filling(tile, place),
            open: self.masks.open & !self.masks.bed,
        }
    }

    #[inline(always)]
    fn above(&self) -> Next<S> {
        let (s, Here { rows, bit, y, .. }) = (self.spread.s, self.here);
        let tile = self.spread.near.here.lanes::<Q>(rows.above.slots[*bit]);
        let near = &self.spread.near;
        let place = if *y + 1 < self.spread.ground.ny() {
            Some((rows.index + near.here.width, *bit, near.tz))
        } else {
            None
        };
        Next {
            amount: s.load(&tile[AMOUNT]),
            filling: self.filling(tile, place),
            open: self.masks.open & !self.ceiling(),
        }
    }
}

impl<S: Simd, R: Exchange<Q>, H: Heavier, const Q: usize> Surroundings<'_, '_, S, R, H, Q> {
    /// Returns the bit mask of the cells directly below a solid cell or the roof of the simulation
    /// box.
    #[inline(always)]
    fn ceiling(&self) -> u32 {
        let (Spread { ground, near, .. }, Here { rows, bit, tx, y }) = (self.spread, self.here);
        if y + 1 == ground.ny() {
            return u32::MAX;
        }
        // The cached masks of a tile with matter contain the answer.
        match near.here.masks(rows.above.slots[*bit]) {
            masks if masks.version == ground.version(*tx) => !masks.open,
            _ => !ground.masks(*tx, y + 1).open,
        }
    }

    /// Returns the sum of the layer's amount and that of denser matter in each cell of `tile`, in
    /// units. `place`: row index, bit in the row and z index of the strip, or `None` if the tile
    /// can contain no denser matter.
    #[inline(always)]
    fn filling(&self, tile: &[Lanes; Q], place: Option<(usize, usize, usize)>) -> S::V {
        let s = self.spread.s;
        let amount = s.load(&tile[AMOUNT]);
        match place {
            Some((index, bit, tz)) => {
                s.add_saturating(amount, self.spread.heavier.amount(s, index, bit, tz))
            }
            None => amount,
        }
    }
}

/// Activity of a processed tile: the condition under which matter can flow out in the next step.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TileActivity {
    /// No cell has enough energy to give matter, so that changes in the adjacent tiles cannot start
    /// a flow.
    Cold,
    /// No matter can flow out with any random numbers, until the tile or an adjacent tile changes.
    Still,
    /// Matter flowed out in this step, or could have with other random numbers.
    Live,
}

impl<S: Simd, R: Exchange<Q>, H: Heavier, const Q: usize> Spread<'_, S, R, H, Q> {
    /// Computes the flow out of all tiles of the strip that must be processed, adds it to the
    /// change lists `out`, updates `activities`, and returns the losses.
    #[inline(always)]
    pub(super) fn strip(&self, activities: &mut Activities, mut out: Out<'_>) -> Lost {
        let (near, strip) = (self.near, self.near.here);
        activities.make(strip.len());
        let visited = activities
            .active
            .union(near.north.flowing)
            .union(strip.flowing)
            .union(near.south.flowing)
            .range();
        activities.active = Rows::NONE;
        let mut lost = Lost::default();
        // One more row above for tiles that lie on a changed tile, and one more below for rules
        // that read the cell above.
        let first = if R::ABOVE {
            visited.start.saturating_sub(1)
        } else {
            visited.start
        };
        for y in first..(visited.end + 1).min(self.ground.ny()) {
            for w in 0..strip.width {
                let index = strip.index(y, w);
                let old = activities.get(index);
                if strip.row(index).held | old.active == 0 {
                    continue;
                }
                let rows = near.rows(index, w, R::ABOVE);
                let mut set = rows.awake(old);
                if set | old.active == 0 {
                    continue;
                }
                let mut new = Activity {
                    active: 0,
                    able: old.able & !set,
                };
                while set != 0 {
                    let bit = set.trailing_zeros() as usize % ROW;
                    set &= set - 1;
                    let here = Here {
                        rows: &rows,
                        bit,
                        tx: w * ROW + bit,
                        y,
                    };
                    let state = self.tile(&here, &mut out, &mut lost);
                    new.able |= u64::from(state != TileActivity::Cold) << bit;
                    new.active |= u64::from(state == TileActivity::Live) << bit;
                }
                activities.store(index, y, new);
            }
        }
        lost
    }

    /// Computes the flow out of the tile `here`: adds the flow to the change lists `out`, and the
    /// losses of matter and energy to `lost`.
    #[inline(always)]
    fn tile(&self, here: &Here<'_>, out: &mut Out<'_>, lost: &mut Lost) -> TileActivity {
        let (s, kernel, strip) = (self.s, self.kernel, self.near.here);
        let slot = here.rows.here.slots[here.bit];
        for deltas in [&mut *out.north, &mut *out.here, &mut *out.south] {
            deltas.reserve();
        }
        // Masks stored with the tile are used while the ground has the same version; else they are
        // computed here.
        let fresh;
        let masks = match strip.masks(slot) {
            masks if masks.version == self.ground.version(here.tx) => masks,
            _ => {
                fresh = self.ground.masks(here.tx, here.y);
                &fresh
            }
        };
        let tile = strip.lanes::<Q>(slot);
        let able = R::able(kernel, s, tile);
        if able == 0 {
            return TileActivity::Cold;
        }
        let able = if R::VERTICAL {
            able
        } else {
            able & R::supported(kernel, s, self.below(here), masks.bed)
        };
        if able == 0 {
            return TileActivity::Still;
        }
        let free = self.free(masks, able);
        let beside = here.rows.side_tiles(self.near, here.bit);
        let near = Surroundings {
            spread: self,
            here,
            tile,
            beside,
            masks,
        };
        let (mut parcels, given, vertical) = match R::flow(kernel, s, &near, free) {
            Flow::Still => return TileActivity::Still,
            Flow::Idle => return TileActivity::Live,
            Flow::Gives(parcels, given) => (parcels, given, [[s.splat(0); 2]; Q]),
            Flow::All(parcels, given, vertical) => (parcels, given, vertical),
        };
        let mut leaving = [s.splat(0); Q];
        for (leaving, parcel) in leaving.iter_mut().zip(parcels) {
            *leaving = sum_of(s, parcel);
        }
        if R::VERTICAL {
            self.deliver_vertically(here, &vertical, &mut leaving, out);
        }
        self.lose(masks, &mut parcels, lost);
        self.deliver(here, &parcels, given, leaving, out);
        TileActivity::Live
    }

    /// Returns the sum of the layer's amount and that of denser matter in the cells directly below
    /// the tile `here`, in units.
    #[inline(always)]
    fn below(&self, here: &Here<'_>) -> S::V {
        let (s, strip) = (self.s, self.near.here);
        let amount = s.load(&strip.lanes::<Q>(here.rows.below.slots[here.bit])[AMOUNT]);
        if here.y == 0 {
            return amount;
        }
        s.add_saturating(
            amount,
            self.heavier
                .amount(s, here.rows.index - strip.width, here.bit, self.near.tz),
        )
    }

    /// Returns the bit mask of those cells of `able` from which matter may flow, for each direction
    /// (west, east, north, south); `masks`: solid cells in and around the tile.
    #[inline(always)]
    fn free(&self, masks: &Masks, able: u32) -> [u32; 4] {
        let mut free = masks.free;
        if self.open {
            for (free, out) in free.iter_mut().zip(masks.out) {
                *free |= out;
            }
        }
        masked(free, able)
    }

    /// Removes from the horizontal flow `parcels` what leaves through open sides of the simulation
    /// box and what friction consumes, and adds both to `lost`.
    #[inline(always)]
    fn lose(&self, masks: &Masks, parcels: &mut [[S::V; 4]; Q], lost: &mut Lost) {
        let s = self.s;
        if self.open && masks.out != [0; 4] {
            for (quantity, parcels) in parcels.iter_mut().enumerate() {
                for (parcel, out) in parcels.iter_mut().zip(masks.out) {
                    let gone = s.keep(*parcel, out);
                    lost.outflow[quantity] += sum(s, gone);
                    *parcel = s.sub(*parcel, gone);
                }
            }
        }
        for (quantity, parcels) in parcels.iter_mut().enumerate() {
            for parcel in parcels {
                let Some(taken) = R::lost(self.kernel, s, quantity, *parcel, masks.bed) else {
                    break;
                };
                lost.friction += sum(s, taken);
                *parcel = s.sub(*parcel, taken);
            }
        }
    }

    /// Adds the vertical flow `given` (down, up) of the tile `here` to the change lists `out`, and
    /// to `leaving`, the total flow out of each cell.
    #[inline(always)]
    fn deliver_vertically(
        &self,
        here: &Here<'_>,
        given: &[[S::V; 2]; Q],
        leaving: &mut [S::V; Q],
        out: &mut Out<'_>,
    ) {
        let (s, y, width) = (self.s, here.y, self.near.here.width);
        let place = here.rows.index * ROW + here.bit;
        let (mut down, mut up) = ([s.splat(0); Q], [s.splat(0); Q]);
        for (quantity, leaving) in leaving.iter_mut().enumerate() {
            [down[quantity], up[quantity]] = given[quantity];
            *leaving = s.add(*leaving, s.add(down[quantity], up[quantity]));
        }
        if s.any(down[AMOUNT]) {
            out.here.add(s, place - width * ROW, y - 1, down);
        }
        if s.any(up[AMOUNT]) {
            out.here.add(s, place + width * ROW, y + 1, up);
        }
    }

    /// Adds the horizontal flow `parcels` to the changes of this tile and of the four tiles around
    /// it in `out`; `given`: bit masks of the giving cells, one per direction (west, east, north,
    /// south); `leaving`: total flow out of each cell, in units.
    #[inline(always)]
    fn deliver(
        &self,
        here: &Here<'_>,
        parcels: &[[S::V; 4]; Q],
        given: [u32; 4],
        leaving: [S::V; Q],
        out: &mut Out<'_>,
    ) {
        let (s, y, zero) = (self.s, here.y, self.s.splat(0));
        let place = here.rows.index * ROW + here.bit;
        let mut own = leaving;
        for (own, parcels) in own.iter_mut().zip(parcels) {
            *own = s.sub(inside(s, *parcels, zero), *own);
        }
        out.here.add(s, place, y, own);
        // Only cells at an edge reach the next tile, so that most tiles skip these four parts.
        let mut seen = [zero; Q];
        if given[0] & EDGES[0] != 0 {
            for (seen, parcels) in seen.iter_mut().zip(parcels) {
                *seen = s.see_east(zero, parcels[0]);
            }
            if s.any(seen[AMOUNT]) {
                out.here.add(s, place - 1, y, seen);
            }
        }
        if given[1] & EDGES[1] != 0 {
            for (seen, parcels) in seen.iter_mut().zip(parcels) {
                *seen = s.see_west(zero, parcels[1]);
            }
            if s.any(seen[AMOUNT]) {
                out.here.add(s, place + 1, y, seen);
            }
        }
        if given[2] & EDGES[2] != 0 {
            for (seen, parcels) in seen.iter_mut().zip(parcels) {
                *seen = s.see_south(zero, parcels[2]);
            }
            if s.any(seen[AMOUNT]) {
                out.north.add(s, place, y, seen);
            }
        }
        if given[3] & EDGES[3] != 0 {
            for (seen, parcels) in seen.iter_mut().zip(parcels) {
                *seen = s.see_north(zero, parcels[3]);
            }
            if s.any(seen[AMOUNT]) {
                out.south.add(s, place, y, seen);
            }
        }
    }
}

// No closures here: they would be compiled without the instructions of the SIMD level.

#[inline(always)]
fn sum_of<S: Simd>(s: S, v: [S::V; 4]) -> S::V {
    s.add(s.add(v[0], v[1]), s.add(v[2], v[3]))
}

/// Returns the flow into each cell that comes from cells of the same tile; `given` is the flow out
/// of each cell, by direction.
#[inline(always)]
fn inside<S: Simd>(s: S, given: [S::V; 4], zero: S::V) -> S::V {
    let across = s.add(s.see_east(given[0], zero), s.see_west(given[1], zero));
    s.add(
        across,
        s.add(s.see_south(given[2], zero), s.see_north(given[3], zero)),
    )
}

/// Returns the sum of all lanes of `v`.
#[inline(always)]
fn sum<S: Simd>(s: S, v: S::V) -> u64 {
    let mut lanes = Lanes::ZERO;
    s.store(&mut lanes, v);
    lanes.sum()
}
