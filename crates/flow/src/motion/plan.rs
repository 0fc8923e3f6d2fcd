//! Plan of a step: the columns and faces that are updated in each sub-step. Every column has its
//! own time level (local time stepping).
//!
//! A step of Δt is divided into sub-steps of Δt/2^l; `l` is called the time level. A column gets
//! the smallest level that is stable for it ([`crate::motion::demand`]). Invariant: its neighbours
//! are at most one level coarser, and the neighbours' neighbours at most two; a face is updated at
//! the finer level of its two columns.
//!
//! Liquid at rest takes no part: a column *stirs* if liquid crosses its faces, and only columns
//! near stirring columns are active. Where nothing near a column has changed, the column stays at
//! rest without any evaluation.
//!
//! A step consists of rounds, groups of sub-steps that share a plan; a round is as long as a fast
//! front may advance before the columns ahead must become active. At the start of a round, columns
//! whose own sub-step ends there get new levels. The others keep their levels, so that a fast front
//! costs nothing elsewhere; but deep liquid whose levelling is deferred gets a finer level as soon
//! as the flux grows. Levels follow from the state at the round's start, so they do not depend on
//! any order.

use crate::motion::demand::{Ground, Own};
use crate::motion::soft_float::SoftFloat;
use crate::motion::strips::{ASLEEP, Strip, TASK, lay_out, share_out};
use crate::store::area::Area;
use crate::store::blocks::Blocks;
use crate::store::column::{Column, UNIT};
use crate::{FlowBox, HEAT_UNITS};
use lavoxel_base::parallel::*;

/// Finest time level of a column: a step has at most 2^17 = 131,072 sub-steps.
pub(crate) const FINEST: i32 = 17;

/// Binary logarithm of the number of sub-steps that a front may advance before the plan adds the
/// columns ahead. A wave crosses at most 0.42 columns per sub-step, a front a third of that, and
/// two columns ahead are active.
const AHEAD: i32 = 3;

/// Binary logarithm of the largest number of sub-steps of the finest level in a round (a group of
/// sub-steps that share a plan).
const ROUND: i32 = 8;

/// Depth in units of height (8 cells) above which liquid counts as deep when a vent pours into a
/// column.
const DEEP: i64 = 8 * UNIT;

/// Number of passes that smooth the time levels: columns up to this distance from a column with a
/// fine level get a similar level.
const SMOOTH: usize = 2;

/// Lava that a vent pours into one column in a step: amount and heat, in units.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pour {
    pub(crate) column: usize,
    pub(crate) level: Option<usize>,
    pub(crate) units: i64,
    pub(crate) heat_each: i64,
}

/// Plan of one column in the present round: its time level, and the state from which its next level
/// is chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Planned {
    /// Largest head difference from the column down to a neighbour, in units of height, when the
    /// column got its time level.
    pub(crate) fall: i64,
    /// Time level of the column; [`ASLEEP`] if the column is not active.
    pub(crate) level: u8,
    /// Stir flag: true if liquid crosses a face of the column, as found at the starts of this
    /// step's rounds.
    pub(crate) stirs: bool,
    /// Ease flag: true if the levelling of the column's head differences may be deferred to later
    /// sub-steps, see [`Own::is_eased`].
    is_eased: bool,
}

impl Planned {
    /// Plan of an inactive column.
    const NONE: Self = Self {
        fall: 0,
        level: ASLEEP,
        stirs: false,
        is_eased: false,
    };
}

/// Plan of a step: the active columns with their time levels, as of the step's latest round.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// Numbers of the active columns, ascending: those in which liquid moved or a vent poured in
    /// this step, and those at most two columns away.
    pub(crate) active: Vec<u32>,
    /// Active columns whose blocks, and those around them, are known to be allocated.
    pub(crate) reached: Vec<u32>,
    /// Partition of the box's columns into strips for threads.
    pub(crate) strips: Vec<Strip>,
    /// Finest time level among the columns that get a new level in this round.
    pub(crate) finest: i32,
    /// Time level of the round: its length is Δt/2^`round`, so that a step has 2^`round` rounds of
    /// this length.
    pub(crate) round: i32,
    /// Coarsest time level whose columns and faces are updated in this round.
    pub(crate) due: i32,
    /// Plan of each column of the box.
    columns: Blocks<Planned>,
    awake: Area,
    /// Set of the columns in which liquid moved or a vent poured in this step.
    pub(crate) stirred: Area,
    /// Numbers of the columns into which vents pour in this step, ascending.
    pub(crate) fed: Vec<u32>,
    /// Numbers of the columns that were active in the last step and are at rest now, ascending.
    pub(crate) rested: Vec<u32>,
    /// Numbers of the active columns that get a new time level in this round (planned columns),
    /// ascending.
    planned: Vec<u32>,
    /// Numbers of the planned columns and of the active columns at most two faces away, ascending.
    listed: Vec<u32>,
    near: Area,
    around: Area,
    /// Time step criteria of the planned columns, in the order of `planned`.
    own: Vec<Own>,
    smooth: Vec<u8>,
    /// Columns with the levels to which a smoothing pass raises them; duplicates possible.
    raised: Vec<(u32, u8)>,
}

impl Plan {
    /// Number of column sets (`Area`) that a plan stores, including `changed_area` of its flow; for
    /// estimates of memory.
    pub(crate) const AREAS: u64 = 5;

    /// Returns an empty plan for a box of `columns` columns.
    pub(crate) fn new(columns: usize) -> Self {
        Self {
            active: Vec::new(),
            reached: Vec::new(),
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
            raised: Vec::new(),
        }
    }

    /// Marks the columns `moved` (numbers, ascending) as those in which liquid moved in the last
    /// step, for a flow restored from a checkpoint.
    pub(crate) fn resume(&mut self, moved: impl Iterator<Item = u32>) {
        self.active.clear();
        self.active.extend(moved);
        let columns = &mut self.columns;
        self.active.iter().for_each(|&c| {
            columns.set(
                c as usize,
                Planned {
                    stirs: true,
                    ..columns[c as usize]
                },
            )
        });
    }

    /// Computes the plan of the first round of a step. `wet`: all wet columns, if cells may have
    /// changed since the last step by other causes than fluxes (heat, edits); `None` if only fluxes
    /// moved liquid.
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
        self.stirred.reset(space.nx, space.nz);
        let columns = &self.columns;
        let stirring = self
            .listed
            .iter()
            .copied()
            .filter(|&c| columns[c as usize].stirs);
        self.stirred
            .extend(stirring.chain(self.fed.iter().copied()));
        self.listed.clear();
        self.wake();
        self.make(ground, pours, 0);
    }

    /// Determines in which candidate columns liquid crosses a face, and stores the numbers of all
    /// candidates in `listed`. Candidates are the columns `wet`, or the surroundings of the active
    /// columns if `wet` is `None`.
    fn find_stirring(&mut self, ground: Ground<'_>, wet: Option<&[u32]>) {
        match wet {
            Some(wet) => {
                self.listed.clear();
                self.listed.extend_from_slice(wet);
            }
            None => {
                self.near.reset(ground.space.nx, ground.space.nz);
                self.near.extend(self.active.iter().copied());
                self.around.grow_from(&self.near);
                self.around.list(&mut self.listed);
            }
        }
        let Self {
            active,
            rested,
            columns,
            listed,
            ..
        } = self;
        rested.extend_from_slice(active);
        // Columns asleep must have no slope: the speed and the crust of lava at rest are computed
        // from `fall`.
        for &c in rested.iter() {
            if let Some(planned) = columns.get_mut(c as usize) {
                (planned.stirs, planned.level, planned.fall) = (false, ASLEEP, 0);
            }
        }
        let found: Vec<bool> = listed
            .par_iter()
            .with_min_len(TASK)
            .map(|&c| ground.stirs(c as usize))
            .collect();
        for (&c, stirs) in listed.iter().zip(found) {
            match columns.get_mut(c as usize) {
                Some(planned) => planned.stirs = stirs,
                None => columns.set(
                    c as usize,
                    Planned {
                        stirs,
                        ..Planned::NONE
                    },
                ),
            }
        }
        rested.retain(|&c| !columns[c as usize].stirs);
    }

    /// Computes the plan of a later round that begins at `time`, a share of the step in fixed point
    /// with [`FINEST`] fractional bits.
    pub(crate) fn go_on(&mut self, ground: Ground<'_>, pours: &[Pour], time: u64) {
        // Only listed columns can have moved, so no other can begin to stir.
        let mut new = std::mem::take(&mut self.planned);
        new.clear();
        let columns = &self.columns;
        let resting = self
            .listed
            .iter()
            .copied()
            .filter(|&c| !columns[c as usize].stirs);
        new.extend(resting.filter(|&c| ground.stirs(c as usize)));
        for &c in &new {
            self.columns.set(
                c as usize,
                Planned {
                    stirs: true,
                    ..self.columns[c as usize]
                },
            );
        }
        if self.stirred.extend(new.iter().copied()) {
            self.wake();
        }
        self.planned = new;
        self.make(ground, pours, time);
    }

    /// Makes the columns `stirred`, in which liquid moved, and those at most two faces away active.
    fn wake(&mut self) {
        self.awake.grow_from(&self.stirred);
        self.awake.list(&mut self.active);
    }

    fn make(&mut self, ground: Ground<'_>, pours: &[Pour], time: u64) {
        let space = ground.space;
        self.due = FINEST - (time.trailing_zeros() as i32).min(FINEST);
        let (columns, due) = (&self.columns, self.due as u8);
        self.planned.clear();
        // Columns that were asleep are included, since `ASLEEP` exceeds every level.
        self.planned.extend(
            self.active
                .iter()
                .copied()
                .filter(|&c| columns[c as usize].level >= due),
        );
        self.plan_eased(ground);
        self.set_levels(ground, pours);
        (0..SMOOTH).for_each(|_| self.smooth(space));
        self.finest = self
            .planned
            .iter()
            .map(|&c| self.level(c as usize))
            .max()
            .unwrap_or(0)
            .max(self.due);
        let of_front = self
            .planned
            .iter()
            .zip(&self.own)
            .filter(|(_, own)| own.is_front);
        let of_front = of_front.map(|(_, own)| i32::from(own.level));
        // A pour on liquid at rest counts as a front: the poured lava will run.
        let on_rest = pours
            .iter()
            .map(|pour| pour.column)
            .filter(|&c| !self.columns[c].stirs);
        let of_front = of_front
            .chain(on_rest.map(|c| self.level(c)))
            .max()
            .unwrap_or(0);
        // Aligned rounds: a round begins at a multiple of its own length.
        self.round = (of_front - AHEAD).max(self.finest - ROUND).max(self.due);
        self.finest = self.finest.max(self.round);
        self.list(space);
    }

    /// Gives a new time level to columns whose deferred levelling of head differences meets a flux
    /// that has grown; skips columns without motion around them since they got their level.
    fn plan_eased(&mut self, ground: Ground<'_>) {
        let Self { columns, due, .. } = self;
        let asks = |&c: &u32| {
            let Planned {
                level,
                stirs,
                is_eased,
                ..
            } = columns[c as usize];
            is_eased
                && stirs
                && i32::from(level) < *due
                && ground.own(c as usize, columns).level > level + 1
        };
        let more: Vec<u32> = self.listed.iter().copied().filter(asks).collect();
        if !more.is_empty() {
            self.planned.extend(more);
            self.planned.sort_unstable();
        }
    }

    /// Lists the faces and columns of the planned columns, which are updated in this round, and
    /// partitions the lists into strips.
    fn list(&mut self, space: FlowBox) {
        if self.due == 0 {
            self.listed.clone_from(&self.active);
        } else {
            self.near.reset(space.nx, space.nz);
            self.near.extend(self.planned.iter().copied());
            self.around.grow_from(&self.near);
            self.around.list(&mut self.listed);
            let columns = &self.columns;
            self.listed.retain(|&c| columns[c as usize].level != ASLEEP);
        }
        share_out(&mut self.strips, space, &self.listed);
        lay_out(
            &mut self.strips,
            space,
            &self.columns,
            &self.listed,
            self.due as u8,
        );
    }

    /// Estimated number of face evaluations in a step if all columns keep their time levels.
    pub(crate) fn work(&self) -> u64 {
        let of_level = |level: i32| {
            self.strips
                .iter()
                .map(|strip| strip.faces_of(level))
                .sum::<usize>() as u64
        };
        (0..=self.finest)
            .map(|level| of_level(level) << level)
            .sum()
    }

    /// Adds the columns `wet`, if given, to the active columns, and partitions the active columns
    /// into strips for the work that follows the step's last round.
    pub(crate) fn end(&mut self, space: FlowBox, wet: Option<&[u32]>) {
        if let Some(wet) = wet {
            self.near.reset(space.nx, space.nz);
            self.near.extend(wet.iter().chain(&self.active).copied());
            self.near.list(&mut self.active);
        }
        share_out(&mut self.strips, space, &self.active);
    }

    /// Sets the time levels of the planned columns to those that they need by themselves, without
    /// regard to their neighbours.
    fn set_levels(&mut self, ground: Ground<'_>, pours: &[Pour]) {
        let columns = &self.columns;
        let level_all = |(own, &c): (&mut Own, &u32)| *own = ground.own(c as usize, columns);
        self.own.resize(self.planned.len(), Own::default());
        self.own
            .par_iter_mut()
            .zip(&self.planned)
            .with_min_len(TASK)
            .for_each(level_all);
        for (&c, own) in self.planned.iter().zip(&self.own) {
            let &Own {
                fall,
                is_eased,
                level,
                ..
            } = own;
            let level = level.max(self.due as u8);
            match self.columns.get_mut(c as usize) {
                Some(planned) => {
                    (planned.fall, planned.level, planned.is_eased) = (fall, level, is_eased);
                }
                None => self.columns.set(
                    c as usize,
                    Planned {
                        fall,
                        level,
                        is_eased,
                        ..Planned::NONE
                    },
                ),
            }
        }
        for pour in pours
            .iter()
            .filter(|pour| self.planned.binary_search(&(pour.column as u32)).is_ok())
        {
            let planned = &mut self.columns[pour.column];
            planned.level = planned
                .level
                .max(level_of_pour(&ground.columns[pour.column], pour));
        }
    }

    /// Raises time levels so that no planned column is more than one level coarser than a neighbour
    /// as it was before this call.
    fn smooth(&mut self, space: FlowBox) {
        if self.due == 0 {
            return self.smooth_all(space);
        }
        let columns = &self.columns;
        let smooth = |(smooth, &c): (&mut u8, &u32)| {
            // One level coarser than the neighbour; 0 for a neighbour asleep, by wrapping.
            let behind = |n: usize| columns[n].level.wrapping_add(1).saturating_sub(2);
            let near = neighbours(space, c as usize).into_iter().flatten();
            *smooth = near.map(behind).fold(columns[c as usize].level, u8::max);
        };
        self.smooth.resize(self.planned.len(), 0);
        self.smooth
            .par_iter_mut()
            .zip(&self.planned)
            .with_min_len(TASK)
            .for_each(smooth);
        for (&c, &level) in self.planned.iter().zip(&self.smooth) {
            self.columns[c as usize].level = level;
        }
    }

    /// One pass of [`Plan::smooth`] where all active columns are planned: from the few columns of
    /// level 2 and more to their neighbours.
    fn smooth_all(&mut self, space: FlowBox) {
        let Self {
            planned,
            columns,
            raised,
            ..
        } = self;
        raised.clear();
        for &c in planned.iter() {
            let level = columns[c as usize].level;
            if level >= 2 {
                let near = neighbours(space, c as usize).into_iter().flatten();
                // A column asleep is above every level.
                let coarse = near.filter(|&n| columns[n].level < level - 1);
                raised.extend(coarse.map(|n| (n as u32, level - 1)));
            }
        }
        for &(c, level) in raised.iter() {
            let planned = &mut columns[c as usize];
            planned.level = planned.level.max(level);
        }
    }

    /// Returns true if the column number `column` is updated in the step: liquid moves in the
    /// column or at most two columns away, or a vent pours in.
    #[cfg(test)]
    pub(crate) fn is_active(&self, column: usize) -> bool {
        self.columns[column].level != ASLEEP
    }

    /// Returns true if liquid crosses a face of the column number `column`, as found in this step's
    /// rounds.
    #[cfg(test)]
    pub(crate) fn stirs(&self, column: usize) -> bool {
        self.columns[column].stirs
    }

    /// Time level of the active column number `column`.
    pub(crate) fn level(&self, column: usize) -> i32 {
        i32::from(self.columns[column].level)
    }

    /// Largest head difference from the active column number `column` down to a neighbour, in units
    /// of height, when the column got its time level.
    pub(crate) fn fall(&self, column: usize) -> i64 {
        self.columns[column].fall
    }

    /// Asserts that the time step criterion of each planned column equals the criterion computed
    /// from the column's cells, without summaries.
    #[cfg(test)]
    pub(crate) fn check(&self, ground: Ground<'_>) {
        for (&c, own) in self.planned.iter().zip(&self.own) {
            assert_eq!(
                *own,
                ground.plain_own(c as usize, &self.columns),
                "what the record of column {c} says"
            );
        }
    }
}

/// Coordinates `(z, x)` of the column with the number `c`.
#[inline]
fn place(space: FlowBox, c: usize) -> (usize, usize) {
    // Column numbers have 32 bits, and a division of 32 bits is faster.
    let (c, nx) = (c as u32, space.nx as u32);
    ((c / nx) as usize, (c % nx) as usize)
}

/// Returns true if column `c` belongs to the outermost columns of the box.
#[inline]
pub(crate) fn is_at_side(space: FlowBox, c: usize) -> bool {
    let (z, x) = place(space, c);
    x == 0 || z == 0 || x + 1 == space.nx || z + 1 == space.nz
}

/// Numbers of the columns west, east, north and south of column `c`; `None` outside the box.
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

/// Time level at which a vent pours, in each sub-step, at most half of the liquid's present depth,
/// or a sixteenth of a cell if that is more; for deep liquid a 64th of the depth, since the poured
/// lava runs off at once.
fn level_of_pour(column: &Column, pour: &Pour) -> u8 {
    let depth = run_of_pour(column, pour).map_or(0, |i| column.runs[i].depth);
    let most = if depth < DEEP {
        (depth / 2).max(UNIT / 16)
    } else {
        depth / 64
    } as u64;
    SoftFloat::from_units(pour.units as u64)
        .over(SoftFloat::from_units(most))
        .power_above()
        .min(FINEST) as u8
}

/// Index of the run of `column` that `pour` enters: the run at its cell index `level`, or the next
/// above, else the uppermost. `None` for a column of full rock.
pub(crate) fn run_of_pour(column: &Column, pour: &Pour) -> Option<usize> {
    let last = column.runs.len().checked_sub(1)?;
    let Some(level) = pour.level else {
        return Some(last);
    };
    Some(
        column
            .runs
            .iter()
            .position(|run| (level as i32) < run.end)
            .unwrap_or(last),
    )
}

impl Pour {
    /// Converts the volume of `pour` (`after_m3` − `before_m3`) and its temperature to units of
    /// amount and heat.
    pub(crate) fn new(space: FlowBox, lava: &crate::Lava, pour: &crate::FlowPour) -> Self {
        let units = |volume: f64| (volume / space.unit_m3()).clamp(0.0, 9e15) as i64;
        let kelvin = pour
            .temperature_k
            .clamp(crate::lava::LEAST_KELVIN, crate::lava::MOST_KELVIN);
        Self {
            column: pour.column,
            level: pour.level,
            units: (units(pour.after_m3) - units(pour.before_m3)).max(0),
            heat_each: (lava.heat_at(kelvin) * HEAT_UNITS as f64) as i64,
        }
    }
}
