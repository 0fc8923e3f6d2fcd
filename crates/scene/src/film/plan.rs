//! Plan of a film: simulation step and camera of every frame.

use super::curve::{Curve, Knot};
use super::{FilmKey, FilmSpec, KeyCamera, Move};
use lavoxel_automaton::view::CameraSpec;

/// Simulation step and camera that one frame of a film shows.
#[derive(Clone, Debug, PartialEq)]
pub struct Shot {
    /// Number of completed simulation steps of the state that the frame shows.
    pub step: u64,
    /// Camera of the frame. For a camera that follows the lava, the caller sets the target with a
    /// `Follower`.
    pub camera: CameraSpec,
    /// Position of the frame between the first frame (0) and the last one (1) of the moving part of
    /// the film; frames that repeat the last picture have the value 1.
    pub share: f64,
}

/// Plan of a film: step and camera of each frame, computed from the scene file alone, without
/// simulation.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    film: FilmSpec,
    path: CameraPath,
    steps: Curve,
    /// Number of frames before the last picture is repeated, at least 1.
    moving: u64,
}

impl Plan {
    /// Creates the plan of the validated film `film`. `camera`: camera of the scene, for camera
    /// values that no key frame gives.
    pub fn new(film: &FilmSpec, camera: &CameraSpec) -> Self {
        let given = |key: &FilmKey| key.step.map(|step| knot(key, step as f64));
        let moving = match film.keys.last() {
            Some(last) => (last.time_s * f64::from(film.fps)).round() as u64 + 1,
            None => film.steps.div_ceil(film.every.max(1)) + 1,
        };
        Self {
            film: film.clone(),
            path: CameraPath::new(&film.keys, camera),
            steps: Curve::new(film.keys.iter().filter_map(given).collect()),
            moving,
        }
    }

    /// Returns the total number of frames, including repetitions of the last picture.
    pub fn frames(&self) -> u64 {
        self.moving + (self.film.hold_s * f64::from(self.film.fps)).round() as u64
    }

    /// Returns the frame rate of the film in frames per second.
    pub fn fps(&self) -> u32 {
        self.film.fps
    }

    /// Returns the camera movement of the film if the camera target follows the lava; otherwise
    /// `None`.
    pub fn follows(&self) -> Option<Move> {
        self.film.camera_move.filter(|one| one.follows())
    }

    /// Returns true if each frame shows a different step, so that the step identifies the frame:
    /// the film has neither key frames nor repetitions of the last picture.
    pub fn is_by_steps(&self) -> bool {
        self.film.keys.is_empty() && self.moving == self.frames()
    }

    /// Returns step and camera of the frame with the index `frame`, counted from 0; for frames that
    /// repeat the last picture, step and camera of the last picture.
    pub fn shot(&self, frame: u64) -> Shot {
        let frame = frame.min(self.moving - 1);
        let Some(last) = self.film.keys.last() else {
            return self.of_step(frame.saturating_mul(self.film.every).min(self.film.steps));
        };
        // Rounding to whole frames may miss the last key: the last moving frame is moved onto that
        // key.
        let is_last = frame + 1 == self.moving;
        let time_s = if is_last {
            last.time_s
        } else {
            (frame as f64 / f64::from(self.film.fps)).min(last.time_s)
        };
        let share = if is_last { 1.0 } else { time_s / last.time_s };
        let even = share * self.film.steps as f64;
        let step = self.steps.at(time_s).unwrap_or(even).round() as u64;
        Shot {
            step,
            camera: self.turned(self.path.at(time_s), share),
            share,
        }
    }

    /// Returns true if the frame with the index `frame` shows the same step and camera as the frame
    /// before; always false if the camera follows the lava.
    pub fn repeats(&self, frame: u64) -> bool {
        let same = |a: &Shot, b: &Shot| a.step == b.step && a.camera == b.camera;
        frame > 0 && self.follows().is_none() && same(&self.shot(frame - 1), &self.shot(frame))
    }

    /// Returns the camera that the key frames define at `time_s` (seconds of film time), without
    /// the camera movement of the film.
    pub fn camera_at(&self, time_s: f64) -> CameraSpec {
        self.path.at(time_s)
    }

    /// Returns step and camera of the frame with the index `frame` if the simulation ended early,
    /// so that the frame shows the step `step` instead of the planned one.
    pub fn early(&self, frame: u64, step: u64) -> Shot {
        let shot = self.shot(frame);
        if self.film.keys.is_empty() {
            self.of_step(step)
        } else {
            Shot { step, ..shot }
        }
    }

    /// Returns step and camera of the frame that shows the simulation step `step`, for a film
    /// without key frames.
    fn of_step(&self, step: u64) -> Shot {
        let share = step as f64 / self.film.steps.max(1) as f64;
        Shot {
            step,
            camera: self.turned(self.path.at(0.0), share),
            share,
        }
    }

    /// Returns the simulation step that the last frame of the film shows.
    pub fn last_step(&self) -> u64 {
        self.shot(u64::MAX).step
    }

    /// Returns `camera` rotated about its target by the fraction `share` (0 to 1) of the film's
    /// orbit angle and, for a turntable, of a full turn.
    fn turned(&self, mut camera: CameraSpec, share: f64) -> CameraSpec {
        let whole = if self.film.camera_move == Some(Move::Turntable) {
            360.0
        } else {
            0.0
        };
        camera.azimuth_deg += (self.film.orbit_deg + whole) * share as f32;
        camera
    }
}

/// Path of the camera through the key frames: one curve over film time per camera parameter.
#[derive(Clone, Debug, PartialEq)]
struct CameraPath {
    camera: CameraSpec,
    azimuth: Curve,
    elevation: Curve,
    distance: Curve,
    target: [Curve; 3],
    fov: Curve,
}

impl CameraPath {
    /// Creates the path through `keys`; parameters that no key frame gives are taken from `camera`.
    fn new(keys: &[FilmKey], camera: &CameraSpec) -> Self {
        let knots = |value: &dyn Fn(&KeyCamera) -> Option<f64>| -> Vec<Knot> {
            keys.iter()
                .filter_map(|key| Some(knot(key, value(&key.camera)?)))
                .collect()
        };
        let curve = |value: &dyn Fn(&KeyCamera) -> Option<f64>| Curve::new(knots(value));
        Self {
            camera: camera.clone(),
            azimuth: curve(&|key| key.azimuth_deg.map(f64::from)),
            elevation: curve(&|key| key.elevation_deg.map(f64::from)),
            distance: Curve::of_shares(knots(&|key| key.distance.map(f64::from))),
            target: [0, 1, 2]
                .map(|axis| curve(&|key| key.target.map(|target| f64::from(target[axis])))),
            fov: curve(&|key| key.fov_deg.map(f64::from)),
        }
    }

    /// Returns the camera at `time_s` (seconds of film time); before the first and after the last
    /// key frame, the camera of that key frame.
    fn at(&self, time_s: f64) -> CameraSpec {
        let number =
            |curve: &Curve, scene: f32| curve.at(time_s).map_or(scene, |value| value as f32);
        let target = || {
            Some([
                self.target[0].at(time_s)?,
                self.target[1].at(time_s)?,
                self.target[2].at(time_s)?,
            ])
        };
        CameraSpec {
            azimuth_deg: number(&self.azimuth, self.camera.azimuth_deg),
            elevation_deg: number(&self.elevation, self.camera.elevation_deg),
            distance: self
                .distance
                .at(time_s)
                .map(|distance| distance as f32)
                .or(self.camera.distance),
            target: target()
                .map(|target| target.map(|share| share as f32))
                .or(self.camera.target),
            fov_deg: number(&self.fov, self.camera.fov_deg),
            ..self.camera.clone()
        }
    }
}

fn knot(key: &FilmKey, value: f64) -> Knot {
    Knot {
        time_s: key.time_s,
        value,
        ease: key.ease,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::Ease;
    use super::*;

    fn camera() -> impl Strategy<Value = KeyCamera> {
        let maybe = |low: f32, high: f32| prop::option::of(low..high);
        (
            maybe(-720.0, 720.0),
            maybe(-80.0, 80.0),
            maybe(0.05, 5.0),
            prop::option::of(
                [-1.0..2.0f32, 0.0..1.0, -1.0..2.0].prop_map(|[x, y, z]: [f32; 3]| [x, y, z]),
            ),
            maybe(10.0, 90.0),
        )
            .prop_map(|(azimuth_deg, elevation_deg, distance, target, fov_deg)| {
                KeyCamera {
                    azimuth_deg,
                    elevation_deg,
                    distance,
                    target,
                    fov_deg,
                }
            })
    }

    /// Returns a strategy for films whose key frames coincide with frames of the film.
    fn films() -> impl Strategy<Value = FilmSpec> {
        let ease = prop_oneof![Just(Ease::Smooth), Just(Ease::Linear), Just(Ease::Hold)];
        let key = (1..40u64, prop::option::of(0..300u64), ease, camera());
        (prop::collection::vec(key, 1..6), 1..=60u32, 0.0..3.0f64).prop_map(
            |(parts, fps, hold_s)| {
                let (mut frame, mut made) = (0, 0);
                let key = |(wait, steps, ease, camera): (u64, Option<u64>, _, _)| {
                    frame += wait;
                    made += steps.unwrap_or(0);
                    FilmKey {
                        time_s: frame as f64 / f64::from(fps),
                        step: steps.map(|_| made),
                        ease,
                        camera,
                    }
                };
                let keys = parts.into_iter().map(key).collect();
                FilmSpec {
                    fps,
                    hold_s,
                    keys,
                    ..FilmSpec::default()
                }
            },
        )
    }

    /// Returns azimuth (degrees), elevation (degrees), logarithm of the distance, target (x, y, z)
    /// and field of view (degrees) of `camera`.
    fn numbers(camera: &CameraSpec) -> [f64; 7] {
        let [x, y, z] = camera.target.unwrap_or_default().map(f64::from);
        let distance = f64::from(camera.distance.unwrap_or(1.0)).ln();
        [
            camera.azimuth_deg.into(),
            camera.elevation_deg.into(),
            distance,
            x,
            y,
            z,
            camera.fov_deg.into(),
        ]
    }

    proptest! {
        #[test]
        fn steps_never_fall_and_every_frame_is_there(film in films()) {
            prop_assert_eq!(film.validate(), Ok(()));
            let plan = Plan::new(&film, &CameraSpec::default());
            let last = film.keys.last().expect("a film has keys");
            let seconds = last.time_s + film.hold_s;
            prop_assert!((plan.frames() as f64 - 1.0 - seconds * f64::from(film.fps)).abs() <= 1.0);
            let shots: Vec<_> = (0..plan.frames()).map(|n| plan.shot(n)).collect();
            prop_assert!(shots.windows(2).all(|pair| pair[0].step <= pair[1].step && pair[0].share <= pair[1].share));
            prop_assert!(shots.iter().all(|shot| shot.step <= film.steps && shot.camera.validate().is_ok()));
            let held = (film.hold_s * f64::from(film.fps)).round() as usize;
            prop_assert!(shots[shots.len() - 1 - held..].windows(2).all(|pair| pair[0] == pair[1]));
            prop_assert_eq!(plan.shot(u64::MAX), shots[shots.len() - 1].clone());
            if film.keys.iter().all(|key| key.step.is_none()) {
                prop_assert_eq!(plan.last_step(), film.steps);
            }
        }

        #[test]
        fn frames_at_keys_show_exactly_what_the_keys_say(film in films()) {
            let scene = CameraSpec::default();
            let plan = Plan::new(&film, &scene);
            for key in &film.keys {
                let shot = plan.shot((key.time_s * f64::from(film.fps)).round() as u64);
                prop_assert!(key.step.is_none_or(|step| step == shot.step));
                let KeyCamera { azimuth_deg, elevation_deg, distance, target, fov_deg } = &key.camera;
                prop_assert!(azimuth_deg.is_none_or(|given| given == shot.camera.azimuth_deg));
                prop_assert!(elevation_deg.is_none_or(|given| given == shot.camera.elevation_deg));
                prop_assert!(distance.is_none_or(|given| Some(given) == shot.camera.distance));
                prop_assert!(target.is_none_or(|given| Some(given) == shot.camera.target));
                prop_assert!(fov_deg.is_none_or(|given| given == shot.camera.fov_deg));
            }
            let none = |get: fn(&KeyCamera) -> bool| film.keys.iter().all(|key| !get(&key.camera));
            let shot = plan.shot(1);
            prop_assert!(!none(|key| key.fov_deg.is_some()) || shot.camera.fov_deg == scene.fov_deg);
            prop_assert!(!none(|key| key.target.is_some()) || shot.camera.target == scene.target);
        }

        #[test]
        fn between_frames_nothing_jumps_further_than_its_keys_demand(mut film in films()) {
            film.keys.iter_mut().filter(|key| key.ease == Ease::Hold).for_each(|key| key.ease = Ease::Smooth);
            let plan = Plan::new(&film, &CameraSpec::default());
            // A monotone cubic is at most three times as steep as its chord.
            let path = CameraPath::new(&film.keys, &CameraSpec::default());
            let frame = 1.0 / f64::from(film.fps);
            let knots = |k: usize| -> Vec<(f64, f64)> {
                let gives = |key: &&FilmKey| match k {
                    0 => key.camera.azimuth_deg.is_some(),
                    1 => key.camera.elevation_deg.is_some(),
                    2 => key.camera.distance.is_some(),
                    6 => key.camera.fov_deg.is_some(),
                    _ => key.camera.target.is_some(),
                };
                film.keys.iter().filter(gives).map(|key| (key.time_s, numbers(&path.at(key.time_s))[k])).collect()
            };
            let steepest = |k: usize| {
                knots(k).windows(2).map(|p| 3.0 * (p[1].1 - p[0].1).abs() / (p[1].0 - p[0].0)).fold(0.0, f64::max)
            };
            let steepest: Vec<f64> = (0..7).map(steepest).collect();
            for n in 1..plan.frames() {
                let [a, b] = [n - 1, n].map(|n| numbers(&plan.shot(n).camera));
                for k in 0..7 {
                    let most = steepest[k] * frame * 1.001 + 1e-3;
                    prop_assert!((a[k] - b[k]).abs() <= most, "number {} of frame {}: {} to {}, at most {}", k, n, a[k], b[k], most);
                }
            }
        }

        #[test]
        fn a_film_without_keys_has_a_frame_every_so_many_steps(steps in 0..2000u64, every in 1..300u64, orbit_deg in -400.0..400.0f32) {
            let film = FilmSpec { steps, every, orbit_deg, ..FilmSpec::default() };
            let camera = CameraSpec::default();
            let plan = Plan::new(&film, &camera);
            let mut wanted: Vec<u64> = (0..steps).step_by(every as usize).collect();
            wanted.push(steps);
            prop_assert_eq!((0..plan.frames()).map(|n| plan.shot(n).step).collect::<Vec<_>>(), wanted.clone());
            for (n, step) in wanted.into_iter().enumerate() {
                let turned = orbit_deg * (step as f64 / steps.max(1) as f64) as f32;
                let there = CameraSpec { azimuth_deg: camera.azimuth_deg + turned, ..camera.clone() };
                prop_assert_eq!(plan.shot(n as u64).camera, there);
            }
        }
    }

    #[test]
    fn a_turntable_comes_back_and_an_azimuth_goes_the_way_it_is_written() {
        let key = |time_s, azimuth_deg| FilmKey {
            time_s,
            ease: Ease::Linear,
            camera: KeyCamera {
                azimuth_deg: Some(azimuth_deg),
                ..KeyCamera::default()
            },
            ..FilmKey::default()
        };
        let film = FilmSpec {
            keys: vec![key(0.0, 0.0), key(4.0, 360.0)],
            ..FilmSpec::default()
        };
        let plan = Plan::new(&film, &CameraSpec::default());
        assert_eq!(
            [0, 20, 40, 80].map(|n| plan.shot(n).camera.azimuth_deg),
            [0.0, 90.0, 180.0, 360.0]
        );
        let turning = FilmSpec {
            camera_move: Some(Move::Turntable),
            every: 1500,
            ..FilmSpec::default()
        };
        let plan = Plan::new(&turning, &CameraSpec::default());
        assert_eq!(
            [0, 1, 2].map(|n| plan.shot(n).camera.azimuth_deg),
            [150.0, 330.0, 510.0]
        );
    }

    #[test]
    fn one_key_is_one_frame() {
        let film = FilmSpec {
            keys: vec![FilmKey {
                step: Some(7),
                ..FilmKey::default()
            }],
            ..FilmSpec::default()
        };
        let plan = Plan::new(&film, &CameraSpec::default());
        assert_eq!(
            (plan.frames(), plan.shot(0).step, plan.shot(0).share),
            (1, 7, 1.0)
        );
    }
}
