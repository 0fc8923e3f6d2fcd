//! Tests of single passes against the article's example, and against its rules in floats.

use super::plain::StepInputs;
use super::*;
use crate::UNIT;
use lavoxel_base::grid::Grid;

#[path = "../../../../tests/common/air2d.rs"]
#[allow(
    dead_code,
    reason = "the original knows more than is held against it here"
)]
mod air2d;

use air2d::{Original, total};

fn walls(nx: usize, ny: usize, nz: usize) -> AirGrid {
    AirGrid::new(Grid::new(nx, ny, nz), [Side::Wall; 3])
}

fn all_columns(grid: AirGrid) -> Vec<(usize, usize)> {
    (0..grid.cells.columns())
        .map(|column| (column % grid.cells.nx, column / grid.cells.nx))
        .collect()
}

fn solver(grid: AirGrid, params: &PracticalFluidParams) -> PracticalFluid {
    let mut article = PracticalFluid::new(grid, params.clone(), Level::fastest());
    article.set_ground(&Openness::free(grid), &all_columns(grid));
    article
}

#[test]
fn two_takers_of_the_same_cell_share_it() {
    for (still_asks, expected) in [(false, [0.5, 0.0, 0.5]), (true, [0.3077, 0.3846, 0.3077])] {
        let grid = walls(16, 16, 16);
        let params = PracticalFluidParams {
            still_asks,
            ..PracticalFluidParams::default()
        };
        let (openness, rates) = (
            Openness::free(grid),
            Rates::new(&params, &Forces::default()),
        );
        let mut velocity = Velocity::zero(grid);
        let speed = (1.6 * f64::from(UNIT)) as i32;
        velocity.set([7, 8, 8], [-speed, 0, 0]);
        velocity.set([9, 8, 8], [speed, 0, 0]);
        let mut ash = vec![0; grid.len()];
        ash[grid.at([8, 8, 8])] = UNIT;
        let air = StepInputs::new(&openness, &rates);
        let asks: Vec<_> = air
            .inside
            .iter()
            .map(|&at| (at, air.weights(&velocity, at, false)))
            .collect();
        let out = air.ask(&mut ash, Field::Ash, (&asks, &air.factors(&asks)));
        let shares = [7, 8, 9].map(|x| f64::from(ash[grid.at([x, 8, 8])]) / f64::from(UNIT));
        for (share, expected) in shares.into_iter().zip(expected) {
            assert!(
                (share - expected).abs() < 1e-3,
                "{shares:?}, still cells ask: {still_asks}"
            );
        }
        assert_eq!((out, ash.iter().sum::<u32>()), (0, UNIT));
    }
}

/// Velocity by position (x, z) of a swirl in `n` × `n` cells that comes to rest at the walls, in
/// units of 2⁻²⁰ cells per step.
fn swirl(n: usize) -> impl Fn(usize, usize) -> [i32; 3] {
    move |x, y| {
        let [x, y] = [x, y].map(|place| std::f64::consts::PI * (place as f64 + 0.5) / n as f64);
        let scale = 0.9 * (x.sin() * y.sin()).powi(2) * f64::from(UNIT);
        [
            (scale * (3.0 * x + 2.0 * y).sin()) as i32,
            (scale * (2.0 * x - 3.0 * y).cos()) as i32,
            0,
        ]
    }
}

#[test]
fn one_cell_thick_the_passes_are_those_of_the_original_with_half_moves() {
    const N: usize = 48;
    let (grid, params) = (walls(N, N, 1), PracticalFluidParams::default());
    let (mut article, mut original) = (solver(grid, &params), Original::still(N, N));
    let (mut amounts, rates) = (
        Amounts::none(grid, true),
        Rates::new(&params, &Forces::default()),
    );
    for place @ [x, y, _] in grid.cells.places() {
        let v = swirl(N)(x, y);
        article.velocity.set(place, v);
        let cell = original.at(x, y);
        original.vx[cell] = v[0] as f32 / UNIT as f32;
        original.vy[cell] = v[1] as f32 / UNIT as f32;
        if (x as f64 - 24.0).hypot(y as f64 - 24.0) < 9.0 {
            original.ink[cell] = 1.0;
            amounts.field_mut(Field::Ash)[grid.at(place)] = UNIT;
        }
    }
    let start = amounts.total(Field::Ash);
    for step in 1..=100 {
        // The 3D rules move by half a step in each pass, so the original is run with 0.5.
        article.carry(&mut amounts, &rates);
        original.ink = original.carry(&original.ink, 0.5);
        if step == 10 || step == 100 {
            let most = original.ink.iter().copied().fold(0.0, f32::max);
            let off = |place: Place| {
                let ash = amounts.get(Field::Ash, place) as f32 / UNIT as f32;
                (ash - original.ink[original.at(place[0], place[1])]).abs()
            };
            let worst = grid.cells.places().map(off).fold(0.0, f32::max) / most;
            assert!(
                worst < 2e-3,
                "{worst} of the largest ink after {step} steps"
            );
        }
    }
    assert_eq!(
        amounts.total(Field::Ash),
        start,
        "the original keeps {}",
        total(&original.ink)
    );
}

#[test]
fn ash_is_exact_on_a_fixed_field_that_runs_together() {
    let (grid, params) = (
        AirGrid::new(Grid::new(24, 20, 24), [Side::Wrap, Side::Wall, Side::Wrap]),
        PracticalFluidParams::default(),
    );
    let (mut article, rates) = (
        solver(grid, &params),
        Rates::new(&params, &Forces::default()),
    );
    let mut amounts = Amounts::none(grid, true);
    let wave = |n: usize, of: usize, turn: f64| {
        (std::f64::consts::TAU * n as f64 / of as f64 + turn).sin()
    };
    for place @ [x, y, z] in grid.cells.places() {
        let v = [wave(x, 24, 1.0), wave(y, 20, 0.5) * 0.3, wave(z, 12, 2.0)];
        article
            .velocity
            .set(place, v.map(|v| (0.6 * f64::from(UNIT) * v) as i32));
        amounts.field_mut(Field::Ash)[grid.at(place)] = if x + y < 20 { UNIT } else { 0 };
    }
    let passes = Passes {
        grid,
        level: article.level,
        ground: &article.ground,
        rates: &rates,
    };
    passes.border_motion(&mut article.velocity.planes);
    let start = Field::ALL.map(|field| amounts.total(field));
    for _ in 0..100 {
        article.carry(&mut amounts, &rates);
        assert_eq!(Field::ALL.map(|field| amounts.total(field)), start);
    }
    let most = grid
        .cells
        .places()
        .map(|place| amounts.get(Field::Ash, place))
        .max()
        .unwrap_or(0);
    assert!(most > 4 * UNIT, "it ran together: {most}");
}
