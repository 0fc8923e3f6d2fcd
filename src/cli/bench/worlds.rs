//! Worlds of the benchmark, in which the stages of a step are timed.

use std::path::Path;

use lavoxel::engine::tiled::Tiled;
use lavoxel::grid::Grid;
use lavoxel::random::Draw;
use lavoxel::rules::{Rules, RulesSpec};
use lavoxel::scene::Scene;
use lavoxel::simulation::{Simulation, Stage};
use lavoxel::source::Vents;
use lavoxel::state::State;
use lavoxel::world::{Ground, World};

use super::stop;

/// Size in cells of the box in the paper to whose times the table compares.
pub(super) const PAPER_BOX: Grid = Grid {
    nx: 128,
    ny: 100,
    nz: 128,
};

/// Numbers of steps after which the state of the volcano scene becomes a case of the benchmark.
const VOLCANO_STEPS: [u64; 2] = [500, 2000];
/// Fractions of the box that are filled with lava; each fraction gives a world.
const FILLS: [f64; 3] = [0.1, 0.25, 0.5];
/// Number of steps after which the lava in the world `settled` is at rest.
const SETTLING: u64 = 5;
/// Number of steps that are timed together in the settled world, because a single step is too short
/// for the resolution of the clock.
const SETTLED_BATCH: u64 = 100;

/// Scenes with several materials, or of the physical model: (name, text, number of steps before the
/// measurement). Together the scenes use every rule.
const SCENES: [(&str, &str, u64); 6] = [
    (
        "island",
        include_str!("../../../terrains/island.toml"),
        1500,
    ),
    ("cycle", include_str!("../../../terrains/cycle.toml"), 500),
    ("u-tube", include_str!("../../../terrains/u_tube.toml"), 100),
    ("float", include_str!("../../../terrains/float.toml"), 20),
    ("plume", include_str!("../../../terrains/plume.toml"), 300),
    ("flow", FLOW, 100),
];

/// Scene of the physical model: lava flows down a slope.
const FLOW: &str = r#"
model = "flow"
[flow]
step_s = 20.0
[grid]
size = [96, 64, 128]
cell_size_m = 10.0
cell_height_m = 5.0
[terrain]
kind = "slope"
angle_deg = 8.0
roughness = 0.6
[[vent]]
x = 48.5
z = 12.5
radius = 1.0
rate_m3_s = 20.0
"#;

/// Case of the benchmark: a world in which stages are timed, with its rules.
pub(super) struct Case {
    pub(super) name: String,
    pub(super) world: State,
    pub(super) rules: Rules,
    /// Vents of the world, for those stages that pour lava in the physical model or feed the air.
    pub(super) vents: Vents,
    /// Number of successive steps that are timed together as one sample.
    pub(super) batch: u64,
}

/// Builds the worlds of all cases; after Ctrl-C, the simulations that produce the worlds stop
/// earlier.
pub(super) fn cases() -> anyhow::Result<Vec<Case>> {
    let mut cases = Vec::new();
    let mut simulation = Scene::volcano()
        .build(Box::new(Tiled::default()))?
        .simulation;
    for steps in VOLCANO_STEPS {
        cases.push(after(
            &mut simulation,
            steps,
            format!("volcano, step {steps}"),
        ));
    }
    let rules = Rules::from(&RulesSpec::default());
    for fill in FILLS {
        let world = World::restless(PAPER_BOX, fill).into();
        let (name, rules) = (format!("box, {:.0} % full", fill * 100.0), rules.clone());
        cases.push(Case {
            name,
            world,
            rules,
            vents: none(),
            batch: 1,
        });
    }
    let world = World::at_rest(PAPER_BOX).into();
    let mut engine = Tiled::default();
    let mut settled = Case {
        name: "settled".to_owned(),
        world,
        rules,
        vents: none(),
        batch: SETTLED_BATCH,
    };
    (0..SETTLING).for_each(|i| settled.step(&mut engine, i));
    cases.push(settled);
    for (name, text, steps) in SCENES {
        let mut simulation = Scene::parse(text, Path::new(name))?
            .build(Box::new(Tiled::default()))?
            .simulation;
        cases.push(after(
            &mut simulation,
            steps,
            format!("{name}, step {steps}"),
        ));
    }
    Ok(cases)
}

/// Runs `simulation` until `steps` steps are completed or Ctrl-C is pressed, and returns its state
/// as a case with the name `name`.
fn after(simulation: &mut Simulation, steps: u64, name: String) -> Case {
    while simulation.steps() < steps && !stop::asked() {
        simulation.step();
    }
    let vents = Vents::new(
        &simulation.vents().cloned().collect::<Vec<_>>(),
        simulation.world().grid(),
    );
    Case {
        name,
        world: simulation.world().clone(),
        rules: simulation.rules().clone(),
        vents,
        batch: 1,
    }
}

impl Case {
    /// Iterates over the stages of a step of this case in order, without the sources of materials.
    pub(super) fn stages(&self) -> impl Iterator<Item = Stage<'_>> {
        let air = Stage::of_air(&self.world, &self.vents);
        let flow = self.world.flow().map(|_| Stage::Flow(&self.vents));
        let flows = flow.is_some();
        flow.into_iter()
            .chain(Stage::of_rules(&self.rules).filter(move |_| !flows))
            .chain(air)
    }

    /// Advances the world of the case by one step, without the sources of materials. `number`:
    /// number of the step.
    pub(super) fn step(&mut self, engine: &mut Tiled, number: u64) {
        let mut world = std::mem::replace(
            &mut self.world,
            World::new(Ground::none(Grid::new(1, 1, 1))).into(),
        );
        self.step_of(&mut world, engine, number);
        self.world = world;
    }

    /// Advances `world` by one step with the rules of the case, without the sources of materials
    /// and without the calming rule, as if the lava were still fed. `number`: number of the step.
    pub(super) fn step_of(&self, world: &mut State, engine: &mut Tiled, number: u64) {
        let stages = self.stages().filter(|stage| !stage.calms());
        stages.for_each(|stage| {
            stage.run(
                world,
                engine,
                Draw {
                    seed: 1,
                    step: number,
                },
            )
        });
    }
}

/// Returns an empty list of vents, for a world without sources.
fn none() -> Vents {
    Vents::new(&[], PAPER_BOX)
}
