//! Camera: position, view direction and the rays through its pixels.
//!
//! World space is in cells: x east, y up, z south. Pixel coordinates start at the upper left
//! corner; the centre of a pixel is at +0.5.

use std::f32::consts::FRAC_PI_4;

use nalgebra::{Point3, Vector3};

use lavoxel_automaton::view::CameraSpec;
use lavoxel_base::grid::Grid;

use super::math::direction;

/// Number of heights, evenly spaced from the bottom to the top of the subject, at which `Bounds`
/// stores a horizontal radius.
const LEVELS: usize = 8;

/// `Camera::lens` of a camera through which all is sharp.
const PINHOLE: [f32; 2] = [0.0, 1.0];

/// Subject of a camera, which the picture has to show: an axis-aligned box in cells, and the
/// horizontal radius of its content at several heights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Corner of the subject's box with the smallest coordinates, in cells.
    pub low: Point3<f32>,
    /// Corner of the subject's box with the largest coordinates, in cells.
    pub high: Point3<f32>,
    /// Largest distance of the ground from the vertical centre line of the subject's box, in cells,
    /// at `LEVELS` evenly spaced heights from `low` to `high`. Mountains are narrow near their
    /// tops, which permits a closer camera.
    reach: [f32; LEVELS],
    /// Matter above the ground, such as a plume: y of its top in cells, and its largest horizontal
    /// distance from the centre line in cells at `LEVELS` evenly spaced heights from `low` to that
    /// top.
    matter: (f32, [f32; LEVELS]),
    /// Drawn height of a cell, in cell widths; 1 for cubes.
    tall: f32,
}

impl Bounds {
    /// Returns the bounds of the whole simulation box of shape `grid`; its content may fill the box
    /// up to the corners.
    pub fn from_grid(grid: Grid) -> Self {
        let high = Point3::new(grid.nx as f32, grid.ny as f32, grid.nz as f32);
        let reach = [0.5 * high.x.hypot(high.z); LEVELS];
        Self {
            low: Point3::origin(),
            high,
            reach,
            matter: (0.0, [0.0; LEVELS]),
            tall: 1.0,
        }
    }

    /// Returns the bounds of a block of ground from its base `foot` up to its highest point `top`
    /// (both y in cells). `ground` yields points of the surface, in cells, from which the
    /// horizontal radius of the ground at each height is determined.
    pub fn of_ground(
        grid: Grid,
        (foot, top): (f32, f32),
        ground: impl Iterator<Item = Point3<f32>>,
    ) -> Self {
        let mut bounds = Self::from_grid(grid);
        bounds.low.y = foot;
        bounds.high.y = top.max(foot + 1.0);
        let (middle_x, middle_z) = (0.5 * bounds.high.x, 0.5 * bounds.high.z);
        let whole = bounds.reach[0];
        bounds.reach[1..].fill(0.0);
        for p in ground {
            let radius = (p.x - middle_x).hypot(p.z - middle_z);
            let level = (p.y - foot) / (bounds.high.y - foot) * (LEVELS - 1) as f32;
            for reach in &mut bounds.reach[1..=(level.ceil() as usize).clamp(1, LEVELS - 1)] {
                *reach = reach.max(radius).min(whole);
            }
        }
        bounds
    }

    /// Returns these bounds with matter above the ground, such as a plume, added: automatic framing
    /// keeps the `boxes` (lowest and highest corner of each, in cells) in the picture. A camera
    /// target given as fractions of the subject's box still refers to the ground alone.
    #[must_use]
    pub fn holding(mut self, boxes: &[[[f32; 3]; 2]]) -> Self {
        let middle = nalgebra::center(&self.low, &self.high);
        let top = boxes
            .iter()
            .map(|[_, high]| high[1])
            .fold(self.low.y, f32::max);
        let mut reach = [0.0_f32; LEVELS];
        for [low, high] in boxes {
            let away = |axis: usize| {
                (low[axis] - middle[axis])
                    .abs()
                    .max((high[axis] - middle[axis]).abs())
            };
            let level = (high[1] - self.low.y) / (top - self.low.y).max(1e-3) * (LEVELS - 1) as f32;
            let below = &mut reach[..=(level.ceil().max(0.0) as usize).min(LEVELS - 1)];
            below
                .iter_mut()
                .for_each(|reach| *reach = reach.max(away(0).hypot(away(2))));
        }
        self.matter = (top, reach);
        self
    }

    /// Returns these bounds for cells that are drawn `tall` times as high as wide; without this
    /// call cells are cubes.
    #[must_use]
    pub fn of_tall_cells(self, tall: f32) -> Self {
        Self { tall, ..self }
    }

    /// Returns the drawn height of a cell, in cell widths; 1 for cubes.
    pub fn tall(&self) -> f32 {
        self.tall
    }

    /// Returns the length of the diagonal of the subject's box as drawn, in cell widths.
    pub fn diagonal(&self) -> f32 {
        let diagonal = self.high - self.low;
        Vector3::new(diagonal.x, diagonal.y * self.tall, diagonal.z).norm()
    }
}

/// Ray from the camera through a picture position.
#[derive(Clone, Copy, Debug)]
pub struct Ray {
    /// Start of the ray, in cells.
    pub origin: Vector3<f32>,
    /// Direction of the ray as a unit vector in cells.
    pub direction: Vector3<f32>,
}

impl Ray {
    /// Returns the point at distance `t` (cells) along the ray, in cells.
    #[inline(always)]
    pub fn at(&self, t: f32) -> Vector3<f32> {
        self.origin + self.direction * t
    }
}

/// Target of a camera, and the distance of the camera from the target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Framing {
    /// Point that appears in the middle of the picture, in cells.
    pub target: Point3<f32>,
    /// Distance from the camera to `target`, in cell widths.
    pub distance_cells: f32,
}

/// Perspective camera for pictures of one size. If cells are not cubes, angles and distances are in
/// cell widths (as drawn), positions and rays in cells.
#[derive(Clone, Debug, PartialEq)]
pub struct Camera {
    eye: Point3<f32>,
    /// Unit vector to the right in the picture, converted from cell widths to cells.
    right: Vector3<f32>,
    /// Unit vector upwards in the picture, converted from cell widths to cells.
    up: Vector3<f32>,
    /// Unit vector in the direction of view, converted from cell widths to cells.
    forward: Vector3<f32>,
    /// Drawn height of a cell, in cell widths; 1 for cubes.
    tall: f32,
    /// Half the height of the picture at depth 1: tangent of half the vertical field of view.
    half_height: f32,
    /// Width of a pixel divided by its depth (distance from the camera along the view direction).
    pixel: f32,
    size: (usize, usize),
    /// Offset of all rays to the right and down, in pixels.
    shift: [f32; 2],
    /// Radius of the lens, 0 for a pinhole, and depth of the plane that is in focus; both in cell
    /// widths.
    lens: [f32; 2],
}

impl Camera {
    /// Returns the camera that `spec` describes, placed so that a picture of `size` (width, height)
    /// pixels shows `subject`. Automatic framing does not depend on the azimuth, which keeps the
    /// distance constant in an orbit.
    pub fn new(spec: &CameraSpec, subject: &Bounds, size: (usize, usize)) -> Self {
        let framing = Self::frame(spec, subject, size);
        let mut camera = Self::turned(spec, subject.tall, size);
        camera.eye = framing.target - camera.forward * framing.distance_cells;
        camera.with_lens(spec, framing.distance_cells)
    }

    /// Returns this camera with the lens of `spec`, for a target at the distance `distance` (cell
    /// widths).
    #[must_use]
    pub fn with_lens(self, spec: &CameraSpec, distance: f32) -> Self {
        let lens = if spec.aperture > 0.0 {
            [0.5 * spec.aperture * distance, spec.focus * distance]
        } else {
            PINHOLE
        };
        Self { lens, ..self }
    }

    /// Returns a camera at `eye` (cells) for a picture of `size` (width, height) pixels with the
    /// vertical field of view `fov_deg` (degrees). The direction from the picture's centre back to
    /// the camera has the azimuth `azimuth_deg` and the elevation `elevation_deg`, as in
    /// [`Camera::new`]. Elevations are clamped to −89..89 degrees.
    pub fn from_pose(
        eye: Point3<f32>,
        (azimuth_deg, elevation_deg): (f32, f32),
        fov_deg: f32,
        size: (usize, usize),
    ) -> Self {
        Self::from_pose_over((eye, 1.0), (azimuth_deg, elevation_deg), fov_deg, size)
    }

    /// Returns a camera at `eye` (cells) that looks in the direction `azimuth_deg`,
    /// `elevation_deg`, as `Camera::from_pose` does, for cells that are drawn `tall` times as high
    /// as wide.
    pub fn from_pose_over(
        (eye, tall): (Point3<f32>, f32),
        (azimuth_deg, elevation_deg): (f32, f32),
        fov_deg: f32,
        size: (usize, usize),
    ) -> Self {
        let size = (size.0.max(1), size.1.max(1));
        let backward = direction(azimuth_deg, elevation_deg.clamp(-89.0, 89.0));
        let forward = -backward;
        let right = forward.cross(&Vector3::y()).normalize();
        let up = right.cross(&forward);
        let half_height = (fov_deg.to_radians() * 0.5).tan();
        let [right, up, forward] =
            [right, up, forward].map(|axis| Vector3::new(axis.x, axis.y / tall, axis.z));
        Self {
            eye,
            right,
            up,
            forward,
            tall,
            half_height,
            pixel: pixel(half_height, size),
            size,
            shift: [0.0; 2],
            lens: PINHOLE,
        }
    }

    /// Returns the target and the distance of the camera that `spec` describes, for a picture of
    /// `size` (width, height) pixels that shows `subject`. An interactive orbit starts from this
    /// pose.
    pub fn frame(spec: &CameraSpec, subject: &Bounds, size: (usize, usize)) -> Framing {
        let mut camera = Self::turned(spec, subject.tall, size);
        let (forward, up) = (camera.forward, camera.up);
        let extent = subject.high - subject.low;
        let outline = outline(subject);
        let fixed = spec
            .target
            .map(|f| subject.low + extent.component_mul(&Vector3::from(f)));
        let mut target =
            fixed.unwrap_or(subject.low + extent.component_mul(&Vector3::new(0.5, 0.4, 0.5)));
        let distance = spec.distance.map(|d| d * subject.diagonal());
        // The fitted distance depends on the target, and the centring of the target on the
        // distance: four rounds of a fixed point.
        for _ in 0..4 {
            let fitted = distance.unwrap_or_else(|| camera.fit(target, &outline));
            camera.eye = target - forward * fitted;
            if fixed.is_none() {
                target += up * (camera.off_centre(&outline) * fitted);
            }
        }
        Framing {
            target,
            distance_cells: distance.unwrap_or_else(|| camera.fit(target, &outline)),
        }
    }

    /// Returns a camera at the origin with the view direction and the vertical field of view of
    /// `spec`, for a picture of `size` (width, height) pixels and cells drawn `tall` times as high
    /// as wide.
    fn turned(spec: &CameraSpec, tall: f32, size: (usize, usize)) -> Self {
        Self::from_pose_over(
            (Point3::origin(), tall),
            (spec.azimuth_deg, spec.elevation_deg),
            spec.fov_deg,
            size,
        )
    }

    /// Returns the smallest distance of the camera from `target`, in cell widths, at which all
    /// `points` (cells) lie inside the picture with a margin of 7 %.
    fn fit(&self, target: Point3<f32>, points: &[Point3<f32>]) -> f32 {
        let air = 1.07;
        let half_width = self.half_height * self.size.0 as f32 / self.size.1 as f32;
        let need = points.iter().map(|p| {
            let [right, up, forward] = self.seen(p - target);
            (right.abs() / half_width).max(up.abs() / self.half_height) * air - forward
        });
        need.fold(1.0, f32::max)
    }

    /// Returns the vertical offset of the centre of `points` (cells) from the centre of the
    /// picture, as a slope: height per unit of depth, positive upwards.
    fn off_centre(&self, points: &[Point3<f32>]) -> f32 {
        let slopes = points.iter().map(|p| {
            let [_, up, forward] = self.seen(p - self.eye);
            up / forward.max(1e-3)
        });
        let (low, high) = slopes.fold((f32::MAX, f32::MIN), |(l, h), s| (l.min(s), h.max(s)));
        0.5 * (low + high)
    }

    /// Returns this camera moved vertically to y = `height` (cells) and aimed at `target` (cells),
    /// which then appears in the middle of the picture.
    #[must_use]
    pub fn raised_to(&self, height: f32, target: Point3<f32>) -> Self {
        let eye = Point3::new(self.eye.x, height, self.eye.z);
        let way = Vector3::new(
            eye.x - target.x,
            (eye.y - target.y) * self.tall,
            eye.z - target.z,
        );
        let (azimuth, elevation) = (way.x.atan2(-way.z), way.y.atan2(way.x.hypot(way.z)));
        let fov = 2.0 * self.half_height.atan();
        let pose = (azimuth.to_degrees(), elevation.to_degrees());
        Self::from_pose_over((eye, self.tall), pose, fov.to_degrees(), self.size)
    }

    /// Returns a camera with the same view for a picture of `size` (width, height) pixels.
    #[must_use]
    pub fn resized(&self, size: (usize, usize)) -> Self {
        let size = (size.0.max(1), size.1.max(1));
        let scale = size.1 as f32 / self.size.1 as f32;
        Self {
            size,
            pixel: pixel(self.half_height, size),
            shift: self.shift.map(|n| n * scale),
            ..self.clone()
        }
    }

    /// Returns this camera with all rays offset by `right` and `down` (fractions of a pixel). The
    /// mean of several such pictures is an anti-aliased picture.
    #[must_use]
    pub fn shifted(&self, [right, down]: [f32; 2]) -> Self {
        Self {
            shift: [self.shift[0] + right, self.shift[1] + down],
            ..self.clone()
        }
    }

    /// Returns the camera for a picture without the leftmost `columns` columns of pixels; the
    /// remaining pixels keep their rays.
    #[must_use]
    pub fn right_of(&self, columns: usize) -> Self {
        let columns = columns.min(self.size.0 - 1);
        let shift = [self.shift[0] + 0.5 * columns as f32, self.shift[1]];
        Self {
            size: (self.size.0 - columns, self.size.1),
            shift,
            ..self.clone()
        }
    }

    /// Returns the principal point (x, y) in pixels: where the view direction meets the picture.
    #[inline(always)]
    pub fn middle(&self) -> [f32; 2] {
        [
            0.5 * self.size.0 as f32 - self.shift[0],
            0.5 * self.size.1 as f32 - self.shift[1],
        ]
    }

    /// Returns the width and the height of the picture in pixels.
    pub fn size(&self) -> (usize, usize) {
        self.size
    }

    /// Returns the position of the camera in cells.
    pub fn eye(&self) -> Point3<f32> {
        self.eye
    }

    /// Returns the unit vectors to the right, up and forward in the picture, converted to cells: if
    /// cells are not cubes, their lengths in cells are not 1.
    pub fn axes(&self) -> [Vector3<f32>; 3] {
        [self.right, self.up, self.forward]
    }

    /// Returns three vectors (right, up, forward): the dot product of an offset in cells with each
    /// of these vectors is the offset's component along that axis of the picture, in cell widths.
    pub fn measures(&self) -> [Vector3<f32>; 3] {
        let square = self.tall * self.tall;
        self.axes()
            .map(|axis| Vector3::new(axis.x, axis.y * square, axis.z))
    }

    /// Returns the components of the offset `way` (cells) along the right, up and forward axes of
    /// the picture, in cell widths.
    fn seen(&self, way: Vector3<f32>) -> [f32; 3] {
        self.measures().map(|axis| way.dot(&axis))
    }

    /// Returns the drawn height of a cell, in cell widths; 1 for cubes.
    pub fn tall(&self) -> f32 {
        self.tall
    }

    /// Returns half the height of the picture at depth 1: the tangent of half the vertical field of
    /// view.
    pub fn half_height(&self) -> f32 {
        self.half_height
    }

    /// Returns the ray through the picture position (`px`, `py`), in pixels from the upper left
    /// corner of the picture.
    #[inline(always)]
    pub fn ray(&self, px: f32, py: f32) -> Ray {
        self.ray_and_length(px, py).0
    }

    /// Returns the ray through the picture position (`px`, `py`), in pixels from the upper left
    /// corner, and the distance along the ray per unit of depth (at least 1).
    #[inline(always)]
    pub fn ray_and_length(&self, px: f32, py: f32) -> (Ray, f32) {
        // Multiplication by the precomputed edge of a pixel, no division by the size: this function
        // runs for each pixel.
        let [across, down] = self.middle();
        let x = (px - across) * self.pixel;
        let y = (down - py) * self.pixel;
        let direction = self.forward + self.right * x + self.up * y;
        let length = direction.norm();
        (
            Ray {
                origin: self.eye.coords,
                direction: direction * (1.0 / length),
            },
            length,
        )
    }

    /// Returns true if the camera has a lens, through which only one plane is in focus.
    pub fn has_lens(&self) -> bool {
        self.lens[0] > 0.0
    }

    /// Returns the ray through the picture position `pixel` (x, y) and through the point of the lens
    /// that `places` (two even numbers from 0 to 1) draw (thin lens; concentric map of Shirley and
    /// Chiu, 1997).
    pub fn lens_ray(&self, [px, py]: [f32; 2], places: [f32; 2]) -> Ray {
        let (ray, length) = self.ray_and_length(px, py);
        let [radius, focus] = self.lens;
        let [a, b] = places.map(|place| 2.0 * place - 1.0);
        let (far, turn) = if a.abs() > b.abs() {
            (a, FRAC_PI_4 * b / a)
        } else if b != 0.0 {
            (b, FRAC_PI_4 * (2.0 - a / b))
        } else {
            (0.0, 0.0)
        };
        let (sine, cosine) = turn.sin_cos();
        let aside = (self.right * cosine + self.up * sine) * (far * radius);
        let sharp = ray.direction * (focus * length) - aside;
        Ray {
            origin: ray.origin + aside,
            direction: sharp.normalize(),
        }
    }

    /// Returns the width of a pixel at depth 1, in the unit of the depth.
    pub fn pixel(&self) -> f32 {
        self.pixel
    }

    /// Projects `point` (cells) into the picture. Returns the picture position (x, y) in pixels and
    /// the distance from the camera in cells; `None` if the point is behind the camera.
    pub fn project(&self, point: Point3<f32>) -> Option<(f32, f32, f32)> {
        let v = point - self.eye;
        let [right, up, depth] = self.seen(v);
        if depth <= 1e-4 {
            return None;
        }
        let [across, down] = self.middle();
        let scale = 0.5 * self.size.1 as f32 / (self.half_height * depth);
        let px = across + right * scale;
        let py = down - up * scale;
        Some((px, py, v.norm()))
    }
}

/// Returns the width of a pixel at depth 1, for a picture `height` pixels high whose half height at
/// depth 1 is `half_height`.
fn pixel(half_height: f32, (_, height): (usize, usize)) -> f32 {
    2.0 * half_height / height as f32
}

/// Returns points (cells) that the camera must keep in the picture: 24 points on a circle around
/// the subject's vertical centre line at each height, with the radius of the content there. Circles
/// make the framing independent of the azimuth.
fn outline(subject: &Bounds) -> Vec<Point3<f32>> {
    let middle = nalgebra::center(&subject.low, &subject.high);
    let rings = |top: f32, reach: [f32; LEVELS]| {
        let rise = (top - subject.low.y) / (LEVELS - 1) as f32;
        (0..LEVELS).map(move |level| (subject.low.y + rise * level as f32, reach[level]))
    };
    let ring = |(y, radius): (f32, f32)| {
        (0..24).map(move |i| {
            let angle = i as f32 * std::f32::consts::TAU / 24.0;
            Point3::new(
                middle.x + radius * angle.cos(),
                y,
                middle.z + radius * angle.sin(),
            )
        })
    };
    let (top, reach) = subject.matter;
    let matter = rings(top, reach).filter(|(_, radius)| *radius > 0.0);
    rings(subject.high.y, subject.reach)
        .chain(matter)
        .flat_map(ring)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rays_through_a_lens_meet_in_the_plane_of_focus() {
        let spec = CameraSpec {
            aperture: 0.1,
            focus: 1.5,
            ..CameraSpec::default()
        };
        let bounds = Bounds::from_grid(Grid::new(30, 20, 30));
        let pinhole = Camera::new(&CameraSpec::default(), &bounds, (60, 40));
        let camera = Camera::new(&spec, &bounds, (60, 40));
        let away = Camera::frame(&spec, &bounds, (60, 40)).distance_cells;
        assert!(camera.has_lens() && !pinhole.has_lens());
        let mut widest = 0.0_f32;
        for k in 0..64 {
            let places = [(k % 8) as f32 / 7.0, (k / 8) as f32 / 7.0];
            let (middle, length) = pinhole.ray_and_length(11.0, 30.0);
            let sharp = middle.at(1.5 * away * length);
            let ray = camera.lens_ray([11.0, 30.0], places);
            let to = sharp - ray.origin;
            assert!((to - ray.direction * to.norm()).norm() < 1e-3 * away);
            widest = widest.max((ray.origin - middle.origin).norm());
        }
        assert!((widest - 0.05 * away).abs() < 1e-3 * away, "{widest}");
    }

    #[test]
    fn a_projected_point_lies_on_the_ray_through_its_pixel() {
        let bounds = Bounds::from_grid(Grid::new(40, 30, 50));
        for azimuth_deg in [0.0, 77.0, 205.0] {
            let spec = CameraSpec {
                azimuth_deg,
                ..CameraSpec::default()
            };
            let camera = Camera::new(&spec, &bounds, (320, 200));
            for camera in [camera.shifted([0.25, -0.4]), camera] {
                for point in [Point3::new(3.0, 2.0, 40.0), Point3::new(30.0, 25.0, 11.0)] {
                    let (px, py, depth) = camera
                        .project(point)
                        .expect("the box is in front of the camera");
                    assert!((camera.ray(px, py).at(depth) - point.coords).norm() < 1e-2);
                }
            }
        }
    }

    #[test]
    fn automatic_framing_keeps_the_box_inside_the_picture() {
        let bounds = Bounds::from_grid(Grid::new(128, 60, 128));
        for azimuth_deg in [0.0, 30.0, 45.0, 90.0] {
            let spec = CameraSpec {
                azimuth_deg,
                ..CameraSpec::default()
            };
            let camera = Camera::new(&spec, &bounds, (960, 640));
            for corner in 0..8 {
                let side = |bit: u8, n: f32| if corner >> bit & 1 == 1 { n } else { 0.0 };
                let point = Point3::new(side(0, 128.0), side(1, 60.0), side(2, 128.0));
                let (x, y, _) = camera.project(point).expect("in front");
                assert!(
                    (0.0..960.0).contains(&x) && (0.0..640.0).contains(&y),
                    "{point} is at {x}, {y}"
                );
            }
        }
    }

    #[test]
    fn matter_over_the_ground_is_framed_and_what_lies_lower_changes_nothing() {
        let grid = Grid::new(40, 60, 40);
        let flat = || (0..1600).map(|k| Point3::new((k % 40) as f32, 4.0, (k / 40) as f32));
        let ground = Bounds::of_ground(grid, (-2.0, 4.0), flat());
        let boxed = |top: f32| [[5.0, 2.0, 8.0], [35.0, top, 30.0]];
        let spec = CameraSpec::default();
        let low = ground.holding(&[boxed(3.0)]);
        assert_eq!(
            Camera::new(&spec, &low, (320, 200)),
            Camera::new(&spec, &ground, (320, 200))
        );
        let camera = Camera::new(
            &spec,
            &ground.holding(&[boxed(3.0), boxed(45.0)]),
            (320, 200),
        );
        for (x, z) in [(5.0, 8.0), (35.0, 8.0), (5.0, 30.0), (35.0, 30.0)] {
            let point = Point3::new(x, 45.0, z);
            let (px, py, _) = camera.project(point).expect("in front");
            assert!(
                (0.0..320.0).contains(&px) && (0.0..200.0).contains(&py),
                "{point} is at {px}, {py}"
            );
        }
        let given = CameraSpec {
            target: Some([0.5; 3]),
            distance: Some(1.5),
            ..CameraSpec::default()
        };
        let views = [ground, ground.holding(&[boxed(45.0)])]
            .map(|subject| Camera::new(&given, &subject, (320, 200)));
        assert_eq!(views[0], views[1], "a given framing stays");
    }

    #[test]
    fn a_pose_and_a_framing_give_the_same_camera_as_the_orbit() {
        let bounds = Bounds::from_grid(Grid::new(40, 30, 50));
        for target in [None, Some([0.2, 0.9, 0.5])] {
            let spec = CameraSpec {
                target,
                ..CameraSpec::default()
            };
            let camera = Camera::new(&spec, &bounds, (320, 200));
            let framing = Camera::frame(&spec, &bounds, (320, 200));
            let free = Camera::from_pose(
                camera.eye(),
                (spec.azimuth_deg, spec.elevation_deg),
                spec.fov_deg,
                (320, 200),
            );
            assert_eq!(free, camera);
            let (x, y, away) = camera.project(framing.target).expect("in front");
            assert!(
                (x - 160.0).abs() < 0.01
                    && (y - 100.0).abs() < 0.01
                    && (away - framing.distance_cells).abs() < 0.01
            );
        }
        let straight_down = Camera::from_pose(Point3::origin(), (0.0, 90.0), 40.0, (8, 8));
        assert!(
            straight_down
                .axes()
                .iter()
                .all(|axis| (axis.norm() - 1.0).abs() < 1e-5)
        );
    }

    #[test]
    fn azimuth_is_a_compass_bearing() {
        let bounds = Bounds::from_grid(Grid::new(10, 10, 10));
        let spec = CameraSpec {
            azimuth_deg: 90.0,
            ..CameraSpec::default()
        };
        assert!(
            Camera::new(&spec, &bounds, (8, 8)).eye().x > 10.0,
            "90 degrees stands in the east"
        );
    }

    #[test]
    fn rays_of_a_shifted_camera_go_through_other_places_of_the_pixels() {
        let camera = Camera::new(
            &CameraSpec::default(),
            &Bounds::from_grid(Grid::new(10, 10, 10)),
            (64, 48),
        );
        let (shifted, whole) = (
            camera.shifted([0.25, -0.5]).ray(3.5, 40.5),
            camera.ray(3.75, 40.0),
        );
        assert!((shifted.direction - whole.direction).norm() < 1e-6);
    }

    #[test]
    fn the_right_part_of_a_picture_shows_what_it_shows_there_at_any_size() {
        let camera = Camera::new(
            &CameraSpec::default(),
            &Bounds::from_grid(Grid::new(10, 10, 10)),
            (64, 48),
        );
        let right = camera.right_of(20);
        assert_eq!(right.size(), (44, 48));
        let twice = right.resized((88, 96)).shifted([0.5, -1.0]);
        for (x, y) in [(0.0, 0.0), (17.5, 40.5), (44.0, 48.0)] {
            let whole = camera.ray(20.0 + x, y).direction;
            assert!((right.ray(x, y).direction - whole).norm() < 1e-6);
            assert!((twice.ray(2.0 * x - 0.5, 2.0 * y + 1.0).direction - whole).norm() < 1e-6);
        }
    }

    #[test]
    fn a_wrong_key_is_named() {
        let spec = CameraSpec {
            fov_deg: f32::NAN,
            ..CameraSpec::default()
        };
        assert_eq!(
            spec.validate().map_err(|e| e.key),
            Err("camera.fov_deg".to_owned())
        );
    }
}
