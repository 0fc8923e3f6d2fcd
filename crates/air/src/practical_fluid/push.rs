//! Forces on the air: diffusion of velocity and density, then pressure, lift, wind and friction.

use super::carry::Passes;
use super::chunks::{Chunk, chunks};
use super::lanes::lanes;
use super::numbers::{Quantity, mul, signed};
use super::rates::{FASTEST, Friction, Rates, SPONGE, press};
use super::row::{BLOCK, block};
use crate::{Amounts, BEYOND, Field, Side};
use lavoxel_base::parallel::*;
use lavoxel_base::simd::{Simd, Work};

impl Passes<'_> {
    /// Applies the forces to every cell: computes the new `velocity` and `density` from the
    /// velocities `old` and the amounts.
    pub(super) fn push(
        &self,
        old: &[Vec<i32>; 3],
        amounts: &Amounts,
        (velocity, density): (&mut [Vec<i32>; 3], &mut Vec<u32>),
    ) {
        let parts = chunks(self.grid, velocity)
            .into_iter()
            .zip(chunks(self.grid, std::slice::from_mut(density)));
        let parts: Vec<_> = parts.collect();
        parts.into_par_iter().for_each(|(velocity, density)| {
            self.level.run(Push {
                passes: self,
                old,
                amounts,
                velocity,
                density,
            });
        });
    }
}

struct Push<'a> {
    passes: &'a Passes<'a>,
    old: &'a [Vec<i32>; 3],
    amounts: &'a Amounts,
    velocity: Chunk<'a, i32>,
    density: Chunk<'a, u32>,
}

impl Work for Push<'_> {
    #[inline(always)]
    fn with<S: Simd>(mut self, _: S) {
        let passes = self.passes;
        let mut lost = vec![0; passes.grid.strides()[1]];
        for z in self.velocity.inside(passes.grid) {
            for y in 0..passes.grid.cells.ny {
                self.row(y, z, &mut lost);
            }
        }
    }
}

/// Velocities and densities of the cells next to the cells of a block in one direction, and the
/// open shares of the faces between both.
struct Beside<'a> {
    velocity: [&'a [i32; BLOCK]; 3],
    density: &'a [u32; BLOCK],
    open: &'a [u16; BLOCK],
}

impl Push<'_> {
    /// Values of the neighbours of the cells of the block at index `at` along `axis`: the next
    /// cells if `is_after` is true, else the previous ones.
    #[inline(always)]
    fn neighbour_block(&self, at: usize, (axis, is_after): (usize, bool)) -> Beside<'_> {
        let Passes { grid, ground, .. } = *self.passes;
        let stride = grid.strides()[axis];
        let (there, face) = if is_after {
            (at + stride, at + stride)
        } else {
            (at - stride, at)
        };
        let [x, y, z] = self.old;
        Beside {
            velocity: [block(x, there), block(y, there), block(z, there)],
            density: block(self.amounts.field(Field::Density), there),
            open: block(&ground.low[axis], face),
        }
    }

    /// Returns velocity and density of the block of cells at index `at` after diffusion, pressure
    /// and lift; `background` is the heat of air at rest at the block's height.
    #[inline(always)]
    fn block(&self, at: usize, background: u32) -> ([[i32; BLOCK]; 3], [u32; BLOCK]) {
        let rates = self.passes.rates;
        let field = |field: Field| block(self.amounts.field(field), at);
        let [heat, ash, steam] = Field::CARRIED.map(field);
        let (own, here) = (
            self.old.each_ref().map(|plane| block(plane, at)),
            field(Field::Density),
        );
        let (west, east) = (
            self.neighbour_block(at, (0, false)),
            self.neighbour_block(at, (0, true)),
        );
        let (down, up) = (
            self.neighbour_block(at, (1, false)),
            self.neighbour_block(at, (1, true)),
        );
        let (north, south) = (
            self.neighbour_block(at, (2, false)),
            self.neighbour_block(at, (2, true)),
        );
        let (mut velocity, mut density) = ([[0; BLOCK]; 3], [0; BLOCK]);
        // Macros, since closures would be compiled without the instruction set that was selected at
        // run time.
        macro_rules! diffused {
            ($axis:literal, $i:ident, $filter:ident) => {
                diffused(
                    own[$axis][$i],
                    [
                        [west.velocity[$axis][$i], east.velocity[$axis][$i]],
                        [down.velocity[$axis][$i], up.velocity[$axis][$i]],
                        [north.velocity[$axis][$i], south.velocity[$axis][$i]],
                    ],
                    $filter,
                )
            };
        }
        for i in 0..BLOCK {
            // Unrolled: a loop over the sides would be transformed before the vector loop, and
            // prevent vectorisation.
            let open = [
                west.open[i],
                east.open[i],
                down.open[i],
                up.open[i],
                north.open[i],
                south.open[i],
            ];
            let there = [
                [west.density[i], east.density[i]],
                [down.density[i], up.density[i]],
                [north.density[i], south.density[i]],
            ];
            let filter = scaled(open, rates.filter_velocity);
            let [x, y, z] = [
                diffused!(0, i, filter),
                diffused!(1, i, filter),
                diffused!(2, i, filter),
            ];
            density[i] = diffused_density(here[i], there, scaled(open, rates.filter_density));
            let by = scaled(open, rates.pressure);
            let rise = rates.rise([heat[i], ash[i], steam[i]], background);
            velocity[0][i] = pressed(x, here[i], there[0], by[0]);
            velocity[1][i] = pressed(y, here[i], there[1], by[1]).plus(rise);
            velocity[2][i] = pressed(z, here[i], there[2], by[2]);
        }
        (velocity, density)
    }

    #[inline(always)]
    fn row(&mut self, y: usize, z: usize, lost: &mut [u32]) {
        let Passes {
            grid,
            ground,
            rates,
            ..
        } = *self.passes;
        let strides = grid.strides();
        let (start, cells) = (
            (z + BEYOND) * strides[2] + (y + BEYOND) * strides[1],
            strides[1],
        );
        for at in (start..start + cells).step_by(BLOCK) {
            let (velocity, density) = self.block(at, rates.background(y));
            let rows: [&mut [i32]; 3] = self.velocity.rows(at, BLOCK);
            rows.into_iter()
                .zip(velocity)
                .for_each(|(row, values)| row.copy_from_slice(&values));
            let [row] = self.density.rows(at, BLOCK);
            row.copy_from_slice(&density);
        }
        let mut v: [&mut [i32]; 3] = self.velocity.rows(start, cells);
        self.passes.relax(&mut v, y, z);
        // Clamped before friction, whose sum of squares must fit 32 bits.
        for v in &mut v {
            limit(v);
        }
        if let Some(friction) = rates.friction() {
            slow(lost, &v, friction);
            for v in &mut v {
                lose(v, lost);
            }
        }
        for (axis, v) in v.into_iter().enumerate() {
            let low = &ground.low[axis];
            shut(
                v,
                &low[start..start + cells],
                &low[start + strides[axis]..][..cells],
            );
        }
    }
}

impl Passes<'_> {
    /// Relaxes the velocity `v` of the row of cells at `y` and `z` towards the wind, in the sponge
    /// layer at inflow sides.
    #[inline(always)]
    fn relax(&self, v: &mut [&mut [i32]; 3], y: usize, z: usize) {
        if !self.rates.blows() {
            return;
        }
        let ([nx, _, nz], wind) = (self.grid.size(), self.rates.wind(y));
        let inflow = |axis: usize, n: usize, end: usize| {
            self.grid.sides[axis] == Side::Open
                && (wind[axis] > 0 && n < SPONGE || wind[axis] < 0 && n + SPONGE >= end)
        };
        if inflow(2, z, nz) {
            for (v, wind) in v.iter_mut().zip(wind) {
                draw(v, wind, self.rates);
            }
        } else {
            for x in (0..SPONGE.min(nx)).chain(nx.saturating_sub(SPONGE).max(SPONGE)..nx) {
                if inflow(0, x, nx) {
                    v.iter_mut()
                        .zip(wind)
                        .for_each(|(v, wind)| draw(&mut v[x + BEYOND..][..1], wind, self.rates));
                }
            }
        }
    }
}

#[inline(always)]
fn draw(v: &mut [i32], wind: i32, rates: &Rates) {
    for v in v {
        *v += signed(wind - (*v).clamp(-FASTEST, FASTEST), rates.relaxed);
    }
}

/// Returns the share `share` (2¹⁵ = 1) scaled by the open share of each of a cell's six faces:
/// outer axis x, y, z; inner axis lower and upper face. The open shares `a` to `f` are in the same
/// order.
#[inline(always)]
fn scaled([a, b, c, d, e, f]: [u16; 6], share: u32) -> [[u32; 2]; 3] {
    [
        [scaled_one(a, share), scaled_one(b, share)],
        [scaled_one(c, share), scaled_one(d, share)],
        [scaled_one(e, share), scaled_one(f, share)],
    ]
}

#[inline(always)]
fn scaled_one(open: u16, share: u32) -> u32 {
    share.wrapping_mul(u32::from(open)) >> 15
}

/// Returns the velocity component `own` after diffusion from the six neighbours, whose components
/// are given by axis (lower, upper); `by` are the shares that pass the faces (2¹⁵ = 1).
#[inline(always)]
fn diffused(own: i32, [x, y, z]: [[i32; 2]; 3], by: [[u32; 2]; 3]) -> i32 {
    own.plus(drawn(own, x, by[0]))
        .plus(drawn(own, y, by[1]))
        .plus(drawn(own, z, by[2]))
}

/// Change of the velocity component `own` by diffusion from the neighbours `before` and `after`
/// along an axis; `by` are the shares that pass the lower and the upper face (2¹⁵ = 1).
#[inline(always)]
fn drawn(own: i32, [before, after]: [i32; 2], by: [u32; 2]) -> i32 {
    signed(before.minus(own), by[0]).plus(signed(after.minus(own), by[1]))
}

#[inline(always)]
fn diffused_density(own: u32, [x, y, z]: [[u32; 2]; 3], by: [[u32; 2]; 3]) -> u32 {
    own.plus(evened(own, x, by[0]))
        .plus(evened(own, y, by[1]))
        .plus(evened(own, z, by[2]))
}

#[inline(always)]
fn evened(own: u32, [before, after]: [u32; 2], by: [u32; 2]) -> u32 {
    evened_one(own, before, by[0]).plus(evened_one(own, after, by[1]))
}

#[inline(always)]
fn evened_one(own: u32, there: u32, by: u32) -> u32 {
    let moved = mul(there.max(own).minus(there.min(own)), by);
    if there > own {
        moved
    } else {
        0u32.minus(moved)
    }
}

/// Returns the velocity component `v` along an axis after the pressure of the densities `before`
/// and `after` in the two neighbours and `here` in the cell; `by` are the shares that pass the
/// lower and the upper face (2¹⁵ = 1).
#[inline(always)]
fn pressed(v: i32, here: u32, [before, after]: [u32; 2], by: [u32; 2]) -> i32 {
    let v = v.plus(signed(press(before).minus(press(here)), by[0]));
    v.plus(signed(press(here).minus(press(after)), by[1]))
}

#[inline(always)]
pub(super) fn limit(v: &mut [i32]) {
    lanes!(v, [], |own, _i| own.clamp(-FASTEST, FASTEST));
}

#[inline(always)]
fn slow(to: &mut [u32], [x, y, z]: &[&mut [i32]; 3], friction: Friction) {
    lanes!(to, [x, y, z], |_own, i| friction.loss([x[i], y[i], z[i]]));
}

#[inline(always)]
fn lose(v: &mut [i32], lost: &[u32]) {
    lanes!(v, [lost], |own, i| own.minus(signed(own, lost[i])));
}

/// Sets each velocity component in `v` to 0 that points into a closed face; `low` and `high` are
/// the open shares of the lower and the upper faces.
#[inline(always)]
pub(super) fn shut(v: &mut [i32], low: &[u16], high: &[u16]) {
    lanes!(v, [low, high], |own, i| {
        let down = 0u32.wrapping_sub(u32::from(own < 0));
        let open = u32::from(low[i]) & down | u32::from(high[i]) & !down;
        if open == 0 { 0 } else { own }
    });
}
