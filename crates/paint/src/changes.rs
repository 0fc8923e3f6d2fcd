//! Picture data of a scene that changed since a painter last asked: plain data for painters that keep
//! a copy, and [`ChangeFinder`].

mod lava_glow;
mod media;
mod patches;

use std::sync::Arc;

use ndarray::{Array2, s};

use self::lava_glow::LavaLight;
use self::media::MediaChanges;
use self::patches::patches;
use lavoxel_automaton::world::{Ground, GroundCursor, Quantity};
use lavoxel_base::grid::{Grid, Place};
use lavoxel_render::ground::heightfield::Caves;
use lavoxel_render::ground::lava_glow::EmberLight;
use lavoxel_render::media::sea::Sea;
use lavoxel_render::{Axis, Cut, Glow, MaterialLook, Mouth};
pub use lavoxel_sim::lowpass::BRICK;
use lavoxel_sim::lowpass::{AirVolume, Bricks, CrustMap, LowPass, Volume};
use lavoxel_sim::simulation::{Simulation, StageTime};
use lavoxel_sim::state::State;

/// Changed box-shaped region of the lava's volume, with the new texels of its cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patch {
    /// Lower corner of the patch: smallest x, y and z of its cells.
    pub origin: Place,
    /// Number of cells along x, y and z.
    pub size: [usize; 3],
    /// Density and energy of each cell of the patch, as bytes coded like
    /// [`lavoxel_sim::lowpass::Volume`]; x fastest, then y, then z.
    pub texels: Vec<[u8; 2]>,
}

/// Rectangle of columns in which the ground changed, with the new heights.
#[derive(Clone, Debug)]
pub struct GroundPatch {
    /// Corner column of the rectangle with the smallest `[x, z]`.
    pub origin: [usize; 2],
    /// Ground heights in cells above the floor of the simulation box, shape (columns along z,
    /// columns along x).
    pub heights: Array2<f32>,
    /// Caves of the whole ground: open cells below the surface, by column.
    pub caves: Arc<Caves>,
}

impl GroundPatch {
    /// Creates a patch of the whole ground. `tall`: height of a cell divided by its width.
    pub fn whole(ground: &Ground, tall: f32) -> Self {
        Self {
            origin: [0, 0],
            heights: ground.surface().clone(),
            caves: Arc::new(Caves::from_ground(ground, tall)),
        }
    }

    /// Creates a patch of the smallest rectangle that contains all columns changed since `cursor`,
    /// and marks these changes as read in `cursor`; `None` without changes. `tall`: height of a
    /// cell divided by its width.
    pub fn since(cursor: &mut GroundCursor, ground: &Ground, tall: f32) -> Option<Self> {
        let [xs, zs] = ground.changes_since(cursor).bounds(ground.grid())?;
        let heights = ground
            .surface()
            .slice(s![zs.clone(), xs.clone()])
            .to_owned();
        Some(Self {
            origin: [xs.start, zs.start],
            heights,
            caves: Arc::new(Caves::from_ground(ground, tall)),
        })
    }

    /// Copies the heights of the patch into `heights`, which has the heights of the whole ground in
    /// cells, shape (nz, nx).
    pub fn write_to(&self, heights: &mut Array2<f32>) {
        let ([x, z], (depth, width)) = (self.origin, self.heights.dim());
        heights
            .slice_mut(s![z..z + depth, x..x + width])
            .assign(&self.heights);
    }
}

/// Changes of the materials other than lava since the last update of the window.
#[derive(Clone, Debug, PartialEq)]
pub struct MediaUpdate {
    /// Name and look of each material present, in the order of the bytes in each cell's texels.
    pub media: Vec<(String, MaterialLook)>,
    /// Set if all texels of earlier updates are invalid; cells outside of all patches are then
    /// empty.
    pub reset: bool,
    /// Changed box-shaped regions of the volume, which do not overlap.
    pub patches: Vec<MediaPatch>,
    /// Largest density (0 to 255) of any of the materials in each brick of [`BRICK`]³ cells,
    /// including a halo of one cell; x fastest. `None` if unchanged.
    pub bricks: Option<Vec<u8>>,
}

/// Changed box-shaped region of the volume, with the new densities of all materials other than
/// lava.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MediaPatch {
    /// Lower corner of the patch: smallest x, y and z of its cells.
    pub origin: Place,
    /// Number of cells along x, y and z.
    pub size: [usize; 3],
    /// Density of each cell of the patch (0 empty to 255 full), one byte for each material of
    /// [`MediaUpdate::media`]; material fastest, then x, y, z.
    pub texels: Vec<u8>,
}

/// Changes of the picture data since the last ones that a [`ChangeFinder`] found.
#[derive(Debug)]
pub struct Changes {
    /// Size of the simulation box in cells.
    pub grid: Grid,
    /// Number of steps made.
    pub step: u64,
    /// Set if all data of earlier changes are invalid: the simulation box may have another size,
    /// and cells outside of all patches are empty.
    pub reset: bool,
    /// Changed box-shaped regions of the lava's volume, which do not overlap.
    pub patches: Vec<Patch>,
    /// Changes of the materials other than lava; `None` if unchanged.
    pub media: Option<MediaUpdate>,
    /// Ash and steam in the air. Outer `None`: unchanged; inner `None`: clear air.
    pub air: Option<Option<Arc<AirVolume>>>,
    /// Surface temperatures of lava with a crust. Outer `None`: unchanged; inner `None`: unknown.
    pub crust: Option<Option<Arc<CrustMap>>>,
    /// Largest density (0 to 255) of lava in each brick of [`BRICK`]³ cells, including a halo of
    /// one cell; x fastest. `None` if unchanged.
    pub bricks: Option<Vec<u8>>,
    /// Changed rectangle of the ground, or the whole ground after a reset; `None` if unchanged.
    pub ground: Option<GroundPatch>,
    /// Requested slices across x, y and z; `None` for a slice that is unchanged or was not
    /// requested.
    pub cuts: [Option<Cut>; 3],
    /// Light that the lava casts on its surroundings; `None` if unchanged.
    pub ember: Option<EmberUpdate>,
    /// Sea at the sides of the simulation box in the present state; `None` without a sea.
    pub sea: Option<Sea>,
    /// Mouths of the vents that throw sparks in the present state.
    pub mouths: Vec<Mouth>,
}

impl Changes {
    /// Returns no changes of a box of the size `grid` after `step` steps.
    pub fn none(grid: Grid, step: u64) -> Self {
        Self {
            grid,
            step,
            reset: false,
            patches: Vec::new(),
            media: None,
            air: None,
            crust: None,
            bricks: None,
            ground: None,
            cuts: [None, None, None],
            ember: None,
            sea: None,
            mouths: Vec::new(),
        }
    }
}

/// Light that the lava casts on its surroundings, for the GPU painter, which does not compute this
/// light.
#[derive(Clone, Debug, PartialEq)]
pub struct EmberUpdate {
    /// For each column, shape (nz, nx), x fastest: emitted light (blurred); height × emitted light
    /// (blurred); surface temperature in kelvin, 0 if unknown.
    pub columns: Vec<[f32; 3]>,
    /// Patches of glowing lava: centre as x, y, z in cells, and strength of the emitted light.
    pub patches: Vec<[f32; 4]>,
}

impl EmberUpdate {
    /// Creates an update from `light`, the light computed for the present volume of the lava.
    pub fn from_light(light: &EmberLight) -> Self {
        let surface = |k: usize| light.crust.as_ref().map_or(0.0, |crust| crust.data[k]);
        let column = |(k, map): (usize, &nalgebra::Vector2<f32>)| [map.x, map.y, surface(k)];
        Self {
            columns: light.maps.data.iter().enumerate().map(column).collect(),
            patches: light
                .patches
                .iter()
                .map(|p| [p.place.x, p.place.y, p.place.z, p.glow])
                .collect(),
        }
    }
}

/// Picture data that a painter asks for in addition to volume and ground.
#[derive(Clone, Debug)]
pub struct Asked<'a> {
    /// Cell index of the slice across x, y and z; `None`: no slice.
    pub cuts: [Option<usize>; 3],
    /// Quantity whose values the slices show.
    pub quantity: &'a Quantity,
    /// Parameters of the light that the lava casts on the rock; `None` if the painter computes this
    /// light.
    pub glow: Option<Glow>,
    /// Height of a cell divided by its width, as pictures draw the cell.
    pub tall: f32,
}

/// Builder of the changes of one simulation; stores which data the painter has.
pub struct ChangeFinder {
    lowpass: LowPass,
    bricks: Bricks,
    media: MediaChanges,
    /// Ash and steam that were sent last; `None` for clear air, and before the first changes.
    sent_air: Option<Arc<AirVolume>>,
    /// Crust temperatures that were sent last; `None` if unknown, and before the first changes.
    sent_crust: Option<Arc<CrustMap>>,
    cuts: [Option<Cut>; 3],
    embers: LavaLight,
    /// Position in the list of ground changes up to which changes were sent; `None` before the
    /// first changes.
    ground: Option<GroundCursor>,
    filter: StageTime,
    /// Set until the first changes, which replace all data of the painter.
    reset: bool,
    /// Set if cells of the world may have changed since the last changes.
    stale: bool,
}

impl ChangeFinder {
    /// Creates a builder for a box of the size `grid`; its first changes contain all data.
    pub fn new(grid: Grid) -> Self {
        Self {
            lowpass: LowPass::new(grid),
            bricks: Bricks::new(grid),
            media: MediaChanges::default(),
            sent_air: None,
            sent_crust: None,
            cuts: [None, None, None],
            embers: LavaLight::default(),
            ground: None,
            filter: StageTime::default(),
            reset: true,
            stale: true,
        }
    }

    /// Marks the cells of the world as possibly changed, so that the next changes are searched for.
    pub fn touch(&mut self) {
        self.stale = true;
    }

    /// Returns true if cells of the world may have changed since the last changes.
    pub fn is_stale(&self) -> bool {
        self.stale
    }

    /// Returns the low-pass volume as of the last changes.
    pub fn volume(&self) -> &Volume {
        self.lowpass.volume()
    }

    /// Returns the slices across x, y and z that were sent last.
    pub fn cuts(&self) -> &[Option<Cut>; 3] {
        &self.cuts
    }

    /// Returns the duration of the low-pass filter.
    pub fn filter(&self) -> &StageTime {
        &self.filter
    }

    /// Returns all data of `simulation` that the painter does not have yet.
    pub fn changes(&mut self, simulation: &Simulation, asked: &Asked) -> Changes {
        let world = simulation.world();
        // If the world has not changed since the last changes, low-pass and bricks are still valid.
        let (mut changes, mut patched, mut others) = (false, Vec::new(), None);
        if std::mem::take(&mut self.stale) {
            let Self {
                lowpass,
                bricks,
                media,
                filter,
                ..
            } = self;
            filter.time(|| {
                lowpass.refresh(world);
                let changed = lowpass.take_changes();
                changes = bricks.refresh(lowpass.volume(), &changed);
                patched = patches(lowpass.volume(), bricks, &changed);
                others = media.update(lowpass);
            });
        }
        let reset = std::mem::take(&mut self.reset);
        let crust = newer(&mut self.sent_crust, &self.lowpass.volume().crust);
        let ember = self.embers.update(
            &self.lowpass,
            !patched.is_empty() || crust.is_some(),
            asked.glow,
        );
        Changes {
            grid: world.grid(),
            step: simulation.steps(),
            reset,
            patches: patched,
            bricks: (reset || changes).then(|| self.bricks.densest().to_vec()),
            media: others,
            air: newer(&mut self.sent_air, &self.lowpass.volume().air),
            crust,
            ground: self.ground(world, asked.tall),
            cuts: self.cut(world, asked),
            ember,
            sea: Sea::from_volume(self.lowpass.volume()),
            mouths: self.mouths(simulation),
        }
    }

    /// Returns the mouths of the vents that throw sparks; empty in the physical model.
    pub fn mouths(&self, simulation: &Simulation) -> Vec<Mouth> {
        let world = simulation.world();
        let vents = simulation.vents().filter(|_| world.flow().is_none());
        let seen = (self.lowpass.volume(), world.ground().surface());
        Mouth::all_from_vents(vents, seen, (simulation.seed(), simulation.steps()))
    }

    /// Returns the rectangle of the ground that changed since the last changes, or at first the
    /// whole ground; `None` without changes. `tall`: height of a cell divided by its width.
    fn ground(&mut self, world: &State, tall: f32) -> Option<GroundPatch> {
        match &mut self.ground {
            Some(cursor) => GroundPatch::since(cursor, world.ground(), tall),
            none => {
                *none = Some(world.ground().cursor());
                Some(GroundPatch::whole(world.ground(), tall))
            }
        }
    }

    /// Returns the slices across x, y and z that `asked` names; `None` for each slice that is not
    /// asked for or equals the one sent last.
    fn cut(&mut self, world: &State, asked: &Asked) -> [Option<Cut>; 3] {
        [Axis::X, Axis::Y, Axis::Z].map(|axis| {
            let new =
                asked.cuts[axis.number()].map(|cell| Cut::new(world, axis, cell, asked.quantity));
            let old = &mut self.cuts[axis.number()];
            if new == *old {
                return None;
            }
            old.clone_from(&new);
            new
        })
    }
}

/// Compares `now` (such as the air) by pointer with `sent`, its value at the last changes, and
/// stores `now` in `sent`. Returns `None` if both are equal, else a copy of `now`.
fn newer<T>(sent: &mut Option<Arc<T>>, now: &Option<Arc<T>>) -> Option<Option<Arc<T>>> {
    if now.as_ref().map(Arc::as_ptr) == sent.as_ref().map(Arc::as_ptr) {
        return None;
    }
    sent.clone_from(now);
    Some(now.clone())
}
