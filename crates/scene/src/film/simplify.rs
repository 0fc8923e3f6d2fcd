//! Reduction of a recorded camera path to a few key frames that reproduce it within a tolerance.

use super::curve::{Curve, Knot};
use super::{Ease, FilmKey, KeyCamera, MAX_KEYS};
use lavoxel_automaton::view::CameraSpec;

/// Sample of a recorded camera path: time, simulation step and camera.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// Time of the sample in seconds from the start of the recording.
    pub time_s: f64,
    /// Number of simulation steps completed at `time_s`.
    pub step: u64,
    /// Camera at `time_s`; its distance and its target must be set.
    pub camera: CameraSpec,
}

/// Number of values per sample: step, azimuth, elevation, logarithm of the distance, target (x, y,
/// z), field of view.
const NUMBERS: usize = 8;

/// Tolerances of the values of a sample, in the order of `NUMBERS`: steps; degrees; degrees;
/// natural logarithm; fractions of the simulation box (three); degrees. The tolerance of the step
/// is larger if the recording makes many steps per second.
const SLACK: [f64; NUMBERS] = [1.0, 0.2, 0.2, 0.004, 0.0015, 0.0015, 0.0015, 0.1];

/// Largest difference, in seconds of film time, between the times at which the recording and the
/// film show a step.
const LATE_S: f64 = 0.1;

/// Returns a few key frames of a film that reproduces the recording `samples`, whose times must
/// ascend. After a rewind during the recording, the step stays constant until the recording exceeds
/// its earlier maximum.
pub fn thinned(samples: &[Sample]) -> Vec<FilmKey> {
    let all = numbers(samples);
    let (Some(first), Some(last)) = (samples.first(), samples.len().checked_sub(1)) else {
        return Vec::new();
    };
    let times: Vec<f64> = samples
        .iter()
        .map(|sample| sample.time_s - first.time_s)
        .collect();
    let mut slack = SLACK;
    let lasted = times[last].max(1e-3);
    slack[0] = (LATE_S * (all[last][0] - all[0][0]) / lasted).max(1.0);
    // Greedy refinement: starts with both ends, and adds the worst sample of each gap until all
    // samples are within tolerance.
    let mut kept: Vec<usize> = if last > 0 { vec![0, last] } else { vec![0] };
    while kept.len() < MAX_KEYS {
        let more = worst(&kept, &times, &all, &slack);
        if more.is_empty() {
            break;
        }
        kept.extend(more);
        kept.sort_unstable();
        kept.truncate(MAX_KEYS);
    }
    let key = |(place, &i): (usize, &usize)| {
        let [step, azimuth, elevation, distance, x, y, z, fov] = all[i];
        let camera = KeyCamera {
            azimuth_deg: Some(azimuth as f32),
            elevation_deg: Some(elevation as f32),
            distance: samples[i].camera.distance.map(|_| distance.exp() as f32),
            target: samples[i]
                .camera
                .target
                .map(|_| [x, y, z].map(|share| share as f32)),
            fov_deg: Some(fov as f32),
        };
        FilmKey {
            time_s: times[i],
            step: Some(step as u64),
            ease: ease(place, kept.len()),
            camera,
        }
    };
    kept.iter().enumerate().map(key).collect()
}

/// Returns the interpolation between the key frames with the indices `place` and `place + 1` of
/// `keys` key frames: linear in the first and the last interval, because a recording begins and
/// ends in motion, and smooth in between.
fn ease(place: usize, keys: usize) -> Ease {
    if place == 0 || place + 2 == keys {
        Ease::Linear
    } else {
        Ease::Smooth
    }
}

/// Returns the index of the sample that deviates most from the curves through the samples `kept`
/// (indices), for each interval between two kept samples in which a deviation exceeds the
/// tolerances `slack`. `times`: seconds; `all`: values of each sample.
fn worst(
    kept: &[usize],
    times: &[f64],
    all: &[[f64; NUMBERS]],
    slack: &[f64; NUMBERS],
) -> Vec<usize> {
    let curve = |k: usize| {
        let knot = |(place, &i): (usize, &usize)| Knot {
            time_s: times[i],
            value: all[i][k],
            ease: ease(place, kept.len()),
        };
        Curve::new(kept.iter().enumerate().map(knot).collect())
    };
    let curves: [Curve; NUMBERS] = std::array::from_fn(curve);
    let off = |i: usize| {
        let off =
            |k: usize| (curves[k].at(times[i]).unwrap_or(f64::NAN) - all[i][k]).abs() / slack[k];
        (0..NUMBERS).map(off).fold(0.0, f64::max)
    };
    let between = kept.windows(2).filter_map(|pair| {
        let (i, most) = (pair[0] + 1..pair[1])
            .map(|i| (i, off(i)))
            .max_by(|a, b| a.1.total_cmp(&b.1))?;
        (most > 1.0).then_some(i)
    });
    between.collect()
}

/// Returns the values of each sample, in the order of `NUMBERS`: azimuths continue beyond 360°, and
/// steps never decrease.
fn numbers(samples: &[Sample]) -> Vec<[f64; NUMBERS]> {
    let mut all: Vec<[f64; NUMBERS]> = Vec::with_capacity(samples.len());
    for Sample { step, camera, .. } in samples {
        let [x, y, z] = camera.target.unwrap_or_default().map(f64::from);
        let last = all.last();
        let azimuth = f64::from(camera.azimuth_deg);
        let turns = last.map_or(0.0, |last| ((last[1] - azimuth) / 360.0).round());
        let step = last.map_or(0.0, |last| last[0]).max(*step as f64);
        let distance = f64::from(camera.distance.unwrap_or(1.0)).ln();
        all.push([
            step,
            azimuth + 360.0 * turns,
            camera.elevation_deg.into(),
            distance,
            x,
            y,
            z,
            camera.fov_deg.into(),
        ]);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::super::{FilmSpec, Plan};
    use super::*;

    fn sample(time_s: f64, step: u64, azimuth_deg: f32, distance: f32) -> Sample {
        let camera = CameraSpec {
            azimuth_deg: azimuth_deg.rem_euclid(360.0),
            distance: Some(distance),
            target: Some([0.5, 0.25, 0.5]),
            ..CameraSpec::default()
        };
        Sample {
            time_s,
            step,
            camera,
        }
    }

    /// Returns a film with the key frames to which the recording `samples` is reduced.
    fn film(samples: &[Sample]) -> FilmSpec {
        FilmSpec {
            keys: thinned(samples),
            steps: 1_000_000,
            ..FilmSpec::default()
        }
    }

    #[test]
    fn a_film_goes_the_way_of_the_recording_through_few_keys() {
        // A rest, one and a half turns with an approach, and a rest.
        let samples: Vec<Sample> = (0..400)
            .map(|n| {
                let time_s = n as f64 / 20.0;
                let share = ((time_s - 4.0) / 10.0).clamp(0.0, 1.0) as f32;
                let eased = share * share * (3.0 - 2.0 * share);
                sample(
                    time_s,
                    3 * n,
                    200.0 + 540.0 * eased,
                    2.0 * 0.25f32.powf(eased),
                )
            })
            .collect();
        let film = film(&samples);
        assert_eq!(film.validate(), Ok(()));
        assert!(film.keys.len() < 40, "{} keys", film.keys.len());
        let plan = Plan::new(&film, &CameraSpec::default());
        assert_eq!(plan.frames(), 400);
        let mut turned = 0.0;
        for (n, sample) in samples.iter().enumerate() {
            let shot = plan.shot(n as u64);
            assert!(
                shot.step.abs_diff(sample.step) <= 7,
                "frame {n}: {} for {}",
                shot.step,
                sample.step
            );
            let apart = (shot.camera.azimuth_deg - sample.camera.azimuth_deg).rem_euclid(360.0);
            assert!(apart.min(360.0 - apart) < 0.3, "frame {n}");
            let distance =
                shot.camera.distance.expect("given") / sample.camera.distance.expect("given");
            assert!((distance - 1.0).abs() < 0.01, "frame {n}: {distance}");
            turned = shot.camera.azimuth_deg - samples[0].camera.azimuth_deg;
        }
        assert!((turned - 540.0).abs() < 0.1, "{turned}");
    }

    #[test]
    fn a_camera_at_rest_needs_two_keys_and_a_rewind_no_step_back() {
        let still: Vec<Sample> = (0..200)
            .map(|n| sample(2.0 + n as f64 / 20.0, 4 * n, 90.0, 1.0))
            .collect();
        let keys = thinned(&still);
        assert!(keys.len() == 2 && keys[0].time_s == 0.0, "{keys:?}");
        let back: Vec<Sample> = [10, 60, 20, 40, 90]
            .into_iter()
            .enumerate()
            .map(|(n, step)| sample(n as f64, step, 0.0, 1.0))
            .collect();
        let film = film(&back);
        assert_eq!(film.validate(), Ok(()));
        assert_eq!(film.keys.iter().filter_map(|key| key.step).max(), Some(90));
        assert_eq!((thinned(&[]), thinned(&still[..1]).len()), (Vec::new(), 1));
    }
}
