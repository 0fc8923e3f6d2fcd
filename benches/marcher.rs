//! Measures the processor time of frames, in the cases that `vtk/raycast.py` gives to VTK: `cargo
//! bench --bench marcher [case]...`.
//!
//! `-- --count still 20 case` (or `flows`, `turns`) draws the given number of frames after the
//! first on one thread, for callgrind (`--toggle-collect='*counted*'`).
//!
//! `-- --dump FOLDER` also writes the input of the script; `vtk/compare` runs both and prints the
//! ratios. Times are summed over all threads (user and system), the shortest of several frames
//! counts: other load only adds time.
#![allow(clippy::print_stdout, reason = "the table is what it is for")]

#[path = "worlds/mod.rs"]
mod worlds;

use std::fs;
use std::path::{Path, PathBuf};

use lavoxel::grid::Grid;
use lavoxel::lowpass::LowPass;
use lavoxel::render::{Antialias, Camera, CameraSpec, Image, LookSpec, Palette, Renderer, Style};
use lavoxel::simulation::Simulation;
use lavoxel::state::State;
use worlds::{PAPER, erupted, volcano};

/// Width and height of a picture in pixels, as in the VTK runs to compare with.
const PICTURE: (usize, usize) = (1024, 768);
const THREADS: usize = 2;
/// Number of timed frames; the fastest counts.
const FRAMES: usize = 7;

/// Name of a simulation box, and the function that creates its simulation.
type NamedBox = (&'static str, fn() -> Simulation);

const BOXES: [NamedBox; 2] = [
    ("128", || volcano(PAPER, 2000)),
    ("512", || erupted(Grid::new(512, 400, 512), 4, 8000)),
];

fn main() {
    let mut arguments: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| argument != "--bench")
        .collect();
    if arguments
        .first()
        .is_some_and(|argument| argument == "--count")
    {
        return count(&arguments[1..]);
    }
    let at = arguments.iter().position(|argument| argument == "--dump");
    let dump = at.map(|at| {
        arguments.remove(at);
        assert!(at < arguments.len(), "--dump needs a folder");
        PathBuf::from(arguments.remove(at))
    });
    rayon::ThreadPoolBuilder::new()
        .num_threads(THREADS)
        .build_global()
        .expect("the first pool");
    let mut cases = Vec::new();
    println!("milliseconds of processor time a frame, {PICTURE:?} pixels, {THREADS} threads");
    println!(
        "{:<26}{:>8}{:>8}{:>8}{:>8}",
        "case", "still", "flows", "turns", "fresh"
    );
    for (name, make) in BOXES {
        let wanted = |case: &str| {
            arguments.is_empty() || arguments.iter().any(|asked| case.contains(asked.as_str()))
        };
        let looks: Vec<_> = looks(name)
            .into_iter()
            .filter(|(case, _)| wanted(case))
            .collect();
        if looks.is_empty() {
            continue;
        }
        let worlds = worlds(make());
        for (case, look) in looks {
            time(&case, &worlds, &look);
            if let Some(folder) = dump.as_deref().filter(|_| case.ends_with("scientific")) {
                cases.push(write(folder, &case, name, &worlds[0], &look));
            }
        }
    }
    if let Some(folder) = dump {
        fs::write(
            folder.join("cases.json"),
            format!("[{}]\n", cases.join(",\n ")),
        )
        .expect("a folder to write to");
    }
}

/// Draws frames on one thread without timing them. `arguments`: kind of frames (still, flows or
/// turns), number of frames, and case.
fn count(arguments: &[String]) {
    let [kind, frames, case] = arguments else {
        panic!("--count still|flows|turns FRAMES CASE")
    };
    let frames: usize = frames.parse().expect("a number of frames");
    rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .use_current_thread()
        .build_global()
        .expect("the first pool");
    let (name, make) = BOXES
        .into_iter()
        .find(|(name, _)| case.starts_with(name))
        .expect("a case of a box");
    let (_, look) = looks(name)
        .into_iter()
        .find(|(named, _)| named == case)
        .expect("a case of the table");
    let worlds = worlds(make());
    let mut lowpass = LowPass::new(worlds[0].grid());
    lowpass.refresh(&worlds[0]);
    let mut renderer =
        Renderer::new(worlds[0].ground().surface(), worlds[0].grid(), look).expect("a valid look");
    let view = camera(&renderer, 0.0);
    for frame in 0..=frames {
        // The states run forth and back, so that any number of frames has changes.
        if kind == "flows" {
            lowpass.refresh(&worlds[frame % worlds.len()]);
        }
        let turned = camera(&renderer, if kind == "turns" { frame as f32 } else { 0.0 });
        if frame == 0 {
            renderer.frame_of(&mut lowpass, &view);
        } else {
            counted(&mut renderer, &mut lowpass, &turned);
        }
    }
}

/// Draws a frame in a function of its own, at which a profiler can start and stop.
#[inline(never)]
fn counted(renderer: &mut Renderer, lowpass: &mut LowPass, view: &Camera) {
    std::hint::black_box(renderer.frame_of(lowpass, view));
}

/// Returns the present state of a simulation and its states after every ten steps, one per frame.
fn worlds(mut simulation: Simulation) -> Vec<State> {
    let mut worlds = vec![simulation.world().clone()];
    for _ in 0..FRAMES {
        (0..10).for_each(|_| simulation.step());
        worlds.push(simulation.world().clone());
    }
    worlds
}

/// Returns the looks of a box by case name: without antialiasing, as in VTK, and with the default
/// antialiasing.
fn looks(name: &str) -> Vec<(String, LookSpec)> {
    let mut looks = Vec::new();
    for step in [0.5, 1.0] {
        for (style, word) in [
            (Style::Scientific, "scientific"),
            (Style::Cinematic, "cinematic"),
        ] {
            for (antialias, more) in [(Antialias::Off, ""), (Antialias::Edges, "-edges")] {
                let look = LookSpec {
                    style,
                    step,
                    antialias,
                    ..LookSpec::default()
                };
                looks.push((format!("{name}-{step:.1}-{word}{more}"), look));
            }
        }
    }
    looks
}

fn camera(renderer: &Renderer, turned_deg: f32) -> Camera {
    let spec = CameraSpec::default();
    let spec = CameraSpec {
        azimuth_deg: spec.azimuth_deg + turned_deg,
        ..spec
    };
    Camera::new(&spec, &renderer.subject(), PICTURE)
}

/// Times four kinds of frames: unchanged, camera turned by one degree, volume after ten more steps,
/// and the first frame of a new renderer.
fn time(case: &str, worlds: &[State], look: &LookSpec) {
    let world = &worlds[0];
    let mut lowpass = LowPass::new(world.grid());
    lowpass.refresh(world);
    let mut renderer =
        Renderer::new(world.ground().surface(), world.grid(), look.clone()).expect("a valid look");
    let view = camera(&renderer, 0.0);
    let fresh = timed(|| renderer.frame_of(&mut lowpass, &view));
    let still = shortest(|_| timed(|| renderer.frame_of(&mut lowpass, &view)));
    let turns = shortest(|turn| {
        let view = camera(&renderer, 1.0 + turn as f32);
        timed(|| renderer.frame_of(&mut lowpass, &view))
    });
    renderer.frame_of(&mut lowpass, &view);
    let flows = shortest(|frame| {
        lowpass.refresh(&worlds[frame + 1]);
        timed(|| renderer.frame_of(&mut lowpass, &view))
    });
    println!("{case:<26}{still:>8.1}{flows:>8.1}{turns:>8.1}{fresh:>8.1}");
}

fn shortest(frame: impl FnMut(usize) -> f64) -> f64 {
    (0..FRAMES).map(frame).fold(f64::MAX, f64::min)
}

/// Returns the processor time in milliseconds that a frame takes.
fn timed(frame: impl FnOnce() -> Image) -> f64 {
    let start = used();
    std::hint::black_box(frame());
    used() - start
}

/// Returns the processor time in milliseconds that all threads of this process have used so far;
/// reads Linux's `/proc`.
fn used() -> f64 {
    let tasks = fs::read_dir("/proc/self/task").expect("Linux tells processor times here");
    let nanoseconds = tasks.filter_map(|task| {
        let text = fs::read_to_string(task.ok()?.path().join("schedstat")).ok()?;
        text.split_whitespace().next()?.parse::<u64>().ok()
    });
    nanoseconds.sum::<u64>() as f64 * 1e-6
}

/// Writes the volume and the ground of `world` into `folder`, and returns the case as JSON.
fn write(folder: &Path, case: &str, name: &str, world: &State, look: &LookSpec) -> String {
    fs::create_dir_all(folder).expect("a folder to write to");
    let mut lowpass = LowPass::new(world.grid());
    let volume = lowpass.refresh(world);
    let (density, ground) = (format!("{name}-density.raw"), format!("{name}-ground.raw"));
    fs::write(folder.join(&density), &volume.density).expect("room for a volume");
    let heights: Vec<u8> = world
        .ground()
        .surface()
        .iter()
        .flat_map(|height| height.to_le_bytes())
        .collect();
    fs::write(folder.join(&ground), heights).expect("room for the heights");
    let mut renderer =
        Renderer::new(world.ground().surface(), world.grid(), look.clone()).expect("a valid look");
    let view = camera(&renderer, 0.0);
    let picture: image::RgbImage = renderer.frame(volume, &view).into();
    picture
        .save(folder.join(format!("{case}-lavoxel.png")))
        .expect("room for a picture");
    let palette = Palette::named("lava").expect("the default palette");
    let palette: Vec<[f32; 3]> = (0..256)
        .map(|i| palette.srgb(i as f32 / 255.0).map(|c| f32::from(c) / 255.0))
        .collect();
    let [_, up, forward] = view.axes();
    let (eye, fov_deg) = (view.eye(), 2.0 * view.half_height().atan().to_degrees());
    let (grid, step, opacity) = (world.grid(), look.step, &look.opacity);
    format!(
        "{{\"name\": \"{case}\", \"size\": [{}, {}, {}], \"density\": \"{density}\", \"ground\": \"{ground}\", \
         \"threads\": {THREADS}, \"step\": {step}, \"opacity\": {opacity:?}, \"palette\": {palette:?}, \
         \"picture\": [{}, {}], \"eye\": {:?}, \"forward\": {:?}, \"up\": {:?}, \"fov_deg\": {fov_deg}}}",
        grid.nx,
        grid.ny,
        grid.nz,
        PICTURE.0,
        PICTURE.1,
        [eye.x, eye.y, eye.z],
        [forward.x, forward.y, forward.z],
        [up.x, up.y, up.z],
    )
}
