//! Measurement of the time that each stage takes.

use std::time::Duration;

use super::Stage;

/// Function that returns the time since a fixed instant. A simulation reads only this clock, so
/// that it can run on systems without one.
pub type Clock = fn() -> Duration;

/// Returns the time since the first call by the monotonic clock of the system, which
/// `wasm32-unknown-unknown` lacks.
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
pub fn system_clock() -> Duration {
    static START: std::sync::LazyLock<std::time::Instant> =
        std::sync::LazyLock::new(std::time::Instant::now);
    START.elapsed()
}

/// Time that one stage took so far, in all steps.
#[derive(Clone, Copy, Debug, Default)]
pub struct StageTime {
    /// Number of times that the stage was executed.
    pub runs: u64,
    /// Total time of all executions of the stage; 0 without a clock.
    pub total: Duration,
    /// Time of the last execution of the stage; 0 without a clock.
    pub last: Duration,
    /// Clock for the measurement; `None` if only the executions are counted.
    clock: Option<Clock>,
}

impl StageTime {
    /// Runs `work`, adds its duration to the time of the stage, and returns its result.
    pub fn time<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let start = self.clock.map(|now| now());
        let result = work();
        self.last = self
            .clock
            .zip(start)
            .map_or(Duration::ZERO, |(now, start)| now().saturating_sub(start));
        self.total += self.last;
        self.runs += 1;
        result
    }

    /// Returns the mean time of an execution of the stage in milliseconds; 0 if the stage was never
    /// executed.
    pub fn mean_ms(&self) -> f64 {
        if self.runs == 0 {
            0.0
        } else {
            self.total.as_secs_f64() * 1e3 / self.runs as f64
        }
    }
}

/// Times of all stages, accumulated over all steps.
#[derive(Clone, Copy, Debug, Default)]
pub struct Timings {
    /// Times of the kinds of stages, in the order of [`Stage::names`].
    stages: [StageTime; Stage::COUNT],
}

impl Timings {
    /// Creates timings of 0 for all kinds of stages, to be measured with `clock`.
    pub(super) fn by(clock: Clock) -> Self {
        Self {
            stages: [StageTime {
                clock: Some(clock),
                ..StageTime::default()
            }; Stage::COUNT],
        }
    }

    /// Iterates over the kinds of stages as pairs (name, time), in the order of `Stage::names`.
    /// Skips kinds that were never executed, except those that occur in every world.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &StageTime)> {
        let shown = |(number, (_, time)): &(usize, (&str, &StageTime))| {
            *number < Stage::OF_LAVA || time.runs > 0
        };
        Stage::names()
            .zip(&self.stages)
            .enumerate()
            .filter(shown)
            .map(|(_, named)| named)
    }

    /// Returns the time of the kind of stage with the name `name`; 0 if there is no such kind.
    pub fn stage(&self, name: &str) -> StageTime {
        self.iter()
            .find(|(stage, _)| *stage == name)
            .map_or_else(StageTime::default, |(_, time)| *time)
    }

    /// Runs `work`, adds its duration to the time of `stage`, and returns its result.
    pub(super) fn time<T>(&mut self, stage: Stage<'_>, work: impl FnOnce() -> T) -> T {
        self.stages[stage.number()].time(work)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stage_runs_and_is_counted_with_a_clock_and_without() {
        use std::cell::Cell;
        thread_local!(static SECONDS: Cell<u64> = const { Cell::new(0) });
        let clock: Clock = || Duration::from_secs(SECONDS.get());
        let three_seconds = || SECONDS.set(SECONDS.get() + 3);
        let (mut timed, mut counted) = (Timings::by(clock).stage("gravity"), StageTime::default());
        for stage in [&mut timed, &mut counted] {
            stage.time(three_seconds);
            stage.time(three_seconds);
        }
        assert_eq!(
            (timed.runs, timed.last.as_secs(), timed.total.as_secs()),
            (2, 3, 6)
        );
        assert_eq!((counted.runs, counted.total), (2, Duration::ZERO));
    }
}
