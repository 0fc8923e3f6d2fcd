//! Tests that lava of the physical model interacts with water, ice, steam, ash and air. Boiling
//! water takes its heat from the lava's account, exact to the smallest unit; every account is exact
//! after every step, and engines, threads and checkpoints give the same bits.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::path::Path;

use crate::common::{plain, tiled};
use crate::meets::{assert_same_bits, build, flow, mass, parse, steps, used};
use lavoxel::scene::Scene;
use lavoxel::units::AMOUNT_ONE;
use lavoxel::world::{Edit, Matter, Shape};

/// Scene of a slope down to a sea, and lava that flows into the sea.
const COAST: &str = r#"
name = "coast"
seed = 4
model = "flow"
[flow]
step_s = 2.0
open_sides = false
[grid]
size = [30, 24, 14]
cell_size_m = 4.0
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
[[reaction]]
takes = { water = 1 }
makes = { steam = 4 }
near = { lava = 0.001 }
heat = { j_kg = 2.6e6, w_m2_k = 400.0, at_k = 373.0 }
[[vent]]
x = 15.0
z = 4.0
radius = 2.0
rate_m3_s = 12.0
"#;

#[test]
fn water_boils_by_the_heat_of_the_lava_ledger() {
    let mut simulation = build(COAST, tiled()).simulation;
    steps(&mut simulation, 150);
    let world = simulation.world();
    let account = flow(world).account();
    let boiled = used(world, "water");
    assert!(boiled > 0 && account.heat_used > 0, "{account:?}");
    // Each unit of water took the same whole number of heat units.
    assert_eq!(
        account.heat_used % i128::from(boiled),
        0,
        "{} of {boiled}",
        account.heat_used
    );
    let each = (account.heat_used / i128::from(boiled)) as f64 / flow(world).heat_units_of_joule();
    let kilograms = 1000.0 * flow(world).space().cell_m3() / f64::from(AMOUNT_ONE);
    assert!(
        (each / kilograms / 2.6e6 - 1.0).abs() < 1e-4,
        "{} J/kg",
        each / kilograms
    );
    assert!(account.set > 0, "lava sets in the water");
    // The heat per unit stays the same even if water could take more than the lava has.
    let mut greedy = build(&COAST.replace("w_m2_k = 400.0", "w_m2_k = 1e6"), tiled()).simulation;
    steps(&mut greedy, 150);
    let (all, heat) = (
        used(greedy.world(), "water"),
        flow(greedy.world()).account().heat_used,
    );
    assert_eq!(
        heat,
        i128::from(all) * (account.heat_used / i128::from(boiled))
    );
    // Without heat transfer nothing boils, and the water affects the lava only by hiding the sky.
    let cold = COAST.replace("w_m2_k = 400.0", "w_m2_k = 0.001");
    let mut simulation = build(&cold, tiled()).simulation;
    steps(&mut simulation, 150);
    assert!(used(simulation.world(), "water") < boiled / 1000);
    assert!(flow(simulation.world()).account().set < account.set);
}

#[test]
fn water_boils_at_lava_that_is_hot_enough_without_a_table() {
    let (before, rest) = COAST.split_once("[[reaction]]").unwrap();
    let (_, vent) = rest.split_once("[[vent]]").unwrap();
    let short = format!("{before}[[vent]]{vent}");
    let run = |text: &str| {
        let mut simulation = build(text, tiled()).simulation;
        steps(&mut simulation, 80);
        (
            used(simulation.world(), "water"),
            simulation.world().state_hash(),
        )
    };
    let written = run(&COAST.replace("w_m2_k = 400.0", "w_m2_k = 300.0"));
    assert!(written.0 > 0);
    assert_eq!(run(&short), written);
    assert_eq!(run(&format!("default_reactions = false\n{short}")).0, 0);
    // Steam is added even if no table names steam; a lava too cold to boil water adds none.
    let names = |text: &str| {
        parse(text)
            .spec
            .materials
            .iter()
            .map(|material| material.name.clone())
            .collect::<Vec<_>>()
    };
    let unnamed = short.replace("[[material]]\nname = \"steam\"\n", "");
    assert_eq!(names(&unnamed), ["water", "steam"]);
    let wax = unnamed.replace("[grid]", "lava = \"paraffin-wax\"\n[grid]");
    assert!(!names(&wax).contains(&"steam".to_owned()));
    let metal = unnamed.replace("[grid]", "lava = \"semisolid-aluminium\"\n[grid]");
    assert!(names(&metal).contains(&"steam".to_owned()));
    let near: Vec<_> = parse(&metal)
        .spec
        .reactions
        .iter()
        .flat_map(|r| r.near.clone().unwrap().0)
        .collect();
    assert_eq!(
        near.iter()
            .map(|(name, _)| name.as_str())
            .collect::<Vec<_>>(),
        ["melt", "set"]
    );
}

#[test]
fn engines_threads_and_checkpoints_give_the_same_bits() {
    assert_same_bits(COAST, 61);
}

#[test]
fn water_over_lava_hides_the_sky() {
    let lake =
        "[[body]]\nshape = { kind = \"box\", from = [0.0, 0.0, 0.0], to = [30.0, 9.0, 14.0] }\n";
    let lava = format!("{lake}matter = {{ kind = \"lava\", amount = 1.0 }}\n");
    let still = "[terrain]\nkind = \"plane\"\nbase_cells = 4.0\n";
    let scene = |level: f64| {
        let coast = COAST
            .replace("w_m2_k = 400.0", "w_m2_k = 0.001")
            .replace("level = 6.0", &format!("level = {level:?}"));
        let ground = coast.replace(
            "[terrain]\nkind = \"slope\"\nangle_deg = 20.0\nroughness = 0.5\n",
            still,
        );
        format!("{ground}{lava}").replace("rate_m3_s = 12.0", "rate_m3_s = 0.0")
    };
    let lost = |level: f64| {
        let mut simulation = build(&scene(level), tiled()).simulation;
        steps(&mut simulation, 10);
        assert!(flow(simulation.world()).account().liquid() > 0);
        flow(simulation.world()).account().heat_sky
    };
    assert_eq!(lost(12.0), 0, "three cells of water");
    assert!(lost(1.0) > 0, "no water above the ground");
}

#[test]
fn ice_melts_ash_melts_into_lava_and_lava_breaks_up() {
    let more = r#"
[[material]]
name = "ice"
[[material]]
name = "ash"
[[material]]
name = "rubble"
[[reaction]]
takes = { ice = 1 }
makes = { water = 1 }
near = { lava = 0.001 }
heat = { j_kg = 3.34e5, w_m2_k = 400.0, at_k = 273.15 }
[[reaction]]
takes = { ash = 2 }
makes = { lava = 1 }
near = { lava = 0.25 }
[[reaction]]
takes = { lava = 1, water = 1 }
makes = { rubble = 1, steam = 4 }
where = "across"
rate = 0.02
[[body]]
shape = { kind = "box", from = [11.0, 0.0, 5.0], to = [19.0, 24.0, 8.0] }
matter = { kind = "material", name = "ice", amount = 0.5 }
[[body]]
shape = { kind = "box", from = [12.0, 20.0, 3.0], to = [18.0, 22.0, 5.0] }
matter = { kind = "material", name = "ash", amount = 1.0 }
"#;
    let scene = format!("{COAST}{more}");
    let mut simulation = build(&scene, tiled()).simulation;
    let ice = mass(simulation.world(), "ice");
    steps(&mut simulation, 150);
    let world = simulation.world();
    let account = flow(world).account();
    assert!(mass(world, "ice") < ice, "ice melts");
    assert!(
        used(world, "ash") > 0 && account.made > 0,
        "ash becomes lava: {account:?}"
    );
    assert!(
        account.used > 0 && world.layer("rubble").unwrap().ledger().made > 0,
        "lava breaks up: {account:?}"
    );
    let mut other = build(&scene, plain()).simulation;
    steps(&mut other, 150);
    assert_eq!(other.world().state_hash(), world.state_hash());
}

#[test]
fn the_air_takes_steam_and_heat_of_this_lava() {
    let air =
        "[air]\nratio = 2\nmargin_m = 0.0\nheight_m = 160.0\nstep_s = 2.0\nsteam = \"steam\"\n";
    let scene = COAST.replace("[flow]", &format!("{air}[flow]"));
    let scene = scene.replace(
        "rate_m3_s = 12.0",
        "rate_m3_s = 12.0\nair = { gas = 0.03, ash = 0.01 }",
    );
    let mut simulation = build(&scene, tiled()).simulation;
    steps(&mut simulation, 120);
    let air = simulation.world().air().unwrap();
    for field in air.amounts().present() {
        assert!(air.account(field).put > 0, "{}", field.name());
    }
    assert!(
        simulation.world().layer("steam").unwrap().ledger().outflow > 0,
        "steam goes into the air"
    );
    for (from, to, message) in [
        (
            "step_s = 2.0\nsteam",
            "step_s = 1.0\nsteam",
            "air.step_s = 1: must be flow.step_s = 2",
        ),
        (
            "cell_size_m = 4.0",
            "cell_size_m = 4.0\ncell_height_m = 2.0",
            "grid.cell_height_m = 2: must be left out, or",
        ),
    ] {
        assert!(scene.contains(from));
        let refused = Scene::parse(&scene.replace(from, to), Path::new("wrong.toml"))
            .map(drop)
            .unwrap_err()
            .to_string();
        assert!(refused.contains(message), "{refused}");
    }
}

#[test]
fn edits_and_events_change_a_running_flow() {
    let sphere = |y: f64, radius: f64| Shape::Sphere {
        center: [15.0, y, 6.0],
        radius,
    };
    let event = "[[event]]\nat = 20\nput = { shape = { kind = \"sphere\", center = [15.0, 12.0, 6.0], radius = 3.0 }, \
                 matter = { kind = \"lava\", amount = 1.0 } }\n[[event]]\nat = 40\nput = { shape = { kind = \"box\", \
                 from = [0.0, 0.0, 9.0], to = [30.0, 20.0, 10.0] }, matter = { kind = \"rock\" } }\n";
    let mut with = build(&format!("{COAST}{event}"), tiled()).simulation;
    steps(&mut with, 60);
    let mut by_hand = build(COAST, tiled()).simulation;
    steps(&mut by_hand, 20);
    let placed = flow(by_hand.world()).account().placed;
    by_hand
        .command(Edit {
            shape: sphere(12.0, 3.0),
            matter: Matter::Lava {
                amount: 1.0,
                energy: 1.0,
                temperature_k: None,
            },
        })
        .unwrap();
    assert!(flow(by_hand.world()).account().placed > placed);
    steps(&mut by_hand, 20);
    let wall = Shape::Box {
        from: [0.0, 0.0, 9.0],
        to: [30.0, 20.0, 10.0],
    };
    by_hand
        .command(Edit {
            shape: wall,
            matter: Matter::Rock,
        })
        .unwrap();
    assert!((0..20).all(|y| by_hand.world().ground().is_solid([15, y, 9])));
    steps(&mut by_hand, 20);
    assert_eq!(by_hand.world().state_hash(), with.world().state_hash());
    // Digging removes lava with the rock; draining removes water too.
    let before = *flow(by_hand.world()).account();
    by_hand
        .command(Edit {
            shape: sphere(10.0, 4.0),
            matter: Matter::Nothing,
        })
        .unwrap();
    by_hand
        .command(Edit {
            shape: Shape::Below { level: 20.0 },
            matter: Matter::Drain,
        })
        .unwrap();
    by_hand.world().check().unwrap();
    let account = flow(by_hand.world()).account();
    assert!(account.removed > before.removed && flow(by_hand.world()).is_dry());
    assert_eq!(mass(by_hand.world(), "water"), 0);
    assert_eq!(account.liquid(), 0);
    steps(&mut by_hand, 10);
    let solid = Edit {
        shape: sphere(12.0, 3.0),
        matter: Matter::Solid {
            temperature_k: None,
        },
    };
    assert!(
        by_hand
            .command(solid)
            .unwrap_err()
            .to_string()
            .contains("needs a lava with liquidus_k")
    );
}

#[test]
fn rock_that_sets_lifts_what_it_displaces() {
    let mut simulation =
        build(&COAST.replace("w_m2_k = 400.0", "w_m2_k = 2000.0"), tiled()).simulation;
    let water = mass(simulation.world(), "water");
    steps(&mut simulation, 200);
    let world = simulation.world();
    assert!(flow(world).account().set > 0);
    assert_eq!(
        mass(world, "water") + used(world, "water"),
        water,
        "none is lost in the rock"
    );
}

#[test]
fn reactions_with_heat_are_checked() {
    let refused = |from: &str, to: &str| {
        assert!(COAST.contains(from), "{from}");
        let text = COAST.replace(from, to);
        Scene::parse(&text, Path::new("wrong.toml"))
            .map(drop)
            .expect_err(&text)
            .to_string()
    };
    for (from, to, message) in [
        (
            "j_kg = 2.6e6",
            "j_kg = -1.0",
            "reaction[0].heat.j_kg = -1: must be a number from 1",
        ),
        (
            "w_m2_k = 400.0",
            "w_m2_k = nan",
            "reaction[0].heat.w_m2_k = NaN",
        ),
        ("at_k = 373.0", "at_k = 0.0", "reaction[0].heat.at_k = 0"),
        (
            "near = { lava = 0.001 }",
            "near = { water = 0.5 }",
            "reaction[0].heat = set: must be with near = { lava",
        ),
        (
            "takes = { water = 1 }",
            "takes = { lava = 1 }",
            "reaction[0].heat = set: must be with near = { lava",
        ),
        (
            "model = \"flow\"\n[flow]\nstep_s = 2.0\nopen_sides = false",
            "",
            "reaction[0].heat = set: must be left out without",
        ),
        (
            "roof = \"open\"",
            "spread = 0.1",
            "rules = set: must be left out",
        ),
    ] {
        let message_of = refused(from, to);
        assert!(
            message_of.contains(message) && !message_of.contains('\n'),
            "{to}: {message_of}"
        );
    }
}
