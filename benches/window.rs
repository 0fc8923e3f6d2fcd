//! Times the window's frames at 800×600 on the installed driver, which without a graphics card is a
//! software driver: each style with a moving camera, and with a camera at rest while lava flows,
//! with and without empty-space skipping; also the sending of a step's changes.
//!
//! `cargo bench --bench window`

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use kiss3d::resource::MaterialManager2d;
use kiss3d::window::OffscreenSurface;
use lavoxel::render::{Camera, CameraSpec, Glow, LookSpec, Style};
use lavoxel::scene::Scene;
use lavoxel::viewer::messages::{Command, Update};
use lavoxel::viewer::paint::{DrawOn, Painter, Quality, View};
use lavoxel::viewer::worker::Worker;

const SIZE: (usize, usize) = (800, 600);
const STEPS: u64 = 1500;

/// Returns the built-in volcano after `STEPS` steps: its painter, the simulation thread, and the
/// look.
fn eruption() -> (Painter, Worker, LookSpec) {
    let scene = Scene::volcano();
    let look = scene.spec.look.clone();
    let mut worker = Worker::start(scene, None).expect("the built-in volcano");
    let mut painter = Painter::new(&look, DrawOn::Gpu).expect("the built-in look");
    worker.send(Command::Glow(Glow::from(&look)));
    advance(&mut worker, (0, STEPS), |update| {
        painter.apply(&mut update.changes).expect("a box that fits");
    });
    (painter, worker, look)
}

/// Runs a paused simulation from step `from` to step `to`, and passes every update on the way to
/// `see`.
fn advance(worker: &mut Worker, (from, to): (u64, u64), mut see: impl FnMut(&mut Update)) {
    worker.send(Command::Steps(to - from));
    loop {
        match worker.poll() {
            None => std::thread::yield_now(),
            Some(mut update) => {
                see(&mut update);
                if update.report.step >= to {
                    return;
                }
            }
        }
    }
}

fn view(painter: &Painter, turned_deg: f32) -> View {
    let spec = CameraSpec {
        azimuth_deg: 150.0 + turned_deg,
        ..CameraSpec::default()
    };
    let subject = painter.subject().expect("the first update has come");
    View {
        camera: Camera::new(&spec, &subject, SIZE),
        covered: 0,
        quality: Quality::Fixed(1.0),
        cuts_shown: [false; 3],
        volume_shown: true,
        ground_shown: true,
    }
}

fn frames(c: &mut Criterion) {
    let _surface = pollster::block_on(OffscreenSurface::new(64, 64));
    // kiss3d aborts if a surface is dropped before its first frame has created this manager.
    MaterialManager2d::get_global_manager(|_| ());
    let (mut painter, mut worker, look) = eruption();
    let mut group = c.benchmark_group("window 800x600");
    group.sample_size(10);
    for (name, style) in [
        ("cinematic", Style::Cinematic),
        ("scientific", Style::Scientific),
        ("surface", Style::Surface),
        ("maximum", Style::Maximum),
    ] {
        painter
            .set_look(&LookSpec {
                style,
                ..look.clone()
            })
            .expect("the built-in look in another style");
        let still = view(&painter, 0.0);
        for (jumps, skipping) in [("", true), (", every brick sampled", false)] {
            painter.set_skipping(skipping);
            group.bench_function(format!("{name}, camera still{jumps}"), |b| {
                b.iter(|| black_box(painter.picture(&still, 1, false)));
            });
        }
        painter.set_skipping(true);
        let mut turned = 0.0;
        group.bench_function(format!("{name}, camera moves"), |b| {
            b.iter(|| {
                turned += 0.5;
                black_box(painter.picture(&view(&painter, turned), 1, false))
            });
        });
    }
    let mut step = STEPS;
    group.bench_function("send one step's changes", |b| {
        b.iter_custom(|times| {
            let mut spent = Duration::ZERO;
            for _ in 0..times {
                advance(&mut worker, (step, step + 1), |update| {
                    painter.apply(&mut update.changes).expect("a box that fits");
                    spent += painter.times().upload;
                });
                step += 1;
            }
            spent
        });
    });
    group.finish();
}

criterion_group!(benches, frames);
criterion_main!(benches);
