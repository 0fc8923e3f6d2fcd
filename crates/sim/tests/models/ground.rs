//! The promise: ground that changes every step costs in proportion to the change. Rules and
//! low-pass see every change at once.

use crate::common::{
    Dice, any_grid, any_rules, cases, one_cell, plain, random_world, set_next, tiled, vents,
    volcano,
};
use lavoxel_automaton::engine::tiled::Tiled;
use lavoxel_automaton::engine::{Engine, Level};
use lavoxel_automaton::rules::RulesSpec;
use lavoxel_automaton::world::{Edit, Matter, Shape, World};
use lavoxel_base::grid::Grid;
use lavoxel_sim::lowpass::LowPass;
use lavoxel_sim::simulation::{Command, Simulation};
use lavoxel_sim::source::VentSpec;
use proptest::prelude::*;

/// Random change of the ground: mostly one cell of rock or of air, sometimes a larger piece.
fn change_ground(dice: &mut Dice, grid: Grid) -> Command {
    let mut below = |n: usize| dice.below(n as u64) as usize;
    let at = [below(grid.nx), below(grid.ny), below(grid.nz)];
    let matter = if below(2) == 0 {
        Matter::Rock
    } else {
        Matter::Nothing
    };
    let from = at.map(|v| v as f64);
    match below(8) {
        0 => Command::Put(Edit {
            shape: Shape::Box {
                from,
                to: from.map(|v| v + 3.0),
            },
            matter,
        }),
        1 => Command::Put(Edit {
            shape: Shape::Sphere {
                center: from,
                radius: 2.5,
            },
            matter,
        }),
        _ => one_cell(at, matter).into(),
    }
}

fn assert_same(ours: &World, theirs: &World, step: u64) {
    if ours.state_hash() != theirs.state_hash() {
        for (i, (a, b)) in ours.lava().cells().zip(theirs.lava().cells()).enumerate() {
            assert_eq!(a, b, "cell {i} after step {step}");
        }
        panic!("the hash after step {step}");
    }
}

/// Runs both engines side by side over ground that changes in one of `every` steps.
fn side_by_side(
    world: &World,
    rules: &RulesSpec,
    engine: Box<dyn Engine>,
    (steps, every, seed): (u64, u64, u64),
) {
    let grid = world.grid();
    let mut dice = Dice(seed);
    let [mut ours, mut theirs] = [engine, plain()]
        .map(|engine| Simulation::new(world.clone(), rules, &vents(grid), 5, engine));
    for step in 1..=steps {
        if dice.below(every) == 0 {
            let act = change_ground(&mut dice, grid);
            ours.command(act.clone()).expect("in range");
            theirs.command(act).expect("in range");
        }
        ours.step();
        theirs.step();
        assert_same(ours.world(), theirs.world(), step);
    }
    ours.world().check().expect("the account is exact");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(24), ..ProptestConfig::default() })]

    #[test]
    fn tiled_gives_the_bits_of_plain_while_the_ground_changes(
        grid in any_grid(), rules in any_rules(), seed: u64, solid in 0u64..60, liquid in 0u64..100,
        level in prop::sample::select(Level::available()), every in 1u64..4,
    ) {
        let world = random_world(grid, seed, solid, liquid);
        side_by_side(&world, &rules, Box::new(Tiled::on(level)), (20, every, seed));
    }
}

#[test]
fn one_cell_of_rock_a_step_for_five_hundred_steps() {
    let rules = RulesSpec {
        threshold: 0.15,
        ..RulesSpec::default()
    };
    for (seed, grid) in [
        Grid::new(21, 18, 19),
        Grid::new(40, 9, 33),
        Grid::new(8, 30, 4),
    ]
    .into_iter()
    .enumerate()
    {
        let world = random_world(grid, seed as u64, 10, 20);
        let mut dice = Dice(seed as u64);
        let [mut ours, mut theirs] = [tiled(), plain()]
            .map(|engine| Simulation::new(world.clone(), &rules, &vents(grid), 5, engine));
        for step in 1..=500 {
            // One change in three opens a cell, so that not everything becomes rock.
            let matter = if dice.below(3) == 0 {
                Matter::Nothing
            } else {
                Matter::Rock
            };
            let at = [grid.nx, grid.ny, grid.nz].map(|n| dice.below(n as u64) as usize);
            for simulation in [&mut ours, &mut theirs] {
                simulation
                    .command(one_cell(at, matter.clone()))
                    .expect("a small edit");
                simulation.step();
            }
            assert_same(ours.world(), theirs.world(), step);
        }
    }
}

/// The volcano in a box of 512 × 128 × 512 cells, with a vent on its flank.
fn wide_volcano() -> Simulation {
    let world = volcano(Grid::new(512, 128, 512));
    let vent = VentSpec {
        x: 200.0,
        z: 250.0,
        radius: 4.0,
        rate: 20.0,
        ..VentSpec::default()
    };
    let mut simulation = Simulation::new(world, &RulesSpec::default(), &[vent], 1, tiled());
    (0..100).for_each(|_| simulation.step());
    simulation
}

#[test]
fn in_a_wide_box_sleeping_tiles_lose_nothing_and_the_low_pass_follows() {
    let mut ours = wide_volcano();
    let start = ours.snapshot(None);
    let mut theirs = wide_volcano();
    theirs.go_back(&start);
    let mut lowpass = LowPass::new(ours.world().grid());
    lowpass.refresh(ours.world());
    let mut dice = Dice(3);
    for step in 1..=500 {
        let act = one_cell(set_next(ours.world(), &mut dice), Matter::Rock);
        ours.command(act.clone()).expect("a small edit");
        theirs.command(act).expect("a small edit");
        // A restored world wakes as a whole.
        let moment = theirs.snapshot(None);
        theirs.go_back(&moment);
        ours.step();
        theirs.step();
        lowpass.refresh(ours.world());
        if step % 50 == 0 {
            assert!(
                ours.world().state_hash() == theirs.world().state_hash(),
                "step {step}"
            );
        }
        if step % 100 == 0 {
            let mut fresh = LowPass::new(ours.world().grid());
            fresh.refresh(ours.world());
            assert!(
                lowpass.volume() == fresh.volume(),
                "the low-pass at step {step}"
            );
        }
    }
    ours.world().check().expect("the account is exact");
}
