//! Camera pose of the window (target, distance and view angles), and the preset directions of the
//! keys.

use nalgebra::{Point3, Vector3};

use lavoxel_render::{Bounds, Camera, CameraSpec};

/// Width and height of a picture, in pixels.
pub(crate) type Size = (usize, usize);

/// Largest elevation of the camera in degrees; at 90°, looking straight down, the up direction
/// would be undefined.
const STEEPEST_DEG: f32 = 89.0;
/// Range (smallest, largest) of the distance from the camera to its target, in cells.
pub(crate) const REACH: (f32, f32) = (0.5, 1e5);

/// Preset view direction of the camera, which frames the whole ground.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Camera in the south of the ground, looking north.
    Front,
    /// Camera in the north of the ground, looking south.
    Back,
    /// Camera in the west of the ground, looking east.
    Left,
    /// Camera in the east of the ground, looking west.
    Right,
    /// Camera above the ground, looking down, with north at the top of the picture.
    Top,
    /// View from obliquely above a corner of the simulation box, as with a scene's default camera.
    ThreeQuarter,
}

impl Side {
    /// Returns the direction of the eye as seen from the target, in degrees: azimuth (clockwise
    /// from north) and elevation above the horizon.
    pub(crate) fn angles(self) -> (f32, f32) {
        match self {
            Self::Front => (180.0, 8.0),
            Self::Back => (0.0, 8.0),
            Self::Left => (270.0, 8.0),
            Self::Right => (90.0, 8.0),
            Self::Top => (180.0, STEEPEST_DEG),
            Self::ThreeQuarter => (
                CameraSpec::default().azimuth_deg,
                CameraSpec::default().elevation_deg,
            ),
        }
    }
}

/// Camera pose: the eye lies on a sphere around `target` (in cells) with the radius `distance` (in
/// cells), in the direction of azimuth and elevation (in degrees).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pose {
    pub(crate) azimuth_deg: f32,
    pub(crate) elevation_deg: f32,
    pub(crate) target: Point3<f32>,
    pub(crate) distance: f32,
    /// Drawn height of a cell divided by its width; includes the vertical exaggeration.
    pub(crate) tall: f32,
}

impl Pose {
    /// Returns the unit vectors of the camera's axes: right, up and forward.
    pub(crate) fn axes(&self) -> [Vector3<f32>; 3] {
        self.camera(30.0, (1, 1)).axes()
    }

    pub(crate) fn eye(&self) -> Point3<f32> {
        self.target - self.axes()[2] * self.distance
    }

    pub(crate) fn camera(&self, fov_deg: f32, size: Size) -> Camera {
        let angles = (self.azimuth_deg, self.elevation_deg);
        let from = |eye| Camera::from_pose_over((eye, self.tall), angles, fov_deg, size);
        from(self.target - from(Point3::origin()).axes()[2] * self.distance)
    }

    pub(crate) fn turn(&mut self, (azimuth_deg, elevation_deg): (f32, f32)) {
        self.azimuth_deg += azimuth_deg;
        self.elevation_deg =
            (self.elevation_deg + elevation_deg).clamp(-STEEPEST_DEG, STEEPEST_DEG);
    }

    /// Returns this pose interpolated towards `goal` by the fraction `t` (0 to 1): angles along the
    /// shorter arc, the target linearly, the distance geometrically.
    pub(crate) fn towards(&self, goal: &Self, t: f32) -> Self {
        Self {
            azimuth_deg: self.azimuth_deg + short_way(goal.azimuth_deg - self.azimuth_deg) * t,
            elevation_deg: self.elevation_deg + (goal.elevation_deg - self.elevation_deg) * t,
            target: self.target + (goal.target - self.target) * t,
            distance: self.distance * (goal.distance / self.distance).powf(t),
            tall: goal.tall,
        }
    }

    /// Returns true if this pose and `other` look the same on the screen: their angles differ by
    /// less than 0.01°, their distances and targets by less than 0.02 % of the distance.
    pub(crate) fn near(&self, other: &Self) -> bool {
        let small = 2e-4 * self.distance;
        short_way(self.azimuth_deg - other.azimuth_deg).abs() < 0.01
            && (self.elevation_deg - other.elevation_deg).abs() < 0.01
            && (self.target - other.target).norm() < small
            && (self.distance - other.distance).abs() < small
    }
}

/// Returns `degrees`, the difference of two angles, wrapped to −180° to 180°, the shorter arc.
fn short_way(degrees: f32) -> f32 {
    (degrees + 180.0).rem_euclid(360.0) - 180.0
}

impl Pose {
    /// Returns the pose of the camera that `spec` describes. `subject`: bounds to frame, in cells;
    /// `size`: size of the picture in pixels.
    pub(crate) fn framed(spec: &CameraSpec, subject: &Bounds, size: Size) -> Self {
        let framing = Camera::frame(spec, subject, size);
        Self {
            azimuth_deg: spec.azimuth_deg,
            elevation_deg: spec.elevation_deg,
            target: framing.target,
            distance: framing.distance_cells.clamp(REACH.0, REACH.1),
            tall: subject.tall(),
        }
    }
}
