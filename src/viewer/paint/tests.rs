//! The window's pictures against those of the ray-marcher: same scene, same camera, nearly the same picture.

use std::path::PathBuf;
use std::sync::Arc;

use image::RgbaImage;
use kiss3d::resource::MaterialManager2d;
use kiss3d::window::OffscreenSurface;

use super::{Painter, Quality, View};
use crate::engine::tiled::Tiled;
use crate::grid::Grid;
use crate::lowpass::{LowPass, Volume};
use crate::render::ember::{EmberLight, Glow};
use crate::render::{Antialias, Camera, CameraSpec, ColorBy, Image, LookSpec, Renderer, Style};
use crate::scene::{Scene, VentPlace};
use crate::simulation::Simulation;
use crate::viewer::link::{BRICK, Patch, Report, Update};

#[path = "../../../tests/common/needs.rs"]
mod needs;

const SIZE: (usize, usize) = (320, 220);

/// A device without a window, where a driver is installed.
fn surface() -> Option<OffscreenSurface> {
    if !needs::vulkan() {
        return None;
    }
    let surface = pollster::block_on(OffscreenSurface::new(64, 64));
    // kiss3d aborts when a surface is dropped before its first frame has made this.
    MaterialManager2d::get_global_manager(|_| ());
    Some(surface)
}

/// A small volcano on which lava runs.
fn eruption() -> (Simulation, LowPass) {
    let mut scene = Scene::volcano();
    scene.spec.grid.size = [64, 50, 64];
    scene.spec.vents[0].place = VentPlace::Cells { x: 31.0, z: 30.0 };
    scene.spec.vents[0].rate = 1.0;
    let mut simulation = scene.build(Box::new(Tiled::default())).expect("the built-in volcano").simulation;
    (0..700).for_each(|_| simulation.step());
    let mut lowpass = LowPass::new(simulation.world().grid);
    lowpass.refresh(simulation.world());
    (simulation, lowpass)
}

/// Everything about a simulation in one update.
fn everything(simulation: &Simulation, volume: &Volume, look: &LookSpec) -> Update {
    let grid = volume.grid;
    let texels = volume.density.iter().zip(&volume.energy).map(|(d, e)| [*d, *e]).collect();
    Update {
        report: Report { step: simulation.steps(), ..Report::quiet(grid) },
        anew: true,
        patches: vec![Patch { origin: [0; 3], size: [grid.nx, grid.ny, grid.nz], texels }],
        bricks: Some(brick_maxima(volume)),
        ground: Some(Arc::new(simulation.world().ground.surface().clone())),
        cuts: [None, None, None],
        ember: Some(EmberLight::new(volume, None, Glow::from(look)).maps.data.iter().map(|m| [m.x, m.y]).collect()),
        notices: Vec::new(),
    }
}

fn brick_maxima(volume: &Volume) -> Vec<u8> {
    let grid = volume.grid;
    let [bx, by, bz] = [grid.nx, grid.ny, grid.nz].map(|n| n.div_ceil(BRICK));
    let side = |b: usize, n: usize| (b * BRICK).saturating_sub(1)..(b * BRICK + BRICK + 1).min(n);
    let largest = |i: usize, j: usize, k: usize| {
        let cells = side(k, grid.nz).flat_map(|z| side(j, grid.ny).map(move |y| (y, z)));
        let cells = cells.flat_map(|(y, z)| side(i, grid.nx).map(move |x| (x, y, z)));
        cells.map(|(x, y, z)| volume.density[grid.index(x, y, z)]).max().unwrap_or(0)
    };
    (0..bx * by * bz).map(|b| largest(b % bx, b / bx % by, b / (bx * by))).collect()
}

fn view(camera: Camera) -> View {
    View { camera, quality: Quality::Fixed(1.0), cuts_shown: [false; 3], volume_shown: true, ground_shown: true }
}

/// Mean difference of channels in levels of 255, and the share of pixels that differ by more than 24 levels in one.
fn difference(a: &Image, b: &RgbaImage) -> (f64, f64) {
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

/// Writes a pair of pictures where `LAVOXEL_PICTURES` names a folder, to be looked at.
fn keep(name: &str, marched: &Image, painted: &RgbaImage) {
    let Some(folder) = std::env::var_os("LAVOXEL_PICTURES").map(PathBuf::from) else { return };
    let (width, height) = (marched.width as u32, marched.height as u32);
    let pair = RgbaImage::from_fn(2 * width, height, |x, y| {
        if x >= width {
            return *painted.get_pixel(x - width, y);
        }
        let [r, g, b] = marched.pixel(x as usize, y as usize);
        image::Rgba([r, g, b, 255])
    });
    pair.save(folder.join(format!("{name}.png"))).expect("the folder takes pictures");
}

#[test]
fn the_window_and_the_ray_marcher_draw_the_same_pictures() {
    let Some(_surface) = surface() else { return };
    let (simulation, lowpass) = eruption();
    let volume = lowpass.volume();
    let plain = LookSpec { antialias: Antialias::Off, ..LookSpec::default() };
    let looks = [
        ("cinematic", plain.clone()),
        ("no bloom", LookSpec { glow: 0.0, ..plain.clone() }),
        ("scientific", LookSpec { style: Style::Scientific, ..plain.clone() }),
        ("surface", LookSpec { style: Style::Surface, color_by: ColorBy::Energy, ..plain.clone() }),
        ("maximum", LookSpec { style: Style::Maximum, ..plain.clone() }),
        ("clip", LookSpec { clip: [[0.0, 1.0], [0.0, 1.0], [0.0, 0.48]], ..plain.clone() }),
    ];
    let mut painter = Painter::new(&plain).expect("a valid look");
    painter.apply(&mut everything(&simulation, volume, &plain)).expect("a small box");
    let mut marcher = Renderer::new(simulation.world().ground.surface(), volume.grid, plain).expect("a valid look");
    marcher.set_steps(simulation.steps());
    for (name, look) in looks {
        painter.set_look(&look).expect("a valid look");
        marcher.set_look(look).expect("a valid look");
        let camera = Camera::new(&CameraSpec::default(), &marcher.subject(), SIZE);
        let marched = marcher.frame(volume, &camera);
        let painted = painter.picture(&view(camera), 1, false).expect("a scene has come");
        keep(name, &marched, &painted);
        let (mean, far) = difference(&marched, &painted);
        // Half-precision maps, 8 bits between texels and triangles instead of bilinear patches account for what is left.
        assert!(mean < 0.5 && far < 0.005, "{name}: mean {mean:.2} levels, {:.2} % of the pixels far", 100.0 * far);
    }
}

/// A painter and a camera for the small volcano.
fn painted(look: &LookSpec) -> Option<(OffscreenSurface, Painter, Camera)> {
    let surface = surface()?;
    let (simulation, lowpass) = eruption();
    let mut painter = Painter::new(look).expect("a valid look");
    painter.apply(&mut everything(&simulation, lowpass.volume(), look)).expect("a small box");
    let camera = Camera::new(&CameraSpec::default(), &painter.subject().expect("a scene has come"), SIZE);
    Some((surface, painter, camera))
}

#[test]
fn jumps_over_empty_bricks_change_no_pixel() {
    let look = LookSpec { style: Style::Scientific, ..LookSpec::default() };
    let Some((_surface, mut painter, camera)) = painted(&look) else { return };
    for style in [Style::Cinematic, Style::Scientific, Style::Surface, Style::Maximum] {
        painter.set_look(&LookSpec { style, ..look.clone() }).expect("a valid look");
        let mut picture = |skipping| {
            painter.set_skipping(skipping);
            painter.picture(&view(camera.clone()), 1, false).expect("a scene has come")
        };
        assert!(picture(true) == picture(false), "{style:?}");
    }
}

#[test]
fn a_transparent_picture_is_empty_where_the_sky_is() {
    let Some((_surface, mut painter, camera)) = painted(&LookSpec::default()) else { return };
    let picture = painter.picture(&view(camera), 1, true).expect("a scene has come");
    let opacity = |x: f32, y: f32| picture.get_pixel((x * SIZE.0 as f32) as u32, (y * SIZE.1 as f32) as u32).0[3];
    assert_eq!([opacity(0.02, 0.02), opacity(0.98, 0.97)], [0, 0], "the corners show the sky");
    assert_eq!(opacity(0.5, 0.6), 255, "the mountain stands in the middle");
}

#[test]
fn the_volume_can_be_seen_from_inside() {
    let Some((_surface, mut painter, _)) = painted(&LookSpec::default()) else { return };
    // Over the crater, looking down into it: glowing lava fills much of the picture.
    let eye = nalgebra::Point3::new(31.0, 44.0, 31.0);
    let inside = Camera::from_pose(eye, (180.0, 80.0), 60.0, SIZE);
    let picture = painter.picture(&view(inside.clone()), 1, false).expect("a scene has come");
    let glowing = |picture: &RgbaImage| picture.pixels().filter(|p| p.0[0] > 200 && p.0[2] < 90).count();
    let bright = glowing(&picture);
    assert!(20 * bright > SIZE.0 * SIZE.1, "{bright} pixels glow");
    let bare = View { volume_shown: false, ..view(inside) };
    let picture = painter.picture(&bare, 1, false).expect("a scene has come");
    assert!(glowing(&picture) < bright / 10);
}

#[test]
fn a_box_that_no_card_holds_is_refused_with_a_reason() {
    let look = LookSpec::default();
    let Some((_surface, mut painter, camera)) = painted(&look) else { return };
    let (simulation, lowpass) = eruption();
    let mut update = everything(&simulation, lowpass.volume(), &look);
    update.report.grid = Grid::new(1, 100_000, 1);
    let refused = painter.apply(&mut update).expect_err("a hundred thousand cells high").to_string();
    assert!(refused.contains("1×100000×1") && refused.contains("lavoxel render"), "{refused}");
    assert!(painter.picture(&view(camera), 1, false).is_none(), "nothing is drawn");
}
