//! The two-dimensional original of the article's solver: the article's claims for its rules, in
//! figures.

use crate::air2d::{Demo, Original, mean_x, total};

#[test]
fn a_dense_cell_pushes_its_neighbours_away() {
    let mut air = Original::still(5, 1);
    air.density = vec![4.0, 4.0, 5.0, 4.0, 4.0];
    air.press(1.0);
    assert_eq!(air.vx, [0.0, -1.0, 0.0, 1.0, 0.0], "figure 6");
}

#[test]
fn two_takers_of_the_same_cell_share_it() {
    let mut air = Original::still(6, 6);
    let cell = air.at(2, 2);
    (air.vx[cell - 1], air.vx[cell + 1]) = (-0.8, 0.8);
    let mut field = vec![0.0; 36];
    field[cell] = 1.0;
    let moved = air.reverse(&field, 1.0, true);
    assert_eq!(
        [moved[cell - 1], moved[cell], moved[cell + 1]],
        [0.5, 0.0, 0.5]
    );
    // Without the account the same cell becomes negative.
    let taken = air.reverse(&field, 1.0, false);
    assert!((taken[cell] + 0.6).abs() < 1e-6);
}

/// Moves a single cell and its ink by 60 steps; returns momentum and its mean place, ink and its
/// mean place.
fn lone_cell(accounted: bool) -> [f64; 4] {
    let mut air = Original::still(64, 9);
    let cell = air.at(10, 4);
    (air.vx[cell], air.ink[cell]) = (0.5, 1.0);
    for _ in 0..60 {
        if accounted {
            air.ink = air.carry(&air.ink, 1.0);
            air.carry_velocity(1.0);
        } else {
            let (ink, vx) = (air.trace_back(&air.ink, 1.0), air.trace_back(&air.vx, 1.0));
            (air.ink, air.vx) = (ink, vx);
        }
    }
    [
        total(&air.vx),
        mean_x(&air.vx, 64),
        total(&air.ink),
        mean_x(&air.ink, 64),
    ]
}

#[test]
fn a_lone_moving_cell_moves_on() {
    let [momentum, place, ink, ink_place] = lone_cell(true);
    assert!(
        (momentum - 0.5).abs() < 1e-4 && (ink - 1.0).abs() < 1e-4,
        "momentum {momentum}, ink {ink}"
    );
    assert!(
        (place - 19.2).abs() < 0.1 && (ink_place - 19.0).abs() < 0.1,
        "at {place} and {ink_place}"
    );
    let [momentum, place, ..] = lone_cell(false);
    assert!(
        momentum < 0.05 * 0.5 && (place - 10.0).abs() < 0.1,
        "traced back: {momentum} at {place}"
    );
}

#[test]
fn forward_and_reverse_each_move_by_the_whole_step() {
    let mut air = Original::still(64, 16);
    air.vx.fill(0.3);
    for (x, y) in (10..18).flat_map(|x| (4..12).map(move |y| (x, y))) {
        let cell = air.at(x, y);
        air.ink[cell] = 1.0;
    }
    let before = mean_x(&air.ink, 64);
    (0..10).for_each(|_| air.ink = air.carry(&air.ink, 1.0));
    let moved = mean_x(&air.ink, 64) - before;
    assert!(
        (moved - 6.0).abs() < 1e-3,
        "{moved} cells, twice the 3.0 of the velocity"
    );
}

/// State of converging and diverging velocities in a few long waves.
fn compressible() -> Original {
    let mut air = Original::still(64, 64);
    let turn = [3.0989, 6.0046, 5.6962, 1.7137, 1.6737, 0.8697];
    for cell in 0..64 * 64 {
        let [x, y] = [cell % 64, cell / 64].map(|n| n as f32 * std::f32::consts::TAU / 64.0);
        let (a, b) = (
            (2.0 * x + turn[0]).sin() + 0.5 * (3.0 * y + turn[1]).sin(),
            (4.0 * x + 3.0 * y + turn[2]).cos(),
        );
        let (c, d) = (
            (2.0 * y + turn[3]).sin() + 0.5 * (x + turn[4]).sin(),
            (3.0 * x - 4.0 * y + turn[5]).cos(),
        );
        (air.vx[cell], air.vy[cell]) = (0.35 * (a + 0.3 * b), 0.35 * (c + 0.3 * d));
    }
    air
}

#[test]
fn ink_is_kept_where_the_field_is_compressible() {
    let air = compressible();
    let disc = |cell: usize| (cell as f32 % 64.0 - 26.0).hypot((cell / 64) as f32 - 36.0) < 12.0;
    let ink: Vec<f32> = (0..64 * 64)
        .map(|cell| if disc(cell) { 1.0 } else { 0.0 })
        .collect();
    let (start, mut accounted, mut traced) = (total(&ink), ink.clone(), ink);
    for _ in 0..100 {
        accounted = air.carry(&accounted, 1.0);
        traced = air.trace_back(&traced, 1.0);
    }
    let (accounted_share, traced_share) = (total(&accounted) / start, total(&traced) / start);
    assert!(
        (accounted_share - 1.0).abs() < 1e-5,
        "accounted: {accounted_share}"
    );
    assert!(accounted.iter().all(|&v| v > -1e-6), "an amount is below 0");
    assert!(traced_share < 0.1, "traced back: {traced_share}");
}

/// Runs the demo with a source; returns ink over ink put in, the spread of the density, its
/// shortest waves, and the ink's height.
fn demo(demo: &Demo) -> [f64; 5] {
    let (mut air, mut put) = (Original::still(100, 100), 0.0);
    for step in 0..1500 {
        if step < 1000 {
            for x in 48..53 {
                let cell = air.at(x, 3);
                air.ink[cell] += 0.02;
                air.heat[cell] += 0.2;
                air.vy[cell] += 0.0006;
                put += f64::from(0.02_f32);
            }
        }
        air.step(demo);
    }
    let inner = (1..99).flat_map(|y| (1..99).map(move |x| y * 100 + x));
    let wave = |cell: usize| {
        let density = |cell: usize| f64::from(air.density[cell]);
        let around =
            density(cell - 1) + density(cell + 1) + density(cell - 100) + density(cell + 100);
        (density(cell) - 0.25 * around).powi(2)
    };
    let ripple = (inner.map(wave).sum::<f64>() / (98.0 * 98.0)).sqrt();
    let least = air.density.iter().copied().fold(f32::MAX, f32::min);
    let most = air.density.iter().copied().fold(0.0, f32::max);
    let height = (0..10_000)
        .map(|cell| f64::from(air.ink[cell]) * (cell / 100) as f64)
        .sum::<f64>()
        / total(&air.ink);
    [
        total(&air.ink) / put,
        least.into(),
        most.into(),
        ripple,
        height,
    ]
}

#[test]
#[ignore = "twenty seconds of steps; .ci/full: cargo test --test models -- --ignored one_pass_of_diffusion_takes_the_ripples_out"]
fn one_pass_of_diffusion_takes_the_ripples_out() {
    let [ink, least, most, smooth, height] = demo(&Demo::default());
    assert!((ink - 1.0).abs() < 1e-4, "ink {ink} of what was put in");
    assert!(least > 0.9 && most < 1.1, "density {least} to {most}");
    assert!(height > 20.0, "the smoke rises: {height}");
    let [ink, least, most, rippled, _] = demo(&Demo {
        diffuse_velocity: 0.0,
        diffuse_density: 0.0,
        ..Demo::default()
    });
    assert!(
        (ink - 1.0).abs() < 1e-4 && least > 0.85 && most < 1.25,
        "ink {ink}, density {least} to {most}"
    );
    assert!(
        rippled > 4.0 * smooth,
        "figure 7: {rippled} without, {smooth} with the pass"
    );
}

#[test]
fn friction_slows_and_never_turns() {
    let mut air = Original::still(8, 8);
    let cell = air.at(4, 4);
    (air.vx[cell], air.vy[cell]) = (0.03, 0.04);
    let demo = Demo {
        friction: [0.0, 0.0, 100.0],
        pressure: 0.0,
        diffuse_velocity: 0.0,
        ..Demo::default()
    };
    air.step(&demo);
    assert!(
        air.vx.iter().chain(&air.vy).all(|&v| v == 0.0),
        "a constant deceleration stops all"
    );
}
