//! Edits of cells by a person or a scene: adding liquid, meltable solid or rock, and removing
//! matter.
//!
//! Invariant: every unit of amount and heat that an edit adds or removes is booked in the accounts.

use std::ops::Range;

use super::{Flow, HEAT_UNITS, UNITS};
use crate::motion::plan::neighbours;
use crate::store::column::{Column, UNIT};
use crate::store::column_summary::ColumnSummary;

/// Change that an edit makes to cells of a flow: matter to add or to remove.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FlowEdit {
    /// Adds liquid to cells that contain less than `share`, as far as rock leaves room.
    Lava {
        /// Share of a full cell (0 to 1) up to which each cell is filled with liquid; a fuller cell
        /// stays unchanged.
        share: f64,
        /// Temperature of the added liquid, in K.
        temperature_k: f64,
    },
    /// Fills the room that rock leaves in cells with meltable solid, and removes the liquid there.
    /// Only for a lava with a liquidus.
    Solid {
        /// Temperature of the added solid, in K.
        temperature_k: f64,
    },
    /// Fills cells with rock, and removes their liquid and meltable solid.
    Rock,
    /// Removes the liquid of cells; meltable solid and rock stay.
    Drain,
    /// Empties cells: removes their liquid, meltable solid and rock.
    Nothing,
}

impl Flow {
    /// Applies `edit` to the cells `[x, y, z]` of `places` and returns the numbers of the edited
    /// columns, ascending. Liquid sinks to the floor of its gap at once.
    ///
    /// # Panics
    ///
    /// If a place lies outside the box, or if meltable solid is put into a flow whose lava has no
    /// liquidus.
    pub fn edit(
        &mut self,
        places: impl IntoIterator<Item = [usize; 3]>,
        edit: FlowEdit,
    ) -> Vec<u32> {
        let mut columns = Vec::new();
        for [x, y, z] in places {
            assert!(
                x < self.space.nx && y < self.space.ny && z < self.space.nz,
                "inside of the box"
            );
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

    /// Raises the uppermost rock surface of the columns with the numbers `columns` (ascending) by
    /// `by` cell heights; a negative `by` lowers the surface. Returns for each column the range of
    /// the cell indices that became full rock. Removes liquid from places where new rock appears.
    pub fn raise(&mut self, columns: &[u32], by: f64) -> Vec<Range<usize>> {
        let by = (by * f64::from(UNITS)).round() as i64;
        self.raise_to(columns, |_, old| old + by)
    }

    /// Sets the ground height of the columns with the numbers `columns` (ascending) to
    /// `height(column)` in cell heights above the floor of the box. Columns that contain lava, and
    /// columns for which `height` returns `None`, keep their ground. Returns for each column the
    /// range of the cell indices that became full rock.
    pub fn survey(
        &mut self,
        columns: &[u32],
        height: impl Fn(usize) -> Option<f64>,
    ) -> Vec<Range<usize>> {
        let holds: Vec<bool> = columns
            .iter()
            .map(|&c| self.holds_lava(c as usize))
            .collect();
        let holds = |c: usize| columns.binary_search(&(c as u32)).is_ok_and(|at| holds[at]);
        let to = |c: usize, old: i64| {
            let height = height(c).filter(|_| !holds(c));
            height.map_or(old, |cells| (cells * f64::from(UNITS)).round() as i64)
        };
        self.raise_to(columns, to)
    }

    /// Returns true if column `c` contains lava: liquid, rock from solidified lava, or meltable
    /// solid.
    fn holds_lava(&self, c: usize) -> bool {
        let solid = self
            .solids
            .as_ref()
            .is_some_and(|solids| solids[c].cells.iter().any(|cell| cell.amount > 0));
        solid || self.has_set(c) || self.columns.get(c).is_some_and(Column::is_wet)
    }

    /// Sets the uppermost rock surface of the columns with the numbers `columns` to the height
    /// `to(column, old height)`, all heights in units of height (`UNITS` per cell height). Returns
    /// for each column the range of the cell indices that became full rock.
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

    /// Sets the ground height of column `c`, which has no stored cells because lava never came
    /// near, to `to(c, old height)`, in units of height. Returns the range of the cell indices that
    /// became full rock.
    fn raise_bare(&mut self, c: usize, to: impl Fn(usize, i64) -> i64) -> Range<usize> {
        let old = self.ground.at(c);
        let new = to(c, old).clamp(0, self.space.ny as i64 * UNIT);
        self.ground.set(c, new);
        old.div_euclid(UNIT) as usize..(new.div_euclid(UNIT).max(old.div_euclid(UNIT))) as usize
    }

    fn raise_column(&mut self, c: usize, to: impl Fn(usize, i64) -> i64) -> Range<usize> {
        let top = self.space.ny as i64 * UNIT;
        let Some(old) = self.columns[c].runs.last().map(|run| run.floor.min(top)) else {
            return 0..0;
        };
        let new = to(c, old).clamp(0, top);
        let set = self.marks[c].set;
        for level in (old.min(new).div_euclid(UNIT))..(old.max(new) + UNIT - 1).div_euclid(UNIT) {
            let rock = (new - level * UNIT).clamp(0, UNIT) as i32;
            if new > old {
                self.remove_liquid(c, level as i32);
            }
            self.put_rock(c, level as i32, rock);
        }
        // Digging removes set lava first, then the ground below.
        let ground = self.ground.at(c) + (new - old) + (set - self.marks[c].set);
        let ground = ground.clamp(0, top);
        self.ground.set(c, ground);
        // Meltable solid counts as rock of its cell until it melts.
        let solid = self.solids.as_ref().and_then(|solids| solids[c].lowest());
        let bare = ground.div_euclid(UNIT) as i32;
        self.columns[c].trim(solid.map_or(bare, |solid| bare.min(solid)));
        old.div_euclid(UNIT) as usize..(new.div_euclid(UNIT).max(old.div_euclid(UNIT))) as usize
    }

    fn edit_cell(&mut self, c: usize, level: i32, edit: FlowEdit) {
        match edit {
            FlowEdit::Lava {
                share,
                temperature_k,
            } => {
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

    /// Adds liquid at `temperature_k` (K) to the cell with the index `level` of column `c` until
    /// the cell contains `amount` units, as far as rock leaves room.
    pub(crate) fn top_up(&mut self, c: usize, level: i32, amount: i32, temperature_k: f64) {
        let cell = self.columns[c].cell(level);
        let missing = amount.min(UNITS - cell.rock) - cell.amount;
        if missing <= 0 {
            return;
        }
        let heat = i64::from(missing)
            * (self.setup.lava.heat_at(temperature_k) * HEAT_UNITS as f64) as i64;
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
            self.columns[c].take_crust(i64::from(cell.amount));
            let cell = self.columns[c].cell_mut(level);
            (cell.amount, cell.heat) = (0, 0);
        }
    }

    /// Sets the rock of the cell with the index `level` of column `c` to `rock` units. Removed rock
    /// is subtracted from the column's solidified amount, down to 0.
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

    /// Recomputes gaps, runs, slopes and summaries of the columns with the numbers `columns`
    /// (ascending) after an edit changed their cells, and updates the list of wet columns.
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

    /// Recomputes gaps, runs and summaries of the columns with the numbers `changed` after their
    /// rock has changed, and the slopes of these columns and their neighbours.
    pub(crate) fn reshape(&mut self, changed: impl Iterator<Item = u32> + Clone) {
        let Self {
            columns, tables, ..
        } = self;
        for c in changed.clone() {
            let column: &mut Column = &mut columns[c as usize];
            column.find_gaps();
            column.settle();
            column.refresh(tables);
        }
        self.slope_around(changed);
    }

    /// Recomputes slopes and summaries of the columns with the numbers `changed` and of their
    /// neighbours; skips columns without stored cells.
    fn slope_around(&mut self, changed: impl Iterator<Item = u32>) {
        for c in changed {
            for c in neighbours(self.space, c as usize)
                .into_iter()
                .flatten()
                .chain([c as usize])
            {
                if self.columns.get(c).is_some() {
                    self.columns[c].cos2 = self.slope_cosine(c);
                    self.leans[c] = ColumnSummary::from_column(&self.columns[c]);
                }
            }
        }
    }
}
