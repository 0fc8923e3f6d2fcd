//! Pictures of the session: low-pass, renderer, maps of the ground, slices and camera.

use std::sync::Arc;
use std::time::Duration;

use web_time::Instant;

use crate::orbit::Orbit;
use lavoxel_automaton::world::Quantity;
use lavoxel_render::contents::{Contents, opened};
use lavoxel_render::ground::heightfield::Caves;
use lavoxel_render::ground::land::{LandBake, MapNodes, NODES, per_cell};
use lavoxel_render::renderer::Renderer;
use lavoxel_render::running::{Fineness, Haste, Quality, Running, Tracing};
use lavoxel_render::{Axis, Bounds, Camera, CameraSpec, Cut, Image, LookSpec, Mouth, Ray, Style};
use lavoxel_session::{Session, entered};
use lavoxel_sim::lowpass::LowPass;
use lavoxel_sim::state::State;

/// Pause between two updates of the ground's maps, as a multiple of the time of the last one, for
/// ground that lava raises step by step.
const GROUND_REST: u32 = 6;
/// Number of rows of the ground's maps between two looks at the clock.
const ROWS: usize = 6;
/// Share of the resolution along each axis at which a scene at rest is traced: nine offsets of such
/// frames are the whole resolution.
const AT_REST: f32 = 1.0 / 3.0;
/// Share of the resolution of the first picture, for which nothing is known yet.
const AT_FIRST: f32 = 0.2;
/// Time after a change of the ground during which pictures use few subpixel offsets.
const UNSTEADY: Duration = Duration::from_secs(3);

/// Renderer, camera and slices of a session.
pub(crate) struct Picture {
    lowpass: LowPass,
    renderer: Renderer,
    running: Running,
    look: LookSpec,
    pub(crate) orbit: Orbit,
    /// Camera of the last picture, and what it was made from.
    camera: Camera,
    framed: Option<([f32; 6], (usize, usize), u64)>,
    /// Bounds that the camera frames, in cells, and the number of times that the maps of the ground
    /// were replaced.
    subject: Bounds,
    lands: u64,
    /// Position of the slice across each axis as a share of the box, and what it shows.
    slices: [Option<(f32, Quantity)>; 3],
    cuts: [Option<Arc<Cut>>; 3],
    /// Step for which `cuts` were made.
    cut_at: Option<u64>,
    /// Fine maps of the ground in progress.
    baking: Option<LandBake>,
    fineness: MapNodes,
    /// Last update of the ground's maps: its end, and the time that it took.
    grounded: (Instant, Duration),
    /// Last change of the ground in pictures.
    changed: Option<Instant>,
    rgba: Vec<u8>,
    share: f32,
}

impl Picture {
    /// Prepares pictures of `session` over a coarse ground.
    ///
    /// # Errors
    /// If the box is too large to be drawn, or its look is wrong.
    pub(crate) fn new(session: &Session) -> Result<Self, String> {
        let world = session.simulation().world();
        let grid = world.grid();
        LowPass::check(grid).map_err(|invalid| invalid.to_string())?;
        let look = LookSpec {
            drape: session.drape().cloned(),
            cell_height: proportion(session),
            ..session.look()
        };
        let caves = Caves::from_ground(world.ground(), look.cell_height);
        let land = LandBake::new(world.ground().surface(), caves, &look, MapNodes::COARSE).finish();
        let renderer = Renderer::over(Arc::new(land), grid, look.clone())
            .map_err(|invalid| invalid.to_string())?;
        let fineness = MapNodes::of_final_picture(per_cell(grid.nx.max(grid.nz), NODES));
        let baking = Some(renderer.bake(world.ground(), fineness));
        let orbit = Orbit::new(&session.camera());
        let subject = renderer.subject();
        let camera = Camera::new(&session.camera(), &subject, (16, 16));
        let now = Instant::now();
        Ok(Self {
            lowpass: LowPass::new(grid),
            renderer,
            running: Running::default(),
            look,
            orbit,
            camera,
            framed: None,
            subject,
            lands: 0,
            slices: [None, None, None],
            cuts: [None, None, None],
            cut_at: None,
            baking,
            fineness,
            grounded: (now, Duration::ZERO),
            changed: None,
            rgba: Vec::new(),
            share: 0.0,
        })
    }

    /// Follows the session to another moment, to which no steps led.
    pub(crate) fn jump(&mut self, session: &Session) {
        self.lowpass = LowPass::new(session.simulation().world().grid());
        self.cut_at = None;
        self.grounded.1 = Duration::ZERO;
    }

    /// Draws a picture of `size` pixels (width, height) that takes about 1 / `fps` seconds; 0: at a
    /// third of the resolution along each axis, so that nine pictures have all of it. Returns true
    /// if another picture of the same state would look better.
    pub(crate) fn draw(&mut self, session: &Session, size: (usize, usize), fps: f32) -> bool {
        let simulation = session.simulation();
        let world = simulation.world();
        self.lowpass.refresh(world);
        self.follow_ground(world);
        self.cut(world, simulation.steps());
        self.renderer.set_steps(simulation.steps());
        let seen = (self.lowpass.volume(), world.ground().surface());
        let moment = (simulation.seed(), simulation.steps());
        let vents = simulation.vents().filter(|_| world.flow().is_none());
        self.renderer
            .set_mouths(Mouth::all_from_vents(vents, seen, moment));
        let framed = (self.orbit.numbers(), size, self.lands);
        if self.framed.replace(framed) != Some(framed) {
            self.camera = self.placed(world, size);
        }
        let unsteady = self.changed.is_some_and(|at| at.elapsed() < UNSTEADY);
        let mut frames = Frames {
            renderer: &mut self.renderer,
            lowpass: &mut self.lowpass,
            look: &self.look,
        };
        let fine = fps <= 0.0;
        let haste = Haste {
            quality: match (fine, self.rgba.is_empty()) {
                (true, _) => Quality::Fixed(AT_REST),
                (false, true) => Quality::Fixed(AT_FIRST),
                (false, false) => Quality::Auto { target_fps: fps },
            },
            unsteady,
            fine,
        };
        let shown = self.running.draw(&mut frames, &self.camera, haste);
        let Some(shown) = shown else { return true };
        (self.rgba, self.share) = (shown.rgba, shown.share);
        !shown.is_settled
    }

    /// Returns the camera for pictures of `size` pixels, above the ground.
    fn placed(&self, world: &State, size: (usize, usize)) -> Camera {
        let spec = self.orbit.spec(&self.subject, size);
        let camera = Camera::new(&spec, &self.subject, size);
        let target = Camera::frame(&spec, &self.subject, size).target;
        self.renderer
            .out_of_rock(world.ground(), &camera, target)
            .unwrap_or(camera)
    }

    /// Brings the maps of the ground up to date where little changed; otherwise begins new ones.
    fn follow_ground(&mut self, world: &State) {
        let (end, took) = self.grounded;
        if end.elapsed() < took * GROUND_REST {
            return;
        }
        let start = Instant::now();
        if !self.renderer.patch_ground(world.ground()) && self.baking.is_none() {
            self.baking = Some(self.renderer.bake(world.ground(), self.fineness));
        }
        let took = start.elapsed();
        if took > Duration::from_millis(1) {
            self.changed = Some(start);
        }
        self.grounded = (Instant::now(), took);
    }

    /// Computes more of the fine maps of the ground for about `budget`. Returns true if they are not
    /// done.
    pub(crate) fn bake(&mut self, world: &State, budget: Duration) -> bool {
        let start = Instant::now();
        let Some(bake) = &mut self.baking else {
            return false;
        };
        let mut is_done = false;
        while !is_done && start.elapsed() < budget {
            is_done = bake.go_on(ROWS);
        }
        if is_done && let Some(bake) = self.baking.take() {
            self.renderer.set_land(Arc::new(bake.finish()));
            (self.subject, self.lands) = (self.renderer.subject(), self.lands + 1);
            // The ground may have changed since the maps were begun.
            self.grounded.1 = Duration::ZERO;
            self.follow_ground(world);
            self.changed = None;
        }
        self.baking.is_some()
    }

    /// Makes the slices of the present step.
    fn cut(&mut self, world: &State, step: u64) {
        if self.cut_at.replace(step) == Some(step) {
            return;
        }
        let grid = world.grid();
        for (axis, (cut, slice)) in [Axis::X, Axis::Y, Axis::Z]
            .into_iter()
            .zip(self.cuts.iter_mut().zip(&self.slices))
        {
            *cut = slice.as_ref().map(|(share, quantity)| {
                let cell = (share * axis.cells(grid) as f32) as usize;
                Arc::new(Cut::new(world, axis, cell, quantity))
            });
        }
        self.renderer.set_contents(Contents {
            legend: false,
            slices: self.cuts.clone(),
            ..Contents::default()
        });
    }

    /// Cuts the box open across `axis` at `share` of it to show `quantity`, or closes it.
    pub(crate) fn set_slice(&mut self, axis: Axis, share: Option<f32>, quantity: Option<Quantity>) {
        self.slices[axis.number()] = share.zip(Some(quantity.unwrap_or_default()));
        self.cut_at = None;
    }

    /// Returns the positions of the slices as shares of the box.
    pub(crate) fn slices(&self) -> [Option<f32>; 3] {
        [0, 1, 2].map(|axis| self.slices[axis].as_ref().map(|(share, _)| *share))
    }

    /// Draws in `style` from now on.
    pub(crate) fn set_style(&mut self, style: Style) -> Result<(), String> {
        self.look.style = style;
        self.running.forget();
        self.renderer
            .set_look_but_sunlight(self.look.clone())
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
        let grid = self.lowpass.volume().grid;
        let sides = [grid.nx, grid.ny, grid.nz].map(|side| side as f32);
        let eye = self.camera.eye();
        let shares = [0, 1, 2].map(|axis| eye[axis] / sides[axis]);
        let part = opened(self.look.clip, self.slices(), shares);
        let part = [0, 1, 2].map(|axis| part[axis].map(|share| share * sides[axis]));
        let ray = |at: &[f32; 2]| entered(&self.camera.ray(at[0], at[1]), part, sides);
        (part, points.as_chunks::<2>().0.iter().map(ray).collect())
    }

    /// Returns the last picture, four bytes a pixel.
    pub(crate) fn rgba(&self) -> &[u8] {
        &self.rgba
    }

    /// Returns the share of the resolution at which the last picture was traced, along each axis.
    pub(crate) fn share(&self) -> f32 {
        self.share
    }

    /// Returns camera and look, as a scene states them.
    pub(crate) fn view(&self) -> (CameraSpec, LookSpec) {
        let spec = self.orbit.spec(&self.subject, self.camera.size());
        (spec, self.look.clone())
    }
}

/// Returns the height of a cell divided by its width, as pictures draw the cell.
fn proportion(session: &Session) -> f32 {
    let (flow, site) = (session.simulation().world().flow(), session.site());
    flow.map_or(1.0, |_| (site.cell_height_m() / site.cell_size_m) as f32)
}

/// Frames of the present state.
struct Frames<'a> {
    renderer: &'a mut Renderer,
    lowpass: &'a mut LowPass,
    look: &'a LookSpec,
}

impl Tracing for Frames<'_> {
    fn renderer(&mut self) -> &mut Renderer {
        self.renderer
    }

    fn trace(&mut self, camera: &Camera, fineness: Fineness) -> Option<Image> {
        let look = LookSpec {
            antialias: fineness.antialias,
            step: fineness.step(self.look.step),
            ..self.look.clone()
        };
        if *self.renderer.look() != look {
            self.renderer.set_look_but_sunlight(look).ok()?;
        }
        self.renderer.set_frame(fineness.frame);
        Some(self.renderer.frame_of(self.lowpass, camera))
    }
}
