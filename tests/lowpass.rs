//! The promise: working out only what liquid can have changed gives the same volume as filtering everything.

mod common;

use common::{densest, random_world, tiled, vents};
use lavoxel::grid::Grid;
use lavoxel::lowpass::{Bricks, ENERGY_SHOWN, LowPass, Volume};
use lavoxel::rules::RulesSpec;
use lavoxel::simulation::{Act, Simulation};
use lavoxel::units::{AMOUNT_ONE, ENERGY_ONE};
use lavoxel::world::{Edit, Matter, Shape, Span, World};

/// The filter as its documentation says, cell by cell over the whole box.
fn everything(world: &World) -> Volume {
    let grid = world.grid;
    let mut volume = Volume::empty(grid);
    for z in 0..grid.nz {
        for y in 0..grid.ny {
            for x in 0..grid.nx {
                let (mut weight, mut amount, mut energy) = (0.0, 0.0, 0.0);
                for (dx, dy, dz) in (0..27).map(|i| (i % 3, i / 3 % 3, i / 9)) {
                    let near = |v: usize, d: usize, n: usize| (v + d).checked_sub(1).filter(|&w| w < n);
                    let place = (near(x, dx, grid.nx), near(y, dy, grid.ny), near(z, dz, grid.nz));
                    let (Some(x), Some(y), Some(z)) = place else { continue };
                    if world.ground.is_solid(x, y, z) {
                        continue;
                    }
                    let w = [1.0, 2.0, 1.0][dx] * [1.0, 2.0, 1.0][dy] * [1.0, 2.0, 1.0][dz];
                    let cell = world.lava.cell(grid.index(x, y, z));
                    weight += w;
                    amount += w * f64::from(cell.amount) / f64::from(AMOUNT_ONE);
                    energy += w * f64::from(cell.energy) / f64::from(ENERGY_ONE) / f64::from(ENERGY_SHOWN);
                }
                if weight > 0.0 {
                    let shade = |v: f64| (v / weight * 255.0 + 1e-9).round().min(255.0) as u8;
                    let i = grid.index(x, y, z);
                    (volume.density[i], volume.energy[i]) = (shade(amount), shade(energy));
                }
            }
        }
    }
    volume
}

#[test]
fn incremental_equals_full_at_every_step() {
    for grid in [Grid::new(1, 1, 1), Grid::new(2, 9, 1), Grid::new(23, 14, 17)] {
        let world = random_world(grid, 5, 25, 15);
        let mut simulation = Simulation::new(world, &RulesSpec::default(), &vents(grid), 3, tiled());
        let mut lowpass = LowPass::new(grid);
        for step in 0..40 {
            simulation.step();
            if step == 20 {
                let shape = Shape::Sphere { center: [10.0, 5.0, 8.0], radius: 4.0 };
                simulation.act(Act::Put(Edit { shape, matter: Matter::Nothing })).expect("a small edit");
            }
            if step == 30 {
                let shape = Shape::Sphere { center: [6.0, 3.0, 8.0], radius: 4.0 };
                simulation.act(Act::Put(Edit { shape, matter: Matter::Rock })).expect("a small edit");
            }
            if step % 3 == 0 {
                assert!(*lowpass.refresh(simulation.world()) == everything(simulation.world()), "step {step}");
            }
        }
    }
}

#[test]
fn a_full_bed_stays_full_down_to_the_rock() {
    let mut world = random_world(Grid::new(5, 5, 5), 1, 0, 0);
    let rock = Shape::Box { from: [0.0; 3], to: [5.0, 2.0, 5.0] };
    world.edit(&Edit { shape: rock, matter: Matter::Rock });
    let lava = Shape::Box { from: [0.0, 2.0, 0.0], to: [5.0, 5.0, 5.0] };
    world.edit(&Edit { shape: lava, matter: Matter::Lava { amount: 1.0, energy: 1.0 } });
    let mut lowpass = LowPass::new(world.grid);
    let volume = lowpass.refresh(&world);
    let column: Vec<u8> = (0..5).map(|y| volume.density[world.grid.index(2, y, 2)]).collect();
    assert_eq!(column, [0, 255, 255, 255, 255]);
}

/// For each row, the first and the last cell that differ.
fn differing(old: &Volume, new: &Volume) -> Vec<Span> {
    let nx = new.grid.nx;
    let differs = |i: usize| (old.density[i], old.energy[i]) != (new.density[i], new.energy[i]);
    let row = |row: usize| {
        let mut cells = (0..nx).filter(|x| differs(row * nx + x));
        let first = cells.next();
        first.map_or(Span::EMPTY, |x| Span { from: x as u16, to: cells.next_back().unwrap_or(x) as u16 + 1 })
    };
    (0..new.grid.ny * new.grid.nz).map(row).collect()
}

#[test]
fn changes_cover_exactly_the_cells_that_differ() {
    for (seed, grid) in [Grid::new(1, 1, 1), Grid::new(9, 8, 7), Grid::new(40, 19, 26)].into_iter().enumerate() {
        let world = random_world(grid, seed as u64, 30, 8);
        let mut simulation = Simulation::new(world, &RulesSpec::default(), &vents(grid), 3, tiled());
        let start = simulation.moment(None);
        let (mut lowpass, mut bricks) = (LowPass::new(grid), Bricks::new(grid));
        let mut told = Volume::empty(grid);
        for step in 0..60_u64 {
            simulation.step();
            if step % 9 == 4 {
                let matter = [Matter::Rock, Matter::Nothing, Matter::Drain][step as usize % 3];
                let center = [step as f64 % 11.0, 4.0, 6.0];
                let shape = Shape::Sphere { center, radius: 3.0 };
                simulation.act(Act::Put(Edit { shape, matter })).expect("a small edit");
            }
            if step == 40 {
                simulation.go_back(&start);
            }
            lowpass.refresh(simulation.world());
            if step % 4 > 0 {
                continue;
            }
            // Several refreshes may pass before somebody asks; a cell that came back to its value may be covered.
            let changed = lowpass.take_changes();
            let differing = differing(&told, lowpass.volume());
            for (row, (changed, differing)) in changed.iter().zip(&differing).enumerate() {
                assert_eq!(changed.union(*differing), *changed, "row {row} at step {step}");
            }
            bricks.refresh(lowpass.volume(), &changed);
            assert!(bricks.densest() == densest(lowpass.volume()), "bricks at step {step}");
            told.clone_from(lowpass.volume());

            simulation.step();
            lowpass.refresh(simulation.world());
            let changed = lowpass.take_changes();
            assert!(changed == self::differing(&told, lowpass.volume()), "one refresh at step {step}");
            let any = changed.iter().any(|span| !span.is_empty());
            let before = bricks.densest().to_vec();
            let another = bricks.refresh(lowpass.volume(), &changed);
            assert_eq!(another, before != bricks.densest());
            assert!(any || !another);
            told.clone_from(lowpass.volume());
            lowpass.refresh(simulation.world());
            assert!(lowpass.take_changes().iter().all(|span| span.is_empty()), "nothing changed");
        }
    }
}
