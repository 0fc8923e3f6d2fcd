//! Time from frame to frame, and whether there is anything to draw.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// Time over which frames are counted.
const WINDOW: Duration = Duration::from_secs(2);

/// Time from frame to frame.
pub(super) struct Clock {
    pub(super) begin: Instant,
    pub(super) last: Instant,
    pub(super) drawn: Instant,
    pub(super) titled: Instant,
    /// Frames still to draw after the last change.
    pub(super) awake: u32,
    /// Number of the last pass of the panel.
    pub(super) pass: u64,
    /// Whether the window rested before this frame.
    pub(super) rested: bool,
    pub(super) frames: FrameRate,
}

impl Clock {
    pub(super) fn new() -> Self {
        let now = Instant::now();
        let frames = FrameRate::default();
        Self { begin: now, last: now, drawn: now, titled: now, awake: 0, pass: u64::MAX, rested: true, frames }
    }

    /// Seconds since the window opened.
    pub(super) fn now(&self) -> f64 {
        self.begin.elapsed().as_secs_f64()
    }

    /// Seconds since the last call, at most a tenth.
    pub(super) fn tick(&mut self) -> f32 {
        let now = Instant::now();
        let seconds = now.duration_since(self.last).as_secs_f32();
        self.last = now;
        seconds.min(0.1)
    }
}

/// Frames a second while the window draws without resting.
#[derive(Debug, Default)]
pub(super) struct FrameRate {
    ends: VecDeque<Instant>,
}

impl FrameRate {
    /// A frame has come to its end. After a rest, the time since the last one is no measure.
    pub(super) fn note(&mut self, now: Instant, rested: bool) {
        if rested {
            self.ends.clear();
        }
        self.ends.push_back(now);
        while self.ends.len() > 2 && now.duration_since(self.ends[1]) >= WINDOW {
            self.ends.pop_front();
        }
    }

    /// Frames a second; nothing while the window rests.
    pub(super) fn per_second(&self) -> Option<f64> {
        let seconds = self.ends.back()?.duration_since(*self.ends.front()?).as_secs_f64();
        (seconds > 0.0).then(|| (self.ends.len() - 1) as f64 / seconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_counted_over_the_last_seconds() {
        let (mut frames, start) = (FrameRate::default(), Instant::now());
        assert_eq!(frames.per_second(), None);
        for i in 0..100 {
            frames.note(start + Duration::from_millis(100 * i), i == 0);
        }
        assert!((frames.per_second().expect("it draws") - 10.0).abs() < 1e-9);
        // A slow frame of four seconds counts at once.
        frames.note(start + Duration::from_millis(9900 + 4000), false);
        assert!((frames.per_second().expect("it draws") - 0.25).abs() < 1e-9);
        frames.note(start + Duration::from_secs(60), true);
        assert_eq!(frames.per_second(), None, "it rested");
    }
}
