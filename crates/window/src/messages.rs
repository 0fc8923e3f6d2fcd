//! Messages between the window and the simulation thread: plain data.
//!
//! Invariant: the window never waits for a step, and a step never waits for the window.

mod reports;

use std::path::PathBuf;
use std::sync::Arc;

use ndarray::{Array2, s};

pub use self::reports::{
    AccountReport, AirAccount, BranchReport, DeedReport, MaterialReport, Probe, Report, Rock, TimeLine,
};
pub use super::flow::{FlowProbe, FlowReport};
pub use super::past::history::{
    Act, Branch, BranchError, Deed, History, HistoryError, Kind, LONGEST_NAME, MOST_BRANCHES, Moment,
};
use lavoxel_automaton::world::{Ground, GroundCursor, Matter, Quantity};
use lavoxel_base::grid::Place;
use lavoxel_files::output::Existing;
use lavoxel_render::ground::ember::EmberLight;
use lavoxel_render::ground::heightfield::Caves;
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
    /// Stands still.
    Paused,
    /// Steps per second, as far as the machine can.
    Rate(f64),
    /// Unlimited.
    Free,
}

/// Message of the window to the simulation thread. The thread handles messages between two steps,
/// in the order of sending.
#[derive(Clone, Debug)]
pub enum Command {
    /// Starts again with another scene.
    Open(Box<Scene>),
    /// Runs at a pace, or pauses.
    Pace(Pace),
    /// Makes this number of steps, then pauses.
    Steps(u64),
    /// Command to the simulation; numbers of vents are those of [`Report::vents`]. If acts or steps
    /// lie ahead, another branch begins.
    World(simulation::Command),
    /// Command to the simulation within the same gesture as the command before, as while a slider
    /// is dragged: both are undone together.
    Drag(simulation::Command),
    /// Draws with a brush.
    Stroke(Box<Stroke>),
    /// Keeps the present moment, so that the user can come back.
    Keep,
    /// Moves through the session's time.
    Go(Way),
    /// Changes a branch.
    Branch(BranchChange),
    /// Shows the present step of another branch, or its end; `None` returns to the present moment.
    Visit(Option<u64>),
    /// Probes the cell under the pointer; the answer is [`Report::probe`], kept up to date until
    /// another ray or `None`.
    Pick(Option<Ray>),
    /// Slices to send, by cell index along x, y and z (`None`: not shown), and the quantity they
    /// show.
    Cuts([Option<usize>; 3], Quantity),
    /// Inputs of the light that the lava throws on the rock.
    Glow(Glow),
    /// Set while steps shall leave most of the processor to pictures, as while a camera is dragged.
    GiveWay(bool),
    /// Selects measurements for the live plots.
    Watch(Watch),
    /// Camera and look for the session file.
    View(Box<CameraSpec>, Box<LookSpec>),
    /// Key frames of the film for the session file.
    Film(Vec<FilmKey>),
    /// Begins with the scene of a session file, and goes to the present moment of its history.
    Resume(Box<Scene>, Box<History>),
    /// Thumbnail for the session file, as PNG bytes.
    Thumbnail(Vec<u8>),
    /// Writes the session as a scene that replays to the same bits; a session file holds its
    /// history too.
    Save(PathBuf, Existing),
}

/// Measurements that the window requests in addition to those of every report.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Watch {
    /// Material whose covered area and front are measured; `None` for none.
    pub material: Option<String>,
    /// Column `[x, z]` that is measured; `None` for none.
    pub column: Option<[usize; 2]>,
    /// Column `[x, z]` on which a camera stands; `None` outside first person.
    pub stand: Option<[usize; 2]>,
}

/// Results of the requested measurements.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Watched {
    /// Extent of the watched material.
    pub spread: Option<Spread>,
    /// Watched column; `None` outside the box.
    pub column: Option<Column>,
    /// Column on which a camera stands; `None` outside the box.
    pub stand: Option<Stand>,
}

/// Height of the surface on which a camera stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stand {
    /// Column `[x, z]`.
    pub at: [usize; 2],
    /// Upper surface of the ground, of bodies and of liquids, in cells above the floor of the box.
    pub surface: f32,
}

/// Extent of a material over the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// Step of the measurement.
    pub step: u64,
    /// Covered ground in square metres.
    pub area_m2: f64,
    /// Distance of the farthest covered column from the nearest vent, in metres along the map;
    /// `None` without a vent.
    pub front_m: Option<f64>,
}

/// Measurements of a column.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Column `[x, z]`.
    pub at: [usize; 2],
    /// Name and thickness in metres of each material: its volume over the column's area.
    pub thickness_m: Vec<(String, f64)>,
    /// Temperature in °C of the surface of liquid lava; `None` in the classic model or without
    /// lava.
    pub celsius: Option<f64>,
}

/// Piece of a stroke: a brush is drawn along the path of the pointer.
#[derive(Clone, Debug)]
pub struct Stroke {
    /// First-piece flag: a stroke begins with this piece.
    pub begins: bool,
    /// Rays along the path since the piece before, each starting where it enters the visible part
    /// of the box. Without rays the last dab is repeated.
    pub rays: Vec<Ray>,
    /// Visible part of the box: lower and upper bound in cells along x, y and z.
    pub part: [[f32; 2]; 3],
    /// Radius of the ball in cells.
    pub radius: f64,
    /// Matter that the ball puts in.
    pub matter: Matter,
}

/// Movement through the time of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Goes to a moment of the present branch, and pauses there.
    To(Moment),
    /// Goes to a step of the present branch, after all acts at that step, and pauses there.
    Step(u64),
    /// Returns to the scene as it was opened, at the present pace.
    Start,
    /// Returns to the nearest earlier moment that the user kept, else to the start, and pauses
    /// there.
    Back,
    /// Goes to the nearest later moment that the user kept, else to the end of the branch, and
    /// pauses there.
    Ahead,
    /// Goes to the moment before the last action.
    Undo,
    /// Goes to the moment after the action undone last, else after the next one ahead.
    Redo,
    /// Goes to the present step of another branch, or to its end.
    Branch(u64),
}

/// Change of a branch, by the branch's number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BranchChange {
    /// Gives the branch another name.
    Rename(u64, String),
    /// Removes the branch, with the acts that no other branch has.
    Remove(u64),
}

/// Texels of a box of the volume.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patch {
    /// Lowest corner in cells.
    pub origin: Place,
    /// Number of cells along x, y and z.
    pub size: [usize; 3],
    /// Density and energy of each cell as in [`lavoxel_sim::lowpass::Volume`], x fastest, then y,
    /// then z.
    pub texels: Vec<[u8; 2]>,
}

/// Rectangular part of the ground.
#[derive(Clone, Debug)]
pub struct GroundPatch {
    /// First column along x and z.
    pub origin: [usize; 2],
    /// Heights in cells above the floor, shape (columns along z, columns along x).
    pub heights: Array2<f32>,
    /// Columns with caves, of the whole ground.
    pub(crate) caves: Arc<Caves>,
}

impl GroundPatch {
    /// Patch of a whole ground; `tall`: the height of a cell in cell widths.
    pub(crate) fn whole(ground: &Ground, tall: f32) -> Self {
        Self { origin: [0, 0], heights: ground.surface().clone(), caves: Arc::new(Caves::of(ground, tall)) }
    }

    /// Bounding rectangle of the columns changed since `cursor`, which is then up to date; `None`
    /// without changes. `tall`: the height of a cell in cell widths.
    pub(crate) fn since(cursor: &mut GroundCursor, ground: &Ground, tall: f32) -> Option<Self> {
        let [xs, zs] = ground.changes_since(cursor).bounds(ground.grid())?;
        let heights = ground.surface().slice(s![zs.clone(), xs.clone()]).to_owned();
        Some(Self { origin: [xs.start, zs.start], heights, caves: Arc::new(Caves::of(ground, tall)) })
    }

    /// Writes the patch into the heights of the whole ground, shape (nz, nx).
    pub fn write_to(&self, heights: &mut Array2<f32>) {
        let ([x, z], (depth, width)) = (self.origin, self.heights.dim());
        heights.slice_mut(s![z..z + depth, x..x + width]).assign(&self.heights);
    }
}

/// Changes of the materials other than the lava since the update before.
#[derive(Clone, Debug, PartialEq)]
pub struct MediaUpdate {
    /// Name and look of each material that is present.
    pub media: Vec<(String, MaterialLook)>,
    /// Reset flag: all earlier texels are void; cells without a patch hold nothing.
    pub reset: bool,
    /// Changed boxes, without overlap.
    pub patches: Vec<MediaPatch>,
    /// Largest density of any material in each brick of [`BRICK`]³ cells with a halo of one cell, x
    /// fastest; `None` without changes.
    pub bricks: Option<Vec<u8>>,
}

/// Box of the fields of all materials other than the lava.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MediaPatch {
    /// First cell along x, y and z.
    pub origin: Place,
    /// Number of cells along x, y and z.
    pub size: [usize; 3],
    /// Densities of each cell, one byte per material of [`MediaUpdate::media`], 255 for 1; x
    /// fastest, then y, then z.
    pub texels: Vec<u8>,
}

/// Changes of the simulation since the update before.
#[derive(Debug)]
pub struct Update {
    /// State of the simulation in numbers.
    pub report: Report,
    /// Reset flag: drops all earlier updates. The box may have another shape, and cells without a
    /// patch hold nothing.
    pub reset: bool,
    /// Changed boxes of the volume, without overlap.
    pub patches: Vec<Patch>,
    /// Changes of the materials other than the lava.
    pub media: Option<MediaUpdate>,
    /// Ash and steam in the air. Outer `None`: unchanged; inner `None`: the air holds nothing any
    /// more.
    pub air: Option<Option<Arc<AirVolume>>>,
    /// Surface temperatures of lava that grows a crust. Outer `None`: unchanged; inner `None`:
    /// unknown.
    pub crust: Option<Option<Arc<CrustMap>>>,
    /// Largest density of each brick of [`BRICK`]³ cells with a halo of one cell, x fastest; `None`
    /// without changes.
    pub bricks: Option<Vec<u8>>,
    /// Changed part of the ground; all of the ground when the scene is new.
    pub ground: Option<GroundPatch>,
    /// Requested slices along x, y and z; `None` for unchanged ones.
    pub cuts: [Option<Cut>; 3],
    /// Light of the lava; `None` if unchanged.
    pub ember: Option<EmberUpdate>,
    /// Present water at the sides of the box.
    pub sea: Option<Sea>,
    /// Present mouths of vents that throw clots.
    pub mouths: Vec<Mouth>,
    /// Messages for the user: completed actions and errors.
    pub notices: Vec<Notice>,
}

impl Update {
    /// Update that holds only `report`.
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
            notices: Vec::new(),
        }
    }
}

/// Light that the lava throws on its surroundings.
#[derive(Clone, Debug, PartialEq)]
pub struct EmberUpdate {
    /// Per column: emitted light, and height × emitted light, both blurred; and surface temperature
    /// in kelvin, 0 if unknown. Shape (nz, nx), x fastest.
    pub columns: Vec<[f32; 3]>,
    /// Patches of glowing lava: middle in cells along x, y and z, and glow.
    pub patches: Vec<[f32; 4]>,
}

impl EmberUpdate {
    /// Update with the light of a volume.
    pub(crate) fn of(light: &EmberLight) -> Self {
        let surface = |k: usize| light.crust.as_ref().map_or(0.0, |crust| crust.data[k]);
        let column = |(k, map): (usize, &nalgebra::Vector2<f32>)| [map.x, map.y, surface(k)];
        Self {
            columns: light.maps.data.iter().enumerate().map(column).collect(),
            patches: light.patches.iter().map(|p| [p.place.x, p.place.y, p.place.z, p.glow]).collect(),
        }
    }
}

/// Message for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// Error flag: something could not be done.
    pub wrong: bool,
    /// Text of one sentence.
    pub text: String,
    /// Remedy offered by a button next to the text; `None` for no button.
    pub mend: Option<Mend>,
}

/// Remedy that the window offers with a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mend {
    /// Opens the sides of the box, at which lava stands.
    OpenSides,
}

impl Notice {
    /// Message about a completed action.
    pub fn new(text: String) -> Self {
        Self { wrong: false, text, mend: None }
    }

    /// Message about an action that failed.
    pub fn wrong(text: String) -> Self {
        Self { wrong: true, text, mend: None }
    }
}
