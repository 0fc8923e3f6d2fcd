//! Conversion of one column of the physical model's flow to the cells of the world that display the
//! flow.

use super::{PER_UNIT, ROCK};
use lavoxel_automaton::world::Content;
use lavoxel_base::units::{AMOUNT_ONE, ENERGY_MAX, ENERGY_ONE};
use lavoxel_flow::{Flow, FlowCell, Lava, UNITS};

/// Buffer for one column of the flow: its cells, and the contents that cells of the world display
/// for them.
#[derive(Clone, Debug, Default)]
pub(super) struct Column {
    /// Height index y of the lowest cell that was read; all cells below are rock.
    pub(super) from: usize,
    /// End (exclusive) of the height indices y that were read; all cells above are air.
    pub(super) to: usize,
    /// Cells of the flow, from height index `from` upwards. For a lava that melts, `rock` excludes
    /// the solid lava, which is in `solids`.
    cells: Vec<FlowCell>,
    solids: Vec<i32>,
    /// Height index y of the first cell above the ground; `None` for a lava that cannot melt.
    pub(super) melts: Option<usize>,
    shown: Vec<Shown>,
    /// Height of the ground surface above the floor of the simulation box, in cells; `None` if the
    /// surface is below the cells read.
    pub(super) height: Option<f32>,
}

/// Content that one cell of the world displays of the flow.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Shown {
    pub(super) ground: bool,
    /// Amount of solid lava that can melt, in units of a layer (`AMOUNT_ONE` per full cell).
    pub(super) solid: u16,
    /// Amount of the scene's rock (`[[body]]`) above the ground, in units of a layer (`AMOUNT_ONE`
    /// per full cell).
    pub(super) mould: u16,
    pub(super) liquid: Content,
}

impl Column {
    /// Reads the column of `flow` with the index `number` into this buffer. `ny`: height of the
    /// world in cells.
    pub(super) fn read(&mut self, flow: &Flow, number: usize, ny: usize) {
        let (x, z) = (number % flow.space().nx, number / flow.space().nx);
        let levels = flow.levels(number);
        // One extra cell height on each side: the surface may lie on the cell below, and a film on
        // the highest cell is displayed in the cell above.
        (self.from, self.to) = (
            levels.start.min(ny).saturating_sub(1),
            (levels.end + 1).min(ny),
        );
        self.cells.clear();
        self.solids.clear();
        for y in self.from..self.to {
            let (cell, solid) = (flow.cell([x, y, z]), flow.solid([x, y, z]));
            self.cells.push(FlowCell {
                rock: cell.rock - solid.min(cell.rock),
                ..cell
            });
            self.solids.push(solid);
        }
    }

    /// Computes the content that the cells of the world display, from the cells that [`Self::read`]
    /// stored.
    pub(super) fn show(&mut self, lava: &Lava) {
        self.shown.clear();
        let first = self.melts.unwrap_or(usize::MAX);
        for (cell, y) in self.cells.iter_mut().zip(self.from..) {
            let mould = if y < first {
                0
            } else {
                std::mem::take(&mut cell.rock)
            };
            let ground = cell.rock >= ROCK;
            self.shown.push(Shown {
                ground,
                mould: (mould / PER_UNIT) as u16,
                ..Shown::default()
            });
        }
        if self.melts.is_some() {
            self.show_cells(lava)
        } else {
            self.stack_runs(lava)
        }
        self.height = self.surface();
    }

    /// Computes the display of a lava that melts: solid and liquid of each cell are displayed in
    /// the cell itself or, if the cell is mostly ground, in the cell above.
    fn show_cells(&mut self, lava: &Lava) {
        let (mut solid, mut amount, mut warmth) = (0, 0, 0.0);
        for (i, (cell, shown)) in self.cells.iter().zip(&mut self.shown).enumerate() {
            solid += self.solids[i].min(UNITS);
            amount += cell.amount;
            warmth += f64::from(cell.amount) * warmth_of(cell, lava);
            if shown.ground {
                continue;
            }
            shown.solid = ((solid.min(UNITS) / PER_UNIT) as u16).min(AMOUNT_ONE - shown.mould);
            let room = i32::from(AMOUNT_ONE - shown.mould - shown.solid) * PER_UNIT;
            if amount > 0 && room > 0 {
                shown.liquid = content(
                    amount.min(room),
                    warmth * f64::from(amount.min(room)) / f64::from(amount),
                );
            }
            (solid, amount, warmth) = (0, 0, 0.0);
        }
    }

    /// Returns the content that the cell at height index `y` displays: rock if `y` lies below the
    /// cells that were read, air above these cells.
    pub(super) fn shown(&self, y: usize) -> Shown {
        match y.checked_sub(self.from) {
            Some(i) => self.shown.get(i).copied().unwrap_or_default(),
            None => Shown {
                ground: true,
                ..Shown::default()
            },
        }
    }

    /// Returns the height index above the highest cell that displays lava or solid; 0 if no cell
    /// does.
    pub(super) fn top(&self) -> usize {
        self.shown
            .iter()
            .rposition(|shown| shown.liquid.amount > 0 || shown.solid > 0 || shown.mould > 0)
            .map_or(0, |i| self.from + i + 1)
    }

    /// Computes the display of a lava that does not melt: the lava in each vertical run of cells
    /// (open cells without rock between them) is stacked upwards from the lowest cell of this run
    /// of cells.
    fn stack_runs(&mut self, lava: &Lava) {
        let mut first = 0;
        while first < self.cells.len() {
            // A run of cells ends below the next cell with rock.
            let rest = &self.cells[first + 1..];
            let end = first
                + 1
                + rest
                    .iter()
                    .position(|cell| cell.rock > 0)
                    .unwrap_or(rest.len());
            stack(&self.cells[first..end], &mut self.shown[first..end], lava);
            first = end;
        }
    }

    /// Returns the height of the topmost rock surface above the floor in cells; `None` if no rock
    /// was read. Rounded such that the cell below the surface is displayed as solid and the cell of
    /// the surface is not.
    fn surface(&self) -> Option<f32> {
        let top = self
            .cells
            .iter()
            .rposition(|cell| cell.rock >= ROCK)
            .map_or(0, |i| i + 1);
        if top == 0 && self.from > 0 {
            return None;
        }
        let share = |cell: &FlowCell| f64::from(cell.rock) / f64::from(UNITS);
        let (base, part) = match self.cells.get(top).map(share).filter(|&part| part > 0.0) {
            Some(part) => (top, part),
            None if top > 0 => (top - 1, share(&self.cells[top - 1])),
            None => (0, 0.0),
        };
        let height = ((self.from + base) as f64 + part) as f32;
        // Rounding to `f32` may lift the height into the next cell.
        let is_above = (height + 0.5).floor() as usize > self.from + top;
        Some(if is_above { height.next_down() } else { height })
    }
}

/// Fills `shown`, the open cells of a vertical run of cells, from the bottom up with the total lava
/// of `cells`, the flow's cells in the same place.
fn stack(cells: &[FlowCell], shown: &mut [Shown], lava: &Lava) {
    let mut open = shown.iter_mut().filter(|shown| !shown.ground);
    let (mut to, mut amount, mut warmth) = (open.next(), 0, 0.0);
    for cell in cells.iter().filter(|cell| cell.amount > 0) {
        let (mut left, warm) = (cell.amount, warmth_of(cell, lava));
        while let Some(target) = to.as_mut().filter(|_| left > 0) {
            let part = left.min(UNITS - amount);
            (left, amount, warmth) = (left - part, amount + part, warmth + f64::from(part) * warm);
            target.liquid = content(amount, warmth);
            if amount == UNITS {
                (to, amount, warmth) = (open.next(), 0, 0.0);
            }
        }
    }
}

/// Converts lava of the flow to amount and energy in a cell of the lava layer. `amount`: in units
/// of the flow; `warmth`: linear in temperature, 0 at the solidus, 1 at the vent temperature.
fn content(amount: i32, warmth: f64) -> Content {
    // At least one unit: even the thinnest film is displayed.
    let units = ((amount + PER_UNIT / 2) / PER_UNIT).clamp(1, AMOUNT_ONE.into()) as u16;
    let energy = warmth / f64::from(UNITS) * f64::from(ENERGY_ONE);
    Content {
        amount: units,
        energy: energy.round().clamp(0.0, ENERGY_MAX.into()) as u16,
    }
}

/// Returns the warmth of the lava in `cell`, which is linear in temperature: 0 at the solidus, 1 at
/// the vent temperature; clamped to 0 … 2.
fn warmth_of(cell: &FlowCell, lava: &Lava) -> f64 {
    let [cold, hot] = lava.warmth_k();
    let kelvin = cell.temperature_k(lava).unwrap_or(cold);
    ((kelvin - cold) / (hot - cold)).clamp(0.0, 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(rock: f64, amount: f64, kelvin: f64) -> FlowCell {
        let units = |share: f64| (share * f64::from(UNITS)) as i32;
        let heat = (f64::from(units(amount)) * kelvin * lavoxel_flow::HEAT_UNITS as f64) as i64;
        FlowCell {
            amount: units(amount),
            rock: units(rock),
            heat,
        }
    }

    fn column(from: usize, cells: Vec<FlowCell>) -> Column {
        let solids = vec![0; cells.len()];
        let mut column = Column {
            from,
            to: from + cells.len(),
            cells,
            solids,
            ..Column::default()
        };
        column.show(&Lava::default());
        column
    }

    fn amounts(column: &Column) -> Vec<f64> {
        column
            .shown
            .iter()
            .map(|shown| f64::from(shown.liquid.amount) / f64::from(AMOUNT_ONE))
            .collect()
    }

    #[test]
    fn lava_stands_on_the_cell_that_shows_as_rock() {
        let hot = Lava::default().vent_k;
        // A film on a cell that is mostly rock.
        let film = column(
            4,
            vec![
                cell(1.0, 0.0, 0.0),
                cell(0.75, 0.25, hot),
                cell(0.0, 0.5, hot),
            ],
        );
        assert_eq!(
            (amounts(&film), film.height),
            (vec![0.0, 0.0, 0.75], Some(5.75))
        );
        assert_eq!(
            (film.top(), film.shown(6).liquid.energy),
            (7, ENERGY_ONE / 4 * 3)
        );
        // On a cell that is mostly open, a film fills the part that is rock below.
        let low = column(
            4,
            vec![
                cell(1.0, 0.0, 0.0),
                cell(0.25, 0.75, hot),
                cell(0.0, 0.5, hot),
            ],
        );
        assert_eq!(
            (amounts(&low), low.height),
            (vec![0.0, 1.0, 0.25], Some(5.25))
        );
    }

    #[test]
    fn a_run_under_a_roof_stays_below_it() {
        let cold = Lava::default().solidus_k;
        let cells = vec![
            cell(1.0, 0.0, 0.0),
            cell(0.5, 0.5, cold),
            cell(0.0, 1.125, cold),
            cell(0.75, 0.125, cold),
        ];
        let tube = column(0, cells);
        assert_eq!(
            (amounts(&tube), tube.height),
            (vec![0.0, 0.0, 1.0, 0.0], Some(3.75)),
            "no room above the roof"
        );
        assert_eq!(tube.shown(2).liquid.energy, 0, "at the solidus");
    }

    #[test]
    fn the_surface_fits_the_cells_that_are_solid() {
        for rock in [0, 1, ROCK - 1, ROCK, ROCK + 1, UNITS - 1, UNITS] {
            let cells = vec![
                cell(1.0, 0.0, 0.0),
                FlowCell {
                    rock,
                    ..FlowCell::default()
                },
            ];
            let column = column(700, cells);
            let top = 701 + usize::from(rock >= ROCK);
            let height = column.height.expect("it is rock");
            assert_eq!(
                (height + 0.5).floor() as usize,
                top,
                "rock {rock}: {height}"
            );
        }
        assert_eq!(column(0, vec![FlowCell::default()]).height, Some(0.0));
    }
}
