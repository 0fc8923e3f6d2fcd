//! Tests of liquids under pressure: water reaches the same level through pipes, deep water stays at
//! rest, and a box one cell thick follows the rule as published.

use lavoxel::engine::tiled::Tiled;
use lavoxel::grid::Grid;
use lavoxel::matter::{Compress, Kind, Material, Pressure};
use lavoxel::rules::RulesSpec;
use lavoxel::simulation::Simulation;
use lavoxel::units::AMOUNT_ONE;
use lavoxel::world::{Edit, Ground, Matter, Shape, World};

/// Returns water with the parameters of the published rule and `passes` passes per step.
fn water(passes: u32) -> Material {
    let compress = Compress {
        max: 0.02,
        passes,
        ..Compress::default()
    };
    Material {
        pressure: Pressure::Compress,
        compress,
        ..Material::water()
    }
}

fn empty(grid: Grid, water: Material) -> World {
    World::with_materials(Ground::none(grid), vec![water])
}

/// Fills the cells from the corner `from` to the corner `to` (x, y, z; `to` exclusive) with
/// `matter`.
fn fill(world: &mut World, from: [usize; 3], to: [usize; 3], matter: Matter) {
    let corners = [from, to].map(|corner| corner.map(|v| v as f64));
    world.edit(&Edit {
        shape: Shape::Box {
            from: corners[0],
            to: corners[1],
        },
        matter,
    });
}

fn full() -> Matter {
    Matter::Material {
        name: "water".to_owned(),
        amount: 1.0,
    }
}

fn run(mut world: World) -> Simulation {
    world.open_account();
    Simulation::new(
        world,
        &RulesSpec::default(),
        &[],
        1,
        Box::new(Tiled::default()),
    )
}

fn amount(world: &World, place: [usize; 3]) -> f64 {
    f64::from(world.layers()[1].at(place).amount) / f64::from(AMOUNT_ONE)
}

/// Returns the height of the water surface in the column (`x`, `z`), in cells.
fn level(world: &World, x: usize, z: usize) -> f64 {
    let top = (0..world.grid().ny).rfind(|&y| amount(world, [x, y, z]) > 0.02);
    top.map_or(0.0, |y| y as f64 + amount(world, [x, y, z]).min(1.0))
}

/// Creates a world of two arms, each 4 cells wide, with a pipe 12 cells long and 2 high between
/// their feet; the first arm is filled to the height `filled` in cells.
fn tube(nz: usize, filled: usize, water: Material) -> World {
    let grid = Grid::new(22, 34, nz);
    let mut world = empty(grid, water);
    let mut rock = |from, to| fill(&mut world, from, to, Matter::Rock);
    rock([0, 0, 0], [22, 1, nz]);
    rock([0, 0, 0], [1, 34, nz]);
    rock([21, 0, 0], [22, 34, nz]);
    rock([5, 3, 0], [17, 34, nz]);
    if nz > 1 {
        rock([0, 0, 0], [22, 34, 1]);
        rock([0, 0, nz - 1], [22, 34, nz]);
    }
    fill(&mut world, [1, 1, 0], [5, 1 + filled, nz], full());
    world
}

/// Returns the difference of the water levels in the two arms of [`tube`], in cells.
fn apart(world: &World) -> f64 {
    let z = world.grid().nz / 2;
    (level(world, 3, z) - level(world, 19, z)).abs()
}

/// Returns the step from which the levels of the two arms stay within one cell until step `most`.
fn steps_to_level(mut simulation: Simulation, most: u64) -> u64 {
    let mut within = None;
    for step in 1..=most {
        simulation.step();
        if apart(simulation.world()) > 1.0 {
            within = None;
        } else {
            within = within.or(Some(step));
        }
    }
    simulation.world().check().expect("the account is exact");
    within.expect("the arms come level")
}

#[test]
fn the_arms_of_a_tube_come_level_and_to_rest() {
    // 64 passes per step equal 64 steps of one pass: one pass per step comes to rest after about
    // 37,000 steps in a thin box, and 52,000 in a thick box.
    for (nz, steps) in [(1, 620), (6, 900)] {
        let mut simulation = run(tube(nz, 30, water(64)));
        (0..steps).for_each(|_| simulation.step());
        let world = simulation.world().clone();
        let apart = apart(&world);
        assert!(
            apart <= 0.1,
            "{nz} thick: the arms stand {apart:.3} cells apart"
        );
        simulation.step();
        let held = |world: &World| world.layers()[1].held().collect::<Vec<_>>();
        assert_eq!(
            held(simulation.world()),
            held(&world),
            "{nz} thick: it is at rest"
        );
        simulation.world().check().expect("the account is exact");
    }
}

#[test]
fn the_time_to_come_level_falls_with_the_passes() {
    let steps = [1, 2, 4, 8].map(|passes| {
        let most = 11_000 / u64::from(passes);
        f64::from(passes) * steps_to_level(run(tube(1, 21, water(passes))), most) as f64
    });
    for (passes, work) in [2, 4, 8].into_iter().zip(&steps[1..]) {
        assert!(
            (work / steps[0] - 1.0).abs() < 0.1,
            "{passes} passes: {work} passes in all, one a step {}",
            steps[0]
        );
    }
}

#[test]
fn a_pass_is_a_step() {
    let [mut slow, mut fast] = [1, 4].map(|passes| run(tube(5, 20, water(passes))));
    (0..240).for_each(|_| slow.step());
    (0..60).for_each(|_| fast.step());
    let held = |simulation: &Simulation| simulation.world().layers()[1].held().collect::<Vec<_>>();
    assert_eq!(held(&slow), held(&fast));
}

#[test]
fn deep_water_holds_more_at_its_foot() {
    let grid = Grid::new(8, 24, 8);
    let mut world = empty(grid, water(8));
    fill(&mut world, [0, 0, 0], [8, 20, 8], full());
    let mut simulation = run(world);
    (0..400).for_each(|_| simulation.step());
    let layer = &simulation.world().layers()[1];
    let column: Vec<i32> = (0..24)
        .map(|y| i32::from(layer.at([4, y, 4]).amount))
        .collect();
    let full = column
        .iter()
        .filter(|&&amount| amount >= i32::from(AMOUNT_ONE))
        .count();
    assert!((14..20).contains(&full), "{full} full cells in {column:?}");
    for pair in column[..full].windows(2) {
        // Each cell holds 0.02 of a cell more than the cell above, rounded to an even 654 units.
        assert!(
            (pair[0] - pair[1] - 654).abs() <= 40,
            "{pair:?} in {column:?}"
        );
    }
}

#[test]
fn a_sea_is_poured_at_rest() {
    let grid = Grid::new(16, 30, 12);
    let mut world = empty(grid, water(1));
    fill(&mut world, [5, 0, 4], [9, 12, 8], Matter::Rock);
    world.edit(&Edit {
        shape: Shape::Below { level: 16.0 },
        matter: full(),
    });
    assert!(
        amount(&world, [0, 0, 0]) > 1.29,
        "the foot holds {}",
        amount(&world, [0, 0, 0])
    );
    let held = |world: &World| world.layers()[1].held().collect::<Vec<_>>();
    let poured = held(&world);
    let mut simulation = run(world);
    (0..8).for_each(|_| simulation.step());
    assert_eq!(held(simulation.world()), poured, "nothing moves");
}

#[test]
fn a_mirrored_world_stays_a_mirror_image() {
    let grid = Grid::new(24, 20, 9);
    let blob = |mirrored: bool| {
        let mut world = empty(grid, water(1));
        let x = |from: usize, to: usize| {
            if mirrored {
                [grid.nx - to, grid.nx - from]
            } else {
                [from, to]
            }
        };
        let [from, to] = x(6, 8);
        fill(&mut world, [from, 0, 2], [to, 7, 7], Matter::Rock);
        let [from, to] = x(1, 6);
        fill(&mut world, [from, 1, 1], [to, 16, 6], full());
        run(world)
    };
    let [mut one, mut other] = [blob(false), blob(true)];
    for step in 1..=400 {
        one.step();
        other.step();
        for place @ [x, y, z] in grid.places() {
            let [a, b] = [(&one, place), (&other, [grid.nx - 1 - x, y, z])];
            let at = |(simulation, place): (&Simulation, _)| {
                simulation.world().layers()[1].at(place).amount
            };
            assert_eq!(at(a), at(b), "{place:?} in step {step}");
        }
    }
}

#[test]
fn a_box_too_deep_for_it_is_refused_with_what_fits() {
    let scene = |ny: usize| {
        let mut scene = lavoxel::scene::Scene::volcano();
        scene.spec.grid.size = [32, ny, 32];
        scene.spec.materials.push(water(1));
        scene.validate()
    };
    scene(48).expect("0.02 fits a box 48 cells high");
    let refused = scene(100).expect_err("it overflows").to_string();
    assert!(
        refused.contains("material[0].compress.max") && refused.contains("at most 0.0095"),
        "{refused}"
    );
}

/// World of the published rule in 32-bit floats: rows of `nx` cells from the bottom up, surrounded
/// by rock.
struct Published {
    nx: usize,
    rock: Vec<bool>,
    mass: Vec<f32>,
}

impl Published {
    const MAX_COMPRESS: f32 = 0.02;
    const MIN_FLOW: f32 = 0.01;
    const MAX_SPEED: f32 = 1.0;

    fn new(world: &World) -> Self {
        let grid = world.grid();
        let places = || (0..grid.ny).flat_map(|y| (0..grid.nx).map(move |x| [x, y, 0]));
        Self {
            nx: grid.nx,
            rock: places()
                .map(|place| world.ground().is_solid(place))
                .collect(),
            mass: places().map(|place| amount(world, place) as f32).collect(),
        }
    }

    fn stable_state_b(total: f32) -> f32 {
        if total <= 1.0 {
            1.0
        } else if total < 2.0 + Self::MAX_COMPRESS {
            (1.0 + total * Self::MAX_COMPRESS) / (1.0 + Self::MAX_COMPRESS)
        } else {
            (total + Self::MAX_COMPRESS) / 2.0
        }
    }

    fn step(&mut self) {
        let mut next = self.mass.clone();
        for at in 0..self.mass.len() {
            let mut left = self.mass[at];
            for (neighbour, wanted) in [
                (at.wrapping_sub(self.nx), Wanted::Below),
                (at.wrapping_sub(1), Wanted::Beside),
                (at + 1, Wanted::Beside),
                (at + self.nx, Wanted::Above),
            ] {
                if self.rock[at] || left <= 0.0 || self.rock.get(neighbour).copied().unwrap_or(true)
                {
                    continue;
                }
                let there = self.mass[neighbour];
                let mut flow = match wanted {
                    Wanted::Below => Self::stable_state_b(left + there) - there,
                    Wanted::Beside => (self.mass[at] - there) / 4.0,
                    Wanted::Above => left - Self::stable_state_b(left + there),
                };
                if flow > Self::MIN_FLOW {
                    flow *= 0.5;
                }
                let flow = flow.clamp(0.0, left.min(Self::MAX_SPEED));
                next[at] -= flow;
                next[neighbour] += flow;
                left -= flow;
            }
        }
        self.mass = next;
    }
}

/// Neighbour into which a flow of the published rule goes.
enum Wanted {
    Below,
    Beside,
    Above,
}

/// Creates a closed box one cell thick with water 15 cells wide and 19 high; with `has_wall`, also
/// a wall with a gap at its foot.
fn thin_box(has_wall: bool) -> World {
    let mut world = empty(Grid::new(42, 32, 1), water(1));
    for (from, to) in [
        ([0, 0, 0], [42, 1, 1]),
        ([0, 31, 0], [42, 32, 1]),
        ([0, 0, 0], [1, 32, 1]),
        ([41, 0, 0], [42, 32, 1]),
    ] {
        fill(&mut world, from, to, Matter::Rock);
    }
    if has_wall {
        fill(&mut world, [16, 4, 0], [18, 20, 1], Matter::Rock);
    }
    fill(&mut world, [1, 1, 0], [16, 20, 1], full());
    world
}

#[test]
fn a_thin_box_follows_the_published_rule() {
    for has_wall in [true, false] {
        let world = thin_box(has_wall);
        let mut published = Published::new(&world);
        let mut simulation = run(world);
        for step in 1..=3000 {
            published.step();
            simulation.step();
            let world = simulation.world();
            let difference = |(i, &mass): (usize, &f32)| {
                let ours = amount(world, [i % published.nx, i / published.nx, 0]);
                (f64::from(mass) - ours).abs()
            };
            let differences: Vec<f64> = published.mass.iter().enumerate().map(difference).collect();
            let largest = differences.iter().copied().fold(0.0, f64::max);
            assert!(
                largest <= 0.1,
                "wall: {has_wall}, step {step}: a cell differs by {largest:.3}"
            );
            let wet = published.mass.iter().filter(|&&mass| mass > 0.0).count();
            let rms = (differences.iter().map(|d| d * d).sum::<f64>() / wet as f64).sqrt();
            assert!(
                rms <= 0.02,
                "wall: {has_wall}, step {step}: the cells differ by {rms:.4}"
            );
        }
    }
}

#[test]
fn no_liquid_presses_into_cells_that_a_block_fills() {
    let stone = Material {
        name: "stone".to_owned(),
        kind: Kind::Still,
        density: 2500.0,
        ..Material::water()
    };
    let mut world =
        World::with_materials(Ground::none(Grid::new(12, 20, 8)), vec![water(4), stone]);
    let block = Matter::Material {
        name: "stone".to_owned(),
        amount: 1.0,
    };
    fill(&mut world, [0, 0, 0], [12, 20, 8], block);
    fill(&mut world, [3, 2, 2], [9, 20, 6], Matter::Nothing);
    fill(&mut world, [3, 2, 2], [9, 14, 6], full());
    let mut simulation = run(world);
    (0..400).for_each(|_| simulation.step());
    let world = simulation.world();
    let layer = world
        .materials()
        .position(|material| material.name == "water")
        .expect("it is there");
    let inside =
        |[x, y, z]: [usize; 3]| (3..9).contains(&x) && (2..20).contains(&y) && (2..6).contains(&z);
    let places = (0..20).flat_map(|y| (0..8).flat_map(move |z| (0..12).map(move |x| [x, y, z])));
    let amounts = places.map(|place| {
        (
            inside(place),
            u64::from(world.layers()[layer].at(place).amount),
        )
    });
    let sums = amounts.fold([0, 0], |sums, (inside, amount)| {
        [
            sums[0] + amount * u64::from(inside),
            sums[1] + amount * u64::from(!inside),
        ]
    });
    assert_eq!(
        sums,
        [6 * 12 * 4 * u64::from(AMOUNT_ONE), 0],
        "in the hollow and in the stone"
    );
}

/// Creates a simulation of water that runs off two terraces, one cell thick as in the article,
/// after `steps` steps.
fn terraces(dry_below: f64, steps: u64) -> Simulation {
    let mut world = empty(
        Grid::new(40, 24, 1),
        Material {
            dry_below,
            ..water(1)
        },
    );
    fill(&mut world, [0, 0, 0], [40, 1, 1], Matter::Rock);
    fill(&mut world, [0, 1, 0], [14, 12, 1], Matter::Rock);
    fill(&mut world, [14, 1, 0], [26, 6, 1], Matter::Rock);
    fill(&mut world, [2, 14, 0], [6, 18, 1], full());
    let mut simulation = run(world);
    (0..steps).for_each(|_| simulation.step());
    simulation
}

#[test]
fn cells_with_less_than_the_articles_least_mass_become_dry() {
    let films = |simulation: &Simulation| {
        let held = simulation.world().layers()[1]
            .held()
            .map(|(_, cell)| cell.amount)
            .collect::<Vec<_>>();
        held.into_iter().filter(|&amount| amount < 4).count()
    };
    let wet = terraces(0.0, 3000);
    let mut dry = terraces(0.0001, 0);
    let (mut dried, mut most) = (0, 0);
    for step in 0..3000 {
        dry.step();
        // No film remains at the end of a step, and the films that dried have at most 3 units.
        assert_eq!(films(&dry), 0, "step {step}");
        let now = dry.world().layers()[1].ledger().dried;
        most = most.max(now - dried);
        dried = now;
    }
    assert!(
        most <= 3 * 40,
        "{most} units dried in a step, in front of a stream that is 40 cells long at most"
    );
    // 0.0001 of a cell is 3.3 units: cells with 1 to 3 units become dry.
    assert!(films(&wet) >= 5, "{} films", films(&wet));
    for simulation in [&wet, &dry] {
        let (layer, one) = (&simulation.world().layers()[1], u64::from(AMOUNT_ONE));
        simulation.world().check().expect("the account is exact");
        let ledger = layer.ledger();
        assert_eq!(
            layer.mass() + ledger.dried,
            16 * one,
            "what is there and what dried"
        );
    }
    assert_eq!(wet.world().layers()[1].ledger().dried, 0);
    // Bound: a terrace leaks 3 units per step over its edge, which dry in their fall, until its
    // film (a quarter of a sine over 12 cells that gives an eighth of the difference to the next
    // cell) has 4 · 8 · 24 / π units at its wall: 1867 units in all.
    assert!(dried > 0 && dried < 2 * 1867, "{dried} units dried");
}

#[test]
fn a_thin_sheet_dries_whole_and_then_rests() {
    let water = Material {
        dry_below: 0.05,
        ..Material::water()
    };
    let mut world = empty(Grid::new(30, 4, 30), water);
    fill(&mut world, [14, 0, 14], [16, 2, 16], full());
    let mut simulation = run(world);
    let wet = |simulation: &Simulation| simulation.world().layers()[1].held().count();
    let most = (0..400)
        .map(|_| (simulation.step(), wet(&simulation)).1)
        .max();
    assert!(
        most >= Some(16),
        "it spreads first, to twice its 8 cells and more: {most:?} cells"
    );
    let ledger = simulation.world().layers()[1].ledger();
    assert_eq!(
        (wet(&simulation), ledger.dried),
        (0, 8 * u64::from(AMOUNT_ONE))
    );
    assert!(
        ledger
            .mass()
            .iter()
            .any(|sum| sum.key == "dried" && sum.words == "dried")
    );
    assert!(simulation.world().layers()[1].is_asleep());
    simulation.world().check().expect("the account is exact");
}
