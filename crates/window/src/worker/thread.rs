//! Loop of the simulation thread: handles messages between steps, steps by the clock, and sends
//! updates when the window has room for one.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError};
use std::time::{Duration, Instant};

use super::clock::Clock;
use super::publish::{Eye, Publisher};
use super::session::Session;
use super::{Message, Shared};
use crate::messages::{Command, Notice, Pace, Way};

/// Shortest time between two updates: one frame at 60 Hz.
const BETWEEN_UPDATES: Duration = Duration::from_millis(16);

/// Pause after a step while steps give way to pictures, in durations of that step: steps then take
/// a fifth of the time.
const COURTESY: u32 = 4;

/// State of the simulation thread.
pub(super) struct Thread {
    shared: Arc<Shared>,
    session: Session,
    publisher: Publisher,
    clock: Clock,
    eye: Eye,
    epoch: u64,
    /// Number of scenes that the window asked for.
    asked: u64,
    /// Number of the present scene among those asked for; 0 for the first scene.
    opened: u64,
    notices: Vec<Notice>,
    /// Commands that wait for the end of the way to another moment.
    waiting: VecDeque<Command>,
    /// Set while steps give way to pictures (the user drags the camera).
    gives_way: bool,
    /// Set when anything changed since the last update.
    changed: bool,
    /// Earliest time of the next update.
    next_update: Instant,
}

/// The window has closed its end of the channel.
struct Gone;

impl Thread {
    /// Creates a thread at the start of a session, paused.
    pub(super) fn new(session: Session, shared: Arc<Shared>) -> Self {
        Self {
            shared,
            publisher: Publisher::new(&session),
            notices: Vec::new(),
            waiting: VecDeque::new(),
            session,
            clock: Clock::new(),
            eye: Eye::default(),
            epoch: 0,
            asked: 0,
            opened: 0,
            gives_way: false,
            changed: true,
            next_update: Instant::now(),
        }
    }

    /// Handles messages, steps and sends updates until the window closes.
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
            if self.session.travels() {
                self.travel();
            } else if self.steps_in(Instant::now()) == Some(Duration::ZERO) {
                self.step();
            }
            if self.update_due(Instant::now()) == Some(Duration::ZERO) {
                self.send_update();
            }
        }
    }

    /// Waits for a message, at most until the next step or update is due.
    fn wait(&self, messages: &Receiver<Message>) -> Result<Option<Message>, Gone> {
        let now = Instant::now();
        let due = [self.steps_in(now), self.update_due(now)].into_iter().flatten().min();
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

    /// Time until the next update; `None` while nothing changed or the window has not taken the
    /// last update.
    fn update_due(&self, now: Instant) -> Option<Duration> {
        (self.changed && self.shared.is_free()).then(|| self.next_update.saturating_duration_since(now))
    }

    /// Time until the next step; `None` while the clock is paused or another branch is shown.
    fn steps_in(&self, now: Instant) -> Option<Duration> {
        match (self.session.travels(), self.session.visited()) {
            (true, _) => Some(Duration::ZERO),
            (false, Some(_)) => None,
            (false, None) => self.clock.due(now),
        }
    }

    /// Advances one slice of the way to another moment; at the end of the way, carries out the
    /// commands that waited.
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

    /// True if the simulation is not at the session's present moment.
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

    /// Sends an update to the window.
    pub(super) fn send_update(&mut self) {
        let start = Instant::now();
        let mut update = self.publisher.update(&mut self.session, &self.clock, &self.eye, [self.epoch, self.opened]);
        self.notices.extend(self.session.take_notices());
        update.notices = std::mem::take(&mut self.notices);
        self.shared.put(update);
        self.changed = false;
        // Updates take at most half of the time, so that a large volume does not delay the steps.
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

    /// Carries a command out, now or at the end of the way to another moment. Commands that change
    /// the present state wait for that end, and navigation that follows such a command waits too;
    /// other navigation and a pause act at once.
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
        );
        let after_it =
            matches!(command, Command::Go(_) | Command::Visit(_) | Command::Branch(_)) && !self.waiting.is_empty();
        if is_away && (of_the_moment || after_it) {
            // A visit to another branch ends when the present state is changed.
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

    /// Carries a command out.
    ///
    /// # Errors
    /// The reason why the command cannot be carried out, as text for the user.
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
            Command::Pick(ray) => self.eye.pick = ray,
            Command::Watch(watch) => self.eye.watch = watch,
            Command::Cuts(cuts, quantity) => (self.eye.cuts, self.eye.quantity) = (cuts, quantity),
            Command::Glow(glow) => self.eye.glow = Some(glow),
            Command::GiveWay(gives_way) => {
                self.gives_way = gives_way;
                // After a long step the pause is long too; it ends as soon as the drag ends.
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

    /// Replaces the present session.
    fn begin(&mut self, session: Session) -> Result<(), String> {
        self.session = session;
        self.opened = self.asked;
        self.waiting.clear();
        // A challenge starts paused: the player has yet to read the task.
        if self.session.simulation().goals().are_open() {
            self.clock.set(Pace::Paused)?;
        }
        self.jump();
        Ok(())
    }

    /// Sets out for another moment and pauses the clock where the way asks for a pause.
    fn go(&mut self, way: Way) -> Result<(), String> {
        if self.session.go(way)? {
            self.clock.set(Pace::Paused)?;
        }
        Ok(())
    }

    /// Starts a new epoch after a jump in time: the window drops all data, and everything is sent
    /// again.
    fn jump(&mut self) {
        self.epoch += 1;
        self.publisher = Publisher::new(&self.session);
    }
}
