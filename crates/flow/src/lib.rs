//! Lava in metres, seconds and kelvin: lubrication flow of runs of liquid in columns, with heat,
//! crust and setting.
//!
//! The model of `docs/flow.md`: in every column the liquid of one gap between rock below and rock
//! or sky above is a *run*. The volume that crosses a vertical face follows from the weight, the
//! viscosity and the surface slope of two neighbouring runs (Huppert 1982). Amounts and heat are
//! integers, so every unit is accounted for. Fluxes are computed in a number format whose
//! operations a GPU can repeat with integers (`mag`). Heat is computed once a step in `f64` without
//! fused operations.
//!
//! | file | content |
//! |---|---|
//! | `lava` | constants of a lava, presets, ranges |
//! | `blocks`, `heights` | values of columns near lava; the ground before the flow |
//! | `column`, `layers` | cells of a column, its runs; runs of several cells |
//! | `reach` | columns that are created when lava comes near |
//! | `lean` | the record of a column that faces read |
//! | `face` | the rule: the flux across a face |
//! | `demand` | the sub-steps that a column asks for |
//! | `plan`, `strips` | which columns move in which sub-step, and on which thread |
//! | `area` | sets of columns |
//! | `step` | a step as a recipe |
//! | `undo` | a step that is given up when the program is to end |
//! | `cross`, `gather` | the two passes of a sub-step |
//! | `heat`, `lid`, `lanes`, `set` | cooling; crusts of several columns at once; setting |
//! | `margin` | the share of a column that liquid covers |
//! | `standing` | lava that is there before the first step |
//! | `edit` | matter that a person or a scene puts into cells |
//! | `meet` | amounts and heat that reactions with other matter take and make |
//! | `melt` | solids that melt, their heat, heaters |
//! | `measured` | measures of cells, for files and slices |
//! | `crust` | temperatures below and at the surface, for pictures |
//! | `account` | ledgers of volume and heat |
//! | `clock` | times of the steps |
//! | `watch` | where the flow leaves the range of the model |
//! | `plain` | the specification, which reads like the rule and is slow |
//!
//! Axes: `x` east, `y` up, `z` south, as in [`lavoxel_base::grid`]; column (x, z) has the number
//! `z · nx + x`.
//!
//! The crate must not know cells, materials, scenes or pictures; couplings carry its results to the
//! world.
//!
//! - Invariant: volume and heat are integers, and their ledgers ([`FlowAccount`]) close to the
//!   unit.
//! - Invariant: bits are the same for any number of threads, and those of `plain`, which reads like
//!   the rule.
//!
//! Start reading with `motion/face.rs`, the flux across a face.

#![warn(missing_docs, clippy::print_stdout)]

mod account;
mod clock;
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

pub use account::FlowAccount;
pub use clock::FlowClock;
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
use self::store::column::{Column, UNIT};
use self::store::heights::Heights;
use self::store::lean::Lean;
use lavoxel_base::validate::{Invalid, within};

/// Units of amount in a full cell: 2²⁴, because creeping lava moves 10⁻⁸ m a step and would round
/// to nothing in 16 bits.
pub const UNITS: i32 = 1 << 24;

/// Upper bound in seconds of the age of lava that is there before the first step.
pub const MOST_AGE_S: f64 = 1e10;

/// Thickness in metres above which a column counts as covered: 5 cm, or a tenth of `cell_height_m`
/// if that is less.
pub fn covered_above_m(cell_height_m: f64) -> f64 {
    const COVERED_M: f64 = 0.05;
    COVERED_M.min(0.1 * cell_height_m)
}

/// Units of heat for a unit of amount and a kelvin.
pub const HEAT_UNITS: i64 = 256;

/// Shape of the box of a flow: number of cells and their edges.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct FlowBox {
    /// Number of columns from west to east.
    pub nx: usize,
    /// Number of cells from floor to top.
    pub ny: usize,
    /// Number of columns from north to south.
    pub nz: usize,
    /// Horizontal edge of a cell in metres.
    pub dx_m: f64,
    /// Height of a cell in metres.
    pub dz_m: f64,
}

impl FlowBox {
    /// Number of columns, `nx · nz`.
    pub fn columns(&self) -> usize {
        self.nx * self.nz
    }

    /// Volume of a full cell in m³.
    pub fn cell_m3(&self) -> f64 {
        self.dx_m * self.dx_m * self.dz_m
    }

    /// Volume of a unit of amount in m³.
    pub fn unit_m3(&self) -> f64 {
        self.cell_m3() / f64::from(UNITS)
    }

    /// Height in metres of `units` of height ([`UNITS`] to a cell).
    pub(crate) fn meters(&self, units: i64) -> f64 {
        units as f64 * self.dz_m / f64::from(UNITS)
    }
}

/// Setup of a flow, except its box and ground.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FlowSetup {
    /// Constants of the lava or other liquid.
    pub lava: Lava,
    /// Length of a step in seconds.
    pub step_s: f64,
    /// Open-sides flag: lava that reaches a side of the box leaves it; otherwise the sides are
    /// walls.
    pub open_sides: bool,
    /// Seed of the stochastic rounding of amounts.
    pub seed: u64,
    /// Heaters of solid and liquid; only for a lava with a liquidus.
    pub heaters: Vec<FlowHeater>,
}

/// Volume that a vent pours into one column in a step, as a difference of two running totals, so
/// that rounding never adds up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FlowPour {
    /// Number of the column, `z · nx + x`.
    pub column: usize,
    /// Level of a cell in the run to pour into; `None`: the uppermost run. The lava is added at the
    /// top of that run.
    pub level: Option<usize>,
    /// Volume in m³ that this vent has poured into the column from the start of the run to the
    /// start of this step.
    pub before_m3: f64,
    /// Volume in m³ that this vent has poured into the column up to the end of this step.
    pub after_m3: f64,
    /// Temperature of the poured lava in K.
    pub temperature_k: f64,
}

/// Content of one cell: liquid with its heat, and rock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlowCell {
    /// Liquid, [`UNITS`] to a full cell; more only in the top cell of a run under pressure.
    pub amount: i32,
    /// Rock from the cell's bottom, [`UNITS`] to a full cell.
    pub rock: i32,
    /// Heat of the liquid: amount × kelvin × [`HEAT_UNITS`], latent heat included (see
    /// [`Lava::heat_at`]).
    pub heat: i64,
}

impl FlowCell {
    /// Temperature of the liquid in K; `None` for a cell without liquid.
    pub fn temperature_k(&self, lava: &Lava) -> Option<f64> {
        let kelvin = || lava.temperature_of(self.heat as f64 / f64::from(self.amount) / HEAT_UNITS as f64);
        (self.amount > 0).then(kelvin)
    }
}

/// State of one column, as maps and the probe show it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FlowColumn {
    /// Height in metres of the ground before the flow, above the floor of the box.
    pub ground_m: f64,
    /// Thickness in metres of the liquid in all runs.
    pub liquid_m: f64,
    /// Thickness in metres of the rock that set here.
    pub set_m: f64,
    /// Height in metres of the present upper surface (lava, rock or ground), above the floor of the
    /// box.
    pub surface_m: f64,
    /// Arrival time in seconds from the start: the end of the first step after which lava lay
    /// there, liquid, or set and thicker than [`covered_above_m`]. 0 if lava was there before the
    /// start; `None` if none came.
    pub arrival_s: Option<f64>,
    /// Temperature in K of the uppermost liquid cell; `None` without liquid.
    pub surface_k: Option<f64>,
    /// Effective viscosity in Pa s of the uppermost wet run: that of an isothermal layer that would
    /// flow alike. `None` without liquid.
    pub viscosity_pa_s: Option<f64>,
    /// Yield strength in Pa of the uppermost wet run; `None` without liquid.
    pub yield_pa: Option<f64>,
    /// Largest speed in m/s of the surface so far.
    pub max_speed_m_s: f64,
    /// Depth in metres below the surface of the uppermost run down to which the crust is colder
    /// than the solidus.
    pub lid_m: f64,
    /// Temperature in K of the core of the uppermost run; `None` without liquid or for a lava
    /// without a crust.
    pub core_k: Option<f64>,
    /// Roof flag: some liquid lies under a roof.
    pub roofed: bool,
}

/// History of a column, stored next to its cells.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Mark {
    /// Amount in units that set.
    set: i64,
    /// Time in seconds at the end of the first step after which lava lay there, liquid, or set and
    /// covering the column. Below 0 if lava was there before the first step; infinite before any
    /// came.
    arrival_s: f64,
    /// Time in seconds from which the bed warms, not before the arrival: a film that sets in the
    /// step in which it comes leaves the bed cold.
    warmed_s: f64,
    /// Speed of the surface in m/s in the last step, and the largest so far.
    speed: f32,
    max_speed: f32,
}

impl Mark {
    /// Mark of a column to which no lava came.
    const NONE: Self = Self { set: 0, arrival_s: f64::INFINITY, warmed_s: f64::INFINITY, speed: 0.0, max_speed: 0.0 };

    /// Returns true if the numbers are possible for a column: a file may hold any.
    fn can_be(&self) -> bool {
        let is_speed = |speed: f32| speed.is_finite() && speed >= 0.0;
        (0..=1 << 56).contains(&self.set)
            && self.arrival_s >= -MOST_AGE_S
            && self.warmed_s >= self.arrival_s
            && is_speed(self.speed)
            && is_speed(self.max_speed)
    }

    /// Records the arrival of lava that stays liquid, or of rubble, which both warm the bed.
    fn note_arrival(&mut self, now_s: f64) {
        self.note_rock(now_s);
        if self.warmed_s.is_infinite() {
            self.warmed_s = now_s;
        }
    }

    /// Records the arrival of lava that set in the step in which it came.
    fn note_rock(&mut self, now_s: f64) {
        if self.arrival_s.is_infinite() {
            self.arrival_s = now_s;
        }
    }
}

/// A flow: its ground, liquid, solids, faces and ledgers. Advances by [`Flow::step`].
#[derive(Clone, Debug)]
pub struct Flow {
    space: FlowBox,
    setup: FlowSetup,
    clock: FlowClock,
    tables: Tables,
    ground: Heights,
    /// Cells of columns with liquid, of their neighbours, and of edited columns; all others are
    /// bare ground, see [`store::reach`].
    columns: Blocks<Column>,
    /// Summary of each column that faces read; updated with its runs while columns move.
    leans: Blocks<Lean>,
    marks: Blocks<Mark>,
    /// Solids that can melt; only for a lava that melts.
    solids: Option<melt::Solids>,
    /// Columns in which solid melted in this step.
    melted: Vec<u32>,
    /// Set while some solid may be disconnected from the ground.
    has_loose: bool,
    /// Faces of each column: towards east and towards south.
    faces: Blocks<[Face; 2]>,
    /// Columns with liquid, ascending.
    wet: Vec<u32>,
    /// Columns whose liquid is covered by other matter, ascending.
    covered: Vec<u32>,
    /// Flags of cells that hold other matter, column by column, for a lava that melts; empty if
    /// none does.
    covered_cells: Vec<bool>,
    changed: Vec<u32>,
    changed_area: Area,
    plan: Plan,
    /// Set while columns may have changed since the last step.
    is_disturbed: bool,
    /// Flag by which the program asks a step to give up, see [`Flow::stop_by`].
    stop: Option<Arc<AtomicBool>>,
    was_stopped: bool,
    /// Number of faces that the last step evaluated.
    work: u64,
    steps: u64,
    /// Number of sub-steps since the flow was created, see [`step`].
    stamp: u32,
    account: FlowAccount,
    watch: FlowWatch,
}

/// Upper bound of the cells from floor to top: the pressure of a higher box would overflow an
/// amount.
const HIGHEST: f64 = 1024.0;

/// Bounds of the edges of a cell in metres and of a step in seconds.
const LEAST_EDGE_M: f64 = 1e-5;
const MOST_EDGE_M: f64 = 1e4;
const MOST_STEP_S: f64 = 1e6;

impl Flow {
    /// Upper bound of the sub-steps of a step.
    pub const MOST_SUB_STEPS: u64 = step::WHOLE;

    /// Dry flow over the heights `ground`, in metres above the floor of the box, one for each
    /// column in the order of their numbers.
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

    /// Dry flow as by [`Flow::new`], from an iterator of heights, so that they need no list in
    /// memory.
    ///
    /// # Errors
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
            solids: setup.lava.melts().then(|| vec![melt::SolidColumn::default(); columns]),
            melted: Vec::new(),
            has_loose: false,
            clock: FlowClock::of(setup.step_s),
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

    /// Takes the times of the steps from `clock`, whose whole steps must have the length `step_s`
    /// of the setup.
    pub fn set_clock(&mut self, clock: FlowClock) {
        self.clock = clock;
    }

    /// Clock with the start and end times of the steps.
    pub fn clock(&self) -> &FlowClock {
        &self.clock
    }

    /// Plans the end of the run: the step that contains `end_s` (in seconds) ends there. `None`: no
    /// end.
    pub fn end_at(&mut self, end_s: Option<f64>) {
        self.clock.end_at(self.steps, end_s);
    }

    /// Sets the seed of the stochastic rounding for all later steps.
    pub fn set_seed(&mut self, seed: u64) {
        self.setup.seed = seed;
    }

    /// Computes the derived state (runs, slopes, records) of all stored columns from their cells.
    fn find_runs(&mut self) {
        for (_, column) in self.columns.iter_mut() {
            column.find_gaps();
            column.refresh(&self.tables);
        }
        let cosines: Vec<_> = self.columns.iter().map(|(c, _)| self.slope_cosine(c)).collect();
        self.columns.iter_mut().zip(cosines).for_each(|((_, column), cos2)| column.cos2 = cos2);
        self.columns.iter().for_each(|(c, column)| self.leans[c] = Lean::of(column));
        self.list_wet();
    }

    /// Lists the columns with liquid.
    fn list_wet(&mut self) {
        self.wet = self.columns.iter().filter(|(_, column)| column.is_wet()).map(|(c, _)| c as u32).collect();
        self.is_disturbed = true;
    }

    /// Puts liquid on the floor of the uppermost gap of columns, as if it had been poured.
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

    /// Shape of the box: number and edges of its cells.
    pub fn space(&self) -> FlowBox {
        self.space
    }

    /// Setup that the flow was created with, and its present seed.
    pub fn setup(&self) -> &FlowSetup {
        &self.setup
    }

    /// Number of steps made since the start.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Time in seconds since the start.
    pub fn time_s(&self) -> f64 {
        self.clock.time_s(self.steps)
    }

    /// Length in seconds of the last step; that of a whole step before the first.
    pub fn last_step_s(&self) -> f64 {
        self.steps.checked_sub(1).map_or(self.setup.step_s, |last| self.clock.length_s(last))
    }

    /// Ledgers of volume and heat.
    pub fn account(&self) -> &FlowAccount {
        &self.account
    }

    /// Counters of where the flow left the range of the model.
    pub fn watch(&self) -> &FlowWatch {
        &self.watch
    }

    /// Depth in metres beyond which a sloping layer at `kelvin` needs finer sub-steps than the
    /// finest, so that its fluxes are clamped.
    pub fn deepest_m(&self, kelvin: f64) -> f64 {
        self.tables.deepest(self.setup.lava.heat_at(kelvin)) * self.space.dz_m / f64::from(UNITS)
    }

    /// Returns true if nothing is liquid.
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

    /// Content of one cell; empty above the box. Under a crust the heat is that of the cell's depth
    /// in the profile.
    pub fn cell(&self, [x, y, z]: [usize; 3]) -> FlowCell {
        self.shown_cell(z * self.space.nx + x, y as i32)
    }

    /// Stored levels of a column: below lies whole rock, above nothing.
    pub fn levels(&self, column: usize) -> std::ops::Range<usize> {
        let column = self.column_at(column);
        column.base as usize..column.end() as usize
    }

    /// Returns true if lava turned to rock in a column.
    pub fn has_set(&self, column: usize) -> bool {
        self.marks[column].set > 0
    }

    /// Thickness in metres of liquid and set rock of a column: the sum of both in [`Flow::column`],
    /// without the cost of temperatures.
    pub fn thickness_m(&self, number: usize) -> f64 {
        self.space.meters(self.thickness_units(number))
    }

    /// Thickness of liquid and set rock of a column, in units of height.
    pub fn thickness_units(&self, number: usize) -> i64 {
        self.liquid_units(number) + self.marks[number].set
    }

    /// Thickness of the liquid of a column, in units of height. Under pressure a gap holds more
    /// than its room.
    fn liquid_units(&self, number: usize) -> i64 {
        self.column_at(number).runs.iter().map(|run| run.depth).sum()
    }

    /// State of one column, as maps show it.
    pub fn column(&self, number: usize) -> FlowColumn {
        let (column, mark) = (self.column_at(number), &self.marks[number]);
        let meters = |units: i64| self.space.meters(units);
        let highest = column.cells.iter().rposition(|cell| cell.amount > 0 || cell.rock > 0);
        let surface = highest.map_or(i64::from(column.base) * UNIT, |i| {
            let cell = column.cells[i];
            (i64::from(column.base) + i as i64) * UNIT + i64::from(cell.rock) + i64::from(cell.amount)
        });
        // The uppermost wet run even under a roof, so that maps show lava in tubes.
        let run = column.runs.iter().rev().find(|run| run.is_wet());
        let lava = &self.setup.lava;
        let profile = self.profile(number);
        FlowColumn {
            ground_m: meters(self.ground.of(number)),
            liquid_m: meters(self.liquid_units(number)),
            set_m: meters(mark.set),
            surface_m: meters(surface),
            arrival_s: mark.arrival_s.is_finite().then_some(mark.arrival_s.max(0.0)),
            surface_k: run.and_then(|run| self.shown_cell(number, run.top).temperature_k(lava)),
            viscosity_pa_s: run.map(|run| self.tables.viscosity_pa_s(run.fluidity)),
            yield_pa: run.map(|run| self.tables.yield_pa(run.strength)),
            max_speed_m_s: f64::from(mark.max_speed),
            lid_m: profile.map_or(0.0, |profile| profile.lid_m(lava.solidus_k).min(profile.crust_m)),
            core_k: profile.map(|profile| lava.temperature_of(profile.core)),
            roofed: column.runs.iter().any(|run| run.is_wet() && !run.is_under_sky()),
        }
    }

    /// Checks that the ledgers close, that no liquid is in rock and that no liquid floats.
    ///
    /// # Errors
    ///
    /// Names the first fault.
    pub fn check(&self) -> Result<(), String> {
        let amount = self.columns.iter().map(|(_, column)| column.amount()).sum();
        let heat = self.columns.iter().map(|(_, column)| column.heat()).sum();
        self.account.check(amount, heat)?;
        self.check_solids()?;
        self.columns.iter().try_for_each(|(c, column)| {
            let fault = column.fault();
            fault.map_or(Ok(()), |fault| {
                Err(format!("flow: {fault} in column ({}, {})", c % self.space.nx, c / self.space.nx))
            })
        })
    }
}
