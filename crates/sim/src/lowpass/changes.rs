//! Runs of cells whose low-passed value changed, so that a renderer uploads only changed cells.

use lavoxel_automaton::world::Span;
use lavoxel_base::grid::Grid;

/// Edge length of a brick in cells.
pub const BRICK: usize = 8;

/// Run of adjacent cells along x in one row whose low-passed value changed; may include unchanged
/// gaps shorter than [`BRICK`] cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// Index of the row of cells along x: `z · ny + y`.
    pub row: usize,
    /// Range of changed cells along x; not empty.
    pub cells: Span,
}

impl Change {
    /// Iterates over the non-empty ranges in `rows` as changes. `rows`: one range of cells per row,
    /// at index `z · ny + y`.
    pub fn of_rows(rows: &[Span]) -> impl Iterator<Item = Self> {
        let changes = rows
            .iter()
            .enumerate()
            .map(|(row, &cells)| Self { row, cells });
        changes.filter(|change| !change.cells.is_empty())
    }
}

/// Cells of one slab (constant z) that changed since the list was last taken, as runs of cells
/// along x.
#[derive(Clone, Debug, Default)]
pub(super) struct SlabChanges(Vec<Change>);

impl SlabChanges {
    /// Returns the upper bound on the number of changes stored for a slab of `ny` rows after
    /// `Self::shorten`.
    pub(super) const fn most(ny: usize) -> usize {
        2 * ny + 64
    }

    /// Records a change of the cell `x` in the row with index `row`. The cells of a row should be
    /// recorded in ascending order and without interruption by cells of other rows, so that they
    /// become one run of cells.
    #[inline]
    pub(super) fn add(&mut self, row: usize, x: usize) {
        let x = x as u16;
        match self.0.last_mut() {
            Some(Change { row: last, cells })
                if *last == row && (cells.from..cells.to + BRICK as u16).contains(&x) =>
            {
                cells.to = cells.to.max(x + 1);
            }
            _ => self.0.push(Change {
                row,
                cells: Span { from: x, to: x + 1 },
            }),
        }
    }

    /// Limits the length of the list for the case that no reader takes the changes: if the list is
    /// too long, merges the changes of each row into one.
    pub(super) fn shorten(&mut self, grid: Grid) {
        if self.0.len() <= Self::most(grid.ny) {
            return;
        }
        let mut rows = vec![Span::EMPTY; grid.ny];
        let first = self.0[0].row / grid.ny * grid.ny;
        for Change { row, cells } in self.0.drain(..) {
            rows[row - first] = rows[row - first].union(cells);
        }
        self.0.extend(Change::of_rows(&rows).map(|change| Change {
            row: first + change.row,
            ..change
        }));
    }

    /// Moves all changes of this list to the end of `changes`.
    pub(super) fn append_to(&mut self, changes: &mut Vec<Change>) {
        changes.append(&mut self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(mut changes: SlabChanges) -> Vec<(usize, u16, u16)> {
        let mut all = Vec::new();
        changes.append_to(&mut all);
        all.iter()
            .map(|change| (change.row, change.cells.from, change.cells.to))
            .collect()
    }

    #[test]
    fn cells_join_unless_a_brick_may_lie_between_them() {
        let mut changes = SlabChanges::default();
        for (row, x) in [(7, 3), (7, 4), (7, 12), (7, 21), (7, 20), (8, 21)] {
            changes.add(row, x);
        }
        assert_eq!(
            taken(changes),
            [(7, 3, 13), (7, 21, 22), (7, 20, 21), (8, 21, 22)]
        );
    }

    #[test]
    fn changes_that_are_not_taken_stay_bounded() {
        let grid = Grid::new(400, 5, 9);
        let mut changes = SlabChanges::default();
        for i in 0..1000 {
            changes.add(3 * 5 + i % 4, 10 * (i % 40));
            changes.shorten(grid);
            assert!(changes.0.len() <= SlabChanges::most(5));
        }
        let mut rows: Vec<_> = taken(changes);
        rows.sort_unstable();
        for row in 15..19 {
            let ends = rows
                .iter()
                .filter(|change| change.0 == row)
                .map(|&(_, from, to)| (from, to));
            let all = ends.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
            assert_eq!(
                all,
                Some((10 * (row as u16 - 15), 10 * (row as u16 - 15) + 361))
            );
        }
    }
}
