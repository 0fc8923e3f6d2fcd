//! Tests that time stands still while a print is traced, and goes on as before.

use std::path::Path;
use std::sync::Arc;

use super::thread::Thread;
use super::{Message, Shared, lock};
use crate::messages::{Command, Pace, PrintSubject, Update};
use lavoxel_scene::scene::Scene;
use lavoxel_session::Session;
use lavoxel_sim::simulation;

const SCENE: &str = "[grid]\nsize = [20, 16, 20]\n[[material]]\nname = \"water\"\n";

struct Run {
    thread: Thread,
    shared: Arc<Shared>,
}

impl Run {
    fn open() -> Self {
        let scene = Scene::parse(SCENE, Path::new("scene.toml")).expect("a right scene");
        let shared = Arc::new(Shared::default());
        let session = Session::open(scene).expect("a right scene");
        let thread = Thread::new(session, shared.clone());
        Self { thread, shared }
    }

    fn hear(&mut self, command: Command) {
        self.thread.read(Message::Command(command));
    }

    fn update(&mut self) -> Update {
        self.thread.send_update();
        lock(&self.shared.update).take().expect("one was sent")
    }

    /// Does the work that is due, at most ten pieces, and returns the number of the step.
    fn go_on(&mut self) -> u64 {
        let _ = (0..10).take_while(|_| self.thread.work()).count();
        self.update().report.step
    }

    /// Requests a print and returns the state for it.
    fn ask(&mut self) -> Box<PrintSubject> {
        self.hear(Command::Print(Some([64, 48])));
        let answer = self.update().print.expect("an answer");
        answer.expect("there is memory for a small print")
    }
}

#[test]
fn time_stands_still_for_a_print_and_goes_on_at_its_pace() {
    let mut run = Run::open();
    run.hear(Command::Pace(Pace::Free));
    let before = run.go_on();
    assert_eq!(before, 10);
    let hash = run.thread.state_hash();
    let subject = run.ask();
    assert_eq!((subject.steps, run.go_on()), (10, 10));
    assert_eq!(run.thread.state_hash(), hash, "a print changes no state");
    let update = run.update();
    assert_eq!(update.report.pace, Pace::Free, "a print is no pause");
    assert!(update.print.is_none(), "one answer for one request");
    run.hear(Command::Print(None));
    assert_eq!(run.go_on(), 20);
    let mut other = Run::open();
    other.hear(Command::Pace(Pace::Free));
    assert_eq!((other.go_on(), other.go_on()), (10, 20));
    assert_eq!(run.thread.state_hash(), other.thread.state_hash());
}

#[test]
fn a_pause_outlasts_a_print_and_counted_steps_are_made_after_it() {
    let mut run = Run::open();
    drop(run.ask());
    run.hear(Command::Print(None));
    assert_eq!(run.go_on(), 0);
    run.hear(Command::Steps(4));
    assert!(run.thread.work());
    drop(run.ask());
    assert_eq!(run.go_on(), 1);
    run.hear(Command::Print(None));
    assert_eq!(run.go_on(), 4);
    assert_eq!(run.update().report.pace, Pace::Paused);
}

#[test]
fn a_print_shows_the_state_after_the_acts_before_it_and_ends_with_its_scene() {
    let mut run = Run::open();
    run.update();
    let text = "[grid]\nsize = [24, 18, 22]\n";
    let other = Scene::parse(text, Path::new("other.toml")).expect("a right scene");
    run.hear(Command::World(simulation::Command::Seed(5)));
    let subject = run.ask();
    assert_eq!(subject.volume.grid.nx, 20);
    run.hear(Command::Open(Box::new(other)));
    run.hear(Command::Pace(Pace::Free));
    assert_eq!(run.go_on(), 10, "another scene does not stand still");
}

#[test]
fn memory_for_a_print_grows_with_the_window() {
    let scene = Scene::parse(SCENE, Path::new("scene.toml")).expect("a right scene");
    let session = Session::open(scene).expect("a right scene");
    let [small, large] =
        [[64, 48], [3840, 2160]].map(|size| session.need_of_print(size).bytes() >> 20);
    assert!(
        small < 200 && large > small + 1000,
        "{small} MiB, {large} MiB"
    );
}
