//! Unique numbers within one process.

use std::sync::atomic::{AtomicU64, Ordering};

/// Next number.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// Returns a number that was never returned before.
pub fn new() -> u64 {
    NEXT.fetch_add(1, Ordering::Relaxed)
}
