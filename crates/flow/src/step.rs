//! Sequence of a step: sub-steps with vents and fluxes, then outflow at open sides, heat exchange
//! and solidification.

use smallvec::SmallVec;

use super::{Flow, FlowPour, Mark, covered_above_m};
use crate::cooling::heat::{BATCH, Cool, Losses};
use crate::cooling::solidify::ColdLaw;
use crate::motion::demand::Ground;
use crate::motion::plan::{FINEST, Plan, Pour, is_at_side, run_of_pour};
use crate::motion::soft_float::SoftFloat;
use crate::motion::strips::{TASK, on_strips};
use crate::motion::tables::Tables;
use crate::store::blocks::{Blocks, BlocksMut};
use crate::store::column::{Column, UNIT};
use crate::store::column_summary::ColumnSummary;
use crate::store::undo::Before;
use lavoxel_base::parallel::*;
use lavoxel_base::random::mix64;

/// Length of a whole step as a fixed-point time with [`FINEST`] fractional bits.
pub(crate) const WHOLE: u64 = 1 << FINEST;

/// Largest amount in units that one vent adds to a column in a sub-step: an eighth of the range of
/// an `i32` amount.
const LARGEST_POUR: i64 = 1 << 28;

/// Part of a step in which the columns at time level `level` and finer levels move: `stamp`
/// identifies the sub-step, `key` is the key of its random numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SubStep {
    pub(crate) stamp: u32,
    pub(crate) key: u64,
    pub(crate) level: i32,
    /// Start time of the sub-step within its step: 0 is the start of the step, `WHOLE` the end.
    pub(crate) time: u64,
}

impl Flow {
    /// Advances the flow by one step, whose length the [clock](Flow::clock) gives; `pours`: volumes
    /// from vents in this step. Leaves the flow unchanged if a stop is requested while the step
    /// runs ([`Flow::was_stopped`]).
    pub fn step(&mut self, pours: &[FlowPour]) {
        let (length_s, whole_s) = (self.clock.length_s(self.steps), self.setup.step_s);
        if length_s == whole_s {
            return self.make_step(pours);
        }
        self.set_length(length_s);
        self.make_step(pours);
        self.set_length(whole_s);
    }

    /// Sets the length of the following steps to `step_s` seconds, and recomputes the tables and
    /// column values that depend on the step length.
    fn set_length(&mut self, step_s: f64) {
        self.setup.step_s = step_s;
        self.tables = Tables::new(self.space, &self.setup);
        self.find_runs();
    }

    fn make_step(&mut self, pours: &[FlowPour]) {
        let many = if self.may_stir_anywhere() || self.setup.lava.loses_heat() {
            self.wet.len()
        } else {
            self.plan.active.len()
        };
        if many < TASK {
            self.step_here(pours);
        } else {
            enter(|| self.step_here(pours));
        }
    }

    fn step_here(&mut self, pours: &[FlowPour]) {
        let pours = self.pours(pours);
        self.reach(pours.iter().map(|pour| pour.column as u32));
        let mut plan = std::mem::replace(&mut self.plan, Plan::new(0));
        self.changed_area.reset(self.space.nx, self.space.nz);
        // All wet columns are candidates, too, where they are few beside the active ones.
        let looks_at_all = self.may_stir_anywhere() || self.wet.len() < 2 * plan.active.len();
        plan.begin(self.ground(), looks_at_all.then_some(&self.wet), &pours);
        plan.rested
            .iter()
            .for_each(|&c| self.marks[c as usize].speed = 0.0);
        self.was_stopped = false;
        if plan.active.is_empty() && !self.ends_everywhere() {
            self.steps += 1;
            self.changed.clear();
            self.plan = plan;
            return;
        }
        // The state before is kept so that a step that is asked to stop can be undone.
        let mut before = self.before(&plan);
        let faces = self.account.faces;
        let is_made = self.make_rounds(&mut plan, &pours, before.as_mut());
        self.was_stopped = !is_made;
        match before.filter(|_| !is_made) {
            Some(before) => self.undo(before),
            None => {
                self.work = self.account.faces - faces;
                plan.end(self.space, self.ends_everywhere().then_some(&self.wet));
                self.changed_area.join(&plan.stirred);
                self.finish(&plan);
            }
        }
        self.plan = plan;
    }

    /// Makes all sub-steps of a step; returns false if a stop was requested before the last
    /// sub-step. `before`: undo list, to which the columns are copied before they change.
    pub(crate) fn make_rounds(
        &mut self,
        plan: &mut Plan,
        pours: &[Pour],
        mut before: Option<&mut Before>,
    ) -> bool {
        let (mut time, mut number) = (0, 0);
        while !plan.active.is_empty() {
            let mut known = plan.reached.iter().copied().peekable();
            self.reach(plan.active.iter().copied().filter(|&c| {
                while known.next_if(|&other| other < c).is_some() {}
                known.peek() != Some(&c)
            }));
            plan.reached.clone_from(&plan.active);
            if let Some(before) = &mut before {
                before.keep(&plan.active, &self.columns);
            }
            for sub in sub_steps(plan, time) {
                if before.is_some() && self.is_to_stop() {
                    return false;
                }
                // The stamp tells parts of this sub-step from old ones, so that faces need no
                // clearing.
                self.next_stamp();
                let sub = SubStep {
                    stamp: self.stamp,
                    key: sub_key(self.setup.seed, self.steps, number),
                    ..sub
                };
                self.pour(pours, plan, sub);
                self.sub_step(plan, sub);
                number += 1;
            }
            time += WHOLE >> plan.round;
            if time == WHOLE {
                break;
            }
            plan.go_on(self.ground(), pours, time);
        }
        self.account.sub_steps += number;
        true
    }

    /// Read-only view of the columns, their summaries and the tables, from which the sub-steps are
    /// planned.
    pub(crate) fn ground(&self) -> Ground<'_> {
        Ground {
            space: self.space,
            columns: &self.columns,
            leans: &self.leans,
            tables: &self.tables,
            open_sides: self.setup.open_sides,
        }
    }

    /// Returns true if columns with liquid may have changed since the sub-steps of the last step:
    /// by heat exchange or by an edit.
    fn may_stir_anywhere(&self) -> bool {
        self.is_disturbed || self.solids.is_some()
    }

    /// Returns true if the end of this step concerns all columns with liquid, not the active ones
    /// alone.
    pub(crate) fn ends_everywhere(&self) -> bool {
        self.may_stir_anywhere() || self.setup.lava.loses_heat()
    }

    /// Increments the stamp, which identifies the present sub-step. At the largest `u32` the count
    /// restarts from 1, and the stamps of all faces are cleared.
    fn next_stamp(&mut self) {
        if self.stamp == u32::MAX {
            self.faces
                .iter_mut()
                .for_each(|(_, faces)| faces.iter_mut().for_each(|face| face.stamp = 0));
            self.stamp = 0;
        }
        self.stamp += 1;
    }

    /// Converts the volumes and temperatures of `pours` to units of amount and heat; drops pours
    /// outside the box and pours of less than one unit.
    pub(crate) fn pours(&self, pours: &[FlowPour]) -> Vec<Pour> {
        let inside = pours
            .iter()
            .filter(|pour| pour.column < self.space.columns());
        inside
            .map(|pour| Pour::new(self.space, &self.setup.lava, pour))
            .filter(|pour| pour.units > 0)
            .collect()
    }

    /// Finishes a step after its sub-steps: outflow at open sides, heat exchange, solidification,
    /// arrival times and speeds.
    pub(crate) fn finish(&mut self, plan: &Plan) {
        self.steps += 1;
        if self.setup.open_sides {
            self.drain(plan);
        }
        let cold = if self.solids.is_some() {
            self.end_melting(plan)
        } else {
            self.end_cooling(plan)
        };
        self.set(&cold);
        self.note_arrivals(&cold);
        // Colder lava may come to rest, and a cold cell sets as soon as it touches rock, so the next
        // step plans all columns with liquid again.
        self.is_disturbed = self.setup.lava.loses_heat() || !cold.is_empty();
        self.note_changes(plan);
        self.wake_melted();
    }

    /// Records surface speeds and applies the heat losses of a step. Returns the numbers of the
    /// columns that may solidify.
    fn end_cooling(&mut self, plan: &Plan) -> Vec<u32> {
        let notes = Notes::new(self, plan);
        let is_cooling = self.setup.lava.loses_heat();
        let wetted = if is_cooling {
            self.wetted(plan)
        } else {
            Vec::new()
        };
        let Self {
            space,
            setup,
            columns,
            marks,
            leans,
            tables,
            account,
            ..
        } = self;
        let cool = Cool::new(*space, setup, &tables.crust, notes.now_s);
        let ended = each_wet(
            plan,
            is_cooling,
            (columns, marks, leans),
            tables,
            &|wet, columns, marks, ended| {
                for &(_, c) in wet {
                    ended.note_speed(
                        c,
                        notes.speed(c, &columns[c as usize], &mut marks[c as usize]),
                    );
                }
                if is_cooling {
                    // Hot lava comes up through the columns of a vent, even under an older crust.
                    let is_fed = |c: u32| plan.fed.binary_search(&c).is_ok();
                    wet.iter()
                        .filter(|(_, c)| is_fed(*c))
                        .for_each(|&(_, c)| columns[c as usize].lid = 0);
                    let cooling = wet.iter().filter(|(_, c)| !is_fed(*c));
                    let cooling = cooling.map(|&(i, c)| (c as usize, marks[c as usize], wetted[i]));
                    ended.losses = ended.losses.plus(cool.columns(columns, cooling));
                }
                for &(_, c) in wet {
                    notes.arrival(c, &columns[c as usize], &mut marks[c as usize], ended);
                }
            },
        );
        account.heat_sky += i128::from(ended.losses.sky);
        account.heat_roof += i128::from(ended.losses.roof);
        account.heat_bed += i128::from(ended.losses.bed);
        account.heat_set += i128::from(ended.losses.set);
        self.watch.note(ended.max_reynolds, notes.now_s);
        ended.cold
    }

    /// Share (0 to 1) of the area of each active column that is covered by liquid, in the order of
    /// `plan.active`.
    fn wetted(&self, plan: &Plan) -> Vec<f64> {
        let ground = self.ground();
        plan.active
            .par_iter()
            .with_min_len(TASK)
            .map(|&c| ground.wetted(c as usize))
            .collect()
    }

    /// Records surface speeds, and exchanges heat between liquid, solid, ground and air, in a step
    /// of a lava that melts. Returns the numbers of the columns that may solidify.
    fn end_melting(&mut self, plan: &Plan) -> Vec<u32> {
        let notes = Notes::new(self, plan);
        let Self {
            columns,
            marks,
            leans,
            tables,
            ..
        } = self;
        let moved = each_wet(
            plan,
            true,
            (columns, marks, leans),
            tables,
            &|wet, columns, marks, ended| {
                for &(_, c) in wet {
                    ended.note_speed(
                        c,
                        notes.speed(c, &columns[c as usize], &mut marks[c as usize]),
                    );
                }
            },
        );
        self.watch.note(moved.max_reynolds, notes.now_s);
        self.exchange_heat();
        let Self {
            columns,
            marks,
            leans,
            tables,
            ..
        } = self;
        let ended = each_wet(
            plan,
            true,
            (columns, marks, leans),
            tables,
            &|wet, columns, marks, ended| {
                for &(_, c) in wet {
                    notes.arrival(c, &columns[c as usize], &mut marks[c as usize], ended);
                }
            },
        );
        ended.cold
    }

    /// Adds to the columns, for each of `pours`, the amount that belongs to the sub-step `sub`.
    pub(crate) fn pour(&mut self, pours: &[Pour], plan: &Plan, sub: SubStep) {
        for pour in pours {
            let level = plan.level(pour.column);
            if level >= sub.level {
                // Differences of a running total, so that the sub-steps add up to the whole pour.
                let up_to =
                    |time: u64| ((i128::from(pour.units) * i128::from(time)) >> FINEST) as i64;
                self.pour_into(pour, up_to(sub.time + (WHOLE >> level)) - up_to(sub.time));
            }
        }
    }

    /// Adds `units` units of amount to the column of `pour`, or books the units as blocked if the
    /// column is full up to the top of the box.
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
            column.settle();
            column.refresh(&self.tables);
            self.leans[pour.column] = ColumnSummary::from_column(column);
        }
    }

    fn sub_step(&mut self, plan: &Plan, sub: SubStep) {
        let hot = self.cross(plan, sub);
        if !hot.is_empty() {
            self.limit(hot, sub.stamp);
        }
        self.gather(plan, sub);
    }

    /// Removes the liquid from the active columns at the sides of the box, and books its amount and
    /// heat as outflow.
    fn drain(&mut self, plan: &Plan) {
        let notes = Notes::new(self, plan);
        for &c in plan
            .active
            .iter()
            .filter(|&&c| is_at_side(self.space, c as usize))
        {
            let column = &mut self.columns[c as usize];
            if column.is_wet() {
                notes.speed(c, column, &mut self.marks[c as usize]);
                self.account.out += column.amount();
                self.account.heat_out += column.heat();
                for cell in &mut column.cells {
                    (cell.amount, cell.heat) = (0, 0);
                }
                column.crust = 0;
                self.leans[c as usize] = column.refresh_with_lean(&self.tables);
            }
        }
    }

    /// Records the arrival of lava in `columns`, which had cold lava in this step and may have
    /// solidified. Lava that arrived and solidified in the same step counts once it covers the
    /// column.
    fn note_arrivals(&mut self, columns: &[u32]) {
        let now_s = self.time_s();
        let least = (covered_above_m(self.space.dz_m) / self.space.dz_m * UNIT as f64) as i64;
        for &c in columns {
            let mark = &mut self.marks[c as usize];
            if self.columns[c as usize].is_wet() {
                mark.note_arrival(now_s);
            } else if mark.set >= least {
                mark.note_rock(now_s);
            }
        }
    }

    fn note_changes(&mut self, plan: &Plan) {
        if !plan.active.is_empty() {
            let Self {
                leans,
                wet,
                changed_area,
                ..
            } = self;
            let old = std::mem::take(wet);
            let is_wet = |c: &u32| leans[*c as usize].has_liquid();
            changed_area.extend(plan.active.iter().copied().filter(is_wet));
            // Columns that were not active are as wet as before, so two sorted lists are merged.
            let mut rest = old.into_iter().peekable();
            for &c in &plan.active {
                wet.extend(std::iter::from_fn(|| rest.next_if(|&other| other < c)));
                rest.next_if_eq(&c);
                wet.extend(is_wet(&c).then_some(c));
            }
            wet.extend(rest);
        }
        self.changed_area.list(&mut self.changed);
    }
}

/// Parameters from which the surface speed, Reynolds number and arrival time of each wet column are
/// computed at the end of a step.
struct Notes<'a> {
    plan: &'a Plan,
    cliff: i64,
    /// Speed in m/s of a liquid that crosses one column width per step.
    meter: f64,
    /// Reynolds number of a run with a surface speed of 1 m/s, a depth of one unit of height and
    /// the value 1 as fluidity.
    inertia: f64,
    now_s: f64,
    cold_law: ColdLaw,
}

impl<'a> Notes<'a> {
    fn new(flow: &Flow, plan: &'a Plan) -> Self {
        let meter = flow.space.dx_m / flow.setup.step_s;
        // ρ q/η, where the mean speed of a film is two thirds of its surface's speed.
        let unit_m = flow.space.dz_m / UNIT as f64;
        let inertia = 2.0 / 3.0 * flow.setup.lava.density_kg_m3 * unit_m
            / flow.tables.viscosity_pa_s(SoftFloat::from_units(1));
        Self {
            plan,
            cliff: flow.tables.cliff,
            meter,
            inertia,
            now_s: flow.time_s(),
            cold_law: flow.cold_law(),
        }
    }

    /// Stores the surface speed 1.5 ρ g S M/h of column `c` in `mark`, by the slope S at the start
    /// of the step. Returns the Reynolds number of the uppermost run; 0 for a dry run.
    fn speed(&self, c: u32, column: &Column, mark: &mut Mark) -> f64 {
        let Some(run) = column.runs.last().filter(|run| run.is_wet()) else {
            return 0.0;
        };
        let (depth, fall) = (
            run.depth as f64,
            self.plan.fall(c as usize).min(self.cliff) as f64,
        );
        let fluidity = run.fluidity.to_f64();
        let speed = 1.5 * fluidity * depth * depth * fall * self.meter;
        mark.speed = speed as f32;
        mark.max_speed = mark.max_speed.max(mark.speed);
        self.inertia * speed * depth * fluidity
    }

    /// Stores the arrival time of lava in column `c` in `mark`; a column with lava at or below the
    /// solidus is added to `ended.cold` instead, since that lava may solidify in this step.
    fn arrival(&self, c: u32, column: &Column, mark: &mut Mark, ended: &mut Ended) {
        if column.has_cold(self.cold_law) {
            ended.cold.push(c);
        } else {
            mark.note_arrival(self.now_s);
        }
    }
}

/// Results from the columns with liquid at the end of a step, merged over all threads.
#[derive(Default)]
struct Ended {
    losses: Losses,
    /// Numbers of the columns that contain liquid at or below the solidus.
    cold: Vec<u32>,
    /// Largest Reynolds number, and the number of its column.
    max_reynolds: (f64, u32),
}

impl Ended {
    fn plus(mut self, more: Self) -> Self {
        self.cold.extend(more.cold);
        self.note_speed(more.max_reynolds.1, more.max_reynolds.0);
        Self {
            losses: self.losses.plus(more.losses),
            ..self
        }
    }

    fn note_speed(&mut self, c: u32, reynolds: f64) {
        if reynolds > self.max_reynolds.0 {
            self.max_reynolds = (reynolds, c);
        }
    }
}

/// Calls `work` for all active columns with liquid, in batches of (index in `plan.active`, column
/// number), and then recomputes the runs and summaries of these columns.
fn each_wet(
    plan: &Plan,
    changes: bool,
    (columns, marks, leans): (
        &mut Blocks<Column>,
        &mut Blocks<Mark>,
        &mut Blocks<ColumnSummary>,
    ),
    tables: &Tables,
    work: &(
         impl Fn(&[(usize, u32)], &mut BlocksMut<'_, Column>, &mut BlocksMut<'_, Mark>, &mut Ended)
         + Sync
     ),
) -> Ended {
    on_strips(
        &plan.strips,
        (columns.view_mut(), (marks.view_mut(), leans.view_mut())),
        &|strip| strip.these.len(),
        &|strip, (mut columns, (mut marks, mut leans))| {
            let mut ended = Ended::default();
            let mut places = strip.these.clone();
            // Batches, because the crusts of several columns are solved in vectors.
            loop {
                let of_place = |place: usize| (place, plan.active[place]);
                let is_wet = |&(_, c): &(usize, u32)| leans[c as usize].has_liquid();
                let wet: SmallVec<[_; BATCH]> = places
                    .by_ref()
                    .map(of_place)
                    .filter(is_wet)
                    .take(BATCH)
                    .collect();
                if wet.is_empty() {
                    return ended;
                }
                work(&wet, &mut columns, &mut marks, &mut ended);
                for &(_, c) in wet.iter().filter(|_| changes) {
                    leans[c as usize] = columns[c as usize].refresh_with_lean(tables);
                }
            }
        },
        &Ended::plus,
    )
}

/// Iterator over the sub-steps of a round (the group of sub-steps that share a plan) that begins at
/// `time`: sets for each the start time and the coarsest time level that the sub-step updates. The
/// caller sets stamp and key.
pub(crate) fn sub_steps(plan: &Plan, time: u64) -> impl Iterator<Item = SubStep> + use<> {
    let &Plan {
        due, round, finest, ..
    } = plan;
    (0..1u64 << (finest - round)).map(move |i| {
        let level = if i == 0 {
            due
        } else {
            finest - i.trailing_zeros() as i32
        };
        SubStep {
            stamp: 0,
            key: 0,
            level,
            time: time + i * (WHOLE >> finest),
        }
    })
}

/// Key of the random numbers of a sub-step: a hash of the seed, the step number and the sub-step's
/// `number` within the step.
pub(crate) fn sub_key(seed: u64, step: u64, number: u64) -> u64 {
    let key =
        mix64(mix64(seed ^ 0x6c61_7661).wrapping_add(step.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
    mix64(key.wrapping_add(number))
}
