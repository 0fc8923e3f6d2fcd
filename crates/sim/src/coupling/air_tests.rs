//! Tests of the air's accounts over changing ground, with a solver that does not move the air.

use super::*;
use crate::simulation::Simulation;
use crate::source::{FUME, VentAir, VentSpec};
use crate::state::{PackedState, State};
use lavoxel_air::*;
use lavoxel_automaton::engine::Engine;
use lavoxel_automaton::engine::tiled::Tiled;
use lavoxel_automaton::matter::Material;
use lavoxel_automaton::world::{Breath, Edit, Ground, Matter, Shape, World};
use lavoxel_base::grid::{Grid, Place};
use lavoxel_base::random::mix64;

/// Air solver whose step leaves the air at rest.
#[derive(Clone, Debug)]
struct Still;

impl Solver for Still {
    fn set_ground(&mut self, _: &Openness, _: &[(usize, usize)]) {}

    fn step(&mut self, _: &mut Amounts, _: &Openness, _: &Forces) -> Flows {
        Flows::default()
    }

    fn velocity(&self, _: Place) -> [f32; 3] {
        [0.0; 3]
    }

    fn push(&mut self, _: Place, _: [f32; 3]) {}

    fn blow(&mut self, _: &[[f32; 2]]) {}

    fn change_wind(&mut self, _: &[[f32; 2]]) {}

    fn planes(&self) -> Vec<Vec<u32>> {
        Vec::new()
    }

    fn restore(&mut self, _: &[Vec<u32>]) -> Result<(), String> {
        Ok(())
    }

    fn bytes(&self) -> usize {
        0
    }

    fn boxed_clone(&self) -> Box<dyn Solver> {
        Box::new(Self)
    }
}

fn air_over(voxels: Grid, spec: &AirSpec) -> Air {
    let grid = spec.grid_of(voxels, 10.0, 1).expect("fits");
    Air::new(spec, grid, 10.0, Box::new(Still), true)
}

fn hills(nx: usize, ny: usize, nz: usize) -> Ground {
    let height = |(z, x): (usize, usize)| {
        (mix64((x / 3 * 31 + z / 4) as u64) >> 60) as f32 * ny as f32 / 24.0
    };
    Ground::from_surface(ny, ndarray::Array2::from_shape_fn((nz, nx), height))
}

fn restless(seed: u64, ratio: usize) -> Simulation {
    let (nx, ny, nz) = (21 + (seed % 7) as usize, 20, 18);
    let ground = hills(nx, ny, nz);
    let spec = AirSpec {
        ratio: Some(ratio),
        margin_m: 40.0,
        stratification: if seed.is_multiple_of(2) { 0.0 } else { 0.02 },
        steam: Some("steam".to_owned()),
        fall_m_s: 3.0,
        ..AirSpec::default()
    };
    let voxels = Grid::new(nx, ny, nz);
    let world = State::from(World::with_materials(
        ground,
        vec![Material::water(), Material::steam()],
    ))
    .with_air(air_over(voxels, &spec));
    let about = VentAir {
        ash: 0.2,
        steam: 0.1,
        ..VentAir::default()
    };
    let vent = VentSpec {
        x: 9.0,
        z: 8.0,
        radius: 2.0,
        rate: 5.0,
        air: Some(Box::new(about.clone())),
        ..VentSpec::default()
    };
    let fume = VentSpec {
        x: 4.0,
        z: 12.0,
        rate: 500.0,
        material: Some(FUME.to_owned()),
        ..vent.clone()
    };
    let steam = VentSpec {
        x: 15.0,
        z: 5.0,
        rate: 1.0,
        material: Some("steam".to_owned()),
        air: None,
        ..vent.clone()
    };
    let mut world = world;
    world.open_account();
    let rules = lavoxel_automaton::rules::RulesSpec::default();
    Simulation::new(
        world,
        &rules,
        &[vent, fume, steam],
        seed,
        Box::new(Tiled::default()) as Box<dyn Engine>,
    )
}

#[test]
fn ash_that_fell_lies_down_as_grains() {
    let voxels = Grid::new(12, 12, 12);
    let spec = AirSpec {
        ash: Some("ash".to_owned()),
        fall_m_s: 20.0,
        ash_unit_kg_m3: 1.0,
        ..AirSpec::default()
    };
    let ground = Ground::from_surface(12, ndarray::Array2::from_elem((12, 12), 2.0));
    let mut world = State::from(World::with_materials(ground, vec![Material::ash()]))
        .with_air(air_over(voxels, &spec));
    world.open_account();
    // A voxel of 10 m full of ash of 1300 kg/m³ is 1300 t.
    let about = VentAir {
        ash: 1.0,
        gas: 0.0,
        pulse: 0.0,
        ..VentAir::default()
    };
    let material = Some(FUME.to_owned());
    let fume = VentSpec {
        x: 6.0,
        z: 6.0,
        radius: 1.9,
        rate: 1.3e6,
        material,
        air: Some(Box::new(about)),
        ..VentSpec::default()
    };
    let rules = lavoxel_automaton::rules::RulesSpec::default();
    let mut simulation = Simulation::new(
        world,
        &rules,
        &[fume],
        3,
        Box::new(Tiled::default()) as Box<dyn Engine>,
    );
    for _ in 0..60 {
        simulation.step();
        simulation.world().check().expect("exact");
    }
    let world = simulation.world();
    let (air, ash) = (
        world.air().expect("there is one"),
        world.layer("ash").expect("there is one"),
    );
    let fallen = air.account(Field::Ash).deposited as f64 * air.scale().of_unit(Field::Ash);
    let lying = ash.tally().cells as f64 * 1.3e6;
    assert!(
        lying > 10.0 * 1.3e6 && lying <= fallen,
        "{lying} kg lie, {fallen} kg fell"
    );
    assert!(
        fallen - lying < 20.0 * 1.3e6,
        "less than a grain a column is left: {fallen} kg fell, {lying} kg lie"
    );
    let map: f64 = (0..144).map(|i| air.ash_on(i % 12, i / 12) * 100.0).sum();
    assert!(
        (map / fallen - 1.0).abs() < 1e-6,
        "the map has {map} kg of {fallen}"
    );
}

fn random_edit(random: u64) -> Edit {
    let at = |shift: u32, n: u64| ((random >> shift) % n) as f64;
    let from = [at(0, 20), at(8, 18), at(16, 16)];
    let shape = Shape::Box {
        from,
        to: from.map(|v| v + 1.0 + at(24, 6)),
    };
    let water = Matter::Material {
        name: "water".to_owned(),
        amount: 1.0,
    };
    let matter =
        [Matter::Rock, Matter::Nothing, water, Matter::Drain][(random >> 40) as usize % 4].clone();
    Edit { shape, matter }
}

#[test]
fn accounts_close_over_ground_that_rises_and_falls() {
    for (seed, ratio) in [(1, 1), (2, 2), (3, 4), (4, 8)] {
        let mut simulation = restless(seed, ratio);
        for step in 0..150_u64 {
            if step % 5 == 0 {
                simulation
                    .command(crate::simulation::Command::Put(random_edit(mix64(
                        seed << 20 | step,
                    ))))
                    .expect("valid");
            }
            simulation.step();
            simulation.world().check().expect("exact");
        }
        let air = simulation.world().air().expect("there is one");
        for field in Field::CARRIED {
            assert!(air.account(field).put > 0, "{field:?}");
        }
        assert!(air.account(Field::Ash).deposited > 0 && air.account(Field::Steam).evaporated > 0);
        assert!(air.account(Field::Density).buried > 0);
    }
}

#[test]
fn openness_is_that_of_the_voxels_however_it_was_read() {
    for (seed, ratio) in [(5, 1), (6, 2), (7, 4)] {
        let mut simulation = restless(seed, ratio);
        for step in 0..60_u64 {
            simulation
                .command(crate::simulation::Command::Put(random_edit(mix64(
                    seed << 30 | step,
                ))))
                .expect("valid");
            simulation.step();
        }
        // The air has read the ground after the last step; read everything again, and every voxel
        // by itself.
        let world = simulation.world();
        let air = world.air().expect("there is one");
        let grid = air.grid();
        let blocked = |[x, y, z]: [i64; 3]| {
            let place = [
                x.clamp(0, world.grid().nx as i64 - 1),
                y,
                z.clamp(0, world.grid().nz as i64 - 1),
            ];
            let place = place.map(|v| v as usize);
            y < world.grid().ny as i64
                && (world.ground().is_solid(place)
                    || world.lava().at(place).amount
                        + world.layer("water").expect("water").at(place).amount
                        >= 16384)
        };
        for place in grid.cells.places() {
            let (corner, r) = (grid.voxel_of(place), ratio as i64);
            let inside = (0..r.pow(3)).map(|i| {
                [
                    corner[0] + i % r,
                    corner[1] + i / r % r,
                    corner[2] + i / r / r,
                ]
            });
            let solid = 2 * inside.filter(|&voxel| blocked(voxel)).count() >= ratio.pow(3);
            assert_eq!(air.openness().is_solid(place), solid, "{place:?}");
        }
        let mut fresh = AirOverGround::new(world, air_over(world.grid(), air.spec()));
        fresh.read_ground(world);
        assert_eq!(fresh.air.openness(), air.openness());
    }
}

#[test]
fn comes_back_to_a_snapshot() {
    let mut simulation = restless(9, 2);
    (0..40).for_each(|_| simulation.step());
    simulation
        .command(crate::simulation::Command::Put(random_edit(77)))
        .expect("valid");
    let snapshot = simulation.snapshot(None);
    let packed = PackedState::new(simulation.world(), None);
    let hash = simulation.world().state_hash();
    (0..20).for_each(|_| simulation.step());
    let later = simulation.world().state_hash();
    simulation.go_back(&snapshot);
    assert_eq!(simulation.world().state_hash(), hash);
    assert!(
        packed.bytes()
            > 3 * 4
                * simulation
                    .world()
                    .air()
                    .expect("there is one")
                    .grid()
                    .cells
                    .cells()
    );
    (0..20).for_each(|_| simulation.step());
    assert_eq!(simulation.world().state_hash(), later);
    simulation.world().check().expect("exact");
}

#[test]
fn a_wider_air_stands_over_the_ground_of_the_edge() {
    let voxels = Grid::new(8, 8, 8);
    let spec = AirSpec {
        margin_m: 60.0,
        ratio: Some(2),
        ..AirSpec::default()
    };
    let surface = ndarray::Array2::from_shape_fn((8, 8), |(_, x)| if x < 4 { 6.0 } else { 2.0 });
    let mut world =
        State::from(World::new(Ground::from_surface(8, surface))).with_air(air_over(voxels, &spec));
    world.open_account();
    let openness = world.air().expect("there is one").openness();
    let grid = openness.grid();
    assert_eq!(grid.size(), [10, 8, 10]);
    for place @ [x, y, _] in grid.cells.places() {
        assert_eq!(
            openness.is_solid(place),
            y < if x < 5 { 3 } else { 1 },
            "{place:?}"
        );
    }
}

/// Returns the sum of the squared velocities over all faces of the air cells, in (cells per step)².
fn energy(simulation: &Simulation) -> f64 {
    let planes = simulation
        .world()
        .air()
        .expect("there is one")
        .solver
        .planes();
    planes[..3]
        .iter()
        .flatten()
        .map(|&bits| f64::from(f32::from_bits(bits)).powi(2))
        .sum()
}

/// Uses the default air of a scene, but with walls at the sides and the top.
#[test]
fn a_puff_in_a_closed_box_only_loses_and_comes_to_rest() {
    let voxels = Grid::new(40, 20, 40);
    let sides = SidesSpec {
        x: Side::Wall,
        z: Side::Wall,
        top: Side::Wall,
    };
    let spec = AirSpec {
        sides,
        ..AirSpec::default()
    };
    let ground = Ground::from_surface(20, ndarray::Array2::from_elem((40, 40), 3.0));
    let mut world = State::from(World::new(ground)).with_air(spec.air(voxels, 10.0).expect("fits"));
    world.open_account();
    let rules = lavoxel_automaton::rules::RulesSpec::default();
    let mut simulation = Simulation::new(
        world,
        &rules,
        &[],
        3,
        Box::new(Tiled::default()) as Box<dyn Engine>,
    );
    let breath = Breath {
        wind_m_s: [2.0, 8.0, 0.0],
        ..Breath::default()
    };
    let shape = Shape::Sphere {
        center: [18.0, 12.0, 20.0],
        radius: 6.0,
    };
    simulation
        .command(crate::simulation::Command::Put(Edit {
            shape,
            matter: Matter::Air(breath),
        }))
        .expect("valid");
    simulation.step();
    let (first, mut before) = (energy(&simulation), f64::INFINITY);
    assert!(first > 0.5, "{first}");
    for step in 0..6000 {
        simulation.step();
        let now = energy(&simulation);
        assert!(
            now <= 1.001 * before,
            "step {step}: {before} became {now} of {first}"
        );
        before = now;
        if now == 0.0 {
            break;
        }
    }
    assert_eq!(before, 0.0, "of {first}");
    // A resting air is skipped: nothing changes, not even the pressure.
    let planes = simulation
        .world()
        .air()
        .expect("there is one")
        .solver
        .planes();
    (0..10).for_each(|_| simulation.step());
    assert!(
        simulation
            .world()
            .air()
            .expect("there is one")
            .solver
            .planes()
            == planes
    );
}
