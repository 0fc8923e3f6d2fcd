//! Controller of the traced resolution: while something moves, as high as the target frame rate
//! allows; for a still picture, the full resolution.
//!
//! The resolution follows the measured frame time in small steps, since the frame time varies with
//! the view.

use std::time::Duration;

/// Rule that determines the traced resolution, as a fraction of the window's resolution along each
/// axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Quality {
    /// Adapts the fraction: moving pictures reach about `target_fps`, a still picture has the full
    /// resolution.
    Auto {
        /// Target frame rate during movements, in frames per second.
        target_fps: f32,
    },
    /// Constant fraction along each axis, clamped to 0.1–1.
    Fixed(f32),
}

/// Smallest fraction of the window's resolution along each axis that `Quality::Auto` uses. Without
/// a graphics card, large windows reach this value while the camera turns; lowering the constant
/// from 0.24 to 0.17 helped to double the frame rate of the island scene on such a machine, from 5
/// to 10 pictures per second.
const COARSEST: f32 = 0.17;
/// Target duration of one band (consecutive pixel rows) of a still picture's frame: the window
/// handles no input while a band is drawn.
const BAND: Duration = Duration::from_millis(60);
/// Upper bound of the number of bands into which a still picture's frame is divided.
const MOST_BANDS: f32 = 64.0;
/// Time budget for all averaged frames of one still picture together.
const REFINING: Duration = Duration::from_secs(3);
/// Upper bound of the number of jittered frames that are averaged for one moving picture; a fast
/// machine averages several, for antialiasing.
const MOST_REPEATS: u32 = 4;

/// Controller of the resolution of moving pictures, updated once per frame.
#[derive(Clone, Copy, Debug)]
pub struct Resolution {
    /// Fraction of the window's resolution along each axis at which moving pictures are traced, 0
    /// to 1.
    scale: f32,
    /// Value of `scale` at which the last measured frame was drawn, 0 to 1.
    measured: f32,
    /// Number of jittered frames averaged for one moving picture; above 1 only at the full
    /// resolution.
    repeats: u32,
}

/// Resolution and number of frames for the next moving picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// Number of traced pixels along x and y.
    pub size: [usize; 2],
    /// Number of jittered frames to average for the picture.
    pub repeats: u32,
}

impl Default for Resolution {
    fn default() -> Self {
        Self {
            scale: 0.5,
            measured: 0.5,
            repeats: 1,
        }
    }
}

impl Resolution {
    /// Returns the fraction of the window's resolution along each axis at which moving pictures are
    /// traced, 0 to 1.
    pub fn scale(&self) -> f32 {
        self.scale
    }

    /// Records that the next drawing time passed to `moving` belongs to a frame drawn at the
    /// present `scale`.
    pub fn timed(&mut self) {
        self.measured = self.scale;
    }

    /// Returns resolution and number of frames for the next moving picture. With `Quality::Auto`,
    /// adapts both to `took`, the drawing time of the last moving picture. `window`: width and
    /// height in pixels.
    pub fn moving(&mut self, quality: Quality, window: [usize; 2], took: Duration) -> Effort {
        match quality {
            Quality::Fixed(share) => (self.scale, self.repeats) = (share.clamp(0.1, 1.0), 1),
            Quality::Auto { target_fps } => {
                self.adapt(1.0 / target_fps.max(1.0), took.as_secs_f32())
            }
        }
        Effort {
            size: scaled(window, self.scale),
            repeats: self.repeats,
        }
    }

    fn adapt(&mut self, wanted_s: f32, took_s: f32) {
        if self.measured != self.scale || took_s <= 0.0 {
            return;
        }
        // Small corrections only, since the frame time varies with the view.
        let ratio = wanted_s / took_s;
        if ratio < 0.8 && self.repeats > 1 {
            self.repeats -= 1;
        } else if ratio > 2.0 && self.scale >= 1.0 {
            self.repeats = (self.repeats + 1).min(MOST_REPEATS);
        } else if !(0.8..1.6).contains(&ratio) {
            self.scale = (self.scale * ratio.sqrt().clamp(0.8, 1.15)).clamp(COARSEST, 1.0);
        }
    }

    /// Returns the number of frames to average for a still picture: as many as fit into the time
    /// budget `REFINING`, 2 to `most`. `took`: drawing time of the last frame of a moving picture.
    pub fn frames(&self, most: u32, took: Duration) -> u32 {
        let fit = REFINING.as_secs_f32() / self.whole_s(took).max(1e-3);
        (fit as u32).clamp(2, most)
    }

    /// Returns the number of bands into which a full-resolution frame is divided, so that each band
    /// takes about `BAND`. `took`: drawing time of the last frame of a moving picture.
    pub fn bands(&self, took: Duration) -> u32 {
        (self.whole_s(took) / BAND.as_secs_f32())
            .ceil()
            .clamp(1.0, MOST_BANDS) as u32
    }

    /// Returns the estimated drawing time of a full-resolution frame in seconds, proportional to
    /// the number of pixels. `took`: drawing time of the last frame of a moving picture.
    fn whole_s(&self, took: Duration) -> f32 {
        took.as_secs_f32() / (self.measured * self.measured)
    }
}

/// Returns the traced width and height of a still picture in pixels. `window`: width and height of
/// the window in pixels.
pub fn still(quality: Quality, window: [usize; 2]) -> [usize; 2] {
    match quality {
        Quality::Fixed(share) => scaled(window, share.clamp(0.1, 1.0)),
        Quality::Auto { .. } => window,
    }
}

fn scaled(window: [usize; 2], share: f32) -> [usize; 2] {
    window.map(|n| ((n as f32 * share).round() as usize).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_machine_gets_fewer_pixels_and_a_fast_one_all_and_smooth_edges() {
        let settle = |ms_whole: f32| {
            let mut resolution = Resolution::default();
            let mut effort = Effort {
                size: [800, 600],
                repeats: 1,
            };
            for _ in 0..60 {
                let share = resolution.scale() * resolution.scale() * effort.repeats as f32;
                let took = Duration::from_secs_f32(ms_whole * 1e-3 * share);
                effort = resolution.moving(Quality::Auto { target_fps: 20.0 }, [800, 600], took);
                resolution.timed();
            }
            (resolution.scale(), effort.repeats)
        };
        assert_eq!(settle(2.0), (1.0, MOST_REPEATS));
        let (scale, repeats) = settle(200.0);
        assert!(
            (0.4..0.65).contains(&scale) && repeats == 1,
            "50 ms of 200 ms are a quarter of the pixels"
        );
        assert_eq!(settle(9000.0), (COARSEST, 1));
    }

    #[test]
    fn a_still_picture_is_drawn_whole_however_slow_the_machine() {
        assert_eq!(
            still(Quality::Auto { target_fps: 20.0 }, [801, 600]),
            [801, 600]
        );
        assert_eq!(still(Quality::Fixed(0.5), [801, 600]), [401, 300]);
        let resolution = Resolution::default();
        let bands = |ms: u64| resolution.bands(Duration::from_millis(ms));
        // Half the resolution was measured: a whole frame takes four times as long.
        assert_eq!([bands(5), bands(140), bands(1_000_000)], [1, 10, 64]);
    }
}
