//! The forces: one pass of diffusion over velocity and density, pressure, lift, wind and friction.

use super::carry::{Chunk, Passes, chunks};
use super::lanes::lanes;
use super::numbers::{Quantity, mul, signed};
use super::rates::{FASTEST, Friction, Rates, SPONGE, press};
use crate::air::{Amounts, BEYOND, Field, Side};
use crate::parallel::*;
use crate::simd::{Simd, Work};

impl Passes<'_> {
    /// Pushes every cell from the old state.
    pub(super) fn push(
        &self,
        old: &[Vec<i32>; 3],
        amounts: &Amounts,
        (velocity, density): (&mut [Vec<i32>; 3], &mut Vec<u32>),
    ) {
        let parts = chunks(self.grid, velocity).into_iter().zip(chunks(self.grid, std::slice::from_mut(density)));
        let parts: Vec<_> = parts.collect();
        parts.into_par_iter().for_each(|(velocity, density)| {
            self.level.run(Push { passes: self, old, amounts, velocity, density });
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
        let mut open = vec![0; passes.grid.strides()[1]];
        for z in self.velocity.inside(passes.grid) {
            for y in 0..passes.grid.cells.ny {
                self.row(y, z, &mut open);
            }
        }
    }
}

impl Push<'_> {
    #[inline(always)]
    fn row(&mut self, y: usize, z: usize, open: &mut [u32]) {
        let Passes { grid, ground, rates, .. } = *self.passes;
        let strides = grid.strides();
        let (start, cells) = ((z + BEYOND) * strides[2] + (y + BEYOND) * strides[1], strides[1]);
        let field = |field: Field, at: usize| &self.amounts.field(field)[at..at + cells];
        let [vx, vy, vz] = self.velocity.rows(start, cells);
        let [density] = self.density.rows(start, cells);
        let mut v = [vx, vy, vz];
        density.copy_from_slice(field(Field::Density, start));
        for (v, old) in v.iter_mut().zip(self.old) {
            v.copy_from_slice(&old[start..start + cells]);
        }
        for axis in 0..3 {
            for (from, face) in [(start - strides[axis], start), (start + strides[axis], start + strides[axis])] {
                let face = &ground.low[axis][face..face + cells];
                if rates.filter_velocity > 0 {
                    scaled(open, face, rates.filter_velocity);
                    for (v, old) in v.iter_mut().zip(self.old) {
                        filter(v, &old[start..start + cells], &old[from..from + cells], open);
                    }
                }
                if rates.filter_density > 0 {
                    scaled(open, face, rates.filter_density);
                    filter_density(density, field(Field::Density, start), field(Field::Density, from), open);
                }
                scaled(open, face, rates.pressure);
                let (here, there) = (field(Field::Density, start), field(Field::Density, from));
                if from < start {
                    press_up(v[axis], there, here, open);
                } else {
                    press_up(v[axis], here, there, open);
                }
            }
        }
        rise(v[1], Field::CARRIED.map(|carried| field(carried, start)), rates, rates.background(y));
        self.passes.relax(&mut v, y, z);
        for v in &mut v {
            limit(v);
        }
        if let Some(friction) = rates.friction() {
            slow(open, &v, friction);
            for v in &mut v {
                lose(v, open);
            }
        }
        for (axis, v) in v.into_iter().enumerate() {
            let low = &ground.low[axis];
            shut(v, &low[start..start + cells], &low[start + strides[axis]..][..cells]);
        }
    }
}

impl Passes<'_> {
    /// Draws cells close to a side through which the wind blows in to the wind.
    #[inline(always)]
    fn relax(&self, v: &mut [&mut [i32]; 3], y: usize, z: usize) {
        if !self.rates.blows() {
            return;
        }
        let ([nx, _, nz], wind) = (self.grid.size(), self.rates.wind(y));
        let inflow = |axis: usize, n: usize, end: usize| {
            self.grid.sides[axis] == Side::Open && (wind[axis] > 0 && n < SPONGE || wind[axis] < 0 && n + SPONGE >= end)
        };
        if inflow(2, z, nz) {
            for (v, wind) in v.iter_mut().zip(wind) {
                draw(v, wind, self.rates);
            }
        } else {
            for x in (0..SPONGE.min(nx)).chain(nx.saturating_sub(SPONGE).max(SPONGE)..nx) {
                if inflow(0, x, nx) {
                    v.iter_mut().zip(wind).for_each(|(v, wind)| draw(&mut v[x + BEYOND..][..1], wind, self.rates));
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

#[inline(always)]
fn scaled(to: &mut [u32], face: &[u16], by: u32) {
    lanes!(to, [face], |_own, i| by.wrapping_mul(u32::from(face[i])) >> 15);
}

#[inline(always)]
fn filter(to: &mut [i32], here: &[i32], there: &[i32], open: &[u32]) {
    lanes!(to, [here, there, open], |own, i| own.plus(signed(there[i].minus(here[i]), open[i])));
}

#[inline(always)]
fn filter_density(to: &mut [u32], here: &[u32], there: &[u32], open: &[u32]) {
    lanes!(to, [here, there, open], |own, i| {
        let moved = mul(there[i].max(here[i]).minus(there[i].min(here[i])), open[i]);
        own.plus(if there[i] > here[i] { moved } else { 0u32.minus(moved) })
    });
}

#[inline(always)]
fn press_up(to: &mut [i32], low: &[u32], high: &[u32], open: &[u32]) {
    lanes!(to, [low, high, open], |own, i| own.plus(signed(press(low[i]).minus(press(high[i])), open[i])));
}

#[inline(always)]
fn rise(to: &mut [i32], [heat, ash, steam]: [&[u32]; 3], rates: &Rates, background: u32) {
    lanes!(to, [heat, ash, steam], |own, i| own.plus(rates.rise([heat[i], ash[i], steam[i]], background)));
}

#[inline(always)]
pub(super) fn limit(v: &mut [i32]) {
    lanes!(v, [], |own, _i| own.clamp(-FASTEST, FASTEST));
}

#[inline(always)]
fn slow(to: &mut [u32], [x, y, z]: &[&mut [i32]; 3], friction: Friction) {
    lanes!(to, [x, y, z], |_own, i| friction.of([x[i], y[i], z[i]]));
}

#[inline(always)]
fn lose(v: &mut [i32], lost: &[u32]) {
    lanes!(v, [lost], |own, i| own.minus(signed(own, lost[i])));
}

/// Stops what points into shut faces.
#[inline(always)]
pub(super) fn shut(v: &mut [i32], low: &[u16], high: &[u16]) {
    lanes!(v, [low, high], |own, i| {
        let down = 0u32.wrapping_sub(u32::from(own < 0));
        let open = u32::from(low[i]) & down | u32::from(high[i]) & !down;
        if open == 0 { 0 } else { own }
    });
}
