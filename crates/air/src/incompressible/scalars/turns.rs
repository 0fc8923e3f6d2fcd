//! Order of the advection sweeps in a substep: each line of cells has as many sweeps as its fastest
//! face needs, at equal intervals.

use crate::{AXES, AirGrid};

use super::super::pace::Pace;
use super::awake::Awake;

/// Largest Courant number of a face in an advection sweep.
const COURANT: f32 = 0.8;

/// Number of sweeps along an axis that a line of cells needs in `time` steps if its fastest face
/// has the speed `speed` (cells per step).
pub(super) fn sweeps(speed: f32, time: f32) -> u8 {
    (speed * time / COURANT).ceil().max(1.0) as u8
}

/// Largest number of cells per line in a sweep along z; such a line consists of adjacent rows.
const LINE: usize = 256;

/// Number of adjacent rows that form a line in a sweep along z.
pub(super) fn block(grid: AirGrid) -> usize {
    (LINE / grid.strides()[1]).max(1)
}

/// Number of sweeps of each line of cells in a substep: along x for each row, at index `z · ny +
/// y`; along y for each plane of equal z; along z for each block of rows.
#[derive(Clone, Debug)]
pub(super) struct Counts {
    time: f32,
    lines: [Vec<u8>; 3],
}

/// Advection sweep along one axis at one time of the substep, and the lines of cells that the sweep
/// advects.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Turn {
    pub axis: usize,
    /// Time of the sweep within the substep, from 0 (start) to 2 (end).
    position: f32,
    /// Bit set of the lines to advect: bit n is set if the sweep advects the lines that have n
    /// sweeps in the substep.
    counts: u32,
    pub is_first: bool,
    pub is_last: bool,
}

impl Counts {
    /// Computes the number of sweeps that each line of cells needs in a substep of `time` steps,
    /// from the largest speeds `pace` in the rows `awake`.
    pub(super) fn new(grid: AirGrid, pace: &Pace, awake: &Awake, time: f32) -> Self {
        let [_, ny, nz] = grid.size();
        let block = block(grid);
        let mut lines = [
            vec![0_u8; ny * nz],
            vec![0_u8; nz],
            vec![0_u8; ny.div_ceil(block)],
        ];
        for (z, y) in (0..nz)
            .flat_map(|z| (0..ny).map(move |y| (z, y)))
            .filter(|&(z, y)| awake.has(y, z))
        {
            let line = [z * ny + y, z, y / block];
            for axis in AXES {
                // The upper faces of the last row or plane are stored in the next one.
                let beyond = [[y, z], [y + 1, z], [y, z + 1]][axis];
                let speed = pace.row(axis, [y, z]).max(pace.row(axis, beyond));
                let most = &mut lines[axis][line[axis]];
                *most = sweeps(speed, time).max(*most);
            }
        }
        Self { time, lines }
    }

    /// Returns all sweeps of a substep, sorted by time; sweeps at the same time are in the `order`
    /// of the axes. Lines in which all amounts are 0 have no sweeps.
    pub(super) fn turns(&self, order: [usize; 3]) -> Vec<Turn> {
        let mut turns: Vec<Turn> = Vec::new();
        for axis in order {
            let present = self.lines[axis]
                .iter()
                .fold(0_u32, |bits, &count| bits | 1 << count);
            for count in (1..32).filter(|count| present >> count & 1 == 1) {
                for k in 0..count {
                    let position = (2 * k + 1) as f32 / count as f32;
                    match turns
                        .iter_mut()
                        .find(|turn| turn.axis == axis && turn.position == position)
                    {
                        Some(turn) => turn.counts |= 1 << count,
                        None => turns.push(Turn {
                            axis,
                            position,
                            counts: 1 << count,
                            is_first: false,
                            is_last: false,
                        }),
                    }
                }
            }
        }
        turns.sort_by(|a, b| a.position.total_cmp(&b.position));
        // Only if every line has one sweep along each axis, a turn is the first or the last for all
        // lines.
        if let [first, _, last] = &mut turns[..] {
            (first.is_first, last.is_last) = (true, true);
        }
        turns
    }

    /// Time in steps by which the sweep `turn` advances the line of cells with index `line`; `None`
    /// if the sweep skips the line.
    #[inline(always)]
    pub(super) fn time(&self, turn: &Turn, line: usize) -> Option<f32> {
        let count = self.lines[turn.axis][line];
        (turn.counts >> count & 1 == 1).then(|| self.time / f32::from(count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fast_lines_have_more_sweeps_among_those_of_the_others() {
        let lines = [vec![1, 0, 1], vec![3, 1], vec![1, 1]];
        let counts = Counts { time: 0.5, lines };
        let turns = counts.turns([1, 2, 0]);
        let order: Vec<_> = turns.iter().map(|turn| (turn.axis, turn.counts)).collect();
        assert_eq!(order, [(1, 8), (1, 10), (2, 2), (0, 2), (1, 8)]);
        assert!(turns.iter().all(|turn| !turn.is_first && !turn.is_last));
        assert_eq!(counts.time(&turns[0], 0), Some(0.5 / 3.0));
        assert_eq!(counts.time(&turns[0], 1), None);
        assert_eq!(counts.time(&turns[1], 1), Some(0.5));
        assert_eq!(counts.time(&turns[3], 1), None, "a line that sleeps");
        let even = Counts {
            time: 1.0,
            lines: [vec![1], vec![1], vec![1]],
        }
        .turns([0, 2, 1]);
        assert_eq!(
            even.iter().map(|turn| turn.axis).collect::<Vec<_>>(),
            [0, 2, 1]
        );
        assert!(even[0].is_first && even[2].is_last);
    }
}
