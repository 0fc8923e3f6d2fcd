//! Pictures by the ray-marcher on the processor, for every browser.

use std::sync::Arc;
use std::time::Duration;

use nalgebra::Point3;
use web_time::Instant;

use crate::picture::Slices;
use lavoxel_base::validate::Invalid;
use lavoxel_render::contents::Contents;
use lavoxel_render::ground::heightfield::Caves;
use lavoxel_render::ground::land::{LandBake, MapNodes, NODES, per_cell};
use lavoxel_render::renderer::Renderer;
use lavoxel_render::running::{Fineness, Haste, Quality, Running, Tracing};
use lavoxel_render::{Axis, Bounds, Camera, Cut, Image, LookSpec, Mouth};
use lavoxel_session::Session;
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

/// Ray-marcher of a session.
pub(crate) struct Tracer {
    lowpass: LowPass,
    renderer: Renderer,
    running: Running,
    look: LookSpec,
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

impl Tracer {
    /// Prepares pictures of `session` with the look settings `look` over a coarse ground.
    ///
    /// # Errors
    /// If the look is wrong.
    pub(crate) fn new(session: &Session, look: &LookSpec) -> Result<Self, String> {
        let world = session.simulation().world();
        let grid = world.grid();
        let caves = Caves::from_ground(world.ground(), look.cell_height);
        let land = LandBake::new(world.ground().surface(), caves, look, MapNodes::COARSE).finish();
        let renderer = Renderer::over(Arc::new(land), grid, look.clone())
            .map_err(|invalid| invalid.to_string())?;
        let fineness = MapNodes::of_final_picture(per_cell(grid.nx.max(grid.nz), NODES));
        let baking = Some(renderer.bake(world.ground(), fineness));
        Ok(Self {
            lowpass: LowPass::new(grid),
            renderer,
            running: Running::default(),
            look: look.clone(),
            cuts: [None, None, None],
            cut_at: None,
            baking,
            fineness,
            grounded: (Instant::now(), Duration::ZERO),
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

    /// Takes over the present state of `session`.
    ///
    /// # Errors
    /// None; where the graphics card draws, if the card is gone.
    pub(crate) fn follow(&mut self, session: &Session, slices: &Slices) -> Result<(), String> {
        let simulation = session.simulation();
        let world = simulation.world();
        self.lowpass.refresh(world);
        self.follow_ground(world);
        self.cut(world, simulation.steps(), slices);
        self.renderer.set_steps(simulation.steps());
        let seen = (self.lowpass.volume(), world.ground().surface());
        let moment = (simulation.seed(), simulation.steps());
        let vents = simulation.vents().filter(|_| world.flow().is_none());
        self.renderer
            .set_mouths(Mouth::all_from_vents(vents, seen, moment));
        Ok(())
    }

    /// Draws a picture for `camera` that takes about 1 / `fps` seconds; 0: at a third of the
    /// resolution along each axis, so that nine pictures have all of it. Returns true if another
    /// picture of the same state would look better.
    ///
    /// # Errors
    /// None; where the graphics card draws, if the card is gone.
    pub(crate) fn draw(&mut self, camera: &Camera, fps: f32) -> Result<bool, String> {
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
        let shown = self.running.draw(&mut frames, camera, haste);
        let Some(shown) = shown else { return Ok(true) };
        (self.rgba, self.share) = (shown.rgba, shown.share);
        Ok(!shown.is_settled)
    }

    /// Returns the bounds that a camera frames, in cells.
    pub(crate) fn subject(&self) -> Bounds {
        self.renderer.subject()
    }

    /// Returns `camera` raised above the ground and aimed at `target` (cells) if it is inside rock.
    pub(crate) fn out_of_rock(
        &self,
        world: &State,
        camera: &Camera,
        target: Point3<f32>,
    ) -> Option<Camera> {
        self.renderer.out_of_rock(world.ground(), camera, target)
    }

    /// Makes the slices anew.
    pub(crate) fn recut(&mut self) {
        self.cut_at = None;
    }

    /// Draws with the look settings `look`, which differ in the style only.
    pub(crate) fn set_look(&mut self, look: &LookSpec) -> Result<(), Invalid> {
        self.look = look.clone();
        self.running.forget();
        self.renderer.set_look_but_sunlight(look.clone())
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
            // The ground may have changed since the maps were begun.
            self.grounded.1 = Duration::ZERO;
            self.follow_ground(world);
            self.changed = None;
        }
        self.baking.is_some()
    }

    /// Makes the slices of the present step.
    fn cut(&mut self, world: &State, step: u64, slices: &Slices) {
        if self.cut_at.replace(step) == Some(step) {
            return;
        }
        let grid = world.grid();
        for (axis, (cut, slice)) in [Axis::X, Axis::Y, Axis::Z]
            .into_iter()
            .zip(self.cuts.iter_mut().zip(slices))
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

    /// Returns the last picture, four bytes a pixel.
    pub(crate) fn rgba(&self) -> &[u8] {
        &self.rgba
    }

    /// Returns the share of the resolution at which the last picture was traced, along each axis.
    pub(crate) fn share(&self) -> f32 {
        self.share
    }
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
