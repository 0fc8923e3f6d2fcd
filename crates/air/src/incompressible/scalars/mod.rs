//! Advection of heat, ash, steam and inks: one-dimensional sweeps of integer fluxes through faces.
//!
//! Invariant: a face adds to one cell exactly what it subtracts from the other, so that totals are
//! exact. The volume of the air in a cell starts at 1 and is advected like an amount (Easter 1993),
//! so that a constant concentration stays constant and the limiter sees no false slopes. Only rows
//! that contain amounts, or that amounts can reach, are processed; the fluxes in all others are 0.
//! A line of cells has as many sweeps along an axis as its own fastest face needs.

mod along;
mod awake;
mod march;
mod rows;
mod turns;

use crate::{AirGrid, Amounts, BEYOND, Field, Flows, Forces, Side};
use lavoxel_base::parallel::*;
use lavoxel_base::simd::Level;

use super::chunks::planes;
use super::pace::Pace;
use super::velocity::{Faces, Open};

use self::awake::Awake;
use self::turns::{Counts, Turn};

/// Largest number of fields that are advected: heat, ash, steam and all inks.
const MOST: usize = Field::CARRIED.len() + Field::INKS.len();

/// Inputs that all advection sweeps of a substep share.
#[derive(Clone, Copy)]
struct SweepInputs<'a> {
    grid: AirGrid,
    u: &'a Faces,
    open: &'a Open,
    /// Heat of the ambient air by height in cells, in units of 2⁻²⁰; empty: 0 at every height.
    background: &'a [u32],
    awake: &'a Awake,
    counts: &'a Counts,
}

/// Planes of equal z that one thread processes: amounts of every advected field, and volumes.
struct Planes<'a> {
    /// Index in the fields, halo included, of the first plane that the thread processes.
    first: usize,
    units: Vec<&'a mut [u32]>,
    volume: &'a mut [f32],
    /// Copies of the two planes before the thread's first plane and of the two planes after its
    /// last one, in the state before the sweep.
    halo: Halo,
}

/// Values of the cells next to a range of lines or planes, two lines or planes before and two after
/// the range: amounts of every field, and volumes.
#[derive(Clone, Default)]
struct Halo {
    units: Vec<[Vec<u32>; 4]>,
    volume: [Vec<f32>; 4],
}

/// Advects the amounts of all fields along all axes for `time` steps; adds the net outflow of each
/// field through open sides to `flows`.
pub(super) fn sweep(
    amounts: &mut Amounts,
    (u, open, pace): (&Faces, &Open, &Pace),
    volume: &mut [f32],
    forces: &Forces,
    (order, time, simd, flows): ([usize; 3], f32, Level, &mut Flows),
) {
    let grid = amounts.grid();
    let (awake, carried) = Awake::find(amounts, forces, (pace, time));
    if carried.is_empty() {
        return;
    }
    let counts = Counts::new(grid, pace, &awake, time);
    let flow = SweepInputs {
        grid,
        u,
        open,
        background: &forces.background,
        awake: &awake,
        counts: &counts,
    };
    let turns = counts.turns(order);
    // A sweep that is the first one of all lines starts from volume 1 without reading the buffer.
    if !turns[0].is_first {
        volume
            .par_chunks_mut(planes(grid) * grid.strides()[2])
            .for_each(|volume| volume.fill(1.0));
    }
    for turn in turns {
        let tasks = deal(amounts, &carried, volume, &flow, turn);
        let work = |mut planes: Planes<'_>| {
            let mut out = [0; MOST];
            match turn.axis {
                0 => simd.run(along::Along {
                    flow,
                    turn,
                    planes: &mut planes,
                    carried: &carried,
                    out: &mut out,
                }),
                _ => simd.run(march::March {
                    flow,
                    turn,
                    planes: &mut planes,
                    carried: &carried,
                    out: &mut out,
                }),
            }
            out
        };
        let add = |a: [i64; MOST], b: [i64; MOST]| std::array::from_fn(|k| a[k] + b[k]);
        let out = tasks.into_par_iter().map(work).reduce(|| [0; MOST], add);
        carried
            .iter()
            .zip(out)
            .for_each(|(&field, out)| flows.out[field as usize] += out);
    }
}

/// Divides the planes of all fields into one task for each thread.
fn deal<'a>(
    amounts: &'a mut Amounts,
    carried: &[Field],
    volume: &'a mut [f32],
    flow: &SweepInputs<'_>,
    turn: Turn,
) -> Vec<Planes<'a>> {
    let (grid, count) = (flow.grid, planes(flow.grid));
    let size = count * grid.strides()[2];
    let firsts = (0..grid.len().div_ceil(size)).map(|j| j * count);
    let halos: Vec<Halo> = match turn.axis {
        2 => firsts
            .map(|first| z_halo(amounts, carried, volume, flow, first..first + count))
            .collect(),
        _ => firsts.map(|_| Halo::default()).collect(),
    };
    let volumes = volume.chunks_mut(size).enumerate().zip(halos);
    let mut tasks: Vec<_> = volumes
        .map(|((j, volume), halo)| Planes {
            first: j * count,
            units: Vec::new(),
            volume,
            halo,
        })
        .collect();
    for (k, units) in amounts.fields_mut().iter_mut().enumerate() {
        if carried.iter().any(|&field| field as usize == k) {
            tasks
                .iter_mut()
                .zip(units.chunks_mut(size))
                .for_each(|(task, units)| task.units.push(units));
        }
    }
    tasks
}

/// Returns copies of the two planes before and the two planes after the planes in `range`.
fn z_halo(
    amounts: &Amounts,
    carried: &[Field],
    volume: &[f32],
    flow: &SweepInputs<'_>,
    range: std::ops::Range<usize>,
) -> Halo {
    let (grid, nz) = (flow.grid, flow.grid.cells.nz as isize);
    let plane = grid.strides()[2];
    let first = range.start.max(BEYOND) as isize - BEYOND as isize;
    let end = (range.end as isize - BEYOND as isize).min(nz);
    let mut halo = Halo {
        units: vec![Default::default(); carried.len()],
        volume: Default::default(),
    };
    // Copied before the sweep, since other threads overwrite these planes meanwhile.
    for (slot, z) in [first - 2, first - 1, end, end + 1].into_iter().enumerate() {
        let wraps = grid.sides[2] == Side::Wrap;
        let inside = if (0..nz).contains(&z) {
            Some(z)
        } else {
            wraps.then(|| z.rem_euclid(nz))
        };
        let at = |z: isize| (z as usize + BEYOND) * plane..(z as usize + BEYOND + 1) * plane;
        for (units, &field) in halo.units.iter_mut().zip(carried) {
            units[slot] = match inside {
                Some(z) => amounts.field(field)[at(z)].to_vec(),
                None => outside(flow, field),
            };
        }
        halo.volume[slot] = match inside {
            Some(z) => volume[at(z)].to_vec(),
            None => vec![1.0; plane],
        };
    }
    halo
}

/// Returns one plane of ambient air: amount of `field` in each cell, in units of 2⁻²⁰.
fn outside(flow: &SweepInputs<'_>, field: Field) -> Vec<u32> {
    let [_, row, plane] = flow.grid.strides();
    if field != Field::Heat || flow.background.is_empty() {
        return vec![0; plane];
    }
    let units = |index: usize| ambient(flow, field, (index / row).saturating_sub(BEYOND));
    (0..plane).map(units).collect()
}

/// Amount of `field` in a cell of ambient air at height `y` (in cells), in units of 2⁻²⁰.
fn ambient(flow: &SweepInputs<'_>, field: Field, y: usize) -> u32 {
    let y = y.min(flow.grid.cells.ny - 1);
    if field == Field::Heat {
        flow.background.get(y).copied().unwrap_or(0)
    } else {
        0
    }
}
