//! Strips: the columns of the box shared out to threads, with the faces and columns that are due at each level.

use std::ops::Range;

use crate::FlowBox;
use crate::motion::plan::{FINEST, Planned};
use crate::store::blocks::{Blocks, WIDE};
use lavoxel_base::parallel::*;

/// Fewest columns or faces for which a second thread is worth its call. Sub-steps follow each other within microseconds, so that
/// the other threads still wait for work and do not sleep.
pub(crate) const TASK: usize = 64;

/// Active columns of a strip, at least, and strips for a thread, so that threads can share what is due evenly.
const STRIP: usize = 128;
const STRIPS: usize = 8;

/// Mark of a number in the lists of a strip: the face has no columns beside it on both sides, or the column is at a side of the
/// box.
pub(crate) const SIDE: u32 = 1 << 31;

/// The level of a column that is not active.
pub(crate) const ASLEEP: u8 = u8::MAX;

/// Numbers by level, ascending in each.
#[derive(Clone, Debug, Default)]
pub(crate) struct ByLevel {
    lists: [Vec<u32>; FINEST as usize + 1],
    /// How many there are at a level and finer ones.
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

    /// How many there are at a level and finer ones.
    #[inline]
    pub(crate) fn due(&self, level: i32) -> usize {
        self.due[level as usize]
    }

    /// All of one level.
    #[inline]
    pub(crate) fn of(&self, level: i32) -> &[u32] {
        &self.lists[level as usize]
    }
}

/// The work of neighbouring columns.
#[derive(Clone, Debug, Default)]
pub(crate) struct Strip {
    /// The columns of the box that are the strip's.
    pub(crate) columns: Range<usize>,
    /// Those of them that were shared out, as numbers in their list.
    pub(crate) these: Range<usize>,
    /// Faces towards east and towards south, by the numbers of their columns. Some are marked with [`SIDE`].
    pub(crate) faces: [ByLevel; 2],
    /// Active columns by the finest level of their faces. Some are marked with [`SIDE`].
    pub(crate) moved: ByLevel,
}

/// Shares the columns of the box out to strips that have about as many of these.
pub(crate) fn share_out(strips: &mut Vec<Strip>, space: FlowBox, these: &[u32]) {
    let threads = current_num_threads();
    let count = if threads > 1 { (these.len() / STRIP).clamp(1, STRIPS * threads) } else { 1 };
    strips.resize_with(count, Strip::default);
    // State is cut between blocks.
    let block = |i: usize| these.get(i).map(|&c| c as usize / WIDE);
    let column = |i: usize| if i == 0 { 0 } else { block(i).map_or(space.columns(), |block| block * WIDE) };
    let start = |s: usize| {
        let even = s * these.len() / count;
        let is_first = |&i: &usize| i == 0 || i == these.len() || block(i) != block(i - 1);
        (even..=these.len()).find(is_first).unwrap_or(these.len())
    };
    for (s, strip) in strips.iter_mut().enumerate() {
        strip.these = start(s)..start(s + 1);
        strip.columns = column(strip.these.start)..if s + 1 == count { space.columns() } else { column(start(s + 1)) };
    }
}

/// Lists what moves at a level or finer ones among the columns that were shared out.
pub(crate) fn lay_out(strips: &mut [Strip], space: FlowBox, columns: &Blocks<Planned>, these: &[u32], due: u8) {
    strips.par_iter_mut().for_each(|strip| strip.list(space, columns, &these[strip.these.clone()], due));
}

impl Strip {
    /// How many faces are due.
    pub(crate) fn due_faces(&self, level: i32) -> usize {
        self.faces.iter().map(|faces| faces.due(level)).sum()
    }

    /// How many faces move at a level.
    pub(crate) fn faces_of(&self, level: i32) -> usize {
        self.faces.iter().map(|faces| faces.of(level).len()).sum()
    }

    fn list(&mut self, space: FlowBox, columns: &Blocks<Planned>, these: &[u32], due: u8) {
        let Self { faces: [to_east, to_south], moved, .. } = self;
        to_east.clear();
        to_south.clear();
        moved.clear();
        let (nx, nz) = (space.nx, space.nz);
        let (mut z, mut start) = (0, 0);
        let later = |a: u8, b: u8| a.wrapping_add(1).max(b.wrapping_add(1)).wrapping_sub(1);
        for &c in these {
            let i = c as usize;
            if i >= start + nx {
                z = i / nx;
                start = z * nx;
            }
            let own = columns[i].level;
            let at = |is_inside: bool, n: usize| if is_inside { columns[n].level } else { ASLEEP };
            let (west, east) = (at(i > start, i.wrapping_sub(1)), at(i + 1 < start + nx, i + 1));
            let (north, south) = (at(z > 0, i.wrapping_sub(nx)), at(z + 1 < nz, i + nx));
            let finest = [east, south, west, north].into_iter().fold(own, later);
            if finest < due {
                continue;
            }
            let at_side_x = i == start || i + 1 == start + nx;
            let at_side_z = z == 0 || z + 1 == nz;
            let mark = |is_side: bool| if is_side { SIDE } else { 0 };
            let is_due = |beside: u8| beside != ASLEEP && own.max(beside) >= due;
            if is_due(east) {
                to_east.lists[usize::from(own.max(east))].push(c | mark(at_side_z));
            }
            if is_due(south) {
                to_south.lists[usize::from(own.max(south))].push(c | mark(at_side_x));
            }
            moved.lists[usize::from(finest)].push(c | mark(at_side_x || at_side_z));
        }
        to_east.count();
        to_south.count();
        moved.count();
    }
}

/// State of neighbouring columns that can be cut between two of them.
pub(crate) trait Cut: Sized {
    /// The first so many columns, and the rest.
    fn cut(self, columns: usize) -> (Self, Self);
}

impl<A: Cut, B: Cut> Cut for (A, B) {
    fn cut(self, columns: usize) -> (Self, Self) {
        let ((a, more_a), (b, more_b)) = (self.0.cut(columns), self.1.cut(columns));
        ((a, b), (more_a, more_b))
    }
}

/// Does the work of strips, each with its share of the state, and merges what comes of it. Two parts run on two threads where in
/// each of them more is due than [`TASK`].
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
    // Cut before the strip that would give the first part more than half of the work.
    let (mut middle, mut sum) = (0, 0);
    while middle + 1 < strips.len() && (middle == 0 || 2 * sum + due(&strips[middle]) <= all) {
        sum += due(&strips[middle]);
        middle += 1;
    }
    let (few, more) = state.cut(strips[middle].columns.start - strips[0].columns.start);
    let (before, after) = strips.split_at(middle);
    let first = || on_strips(before, few, due, work, merge);
    let second = || on_strips(after, more, due, work, merge);
    let (a, b) = if sum.min(all - sum) < TASK { (first(), second()) } else { join(first, second) };
    merge(a, b)
}
