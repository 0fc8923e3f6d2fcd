//! Event loop of the simulation thread: handles messages between steps, makes the steps that are
//! due by the clock, and sends an update once the window has taken the last one.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError};
use std::time::{Duration, Instant};

use super::clock::Clock;
use super::publish::{Eye, Publisher};
use super::second::Second;
use super::{Message, Shared};
use crate::messages::{Command, Notice, Pace, Way};
use lavoxel_base::memory::Held;
use lavoxel_scene::scene::{Scene, SceneError};
use lavoxel_session::Session;

/// Smallest time between the starts of two updates: one frame at 60 Hz.
const BETWEEN_UPDATES: Duration = Duration::from_millis(16);

/// Pause after each step while pictures have priority, as a multiple of the step's duration: the
/// simulation has a fifth of the time.
const COURTESY: u32 = 4;

/// Longest time for which an update waits until the second run has caught up with the first run, so
/// that the window shows both runs at the same time.
const IN_STEP: Duration = Duration::from_millis(250);

/// State of the simulation thread: session, optional second run, clock and postponed commands.
pub(super) struct Thread {
    shared: Arc<Shared>,
    session: Session,
    publisher: Publisher,
    /// Second run of the window; `None` for one run.
    second: Option<Second>,
    clock: Clock,
    eye: Eye,
    epoch: u64,
    /// Number of scenes that the window has requested so far, without the first scene.
    asked: u64,
    /// Number of the request that opened the present scene, counted as in `asked`; 0 for the first
    /// scene.
    opened: u64,
    notices: Vec<Notice>,
    /// Commands postponed, in order, until the simulation has reached the session's present moment.
    waiting: VecDeque<Command>,
    /// Set while drawing has priority over steps, because the user drags the camera.
    gives_way: bool,
    /// Set while time stands still for a print: no step is due, whatever the pace.
    stands: bool,
    /// Answer to a request for a print, which the next update contains: the entry of the print in
    /// the memory accounting, or the reason why there is no print.
    print: Option<Result<Held, String>>,
    /// Set if an update is to be sent: the simulation or its settings changed since the last
    /// update.
    changed: bool,
    /// Earliest time at which the next update may be sent.
    next_update: Instant,
}

/// Error: the window has closed the message channel.
struct Gone;

impl Thread {
    /// Creates the thread's state for `session`, paused and without a second run.
    pub(super) fn new(session: Session, shared: Arc<Shared>) -> Self {
        Self {
            shared,
            publisher: Publisher::new(&session),
            notices: Vec::new(),
            waiting: VecDeque::new(),
            second: None,
            session,
            clock: Clock::new(),
            eye: Eye::default(),
            epoch: 0,
            asked: 0,
            opened: 0,
            gives_way: false,
            stands: false,
            print: None,
            changed: true,
            next_update: Instant::now(),
        }
    }

    /// Handles messages and makes steps until the window closes.
    pub(super) fn run(mut self, messages: &Receiver<Message>) {
        while let Ok(first) = self.wait(messages) {
            for message in first.into_iter().chain(messages.try_iter()) {
                if self.shared.stops() {
                    return;
                }
                self.read(message);
            }
            if self.shared.stops() {
                return;
            }
            self.work();
            if self.update_due(Instant::now()) == Some(Duration::ZERO) {
                self.send_update();
            }
        }
    }

    /// Does one piece of work that is due: a time slice of a seek, a step of the second run, or a
    /// step of the first run. Returns false if nothing is due.
    pub(super) fn work(&mut self) -> bool {
        if self.session.travels() {
            self.travel();
        } else if self.second_is_behind() {
            self.step_second();
        } else if self.steps_in(Instant::now()) == Some(Duration::ZERO) {
            self.step();
        } else {
            return false;
        }
        true
    }

    /// Blocks until a message arrives or the next step or update is due. Returns the message, or
    /// `None` if none has arrived; fails if the window has closed the message channel.
    fn wait(&self, messages: &Receiver<Message>) -> Result<Option<Message>, Gone> {
        let now = Instant::now();
        let due = [self.steps_in(now), self.update_due(now)]
            .into_iter()
            .flatten()
            .min();
        match due {
            None => messages.recv().map(Some).map_err(|_| Gone),
            Some(Duration::ZERO) => match messages.try_recv() {
                Ok(message) => Ok(Some(message)),
                Err(TryRecvError::Empty) => Ok(None),
                Err(TryRecvError::Disconnected) => Err(Gone),
            },
            Some(due) => match messages.recv_timeout(due) {
                Ok(message) => Ok(Some(message)),
                Err(RecvTimeoutError::Timeout) => Ok(None),
                Err(RecvTimeoutError::Disconnected) => Err(Gone),
            },
        }
    }

    /// Returns the time from `now` until the next update is due; `None` if nothing has changed, or
    /// if the window has not taken the last update.
    fn update_due(&self, now: Instant) -> Option<Duration> {
        let wait = if self.second_is_behind() {
            IN_STEP
        } else {
            Duration::ZERO
        };
        (self.changed && self.shared.is_free())
            .then(|| (self.next_update + wait).saturating_duration_since(now))
    }

    /// Returns true while the second run must make steps to catch up and the first run waits. False
    /// without a second run, and while the first run seeks or shows another branch.
    fn second_is_behind(&self) -> bool {
        let second = self
            .second
            .as_ref()
            .filter(|_| !self.is_away() && !self.stands);
        second.is_some_and(|second| second.is_behind(&self.session))
    }

    /// Returns the time from `now` until the next step is due; `None` while the clock is paused,
    /// time stands still for a print, or another branch is shown. Zero during a seek and while the
    /// second run catches up.
    fn steps_in(&self, now: Instant) -> Option<Duration> {
        match (self.session.travels(), self.session.visited()) {
            (true, _) => Some(Duration::ZERO),
            (false, Some(_)) => None,
            (false, None) if self.stands => None,
            (false, None) if self.second_is_behind() => Some(Duration::ZERO),
            (false, None) => self.clock.due(now),
        }
    }

    /// Continues the seek for one time slice. Once the simulation is at its present moment, carries
    /// out the postponed commands.
    fn travel(&mut self) {
        if self.session.go_on() {
            self.jump();
        }
        self.publisher.touch();
        self.changed = true;
        while !self.is_away()
            && let Some(command) = self.waiting.pop_front()
        {
            self.try_out(command);
        }
    }

    /// Returns true if the simulation is not at the session's present moment, since it seeks or
    /// shows another branch.
    fn is_away(&self) -> bool {
        self.session.travels() || self.session.visited().is_some()
    }

    pub(super) fn step(&mut self) {
        let start = Instant::now();
        self.session.step();
        let now = Instant::now();
        self.clock.stepped(now);
        if self.gives_way {
            self.clock.rest(now, COURTESY * (now - start));
        }
        self.publisher.touch();
        self.changed = true;
    }

    /// Makes one step of the second run, if there is one.
    fn step_second(&mut self) {
        if let Some(second) = &mut self.second {
            second.step(&self.session);
            self.notices.extend(second.take_notices());
            self.changed = true;
        }
    }

    /// Begins a second run of `scene` at step 0; a second run in progress is dropped first.
    ///
    /// # Errors
    /// If the scene is invalid, or if both runs together exceed the memory limit; no second run
    /// exists afterwards.
    pub(super) fn begin_second(&mut self, scene: Scene) -> Result<(), SceneError> {
        // The old run goes first: its memory is free for the new one.
        self.second = None;
        let second = self.second.insert(Second::open(scene, &self.session)?);
        self.notices.extend(second.take_notices());
        Ok(())
    }

    /// Returns the hash of the first run's state.
    #[cfg(test)]
    pub(super) fn state_hash(&self) -> u64 {
        self.session.simulation().world().state_hash()
    }

    /// Builds an update of both runs and puts it into the slot shared with the window.
    pub(super) fn send_update(&mut self) {
        let start = Instant::now();
        let mut update = self.publisher.update(
            &mut self.session,
            &self.clock,
            &self.eye,
            [self.epoch, self.opened],
        );
        self.notices.extend(self.session.take_notices());
        update.print = self
            .print
            .take()
            .map(|held| held.map(|held| Box::new(self.publisher.subject(&self.session, held))));
        let grid = update.report.grid;
        let eye = (&self.eye, [grid.nx, grid.ny, grid.nz]);
        let (session, clock) = (&self.session, &self.clock);
        update.second = self
            .second
            .as_mut()
            .map(|second| second.update(session, clock, eye));
        update.notices = std::mem::take(&mut self.notices);
        self.shared.publish(update);
        self.changed = false;
        // Rate limit: updates take at most half of the time, so that a large volume does not delay
        // the steps.
        self.next_update = (start + BETWEEN_UPDATES).max(Instant::now() + start.elapsed());
    }

    pub(super) fn read(&mut self, message: Message) {
        match message {
            Message::Command(command) => {
                self.changed = true;
                self.hear(command);
            }
            Message::Taken => {}
            #[cfg(test)]
            Message::Panic => panic!("as the test wished"),
        }
    }

    /// Carries out `command` at once or postpones the command. Commands that need the present state
    /// (changes, steps, snapshots, saving) wait until the simulation is at its present moment.
    /// Seeks and changes of branches wait only if an earlier command waits; all other commands, a
    /// pause included, are carried out at once.
    fn hear(&mut self, command: Command) {
        let is_away = self.is_away() || !self.waiting.is_empty();
        let of_the_moment = matches!(
            command,
            Command::World(_)
                | Command::Drag(_)
                | Command::Stroke(_)
                | Command::Steps(_)
                | Command::Keep
                | Command::Save(..)
                | Command::Print(Some(_))
        );
        let after_it = matches!(
            command,
            Command::Go(_) | Command::Visit(_) | Command::Branch(_)
        ) && !self.waiting.is_empty();
        if is_away && (of_the_moment || after_it) {
            // A command that needs the present state ends the showing of another branch.
            if self.session.visit_ends() {
                self.changed = true;
            }
            self.waiting.push_back(command);
        } else {
            self.try_out(command);
        }
    }

    fn try_out(&mut self, command: Command) {
        if let Err(text) = self.carry_out(command) {
            self.notices.push(Notice::wrong(text));
        }
    }

    /// Carries out `command` at once.
    ///
    /// # Errors
    /// If the command fails; the reason as text for the user.
    fn carry_out(&mut self, command: Command) -> Result<(), String> {
        match command {
            Command::Open(scene) => {
                self.asked += 1;
                let session = Session::open(*scene).map_err(|e| e.to_string())?;
                self.begin(session)?;
            }
            Command::Resume(scene, history) => {
                self.asked += 1;
                let session = Session::resume(*scene, *history)?;
                self.begin(session)?;
            }
            Command::Thumbnail(picture) => self.session.set_thumbnail(picture),
            Command::Pace(pace) => {
                self.clock.set(pace)?;
                if pace == Pace::Paused && self.session.stop_here() {
                    self.jump();
                }
            }
            Command::Steps(steps) => self.clock.count(steps),
            Command::World(command) => {
                self.publisher.touch();
                self.session.command(command, false)?;
            }
            Command::Drag(command) => {
                self.publisher.touch();
                self.session.command(command, true)?;
            }
            Command::Stroke(stroke) => {
                self.publisher.touch();
                self.session.draw(&stroke)?;
            }
            Command::Keep => self.session.keep()?,
            Command::Go(way) => self.go(way)?,
            Command::Branch(change) => self.session.change_branch(change)?,
            Command::Visit(branch) => self.session.look_at(branch)?,
            Command::Print(size) => {
                self.print = size.map(|size| self.session.weigh_print(size));
                self.stands = matches!(self.print, Some(Ok(_)));
            }
            Command::Pick(ray) => self.eye.pick = ray,
            Command::Watch(watch) => self.eye.watch = watch,
            Command::Cuts(cuts, quantity) => (self.eye.cuts, self.eye.quantity) = (cuts, quantity),
            Command::Glow(glow) => self.eye.glow = Some(glow),
            Command::Second(None) => self.second = None,
            Command::Second(Some(scene)) => self
                .begin_second(*scene)
                .map_err(|error| format!("no second run: {error}"))?,
            Command::SecondGlow(glow) => {
                if let Some(second) = &mut self.second {
                    second.glow = Some(glow);
                }
            }
            Command::GiveWay(gives_way) => {
                self.gives_way = gives_way;
                // The pause after a long step is long too; it must end as soon as the drag ends.
                self.clock.rest(Instant::now(), Duration::ZERO);
            }
            Command::View(camera, look) => self.session.set_view(*camera, *look),
            Command::Film(keys) => self.session.set_film(keys),
            Command::Save(path, existing) => {
                self.session.save(&path, existing)?;
                let text = format!("saved {}", path.display());
                self.notices.push(Notice::new(text));
            }
        }
        Ok(())
    }

    /// Replaces the session by `session`, drops postponed commands, moves the second run back to
    /// step 0, and begins a new epoch (see `Report::epoch`).
    fn begin(&mut self, session: Session) -> Result<(), String> {
        self.session = session;
        self.opened = self.asked;
        self.waiting.clear();
        (self.stands, self.print) = (false, None);
        if let Some(second) = &mut self.second {
            second.restart()?;
        }
        // A challenge starts paused: the player has yet to read the task.
        if self.session.simulation().goals().are_open() {
            self.clock.set(Pace::Paused)?;
        }
        self.jump();
        Ok(())
    }

    /// Begins a seek to the moment that `way` names. Pauses the clock if this kind of seek requires
    /// a pause, and moves the second run back to step 0 when the first run returns to its start.
    /// Fails with the reason if there is no such moment.
    fn go(&mut self, way: Way) -> Result<(), String> {
        if self.session.go(way)? {
            self.clock.set(Pace::Paused)?;
        }
        if let Some(second) = self.second.as_mut().filter(|_| way == Way::Start) {
            second.restart()?;
        }
        Ok(())
    }

    /// Begins a new epoch (see `Report::epoch`) after the simulation has jumped to another moment:
    /// the next update contains all data and replaces the data of the window.
    fn jump(&mut self) {
        self.epoch += 1;
        self.publisher = Publisher::new(&self.session);
        self.second.iter_mut().for_each(Second::forget);
    }
}
