//! Simulation thread. The window has a [`Worker`], which sends commands to the thread and polls for
//! updates.
//!
//! Invariant: neither the window nor the thread waits for the other. Commands go through an
//! unbounded channel; updates go through a slot for one update, which the thread refills only after
//! the window has taken the last update.

#[cfg(test)]
mod arrival_tests;
mod clock;
#[cfg(test)]
mod print_tests;
mod publish;
mod second;
#[cfg(test)]
mod second_tests;
mod thread;
mod watch;

use std::any::Any;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use self::thread::Thread;
use super::messages::{Command, Notice, Report, Update};
use lavoxel_scene::scene::{Scene, SceneError};
use lavoxel_session::Session;

/// Error of starting the simulation thread.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The first scene is invalid or cannot be built.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// The scene of the second run is invalid, cannot be built, or exceeds the memory limit
    /// together with the first scene.
    #[error(transparent)]
    Second(SceneError),
    /// The operating system could not create a thread.
    #[error("cannot start the simulation's thread: {0}")]
    Thread(#[from] io::Error),
    /// The simulation thread panicked while starting, by a bug in the program. Field: text of the
    /// panic.
    #[error("the simulation could not start: {0}")]
    Broken(String),
}

/// Message of the window to the simulation thread.
enum Message {
    Command(Command),
    /// The window has taken the last update: the slot is free for the next one.
    Taken,
    #[cfg(test)]
    Panic,
}

/// State shared by the window and the simulation thread.
#[derive(Default)]
struct Shared {
    /// Latest update; `None` once the window has taken the update.
    update: Mutex<Option<Update>>,
    /// Text of the simulation thread's panic; `None` if the thread has not panicked, or after the
    /// window has shown the text.
    broken: Mutex<Option<String>>,
    stop: AtomicBool,
}

impl Shared {
    fn stops(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn is_free(&self) -> bool {
        lock(&self.update).is_none()
    }

    fn publish(&self, update: Update) {
        *lock(&self.update) = Some(update);
    }
}

/// Locks `mutex`, even if a thread has panicked while holding the lock: locks are held only to move
/// a value, so a panic cannot leave a half-written value.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Handle of the simulation thread for the window. Dropping the handle ends the thread after its
/// current step and waits until the thread has ended.
pub struct Worker {
    /// Sender of messages to the thread; `None` only while the worker is dropped.
    messages: Option<Sender<Message>>,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
    /// Report of the update polled last; an update that tells the user of a panic repeats this
    /// report. `None` before the first update.
    report: Option<Report>,
}

impl Worker {
    /// Starts the simulation thread with `scene` at step 0, paused. `second`: scene of a second
    /// run, `None` for one run. Blocks until the scenes are built (seconds for a very large box)
    /// and a first update is ready; scenes opened later are built in the background.
    ///
    /// # Errors
    /// [`StartError`]: a scene is invalid, no thread can be created, or the thread panicked.
    pub fn start(scene: Scene, second: Option<Scene>) -> Result<Self, StartError> {
        let shared = Arc::new(Shared::default());
        let (messages, received) = channel();
        let (ready, built) = channel();
        let theirs = shared.clone();
        let work = move || live((scene, second), &theirs, &received, &ready);
        let thread = std::thread::Builder::new()
            .name("simulation".to_owned())
            .spawn(work)?;
        let worker = Self {
            messages: Some(messages),
            shared,
            thread: Some(thread),
            report: None,
        };
        match built.recv() {
            Ok(Ok(())) => Ok(worker),
            Ok(Err(error)) => Err(error),
            Err(_) => {
                let said = lock(&worker.shared.broken).take();
                Err(StartError::Broken(said.unwrap_or_default()))
            }
        }
    }

    /// Sends a command without blocking. The thread handles commands between two steps, in the
    /// order of sending. Does nothing after a panic of the thread.
    pub fn send(&self, command: Command) {
        self.post(Message::Command(command));
    }

    fn post(&self, message: Message) {
        if let Some(messages) = &self.messages {
            // After a panic there is no receiver; `poll` reports the panic.
            messages.send(message).ok();
        }
    }

    /// Returns the latest update without blocking; `None` if no update was sent since the last
    /// call. After a panic of the thread, one last update tells the user the text of the panic.
    pub fn poll(&mut self) -> Option<Update> {
        let update = lock(&self.shared.update).take();
        if let Some(update) = update {
            self.post(Message::Taken);
            self.report = Some(update.report.clone());
            return Some(update);
        }
        let said = lock(&self.shared.broken).take()?;
        let text = format!(
            "the simulation broke off, by a mistake in Lavoxel; please start it again ({said})"
        );
        Some(Update {
            notices: vec![Notice::wrong(text)],
            ..Update::of_report(self.report.clone()?)
        })
    }

    /// Returns true while the simulation thread runs, false after its panic.
    pub fn is_running(&self) -> bool {
        self.thread
            .as_ref()
            .is_some_and(|thread| !thread.is_finished())
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Relaxed);
        self.messages = None;
        if let Some(thread) = self.thread.take() {
            // `poll` has reported a panic, or the window was closed before it could.
            thread.join().ok();
        }
    }
}

/// Main function of the simulation thread: builds `scenes` (of the first and the second run), sends
/// the result to `ready`, then handles `messages` until the window closes. The text of a panic is
/// stored in `shared`.
fn live(
    scenes: (Scene, Option<Scene>),
    shared: &Arc<Shared>,
    messages: &Receiver<Message>,
    ready: &Sender<Result<(), StartError>>,
) {
    let work = || match open(scenes, shared) {
        Ok(mut thread) => {
            thread.send_update();
            ready.send(Ok(())).ok();
            thread.run(messages);
        }
        Err(error) => drop(ready.send(Err(error))),
    };
    if let Err(panic) = catch_unwind(AssertUnwindSafe(work)) {
        *lock(&shared.broken) = Some(said(panic.as_ref()));
    }
}

/// Builds `scene` for the first run, and `second` (if any) for the second run; returns the thread's
/// state, paused at step 0.
fn open(
    (scene, second): (Scene, Option<Scene>),
    shared: &Arc<Shared>,
) -> Result<Thread, StartError> {
    let mut thread = Thread::new(Session::open(scene)?, shared.clone());
    if let Some(second) = second {
        thread.begin_second(second).map_err(StartError::Second)?;
    }
    Ok(thread)
}

/// Returns the text of the panic payload `panic`.
fn said(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no reason was given".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;
    use std::time::Duration;

    fn scene(text: &str) -> Scene {
        Scene::parse(text, Path::new("scene.toml")).expect("a right scene")
    }

    fn next(worker: &mut Worker) -> Update {
        for _ in 0..2000 {
            if let Some(update) = worker.poll() {
                return update;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        panic!("no update for ten seconds");
    }

    #[test]
    fn a_panic_is_reported_and_nothing_hangs() {
        let mut worker =
            Worker::start(scene("[grid]\nsize = [12, 10, 12]"), None).expect("it starts");
        assert_eq!(next(&mut worker).report.step, 0);
        worker.post(Message::Panic);
        let last = next(&mut worker);
        assert!(
            last.notices[0].wrong && last.notices[0].text.contains("as the test wished"),
            "{:?}",
            last.notices
        );
        worker.send(Command::Steps(3));
        assert!(worker.poll().is_none());
        drop(worker);
    }

    #[test]
    fn a_wrong_first_scene_is_an_error() {
        let mut wrong = scene("");
        wrong.spec.grid.size = [8, 9000, 8];
        let error = Worker::start(wrong, None)
            .err()
            .expect("no box is so high")
            .to_string();
        assert!(error.contains("grid.size = 9000: must be"), "{error}");
    }
}
