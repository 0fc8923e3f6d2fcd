//! Messages between the window and the simulation thread: plain data.
//!
//! Invariant: the window never waits for a step, and a step never waits for the window.

mod reports;
mod versus;

use std::path::PathBuf;
use std::sync::Arc;

use ndarray::{Array2, s};

pub use self::reports::{
    AccountReport, AirAccount, BranchReport, DeedReport, MaterialReport, Probe, Report, Rock,
    TimeLine,
};
pub use self::versus::{SecondUpdate, TwoRuns, Versus};
pub use super::flow::{FlowProbe, FlowReport};
pub use super::history::tree::{
    Act, ActKind, Branch, BranchError, Deed, History, HistoryError, LONGEST_NAME, MOST_BRANCHES,
    Moment,
};
use lavoxel_automaton::world::{Ground, GroundCursor, Matter, Quantity};
use lavoxel_base::grid::Place;
use lavoxel_files::output::Existing;
use lavoxel_render::ground::heightfield::Caves;
use lavoxel_render::ground::lava_glow::EmberLight;
use lavoxel_render::media::sea::Sea;
use lavoxel_render::{CameraSpec, LookSpec, MaterialLook, Ray};
pub use lavoxel_render::{Cut, Glow, Mouth};
use lavoxel_scene::film::FilmKey;
use lavoxel_scene::scene::Scene;
pub use lavoxel_sim::lowpass::BRICK;
use lavoxel_sim::lowpass::{AirVolume, CrustMap};
use lavoxel_sim::simulation;

/// Speed at which the simulation runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pace {
    /// Makes no steps.
    Paused,
    /// Fixed rate in steps per second (above 0), as far as the machine can.
    Rate(f64),
    /// Makes steps as fast as possible.
    Free,
}

/// Command of the window to the simulation thread. The thread handles commands between two steps,
/// in the order of sending.
#[derive(Clone, Debug)]
pub enum Command {
    /// Replaces the session by a new scene at step 0.
    Open(Box<Scene>),
    /// Sets the pace, or pauses.
    Pace(Pace),
    /// Makes this number of steps as fast as possible, then pauses.
    Steps(u64),
    /// Applies a command to the simulation as a new act; vents are numbered as in
    /// [`Report::vents`]. If acts or steps lie ahead, a new branch begins.
    World(simulation::Command),
    /// Applies a command to the simulation within the same gesture as the previous command (such as
    /// a drag of a slider): undo joins both.
    Drag(simulation::Command),
    /// Draws a piece of a brush stroke.
    Stroke(Box<Stroke>),
    /// Takes a snapshot of the present moment, to which the user can return.
    Keep,
    /// Moves the session to another moment.
    Go(Way),
    /// Renames or removes a branch.
    Branch(BranchChange),
    /// Shows another branch, by its number, at the present step or at its tip if that lies earlier;
    /// `None` returns to the present moment.
    Visit(Option<u64>),
    /// Probes the cell under the pointer along a ray; [`Report::probe`] holds the result until
    /// another ray, or `None` for no probe.
    Pick(Option<Ray>),
    /// Selects the slices to send: cell index across x, y and z (`None`: no slice), and the
    /// quantity they show.
    Cuts([Option<usize>; 3], Quantity),
    /// Parameters of the light that the lava casts on the rock.
    Glow(Glow),
    /// Begins a second run of this scene at step 0, which follows the session, in place of the
    /// second run so far; `None` ends the second run.
    Second(Option<Box<Scene>>),
    /// Parameters of the light that the lava of the second run casts on the rock.
    SecondGlow(Glow),
    /// True gives drawing priority over steps (such as while a camera is dragged); false ends that
    /// priority.
    GiveWay(bool),
    /// Selects the measurements for the live plots.
    Watch(Watch),
    /// Camera and look for the next save.
    View(Box<CameraSpec>, Box<LookSpec>),
    /// Key frames of the film for the next save.
    Film(Vec<FilmKey>),
    /// Replaces the session by the scene of a session file, and replays its history up to the saved
    /// moment.
    Resume(Box<Scene>, Box<History>),
    /// Thumbnail for the session file, as PNG bytes.
    Thumbnail(Vec<u8>),
    /// Writes the session to a file: as a session file with its history, or as a scene file whose
    /// run reproduces the state bit by bit. The second field says what happens to an existing file.
    Save(PathBuf, Existing),
}

/// Measurements that the window requests in addition to the numbers of every report.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Watch {
    /// Name of the material whose covered area and runout are measured; `None` for no material.
    pub material: Option<String>,
    /// Column `[x, z]` whose thicknesses and temperature are measured; `None` for no column.
    pub column: Option<[usize; 2]>,
    /// Column `[x, z]` under a first-person camera; `None` outside first person.
    pub stand: Option<[usize; 2]>,
}

/// Results of the measurements requested by `Watch`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Watched {
    /// Extent of the watched material; `None` if none is watched.
    pub spread: Option<Spread>,
    /// Values of the watched column; `None` if none is watched or outside the box.
    pub column: Option<Column>,
    /// Surface under a first-person camera; `None` outside first person or outside the box.
    pub stand: Option<Stand>,
}

/// Height of the surface under a first-person camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stand {
    /// Column `[x, z]`.
    pub at: [usize; 2],
    /// Upper surface of ground, bodies and liquids, in cells above the floor of the box.
    pub surface: f32,
}

/// Extent of a material on the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// Number of the step at the measurement.
    pub step: u64,
    /// Covered area of the ground in m².
    pub area_m2: f64,
    /// Runout: horizontal distance of the farthest covered column from its nearest vent, in metres;
    /// `None` without a vent.
    pub front_m: Option<f64>,
}

/// Measurements of one column.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Column `[x, z]`.
    pub at: [usize; 2],
    /// Name and thickness in metres of each material: volume in the column over the column's area.
    pub thickness_m: Vec<(String, f64)>,
    /// Surface temperature of liquid lava in °C; `None` in the classic model or without lava.
    pub celsius: Option<f64>,
}

/// Piece of a brush stroke, along the path of the pointer.
#[derive(Clone, Debug)]
pub struct Stroke {
    /// Set for the first piece of a stroke.
    pub begins: bool,
    /// Rays along the pointer's path since the previous piece, each starting where it enters the
    /// visible part of the box. Empty: repeats the last dab.
    pub rays: Vec<Ray>,
    /// Visible part of the box: lower and upper bound in cells along x, y and z.
    pub part: [[f32; 2]; 3],
    /// Radius of the brush in cells.
    pub radius: f64,
    /// Matter that the brush puts into the ball.
    pub matter: Matter,
}

/// Movement of a session through its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Goes to a moment of the present branch and pauses.
    To(Moment),
    /// Goes to a step of the present branch, after all acts at that step, and pauses.
    Step(u64),
    /// Returns to the scene as it was opened, at the present pace.
    Start,
    /// Returns to the nearest earlier moment kept by the user, or to the start if there is none,
    /// and pauses.
    Back,
    /// Goes to the nearest later moment kept by the user, or to the tip of the branch if there is
    /// none, and pauses.
    Ahead,
    /// Undoes the last deed: goes to the moment just before it.
    Undo,
    /// Redoes the deed undone last, or the next one ahead if none was undone: goes to the moment
    /// just after it.
    Redo,
    /// Goes to the branch with this number, at the present step or at its tip if that lies earlier.
    Branch(u64),
}

/// Change of a branch; the first field is the branch's number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BranchChange {
    /// Renames the branch.
    Rename(u64, String),
    /// Removes the branch, and the acts that lie on no other branch.
    Remove(u64),
}

/// Changed texels in a box of the lava's volume.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patch {
    /// Cell with the lowest coordinates, as x, y, z.
    pub origin: Place,
    /// Number of cells along x, y and z.
    pub size: [usize; 3],
    /// Density and energy of each cell, as bytes coded like [`lavoxel_sim::lowpass::Volume`]; x
    /// fastest, then y, then z.
    pub texels: Vec<[u8; 2]>,
}

/// Changed rectangle of the ground.
#[derive(Clone, Debug)]
pub struct GroundPatch {
    /// First column as `[x, z]`.
    pub origin: [usize; 2],
    /// Heights in cells above the floor, shape (columns along z, columns along x).
    pub heights: Array2<f32>,
    /// Columns with caves of the whole ground.
    pub(crate) caves: Arc<Caves>,
}

impl GroundPatch {
    /// Creates a patch of the whole ground; `tall` is the height of a cell in cell widths.
    pub(crate) fn whole(ground: &Ground, tall: f32) -> Self {
        Self {
            origin: [0, 0],
            heights: ground.surface().clone(),
            caves: Arc::new(Caves::from_ground(ground, tall)),
        }
    }

    /// Creates a patch of the bounding rectangle of all columns changed since `cursor`, and moves
    /// the cursor to the present; `None` without changes. `tall` is the height of a cell in cell
    /// widths.
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

    /// Copies the patch into `heights`, the heights of the whole ground in cells, shape (nz, nx).
    pub fn write_to(&self, heights: &mut Array2<f32>) {
        let ([x, z], (depth, width)) = (self.origin, self.heights.dim());
        heights
            .slice_mut(s![z..z + depth, x..x + width])
            .assign(&self.heights);
    }
}

/// Changes of the materials other than lava since the last update.
#[derive(Clone, Debug, PartialEq)]
pub struct MediaUpdate {
    /// Name and look of each material present, in the order of the texels' bytes.
    pub media: Vec<(String, MaterialLook)>,
    /// Set if all earlier texels are invalid; cells without a patch are then empty.
    pub reset: bool,
    /// Changed boxes; disjoint.
    pub patches: Vec<MediaPatch>,
    /// Largest density (0 to 255) of any of the materials in each brick of [`BRICK`]³ cells,
    /// including a halo of one cell; x fastest. `None` if unchanged.
    pub bricks: Option<Vec<u8>>,
}

/// Changed texels of all materials other than lava, in a box of the volume.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MediaPatch {
    /// Cell with the lowest coordinates, as x, y, z.
    pub origin: Place,
    /// Number of cells along x, y and z.
    pub size: [usize; 3],
    /// Density of each cell, one byte per material of [`MediaUpdate::media`], 255 for a full cell;
    /// material fastest, then x, y, z.
    pub texels: Vec<u8>,
}

/// Changes of the simulation since the last update.
#[derive(Debug)]
pub struct Update {
    /// Numbers of the simulation's present state.
    pub report: Report,
    /// Set if all data of earlier updates are invalid: the box may have another size, and cells
    /// without a patch are empty.
    pub reset: bool,
    /// Changed boxes of the lava's volume; disjoint.
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
    /// Changed part of the ground, the whole ground after a reset; `None` if unchanged.
    pub ground: Option<GroundPatch>,
    /// Requested slices across x, y and z; `None` for each unchanged slice.
    pub cuts: [Option<Cut>; 3],
    /// Light of the lava on its surroundings; `None` if unchanged.
    pub ember: Option<EmberUpdate>,
    /// Present sea: water at the sides of the box; `None` without a sea.
    pub sea: Option<Sea>,
    /// Present mouths of the vents that throw clots of lava.
    pub mouths: Vec<Mouth>,
    /// Changes of the second run; `None` without a second run.
    pub second: Option<SecondUpdate>,
    /// New notices for the user.
    pub notices: Vec<Notice>,
}

impl Update {
    /// Creates an update with `report` and no other changes.
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
            second: None,
            notices: Vec::new(),
        }
    }
}

/// Light that the lava casts on its surroundings.
#[derive(Clone, Debug, PartialEq)]
pub struct EmberUpdate {
    /// Per column, shape (nz, nx), x fastest: emitted light; height × emitted light (both blurred);
    /// surface temperature in kelvin, 0 if unknown.
    pub columns: Vec<[f32; 3]>,
    /// Patches of glowing lava: centre as x, y, z in cells, and glow.
    pub patches: Vec<[f32; 4]>,
}

impl EmberUpdate {
    /// Creates an update from the computed light of a volume.
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

/// Notice for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// Set for an error: an action could not be done.
    pub wrong: bool,
    /// Text, one sentence.
    pub text: String,
    /// Remedy that a button next to the text offers; `None` for no button.
    pub mend: Option<Mend>,
}

/// Remedy that the window offers together with a notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mend {
    /// Opens the sides of the box, where lava has piled up.
    OpenSides,
}

impl Notice {
    /// Creates a notice about a completed action.
    pub fn new(text: String) -> Self {
        Self {
            wrong: false,
            text,
            mend: None,
        }
    }

    /// Creates an error notice about an action that failed.
    pub fn wrong(text: String) -> Self {
        Self {
            wrong: true,
            text,
            mend: None,
        }
    }
}
