//! Messages between the window and the simulation thread: plain data.
//!
//! Invariant: the window never waits for a step, and a step never waits for the window.

mod printing;
mod reports;
mod versus;

use std::path::PathBuf;
use std::sync::Arc;

use ndarray::{Array2, s};

pub use self::printing::PrintSubject;
pub use self::reports::{AccountReport, AirAccount, MaterialReport, Report};
pub use self::versus::{SecondUpdate, TwoRuns, Versus};
pub use super::flow::FlowReport;
use lavoxel_automaton::world::{Ground, GroundCursor, Quantity};
use lavoxel_base::grid::Place;
use lavoxel_files::output::Existing;
use lavoxel_render::ground::heightfield::Caves;
use lavoxel_render::ground::lava_glow::EmberLight;
use lavoxel_render::media::sea::Sea;
use lavoxel_render::{CameraSpec, LookSpec, MaterialLook, Ray};
pub use lavoxel_render::{Cut, Glow, Mouth};
use lavoxel_scene::film::FilmKey;
use lavoxel_scene::scene::Scene;
pub use lavoxel_session::history::{
    Act, ActKind, Branch, BranchError, Deed, History, HistoryError, LONGEST_NAME, MOST_BRANCHES,
    Moment,
};
pub use lavoxel_session::{
    BranchChange, BranchReport, DeedReport, FlowProbe, Mend, Notice, Probe, Rock, Stroke, TimeLine,
    Way,
};
pub use lavoxel_sim::lowpass::BRICK;
use lavoxel_sim::lowpass::{AirVolume, CrustMap};
use lavoxel_sim::simulation;

/// Pace of the simulation: paused, a fixed step rate, or as fast as possible.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pace {
    /// Paused: no steps are made.
    Paused,
    /// Fixed rate in steps per second, above 0; lower if the machine is too slow.
    Rate(f64),
    /// Unlimited: steps are made as fast as possible.
    Free,
}

/// Command of the window to the simulation thread. Commands are handled between two steps, in the
/// order of sending.
#[derive(Clone, Debug)]
pub enum Command {
    /// Replaces the session by a new scene at step 0.
    Open(Box<Scene>),
    /// Sets the pace of the simulation or pauses; a pause ends a seek in progress.
    Pace(Pace),
    /// Makes this number of steps as fast as possible, then pauses.
    Steps(u64),
    /// Applies a command to the simulation and records the command as an act. Vents are numbered as
    /// in [`Report::vents`]. If acts or steps lie ahead in the history, a new branch begins.
    World(simulation::Command),
    /// Applies a command as `World` does, as a continuation of the mouse gesture of the previous
    /// command, such as the drag of a slider: undo reverts both together.
    Drag(simulation::Command),
    /// Applies a piece of a brush stroke to the world.
    Stroke(Box<Stroke>),
    /// Keeps a snapshot of the present moment, to which the user can return later.
    Keep,
    /// Moves the session to another moment, by a seek.
    Go(Way),
    /// Changes a branch of the session's history: renames or removes the branch.
    Branch(BranchChange),
    /// Shows the branch with this number, at the present step or at the branch's tip if the tip
    /// lies earlier; `None` returns to the present moment.
    Visit(Option<u64>),
    /// Sets the ray from the camera through the pointer. From then on, [`Report::probe`] contains
    /// the values of the first cell hit by this ray; `None` ends the probe.
    Pick(Option<Ray>),
    /// Sets the slices whose values the simulation sends. Fields: cell index of the slice across x,
    /// y and z (`None`: no slice), and the quantity on all slices.
    Cuts([Option<usize>; 3], Quantity),
    /// Sets the parameters of the light that the lava of the first run casts on the rock.
    Glow(Glow),
    /// Starts a second run with this scene at step 0, in place of the second run in progress; both
    /// runs advance together. `None` ends the second run.
    Second(Option<Box<Scene>>),
    /// Sets the parameters of the light that the second run's lava casts on the rock.
    SecondGlow(Glow),
    /// Gives drawing priority over simulation steps (true), for example while the camera is
    /// dragged, or ends that priority (false).
    GiveWay(bool),
    /// Makes time stand still, without a change of pace, and requests the state for a print of this
    /// size (width, height) in pixels, which the next update contains; `None` lets time go on.
    Print(Option<[u32; 2]>),
    /// Sets the measurements that the live plots and the first-person camera need.
    Watch(Watch),
    /// Sets the camera and the look that are saved with the session.
    View(Box<CameraSpec>, Box<LookSpec>),
    /// Sets the film key frames that are saved with the session.
    Film(Vec<FilmKey>),
    /// Replaces the session by the scene of a session file, and replays its history up to the saved
    /// moment.
    Resume(Box<Scene>, Box<History>),
    /// Sets the thumbnail that is saved with the session, as PNG bytes.
    Thumbnail(Vec<u8>),
    /// Writes the session to a file: as a session file with its history, or as a scene file whose
    /// run reproduces the present state bit for bit. Second field: treatment of an existing file.
    Save(PathBuf, Existing),
}

/// Measurements that the window requests in addition to the numbers of every report.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Watch {
    /// Name of the material whose covered area and runout are measured; `None`: no measurement.
    pub material: Option<String>,
    /// Column `[x, z]` whose thicknesses and temperature are measured; `None`: no measurement.
    pub column: Option<[usize; 2]>,
    /// Column `[x, z]` under the eye of a first-person camera, whose surface height is measured;
    /// `None` outside first person.
    pub stand: Option<[usize; 2]>,
}

/// Results of the measurements that the window has requested by `Command::Watch`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Watched {
    /// Covered area and runout of the requested material; `None` if none was requested.
    pub spread: Option<Spread>,
    /// Values of the requested column; `None` if none was requested, or for a column outside the
    /// simulation box.
    pub column: Option<Column>,
    /// Surface height of the column under a first-person camera; `None` outside first person, or
    /// for a column outside the simulation box.
    pub stand: Option<Stand>,
}

/// Height of the surface under a first-person camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stand {
    /// Index `[x, z]` of the column in which the surface was measured.
    pub at: [usize; 2],
    /// Height of the upper surface of ground, liquids and solid or granular matter, in cells above
    /// the floor of the simulation box.
    pub surface: f32,
}

/// Extent of one material on the ground: covered area and runout.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// Number of the step at which the extent was measured.
    pub step: u64,
    /// Area of all columns that contain the material, in m².
    pub area_m2: f64,
    /// Runout: largest horizontal distance in metres between a covered column and the vent nearest
    /// to that column; `None` without a vent.
    pub front_m: Option<f64>,
}

/// Measured values of one column, for the live plots.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Index `[x, z]` of the measured column.
    pub at: [usize; 2],
    /// Name of each material, with its thickness in metres: volume in the column divided by the
    /// column's area.
    pub thickness_m: Vec<(String, f64)>,
    /// Surface temperature of the liquid lava in °C; `None` in the classic model and without liquid
    /// lava.
    pub celsius: Option<f64>,
}

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
    pub(crate) caves: Arc<Caves>,
}

impl GroundPatch {
    /// Creates a patch of the whole ground. `tall`: height of a cell divided by its width.
    pub(crate) fn whole(ground: &Ground, tall: f32) -> Self {
        Self {
            origin: [0, 0],
            heights: ground.surface().clone(),
            caves: Arc::new(Caves::from_ground(ground, tall)),
        }
    }

    /// Creates a patch of the smallest rectangle that contains all columns changed since `cursor`,
    /// and marks these changes as read in `cursor`; `None` without changes. `tall`: height of a
    /// cell divided by its width.
    pub(crate) fn since(cursor: &mut GroundCursor, ground: &Ground, tall: f32) -> Option<Self> {
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

/// Update for the window: a report, and the changes of the picture data since the last update.
#[derive(Debug)]
pub struct Update {
    /// Report of the present state of the simulation: its step, accounts, measurements and
    /// settings.
    pub report: Report,
    /// Set if all data of earlier updates are invalid: the simulation box may have another size,
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
    /// State requested by `Command::Print`, or the reason as text for the user why there is no
    /// print; `None` if none was requested since the last update.
    pub print: Option<Result<Box<PrintSubject>, String>>,
    /// Update of the second run; `None` without a second run.
    pub second: Option<SecondUpdate>,
    /// Notices for the user since the last update, oldest first.
    pub notices: Vec<Notice>,
}

impl Update {
    /// Creates an update that contains `report` and no changes of the picture data.
    pub(crate) fn of_report(report: Report) -> Self {
        Self {
            report,
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
            print: None,
            second: None,
            notices: Vec::new(),
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
    pub(crate) fn from_light(light: &EmberLight) -> Self {
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
