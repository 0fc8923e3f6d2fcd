//! Search for the rows of cells that amounts can reach in a substep; the advection skips all other
//! rows.

use std::ops::Range;

use crate::{AirGrid, Amounts, Field, Forces, Side};
use lavoxel_base::parallel::*;

use super::super::pace::Pace;
use super::rows::is_empty;
use super::turns::sweeps;

/// Rows of cells that the advection processes: a flag for each row, at index `z · ny + y`, true if
/// an amount is in the row or can reach the row in the substep.
#[derive(Debug)]
pub(super) struct Awake {
    rows: Vec<bool>,
    ny: usize,
}

impl Awake {
    /// Finds the rows that amounts can reach in a substep of `time` steps, and the fields that are
    /// not zero everywhere in the air's box and in the ambient air. Each sweep moves amounts by at
    /// most one cell along its axis.
    pub(super) fn find(
        amounts: &Amounts,
        forces: &Forces,
        (pace, time): (&Pace, f32),
    ) -> (Self, Vec<Field>) {
        let grid = amounts.grid();
        let [_, ny, nz] = grid.size();
        let is_layered = forces.background.iter().any(|&heat| heat > 0);
        let (mut rows, mut carried) = (vec![is_layered; ny * nz], Vec::new());
        let inks = Field::INKS.into_iter().filter(|&ink| amounts.has(ink));
        for field in Field::CARRIED.into_iter().chain(inks) {
            let full = full_rows(amounts, field);
            if full.contains(&true) || is_layered && field == Field::Heat {
                carried.push(field);
            }
            rows.iter_mut()
                .zip(full)
                .for_each(|(row, full)| *row |= full);
        }
        if !is_layered {
            let fastest = pace.fastest();
            rows = spread(
                &rows,
                grid,
                [1, 2].map(|axis| usize::from(sweeps(fastest[axis], time))),
            );
        }
        (Self { rows, ny }, carried)
    }

    pub(super) fn has(&self, y: usize, z: usize) -> bool {
        self.rows[z * self.ny + y]
    }

    /// Maximal ranges of y in the plane `z` whose rows are flagged.
    pub(super) fn along_y(&self, z: usize) -> Vec<Range<usize>> {
        runs(0..self.ny, |y| self.has(y, z))
    }

    /// Maximal ranges of z within `planes` for which any row with y in `rows` is flagged.
    pub(super) fn along_z(&self, planes: Range<usize>, rows: Range<usize>) -> Vec<Range<usize>> {
        runs(planes, |z| rows.clone().any(|y| self.has(y, z)))
    }
}

/// Returns for each row of cells, at index `z · ny + y`, true if the row contains any amount of
/// `field`.
fn full_rows(amounts: &Amounts, field: Field) -> Vec<bool> {
    let (grid, units) = (amounts.grid(), amounts.field(field));
    let [nx, ny, nz] = grid.size();
    let mut full = vec![false; ny * nz];
    full.par_chunks_mut(ny).enumerate().for_each(|(z, full)| {
        full.iter_mut()
            .enumerate()
            .for_each(|(y, full)| *full = !is_empty(&units[grid.at([0, y, z])..][..nx]));
    });
    full
}

/// Returns the flags `rows` extended to all rows that are at most `along_y` cells along y and
/// `along_z` cells along z away from a flagged row.
fn spread(rows: &[bool], grid: AirGrid, [along_y, along_z]: [usize; 2]) -> Vec<bool> {
    let [_, ny, nz] = grid.size();
    let wraps = grid.sides[2] == Side::Wrap;
    let mut wide = vec![false; rows.len()];
    for z in 0..nz {
        let planes = z as isize - along_z as isize..=(z + along_z) as isize;
        let planes = planes.filter_map(|k| match k {
            _ if (0..nz as isize).contains(&k) => Some(k as usize),
            _ if wraps => Some(k.rem_euclid(nz as isize) as usize),
            _ => None,
        });
        for plane in planes {
            for y in (0..ny).filter(|y| rows[plane * ny + y]) {
                let end = (y + along_y + 1).min(ny);
                wide[z * ny + y.saturating_sub(along_y)..z * ny + end].fill(true);
            }
        }
    }
    wide
}

/// Returns the maximal ranges of consecutive indices within `range` for which `is_marked` is true.
fn runs(range: Range<usize>, is_marked: impl Fn(usize) -> bool) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for k in range.filter(|&k| is_marked(k)) {
        match runs.last_mut() {
            Some(run) if run.end == k => run.end = k + 1,
            _ => runs.push(k..k + 1),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::UNIT;
    use lavoxel_base::grid::Grid;

    #[test]
    fn rows_wake_around_what_there_is() {
        let grid = AirGrid::new(Grid::new(5, 9, 8), [Side::Open, Side::Open, Side::Wrap]);
        let mut amounts = Amounts::none(grid, false);
        amounts.field_mut(Field::Ash)[grid.at([3, 2, 0])] = UNIT;
        let mut pace = Pace::still(grid);
        pace.rows_mut()[7] = [0.2_f32, 1.0, 0.4].map(f32::to_bits);
        let (awake, carried) = Awake::find(&amounts, &Forces::default(), (&pace, 1.0));
        assert_eq!(carried, [Field::Ash]);
        for (y, z) in (0..8).flat_map(|z| (0..9).map(move |y| (y, z))) {
            assert_eq!(awake.has(y, z), y <= 4 && [7, 0, 1].contains(&z), "{y} {z}");
        }
        let ends = |ranges: Vec<Range<usize>>| {
            ranges
                .iter()
                .map(|range| (range.start, range.end))
                .collect::<Vec<_>>()
        };
        assert_eq!(ends(awake.along_y(7)), [(0, 5)]);
        assert_eq!(ends(awake.along_z(0..8, 4..7)), [(0, 2), (7, 8)]);
        assert_eq!(ends(awake.along_z(0..8, 5..7)), []);
        let layers = Forces {
            background: vec![0, 1],
            ..Forces::default()
        };
        let (awake, carried) = Awake::find(&amounts, &layers, (&pace, 1.0));
        assert_eq!(
            (carried, ends(awake.along_y(4))),
            (vec![Field::Heat, Field::Ash], vec![(0, 9)])
        );
    }
}
