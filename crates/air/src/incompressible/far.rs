//! Advection of the velocity on faces whose values move by one or more whole cells in a substep:
//! the value comes from that many cells upstream, and the remaining fraction of a cell is a normal
//! sweep (Lin and Rood 1996, in advective form).
//!
//! Invariant: no path from a face to its donor cell crosses solid cells.

use crate::{BEYOND, Side};

use super::velocity::{Sweep, advected};

/// Largest number of whole cells that the value of a face moves in a sweep.
const MOST: usize = 4;
/// Number of halo values at each end of a row buffer, for a sweep along the row.
const WIDE: usize = MOST + BEYOND;

/// Row buffers of a thread: Courant numbers of the faces; `ways`, the length in cells of the open
/// path from each face towards lower and towards higher indices; `free`, 1 for paths that are still
/// open, else 0; and rows with [`WIDE`] halo values at both ends.
pub(super) struct Rows {
    courant: Vec<f32>,
    ways: [Vec<f32>; 2],
    free: Vec<f32>,
    values: Vec<f32>,
    open: [Vec<f32>; 2],
}

impl Rows {
    pub(super) fn new(nx: usize) -> Self {
        let row = || vec![0.0; nx + 1];
        let wide = || vec![0.0; nx + 1 + 2 * WIDE];
        Self {
            courant: row(),
            ways: [row(), row()],
            free: row(),
            values: wide(),
            open: [wide(), wide()],
        }
    }
}

/// Computes the Courant numbers of a row of faces from the mean of the four velocities `speeds`
/// around each face; `share` is a quarter of the time in steps.
#[inline(always)]
fn courants(out: &mut [f32], speeds: [&[f32]; 4], share: f32) {
    let n = out.len();
    let [w0, w1, w2, w3] = speeds;
    let (w0, w1, w2, w3) = (&w0[..n], &w1[..n], &w2[..n], &w3[..n]);
    for i in 0..n {
        out[i] = share * ((w0[i] + w1[i]) + (w2[i] + w3[i]));
    }
}

/// Returns the smallest and the largest value of `row`, in this order.
#[inline(always)]
fn range(row: &[f32]) -> [f32; 2] {
    let (mut low, mut high) = (row[0], row[0]);
    for &c in row {
        low = if c < low { c } else { low };
        high = if c > high { c } else { high };
    }
    [low, high]
}

/// Extends each open path from a face by one cell if the next face along the path is open in row
/// `a` or row `b`; else closes the path. `way`: lengths of the paths in cells; `free`: 1 for an
/// open path, else 0.
#[inline(always)]
fn go_on(way: &mut [f32], free: &mut [f32], [a, b]: [&[f32]; 2]) {
    let n = way.len();
    let (free, a, b) = (&mut free[..n], &a[..n], &b[..n]);
    for i in 0..n {
        let most = if a[i] > b[i] { a[i] } else { b[i] };
        free[i] = if most > 0.0 { free[i] } else { 0.0 };
        way[i] += free[i];
    }
}

/// Limits each Courant number of `courant` to the length of the open path upstream of its face, so
/// that no path leads through closed faces. `behind`, `ahead`: lengths of the open paths in cells,
/// towards lower and higher indices.
#[inline(always)]
fn end(courant: &mut [f32], [behind, ahead]: [&[f32]; 2]) {
    let n = courant.len();
    let (behind, ahead) = (&behind[..n], &ahead[..n]);
    for i in 0..n {
        let c = courant[i];
        let c = if c < behind[i] { c } else { behind[i] };
        courant[i] = if c > -ahead[i] { c } else { -ahead[i] };
    }
}

/// Computes new values of the faces of a row whose `courant` (displacement in cells) exceeds
/// `shift` − 1, from old values around the cell `shift` cells upstream; leaves all other faces
/// unchanged. `f0` to `f4`: the five rows of old values around the row `shift` cells upstream, in
/// ascending order.
#[inline(always)]
fn advect(out: &mut [f32], [f0, f1, f2, f3, f4]: [&[f32]; 5], courant: &[f32], shift: f32) {
    let n = out.len();
    let (f0, f1, f2, f3, f4) = (&f0[..n], &f1[..n], &f2[..n], &f3[..n], &f4[..n]);
    let courant = &courant[..n];
    for i in 0..n {
        let c = courant[i] - shift;
        let moves = c > -1.0;
        let c = if moves { c } else { -1.0 };
        let c = if c < 1.0 { c } else { 1.0 };
        let value = advected([f0[i], f1[i], f2[i], f3[i], f4[i]], c);
        let old = out[i];
        out[i] = if moves { value } else { old };
    }
}

/// Copies the row `from` of `n` values with [`BEYOND`] halo values at each end to `out`, and
/// extends the halo to [`WIDE`] values; `wraps` is true for a periodic axis.
#[inline(always)]
fn widen(out: &mut [f32], from: &[f32], (n, wraps): (usize, bool)) {
    let skip = WIDE - BEYOND;
    out[skip..skip + n + 2 * BEYOND].copy_from_slice(&from[..n + 2 * BEYOND]);
    let (first, last) = (out[skip], out[skip + n + 2 * BEYOND - 1]);
    for i in 0..skip {
        let [before, after] = [(i + WIDE * n - WIDE) % n, (BEYOND + i) % n];
        out[i] = if wraps { from[BEYOND + before] } else { first };
        out[skip + n + 2 * BEYOND + i] = if wraps { from[BEYOND + after] } else { last };
    }
}

impl Sweep<'_> {
    /// Computes new velocities of `component` on the row `place` (`[y, z]`) of faces if the value
    /// of any face moves by a whole cell or more, and returns true; else changes nothing and
    /// returns false.
    #[inline(always)]
    pub(super) fn far_row(
        &self,
        component: usize,
        place: [usize; 2],
        out: &mut [f32],
        rows: &mut Rows,
    ) -> bool {
        let (n, speeds) = (out.len(), &self.speeds[self.axis]);
        let around = self
            .advecting_starts(component, place)
            .map(|at| &speeds[at..]);
        courants(&mut rows.courant[..n], around, self.share);
        let [low, high] = range(&rows.courant[..n]);
        if low > -1.0 && high < 1.0 {
            return false;
        }
        if !self.is_free(component, place) {
            self.find_ways(component, place, n, rows);
            let [behind, ahead] = &rows.ways;
            end(&mut rows.courant[..n], [behind, ahead]);
        }
        let [low, high] = range(&rows.courant[..n]);
        if self.axis == 0 {
            let at = self.grid.at([0, place[0], place[1]]) - BEYOND;
            let wraps = self.grid.sides[0] == Side::Wrap;
            widen(
                &mut rows.values,
                &self.from[component][at..],
                (self.grid.cells.nx, wraps),
            );
        }
        // One call of `advect` serves faces within a cell of its shift: one call for all faces if
        // possible, else several.
        let middle = (0.5 * (low + high) + 0.5).floor();
        let one = low - middle > -1.0 && high - middle < 1.0;
        let mut shift = if one { middle } else { low.ceil() };
        loop {
            let whole = shift as isize;
            let mut five = [&rows.values[..]; 5];
            for (k, row) in five.iter_mut().enumerate() {
                let back = k as isize - 2 - whole;
                *row = match self.axis {
                    0 => &rows.values[(WIDE as isize + back) as usize..],
                    _ => &self.from[component][self.row_at(place, back, [-2, 1])..],
                };
            }
            advect(out, five, &rows.courant, shift);
            if high - shift < 1.0 {
                return true;
            }
            shift += 2.0;
        }
    }

    /// Index of the row that lies `ahead` cells further along y or z than the row `place` (`[y,
    /// z]`). `ends`: offsets of the first and the last row; beyond them the index of the last row
    /// in that direction, or of the row at the opposite end of a periodic axis.
    #[inline(always)]
    fn row_at(&self, place: [usize; 2], ahead: isize, ends: [isize; 2]) -> usize {
        let (grid, axis) = (self.grid, self.axis);
        let n = grid.size()[axis] as isize;
        let along = place[axis - 1] as isize + ahead;
        let along = match grid.sides[axis] {
            Side::Wrap if !(0..n).contains(&along) => along.rem_euclid(n),
            _ => along.clamp(ends[0], n + ends[1]),
        };
        let from = grid.at([0, place[0], place[1]]) as isize;
        (from + (along - place[axis - 1] as isize) * grid.strides()[axis] as isize) as usize
    }

    /// Returns true if all faces are open on the paths along which values move to the faces of the
    /// row `place` (`[y, z]`).
    #[inline(always)]
    fn is_free(&self, component: usize, place: [usize; 2]) -> bool {
        let back = self.back(component);
        let is_free = |at: usize| {
            self.open.row(self.axis, at).is_none() && self.open.row(self.axis, at - back).is_none()
        };
        if self.axis == 0 {
            return is_free(self.grid.at([0, place[0], place[1]]));
        }
        (-(MOST as isize)..=MOST as isize).all(|ahead| is_free(self.row_at(place, ahead, [0, 0])))
    }

    /// Index distance from a face of `component` to the previous face along the axis of the
    /// component; 0 if the sweep is along this axis.
    #[inline(always)]
    fn back(&self, component: usize) -> usize {
        if component == self.axis {
            0
        } else {
            self.grid.strides()[component]
        }
    }

    /// Computes for each of `n` faces of the row `place` the length in cells of the open path
    /// towards lower and towards higher indices: to the first closed face, plus one cell.
    #[inline(always)]
    fn find_ways(&self, component: usize, place: [usize; 2], n: usize, rows: &mut Rows) {
        let (open, back) = (&self.open.faces[self.axis], self.back(component));
        if self.axis == 0 {
            let at = self.grid.at([0, place[0], place[1]]) - BEYOND;
            let about = (self.grid.cells.nx, self.grid.sides[0] == Side::Wrap);
            widen(&mut rows.open[0], &open[at..], about);
            widen(&mut rows.open[1], &open[at - back..], about);
        }
        // Faces of the sweep's own axis come from the next faces; for other components the contents
        // pass through the faces between.
        let nearest = [if back == 0 { -1 } else { 0 }, 1];
        for (side, way) in rows.ways.iter_mut().enumerate() {
            way[..n].fill(1.0);
            rows.free[..n].fill(1.0);
            for step in 0..MOST as isize {
                let ahead = if side == 0 {
                    nearest[0] - step
                } else {
                    nearest[1] + step
                };
                let pair = match self.axis {
                    0 => {
                        let from = (WIDE as isize + ahead) as usize;
                        [&rows.open[0][from..], &rows.open[1][from..]]
                    }
                    _ => {
                        let at = self.row_at(place, ahead, [0, 0]);
                        [&open[at..], &open[at - back..]]
                    }
                };
                go_on(&mut way[..n], &mut rows.free, pair);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_go_on_beyond_their_ends() {
        let from = [9.0, 8.0, 1.0, 2.0, 3.0, 7.0, 6.0];
        let mut out = [0.0; 3 + 2 * WIDE];
        widen(&mut out, &from, (3, false));
        assert_eq!(
            out,
            [
                9.0, 9.0, 9.0, 9.0, 9.0, 8.0, 1.0, 2.0, 3.0, 7.0, 6.0, 6.0, 6.0, 6.0, 6.0
            ]
        );
        widen(&mut out, &from, (3, true));
        assert_eq!(
            out,
            [
                1.0, 2.0, 3.0, 1.0, 9.0, 8.0, 1.0, 2.0, 3.0, 7.0, 6.0, 3.0, 1.0, 2.0, 3.0
            ]
        );
    }
}
