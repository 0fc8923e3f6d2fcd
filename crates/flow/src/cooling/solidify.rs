//! Solidification ("setting"), once per step: liquid at or below the solidus that touches rock
//! turns to rock. Under a crust the criterion is the depth at which the temperature profile crosses
//! the solidus, so that the thickness of the rock does not depend on the cell height.

use crate::cooling::heat::run_content;
use crate::cooling::lid::Crusted;
use crate::cooling::rubble::Loose;
use crate::motion::plan::neighbours;
use crate::store::blocks::Blocks;
use crate::store::column::{Column, Run, UNIT};
use crate::{Flow, FlowBox, HEAT_UNITS, UNITS};
use lavoxel_base::parallel::*;

/// Upper bound of tan² of the bed slope in the slope correction: tan² 30°; lubrication theory does
/// not apply to steeper slopes.
const STEEPEST: f64 = 0.333;

impl Flow {
    /// Heat per unit of amount at the solidus, in units of heat; 0 for a lava that never
    /// solidifies.
    pub(crate) fn solidus(&self) -> i64 {
        (self.setup.lava.solidus_k * HEAT_UNITS as f64) as i64
    }

    /// Turns the solidifying cells of the columns `cold` (ascending) to rock.
    pub(crate) fn set(&mut self, cold: &[u32]) {
        let (space, columns, law) = (self.space, &self.columns, self.cold_law());
        let decide = |&c: &u32| {
            cells_that_set(space, columns, c as usize, law)
                .map(move |level| (c, level))
                .collect()
        };
        let cells: Vec<Vec<(u32, i32)>> = cold.par_iter().with_min_len(256).map(decide).collect();
        let cells: Vec<(u32, i32)> = cells.into_iter().flatten().collect();
        // Marks also lava that came and set within the same step.
        self.changed_area.extend(cells.iter().map(|&(c, _)| c));
        if law.by_lid {
            cells
                .chunk_by(|a, b| a.0 == b.0)
                .for_each(|cells| self.part_heat(cells));
        }
        let loose = if self.solids.is_none() {
            self.loose(&cells)
        } else {
            Loose::new()
        };
        for &(c, level) in &cells {
            let column = &mut self.columns[c as usize];
            // The uppermost run keeps the whole deficit of its crust, see `part_heat`.
            if column.runs.last().is_some_and(|run| level < run.first) {
                column.take_crust(column.cell(level).amount);
            }
            let cell = column.cell_mut(level);
            self.account.set += i64::from(cell.amount);
            self.account.heat_set += i128::from(cell.heat);
            let (before, mark) = (cell.rock, &mut self.marks[c as usize].set);
            match &mut self.solids {
                Some(solids) => {
                    *mark += i64::from(cell.amount);
                    cell.rock = solids[c as usize].add(level, cell.rock, cell.amount, cell.heat);
                }
                None => {
                    cell.rock = (i64::from(cell.rock) + i64::from(cell.amount))
                        .min(i64::from(UNITS)) as i32;
                    // Under pressure a cell holds more than its room; the rock that results is no
                    // thicker than the room.
                    *mark += i64::from(cell.rock - before);
                }
            }
            (cell.amount, cell.heat) = (0, 0);
        }
        self.reshape(cells.chunk_by(|a, b| a.0 == b.0).map(|pair| pair[0].0));
        self.crumble(loose);
    }

    /// Returns the columns with loose rock on floors under the sky after `cells` (ascending) have
    /// solidified, with the amount of loose rock in units.
    fn loose(&self, cells: &[(u32, i32)]) -> Loose {
        let of_column = |cells: &[(u32, i32)]| {
            let column = &self.columns[cells[0].0 as usize];
            (
                cells[0].0,
                column.loose(cells.iter().map(|&(_, level)| level)),
            )
        };
        cells
            .chunk_by(|a, b| a.0 == b.0)
            .map(of_column)
            .filter(|&(_, units)| units > 0)
            .collect()
    }

    /// Returns the criterion by which liquid is cold enough to solidify.
    pub(crate) fn cold_law(&self) -> ColdLaw {
        ColdLaw {
            solidus: self.solidus(),
            by_lid: self.tables.carries_skin,
        }
    }

    /// Assigns to each solidifying cell of the uppermost run the heat of the crust's profile at its
    /// depth, and the remaining heat to the other cells. If the top cell solidifies, the crust's
    /// heat deficit is reset.
    fn part_heat(&mut self, setting: &[(u32, i32)]) {
        let wetted = self.ground().wetted(setting[0].0 as usize);
        let column = &mut self.columns[setting[0].0 as usize];
        let Some(run) = column.runs.last().copied().filter(Run::is_wet) else {
            return;
        };
        let sets = |level: i32| setting.iter().any(|&(_, other)| other == level);
        let (amount, heat) = run_content(column, &run);
        let unit_m = self.space.dz_m / f64::from(UNITS) / wetted;
        let depth_m = amount as f64 * unit_m;
        let mean = heat as f64 / amount as f64 / HEAT_UNITS as f64;
        let skin = f64::from(column.skin());
        let profile = Crusted {
            law: &self.tables.crust,
            mean,
            skin,
            depth_m,
            covered: column.covered,
        }
        .profile();
        let (mut left, mut stays, mut depth) = (heat, amount, 0.0);
        for level in (run.first..=run.top).rev() {
            let cell = column.cell_mut(level);
            let next = depth + f64::from(cell.amount) * unit_m;
            if sets(level) {
                let warm = profile.mean(depth, next) * f64::from(cell.amount) * HEAT_UNITS as f64;
                cell.heat = (warm as i64).clamp(0, left);
                left -= cell.heat;
                stays -= i64::from(cell.amount);
            }
            depth = next;
        }
        if stays == 0 {
            // The whole run solidifies: the rest of the heat goes to the lowest cell, so that the
            // ledger balances.
            column.cell_mut(run.first).heat += left;
        } else {
            spread_over_others(column, &run, (stays, left), sets);
        }
        if stays == 0 || sets(run.top) {
            column.crust = 0;
        }
    }
}

/// Distributes `heat` over the cells of a run that do not solidify, in proportion to their amounts
/// (`amount` in total). `sets(level)` is true for solidifying cells.
fn spread_over_others(
    column: &mut Column,
    run: &Run,
    (amount, heat): (i64, i64),
    sets: impl Fn(i32) -> bool,
) {
    let (mut left, mut last) = (heat, run.first);
    for level in (run.first..=run.top).filter(|&level| !sets(level)) {
        let cell = column.cell_mut(level);
        cell.heat = (i128::from(heat) * i128::from(cell.amount) / i128::from(amount)) as i64;
        left -= cell.heat;
        last = level;
    }
    column.cell_mut(last).heat += left;
}

/// Criterion by which liquid is cold enough to solidify.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ColdLaw {
    /// Heat per unit of amount at the solidus, in units of heat; 0 for a lava that never
    /// solidifies.
    solidus: i64,
    /// Lid flag: in the uppermost run the thickness of the lid is the criterion, instead of the
    /// heat of the cells.
    by_lid: bool,
}

impl ColdLaw {
    /// Returns true if all liquid in the cell at `level` of `run` is at or below the solidus.
    #[inline]
    fn is_cold(self, column: &Column, run: &Run, level: i32) -> bool {
        if self.solidus <= 0 {
            return false;
        }
        if self.by_lid && run.is_under_sky() {
            return column.lid >= run.surface() - run.floor.max(i64::from(level) * UNIT);
        }
        let cell = column.cell(level);
        cell.heat <= self.solidus * i64::from(cell.amount)
    }
}

impl Column {
    /// Returns true if any cell contains only liquid at or below the solidus.
    pub(crate) fn has_cold(&self, law: ColdLaw) -> bool {
        let any_cold = |run: &Run| {
            (run.first..=run.top)
                .rev()
                .any(|level| law.is_cold(self, run, level))
        };
        self.runs.iter().any(any_cold)
    }
}

/// Levels of the cells of column `c` that solidify in this step, ascending. A cold cell without
/// contact to rock is floating crust and stays liquid; a cell less than half full solidifies only
/// together with the cell below.
fn cells_that_set(
    space: FlowBox,
    columns: &Blocks<Column>,
    c: usize,
    law: ColdLaw,
) -> impl Iterator<Item = i32> {
    let column = &columns[c];
    let touches = move |level: i32| {
        let beside = neighbours(space, c).into_iter().flatten();
        beside
            .into_iter()
            .any(|n| columns[n].cell(level).rock >= UNITS / 2)
    };
    let wet = column.runs.iter().filter(|run| run.is_wet());
    wet.flat_map(move |run| {
        let is_cold = move |level: i32| law.is_cold(column, run, level);
        (run.first..=run.top).filter(move |&level| {
            is_cold(level)
                && (level == run.first
                    || (column.cell(level).amount >= UNITS / 2 || is_cold(level - 1))
                        && touches(level))
        })
    })
}

/// Squared cosine of the bed slope at column `c`, by the minmod limiter of the one-sided
/// differences, so that a wall next to a flat floor is not a slope; 1 at the sides of the box.
/// `floor(c)`: floor of a column's lowest run in units; `None` without a run.
pub(crate) fn slope_cosine(space: FlowBox, floor: impl Fn(usize) -> Option<i64>, c: usize) -> f32 {
    let [Some(west), Some(east), Some(north), Some(south)] = neighbours(space, c) else {
        return 1.0;
    };
    let Some(here) = floor(c) else {
        return 1.0;
    };
    let unit_m = space.dz_m / f64::from(UNITS);
    let slope = |before: usize, after: usize| {
        let rise = floor(after).unwrap_or(here) - here;
        let fall = here - floor(before).unwrap_or(here);
        if (rise > 0) != (fall > 0) {
            0.0
        } else {
            rise.abs().min(fall.abs()) as f64 * unit_m / space.dx_m
        }
    };
    let (x, z) = (slope(west, east), slope(north, south));
    (1.0 / (1.0 + (x * x + z * z).min(STEEPEST))) as f32
}
