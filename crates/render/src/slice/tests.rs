use super::*;
use crate::chart::key::MATERIALS;
use crate::chart::legend::Scale;
use lavoxel_automaton::matter::Material;
use lavoxel_automaton::world::{CellMeasure, Edit, Ground, Matter, Quantity, Shape, World};
use lavoxel_base::units::{AMOUNT_ONE, ENERGY_ONE};
use lavoxel_sim::state::State;

const SIZES: [(usize, usize); 7] = [
    (1, 1),
    (24, 20),
    (120, 100),
    (320, 213),
    (900, 600),
    (1440, 960),
    (640, 1200),
];

fn style() -> SliceStyle {
    let palette = Palette::named("gray").expect("a known name");
    let rulers = [
        vec![Ruler::new("easting", "m", 2_667_400.0, 10.0)],
        vec![Ruler::new("elevation", "m", 94.0, 2.5)],
        vec![
            Ruler::new("distance south", "m", 0.0, 10.0),
            Ruler::new("latitude", "°", 46.2, -1e-4),
        ],
    ];
    SliceStyle {
        palette,
        scale: Scale::from_quantity(&Quantity::default()),
        empty_is_zero: false,
        materials: vec![],
        title: "test, step 12".into(),
        rulers,
    }
}

fn drawn(grid: Grid, spec: &SliceSpec, content: impl Fn(Place) -> Content) -> Image {
    slice(grid, spec, &style(), content).expect("inside the box")
}

#[test]
fn cells_land_where_the_axes_say() {
    let grid = Grid::new(4, 3, 5);
    // A full cell in a corner that all three slices contain.
    let content = |place: Place| match place {
        [3, 0, 1] => Content::Value(1.0),
        _ => Content::Empty,
    };
    for size in &SIZES[1..] {
        let size = *size;
        for (axis, cell, (i, j)) in [
            (Axis::X, 3, (1, 2)),
            (Axis::Y, 0, (3, 1)),
            (Axis::Z, 1, (3, 2)),
        ] {
            let spec = SliceSpec::whole(grid, axis, cell, size);
            let image = drawn(grid, &spec, content);
            assert_eq!((image.width, image.height), size);
            let style = style();
            let Frame {
                x,
                y,
                width,
                height,
            } = Layout::new(&spec, &style).cells;
            let (across, up) = (axis.across().0.cells(grid), axis.across().1.cells(grid));
            let middle = |i: usize, j: usize| {
                (
                    x + (2 * i + 1) * width / (2 * across),
                    y + (2 * j + 1) * height / (2 * up),
                )
            };
            for column in 0..across {
                for row in 0..up {
                    let (px, py) = middle(column, row);
                    let expected = if (column, row) == (i, j) {
                        [255; 3]
                    } else {
                        AIR
                    };
                    assert_eq!(
                        image.pixel(px, py),
                        expected,
                        "{axis:?} {size:?}: column {column}, row {row}"
                    );
                }
            }
        }
    }
}

#[test]
fn everything_is_inside_the_picture_and_nothing_is_in_the_way_of_the_cells() {
    for grid in [
        Grid::new(40, 30, 50),
        Grid::new(400, 12, 300),
        Grid::new(9, 300, 7),
        Grid::new(1, 1, 1),
    ] {
        for size in SIZES {
            for axis in [Axis::X, Axis::Y, Axis::Z] {
                let spec = SliceSpec::whole(grid, axis, 0, size);
                let style = style();
                let layout = Layout::new(&spec, &style);
                let inside = |frame: Frame| {
                    frame.x + frame.width <= size.0 && frame.y + frame.height <= size.1
                };
                assert!(
                    inside(layout.cells),
                    "{axis:?} of {grid:?} in {size:?}: {:?}",
                    layout.cells
                );
                if let Some((_, bar)) = layout.bar {
                    assert!(
                        inside(bar) && bar.x > layout.cells.x + layout.cells.width,
                        "{axis:?} in {size:?}: {bar:?}"
                    );
                }
                // All cells are air: any other colour inside the frame comes from annotation drawn
                // over the cells.
                let image = drawn(grid, &spec, |_| Content::Empty);
                for y in layout.cells.y..layout.cells.y + layout.cells.height {
                    for x in layout.cells.x..layout.cells.x + layout.cells.width {
                        assert_eq!(
                            image.pixel(x, y),
                            AIR,
                            "{axis:?} of {grid:?} in {size:?} at {x}, {y}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn cells_take_most_of_the_picture() {
    for size in SIZES {
        // About the aspect ratio of the pictures, so that the annotation decides the size of the
        // cells.
        let grid = Grid::new(120, 70, 120);
        let style = style();
        let Frame { width, height, .. } =
            Layout::new(&SliceSpec::whole(grid, Axis::X, 0, size), &style).cells;
        let share = (width as f32 / size.0 as f32).max(height as f32 / size.1 as f32);
        assert!(share > 0.45, "{width} × {height} cells in {size:?}");
    }
}

#[test]
fn a_cropped_section_shows_its_rows_alone() {
    let grid = Grid::new(5, 20, 5);
    let shown = CellRect {
        across: [2, 5],
        up: [4, 8],
    };
    let spec = SliceSpec {
        shown,
        ..SliceSpec::whole(grid, Axis::Z, 2, (500, 400))
    };
    let image = drawn(grid, &spec, |[x, y, _]| match y {
        4 if x >= 2 => Content::Value(1.0),
        _ => Content::Solid,
    });
    let style = style();
    let Frame {
        x,
        y,
        width,
        height,
    } = Layout::new(&spec, &style).cells;
    let colors: Vec<_> = (0..4)
        .map(|row| image.pixel(x + width / 2, y + (2 * row + 1) * height / 8))
        .collect();
    assert_eq!(colors, [ROCK, ROCK, ROCK_EDGE, [255; 3]]);
}

#[test]
fn air_rock_and_materials_differ_in_every_palette() {
    let distance = |a: [u8; 3], b: [u8; 3]| {
        (0..3)
            .map(|k| i32::from(a[k].abs_diff(b[k])).pow(2))
            .sum::<i32>()
    };
    let flat: Vec<_> = [AIR, ROCK].into_iter().chain(MATERIALS).collect();
    for (i, color) in flat.iter().enumerate() {
        assert!(
            flat[..i]
                .iter()
                .all(|other| distance(*other, *color) > 60 * 60),
            "{color:?}"
        );
    }
    for name in crate::PALETTE_NAMES {
        let palette = Palette::named(name).expect("a known name");
        let close = (0..=100)
            .filter(|i| distance(palette.srgb(*i as f32 / 100.0), AIR) < 30 * 30)
            .count();
        assert!(
            close < 20,
            "{name} is like air over {close} % of its length"
        );
    }
}

#[test]
fn materials_without_values_have_one_colour_each_and_a_line_in_the_key() {
    let grid = Grid::new(2, 2, 2);
    let spec = SliceSpec::whole(grid, Axis::Y, 1, (400, 300));
    let named = |name: &str, color| Plain {
        name: name.into(),
        color,
    };
    let materials = vec![named("lava", MATERIALS[0]), named("water", MATERIALS[1])];
    let plain = SliceStyle {
        scale: None,
        materials,
        ..style()
    };
    let image =
        slice(grid, &spec, &plain, |[x, _, _]| Content::Material(x as u8)).expect("inside the box");
    let Frame {
        x,
        y,
        width,
        height,
    } = Layout::new(&spec, &plain).cells;
    assert_eq!(
        [
            image.pixel(x, y),
            image.pixel(x + width - 1, y + height - 1)
        ],
        [MATERIALS[0], MATERIALS[1]]
    );
    assert_eq!(
        entries(&plain).map(|(name, _)| name).collect::<Vec<_>>(),
        ["air", "lava", "water", "rock"]
    );
}

#[test]
fn a_sample_shows_values_of_its_quantity_alone() {
    let mut world = State::from(World::new(Ground::none(Grid::new(3, 1, 1))));
    world.place([1, 0, 0], AMOUNT_ONE / 2, ENERGY_ONE);
    world.edit(&Edit {
        shape: Shape::Box {
            from: [2.0, 0.0, 0.0],
            to: [3.0, 1.0, 1.0],
        },
        matter: Matter::Rock,
    });
    let row = |name: &str| {
        let quantity = world.quantity(name).expect("a known name");
        let sample = Sample::new(&world, &quantity);
        [0, 1, 2].map(|x| sample.at([x, 0, 0]))
    };
    assert_eq!(
        row("amount"),
        [Content::Empty, Content::Value(0.5), Content::Solid]
    );
    assert_eq!(
        row("specific-energy"),
        [Content::Empty, Content::Value(2.0), Content::Solid]
    );
    assert_eq!(
        row("solid"),
        [Content::Empty, Content::Material(0), Content::Solid]
    );
}

#[test]
fn other_materials_have_the_colours_of_their_looks() {
    let mut oil = Material {
        name: "oil".into(),
        density: 900.0,
        ..Material::water()
    };
    oil.look.color = Some("#102030".into());
    let mut world = State::from(World::with_materials(
        Ground::none(Grid::new(3, 1, 1)),
        vec![oil, Material::water()],
    ));
    for (name, x) in [("water", 0.0), ("oil", 1.0)] {
        let shape = Shape::Box {
            from: [x, 0.0, 0.0],
            to: [x + 1.0, 1.0, 1.0],
        };
        world.edit(&Edit {
            shape,
            matter: Matter::Material {
                name: name.into(),
                amount: 0.25,
            },
        });
    }
    let sample = Sample::new(&world, &Quantity::default());
    assert_eq!(
        [0, 1, 2].map(|x| sample.at([x, 0, 0])),
        [Content::Material(0), Content::Material(1), Content::Empty]
    );
    let colors: Vec<_> = sample
        .plain()
        .into_iter()
        .map(|plain| (plain.name, plain.color))
        .collect();
    assert_eq!(
        colors,
        [
            ("water".to_owned(), MATERIALS[1]),
            ("oil".to_owned(), [16, 32, 48])
        ]
    );
    let water = Sample::new(
        &world,
        &world.quantity("water.amount").expect("a known name"),
    );
    assert_eq!(
        [0, 1].map(|x| water.at([x, 0, 0])),
        [Content::Value(0.25), Content::Material(0)],
        "no lava is listed"
    );
    let shape = Shape::Box {
        from: [0.0; 3],
        to: [1.0; 3],
    };
    world.edit(&Edit {
        shape,
        matter: Matter::Material {
            name: "oil".into(),
            amount: 0.5,
        },
    });
    let most = Sample::new(&world, &Quantity::default());
    assert_eq!(
        most.at([0, 0, 0]),
        Content::Material(1),
        "there is more oil than water"
    );
}

#[test]
fn a_slice_outside_the_box_is_refused() {
    let grid = Grid::new(4, 3, 5);
    let refused = |spec: SliceSpec| {
        slice(grid, &spec, &style(), |_| Content::Empty).map_err(|e| e.to_string())
    };
    let outside = refused(SliceSpec::whole(grid, Axis::Y, 3, (9, 9)));
    assert_eq!(outside, Err("slice.cell = 3: must be 0 to 2".to_owned()));
    let whole = SliceSpec::whole(grid, Axis::X, 0, (9, 9));
    for up in [[2, 2], [1, 4], [3, 1]] {
        assert!(
            refused(SliceSpec {
                shown: CellRect { up, ..whole.shown },
                ..whole
            })
            .is_err(),
            "{up:?}"
        );
        assert!(
            refused(SliceSpec {
                shown: CellRect {
                    across: up.map(|c| c + 2),
                    ..whole.shown
                },
                ..whole
            })
            .is_err()
        );
    }
}

#[test]
fn arrows_point_where_the_motion_goes_and_are_longer_where_it_is_faster() {
    let grid = Grid::new(20, 20, 20);
    let size = (900, 900);
    // Pixels that differ from the slice without arrows.
    let moved = |axis: Axis, velocity: [f32; 3]| {
        let spec = SliceSpec::whole(grid, axis, 10, size);
        let (style, content) = (style(), |_: Place| Content::Value(0.5));
        let frame = Layout::new(&spec, &style).cells;
        let bare = slice(grid, &spec, &style, content).expect("inside");
        // Moves a single cell, hence a single arrow.
        let first = std::cell::Cell::new(true);
        let with = slice_of_motion(grid, &spec, &style, content, |_| {
            first.replace(false).then_some(velocity)
        });
        let with = with.expect("inside");
        let mut changed = Vec::new();
        for y in 0..size.1 {
            for x in (0..size.0).filter(|x| with.pixel(*x, y) != bare.pixel(*x, y)) {
                assert!(
                    (frame.x..frame.x + frame.width).contains(&x)
                        && (frame.y..frame.y + frame.height).contains(&y)
                );
                changed.push([x as f32, y as f32]);
            }
        }
        changed
    };
    let span = |changed: &[[f32; 2]], k: usize| {
        let along = changed.iter().map(|p| p[k]);
        along.clone().fold(0.0, f32::max) - along.fold(f32::MAX, f32::min)
    };
    for axis in [Axis::X, Axis::Y, Axis::Z] {
        let right = if axis == Axis::X {
            [0.0, 0.0, 0.9]
        } else {
            [0.9, 0.0, 0.0]
        };
        let (fast, slow) = (moved(axis, right), moved(axis, right.map(|v| 0.4 * v)));
        assert!(
            !fast.is_empty() && span(&fast, 0) > 1.3 * span(&slow, 0),
            "{axis:?}"
        );
        assert!(
            span(&fast, 0) > 1.4 * span(&fast, 1),
            "{axis:?}: it lies along the picture"
        );
        // The side of the head has more pixels.
        let middle = fast.iter().map(|p| p[0]).fold(0.0, f32::max) - 0.5 * span(&fast, 0);
        let ahead = fast.iter().filter(|p| p[0] > middle).count();
        assert!(
            2 * ahead > fast.len(),
            "{axis:?}: {ahead} of {}",
            fast.len()
        );
        let across = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]][axis.number()];
        assert!(
            moved(axis, across).is_empty(),
            "{axis:?}: what goes through the plane is not seen"
        );
        assert!(moved(axis, [0.0; 3]).is_empty(), "{axis:?}: still air");
    }
}

#[test]
fn cells_of_the_air_without_any_have_the_colour_of_zero_and_the_key_no_air() {
    let grid = Grid::new(3, 1, 1);
    let spec = SliceSpec::whole(grid, Axis::Y, 0, (400, 300));
    let heat = Quantity::new(CellMeasure::Heat, "air");
    let style = SliceStyle {
        scale: Scale::from_quantity(&heat),
        empty_is_zero: true,
        ..style()
    };
    let image = slice(grid, &spec, &style, |_| Content::Empty).expect("inside the box");
    let Frame { x, y, .. } = Layout::new(&spec, &style).cells;
    assert_eq!(image.pixel(x, y), style.color(0.0));
    assert_eq!(
        entries(&style).map(|(name, _)| name).collect::<Vec<_>>(),
        ["rock"]
    );
    let labels: Vec<_> = Quantity::of_air()
        .iter()
        .filter_map(Scale::from_quantity)
        .map(|scale| scale.label)
        .collect();
    let air = [
        "air warmer than at rest",
        "ash in the air",
        "drops in the air",
        "ink in the air",
        "speed of the air",
    ];
    assert_eq!(labels, air);
}
