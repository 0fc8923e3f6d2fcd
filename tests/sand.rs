//! The promise of grains: none is lost, all engines give the same bits, and what rests has nowhere to go.

mod common;

use common::{Dice, any_grid, any_rules, ball, one_cell, plain, random_world, vents};
use lavoxel::engine::tiled::Tiled;
use lavoxel::engine::{Engine, Level};
use lavoxel::grid::Grid;
use lavoxel::matter::{Grains, Kind, Material, Pressure};
use lavoxel::rules::{MaterialChange, RulesChange, RulesSpec, Walls};
use lavoxel::simulation::{Command, Simulation};
use lavoxel::source::VentSpec;
use lavoxel::units::AMOUNT_ONE;
use lavoxel::world::{Layer, Matter, World};
use proptest::prelude::*;

fn some(name: &str, amount: f64) -> Matter {
    Matter::Material { name: name.to_owned(), amount }
}

/// A material of grains with any numbers.
fn any_grains(name: &'static str, density: f64) -> impl Strategy<Value = Material> {
    let share = || prop_oneof![Just(0.0), Just(1.0), Just(0.25), 0.0..=1.0];
    (share(), share(), share(), any::<bool>()).prop_map(move |(corners, slip, drag, flow)| Material {
        name: name.to_owned(),
        kind: Kind::Grain,
        density,
        grains: Grains { corners, slip, drag, flow },
        ..Material::water()
    })
}

fn fluid(name: &str, density: f64, pressure: Pressure) -> Material {
    Material { name: name.to_owned(), density, pressure, ..Material::water() }
}

/// Some of three kinds of grains, and fluids that are denser and lighter than them; lava is between.
fn any_materials() -> impl Strategy<Value = Vec<Material>> {
    let grains = (any_grains("sand", 2700.0), any_grains("ash", 1300.0), any_grains("drops", 900.0));
    let pressure = prop_oneof![Just(Pressure::None), Just(Pressure::Compress)];
    (grains, pressure, 1..8_usize, 0..8_usize).prop_map(|((sand, ash, drops), pressure, kinds, others)| {
        let still = Material { name: "ice".to_owned(), kind: Kind::Still, density: 917.0, ..Material::water() };
        let all = [sand, ash, drops, fluid("water", 1000.0, pressure), fluid("syrup", 2900.0, Pressure::None), still];
        let wanted = kinds | others << 3;
        all.into_iter().enumerate().filter(|(i, _)| wanted >> i & 1 == 1).map(|(_, material)| material).collect()
    })
}

/// Random rock, lava and other matter.
fn random_mixture(grid: Grid, seed: u64, materials: Vec<Material>) -> World {
    let mut dice = Dice(seed);
    let lava = random_world(grid, seed, dice.below(40), dice.below(30));
    let names: Vec<_> = materials.iter().map(|material| material.name.clone()).collect();
    let mut world = World::with_materials(lava.ground().clone(), materials);
    for ([x, y, z], content) in lava.lava().held() {
        world.place([x, y, z], content.amount, content.energy);
    }
    let share = dice.below(90);
    for i in 0..grid.cells() {
        let at = [i % grid.nx, i / grid.nx % grid.ny, i / grid.nx / grid.ny];
        if dice.below(100) < share {
            let name = &names[dice.below(names.len() as u64) as usize];
            let amount = if dice.below(2) == 0 { 1.0 } else { dice.below(1001) as f64 / 1000.0 };
            world.edit(&one_cell(at, some(name, amount)));
        }
    }
    world.open_account();
    world
}

fn is_lava(layer: &&Layer) -> bool {
    layer.material().name == Material::LAVA
}

/// Vents, and a source or faucet of each material.
fn sources(world: &World) -> Vec<VentSpec> {
    let mut all = vents(world.grid());
    for (i, layer) in world.layers().iter().filter(|layer| !is_lava(layer)).enumerate() {
        let mut spec = all[i % 2].clone();
        (spec.material, spec.x) = (Some(layer.material().name.clone()), spec.x * 0.7);
        spec.height = (i % 2 == 0).then_some(world.grid().ny as f64 * 0.6);
        all.push(spec);
    }
    all
}

/// Rock, holes or matter in a ball, other sides of the box, or other numbers of a material.
fn meddle(world: &World, dice: &mut Dice) -> Command {
    let grid = world.grid();
    let mut at = |n: usize| dice.below(n as u64 * 10) as f64 / 10.0;
    let [x, y, z] = [at(grid.nx), at(grid.ny), at(grid.nz)];
    let others: Vec<_> = world.layers().iter().filter(|layer| !is_lava(layer)).collect();
    let material = others[dice.below(others.len() as u64) as usize].material();
    let matter = match dice.below(9) {
        0 => Matter::Rock,
        1 => Matter::Nothing,
        2 => Matter::Drain,
        3 => Matter::Lava { amount: 1.0, energy: 1.0 },
        4 => {
            let walls = if dice.below(2) == 0 { Walls::Open } else { Walls::Closed };
            let other = if walls == Walls::Open { Walls::Closed } else { Walls::Open };
            let [before, after] = [other, walls].map(|walls| RulesSpec { walls, ..RulesSpec::default() });
            return RulesChange::between(&before, &after).into();
        }
        5 => {
            let mut other = material.clone();
            let corners = dice.below(1001) as f64 / 1000.0;
            other.grains = Grains { corners, flow: !other.grains.flow, ..other.grains };
            return MaterialChange::between(material, &other).into();
        }
        _ => some(&material.name, dice.below(1001) as f64 / 1000.0),
    };
    Command::Put(ball(x, y, z, matter))
}

fn assert_same(ours: &World, theirs: &World, step: u64) {
    for (ours, theirs) in ours.layers().iter().zip(theirs.layers()) {
        let name = &ours.material().name;
        let differ: Vec<_> = theirs.held().filter(|&(place, content)| ours.at(place) != content).collect();
        let there: Vec<_> = ours.held().filter(|&(place, content)| theirs.at(place) != content).collect();
        assert!(differ.is_empty() && there.is_empty(), "{name} after step {step}: {there:?}, expected {differ:?}");
        assert_eq!(ours.ledger(), theirs.ledger(), "the account of {name} after step {step}");
    }
    assert_eq!(ours.state_hash(), theirs.state_hash(), "the hash after step {step}");
}

/// Every grain is a whole one and in the account; [`World::check`] knows both, and this does not trust it.
fn assert_counted(world: &World) {
    for layer in world.layers().iter().filter(|layer| layer.material().kind == Kind::Grain) {
        let ledger = layer.ledger();
        let grains = layer.held().map(|(_, content)| assert_eq!(content.amount, AMOUNT_ONE)).count() as u64;
        let expected = ledger.initial + ledger.sourced - ledger.outflow - ledger.removed;
        assert_eq!(grains * u64::from(AMOUNT_ONE), expected, "{}", layer.material().name);
    }
}

fn run_side_by_side(world: &World, rules: &RulesSpec, level: Level, seed: u64, steps: u64) {
    let engines: [Box<dyn Engine>; 2] = [Box::new(Tiled::on(level)), plain()];
    let [mut ours, mut theirs] =
        engines.map(|engine| Simulation::new(world.clone(), rules, &sources(world), seed, engine));
    let mut dice = Dice(seed);
    for step in 1..=steps {
        if dice.below(5) == 0 {
            let act = meddle(world, &mut dice);
            ours.command(act.clone()).expect("a small edit");
            theirs.command(act).expect("a small edit");
        }
        ours.step();
        theirs.step();
        ours.world().check().unwrap_or_else(|fault| panic!("step {step}: {fault}"));
        assert_counted(ours.world());
        assert_same(ours.world(), theirs.world(), step);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn engines_agree_and_account_for_every_grain(
        grid in any_grid(), seed in any::<u64>(), rules in any_rules(), materials in any_materials(),
        level in prop::sample::select(Level::available()),
    ) {
        let world = random_mixture(grid, seed, materials);
        run_side_by_side(&world, &rules, level, seed >> 1, 40);
    }
}
