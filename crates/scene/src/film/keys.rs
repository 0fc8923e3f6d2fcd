//! Tables of a scene file that describe a film: length, size, camera movement and key frames.

use serde::{Deserialize, Serialize};

use super::NotesSpec;
use lavoxel_automaton::view::CameraSpec;
use lavoxel_base::param::{Table, table, words};
use lavoxel_base::validate::{Invalid, within};

/// Upper bound on the number of key frames of a film.
pub const MAX_KEYS: usize = 10_000;

/// Upper bound on the width and on the height of a film's pictures, in pixels.
const MAX_PIXELS: f64 = 8192.0;

/// Upper bound on the duration of a film, in seconds.
const LONGEST_S: f64 = 36_000.0;

/// Upper bound on the number of simulation steps of a film.
const MOST_STEPS: f64 = 1e9;

/// Interpolation of step and camera from one key frame to the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ease {
    /// Smooth curve that stays within the values of both key frames.
    #[default]
    Smooth,
    /// Linear interpolation between the values of both key frames.
    Linear,
    /// Constant value: that of the earlier key frame, up to the next key frame.
    Hold,
}

impl Ease {
    /// All kinds of interpolation, in the order of menus.
    pub const ALL: [Self; 3] = [Self::Smooth, Self::Linear, Self::Hold];

    /// Returns the name that the kind of interpolation has in scene files.
    pub fn word(self) -> &'static str {
        match self {
            Self::Smooth => "smooth",
            Self::Linear => "linear",
            Self::Hold => "hold",
        }
    }

    fn is_smooth(&self) -> bool {
        *self == Self::Smooth
    }
}

/// Predefined movements of the camera in a film, which need no key frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Move {
    /// The camera moves once around the target during the film.
    Turntable,
    /// The camera target moves from the vent along the lava to its front during the film.
    AlongFront,
    /// The camera target stays at the front of the lava while the front advances.
    FollowFront,
}

impl Move {
    /// All movements as tuples (movement, name in scene files, description).
    pub const ALL: [(Self, &'static str, &'static str); 3] = [
        (
            Self::Turntable,
            "turntable",
            "Once round the target, from the first frame to the last",
        ),
        (
            Self::AlongFront,
            "along-front",
            "Along the lava, from where it comes out to its front",
        ),
        (
            Self::FollowFront,
            "follow-front",
            "With the front of the lava",
        ),
    ];

    /// Returns true if the camera target of this movement depends on the position of the lava.
    pub fn follows(self) -> bool {
        self != Self::Turntable
    }
}

words!(Ease, Move);

table! {
    /// Camera of a key frame. A number that is left out is interpolated between the key frames that
    /// give it; where none does, it is that of the scene's camera.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct KeyCamera {
        /// Compass direction from the target to the camera, which turns exactly as the numbers say:
        /// from 0 to 360 is a whole turn.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub azimuth_deg: Option<f32> = None, [-36_000.0, 36_000.0] "°";
        /// Angle of the camera above the horizontal plane through the target.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub elevation_deg: Option<f32> = None, [-89.0, 89.0] "°";
        /// Distance from camera to target, in diagonals of the shown box.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub distance: Option<f32> = None, [0.01, 100.0] "diagonals";
        /// Target of the camera, as shares of the shown box along x, y and z.
        #[serde(deserialize_with = "lavoxel_base::fixed_len::option", skip_serializing_if = "Option::is_none")]
        pub target: Option<[f32; 3]> = None, [-10.0, 10.0] "shares";
        /// Vertical field of view.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub fov_deg: Option<f32> = None, [5.0, 120.0] "°";
    }
}

impl KeyCamera {
    /// Creates the camera of a key frame with the values of `camera`. A distance or a target that
    /// `camera` leaves to be chosen automatically is left out.
    pub fn from_spec(camera: &CameraSpec) -> Self {
        Self {
            azimuth_deg: Some(camera.azimuth_deg),
            elevation_deg: Some(camera.elevation_deg),
            distance: camera.distance,
            target: camera.target,
            fov_deg: Some(camera.fov_deg),
        }
    }

    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

table! {
    /// Key frame: the step and the camera at a time of the film.
    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    pub struct FilmKey {
        /// Time of the key frame in the film; rises from key frame to key frame.
        must pub time_s: f64, [0.0, LONGEST_S] "s";
        /// Step of the simulation that the film shows at this time, never less than at the key
        /// frame before. Left out: interpolated between the key frames that give it; where none
        /// does, it rises evenly from 0 to `film.steps`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        may pub step: Option<u64>, [0.0, MOST_STEPS] "steps";
        /// Interpolation of step and camera up to the next key frame that gives them: `"smooth"`,
        /// `"linear"` or `"hold"` (no change until then).
        #[serde(default, skip_serializing_if = "Ease::is_smooth")]
        may pub ease: Ease;
        /// Camera at this time, with the keys of `camera`; each may be left out.
        #[serde(default, skip_serializing_if = "KeyCamera::is_empty")]
        may pub camera: KeyCamera;
    }
}

table! {
    /// Length, size and movements of the film that `render` makes of the scene.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct FilmSpec {
        /// Number of steps of the film; a film whose key frames give steps ends at theirs.
        pub steps: u64 = 3000, [0.0, MOST_STEPS] "steps";
        /// Number of steps from one frame to the next, in a film without key frames.
        pub every: u64 = 30, [1.0, MOST_STEPS] "steps";
        /// Width and height of a frame of the film.
        #[serde(deserialize_with = "lavoxel_base::fixed_len::list")]
        pub size: [u32; 2] = [960, 640], [1.0, MAX_PIXELS] "pixels";
        /// Width and height of the single picture of the last step.
        #[serde(deserialize_with = "lavoxel_base::fixed_len::list")]
        pub picture_size: [u32; 2] = [1440, 960], [1.0, MAX_PIXELS] "pixels";
        /// Number of frames shown in a second.
        pub fps: u32 = 20, [1.0, 60.0] "1/s";
        /// Angle by which the camera turns about its target from the first frame to the last.
        pub orbit_deg: f32 = 0.0, [-36_000.0, 36_000.0] "°";
        /// Time for which the last frame stays at the end of the film.
        pub hold_s: f64 = 0.0, [0.0, 3600.0] "s";
        /// Movement of the camera, in addition to that of key frames: `"turntable"`,
        /// `"along-front"` or `"follow-front"`; absent: none.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub camera_move as "move": Option<Move> = None;
        /// Notes drawn on the pictures, such as a caption and a scale bar.
        #[serde(skip_serializing_if = "NotesSpec::is_none")]
        pub notes: NotesSpec = NotesSpec::default();
        /// Key frames: steps and cameras at given times of the film; without any, each frame is
        /// `every` steps after the one before.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pub keys as "key": Vec<FilmKey> = Vec::new();
    }
}

impl FilmSpec {
    /// Checks that all numbers of the film are in range, and that film times and steps increase
    /// from key frame to key frame.
    ///
    /// # Errors
    /// Returns an error that names the first invalid value.
    pub fn validate(&self) -> Result<(), Invalid> {
        self.check("film")?;
        self.notes.validate()?;
        within(
            "number of [[film.key]] tables",
            self.keys.len() as f64,
            0.0,
            MAX_KEYS as f64,
        )?;
        let (mut time, mut step) = (None::<f64>, None::<u64>);
        for (i, key) in self.keys.iter().enumerate() {
            let name = format!("film.key[{i}]");
            key.check(&name)?;
            key.camera.check(&format!("{name}.camera"))?;
            if time.is_some_and(|before| key.time_s <= before) {
                return Err(Invalid::new(
                    &format!("{name}.time_s"),
                    key.time_s,
                    "later than that of the key before",
                ));
            }
            time = Some(key.time_s);
            let Some(now) = key.step else { continue };
            if step.is_some_and(|before| now < before) {
                return Err(Invalid::new(
                    &format!("{name}.step"),
                    now,
                    "no fewer than that of a key before",
                ));
            }
            step = Some(now);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn film(keys: &str) -> FilmSpec {
        toml::from_str(keys).expect("TOML")
    }

    #[test]
    fn a_wrong_key_is_named() {
        for (text, wrong) in [
            ("[[key]]\ntime_s = -1.0", "film.key[0].time_s"),
            (
                "[[key]]\ntime_s = 1\n[[key]]\ntime_s = 1",
                "film.key[1].time_s",
            ),
            ("[[key]]\ntime_s = 0\nstep = 1000000001", "film.key[0].step"),
            (
                "[[key]]\ntime_s = 0\nstep = 9\n[[key]]\ntime_s = 1\n[[key]]\ntime_s = 2\nstep = 8",
                "film.key[2].step",
            ),
            (
                "[[key]]\ntime_s = 0\ncamera = { fov_deg = 300 }",
                "film.key[0].camera.fov_deg",
            ),
            (
                "[[key]]\ntime_s = 0\ncamera = { elevation_deg = nan }",
                "film.key[0].camera.elevation_deg",
            ),
            ("hold_s = -1", "film.hold_s"),
        ] {
            assert_eq!(
                film(text).validate().map_err(|e| e.key),
                Err(wrong.to_owned()),
                "{text}"
            );
        }
        let many = FilmSpec {
            keys: vec![FilmKey::default(); MAX_KEYS + 1],
            ..FilmSpec::default()
        };
        assert!(
            many.validate()
                .is_err_and(|e| e.key.contains("[[film.key]]"))
        );
        for text in [
            "move = 'fly'",
            "[[key]]\nstep = 3",
            "[[key]]\ntime_s = 0\ncamera = { target = [0, 1] }",
        ] {
            assert!(toml::from_str::<FilmSpec>(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_film_is_written_as_it_was_read() {
        let text = "move = 'follow-front'\nhold_s = 1.5\n[[key]]\ntime_s = 0\n[[key]]\ntime_s = 2.5\nstep = 40\nease = 'hold'\n\
                    camera = { azimuth_deg = 720.0, target = [0.5, 0.1, 0.25] }";
        let film = film(text);
        assert_eq!(film.validate(), Ok(()));
        let again: FilmSpec = toml::from_str(&toml::to_string(&film).expect("TOML")).expect("TOML");
        assert_eq!(again, film);
        for (one, word, _) in Move::ALL {
            assert_eq!(
                toml::from_str::<FilmSpec>(&format!("move = '{word}'"))
                    .expect("TOML")
                    .camera_move,
                Some(one)
            );
        }
        for ease in Ease::ALL {
            let text = format!("[[key]]\ntime_s = 0\nease = '{}'", ease.word());
            assert_eq!(
                toml::from_str::<FilmSpec>(&text).expect("TOML").keys[0].ease,
                ease
            );
        }
    }
}
