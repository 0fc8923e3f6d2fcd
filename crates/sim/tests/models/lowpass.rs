//! The promise: filtering only the neighbourhood of changes gives the same volume as filtering
//! everything.

use crate::common::{
    Dice, any_rules, ball, cases, densest, meddle, plain, random_world, tiled, vents, volcano,
};
use lavoxel_automaton::matter::Material;
use lavoxel_automaton::rules::RulesSpec;
use lavoxel_automaton::view::{MaterialLook, Preset};
use lavoxel_automaton::world::{Edit, Ground, Matter, Shape, Span, World};
use lavoxel_base::grid::Grid;
use lavoxel_base::units::{AMOUNT_ONE, ENERGY_ONE};
use lavoxel_geo::generate::crater;
use lavoxel_sim::lowpass::{BRICK, Bricks, Change, ENERGY_SHOWN, LowPass, Volume};
use lavoxel_sim::simulation::{Command, Simulation, Snapshot};
use lavoxel_sim::source::VentSpec;
use ndarray::Array2;
use proptest::prelude::*;

/// Reference filter after the documentation, cell by cell over the whole box.
fn everything(world: &World) -> Volume {
    let grid = world.grid();
    let mut volume = Volume::empty(grid);
    for z in 0..grid.nz {
        for y in 0..grid.ny {
            for x in 0..grid.nx {
                let (mut weight, mut amount, mut energy) = (0.0, 0.0, 0.0);
                for (dx, dy, dz) in (0..27).map(|i| (i % 3, i / 3 % 3, i / 9)) {
                    let near =
                        |v: usize, d: usize, n: usize| (v + d).checked_sub(1).filter(|&w| w < n);
                    let place = (
                        near(x, dx, grid.nx),
                        near(y, dy, grid.ny),
                        near(z, dz, grid.nz),
                    );
                    let (Some(x), Some(y), Some(z)) = place else {
                        continue;
                    };
                    if world.ground().is_solid([x, y, z]) {
                        continue;
                    }
                    let w = [1.0, 2.0, 1.0][dx] * [1.0, 2.0, 1.0][dy] * [1.0, 2.0, 1.0][dz];
                    let cell = world.lava().at([x, y, z]);
                    weight += w;
                    amount += w * f64::from(cell.amount) / f64::from(AMOUNT_ONE);
                    energy += w * f64::from(cell.energy)
                        / f64::from(ENERGY_ONE)
                        / f64::from(ENERGY_SHOWN);
                }
                if weight > 0.0 {
                    let shade = |v: f64| (v / weight * 255.0 + 1e-9).round().min(255.0) as u8;
                    let i = grid.index([x, y, z]);
                    (volume.density[i], volume.energy[i]) = (shade(amount), shade(energy));
                }
            }
        }
    }
    volume
}

/// Puts matter by a command; refusals of shapes wholly outside a small box are ignored.
fn place_matter(simulation: &mut Simulation, shape: Shape, matter: Matter) {
    let refused = simulation
        .command(Command::Put(Edit { shape, matter }))
        .err();
    assert!(refused.is_none_or(|invalid| invalid.to_string().starts_with("put.shape")));
}

#[test]
fn layers_before_the_lava_are_not_filtered_as_lava() {
    let grid = Grid::new(23, 14, 17);
    let lava = random_world(grid, 5, 25, 15);
    let mut world = World::with_materials(
        lava.ground().clone(),
        vec![Material::sand(), Material::ice()],
    );
    let mut lowpass = LowPass::new(grid);
    for (name, y) in [("sand", 2.0), ("ice", 9.0)] {
        let shape = Shape::Box {
            from: [0.0, y, 0.0],
            to: [23.0, y + 3.0, 17.0],
        };
        world.edit(&Edit {
            shape,
            matter: Matter::Material {
                name: name.to_owned(),
                amount: 1.0,
            },
        });
    }
    for ([x, y, z], cell) in lava.lava().held() {
        world.place([x, y, z], cell.amount, cell.energy);
    }
    let (volume, expected) = (lowpass.refresh(&world), everything(&world));
    assert!(volume.density == expected.density && volume.energy == expected.energy);
    assert!(expected.density.iter().any(|&density| density > 0));
}

#[test]
fn incremental_equals_full_at_every_step() {
    for grid in [
        Grid::new(1, 1, 1),
        Grid::new(2, 9, 1),
        Grid::new(23, 14, 17),
    ] {
        let world = random_world(grid, 5, 25, 15);
        let mut simulation =
            Simulation::new(world, &RulesSpec::default(), &vents(grid), 3, tiled());
        let mut lowpass = LowPass::new(grid);
        for step in 0..40 {
            simulation.step();
            if step == 20 {
                let shape = Shape::Sphere {
                    center: [10.0, 5.0, 8.0],
                    radius: 4.0,
                };
                place_matter(&mut simulation, shape, Matter::Nothing);
            }
            if step == 30 {
                let shape = Shape::Sphere {
                    center: [6.0, 3.0, 8.0],
                    radius: 4.0,
                };
                place_matter(&mut simulation, shape, Matter::Rock);
            }
            if step % 3 == 0 {
                assert!(
                    *lowpass.refresh(simulation.world()) == everything(simulation.world()),
                    "step {step}"
                );
            }
        }
    }
}

#[test]
fn a_full_bed_stays_full_down_to_the_rock() {
    let mut world = random_world(Grid::new(5, 5, 5), 1, 0, 0);
    let rock = Shape::Box {
        from: [0.0; 3],
        to: [5.0, 2.0, 5.0],
    };
    world.edit(&Edit {
        shape: rock,
        matter: Matter::Rock,
    });
    let lava = Shape::Box {
        from: [0.0, 2.0, 0.0],
        to: [5.0, 5.0, 5.0],
    };
    world.edit(&Edit {
        shape: lava,
        matter: Matter::Lava {
            amount: 1.0,
            energy: 1.0,
            temperature_k: None,
        },
    });
    let mut lowpass = LowPass::new(world.grid());
    let volume = lowpass.refresh(&world);
    let column: Vec<u8> = (0..5)
        .map(|y| volume.density[world.grid().index([2, y, 2])])
        .collect();
    assert_eq!(column, [0, 255, 255, 255, 255]);
}

#[test]
fn what_is_built_keeps_its_edges_and_stands_in_the_ground() {
    let look = MaterialLook::from_preset(Preset::Wall);
    let wall = Material {
        name: "wall".to_owned(),
        look,
        ..Material::ice()
    };
    let grid = Grid::new(12, 12, 12);
    let ground = Ground::from_surface(grid.ny, Array2::from_elem((grid.nz, grid.nx), 3.0));
    let mut world = World::with_materials(ground, vec![wall]);
    let shape = Shape::Box {
        from: [4.0, 0.0, 4.0],
        to: [8.0, 7.0, 8.0],
    };
    world.edit(&Edit {
        shape,
        matter: Matter::Material {
            name: "wall".to_owned(),
            amount: 1.0,
        },
    });
    let mut lowpass = LowPass::new(grid);
    let density = &lowpass.refresh(&world).media[0].density;
    let at = |place| density[grid.index(place)];
    assert_eq!(
        [at([4, 6, 4]), at([7, 3, 7]), at([4, 2, 4])],
        [255; 3],
        "its corners, and the rock under one"
    );
    assert_eq!(
        [at([3, 6, 4]), at([4, 7, 4]), at([3, 4, 3]), at([3, 2, 4])],
        [0; 4],
        "beside it"
    );
}

/// Smallest span around the changes of each row.
fn by_rows(changes: &[Change], grid: Grid) -> Vec<Span> {
    let mut rows = vec![Span::EMPTY; grid.ny * grid.nz];
    for &Change { row, cells } in changes {
        assert!(!cells.is_empty());
        rows[row] = rows[row].union(cells);
    }
    rows
}

/// Flags of the bricks that contain a cell that differs.
fn bricks_that_differ(old: &Volume, new: &Volume) -> Vec<bool> {
    let grid = new.grid;
    let [nx, ny, nz] = [grid.nx, grid.ny, grid.nz].map(|n| n.div_ceil(BRICK));
    let mut bricks = vec![false; nx * ny * nz];
    for ([x, y, z], i) in grid.places().zip(0..) {
        let differs = (old.density[i], old.energy[i]) != (new.density[i], new.energy[i]);
        bricks[(z / BRICK * ny + y / BRICK) * nx + x / BRICK] |= differs;
    }
    bricks
}

/// Span from the first to the last differing cell of each row.
fn differing(old: &Volume, new: &Volume) -> Vec<Span> {
    let nx = new.grid.nx;
    let differs = |i: usize| (old.density[i], old.energy[i]) != (new.density[i], new.energy[i]);
    let row = |row: usize| {
        let mut cells = (0..nx).filter(|x| differs(row * nx + x));
        let first = cells.next();
        first.map_or(Span::EMPTY, |x| Span {
            from: x as u16,
            to: cells.next_back().unwrap_or(x) as u16 + 1,
        })
    };
    (0..new.grid.ny * new.grid.nz).map(row).collect()
}

#[test]
fn changes_cover_exactly_the_cells_that_differ() {
    let shapes = [
        Grid::new(1, 1, 1),
        Grid::new(9, 8, 7),
        Grid::new(40, 19, 26),
        Grid::new(150, 9, 10),
    ];
    for (seed, grid) in shapes.into_iter().enumerate() {
        let world = random_world(grid, seed as u64, 30, 8);
        let mut simulation =
            Simulation::new(world, &RulesSpec::default(), &vents(grid), 3, tiled());
        let start = simulation.snapshot(None);
        let (mut lowpass, mut bricks) = (LowPass::new(grid), Bricks::new(grid));
        let mut read = Volume::empty(grid);
        for step in 0..60_u64 {
            simulation.step();
            if step % 9 == 4 {
                let matter =
                    [Matter::Rock, Matter::Nothing, Matter::Drain][step as usize % 3].clone();
                let center = [step as f64 % 11.0, 4.0, 6.0];
                let shape = Shape::Sphere {
                    center,
                    radius: 3.0,
                };
                place_matter(&mut simulation, shape, matter);
            }
            if step == 40 {
                simulation.go_back(&start);
            }
            lowpass.refresh(simulation.world());
            if step % 4 > 0 {
                continue;
            }
            // Several refreshes may pass before the changes are read, so a cell that has returned
            // to its value may be covered.
            let changed = lowpass.take_changes();
            let differing = differing(&read, lowpass.volume());
            for (row, (changed, differing)) in
                by_rows(&changed, grid).iter().zip(&differing).enumerate()
            {
                assert_eq!(
                    changed.union(*differing),
                    *changed,
                    "row {row} at step {step}"
                );
            }
            bricks.refresh(lowpass.volume(), &changed);
            assert!(
                bricks.densest() == densest(lowpass.volume()),
                "bricks at step {step}"
            );
            read.clone_from(lowpass.volume());

            simulation.step();
            lowpass.refresh(simulation.world());
            let changed = lowpass.take_changes();
            let differing = self::differing(&read, lowpass.volume());
            assert!(
                by_rows(&changed, grid) == differing,
                "one refresh at step {step}"
            );
            // The uploaded bricks exclude those between two changes of a row.
            let uploaded = bricks.touched(&changed, 0);
            assert!(
                uploaded == bricks_that_differ(&read, lowpass.volume()),
                "one refresh at step {step}"
            );
            let any = !changed.is_empty();
            let before = bricks.densest().to_vec();
            let another = bricks.refresh(lowpass.volume(), &changed);
            assert_eq!(another, before != bricks.densest());
            assert!(any || !another);
            read.clone_from(lowpass.volume());
            lowpass.refresh(simulation.world());
            assert!(lowpass.take_changes().is_empty(), "nothing changed");
        }
    }
}

/// A random change between two refreshes.
fn happen(simulation: &mut Simulation, start: &Snapshot, dice: &mut Dice) {
    match dice.below(20) {
        0..14 => (0..1 + dice.below(4)).for_each(|_| simulation.step()),
        // In a single cell most commands of a person would be refused.
        14..19 if simulation.world().grid().cells() > 1 => meddle(simulation, dice),
        14..19 => simulation.step(),
        _ => simulation.go_back(start),
    }
}

/// Low-pass that is refreshed now and then, and the volume at its last read of changes.
struct Watcher {
    lowpass: LowPass,
    taken: Volume,
}

impl Watcher {
    fn new(grid: Grid) -> Self {
        Self {
            lowpass: LowPass::new(grid),
            taken: Volume::empty(grid),
        }
    }

    /// Refreshes and compares with a new low-pass; checks and takes the changes if `take`.
    fn look(&mut self, world: &World, take: bool) {
        let mut fresh = LowPass::new(world.grid());
        fresh.refresh(world);
        assert!(self.lowpass.refresh(world) == fresh.volume());
        assert!(self.lowpass.rows() == fresh.rows());
        if take {
            let changed = by_rows(&self.lowpass.take_changes(), world.grid());
            for (row, (changed, differing)) in changed
                .iter()
                .zip(differing(&self.taken, fresh.volume()))
                .enumerate()
            {
                assert_eq!(changed.union(differing), *changed, "row {row}");
            }
            self.taken.clone_from(fresh.volume());
        }
    }
}

/// Boxes of one cell, of many rows, of few rows, and with more tiles in a row than a word has bits.
const SHAPES: [Grid; 6] = [
    Grid {
        nx: 1,
        ny: 1,
        nz: 1,
    },
    Grid {
        nx: 3,
        ny: 200,
        nz: 5,
    },
    Grid {
        nx: 129,
        ny: 7,
        nz: 130,
    },
    Grid {
        nx: 70,
        ny: 20,
        nz: 9,
    },
    Grid {
        nx: 1100,
        ny: 5,
        nz: 6,
    },
    Grid {
        nx: 16,
        ny: 12,
        nz: 13,
    },
];

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(6), ..ProptestConfig::default() })]

    #[test]
    fn what_changed_is_enough(
        shape in 0..SHAPES.len(), seed: u64, spec in any_rules(), liquid in 0u64..20, oracle in 0..4, things in 10..50,
    ) {
        let grid = SHAPES[shape];
        let mut dice = Dice(seed);
        let engine = if oracle == 0 { plain() } else { tiled() };
        let world = random_world(grid, seed, dice.below(12), liquid);
        let mut simulation = Simulation::new(world.clone(), &spec, &vents(grid), seed, engine);
        let mut other = Simulation::new(world, &spec, &[], seed, tiled());
        let start = simulation.snapshot(None);
        // One reader reads every turn, one rarely, one alternates between two worlds, and one reads
        // copies of a world.
        let [mut often, mut rarely, mut fickle, mut copies] = std::array::from_fn(|_| Watcher::new(grid));
        let mut copy = simulation.world().clone();
        for turn in 0..things {
            happen(&mut simulation, &start, &mut dice);
            other.step();
            often.look(simulation.world(), turn % 3 == 0);
            if turn % 7 == 3 {
                rarely.look(simulation.world(), true);
                copies.look(&copy, false);
            }
            match dice.below(4) {
                0 => fickle.look(simulation.world(), true),
                1 => fickle.look(other.world(), false),
                2 => {
                    // The copy and its original diverge after this, both already seen by the
                    // reader.
                    copy = simulation.world().clone();
                    copies.look(&copy, true);
                    copies.look(simulation.world(), true);
                    let [x, y, z] = [grid.nx, grid.ny, grid.nz].map(|n| dice.below(n as u64) as f64);
                    copy.edit(&ball(x, y, z, Matter::Lava { amount: 0.7, energy: 1.0, temperature_k: None }));
                }
                _ => {
                    let mut lowpass = often.lowpass.clone();
                    other.step();
                    lowpass.refresh(simulation.world());
                    prop_assert!(lowpass.volume() == often.lowpass.volume());
                }
            }
        }
    }
}

#[test]
fn a_long_run_is_followed_at_every_step() {
    let grid = Grid::new(128, 100, 128);
    let (x, z) = crater(grid);
    let vent = VentSpec {
        x: x as f64 + 0.5,
        z: z as f64 + 0.5,
        ..VentSpec::default()
    };
    let mut simulation = Simulation::new(volcano(grid), &RulesSpec::default(), &[vent], 1, tiled());
    let mut watchers = [
        (1, Watcher::new(simulation.world().grid())),
        (13, Watcher::new(simulation.world().grid())),
    ];
    for step in 1..=400 {
        simulation.step();
        for (every, watcher) in &mut watchers {
            if step % *every == 0 {
                watcher.look(simulation.world(), step % 2 == 0);
            }
        }
    }
    assert!(simulation.world().lava().tally().cells > 500);
}

#[test]
fn only_what_is_near_a_change_is_filtered() {
    let grid = Grid::new(200, 20, 40);
    let mut simulation =
        Simulation::new(World::at_rest(grid), &RulesSpec::default(), &[], 1, tiled());
    let mut lowpass = LowPass::new(grid);
    let mut filtered = |simulation: &Simulation| {
        lowpass.refresh(simulation.world());
        lowpass.filtered()
    };
    assert_eq!(
        filtered(&simulation),
        grid.nx * 2 * grid.nz,
        "all that the filter reaches from the floor"
    );
    // The rules need three steps until they have visited every tile once.
    (0..3).for_each(|_| simulation.step());
    filtered(&simulation);
    for _ in 0..3 {
        simulation.step();
        assert_eq!(filtered(&simulation), 0, "nothing moves");
    }
    // The cell's energy is too low to move, and it rests on the other lava.
    let shape = Shape::Box {
        from: [90.0, 1.0, 21.0],
        to: [91.0, 2.0, 22.0],
    };
    let edit = Edit {
        shape,
        matter: Matter::Lava {
            amount: 0.5,
            energy: 0.0,
            temperature_k: None,
        },
    };
    simulation
        .command(Command::Put(edit))
        .expect("a small edit");
    simulation.step();
    let near = filtered(&simulation);
    // The tile and a halo of one cell.
    assert_eq!(
        near,
        (8 + 2) * 3 * (4 + 2),
        "the cells near one that changed"
    );
    (0..2).for_each(|_| simulation.step());
    filtered(&simulation);
    simulation.step();
    assert_eq!(filtered(&simulation), 0, "nothing moves any more");
}

#[test]
fn only_what_is_near_changed_ground_is_filtered() {
    let grid = Grid::new(200, 20, 40);
    let mut simulation =
        Simulation::new(World::at_rest(grid), &RulesSpec::default(), &[], 1, tiled());
    let mut lowpass = LowPass::new(grid);
    let mut filtered = |simulation: &Simulation| {
        lowpass.refresh(simulation.world());
        let mut fresh = LowPass::new(grid);
        assert!(lowpass.volume() == fresh.refresh(simulation.world()));
        lowpass.filtered()
    };
    (0..3).for_each(|_| simulation.step());
    filtered(&simulation);
    // Rock on the lava inside a tile refilters that column of tiles and a halo of one cell, in the
    // two rows that have density.
    for (at, tiles) in [
        ([90.0, 1.0, 21.0], 1),
        ([95.0, 1.0, 23.0], 4),
        ([90.0, 9.0, 21.0], 1),
    ] {
        let shape = Shape::Box {
            from: at,
            to: at.map(|v| v + 1.0),
        };
        place_matter(&mut simulation, shape, Matter::Rock);
        let near = filtered(&simulation);
        assert!(
            (8 * 2 * 4..=(8 + 2) * 2 * 4).contains(&(near / tiles)),
            "{near} cells near {at:?}"
        );
        // The woken tiles have no moves.
        (0..3).for_each(|_| simulation.step());
        filtered(&simulation);
        simulation.step();
        assert_eq!(filtered(&simulation), 0, "nothing moves");
    }
}
