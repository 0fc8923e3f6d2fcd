//! Solids that melt, and liquid that solidifies to such a solid again: wax, chocolate, metal, ice.
//!
//! A lava with a liquidus keeps the heat of its solid. Heat is enthalpy: between solidus and
//! liquidus it includes the latent heat, spread evenly (the enthalpy method, Voller & Cross 1981).
//! At the surface of a solid the molten share runs off at the liquidus; in the interior a cell
//! melts once it has received all its latent heat. A liquid cell that touches rock solidifies once
//! all its latent heat is gone; until then it is mush.
//!
//! Invariant: the solid of a cell is counted as part of the cell's rock, so that runs, fluxes and
//! pictures treat it as rock.

mod conduct;
mod drop;
#[cfg(test)]
mod tests;

pub use self::conduct::{FlowHeater, Heats};

use serde::{Deserialize, Serialize};

use self::conduct::Conduct;
pub(crate) use self::conduct::validate;
use super::{Flow, FlowBox, HEAT_UNITS, Lava, UNITS};
use crate::motion::plan::neighbours;
use crate::store::column::UNIT;
use lavoxel_base::parallel::*;

/// Meltable solid in one cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SolidCell {
    /// Amount of rock in the cell that cannot melt, [`UNITS`] in a full cell.
    pub(crate) ground: i32,
    /// Amount of meltable solid, [`UNITS`] in a full cell; larger only where liquid under pressure
    /// solidified.
    pub(crate) amount: i32,
    /// Heat of the solid: amount × kelvin × [`HEAT_UNITS`], latent heat included.
    pub(crate) heat: i64,
}

/// Meltable solid of a column: cells from index `base` (counted from the floor of the box) upwards.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SolidColumn {
    /// Index of the lowest stored cell, counted from the floor of the box.
    pub(crate) base: i32,
    pub(crate) cells: Vec<SolidCell>,
}

impl SolidColumn {
    pub(crate) fn cell(&self, level: i32) -> SolidCell {
        let index = usize::try_from(level - self.base).ok();
        index
            .and_then(|index| self.cells.get(index))
            .copied()
            .unwrap_or_default()
    }

    /// Mutable cell with the index `level`; missing cells are stored first.
    fn cell_mut(&mut self, level: i32) -> &mut SolidCell {
        if self.cells.is_empty() {
            self.base = level;
        }
        while self.base > level {
            self.cells.insert(0, SolidCell::default());
            self.base -= 1;
        }
        let index = (level - self.base) as usize;
        if index >= self.cells.len() {
            self.cells.resize(index + 1, SolidCell::default());
        }
        &mut self.cells[index]
    }

    /// Adds `amount` units of solid with `heat` units of heat to the cell with the index `level`,
    /// which contains `rock` units of rock before; returns the rock of the cell, in units, after
    /// the addition.
    pub(crate) fn add(&mut self, level: i32, rock: i32, amount: i32, heat: i64) -> i32 {
        let solid = self.cell_mut(level);
        if solid.amount == 0 {
            solid.ground = rock;
        }
        solid.amount += amount;
        solid.heat += heat;
        solid.rock()
    }

    /// Returns true if amounts and heat of all cells are in their ranges and the cells lie within a
    /// box of `top` cells from floor to top; checked for a column that is read from a file.
    pub(crate) fn is_sound(&self, top: usize) -> bool {
        let holds = |cell: &SolidCell| {
            (0..=UNITS).contains(&cell.ground)
                && (0..=4 * UNITS).contains(&cell.amount)
                && cell.heat >= 0
        };
        self.base >= 0
            && self.base as usize <= top
            && self.cells.len() <= top + 1
            && self.cells.iter().all(holds)
    }

    /// Returns a copy that does not store empty cells at its lower and upper end.
    pub(crate) fn trimmed(&self) -> Self {
        let mut trimmed = Self::default();
        self.levels()
            .for_each(|(level, cell)| *trimmed.cell_mut(level) = cell);
        trimmed
    }

    /// Index of the lowest cell that contains meltable solid; `None` in a column without.
    pub(crate) fn lowest(&self) -> Option<i32> {
        self.levels().next().map(|(level, _)| level)
    }

    /// Iterator over (cell index, cell) for all cells that contain meltable solid, ascending.
    fn levels(&self) -> impl Iterator<Item = (i32, SolidCell)> {
        let held = (self.base..).zip(self.cells.iter().copied());
        held.filter(|(_, cell)| cell.amount > 0)
    }
}

/// Smallest amount in units (1/2048 of a cell) that melts off the surface of a solid; less stays
/// solid until more has melted.
const LEAST_MELT: i32 = UNITS / 2048;

/// Heat per unit of amount of lava at the solidus (`solid`) and at the liquidus (`liquid`), in
/// units of heat.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MeltingRange {
    pub(crate) solid: i64,
    pub(crate) liquid: i64,
}

impl MeltingRange {
    pub(crate) fn from_lava(lava: &Lava) -> Self {
        let each = |kelvin: f64| (lava.heat_at(kelvin) * HEAT_UNITS as f64) as i64;
        Self {
            solid: each(lava.solidus_k),
            liquid: each(lava.liquidus_k),
        }
    }

    /// Amount in units of the solid `cell` that would be molten if its heat were split between
    /// liquid at the liquidus and solid at the solidus.
    fn molten(self, cell: &SolidCell) -> i32 {
        let amount = i64::from(cell.amount);
        let above = cell.heat - amount * self.solid;
        (above.max(0) / (self.liquid - self.solid).max(1)).min(amount) as i32
    }
}

impl SolidCell {
    /// Rock of the cell in units: rock that cannot melt plus meltable solid, at most a full cell.
    fn rock(&self) -> i32 {
        (i64::from(self.ground) + i64::from(self.amount)).min(UNITS.into()) as i32
    }
}

/// Memory in bytes of the meltable solid of all columns of a box and of the buffers for its heat
/// conduction.
pub(crate) fn need(space: FlowBox) -> u64 {
    let cells = (space.columns() * space.ny) as u64;
    // One byte a cell is the flag of cover by other matter.
    space.columns() as u64 * size_of::<SolidColumn>() as u64
        + cells * (size_of::<SolidCell>() + size_of::<bool>()) as u64
        + conduct::need(space)
}

/// Meltable solid of all columns of a flow, indexed by column number.
pub(crate) type Solids = Vec<SolidColumn>;

impl Flow {
    /// Fills the room that rock leaves in the cell with the index `level` of column `c` with
    /// meltable solid at `temperature_k` (K); the cell must not contain liquid.
    pub(crate) fn place_solid(&mut self, c: usize, level: i32, temperature_k: f64) {
        let each = (self.setup.lava.heat_at(temperature_k) * HEAT_UNITS as f64) as i64;
        let solids = self.solids.as_mut().expect("a lava with a liquidus");
        let column = &mut self.columns[c];
        let rock = column.cell(level).rock;
        let amount = UNITS - rock;
        if amount == 0 {
            return;
        }
        let heat = i64::from(amount) * each;
        column.cell_mut(level).rock = solids[c].add(level, rock, amount, heat);
        self.marks[c].set += i64::from(amount);
        self.account.placed += i64::from(amount);
        self.account.set += i64::from(amount);
        self.account.heat_placed += i128::from(heat);
        self.account.heat_set += i128::from(heat);
    }

    /// Removes the meltable solid, if any, of the cell with the index `level` of column `c`.
    pub(crate) fn remove_solid(&mut self, c: usize, level: i32) {
        let Some(solids) = &mut self.solids else {
            return;
        };
        let SolidCell {
            ground,
            amount,
            heat,
        } = solids[c].cell(level);
        if amount == 0 {
            return;
        }
        *solids[c].cell_mut(level) = SolidCell::default();
        self.columns[c].cell_mut(level).rock = ground;
        self.marks[c].set -= i64::from(amount);
        self.account.set -= i64::from(amount);
        self.account.removed += i64::from(amount);
        self.account.heat_set -= i128::from(heat);
        self.account.heat_removed += i128::from(heat);
    }

    /// Adjusts the meltable solid of a cell after an edit changed the cell's rock to `rock` units:
    /// removed rock is taken from the solid first, added rock cannot melt.
    pub(crate) fn fit_solid(&mut self, c: usize, level: i32, rock: i32) {
        let Some(solids) = &mut self.solids else {
            return;
        };
        let solid = solids[c].cell(level);
        if solid.amount == 0 || solid.rock() == rock {
            return;
        }
        let left = if rock < solid.rock() {
            (rock - solid.ground).max(0)
        } else {
            solid.amount
        };
        let dug = i64::from(solid.amount - left);
        let heat = (i128::from(solid.heat) * i128::from(dug) / i128::from(solid.amount)) as i64;
        let kept = SolidCell {
            ground: rock - left,
            amount: left,
            heat: solid.heat - heat,
        };
        *solids[c].cell_mut(level) = if left == 0 {
            SolidCell::default()
        } else {
            kept
        };
        self.marks[c].set -= dug;
        self.account.set -= dug;
        self.account.removed += dug;
        self.account.heat_set -= i128::from(heat);
        self.account.heat_removed += i128::from(heat);
    }

    /// Replaces the list of the cells `[x, y, z]` that contain another material, for example water:
    /// lava loses no heat to the air through faces towards these cells.
    pub fn cover_cells(&mut self, cells: &[[usize; 3]]) {
        let FlowBox { nx, ny, .. } = self.space;
        self.covered_cells.clear();
        if cells.is_empty() {
            return;
        }
        self.covered_cells.resize(self.space.columns() * ny, false);
        for &[x, y, z] in cells {
            self.covered_cells[(z * nx + x) * ny + y] = true;
        }
    }

    /// Index of the cell whose solid is in contact with another material in the cell with the index
    /// `level`: the same cell, or the cell below if rock that cannot melt fills at least half of
    /// the cell. `None` without solid.
    fn level_of_solid(&self, c: usize, level: i32) -> Option<i32> {
        let solid = &self.solids.as_ref()?[c];
        let below = solid.cell(level - 1);
        if solid.cell(level).amount > 0 {
            Some(level)
        } else {
            (below.amount > 0 && below.ground >= UNITS / 2).then_some(level - 1)
        }
    }

    /// Solid that is in contact with another material in the cell with the index `level` of column
    /// `c`; `None` without solid.
    pub(crate) fn solid_met(&self, c: usize, level: i32) -> Option<SolidCell> {
        let level = self.level_of_solid(c, level)?;
        self.solids.as_ref().map(|solids| solids[c].cell(level))
    }

    /// Removes up to `units` units of heat from the solid that is in contact with another material
    /// in the cell with the index `level` of column `c`, or adds heat if `units` is negative;
    /// returns the units removed.
    pub(crate) fn cool_solid(&mut self, c: usize, level: i32, units: i64) -> i64 {
        let Some(level) = self.level_of_solid(c, level) else {
            return 0;
        };
        let Some(solids) = &mut self.solids else {
            return 0;
        };
        let solid = solids[c].cell_mut(level);
        let taken = units.min(solid.heat);
        solid.heat -= taken;
        self.account.heat_set -= i128::from(taken);
        self.account.heat_used += i128::from(taken);
        taken
    }

    /// Temperature in K of the lava in the cell `[x, y, z]`, solid or liquid, whichever has the
    /// larger amount; `None` for a cell without lava.
    pub fn temperature_k(&self, [x, y, z]: [usize; 3]) -> Option<f64> {
        let (c, level) = (z * self.space.nx + x, y as i32);
        let liquid = self.shown_cell(c, level);
        let solid = self
            .solids
            .as_ref()
            .map(|solids| solids[c].cell(level))
            .unwrap_or_default();
        let (amount, heat) = if solid.amount > liquid.amount {
            (solid.amount, solid.heat)
        } else {
            (liquid.amount, liquid.heat)
        };
        let kelvin = || {
            self.setup
                .lava
                .temperature_of(heat as f64 / f64::from(amount) / HEAT_UNITS as f64)
        };
        (amount > 0).then(kelvin)
    }

    /// Amount of meltable solid in the cell `[x, y, z]`, [`UNITS`] in a full cell; 0 for a lava
    /// that never melts again.
    pub fn solid(&self, [x, y, z]: [usize; 3]) -> i32 {
        self.solids.as_ref().map_or(0, |solids| {
            solids[z * self.space.nx + x].cell(y as i32).amount
        })
    }

    /// Index of the lowest cell of column number `column` that lies entirely above the ground as
    /// the ground was before the flow.
    pub fn ground_level(&self, column: usize) -> usize {
        (self.ground.at(column) + UNIT - 1).div_euclid(UNIT) as usize
    }

    /// Exchanges heat between meltable solid, liquid, ground, air and heaters, melts solid that has
    /// received its latent heat, and moves unsupported solid down.
    pub(crate) fn exchange_heat(&mut self) {
        let Some(mut solids) = self.solids.take() else {
            return;
        };
        let conduct =
            Conduct::new(self.space, &self.setup, self.time_s()).covered(&self.covered_cells);
        let sum = conduct.run(&mut self.columns, &mut solids);
        self.account.heat_sky += sum.air;
        self.account.heat_bed += sum.ground;
        self.account.heat_heated += sum.heated;
        self.account.heat_set += sum.solid;
        let mut melted = self.melt(&mut solids);
        if self.has_loose || !melted.is_empty() {
            let dropped = drop::drop_loose(self.space, &mut self.columns, &mut solids);
            self.has_loose = dropped.is_some();
            melted.extend(dropped.into_iter().flatten());
            melted.sort_unstable();
            melted.dedup();
        }
        self.solids = Some(solids);
        self.reshape(melted.iter().copied());
        self.melted = melted;
    }

    /// Turns the molten share of all meltable solid to liquid; returns the numbers of the changed
    /// columns, ascending.
    fn melt(&mut self, solids: &mut Solids) -> Vec<u32> {
        let ends = MeltingRange::from_lava(&self.setup.lava);
        let (space, columns) = (self.space, &self.columns);
        // Surfaces are read from the state before, so that the result does not depend on the order
        // of cells.
        let is_surface = |c: usize, level: i32| {
            let mut beside = neighbours(space, c).into_iter().flatten();
            beside.any(|n| columns[n].cell(level).rock < UNITS / 2)
                || columns[c].cell(level + 1).rock == 0
        };
        let molten = |c: usize, level: i32, cell: &SolidCell| {
            let amount = ends.molten(cell);
            let melts = amount == cell.amount || amount >= LEAST_MELT && is_surface(c, level);
            melts.then_some((c as u32, level, amount))
        };
        let of_column = |(c, solid): (usize, &SolidColumn)| -> Vec<_> {
            solid
                .levels()
                .filter_map(|(level, cell)| molten(c, level, &cell))
                .collect()
        };
        let melting: Vec<Vec<(u32, i32, i32)>> =
            solids.par_iter().enumerate().map(of_column).collect();
        for &(c, level, amount) in melting.iter().flatten() {
            self.melt_cell(solids, c as usize, level, amount, ends);
        }
        melting
            .iter()
            .filter_map(|cells| cells.first())
            .map(|&(c, ..)| c)
            .collect()
    }

    /// Turns `amount` units of the solid in the cell with the index `level` of column `c` to
    /// liquid, which then lies on the remaining solid.
    fn melt_cell(
        &mut self,
        solids: &mut Solids,
        c: usize,
        level: i32,
        amount: i32,
        ends: MeltingRange,
    ) {
        let solid = solids[c].cell_mut(level);
        let heat = if amount == solid.amount {
            solid.heat
        } else {
            i64::from(amount) * ends.liquid
        };
        solid.amount -= amount;
        solid.heat -= heat;
        let cell = self.columns[c].cell_mut(level);
        cell.rock = solid.rock();
        cell.amount += amount;
        cell.heat += heat;
        if solid.amount == 0 {
            *solid = SolidCell::default();
        }
        self.marks[c].set -= i64::from(amount);
        self.account.set -= i64::from(amount);
        self.account.heat_set -= i128::from(heat);
    }

    /// Adds the columns in which solid melted in this step to the columns that the next step
    /// examines.
    pub(crate) fn wake_melted(&mut self) {
        let melted = std::mem::take(&mut self.melted);
        if melted.is_empty() {
            return;
        }
        let columns = &self.columns;
        self.wet
            .extend(melted.iter().filter(|&&c| columns[c as usize].is_wet()));
        self.changed.extend(melted);
        for list in [&mut self.wet, &mut self.changed] {
            list.sort_unstable();
            list.dedup();
        }
    }

    /// Checks that the meltable solid of each cell is part of the cell's rock, and that the
    /// accounts agree with the amount and heat of all solid.
    pub(crate) fn check_solids(&self) -> Result<(), String> {
        let Some(solids) = &self.solids else {
            return Ok(());
        };
        let cells = || solids.iter().flat_map(|column| &column.cells);
        let amount: i64 = cells().map(|cell| i64::from(cell.amount)).sum();
        let heat: i128 = cells().map(|cell| i128::from(cell.heat)).sum();
        if (amount, heat) != (self.account.set, self.account.heat_set) {
            return Err(format!(
                "flow: {amount} of solid with heat {heat} is not what set: {:?}",
                self.account
            ));
        }
        let is_whole = |c: usize, solid: &SolidColumn| {
            solid.levels().all(|(level, cell)| {
                self.columns[c].cell(level).rock == cell.rock() && cell.heat >= 0
            })
        };
        match solids
            .iter()
            .enumerate()
            .position(|(c, solid)| !is_whole(c, solid))
        {
            Some(c) => {
                let (x, z) = (c % self.space.nx, c / self.space.nx);
                Err(format!("flow: solid that is no rock in column ({x}, {z})"))
            }
            None => Ok(()),
        }
    }
}
