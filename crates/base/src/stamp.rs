//! Numbers that are unique within the process.

use std::sync::atomic::{AtomicU64, Ordering};

/// Next unused number.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// Returns a new number, unique within the process.
pub fn new() -> u64 {
    NEXT.fetch_add(1, Ordering::Relaxed)
}
