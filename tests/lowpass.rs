//! The promise: working out only what liquid can have changed gives the same volume as filtering everything.

mod common;

use common::{dense, random_world, vents};
use lavoxel::grid::Grid;
use lavoxel::lowpass::{ENERGY_SHOWN, LowPass, Volume};
use lavoxel::rules::RulesSpec;
use lavoxel::simulation::{Act, Simulation};
use lavoxel::units::{AMOUNT_ONE, ENERGY_ONE};
use lavoxel::world::{Edit, Matter, Shape, World};

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
        let mut simulation = Simulation::new(world, &RulesSpec::default(), &vents(grid), 3, dense());
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
