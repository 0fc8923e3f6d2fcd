//! The passes that carry: each thread writes some slabs of z, and reads what the slabs beside them give and ask too. All is
//! addition of integers, so that the order does not matter.

use std::ops::Range;

use super::ground::Ground;
use super::lanes::{any, lanes};
use super::numbers::{Quantity, WHOLE, quotient};
use super::push::{limit, shut};
use super::rates::Rates;
use super::row::{Cells, HERE, Moves, WAYS};
use crate::air::{AirGrid, BEYOND, Side};
use crate::parallel::*;
use crate::simd::{Level, Simd, Work};

/// What all passes of a step read.
#[derive(Clone, Copy)]
pub(super) struct Passes<'a> {
    pub(super) grid: AirGrid,
    pub(super) level: Level,
    pub(super) ground: &'a Ground,
    pub(super) rates: &'a Rates,
}

/// Some slabs of some planes, for one thread.
pub(super) struct Chunk<'a, T> {
    /// Slabs, counted with those beyond the sides.
    slabs: Range<usize>,
    /// Position of the first cell.
    offset: usize,
    planes: Vec<&'a mut [T]>,
}

/// Shares planes out: a slab beside a chunk is worked on twice, so that there are few.
pub(super) fn chunks<'a, T>(grid: AirGrid, planes: &'a mut [Vec<T>]) -> Vec<Chunk<'a, T>> {
    let slab = grid.strides()[2];
    let slabs = grid.len() / slab;
    let threads = current_num_threads();
    let each = slabs.div_ceil(if threads > 1 { 2 * threads } else { 1 });
    let mut parts: Vec<_> = (0..slabs.div_ceil(each))
        .map(|n| {
            let slabs = n * each..((n + 1) * each).min(slabs);
            Chunk { offset: slabs.start * slab, slabs, planes: Vec::new() }
        })
        .collect();
    for plane in planes {
        parts.iter_mut().zip(plane.chunks_mut(each * slab)).for_each(|(part, plane)| part.planes.push(plane));
    }
    parts
}

impl<T> Chunk<'_, T> {
    /// The z of its slabs that are in the box.
    pub(super) fn inside(&self, grid: AirGrid) -> Range<usize> {
        let clamp = |slab: usize| slab.clamp(BEYOND, BEYOND + grid.cells.nz) - BEYOND;
        clamp(self.slabs.start)..clamp(self.slabs.end)
    }

    /// Cells of each plane from a position on.
    #[inline(always)]
    pub(super) fn rows<const N: usize>(&mut self, start: usize, cells: usize) -> [&mut [T]; N] {
        let mut planes = self.planes.iter_mut();
        std::array::from_fn(|_| {
            let plane = planes.next().expect("as many planes as were shared out");
            &mut plane[start - self.offset..][..cells]
        })
    }
}

impl Passes<'_> {
    /// The forward pass of the velocity.
    pub(super) fn give_velocity(&self, velocity: &[Vec<i32>; 3], to: &mut [Vec<i32>; 3]) {
        let winds = (0..=self.grid.cells.ny).map(|y| self.rates.wind(y)).collect::<Vec<_>>();
        let parts = chunks(self.grid, to);
        parts.into_par_iter().for_each(|to| {
            self.level.run(Give { passes: self, motion: velocity, from: velocity, to, asked: None, winds: &winds });
        });
    }

    /// The reverse pass of the velocity.
    pub(super) fn ask_velocity(&self, velocity: &[Vec<i32>; 3], from: &[Vec<i32>; 3], to: &mut [Vec<i32>; 3]) {
        let parts = chunks(self.grid, to);
        parts.into_par_iter().for_each(|to| {
            self.level.run(Ask { passes: self, motion: velocity, from, to, factors: None });
        });
    }

    /// The forward pass of the amounts, and what the reverse one will ask of each cell.
    pub(super) fn give(
        &self,
        velocity: &[Vec<i32>; 3],
        from: &[Vec<u32>],
        (to, asked): (&mut [Vec<u32>], &mut Vec<u32>),
    ) {
        let asked = chunks(self.grid, std::slice::from_mut(asked));
        let parts: Vec<_> = chunks(self.grid, to).into_iter().zip(asked).collect();
        parts.into_par_iter().for_each(|(to, asked)| {
            self.level.run(Give { passes: self, motion: velocity, from, to, asked: Some(asked), winds: &[] });
        });
    }

    /// Turns what is asked of each cell into the factor of all of it.
    pub(super) fn factors(&self, asked: &mut [u32]) {
        let slab = self.grid.strides()[2];
        asked.par_chunks_mut(slab).for_each(|asked| self.level.run(Factors(asked)));
        self.border_factors(asked);
    }

    /// The reverse pass of the amounts.
    pub(super) fn ask(&self, velocity: &[Vec<i32>; 3], from: &[Vec<u32>], (to, factors): (&mut [Vec<u32>], &[u32])) {
        let parts = chunks(self.grid, to);
        parts.into_par_iter().for_each(|part| {
            self.level.run(Ask { passes: self, motion: velocity, from, to: part, factors: Some(factors) });
        });
    }

    /// Lets heat decay; returns how much did.
    pub(super) fn decay(&self, heat: &mut [u32]) -> u64 {
        if !self.rates.decays() {
            return 0;
        }
        let (grid, [_, row, slab]) = (self.grid, self.grid.strides());
        let inside = &mut heat[BEYOND * slab..][..grid.cells.nz * slab];
        let slab = |cells: &mut [u32]| {
            let rows = cells[BEYOND * row..].chunks_mut(row).take(grid.cells.ny).enumerate();
            rows.map(|(y, cells)| {
                let background = self.rates.background(y);
                let lose = |heat: &mut u32| {
                    let lost = self.rates.decayed(*heat, background);
                    *heat -= lost;
                    u64::from(lost)
                };
                cells[BEYOND..BEYOND + grid.cells.nx].iter_mut().map(lose).sum::<u64>()
            })
            .sum::<u64>()
        };
        inside.par_chunks_mut(grid.strides()[2]).map(slab).sum()
    }

    /// The slabs that give and ask, of those in or beside a range, counted with those beyond the sides.
    fn sources(&self, slabs: &Range<usize>) -> Range<usize> {
        let beyond = usize::from(self.grid.sides[2] != Side::Wall);
        let all = BEYOND - beyond..BEYOND + self.grid.cells.nz + beyond;
        let start = slabs.start.saturating_sub(1).max(all.start);
        start..(slabs.end + 1).min(all.end).max(start)
    }

    /// The rows of a slab that give and ask.
    fn rows(&self) -> Range<usize> {
        BEYOND..BEYOND + self.grid.cells.ny + usize::from(self.grid.sides[1] == Side::Open)
    }

    /// The strips of rows that give and ask: the first row, and cells in them. A strip is one long row to the loops: its rows lie
    /// behind each other, and cells beyond the sides keep them apart.
    fn strips(&self) -> impl Iterator<Item = (usize, usize)> {
        let (rows, row, each) = (self.rows(), self.grid.strides()[1], self.strip());
        rows.clone().step_by(each).map(move |y| (y, (rows.end - y).min(each) * row))
    }

    /// Rows in a strip: enough that a loop pays, and few enough for the cache.
    fn strip(&self) -> usize {
        const CELLS: usize = 320;
        (CELLS / self.grid.strides()[1]).max(1)
    }

    /// What decides the shares of the cells of a strip.
    #[inline(always)]
    fn cells<'a>(&'a self, motion: &'a [Vec<i32>; 3], start: usize, cells: usize) -> Cells<'a> {
        let [_, row, slab] = self.grid.strides();
        let [low_x, low_y, low_z] = &self.ground.low;
        let [x, y, z] = motion;
        let of = |plane: &'a [u16], at: usize| &plane[at..at + cells];
        let is_rough = (start..start + cells).step_by(row).any(|start| self.ground.is_rough(start));
        Cells {
            velocity: [&x[start..start + cells], &y[start..start + cells], &z[start..start + cells]],
            low: [of(low_x, start), of(low_y, start), of(low_z, start)],
            high: [of(low_x, start + 1), of(low_y, start + row), of(low_z, start + slab)],
            around: is_rough.then(|| &self.ground.around[start..start + cells]),
        }
    }

    /// Where a way from a row leads, if the slab there is one of those. Below the floor and above the roof nothing comes, or
    /// nothing that counts.
    #[inline(always)]
    fn target(&self, (slab, row): (usize, usize), way: usize, to: &Range<usize>) -> Option<usize> {
        let (row, slab) = (row + way % 3 - 1, slab + way / 3 - 1);
        let [_, stride, slab_stride] = self.grid.strides();
        to.contains(&slab).then(|| slab * slab_stride + row * stride)
    }
}

/// The forward pass over a chunk.
struct Give<'a, Q> {
    passes: &'a Passes<'a>,
    motion: &'a [Vec<i32>; 3],
    from: &'a [Vec<Q>],
    to: Chunk<'a, Q>,
    /// What the reverse pass will ask of each cell, also outside.
    asked: Option<Chunk<'a, u32>>,
    /// What the air outside brings along, by height, if not what is there.
    winds: &'a [[i32; 3]],
}

/// A quantity with what its passes do besides.
pub(super) trait Carried: Quantity {
    /// The air that comes in through open sides brings this instead of its own.
    fn brought(wind: i32) -> Self;
    /// Keeps what a pass left within bounds.
    fn settle(passes: &Passes<'_>, to: &mut Chunk<'_, Self>, shuts: bool)
    where
        Self: Sized;
    /// Whether there is nothing in a row.
    fn is_empty(row: &[Self]) -> bool
    where
        Self: Sized;
}

impl Carried for u32 {
    fn brought(_: i32) -> Self {
        0
    }
    #[inline(always)]
    fn settle(_: &Passes<'_>, _: &mut Chunk<'_, Self>, _: bool) {}
    #[inline(always)]
    fn is_empty(row: &[Self]) -> bool {
        !any(row)
    }
}

impl Carried for i32 {
    fn brought(wind: i32) -> Self {
        wind
    }
    #[inline(always)]
    fn settle(passes: &Passes<'_>, to: &mut Chunk<'_, Self>, shuts: bool) {
        let (grid, strides) = (passes.grid, passes.grid.strides());
        let cells = strides[1];
        for z in to.inside(grid) {
            for y in 0..grid.cells.ny {
                let start = (z + BEYOND) * strides[2] + (y + BEYOND) * cells;
                let rows: [&mut [i32]; 3] = to.rows(start, cells);
                for (axis, row) in rows.into_iter().enumerate() {
                    limit(row);
                    if shuts {
                        let low = &passes.ground.low[axis];
                        shut(row, &low[start..start + cells], &low[start + strides[axis]..][..cells]);
                    }
                }
            }
        }
    }
    #[inline(always)]
    fn is_empty(row: &[Self]) -> bool {
        let mut all = 0;
        for value in row {
            all |= value;
        }
        all == 0
    }
}

impl<Q: Carried> Work for Give<'_, Q> {
    #[inline(always)]
    fn with<S: Simd>(mut self, _: S) {
        let passes = self.passes;
        let [_, row, slab] = passes.grid.strides();
        let most = passes.strip() * row;
        let (mut moves, mut brought) = (Moves::new(most), vec![Q::default(); most + 2]);
        for plane in self.to.planes.iter_mut() {
            plane.fill(Q::default());
        }
        if let Some(asked) = &mut self.asked {
            asked.planes[0].fill(0);
        }
        for z in passes.sources(&self.to.slabs) {
            for (y, lanes) in passes.strips() {
                moves.fit(lanes);
                let cells = passes.cells(self.motion, z * slab + y * row, lanes);
                moves.read::<false>(&cells);
                self.give((z, y), &moves, &mut brought[..lanes + 2]);
                if self.asked.is_some() {
                    moves.read::<true>(&cells);
                    moves.rest(&cells, passes.rates.still_asks);
                    self.ask((z, y), &moves, lanes);
                }
            }
        }
        Q::settle(passes, &mut self.to, false);
    }
}

impl<Q: Carried> Give<'_, Q> {
    /// What a strip gives.
    #[inline(always)]
    fn give(&mut self, (z, y): (usize, usize), moves: &Moves, brought: &mut [Q]) {
        let (passes, lanes) = (self.passes, brought.len() - 2);
        let [_, row, slab] = passes.grid.strides();
        let start = z * slab + y * row;
        for field in 0..self.from.len() {
            let mut own = &self.from[field][start - 1..start + lanes + 1];
            if !self.winds.is_empty() {
                brought.copy_from_slice(own);
                for (n, brought) in brought[1..].chunks_exact_mut(row).enumerate() {
                    bring(passes.grid, brought, (z, y + n), Q::brought(self.winds[y + n - BEYOND][field]));
                }
                own = &*brought;
            }
            if Q::is_empty(&own[1..1 + lanes]) {
                continue;
            }
            for way in 0..WAYS {
                if moves.any[way]
                    && let Some(there) = passes.target((z, y), way, &self.to.slabs)
                {
                    let at = there - self.to.offset;
                    let to = &mut self.to.planes[field][at..at + lanes];
                    moves.give(to, own, way);
                    if way == HERE {
                        moves.keep(to, &own[1..1 + lanes]);
                    }
                }
            }
        }
    }

    /// What a strip asks.
    #[inline(always)]
    fn ask(&mut self, (z, y): (usize, usize), moves: &Moves, lanes: usize) {
        let Some(asked) = &mut self.asked else { return };
        for way in 0..WAYS {
            if moves.any[way]
                && let Some(there) = self.passes.target((z, y), way, &asked.slabs)
            {
                let at = there - asked.offset;
                moves.asked(&mut asked.planes[0][at..at + lanes], way);
            }
        }
    }
}

/// Puts what comes in from outside into the cells of a row that are beyond open sides.
#[inline(always)]
fn bring<Q: Copy>(grid: AirGrid, row: &mut [Q], (z, y): (usize, usize), value: Q) {
    let [nx, ny, nz] = grid.size();
    let beyond =
        |n: usize, axis: usize, cells: usize| grid.sides[axis] == Side::Open && !(BEYOND..BEYOND + cells).contains(&n);
    if beyond(z, 2, nz) || beyond(y, 1, ny) {
        row.fill(value);
    } else if grid.sides[0] == Side::Open {
        (row[BEYOND - 1], row[BEYOND + nx]) = (value, value);
    }
}

/// The reverse pass over a chunk.
struct Ask<'a, Q> {
    passes: &'a Passes<'a>,
    motion: &'a [Vec<i32>; 3],
    from: &'a [Vec<Q>],
    to: Chunk<'a, Q>,
    /// Factors of what is asked of each cell; none: all of it is given.
    factors: Option<&'a [u32]>,
}

impl<Q: Carried> Work for Ask<'_, Q> {
    #[inline(always)]
    fn with<S: Simd>(mut self, _: S) {
        let passes = self.passes;
        let [_, row, slab] = passes.grid.strides();
        let mut moves = Moves::new(passes.strip() * row);
        for (to, from) in self.to.planes.iter_mut().zip(self.from) {
            to.copy_from_slice(&from[self.to.offset..][..to.len()]);
        }
        let empty = Empty::of(passes, self.from, &self.to.slabs);
        for z in passes.sources(&self.to.slabs) {
            for (y, lanes) in passes.strips() {
                moves.fit(lanes);
                let start = z * slab + y * row;
                moves.read::<true>(&passes.cells(self.motion, start, lanes));
                if let Some(factors) = self.factors {
                    for way in 0..WAYS {
                        if moves.any[way] {
                            moves.scale(way, passes.there(factors, start, lanes, way));
                        }
                    }
                }
                for field in 0..self.from.len() {
                    if !empty.around(field, (z, y), lanes / row) {
                        self.take((z, y), field, &moves, lanes);
                    }
                }
            }
        }
        Q::settle(passes, &mut self.to, true);
    }
}

impl<Q: Carried> Ask<'_, Q> {
    /// Takes what a strip gets from where it lies.
    #[inline(always)]
    fn take(&mut self, (z, y): (usize, usize), field: usize, moves: &Moves, lanes: usize) {
        let (passes, from, to) = (self.passes, &self.from[field], &mut self.to.planes[field]);
        let [_, row, slab] = passes.grid.strides();
        let start = z * slab + y * row;
        let own = self.to.slabs.contains(&z);
        for way in 0..WAYS {
            if !moves.any[way] {
                continue;
            }
            let there = passes.there(from, start, lanes, way);
            if own {
                moves.get(&mut to[start - self.to.offset..][..lanes], there, way);
            }
            if let Some(at) = passes.target((z, y), way, &self.to.slabs) {
                moves.lose(&mut to[at - self.to.offset..][..lanes], &there[1..1 + lanes], way);
            }
        }
    }
}

impl Passes<'_> {
    /// The cells a way from a strip, with one beyond either end.
    #[inline(always)]
    fn there<'a, Q>(&self, plane: &'a [Q], start: usize, lanes: usize, way: usize) -> &'a [Q] {
        let [_, row, slab] = self.grid.strides();
        let at = start + way / 3 * slab + way % 3 * row - slab - row;
        // The very last row has nothing beyond its end; what is asked there is dropped.
        let at = at.min(plane.len() - lanes - 1);
        &plane[at - 1..at + lanes + 1]
    }
}

/// The rows in which a field has nothing.
struct Empty {
    /// By field, slab and row.
    rows: Vec<bool>,
    first: usize,
    slabs: usize,
    in_slab: usize,
}

impl Empty {
    #[inline(always)]
    fn of<Q: Carried>(passes: &Passes<'_>, fields: &[Vec<Q>], slabs: &Range<usize>) -> Self {
        let [_, row, slab] = passes.grid.strides();
        let sources = passes.sources(slabs);
        let (first, last) = (sources.start - 1, (sources.end + 1).min(passes.grid.len() / slab));
        let mut rows = Vec::with_capacity(fields.len() * (last - first) * slab / row);
        for field in fields {
            for row in field[first * slab..last * slab].chunks_exact(row) {
                rows.push(Q::is_empty(row));
            }
        }
        Self { rows, first, slabs: last - first, in_slab: slab / row }
    }

    /// Whether there is nothing in and around some rows.
    #[inline(always)]
    fn around(&self, field: usize, (z, y): (usize, usize), rows: usize) -> bool {
        let mut empty = true;
        for dz in 0..3 {
            let at = ((field * self.slabs) + z + dz - 1 - self.first) * self.in_slab + y;
            for row in &self.rows[at - 1..at + rows + 1] {
                empty &= row;
            }
        }
        empty
    }
}

/// Turns what is asked of cells into factors.
struct Factors<'a>(&'a mut [u32]);

impl Work for Factors<'_> {
    #[inline(always)]
    fn with<S: Simd>(self, _: S) {
        lanes!(self.0, [], |own, _i| quotient(1 << 30, own.max(WHOLE)));
    }
}
