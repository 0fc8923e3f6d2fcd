//! The promise of levelling: a box one cell thick follows the rules as published, and the
//! parameters of a material decide how far it spreads.

use crate::vessels::{
    ORDERS, Published, amount, column, fill, floor, full, loose_water, run, steps,
};
use lavoxel_automaton::matter::Material;
use lavoxel_automaton::world::{Edit, Matter, Shape, World};
use lavoxel_base::grid::Grid;
use lavoxel_sim::simulation::Command;

/// Root mean square of differences.
fn rms(differences: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = differences.len() as f64;
    (differences.map(|d| d * d).sum::<f64>() / count).sqrt()
}

#[test]
fn a_thin_dam_follows_the_published_rules() {
    let mut world = floor(Grid::new(60, 20, 1), loose_water());
    fill(&mut world, [0, 1, 0], [12, 13, 1], full());
    let mut published = ORDERS.map(|order| Published::new(&world, order, false));
    let mut simulation = run(world);
    for step in 1..=800 {
        published.iter_mut().for_each(Published::step);
        steps(&mut simulation, 1);
        let ours: Vec<_> = (0..60).map(|x| column(simulation.world(), x, 0)).collect();
        let mean: Vec<_> = (0..60)
            .map(|x| published.iter().map(|p| p.column(x)).sum::<f64>() / 3.0)
            .collect();
        let difference = rms(ours.iter().zip(&mean).map(|(ours, mean)| ours - mean));
        let orders: Vec<_> = published
            .iter()
            .flat_map(|p| mean.iter().enumerate().map(|(x, mean)| p.column(x) - mean))
            .collect();
        if [10, 50, 100, 200, 400, 800].contains(&step) {
            println!(
                "step {step}: ours {difference:.3}, between orders {:.3}",
                rms(orders.into_iter())
            );
        }
        // In the first steps the order of the cells decides if whole cells fall and spread in one
        // step or in several, so the bound is wider.
        let most = match step {
            0..10 => 0.65,
            10..200 => 0.5,
            _ => 0.2,
        };
        assert!(
            difference <= most,
            "step {step}: the columns differ by {difference:.3} cells"
        );
    }
}

/// Root mean square difference, in cells, of wet columns from the mean of their four neighbours;
/// only columns farther than `clear` cells from the middle of the box and with wet neighbours
/// count.
fn roughness(world: &World, clear: f64) -> f64 {
    let grid = world.grid();
    let middle = [grid.nx, grid.nz].map(|n| (n as f64 - 1.0) / 2.0);
    let columns = (1..grid.nz - 1).flat_map(|z| (1..grid.nx - 1).map(move |x| (x, z)));
    let far = columns.filter(|&(x, z)| (x as f64 - middle[0]).hypot(z as f64 - middle[1]) > clear);
    let off = far.filter_map(|(x, z)| {
        let around =
            [(x - 1, z), (x + 1, z), (x, z - 1), (x, z + 1)].map(|(x, z)| column(world, x, z));
        let here = column(world, x, z);
        around
            .iter()
            .chain([&here])
            .all(|&depth| depth > 0.02)
            .then(|| here - around.iter().sum::<f64>() / 4.0)
    });
    let off: Vec<_> = off.collect();
    assert!(off.len() > 20, "there is a pool: {} columns", off.len());
    rms(off.into_iter())
}

#[test]
fn a_pour_leaves_no_checkerboard() {
    for fluidity in [1, 2, 3, 6] {
        let material = Material {
            fluidity,
            ..loose_water()
        };
        let mut simulation = run(floor(Grid::new(97, 12, 97), material));
        for step in 1..=500 {
            if step <= 300 {
                // Pours three cells per step.
                let shape = Shape::Box {
                    from: [47.0, 9.0, 47.0],
                    to: [50.0, 10.0, 50.0],
                };
                let matter = Matter::Material {
                    name: "water".to_owned(),
                    amount: 1.0 / 3.0,
                };
                simulation
                    .command(Command::Put(Edit { shape, matter }))
                    .expect("a pour");
            }
            simulation.step();
            if step >= 100 && step % 50 == 0 {
                let rough = roughness(simulation.world(), 4.0);
                println!("fluidity {fluidity}, step {step}: roughness {rough:.4}");
                assert!(
                    rough <= 0.1,
                    "fluidity {fluidity}, step {step}: roughness {rough:.3}"
                );
            }
        }
        simulation.world().check().expect("the account is exact");
    }
}

#[test]
fn a_checkerboard_goes_and_the_liquid_comes_to_rest() {
    for (low, high) in [(0.1, 0.9), (0.0, 0.5), (0.5, 1.0)] {
        let mut world = floor(Grid::new(16, 4, 16), loose_water());
        for (x, z) in (0..16).flat_map(|z| (0..16).map(move |x| (x, z))) {
            let amount = if (x + z) % 2 == 0 { low } else { high };
            let matter = Matter::Material {
                name: "water".to_owned(),
                amount,
            };
            fill(&mut world, [x, 1, z], [x + 1, 2, z + 1], matter);
        }
        let mut simulation = run(world);
        let mut before = f64::INFINITY;
        for step in 1..=12 {
            steps(&mut simulation, 1);
            let rough = roughness(simulation.world(), 0.0);
            assert!(
                rough < before,
                "{low} and {high}, step {step}: roughness {rough} after {before}"
            );
            before = rough;
        }
        assert!(before < 0.01, "{low} and {high}: roughness {before}");
        while !simulation.world().layers()[1].is_asleep() && simulation.steps() < 3000 {
            simulation.step();
        }
        println!("{low} and {high}: rests after {} steps", simulation.steps());
        assert!(
            simulation.world().layers()[1].is_asleep(),
            "{low} and {high}: still moves"
        );
    }
}

#[test]
fn the_numbers_of_a_material_decide_how_far_it_runs() {
    // Columns: viscosity, stickiness, fluidity; rms radius, and reach along x.
    for ((viscosity, stickiness, fluidity), radius, reach) in [
        ((0.7, 0.0, 1), 26.2, 32),
        ((0.7, 0.5, 1), 6.4, 9),
        ((1.0, 0.1, 3), 10.5, 15),
        ((1.0, 0.5, 3), 4.07, 6),
        ((1.0, 0.8, 3), 2.45, 4),
    ] {
        let material = Material {
            viscosity,
            stickiness,
            fluidity,
            ..loose_water()
        };
        let mut simulation = run(floor(Grid::new(65, 32, 65), material));
        for _ in 0..600 {
            // Water goes to the lowest cell that is not full.
            let y = (1..32)
                .find(|&y| amount(simulation.world(), [32, y, 32]) < 1.0)
                .expect("there is room");
            let (from, to) = ([32.0, y as f64, 32.0], [33.0, 1.0 + y as f64, 33.0]);
            let edit = Edit {
                shape: Shape::Box { from, to },
                matter: full(),
            };
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
        let far = (32..65)
            .rfind(|&x| amount(world, [x, 1, 32]) > 0.02)
            .map_or(0, |x| x - 32);
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
        assert!(
            shift.iter().all(|s| (s / mass).abs() < 1e-4),
            "{viscosity}/{stickiness}/{fluidity}: {shift:?}"
        );
    }
}
