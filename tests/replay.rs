//! The promise: what a person does to a running simulation, saved as a scene, replays to the same bits; and a moment
//! that was kept goes on as it did the first time.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod common;

use std::fs;
use std::path::Path;

use common::{Dice, SCENE, ball, meddle, plain, tiled};
use lavoxel::output::Existing;
use lavoxel::rules::{RulesSpec, Walls};
use lavoxel::scene::{Scene, SceneError};
use lavoxel::simulation::{Act, Event, Simulation, Snapshot};
use lavoxel::source::VentSpec;
use lavoxel::world::Matter;

fn scene(text: &str) -> Scene {
    Scene::parse(text, Path::new("scene.toml")).unwrap_or_else(|e| panic!("{e}"))
}

fn start(scene: &Scene) -> Simulation {
    scene.build(tiled()).unwrap_or_else(|e| panic!("{e}")).simulation
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
    let [nothing, seed, rules] = by_file.events() else { panic!("three events") };
    let [nothing, seed, rules] = [nothing, seed, rules].map(|event| event.act.clone());
    assert_ne!(by_file.world().state_hash(), by_hand.world().state_hash());

    by_hand.act(nothing.clone()).unwrap();
    assert_eq!(run(&mut by_file, 0), run(&mut by_hand, 0), "step 0 is before the first step");
    assert_eq!(run(&mut by_file, 44), run(&mut by_hand, 44));
    assert_eq!((by_file.seed(), by_file.rules_spec().threshold), (4, 0.2));
    by_file.step();
    assert_eq!((by_file.seed(), by_file.rules_spec().threshold), (9, 0.4), "part of the state after 45 steps");
    assert_eq!((by_file.rules_spec().walls, by_file.rules_spec().spread), (Walls::Open, 0.2));

    run(&mut by_hand, 45);
    by_hand.act(seed.clone()).unwrap();
    by_hand.act(rules.clone()).unwrap();
    assert_eq!(run(&mut by_file, 90), run(&mut by_hand, 90));
    assert_eq!(run(&mut by_file, 90), {
        let mut by_oracle = scene.build(plain()).unwrap().simulation;
        run(&mut by_oracle, 90)
    });
    // The seed alone makes a difference, so that the comparison above could have failed.
    let mut other = start(&bare);
    other.act(nothing.clone()).unwrap();
    run(&mut other, 45);
    other.act(rules.clone()).unwrap();
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
        let text = format!("[grid]\nsize = [8, 8, 8]\n[terrain]\nkind = \"plane\"\n{}{}", put(first), put(second));
        let mut simulation = start(&scene(&text));
        run(&mut simulation, 2);
        simulation.world().ground().is_solid(4, 4, 4)
    };
    assert!(rock_after("nothing", "rock"));
    assert!(!rock_after("rock", "nothing"));
}

#[test]
fn wrong_events_are_refused_with_their_place() {
    let refused = |event: &str| {
        let text = format!("[[event]]\nat = 1\nseed = 1\n[[event]]\n{event}\n");
        Scene::parse(&text, Path::new("scene.toml")).expect_err(event).to_string()
    };
    let ball = "shape = { kind = \"sphere\", center = [1, 1, 1], radius = -2 }, matter = { kind = \"rock\" }";
    for (event, said) in [
        ("at = 1", "scene.toml:4: event[1] = only a step: must be one with exactly one of put, rules and seed"),
        ("at = 1\nseed = 1\nrules = {}", "event[1] = rules and seed: must be"),
        ("seed = 1", "missing field `at`"),
        ("at = -1\nseed = 1", "scene.toml:5: "),
        ("at = 2_000_000_000\nseed = 1", "event[1].at = 2000000000: must be a number from 0 to 1000000000"),
        ("at = 1\nrules = { spread = 0.5 }", "event[1].rules.spread = 0.5: must be"),
        ("at = 1\nrules = { spred = 0.5 }", "unknown key `spred`: did you mean `spread`?"),
        (&format!("at = 1\nput = {{ {ball} }}"), "event[1].put.shape.radius = -2: must be"),
    ] {
        let error = refused(event);
        assert!(error.contains(said), "{error}\nfor {event}");
    }
    let many = "[[event]]\nat = 1\nseed = 1\n".repeat(100_001);
    let error = Scene::parse(&many, Path::new("scene.toml")).expect_err("too many").to_string();
    assert!(error.contains("number of [[event]] tables = 100001"), "{error}");
}

/// Lives a random session with rewinds and gives the hash at every step of what is left of it.
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
    for session in 0..30 {
        let original = scene(SCENE);
        let mut simulation = start(&original);
        let steps = 70 + session * 3;
        let hashes = live(&mut simulation, &mut Dice(session), steps);
        let path = folder.path().join(format!("session-{session}.toml"));
        original.recorded(&simulation).save(&path, Existing::Keep).unwrap();

        let again = Scene::load(&path).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(again.spec.film.steps, steps);
        assert!(again.spec.vents.len() + again.spec.events.len() > 10, "something was done: {:?}", again.spec);
        let mut replay = start(&again);
        for step in 0..=steps {
            assert_eq!(run(&mut replay, step), hashes[step as usize], "session {session}, step {step}");
        }
        assert_eq!(replay.events(), simulation.events());
        // What the scene still had before it comes in both.
        assert_eq!(run(&mut replay, steps + 40), run(&mut simulation, steps + 40), "session {session} goes on");
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
    assert_eq!((simulation.steps(), simulation.world().state_hash()), (30, now));
    let second: Vec<u64> = (31..80).map(|step| run(&mut simulation, step)).collect();
    assert_eq!(first, second);
}

#[test]
fn what_is_refused_leaves_the_simulation_as_it_was() {
    let mut simulation = start(&scene(SCENE));
    run(&mut simulation, 10);
    let (hash, events) = (simulation.world().state_hash(), simulation.events().to_vec());
    let spread = RulesSpec { spread: 0.3, ..RulesSpec::default() };
    for (act, key) in [
        (Act::Put(ball(f64::NAN, 1.0, 1.0, Matter::Rock)), "put.shape.center"),
        (Act::Put(ball(1.0, 1.0, 1.0, Matter::Lava { amount: 2.0, energy: 1.0 })), "put.matter.amount"),
        (Act::Rules(spread), "rules.spread"),
        (Act::Seed(u64::MAX), "seed"),
    ] {
        assert_eq!(simulation.act(act).expect_err(key).key, key);
    }
    assert_eq!((simulation.world().state_hash(), simulation.events()), (hash, events.as_slice()));
}

#[test]
fn a_dragged_slider_leaves_one_event() {
    let mut simulation = start(&scene("[grid]\nsize = [8, 8, 8]\n[terrain]\nkind = \"plane\"\n"));
    simulation.step();
    for i in 1..10 {
        let threshold = f64::from(i) / 10.0;
        simulation.act(Act::Rules(RulesSpec { threshold, ..RulesSpec::default() })).unwrap();
    }
    simulation.act(Act::Seed(1)).unwrap();
    simulation.act(Act::Seed(2)).unwrap();
    simulation.act(Act::Seed(2)).unwrap();
    let last = RulesSpec { threshold: 0.9, ..RulesSpec::default() };
    let events = [Event { at: 1, act: Act::Rules(last) }, Event { at: 1, act: Act::Seed(2) }];
    assert_eq!(simulation.events(), events);
}

#[test]
fn a_saved_scene_finds_its_heightmap() {
    let folder = tempfile::tempdir().unwrap();
    let maps = Path::new(env!("CARGO_MANIFEST_DIR")).join("terrains");
    let original = Scene::load(&maps.join("maunga_whau.toml")).unwrap();
    let mut simulation = start(&original);
    simulation.place_vent(VentSpec { start: 0, x: 30.0, ..original.spec.vents[0].in_cells().unwrap() }).unwrap();
    simulation.act(Act::Put(ball(57.0, 40.0, 66.0, Matter::Rock))).unwrap();
    let hash = run(&mut simulation, 25);
    let lived = original.recorded(&simulation);
    let replayed = |path: &Path| run(&mut start(&Scene::load(path).unwrap_or_else(|e| panic!("{e}"))), 25);

    let elsewhere = folder.path().join("sessions/one.toml");
    lived.save(&elsewhere, Existing::Keep).unwrap();
    assert_eq!(replayed(&elsewhere), hash);

    // Beside its heightmap it goes wherever the folder goes.
    let beside = folder.path().join("terrain");
    fs::create_dir(&beside).unwrap();
    fs::copy(maps.join("maunga_whau.asc"), beside.join("maunga_whau.asc")).unwrap();
    fs::copy(maps.join("maunga_whau.toml"), beside.join("maunga_whau.toml")).unwrap();
    let lived = Scene::load(&beside.join("maunga_whau.toml")).unwrap().recorded(&simulation);
    lived.save(&beside.join("two.toml"), Existing::Keep).unwrap();
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
    assert!(matches!(scene.save(&path, Existing::Keep), Err(SceneError::Output(_))));
    scene.spec.seed = u64::MAX;
    let error = scene.save(&path, Existing::Replace).expect_err("no TOML number is so large").to_string();
    assert!(error.contains("seed = 18446744073709551615: must be at most 9223372036854775807"), "{error}");
    assert_eq!(fs::read(&path).unwrap(), before);
    scene.spec.seed = 5;
    scene.save(&path, Existing::Replace).unwrap();
    assert_eq!(Scene::load(&path).unwrap().spec, scene.spec);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}
