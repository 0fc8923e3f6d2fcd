//! Reference implementation of a step, written for clarity: every sub-step recomputes all values of
//! the whole box, serially. Tests compare the fast step with this one, to the bit.

use std::collections::BTreeMap;

use super::step::{SubStep, WHOLE, sub_key, sub_steps};
use super::{Flow, FlowPour};
use crate::motion::cross::{pair_of, parcel_of};
use crate::motion::parcel::{Parcel, crust_of};
use crate::motion::plan::Plan;
use crate::store::column::Warmth;
use crate::store::column_summary::ColumnSummary;

/// Amount in units that moves from the cell `from` (column number, cell index) to the cell at the
/// same height in the neighbouring column `to`, with its heat and crust.
struct Move {
    from: (usize, i32),
    to: usize,
    amount: i32,
    parcel: Parcel,
}

impl Flow {
    /// Makes one step like [`Flow::step`], by the reference implementation.
    pub(crate) fn plain_step(&mut self, pours: &[FlowPour]) {
        let pours = self.pours(pours);
        self.reach_all();
        self.changed_area.reset(self.space.nx, self.space.nz);
        let (mut time, mut number, mut plan) = (0, 0, Plan::new(self.space.columns()));
        while time < WHOLE {
            self.refresh_all();
            if time == 0 {
                let wet = self.columns.iter().filter(|(_, column)| column.is_wet());
                let wet: Vec<u32> = wet.map(|(c, _)| c as u32).collect();
                plan.begin(self.ground(), Some(&wet), &pours);
                let at_rest = self.marks.iter_mut().filter(|&(c, _)| !plan.stirs(c));
                at_rest.for_each(|(_, mark)| mark.speed = 0.0);
            } else {
                plan.go_on(self.ground(), &pours, time);
            }
            if plan.active.is_empty() {
                break;
            }
            plan.check(self.ground());
            // All derived state is recomputed after each change, so that a stale cache of the fast
            // step shows as a difference.
            for sub in sub_steps(&plan, time) {
                let sub = SubStep {
                    key: sub_key(self.setup.seed, self.steps, number),
                    ..sub
                };
                self.pour(&pours, &plan, sub);
                self.refresh_all();
                let mut moves = self.plain_moves(&plan, sub.key, sub.level);
                self.plain_limit(&mut moves);
                self.plain_apply(&moves);
                self.refresh_all();
                number += 1;
            }
            time += WHOLE >> plan.round;
        }
        let wet = self.wet.clone();
        plan.end(self.space, self.ends_everywhere().then_some(&wet));
        self.changed_area.join(&plan.stirred);
        self.account.sub_steps += number;
        self.finish(&plan);
    }

    fn refresh_all(&mut self) {
        for (_, column) in self.columns.iter_mut() {
            column.shares.clear();
            column.find_gaps();
            column.settle();
            column.refresh(&self.tables);
        }
        self.columns
            .iter()
            .for_each(|(c, column)| self.leans[c] = ColumnSummary::from_column(column));
    }

    fn plain_moves(&mut self, plan: &Plan, key: u64, due: i32) -> Vec<Move> {
        let mut moves = Vec::new();
        let (nx, nz) = (self.space.nx, self.space.nz);
        for number in 0..2 * self.space.columns() {
            let (c, is_south) = (number / 2, number % 2 == 1);
            let is_last = if is_south {
                c / nx + 1 == nz
            } else {
                c % nx + 1 == nx
            };
            if is_last {
                continue;
            }
            let (c, n, pair) = pair_of(self.space, &self.columns, number);
            if !plan.is_active(c) || !plan.is_active(n) {
                continue;
            }
            // A face moves at the finer level of its two columns.
            let level = plan.level(c).max(plan.level(n));
            if level < due {
                continue;
            }
            self.account.faces += 1;
            let (account, watch) = (&mut self.account, &mut self.watch);
            pair.fluxes(&self.tables, level, |flux| {
                account.fluxes += 1;
                account.capped += u64::from(flux.is_capped);
                watch.put_off = watch.put_off.max(flux.eased);
                let (from, to) = if flux.is_forward { (c, n) } else { (n, c) };
                let parcel = parcel_of(self.space, &self.leans, &self.tables, [c, n], &flux);
                pair.parts(&flux, key, number, |level, amount| {
                    moves.push(Move {
                        from: (from, level),
                        to,
                        amount,
                        parcel,
                    })
                });
            });
        }
        moves
    }

    fn plain_limit(&self, moves: &mut [Move]) {
        let mut given = BTreeMap::<(usize, i32), (i64, i32)>::new();
        for each in moves.iter() {
            let (sum, most) = given.entry(each.from).or_default();
            (*sum, *most) = (*sum + i64::from(each.amount), each.amount.max(*most));
        }
        for each in moves {
            let held = self.columns[each.from.0].cell(each.from.1).amount;
            let (given, most) = given[&each.from];
            if most > held / 4 {
                each.parcel = Parcel::mean(each.parcel.skin);
            }
            if given > i64::from(held) {
                each.amount = (i64::from(each.amount) * i64::from(held) / given) as i32;
            }
        }
    }

    fn plain_apply(&mut self, moves: &[Move]) {
        let before = self.columns.clone();
        for each in moves {
            let (from, level) = each.from;
            let held = before[from].cell(level);
            let heat =
                each.parcel
                    .heat(each.amount, i64::from(held.amount), Warmth::from_cell(held));
            let cell = self.columns[from].cell_mut(level);
            (cell.amount, cell.heat) = (cell.amount - each.amount, cell.heat - heat);
            let cell = self.columns[each.to].cell_mut(level);
            (cell.amount, cell.heat) = (cell.amount + each.amount, cell.heat + heat);
            if self.tables.carries_skin {
                let crust = crust_of(each.amount, each.parcel.skin);
                self.columns[from].crust -= crust;
                self.columns[each.to].crust += crust;
            }
        }
        let lost: i64 = self
            .columns
            .iter_mut()
            .map(|(_, column)| column.drop_rests())
            .sum();
        self.account.heat_sky += i128::from(lost);
        self.columns
            .iter_mut()
            .for_each(|(_, column)| column.settle());
    }
}
