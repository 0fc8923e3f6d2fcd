//! Resolution of the window's pictures: enough for the wanted rate while something moves, the whole
//! resolution when nothing does.
//!
//! The resolution follows the measured time of frames in small steps, since that time varies with
//! the view.

use std::time::{Duration, Instant};

use super::View;
use lavoxel_render::Camera;

/// Rule for the share of the window's resolution that is traced.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Quality {
    /// Share that gives about `target_fps` while something moves; the whole resolution when nothing
    /// does.
    Auto {
        /// Wanted rate in frames per second.
        target_fps: f32,
    },
    /// Constant share along each axis, 0.1 to 1.
    Fixed(f32),
}

/// Smallest share of the resolution along each axis. Without a graphics card, large windows reach
/// this share while the camera turns: 0.17 instead of 0.24 helped to double the island's rate
/// there, from 5 to 10 pictures per second.
const COARSEST: f32 = 0.17;
/// Time without a change after which a picture counts as still.
const PAUSE: Duration = Duration::from_millis(200);
/// Target time of a band of a still picture's frame: the window handles no input while a band is
/// drawn.
const BAND: Duration = Duration::from_millis(60);
/// Upper bound of the bands of a frame.
const MOST_BANDS: f32 = 64.0;
/// Upper bound of the time of all averaged frames of a still picture together.
const REFINING: Duration = Duration::from_secs(3);
/// Upper bound of the shifted frames that a fast machine averages for one moving picture, which
/// smooths edges.
const MOST_REPEATS: u32 = 4;

/// Controller of the resolution while something moves, from frame to frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Resolution {
    /// Share along each axis while something moves.
    scale: f32,
    /// Share of the frame that was timed last.
    measured: f32,
    /// Frames averaged for one picture while something moves.
    repeats: u32,
}

/// Size and repeats of the next frame of a moving picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Effort {
    /// Pixels to trace along x and y.
    pub(super) size: [usize; 2],
    /// Number of shifted frames to average.
    pub(super) repeats: u32,
}

impl Default for Resolution {
    fn default() -> Self {
        Self { scale: 0.5, measured: 0.5, repeats: 1 }
    }
}

impl Resolution {
    /// Share of the window's resolution along each axis, for moving pictures.
    pub(super) fn scale(&self) -> f32 {
        self.scale
    }

    /// Marks the next measured time as one of a frame at the present scale.
    pub(super) fn timed(&mut self) {
        self.measured = self.scale;
    }

    /// Size and repeats of the next moving picture, adapted to `took`, the time of the last one.
    pub(super) fn moving(&mut self, quality: Quality, window: [usize; 2], took: Duration) -> Effort {
        match quality {
            Quality::Fixed(share) => (self.scale, self.repeats) = (share.clamp(0.1, 1.0), 1),
            Quality::Auto { target_fps } => self.adapt(1.0 / target_fps.max(1.0), took.as_secs_f32()),
        }
        Effort { size: scaled(window, self.scale), repeats: self.repeats }
    }

    fn adapt(&mut self, wanted_s: f32, took_s: f32) {
        if self.measured != self.scale || took_s <= 0.0 {
            return;
        }
        // Small corrections only: the time of a frame varies with the view.
        let ratio = wanted_s / took_s;
        if ratio < 0.8 && self.repeats > 1 {
            self.repeats -= 1;
        } else if ratio > 2.0 && self.scale >= 1.0 {
            self.repeats = (self.repeats + 1).min(MOST_REPEATS);
        } else if !(0.8..1.6).contains(&ratio) {
            self.scale = (self.scale * ratio.sqrt().clamp(0.8, 1.15)).clamp(COARSEST, 1.0);
        }
    }

    /// Number of frames worth averaging while nothing changes, 2 to `most`; `took` is the time of
    /// the last moving frame.
    pub(super) fn frames(&self, most: u32, took: Duration) -> u32 {
        let fit = REFINING.as_secs_f32() / self.whole_s(took).max(1e-3);
        (fit as u32).clamp(2, most)
    }

    /// Number of bands for a frame of the whole resolution, given the time `took` of the last
    /// moving frame.
    pub(super) fn bands(&self, took: Duration) -> u32 {
        (self.whole_s(took) / BAND.as_secs_f32()).ceil().clamp(1.0, MOST_BANDS) as u32
    }

    /// Estimated seconds of a frame of the whole resolution: time is proportional to the number of
    /// pixels.
    fn whole_s(&self, took: Duration) -> f32 {
        took.as_secs_f32() / (self.measured * self.measured)
    }
}

/// Size in pixels of a still picture; independent of the time that the picture takes.
pub(super) fn still(quality: Quality, window: [usize; 2]) -> [usize; 2] {
    match quality {
        Quality::Fixed(share) => scaled(window, share.clamp(0.1, 1.0)),
        Quality::Auto { .. } => window,
    }
}

fn scaled(window: [usize; 2], share: f32) -> [usize; 2] {
    window.map(|n| ((n as f32 * share).round() as usize).max(1))
}

/// Times since when the picture, and the camera alone, have not changed.
#[derive(Clone, Debug, Default)]
pub(super) struct Rest {
    camera: Option<(Camera, Instant)>,
    all: Option<(View, u64, Instant)>,
}

/// Parts of the view that have been unchanged for `PAUSE`, so that a fine picture is worth its
/// time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Still {
    /// Set if the camera rests.
    pub(super) camera: bool,
    /// Set if everything visible rests, the camera included.
    pub(super) all: bool,
}

impl Rest {
    /// Records the picture of the time `now`; `content` counts visible changes apart from the view.
    pub(super) fn note(&mut self, view: &View, content: u64, now: Instant) -> Still {
        if self.all.as_ref().is_none_or(|(last, of, _)| last != view || *of != content) {
            self.all = Some((view.clone(), content, now));
        }
        if self.camera.as_ref().is_none_or(|(last, _)| *last != view.camera) {
            self.camera = Some((view.camera.clone(), now));
        }
        let rests = |since: Option<Instant>| since.is_some_and(|since| now.duration_since(since) > PAUSE);
        Still {
            camera: rests(self.camera.as_ref().map(|(_, since)| *since)),
            all: rests(self.all.as_ref().map(|(_, _, since)| *since)),
        }
    }

    /// Time since when everything visible is unchanged; `None` before the first picture.
    pub(super) fn since(&self) -> Option<Instant> {
        self.all.as_ref().map(|(_, _, since)| *since)
    }

    /// Time until an unchanged picture counts as still.
    pub(super) fn due(&self, now: Instant) -> Duration {
        let since = self.all.as_ref().map_or(now, |(_, _, since)| *since);
        (since + PAUSE + Duration::from_millis(1)).saturating_duration_since(now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lavoxel_base::grid::Grid;
    use lavoxel_render::{Bounds, CameraSpec};

    #[test]
    fn a_slow_machine_gets_fewer_pixels_and_a_fast_one_all_and_smooth_edges() {
        let settle = |ms_whole: f32| {
            let mut resolution = Resolution::default();
            let mut effort = Effort { size: [800, 600], repeats: 1 };
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
        assert!((0.4..0.65).contains(&scale) && repeats == 1, "50 ms of 200 ms are a quarter of the pixels");
        assert_eq!(settle(9000.0), (COARSEST, 1));
    }

    #[test]
    fn a_still_picture_is_drawn_whole_however_slow_the_machine() {
        assert_eq!(still(Quality::Auto { target_fps: 20.0 }, [801, 600]), [801, 600]);
        assert_eq!(still(Quality::Fixed(0.5), [801, 600]), [401, 300]);
        let resolution = Resolution::default();
        let bands = |ms: u64| resolution.bands(Duration::from_millis(ms));
        // Half the resolution was measured: a whole frame takes four times as long.
        assert_eq!([bands(5), bands(140), bands(1_000_000)], [1, 10, 64]);
    }

    #[test]
    fn the_camera_may_rest_while_lava_runs() {
        let camera = |azimuth_deg: f32| {
            let spec = CameraSpec { azimuth_deg, ..CameraSpec::default() };
            Camera::new(&spec, &Bounds::of(Grid::new(9, 9, 9)), (80, 60))
        };
        let view = |azimuth_deg: f32| View {
            camera: camera(azimuth_deg),
            covered: 0,
            quality: Quality::Fixed(1.0),
            cuts_shown: [false; 3],
            volume_shown: true,
            ground_shown: true,
        };
        let (mut rest, start) = (Rest::default(), Instant::now());
        let at = |ms: u64| start + Duration::from_millis(ms);
        assert_eq!(rest.note(&view(10.0), 1, at(0)), Still { camera: false, all: false });
        assert_eq!(rest.note(&view(10.0), 2, at(150)), Still { camera: false, all: false });
        assert_eq!(rest.note(&view(10.0), 3, at(250)), Still { camera: true, all: false });
        assert!(rest.due(at(250)) > PAUSE);
        assert_eq!(rest.note(&view(10.0), 3, at(460)), Still { camera: true, all: true });
        assert_eq!(rest.note(&view(11.0), 3, at(900)), Still { camera: false, all: false });
    }
}
