//! Times the pressure rule `trace` on a sea around an island, 352,000 cells, against the published
//! search.

use lavoxel::engine::Engine;
use lavoxel::engine::tiled::Tiled;
use lavoxel::grid::Grid;
use lavoxel::matter::{Air, Material, Pressure, Trace};
use lavoxel::random::{Draw, mix64};
use lavoxel::rules::{Rule, Rules, RulesSpec};
use lavoxel::world::{Content, Edit, Ground, Matter, Shape, World};
use ndarray::Array2;

use crate::{Run, by_turns, ms, pool, threads};

const GRID: Grid = Grid {
    nx: 128,
    ny: 100,
    nz: 128,
};
const SEA_LEVEL: usize = 32;
const STEPS: u64 = 10;

/// Returns the height of the ground in cells at the column (`x`, `z`): a cone on a flat sea bed.
fn ground(x: usize, z: usize) -> usize {
    let far = (x as f64 - 64.0).hypot(z as f64 - 64.0);
    (50.0 - 0.9 * far).max(3.0) as usize
}

/// Returns a random amount, 0.25 to 0.75 of a full cell in the smallest unit of amount, for the top
/// layer of a rough sea.
fn rough(place: [usize; 3]) -> u16 {
    8000 + (mix64(GRID.index(place) as u64) & 16383) as u16
}

fn sea(is_rough: bool, air: Air) -> World {
    let trace = Trace {
        air,
        ..Trace::default()
    };
    let water = Material {
        pressure: Pressure::Trace,
        trace,
        ..Material::water()
    };
    let surface = Array2::from_shape_fn((GRID.nz, GRID.nx), |(z, x)| ground(x, z) as f32);
    let mut world = World::with_materials(Ground::from_surface(GRID.ny, surface), vec![water]);
    let matter = Matter::Material {
        name: "water".to_owned(),
        amount: 1.0,
    };
    world.edit(&Edit {
        shape: Shape::Below {
            level: SEA_LEVEL as f64,
        },
        matter,
    });
    if is_rough {
        let layer = world.number_of("water").expect("it was put in");
        world.rewrite(layer, |place, cell| match place[1] + 1 {
            SEA_LEVEL => Content {
                amount: rough(place),
                ..cell
            },
            _ => cell,
        });
    }
    world
}

/// Returns a benchmark run in which all rules of water run but only `trace` is timed.
fn run(world: &World, threads: usize) -> Run<'_> {
    let pool = pool(threads);
    let materials: Vec<_> = world.layers()[1..]
        .iter()
        .map(|layer| layer.material().clone())
        .collect();
    let rules = Rules::new(&RulesSpec::default(), &materials, &[], GRID);
    let mut engine = Tiled::default();
    Box::new(move || {
        pool.install(|| {
            let mut world = world.clone();
            let mut times = Vec::new();
            let mut moved = 0;
            for number in 0..=STEPS {
                for (layer, rule) in rules.iter().filter(|&(layer, _)| layer == 1) {
                    let before = world.state_hash();
                    let time = ms(|| {
                        engine.run(
                            &mut world,
                            (layer, rule),
                            Draw {
                                seed: 1,
                                step: number,
                            },
                        )
                    });
                    if number > 0 && matches!(rule, Rule::Trace(_)) {
                        times.push(time);
                        moved += usize::from(world.state_hash() != before);
                    }
                }
            }
            assert!(
                moved == 0 || moved == times.len(),
                "it moves in {moved} of the steps"
            );
            times
        })
    })
}

/// World of the published search with six directions: x fastest, then z, then y, surrounded by
/// rock.
struct Published {
    rock: Vec<bool>,
    amount: Vec<f32>,
    next: Vec<f32>,
    left: Vec<f32>,
    /// For each cell, the number of the last search that visited it.
    seen: Vec<u32>,
    found: Vec<usize>,
}

const PITCH: usize = GRID.nx + 2;
const LAYER: usize = PITCH * (GRID.nz + 2);

impl Published {
    fn new() -> Self {
        let cells = LAYER * (GRID.ny + 2);
        let (mut rock, mut amount) = (vec![true; cells], vec![0.0; cells]);
        for place @ [x, y, z] in GRID.places().filter(|&[x, y, z]| y >= ground(x, z)) {
            let at = (y + 1) * LAYER + (z + 1) * PITCH + x + 1;
            rock[at] = false;
            amount[at] = match (y + 1).cmp(&SEA_LEVEL) {
                std::cmp::Ordering::Less => 1.0,
                std::cmp::Ordering::Equal => f32::from(rough(place)) / 32768.0,
                std::cmp::Ordering::Greater => 0.0,
            };
        }
        Self {
            rock,
            next: amount.clone(),
            left: amount.clone(),
            amount,
            seen: vec![0; cells],
            found: Vec::new(),
        }
    }

    /// Returns the result of the article's function `isPressured` for the upward direction at the
    /// cell `at`.
    fn is_pressured(&self, at: usize) -> bool {
        !self.rock[at + LAYER] && 1.0 - self.amount[at + LAYER] >= 0.1
    }

    fn expand(&mut self, at: usize, search: u32) {
        for to in [
            at + LAYER,
            at - 1,
            at + 1,
            at - PITCH,
            at + PITCH,
            at - LAYER,
        ] {
            if !self.rock[to] && self.seen[to] != search {
                self.seen[to] = search;
                self.found.push(to);
            }
        }
    }

    /// Returns the milliseconds of a step of the article's function `doPressureFlow`, extrapolated
    /// from one in 97 searches, because all searches take minutes.
    fn step(&mut self) -> f64 {
        const ONE_IN: usize = 97;
        let searches =
            |at: &usize| !self.rock[*at] && self.left[*at] >= 0.5 && self.is_pressured(*at);
        let cells: Vec<_> = (LAYER..self.amount.len() - LAYER)
            .filter(searches)
            .step_by(ONE_IN)
            .collect();
        ONE_IN as f64 * ms(|| cells.into_iter().for_each(|at| self.search(at)))
    }

    fn search(&mut self, at: usize) {
        let (liquid, search) = (self.left[at], at as u32);
        self.found.clear();
        self.seen[at] = search;
        self.expand(at, search);
        while let Some(to) = self.found.pop() {
            let there = self.amount[to];
            let flow = ((liquid - there) / 2.0)
                .min(1.0 - self.next[to])
                .clamp(0.0, liquid);
            if there < liquid && self.is_pressured(to) && to / LAYER <= at / LAYER && flow > 0.1 {
                self.left[at] -= flow;
                self.next[at] -= flow;
                self.next[to] += flow;
                return;
            }
            if there > 0.5 {
                self.expand(to, search);
            }
        }
    }
}

/// Prints the times of `trace` and of the published search.
pub(super) fn row() {
    let (rough, flat, kept) = (
        sea(true, Air::Ignored),
        sea(false, Air::Ignored),
        sea(true, Air::Kept),
    );
    let cells = rough.layers()[1].tally().cells;
    let times = by_turns(&mut [
        run(&rough, threads()),
        run(&rough, 1),
        run(&flat, threads()),
        run(&kept, threads()),
    ]);
    let ([two, one, rest, kept], published) =
        ([0, 1, 2, 3].map(|k| times[k]), Published::new().step());
    println!(
        "trace, {cells} cells     {two:>8.3} ms, one thread {one:>6.3}, air kept {kept:>6.3}, at rest {rest:.5}  \
         published {published:>9.0} ms  ratio {:>6.0}  goal 1 ms, 0 at rest",
        published / two
    );
}
