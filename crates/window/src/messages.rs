//! The messages between the window and the simulation thread. Plain data: the window never waits for a step, and a step
//! never waits for the window.

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

/// How fast the automaton runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pace {
    /// Not at all.
    Paused,
    /// Steps a second, as far as the machine can.
    Rate(f64),
    /// As fast as possible.
    Free,
}

/// A message of the window to the simulation thread. The thread handles them between two steps, in the order in which
/// they were sent.
#[derive(Clone, Debug)]
pub enum Command {
    /// Start again with another scene.
    Open(Box<Scene>),
    /// Run, or pause.
    Pace(Pace),
    /// Make this many steps, then pause.
    Steps(u64),
    /// A command to the simulation; numbers of vents are those of [`Report::vents`]. Where something lies ahead, another
    /// branch begins.
    World(simulation::Command),
    /// A command to the simulation that goes on with the gesture of the one before, as while a slider is dragged: both are
    /// undone together.
    Drag(simulation::Command),
    /// Draw with a brush.
    Stroke(Box<Stroke>),
    /// Keep the present moment, to come back to it.
    Keep,
    /// Go through time.
    Go(Way),
    /// Change a branch.
    Branch(BranchChange),
    /// Show the present step of another branch, or its end; `None` goes back to the present moment.
    Visit(Option<u64>),
    /// Probes the cell under the pointer; the answer is [`Report::probe`], kept up to date until another ray or `None`.
    Pick(Option<Ray>),
    /// The slices to send, by cell along x, y and z, and what they show.
    Cuts([Option<usize>; 3], Quantity),
    /// Inputs of the light of the lava on the rock.
    Glow(Glow),
    /// Whether steps leave most of the processor to pictures, as while a camera is dragged.
    GiveWay(bool),
    /// Measurements for the live plots.
    Watch(Watch),
    /// Camera and look for the file of the session.
    View(Box<CameraSpec>, Box<LookSpec>),
    /// Key frames of the film for the file of the session.
    Film(Vec<FilmKey>),
    /// Begin with the scene of a session file, and go to where its history is.
    Resume(Box<Scene>, Box<History>),
    /// A small picture for the file of the session, as a PNG file.
    Thumbnail(Vec<u8>),
    /// Write the session as a scene that replays to the same bits; a session file has its history too.
    Save(PathBuf, Existing),
}

/// Measurements that the window asks for besides those of every report.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Watch {
    /// Material whose covered ground and front are measured.
    pub material: Option<String>,
    /// The column x, z that is measured.
    pub column: Option<[usize; 2]>,
    /// The column x, z on which a camera stands.
    pub stand: Option<[usize; 2]>,
}

/// Measurements that were asked for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Watched {
    /// The material.
    pub spread: Option<Spread>,
    /// The column, where it is in the box.
    pub column: Option<Column>,
    /// The column on which a camera stands, where it is in the box.
    pub stand: Option<Stand>,
}

/// Height on which a camera stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stand {
    /// Its column x, z.
    pub at: [usize; 2],
    /// Upper surface of the ground, of bodies and of liquids, in cells above the floor of the box.
    pub surface: f32,
}

/// Extent of a material over the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// Steps after which it was measured.
    pub step: u64,
    /// Ground under it in square metres.
    pub area_m2: f64,
    /// Distance of its farthest column from the nearest vent, in metres along the map; none without a vent.
    pub front_m: Option<f64>,
}

/// A column in numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Its place x, z.
    pub at: [usize; 2],
    /// The thickness of each material in metres: its volume over its area.
    pub thickness_m: Vec<(String, f64)>,
    /// Temperature of the surface of liquid lava in °C, in the physical model.
    pub celsius: Option<f64>,
}

/// A piece of a stroke: a brush is drawn along the path of the pointer.
#[derive(Clone, Debug)]
pub struct Stroke {
    /// Whether a stroke begins with it.
    pub begins: bool,
    /// Rays through the path since the piece before, each from where it enters the part of the box that is seen. Without
    /// rays the last dab is put once more.
    pub rays: Vec<Ray>,
    /// The part of the box that is seen, in cells along x, y and z.
    pub part: [[f32; 2]; 3],
    /// Radius of the ball in cells.
    pub radius: f64,
    /// Matter that the ball puts in.
    pub matter: Matter,
}

/// A way through the time of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// To a moment of the present branch, to pause there.
    To(Moment),
    /// To a step of the present branch, with all that was done after it, to pause there.
    Step(u64),
    /// To the scene as it was opened, at the present pace.
    Start,
    /// To the last moment before this one that the user kept, else to the start, to pause there.
    Back,
    /// To the next moment after this one that the user kept, else to the end of the branch, to pause there.
    Ahead,
    /// To the moment before the last act.
    Undo,
    /// To the moment after the act that was taken back, else after the next one ahead.
    Redo,
    /// To the present step of another branch, or to its end.
    Branch(u64),
}

/// A change of a branch, by its number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BranchChange {
    /// Another name.
    Rename(u64, String),
    /// It goes, with the acts that no other one has.
    Remove(u64),
}

/// Texels of a box of the volume.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patch {
    /// Lowest corner in cells.
    pub origin: Place,
    /// Cells along each axis.
    pub size: [usize; 3],
    /// Density and energy of each cell as in [`lavoxel_sim::lowpass::Volume`], x fastest, then y, then z.
    pub texels: Vec<[u8; 2]>,
}

/// A part of the ground.
#[derive(Clone, Debug)]
pub struct GroundPatch {
    /// First column along x and z.
    pub origin: [usize; 2],
    /// Heights in cells above the floor, shape (columns along z, columns along x).
    pub heights: Array2<f32>,
    /// The columns with caves of the whole ground.
    pub(crate) caves: Arc<Caves>,
}

impl GroundPatch {
    /// All of a ground; `tall`: the height of a cell in its widths.
    pub(crate) fn whole(ground: &Ground, tall: f32) -> Self {
        Self { origin: [0, 0], heights: ground.surface().clone(), caves: Arc::new(Caves::of(ground, tall)) }
    }

    /// The columns of a ground that changed since the cursor, which is then up to date; `None` where none did.
    pub(crate) fn since(cursor: &mut GroundCursor, ground: &Ground, tall: f32) -> Option<Self> {
        let [xs, zs] = ground.changes_since(cursor).bounds(ground.grid())?;
        let heights = ground.surface().slice(s![zs.clone(), xs.clone()]).to_owned();
        Some(Self { origin: [xs.start, zs.start], heights, caves: Arc::new(Caves::of(ground, tall)) })
    }

    /// Writes its heights into those of the whole ground, shape (nz, nx).
    pub fn write_to(&self, heights: &mut Array2<f32>) {
        let ([x, z], (depth, width)) = (self.origin, self.heights.dim());
        heights.slice_mut(s![z..z + depth, x..x + width]).assign(&self.heights);
    }
}

/// Changes of the materials besides the lava since the update before.
#[derive(Clone, Debug, PartialEq)]
pub struct MediaUpdate {
    /// Name and look of those of which there is any.
    pub media: Vec<(String, MaterialLook)>,
    /// Everything before is void: cells without a patch hold nothing.
    pub reset: bool,
    /// Boxes that changed, without overlap.
    pub patches: Vec<MediaPatch>,
    /// Largest density of any of them in each brick of [`BRICK`]³ cells with one cell around it, x fastest, when any changed.
    pub bricks: Option<Vec<u8>>,
}

/// A box of the fields of all materials besides the lava.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MediaPatch {
    /// First cell along x, y and z.
    pub origin: Place,
    /// Cells along x, y and z.
    pub size: [usize; 3],
    /// For each cell, x fastest, then y, then z, the densities of [`MediaUpdate::media`], 255 for 1.
    pub texels: Vec<u8>,
}

/// Changes since the update before.
#[derive(Debug)]
pub struct Update {
    /// Numbers.
    pub report: Report,
    /// Whether to drop all earlier updates: the box may have another shape, and cells without a patch hold nothing.
    pub reset: bool,
    /// Boxes of the volume that changed, without overlap.
    pub patches: Vec<Patch>,
    /// Changes of the materials besides the lava.
    pub media: Option<MediaUpdate>,
    /// Ash and steam in the air, when they changed; `None` in it where there is nothing any more.
    pub air: Option<Option<Arc<AirVolume>>>,
    /// How hot the surface of lava that grows a crust is, when that changed; `None` in it where it is not known.
    pub crust: Option<Option<Arc<CrustMap>>>,
    /// Largest density of each brick of [`BRICK`]³ cells with one cell around it, x fastest, when any changed.
    pub bricks: Option<Vec<u8>>,
    /// The part of the ground that changed; all of it when the scene is new.
    pub ground: Option<GroundPatch>,
    /// The slices asked for, along x, y and z, when they changed.
    pub cuts: [Option<Cut>; 3],
    /// Light of the lava, when it changed.
    pub ember: Option<EmberUpdate>,
    /// The water at the sides of the box, as it is now.
    pub sea: Option<Sea>,
    /// Mouths of vents that throw clots, as they are now.
    pub mouths: Vec<Mouth>,
    /// Messages for the user: what was done, or could not be.
    pub notices: Vec<Notice>,
}

impl Update {
    /// An update of the numbers alone.
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

/// Light that the lava throws on what is around it.
#[derive(Clone, Debug, PartialEq)]
pub struct EmberUpdate {
    /// Light that leaves each column and its height times that light, both blurred, and the temperature of its surface in
    /// kelvin, 0 where that is not known; shape (nz, nx), x fastest.
    pub columns: Vec<[f32; 3]>,
    /// For each patch of lava that glows its middle in cells along x, y and z, and its glow.
    pub patches: Vec<[f32; 4]>,
}

impl EmberUpdate {
    /// The light of a volume.
    pub(crate) fn of(light: &EmberLight) -> Self {
        let surface = |k: usize| light.crust.as_ref().map_or(0.0, |crust| crust.data[k]);
        let column = |(k, map): (usize, &nalgebra::Vector2<f32>)| [map.x, map.y, surface(k)];
        Self {
            columns: light.maps.data.iter().enumerate().map(column).collect(),
            patches: light.patches.iter().map(|p| [p.place.x, p.place.y, p.place.z, p.glow]).collect(),
        }
    }
}

/// A message for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// Whether something could not be done.
    pub wrong: bool,
    /// One sentence.
    pub text: String,
    /// A mend that a button beside the text brings.
    pub mend: Option<Mend>,
}

/// A mend that the window offers with a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mend {
    /// Opens the sides of the box, at which lava stands.
    OpenSides,
}

impl Notice {
    /// A message about something that was done.
    pub fn new(text: String) -> Self {
        Self { wrong: false, text, mend: None }
    }

    /// A message about something that could not be done.
    pub fn wrong(text: String) -> Self {
        Self { wrong: true, text, mend: None }
    }
}
