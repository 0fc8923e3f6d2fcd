//! Tests that lava that can melt again interacts with water, ice, steam, sand and air like any lava
//! of the physical model. Its solid part heats boiling neighbours, lifts the liquid that it
//! displaces, and leaves its place to others when it melts; every account is exact after every
//! step, and engines, threads and checkpoints give the same bits.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::path::Path;

use crate::common::{Dice, plain, tiled};
use crate::meets::{assert_same_bits, build, flow, mass, steps, used};
use lavoxel::scene::Scene;
use lavoxel::units::AMOUNT_ONE;
use lavoxel::world::{Edit, Matter, Shape, World};

/// Scene of half-molten metal that runs down to a pool with a hot block in it.
const QUENCH: &str = r#"
name = "quench"
seed = 4
model = "flow"
[flow]
step_s = 0.5
open_sides = false
lava = { preset = "semisolid-aluminium", viscosity = { pa_s = 1.0, mush = 1e4 } }
[grid]
size = [24, 20, 16]
cell_size_m = 0.02
[terrain]
kind = "slope"
angle_deg = 20.0
roughness = 0.5
[rules]
roof = "open"
[[material]]
name = "water"
[[material]]
name = "steam"
[[body]]
shape = { kind = "below", level = 6.0 }
matter = { kind = "material", name = "water", amount = 1.0 }
[[body]]
shape = { kind = "box", from = [3.0, 0.0, 10.0], to = [9.0, 8.0, 15.0] }
matter = { kind = "solid", temperature_k = 800.0 }
[[reaction]]
takes = { water = 1 }
makes = { steam = 4 }
near = { lava = 0.001 }
heat = { j_kg = 2.6e6, w_m2_k = 400.0, at_k = 373.0 }
[[reaction]]
takes = { water = 1 }
makes = { steam = 4 }
near = { set = 0.001 }
heat = { j_kg = 2.6e6, w_m2_k = 400.0, at_k = 373.0 }
[[vent]]
x = 14.0
z = 5.0
radius = 1.0
rates_m3_s = [[0, 6e-5], ["20 s", 0.0]]
"#;

/// Scene of warm air over a pool with a block of ice.
const THAW: &str = r#"
name = "thaw"
seed = 4
model = "flow"
[flow]
step_s = 20.0
open_sides = false
lava = { preset = "ice", ambient_k = 330.0, vent_k = 330.0, convection = 100.0, viscosity = { pa_s = 2.0 } }
[grid]
size = [14, 12, 14]
cell_size_m = 0.02
[terrain]
kind = "plane"
base_cells = 2.0
roughness = 0.0
[[material]]
name = "water"
[[body]]
shape = { kind = "below", level = 5.0 }
matter = { kind = "material", name = "water", amount = 1.0 }
[[body]]
shape = { kind = "box", from = [4.0, 2.0, 4.0], to = [10.0, 8.0, 10.0] }
matter = { kind = "solid", temperature_k = 270.0 }
[[heater]]
shape = { kind = "box", from = [4.0, 2.0, 4.0], to = [10.0, 8.0, 10.0] }
heats = "inside"
power_w = 2000.0
up_to_k = 300.0
from = "40 s"
"#;

/// Returns the amount of the material `name` in a cell, in the smallest unit of amount.
fn amount(world: &World, name: &str, place: [usize; 3]) -> u16 {
    world.layer(name).unwrap().at(place).amount
}

#[test]
fn water_boils_by_the_heat_of_melt_and_of_solid() {
    let boiled = |scene: &str| {
        let mut simulation = build(scene, tiled()).simulation;
        steps(&mut simulation, 80);
        let account = *flow(simulation.world()).account();
        let boiled = used(simulation.world(), "water");
        assert!(boiled > 0 && account.set > 0, "{account:?}");
        // Each unit of water took the same whole number of heat units.
        assert_eq!(
            account.heat_used % i128::from(boiled),
            0,
            "{} of {boiled}",
            account.heat_used
        );
        let each = (account.heat_used / i128::from(boiled)) as f64
            / flow(simulation.world()).heat_units_of_joule();
        let kilograms = 1000.0 * flow(simulation.world()).space().cell_m3() / f64::from(AMOUNT_ONE);
        assert!(
            (each / kilograms / 2.6e6 - 1.0).abs() < 1e-3,
            "{} J/kg",
            each / kilograms
        );
        boiled
    };
    let without = |near: &str| {
        QUENCH.replace(
            &format!("{near} = 0.001 }}"),
            &format!("{near} = 0.001 }}\nchance = 0.0"),
        )
    };
    let [both, by_solid, by_melt] =
        [QUENCH.to_owned(), without("lava"), without("set")].map(|scene| boiled(&scene));
    assert!(
        both > by_solid && both > by_melt,
        "{both} by both, {by_solid} by solid, {by_melt} by melt"
    );
}

#[test]
fn engines_threads_and_checkpoints_give_the_same_bits() {
    assert_same_bits(QUENCH, 41);
}

/// Scene tables that all random worlds share.
const RANDOM: &str = r#"
name = "random"
model = "flow"
[grid]
size = [13, 14, 11]
cell_size_m = 0.02
[terrain]
kind = "slope"
angle_deg = 15.0
roughness = 1.0
[[material]]
name = "water"
[[material]]
name = "steam"
[[material]]
name = "sand"
[[material]]
name = "ice"
[[material]]
name = "melt"
elements = { h2o = 12 }
[[source]]
material = "water"
x = 3.0
z = 3.0
radius = 1.0
rate = 0.4
[[reaction]]
takes = { water = 1 }
makes = { steam = 4 }
near = { set = 0.01 }
heat = { j_kg = 1e4, w_m2_k = 500.0, at_k = 280.0 }
[[reaction]]
takes = { ice = 1 }
makes = { water = 1 }
near = { lava = 0.01 }
heat = { j_kg = 3e4, w_m2_k = 500.0, at_k = 273.0 }
[[reaction]]
takes = { lava = 1, water = 1 }
makes = { steam = 16 }
where = "across"
rate = 0.02
[[reaction]]
takes = { steam = 4 }
makes = { water = 1 }
near = { set = 0.2 }
chance = 0.1
[[reaction]]
takes = { water = 3 }
makes = { lava = 1 }
near = { lava = 0.25 }
rate = 0.01
"#;

/// Returns a small random scene with one of four lavas, and water, ice, sand and steam, a heater
/// and reactions.
fn random_scene(seed: u64) -> String {
    let mut dice = Dice(seed);
    let lavas = [
        ("paraffin-wax", 350),
        ("chocolate", 320),
        ("semisolid-aluminium", 890),
        ("ice", 300),
    ];
    let (preset, warm_k) = lavas[dice.below(4) as usize];
    let mut scene = format!(
        "seed = {seed}\n{RANDOM}[flow]\nstep_s = 0.5\nopen_sides = {}\nlava = {{ preset = \"{preset}\", vent_k = {warm_k}, \
         viscosity = {{ pa_s = 20, mush = 100 }} }}\n[[heater]]\nshape = {{ kind = \"sphere\", center = [6, 6, 5], radius = 4 \
         }}\nheats = \"inside\"\nup_to_k = {warm_k}\npower_w = {}\n",
        dice.below(2) == 0,
        dice.below(4000)
    );
    for (matter, boxes) in [
        ("{ kind = \"material\", name = \"water\", amount = 1.0 }", 2),
        ("{ kind = \"solid\" }", 3),
        ("{ kind = \"rock\" }", 1),
        ("{ kind = \"material\", name = \"sand\", amount = 0.7 }", 2),
        ("{ kind = \"material\", name = \"ice\", amount = 0.6 }", 2),
        ("{ kind = \"lava\", amount = 0.8 }", 2),
    ] {
        for _ in 0..boxes {
            let from = [9, 9, 8].map(|most| dice.below(most));
            let to = from.map(|at| at + 2 + dice.below(4));
            let shape = format!("{{ kind = \"box\", from = {from:?}, to = {to:?} }}");
            scene += &format!("[[body]]\nshape = {shape}\nmatter = {matter}\n");
        }
    }
    scene
}

#[test]
fn accounts_are_exact_after_every_step_of_random_worlds() {
    let (mut used_heat, mut used_melt, mut made) = (0, 0, 0);
    for seed in 0..24 {
        let scene = random_scene(seed);
        let mut fast = build(&scene, tiled()).simulation;
        let mut slow = build(&scene, plain()).simulation;
        for step in 0..25 {
            steps(&mut fast, 1);
            steps(&mut slow, 1);
            assert_eq!(
                fast.world().state_hash(),
                slow.world().state_hash(),
                "seed {seed}, step {step}"
            );
        }
        let account = flow(fast.world()).account();
        used_heat += i64::from(account.heat_used > 0);
        used_melt += account.used;
        made += account.made;
    }
    assert!(
        used_heat > 6 && used_melt > 0 && made > 0,
        "heat in {used_heat} worlds, {used_melt} taken, {made} made"
    );
}

#[test]
fn solid_that_melts_leaves_its_place_to_water() {
    let mut simulation = build(THAW, tiled()).simulation;
    let water = mass(simulation.world(), "water");
    let inside = [6, 4, 6];
    assert_eq!(
        amount(simulation.world(), "water", inside),
        0,
        "a body takes its place"
    );
    steps(&mut simulation, 2);
    assert_eq!(
        amount(simulation.world(), "water", inside),
        0,
        "and keeps it"
    );
    steps(&mut simulation, 70);
    let world = simulation.world();
    let account = flow(world).account();
    assert!(
        account.set == 0 && account.liquid() > 0,
        "all is molten: {account:?}"
    );
    assert_eq!(mass(world, "water"), water);
    // The melt lies below the water, which stands level where the block was.
    assert!(amount(world, "melt", [6, 2, 6]) > AMOUNT_ONE / 2);
    let height = |x: usize, z: usize| -> u32 {
        (0..12)
            .map(|y| u32::from(amount(world, "water", [x, y, z])))
            .sum()
    };
    assert!(
        height(6, 6).abs_diff(height(1, 1)) < u32::from(AMOUNT_ONE) / 16,
        "{} {}",
        height(6, 6),
        height(1, 1)
    );
    assert!(
        amount(world, "water", inside) > AMOUNT_ONE / 2,
        "water where ice was"
    );
}

#[test]
fn solid_that_sets_lifts_what_it_displaces() {
    let sand = "[[material]]\nname = \"sand\"\n[[body]]\nshape = { kind = \"box\", from = [8.0, 6.0, 4.0], to = [20.0, 7.0, 15.0] }\n\
                matter = { kind = \"material\", name = \"sand\", amount = 1.0 }\n";
    let mut simulation = build(&format!("{QUENCH}{sand}"), tiled()).simulation;
    let before = ["water", "sand"].map(|name| mass(simulation.world(), name));
    steps(&mut simulation, 160);
    let world = simulation.world();
    assert!(flow(world).account().set > 0);
    let after = ["water", "sand"].map(|name| mass(world, name) + used(world, name));
    assert_eq!(after, before, "none is lost in the solid");
    // Cells filled by solid hold nothing else.
    let full = world
        .layer("set")
        .unwrap()
        .held()
        .filter(|(_, cell)| cell.amount == AMOUNT_ONE);
    let shared = full.filter(|&(place, _)| {
        ["water", "sand", "steam"]
            .iter()
            .any(|name| amount(world, name, place) > 0)
    });
    assert_eq!(shared.count(), 0);
}

/// Returns the quench scene with other names for solid, melt and mould.
fn quench_by_other_names() -> String {
    let own = "[[material]]\nname = \"casting\"\nshows = \"solid\"\n[[material]]\nname = \"pour\"\nshows = \"melt\"\n\
               [[material]]\nname = \"die\"\nshows = \"mould\"\n[[body]]\nshape = { kind = \"below\"";
    QUENCH
        .replacen("[[body]]\nshape = { kind = \"below\"", own, 1)
        .replace("near = { set =", "near = { casting =")
}

#[test]
fn solid_melt_and_mould_are_what_their_tables_say() {
    let [mut usual, mut named] =
        [QUENCH, &quench_by_other_names()].map(|text| build(text, tiled()).simulation);
    for simulation in [&mut usual, &mut named] {
        steps(simulation, 20);
    }
    let (usual, named) = (usual.world(), named.world());
    assert!(mass(usual, "steam") > 0);
    for (layer, other) in [
        ("set", "casting"),
        ("melt", "pour"),
        ("mould", "die"),
        ("water", "water"),
    ] {
        let cells =
            |world: &World, name: &str| world.layer(name).unwrap().held().collect::<Vec<_>>();
        assert_eq!(cells(usual, layer), cells(named, other), "{layer}");
    }
    assert_eq!(flow(usual).account(), flow(named).account());
}

#[test]
fn default_reactions_know_the_solid_by_what_it_shows() {
    let cut = QUENCH.find("[[reaction]]").unwrap()..QUENCH.find("[[vent]]").unwrap();
    let other = quench_by_other_names();
    let cut_other = other.find("[[reaction]]").unwrap()..other.find("[[vent]]").unwrap();
    let lines = |text: &str| {
        Scene::parse(text, Path::new("own.toml"))
            .unwrap()
            .reaction_lines()
    };
    let (usual, named) = (
        [&QUENCH[..cut.start], &QUENCH[cut.end..]].concat(),
        [&other[..cut_other.start], &other[cut_other.end..]].concat(),
    );
    let usual: Vec<_> = lines(&usual)
        .iter()
        .map(|line| line.replace("set", "casting"))
        .collect();
    assert!(
        usual
            .iter()
            .any(|line| line.contains("beside casting (default)")),
        "{usual:?}"
    );
    assert_eq!(usual, lines(&named));
}

#[test]
fn a_part_is_shown_once_and_of_a_lava_that_melts() {
    let twice = quench_by_other_names().replace("shows = \"mould\"", "shows = \"melt\"");
    let refused = Scene::parse(&twice, Path::new("own.toml"))
        .unwrap_err()
        .to_string();
    assert!(
        refused.contains("shows") && refused.contains("no other material shows"),
        "{refused}"
    );
    let plain = "[grid]\nsize = [8, 8, 8]\n[terrain]\nkind = \"plane\"\n[[material]]\nname = \"wax\"\nshows = \"solid\"\n";
    let refused = Scene::parse(plain, Path::new("own.toml"))
        .unwrap_err()
        .to_string();
    assert!(
        refused.contains("material[0].shows") && refused.contains("docs/melting.md"),
        "{refused}"
    );
}

#[test]
fn faces_under_water_give_nothing_to_the_air() {
    let lost = |level: f64| {
        let cold = THAW
            .replace("power_w = 2000.0", "power_w = 0.0")
            .replace("ambient_k = 330.0", "ambient_k = 260.0")
            .replace("level = 5.0", &format!("level = {level:?}"));
        let mut simulation = build(&cold, tiled()).simulation;
        steps(&mut simulation, 5);
        flow(simulation.world()).account().heat_sky
    };
    let [dry, half, drowned] = [1.0, 5.0, 11.0].map(lost);
    assert_eq!(drowned, 0);
    assert!(
        half > 0 && half < dry,
        "{half} half under water, {dry} in the air"
    );
}

#[test]
fn the_air_takes_heat_and_steam_of_melt_and_solid() {
    let air = "[air]\nratio = 2\nmargin_m = 0.0\nheight_m = 0.8\nstep_s = 0.5\nsteam = \"steam\"\n";
    let mut simulation =
        build(&QUENCH.replace("[flow]", &format!("{air}[flow]")), tiled()).simulation;
    steps(&mut simulation, 40);
    let world = simulation.world();
    assert!(world.air().unwrap().account(lavoxel::air::Field::Heat).put > 0);
    assert!(
        world.layer("steam").unwrap().ledger().outflow > 0,
        "steam goes into the air"
    );
    // A hot block alone warms the water, too.
    let block = QUENCH
        .replace("6e-5", "0.0")
        .replace("level = 6.0", "level = 1.0")
        .replace("[flow]", &format!("{air}[flow]"));
    let mut simulation = build(&block, tiled()).simulation;
    steps(&mut simulation, 10);
    assert!(
        simulation
            .world()
            .air()
            .unwrap()
            .account(lavoxel::air::Field::Heat)
            .put
            > 0
    );
}

#[test]
fn edits_and_events_change_solid_melt_and_water() {
    let ball = |y: f64| Shape::Sphere {
        center: [15.0, y, 6.0],
        radius: 3.0,
    };
    let event = "[[event]]\nat = 20\nput = { shape = { kind = \"sphere\", center = [15.0, 8.0, 6.0], radius = 3.0 }, matter = { \
                 kind = \"solid\", temperature_k = 700.0 } }\n[[event]]\nat = 30\nput = { shape = { kind = \"below\", level = \
                 7.0 }, matter = { kind = \"material\", name = \"water\", amount = 1.0 } }\n";
    let mut with = build(&format!("{QUENCH}{event}"), tiled()).simulation;
    steps(&mut with, 45);
    let mut by_hand = build(QUENCH, tiled()).simulation;
    steps(&mut by_hand, 20);
    by_hand
        .command(Edit {
            shape: ball(8.0),
            matter: Matter::Solid {
                temperature_k: Some(700.0),
            },
        })
        .unwrap();
    steps(&mut by_hand, 10);
    let sea = Matter::Material {
        name: "water".to_owned(),
        amount: 1.0,
    };
    by_hand
        .command(Edit {
            shape: Shape::Below { level: 7.0 },
            matter: sea,
        })
        .unwrap();
    steps(&mut by_hand, 15);
    assert_eq!(by_hand.world().state_hash(), with.world().state_hash());
    by_hand
        .command(Edit {
            shape: Shape::Below { level: 20.0 },
            matter: Matter::Drain,
        })
        .unwrap();
    assert_eq!(mass(by_hand.world(), "water"), 0);
    assert!(flow(by_hand.world()).is_dry() && flow(by_hand.world()).account().set > 0);
    by_hand
        .command(Edit {
            shape: ball(8.0),
            matter: Matter::Nothing,
        })
        .unwrap();
    steps(&mut by_hand, 5);
}

#[test]
fn what_would_change_the_layers_of_the_lava_is_refused() {
    for (from, to, message) in [
        (
            "takes = { water = 1 }",
            "takes = { set = 1 }",
            "reaction[0].takes = \"set\": must be another material",
        ),
        (
            "makes = { steam = 4 }",
            "makes = { mould = 4 }",
            "reaction[0].makes = \"mould\": must be another material",
        ),
        (
            "takes = { water = 1 }",
            "takes = { melt = 1 }",
            "reaction[0].heat = set: must be with near = { lava",
        ),
        (
            "name = \"water\", amount",
            "name = \"melt\", amount",
            "body[0].matter.name = \"melt\": must be another material",
        ),
        (
            "[[vent]]",
            "[[source]]\nmaterial = \"set\"\nx = 1.0\nz = 1.0\nradius = 1.0\nrate = 1.0\n[[vent]]",
            "source[0].material = \"set\": must be another material",
        ),
    ] {
        assert!(QUENCH.contains(from), "{from}");
        let refused = Scene::parse(&QUENCH.replace(from, to), Path::new("wrong.toml"))
            .map(drop)
            .expect_err(to)
            .to_string();
        assert!(
            refused.contains(message) && !refused.contains('\n'),
            "{refused}"
        );
    }
    let basalt = QUENCH.replace(
        "semisolid-aluminium\", viscosity = { pa_s = 1.0, mush = 1e4 }",
        "etna-basalt\"",
    );
    let basalt = basalt.replace("kind = \"solid\", temperature_k = 800.0", "kind = \"rock\"");
    let refused = Scene::parse(&basalt, Path::new("wrong.toml"))
        .map(drop)
        .expect_err("no solid melts")
        .to_string();
    let wrong = "reaction[1].near = \"set\": must be the name of a [[material]] table: \"lava\"";
    assert!(refused.contains(wrong), "{refused}");
}
