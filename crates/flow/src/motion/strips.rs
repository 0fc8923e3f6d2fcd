//! Strips: a partition of the box's columns for threads, with lists of the faces and columns that
//! each time level updates.

use std::ops::Range;

use crate::FlowBox;
use crate::motion::plan::{FINEST, Planned};
use crate::store::blocks::{Blocks, WIDE};
use lavoxel_base::parallel::*;

/// Smallest number of columns or faces for which work is split between two threads. Sub-steps
/// follow each other within microseconds, so the other threads still poll for work and are not
/// asleep.
pub(crate) const TASK: usize = 64;

/// Smallest number of active columns in a strip.
const STRIP: usize = 128;
/// Largest number of strips per thread; several strips per thread balance the load.
const STRIPS: usize = 8;

/// Flag bit of an entry in a strip's lists: set for a face if a column from which its flux is
/// computed lies outside the box, and for a column at a side of the box.
pub(crate) const SIDE: u32 = 1 << 31;

/// Placeholder for the time level of a column that is not active.
pub(crate) const ASLEEP: u8 = u8::MAX;

/// Lists of column numbers by time level, each ascending; an entry stands for the column or for one
/// of its faces.
#[derive(Clone, Debug, Default)]
pub(crate) struct ByLevel {
    lists: [Vec<u32>; FINEST as usize + 1],
    /// Number of entries at each time level and all finer levels together.
    due: [usize; FINEST as usize + 1],
}

impl ByLevel {
    fn clear(&mut self) {
        self.lists.iter_mut().for_each(Vec::clear);
    }

    fn count(&mut self) {
        let mut sum = 0;
        for (list, due) in self.lists.iter().zip(&mut self.due).rev() {
            sum += list.len();
            *due = sum;
        }
    }

    /// Number of entries at the time level `level` and all finer levels together.
    #[inline]
    pub(crate) fn due(&self, level: i32) -> usize {
        self.due[level as usize]
    }

    /// Entries at exactly the time level `level`.
    #[inline]
    pub(crate) fn at_level(&self, level: i32) -> &[u32] {
        &self.lists[level as usize]
    }
}

/// Range of consecutive columns, with the faces and columns in it that are updated at each time
/// level.
#[derive(Clone, Debug, Default)]
pub(crate) struct Strip {
    /// Range of the numbers of the strip's columns.
    pub(crate) columns: Range<usize>,
    /// Index range of the strip's columns in the list of active columns.
    pub(crate) these: Range<usize>,
    /// Faces towards east and faces towards south that are updated in this round, as numbers of
    /// their columns, some with the flag [`SIDE`].
    pub(crate) faces: [ByLevel; 2],
    /// Columns that are updated in this round, by the finest time level of their faces, some with
    /// the flag [`SIDE`].
    pub(crate) moved: ByLevel,
}

/// Partitions the columns of the box into strips with about equal numbers of the columns `these`
/// (numbers, ascending).
pub(crate) fn share_out(strips: &mut Vec<Strip>, space: FlowBox, these: &[u32]) {
    let threads = current_num_threads();
    let count = if threads > 1 {
        (these.len() / STRIP).clamp(1, STRIPS * threads)
    } else {
        1
    };
    strips.resize_with(count, Strip::default);
    // Cuts lie between blocks, since `Blocks` can only be split there.
    let block = |i: usize| these.get(i).map(|&c| c as usize / WIDE);
    let column = |i: usize| {
        if i == 0 {
            0
        } else {
            block(i).map_or(space.columns(), |block| block * WIDE)
        }
    };
    let start = |s: usize| {
        let even = s * these.len() / count;
        let is_first = |&i: &usize| i == 0 || i == these.len() || block(i) != block(i - 1);
        (even..=these.len()).find(is_first).unwrap_or(these.len())
    };
    for (s, strip) in strips.iter_mut().enumerate() {
        strip.these = start(s)..start(s + 1);
        strip.columns = column(strip.these.start)..if s + 1 == count {
            space.columns()
        } else {
            column(start(s + 1))
        };
    }
}

/// Lists in each strip the faces and columns of `these` that are updated at the time level `due` or
/// finer levels. `columns`: plan of each column.
pub(crate) fn lay_out(
    strips: &mut [Strip],
    space: FlowBox,
    columns: &Blocks<Planned>,
    these: &[u32],
    due: u8,
) {
    strips
        .par_iter_mut()
        .for_each(|strip| strip.list(space, columns, &these[strip.these.clone()], due));
}

impl Strip {
    /// Number of faces to evaluate at the time level `level` and all finer levels together.
    pub(crate) fn due_faces(&self, level: i32) -> usize {
        self.faces.iter().map(|faces| faces.due(level)).sum()
    }

    /// Number of faces to evaluate at exactly the time level `level`.
    pub(crate) fn faces_of(&self, level: i32) -> usize {
        self.faces
            .iter()
            .map(|faces| faces.at_level(level).len())
            .sum()
    }

    fn list(&mut self, space: FlowBox, columns: &Blocks<Planned>, these: &[u32], due: u8) {
        let Self {
            faces: [to_east, to_south],
            moved,
            ..
        } = self;
        to_east.clear();
        to_south.clear();
        moved.clear();
        let (nx, nz) = (space.nx, space.nz);
        let (mut z, mut start) = (0, 0);
        // The finer of two levels; `ASLEEP` wraps to 0, so that a sleeping neighbour never counts.
        let later = |a: u8, b: u8| a.wrapping_add(1).max(b.wrapping_add(1)).wrapping_sub(1);
        for &c in these {
            let i = c as usize;
            if i >= start + nx {
                z = i / nx;
                start = z * nx;
            }
            let own = columns[i].level;
            let at = |is_inside: bool, n: usize| if is_inside { columns[n].level } else { ASLEEP };
            let (west, east) = (
                at(i > start, i.wrapping_sub(1)),
                at(i + 1 < start + nx, i + 1),
            );
            let (north, south) = (at(z > 0, i.wrapping_sub(nx)), at(z + 1 < nz, i + nx));
            let finest = [east, south, west, north].into_iter().fold(own, later);
            if finest < due {
                continue;
            }
            let at_side_x = i == start || i + 1 == start + nx;
            let at_side_z = z == 0 || z + 1 == nz;
            let mark = |is_side: bool| if is_side { SIDE } else { 0 };
            let is_due = |beside: u8| beside != ASLEEP && own.max(beside) >= due;
            // The columns behind and beyond the face must lie in the box, too.
            let is_last_x = i == start || i + 2 >= start + nx;
            let is_last_z = z == 0 || z + 2 >= nz;
            if is_due(east) {
                to_east.lists[usize::from(own.max(east))].push(c | mark(at_side_z || is_last_x));
            }
            if is_due(south) {
                to_south.lists[usize::from(own.max(south))].push(c | mark(at_side_x || is_last_z));
            }
            moved.lists[usize::from(finest)].push(c | mark(at_side_x || at_side_z));
        }
        to_east.count();
        to_south.count();
        moved.count();
    }
}

/// State of a range of consecutive columns that can be split between two columns, so that two
/// threads can change one part each.
pub(crate) trait Cut: Sized {
    /// Splits the state into that of the first `columns` columns and that of the remaining columns.
    fn cut(self, columns: usize) -> (Self, Self);
}

impl<A: Cut, B: Cut> Cut for (A, B) {
    fn cut(self, columns: usize) -> (Self, Self) {
        let ((a, more_a), (b, more_b)) = (self.0.cut(columns), self.1.cut(columns));
        ((a, b), (more_a, more_b))
    }
}

/// Calls `work` for every strip with the strip's portion of `state`, and merges the results. The
/// strips are halved recursively; two halves run on two threads if each has at least [`TASK`]
/// columns or faces to update, as counted by `due`.
pub(crate) fn on_strips<S: Cut + Send, R: Send>(
    strips: &[Strip],
    state: S,
    due: &(impl Fn(&Strip) -> usize + Sync),
    work: &(impl Fn(&Strip, S) -> R + Sync),
    merge: &(impl Fn(R, R) -> R + Sync),
) -> R {
    if let [strip] = strips {
        return work(strip, state);
    }
    let all: usize = strips.iter().map(due).sum();
    // Splits before the strip that would give the first part more than half of the work.
    let (mut middle, mut sum) = (0, 0);
    while middle + 1 < strips.len() && (middle == 0 || 2 * sum + due(&strips[middle]) <= all) {
        sum += due(&strips[middle]);
        middle += 1;
    }
    let (few, more) = state.cut(strips[middle].columns.start - strips[0].columns.start);
    let (before, after) = strips.split_at(middle);
    let first = || on_strips(before, few, due, work, merge);
    let second = || on_strips(after, more, due, work, merge);
    let (a, b) = if sum.min(all - sum) < TASK {
        (first(), second())
    } else {
        join(first, second)
    };
    merge(a, b)
}
