//! Camera of the page: an orbit around a target.

use nalgebra::Vector3;

use lavoxel_render::{Bounds, Camera, CameraSpec};

/// Range of the camera's elevation in degrees.
const ELEVATIONS: (f32, f32) = (-5.0, 88.0);
/// Range of the factor by which the camera is nearer than that of the scene.
const ZOOMS: (f32, f32) = (0.3, 12.0);
/// Width over height of the pictures for which the distance of a scene's camera is meant.
const USUAL_ASPECT: f32 = 1.5;

/// Camera of a scene as a person has turned and moved it.
#[derive(Clone, Debug)]
pub(crate) struct Orbit {
    scene: CameraSpec,
    azimuth_deg: f32,
    elevation_deg: f32,
    zoom: f32,
    /// Movement of the target, in shares of what the camera frames.
    moved: [f32; 3],
}

impl Orbit {
    /// Returns the camera `spec` of a scene.
    pub(crate) fn new(spec: &CameraSpec) -> Self {
        Self {
            scene: spec.clone(),
            azimuth_deg: spec.azimuth_deg,
            elevation_deg: spec.elevation_deg,
            zoom: 1.0,
            moved: [0.0; 3],
        }
    }

    /// Turns the camera around its target by angles in degrees.
    pub(crate) fn turn(&mut self, right: f32, up: f32) {
        self.azimuth_deg = (self.azimuth_deg + right).rem_euclid(360.0);
        self.elevation_deg = (self.elevation_deg + up).clamp(ELEVATIONS.0, ELEVATIONS.1);
    }

    /// Moves the camera nearer to its target by the factor `by`.
    pub(crate) fn zoom(&mut self, by: f32) {
        if by.is_finite() {
            self.zoom = (self.zoom * by).clamp(ZOOMS.0, ZOOMS.1);
        }
    }

    /// Moves the target by `way` in cells, where the camera frames `subject`.
    pub(crate) fn shift(&mut self, way: Vector3<f32>, subject: &Bounds) {
        let extent = subject.high - subject.low;
        for axis in 0..3 {
            let moved = self.moved[axis] + way[axis] / extent[axis].max(1.0);
            self.moved[axis] = moved.clamp(-1.0, 1.0);
        }
    }

    /// Returns the camera as numbers: azimuth, elevation, zoom, movement of the target.
    pub(crate) fn numbers(&self) -> [f32; 6] {
        let [x, y, z] = self.moved;
        [self.azimuth_deg, self.elevation_deg, self.zoom, x, y, z]
    }

    /// Takes the numbers of `Orbit::numbers`; other counts of numbers: the camera of the scene.
    pub(crate) fn set_numbers(&mut self, numbers: &[f32]) {
        *self = Self::new(&self.scene);
        if let &[azimuth, elevation, zoom, x, y, z] = numbers
            && numbers.iter().all(|number| number.is_finite())
        {
            (self.azimuth_deg, self.elevation_deg) = (azimuth, elevation);
            self.turn(0.0, 0.0);
            self.zoom(zoom);
            self.moved = [x, y, z].map(|moved| moved.clamp(-1.0, 1.0));
        }
    }

    /// Returns the camera's settings for pictures of `size` pixels (width, height) of `subject`, as
    /// a scene states them.
    pub(crate) fn spec(&self, subject: &Bounds, size: (usize, usize)) -> CameraSpec {
        let framing = Camera::frame(&self.scene, subject, size);
        let extent = subject.high - subject.low;
        let target =
            (framing.target - subject.low).component_div(&extent) + Vector3::from(self.moved);
        // A camera without a distance fits any picture by itself.
        let aspect = size.0 as f32 / size.1.max(1) as f32;
        let narrow = match self.scene.distance {
            Some(_) => (USUAL_ASPECT / aspect).max(1.0),
            None => 1.0,
        };
        CameraSpec {
            azimuth_deg: self.azimuth_deg,
            elevation_deg: self.elevation_deg,
            distance: Some(framing.distance_cells * narrow / (self.zoom * subject.diagonal())),
            target: Some(target.into()),
            ..self.scene.clone()
        }
    }
}
