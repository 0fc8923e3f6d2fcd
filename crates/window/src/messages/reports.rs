//! Reports of the simulation thread: time line, probe, accounts and all that the panel shows of a moment.

use std::sync::Arc;
use std::time::Duration;

use lavoxel_air::{Air, Field, Wind};
use lavoxel_automaton::matter::Material;
use lavoxel_automaton::rules::RulesSpec;
use lavoxel_automaton::view::Drape;
use lavoxel_automaton::world::{Layer, Quantity, Tally};
use lavoxel_base::account::{self, Sum};
use lavoxel_base::grid::{Grid, Place};
use lavoxel_base::units::cells;
use lavoxel_render::Ray;
use lavoxel_sim::goals::{GoalSpec, Progress};
use lavoxel_sim::source::VentSpec;

use super::{Branch, Deed, FlowProbe, FlowReport, Moment, Pace, Watched};

/// A branch beside the present one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BranchReport {
    /// The branch.
    pub branch: Branch,
    /// Step up to which it goes with the present one.
    pub parts_at: u64,
}

/// A deed on the present branch, with words for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeedReport {
    /// The deed.
    pub deed: Deed,
    /// Its words.
    pub words: String,
}

/// The session in time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TimeLine {
    /// Number of the present branch.
    pub present: u64,
    /// All branches.
    pub branches: Vec<BranchReport>,
    /// Deeds on the present branch, in order.
    pub deeds: Vec<DeedReport>,
    /// Moments of the present branch that the user kept, in order.
    pub kept: Vec<Moment>,
    /// Words for the deed that undo would take back, and for that which redo would bring back.
    pub offers: [Option<String>; 2],
}

impl TimeLine {
    /// The present branch.
    pub fn branch(&self) -> Option<&Branch> {
        self.branches.iter().map(|report| &report.branch).find(|branch| branch.number == self.present)
    }

    /// Furthest step of the present branch.
    pub fn end(&self) -> u64 {
        self.branch().map_or(0, |branch| branch.end)
    }
}

/// Contents under the pointer.
#[derive(Clone, Debug, PartialEq)]
pub struct Probe {
    /// The first cell along the ray that is solid or holds a material: x, y, z.
    pub cell: Place,
    /// Where the ray enters it, in cells.
    pub point: [f32; 3],
    /// Whether it is rock.
    pub solid: bool,
    /// Whether the ray enters what is seen of the box there: on a side of the box or on a slice, not from above.
    pub cut: bool,
    /// Values of each quantity that is not 0, in the order of [`Report::quantities`].
    pub values: Vec<(Quantity, f32)>,
    /// Elevation of the ground of the column in metres.
    pub ground_m: f64,
    /// The materials of the column, and the thickness of each in metres: its volume over its area.
    pub thickness_m: Vec<(String, f64)>,
    /// The column in a world of the physical model.
    pub flow: Option<FlowProbe>,
}

/// An account in numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AccountReport {
    /// In the box now.
    pub present: f64,
    /// The sums by key, each with its words.
    sums: Vec<(&'static str, &'static str, f64)>,
    /// Units by which the account does not close; always 0.
    pub error_units: i128,
}

impl AccountReport {
    /// An account of which `now` units are in the box, by the size of a unit.
    pub(crate) fn of(sums: &[Sum], now: i128, unit: f64) -> Self {
        let size = |units: i128| units as f64 * unit;
        Self {
            present: size(now),
            sums: sums.iter().map(|sum| (sum.key, sum.words, size(sum.units))).collect(),
            error_units: account::excess(sums, now),
        }
    }

    /// The sum of a key.
    pub fn of_key(&self, key: &str) -> f64 {
        self.sums.iter().find(|sum| sum.0 == key).map_or(0.0, |sum| sum.2)
    }

    /// The first sums, so many, and the others that are not 0, by their words.
    pub fn rows(&self, always: usize) -> impl Iterator<Item = (&'static str, f64)> {
        let shown = self.sums.iter().enumerate().filter(move |(at, sum)| *at < always || sum.2 != 0.0);
        shown.map(|(_, &(_, words, size))| (words, size))
    }
}

/// One material in numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct MaterialReport {
    /// Its name and the parameters in force; those of the lava are [`Report::rules`].
    pub material: Material,
    /// The account.
    pub mass: AccountReport,
    /// Cells that hold any.
    pub cells: u64,
    /// Whether it only shows the lava of the physical model, and no tool pours it.
    pub shows_flow: bool,
}

impl MaterialReport {
    /// A material of a layer, of which `tally` is in the box.
    pub(crate) fn new(material: Material, (layer, shows_flow): (&Layer, bool), tally: Tally) -> Self {
        let mass = AccountReport::of(&layer.ledger().mass(), tally.mass.into(), cells(1));
        Self { material, mass, cells: tally.cells, shows_flow }
    }
}

/// A field of the air in numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct AirAccount {
    /// Its name.
    pub name: &'static str,
    /// Joules or kilograms.
    pub unit: &'static str,
    /// Its account.
    pub account: AccountReport,
}

impl AirAccount {
    /// The fields of an air.
    pub(crate) fn of(air: &Air) -> Vec<Self> {
        let account = |field: Field| {
            let (account, now) = (air.account(field), air.amounts().total(field));
            Self {
                name: field.name(),
                unit: if field == Field::Heat { "J" } else { "kg" },
                account: AccountReport::of(&account.sums(), now.into(), air.scale().of_unit(field)),
            }
        };
        air.amounts().present().map(account).collect()
    }
}

/// Rock that was put in by hand.
#[derive(Clone, Debug, PartialEq)]
pub enum Rock {
    /// Ball of a brush: centre x, y, z and radius in cells.
    Ball([f32; 4]),
    /// Columns x, z of a dam, but for those that were dug away.
    Dam(Vec<[usize; 2]>),
}

/// The state of the simulation in numbers; comes with every [`Update`](super::Update).
#[derive(Clone, Debug)]
pub struct Report {
    /// Name of the scene.
    pub name: String,
    /// Counts up whenever time jumps: another scene, reset, rewind.
    pub epoch: u64,
    /// Number of the [`Command::Open`](super::Command::Open) or [`Command::Resume`](super::Command::Resume) that brought the scene, counted from 1 in the order in which they were
    /// sent, failed ones included; 0 for the scene with which the thread started.
    pub opened: u64,
    /// Shape of the box.
    pub grid: Grid,
    /// Edge of a cell in metres.
    pub cell_size_m: f64,
    /// Picture over the ground.
    pub drape: Option<Drape>,
    /// Height of a cell in true metres, without the vertical exaggeration.
    pub cell_height_m: f64,
    /// Elevation of the floor in metres.
    pub floor_m: f64,
    /// Volume of a cell in cubic metres, without the vertical exaggeration.
    pub cell_volume_m3: f64,
    /// Steps made.
    pub step: u64,
    /// Seed in force.
    pub seed: u64,
    /// Rules in force.
    pub rules: RulesSpec,
    /// Vents that pour or will pour, with their numbers. A vent keeps its number.
    pub vents: Vec<(usize, VentSpec)>,
    /// The pace that was set.
    pub pace: Pace,
    /// Steps a second over the last second.
    pub steps_per_second: f64,
    /// The materials in the order of the layers.
    pub materials: Vec<MaterialReport>,
    /// The fields of the air, where there is one.
    pub air: Vec<AirAccount>,
    /// The flow, in a world of the physical model.
    pub flow: Option<FlowReport>,
    /// The wind in force, where there is air.
    pub wind: Option<Wind>,
    /// The goals of the scene, and how far they are.
    pub goals: Vec<(GoalSpec, Progress)>,
    /// The stages of the last step by name, then the low-pass and what follows from it.
    pub times: Vec<(&'static str, Duration)>,
    /// Acts before the present state.
    pub acts: usize,
    /// Acts of the present branch after it.
    pub acts_ahead: usize,
    /// The moment of the present state.
    pub moment: Moment,
    /// Ways through time that were begun.
    pub ways: u64,
    /// The moment to which it is on its way, or the present one.
    pub goal: Moment,
    /// The session in time; the same value as before where it did not change.
    pub timeline: Arc<TimeLine>,
    /// The other branch that is shown for a while, once its state is there.
    pub visited: Option<u64>,
    /// Rock that was put in by hand.
    pub built: Arc<Vec<Rock>>,
    /// Quantities that slices can show.
    pub quantities: Vec<Quantity>,
    /// The ray of the pointer that `probe` answers.
    pub picked: Option<Ray>,
    /// Contents under the pointer.
    pub probe: Option<Probe>,
    /// Measurements that were asked for by [`Command::Watch`](super::Command::Watch).
    pub watched: Option<Watched>,
}

impl Report {
    /// Metres of the middle of a cell along an axis (0 x, 1 y, 2 z): from the box's north-west corner, or, along y, its
    /// elevation.
    pub fn metres(&self, axis: usize, cell: usize) -> f64 {
        let middle = cell as f64 + 0.5;
        if axis == 1 { self.floor_m + middle * self.cell_height_m } else { middle * self.cell_size_m }
    }
}

#[cfg(test)]
impl Report {
    /// A report of an empty box, for tests to change.
    pub(crate) fn quiet(grid: Grid) -> Self {
        Self {
            name: "test".to_owned(),
            epoch: 0,
            opened: 0,
            grid,
            cell_size_m: 10.0,
            drape: None,
            cell_height_m: 10.0,
            floor_m: 0.0,
            cell_volume_m3: 1000.0,
            step: 0,
            seed: 1,
            rules: RulesSpec::default(),
            vents: Vec::new(),
            pace: Pace::Paused,
            steps_per_second: 0.0,
            materials: vec![MaterialReport {
                material: Material::lava(),
                mass: AccountReport::default(),
                cells: 0,
                shows_flow: false,
            }],
            air: Vec::new(),
            flow: None,
            wind: None,
            goals: Vec::new(),
            times: Vec::new(),
            acts: 0,
            acts_ahead: 0,
            moment: Moment::START,
            goal: Moment::START,
            ways: 0,
            timeline: Arc::default(),
            visited: None,
            built: Arc::default(),
            picked: None,
            quantities: vec![Quantity::default()],
            probe: None,
            watched: None,
        }
    }
}
