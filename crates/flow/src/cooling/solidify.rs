//! Solidification (called "setting" in names), once per step: liquid at or below the solidus that
//! touches rock turns to rock. Under a crust the criterion is the depth at which the temperature
//! profile crosses the solidus, so that the thickness of the rock does not depend on the cell
//! height.

use crate::cooling::heat::run_content;
use crate::cooling::lid::{CrustLaw, Crusted, Profile};
use crate::cooling::rubble::Loose;
use crate::motion::plan::neighbours;
use crate::store::blocks::Blocks;
use crate::store::column::{Column, Run, Slab, UNIT};
use crate::{Flow, FlowBox, HEAT_UNITS, UNITS};
use lavoxel_base::parallel::*;

/// Largest tan² of the bed's slope that enters the slope correction of fluxes: tan² 30°;
/// lubrication theory does not apply to steeper slopes.
const STEEPEST: f64 = 0.333;

impl Flow {
    /// Heat per unit of amount of lava at the solidus, in units of heat; 0 for a lava that never
    /// solidifies.
    pub(crate) fn solidus(&self) -> i64 {
        (self.setup.lava.solidus_k * HEAT_UNITS as f64) as i64
    }

    /// Turns those liquid cells of the columns `cold` (numbers, ascending) to rock that solidify in
    /// this step, and books their amount and heat in the accounts.
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
            let cell = self.columns[c as usize].cell_mut(level);
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

    /// Returns by column the amount of rock that can fall after `cells` have solidified: the new
    /// rock on floors under the sky. `cells`: pairs of column number and cell index, ascending.
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

    /// Criterion by which the liquid of a cell counts as cold enough to solidify.
    pub(crate) fn cold_law(&self) -> ColdLaw {
        ColdLaw {
            solidus: self.solidus(),
            by_lid: self.tables.carries_skin,
        }
    }

    /// Assigns to each solidifying cell of the run that cools to the sky the heat of the crust's
    /// profile at its depth, and the remaining heat to the cells that stay liquid. Cells that
    /// solidify from the top join the slab; the liquid below keeps its share of the crust's heat
    /// deficit. `setting`: pairs of column number and cell index, all of one column.
    fn part_heat(&mut self, setting: &[(u32, i32)]) {
        let c = setting[0].0 as usize;
        let wetted = self.ground().wetted(c);
        let column = &mut self.columns[c];
        let sets = |level: i32| setting.iter().any(|&(_, other)| other == level);
        let cooling = column.cooling_run();
        let is_cooling =
            |level: i32| cooling.is_some_and(|(run, _)| (run.first..=run.top).contains(&level));
        let others = setting.iter().filter(|&&(_, level)| !is_cooling(level));
        let others: i64 = others
            .map(|&(_, level)| i64::from(column.cell(level).amount))
            .sum();
        column.take_crust(others);
        let Some((run, slab)) = cooling.filter(|(run, _)| (run.first..=run.top).any(sets)) else {
            return;
        };
        let wetted = if slab.amount > 0 { 1.0 } else { wetted };
        let unit_m = self.space.dz_m / f64::from(UNITS) / wetted;
        let (amount, profile) = column.profile_with(&self.tables.crust, &run, slab, unit_m);
        let (stays, left) = column.take_by_profile(&run, (slab, unit_m), &profile, sets);
        if stays == 0 {
            // The whole run solidifies: the rest of the heat goes to the lowest cell, so that the
            // account balances.
            column.cell_mut(run.first).heat += left;
            (column.crust, column.slab) = (0, Slab::default());
            return;
        }
        spread_over_others(column, &run, (stays, left), sets);
        if sets(run.top) {
            column.grow_slab(&run, slab, sets);
            // Both parts keep the core's temperature.
            let skin = profile.core - left as f64 / stays as f64 / HEAT_UNITS as f64;
            let rest = column.amount() - (amount - stays) - others;
            column.crust = (skin.max(0.0) * rest as f64 * HEAT_UNITS as f64) as i64;
        }
    }
}

/// Distributes `heat` units of heat over the cells of `run` that do not solidify and together
/// contain `amount` units of liquid, in proportion to their amounts. `sets(level)`: true for the
/// index of a solidifying cell.
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

/// Criterion by which the liquid of a cell counts as cold enough to solidify.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ColdLaw {
    /// Heat per unit of amount at the solidus, in units of heat; 0 for a lava that never
    /// solidifies.
    solidus: i64,
    /// Lid flag: if true, the thickness of the lid is the criterion in the run that cools to the
    /// sky, instead of the heat of the cells.
    by_lid: bool,
}

impl ColdLaw {
    /// Returns true if all liquid in the cell with the index `level` of `run` is at or below the
    /// solidus.
    #[inline]
    fn is_cold(self, column: &Column, run: &Run, level: i32) -> bool {
        if self.solidus <= 0 {
            return false;
        }
        if self.by_lid
            && let Some((cooling, slab)) = column.cooling_run()
            && cooling.first == run.first
        {
            let bottom = run.floor.max(i64::from(level) * UNIT);
            return column.lid >= slab.amount + run.surface() - bottom;
        }
        let cell = column.cell(level);
        cell.heat <= self.solidus * i64::from(cell.amount)
    }
}

impl Column {
    /// Returns the amount in units of the liquid of `run`, and the profile of heat over depth in
    /// the slab and the liquid together. `unit_m`: thickness in metres of one unit of amount.
    fn profile_with(&self, law: &CrustLaw, run: &Run, slab: Slab, unit_m: f64) -> (i64, Profile) {
        let liquid @ (amount, heat) = run_content(self, run);
        let all = (amount + slab.amount, heat + slab.heat);
        let mean = all.1 as f64 / all.0 as f64 / HEAT_UNITS as f64;
        let body = Crusted {
            law,
            mean,
            skin: self.skin_of_body(liquid, mean),
            depth_m: all.0 as f64 * unit_m,
            covered: self.covered,
        };
        (amount, body.profile())
    }

    /// Assigns to each solidifying cell of `run` the heat of `profile` at its depth below the top
    /// of the slab. Returns amount and heat in units of the cells that stay liquid. `unit_m`:
    /// thickness in metres of one unit of amount; `sets(level)`: true for the index of a
    /// solidifying cell.
    fn take_by_profile(
        &mut self,
        run: &Run,
        (slab, unit_m): (Slab, f64),
        profile: &Profile,
        sets: impl Fn(i32) -> bool,
    ) -> (i64, i64) {
        let (mut stays, mut left) = run_content(self, run);
        let mut depth = slab.amount as f64 * unit_m;
        for level in (run.first..=run.top).rev() {
            let cell = self.cell_mut(level);
            let next = depth + f64::from(cell.amount) * unit_m;
            if sets(level) {
                let warm = profile.mean(depth, next) * f64::from(cell.amount) * HEAT_UNITS as f64;
                cell.heat = (warm as i64).clamp(0, left);
                (stays, left) = (stays - i64::from(cell.amount), left - cell.heat);
            }
            depth = next;
        }
        (stays, left)
    }

    /// Adds the solidifying cells at the top of `run` to the slab above; if liquid stays above a
    /// solidifying cell, the column has no slab afterwards. `sets(level)`: true for the index of a
    /// solidifying cell.
    fn grow_slab(&mut self, run: &Run, slab: Slab, sets: impl Fn(i32) -> bool) {
        let lowest = (run.first..=run.top)
            .rev()
            .take_while(|&level| sets(level))
            .last();
        let is_lid = |&lowest: &i32| (run.first..lowest).all(|level| !sets(level));
        self.slab = lowest.filter(is_lid).map_or(Slab::default(), |lowest| {
            (lowest..=run.top)
                .map(|level| self.cell(level))
                .fold(slab, |slab, cell| Slab {
                    // Under pressure a cell holds more than the rock that it becomes.
                    amount: slab.amount + i64::from(cell.amount.min(UNITS - cell.rock)),
                    heat: slab.heat + cell.heat,
                })
        });
    }

    /// Returns true if any cell of the column contains only liquid at or below the solidus.
    pub(crate) fn has_cold(&self, law: ColdLaw) -> bool {
        let any_cold = |run: &Run| {
            (run.first..=run.top)
                .rev()
                .any(|level| law.is_cold(self, run, level))
        };
        self.runs.iter().any(any_cold)
    }
}

/// Indices of the cells of column `c` that solidify in this step, ascending. A cold cell without
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
        let cooling = column.cooling_run().filter(|_| law.by_lid);
        // A slab is rock that the liquid below touches.
        let is_below_slab =
            cooling.is_some_and(|(other, slab)| other.first == run.first && slab.amount > 0);
        (run.first..=run.top).filter(move |&level| {
            is_cold(level)
                && (level == run.first
                    || (column.cell(level).amount >= UNITS / 2 || is_cold(level - 1))
                        && (is_below_slab || touches(level)))
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
