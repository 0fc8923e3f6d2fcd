//! A column of cells, and the runs (one per gap, each with the gap's liquid) derived from its
//! cells.
//!
//! Invariants after [`Column::settle`]: liquid lies on the floor of its gap without holes, and only
//! the highest cell of a full gap may contain more than its room.

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use crate::motion::layers::{layers, part_of, two_layers};
use crate::motion::soft_float::SoftFloat;
use crate::motion::tables::Tables;
use crate::store::column_summary::ColumnSummary;
use crate::{FlowCell, HEAT_UNITS, UNITS};

/// Number of height units per cell height; all heights in this module are in these units, measured
/// from the floor of the box.
pub(crate) const UNIT: i64 = UNITS as i64;

/// Value of `Run`'s `roof` for a gap that is open to the sky.
pub(crate) const SKY: i64 = i64::MAX / 4;

/// Rise of the hydraulic head per unit of amount in excess of the room of a full gap: the inverse
/// of the width of a Preissmann slot (ε = 1/16). The slot makes the head of a pipe under pressure a
/// local quantity, so no global solve is needed.
pub(crate) const SLOT: i64 = 16;

/// Gap of a column between a floor of rock and a roof or the sky, with its liquid and the values
/// from which fluxes are computed. Heights are in units of height from the floor of the box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Run {
    /// Index of the lowest cell of the gap, counted from the floor of the box; the gap's floor of
    /// rock may lie within this cell.
    pub(crate) first: i32,
    /// Index of the highest cell of the gap, plus 1; `i32::MAX` under the sky.
    pub(crate) end: i32,
    /// Index of the highest cell with liquid; `first - 1` in a dry gap.
    pub(crate) top: i32,
    /// Full flag: true if the liquid fills the gap up to its roof.
    pub(crate) full: bool,
    pub(crate) floor: i64,
    pub(crate) roof: i64,
    /// Depth of the liquid in units of height, at most the height of the gap.
    pub(crate) depth: i64,
    /// Hydraulic head in units of height: height to which the liquid would rise in a vertical pipe.
    pub(crate) head: i64,
    /// Fluidity: mobility divided by the cube of the depth, the flux per step for a depth and a
    /// head difference of one unit of height each, see `Tables::fluidity`.
    pub(crate) fluidity: SoftFloat,
    /// Yield strength of the liquid, in the unit of `Tables::strength`.
    pub(crate) strength: SoftFloat,
}

impl Run {
    /// Height of the liquid's surface in units of height.
    #[inline]
    pub(crate) fn surface(&self) -> i64 {
        self.floor + self.depth
    }

    #[inline]
    pub(crate) fn is_wet(&self) -> bool {
        self.depth > 0
    }

    #[inline]
    pub(crate) fn is_under_sky(&self) -> bool {
        self.roof == SKY
    }
}

impl Run {
    /// Computes fluidity and yield strength of a run with one wet cell, `cell`, and returns the
    /// values for the column's summary. `skin`: heat deficit of the crust in kelvin, averaged over
    /// the depth.
    #[inline(always)]
    fn refresh_one(&mut self, cell: FlowCell, skin: f32, tables: &Tables) -> Kept {
        let warmth = Warmth::from_cell(cell);
        let mean = mean_of(cell.heat, i64::from(cell.amount));
        (self.fluidity, self.strength) = (
            tables.fluidity[tables.row_of_core(warmth, skin)],
            tables.strength[tables.row_of(warmth)],
        );
        Kept {
            warmth: [warmth, Warmth::default()],
            share: 0,
            mean,
            skin,
        }
    }

    /// Computes fluidity and yield strength of a run with two wet cells, lower first, and returns
    /// the values for the column's summary. `skin`: heat deficit of the crust in kelvin, averaged
    /// over the depth.
    #[inline(always)]
    fn refresh_two(&mut self, cells: [FlowCell; 2], skin: f32, tables: &Tables) -> Kept {
        let warmth = [Warmth::from_cell(cells[0]), Warmth::from_cell(cells[1])];
        let fluidity = |warmth| tables.fluidity[tables.row_of_core(warmth, skin)];
        let fluidities = [fluidity(warmth[0]), fluidity(warmth[1])];
        let above = self.depth - (i64::from(self.first + 1) * UNIT - self.floor);
        let (fluidity, share) = two_layers(fluidities, part_of(above, self.depth));
        let [lower, upper] = cells;
        let (heat, amount) = (
            lower.heat + upper.heat,
            i64::from(lower.amount) + i64::from(upper.amount),
        );
        (self.fluidity, self.strength) = (fluidity, tables.strength[tables.row(heat, amount)]);
        Kept {
            warmth,
            share,
            mean: mean_of(heat, amount),
            skin,
        }
    }
}

/// Rock that solidified on top of liquid and still touches the liquid below; slab and liquid cool
/// together, as one run. If such rock kept the heat with which it solidified, losses would depend
/// on the height of the cells that solidify as a whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Slab {
    /// Amount of rock in units; equal to the thickness of the slab in units of height.
    pub(crate) amount: i64,
    /// Heat of the rock in units; the account counts this heat among that of all solidified lava.
    pub(crate) heat: i64,
}

impl Slab {
    /// Returns true if amount and heat of the slab are in their ranges; checked for a slab that is
    /// read from a file.
    pub(crate) fn can_be(self) -> bool {
        [self.amount, self.heat]
            .iter()
            .all(|sum| (0..=1 << 56).contains(sum))
    }
}

/// Column of cells, with its gaps and runs derived from the cells, and its crust.
#[derive(Clone, Debug, Default)]
pub(crate) struct Column {
    /// Index of the lowest stored cell, counted from the floor of the box; every cell below is full
    /// rock.
    pub(crate) base: i32,
    /// Cells from `base` upwards; every cell above the last one is empty.
    pub(crate) cells: SmallVec<[FlowCell; 3]>,
    /// Share of a run's flux that passes in the cells up to and including each cell, in fixed point
    /// with 32 fractional bits; same indices as `cells`, valid only for runs of several wet cells.
    pub(crate) shares: SmallVec<[u32; 3]>,
    pub(crate) runs: SmallVec<[Run; 1]>,
    /// Squared cosine of the angle by which the bed below the lava is inclined.
    pub(crate) cos2: f32,
    /// Heat deficit of the crust relative to its core, in units of heat, spread over all the liquid
    /// of the column. The deficit is carried with the liquid, so a stretching surface thins the
    /// crust. Not negative after a step, except under a vent.
    pub(crate) crust: i64,
    /// Rock that solidified on top of the liquid below and still cools together with that liquid.
    pub(crate) slab: Slab,
    /// Thickness of the lid in units of height: depth below the surface down to which the lava is
    /// at or below the solidus, rock of `slab` included. Computed in the last step; not saved.
    pub(crate) lid: i64,
    /// Cover flag: true if another material, for example water, covers the uppermost run, which
    /// then loses no heat to the sky.
    pub(crate) covered: bool,
}

impl Column {
    /// Returns a dry column with rock up to `height` (in units of height, from the floor of the
    /// box).
    pub(crate) fn of_ground(height: i64) -> Self {
        let base = height.div_euclid(UNIT);
        let rock = (height - base * UNIT) as i32;
        let mut cells = SmallVec::new();
        if rock > 0 {
            cells.push(FlowCell {
                rock,
                ..FlowCell::default()
            });
        }
        Self {
            base: base as i32,
            cells,
            ..Self::default()
        }
    }

    #[inline]
    pub(crate) fn cell(&self, level: i32) -> FlowCell {
        if level < self.base {
            return FlowCell {
                rock: UNITS,
                ..FlowCell::default()
            };
        }
        self.cells
            .get((level - self.base) as usize)
            .copied()
            .unwrap_or_default()
    }

    /// Mutable cell with the index `level`, which must be at least `base`; missing cells up to that
    /// index are stored first.
    #[inline]
    pub(crate) fn cell_mut(&mut self, level: i32) -> &mut FlowCell {
        let index = (level - self.base) as usize;
        if index >= self.cells.len() {
            self.cells.resize(index + 1, FlowCell::default());
        }
        &mut self.cells[index]
    }

    /// Index of the highest stored cell, plus 1.
    pub(crate) fn end(&self) -> i32 {
        self.base + self.cells.len() as i32
    }

    /// Drops stored cells that say nothing: full rock below the index `level`, from the lowest cell
    /// up, and empty cells at the top. A column whose ground was raised or dug is then stored as one
    /// that was never reached.
    pub(crate) fn trim(&mut self, level: i32) {
        let rock = FlowCell {
            rock: UNITS,
            ..FlowCell::default()
        };
        let is_rock = |cell: &&FlowCell| **cell == rock;
        let below = (level - self.base).max(0) as usize;
        let full = self.cells.iter().take(below).take_while(is_rock).count();
        self.cells.drain(..full);
        self.base += full as i32;
        while self.cells.last() == Some(&FlowCell::default()) {
            self.cells.pop();
        }
    }

    /// Extends the stored cells downwards to the index `level`; the added cells are full rock.
    pub(crate) fn reach_down(&mut self, level: i32) {
        while self.base > level {
            self.cells.insert(
                0,
                FlowCell {
                    rock: UNITS,
                    ..FlowCell::default()
                },
            );
            self.base -= 1;
        }
    }

    /// Returns true if any run contains liquid.
    pub(crate) fn is_wet(&self) -> bool {
        self.runs.iter().any(Run::is_wet)
    }

    /// Total amount of liquid in the column, in units of amount.
    pub(crate) fn amount(&self) -> i64 {
        self.cells.iter().map(|cell| i64::from(cell.amount)).sum()
    }

    /// Total heat of the liquid in the column, in units of heat.
    pub(crate) fn heat(&self) -> i128 {
        self.cells.iter().map(|cell| i128::from(cell.heat)).sum()
    }

    /// Run of the column that loses heat to the sky, with the slab of rock above: the uppermost
    /// run, or a full run below a slab that lies under the sky. `None` if the column has no such
    /// liquid.
    pub(crate) fn cooling_run(&self) -> Option<(Run, Slab)> {
        let above = self.runs.last()?;
        if above.is_wet() {
            return Some((*above, Slab::default()));
        }
        let below = self.runs.len().checked_sub(2).map(|i| self.runs[i])?;
        let is_whole = self.slab.amount > 0 && above.floor - below.roof == self.slab.amount;
        (is_whole && below.full).then_some((below, self.slab))
    }

    /// Heat deficit of the crust relative to the core, in kelvin, averaged over the depth of the
    /// column's liquid.
    pub(crate) fn skin(&self) -> f32 {
        skin_of(self.crust, self.amount())
    }

    /// Subtracts from `crust` the share that belongs to `amount` units of liquid; to be called
    /// before that liquid is removed from the cells.
    pub(crate) fn take_crust(&mut self, amount: i64) {
        if self.crust != 0 {
            let share = i128::from(self.crust) * i128::from(amount);
            self.crust -= (share / i128::from(self.amount().max(1))) as i64;
        }
    }

    /// Sets to zero the heat that rounding left in cells without liquid, and returns the sum of
    /// that heat in units; sets the crust of a column without liquid to zero.
    pub(crate) fn drop_rests(&mut self) -> i64 {
        if self.crust != 0 && self.amount() == 0 {
            self.crust = 0;
        }
        let empty = self.cells.iter_mut().filter(|cell| cell.amount == 0);
        empty.map(|cell| std::mem::take(&mut cell.heat)).sum()
    }

    /// Description of the first broken invariant of the cells; `None` if all invariants are
    /// satisfied.
    pub(crate) fn fault(&self) -> Option<&'static str> {
        let last = |i: usize| i + 1 == self.cells.len() || self.cells[i + 1].rock > 0;
        self.cells.iter().enumerate().find_map(|(i, cell)| {
            let room = UNITS - cell.rock;
            let is_floating = || {
                cell.amount < room
                    && self
                        .cells
                        .get(i + 1)
                        .is_some_and(|up| up.amount > 0 && up.rock == 0)
            };
            match *cell {
                FlowCell { amount, heat, rock }
                    if amount < 0 || heat < 0 || !(0..=UNITS).contains(&rock) =>
                {
                    Some("a number out of range")
                }
                FlowCell {
                    amount: 0,
                    heat: 1..,
                    ..
                } => Some("heat without liquid"),
                FlowCell {
                    amount: 1..,
                    rock: UNITS,
                    ..
                } => Some("liquid in rock"),
                FlowCell { amount, .. }
                    if amount > room && !(last(i) && i + 1 < self.cells.len()) =>
                {
                    Some("more than a full cell")
                }
                _ if is_floating() => Some("liquid that floats"),
                _ => None,
            }
        })
    }

    /// Rebuilds the gaps from the rock of the cells, after rock has changed; all runs count as dry
    /// until [`Column::refresh`].
    pub(crate) fn find_gaps(&mut self) {
        self.runs.clear();
        let end = self.end();
        let mut level = self.base;
        while level <= end {
            let rock = self.cell(level).rock;
            if rock >= UNITS {
                level += 1;
                continue;
            }
            let first = level;
            level += 1;
            // Rock fills a cell from the bottom, so any rock in the next cell is the roof of this
            // gap.
            while level < end && self.cell(level).rock == 0 {
                level += 1;
            }
            let open = level >= end;
            self.runs.push(Run {
                first,
                end: if open { i32::MAX } else { level },
                top: first - 1,
                full: false,
                floor: i64::from(first) * UNIT + i64::from(rock),
                roof: if open { SKY } else { i64::from(level) * UNIT },
                depth: 0,
                head: 0,
                fluidity: SoftFloat::ZERO,
                strength: SoftFloat::ZERO,
            });
            if open {
                return;
            }
        }
    }

    /// Moves liquid to the floor of its gap, and liquid that exceeds a cell's room to the cell
    /// above; heat moves with the liquid. Under a roof the excess stays in the highest cell of the
    /// gap.
    pub(crate) fn settle(&mut self) {
        for i in 0..self.runs.len() {
            let Run { first, end, .. } = self.runs[i];
            self.settle_gap(first, end);
        }
    }

    fn settle_gap(&mut self, first: i32, end: i32) {
        let (start, end) = ((first - self.base) as usize, (end - self.base) as usize);
        let stored = end.min(self.cells.len());
        let Some(mut top) = (start..stored).rev().find(|&i| self.cells[i].amount > 0) else {
            return;
        };
        let mut i = start;
        while i <= top && i + 1 < end {
            let cell = self.cells[i];
            let excess = cell.amount - (UNITS - cell.rock);
            if excess > 0 {
                if i + 1 == self.cells.len() {
                    self.cells.push(FlowCell::default());
                }
                self.carry(i, i + 1, excess, heat_of(excess, cell));
                top = top.max(i + 1);
            }
            i += 1;
        }
        self.fill_holes(start, top);
    }

    /// Fills free room in the cells from index `start` to `top` with liquid from the cells above.
    fn fill_holes(&mut self, start: usize, top: usize) {
        let mut from = start + 1;
        for i in start..top {
            from = from.max(i + 1);
            let mut room = UNITS - self.cells[i].rock - self.cells[i].amount;
            while room > 0 && from <= top {
                let source = self.cells[from];
                if source.amount == 0 {
                    from += 1;
                    continue;
                }
                let amount = room.min(source.amount);
                let heat = if amount == source.amount {
                    source.heat
                } else {
                    heat_of(amount, source)
                };
                self.carry(from, i, amount, heat);
                room -= amount;
            }
            if room > 0 {
                return;
            }
        }
    }

    /// Moves `amount` units of liquid and `heat` units of heat from the stored cell at index `from`
    /// to the stored cell at index `to`.
    #[inline]
    fn carry(&mut self, from: usize, to: usize, amount: i32, heat: i64) {
        let cells = self.cells.as_mut_slice();
        (cells[from].amount, cells[from].heat) =
            (cells[from].amount - amount, cells[from].heat - heat);
        (cells[to].amount, cells[to].heat) = (cells[to].amount + amount, cells[to].heat + heat);
    }

    /// Recomputes depth, head, fluidity and yield strength of all runs from the cells, after liquid
    /// or heat has changed.
    pub(crate) fn refresh(&mut self, tables: &Tables) {
        for i in 0..self.runs.len() {
            self.refresh_run(i, tables);
        }
    }

    /// Recomputes the runs of the column, and returns the summary from which fluxes are computed.
    #[inline]
    pub(crate) fn refresh_with_lean(&mut self, tables: &Tables) -> ColumnSummary {
        if self.runs.len() == 1 && self.runs[0].is_under_sky() {
            let kept = self.refresh_run(0, tables);
            return ColumnSummary::from_run(&self.runs[0], self.cos2, kept);
        }
        self.refresh(tables);
        ColumnSummary::from_column(self)
    }

    /// Fast path of [`Column::refresh_with_lean`] for a column with a single run, under the sky,
    /// that has at most two wet cells: `lower` and `upper`.
    #[inline(always)]
    pub(crate) fn refresh_open(
        &mut self,
        lower: FlowCell,
        upper: FlowCell,
        tables: &Tables,
    ) -> ColumnSummary {
        let run = &mut self.runs[0];
        let amount = i64::from(lower.amount) + i64::from(upper.amount);
        let skin = skin_of(self.crust, amount);
        run.top = run.first - 1 + i32::from(lower.amount > 0) + i32::from(upper.amount > 0);
        run.depth = amount;
        run.head = run.floor + amount;
        let kept = if upper.amount > 0 {
            let start = (run.first - self.base) as usize;
            if self.shares.len() < start + 2 {
                self.shares.resize(start + 2, 0);
            }
            let kept = run.refresh_two([lower, upper], skin, tables);
            self.shares[start] = kept.share;
            kept
        } else if lower.amount > 0 {
            run.refresh_one(lower, skin, tables)
        } else {
            Kept::default()
        };
        ColumnSummary::from_run(run, self.cos2, kept)
    }

    /// Recomputes run `i`, and returns the values of this run that go into the column's summary.
    #[inline(always)]
    fn refresh_run(&mut self, i: usize, tables: &Tables) -> Kept {
        // A run below a roof has no crust.
        let (has_crust, is_alone) = (i + 1 == self.runs.len(), self.runs.len() == 1);
        let run = &mut self.runs[i];
        let start = (run.first - self.base) as usize;
        let (mut amount, mut heat, mut count) = (0i64, 0i64, 0);
        let most = (run.end - run.first) as usize;
        let cells = self.cells.get(start..).unwrap_or_default();
        for cell in cells.iter().take(most) {
            if cell.amount == 0 {
                break;
            }
            amount += i64::from(cell.amount);
            heat += cell.heat;
            count += 1;
        }
        run.top = run.first - 1 + count;
        let room = run.roof - run.floor;
        run.full = amount >= room;
        run.depth = amount.min(room);
        run.head = run.floor + run.depth + (amount - run.depth) * SLOT;
        if amount == 0 {
            return Kept::default();
        }
        let skin = match (has_crust, is_alone) {
            (true, true) => skin_of(self.crust, amount),
            (true, false) => skin_of(
                self.crust,
                self.cells.iter().map(|cell| i64::from(cell.amount)).sum(),
            ),
            (false, _) => 0.0,
        };
        if count == 1 {
            return run.refresh_one(cells[0], skin, tables);
        }
        if self.shares.len() < start + count as usize {
            self.shares.resize(start + count as usize, 0);
        }
        let (cells, shares) = (&cells[..count as usize], &mut self.shares[start..]);
        if let [lower, upper] = *cells {
            let kept = run.refresh_two([lower, upper], skin, tables);
            shares[0] = kept.share;
            return kept;
        }
        run.strength = tables.strength[tables.row(heat, amount)];
        let fluidity =
            |cell: &FlowCell| tables.fluidity[tables.row_of_core(Warmth::from_cell(*cell), skin)];
        let above = |j: usize| {
            part_of(
                run.depth - ((i64::from(run.first) + j as i64 + 1) * UNIT - run.floor),
                run.depth,
            )
        };
        run.fluidity = layers(cells.iter().map(fluidity), above, shares);
        Kept {
            mean: mean_of(heat, amount),
            skin,
            ..Kept::default()
        }
    }
}

/// Values of a run that go into the column's summary: heats of its lowest two wet cells and mean
/// values of the whole run.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Kept {
    pub(crate) warmth: [Warmth; 2],
    /// Share of the flux that passes in the lower of two wet cells, in fixed point with 32
    /// fractional bits, of which the upper 24 are used.
    pub(crate) share: u32,
    /// Mean enthalpy over heat capacity of the run's liquid, in K.
    pub(crate) mean: f32,
    /// Heat deficit of the crust relative to the core, in kelvin, averaged over the depth of the
    /// liquid.
    pub(crate) skin: f32,
}

/// Mean enthalpy over heat capacity, in K, of `amount` units of liquid with `heat` units of heat;
/// `amount` must be positive.
#[inline(always)]
pub(crate) fn mean_of(heat: i64, amount: i64) -> f32 {
    (heat as f64 / amount as f64) as f32 * (1.0 / HEAT_UNITS as f32)
}

/// Heat deficit in kelvin of a crust with the deficit `crust` (units of heat) on `amount` units of
/// liquid, averaged over the depth; 0 for a deficit that is not positive.
#[inline(always)]
pub(crate) fn skin_of(crust: i64, amount: i64) -> f32 {
    if crust <= 0 || amount <= 0 {
        return 0.0;
    }
    (crust as f64 / amount as f64) as f32 * (1.0 / HEAT_UNITS as f32)
}

/// Heat per unit of amount of a cell's liquid, in heat units: fixed point with [`Warmth::BITS`]
/// fractional bits, rounded down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Warmth(u64);

impl Warmth {
    /// Number of fractional bits of a `Warmth`.
    pub(crate) const BITS: u32 = 20;

    /// Heat per unit of amount of `cell`, which must contain liquid.
    #[inline]
    pub(crate) fn from_cell(cell: FlowCell) -> Self {
        let (heat, amount) = (cell.heat.max(0) as u64, cell.amount as u64);
        if heat < 1 << (64 - Self::BITS) {
            return Self((heat << Self::BITS) / amount);
        }
        Self(
            u64::try_from((u128::from(heat) << Self::BITS) / u128::from(amount))
                .unwrap_or(u64::MAX),
        )
    }

    /// Heat in units of `part` units of amount, rounded down, so that the parts of a cell never sum
    /// to more than its heat.
    #[inline]
    pub(crate) fn times(self, part: i32) -> i64 {
        ((u128::from(part as u64) * u128::from(self.0)) >> Self::BITS) as i64
    }

    /// Heat per unit of amount, rounded down to an integer.
    #[inline]
    pub(crate) fn whole(self) -> u64 {
        self.0 >> Self::BITS
    }
}

/// Heat in units of `part` units of the liquid in `cell`, rounded down.
#[inline]
pub(crate) fn heat_of(part: i32, cell: FlowCell) -> i64 {
    Warmth::from_cell(cell).times(part)
}
