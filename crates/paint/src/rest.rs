//! Detector of still pictures, which are worth more drawing time than moving ones.

use std::time::Duration;

use web_time::Instant;

use super::View;
use lavoxel_render::Camera;

/// Time without a change after which the picture is drawn as a still picture, in full resolution.
const PAUSE: Duration = Duration::from_millis(200);

/// Detector of still pictures: stores the last view and content counter, and the time at which each
/// of the two last changed.
#[derive(Clone, Debug, Default)]
pub struct Rest {
    camera: Option<(Camera, Instant)>,
    all: Option<(View, u64, Instant)>,
}

/// Flags that tell what has not changed for longer than `PAUSE` (200 ms), so that a refined picture
/// is worth its drawing time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Still {
    /// Set if the camera has not changed for longer than `PAUSE`.
    pub camera: bool,
    /// Set if neither the view (including the camera) nor the content has changed for longer than
    /// `PAUSE`.
    pub all: bool,
}

impl Rest {
    /// Records the view and the content counter of the picture drawn at the time `now`; returns
    /// flags for those unchanged for longer than `PAUSE`. `content`: counter of all visible changes
    /// except those of the view.
    pub fn note(&mut self, view: &View, content: u64, now: Instant) -> Still {
        if self
            .all
            .as_ref()
            .is_none_or(|(last, of, _)| last != view || *of != content)
        {
            self.all = Some((view.clone(), content, now));
        }
        if self
            .camera
            .as_ref()
            .is_none_or(|(last, _)| *last != view.camera)
        {
            self.camera = Some((view.camera.clone(), now));
        }
        let rests =
            |since: Option<Instant>| since.is_some_and(|since| now.duration_since(since) > PAUSE);
        Still {
            camera: rests(self.camera.as_ref().map(|(_, since)| *since)),
            all: rests(self.all.as_ref().map(|(_, _, since)| *since)),
        }
    }

    /// Returns the time of the last change of view or content; `None` before the first picture.
    pub fn since(&self) -> Option<Instant> {
        self.all.as_ref().map(|(_, _, since)| *since)
    }

    /// Returns the time from `now` until the picture counts as still, if nothing changes until
    /// then.
    pub fn due(&self, now: Instant) -> Duration {
        let since = self.all.as_ref().map_or(now, |(_, _, since)| *since);
        (since + PAUSE + Duration::from_millis(1)).saturating_duration_since(now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lavoxel_base::grid::Grid;
    use lavoxel_render::running::Quality;
    use lavoxel_render::{Bounds, CameraSpec};

    #[test]
    fn the_camera_may_rest_while_lava_runs() {
        let camera = |azimuth_deg: f32| {
            let spec = CameraSpec {
                azimuth_deg,
                ..CameraSpec::default()
            };
            Camera::new(&spec, &Bounds::from_grid(Grid::new(9, 9, 9)), (80, 60))
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
        assert_eq!(
            rest.note(&view(10.0), 1, at(0)),
            Still {
                camera: false,
                all: false
            }
        );
        assert_eq!(
            rest.note(&view(10.0), 2, at(150)),
            Still {
                camera: false,
                all: false
            }
        );
        assert_eq!(
            rest.note(&view(10.0), 3, at(250)),
            Still {
                camera: true,
                all: false
            }
        );
        assert!(rest.due(at(250)) > PAUSE);
        assert_eq!(
            rest.note(&view(10.0), 3, at(460)),
            Still {
                camera: true,
                all: true
            }
        );
        assert_eq!(
            rest.note(&view(11.0), 3, at(900)),
            Still {
                camera: false,
                all: false
            }
        );
    }
}
