//! Where a picture is taken from, as written in a scene file under `camera`.

use serde::{Deserialize, Serialize};

use crate::validate::{Invalid, within};

/// A camera that orbits a target, as written in a scene file under `camera`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CameraSpec {
    /// Compass direction in which the camera stands, seen from the target: 0 north, 90 east, 180 south. Degrees.
    pub azimuth_deg: f32,
    /// Angle of the camera above the target's horizon, -89 to 89 degrees.
    pub elevation_deg: f32,
    /// Distance from camera to target in units of the shown box's diagonal; absent: as near as everything fits.
    pub distance: Option<f32>,
    /// Target of the camera, as fractions of the shown box along x, y, z; absent: what centres the subject.
    #[serde(deserialize_with = "crate::exact::option")]
    pub target: Option<[f32; 3]>,
    /// Vertical field of view, 5 to 120 degrees.
    pub fov_deg: f32,
}

impl Default for CameraSpec {
    fn default() -> Self {
        Self { azimuth_deg: 150.0, elevation_deg: 27.0, distance: None, target: None, fov_deg: 32.0 }
    }
}

impl CameraSpec {
    /// Checks every number; errors carry the key as `camera.…`.
    pub fn validate(&self) -> Result<(), Invalid> {
        within("camera.azimuth_deg", self.azimuth_deg.into(), -3600.0, 3600.0)?;
        within("camera.elevation_deg", self.elevation_deg.into(), -89.0, 89.0)?;
        within("camera.fov_deg", self.fov_deg.into(), 5.0, 120.0)?;
        if let Some(distance) = self.distance {
            within("camera.distance", distance.into(), 0.01, 100.0)?;
        }
        for fraction in self.target.iter().flatten() {
            within("camera.target", f64::from(*fraction), -10.0, 10.0)?;
        }
        Ok(())
    }
}
