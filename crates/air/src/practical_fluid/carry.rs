//! Advection passes of the article's solver. The velocity displaces a cell's contents by up to one
//! cell in a pass; the displaced contents overlap up to eight cells, the *corners*. In the forward
//! pass every cell gives shares of its contents to the corners downstream; in the reverse pass
//! every cell takes shares of the contents of the corners upstream.

use super::chunks::{SlabRange, by_turns};
use super::four::{Four, pack, pack_velocity, unpack, unpack_velocity};
use super::ground::SolidBits;
use super::lanes::lanes;
use super::numbers::{Quantity, WHOLE, quotient};
use super::push::{limit, shut};
use super::rates::{FASTEST, Rates};
use super::row::{BLOCK, CORNERS, Shares, block};
use crate::{AirGrid, BEYOND, Side};
use lavoxel_base::parallel::*;
use lavoxel_base::simd::{Level, Simd, Work};

/// Inputs of all advection passes of a step.
#[derive(Clone, Copy)]
pub(super) struct Passes<'a> {
    pub(super) grid: AirGrid,
    pub(super) level: Level,
    pub(super) ground: &'a SolidBits,
    pub(super) rates: &'a Rates,
}

impl Passes<'_> {
    /// Forward pass: moves shares of the values of each cell to the corners (cells around its
    /// displaced contents) that lie in the direction of `motion`. `to` must be a copy of `from`.
    pub(super) fn give<Q: Quantity>(
        &self,
        motion: &[Vec<i32>; 3],
        from: &[Four<Q>],
        to: &mut [Four<Q>],
    ) {
        by_turns(self.grid, to, |part| {
            self.level.run(Give {
                passes: self,
                motion,
                from,
                part,
            })
        });
    }

    /// Reverse pass: moves shares of the values of the corners that lie against the direction of
    /// `motion` to each cell. The shares taken from a cell are scaled by its element of `factors`
    /// (2¹⁵ = 1); without factors the shares are taken in full. `to` must be a copy of `from`.
    pub(super) fn ask<Q: Quantity>(
        &self,
        motion: &[Vec<i32>; 3],
        (from, factors): (&[Four<Q>], Option<&[u32]>),
        to: &mut [Four<Q>],
    ) {
        by_turns(self.grid, to, |part| {
            self.level.run(Ask {
                passes: self,
                motion,
                from,
                factors,
                part,
            })
        });
    }

    /// Advects four fields by the velocity `motion` with a forward and a reverse pass. `factors`:
    /// result of [`Passes::factors`]; `packed`: two buffers for amounts packed by cell;
    /// `outside(y)`: amounts of the four fields in ambient air at height `y` in cells.
    pub(super) fn carry(
        &self,
        (motion, factors): (&[Vec<i32>; 3], &[u32]),
        packed: &mut [Vec<Four<u32>>; 2],
        fields: &mut [Vec<u32>],
        outside: impl Fn(usize) -> [u32; 4],
    ) {
        self.pack(packed, fields);
        let [first, second] = packed;
        // `first` must contain the outside air before the forward pass; `second` receives shares
        // there and is reset to ambient air afterwards.
        self.border_amounts(first, &outside);
        self.give(motion, first, second);
        self.border_amounts(second, &outside);
        first.copy_from_slice(second);
        self.ask(motion, (second, Some(factors)), first);
        self.unpack(fields, first);
    }

    /// Computes for each cell, into `asked`, the factor (2¹⁵ = 1) by which all shares that other
    /// cells request in the reverse pass are scaled, so that no cell gives more than its amount.
    pub(super) fn factors(&self, motion: &[Vec<i32>; 3], asked: &mut [u32]) {
        let slab = self.grid.strides()[2];
        asked.par_chunks_mut(slab).for_each(|asked| asked.fill(0));
        by_turns(self.grid, asked, |part| {
            self.level.run(Asked {
                passes: self,
                motion,
                part,
            })
        });
        asked
            .par_chunks_mut(slab)
            .for_each(|asked| self.level.run(Factors(asked)));
        self.border_factors(asked);
    }

    /// Packs the amounts of four `fields` by cell into both buffers, `one` and `other`, which are
    /// equal afterwards.
    pub(super) fn pack(&self, [one, other]: &mut [Vec<Four<u32>>; 2], fields: &[Vec<u32>]) {
        let slab = self.grid.strides()[2];
        one.par_chunks_mut(slab)
            .zip(other.par_chunks_mut(slab))
            .enumerate()
            .for_each(|(z, (to, other))| {
                let field = |which: usize| &fields[which][z * slab..][..slab];
                self.level.run(Pack {
                    to,
                    other,
                    from: [field(0), field(1), field(2), field(3)],
                });
            });
    }

    /// Packs the three velocity components `planes` by cell into both buffers, `one` and `other`,
    /// which are equal afterwards.
    pub(super) fn pack_velocity(
        &self,
        [one, other]: &mut [Vec<Four<i32>>; 2],
        planes: &[Vec<i32>; 3],
    ) {
        let slab = self.grid.strides()[2];
        one.par_chunks_mut(slab)
            .zip(other.par_chunks_mut(slab))
            .enumerate()
            .for_each(|(z, (to, other))| {
                let plane = |axis: usize| &planes[axis][z * slab..][..slab];
                self.level.run(PackVelocity {
                    to,
                    other,
                    from: [plane(0), plane(1), plane(2)],
                });
            });
    }

    /// Unpacks the amounts of `from` into four fields.
    pub(super) fn unpack(&self, fields: &mut [Vec<u32>], from: &[Four<u32>]) {
        let slab = self.grid.strides()[2];
        let [a, b, c, d] = fields else { return };
        let parts = a
            .par_chunks_mut(slab)
            .zip(b.par_chunks_mut(slab))
            .zip(c.par_chunks_mut(slab));
        parts
            .zip(d.par_chunks_mut(slab))
            .zip(from.par_chunks(slab))
            .for_each(|((((a, b), c), d), from)| {
                self.level.run(Unpack {
                    to: [a, b, c, d],
                    from,
                });
            });
    }

    /// Unpacks the velocities of `from` into one array for each component; clamps them to the speed
    /// limit and sets components that point into closed faces to 0.
    pub(super) fn unpack_velocity(&self, planes: &mut [Vec<i32>; 3], from: &[Four<i32>]) {
        let slab = self.grid.strides()[2];
        let [x, y, z] = planes;
        let parts = x
            .par_chunks_mut(slab)
            .zip(y.par_chunks_mut(slab))
            .zip(z.par_chunks_mut(slab));
        let inside = BEYOND..BEYOND + self.grid.cells.nz;
        parts.enumerate().for_each(|(n, ((x, y), z))| {
            let start = n * slab;
            if inside.contains(&n) {
                self.level.run(UnpackVelocity {
                    passes: self,
                    to: [x, y, z],
                    from: &from[start..start + slab],
                    start,
                });
            }
        });
    }

    /// Clamps the velocities `cells` to the speed limit, and copies them to `copies`.
    pub(super) fn settle(&self, cells: &mut [Four<i32>], copies: &mut [Four<i32>]) {
        let slab = self.grid.strides()[2];
        cells
            .par_chunks_mut(slab)
            .zip(copies.par_chunks_mut(slab))
            .for_each(|(cells, copies)| {
                self.level.run(Settle { cells, copies });
            });
    }

    /// Lowers the heat of each cell by its decay in a step; returns the heat lost in all cells, in
    /// units of 2⁻²⁰.
    pub(super) fn decay(&self, heat: &mut [u32]) -> u64 {
        if !self.rates.decays() {
            return 0;
        }
        let (grid, [_, row, slab]) = (self.grid, self.grid.strides());
        let inside = &mut heat[BEYOND * slab..][..grid.cells.nz * slab];
        let slab = |cells: &mut [u32]| {
            let rows = cells[BEYOND * row..]
                .chunks_mut(row)
                .take(grid.cells.ny)
                .enumerate();
            rows.map(|(y, cells)| {
                let background = self.rates.background(y);
                let lose = |heat: &mut u32| {
                    let lost = self.rates.decayed(*heat, background);
                    *heat -= lost;
                    u64::from(lost)
                };
                cells[BEYOND..BEYOND + grid.cells.nx]
                    .iter_mut()
                    .map(lose)
                    .sum::<u64>()
            })
            .sum::<u64>()
        };
        inside.par_chunks_mut(grid.strides()[2]).map(slab).sum()
    }

    /// Iterates over the blocks of cells in `slabs` that a pass processes, each with its index and
    /// a flag: true if the block is in a row of cells near solid cells, where shares may have to
    /// stay in the cell.
    #[inline(always)]
    fn blocks(&self, slabs: std::ops::Range<usize>) -> impl Iterator<Item = (usize, bool)> {
        let ([_, row, slab], rough) = (self.grid.strides(), &self.ground.rough);
        let rows =
            BEYOND..BEYOND + self.grid.cells.ny + usize::from(self.grid.sides[1] == Side::Open);
        let rows = slabs.flat_map(move |z| rows.clone().map(move |y| z * (slab / row) + y));
        rows.flat_map(move |n| {
            (n * row..(n + 1) * row)
                .step_by(BLOCK)
                .map(move |at| (at, rough[n]))
        })
    }
}

/// Forward pass over a range of slabs, in which each cell gives shares of its values to the cells
/// downstream.
struct Give<'a, Q> {
    passes: &'a Passes<'a>,
    motion: &'a [Vec<i32>; 3],
    from: &'a [Four<Q>],
    part: SlabRange<'a, Four<Q>>,
}

impl<Q: Quantity> Work for Give<'_, Q> {
    #[inline(always)]
    fn with<S: Simd>(self, _: S) {
        let Self {
            passes,
            motion,
            from,
            part: SlabRange { slabs, offset, to },
        } = self;
        let strides = passes.grid.strides();
        for (at, is_rough) in passes.blocks(slabs) {
            let Some(shares) = Shares::new::<false>(motion, passes.ground, (at, strides, is_rough))
            else {
                continue;
            };
            let from = block(from, at);
            for (cell, &own) in from.iter().enumerate() {
                if shares.home[cell] == WHOLE {
                    continue;
                }
                let home = at - offset + cell;
                let (there, share) = (shares.there(cell, home, strides), shares.share(cell));
                let mut given = Four::default();
                for corner in 0..CORNERS {
                    let part = own.share(share[corner]);
                    let to = &mut to[there[corner]];
                    *to = to.plus(part);
                    given = given.plus(part);
                }
                to[home] = to[home].minus(given);
            }
        }
    }
}

/// Computation of the sum of the shares that all cells request from each cell in the reverse pass,
/// for a range of slabs.
struct Asked<'a> {
    passes: &'a Passes<'a>,
    motion: &'a [Vec<i32>; 3],
    part: SlabRange<'a, u32>,
}

impl Work for Asked<'_> {
    #[inline(always)]
    fn with<S: Simd>(self, _: S) {
        let Self {
            passes,
            motion,
            part: SlabRange { slabs, offset, to },
        } = self;
        let strides = passes.grid.strides();
        for (at, is_rough) in passes.blocks(slabs) {
            let shares = Shares::new::<true>(motion, passes.ground, (at, strides, is_rough));
            let mut home = shares.as_ref().map_or([WHOLE; BLOCK], |shares| shares.home);
            if !passes.rates.still_asks {
                rest(&mut home, motion, at);
            }
            for (to, home) in to[at - offset..].iter_mut().zip(home) {
                *to = to.wrapping_add(home);
            }
            let Some(shares) = shares else { continue };
            for cell in 0..BLOCK {
                if shares.home[cell] < WHOLE {
                    let (there, share) = (
                        shares.there(cell, at - offset + cell, strides),
                        shares.share(cell),
                    );
                    for corner in 0..CORNERS {
                        let to = &mut to[there[corner]];
                        *to = to.wrapping_add(share[corner]);
                    }
                }
            }
        }
    }
}

/// Sets the share `home` that a cell requests from itself to 0 in cells of the block at index `at`
/// that are at rest, as in the article.
#[inline(always)]
fn rest(home: &mut [u32; BLOCK], motion: &[Vec<i32>; 3], at: usize) {
    let [x, y, z] = [
        block(&motion[0], at),
        block(&motion[1], at),
        block(&motion[2], at),
    ];
    for i in 0..BLOCK {
        let moves = (x[i].unsigned_abs() | y[i].unsigned_abs() | z[i].unsigned_abs()) >> 6;
        home[i] = if moves == 0 { 0 } else { home[i] };
    }
}

/// Reverse pass over a range of slabs, in which each cell takes shares of the values of the cells
/// upstream.
struct Ask<'a, Q> {
    passes: &'a Passes<'a>,
    motion: &'a [Vec<i32>; 3],
    from: &'a [Four<Q>],
    /// Factor by which the shares requested from each cell are scaled; `None` for velocities, which
    /// may have any sign and are taken in full.
    factors: Option<&'a [u32]>,
    part: SlabRange<'a, Four<Q>>,
}

impl<Q: Quantity> Work for Ask<'_, Q> {
    #[inline(always)]
    fn with<S: Simd>(self, _: S) {
        let Self {
            passes,
            motion,
            from,
            factors,
            part: SlabRange { slabs, offset, to },
        } = self;
        let (strides, cells) = (passes.grid.strides(), to.len());
        let (from, to) = (&from[offset..][..cells], &mut to[..cells]);
        let factors = factors.map(|factors| &factors[offset..][..cells]);
        for (at, is_rough) in passes.blocks(slabs) {
            let Some(shares) = Shares::new::<true>(motion, passes.ground, (at, strides, is_rough))
            else {
                continue;
            };
            for cell in 0..BLOCK {
                if shares.home[cell] == WHOLE {
                    continue;
                }
                let home = at - offset + cell;
                let (there, share) = (shares.there(cell, home, strides), shares.share(cell));
                let mut got = Four::default();
                for corner in 0..CORNERS {
                    let there = there[corner];
                    // Scaled by the factor of the source, so that no cell gives more than it has.
                    let share = match factors {
                        Some(factors) => share[corner].wrapping_mul(factors[there]) >> 15,
                        None => share[corner],
                    };
                    let part = from[there].share(share);
                    to[there] = to[there].minus(part);
                    got = got.plus(part);
                }
                to[home] = to[home].plus(got);
            }
        }
    }
}

/// Conversion of the sums of requested shares to factors (2¹⁵ = 1) that limit these sums to 1.
struct Factors<'a>(&'a mut [u32]);

impl Work for Factors<'_> {
    #[inline(always)]
    fn with<S: Simd>(self, _: S) {
        lanes!(self.0, [], |own, _i| quotient(1 << 30, own.max(WHOLE)));
    }
}

struct Settle<'a> {
    cells: &'a mut [Four<i32>],
    copies: &'a mut [Four<i32>],
}

impl Work for Settle<'_> {
    #[inline(always)]
    fn with<S: Simd>(self, _: S) {
        for (Four(values), copy) in self.cells.iter_mut().zip(self.copies) {
            *values = values.map(|value| value.clamp(-FASTEST, FASTEST));
            *copy = Four(*values);
        }
    }
}

struct Pack<'a> {
    to: &'a mut [Four<u32>],
    other: &'a mut [Four<u32>],
    from: [&'a [u32]; 4],
}

impl Work for Pack<'_> {
    #[inline(always)]
    fn with<S: Simd>(self, _: S) {
        pack(self.to, self.from);
        self.other.copy_from_slice(self.to);
    }
}

struct PackVelocity<'a> {
    to: &'a mut [Four<i32>],
    other: &'a mut [Four<i32>],
    from: [&'a [i32]; 3],
}

impl Work for PackVelocity<'_> {
    #[inline(always)]
    fn with<S: Simd>(self, _: S) {
        pack_velocity(self.to, self.from);
        self.other.copy_from_slice(self.to);
    }
}

struct Unpack<'a> {
    to: [&'a mut [u32]; 4],
    from: &'a [Four<u32>],
}

impl Work for Unpack<'_> {
    #[inline(always)]
    fn with<S: Simd>(self, _: S) {
        let [a, b, c, d] = self.to;
        unpack(a, b, c, d, self.from);
    }
}

struct UnpackVelocity<'a> {
    passes: &'a Passes<'a>,
    to: [&'a mut [i32]; 3],
    from: &'a [Four<i32>],
    start: usize,
}

impl Work for UnpackVelocity<'_> {
    #[inline(always)]
    fn with<S: Simd>(mut self, _: S) {
        let (strides, cells) = (self.passes.grid.strides(), self.from.len());
        let row = strides[1];
        for at in (0..cells).step_by(row) {
            let [x, y, z] = self.to.each_mut().map(|to| &mut to[at..at + row]);
            unpack_velocity(x, y, z, &self.from[at..at + row]);
            for (axis, to) in self.to.iter_mut().enumerate() {
                let (to, low, start) = (
                    &mut to[at..at + row],
                    &self.passes.ground.low[axis],
                    self.start + at,
                );
                limit(to);
                shut(to, &low[start..start + row], &low[start + strides[axis]..]);
            }
        }
    }
}
