//! Choice between one thread and all threads, for a step and for each pass of a step, by measured
//! times; workers that wait awake between the passes of a step.
//!
//! A pass is an outermost parallel loop or an outermost [`join`](super::join); a region is a
//! sequence of passes, as a step is ([`enter`](super::enter)). Waking a sleeping worker takes 5 to
//! 30 µs, as long as many passes take on one thread. So workers that a region has woken spin
//! between its passes, for [`SPIN`] at most, and a pass or a region runs on one thread where the
//! measured times say that sharing costs more than it saves.
//!
//! Invariants: results do not depend on the choice, since results of a loop never depend on where
//! the loop is cut; choosing needs no lock and no heap memory, since times are kept per thread in a
//! table of fixed length.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Time that a worker spins without work before it sleeps: ten times the usual gap between two
/// shared passes of a step, and short enough that a long pass on one thread burns no second core.
const SPIN: Duration = Duration::from_micros(100);

/// Number of workers that spin in a region at most: passes that are too short for waking workers do
/// not gain from more.
const AWAKE: usize = 7;

/// Duration in ns of a shared run above which a pass or a region is always shared: waking a worker
/// takes at most 3 % of that time.
const LONG: f32 = 1e6;

/// Duration in ns of a pass on one thread below which the pass is never shared: handing a half to
/// a worker that is awake takes 1 to 2 µs.
const SHORT: f32 = 4e3;

/// Number of runs after which the slower choice is measured again.
const RETRY: u32 = 32;

/// Number of runs for the same where the slower choice took over [`CLEARLY`] times as long.
const RETRY_LATE: u32 = 512;

/// Ratio of times above which a choice is clear, larger than the noise of a shared machine.
const CLEARLY: f32 = 1.5;

/// Role of a thread with regard to passes.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Role {
    /// A loop that starts on this thread is a pass; no worker is awake for the pass.
    Outside,
    /// A loop that starts on this thread is a pass of a region.
    Region,
    /// The thread runs a pass or a region alone.
    Alone,
    /// The thread runs a part of a pass that all threads share.
    Sharing,
}

thread_local! {
    static ROLE: Cell<Role> = const { Cell::new(Role::Outside) };
    static TIMES: [Cell<Entry>; SLOTS] = const { [const { Cell::new(Entry::EMPTY) }; SLOTS] };
}

/// Role of the present thread.
pub(super) fn role() -> Role {
    ROLE.get()
}

/// Runs `work` with `role` as the role of this thread, and restores the earlier role, after a
/// panic too.
pub(super) fn with_role<R>(role: Role, work: impl FnOnce() -> R) -> R {
    struct Restore(Role);
    impl Drop for Restore {
        fn drop(&mut self) {
            ROLE.set(self.0);
        }
    }
    let _restore = Restore(ROLE.replace(role));
    work()
}

/// Runs a pass or a region as the measured times of earlier runs suggest; `work` receives true if
/// it is to use all threads. `code` identifies the closure, `items` is the amount of work, of which
/// the power of two counts.
pub(super) fn run<R>(code: usize, items: usize, work: impl FnOnce(bool) -> R) -> R {
    // A platform without threads may have no clock either.
    if super::current_num_threads() == 1 {
        return with_role(Role::Alone, || work(false));
    }
    let key = (code, items.max(1).ilog2());
    let shares = Entry::update(key, Times::choose);
    let start = Instant::now();
    let role = if shares { Role::Sharing } else { Role::Alone };
    let result = with_role(role, || work(shares));
    let time = start.elapsed().as_nanos() as f32;
    Entry::update(key, |times| times.record(shares, time));
    result
}

/// Runs `region` on this thread of the pool while other workers wait awake for its passes.
pub(super) fn with_workers_awake(region: &mut (dyn FnMut() + Send)) {
    let count = super::current_num_threads().saturating_sub(1).min(AWAKE);
    let is_over = AtomicBool::new(false);
    keep_awake(count, &is_over, &mut || {
        // Workers must leave after a panic, too.
        struct Ends<'a>(&'a AtomicBool);
        impl Drop for Ends<'_> {
            fn drop(&mut self) {
                self.0.store(true, Ordering::Release);
            }
        }
        let _ends = Ends(&is_over);
        with_role(Role::Region, &mut *region);
    });
}

/// Runs `region` beside `count` workers that spin until `is_over`. A join holds its second half on
/// the stack, where a spawned job would need heap memory in each step.
fn keep_awake(count: usize, is_over: &AtomicBool, region: &mut (dyn FnMut() + Send)) {
    let Some(others) = count.checked_sub(1) else {
        return region();
    };
    rayon::join_context(
        |_| keep_awake(others, is_over, region),
        |context| {
            // The thread that runs the region may take this job while it waits for a part of a pass.
            if context.migrated() && role() == Role::Outside {
                spin(is_over);
            }
        },
    );
}

/// Takes parts of passes until the region is over, or no part has come for [`SPIN`].
fn spin(is_over: &AtomicBool) {
    let mut last = Instant::now();
    while !is_over.load(Ordering::Acquire) && last.elapsed() < SPIN {
        match rayon::yield_now() {
            Some(rayon::Yield::Executed) => last = Instant::now(),
            // Sixteen hints between two looks at the queues leave them to the thread that works.
            _ => (0..16).for_each(|_| std::hint::spin_loop()),
        }
    }
}

/// Number of slots of the table of times of a thread: several times the number of loops of the
/// program that run often.
const SLOTS: usize = 512;

/// Number of slots in which the times of one key may be.
const PROBES: usize = 8;

/// Slot of the table of times: `key` is the address of the code, and the power of two of the amount
/// of work; an address of 0 marks a free slot.
#[derive(Clone, Copy)]
struct Entry {
    key: (usize, u32),
    times: Times,
}

impl Entry {
    const EMPTY: Self = Self {
        key: (0, 0),
        times: Times {
            alone: None,
            shared: None,
            runs: 0,
        },
    };

    /// Applies `f` to the times of `key`. A key that finds no free slot replaces another one, which
    /// is then measured again.
    fn update<T>(key: (usize, u32), f: impl FnOnce(&mut Times) -> T) -> T {
        let hash = (key.0 as u64 ^ u64::from(key.1)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let first = (hash >> 32) as usize;
        TIMES.with(|slots| {
            let slot = |i: usize| &slots[(first + i) % SLOTS];
            let fits = |i: &usize| {
                let found = slot(*i).get().key;
                found == key || found.0 == 0
            };
            let slot = slot((0..PROBES).find(fits).unwrap_or(0));
            let mut entry = slot.get();
            if entry.key != key {
                entry = Self { key, ..Self::EMPTY };
            }
            let result = f(&mut entry.times);
            slot.set(entry);
            result
        })
    }
}

/// Measured times of a pass or a region in ns, on one thread and shared: low averages, since a run
/// that the machine disturbs says nothing about the choice.
#[derive(Clone, Copy, Default)]
struct Times {
    alone: Option<f32>,
    shared: Option<f32>,
    /// Number of runs since the slower choice was measured.
    runs: u32,
}

impl Times {
    /// Returns true if the next run is to be shared.
    fn choose(&mut self) -> bool {
        let (shared, alone) = match (self.shared, self.alone) {
            // A pass that runs once, as those of a picture do, must not run alone.
            (None, _) => return true,
            (Some(shared), _) if shared > LONG => return true,
            (Some(_), None) => return false,
            (Some(shared), Some(alone)) => (shared, alone),
        };
        let faster = alone > SHORT && shared < alone;
        let ratio = (shared / alone).max(alone / shared);
        let retry = if ratio > CLEARLY { RETRY_LATE } else { RETRY };
        self.runs += 1;
        if self.runs < retry || (alone <= SHORT && self.runs < RETRY_LATE) {
            return faster;
        }
        self.runs = 0;
        !faster
    }

    fn record(&mut self, shares: bool, time: f32) {
        let mean = if shares {
            &mut self.shared
        } else {
            &mut self.alone
        };
        *mean = Some(mean.map_or(time, |mean| {
            let weight = if time < mean { 0.5 } else { 0.125 };
            mean + weight * (time.min(4.0 * mean) - mean)
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs a choice `count` times against fixed times; returns the number of shared runs.
    fn shared_runs(times: &mut Times, (alone, shared): (f32, f32), count: usize) -> usize {
        (0..count)
            .filter(|_| {
                let shares = times.choose();
                times.record(shares, if shares { shared } else { alone });
                shares
            })
            .count()
    }

    #[test]
    fn the_faster_choice_is_made_and_the_other_one_tried_again() {
        let mut times = Times::default();
        assert_eq!(
            shared_runs(&mut times, (2e4, 4e4), 1000),
            1 + 1000 / RETRY_LATE as usize,
            "the first run and one trial"
        );
        assert!(
            shared_runs(&mut times, (2e4, 1.1e4), 4000) > 2500,
            "sharing became faster, and trials find it"
        );
        assert!(shared_runs(&mut Times::default(), (2e4, 1.2e4), 1000) > 990);
        assert!(
            shared_runs(&mut Times::default(), (3e3, 2e3), 1000) < 4,
            "short passes stay on one thread"
        );
        let mut long = Times::default();
        assert_eq!(shared_runs(&mut long, (1e7, 2e7), 100), 100);
        assert!(
            shared_runs(&mut long, (1e4, 3e4), 100) < 30,
            "a pass that shrinks is measured again"
        );
    }

    #[test]
    fn times_of_many_keys_are_kept_apart() {
        for code in 1..=40 {
            Entry::update((code * 64, 3), |times| times.record(true, code as f32));
        }
        for code in 1..=40 {
            let shared = Entry::update((code * 64, 3), |times| times.shared);
            assert_eq!(shared, Some(code as f32));
            assert_eq!(Entry::update((code * 64, 4), |times| times.shared), None);
        }
    }

    #[test]
    fn workers_are_awake_in_a_region_and_leave_at_its_end() {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(3)
            .build()
            .expect("threads");
        let sum = std::sync::atomic::AtomicUsize::new(0);
        let pass = || {
            rayon::join(
                || sum.fetch_add(1, Ordering::Relaxed),
                || sum.fetch_add(1, Ordering::Relaxed),
            );
        };
        for _ in 0..50 {
            pool.install(|| {
                with_workers_awake(&mut || {
                    assert!(role() == Role::Region);
                    (0..10).for_each(|_| pass());
                });
            });
        }
        assert_eq!(sum.load(Ordering::Relaxed), 1000);
        let panics = || with_workers_awake(&mut || panic!("stop"));
        let caught =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| pool.install(panics)));
        assert!(caught.is_err());
    }
}
