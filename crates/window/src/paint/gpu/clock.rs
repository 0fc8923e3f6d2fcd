//! Measurement of the graphics card's time for the light of a frame.

use std::time::{Duration, Instant};

use crate::paint::device::Gpu;

/// Number of frames between two measurements, since each measurement waits for the graphics card.
const SAMPLING: u32 = 4;

/// Clock that measures some of the frames.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct DrawClock {
    last: Duration,
    frames: u32,
}

impl DrawClock {
    /// Begins a measurement if one is due: waits until the graphics card is idle, and returns the
    /// start time. `None` if none is due.
    pub(super) fn begin(&mut self, gpu: &Gpu) -> Option<Instant> {
        self.frames += 1;
        (self.last.is_zero() || self.frames.is_multiple_of(SAMPLING)).then(|| {
            gpu.drain();
            Instant::now()
        })
    }

    /// Ends a measurement: waits until the graphics card has done all work submitted since `start`.
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
