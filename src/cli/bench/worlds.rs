//! The worlds that are timed.

use std::path::Path;

use lavoxel::engine::tiled::Tiled;
use lavoxel::engine::{Engine, Stage};
use lavoxel::grid::Grid;
use lavoxel::random::Draw;
use lavoxel::rules::{Rules, RulesSpec};
use lavoxel::scene::Scene;
use lavoxel::simulation::Simulation;
use lavoxel::world::World;

use super::stop;

/// The paper's box.
pub(super) const PAPER_BOX: Grid = Grid { nx: 128, ny: 100, nz: 128 };

/// Steps of the volcano before its lava is timed.
const VOLCANO_STEPS: [u64; 2] = [500, 2000];
/// Shares of the box that are filled with lava.
const FILLS: [f64; 3] = [0.1, 0.25, 0.5];
/// Steps in which the lava of a filled box comes to rest.
const SETTLING: u64 = 5;
/// Steps of a settled world that are timed as one: a single one is too short for the clock.
const SETTLED_BATCH: u64 = 100;

/// Scenes of several materials, and the steps before they are timed. Together they have every rule.
const SCENES: [(&str, &str, u64); 3] = [
    ("island", include_str!("../../../terrains/island.toml"), 1500),
    ("cycle", include_str!("../../../terrains/cycle.toml"), 500),
    ("u-tube", include_str!("../../../terrains/u_tube.toml"), 100),
];

/// A world with its rules.
pub(super) struct Case {
    pub(super) name: String,
    pub(super) world: World,
    pub(super) rules: Rules,
    /// How many steps are timed together.
    pub(super) batch: u64,
}

/// All worlds; fewer after Ctrl-C.
pub(super) fn cases() -> anyhow::Result<Vec<Case>> {
    let mut cases = Vec::new();
    let mut simulation = Scene::volcano().build(Box::new(Tiled::default()))?.simulation;
    for steps in VOLCANO_STEPS {
        cases.push(after(&mut simulation, steps, format!("volcano, step {steps}")));
    }
    let rules = Rules::from(&RulesSpec::default());
    for fill in FILLS {
        let world = World::restless(PAPER_BOX, fill);
        cases.push(Case { name: format!("box, {:.0} % full", fill * 100.0), world, rules: rules.clone(), batch: 1 });
    }
    let mut world = World::at_rest(PAPER_BOX);
    let mut engine = Tiled::default();
    (0..SETTLING).for_each(|i| step(&mut engine, &mut world, &rules, i));
    cases.push(Case { name: "settled".to_owned(), world, rules, batch: SETTLED_BATCH });
    for (name, text, steps) in SCENES {
        let mut simulation = Scene::parse(text, Path::new(name))?.build(Box::new(Tiled::default()))?.simulation;
        cases.push(after(&mut simulation, steps, format!("{name}, step {steps}")));
    }
    Ok(cases)
}

/// A simulation after so many steps in all; fewer after Ctrl-C.
fn after(simulation: &mut Simulation, steps: u64, name: String) -> Case {
    while simulation.steps() < steps && !stop::asked() {
        simulation.step();
    }
    Case { name, world: simulation.world().clone(), rules: simulation.rules().clone(), batch: 1 }
}

/// One step of all rules.
pub(super) fn step(engine: &mut Tiled, world: &mut World, rules: &Rules, number: u64) {
    for stage in Stage::of_rules(rules) {
        engine.run(world, stage, Draw { seed: 1, step: number });
    }
}
