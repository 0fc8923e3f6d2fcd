//! Pictures of the session: camera, slices and look, drawn by a [`Tracer`].

use std::time::Duration;

#[cfg(feature = "gpu")]
use crate::card::Tracer;
use crate::orbit::Orbit;
#[cfg(not(feature = "gpu"))]
use crate::tracer::Tracer;
use lavoxel_automaton::world::Quantity;
use lavoxel_render::contents::opened;
use lavoxel_render::{Axis, Bounds, Camera, CameraSpec, LookSpec, Ray, Style};
use lavoxel_session::{Session, entered};
use lavoxel_sim::lowpass::LowPass;
use lavoxel_sim::state::State;

/// Position of the slice across each axis as a share of the box, and what it shows.
pub(crate) type Slices = [Option<(f32, Quantity)>; 3];

/// Camera, slices and look of a session, and what draws them.
pub(crate) struct Picture {
    tracer: Tracer,
    look: LookSpec,
    /// Number of cells of the box along x, y and z.
    sides: [f32; 3],
    pub(crate) orbit: Orbit,
    /// Camera of the last picture, and what it was made from.
    camera: Camera,
    framed: Option<([f32; 6], (usize, usize), Bounds)>,
    /// Bounds that the camera frames, in cells.
    subject: Bounds,
    slices: Slices,
}

impl Picture {
    /// Prepares pictures of `session` over a coarse ground.
    ///
    /// # Errors
    /// If the box is too large to be drawn, or its look is wrong.
    pub(crate) fn new(session: &Session) -> Result<Self, String> {
        let grid = session.simulation().world().grid();
        LowPass::check(grid).map_err(|invalid| invalid.to_string())?;
        let look = LookSpec {
            drape: session.drape().cloned(),
            cell_height: session.proportion(),
            ..session.look()
        };
        let tracer = Tracer::new(session, &look)?;
        let subject = tracer.subject();
        Ok(Self {
            tracer,
            look,
            sides: [grid.nx, grid.ny, grid.nz].map(|side| side as f32),
            orbit: Orbit::new(&session.camera()),
            camera: Camera::new(&session.camera(), &subject, (16, 16)),
            framed: None,
            subject,
            slices: [None, None, None],
        })
    }

    /// Follows the session to another moment, to which no steps led.
    pub(crate) fn jump(&mut self, session: &Session) {
        self.tracer.jump(session);
    }

    /// Draws a picture of `size` pixels (width, height) that takes about 1 / `fps` seconds; 0: one
    /// of a scene at rest. Returns true if another picture of the same state would look better.
    ///
    /// # Errors
    /// If the graphics card is gone.
    pub(crate) fn draw(
        &mut self,
        session: &Session,
        size: (usize, usize),
        fps: f32,
    ) -> Result<bool, String> {
        self.tracer.follow(session, &self.slices)?;
        self.subject = self.tracer.subject();
        let framed = (self.orbit.numbers(), size, self.subject);
        if self.framed.as_ref() != Some(&framed) {
            self.camera = self.placed(session.simulation().world(), size);
            self.framed = Some(framed);
        }
        self.tracer.draw(&self.camera, fps)
    }

    /// Returns the camera for pictures of `size` pixels, above the ground.
    fn placed(&self, world: &State, size: (usize, usize)) -> Camera {
        let spec = self.orbit.spec(&self.subject, size);
        let camera = Camera::new(&spec, &self.subject, size);
        let target = Camera::frame(&spec, &self.subject, size).target;
        self.tracer
            .out_of_rock(world, &camera, target)
            .unwrap_or(camera)
    }

    /// Computes more of the fine maps of the ground for about `budget`. Returns true if they are not
    /// done.
    pub(crate) fn bake(&mut self, world: &State, budget: Duration) -> bool {
        self.tracer.bake(world, budget)
    }

    /// Cuts the box open across `axis` at `share` of it to show `quantity`, or closes it.
    pub(crate) fn set_slice(&mut self, axis: Axis, share: Option<f32>, quantity: Option<Quantity>) {
        self.slices[axis.number()] = share.zip(Some(quantity.unwrap_or_default()));
        self.tracer.recut();
    }

    /// Returns the positions of the slices as shares of the box.
    pub(crate) fn slices(&self) -> [Option<f32>; 3] {
        [0, 1, 2].map(|axis| self.slices[axis].as_ref().map(|(share, _)| *share))
    }

    /// Draws in `style` from now on.
    pub(crate) fn set_style(&mut self, style: Style) -> Result<(), String> {
        self.look.style = style;
        self.tracer
            .set_look(&self.look)
            .map_err(|invalid| invalid.to_string())
    }

    /// Returns the style of the pictures.
    pub(crate) fn style(&self) -> Style {
        self.look.style
    }

    /// Moves what the camera shows by (`right`, `down`) in heights of the picture.
    pub(crate) fn pan(&mut self, right: f32, down: f32) {
        let subject = &self.subject;
        let target = nalgebra::center(&subject.low, &subject.high);
        let away = (target - self.camera.eye()).norm();
        let height = 2.0 * away * self.camera.half_height();
        let [across, up, _] = self.camera.axes();
        self.orbit
            .shift((up * down - across * right) * height, subject);
    }

    /// Returns the visible part of the box (lower and upper bound in cells along x, y and z), and
    /// the rays from where they enter it, through `points`: x and y in pixels of the last picture,
    /// one pair after the other.
    pub(crate) fn rays(&self, points: &[f32]) -> ([[f32; 2]; 3], Vec<Ray>) {
        let sides = self.sides;
        let eye = self.camera.eye();
        let shares = [0, 1, 2].map(|axis| eye[axis] / sides[axis]);
        let part = opened(self.look.clip, self.slices(), shares);
        let part = [0, 1, 2].map(|axis| part[axis].map(|share| share * sides[axis]));
        let ray = |at: &[f32; 2]| entered(&self.camera.ray(at[0], at[1]), part, sides);
        (part, points.as_chunks::<2>().0.iter().map(ray).collect())
    }

    /// Returns the last picture, four bytes a pixel; empty where the graphics card draws.
    pub(crate) fn rgba(&self) -> &[u8] {
        self.tracer.rgba()
    }

    /// Returns the share of the resolution at which the last picture was traced, along each axis.
    pub(crate) fn share(&self) -> f32 {
        self.tracer.share()
    }

    /// Returns camera and look, as a scene states them.
    pub(crate) fn view(&self) -> (CameraSpec, LookSpec) {
        let spec = self.orbit.spec(&self.subject, self.camera.size());
        (spec, self.look.clone())
    }
}
