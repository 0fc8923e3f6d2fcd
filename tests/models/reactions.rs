//! Tests of reactions: they are data, they balance, every material and every element is exact after
//! each step, and cycles driven by reactions do not stall.

use std::path::Path;

use crate::common;
use lavoxel::scene::Scene;
use lavoxel::simulation::Simulation;
use lavoxel::units::AMOUNT_ONE;
use lavoxel::world::{Content, World};

/// Amount of a full cell in the smallest unit of amount.
const ONE: u64 = AMOUNT_ONE as u64;

/// Returns the number of steps of a test of a cycle: `LAVOXEL_SOAK_STEPS` if set (100000 for the
/// long test), else `usual`.
fn steps(usual: u64) -> u64 {
    let asked = std::env::var("LAVOXEL_SOAK_STEPS")
        .ok()
        .and_then(|steps| steps.parse().ok());
    asked.unwrap_or(usual)
}

fn scene(text: &str) -> Result<Scene, String> {
    Scene::parse(text, Path::new("scene.toml")).map_err(|error| error.to_string())
}

fn simulation(text: &str) -> Simulation {
    let scene = scene(text).unwrap_or_else(|error| panic!("{error}"));
    scene
        .build(common::tiled())
        .unwrap_or_else(|error| panic!("{error}"))
        .simulation
}

fn shipped(name: &str) -> Simulation {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("terrains")
        .join(name);
    let scene = Scene::load(&path).unwrap_or_else(|error| panic!("{error}"));
    scene
        .build(common::tiled())
        .unwrap_or_else(|error| panic!("{error}"))
        .simulation
}

fn step(simulation: &mut Simulation, steps: u64) {
    for _ in 0..steps {
        simulation.step();
        let world = simulation.world();
        world
            .check()
            .unwrap_or_else(|fault| panic!("step {}: {fault}", simulation.steps()));
        for (element, account) in world.elements() {
            assert_eq!(
                account.now + account.left,
                account.came,
                "{element} after step {}",
                simulation.steps()
            );
        }
    }
}

fn at(world: &World, name: &str, place: [usize; 3]) -> Content {
    world
        .layer(name)
        .map(|layer| layer.at(place))
        .unwrap_or_default()
}

fn mass(world: &World, name: &str) -> u64 {
    world.layer(name).map_or(0, |layer| layer.mass())
}

/// Returns a scene of a closed column of `height` cells without rock; `rest`: additional tables.
fn column(height: usize, rest: &str) -> String {
    format!(
        "[grid]\nsize = [1, {height}, 1]\n[terrain]\nkind = \"plane\"\nbase_cells = 0.0\n{rest}"
    )
}

fn body(y: usize, matter: &str) -> String {
    let top = y + 1;
    format!(
        "[[body]]\nshape = {{ kind = \"box\", from = [0.0, {y}.0, 0.0], to = [1.0, {top}.0, 1.0] }}\nmatter = {{ {matter} }}\n"
    )
}

const SEA: &str = "[[material]]\nname = \"water\"\n[[material]]\nname = \"steam\"\n[[material]]\nname = \"rubble\"\n";

#[test]
fn a_wrong_reaction_is_refused_by_name() {
    let wrong = [
        (
            "takes = { lava = 1, water = 1 }\nmakes = { rubble = 1, steam = 3 }",
            "reaction[0] = takes 4 of h2o and makes 3",
        ),
        ("takes = { lava = 1 }", "takes 2 of rock and makes 0"),
        ("takes = {}", "number of materials in reaction[0].takes = 0"),
        ("takes = { mud = 1 }", "reaction[0].takes = \"mud\""),
        ("takes = { water = 0 }", "reaction[0].takes.water = 0"),
        (
            "takes = { water = 1 }\nmakes = { steam = 4 }\nrate = 0.0",
            "reaction[0].rate = 0",
        ),
        (
            "takes = { water = 1 }\nmakes = { steam = 4 }\nchance = 1.5",
            "reaction[0].chance = 1.5",
        ),
        (
            "takes = { water = 1 }\nmakes = { steam = 4 }\nwhere = \"beside\"",
            "reaction[0].where = \"beside\"",
        ),
        (
            "takes = { water = 1 }\nmakes = { steam = 4 }\nwhere = \"across\"",
            "reaction[0].where = \"across\"",
        ),
        (
            "takes = { water = 1 }\nmakes = { steam = 4 }\nwhere = \"here\"",
            "unknown value `here`",
        ),
        (
            "takes = { water = 1 }\nmakes = { steam = 4 }\nnear = { ice = 0.1 }",
            "reaction[0].near = \"ice\"",
        ),
        (
            "takes = { water = 1 }\nmakes = { steam = 4 }\nnear = { lava = 2.0 }",
            "reaction[0].near.lava = 2",
        ),
        (
            "takes = { water = 1 }\nmakes = { steam = 4 }\nnear = { lava = 0.5 }\nwhere = \"cell\"",
            "reaction[0].where = \"cell\"",
        ),
    ];
    for (table, expected) in wrong {
        let error = scene(&format!("{SEA}[[reaction]]\n{table}\n"))
            .err()
            .unwrap_or_default();
        assert!(
            error.contains(expected),
            "{table}\ngave {error:?}\nand not {expected:?}"
        );
    }
    let grains = "[[material]]\nname = \"ash\"\nelements = {}\n[[material]]\nname = \"sand\"\n";
    let error = scene(&format!(
        "{grains}[[reaction]]\ntakes = {{ ash = 3 }}\nmakes = {{ sand = 3 }}"
    ))
    .err();
    assert!(error.is_some_and(|error| error.contains("3 parts of a grain")));
}

#[test]
fn a_reaction_across_a_face_leaves_what_it_makes_where_its_parts_were() {
    let text = format!(
        "{SEA}[[reaction]]\ntakes = {{ lava = 1, water = 1 }}\nmakes = {{ rubble = 1, steam = 4 }}\nwhere = \"across\"\n{}{}",
        body(0, "kind = \"lava\", amount = 1.0, energy = 1.0"),
        body(1, "kind = \"material\", name = \"water\", amount = 0.25")
    );
    let mut simulation = simulation(&column(8, &text));
    // In step 2 the pairs along y with an even lower cell react.
    step(&mut simulation, 2);
    assert_eq!(at(simulation.world(), "rubble", [0, 0, 0]).amount, 0);
    step(&mut simulation, 1);
    let world = simulation.world();
    assert_eq!(at(world, "rubble", [0, 0, 0]).amount, AMOUNT_ONE / 4);
    assert_eq!(
        at(world, "lava", [0, 0, 0]),
        Content {
            amount: AMOUNT_ONE / 4 * 3,
            energy: 6144
        }
    );
    assert_eq!([mass(world, "water"), mass(world, "steam")], [0, ONE]);
    assert_eq!(
        world.lava().ledger().energy.used,
        2048,
        "a quarter of the energy goes with the lava"
    );
}

#[test]
fn steam_on_ice_makes_water_and_ash_melts_into_lava() {
    let ice = "[[material]]\nname = \"water\"\n[[material]]\nname = \"steam\"\n[[material]]\nname = \"ice\"\n[[reaction]]\n\
               takes = { steam = 4 }\nmakes = { water = 1 }\nnear = { ice = 0.03 }\n";
    let bodies = body(7, "kind = \"material\", name = \"ice\", amount = 1.0")
        + &body(0, "kind = \"material\", name = \"steam\", amount = 1.0");
    let mut cooled = simulation(&column(8, &format!("{ice}{bodies}")));
    let ice_before = mass(cooled.world(), "ice");
    step(&mut cooled, 300);
    let world = cooled.world();
    // The remaining steam is thinner than four units per cell.
    assert!(
        mass(world, "steam") < 4 * 8,
        "{} units of steam are left",
        mass(world, "steam")
    );
    assert!(mass(world, "water") > ONE / 4 - 8);
    assert_eq!(mass(world, "ice"), ice_before, "the ice is only near");

    let ash = "[[material]]\nname = \"ash\"\n[[reaction]]\ntakes = { ash = 2 }\nmakes = { lava = 1 }\nnear = { lava = 0.25 }\n\
               energy = 0.5\n";
    let bodies = body(0, "kind = \"lava\", amount = 1.0, energy = 1.0")
        + &body(4, "kind = \"material\", name = \"ash\", amount = 1.0");
    let mut melted = simulation(&column(8, &format!("{ash}{bodies}")));
    step(&mut melted, 20);
    let world = melted.world();
    assert_eq!(
        [mass(world, "ash"), mass(world, "lava")],
        [0, ONE / 2 * 3],
        "half a cell of lava more"
    );
    assert_eq!(world.lava().ledger().energy.made, 2048);
}

/// Checks that resting water wakes although a layer of another immobile material stands between the
/// water and the layer that vanishes.
#[test]
fn water_falls_where_still_matter_goes_whatever_other_still_matter_there_is() {
    let materials = "[[material]]\nname = \"salt\"\nkind = \"still\"\ndensity = 3000.0\n\
                     [[material]]\nname = \"plate\"\nkind = \"still\"\ndensity = 2500.0\n\
                     [[material]]\nname = \"water\"\n\
                     [[reaction]]\ntakes = { salt = 1 }\nnear = { water = 0.5 }\nchance = 0.02\n";
    let full = |name: &str| format!("kind = \"material\", name = \"{name}\", amount = 1.0");
    let bodies = [body(0, &full("salt")), body(1, &full("water"))].concat();
    let mut world = simulation(&column(4, &format!("{materials}{bodies}")));
    step(&mut world, 600);
    assert_eq!(mass(world.world(), "salt"), 0, "it dissolves");
    assert_eq!(at(world.world(), "water", [0, 0, 0]).amount, AMOUNT_ONE);
}

#[test]
fn rubble_sets_from_the_ground_up_and_lifts_what_is_in_its_cell() {
    let text = format!(
        "{SEA}{}{}{}",
        body(0, "kind = \"material\", name = \"rubble\", amount = 0.99"),
        body(1, "kind = \"material\", name = \"rubble\", amount = 1.0"),
        body(2, "kind = \"material\", name = \"water\", amount = 0.5"),
    );
    let mut simulation = simulation(&column(6, &text));
    let tops = (0..4).map(|_| {
        step(&mut simulation, 1);
        simulation.world().ground().top(0, 0)
    });
    assert_eq!(tops.collect::<Vec<_>>(), [1, 2, 2, 2], "a row a step");
    let world = simulation.world();
    assert_eq!(mass(world, "water"), ONE / 2);
    let ledger = world.layer("rubble").expect("it is there").ledger();
    assert_eq!(ledger.solidified + mass(world, "rubble"), ledger.initial);
}

#[test]
fn steam_leaves_through_an_open_roof_only() {
    let steam = format!(
        "[[material]]\nname = \"steam\"\n{}",
        body(0, "kind = \"material\", name = \"steam\", amount = 1.0")
    );
    let mut closed = simulation(&column(8, &steam));
    step(&mut closed, 400);
    assert_eq!(mass(closed.world(), "steam"), ONE);
    let mut open = simulation(&column(8, &format!("{steam}[rules]\nroof = \"open\"\n")));
    step(&mut open, 400);
    assert_eq!(mass(open.world(), "steam"), 0);
    let gone = open
        .world()
        .layer("steam")
        .expect("it is there")
        .ledger()
        .outflow;
    assert_eq!(gone, ONE);
}

/// Runs a cycle for `steps` steps and checks that it never stalls: after the first 2,000 steps, and
/// after the first fifth, in which the tarn fills, at least half of the mean amount boils in each
/// 2,000 steps, and likewise condenses.
fn assert_goes_on(name: &str, steps: u64) {
    let mut simulation = shipped(name);
    let taken = |simulation: &Simulation, name: &str| {
        simulation
            .world()
            .layer(name)
            .map_or(0, |layer| layer.ledger().used)
            / ONE
    };
    let (mut last, mut turns) = ([0; 2], Vec::new());
    for part in 0..steps / 2000 {
        step(&mut simulation, 2000);
        let now = ["water", "steam"].map(|material| taken(&simulation, material));
        if part >= (steps / 2000 / 5).max(1) {
            turns.push([now[0] - last[0], now[1] - last[1]]);
        }
        last = now;
    }
    for side in 0..2 {
        let all: Vec<_> = turns.iter().map(|turn| turn[side]).collect();
        let (mean, least) = (
            all.iter().sum::<u64>() / all.len() as u64,
            all.iter().min().copied().unwrap_or(0),
        );
        println!(
            "{name}: {} of {} turns, mean {mean} cells, least {least}",
            ["boiled", "cooled"][side],
            all.len()
        );
        assert!(
            mean > 20 && 2 * least >= mean,
            "{name}, {side}: least {least} of a mean of {mean} cells: {all:?}"
        );
    }
}

#[test]
#[ignore = "a minute of steps; .ci/full: cargo test --test models -- --ignored the_closed_cycle_of_water_goes_on"]
fn the_closed_cycle_of_water_goes_on() {
    let more = |steps: u64| steps / common::one_in(2) as u64;
    assert_goes_on("cycle_2d.toml", steps(more(8000)));
    assert_goes_on("cycle.toml", steps(2000 + more(4000)));
}

/// Returns the number of water drops in the air: cells at least 1/20 full above two open cells less
/// than 1/200 full.
fn drops(world: &World) -> usize {
    let water = world.layer("water").expect("it is there");
    let is_open = |[x, y, z]: [usize; 3]| !world.ground().is_solid([x, y, z]);
    let is_air =
        |place: [usize; 3]| is_open(place) && u64::from(water.at(place).amount) < ONE / 200;
    let falls = |&([x, y, z], cell): &([usize; 3], Content)| {
        u64::from(cell.amount) >= ONE / 20
            && y > 1
            && is_air([x, y - 1, z])
            && is_air([x, y - 2, z])
    };
    water.held().filter(falls).count()
}

#[test]
fn it_rains_in_the_cycle_of_water() {
    let mut simulation = shipped("cycle.toml");
    let mut frames = Vec::new();
    while simulation.steps() < 2000 {
        (0..20).for_each(|_| simulation.step());
        frames.push(drops(simulation.world()));
    }
    println!("drops by frames: {frames:?}");
    let rainy = frames.iter().filter(|&&drops| drops >= 30).count();
    assert!(
        4 * rainy >= 3 * frames.len(),
        "in {rainy} of {} frames: {frames:?}",
        frames.len()
    );
}

#[test]
#[ignore = "most of a minute of steps; .ci/full: cargo test --test models -- --ignored the_coast_of_the_island_grows"]
fn the_coast_of_the_island_grows() {
    // The highest cells of the sea of the scene.
    const SEA: usize = 12;
    let mut simulation = shipped("island.toml");
    let land = |simulation: &Simulation| {
        let (world, grid) = (simulation.world(), simulation.world().grid());
        let columns = (0..grid.nz).flat_map(|z| (0..grid.nx).map(move |x| [x, SEA, z]));
        columns
            .filter(|&place| world.ground().is_solid(place))
            .count()
    };
    let mut before = land(&simulation);
    let first = before;
    for _ in 0..3 {
        step(&mut simulation, 600);
        let now = land(&simulation);
        assert!(
            now >= before,
            "{before} columns of land at sea level, then {now}"
        );
        before = now;
    }
    println!("columns of land at sea level: {first}, then {before}");
    assert!(
        before > first + 50,
        "{first} columns of land at sea level, after 1,800 steps {before}"
    );
    let world = simulation.world();
    let [water, steam] =
        ["water", "steam"].map(|name| world.layer(name).expect("it is there").ledger());
    assert!(
        water.used > 0 && steam.made == 4 * water.used,
        "four of steam for one of water"
    );
}

/// Returns a scene of a column with lava below the material `name`, with the default reactions.
fn lava_below(name: &str) -> String {
    let bodies = body(0, "kind = \"lava\", amount = 1.0, energy = 1.0")
        + &body(
            1,
            &format!("kind = \"material\", name = \"{name}\", amount = 1.0"),
        );
    column(10, &format!("[[material]]\nname = \"{name}\"\n{bodies}"))
}

fn names(simulation: &Simulation) -> Vec<String> {
    simulation
        .world()
        .materials()
        .map(|material| material.name.clone())
        .collect()
}

#[test]
fn lava_breaks_up_in_water_and_its_steam_rains_without_a_table() {
    let mut sea = simulation(&lava_below("water"));
    assert_eq!(names(&sea), ["rubble", "lava", "water", "steam"]);
    step(&mut sea, 60);
    let ledger = |name: &str| sea.world().layer(name).expect("it is there").ledger();
    let broken = ledger("lava").used;
    assert!(broken > ONE / 2, "{broken} units of lava broke up");
    assert_eq!(ledger("rubble").made, broken);
    assert_eq!(
        ledger("steam").made,
        4 * broken,
        "a part of water is four of steam"
    );
    assert_eq!(ledger("water").used, broken);
    // The roof is closed: steam that gathers below the roof condenses and falls as water, four
    // parts of steam for one of water.
    step(&mut sea, 4000);
    let [rain, steam] =
        ["water", "steam"].map(|name| sea.world().layer(name).expect("it is there").ledger());
    assert!(rain.made > 0);
    assert_eq!(steam.used, 4 * rain.made);
    assert_eq!(
        rain.used,
        sea.world()
            .layer("rubble")
            .expect("it is there")
            .ledger()
            .made
    );
}

#[test]
fn lava_breaks_up_at_ice_which_melts() {
    let mut ice = simulation(&lava_below("ice"));
    assert_eq!(names(&ice), ["ice", "rubble", "lava", "water", "steam"]);
    step(&mut ice, 100);
    let ledger = |name: &str| ice.world().layer(name).expect("it is there").ledger();
    assert!(
        ledger("ice").used > ONE / 4,
        "{} units of ice melted",
        ledger("ice").used
    );
    assert_eq!(ledger("lava").used, ledger("rubble").made);
}

#[test]
fn sand_beside_lava_fuses_to_glass_a_whole_grain_at_a_time() {
    let mut sand = simulation(&lava_below("sand"));
    assert_eq!(names(&sand), ["glass", "sand", "lava"]);
    step(&mut sand, 600);
    let world = sand.world();
    assert_eq!(
        [
            mass(world, "sand"),
            mass(world, "glass"),
            mass(world, "lava")
        ],
        [0, ONE, ONE]
    );
    assert_eq!(world.layer("sand").expect("it is there").ledger().used, ONE);
}

#[test]
fn default_reactions_are_in_force_where_their_materials_are_and_no_table_replaces_them() {
    // With default reactions off, and without lava, water stays water in a world without other
    // layers.
    let off = simulation(&format!(
        "default_reactions = false\n{}",
        lava_below("water")
    ));
    assert_eq!(names(&off), ["lava", "water"]);
    let alone = column(
        10,
        &format!(
            "[[material]]\nname = \"water\"\n{}",
            body(0, "kind = \"rock\"")
        ),
    );
    assert_eq!(names(&simulation(&alone)), ["lava", "water"]);
    // Steam alone stays, too; materials with other elements, or with names that no preset has, do
    // not react.
    let other = lava_below("water").replace(
        "name = \"water\"\n[[",
        "name = \"water\"\nelements = { h2o = 1 }\n[[",
    );
    assert_eq!(names(&simulation(&other)), ["lava", "water"]);
    assert_eq!(names(&simulation(&lava_below("brine"))), ["lava", "brine"]);
    // A table for the pair replaces both default reactions, and no steam layer is added.
    let own = "[[reaction]]\ntakes = { water = 1 }\nmakes = {}\nnear = { lava = 0.5 }\n";
    let plain = lava_below("water").replace(
        "name = \"water\"\n[[",
        &format!("name = \"water\"\nelements = {{}}\n{own}[["),
    );
    assert_eq!(names(&simulation(&plain)), ["lava", "water"]);
    // A table must name declared materials: a material that only default reactions would add is
    // unknown.
    let unnamed = format!(
        "{}[[reaction]]\ntakes = {{ steam = 1 }}\n",
        lava_below("water")
    );
    let error = scene(&unnamed).err().unwrap_or_default();
    assert!(error.contains("reaction[0].takes = \"steam\""), "{error}");
    // Materials added by default reactions count towards the limit.
    let many: String = (0..14)
        .map(|i| format!("[[material]]\nname = \"m{i}\"\n"))
        .collect();
    let error = scene(&format!("{}{many}", lava_below("water")))
        .err()
        .unwrap_or_default();
    assert!(
        error.contains("default_reactions = true: must be false, or fewer tables"),
        "{error}"
    );
}

#[test]
fn default_reactions_come_to_the_same_bits_from_a_saved_scene_and_on_both_engines() {
    let text = lava_below("water");
    let read = scene(&text).unwrap_or_else(|error| panic!("{error}"));
    let run = |scene: &Scene, engine: Box<dyn lavoxel::engine::Engine>| {
        let mut simulation = scene
            .build(engine)
            .unwrap_or_else(|error| panic!("{error}"))
            .simulation;
        (0..500).for_each(|_| simulation.step());
        (simulation.world().state_hash(), simulation)
    };
    let (hash, stepped) = run(&read, common::tiled());
    assert_eq!(run(&read, common::plain()).0, hash);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("saved.toml");
    read.recorded(&stepped)
        .save(&path, lavoxel::output::Existing::Keep)
        .unwrap_or_else(|error| panic!("{error}"));
    let written = std::fs::read_to_string(&path).expect("it was written");
    assert!(written.contains("default_reactions = false"), "{written}");
    let saved = Scene::load(&path).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(run(&saved, common::tiled()).0, hash);
}
