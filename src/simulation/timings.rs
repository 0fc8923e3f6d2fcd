//! Where the time goes.

use std::time::{Duration, Instant};

/// Time spent in one stage.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stage {
    /// Times it ran.
    pub runs: u64,
    /// Time in all.
    pub total: Duration,
    /// Time of the last run.
    pub last: Duration,
}

impl Stage {
    /// Runs `work` and adds its time.
    pub fn time<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = work();
        self.last = start.elapsed();
        self.total += self.last;
        self.runs += 1;
        result
    }

    /// Mean time of a run in milliseconds, 0 when it never ran.
    pub fn mean_ms(&self) -> f64 {
        if self.runs == 0 { 0.0 } else { self.total.as_secs_f64() * 1e3 / self.runs as f64 }
    }
}

/// Time spent in each stage of the steps so far.
#[derive(Clone, Copy, Debug, Default)]
pub struct Timings {
    /// Vents.
    pub sources: Stage,
    /// Gravity.
    pub gravity: Stage,
    /// Spreading.
    pub spreading: Stage,
}
