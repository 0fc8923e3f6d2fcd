//! Changes by a person or a scene: liquid, solid, rock or nothing put into cells, all counted in the ledgers.

use std::ops::Range;

use super::{Flow, HEAT_UNITS, UNITS};
use crate::motion::plan::neighbours;
use crate::store::column::{Column, UNIT};
use crate::store::lean::Lean;

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
    pub fn raise(&mut self, columns: &[u32], by: f64) -> Vec<Range<usize>> {
        let by = (by * f64::from(UNITS)).round() as i64;
        self.raise_to(columns, |_, old| old + by)
    }

    /// Gives the ground of columns, ascending, that have no lava another height in cells where `height` knows one; gives the levels of
    /// each that became whole rock.
    pub fn survey(&mut self, columns: &[u32], height: impl Fn(usize) -> Option<f64>) -> Vec<Range<usize>> {
        let holds: Vec<bool> = columns.iter().map(|&c| self.holds_lava(c as usize)).collect();
        let holds = |c: usize| columns.binary_search(&(c as u32)).is_ok_and(|at| holds[at]);
        let to = |c: usize, old: i64| {
            let height = height(c).filter(|_| !holds(c));
            height.map_or(old, |cells| (cells * f64::from(UNITS)).round() as i64)
        };
        self.raise_to(columns, to)
    }

    /// Whether a column has lava, liquid or set.
    fn holds_lava(&self, c: usize) -> bool {
        let solid = self.solids.as_ref().is_some_and(|solids| solids[c].cells.iter().any(|cell| cell.amount > 0));
        solid || self.has_set(c) || self.columns.get(c).is_some_and(Column::is_wet)
    }

    /// Brings the ground of columns under the sky from its height in units to the one that `to` says.
    fn raise_to(&mut self, columns: &[u32], to: impl Fn(usize, i64) -> i64) -> Vec<Range<usize>> {
        let levels = columns.iter().map(|&c| match self.columns.get(c as usize) {
            Some(_) => self.raise_column(c as usize, &to),
            None => self.raise_bare(c as usize, &to),
        });
        let levels = levels.collect();
        let made = |c: &u32| self.columns.get(*c as usize).is_some();
        let (made, bare): (Vec<u32>, Vec<u32>) = columns.iter().partition(|c| made(c));
        self.take_in(&made);
        self.slope_around(bare.into_iter());
        levels
    }

    /// Raises the ground of a column where lava never came near.
    fn raise_bare(&mut self, c: usize, to: impl Fn(usize, i64) -> i64) -> Range<usize> {
        let old = self.ground.of(c);
        let new = to(c, old).clamp(0, self.space.ny as i64 * UNIT);
        self.ground.set(c, new);
        old.div_euclid(UNIT) as usize..(new.div_euclid(UNIT).max(old.div_euclid(UNIT))) as usize
    }

    fn raise_column(&mut self, c: usize, to: impl Fn(usize, i64) -> i64) -> Range<usize> {
        let top = self.space.ny as i64 * UNIT;
        let Some(old) = self.columns[c].runs.last().map(|run| run.floor.min(top)) else { return 0..0 };
        let new = to(c, old).clamp(0, top);
        let set = self.marks[c].set;
        for level in (old.min(new).div_euclid(UNIT))..(old.max(new) + UNIT - 1).div_euclid(UNIT) {
            let rock = (new - level * UNIT).clamp(0, UNIT) as i32;
            if new > old {
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
        self.fit_solid(c, level, rock);
    }

    /// Works out what follows from cells of columns that were changed.
    pub fn take_in(&mut self, columns: &[u32]) {
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
        self.slope_around(changed);
    }

    /// Finds the slopes of columns and those around them where lava came near.
    fn slope_around(&mut self, changed: impl Iterator<Item = u32>) {
        for c in changed {
            for c in neighbours(self.space, c as usize).into_iter().flatten().chain([c as usize]) {
                if self.columns.get(c).is_some() {
                    self.columns[c].cos2 = self.slope_cosine(c);
                    self.leans[c] = Lean::of(&self.columns[c]);
                }
            }
        }
    }
}
