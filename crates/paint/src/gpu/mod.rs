//! Painter on the graphics card.
//!
//! The pictures are nearly those of `render::Renderer`: the same baked ground, transfer function,
//! camera and formulas (in WGSL under `shaders/`). The passes:
//!
//! ```text
//! ground   triangles → distance and face per pixel         only when the camera or the ground changed
//! caves    one ray per pixel through the cells of caves    the same, where there are caves
//! backdrop one ray per pixel: ground, slices, sky          the same; averaged over frames
//! lava     one ray per pixel through the volume            averaged over frames while nothing changes
//! bloom    bright light, blurred narrowly and widely       cinematic only
//! develop  light → screen
//! ```

mod accumulator;
mod bricks;
mod canvas;
mod caves;
mod clock;
mod film;
mod fog;
mod frame;
mod ground;
mod lava;
mod media;
mod picture;
mod smoke;
mod stage;
mod turn;
#[cfg(test)]
mod twins;
mod wgsl;

use std::sync::Arc;
use std::time::Duration;

use web_time::Instant;

use self::accumulator::Accumulator;
pub use self::bricks::TooLarge;
use self::clock::DrawClock;
use self::film::PostProcess;
use self::ground::GroundRoom;
use self::lava::VolumeTextures;
use self::smoke::Shown;
use self::stage::Stage;
use crate::changes::Changes;
use crate::device::Gpu;
use crate::rest::Rest;
use crate::{PaintTimes, Part, View};
use lavoxel_base::validate::Invalid;
use lavoxel_render::ground::land::TerrainLook;
use lavoxel_render::ground::sky::Sky;
use lavoxel_render::media::sea::Sea;
use lavoxel_render::running::Resolution;
use lavoxel_render::style::transfer::Transfer;
use lavoxel_render::{Bounds, LookSpec, Mouth};

/// Default upper bound of the number of frames that are averaged while nothing changes.
const FRAMES: u32 = 12;

/// Painter on the graphics card: scene data, render passes and accumulated pictures.
pub struct GpuPainter {
    gpu: Gpu,
    stage: Stage,
    film: PostProcess,
    look: LookSpec,
    sky: Sky,
    transfer: Transfer,
    ground: Option<GroundRoom>,
    lava: Option<VolumeTextures>,
    view: Option<View>,
    /// Pixel columns of the window in which the picture is drawn; `None` for the whole window.
    part: Part,
    /// Number of simulation steps at the last update.
    steps: u64,
    /// Sea: water at the sides of the simulation box, as of the last update; `None` without a sea.
    sea: Option<Sea>,
    /// Mouths of the vents that throw sparks (lava fountains).
    mouths: Vec<Mouth>,
    /// Version number of the scene's textures, raised when a texture is replaced; bind groups of an
    /// earlier version are outdated.
    bindings: u64,
    /// Counter of all visible changes of the scene; changes of camera and display options are not
    /// counted.
    content: u64,
    /// Counter of the changes of the backdrop's content (ground and slices); changes of lava,
    /// camera and display options are not counted.
    scenery: u64,
    /// Set while rays skip bricks without visible content.
    skipping: bool,
    /// Accumulated partial images (backdrop and lava) of the picture on the screen.
    window: Accumulator,
    /// Accumulated partial images (backdrop and lava) of pictures for image files.
    pictures: Accumulator,
    resolution: Resolution,
    clock: DrawClock,
    /// Duration of the last upload of volume data, and its size in bytes.
    upload: (Duration, usize),
    /// Upper bound of the number of frames that are averaged while nothing changes.
    frames: u32,
    rest: Rest,
    /// Set if the next frame of the window would equal the last one.
    settled: bool,
    /// Number of different pictures shown so far.
    shown: u64,
}

impl GpuPainter {
    /// Creates a painter on the device `gpu`.
    ///
    /// # Errors
    /// If `look` is invalid.
    pub fn new(gpu: Gpu, look: &LookSpec) -> Result<Self, Invalid> {
        look.validate()?;
        let transfer = Transfer::new(look, look.palette.build("look.palette")?);
        let stage = Stage::new(&gpu);
        stage.set_transfer(&gpu, &transfer);
        Ok(Self {
            film: PostProcess::new(&gpu),
            stage,
            gpu,
            look: look.clone(),
            sky: Sky::new(look),
            transfer,
            ground: None,
            lava: None,
            view: None,
            part: None,
            steps: 0,
            sea: None,
            mouths: Vec::new(),
            bindings: 0,
            content: 0,
            scenery: 0,
            // Jumps are off only while their gain is measured.
            skipping: true,
            window: Accumulator::default(),
            pictures: Accumulator::default(),
            resolution: Resolution::default(),
            clock: DrawClock::default(),
            upload: (Duration::ZERO, 0),
            frames: FRAMES,
            rest: Rest::default(),
            settled: false,
            shown: 0,
        })
    }

    /// Replaces the look settings. The ground's light is baked again, on a separate thread, only if
    /// the sun, the height of cells, the surroundings or the drape have changed.
    ///
    /// # Errors
    /// If `look` is invalid; the look settings then stay unchanged.
    pub fn set_look(&mut self, look: &LookSpec) -> Result<(), Invalid> {
        look.validate()?;
        if *look == self.look {
            return Ok(());
        }
        self.transfer = Transfer::new(look, look.palette.build("look.palette")?);
        self.stage.set_transfer(&self.gpu, &self.transfer);
        let sky = Sky::new(look);
        let ground = |look: &LookSpec| (look.cell_height, look.surroundings, look.drape.clone());
        if (sky.sun, ground(look)) != (self.sky.sun, ground(&self.look))
            && let Some(ground) = &mut self.ground
        {
            ground.baked.relight();
        }
        self.sky = sky;
        if let Some(lava) = &mut self.lava {
            let replaced = lava.fog.apply(
                &self.gpu,
                None,
                (self.sky.sun, look.cell_height, self.steps),
            );
            self.bindings += u64::from(replaced);
            // A smoke grid too large for this card was refused by `apply` already.
            let replaced = lava
                .smoke
                .refresh(&self.gpu, Shown::new(look, self.sky.sun));
            self.bindings += u64::from(replaced.unwrap_or(false));
        }
        self.look = look.clone();
        self.set_empty();
        self.changed();
        Ok(())
    }

    /// Turns empty-space skipping (over bricks without visible content) on or off, for measurements
    /// of the drawing time. Does not change the pictures.
    pub fn set_skipping(&mut self, skipping: bool) {
        self.skipping = skipping;
        self.set_empty();
        self.changed();
    }

    /// Raises the change counters of backdrop and lava, so that the light accumulated so far is
    /// discarded.
    fn changed(&mut self) {
        self.content += 1;
        self.scenery += 1;
    }

    fn set_empty(&mut self) {
        if let Some(lava) = &mut self.lava {
            lava.set_empty(
                &self.gpu,
                self.transfer.of_interest(&self.look).empty,
                self.skipping,
            );
            lava.media.set_step(&self.gpu, self.look.step);
        }
    }

    /// Uploads the data of `update`, and moves uploaded data out of `update`.
    ///
    /// # Errors
    /// If a new box is too large for the graphics card; nothing is drawn until the next box
    /// arrives.
    pub fn apply(&mut self, update: &mut Changes) -> Result<(), TooLarge> {
        let start = Instant::now();
        if update.reset {
            (self.lava, self.ground) = (None, None);
            self.lava = Some(VolumeTextures::new(&self.gpu, update.grid)?);
            self.set_empty();
            self.bindings += 1;
        }
        let Some(lava) = &mut self.lava else {
            return Ok(());
        };
        let mut bytes = lava.patch(&self.gpu, &update.patches);
        if let Some(media) = &update.media {
            let (sent, replaced) = lava.media.apply(&self.gpu, media, self.look.step)?;
            bytes += sent;
            self.bindings += u64::from(replaced);
        }
        if let Some(maxima) = update.bricks.take() {
            lava.set_bricks(&self.gpu, maxima);
        }
        if let Some(ember) = &update.ember {
            lava.set_ember(&self.gpu, &ember.columns);
            lava.smoke.set_patches(&ember.patches);
        }
        let air = update.air.take();
        let carried = air.is_some();
        air.into_iter().for_each(|air| lava.smoke.set_air(air));
        for (axis, cut) in update.cuts.iter().enumerate() {
            if let Some(cut) = cut {
                lava.set_cut(&self.gpu, axis, cut);
            }
        }
        // Sea, sparks and drifting patterns depend on the step even where no patch arrived.
        let drifts =
            self.steps != update.step || self.sea != update.sea || self.mouths != update.mouths;
        (self.steps, self.sea) = (update.step, update.sea);
        self.mouths = std::mem::take(&mut update.mouths);
        let gases = lava.fog.apply(
            &self.gpu,
            update.media.as_ref(),
            (self.sky.sun, self.look.cell_height, self.steps),
        );
        self.bindings += u64::from(gases);
        let shown = Shown::new(&self.look, self.sky.sun);
        self.bindings += u64::from(lava.smoke.refresh(&self.gpu, shown)?);
        let scenery =
            update.reset || update.ground.is_some() || update.cuts.iter().any(Option::is_some);
        self.scenery += u64::from(scenery);
        self.content +=
            u64::from(scenery || bytes > 0 || carried || update.ember.is_some() || drifts);
        self.apply_ground(update);
        self.upload = (start.elapsed(), bytes);
        Ok(())
    }

    fn apply_ground(&mut self, update: &Changes) {
        let Some(patch) = &update.ground else { return };
        let grid = update.grid;
        match &mut self.ground {
            Some(ground) if !update.reset => {
                ground.apply(&self.gpu, patch, &self.look);
            }
            _ => self.ground = Some(GroundRoom::new(&self.gpu, patch, grid, &self.look)),
        }
        self.bindings += 1;
    }

    /// Bakes changes of the ground at once instead of in batches.
    pub fn hurry_ground(&mut self) {
        self.ground
            .iter_mut()
            .for_each(|ground| ground.baked.hurry());
    }

    /// Returns the bounds that a camera frames: those of the ground, in cells. `None` before the
    /// first ground has arrived.
    pub fn subject(&self) -> Option<Bounds> {
        self.ground.as_ref().map(|ground| ground.baked.subject())
    }

    /// Returns the ground as it is drawn now; `None` before the first ground has arrived.
    pub fn shown_land(&self) -> Option<&TerrainLook> {
        self.ground.as_ref().map(|ground| &*ground.baked.land)
    }

    /// Returns the ground as it is drawn, if it is final.
    pub fn land(&self) -> Option<Arc<TerrainLook>> {
        self.ground.as_ref()?.baked.final_land()
    }

    /// Sets the pixel columns of the window in which the next pictures are drawn; `None` for the
    /// whole window.
    pub fn place(&mut self, part: Part) {
        self.part = part;
    }

    /// Sets the camera and the display options of the next frames.
    pub fn show(&mut self, view: &View) {
        self.view = Some(view.clone());
    }

    /// Returns true if the next frame of the window would equal the last one.
    pub fn idle(&self) -> bool {
        self.settled
            && self
                .ground
                .as_ref()
                .is_none_or(|ground| ground.baked.settled())
    }

    /// Returns true if a scene has arrived that the graphics card can draw.
    pub fn has_scene(&self) -> bool {
        self.lava.is_some()
    }

    /// Returns size and duration of the last upload, and the drawing time of the last picture.
    pub fn times(&self) -> PaintTimes {
        PaintTimes {
            upload: self.upload.0,
            uploaded_bytes: self.upload.1,
            draw: self.clock.last(),
            scale: if self.window.is_fine() {
                1.0
            } else {
                self.resolution.scale()
            },
            changed: self.rest.since(),
            shown: self.shown,
        }
    }
}
