//! Measures how long the graphics card takes to trace the light of a frame.

use std::time::{Duration, Instant};

use crate::paint::device::Gpu;

/// Number of frames from one measurement to the next; a measurement waits for the graphics card.
const SAMPLING: u32 = 4;

/// Stopwatch for the time that the graphics card takes to draw a frame; measures every
/// `SAMPLING`-th frame.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct DrawClock {
    last: Duration,
    frames: u32,
}

impl DrawClock {
    /// Begins a measurement if one is due in this frame: waits until the graphics card is idle and
    /// returns the start time. `None` if no measurement is due.
    pub(super) fn begin(&mut self, gpu: &Gpu) -> Option<Instant> {
        self.frames += 1;
        (self.last.is_zero() || self.frames.is_multiple_of(SAMPLING)).then(|| {
            gpu.drain();
            Instant::now()
        })
    }

    /// Ends the measurement that began at `start`: waits until the graphics card has done all
    /// submitted work, and stores the time.
    pub(super) fn end(&mut self, gpu: &Gpu, start: Instant) {
        gpu.drain();
        let took = start.elapsed();
        // Another program may have used the machine: a long frame counts in full only if the next
        // one is as long.
        let believable = if self.last.is_zero() {
            took
        } else {
            took.min(2 * self.last)
        };
        self.last = believable;
    }

    pub(super) fn last(&self) -> Duration {
        self.last
    }
}
