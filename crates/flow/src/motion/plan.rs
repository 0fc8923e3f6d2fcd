//! Which columns and faces move in which sub-step: every column has a time level of its own.
//!
//! A step of Δt has sub-steps of Δt/2^l. A column gets the smallest level `l` that is right for it ([`crate::motion::demand`]); its
//! neighbours are at most one level behind, and theirs two; a face moves at the finer level of its two columns.
//!
//! Liquid that rests takes no part: columns stir where something crosses their faces, and only what is near these is active.
//! Where nothing near a column has changed, it rests as it did before, so that liquid at rest is not even looked over.
//!
//! A step has rounds, as long as a fast front may run before the columns ahead of it must move too. A round begins with new
//! levels for the columns whose own sub-step ends there. The others have moved for longer already and keep their levels, so
//! that a fast front costs nothing elsewhere; but deep liquid that put moves off takes a finer level as soon as more flows. Levels come from the state at the round's start, so they do not depend on any
//! order.

use crate::motion::demand::{Ground, Own};
use crate::motion::mag::Mag;
use crate::motion::strips::{ASLEEP, Strip, TASK, lay_out, share_out};
use crate::store::area::Area;
use crate::store::blocks::Blocks;
use crate::store::column::{Column, UNIT};
use crate::{FlowBox, HEAT_UNITS};
use lavoxel_base::parallel::*;

/// The finest level.
pub(crate) const FINEST: i32 = 17;

/// Power of two of the sub-steps that a front may make before the plan adds the columns ahead of it. A wave crosses
/// 0.42 of a column at most in each, a front a third of that, and two columns ahead are awake.
const AHEAD: i32 = 3;

/// Power of two of the sub-steps of the finest level in a round, at most.
const ROUND: i32 = 8;

/// Depth of liquid that is deep for what is poured into it.
const DEEP: i64 = 8 * UNIT;

/// Passes of smoothing: as many columns around a fast one have a level near its own.
const SMOOTH: usize = 2;

/// Pour into one column in a step, in units.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pour {
    pub(crate) column: usize,
    pub(crate) level: Option<usize>,
    pub(crate) units: i64,
    pub(crate) heat_each: i64,
}

/// Plan of a column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Planned {
    /// Largest slope of the head downwards, as a difference of heights, when it got its level.
    pub(crate) fall: i64,
    /// Its level, or [`ASLEEP`].
    pub(crate) level: u8,
    /// Whether something crosses one of its faces, as far as a round of this step has seen.
    pub(crate) stirs: bool,
    /// Whether it may put off moves, see [`Own::is_eased`].
    is_eased: bool,
}

impl Planned {
    /// That of a column that takes no part.
    const NONE: Self = Self { fall: 0, level: ASLEEP, stirs: false, is_eased: false };
}

/// The plan of a step, as of its latest round.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// Columns that stirred or were poured into in this step, or are at most two away from one of these; ascending.
    pub(crate) active: Vec<u32>,
    /// They share the columns of the box.
    pub(crate) strips: Vec<Strip>,
    /// The finest level in use.
    pub(crate) finest: i32,
    /// The round takes Δt/2^round.
    pub(crate) round: i32,
    /// The coarsest level that moves in this round.
    pub(crate) due: i32,
    /// Plan of each column of the box.
    columns: Blocks<Planned>,
    awake: Area,
    /// Columns that stirred or were poured into in this step.
    pub(crate) stirred: Area,
    /// Columns that are poured into in this step, ascending.
    pub(crate) fed: Vec<u32>,
    /// Columns that took part in the last step and rest now, ascending.
    pub(crate) rested: Vec<u32>,
    /// Active columns that get a level in this round, ascending.
    planned: Vec<u32>,
    /// These and columns near them, ascending.
    listed: Vec<u32>,
    near: Area,
    around: Area,
    /// Demands of the planned columns.
    own: Vec<Own>,
    smooth: Vec<u8>,
}

impl Plan {
    /// Sets of columns that it keeps, with that of a flow.
    pub(crate) const AREAS: u64 = 5;

    /// That of a box with so many columns, before its first step.
    pub(crate) fn new(columns: usize) -> Self {
        Self {
            active: Vec::new(),
            strips: Vec::new(),
            finest: 0,
            round: 0,
            due: 0,
            columns: Blocks::at_rest(columns, Planned::NONE),
            awake: Area::default(),
            stirred: Area::default(),
            fed: Vec::new(),
            rested: Vec::new(),
            planned: Vec::new(),
            listed: Vec::new(),
            near: Area::default(),
            around: Area::default(),
            own: Vec::new(),
            smooth: Vec::new(),
        }
    }

    /// Takes columns, ascending, for those that moved in the last step: they come to rest with the others.
    pub(crate) fn resume(&mut self, moved: impl Iterator<Item = u32>) {
        self.active.clear();
        self.active.extend(moved);
        let columns = &mut self.columns;
        self.active.iter().for_each(|&c| columns.set(c as usize, Planned { stirs: true, ..columns[c as usize] }));
    }

    /// Makes the plan of the first round of a step. `wet` are the columns in which anything but what this plan moved may have
    /// changed since the last step, if that is known only of all that are wet.
    pub(crate) fn begin(&mut self, ground: Ground<'_>, wet: Option<&[u32]>, pours: &[Pour]) {
        let space = ground.space;
        self.rested.clear();
        self.fed.clear();
        self.fed.extend(pours.iter().map(|pour| pour.column as u32));
        self.fed.sort_unstable();
        self.fed.dedup();
        if wet.is_none() && self.active.is_empty() && pours.is_empty() {
            return;
        }
        self.find_stirring(ground, wet);
        let Self { active, columns, .. } = self;
        // What sleeps has no slope either: the speed and the crust of lava at rest are read from it.
        let asleep = |planned: Planned| Planned { level: ASLEEP, fall: 0, ..planned };
        active.iter().for_each(|&c| columns.set(c as usize, asleep(columns[c as usize])));
        self.stirred.reset(space.nx, space.nz);
        let columns = &self.columns;
        let stirring = self.listed.iter().copied().filter(|&c| columns[c as usize].stirs);
        self.stirred.extend(stirring.chain(self.fed.iter().copied()));
        self.listed.clear();
        self.wake();
        self.make(ground, pours, 0);
    }

    /// Finds the columns that stir among those that may: they are listed.
    fn find_stirring(&mut self, ground: Ground<'_>, wet: Option<&[u32]>) {
        match wet {
            Some(wet) => {
                self.listed.clear();
                self.listed.extend_from_slice(wet);
            }
            None => {
                self.near.reset(ground.space.nx, ground.space.nz);
                self.near.extend(self.active.iter().copied());
                self.around.around(&self.near);
                self.around.list(&mut self.listed);
            }
        }
        let Self { active, rested, columns, listed, .. } = self;
        rested.extend_from_slice(active);
        rested.iter().for_each(|&c| columns.set(c as usize, Planned { stirs: false, ..columns[c as usize] }));
        let found: Vec<bool> = listed.par_iter().with_min_len(TASK).map(|&c| ground.stirs(c as usize)).collect();
        for (&c, stirs) in listed.iter().zip(found) {
            columns.set(c as usize, Planned { stirs, ..columns[c as usize] });
        }
        rested.retain(|&c| !columns[c as usize].stirs);
    }

    /// Makes the plan of a later round, which begins at a time of the step in [`FINEST`] bits.
    pub(crate) fn go_on(&mut self, ground: Ground<'_>, pours: &[Pour], time: u64) {
        // Nothing but what was listed has moved.
        let mut new = std::mem::take(&mut self.planned);
        new.clear();
        let columns = &self.columns;
        let resting = self.listed.iter().copied().filter(|&c| !columns[c as usize].stirs);
        new.extend(resting.filter(|&c| ground.stirs(c as usize)));
        for &c in &new {
            self.columns.set(c as usize, Planned { stirs: true, ..self.columns[c as usize] });
        }
        if self.stirred.extend(new.iter().copied()) {
            self.wake();
        }
        self.planned = new;
        self.make(ground, pours, time);
    }

    /// Wakes what is near columns that stir.
    fn wake(&mut self) {
        self.awake.around(&self.stirred);
        self.awake.list(&mut self.active);
    }

    fn make(&mut self, ground: Ground<'_>, pours: &[Pour], time: u64) {
        let space = ground.space;
        self.due = FINEST - (time.trailing_zeros() as i32).min(FINEST);
        let (columns, due) = (&self.columns, self.due as u8);
        self.planned.clear();
        // Those that were asleep are among them.
        self.planned.extend(self.active.iter().copied().filter(|&c| columns[c as usize].level >= due));
        self.plan_eased(ground);
        self.set_levels(ground, pours);
        (0..SMOOTH).for_each(|_| self.smooth(space));
        self.finest = self.planned.iter().map(|&c| self.level(c as usize)).max().unwrap_or(0).max(self.due);
        let of_front = self.planned.iter().zip(&self.own).filter(|(_, own)| own.is_front);
        let of_front = of_front.map(|(_, own)| i32::from(own.level));
        // What is poured on liquid at rest will run.
        let on_rest = pours.iter().map(|pour| pour.column).filter(|&c| !self.columns[c].stirs);
        let of_front = of_front.chain(on_rest.map(|c| self.level(c))).max().unwrap_or(0);
        // A round begins at a multiple of its own length.
        self.round = (of_front - AHEAD).max(self.finest - ROUND).max(self.due);
        self.finest = self.finest.max(self.round);
        self.list(space);
    }

    /// Adds columns that put moves off and through which more flows by now; after the columns around which nothing has moved,
    /// none are asked.
    fn plan_eased(&mut self, ground: Ground<'_>) {
        let Self { columns, due, .. } = self;
        let asks = |&c: &u32| {
            let Planned { level, stirs, is_eased, .. } = columns[c as usize];
            is_eased && stirs && i32::from(level) < *due && ground.own(c as usize, columns).level > level + 1
        };
        let more: Vec<u32> = self.listed.iter().copied().filter(asks).collect();
        if !more.is_empty() {
            self.planned.extend(more);
            self.planned.sort_unstable();
        }
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
            let columns = &self.columns;
            self.listed.retain(|&c| columns[c as usize].level != ASLEEP);
        }
        share_out(&mut self.strips, space, &self.listed);
        lay_out(&mut self.strips, space, &self.columns, &self.listed, self.due as u8);
    }

    /// About how many faces a step works out whose columns keep their levels.
    pub(crate) fn work(&self) -> u64 {
        let of_level = |level: i32| self.strips.iter().map(|strip| strip.faces_of(level)).sum::<usize>() as u64;
        (0..=self.finest).map(|level| of_level(level) << level).sum()
    }

    /// Shares all active columns out to the strips, for what follows the rounds, and those that are wet besides, if all cool.
    pub(crate) fn end(&mut self, space: FlowBox, wet: Option<&[u32]>) {
        if let Some(wet) = wet {
            self.near.reset(space.nx, space.nz);
            self.near.extend(wet.iter().chain(&self.active).copied());
            self.near.list(&mut self.active);
        }
        share_out(&mut self.strips, space, &self.active);
    }

    /// Gives these columns the levels that they ask for by themselves.
    fn set_levels(&mut self, ground: Ground<'_>, pours: &[Pour]) {
        let columns = &self.columns;
        let level_all = |(own, &c): (&mut Own, &u32)| *own = ground.own(c as usize, columns);
        self.own.resize(self.planned.len(), Own::default());
        self.own.par_iter_mut().zip(&self.planned).with_min_len(TASK).for_each(level_all);
        for (&c, own) in self.planned.iter().zip(&self.own) {
            let &Own { fall, is_eased, level, .. } = own;
            let level = level.max(self.due as u8);
            self.columns.set(c as usize, Planned { fall, level, is_eased, ..self.columns[c as usize] });
        }
        for pour in pours.iter().filter(|pour| self.planned.binary_search(&(pour.column as u32)).is_ok()) {
            let planned = &mut self.columns[pour.column];
            planned.level = planned.level.max(level_of_pour(&ground.columns[pour.column], pour));
        }
    }

    /// Lets none of them be more than one level behind a neighbour.
    fn smooth(&mut self, space: FlowBox) {
        let columns = &self.columns;
        let smooth = |(smooth, &c): (&mut u8, &u32)| {
            // One behind; nothing for a neighbour that sleeps.
            let behind = |n: usize| columns[n].level.wrapping_add(1).saturating_sub(2);
            let near = neighbours(space, c as usize).into_iter().flatten();
            *smooth = near.map(behind).fold(columns[c as usize].level, u8::max);
        };
        self.smooth.resize(self.planned.len(), 0);
        self.smooth.par_iter_mut().zip(&self.planned).with_min_len(TASK).for_each(smooth);
        for (&c, &level) in self.planned.iter().zip(&self.smooth) {
            self.columns[c as usize].level = level;
        }
    }

    /// Whether a column moves at all.
    #[cfg(test)]
    pub(crate) fn is_active(&self, column: usize) -> bool {
        self.columns[column].level != ASLEEP
    }

    /// Whether anything moves in a column.
    #[cfg(test)]
    pub(crate) fn stirs(&self, column: usize) -> bool {
        self.columns[column].stirs
    }

    /// The level of an active column.
    pub(crate) fn level(&self, column: usize) -> i32 {
        i32::from(self.columns[column].level)
    }

    /// Largest slope of the head from an active column downwards when it got its level.
    pub(crate) fn fall(&self, column: usize) -> i64 {
        self.columns[column].fall
    }

    /// Holds what each column that got a level in this round asked for against what its cells say.
    #[cfg(test)]
    pub(crate) fn check(&self, ground: Ground<'_>) {
        for (&c, own) in self.planned.iter().zip(&self.own) {
            assert_eq!(*own, ground.plain_own(c as usize, &self.columns), "what the record of column {c} says");
        }
    }
}

/// Row of a column, and its place in it.
#[inline]
fn place(space: FlowBox, c: usize) -> (usize, usize) {
    // Numbers of columns have 32 bits, which a processor divides sooner.
    let (c, nx) = (c as u32, space.nx as u32);
    ((c / nx) as usize, (c % nx) as usize)
}

/// Whether a column is at a side of the box.
#[inline]
pub(crate) fn is_at_side(space: FlowBox, c: usize) -> bool {
    let (z, x) = place(space, c);
    x == 0 || z == 0 || x + 1 == space.nx || z + 1 == space.nz
}

/// The columns west, east, north and south of a column.
#[inline]
pub(crate) fn neighbours(space: FlowBox, c: usize) -> [Option<usize>; 4] {
    let (z, x) = place(space, c);
    [
        (x > 0).then(|| c.wrapping_sub(1)),
        (x + 1 < space.nx).then_some(c + 1),
        (z > 0).then(|| c.wrapping_sub(space.nx)),
        (z + 1 < space.nz).then_some(c + space.nx),
    ]
}

/// The level at which no sub-step pours more than half of what is there, or a sixteenth of a cell; of deep liquid a 64th, since it
/// runs off at once.
fn level_of_pour(column: &Column, pour: &Pour) -> u8 {
    let depth = run_of_pour(column, pour).map_or(0, |i| column.runs[i].depth);
    let most = if depth < DEEP { (depth / 2).max(UNIT / 16) } else { depth / 64 } as u64;
    Mag::from_units(pour.units as u64).over(Mag::from_units(most)).power_above().min(FINEST) as u8
}

/// The run that is poured into: that at the level or the next above, else the uppermost.
pub(crate) fn run_of_pour(column: &Column, pour: &Pour) -> Option<usize> {
    let last = column.runs.len().checked_sub(1)?;
    let Some(level) = pour.level else { return Some(last) };
    Some(column.runs.iter().position(|run| (level as i32) < run.end).unwrap_or(last))
}

impl Pour {
    /// Pour from `before` to `after` cubic metres.
    pub(crate) fn new(space: FlowBox, lava: &crate::Lava, pour: &crate::FlowPour) -> Self {
        let units = |volume: f64| (volume / space.unit_m3()).clamp(0.0, 9e15) as i64;
        let kelvin = pour.temperature_k.clamp(crate::lava::LEAST_KELVIN, crate::lava::MOST_KELVIN);
        Self {
            column: pour.column,
            level: pour.level,
            units: (units(pour.after_m3) - units(pour.before_m3)).max(0),
            heat_each: (lava.heat_at(kelvin) * HEAT_UNITS as f64) as i64,
        }
    }
}
