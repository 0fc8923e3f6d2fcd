//! How long the graphics card works on the light of a frame.

use std::time::{Duration, Instant};

use crate::paint::device::Gpu;

/// Frames from one whose time is taken to the next: taking it means waiting for the graphics card.
const SAMPLING: u32 = 4;

/// Times some of the frames.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct DrawClock {
    last: Duration,
    frames: u32,
}

impl DrawClock {
    /// Waits now and then until the card has nothing else to do, and gives the time from which to count.
    pub(super) fn begin(&mut self, gpu: &Gpu) -> Option<Instant> {
        self.frames += 1;
        (self.last.is_zero() || self.frames.is_multiple_of(SAMPLING)).then(|| {
            gpu.drain();
            Instant::now()
        })
    }

    /// Takes the time of what was submitted since `start`.
    pub(super) fn end(&mut self, gpu: &Gpu, start: Instant) {
        gpu.drain();
        let took = start.elapsed();
        // Another program may have had the machine: a long frame counts in full only when the next is as long.
        let believable = if self.last.is_zero() { took } else { took.min(2 * self.last) };
        self.last = believable;
    }

    pub(super) fn last(&self) -> Duration {
        self.last
    }
}
