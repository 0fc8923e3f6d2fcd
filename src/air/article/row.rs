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

/// The shares of the cells of a strip, and where they go.
#[derive(Debug)]
pub(super) struct Moves {
    /// Fractions of a cell along each axis, and the cells that move up or down along it.
    fractions: [Lanes<u32>; 3],
    up: [Lanes<u32>; 3],
    down: [Lanes<u32>; 3],
    /// The shares that move, by the axes that they change: y, z, both, x, x and y, x and z, all; and what stays.
    moving: [Lanes<u32>; 7],
    stays: Lanes<u32>,
    /// The shares that go each way: with the same x, east, and west.
    ways: [[Lanes<u32>; 3]; WAYS],
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
        Self {
            fractions: three(),
            up: three(),
            down: three(),
            moving: std::array::from_fn(|_| Lanes::new(cells)),
            stays: Lanes::new(cells),
            ways: std::array::from_fn(|_| three()),
            any: [false; WAYS],
        }
    }

    /// For a strip of so many cells.
    #[inline(always)]
    pub(super) fn fit(&mut self, cells: usize) {
        for lanes in [&mut self.fractions, &mut self.up, &mut self.down] {
            for lanes in lanes {
                lanes.fit(cells);
            }
        }
        for lanes in &mut self.moving {
            lanes.fit(cells);
        }
        for ways in &mut self.ways {
            for lanes in ways {
                lanes.fit(cells);
            }
        }
        self.stays.fit(cells);
    }

    /// Reads how the cells of a strip move, or where they ask (`ASK`), and weighs their shares.
    #[inline(always)]
    pub(super) fn read<const ASK: bool>(&mut self, cells: &Cells<'_>) {
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
        let [x, y, z] = &self.fractions;
        weigh(&mut self.moving, x.here(), y.here(), z.here());
        if let Some(around) = cells.around {
            let [x, y, z] = &self.up;
            let (x, y, z) = (x.here(), y.here(), z.here());
            let [_, _, yz, _, xy, xz, xyz] = &mut self.moving;
            keep_open(xy.here_mut(), around, [(x, 1), (y, 3), (z, 0)]);
            keep_open(xz.here_mut(), around, [(x, 1), (y, 0), (z, 9)]);
            keep_open(yz.here_mut(), around, [(x, 0), (y, 3), (z, 9)]);
            keep_open(xyz.here_mut(), around, [(x, 1), (y, 3), (z, 9)]);
        }
        self.part(ups, downs);
    }

    /// Parts the shares by where they go.
    #[inline(always)]
    fn part(&mut self, ups: [bool; 3], downs: [bool; 3]) {
        for way in 0..WAYS {
            let (dy, dz) = (way % 3, way / 3);
            let goes = |d: usize, axis: usize| [downs[axis], true, ups[axis]][d];
            self.any[way] = goes(dy, 1) && goes(dz, 2);
            if !self.any[way] {
                continue;
            }
            let across = |d: usize, axis: usize| if d == 0 { self.down[axis].here() } else { self.up[axis].here() };
            let (up, down, moving) = (self.up[0].here(), self.down[0].here(), &self.moving);
            let [same, east, west] = &mut self.ways[way];
            let (same, east, west) = (same.here_mut(), east.here_mut(), west.here_mut());
            match (dy, dz) {
                (1, 1) => {
                    both(east, moving[3].here(), up);
                    both(west, moving[3].here(), down);
                }
                (_, 1) => masked([same, east, west], [moving[0].here(), moving[4].here()], [across(dy, 1), up, down]),
                (1, _) => masked([same, east, west], [moving[1].here(), moving[5].here()], [across(dz, 2), up, down]),
                _ => {
                    both(same, across(dy, 1), across(dz, 2));
                    lanes!(east, [same], |_own, i| same[i]);
                    masked_own(same, east, west, [moving[2].here(), moving[6].here()], [up, down]);
                }
            }
        }
    }

    /// What stays of each cell, as far as it asks for itself: at rest only where the rules say so.
    #[inline(always)]
    pub(super) fn rest(&mut self, cells: &Cells<'_>, still_asks: bool) {
        let [a, b, c, d, e, f, g] = &self.moving;
        let (a, b, c, d) = (a.here(), b.here(), c.here(), d.here());
        let (e, f, g, stays) = (e.here(), f.here(), g.here(), self.stays.here_mut());
        lanes!(stays, [a, b, c, d], |_own, i| WHOLE.wrapping_sub(a[i] + b[i] + c[i] + d[i]));
        lanes!(stays, [e, f, g], |own, i| own.wrapping_sub(e[i] + f[i] + g[i]));
        if !still_asks {
            let [x, y, z] = cells.velocity;
            lanes!(stays, [x, y, z], |own, i| {
                let moves = (x[i].unsigned_abs() | y[i].unsigned_abs() | z[i].unsigned_abs()) >> 6;
                if moves == 0 { 0 } else { own }
            });
        }
    }

    /// Adds what is asked of the cells a way from a strip.
    #[inline(always)]
    pub(super) fn asked(&self, to: &mut [u32], way: usize) {
        let [same, east, west] = &self.ways[way];
        let same = if way == HERE { &self.stays } else { same };
        let (same, east, west) = (same.here(), east.west(), west.east());
        lanes!(to, [same, east, west], |own, i| own.wrapping_add(same[i]).wrapping_add(east[i]).wrapping_add(west[i]));
    }

    /// Scales the shares that go a way by the factors of the cells there; these have a cell beyond either end.
    #[inline(always)]
    pub(super) fn scale(&mut self, way: usize, factors: &[u32]) {
        let [same, east, west] = &mut self.ways[way];
        let cells = factors.len() - 2;
        let (of_west, of_same, of_east) = (&factors[..cells], &factors[1..1 + cells], &factors[2..]);
        lanes!(same.here_mut(), [of_same], |own, i| own.wrapping_mul(of_same[i]) >> 15);
        lanes!(east.here_mut(), [of_east], |own, i| own.wrapping_mul(of_east[i]) >> 15);
        lanes!(west.here_mut(), [of_west], |own, i| own.wrapping_mul(of_west[i]) >> 15);
    }

    /// Adds what cells keep of what they have.
    #[inline(always)]
    pub(super) fn keep<Q: Quantity>(&self, to: &mut [Q], from: &[Q]) {
        let [a, b, c, d, e, f, g] = &self.moving;
        let (a, b, c, d) = (a.here(), b.here(), c.here(), d.here());
        let (e, f, g) = (e.here(), f.here(), g.here());
        lanes!(to, [from, a, b, c, d], |own, i| {
            let parts = from[i].part(a[i]).plus(from[i].part(b[i]));
            own.plus(from[i]).minus(parts.plus(from[i].part(c[i])).plus(from[i].part(d[i])))
        });
        lanes!(to, [from, e, f, g], |own, i| {
            own.minus(from[i].part(e[i]).plus(from[i].part(f[i])).plus(from[i].part(g[i])))
        });
    }

    /// Adds what goes a way to the cells there; what the strip has, with a cell beyond either end.
    #[inline(always)]
    pub(super) fn give<Q: Quantity>(&self, to: &mut [Q], from: &[Q], way: usize) {
        let [same, east, west] = &self.ways[way];
        let cells = from.len() - 2;
        let (from_west, from, from_east) = (&from[..cells], &from[1..1 + cells], &from[2..]);
        let (east, west) = (east.west(), west.east());
        if way == HERE {
            lanes!(to, [from_west, from_east, east, west], |own, i| {
                own.plus(from_west[i].part(east[i])).plus(from_east[i].part(west[i]))
            });
        } else {
            let same = same.here();
            lanes!(to, [from_west, from, from_east, same, east, west], |own, i| {
                own.plus(from[i].part(same[i])).plus(from_west[i].part(east[i])).plus(from_east[i].part(west[i]))
            });
        }
    }

    /// Adds what a strip gets from the cells a way from it; what those have, with a cell beyond either end.
    #[inline(always)]
    pub(super) fn get<Q: Quantity>(&self, to: &mut [Q], from: &[Q], way: usize) {
        let [same, east, west] = &self.ways[way];
        let cells = from.len() - 2;
        let (from_west, from, from_east) = (&from[..cells], &from[1..1 + cells], &from[2..]);
        let (east, west) = (east.here(), west.here());
        if way == HERE {
            lanes!(to, [from_west, from_east, east, west], |own, i| {
                own.plus(from_east[i].part(east[i])).plus(from_west[i].part(west[i]))
            });
        } else {
            let same = same.here();
            lanes!(to, [from_west, from, from_east, same, east, west], |own, i| {
                own.plus(from[i].part(same[i])).plus(from_east[i].part(east[i])).plus(from_west[i].part(west[i]))
            });
        }
    }

    /// Subtracts what a strip asks of the cells a way from it; what those have.
    #[inline(always)]
    pub(super) fn lose<Q: Quantity>(&self, to: &mut [Q], from: &[Q], way: usize) {
        let [same, east, west] = &self.ways[way];
        let (east, west) = (east.west(), west.east());
        if way == HERE {
            lanes!(to, [from, east, west], |own, i| own.minus(from[i].part(east[i]).plus(from[i].part(west[i]))));
        } else {
            let same = same.here();
            lanes!(to, [from, same, east, west], |own, i| {
                own.minus(from[i].part(same[i]).plus(from[i].part(east[i])).plus(from[i].part(west[i])))
            });
        }
    }
}

/// Shares with the same x, east and west, of the cells of a mask.
#[inline(always)]
fn masked([same, east, west]: [&mut [u32]; 3], [without, with]: [&[u32]; 2], [mask, up, down]: [&[u32]; 3]) {
    lanes!(same, [without, mask], |_own, i| without[i] & mask[i]);
    lanes!(east, [with, mask, up], |_own, i| with[i] & mask[i] & up[i]);
    lanes!(west, [with, mask, down], |_own, i| with[i] & mask[i] & down[i]);
}

/// The same with the mask in `same` and in `east`.
#[inline(always)]
fn masked_own(
    same: &mut [u32],
    east: &mut [u32],
    west: &mut [u32],
    [without, with]: [&[u32]; 2],
    [up, down]: [&[u32]; 2],
) {
    lanes!(west, [east, with, down], |_own, i| with[i] & east[i] & down[i]);
    lanes!(east, [with, up], |own, i| own & with[i] & up[i]);
    lanes!(same, [without], |own, i| own & without[i]);
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
fn weigh(to: &mut [Lanes<u32>; 7], x: &[u32], y: &[u32], z: &[u32]) {
    let [go_y, go_z, go_yz, go_x, go_xy, go_xz, go_xyz] = to;
    weigh_one::<0>(go_x.here_mut(), x, y, z);
    weigh_one::<1>(go_z.here_mut(), x, y, z);
    weigh_one::<2>(go_xz.here_mut(), x, y, z);
    weigh_one::<3>(go_y.here_mut(), x, y, z);
    weigh_one::<4>(go_xy.here_mut(), x, y, z);
    weigh_one::<5>(go_yz.here_mut(), x, y, z);
    weigh_one::<6>(go_xyz.here_mut(), x, y, z);
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
