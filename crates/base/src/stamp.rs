//! Numbers that identify things of one process.

use std::sync::atomic::{AtomicU64, Ordering};

/// The next number.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// A number that nothing has had.
pub fn new() -> u64 {
    NEXT.fetch_add(1, Ordering::Relaxed)
}
