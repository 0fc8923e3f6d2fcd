use nalgebra::Vector3;

use super::*;
use crate::edit::vent_handles::Grip;
use crate::messages::AccountReport;
use lavoxel_automaton::world::{Edit, Shape};
use lavoxel_base::grid::Grid;
use lavoxel_sim::simulation;

fn report(vents: Vec<(usize, VentSpec)>) -> Report {
    Report {
        step: 7,
        vents,
        ..Report::quiet(Grid::new(40, 30, 40))
    }
}

/// Returns the aim of a pointer above the point (`x`, 5, `z`) of the ground, looking straight down,
/// at the time `now` in seconds.
fn aim(x: f32, z: f32, now: f64) -> Aim {
    let ray = Ray {
        origin: Vector3::new(x, 50.0, z),
        direction: -Vector3::y(),
    };
    let part = [[0.0, 40.0], [0.0, 30.0], [0.0, 40.0]];
    Aim {
        pixel: (10.0 * x, 10.0 * z),
        ray,
        entered: ray,
        part,
        ground: Some([x, 5.0, z]),
        now,
        shift: false,
    }
}

fn probe(x: f32, z: f32) -> Option<Probe> {
    Some(Probe {
        cell: [x as usize, 4, z as usize],
        point: [x, 5.0, z],
        solid: true,
        cut: false,
        values: Vec::new(),
        ground_m: 50.0,
        thickness_m: Vec::new(),
        flow: None,
    })
}

#[test]
fn a_click_places_a_vent_where_its_own_answer_says() {
    let mut tools = Tools {
        tool: Tool::Source,
        ..Tools::default()
    };
    let mut report = report(Vec::new());
    let click = aim(12.0, 30.0, 1.0);
    assert!(tools.press(&click, None, &report));
    tools.release();
    report.probe = probe(3.0, 3.0);
    assert!(
        tools.tick(&aim(13.0, 30.0, 1.1), &report).is_none(),
        "an answer to an earlier ray"
    );
    report.probe = probe(12.0, 30.0);
    match tools.tick(&aim(14.0, 30.0, 1.2), &report) {
        Some(ToolRequest::Send(Command::World(simulation::Command::Pour(VentChange::Place(
            vent,
        ))))) => {
            assert_eq!(
                (vent.x, vent.z, vent.start, vent.end),
                (12.0, 30.0, 7, None)
            );
            assert!(vent.validate("vent", report.grid).is_ok());
        }
        other => panic!("no vent: {other:?}"),
    }
    assert!(!tools.is_busy());
}

#[test]
fn two_clicks_build_a_dam_of_so_many_metres() {
    let mut tools = Tools {
        tool: Tool::Dam,
        ..Tools::default()
    };
    let mut report = report(Vec::new());
    (report.cell_size_m, report.cell_height_m) = (10.0, 2.0);
    (tools.dam.height_m, tools.dam.width_m) = (-3.0, 25.0);
    let mut click = |x: f32, z: f32, tools: &mut Tools| {
        assert!(tools.press(&aim(x, z, 1.0), None, &report));
        tools.release();
        report.probe = probe(x, z);
        tools.tick(&aim(x, z, 1.1), &report)
    };
    assert!(
        matches!(click(4.5, 6.5, &mut tools), Some(ToolRequest::Say(text)) if text.contains("other end"))
    );
    assert_eq!(tools.dam.from, Some([4.5, 5.0, 6.5]));
    match click(20.5, 9.5, &mut tools) {
        Some(ToolRequest::Send(Command::World(simulation::Command::Put(edit)))) => {
            let shape = Shape::Line {
                points: vec![[4.5, 6.5], [20.5, 9.5]],
                width: 2.5,
            };
            // Whole cells: the report is of the classic model.
            assert_eq!(
                edit,
                Edit {
                    shape,
                    matter: Matter::Raise { by: -2.0 }
                }
            );
            assert!(edit.validate("put").is_ok());
        }
        other => panic!("no dam: {other:?}"),
    }
    assert_eq!(tools.dam.from, None);
    click(4.5, 6.5, &mut tools);
    tools.cancel();
    assert_eq!(tools.dam.from, None, "Esc forgets it");
}

#[test]
fn sources_and_brush_pour_the_chosen_material() {
    let mut report = report(Vec::new());
    let mut tools = Tools::default();
    let mut poured = |tool: Tool, tools: &mut Tools| {
        tools.tool = tool;
        report.probe = probe(20.0, 20.0);
        tools.press(&aim(20.0, 20.0, 0.0), None, &report);
        let (stroke, deed) = (
            tools.stroke(0.0, 7),
            tools.tick(&aim(20.0, 20.0, 0.0), &report),
        );
        tools.cancel();
        match (stroke, deed) {
            (
                Some(Stroke {
                    matter: Matter::Lava { .. },
                    ..
                }),
                None,
            ) => "lava".to_owned(),
            (Some(Stroke { matter, .. }), None) => {
                matter.material().unwrap_or("no material").to_owned()
            }
            (
                None,
                Some(ToolRequest::Send(Command::World(simulation::Command::Pour(
                    VentChange::Place(vent),
                )))),
            ) => vent.material.unwrap_or_else(|| "lava".to_owned()),
            other => panic!("nothing poured: {other:?}"),
        }
    };
    let materials = [Material::lava(), Material::water()].map(|material| MaterialReport {
        material,
        mass: AccountReport::default(),
        cells: 0,
        shows_flow: false,
    });
    for expected in ["lava", "water", "lava"] {
        assert_eq!(tools.material(), expected);
        assert_eq!(
            [Tool::Fill, Tool::Source].map(|tool| poured(tool, &mut tools)),
            [expected; 2]
        );
        assert_eq!(poured(Tool::Rock, &mut tools), "no material");
        tools.choose_next(&materials);
    }
    tools.follow(&materials);
    assert_eq!(tools.material(), "water");
    tools.follow(&materials[..1]);
    assert_eq!(tools.material(), "lava", "another scene has no water");
    tools.choose("honey");
    tools.choose_next(&materials);
    assert_eq!(
        tools.material(),
        "lava",
        "one that is not there is followed by the first"
    );
    tools.choose_next(&[]);
    assert_eq!(tools.material(), "lava");
}

#[test]
fn a_click_beside_the_ground_says_so_and_places_nothing() {
    let said = |deed| match deed {
        Some(ToolRequest::Say(text)) => text,
        other => panic!("nothing said: {other:?}"),
    };
    let click = aim(12.0, 30.0, 1.0);
    let mut tools = Tools {
        tool: Tool::Source,
        ..Tools::default()
    };
    let mut report = report(Vec::new());
    tools.press(&click, None, &report);
    assert!(
        tools.tick(&click, &report).is_none(),
        "the answer is not there yet"
    );
    report.picked = Some(click.ray);
    assert!(said(tools.tick(&click, &report)).contains("outside the box"));
    assert!(!tools.is_busy());

    report.probe = probe(12.0, 30.0).map(|probe| Probe { cut: true, ..probe });
    tools.press(&click, None, &report);
    assert!(said(tools.tick(&click, &report)).contains("cut side"));

    (report.picked, report.probe) = (None, None);
    tools.press(&click, None, &report);
    assert!(
        tools.tick(&aim(12.0, 30.0, 9.0), &report).is_some() && !tools.is_busy(),
        "without an answer it is given up"
    );
}

#[test]
fn a_stroke_takes_every_place_of_the_pointer_and_its_end() {
    let report = report(Vec::new());
    let mut tools = Tools {
        tool: Tool::Rock,
        ..Tools::default()
    };
    assert!(tools.press(&aim(20.0, 20.0, 0.0), None, &report));
    // Several motions and the release come between two frames.
    let at = |x: f32| aim(x, 20.0, 0.0);
    [22.0, 25.0, 31.0]
        .iter()
        .for_each(|x| tools.trace(at(*x).entered, at(*x).part));
    tools.release();
    assert!(tools.is_busy(), "the rest is still to be sent");
    tools.trace(at(39.0).entered, at(39.0).part);
    let stroke = tools.stroke(0.5, 7).expect("the whole stroke");
    let xs: Vec<f32> = stroke.rays.iter().map(|ray| ray.origin.x).collect();
    assert_eq!((stroke.begins, xs), (true, vec![20.0, 22.0, 25.0, 31.0]));
    assert!(!tools.is_busy() && tools.stroke(1.0, 9).is_none());
}

#[test]
fn lava_is_dabbed_again_in_later_steps_but_rock_only_when_the_pointer_moves() {
    for (tool, again) in [
        (Tool::Fill, true),
        (Tool::Drain, true),
        (Tool::Rock, false),
        (Tool::Dig, false),
    ] {
        let mut tools = Tools {
            tool,
            ..Tools::default()
        };
        assert!(tools.press(&aim(20.0, 20.0, 0.0), None, &report(Vec::new())));
        assert!(tools.stroke(0.0, 7).is_some_and(|stroke| stroke.begins));
        assert!(tools.stroke(0.01, 8).is_none(), "not every frame");
        assert!(tools.stroke(0.5, 7).is_none(), "not twice in a step");
        let rest = tools.stroke(0.5, 8);
        assert_eq!(
            rest.map(|stroke| stroke.rays.len()),
            again.then_some(0),
            "{tool:?}"
        );
        tools.trace(aim(25.0, 20.0, 0.0).entered, aim(25.0, 20.0, 0.0).part);
        assert!(
            tools
                .stroke(0.51, 8)
                .is_some_and(|stroke| !stroke.begins && stroke.rays.len() == 1)
        );
        tools.release();
        assert!(tools.stroke(1.0, 9).is_none());
    }
}

#[test]
fn handles_change_what_they_say() {
    let vent = VentSpec {
        x: 20.0,
        z: 20.0,
        radius: 2.0,
        rate: 1.0,
        ..VentSpec::default()
    };
    let report = report(vec![(3, vent)]);
    let drag = |grip, to: Aim| {
        let mut tools = Tools::default();
        let handle = Handle {
            vent: 3,
            grip,
            pixel: (200.0, 200.0),
        };
        assert!(tools.press(&aim(20.0, 20.0, 0.0), Some(&handle), &report));
        assert!(tools.tick(&aim(20.0, 20.0, 0.0), &report).is_none());
        match tools.tick(&to, &report) {
            Some(ToolRequest::Send(Command::World(simulation::Command::Pour(
                VentChange::Change(3, vent),
            )))) => vent,
            other => panic!("no change: {other:?}"),
        }
    };
    let moved = drag(Grip::Place, aim(30.0, 10.0, 1.0));
    assert_eq!((moved.x, moved.z, moved.rate), (30.0, 10.0, 1.0));
    let mut tools = Tools::default();
    let handle = Handle {
        vent: 3,
        grip: Grip::Place,
        pixel: (200.0, 200.0),
    };
    tools.press(&aim(20.0, 20.0, 0.0), Some(&handle), &report);
    assert!(
        tools
            .tick(
                &Aim {
                    ground: None,
                    ..aim(30.0, 10.0, 1.0)
                },
                &report
            )
            .is_none(),
        "over the sky it stays"
    );
    assert_eq!(drag(Grip::Radius, aim(26.0, 20.0, 1.0)).radius, 6.0);
    let up = Aim {
        pixel: (200.0, 110.0),
        ..aim(20.0, 20.0, 1.0)
    };
    assert!((drag(Grip::Rate, up).rate - 2.72).abs() < 1e-9);
    let hot = drag(Grip::Rate, Aim { shift: true, ..up });
    assert!((hot.energy - 1.6).abs() < 1e-9 && hot.rate == 1.0);
}

#[test]
fn looking_takes_no_drag() {
    let mut tools = Tools::default();
    assert!(!tools.press(&aim(1.0, 1.0, 0.0), None, &report(Vec::new())));
    assert!(!tools.is_busy());
}

#[test]
fn a_dam_suits_the_cells_of_its_world() {
    let mut report = report(Vec::new());
    (report.cell_size_m, report.cell_height_m) = (10.0, 10.0);
    let of = |report: &Report| {
        let dam = Dam::fitting(report.cell());
        (dam.height_m, dam.width_m)
    };
    assert_eq!(
        of(&report),
        (50.0, 40.0),
        "5 cells high and 4 wide: as thick as the flows of the classic model"
    );
    (report.cell_size_m, report.cell_height_m) = (0.5, 0.5);
    assert_eq!(of(&report), (5.0, 2.0));
}
