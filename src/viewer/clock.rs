//! Time from frame to frame, and whether there is anything to draw.

use std::time::Instant;

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
    /// Whether the window rested before this frame: the time since the last one is then no measure.
    pub(super) rested: bool,
}

impl Clock {
    pub(super) fn new() -> Self {
        let now = Instant::now();
        Self { begin: now, last: now, drawn: now, titled: now, awake: 0, pass: u64::MAX, rested: true }
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
