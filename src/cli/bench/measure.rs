//! Measurements of `lavoxel bench`: measures the time that each stage takes in a world.

use std::collections::{BTreeMap, BTreeSet};
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use lavoxel::engine::tiled::Tiled;
use lavoxel::lowpass::LowPass;
use lavoxel::output::Existing;
use lavoxel::random::Draw;
use lavoxel::render::{Camera, CameraSpec, LookSpec, Renderer, Style};
use lavoxel::simulation::Stage;
use lavoxel::terrain::{Heightmap, LoadOptions, load, write};
use lavoxel::world::{Ground, World};
use ndarray::Array2;

use super::stop;
use super::table::{BenchRow, Times};
use super::timed::Timed;
use super::worlds::Case;

/// Width and height of the timed pictures, in pixels.
const PICTURE: (usize, usize) = (480, 320);
/// Number of columns along each side of the square heightmap in memory whose conversion to voxels
/// is timed.
const MAP_SIDE: usize = 4096;
/// Number of columns along each side of the square heightmap file whose reading and conversion to
/// voxels is timed.
const FILE_SIDE: usize = 1024;
/// Height in cells of the simulation box into which a heightmap is voxelized.
const MAP_NY: usize = 512;

/// Calls `one` with the indices 0 to `count` − 1 and returns the results in order; stops after
/// Ctrl-C, but not before the first result.
fn samples<T>(count: u64, mut one: impl FnMut(u64) -> T) -> Vec<T> {
    (0..count)
        .map_while(|i| (i == 0 || !stop::asked()).then(|| one(i)))
        .collect()
}

fn time(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

/// Times each rule of `case` in `steps` successive steps, between which the world evolves as in a
/// simulation. If a rule acts on several materials, its times for all materials are added.
pub(super) fn rules(case: &Case, steps: u64) -> impl Iterator<Item = (Timed, Times)> {
    let stages: Vec<Stage<'_>> = case.stages().collect();
    let (mut world, mut engine) = (case.world.clone(), Tiled::default());
    let samples = samples(steps, |step| {
        let draw = Draw { seed: 1, step };
        let mut sums = BTreeMap::<&str, f64>::new();
        for &stage in &stages {
            // The calming rule is timed on a copy: lava of the timed world is fed and must not calm
            // down.
            let mut copy = stage.calms().then(|| world.clone());
            let world = copy.as_mut().unwrap_or(&mut world);
            let all = time(|| (0..case.batch).for_each(|_| stage.run(world, &mut engine, draw)));
            *sums.entry(stage.name()).or_default() += all.as_secs_f64() * 1e3 / case.batch as f64;
        }
        sums
    });
    let names: BTreeSet<&str> = stages.iter().map(|stage| stage.name()).collect();
    names.into_iter().map(move |name| {
        (
            Timed::Rule(name),
            Times::from_ms(samples.iter().map(|sums| sums[name]).collect()),
        )
    })
}

/// Times the update of the low-pass filter after each of `steps` steps.
pub(super) fn lowpass(case: &Case, steps: u64) -> Times {
    let mut world = case.world.clone();
    let mut engine = Tiled::default();
    let mut lowpass = LowPass::new(world.grid());
    lowpass.refresh(&world);
    let refresh = |i| {
        case.step_of(&mut world, &mut engine, i);
        time(|| {
            black_box(lowpass.refresh(&world));
        })
    };
    Times::of_durations(samples(steps, refresh))
}

/// Times the computation of the hash over the whole state of `case`, which is made `times` times.
pub(super) fn hash(case: &Case, times: u64) -> Times {
    let hash = |_| {
        time(|| {
            black_box(case.world.state_hash());
        })
    };
    Times::of_durations(samples(times, hash))
}

/// Renderer of the timed pictures, reused for worlds on the same ground, because creating a
/// renderer takes longer than drawing a picture.
#[derive(Default)]
pub(super) struct Easel {
    renderer: Option<(Array2<f32>, Renderer)>,
}

impl Easel {
    /// Times the drawing of `count` pictures from a fixed camera in the style `style`, with one
    /// simulation step between two pictures.
    pub(super) fn pictures(
        &mut self,
        case: &Case,
        style: Style,
        count: u64,
    ) -> anyhow::Result<Times> {
        let mut world = case.world.clone();
        let mut engine = Tiled::default();
        let mut lowpass = LowPass::new(world.grid());
        let renderer = self.renderer(&world)?;
        renderer.set_look(LookSpec {
            style,
            ..LookSpec::default()
        })?;
        let camera = Camera::new(&CameraSpec::default(), &renderer.subject(), PICTURE);
        // The first picture is not timed: it traces the ground, which later pictures reuse.
        renderer.frame(lowpass.refresh(&world), &camera);
        let picture = |i| {
            case.step_of(&mut world, &mut engine, i);
            let volume = lowpass.refresh(&world);
            time(|| {
                black_box(renderer.frame(volume, &camera));
            })
        };
        Ok(Times::of_durations(samples(count, picture)))
    }

    fn renderer(&mut self, world: &World) -> anyhow::Result<&mut Renderer> {
        let surface = world.ground().surface();
        let renderer = match self.renderer.take() {
            Some((old, renderer)) if old == surface => renderer,
            _ => Renderer::new(surface, world.grid(), LookSpec::default())?,
        };
        Ok(&mut self.renderer.insert((surface.clone(), renderer)).1)
    }
}

/// Times the conversion of a heightmap to the ground of a box: `times` times for a heightmap in
/// memory, and `times` times for a heightmap file.
pub(super) fn open(times: u64) -> anyhow::Result<Vec<BenchRow>> {
    let mut rows = Vec::new();
    let row = |name: String, side: usize, times| {
        BenchRow::new(&name, [(Timed::Open, times)].into()).with_columns(side * side)
    };
    let heights = ridges(MAP_SIDE);
    let voxelise = |_| {
        // The copy is made outside of the timed work.
        let heights = heights.clone();
        time(|| {
            black_box(World::new(Ground::from_surface(MAP_NY, heights)));
        })
    };
    let name = format!("{MAP_SIDE} × {MAP_SIDE} in memory");
    rows.push(row(
        name,
        MAP_SIDE,
        Times::of_durations(samples(times, voxelise)),
    ));

    let folder = tempfile::tempdir()?;
    let path = folder.path().join("ridges.asc");
    let map = Heightmap {
        heights: ridges(FILE_SIDE),
        cell_size_m: (10.0, 10.0),
        origin: None,
        notes: Vec::new(),
    };
    write::heightmap(&map, &path, Existing::Keep)?;
    let timed = samples(times, |_| {
        let start = Instant::now();
        black_box(opened(&path)?);
        Ok(start.elapsed())
    });
    let timed = timed.into_iter().collect::<anyhow::Result<_>>()?;
    rows.push(row(
        format!("{FILE_SIDE} × {FILE_SIDE}, .asc file"),
        FILE_SIDE,
        Times::of_durations(timed),
    ));
    Ok(rows)
}

/// Builds a world whose ground has the heights in the file at `path`.
fn opened(path: &Path) -> anyhow::Result<World> {
    let map = load(path, &LoadOptions::default())?;
    Ok(World::new(Ground::from_surface(MAP_NY, map.heights)))
}

/// Returns a square test heightmap of `side` × `side` heights in cells, which differ from column to
/// column.
fn ridges(side: usize) -> Array2<f32> {
    Array2::from_shape_fn((side, side), |(z, x)| 40.0 + ((x ^ z) & 255) as f32)
}
