//! Forces on the velocity other than pressure: lift by heat, weight of ash and drops, friction and
//! wind.

use crate::{AirGrid, Amounts, BEYOND, Field, Forces, Openness, Side, UNIT};
use lavoxel_base::simd::{Level, Simd, Work};

use super::FASTEST;
use super::chunks::each_chunk;
use super::project::limited;
use super::sides::Winds;
use super::velocity::{Faces, Open};

/// Width in cells of the sponge layer inside an inflow side, in which the velocity is relaxed
/// towards the wind.
const SPONGE: usize = 4;
/// Relaxation in the sponge layer: share of the difference to the wind that a step removes.
const RELAX: f32 = 0.1;

/// Computation of the acceleration by lift and weight, for a range of planes of the vertical
/// velocity.
struct Lift<'a> {
    amounts: &'a Amounts,
    forces: &'a Forces,
    /// Change of velocity in a substep, in cells per step, caused by one unit of heat in one of the
    /// two cells at a face.
    lift: f32,
    /// Change of velocity in a substep, in cells per step, caused by one unit of ash or drops in
    /// one of the two cells at a face.
    weight: f32,
    v: &'a mut [f32],
    first: usize,
}

/// Amounts of heat, ash and steam in a row of cells, and the heat of air at rest at the height of
/// the row; all in units of 2⁻²⁰.
struct Carried<'a> {
    heat: &'a [u32],
    ash: &'a [u32],
    steam: &'a [u32],
    background: i32,
}

/// Converts an amount to a signed number, clamped to 2³¹ − 1.
#[inline(always)]
pub(super) fn signed(amount: u32) -> i32 {
    let signed = amount as i32;
    if signed < 0 { i32::MAX } else { signed }
}

#[inline(always)]
fn add_lift(v: &mut [f32], heat: &[u32], background: i32, lift: f32) {
    for (v, heat) in v.iter_mut().zip(heat) {
        *v = limited(*v + lift * (signed(*heat) - background) as f32, FASTEST);
    }
}

#[inline(always)]
fn add_weight(v: &mut [f32], ash: &[u32], steam: &[u32], weight: f32) {
    for ((v, ash), steam) in v.iter_mut().zip(ash).zip(steam) {
        *v = limited(
            *v - weight * (signed(*ash) as f32 + signed(*steam) as f32),
            FASTEST,
        );
    }
}

impl Work for Lift<'_> {
    #[inline(always)]
    fn with<S: Simd>(self, _: S) {
        let grid = self.amounts.grid();
        let ([nx, ny, nz], [_, row, plane]) = (grid.size(), grid.strides());
        let rows = ny + usize::from(grid.sides[1] == Side::Open);
        for k in 0..self.v.len() / plane {
            let z = (self.first + k).wrapping_sub(BEYOND);
            if z >= nz {
                continue;
            }
            for y in 1..rows {
                let at = k * plane + (y + BEYOND) * row + BEYOND;
                let v = &mut self.v[at..at + nx];
                for below in [y - 1, y] {
                    // Above the top lies still air without excess heat.
                    if below == ny {
                        continue;
                    }
                    let from = grid.at([0, below, z]);
                    let of = |field| &self.amounts.field(field)[from..from + nx];
                    let background = self.forces.background.get(below).copied().unwrap_or(0);
                    let (ash, steam) = (of(Field::Ash), of(Field::Steam));
                    let rows = Carried {
                        heat: of(Field::Heat),
                        ash,
                        steam,
                        background: signed(background),
                    };
                    if self.lift != 0.0 {
                        add_lift(v, rows.heat, rows.background, self.lift);
                    }
                    if self.weight != 0.0 {
                        add_weight(v, rows.ash, rows.steam, self.weight);
                    }
                }
            }
        }
    }
}

/// Adds the acceleration by lift and weight during `time` steps to the vertical velocity.
pub(super) fn lift(amounts: &Amounts, forces: &Forces, u: &mut Faces, (time, simd): (f32, Level)) {
    let per_unit = |value: f32| time * 0.5 * value / UNIT as f32;
    let (lift, weight) = (per_unit(forces.lift), per_unit(forces.weight));
    if lift == 0.0 && weight == 0.0 {
        return;
    }
    each_chunk(amounts.grid(), u, |first, [_, v, _]| {
        simd.run(Lift {
            amounts,
            forces,
            lift,
            weight,
            v,
            first,
        })
    });
}

/// Returns true if in no open cell the acceleration by lift or weight exceeds the threshold
/// `forces.calming`.
pub(super) fn is_calm(amounts: &Amounts, openness: &Openness, forces: &Forces) -> bool {
    let (grid, nx) = (amounts.grid(), amounts.grid().cells.nx);
    let still =
        |value: f32, units: u32| value * signed(units) as f32 <= forces.calming * UNIT as f32;
    let calm = |y: usize, z: usize| {
        let at = grid.at([0, y, z]);
        let row = |field: Field| &amounts.field(field)[at..at + nx];
        let background = forces.background.get(y).copied().unwrap_or(0);
        let cool = |heat: u32| still(forces.lift, heat.abs_diff(background));
        let cool = |(x, &heat): (usize, &u32)| cool(heat) || openness.is_solid([x, y, z]);
        let light = |field: Field| {
            row(field)
                .iter()
                .all(|&amount| still(forces.weight, amount))
        };
        row(Field::Heat).iter().enumerate().all(cool) && light(Field::Ash) && light(Field::Steam)
    };
    (0..grid.cells.nz).all(|z| (0..grid.cells.ny).all(|y| calm(y, z)))
}

/// Reduces the magnitude of every velocity component by `by` (cells per step), but not below 0.
pub(super) fn calm_down(grid: AirGrid, u: &mut Faces, by: f32) {
    each_chunk(grid, u, |_, u| {
        for u in u.into_iter().flatten() {
            let left = u.abs() - by;
            *u = if left > 0.0 { left.copysign(*u) } else { 0.0 };
        }
    });
}

/// Applies friction: reduces the speed v of the air in each cell by `time` · (a·v² + b·v + c),
/// without a change of direction. `factors` is a buffer, whose values are all 1 after the call.
pub(super) fn friction(
    grid: AirGrid,
    u: &mut Faces,
    factors: &mut [f32],
    ([a, b, c], time): ([f32; 3], f32),
) {
    if [a, b, c] == [0.0; 3] {
        return;
    }
    let strides = grid.strides();
    for place in grid.cells.places() {
        let at = grid.at(place);
        let middle = |axis: usize| 0.5 * (u[axis][at] + u[axis][at + strides[axis]]);
        let speed = (middle(0) * middle(0) + middle(1) * middle(1) + middle(2) * middle(2)).sqrt();
        let left = speed - time * (a * speed * speed + b * speed + c);
        factors[at] = if left > 0.0 && speed > 0.0 {
            left / speed
        } else {
            0.0
        };
    }
    wrap_factors(grid, factors);
    let shares = &*factors;
    each_chunk(grid, u, |first, u| {
        let before = first * strides[2];
        for (axis, u) in u.into_iter().enumerate() {
            for (at, u) in u
                .iter_mut()
                .enumerate()
                .filter(|(at, _)| before + at >= strides[axis])
            {
                *u *= 0.5 * (shares[before + at] + shares[before + at - strides[axis]]);
            }
        }
    });
    factors.fill(1.0);
}

/// Sets the friction factors in the halo beyond periodic sides to those of the opposite side.
fn wrap_factors(grid: AirGrid, factors: &mut [f32]) {
    let (size, strides) = (grid.size(), grid.strides());
    for axis in [0, 2]
        .into_iter()
        .filter(|&axis| grid.sides[axis] == Side::Wrap)
    {
        let last = (size[axis] - 1) * strides[axis];
        for place in grid.cells.places().filter(|place| place[axis] == 0) {
            let at = grid.at(place);
            factors[at - strides[axis]] = factors[at + last];
            factors[at + last + strides[axis]] = factors[at];
        }
    }
}

/// Returns the wind at each of the `ny` heights of cells, in cells per step along x, y and z; all 0
/// if `forces` contains no wind.
pub(super) fn winds(forces: &Forces, ny: usize) -> Vec<[f32; 3]> {
    let wind = |[x, z]: &[f32; 2]| [limited(*x, FASTEST), 0.0, limited(*z, FASTEST)];
    let at = |y: usize| {
        forces
            .wind
            .get(y)
            .or(forces.wind.last())
            .map_or([0.0; 3], wind)
    };
    (0..ny).map(at).collect()
}

/// Sets the velocity on every open face to the wind at the height of the face.
pub(super) fn blow(grid: AirGrid, u: &mut Faces, open: &Open, winds: &Winds) {
    on_open_faces(grid, u, open, winds, |u, wind| *u = wind);
}

/// Adds `change`, the difference between new and old wind at each height of cells (cells per step),
/// to the velocity on every open face.
pub(super) fn change_wind(grid: AirGrid, u: &mut Faces, open: &Open, change: &Winds) {
    on_open_faces(grid, u, open, change, |u, change| *u += change);
}

/// Calls `put` with the velocity component on each open face and the same component of the wind at
/// the height of the face.
fn on_open_faces(
    grid: AirGrid,
    u: &mut Faces,
    open: &Open,
    winds: &Winds,
    put: impl Fn(&mut f32, f32),
) {
    let row = grid.strides()[1];
    for (axis, (u, open)) in u.iter_mut().zip(&open.faces).enumerate() {
        let rows = u.chunks_mut(row).zip(open.chunks(row)).enumerate();
        for (index, (u, open)) in rows {
            let y = (index % (grid.strides()[2] / row))
                .saturating_sub(BEYOND)
                .min(winds.len() - 1);
            u.iter_mut()
                .zip(open)
                .filter(|(_, open)| **open > 0.0)
                .for_each(|(u, _)| put(u, winds[y][axis]));
        }
    }
}

/// Sets the velocity at inflow sides to the wind, and relaxes the velocity in the sponge layer
/// inside towards the wind, for `time` steps.
pub(super) fn hold_wind(grid: AirGrid, u: &mut Faces, winds: &Winds, time: f32) {
    let (size, strides) = (grid.size(), grid.strides());
    let relax = RELAX * time;
    for axis in [0, 2]
        .into_iter()
        .filter(|&axis| grid.sides[axis] == Side::Open)
    {
        let across = 2 - axis;
        for (y, wind) in winds
            .iter()
            .enumerate()
            .filter(|(_, wind)| wind[axis] != 0.0)
        {
            let n = size[axis];
            for other in 0..size[across] {
                for depth in 0..SPONGE.min(n) {
                    let low = wind[axis] > 0.0;
                    let mut place = [0, y, 0];
                    (place[axis], place[across]) = (if low { depth } else { n - 1 - depth }, other);
                    let at = grid.at(place);
                    // Face of the cell on the windward side.
                    let face = if low { at } else { at + strides[axis] };
                    let held = if depth == 0 { 1.0 } else { relax };
                    u[axis][face] += held * (wind[axis] - u[axis][face]);
                    for component in [1, across] {
                        u[component][at] += relax * (wind[component] - u[component][at]);
                    }
                }
            }
        }
    }
}
