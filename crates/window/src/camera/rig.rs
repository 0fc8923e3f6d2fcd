//! Camera rig of the window (independent of the window itself): orbit, pan, zoom, walk, preset
//! views and turntable.
//!
//! One pose serves orbit and first person: a target, a distance and two angles. An orbit turns
//! around the target, first person turns around the eye; switching between the two modes leaves the
//! camera where it is.

use nalgebra::{Point3, Vector3};

use crate::camera::viewpoint::{Pose, REACH, Side, Size};
use lavoxel_render::{Bounds, Camera, CameraSpec};

/// Orbit speed of a drag, in degrees per pixel.
const TURN_DEG: f32 = 0.35;
/// Look-around speed of a drag in first person, in degrees per pixel.
const LOOK_DEG: f32 = 0.18;
/// Factor by which one notch of the mouse wheel towards the scene multiplies the distance from the
/// camera to its target.
const ZOOM: f32 = 0.88;
/// Time constant in seconds of the exponential easing with which the shown camera follows its goal.
const EASE_S: f32 = 0.06;
/// Distance in cells from the eye to the target of a camera in first person.
const STANDING: f32 = 16.0;
/// Angular speed of the turntable in degrees per second.
const TURNTABLE_DEG_S: f32 = 18.0;
/// Aspect ratio (width over height) of the pictures for which the camera distance in a scene file
/// is meant.
const USUAL_ASPECT: f32 = 1.5;

/// Elevation in degrees of the camera at the beginning of a challenge (a scene with goals): steep
/// enough to see the ground from above, flat enough to see its slope.
const OVERLOOK_DEG: f32 = 48.0;

/// Camera rig of the window. Input changes a goal pose; [`Rig::advance`] moves the shown pose
/// towards the goal until both are exactly equal.
#[derive(Clone, Debug)]
pub(crate) struct Rig {
    spec: CameraSpec,
    /// Vertical field of view in degrees; set by the scene's camera or by a key frame of the film.
    fov_deg: f32,
    shown: Pose,
    goal: Pose,
    /// Width in pixels of the window's left border that the panel covers: the value used for the
    /// picture at present, which is eased, and the final value.
    covered: (f32, f32),
    /// Width and height in pixels of the window without the columns under the panel.
    free: Size,
    /// Camera settings from which the goal pose was computed; the pose is computed from these again
    /// when the window's size changes. `None` once the user has moved the camera.
    framed: Option<CameraSpec>,
    /// Set in first person, where drags look around instead of orbiting.
    pub first_person: bool,
    /// Goal pose before first person was entered, restored when first person is left; `None`
    /// outside first person.
    before: Option<Pose>,
    /// Height in cells of the first-person eye above the surface on which it stands.
    height: f32,
    /// Depth in cells of water, lava or other matter between the ground and the surface on which
    /// the first-person eye stands.
    depth: f32,
    /// Set while the camera circles its target.
    pub turntable: bool,
    /// Set while two pictures share the window. The scene's camera then stands so far back that a
    /// picture of the aspect ratio `USUAL_ASPECT` would fit into the width of one of the two.
    pub shares: bool,
}

impl Rig {
    /// Creates a rig with the camera `spec` of a scene, for a window of `size` pixels whose left
    /// `covered` pixels the panel hides. `subject`: bounds that the camera frames, in cells.
    pub(crate) fn new(spec: &CameraSpec, subject: &Bounds, size: Size, covered: f32) -> Self {
        let free = uncovered(size, covered);
        let pose = Pose::framed(spec, subject, free);
        Self {
            spec: spec.clone(),
            fov_deg: spec.fov_deg,
            shown: pose,
            goal: pose,
            covered: (covered, covered),
            free,
            framed: Some(spec.clone()),
            first_person: false,
            before: None,
            height: 0.0,
            depth: 0.0,
            turntable: false,
            shares: false,
        }
    }

    /// Returns the camera to the pose that the scene defines, which frames `subject` (bounds in
    /// cells), and stops the turntable.
    pub(crate) fn reset(&mut self, subject: &Bounds) {
        self.frame(self.spec.clone(), subject);
        self.turntable = false;
    }

    /// Moves the camera's goal so that the picture contains all of `subject` (bounds in cells),
    /// seen from the direction `side`.
    pub(crate) fn face(&mut self, side: Side, subject: &Bounds) {
        let (azimuth_deg, elevation_deg) = side.angles();
        let spec = CameraSpec {
            azimuth_deg,
            elevation_deg,
            distance: None,
            target: None,
            ..self.spec.clone()
        };
        self.frame(spec, subject);
    }

    /// Moves the camera's goal so that the picture contains all of `subject` (bounds in cells),
    /// seen from an elevation of `OVERLOOK_DEG` at the azimuth of the scene's camera.
    pub(crate) fn overlook(&mut self, subject: &Bounds) {
        let spec = CameraSpec {
            elevation_deg: OVERLOOK_DEG,
            distance: None,
            target: None,
            ..self.spec.clone()
        };
        self.frame(spec, subject);
    }

    fn frame(&mut self, spec: CameraSpec, subject: &Bounds) {
        self.goal = self.framing(&spec, subject);
        self.fov_deg = spec.fov_deg;
        self.framed = Some(spec);
        self.first_person = false;
        self.before = None;
    }

    /// Returns true if the rig was last fitted to a window of `size` pixels whose left `covered`
    /// pixels the panel hides.
    pub(crate) fn is_fitted(&self, size: Size, covered: f32) -> bool {
        self.covered.1 == covered && self.free == uncovered(size, covered)
    }

    /// Fits the rig to a window of `size` pixels whose left `covered` pixels the panel hides: the
    /// target is centred in the remaining columns. Unless the user has moved the camera, `subject`
    /// (bounds in cells) fills these columns.
    pub(crate) fn fit(&mut self, subject: &Bounds, size: Size, covered: f32) {
        self.covered.1 = covered;
        let free = uncovered(size, covered);
        if std::mem::replace(&mut self.free, free) != free
            && let Some(spec) = &self.framed
        {
            self.goal = self.framing(spec, subject);
        }
    }

    /// Sets [`Rig::shares`] to `shares` and reframes the camera at once, without easing; called for
    /// a new rig. `subject`: bounds that the camera frames, in cells.
    pub(crate) fn share(&mut self, shares: bool, subject: &Bounds) {
        self.shares = shares;
        if let Some(spec) = &self.framed {
            self.goal = self.framing(spec, subject);
            self.shown = self.goal;
        }
    }

    /// Returns the pose of the camera `spec` that frames `subject` (bounds in cells) in the window
    /// without the columns under the panel.
    fn framing(&self, spec: &CameraSpec, subject: &Bounds) -> Pose {
        let mut pose = Pose::framed(spec, subject, self.free);
        let aspect = self.free.0 as f32 / self.free.1 as f32;
        // A camera without a distance fits any picture by itself.
        if self.shares && spec.distance.is_some() {
            pose.distance *= (USUAL_ASPECT / aspect).max(1.0);
        }
        pose
    }

    /// Turns the camera after a drag by (`right`, `down`) pixels: around the target, or in first
    /// person around the eye.
    pub(crate) fn drag(&mut self, (right, down): (f32, f32)) {
        self.framed = None;
        if self.first_person {
            let eye = self.goal.eye();
            self.goal.turn((right * LOOK_DEG, down * LOOK_DEG));
            self.goal.target = eye + self.goal.axes()[2] * self.goal.distance;
        } else {
            self.goal.turn((-right * TURN_DEG, down * TURN_DEG));
        }
    }

    /// Moves camera and target parallel to the picture plane after a drag by (`right`, `down`)
    /// pixels, so that the target follows the pointer. `size`: width and height of the window in
    /// pixels.
    pub(crate) fn pan(&mut self, (right, down): (f32, f32), size: Size) {
        self.framed = None;
        let [across, up, _] = self.goal.axes();
        let cells = self.cells_per_pixel(size);
        self.goal.target += (up * down - across * right) * cells;
    }

    /// Zooms by `notches` of the mouse wheel towards the pixel (`x`, `y`) of a window of `size`
    /// pixels; positive values zoom in.
    pub(crate) fn zoom(&mut self, notches: f32, (x, y): (f32, f32), size: Size) {
        self.framed = None;
        let share = ZOOM.powf(notches.clamp(-20.0, 20.0));
        let distance = (self.goal.distance * share).clamp(REACH.0, REACH.1);
        let share = distance / self.goal.distance;
        let [across, up, _] = self.goal.axes();
        let cells = self.cells_per_pixel(size);
        // Moving the target by the same share keeps the point under the pointer in place.
        let (right, above) = (
            x - 0.5 * (size.0 as f32 + self.covered.0),
            0.5 * size.1 as f32 - y,
        );
        self.goal.target += (across * right + up * above) * cells * (1.0 - share);
        self.goal.distance = distance;
    }

    /// Zooms by `notches` of the mouse wheel towards the centre of the window without the columns
    /// under the panel; positive values zoom in. `size`: width and height of the window in pixels.
    pub(crate) fn zoom_to_middle(&mut self, notches: f32, size: Size) {
        self.zoom(
            notches,
            (0.5 * (size.0 as f32 + self.covered.0), 0.5 * size.1 as f32),
            size,
        );
    }

    /// Moves the camera for `seconds` to the right, upward and forward, each as a fraction (−1 to
    /// 1) of the walking speed, which grows with the distance to the target.
    pub(crate) fn walk(&mut self, [right, up, forward]: [f32; 3], seconds: f32) {
        self.framed = None;
        let [across, _, ahead] = self.goal.axes();
        let stride = self.stride(seconds);
        self.goal.target += (across * right + Vector3::y() * up + ahead * forward) * stride;
    }

    /// Enters first person with a horizontal view from the position in the simulation box nearest
    /// to the eye, or leaves first person and restores the former view. `eye`: height of the eye
    /// above the ground in cells; `ground`: height of the ground in cells at (x, z).
    pub(crate) fn toggle_first_person(
        &mut self,
        subject: &Bounds,
        eye: f32,
        ground: impl Fn(f64, f64) -> f32,
    ) {
        self.framed = None;
        self.first_person ^= true;
        if !self.first_person {
            self.goal = self.before.take().unwrap_or(self.goal);
            return;
        }
        self.before = Some(self.goal);
        (self.height, self.depth) = (eye, 0.0);
        let above = self.goal.eye();
        // Keeps a margin of 5 % from the edge of the simulation box.
        let inside = |k: usize| {
            let margin = 0.05 * (subject.high[k] - subject.low[k]);
            above[k].clamp(subject.low[k] + margin, subject.high[k] - margin)
        };
        let (x, z) = (inside(0), inside(2));
        let feet = ground(x.into(), z.into());
        self.goal.elevation_deg = 0.0;
        self.goal.distance = STANDING;
        self.goal.target = Point3::new(x, feet + eye, z) + self.goal.axes()[2] * STANDING;
    }

    /// Walks for `seconds` along the ground in first person; the eye keeps its height above the
    /// ground. `way`: fractions (−1 to 1) of the walking speed to the right, upward and forward;
    /// `ground`: height of the ground in cells at (x, z).
    pub(crate) fn walk_on(
        &mut self,
        way: [f32; 3],
        seconds: f32,
        ground: impl Fn(f64, f64) -> f32,
    ) {
        let height = |eye: Point3<f32>| ground(eye.x.into(), eye.z.into());
        let before = self.goal.eye();
        self.walk(way, seconds);
        let after = self.goal.eye();
        let lift = way[1] * self.stride(seconds);
        self.goal.target.y += before.y - after.y + height(after) - height(before) + lift;
        // The lower bound is half the eye's height: nothing can be seen from inside the ground.
        let lowest = height(after) + self.depth + 0.5 * self.height;
        self.goal.target.y += (lowest - self.goal.eye().y).max(0.0);
    }

    /// Sets the depth in cells of the matter (water, lava and so on) between the ground and the
    /// surface under the first-person eye, and moves the eye's goal up or down by the change.
    pub(crate) fn stand_above(&mut self, depth: f32) {
        self.goal.target.y += depth - self.depth;
        self.depth = depth;
    }

    /// Returns the horizontal position `[x, z]` of the eye in cells.
    pub(crate) fn feet(&self) -> [f32; 2] {
        let eye = self.goal.eye();
        [eye.x, eye.z]
    }

    /// Returns the distance in cells that the camera walks in `seconds` at full walking speed.
    fn stride(&self, seconds: f32) -> f32 {
        (0.5 * self.goal.distance).clamp(4.0, 120.0) * seconds
    }

    /// Moves the shown pose towards the goal pose for `seconds` of easing. Returns true while the
    /// shown pose still differs from the goal.
    pub(crate) fn advance(&mut self, seconds: f32) -> bool {
        if self.turntable {
            self.framed = None;
            self.goal.azimuth_deg += TURNTABLE_DEG_S * seconds;
        }
        if self.shown == self.goal && self.covered.0 == self.covered.1 {
            return false;
        }
        let share = 1.0 - (-seconds / EASE_S).exp();
        self.covered.0 += (self.covered.1 - self.covered.0) * share;
        if (self.covered.1 - self.covered.0).abs() < 0.5 {
            self.covered.0 = self.covered.1;
        }
        self.shown = self.shown.towards(&self.goal, share);
        if self.shown.near(&self.goal) && !self.turntable {
            self.goal.azimuth_deg = self.goal.azimuth_deg.rem_euclid(360.0);
            self.shown = self.goal;
        }
        true
    }

    /// Returns the camera at the shown pose, for a picture of `size` pixels without a panel: the
    /// target is at the centre of the picture.
    pub(crate) fn camera(&self, size: Size) -> Camera {
        let camera = self.shown.camera(self.fov_deg, size);
        camera.with_lens(&self.spec, self.shown.distance)
    }

    /// Returns the camera at the shown pose, for a window of `size` pixels: the target is at the
    /// centre of the columns that the panel does not cover.
    pub(crate) fn window_camera(&self, size: Size) -> Camera {
        let per_pixel = self.cells_per_pixel(size) * self.shown.distance / self.goal.distance;
        let aside = self.shown.axes()[0] * (0.5 * self.covered.0 * per_pixel);
        let camera = Pose {
            target: self.shown.target - aside,
            ..self.shown
        }
        .camera(self.fov_deg, size);
        camera.with_lens(&self.spec, self.shown.distance)
    }

    /// Returns the goal pose as camera settings of a scene: distance and target relative to
    /// `subject`, clamped to the ranges of a scene.
    pub(crate) fn spec(&self, subject: &Bounds) -> CameraSpec {
        self.written(&self.goal, subject)
    }

    /// Returns the shown pose, which may differ from the goal during the easing, as camera settings
    /// of a scene relative to `subject`.
    pub(crate) fn shown_spec(&self, subject: &Bounds) -> CameraSpec {
        self.written(&self.shown, subject)
    }

    fn written(&self, pose: &Pose, subject: &Bounds) -> CameraSpec {
        let Pose {
            azimuth_deg,
            elevation_deg,
            target,
            distance,
            ..
        } = *pose;
        let extent = subject.high - subject.low;
        let shares = (target - subject.low).component_div(&extent);
        CameraSpec {
            azimuth_deg: azimuth_deg.rem_euclid(360.0),
            elevation_deg,
            distance: Some((distance / subject.diagonal()).clamp(0.01, 100.0)),
            target: Some(shares.map(|share| share.clamp(-10.0, 10.0)).into()),
            fov_deg: self.fov_deg,
            ..self.spec.clone()
        }
    }

    /// Moves the camera at once to `camera`, settings of a scene relative to `subject` (bounds in
    /// cells), without easing, and stops the turntable.
    pub(crate) fn stand(&mut self, camera: &CameraSpec, subject: &Bounds) {
        self.frame(camera.clone(), subject);
        self.framed = None;
        self.turntable = false;
        self.shown = self.goal;
    }

    /// Returns the width in cells of a pixel at the distance of the target, in a picture of `size`
    /// pixels.
    fn cells_per_pixel(&self, size: Size) -> f32 {
        2.0 * (self.fov_deg.to_radians() * 0.5).tan() * self.goal.distance / size.1.max(1) as f32
    }
}

/// Returns width and height in pixels, at least 1, of a window without its first `covered` pixel
/// columns.
fn uncovered((width, height): Size, covered: f32) -> Size {
    (width.saturating_sub(covered as usize).max(1), height.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lavoxel_base::grid::Grid;

    const SIZE: Size = (800, 600);

    fn rig() -> Rig {
        Rig::new(&CameraSpec::default(), &bounds(), SIZE, 0.0)
    }

    fn bounds() -> Bounds {
        Bounds::from_grid(Grid::new(128, 100, 128))
    }

    /// Advances `rig` until its camera has reached the goal, and returns the rig.
    fn settled(mut rig: Rig) -> Rig {
        (0..500).for_each(|_| {
            rig.advance(0.02);
        });
        rig
    }

    #[test]
    fn begins_as_the_headless_camera_and_a_reset_comes_back_exactly() {
        let begin = rig().camera(SIZE);
        let headless = Camera::new(&CameraSpec::default(), &bounds(), SIZE);
        assert!((begin.eye() - headless.eye()).norm() < 1e-3);
        let mut moved = rig();
        moved.drag((120.0, -40.0));
        moved.zoom(3.0, (100.0, 500.0), SIZE);
        moved.pan((30.0, 20.0), SIZE);
        moved.walk([1.0, 0.5, 2.0], 0.3);
        let mut moved = settled(moved);
        assert!((moved.camera(SIZE).eye() - begin.eye()).norm() > 10.0);
        moved.reset(&bounds());
        assert_eq!(settled(moved).camera(SIZE), begin);
    }

    #[test]
    fn an_orbit_keeps_the_target_in_the_middle_and_the_distance() {
        let mut rig = rig();
        let (target, distance) = (rig.goal.target, rig.goal.distance);
        rig.drag((-400.0, 900.0));
        let camera = settled(rig).camera(SIZE);
        let (x, y, away) = camera.project(target).expect("in front");
        assert!(
            (x - 400.0).abs() < 0.1 && (y - 300.0).abs() < 0.1 && (away - distance).abs() < 0.1
        );
        assert!(camera.eye().y > target.y, "held below the zenith");
    }

    #[test]
    fn the_wheel_keeps_what_lies_under_the_pointer() {
        let mut rig = rig();
        let (x, y) = (650.0, 120.0);
        let before = rig.camera(SIZE);
        let [.., forward] = before.axes();
        let ray = before.ray(x, y);
        let there = ray.at(rig.goal.distance / ray.direction.dot(&forward));
        rig.zoom(5.0, (x, y), SIZE);
        let after = settled(rig).camera(SIZE);
        let (px, py, away) = after.project(there.into()).expect("in front");
        assert!((px - x).abs() < 0.5 && (py - y).abs() < 0.5, "{px}, {py}");
        assert!(away < 0.6 * (there - before.eye().coords).norm());
    }

    #[test]
    fn the_picture_stands_beside_the_panel() {
        let mut rig = rig();
        rig.fit(&bounds(), SIZE, 200.0);
        let mut rig = settled(rig);
        let (x, y, _) = rig
            .window_camera(SIZE)
            .project(rig.goal.target)
            .expect("in front");
        assert!(
            (x - 500.0).abs() < 0.1 && (y - 300.0).abs() < 0.1,
            "{x}, {y}"
        );
        rig.zoom(4.0, (500.0, 300.0), SIZE);
        let (x, y, _) = settled(rig.clone())
            .window_camera(SIZE)
            .project(rig.goal.target)
            .expect("in front");
        assert!(
            (x - 500.0).abs() < 0.1 && (y - 300.0).abs() < 0.1,
            "{x}, {y}"
        );
        assert_eq!(
            settled(rig.clone())
                .camera(SIZE)
                .project(rig.goal.target)
                .map(|p| p.0.round()),
            Some(400.0)
        );
    }

    /// Returns the smallest and the largest x position in the window, in pixels, of the projected
    /// eight corners of the bounds that `rig` frames.
    fn reach(rig: &Rig, size: Size) -> (f32, f32) {
        let (camera, subject) = (rig.window_camera(size), bounds());
        let corners = (0..8).map(|bits: usize| {
            let corner = |k: usize| {
                if bits >> k & 1 == 0 {
                    subject.low[k]
                } else {
                    subject.high[k]
                }
            };
            camera
                .project([corner(0), corner(1), corner(2)].into())
                .expect("in front")
                .0
        });
        corners.fold((f32::MAX, f32::MIN), |(low, high), x| {
            (low.min(x), high.max(x))
        })
    }

    #[test]
    fn the_whole_subject_stands_in_the_free_part_of_any_window() {
        for (size, covered) in [
            ((1280, 800), 346.0),
            ((640, 400), 40.0),
            ((1366, 700), 346.0),
            ((700, 900), 346.0),
        ] {
            let rig = Rig::new(&CameraSpec::default(), &bounds(), size, covered);
            let (left, right) = reach(&rig, size);
            assert!(
                left >= covered && right <= size.0 as f32,
                "{size:?}: {left} to {right}"
            );
        }
        // A panel that appears, or another size of the window, frames again, unless the camera was
        // moved by hand.
        let mut rig = Rig::new(&CameraSpec::default(), &bounds(), (700, 600), 0.0);
        rig.fit(&bounds(), (700, 600), 346.0);
        let (left, right) = reach(&settled(rig.clone()), (700, 600));
        assert!(left >= 346.0 && right <= 700.0, "{left} to {right}");
        let mut moved = settled(rig);
        moved.drag((5.0, 0.0));
        let goal = moved.goal;
        moved.fit(&bounds(), (900, 600), 0.0);
        assert_eq!(moved.goal, goal);
    }

    #[test]
    fn a_pan_moves_the_target_with_the_pointer() {
        let mut rig = rig();
        let target = rig.goal.target;
        rig.pan((90.0, -50.0), SIZE);
        let (x, y, _) = settled(rig).camera(SIZE).project(target).expect("in front");
        assert!(
            (x - 490.0).abs() < 0.5 && (y - 250.0).abs() < 0.5,
            "{x}, {y}"
        );
    }

    #[test]
    fn first_person_turns_the_head_and_walks() {
        let mut rig = rig();
        rig.first_person = true;
        let eye = rig.goal.eye();
        rig.drag((200.0, 10.0));
        assert!(
            (rig.goal.eye() - eye).norm() < 1e-2,
            "the head turns where it is"
        );
        let ahead = rig.goal.axes()[2];
        rig.walk([0.0, 0.0, 1.0], 0.1);
        let went = rig.goal.eye() - eye;
        assert!(went.normalize().dot(&ahead) > 0.999 && went.norm() > 0.3);
    }

    #[test]
    fn first_person_stands_on_the_ground_walks_along_it_and_goes_back() {
        let mut rig = rig();
        let before = rig.goal;
        let ground = |x: f64, _: f64| 20.0 + 0.25 * x as f32;
        let above = |rig: &Rig| {
            let eye = rig.goal.eye();
            assert!(
                eye.x > 0.0 && eye.x < 128.0 && eye.z > 0.0 && eye.z < 128.0,
                "{eye} is in the box"
            );
            eye.y - ground(eye.x.into(), 0.0)
        };
        rig.toggle_first_person(&bounds(), 1.0, ground);
        assert!(
            rig.first_person && (above(&rig) - 1.0).abs() < 1e-2,
            "{}",
            above(&rig)
        );
        let [.., ahead] = rig.goal.axes();
        assert!(ahead.y.abs() < 1e-3, "it looks level");
        let start = rig.goal.eye();
        (0..10).for_each(|_| rig.walk_on([0.0, 0.0, 1.0], 0.1, ground));
        assert!(
            (rig.goal.eye() - start).norm() > 3.0 && (above(&rig) - 1.0).abs() < 1e-2,
            "{}",
            above(&rig)
        );
        rig.walk_on([0.0, 1.0, 0.0], 0.1, ground);
        assert!(above(&rig) > 1.3, "E goes up");
        rig.toggle_first_person(&bounds(), 1.0, ground);
        assert_eq!((rig.first_person, rig.goal), (false, before));
    }

    #[test]
    fn first_person_stands_on_the_sea_and_never_in_the_ground() {
        // Scene: a beach that rises to the east out of a sea 20 cells deep.
        let ground = |x: f64, _: f64| (0.5 * x) as f32;
        let sea = |rig: &Rig| (20.0 - ground(rig.feet()[0].into(), 0.0)).max(0.0);
        let mut rig = Rig::new(
            &CameraSpec {
                azimuth_deg: 270.0,
                ..CameraSpec::default()
            },
            &bounds(),
            SIZE,
            0.0,
        );
        rig.toggle_first_person(&bounds(), 1.0, ground);
        let [x, _] = rig.feet();
        assert!(x < 30.0, "it begins in the west");
        rig.stand_above(sea(&rig));
        assert!(
            (rig.goal.eye().y - 21.0).abs() < 1e-3,
            "{}",
            rig.goal.eye().y
        );
        for _ in 0..400 {
            rig.walk_on([0.0, 0.0, 1.0], 0.05, ground);
            rig.stand_above(sea(&rig));
            let [x, z] = rig.feet();
            let surface = ground(x.into(), z.into()).max(20.0);
            assert!(
                (rig.goal.eye().y - surface - 1.0).abs() < 0.05,
                "{} over {surface} at {x}",
                rig.goal.eye().y
            );
        }
        assert!(rig.feet()[0] > 60.0, "it came ashore");
        (0..100).for_each(|_| rig.walk_on([0.0, -1.0, 0.0], 0.05, ground));
        let [x, z] = rig.feet();
        assert!(
            (rig.goal.eye().y - ground(x.into(), z.into()) - 0.5).abs() < 0.05,
            "not below half its height"
        );
    }

    #[test]
    fn a_saved_camera_stands_where_the_window_stood() {
        let mut rig = rig();
        rig.drag((333.0, -20.0));
        rig.zoom(2.0, (100.0, 80.0), SIZE);
        let spec = rig.spec(&bounds());
        assert_eq!(spec.validate(), Ok(()));
        let saved = Camera::new(&spec, &bounds(), SIZE);
        let camera = settled(rig).camera(SIZE);
        assert!(
            (saved.eye() - camera.eye()).norm() < 0.05,
            "{} {}",
            saved.eye(),
            camera.eye()
        );
    }

    #[test]
    fn a_camera_that_was_written_comes_back() {
        let mut rig = rig();
        rig.drag((333.0, -20.0));
        rig.zoom(2.0, (100.0, 80.0), SIZE);
        let rig = settled(rig);
        let (mut other, fov_deg) = (self::rig(), 50.0);
        other.stand(
            &CameraSpec {
                fov_deg,
                ..rig.shown_spec(&bounds())
            },
            &bounds(),
        );
        assert!((other.camera(SIZE).eye() - rig.camera(SIZE).eye()).norm() < 0.05);
        assert_eq!(other.shown_spec(&bounds()).fov_deg, fov_deg);
        other.reset(&bounds());
        assert_eq!(
            settled(other).camera(SIZE),
            self::rig().camera(SIZE),
            "its field of view too"
        );
    }

    #[test]
    fn presets_stand_where_they_say() {
        let middle = 64.0;
        let stands = |side| {
            let mut rig = rig();
            rig.face(side, &bounds());
            settled(rig).camera(SIZE).eye()
        };
        assert!(stands(Side::Front).z > 128.0 && (stands(Side::Front).x - middle).abs() < 0.1);
        assert!(stands(Side::Back).z < 0.0);
        assert!(stands(Side::Left).x < 0.0);
        assert!(stands(Side::Right).x > 128.0);
        assert!(stands(Side::Top).y > 150.0);
    }

    #[test]
    fn the_turntable_never_ends_and_stillness_is_noticed() {
        let mut rig = rig();
        assert!(!rig.advance(0.1), "nothing moves by itself");
        rig.turntable = true;
        assert!((0..2000).all(|_| rig.advance(0.1)));
        rig.turntable = false;
        assert!(!settled(rig).advance(0.1));
    }
}
