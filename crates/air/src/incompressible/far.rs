//! Faces that move by whole cells in a sweep of the velocity: what lies so many cells before them, and the rest of the way
//! by the sweep itself (Lin and Rood 1996, in advective form). No way leads through rock.

use crate::{BEYOND, Side};

use super::velocity::{Sweep, advected};

/// Most whole cells that a face moves.
const MOST: usize = 4;
/// Values beyond the ends of a row that moves along itself.
const WIDE: usize = MOST + BEYOND;

/// Rows of a thread: the Courant numbers of the faces, how far they can come from behind and ahead, whether the way is free so
/// far, and rows with [`WIDE`] values beyond both ends.
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
        Self { courant: row(), ways: [row(), row()], free: row(), values: wide(), open: [wide(), wide()] }
    }
}

/// Cells that the faces of a row move: the mean of four speeds; `share` is a quarter of the time.
#[inline(always)]
fn courants(out: &mut [f32], speeds: [&[f32]; 4], share: f32) {
    let n = out.len();
    let [w0, w1, w2, w3] = speeds;
    let (w0, w1, w2, w3) = (&w0[..n], &w1[..n], &w2[..n], &w3[..n]);
    for i in 0..n {
        out[i] = share * ((w0[i] + w1[i]) + (w2[i] + w3[i]));
    }
}

/// The least and the most of a row.
#[inline(always)]
fn range(row: &[f32]) -> [f32; 2] {
    let (mut low, mut high) = (row[0], row[0]);
    for &c in row {
        low = if c < low { c } else { low };
        high = if c > high { c } else { high };
    }
    [low, high]
}

/// Counts on where one of two rows of faces is open, and all before were.
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

/// Ends the way of the faces where it meets rock.
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

/// New values of those faces that move by more than `shift` - 1 cells, from five rows around the one `shift` cells before.
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

/// A row of `n` values from `from` with [`BEYOND`] beyond both ends, continued to [`WIDE`].
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
    /// New values of a row of faces, if any of them moves by a whole cell; returns whether it does.
    #[inline(always)]
    pub(super) fn far_row(&self, component: usize, place: [usize; 2], out: &mut [f32], rows: &mut Rows) -> bool {
        let (n, speeds) = (out.len(), &self.speeds[self.axis]);
        let around = self.around(component, place).map(|at| &speeds[at..]);
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
            widen(&mut rows.values, &self.from[component][at..], (self.grid.cells.nx, wraps));
        }
        // A pass is for faces within a cell of its shift: one for all of them, or one after the other.
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

    /// Where a row begins that is so many cells ahead along y or z; beyond `ends`, before the first and after the last cell,
    /// the row there, or that at the other end.
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

    /// Whether all faces on the way of a row are open.
    #[inline(always)]
    fn is_free(&self, component: usize, place: [usize; 2]) -> bool {
        let back = self.back(component);
        let is_free =
            |at: usize| self.open.row(self.axis, at).is_none() && self.open.row(self.axis, at - back).is_none();
        if self.axis == 0 {
            return is_free(self.grid.at([0, place[0], place[1]]));
        }
        (-(MOST as isize)..=MOST as isize).all(|ahead| is_free(self.row_at(place, ahead, [0, 0])))
    }

    /// From the faces of a component to those beside them along the axis of the component; none along their own.
    #[inline(always)]
    fn back(&self, component: usize) -> usize {
        if component == self.axis { 0 } else { self.grid.strides()[component] }
    }

    /// How far the faces of a row can come from on both sides: up to the first shut face, and into what lies behind it.
    #[inline(always)]
    fn find_ways(&self, component: usize, place: [usize; 2], n: usize, rows: &mut Rows) {
        let (open, back) = (&self.open.faces[self.axis], self.back(component));
        if self.axis == 0 {
            let at = self.grid.at([0, place[0], place[1]]) - BEYOND;
            let about = (self.grid.cells.nx, self.grid.sides[0] == Side::Wrap);
            widen(&mut rows.open[0], &open[at..], about);
            widen(&mut rows.open[1], &open[at - back..], about);
        }
        // Faces of the own axis come from the next ones, others through those between.
        let nearest = [if back == 0 { -1 } else { 0 }, 1];
        for (side, way) in rows.ways.iter_mut().enumerate() {
            way[..n].fill(1.0);
            rows.free[..n].fill(1.0);
            for step in 0..MOST as isize {
                let ahead = if side == 0 { nearest[0] - step } else { nearest[1] + step };
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
        assert_eq!(out, [9.0, 9.0, 9.0, 9.0, 9.0, 8.0, 1.0, 2.0, 3.0, 7.0, 6.0, 6.0, 6.0, 6.0, 6.0]);
        widen(&mut out, &from, (3, true));
        assert_eq!(out, [1.0, 2.0, 3.0, 1.0, 9.0, 8.0, 1.0, 2.0, 3.0, 7.0, 6.0, 3.0, 1.0, 2.0, 3.0]);
    }
}
