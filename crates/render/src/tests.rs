//! Tests of properties that pictures have for every look and style.

use std::sync::Arc;

use ndarray::Array2;

use super::contents::Contents;
use super::{
    Antialias, Bounds, Camera, CameraSpec, Cut, Image, LookSpec, Renderer, SkyPreset, Style,
};
use crate::volume::places::Skipping;
use lavoxel_automaton::engine::tiled::Tiled;
use lavoxel_automaton::world::{CellMeasure, Edit, Matter, Shape};
use lavoxel_base::grid::Grid;
use lavoxel_base::simd::Level;
use lavoxel_scene::scene::{Scene, VentPlace};
use lavoxel_sim::lowpass::{LowPass, Volume};
use lavoxel_sim::state::State;

/// Returns the ground heights of a cone, and a test volume with a few blobs of lava above.
fn scene() -> (Array2<f32>, Volume) {
    let grid = Grid::new(24, 20, 28);
    let ground = Array2::from_shape_fn((28, 24), |(z, x)| {
        (11.0 - (x as f32 - 12.0).hypot(z as f32 - 13.0)).max(1.0)
    });
    let mut volume = Volume::empty(grid);
    for (x, y, z, strength) in [
        (12.0, 12.0, 13.0, 300.0),
        (17.0, 7.0, 16.0, 180.0),
        (5.0, 3.0, 24.0, 60.0_f32),
    ] {
        for (i, density) in volume.density.iter_mut().enumerate() {
            let cell = (
                (i % 24) as f32 + 0.5,
                (i / 24 % 20) as f32 + 0.5,
                (i / 480) as f32 + 0.5,
            );
            let far = (cell.0 - x).powi(2) + (cell.1 - y).powi(2) + (cell.2 - z).powi(2);
            *density = density.saturating_add((strength * (-far / 6.0).exp()).min(255.0) as u8);
        }
    }
    volume.energy = volume.density.iter().map(|d| d / 2).collect();
    (ground, volume)
}

fn looks() -> impl Iterator<Item = LookSpec> {
    let styles = [
        Style::Cinematic,
        Style::Scientific,
        Style::Surface,
        Style::Maximum,
    ];
    // The clip cuts the largest blob along every axis.
    let clips = [
        LookSpec::default().clip,
        [[0.0, 0.52], [0.3, 0.63], [0.45, 1.0]],
    ];
    styles.into_iter().flat_map(move |style| {
        clips.map(|clip| LookSpec {
            style,
            clip,
            ..LookSpec::default()
        })
    })
}

fn picture(ground: &Array2<f32>, volume: &Volume, look: LookSpec, skipping: Skipping) -> Image {
    let mut renderer = Renderer::new(ground, volume.grid, look).expect("a valid look");
    let camera = Camera::new(&CameraSpec::default(), &renderer.subject(), (72, 54));
    renderer.draw(volume, &camera, skipping)
}

#[test]
fn skipping_empty_space_changes_no_pixel() {
    let (ground, volume) = scene();
    let mut renderer =
        Renderer::new(&ground, volume.grid, LookSpec::default()).expect("a valid look");
    let camera = Camera::new(&CameraSpec::default(), &renderer.subject(), (72, 54));
    for look in looks() {
        renderer.set_look(look.clone()).expect("a valid look");
        let fast = renderer.draw(&volume, &camera, Skipping::Bricks);
        assert_eq!(
            fast,
            renderer.draw(&volume, &camera, Skipping::Never),
            "{look:?}"
        );
    }
}

/// Returns test data: ground heights, a volume with lava in a box so large that some blocks are
/// empty, and cameras around, above and inside the box.
fn views() -> (Array2<f32>, Volume, Vec<Camera>) {
    let (_, small) = scene();
    let grid = Grid::new(75, 58, 81);
    let ground = Array2::from_shape_fn((81, 75), |(z, x)| {
        (30.0 - (x as f32 - 40.0).hypot(z as f32 - 37.0)).max(1.0)
    });
    let mut volume = Volume::empty(grid);
    for (i, (density, energy)) in small.density.iter().zip(&small.energy).enumerate() {
        for [dx, dy, dz] in [[30, 22, 20], [51, 38, 53], [0, 0, 0]] {
            let cell = grid.index([i % 24 + dx, i / 24 % 20 + dy, i / 480 + dz]);
            (volume.density[cell], volume.energy[cell]) = (*density, *energy);
        }
    }
    let bounds = Bounds::from_grid(grid);
    let orbit = [
        (150.0, 27.0, None),
        (20.0, 80.0, None),
        (250.0, -30.0, Some(0.4)),
        (330.0, 10.0, Some(0.02)),
    ];
    let mut cameras: Vec<Camera> = orbit
        .map(|(azimuth_deg, elevation_deg, distance)| {
            let spec = CameraSpec {
                azimuth_deg,
                elevation_deg,
                distance,
                ..CameraSpec::default()
            };
            Camera::new(&spec, &bounds, (75, 50))
        })
        .into();
    cameras.push(Camera::from_pose(
        [42.0, 40.0, 34.0].into(),
        (70.0, 5.0),
        90.0,
        (50, 41),
    ));
    (ground, volume, cameras)
}

#[test]
fn pictures_are_those_that_a_walk_through_every_sample_gives() {
    let (ground, volume, cameras) = views();
    let mut renderer =
        Renderer::new(&ground, volume.grid, LookSpec::default()).expect("a valid look");
    for look in looks() {
        for antialias in [Antialias::Off, Antialias::Edges] {
            renderer
                .set_look(LookSpec {
                    antialias,
                    step: 0.7,
                    ..look.clone()
                })
                .expect("a valid look");
            for (number, camera) in cameras.iter().enumerate() {
                let fast = renderer.draw(&volume, camera, Skipping::Bricks);
                assert_eq!(
                    fast,
                    renderer.draw(&volume, camera, Skipping::Never),
                    "camera {number}, {look:?}"
                );
            }
        }
    }
}

#[test]
fn lava_at_the_sides_of_a_box_changes_no_pixel_by_skipping() {
    for turn in 0..10 {
        let grid = Grid::new(
            57 + turn,
            57 + (3 * turn + 4) % 10,
            57 + (7 * turn + 1) % 10,
        );
        let sides = [grid.nx, grid.ny, grid.nz];
        let mut volume = Volume::empty(grid);
        for i in 0..grid.cells() {
            let place = [i % grid.nx, i / grid.nx % grid.ny, i / grid.slab()];
            // Edges and corners of the box: at least two coordinates are those of a side.
            if (0..3)
                .filter(|&axis| place[axis] == 0 || place[axis] + 1 == sides[axis])
                .count()
                >= 2
            {
                (volume.density[i], volume.energy[i]) = (230, 150);
            }
        }
        let ground = Array2::from_elem((grid.nz, grid.nx), if turn % 2 == 0 { -1.0 } else { 2.5 });
        let mut renderer = Renderer::new(&ground, grid, LookSpec::default()).expect("a valid look");
        // Views of a corner, near enough to see parts of bricks, and of the whole box.
        let ends: [f32; 3] =
            std::array::from_fn(|axis| if turn >> axis & 1 == 1 { 1.0 } else { 0.0 });
        let near = CameraSpec {
            azimuth_deg: 37.0 * turn as f32,
            elevation_deg: 20.0,
            distance: Some(1.0),
            target: Some(ends),
            fov_deg: 5.0,
            ..CameraSpec::default()
        };
        for camera in [near, CameraSpec::default()]
            .map(|spec| Camera::new(&spec, &Bounds::from_grid(grid), (64, 48)))
        {
            for look in looks() {
                renderer.set_look(look.clone()).expect("a valid look");
                let fast = renderer.draw(&volume, &camera, Skipping::Bricks);
                assert_eq!(
                    fast,
                    renderer.draw(&volume, &camera, Skipping::Never),
                    "{grid:?}, {look:?}"
                );
            }
        }
    }
}

/// Returns the states of a test world after a few steps of a simulation, with lava added and
/// removed between the steps.
fn history() -> Vec<State> {
    let ball = |center: [f64; 3], matter: Matter| Edit {
        shape: Shape::Sphere {
            center,
            radius: 5.0,
        },
        matter,
    };
    let lava = Matter::Lava {
        amount: 0.9,
        energy: 1.1,
        temperature_k: None,
    };
    let mut scene = Scene::volcano();
    scene.spec.grid.size = [70, 50, 53];
    scene.spec.vents[0].place = VentPlace::Cells { x: 34.0, z: 25.0 };
    let mut simulation = scene
        .build(Box::new(Tiled::default()))
        .expect("a valid scene")
        .simulation;
    let mut worlds = Vec::new();
    for edit in [
        None,
        Some(ball([12.0, 44.0, 12.0], lava)),
        None,
        Some(ball([12.0, 20.0, 12.0], Matter::Drain)),
    ] {
        (0..30).for_each(|_| simulation.step());
        let mut world = simulation.world().clone();
        if let Some(edit) = edit {
            world.edit(&edit);
        }
        // Each world twice: the second frame has no changes.
        worlds.extend([world.clone(), world]);
    }
    worlds
}

#[test]
fn a_frame_after_changes_is_the_frame_of_a_fresh_renderer() {
    let worlds = history();
    let (ground, grid) = (worlds[0].ground.surface(), worlds[0].grid);
    let mut kept = Renderer::new(ground, grid, LookSpec::default()).expect("a valid look");
    let mut fresh = kept.clone();
    let camera = Camera::new(&CameraSpec::default(), &kept.subject(), (48, 36));
    for (look, smoothing) in looks().flat_map(|look| [(look.clone(), 0.0), (look, 0.8)]) {
        let look = LookSpec { smoothing, ..look };
        kept.set_look(look.clone()).expect("a valid look");
        fresh.set_look(look.clone()).expect("a valid look");
        let mut lowpass = LowPass::new(grid);
        for (number, world) in worlds.iter().enumerate() {
            lowpass.refresh(world);
            // For a plain volume, nothing is known from frame to frame.
            let expected = fresh.frame(lowpass.volume(), &camera);
            assert_eq!(
                kept.frame_of(&mut lowpass, &camera),
                expected,
                "world {number}, {look:?}"
            );
        }
    }
}

#[test]
fn changes_that_someone_else_took_are_not_missed() {
    let worlds = history();
    let (ground, grid) = (worlds[0].ground.surface(), worlds[0].grid);
    let mut kept = Renderer::new(ground, grid, LookSpec::default()).expect("a valid look");
    let camera = Camera::new(&CameraSpec::default(), &kept.subject(), (48, 36));
    let mut lowpass = LowPass::new(grid);
    let mut check = |lowpass: &mut LowPass, disturb: &dyn Fn(&mut Renderer, &mut LowPass)| {
        disturb(&mut kept, lowpass);
        let expected = kept.clone().frame(lowpass.volume(), &camera);
        assert_eq!(kept.frame_of(lowpass, &camera), expected);
    };
    lowpass.refresh(&worlds[2]);
    check(&mut lowpass, &|_, _| {});
    lowpass.refresh(&worlds[4]);
    check(&mut lowpass, &|_, lowpass| drop(lowpass.take_changes()));
    lowpass.refresh(&worlds[6]);
    check(&mut lowpass, &|kept, _| {
        drop(kept.frame(&Volume::empty(grid), &camera))
    });
    let mut copy = lowpass.clone();
    copy.refresh(&worlds[0]);
    check(&mut copy, &|_, _| {});
    check(&mut lowpass, &|_, _| {});
}

#[test]
fn a_clip_hides_what_is_outside_and_cuts_open_what_is_inside() {
    let grid = Grid::new(24, 24, 24);
    let ground = Array2::zeros((24, 24));
    let mut block = Volume::empty(grid);
    for z in 6..18 {
        for y in 6..18 {
            block.density[grid.index([6, y, z])..][..12].fill(255);
            block.energy[grid.index([6, y, z])..][..12].fill(120);
        }
    }
    // View from the east, level with the middle: the cut is a square in the middle of the picture.
    let spec = CameraSpec {
        azimuth_deg: 90.0,
        elevation_deg: 0.0,
        target: Some([0.5; 3]),
        ..CameraSpec::default()
    };
    let camera = Camera::new(&spec, &Bounds::from_grid(grid), (72, 72));
    let mut renderer = Renderer::new(&ground, grid, LookSpec::default()).expect("a valid look");
    let mut draw = |volume: &Volume, style: Style, clip: [[f32; 2]; 3]| {
        let look = LookSpec {
            style,
            clip,
            glow: 0.0,
            haze: 0.0,
            lava_light: 0.0,
            ..LookSpec::default()
        };
        renderer.set_look(look).expect("a valid look");
        renderer.frame(volume, &camera)
    };
    let pixel = |point: [f32; 3]| {
        camera
            .project(point.into())
            .map(|(x, y, _)| (x as usize, y as usize))
    };
    let part = [[0.0, 0.5], [0.4, 0.6], [0.0, 1.0]];
    for style in [
        Style::Cinematic,
        Style::Scientific,
        Style::Surface,
        Style::Maximum,
    ] {
        let bare = draw(&Volume::empty(grid), style, part);
        let (whole, cut) = (
            draw(&block, style, LookSpec::default().clip),
            draw(&block, style, part),
        );
        let differs = |image: &Image, point| {
            let (x, y) = pixel(point).expect("in front of the camera");
            image
                .pixel(x, y)
                .iter()
                .zip(bare.pixel(x, y))
                .any(|(a, b)| a.abs_diff(b) > 12)
        };
        for (point, inside) in [
            ([12.0, 12.0, 12.0], true),
            ([12.0, 16.0, 12.0], false),
            ([12.0, 7.5, 12.0], false),
        ] {
            assert!(
                differs(&whole, point),
                "{style:?}: the whole block covers {point:?}"
            );
            assert_eq!(differs(&cut, point), inside, "{style:?} at {point:?}");
        }
        let outside = draw(&block, style, [[0.8, 1.0], [0.0, 1.0], [0.0, 1.0]]);
        assert!(
            !differs(&outside, [12.0, 12.0, 12.0]),
            "{style:?}: the block lies outside the clip"
        );
    }
}

/// Returns the default picture contents with empty slices added in the planes of cells with the
/// indices `cells`, perpendicular to x, y and z.
fn sliced(cells: [Option<usize>; 3]) -> Contents {
    let cut = |cell| {
        Arc::new(Cut {
            cell,
            width: 0,
            height: 0,
            of_amounts: false,
            texels: Vec::new(),
        })
    };
    Contents {
        slices: cells.map(|cell| cell.map(cut)),
        ..Contents::default()
    }
}

#[test]
fn a_clip_cuts_the_ground_open_and_a_slice_cuts_where_a_clip_does() {
    let grid = Grid::new(24, 24, 24);
    let ground = Array2::from_elem((24, 24), 12.0);
    let mut renderer = Renderer::new(&ground, grid, LookSpec::default()).expect("a valid look");
    let volume = Volume::empty(grid);
    for style in [
        Style::Cinematic,
        Style::Scientific,
        Style::Surface,
        Style::Maximum,
    ] {
        let look = LookSpec {
            style,
            glow: 0.0,
            antialias: Antialias::Off,
            ..LookSpec::default()
        };
        // Of the ground between x = 9.5 and 24, the eastern eye sees the face at x = 9.5.
        let clips = [
            [[0.0, 9.5 / 24.0], [0.0, 1.0], [0.0, 1.0]],
            [[9.5 / 24.0, 1.0], [0.0, 1.0], [0.0, 1.0]],
        ];
        for (azimuth_deg, clip) in [(90.0, clips[0]), (270.0, clips[1])] {
            let spec = CameraSpec {
                azimuth_deg,
                elevation_deg: 20.0,
                ..CameraSpec::default()
            };
            let camera = Camera::new(&spec, &Bounds::from_grid(grid), (60, 45));
            renderer.set_look(look.clone()).expect("a valid look");
            let whole = renderer.frame(&volume, &camera);
            renderer.set_contents(sliced([Some(9), None, None]));
            let cut = renderer.frame(&volume, &camera);
            // The ray through a point of the plane, well under the ground, meets the plane there.
            let (x, y, depth) = camera.project([9.5, 6.0, 12.0].into()).expect("in front");
            let distance = renderer
                .distance_to_ground(&camera.ray(x, y))
                .expect("rock");
            assert!(
                (distance - depth).abs() < 1e-2,
                "{style:?}: {distance} against {depth}"
            );
            renderer.set_contents(Contents::default());
            assert_eq!(
                renderer.frame(&volume, &camera),
                whole,
                "{style:?}: nothing is left of the slice"
            );
            renderer
                .set_look(LookSpec {
                    clip,
                    ..look.clone()
                })
                .expect("a valid look");
            let clipped = renderer.frame(&volume, &camera);
            let mut in_plane = 0;
            for (x, y) in (0..60 * 45).map(|k| (k % 60, k / 60)) {
                let ray = camera.ray(x as f32 + 0.5, y as f32 + 0.5);
                let t = renderer.distance_to_ground(&ray);
                if style != Style::Cinematic && t.is_some_and(|t| (ray.at(t).x - 9.5).abs() < 0.01)
                {
                    // Rock of the slice is a single grey, without shading.
                    let [r, g, b] = cut.pixel(x, y);
                    assert!(
                        r.abs_diff(g) < 3 && g.abs_diff(b) < 6,
                        "{style:?}: {r} {g} {b} at {x}, {y}"
                    );
                    in_plane += 1;
                } else {
                    assert_eq!(
                        cut.pixel(x, y),
                        clipped.pixel(x, y),
                        "{style:?} at {x}, {y}"
                    );
                }
            }
            assert!(
                in_plane > 100 || style == Style::Cinematic,
                "{in_plane} pixels show the plane"
            );
        }
    }
}

#[test]
fn the_cinematic_look_cuts_matter_open_and_shows_values_of_anything_but_amounts() {
    let grid = Grid::new(24, 24, 24);
    let ground = Array2::from_elem((24, 24), 6.0);
    let mut block = Volume::empty(grid);
    for (y, z) in (6..18).flat_map(|y| (6..18).map(move |z| (y, z))) {
        block.density[grid.index([4, y, z])..][..14].fill(255);
        block.energy[grid.index([4, y, z])..][..14].fill(120);
    }
    // Values where there is lava, and rock below.
    let texel = |i: usize| match (i / 24, i % 24) {
        (0..6, _) => [0, 0, 0, 2],
        (6..18, 6..18) => [128, 0, 0, 1],
        _ => [0; 4],
    };
    let slice = |of_amounts: bool| {
        let cut = Cut {
            cell: 9,
            width: 24,
            height: 24,
            of_amounts,
            texels: (0..24 * 24).map(texel).collect(),
        };
        Contents {
            slices: [Some(Arc::new(cut)), None, None],
            ..Contents::default()
        }
    };
    let spec = CameraSpec {
        azimuth_deg: 90.0,
        elevation_deg: 12.0,
        ..CameraSpec::default()
    };
    let camera = Camera::new(&spec, &Bounds::from_grid(grid), (72, 60));
    let mut renderer = Renderer::new(&ground, grid, LookSpec::default()).expect("a valid look");
    for style in [Style::Cinematic, Style::Surface] {
        let look = LookSpec {
            style,
            antialias: Antialias::Off,
            glow: 0.0,
            ..LookSpec::default()
        };
        let mut draw = |contents: Contents, clip: [[f32; 2]; 3]| {
            renderer
                .set_look(LookSpec {
                    clip,
                    ..look.clone()
                })
                .expect("a valid look");
            renderer.set_contents(Contents {
                legend: false,
                ..contents
            });
            renderer.frame(&block, &camera)
        };
        let clipped = draw(
            Contents::default(),
            [[0.0, 9.5 / 24.0], [0.0, 1.0], [0.0, 1.0]],
        );
        let (amounts, energies) = (draw(slice(true), look.clip), draw(slice(false), look.clip));
        let pixel = |image: &Image, point: [f32; 3]| {
            let (x, y, _) = camera
                .project(point.into())
                .expect("in front of the camera");
            image.pixel(x as usize, y as usize)
        };
        let (lava, rock) = ([9.5, 12.0, 12.0], [9.5, 3.0, 12.0]);
        if style == Style::Cinematic {
            assert_eq!(amounts, clipped, "a slice of amounts cuts as a clip does");
            assert_ne!(
                pixel(&energies, lava),
                pixel(&clipped, lava),
                "other values are shown"
            );
            assert_eq!(
                pixel(&energies, rock),
                pixel(&clipped, rock),
                "before strata"
            );
            let [red, _, blue] = pixel(&amounts, lava);
            assert!(
                red > 150 && red > 3 * blue,
                "lava glows inside: {red}, {blue}"
            );
        } else {
            assert_eq!(amounts, energies, "plain looks show the values of both");
            assert_ne!(pixel(&amounts, lava), pixel(&clipped, lava));
        }
    }
}

#[test]
fn hidden_ground_is_met_by_no_ray_and_a_slice_outside_the_clip_cuts_nothing() {
    let grid = Grid::new(24, 24, 24);
    let mut renderer = Renderer::new(
        &Array2::from_elem((24, 24), 12.0),
        grid,
        LookSpec::default(),
    )
    .expect("a valid look");
    let camera = Camera::new(
        &CameraSpec {
            azimuth_deg: 180.0,
            ..CameraSpec::default()
        },
        &Bounds::from_grid(grid),
        (60, 45),
    );
    let ray = camera.ray(30.0, 25.0);
    let clip = [[0.0, 1.0], [0.0, 1.0], [0.5, 1.0]];
    renderer
        .set_look(LookSpec {
            clip,
            ..LookSpec::default()
        })
        .expect("a valid look");
    let clipped = renderer.distance_to_ground(&ray).expect("rock");
    renderer.set_contents(sliced([None, None, Some(3)]));
    assert_eq!(renderer.distance_to_ground(&ray), Some(clipped));
    renderer.set_contents(Contents {
        ground: false,
        ..sliced([None; 3])
    });
    assert_eq!(renderer.distance_to_ground(&ray), None);
    // Hiding the lava leaves the ground.
    renderer.set_contents(Contents {
        lava: false,
        ..sliced([None; 3])
    });
    assert_eq!(renderer.distance_to_ground(&ray), Some(clipped));
}

#[test]
fn any_number_of_threads_draws_the_same_picture() {
    let (ground, volume) = scene();
    for look in looks().filter(|look| look.clip == LookSpec::default().clip) {
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .expect("threads can be started");
            pool.install(|| picture(&ground, &volume, look.clone(), Skipping::Bricks))
        };
        assert_eq!(with(1), with(3));
    }
}

#[test]
fn every_instruction_set_draws_the_same_picture() {
    let (ground, volume, cameras) = views();
    let mut renderer =
        Renderer::new(&ground, volume.grid, LookSpec::default()).expect("a valid look");
    for (look, color_by) in looks().flat_map(|look| {
        [
            (look.clone(), CellMeasure::Amount),
            (look, CellMeasure::SpecificEnergy),
        ]
    }) {
        for antialias in [Antialias::Off, Antialias::Edges] {
            renderer
                .set_look(LookSpec {
                    antialias,
                    color_by,
                    ..look.clone()
                })
                .expect("a valid look");
            for camera in &cameras[..2] {
                let mut with = |level: Level| {
                    renderer.level = level;
                    renderer.draw(&volume, camera, Skipping::Bricks)
                };
                let expected = with(Level::Portable);
                assert!(
                    Level::available()
                        .iter()
                        .all(|&level| with(level) == expected),
                    "{look:?}"
                );
            }
        }
    }
}

/// Returns red minus blue (sRGB, −255 to 255) of the pixel in which `point` (cells) of the scene
/// appears.
fn warmth(ground: &Array2<f32>, volume: &Volume, camera: &CameraSpec, point: [f32; 3]) -> i32 {
    let look = LookSpec {
        sky: SkyPreset::Day,
        glow: 0.0,
        lava_light: 0.0,
        crust: 0.0,
        ..LookSpec::default()
    };
    let mut renderer = Renderer::new(ground, volume.grid, look).expect("a valid look");
    let camera = Camera::new(camera, &Bounds::from_grid(volume.grid), (64, 64));
    let image = renderer.frame(volume, &camera);
    let (x, y, _) = camera
        .project(point.into())
        .expect("in front of the camera");
    let [red, _, blue] = image.pixel(x as usize, y as usize);
    i32::from(red) - i32::from(blue)
}

#[test]
fn ground_hides_lava_behind_it_and_lava_hides_ground() {
    let grid = Grid::new(24, 24, 24);
    // Wall across the middle, with lava on its south side.
    let ground = Array2::from_shape_fn(
        (24, 24),
        |(z, _)| if (10..13).contains(&z) { 16.0 } else { 1.0 },
    );
    let mut volume = Volume::empty(grid);
    for z in 14..20 {
        for y in 1..9 {
            for x in 6..18 {
                volume.density[grid.index([x, y, z])] = 255;
                volume.energy[grid.index([x, y, z])] = 190;
            }
        }
    }
    let from = |azimuth_deg: f32| CameraSpec {
        azimuth_deg,
        elevation_deg: 8.0,
        ..CameraSpec::default()
    };
    let face = [12.0, 5.0, 17.0];
    let south = warmth(&ground, &volume, &from(180.0), face);
    let north = warmth(&ground, &volume, &from(0.0), face);
    assert!(south > 80, "lava stands before the wall: {south}");
    assert!(north < 40, "the wall stands before the lava: {north}");
}

#[test]
fn thin_films_are_seen() {
    let grid = Grid::new(24, 12, 24);
    let ground = Array2::from_elem((24, 24), 2.0);
    let film = |density: u8| {
        let mut volume = Volume::empty(grid);
        for (i, d) in volume.density.iter_mut().enumerate() {
            *d = if (1..3).contains(&(i / 24 % 12)) {
                density
            } else {
                0
            };
        }
        volume.energy = volume.density.iter().map(|d| d / 2).collect();
        warmth(
            &ground,
            &volume,
            &CameraSpec {
                elevation_deg: 50.0,
                ..CameraSpec::default()
            },
            [12.0, 2.0, 12.0],
        )
    };
    assert!(
        film(26) > film(0) + 10,
        "a film of 0.1: {} against bare rock {}",
        film(26),
        film(0)
    );
}

#[test]
fn boxes_and_pictures_of_one_cell_and_one_pixel_are_drawn() {
    for (sides, size) in [
        ((1, 1, 1), (1, 1)),
        ((1, 1, 1), (9, 7)),
        ((5, 1, 2), (1, 8)),
        ((3, 4, 2), (5, 1)),
    ] {
        let grid = Grid::new(sides.0, sides.1, sides.2);
        let ground = Array2::zeros((sides.2, sides.0));
        let mut renderer = Renderer::new(&ground, grid, LookSpec::default()).expect("a valid look");
        for look in looks() {
            renderer.set_look(look).expect("a valid look");
            for volume in [Volume::empty(grid), full(grid)] {
                let camera = Camera::new(&CameraSpec::default(), &renderer.subject(), size);
                let image = renderer.frame(&volume, &camera);
                assert_eq!(
                    (image.width, image.height, image.rgb.len()),
                    (size.0, size.1, 3 * size.0 * size.1)
                );
            }
        }
    }
}

fn full(grid: Grid) -> Volume {
    Volume {
        density: vec![255; grid.cells()],
        energy: vec![255; grid.cells()],
        ..Volume::empty(grid)
    }
}

#[test]
fn cameras_that_take_turns_see_what_they_see_alone() {
    let (ground, volume) = scene();
    for look in looks() {
        let renderer = || Renderer::new(&ground, volume.grid, look.clone()).expect("a valid look");
        let mut kept = renderer();
        kept.keep_cameras(3);
        let whole = Camera::new(&CameraSpec::default(), &kept.subject(), (50, 40));
        let cameras = [[0.0, 0.0], [0.25, -0.25], [-0.3, 0.4]].map(|shift| whole.shifted(shift));
        for (turn, camera) in [0, 1, 2, 0, 2, 1]
            .map(|k| &cameras[k])
            .into_iter()
            .enumerate()
        {
            assert_eq!(kept.knows_ground(camera), turn >= 3, "turn {turn}");
            assert!(
                kept.frame(&volume, camera) == renderer().frame(&volume, camera),
                "turn {turn}"
            );
        }
        kept.keep_cameras(1);
        kept.frame(&volume, &cameras[0]);
        assert!(!kept.knows_ground(&cameras[1]));
    }
}

#[test]
fn a_kept_renderer_draws_what_a_fresh_one_draws() {
    let (ground, volume) = scene();
    let mut kept = Renderer::new(&ground, volume.grid, LookSpec::default()).expect("a valid look");
    for azimuth_deg in [10.0, 10.0, 200.0] {
        let look = LookSpec {
            sky: SkyPreset::Night,
            antialias: Antialias::Full,
            ..LookSpec::default()
        };
        let camera = CameraSpec {
            azimuth_deg,
            ..CameraSpec::default()
        };
        let camera = Camera::new(&camera, &kept.subject(), (40, 30));
        kept.set_look(look.clone()).expect("a valid look");
        let mut fresh = Renderer::new(&ground, volume.grid, look).expect("a valid look");
        assert_eq!(kept.frame(&volume, &camera), fresh.frame(&volume, &camera));
    }
}
