//! Measures how long the graphics card takes to trace the light of a frame.

use std::time::Duration;

use web_time::Instant;

#[cfg(target_arch = "wasm32")]
use self::later::Later;
use crate::device::Gpu;

/// Number of frames from one measurement to the next; a measurement waits for the graphics card.
#[cfg(not(target_arch = "wasm32"))]
const SAMPLING: u32 = 4;

/// Stopwatch for the time that the graphics card takes to draw a frame.
#[derive(Debug, Default)]
pub(super) struct DrawClock {
    last: Duration,
    #[cfg(not(target_arch = "wasm32"))]
    frames: u32,
    #[cfg(target_arch = "wasm32")]
    later: Later,
}

impl DrawClock {
    /// Begins a measurement if one is due in this frame: waits until the graphics card is idle and
    /// returns the start time. `None` if no measurement is due.
    #[cfg(not(target_arch = "wasm32"))]
    pub(super) fn begin(&mut self, gpu: &Gpu) -> Option<Instant> {
        self.frames += 1;
        (self.last.is_zero() || self.frames.is_multiple_of(SAMPLING)).then(|| {
            gpu.drain();
            Instant::now()
        })
    }

    /// Ends the measurement that began at `start`: waits until the graphics card has done all
    /// submitted work, and stores the time.
    #[cfg(not(target_arch = "wasm32"))]
    pub(super) fn end(&mut self, gpu: &Gpu, start: Instant) {
        gpu.drain();
        self.note(start.elapsed());
    }

    /// Begins a measurement unless the card has not ended the last one; a browser does not wait.
    #[cfg(target_arch = "wasm32")]
    pub(super) fn begin(&mut self, _gpu: &Gpu) -> Option<Instant> {
        if let Some(took) = self.later.take() {
            self.note(took);
        }
        self.later.is_free().then(Instant::now)
    }

    /// Ends the measurement that began at `start` when the card has done all submitted work.
    #[cfg(target_arch = "wasm32")]
    pub(super) fn end(&mut self, gpu: &Gpu, start: Instant) {
        self.later.ask(gpu, start);
    }

    /// Stores the time `took` of a frame.
    fn note(&mut self, took: Duration) {
        // Another program may have used the machine: a long frame counts in full only if the next
        // one is as long.
        self.last = if self.last.is_zero() {
            took
        } else {
            took.min(2 * self.last)
        };
    }

    pub(super) fn last(&self) -> Duration {
        self.last
    }
}

/// Time that the card reports after the frame.
#[cfg(target_arch = "wasm32")]
mod later {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::time::Duration;

    use web_time::Instant;

    use crate::device::Gpu;

    /// Value of `Later` while no measurement is in progress.
    const FREE: u64 = 0;
    /// Value of `Later` while the card works.
    const ASKED: u64 = u64::MAX;

    /// Time of a frame in nanoseconds, or one of the values above.
    #[derive(Debug, Default)]
    pub(super) struct Later(Arc<AtomicU64>);

    impl Later {
        pub(super) fn is_free(&self) -> bool {
            self.0.load(Ordering::Relaxed) == FREE
        }

        /// Returns the time of the last measurement, once.
        pub(super) fn take(&self) -> Option<Duration> {
            match self.0.load(Ordering::Relaxed) {
                FREE | ASKED => None,
                nanoseconds => {
                    self.0.store(FREE, Ordering::Relaxed);
                    Some(Duration::from_nanos(nanoseconds))
                }
            }
        }

        /// Asks for the time from `start` until the card has done all submitted work.
        pub(super) fn ask(&self, gpu: &Gpu, start: Instant) {
            self.0.store(ASKED, Ordering::Relaxed);
            let answer = Arc::clone(&self.0);
            gpu.queue.on_submitted_work_done(move || {
                let took = start.elapsed().as_nanos() as u64;
                answer.store(took.clamp(1, ASKED - 1), Ordering::Relaxed);
            });
        }
    }
}
