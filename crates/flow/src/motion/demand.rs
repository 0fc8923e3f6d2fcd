//! Time step criterion of a column: determines if liquid crosses its faces, and the longest stable
//! sub-step.
//!
//! Explicit diffusion with `D = ρ g h³/(3η)` is stable in sub-steps of at most 0.168 dx²/D. Deep,
//! nearly level liquid does not need sub-steps that short: in a longer one its flux is clamped
//! ([`crate::motion::face`]), and the remaining head difference stays below a tolerance. So the
//! flux of a column decides, and liquid at rest needs no sub-steps.

use crate::FlowBox;
use crate::motion::cross::{faces_of, pair_of};
use crate::motion::face::{Drive, LeanPair, head_beside};
use crate::motion::plan::{FINEST, Planned, is_at_side, neighbours};
use crate::motion::soft_float::SoftFloat;
use crate::motion::tables::Tables;
use crate::store::blocks::Blocks;
use crate::store::column::{Column, Run};
use crate::store::column_summary::ColumnSummary;

/// Largest time level (binary logarithm of the number of sub-steps in a step) up to which the depth
/// of a column alone is the criterion, for liquid without and with a yield strength: evaluating the
/// flux would cost more than it saves. A yield strength prevents most of the flux that the depth
/// would allow.
const SHALLOW: [u8; 2] = [3, 1];

/// Time step criterion of one column: longest stable sub-step, without regard to the sub-steps of
/// its neighbours, with the head difference and the flags that the plan needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Own {
    /// Time level of the column, whose longest stable sub-step is Δt/2^`level`.
    pub(crate) level: u8,
    /// Front flag: true if the column is wet and a neighbour is dry, or if the levelling of the
    /// column's head differences is deferred and a neighbour is at rest.
    pub(crate) is_front: bool,
    /// Ease flag: true if the levelling of the column's head differences may be deferred to later
    /// sub-steps; the column gets a finer level as soon as the flux grows.
    pub(crate) is_eased: bool,
    /// Largest head difference from the column's uppermost run down to a neighbour, in units of
    /// height; at least 0.
    pub(crate) fall: i64,
}

/// Read-only state of the flow from which the plan of the sub-steps is computed.
#[derive(Clone, Copy)]
pub(crate) struct Ground<'a> {
    pub(crate) space: FlowBox,
    pub(crate) columns: &'a Blocks<Column>,
    pub(crate) leans: &'a Blocks<ColumnSummary>,
    pub(crate) tables: &'a Tables,
    /// Open-sides flag: true if liquid that reaches a side of the box leaves the box.
    pub(crate) open_sides: bool,
}

impl<'a> Ground<'a> {
    /// Returns true if liquid crosses any face of column `c`, or leaves the box through a side at
    /// column `c`.
    pub(crate) fn stirs(self, c: usize) -> bool {
        if !self.has_liquid(c) {
            return false;
        }
        let at_side = is_at_side(self.space, c);
        at_side && self.open_sides || self.any_drive(at_side, c, |_| true)
    }

    /// Returns true if column `c` contains liquid; false for a column without a block.
    #[inline]
    fn has_liquid(self, c: usize) -> bool {
        self.leans.get(c).is_some_and(ColumnSummary::has_liquid)
    }

    /// Returns true if `is_so` returns true for the unlimited flux between any pair of runs at the
    /// faces of column `c`. `at_side`: true to compute from cells instead of summaries.
    #[inline]
    fn any_drive(self, at_side: bool, c: usize, mut is_so: impl FnMut(&Drive) -> bool) -> bool {
        if at_side {
            let mut faces = faces_of(self.space, c).into_iter().flatten();
            return faces.any(|(number, _)| self.any_drive_across(number, &mut is_so));
        }
        let nx = self.space.nx;
        let north = self.leans.some::<3>(c - nx - 1);
        let middle = self.leans.some::<3>(c - 1);
        let south = self.leans.some::<3>(c + nx - 1);
        let pair = |here, there, beside| LeanPair {
            here,
            there,
            beside,
        };
        let along_x = [north[1], south[1]];
        let along_z = [middle[0], middle[2]];
        let pairs = [
            pair(
                north[1],
                middle[1],
                [north[0], north[2], along_z[0], along_z[1]],
            ),
            pair(
                middle[0],
                middle[1],
                [north[0], south[0], along_x[0], along_x[1]],
            ),
            pair(
                middle[1],
                middle[2],
                [along_x[0], along_x[1], north[2], south[2]],
            ),
            pair(
                middle[1],
                south[1],
                [along_z[0], along_z[1], south[0], south[2]],
            ),
        ];
        let numbers = [2 * (c - nx) + 1, 2 * (c - 1), 2 * c, 2 * c + 1];
        pairs.iter().zip(numbers).any(|(pair, number)| {
            if pair.here.is_one_run() && pair.there.is_one_run() {
                pair.drive(self.tables, 0)
                    .is_some_and(|drive| is_so(&drive))
            } else {
                self.any_drive_across(number, &mut is_so)
            }
        })
    }

    /// Returns true if `is_so` is true for any unlimited flux across face `number`, by the general
    /// path.
    #[inline(never)]
    fn any_drive_across(self, number: usize, mut is_so: impl FnMut(&Drive) -> bool) -> bool {
        let (_, _, pair) = pair_of(self.space, self.columns, number);
        pair.pair_fluxes(self.tables).any(|drive| is_so(&drive))
    }

    /// Time step criterion of column `c`: its longest stable sub-step, without regard to its
    /// neighbours' sub-steps. `planned`: present plan of each column.
    pub(crate) fn own(self, c: usize, planned: &Blocks<Planned>) -> Own {
        self.own_by(is_at_side(self.space, c), c, planned)
    }

    /// Time step criterion of column `c` computed from its cells, without the summaries: reference
    /// for tests.
    #[cfg(test)]
    pub(crate) fn plain_own(self, c: usize, planned: &Blocks<Planned>) -> Own {
        self.own_by(true, c, planned)
    }

    fn own_by(self, at_side: bool, c: usize, planned: &Blocks<Planned>) -> Own {
        if !planned[c].stirs {
            return Own {
                is_eased: self.has_liquid(c),
                ..Own::default()
            };
        }
        let own = if at_side { None } else { self.lean_level(c) };
        let mut own = own.unwrap_or_else(|| self.deep_level(c));
        let is_weak = self.leans[c].strength.is_zero();
        if own.level <= SHALLOW[usize::from(!is_weak)] {
            return own;
        }
        let mut level = 0;
        self.any_drive(at_side, c, |drive| {
            level = drive.level(self.tables).max(level);
            // The demand is capped by that of the depth, so the search may end here.
            level >= i32::from(own.level)
        });
        let level = (level.min(FINEST) as u8).min(own.level);
        // A move prevented by the yield strength is not a deferred move.
        own.is_eased = level < own.level && is_weak;
        if own.is_eased {
            // Scales the fall to the slope that drives the remaining move.
            own.fall >>= own.level - level;
        }
        own.is_front |= own.is_eased
            && neighbours(self.space, c)
                .into_iter()
                .flatten()
                .any(|n| !planned[n].stirs);
        Own { level, ..own }
    }

    /// Criterion of column `c` by its depth alone: the time level at which explicit diffusion and a
    /// wave of speed `ρ g h² S/η` are stable, the largest head difference from the uppermost run to
    /// a neighbour, and the front flag.
    fn deep_level(self, c: usize) -> Own {
        let Self {
            space,
            columns,
            tables,
            ..
        } = self;
        let near = || neighbours(space, c).into_iter().flatten();
        let is_front = columns[c].is_wet() && near().any(|n| !columns[n].is_wet());
        let mut own = Own {
            is_front,
            ..Own::default()
        };
        let uppermost = columns[c].runs.len().wrapping_sub(1);
        for (i, run) in columns[c]
            .runs
            .iter()
            .enumerate()
            .filter(|(_, run)| run.is_wet())
        {
            let fall = near()
                .map(|n| run.head - head_beside(&columns[n], run))
                .fold(0, i64::max);
            let touching = || near().flat_map(|n| &columns[n].runs);
            let stiffness = under_pressure(run, touching);
            own.level = own.level.max(stable_level(
                tables,
                run.depth,
                run.fluidity,
                stiffness,
                fall,
            ));
            if i == uppermost {
                own.fall = fall;
            }
        }
        own
    }

    /// Fast path of `deep_level` for a column with a single run inside the box, from its summary
    /// and the summaries of its neighbours; `None` if the column has several runs.
    #[inline]
    fn lean_level(self, c: usize) -> Option<Own> {
        let Self {
            space,
            leans,
            tables,
            ..
        } = self;
        let lean = &leans[c];
        let nx = space.nx;
        if !lean.is_one_run() {
            return None;
        }
        let near = [&leans[c - nx], &leans[c - 1], &leans[c + 1], &leans[c + nx]];
        let is_front = near.iter().any(|near| !near.has_liquid());
        let lowest = near
            .iter()
            .map(|near| near.head_beside(lean.head))
            .fold(lean.head, i64::min);
        let fall = lean.head - lowest;
        Some(Own {
            level: stable_level(tables, lean.depth(), lean.fluidity, 0, fall),
            is_front,
            fall,
            is_eased: false,
        })
    }
}

/// Binary logarithm of the factor by which the liquid of `run` spreads faster than liquid under the
/// sky; `touching()`: runs of the neighbouring columns.
///
/// Between two full runs the diffusivity is `D/4` (roof) times 16 (slot). Between a full and a
/// partly full run the mean of h³ is up to 4.5 times that of the full run, at the end of a tunnel
/// in a pond: one power more leaves less than 1e-4 of the fluxes clamped. Two powers more would
/// leave none, but a lava field with roofs would need half as many face evaluations again.
fn under_pressure<'a, R: Iterator<Item = &'a Run>>(run: &Run, touching: impl Fn() -> R) -> i32 {
    let is_beside = |other: &&Run| run.roof.min(other.roof) > run.floor.max(other.floor);
    match run.full {
        false => 0,
        true if touching().filter(is_beside).any(|other| !other.full) => 3,
        true => 2,
    }
}

#[inline]
fn stable_level(tables: &Tables, depth: i64, fluidity: SoftFloat, stiffness: i32, fall: i64) -> u8 {
    let depth = SoftFloat::from_units(depth as u64);
    let layer = fluidity.times(depth.squared());
    let spread = layer
        .times(depth)
        .shifted(stiffness)
        .times(tables.diffusion);
    let wave = layer
        .times(SoftFloat::from_units(fall.min(tables.steepest) as u64))
        .times(tables.wave);
    spread.max(wave).power_above().min(FINEST) as u8
}
