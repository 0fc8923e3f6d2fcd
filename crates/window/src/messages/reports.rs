//! Reports of the simulation thread: timeline, probe, accounts and all other numbers that the panel
//! shows.

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

/// Branch in relation to the present one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BranchReport {
    /// Branch itself.
    pub branch: Branch,
    /// Last step that the branch has in common with the present one.
    pub parts_at: u64,
}

/// Action on the present branch, with a description.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeedReport {
    /// Action itself.
    pub deed: Deed,
    /// Description for the user.
    pub words: String,
}

/// Timeline of the session: branches, actions and kept moments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TimeLine {
    /// Number of the present branch.
    pub present: u64,
    /// All branches, in the order in which they began.
    pub branches: Vec<BranchReport>,
    /// Actions on the present branch, in order.
    pub deeds: Vec<DeedReport>,
    /// Moments of the present branch that the user kept, in order.
    pub kept: Vec<Moment>,
    /// Descriptions of the actions that undo and redo would affect; `None` where there is nothing
    /// to undo or redo.
    pub offers: [Option<String>; 2],
}

impl TimeLine {
    /// Present branch; `None` for an empty timeline.
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
    /// First cell along the ray that is solid or holds a material: x, y, z.
    pub cell: Place,
    /// Point where the ray enters the cell, in cells.
    pub point: [f32; 3],
    /// Rock flag of the cell.
    pub solid: bool,
    /// Set if the ray enters the visible part of the box here: on a side of the box or on a slice,
    /// not from above.
    pub cut: bool,
    /// Values of each quantity that is not 0, in the order of [`Report::quantities`].
    pub values: Vec<(Quantity, f32)>,
    /// Elevation in metres of the ground of the column.
    pub ground_m: f64,
    /// Name and thickness in metres of each material of the column: its volume over the column's
    /// area.
    pub thickness_m: Vec<(String, f64)>,
    /// Flow in the column; `None` in the classic model.
    pub flow: Option<FlowProbe>,
}

/// Account of a conserved quantity in numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AccountReport {
    /// Content of the box now.
    pub present: f64,
    /// Sums as (key, label, size).
    sums: Vec<(&'static str, &'static str, f64)>,
    /// Imbalance in integer units: content + outflow − inflow; 0 if exact, as always.
    pub error_units: i128,
}

impl AccountReport {
    /// Account of `sums` with `now` units in the box; `unit` is the size of a unit.
    pub(crate) fn of(sums: &[Sum], now: i128, unit: f64) -> Self {
        let size = |units: i128| units as f64 * unit;
        Self {
            present: size(now),
            sums: sums.iter().map(|sum| (sum.key, sum.words, size(sum.units))).collect(),
            error_units: account::excess(sums, now),
        }
    }

    /// Size of the sum with this key; 0 if missing.
    pub fn of_key(&self, key: &str) -> f64 {
        self.sums.iter().find(|sum| sum.0 == key).map_or(0.0, |sum| sum.2)
    }

    /// Labels and sizes of the first `always` sums, and of all others that are not 0.
    pub fn rows(&self, always: usize) -> impl Iterator<Item = (&'static str, f64)> {
        let shown = self.sums.iter().enumerate().filter(move |(at, sum)| *at < always || sum.2 != 0.0);
        shown.map(|(_, &(_, words, size))| (words, size))
    }
}

/// Numbers of one material.
#[derive(Clone, Debug, PartialEq)]
pub struct MaterialReport {
    /// Name and parameters in force; those of the lava are [`Report::rules`].
    pub material: Material,
    /// Account of the mass, in full cells.
    pub mass: AccountReport,
    /// Number of cells that hold the material.
    pub cells: u64,
    /// Display-only flag: the material shows the lava of the physical model, and no tool pours it.
    pub shows_flow: bool,
}

impl MaterialReport {
    /// Report of a material of `layer`, of which `tally` is in the box.
    pub(crate) fn new(material: Material, (layer, shows_flow): (&Layer, bool), tally: Tally) -> Self {
        let mass = AccountReport::of(&layer.ledger().mass(), tally.mass.into(), cells(1));
        Self { material, mass, cells: tally.cells, shows_flow }
    }
}

/// Account of a field of the air.
#[derive(Clone, Debug, PartialEq)]
pub struct AirAccount {
    /// Name of the field.
    pub name: &'static str,
    /// Unit of the account: "J" or "kg".
    pub unit: &'static str,
    /// Account in that unit.
    pub account: AccountReport,
}

impl AirAccount {
    /// Accounts of all fields present in `air`.
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

/// Rock that was placed by hand.
#[derive(Clone, Debug, PartialEq)]
pub enum Rock {
    /// Ball of a brush: centre x, y, z and radius in cells.
    Ball([f32; 4]),
    /// Columns `[x, z]` of a dam, without those that were dug away.
    Dam(Vec<[usize; 2]>),
}

/// State of the simulation in numbers; sent with every [`Update`](super::Update).
#[derive(Clone, Debug)]
pub struct Report {
    /// Name of the scene.
    pub name: String,
    /// Counter of time jumps: another scene, reset, rewind.
    pub epoch: u64,
    /// Number of the [`Command::Open`](super::Command::Open) or
    /// [`Command::Resume`](super::Command::Resume) that brought the scene, counted from 1 in the
    /// order of sending, failed ones included; 0 for the scene with which the thread started.
    pub opened: u64,
    /// Shape of the box.
    pub grid: Grid,
    /// Edge of a cell in metres.
    pub cell_size_m: f64,
    /// Image draped over the ground; `None` without one.
    pub drape: Option<Drape>,
    /// Height of a cell in true metres, without the vertical exaggeration.
    pub cell_height_m: f64,
    /// Elevation of the floor in metres.
    pub floor_m: f64,
    /// Volume of a cell in cubic metres, without the vertical exaggeration.
    pub cell_volume_m3: f64,
    /// Number of steps made.
    pub step: u64,
    /// Seed in force.
    pub seed: u64,
    /// Rules in force.
    pub rules: RulesSpec,
    /// Vents that pour or will pour, with their numbers, which never change.
    pub vents: Vec<(usize, VentSpec)>,
    /// Pace that was set.
    pub pace: Pace,
    /// Measured steps per second over the last second.
    pub steps_per_second: f64,
    /// Materials in the order of the layers.
    pub materials: Vec<MaterialReport>,
    /// Fields of the air; empty without air.
    pub air: Vec<AirAccount>,
    /// Flow of the physical model; `None` in the classic model.
    pub flow: Option<FlowReport>,
    /// Wind in force; `None` without air.
    pub wind: Option<Wind>,
    /// Goals of the scene, with their progress.
    pub goals: Vec<(GoalSpec, Progress)>,
    /// Durations of the stages of the last step by name, then of the low-pass and the work that
    /// follows.
    pub times: Vec<(&'static str, Duration)>,
    /// Number of acts before the present state.
    pub acts: usize,
    /// Number of acts of the present branch after the present state.
    pub acts_ahead: usize,
    /// Moment of the present state.
    pub moment: Moment,
    /// Counter of movements through time that were begun.
    pub ways: u64,
    /// Target moment of a movement through time, or the present one.
    pub goal: Moment,
    /// Timeline of the session; the same `Arc` as before if unchanged.
    pub timeline: Arc<TimeLine>,
    /// Number of another branch that is visited, once its state is there; `None` otherwise.
    pub visited: Option<u64>,
    /// Rock that was placed by hand.
    pub built: Arc<Vec<Rock>>,
    /// Quantities that slices can show.
    pub quantities: Vec<Quantity>,
    /// Ray of the pointer that `probe` answers.
    pub picked: Option<Ray>,
    /// Contents under the pointer; `None` over the sky.
    pub probe: Option<Probe>,
    /// Measurements requested by [`Command::Watch`](super::Command::Watch).
    pub watched: Option<Watched>,
}

impl Report {
    /// Coordinate in metres of the centre of a cell along `axis` (0 x, 1 y, 2 z): from the box's
    /// north-west corner, or, along y, the elevation.
    pub fn metres(&self, axis: usize, cell: usize) -> f64 {
        let middle = cell as f64 + 0.5;
        if axis == 1 { self.floor_m + middle * self.cell_height_m } else { middle * self.cell_size_m }
    }
}

#[cfg(test)]
impl Report {
    /// Report of an empty box, for tests to change.
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
