//! Tests that a scene opened while another scene runs replaces every part of the window's state,
//! even if a step precedes the first report of the new scene.

use std::path::Path;
use std::sync::Arc;

use super::thread::Thread;
use super::{Message, Shared, lock};
use crate::messages::{Command, Pace, Update};
use crate::state::State;
use lavoxel_automaton::rules::Walls;
use lavoxel_files::shipped;
use lavoxel_render::LookSpec;
use lavoxel_scene::scene::Scene;
use lavoxel_session::Session;

/// Simulation thread, driven step by step by the test, and the window's state, which receives the
/// thread's updates.
struct Pair {
    thread: Thread,
    shared: Arc<Shared>,
    window: State,
}

impl Pair {
    fn open(scene: Scene) -> Self {
        let shared = Arc::new(Shared::default());
        let session = Session::open(scene.clone()).expect("a right scene");
        let thread = Thread::new(session, shared.clone());
        Self {
            thread,
            shared,
            window: State::new(scene, Pace::Rate(60.0), true),
        }
    }

    fn hear(&mut self, command: Command) {
        self.thread.read(Message::Command(command));
    }

    /// Makes one simulation step and applies an update. Returns true if the update is the first of
    /// a new scene.
    fn step(&mut self) -> bool {
        self.thread.step();
        self.look()
    }

    /// Applies an update of the present state without a step. Returns true if the update is the
    /// first of a new scene.
    fn look(&mut self) -> bool {
        self.thread.send_update();
        let update: Update = lock(&self.shared.update)
            .take()
            .expect("an update was sent");
        self.window.follow(&update)
    }
}

#[test]
fn every_shipped_scene_arrives_whole_from_a_running_eruption() {
    let mut pair = Pair::open(Scene::eruption());
    pair.hear(Command::Pace(Pace::Rate(60.0)));
    assert!(!pair.step() && !pair.step());
    let mut count = 0;
    for shipped in shipped::scenes() {
        let (name, scene) = (shipped.name, Scene::open(&shipped.path()).expect("shipped"));
        // Edits of the old scene that are partly not yet reported.
        let window = &mut pair.window;
        window.look = LookSpec {
            exposure: 3.25,
            sun_azimuth_deg: 1.5,
            ..window.look.clone()
        };
        window.rules.value.walls = Walls::Open;
        window.rules.touch();
        window.wind.value = None;
        window.wind.touch();
        window.vents.value.clear();
        window.vents.touch();
        window.tools.dam.from = Some([1.0; 3]);
        window.plots.pick([0, 0], [0.0; 3]);
        window.set_pace(Pace::Free);
        window.expect(scene.clone());
        // A late report of the old scene must not be mistaken for one of the new scene.
        assert!(!pair.look(), "{name}");
        pair.hear(Command::Open(Box::new(scene.clone())));
        assert!(pair.step(), "{name} has not arrived with its first report");
        let window = &pair.window;
        let report = window.report.as_ref().expect("it was reported");
        assert!(report.step == 1 && report.name == scene.spec.name, "{name}");
        assert_eq!(window.scene.spec.camera, scene.spec.camera, "{name}");
        let look = LookSpec {
            cell_height: window.look.cell_height,
            drape: window.look.drape.clone(),
            ..scene.look()
        };
        assert_eq!(
            window.look, look,
            "{name}: sky, sun, backdrop and all of the look"
        );
        assert_eq!(window.rules.value, report.rules, "{name}");
        assert_eq!(window.wind.value, report.wind, "{name}");
        assert_eq!(window.vents.value, report.vents, "{name}");
        assert_eq!(window.film.keys, scene.spec.film.keys, "{name}");
        assert_eq!(
            window.ground.as_ref().map(|ground| ground.dim()),
            Some((report.grid.nz, report.grid.nx)),
            "{name}"
        );
        assert!(
            window.tools.dam.from.is_none() && window.plots.point.is_none(),
            "{name}"
        );
        let paused = !scene.spec.goals.is_empty();
        assert_eq!(
            window.pace.value == Pace::Paused,
            paused,
            "{name}: only challenges wait for their player"
        );
        pair.hear(Command::Pace(Pace::Rate(60.0)));
        count += 1;
    }
    assert_eq!(count, 34);
}

#[test]
fn a_scene_that_cannot_be_opened_leaves_the_one_before_and_the_next_one_arrives() {
    let text = "name = \"first\"\n[grid]\nsize = [12, 10, 12]";
    let scene = |text: &str| Scene::parse(text, Path::new("scene.toml")).expect("a right scene");
    let mut pair = Pair::open(scene(text));
    assert!(!pair.step());
    let mut wrong = scene(&text.replace("first", "wrong"));
    wrong.spec.grid.size = [8, 9000, 8];
    pair.window.expect(wrong.clone());
    pair.hear(Command::Open(Box::new(wrong)));
    assert!(!pair.step());
    assert_eq!(pair.window.scene.spec.name, "first");
    // A scene of the same name and size arrives too when it is opened again.
    for name in ["next", "next"] {
        let next = scene(&text.replace("first", name));
        pair.window.expect(next.clone());
        pair.hear(Command::Open(Box::new(next)));
        assert!(pair.step());
        assert_eq!(pair.window.scene.spec.name, "next");
    }
}
