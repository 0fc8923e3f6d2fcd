//! Contact between the flow and other materials, for example water: heat and liquid that reactions
//! take from the lava, and liquid that they create.
//!
//! A place is a cell `[x, y, z]` of the box. A place refers to the highest run (liquid of one gap)
//! that begins at or below the cell, and within that run to the cells from the place downwards that
//! together contain at least half a cell of liquid, so that a thin sliver does not cool alone.
//! Meltable solid is taken from the cell itself, or from the cell below if the place is mostly
//! rock.

use super::{Flow, HEAT_UNITS, UNITS};
use crate::cooling::heat::run_content;
use crate::store::column::{Column, Run};

/// Phase of the lava that is in contact with another material.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Liquid lava, which may have a crust.
    Liquid,
    /// Solid lava that can melt.
    Solid,
}

/// Lava in contact with another material: some liquid cells of a column, or the meltable solid of
/// one cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Met {
    /// Temperature in K of the lava's core, below its crust; for lava without a crust the mean
    /// temperature.
    pub temperature_k: f64,
    /// Thermal resistance of the crust in m² K/W; 0 for a lava without a crust.
    pub crust_m2_k_w: f64,
    /// Heat in units of heat that the lava gives off until it has cooled to the temperature
    /// `above_k` passed to [`Flow::met`]; at least 0.
    pub excess: i64,
}

impl Flow {
    /// Lava of `phase` at the cell `[x, y, z]`, with its heat in excess of that at the temperature
    /// `above_k` (K); `None` if the cell has no such lava.
    pub fn met(&self, [x, y, z]: [usize; 3], phase: Phase, above_k: f64) -> Option<Met> {
        let c = z * self.space.nx + x;
        let column = self.columns.get(c)?;
        let (amount, heat) = match phase {
            Phase::Liquid => {
                let (first, last) = layer(column, y as i32)?;
                let cells = || (first..=last).map(|level| column.cell(level));
                (
                    cells().map(|cell| i64::from(cell.amount)).sum::<i64>(),
                    cells().map(|cell| cell.heat).sum(),
                )
            }
            Phase::Solid => {
                let solid = self.solid_met(c, y as i32)?;
                (i64::from(solid.amount), solid.heat)
            }
        };
        let lava = &self.setup.lava;
        // Only the uppermost run carries a crust; under a crust the core's temperature drives the
        // heat flux.
        let is_uppermost =
            phase == Phase::Liquid && column.runs.last().is_some_and(|run| y as i32 >= run.first);
        let profile = if is_uppermost { self.profile(c) } else { None };
        let mean_k = || lava.temperature_of(heat as f64 / amount as f64 / HEAT_UNITS as f64);
        let least = self.setup.lava.heat_at(above_k) * HEAT_UNITS as f64 * amount as f64;
        Some(Met {
            temperature_k: profile.map_or(mean_k(), |profile| lava.temperature_of(profile.core)),
            crust_m2_k_w: profile.map_or(0.0, |profile| profile.resistance(lava)),
            excess: (heat - least as i64).max(0),
        })
    }

    /// Removes up to `units` units of heat from the lava of `phase` at the cell `[x, y, z]`, from
    /// each cell of that lava in proportion to its amount; returns the number of units removed.
    pub fn take_heat(&mut self, [x, y, z]: [usize; 3], phase: Phase, units: i64) -> i64 {
        if phase == Phase::Solid {
            return self.cool_solid(z * self.space.nx + x, y as i32, units);
        }
        let Some(column) = self.columns.get_mut(z * self.space.nx + x) else {
            return 0;
        };
        let Some((first, last)) = layer(column, y as i32) else {
            return 0;
        };
        let amount: i64 = (first..=last)
            .map(|level| i64::from(column.cell(level).amount))
            .sum();
        let mut left = units;
        for level in first..=last {
            let cell = column.cell_mut(level);
            let share = i128::from(units) * i128::from(cell.amount) / i128::from(amount.max(1));
            let taken = if level == last { left } else { share as i64 }.clamp(0, cell.heat);
            cell.heat -= taken;
            left -= taken;
        }
        self.account.heat_used += i128::from(units - left);
        if self.tables.carries_skin {
            thicken(column, y as i32, units - left);
        }
        units - left
    }

    /// Gives `units` units of heat that a reaction did not use back to the lava of `phase` at the
    /// cell `[x, y, z]`, after `Flow::take_heat`.
    pub fn return_heat(&mut self, [x, y, z]: [usize; 3], phase: Phase, units: i64) {
        if phase == Phase::Solid {
            self.cool_solid(z * self.space.nx + x, y as i32, -units);
            return;
        }
        let Some(column) = self.columns.get_mut(z * self.space.nx + x) else {
            return;
        };
        if let Some((_, last)) = layer(column, y as i32) {
            column.cell_mut(last).heat += units;
            self.account.heat_used -= i128::from(units);
            if self.tables.carries_skin {
                thicken(column, y as i32, -units);
            }
        }
    }

    /// Removes up to `amount` units of liquid, with their heat, from the liquid at the cell `[x, y,
    /// z]`, from the top down.
    pub fn take_liquid(&mut self, [x, y, z]: [usize; 3], amount: i32) {
        let Some(column) = self.columns.get_mut(z * self.space.nx + x) else {
            return;
        };
        let Some((first, last)) = layer(column, y as i32) else {
            return;
        };
        let mut left = amount;
        for level in (first..=last).rev() {
            let part = left.min(column.cell(level).amount);
            column.take_crust(i64::from(part));
            let cell = column.cell_mut(level);
            let heat = if part == cell.amount {
                cell.heat
            } else {
                crate::store::column::heat_of(part, *cell)
            };
            (cell.amount, cell.heat, left) = (cell.amount - part, cell.heat - heat, left - part);
            self.account.used += i64::from(part);
            self.account.heat_used += i128::from(heat);
        }
    }

    /// Adds `amount` units of liquid at `temperature_k` (K) to the column of the cell `[x, y, z]`,
    /// in the highest gap that begins at or below the cell; the liquid sinks to the floor of the
    /// gap at once.
    pub fn make_liquid(&mut self, [x, y, z]: [usize; 3], amount: i32, temperature_k: f64) {
        let c = z * self.space.nx + x;
        self.reach([c as u32]);
        let column = &mut self.columns[c];
        let Some(run) = run_at(column, y as i32).copied() else {
            return;
        };
        let heat =
            i64::from(amount) * (self.setup.lava.heat_at(temperature_k) * HEAT_UNITS as f64) as i64;
        let cell = column.cell_mut(run.top.max(run.first));
        (cell.amount, cell.heat) = (cell.amount + amount, cell.heat + heat);
        self.account.made += i64::from(amount);
        self.account.heat_made += i128::from(heat);
        column.settle();
        column.refresh(&self.tables);
    }

    /// Sets which columns are covered by another material, for example water: one flag per column
    /// of [`Flow::wet`], in the same order. Covered columns lose no heat to the sky.
    pub fn cover(&mut self, covered: &[bool]) {
        // Clears old flags first: a column that dried and gets lava again must not keep its cover.
        for c in std::mem::take(&mut self.covered) {
            self.columns[c as usize].covered = false;
        }
        self.covered = self
            .wet
            .iter()
            .zip(covered)
            .filter_map(|(&c, &covered)| covered.then_some(c))
            .collect();
        for &c in &self.covered {
            self.columns[c as usize].covered = true;
        }
    }

    /// Number of the flow's heat units in one joule.
    pub fn heat_units_of_joule(&self) -> f64 {
        f64::from(UNITS) * HEAT_UNITS as f64
            / (self.space.cell_m3() * self.setup.lava.heat_per_m3())
    }
}

/// Adds `units` units of heat, lost through the surface of the uppermost run, to the heat deficit
/// of its crust. Does nothing if `level` (cell index from the floor) lies below that run.
fn thicken(column: &mut Column, level: i32, units: i64) {
    let Some(run) = column
        .runs
        .last()
        .filter(|run| run.is_wet() && level >= run.first)
    else {
        return;
    };
    if run_content(column, run).0 > 0 {
        column.crust = (column.crust + units).max(0);
    }
}

/// Highest run of a column that begins at or below the cell index `level`; `None` if all runs of
/// the column begin above.
fn run_at(column: &Column, level: i32) -> Option<&Run> {
    column.runs.iter().rev().find(|run| run.first <= level)
}

/// Lowest and highest index of the liquid cells that exchange heat with another material at the
/// cell index `level`: from the highest liquid cell at or below `level` down to the cell at which
/// the sum reaches half a cell of liquid. `None` without liquid.
fn layer(column: &Column, level: i32) -> Option<(i32, i32)> {
    let run = run_at(column, level).filter(|run| run.is_wet())?;
    // The run's top may be stale: reactions take liquid after the runs were found.
    let last = (run.first..=level.min(run.top))
        .rev()
        .find(|&level| column.cell(level).amount > 0)?;
    let (mut first, mut amount) = (last, i64::from(column.cell(last).amount));
    while first > run.first && amount < i64::from(UNITS / 2) {
        first -= 1;
        amount += i64::from(column.cell(first).amount);
    }
    Some((first, last))
}
