//! Tests that a scene of the physical model runs in metres, seconds and kelvin with exact accounts;
//! that it gives the same bits for any number of threads, after a checkpoint and in a replay; and
//! that its maps are those of the flow.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::path::Path;

use crate::common::{plain, tiled};
use lavoxel::checkpoint::{Checkpoint, CheckpointWriter};
use lavoxel::export::maps::{Maps, Values};
use lavoxel::flow::{
    Cooling, Flow, FlowBox, FlowPour, FlowSetup, Lava, Viscosity, covered_above_m,
};
use lavoxel::grid::Grid;
use lavoxel::records::{FlowRecords, NEVER, Records};
use lavoxel::rules::{RulesSpec, Walls};
use lavoxel::scene::{BuiltScene, LavaSpec, Overrides, Scene, Seconds, VentOverride, VentPlace};
use lavoxel::simulation::{Command, Simulation};
use lavoxel::source::{VentChange, VentFlow, VentSpec};
use lavoxel::units::AMOUNT_ONE;
use lavoxel::world::{ColumnQuantity, Edit, Ground, Matter, Shape, World};

/// Scene of a slope with a vent near its top, lava that cools quickly, and cells of small height.
const SLOPE: &str = r#"
name = "slope"
seed = 3
model = "flow"
[flow]
step_s = 20.0
duration = "20 min"
lava = { preset = "etna-basalt", cooling = { exposed = 1 }, bed_conduction = 1 }
[grid]
size = [24, 40, 30]
cell_size_m = 10.0
cell_height_m = 2.0
[terrain]
kind = "slope"
angle_deg = 6.0
roughness = 0.5
[[vent]]
x = 12.5
z = 5.5
radius = 1.0
rates_m3_s = [[0, 30], ["10 min", 5.0], ["0.3 h", 0]]
temperature_k = 1350.0
"#;

fn parse(text: &str) -> Scene {
    Scene::parse(text, Path::new("slope.toml")).unwrap_or_else(|e| panic!("{e}"))
}

fn build(scene: &Scene) -> BuiltScene {
    scene.build(tiled()).unwrap_or_else(|e| panic!("{e}"))
}

fn steps(simulation: &mut Simulation, steps: u64) {
    for _ in 0..steps {
        simulation.step();
        simulation
            .world()
            .check()
            .unwrap_or_else(|e| panic!("step {}: {e}", simulation.steps()));
    }
}

fn cubic_metres(simulation: &Simulation, units: i64) -> f64 {
    units as f64 * simulation.world().flow().unwrap().space().unit_m3()
}

#[test]
fn what_vents_pour_is_all_there() {
    let scene = parse(SLOPE);
    assert_eq!(scene.spec.film.steps, 60);
    let BuiltScene {
        mut simulation,
        site,
        ..
    } = build(&scene);
    assert_eq!((site.cell_size_m, site.cell_height_m()), (10.0, 2.0));
    steps(&mut simulation, 60);
    assert_eq!(simulation.time_s(), Some(1200.0));
    let account = *simulation.world().flow().unwrap().account();
    // The vent pours 30 m³/s for 10 min, then 5 m³/s for 8 min.
    let poured = cubic_metres(&simulation, account.poured);
    assert!((poured - 20_400.0).abs() < 1e-3, "{poured}");
    assert!(account.set > 0 && account.blocked == 0, "{account:?}");
    // The layer shows the liquid part, rounded by at most half a unit per cell.
    let (lava, flow) = (
        simulation.world().lava(),
        simulation.world().flow().unwrap(),
    );
    let liquid = account.poured - account.set - account.out;
    let shown = lava.mass() as f64 / f64::from(AMOUNT_ONE) * flow.space().cell_m3();
    let cells = lava.tally().cells as f64;
    let off = (shown - cubic_metres(&simulation, liquid)).abs();
    assert!(
        off <= cells * flow.space().cell_m3() / f64::from(AMOUNT_ONE),
        "{off} m³ off"
    );
}

#[test]
fn threads_and_engines_give_the_same_bits() {
    let run = |threads: usize, engine: fn() -> Box<dyn lavoxel::engine::Engine>| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| {
            let mut simulation = parse(SLOPE)
                .build(engine())
                .unwrap_or_else(|e| panic!("{e}"))
                .simulation;
            (0..40).for_each(|_| simulation.step());
            simulation.world().state_hash()
        })
    };
    let hash = run(1, tiled);
    assert_eq!([run(2, tiled), run(5, tiled), run(2, plain)], [hash; 3]);
}

#[test]
fn a_run_goes_on_from_its_checkpoint() {
    let scene = parse(SLOPE);
    let mut stage = build(&scene);
    steps(&mut stage.simulation, 17);
    let mut bytes = Vec::new();
    CheckpointWriter {
        scene: &scene,
        stage: &stage,
        extras: &[],
    }
    .write(Path::new("a.lvx"), &mut bytes)
    .unwrap();
    let mut again =
        Checkpoint::read(&bytes[..], Path::new("a.lvx"), tiled()).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(
        again.stage.simulation.world().state_hash(),
        stage.simulation.world().state_hash()
    );
    assert_eq!(
        (again.scene.spec.film.steps, &again.stage.site),
        (60, &stage.site)
    );
    for simulation in [&mut stage.simulation, &mut again.stage.simulation] {
        steps(simulation, 20);
    }
    assert_eq!(
        again.stage.simulation.world().state_hash(),
        stage.simulation.world().state_hash()
    );
}

/// Sends commands of a user: places a vent, changes it and closes it, with steps in between.
fn session(simulation: &mut Simulation) {
    steps(simulation, 5);
    simulation
        .command(VentSpec {
            x: 6.5,
            z: 8.5,
            radius: 0.0,
            ..VentSpec::default()
        })
        .unwrap();
    steps(simulation, 10);
    let (number, mut vent) = simulation
        .open_vents()
        .last()
        .map(|(n, vent)| (n, vent.clone()))
        .unwrap();
    assert_eq!(
        vent.flow.as_deref(),
        Some(&VentFlow::steady(10.0)),
        "the usual rate"
    );
    vent.flow = Some(Box::new(VentFlow {
        temperature_k: Some(1300.0),
        ..VentFlow::steady(2.5)
    }));
    simulation
        .command(VentChange::Change(number, vent))
        .unwrap();
    steps(simulation, 10);
    simulation.command(VentChange::Close(number)).unwrap();
}

#[test]
fn a_session_replays_and_time_goes_back() {
    let scene = parse(SLOPE);
    let mut live = build(&scene).simulation;
    session(&mut live);
    let poured = cubic_metres(&live, live.world().flow().unwrap().account().poured);
    // 500 s of the scene's vent (15,000 m³), and 200 s at each of two rates of the vent placed by
    // hand (2000 m³ and 500 m³).
    assert!(
        (poured - (15_000.0 + 2000.0 + 500.0)).abs() < 1e-3,
        "{poured}"
    );
    let kept = live.snapshot(None);
    steps(&mut live, 10);
    let later = live.world().state_hash();
    live.go_back(&kept);
    live.world().check().unwrap();
    steps(&mut live, 10);
    assert_eq!(live.world().state_hash(), later);

    let text = toml::to_string(&scene.recorded(&live).spec).unwrap();
    let recorded = parse(&text);
    assert_eq!(recorded.spec.film.steps, 35, "as many steps as were made");
    let mut again = build(&recorded).simulation;
    steps(&mut again, 35);
    assert_eq!(again.world().state_hash(), later);
}

#[test]
fn rules_and_seed_are_refused_while_a_flow_runs() {
    let mut simulation = build(&parse(SLOPE)).simulation;
    let before = simulation.world().state_hash();
    let commands: [Command; 2] = [
        RulesSpec {
            spread: 0.1,
            ..RulesSpec::default()
        }
        .into(),
        Command::Seed(7),
    ];
    for command in commands {
        let refused = simulation.command(command.clone()).unwrap_err().to_string();
        assert!(
            refused.contains("physical model") && !refused.contains('\n'),
            "{command:?}: {refused}"
        );
    }
    assert_eq!(simulation.world().state_hash(), before);
    let mut classic = build(&Scene::volcano()).simulation;
    let vent = VentSpec {
        flow: Some(Box::default()),
        ..VentSpec::default()
    };
    assert!(
        classic
            .command(vent)
            .unwrap_err()
            .to_string()
            .contains("no physical model")
    );
}

#[test]
fn a_scene_is_written_and_read_again() {
    let text = SLOPE.replace("radius = 1.0", "radius_m = 10.0\nheight = 30.0\nend = 50");
    for text in [SLOPE, &text] {
        let scene = parse(text);
        let again = parse(&toml::to_string(&scene.spec).unwrap());
        assert_eq!(again.spec, scene.spec);
    }
    let classic = toml::to_string(&Scene::volcano().spec).unwrap();
    assert!(
        !classic.contains("model")
            && !classic.contains("flow")
            && !classic.contains("cell_height_m")
    );
}

#[test]
fn keys_of_the_other_model_are_refused_by_name() {
    let vent = "[[vent]]\nat = \"summit\"\n";
    let flow = |text: &str| format!("model = \"flow\"\n{text}");
    let wrong = [
        (
            "[flow]\nstep_s = 1.0".to_owned(),
            "flow = a table: must be left out without model",
        ),
        (
            "[grid]\ncell_height_m = 2.0".to_owned(),
            "grid.cell_height_m = 2: must be left out",
        ),
        (
            format!("{vent}rate_m3_s = 2.0"),
            "vent[0].rate_m3_s = set: must be left out without model",
        ),
        (
            "[[body]]\nshape = { kind = \"below\", level = 5.0 }\n\
             matter = { kind = \"lava\", amount = 1.0, temperature_k = 1300.0 }"
                .to_owned(),
            "body[0].matter.temperature_k = 1300: must be left out without model",
        ),
        (
            flow(&format!("{vent}rate = 2.0")),
            "vent[0].rate_m3_s = nothing: must be given",
        ),
        (
            flow(&format!("{vent}rate = 2.0\nrate_m3_s = 3.0")),
            "has no rate, energy or for_box",
        ),
        (
            flow(&format!("{vent}rates_m3_s = []\nrate_m3_s = 3.0")),
            "either rate_m3_s or rates_m3_s",
        ),
        (
            flow(&format!("{vent}rates_m3_s = [[0, 1], [0, 2]]")),
            "must be rows with ascending times",
        ),
        (
            flow(&format!("{vent}rates_m3_s = [[0, \"2 d\"]]")),
            "the rate is a number of m³/s",
        ),
        (
            flow(&format!("{vent}rates_m3_s = [[0, 1, 2]]")),
            "vent.rates_m3_s = [0, 1, 2]: must be 2 values in brackets",
        ),
        (
            flow(&format!("{vent}rate_m3_s = -1.0")),
            "vent[0].rate_m3_s = -1: must be a number from 0 to",
        ),
        (
            flow(&format!("{vent}rate_m3_s = 1.0\ntemperature_k = 200.0")),
            "must be at least flow.lava.ambient_k",
        ),
        (
            flow(&format!("{vent}temperature_k = 1300.0")),
            "has rate_m3_s or rates_m3_s, too",
        ),
        (
            flow("[rules]\nthreshold = 0.2"),
            "rules = set: must be left out in a scene with model = \"flow\"",
        ),
        (flow("[air]"), "air.step_s = 0.5: must be flow.step_s = 20"),
        (
            flow("[[event]]\nat = 3\nseed = 5"),
            "event[0].seed = set: must be left out in a scene with model = \"flow\"",
        ),
        (
            flow("[[event]]\nat = 3\nrules = { spread = 0.1 }"),
            "event[0].rules = set: must be left out",
        ),
        (
            flow("[flow]\nlava = \"basalt\""),
            "flow.lava = \"basalt\": must be one of",
        ),
        (
            flow("[flow]\nlava = { yield_pa = -1.0 }"),
            "flow.lava.yield_pa = -1: must be a number from 0",
        ),
        (
            flow("[flow]\nlava = { yeild_pa = 1.0 }"),
            "did you mean `yield_pa`?",
        ),
        (
            flow("[flow]\nduration = \"13 fortnights\""),
            "must be a number of seconds, or a time such as",
        ),
        (
            flow("[flow]\nstep_s = 0.0"),
            "flow.step_s = 0: must be a number from",
        ),
        (
            "model = \"fluid\"".to_owned(),
            "unknown value `fluid`: did you mean `flow`?",
        ),
    ];
    for (text, message) in wrong {
        let refused = Scene::parse(&text, Path::new("wrong.toml"))
            .map(drop)
            .expect_err(&text)
            .to_string();
        assert!(refused.contains(message), "{text}\n→ {refused}");
        assert!(!refused.contains('\n'), "{refused}");
    }
}

/// Checks that lava of an edit has the temperature given in kelvin, in bodies and events alike, and
/// survives a round trip through TOML.
#[test]
fn an_edit_says_its_temperature_in_kelvin() {
    let text = "model = \"flow\"\n[grid]\nsize = [10, 12, 10]\ncell_size_m = 5.0\n[terrain]\nkind = \"plane\"\n[[body]]\n\
                shape = { kind = \"box\", from = [3.0, 1.0, 3.0], to = [6.0, 4.0, 6.0] }\n\
                matter = { kind = \"lava\", amount = 1.0, temperature_k = 1250.0 }\n";
    let scene = Scene::parse(text, Path::new("kelvin.toml")).expect("a right scene");
    assert_eq!(
        Scene::parse(
            &toml::to_string(&scene.spec).unwrap(),
            Path::new("again.toml")
        )
        .unwrap()
        .spec,
        scene.spec
    );
    let simulation = build(&scene).simulation;
    let flow = simulation.world().flow().expect("a flow");
    let places = (3..6).flat_map(|x| (0..12).map(move |y| [x, y, 4]));
    let temperatures: Vec<f64> = places
        .filter_map(|place| flow.cell(place).temperature_k(&flow.setup().lava))
        .collect();
    assert!(
        temperatures.len() >= 9
            && temperatures
                .iter()
                .all(|kelvin| (kelvin - 1250.0).abs() < 0.1),
        "{temperatures:?}"
    );

    let mut classic = build(&parse(
        "[grid]\nsize = [12, 12, 12]\n[terrain]\nkind = \"plane\"\n",
    ))
    .simulation;
    let shape = Shape::Sphere {
        center: [6.0, 6.0, 6.0],
        radius: 3.0,
    };
    let edit = Edit {
        shape,
        matter: Matter::Lava {
            amount: 1.0,
            energy: 1.0,
            temperature_k: Some(1250.0),
        },
    };
    let refused = classic
        .command(edit)
        .expect_err("it has no kelvin")
        .to_string();
    assert!(refused.starts_with("put.matter.temperature_k"), "{refused}");
}

#[test]
fn rock_is_put_into_the_box_before_the_first_step() {
    let wall = "[[body]]\nshape = { kind = \"box\", from = [0.0, 0.0, 14.0], to = [24.0, 40.0, 16.0] }\n\
                matter = { kind = \"rock\" }\n";
    let mut simulation = build(&parse(&format!("{SLOPE}{wall}"))).simulation;
    assert_eq!(simulation.world().ground().top(12, 15), 40);
    steps(&mut simulation, 60);
    let below = simulation
        .world()
        .lava()
        .held()
        .filter(|([_, _, z], _)| *z > 15)
        .count();
    assert_eq!(below, 0, "a wall up to the roof holds all of it back");
    let solid = format!("{SLOPE}{}", wall.replace("\"rock\"", "\"solid\""));
    let refused = Scene::parse(&solid, Path::new("solid.toml"))
        .unwrap_err()
        .to_string();
    assert!(
        refused.contains("\"solid\" needs a lava with liquidus_k"),
        "{refused}"
    );
}

#[test]
fn maps_are_those_of_the_flow() {
    let scene = parse(SLOPE);
    let BuiltScene {
        mut simulation,
        site,
        ..
    } = build(&scene);
    let mut records = Records::new(site.grid);
    records.observe(simulation.world(), simulation.world().flow(), 0);
    for step in 1..=60 {
        simulation.step();
        records.observe(simulation.world(), simulation.world().flow(), step);
    }
    let world = simulation.world();
    assert_eq!(scene.column_quantities(), world.column_quantities());
    let maps = Maps {
        world,
        records: &[records],
        site: &site,
    };
    let of = |name: &str| {
        let quantity = ColumnQuantity::find(name, &scene.column_quantities())
            .unwrap()
            .clone();
        match maps.values(&quantity) {
            Values::Real(values) => (quantity.unit(), values),
            Values::Whole(_) => panic!("{name} counts steps"),
        }
    };
    let sum = |name: &str| {
        of(name)
            .1
            .iter()
            .filter(|value| !value.is_nan())
            .map(|&v| f64::from(v))
            .sum::<f64>()
            * 100.0
    };
    let account = world.flow().unwrap().account();
    let [held, set] =
        [account.poured - account.out, account.set].map(|units| cubic_metres(&simulation, units));
    assert!(
        (sum("thickness") / held - 1.0).abs() < 1e-4
            && (sum("set-thickness") / set - 1.0).abs() < 1e-4
    );
    let at_vent = |name: &str| of(name).1[[5, 12]];
    assert!(
        at_vent("arrival") < 0.01 && at_vent("max-speed") > 0.0 && at_vent("max-thickness") > 0.1
    );
    let units = ["arrival", "temperature", "viscosity", "max-speed"].map(|name| of(name).0);
    assert_eq!(units, ["h", "K", "Pa s", "m/s"]);
    let (surface, ground, thick) = (at_vent("surface"), at_vent("ground"), at_vent("thickness"));
    assert!(
        (surface - ground - thick).abs() < 1e-3,
        "{surface} {ground} {thick}"
    );
}

#[test]
fn a_heightmap_with_a_lava_gets_the_physical_model() {
    let map = Path::new(env!("CARGO_MANIFEST_DIR")).join("terrains/maunga_whau.asc");
    let vent = VentOverride {
        place: VentPlace::Metres {
            x_m: 300.0,
            z_m: 300.0,
        },
        to: None,
        rate: None,
        rate_m3_s: Some(15.0),
        rates: None,
    };
    let overrides = Overrides {
        vents: vec![vent.clone()],
        lava: Some(LavaSpec::preset("etna-basalt").unwrap()),
        duration: Some(Seconds(600.0)),
        walls: Some(Walls::Closed),
        ..Overrides::default()
    };
    let scene = Scene::around_heightmap(&map, &overrides).unwrap_or_else(|e| panic!("{e}"));
    let flow = scene.spec.flow_spec().unwrap();
    assert_eq!(
        (scene.spec.film.steps, flow.open_sides),
        ((600.0 / flow.step_s) as u64, false)
    );
    let BuiltScene {
        mut simulation,
        site,
        ..
    } = build(&scene);
    assert_eq!(
        site.vertical_exaggeration, 2.0,
        "cells half as high as wide"
    );
    steps(&mut simulation, scene.spec.film.steps);
    let poured = cubic_metres(
        &simulation,
        simulation.world().flow().unwrap().account().poured,
    );
    assert!((poured - 9000.0).abs() < 1e-3, "{poured}");
    for wrong in [
        Overrides {
            vents: vec![VentOverride {
                rate: Some(2.0),
                rate_m3_s: None,
                ..vent
            }],
            ..overrides.clone()
        },
        Overrides {
            lava: None,
            ..overrides.clone()
        },
        Overrides {
            lava: None,
            vents: Vec::new(),
            ..overrides
        },
    ] {
        let refused = Scene::around_heightmap(&map, &wrong)
            .map(drop)
            .unwrap_err()
            .to_string();
        assert!(refused.contains("model"), "{refused}");
    }
}

/// Checks that the layer of cells is computed only when something reads it: until then the layer
/// stays unchanged, and then it has the same bits as one computed at every step.
#[test]
fn cells_are_shown_when_they_are_asked_for() {
    let scene = parse(SLOPE);
    let [mut shown, mut asked] = [(); 2].map(|()| build(&scene).simulation);
    asked.show_when_asked();
    for _ in 0..3 {
        (0..15).for_each(|_| shown.step());
        (0..15).for_each(|_| asked.step());
        assert_ne!(
            asked.world().state_hash(),
            shown.world().state_hash(),
            "no step has put lava into cells"
        );
        asked.show();
        assert_eq!(asked.world().state_hash(), shown.world().state_hash());
        asked.world().check().unwrap();
    }
}

/// Checks that a body's lava lies in the box but does not count as poured.
#[test]
fn lava_of_a_body_is_not_poured() {
    let body = "[[body]]\nshape = { kind = \"box\", from = [3, 0, 20], to = [6, 40, 24] }\nmatter = { kind = \"lava\", amount = 1.0 }\n";
    let simulation = build(&parse(&format!("{SLOPE}{body}"))).simulation;
    let account = simulation.world().flow().unwrap().account();
    assert!(account.poured == 0 && account.placed > 0, "{account:?}");
}

/// Checks that columns whose rubble or thin lava solidifies in the step of its arrival, and so
/// never is liquid at the end of a step, still count as reached.
#[test]
fn ground_that_rubble_buries_was_reached() {
    let (nx, vent) = (17, 8 * 17 + 8);
    let space = FlowBox {
        nx,
        ny: 60,
        nz: 17,
        dx_m: 5.0,
        dz_m: 0.5,
    };
    let lava = Lava {
        viscosity: Viscosity::Etna {
            water: 0.02,
            crystals: 60.0,
        },
        yield_pa: 0.0,
        yield_factor: 1.0,
        cooling: Cooling::Skin {
            tear_m: 2200.0,
            exposed: 0.6,
        },
        ..Lava::default()
    };
    let setup = FlowSetup {
        lava,
        step_s: 60.0,
        open_sides: false,
        seed: 1,
        heaters: Vec::new(),
    };
    // The ground is a ledge above a cliff.
    let ground: Vec<f64> = (0..space.columns())
        .map(|c| if c % nx > 9 { 2.3 } else { 12.4 })
        .collect();
    let mut flow = Flow::new(space, setup, &ground).unwrap();
    let world = World::new(Ground::none(Grid::new(nx, 60, 17)));
    let (mut records, mut most) = (Records::new(world.grid()), FlowRecords::new(world.grid()));
    let mut was_wet = vec![false; space.columns()];
    records.observe(&world, Some(&flow), 0);
    for minute in 0..600 {
        let [before_m3, after_m3] = [minute, minute + 1].map(|n| f64::from(n) * 1.2);
        flow.step(&[FlowPour {
            column: vent,
            level: None,
            before_m3,
            after_m3,
            temperature_k: 1160.0,
        }]);
        records.observe(&world, Some(&flow), flow.steps());
        most.observe(&flow, flow.changed());
        flow.wet().iter().for_each(|&c| was_wet[c as usize] = true);
    }
    let covered: Vec<usize> = (0..space.columns())
        .filter(|&c| flow.thickness_m(c) > covered_above_m(space.dz_m))
        .collect();
    let buried = covered.iter().filter(|&&c| !was_wet[c]).count();
    assert!(
        buried > 0,
        "{buried} of {} columns never were liquid",
        covered.len()
    );
    for &c in &covered {
        let (at, thickness) = ([c / nx, c % nx], flow.thickness_m(c));
        let arrival_s = flow
            .column(c)
            .arrival_s
            .unwrap_or_else(|| panic!("column {c}, {thickness} m, has no arrival"));
        // The records count the first film.
        assert!(
            arrival_s >= 60.0 * f64::from(records.arrival()[at]),
            "column {c}: {arrival_s} s"
        );
        let thickest = f64::from(records.thickest()[at]) / f64::from(AMOUNT_ONE) * space.dz_m;
        assert!(
            thickest >= thickness && f64::from(most.thickness_m()[c]) >= thickness - 1e-6,
            "column {c}: {thickest} m"
        );
    }
    let reached = (0..space.columns()).filter(|&c| flow.column(c).arrival_s.is_some());
    assert!(
        reached
            .clone()
            .all(|c| records.arrival()[[c / nx, c % nx]] != NEVER)
    );
    assert!(reached.count() >= covered.len());
}
