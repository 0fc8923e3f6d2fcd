//! Tests that the painter on the graphics card draws nearly the same pictures as the ray-marcher,
//! for the same scene and camera.

use std::sync::{Arc, MutexGuard};

use image::RgbaImage;
use kiss3d::context::Context;

use super::fixture::{
    SIZE, crust, difference, eruption, everything, flood, furnish, gpu, keep, painter, plume, sea,
    view,
};
use super::{GpuPainter, Screen, View};
use lavoxel_automaton::view::{AirLook, MaterialLook, Preset};
use lavoxel_automaton::world::{CellMeasure, Edit, Matter, Shape};
use lavoxel_base::grid::Grid;
use lavoxel_paint::changes::{Changes, GroundPatch};
use lavoxel_paint::device::{Gpu, Texture};
use lavoxel_render::contents::Contents;
use lavoxel_render::{
    Antialias, Camera, CameraSpec, Cut, LookSpec, Mouth, Renderer, SkyPreset, Style, Surroundings,
};
use lavoxel_sim::lowpass::{AirVolume, LowPass};
use lavoxel_sim::simulation::Simulation;

#[test]
fn the_window_and_the_ray_marcher_draw_the_same_pictures() {
    let (simulation, lowpass) = eruption();
    let volume = lowpass.volume();
    let plain = LookSpec {
        antialias: Antialias::Off,
        ..LookSpec::default()
    };
    let looks = [
        ("cinematic", plain.clone()),
        (
            "no bloom",
            LookSpec {
                glow: 0.0,
                ..plain.clone()
            },
        ),
        (
            "scientific",
            LookSpec {
                style: Style::Scientific,
                ..plain.clone()
            },
        ),
        (
            "surface",
            LookSpec {
                style: Style::Surface,
                color_by: CellMeasure::SpecificEnergy,
                ..plain.clone()
            },
        ),
        (
            "maximum",
            LookSpec {
                style: Style::Maximum,
                ..plain.clone()
            },
        ),
        (
            "clip",
            LookSpec {
                clip: [[0.0, 1.0], [0.0, 1.0], [0.0, 0.48]],
                ..plain.clone()
            },
        ),
    ];
    let Some(mut painter) = painter(&plain) else {
        return;
    };
    painter
        .apply(&mut everything(&simulation, volume, &plain))
        .expect("a small box");
    let mut marcher = Renderer::new(simulation.world().ground().surface(), volume.grid, plain)
        .expect("a valid look");
    marcher.set_steps(simulation.steps());
    // The window's panel draws the colour bar of the plain styles, so the marcher must not.
    marcher.set_contents(Contents {
        legend: false,
        ..Contents::default()
    });
    for (name, look) in looks {
        painter.set_look(&look).expect("a valid look");
        marcher.set_look(look).expect("a valid look");
        let camera = Camera::new(&CameraSpec::default(), &marcher.subject(), SIZE);
        let marched = marcher.frame(volume, &camera);
        let painted = painter
            .picture(&view(camera), 1, false)
            .expect("a scene has come");
        keep(name, &marched, &painted);
        let (mean, far) = difference(&marched, &painted);
        // Half-precision maps, 8 bits between texels, and triangles instead of bilinear patches
        // explain the rest.
        assert!(
            mean < 0.5 && far < 0.005,
            "{name}: mean {mean:.2} levels, {:.2} % of the pixels far",
            100.0 * far
        );
    }
}

#[test]
fn two_pictures_stand_in_their_parts_of_the_window() {
    let (simulation, lowpass) = eruption();
    let look = LookSpec::default();
    let Some(mut painter) = painter(&look) else {
        return;
    };
    painter
        .apply(&mut everything(&simulation, lowpass.volume(), &look))
        .expect("a small box");
    let subject = painter.subject().expect("there is ground");
    let camera = Camera::new(&CameraSpec::default(), &subject, SIZE);
    painter.show(&view(camera));
    let (gpu, (width, height)) = (gpu().expect("the painter has one"), SIZE);
    let window = gpu.target("window", [2 * width, height], Context::render_format());
    let depth = gpu.target("depth", [2 * width, height], Context::depth_format());
    for left in [0, width] {
        painter.place(Some(left as u32..(left + width) as u32));
        render_into(&gpu, &mut painter, [&window, &depth]);
    }
    let encoder = gpu.device.create_command_encoder(&Default::default());
    let bytes = gpu.read(encoder, &window).expect("a device");
    let value = |at: usize| half::f16::from_le_bytes([bytes[2 * at], bytes[2 * at + 1]]).to_f32();
    let row = 4 * width;
    let (mut apart, mut bright) = (0.0, 0.0);
    for at in 0..row * height {
        let here = 2 * row * (at / row) + at % row;
        apart += (value(here) - value(here + row)).abs();
        bright += value(here).abs();
    }
    // Dither and more averaged frames explain the rest.
    assert!(bright > 0.0 && apart < 0.05 * bright, "{apart} of {bright}");
    let columns = |x: usize| (0..height).map(move |y| value(2 * row * y + 4 * x));
    let spread = (0..width).map(|x| columns(x).sum::<f32>());
    let (least, most) = spread.fold((f32::MAX, 0.0_f32), |(a, b), x| (a.min(x), b.max(x)));
    assert!(
        most > 1.2 * least,
        "the picture is not one colour: {least} to {most}"
    );
    painter.place(None);
}

/// Draws the next frame of `painter` into `light` and `depth`, which stand in for the window's
/// textures.
fn render_into(gpu: &Gpu, painter: &mut GpuPainter, [light, depth]: [&Texture; 2]) {
    let screen = Screen {
        format: Context::render_format(),
        depth: Some(Context::depth_format()),
        samples: 1,
        is_coded: false,
    };
    let size = [light.texture.width(), light.texture.height()];
    for _ in 0..3 {
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        let color = wgpu::RenderPassColorAttachment {
            view: &light.view,
            resolve_target: None,
            ops: wgpu::Operations {
                load: wgpu::LoadOp::Load,
                store: wgpu::StoreOp::Store,
            },
            depth_slice: None,
        };
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: None,
            color_attachments: &[Some(color)],
            depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                view: &depth.view,
                depth_ops: Some(wgpu::Operations {
                    load: wgpu::LoadOp::Clear(0.0),
                    store: wgpu::StoreOp::Store,
                }),
                stencil_ops: None,
            }),
            ..Default::default()
        });
        painter.draw(&mut pass, size, &screen);
        drop(pass);
        gpu.queue.submit([encoder.finish()]);
    }
}

#[test]
#[ignore = "many pictures on a software card; .ci/full: cargo test -p lavoxel-window -- --ignored draw_the_same"]
fn the_window_and_the_ray_marcher_draw_the_same_sea() {
    let (simulation, lowpass) = eruption();
    let mut volume = lowpass.volume().clone();
    flood(&mut volume);
    let plain = LookSpec {
        antialias: Antialias::Off,
        sky: SkyPreset::Day,
        ..LookSpec::default()
    };
    let Some(mut painter) = painter(&plain) else {
        return;
    };
    painter
        .apply(&mut everything(&simulation, &volume, &plain))
        .expect("a small box");
    let ground = simulation.world().ground();
    let mut marcher =
        Renderer::new(ground.surface(), volume.grid, plain.clone()).expect("a valid look");
    marcher.set_steps(simulation.steps());
    marcher.set_contents(Contents {
        legend: false,
        ..Contents::default()
    });
    let day = SkyPreset::Day;
    // By night, only lava lights the sea.
    let looks = [
        (Style::Cinematic, day),
        (Style::Cinematic, SkyPreset::Night),
        (Style::Scientific, day),
        (Style::Surface, day),
        (Style::Maximum, day),
    ];
    for (style, sky) in looks {
        for clip in [plain.clip, [[0.0, 1.0], [0.0, 1.0], [0.0, 0.6]]] {
            let look = LookSpec {
                style,
                sky,
                clip,
                ..plain.clone()
            };
            painter.set_look(&look).expect("a valid look");
            marcher.set_look(look).expect("a valid look");
            let camera = Camera::new(&CameraSpec::default(), &marcher.subject(), SIZE);
            let marched = marcher.frame(&volume, &camera);
            let mut painted = |skipping| {
                painter.set_skipping(skipping);
                painter
                    .picture(&view(camera.clone()), 1, false)
                    .expect("a scene has come")
            };
            let jumping = painted(true);
            // Jumps depend on the style and the shown part, not on the light.
            assert!(
                sky != day || painted(false) == jumping,
                "{style:?}, {sky:?}: jumps over empty bricks"
            );
            let name = format!("sea {style:?} {sky:?} {}", clip[2][1]);
            let painted = jumping;
            keep(&name, &marched, &painted);
            let (mean, far) = difference(&marched, &painted);
            assert!(
                mean < 0.6 && far < 0.008,
                "{name}: mean {mean:.2} levels, {:.2} % far",
                100.0 * far
            );
        }
    }
}

#[test]
#[ignore = "many pictures on a software card; .ci/full: cargo test -p lavoxel-window -- --ignored draw_the_same"]
fn the_window_and_the_ray_marcher_draw_the_same_sea_past_the_box() {
    let (simulation, lowpass) = eruption();
    let mut volume = lowpass.volume().clone();
    // The level lies below the ground on some parts of the sides, and above on the rest.
    volume.media = vec![sea(volume.grid, 9.3)];
    let plain = LookSpec {
        antialias: Antialias::Off,
        surroundings: Surroundings::Sea,
        ..LookSpec::default()
    };
    let Some(mut painter) = painter(&plain) else {
        return;
    };
    painter
        .apply(&mut everything(&simulation, &volume, &plain))
        .expect("a small box");
    let ground = simulation.world().ground().surface();
    let mut marcher = Renderer::new(ground, volume.grid, plain.clone()).expect("a valid look");
    marcher.set_steps(simulation.steps());
    marcher.set_contents(Contents {
        legend: false,
        ..Contents::default()
    });
    let cut = LookSpec {
        clip: [[0.0, 1.0], [0.0, 1.0], [0.0, 0.6]],
        ..plain.clone()
    };
    let low = CameraSpec {
        elevation_deg: 6.0,
        azimuth_deg: 200.0,
        ..CameraSpec::default()
    };
    let beside = CameraSpec {
        target: Some([-0.4, 0.2, 0.5]),
        distance: Some(0.9),
        ..CameraSpec::default()
    };
    let views = [
        ("low", plain.clone(), low),
        (
            "beside",
            LookSpec {
                sky: SkyPreset::Day,
                ..plain.clone()
            },
            beside,
        ),
        ("cut", cut, CameraSpec::default()),
    ];
    for (name, look, spec) in views {
        painter.set_look(&look).expect("a valid look");
        marcher.set_look(look).expect("a valid look");
        let camera = Camera::new(&spec, &marcher.subject(), SIZE);
        let marched = marcher.frame(&volume, &camera);
        let painted = painter
            .picture(&view(camera), 1, false)
            .expect("a scene has come");
        let name = format!("sea past the box {name}");
        keep(&name, &marched, &painted);
        let (mean, far) = difference(&marched, &painted);
        assert!(
            mean < 0.6 && far < 0.008,
            "{name}: mean {mean:.2} levels, {:.2} % far",
            100.0 * far
        );
    }
}

#[test]
#[ignore = "many pictures on a software card; .ci/full: cargo test -p lavoxel-window -- --ignored draw_the_same"]
fn the_window_and_the_ray_marcher_draw_the_same_sparks() {
    let (simulation, lowpass) = eruption();
    let mut volume = lowpass.volume().clone();
    let plain = LookSpec {
        antialias: Antialias::Off,
        sky: SkyPreset::Night,
        ..LookSpec::default()
    };
    let ground = simulation.world().ground().surface();
    let mouths = Mouth::all_from_vents(
        simulation.vents(),
        (&volume, ground),
        (simulation.seed(), simulation.steps()),
    );
    assert_eq!(mouths.len(), 1);
    let Some(mut painter) = painter(&plain) else {
        return;
    };
    let mut marcher = Renderer::new(ground, volume.grid, plain.clone()).expect("a valid look");
    marcher.set_steps(simulation.steps());
    marcher.set_mouths(mouths.clone());
    let mut drawn = Vec::new();
    for (air, wanted) in [(None, vec![1.0, 0.0]), (Some(Arc::new(plume())), vec![1.0])] {
        volume.air = air;
        let all = everything(&simulation, &volume, &plain);
        painter
            .apply(&mut Changes {
                mouths: mouths.clone(),
                ..all
            })
            .expect("a small box");
        for sparks in wanted {
            let look = LookSpec {
                sparks,
                ..plain.clone()
            };
            painter.set_look(&look).expect("a valid look");
            marcher.set_look(look).expect("a valid look");
            let spec = CameraSpec {
                target: Some([0.5, 0.9, 0.5]),
                distance: Some(0.8),
                ..CameraSpec::default()
            };
            let camera = Camera::new(&spec, &marcher.subject(), SIZE);
            let marched = marcher.frame(&volume, &camera);
            let painted = painter
                .picture(&view(camera), 1, false)
                .expect("a scene has come");
            let name = format!("sparks {sparks} {}", volume.air.is_some());
            keep(&name, &marched, &painted);
            let (mean, far) = difference(&marched, &painted);
            assert!(
                mean < 0.8 && far < 0.012,
                "{name}: mean {mean:.2} levels, {:.2} % far",
                100.0 * far
            );
            drawn.push(painted);
        }
    }
    assert!(drawn[0] != drawn[1], "they are seen");
}

#[test]
#[ignore = "many pictures on a software card; .ci/full: cargo test -p lavoxel-window -- --ignored draw_the_same"]
fn the_window_and_the_ray_marcher_draw_the_same_looks() {
    let (simulation, lowpass) = eruption();
    let plain = LookSpec {
        antialias: Antialias::Off,
        ..LookSpec::default()
    };
    let ground = simulation.world().ground();
    let Some(mut painter) = painter(&plain) else {
        return;
    };
    let of = |preset: Preset| MaterialLook::from_preset(preset);
    let smoke = MaterialLook {
        color: Some("#604020".into()),
        depth: 2.0,
        ..of(Preset::Steam)
    };
    let sets = [
        (
            "in a sea",
            vec![
                of(Preset::Sand),
                of(Preset::Ice),
                of(Preset::Water),
                of(Preset::Steam),
            ],
            Surroundings::Sky,
        ),
        // More media than the channels of one texture.
        (
            "together",
            Preset::ALL[..6]
                .iter()
                .rev()
                .copied()
                .map(of)
                .chain([smoke])
                .collect(),
            Surroundings::Sky,
        ),
        // Water takes its colour out of a bright table beyond the box.
        (
            "smooth",
            vec![
                of(Preset::Wax),
                of(Preset::Gloss),
                of(Preset::Metal),
                of(Preset::Water),
            ],
            Surroundings::Table,
        ),
        (
            "standing",
            vec![of(Preset::Leaves), of(Preset::Wall), of(Preset::Roof)],
            Surroundings::Sky,
        ),
        // Films of melts end in a line on smooth stone.
        (
            "melts",
            vec![of(Preset::Wax), of(Preset::Gloss), of(Preset::Metal)],
            Surroundings::Table,
        ),
    ];
    for (set, looks, surroundings) in sets {
        let plain = LookSpec {
            surroundings,
            ..plain.clone()
        };
        let mut volume = lowpass.volume().clone();
        furnish(&mut volume, &looks);
        painter
            .apply(&mut everything(&simulation, &volume, &plain))
            .expect("a small box");
        let mut marcher =
            Renderer::new(ground.surface(), volume.grid, plain.clone()).expect("a valid look");
        marcher.set_steps(simulation.steps());
        marcher.set_contents(Contents {
            legend: false,
            ..Contents::default()
        });
        let styles = [
            (Style::Cinematic, SkyPreset::Day, plain.clip, 1.0),
            (
                Style::Cinematic,
                SkyPreset::Dusk,
                [[0.0, 1.0], [0.0, 1.0], [0.0, 0.8]],
                1.0,
            ),
            (Style::Cinematic, SkyPreset::Night, plain.clip, 1.0),
            (Style::Cinematic, SkyPreset::Day, plain.clip, 0.5),
            (Style::Scientific, SkyPreset::Day, plain.clip, 1.0),
        ];
        for (style, sky, clip, cell_height) in styles {
            let look = LookSpec {
                style,
                sky,
                clip,
                cell_height,
                ..plain.clone()
            };
            painter.set_look(&look).expect("a valid look");
            marcher.set_look(look).expect("a valid look");
            let subject = marcher.subject().of_tall_cells(cell_height);
            let camera = Camera::new(&CameraSpec::default(), &subject, SIZE);
            let marched = marcher.frame(&volume, &camera);
            let mut painted = |skipping| {
                painter.set_skipping(skipping);
                painter
                    .picture(&view(camera.clone()), 1, false)
                    .expect("a scene has come")
            };
            let name = format!("looks {set} {style:?} {sky:?} {cell_height}");
            let jumping = painted(true);
            // Jumps depend on the style, the shown part and the height of cells, not on the light.
            assert!(
                sky == SkyPreset::Night || painted(false) == jumping,
                "{name}: jumps over empty bricks"
            );
            let painted = jumping;
            keep(&name, &marched, &painted);
            let (mean, far) = difference(&marched, &painted);
            assert!(
                mean < 0.8 && far < 0.012,
                "{name}: mean {mean:.2} levels, {:.2} % far",
                100.0 * far
            );
        }
    }
}

#[test]
#[ignore = "many pictures on a software card; .ci/full: cargo test -p lavoxel-window -- --ignored draw_the_same"]
fn the_window_and_the_ray_marcher_draw_the_same_smoke() {
    let (simulation, lowpass) = eruption();
    let plain = LookSpec {
        antialias: Antialias::Off,
        ..LookSpec::default()
    };
    let smooth = AirLook {
        detail: 0.0,
        ..AirLook::default()
    };
    let lit = AirLook {
        detail: 1.0,
        glow: 3.0,
        self_shadow: false,
        ..AirLook::default()
    };
    let usual = CameraSpec::default();
    let high = CameraSpec {
        target: Some([0.5, 0.9, 0.5]),
        elevation_deg: 8.0,
        ..CameraSpec::default()
    };
    let (bare, mut among) = (lowpass.volume().clone(), lowpass.volume().clone());
    furnish(
        &mut among,
        &[Preset::Water, Preset::Steam, Preset::Sand].map(MaterialLook::from_preset),
    );
    let Some(mut painter) = painter(&plain) else {
        return;
    };
    let inked = |cells: usize| {
        (0..cells)
            .map(|k| [(k % 97) as u8, (k / 7 % 61) as u8, (k % 32 * 3) as u8, 0])
            .collect()
    };
    for (set, mut volume, has_inks) in [
        ("alone", bare.clone(), false),
        ("of inks", bare, true),
        ("among others", among, false),
    ] {
        let plume = plume();
        let inks = if has_inks {
            inked(plume.carried.len())
        } else {
            Vec::new()
        };
        volume.air = Some(Arc::new(AirVolume { inks, ..plume }));
        painter
            .apply(&mut everything(&simulation, &volume, &plain))
            .expect("a small box");
        let ground = simulation.world().ground().surface();
        let mut marcher = Renderer::new(ground, volume.grid, plain.clone()).expect("a valid look");
        marcher.set_steps(simulation.steps());
        marcher.set_contents(Contents {
            legend: false,
            ..Contents::default()
        });
        let views = [
            (
                LookSpec {
                    sky: SkyPreset::Day,
                    ..plain.clone()
                },
                &usual,
            ),
            (
                LookSpec {
                    air: smooth.clone(),
                    ..plain.clone()
                },
                &high,
            ),
            (
                LookSpec {
                    sky: SkyPreset::Day,
                    cell_height: 0.5,
                    ..plain.clone()
                },
                &usual,
            ),
            (
                LookSpec {
                    sky: SkyPreset::Night,
                    air: lit.clone(),
                    ..plain.clone()
                },
                &high,
            ),
            (
                LookSpec {
                    sky: SkyPreset::Day,
                    clip: [[0.0, 1.0], [0.0, 1.0], [0.0, 0.5]],
                    ..plain.clone()
                },
                &high,
            ),
            (
                LookSpec {
                    style: Style::Scientific,
                    ..plain.clone()
                },
                &high,
            ),
            (
                LookSpec {
                    style: Style::Surface,
                    ..plain.clone()
                },
                &high,
            ),
            (
                LookSpec {
                    style: Style::Maximum,
                    ..plain.clone()
                },
                &usual,
            ),
        ];
        for (k, (look, camera)) in views.into_iter().enumerate() {
            painter.set_look(&look).expect("a valid look");
            let subject = marcher.subject().of_tall_cells(look.cell_height);
            marcher.set_look(look).expect("a valid look");
            let camera = Camera::new(camera, &subject, SIZE);
            let marched = marcher.frame(&volume, &camera);
            let painted = painter
                .picture(&view(camera), 1, false)
                .expect("a scene has come");
            let name = format!("smoke {set} {k}");
            keep(&name, &marched, &painted);
            let (mean, far) = difference(&marched, &painted);
            assert!(
                mean < 0.8 && far < 0.012,
                "{name}: mean {mean:.2} levels, {:.2} % far",
                100.0 * far
            );
        }
    }
}

#[test]
#[ignore = "many pictures on a software card; .ci/full: cargo test -p lavoxel-window -- --ignored draw_the_same"]
fn the_window_and_the_ray_marcher_draw_the_same_crust_by_its_age() {
    let (simulation, lowpass) = eruption();
    let mut volume = lowpass.volume().clone();
    let plain = LookSpec {
        antialias: Antialias::Off,
        kelvin: Some([300.0, 1360.0]),
        ..LookSpec::default()
    };
    let Some(mut painter) = painter(&plain) else {
        return;
    };
    let ground = simulation.world().ground().surface();
    let mut marcher = Renderer::new(ground, volume.grid, plain.clone()).expect("a valid look");
    marcher.set_steps(simulation.steps());
    let mut pictures = Vec::new();
    for crust in [None, Some(Arc::new(crust(volume.grid)))] {
        volume.crust = crust;
        painter
            .apply(&mut everything(&simulation, &volume, &plain))
            .expect("a small box");
        for (sky, cell_height) in [(SkyPreset::Dusk, 1.0), (SkyPreset::Day, 0.4)] {
            let look = LookSpec {
                sky,
                cell_height,
                ..plain.clone()
            };
            painter.set_look(&look).expect("a valid look");
            marcher.set_look(look).expect("a valid look");
            let subject = marcher.subject().of_tall_cells(cell_height);
            let camera = Camera::new(&CameraSpec::default(), &subject, SIZE);
            let marched = marcher.frame(&volume, &camera);
            let painted = painter
                .picture(&view(camera), 1, false)
                .expect("a scene has come");
            let name = format!("crust {sky:?} {}", volume.crust.is_some());
            keep(&name, &marched, &painted);
            let (mean, far) = difference(&marched, &painted);
            assert!(
                mean < 0.6 && far < 0.008,
                "{name}: mean {mean:.2} levels, {:.2} % far",
                100.0 * far
            );
            pictures.push(painted);
        }
    }
    assert!(
        pictures[0] != pictures[2] && pictures[1] != pictures[3],
        "the age is seen"
    );
}

#[test]
fn smoke_comes_and_goes_with_the_air() {
    let look = LookSpec::default();
    let Some((mut painter, camera)) = painted(&look) else {
        return;
    };
    let (simulation, lowpass) = eruption();
    let mut picture = |air: Option<AirVolume>| {
        let all = everything(&simulation, lowpass.volume(), &look);
        let air = Some(air.map(Arc::new));
        let mut update = Changes {
            reset: false,
            air,
            ground: None,
            patches: Vec::new(),
            bricks: None,
            ember: None,
            ..all
        };
        painter.apply(&mut update).expect("a small box");
        painter
            .picture(&view(camera.clone()), 1, false)
            .expect("a scene has come")
    };
    let clear = picture(None);
    let smoky = picture(Some(plume()));
    assert!(smoky != clear, "smoke is seen");
    assert!(picture(None) == clear, "nothing of it is left");
    let mut thin = plume();
    thin.carried
        .iter_mut()
        .for_each(|carried| *carried = carried.map(|value| value / 2));
    assert!(
        ![clear, smoky].contains(&picture(Some(thin))),
        "thinner smoke is another picture"
    );
}

/// Returns a small volcano with a tunnel through its foot, an arch, and an overhanging shelf.
fn hollow() -> (Simulation, LowPass) {
    let (mut simulation, _) = eruption();
    let edits = [
        ([9.0, 4.0, 0.0], [15.0, 9.0, 64.0], Matter::Nothing),
        ([40.0, 0.0, 48.0], [60.0, 26.0, 54.0], Matter::Rock),
        ([44.0, 0.0, 48.0], [56.0, 21.0, 54.0], Matter::Nothing),
        ([44.0, 0.0, 48.0], [56.0, 5.0, 54.0], Matter::Rock),
        ([2.0, 0.0, 46.0], [5.0, 25.0, 58.0], Matter::Rock),
        ([5.0, 22.0, 46.0], [16.0, 25.0, 58.0], Matter::Rock),
    ];
    for (from, to, matter) in edits {
        simulation
            .command(Edit {
                shape: Shape::Box { from, to },
                matter,
            })
            .expect("in the box");
    }
    (0..5).for_each(|_| simulation.step());
    let mut lowpass = LowPass::new(simulation.world().grid());
    lowpass.refresh(simulation.world());
    (simulation, lowpass)
}

#[test]
#[ignore = "many pictures on a software card; .ci/full: cargo test -p lavoxel-window -- --ignored draw_the_same"]
fn the_window_and_the_ray_marcher_draw_the_same_caves() {
    let (simulation, lowpass) = hollow();
    let volume = lowpass.volume();
    let plain = LookSpec {
        antialias: Antialias::Off,
        ..LookSpec::default()
    };
    let clip = [[0.2, 1.0], [0.0, 0.44], [0.0, 0.8]];
    let looks = [
        ("", plain.clone()),
        (
            " by day",
            LookSpec {
                sky: SkyPreset::Day,
                surroundings: Surroundings::Land,
                ..plain.clone()
            },
        ),
        (
            " scientific",
            LookSpec {
                style: Style::Scientific,
                ..plain.clone()
            },
        ),
        (
            " cut open",
            LookSpec {
                clip,
                surroundings: Surroundings::Table,
                ..plain.clone()
            },
        ),
    ];
    let Some(mut painter) = painter(&plain) else {
        return;
    };
    painter
        .apply(&mut everything(&simulation, volume, &plain))
        .expect("a small box");
    let ground = simulation.world().ground();
    let mut marcher =
        Renderer::new(ground.surface(), volume.grid, plain.clone()).expect("a valid look");
    marcher.set_steps(simulation.steps());
    marcher.set_contents(Contents {
        legend: false,
        ..Contents::default()
    });
    // Rock that was lava has rounded hollows.
    let mut round = ground.clone();
    let hollow: Vec<usize> = ground.caves().iter().map(|(column, _)| *column).collect();
    hollow
        .iter()
        .for_each(|column| round.set_fresh(column % volume.grid.nx, column / volume.grid.nx, true));
    for (ground, kind) in [(ground, "caves"), (&round, "hollows")] {
        let patch = Some(GroundPatch::whole(ground, 1.0));
        let all = everything(&simulation, volume, &plain);
        let mut update = Changes {
            reset: false,
            ground: patch,
            patches: Vec::new(),
            bricks: None,
            ember: None,
            ..all
        };
        painter.apply(&mut update).expect("a small box");
        marcher.set_ground(ground);
        for (name, look) in &looks {
            painter.set_look(look).expect("a valid look");
            marcher.set_look(look.clone()).expect("a valid look");
            for azimuth_deg in [150.0, 265.0] {
                let spec = CameraSpec {
                    azimuth_deg,
                    elevation_deg: 14.0,
                    ..CameraSpec::default()
                };
                let camera = Camera::new(&spec, &marcher.subject(), SIZE);
                let marched = marcher.frame(volume, &camera);
                let painted = painter
                    .picture(&view(camera), 1, false)
                    .expect("a scene has come");
                let name = format!("{kind}{name} {azimuth_deg}");
                keep(&name, &marched, &painted);
                let (mean, far) = difference(&marched, &painted);
                // On land, ground fills the whole picture.
                assert!(
                    mean < 0.95 && far < 0.008,
                    "{name}: mean {mean:.2} levels, {:.2} % far",
                    100.0 * far
                );
            }
        }
    }
}

#[test]
fn caves_come_and_go_with_the_ground() {
    let look = LookSpec {
        antialias: Antialias::Off,
        ..LookSpec::default()
    };
    let ((before, lowpass), (after, _)) = (eruption(), hollow());
    let volume = lowpass.volume();
    let Some(mut painter) = painter(&look) else {
        return;
    };
    painter
        .apply(&mut everything(&before, volume, &look))
        .expect("a small box");
    let spec = CameraSpec {
        azimuth_deg: 20.0,
        elevation_deg: 14.0,
        ..CameraSpec::default()
    };
    let camera = Camera::new(&spec, &painter.subject().expect("a scene has come"), SIZE);
    let mut picture = |ground: Option<&Simulation>| {
        if let Some(simulation) = ground {
            let all = everything(&before, volume, &look);
            let ground = Some(GroundPatch::whole(simulation.world().ground(), 1.0));
            let mut update = Changes {
                reset: false,
                ground,
                patches: Vec::new(),
                bricks: None,
                ember: None,
                ..all
            };
            painter.apply(&mut update).expect("a small box");
        }
        painter
            .picture(&view(camera.clone()), 1, false)
            .expect("a scene has come")
    };
    let plain = picture(None);
    let hollow = picture(Some(&after));
    assert!(hollow != plain, "caves are seen");
    assert!(picture(Some(&before)) == plain, "nothing of them is left");
    assert!(picture(Some(&after)) == hollow, "they are seen again");
}

/// Returns a painter with the small volcano and the look `look`, and a camera; `None` without a
/// graphics driver.
fn painted(look: &LookSpec) -> Option<(MutexGuard<'static, GpuPainter>, Camera)> {
    let mut painter = painter(look)?;
    let (simulation, lowpass) = eruption();
    painter
        .apply(&mut everything(&simulation, lowpass.volume(), look))
        .expect("a small box");
    let camera = Camera::new(
        &CameraSpec::default(),
        &painter.subject().expect("a scene has come"),
        SIZE,
    );
    Some((painter, camera))
}

#[test]
fn jumps_over_empty_bricks_change_no_pixel() {
    let look = LookSpec {
        style: Style::Scientific,
        ..LookSpec::default()
    };
    let Some((mut painter, camera)) = painted(&look) else {
        return;
    };
    for style in [
        Style::Cinematic,
        Style::Scientific,
        Style::Surface,
        Style::Maximum,
    ] {
        painter
            .set_look(&LookSpec {
                style,
                ..look.clone()
            })
            .expect("a valid look");
        let mut picture = |skipping| {
            painter.set_skipping(skipping);
            painter
                .picture(&view(camera.clone()), 1, false)
                .expect("a scene has come")
        };
        assert!(picture(true) == picture(false), "{style:?}");
    }
}

#[test]
fn a_transparent_picture_is_empty_where_the_sky_is() {
    let Some((mut painter, camera)) = painted(&LookSpec::default()) else {
        return;
    };
    let picture = painter
        .picture(&view(camera), 1, true)
        .expect("a scene has come");
    let opacity = |x: f32, y: f32| {
        picture
            .get_pixel((x * SIZE.0 as f32) as u32, (y * SIZE.1 as f32) as u32)
            .0[3]
    };
    assert_eq!(
        [opacity(0.02, 0.02), opacity(0.98, 0.97)],
        [0, 0],
        "the corners show the sky"
    );
    assert_eq!(opacity(0.5, 0.6), 255, "the mountain stands in the middle");
}

#[test]
fn the_volume_can_be_seen_from_inside() {
    let Some((mut painter, _)) = painted(&LookSpec::default()) else {
        return;
    };
    // The camera looks down into the crater: glowing lava fills much of the picture.
    let eye = nalgebra::Point3::new(31.0, 22.0, 31.0);
    let inside = Camera::from_pose(eye, (180.0, 80.0), 60.0, SIZE);
    let picture = painter
        .picture(&view(inside.clone()), 1, false)
        .expect("a scene has come");
    let glowing = |picture: &RgbaImage| picture.pixels().filter(|p| p.0[0] > 200).count();
    let bright = glowing(&picture);
    assert!(20 * bright > SIZE.0 * SIZE.1, "{bright} pixels glow");
    let bare = View {
        volume_shown: false,
        ..view(inside)
    };
    let picture = painter.picture(&bare, 1, false).expect("a scene has come");
    assert!(glowing(&picture) < bright / 10);
}

#[test]
fn a_box_that_no_card_holds_is_refused_with_a_reason() {
    let look = LookSpec::default();
    let Some((mut painter, camera)) = painted(&look) else {
        return;
    };
    let (simulation, lowpass) = eruption();
    let mut update = everything(&simulation, lowpass.volume(), &look);
    update.grid = Grid::new(1, 100_000, 1);
    let refused = painter
        .apply(&mut update)
        .expect_err("a hundred thousand cells high")
        .to_string();
    assert!(
        refused.contains("1×100000×1") && refused.contains("lavoxel render"),
        "{refused}"
    );
    assert!(
        painter.picture(&view(camera), 1, false).is_none(),
        "nothing is drawn"
    );
}

#[test]
fn a_slice_of_amounts_cuts_the_box_open_at_once_on_the_side_of_the_eye() {
    let look = LookSpec::default();
    let Some((mut painter, camera)) = painted(&look) else {
        return;
    };
    let (simulation, lowpass) = eruption();
    let (grid, ground) = (lowpass.volume().grid, simulation.world().ground());
    let mut update = everything(&simulation, lowpass.volume(), &look);
    let cell = 31;
    let rock = |i: usize| {
        if ground.is_solid([cell, i / grid.nz, i % grid.nz]) {
            [0, 0, 0, 2]
        } else {
            [0; 4]
        }
    };
    let texels = (0..grid.nz * grid.ny).map(rock).collect();
    update.cuts[0] = Some(Cut {
        cell,
        width: grid.nz,
        height: grid.ny,
        of_amounts: true,
        texels,
    });
    painter.apply(&mut update).expect("a small box");
    let subject = painter.subject().expect("a scene has come");
    let mut picture = |azimuth_deg: f32, shown: bool, along_x: [f32; 2]| {
        painter
            .set_look(&LookSpec {
                clip: [along_x, [0.0, 1.0], [0.0, 1.0]],
                ..look.clone()
            })
            .expect("a valid look");
        let spec = CameraSpec {
            azimuth_deg,
            ..CameraSpec::default()
        };
        let camera = Camera::new(&spec, &subject, camera.size());
        let view = View {
            cuts_shown: [shown, false, false],
            ..view(camera)
        };
        painter.picture(&view, 1, false).expect("a scene has come")
    };
    let plane = (cell as f32 + 0.5) / grid.nx as f32;
    for (azimuth_deg, part) in [(110.0, [0.0, plane]), (290.0, [plane, 1.0])] {
        let cut = picture(azimuth_deg, true, [0.0, 1.0]);
        assert!(
            cut == picture(azimuth_deg, false, part),
            "from {azimuth_deg}°: as a clip does"
        );
        let whole = picture(azimuth_deg, false, [0.0, 1.0]);
        let changed = cut
            .pixels()
            .zip(whole.pixels())
            .filter(|(a, b)| a != b)
            .count();
        assert!(
            5 * changed > SIZE.0 * SIZE.1 / 2,
            "from {azimuth_deg}°: {changed} pixels changed"
        );
    }
}
