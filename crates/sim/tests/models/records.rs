//! The promise: records kept while the engine visits only moving cells equal those of a visit to
//! every cell of the plain engine's worlds after every step, for any world and rules, and also
//! across a save.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use crate::common::{any_grid, any_rules, cases, plain, random_world, tiled, vents};
use lavoxel_automaton::engine::Engine;
use lavoxel_automaton::engine::tiled::Tiled;
use lavoxel_automaton::rules::RulesSpec;
use lavoxel_automaton::world::{Edit, Ground, Matter, Shape, World};
use lavoxel_base::grid::Grid;
use lavoxel_sim::records::{NEVER, Records};
use lavoxel_sim::simulation::{Command, Event, Simulation};
use lavoxel_sim::source::VentSpec;
use ndarray::Array2;
use proptest::prelude::*;

/// Reference records of every column after their definition, from whole worlds.
struct Definition {
    arrival: Array2<u32>,
    thickest: Array2<u32>,
    peak_energy: Array2<u16>,
}

impl Definition {
    fn new(grid: Grid) -> Self {
        let shape = (grid.nz, grid.nx);
        Self {
            arrival: Array2::from_elem(shape, NEVER),
            thickest: Array2::zeros(shape),
            peak_energy: Array2::zeros(shape),
        }
    }

    fn observe(&mut self, world: &World, step: u32) {
        for ((z, x), arrival) in self.arrival.indexed_iter_mut() {
            let column = (0..world.grid().ny).map(|y| world.lava().at([x, y, z]));
            let amount: u32 = column.clone().map(|cell| u32::from(cell.amount)).sum();
            let energy = column.map(|cell| cell.energy).max().unwrap();
            if amount > 0 && *arrival == NEVER {
                *arrival = step;
            }
            self.thickest[[z, x]] = self.thickest[[z, x]].max(amount);
            self.peak_energy[[z, x]] = self.peak_energy[[z, x]].max(energy);
        }
    }

    fn check(&self, records: &Records) {
        assert_eq!(self.arrival, records.arrival());
        assert_eq!(self.thickest, records.thickest());
        assert_eq!(self.peak_energy, records.peak_energy());
    }
}

/// Events that put lava, rock and holes into the middle of the box.
fn happenings(grid: Grid) -> Vec<Event> {
    let [x, y, z] = [grid.nx, grid.ny, grid.nz].map(|n| 0.5 * n as f64);
    let put = |at: u64, matter: Matter, radius: f64| {
        let shape = Shape::Sphere {
            center: [x, y, z],
            radius,
        };
        Event {
            at,
            command: Command::Put(Edit { shape, matter }),
        }
    };
    vec![
        put(
            0,
            Matter::Lava {
                amount: 0.7,
                energy: 1.5,
                temperature_k: None,
            },
            1.5,
        ),
        put(4, Matter::Rock, 2.0),
        put(7, Matter::Nothing, 3.0),
        put(9, Matter::Drain, 5.0),
        put(
            13,
            Matter::Lava {
                amount: 1.0,
                energy: 0.4,
                temperature_k: None,
            },
            3.0,
        ),
        Event {
            at: 11,
            command: RulesSpec::default().into(),
        },
    ]
}

fn saved(records: &Records) -> Records {
    postcard::from_bytes(&postcard::to_stdvec(records).unwrap()).unwrap()
}

proptest! {
    #![proptest_config(common_config())]

    #[test]
    fn the_past_is_what_the_plain_engine_saw(
        grid in any_grid(), rules in any_rules(), seed in 0u64..1000, solid in 0u64..40, liquid in 0u64..60,
        stop in 0u64..20,
    ) {
        let start = |engine: Box<dyn Engine>| {
            let world = random_world(grid, seed, solid, liquid);
            Simulation::new(world, &rules, &vents(grid), seed, engine).with_events(happenings(grid)).unwrap()
        };
        let (mut fast, mut slow) = (start(tiled()), start(plain()));
        let (mut records, mut slow_records) = (Records::new(grid), Records::new(grid));
        let mut definition = Definition::new(grid);
        for step in 0..20 {
            records.observe(fast.world(), None, fast.steps());
            slow_records.observe(slow.world(), None, slow.steps());
            definition.observe(slow.world(), step);
            if u64::from(step) == stop {
                records = saved(&records);
            }
            fast.step();
            slow.step();
        }
        definition.check(&records);
        definition.check(&slow_records);
    }
}

fn common_config() -> ProptestConfig {
    ProptestConfig {
        cases: cases(12),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// Checks records of a world with more lava than one thread visits, and of a vent that keeps
/// pouring after everything else has come to rest.
#[test]
fn many_tiles_and_a_settled_world_are_seen_too() {
    let grid = Grid::new(140, 24, 260);
    let vent = VentSpec {
        x: 70.0,
        z: 130.0,
        radius: 2.0,
        rate: 3.0,
        ..VentSpec::default()
    };
    let rules = RulesSpec {
        threshold: 0.6,
        ..RulesSpec::default()
    };
    for world in [World::restless(grid, 0.7), World::new(Ground::none(grid))] {
        let mut simulation = Simulation::new(
            world,
            &rules,
            std::slice::from_ref(&vent),
            3,
            Box::new(Tiled::default()),
        );
        let mut records = Records::new(grid);
        let mut definition = Definition::new(grid);
        for step in 0..25 {
            records.observe(simulation.world(), None, simulation.steps());
            definition.observe(simulation.world(), step);
            simulation.step();
        }
        definition.check(&records);
    }
}

#[test]
fn records_of_another_box_or_cut_short_do_not_fit() {
    let grid = Grid::new(3, 4, 5);
    let records = Records::new(grid);
    assert!(records.fits(grid) && saved(&records).fits(Grid::new(3, 9, 5)));
    assert!(!records.fits(Grid::new(5, 4, 3)));
    // The serialised form: length and letters of the material, the two sides, then each field with
    // its length.
    let mut bytes = postcard::to_stdvec(&records).unwrap();
    let side = 1 + records.material().len();
    bytes[side] = 15;
    bytes[side + 1] = 1;
    let wrong: Records = postcard::from_bytes(&bytes).unwrap();
    assert!(wrong.fits(Grid::new(15, 4, 1)) && !wrong.fits(grid));
    bytes[side] = 16;
    let wrong: Records = postcard::from_bytes(&bytes).unwrap();
    assert!(!wrong.fits(Grid::new(16, 4, 1)));
}
