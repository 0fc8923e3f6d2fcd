//! Changes by a person or a scene: liquid, solid, rock or nothing put into cells, all counted in the ledgers.

use super::{Flow, HEAT_UNITS, UNITS};
use crate::flow::motion::plan::neighbours;
use crate::flow::store::column::{Column, UNIT};
use crate::flow::store::lean::Lean;

/// Matter that is put into cells of a flow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FlowEdit {
    /// Tops cells up with liquid, as far as rock leaves room.
    Lava {
        /// Share of a full cell that a cell holds afterwards at least.
        share: f64,
        /// Temperature of what is added.
        temperature_k: f64,
    },
    /// Fills what rock leaves of cells with solid that can melt; liquid in them is removed. Only of a lava with a liquidus.
    Solid {
        /// Its temperature.
        temperature_k: f64,
    },
    /// Makes cells whole rock; liquid and solid in them are removed.
    Rock,
    /// Removes liquid.
    Drain,
    /// Removes liquid, solid and rock.
    Nothing,
}

impl Flow {
    /// Edits cells, and gives their columns, ascending. Liquid falls to the floor of its gap at once.
    ///
    /// # Panics
    ///
    /// If a place lies outside the box, or solid is put into a flow whose lava has no liquidus.
    pub fn edit(&mut self, places: impl IntoIterator<Item = [usize; 3]>, edit: FlowEdit) -> Vec<u32> {
        let mut columns = Vec::new();
        for [x, y, z] in places {
            assert!(x < self.space.nx && y < self.space.ny && z < self.space.nz, "inside of the box");
            let c = z * self.space.nx + x;
            if edit == FlowEdit::Drain && self.columns.get(c).is_none() {
                continue;
            }
            if columns.last() != Some(&(c as u32)) {
                columns.push(c as u32);
                self.reach([c as u32]);
            }
            self.edit_cell(c, y as i32, edit);
        }
        columns.sort_unstable();
        columns.dedup();
        self.take_in(&columns);
        columns
    }

    /// Raises the ground of columns, ascending, under the sky by so many cells, below 0 lowers it; gives the levels of each that became
    /// whole rock. Liquid in what becomes rock is removed.
    pub(crate) fn raise(&mut self, columns: &[u32], by: f64) -> Vec<std::ops::Range<usize>> {
        self.reach(columns.iter().copied());
        let by = (by * f64::from(UNITS)).round() as i64;
        let levels = columns.iter().map(|&c| self.raise_column(c as usize, by)).collect();
        self.take_in(columns);
        levels
    }

    fn raise_column(&mut self, c: usize, by: i64) -> std::ops::Range<usize> {
        let top = self.space.ny as i64 * UNIT;
        let Some(old) = self.columns[c].runs.last().map(|run| run.floor.min(top)) else { return 0..0 };
        let new = (old + by).clamp(0, top);
        let set = self.marks[c].set;
        for level in (old.min(new).div_euclid(UNIT))..(old.max(new) + UNIT - 1).div_euclid(UNIT) {
            let rock = (new - level * UNIT).clamp(0, UNIT) as i32;
            if by > 0 {
                self.remove_liquid(c, level as i32);
            }
            self.put_rock(c, level as i32, rock);
        }
        // What is dug away was lava first, then ground.
        let ground = self.ground.of(c) + (new - old) + (set - self.marks[c].set);
        self.ground.set(c, ground.clamp(0, top));
        old.div_euclid(UNIT) as usize..(new.div_euclid(UNIT).max(old.div_euclid(UNIT))) as usize
    }

    fn edit_cell(&mut self, c: usize, level: i32, edit: FlowEdit) {
        match edit {
            FlowEdit::Lava { share, temperature_k } => {
                self.top_up(c, level, (share * f64::from(UNITS)) as i32, temperature_k);
            }
            FlowEdit::Solid { temperature_k } => {
                self.remove_liquid(c, level);
                self.place_solid(c, level, temperature_k);
            }
            FlowEdit::Rock => {
                self.remove_liquid(c, level);
                self.remove_solid(c, level);
                self.put_rock(c, level, UNITS);
            }
            FlowEdit::Drain => self.remove_liquid(c, level),
            FlowEdit::Nothing => {
                self.remove_liquid(c, level);
                self.remove_solid(c, level);
                self.put_rock(c, level, 0);
            }
        }
    }

    /// Tops a cell up to an amount.
    pub(crate) fn top_up(&mut self, c: usize, level: i32, amount: i32, temperature_k: f64) {
        let cell = self.columns[c].cell(level);
        let missing = amount.min(UNITS - cell.rock) - cell.amount;
        if missing <= 0 {
            return;
        }
        let heat = i64::from(missing) * (self.setup.lava.heat_at(temperature_k) * HEAT_UNITS as f64) as i64;
        let cell = self.columns[c].cell_mut(level);
        (cell.amount, cell.heat) = (cell.amount + missing, cell.heat + heat);
        self.account.placed += i64::from(missing);
        self.account.heat_placed += i128::from(heat);
    }

    fn remove_liquid(&mut self, c: usize, level: i32) {
        let cell = self.columns[c].cell(level);
        if cell.amount > 0 {
            self.account.removed += i64::from(cell.amount);
            self.account.heat_removed += i128::from(cell.heat);
            let cell = self.columns[c].cell_mut(level);
            (cell.amount, cell.heat) = (0, 0);
        }
    }

    /// Makes so much of a cell rock. What is dug away had set, as far as anything did in the column.
    fn put_rock(&mut self, c: usize, level: i32, rock: i32) {
        let column = &mut self.columns[c];
        if rock == UNITS && level < column.base || rock == 0 && level >= column.end() {
            return;
        }
        column.reach_down(level);
        let cell = column.cell_mut(level);
        let dug = i64::from((cell.rock - rock).max(0));
        cell.rock = rock;
        if self.solids.is_none() {
            self.marks[c].set -= dug.min(self.marks[c].set);
        }
    }

    /// Works out what follows from cells of columns that were changed.
    pub(crate) fn take_in(&mut self, columns: &[u32]) {
        self.reach(columns.iter().copied());
        self.reshape(columns.iter().copied());
        self.wet.extend(columns);
        self.wet.sort_unstable();
        self.wet.dedup();
        let cells = &self.columns;
        self.wet.retain(|&c| cells[c as usize].is_wet());
        self.has_loose = self.solids.is_some();
        self.is_disturbed = true;
    }

    /// Finds the runs of columns after their rock has changed, the slopes around them, and the records that this changes.
    pub(crate) fn reshape(&mut self, changed: impl Iterator<Item = u32> + Clone) {
        let Self { columns, tables, .. } = self;
        for c in changed.clone() {
            let column: &mut Column = &mut columns[c as usize];
            column.find_gaps();
            column.settle();
            column.refresh(tables);
        }
        for c in changed {
            for c in neighbours(self.space, c as usize).into_iter().flatten().chain([c as usize]) {
                self.columns[c].cos2 = self.slope_cosine(c);
                self.leans[c] = Lean::of(&self.columns[c]);
            }
        }
    }
}
