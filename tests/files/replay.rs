//! Tests that a user's actions on a running simulation, saved as a scene, replay to the same bits,
//! and that a restored snapshot continues as before.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::fs;
use std::path::Path;

use crate::common::{Dice, SCENE, ball, meddle, plain, tiled};
use lavoxel::grid::Grid;
use lavoxel::matter::Material;
use lavoxel::output::Existing;
use lavoxel::rules::{MaterialChange, RulesChange, RulesSpec, Walls};
use lavoxel::scene::{Scene, SceneError, SceneSpec};
use lavoxel::simulation::{Command, Event, EventSpec, Simulation, Snapshot};
use lavoxel::source::{VentChange, VentSpec};
use lavoxel::world::{Ground, Matter, World};

fn scene(text: &str) -> Scene {
    Scene::parse(text, Path::new("scene.toml")).unwrap_or_else(|e| panic!("{e}"))
}

fn start(scene: &Scene) -> Simulation {
    scene
        .build(tiled())
        .unwrap_or_else(|e| panic!("{e}"))
        .simulation
}

fn run(simulation: &mut Simulation, steps: u64) -> u64 {
    while simulation.steps() < steps {
        simulation.step();
    }
    simulation.world().check().unwrap();
    simulation.world().state_hash()
}

#[test]
fn events_of_the_file_happen_at_their_steps() {
    let scene = scene(SCENE);
    let mut by_file = start(&scene);
    let mut bare = scene.clone();
    bare.spec.events.clear();
    let mut by_hand = start(&bare);
    let [nothing, seed, rules] = by_file.events() else {
        panic!("three events")
    };
    let [nothing, seed, rules] = [nothing, seed, rules].map(|event| event.command.clone());
    assert_ne!(by_file.world().state_hash(), by_hand.world().state_hash());

    by_hand.command(nothing.clone()).unwrap();
    assert_eq!(
        run(&mut by_file, 0),
        run(&mut by_hand, 0),
        "step 0 is before the first step"
    );
    assert_eq!(run(&mut by_file, 44), run(&mut by_hand, 44));
    assert_eq!((by_file.seed(), by_file.rules_spec().threshold), (4, 0.2));
    by_file.step();
    assert_eq!(
        (by_file.seed(), by_file.rules_spec().threshold),
        (9, 0.4),
        "part of the state after 45 steps"
    );
    assert_eq!(
        (by_file.rules_spec().walls, by_file.rules_spec().spread),
        (Walls::Open, 0.2)
    );

    run(&mut by_hand, 45);
    by_hand.command(seed.clone()).unwrap();
    by_hand.command(rules.clone()).unwrap();
    assert_eq!(run(&mut by_file, 90), run(&mut by_hand, 90));
    assert_eq!(run(&mut by_file, 90), {
        let mut by_oracle = scene.build(plain()).unwrap().simulation;
        run(&mut by_oracle, 90)
    });
    // Another seed alone changes the result, so the comparison above could have failed.
    let mut other = start(&bare);
    other.command(nothing.clone()).unwrap();
    run(&mut other, 45);
    other.command(rules.clone()).unwrap();
    assert_ne!(run(&mut by_file, 90), run(&mut other, 90));
}

#[test]
fn of_equal_steps_the_order_of_the_file_counts() {
    let put = |kind: &str| {
        format!(
            "[[event]]\nat = 2\nput = {{ shape = {{ kind = \"sphere\", center = [4, 4, 4], radius = 2 }}, matter = {{ kind = \"{kind}\" }} }}\n"
        )
    };
    let rock_after = |first: &str, second: &str| {
        let text = format!(
            "[grid]\nsize = [8, 8, 8]\n[terrain]\nkind = \"plane\"\n{}{}",
            put(first),
            put(second)
        );
        let mut simulation = start(&scene(&text));
        run(&mut simulation, 2);
        simulation.world().ground().is_solid([4, 4, 4])
    };
    assert!(rock_after("nothing", "rock"));
    assert!(!rock_after("rock", "nothing"));
}

#[test]
fn rules_of_an_event_change_only_the_keys_that_they_name() {
    let text = "[grid]\nsize = [8, 8, 8]\n[terrain]\nkind = \"plane\"\n[rules]\nspread = 0.1\nalpha = 0.7\n\
                friction = { on_solid = 0.2 }\n\
                [[event]]\nat = 2\nrules = { threshold = 0.3, friction = { on_liquid = 0.4 } }\n\
                [[event]]\nat = 6\n[event.rules]\nspreading_every = 3\nwalls = \"open\"\nalpha = 0.8\n";
    let original = scene(text);
    let mut simulation = start(&original);
    let mut expected = original.spec.rules.clone();
    run(&mut simulation, 2);
    (expected.threshold, expected.friction.on_liquid) = (0.3, 0.4);
    assert_eq!(simulation.rules_spec(), &expected);

    // Rules set by hand stay in force, too.
    let by_hand = RulesSpec {
        support: 0.5,
        ..expected.clone()
    };
    simulation
        .command(RulesChange::between(&expected, &by_hand))
        .unwrap();
    run(&mut simulation, 6);
    expected = RulesSpec {
        spreading_every: 3,
        walls: Walls::Open,
        alpha: 0.8,
        ..by_hand
    };
    assert_eq!(simulation.rules_spec(), &expected);

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("recorded.toml");
    original
        .recorded(&simulation)
        .save(&path, Existing::Keep)
        .unwrap();
    let saved = fs::read_to_string(&path).unwrap();
    assert_eq!(
        saved.matches("support = ").count(),
        2,
        "once in [rules], once in the event:\n{saved}"
    );
    let mut again = start(&Scene::load(&path).unwrap());
    run(&mut again, 6);
    assert_eq!(
        (again.rules_spec(), again.events()),
        (&expected, simulation.events())
    );
}

#[test]
fn an_event_that_lists_all_keys_replaces_all_of_them() {
    let text = "[rules]\nspread = 0.1\n[[event]]\nat = 1\n[event.rules]\nfactor = 0.9\nbeta = 1.0\nthreshold = 0.5\n\
                spread = 0.2\nalpha = 0.9\nsupport = 0.9\nwalls = \"closed\"\nspreading_every = 1\n\
                [event.rules.friction]\non_solid = 0.0\non_liquid = 0.0\n";
    let scene = scene(&format!(
        "[grid]\nsize = [8, 8, 8]\n[terrain]\nkind = \"plane\"\n{text}"
    ));
    let mut simulation = start(&scene);
    run(&mut simulation, 1);
    assert_eq!(
        simulation.rules_spec(),
        &RulesSpec {
            factor: 0.9,
            ..RulesSpec::default()
        }
    );
}

#[test]
fn vents_changed_by_command_pour_as_those_of_a_file_with_the_same_steps() {
    let bare =
        "[grid]\nsize = [20, 18, 16]\n[terrain]\nkind = \"hills\"\n[rules]\nthreshold = 0.2\n";
    let table = |x: f64, rate: f64, steps: &str| {
        format!("[[vent]]\nx = {x}\nz = 8.0\nrate = {rate}\n{steps}\n")
    };
    let tables = [
        table(9.0, 1.1, "end = 20"),
        table(4.0, 0.7, "start = 10\nend = 45"),
        table(9.0, 1.9, "start = 20\nend = 30"),
        table(12.0, 1.9, "start = 30\nend = 60"),
        table(15.0, 0.4, "start = 70\nend = 80"),
    ];
    let mut by_file = start(&scene(&format!("{bare}{}", tables.concat())));
    let mut by_hand = start(&scene(&format!("{bare}{}", table(9.0, 1.1, ""))));
    let vent = |x: f64, rate: f64| VentSpec {
        x,
        z: 8.0,
        rate,
        ..VentSpec::default()
    };
    let later = VentSpec {
        start: 70,
        end: Some(80),
        ..vent(15.0, 0.4)
    };
    let session = [
        (10, VentChange::Place(vent(4.0, 0.7))),
        (20, VentChange::Change(0, vent(9.0, 1.9))),
        (30, VentChange::Change(0, vent(12.0, 1.9))),
        (30, VentChange::Place(vent(1.0, 3.0))),
        (30, VentChange::Close(2)),
        (
            40,
            VentChange::Place(VentSpec {
                rate: 0.9,
                ..later.clone()
            }),
        ),
        (45, VentChange::Close(1)),
        (50, VentChange::Change(3, later)),
        (60, VentChange::Close(0)),
    ];
    for (step, change) in session {
        assert_eq!(
            run(&mut by_file, step),
            run(&mut by_hand, step),
            "before step {step}"
        );
        by_hand.command(change).unwrap();
    }
    assert!(by_hand.events().is_empty() && by_hand.vents().eq(by_file.vents()));
    assert_eq!(run(&mut by_file, 90), run(&mut by_hand, 90));
    let refused = by_hand
        .command(VentChange::Close(0))
        .expect_err("it is over")
        .to_string();
    assert_eq!(
        refused,
        "vent = 0: must be the number of a vent that pours or will pour"
    );
}

#[test]
fn a_material_changes_in_the_parameters_that_a_command_names() {
    let water = Material::water();
    let oil = Material {
        name: "oil".to_owned(),
        density: 900.0,
        ..water.clone()
    };
    let ground = || Ground::none(Grid::new(8, 8, 8));
    let fresh = |engine| {
        let world = World::with_materials(ground(), vec![oil.clone(), water.clone()]);
        Simulation::new(world, &RulesSpec::default(), &[], 1, engine)
    };
    let mut simulation = fresh(tiled());
    let thick = Material {
        viscosity: 1.0,
        ..oil.clone()
    };
    let slow = Material {
        fluidity: 9,
        ..thick.clone()
    };
    run(&mut simulation, 2);
    let before = simulation.snapshot(None);
    simulation
        .command(MaterialChange::between(&oil, &thick))
        .unwrap();
    simulation
        .command(MaterialChange::between(&thick, &slow))
        .unwrap();
    simulation
        .command(MaterialChange::between(&oil, &slow))
        .unwrap();
    assert_eq!(simulation.materials(), [water.clone(), slow.clone()]);
    let event = Event {
        at: 2,
        command: MaterialChange::between(&oil, &slow).into(),
    };
    assert_eq!(
        simulation.events(),
        std::slice::from_ref(&event),
        "one event for what happens between two steps"
    );
    let table = toml::to_string(&EventSpec::from_event(&event)).unwrap();
    assert_eq!(
        toml::from_str::<EventSpec>(&table)
            .unwrap()
            .event("event[0]")
            .unwrap(),
        event,
        "{table}"
    );

    let mut replay = fresh(plain()).with_events(vec![event]).unwrap();
    run(&mut replay, 2);
    assert_eq!(replay.materials(), simulation.materials());
    simulation.go_back(&before);
    assert_eq!(
        (simulation.materials(), simulation.events()),
        (&[water.clone(), oil.clone()][..], &[][..])
    );

    let honey = Material {
        name: "honey".to_owned(),
        ..oil.clone()
    };
    let refused = |change: MaterialChange| {
        fresh(tiled())
            .command(change)
            .expect_err("refused")
            .to_string()
    };
    let unknown = MaterialChange::between(
        &honey,
        &Material {
            speed: 0.5,
            ..honey.clone()
        },
    );
    assert_eq!(
        refused(unknown),
        "material.name = \"honey\": must be the name of a [[material]] table: \"water\" or \"oil\""
    );
    let wild = MaterialChange::between(
        &oil,
        &Material {
            viscosity: 2.0,
            ..oil.clone()
        },
    );
    assert_eq!(
        refused(wild),
        "material.viscosity = 2: must be a number from 0 to 1"
    );
    assert!(
        refused(MaterialChange::between(&oil, &oil))
            .starts_with("material = only the name \"oil\": must be one")
    );
}

#[test]
fn a_session_with_another_material_replays_to_the_same_bits() {
    let text = format!(
        "{SCENE}[[material]]\nname = \"brine\"\n[[source]]\nmaterial = \"brine\"\nx = 4.0\nz = 4.0\nrate = 0.9\n\
         [[event]]\nat = 12\nmaterial = {{ name = \"brine\", viscosity = 0.9 }}\n"
    );
    let original = scene(&text);
    let mut simulation = start(&original);
    let brine = |simulation: &Simulation| {
        simulation
            .materials()
            .iter()
            .find(|material| material.name == "brine")
            .unwrap()
            .clone()
    };
    let spring = VentSpec {
        x: 15.0,
        z: 9.0,
        rate: 0.6,
        material: Some("brine".to_owned()),
        ..VentSpec::default()
    };
    run(&mut simulation, 5);
    simulation.command(spring.clone()).unwrap();
    simulation
        .command(ball(
            10.0,
            14.0,
            8.0,
            Matter::Material {
                name: "brine".to_owned(),
                amount: 0.8,
            },
        ))
        .unwrap();
    run(&mut simulation, 20);
    assert_eq!(brine(&simulation).viscosity, 0.9);
    let slow = Material {
        fluidity: 4,
        stickiness: 0.1,
        ..brine(&simulation)
    };
    simulation
        .command(MaterialChange::between(&brine(&simulation), &slow))
        .unwrap();
    let number = simulation.open_vents().last().unwrap().0;
    simulation
        .command(VentChange::Change(
            number,
            VentSpec {
                rate: 1.2,
                ..spring
            },
        ))
        .unwrap();
    run(&mut simulation, 30);
    simulation.command(VentChange::Close(number)).unwrap();
    let state = |simulation: &mut Simulation| {
        let hash = run(simulation, 60);
        (
            hash,
            simulation
                .world()
                .layer("brine")
                .unwrap()
                .cells()
                .collect::<Vec<_>>(),
        )
    };
    let lived = state(&mut simulation);
    assert!(simulation.world().layer("brine").unwrap().mass() > 0);

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("water.toml");
    original
        .recorded(&simulation)
        .save(&path, Existing::Keep)
        .unwrap();
    let again = Scene::load(&path).unwrap_or_else(|e| panic!("{e}"));
    let sources = again
        .spec
        .sources
        .iter()
        .filter(|source| source.material.as_deref() == Some("brine"))
        .count();
    let changes = again
        .spec
        .events
        .iter()
        .filter(|event| event.material.is_some())
        .count();
    assert_eq!((sources, changes), (3, 2));
    let mut replay = start(&again);
    assert!(state(&mut replay) == lived, "another state");
    assert_eq!(brine(&replay), slow);
    // The material changes matter: without their events the run reaches another state.
    let mut without = again;
    without.spec.events.retain(|event| event.material.is_none());
    assert!(state(&mut start(&without)) != lived, "the same state");

    let unknown = text.replace(
        "{ name = \"brine\", viscosity",
        "{ name = \"honey\", viscosity",
    );
    let refused = Scene::parse(&unknown, Path::new("scene.toml"))
        .expect_err("no honey")
        .to_string();
    let said = ".material.name = \"honey\": must be the name of a [[material]] table: ";
    assert!(refused.contains(said), "{refused}");
}

#[test]
fn an_event_is_no_change_of_vents() {
    let simulation = start(&scene(
        "[grid]\nsize = [8, 8, 8]\n[terrain]\nkind = \"plane\"\n",
    ));
    let event = Event {
        at: 3,
        command: VentSpec::default().into(),
    };
    let refused = simulation
        .with_events(vec![event])
        .err()
        .expect("vents have their own steps")
        .to_string();
    assert_eq!(
        refused,
        "event[0] = a change of vents: must be put, rules, material, wind or seed; a vent has a start and an end instead"
    );
}

#[test]
fn wrong_events_are_refused_with_their_place() {
    let refused = |event: &str| {
        let text = format!("[[event]]\nat = 1\nseed = 1\n[[event]]\n{event}\n");
        Scene::parse(&text, Path::new("scene.toml"))
            .expect_err(event)
            .to_string()
    };
    let ball = "shape = { kind = \"sphere\", center = [1, 1, 1], radius = -2 }, matter = { kind = \"rock\" }";
    for (event, said) in [
        (
            "at = 1",
            "scene.toml:4: event[1] = only a step: must be one with exactly one of put, rules, material, wind and seed",
        ),
        (
            "at = 1\nseed = 1\nrules = {}",
            "event[1] = rules and seed: must be",
        ),
        ("seed = 1", "missing field `at`"),
        ("at = -1\nseed = 1", "scene.toml:5: "),
        (
            "at = 2_000_000_000\nseed = 1",
            "event[1].at = 2000000000: must be a number from 0 to 1000000000",
        ),
        (
            "at = 1\nrules = { spread = 0.5 }",
            "event[1].rules.spread = 0.5: must be",
        ),
        (
            "at = 1\nrules = { spred = 0.5 }",
            "unknown key `spred`: did you mean `spread`?",
        ),
        (
            "at = 1\nrules = { friction = { on_rock = 0.5 } }",
            "unknown key `on_rock`: did you mean `on_solid`?",
        ),
        (
            "at = 1\nrules = { threshold = \"high\" }",
            "threshold = \"high\": must be a number",
        ),
        (
            "at = 1\nrules = { spreading_every = 1.5 }",
            "spreading_every = 1.5: must be a whole number of 0 or more",
        ),
        (
            "at = 1\nmaterial = { viscosity = 0.5 }",
            "event[1].material = a table without name: must be one with the name",
        ),
        (
            "at = 1\nmaterial = { name = \"water\", density = 5 }",
            "unknown key `density`",
        ),
        (
            "at = 1\nrules = {}",
            "event[1].rules = {}: must be a table that names a key; keys left out stay as they are",
        ),
        (
            &format!("at = 1\nput = {{ {ball} }}"),
            "event[1].put.shape.radius = -2: must be",
        ),
    ] {
        let error = refused(event);
        assert!(error.contains(said), "{error}\nfor {event}");
    }
    let many = "[[event]]\nat = 1\nseed = 1\n".repeat(100_001);
    let error = Scene::parse(&many, Path::new("scene.toml"))
        .expect_err("too many")
        .to_string();
    assert!(
        error.contains("number of [[event]] tables = 100001"),
        "{error}"
    );
}

/// Runs a random session with rewinds to snapshots; returns the hash of the state at every step of
/// the final timeline.
fn live(simulation: &mut Simulation, dice: &mut Dice, steps: u64) -> Vec<u64> {
    let mut moments: Vec<Snapshot> = vec![simulation.snapshot(None)];
    let mut hashes = vec![0; steps as usize + 1];
    let mut rewinds = 4;
    while simulation.steps() < steps {
        for _ in 0..dice.below(3) {
            meddle(simulation, dice);
        }
        if dice.below(12) == 0 {
            moments.push(simulation.snapshot(moments.last()));
        }
        if dice.below(40) == 0 && rewinds > 0 {
            rewinds -= 1;
            moments.truncate(1 + dice.below(moments.len() as u64) as usize);
            simulation.go_back(moments.last().unwrap());
        }
        hashes[simulation.steps() as usize] = simulation.world().state_hash();
        for _ in 0..=dice.below(4).min(steps - simulation.steps() - 1) {
            simulation.step();
            hashes[simulation.steps() as usize] = simulation.world().state_hash();
        }
        simulation.world().check().unwrap();
    }
    hashes
}

#[test]
fn a_session_saved_as_a_scene_replays_to_the_same_bits() {
    let folder = tempfile::tempdir().unwrap();
    for session in 0..10 {
        let original = scene(SCENE);
        let mut simulation = start(&original);
        let steps = 70 + session * 3;
        let hashes = live(&mut simulation, &mut Dice(session), steps);
        let path = folder.path().join(format!("session-{session}.toml"));
        original
            .recorded(&simulation)
            .save(&path, Existing::Keep)
            .unwrap();

        let again = Scene::load(&path).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(again.spec.film.steps, steps);
        assert!(
            again.spec.vents.len() + again.spec.events.len() > 10,
            "something was done: {:?}",
            again.spec
        );
        let mut replay = start(&again);
        for step in 0..=steps {
            assert_eq!(
                run(&mut replay, step),
                hashes[step as usize],
                "session {session}, step {step}"
            );
        }
        assert_eq!(replay.events(), simulation.events());
        // Events of the scene that are still to come happen in both runs.
        assert_eq!(
            run(&mut replay, steps + 40),
            run(&mut simulation, steps + 40),
            "session {session} goes on"
        );
    }
}

#[test]
fn a_kept_moment_goes_on_as_it_did_the_first_time() {
    let mut simulation = start(&scene(SCENE));
    let mut dice = Dice(77);
    (0..5).for_each(|_| meddle(&mut simulation, &mut dice));
    run(&mut simulation, 30);
    let (moment, now) = (simulation.snapshot(None), simulation.world().state_hash());
    let first: Vec<u64> = (31..80).map(|step| run(&mut simulation, step)).collect();
    (0..20).for_each(|_| meddle(&mut simulation, &mut dice));
    simulation.go_back(&moment);
    assert_eq!(
        (simulation.steps(), simulation.world().state_hash()),
        (30, now)
    );
    let second: Vec<u64> = (31..80).map(|step| run(&mut simulation, step)).collect();
    assert_eq!(first, second);
}

#[test]
fn what_is_refused_leaves_the_simulation_as_it_was() {
    let mut simulation = start(&scene(SCENE));
    run(&mut simulation, 10);
    let (hash, events) = (
        simulation.world().state_hash(),
        simulation.events().to_vec(),
    );
    let spread = RulesSpec {
        spread: 0.3,
        ..RulesSpec::default()
    };
    for (act, key) in [
        (
            Command::Put(ball(f64::NAN, 1.0, 1.0, Matter::Rock)),
            "put.shape.center",
        ),
        (
            Command::Put(ball(
                1.0,
                1.0,
                1.0,
                Matter::Lava {
                    amount: 2.0,
                    energy: 1.0,
                    temperature_k: None,
                },
            )),
            "put.matter.amount",
        ),
        (spread.into(), "rules.spread"),
        (Command::Seed(u64::MAX), "seed"),
    ] {
        assert_eq!(simulation.command(act).expect_err(key).key, key);
    }
    assert_eq!(
        (simulation.world().state_hash(), simulation.events()),
        (hash, events.as_slice())
    );
}

#[test]
fn a_dragged_slider_leaves_one_event() {
    let mut simulation = start(&scene(
        "[grid]\nsize = [8, 8, 8]\n[terrain]\nkind = \"plane\"\n",
    ));
    simulation.step();
    for i in 1..10 {
        let threshold = f64::from(i) / 10.0;
        simulation
            .command(RulesSpec {
                threshold,
                ..RulesSpec::default()
            })
            .unwrap();
    }
    simulation.command(Command::Seed(1)).unwrap();
    simulation.command(Command::Seed(2)).unwrap();
    simulation.command(Command::Seed(2)).unwrap();
    let last = RulesSpec {
        threshold: 0.9,
        ..RulesSpec::default()
    };
    let events = [
        Event {
            at: 1,
            command: last.into(),
        },
        Event {
            at: 1,
            command: Command::Seed(2),
        },
    ];
    assert_eq!(simulation.events(), events);
}

#[test]
fn a_saved_scene_finds_its_heightmap() {
    let folder = tempfile::tempdir().unwrap();
    let maps = Path::new(env!("CARGO_MANIFEST_DIR")).join("terrains");
    let original = Scene::load(&maps.join("maunga_whau.toml")).unwrap();
    let mut simulation = start(&original);
    simulation
        .command(VentSpec {
            start: 0,
            x: 30.0,
            ..original.spec.vents[0].in_cells().unwrap()
        })
        .unwrap();
    simulation
        .command(Command::Put(ball(57.0, 40.0, 66.0, Matter::Rock)))
        .unwrap();
    let hash = run(&mut simulation, 25);
    let lived = original.recorded(&simulation);
    let replayed = |path: &Path| {
        run(
            &mut start(&Scene::load(path).unwrap_or_else(|e| panic!("{e}"))),
            25,
        )
    };

    let elsewhere = folder.path().join("sessions/one.toml");
    lived.save(&elsewhere, Existing::Keep).unwrap();
    assert_eq!(replayed(&elsewhere), hash);

    // A scene saved next to its heightmap can be moved with the folder.
    let beside = folder.path().join("terrain");
    fs::create_dir(&beside).unwrap();
    fs::copy(maps.join("maunga_whau.asc"), beside.join("maunga_whau.asc")).unwrap();
    fs::copy(
        maps.join("maunga_whau.toml"),
        beside.join("maunga_whau.toml"),
    )
    .unwrap();
    let lived = Scene::load(&beside.join("maunga_whau.toml"))
        .unwrap()
        .recorded(&simulation);
    lived
        .save(&beside.join("two.toml"), Existing::Keep)
        .unwrap();
    let moved = folder.path().join("moved");
    fs::rename(&beside, &moved).unwrap();
    assert_eq!(replayed(&moved.join("two.toml")), hash);
}

#[test]
fn a_scene_that_cannot_be_written_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("scene.toml");
    let mut scene = scene(SCENE);
    scene.save(&path, Existing::Keep).unwrap();
    let before = fs::read(&path).unwrap();
    assert!(matches!(
        scene.save(&path, Existing::Keep),
        Err(SceneError::Output(_))
    ));
    scene.spec.seed = u64::MAX;
    let error = scene
        .save(&path, Existing::Replace)
        .expect_err("no TOML number is so large")
        .to_string();
    assert!(
        error.contains("seed = 18446744073709551615: must be at most 9223372036854775807"),
        "{error}"
    );
    assert_eq!(fs::read(&path).unwrap(), before);
    scene.spec.seed = 5;
    scene.save(&path, Existing::Replace).unwrap();
    // A saved scene lists all its reactions explicitly.
    let default_reactions = scene.spec.default_reactions;
    assert_eq!(
        SceneSpec {
            default_reactions,
            ..Scene::load(&path).unwrap().spec
        },
        scene.spec
    );
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}
