//! Messages between the window and the simulation thread: plain data.
//!
//! Invariant: the window never waits for a step, and a step never waits for the window.

mod printing;
mod reports;
mod versus;

use std::path::PathBuf;

pub use self::printing::PrintSubject;
pub use self::reports::{AccountReport, AirAccount, MaterialReport, Report};
pub use self::versus::{SecondUpdate, TwoRuns, Versus};
pub use super::flow::FlowReport;
use lavoxel_automaton::world::Quantity;
use lavoxel_files::output::Existing;
use lavoxel_paint::changes::Changes;
use lavoxel_render::{CameraSpec, LookSpec, Ray};
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

/// Update for the window: a report, and the changes of the picture data since the last update.
#[derive(Debug)]
pub struct Update {
    /// Report of the present state of the simulation: its step, accounts, measurements and
    /// settings.
    pub report: Report,
    /// Changes of the picture data.
    pub changes: Changes,
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
            changes: Changes::none(report.grid, report.step),
            report,
            print: None,
            second: None,
            notices: Vec::new(),
        }
    }
}
