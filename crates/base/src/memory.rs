//! Memory limit for input from outside, checked before memory is allocated.
//!
//! A size that a file declares is untrusted. A reader that allocates memory by such a size first
//! adds up the bytes in a [`MemoryEstimate`] and checks the sum against one limit for the whole
//! process. The program sets the limit (`--max-memory`); a library has none by default. Memory that
//! is in use for long is registered as [`Held`], so that later checks include it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Memory limit of the whole process, in bytes; `u64::MAX` for no limit.
static LIMIT: AtomicU64 = AtomicU64::new(u64::MAX);

/// Total memory of all live `Held` values of the process, in bytes.
static HELD: AtomicU64 = AtomicU64::new(0);

/// Baseline memory of the process in bytes: code, threads and stacks.
pub const OWN: u64 = 8 << 20;

/// Sets the memory limit of the whole process, in bytes.
pub fn set_limit(bytes: u64) {
    LIMIT.store(bytes, Ordering::Relaxed);
}

/// Memory limit of the whole process, in bytes; [`u64::MAX`] if unlimited.
pub fn limit() -> u64 {
    LIMIT.load(Ordering::Relaxed)
}

/// Bytes that may still be allocated below the limit, after `estimate` and the memory of all live
/// [`Held`] values; 0 if nothing remains, [`u64::MAX`] if there is no limit.
pub fn left_beside(estimate: &MemoryEstimate) -> u64 {
    match limit() {
        u64::MAX => u64::MAX,
        limit => limit.saturating_sub(
            estimate
                .bytes()
                .saturating_add(HELD.load(Ordering::Relaxed)),
        ),
    }
}

/// Registration of memory in use, which every memory check of the process includes until the last
/// clone of this value is dropped. Clones of one value are counted once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Held(Arc<Share>);

/// Bytes that one [`Held`] value and its clones register together, released when the last clone is
/// dropped.
#[derive(Debug, Default, PartialEq, Eq)]
struct Share(u64);

impl Held {
    /// Registers `bytes` as memory in use, until the returned value and all its clones are dropped.
    pub fn bytes(bytes: u64) -> Self {
        HELD.fetch_add(bytes, Ordering::Relaxed);
        Self(Arc::new(Share(bytes)))
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        HELD.fetch_sub(self.0, Ordering::Relaxed);
    }
}

/// Estimate of the peak memory of a task, as a list of named parts.
#[derive(Clone, Debug, Default)]
pub struct MemoryEstimate {
    parts: Vec<(&'static str, u64)>,
}

impl MemoryEstimate {
    /// Creates an estimate of `count` items of `each` bytes; `what` names the part in messages
    /// (such as `"the ground"`).
    pub fn new(what: &'static str, count: usize, each: f64) -> Self {
        // The cast saturates: a value that is too large becomes `u64::MAX`, which no limit allows.
        Self {
            parts: vec![(what, (count as f64 * each).ceil() as u64)],
        }
    }

    /// Returns the sum of two estimates whose memory is in use at the same time; parts of the same
    /// name are merged.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        for (what, bytes) in other.parts {
            match self.parts.iter_mut().find(|(own, _)| *own == what) {
                Some((_, sum)) => *sum = sum.saturating_add(bytes),
                None => self.parts.push((what, bytes)),
            }
        }
        self
    }

    /// Sum of all parts of the estimate and the baseline memory of the process, in bytes.
    pub fn bytes(&self) -> u64 {
        self.parts
            .iter()
            .fold(OWN, |sum, (_, bytes)| sum.saturating_add(*bytes))
    }

    /// Returns the larger of two estimates, for tasks that are never in memory at the same time.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        if other.bytes() > self.bytes() {
            other
        } else {
            self
        }
    }

    /// Registers the estimated bytes, without the baseline memory of the process, as memory in use,
    /// until the returned value and all its clones are dropped.
    pub fn held(&self) -> Held {
        Held::bytes(self.bytes() - OWN)
    }

    /// Returns an error if the estimate together with all [`Held`] memory exceeds the limit. `mend`
    /// is the advice in the message for using less memory.
    ///
    /// # Errors
    /// [`TooMuchMemory`] names the largest part.
    pub fn check(&self, mend: &'static str) -> Result<(), TooMuchMemory> {
        self.check_against(limit(), HELD.load(Ordering::Relaxed), mend)
    }

    fn check_against(
        &self,
        limit: u64,
        held: u64,
        mend: &'static str,
    ) -> Result<(), TooMuchMemory> {
        let bytes = self.bytes().saturating_add(held);
        if bytes <= limit {
            return Ok(());
        }
        let what = self
            .parts
            .iter()
            .max_by_key(|(_, bytes)| *bytes)
            .map_or("the program", |(what, _)| *what);
        Err(TooMuchMemory {
            what,
            bytes,
            limit,
            mend,
        })
    }
}

/// Error: an allocation would exceed the memory limit of the process.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error(
    "{what} would need {} of memory in all, more than the {} allowed: {mend}, or allow more with --max-memory",
    shown(*bytes), shown(*limit)
)]
pub struct TooMuchMemory {
    /// Name of the largest part of the memory estimate, such as `the ground`.
    pub what: &'static str,
    /// Total memory in bytes that the rejected task and all registered memory of the process need.
    pub bytes: u64,
    /// Memory limit of the process, in bytes.
    pub limit: u64,
    /// Advice in the message for using less memory.
    pub mend: &'static str,
}

/// Formats `bytes` in a readable unit, such as `1.5 GiB`.
pub fn shown(bytes: u64) -> String {
    const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let mut size = bytes as f64 / 1024.0;
    let mut unit = 0;
    while size >= 1000.0 && unit + 1 < UNITS.len() {
        size /= 1024.0;
        unit += 1;
    }
    let decimals = if size < 9.95 { 1 } else { 0 };
    format!("{size:.decimals$} {}", UNITS[unit])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_what_is_more_than_the_limit_and_names_the_largest_part() {
        let need = MemoryEstimate::new("the ground", 1 << 20, 6.0).and(MemoryEstimate::new(
            "the picture",
            1 << 20,
            60.0,
        ));
        assert_eq!(need.bytes(), OWN + (66 << 20));
        assert_eq!(need.check_against(OWN + (66 << 20), 0, "less"), Ok(()));
        assert!(need.check_against(OWN + (66 << 20), 1, "less").is_err());
        let error = need
            .check_against(64 << 20, 0, "make film.size smaller")
            .expect_err("too much");
        let text = "the picture would need 74 MiB of memory in all, more than the 64 MiB allowed: make film.size \
                    smaller, or allow more with --max-memory";
        assert_eq!(error.to_string(), text);
        assert!(
            MemoryEstimate::new("all", usize::MAX, 1e9)
                .and(MemoryEstimate::new("more", usize::MAX, 1e9))
                .check("less")
                .is_ok()
        );
    }

    #[test]
    fn what_is_held_counts_until_its_last_copy_is_dropped() {
        // More than other tests of this process hold.
        let large = 1 << 60;
        let held = MemoryEstimate::new("all", 1, large as f64).held();
        let copy = held.clone();
        drop(held);
        assert!(HELD.load(Ordering::Relaxed) >= large);
        drop(copy);
        assert!(HELD.load(Ordering::Relaxed) < large);
    }

    #[test]
    fn sizes_are_shown_in_few_digits() {
        assert_eq!(
            [0, 1536, 1023 << 10, 5 << 30, u64::MAX].map(shown),
            ["0.0 KiB", "1.5 KiB", "1.0 MiB", "5.0 GiB", "16 EiB"]
        );
    }
}
