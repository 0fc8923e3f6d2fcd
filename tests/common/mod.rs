//! Worlds, scenes and random commands that several tests share.
#![allow(dead_code, reason = "each test file uses its own part")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use lavoxel_air::Wind;
use lavoxel_automaton::engine::Engine;
use lavoxel_automaton::engine::plain::Plain;
use lavoxel_automaton::engine::tiled::Tiled;
use lavoxel_automaton::matter::{Capacity, Material};
use lavoxel_automaton::rules::{Friction, Param, RulesChange, RulesSpec, Scale, Walls};
use lavoxel_automaton::world::{Breath, Edit, Ground, Matter, Shape, World};
use lavoxel_base::grid::{Grid, Place};
use lavoxel_base::random::mix64;
use lavoxel_base::units::{AMOUNT_ONE, ENERGY_MAX, ENERGY_ONE};
use lavoxel_geo::generate::{self, Bed, Cone};
use lavoxel_sim::lowpass::{BRICK, Volume};
use lavoxel_sim::simulation::{Command, Simulation};
use lavoxel_sim::source::{VentChange, VentSpec};
use proptest::prelude::*;

/// Amount and energy of a full cell of fresh lava, in the smallest units.
pub(crate) const FRESH: (u16, u16) = (AMOUNT_ONE, ENERGY_ONE);

/// Returns the number of random cases of a test: `LAVOXEL_CASES` if set, as in `.ci/full`, else
/// `default`, which is small enough for every `cargo test`.
pub(crate) fn cases(default: u32) -> u32 {
    let asked = std::env::var("LAVOXEL_CASES").ok();
    asked.map_or(default, |count| {
        count.parse().expect("LAVOXEL_CASES is a number of cases")
    })
}

/// Returns the stride at which a test samples its pictures, scenes or commands: `few` in a quick
/// run, else 1, so that all are tested.
pub(crate) fn one_in(few: usize) -> usize {
    if cases(0) == 0 { few } else { 1 }
}

/// Generator of pseudo-random numbers from a seed.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    /// Returns the next random number, 0 to `n` − 1.
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix64(self.0) % n
    }
}

/// Creates a world with rock in `solid_percent` of the cells, and random amounts of lava, extremes
/// included, in `liquid_percent` of the others.
pub(crate) fn random_world(
    grid: Grid,
    seed: u64,
    solid_percent: u64,
    liquid_percent: u64,
) -> World {
    let mut dice = Dice(seed);
    let mut world = World::new(Ground::none(grid));
    for z in 0..grid.nz {
        for y in 0..grid.ny {
            for x in 0..grid.nx {
                if dice.below(100) < solid_percent {
                    let from = [x as f64, y as f64, z as f64];
                    let shape = Shape::Box {
                        from,
                        to: from.map(|v| v + 1.0),
                    };
                    world.edit(&Edit {
                        shape,
                        matter: Matter::Rock,
                    });
                } else if dice.below(100) < liquid_percent {
                    let amount = match dice.below(8) {
                        0 => AMOUNT_ONE,
                        1 => 1 + dice.below(6) as u16,
                        _ => 1 + dice.below(u64::from(AMOUNT_ONE)) as u16,
                    };
                    let energy = match dice.below(8) {
                        0 => ENERGY_MAX,
                        1 => dice.below(4) as u16,
                        _ => dice.below(3 * u64::from(ENERGY_ONE)) as u16,
                    };
                    world.place([x, y, z], amount, energy);
                }
            }
        }
    }
    world.open_account();
    world
}

/// Creates the world of the built-in volcano in a box of size `grid`, without lava.
pub(crate) fn volcano(grid: Grid) -> World {
    let bed = Bed {
        seed: 1,
        base: 0.08 * grid.ny as f64,
        roughness: 1.0,
    };
    World::new(Ground::from_surface(
        grid.ny,
        generate::volcano(grid, &bed, &Cone::default()),
    ))
}

/// Strategy for random rules over the whole allowed range; limits and defaults occur more often.
pub(crate) fn any_rules() -> impl Strategy<Value = RulesSpec> {
    let value = |param: &'static Param| {
        // Above a few times the default hardly anything moves.
        let high = if param.scale == Scale::Linear {
            param.high
        } else {
            3.0 * param.default()
        };
        prop_oneof![
            Just(param.low),
            Just(high),
            Just(param.default()),
            param.low..=high
        ]
    };
    let values: Vec<_> = RulesSpec::params().map(value).collect();
    (values, any::<bool>()).prop_map(|(values, open)| {
        let mut rules = RulesSpec {
            walls: if open { Walls::Open } else { Walls::Closed },
            ..RulesSpec::default()
        };
        RulesSpec::params()
            .zip(values)
            .for_each(|(param, value)| (param.set)(&mut rules, value));
        rules
    })
}

/// Strategy for box sizes, from a single cell to irregular slabs.
pub(crate) fn any_grid() -> impl Strategy<Value = Grid> {
    prop_oneof![
        Just(Grid::new(1, 1, 1)),
        Just(Grid::new(3, 40, 5)),
        Just(Grid::new(33, 7, 34)),
        (1usize..14, 1usize..10, 1usize..14).prop_map(|(nx, ny, nz)| Grid::new(nx, ny, nz)),
    ]
}

/// Returns two vents in a box of size `grid`; the second stops pouring at step 9.
pub(crate) fn vents(grid: Grid) -> Vec<VentSpec> {
    let spec = |x: f64, z: f64, rate: f64, end: Option<u64>| VentSpec {
        x: x * grid.nx as f64,
        z: z * grid.nz as f64,
        radius: 1.6,
        rate,
        start: 2,
        end,
        energy: 1.3,
        ..VentSpec::default()
    };
    vec![spec(0.5, 0.5, 1.37, None), spec(0.1, 0.8, 0.21, Some(9))]
}

/// Creates the tiled engine, the one under test.
pub(crate) fn tiled() -> Box<dyn Engine> {
    Box::new(Tiled::default())
}

/// Creates the plain engine, the reference.
pub(crate) fn plain() -> Box<dyn Engine> {
    Box::new(Plain)
}

/// Creates a simulation of `world` without vents.
pub(crate) fn still(
    world: World,
    rules: &RulesSpec,
    seed: u64,
    engine: Box<dyn Engine>,
) -> Simulation {
    Simulation::new(world, rules, &[], seed, engine)
}

/// Returns the largest density of each brick, including a halo of one cell, computed cell by cell
/// as the reference for `Bricks`.
pub(crate) fn densest(volume: &Volume) -> Vec<u8> {
    let grid = volume.grid;
    let near = |brick: usize, n: usize| {
        (brick * BRICK).saturating_sub(1)..(brick * BRICK + BRICK + 1).min(n)
    };
    let mut all = Vec::new();
    for k in 0..grid.nz.div_ceil(BRICK) {
        for j in 0..grid.ny.div_ceil(BRICK) {
            for i in 0..grid.nx.div_ceil(BRICK) {
                let cells = near(k, grid.nz)
                    .flat_map(|z| near(j, grid.ny).map(move |y| (y, z)))
                    .flat_map(|(y, z)| near(i, grid.nx).map(move |x| grid.index([x, y, z])));
                all.push(cells.map(|cell| volume.density[cell]).max().unwrap_or(0));
            }
        }
    }
    all
}

/// Scene of a small mountain with a vent, a body and an event.
pub(crate) const SCENE: &str = r#"
seed = 4
[grid]
size = [20, 18, 16]
[terrain]
kind = "hills"
[rules]
threshold = 0.2
[[material]]
name = "water"
pressure = "compress"
compress = { max = 0.01, passes = 2 }
[[material]]
name = "oil"
density = 800.0
viscosity = 0.9
stickiness = 0.05
fluidity = 3
pressure = "trace"
trace = { every = 2, air = "kept" }
[[material]]
name = "sand"
kind = "grain"
density = 2650.0
[[material]]
name = "ash"
kind = "grain"
density = 900.0
grains = { slip = 0.5, drag = 0.2, flow = true }
[[material]]
name = "rubble"
[[material]]
name = "steam"
[[material]]
name = "ice"
[[reaction]]
takes = { lava = 1, water = 1 }
makes = { rubble = 1, steam = 4 }
where = "across"
rate = 0.25
[[reaction]]
takes = { steam = 4 }
makes = { water = 1 }
chance = 0.1
[[reaction]]
takes = { ice = 1 }
makes = { water = 1 }
near = { lava = 0.1 }
rate = 0.02
[air]
step_s = 0.4
margin_m = 25.0
wind = [[0.0, 4.0, 250.0], [200.0, 8.0, 290.0]]
stratification = 0.01
fall_m_s = 4.0
ash = "ash"
[[fume]]
x = 14.0
z = 3.0
rate = 4000.0
start = 3
air = { gas = 0.2, ash = 0.4, steam = 0.1, jet_m_s = 20.0 }
[[vent]]
x = 9.0
z = 8.0
rate = 1.1
end = 60
air = { ash = 0.05 }
[[source]]
material = "oil"
x = 4.0
z = 12.0
rate = 0.3
start = 5
[[source]]
material = "sand"
x = 12.0
z = 9.0
radius = 3.0
height = 16.0
rate = 0.05
[[source]]
material = "ash"
x = 6.0
z = 6.0
rate = 0.1
end = 90
[[body]]
shape = { kind = "sphere", center = [15.0, 12.0, 5.0], radius = 2.5 }
matter = { kind = "material", name = "sand", amount = 0.8 }
[[body]]
shape = { kind = "box", from = [2.0, 10.0, 2.0], to = [6.0, 13.0, 6.0] }
matter = { kind = "lava", amount = 0.9, energy = 1.2 }
[[body]]
shape = { kind = "below", level = 5.0 }
matter = { kind = "material", name = "water", amount = 1.0 }
[[body]]
shape = { kind = "sphere", center = [9.0, 9.0, 12.0], radius = 2.0 }
matter = { kind = "material", name = "ice", amount = 1.0 }
[[event]]
at = 45
seed = 9
[[event]]
at = 0
put = { shape = { kind = "sphere", center = [12.0, 3.0, 8.0], radius = 3.0 }, matter = { kind = "nothing" } }
[[event]]
at = 45
rules = { threshold = 0.4, walls = "open" }
"#;

/// Returns a random cell, at most 4 columns and 3 cells of height away from lava, to be turned to
/// rock as where lava solidifies.
pub(crate) fn set_next(world: &World, dice: &mut Dice) -> Place {
    let held: Vec<_> = world.lava().held().collect();
    let ([x, y, z], _) = held[dice.below(held.len() as u64) as usize];
    let near = |v: usize, n: usize, dice: &mut Dice| {
        (v + dice.below(9) as usize).saturating_sub(4).min(n - 1)
    };
    [
        near(x, world.grid().nx, dice),
        (y + dice.below(4) as usize).min(world.grid().ny - 1),
        near(z, world.grid().nz, dice),
    ]
}

/// Creates a world of random rock, lava and `materials`; the materials share each cell up to
/// `capacity`.
pub(crate) fn random_mixture(
    grid: Grid,
    seed: u64,
    materials: Vec<Material>,
    capacity: Capacity,
) -> World {
    let mut dice = Dice(seed);
    let lava = random_world(grid, seed, dice.below(40), dice.below(60));
    let names: Vec<_> = materials
        .iter()
        .map(|material| material.name.clone())
        .collect();
    let mut world = World::with_materials(lava.ground().clone(), materials).with_capacity(capacity);
    for (place, content) in lava.lava().held() {
        world.place(place, content.amount, content.energy);
    }
    let share = dice.below(90);
    for place in grid.places() {
        if dice.below(100) < share {
            let name = names[dice.below(names.len() as u64) as usize].clone();
            let amount = if dice.below(3) == 0 {
                1.0
            } else {
                dice.below(1001) as f64 / 1000.0
            };
            world.edit(&one_cell(place, Matter::Material { name, amount }));
        }
    }
    world.open_account();
    world
}

/// Returns an edit that puts `matter` into the one cell `place`.
pub(crate) fn one_cell(place: Place, matter: Matter) -> Edit {
    let from = place.map(|v| v as f64);
    Edit {
        shape: Shape::Box {
            from,
            to: from.map(|v| v + 1.0),
        },
        matter,
    }
}

/// Returns an edit that puts `matter` into a small ball around (`x`, `y`, `z`), in cells.
pub(crate) fn ball(x: f64, y: f64, z: f64, matter: Matter) -> Edit {
    Edit {
        shape: Shape::Sphere {
            center: [x, y, z],
            radius: 2.6,
        },
        matter,
    }
}

/// Sends `simulation` a random command that a user could give; tries another one if it is rejected.
pub(crate) fn meddle(simulation: &mut Simulation, dice: &mut Dice) {
    let mut real = |top: f64| dice.below(1000) as f64 / 1000.0 * top;
    let grid = simulation.world().grid();
    let (x, y, z) = (
        real(grid.nx as f64),
        real(grid.ny as f64),
        real(grid.nz as f64),
    );
    let spec = VentSpec {
        x,
        z,
        radius: real(3.0),
        rate: real(2.0),
        energy: real(1.9),
        ..VentSpec::default()
    };
    let rules = RulesSpec {
        threshold: 0.05 + real(0.5),
        spread: 0.05 + real(0.2),
        factor: 0.3 + real(0.7),
        friction: Friction {
            on_solid: real(0.1),
            on_liquid: 0.0,
        },
        walls: if real(1.0) < 0.5 {
            Walls::Open
        } else {
            Walls::Closed
        },
        spreading_every: 1 + real(3.0) as u32,
        ..RulesSpec::default()
    };
    let amount = real(1.0);
    let open: Vec<usize> = simulation.open_vents().map(|(number, _)| number).collect();
    let step = simulation.steps();
    let one_of = |dice: &mut Dice| {
        open.get(dice.below(open.len().max(1) as u64) as usize)
            .copied()
    };
    let others: Vec<_> = simulation
        .world()
        .layers()
        .iter()
        .map(|layer| &layer.material().name)
        .filter(|name| *name != "lava")
        .collect();
    let other = others
        .get(dice.below(others.len().max(1) as u64) as usize)
        .map(|name| (*name).clone());
    match dice.below(13) {
        0 => simulation.command(spec).unwrap(),
        1 => {
            let start = step + dice.below(30);
            simulation
                .command(VentSpec {
                    start,
                    end: Some(start + dice.below(20)),
                    ..spec
                })
                .unwrap();
        }
        2 | 3 => one_of(dice).map_or((), |number| {
            simulation
                .command(VentChange::Change(number, spec))
                .unwrap()
        }),
        4 => one_of(dice).map_or((), |number| {
            simulation.command(VentChange::Close(number)).unwrap()
        }),
        5 if amount < 0.5 => simulation.command(rules).unwrap(),
        5 => {
            let some = RulesSpec {
                threshold: rules.threshold,
                walls: rules.walls,
                ..simulation.rules_spec().clone()
            };
            // A change without effect is refused.
            if some != *simulation.rules_spec() {
                let change = RulesChange::between(simulation.rules_spec(), &some);
                simulation.command(change).unwrap();
            }
        }
        6 => simulation.command(Command::Seed(dice.below(1000))).unwrap(),
        7 => simulation
            .command(Command::Put(ball(x, y, z, Matter::Rock)))
            .unwrap(),
        8 => simulation
            .command(Command::Put(ball(x, y, z, Matter::Nothing)))
            .unwrap(),
        9 => simulation
            .command(Command::Put(ball(x, y, z, Matter::Drain)))
            .unwrap(),
        10 if simulation.world().air().is_some() => {
            let mut about = |top: f64| dice.below(1000) as f64 / 1000.0 * top;
            if about(1.0) < 0.3 {
                return simulation
                    .command(Wind::even(about(12.0), about(360.0)))
                    .unwrap();
            }
            let wind_m_s = [about(20.0) - 10.0, about(20.0), 0.0];
            let breath = Breath {
                heat_k: about(200.0),
                ash_kg_m3: about(0.1),
                steam_kg_m3: about(0.1),
                wind_m_s,
            };
            simulation
                .command(Command::Put(ball(x, y, z, Matter::Air(breath))))
                .unwrap();
        }
        11 if other.is_some() => simulation
            .command(VentSpec {
                material: other,
                ..spec
            })
            .unwrap(),
        12 if other.is_some() => {
            let name = other.unwrap_or_default();
            simulation
                .command(Command::Put(ball(
                    x,
                    y,
                    z,
                    Matter::Material { name, amount },
                )))
                .unwrap();
        }
        _ => simulation
            .command(Command::Put(ball(
                x,
                y,
                z,
                Matter::Lava {
                    amount,
                    energy: 1.5,
                    temperature_k: None,
                },
            )))
            .unwrap(),
    }
}
