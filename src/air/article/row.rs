//! One row of cells along x: its shares, and where they go.

use super::lanes::{any, lanes};
use super::numbers::{Quantity, WHOLE};

/// A value for each cell of a strip, with a cell beyond either end. Aligned, so that wide loads stay within lines of the cache.
#[derive(Debug)]
pub(super) struct Lanes<Q> {
    values: Vec<Q>,
    start: usize,
    cells: usize,
}

impl<Q: Quantity> Lanes<Q> {
    fn new(cells: usize) -> Self {
        /// Values of 32 bits in a line of the cache.
        const LINE: usize = 16;
        let values = vec![Q::default(); cells + 2 * LINE + 1];
        let start = LINE - values.as_ptr().addr() / size_of::<Q>() % LINE;
        Self { values, start, cells }
    }
    /// For a strip of so many cells, at most those it was made for.
    #[inline(always)]
    fn fit(&mut self, cells: usize) {
        self.cells = cells;
    }
    #[inline(always)]
    pub(super) fn here(&self) -> &[Q] {
        &self.values[self.start..self.start + self.cells]
    }
    #[inline(always)]
    pub(super) fn here_mut(&mut self) -> &mut [Q] {
        &mut self.values[self.start..self.start + self.cells]
    }
    /// That of the cell to the west, for each cell.
    #[inline(always)]
    fn west(&self) -> &[Q] {
        &self.values[self.start - 1..self.start - 1 + self.cells]
    }
    /// That of the cell to the east.
    #[inline(always)]
    fn east(&self) -> &[Q] {
        &self.values[self.start + 1..self.start + 1 + self.cells]
    }
}

/// The directions across a row: y and z one cell down, none, or one cell up, as 3 (dz + 1) + dy + 1.
pub(super) const WAYS: usize = 9;
/// The direction that stays in the row.
pub(super) const HERE: usize = 4;

/// The group of shares that goes a way: 1 if it changes y, plus 2 if it changes z.
#[inline(always)]
pub(super) fn group(way: usize) -> usize {
    usize::from(way % 3 != 1) + 2 * usize::from(way / 3 != 1)
}

/// Shares of each cell by [`group`], without and with a move along x; those without any move are what stays.
#[derive(Debug)]
pub(super) struct Shares<Q> {
    pub(super) without: [Lanes<Q>; 4],
    pub(super) with: [Lanes<Q>; 4],
    /// Those with a move that go east, and west.
    east: [Lanes<Q>; 4],
    west: [Lanes<Q>; 4],
}

impl<Q: Quantity> Shares<Q> {
    pub(super) fn new(cells: usize) -> Self {
        let lanes = || std::array::from_fn(|_| Lanes::new(cells));
        Self { without: lanes(), with: lanes(), east: lanes(), west: lanes() }
    }

    /// For a strip of so many cells.
    #[inline(always)]
    pub(super) fn fit(&mut self, cells: usize) {
        for lanes in [&mut self.without, &mut self.with, &mut self.east, &mut self.west] {
            for lanes in lanes {
                lanes.fit(cells);
            }
        }
    }

    /// Parts those with a move along x by where they go.
    #[inline(always)]
    pub(super) fn split(&mut self, moves: &Moves) {
        let (up, down) = (moves.up[0].here(), moves.down[0].here());
        for group in 0..4 {
            let with = self.with[group].here();
            lanes!(self.east[group].here_mut(), [with, up], |_own, i| with[i].masked(up[i]));
            lanes!(self.west[group].here_mut(), [with, down], |_own, i| with[i].masked(down[i]));
        }
    }

    /// Takes the parts of `from` that the weights say; the rest stays.
    #[inline(always)]
    pub(super) fn give(&mut self, from: &[Q], weights: &Shares<u32>) {
        self.without[0].here_mut().copy_from_slice(from);
        let (stays, moving) = self.split_mut();
        for (parts, weights) in moving.into_iter().zip(weights.moving()) {
            let weights = weights.here();
            lanes!(parts.here_mut(), [from, weights], |_own, i| from[i].part(weights[i]));
            less(stays.here_mut(), parts.here());
        }
    }

    /// Takes the parts of what is here, which the weights say; minus their sum stays.
    #[inline(always)]
    pub(super) fn ask(&mut self, weights: &Shares<u32>) {
        self.without[0].here_mut().fill(Q::default());
        let (stays, moving) = self.split_mut();
        for (parts, weights) in moving.into_iter().zip(weights.moving()) {
            let weights = weights.here();
            lanes!(parts.here_mut(), [weights], |own, i| own.part(weights[i]));
            less(stays.here_mut(), parts.here());
        }
    }

    /// The shares that move.
    #[inline(always)]
    fn moving(&self) -> [&Lanes<Q>; 7] {
        let [_, y, z, yz] = &self.without;
        let [x, xy, xz, xyz] = &self.with;
        [y, z, yz, x, xy, xz, xyz]
    }

    /// Those that stay and those that move.
    #[inline(always)]
    fn split_mut(&mut self) -> (&mut Lanes<Q>, [&mut Lanes<Q>; 7]) {
        let [stays, y, z, yz] = &mut self.without;
        let [x, xy, xz, xyz] = &mut self.with;
        (stays, [y, z, yz, x, xy, xz, xyz])
    }

    /// Gathers what lies where each cell of a strip asks; `rows` are those of the nine ways with a cell beyond either end.
    #[inline(always)]
    pub(super) fn gather(&mut self, rows: [&[Q]; WAYS], moves: &Moves) {
        for group in 0..4 {
            self.without[group].here_mut().fill(Q::default());
            self.with[group].here_mut().fill(Q::default());
        }
        let (up, down) = (moves.up[0].here(), moves.down[0].here());
        for way in 0..WAYS {
            if !moves.any[way] {
                continue;
            }
            let (row, group, level) = (rows[way], group(way), moves.level[way].here());
            let cells = row.len() - 2;
            let (west, here, east) = (&row[..cells], &row[1..1 + cells], &row[2..]);
            if way == HERE {
                lanes!(self.with[group].here_mut(), [west, east, up, down], |_own, i| {
                    east[i].masked(up[i]).plus(west[i].masked(down[i]))
                });
            } else {
                lanes!(self.without[group].here_mut(), [here, level], |own, i| own.plus(here[i].masked(level[i])));
                lanes!(self.with[group].here_mut(), [west, east, up, down, level], |own, i| {
                    own.plus(east[i].masked(up[i]).plus(west[i].masked(down[i])).masked(level[i]))
                });
            }
        }
    }

    /// Adds what goes a way to the cells there, or subtracts it; the shares were split.
    #[inline(always)]
    pub(super) fn put<const MINUS: bool>(&self, to: &mut [Q], way: usize, moves: &Moves) {
        let group = group(way);
        let (a, b, c) = (self.without[group].here(), self.east[group].west(), self.west[group].east());
        if way == HERE {
            lanes!(to, [a, b, c], |own, i| {
                let sum = a[i].plus(b[i]).plus(c[i]);
                if MINUS { own.minus(sum) } else { own.plus(sum) }
            });
        } else {
            let level = &moves.level[way];
            let (for_a, for_b, for_c) = (level.here(), level.west(), level.east());
            lanes!(to, [a, b, c, for_a, for_b, for_c], |own, i| {
                let sum = a[i].masked(for_a[i]).plus(b[i].masked(for_b[i])).plus(c[i].masked(for_c[i]));
                if MINUS { own.minus(sum) } else { own.plus(sum) }
            });
        }
    }
}

#[inline(always)]
fn less<Q: Quantity>(to: &mut [Q], parts: &[Q]) {
    lanes!(to, [parts], |own, i| own.minus(parts[i]));
}

/// Where the shares of a row go: for each way, the cells whose shares go it, without a move along x, and with one.
#[derive(Debug)]
pub(super) struct Moves {
    /// Fractions of a cell along each axis, and the cells that move up or down along it.
    fractions: [Lanes<u32>; 3],
    up: [Lanes<u32>; 3],
    down: [Lanes<u32>; 3],
    /// The cells that go each way.
    level: [Lanes<u32>; WAYS],
    /// Ways that a cell goes.
    pub(super) any: [bool; WAYS],
}

/// What decides the shares of a row.
pub(super) struct Cells<'a> {
    pub(super) velocity: [&'a [i32]; 3],
    pub(super) low: [&'a [u16]; 3],
    pub(super) high: [&'a [u16]; 3],
    /// The bits of [`super::ground::Ground::around`], where a corner matters.
    pub(super) around: Option<&'a [u32]>,
}

impl Moves {
    pub(super) fn new(cells: usize) -> Self {
        let three = || std::array::from_fn(|_| Lanes::new(cells));
        let level = std::array::from_fn(|_| Lanes::new(cells));
        Self { fractions: three(), up: three(), down: three(), level, any: [false; WAYS] }
    }

    /// For a strip of so many cells.
    #[inline(always)]
    pub(super) fn fit(&mut self, cells: usize) {
        for lanes in [&mut self.fractions, &mut self.up, &mut self.down] {
            for lanes in lanes {
                lanes.fit(cells);
            }
        }
        for lanes in &mut self.level {
            lanes.fit(cells);
        }
    }

    /// Reads how a row moves, or where it asks (`ASK`), and weighs its shares. Those that stay hold their rest.
    #[inline(always)]
    pub(super) fn read<const ASK: bool>(&mut self, cells: &Cells<'_>, weights: &mut Shares<u32>) {
        let (mut ups, mut downs) = ([false; 3], [false; 3]);
        for axis in 0..3 {
            let (velocity, low, high) = (cells.velocity[axis], cells.low[axis], cells.high[axis]);
            fraction::<ASK>(self.fractions[axis].here_mut(), velocity, low, high);
            let fraction = self.fractions[axis].here();
            ups[axis] = side::<ASK>(self.up[axis].here_mut(), velocity, fraction);
            // Upwards for the opposite velocity is downwards.
            downs[axis] = match ASK {
                true => side::<false>(self.down[axis].here_mut(), velocity, fraction),
                false => side::<true>(self.down[axis].here_mut(), velocity, fraction),
            };
        }
        self.ways(ups, downs);
        let [x, y, z] = &self.fractions;
        weigh(weights, x.here(), y.here(), z.here());
        if let Some(around) = cells.around {
            let [x, y, z] = &self.up;
            let (x, y, z) = (x.here(), y.here(), z.here());
            keep_open(weights.with[1].here_mut(), around, [(x, 1), (y, 3), (z, 0)]);
            keep_open(weights.with[2].here_mut(), around, [(x, 1), (y, 0), (z, 9)]);
            keep_open(weights.without[3].here_mut(), around, [(x, 0), (y, 3), (z, 9)]);
            keep_open(weights.with[3].here_mut(), around, [(x, 1), (y, 3), (z, 9)]);
        }
        let (stays, without) = weights.without.split_at_mut(1);
        let stays = stays[0].here_mut();
        stays.fill(WHOLE);
        for group in 0..4 {
            if group > 0 {
                less(stays, without[group - 1].here());
            }
            less(stays, weights.with[group].here());
        }
    }

    /// Masks of the ways from those of the axes.
    #[inline(always)]
    fn ways(&mut self, ups: [bool; 3], downs: [bool; 3]) {
        for way in 0..WAYS {
            let (dy, dz) = (way % 3, way / 3);
            let goes = |d: usize, axis: usize| [downs[axis], true, ups[axis]][d];
            self.any[way] = goes(dy, 1) && goes(dz, 2);
            if !self.any[way] {
                continue;
            }
            let level = self.level[way].here_mut();
            let across = |d: usize, axis: usize| if d == 0 { &self.down[axis] } else { &self.up[axis] };
            match (dy, dz) {
                (1, 1) => {}
                (_, 1) => level.copy_from_slice(across(dy, 1).here()),
                (1, _) => level.copy_from_slice(across(dz, 2).here()),
                _ => both(level, across(dy, 1).here(), across(dz, 2).here()),
            }
        }
    }

    /// Has the cells at rest ask for nothing, as the article has it.
    #[inline(always)]
    pub(super) fn rest(cells: &Cells<'_>, stays: &mut [u32]) {
        let [x, y, z] = cells.velocity;
        lanes!(stays, [x, y, z], |own, i| {
            let moves = (x[i].unsigned_abs() | y[i].unsigned_abs() | z[i].unsigned_abs()) >> 6;
            if moves == 0 { 0 } else { own }
        });
    }
}

/// Half a step, as far as the face is open.
#[inline(always)]
fn fraction<const ASK: bool>(to: &mut [u32], velocity: &[i32], low: &[u16], high: &[u16]) {
    lanes!(to, [velocity, low, high], |_own, i| {
        // Both are read, and one is masked out: a choice between two places in memory is not made wide.
        let down = 0u32.wrapping_sub(u32::from((velocity[i] < 0) != ASK));
        let open = u32::from(low[i]) & down | u32::from(high[i]) & !down;
        (velocity[i].unsigned_abs() >> 6).min(WHOLE).wrapping_mul(open) >> 15
    });
}

/// The cells that go up, or ask above (`ASK`); returns whether one does.
#[inline(always)]
fn side<const ASK: bool>(to: &mut [u32], velocity: &[i32], fraction: &[u32]) -> bool {
    lanes!(to, [velocity, fraction], |_own, i| {
        let goes = if ASK { velocity[i] < 0 } else { velocity[i] > 0 };
        if goes && fraction[i] > 0 { u32::MAX } else { 0 }
    });
    any(to)
}

#[inline(always)]
fn both(to: &mut [u32], a: &[u32], b: &[u32]) {
    lanes!(to, [a, b], |_own, i| a[i] & b[i]);
}

/// The seven shares that move: across first, so that x and z may be exchanged.
#[inline(always)]
fn weigh(to: &mut Shares<u32>, x: &[u32], y: &[u32], z: &[u32]) {
    weigh_one::<0>(to.with[0].here_mut(), x, y, z);
    weigh_one::<1>(to.without[2].here_mut(), x, y, z);
    weigh_one::<2>(to.with[2].here_mut(), x, y, z);
    weigh_one::<3>(to.without[1].here_mut(), x, y, z);
    weigh_one::<4>(to.with[1].here_mut(), x, y, z);
    weigh_one::<5>(to.without[3].here_mut(), x, y, z);
    weigh_one::<6>(to.with[3].here_mut(), x, y, z);
}

#[inline(always)]
fn weigh_one<const CORNER: usize>(to: &mut [u32], x: &[u32], y: &[u32], z: &[u32]) {
    lanes!(to, [x, y, z], |_own, i| {
        let xz = x[i].wrapping_mul(z[i]) >> 15;
        let across = match CORNER {
            0 | 4 => x[i].wrapping_sub(xz),
            1 | 5 => z[i].wrapping_sub(xz),
            2 | 6 => xz,
            _ => (WHOLE + xz).wrapping_sub(x[i]).wrapping_sub(z[i]),
        };
        across.wrapping_mul(if CORNER < 3 { WHOLE.wrapping_sub(y[i]) } else { y[i] }) >> 15
    });
}

/// Drops the shares whose corner is solid. `sides` are the cells that go up along each axis, and what that adds to the bit.
#[inline(always)]
fn keep_open(to: &mut [u32], around: &[u32], sides: [(&[u32], u32); 3]) {
    let [(x, dx), (y, dy), (z, dz)] = sides;
    let lowest = 13 - dx - dy - dz;
    lanes!(to, [around, x, y, z], |own, i| {
        // Up adds to the middle bit, down takes away.
        let corner = lowest + 2 * ((x[i] & dx) + (y[i] & dy) + (z[i] & dz));
        own & 0u32.wrapping_sub(around[i] >> corner & 1)
    });
}
