//! Worlds for tests.
#![allow(dead_code, reason = "each test file uses its own part")]

use lavoxel::engine::Engine;
use lavoxel::engine::plain::Plain;
use lavoxel::engine::tiled::Tiled;
use lavoxel::grid::Grid;
use lavoxel::lowpass::{BRICK, Volume};
use lavoxel::random::mix64;
use lavoxel::rules::{Friction, RulesSpec, Walls};
use lavoxel::simulation::Simulation;
use lavoxel::source::VentSpec;
use lavoxel::units::{AMOUNT_ONE, ENERGY_MAX, ENERGY_ONE};
use lavoxel::world::{Edit, Ground, Matter, Shape, World};
use proptest::prelude::*;

/// The largest energy of a fresh full cell.
pub(crate) const FRESH: (u16, u16) = (AMOUNT_ONE, ENERGY_ONE);

/// A stream of numbers from a seed, for filling worlds.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    /// The next number below `n`.
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix64(self.0) % n
    }
}

/// A world with `solid_percent` rock in random cells and random liquid, extremes included, in the rest.
pub(crate) fn random_world(grid: Grid, seed: u64, solid_percent: u64, liquid_percent: u64) -> World {
    let mut dice = Dice(seed);
    let mut world = World::new(Ground::none(grid));
    for z in 0..grid.nz {
        for y in 0..grid.ny {
            for x in 0..grid.nx {
                if dice.below(100) < solid_percent {
                    let from = [x as f64, y as f64, z as f64];
                    let shape = Shape::Box { from, to: from.map(|v| v + 1.0) };
                    world.edit(&Edit { shape, matter: Matter::Rock });
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
                    world.place(x, y, z, amount, energy);
                }
            }
        }
    }
    world.open_account();
    world
}

/// Rules from the whole allowed range, with the ends often among them.
pub(crate) fn any_rules() -> impl Strategy<Value = RulesSpec> {
    let share = prop_oneof![Just(0.0), Just(1.0), 0.0..=1.0];
    let part = prop_oneof![Just(1.0), 0.001..=1.0];
    let spread = prop_oneof![Just(0.25), Just(0.2), 0.001..=0.25];
    let shares = (part, 0.0..=4.0, prop_oneof![Just(0.0), 0.0..=1.5], spread);
    let rest = (share.clone(), share.clone(), share.clone(), share, any::<bool>(), 1u32..4);
    (shares, rest).prop_map(
        |((factor, beta, threshold, spread), (alpha, on_solid, on_liquid, support, open, spreading_every))| RulesSpec {
            factor,
            beta,
            threshold,
            spread,
            alpha,
            friction: Friction { on_solid, on_liquid },
            support,
            walls: if open { Walls::Open } else { Walls::Closed },
            spreading_every,
        },
    )
}

/// Box sizes from a single cell to odd slabs.
pub(crate) fn any_grid() -> impl Strategy<Value = Grid> {
    prop_oneof![
        Just(Grid::new(1, 1, 1)),
        Just(Grid::new(3, 40, 5)),
        Just(Grid::new(33, 7, 34)),
        (1usize..14, 1usize..10, 1usize..14).prop_map(|(nx, ny, nz)| Grid::new(nx, ny, nz)),
    ]
}

/// Two vents on a grid, one that stops.
pub(crate) fn vents(grid: Grid) -> Vec<VentSpec> {
    let spec = |x: f64, z: f64, rate: f64, end: Option<u64>| VentSpec {
        x: x * grid.nx as f64,
        z: z * grid.nz as f64,
        radius: 1.6,
        rate,
        start: 2,
        end,
        energy: 1.3,
    };
    vec![spec(0.5, 0.5, 1.37, None), spec(0.1, 0.8, 0.21, Some(9))]
}

/// The engine under test.
pub(crate) fn tiled() -> Box<dyn Engine> {
    Box::new(Tiled::default())
}

/// The oracle.
pub(crate) fn plain() -> Box<dyn Engine> {
    Box::new(Plain)
}

/// A simulation without vents.
pub(crate) fn still(world: World, rules: &RulesSpec, seed: u64, engine: Box<dyn Engine>) -> Simulation {
    Simulation::new(world, rules, &[], seed, engine)
}

/// The largest density of each brick and one cell around it, as the documentation says.
pub(crate) fn densest(volume: &Volume) -> Vec<u8> {
    let grid = volume.grid;
    let near = |brick: usize, n: usize| (brick * BRICK).saturating_sub(1)..(brick * BRICK + BRICK + 1).min(n);
    let mut all = Vec::new();
    for k in 0..grid.nz.div_ceil(BRICK) {
        for j in 0..grid.ny.div_ceil(BRICK) {
            for i in 0..grid.nx.div_ceil(BRICK) {
                let cells = near(k, grid.nz)
                    .flat_map(|z| near(j, grid.ny).map(move |y| (y, z)))
                    .flat_map(|(y, z)| near(i, grid.nx).map(move |x| grid.index(x, y, z)));
                all.push(cells.map(|cell| volume.density[cell]).max().unwrap_or(0));
            }
        }
    }
    all
}
