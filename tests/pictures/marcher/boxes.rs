//! Tests with boxes of many shapes: lava at the ends of a box, and random boxes, cameras, clips and
//! pictures.

use std::cell::{Cell, RefCell};

use lavoxel::grid::Grid;
use lavoxel::lowpass::{LowPass, Volume};
use lavoxel::render::{Camera, LookSpec, Renderer};
use lavoxel::world::{CellMeasure, Edit, Ground, Matter, Shape, World};
use nalgebra::{Point3, Vector3};
use ndarray::Array2;
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};

use super::{Apart, Judge, STYLES, bound, look};
use crate::common::{self, Dice, one_in};

/// Bounds for pictures with so few pixels that a single pixel moves the mean.
const FEW: [Apart; 3] = [bound(1.2, 12, 12), bound(1.2, 40, 40), bound(1.2, 40, 40)];

/// Returns boxes of 57 to 66 cells per side; each length occurs along each axis.
fn around_64() -> impl Iterator<Item = Grid> {
    (0..10).map(|i| Grid::new(57 + i, 57 + (3 * i + 4) % 10, 57 + (7 * i + 1) % 10))
}

/// Fills the box between the corners `from` and `to` with lava.
fn pour(world: &mut World, from: [f64; 3], to: [f64; 3]) {
    let matter = Matter::Lava {
        amount: 0.8,
        energy: 0.6 + 0.01 * (from[0] + from[2]),
        temperature_k: None,
    };
    world.edit(&Edit {
        shape: Shape::Box { from, to },
        matter,
    });
}

/// Returns the twelve edges of a box as bars of two by two cells, `[from, to]` in cells; a corner
/// belongs to three bars.
fn edges(grid: Grid) -> Vec<[[f64; 3]; 2]> {
    let sides = [grid.nx, grid.ny, grid.nz].map(|n| n as f64);
    let mut bars = Vec::new();
    for axis in 0..3 {
        for ends in 0..4 {
            let (mut from, mut to) = ([0.0; 3], sides);
            for (bit, other) in [(axis + 1) % 3, (axis + 2) % 3].into_iter().enumerate() {
                match ends >> bit & 1 {
                    0 => to[other] = 2.0,
                    _ => from[other] = sides[other] - 2.0,
                }
            }
            bars.push([from, to]);
        }
    }
    bars
}

/// Returns a camera that sees `target` from the direction `away`, near enough for bricks to be
/// drawn in parts.
fn close_up(target: Point3<f32>, away: Vector3<f32>) -> Camera {
    let away = away.normalize();
    let (azimuth, elevation) = (
        away.x.atan2(-away.z).to_degrees(),
        away.y.asin().to_degrees(),
    );
    Camera::from_pose(target + away * 90.0, (azimuth, elevation), 2.0, (64, 48))
}

/// Returns cameras for two corners of a box from nearby, and one for the whole box.
fn corner_views(grid: Grid, turn: usize) -> [Camera; 3] {
    let (far, sides) = (
        0.5 * (turn as f32),
        [grid.nx, grid.ny, grid.nz].map(|n| n as f32),
    );
    let corner = |bits: usize| {
        let ends = std::array::from_fn::<f32, 3, _>(|axis| (bits >> axis & 1) as f32);
        let place = std::array::from_fn::<f32, 3, _>(|axis| ends[axis] * sides[axis]);
        close_up(
            place.into(),
            Vector3::from(ends.map(|end| end - 0.45)) + Vector3::new(0.1, 0.05 * far, 0.0),
        )
    };
    let middle = Point3::from(sides.map(|side| 0.5 * side));
    let pose = (40.0 + 33.0 * turn as f32, 25.0);
    let back = Camera::from_pose(Point3::origin(), pose, 40.0, (45, 33)).axes()[2];
    [
        corner(turn % 8),
        corner((turn + 5) % 8),
        Camera::from_pose(middle - back * 150.0, pose, 40.0, (45, 33)),
    ]
}

#[test]
fn lava_at_the_edges_and_corners_of_a_box() {
    let mut judge = Judge::new(FEW);
    for (turn, grid) in around_64().enumerate().step_by(one_in(2)) {
        let heights = Array2::from_elem((grid.nz, grid.nx), if turn % 2 == 0 { -1.0 } else { 2.5 });
        let mut renderer = Renderer::new(&heights, grid, LookSpec::default()).unwrap();
        let [near, other, whole] = corner_views(grid, turn);
        for (i, style) in STYLES.into_iter().enumerate() {
            let color_by = if (turn + i).is_multiple_of(2) {
                CellMeasure::Amount
            } else {
                CellMeasure::SpecificEnergy
            };
            renderer
                .set_look(look(style, [0.5, 1.0][turn % 2], color_by))
                .unwrap();
            let mut world = World::new(Ground::none(grid));
            let mut lowpass = LowPass::new(grid);
            // Nothing changes before the second picture, lava before the third, and the camera
            // before each later one.
            for (number, camera) in [&near, &near, &near, &other, &whole]
                .into_iter()
                .enumerate()
            {
                let kept = |bar: &usize| number >= 2 || (bar + turn).is_multiple_of(2);
                for [from, to] in (0..12).filter(kept).map(|bar| edges(grid)[bar]) {
                    pour(&mut world, from, to);
                }
                lowpass.refresh(&world);
                let drawn = renderer.frame_of(&mut lowpass, camera);
                judge.judge(
                    &renderer,
                    lowpass.volume(),
                    camera,
                    &drawn,
                    &format!("{grid:?} picture {number}"),
                );
            }
        }
    }
    judge.report("edges and corners");
}

/// Random test case: size of the box, seed, picture size and styles.
#[derive(Clone, Debug)]
struct Case {
    sides: [usize; 3],
    /// Seed of the random lava, ground, clip and cameras.
    seed: u64,
    size: (usize, usize),
    /// Index of the first of the two styles that are drawn.
    style: usize,
}

fn cases() -> impl Strategy<Value = Case> {
    let side = || prop_oneof![1..=70usize, 1..=9usize];
    let size = prop_oneof![
        (1..=40usize, 1..=30usize),
        (Just(1), 1..=60usize),
        (1..=60usize, Just(1))
    ];
    (
        [side(), side(), side()],
        any::<u64>(),
        size,
        0..STYLES.len(),
    )
        .prop_map(|(sides, seed, size, style)| Case {
            sides,
            seed,
            size,
            style,
        })
}

/// Generator of random test data.
struct Chance(Dice);

impl Chance {
    fn real(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.0.below(10_000) as f32 / 10_000.0
    }

    fn one_in(&mut self, n: u64) -> bool {
        self.0.below(n) == 0
    }

    /// Returns flat ground below the box, or slopes through the box.
    fn ground(&mut self, grid: Grid) -> Array2<f32> {
        let (flat, top) = (self.one_in(2), 0.7 * grid.ny as f32);
        let (dx, dz, base) = (
            self.real(-0.5, 0.5),
            self.real(-0.5, 0.5),
            self.real(0.0, 0.5) * top,
        );
        Array2::from_shape_fn((grid.nz, grid.nx), |(z, x)| {
            if flat {
                -1.0
            } else {
                (base + dx * x as f32 + dz * z as f32).clamp(0.0, top)
            }
        })
    }

    /// Returns a ball or bar of lava inside the box or at its sides; one in five drains the lava
    /// there instead.
    fn edit(&mut self, grid: Grid) -> Edit {
        let sides = [grid.nx, grid.ny, grid.nz].map(|n| n as f32);
        let middle = sides.map(|side| f64::from(self.real(-0.1, 1.1) * side));
        let radius = f64::from(self.real(0.6, 1.0 + 0.3 * sides.into_iter().fold(0.0, f32::max)));
        let shape = if self.one_in(3) {
            let (from, to) = (
                middle.map(|v| v.floor() - 1.0),
                middle.map(|v| v.floor() + 2.0),
            );
            let axis = self.0.below(3) as usize;
            let stretched = |ends: [f64; 3], end: f64| {
                std::array::from_fn(|i| if i == axis { end } else { ends[i] })
            };
            Shape::Box {
                from: stretched(from, 0.0),
                to: stretched(to, f64::from(sides[axis])),
            }
        } else {
            Shape::Sphere {
                center: middle,
                radius,
            }
        };
        let energy = f64::from(self.real(0.2, 1.9));
        let lava = Matter::Lava {
            amount: f64::from(self.real(0.05, 1.0)),
            energy,
            temperature_k: None,
        };
        Edit {
            shape,
            matter: if self.one_in(5) { Matter::Drain } else { lava },
        }
    }

    /// Returns the visible part of the box along each axis as fractions: the whole box, or a part.
    fn clip(&mut self) -> [[f32; 2]; 3] {
        let whole = self.one_in(2);
        std::array::from_fn(|_| {
            let (a, b) = (self.real(0.0, 0.8), self.real(0.02, 1.0));
            if whole || self.one_in(3) {
                [0.0, 1.0]
            } else {
                [a, (a + b).min(1.0)]
            }
        })
    }

    /// Returns a camera inside the box, near the box, far away, level with a side, or straight
    /// along an axis.
    fn camera(&mut self, grid: Grid, size: (usize, usize)) -> Camera {
        let sides = [grid.nx, grid.ny, grid.nz].map(|n| n as f32);
        let within = sides.map(|side| self.real(0.0, side));
        let longest = sides.into_iter().fold(1.0, f32::max);
        let fov = self.real(5.0, 110.0);
        let turn = (self.real(0.0, 360.0), self.real(-89.0, 89.0));
        let toward = |target: [f32; 3], turn: (f32, f32), distance: f32, fov: f32| {
            let forward = Camera::from_pose(Point3::origin(), turn, fov, size).axes()[2];
            Camera::from_pose(Point3::from(target) - forward * distance, turn, fov, size)
        };
        match self.0.below(5) {
            0 => Camera::from_pose(within.into(), turn, fov, size),
            1 => toward(within, turn, self.real(0.2, 1.5) * longest, fov),
            2 => toward(
                within,
                turn,
                self.real(5.0, 200.0) * longest,
                self.real(5.0, 20.0),
            ),
            3 => {
                // The eye lies in the plane of a side, or in the plane of the centres of the
                // outermost cells.
                let mut eye = sides.map(|side| self.real(-1.0, 2.0) * side);
                let axis = self.0.below(3) as usize;
                eye[axis] = [0.0, sides[axis], 0.5, sides[axis] - 0.5][self.0.below(4) as usize];
                Camera::from_pose(eye.into(), (90.0 * self.0.below(4) as f32, 0.0), fov, size)
            }
            _ => {
                let straight = (
                    90.0 * self.0.below(4) as f32,
                    [0.0, 89.0, -89.0][self.0.below(3) as usize],
                );
                toward(within, straight, self.real(0.5, 3.0) * longest, fov)
            }
        }
    }
}

/// Draws and judges six pictures of a box: from two cameras, before and after a change, with
/// alternating looks.
fn draw(case: &Case, judge: &mut Judge) -> usize {
    let grid = Grid::new(case.sides[0], case.sides[1], case.sides[2]);
    let mut chance = Chance(Dice(case.seed));
    let mut renderer = Renderer::new(&chance.ground(grid), grid, LookSpec::default()).unwrap();
    let mut world = World::new(Ground::none(grid));
    let mut lowpass = LowPass::new(grid);
    (0..8).for_each(|_| world.edit(&chance.edit(grid)));
    let mut with_lava = 0;
    for turn in 0..2 {
        let color_by = if chance.one_in(2) {
            CellMeasure::Amount
        } else {
            CellMeasure::SpecificEnergy
        };
        let style = STYLES[(case.style + turn) % STYLES.len()];
        let clip = chance.clip();
        renderer
            .set_look(LookSpec {
                clip,
                ..look(style, chance.real(0.3, 1.5), color_by)
            })
            .unwrap();
        let mut camera = chance.camera(grid, case.size);
        for picture in 0..3 {
            match picture {
                0 => {}
                1 => world.edit(&chance.edit(grid)),
                _ => camera = chance.camera(grid, case.size),
            }
            lowpass.refresh(&world);
            let drawn = renderer.frame_of(&mut lowpass, &camera);
            judge.judge(
                &renderer,
                lowpass.volume(),
                &camera,
                &drawn,
                &format!("picture {picture} of {case:?}"),
            );
            with_lava +=
                usize::from(drawn != renderer.clone().frame(&Volume::empty(grid), &camera));
        }
    }
    with_lava
}

/// Random boxes of 1 to 70 cells a side, with random cameras, clips, styles and picture sizes, the
/// same in each run; `LAVOXEL_CASES` sets the number of cases. A failure names its smallest case.
#[test]
fn boxes_by_chance() {
    let config = ProptestConfig {
        cases: common::cases(12),
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let (judge, with_lava) = (RefCell::new(Judge::new(FEW)), Cell::new(0));
    TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha))
        .run(&cases(), |case| {
            with_lava.set(with_lava.get() + draw(&case, &mut judge.borrow_mut()));
            Ok(())
        })
        .unwrap();
    judge.borrow().report("by chance");
    println!("  {} of them show lava", with_lava.get());
}
