//! How finely the window is drawn: as fast as wished on any machine, and finely when nothing moves.

use std::time::{Duration, Instant};

use super::gpu::Gpu;

/// Share of the window's resolution that is traced.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Quality {
    /// As much as gives about so many frames a second; all of it when nothing moves.
    Auto {
        /// Frames a second.
        target_fps: f32,
    },
    /// Always the same share, 0.1 to 1.
    Fixed(f32),
}

/// Least share of the resolution.
const COARSEST: f32 = 0.4;
/// A frame of a still picture may take so long: the window hears nothing meanwhile.
const PATIENCE: Duration = Duration::from_millis(700);
/// All frames of a still picture together may take so long.
const REFINING: Duration = Duration::from_secs(3);
/// A machine with time to spare draws so many shifted frames for one, which smooths edges.
const MOST_REPEATS: u32 = 4;

/// Chooses the resolution from frame to frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Resolution {
    /// Share while something moves.
    moving: f32,
    /// Share of the last frame.
    scale: f32,
    /// Share of the frame that was timed last.
    measured: f32,
    /// Frames drawn for one while something moves.
    repeats: u32,
}

/// How the next frame is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Effort {
    /// Pixels to trace.
    pub(super) size: [usize; 2],
    /// Shifted frames to average.
    pub(super) repeats: u32,
}

impl Default for Resolution {
    fn default() -> Self {
        Self { moving: 0.5, scale: 0.5, measured: 0.5, repeats: 1 }
    }
}

impl Resolution {
    pub(super) fn scale(&self) -> f32 {
        self.scale
    }

    /// Frames worth averaging while nothing changes, at most `most`, given how long the last one took.
    pub(super) fn frames(&self, most: u32, took: Duration) -> u32 {
        let fit = REFINING.as_secs_f32() / took.as_secs_f32().max(1e-3);
        (fit as u32).clamp(2, most)
    }

    /// The last frame's time is being taken.
    pub(super) fn timed(&mut self) {
        self.measured = self.scale;
    }

    /// How to draw a window, given how long the last frame took.
    pub(super) fn choose(&mut self, quality: Quality, window: [usize; 2], still: bool, took: Duration) -> Effort {
        self.scale = match quality {
            Quality::Fixed(share) => {
                self.repeats = 1;
                share.clamp(0.1, 1.0)
            }
            Quality::Auto { target_fps } => self.auto(1.0 / target_fps.max(1.0), still, took),
        };
        let size = window.map(|n| ((n as f32 * self.scale).round() as usize).max(1));
        Effort { size, repeats: if still { 1 } else { self.repeats } }
    }

    /// Pixels of a layer that nothing hurries.
    pub(super) fn finest(&self, quality: Quality, window: [usize; 2], took: Duration) -> [usize; 2] {
        let share = match quality {
            Quality::Fixed(share) => share.clamp(0.1, 1.0),
            Quality::Auto { .. } => self.patient(took),
        };
        window.map(|n| ((n as f32 * share).round() as usize).max(1))
    }

    /// The share that takes no more than the patience for a frame, judged by what the last one took.
    fn patient(&self, took: Duration) -> f32 {
        let whole = took.as_secs_f32() / (self.measured * self.measured);
        (PATIENCE.as_secs_f32() / whole.max(1e-6)).sqrt().clamp(self.moving, 1.0)
    }

    fn auto(&mut self, wanted_s: f32, still: bool, took: Duration) -> f32 {
        let took_s = took.as_secs_f32();
        if still {
            return self.patient(took);
        }
        if self.measured == self.moving && took_s > 0.0 {
            // Small corrections only: a frame's time swings with what it shows.
            let ratio = wanted_s / took_s;
            if ratio < 0.8 && self.repeats > 1 {
                self.repeats -= 1;
            } else if ratio > 2.0 && self.moving >= 1.0 {
                self.repeats = (self.repeats + 1).min(MOST_REPEATS);
            } else if !(0.8..1.6).contains(&ratio) {
                self.moving = (self.moving * ratio.sqrt().clamp(0.8, 1.15)).clamp(COARSEST, 1.0);
            }
        }
        self.moving
    }
}

/// Frames from one whose time is taken to the next: taking it means waiting for the graphics card.
const SAMPLING: u32 = 4;

/// How long the graphics card works on the light of a frame.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct DrawClock {
    last: Duration,
    frames: u32,
}

impl DrawClock {
    /// Now and then, waits until the card has nothing else to do, and gives the time from which to count.
    pub(super) fn begin(&mut self, gpu: &Gpu) -> Option<Instant> {
        self.frames += 1;
        self.frames.is_multiple_of(SAMPLING).then(|| {
            gpu.drain();
            Instant::now()
        })
    }

    /// Takes the time of what was submitted since `start`.
    pub(super) fn end(&mut self, gpu: &Gpu, start: Instant) {
        gpu.drain();
        let took = start.elapsed();
        // Once another program had the machine: believe it only when it stays so.
        let believable = if self.last.is_zero() { took } else { took.min(2 * self.last) };
        self.last = believable;
    }

    pub(super) fn last(&self) -> Duration {
        self.last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_machine_gets_fewer_pixels_and_a_fast_one_all_and_smooth_edges() {
        let settle = |ms_whole: f32| {
            let mut resolution = Resolution::default();
            let mut effort = Effort { size: [800, 600], repeats: 1 };
            for _ in 0..60 {
                let share = resolution.scale() * resolution.scale() * effort.repeats as f32;
                let took = Duration::from_secs_f32(ms_whole * 1e-3 * share);
                effort = resolution.choose(Quality::Auto { target_fps: 20.0 }, [800, 600], false, took);
                resolution.timed();
            }
            (resolution.scale(), effort.repeats)
        };
        assert_eq!(settle(2.0), (1.0, MOST_REPEATS));
        let (scale, repeats) = settle(200.0);
        assert!((0.4..0.65).contains(&scale) && repeats == 1, "50 ms of 200 ms are a quarter of the pixels");
        assert_eq!(settle(9000.0), (COARSEST, 1));
    }

    #[test]
    fn a_still_picture_is_drawn_whole() {
        let mut resolution = Resolution::default();
        let took = Duration::from_millis(50);
        let mut size = |quality| resolution.choose(quality, [801, 600], true, took).size;
        assert_eq!(size(Quality::Auto { target_fps: 20.0 }), [801, 600]);
        assert_eq!(size(Quality::Fixed(0.5)), [401, 300]);
    }
}
