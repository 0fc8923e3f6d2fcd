//! Flow ↔ cells: feeds the physical flow from the vents and mirrors the flow into the lava layer
//! and the ground, so that pictures, slices, files and the window read physical lava like that of
//! the cellular automaton (classic model). Other matter covers the flow.
//!
//! A cell is solid when rock fills at least half. The lava of a run (adjacent open cells of a
//! column) stands on the highest solid cell below the run: the amounts of a run are stacked from
//! there, so that a film in a cell that is mostly rock is displayed in the cell above and no column
//! of lava has a hole. A run with a roof may have less room than lava; the rest is not displayed.
//! Energy is the warmth of the lava between its solidus (or the temperature of the air, if the lava
//! never sets) and its temperature at the vent, 1 at the vent.
//!
//! A lava that melts is displayed in two materials instead, one for its solid and one for its melt,
//! each cell in place, and rock that bodies put above the ground in a third ([`Shows`]).

mod column;
mod unseen;

use std::ops::Range;

use self::column::Column;
use self::unseen::Unseen;
use crate::source::Vents;
use lavoxel_automaton::matter::{Kind, Shows};
use lavoxel_automaton::world::{Content, Edit, Layer, Matter, Shape, World};
use lavoxel_base::grid::Place;
use lavoxel_base::parallel::*;
use lavoxel_base::units::AMOUNT_ONE;
use lavoxel_flow::store::blocks::Blocks;
use lavoxel_flow::{Flow, FlowEdit, FlowState, UNITS};

/// Number of units of amount of the flow that make one unit of a layer.
pub(super) const PER_UNIT: i32 = UNITS / AMOUNT_ONE as i32;

/// Minimum amount of rock for a cell to be displayed as solid: half of the cell, in units of the
/// flow.
const ROCK: i32 = UNITS / 2;

/// Half of a cell, in units of a layer: if solid lava and rock from a scene's `[[body]]` exceed
/// this amount, still matter and grains are pushed out of the cell. For a lava that melts.
const FILLED: u16 = AMOUNT_ONE / 2;

/// 63/64 of a cell, in units of a layer: if solid lava and rock from a scene's `[[body]]` exceed
/// this amount, liquids and gases are pushed out of the cell. For a lava that melts.
const FULL: u16 = AMOUNT_ONE / 64 * 63;

/// Minimum amount of another material in a cell for the material to cover the lava below: an eighth
/// of the cell, in units of a layer.
const COVER: u16 = AMOUNT_ONE / 8;

/// Number of columns of the flow whose display is computed in parallel before these columns are
/// written to the world.
const AT_ONCE: usize = 8192;
/// Minimum number of columns of the flow per parallel task.
const TASK: usize = 64;

/// Indices of the three layers that display a lava that melts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Melting {
    pub(crate) solid: usize,
    pub(crate) melt: usize,
    pub(crate) mould: usize,
}

impl Melting {
    /// Finds the three layers of `world` that display the lava; `None` if the lava of `flow` cannot
    /// melt, or a layer is missing.
    fn new(world: &World, flow: &Flow) -> Option<Self> {
        if !flow.setup().lava.melts() {
            return None;
        }
        let number = |part| {
            world
                .layers
                .iter()
                .position(|layer| layer.material().shows == Some(part))
        };
        Some(Self {
            solid: number(Shows::Solid)?,
            melt: number(Shows::Melt)?,
            mould: number(Shows::Mould)?,
        })
    }
}

/// Flow of the physical model, and the data for displaying the flow in the cells of a world.
#[derive(Clone, Debug)]
pub struct FlowInCells {
    pub(crate) flow: Flow,
    /// Layers that display a lava that melts; `None` for a lava that cannot melt.
    pub(crate) melting: Option<Melting>,
    /// For each column, the height index y above the highest cell that displays lava; 0 for columns
    /// without displayed lava.
    tops: Blocks<u16>,
    /// Columns that changed since they were last displayed, if the display is deferred; `None` if
    /// the flow is displayed after every step.
    unseen: Option<Unseen>,
    /// Reusable buffers for columns that are being displayed.
    columns: Vec<Column>,
}

impl FlowInCells {
    fn new(world: &mut World, flow: Flow) -> Self {
        let melting = Melting::new(world, &flow);
        let melts = melting.map(|Melting { solid, melt, mould }| [solid, melt, mould]);
        world.set_mirrors(melts.into_iter().flatten().chain([world.number_of_lava()]));
        Self {
            flow,
            melting,
            tops: Blocks::at_rest(world.grid().columns(), 0),
            unseen: None,
            columns: Vec::new(),
        }
    }

    /// Couples `flow` to `world`: from now on the flow moves the lava, and the cells of `world`
    /// display all its columns. The grids of flow and world must match.
    pub(crate) fn shown_in(world: &mut World, flow: Flow) -> Self {
        let mut flowing = Self::new(world, flow);
        let columns = world.grid().columns() as u32;
        for first in (0..columns).step_by(AT_ONCE) {
            flowing.show_columns(
                world,
                &(first..columns.min(first + AT_ONCE as u32)).collect::<Vec<_>>(),
            );
        }
        flowing
    }

    /// Couples `flow` to `world`, whose cells display the flow already, for example after reading a
    /// file.
    pub(crate) fn already_shown_in(world: &mut World, flow: Flow) -> Self {
        let mut flowing = Self::new(world, flow);
        flowing.tops = mirrored_tops(world);
        flowing.show_fresh(world);
        flowing.cover(world);
        flowing
    }

    /// Restores the flow from the saved `state`; the ground and the layers of `world` must display
    /// that state already. Returns an error if `state` does not fit the flow.
    pub(crate) fn restore(&mut self, world: &World, state: &FlowState) -> Result<(), String> {
        self.tops = mirrored_tops(world);
        self.flow.restore(state.clone())?;
        self.cover(world);
        Ok(())
    }

    /// Marks the top of the ground as rock solidified from lava in the columns of `world` in which
    /// lava has solidified.
    fn show_fresh(&self, world: &mut World) {
        let nx = world.grid.nx;
        for column in 0..world.grid.columns() {
            world
                .ground
                .set_fresh(column % nx, column / nx, self.flow.has_set(column));
        }
    }

    /// Advances the flow by the step number `step`: adds the lava of the vents, runs the flow
    /// solver, and displays the result in the cells.
    pub(crate) fn step(&mut self, world: &mut World, vents: &Vents, step: u64) {
        self.cover(world);
        let about = (self.flow.clock(), self.flow.setup().lava.vent_k);
        let pours = vents.flow_pours(step, about, world.grid);
        self.flow.step(&pours);
        if self.flow.was_stopped() {
            return;
        }
        match &mut self.unseen {
            Some(unseen) => unseen.add(self.flow.changed()),
            None => self.show_step(world),
        }
    }

    /// Tells the flow which of its cells or columns are covered by other matter; called before each
    /// step of the flow.
    fn cover(&mut self, world: &World) {
        let covers = |(number, layer): &(usize, &Layer)| {
            !world.is_mirror(*number) && matches!(layer.material().kind, Kind::Liquid | Kind::Still)
        };
        let covers: Vec<&Layer> = world
            .layers
            .iter()
            .enumerate()
            .filter(covers)
            .map(|(_, layer)| layer)
            .collect();
        if covers.is_empty() {
            return;
        }
        if self.flow.setup().lava.melts() {
            // A lava that melts exchanges heat on all sides: covers are set per cell instead of per
            // column.
            let held = covers
                .iter()
                .flat_map(|layer| layer.held())
                .filter(|(_, cell)| cell.amount >= COVER);
            let cells: Vec<Place> = held.map(|(place, _)| place).collect();
            return self.flow.cover_cells(&cells);
        }
        let nx = world.grid.nx;
        let covered = |c: usize| {
            let top = usize::from(self.tops[c]);
            let is_under = |layer: &&Layer, y: usize| layer.at([c % nx, y, c / nx]).amount >= COVER;
            let at = |y: usize| y < world.grid.ny && covers.iter().any(|layer| is_under(layer, y));
            top > 0 && (at(top) || at(top - 1))
        };
        let covered: Vec<bool> = self
            .flow
            .wet()
            .iter()
            .map(|&c| covered(c as usize))
            .collect();
        self.flow.cover(&covered);
    }

    fn show_step(&mut self, world: &mut World) {
        let Self {
            flow,
            tops,
            columns,
            melting,
            ..
        } = self;
        show(world, (flow, *melting), tops, columns, flow.changed());
        world.stay_mirrored();
    }

    /// Displays the columns of the flow with the indices `numbers` in the cells of `world`; called
    /// between two steps.
    pub(super) fn show_columns(&mut self, world: &mut World, numbers: &[u32]) {
        // Recomputes the covers from the present world, as after a restore from a file.
        self.cover(world);
        let Self {
            flow,
            tops,
            columns,
            melting,
            ..
        } = self;
        show(world, (flow, *melting), tops, columns, numbers);
    }

    /// Applies an edit of lava or rock to the flow. Other matter in the edited cells changes as in
    /// a world without a flow.
    pub(crate) fn edit(&mut self, world: &mut World, edit: &Edit) {
        self.show_unseen(world);
        let lava = &self.flow.setup().lava;
        let [cold, hot] = lava.warmth_k();
        // Each kind of matter maps to one edit of the flow; a kind without a counterpart returns
        // early.
        let change = match edit.matter {
            Matter::Lava {
                amount,
                energy,
                temperature_k,
            } => {
                let temperature_k = temperature_k.unwrap_or(cold + energy * (hot - cold));
                FlowEdit::Lava {
                    share: amount,
                    temperature_k,
                }
            }
            Matter::Solid { temperature_k } if lava.melts() => FlowEdit::Solid {
                temperature_k: temperature_k.unwrap_or(lava.ambient_k),
            },
            Matter::Rock => FlowEdit::Rock,
            Matter::Drain => FlowEdit::Drain,
            Matter::Nothing => FlowEdit::Nothing,
            Matter::Raise { by } => {
                return self.raise(world, &edit.shape, |flow, columns| flow.raise(columns, by));
            }
            Matter::Ground(ref survey) => {
                let heights =
                    |flow: &mut Flow, columns: &[u32]| flow.survey(columns, |c| survey.height(c));
                return self.raise(world, &edit.shape, heights);
            }
            Matter::Solid { .. }
            | Matter::Material { .. }
            | Matter::Air(_)
            | Matter::Flood { .. }
            | Matter::Replace { .. } => return,
        };
        if edit.matter.is_rock() {
            world.displace(&edit.shape);
        } else if !matches!(change, FlowEdit::Lava { .. }) {
            edit.shape
                .cells(world.grid)
                .for_each(|place| world.drain(place));
        }
        let changed = self.flow.edit(edit.shape.cells(world.grid), change);
        self.show_columns(world, &changed);
    }

    /// Raises the ground in the columns of `shape`. `raise`: function that raises the flow's
    /// columns with the given indices and returns the range of raised heights (y) of each. Other
    /// matter in the raised cells is removed.
    fn raise(
        &mut self,
        world: &mut World,
        shape: &Shape,
        raise: impl FnOnce(&mut Flow, &[u32]) -> Vec<Range<usize>>,
    ) {
        let columns = shape.columns(world.grid);
        let numbers: Vec<u32> = columns
            .iter()
            .map(|&(x, z)| world.grid.column(x, z) as u32)
            .collect();
        let fills = raise(&mut self.flow, &numbers);
        for ((x, z), levels) in columns.into_iter().zip(fills) {
            levels.for_each(|y| world.drain([x, y, z]));
        }
        self.show_columns(world, &numbers);
    }
}

/// Computes the display of the flow's columns with the indices `columns` in parallel, and writes it
/// into the cells of `world`. `tops`: height index above the highest displayed cell of each column,
/// which is updated; `room`: reusable buffers.
fn show(
    world: &mut World,
    (flow, melting): (&Flow, Option<Melting>),
    tops: &mut Blocks<u16>,
    room: &mut Vec<Column>,
    columns: &[u32],
) {
    let (nx, ny) = (world.grid.nx, world.grid.ny);
    for numbers in columns.chunks(AT_ONCE) {
        room.resize_with(numbers.len().max(room.len()), Column::default);
        room.par_iter_mut()
            .zip(numbers)
            .with_min_len(TASK)
            .for_each(|(column, &number)| {
                column.read(flow, number as usize, ny);
                column.melts = melting.map(|_| flow.ground_level(number as usize));
                column.show(&flow.setup().lava);
            });
        for (column, &number) in room.iter().zip(numbers) {
            let (x, z) = (number as usize % nx, number as usize / nx);
            let old_top = usize::from(tops[number as usize]);
            Cells { world, melting }.column(column, [x, z], old_top);
            world
                .ground
                .set_fresh(x, z, melting.is_none() && flow.has_set(number as usize));
            tops.set(number as usize, column.top() as u16);
        }
    }
    take_account(world, flow);
}

/// Cells of a world into which the contents of the flow's columns are written.
struct Cells<'a> {
    world: &'a mut World,
    melting: Option<Melting>,
}

impl Cells<'_> {
    /// Writes the content that `column` displays into the cells at (`x`, `z`). `old_top`: height
    /// index above the highest cell in which the column displayed lava before.
    fn column(&mut self, column: &Column, [x, z]: [usize; 2], old_top: usize) {
        let melting = self.melting;
        let liquid = melting.map_or(self.world.number_of_lava(), |melting| melting.melt);
        // An edit may have moved the ground beyond the stored heights: cells below become rock,
        // cells above become air.
        let ground = &self.world.ground;
        let levels =
            column.from.min(ground.lowest_open(x, z))..column.to.max(old_top).max(ground.top(x, z));
        for y in levels {
            let shown = column.shown(y);
            if melting.is_none() && shown.ground == self.world.ground.is_solid([x, y, z]) {
                self.world.layers[liquid].set([x, y, z], shown.liquid);
                continue;
            }
            // A cell is emptied before it becomes ground, because no cell may contain more than
            // fits.
            self.world.layers[liquid].set([x, y, z], Content::default());
            let still = melting
                .map(|Melting { solid, mould, .. }| [(solid, shown.solid), (mould, shown.mould)]);
            let filled: u16 = still
                .iter()
                .flatten()
                .map(|&(layer, _)| self.world.layers[layer].at([x, y, z]).amount)
                .sum();
            for (layer, _) in still.into_iter().flatten() {
                self.world.layers[layer].set([x, y, z], Content::default());
            }
            if shown.ground && !self.world.ground.is_solid([x, y, z]) {
                self.lift([x, y, z], |_| true);
            }
            self.world.set_solid([x, y, z], shown.ground);
            for (layer, amount) in still
                .into_iter()
                .flatten()
                .filter(|&(_, amount)| amount > 0)
            {
                self.world.layers[layer].set([x, y, z], Content { amount, energy: 0 });
            }
            if shown.liquid.amount > 0 {
                self.world.layers[liquid].set([x, y, z], shown.liquid);
            }
            // Displaces matter only at the step in which the threshold is crossed: a column may be
            // displayed again without a change, for example after a checkpoint.
            match shown.solid + shown.mould {
                FULL.. if filled < FULL => self.lift([x, y, z], |_| true),
                // Liquids and gases leave a half-filled cell by their own rules.
                FILLED.. if filled < FILLED => {
                    self.lift([x, y, z], |kind| matches!(kind, Kind::Still | Kind::Grain))
                }
                _ => {}
            }
        }
        if let Some(height) = column.height {
            self.world.ground.set_height(x, z, height);
        }
    }

    /// Moves matter out of the cell `[x, y, z]`, which rock or solid lava now fills, to the lowest
    /// cell above with room; matter without room is removed. `goes`: true for the kinds of matter
    /// to move; layers that display the flow stay.
    fn lift(&mut self, [x, y, z]: Place, goes: impl Fn(Kind) -> bool) {
        let lifted: Vec<usize> = (0..self.world.layers.len())
            .filter(|&number| {
                self.world.layers[number].at([x, y, z]).amount > 0 && !self.world.is_mirror(number)
            })
            .filter(|&number| goes(self.world.layers[number].material().kind))
            .collect();
        for number in lifted {
            let held = self.world.layers[number].at([x, y, z]);
            self.world.layers[number].set([x, y, z], Content::default());
            let takes = |up: &usize| self.takes((number, held), [x, *up, z]);
            let Some(up) = (y + 1..self.world.grid.ny).find(takes) else {
                self.world.layers[number].ledger.removed += u64::from(held.amount);
                continue;
            };
            let there = self.world.layers[number].at([x, up, z]);
            self.world.layers[number].set(
                [x, up, z],
                Content {
                    amount: there.amount + held.amount,
                    ..there
                },
            );
        }
    }

    /// Returns true if the cell `place` has room for the content `held` of the layer with index
    /// `layer`, which must not display lava.
    fn takes(&self, (layer, held): (usize, Content), place: Place) -> bool {
        if self.melting.is_some_and(|Melting { solid, mould, .. }| {
            self.world.layers[solid].at(place).amount + self.world.layers[mould].at(place).amount
                >= FILLED
        }) {
            return false;
        }
        if self.world.layers[layer].is_grains() {
            return self.world.takes_grain(layer, place);
        }
        let there = self.world.layers[layer].at(place).amount;
        !self.world.ground.is_solid(place)
            && there
                .checked_add(held.amount)
                .is_some_and(|sum| sum <= self.world.most_of(layer))
    }
}

/// Copies the sums of the flow's account to the account of the lava layer, for reports, rounded
/// down to whole units of the layer. The exact account is that of the flow.
fn take_account(world: &mut World, flow: &Flow) {
    let lava = world.number_of_lava();
    let units = |amount: i64| (amount.max(0) / i64::from(PER_UNIT)) as u64;
    let (account, ledger) = (flow.account(), &mut world.layers[lava].ledger);
    // For a lava that melts, `placed` counts solid, which is no lava of this layer.
    let put = if flow.setup().lava.melts() {
        0
    } else {
        account.placed
    };
    ledger.sourced = units(account.poured + put);
    ledger.outflow = units(account.out);
    ledger.solidified = units(account.set);
    ledger.removed = units(account.removed);
    ledger.blocked = units(account.blocked);
}

/// Returns for each column the height index y above the highest cell that displays part of the
/// flow; 0 for columns that display none.
fn mirrored_tops(world: &World) -> Blocks<u16> {
    let mut tops = Blocks::at_rest(world.grid.columns(), 0);
    for ([x, y, z], _) in world.mirrored().flat_map(Layer::held) {
        let column = world.grid.column(x, z);
        tops.set(column, (y as u16 + 1).max(tops[column]));
    }
    tops
}
