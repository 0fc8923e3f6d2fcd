//! Camera pose (position and view direction), and preset directions.

use nalgebra::{Point3, Vector3};

use lavoxel_render::{Bounds, Camera, CameraSpec};

/// Width and height of a picture in pixels.
pub(crate) type Size = (usize, usize);

/// Largest elevation in degrees; straight down would leave the up direction undefined.
const STEEPEST_DEG: f32 = 89.0;
/// Range of the distance to the target in cells.
pub(crate) const REACH: (f32, f32) = (0.5, 1e5);

/// Direction from which a preset views the scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// From the south, looking north.
    Front,
    /// From the north, looking south.
    Back,
    /// From the west, looking east.
    Left,
    /// From the east, looking west.
    Right,
    /// From above, with north at the top.
    Top,
    /// From above a corner.
    ThreeQuarter,
}

impl Side {
    /// Returns azimuth (compass direction of the eye) and elevation, in degrees.
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

/// Camera pose on a sphere around a target: azimuth and elevation in degrees, target and distance
/// in cells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pose {
    pub(crate) azimuth_deg: f32,
    pub(crate) elevation_deg: f32,
    pub(crate) target: Point3<f32>,
    pub(crate) distance: f32,
    /// Height of a cell as drawn, in cell widths.
    pub(crate) tall: f32,
}

impl Pose {
    /// Returns the unit vectors to the right, up and forward.
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

    /// Returns the pose interpolated by `t` (0 to 1) towards `goal`: angles the short way, the
    /// distance geometrically.
    pub(crate) fn towards(&self, goal: &Self, t: f32) -> Self {
        Self {
            azimuth_deg: self.azimuth_deg + short_way(goal.azimuth_deg - self.azimuth_deg) * t,
            elevation_deg: self.elevation_deg + (goal.elevation_deg - self.elevation_deg) * t,
            target: self.target + (goal.target - self.target) * t,
            distance: self.distance * (goal.distance / self.distance).powf(t),
            tall: goal.tall,
        }
    }

    /// Returns true if the difference between both poses is invisible.
    pub(crate) fn near(&self, other: &Self) -> bool {
        let small = 2e-4 * self.distance;
        short_way(self.azimuth_deg - other.azimuth_deg).abs() < 0.01
            && (self.elevation_deg - other.elevation_deg).abs() < 0.01
            && (self.target - other.target).norm() < small
            && (self.distance - other.distance).abs() < small
    }
}

/// Wraps an angle in degrees to −180 to 180: the short way of a turn.
fn short_way(degrees: f32) -> f32 {
    (degrees + 180.0).rem_euclid(360.0) - 180.0
}

impl Pose {
    /// Returns the pose of the camera that `spec` describes, for the bounds `subject` and a picture
    /// of `size` pixels.
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
