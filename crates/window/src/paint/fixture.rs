//! Small eruption and helper functions for the tests of both painters.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use image::RgbaImage;
use kiss3d::resource::MaterialManager2d;
use kiss3d::window::OffscreenSurface;

use super::{GpuPainter, Quality, View, device_of_window};
use lavoxel_air::{AirGrid, Side};
use lavoxel_automaton::engine::tiled::Tiled;
use lavoxel_automaton::view::{MaterialLook, Preset};
use lavoxel_base::grid::Grid;
use lavoxel_paint::changes::{
    BRICK, Changes, EmberUpdate, GroundPatch, MediaPatch, MediaUpdate, Patch,
};
use lavoxel_paint::device::Gpu;
use lavoxel_render::ground::lava_glow::{EmberLight, Glow};
use lavoxel_render::media::sea::Sea;
use lavoxel_render::{Camera, Image, LookSpec};
use lavoxel_scene::scene::{Scene, VentPlace};
use lavoxel_sim::lowpass::{AirVolume, CrustMap, LowPass, Medium, Volume};
use lavoxel_sim::simulation::Simulation;

#[path = "../../../../tests/common/needs.rs"]
mod needs;
#[path = "../../../../tests/common/vulkan.rs"]
mod vulkan;

/// Size (width, height) of test pictures in pixels. Small, because a driver that draws with the
/// processor takes up to 60 µs per pixel. Such a driver also takes half a minute to compile its
/// shaders for each combination of texture sides that are powers of two or not; all boxes in these
/// tests therefore have such sides.
pub(super) const SIZE: (usize, usize) = (156, 108);

/// Returns a wgpu device without a window, shared by all tests; `None` without a graphics driver.
pub(super) fn gpu() -> Option<Gpu> {
    static GPU: OnceLock<Gpu> = OnceLock::new();
    let open = || {
        let surface = pollster::block_on(OffscreenSurface::new(64, 64));
        // kiss3d aborts when a surface is dropped before its first frame has made this manager.
        MaterialManager2d::get_global_manager(|_| ());
        let gpu = device_of_window();
        // Dropping the last surface would destroy the device.
        std::mem::forget(surface);
        gpu
    };
    vulkan::vulkan().then(|| GPU.get_or_init(open).clone())
}

/// Returns the painter shared by all tests, with the look settings replaced by `look`; `None`
/// without a graphics driver. A driver that draws with the processor takes ten seconds to prepare
/// the shaders of a painter, and a minute without a shader cache on disk.
pub(super) fn painter(look: &LookSpec) -> Option<MutexGuard<'static, GpuPainter>> {
    static PAINTER: OnceLock<Mutex<GpuPainter>> = OnceLock::new();
    let gpu = gpu()?;
    let painter =
        PAINTER.get_or_init(|| Mutex::new(GpuPainter::new(gpu, look).expect("a valid look")));
    let mut painter = painter.lock().unwrap_or_else(PoisonError::into_inner);
    painter.set_look(look).expect("a valid look");
    painter.set_skipping(true);
    Some(painter)
}

/// Returns the simulation of a small volcano with flowing lava after 700 steps, and the low-pass
/// filter that contains the volume of this state.
pub(super) fn eruption() -> (Simulation, LowPass) {
    let mut scene = Scene::volcano();
    scene.spec.grid.size = [64, 64, 64];
    scene.spec.vents[0].place = VentPlace::Cells { x: 31.0, z: 30.0 };
    scene.spec.vents[0].rate = 1.0;
    let mut simulation = scene
        .build(Box::new(Tiled::default()))
        .expect("the built-in volcano")
        .simulation;
    (0..700).for_each(|_| simulation.step());
    let mut lowpass = LowPass::new(simulation.world().grid());
    lowpass.refresh(simulation.world());
    (simulation, lowpass)
}

/// Returns a map of crust temperatures for the columns of `grid`, which decrease from 1200 K in the
/// west to 400 K in the east.
pub(super) fn crust(grid: Grid) -> CrustMap {
    let kelvin =
        |column: usize| 1200.0 - 800.0 * ((column % grid.nx) as f32 + 0.5) / grid.nx as f32;
    CrustMap {
        kelvin: (0..grid.columns()).map(kelvin).collect(),
    }
}

/// Returns an update with the complete state of `simulation`, as the simulation thread sends it for
/// a new scene. `volume`: low-pass volume of this state.
pub(super) fn everything(simulation: &Simulation, volume: &Volume, look: &LookSpec) -> Changes {
    let grid = volume.grid;
    let texels = volume
        .density
        .iter()
        .zip(&volume.energy)
        .map(|(d, e)| [*d, *e])
        .collect();
    Changes {
        grid,
        step: simulation.steps(),
        reset: true,
        patches: vec![Patch {
            origin: [0; 3],
            size: [grid.nx, grid.ny, grid.nz],
            texels,
        }],
        bricks: Some(brick_maxima(grid, &volume.density)),
        air: Some(volume.air.clone()),
        crust: Some(volume.crust.clone()),
        media: (!volume.media.is_empty()).then(|| all_media(volume)),
        ground: Some(GroundPatch::whole(simulation.world().ground(), 1.0)),
        cuts: [None, None, None],
        ember: Some(EmberUpdate::from_light(&EmberLight::new(
            volume,
            None,
            Glow::from(look),
        ))),
        sea: Sea::from_volume(volume),
        mouths: Vec::new(),
    }
}

/// Returns an update of all materials of `volume` other than lava.
fn all_media(volume: &Volume) -> MediaUpdate {
    let (grid, media) = (volume.grid, &volume.media);
    let cells = || (0..grid.cells()).map(|i| media.iter().map(move |medium| medium.density[i]));
    let largest: Vec<u8> = cells().map(|cell| cell.max().unwrap_or(0)).collect();
    MediaUpdate {
        media: media
            .iter()
            .map(|medium| (medium.name.clone(), medium.look.clone()))
            .collect(),
        reset: true,
        patches: vec![MediaPatch {
            origin: [0; 3],
            size: [grid.nx, grid.ny, grid.nz],
            texels: cells().flatten().collect(),
        }],
        bricks: Some(brick_maxima(grid, &largest)),
    }
}

/// Returns the values of `density`, evaluated at the cell centres of `grid` and clamped to 0 to 1,
/// as bytes from 0 to 255.
fn field(grid: Grid, density: &dyn Fn([f32; 3]) -> f32) -> Vec<u8> {
    let place =
        |i: usize| [i % grid.nx, i / grid.nx % grid.ny, i / grid.slab()].map(|n| n as f32 + 0.5);
    (0..grid.cells())
        .map(|i| (density(place(i)).clamp(0.0, 1.0) * 255.0).round() as u8)
        .collect()
}

/// Adds to `volume` a ball of material around the volcano for each element of `looks`; if one of
/// the materials is water, half of each ball lies in a sea.
pub(super) fn furnish(volume: &mut Volume, looks: &[MaterialLook]) {
    let (grid, ny) = (volume.grid, volume.grid.ny as f32);
    let medium = |(k, look): (usize, &MaterialLook)| {
        let angle = 0.9 + 1.35 * k as f32;
        let (cx, cz) = (32.0 + 23.0 * angle.cos(), 32.0 + 23.0 * angle.sin());
        let ball = |cy: f32, r: f32| {
            move |[x, y, z]: [f32; 3]| {
                0.5 + 0.5 * (r - ((x - cx).powi(2) + (y - cy).powi(2) + (z - cz).powi(2)).sqrt())
            }
        };
        let density = match look.preset {
            Preset::Water => field(grid, &|[_, y, _]| 12.7 - y + 0.5),
            Preset::Steam => field(grid, &|p| 0.6 * ball(0.5 * ny, 9.0)(p).min(1.0)),
            _ => field(grid, &ball(13.0, 6.0)),
        };
        Medium {
            name: format!("{:?} {k}", look.preset),
            look: look.clone(),
            density,
        }
    };
    volume.media = looks.iter().enumerate().map(medium).collect();
}

/// Returns a column of ash and steam over the volcano that leans with the wind; its air grid is
/// wider and higher than the simulation box.
pub(super) fn plume() -> AirVolume {
    let (cells, ratio, corner) = (Grid::new(32, 32, 32), 4, [-32, -32]);
    let grid = AirGrid {
        cells,
        ratio,
        corner,
        sides: [Side::Open; 3],
    };
    let value = |kg_m3: f32| ((kg_m3.max(0.0) / 4.0).sqrt() * 65535.0 + 0.5) as u16;
    let middle = |n: usize, corner: i32| (n as f32 + 0.5) * ratio as f32 + corner as f32;
    let carried = |[i, j, k]: [usize; 3]| {
        let (x, y, z) = (middle(i, corner[0]), middle(j, 0), middle(k, corner[1]));
        let width = 3.0 + 0.2 * y;
        let aside = (x - 31.0 - 0.25 * y).hypot(z - 30.0 - 0.002 * y * y) / width;
        let share = if y > 36.0 {
            (1.0 - aside * aside).max(0.0)
        } else {
            0.0
        };
        [
            value(4e-4 * share),
            value(if y > 60.0 { 1.5e-4 * share } else { 0.0 }),
        ]
    };
    let flow = |[i, j, k]: [usize; 3]| {
        [
            20 + (i % 7) as i8 * 3,
            40 + (j % 3) as i8,
            (k % 5) as i8 * 4 - 10,
            0,
        ]
    };
    AirVolume {
        grid,
        cell_m: 10.0,
        carried: cells.places().map(carried).collect(),
        inks: Vec::new(),
        flow: cells.places().map(flow).collect(),
    }
}

/// Returns water that fills `grid` up to the height `high`, in cells above the floor.
pub(super) fn sea(grid: Grid, high: f32) -> Medium {
    let density = field(grid, &|[_, y, _]| high - y + 0.5);
    Medium {
        name: "water".into(),
        look: MaterialLook {
            waves: 2.0,
            ..MaterialLook::default()
        },
        density,
    }
}

/// Adds to `volume` a sea around the volcano, and a ball of a second liquid above the sea.
pub(super) fn flood(volume: &mut Volume) {
    let grid = volume.grid;
    let ball = |[x, y, z]: [f32; 3]| {
        3.5 - 0.5 * ((x - 40.0).powi(2) + (y - 36.0).powi(2) + (z - 44.0).powi(2)).sqrt()
    };
    let oil = MaterialLook {
        depth: 3.0,
        color: Some("#80a020".into()),
        ..MaterialLook::default()
    };
    volume.media = vec![
        Medium {
            name: "water".into(),
            look: MaterialLook::default(),
            density: field(grid, &|[_, y, _]| 12.7 - y + 0.5),
        },
        Medium {
            name: "oil".into(),
            look: oil,
            density: field(grid, &ball),
        },
    ];
}

pub(super) fn brick_maxima(grid: Grid, density: &[u8]) -> Vec<u8> {
    let [bx, by, bz] = [grid.nx, grid.ny, grid.nz].map(|n| n.div_ceil(BRICK));
    let side = |b: usize, n: usize| (b * BRICK).saturating_sub(1)..(b * BRICK + BRICK + 1).min(n);
    let largest = |i: usize, j: usize, k: usize| {
        let cells = side(k, grid.nz).flat_map(|z| side(j, grid.ny).map(move |y| (y, z)));
        let cells = cells.flat_map(|(y, z)| side(i, grid.nx).map(move |x| [x, y, z]));
        cells
            .map(|place| density[grid.index(place)])
            .max()
            .unwrap_or(0)
    };
    (0..bx * by * bz)
        .map(|b| largest(b % bx, b / bx % by, b / (bx * by)))
        .collect()
}

pub(super) fn view(camera: Camera) -> View {
    View {
        camera,
        covered: 0,
        quality: Quality::Fixed(1.0),
        cuts_shown: [false; 3],
        volume_shown: true,
        ground_shown: true,
    }
}

/// Returns the mean absolute difference between the colour channels of `a` and `b` (0 to 255), and
/// the fraction (0 to 1) of pixels with a channel that differs by more than 24.
pub(super) fn difference(a: &Image, b: &RgbaImage) -> (f64, f64) {
    let pixels = a.rgb.chunks_exact(3).zip(b.pixels());
    let (mut sum, mut far) = (0_u64, 0_u64);
    for (p, q) in pixels {
        let channels = [0, 1, 2].map(|c| u64::from(p[c].abs_diff(q.0[c])));
        sum += channels.iter().sum::<u64>();
        far += u64::from(channels.iter().any(|d| *d > 24));
    }
    let count = (a.width * a.height) as f64;
    (sum as f64 / (3.0 * count), far as f64 / count)
}

/// Writes the picture of the ray-marcher and that of the GPU painter to the folder that the
/// environment variable `LAVOXEL_PICTURES` names; does nothing without this variable.
pub(super) fn keep(name: &str, marched: &Image, painted: &RgbaImage) {
    let Some(folder) = std::env::var_os("LAVOXEL_PICTURES").map(PathBuf::from) else {
        return;
    };
    let (width, height) = (marched.width as u32, marched.height as u32);
    let pair = RgbaImage::from_fn(2 * width, height, |x, y| {
        if x >= width {
            return *painted.get_pixel(x - width, y);
        }
        let [r, g, b] = marched.pixel(x as usize, y as usize);
        image::Rgba([r, g, b, 255])
    });
    pair.save(folder.join(format!("{name}.png")))
        .expect("the folder takes pictures");
}
