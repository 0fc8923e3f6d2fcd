//! Time from frame to frame, when the next frame is due, and the rate of pictures.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// Time after which an idle window is drawn again, in case another window had covered it.
const REFRESH: Duration = Duration::from_millis(500);
/// Least time between frames for changes of the panel, where the CPU draws the window too.
const PANEL_ON_CPU: Duration = Duration::from_millis(50);
/// Least time between frames for numbers in the panel, where the CPU draws the window too.
pub(crate) const NUMBERS_ON_CPU: Duration = Duration::from_millis(250);
/// Time over which the rate of pictures is taken.
const WINDOW: Duration = Duration::from_secs(1);
/// Time for which a rate is shown.
const SHOWN: Duration = Duration::from_millis(500);

/// The reason for another frame of the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Reasons {
    /// Another picture is ready.
    pub(crate) picture: bool,
    /// Events that the panel may wait for.
    pub(crate) heard: bool,
    /// A key, the mouse, or a movement of the panel.
    pub(crate) touched: bool,
    /// Other numbers in the panel.
    pub(crate) numbers: bool,
}

impl Reasons {
    /// Time from the last frame to the next. Where the CPU draws, frames without another picture are kept rare, because
    /// they take time from the picture and the simulation.
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

/// A rate of counted events over the last second.
#[derive(Debug, Default)]
pub(crate) struct Rate {
    marks: VecDeque<(Instant, u64)>,
    /// The rate, and when it was taken.
    rate: Option<(f64, Instant)>,
}

impl Rate {
    /// The rate, given the count so far. It changes twice a second, so that it can be read.
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

/// Time from frame to frame.
pub(crate) struct Clock {
    pub(crate) begin: Instant,
    pub(crate) last: Instant,
    pub(crate) drawn: Instant,
    pub(crate) titled: Instant,
    /// Frames still to draw after the last change.
    pub(crate) awake: u32,
    /// Number of the last pass of the panel.
    pub(crate) pass: u64,
    /// Different pictures a second.
    pub(crate) rate: Rate,
    /// When the rate was last written into the log.
    pub(crate) logged: Instant,
    /// Whether the time of the present finished picture was logged.
    pub(crate) finished: bool,
    /// Whether the time of the present whole picture was logged.
    pub(crate) whole: bool,
    /// Frames of the window a second.
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

    /// Seconds since the window opened.
    pub(crate) fn now(&self) -> f64 {
        self.begin.elapsed().as_secs_f64()
    }

    /// Seconds since the last call, at most a tenth.
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
        // Fifty frames a second, of which every fifth has another picture.
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
