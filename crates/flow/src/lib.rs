//! Model of lava in metres, seconds and kelvin: lubrication (thin-layer) flow of liquid in columns
//! of cells, with heat, crust, solidification ("setting": liquid turns to rock) and melting.
//!
//! The model of `docs/flow.md`: the liquid between a floor of rock and the rock or sky above it is
//! a *run*; a column has one run for each such gap. The volume that crosses the vertical face
//! between two neighbouring columns follows from the weight, the viscosity and the surface slope of
//! their runs (Huppert 1982). Amounts and heat are integers, so every unit is accounted for. Fluxes
//! are computed in a number format whose operations a GPU can repeat with integers
//! (`motion/soft_float.rs`). Heat is computed once per step in `f64` without fused multiply-add.
//!
//! | file | content |
//! |---|---|
//! | `lava` | constants of a lava, presets, ranges |
//! | `step`, `clock` | sequence of a step; start and end times of steps |
//! | `store/blocks`, `heights` | sparse storage of column values; ground heights before the flow |
//! | `store/column`, `column_summary` | cells and runs of a column; compact record for the fluxes |
//! | `store/area`, `reach` | sets of columns; allocation of columns near lava |
//! | `store/saved`, `undo` | state for checkpoints; undo of a step that the program's end aborts |
//! | `motion/face`, `layers` | flux across a face; mobility of runs of several cells |
//! | `motion/face_lanes` | flux across many faces at once, in a loop without branches |
//! | `motion/parcel` | heat and crust of the liquid that crosses a face |
//! | `motion/soft_float`, `tables` | number format of fluxes; viscosity and yield strength in it |
//! | `motion/demand`, `plan` | time step criterion of a column; schedule (local time stepping) |
//! | `motion/strips`, `lanes` | partition of the columns for threads; SIMD vectors |
//! | `motion/cross`, `gather` | passes of a sub-step: fluxes across faces, update of columns |
//! | `motion/watch` | records of where the flow exceeds the model's range of validity |
//! | `cooling` | heat losses, crusts and their temperatures, solidification, rubble |
//! | `melt` | meltable solids, heat conduction, heaters |
//! | `margin` | share of a column's area that liquid covers |
//! | `standing` | lava that lies on the ground before the first step |
//! | `edit` | edits of cells by a person or a scene |
//! | `meet` | liquid and heat exchanged by reactions with other matter |
//! | `columns` | cells, thicknesses and state of single columns, for maps and the probe |
//! | `measured` | physical quantities of cells, for files and slices |
//! | `account` | accounts of volume and heat |
//! | `plain` | reference implementation for tests |
//!
//! Axes: `x` east, `y` up, `z` south, as in [`lavoxel_base::grid`]; column (x, z) has the number
//! `z · nx + x`.
//!
//! The crate must not know the automaton's cells, materials, scenes or pictures; couplings of the
//! `sim` crate transfer its results to the automaton.
//!
//! - Invariant: volume and heat are integers, and their accounts ([`FlowAccount`]) balance to the
//!   unit.
//! - Invariant: results are the same bits for any number of threads, and the same as those of the
//!   reference implementation `plain`.
//!
//! Begin with `motion/face.rs`, the flux across a face.

#![warn(missing_docs, clippy::print_stdout)]

mod account;
mod clock;
mod columns;
pub mod cooling;
mod edit;
mod lava;
mod margin;
mod measured;
mod meet;
mod melt;
pub mod motion;
#[cfg(test)]
mod plain;
pub mod standing;
mod step;
pub mod store;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_blocks;
#[cfg(test)]
mod tests_cost;
#[cfg(test)]
mod tests_lid;
#[cfg(test)]
mod tests_parcels;

pub use account::FlowAccount;
pub use clock::FlowClock;
pub use columns::FlowColumn;
pub use edit::FlowEdit;
pub use lava::{Cooling, Lava, Viscosity};
pub use meet::{Met, Phase};
pub use melt::{FlowHeater, Heats};
pub use motion::watch::FlowWatch;
pub use store::saved::FlowState;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use serde::{Deserialize, Serialize};

use self::motion::cross::Face;
use self::motion::plan::Plan;
use self::motion::tables::Tables;
use self::store::area::Area;
use self::store::blocks::Blocks;
use self::store::column::Column;
use self::store::column_summary::ColumnSummary;
use self::store::heights::Heights;
use lavoxel_base::validate::{Invalid, within};

/// Number of amount units in a full cell: 2²⁴, because creeping lava moves only 10⁻⁸ m per step,
/// which 16 bits would round to zero.
pub const UNITS: i32 = 1 << 24;

/// Upper limit of the age in seconds (about 317 years) of lava that lies on the ground before the
/// first step.
pub const MOST_AGE_S: f64 = 1e10;

/// Thickness of lava in metres above which a column counts as covered by lava: 5 cm, or a tenth of
/// `cell_height_m` (height of a cell in metres) if that is less.
pub fn covered_above_m(cell_height_m: f64) -> f64 {
    const COVERED_M: f64 = 0.05;
    COVERED_M.min(0.1 * cell_height_m)
}

/// Number of heat units per unit of amount and kelvin of enthalpy (heat per volume over
/// `Lava::heat_per_m3`).
pub const HEAT_UNITS: i64 = 256;

/// Shape of the box of cells in which a flow is simulated: number of cells along each axis and the
/// edge lengths of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct FlowBox {
    /// Number of columns in a row, from west to east.
    pub nx: usize,
    /// Number of cells in a column, from floor to top of the box.
    pub ny: usize,
    /// Number of rows of columns, from north to south.
    pub nz: usize,
    /// Horizontal edge of a cell in metres.
    pub dx_m: f64,
    /// Height of a cell in metres.
    pub dz_m: f64,
}

impl FlowBox {
    /// Number of columns in the box: `nx · nz`.
    pub fn columns(&self) -> usize {
        self.nx * self.nz
    }

    /// Volume of a full cell in m³.
    pub fn cell_m3(&self) -> f64 {
        self.dx_m * self.dx_m * self.dz_m
    }

    /// Volume in m³ of one unit of amount.
    pub fn unit_m3(&self) -> f64 {
        self.cell_m3() / f64::from(UNITS)
    }

    /// Converts `units` of height ([`UNITS`] per cell height) to metres.
    pub(crate) fn meters(&self, units: i64) -> f64 {
        units as f64 * self.dz_m / f64::from(UNITS)
    }
}

/// Setup of a flow: lava, step length, sides of the box, seed and heaters. The box and the heights
/// of the ground are given separately.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FlowSetup {
    /// Constants of the lava, or of another liquid such as wax.
    pub lava: Lava,
    /// Length of a step in seconds.
    pub step_s: f64,
    /// Open-sides flag: if true, lava that reaches a side of the box leaves the box; if false, the
    /// sides are walls.
    pub open_sides: bool,
    /// Seed of the stochastic rounding of amounts.
    pub seed: u64,
    /// Heaters of solid and liquid; only for a lava with a liquidus.
    pub heaters: Vec<FlowHeater>,
}

/// Volume that a vent pours into one column in one step, given as two running totals, so that
/// rounding errors do not accumulate over the steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FlowPour {
    /// Number of the column, `z · nx + x`.
    pub column: usize,
    /// Index, counted from the floor of the box, of a cell in the run (liquid of one gap) to pour
    /// into; `None`: the uppermost run. The lava is added at the top of that run.
    pub level: Option<usize>,
    /// Volume in m³ that this vent has poured into the column from the start of the simulation to
    /// the start of this step.
    pub before_m3: f64,
    /// Volume in m³ that this vent has poured into the column from the start of the simulation to
    /// the end of this step.
    pub after_m3: f64,
    /// Temperature of the poured lava in K.
    pub temperature_k: f64,
}

/// Content of one cell: amount and heat of its liquid, and amount of its rock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlowCell {
    /// Amount of liquid, [`UNITS`] in a full cell. Exceeds the cell's room only in the highest cell
    /// of a gap under a roof, where the excess is pressure.
    pub amount: i32,
    /// Amount of rock, filled from the cell's bottom, [`UNITS`] in a full cell.
    pub rock: i32,
    /// Heat of the liquid: amount × kelvin × [`HEAT_UNITS`], latent heat included (see
    /// [`Lava::heat_at`]).
    pub heat: i64,
}

impl FlowCell {
    /// Temperature of the liquid in K; `None` for a cell without liquid.
    pub fn temperature_k(&self, lava: &Lava) -> Option<f64> {
        let kelvin =
            || lava.temperature_of(self.heat as f64 / f64::from(self.amount) / HEAT_UNITS as f64);
        (self.amount > 0).then(kelvin)
    }
}

/// History of a column: solidified amount, arrival of lava and surface speeds; stored separately
/// from the column's cells.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Mark {
    /// Amount of liquid in this column that has turned to rock, in units ([`UNITS`] in a full
    /// cell).
    set: i64,
    /// End time in seconds of the first step after which the column held liquid, or enough
    /// solidified lava for the column to count as covered. Negative if lava was there before the
    /// first step; infinite until lava arrives.
    arrival_s: f64,
    /// Time in seconds at which the ground below the lava starts to warm, at or after `arrival_s`:
    /// thin lava that solidifies in the step of its arrival does not warm the ground. Infinite
    /// until then.
    warmed_s: f64,
    /// Speed in m/s of the lava's surface in the last step.
    speed: f32,
    /// Largest speed in m/s of the lava's surface since the start.
    max_speed: f32,
}

impl Mark {
    /// History of a column that no lava has reached.
    const NONE: Self = Self {
        set: 0,
        arrival_s: f64::INFINITY,
        warmed_s: f64::INFINITY,
        speed: 0.0,
        max_speed: 0.0,
    };

    /// Returns true if all values of the history are in their ranges; checked for a history that is
    /// read from a file.
    fn can_be(&self) -> bool {
        let is_speed = |speed: f32| speed.is_finite() && speed >= 0.0;
        (0..=1 << 56).contains(&self.set)
            && self.arrival_s >= -MOST_AGE_S
            && self.warmed_s >= self.arrival_s
            && is_speed(self.speed)
            && is_speed(self.max_speed)
    }

    /// Sets the arrival time and the time from which the bed warms to `now_s` (seconds), unless set
    /// already; for lava that stays liquid after its arrival, and for rubble.
    fn note_arrival(&mut self, now_s: f64) {
        self.note_rock(now_s);
        if self.warmed_s.is_infinite() {
            self.warmed_s = now_s;
        }
    }

    /// Sets the arrival time to `now_s` (seconds), unless set already; for lava that solidified in
    /// the step of its arrival and leaves the bed cold.
    fn note_rock(&mut self, now_s: f64) {
        if self.arrival_s.is_infinite() {
            self.arrival_s = now_s;
        }
    }
}

/// Lava flow in a box of columns: ground, liquid, rock and meltable solid, fluxes across faces, and
/// accounts of volume and heat. Advances by [`Flow::step`].
#[derive(Clone, Debug)]
pub struct Flow {
    space: FlowBox,
    setup: FlowSetup,
    clock: FlowClock,
    tables: Tables,
    ground: Heights,
    /// Cells of columns with liquid, of their neighbours, and of edited columns; every other column
    /// is bare ground and has no cells, see [`store::reach`].
    columns: Blocks<Column>,
    /// Summary of each column, from which the fluxes across its faces are computed; updated
    /// together with the column's runs.
    leans: Blocks<ColumnSummary>,
    marks: Blocks<Mark>,
    /// Meltable solid of each column, at index `z · nx + x`; `None` for a lava that never melts
    /// again.
    solids: Option<melt::Solids>,
    /// Numbers of the columns in which meltable solid melted in this step.
    melted: Vec<u32>,
    /// Set while some meltable solid may have lost its connection to the ground.
    has_loose: bool,
    /// Faces of each column towards its east and its south neighbour, in this order.
    faces: Blocks<[Face; 2]>,
    /// Numbers of the columns with liquid, ascending.
    wet: Vec<u32>,
    /// Numbers of the columns whose uppermost liquid is covered by another material, for example
    /// water; ascending.
    covered: Vec<u32>,
    /// Flags of the cells that contain another material, for example water, ordered by column, for
    /// a lava that melts; empty if no cell does.
    covered_cells: Vec<bool>,
    changed: Vec<u32>,
    changed_area: Area,
    plan: Plan,
    /// Set while columns with liquid may have changed since the last step, for example by an edit.
    is_disturbed: bool,
    /// Flag that another thread sets to abort a running step, see [`Flow::stop_by`]; `None`: no
    /// abort.
    stop: Option<Arc<AtomicBool>>,
    was_stopped: bool,
    /// Number of flux evaluations at faces in the last step; a face counts once for each sub-step
    /// in which its flux was computed.
    work: u64,
    steps: u64,
    /// Stamp of the present sub-step, greater by 1 than that of the sub-step before (restarts at 1
    /// after `u32::MAX`); identifies the sub-step in which a face was computed.
    stamp: u32,
    account: FlowAccount,
    watch: FlowWatch,
}

/// Largest number of cells from floor to top of the box: in a higher box the amount of a cell under
/// pressure would overflow 32 bits.
const HIGHEST: f64 = 1024.0;

/// Smallest allowed edge of a cell in metres.
const LEAST_EDGE_M: f64 = 1e-5;
/// Largest allowed edge of a cell in metres.
const MOST_EDGE_M: f64 = 1e4;
/// Upper limit of the length of a step in seconds.
const MOST_STEP_S: f64 = 1e6;

impl Flow {
    /// Largest number of sub-steps that a step can have.
    pub const MOST_SUB_STEPS: u64 = step::WHOLE;

    /// Returns a flow without lava over `ground`: heights in metres above the floor of the box, one
    /// per column, at index `z · nx + x`.
    ///
    /// # Errors
    ///
    /// Names the first number of the setup that is out of its range; keys begin with `flow`.
    ///
    /// # Panics
    ///
    /// If `ground` has another number of columns than the box.
    pub fn new(space: FlowBox, setup: FlowSetup, ground: &[f64]) -> Result<Self, Invalid> {
        Self::on_ground(space, setup, ground.iter().copied())
    }

    /// Returns a flow without lava like [`Flow::new`], but reads the heights of the ground from an
    /// iterator, so that the caller need not keep a list of all heights in memory.
    ///
    /// # Errors
    ///
    /// Names the first number of the setup that is out of range, as [`Flow::new`] does.
    pub fn on_ground(
        space: FlowBox,
        setup: FlowSetup,
        ground: impl ExactSizeIterator<Item = f64>,
    ) -> Result<Self, Invalid> {
        assert_eq!(ground.len(), space.columns(), "a height for each column");
        setup.lava.validate("flow.lava")?;
        within("flow.step_s", setup.step_s, 1e-6, MOST_STEP_S)?;
        within("grid.cell_size_m", space.dx_m, LEAST_EDGE_M, MOST_EDGE_M)?;
        within("grid.cell_height_m", space.dz_m, LEAST_EDGE_M, MOST_EDGE_M)?;
        within("grid.size[1]", space.ny as f64, 1.0, HIGHEST)?;
        melt::validate(space, &setup)?;
        let top = space.ny as f64;
        let units = |height: f64| ((height / space.dz_m).clamp(0.0, top) * f64::from(UNITS)) as i64;
        let columns = space.columns();
        let mut flow = Self {
            space,
            tables: Tables::new(space, &setup),
            solids: setup
                .lava
                .melts()
                .then(|| vec![melt::SolidColumn::default(); columns]),
            melted: Vec::new(),
            has_loose: false,
            clock: FlowClock::from_step_s(setup.step_s),
            setup,
            ground: Heights::new(ground.map(units)),
            columns: Blocks::new(columns),
            leans: Blocks::new(columns),
            marks: Blocks::at_rest(columns, Mark::NONE),
            faces: Blocks::new(columns),
            wet: Vec::new(),
            covered: Vec::new(),
            covered_cells: Vec::new(),
            changed: Vec::new(),
            changed_area: Area::default(),
            plan: Plan::new(columns),
            is_disturbed: true,
            stop: None,
            was_stopped: false,
            work: 0,
            steps: 0,
            stamp: 0,
            account: FlowAccount::default(),
            watch: FlowWatch::default(),
        };
        // Heat of a lava that melts spreads through the whole box, so all columns of such a flow
        // are stored.
        flow.reach_all_that_melts();
        Ok(flow)
    }

    /// Replaces the clock, which gives the start and end times of the steps. The full steps of
    /// `clock` must have the length `step_s` of the setup.
    pub fn set_clock(&mut self, clock: FlowClock) {
        self.clock = clock;
    }

    /// Clock with the start and end times of the steps.
    pub fn clock(&self) -> &FlowClock {
        &self.clock
    }

    /// Sets the end time of the simulation to `end_s` seconds: the step that contains `end_s` is
    /// shortened to end at this time. `None`: no end.
    pub fn end_at(&mut self, end_s: Option<f64>) {
        self.clock.end_at(self.steps, end_s);
    }

    /// Sets the seed of the stochastic rounding for all later steps.
    pub fn set_seed(&mut self, seed: u64) {
        self.setup.seed = seed;
    }

    /// Computes the derived state (gaps, runs, slopes and summaries) of all stored columns from
    /// their cells, and the list of wet columns.
    fn find_runs(&mut self) {
        for (_, column) in self.columns.iter_mut() {
            column.find_gaps();
            column.refresh(&self.tables);
        }
        let cosines: Vec<_> = self
            .columns
            .iter()
            .map(|(c, _)| self.slope_cosine(c))
            .collect();
        self.columns
            .iter_mut()
            .zip(cosines)
            .for_each(|((_, column), cos2)| column.cos2 = cos2);
        self.columns
            .iter()
            .for_each(|(c, column)| self.leans[c] = ColumnSummary::from_column(column));
        self.list_wet();
    }

    /// Rebuilds the list of columns with liquid, and marks the flow as disturbed, so that the next
    /// step examines all wet columns.
    fn list_wet(&mut self) {
        self.wet = self
            .columns
            .iter()
            .filter(|(_, column)| column.is_wet())
            .map(|(c, _)| c as u32)
            .collect();
        self.is_disturbed = true;
    }

    /// Pours the liquid of each entry of `fills` (volume `after_m3` − `before_m3`) at once, outside
    /// of any step, into the gap at its `level`; `None`: into the uppermost gap.
    pub fn fill(&mut self, fills: impl IntoIterator<Item = FlowPour>) {
        for fill in fills {
            let pour = motion::plan::Pour::new(self.space, &self.setup.lava, &fill);
            self.reach([pour.column as u32]);
            let mut left = pour.units;
            while left > 0 {
                let some = left.min(1 << 28);
                self.pour_into(&pour, some);
                left -= some;
            }
        }
        self.list_wet();
    }

    /// Shape of the box: number of cells along each axis and edge lengths of a cell.
    pub fn space(&self) -> FlowBox {
        self.space
    }

    /// Setup of the flow; contains the present seed and step length, even if changed since the flow
    /// was created.
    pub fn setup(&self) -> &FlowSetup {
        &self.setup
    }

    /// Number of steps made since the start.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Simulated time in seconds since the start.
    pub fn time_s(&self) -> f64 {
        self.clock.time_s(self.steps)
    }

    /// Length in seconds of the last step; `step_s` of the setup before the first step.
    pub fn last_step_s(&self) -> f64 {
        self.steps
            .checked_sub(1)
            .map_or(self.setup.step_s, |last| self.clock.length_s(last))
    }

    /// Accounts of volume and heat.
    pub fn account(&self) -> &FlowAccount {
        &self.account
    }

    /// Extreme values (largest Reynolds number, largest deferred head difference) that tell where
    /// the flow left the range of validity of its model.
    pub fn watch(&self) -> &FlowWatch {
        &self.watch
    }

    /// Largest depth in metres of sloping liquid at temperature `kelvin` (K) whose flux the finest
    /// sub-steps can resolve; fluxes of deeper liquid are clamped.
    pub fn deepest_m(&self, kelvin: f64) -> f64 {
        self.tables.deepest(self.setup.lava.heat_at(kelvin)) * self.space.dz_m / f64::from(UNITS)
    }

    /// Returns true if the flow contains no liquid.
    pub fn is_dry(&self) -> bool {
        self.wet.is_empty()
    }

    /// Numbers of the columns whose cells may have changed in the last step, ascending.
    pub fn changed(&self) -> &[u32] {
        &self.changed
    }

    /// Numbers of the columns with liquid, ascending.
    pub fn wet(&self) -> &[u32] {
        &self.wet
    }

    /// Checks that the accounts of volume and heat balance, that all cells are in their ranges, and
    /// that all liquid rests on the floor of its gap.
    ///
    /// # Errors
    ///
    /// Names the first check that failed.
    pub fn check(&self) -> Result<(), String> {
        let amount = self.columns.iter().map(|(_, column)| column.amount()).sum();
        let heat = self.columns.iter().map(|(_, column)| column.heat()).sum();
        self.account.check(amount, heat)?;
        self.check_solids()?;
        self.columns.iter().try_for_each(|(c, column)| {
            let fault = column.fault();
            fault.map_or(Ok(()), |fault| {
                Err(format!(
                    "flow: {fault} in column ({}, {})",
                    c % self.space.nx,
                    c / self.space.nx
                ))
            })
        })
    }
}
