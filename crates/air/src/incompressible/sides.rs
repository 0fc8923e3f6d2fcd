//! Boundary conditions of the velocity: values in the halo, the cells beyond the sides of the air's
//! box.
//!
//! Walls: the tangential velocity is copied from the last cell, the normal one is 0. Open sides:
//! for outflow the velocity of the last cell is copied; for inflow the wind is used, because a copy
//! of the velocity inside would amplify itself. Periodic sides: velocity at the opposite end.

use crate::{AXES, AirGrid, BEYOND, Side};

use super::chunks::each_chunk;
use super::velocity::Faces;

/// Wind velocity at each height of cells, in cells per step along x, y and z.
pub(super) type Winds = [[f32; 3]];

/// Sets the velocities in the halo beyond all sides: first along z, then along y, then along x.
/// Values along y read those along z, and values along x read both.
pub(super) fn fill(grid: AirGrid, u: &mut Faces, winds: &Winds) {
    planes_beyond(grid, u, winds);
    each_chunk(grid, u, |_, mut u| {
        let plane = grid.strides()[2];
        for k in 0..u[0].len() / plane {
            let mut planes = u.each_mut().map(|u| &mut u[k * plane..(k + 1) * plane]);
            floor_and_top(grid, &mut planes, winds);
            ends_of_rows(grid, &mut planes, winds);
        }
    });
}

/// Velocity beyond an open side: `last`, that of the last cell, for outflow (`outward` ≥ 0), else
/// `wind`.
fn beyond(outward: f32, last: f32, wind: f32) -> f32 {
    if outward < 0.0 { wind } else { last }
}

/// Wind at row `y` of a field with halo, in which row [`BEYOND`] is the lowest row of cells;
/// constant below and above the heights in `winds`.
fn wind_at(winds: &Winds, y: usize) -> [f32; 3] {
    winds[y.saturating_sub(BEYOND).min(winds.len() - 1)]
}

/// Copies the values of the first and the last cell of a row with `nx` cells to the halo at the
/// row's ends.
fn extend(row: &mut [f32], nx: usize) {
    let (first, last) = (row[BEYOND], row[BEYOND + nx - 1]);
    row[..BEYOND].fill(first);
    row[BEYOND + nx..].fill(last);
}

/// Sets those values of a halo row to `wind` where air flows in through the side. `speeds`:
/// velocities through the side; `sign`: 1 or −1, so that `sign` · `speeds` points outward.
fn blow_in(row: &mut [f32], speeds: &[f32], (sign, wind): (f32, f32)) {
    for (value, speed) in row.iter_mut().zip(speeds) {
        *value = beyond(sign * *speed, *value, wind);
    }
}

fn ends_of_rows(grid: AirGrid, u: &mut [&mut [f32]; 3], winds: &Winds) {
    let (nx, row) = (grid.cells.nx, grid.strides()[1]);
    for y in 0..grid.cells.ny + 2 * BEYOND {
        let (wind, low) = (wind_at(winds, y), y * row + BEYOND);
        // The normal speed at the side decides between outflow and inflow for all components.
        let outward = [-u[0][low], u[0][low + nx]];
        for component in AXES {
            let u = &mut u[component][low - BEYOND..low + nx + BEYOND];
            let (first, last) = (
                BEYOND,
                if component == 0 {
                    BEYOND + nx
                } else {
                    BEYOND + nx - 1
                },
            );
            match grid.sides[0] {
                Side::Wrap => {
                    for i in 0..BEYOND {
                        u[i] = u[BEYOND + (i + BEYOND * nx - BEYOND) % nx];
                        u[BEYOND + nx + i] = u[BEYOND + i % nx];
                    }
                }
                side => {
                    let open = |end: usize, value: f32| match side {
                        Side::Open => beyond(outward[end], value, wind[component]),
                        _ => value,
                    };
                    let (west, east) = (open(0, u[first]), open(1, u[last]));
                    u[..first].fill(west);
                    u[last + 1..].fill(east);
                }
            }
        }
    }
}

fn floor_and_top(grid: AirGrid, u: &mut [&mut [f32]; 3], winds: &Winds) {
    let (ny, row) = (grid.cells.ny, grid.strides()[1]);
    let wind = winds[winds.len() - 1];
    let mut outward = u[1][(BEYOND + ny) * row..(BEYOND + ny + 1) * row].to_vec();
    extend(&mut outward, grid.cells.nx);
    for component in AXES {
        let u = &mut u[component];
        let last = if component == 1 {
            BEYOND + ny
        } else {
            BEYOND + ny - 1
        };
        for y in 0..BEYOND {
            u.copy_within(BEYOND * row..(BEYOND + 1) * row, y * row);
        }
        for y in last + 1..BEYOND + ny + BEYOND {
            u.copy_within(last * row..(last + 1) * row, y * row);
            if grid.sides[1] == Side::Open {
                blow_in(
                    &mut u[y * row..(y + 1) * row],
                    &outward,
                    (1.0, wind[component]),
                );
            }
        }
    }
}

fn planes_beyond(grid: AirGrid, u: &mut Faces, winds: &Winds) {
    let ([nx, ny, nz], [_, row, plane]) = (grid.size(), grid.strides());
    let at = |z: usize| z * plane..(z + 1) * plane;
    if grid.sides[2] == Side::Wrap {
        for u in u {
            for z in 0..BEYOND {
                u.copy_within(at(BEYOND + (z + BEYOND * nz - BEYOND) % nz), z * plane);
                u.copy_within(at(BEYOND + z % nz), (BEYOND + nz + z) * plane);
            }
        }
        return;
    }
    // Normal speeds of both sides, extended over the margins of the plane so that every value there
    // has a direction.
    let outward = [BEYOND, BEYOND + nz].map(|z| {
        let mut speeds = u[2][at(z)].to_vec();
        speeds.chunks_mut(row).for_each(|row| extend(row, nx));
        for (to, from) in [
            (0, BEYOND),
            (1, BEYOND),
            (BEYOND + ny, BEYOND + ny - 1),
            (BEYOND + ny + 1, BEYOND + ny - 1),
        ] {
            speeds.copy_within(from * row..(from + 1) * row, to * row);
        }
        speeds
    });
    for (component, u) in u.iter_mut().enumerate() {
        let last = if component == 2 {
            BEYOND + nz
        } else {
            BEYOND + nz - 1
        };
        let north = (0..BEYOND).map(|z| (z, BEYOND, -1.0, &outward[0]));
        let south = (last + 1..BEYOND + nz + BEYOND).map(|z| (z, last, 1.0, &outward[1]));
        for (to, from, sign, outward) in north.chain(south) {
            u.copy_within(at(from), to * plane);
            if grid.sides[2] == Side::Open {
                for (y, (values, outward)) in u[at(to)]
                    .chunks_mut(row)
                    .zip(outward.chunks(row))
                    .enumerate()
                {
                    blow_in(values, outward, (sign, wind_at(winds, y)[component]));
                }
            }
        }
    }
}
