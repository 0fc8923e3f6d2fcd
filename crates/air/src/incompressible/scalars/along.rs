//! Advection sweep of the amounts along x, that is, along the rows.

use crate::{BEYOND, Field, Side};
use lavoxel_base::simd::{Simd, Work};

use super::rows::{
    Beside, contents, courants, fluxes, is_empty, pass, reciprocals, slopes, volumes,
};
use super::turns::Turn;
use super::{MOST, Planes, SweepInputs, ambient};

/// Advection sweep of the amounts along x in the planes of one thread.
pub(super) struct Along<'a, 'b> {
    pub flow: SweepInputs<'a>,
    pub turn: Turn,
    pub planes: &'a mut Planes<'b>,
    pub carried: &'a [Field],
    /// Net outflow of each field through open sides, in units of 2⁻²⁰.
    pub out: &'a mut [i64; MOST],
}

/// Buffers for one row with [`BEYOND`] halo cells at both ends; arrays of faces begin with the face
/// before the first cell of the halo.
struct RowBuffers {
    units: Vec<u32>,
    content: Vec<f32>,
    slope: Vec<f32>,
    inverse: Vec<f32>,
    courant: Vec<f32>,
    flux: Vec<i32>,
}

impl Work for Along<'_, '_> {
    #[inline(always)]
    fn with<S: Simd>(mut self, _: S) {
        let grid = self.flow.grid;
        let ([nx, ny, nz], [_, row, plane]) = (grid.size(), grid.strides());
        let wide = nx + 2 * BEYOND;
        let mut rows = RowBuffers {
            units: vec![0; wide],
            content: vec![0.0; wide],
            slope: vec![0.0; wide],
            inverse: vec![1.0; wide],
            courant: vec![0.0; nx + 3],
            flux: vec![0; nx + 1],
        };
        for k in 0..self.planes.volume.len() / plane {
            let z = (self.planes.first + k).wrapping_sub(BEYOND);
            if z >= nz {
                continue;
            }
            for y in (0..ny).filter(|&y| self.flow.awake.has(y, z)) {
                let Some(time) = self.flow.counts.time(&self.turn, z * ny + y) else {
                    continue;
                };
                self.row(
                    &mut rows,
                    (grid.at([0, y, z]), time),
                    (k * plane + (y + BEYOND) * row + BEYOND, y),
                );
            }
        }
    }
}

impl Along<'_, '_> {
    /// Advects the amounts of one row along x for `time` steps. `from`: index of the row's first
    /// cell in the fields; `at`: index of the same cell in the planes of the thread; `y`: height of
    /// the row in cells.
    #[inline(always)]
    fn row(&mut self, row: &mut RowBuffers, (from, time): (usize, f32), (at, y): (usize, usize)) {
        let (nx, side) = (self.flow.grid.cells.nx, self.flow.grid.sides[0]);
        let wraps = side == Side::Wrap;
        let volume = &mut self.planes.volume[at..at + nx];
        let (speed, open) = (&self.flow.u[0][from..], self.flow.open.row(0, from));
        courants(&mut row.courant[1..nx + 2], speed, open, time);
        row.courant[0] = if wraps { row.courant[nx] } else { 0.0 };
        row.courant[nx + 2] = if wraps { row.courant[1 + 1 % nx] } else { 0.0 };
        if !self.turn.is_first {
            reciprocals(&mut row.inverse[BEYOND..BEYOND + nx], volume);
            fill_halo(&mut row.inverse, nx, wraps, 1.0);
        }
        for (field, units) in self.planes.units.iter_mut().enumerate() {
            let units = &mut units[at..at + nx];
            let outside = ambient(&self.flow, self.carried[field], y);
            // Nothing can pass if neither the row nor the air outside contains anything.
            if outside == 0 && is_empty(units) {
                continue;
            }
            row.units[BEYOND..BEYOND + nx].copy_from_slice(units);
            fill_halo(&mut row.units, nx, wraps, outside);
            contents(&mut row.content, &row.units, &row.inverse);
            let content = &row.content;
            slopes(
                &mut row.slope[1..nx + 3],
                [content, &content[1..], &content[2..]],
            );
            let beside = Beside {
                content: [&content[1..], &content[2..]],
                slope: [&row.slope[1..], &row.slope[2..]],
                inverse: [&row.inverse[1..], &row.inverse[2..]],
                units: [&row.units[1..], &row.units[2..]],
                courant: [&row.courant, &row.courant[1..], &row.courant[2..]],
            };
            fluxes(&mut row.flux, &beside);
            pass(units, &row.flux, &row.flux[1..]);
            if side == Side::Open {
                self.out[field] += i64::from(row.flux[nx]) - i64::from(row.flux[0]);
            }
        }
        if !self.turn.is_last {
            volumes(
                volume,
                &row.courant[1..],
                &row.courant[2..],
                self.turn.is_first,
            );
        }
    }
}

/// Sets the halo at both ends of a row of `n` cells: to the cells of the opposite end if `wraps` is
/// true, else to `outside`.
#[inline(always)]
fn fill_halo<T: Copy>(row: &mut [T], n: usize, wraps: bool, outside: T) {
    for i in 0..BEYOND {
        row[i] = if wraps {
            row[BEYOND + (i + BEYOND * n - BEYOND) % n]
        } else {
            outside
        };
        row[BEYOND + n + i] = if wraps { row[BEYOND + i % n] } else { outside };
    }
}
