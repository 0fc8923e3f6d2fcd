//! Tests of undo, redo, branches and replay in random sessions of every model: the state at a
//! moment is bit for bit the same each time the session reaches the moment.

use std::path::Path;

use crate::history::{History, Moment};
use crate::session::Rock;
use crate::session::Session;
use crate::travel::Way;
use lavoxel_air::Wind;
use lavoxel_automaton::engine::tiled::Tiled;
use lavoxel_automaton::matter::Material;
use lavoxel_automaton::rules::{MaterialChange, RulesSpec};
use lavoxel_automaton::world::{Breath, Edit, Matter, Shape};
use lavoxel_scene::scene::Scene;
use lavoxel_sim::simulation::{Command, Simulation};
use lavoxel_sim::source::{VentChange, VentSpec};

const WATER: &str = "[[material]]\nname = \"water\"\n";
const STEAM: &str = "[[material]]\nname = \"steam\"\ndensity = 250.0\n";
const AIR: &str = "[air]\nratio = 2\nheight_m = 120.0\nmargin_m = 8.0\nstep_s = 2.0\nwind = [[0.0, 1.5, 250.0]]\nsteam = \
                   \"steam\"\n";
const FLOW: &str = "model = \"flow\"\n[flow]\nstep_s = 2.0\nlava = \"etna-basalt\"\n";

/// Returns the text of a scene with hills and one vent. `head`: first lines of the text; `vent`:
/// keys of the vent; `more`: last lines of the text.
fn hills(head: &str, vent: &str, more: &str) -> String {
    format!(
        "{head}[grid]\nsize = [14, 16, 12]\ncell_size_m = 4.0\n[terrain]\nkind = \"hills\"\n[[vent]]\nx = 6.0\nz = \
         5.0\n{vent}{more}"
    )
}

struct Dice(u64);

impl Dice {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = lavoxel_base::random::mix64(self.0.wrapping_add(0x9e37_79b9_7f4a_7c15));
        self.0 % end
    }

    fn real(&mut self, low: f64, high: f64) -> f64 {
        low + self.below(1000) as f64 / 1000.0 * (high - low)
    }
}

/// Returns a random command such as a user could give; some commands are invalid or change nothing.
fn any(simulation: &Simulation, dice: &mut Dice) -> Command {
    let flows = simulation.world().flow().is_some();
    let shape = Shape::Sphere {
        center: [
            dice.real(1.0, 13.0),
            dice.real(2.0, 12.0),
            dice.real(1.0, 11.0),
        ],
        radius: dice.real(0.8, 3.0),
    };
    let put = |matter: Matter| Command::from(Edit { shape, matter });
    let spec = VentSpec {
        x: dice.real(3.0, 10.0),
        z: dice.real(3.0, 8.0),
        radius: 1.5,
        ..VentSpec::default()
    };
    let open: Vec<(usize, VentSpec)> = simulation
        .open_vents()
        .map(|(number, spec)| (number, spec.clone()))
        .collect();
    let one = |dice: &mut Dice| {
        (!open.is_empty()).then(|| open[dice.below(open.len() as u64) as usize].clone())
    };
    match dice.below(13) {
        0 => put(Matter::Lava {
            amount: 0.9,
            energy: 1.0,
            temperature_k: None,
        }),
        1 | 2 => put(Matter::Material {
            name: "water".into(),
            amount: dice.real(0.2, 1.0),
        }),
        3 => put(Matter::Rock),
        4 => put(Matter::Nothing),
        5 => match dice.below(3) {
            0 => put(Matter::Drain),
            1 => put(Matter::Flood {
                name: "water".into(),
                amount: 1.0,
            }),
            _ => put(Matter::Replace {
                of: None,
                name: "water".into(),
            }),
        },
        6 if simulation.world().air().is_some() => put(Matter::Air(Breath {
            heat_k: 40.0,
            steam_kg_m3: 0.001,
            ash_kg_m3: 0.0,
            wind_m_s: [0.5, 0.0, 0.2],
        })),
        7 => Command::Pour(VentChange::Place(VentSpec {
            start: simulation.steps(),
            ..spec
        })),
        8 => Command::Pour(VentChange::Place(VentSpec {
            material: Some("water".into()),
            rate: 0.5,
            ..spec
        })),
        9 => one(dice).map_or(Command::Seed(5), |(number, old)| {
            Command::Pour(VentChange::Change(
                number,
                VentSpec {
                    x: spec.x,
                    z: spec.z,
                    ..old
                },
            ))
        }),
        10 => one(dice).map_or(Command::Seed(6), |(number, _)| {
            Command::Pour(VentChange::Close(number))
        }),
        11 => {
            let water = simulation
                .materials()
                .iter()
                .find(|material| material.name == "water")
                .expect("it is there");
            let thick = Material {
                viscosity: dice.real(0.5, 2.0),
                ..water.clone()
            };
            MaterialChange::between(water, &thick).into()
        }
        12 if simulation.wind().is_some() => Command::Wind(Wind(vec![[
            0.0,
            dice.real(0.0, 4.0),
            dice.real(0.0, 360.0),
        ]])),
        _ if flows => put(Matter::Rock),
        _ if dice.below(2) == 0 => Command::Seed(dice.below(1000)),
        _ => RulesSpec {
            threshold: dice.real(0.05, 0.4),
            ..simulation.rules_spec().clone()
        }
        .into(),
    }
}

/// Returns a text that represents the complete state of `simulation`: hash of the world, numbers
/// and settings.
fn state(simulation: &Simulation) -> String {
    let numbers = (simulation.steps(), simulation.seed(), simulation.wind());
    let lists = (
        simulation.rules_spec(),
        simulation.materials(),
        simulation.open_vents().collect::<Vec<_>>(),
    );
    format!(
        "{:?} {numbers:?} {lists:?}",
        simulation.world().state_hash()
    )
}

fn arrive(session: &mut Session) {
    while session.travels() {
        session.go_on();
    }
    assert_eq!(session.at, session.history.here());
}

fn go(session: &mut Session, way: Way) -> String {
    session
        .go(way)
        .unwrap_or_else(|error| panic!("{way:?}: {error}"));
    arrive(session);
    state(session.simulation())
}

/// Command given in the test, with the text of the simulation's state just before and just after.
struct Done {
    moment: Moment,
    before: String,
    after: String,
}

/// Gives `count` random commands to `session`, with some simulation steps in between, and returns
/// the commands with the states before and after each.
fn live(session: &mut Session, dice: &mut Dice, count: usize) -> Vec<Done> {
    let mut done = Vec::new();
    while done.len() < count {
        let before = state(session.simulation());
        let (act, was) = (any(session.simulation(), dice), session.at);
        // Some random acts are out of range, and some set values that are in force already.
        if session.command(act, false).is_err() || session.at == was {
            assert_eq!(state(session.simulation()), before, "nothing is changed");
            continue;
        }
        done.push(Done {
            moment: session.at,
            before,
            after: state(session.simulation()),
        });
        if dice.below(3) == 0 {
            (0..=dice.below(3)).for_each(|_| session.step());
        }
    }
    done
}

fn undo_all(session: &mut Session, done: &[Done], name: &str) {
    for (k, act) in done.iter().enumerate().rev() {
        assert_eq!(
            go(session, Way::Undo),
            act.before,
            "{name}: before act {k} {:?}",
            session.history.act(act.moment.act)
        );
    }
}

fn redo_all(session: &mut Session, done: &[Done], name: &str) {
    for (k, act) in done.iter().enumerate() {
        assert_eq!(
            go(session, Way::Redo),
            act.after,
            "{name}: after act {k} {:?}",
            session.history.act(act.moment.act)
        );
    }
}

fn check(name: &str, text: &str, count: usize, seed: u64) {
    let dice = &mut Dice(seed);
    let scene = Scene::parse(text, Path::new("world.toml"))
        .unwrap_or_else(|error| panic!("{name}: {error}"));
    let mut session =
        Session::open(scene.clone()).unwrap_or_else(|error| panic!("{name}: {error}"));
    let done = live(&mut session, dice, count);
    let end = state(session.simulation());
    let wrong: Vec<_> = session
        .take_notices()
        .into_iter()
        .filter(|notice| notice.wrong)
        .collect();

    // The saved session replays to the same bits.
    let replays = |session: &Session| {
        let recorded = scene.recorded(session.simulation());
        let mut replay = recorded
            .build(Box::new(Tiled::default()))
            .expect("it fits")
            .simulation;
        while replay.steps() < session.simulation().steps() {
            replay.step();
        }
        let hashes = [replay.world(), session.simulation().world()].map(|world| world.state_hash());
        assert_eq!(hashes[0], hashes[1], "{name}: the saved session");
    };
    replays(&session);

    undo_all(&mut session, &done, name);
    redo_all(&mut session, &done, name);
    // The session goes to another step, to another branch, and back.
    let furthest = session.history.present().end;
    go(&mut session, Way::Step(dice.below(furthest.max(1))));
    replays(&session);
    let elsewhere = live(&mut session, dice, 1 + count / 10);
    assert!(session.history.branches().len() > 1, "{name}");
    replays(&session);
    let other = state(session.simulation());
    let branch = session.history.present().number;
    undo_all(&mut session, &elsewhere, name);
    redo_all(&mut session, &elsewhere, name);
    go(&mut session, Way::Branch(1));
    let tip = session.history.present().tip();
    assert_eq!(
        go(&mut session, Way::To(tip)),
        end,
        "{name}: back at the end"
    );
    undo_all(&mut session, &done[count - count / 10..], name);
    let tip = session
        .history
        .branch(branch)
        .expect("it has acts of its own")
        .tip();
    go(&mut session, Way::Branch(branch));
    assert_eq!(
        go(&mut session, Way::To(tip)),
        other,
        "{name}: back on the other branch"
    );
    // A history read back from its text leads to the same bits.
    let text = session.history.to_text(None).expect("TOML");
    let read = History::from_text(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
    let mut again = Session::open(scene.clone()).expect("it opens");
    again.history = read;
    again.at = Moment::START;
    let to = again.history.branch(1).expect("it is there").tip();
    go(&mut again, Way::Branch(1));
    assert_eq!(go(&mut again, Way::To(to)), end, "{name}: of the text");
    assert!(wrong.is_empty(), "{name}: {wrong:?}");
}

#[test]
fn acts_among_materials_are_taken_back_and_come_back_to_the_bit() {
    let oil = "[[material]]\nname = \"oil\"\ndensity = 900.0\n";
    check(
        "materials",
        &hills("", "", &format!("{WATER}{oil}")),
        200,
        1,
    );
}

#[test]
fn acts_in_water_under_pressure_are_taken_back_and_come_back_to_the_bit() {
    for (kind, seed) in [("trace", 2), ("compress", 3)] {
        let water = format!("[[material]]\nname = \"water\"\npressure = \"{kind}\"\n");
        check(kind, &hills("", "", &water), 200, seed);
    }
}

#[test]
fn acts_under_air_are_taken_back_and_come_back_to_the_bit() {
    check(
        "air",
        &hills("", "", &format!("{AIR}{WATER}{STEAM}")),
        200,
        4,
    );
}

#[test]
fn acts_in_a_flow_are_taken_back_and_come_back_to_the_bit() {
    let rate = "rate_m3_s = 20.0\n";
    check(
        "flow",
        &hills(FLOW, rate, &format!("{WATER}{STEAM}")),
        200,
        5,
    );
}

#[test]
fn acts_in_a_flow_under_air_are_taken_back_and_come_back_to_the_bit() {
    let rate = "rate_m3_s = 20.0\n";
    check(
        "flow and air",
        &hills(FLOW, rate, &format!("{AIR}{WATER}{STEAM}")),
        200,
        6,
    );
}

#[test]
fn a_dam_is_marked_until_it_is_dug_away_or_taken_back() {
    let scene = Scene::parse(&hills("", "", ""), Path::new("world.toml")).expect("a right scene");
    let mut session = Session::open(scene).expect("it opens");
    let line = |width| Shape::Line {
        points: vec![[2.0, 6.5], [12.0, 6.5]],
        width,
    };
    let raise = |by| {
        Command::from(Edit {
            shape: line(1.0),
            matter: Matter::Raise { by },
        })
    };
    session
        .command(raise(3.0), false)
        .expect("room above the hills");
    let dams = |session: &Session| -> Vec<Vec<[usize; 2]>> {
        let columns = |rock: &Rock| {
            if let Rock::Dam(columns) = rock {
                Some(columns.clone())
            } else {
                None
            }
        };
        session.built().iter().filter_map(columns).collect()
    };
    let whole = dams(&session);
    assert!(
        whole.len() == 1 && (10..=12).contains(&whole[0].len()),
        "{whole:?}"
    );
    assert!(
        whole[0]
            .iter()
            .all(|[x, z]| *z == 6 && (1..=12).contains(x)),
        "{whole:?}"
    );
    let hole = Shape::Box {
        from: [5.0, 0.0, 5.0],
        to: [8.0, 16.0, 8.0],
    };
    session
        .command(
            Edit {
                shape: hole,
                matter: Matter::Nothing,
            }
            .into(),
            false,
        )
        .expect("it digs");
    let left: Vec<_> = whole[0]
        .iter()
        .copied()
        .filter(|[x, _]| !(5..8).contains(x))
        .collect();
    assert_eq!(dams(&session), [left]);
    go(&mut session, Way::Undo);
    assert_eq!(dams(&session), whole);
    go(&mut session, Way::Undo);
    assert!(session.built().is_empty());
    go(&mut session, Way::Redo);
    assert_eq!(dams(&session), whole);
    session.command(raise(-1.0), false).expect("a ditch");
    assert!(dams(&session).concat().is_empty());
}
