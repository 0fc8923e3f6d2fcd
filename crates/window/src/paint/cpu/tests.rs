//! Tests that compare the pictures of the drawing thread with those of the renderer and of the GPU
//! painter.

use std::sync::Arc;
use std::time::{Duration, Instant};

use image::RgbaImage;

use super::CpuPainter;
use crate::messages::{Command, Cut, Pace};
use crate::paint::fixture::{
    SIZE, difference, eruption, everything, furnish, gpu, keep, painter, view,
};
use crate::paint::{Quality, View};
use crate::worker::Worker;
use lavoxel_automaton::view::{MaterialLook, Preset};
use lavoxel_paint::changes::Changes;
use lavoxel_render::contents::Contents;
use lavoxel_render::{Antialias, Camera, CameraSpec, LookSpec, Renderer, Style};
use lavoxel_scene::scene::{Scene, VentPlace};
use lavoxel_sim::lowpass::LowPass;
use lavoxel_sim::simulation::Simulation;

/// Window size (width, height) in pixels; odd numbers, to test the rounding.
const WINDOW: (usize, usize) = (301, 199);

struct Eruption {
    simulation: Simulation,
    lowpass: LowPass,
    painter: CpuPainter,
}

/// Returns a painter that shows a small eruption with the look `look`; `None` without a graphics
/// driver.
fn erupting(look: &LookSpec) -> Option<Eruption> {
    let gpu = gpu()?;
    let (simulation, lowpass) = eruption();
    let mut painter = CpuPainter::new(gpu, look).expect("a valid look");
    painter.apply(&mut everything(&simulation, lowpass.volume(), look));
    Some(Eruption {
        simulation,
        lowpass,
        painter,
    })
}

fn camera(painter: &CpuPainter, azimuth_deg: f32, size: (usize, usize)) -> Camera {
    let spec = CameraSpec {
        azimuth_deg,
        ..CameraSpec::default()
    };
    Camera::new(&spec, &painter.subject().expect("a scene has come"), size)
}

fn rgba(image: &lavoxel_render::Image) -> RgbaImage {
    let pixels = image
        .rgb
        .chunks_exact(3)
        .flat_map(|p| [p[0], p[1], p[2], 255])
        .collect();
    RgbaImage::from_raw(image.width as u32, image.height as u32, pixels)
        .expect("four bytes for each pixel")
}

/// Blocks until the drawing thread has finished another picture for the window, and returns that
/// picture.
fn next(painter: &mut CpuPainter) -> super::mailbox::Finished {
    let end = Instant::now() + Duration::from_secs(60);
    while Instant::now() < end {
        if painter.fetch() {
            return painter.next.take().expect("it was fetched");
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    panic!("no picture for a minute");
}

#[test]
fn pictures_stay_those_of_the_renderer_while_lava_runs() {
    let look = LookSpec::default();
    let Some(Eruption {
        mut simulation,
        mut lowpass,
        mut painter,
    }) = erupting(&look)
    else {
        return;
    };
    let smooth = LookSpec {
        antialias: Antialias::Full,
        ..look.clone()
    };
    let mut renderer = Renderer::new(
        simulation.world().ground().surface(),
        simulation.world().grid(),
        smooth.clone(),
    )
    .expect("a valid look");
    // The window's panel draws the colour bar of the plain styles.
    renderer.set_contents(Contents {
        legend: false,
        ..Contents::default()
    });
    for style in [Style::Cinematic, Style::Surface, Style::Cinematic] {
        painter
            .set_look(&LookSpec {
                style,
                ..look.clone()
            })
            .expect("a valid look");
        renderer
            .set_look(LookSpec {
                style,
                ..smooth.clone()
            })
            .expect("a valid look");
        for _ in 0..3 {
            (0..20).for_each(|_| simulation.step());
            lowpass.refresh(simulation.world());
            let mut update = everything(&simulation, lowpass.volume(), &look);
            (update.reset, update.ground) = (false, None);
            painter.apply(&mut update);
            renderer.set_steps(simulation.steps());
            let camera = camera(&painter, 150.0, SIZE);
            let expected = renderer.frame(lowpass.volume(), &camera);
            let drawn = painter
                .picture(&view(camera), 8, false)
                .expect("a scene has come");
            let differs = drawn
                .enumerate_pixels()
                .find(|&(x, y, pixel)| pixel.0[..3] != expected.pixel(x as usize, y as usize));
            assert_eq!(differs, None, "{style:?}, step {}", simulation.steps());
        }
    }
}

#[test]
fn pictures_of_all_materials_are_those_of_the_renderer() {
    let look = LookSpec::default();
    let Some(Eruption {
        simulation,
        lowpass,
        mut painter,
    }) = erupting(&look)
    else {
        return;
    };
    let mut volume = lowpass.volume().clone();
    let smooth = LookSpec {
        antialias: Antialias::Full,
        ..look.clone()
    };
    let mut renderer = Renderer::new(simulation.world().ground().surface(), volume.grid, smooth)
        .expect("a valid look");
    for looks in [&Preset::ALL[..], &Preset::ALL[1..3]] {
        furnish(
            &mut volume,
            &looks
                .iter()
                .copied()
                .map(MaterialLook::from_preset)
                .collect::<Vec<_>>(),
        );
        painter.apply(&mut everything(&simulation, &volume, &look));
        renderer.set_steps(simulation.steps());
        let camera = camera(&painter, 150.0, SIZE);
        let drawn = painter
            .picture(&view(camera.clone()), 8, false)
            .expect("a scene has come");
        assert!(
            drawn == rgba(&renderer.frame(&volume, &camera)),
            "{looks:?}"
        );
    }
}

#[test]
fn a_moving_picture_is_coarse_and_becomes_whole_when_nothing_moves() {
    let look = LookSpec::default();
    let Some(Eruption { mut painter, .. }) = erupting(&look) else {
        return;
    };
    painter
        .picture(&view(camera(&painter, 0.0, (8, 8))), 1, false)
        .expect("a scene has come");
    // No machine reaches this rate.
    let turned = |painter: &CpuPainter, azimuth_deg: f32| View {
        quality: Quality::Auto { target_fps: 1e6 },
        ..view(camera(painter, azimuth_deg, WINDOW))
    };
    for k in 0..5 {
        let view = turned(&painter, 10.0 * k as f32);
        painter.show(&view);
        let picture = next(&mut painter);
        assert_eq!((picture.camera, picture.last), (view.camera, false));
        assert_eq!(picture.pixels.window, WINDOW);
        assert!(picture.share < 1.0, "{}", picture.share);
        assert!(!painter.is_finished());
    }
    let whole = next(&mut painter);
    assert_eq!((whole.pixels.window, whole.last), (WINDOW, false));
    let smooth = next(&mut painter);
    assert_eq!((smooth.pixels.window, smooth.last), (WINDOW, true));
    let view = View {
        quality: Quality::Fixed(1.0),
        ..turned(&painter, 40.0)
    };
    let expected = painter.picture(&view, 8, false).expect("a scene has come");
    assert!(
        smooth.pixels.rgba == *expected.as_raw(),
        "the last picture is the one for files"
    );
    painter.finished = Some(smooth.state);
    assert!(painter.is_finished());
    assert!(!painter.fetch(), "nothing is drawn when nothing changes");
}

#[test]
fn nothing_is_drawn_under_the_panel_and_beside_it_what_a_whole_picture_shows() {
    let Some(Eruption { mut painter, .. }) = erupting(&LookSpec::default()) else {
        return;
    };
    painter
        .picture(&view(camera(&painter, 0.0, (8, 8))), 1, false)
        .expect("a scene has come");
    let whole = view(camera(&painter, 30.0, WINDOW));
    let expected = painter.picture(&whole, 8, false).expect("a scene has come");
    painter.show(&View {
        covered: 21,
        ..whole
    });
    let finished = loop {
        let picture = next(&mut painter);
        if picture.last {
            break picture;
        }
    };
    assert_eq!(finished.pixels.rgba.len(), 4 * (WINDOW.0 - 21) * WINDOW.1);
    painter.next = Some(finished);
    painter.take_next();
    let shown = painter.seen().expect("it is on the screen");
    assert_eq!(shown.dimensions(), expected.dimensions());
    let right = |x: u32| x >= 21;
    assert!(
        shown
            .enumerate_pixels()
            .all(|(x, _, pixel)| right(x) || pixel.0 == [0, 0, 0, 255])
    );
    // A smaller picture jitters its samples differently.
    let away = |(x, y, pixel): (u32, u32, &image::Rgba<u8>)| {
        let other = expected.get_pixel(x, y);
        (0..3)
            .map(|i| f32::from(pixel[i].abs_diff(other[i])))
            .fold(0.0, f32::max)
    };
    let beside = shown.enumerate_pixels().filter(|(x, ..)| right(*x));
    let mean = beside.map(away).sum::<f32>() / ((WINDOW.0 - 21) * WINDOW.1) as f32;
    assert!(mean < 1.5, "{mean} levels");
}

#[test]
fn a_fine_picture_gives_way_to_a_camera_that_turns() {
    let Some(Eruption { mut painter, .. }) = erupting(&LookSpec::default()) else {
        return;
    };
    let large = (3000, 2000);
    painter.show(&view(camera(&painter, 0.0, large)));
    next(&mut painter);
    // The change comes while the picture of 6 million antialiased pixels is under way.
    std::thread::sleep(Duration::from_millis(400));
    let turned = View {
        quality: Quality::Auto { target_fps: 1e6 },
        ..view(camera(&painter, 50.0, large))
    };
    painter.show(&turned);
    let mut picture = next(&mut painter);
    // The picture before may just have been complete.
    while picture.camera != turned.camera {
        picture = next(&mut painter);
    }
    assert!(!picture.last);
}

/// Returns a slice through the cells with index `cell`: `width` × `height` texels in squares of 8 ×
/// 8 texels that show values, rock, another material or empty cells. `of_amounts`: true if the
/// values are amounts.
fn chequered(width: usize, height: usize, (cell, of_amounts): (usize, bool)) -> Cut {
    let texel = |i: usize| {
        let (x, y) = (i % width / 8, i / width / 8);
        [
            ((x * 50 + y * 90) % 256) as u8,
            120,
            (x * 40 % 256) as u8,
            ((x + 2 * y) % 4) as u8,
        ]
    };
    Cut {
        cell,
        width,
        height,
        of_amounts,
        texels: (0..width * height).map(texel).collect(),
    }
}

#[test]
#[ignore = "many pictures on a software card; .ci/full: cargo test -p lavoxel-window -- --ignored slices_and_hidden_parts"]
fn slices_and_hidden_parts_look_as_the_graphics_card_draws_them() {
    let look = LookSpec {
        antialias: Antialias::Off,
        ..LookSpec::default()
    };
    let Some(Eruption {
        simulation,
        lowpass,
        mut painter,
    }) = erupting(&look)
    else {
        return;
    };
    let Some(mut gpu) = self::painter(&look) else {
        return;
    };
    let grid = simulation.world().grid();
    let cuts = |update: &mut Changes| {
        update.cuts = [
            Some(chequered(grid.nz, grid.ny, (20, false))),
            Some(chequered(grid.nx, grid.nz, (30, false))),
            Some(chequered(grid.nx, grid.ny, (33, true))),
        ];
    };
    let mut update = everything(&simulation, lowpass.volume(), &look);
    cuts(&mut update);
    gpu.apply(&mut update).expect("a small box");
    let mut update = everything(&simulation, lowpass.volume(), &look);
    cuts(&mut update);
    painter.apply(&mut update);
    let whole = view(camera(&painter, 150.0, SIZE));
    let views = [
        (
            "slices",
            View {
                cuts_shown: [true; 3],
                ..whole.clone()
            },
        ),
        (
            "a slice without ground",
            View {
                cuts_shown: [false, false, true],
                ground_shown: false,
                ..whole.clone()
            },
        ),
        (
            "slices alone",
            View {
                cuts_shown: [true; 3],
                ground_shown: false,
                volume_shown: false,
                ..whole.clone()
            },
        ),
        (
            "no lava",
            View {
                volume_shown: false,
                ..whole.clone()
            },
        ),
        (
            "no ground",
            View {
                ground_shown: false,
                ..whole
            },
        ),
    ];
    for style in [Style::Cinematic, Style::Scientific] {
        painter
            .set_look(&LookSpec {
                style,
                ..look.clone()
            })
            .expect("a valid look");
        gpu.set_look(&LookSpec {
            style,
            ..look.clone()
        })
        .expect("a valid look");
        for (name, view) in &views {
            let passes = gpu.picture(view, 8, false).expect("a scene has come");
            let marched = painter.picture(view, 8, false).expect("a scene has come");
            let image = lavoxel_render::Image {
                width: SIZE.0,
                height: SIZE.1,
                rgb: marched
                    .pixels()
                    .flat_map(|p| [p.0[0], p.0[1], p.0[2]])
                    .collect(),
            };
            keep(&format!("cpu {style:?} {name}"), &image, &passes);
            let (mean, far) = difference(&image, &passes);
            // Eight rays for each pixel on the processor, four at other places on the graphics
            // card.
            assert!(
                mean < 1.5 && far < 0.03,
                "{style:?}, {name}: mean {mean:.2} levels, {:.2} % far",
                100.0 * far
            );
        }
    }
}

#[test]
fn a_transparent_picture_is_empty_where_the_sky_is() {
    let Some(Eruption { mut painter, .. }) = erupting(&LookSpec::default()) else {
        return;
    };
    let camera = camera(&painter, 150.0, SIZE);
    for style in [Style::Cinematic, Style::Maximum] {
        painter
            .set_look(&LookSpec {
                style,
                ..LookSpec::default()
            })
            .expect("a valid look");
        let picture = painter
            .picture(&view(camera.clone()), 8, true)
            .expect("a scene has come");
        let opacity = |x: f32, y: f32| {
            picture
                .get_pixel((x * SIZE.0 as f32) as u32, (y * SIZE.1 as f32) as u32)
                .0[3]
        };
        assert_eq!(
            [opacity(0.02, 0.02), opacity(0.98, 0.97)],
            [0, 0],
            "{style:?}: the corners show the sky"
        );
        assert_eq!(
            opacity(0.5, 0.6),
            255,
            "{style:?}: the mountain stands in the middle"
        );
    }
}

#[test]
fn another_scene_takes_the_place_of_the_first() {
    let look = LookSpec::default();
    let Some(Eruption { mut painter, .. }) = erupting(&look) else {
        return;
    };
    let mut scene = Scene::volcano();
    scene.spec.grid.size = [40, 30, 48];
    scene.spec.vents[0].place = VentPlace::Cells { x: 20.0, z: 24.0 };
    let simulation = scene
        .build(Box::new(lavoxel_automaton::engine::tiled::Tiled::default()))
        .expect("the built-in volcano")
        .simulation;
    let mut lowpass = LowPass::new(simulation.world().grid());
    lowpass.refresh(simulation.world());
    painter.apply(&mut everything(&simulation, lowpass.volume(), &look));
    let camera = camera(&painter, 150.0, SIZE);
    let drawn = painter
        .picture(&view(camera.clone()), 8, false)
        .expect("a scene has come");
    let smooth = LookSpec {
        antialias: Antialias::Full,
        ..look
    };
    let mut renderer = Renderer::new(
        simulation.world().ground().surface(),
        simulation.world().grid(),
        smooth,
    )
    .expect("a valid look");
    assert!(drawn == rgba(&renderer.frame(lowpass.volume(), &camera)));
    assert!(
        Arc::strong_count(&painter.mailbox) >= 2,
        "the thread goes on"
    );
}

/// Runs both threads of the window for ten seconds, or for the number of seconds in the environment
/// variable SECONDS. Returns pictures per second, steps per second, and the resolution of the
/// pictures as a fraction of the window's. `turns_deg_s`: angular speed of the camera in degrees
/// per second.
fn rates(worker: &mut Worker, painter: &mut CpuPainter, turns_deg_s: f32) -> [f64; 3] {
    let last = &mut None;
    let (start, subject) = (Instant::now(), painter.subject().expect("a scene has come"));
    let (mut pictures, mut scale, mut steps) = (0, 0.0, [u64::MAX, 0]);
    let seconds = std::env::var("SECONDS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(10.0);
    while start.elapsed().as_secs_f64() < seconds {
        while painter.has_room()
            && let Some(mut update) = worker.poll()
        {
            painter.apply(&mut update.changes);
            steps = [steps[0].min(update.report.step), update.report.step];
        }
        let azimuth_deg = 230.0 + turns_deg_s * start.elapsed().as_secs_f32();
        let camera = Camera::new(
            &CameraSpec {
                azimuth_deg,
                ..CameraSpec::default()
            },
            &subject,
            (1280, 800),
        );
        painter.show(&View {
            quality: Quality::Auto { target_fps: 18.0 },
            ..view(camera)
        });
        if painter.fetch() {
            let picture = painter.next.take().expect("it was fetched");
            painter.times.draw = picture.took;
            (pictures, scale) = (pictures + 1, picture.share);
            if let Ok(file) = std::env::var("PICTURE") {
                *last = Some((file, picture.pixels.whole().expect("four bytes a pixel")));
            }
        }
        std::thread::sleep(Duration::from_millis(4));
    }
    if let Some((file, shown)) = last {
        shown.save(file).expect("a file that can be written");
    }
    let seconds = start.elapsed().as_secs_f64();
    [
        f64::from(pictures) / seconds,
        steps[1].saturating_sub(steps[0]) as f64 / seconds,
        f64::from(scale),
    ]
}

/// Prints the rates of the island: `cargo test -p lavoxel-window -- --ignored --nocapture
/// rates_of_the_island`. The environment variables SCENE, STEPS and SECONDS replace the scene's
/// file, 2200 steps and 10 s; PHASE selects rows whose name contains its value, and PICTURE names
/// the file of the last picture.
#[test]
#[ignore = "measures for a minute and asserts no time: cargo test -p lavoxel-window -- --ignored --nocapture rates_of_the_island"]
#[allow(clippy::print_stdout, reason = "the table is what it is for")]
fn rates_of_the_island() {
    let Some(gpu) = gpu() else { return };
    let island = concat!(env!("CARGO_MANIFEST_DIR"), "/../../terrains/island.toml");
    let path = std::env::var("SCENE").unwrap_or_else(|_| island.to_owned());
    let steps = std::env::var("STEPS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(2200);
    let scene = Scene::load(std::path::Path::new(&path)).expect("a scene");
    let mut painter = CpuPainter::new(gpu, &scene.spec.look).expect("a valid look");
    let mut worker = Worker::start(scene, None).expect("a right scene");
    worker.send(Command::Steps(steps));
    let mut step = 0;
    while step < steps {
        while let Some(mut update) = worker.poll() {
            step = update.report.step;
            painter.apply(&mut update.changes);
        }
        std::thread::sleep(Duration::from_millis(500));
    }
    if let Some(ground) = &mut painter.ground {
        ground.finish(&LookSpec::default());
    }
    println!(
        "{:<28}{:>10}{:>10}{:>10}",
        "from step 2200", "pictures/s", "steps/s", "scale"
    );
    for (name, pace, turns) in [
        ("camera turns, paused", Pace::Paused, 30.0),
        ("free, camera rests", Pace::Free, 0.0),
        ("free, camera turns", Pace::Free, 30.0),
        ("60 steps/s, camera turns", Pace::Rate(60.0), 30.0),
    ] {
        if std::env::var("PHASE").is_ok_and(|phase| !name.contains(&phase)) {
            continue;
        }
        worker.send(Command::Pace(pace));
        rates(&mut worker, &mut painter, turns);
        let [pictures, steps, scale] = rates(&mut worker, &mut painter, turns);
        println!("{name:<28}{pictures:>10.1}{steps:>10.1}{scale:>10.2}");
    }
}
