//! A column: its cells, and the runs of liquid in its gaps.
//!
//! Invariants after [`Column::settle`]: liquid lies on the floor of its gap without holes, and only
//! the top cell of a full gap may hold more than its room.

use smallvec::SmallVec;

use crate::motion::layers::{layers, part_of, two_layers};
use crate::motion::mag::Mag;
use crate::motion::tables::Tables;
use crate::store::lean::Lean;
use crate::{FlowCell, UNITS};

/// Units of height in a cell; heights count from the floor of the box.
pub(crate) const UNIT: i64 = UNITS as i64;

/// Roof height of a gap under the sky.
pub(crate) const SKY: i64 = i64::MAX / 4;

/// Head per unit of excess in a full gap: the inverse of the width of a Preissmann slot (ε = 1/16).
/// The slot makes the head of a pipe under pressure a local quantity, so no global solve is needed.
pub(crate) const SLOT: i64 = 16;

/// Liquid of one gap, as the fluxes read it. Heights are in units, from the floor of the box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Run {
    /// First cell of the gap; the floor of the gap may lie within this cell.
    pub(crate) first: i32,
    /// One past the last cell of the gap.
    pub(crate) end: i32,
    /// Highest cell with liquid; `first - 1` in a dry gap.
    pub(crate) top: i32,
    /// Full flag: the liquid fills the gap up to its roof.
    pub(crate) full: bool,
    pub(crate) floor: i64,
    pub(crate) roof: i64,
    /// Depth of the liquid, at most up to the roof.
    pub(crate) depth: i64,
    /// Height up to which the liquid would stand in a pipe.
    pub(crate) head: i64,
    /// Mobility over the cube of the depth: flux for a unit of head, over a step.
    pub(crate) fluidity: Mag,
    /// Yield strength in the unit of [`crate::motion::face`].
    pub(crate) strength: Mag,
}

impl Run {
    /// Height of the liquid's surface.
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
    /// Computes fluidity and strength of a run with one wet cell, under a crust with the deficit
    /// `skin` in kelvin.
    #[inline(always)]
    fn refresh_one(&mut self, cell: FlowCell, skin: f32, tables: &Tables) -> Kept {
        let warmth = Warmth::of(cell);
        (self.fluidity, self.strength) =
            (tables.fluidity[tables.row_of_core(warmth, skin)], tables.strength[tables.row_of(warmth)]);
        Kept { warmth: [warmth, Warmth::default()], share: 0 }
    }

    /// Computes fluidity and strength of a run with two wet cells, under a crust with the deficit
    /// `skin` in kelvin.
    #[inline]
    fn refresh_two(&mut self, cells: [FlowCell; 2], skin: f32, tables: &Tables) -> Kept {
        let warmth = [Warmth::of(cells[0]), Warmth::of(cells[1])];
        let fluidities = warmth.map(|warmth| tables.fluidity[tables.row_of_core(warmth, skin)]);
        let above = self.depth - (i64::from(self.first + 1) * UNIT - self.floor);
        let (fluidity, share) = two_layers(fluidities, part_of(above, self.depth));
        let [lower, upper] = cells;
        let mean = tables.row(lower.heat + upper.heat, i64::from(lower.amount) + i64::from(upper.amount));
        (self.fluidity, self.strength) = (fluidity, tables.strength[mean]);
        Kept { warmth, share }
    }
}

/// A column of cells, with the runs derived from them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Column {
    /// Level of the lowest stored cell; all below is whole rock.
    pub(crate) base: i32,
    /// Cells from `base` upwards; all above are empty.
    pub(crate) cells: SmallVec<[FlowCell; 3]>,
    /// Share of a run's flux that flows in the cells up to and including each, with 32 bits after
    /// the point; set only for runs of several cells.
    pub(crate) shares: SmallVec<[u32; 3]>,
    pub(crate) runs: SmallVec<[Run; 1]>,
    /// Squared cosine of the bed's slope.
    pub(crate) cos2: Mag,
    /// Heat deficit of the uppermost run's crust relative to its core, spread over the run's depth,
    /// in kelvin: the deficit in J/m² over ρ c and the depth. The deficit is carried with the
    /// liquid, so a stretching surface thins the crust.
    pub(crate) skin: f32,
    /// Depth of the lid: depth below the surface of the uppermost run, in units of height, down to
    /// which the liquid is not warmer than the solidus. From the last heat step; not saved.
    pub(crate) lid: i64,
    /// Cover flag: other matter covers the uppermost run, which then loses no heat to the sky.
    pub(crate) covered: bool,
}

impl Column {
    /// Column of rock up to `height` units.
    pub(crate) fn of_ground(height: i64) -> Self {
        let base = height.div_euclid(UNIT);
        let rock = (height - base * UNIT) as i32;
        let mut cells = SmallVec::new();
        if rock > 0 {
            cells.push(FlowCell { rock, ..FlowCell::default() });
        }
        Self { base: base as i32, cells, ..Self::default() }
    }

    #[inline]
    pub(crate) fn cell(&self, level: i32) -> FlowCell {
        if level < self.base {
            return FlowCell { rock: UNITS, ..FlowCell::default() };
        }
        self.cells.get((level - self.base) as usize).copied().unwrap_or_default()
    }

    /// Cell at a level not below `base`, stored from now on.
    #[inline]
    pub(crate) fn cell_mut(&mut self, level: i32) -> &mut FlowCell {
        let index = (level - self.base) as usize;
        if index >= self.cells.len() {
            self.cells.resize(index + 1, FlowCell::default());
        }
        &mut self.cells[index]
    }

    /// One past the highest stored cell.
    pub(crate) fn end(&self) -> i32 {
        self.base + self.cells.len() as i32
    }

    /// Stores cells below `base` down to `level` as rock, so that they can be changed.
    pub(crate) fn reach_down(&mut self, level: i32) {
        while self.base > level {
            self.cells.insert(0, FlowCell { rock: UNITS, ..FlowCell::default() });
            self.base -= 1;
        }
    }

    /// Returns true if any run holds liquid.
    pub(crate) fn is_wet(&self) -> bool {
        self.runs.iter().any(Run::is_wet)
    }

    /// Amount in all cells, in units.
    pub(crate) fn amount(&self) -> i64 {
        self.cells.iter().map(|cell| i64::from(cell.amount)).sum()
    }

    /// Heat in all cells, in units.
    pub(crate) fn heat(&self) -> i128 {
        self.cells.iter().map(|cell| i128::from(cell.heat)).sum()
    }

    /// Takes the heat that rounding left in cells without liquid, and returns its sum.
    pub(crate) fn drop_rests(&mut self) -> i64 {
        let empty = self.cells.iter_mut().filter(|cell| cell.amount == 0);
        empty.map(|cell| std::mem::take(&mut cell.heat)).sum()
    }

    /// Description of the first broken invariant of the cells; None if all hold.
    pub(crate) fn fault(&self) -> Option<&'static str> {
        let last = |i: usize| i + 1 == self.cells.len() || self.cells[i + 1].rock > 0;
        self.cells.iter().enumerate().find_map(|(i, cell)| {
            let room = UNITS - cell.rock;
            let is_floating =
                || cell.amount < room && self.cells.get(i + 1).is_some_and(|up| up.amount > 0 && up.rock == 0);
            match *cell {
                FlowCell { amount, heat, rock } if amount < 0 || heat < 0 || !(0..=UNITS).contains(&rock) => {
                    Some("a number out of range")
                }
                FlowCell { amount: 0, heat: 1.., .. } => Some("heat without liquid"),
                FlowCell { amount: 1.., rock: UNITS, .. } => Some("liquid in rock"),
                FlowCell { amount, .. } if amount > room && !(last(i) && i + 1 < self.cells.len()) => {
                    Some("more than a full cell")
                }
                _ if is_floating() => Some("liquid that floats"),
                _ => None,
            }
        })
    }

    /// Rebuilds the gaps after rock has changed; the runs are dry until [`Column::refresh`].
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
                fluidity: Mag::ZERO,
                strength: Mag::ZERO,
            });
            if open {
                return;
            }
        }
    }

    /// Lets liquid fall to the floor of its gap, and excess over a cell's room rise; heat goes
    /// along. Under a roof the excess stays in the top cell of the gap.
    pub(crate) fn settle(&mut self) {
        for i in 0..self.runs.len() {
            let Run { first, end, .. } = self.runs[i];
            self.settle_gap(first, end);
        }
    }

    fn settle_gap(&mut self, first: i32, end: i32) {
        let (start, end) = ((first - self.base) as usize, (end - self.base) as usize);
        let stored = end.min(self.cells.len());
        let Some(mut top) = (start..stored).rev().find(|&i| self.cells[i].amount > 0) else { return };
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

    /// Fills the room in cells from the cells above, between the stored cells `start` and `top`.
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
                let heat = if amount == source.amount { source.heat } else { heat_of(amount, source) };
                self.carry(from, i, amount, heat);
                room -= amount;
            }
            if room > 0 {
                return;
            }
        }
    }

    /// Moves liquid with its heat between two stored cells.
    #[inline]
    fn carry(&mut self, from: usize, to: usize, amount: i32, heat: i64) {
        let cells = self.cells.as_mut_slice();
        (cells[from].amount, cells[from].heat) = (cells[from].amount - amount, cells[from].heat - heat);
        (cells[to].amount, cells[to].heat) = (cells[to].amount + amount, cells[to].heat + heat);
    }

    /// Recomputes the runs from the cells, after liquid or heat has changed.
    pub(crate) fn refresh(&mut self, tables: &Tables) {
        for i in 0..self.runs.len() {
            self.refresh_run(i, tables);
        }
    }

    /// Recomputes the runs of a column that moves, and returns its record.
    #[inline]
    pub(crate) fn refresh_with_lean(&mut self, tables: &Tables) -> Lean {
        if self.runs.len() == 1 && self.runs[0].is_under_sky() {
            let kept = self.refresh_run(0, tables);
            return Lean::of_run(&self.runs[0], self.cos2, kept);
        }
        self.refresh(tables);
        Lean::of(self)
    }

    /// Fast path of [`Column::refresh_with_lean`] for one run under the sky with at most two wet
    /// cells, given as `lower` and `upper`.
    #[inline(always)]
    pub(crate) fn refresh_open(&mut self, lower: FlowCell, upper: FlowCell, tables: &Tables) -> Lean {
        let (run, skin) = (&mut self.runs[0], self.skin);
        let amount = i64::from(lower.amount) + i64::from(upper.amount);
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
        Lean::of_run(run, self.cos2, kept)
    }

    /// Recomputes run `i` and returns what a record keeps of its cells.
    #[inline(always)]
    fn refresh_run(&mut self, i: usize, tables: &Tables) -> Kept {
        // A run below a roof has no crust.
        let skin = if i + 1 == self.runs.len() { self.skin } else { 0.0 };
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
        let fluidity = |cell: &FlowCell| tables.fluidity[tables.row_of_core(Warmth::of(*cell), skin)];
        let above =
            |j: usize| part_of(run.depth - ((i64::from(run.first) + j as i64 + 1) * UNIT - run.floor), run.depth);
        run.fluidity = layers(cells.iter().map(fluidity), above, shares);
        Kept::default()
    }
}

/// Part of a column's record about its lowest two wet cells.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Kept {
    pub(crate) warmth: [Warmth; 2],
    /// Share of the flux in the lower cell, with 32 bits after the point.
    pub(crate) share: u32,
}

/// Heat per unit of amount in a cell, rounded down to [`Warmth::BITS`] after the point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Warmth(u64);

impl Warmth {
    /// Bits after the binary point.
    pub(crate) const BITS: u32 = 20;

    /// Heat per unit of amount of a cell with liquid.
    #[inline]
    pub(crate) fn of(cell: FlowCell) -> Self {
        let (heat, amount) = (cell.heat.max(0) as u64, cell.amount as u64);
        if heat < 1 << (64 - Self::BITS) {
            return Self((heat << Self::BITS) / amount);
        }
        Self(u64::try_from((u128::from(heat) << Self::BITS) / u128::from(amount)).unwrap_or(u64::MAX))
    }

    /// Heat of `part` units of the cell, rounded down: parts of the cell never add up to more than
    /// its heat.
    #[inline]
    pub(crate) fn times(self, part: i32) -> i64 {
        ((u128::from(part as u64) * u128::from(self.0)) >> Self::BITS) as i64
    }

    /// Heat of a unit, rounded down.
    #[inline]
    pub(crate) fn whole(self) -> u64 {
        self.0 >> Self::BITS
    }
}

/// Heat that goes with `part` units of the cell's liquid, rounded down.
#[inline]
pub(crate) fn heat_of(part: i32, cell: FlowCell) -> i64 {
    Warmth::of(cell).times(part)
}
