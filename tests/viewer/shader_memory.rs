//! Tests the memory of the window's shaders while the camera turns. The only test of its program,
//! because it measures the memory of the whole process.
#![cfg(target_os = "linux")]

use crate::vulkan::vulkan;
use kiss3d::resource::MaterialManager2d;
use kiss3d::window::OffscreenSurface;
use lavoxel::render::{Camera, CameraSpec, Glow};
use lavoxel::scene::Scene;
use lavoxel::viewer::messages::Command;
use lavoxel::viewer::paint::{DrawOn, Painter, Quality, View};
use lavoxel::viewer::worker::Worker;

const SIZE: (usize, usize) = (160, 120);
const STEPS: u64 = 40;
/// Number of frames after which all one-time allocations are done.
const WARM_UP: usize = 8;
const FRAMES: usize = 30;
/// Upper bound of growth in megabytes: a shader compiled again for every frame takes 10 MB or more
/// each time, 300 MB in all; the threads of software Vulkan allocate buffers in pieces of 14 MB on
/// first use, and up to 85 MB were measured without any leak.
const MOST_GROWTH_MB: f64 = 200.0;

/// Returns the resident memory of this process in megabytes.
fn resident_mb() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux has it");
    let line = status
        .lines()
        .find(|line| line.starts_with("VmRSS:"))
        .expect("a process has memory");
    let kib: f64 = line
        .split_whitespace()
        .nth(1)
        .and_then(|word| word.parse().ok())
        .expect("a number of kB");
    kib * 1024.0 / 1e6
}

/// Returns the built-in volcano after some steps: its painter and the simulation thread.
fn eruption() -> (Painter, Worker) {
    let scene = Scene::volcano();
    let look = scene.spec.look.clone();
    let mut worker = Worker::start(scene, None).expect("the built-in volcano");
    let mut painter = Painter::new(&look, DrawOn::Gpu).expect("the built-in look");
    worker.send(Command::Glow(Glow::from(&look)));
    worker.send(Command::Steps(STEPS));
    loop {
        let Some(mut update) = worker.poll() else {
            std::thread::yield_now();
            continue;
        };
        painter.apply(&mut update.changes).expect("a box that fits");
        if update.report.step >= STEPS {
            return (painter, worker);
        }
    }
}

#[test]
#[ignore = "hundreds of pictures on a software card; .ci/full: cargo test --test viewer -- --ignored memory_stays_flat_while_the_camera_turns"]
fn memory_stays_flat_while_the_camera_turns() {
    if !vulkan() {
        return;
    }
    let _surface = pollster::block_on(OffscreenSurface::new(64, 64));
    // kiss3d aborts if a surface is dropped before its first frame has created this manager.
    MaterialManager2d::get_global_manager(|_| ());
    let (mut painter, _worker) = eruption();
    let subject = painter.subject().expect("a scene has come");
    let mut turn = |frame: usize| {
        let spec = CameraSpec {
            azimuth_deg: 150.0 + 1.7 * frame as f32,
            ..CameraSpec::default()
        };
        let camera = Camera::new(&spec, &subject, SIZE);
        let (cuts_shown, quality) = ([false; 3], Quality::Fixed(1.0));
        let view = View {
            camera,
            covered: 0,
            quality,
            cuts_shown,
            volume_shown: true,
            ground_shown: true,
        };
        painter.picture(&view, 1, false).expect("a scene has come");
    };
    (0..WARM_UP).for_each(&mut turn);
    let before = resident_mb();
    (WARM_UP..WARM_UP + FRAMES).for_each(&mut turn);
    let growth = resident_mb() - before;
    assert!(
        growth < MOST_GROWTH_MB,
        "{FRAMES} frames from turning cameras added {growth:.0} MB to {before:.0} MB"
    );
}
