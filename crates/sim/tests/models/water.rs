//! The promise of materials besides the lava: every unit is accounted for after every step, all
//! engines give the same bits, and water finds its level.

use crate::common;
use crate::common::{Dice, any_grid, any_rules, ball, cases, one_cell, plain, vents};
use lavoxel_automaton::engine::tiled::Tiled;
use lavoxel_automaton::engine::{Engine, Level};
use lavoxel_automaton::matter::{Air, Capacity, Kind, Material, Pressure, Reaction, Trace};
use lavoxel_automaton::rules::{Param, Roof, Rule, RulesSpec, Scale, Walls};
use lavoxel_automaton::world::{Edit, Ground, Matter, Shape, World};
use lavoxel_base::grid::Grid;
use lavoxel_base::random::Draw;
use lavoxel_base::units::AMOUNT_ONE;
use lavoxel_sim::simulation::{Command, Simulation};
use lavoxel_sim::source::VentSpec;
use ndarray::Array2;
use proptest::prelude::*;

fn some(name: &str, amount: f64) -> Matter {
    Matter::Material {
        name: name.to_owned(),
        amount,
    }
}

/// Strategy for a subset of ice, rubble on which lava floats, water, a light oil, and steam, with
/// any parameters.
fn any_materials() -> impl Strategy<Value = Vec<Material>> {
    let value = |param: &'static Param<Material>| {
        // Each pass costs the plain engine a full step, and slower liquids hardly move.
        let high = match (param.key, param.scale) {
            ("compress.passes", _) => 4.0,
            ("trace.every", _) => 3.0,
            // With a higher limit most of the liquid would soon dry up.
            ("dry_below", _) => 0.02,
            (_, Scale::Whole) => param.high.min(40.0),
            _ => param.high,
        };
        prop_oneof![
            Just(param.low),
            Just(high),
            Just(param.default()),
            param.low..=high
        ]
    };
    let material = move |(name, kind, density): (&'static str, Kind, f64)| {
        let values: Vec<_> = Material::params().map(value).collect();
        let pressure = prop::sample::select(vec![
            Pressure::None,
            Pressure::Compress,
            Pressure::Trace,
            Pressure::Trace,
        ]);
        (values, pressure, any::<[bool; 3]>()).prop_map(
            move |(values, pressure, [tame, rest, kept])| {
                let elements = Material::preset(name).unwrap_or_default().elements;
                let mut material = Material {
                    name: name.to_owned(),
                    kind,
                    density,
                    pressure,
                    elements,
                    ..Material::water()
                };
                for (param, value) in Material::params().zip(values) {
                    // Random values of all keys together would leave few bodies moving.
                    if !tame || !param.key.starts_with("trace.") {
                        (param.set)(&mut material, value);
                    }
                }
                material.trace.rest = rest;
                material.trace.air = if kept { Air::Kept } else { Air::Ignored };
                material
            },
        )
    };
    let all: Vec<_> = [
        ("oil", Kind::Liquid, 900.0),
        ("ice", Kind::Still, 917.0),
        ("water", Kind::Liquid, 1000.0),
        ("rubble", Kind::Liquid, 2700.0),
        ("steam", Kind::Gas, 0.6),
    ]
    .map(material)
    .into();
    (all, 1_usize..32, any::<bool>()).prop_map(|(all, chosen, sets)| {
        let chosen = all
            .into_iter()
            .enumerate()
            .filter(|(i, _)| chosen >> i & 1 == 1);
        chosen
            .map(|(_, material)| Material {
                sets: sets && material.name == "rubble",
                ..material
            })
            .collect()
    })
}

/// Random balanced reactions of these materials with each other and with lava.
fn some_reactions(materials: &[Material], dice: &mut Dice) -> Vec<Reaction> {
    let all = [
        "takes = { lava = 1, water = 1 }\nmakes = { rubble = 1, steam = 4 }\nwhere = 'across'\nrate = 0.25",
        "takes = { lava = 1, water = 1 }\nmakes = { rubble = 1, steam = 4 }\nwhere = 'cell'",
        "takes = { steam = 4 }\nmakes = { water = 1 }\nnear = { ice = 0.03 }\nrate = 0.05",
        "takes = { steam = 4 }\nmakes = { water = 1 }\nrate = 0.1\nchance = 0.03",
        "takes = { water = 1 }\nmakes = { steam = 4 }\nnear = { lava = 0.3 }\nrate = 0.2\nchance = 0.5",
        "takes = { ice = 1 }\nmakes = { water = 1 }\nnear = { lava = 0.1 }\nrate = 0.02",
        "takes = { rubble = 1 }\nmakes = { lava = 1 }\nnear = { lava = 0.9 }\nrate = 0.5\nenergy = 1.5",
        "takes = { oil = 1, steam = 1 }\nmakes = { steam = 1, oil = 1 }\nwhere = 'across'\nrate = 2.0",
    ];
    let parsed = all
        .iter()
        .map(|text| toml::from_str::<Reaction>(text).expect("a reaction"));
    let possible = parsed.filter(|reaction| reaction.validate("reaction", materials).is_ok());
    possible.filter(|_| dice.below(3) > 0).collect()
}

/// World of random rock, lava and other liquids.
fn random_mixture(grid: Grid, seed: u64, materials: Vec<Material>) -> World {
    let capacity = if seed.is_multiple_of(4) {
        Capacity::Own
    } else {
        Capacity::Shared
    };
    common::random_mixture(grid, seed, materials, capacity)
}

/// World of nested boxes of rock, holes, lava and liquids: ponds, pipes, closed arms and
/// waterfalls.
fn random_vessels(grid: Grid, seed: u64, materials: Vec<Material>) -> World {
    let mut dice = Dice(seed);
    let names: Vec<_> = materials
        .iter()
        .map(|material| material.name.clone())
        .collect();
    let mut world = World::with_materials(Ground::none(grid), materials);
    for _ in 0..8 + dice.below(16) {
        let mut side = |n: usize| {
            let from = dice.below(n as u64);
            (from as f64, (from + 1 + dice.below(n as u64 - from)) as f64)
        };
        let [(x, to_x), (y, to_y), (z, to_z)] = [side(grid.nx), side(grid.ny), side(grid.nz)];
        let matter = match dice.below(10) {
            0..3 => Matter::Rock,
            3..5 => Matter::Nothing,
            5 => Matter::Lava {
                amount: 1.0,
                energy: 0.4,
                temperature_k: None,
            },
            kind => {
                let amount = if kind == 6 {
                    dice.below(1001) as f64 / 1000.0
                } else {
                    1.0
                };
                some(&names[dice.below(names.len() as u64) as usize], amount)
            }
        };
        world.edit(&Edit {
            shape: Shape::Box {
                from: [x, y, z],
                to: [to_x, to_y, to_z],
            },
            matter,
        });
    }
    world.open_account();
    world
}

/// Vents, and a source of each material.
fn sources(world: &World) -> Vec<VentSpec> {
    let mut all = vents(world.grid());
    for (i, layer) in world
        .layers()
        .iter()
        .filter(|layer| !layer.carries_energy())
        .enumerate()
    {
        let mut spec = all[i % 2].clone();
        (spec.material, spec.x) = (Some(layer.material().name.clone()), spec.x * 0.7);
        all.push(spec);
    }
    all
}

/// Command that puts rock, holes, lava or another liquid into a ball.
fn meddle(world: &World, dice: &mut Dice) -> Command {
    let grid = world.grid();
    let mut at = |n: usize| dice.below(n as u64 * 10) as f64 / 10.0;
    let [x, y, z] = [at(grid.nx), at(grid.ny), at(grid.nz)];
    let matter = match dice.below(6) {
        0 => Matter::Rock,
        1 => Matter::Nothing,
        2 => Matter::Drain,
        3 => Matter::Lava {
            amount: 1.0,
            energy: 1.0,
            temperature_k: None,
        },
        _ => {
            let layers: Vec<_> = world
                .layers()
                .iter()
                .filter(|layer| !layer.carries_energy())
                .collect();
            let name = &layers[dice.below(layers.len() as u64) as usize]
                .material()
                .name;
            some(name, dice.below(1001) as f64 / 1000.0)
        }
    };
    Command::Put(ball(x, y, z, matter))
}

fn assert_same(ours: &World, theirs: &World, step: u64) {
    for (ours, theirs) in ours.layers().iter().zip(theirs.layers()) {
        let name = &ours.material().name;
        for (i, (ours, theirs)) in ours.cells().zip(theirs.cells()).enumerate() {
            assert_eq!(ours, theirs, "{name} in cell {i} after step {step}");
        }
        assert_eq!(
            ours.ledger(),
            theirs.ledger(),
            "the account of {name} after step {step}"
        );
    }
    assert_eq!(
        ours.state_hash(),
        theirs.state_hash(),
        "the hash after step {step}"
    );
}

fn run_side_by_side(world: &World, rules: &RulesSpec, level: Level, seed: u64, steps: u64) {
    let engines: [Box<dyn Engine>; 2] = [Box::new(Tiled::on(level)), plain()];
    let mut dice = Dice(seed);
    let materials: Vec<_> = world
        .layers()
        .iter()
        .map(|layer| layer.material().clone())
        .collect();
    let reactions = some_reactions(&materials, &mut dice);
    let [mut ours, mut theirs] = engines.map(|engine| {
        Simulation::new(world.clone(), rules, &sources(world), seed, engine)
            .with_reactions(reactions.clone())
    });
    for step in 1..=steps {
        if dice.below(5) == 0 {
            let act = meddle(world, &mut dice);
            ours.command(act.clone()).expect("a small edit");
            theirs.command(act).expect("a small edit");
        }
        ours.step();
        theirs.step();
        ours.world()
            .check()
            .unwrap_or_else(|fault| panic!("step {step}: {fault}"));
        assert_same(ours.world(), theirs.world(), step);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(12), ..ProptestConfig::default() })]

    #[test]
    fn engines_agree_and_account_for_every_unit(
        grid in any_grid(), seed in any::<u64>(), rules in any_rules(), materials in any_materials(),
        level in prop::sample::select(Level::available()),
    ) {
        let world = random_mixture(grid, seed, materials);
        let roof = if seed % 3 == 0 { Roof::Open } else { Roof::Closed };
        let rules = RulesSpec { roof, ..rules };
        run_side_by_side(&world, &rules, level, seed >> 1, 24);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(12), ..ProptestConfig::default() })]

    #[test]
    fn engines_agree_on_vessels(
        grid in any_grid(), seed in any::<u64>(), rules in any_rules(), materials in any_materials(),
        level in prop::sample::select(Level::available()),
    ) {
        let world = random_vessels(grid, seed, materials);
        run_side_by_side(&world, &rules, level, seed >> 1, 40);
    }
}

#[test]
fn liquid_is_traced_to_the_same_bits_by_any_number_of_threads() {
    let trace = |air| Trace {
        air,
        ..Trace::default()
    };
    for (seed, air, walls) in [
        (3, Air::Ignored, Walls::Closed),
        (5, Air::Kept, Walls::Open),
        (8, Air::Kept, Walls::Closed),
    ] {
        let water = Material {
            pressure: Pressure::Trace,
            trace: trace(air),
            ..Material::water()
        };
        let oil = Material {
            name: "oil".to_owned(),
            density: 900.0,
            ..water.clone()
        };
        // The sides end inside a tile, and there are more tiles than one thread is given.
        let world = random_vessels(Grid::new(117, 16, 70), seed, vec![oil, water]);
        let rules = RulesSpec {
            walls,
            ..RulesSpec::default()
        };
        let run = |engine: Box<dyn Engine>| {
            let mut simulation =
                Simulation::new(world.clone(), &rules, &sources(&world), seed, engine);
            let mut dice = Dice(seed);
            let step = |_| {
                simulation
                    .command(meddle(&world, &mut dice))
                    .expect("a small edit");
                simulation.step();
                simulation.world().check().expect("the account is exact");
                simulation.world().state_hash()
            };
            (0..12).map(step).collect::<Vec<_>>()
        };
        let expected = run(plain());
        for (threads, &level) in [1, 2, 3, 7].iter().zip(Level::available().iter().cycle()) {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(*threads)
                .build()
                .expect("a few threads");
            let hashes = pool.install(|| run(Box::new(Tiled::on(level))));
            assert_eq!(
                hashes, expected,
                "{threads} threads, {level:?}, seed {seed}"
            );
        }
    }
}

/// Default engine without its caches from one rule to the next.
struct Forgetful;

impl Engine for Forgetful {
    fn run(&mut self, world: &mut World, rule: (usize, &Rule), draw: Draw) {
        Tiled::default().run(world, rule, draw);
    }
}

#[test]
fn bodies_that_are_kept_are_those_of_a_full_search() {
    for (seed, air, walls) in [
        (2, Air::Ignored, Walls::Closed),
        (4, Air::Kept, Walls::Open),
        (6, Air::Kept, Walls::Closed),
        (7, Air::Ignored, Walls::Open),
    ] {
        let trace = Trace {
            air,
            ..Trace::default()
        };
        let water = Material {
            pressure: Pressure::Trace,
            trace,
            ..Material::water()
        };
        let oil = Material {
            name: "oil".to_owned(),
            density: 900.0,
            ..water.clone()
        };
        let world = random_vessels(Grid::new(61, 20, 46), seed, vec![oil, water]);
        let rules = RulesSpec {
            walls,
            ..RulesSpec::default()
        };
        let engines: [Box<dyn Engine>; 2] = [Box::new(Tiled::default()), Box::new(Forgetful)];
        let [mut ours, mut theirs] = engines
            .map(|engine| Simulation::new(world.clone(), &rules, &sources(&world), seed, engine));
        let mut dice = Dice(seed);
        let moment = ours.snapshot(None);
        for step in 1..=150 {
            if step % 7 == 0 {
                let act = meddle(&world, &mut dice);
                ours.command(act.clone()).expect("a small edit");
                theirs.command(act).expect("a small edit");
            }
            if step == 100 {
                // Going back gives another state of the same layers.
                ours.go_back(&moment);
                theirs.go_back(&moment);
            }
            ours.step();
            theirs.step();
            assert_eq!(
                ours.world().state_hash(),
                theirs.world().state_hash(),
                "seed {seed}, step {step}"
            );
        }
    }
}

/// World of two basins with a wall between them that has a gap of one cell at its foot.
fn basins(fill: usize) -> World {
    let grid = Grid::new(21, 16, 5);
    let heights = Array2::from_shape_fn(
        (grid.nz, grid.nx),
        |(_, x)| if x == 10 { 14.0 } else { 1.0 },
    );
    let water = Material {
        pressure: Pressure::None,
        ..Material::water()
    };
    let mut world = World::with_materials(Ground::from_surface(grid.ny, heights), vec![water]);
    let shape = Shape::Box {
        from: [0.0, 1.0, 0.0],
        to: [10.0, 1.0 + fill as f64, 5.0],
    };
    world.edit(&Edit {
        shape,
        matter: some("water", 1.0),
    });
    world.open_account();
    world
}

#[test]
fn water_lies_level_and_comes_to_rest() {
    let mut world = basins(4);
    // A heap of water at one end.
    world.edit(&Edit {
        shape: Shape::Box {
            from: [0.0, 5.0, 0.0],
            to: [2.0, 9.0, 5.0],
        },
        matter: some("water", 1.0),
    });
    world.open_account();
    let mut simulation = Simulation::new(world, &RulesSpec::default(), &[], 1, common::tiled());
    (0..3000).for_each(|_| simulation.step());
    let before = simulation.world().state_hash();
    (0..50).for_each(|_| simulation.step());
    assert_eq!(simulation.world().state_hash(), before, "it rests");
    let columns = simulation
        .world()
        .layer("water")
        .expect("it is there")
        .column_amounts();
    let wet: Vec<_> = columns
        .iter()
        .copied()
        .filter(|&amount| amount > 0)
        .collect();
    assert_eq!(wet.len(), 50, "nothing passed the wall");
    let (low, high) = (
        wet.iter().min().expect("columns"),
        wet.iter().max().expect("columns"),
    );
    assert!(high - low <= 40, "levels from {low} to {high} units");
}

#[test]
fn water_falls_one_cell_a_step_as_a_stack() {
    let grid = Grid::new(1, 12, 1);
    let mut world = World::with_materials(Ground::none(grid), vec![Material::water()]);
    (6..9).for_each(|y| world.edit(&one_cell([0, y, 0], some("water", 1.0))));
    world.open_account();
    let mut simulation = Simulation::new(world, &RulesSpec::default(), &[], 1, common::tiled());
    for step in 1..=6 {
        simulation.step();
        let amounts: Vec<_> = (0..12)
            .map(|y| simulation.world().layers()[1].at([0, y, 0]).amount)
            .collect();
        let expected: Vec<_> = (0..12)
            .map(|y| {
                if (6 - step..9 - step).contains(&y) {
                    AMOUNT_ONE
                } else {
                    0
                }
            })
            .collect();
        assert_eq!(amounts, expected, "step {step}");
    }
}

#[test]
fn lava_sinks_through_water_which_climbs_in_one_step() {
    let grid = Grid::new(1, 8, 1);
    let mut world = World::with_materials(Ground::none(grid), vec![Material::water()]);
    (0..5).for_each(|y| world.edit(&one_cell([0, y, 0], some("water", 1.0))));
    world.place([0, 5, 0], AMOUNT_ONE, 100);
    world.open_account();
    let mut simulation = Simulation::new(world, &RulesSpec::default(), &[], 1, common::tiled());
    for sunk in 1..=5 {
        simulation.step();
        let world = simulation.world();
        let lava: Vec<_> = (0..8)
            .map(|y| world.lava().at([0, y, 0]).amount > 0)
            .collect();
        assert_eq!(
            lava.iter().position(|&held| held),
            Some(5 - sunk),
            "lava falls one cell a step"
        );
        let water: Vec<_> = (0..8)
            .map(|y| world.layers()[1].at([0, y, 0]).amount)
            .collect();
        let expected: Vec<_> = (0..8)
            .map(|y| {
                if y < 6 && y != 5 - sunk {
                    AMOUNT_ONE
                } else {
                    0
                }
            })
            .collect();
        assert_eq!(water, expected, "water after {sunk} steps");
    }
}

#[test]
fn a_mirrored_world_stays_a_mirror_image() {
    let grid = Grid::new(12, 10, 7);
    let world = |mirrored: bool| {
        let mut dice = Dice(5);
        // Tracing distributes rounding by the order of the cells, so the symmetry would be off by
        // units.
        let water = Material {
            pressure: Pressure::None,
            ..Material::water()
        };
        let mut world = World::with_materials(Ground::none(grid), vec![water]);
        for i in 0..grid.cells() {
            let (mut x, y, z) = (i % grid.nx, i / grid.nx % grid.ny, i / grid.nx / grid.ny);
            x = if mirrored { grid.nx - 1 - x } else { x };
            let (kind, amount) = (dice.below(10), dice.below(1001) as f64 / 1000.0);
            world.edit(&one_cell(
                [x, y, z],
                if kind == 0 {
                    Matter::Rock
                } else {
                    some("water", amount)
                },
            ));
        }
        world.open_account();
        world
    };
    let [mut one, mut other] = [false, true].map(|mirrored| {
        Simulation::new(
            world(mirrored),
            &RulesSpec::default(),
            &[],
            1,
            common::tiled(),
        )
    });
    for step in 1..=400 {
        one.step();
        other.step();
        for ([x, y, z], content) in one.world().layers()[1].held() {
            let image = other.world().layers()[1].at([grid.nx - 1 - x, y, z]);
            assert_eq!(content, image, "({x}, {y}, {z}) after step {step}");
        }
    }
}

#[test]
fn water_at_rest_is_not_visited() {
    let grid = Grid::new(64, 20, 64);
    let mut world = World::with_materials(Ground::none(grid), vec![Material::water()]);
    world.edit(&Edit {
        shape: Shape::Below { level: 6.0 },
        matter: some("water", 1.0),
    });
    world.open_account();
    let mut simulation = Simulation::new(world, &RulesSpec::default(), &[], 1, common::tiled());
    (0..4).for_each(|_| simulation.step());
    assert!(simulation.world().layers()[1].is_asleep());
    simulation
        .command(one_cell([30, 9, 30], some("water", 0.5)))
        .expect("a small edit");
    simulation.step();
    assert!(!simulation.world().layers()[1].is_asleep());
    simulation.world().check().expect("the account is exact");
}

/// Tank with water 12 cells deep.
fn tank(material: Material) -> Simulation {
    let mut world = World::with_materials(Ground::none(Grid::new(20, 30, 20)), vec![material]);
    world.edit(&Edit {
        shape: Shape::Below { level: 12.0 },
        matter: some("water", 1.0),
    });
    world.open_account();
    Simulation::new(
        world,
        &RulesSpec::default(),
        &[],
        1,
        Box::new(Tiled::default()),
    )
}

fn block(from: [f64; 3], to: [f64; 3], matter: Matter) -> Edit {
    Edit {
        shape: Shape::Box { from, to },
        matter,
    }
}

#[test]
fn rock_displaces_water() {
    for pressure in [Pressure::None, Pressure::Trace, Pressure::Compress] {
        let mut simulation = tank(Material {
            pressure,
            ..Material::water()
        });
        let before = simulation.world().layers()[1].mass();
        // One block stands on the floor, the other pierces the surface: 180 cells, and 4 × 2 × 4 of
        // its 4 × 6 × 4 cells in the water.
        simulation
            .command(Command::Put(block(
                [7.0, 0.0, 7.0],
                [13.0, 5.0, 13.0],
                Matter::Rock,
            )))
            .expect("an edit");
        simulation
            .command(Command::Put(block(
                [1.0, 11.0, 1.0],
                [5.0, 17.0, 5.0],
                Matter::Rock,
            )))
            .expect("an edit");
        let (layer, ledger) = (
            &simulation.world().layers()[1],
            *simulation.world().layers()[1].ledger(),
        );
        assert_eq!(
            (layer.mass(), ledger.removed, ledger.crushed),
            (before, 0, 0),
            "{pressure:?}"
        );
        for _ in 0..4000 {
            simulation.step();
        }
        simulation.world().check().expect("the account is exact");
        let water = &simulation.world().layers()[1];
        assert_eq!(water.mass(), before, "{pressure:?}");
        if pressure == Pressure::Compress {
            continue;
        }
        // 4800 cells lie below level 12, less the cells of rock; the rest stands on 400 − 16
        // columns.
        let expected = 11.0 + (4800.0 - (4400.0 - 180.0)) / 384.0;
        for (x, z) in [(0, 0), (19, 0), (10, 10), (19, 19), (0, 10)] {
            let rock = (0..30)
                .filter(|&y| simulation.world().ground().is_solid([x, y, z]))
                .count();
            let depth: u64 = (0..30).map(|y| u64::from(water.at([x, y, z]).amount)).sum();
            let level = rock as f64 + depth as f64 / f64::from(AMOUNT_ONE);
            assert!(
                (level - expected).abs() <= 0.02,
                "{pressure:?}: {level:.4} at ({x}, {z}), not {expected:.4}"
            );
        }
    }
}

#[test]
fn what_rock_finds_no_room_for_is_counted() {
    let mut world =
        World::with_materials(Ground::none(Grid::new(12, 12, 12)), vec![Material::water()]);
    world.edit(&block([0.0; 3], [12.0; 3], Matter::Rock));
    world.edit(&block([3.0; 3], [9.0; 3], Matter::Nothing));
    world.edit(&block([3.0; 3], [9.0, 8.5, 9.0], some("water", 1.0)));
    world.open_account();
    // 180 of 216 cells are full.
    let one = u64::from(AMOUNT_ONE);
    world.edit(&block([3.0; 3], [7.0, 7.0, 5.0], Matter::Rock));
    let ledger = *world.layers()[1].ledger();
    assert_eq!(
        (world.layers()[1].mass(), ledger.removed, ledger.crushed),
        (180 * one, 0, 0),
        "32 cells find room"
    );
    world.edit(&block([3.0, 3.0, 5.0], [5.0, 5.0, 7.0], Matter::Rock));
    let ledger = *world.layers()[1].ledger();
    assert_eq!(
        (world.layers()[1].mass(), ledger.removed, ledger.crushed),
        (176 * one, 4 * one, 4 * one)
    );
    world.check().expect("the account is exact");
}

#[test]
fn rock_displaces_every_kind_of_matter() {
    let oil = Material {
        name: "oil".to_owned(),
        density: 900.0,
        pressure: Pressure::None,
        ..Material::water()
    };
    let materials = vec![Material::water(), oil, Material::sand(), Material::steam()];
    let mut world = World::with_materials(Ground::none(Grid::new(16, 24, 16)), materials);
    let layers = [
        ("sand", 0.0, 3.0),
        ("water", 6.0, 9.0),
        ("oil", 9.0, 12.0),
        ("steam", 12.0, 15.0),
    ];
    for (name, low, high) in layers {
        world.edit(&block([0.0, low, 0.0], [16.0, high, 16.0], some(name, 1.0)));
    }
    let lava = Matter::Lava {
        amount: 1.0,
        energy: 1.0,
        temperature_k: None,
    };
    world.edit(&block([0.0, 3.0, 0.0], [16.0, 6.0, 16.0], lava));
    world.open_account();
    let before: Vec<_> = world
        .layers()
        .iter()
        .map(|layer| (layer.mass(), layer.energy()))
        .collect();
    world.edit(&block([4.0, 0.0, 4.0], [9.0, 20.0, 9.0], Matter::Rock));
    world.check().expect("the account is exact");
    let after: Vec<_> = world
        .layers()
        .iter()
        .map(|layer| (layer.mass(), layer.energy()))
        .collect();
    assert_eq!(before, after);
    assert!(
        world
            .layers()
            .iter()
            .all(|layer| layer.ledger().removed == 0)
    );
    // A mirrored block gives the same depths, because the rules treat the sides alike.
    let mut mirrored =
        World::with_materials(Ground::none(Grid::new(16, 24, 16)), vec![Material::water()]);
    mirrored.edit(&Edit {
        shape: Shape::Below { level: 9.0 },
        matter: some("water", 1.0),
    });
    mirrored.edit(&block([6.0, 2.0, 6.0], [10.0, 6.0, 10.0], Matter::Rock));
    let water = |[x, y, z]: [usize; 3]| mirrored.layers()[1].at([x, y, z]).amount;
    let uneven = mirrored
        .grid()
        .places()
        .filter(|&[x, y, z]| water([x, y, z]).abs_diff(water([15 - x, y, z])) > 16);
    assert_eq!(uneven.count(), 0);
}

#[test]
fn gas_under_a_roof_comes_to_rest() {
    let mut world =
        World::with_materials(Ground::none(Grid::new(16, 20, 16)), vec![Material::steam()]);
    world.edit(&block(
        [4.0, 2.0, 4.0],
        [10.0, 8.0, 12.0],
        some("steam", 0.8),
    ));
    world.open_account();
    let mut simulation = Simulation::new(
        world,
        &RulesSpec::default(),
        &[],
        1,
        Box::new(Tiled::default()),
    );
    let mut rest = 0;
    while rest < 50 && simulation.steps() < 20_000 {
        let before = simulation.world().state_hash();
        simulation.step();
        simulation.world().check().expect("the account is exact");
        rest = if simulation.world().state_hash() == before
            && simulation.world().layers()[1].is_asleep()
        {
            rest + 1
        } else {
            0
        };
    }
    println!("at rest after {} steps", simulation.steps());
    assert_eq!(rest, 50, "the gas still moves");
    let low = simulation.world().layers()[1]
        .held()
        .filter(|([_, y, _], _)| *y < 18)
        .count();
    assert_eq!(low, 0, "it is under the roof");
}
