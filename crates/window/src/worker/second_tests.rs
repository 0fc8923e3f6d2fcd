//! Tests of the second run: the second run advances together with the first run, both runs have the
//! same results as separate runs, memory is accounted for, and each command reaches the right run.

use std::path::Path;
use std::sync::Arc;

use super::thread::Thread;
use super::{Message, Shared, StartError, Worker, lock};
use crate::messages::{Command, Pace, TwoRuns, Update, Way};
use lavoxel_automaton::engine::tiled::Tiled;
use lavoxel_scene::scene::Scene;
use lavoxel_session::Session;
use lavoxel_sim::simulation::{self, Simulation};

/// Returns a scene of the classic model: a vent on a plane, with the rate `rate` in full cells per
/// step.
fn lava(name: &str, rate: f64) -> Scene {
    let text = format!(
        "name = \"{name}\"\n[grid]\nsize = [20, 16, 20]\ncell_size_m = 1.0\n[terrain]\nkind = \"plane\"\n[[vent]]\nx = 10.0\nz = 10.0\nradius = 2.0\n\
         rate = {rate:?}\n"
    );
    parsed(&text)
}

/// Returns a scene of the physical model: a vent on a plane, with steps of `step_s` seconds.
fn flow(step_s: f64) -> Scene {
    let text = format!(
        "model = \"flow\"\n[grid]\nsize = [20, 16, 20]\ncell_size_m = 5.0\n[flow]\nstep_s = {step_s:?}\n[terrain]\nkind = \
         \"plane\"\n[[vent]]\nx = 10.0\nz = 10.0\nradius = 2.0\nrate_m3_s = 5.0\n"
    );
    parsed(&text)
}

fn parsed(text: &str) -> Scene {
    Scene::parse(text, Path::new("scene.toml")).expect("a right scene")
}

/// Returns the simulation of `scene` after `steps` steps, made without a window like a run of
/// `lavoxel run`.
fn separate(scene: &Scene, steps: u64) -> Simulation {
    let stage = scene.build(Box::new(Tiled::default())).expect("it fits");
    let mut run = stage.simulation;
    (0..steps).for_each(|_| run.step());
    run
}

/// Simulation thread with two runs, which the test drives step by step.
struct Two {
    thread: Thread,
    shared: Arc<Shared>,
}

impl Two {
    fn open(first: Scene, second: Scene) -> Self {
        let shared = Arc::new(Shared::default());
        let session = Session::open(first).expect("a right scene");
        let mut thread = Thread::new(session, shared.clone());
        thread.begin_second(second).expect("it fits");
        Self { thread, shared }
    }

    fn hear(&mut self, command: Command) {
        self.thread.read(Message::Command(command));
    }

    /// Makes `steps` steps of the first run, and the steps of the second run that are due in the
    /// meantime.
    fn steps(&mut self, steps: u64) {
        self.hear(Command::Steps(steps));
        while self.thread.work() {}
    }

    fn look(&mut self) -> Update {
        self.thread.send_update();
        let update = lock(&self.shared.update).take();
        update.expect("an update was sent")
    }

    fn numbers(&mut self) -> TwoRuns {
        let second = self.look().second.expect("there is a second run");
        second.numbers.expect("both are measured")
    }
}

#[test]
fn two_runs_advance_together_and_have_the_numbers_of_separate_runs() {
    let scenes = [lava("slow", 0.5), lava("fast", 2.0)];
    let mut two = Two::open(scenes[0].clone(), scenes[1].clone());
    let first = two.look();
    assert!(
        first.changes.reset
            && first
                .second
                .is_some_and(|second| second.update.changes.reset && second.look.is_some())
    );
    for steps in [1, 40, 160] {
        let made = two.numbers().steps[0];
        two.steps(steps - made);
        let numbers = two.numbers();
        assert_eq!(numbers.steps, [steps; 2]);
        let runs = [0, 1].map(|side| separate(&scenes[side], steps));
        let hashes = [0, 1].map(|side| runs[side].world().state_hash());
        assert_eq!(numbers.hashes, Some(hashes));
        let row = |name: &str| {
            numbers
                .rows
                .iter()
                .find(|row| row.name == name)
                .expect("known")
        };
        let mass =
            [0, 1].map(|side: usize| runs[side].world().lava().tally().mass as f64 / 32_768.0);
        let volume = row("lava in the box");
        for side in 0..2 {
            assert!(
                (volume.values[side] - mass[side]).abs() < 1e-9,
                "{volume:?}, {mass:?}"
            );
        }
        assert_eq!(volume.difference(), volume.values[1] - volume.values[0]);
        // A thin film does not cover its column yet.
        let is_covered = steps == 1 || row("area under lava").values[0] > 0.0;
        assert!(volume.difference() > 0.0 && is_covered, "{numbers:?}");
    }
}

#[test]
fn the_same_scene_twice_has_no_differences() {
    let mut two = Two::open(lava("a", 1.0), lava("b", 1.0));
    two.steps(60);
    let numbers = two.numbers();
    let [left, right] = numbers.hashes.expect("both rest");
    assert_eq!(left, right);
    let model = |row: &&crate::messages::Versus| row.unit != "ms";
    let rows: Vec<_> = numbers.rows.iter().filter(model).collect();
    assert!(
        rows.len() > 3 && rows.iter().all(|row| row.difference() == 0.0),
        "{rows:?}"
    );
    assert_eq!(numbers.label(1), "b, step 60");
}

#[test]
fn physical_models_advance_to_the_same_time() {
    let mut two = Two::open(flow(4.0), flow(1.0));
    two.steps(5);
    let numbers = two.numbers();
    assert_eq!((numbers.steps, numbers.times_s), ([5, 20], Some([20.0; 2])));
    let mut two = Two::open(flow(1.0), flow(4.0));
    two.steps(9);
    let numbers = two.numbers();
    assert_eq!(
        (numbers.steps, numbers.times_s),
        ([9, 3], Some([9.0, 12.0]))
    );
    // With the automaton there is no common time.
    let mut two = Two::open(flow(4.0), lava("cells", 1.0));
    two.steps(5);
    let numbers = two.numbers();
    assert_eq!((numbers.steps, numbers.times_s), ([5; 2], None));
}

#[test]
fn acts_and_undo_change_the_left_run_and_the_start_is_that_of_both() {
    let scenes = [lava("left", 1.0), lava("right", 1.0)];
    let mut two = Two::open(scenes[0].clone(), scenes[1].clone());
    two.steps(30);
    two.hear(Command::World(simulation::Command::Seed(77)));
    two.steps(30);
    let numbers = two.numbers();
    let alone = separate(&scenes[1], 60).world().state_hash();
    let [left, right] = numbers.hashes.expect("both rest");
    assert!(left != alone && right == alone, "{numbers:?}");
    // The right run waits while the left one is back in time.
    two.hear(Command::Go(Way::Step(10)));
    two.steps(20);
    assert_eq!(two.numbers().steps, [30, 60]);
    two.hear(Command::Go(Way::Start));
    while two.thread.work() {}
    assert_eq!(two.numbers().steps, [0; 2]);
    two.hear(Command::Pace(Pace::Paused));
    two.steps(20);
    let numbers = two.numbers();
    let alone = separate(&scenes[1], 20).world().state_hash();
    assert_eq!(
        (numbers.steps, numbers.hashes.map(|both| both[1])),
        ([20; 2], Some(alone))
    );
}

#[test]
fn another_scene_at_the_left_and_a_later_second_run_start_from_the_start() {
    let mut two = Two::open(lava("left", 1.0), lava("right", 1.0));
    two.steps(25);
    two.hear(Command::Open(Box::new(lava("other", 2.0))));
    while two.thread.work() {}
    let numbers = two.numbers();
    assert_eq!((numbers.steps, &numbers.names[0][..]), ([0; 2], "other"));
    two.steps(15);
    // A second run that begins later catches up, and the left one waits for it.
    two.hear(Command::Second(Some(Box::new(lava("late", 1.0)))));
    assert_eq!(
        two.look().second.expect("it is there").update.report.step,
        0
    );
    while two.thread.work() {}
    assert_eq!(two.numbers().steps, [15; 2]);
}

#[test]
fn a_closed_second_run_is_gone_and_the_first_goes_on() {
    let mut two = Two::open(lava("left", 1.0), lava("right", 1.0));
    two.steps(5);
    two.hear(Command::Second(None));
    assert!(two.look().second.is_none());
    two.steps(10);
    assert_eq!(two.look().report.step, 15);
}

#[test]
fn a_wrong_second_scene_is_an_error_of_its_own() {
    let mut wrong = lava("wrong", 1.0);
    wrong.spec.grid.size = [8, 9000, 8];
    let error = Worker::start(lava("left", 1.0), Some(wrong.clone())).err();
    assert!(matches!(error, Some(StartError::Second(_))), "{error:?}");
    let mut two = Two::open(lava("left", 1.0), lava("right", 1.0));
    two.hear(Command::Second(Some(Box::new(wrong))));
    let notices = two.look().notices;
    let said = notices
        .iter()
        .find(|notice| notice.wrong)
        .expect("it says so");
    assert!(
        said.text.contains("no second run: ") && said.text.contains("9000"),
        "{said:?}"
    );
}
