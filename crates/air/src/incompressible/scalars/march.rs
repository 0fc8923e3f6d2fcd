//! Advection sweep of the amounts along y or z, that is, across the rows: rows or planes of cells
//! (here called lines) are processed in the order of the axis, and ring buffers keep the last few.

use crate::{BEYOND, Field, Side};
use lavoxel_base::simd::{Simd, Work};

use super::rows::{
    Beside, contents, courants, fluxes, is_empty, pass, reciprocals, slopes, volumes,
};
use super::turns::{Turn, block};
use super::{Halo, MOST, Planes, SweepInputs, ambient};

/// Advection sweep of the amounts along y or z in the planes of one thread.
pub(super) struct March<'a, 'b> {
    pub flow: SweepInputs<'a>,
    pub turn: Turn,
    pub planes: &'a mut Planes<'b>,
    pub carried: &'a [Field],
    /// Net outflow of each field through open sides, in units of 2⁻²⁰.
    pub out: &'a mut [i64; MOST],
}

/// Consecutive lines of cells (rows for y, blocks of rows for z) that one sweep processes, and
/// their places in the fields.
#[derive(Clone, Copy)]
struct Lines {
    /// Number of cells per line.
    length: usize,
    /// Number of lines that the sweep processes.
    count: usize,
    /// Index distance in the fields from a line to the next.
    stride: usize,
    /// Index in the fields of the first cell of the first line.
    from: usize,
    /// Index in the planes of the thread of the first cell of the first line.
    at: usize,
    /// Position of the first line along the axis, in cells.
    first: usize,
    /// Number of cells of the air's box along the axis.
    all: usize,
    /// Time by which the sweep advances the amounts, in steps.
    time: f32,
}

/// Ring buffers with the values of the most recent lines: line k is in slot k modulo 4, or k modulo
/// 2 for values that only two lines need.
struct Rings {
    content: Vec<f32>,
    slope: Vec<f32>,
    flux: Vec<i32>,
    inverse: Vec<f32>,
    courant: Vec<f32>,
    /// Empty flags for each field and slot: true if all amounts of the line are 0; the flux between
    /// two such lines is 0.
    empty: [[bool; 4]; MOST],
    length: usize,
}

impl Rings {
    fn new(length: usize) -> Self {
        let floats = |lines: usize| vec![0.0; lines * length];
        Self {
            content: floats(4 * MOST),
            slope: floats(2 * MOST),
            flux: vec![0; 2 * MOST * length],
            inverse: vec![1.0; 4 * length],
            courant: floats(4),
            empty: [[false; 4]; MOST],
            length,
        }
    }
}

/// Index of the values of line `k` and the field with index `field` in a ring of 4 lines; line 0
/// lies two before the first line of the air's box.
#[inline(always)]
fn four(length: usize, field: usize, k: usize) -> usize {
    (4 * field + k % 4) * length
}

/// Index of the values of line `k` and the field with index `field` in a ring of 2 lines.
#[inline(always)]
fn two(length: usize, field: usize, k: usize) -> usize {
    (2 * field + k % 2) * length
}

impl Work for March<'_, '_> {
    #[inline(always)]
    fn with<S: Simd>(mut self, _: S) {
        let grid = self.flow.grid;
        let ([nx, ny, nz], [_, row, plane]) = (grid.size(), grid.strides());
        let planes = self.planes.volume.len() / plane;
        let low = self.planes.first.max(BEYOND);
        let high = (self.planes.first + planes).min(BEYOND + nz);
        if low >= high {
            return;
        }
        let (z, inside) = (low - BEYOND, (low - self.planes.first) * plane);
        let flow = self.flow;
        if self.turn.axis == 2 {
            let block = block(grid);
            let length = (block - 1) * row + nx;
            let mut rings = Rings::new(length);
            let (halo, nothing) = (std::mem::take(&mut self.planes.halo), self.nothing(length));
            for y in (0..ny).step_by(block) {
                let Some(time) = flow.counts.time(&self.turn, y / block) else {
                    continue;
                };
                let rows = block.min(ny - y);
                let start = (y + BEYOND) * row + BEYOND;
                for planes in flow.awake.along_z(z..z + high - low, y..y + rows) {
                    let lines = Lines {
                        length: (rows - 1) * row + nx,
                        count: planes.len(),
                        stride: plane,
                        from: grid.at([0, y, planes.start]),
                        at: inside + (planes.start - z) * plane + start,
                        first: planes.start,
                        all: nz,
                        time,
                    };
                    // Skipped planes of the thread contain nothing, so that an empty halo lies
                    // beyond these planes.
                    let end = |is_outer: bool| {
                        if is_outer {
                            (&halo, start)
                        } else {
                            (&nothing, 0)
                        }
                    };
                    let ends = [end(planes.start == z), end(planes.end == z + high - low)];
                    self.march(&lines, ends, &mut rings);
                }
            }
            return;
        }
        let (mut rings, halo) = (Rings::new(nx), self.y_halo(nx));
        for k in 0..high - low {
            let Some(time) = flow.counts.time(&self.turn, z + k) else {
                continue;
            };
            for rows in flow.awake.along_y(z + k) {
                let at = inside + k * plane + (rows.start + BEYOND) * row + BEYOND;
                let from = grid.at([0, rows.start, z + k]);
                let (count, first) = (rows.len(), rows.start);
                let lines = Lines {
                    length: nx,
                    count,
                    stride: row,
                    from,
                    at,
                    first,
                    all: ny,
                    time,
                };
                // Rows are skipped only where the air outside contains nothing either, so that one
                // halo serves all.
                self.march(&lines, [(&halo, 0); 2], &mut rings);
            }
        }
    }
}

/// Halos before the first and after the last line along the axis, each with an offset: the index in
/// the halo's planes at which the values next to the processed lines begin.
type Ends<'h> = [(&'h Halo, usize); 2];

impl March<'_, '_> {
    /// Returns the halo of ambient air below and above the air's box, for lines of `nx` cells.
    #[inline(always)]
    fn y_halo(&self, nx: usize) -> Halo {
        let heights = [0, 0, usize::MAX, usize::MAX];
        let mut halo = Halo::default();
        for &field in self.carried {
            halo.units
                .push(heights.map(|y| vec![ambient(&self.flow, field, y); nx]));
        }
        halo.volume = heights.map(|_| vec![1.0; nx]);
        halo
    }

    /// Returns a halo in which all amounts are 0, for lines of `length` cells.
    #[inline(always)]
    fn nothing(&self, length: usize) -> Halo {
        let empty = || std::array::from_fn(|_| vec![0; length]);
        Halo {
            units: self.carried.iter().map(|_| empty()).collect(),
            volume: std::array::from_fn(|_| vec![1.0; length]),
        }
    }

    /// Advects the amounts of `lines`, line by line in the order of the axis.
    #[inline(always)]
    fn march(&mut self, lines: &Lines, ends: Ends<'_>, rings: &mut Rings) {
        let count = lines.count;
        // Lines count from two before the first.
        for k in 0..2 {
            self.enter(lines, ends, k, rings);
        }
        self.courant(lines, 1, rings);
        self.courant(lines, 2, rings);
        self.enter(lines, ends, 2, rings);
        self.slope(lines, 1, rings);
        for k in 2..=count + 2 {
            self.enter(lines, ends, k + 1, rings);
            self.courant(lines, k + 1, rings);
            self.slope(lines, k, rings);
            self.cross(lines, ends, k, rings);
            if k > 2 {
                self.leave(lines, k - 1, rings);
            }
        }
    }

    /// Returns the amounts, in units of 2⁻²⁰, of the field with index `field` in line `k` of the
    /// air's box or of the halo.
    #[inline(always)]
    fn units<'h>(&'h self, lines: &Lines, ends: Ends<'h>, field: usize, k: usize) -> &'h [u32] {
        match slot(k, lines.count) {
            Some(slot) => {
                let (halo, skip) = ends[slot / 2];
                &halo.units[field][slot][skip..skip + lines.length]
            }
            None => &self.planes.units[field][lines.at + (k - 2) * lines.stride..][..lines.length],
        }
    }

    /// Stores the concentrations (amount divided by volume) of line `k` in the ring buffers.
    #[inline(always)]
    fn enter(&mut self, lines: &Lines, ends: Ends<'_>, k: usize, rings: &mut Rings) {
        let (n, at) = (lines.length, four(rings.length, 0, k));
        if !self.turn.is_first {
            let volume = match slot(k, lines.count) {
                Some(slot) => {
                    let (halo, skip) = ends[slot / 2];
                    &halo.volume[slot][skip..skip + n]
                }
                None => &self.planes.volume[lines.at + (k - 2) * lines.stride..][..n],
            };
            reciprocals(&mut rings.inverse[at..at + n], volume);
        }
        for field in 0..self.planes.units.len() {
            let to = four(rings.length, field, k);
            let units = self.units(lines, ends, field, k);
            rings.empty[field][k % 4] = is_empty(units);
            if rings.empty[field][k % 4] {
                rings.content[to..to + n].fill(0.0);
                continue;
            }
            contents(
                &mut rings.content[to..to + n],
                units,
                &rings.inverse[at..at + n],
            );
        }
    }

    /// Computes the Courant numbers of the faces between line `k` − 1 and line `k`; 0 for faces
    /// outside of the air's box, unless the axis is periodic.
    #[inline(always)]
    fn courant(&mut self, lines: &Lines, k: usize, rings: &mut Rings) {
        let at = four(rings.length, 0, k);
        let out = &mut rings.courant[at..at + lines.length];
        let face = (lines.first + k) as isize - 2;
        let all = lines.all as isize;
        let wraps = self.turn.axis != 1 && self.flow.grid.sides[self.turn.axis] == Side::Wrap;
        let face = match face {
            _ if (0..=all).contains(&face) => face,
            _ if wraps => face.rem_euclid(all),
            _ => return out.fill(0.0),
        };
        let from = lines.from as isize + (face - lines.first as isize) * lines.stride as isize;
        let (u, open, from) = (&self.flow.u[self.turn.axis], self.flow.open, from as usize);
        // Between the rows of a line of several rows all faces are closed.
        let open = if self.turn.axis == 2 {
            Some(&open.faces[2][from..])
        } else {
            open.row(1, from)
        };
        courants(out, &u[from..], open, lines.time);
    }

    #[inline(always)]
    fn slope(&mut self, lines: &Lines, k: usize, rings: &mut Rings) {
        for field in 0..self.planes.units.len() {
            let to = two(rings.length, field, k);
            if rings.empty[field][k % 4] {
                rings.slope[to..to + lines.length].fill(0.0);
                continue;
            }
            let content = |k: usize| &rings.content[four(rings.length, field, k)..][..lines.length];
            slopes(
                &mut rings.slope[to..to + lines.length],
                [content(k - 1), content(k), content(k + 1)],
            );
        }
    }

    /// Computes the fluxes through the faces between line `k` − 1 and line `k`.
    #[inline(always)]
    fn cross(&mut self, lines: &Lines, ends: Ends<'_>, k: usize, rings: &mut Rings) {
        let n = lines.length;
        let face = lines.first + k - 2;
        let wraps = self.turn.axis != 1 && self.flow.grid.sides[self.turn.axis] == Side::Wrap;
        for field in 0..self.planes.units.len() {
            let to = two(rings.length, field, k);
            // Nothing can pass between two lines that contain nothing.
            if rings.empty[field][k % 4] && rings.empty[field][(k - 1) % 4] {
                rings.flux[to..to + n].fill(0);
                continue;
            }
            let length = rings.length;
            let one = |k: usize| four(length, 0, k);
            let four = |k: usize| four(length, field, k);
            let two = |k: usize| two(length, field, k);
            let (content, slope) = (&rings.content, &rings.slope);
            let beside = Beside {
                content: [&content[four(k - 1)..], &content[four(k)..]],
                slope: [&slope[two(k - 1)..], &slope[two(k)..]],
                inverse: [&rings.inverse[one(k - 1)..], &rings.inverse[one(k)..]],
                units: [
                    self.units(lines, ends, field, k - 1),
                    self.units(lines, ends, field, k),
                ],
                courant: [
                    &rings.courant[one(k - 1)..],
                    &rings.courant[one(k)..],
                    &rings.courant[one(k + 1)..],
                ],
            };
            let flux = &mut rings.flux[to..to + n];
            fluxes(flux, &beside);
            if !wraps && (face == 0 || face == lines.all) {
                let sum: i64 = flux.iter().map(|&units| i64::from(units)).sum();
                self.out[field] += if face == 0 { -sum } else { sum };
            }
        }
    }

    /// Updates the amounts and volumes of line `k` by the fluxes through the faces on both sides.
    #[inline(always)]
    fn leave(&mut self, lines: &Lines, k: usize, rings: &mut Rings) {
        let (n, at) = (lines.length, lines.at + (k - 2) * lines.stride);
        for field in 0..self.planes.units.len() {
            let flux = |k: usize| &rings.flux[two(rings.length, field, k)..][..n];
            pass(
                &mut self.planes.units[field][at..at + n],
                flux(k),
                flux(k + 1),
            );
        }
        if !self.turn.is_last {
            let courant = |k: usize| &rings.courant[four(rings.length, 0, k)..][..n];
            volumes(
                &mut self.planes.volume[at..at + n],
                courant(k),
                courant(k + 1),
                self.turn.is_first,
            );
        }
    }
}

/// Index of line `k` in the halo, if the air's box has `count` lines; `None` for a line inside the
/// box.
#[inline(always)]
fn slot(k: usize, count: usize) -> Option<usize> {
    match k {
        0 | 1 => Some(k),
        _ if k >= count + 2 => Some(k - count),
        _ => None,
    }
}
