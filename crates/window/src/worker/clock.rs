//! Clock of the simulation's steps: due time of the next step, and measured step rate.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use crate::messages::Pace;

/// Lower and upper bound of a fixed step rate in steps per second, to which rates are clamped.
const RATES: (f64, f64) = (1e-3, 1e6);
/// Upper bound of the delay of a fixed rate for which later steps compensate; without this bound, a
/// burst of steps would follow each slow step.
const MOST_BEHIND: Duration = Duration::from_millis(50);
/// Time over which the measured step rate is averaged.
const WINDOW: Duration = Duration::from_secs(1);
/// Smallest time between two samples of the step count, from which the step rate is measured.
const SAMPLE: Duration = Duration::from_millis(20);

/// Clock of the simulation thread: determines when the next step is due, and measures the step
/// rate.
#[derive(Debug)]
pub(super) struct Clock {
    pace: Pace,
    /// Number of steps to make before the clock pauses; `None`: no limit.
    left: Option<u64>,
    /// Due time of the next step; used only if the pace is a fixed rate.
    next: Instant,
    /// Time before which no step is due at any pace; lies in the past unless pictures have
    /// priority.
    rests_until: Instant,
    /// Number of steps made since the creation of the clock.
    made: u64,
    /// Samples of the step count for the measured rate: time, and number of steps made by that
    /// time. The oldest sample is about `WINDOW` old.
    samples: VecDeque<(Instant, u64)>,
}

impl Clock {
    /// Creates a paused clock.
    pub(super) fn new() -> Self {
        let now = Instant::now();
        Self {
            pace: Pace::Paused,
            left: None,
            next: now,
            rests_until: now,
            made: 0,
            samples: VecDeque::new(),
        }
    }

    /// Returns the present pace; `Pace::Paused` if the clock had to make a limited number of steps
    /// and all are made.
    pub(super) fn pace(&self) -> Pace {
        self.pace
    }

    /// Returns true while paused.
    pub(super) fn is_paused(&self) -> bool {
        self.pace == Pace::Paused
    }

    /// Sets the pace and cancels a limit on the number of steps.
    ///
    /// # Errors
    /// If the pace is a rate that is not a finite number above 0; the pace then stays unchanged.
    pub(super) fn set(&mut self, pace: Pace) -> Result<(), String> {
        if let Pace::Rate(rate) = pace
            && !(rate > 0.0 && rate.is_finite())
        {
            return Err(format!(
                "rate = {rate}: must be a number of steps a second above 0"
            ));
        }
        if pace != self.pace || self.left.is_some() {
            let now = Instant::now();
            (self.pace, self.left, self.next) = (pace, None, now);
            self.samples.clear();
            self.samples.push_back((now, self.made));
        }
        Ok(())
    }

    /// Makes `steps` steps due as fast as possible, and pauses after the last one; 0 pauses at
    /// once.
    pub(super) fn count(&mut self, steps: u64) {
        self.pace = if steps == 0 { Pace::Paused } else { Pace::Free };
        self.left = (steps > 0).then_some(steps);
        self.samples.clear();
        self.samples.push_back((Instant::now(), self.made));
    }

    /// Returns the time from `now` until the next step is due; `None` while paused.
    pub(super) fn due(&self, now: Instant) -> Option<Duration> {
        let next = match self.pace {
            Pace::Paused => return None,
            Pace::Free => self.rests_until,
            Pace::Rate(_) => self.next.max(self.rests_until),
        };
        Some(next.saturating_duration_since(now))
    }

    /// Delays the next step until the time `now` + `pause`, so that the processor is free for
    /// drawing.
    pub(super) fn rest(&mut self, now: Instant, pause: Duration) {
        self.rests_until = now + pause;
    }

    /// Records that a step was completed at `now`, and schedules the next step.
    pub(super) fn stepped(&mut self, now: Instant) {
        self.made += 1;
        if let Pace::Rate(rate) = self.pace {
            let interval = Duration::from_secs_f64(1.0 / rate.clamp(RATES.0, RATES.1));
            self.next = (self.next + interval).max(now.checked_sub(MOST_BEHIND).unwrap_or(now));
        }
        if let Some(left) = &mut self.left {
            *left -= 1;
            if *left == 0 {
                (self.pace, self.left) = (Pace::Paused, None);
            }
        }
        if self
            .samples
            .back()
            .is_none_or(|&(last, _)| now.saturating_duration_since(last) >= SAMPLE)
        {
            self.samples.push_back((now, self.made));
        }
        while self.samples.len() > 2 && now.saturating_duration_since(self.samples[1].0) >= WINDOW {
            self.samples.pop_front();
        }
    }

    /// Returns the step rate in steps per second, measured over the last second before `now`; 0
    /// while paused.
    pub(super) fn rate(&self, now: Instant) -> f64 {
        let Some(&(since, made)) = self.samples.front().filter(|_| self.pace != Pace::Paused)
        else {
            return 0.0;
        };
        let seconds = now.saturating_duration_since(since).as_secs_f64();
        if seconds > 0.0 {
            (self.made - made) as f64 / seconds
        } else {
            0.0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_machine_goes_slower_and_never_races_after_the_clock() {
        let mut clock = Clock::new();
        clock.set(Pace::Rate(1000.0)).expect("a rate");
        let start = clock.next;
        // Each step takes 100 times as long as the rate asks for.
        for i in 1..=50 {
            clock.stepped(start + Duration::from_millis(100 * i));
        }
        let now = start + Duration::from_millis(5000);
        let mut burst = 0;
        while clock.due(now) == Some(Duration::ZERO) {
            clock.stepped(now);
            burst += 1;
        }
        assert!(burst <= 51, "{burst} steps at once after 5 s");
        assert_eq!(clock.due(now).map(|wait| wait.as_millis()), Some(1));
        assert!(
            (clock.rate(start + Duration::from_secs(5)) - 60.0).abs() < 15.0,
            "{}",
            clock.rate(now)
        );
    }

    #[test]
    fn a_rest_puts_off_the_next_step_at_any_pace() {
        let mut clock = Clock::new();
        let now = Instant::now();
        for pace in [Pace::Free, Pace::Rate(1000.0)] {
            clock.set(pace).expect("a pace");
            clock.rest(now, Duration::from_secs(9));
            assert_eq!(clock.due(now), Some(Duration::from_secs(9)), "{pace:?}");
            assert_eq!(
                clock.due(now + Duration::from_secs(10)),
                Some(Duration::ZERO),
                "{pace:?}"
            );
            clock.rest(now, Duration::ZERO);
            let due = clock.due(now).expect("a pace");
            assert!(
                due < Duration::from_secs(1),
                "{pace:?}: a rest can be ended, {due:?}"
            );
        }
        clock.set(Pace::Paused).expect("a pace");
        assert_eq!(clock.due(now), None, "a rest starts nothing");
    }

    #[test]
    fn counted_steps_end_in_a_pause() {
        let mut clock = Clock::new();
        assert_eq!(clock.due(Instant::now()), None);
        clock.count(2);
        clock.stepped(Instant::now());
        assert_eq!(clock.due(Instant::now()), Some(Duration::ZERO));
        clock.stepped(Instant::now());
        assert_eq!(
            (
                clock.pace(),
                clock.due(Instant::now()),
                clock.rate(Instant::now())
            ),
            (Pace::Paused, None, 0.0)
        );
        clock.count(0);
        assert_eq!(clock.pace(), Pace::Paused);
    }

    #[test]
    fn a_rate_is_a_number_above_zero() {
        let mut clock = Clock::new();
        for rate in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(clock.set(Pace::Rate(rate)).is_err(), "{rate}");
        }
        for rate in [1e-300, 1e300] {
            clock.set(Pace::Rate(rate)).expect("a number above 0");
            clock.stepped(Instant::now());
        }
        assert!(clock.due(Instant::now()).is_some());
    }
}
