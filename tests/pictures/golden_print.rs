//! Traced pictures compared with references of many more samples in `tests/golden`, within a
//! tolerance from the noise of the pictures.

use image::RgbImage;
use lavoxel::grid::Grid;
use lavoxel::lowpass::LowPass;
use lavoxel::matter::Material;
use lavoxel::render::{
    Camera, CameraSpec, LookSpec, MaterialLook, Preset, Renderer, SkyPreset, Surroundings,
};
use lavoxel::world::{Edit, Ground, Matter, Shape, World};
use ndarray::Array2;

use super::golden::{Allowed, compare, is_renewed, volcano};

const SIZE: (usize, usize) = (96, 64);
/// Number of samples a pixel of a picture, and of its reference.
const SAMPLES: [u32; 2] = [24, 384];
/// Mean difference of a channel in levels (0 to 255) for a noise of 1. A channel of the level v
/// changes by v / 2.2 levels for a relative change of its light by 1, 58 levels in the middle; the
/// smoothing leaves half of the noise at most.
const LEVELS: f64 = 29.0;
/// Fraction of the pixels, beside edges that are smoothed in other ways, that may differ by
/// `golden::OTHER` levels or more.
const OTHERS: f64 = 0.02;

/// Corners of the matter that cameras frame with the ground, in cells.
const MATTER: &[[[f32; 3]; 2]] = &[[[4.0, 0.0, 8.0], [36.0, 18.0, 32.0]]];

/// Traces a picture of `world`, `steps` old, and compares it with its reference.
fn check(name: &str, world: &World, steps: u64, (look, spec): (LookSpec, CameraSpec)) {
    let mut renderer =
        Renderer::new(world.ground().surface(), world.grid(), look).expect("a valid look");
    renderer.set_ground(world.ground());
    renderer.set_steps(steps);
    let camera = Camera::new(&spec, &renderer.subject().holding(MATTER), SIZE);
    let mut lowpass = LowPass::new(world.grid());
    let volume = lowpass.refresh(world);
    let samples = SAMPLES[usize::from(is_renewed(name))];
    let traced = renderer.print(volume, &camera, |print| {
        while print.samples() < samples && print.pass() {}
        (RgbImage::from(print.smoothed()), print.noise())
    });
    let (picture, noise) = traced.expect("nobody stops it");
    let allowed = Allowed {
        mean: LEVELS * noise,
        others: OTHERS,
    };
    compare(name, &picture, &allowed);
}

/// Returns a camera in the direction `azimuth_deg`, from which everything fits into the picture.
fn from(azimuth_deg: f32, elevation_deg: f32) -> CameraSpec {
    CameraSpec {
        azimuth_deg,
        elevation_deg,
        distance: None,
        target: None,
        fov_deg: 32.0,
        ..CameraSpec::default()
    }
}

#[test]
fn print_volcano() {
    let simulation = volcano();
    let look = LookSpec {
        surroundings: Surroundings::Land,
        ..LookSpec::default()
    };
    let camera = from(150.0, 30.0);
    check(
        "print_volcano",
        simulation.world(),
        simulation.steps(),
        (look, camera),
    );
}

/// Returns a level floor with `bodies` of the looks `presets`, which fill spheres.
fn still_life(bodies: &[(Preset, [f64; 3], f64)]) -> World {
    let grid = Grid::new(40, 28, 40);
    let ground = Ground::from_surface(grid.ny, Array2::from_elem((grid.nz, grid.nx), 2.0));
    let name = |preset: Preset| format!("{preset:?}").to_lowercase();
    let material = |(k, &(preset, ..)): (usize, &(Preset, [f64; 3], f64))| Material {
        name: name(preset),
        density: 2000.0 - 300.0 * k as f64,
        look: MaterialLook::from_preset(preset),
        ..Material::water()
    };
    let materials = bodies.iter().enumerate().map(material).collect();
    let mut world = World::with_materials(ground, materials);
    for &(preset, center, radius) in bodies {
        world.edit(&Edit {
            shape: Shape::Sphere { center, radius },
            matter: Matter::Material {
                name: name(preset),
                amount: 1.0,
            },
        });
    }
    world
}

/// Returns the look of things on a table.
fn on_a_table() -> LookSpec {
    LookSpec {
        surroundings: Surroundings::Table,
        sky: SkyPreset::Day,
        ..LookSpec::default()
    }
}

/// A ball of ice that stands before a ball of matt wax.
#[test]
fn print_ice() {
    let world = still_life(&[
        (Preset::Ice, [20.0, 10.0, 24.0], 8.0),
        (Preset::Wax, [27.0, 8.0, 10.0], 6.0),
    ]);
    check("print_ice", &world, 0, (on_a_table(), from(180.0, 20.0)));
}

/// A ball of glossy matter, as of chocolate, beside a ball of metal.
#[test]
fn print_gloss() {
    let world = still_life(&[
        (Preset::Gloss, [13.0, 9.0, 22.0], 8.0),
        (Preset::Metal, [29.0, 8.0, 20.0], 6.0),
    ]);
    check("print_gloss", &world, 0, (on_a_table(), from(180.0, 25.0)));
}
