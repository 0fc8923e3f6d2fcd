//! One row of cells along x: its shares, and where they go. Loops over slices that the compiler makes into wide instructions:
//! one slice is written in each.

use super::numbers::{Quantity, WHOLE};

/// A value for each cell of a row, with a cell beyond either end.
#[derive(Clone, Debug)]
pub(super) struct Lanes<Q>(Vec<Q>);

impl<Q: Quantity> Lanes<Q> {
    fn new(cells: usize) -> Self {
        Self(vec![Q::default(); cells + 2])
    }
    #[inline(always)]
    pub(super) fn here(&self) -> &[Q] {
        &self.0[1..self.0.len() - 1]
    }
    #[inline(always)]
    pub(super) fn here_mut(&mut self) -> &mut [Q] {
        let end = self.0.len() - 1;
        &mut self.0[1..end]
    }
    /// That of the cell to the west, for each cell.
    #[inline(always)]
    fn west(&self) -> &[Q] {
        &self.0[..self.0.len() - 2]
    }
    /// That of the cell to the east.
    #[inline(always)]
    fn east(&self) -> &[Q] {
        &self.0[2..]
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
#[derive(Clone, Debug)]
pub(super) struct Shares<Q> {
    pub(super) without: [Lanes<Q>; 4],
    pub(super) with: [Lanes<Q>; 4],
}

impl<Q: Quantity> Shares<Q> {
    pub(super) fn new(cells: usize) -> Self {
        let lanes = || std::array::from_fn(|_| Lanes::new(cells));
        Self { without: lanes(), with: lanes() }
    }

    /// Takes the parts of `from` that the weights say; the rest stays.
    #[inline(always)]
    pub(super) fn give(&mut self, from: &[Q], weights: &Shares<u32>) {
        for group in 0..4 {
            if group > 0 {
                parts(self.without[group].here_mut(), from, weights.without[group].here());
            }
            parts(self.with[group].here_mut(), from, weights.with[group].here());
        }
        let (stays, without) = self.without.split_at_mut(1);
        let stays = stays[0].here_mut();
        stays.copy_from_slice(&from[..stays.len()]);
        for group in 0..4 {
            if group > 0 {
                less(stays, without[group - 1].here());
            }
            less(stays, self.with[group].here());
        }
    }

    /// Takes the parts of what is here, which the weights say; minus their sum stays.
    #[inline(always)]
    pub(super) fn ask(&mut self, weights: &Shares<u32>) {
        let (stays, without) = self.without.split_at_mut(1);
        let stays = stays[0].here_mut();
        stays.fill(Q::default());
        for group in 0..4 {
            if group > 0 {
                let part = without[group - 1].here_mut();
                own_parts(part, weights.without[group].here());
                less(stays, part);
            }
            let part = self.with[group].here_mut();
            own_parts(part, weights.with[group].here());
            less(stays, part);
        }
    }

    /// Gathers what lies where each cell of a row asks; `rows` are those of the nine ways with a cell beyond either end.
    #[inline(always)]
    pub(super) fn gather(&mut self, rows: [&[Q]; WAYS], moves: &Moves) {
        for group in 0..4 {
            self.without[group].here_mut().fill(Q::default());
            self.with[group].here_mut().fill(Q::default());
        }
        for way in (0..WAYS).filter(|&way| moves.any[way]) {
            let (row, group) = (rows[way], group(way));
            let cells = row.len() - 2;
            if way != HERE {
                add_masked(self.without[group].here_mut(), &row[1..1 + cells], moves.level[way].here());
            }
            let (east, west) = (moves.east[way].here(), moves.west[way].here());
            add_either(self.with[group].here_mut(), (&row[2..], east), (&row[..cells], west));
        }
    }

    /// Adds what goes a way to the row there, or subtracts it.
    #[inline(always)]
    pub(super) fn put<const MINUS: bool>(&self, to: &mut [Q], way: usize, moves: &Moves) {
        let (without, with) = (&self.without[group(way)], &self.with[group(way)]);
        let masks = (moves.level[way].here(), moves.east[way].west(), moves.west[way].east());
        put::<Q, MINUS>(to, (without.here(), with.west(), with.east()), masks);
    }
}

#[inline(always)]
fn parts<Q: Quantity>(to: &mut [Q], from: &[Q], weights: &[u32]) {
    let cells = to.len();
    let (from, weights) = (&from[..cells], &weights[..cells]);
    for i in 0..cells {
        to[i] = from[i].part(weights[i]);
    }
}

#[inline(always)]
fn own_parts<Q: Quantity>(to: &mut [Q], weights: &[u32]) {
    let cells = to.len();
    let weights = &weights[..cells];
    for i in 0..cells {
        to[i] = to[i].part(weights[i]);
    }
}

#[inline(always)]
fn less<Q: Quantity>(to: &mut [Q], parts: &[Q]) {
    let cells = to.len();
    let parts = &parts[..cells];
    for i in 0..cells {
        to[i] = to[i].minus(parts[i]);
    }
}

#[inline(always)]
fn add_masked<Q: Quantity>(to: &mut [Q], from: &[Q], mask: &[u32]) {
    let cells = to.len();
    let (from, mask) = (&from[..cells], &mask[..cells]);
    for i in 0..cells {
        to[i] = to[i].plus(from[i].masked(mask[i]));
    }
}

#[inline(always)]
fn add_either<Q: Quantity>(to: &mut [Q], (a, a_mask): (&[Q], &[u32]), (b, b_mask): (&[Q], &[u32])) {
    let cells = to.len();
    let (a, a_mask, b, b_mask) = (&a[..cells], &a_mask[..cells], &b[..cells], &b_mask[..cells]);
    for i in 0..cells {
        to[i] = to[i].plus(a[i].masked(a_mask[i]).plus(b[i].masked(b_mask[i])));
    }
}

#[inline(always)]
fn put<Q: Quantity, const MINUS: bool>(to: &mut [Q], (a, b, c): (&[Q], &[Q], &[Q]), masks: (&[u32], &[u32], &[u32])) {
    let cells = to.len();
    let (a, b, c) = (&a[..cells], &b[..cells], &c[..cells]);
    let (for_a, for_b, for_c) = (&masks.0[..cells], &masks.1[..cells], &masks.2[..cells]);
    for i in 0..cells {
        let sum = a[i].masked(for_a[i]).plus(b[i].masked(for_b[i])).plus(c[i].masked(for_c[i]));
        to[i] = if MINUS { to[i].minus(sum) } else { to[i].plus(sum) };
    }
}

/// Where the shares of a row go: for each way, the cells whose shares go it, without a move along x, and with one.
#[derive(Clone, Debug)]
pub(super) struct Moves {
    /// Fractions of a cell along each axis, and the cells that move up or down along it.
    fractions: [Lanes<u32>; 3],
    up: [Lanes<u32>; 3],
    down: [Lanes<u32>; 3],
    level: [Lanes<u32>; WAYS],
    east: [Lanes<u32>; WAYS],
    west: [Lanes<u32>; WAYS],
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
        let ways = || std::array::from_fn(|_| Lanes::new(cells));
        let mut level: [Lanes<u32>; WAYS] = ways();
        level[HERE].here_mut().fill(u32::MAX);
        Self { fractions: three(), up: three(), down: three(), level, east: ways(), west: ways(), any: [false; WAYS] }
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
        self.split(ups, downs);
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
    fn split(&mut self, ups: [bool; 3], downs: [bool; 3]) {
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
            both(self.east[way].here_mut(), self.level[way].here(), self.up[0].here());
            both(self.west[way].here_mut(), self.level[way].here(), self.down[0].here());
        }
    }

    /// Has the cells at rest ask for nothing, as the article has it.
    #[inline(always)]
    pub(super) fn rest(cells: &Cells<'_>, stays: &mut [u32]) {
        let n = stays.len();
        let [x, y, z] = cells.velocity;
        let (x, y, z) = (&x[..n], &y[..n], &z[..n]);
        for i in 0..n {
            let moves = (x[i].unsigned_abs() | y[i].unsigned_abs() | z[i].unsigned_abs()) >> 6;
            stays[i] = if moves == 0 { 0 } else { stays[i] };
        }
    }
}

/// Half a step, as far as the face is open.
#[inline(always)]
fn fraction<const ASK: bool>(to: &mut [u32], velocity: &[i32], low: &[u16], high: &[u16]) {
    let cells = to.len();
    let (velocity, low, high) = (&velocity[..cells], &low[..cells], &high[..cells]);
    for i in 0..cells {
        let open = if (velocity[i] < 0) != ASK { low[i] } else { high[i] };
        to[i] = (velocity[i].unsigned_abs() >> 6).min(WHOLE) * u32::from(open) >> 15;
    }
}

/// The cells that go up, or ask above (`ASK`); returns whether one does.
#[inline(always)]
fn side<const ASK: bool>(to: &mut [u32], velocity: &[i32], fraction: &[u32]) -> bool {
    let cells = to.len();
    let (velocity, fraction) = (&velocity[..cells], &fraction[..cells]);
    for i in 0..cells {
        let goes = if ASK { velocity[i] < 0 } else { velocity[i] > 0 };
        to[i] = if goes && fraction[i] > 0 { u32::MAX } else { 0 };
    }
    any(to)
}

#[inline(always)]
pub(super) fn any(values: &[u32]) -> bool {
    let mut all = 0;
    for &value in values {
        all |= value;
    }
    all != 0
}

#[inline(always)]
fn both(to: &mut [u32], a: &[u32], b: &[u32]) {
    let cells = to.len();
    let (a, b) = (&a[..cells], &b[..cells]);
    for i in 0..cells {
        to[i] = a[i] & b[i];
    }
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
    let cells = to.len();
    let (x, y, z) = (&x[..cells], &y[..cells], &z[..cells]);
    for i in 0..cells {
        let xz = x[i] * z[i] >> 15;
        let across = match CORNER {
            0 | 4 => x[i] - xz,
            1 | 5 => z[i] - xz,
            2 | 6 => xz,
            _ => WHOLE + xz - x[i] - z[i],
        };
        to[i] = across * if CORNER < 3 { WHOLE - y[i] } else { y[i] } >> 15;
    }
}

/// Drops the shares whose corner is solid. `sides` are the cells that go up along each axis, and what that adds to the bit.
#[inline(always)]
fn keep_open(to: &mut [u32], around: &[u32], sides: [(&[u32], u32); 3]) {
    let cells = to.len();
    let [(x, dx), (y, dy), (z, dz)] = sides;
    let (around, x, y, z) = (&around[..cells], &x[..cells], &y[..cells], &z[..cells]);
    for i in 0..cells {
        // Up adds to the middle bit, down takes away.
        let up = 13 - dx - dy - dz + 2 * ((x[i] & dx) + (y[i] & dy) + (z[i] & dz));
        to[i] &= 0u32.wrapping_sub(around[i] >> up & 1);
    }
}
