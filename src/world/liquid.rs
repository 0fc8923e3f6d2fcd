//! One liquid over the grid: amounts and energies in fixed point, its account, and where it may be found.

use rayon::prelude::*;

use super::Ledger;
use crate::grid::Grid;
use crate::rules::gravity::Cell;

/// The cells `from..to` along x of one row (equal y and z) outside of which the row holds no liquid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// First cell.
    pub from: u16,
    /// One past the last cell.
    pub to: u16,
}

impl Span {
    /// No cell.
    pub const EMPTY: Self = Self { from: u16::MAX, to: 0 };

    /// Whether no cell is inside.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.from >= self.to
    }

    /// The smallest span around both.
    #[inline]
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self { from: self.from.min(other.from), to: self.to.max(other.to) }
    }

    /// One cell more at either end, inside a row of `nx` cells.
    #[inline]
    #[must_use]
    pub fn grown(self, nx: usize) -> Self {
        if self.is_empty() {
            return self;
        }
        Self { from: self.from.saturating_sub(1), to: (self.to + 1).min(nx as u16) }
    }

    /// The cells as a range.
    #[inline]
    pub fn range(self) -> std::ops::Range<usize> {
        if self.is_empty() { 0..0 } else { usize::from(self.from)..usize::from(self.to) }
    }

    /// The smallest span inside `self` that holds every non-zero of `row`.
    #[inline]
    #[must_use]
    pub fn shrunk(self, row: &[u16]) -> Self {
        let range = self.range();
        let mut cells = row[range.clone()].iter();
        let Some(first) = cells.position(|&a| a > 0) else { return Self::EMPTY };
        let last = cells.rposition(|&a| a > 0).map_or(first, |i| first + 1 + i);
        Self { from: (range.start + first) as u16, to: (range.start + last + 1) as u16 }
    }
}

/// How much liquid there is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Amount in units.
    pub mass: u64,
    /// Cells that hold any.
    pub cells: u64,
}

/// A liquid over the grid.
///
/// Keeps: an empty cell has no energy, and every cell outside its row's span is empty. Amounts and energies are only
/// changed by the engine, the sources and [`super::Edit`], which write what they do into the ledger.
#[derive(Clone, Debug)]
pub struct Liquid {
    grid: Grid,
    pub(crate) amount: Vec<u16>,
    pub(crate) energy: Vec<u16>,
    pub(crate) spans: Vec<Span>,
    /// Where every unit came from and went to.
    pub ledger: Ledger,
}

impl Liquid {
    /// No liquid anywhere.
    pub fn empty(grid: Grid) -> Self {
        Self {
            grid,
            amount: vec![0; grid.cells()],
            energy: vec![0; grid.cells()],
            spans: vec![Span::EMPTY; grid.ny * grid.nz],
            ledger: Ledger::default(),
        }
    }

    /// Amount and energy of the cell at a flat index.
    #[inline]
    pub fn cell(&self, index: usize) -> Cell {
        Cell { amount: self.amount[index], energy: self.energy[index] }
    }

    /// All cells in [`Grid::index`] order.
    pub fn cells(&self) -> impl Iterator<Item = Cell> + '_ {
        self.amount.iter().zip(&self.energy).map(|(&amount, &energy)| Cell { amount, energy })
    }

    /// Amounts of all cells in [`Grid::index`] order, in units.
    pub fn amounts(&self) -> &[u16] {
        &self.amount
    }

    /// Energies of all cells in [`Grid::index`] order, in units.
    pub fn energies(&self) -> &[u16] {
        &self.energy
    }

    /// For each row, numbered `z · ny + y`, the cells outside of which it is empty.
    pub fn spans(&self) -> &[Span] {
        &self.spans
    }

    /// Writes a cell and keeps its row's span around it.
    #[inline]
    pub(crate) fn set(&mut self, x: usize, y: usize, z: usize, cell: Cell) {
        let index = self.grid.index(x, y, z);
        self.amount[index] = cell.amount;
        self.energy[index] = cell.energy;
        if cell.amount > 0 {
            let span = &mut self.spans[z * self.grid.ny + y];
            *span = span.union(Span { from: x as u16, to: x as u16 + 1 });
        }
    }

    /// What the box holds, counted in the spans alone.
    pub fn tally(&self) -> Tally {
        let rows = self.amount.par_chunks_exact(self.grid.nx).zip(&self.spans);
        rows.map(|(row, span)| {
            let held = &row[span.range()];
            let cells = held.iter().filter(|&&a| a > 0).count() as u64;
            Tally { mass: held.iter().map(|&a| u64::from(a)).sum(), cells }
        })
        .reduce(Tally::default, |a, b| Tally { mass: a.mass + b.mass, cells: a.cells + b.cells })
    }

    /// Amount in the whole box, in units.
    pub fn mass(&self) -> u64 {
        self.amount.iter().map(|&a| u64::from(a)).sum()
    }

    /// Energy in the whole box, in units.
    pub fn energy(&self) -> u64 {
        self.energy.iter().map(|&e| u64::from(e)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_shrinks_to_what_is_there() {
        let row = [0, 0, 3, 0, 4, 0];
        let all = Span { from: 0, to: 6 };
        assert_eq!(all.shrunk(&row), Span { from: 2, to: 5 });
        assert_eq!(all.shrunk(&[0, 0, 3, 0, 0, 0]), Span { from: 2, to: 3 });
        assert_eq!(all.shrunk(&[0; 6]), Span::EMPTY);
        assert!(Span::EMPTY.shrunk(&row).is_empty() && Span::EMPTY.grown(6).is_empty());
    }
}
