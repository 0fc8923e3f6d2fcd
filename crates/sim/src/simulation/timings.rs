//! Time measurement of the stages.

use std::time::Duration;

use super::Stage;

/// Clock function: returns the time since a fixed instant. A step reads no other clock, so that
/// simulations run on systems without a clock.
pub type Clock = fn() -> Duration;

/// Reads the monotonic system clock, which `wasm32-unknown-unknown` lacks.
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
pub fn system_clock() -> Duration {
    static START: std::sync::LazyLock<std::time::Instant> =
        std::sync::LazyLock::new(std::time::Instant::now);
    START.elapsed()
}

/// Accumulated time of one stage.
#[derive(Clone, Copy, Debug, Default)]
pub struct StageTime {
    /// Number of runs.
    pub runs: u64,
    /// Total time of all runs.
    pub total: Duration,
    /// Time of the last run.
    pub last: Duration,
    /// Clock used for the measurement; `None`: only the number of runs is recorded.
    clock: Option<Clock>,
}

impl StageTime {
    /// Runs `work` and adds its duration.
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

    /// Mean duration of a run in milliseconds; 0 if the stage has not run.
    pub fn mean_ms(&self) -> f64 {
        if self.runs == 0 {
            0.0
        } else {
            self.total.as_secs_f64() * 1e3 / self.runs as f64
        }
    }
}

/// Accumulated time of each stage over all steps.
#[derive(Clone, Copy, Debug, Default)]
pub struct Timings {
    /// Times by stage, in the order of [`Stage::names`].
    stages: [StageTime; Stage::COUNT],
}

impl Timings {
    /// Creates zero timings measured with `clock`.
    pub(super) fn by(clock: Clock) -> Self {
        Self {
            stages: [StageTime {
                clock: Some(clock),
                ..StageTime::default()
            }; Stage::COUNT],
        }
    }

    /// Iterates over the stages in step order with their names; stages of further materials are
    /// skipped if they never ran.
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

    /// Timing of the stage called `name`; zero for an unknown name.
    pub fn of(&self, name: &str) -> StageTime {
        self.iter()
            .find(|(stage, _)| *stage == name)
            .map_or_else(StageTime::default, |(_, time)| *time)
    }

    /// Runs `work` and adds its duration to `stage`.
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
        let (mut timed, mut counted) = (Timings::by(clock).of("gravity"), StageTime::default());
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
