//! Camera of a picture, as written in a scene file under `camera`.

use serde::{Deserialize, Serialize};

use lavoxel_base::param::{Table, table};
use lavoxel_base::validate::Invalid;

table! {
    /// A camera that orbits a target, as written in a scene file under `camera`.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct CameraSpec {
        /// Compass direction from the target to the camera: 0 north, 90 east, 180 south.
        pub azimuth_deg: f32 = 150.0, [-3600.0, 3600.0] "°";
        /// Angle of the camera above the horizontal plane through the target.
        pub elevation_deg: f32 = 27.0, [-89.0, 89.0] "°";
        /// Distance from camera to target in diagonals of the shown box; absent: the least at which
        /// everything fits into the picture.
        pub distance: Option<f32> = None, [0.01, 100.0] "diagonals";
        /// Target of the camera, as shares of the shown box along x, y and z; absent: the point
        /// that centres the subject.
        #[serde(deserialize_with = "lavoxel_base::fixed_len::option")]
        pub target: Option<[f32; 3]> = None, [-10.0, 10.0] "shares";
        /// Vertical field of view.
        pub fov_deg: f32 = 32.0, [5.0, 120.0] "°";
        /// Diameter of the lens in style `print`, as a share of the distance from camera to target:
        /// what is nearer or farther than the focus is blurred. 0: all is sharp.
        pub aperture: f32 = 0.0, [0.0, 0.5] "distances";
        /// Distance that is in focus, as a share of the distance from camera to target.
        pub focus: f32 = 1.0, [0.01, 100.0] "distances";
    }
}

impl CameraSpec {
    /// Checks that every number of the camera is in range; errors name the key as `camera.…`.
    ///
    /// # Errors
    /// Returns an error that names the first number out of range.
    pub fn validate(&self) -> Result<(), Invalid> {
        self.check("camera")
    }
}
