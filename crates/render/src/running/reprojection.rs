//! Reprojection of the accumulated picture after a camera movement: for each pixel, its surface
//! point is projected into the previous picture, whose colour there is reused.
//!
//! ```text
//!        ▪ surface
//!      ╱   ╲
//!    ╱       ╲     the frame just traced gives the surface's distance from the new eye; where the
//!   new      old   old eye saw another surface in that direction, accumulation restarts
//! ```

use super::upsample::Pixel;
use crate::camera::Camera;
use lavoxel_base::parallel::*;
use lavoxel_base::simd::{Level, Simd, Work};

/// Largest relative difference of depth at which a point seen in the new frame and a pixel of the
/// previous picture count as the same surface.
const ALIKE: f32 = 0.06;
/// Factor by which each reprojection reduces a pixel's accumulated weight, since bilinear
/// interpolation blurs the picture a little each time.
const KEPT: f32 = 0.8;
/// Smallest depth in cells at which a point is looked up in the previous picture; avoids a division
/// by zero.
const NEAREST: f32 = 1e-3;

/// Depth buffer of a traced frame, with the camera of the window's picture for which the frame was
/// traced.
pub(crate) struct Depths {
    /// Camera of the window's picture, in full resolution.
    camera: Camera,
    /// Width and height of the traced frame in pixels, which may be smaller than the window's
    /// picture.
    size: (usize, usize),
    /// Depth in cells of each pixel along the view direction, row-major.
    values: Vec<f32>,
}

impl Depths {
    /// Converts `distances` along the rays of the camera `frame` (in cells, row-major; `f32::MAX`
    /// for a ray without a hit) to depths along the view direction; a ray without a hit gets the
    /// depth `beyond`. `window`: camera of the picture in the window's resolution.
    pub(crate) fn new(window: &Camera, frame: &Camera, distances: &[f32], beyond: f32) -> Self {
        let size = frame.size();
        let depth = |(k, distance): (usize, &f32)| {
            let (x, y) = ((k % size.0) as f32 + 0.5, (k / size.0) as f32 + 0.5);
            if *distance == f32::MAX {
                beyond
            } else {
                distance / frame.ray_and_length(x, y).1
            }
        };
        Self {
            camera: window.clone(),
            size,
            values: distances.iter().enumerate().map(depth).collect(),
        }
    }

    /// Returns true if `camera` is the camera of the window's picture to which these depths belong.
    pub(crate) fn is_of(&self, camera: &Camera) -> bool {
        self.camera == *camera
    }

    /// Reprojects `pixels`, the accumulated picture of the camera of `before`, to the camera of
    /// `self`, and writes the result to `carried`. Pixels whose surface that picture does not show
    /// get weight 0.
    pub(crate) fn carry(&self, before: &Self, pixels: &[Pixel], carried: &mut Vec<Pixel>) {
        let (width, height) = self.camera.size();
        carried.resize(width * height, [0.0; 4]);
        if before.camera.size() != (width, height)
            || pixels.len() != width * height
            || self.values.is_empty()
        {
            carried.fill([0.0; 4]);
            return;
        }
        let ways = Ways::between(&self.camera, &before.camera);
        let (columns, rows) = (places(width, self.size.0), places(height, self.size.1));
        let known = [places(width, before.size.0), places(height, before.size.1)];
        carried
            .par_chunks_mut(width)
            .enumerate()
            .for_each(|(y, row)| {
                let depths = &self.values[rows[y] * self.size.0..][..self.size.0];
                let (columns, known) = (&columns, [&*known[0], &*known[1]]);
                Level::fastest().run(Carried {
                    ways: &ways,
                    y,
                    depths,
                    columns,
                    before,
                    known,
                    pixels,
                    row,
                });
            });
    }
}

/// Maps the pixels of the window's picture to those of a frame along one axis: returns for each of
/// the `window` pixels the index of the nearest of the frame's `count` pixels.
fn places(window: usize, count: usize) -> Vec<usize> {
    (0..window)
        .map(|n| ((2 * n + 1) * count / (2 * window)).min(count - 1))
        .collect()
}

/// Inputs and output of the reprojection of one pixel row; the loop over the row runs with SIMD
/// instructions.
struct Carried<'a> {
    ways: &'a Ways,
    y: usize,
    /// Depths of the new frame along this row, one per column of the frame.
    depths: &'a [f32],
    /// Nearest column of the new frame for each pixel column of the window.
    columns: &'a [usize],
    before: &'a Depths,
    /// Nearest column and nearest row of the previous frame, for each pixel column and each pixel
    /// row of the window.
    known: [&'a [usize]; 2],
    pixels: &'a [Pixel],
    row: &'a mut [Pixel],
}

impl Work for Carried<'_> {
    #[inline(always)]
    fn with<S: Simd>(self, _: S) {
        let Self {
            ways,
            y,
            depths,
            columns,
            before,
            known,
            pixels,
            row,
        } = self;
        for (x, pixel) in row.iter_mut().enumerate() {
            let depth = depths[columns[x]];
            *pixel = before.look_up(
                pixels,
                known,
                ways.seen([x as f32 + 0.5, y as f32 + 0.5], depth),
            );
        }
    }
}

impl Depths {
    /// Returns the colour and weight of the picture `pixels` at the position (`u`, `v`) in pixels,
    /// interpolated bilinearly. The weight is 0 outside the picture, and where the depth stored in
    /// `self` differs from `depth` (in cells). `columns`, `rows`: nearest column and row of the
    /// depth buffer for each pixel of the window.
    #[inline(always)]
    fn look_up(
        &self,
        pixels: &[Pixel],
        [columns, rows]: [&[usize]; 2],
        [u, v, depth]: [f32; 3],
    ) -> Pixel {
        let (width, height) = self.camera.size();
        let (u, v) = (u - 0.5, v - 0.5);
        let inside = |place: f32, count: usize| place >= 0.0 && place < (count - 1) as f32;
        if depth <= NEAREST || !inside(u, width) || !inside(v, height) {
            return [0.0; 4];
        }
        // The cast to a signed number first is one instruction.
        let (x, y) = (u as i32 as usize, v as i32 as usize);
        // Depth of the nearest pixel; rounding must not pick its neighbour.
        let (column, row) = (
            columns[(u + 0.5) as i32 as usize],
            rows[(v + 0.5) as i32 as usize],
        );
        let known = self.values[row * self.size.0 + column];
        if (known - depth).abs() > ALIKE * depth {
            return [0.0; 4];
        }
        let (s, t) = (u - x as f32, v - y as f32);
        let first = y * width + x;
        let [near, far] = [
            &pixels[first..first + 2],
            &pixels[first + width..first + width + 2],
        ];
        let shares = [(1.0 - s) * (1.0 - t), s * (1.0 - t), (1.0 - s) * t, s * t];
        let mut pixel = [0.0; 4];
        for i in 0..4 {
            pixel[i] = near[0][i] * shares[0]
                + near[1][i] * shares[1]
                + far[0][i] * shares[2]
                + far[1][i] * shares[3];
        }
        pixel[3] *= KEPT;
        pixel
    }
}

/// Projective map between two cameras: from pixel position and depth of a point in the first camera
/// to its pixel position and depth in the second. The point relative to the second eye is affine in
/// the pixel position, scaled by the depth.
struct Ways {
    /// Vector from the second eye to the first eye, in cells. All vectors are in the axes (right,
    /// up, forward) of the second camera.
    apart: [f32; 3],
    /// Vector of the first camera, with depth 1, through the top left corner of its picture.
    corner: [f32; 3],
    /// Difference between the view vector of a pixel (at depth 1) and that of the pixel to its
    /// left.
    right: [f32; 3],
    /// Difference between the view vector of a pixel (at depth 1) and that of the pixel above.
    down: [f32; 3],
    /// Centre of the second camera's picture, in pixels.
    middle: [f32; 2],
    /// Scale of the second camera in pixels: sideways offset in its picture per (sideways distance
    /// / depth) of a point.
    scale: f32,
}

impl Ways {
    fn between(from: &Camera, to: &Camera) -> Self {
        let measures = to.measures();
        let along = |x: f32, y: f32| {
            let (ray, length) = from.ray_and_length(x, y);
            ray.direction * length
        };
        let corner = along(0.0, 0.0);
        let seen = |way: nalgebra::Vector3<f32>| measures.map(|axis| axis.dot(&way));
        Self {
            apart: seen(from.eye() - to.eye()),
            corner: seen(corner),
            right: seen(along(1.0, 0.0) - corner),
            down: seen(along(0.0, 1.0) - corner),
            middle: to.middle(),
            scale: 1.0 / to.pixel(),
        }
    }

    /// Returns position in pixels and depth in cells, `[u, v, depth]`, in the second picture of the
    /// point that the first camera sees at the pixel position (`x`, `y`) at the depth `depth` (in
    /// cells).
    #[inline(always)]
    fn seen(&self, [x, y]: [f32; 2], depth: f32) -> [f32; 3] {
        let mut way = self.apart;
        for (i, way) in way.iter_mut().enumerate() {
            *way += depth * (self.corner[i] + self.right[i] * x + self.down[i] * y);
        }
        let scale = self.scale / way[2].max(NEAREST);
        [
            self.middle[0] + way[0] * scale,
            self.middle[1] - way[1] * scale,
            way[2],
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::camera::Bounds;
    use lavoxel_automaton::view::CameraSpec;
    use lavoxel_base::grid::Grid;

    const WINDOW: (usize, usize) = (160, 100);

    fn camera(azimuth_deg: f32) -> Camera {
        let spec = CameraSpec {
            azimuth_deg,
            elevation_deg: 40.0,
            ..CameraSpec::default()
        };
        Camera::new(&spec, &Bounds::from_grid(Grid::new(40, 30, 40)), WINDOW)
    }

    /// Returns the distances along the rays in a test scene, a wavy floor with a tower, and the
    /// pixels with the brightness of the points hit.
    fn look(camera: &Camera) -> (Vec<f32>, Vec<Pixel>) {
        let see = |k: usize| {
            let ray = camera.ray((k % WINDOW.0) as f32 + 0.5, (k / WINDOW.0) as f32 + 0.5);
            let to = |level: f32| (level - ray.origin.y) / ray.direction.y;
            let top = ray.at(to(20.0));
            let on_top = (top.x - 20.0).abs() < 6.0 && (top.z - 20.0).abs() < 6.0;
            let (t, base) = if on_top {
                (to(20.0), 160.0)
            } else {
                (to(0.0), 60.0)
            };
            let p = ray.at(t);
            let value = base + 30.0 * (0.35 * p.x).sin() * (0.3 * p.z).cos();
            (t, [value, value, value, 2.0])
        };
        (0..WINDOW.0 * WINDOW.1).map(see).unzip()
    }

    #[test]
    fn what_was_seen_goes_along_with_the_camera_and_what_was_hidden_begins_again() {
        let cameras = [camera(150.0), camera(153.0)];
        let [old, new] = cameras.each_ref().map(look);
        let [before, after] = [(&cameras[0], &old), (&cameras[1], &new)]
            .map(|(camera, (distances, _))| Depths::new(camera, camera, distances, 100.0));
        assert!(after.is_of(&cameras[1]) && !after.is_of(&cameras[0]));
        let mut carried = Vec::new();
        after.carry(&before, &old.1, &mut carried);
        let known: Vec<usize> = (0..carried.len())
            .filter(|&k| carried[k][3] > 0.0)
            .collect();
        let error = |of: &[Pixel]| {
            known
                .iter()
                .map(|&k| (of[k][0] - new.1[k][0]).abs())
                .sum::<f32>()
                / known.len() as f32
        };
        assert!(
            known.len() * 10 > 8 * carried.len() && known.len() < carried.len(),
            "{} known",
            known.len()
        );
        assert!(
            error(&carried) < 1.0 && error(&old.1) > 6.0 * error(&carried),
            "{} levels",
            error(&carried)
        );
        // Next to the tower, floor appears that the tower hid before.
        let wrong = known
            .iter()
            .filter(|&&k| (carried[k][0] - new.1[k][0]).abs() > 40.0)
            .count();
        assert!(
            wrong * 100 < known.len(),
            "{wrong} of {} show the tower where the floor is",
            known.len()
        );
    }

    #[test]
    fn a_camera_at_rest_changes_no_place() {
        let camera = camera(150.0);
        let (distances, pixels) = look(&camera);
        let depths = Depths::new(&camera, &camera, &distances, 100.0);
        let mut carried = Vec::new();
        depths.carry(&depths, &pixels, &mut carried);
        let inner =
            (1..WINDOW.1 - 1).flat_map(|y| (1..WINDOW.0 - 1).map(move |x| y * WINDOW.0 + x));
        for k in inner {
            assert!(
                (carried[k][0] - pixels[k][0]).abs() < 1.0,
                "{k}: {:?} from {:?}",
                carried[k],
                pixels[k]
            );
        }
    }

    #[test]
    fn pictures_of_other_sizes_have_nothing_to_give() {
        let camera = camera(150.0);
        let (distances, pixels) = look(&camera);
        let depths = Depths::new(&camera, &camera, &distances, 100.0);
        let small = Depths::new(&camera.resized((80, 50)), &camera, &distances, 100.0);
        let mut carried = vec![[1.0; 4]; 9];
        depths.carry(&small, &pixels[..4000], &mut carried);
        assert!(
            carried.len() == WINDOW.0 * WINDOW.1 && carried.iter().all(|pixel| pixel[3] == 0.0)
        );
    }
}
