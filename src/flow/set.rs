//! Setting, once a step: liquid at or below the solidus that touches rock turns to rock.

use super::column::Column;
use super::plan::neighbours;
use super::{Flow, FlowBox, FlowCell, HEAT_UNITS, UNITS};
use crate::flow::mag::Mag;
use crate::parallel::*;

/// Steepest slope of a bed that bends a film: tan² 30°.
const STEEPEST: f64 = 0.333;

impl Flow {
    /// Heat of a unit at the solidus; 0 of a lava that never sets.
    pub(crate) fn solidus(&self) -> i64 {
        (self.setup.lava.solidus_k * HEAT_UNITS as f64) as i64
    }

    /// Turns cells of cold columns, ascending, to rock.
    pub(crate) fn set(&mut self, cold: &[u32]) {
        let (space, columns, solidus) = (self.space, &self.columns, self.solidus());
        let decide =
            |&c: &u32| cells_that_set(space, columns, c as usize, solidus).map(move |level| (c, level)).collect();
        let cells: Vec<Vec<(u32, i32)>> = cold.par_iter().with_min_len(256).map(decide).collect();
        let cells: Vec<(u32, i32)> = cells.into_iter().flatten().collect();
        // Also what came and set within the step.
        self.changed_area.extend(cells.iter().map(|&(c, _)| c));
        for &(c, level) in &cells {
            let cell = self.columns[c as usize].cell_mut(level);
            self.account.set += i64::from(cell.amount);
            self.account.heat_set += i128::from(cell.heat);
            self.marks[c as usize].set += i64::from(cell.amount);
            cell.rock = match &mut self.solids {
                Some(solids) => solids[c as usize].add(level, cell.rock, cell.amount, cell.heat),
                None => (i64::from(cell.rock) + i64::from(cell.amount)).min(i64::from(UNITS)) as i32,
            };
            (cell.amount, cell.heat) = (0, 0);
        }
        self.reshape(cells.chunk_by(|a, b| a.0 == b.0).map(|pair| pair[0].0));
    }
}

impl Column {
    /// Whether a cell holds liquid that is not warmer than the solidus.
    pub(crate) fn has_cold(&self, solidus: i64) -> bool {
        solidus > 0 && self.cells.iter().any(|cell| cell.amount > 0 && is_cold(cell, solidus))
    }
}

/// Whether a cell holds nothing warmer than the solidus.
#[inline]
fn is_cold(cell: &FlowCell, solidus: i64) -> bool {
    cell.heat <= solidus * i64::from(cell.amount)
}

/// Levels of a column whose cells set now. A cold cell that touches no rock is crust afloat; one less than half full sets
/// with the cell below.
fn cells_that_set(space: FlowBox, columns: &[Column], c: usize, solidus: i64) -> impl Iterator<Item = i32> {
    let column = &columns[c];
    let is_cold = move |level: i32| is_cold(&column.cell(level), solidus);
    let touches = move |level: i32| {
        let beside = neighbours(space, c).into_iter().flatten();
        beside.into_iter().any(|n| columns[n].cell(level).rock >= UNITS / 2)
    };
    let wet = column.runs.iter().filter(|run| run.is_wet());
    wet.flat_map(move |run| {
        (run.first..=run.top).filter(move |&level| {
            is_cold(level)
                && (level == run.first
                    || (column.cell(level).amount >= UNITS / 2 || is_cold(level - 1)) && touches(level))
        })
    })
}

/// Squared cosine of the bed's slope, from the smaller of the differences to both sides, so that a wall beside a flat floor is
/// no slope; one at the sides of the box.
pub(crate) fn slope_cosine(space: FlowBox, columns: &[Column], c: usize) -> Mag {
    let floor = |c: usize| columns[c].runs.first().map(|run| run.floor);
    let [Some(west), Some(east), Some(north), Some(south)] = neighbours(space, c) else { return Mag::from_units(1) };
    let Some(here) = floor(c) else { return Mag::from_units(1) };
    let unit_m = space.dz_m / f64::from(UNITS);
    let slope = |before: usize, after: usize| {
        let rise = floor(after).unwrap_or(here) - here;
        let fall = here - floor(before).unwrap_or(here);
        if (rise > 0) != (fall > 0) { 0.0 } else { rise.abs().min(fall.abs()) as f64 * unit_m / space.dx_m }
    };
    let (x, z) = (slope(west, east), slope(north, south));
    Mag::from_f64(1.0 / (1.0 + (x * x + z * z).min(STEEPEST)))
}
