//! Frame timing of the window: minimum time between frames, and measured rates of frames and
//! pictures.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// Longest time without a new frame; an idle window is redrawn at this interval, in case another
/// window had covered it.
const REFRESH: Duration = Duration::from_millis(500);
/// Least time between two frames for changes of the panel, with the CPU painter.
const PANEL_ON_CPU: Duration = Duration::from_millis(50);
/// Least time between two frames for changed numbers in the panel, with the CPU painter.
pub(crate) const NUMBERS_ON_CPU: Duration = Duration::from_millis(250);
/// Time over which a measured rate is averaged.
const WINDOW: Duration = Duration::from_secs(1);
/// Time for which a displayed rate stays unchanged, long enough for the user to read the rate.
const SHOWN: Duration = Duration::from_millis(500);

/// Reasons to draw another frame of the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Reasons {
    /// Set if the painter has a new picture.
    pub(crate) picture: bool,
    /// Set if window events have arrived that concern the panel.
    pub(crate) heard: bool,
    /// Set if the panel must be redrawn soon: after input by key or mouse, or during an animation.
    pub(crate) touched: bool,
    /// Set if displayed numbers or the camera changed, or notices are shown.
    pub(crate) numbers: bool,
}

impl Reasons {
    /// Returns the least time between the last frame and the next one. `on_cpu`: true for the CPU
    /// painter, which leaves more time between frames without a new picture, because drawing the
    /// panel takes processor time from the picture and the simulation.
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

/// Rate meter: events per second, averaged over the last second.
#[derive(Debug, Default)]
pub(crate) struct Rate {
    marks: VecDeque<(Instant, u64)>,
    /// Displayed rate in events per second, with the time of its measurement; `None` before the
    /// first measurement.
    rate: Option<(f64, Instant)>,
}

impl Rate {
    /// Returns the displayed rate in events per second; `count`: total number of events up to
    /// `now`. The displayed rate changes at most twice a second, so that the user can read it.
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
        let rate = if seconds > 0.0 {
            (count - before) as f64 / seconds
        } else {
            0.0
        };
        self.rate = Some((rate, now));
        rate
    }
}

/// Times and rates of the window's frames, pictures and log lines.
pub(crate) struct Clock {
    pub(crate) begin: Instant,
    pub(crate) last: Instant,
    pub(crate) drawn: Instant,
    pub(crate) titled: Instant,
    /// Number of frames still to be drawn after the last change.
    pub(crate) awake: u32,
    /// Number of egui passes completed before the last drawn frame; if the number is unchanged at
    /// the next frame, a frame was skipped, for example because the window is hidden.
    pub(crate) pass: u64,
    /// Rate meter of the different pictures that the window shows, in pictures per second.
    pub(crate) rate: Rate,
    /// Time of the last log line that contained the picture rate.
    pub(crate) logged: Instant,
    /// Set once the log has a line with the time at which the present picture became final.
    pub(crate) finished: bool,
    /// Set once the log has a line with the time at which the present picture reached the full
    /// resolution.
    pub(crate) whole: bool,
    /// Rate meter of the window's frames, in frames per second.
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

    /// Returns the time in seconds since the window opened.
    pub(crate) fn now(&self) -> f64 {
        self.begin.elapsed().as_secs_f64()
    }

    /// Returns the time in seconds since the last call, clamped to 0.1 s.
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
        let all = Reasons {
            picture: true,
            heard: true,
            touched: true,
            numbers: true,
        };
        assert_eq!([all.wait(true), all.wait(false)], [Duration::ZERO; 2]);
        let touched = Reasons {
            picture: false,
            ..all
        };
        assert_eq!(
            [touched.wait(true), touched.wait(false)],
            [PANEL_ON_CPU, Duration::ZERO]
        );
        let numbers = Reasons {
            touched: false,
            ..touched
        };
        assert_eq!(
            [numbers.wait(true), numbers.wait(false)],
            [NUMBERS_ON_CPU, Duration::ZERO]
        );
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
