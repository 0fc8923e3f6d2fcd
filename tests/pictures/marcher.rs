//! Compares the renderer with a plain marcher: pictures of the plain styles must nearly equal, byte
//! by byte, those of a ray-marcher that skips nothing, reuses nothing, never ends a ray early and
//! caches nothing between frames.
//!
//! `marcher/oracle.rs` is that marcher, in double precision, after the documentation of `look`.
//! From the library it takes only the camera's rays, the mask of their jitter, the palette, the
//! distance of a ray to the ground, and the picture without lava: the test is about lava. Where
//! rounding decides (a sample at the end of a ray, a density at a threshold) the marcher accepts
//! both answers. Bounds are a little above the measured differences, which each test prints with
//! `--nocapture`.
//!
//! Remaining differences by style:
//! - scientific: a ray ends when 99.5 % of its light is known, and slopes are kept in halves of a
//!   255th;
//! - surface: the renderer finds the surface in four steps, the reference exactly, which differs in
//!   a few pixels of lava with edges from one cell to the next;
//! - maximum: the peak is searched around the largest sample, and rounding chooses between two
//!   equal samples.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]
#![allow(clippy::print_stdout, reason = "what was measured, for setting bounds")]

mod boxes;
mod oracle;
mod volumes;

use std::fs;
use std::path::Path;

use crate::common::{Dice, one_in, tiled};
use image::RgbImage;
use lavoxel::generate::crater;
use lavoxel::grid::Grid;
use lavoxel::lowpass::{LowPass, Volume};
use lavoxel::render::{
    Antialias, Bounds, Camera, CameraSpec, Image, LookSpec, PaletteSpec, Renderer, Style,
};
use lavoxel::scene::{Scene, VentPlace};
use lavoxel::simulation::{Command, Simulation};
use lavoxel::state::State;
use lavoxel::world::{CellMeasure, Edit, Matter, Shape};
use nalgebra::Vector3;
use ndarray::Array2;
use oracle::expected;
use volumes::{GRID, Named, cameras, sharp, smooth};

const STYLES: [Style; 3] = [Style::Scientific, Style::Surface, Style::Maximum];
const STEPS: [f32; 2] = [0.5, 1.0];

/// Differences of two pictures per colour channel, in levels (0 to 255).
#[derive(Clone, Copy, Debug, Default)]
struct Apart {
    mean: f64,
    /// Difference that 99.9 % of all pixels do not exceed.
    nearly_all: u8,
    most: u8,
}

impl Apart {
    fn new(a: &Image, b: &Image) -> Self {
        let mut all: Vec<u8> = a
            .rgb
            .iter()
            .zip(&b.rgb)
            .map(|(a, b)| a.abs_diff(*b))
            .collect();
        all.sort_unstable();
        let mean = all.iter().map(|&d| f64::from(d)).sum::<f64>() / all.len() as f64;
        Self {
            mean,
            nearly_all: all[all.len() - 1 - all.len() / 1000],
            most: all[all.len() - 1],
        }
    }

    fn within(self, bound: Self) -> bool {
        self.mean <= bound.mean && self.nearly_all <= bound.nearly_all && self.most <= bound.most
    }

    fn or_worse(self, other: Self) -> Self {
        Self {
            mean: self.mean.max(other.mean),
            nearly_all: self.nearly_all.max(other.nearly_all),
            most: self.most.max(other.most),
        }
    }
}

/// Collects the differences of one test's pictures, and checks them against bounds for each of
/// [`STYLES`].
struct Judge {
    bounds: [Apart; 3],
    worst: [Apart; 3],
    pictures: usize,
}

const fn bound(mean: f64, nearly_all: u8, most: u8) -> Apart {
    Apart {
        mean,
        nearly_all,
        most,
    }
}

/// Bounds for pictures of lava that the low-pass has smoothed.
const SMOOTH: [Apart; 3] = [bound(0.9, 5, 7), bound(0.01, 1, 10), bound(0.1, 1, 10)];
/// Bounds for pictures of smoothed lava on ground, most of which is thin.
const ON_GROUND: [Apart; 3] = [bound(0.12, 3, 6), bound(0.003, 1, 14), bound(0.08, 1, 2)];
/// Bounds for transfer functions that rise from transparent to opaque within one cell.
const STEEP: [Apart; 3] = [bound(0.8, 7, 12), bound(0.01, 1, 2), bound(0.27, 1, 18)];
/// Bounds for pictures of lava with edges from one cell to the next.
const SHARP: [Apart; 3] = [bound(1.2, 6, 9), bound(0.06, 10, 48), bound(0.1, 2, 30)];

impl Judge {
    fn new(bounds: [Apart; 3]) -> Self {
        Self {
            bounds,
            worst: [Apart::default(); 3],
            pictures: 0,
        }
    }

    /// Draws a volume that `renderer` has not seen before, and compares the picture with the
    /// reference.
    fn frame(&mut self, renderer: &mut Renderer, volume: &Volume, camera: &Camera, name: &str) {
        let drawn = renderer.frame(volume, camera);
        self.judge(renderer, volume, camera, &drawn, name);
    }

    /// Compares `drawn`, the renderer's picture of a volume, with the reference.
    fn judge(
        &mut self,
        renderer: &Renderer,
        volume: &Volume,
        camera: &Camera,
        drawn: &Image,
        name: &str,
    ) {
        let look = renderer.look();
        let style = STYLES
            .iter()
            .position(|&style| style == look.style)
            .unwrap();
        let bare = renderer.clone().frame(&Volume::empty(volume.grid), camera);
        let expected = expected(renderer, volume, camera, &bare, drawn);
        let apart = Apart::new(drawn, &expected);
        (self.worst[style], self.pictures) = (self.worst[style].or_worse(apart), self.pictures + 1);
        if !apart.within(self.bounds[style]) {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/marcher");
            fs::create_dir_all(&folder).unwrap();
            for (word, picture) in [("drawn", drawn), ("expected", &expected)] {
                RgbImage::from(picture.clone())
                    .save(folder.join(format!("{word}.png")))
                    .unwrap();
            }
            panic!(
                "{name}, {look:?}: {apart:?} is more than {:?}; see {}",
                self.bounds[style],
                folder.display()
            );
        }
    }

    fn report(&self, test: &str) {
        println!("{test}: {} pictures, at worst", self.pictures);
        STYLES
            .iter()
            .zip(self.worst)
            .for_each(|(style, worst)| println!("  {style:?} {worst:?}"));
    }
}

/// Returns the look of a plain style with one ray per pixel. `step`: sampling distance in cells.
fn look(style: Style, step: f32, color_by: CellMeasure) -> LookSpec {
    LookSpec {
        style,
        step,
        color_by,
        antialias: Antialias::Off,
        ..LookSpec::default()
    }
}

/// Returns looks of all styles and sampling distances; `turn` chooses the colouring of each.
fn looks(turn: usize) -> impl Iterator<Item = LookSpec> {
    let all = STYLES
        .into_iter()
        .flat_map(|style| STEPS.map(|step| (style, step)));
    all.enumerate().map(move |(i, (style, step))| {
        look(
            style,
            step,
            if (i + turn).is_multiple_of(2) {
                CellMeasure::Amount
            } else {
                CellMeasure::SpecificEnergy
            },
        )
    })
}

/// Creates a renderer whose ground lies below the box of [`GRID`].
fn over_nothing() -> Renderer {
    Renderer::new(
        &Array2::from_elem((GRID.nz, GRID.nx), -1.0),
        GRID,
        LookSpec::default(),
    )
    .unwrap()
}

/// Draws each volume in all styles from one in `few` of the cameras, which differ from volume to
/// volume.
fn draw_all(
    judge: &mut Judge,
    volumes: Vec<Named<Volume>>,
    few: usize,
    more: impl Fn(LookSpec) -> Vec<LookSpec>,
) {
    let mut renderer = over_nothing();
    let cameras = cameras(&renderer);
    let few = few * one_in(4);
    for (turn, (name, volume)) in volumes.into_iter().enumerate() {
        for (place, camera) in cameras.iter().skip(turn % few).step_by(few) {
            for look in looks(turn / few).flat_map(&more) {
                renderer.set_look(look).unwrap();
                judge.frame(&mut renderer, &volume, camera, &format!("{name} {place}"));
            }
        }
    }
}

#[test]
fn lava_as_the_low_pass_leaves_it() {
    let mut judge = Judge::new(SMOOTH);
    draw_all(&mut judge, smooth(), 4, |look| vec![look]);
    judge.report("smooth");
}

#[test]
fn lava_with_sharp_edges() {
    let mut judge = Judge::new(SHARP);
    draw_all(&mut judge, sharp(), 5, |look| vec![look]);
    judge.report("sharp");
}

#[test]
fn clips() {
    let mut judge = Judge::new(SMOOTH);
    let clips = [
        [[0.0, 0.52], [0.3, 0.63], [0.45, 1.0]],
        [[0.0, 1.0], [0.0, 1.0], [0.498, 0.502]],
    ];
    draw_all(&mut judge, smooth(), 9, |look| {
        clips
            .map(|clip| LookSpec {
                clip,
                ..look.clone()
            })
            .into()
    });
    judge.report("clips");
}

#[test]
fn transfer_functions() {
    let mut judge = Judge::new(STEEP);
    let transfers = [
        ("inferno", vec![[0.0, 0.0], [1.0, 0.01]]),
        ("turbo", vec![[0.3, 0.0], [0.31, 1.0]]),
        ("viridis", vec![[0.0, 0.03]]),
        (
            "gray",
            vec![[0.1, 0.0], [0.2, 0.4], [0.3, 0.0], [0.6, 0.0], [0.7, 0.9]],
        ),
    ];
    let all = |look: LookSpec| {
        let changed = |(palette, opacity): &(&str, Vec<[f32; 2]>)| LookSpec {
            palette: PaletteSpec::Name((*palette).into()),
            opacity: opacity.clone(),
            ..look.clone()
        };
        transfers
            .iter()
            .map(changed)
            .filter(|look| look.style != Style::Surface)
            .collect()
    };
    draw_all(&mut judge, smooth(), 9, all);
    judge.report("transfer functions");
}

#[test]
fn boxes_of_few_cells() {
    let mut judge = Judge::new(SHARP);
    for (nx, ny, nz) in [(1, 1, 1), (5, 1, 2), (1, 7, 3), (2, 2, 1)] {
        let grid = Grid::new(nx, ny, nz);
        let mut dice = Dice(nx as u64);
        let mut bytes = |low: u64| {
            (0..grid.cells())
                .map(|_| (low + dice.below(256 - low)) as u8)
                .collect()
        };
        let volume = Volume {
            grid,
            density: bytes(0),
            energy: bytes(100),
            media: Vec::new(),
            air: None,
            crust: None,
        };
        let mut renderer = Renderer::new(
            &Array2::from_elem((nz, nx), -1.0),
            grid,
            LookSpec::default(),
        )
        .unwrap();
        let camera = Camera::new(&CameraSpec::default(), &Bounds::from_grid(grid), (45, 33));
        for look in looks(nx) {
            renderer.set_look(look).unwrap();
            judge.frame(&mut renderer, &volume, &camera, &format!("{grid:?}"));
        }
    }
    judge.report("few cells");
}

/// Creates the simulation of the built-in volcano in a small box.
fn volcano() -> Simulation {
    let mut scene = Scene::volcano();
    let (x, z) = crater(Grid::new(48, 40, 48));
    scene.spec.grid.size = [48, 40, 48];
    scene.spec.vents[0].place = VentPlace::Cells {
        x: x as f64,
        z: z as f64,
    };
    scene.build(tiled()).unwrap().simulation
}

/// Creates a renderer over the ground of a simulation.
fn over(simulation: &Simulation) -> Renderer {
    let world = simulation.world();
    Renderer::new(world.ground().surface(), world.grid(), LookSpec::default()).unwrap()
}

#[test]
fn a_volcano() {
    let (mut simulation, mut judge) = (volcano(), Judge::new(ON_GROUND));
    let mut renderer = over(&simulation);
    (0..600).for_each(|_| simulation.step());
    let mut lowpass = LowPass::new(simulation.world().grid());
    let volume = lowpass.refresh(simulation.world());
    for (turn, (place, camera)) in cameras(&renderer).into_iter().enumerate() {
        for look in looks(turn).skip(turn % 2).step_by(2) {
            renderer.set_look(look).unwrap();
            judge.frame(&mut renderer, volume, &camera, &format!("volcano {place}"));
        }
    }
    judge.report("volcano");
}

/// Checks that the drawn ground, which both marchers read, follows the heights given to the
/// renderer except for its relief, cut open by the sides of the clip.
#[test]
fn the_ground_lies_where_its_heights_and_its_clip_say() {
    /// Tolerance in cells for the relief, and for the curvature between columns that bilinear
    /// interpolation neglects.
    const RELIEF: f32 = 0.8;
    let simulation = volcano();
    let (mut renderer, ground) = (over(&simulation), simulation.world().ground());
    let (grid, heights) = (ground.grid(), ground.surface());
    let height = |x: f32, z: f32| {
        let (x, z) = (
            (x - 0.5).clamp(0.0, grid.nx as f32 - 1.001),
            (z - 0.5).clamp(0.0, grid.nz as f32 - 1.001),
        );
        let (i, j, u, v) = (x as usize, z as usize, x.fract(), z.fract());
        let row = |j: usize| heights[[j, i]] * (1.0 - u) + heights[[j, i + 1]] * u;
        row(j) * (1.0 - v) + row(j + 1) * v
    };
    let whole = [0.0, 1.0];
    for clip in [
        [whole; 3],
        [[0.0, 0.49], whole, whole],
        [[0.3, 0.8], [0.0, 0.35], [0.45, 1.0]],
        [whole, [0.2, 1.0], whole],
    ] {
        renderer
            .set_look(LookSpec {
                clip,
                ..LookSpec::default()
            })
            .unwrap();
        let (mut tops, mut cuts) = (0, 0);
        for (place, camera) in cameras(&renderer) {
            let (width, down) = camera.size();
            for pixel in (0..width * down).step_by(7) {
                let ray = camera.ray((pixel % width) as f32 + 0.5, (pixel / width) as f32 + 0.5);
                let distance = renderer.distance_to_ground(&ray);
                let over = |t: f32| {
                    Some(ray.at(t))
                        .filter(|p| inside(p, grid, clip, 0.0))
                        .map(|p| p.y - height(p.x, p.z))
                };
                let end = distance.unwrap_or(200.0) - 1e-3;
                let walk = (0..).map(|i| i as f32 * 0.1).take_while(|t| *t < end);
                let deepest = walk.filter_map(over).fold(0.0, f32::min);
                assert!(
                    deepest > -RELIEF,
                    "{clip:?} {place}: a ray goes {deepest} under the ground before it meets it"
                );
                // An eye under the ground hits rock at distance 0.
                let Some(p) = distance.filter(|t| *t > 1e-3).map(|t| ray.at(t)) else {
                    continue;
                };
                let above = p.y - height(p.x, p.z);
                assert!(
                    above < RELIEF,
                    "{clip:?} {place}: a ray meets the ground {above} above it"
                );
                assert!(
                    inside(&p, grid, clip, 0.01),
                    "{clip:?} {place}: a ray meets ground outside the clip, at {p}"
                );
                // A point well under the ground can only be hit on a side.
                let on_side = !inside(&p, grid, clip, -0.01);
                assert!(
                    above > -RELIEF || on_side,
                    "{clip:?} {place}: a ray meets nothing {above} above the ground"
                );
                *(if on_side { &mut cuts } else { &mut tops }) += 1;
            }
        }
        assert!(
            tops > 50 && cuts > 50,
            "{clip:?}: {tops} rays met the top, {cuts} a side"
        );
    }
}

/// Returns true if `p` lies in the visible part of the box, extended on every side by the last
/// argument (in cells). The ground continues below the floor of a box that is not clipped there.
fn inside(p: &Vector3<f32>, grid: Grid, clip: [[f32; 2]; 3], beside: f32) -> bool {
    let sides = [grid.nx, grid.ny, grid.nz].map(|n| n as f32);
    let foot = -0.05 * sides[0].max(sides[2]);
    (0..3).all(|axis| {
        let [low, high] = clip[axis].map(|share| share * sides[axis]);
        let low = if axis == 1 && clip[1][0] == 0.0 {
            foot
        } else {
            low
        };
        p[axis] >= low - beside && p[axis] <= high + beside
    })
}

/// For each frame of [`flow`], the index of its camera: the first camera, two others for a while,
/// then the first again.
const VIEWS: [usize; 10] = [0, 0, 0, 0, 0, 0, 1, 8, 8, 0];

/// Runs a volcano whose lava flows, is hit by lava from above, is partly drained, and stands still
/// for a frame; calls `see` with the index and the world of each frame.
fn flow(see: &mut dyn FnMut(usize, &State)) {
    let mut simulation = volcano();
    let ball = |height: f64, radius: f64, matter: Matter| {
        Command::Put(Edit {
            shape: Shape::Sphere {
                center: [12.0, height, 12.0],
                radius,
            },
            matter,
        })
    };
    (0..200).for_each(|_| simulation.step());
    for frame in 0..VIEWS.len() {
        match frame {
            2 => simulation
                .command(ball(
                    30.0,
                    6.0,
                    Matter::Lava {
                        amount: 0.9,
                        energy: 1.2,
                        temperature_k: None,
                    },
                ))
                .unwrap(),
            4 => simulation.command(ball(18.0, 18.0, Matter::Drain)).unwrap(),
            _ => {}
        }
        // Nothing changes before frame 5.
        (0..if frame == 5 { 0 } else { 15 }).for_each(|_| simulation.step());
        see(frame, simulation.world());
    }
}

#[test]
fn frames_of_a_flow() {
    let (simulation, mut judge) = (volcano(), Judge::new(ON_GROUND));
    let mut renderer = over(&simulation);
    let cameras = cameras(&renderer);
    let smoothed = LookSpec {
        smoothing: 0.8,
        ..look(Style::Surface, 0.5, CellMeasure::Amount)
    };
    for look in looks(0)
        .step_by(2)
        .chain(looks(1).skip(1).step_by(2))
        .chain([smoothed])
    {
        renderer.set_look(look).unwrap();
        let mut lowpass = LowPass::new(simulation.world().grid());
        flow(&mut |frame, world| {
            lowpass.refresh(world);
            let (place, camera) = &cameras[VIEWS[frame]];
            let drawn = renderer.frame_of(&mut lowpass, camera);
            judge.judge(
                &renderer,
                lowpass.volume(),
                camera,
                &drawn,
                &format!("frame {frame} {place}"),
            );
        });
    }
    judge.report("flow");
}
