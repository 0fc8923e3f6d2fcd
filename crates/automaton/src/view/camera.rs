//! Camera of a picture, as written in a scene file under `camera`.

use serde::{Deserialize, Serialize};

use lavoxel_base::param::{Table, table};
use lavoxel_base::validate::Invalid;

table! {
    /// A camera that orbits a target, as written in a scene file under `camera`.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct CameraSpec {
        /// Compass direction in which the camera stands, seen from the target: 0 north, 90 east,
        /// 180 south.
        pub azimuth_deg: f32 = 150.0, [-3600.0, 3600.0] "°";
        /// Angle of the camera above the target's horizon.
        pub elevation_deg: f32 = 27.0, [-89.0, 89.0] "°";
        /// Distance from camera to target in diagonals of the shown box; absent: as near as
        /// everything fits.
        pub distance: Option<f32> = None, [0.01, 100.0] "diagonals";
        /// Target of the camera, as shares of the shown box along x, y, z; absent: what centres the
        /// subject.
        #[serde(deserialize_with = "lavoxel_base::fixed_len::option")]
        pub target: Option<[f32; 3]> = None, [-10.0, 10.0] "shares";
        /// Vertical field of view.
        pub fov_deg: f32 = 32.0, [5.0, 120.0] "°";
    }
}

impl CameraSpec {
    /// Checks every number; errors carry the key as `camera.…`.
    ///
    /// # Errors
    /// Names the first number out of range.
    pub fn validate(&self) -> Result<(), Invalid> {
        self.check("camera")
    }
}
