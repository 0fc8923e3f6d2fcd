//! A step as a recipe: sources and fluxes in sub-steps, then open sides, heat and setting.

use super::column::UNIT;
use super::lean::Lean;
use super::plan::{FINEST, Ground, Plan, Pour, run_of_pour};
use super::strips::{TASK, on_strips};
use super::{Flow, FlowPour};
use crate::parallel::*;
use crate::random::mix64;

/// A whole step in [`FINEST`] bits.
pub(crate) const WHOLE: u64 = 1 << FINEST;

/// Most that a pour adds at once.
const LARGEST_POUR: i64 = 1 << 28;

/// A sub-step: its number among all, its random key, and the coarsest level that moves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SubStep {
    pub(crate) stamp: u32,
    pub(crate) key: u64,
    pub(crate) level: i32,
    /// When it begins, as a share of the step in [`FINEST`] bits.
    pub(crate) time: u64,
}

impl Flow {
    /// One step of [`super::FlowSetup::step_s`] seconds.
    pub fn step(&mut self, pours: &[FlowPour]) {
        if self.wet.len() < TASK {
            self.step_here(pours);
        } else {
            enter(|| self.step_here(pours));
        }
    }

    fn step_here(&mut self, pours: &[FlowPour]) {
        let pours = self.pours(pours);
        let mut plan = std::mem::take(&mut self.plan);
        self.changed_area.reset(self.space.nx, self.space.nz);
        let (mut time, mut number) = (0, 0);
        while time < WHOLE {
            plan.make(self.ground(), &self.wet, &pours, time);
            for sub in sub_steps(&plan, time) {
                self.next_stamp();
                let sub = SubStep { stamp: self.stamp, key: sub_key(self.setup.seed, self.steps, number), ..sub };
                self.pour(&pours, &plan, sub);
                self.sub_step(&plan, sub);
                number += 1;
            }
            time += WHOLE >> plan.round;
            self.note_wet(&plan);
        }
        self.changed_area.join(&plan.wet);
        self.account.sub_steps += number;
        self.finish(&plan);
        self.plan = plan;
    }

    /// What the plan reads.
    pub(crate) fn ground(&self) -> Ground<'_> {
        Ground { space: self.space, columns: &self.columns, leans: &self.leans, tables: &self.tables }
    }

    /// Numbers the sub-steps; after the last number they begin again and no face keeps an old one.
    fn next_stamp(&mut self) {
        if self.stamp == u32::MAX {
            self.faces.iter_mut().for_each(|face| face.stamp = 0);
            self.stamp = 0;
        }
        self.stamp += 1;
    }

    /// The pours of a step in units.
    pub(crate) fn pours(&self, pours: &[FlowPour]) -> Vec<Pour> {
        let inside = pours.iter().filter(|pour| pour.column < self.columns.len());
        inside.map(|pour| Pour::new(self.space, &self.setup.lava, pour)).filter(|pour| pour.units > 0).collect()
    }

    /// What follows the sub-steps, once a step.
    pub(crate) fn finish(&mut self, plan: &Plan) {
        self.steps += 1;
        self.note_speeds(plan);
        if self.setup.open_sides {
            self.drain(plan);
        }
        self.lose_heat(plan);
        self.set(plan);
        self.refresh_active(plan);
        self.note_arrivals(plan);
        self.wake_melted();
    }

    /// Pours what is due in a sub-step.
    pub(crate) fn pour(&mut self, pours: &[Pour], plan: &Plan, sub: SubStep) {
        for pour in pours {
            let level = plan.level(pour.column);
            if level >= sub.level {
                // Shares that add up to the whole.
                let up_to = |time: u64| ((i128::from(pour.units) * i128::from(time)) >> FINEST) as i64;
                self.pour_into(pour, up_to(sub.time + (WHOLE >> level)) - up_to(sub.time));
            }
        }
    }

    /// Pours an amount, or counts it as blocked where the column is full to the top of the box.
    pub(crate) fn pour_into(&mut self, pour: &Pour, units: i64) {
        let column = &mut self.columns[pour.column];
        let room = |i: usize| self.space.ny as i64 * UNIT - column.runs[i].head;
        let run = run_of_pour(column, pour).filter(|&i| room(i) > 0);
        let poured = run.map_or(0, |_| units.min(LARGEST_POUR));
        self.account.blocked += units - poured;
        if let Some(i) = run.filter(|_| poured > 0) {
            let level = column.runs[i].top.max(column.runs[i].first);
            let cell = column.cell_mut(level);
            cell.amount += poured as i32;
            cell.heat += poured * pour.heat_each;
            self.account.poured += poured;
            self.account.heat_poured += i128::from(poured * pour.heat_each);
            if column.runs.len() == i + 1 {
                column.skin = 0.0;
            }
            column.settle();
            column.refresh(&self.tables);
            self.leans[pour.column] = Lean::of(column);
        }
    }

    fn sub_step(&mut self, plan: &Plan, sub: SubStep) {
        let hot = self.cross(plan, sub);
        if !hot.is_empty() {
            self.limit(hot, sub.stamp);
        }
        self.gather(plan, sub);
    }

    /// Empties the columns at the sides of the box.
    fn drain(&mut self, plan: &Plan) {
        for &c in plan.active.iter().filter(|&&c| plan.at_side[c as usize]) {
            let column = &mut self.columns[c as usize];
            if column.is_wet() {
                self.account.out += column.amount();
                self.account.heat_out += column.heat();
                for cell in &mut column.cells {
                    (cell.amount, cell.heat) = (0, 0);
                }
                column.refresh(&self.tables);
            }
        }
    }

    /// Largest speeds of the surface, from the slopes at the step's start: 1.5 ρ g S M/h.
    fn note_speeds(&mut self, plan: &Plan) {
        let meter = self.space.dx_m / self.setup.step_s;
        for &c in &plan.active {
            let (column, fall) = (&self.columns[c as usize], plan.fall(c as usize));
            if let Some(run) = column.runs.last().filter(|run| run.is_wet()) {
                let depth = run.depth as f64;
                let speed = 1.5 * run.fluidity.to_f64() * depth * depth * fall.min(self.tables.cliff) as f64 * meter;
                let mark = &mut self.marks[c as usize];
                mark.speed = speed as f32;
                mark.max_speed = mark.max_speed.max(mark.speed);
            }
        }
    }

    /// Works out runs and records of active columns after heat and setting.
    fn refresh_active(&mut self, plan: &Plan) {
        let Self { columns, leans, tables, .. } = self;
        on_strips(
            &plan.strips,
            (columns.as_mut_slice(), leans.as_mut_slice()),
            &|strip| strip.active.len(),
            &|strip, (columns, leans)| {
                for &c in &plan.active[strip.active.clone()] {
                    let i = c as usize - strip.columns.start;
                    leans[i] = columns[i].refresh_with_lean(tables);
                }
            },
            &|(), ()| (),
        );
    }

    /// Finds what is wet after a round.
    pub(crate) fn note_wet(&mut self, plan: &Plan) {
        let Self { leans, wet, .. } = self;
        wet.clear();
        wet.extend(plan.active.iter().copied().filter(|&c| leans[c as usize].has_liquid()));
    }

    fn note_arrivals(&mut self, plan: &Plan) {
        self.note_wet(plan);
        self.changed_area.extend(self.wet.iter().copied());
        self.changed_area.list(&mut self.changed);
        let now = self.time_s();
        for &c in &self.wet {
            let mark = &mut self.marks[c as usize];
            if mark.arrival_s.is_infinite() {
                mark.arrival_s = now;
            }
        }
    }
}

/// The sub-steps of a round that begins at a time: their times and the coarsest levels that move. Stamp and key are the caller's.
pub(crate) fn sub_steps(plan: &Plan, time: u64) -> impl Iterator<Item = SubStep> + use<> {
    let &Plan { due, round, finest, .. } = plan;
    (0..1u64 << (finest - round)).map(move |i| {
        let level = if i == 0 { due } else { finest - i.trailing_zeros() as i32 };
        SubStep { stamp: 0, key: 0, level, time: time + i * (WHOLE >> finest) }
    })
}

/// The random key of a sub-step, by its number in the step.
pub(crate) fn sub_key(seed: u64, step: u64, number: u64) -> u64 {
    let key = mix64(mix64(seed ^ 0x6c61_7661).wrapping_add(step.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
    mix64(key.wrapping_add(number))
}
