//! Reports of the simulation thread to the window: branches of the history, probed cell, accounts
//! of the materials, and further values for the panel.

use std::sync::Arc;
use std::time::Duration;

use lavoxel_air::{Air, Field, Wind};
use lavoxel_automaton::matter::Material;
use lavoxel_automaton::rules::RulesSpec;
use lavoxel_automaton::view::Drape;
use lavoxel_automaton::world::{Layer, Quantity, Tally};
use lavoxel_base::account::{self, Sum};
use lavoxel_base::grid::Grid;
use lavoxel_base::units::cells;
use lavoxel_render::Ray;
use lavoxel_session::CellSize;
use lavoxel_sim::goals::{GoalSpec, Progress};
use lavoxel_sim::source::VentSpec;

use super::{FlowReport, Moment, Pace, Probe, Rock, TimeLine, Watched};

/// Account of a conserved quantity: present content, and sums of inflow and outflow, in the display
/// unit that `AccountReport::from_sums` was given (such as full cells, kg or J).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AccountReport {
    /// Present content of the simulation box or, for a quantity of the air, of the air's grid; in
    /// the display unit.
    pub present: f64,
    /// Sums since the scene's start, each as (key, label for the user, amount in the display unit).
    sums: Vec<(&'static str, &'static str, f64)>,
    /// Imbalance in units: content + outflow − inflow. Always 0, since the simulation computes
    /// exactly.
    pub error_units: i128,
}

impl AccountReport {
    /// Creates the account from the sums since the scene's start, `sums`, and the present content
    /// `now`, both in units. `unit`: value of one unit in the display unit.
    pub(crate) fn from_sums(sums: &[Sum], now: i128, unit: f64) -> Self {
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

    /// Returns the amount of the sum with the key `key`, in the display unit; 0 if there is no such
    /// sum.
    pub fn of_key(&self, key: &str) -> f64 {
        self.sums
            .iter()
            .find(|sum| sum.0 == key)
            .map_or(0.0, |sum| sum.2)
    }

    /// Returns the sums to display, as (label, amount in the display unit): the first `always`
    /// sums, and all further sums that are not 0.
    pub fn rows(&self, always: usize) -> impl Iterator<Item = (&'static str, f64)> {
        let shown = self
            .sums
            .iter()
            .enumerate()
            .filter(move |(at, sum)| *at < always || sum.2 != 0.0);
        shown.map(|(_, &(_, words, size))| (words, size))
    }
}

/// State of one material: parameters, account of its mass, and number of cells.
#[derive(Clone, Debug, PartialEq)]
pub struct MaterialReport {
    /// Name and parameters in force; the parameters of lava are in [`Report::rules`] instead.
    pub material: Material,
    /// Account of the material's mass; the display unit is one full cell.
    pub mass: AccountReport,
    /// Number of cells that contain the material at present.
    pub cells: u64,
    /// Set if the material only displays the lava of the physical model, so that tools cannot add
    /// it.
    pub shows_flow: bool,
}

impl MaterialReport {
    /// Creates the report of `material`. `layer`: layer of the world that contains the material;
    /// `shows_flow`: value of the field `shows_flow`; `tally`: amount and number of cells of the
    /// material in the simulation box.
    pub(crate) fn new(
        material: Material,
        (layer, shows_flow): (&Layer, bool),
        tally: Tally,
    ) -> Self {
        let mass = AccountReport::from_sums(&layer.ledger().mass(), tally.mass.into(), cells(1));
        Self {
            material,
            mass,
            cells: tally.cells,
            shows_flow,
        }
    }
}

/// Account of one transported quantity of the air, such as heat or ash.
#[derive(Clone, Debug, PartialEq)]
pub struct AirAccount {
    /// Name of the quantity, such as "heat" or "ash".
    pub name: &'static str,
    /// Display unit of the account: "J" for heat, "kg" for all other quantities.
    pub unit: &'static str,
    /// Sums and present content of the quantity, in the display unit.
    pub account: AccountReport,
}

impl AirAccount {
    /// Returns the accounts of all quantities that `air` transports.
    pub(crate) fn all_from_air(air: &Air) -> Vec<Self> {
        let account = |field: Field| {
            let (account, now) = (air.account(field), air.amounts().total(field));
            Self {
                name: field.name(),
                unit: if field == Field::Heat { "J" } else { "kg" },
                account: AccountReport::from_sums(
                    &account.sums(),
                    now.into(),
                    air.scale().of_unit(field),
                ),
            }
        };
        air.amounts().present().map(account).collect()
    }
}

/// State of the simulation for the window, contained in every [`Update`](super::Update).
#[derive(Clone, Debug)]
pub struct Report {
    /// Name of the scene.
    pub name: String,
    /// Number of jumps in time since the window opened (another scene, a reset, a rewind); after
    /// each jump, the window discards the data it has collected.
    pub epoch: u64,
    /// Number of the [`Command::Open`](super::Command::Open) or
    /// [`Command::Resume`](super::Command::Resume) that opened the scene, counted from 1 in the
    /// order of sending, with failed commands included; 0 for the scene with which the thread
    /// started.
    pub opened: u64,
    /// Number of cells along x, y and z.
    pub grid: Grid,
    /// Edge length of a cell in metres along the horizontal axes x and z.
    pub cell_size_m: f64,
    /// Image draped over the ground; `None` without an image.
    pub drape: Option<Drape>,
    /// Height of a cell in metres, without the vertical exaggeration.
    pub cell_height_m: f64,
    /// Elevation of the floor of the simulation box in metres.
    pub floor_m: f64,
    /// Volume of a cell in m³, without the vertical exaggeration.
    pub cell_volume_m3: f64,
    /// Number of simulation steps made since the scene's start.
    pub step: u64,
    /// Random seed of the simulation at present.
    pub seed: u64,
    /// Rules of the automaton at present, including the parameters of lava.
    pub rules: RulesSpec,
    /// Vents and springs that pour now or later, each with its permanent number.
    pub vents: Vec<(usize, VentSpec)>,
    /// Speed that the user has chosen for the simulation, or the pause.
    pub pace: Pace,
    /// Measured speed over the last second, in steps per second.
    pub steps_per_second: f64,
    /// All materials of the world, in the order of the layers.
    pub materials: Vec<MaterialReport>,
    /// Accounts of the quantities that the air transports; empty without air.
    pub air: Vec<AirAccount>,
    /// Volumes and temperatures of the physical model; `None` in the cellular automaton (classic
    /// model).
    pub flow: Option<FlowReport>,
    /// Wind at present; `None` without air.
    pub wind: Option<Wind>,
    /// Goals of a challenge, each with its progress; empty for a scene without goals.
    pub goals: Vec<(GoalSpec, Progress)>,
    /// Name and duration of each stage of the last step. The list ends with the stages of the
    /// low-pass filter, which computes the volume for the picture.
    pub times: Vec<(&'static str, Duration)>,
    /// Number of recorded commands (acts) on the present branch before the present moment.
    pub acts: usize,
    /// Number of recorded commands (acts) on the present branch after the present moment, which are
    /// repeated as the session runs.
    pub acts_ahead: usize,
    /// Present moment of the session: step number and last act.
    pub moment: Moment,
    /// Number of seeks to another moment begun since the window opened.
    pub ways: u64,
    /// Target moment of the seek in progress; without a seek, the present moment.
    pub goal: Moment,
    /// Timeline of the session; the same `Arc` as in the last report if unchanged.
    pub timeline: Arc<TimeLine>,
    /// Number of a branch that is shown in place of the present branch, set once the state of that
    /// branch is computed; `None` while the present branch is shown.
    pub visited: Option<u64>,
    /// Rock that the user placed, for the marks on the ground.
    pub built: Arc<Vec<Rock>>,
    /// Quantities that slices and probes can show.
    pub quantities: Vec<Quantity>,
    /// Ray along which `probe` was searched; `None` if the window has requested no probe.
    pub picked: Option<Ray>,
    /// Values of the first solid or filled cell along `picked`; `None` if the ray hits no such
    /// cell.
    pub probe: Option<Probe>,
    /// Measurements that the window requested by [`Command::Watch`](super::Command::Watch); `None`
    /// if the window requested none.
    pub watched: Option<Watched>,
}

impl Report {
    /// Returns the size of a cell, on which the size of a dam depends.
    pub(crate) fn cell(&self) -> CellSize {
        CellSize {
            width_m: self.cell_size_m,
            height_m: self.cell_height_m,
            is_of_flow: self.flow.is_some(),
        }
    }

    /// Returns the coordinate in metres of the centre of the cell with index `cell` along `axis` (0
    /// x, 1 y, 2 z). Along x and z: distance from the north-west corner of the simulation box;
    /// along y: elevation.
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
    /// Returns the report of a paused simulation in an empty box, for tests.
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
