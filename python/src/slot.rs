//! Place of a simulation between two calls. A thread takes the simulation out to work, in the order
//! of requests.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::ops::{Deref, DerefMut};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;

use crate::fail;
use crate::simulation::Held;
use crate::work::WAIT;

thread_local! {
    /// Numbers of the simulations whose rules run on this thread.
    static IN_RULE: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
}

/// Runs a rule of simulation `number`; calls of that simulation from within the rule fail, because
/// they would wait for their own end.
pub(crate) fn in_rule<T>(number: u64, rule: impl FnOnce() -> T) -> T {
    IN_RULE.with_borrow_mut(|running| running.push(number));
    let result = rule();
    IN_RULE.with_borrow_mut(Vec::pop);
    result
}

/// Simulation between two calls.
pub(crate) struct Slot {
    number: u64,
    slot: Mutex<SlotState>,
    /// Notified when the simulation is back or a waiting thread has gone.
    changed: Condvar,
}

struct SlotState {
    /// Simulation; `None` while a thread works with it.
    held: Option<Box<Held>>,
    /// Tickets of the waiting threads, in their order.
    waiting: VecDeque<u64>,
    next_ticket: u64,
    /// Process whose threads wait or work.
    process: u32,
    /// Set if work panicked halfway.
    is_broken: bool,
}

/// Simulation that was taken out; dropping the guard puts the simulation back.
pub(crate) struct Taken<'a> {
    held: Option<Box<Held>>,
    shelf: &'a Slot,
}

impl Slot {
    pub(crate) fn new(number: u64, held: Held) -> Self {
        let (held, waiting) = (Some(Box::new(held)), VecDeque::new());
        let slot = SlotState {
            held,
            waiting,
            next_ticket: 0,
            process: std::process::id(),
            is_broken: false,
        };
        Self {
            number,
            slot: Mutex::new(slot),
            changed: Condvar::new(),
        }
    }

    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Locks the slot, which is never held for long.
    fn slot(&self) -> MutexGuard<'_, SlotState> {
        self.slot.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the simulation out after all earlier requests; Ctrl-C ends the wait.
    ///
    /// # Errors
    /// If the simulation would never come back: within one of its own rules, after work
    /// that panicked, and in a process that was forked while another thread worked with the
    /// simulation.
    pub(crate) fn take(&self, py: Python<'_>) -> PyResult<Taken<'_>> {
        if IN_RULE.with_borrow(|running| running.contains(&self.number)) {
            return Err(fail(
                "a rule cannot use the simulation whose step it is part of: it takes amounts, energies and ground, and gives \
                 amounts and energies back",
            ));
        }
        let ticket = {
            let mut slot = self.slot();
            slot.check()?;
            let ticket = slot.next_ticket;
            slot.next_ticket += 1;
            slot.waiting.push_back(ticket);
            ticket
        };
        loop {
            let taken = py.detach(|| {
                let is_early = |slot: &mut SlotState| {
                    !slot.is_broken
                        && (slot.held.is_none() || slot.waiting.front() != Some(&ticket))
                };
                let slot = self.changed.wait_timeout_while(self.slot(), WAIT, is_early);
                let (mut slot, time) = slot.unwrap_or_else(PoisonError::into_inner);
                if slot.is_broken || time.timed_out() {
                    return None;
                }
                slot.waiting.pop_front();
                slot.held.take()
            });
            if let Some(held) = taken {
                return Ok(Taken {
                    held: Some(held),
                    shelf: self,
                });
            }
            // The lock is released here, before the slot is locked again below.
            let checked = self.slot().check();
            if let Err(error) = checked.and_then(|()| py.check_signals()) {
                self.slot().waiting.retain(|waits| *waits != ticket);
                self.changed.notify_all();
                return Err(error);
            }
        }
    }
}

impl SlotState {
    /// Checks that the simulation will come back, if it is out.
    fn check(&mut self) -> PyResult<()> {
        if self.is_broken {
            return Err(fail(
                "the simulation broke off in the middle of a step: build it again",
            ));
        }
        let process = std::process::id();
        if self.process != process {
            if self.held.is_none() {
                return Err(fail(
                    "this process was forked while another thread worked with the simulation: build it here, or lavoxel.resume it \
                     from a file",
                ));
            }
            // The waiting threads stayed behind in the parent process.
            self.waiting.clear();
            self.process = process;
        }
        Ok(())
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        let mut slot = self.shelf.slot();
        slot.is_broken |= std::thread::panicking();
        slot.held = self.held.take();
        drop(slot);
        self.shelf.changed.notify_all();
    }
}

impl Deref for Taken<'_> {
    type Target = Held;

    fn deref(&self) -> &Held {
        let Some(held) = &self.held else {
            unreachable!("it is put back at the end")
        };
        held
    }
}

impl DerefMut for Taken<'_> {
    fn deref_mut(&mut self) -> &mut Held {
        let Some(held) = &mut self.held else {
            unreachable!("it is put back at the end")
        };
        held
    }
}
