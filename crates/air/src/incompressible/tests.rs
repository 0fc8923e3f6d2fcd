//! Tests of the solver's parts; `crates/sim/tests/models/air_incompressible.rs` tests the solver as
//! a whole.

use super::pressure::Multigrid;
use super::*;
use crate::{Field, UNIT};
use lavoxel_base::grid::Grid;
use lavoxel_base::random::mix64;

fn noise(n: usize) -> f32 {
    (mix64(n as u64) >> 40) as f32 / (1 << 24) as f32
}

/// Solver with random velocities of up to `speed` cells per step on its open faces.
fn stirred(grid: AirGrid, openness: &Openness, speed: f32) -> Incompressible {
    let mut air = Incompressible::new(grid, IncompressibleParams::default(), Level::fastest());
    let columns: Vec<_> = (0..grid.cells.nz)
        .flat_map(|z| (0..grid.cells.nx).map(move |x| (x, z)))
        .collect();
    air.set_ground(openness, &columns);
    for axis in AXES {
        for at in 0..grid.len() {
            let value = speed * (2.0 * noise(3 * at + axis) - 1.0);
            air.u[axis][at] = if air.open.faces[axis][at] > 0.0 {
                value
            } else {
                0.0
            };
        }
    }
    air.is_limited = false;
    air
}

/// Root mean square over all cells of the divergence of the air's velocity.
fn divergence(air: &mut Incompressible) -> f64 {
    project::divergence(air.grid, &air.u, &air.open, &mut air.pressure, air.simd);
    let cells = air.grid.cells;
    let pressure: &mut Multigrid = &mut air.pressure;
    let squares: f64 = cells
        .places()
        .map(|place| f64::from(pressure.right_side_at(place)).powi(2))
        .sum();
    (squares / cells.cells() as f64).sqrt()
}

/// Residual of the divergence after each multigrid cycle, as a share of that before the cycle.
fn gains(air: &mut Incompressible, cycles: usize) -> Vec<f64> {
    let mut all = Vec::new();
    let mut last = divergence(air);
    for _ in 0..cycles {
        air.pressure
            .pressure_mut()
            .iter_mut()
            .for_each(|p| p.fill(0.0));
        project::project(
            air.grid,
            &mut air.u,
            (&air.open, &mut air.pace),
            &mut air.pressure,
            (1, air.simd),
        );
        let now = divergence(air);
        all.push(now / last);
        last = now;
    }
    all
}

fn cube(n: usize, side: Side) -> AirGrid {
    AirGrid::new(Grid::new(n, n, n), [side; 3])
}

#[test]
fn a_cycle_takes_most_of_the_divergence_out() {
    let n = 64;
    let grid = cube(n, Side::Open);
    let free = Openness::free(grid);
    let mut hill = free.clone();
    let mut torn = free.clone();
    for place @ [x, y, z] in grid.cells.places() {
        let r = (x as f64 - 31.5).hypot(z as f64 - 31.5) / 32.0;
        let top = 64.0 * 0.35 * (1.0 - r) - if r < 0.15 { 64.0 * 0.12 } else { 0.0 };
        hill.set_solid(place, (y as f64) < top);
        for axis in AXES {
            let share = noise(7 + 3 * grid.cells.index(place) + axis);
            if y < n / 2 {
                torn.set_face(
                    axis,
                    place,
                    if share < 0.15 {
                        0
                    } else {
                        (share * f32::from(OPEN)) as u16
                    },
                );
            }
        }
    }
    for (name, openness, most) in [
        ("empty", free, 0.15),
        ("hill", hill, 0.45),
        ("partly open", torn, 0.4),
    ] {
        let gains = gains(&mut stirred(grid, &openness, 0.5), 5);
        assert!(gains.iter().all(|&gain| gain < most), "{name}: {gains:?}");
    }
}

#[test]
fn sides_and_sizes_of_all_kinds_lose_their_divergence() {
    let shapes = [
        [40, 24, 56],
        [16, 16, 1],
        [1, 40, 33],
        [7, 1, 5],
        [1, 1, 1],
        [13, 30, 27],
        [64, 8, 16],
        [2, 3, 130],
    ];
    let kinds = [Side::Wall, Side::Open, Side::Wrap];
    for (i, [nx, ny, nz]) in shapes.into_iter().enumerate() {
        for sides in [
            [0, 0, 0],
            [1, 1, 1],
            [2, 1, 2],
            [2, 0, 2],
            [1, 0, 2],
            [0, 1, 1],
        ] {
            let grid = AirGrid::new(Grid::new(nx, ny, nz), sides.map(|k| kinds[k]));
            let mut openness = Openness::free(grid);
            for place @ [_, y, _] in grid.cells.places() {
                openness.set_solid(
                    place,
                    noise(i + 77 * grid.cells.index(place)) < 0.2 && 3 * y < ny,
                );
            }
            let mut air = stirred(grid, &openness, 0.5);
            let before = divergence(&mut air);
            let gains = gains(&mut air, 6);
            let after = divergence(&mut air);
            assert!(
                after <= 2e-2 * before + 1e-6,
                "{nx} × {ny} × {nz}, {sides:?}: {before} to {after}, {gains:?}"
            );
        }
    }
}

/// Checks that a wind of several cells per step carries a gust of another direction by several
/// cells in one sweep, but not through rock.
#[test]
fn a_gust_moves_by_whole_cells_and_not_through_rock() {
    for (axis, sides) in AXES
        .into_iter()
        .flat_map(|axis| [(axis, Side::Open), (axis, Side::Wrap)])
    {
        for (speed, moved) in [(0.5, 0.5), (1.0, 1.0), (2.5, 2.5), (-3.0, -3.0)] {
            for has_wall in [false, true] {
                let grid = cube(24, sides);
                let across = (axis + 1) % 3;
                let mut openness = Openness::free(grid);
                let wall = if speed > 0.0 { 12 } else { 10 };
                for place in grid
                    .cells
                    .places()
                    .filter(|place| has_wall && place[axis] == wall)
                {
                    openness.set_solid(place, true);
                }
                let mut air = stirred(grid, &openness, 0.0);
                let open = &air.open.faces[axis];
                air.u[axis]
                    .iter_mut()
                    .zip(open)
                    .for_each(|(u, &open)| *u = if open > 0.0 { speed } else { 0.0 });
                for place in grid.cells.places().filter(|place| place[axis] == 11) {
                    air.u[across][grid.at(place)] = 0.25;
                }
                air.fastest[axis] = speed.abs();
                let still = vec![[0.0; 3]; 24];
                air.carry(&still, 1.0);
                let of = |n: usize| {
                    let mut place = [12; 3];
                    place[axis] = n;
                    f64::from(air.u[across][grid.at(place)])
                };
                // The centroid gives the distance, and the sum shows that nothing was lost.
                let sum: f64 = (0..24).map(of).sum();
                let moment: f64 = (0..24).map(|n| of(n) * n as f64).sum();
                if has_wall {
                    let beyond: f64 = (0..24)
                        .filter(|&n| (n > 11) == (speed > 0.0) && n != 11)
                        .map(of)
                        .sum();
                    assert!(
                        beyond.abs() < 1e-6,
                        "axis {axis}, {sides:?}, {speed}: {beyond} behind the wall"
                    );
                } else {
                    let middle = moment / sum - 11.0;
                    assert!(
                        (middle - moved).abs() < 0.05,
                        "axis {axis}, {sides:?}, {speed}: moved by {middle}"
                    );
                    assert!(
                        (sum - 0.25).abs() < 0.02,
                        "axis {axis}, {sides:?}, {speed}: {sum} of 0.25"
                    );
                }
            }
        }
    }
}

/// Checks the incremental record of the fastest faces against a full search.
#[test]
fn the_fastest_faces_are_known_after_pushes_and_changes_of_the_ground() {
    let grid = AirGrid::new(Grid::new(13, 9, 11), [Side::Wrap, Side::Open, Side::Open]);
    let mut openness = Openness::free(grid);
    let mut air = stirred(grid, &openness, 0.5);
    let mut amounts = Amounts::none(grid, false);
    for round in 0..40 {
        let number = |k: usize, of: usize| mix64((round * 64 + k) as u64) as usize % of;
        let place = [number(0, 13), number(1, 9), number(2, 11)];
        air.push(
            place,
            [noise(round) - 0.5, 9.0 * noise(round + 7), f32::NAN],
        );
        if round % 3 == 0 {
            openness.set_solid(place, round % 2 == 0);
            air.set_ground(&openness, &[(place[0], place[2])]);
        }
        let (mut pace, mut u) = (Pace::still(grid), air.u.clone());
        project::limit(grid, &mut u, &mut pace, air.simd);
        assert_eq!(
            air.is_limited.then(|| air.pace.fastest()),
            air.is_limited.then(|| pace.fastest()),
            "round {round}"
        );
        assert_eq!(
            air.is_limited.then_some(&air.u),
            air.is_limited.then_some(&u),
            "round {round}"
        );
        air.step(&mut amounts, &openness, &Forces::default());
    }
}

#[test]
fn ground_that_changes_is_as_if_it_were_new() {
    let grid = AirGrid::new(Grid::new(24, 17, 21), [Side::Wrap, Side::Open, Side::Open]);
    let mut openness = Openness::free(grid);
    let mut air = Incompressible::new(grid, IncompressibleParams::default(), Level::fastest());
    for round in 0..20 {
        let mut columns = Vec::new();
        for k in 0..9 {
            let at = |n: usize, of: usize| (mix64((round * 31 + k * 7 + n) as u64) as usize) % of;
            let place = [at(1, 24), at(2, 17), at(3, 21)];
            openness.set_solid(place, at(4, 3) > 0);
            openness.set_face(at(5, 3), place, at(6, 32769) as u16);
            columns.push((place[0], place[2]));
            // A face belongs to the column before as well.
            columns.push((place[0], place[2]));
        }
        air.set_ground(&openness, &columns);
        let fresh = stirred(grid, &openness, 0.0);
        assert_eq!(air.open.faces, fresh.open.faces);
        assert!(air.pressure.is_like(&fresh.pressure), "round {round}");
    }
}

#[test]
fn nothing_that_a_file_may_hold_breaks_it() {
    let grid = cube(6, Side::Open);
    let mut air = stirred(grid, &Openness::free(grid), 0.4);
    let good = air.planes();
    let bad = |change: &dyn Fn(&mut Vec<Vec<u32>>)| {
        let mut planes = good.clone();
        change(&mut planes);
        planes
    };
    for planes in [
        bad(&|planes| planes.truncate(4)),
        bad(&|planes| planes[1].truncate(3)),
        bad(&|planes| planes[0][5] = f32::NAN.to_bits()),
        bad(&|planes| planes[3][5] = f32::INFINITY.to_bits()),
        bad(&|planes| planes[2][5] = 1e30f32.to_bits()),
        bad(&|planes| planes[4] = vec![2, 0]),
        bad(&|planes| planes[4] = vec![1]),
        Vec::new(),
    ] {
        assert!(air.restore(&planes).is_err());
        assert_eq!(air.planes(), good, "nothing is changed by what is refused");
    }
    assert_eq!(air.restore(&good), Ok(()));
    let mut amounts = Amounts::none(grid, false);
    amounts.field_mut(Field::Ash)[grid.at([1, 2, 3])] = UNIT;
    // Speeds below the bound of a saved state are accepted, so the first step must clamp them.
    let mut wild = bad(&|planes| planes[0].fill(9e5f32.to_bits()));
    wild[1].fill((-9e5f32).to_bits());
    assert_eq!(air.restore(&wild), Ok(()));
    for _ in 0..50 {
        air.step(&mut amounts, &Openness::free(grid), &Forces::default());
        assert!(
            air.u
                .iter()
                .flatten()
                .all(|u| u.is_finite() && u.abs() <= FASTEST)
        );
    }
}
