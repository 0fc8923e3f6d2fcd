//! Key frames of the session's film, which the user adds one by one or derives from a recording.

use lavoxel_render::CameraSpec;
use lavoxel_scene::film::{Ease, FilmKey, FilmSpec, KeyCamera, Plan, Sample, thinned};

/// Time in seconds between the last key frame and a new key frame that is appended at the end.
const APART_S: f64 = 3.0;

/// Smallest time in seconds between neighbouring key frames.
pub(crate) const LEAST_S: f64 = 0.05;

/// Smallest length in seconds of a recording whose camera path becomes key frames.
const SHORTEST_S: f64 = 0.5;

/// Upper bound of the number of camera samples of a recording, which limits the memory: half an
/// hour at 60 frames per second.
const MOST_SAMPLES: usize = 108_000;

/// Key frames that the user edits, time of the preview, and camera path of a recording in progress.
#[derive(Clone, Debug, Default)]
pub(crate) struct KeyFrames {
    /// Key frames in order; invariant: their times ascend strictly and their steps never descend.
    pub(crate) keys: Vec<FilmKey>,
    /// Key frames that a recording has replaced, kept so that the user can restore them; `None` if
    /// none were replaced.
    pub(crate) before: Option<Vec<FilmKey>>,
    /// Time in the film, in seconds, that the preview shows; `None` without a preview.
    pub(crate) preview: Option<f64>,
    /// Camera path of the recording in progress, one sample per frame.
    samples: Vec<Sample>,
}

impl KeyFrames {
    /// Creates the key frames of the film that a scene describes.
    pub(crate) fn from_film(film: &FilmSpec) -> Self {
        Self {
            keys: film.keys.clone(),
            ..Self::default()
        }
    }

    /// Adds a key frame with the camera `camera` at the simulation step `step`, after all key
    /// frames of `step` and of earlier steps. Returns the index of the new key frame.
    pub(crate) fn add(&mut self, step: u64, camera: &CameraSpec) -> usize {
        let at = self
            .keys
            .partition_point(|key| key.step.is_none_or(|other| other <= step));
        let before = at.checked_sub(1).map(|i| self.keys[i].time_s);
        let time_s = match (before, self.keys.get(at).map(|key| key.time_s)) {
            (None, None) => 0.0,
            (Some(before), None) => before + APART_S,
            (Some(before), Some(after)) if after - before >= 2.0 * LEAST_S => {
                0.5 * (before + after)
            }
            (before, Some(_)) => {
                self.keys[at..]
                    .iter_mut()
                    .for_each(|key| key.time_s += APART_S);
                before.map_or(0.0, |before| before + 0.5 * APART_S)
            }
        };
        let camera = KeyCamera {
            azimuth_deg: Some(self.near_azimuth(at, camera)),
            ..KeyCamera::from_spec(camera)
        };
        self.keys.insert(
            at,
            FilmKey {
                time_s,
                step: Some(step),
                ease: Ease::Smooth,
                camera,
            },
        );
        at
    }

    /// Replaces step and camera of the key frame with index `at`.
    ///
    /// # Errors
    /// When `step` does not lie between the steps of the neighbouring key frames.
    pub(crate) fn replace(
        &mut self,
        at: usize,
        step: u64,
        camera: &CameraSpec,
    ) -> Result<(), String> {
        let of = |keys: &[FilmKey], last: bool| {
            let mut steps = keys.iter().filter_map(|key| key.step);
            if last {
                steps.next_back()
            } else {
                steps.next()
            }
        };
        let low = of(&self.keys[..at], true).unwrap_or(0);
        let high = of(&self.keys[at + 1..], false).unwrap_or(u64::MAX);
        if !(low..=high).contains(&step) {
            let range = if high == u64::MAX {
                format!("from step {low} on")
            } else {
                format!("from step {low} to {high}")
            };
            return Err(format!(
                "step {step} does not fit between the keys beside this one: it may be {range}"
            ));
        }
        let azimuth_deg = Some(self.near_azimuth(at, camera));
        let key = &mut self.keys[at];
        (key.step, key.camera) = (
            Some(step),
            KeyCamera {
                azimuth_deg,
                ..KeyCamera::from_spec(camera)
            },
        );
        Ok(())
    }

    /// Returns the range of times in seconds to which the user can move the key frame with index
    /// `at`: between its neighbours, or up to 3600 s for the last.
    pub(crate) fn times(&self, at: usize) -> std::ops::RangeInclusive<f64> {
        let low = at
            .checked_sub(1)
            .map_or(0.0, |i| self.keys[i].time_s + LEAST_S);
        let high = self
            .keys
            .get(at + 1)
            .map_or(3600.0, |key| key.time_s - LEAST_S);
        low..=high.max(low)
    }

    /// Returns the azimuth of `camera` in degrees plus the multiple of 360° with which the film's
    /// camera turns the shorter way from the key frame before index `at`.
    fn near_azimuth(&self, at: usize, camera: &CameraSpec) -> f32 {
        let before = self.keys[..at]
            .iter()
            .rev()
            .find_map(|key| key.camera.azimuth_deg);
        let turns = before.map_or(0.0, |before| {
            ((before - camera.azimuth_deg) / 360.0).round()
        });
        camera.azimuth_deg + 360.0 * turns
    }

    /// Returns the camera of the film at the time `time_s` in seconds. `scene`: the scene's camera,
    /// for values that no key frame sets.
    pub(crate) fn camera(&self, time_s: f64, scene: &CameraSpec) -> CameraSpec {
        let film = FilmSpec {
            keys: self.keys.clone(),
            ..FilmSpec::default()
        };
        Plan::new(&film, scene).camera_at(time_s)
    }

    /// Returns the length of the film in seconds: the time of the last key frame, 0 without key
    /// frames.
    pub(crate) fn seconds(&self) -> f64 {
        self.keys.last().map_or(0.0, |key| key.time_s)
    }

    /// Starts to record the camera path of the recording that begins now, and ends the preview.
    pub(crate) fn begin(&mut self) {
        self.samples.clear();
        self.preview = None;
    }

    /// Adds a sample to the camera path of the recording: time in seconds, simulation step and
    /// camera. Ignores a sample that is not later than the previous one, and samples beyond
    /// `MOST_SAMPLES`.
    pub(crate) fn sample(&mut self, time_s: f64, step: u64, camera: CameraSpec) {
        let is_later = self.samples.last().is_none_or(|last| time_s > last.time_s);
        if is_later && self.samples.len() < MOST_SAMPLES {
            self.samples.push(Sample {
                time_s,
                step,
                camera,
            });
        }
    }

    /// Ends the recording and replaces the key frames by its camera path. Returns the number of key
    /// frames; `None` if the recording was shorter than `SHORTEST_S`, so that the old key frames
    /// stay.
    pub(crate) fn end(&mut self) -> Option<usize> {
        let samples = std::mem::take(&mut self.samples);
        let (first, last) = (samples.first()?, samples.last()?);
        if last.time_s - first.time_s < SHORTEST_S {
            return None;
        }
        let keys = thinned(&samples);
        let before = std::mem::replace(&mut self.keys, keys);
        self.before = Some(before).filter(|before| !before.is_empty());
        Some(self.keys.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn camera(azimuth_deg: f32) -> CameraSpec {
        CameraSpec {
            azimuth_deg,
            distance: Some(1.0),
            target: Some([0.5; 3]),
            ..CameraSpec::default()
        }
    }

    fn is_valid(film: &KeyFrames) -> bool {
        FilmSpec {
            keys: film.keys.clone(),
            steps: 100_000,
            ..FilmSpec::default()
        }
        .validate()
        .is_ok()
    }

    #[test]
    fn keys_are_added_in_the_order_of_their_steps() {
        let mut film = KeyFrames::default();
        for (step, place) in [(100, 0), (300, 1), (200, 1), (300, 3), (0, 0), (100, 2)] {
            assert_eq!(film.add(step, &camera(10.0)), place);
            assert!(is_valid(&film), "{:?}", film.keys);
        }
        (0..40).for_each(|_| {
            film.add(150, &camera(10.0));
        });
        assert!(is_valid(&film), "many between two keys");
        assert!(
            film.replace(0, 101, &camera(0.0))
                .is_err_and(|text| text.contains("from step 0 to 100"))
        );
        assert_eq!(film.replace(0, 50, &camera(30.0)), Ok(()));
        assert!(is_valid(&film) && film.keys[0].camera.azimuth_deg == Some(30.0));
    }

    #[test]
    fn a_turn_past_north_goes_the_short_way() {
        let mut film = KeyFrames::default();
        [350.0, 10.0, 340.0]
            .into_iter()
            .enumerate()
            .for_each(|(n, deg)| {
                film.add(n as u64, &camera(deg));
            });
        assert_eq!(
            film.keys
                .iter()
                .filter_map(|key| key.camera.azimuth_deg)
                .collect::<Vec<_>>(),
            [350.0, 370.0, 340.0]
        );
        let between = film.camera(1.5, &camera(0.0)).azimuth_deg;
        assert!((350.0..370.0).contains(&between), "{between}");
    }

    #[test]
    fn a_recording_takes_the_place_of_the_keys_and_these_are_kept() {
        let mut film = KeyFrames::default();
        assert_eq!(film.end(), None, "nothing was recorded");
        film.add(5, &camera(0.0));
        let by_hand = film.keys.clone();
        film.begin();
        film.sample(0.0, 9, camera(0.0));
        assert_eq!((film.end(), &film.keys), (None, &by_hand), "too short");
        film.begin();
        (0..100)
            .for_each(|n| film.sample(f64::from(n) / 20.0, 3 * n as u64, camera(2.0 * n as f32)));
        film.sample(4.0, 1000, camera(0.0));
        let count = film.end().expect("recorded");
        assert!((2..20).contains(&count) && is_valid(&film), "{count}");
        assert_eq!(
            (film.before.clone(), film.keys[0].time_s, film.seconds()),
            (Some(by_hand), 0.0, 4.95)
        );
        assert_eq!(film.keys.last().and_then(|key| key.step), Some(297));
    }
}
