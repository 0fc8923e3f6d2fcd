//! The passes that carry: each thread writes some slabs of z, and reads what the slabs beside them give and ask too. All is
//! addition of integers, so that the order does not matter.

use std::ops::Range;

use super::ground::Ground;
use super::numbers::{Quantity, WHOLE, quotient};
use super::push::{limit, shut};
use super::rates::Rates;
use super::row::{Cells, Lanes, Moves, Shares, WAYS, any};
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
    pub(super) fn give(&self, velocity: &[Vec<i32>; 3], from: &[Vec<u32>], to: (&mut [Vec<u32>], &mut Vec<u32>)) {
        let asked = chunks(self.grid, std::slice::from_mut(to.1));
        let parts: Vec<_> = chunks(self.grid, to.0).into_iter().zip(asked).collect();
        parts.into_par_iter().for_each(|(to, asked)| {
            self.level.run(Give { passes: self, motion: velocity, from, to, asked: Some(asked), winds: &[] });
        });
    }

    /// Turns what is asked of each cell into the factor of all of it.
    pub(super) fn factors(&self, asked: &mut Vec<u32>) {
        let slab = self.grid.strides()[2];
        asked.par_chunks_mut(slab).for_each(|asked| self.level.run(Factors(asked)));
        self.border_factors(asked);
    }

    /// The reverse pass of the amounts.
    pub(super) fn ask(&self, velocity: &[Vec<i32>; 3], from: &[Vec<u32>], to: (&mut [Vec<u32>], &[u32])) {
        let parts = chunks(self.grid, to.0);
        parts.into_par_iter().for_each(|part| {
            self.level.run(Ask { passes: self, motion: velocity, from, to: part, factors: Some(to.1) });
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

    /// What decides the shares of a row.
    #[inline(always)]
    fn cells<'a>(&'a self, motion: &'a [Vec<i32>; 3], start: usize) -> Cells<'a> {
        let [_, row, slab] = self.grid.strides();
        let [low_x, low_y, low_z] = &self.ground.low;
        let [x, y, z] = motion;
        // The last row of all ends before the upper face of its last cell, which is far beyond the side.
        Cells {
            velocity: [&x[start..start + row], &y[start..start + row], &z[start..start + row]],
            low: [&low_x[start..start + row], &low_y[start..start + row], &low_z[start..start + row]],
            high: [&low_x[start + 1..][..row], &low_y[start + row..][..row], &low_z[start + slab..][..row]],
            around: self.ground.is_rough(start).then(|| &self.ground.around[start..start + row]),
        }
    }

    /// Where the nine ways from a row lead, if there is a row that takes: slabs `to`, rows as far as `top`.
    #[inline(always)]
    fn target(&self, (slab, row): (usize, usize), way: usize, (to, top): (&Range<usize>, usize)) -> Option<usize> {
        let (row, slab) = (row + way % 3 - 1, slab + way / 3 - 1);
        let [_, stride, slab_stride] = self.grid.strides();
        (to.contains(&slab) && (BEYOND..top).contains(&row)).then(|| slab * slab_stride + row * stride)
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
        let (grid, strides, cells) = (passes.grid, passes.grid.strides(), passes.grid.cells.nx);
        for z in to.inside(grid) {
            for y in 0..grid.cells.ny {
                let start = grid.at([0, y, z]);
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
        for &value in row {
            all |= value;
        }
        all == 0
    }
}

impl<Q: Carried> Work for Give<'_, Q> {
    #[inline(always)]
    fn with<S: Simd>(mut self, _: S) {
        let grid = self.passes.grid;
        let [_, row, slab] = grid.strides();
        let (mut moves, mut weights, mut shares) = (Moves::new(row), Shares::new(row), Shares::<Q>::new(row));
        let mut brought = vec![Q::default(); row];
        self.to.planes.iter_mut().for_each(|plane| plane.fill(Q::default()));
        if let Some(asked) = &mut self.asked {
            asked.planes[0].fill(0);
        }
        for z in self.passes.sources(&self.to.slabs) {
            for y in self.passes.rows() {
                let cells = self.passes.cells(self.motion, z * slab + y * row);
                moves.read::<false>(&cells, &mut weights);
                self.give((z, y), (&moves, &weights), (&mut shares, &mut brought));
                if self.asked.is_some() {
                    moves.read::<true>(&cells, &mut weights);
                    if !self.passes.rates.still_asks {
                        Moves::rest(&cells, weights.without[0].here_mut());
                    }
                    self.ask((z, y), (&moves, &weights));
                }
            }
        }
        Q::settle(self.passes, &mut self.to, false);
    }
}

impl<Q: Carried> Give<'_, Q> {
    /// What a row gives.
    #[inline(always)]
    fn give(
        &mut self,
        (z, y): (usize, usize),
        (moves, weights): (&Moves, &Shares<u32>),
        (shares, brought): (&mut Shares<Q>, &mut [Q]),
    ) {
        let (passes, grid) = (self.passes, self.passes.grid);
        let [_, row, slab] = grid.strides();
        let start = z * slab + y * row;
        let takes = (&self.to.slabs, BEYOND + grid.cells.ny);
        for field in 0..self.from.len() {
            let own = &self.from[field][start..start + row];
            let own = if self.winds.is_empty() {
                own
            } else {
                brought.copy_from_slice(own);
                bring(grid, brought, (z, y), Q::brought(self.winds[y - BEYOND][field]));
                &*brought
            };
            if Q::is_empty(own) {
                continue;
            }
            shares.give(own, weights);
            for way in (0..WAYS).filter(|&way| moves.any[way]) {
                if let Some(there) = passes.target((z, y), way, takes) {
                    let at = there - self.to.offset;
                    shares.put::<false>(&mut self.to.planes[field][at..at + row], way, moves);
                }
            }
        }
    }

    /// What a row asks.
    #[inline(always)]
    fn ask(&mut self, (z, y): (usize, usize), (moves, weights): (&Moves, &Shares<u32>)) {
        let Some(asked) = &mut self.asked else { return };
        let takes = (&asked.slabs, BEYOND + self.passes.grid.cells.ny + 1);
        let row = self.passes.grid.strides()[1];
        for way in (0..WAYS).filter(|&way| moves.any[way]) {
            if let Some(there) = self.passes.target((z, y), way, takes) {
                let at = there - asked.offset;
                weights.put::<false>(&mut asked.planes[0][at..at + row], way, moves);
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
        let grid = self.passes.grid;
        let [_, row, slab] = grid.strides();
        let (mut moves, mut weights, mut shares) = (Moves::new(row), Shares::new(row), Shares::<Q>::new(row));
        let mut factors = Shares::<u32>::new(row);
        for (to, from) in self.to.planes.iter_mut().zip(self.from) {
            to.copy_from_slice(&from[self.to.offset..][..to.len()]);
        }
        let empty = Empty::of(self.passes, self.from, &self.to.slabs);
        for z in self.passes.sources(&self.to.slabs) {
            for y in self.passes.rows() {
                let start = z * slab + y * row;
                let cells = self.passes.cells(self.motion, start);
                moves.read::<true>(&cells, &mut weights);
                if let Some(all) = self.factors {
                    factors.gather(around(all, start, [row, slab]), &moves);
                    scale(&mut weights, &factors);
                }
                for field in 0..self.from.len() {
                    if !empty.around(field, (z, y)) {
                        shares.gather(around(&self.from[field], start, [row, slab]), &moves);
                        shares.ask(&weights);
                        self.take((z, y), field, (&moves, &shares));
                    }
                }
            }
        }
        Q::settle(self.passes, &mut self.to, true);
    }
}

impl<Q: Carried> Ask<'_, Q> {
    /// Takes what a row gets from where it lies.
    #[inline(always)]
    fn take(&mut self, at: (usize, usize), field: usize, (moves, shares): (&Moves, &Shares<Q>)) {
        let grid = self.passes.grid;
        let takes = (&self.to.slabs, BEYOND + grid.cells.ny);
        let row = grid.strides()[1];
        for way in (0..WAYS).filter(|&way| moves.any[way]) {
            if let Some(there) = self.passes.target(at, way, takes) {
                let at = there - self.to.offset;
                shares.put::<true>(&mut self.to.planes[field][at..at + row], way, moves);
            }
        }
    }
}

/// The rows of the nine ways from a position, with a cell beyond either end.
#[inline(always)]
fn around<Q>(plane: &[Q], start: usize, [row, slab]: [usize; 2]) -> [&[Q]; WAYS] {
    std::array::from_fn(|way| {
        let at = start + way / 3 * slab + way % 3 * row - slab - row;
        // The very last row has nothing beyond its end; what is asked there is dropped.
        let at = at.min(plane.len() - row - 1);
        &plane[at - 1..at + row + 1]
    })
}

/// Scales weights by the factors of where they ask.
#[inline(always)]
fn scale(weights: &mut Shares<u32>, factors: &Shares<u32>) {
    for group in 0..4 {
        for (weights, factors) in
            [(&mut weights.without[group], &factors.without[group]), (&mut weights.with[group], &factors.with[group])]
        {
            scale_lanes(weights, factors);
        }
    }
}

#[inline(always)]
fn scale_lanes(weights: &mut Lanes<u32>, factors: &Lanes<u32>) {
    let (weights, factors) = (weights.here_mut(), factors.here());
    let cells = weights.len();
    let factors = &factors[..cells];
    for i in 0..cells {
        weights[i] = weights[i] * factors[i] >> 15;
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

    /// Whether there is nothing in the nine rows around one.
    #[inline(always)]
    fn around(&self, field: usize, (z, y): (usize, usize)) -> bool {
        let mut empty = true;
        for dz in 0..3 {
            let at = ((field * self.slabs) + z + dz - 1 - self.first) * self.in_slab + y;
            empty &= self.rows[at - 1] & self.rows[at] & self.rows[at + 1];
        }
        empty
    }
}

/// Turns what is asked of cells into factors.
struct Factors<'a>(&'a mut [u32]);

impl Work for Factors<'_> {
    #[inline(always)]
    fn with<S: Simd>(self, _: S) {
        for asked in self.0 {
            // What is beyond the layer of cells around the box is asked for nothing.
            let factor = quotient(1 << 30, (*asked).max(WHOLE));
            *asked = factor;
        }
    }
}
