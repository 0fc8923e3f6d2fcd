//! Stamps: numbers that are unique within the process, by which changed data are told from
//! unchanged.

use std::sync::atomic::{AtomicU64, Ordering};

/// Smallest stamp that has not been returned by `new` yet.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// Returns a new stamp, unique within the process.
pub fn new() -> u64 {
    NEXT.fetch_add(1, Ordering::Relaxed)
}
