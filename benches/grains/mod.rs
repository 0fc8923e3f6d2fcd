//! Times the rule of grains against a published algorithm, while all grains fall and while all
//! rest.

use lavoxel::engine::Engine;
use lavoxel::engine::tiled::Tiled;
use lavoxel::grid::Grid;
use lavoxel::matter::{Kind, Material};
use lavoxel::random::{Draw, mix64};
use lavoxel::rules::{Rules, RulesSpec};
use lavoxel::world::{Edit, Ground, Matter, Shape, World};

use super::{Run, by_turns, ms, pool, threads};

const GRID: Grid = Grid {
    nx: 128,
    ny: 64,
    nz: 128,
};
const STEPS: u64 = 20;

fn sand() -> Material {
    Material {
        name: "sand".to_owned(),
        kind: Kind::Grain,
        density: 2650.0,
        ..Material::water()
    }
}

/// Creates a world with sand between the heights `from` and `to` in cells; a fraction `share` of
/// the cells there has a grain.
fn world(share: f64, from: f64, to: f64) -> World {
    let mut world = World::with_materials(Ground::none(GRID), vec![sand()]);
    let shape = Shape::Box {
        from: [0.0, from, 0.0],
        to: [GRID.nx as f64, to, GRID.nz as f64],
    };
    world.edit(&Edit {
        shape,
        matter: Matter::Material {
            name: "sand".to_owned(),
            amount: share,
        },
    });
    world
}

/// Returns a benchmark run of the rule of grains from the state after `before` steps.
fn run(world: &World, threads: usize, before: u64) -> Run<'_> {
    let pool = pool(threads);
    let rules = Rules::new(&RulesSpec::default(), &[sand()], &[], GRID);
    let mut engine = Tiled::default();
    Box::new(move || {
        pool.install(|| {
            let mut world = world.clone();
            let mut step = |number: u64| {
                for (layer, rule) in rules.iter().filter(|&(layer, _)| layer == 0) {
                    engine.run(
                        &mut world,
                        (layer, rule),
                        Draw {
                            seed: 1,
                            step: number,
                        },
                    );
                }
            };
            (0..before).for_each(&mut step);
            (before..before + STEPS)
                .map(|number| ms(|| step(number)))
                .collect()
        })
    })
}

/// Algorithm of *How To Make a “Falling Sand” Style Water Simulation* as published, with its marks
/// for moved and resting tiles.
#[derive(Clone)]
struct Published {
    tiles: Vec<u8>,
    step: u64,
    /// Set if resting tiles are marked, so that they are skipped.
    marks: bool,
}

const SIDE: usize = 512;
const WALL: u8 = 1;
const GRAIN: u8 = 2;
const MOVED: u8 = 0x80;
const RESTS: u8 = 0x40;

impl Published {
    /// Creates the world: one in `every` cells of the rows `from` to `to` (exclusive) has a grain.
    fn new(every: u64, from: usize, to: usize, marks: bool) -> Self {
        let wall =
            |i: usize| u8::from(i < SIDE || i.is_multiple_of(SIDE) || i % SIDE == SIDE - 1) * WALL;
        let mut tiles: Vec<_> = (0..SIDE * SIDE).map(wall).collect();
        for (i, tile) in tiles
            .iter_mut()
            .enumerate()
            .filter(|(i, _)| (from..to).contains(&(i / SIDE)))
        {
            if *tile == 0 && mix64(i as u64).is_multiple_of(every) {
                *tile = GRAIN | MOVED;
            }
        }
        Self {
            tiles,
            step: 0,
            marks,
        }
    }

    fn grains(&self) -> f64 {
        self.tiles
            .iter()
            .filter(|tile| **tile & 15 == GRAIN)
            .count() as f64
    }

    fn step(&mut self) {
        let mask = ((self.step & 1) as u8) << 7;
        let side = if self.step & 1 == 1 { 1 } else { usize::MAX };
        for at in SIDE..SIDE * SIDE {
            let tile = self.tiles[at];
            if tile & 15 != GRAIN || tile & MOVED == mask && self.step > 0 || tile & RESTS != 0 {
                continue;
            }
            let below = at - SIDE;
            let to = [below, below.wrapping_add(side)]
                .into_iter()
                .find(|&to| self.tiles[to] & 15 == 0);
            let Some(to) = to else {
                let rests = self.marks
                    && [below - 1, below, below + 1]
                        .iter()
                        .all(|&to| self.tiles[to] & 15 != 0);
                self.tiles[at] = GRAIN | mask | if rests { RESTS } else { 0 };
                continue;
            };
            self.tiles[at] = 0;
            self.tiles[to] = GRAIN | mask;
            for above in at + SIDE - 1..=at + SIDE + 1 {
                if let Some(tile) = self
                    .tiles
                    .get_mut(above)
                    .filter(|tile| **tile & 15 == GRAIN)
                {
                    *tile &= !RESTS;
                }
            }
        }
        self.step += 1;
    }
}

/// Returns a benchmark run of the published algorithm from the state after `before` steps.
fn published(start: &Published, before: u64) -> Run<'_> {
    Box::new(move || {
        let mut published = start.clone();
        (0..before).for_each(|_| published.step());
        (0..STEPS).map(|_| ms(|| published.step())).collect()
    })
}

/// Prints the times per grain and step: all grains fall, and all rest.
pub(crate) fn row() {
    let falling = (
        world(0.3, 20.0, 64.0),
        Published::new(4, 170, SIDE, true),
        1,
    );
    let resting = (world(1.0, 0.0, 13.0), Published::new(1, 1, 84, true), 10);
    for (name, (world, scan, before), goal) in [
        ("grains, all fall", falling, "1 ns"),
        ("grains, all rest", resting, "0"),
    ] {
        let grains = world.layers()[0].tally().cells as f64;
        let times = by_turns(&mut [
            run(&world, threads(), before),
            run(&world, 1, before),
            published(&scan, before),
        ]);
        let [two, one] = [0, 1].map(|k| times[k] * 1e6 / grains);
        let theirs = times[2] * 1e6 / scan.grains();
        println!(
            "{name:<24}{two:>8.4} ns a grain and step, one thread {one:>8.4}  published {theirs:>8.3} ns  ratio {:>9.1}  goal {goal}",
            theirs / two
        );
    }
}
