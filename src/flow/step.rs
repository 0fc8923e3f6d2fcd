//! A step as a recipe: sources and fluxes in sub-steps, then open sides, heat and setting.

use super::column::{Column, UNIT, heat_of};
use super::face::{Flux, LeanPair, Pair};
use super::lean::Lean;
use super::plan::{Cut, FINEST, Ground, Plan, Pour, SIDE, TASK, neighbours, on_strips, run_of_pour};
use super::tables::Tables;
use super::{Flow, FlowBox, FlowCell, FlowPour, UNITS};
use crate::parallel::*;
use crate::random::mix64;

/// A whole step in [`FINEST`] bits.
pub(crate) const WHOLE: u64 = 1 << FINEST;

/// Most that a pour adds at once.
const LARGEST_POUR: i64 = 1 << 28;

/// What crosses a face from one cell to the cell of the same level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) level: i32,
    /// Positive from the column of the face to its neighbour.
    pub(crate) amount: i32,
    /// With the sign of the amount.
    pub(crate) heat: i64,
}

/// What crosses a face in the sub-step `stamp`.
#[derive(Clone, Debug, Default)]
#[repr(align(64))]
pub(crate) struct Face {
    stamp: u32,
    /// Level of the first of two parts; the other is one above.
    level: i32,
    amounts: [i32; 2],
    heats: [i64; 2],
    /// Ages of the crust of the face's column and of its neighbour.
    skins: [f32; 2],
    /// Parts of a face of the general path; the two above are then nothing.
    parts: Vec<Part>,
}

impl Face {
    /// All parts that are something.
    #[inline]
    fn for_parts(&self, mut each: impl FnMut(Part)) {
        for i in 0..2 {
            if self.amounts[i] != 0 {
                each(Part { level: self.level + i as i32, amount: self.amounts[i], heat: self.heats[i] });
            }
        }
        self.parts.iter().copied().for_each(each);
    }

    /// Changes all parts.
    fn change_parts(&mut self, change: impl Fn(Part) -> Part) {
        for i in 0..2 {
            let part = change(Part { level: self.level + i as i32, amount: self.amounts[i], heat: self.heats[i] });
            (self.amounts[i], self.heats[i]) = (part.amount, part.heat);
        }
        self.parts.iter_mut().for_each(|part| *part = change(*part));
    }
}

/// The faces of neighbouring columns, two a column.
struct Faces<'a>(&'a mut [Face]);

impl Cut for Faces<'_> {
    fn cut(self, columns: usize) -> (Self, Self) {
        let (few, more) = self.0.split_at_mut(2 * columns);
        (Faces(few), Faces(more))
    }
}

/// Counts of a pass.
#[derive(Clone, Debug, Default)]
struct Count {
    faces: u64,
    fluxes: u64,
    capped: u64,
    /// Columns that may give more than they have, some of them more than once.
    hot: Vec<u32>,
}

impl Count {
    fn plus(mut self, more: Self) -> Self {
        self.hot.extend(more.hot);
        let [faces, fluxes, capped] = [self.faces + more.faces, self.fluxes + more.fluxes, self.capped + more.capped];
        Self { faces, fluxes, capped, hot: self.hot }
    }
}

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
            time += WHOLE >> plan.coarsest;
            self.note_wet(&plan);
        }
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

    /// Works out what crosses each face that is due; gives the columns that may give more than they have.
    fn cross(&mut self, plan: &Plan, sub: SubStep) -> Vec<u32> {
        let Self { space, columns, leans, faces, tables, account, .. } = self;
        let cross = Cross { space: *space, columns, leans, tables, sub };
        let count = on_strips(
            &plan.strips,
            Faces(faces),
            &|strip| strip.due_faces(sub.level),
            &|strip, Faces(faces)| {
                let mut count = Count { faces: strip.due_faces(sub.level) as u64, ..Count::default() };
                let first = strip.columns.start;
                let [to_east, to_south] = &strip.faces;
                for level in sub.level..=plan.finest {
                    for &c in to_east.of(level) {
                        let face = &mut faces[2 * ((c & !SIDE) as usize - first)];
                        cross.face::<false>(c, level, face, &mut count);
                    }
                    for &c in to_south.of(level) {
                        let face = &mut faces[2 * ((c & !SIDE) as usize - first) + 1];
                        cross.face::<true>(c, level, face, &mut count);
                    }
                }
                count
            },
            &Count::plus,
        );
        account.faces += count.faces;
        account.fluxes += count.fluxes;
        account.capped += count.capped;
        count.hot
    }

    /// Scales what leaves cells that would give more than they hold, by one factor for all faces, rounded down.
    fn limit(&mut self, mut hot: Vec<u32>, stamp: u32) {
        hot.sort_unstable();
        hot.dedup();
        for c in hot {
            let around = faces_of(self.space, c as usize);
            let column = &self.columns[c as usize];
            for level in column.base..column.end() {
                let cell = column.cell(level);
                let mut given = 0i64;
                let is_given = |part: &Part, sign: i32| part.level == level && part.amount * sign > 0;
                for &(number, sign) in around.iter().flatten() {
                    let face = &self.faces[number];
                    if face.stamp == stamp {
                        face.for_parts(|part| {
                            if is_given(&part, sign) {
                                given += i64::from(part.amount.abs());
                            }
                        });
                    }
                }
                if given <= i64::from(cell.amount) {
                    continue;
                }
                for &(number, sign) in around.iter().flatten() {
                    let face = &mut self.faces[number];
                    if face.stamp == stamp {
                        face.change_parts(|part| {
                            if !is_given(&part, sign) {
                                return part;
                            }
                            let amount = (i64::from(part.amount.abs()) * i64::from(cell.amount) / given) as i32;
                            Part { level, amount: sign * amount, heat: i64::from(sign) * heat_of(amount, cell) }
                        });
                    }
                }
            }
        }
    }

    /// Moves what crosses into every column that is due, lets it settle, and refreshes its runs.
    fn gather(&mut self, plan: &Plan, sub: SubStep) {
        let Self { space, columns, leans, faces, tables, account, .. } = self;
        let gather = Gather { space: *space, faces, tables, stamp: sub.stamp };
        let lost = on_strips(
            &plan.strips,
            (columns.as_mut_slice(), leans.as_mut_slice()),
            &|strip| strip.moved.due(sub.level),
            &|strip, (columns, leans)| {
                let first = strip.columns.start;
                let mut lost = 0;
                for level in sub.level..=plan.finest {
                    for &c in strip.moved.of(level) {
                        let i = (c & !SIDE) as usize - first;
                        lost += gather.column(c, &mut columns[i], &mut leans[i]);
                    }
                }
                lost
            },
            &|a: i64, b| a + b,
        );
        account.heat_sky += i128::from(lost);
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
        for (&c, &fall) in plan.active.iter().zip(&plan.falls) {
            let column = &self.columns[c as usize];
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
        let Self { leans, wet, changed_area, .. } = self;
        changed_area.join(&plan.wet);
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

/// The sub-steps of a plan that begins at a time: their times and the coarsest levels that move. Stamp and key are the caller's.
pub(crate) fn sub_steps(plan: &Plan, time: u64) -> impl Iterator<Item = SubStep> + use<> {
    let (coarsest, finest) = (plan.coarsest, plan.finest);
    (0..1u64 << (finest - coarsest)).map(move |i| {
        let level = if i == 0 { coarsest } else { finest - i.trailing_zeros() as i32 };
        SubStep { stamp: 0, key: 0, level, time: time + i * (WHOLE >> finest) }
    })
}

/// The random key of a sub-step, by its number in the step.
pub(crate) fn sub_key(seed: u64, step: u64, number: u64) -> u64 {
    let key = mix64(mix64(seed ^ 0x6c61_7661).wrapping_add(step.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
    mix64(key.wrapping_add(number))
}

/// The faces of a column by their numbers, ascending, with the sign of what leaves it.
fn faces_of(space: FlowBox, c: usize) -> [Option<(usize, i32)>; 4] {
    let [west, east, north, south] = neighbours(space, c);
    [north.map(|n| (2 * n + 1, -1)), west.map(|n| (2 * n, -1)), east.map(|_| (2 * c, 1)), south.map(|_| (2 * c + 1, 1))]
}

/// The two columns of a face by its number, and the pair.
#[inline]
pub(crate) fn pair_of(space: FlowBox, columns: &[Column], number: usize) -> (usize, usize, Pair<'_>) {
    let (c, is_south) = (number / 2, number % 2 == 1);
    let (ahead, along) = if is_south { (space.nx, 1) } else { (1, space.nx) };
    let inside = if is_south {
        c % space.nx > 0 && c % space.nx + 1 < space.nx
    } else {
        c >= space.nx && c + space.nx < columns.len()
    };
    let n = c + ahead;
    let beside = inside.then(|| [&columns[c - along], &columns[c + along], &columns[n - along], &columns[n + along]]);
    (c, n, Pair { here: &columns[c], there: &columns[n], beside })
}

/// What the faces of a sub-step read.
struct Cross<'a> {
    space: FlowBox,
    columns: &'a [Column],
    leans: &'a [Lean],
    tables: &'a Tables,
    sub: SubStep,
}

impl Cross<'_> {
    /// Works out what crosses the face of a column towards south or east at its level; the column is that of a strip's list.
    #[inline(always)]
    fn face<const SOUTH: bool>(&self, c: u32, level: i32, face: &mut Face, count: &mut Count) {
        if c & SIDE != 0 || !self.lean_face::<SOUTH>(c as usize, level, face, count) {
            self.any_face(2 * (c & !SIDE) as usize + usize::from(SOUTH), level, face, count);
        }
    }

    /// The same for columns of one run under the sky; gives whether they are.
    #[inline(always)]
    fn lean_face<const SOUTH: bool>(&self, c: usize, level: i32, face: &mut Face, count: &mut Count) -> bool {
        let (nx, number) = (self.space.nx, 2 * c + usize::from(SOUTH));
        let n = if SOUTH { c + nx } else { c + 1 };
        let (here, there, beside) = if SOUTH {
            let [before, after] = [c - 1, n - 1].map(|first| &self.leans[first..first + 3]);
            (&before[1], &after[1], [&before[0], &before[2], &after[0], &after[2]])
        } else {
            let [before, both, after] = [c - nx, c, c + nx].map(|first| &self.leans[first..first + 2]);
            (&both[0], &both[1], [&before[0], &after[0], &before[1], &after[1]])
        };
        if !(here.is_one_run() && there.is_one_run()) {
            return false;
        }
        if !here.is_wet() && !there.is_wet() {
            return true;
        }
        let pair = LeanPair { here, there, beside };
        let Some(flux) = pair.flux(self.tables, level) else { return true };
        count.fluxes += 1;
        count.capped += u64::from(flux.is_capped);
        let (giver, number_of_giver, sign) = if flux.is_forward { (here, c, 1) } else { (there, n, -1) };
        face.stamp = self.sub.stamp;
        face.parts.clear();
        if self.tables.carries_skin {
            face.skins = [self.columns[c].skin, self.columns[n].skin];
        }
        if !giver.is_whole() {
            self.tall_parts(&flux, number, face, count);
            return true;
        }
        let (lowest, amounts) = pair.parts(&flux, self.sub.key, number);
        let warmths = if lowest == giver.levels().0 { giver.warmth } else { [giver.warmth[1]; 2] };
        face.level = lowest;
        face.amounts = [sign * amounts[0], sign * amounts[1]];
        face.heats = [i64::from(sign) * warmths[0].times(amounts[0]), i64::from(sign) * warmths[1].times(amounts[1])];
        let is_hot = |i: usize| i64::from(amounts[i]) > giver.amount(lowest + i as i32) / 4;
        if is_hot(0) || amounts[1] > 0 && is_hot(1) {
            count.hot.push(number_of_giver as u32);
        }
        true
    }

    /// Shares out what crosses a face from a column of more cells than a record holds.
    #[inline(never)]
    fn tall_parts(&self, flux: &Flux, number: usize, face: &mut Face, count: &mut Count) {
        face.amounts = [0; 2];
        face.heats = [0; 2];
        let (c, n, pair) = pair_of(self.space, self.columns, number);
        self.any_parts(flux, number, &pair, [c, n], face, count);
    }

    fn any_parts(
        &self,
        flux: &Flux,
        number: usize,
        pair: &Pair<'_>,
        [c, n]: [usize; 2],
        face: &mut Face,
        count: &mut Count,
    ) {
        let (giver, number_of_giver, sign) = if flux.is_forward { (pair.here, c, 1) } else { (pair.there, n, -1) };
        pair.parts(flux, self.sub.key, number, |level, amount| {
            let cell = giver.cell(level);
            if amount > cell.amount / 4 {
                count.hot.push(number_of_giver as u32);
            }
            face.parts.push(Part { level, amount: sign * amount, heat: i64::from(sign) * heat_of(amount, cell) });
        });
    }

    #[inline(never)]
    fn any_face(&self, number: usize, level: i32, face: &mut Face, count: &mut Count) {
        face.stamp = self.sub.stamp;
        face.amounts = [0; 2];
        face.heats = [0; 2];
        face.parts.clear();
        let (c, n, pair) = pair_of(self.space, self.columns, number);
        if self.tables.carries_skin {
            face.skins = [pair.here.skin, pair.there.skin];
        }
        pair.fluxes(self.tables, level, |flux| {
            count.fluxes += 1;
            count.capped += u64::from(flux.is_capped);
            self.any_parts(&flux, number, &pair, [c, n], face, count);
        });
    }
}

/// What the columns of a sub-step read.
struct Gather<'a> {
    space: FlowBox,
    faces: &'a [Face],
    tables: &'a Tables,
    stamp: u32,
}

impl Gather<'_> {
    /// Moves what crosses the faces of a column. Gives the heat of cells that were emptied to the last unit, which is lost to
    /// the sky.
    #[inline(always)]
    fn column(&self, c: u32, column: &mut Column, lean: &mut Lean) -> i64 {
        if c & SIDE != 0 {
            let c = (c & !SIDE) as usize;
            return self.any_column(faces_of(self.space, c).into_iter().flatten(), column, lean);
        }
        let (c, nx) = (c as usize, self.space.nx);
        let faces = [(2 * (c - nx) + 1, -1), (2 * (c - 1), -1), (2 * c, 1), (2 * c + 1, 1)];
        self.lean_column(c, column, lean).unwrap_or_else(|| self.any_column(faces.into_iter(), column, lean))
    }

    /// The same for a column of one run under the sky that has two cells of liquid at most, before and after.
    #[inline(always)]
    fn lean_column(&self, c: usize, column: &mut Column, lean: &mut Lean) -> Option<i64> {
        if !lean.is_whole() || self.tables.carries_skin {
            return None;
        }
        let first = lean.floor.div_euclid(UNIT) as i32;
        let start = (first - column.base) as usize;
        let cell = |i: usize| column.cells.get(start + i).copied().unwrap_or_default();
        let (mut lower, mut upper, mut has_moved) = (cell(0), cell(1), false);
        let nx = self.space.nx;
        let mut take = |face: &Face, sign: i32| {
            if face.stamp != self.stamp {
                return true;
            }
            has_moved = true;
            let [amount, more] = [sign * face.amounts[0], sign * face.amounts[1]];
            let [heat, more_heat] = [i64::from(sign) * face.heats[0], i64::from(sign) * face.heats[1]];
            if face.level == first {
                (lower.amount, lower.heat) = (lower.amount + amount, lower.heat + heat);
                (upper.amount, upper.heat) = (upper.amount + more, upper.heat + more_heat);
            } else {
                (upper.amount, upper.heat) = (upper.amount + amount, upper.heat + heat);
            }
            (face.level == first || face.level == first + 1 && more == 0) && face.parts.is_empty()
        };
        let own = &self.faces[2 * c..2 * c + 2];
        let is_lean = take(&self.faces[2 * (c - nx) + 1], 1)
            && take(&self.faces[2 * (c - 1)], 1)
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
            let heat = if amount == upper.amount { upper.heat } else { heat_of(amount, upper) };
            move_up(&mut lower, &mut upper, -amount, -heat);
        }
        if upper.amount > UNITS {
            return None;
        }
        *column.cell_mut(first) = lower;
        if upper.amount > 0 || column.cells.len() > start + 1 {
            *column.cell_mut(first + 1) = upper;
        }
        *lean = column.refresh_open(lower, upper, self.tables);
        Some(lost)
    }

    #[inline(never)]
    fn any_column(&self, around: impl Iterator<Item = (usize, i32)>, column: &mut Column, lean: &mut Lean) -> i64 {
        let carries_skin = self.tables.carries_skin;
        let (mut has_moved, mut came, mut aged) = (false, 0.0, 0.0);
        let before = if carries_skin { column.amount() as f64 } else { 0.0 };
        for (number, sign) in around {
            let face = &self.faces[number];
            if face.stamp != self.stamp {
                continue;
            }
            face.for_parts(|part| {
                has_moved = true;
                let cell = column.cell_mut(part.level);
                cell.amount -= sign * part.amount;
                cell.heat -= i64::from(sign) * part.heat;
                if carries_skin && sign * part.amount < 0 {
                    let amount = f64::from(part.amount.abs());
                    came += amount;
                    aged += amount * f64::from(face.skins[if sign > 0 { 1 } else { 0 }]);
                }
            });
        }
        if !has_moved {
            return 0;
        }
        if came > 0.0 {
            column.skin = ((before * f64::from(column.skin) + aged) / (before + came)) as f32;
        }
        let lost = column.drop_rests();
        column.settle();
        *lean = column.refresh_with_lean(self.tables);
        lost
    }
}

/// Moves liquid from a cell to the one above, or back.
#[inline]
fn move_up(lower: &mut FlowCell, upper: &mut FlowCell, amount: i32, heat: i64) {
    lower.amount -= amount;
    lower.heat -= heat;
    upper.amount += amount;
    upper.heat += heat;
}
