//! Tests of pictures of the physical model: lava glows according to its temperature, cells have
//! their proportions, and solidified lava is dark.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::path::Path;
use std::sync::Arc;

use crate::common;
use lavoxel::grid::Grid;
use lavoxel::lowpass::{LowPass, Volume};
use lavoxel::render::{Camera, CameraSpec, Image, LookSpec, Renderer, Scale, Style};
use lavoxel::scene::Scene;
use lavoxel::simulation::Simulation;
use lavoxel::state::State;
use lavoxel::view::SkyPreset;
use lavoxel::world::{CellMeasure, Quantity};
use nalgebra::Point3;
use ndarray::{Array2, Array3};

/// Draws a pool of lava with the energy `energy` per unit of amount on flat ground, at night, from
/// above.
fn pool(energy: f32, look: LookSpec) -> Image {
    let (nx, ny, nz) = (24, 16, 24);
    let inside = |(z, y, x): (usize, usize, usize)| {
        (2..8).contains(&y) && (5..19).contains(&x) && (5..19).contains(&z)
    };
    let density = Array3::from_shape_fn((nz, ny, nx), |place| f32::from(u8::from(inside(place))));
    let volume = Volume::from_arrays(&density, &density.mapv(|d| d * energy)).unwrap();
    let look = LookSpec {
        sky: SkyPreset::Night,
        glow: 0.0,
        haze: 0.0,
        ..look
    };
    let mut renderer = Renderer::new(&Array2::from_elem((nz, nx), 2.0), volume.grid, look).unwrap();
    let spec = CameraSpec {
        elevation_deg: 80.0,
        ..CameraSpec::default()
    };
    let camera = Camera::new(&spec, &renderer.subject(), (96, 96));
    renderer.frame(&volume, &camera)
}

/// Returns the mean red and blue of the middle 16 × 16 pixels of a picture, 0 to 255.
fn middle(image: &Image) -> [f64; 2] {
    let pixels: Vec<[u8; 3]> = (40..56)
        .flat_map(|y| (40..56).map(move |x| (x, y)))
        .map(|(x, y)| image.pixel(x, y))
        .collect();
    [0, 2].map(|channel| {
        pixels
            .iter()
            .map(|pixel| f64::from(pixel[channel]))
            .sum::<f64>()
            / pixels.len() as f64
    })
}

#[test]
fn lava_glows_by_its_temperature_and_cool_liquids_do_not() {
    // Without crust, so that the picture shows the lava itself.
    let glow = |kelvin, energy| {
        middle(&pool(
            energy,
            LookSpec {
                crust: 0.0,
                kelvin: Some(kelvin),
                ..LookSpec::default()
            },
        ))
    };
    let (basalt, oil) = ([1143.0, 1360.0], [293.0, 315.0]);
    let [fresh, cold, cool] = [glow(basalt, 1.0), glow(basalt, 0.0), glow(oil, 1.0)];
    // Hotter is brighter and yellower.
    assert!(
        fresh[0] > cold[0] && fresh[1] > cold[1] + 20.0,
        "{fresh:?} and {cold:?}"
    );
    assert!(cold[0] > 100.0 && cool[0] < 2.0, "{cold:?} and {cool:?}");
    // Two pairs of `kelvin` that give the same temperature give the same picture, up to the 8 bits
    // of the energy.
    let same = glow([0.0, 1360.0], 1.0);
    assert!(
        (fresh[0] - same[0]).abs() < 4.0 && (fresh[1] - same[1]).abs() < 6.0,
        "{fresh:?} and {same:?}"
    );
}

#[test]
fn scenes_of_the_physical_model_know_their_temperatures() {
    let scene = |lava: &str| {
        let text = format!(
            "model = \"flow\"\n[flow]\nlava = \"{lava}\"\n[terrain]\nkind = \"plane\"\n[[vent]]\nx = 3.0\nz = 3.0\nrate_m3_s = 1.0\n"
        );
        Scene::parse(&text, Path::new("scene.toml")).unwrap()
    };
    assert_eq!(scene("etna-basalt").look().kelvin, Some([1143.0, 1360.0]));
    let [cold, hot] = scene("silicone-oil").look().kelvin.unwrap();
    assert!(cold < 300.0 && hot == 315.0, "{cold} {hot}");
    let own = "[look]\nkelvin = [1000.0, 1500.0]\n[terrain]\nkind = \"plane\"\n";
    assert_eq!(
        Scene::parse(own, Path::new("own.toml"))
            .unwrap()
            .look()
            .kelvin,
        Some([1000.0, 1500.0])
    );
    assert_eq!(Scene::volcano().look().kelvin, None);
    let wrong = Scene::parse("[look]\nkelvin = [1500.0, 1000.0]\n", Path::new("own.toml"))
        .unwrap_err()
        .to_string();
    assert!(wrong.contains("look.kelvin = 1000"), "{wrong}");
}

#[test]
fn bars_show_degrees() {
    let quantity = Quantity::default().like(CellMeasure::SpecificEnergy);
    let scale = Scale::from_quantity(&quantity)
        .unwrap()
        .in_celsius(&quantity, Some([1143.15, 1359.15]))
        .up_to(1.0);
    assert_eq!(
        (scale.title(), scale.read_range()),
        ("temperature [°C]".to_owned(), (870.0, 1086.0))
    );
    assert!(
        (scale.place(0.5) - 0.5).abs() < 1e-6 && (scale.place_of_read(978.0) - 0.5).abs() < 1e-6
    );
    let amount = Quantity::default();
    assert_eq!(
        Scale::from_quantity(&amount)
            .unwrap()
            .in_celsius(&amount, Some([0.0, 1.0])),
        Scale::from_quantity(&amount).unwrap()
    );
}

#[test]
fn oblong_cells_have_their_proportions() {
    let grid = lavoxel::grid::Grid::new(40, 30, 40);
    let bounds = lavoxel::render::Bounds::from_grid(grid).of_tall_cells(0.5);
    let spec = CameraSpec {
        elevation_deg: 1.0,
        azimuth_deg: 180.0,
        fov_deg: 2.0,
        ..CameraSpec::default()
    };
    let camera = Camera::new(&spec, &bounds, (400, 400));
    let at = |x: f32, y: f32| camera.project(Point3::new(x, y, 20.0)).unwrap();
    let ((left, foot, _), (right, ..), (_, top, _)) =
        (at(10.0, 10.0), at(20.0, 10.0), at(10.0, 20.0));
    assert!(
        ((foot - top) / (right - left) - 0.5).abs() < 0.01,
        "{} by {}",
        right - left,
        foot - top
    );
    // The ray of a pixel goes through the point that is projected onto this pixel.
    let point = Point3::new(31.0, 7.0, 12.0);
    let (x, y, away) = camera.project(point).unwrap();
    assert!((camera.ray(x, y).at(away) - point.coords).norm() < 0.05 * 1e-2 * away);
}

/// Creates a scene and simulation of basalt that soon solidifies, after `steps` steps.
fn basalt(steps: usize) -> (Scene, Simulation) {
    let text = "model = \"flow\"\nseed = 1\n[flow]\nstep_s = 20.0\nlava = { preset = \"etna-basalt\", cooling = { exposed = 1.0 }, bed_conduction = 1, conduction = 1 }\n\
                [grid]\nsize = [24, 12, 24]\ncell_size_m = 2.0\n[terrain]\nkind = \"plane\"\nbase_cells = 2.0\n\
                [[vent]]\nx = 12.0\nz = 12.0\nradius = 2.0\nrates_m3_s = [[0, 1.0], [\"2 min\", 0.0]]\n";
    let scene = Scene::parse(text, Path::new("basalt.toml")).unwrap();
    let mut simulation = scene.build(common::tiled()).unwrap().simulation;
    (0..steps).for_each(|_| simulation.step());
    (scene, simulation)
}

#[test]
fn rock_that_set_is_darker_than_the_ground() {
    let (scene, simulation) = basalt(3000);
    let world = simulation.world();
    let flow = world.flow().unwrap();
    assert!(flow.is_dry(), "all of it set");
    let picture = |renderer: &mut Renderer| {
        let camera = Camera::new(
            &CameraSpec {
                elevation_deg: 85.0,
                ..CameraSpec::default()
            },
            &renderer.subject(),
            (96, 96),
        );
        let mut lowpass = LowPass::new(world.grid());
        renderer.frame(lowpass.refresh(world), &camera)
    };
    let look = LookSpec {
        sky: SkyPreset::Day,
        ..scene.look()
    };
    let new = |look: LookSpec| Renderer::new(world.ground().surface(), world.grid(), look).unwrap();
    let (mut plain, mut told) = (new(look.clone()), new(look.clone()));
    told.set_ground(world.ground());
    let light = |image: &Image| {
        let middle = (40..56).flat_map(|y| (40..56).map(move |x| (x, y)));
        middle
            .map(|(x, y)| image.pixel(x, y).map(f64::from).iter().sum::<f64>())
            .sum::<f64>()
    };
    let (ground, rock) = (picture(&mut plain), picture(&mut told));
    assert!(
        light(&rock) < 0.7 * light(&ground),
        "{} and {}",
        light(&rock),
        light(&ground)
    );
    assert_eq!(
        ground.pixel(4, 4),
        rock.pixel(4, 4),
        "far from it nothing changed"
    );
    // A renderer that has followed the ground from the start draws the same picture as a new
    // renderer.
    let (_, early) = basalt(0);
    let mut followed = Renderer::new(early.world().ground().surface(), world.grid(), look).unwrap();
    followed.set_ground(early.world().ground());
    followed.set_ground(world.ground());
    assert_eq!(picture(&mut followed).rgb, rock.rgb);
}

#[test]
fn plain_styles_reach_from_the_solidus_to_the_vent() {
    let look = |kelvin| LookSpec {
        style: Style::Surface,
        color_by: CellMeasure::SpecificEnergy,
        kelvin,
        ..LookSpec::default()
    };
    // The palette of energies runs to 2 per amount, that of temperatures to the hot end of
    // `kelvin`: energy 2 and 1360 K have the same colour.
    let (as_energy, as_kelvin) = (
        pool(2.0, look(None)),
        pool(1.0, look(Some([1143.0, 1360.0]))),
    );
    assert_eq!(as_energy.pixel(48, 48), as_kelvin.pixel(48, 48));
}

#[test]
fn lava_that_stays_hot_inside_grows_a_dark_crust() {
    let text = "model = \"flow\"\nseed = 1\n[flow]\nstep_s = 20.0\nlava = { preset = \"etna-basalt\", cooling = { kind = \"bare\", exposed = 1e-4 } }\n\
                [grid]\nsize = [24, 12, 24]\ncell_size_m = 2.0\n[terrain]\nkind = \"bowl\"\n\
                [[vent]]\nx = 12.0\nz = 12.0\nradius = 2.0\nrates_m3_s = [[0, 8.0], [\"2 min\", 0.0]]\n";
    let scene = Scene::parse(text, Path::new("pool.toml")).unwrap();
    let mut simulation = scene.build(common::tiled()).unwrap().simulation;
    let look = LookSpec {
        sky: SkyPreset::Night,
        glow: 0.0,
        haze: 0.0,
        ..scene.look()
    };
    // Red of the middle of the picture, temperature of the surface and temperature of the lava (K)
    // after `steps` steps.
    let mut after = |steps: u64| {
        (simulation.steps()..steps).for_each(|_| simulation.step());
        let world = simulation.world();
        let mut renderer =
            Renderer::new(world.ground().surface(), world.grid(), look.clone()).unwrap();
        renderer.set_ground(world.ground());
        let spec = CameraSpec {
            elevation_deg: 85.0,
            ..CameraSpec::default()
        };
        let camera = Camera::new(&spec, &renderer.subject(), (96, 96));
        let mut lowpass = LowPass::new(world.grid());
        let red = middle(&renderer.frame(lowpass.refresh(world), &camera))[0];
        let (flow, column) = (world.flow().unwrap(), 12 * 24 + 12);
        (
            red,
            flow.crust_k(column).unwrap(),
            flow.column(column).surface_k.unwrap(),
        )
    };
    let (young, old) = (after(7), after(2000));
    assert!(
        old.2 > young.2 - 60.0,
        "the lava stays hot: {} K, {} K",
        young.2,
        old.2
    );
    assert!(
        old.1 < young.1 - 150.0,
        "its surface does not: {} K, {} K",
        young.1,
        old.1
    );
    assert!(
        old.0 < 0.85 * young.0,
        "and is drawn darker: red {} and {}",
        young.0,
        old.0
    );
}

/// Returns the surface temperatures in K of [`CrustMap`], computed for all columns at once as a
/// reference.
fn whole_crust(world: &State) -> Vec<f32> {
    let (flow, Grid { nx, nz, .. }) = (world.flow().unwrap(), world.grid());
    let lava: Vec<Option<f32>> = (0..nx * nz)
        .map(|column| flow.crust_k(column).map(|kelvin| kelvin as f32))
        .collect();
    let near = |n: usize, count: usize| n.saturating_sub(1)..(n + 2).min(count);
    let beside = |column: usize| {
        let around =
            near(column / nx, nz).flat_map(|z| near(column % nx, nx).map(move |x| z * nx + x));
        let all: Vec<f32> = around.filter_map(|column| lava[column]).collect();
        (!all.is_empty()).then(|| all.iter().sum::<f32>() / all.len() as f32)
    };
    let air = flow.setup().lava.ambient_k as f32;
    (0..nx * nz)
        .map(|column| lava[column].or_else(|| beside(column)).unwrap_or(air))
        .collect()
}

#[test]
fn a_crust_that_is_followed_is_that_of_all_columns() {
    // A short pour on a slope: columns become wet, run dry, set and are rewarmed.
    let text = "model = \"flow\"\nseed = 1\n[flow]\nstep_s = 20.0\nlava = { preset = \"etna-basalt\" }\n\
                [grid]\nsize = [20, 24, 24]\ncell_size_m = 2.0\n[terrain]\nkind = \"slope\"\n\
                [[vent]]\nx = 10.0\nz = 5.0\nradius = 2.0\nrates_m3_s = [[0, 6.0], [\"4 min\", 0.0]]\n";
    let scene = Scene::parse(text, Path::new("slope.toml")).unwrap();
    let mut simulation = scene.build(common::tiled()).unwrap().simulation;
    let mut lowpass = LowPass::new(simulation.world().grid());
    let (mut held, mut others, mut fewer) = (Vec::new(), 0, 0);
    for round in 0..120 {
        let crust = lowpass
            .refresh(simulation.world())
            .crust
            .clone()
            .expect("lava that grows a crust");
        assert_eq!(
            crust.kelvin,
            whole_crust(simulation.world()),
            "after {} steps",
            simulation.steps()
        );
        let again = lowpass
            .refresh(simulation.world())
            .crust
            .clone()
            .expect("the same");
        assert!(Arc::ptr_eq(&crust, &again), "nothing changed");
        let warm = crust
            .kelvin
            .iter()
            .filter(|kelvin| **kelvin != crust.kelvin[0])
            .count();
        if let Some((last, before)) = held.last() {
            others += usize::from(!Arc::ptr_eq(last, &crust));
            fewer += usize::from(warm < *before);
        }
        // Some maps are held for several rounds: a later refresh must not change a map that a
        // reader holds.
        if round % 7 == 0 {
            held.clear();
        }
        held.push((crust, warm));
        (0..1 + round / 10).for_each(|_| simulation.step());
    }
    assert!(
        others > 100 && fewer > 0,
        "{others} maps were another one, {fewer} had less lava"
    );
}
