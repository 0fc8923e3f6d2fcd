//! Frame timing: time between frames, due time of the next frame, and measured rates.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// Time after which an idle window is drawn again, in case another window had covered it.
const REFRESH: Duration = Duration::from_millis(500);
/// Least time between frames for changes of the panel, if the CPU draws the window too.
const PANEL_ON_CPU: Duration = Duration::from_millis(50);
/// Least time between frames for numbers in the panel, if the CPU draws the window too.
pub(crate) const NUMBERS_ON_CPU: Duration = Duration::from_millis(250);
/// Averaging time of a rate.
const WINDOW: Duration = Duration::from_secs(1);
/// Display time of a rate, so that the number can be read.
const SHOWN: Duration = Duration::from_millis(500);

/// Reasons for another frame of the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Reasons {
    /// Another picture is ready.
    pub(crate) picture: bool,
    /// Events that the panel may wait for.
    pub(crate) heard: bool,
    /// Input by key or mouse, or a movement of the panel.
    pub(crate) touched: bool,
    /// Changed numbers in the panel.
    pub(crate) numbers: bool,
}

impl Reasons {
    /// Time from the last frame to the next. With `on_cpu`, frames without another picture are kept
    /// rare, because drawing takes time from the picture and the simulation.
    pub(crate) fn wait(self, on_cpu: bool) -> Duration {
        match self {
            Self { picture: true, .. } => Duration::ZERO,
            Self { touched: true, .. } => {
                if on_cpu {
                    PANEL_ON_CPU
                } else {
                    Duration::ZERO
                }
            }
            Self { numbers: true, .. } => {
                if on_cpu {
                    NUMBERS_ON_CPU
                } else {
                    Duration::ZERO
                }
            }
            _ => REFRESH,
        }
    }
}

/// Rate of counted events over the last second.
#[derive(Debug, Default)]
pub(crate) struct Rate {
    marks: VecDeque<(Instant, u64)>,
    /// Displayed rate per second, and its time of measurement.
    rate: Option<(f64, Instant)>,
}

impl Rate {
    /// Rate per second, given the `count` so far. The result changes only twice a second, so that
    /// it can be read.
    pub(crate) fn note(&mut self, count: u64, now: Instant) -> f64 {
        self.marks.push_back((now, count));
        while self.marks.len() > 2 && now.duration_since(self.marks[1].0) >= WINDOW {
            self.marks.pop_front();
        }
        if let Some((rate, taken)) = self.rate
            && now.duration_since(taken) < SHOWN
        {
            return rate;
        }
        let (since, before) = self.marks[0];
        let seconds = now.duration_since(since).as_secs_f64();
        let rate = if seconds > 0.0 { (count - before) as f64 / seconds } else { 0.0 };
        self.rate = Some((rate, now));
        rate
    }
}

/// Times of the last frames and logs.
pub(crate) struct Clock {
    pub(crate) begin: Instant,
    pub(crate) last: Instant,
    pub(crate) drawn: Instant,
    pub(crate) titled: Instant,
    /// Number of frames still to draw after the last change.
    pub(crate) awake: u32,
    /// Number of the last pass of the panel.
    pub(crate) pass: u64,
    /// Rate of different pictures per second.
    pub(crate) rate: Rate,
    /// Time of the last log line about the rate.
    pub(crate) logged: Instant,
    /// Set once the finishing time of the present picture was logged.
    pub(crate) finished: bool,
    /// Set once the time of the present picture at whole resolution was logged.
    pub(crate) whole: bool,
    /// Rate of the window's frames per second.
    pub(crate) frames: Rate,
}

impl Clock {
    pub(crate) fn new() -> Self {
        let now = Instant::now();
        Self {
            begin: now,
            last: now,
            drawn: now,
            titled: now,
            awake: 0,
            pass: u64::MAX,
            rate: Rate::default(),
            logged: now,
            finished: true,
            whole: false,
            frames: Rate::default(),
        }
    }

    /// Time in seconds since the window opened.
    pub(crate) fn now(&self) -> f64 {
        self.begin.elapsed().as_secs_f64()
    }

    /// Time in seconds since the last call, at most 0.1.
    pub(crate) fn tick(&mut self) -> f32 {
        let now = Instant::now();
        let seconds = now.duration_since(self.last).as_secs_f32();
        self.last = now;
        seconds.min(0.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_card_only_pictures_are_drawn_at_once() {
        let all = Reasons { picture: true, heard: true, touched: true, numbers: true };
        assert_eq!([all.wait(true), all.wait(false)], [Duration::ZERO; 2]);
        let touched = Reasons { picture: false, ..all };
        assert_eq!([touched.wait(true), touched.wait(false)], [PANEL_ON_CPU, Duration::ZERO]);
        let numbers = Reasons { touched: false, ..touched };
        assert_eq!([numbers.wait(true), numbers.wait(false)], [NUMBERS_ON_CPU, Duration::ZERO]);
        assert_eq!(Reasons::default().wait(true), REFRESH);
    }

    #[test]
    fn the_rate_counts_pictures_not_frames() {
        let (mut rate, start) = (Rate::default(), Instant::now());
        let mut last = 0.0;
        // Fifty frames per second, of which every fifth has another picture.
        for frame in 0..150_u64 {
            last = rate.note(frame / 5, start + Duration::from_millis(20 * frame));
        }
        assert!((last - 10.0).abs() < 1.0, "{last}");
        for frame in 150..260_u64 {
            last = rate.note(30, start + Duration::from_millis(20 * frame));
        }
        assert_eq!(last, 0.0);
    }
}
