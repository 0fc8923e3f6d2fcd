//! A step as a recipe: sources and fluxes in sub-steps, then open sides, heat and setting.

use smallvec::SmallVec;

use super::column::{Column, UNIT, heat_of};
use super::face::Pair;
use super::plan::{FINEST, Plan, Pour, ROWS, neighbours, run_of_pour};
use super::tables::Tables;
use super::{Flow, FlowBox, FlowPour};
use crate::parallel::*;
use crate::random::mix64;

/// Fewest faces of a sub-step for which threads are worth their start.
const WORTH_THREADS: usize = 400;

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
pub(crate) struct Face {
    stamp: u64,
    /// Ages of the crust of the face's column and of its neighbour.
    skins: [f32; 2],
    parts: SmallVec<[Part; 2]>,
}

/// Counts of a pass.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    faces: u64,
    fluxes: u64,
    capped: u64,
}

/// A sub-step: its number among all, its random key, and the coarsest level that moves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SubStep {
    pub(crate) stamp: u64,
    pub(crate) key: u64,
    pub(crate) level: i32,
    /// When it begins, as a share of the step in [`FINEST`] bits.
    pub(crate) time: u64,
}

impl Flow {
    /// One step of [`super::FlowSetup::step_s`] seconds.
    pub fn step(&mut self, pours: &[FlowPour]) {
        let pours = self.pours(pours);
        let mut plan = std::mem::take(&mut self.plan);
        self.changed.clear();
        let (mut time, mut number) = (0, 0);
        while time < WHOLE {
            plan.make(self.space, &self.columns, &self.tables, &self.wet, &pours, time);
            for sub in sub_steps(&plan, time) {
                self.stamp += 1;
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
        }
    }

    fn sub_step(&mut self, plan: &Plan, sub: SubStep) {
        let due: usize = plan.strips.iter().map(|strip| strip.faces.due(sub.level).len()).sum();
        let hot = self.cross(plan, sub, due >= WORTH_THREADS);
        if !hot.is_empty() {
            self.limit(hot, sub.stamp);
        }
        self.gather(plan, sub, due >= WORTH_THREADS);
    }

    /// Works out what crosses each face that is due; gives the columns that may give more than they have.
    fn cross(&mut self, plan: &Plan, sub: SubStep, threads: bool) -> Vec<u32> {
        let Self { space, columns, faces, tables, account, .. } = self;
        let (space, columns, tables) = (*space, &*columns, &*tables);
        let length = 2 * ROWS * space.nx;
        let work = |(s, faces): (usize, &mut [Face])| {
            let (mut count, mut hot) = (Count::default(), Vec::new());
            for level in sub.level..=plan.finest {
                for &number in plan.strips[s].faces.of(level) {
                    let face = &mut faces[number as usize - s * length];
                    cross_face(space, columns, tables, number as usize, level, sub, face, &mut count, &mut hot);
                }
            }
            (count, hot)
        };
        let join = |(mut count, mut hot): (Count, Vec<u32>), (more, hotter): (Count, Vec<u32>)| {
            count.faces += more.faces;
            count.fluxes += more.fluxes;
            count.capped += more.capped;
            hot.extend(hotter);
            (count, hot)
        };
        let (count, hot) = if threads {
            let strips: Vec<_> = faces.par_chunks_mut(length).enumerate().map(work).collect();
            strips.into_iter().fold(Default::default(), join)
        } else {
            faces.chunks_mut(length).enumerate().map(work).fold(Default::default(), join)
        };
        account.faces += count.faces;
        account.fluxes += count.fluxes;
        account.capped += count.capped;
        hot
    }

    /// Scales what leaves cells that would give more than they hold, by one factor for all faces, rounded down.
    fn limit(&mut self, mut hot: Vec<u32>, stamp: u64) {
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
                        let parts = face.parts.iter().filter(|part| is_given(part, sign));
                        given += parts.map(|part| i64::from(part.amount.abs())).sum::<i64>();
                    }
                }
                if given <= i64::from(cell.amount) {
                    continue;
                }
                for &(number, sign) in around.iter().flatten() {
                    let face = &mut self.faces[number];
                    if face.stamp == stamp {
                        for part in face.parts.iter_mut().filter(|part| is_given(part, sign)) {
                            let amount = (i64::from(part.amount.abs()) * i64::from(cell.amount) / given) as i32;
                            part.amount = sign * amount;
                            part.heat = i64::from(sign) * heat_of(amount, cell);
                        }
                    }
                }
            }
        }
    }

    /// Moves what crosses into every column that is due, lets it settle, and refreshes its runs.
    fn gather(&mut self, plan: &Plan, sub: SubStep, threads: bool) {
        let Self { space, columns, faces, tables, account, .. } = self;
        let (space, faces, tables) = (*space, &*faces, &*tables);
        let length = ROWS * space.nx;
        let work = |(s, columns): (usize, &mut [Column])| {
            let due = plan.strips[s].columns.due(sub.level);
            due.iter()
                .map(|&c| {
                    gather_column(space, faces, tables, sub.stamp, c as usize, &mut columns[c as usize - s * length])
                })
                .sum::<i64>()
        };
        let lost: i64 = if threads {
            columns.par_chunks_mut(length).enumerate().map(work).sum()
        } else {
            columns.chunks_mut(length).enumerate().map(work).sum()
        };
        account.heat_sky += i128::from(lost);
    }

    /// Empties the columns at the sides of the box.
    fn drain(&mut self, plan: &Plan) {
        let FlowBox { nx, nz, .. } = self.space;
        for &c in &plan.active {
            let (x, z) = (c as usize % nx, c as usize / nx);
            let column = &mut self.columns[c as usize];
            if (x == 0 || z == 0 || x + 1 == nx || z + 1 == nz) && column.is_wet() {
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

    /// Finds what is wet after a round.
    pub(crate) fn note_wet(&mut self, plan: &Plan) {
        let before = std::mem::take(&mut self.wet);
        let columns = &self.columns;
        self.wet = plan.active.iter().copied().filter(|&c| columns[c as usize].is_wet()).collect();
        self.changed.extend(before);
        self.changed.extend(&self.wet);
    }

    fn note_arrivals(&mut self, plan: &Plan) {
        self.note_wet(plan);
        self.changed.sort_unstable();
        self.changed.dedup();
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

#[expect(
    clippy::too_many_arguments,
    reason = "the innermost loop of a step: its state is a struct's worth, by reference"
)]
#[inline]
fn cross_face(
    space: FlowBox,
    columns: &[Column],
    tables: &Tables,
    number: usize,
    level: i32,
    sub: SubStep,
    face: &mut Face,
    count: &mut Count,
    hot: &mut Vec<u32>,
) {
    face.stamp = sub.stamp;
    face.parts.clear();
    let (c, n, pair) = pair_of(space, columns, number);
    if tables.carries_skin {
        face.skins = [pair.here.skin, pair.there.skin];
    }
    count.faces += 1;
    pair.fluxes(tables, level, |flux| {
        count.fluxes += 1;
        count.capped += u64::from(flux.is_capped);
        let (giver, number_of_giver, sign) = if flux.is_forward { (pair.here, c, 1) } else { (pair.there, n, -1) };
        pair.parts(&flux, sub.key, number, |level, amount| {
            let cell = giver.cell(level);
            if amount > cell.amount / 4 && hot.last() != Some(&(number_of_giver as u32)) {
                hot.push(number_of_giver as u32);
            }
            face.parts.push(Part { level, amount: sign * amount, heat: i64::from(sign) * heat_of(amount, cell) });
        });
    });
}

/// Gives the heat of cells that were emptied to the last unit, which is lost to the sky.
#[inline]
fn gather_column(space: FlowBox, faces: &[Face], tables: &Tables, stamp: u64, c: usize, column: &mut Column) -> i64 {
    let (mut has_moved, mut came, mut aged) = (false, 0.0, 0.0);
    let before = if tables.carries_skin { column.amount() as f64 } else { 0.0 };
    for (number, sign) in faces_of(space, c).into_iter().flatten() {
        let face = &faces[number];
        if face.stamp != stamp {
            continue;
        }
        for part in &face.parts {
            has_moved = true;
            let cell = column.cell_mut(part.level);
            cell.amount -= sign * part.amount;
            cell.heat -= i64::from(sign) * part.heat;
            if tables.carries_skin && sign * part.amount < 0 {
                let amount = f64::from(part.amount.abs());
                came += amount;
                aged += amount * f64::from(face.skins[if sign > 0 { 1 } else { 0 }]);
            }
        }
    }
    if !has_moved {
        return 0;
    }
    if came > 0.0 {
        column.skin = ((before * f64::from(column.skin) + aged) / (before + came)) as f32;
    }
    let lost = column.drop_rests();
    column.settle();
    column.refresh(tables);
    lost
}
