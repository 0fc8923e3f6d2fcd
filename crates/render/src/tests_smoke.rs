//! Tests of pictures of smoke in the air.

use std::path::Path;
use std::sync::Arc;

use ndarray::Array2;

use super::contents::Contents;
use super::mask::tests::{mean, spectrum};
use crate::volume::places::Skipping;
use crate::{AirLook, Camera, CameraSpec, Image, LookSpec, Renderer};
use lavoxel_air::{AirGrid, Side};
use lavoxel_automaton::engine::tiled::Tiled;
use lavoxel_automaton::view::{Antialias, MaterialLook, Preset, SkyPreset, Style};
use lavoxel_base::grid::Grid;
use lavoxel_scene::scene::Scene;
use lavoxel_sim::lowpass::{AirVolume, LowPass, Medium, Volume};

/// Size of the test scenes' simulation box in cells.
const BOX: Grid = Grid {
    nx: 48,
    ny: 40,
    nz: 48,
};
/// Number of simulation cells per air cell along an edge.
const RATIO: usize = 2;

/// Returns test air that is wider and higher than the simulation box; `carried` returns ash and
/// steam in kg/m³ at the centre of an air cell (in cells of the simulation).
fn air(carried: impl Fn([f32; 3]) -> [f32; 2]) -> AirVolume {
    let cells = Grid::new(32, 40, 32);
    let grid = AirGrid {
        cells,
        ratio: RATIO,
        corner: [-8, -8],
        sides: [Side::Open; 3],
    };
    let value = |kg_m3: f32| ((kg_m3 / 4.0).sqrt() * 65535.0 + 0.5) as u16;
    let middle = |n: usize, corner: i32| (n as f32 + 0.5) * RATIO as f32 + corner as f32;
    let carried = cells
        .places()
        .map(|[x, y, z]| carried([middle(x, -8), middle(y, 0), middle(z, -8)]).map(value));
    let flow = cells.places().map(|[x, y, z]| {
        [
            (x % 7) as i8 * 9,
            40 + (y % 3) as i8,
            -((z % 5) as i8) * 8,
            0,
        ]
    });
    AirVolume {
        grid,
        cell_m: 10.0,
        carried: carried.collect(),
        inks: Vec::new(),
        flow: flow.collect(),
    }
}

/// Returns a test volume with a column of ash and steam of the densities `kg_m3`; if `lava` is
/// true, lava lies below.
fn column(kg_m3: [f32; 2], lava: bool) -> Volume {
    let mut volume = Volume::empty(BOX);
    let aside = |x: f32, z: f32| (x - 24.0).hypot(z - 24.0);
    for (i, [x, y, z]) in BOX.places().enumerate().filter(|_| lava) {
        if y < 3 && aside(x as f32, z as f32) < 8.0 {
            (volume.density[i], volume.energy[i]) = (255, 160);
        }
    }
    let share = |[x, y, z]: [f32; 3]| {
        if y > 5.0 {
            (1.0 - aside(x, z) / 12.0).clamp(0.0, 0.5) * 2.0
        } else {
            0.0
        }
    };
    volume.air = Some(Arc::new(air(|p| kg_m3.map(|kg| kg * share(p)))));
    volume
}

fn look() -> LookSpec {
    let air = AirLook {
        detail: 0.0,
        ..AirLook::default()
    };
    LookSpec {
        haze: 0.0,
        glow: 0.0,
        antialias: Antialias::Off,
        air,
        ..LookSpec::default()
    }
}

fn flat(look: LookSpec) -> Renderer {
    Renderer::new(&Array2::zeros((BOX.nz, BOX.nx)), BOX, look).expect("a valid look")
}

/// Returns a camera south of the column of smoke, which appears in the middle of the picture.
fn before() -> Camera {
    Camera::from_pose([24.0, 30.0, 150.0].into(), (180.0, 0.0), 40.0, (60, 50))
}

/// Returns the mean of a colour channel (0 to 255) over a rectangle of the picture; `columns` and
/// `rows`: bounds as fractions of the width and height.
fn channel(image: &Image, channel: usize, [columns, rows]: [[f32; 2]; 2]) -> f64 {
    let part =
        |[low, high]: [f32; 2], n: usize| (low * n as f32) as usize..(high * n as f32) as usize;
    let places =
        part(rows, image.height).flat_map(|y| part(columns, image.width).map(move |x| (x, y)));
    let values: Vec<f64> = places
        .map(|(x, y)| f64::from(image.pixel(x, y)[channel]))
        .collect();
    values.iter().sum::<f64>() / values.len() as f64
}

#[test]
fn air_without_smoke_changes_no_pixel() {
    let mut volume = column([0.0; 2], true);
    assert!(volume.air.is_some());
    let mut renderer = flat(LookSpec {
        antialias: Antialias::Edges,
        ..look()
    });
    let with = renderer.frame(&volume, &before());
    volume.air = None;
    assert!(with == renderer.frame(&volume, &before()));
}

#[test]
fn light_comes_through_as_the_mass_in_its_way_lets_it() {
    // Wall of smoke, 20 voxels thick, wider and higher than its visible part.
    let mut renderer = flat(look());
    let camera = Camera::from_pose([24.0, 40.0, 150.0].into(), (180.0, 0.0), 6.0, (20, 16));
    for kg_m3 in [2e-6_f32, 1e-5, 3e-5, 1e-4] {
        let mut volume = Volume::empty(BOX);
        let wall = |[_, _, z]: [f32; 3]| {
            if (14.0..34.0).contains(&z) {
                [kg_m3, 0.0]
            } else {
                [0.0; 2]
            }
        };
        volume.air = Some(Arc::new(air(wall)));
        let image = renderer.frame(&volume, &camera);
        let cover = renderer.coverage(&volume, &camera, &image);
        let mean = cover.iter().map(|&c| f64::from(c)).sum::<f64>() / cover.len() as f64 / 255.0;
        let depth = f64::from(kg_m3) * 200.0 * 10.0 * 20.0;
        let hidden = 1.0 - (-depth).exp();
        assert!(
            (mean - hidden).abs() < 0.04,
            "{kg_m3} kg/m³: {mean:.3} against {hidden:.3}"
        );
    }
}

#[test]
fn smoke_shades_the_ground_and_itself() {
    let day = LookSpec {
        sky: SkyPreset::Day,
        sun_elevation_deg: Some(80.0),
        ..look()
    };
    let ground = Camera::from_pose([24.0, 4.5, 44.0].into(), (180.0, 12.0), 30.0, (40, 30));
    let mut renderer = flat(day.clone());
    let mut light = |kg_m3: f32| {
        channel(
            &renderer.frame(&column([kg_m3, 0.0], false), &ground),
            1,
            [[0.3, 0.7], [0.55, 0.85]],
        )
    };
    let (clear, thin, thick) = (light(0.0), light(1e-5), light(1e-3));
    assert!(
        clear > thin + 2.0 && thin > thick + 5.0,
        "{clear}, {thin}, {thick}"
    );
    // Sun from the left: the right side of the column is darker, but not without detail.
    let aside = LookSpec {
        sun_azimuth_deg: 270.0,
        sun_elevation_deg: Some(10.0),
        ..day
    };
    let sides = |look: LookSpec| {
        let image = flat(look).frame(&column([1e-3, 0.0], false), &before());
        [[0.40, 0.46], [0.54, 0.60]].map(|columns| channel(&image, 1, [columns, [0.3, 0.6]]))
    };
    let [lit, dark] = sides(aside.clone());
    assert!(lit > 1.25 * dark, "{lit} and {dark}");
    let [left, right] = sides(LookSpec {
        air: AirLook {
            self_shadow: false,
            ..aside.air.clone()
        },
        ..aside
    });
    assert!((left - right).abs() < 0.1 * left, "{left} and {right}");
}

#[test]
fn smoke_shades_lava_and_water() {
    let day = LookSpec {
        sky: SkyPreset::Day,
        sun_elevation_deg: Some(80.0),
        lava_light: 0.0,
        ..look()
    };
    let pool = Camera::from_pose([24.0, 4.8, 40.0].into(), (180.0, 14.0), 30.0, (40, 30));
    let mut renderer = flat(day);
    // Pool of cold lava or water that fills the box up to its second layer.
    let mut light = |water: bool, kg_m3: f32| {
        let mut volume = column([kg_m3, 0.0], false);
        let filled = || {
            BOX.places()
                .map(|[_, y, _]| if y < 3 { 255 } else { 0 })
                .collect::<Vec<u8>>()
        };
        if water {
            let look = MaterialLook::from_preset(Preset::Water);
            volume.media.push(Medium {
                name: "water".into(),
                look,
                density: filled(),
            });
        } else {
            (volume.density, volume.energy) = (filled(), BOX.places().map(|_| 8).collect());
        }
        channel(
            &renderer.frame(&volume, &pool),
            1,
            [[0.3, 0.7], [0.6, 0.95]],
        )
    };
    for water in [false, true] {
        let (clear, shaded) = (light(water, 0.0), light(water, 1e-3));
        assert!(
            clear > 1.03 * shaded + 0.5,
            "water {water}: {clear} in the sun, {shaded} under smoke"
        );
    }
}

#[test]
fn lava_lights_smoke_from_below() {
    let night = LookSpec {
        sky: SkyPreset::Night,
        ..look()
    };
    let smoke = column([2e-4, 0.0], true);
    let redness = |image: &Image, rows: [f32; 2]| {
        channel(image, 0, [[0.47, 0.53], rows]) - channel(image, 2, [[0.47, 0.53], rows])
    };
    let image = flat(night.clone()).frame(&smoke, &before());
    let (low, high) = (redness(&image, [0.56, 0.66]), redness(&image, [0.1, 0.3]));
    assert!(low > high + 15.0, "{low} below, {high} above");
    let dim = LookSpec {
        air: AirLook {
            glow: 0.0,
            ..night.air.clone()
        },
        ..night
    };
    let unlit = redness(&flat(dim).frame(&smoke, &before()), [0.56, 0.66]);
    assert!(low > unlit + 15.0, "{low} with its glow, {unlit} without");
}

#[test]
fn jumps_over_empty_air_change_no_pixel() {
    for (sky, detail) in [(SkyPreset::Day, 0.0), (SkyPreset::Dusk, 1.0)] {
        let look = LookSpec {
            sky,
            air: AirLook {
                detail,
                ..AirLook::default()
            },
            ..look()
        };
        let volume = column([3e-4, 1e-5], true);
        let mut renderer = flat(look);
        renderer.set_steps(77);
        let near = Camera::from_pose([20.0, 24.0, 30.0].into(), (170.0, -10.0), 60.0, (40, 30));
        for camera in [before(), near] {
            let jumps = renderer.draw(&volume, &camera, Skipping::Bricks);
            assert!(
                jumps == renderer.draw(&volume, &camera, Skipping::Never),
                "{sky:?}"
            );
        }
    }
}

const PLAIN: [Style; 3] = [Style::Scientific, Style::Surface, Style::Maximum];

#[test]
fn plain_styles_draw_smoke_as_a_haze_with_a_colour_bar() {
    for style in PLAIN {
        let mut renderer = flat(LookSpec { style, ..look() });
        let large = Camera::from_pose([24.0, 30.0, 150.0].into(), (180.0, 0.0), 40.0, (480, 360));
        let [clear, hazy] =
            [0.0, 1e-3].map(|kg_m3| renderer.frame(&column([kg_m3, 0.0], true), &large));
        let change = |columns, rows| {
            (0..3)
                .map(|c| {
                    (channel(&hazy, c, [columns, rows]) - channel(&clear, c, [columns, rows])).abs()
                })
                .sum::<f64>()
        };
        assert!(
            change([0.45, 0.55], [0.2, 0.6]) > 20.0,
            "{style:?}: the column"
        );
        assert!(
            change([0.75, 0.98], [0.6, 0.97]) > 3.0,
            "{style:?}: its colour bar"
        );
        assert_eq!(
            change([0.0, 0.25], [0.0, 0.5]),
            0.0,
            "{style:?}: nothing beside it"
        );
        renderer.set_contents(Contents {
            lava: false,
            ..Contents::default()
        });
        let hidden = renderer.frame(&column([1e-3, 0.0], true), &large);
        let sky = |image: &Image| channel(image, 1, [[0.45, 0.55], [0.2, 0.4]]);
        assert!(
            (sky(&hidden) - sky(&clear)).abs() < 0.5,
            "{style:?}: it goes with the lava"
        );
    }
}

#[test]
fn haze_hides_by_its_length_and_density() {
    let mut renderer = flat(LookSpec {
        style: Style::Scientific,
        ..look()
    });
    let camera = Camera::from_pose([24.0, 40.0, 150.0].into(), (180.0, 0.0), 6.0, (20, 16));
    let mut hidden = |kg_m3: f32| {
        let mut volume = Volume::empty(BOX);
        let wall = |[_, _, z]: [f32; 3]| {
            if (14.0..34.0).contains(&z) {
                [0.0, kg_m3]
            } else {
                [0.0; 2]
            }
        };
        volume.air = Some(Arc::new(air(wall)));
        let image = renderer.frame(&volume, &camera);
        let cover = renderer.coverage(&volume, &camera, &image);
        cover.iter().map(|&c| f64::from(c)).sum::<f64>() / cover.len() as f64 / 255.0
    };
    for (kg_m3, share) in [(1e-3_f32, 0.5_f64), (1e-2, 4.0 / 6.0), (1.0, 1.0)] {
        let (found, expected) = (hidden(kg_m3), 1.0 - (1.0 - 0.14 * share * share).powi(20));
        assert!(
            (found - expected).abs() < 0.05,
            "{kg_m3} kg/m³: {found:.3} against {expected:.3}"
        );
    }
    assert!(hidden(1e-7) < 0.01, "thinner than the scale");
}

#[test]
fn jumps_over_clear_air_change_no_pixel_of_a_plain_style() {
    for style in PLAIN {
        let mut renderer = flat(LookSpec { style, ..look() });
        let near = Camera::from_pose([20.0, 24.0, 30.0].into(), (170.0, -10.0), 60.0, (40, 30));
        for camera in [before(), near] {
            let volume = column([3e-4, 1e-5], true);
            let jumps = renderer.draw(&volume, &camera, Skipping::Bricks);
            assert!(
                jumps == renderer.draw(&volume, &camera, Skipping::Never),
                "{style:?}"
            );
        }
    }
}

#[test]
fn rays_that_share_smoke_see_nearly_what_rays_of_their_own_do() {
    let look = LookSpec {
        sky: SkyPreset::Day,
        air: AirLook {
            detail: 1.0,
            ..AirLook::default()
        },
        ..look()
    };
    let camera = Camera::from_pose([24.0, 30.0, 150.0].into(), (180.0, 0.0), 40.0, (120, 100));
    let volume = column([2e-5, 1e-6], true);
    // With a gas, rays cannot share veils. This test adds next to no gas, away from the sides,
    // where gas would thin out.
    let shared = flat(look.clone()).frame(&volume, &camera);
    let mut alone = volume.clone();
    let density = BOX
        .places()
        .map(|place| {
            if place.map(|n| n / 2) == [4, 5, 4] {
                60
            } else {
                0
            }
        })
        .collect();
    alone.media.push(Medium {
        name: "gas".into(),
        look: MaterialLook::from_preset(Preset::Steam),
        density,
    });
    let own = flat(look).frame(&alone, &camera);
    let differences = shared
        .rgb
        .iter()
        .zip(&own.rgb)
        .map(|(a, b)| f64::from(a.abs_diff(*b)));
    let (sum, most) = differences.fold((0.0, 0.0_f64), |(sum, most), d| (sum + d, most.max(d)));
    let mean = sum / shared.rgb.len() as f64;
    assert!(shared != own, "rays are shared");
    assert!(mean < 0.6 && most < 40.0, "mean {mean:.2}, most {most}");
}

#[test]
fn frames_of_a_running_scene_share_gas_over_a_sea_and_see_nearly_the_same() {
    let look = LookSpec {
        sky: SkyPreset::Day,
        air: AirLook {
            detail: 1.0,
            ..AirLook::default()
        },
        ..look()
    };
    let camera = Camera::from_pose([24.0, 34.0, 130.0].into(), (180.0, 8.0), 40.0, (120, 100));
    let mut volume = column([2e-5, 1e-6], true);
    let filled = |held: &dyn Fn([usize; 3]) -> bool| {
        BOX.places()
            .map(|place| if held(place) { 255 } else { 0 })
            .collect()
    };
    let medium = |preset: Preset, density| Medium {
        name: "medium".into(),
        look: MaterialLook::from_preset(preset),
        density,
    };
    volume
        .media
        .push(medium(Preset::Water, filled(&|[_, y, _]| y < 8)));
    volume.media.push(medium(
        Preset::Steam,
        filled(&|[x, y, _]| x > 30 && (10..20).contains(&y)),
    ));
    let mut renderer = flat(look);
    let still = renderer.frame(&volume, &camera);
    // Frame 1024 has the sample positions of frame 0.
    renderer.set_frame(1024);
    let running = renderer.frame(&volume, &camera);
    assert!(still != running, "rays are shared");
    let differences = still
        .rgb
        .iter()
        .zip(&running.rgb)
        .map(|(a, b)| f64::from(a.abs_diff(*b)));
    let mean = differences.sum::<f64>() / still.rgb.len() as f64;
    assert!(mean < 1.0, "mean {mean:.2}");
    renderer.set_frame(0);
    assert!(
        still == renderer.frame(&volume, &camera),
        "pictures for files are those of before"
    );
}

/// Returns the spectrum of the noise in a picture of smoke, and the noise's root mean square in
/// grey levels.
fn noise_of_smoke(antialias: Antialias) -> (Vec<f64>, f64) {
    // Sheets across the view, which long steps meet at a different place in each pixel.
    let mut volume = Volume::empty(BOX);
    volume.air = Some(Arc::new(air(|[_, _, z]| {
        [if (z * 0.25).sin() > 0.0 { 6e-5 } else { 0.0 }, 0.0]
    })));
    let camera = Camera::from_pose([24.0, 40.0, 150.0].into(), (180.0, 0.0), 3.0, (64, 64));
    let mut renderer = flat(LookSpec {
        sky: SkyPreset::Day,
        step: 1.5,
        antialias,
        ..look()
    });
    let mut frame = |n: u64| {
        renderer.set_frame(n);
        renderer.frame(&volume, &camera)
    };
    let first = frame(0);
    let all: Vec<Image> = (0..32).map(frame).collect();
    let even = |x: usize, y: usize| {
        all.iter()
            .map(|image| f32::from(image.pixel(x, y)[1]))
            .sum::<f32>()
            / 32.0
    };
    let left: Vec<f32> = (0..64 * 64)
        .map(|i| f32::from(first.pixel(i % 64, i / 64)[1]) - even(i % 64, i / 64))
        .collect();
    let square = left.iter().map(|v| f64::from(v * v)).sum::<f64>() / left.len() as f64;
    (spectrum(|x, y| left[64 * y + x] + 0.5), square.sqrt())
}

#[test]
fn what_samples_leave_of_noise_in_smoke_is_no_mesh() {
    let (energy, rough) = noise_of_smoke(Antialias::Off);
    assert!(
        rough > 0.3,
        "steps are so long that there is noise: {rough:.2}"
    );
    let strongest = energy.iter().copied().fold(0.0, f64::max) / mean(&energy, 0.5..64.0);
    assert!(
        strongest < 60.0,
        "one wave has {strongest:.0} times the energy of the mean one"
    );
    // Four rays in a pixel divide a step into quarters.
    let (_, fine) = noise_of_smoke(Antialias::Full);
    assert!(
        fine < 0.5 * rough,
        "{fine:.2} levels are left of {rough:.2}"
    );
}

#[test]
fn every_smoke_has_light() {
    for kg_m3 in [[4.0, 0.0], [1e-7, 4.0], [1e-4, 1e-4]] {
        let air = AirLook {
            extinction_m2_kg: 1e5,
            detail: 1.0,
            ..AirLook::default()
        };
        let mut renderer = flat(LookSpec {
            sky: SkyPreset::Day,
            air,
            ..look()
        });
        let image = renderer.frame(&column(kg_m3, true), &before());
        // NaN becomes black, which no pixel is by day.
        assert!(
            image.rgb.chunks_exact(3).all(|pixel| pixel != [0; 3]),
            "{kg_m3:?}"
        );
    }
}

/// Measures the processor time of a frame of a plume of 96³ air cells, with 480 × 360 pixels on one
/// thread: `cargo test -p lavoxel-render -- --ignored --nocapture cost_of_a_plume`.
#[test]
#[ignore = "measures and asserts nothing: cargo test -p lavoxel-render -- --ignored --nocapture cost_of_a_plume"]
#[allow(clippy::print_stdout, reason = "times are what it is for")]
fn cost_of_a_plume() {
    let cells = Grid::new(96, 96, 96);
    let grid = AirGrid {
        cells,
        ratio: RATIO,
        corner: [-72, -72],
        sides: [Side::Open; 3],
    };
    let carried = cells.places().map(|[x, y, z]| {
        let (x, y, z) = (x as f32 - 48.0, y as f32, z as f32 - 48.0);
        let q = super::math::v3(x * 0.11, y * 0.11, z * 0.11);
        let aside =
            (x - 0.003 * y * y).hypot(z) / (5.0 + 0.22 * y) + 0.35 * super::noise::fractal(q, 3);
        let kg_m3 = 6e-4 * (1.0 - aside * aside).max(0.0);
        [((kg_m3 / 4.0).sqrt() * 65535.0) as u16, 0]
    });
    let flow = cells
        .places()
        .map(|[x, y, _]| [(x % 7) as i8 * 9, 40 + (y % 3) as i8, 5, 0])
        .collect();
    let mut volume = column([0.0; 2], true);
    let mut air = AirVolume {
        grid,
        cell_m: 10.0,
        carried: carried.collect(),
        inks: Vec::new(),
        flow,
    };
    let camera = Camera::from_pose([24.0, 90.0, 330.0].into(), (180.0, 0.0), 40.0, (480, 360));
    let look = LookSpec {
        air: AirLook::default(),
        ..look()
    };
    let mut renderer = flat(look);
    renderer.set_steps(77);
    // The first number in this file is the run time of the thread in nanoseconds.
    let ran = || {
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
        text.split(' ')
            .next()
            .and_then(|ns| ns.parse::<f64>().ok())
            .unwrap_or(0.0)
            / 1e6
    };
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .expect("a thread");
    pool.install(|| {
        for round in 0..4 {
            air.carried[0][0] = round;
            volume.air = Some(Arc::new(air.clone()));
            let start = ran();
            renderer.frame(&volume, &camera);
            let (first, start) = (ran() - start, ran());
            let image: image::RgbImage = renderer.frame(&volume, &camera).into();
            println!(
                "{first:.1} ms with another air, {:.1} ms with the same",
                ran() - start
            );
            if let Ok(folder) = std::env::var("PICTURES") {
                image
                    .save(Path::new(&folder).join("cost.png"))
                    .expect("a folder");
            }
        }
    });
}

/// Draws a scene after some steps from several sides and writes the pictures to a folder:
/// `PICTURES=folder cargo test -p lavoxel-render -- --ignored pictures_of_a_plume`. SCENE, STEPS
/// and LOOK (TOML) replace `terrains/plume.toml`, 400 and the scene's look.
#[test]
#[ignore = "draws pictures for a person and asserts nothing: PICTURES=folder cargo test -p lavoxel-render -- --ignored pictures_of_a_plume"]
#[allow(clippy::print_stdout, reason = "times are what it is for")]
fn pictures_of_a_plume() {
    let Ok(folder) = std::env::var("PICTURES") else {
        return;
    };
    let plume = concat!(env!("CARGO_MANIFEST_DIR"), "/../../terrains/plume.toml");
    let path = std::env::var("SCENE").unwrap_or_else(|_| plume.to_owned());
    let steps: u64 = std::env::var("STEPS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(400);
    let scene = Scene::load(Path::new(&path)).expect("a scene");
    let mut simulation = scene
        .build(Box::new(Tiled::default()))
        .expect("a right scene")
        .simulation;
    let start = std::time::Instant::now();
    (0..steps).for_each(|_| simulation.step());
    println!("{steps} steps in {:?}", start.elapsed());
    let mut lowpass = LowPass::new(simulation.world().grid());
    lowpass.refresh(simulation.world());
    let look: LookSpec = std::env::var("LOOK").map_or(scene.spec.look.clone(), |text| {
        toml::from_str(&text).expect("a look")
    });
    let base = CameraSpec {
        target: Some([0.5, 1.0, 0.5]),
        distance: Some(3.0),
        ..scene.spec.camera.clone()
    };
    let views = [
        ("scene", "sky = 'dusk'", scene.spec.camera.clone()),
        ("dusk", "sky = 'dusk'", base.clone()),
        (
            "side",
            "sky = 'dusk'",
            CameraSpec {
                azimuth_deg: base.azimuth_deg + 110.0,
                ..base.clone()
            },
        ),
        ("day", "sky = 'day'", base.clone()),
        ("night", "sky = 'night'", base.clone()),
        (
            "close",
            "sky = 'dusk'",
            CameraSpec {
                target: Some([0.5, 0.95, 0.5]),
                distance: Some(1.1),
                elevation_deg: 4.0,
                ..base
            },
        ),
    ];
    let only = std::env::var("VIEW").ok();
    for (name, sky, camera) in views
        .into_iter()
        .filter(|view| only.as_deref().is_none_or(|only| only == view.0))
    {
        let sky: LookSpec = toml::from_str(sky).expect("a sky");
        let look = LookSpec {
            sky: sky.sky,
            ..look.clone()
        };
        let mut renderer = Renderer::new(
            simulation.world().ground().surface(),
            simulation.world().grid(),
            look,
        )
        .expect("a look");
        renderer.set_steps(simulation.steps());
        let camera = Camera::new(&camera, &renderer.subject(), (960, 640));
        renderer.frame(lowpass.volume(), &camera);
        let start = std::time::Instant::now();
        let image: image::RgbImage = renderer.frame(lowpass.volume(), &camera).into();
        println!("{name}: {:?}", start.elapsed());
        image
            .save(Path::new(&folder).join(format!("{name}.png")))
            .expect("a folder");
    }
}
