//! Which columns and faces move in which sub-step: every column has a time level of its own.
//!
//! A step of Δt has sub-steps of Δt/2^l. A column gets the smallest level `l` that is stable for it; its neighbours are at most
//! one level behind, and theirs two; a face moves at the finer level of its two columns.
//!
//! A step has rounds, as long as a fast front may run before the columns ahead of it must move too. A round begins with new
//! levels for the columns whose own sub-step ends there. The others have moved for longer already and keep their levels, so
//! that a fast front costs nothing elsewhere. Levels come from the state at the round's start, so they do not depend on any
//! order.

use super::area::Area;
use super::column::{Column, Run, UNIT};
use super::face::head_beside;
use super::lean::Lean;
use super::mag::Mag;
use super::strips::{ASLEEP, Strip, TASK, lay_out, share_out};
use super::tables::Tables;
use super::{FlowBox, HEAT_UNITS};
use crate::parallel::*;

/// The finest level.
pub(crate) const FINEST: i32 = 17;

/// Power of two of the sub-steps that a front may make before the plan adds the columns ahead of it. A wave crosses a third
/// of a column at most in each, a front a third of that, and two columns ahead are awake.
const AHEAD: i32 = 3;

/// Power of two of the sub-steps of the finest level in a round, at most.
const ROUND: i32 = 8;

/// Passes of smoothing: as many columns around a fast one have a level near its own.
const SMOOTH: usize = 2;

/// What is poured into one column in a step, in units.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pour {
    pub(crate) column: usize,
    pub(crate) level: Option<usize>,
    pub(crate) units: i64,
    pub(crate) heat_each: i64,
}

/// The plan of a step, as of its latest round.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plan {
    /// Columns that were wet or poured into in this step, or are at most two away from one of these; ascending.
    pub(crate) active: Vec<u32>,
    /// They share the columns of the box.
    pub(crate) strips: Vec<Strip>,
    /// The finest level in use.
    pub(crate) finest: i32,
    /// The round takes Δt/2^round.
    pub(crate) round: i32,
    /// The coarsest level that moves in this round.
    pub(crate) due: i32,
    /// Level of each column of the box, or [`ASLEEP`].
    levels: Vec<u8>,
    /// Largest slope of the head from each active column downwards, as a difference of heights.
    falls: Vec<i64>,
    awake: Area,
    /// Columns that were wet or poured into in this step.
    pub(crate) wet: Area,
    /// Whether a column is at a side of the box.
    pub(crate) at_side: Vec<bool>,
    /// Active columns that get a level in this round, ascending.
    planned: Vec<u32>,
    /// These and columns near them, ascending.
    listed: Vec<u32>,
    near: Area,
    around: Area,
    /// What the planned columns ask for.
    own: Vec<Own>,
    smooth: Vec<u8>,
}

/// What a column by itself asks of the plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Own {
    /// The level that is stable for it.
    pub(crate) level: u8,
    /// Whether it is wet and a neighbour is dry.
    pub(crate) is_front: bool,
    /// The largest difference of heads to a neighbour.
    pub(crate) fall: i64,
}

/// What the plan reads.
#[derive(Clone, Copy)]
pub(crate) struct Ground<'a> {
    pub(crate) space: FlowBox,
    pub(crate) columns: &'a [Column],
    pub(crate) leans: &'a [Lean],
    pub(crate) tables: &'a Tables,
}

/// Whether each column is at a side of the box.
fn columns_at_side(space: FlowBox) -> Vec<bool> {
    let FlowBox { nx, nz, .. } = space;
    (0..nx * nz).map(|c| c < nx || c + nx >= nx * nz || c % nx == 0 || c % nx + 1 == nx).collect()
}

impl Plan {
    /// Makes the plan of the first round of a step.
    pub(crate) fn begin(&mut self, ground: Ground<'_>, wet: &[u32], pours: &[Pour]) {
        let space = ground.space;
        if self.levels.len() != space.columns() {
            self.levels = vec![ASLEEP; space.columns()];
            self.falls = vec![0; space.columns()];
            self.at_side = columns_at_side(space);
        }
        for &c in &self.active {
            self.levels[c as usize] = ASLEEP;
        }
        self.wet.reset(space.nx, space.nz);
        self.wet.extend(wet.iter().copied().chain(pours.iter().map(|pour| pour.column as u32)));
        self.wake();
        self.make(ground, pours, 0);
    }

    /// Makes the plan of a later round, which begins at a time of the step in [`FINEST`] bits.
    pub(crate) fn go_on(&mut self, ground: Ground<'_>, pours: &[Pour], time: u64) {
        let leans = ground.leans;
        // Nothing but what was listed has moved.
        if self.wet.extend(self.listed.iter().copied().filter(|&c| leans[c as usize].has_liquid())) {
            self.wake();
        }
        self.make(ground, pours, time);
    }

    /// Wakes what is near wet columns.
    fn wake(&mut self) {
        self.awake.around(&self.wet);
        self.awake.list(&mut self.active);
    }

    fn make(&mut self, ground: Ground<'_>, pours: &[Pour], time: u64) {
        let space = ground.space;
        self.due = FINEST - (time.trailing_zeros() as i32).min(FINEST);
        let (levels, due) = (&self.levels, self.due as u8);
        self.planned.clear();
        // Those that were asleep are among them.
        self.planned.extend(self.active.iter().copied().filter(|&c| levels[c as usize] >= due));
        self.set_levels(ground, pours);
        (0..SMOOTH).for_each(|_| self.smooth(space));
        self.finest = self.planned.iter().map(|&c| self.level(c as usize)).max().unwrap_or(0).max(self.due);
        let of_front = self.planned.iter().zip(&self.own).filter(|(_, own)| own.is_front);
        let of_front = of_front.map(|(_, own)| i32::from(own.level)).max().unwrap_or(0);
        // A round begins at a multiple of its own length.
        self.round = (of_front - AHEAD).max(self.finest - ROUND).max(self.due);
        self.finest = self.finest.max(self.round);
        self.list(space);
    }

    /// Lists what moves in this round: the faces of planned columns.
    fn list(&mut self, space: FlowBox) {
        if self.due == 0 {
            self.listed.clone_from(&self.active);
        } else {
            self.near.reset(space.nx, space.nz);
            self.near.extend(self.planned.iter().copied());
            self.around.around(&self.near);
            self.around.list(&mut self.listed);
            let levels = &self.levels;
            self.listed.retain(|&c| levels[c as usize] != ASLEEP);
        }
        share_out(&mut self.strips, space, &self.listed);
        lay_out(&mut self.strips, space, &self.levels, &self.listed, self.due as u8);
    }

    /// Shares all active columns out to the strips, for what follows the rounds.
    pub(crate) fn end(&mut self, space: FlowBox) {
        share_out(&mut self.strips, space, &self.active);
    }

    /// Gives these columns the levels that they ask for by themselves.
    fn set_levels(&mut self, ground: Ground<'_>, pours: &[Pour]) {
        let at_side = &self.at_side;
        let level_all = |(own, &c): (&mut Own, &u32)| *own = own_level_of(ground, at_side[c as usize], c as usize);
        self.own.resize(self.planned.len(), Own::default());
        self.own.par_iter_mut().zip(&self.planned).with_min_len(TASK).for_each(level_all);
        for (&c, own) in self.planned.iter().zip(&self.own) {
            self.levels[c as usize] = own.level.max(self.due as u8);
            self.falls[c as usize] = own.fall;
        }
        for pour in pours.iter().filter(|pour| self.planned.binary_search(&(pour.column as u32)).is_ok()) {
            let level = &mut self.levels[pour.column];
            *level = (*level).max(level_of_pour(&ground.columns[pour.column], pour));
        }
    }

    /// Lets none of them be more than one level behind a neighbour.
    fn smooth(&mut self, space: FlowBox) {
        let (levels, at_side) = (&self.levels, &self.at_side);
        let smooth = |(smooth, &c): (&mut u8, &u32)| {
            // One behind; nothing for a neighbour that sleeps.
            let behind = |n: usize| levels[n].wrapping_add(1).saturating_sub(2);
            let c = c as usize;
            *smooth = if at_side[c] {
                neighbours(space, c).into_iter().flatten().map(behind).fold(levels[c], u8::max)
            } else {
                let near = [c - space.nx, c - 1, c + 1, c + space.nx];
                near.into_iter().map(behind).fold(levels[c], u8::max)
            };
        };
        self.smooth.resize(self.planned.len(), 0);
        self.smooth.par_iter_mut().zip(&self.planned).with_min_len(TASK).for_each(smooth);
        for (&c, &level) in self.planned.iter().zip(&self.smooth) {
            self.levels[c as usize] = level;
        }
    }

    /// Whether a column moves at all.
    #[cfg(test)]
    pub(crate) fn is_active(&self, column: usize) -> bool {
        self.levels[column] != ASLEEP
    }

    /// The level of an active column.
    pub(crate) fn level(&self, column: usize) -> i32 {
        i32::from(self.levels[column])
    }

    /// Largest slope of the head from an active column downwards when it got its level.
    pub(crate) fn fall(&self, column: usize) -> i64 {
        self.falls[column]
    }

    /// What each column that got a level in this round asked for.
    #[cfg(test)]
    pub(crate) fn own(&self) -> impl Iterator<Item = (usize, Own)> {
        self.planned.iter().map(|&c| c as usize).zip(self.own.iter().copied())
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

/// What a column asks of the plan.
#[inline]
fn own_level_of(ground: Ground<'_>, at_side: bool, c: usize) -> Own {
    let own = if at_side { None } else { lean_level(ground, c) };
    own.unwrap_or_else(|| own_level(ground, c))
}

/// The level that is stable for a column: explicit diffusion with `D = ρ g h³/(3η)` and a wave of speed `ρ g h² S/η`; and the
/// largest difference of heads to a neighbour, of the uppermost run; and whether a neighbour is dry.
pub(crate) fn own_level(ground: Ground<'_>, c: usize) -> Own {
    let Ground { space, columns, tables, .. } = ground;
    let near = || neighbours(space, c).into_iter().flatten();
    let is_front = columns[c].is_wet() && near().any(|n| !columns[n].is_wet());
    let mut own = Own { is_front, ..Own::default() };
    let uppermost = columns[c].runs.len().wrapping_sub(1);
    for (i, run) in columns[c].runs.iter().enumerate().filter(|(_, run)| run.is_wet()) {
        let fall = near().map(|n| run.head - head_beside(&columns[n], run)).fold(0, i64::max);
        let touching = || near().flat_map(|n| &columns[n].runs);
        let stiffness = under_pressure(run, touching);
        own.level = own.level.max(stable_level(tables, run.depth, run.fluidity, stiffness, fall));
        if i == uppermost {
            own.fall = fall;
        }
    }
    own
}

/// The same of a column of one run inside of the box, from its record and those of its neighbours.
#[inline]
fn lean_level(ground: Ground<'_>, c: usize) -> Option<Own> {
    let Ground { space, leans, tables, .. } = ground;
    let lean = &leans[c];
    let nx = space.nx;
    if !lean.is_one_run() {
        return None;
    }
    if !lean.is_wet() {
        return Some(Own::default());
    }
    let near = [&leans[c - nx], &leans[c - 1], &leans[c + 1], &leans[c + nx]];
    let is_front = near.iter().any(|near| !near.has_liquid());
    let lowest = near.iter().map(|near| near.head_beside(lean.head)).fold(lean.head, i64::min);
    let fall = lean.head - lowest;
    Some(Own { level: stable_level(tables, lean.depth(), lean.fluidity, 0, fall), is_front, fall })
}

/// By how many powers of two a run spreads faster than liquid under the sky.
///
/// Between two full runs diffusion is `D/4` (roof) times 16 (slot). Between a full run and one that is not, the mean of h³ is up
/// to 4.5 times that of the former, at the end of a tunnel in a pond: one power more leaves less than 1e-4 of the fluxes
/// capped. Two would leave none, and a lava field with roofs would take half as many faces again.
fn under_pressure<'a, R: Iterator<Item = &'a Run>>(run: &Run, touching: impl Fn() -> R) -> i32 {
    let is_beside = |other: &&Run| run.roof.min(other.roof) > run.floor.max(other.floor);
    match run.full {
        false => 0,
        true if touching().filter(is_beside).any(|other| !other.full) => 3,
        true => 2,
    }
}

#[inline]
fn stable_level(tables: &Tables, depth: i64, fluidity: Mag, stiffness: i32, fall: i64) -> u8 {
    let depth = Mag::from_units(depth as u64);
    let layer = fluidity.times(depth.squared());
    let spread = layer.times(depth).shifted(stiffness).times(tables.diffusion);
    let wave = layer.times(Mag::from_units(fall.min(tables.steepest) as u64)).times(tables.wave);
    spread.max(wave).power_above().min(FINEST) as u8
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
