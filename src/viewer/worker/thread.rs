//! The thread of the simulation: messages between steps, steps by the clock, updates when the window has room for one.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError};
use std::time::{Duration, Instant};

use super::clock::Clock;
use super::publish::{Eye, Publisher};
use super::session::Session;
use super::{Message, Shared};
use crate::viewer::messages::{Command, Notice};

/// Least time between two updates.
const BETWEEN_UPDATES: Duration = Duration::from_millis(16);

/// The state of the thread.
pub(super) struct Thread {
    shared: Arc<Shared>,
    session: Session,
    publisher: Publisher,
    clock: Clock,
    eye: Eye,
    epoch: u64,
    notices: Vec<Notice>,
    /// Whether anything changed since the last update.
    changed: bool,
    /// Earliest time of the next update.
    next_update: Instant,
}

/// The window has gone.
struct Gone;

impl Thread {
    /// A thread at the start of a session, paused.
    pub(super) fn new(session: Session, shared: Arc<Shared>) -> Self {
        Self {
            shared,
            publisher: Publisher::new(&session),
            notices: Vec::new(),
            session,
            clock: Clock::new(),
            eye: Eye::default(),
            epoch: 0,
            changed: true,
            next_update: Instant::now(),
        }
    }

    /// Works until the window has gone.
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
            if self.clock.due(Instant::now()) == Some(Duration::ZERO) {
                self.step();
            }
            if self.update_due(Instant::now()) == Some(Duration::ZERO) {
                self.send_update();
            }
        }
    }

    /// Waits for a message, but no longer than until the next step or update.
    fn wait(&self, messages: &Receiver<Message>) -> Result<Option<Message>, Gone> {
        let now = Instant::now();
        let due = [self.clock.due(now), self.update_due(now)].into_iter().flatten().min();
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

    /// Time until the next update; `None` while nothing changed or the window has not yet taken the last one.
    fn update_due(&self, now: Instant) -> Option<Duration> {
        (self.changed && self.shared.is_free()).then(|| self.next_update.saturating_duration_since(now))
    }

    fn step(&mut self) {
        self.session.step();
        self.clock.stepped(Instant::now());
        self.publisher.touch();
        self.changed = true;
    }

    /// Sends an update to the window.
    pub(super) fn send_update(&mut self) {
        let start = Instant::now();
        let mut update = self.publisher.update(&self.session, &self.clock, &self.eye, self.epoch);
        self.notices.extend(self.session.take_notices());
        update.notices = std::mem::take(&mut self.notices);
        self.shared.put(update);
        self.changed = false;
        // Updates take at most half of the time, so that a large volume does not keep the steps waiting.
        self.next_update = (start + BETWEEN_UPDATES).max(Instant::now() + start.elapsed());
    }

    fn read(&mut self, message: Message) {
        match message {
            Message::Command(command) => {
                self.changed = true;
                if let Err(text) = self.carry_out(command) {
                    self.notices.push(Notice::wrong(text));
                }
            }
            Message::Taken => {}
            #[cfg(test)]
            Message::Panic => panic!("as the test wished"),
        }
    }

    /// Carries a command out, or returns the reason why it cannot.
    fn carry_out(&mut self, command: Command) -> Result<(), String> {
        match command {
            Command::Open(scene) => {
                self.session = Session::open(*scene).map_err(|e| e.to_string())?;
                self.jump();
            }
            Command::Pace(pace) => self.clock.set(pace)?,
            Command::Steps(steps) => self.clock.count(steps),
            Command::World(command) => {
                self.publisher.touch();
                self.session.command(command).map_err(|e| e.to_string())?;
            }
            Command::Stroke(stroke) => {
                self.publisher.touch();
                self.session.draw(&stroke).map_err(|e| e.to_string())?;
            }
            Command::Keep => self.session.keep()?,
            Command::Rewind(moment) => {
                self.session.rewind(moment)?;
                self.jump();
            }
            Command::Forget => self.session.forget_ahead(),
            Command::Pick(ray) => self.eye.pick = ray,
            Command::Watch(watch) => self.eye.watch = watch,
            Command::Cuts(cuts, quantity) => (self.eye.cuts, self.eye.quantity) = (cuts, quantity),
            Command::Glow(glow) => self.eye.glow = Some(glow),
            Command::View(camera, look) => self.session.set_view(*camera, *look),
            Command::Save(path, existing) => {
                self.session.save(&path, existing)?;
                let text = format!("saved {}", path.display());
                self.notices.push(Notice::new(text));
            }
        }
        Ok(())
    }

    /// After a jump in time: drops what the window has and sends everything again.
    fn jump(&mut self) {
        self.epoch += 1;
        self.publisher = Publisher::new(&self.session);
    }
}
