//! Tests of the looks of materials other than water.

use std::sync::Arc;

use ndarray::Array2;

use super::{
    Camera, CameraSpec, Image, LookSpec, MaterialLook, Preset, Renderer, SkyPreset, Style,
};
use crate::volume::places::Skipping;
use lavoxel_automaton::matter::Material;
use lavoxel_automaton::world::{Edit, Ground, Matter, Shape, World};
use lavoxel_base::grid::Grid;
use lavoxel_base::random::mix64;
use lavoxel_base::simd::Level;
use lavoxel_sim::lowpass::{CrustMap, LowPass, Medium, Volume};

const SIDE: usize = 40;

fn name(preset: Preset) -> String {
    format!("{preset:?}").to_lowercase()
}

/// Returns one material per preset; the solid ones are heavier than water.
fn materials() -> Vec<Material> {
    let order = [
        Preset::Ice,
        Preset::Sand,
        Preset::Ash,
        Preset::Rubble,
        Preset::Water,
        Preset::Steam,
    ];
    let material = |(k, preset): (usize, Preset)| Material {
        name: name(preset),
        density: 2000.0 - 300.0 * k as f64,
        look: MaterialLook::from_preset(preset),
        ..Material::water()
    };
    order.into_iter().enumerate().map(material).collect()
}

/// Fills those cells of a ball that have space with the material named `what`; `center` and
/// `radius` in cells.
fn add_ball(world: &mut World, what: &str, center: [f64; 3], radius: f64) {
    let matter = match what {
        "lava" => Matter::Lava {
            amount: 1.0,
            energy: 1.2,
            temperature_k: None,
        },
        name => Matter::Material {
            name: name.into(),
            amount: 1.0,
        },
    };
    world.edit(&Edit {
        shape: Shape::Sphere { center, radius },
        matter,
    });
}

/// Returns a test world: a valley with a lake, balls of all materials, and lava below steam.
fn valley() -> World {
    let surface = Array2::from_shape_fn((SIDE, SIDE), |(z, x)| {
        let (x, z) = (x as f32 - 20.0, z as f32 - 18.0);
        3.0 + 0.02 * (x * x + 0.5 * z * z)
    });
    let mut world = World::with_materials(Ground::from_surface(30, surface), materials());
    add_ball(&mut world, "lava", [10.0, 8.0, 26.0], 4.0);
    add_ball(&mut world, "sand", [20.0, 6.0, 30.0], 5.0);
    add_ball(&mut world, "ash", [30.0, 8.0, 24.0], 4.0);
    add_ball(&mut world, "ice", [28.0, 8.0, 10.0], 4.5);
    add_ball(&mut world, "rubble", [11.0, 7.0, 14.0], 4.5);
    let water = Matter::Material {
        name: "water".into(),
        amount: 1.0,
    };
    world.edit(&Edit {
        shape: Shape::Below { level: 8.0 },
        matter: water,
    });
    add_ball(&mut world, "steam", [11.0, 16.0, 25.0], 5.5);
    add_ball(&mut world, "steam", [24.0, 22.0, 18.0], 3.5);
    world
}

fn filtered(world: &World) -> Volume {
    LowPass::new(world.grid()).refresh(world).clone()
}

fn renderer(world: &World, look: LookSpec) -> Renderer {
    Renderer::new(world.ground().surface(), world.grid(), look).expect("a valid look")
}

fn look(style: Style) -> LookSpec {
    LookSpec {
        style,
        sky: SkyPreset::Day,
        step: 0.7,
        ..LookSpec::default()
    }
}

const STYLES: [Style; 4] = [
    Style::Cinematic,
    Style::Scientific,
    Style::Surface,
    Style::Maximum,
];

/// Returns cameras above the valley, and inside a cloud.
fn cameras(renderer: &Renderer) -> [Camera; 2] {
    let inside = Camera::from_pose([11.0, 17.0, 27.0].into(), (40.0, 10.0), 80.0, (50, 41));
    [
        Camera::new(&CameraSpec::default(), &renderer.subject(), (64, 48)),
        inside,
    ]
}

#[test]
fn skipping_and_instruction_sets_change_no_byte_of_any_material() {
    let world = valley();
    let volume = filtered(&world);
    for style in STYLES {
        for clip in [
            LookSpec::default().clip,
            [[0.0, 0.62], [0.1, 0.6], [0.2, 1.0]],
        ] {
            let mut renderer = renderer(
                &world,
                LookSpec {
                    clip,
                    ..look(style)
                },
            );
            for camera in cameras(&renderer) {
                renderer.level = Level::Portable;
                let whole = renderer.draw(&volume, &camera, Skipping::Never);
                for &level in Level::available() {
                    renderer.level = level;
                    assert!(
                        renderer.draw(&volume, &camera, Skipping::Bricks) == whole,
                        "{level:?}, {style:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_material_of_which_there_is_nothing_changes_no_byte() {
    let world = valley();
    let whole = filtered(&world);
    for style in STYLES {
        let mut renderer = renderer(&world, look(style));
        let camera = cameras(&renderer)[0].clone();
        for k in 0..whole.media.len() {
            let with = |density: Vec<u8>| {
                let mut volume = whole.clone();
                volume.media[k].density = density;
                volume
            };
            let absent = renderer.frame(&with(Vec::new()), &camera);
            let seen = renderer.frame(&whole, &camera) != absent;
            assert!(seen, "{} is seen in style {style:?}", whole.media[k].name);
            let empty = renderer.frame(&with(vec![0; whole.grid.cells()]), &camera);
            assert!(
                absent == empty,
                "{} in style {style:?}",
                whole.media[k].name
            );
        }
    }
}

#[test]
fn a_frame_after_changes_is_the_frame_of_a_fresh_renderer() {
    let mut world = valley();
    let mut lowpass = LowPass::new(world.grid());
    let names = [
        "sand", "ash", "ice", "rubble", "water", "steam", "steam", "lava",
    ];
    for style in [Style::Cinematic, Style::Scientific] {
        let mut kept = renderer(&world, look(style));
        let camera = cameras(&kept)[0].clone();
        for turn in 0..6_u64 {
            for i in 0..6 {
                let die = |k: u64, n: u64| mix64(turn << 20 | i << 8 | k) % n;
                let center = [
                    die(0, 40) as f64,
                    5.0 + die(1, 20) as f64,
                    die(2, 40) as f64,
                ];
                let shape = Shape::Sphere {
                    center,
                    radius: 2.0,
                };
                if die(3, 3) == 0 {
                    world.edit(&Edit {
                        shape,
                        matter: Matter::Drain,
                    });
                } else {
                    add_ball(&mut world, names[die(4, 8) as usize], center, 2.0);
                }
            }
            lowpass.refresh(&world);
            let fresh = renderer(&world, look(style)).frame(lowpass.volume(), &camera);
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

/// Returns the mean of a colour channel (0 to 255) over a rectangle of a picture; `x` and `y`:
/// bounds as fractions of the width and height.
fn channel(image: &Image, channel: usize, [x, y]: [[f32; 2]; 2]) -> f64 {
    let part =
        |[low, high]: [f32; 2], n: usize| (low * n as f32) as usize..(high * n as f32) as usize;
    let columns = part(x, image.width);
    let rows = part(y, image.height);
    let (mut sum, count) = (0.0, (columns.len() * rows.len()) as f64);
    for y in rows {
        for x in columns.clone() {
            sum += f64::from(image.pixel(x, y)[channel]);
        }
    }
    sum / count
}

/// Returns a test volume with a cloud of uniform density over flat ground, between the heights
/// `from` and `to` (cells). If `lava` is true, lava lies below the middle half of the cloud.
fn cloud(density: f32, [from, to]: [usize; 2], lava: bool) -> Volume {
    let grid = Grid::new(48, 40, 48);
    let mut volume = Volume::empty(grid);
    let middle = |n: usize| (12..36).contains(&n);
    let within = |[x, y, z]: [usize; 3]| middle(x) && middle(z) && (from..to).contains(&y);
    if lava {
        for (i, [x, y, z]) in grid.places().enumerate() {
            if middle(x) && middle(z) && y < 3 {
                (volume.density[i], volume.energy[i]) = (255, 160);
            }
        }
    }
    let amount = (density * 255.0) as u8;
    volume.media.push(Medium {
        name: "steam".into(),
        look: MaterialLook {
            waves: 0.0,
            ..MaterialLook::from_preset(Preset::Steam)
        },
        density: grid
            .places()
            .map(|place| if within(place) { amount } else { 0 })
            .collect(),
    });
    volume
}

fn flat(look: LookSpec) -> Renderer {
    Renderer::new(&Array2::zeros((48, 48)), Grid::new(48, 40, 48), look).expect("a valid look")
}

#[test]
fn more_steam_hides_more() {
    let mut renderer = flat(LookSpec {
        haze: 0.0,
        glow: 0.0,
        ..look(Style::Cinematic)
    });
    let camera = Camera::from_pose([24.0, 26.0, 90.0].into(), (180.0, 0.0), 40.0, (48, 32));
    let mut hidden = |density: f32| {
        let volume = cloud(density, [8, 38], false);
        let image = renderer.frame(&volume, &camera);
        let cover = renderer.coverage(&volume, &camera, &image);
        cover.iter().map(|&c| f64::from(c)).sum::<f64>() / cover.len() as f64
    };
    let covers = [0.0, 0.05, 0.15, 0.3, 0.6, 1.0].map(&mut hidden);
    assert!(covers.is_sorted_by(|a, b| a + 0.5 < *b), "{covers:?}");
    assert!(covers[5] - covers[0] > 60.0, "{covers:?}");
}

#[test]
fn steam_thins_out_towards_the_sides_of_its_box() {
    let mut renderer = flat(LookSpec {
        haze: 0.0,
        glow: 0.0,
        ..look(Style::Cinematic)
    });
    let camera = Camera::from_pose([24.0, 26.0, 110.0].into(), (180.0, 0.0), 34.0, (160, 100));
    let mut volume = cloud(0.8, [8, 40], false);
    let grid = volume.grid;
    volume.media[0].density = grid
        .places()
        .map(|[_, y, _]| if y < 8 { 0 } else { 204 })
        .collect();
    let image = renderer.frame(&volume, &camera);
    let cover = renderer.coverage(&volume, &camera, &image);
    let opaque = cover.iter().copied().max().unwrap_or_default();
    assert!(opaque > 200, "{opaque}");
    for y in [20, 30, 40] {
        let steep = cover[160 * y..][..160]
            .windows(2)
            .map(|pair| pair[0].abs_diff(pair[1]))
            .max();
        assert!(
            steep < Some(90),
            "row {y}: steam ends as if cut, with a step of {steep:?} of 255"
        );
    }
}

#[test]
fn the_side_of_a_cloud_away_from_the_sun_is_grey() {
    let day = LookSpec {
        sky: SkyPreset::Day,
        haze: 0.0,
        glow: 0.0,
        sun_elevation_deg: Some(25.0),
        ..look(Style::Cinematic)
    };
    // Sun from behind the camera, and from behind the cloud.
    let light = |sun_azimuth_deg: f32| {
        let mut renderer = flat(LookSpec {
            sun_azimuth_deg,
            ..day.clone()
        });
        let camera = Camera::from_pose([24.0, 22.0, 110.0].into(), (180.0, 0.0), 30.0, (60, 60));
        channel(
            &renderer.frame(&cloud(1.0, [6, 36], false), &camera),
            1,
            [[0.45, 0.55], [0.45, 0.55]],
        )
    };
    let (lit, shaded) = (light(180.0), light(0.0));
    assert!(shaded > 0.62 * lit, "{shaded:.0} of {lit:.0}");
}

#[test]
fn lava_lights_steam_from_below() {
    let night = LookSpec {
        sky: SkyPreset::Night,
        haze: 0.0,
        glow: 0.0,
        ..look(Style::Cinematic)
    };
    let mut renderer = flat(night);
    let camera = Camera::from_pose([24.0, 22.0, 110.0].into(), (180.0, 0.0), 30.0, (60, 60));
    let volume = cloud(0.8, [6, 36], true);
    let image = renderer.frame(&volume, &camera);
    // The cloud spans y from 6 to 36 in the middle of the picture.
    let (column, low, high) = ([0.42, 0.58], [0.55, 0.66], [0.28, 0.4]);
    let redness =
        |rows: [f32; 2]| channel(&image, 0, [column, rows]) - channel(&image, 2, [column, rows]);
    assert!(
        redness(low) > redness(high) + 20.0,
        "{} below, {} above",
        redness(low),
        redness(high)
    );
    let dark = cloud(0.8, [6, 36], false);
    let unlit = renderer.frame(&dark, &camera);
    assert!(channel(&image, 0, [column, low]) > channel(&unlit, 0, [column, low]) + 20.0);
}

#[test]
fn steam_throws_a_soft_shadow() {
    let day = LookSpec {
        haze: 0.0,
        sun_elevation_deg: Some(80.0),
        ..look(Style::Cinematic)
    };
    let mut renderer = flat(day);
    // View from below the cloud.
    let camera = Camera::from_pose([24.0, 8.0, 44.0].into(), (180.0, 30.0), 30.0, (40, 30));
    let mut light = |density: f32| {
        channel(
            &renderer.frame(&cloud(density, [24, 38], false), &camera),
            1,
            [[0.0, 1.0]; 2],
        )
    };
    let (clear, thin, thick) = (light(0.0), light(0.1), light(1.0));
    assert!(
        clear > thin + 2.0 && thin > thick + 5.0,
        "{clear}, {thin}, {thick}"
    );
}

#[test]
fn every_pixel_of_every_look_has_light() {
    let world = valley();
    let mut volume = filtered(&world);
    for medium in &mut volume.media {
        // Extremes that a scene may ask for.
        (medium.look.depth, medium.look.waves) = (100.0, 10.0);
    }
    for (volume, name) in [(&filtered(&world), "usual"), (&volume, "extreme")] {
        let mut renderer = renderer(&world, look(Style::Cinematic));
        for camera in cameras(&renderer) {
            let image = renderer.frame(volume, &camera);
            // NaN becomes black, which no pixel is by day.
            let black = image
                .rgb
                .chunks_exact(3)
                .filter(|pixel| pixel.iter().all(|&c| c == 0))
                .count();
            assert_eq!(black, 0, "{name}");
        }
    }
}

#[test]
fn water_before_sand_darkens_it_and_takes_its_red() {
    let surface = Array2::from_elem((SIDE, SIDE), 2.0);
    let mut world = World::with_materials(Ground::from_surface(30, surface), materials());
    world.edit(&Edit {
        shape: Shape::Below { level: 5.0 },
        matter: Matter::Material {
            name: "sand".into(),
            amount: 1.0,
        },
    });
    let mut renderer = renderer(
        &world,
        LookSpec {
            haze: 0.0,
            ..look(Style::Cinematic)
        },
    );
    let camera = Camera::from_pose([20.0, 40.0, 24.0].into(), (0.0, 80.0), 20.0, (40, 40));
    let dry = renderer.frame(&filtered(&world), &camera);
    world.edit(&Edit {
        shape: Shape::Below { level: 11.0 },
        matter: Matter::Material {
            name: "water".into(),
            amount: 1.0,
        },
    });
    let wet = renderer.frame(&filtered(&world), &camera);
    let [before, after] =
        [&dry, &wet].map(|image| [0, 2].map(|c| channel(image, c, [[0.2, 0.8]; 2])));
    assert!(
        after[0] < 0.6 * before[0],
        "red goes from {} to {}",
        before[0],
        after[0]
    );
    assert!(
        after[1] / before[1] > 1.5 * after[0] / before[0],
        "blue stays longer: {before:?}, {after:?}"
    );
}

/// Returns a test volume with lava of a constant temperature, under a crust with the surface
/// temperatures `kelvin` in the west and in the east.
fn crusted(kelvin: Option<[f32; 2]>) -> Volume {
    let grid = Grid::new(SIDE, 12, SIDE);
    let mut volume = Volume::empty(grid);
    for (i, [_, y, _]) in grid.places().enumerate() {
        if y < 4 {
            (volume.density[i], volume.energy[i]) = (255, 120);
        }
    }
    let of_column = |[west, east]: [f32; 2]| {
        let columns = (0..grid.columns()).map(|k| if k % SIDE < SIDE / 2 { west } else { east });
        Arc::new(CrustMap {
            kelvin: columns.collect(),
        })
    };
    volume.crust = kelvin.map(of_column);
    volume
}

#[test]
fn old_crust_is_darker_than_young_and_than_the_lava_under_it() {
    for sky in [SkyPreset::Dusk, SkyPreset::Day, SkyPreset::Night] {
        let look = LookSpec {
            sky,
            kelvin: Some([300.0, 1360.0]),
            haze: 0.0,
            ..LookSpec::default()
        };
        let grid = crusted(None).grid;
        let mut renderer =
            Renderer::new(&Array2::zeros((SIDE, SIDE)), grid, look).expect("a valid look");
        let camera = Camera::from_pose([20.0, 40.0, 60.0].into(), (180.0, 50.0), 30.0, (120, 80));
        let mut halves = |kelvin: Option<[f32; 2]>| {
            let image = renderer.frame(&crusted(kelvin), &camera);
            let mean = |columns: std::ops::Range<usize>| {
                let places = (20..60).flat_map(|y| columns.clone().map(move |x| (x, y)));
                let values = places
                    .map(|(x, y)| image.pixel(x, y).iter().map(|&c| f64::from(c)).sum::<f64>());
                values.sum::<f64>() / (3 * 40 * columns.len()) as f64
            };
            [mean(15..50), mean(70..105)]
        };
        let mut last = f64::MAX;
        for kelvin in [1250.0, 1050.0, 850.0, 650.0, 450.0] {
            let [west, east] = halves(Some([kelvin, 450.0]));
            assert!(west < last, "{sky:?}: {west} at {kelvin} K, {last} before");
            assert!(
                west >= east - 1.0,
                "{sky:?}, {kelvin} K: {west} in the west, {east} in the east"
            );
            last = west;
        }
        let [young, old] = halves(Some([1150.0, 550.0]));
        assert!(young > 1.25 * old, "{sky:?}: young {young}, old {old}");
        let [unknown, other] = halves(None);
        assert!(
            (unknown - other).abs() < 0.3 * unknown,
            "the same lava on both sides: {unknown} and {other}"
        );
    }
}

#[test]
fn oblong_cells_have_the_sky_the_haze_and_the_mirrors_of_cubes() {
    // Water over flat ground in front of the sky, with cells of half the height and with cubes.
    let picture = |tall: f32| {
        let up = |height: f32| height / tall;
        let grid = Grid::new(SIDE, up(24.0) as usize, SIDE);
        let mut volume = Volume::empty(grid);
        let density = grid
            .places()
            .map(|[_, y, _]| if (y as f32) < up(4.0) { 255 } else { 0 })
            .collect();
        volume.media.push(Medium {
            name: "water".into(),
            look: MaterialLook::from_preset(Preset::Water),
            density,
        });
        let look = LookSpec {
            sky: SkyPreset::Day,
            cell_height: tall,
            haze: 2.0,
            glow: 0.0,
            ..LookSpec::default()
        };
        let mut renderer = Renderer::new(&Array2::from_elem((SIDE, SIDE), up(2.0)), grid, look)
            .expect("a valid look");
        let eye = [20.0, up(30.0), 95.0].into();
        renderer.frame(
            &volume,
            &Camera::from_pose_over((eye, tall), (180.0, 14.0), 50.0, (80, 60)),
        )
    };
    let (cubes, oblong) = (picture(1.0), picture(0.5));
    let differences = cubes
        .rgb
        .iter()
        .zip(&oblong.rgb)
        .map(|(a, b)| f64::from(a.abs_diff(*b)));
    let mean = differences.sum::<f64>() / cubes.rgb.len() as f64;
    assert!(mean < 2.0, "{mean:.2} levels");
    // Upper rows, which show the sky alone.
    let rows = 3 * 80 * 15;
    let most = cubes.rgb[..rows]
        .iter()
        .zip(&oblong.rgb)
        .map(|(a, b)| a.abs_diff(*b))
        .max();
    assert!(most <= Some(1), "{most:?} levels in the sky");
}
