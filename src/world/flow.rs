//! The flow of a world of the physical model, mirrored into the lava layer and the ground, so that pictures, slices, files
//! and the window read it as they read the classic automaton.
//!
//! A cell is solid when rock fills half of it. The lava of a run stands on the highest solid cell below it: the amounts of
//! a run are stacked from there, so that a film in a cell that is mostly rock is shown in the cell above and no column of
//! lava has a hole. A run with a roof may have less room than it holds; the rest is not shown. Energy is the warmth of the
//! lava between its solidus (or the air, if it never sets) and its temperature at the vent, 1 at the vent.
//!
//! A lava that melts is shown in two materials instead, [`Material::SOLID`] and [`Material::MELT`], each cell as it is, and rock
//! that bodies put above the ground as [`Material::MOULD`].

use super::unseen::Unseen;
use super::{Content, Edit, Matter, World};
use crate::flow::{Flow, FlowCell, FlowEdit, FlowState, Lava, UNITS};
use crate::grid::Place;
use crate::matter::{Kind, Material};
use crate::memory::MemoryEstimate;
use crate::parallel::*;
use crate::source::Vents;
use crate::units::{AMOUNT_ONE, ENERGY_MAX, ENERGY_ONE};

/// Units of amount of the flow in one of a layer.
pub(super) const PER_UNIT: i32 = UNITS / AMOUNT_ONE as i32;

/// Rock that makes a cell solid.
const ROCK: i32 = UNITS / 2;

/// Solid of a lava that melts, and rock of bodies, that leave no room in a cell for what neither flows nor rises.
const FILLED: u16 = AMOUNT_ONE / 2;

/// As much of them as leaves none for liquids and gases.
const FULL: u16 = AMOUNT_ONE / 64 * 63;

/// Columns that are read before any is written, and fewest for which a second thread is worth its call.
const AT_ONCE: usize = 8192;
const TASK: usize = 64;

/// The layers that show a lava that melts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Melting {
    pub(crate) set: usize,
    pub(crate) melt: usize,
    pub(crate) mould: usize,
}

impl Melting {
    fn has(self, layer: usize) -> bool {
        [self.set, self.melt, self.mould].contains(&layer)
    }
}

/// A set of layers, a bit each: those that show a flow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LayersOfFlow(u64);

impl LayersOfFlow {
    /// Whether there is a flow.
    pub(crate) fn flows(self) -> bool {
        self.0 != 0
    }

    /// Whether a layer shows it.
    pub(crate) fn has(self, layer: usize) -> bool {
        self.0.checked_shr(layer as u32).is_some_and(|bits| bits & 1 == 1)
    }
}

/// A flow and what the world shows of it.
#[derive(Clone, Debug)]
pub(super) struct Flowing {
    pub(super) flow: Flow,
    /// For each column the lowest cell above the highest one that shows lava.
    pub(super) tops: Vec<u16>,
    /// Columns that have changed and are shown when somebody reads them; absent where they are shown after every step.
    pub(super) unseen: Option<Unseen>,
    /// Room for what is shown of columns.
    columns: Vec<Column>,
}

impl World {
    /// The flow, in a world of the physical model.
    pub fn flow(&self) -> Option<&Flow> {
        self.flow.as_ref().map(|flowing| &flowing.flow)
    }

    /// The flow, to change it.
    pub(super) fn flow_mut(&mut self) -> Option<&mut Flow> {
        self.flow.as_mut().map(|flowing| &mut flowing.flow)
    }

    /// Has the flow, where there is one, give up a long step as soon as `stop` is set.
    pub(crate) fn stop_by(&mut self, stop: std::sync::Arc<std::sync::atomic::AtomicBool>) {
        if let Some(flow) = self.flow_mut() {
            flow.stop_by(stop);
        }
    }

    /// The same world, whose lava moves by the physical model from now on: all columns show the ground and the lava of
    /// `flow`, which has the columns and levels of this box.
    #[must_use]
    pub fn with_flow(mut self, flow: Flow) -> Self {
        let columns = self.grid.columns() as u32;
        self.flow =
            Some(Box::new(Flowing { flow, tops: vec![0; columns as usize], unseen: None, columns: Vec::new() }));
        self.show(|_| (0..columns).collect());
        self
    }

    /// The same world with a flow that it shows already, as one that was read from a file.
    #[must_use]
    pub(crate) fn with_shown_flow(mut self, flow: Flow) -> Self {
        self.flow = Some(Box::new(Flowing { flow, tops: Vec::new(), unseen: None, columns: Vec::new() }));
        let tops = self.lava_tops();
        self.flow.iter_mut().for_each(|flowing| flowing.tops.clone_from(&tops));
        self.show_fresh();
        self.cover_flow();
        self
    }

    /// What a snapshot keeps of the flow.
    pub(super) fn flow_state(&self) -> Option<FlowState> {
        self.flow().map(Flow::state)
    }

    /// Goes back to a flow that the ground and the lava layer show already.
    pub(super) fn restore_flow(&mut self, state: Option<&FlowState>) -> Result<(), String> {
        let tops = self.lava_tops();
        match (self.flow.as_deref_mut(), state) {
            (Some(flowing), Some(state)) => {
                flowing.tops = tops;
                flowing.flow.restore(state.clone())
            }
            (None, None) => Ok(()),
            _ => Err("a world keeps its model".to_owned()),
        }
    }

    /// Memory of a flow in a box of this shape.
    pub(crate) fn need_of_flow(&self) -> MemoryEstimate {
        let bytes = self.flow().map_or(0, Flow::bytes);
        MemoryEstimate::of("the flow", 1, bytes as f64)
    }

    /// Marks the columns in which lava set.
    fn show_fresh(&mut self) {
        let Some(flowing) = self.flow.take() else { return };
        for column in 0..self.grid.columns() {
            self.ground.set_fresh(column % self.grid.nx, column / self.grid.nx, flowing.flow.has_set(column));
        }
        self.flow = Some(flowing);
    }

    /// One step of the flow, where there is one.
    pub(crate) fn step_flow(&mut self, vents: &Vents, step: u64) {
        let grid = self.grid;
        self.cover_flow();
        let Some(flowing) = self.flow.as_deref_mut() else { return };
        let setup = flowing.flow.setup();
        let pours = vents.flow_pours(step, (setup.step_s, setup.lava.vent_k), grid);
        flowing.flow.step(&pours);
        if flowing.flow.was_stopped() {
            return;
        }
        match &mut flowing.unseen {
            Some(unseen) => unseen.add(flowing.flow.changed()),
            None => self.show_step(),
        }
    }

    fn show_step(&mut self) {
        self.show(|flow| flow.changed().to_vec());
        self.stay_shown();
    }

    pub(super) fn stay_shown(&mut self) {
        // No rule moves these layers: what changed is for their readers.
        let shown = self.layers_of_flow();
        let layers = self.layers.iter_mut().enumerate().filter(|(number, _)| shown.has(*number));
        layers.for_each(|(_, layer)| layer.stay());
    }

    /// Carries out an edit of lava and rock; other matter in the cells goes as in any world.
    pub(super) fn edit_flow(&mut self, edit: &Edit) {
        self.show_flow();
        let Some(flowing) = self.flow.as_deref() else { return };
        let lava = &flowing.flow.setup().lava;
        let [cold, hot] = lava.warmth_k();
        let change = match edit.matter {
            Matter::Lava { amount, energy } => {
                FlowEdit::Lava { share: amount, temperature_k: cold + energy * (hot - cold) }
            }
            Matter::Solid { temperature_k } if lava.melts() => {
                FlowEdit::Solid { temperature_k: temperature_k.unwrap_or(lava.ambient_k) }
            }
            Matter::Rock => FlowEdit::Rock,
            Matter::Drain => FlowEdit::Drain,
            Matter::Nothing => FlowEdit::Nothing,
            Matter::Solid { .. } | Matter::Material { .. } | Matter::Air(_) => return,
        };
        if edit.matter.is_rock() {
            self.displace(&edit.shape);
        } else if !matches!(change, FlowEdit::Lava { .. }) {
            edit.shape.cells(self.grid).for_each(|place| self.drain(place));
        }
        let Some(flowing) = self.flow.as_deref_mut() else { return };
        let changed = flowing.flow.edit(edit.shape.cells(self.grid), change);
        self.show(|_| changed);
    }

    /// The layers that only show the flow, which has the account of what is in them.
    pub(crate) fn layers_of_flow(&self) -> LayersOfFlow {
        if self.flow.is_none() {
            return LayersOfFlow::default();
        }
        let melting = self.layers_of_melting().map(|Melting { set, melt, mould }| [set, melt, mould]);
        let all = melting.into_iter().flatten().chain([self.lava]);
        LayersOfFlow(all.fold(0, |all, layer| all | 1 << layer))
    }

    /// Whether a layer only shows the flow.
    pub fn shows_flow(&self, layer: usize) -> bool {
        self.layers_of_flow().has(layer)
    }

    /// Shows some columns of the flow.
    pub(super) fn show(&mut self, columns: impl FnOnce(&Flow) -> Vec<u32>) {
        let melting = self.layers_of_melting();
        let Some(mut flowing) = self.flow.take() else { return };
        let Flowing { flow, tops, columns: shown, .. } = &mut *flowing;
        for numbers in columns(flow).chunks(AT_ONCE) {
            shown.resize_with(numbers.len().max(shown.len()), Column::default);
            shown.par_iter_mut().zip(numbers).with_min_len(TASK).for_each(|(column, &number)| {
                column.read(flow, number as usize, self.grid.ny);
                column.melts = melting.map(|_| flow.ground_level(number as usize));
                column.show(&flow.setup().lava);
            });
            for (column, &number) in shown.iter().zip(numbers) {
                let (x, z) = (number as usize % self.grid.nx, number as usize / self.grid.nx);
                let top = &mut tops[number as usize];
                self.show_column(column, [x, z], usize::from(*top), melting);
                self.ground.set_fresh(x, z, melting.is_none() && flow.has_set(number as usize));
                *top = column.top() as u16;
            }
        }
        self.take_account(&flowing.flow);
        self.flow = Some(flowing);
    }

    /// The layers of a lava that melts, in a world with one.
    pub(crate) fn layers_of_melting(&self) -> Option<Melting> {
        self.flow().filter(|flow| flow.setup().lava.melts())?;
        let number = |name| self.number_of(name);
        Some(Melting { set: number(Material::SOLID)?, melt: number(Material::MELT)?, mould: number(Material::MOULD)? })
    }

    /// Temperature of what a cell shows of a lava that melts. What lies in a cell that is mostly ground is shown in the one above.
    pub(crate) fn shown_k(&self, [x, y, z]: Place) -> Option<f64> {
        let flow = self.flow()?;
        let below = || flow.temperature_k([x, y.checked_sub(1)?, z]);
        flow.temperature_k([x, y, z]).or_else(below)
    }

    /// Writes a column; something was shown below `old_top`.
    fn show_column(&mut self, column: &Column, [x, z]: [usize; 2], old_top: usize, melting: Option<Melting>) {
        let liquid = melting.map_or(self.lava, |melting| melting.melt);
        for y in column.from..column.to.max(old_top) {
            let shown = column.shown(y);
            if melting.is_none() && shown.ground == self.ground.is_solid([x, y, z]) {
                self.layers[liquid].set([x, y, z], shown.liquid);
                continue;
            }
            // Nothing is in a cell when it becomes ground, and none holds more than there is room for.
            self.layers[liquid].set([x, y, z], Content::default());
            let still = melting.map(|Melting { set, mould, .. }| [(set, shown.solid), (mould, shown.mould)]);
            for (layer, _) in still.into_iter().flatten() {
                self.layers[layer].set([x, y, z], Content::default());
            }
            if shown.ground && !self.ground.is_solid([x, y, z]) {
                self.lift([x, y, z], melting, |_| true);
            }
            self.set_solid([x, y, z], shown.ground);
            for (layer, amount) in still.into_iter().flatten().filter(|&(_, amount)| amount > 0) {
                self.layers[layer].set([x, y, z], Content { amount, energy: 0 });
            }
            if shown.liquid.amount > 0 {
                self.layers[liquid].set([x, y, z], shown.liquid);
            }
            match shown.solid + shown.mould {
                FULL.. => self.lift([x, y, z], melting, |_| true),
                // Liquids and gases rise by their own rule from what takes their room.
                FILLED.. => self.lift([x, y, z], melting, |kind| matches!(kind, Kind::Still | Kind::Grain)),
                _ => {}
            }
        }
        if let Some(height) = column.height {
            self.ground.set_height(x, z, height);
        }
    }

    /// Moves the matter of a cell that rock or solid fills to the lowest cell above with room; what finds none is removed. Of
    /// the layers that do not show the flow those of these kinds.
    fn lift(&mut self, [x, y, z]: Place, melting: Option<Melting>, goes: impl Fn(Kind) -> bool) {
        let shows_flow = |number| number == self.lava || melting.is_some_and(|melting| melting.has(number));
        let lifted: Vec<usize> = (0..self.layers.len())
            .filter(|&number| self.layers[number].at([x, y, z]).amount > 0 && !shows_flow(number))
            .filter(|&number| goes(self.layers[number].material().kind))
            .collect();
        for number in lifted {
            let held = self.layers[number].at([x, y, z]);
            self.layers[number].set([x, y, z], Content::default());
            let takes = |up: &usize| self.takes((number, held), [x, *up, z], melting);
            let Some(up) = (y + 1..self.grid.ny).find(takes) else {
                self.layers[number].ledger.removed += u64::from(held.amount);
                continue;
            };
            let there = self.layers[number].at([x, up, z]);
            self.layers[number].set([x, up, z], Content { amount: there.amount + held.amount, ..there });
        }
    }

    /// Whether a cell takes what another one held of a layer besides the lava.
    fn takes(&self, (layer, held): (usize, Content), place: Place, melting: Option<Melting>) -> bool {
        if melting.is_some_and(|Melting { set, mould, .. }| {
            self.layers[set].at(place).amount + self.layers[mould].at(place).amount >= FILLED
        }) {
            return false;
        }
        if self.layers[layer].is_grains() {
            return self.takes_grain(layer, place);
        }
        let there = self.layers[layer].at(place).amount;
        !self.ground.is_solid(place) && there.checked_add(held.amount).is_some_and(|sum| sum <= self.most_of(layer))
    }

    /// The account of the lava layer in its own units, for reports; what is exact is the flow's own.
    fn take_account(&mut self, flow: &Flow) {
        let units = |amount: i64| (amount.max(0) / i64::from(PER_UNIT)) as u64;
        let (account, ledger) = (flow.account(), &mut self.layers[self.lava].ledger);
        // Of a lava that melts it is solid that is put there.
        let put = if flow.setup().lava.melts() { 0 } else { account.placed };
        ledger.sourced = units(account.poured + put);
        ledger.outflow = units(account.out);
        ledger.solidified = units(account.set);
        ledger.removed = units(account.removed);
        ledger.blocked = units(account.blocked);
    }

    /// For each column the lowest cell above the highest one that shows any of the flow.
    fn lava_tops(&self) -> Vec<u16> {
        let mut tops = vec![0; self.grid.columns()];
        let shown = self.layers.iter().enumerate().filter(|&(number, _)| self.shows_flow(number));
        for ([x, y, z], _) in shown.flat_map(|(_, layer)| layer.held()) {
            let top = &mut tops[self.grid.column(x, z)];
            *top = (y as u16 + 1).max(*top);
        }
        tops
    }
}

/// A column of a flow as the world shows it.
#[derive(Clone, Debug, Default)]
struct Column {
    /// The first level that was read; all below is rock.
    from: usize,
    /// One past the last level that may be anything but air.
    to: usize,
    /// The cells, of whose rock what can melt is left out, and that.
    cells: Vec<FlowCell>,
    solids: Vec<i32>,
    /// With a lava that melts, the level of the first cell above the ground.
    melts: Option<usize>,
    shown: Vec<Shown>,
    /// Surface of the ground in cells above the floor, if it lies in what was read.
    height: Option<f32>,
}

/// A cell as the world shows it.
#[derive(Clone, Copy, Debug, Default)]
struct Shown {
    ground: bool,
    /// Amount of solid that can melt.
    solid: u16,
    /// Amount of rock above the ground.
    mould: u16,
    liquid: Content,
}

impl Column {
    /// Reads a column of a flow, of which the world has `ny` levels.
    fn read(&mut self, flow: &Flow, number: usize, ny: usize) {
        let (x, z) = (number % flow.space().nx, number / flow.space().nx);
        let levels = flow.levels(number);
        // The surface may lie on the cell below, and a film on the highest cell is shown in the one above.
        (self.from, self.to) = (levels.start.min(ny).saturating_sub(1), (levels.end + 1).min(ny));
        self.cells.clear();
        self.solids.clear();
        for y in self.from..self.to {
            let (cell, solid) = (flow.cell([x, y, z]), flow.solid([x, y, z]));
            self.cells.push(FlowCell { rock: cell.rock - solid.min(cell.rock), ..cell });
            self.solids.push(solid);
        }
    }

    /// Works out what is shown.
    fn show(&mut self, lava: &Lava) {
        self.shown.clear();
        let first = self.melts.unwrap_or(usize::MAX);
        for (cell, y) in self.cells.iter_mut().zip(self.from..) {
            let mould = if y < first { 0 } else { std::mem::take(&mut cell.rock) };
            let ground = cell.rock >= ROCK;
            self.shown.push(Shown { ground, mould: (mould / PER_UNIT) as u16, ..Shown::default() });
        }
        if self.melts.is_some() {
            self.show_cells(lava)
        } else {
            self.stack_runs(lava)
        }
        self.height = self.surface();
    }

    /// Shows solid and liquid of every cell as they are; what lies in a cell that is mostly ground goes into the one above.
    fn show_cells(&mut self, lava: &Lava) {
        let (mut solid, mut amount, mut warmth) = (0, 0, 0.0);
        for (i, (cell, shown)) in self.cells.iter().zip(&mut self.shown).enumerate() {
            solid += self.solids[i].min(UNITS);
            amount += cell.amount;
            warmth += f64::from(cell.amount) * warmth_of(cell, lava);
            if shown.ground {
                continue;
            }
            shown.solid = ((solid.min(UNITS) / PER_UNIT) as u16).min(AMOUNT_ONE - shown.mould);
            let room = i32::from(AMOUNT_ONE - shown.mould - shown.solid) * PER_UNIT;
            if amount > 0 && room > 0 {
                shown.liquid = content(amount.min(room), warmth * f64::from(amount.min(room)) / f64::from(amount));
            }
            (solid, amount, warmth) = (0, 0, 0.0);
        }
    }

    /// What a level shows; above what was read there is air.
    fn shown(&self, y: usize) -> Shown {
        self.shown.get(y - self.from).copied().unwrap_or_default()
    }

    /// The lowest level above the highest one that shows lava or solid.
    fn top(&self) -> usize {
        self.shown
            .iter()
            .rposition(|shown| shown.liquid.amount > 0 || shown.solid > 0 || shown.mould > 0)
            .map_or(0, |i| self.from + i + 1)
    }

    /// Stacks the lava of every run from its first open cell up.
    fn stack_runs(&mut self, lava: &Lava) {
        let mut first = 0;
        while first < self.cells.len() {
            // A run ends below the next cell with rock.
            let rest = &self.cells[first + 1..];
            let end = first + 1 + rest.iter().position(|cell| cell.rock > 0).unwrap_or(rest.len());
            stack(&self.cells[first..end], &mut self.shown[first..end], lava);
            first = end;
        }
    }

    /// Height of the highest rock in cells above the floor, such that the cell below it is solid, or the one that it lies
    /// in is not.
    fn surface(&self) -> Option<f32> {
        let top = self.cells.iter().rposition(|cell| cell.rock >= ROCK).map_or(0, |i| i + 1);
        if top == 0 && self.from > 0 {
            return None;
        }
        let share = |cell: &FlowCell| f64::from(cell.rock) / f64::from(UNITS);
        let (base, part) = match self.cells.get(top).map(share).filter(|&part| part > 0.0) {
            Some(part) => (top, part),
            None if top > 0 => (top - 1, share(&self.cells[top - 1])),
            None => (0, 0.0),
        };
        let height = ((self.from + base) as f64 + part) as f32;
        // A number of 32 bits may be rounded up into the next cell.
        let is_above = (height + 0.5).floor() as usize > self.from + top;
        Some(if is_above { height.next_down() } else { height })
    }
}

/// Puts the lava of the cells of a run into those that are not solid, from below.
fn stack(cells: &[FlowCell], shown: &mut [Shown], lava: &Lava) {
    let mut open = shown.iter_mut().filter(|shown| !shown.ground);
    let (mut to, mut amount, mut warmth) = (open.next(), 0, 0.0);
    for cell in cells.iter().filter(|cell| cell.amount > 0) {
        let (mut left, warm) = (cell.amount, warmth_of(cell, lava));
        while let Some(target) = to.as_mut().filter(|_| left > 0) {
            let part = left.min(UNITS - amount);
            (left, amount, warmth) = (left - part, amount + part, warmth + f64::from(part) * warm);
            target.liquid = content(amount, warmth);
            if amount == UNITS {
                (to, amount, warmth) = (open.next(), 0, 0.0);
            }
        }
    }
}

/// An amount of the flow with its warmth as a cell of the layer.
fn content(amount: i32, warmth: f64) -> Content {
    // A film is shown, however thin.
    let units = ((amount + PER_UNIT / 2) / PER_UNIT).clamp(1, AMOUNT_ONE.into()) as u16;
    let energy = warmth / f64::from(UNITS) * f64::from(ENERGY_ONE);
    Content { amount: units, energy: energy.round().clamp(0.0, ENERGY_MAX.into()) as u16 }
}

/// Warmth of a cell: 0 at the solidus, 1 at the vent.
fn warmth_of(cell: &FlowCell, lava: &Lava) -> f64 {
    let [cold, hot] = lava.warmth_k();
    let kelvin = cell.temperature_k(lava).unwrap_or(cold);
    ((kelvin - cold) / (hot - cold)).clamp(0.0, 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(rock: f64, amount: f64, kelvin: f64) -> FlowCell {
        let units = |share: f64| (share * f64::from(UNITS)) as i32;
        let heat = (f64::from(units(amount)) * kelvin * crate::flow::HEAT_UNITS as f64) as i64;
        FlowCell { amount: units(amount), rock: units(rock), heat }
    }

    fn column(from: usize, cells: Vec<FlowCell>) -> Column {
        let solids = vec![0; cells.len()];
        let mut column = Column { from, to: from + cells.len(), cells, solids, ..Column::default() };
        column.show(&Lava::default());
        column
    }

    fn amounts(column: &Column) -> Vec<f64> {
        column.shown.iter().map(|shown| f64::from(shown.liquid.amount) / f64::from(AMOUNT_ONE)).collect()
    }

    #[test]
    fn lava_stands_on_the_cell_that_shows_as_rock() {
        let hot = Lava::default().vent_k;
        // A film on a cell that is mostly rock.
        let film = column(4, vec![cell(1.0, 0.0, 0.0), cell(0.75, 0.25, hot), cell(0.0, 0.5, hot)]);
        assert_eq!((amounts(&film), film.height), (vec![0.0, 0.0, 0.75], Some(5.75)));
        assert_eq!((film.top(), film.shown(6).liquid.energy), (7, ENERGY_ONE / 4 * 3));
        // On one that is mostly open it fills what is rock below.
        let low = column(4, vec![cell(1.0, 0.0, 0.0), cell(0.25, 0.75, hot), cell(0.0, 0.5, hot)]);
        assert_eq!((amounts(&low), low.height), (vec![0.0, 1.0, 0.25], Some(5.25)));
    }

    #[test]
    fn a_run_under_a_roof_stays_below_it() {
        let cold = Lava::default().solidus_k;
        let cells = vec![cell(1.0, 0.0, 0.0), cell(0.5, 0.5, cold), cell(0.0, 1.125, cold), cell(0.75, 0.125, cold)];
        let tube = column(0, cells);
        assert_eq!((amounts(&tube), tube.height), (vec![0.0, 0.0, 1.0, 0.0], Some(3.75)), "no room above the roof");
        assert_eq!(tube.shown(2).liquid.energy, 0, "at the solidus");
    }

    #[test]
    fn the_surface_fits_the_cells_that_are_solid() {
        for rock in [0, 1, ROCK - 1, ROCK, ROCK + 1, UNITS - 1, UNITS] {
            let cells = vec![cell(1.0, 0.0, 0.0), FlowCell { rock, ..FlowCell::default() }];
            let column = column(700, cells);
            let top = 701 + usize::from(rock >= ROCK);
            let height = column.height.expect("it is rock");
            assert_eq!((height + 0.5).floor() as usize, top, "rock {rock}: {height}");
        }
        assert_eq!(column(0, vec![FlowCell::default()]).height, Some(0.0));
    }
}
