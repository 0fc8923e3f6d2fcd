//! The promise of floating: pieces of still matter and of grains reach the depth given by
//! Archimedes' principle, and come to rest.

use crate::vessels::{amount, fill, floor, full, level, run, steps, water};
use lavoxel_automaton::engine::Engine;
use lavoxel_automaton::engine::plain::Plain;
use lavoxel_automaton::engine::tiled::Tiled;
use lavoxel_automaton::matter::{Kind, Material, Pressure};
use lavoxel_automaton::rules::RulesSpec;
use lavoxel_automaton::world::{Ground, Matter, World};
use lavoxel_base::grid::{Grid, Place};
use lavoxel_base::random::mix64;
use lavoxel_sim::simulation::Simulation;

fn matter(name: &str) -> Matter {
    Matter::Material {
        name: name.to_owned(),
        amount: 1.0,
    }
}

fn ice() -> Material {
    Material {
        floats: true,
        ..Material::ice()
    }
}

fn pumice() -> Material {
    Material {
        name: "pumice".to_owned(),
        density: 500.0,
        ..Material::sand()
    }
}

fn mercury() -> Material {
    Material {
        pressure: Pressure::Trace,
        ..Material::mercury()
    }
}

/// Basin with a floor of rock and `liquid` up to height `deep`.
fn basin(grid: Grid, deep: usize, liquid: &Material, others: &[Material]) -> World {
    let mut world = World::with_materials(
        Ground::none(grid),
        [std::slice::from_ref(liquid), others].concat(),
    );
    fill(&mut world, [0; 3], [grid.nx, 1, grid.nz], Matter::Rock);
    fill(
        &mut world,
        [0, 1, 0],
        [grid.nx, 1 + deep, grid.nz],
        matter(&liquid.name),
    );
    world
}

/// Runs until nothing moves for 50 steps; returns the number of steps.
fn settle(simulation: &mut Simulation, most: u64) -> u64 {
    let (mut last, mut since) = (simulation.world().state_hash(), simulation.steps());
    while simulation.steps() < since + 50 {
        assert!(
            simulation.steps() < most,
            "it does not come to rest in {most} steps"
        );
        steps(simulation, 1);
        let now = simulation.world().state_hash();
        if std::mem::replace(&mut last, now) != now {
            since = simulation.steps();
        }
    }
    since
}

/// Cells that hold a material.
fn cells(world: &World, name: &str) -> Vec<Place> {
    world
        .layer(name)
        .into_iter()
        .flat_map(|layer| layer.held())
        .map(|(place, _)| place)
        .collect()
}

/// Lowest and highest y of a material.
fn span(world: &World, name: &str) -> (usize, usize) {
    let ys = || cells(world, name).into_iter().map(|[_, y, _]| y);
    (
        ys().min().expect("some of it"),
        ys().max().expect("some of it"),
    )
}

/// Surface height of a liquid in the corner of the box.
fn surface(world: &World, name: &str) -> f64 {
    let layer = world.layer(name).expect("it is there");
    (0..world.grid().ny)
        .map(|y| f64::from(layer.at([0, y, 0]).amount) / 32768.0)
        .sum::<f64>()
        + 1.0
}

#[test]
fn a_floe_floats_as_deep_as_its_density() {
    for (density, thick, deep) in [(917.0, 10, 16), (500.0, 6, 10), (700.0, 1, 6)] {
        let material = Material { density, ..ice() };
        let mut world = basin(Grid::new(30, 36, 26), deep, &water(), &[material]);
        fill(
            &mut world,
            [9, deep + 3, 8],
            [19, deep + 3 + thick, 18],
            matter("ice"),
        );
        let mut simulation = run(world);
        let rest = settle(&mut simulation, 2000);
        let (low, high) = span(simulation.world(), "ice");
        let under = surface(simulation.world(), "water") - low as f64;
        println!("{density} kg/m³: at rest after {rest} steps, {under:.3} of {thick} under water");
        assert_eq!(high + 1 - low, thick, "it is one piece");
        assert!(
            (under - density / 1000.0 * thick as f64).abs() <= 0.75,
            "{under} of {thick} at {density}"
        );
        assert!(
            simulation
                .world()
                .layers()
                .iter()
                .all(|layer| layer.is_asleep()),
            "nothing is visited at rest"
        );
    }
}

#[test]
fn a_floe_sinks_in_a_lighter_liquid_and_rises_when_the_water_does() {
    let petrol = Material {
        name: "petrol".to_owned(),
        density: 750.0,
        ..water()
    };
    let mut world = basin(Grid::new(20, 24, 20), 12, &petrol, &[ice()]);
    fill(&mut world, [6, 15, 6], [12, 18, 12], matter("ice"));
    let mut simulation = run(world);
    settle(&mut simulation, 2000);
    assert_eq!(
        span(simulation.world(), "ice"),
        (1, 3),
        "it lies on the floor"
    );

    let mut world = basin(Grid::new(20, 30, 20), 6, &water(), &[ice()]);
    fill(&mut world, [6, 7, 6], [12, 10, 12], matter("ice"));
    let mut simulation = run(world);
    settle(&mut simulation, 2000);
    let before = span(simulation.world(), "ice").0;
    let shower = lavoxel_automaton::world::Edit {
        shape: lavoxel_automaton::world::Shape::Box {
            from: [0.0, 14.0, 0.0],
            to: [20.0, 19.0, 20.0],
        },
        matter: full(),
    };
    simulation
        .command(lavoxel_sim::simulation::Command::Put(shower))
        .expect("rain");
    settle(&mut simulation, 3000);
    let after = span(simulation.world(), "ice").0;
    assert!(
        (4..=6).contains(&(after - before)),
        "it was at {before} and is at {after}"
    );
}

#[test]
fn what_rock_carries_stays_and_what_nothing_carries_falls() {
    let mut world = floor(Grid::new(16, 20, 16), water());
    world = World::with_materials(
        world.ground().clone(),
        vec![
            water(),
            ice(),
            Material {
                name: "plate".to_owned(),
                floats: false,
                ..ice()
            },
        ],
    );
    fill(&mut world, [2, 1, 2], [3, 6, 3], Matter::Rock);
    fill(&mut world, [2, 6, 2], [8, 8, 8], matter("ice"));
    fill(&mut world, [10, 10, 10], [14, 12, 14], matter("ice"));
    fill(&mut world, [2, 15, 2], [12, 16, 12], matter("plate"));
    let before = [cells(&world, "ice"), cells(&world, "plate")];
    let mut simulation = run(world);
    steps(&mut simulation, 30);
    let after = [
        cells(simulation.world(), "ice"),
        cells(simulation.world(), "plate"),
    ];
    let low = |cells: &[Place], beyond: bool| {
        cells
            .iter()
            .filter(|p| (p[0] > 8) == beyond)
            .map(|p| p[1])
            .min()
    };
    assert_eq!(
        (low(&after[0], false), low(&after[0], true)),
        (low(&before[0], false), Some(1))
    );
    assert_eq!(before[1], after[1], "a plate stays where it is");
}

#[test]
fn sand_floats_on_mercury() {
    let grid = Grid::new(32, 28, 32);
    let mut world = basin(grid, 8, &mercury(), &[Material::sand()]);
    fill(&mut world, [12, 9, 12], [20, 17, 20], matter("sand"));
    let mut simulation = run(world);
    let rest = settle(&mut simulation, 4000);
    let grains = cells(simulation.world(), "sand");
    let stands = surface(simulation.world(), "mercury");
    let under: f64 = grains
        .iter()
        .map(|&[_, y, _]| (stands - y as f64).clamp(0.0, 1.0))
        .sum();
    let share = under / grains.len() as f64;
    println!(
        "at rest after {rest} steps; {share:.3} of {} grains under {stands:.3}, {:?}",
        grains.len(),
        span(simulation.world(), "sand")
    );
    // The immersed share is 2650 / 13,534 by weight; the tolerance is one cell, the size of a move.
    assert!((0.1..0.33).contains(&share), "{share}");
    assert!(
        span(simulation.world(), "sand").0 < 9,
        "it lies on the mercury"
    );
}

#[test]
fn pumice_rises_out_of_water_and_sand_sinks_in_it() {
    let mut world = basin(
        Grid::new(20, 24, 20),
        12,
        &water(),
        &[Material::sand(), pumice()],
    );
    fill(&mut world, [3, 1, 3], [6, 4, 6], Matter::Drain);
    fill(&mut world, [3, 1, 3], [6, 4, 6], matter("pumice"));
    fill(&mut world, [12, 1, 12], [13, 2, 13], Matter::Drain);
    fill(&mut world, [12, 1, 12], [13, 2, 13], matter("pumice"));
    fill(&mut world, [14, 15, 4], [16, 17, 6], matter("sand"));
    let mut simulation = run(world);
    let rest = settle(&mut simulation, 3000);
    let stands = surface(simulation.world(), "water");
    println!(
        "at rest after {rest} steps; pumice {:?}, sand {:?}, water {stands:.3}",
        span(simulation.world(), "pumice"),
        span(simulation.world(), "sand")
    );
    assert!(
        span(simulation.world(), "pumice").0 as f64 > stands - 3.0,
        "pumice floats"
    );
    assert!(
        span(simulation.world(), "pumice").1 as f64 >= stands - 1.0,
        "some of it is above the water"
    );
    assert!(span(simulation.world(), "sand").1 < 4, "sand sinks");
    assert!(amount(simulation.world(), [4, 1, 4]) > 0.99 && level(simulation.world(), 4, 4) > 0.0);
}

/// Random box of rocks, liquids and floating pieces.
fn random_basin(seed: u64) -> World {
    let mut dice = seed;
    let mut below = move |n: usize| {
        dice = mix64(dice.wrapping_add(0x9e37_79b9_7f4a_7c15));
        (dice >> 20) as usize % n
    };
    let grid = Grid::new(14 + below(9), 22, 13 + below(9));
    let liquid = [water(), mercury()][below(2)].clone();
    let petrol = Material {
        name: "petrol".to_owned(),
        density: 750.0,
        ..water()
    };
    let wood = Material {
        name: "wood".to_owned(),
        kind: Kind::Still,
        density: 600.0,
        ..ice()
    };
    let mut world = basin(
        grid,
        3 + below(5),
        &liquid,
        &[petrol, ice(), wood, pumice(), Material::sand()],
    );
    for name in [
        "petrol", "ice", "wood", "pumice", "sand", "rock", "ice", "petrol", "rock",
    ] {
        let size = [1 + below(6), 1 + below(4), 1 + below(6)];
        let from = [
            below(grid.nx - size[0]),
            1 + below(14),
            below(grid.nz - size[2]),
        ];
        let to = [0, 1, 2].map(|k| from[k] + size[k]);
        fill(
            &mut world,
            from,
            to,
            if name == "rock" {
                Matter::Rock
            } else {
                matter(name)
            },
        );
    }
    world.open_account();
    world
}

#[test]
fn random_pieces_come_to_rest_by_both_engines() {
    for seed in 0..2 {
        let engines: [Box<dyn Engine>; 2] = [Box::new(Tiled::default()), Box::new(Plain)];
        let [mut fast, mut plain] = engines.map(|engine| {
            Simulation::new(random_basin(seed), &RulesSpec::default(), &[], seed, engine)
        });
        for _ in 0..40 {
            steps(&mut fast, 1);
            plain.step();
            assert_eq!(
                fast.world().state_hash(),
                plain.world().state_hash(),
                "seed {seed}, step {}",
                fast.steps()
            );
        }
        let rest = settle(&mut fast, 6000);
        println!("seed {seed}: at rest after {rest} steps");
    }
}
