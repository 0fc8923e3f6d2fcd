//! Second stage of a sub-step: adds the liquid and heat that cross the faces to every column that
//! the sub-step updates, and moves the liquid to the floor of its gap.

use crate::motion::cross::{Face, faces_of};
use crate::motion::plan::Plan;
use crate::motion::strips::{SIDE, Strip, on_strips};
use crate::motion::tables::Tables;
use crate::step::SubStep;
use crate::store::blocks::{Blocks, BlocksMut};
use crate::store::column::{Column, UNIT, heat_of};
use crate::store::column_summary::ColumnSummary;
use crate::{Flow, FlowBox, FlowCell, UNITS};
use lavoxel_base::simd::{Level, Simd, Work};

impl Flow {
    /// Adds the liquid and heat that cross its faces to every column that the sub-step `sub`
    /// updates, then moves the liquid to the floor of its gap and recomputes runs and summary.
    pub(crate) fn gather(&mut self, plan: &Plan, sub: SubStep) {
        let Self {
            space,
            columns,
            leans,
            faces,
            tables,
            account,
            ..
        } = self;
        let gather = Gather {
            space: *space,
            faces,
            tables,
            stamp: sub.stamp,
        };
        let lost = on_strips(
            &plan.strips,
            (columns.view_mut(), leans.view_mut()),
            &|strip| strip.moved.due(sub.level),
            &|strip, state| {
                let mut lost = 0;
                Level::fastest().run(GatherStrip {
                    gather: &gather,
                    strip,
                    levels: [sub.level, plan.finest],
                    state,
                    lost: &mut lost,
                });
                lost
            },
            &|a: i64, b| a + b,
        );
        account.heat_sky += i128::from(lost);
    }
}

/// Pass over the due columns of a strip.
struct GatherStrip<'a> {
    gather: &'a Gather<'a>,
    strip: &'a Strip,
    /// Coarsest and finest level that is due.
    levels: [i32; 2],
    state: (BlocksMut<'a, Column>, BlocksMut<'a, ColumnSummary>),
    lost: &'a mut i64,
}

impl Work for GatherStrip<'_> {
    #[inline(always)]
    fn with<S: Simd>(self, _: S) {
        let Self {
            gather,
            strip,
            levels: [coarsest, finest],
            state: (mut columns, mut leans),
            lost,
        } = self;
        for level in coarsest..=finest {
            for &c in strip.moved.at_level(level) {
                let i = (c & !SIDE) as usize;
                *lost += gather.column(c, &mut columns[i], &mut leans[i]);
            }
        }
    }
}

/// State of the flow from which a sub-step updates columns: the fluxes across faces, and tables of
/// viscosity and yield strength.
struct Gather<'a> {
    space: FlowBox,
    faces: &'a Blocks<[Face; 2]>,
    tables: &'a Tables,
    stamp: u32,
}

impl Gather<'_> {
    /// Adds liquid, heat and crust that cross the faces of column `c` (number, with the flag
    /// `SIDE` at a side of the box) to `column`. Returns the heat in units left in emptied cells,
    /// which is booked as lost to the sky.
    #[inline(always)]
    fn column(&self, c: u32, column: &mut Column, lean: &mut ColumnSummary) -> i64 {
        if c & SIDE != 0 {
            let c = (c & !SIDE) as usize;
            return self.any_column(faces_of(self.space, c).into_iter().flatten(), column, lean);
        }
        let (c, nx) = (c as usize, self.space.nx);
        let faces = [
            (2 * (c - nx) + 1, -1),
            (2 * (c - 1), -1),
            (2 * c, 1),
            (2 * c + 1, 1),
        ];
        self.lean_column(c, column, lean)
            .unwrap_or_else(|| self.any_column(faces.into_iter(), column, lean))
    }

    /// Fast path of `column` for a column with a single run, under the sky, and at most two wet
    /// cells before and after the update. `None` for any other column, which is then unchanged.
    #[inline(always)]
    fn lean_column(&self, c: usize, column: &mut Column, lean: &mut ColumnSummary) -> Option<i64> {
        if !lean.is_whole() {
            return None;
        }
        let first = lean.floor.div_euclid(UNIT) as i32;
        let start = (first - column.base) as usize;
        let cell = |i: usize| column.cells.get(start + i).copied().unwrap_or_default();
        let (mut lower, mut upper, mut has_moved) = (cell(0), cell(1), false);
        let mut crust = column.crust;
        let nx = self.space.nx;
        let mut take = |face: &Face, sign: i32| {
            if face.stamp != self.stamp {
                return true;
            }
            has_moved = true;
            let [amount, more] = [sign * face.amounts[0], sign * face.amounts[1]];
            let [heat, more_heat] = [
                i64::from(sign) * face.heats[0],
                i64::from(sign) * face.heats[1],
            ];
            if face.level == first {
                (lower.amount, lower.heat) = (lower.amount + amount, lower.heat + heat);
                (upper.amount, upper.heat) = (upper.amount + more, upper.heat + more_heat);
            } else {
                (upper.amount, upper.heat) = (upper.amount + amount, upper.heat + heat);
            }
            crust += i64::from(sign) * face.crust;
            (face.level == first || face.level == first + 1 && more == 0) && face.parts().is_empty()
        };
        // Nothing is written before every face is known to fit: on None the general path starts
        // from the old cells.
        let [west, own] = self.faces.some(c - 1);
        let is_lean = take(&self.faces[c - nx][1], 1)
            && take(&west[0], 1)
            && take(&own[0], -1)
            && take(&own[1], -1);
        if !is_lean {
            return None;
        }
        if !has_moved {
            return Some(0);
        }
        let mut lost = 0;
        for cell in [&mut lower, &mut upper] {
            if cell.amount == 0 {
                lost += std::mem::take(&mut cell.heat);
            }
        }
        let room = UNITS - lower.rock - lower.amount;
        if room < 0 {
            let heat = heat_of(-room, lower);
            move_up(&mut lower, &mut upper, -room, heat);
        } else if room > 0 && upper.amount > 0 {
            let amount = room.min(upper.amount);
            let heat = if amount == upper.amount {
                upper.heat
            } else {
                heat_of(amount, upper)
            };
            move_up(&mut lower, &mut upper, -amount, -heat);
        }
        if upper.amount > UNITS {
            return None;
        }
        let is_dry = lower.amount == 0 && upper.amount == 0;
        column.crust = if is_dry { 0 } else { crust };
        let stored = column.cells.get_mut(start..).unwrap_or_default();
        if let [old_lower, old_upper, ..] = stored {
            (*old_lower, *old_upper) = (lower, upper);
        } else {
            *column.cell_mut(first) = lower;
            if upper.amount > 0 {
                *column.cell_mut(first + 1) = upper;
            }
        }
        *lean = column.refresh_open(lower, upper, self.tables);
        Some(lost)
    }

    #[inline(never)]
    fn any_column(
        &self,
        around: impl Iterator<Item = (usize, i32)>,
        column: &mut Column,
        lean: &mut ColumnSummary,
    ) -> i64 {
        let mut has_moved = false;
        for (number, sign) in around {
            let face = &self.faces[number / 2][number % 2];
            if face.stamp != self.stamp {
                continue;
            }
            face.for_parts(|part| {
                has_moved = true;
                let cell = column.cell_mut(part.level);
                cell.amount -= sign * part.amount;
                cell.heat -= i64::from(sign) * part.heat;
            });
            column.crust -= i64::from(sign) * face.crust;
        }
        // A column at rest keeps its runs and record.
        if !has_moved {
            return 0;
        }
        let lost = column.drop_rests();
        column.settle();
        *lean = column.refresh_with_lean(self.tables);
        lost
    }
}

/// Moves `amount` units of liquid and `heat` units of heat from the cell `lower` to the cell
/// `upper` above; negative values move liquid and heat down.
#[inline]
fn move_up(lower: &mut FlowCell, upper: &mut FlowCell, amount: i32, heat: i64) {
    lower.amount -= amount;
    lower.heat -= heat;
    upper.amount += amount;
    upper.heat += heat;
}
