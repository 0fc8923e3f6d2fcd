//! Tests of pictures with several media: lava, water and oil.

use ndarray::Array2;

use super::math::v3;
use super::{Camera, CameraSpec, Image, LookSpec, Renderer, SkyPreset, Style, noise};
use crate::volume::places::Skipping;
use lavoxel_automaton::matter::Material;
use lavoxel_automaton::world::{Edit, Ground, Matter, Shape, World};
use lavoxel_base::grid::{Grid, Place};
use lavoxel_base::random::mix64;
use lavoxel_base::simd::Level;
use lavoxel_base::units::{AMOUNT_ONE, ENERGY_ONE};
use lavoxel_sim::lowpass::{LowPass, Volume};

/// Returns a test world: a bowl with a lake up to `level` (cells), an island, and a tongue of lava
/// that flows into the lake.
fn lake(side: usize, level: f32) -> World {
    let grid = Grid::new(side, side / 2, side);
    let scale = side as f32 / 128.0;
    let height = |x: f32, z: f32| {
        let (x, z) = (x / scale, z / scale);
        let away = (x - 58.0).hypot(z - 70.0);
        let island = 15.0 * (-((x - 46.0).powi(2) + (z - 84.0).powi(2)) / 90.0).exp();
        let bowl =
            9.0 + 0.0052 * away * away + island + 4.0 * noise::fractal(v3(x, 3.0, z) * 0.045, 4);
        scale * bowl.clamp(2.0, 52.0)
    };
    let surface = Array2::from_shape_fn((side, side), |(z, x)| {
        height(x as f32 + 0.5, z as f32 + 0.5)
    });
    let mut world = World::with_materials(
        Ground::from_surface(grid.ny, surface),
        vec![Material::water()],
    );
    let path = |t: f32| (114.0 - 46.0 * t + 9.0 * (5.0 * t).sin(), 18.0 + 34.0 * t);
    for z in 0..side {
        for x in 0..side {
            let (px, pz) = ((x as f32 + 0.5) / scale, (z as f32 + 0.5) / scale);
            let near = (0..200)
                .map(|i| path(i as f32 / 199.0))
                .map(|(a, b)| (a - px).hypot(b - pz));
            let thick = scale * (4.5 - near.fold(f32::MAX, f32::min)).clamp(0.0, 3.5);
            let top = world.ground().top(x, z);
            for y in top..grid.ny {
                let amount = (thick - (y - top) as f32).clamp(0.0, 1.0);
                let units = (amount * f32::from(AMOUNT_ONE)) as u16;
                if units > 0 {
                    world.place(
                        [x, y, z],
                        units,
                        (f32::from(ENERGY_ONE) * amount * 1.05) as u16,
                    );
                }
                let wet = ((level * scale - y as f32).clamp(0.0, 1.0) - amount).max(0.0);
                world.pour(1, [x, y, z], (wet * f32::from(AMOUNT_ONE)) as u16, 0);
            }
        }
    }
    world
}

/// Returns looks of all styles, each once for the whole simulation box and once clipped.
fn looks() -> impl Iterator<Item = LookSpec> {
    let clips = [
        LookSpec::default().clip,
        [[0.0, 0.62], [0.1, 0.5], [0.2, 1.0]],
    ];
    let styles = [
        Style::Cinematic,
        Style::Scientific,
        Style::Surface,
        Style::Maximum,
    ];
    styles.into_iter().flat_map(move |style| {
        clips.map(|clip| LookSpec {
            style,
            clip,
            sky: SkyPreset::Day,
            step: 0.7,
            ..LookSpec::default()
        })
    })
}

fn filtered(world: &World) -> Volume {
    LowPass::new(world.grid()).refresh(world).clone()
}

fn renderer(world: &World) -> Renderer {
    Renderer::new(world.ground().surface(), world.grid(), LookSpec::default())
        .expect("a valid look")
}

/// Returns cameras above the lake, close to its shore, and below its surface.
fn cameras(renderer: &Renderer) -> [Camera; 3] {
    let near = CameraSpec {
        elevation_deg: 14.0,
        distance: Some(0.4),
        ..CameraSpec::default()
    };
    let orbit = |spec: &CameraSpec| Camera::new(spec, &renderer.subject(), (64, 48));
    let under = Camera::from_pose([20.0, 5.6, 22.0].into(), (40.0, 20.0), 80.0, (50, 41));
    [orbit(&CameraSpec::default()), orbit(&near), under]
}

#[test]
fn a_medium_of_which_there_is_nothing_changes_no_byte() {
    let world = lake(40, 0.0);
    let mut volume = filtered(&world);
    assert!(
        volume.media[0].density.is_empty(),
        "a layer without matter takes no memory"
    );
    let mut renderer = renderer(&world);
    for look in looks() {
        renderer.set_look(look).expect("a valid look");
        for camera in cameras(&renderer) {
            volume.media[0].density = Vec::new();
            let absent = renderer.frame(&volume, &camera);
            volume.media[0].density = vec![0; volume.grid.cells()];
            let empty = renderer.frame(&volume, &camera);
            let alone = Volume {
                media: Vec::new(),
                ..volume.clone()
            };
            let alone = renderer.frame(&alone, &camera);
            assert!(absent == alone && empty == alone);
        }
    }
}

#[test]
fn skipping_and_instruction_sets_change_no_byte_of_a_lake() {
    let world = lake(40, 22.0);
    let volume = filtered(&world);
    let mut renderer = renderer(&world);
    for look in looks() {
        renderer.set_look(look.clone()).expect("a valid look");
        for camera in cameras(&renderer) {
            renderer.level = Level::Portable;
            let whole = renderer.draw(&volume, &camera, Skipping::Never);
            for &level in Level::available() {
                renderer.level = level;
                let fast = renderer.draw(&volume, &camera, Skipping::Bricks);
                assert!(fast == whole, "{level:?}, {look:?}");
            }
        }
    }
}

#[test]
fn a_frame_after_changes_is_the_frame_of_a_fresh_renderer() {
    let mut world = lake(40, 20.0);
    let grid = world.grid();
    let mut lowpass = LowPass::new(grid);
    for style in [Style::Cinematic, Style::Scientific, Style::Maximum] {
        let mut kept = renderer(&world);
        kept.set_look(LookSpec {
            style,
            ..LookSpec::default()
        })
        .expect("a valid look");
        let camera = cameras(&kept)[0].clone();
        for turn in 0..6_u64 {
            for i in 0..40 {
                let die = |k: u64, n: usize| (mix64(turn << 20 | i << 8 | k) % n as u64) as usize;
                let [x, z] = [die(0, grid.nx), die(1, grid.nz)];
                let y = (world.ground().top(x, z) + die(2, 3)).min(grid.ny - 1);
                let center = [x as f64, y as f64, z as f64];
                let matter = match die(3, 4) {
                    0 => Matter::Drain,
                    1 => Matter::Lava {
                        amount: 0.9,
                        energy: 1.0,
                        temperature_k: None,
                    },
                    _ => Matter::Material {
                        name: "water".into(),
                        amount: 0.1 + 0.3 * die(4, 4) as f64,
                    },
                };
                world.edit(&Edit {
                    shape: Shape::Sphere {
                        center,
                        radius: 1.6,
                    },
                    matter,
                });
            }
            lowpass.refresh(&world);
            assert!(*lowpass.volume() == filtered(&world), "turn {turn}");
            let fresh = renderer_like(&kept, &world).frame(lowpass.volume(), &camera);
            assert!(
                kept.frame_of(&mut lowpass, &camera) == fresh,
                "turn {turn} of {style:?}"
            );
            assert!(
                kept.frame_of(&mut lowpass, &camera) == fresh,
                "the same frame again"
            );
        }
    }
}

fn renderer_like(other: &Renderer, world: &World) -> Renderer {
    let mut renderer = renderer(world);
    renderer
        .set_look(other.look().clone())
        .expect("a valid look");
    renderer
}

#[test]
fn a_level_lake_has_a_level_surface_up_to_its_shore() {
    let world = lake(64, 20.0);
    let volume = filtered(&world);
    let (grid, water) = (world.grid(), &volume.media[0].density);
    // Depth of 20 · 64 / 128 cells over the floor.
    let at = |place: Place| i32::from(water[grid.index(place)]);
    let mut shore = 0;
    for (z, x) in (4..60).flat_map(|z| (4..60).map(move |x| (z, x))) {
        let wet = world.layers()[1].at([x, 9, z]).amount > 0;
        if wet && volume.density[grid.index([x, 9, z])] == 0 {
            assert!(
                (at([x, 9, z]) - 191).abs() <= 26 && (at([x, 10, z]) - 64).abs() <= 26,
                "{x}, {z}"
            );
            shore += usize::from(world.ground().is_solid([x + 1, 9, z]));
        }
    }
    assert!(shore > 10, "the lake has a shore");
}

/// Returns a test world with flat ground and the amount `amount` of water in each cell of `cells`.
fn dripping(cells: &[Place], amount: f32) -> World {
    let grid = Grid::new(24, 30, 24);
    let ground = Ground::from_surface(grid.ny, Array2::from_elem((grid.nz, grid.nx), 2.0));
    let mut world = World::with_materials(ground, vec![Material::water()]);
    cells
        .iter()
        .for_each(|&cell| world.pour(1, cell, (amount * f32::from(AMOUNT_ONE)) as u16, 0));
    world
}

#[test]
fn streams_and_drops_are_seen_in_every_style() {
    let column = |wide: usize| {
        (6..26).flat_map(move |y| (0..wide * wide).map(move |k| [11 + k % wide, y, 11 + k / wide]))
    };
    let drops: Vec<Place> = (6..26).step_by(4).map(|y| [11, y, 11]).collect();
    let all = [
        ("a stream", column(2).collect::<Vec<_>>()),
        ("a thread", column(1).collect()),
        ("drops", drops),
    ];
    let cases = all
        .iter()
        .flat_map(|thin| [1.0, 0.5, 0.1].map(|amount| (thin, amount)));
    for ((name, cells), amount) in cases {
        let (world, nothing) = (dripping(cells, amount), dripping(&[], 0.0));
        for style in [
            Style::Cinematic,
            Style::Scientific,
            Style::Surface,
            Style::Maximum,
        ] {
            let look = LookSpec {
                style,
                sky: SkyPreset::Day,
                ..LookSpec::default()
            };
            let mut renderer =
                Renderer::new(world.ground().surface(), world.grid(), look).expect("a valid look");
            let spec = CameraSpec {
                elevation_deg: 12.0,
                ..CameraSpec::default()
            };
            let camera = Camera::new(
                &spec,
                &renderer
                    .subject()
                    .holding(&[[[11.0, 6.0, 11.0], [13.0, 26.0, 13.0]]]),
                (240, 240),
            );
            let [empty, wet] =
                [&nothing, &world].map(|world| renderer.frame(&filtered(world), &camera));
            for &[x, y, z] in cells {
                let middle = [x as f32 + 0.5, y as f32 + 0.5, z as f32 + 0.5];
                let (px, py, _) = camera
                    .project(middle.into())
                    .expect("in front of the camera");
                let near = |v: f32| v as usize - 1..=v as usize + 1;
                let changed =
                    near(py).any(|py| near(px).any(|px| empty.pixel(px, py) != wet.pixel(px, py)));
                assert!(changed, "{name} of {amount} at {y} in {style:?}");
            }
        }
    }
}

#[test]
fn drops_are_bright_and_have_no_dark_rim() {
    let drops: Vec<Place> = (6..26)
        .step_by(4)
        .flat_map(|y| [[11, y, 11], [12, y, 11], [11, y + 1, 11]])
        .collect();
    let (world, nothing) = (dripping(&drops, 1.0), dripping(&[], 0.0));
    let mut renderer = renderer(&world);
    let spec = CameraSpec {
        azimuth_deg: 70.0,
        elevation_deg: 6.0,
        ..CameraSpec::default()
    };
    let subject = renderer
        .subject()
        .holding(&[[[11.0, 6.0, 11.0], [13.0, 26.0, 13.0]]]);
    let camera = Camera::new(&spec, &subject, (300, 300));
    let [empty, wet] = [&nothing, &world].map(|world| renderer.frame(&filtered(world), &camera));
    let light = |rgb: &[u8]| rgb.iter().map(|&c| i32::from(c)).sum::<i32>() / 3;
    // Upper rows, above the ground.
    let rows = 3 * 300 * 200;
    let changes: Vec<i32> = empty.rgb[..rows]
        .chunks(3)
        .zip(wet.rgb[..rows].chunks(3))
        .map(|(a, b)| light(b) - light(a))
        .collect();
    let (dark, bright) = (changes.iter().min(), changes.iter().max());
    assert!(
        dark > Some(&-16),
        "a drop is {dark:?} levels darker than what is behind it"
    );
    assert!(bright > Some(&8), "{bright:?}");
}

#[test]
fn a_film_of_oil_colours_the_water_under_it() {
    let grid = Grid::new(24, 30, 24);
    let ground = Ground::from_surface(grid.ny, Array2::from_elem((grid.nz, grid.nx), 2.0));
    let picture = |film: f32| {
        let mut world =
            World::with_materials(ground.clone(), vec![Material::oil(), Material::water()]);
        for (x, z) in (0..24).flat_map(|z| (0..24).map(move |x| (x, z))) {
            (2..6).for_each(|y| world.pour(1, [x, y, z], AMOUNT_ONE, 0));
            world.pour(2, [x, 6, z], (film * f32::from(AMOUNT_ONE)) as u16, 0);
        }
        let look = LookSpec {
            sky: SkyPreset::Day,
            ..LookSpec::default()
        };
        let mut renderer =
            Renderer::new(world.ground().surface(), grid, look).expect("a valid look");
        let spec = CameraSpec {
            elevation_deg: 80.0,
            ..CameraSpec::default()
        };
        let camera = Camera::new(&spec, &renderer.subject(), (64, 64));
        let image = renderer.frame(&filtered(&world), &camera);
        let sum = |channel: usize| {
            let pixels = (24..40).flat_map(|y| (24..40).map(move |x| (x, y)));
            pixels
                .map(|(x, y)| f32::from(image.pixel(x, y)[channel]))
                .sum::<f32>()
        };
        sum(2) / sum(0)
    };
    let blue = [0.0, 0.1, 0.2, 0.4].map(picture);
    assert!(
        blue.windows(2).all(|pair| pair[1] < 0.99 * pair[0]),
        "blue beside red under thicker films: {blue:?}"
    );
}

#[test]
fn a_still_pool_is_the_low_pass_of_its_amounts() {
    for top in [0.1_f32, 0.5, 0.9] {
        let pool = (0..24).flat_map(|z| (0..24).flat_map(move |x| (2..10).map(move |y| [x, y, z])));
        let mut world = dripping(&pool.collect::<Vec<_>>(), 1.0);
        (0..576).for_each(|k| {
            world.pour(
                1,
                [k % 24, 10, k / 24],
                (top * f32::from(AMOUNT_ONE)) as u16,
                0,
            )
        });
        let volume = filtered(&world);
        for (x, z) in [(0, 0), (12, 12), (23, 5)] {
            let at = |y: usize| i32::from(volume.media[0].density[world.grid().index([x, y, z])]);
            let expected =
                [3.0 + top, 1.0 + 2.0 * top, top].map(|quarters| (quarters * 63.75).round() as i32);
            let found = [at(9), at(10), at(11)];
            assert!(
                found.iter().zip(expected).all(|(a, b)| (a - b).abs() <= 1),
                "{found:?} instead of {expected:?}"
            );
        }
    }
}

#[test]
fn lava_lights_the_water_beside_it() {
    let side = 64;
    let mut volume = filtered(&lake(side, 22.0));
    // The liquid is so dark that no light from the bed is visible.
    volume.media[0].look.depth = 100.0;
    let mut renderer = renderer(&lake(side, 22.0));
    let spec = CameraSpec {
        elevation_deg: 80.0,
        ..CameraSpec::default()
    };
    let camera = Camera::new(&spec, &renderer.subject(), (320, 320));
    let mut picture = |lava_light: f32| {
        let look = LookSpec {
            sky: SkyPreset::Night,
            lava_light,
            glow: 0.0,
            haze: 0.0,
            ..LookSpec::default()
        };
        renderer.set_look(look).expect("a valid look");
        renderer.frame(&volume, &camera)
    };
    let (dark, lit) = (picture(0.0), picture(1.0));
    let (grid, water) = (volume.grid, &volume.media[0].density);
    let is_lava =
        |x: usize, z: usize| (0..grid.ny).any(|y| volume.density[grid.index([x, y, z])] > 0);
    let lava: Vec<_> = (0..side * side)
        .filter(|k| is_lava(k % side, k / side))
        .collect();
    let mut change = [(0, 0), (0, 0)];
    for (x, z) in (1..side - 1).flat_map(|z| (1..side - 1).map(move |x| (x, z))) {
        let away = |k: &usize| (k % side).abs_diff(x).max((k / side).abs_diff(z));
        let away = lava.iter().map(away).min().expect("there is lava");
        // The surface lies 22 · 64 / 128 cells above the floor.
        let wet = water[grid.index([x, 9, z])] == 255 && !is_lava(x, z);
        let Some((px, py, _)) = camera
            .project([x as f32 + 0.5, 11.0, z as f32 + 0.5].into())
            .filter(|_| wet)
        else {
            continue;
        };
        let red = |image: &Image| i32::from(image.pixel(px as usize, py as usize)[0]);
        let sum = if away <= 4 {
            &mut change[0]
        } else {
            &mut change[1]
        };
        if away <= 4 || away > 16 {
            *sum = (sum.0 + red(&lit) - red(&dark), sum.1 + 1);
        }
    }
    let [near, far] = change.map(|(sum, count)| sum as f32 / count as f32);
    assert!(
        near > 4.0 && near > 3.0 * far,
        "red rises by {near} beside the lava, by {far} far from it: {change:?}"
    );
    assert!(change.iter().all(|(_, count)| *count > 20), "{change:?}");
}
