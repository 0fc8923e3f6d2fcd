//! Which columns and faces move in which sub-step: every column has a time level of its own.
//!
//! A step of Δt has sub-steps of Δt/2^l. A column gets the smallest level `l` that is stable for it; a neighbour is at most
//! one level behind; a face moves at the finer level of its two columns. Levels come from the state at the step's start,
//! so they do not depend on any order.

use super::column::{Column, UNIT};
use super::face::head_beside;
use super::mag::Mag;
use super::tables::Tables;
use super::{FlowBox, HEAT_UNITS};
use crate::parallel::*;

/// The finest level.
pub(crate) const FINEST: i32 = 17;

/// Sub-steps that a front may make before the plan adds the columns ahead of it: it crosses a quarter of a column in each, and
/// two columns ahead are awake.
const AHEAD: i32 = 3;

/// Sub-steps of the finest level after which the plan computes levels again.
const ROUND: i32 = 8;

/// Rows of columns that one thread works on at a time.
pub(crate) const ROWS: usize = 8;

/// What is poured into one column in a step, in units.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pour {
    pub(crate) column: usize,
    pub(crate) level: Option<usize>,
    pub(crate) units: i64,
    pub(crate) heat_each: i64,
}

/// Numbers sorted by level, the finest first.
#[derive(Clone, Debug, Default)]
pub(crate) struct ByLevel {
    items: Vec<u32>,
    ends: [usize; FINEST as usize + 2],
}

impl ByLevel {
    /// Sorts items that ascend, by counting.
    fn sort(&mut self, unsorted: &[(u8, u32)]) {
        self.ends = [0; FINEST as usize + 2];
        for &(level, _) in unsorted {
            self.ends[usize::from(level)] += 1;
        }
        for level in (0..FINEST as usize).rev() {
            self.ends[level] += self.ends[level + 1];
        }
        self.items.clear();
        self.items.resize(unsorted.len(), 0);
        let mut next = self.ends;
        next.rotate_left(1);
        for &(level, item) in unsorted {
            let place = &mut next[usize::from(level)];
            self.items[*place] = item;
            *place += 1;
        }
    }

    /// All of a level and finer ones.
    #[inline]
    pub(crate) fn due(&self, level: i32) -> &[u32] {
        &self.items[..self.ends[level as usize]]
    }

    /// All of one level.
    #[inline]
    pub(crate) fn of(&self, level: i32) -> &[u32] {
        &self.items[self.ends[level as usize + 1]..self.ends[level as usize]]
    }
}

/// The work of [`ROWS`] rows of columns.
#[derive(Clone, Debug, Default)]
pub(crate) struct Strip {
    /// Faces: twice the number of the column, plus one for the face towards south.
    pub(crate) faces: ByLevel,
    pub(crate) columns: ByLevel,
}

/// The plan of a step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plan {
    /// Columns that are wet, poured into, or at most two away from one of these; ascending.
    pub(crate) active: Vec<u32>,
    /// Largest slope of the head from each active column downwards, as a difference of heights.
    pub(crate) falls: Vec<i64>,
    pub(crate) strips: Vec<Strip>,
    /// The finest level in use.
    pub(crate) finest: i32,
    /// The coarsest level in use: the plan holds for Δt/2^coarsest.
    pub(crate) coarsest: i32,
    /// Level of each column of the box; of the active ones only.
    levels: Vec<u8>,
    /// Whether a column is active.
    marks: Vec<bool>,
}

impl Plan {
    /// Makes the plan of a round that begins at a time of a step, in [`FINEST`] bits.
    pub(crate) fn make(
        &mut self,
        space: FlowBox,
        columns: &[Column],
        tables: &Tables,
        wet: &[u32],
        pours: &[Pour],
        time: u64,
    ) {
        self.marks.resize(space.columns(), false);
        self.levels.resize(space.columns(), 0);
        self.strips.resize_with(space.nz.div_ceil(ROWS), Strip::default);
        self.activate(space, wet, pours);
        let own: Vec<(u8, i64, bool)> =
            self.active.par_iter().with_min_len(256).map(|&c| own_level(space, columns, tables, c as usize)).collect();
        self.falls.clear();
        self.falls.extend(own.iter().map(|&(_, fall, _)| fall));
        let of_front = own.iter().filter(|&&(.., is_front)| is_front).map(|&(level, ..)| i32::from(level)).max();
        for (&c, &(level, ..)) in self.active.iter().zip(&own) {
            self.levels[c as usize] = level;
        }
        for pour in pours {
            let level = level_of_pour(&columns[pour.column], pour);
            let of_column = &mut self.levels[pour.column];
            *of_column = (*of_column).max(level);
        }
        self.smooth(space);
        // A round begins at a multiple of its own length.
        let aligned = FINEST - (time.trailing_zeros() as i32).min(FINEST);
        self.coarsest = (of_front.unwrap_or(0) - AHEAD).max(self.finest - ROUND).max(aligned).max(0);
        self.finest = self.finest.max(self.coarsest);
        for &c in &self.active {
            let level = &mut self.levels[c as usize];
            *level = (*level).max(self.coarsest as u8);
        }
        self.list(space);
    }

    fn activate(&mut self, space: FlowBox, wet: &[u32], pours: &[Pour]) {
        for &c in &self.active {
            self.marks[c as usize] = false;
        }
        self.active.clear();
        let mut from = 0;
        for c in wet.iter().copied().chain(pours.iter().map(|pour| pour.column as u32)) {
            if !std::mem::replace(&mut self.marks[c as usize], true) {
                self.active.push(c);
            }
        }
        for _ in 0..2 {
            let to = self.active.len();
            for i in from..to {
                for c in neighbours(space, self.active[i] as usize).into_iter().flatten() {
                    if !std::mem::replace(&mut self.marks[c], true) {
                        self.active.push(c as u32);
                    }
                }
            }
            from = to;
        }
        self.active.sort_unstable();
    }

    /// Lets no column be more than one level behind a neighbour.
    fn smooth(&mut self, space: FlowBox) {
        let smooth = |&c: &u32| {
            let near = neighbours(space, c as usize).into_iter().flatten().filter(|&n| self.marks[n]);
            near.map(|n| self.levels[n].saturating_sub(1)).fold(self.levels[c as usize], u8::max)
        };
        let levels: Vec<u8> = self.active.iter().map(smooth).collect();
        self.finest = i32::from(levels.iter().copied().max().unwrap_or(0));
        for (&c, level) in self.active.iter().zip(levels) {
            self.levels[c as usize] = level;
        }
    }

    fn list(&mut self, space: FlowBox) {
        let (levels, marks, active) = (&self.levels, &self.marks, &self.active);
        self.strips.par_iter_mut().enumerate().for_each(|(s, strip)| {
            let first = (s * ROWS * space.nx) as u32;
            let start = active.partition_point(|&c| c < first);
            let end = active.partition_point(|&c| c < first + (ROWS * space.nx) as u32);
            let (mut faces, mut columns) = (Vec::new(), Vec::with_capacity(end - start));
            for &c in &active[start..end] {
                let of_face = |n: usize| levels[c as usize].max(levels[n]);
                let [west, east, north, south] = neighbours(space, c as usize).map(|n| n.filter(|&n| marks[n]));
                faces.extend(east.map(|n| (of_face(n), 2 * c)));
                faces.extend(south.map(|n| (of_face(n), 2 * c + 1)));
                let all = [west, east, north, south].into_iter().flatten();
                columns.push((all.map(of_face).fold(levels[c as usize], u8::max), c));
            }
            strip.faces.sort(&faces);
            strip.columns.sort(&columns);
        });
    }

    /// Whether a column moves at all.
    #[cfg(test)]
    pub(crate) fn is_active(&self, column: usize) -> bool {
        self.marks[column]
    }

    /// The level of an active column.
    pub(crate) fn level(&self, column: usize) -> i32 {
        i32::from(self.levels[column])
    }
}

/// The columns west, east, north and south of a column.
#[inline]
pub(crate) fn neighbours(space: FlowBox, c: usize) -> [Option<usize>; 4] {
    let (x, z) = (c % space.nx, c / space.nx);
    [
        (x > 0).then(|| c.wrapping_sub(1)),
        (x + 1 < space.nx).then_some(c + 1),
        (z > 0).then(|| c.wrapping_sub(space.nx)),
        (z + 1 < space.nz).then_some(c + space.nx),
    ]
}

/// The level that is stable for a column: explicit diffusion with `D = ρ g h³/(3η)` and a wave of speed `ρ g h² S/η`; and the
/// largest difference of heads to a neighbour; and whether a neighbour is dry.
fn own_level(space: FlowBox, columns: &[Column], tables: &Tables, c: usize) -> (u8, i64, bool) {
    let (mut level, mut steepest) = (0, 0);
    let is_front = neighbours(space, c).into_iter().flatten().any(|n| !columns[n].is_wet());
    let uppermost = columns[c].runs.len().wrapping_sub(1);
    for (i, run) in columns[c].runs.iter().enumerate().filter(|(_, run)| run.is_wet()) {
        let fall = neighbours(space, c)
            .into_iter()
            .flatten()
            .map(|n| run.head - head_beside(&columns[n], run))
            .fold(0, i64::max);
        let depth = Mag::from_units(run.depth as u64);
        let pressed = if run.full { 2 } else { 0 };
        let layer = run.fluidity.times(depth.squared());
        let spread = layer.times(depth).shifted(pressed).times(tables.diffusion);
        let wave = layer.times(Mag::from_units(fall.min(tables.steepest) as u64)).times(tables.wave);
        level = level.max(spread.max(wave).power_above());
        if i == uppermost {
            steepest = fall;
        }
    }
    (level.min(FINEST) as u8, steepest, is_front)
}

/// The level at which no sub-step pours more than half of what is there, or a sixteenth of a cell.
fn level_of_pour(column: &Column, pour: &Pour) -> u8 {
    let depth = run_of_pour(column, pour).map_or(0, |i| column.runs[i].depth);
    let most = (depth / 2).max(UNIT / 16) as u64;
    Mag::from_units(pour.units as u64).over(Mag::from_units(most)).power_above().min(FINEST) as u8
}

/// The run that is poured into: that at the level or the next above, else the uppermost.
pub(crate) fn run_of_pour(column: &Column, pour: &Pour) -> Option<usize> {
    let last = column.runs.len().checked_sub(1)?;
    let Some(level) = pour.level else { return Some(last) };
    Some(column.runs.iter().position(|run| (level as i32) < run.end).unwrap_or(last))
}

impl Pour {
    /// What is poured from `before` to `after` cubic metres.
    pub(crate) fn new(space: FlowBox, lava: &super::Lava, pour: &super::FlowPour) -> Self {
        let units = |volume: f64| (volume / space.unit_m3()).clamp(0.0, 9e15) as i64;
        let kelvin = pour.temperature_k.clamp(super::lava::LEAST_KELVIN, super::lava::MOST_KELVIN);
        Self {
            column: pour.column,
            level: pour.level,
            units: (units(pour.after_m3) - units(pour.before_m3)).max(0),
            heat_each: (lava.heat_at(kelvin) * HEAT_UNITS as f64) as i64,
        }
    }
}
