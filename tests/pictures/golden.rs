//! Tests that compare pictures with references in `tests/golden`. `UPDATE_GOLDEN=1` writes the
//! all references; a missing reference is written, and its test fails once. Pictures that differ
//! are kept in `target/golden`, next to their difference images.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::fs;
use std::path::{Path, PathBuf};

use crate::common;
use image::RgbImage;
use image::imageops::{FilterType, crop_imm, resize};
use lavoxel::air::AirSpec;
use lavoxel::generate::crater;
use lavoxel::grid::Grid;
use lavoxel::lowpass::LowPass;
use lavoxel::map::Site;
use lavoxel::matter::Material;
use lavoxel::render::{
    Axis, Camera, CameraSpec, Content, LookSpec, MaterialLook, PaletteSpec, Preset, Renderer,
    Scale, SkyPreset, SliceSpec, SliceStyle, Style, picture, slice,
};
use lavoxel::scene::{BodySpec, Scene, SceneSpec, VentTable};
use lavoxel::simulation::Simulation;
use lavoxel::source::{VentAir, VentSpec};
use lavoxel::terrain::{Hillshade, TerrainKind, TerrainSpec};
use lavoxel::units;
use lavoxel::world::{CellMeasure, Edit, Ground, Matter, Quantity, Shape, World};

/// Largest difference that is accepted between a picture and its reference.
pub(super) struct Allowed {
    /// Mean difference of a channel in levels (0 to 255).
    pub(super) mean: f64,
    /// Fraction of the pixels that differ by [`OTHER`] levels or more.
    pub(super) others: f64,
}

/// Tolerance for pictures of volumes: sums in another order round differently, and a sample at an
/// edge may count as inside or outside.
const VOLUME: Allowed = Allowed {
    mean: 0.6,
    others: 0.01,
};
/// Tolerance for slices and relief maps: the last bit of a colour.
const FLAT: Allowed = Allowed {
    mean: 0.1,
    others: 0.0005,
};
/// Difference of a channel in levels (0 to 255) from which a pixel counts as different.
const OTHER: u8 = 24;

const SIZE: (usize, usize) = (88, 66);

/// Returns the path of the reference of the picture `name`.
fn reference_of(name: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    root.join("tests/golden").join(name).with_extension("png")
}

/// Returns true if a new reference of the picture `name` will be written.
pub(super) fn is_renewed(name: &str) -> bool {
    std::env::var_os("UPDATE_GOLDEN").is_some() || !reference_of(name).exists()
}

pub(super) fn compare(name: &str, picture: &RgbImage, allowed: &Allowed) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let reference = reference_of(name);
    let update = std::env::var_os("UPDATE_GOLDEN").is_some();
    if is_renewed(name) {
        fs::create_dir_all(reference.parent().unwrap()).unwrap();
        picture.save(&reference).unwrap();
        assert!(
            update,
            "{name}: there was no reference; check {}",
            reference.display()
        );
        return;
    }
    let expected = image::open(&reference).unwrap().to_rgb8();
    assert_eq!(picture.dimensions(), expected.dimensions(), "{name}");
    let mut difference = picture.clone();
    difference
        .iter_mut()
        .zip(expected.iter())
        .for_each(|(a, b)| *a = a.abs_diff(*b));
    let mean = difference.iter().map(|&d| f64::from(d)).sum::<f64>() / difference.len() as f64;
    let others = difference
        .pixels()
        .filter(|pixel| pixel.0.iter().any(|&d| d >= OTHER))
        .count();
    let others = others as f64 / f64::from(picture.width() * picture.height());
    if mean > allowed.mean || others > allowed.others {
        let folder = root.join("target/golden");
        fs::create_dir_all(&folder).unwrap();
        picture.save(folder.join(format!("{name}.png"))).unwrap();
        difference
            .save(folder.join(format!("{name}-difference.png")))
            .unwrap();
        let shares = format!(
            "mean difference {mean:.2}, {:.1} % other pixels",
            100.0 * others
        );
        panic!(
            "{name}: {shares}; see {} and set UPDATE_GOLDEN=1 if it is meant",
            folder.display()
        );
    }
}

/// Creates a scene on 48 × 40 × 48 cells after `steps` steps; every value on which the pictures
/// depend is set here, so that changed defaults change no picture.
fn grown(
    terrain: TerrainSpec,
    vents: Vec<VentTable>,
    bodies: Vec<BodySpec>,
    steps: u64,
) -> Simulation {
    grown_from(
        SceneSpec {
            terrain,
            vents,
            bodies,
            ..SceneSpec::default()
        },
        steps,
    )
}

fn grown_from(spec: SceneSpec, steps: u64) -> Simulation {
    let mut scene = Scene::parse(
        "",
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("terrains/golden.toml"),
    )
    .unwrap();
    scene.spec = SceneSpec { seed: 11, ..spec };
    scene.spec.grid.size = [48, 40, 48];
    scene.spec.rules.threshold = 0.3;
    scene.validate().unwrap();
    let mut simulation = scene.build(common::tiled()).unwrap().simulation;
    for _ in 0..steps {
        simulation.step();
    }
    simulation
}

fn vent(x: f64, z: f64, rate: f64) -> VentTable {
    VentSpec {
        x,
        z,
        radius: 1.5,
        rate,
        ..VentSpec::default()
    }
    .into()
}

pub(super) fn volcano() -> Simulation {
    let (x, z) = crater(Grid::new(48, 40, 48));
    grown(
        TerrainSpec::default(),
        vec![vent(x as f64 + 0.5, z as f64 + 0.5, 1.5)],
        Vec::new(),
        400,
    )
}

fn volume(simulation: &Simulation, look: LookSpec, azimuth_deg: f32) -> RgbImage {
    let world = simulation.world();
    let mut renderer = Renderer::new(world.ground().surface(), world.grid(), look).unwrap();
    renderer.set_steps(simulation.steps());
    let spec = CameraSpec {
        azimuth_deg,
        elevation_deg: 35.0,
        distance: None,
        target: None,
        fov_deg: 32.0,
        ..CameraSpec::default()
    };
    let camera = Camera::new(&spec, &renderer.subject(), SIZE);
    renderer
        .frame(LowPass::new(world.grid()).refresh(world), &camera)
        .into()
}

fn section(simulation: &Simulation, axis: Axis, cell: usize) -> RgbImage {
    let world = simulation.world();
    let site = Site {
        grid: world.grid(),
        cell_size_m: 10.0,
        floor_m: 0.0,
        vertical_exaggeration: 1.0,
        georeference: None,
    };
    let style = SliceStyle {
        palette: PaletteSpec::Name("inferno".into())
            .build("palette")
            .unwrap(),
        scale: Scale::from_quantity(&Quantity::default()),
        empty_is_zero: false,
        materials: Vec::new(),
        title: format!("volcano, step {}", simulation.steps()),
        rulers: lavoxel::render::Ruler::all(&site),
    };
    let spec = SliceSpec::whole(world.grid(), axis, cell, (320, 213));
    let picture = slice(world.grid(), &spec, &style, |place| {
        let amount = world.lava().at(place).amount;
        match amount {
            _ if world.ground().is_solid(place) => Content::Solid,
            0 => Content::Empty,
            _ => Content::Value(units::amount(amount)),
        }
    });
    // Cropped to the cells and their axes, to keep the references small.
    crop_imm(&RgbImage::from(picture.unwrap()), 0, 60, 200, 153).to_image()
}

#[test]
fn volcano_cinematic() {
    compare(
        "volcano_cinematic",
        &volume(&volcano(), LookSpec::default(), 150.0),
        &VOLUME,
    );
}

#[test]
fn volcano_scientific() {
    let look = LookSpec {
        style: Style::Scientific,
        ..LookSpec::default()
    };
    compare(
        "volcano_scientific",
        &volume(&volcano(), look, 150.0),
        &VOLUME,
    );
}

#[test]
fn volcano_surface() {
    let look = LookSpec {
        style: Style::Surface,
        ..LookSpec::default()
    };
    compare("volcano_surface", &volume(&volcano(), look, 150.0), &VOLUME);
}

#[test]
fn volcano_maximum() {
    let palette = PaletteSpec::Name("inferno".into());
    let look = LookSpec {
        style: Style::Maximum,
        color_by: CellMeasure::SpecificEnergy,
        palette,
        ..LookSpec::default()
    };
    compare("volcano_maximum", &volume(&volcano(), look, 150.0), &VOLUME);
}

#[test]
fn volcano_at_night() {
    let look = LookSpec {
        sky: SkyPreset::Night,
        ..LookSpec::default()
    };
    compare(
        "volcano_at_night",
        &volume(&volcano(), look, 150.0),
        &VOLUME,
    );
}

#[test]
fn slices() {
    let simulation = volcano();
    let (x, _) = crater(Grid::new(48, 40, 48));
    compare("slice_x", &section(&simulation, Axis::X, x), &FLAT);
    // The slice passes through the lava on the flanks.
    compare("slice_y", &section(&simulation, Axis::Y, 12), &FLAT);
}

#[test]
fn maunga_whau() {
    let terrain = TerrainSpec {
        kind: TerrainKind::Heightmap,
        file: Some("maunga_whau.asc".into()),
        crop: Some([0, 26, 61, 61]),
        vertical_exaggeration: Some(1.6),
        ..TerrainSpec::default()
    };
    let simulation = grown(terrain, vec![vent(21.5, 25.0, 2.0)], Vec::new(), 400);
    compare(
        "maunga_whau",
        &volume(&simulation, LookSpec::default(), 330.0),
        &VOLUME,
    );
}

fn pool() -> Simulation {
    let shape = Shape::Sphere {
        center: [15.0, 30.0, 22.0],
        radius: 6.0,
    };
    let body = BodySpec {
        shape,
        matter: Matter::Lava {
            amount: 1.0,
            energy: 1.0,
            temperature_k: None,
        },
    };
    let terrain = TerrainSpec {
        kind: TerrainKind::Bowl,
        roughness: Some(0.3),
        ..TerrainSpec::default()
    };
    grown(terrain, Vec::new(), vec![body], 200)
}

#[test]
fn bowl() {
    compare(
        "bowl",
        &volume(&pool(), LookSpec::default(), 160.0),
        &VOLUME,
    );
}

#[test]
fn bowl_cut_open() {
    let clip = [[0.0, 1.0], [0.0, 1.0], [0.0, 0.5]];
    compare(
        "bowl_cut_open",
        &volume(
            &pool(),
            LookSpec {
                clip,
                ..LookSpec::default()
            },
            160.0,
        ),
        &VOLUME,
    );
}

/// Draws a lake into which a ball of lava sinks.
fn lake(look: &LookSpec) -> RgbImage {
    let terrain = TerrainSpec {
        kind: TerrainKind::Bowl,
        roughness: Some(0.3),
        ..TerrainSpec::default()
    };
    let surface = terrain
        .build(Grid::new(48, 40, 48), None, Path::new(""))
        .unwrap()
        .heights;
    let mut world =
        World::with_materials(Ground::from_surface(40, surface), vec![Material::water()]);
    let lava = Matter::Lava {
        amount: 1.0,
        energy: 1.1,
        temperature_k: None,
    };
    world.edit(&Edit {
        shape: Shape::Sphere {
            center: [15.0, 17.0, 22.0],
            radius: 6.0,
        },
        matter: lava,
    });
    let water = Matter::Material {
        name: "water".into(),
        amount: 1.0,
    };
    world.edit(&Edit {
        shape: Shape::Below { level: 16.0 },
        matter: water,
    });
    let camera = CameraSpec {
        azimuth_deg: 160.0,
        ..CameraSpec::default()
    };
    let image = picture(&world, &camera, look, SIZE).unwrap();
    RgbImage::from_raw(image.width as u32, image.height as u32, image.rgb).unwrap()
}

#[test]
fn lake_by_day() {
    compare(
        "lake_by_day",
        &lake(&LookSpec {
            sky: SkyPreset::Day,
            ..LookSpec::default()
        }),
        &VOLUME,
    );
}

#[test]
fn lake_scientific() {
    compare(
        "lake_scientific",
        &lake(&LookSpec {
            style: Style::Scientific,
            ..LookSpec::default()
        }),
        &VOLUME,
    );
}

#[test]
fn hillshade() {
    let surface = TerrainSpec::default()
        .build(Grid::new(48, 40, 48), None, Path::new(""))
        .unwrap();
    let picture = Hillshade::default().draw(&surface.to_heightmap());
    let picture =
        RgbImage::from_raw(picture.width as u32, picture.height as u32, picture.rgb).unwrap();
    compare(
        "hillshade",
        &resize(&picture, 64, 64, FilterType::Triangle),
        &FLAT,
    );
}

/// Draws a valley whose lake has one material of every look, and a cloud next to lava.
fn all_looks(look: &LookSpec) -> RgbImage {
    let terrain = TerrainSpec {
        kind: TerrainKind::Bowl,
        roughness: Some(0.3),
        ..TerrainSpec::default()
    };
    let surface = terrain
        .build(Grid::new(48, 40, 48), None, Path::new(""))
        .unwrap()
        .heights;
    let order = [
        Preset::Ice,
        Preset::Sand,
        Preset::Ash,
        Preset::Rubble,
        Preset::Water,
        Preset::Steam,
    ];
    let material = |(k, preset): (usize, Preset)| Material {
        name: format!("{preset:?}").to_lowercase(),
        density: 2000.0 - 300.0 * k as f64,
        look: MaterialLook::from_preset(preset),
        ..Material::water()
    };
    let materials = order.into_iter().enumerate().map(material).collect();
    let mut world = World::with_materials(Ground::from_surface(40, surface), materials);
    let full = |name: &str| Matter::Material {
        name: name.into(),
        amount: 1.0,
    };
    let mut ball = |center: [f64; 3], radius: f64, matter: Matter| {
        world.edit(&Edit {
            shape: Shape::Sphere { center, radius },
            matter,
        });
    };
    ball(
        [36.0, 14.0, 20.0],
        6.5,
        Matter::Lava {
            amount: 1.0,
            energy: 1.1,
            temperature_k: None,
        },
    );
    ball([14.0, 12.0, 14.0], 7.0, full("ice"));
    ball([22.0, 9.0, 36.0], 7.0, full("sand"));
    ball([10.0, 14.0, 30.0], 6.0, full("ash"));
    ball([34.0, 12.0, 32.0], 6.0, full("rubble"));
    let sea = Edit {
        shape: Shape::Below { level: 14.0 },
        matter: full("water"),
    };
    world.edit(&sea);
    for (center, radius) in [([33.0, 23.0, 18.0], 5.0), ([29.0, 29.0, 20.0], 4.0)] {
        let matter = Matter::Material {
            name: "steam".into(),
            amount: 0.7,
        };
        world.edit(&Edit {
            shape: Shape::Sphere { center, radius },
            matter,
        });
    }
    let camera = CameraSpec {
        azimuth_deg: 160.0,
        elevation_deg: 40.0,
        ..CameraSpec::default()
    };
    let image = picture(&world, &camera, look, SIZE).unwrap();
    RgbImage::from_raw(image.width as u32, image.height as u32, image.rgb).unwrap()
}

#[test]
fn looks_at_dusk() {
    compare("looks_at_dusk", &all_looks(&LookSpec::default()), &VOLUME);
}

#[test]
fn looks_by_day() {
    compare(
        "looks_by_day",
        &all_looks(&LookSpec {
            sky: SkyPreset::Day,
            ..LookSpec::default()
        }),
        &VOLUME,
    );
}

#[test]
fn looks_at_night() {
    compare(
        "looks_at_night",
        &all_looks(&LookSpec {
            sky: SkyPreset::Night,
            ..LookSpec::default()
        }),
        &VOLUME,
    );
}

#[test]
fn looks_scientific() {
    compare(
        "looks_scientific",
        &all_looks(&LookSpec {
            style: Style::Scientific,
            ..LookSpec::default()
        }),
        &VOLUME,
    );
}

#[test]
fn looks_surface() {
    compare(
        "looks_surface",
        &all_looks(&LookSpec {
            style: Style::Surface,
            ..LookSpec::default()
        }),
        &VOLUME,
    );
}

/// A column of ash and steam from a vent on a volcano, in a light wind.
#[test]
fn plume_at_dusk() {
    let (x, z) = crater(Grid::new(48, 40, 48));
    let breath = VentAir {
        gas: 0.05,
        ash: 0.02,
        steam: 0.002,
        jet_m_s: 20.0,
        ..VentAir::default()
    };
    let vents = vec![VentTable {
        air: Some(Box::new(breath)),
        ..vent(x as f64 + 0.5, z as f64 + 0.5, 1.5)
    }];
    let air = AirSpec {
        wind: vec![[0.0, 3.0, 270.0]],
        ..AirSpec::default()
    };
    let simulation = grown_from(
        SceneSpec {
            vents,
            air: Some(air),
            ..SceneSpec::default()
        },
        60,
    );
    let world = simulation.world();
    let mut renderer =
        Renderer::new(world.ground().surface(), world.grid(), LookSpec::default()).unwrap();
    renderer.set_steps(simulation.steps());
    let spec = CameraSpec {
        azimuth_deg: 200.0,
        elevation_deg: 12.0,
        distance: Some(2.0),
        target: Some([0.5, 0.8, 0.5]),
        fov_deg: 32.0,
        ..CameraSpec::default()
    };
    let camera = Camera::new(&spec, &renderer.subject(), SIZE);
    let picture = renderer
        .frame(LowPass::new(world.grid()).refresh(world), &camera)
        .into();
    compare("plume_at_dusk", &picture, &VOLUME);
}
