//! Memory of the whole process: how often it is asked for, and its peak. One test at a time, because both are counted for all
//! threads.

use std::sync::{Mutex, MutexGuard, PoisonError};

mod allocations;
#[path = "../common/mod.rs"]
mod common;
#[cfg(feature = "files")]
mod hostile;

static TURN: Mutex<()> = Mutex::new(());

/// Waits until no other test runs.
fn alone() -> MutexGuard<'static, ()> {
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}
