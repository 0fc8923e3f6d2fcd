//! Times the rules of liquids against published algorithms: the lower half of a box moves, 524,288
//! cells; and the pressure rule `trace` on a sea.

mod sea;

use lavoxel::engine::Engine;
use lavoxel::engine::tiled::Tiled;
use lavoxel::grid::Grid;
use lavoxel::matter::{Compress, Material, Pressure};
use lavoxel::random::{Draw, mix64};
use lavoxel::rules::{Rules, RulesSpec};
use lavoxel::world::{Content, Edit, Ground, Matter, Shape, World};

use super::{Run, by_turns, ms, pool, threads};

const GRID: Grid = Grid {
    nx: 128,
    ny: 64,
    nz: 128,
};
const CELLS: f64 = 524_288.0;
const STEPS: u64 = 20;

/// Returns the initial amount of a cell, 0.5 to 1 of a full cell, in the smallest unit of amount.
fn amount(place: [usize; 3]) -> u16 {
    16384 + (mix64(GRID.index(place) as u64 + 7) % 16384) as u16
}

fn world(material: Material) -> World {
    let matter = Matter::Material {
        name: material.name.clone(),
        amount: 1.0,
    };
    let mut world = World::with_materials(Ground::none(GRID), vec![material]);
    let half = [GRID.nx, GRID.ny / 2, GRID.nz].map(|v| v as f64);
    world.edit(&Edit {
        shape: Shape::Box {
            from: [0.0; 3],
            to: half,
        },
        matter,
    });
    world.rewrite(1, |place, _| Content {
        amount: amount(place),
        energy: 0,
    });
    world
}

/// Returns a benchmark run of all rules of the world's liquid.
fn run(world: &World, threads: usize) -> Run<'_> {
    let pool = pool(threads);
    let material = world.layers()[1].material().clone();
    let rules = Rules::new(&RulesSpec::default(), &[material], &[], GRID);
    let mut engine = Tiled::default();
    Box::new(move || {
        pool.install(|| {
            let mut world = world.clone();
            let mut step = |number: u64| {
                for (layer, rule) in rules.iter().filter(|&(layer, _)| layer == 1) {
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
            step(0);
            (1..=STEPS).map(|number| ms(|| step(number))).collect()
        })
    })
}

/// World of the published algorithms: a box with a border of rock, x fastest, then z, then y.
struct Plain {
    rock: Vec<bool>,
    mass: Vec<f32>,
    next: Vec<f32>,
}

const PITCH: usize = GRID.nx + 2;
const LAYER: usize = PITCH * (GRID.nz + 2);

impl Plain {
    fn new() -> Self {
        let cells = LAYER * (GRID.ny + 2);
        let (mut rock, mut mass) = (vec![true; cells], vec![0.0; cells]);
        for place @ [x, y, z] in GRID.places() {
            let at = (y + 1) * LAYER + (z + 1) * PITCH + x + 1;
            rock[at] = false;
            mass[at] = if y < GRID.ny / 2 {
                f32::from(amount(place)) / 32768.0
            } else {
                0.0
            };
        }
        Self {
            rock,
            next: mass.clone(),
            mass,
        }
    }

    /// Applies the algorithm of *Simple Fluid Simulation With Cellular Automata* as published,
    /// extended to four horizontal neighbours.
    fn compress(&mut self) {
        const MAX: f32 = 0.01;
        let stable = |sum: f32| match sum {
            s if s <= 1.0 => 1.0,
            s if s < 2.0 + MAX => (1.0 + s * MAX) / (1.0 + MAX),
            s => (s + MAX) / 2.0,
        };
        let Self { rock, mass, next } = self;
        next.copy_from_slice(mass);
        for at in LAYER..mass.len() - LAYER {
            let mut left = mass[at];
            if rock[at] || left <= 0.0 {
                continue;
            }
            let mut give = |to: usize, flow: f32, left: &mut f32| {
                let flow = if flow > 0.01 { flow * 0.5 } else { flow }.clamp(0.0, left.min(1.0));
                next[at] -= flow;
                next[to] += flow;
                *left -= flow;
            };
            if !rock[at - LAYER] {
                give(
                    at - LAYER,
                    stable(left + mass[at - LAYER]) - mass[at - LAYER],
                    &mut left,
                );
            }
            for to in [at - 1, at + 1, at - PITCH, at + PITCH] {
                if left > 0.0 && !rock[to] {
                    give(to, (mass[at] - mass[to]) / 4.0, &mut left);
                }
            }
            if left > 0.0 && !rock[at + LAYER] {
                give(
                    at + LAYER,
                    left - stable(left + mass[at + LAYER]),
                    &mut left,
                );
            }
        }
        std::mem::swap(&mut self.mass, &mut self.next);
    }

    /// Moves liquid down in place, then averages each cell with its horizontal neighbours where
    /// these hold less, as in *Grid Based Fluid Systems*.
    fn fall_and_level(&mut self) {
        let Self { rock, mass, next } = self;
        for at in LAYER..mass.len() - LAYER {
            if !rock[at] && !rock[at - LAYER] {
                let flow = mass[at].min((1.0 - mass[at - LAYER]).max(0.0));
                mass[at] -= flow;
                mass[at - LAYER] += flow;
            }
        }
        next.copy_from_slice(mass);
        for at in LAYER..mass.len() - LAYER {
            let here = mass[at];
            if rock[at] || here <= 0.0 || !rock[at - LAYER] && mass[at - LAYER] < 0.7 {
                continue;
            }
            let sides = [at - 1, at + 1, at - PITCH, at + PITCH];
            let lower = sides.map(|to| {
                if rock[to] {
                    0.0
                } else {
                    (here - mass[to]).max(0.0)
                }
            });
            let count = 1.0 + lower.iter().filter(|&&d| d > 0.0).count() as f32;
            let drop = lower.iter().sum::<f32>() / count;
            for (to, lower) in sides.into_iter().zip(lower) {
                let flow = (lower - drop).max(0.0).min((1.0 - mass[to]).max(0.0) / 4.0);
                next[at] -= flow;
                next[to] += flow;
            }
        }
        std::mem::swap(&mut self.mass, &mut self.next);
    }
}

fn plain(step: fn(&mut Plain)) -> Run<'static> {
    Box::new(move || {
        let mut plain = Plain::new();
        (0..3).map(|_| ms(|| step(&mut plain))).collect()
    })
}

/// Prints the times of the rules of liquids and of the published algorithms.
pub(crate) fn row() {
    let pressed = Compress {
        passes: 1,
        ..Compress::default()
    };
    let compressed = world(Material {
        pressure: Pressure::Compress,
        compress: pressed,
        ..Material::water()
    });
    let level = world(Material {
        pressure: Pressure::None,
        ..Material::water()
    });
    for (name, world, step) in [
        ("compress", &compressed, Plain::compress as fn(&mut Plain)),
        ("squeeze and level", &level, Plain::fall_and_level),
    ] {
        let times = by_turns(&mut [run(world, threads()), run(world, 1), plain(step)]);
        let [two, one, baseline] = [0, 1, 2].map(|k| times[k] * 1e6 / CELLS);
        println!(
            "{name:<24}{two:>8.3} ns a moving cell, one thread {one:>8.3}  plain {baseline:>8.2} ns  ratio {:>6.1}  goal 1 ns",
            baseline / two
        );
    }
    sea::row();
}
