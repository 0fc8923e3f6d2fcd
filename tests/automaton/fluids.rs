//! The promise of levelling: a box one cell thick follows the rules as they were published, and the numbers of a material decide how
//! far it runs.

use crate::vessels::{ORDERS, Published, amount, column, fill, floor, full, loose_water, run, steps};
use lavoxel::grid::Grid;
use lavoxel::matter::Material;
use lavoxel::simulation::Command;
use lavoxel::world::{Edit, Shape};

/// Root of the mean square of differences.
fn rms(differences: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = differences.len() as f64;
    (differences.map(|d| d * d).sum::<f64>() / count).sqrt()
}

#[test]
fn a_thin_dam_follows_the_published_rules() {
    let mut world = floor(Grid::new(60, 20, 1), loose_water());
    fill(&mut world, [0, 1, 0], [12, 13, 1], full());
    let mut published = ORDERS.map(|order| Published::of(&world, order, false));
    let mut simulation = run(world);
    for step in 1..=800 {
        published.iter_mut().for_each(Published::step);
        steps(&mut simulation, 1);
        let ours: Vec<_> = (0..60).map(|x| column(simulation.world(), x, 0)).collect();
        let mean: Vec<_> = (0..60).map(|x| published.iter().map(|p| p.column(x)).sum::<f64>() / 3.0).collect();
        let difference = rms(ours.iter().zip(&mean).map(|(ours, mean)| ours - mean));
        let orders: Vec<_> =
            published.iter().flat_map(|p| mean.iter().enumerate().map(|(x, mean)| p.column(x) - mean)).collect();
        if [10, 50, 100, 200, 400, 800].contains(&step) {
            println!("step {step}: ours {difference:.3}, between orders {:.3}", rms(orders.into_iter()));
        }
        // In the first steps the orders let whole cells fall and run in one step or in several.
        let most = match step {
            0..10 => 0.65,
            10..200 => 0.5,
            _ => 0.2,
        };
        assert!(difference <= most, "step {step}: the columns differ by {difference:.3} cells");
    }
}

#[test]
fn the_numbers_of_a_material_decide_how_far_it_runs() {
    // Viscosity, stickiness, fluidity; rms radius, and reach along x.
    for ((viscosity, stickiness, fluidity), radius, reach) in [
        ((0.7, 0.0, 1), 26.2, 32),
        ((0.7, 0.5, 1), 7.4, 10),
        ((1.0, 0.1, 3), 11.6, 18),
        ((1.0, 0.5, 3), 4.4, 7),
        ((1.0, 0.8, 3), 2.6, 4),
    ] {
        let material = Material { viscosity, stickiness, fluidity, ..loose_water() };
        let mut simulation = run(floor(Grid::new(65, 32, 65), material));
        for _ in 0..600 {
            // The lowest cell that is not full is filled up.
            let y = (1..32).find(|&y| amount(simulation.world(), [32, y, 32]) < 1.0).expect("there is room");
            let (from, to) = ([32.0, y as f64, 32.0], [33.0, 1.0 + y as f64, 33.0]);
            let edit = Edit { shape: Shape::Box { from, to }, matter: full() };
            simulation.command(Command::Put(edit)).expect("one cell");
            simulation.step();
        }
        while !simulation.world().layers()[1].is_asleep() && simulation.steps() < 4000 {
            simulation.step();
        }
        let world = simulation.world();
        world.check().expect("the account is exact");
        let columns = (0..65).flat_map(|z| (0..65).map(move |x| (x, z)));
        let (mut mass, mut square, mut shift) = (0.0, 0.0, [0.0; 2]);
        for (x, z) in columns {
            let (amount, dx, dz) = (column(world, x, z), x as f64 - 32.0, z as f64 - 32.0);
            mass += amount;
            square += amount * (dx * dx + dz * dz);
            shift = [shift[0] + amount * dx, shift[1] + amount * dz];
        }
        let ours = (square / mass).sqrt();
        let far = (32..65).rfind(|&x| amount(world, [x, 1, 32]) > 0.02).map_or(0, |x| x - 32);
        println!(
            "{viscosity}/{stickiness}/{fluidity}: {mass:.1} cells, radius {ours:.2}, reach {far}, shift {:.5?}, {} steps",
            shift.map(|s| s / mass),
            simulation.steps()
        );
        assert!(
            (ours / radius - 1.0).abs() <= 0.05,
            "{viscosity}/{stickiness}/{fluidity}: radius {ours:.2}, not {radius}"
        );
        assert_eq!(far, reach, "{viscosity}/{stickiness}/{fluidity}: reach");
        assert!(shift.iter().all(|s| (s / mass).abs() < 1e-4), "{viscosity}/{stickiness}/{fluidity}: {shift:?}");
    }
}
