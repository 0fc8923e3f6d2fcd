//! Reports of the simulation thread: time line, probe, accounts and all other numbers of the panel.

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

/// Branch of the history, and its fork from the present branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BranchReport {
    /// Number, name and extent of the branch.
    pub branch: Branch,
    /// Last step that the branch has in common with the present branch.
    pub parts_at: u64,
}

/// Deed on the present branch, with its description.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeedReport {
    /// Moments and kind of the deed.
    pub deed: Deed,
    /// Description for the user.
    pub words: String,
}

/// Time line of the session: branches, deeds and kept moments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TimeLine {
    /// Number of the present branch.
    pub present: u64,
    /// All branches, oldest first.
    pub branches: Vec<BranchReport>,
    /// Deeds on the present branch, in order of time.
    pub deeds: Vec<DeedReport>,
    /// Moments of the present branch that the user kept, in order of time.
    pub kept: Vec<Moment>,
    /// Descriptions of the deeds that undo (first) and redo (second) would affect; `None` if there
    /// is none.
    pub offers: [Option<String>; 2],
}

impl TimeLine {
    /// Returns the present branch; `None` for an empty time line.
    pub fn branch(&self) -> Option<&Branch> {
        self.branches
            .iter()
            .map(|report| &report.branch)
            .find(|branch| branch.number == self.present)
    }

    /// Returns the last step of the present branch.
    pub fn end(&self) -> u64 {
        self.branch().map_or(0, |branch| branch.end)
    }
}

/// Values at the cell under the pointer.
#[derive(Clone, Debug, PartialEq)]
pub struct Probe {
    /// First cell along the ray that is solid or contains a material, as x, y, z.
    pub cell: Place,
    /// Point where the ray enters the cell, as x, y, z in cells.
    pub point: [f32; 3],
    /// True if the cell is solid ground.
    pub solid: bool,
    /// True if the ray enters the visible part of the box in this cell, through a side of the box
    /// or a slice and not from above.
    pub cut: bool,
    /// Nonzero values of the cell, in the order of [`Report::quantities`].
    pub values: Vec<(Quantity, f32)>,
    /// Elevation of the ground in the column, in metres.
    pub ground_m: f64,
    /// Name and thickness in metres of each material in the column: volume over the column's area.
    pub thickness_m: Vec<(String, f64)>,
    /// Flow values of the column; `None` in the classic model.
    pub flow: Option<FlowProbe>,
}

/// Account of a conserved quantity, with its sums in a display unit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AccountReport {
    /// Content of the box at present, in the display unit.
    pub present: f64,
    /// Sums as (key, label, amount in the display unit).
    sums: Vec<(&'static str, &'static str, f64)>,
    /// Imbalance in integer units: content + outflow − inflow; 0 if exact, as always.
    pub error_units: i128,
}

impl AccountReport {
    /// Creates the account from `sums` and the content `now`, both in integer units; `unit` is the
    /// amount of one unit in the display unit.
    pub(crate) fn of(sums: &[Sum], now: i128, unit: f64) -> Self {
        let size = |units: i128| units as f64 * unit;
        Self {
            present: size(now),
            sums: sums
                .iter()
                .map(|sum| (sum.key, sum.words, size(sum.units)))
                .collect(),
            error_units: account::excess(sums, now),
        }
    }

    /// Returns the amount of the sum with the key `key`; 0 if there is none.
    pub fn of_key(&self, key: &str) -> f64 {
        self.sums
            .iter()
            .find(|sum| sum.0 == key)
            .map_or(0.0, |sum| sum.2)
    }

    /// Iterates over the sums to display as (label, amount): the first `always` sums, and all other
    /// nonzero sums.
    pub fn rows(&self, always: usize) -> impl Iterator<Item = (&'static str, f64)> {
        let shown = self
            .sums
            .iter()
            .enumerate()
            .filter(move |(at, sum)| *at < always || sum.2 != 0.0);
        shown.map(|(_, &(_, words, size))| (words, size))
    }
}

/// Numbers of one material.
#[derive(Clone, Debug, PartialEq)]
pub struct MaterialReport {
    /// Name and parameters in force; the parameters of lava are in [`Report::rules`].
    pub material: Material,
    /// Account of the mass, in full cells.
    pub mass: AccountReport,
    /// Number of cells that contain the material.
    pub cells: u64,
    /// Set if the material only displays the lava of the physical model; tools do not pour such a
    /// material.
    pub shows_flow: bool,
}

impl MaterialReport {
    /// Creates the report of `material` in the layer `layer`; `tally` is its content in the box.
    pub(crate) fn new(
        material: Material,
        (layer, shows_flow): (&Layer, bool),
        tally: Tally,
    ) -> Self {
        let mass = AccountReport::of(&layer.ledger().mass(), tally.mass.into(), cells(1));
        Self {
            material,
            mass,
            cells: tally.cells,
            shows_flow,
        }
    }
}

/// Account of one field of the air.
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
    /// Returns the accounts of all fields present in `air`.
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

/// Rock placed by hand.
#[derive(Clone, Debug, PartialEq)]
pub enum Rock {
    /// Ball of a brush: centre x, y, z and radius, in cells.
    Ball([f32; 4]),
    /// Columns `[x, z]` of a dam, without columns that were dug since.
    Dam(Vec<[usize; 2]>),
}

/// Numbers of the simulation's present state; part of every [`Update`](super::Update).
#[derive(Clone, Debug)]
pub struct Report {
    /// Name of the scene.
    pub name: String,
    /// Number of jumps in time so far: another scene, a reset, a rewind.
    pub epoch: u64,
    /// Number of the [`Command::Open`](super::Command::Open) or
    /// [`Command::Resume`](super::Command::Resume) that brought the scene, counted from 1 in the
    /// order of sending, failed ones included; 0 for the scene with which the thread started.
    pub opened: u64,
    /// Number of cells along x, y and z.
    pub grid: Grid,
    /// Edge of a cell in metres.
    pub cell_size_m: f64,
    /// Image draped over the ground; `None` without an image.
    pub drape: Option<Drape>,
    /// Height of a cell in metres, without the vertical exaggeration.
    pub cell_height_m: f64,
    /// Elevation of the floor of the box in metres.
    pub floor_m: f64,
    /// Volume of a cell in m³, without the vertical exaggeration.
    pub cell_volume_m3: f64,
    /// Number of simulation steps so far.
    pub step: u64,
    /// Random seed in force.
    pub seed: u64,
    /// Rules in force.
    pub rules: RulesSpec,
    /// Vents that pour or will pour, with their permanent numbers.
    pub vents: Vec<(usize, VentSpec)>,
    /// Pace in force.
    pub pace: Pace,
    /// Measured rate over the last second, in steps per second.
    pub steps_per_second: f64,
    /// Materials in the order of the layers.
    pub materials: Vec<MaterialReport>,
    /// Accounts of the air's fields; empty without air.
    pub air: Vec<AirAccount>,
    /// Volumes and temperatures of the physical model; `None` in the classic model.
    pub flow: Option<FlowReport>,
    /// Wind in force; `None` without air.
    pub wind: Option<Wind>,
    /// Goals of the scene, with their progress.
    pub goals: Vec<(GoalSpec, Progress)>,
    /// Names and durations of the stages of the last step, followed by those of the low-pass
    /// (`filter`).
    pub times: Vec<(&'static str, Duration)>,
    /// Number of acts on the present branch up to the present state.
    pub acts: usize,
    /// Number of acts on the present branch after the present state.
    pub acts_ahead: usize,
    /// Moment of the simulation's present state.
    pub moment: Moment,
    /// Number of travels through time begun so far.
    pub ways: u64,
    /// Target of the travel through time in progress; without a travel, the present moment.
    pub goal: Moment,
    /// Time line of the session; the same `Arc` as in the last report if unchanged.
    pub timeline: Arc<TimeLine>,
    /// Number of the other branch that is shown, once its state is reached; `None` for the present
    /// branch.
    pub visited: Option<u64>,
    /// Rock placed by hand.
    pub built: Arc<Vec<Rock>>,
    /// Quantities that slices and probes can show.
    pub quantities: Vec<Quantity>,
    /// Ray to which `probe` belongs; `None` without a request.
    pub picked: Option<Ray>,
    /// Values at the cell under the pointer; `None` if the ray hits nothing.
    pub probe: Option<Probe>,
    /// Measurements requested by [`Command::Watch`](super::Command::Watch); `None` if there are
    /// none.
    pub watched: Option<Watched>,
}

impl Report {
    /// Returns the coordinate in metres of the centre of the cell with index `cell` along `axis` (0
    /// x, 1 y, 2 z): the distance from the box's north-west corner, or, along y, the elevation.
    pub fn metres(&self, axis: usize, cell: usize) -> f64 {
        let middle = cell as f64 + 0.5;
        if axis == 1 {
            self.floor_m + middle * self.cell_height_m
        } else {
            middle * self.cell_size_m
        }
    }
}

#[cfg(test)]
impl Report {
    /// Returns the report of an empty box, for tests.
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
