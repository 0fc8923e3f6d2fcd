//! Open shares of faces, and solid cells around each cell, stored in the layout of the fields for
//! the fast passes, halo of one cell beyond the sides included.

use super::neighbours::{Around, At, Spot};
use super::velocity::near;
use crate::{AirGrid, BEYOND, Openness, Side};
use lavoxel_base::parallel::*;

/// Flag bit 27 of a cell in [`SolidBits::around`], above the bits 0 to 26 of the cell and its 26
/// neighbours: set if some share of the cell may have to stay in the cell, because a neighbour is
/// solid.
const ROUGH: u32 = 1 << 27;

/// Open share of each face, and bits that tell which cells around each cell are solid.
#[derive(Clone, Debug)]
pub(super) struct SolidBits {
    grid: AirGrid,
    /// Open share of the lower face of each cell along x, y and z, from 0 to 2¹⁵.
    pub(super) low: [Vec<u16>; 3],
    /// Bits of each cell: bit (dx + 1) + 3 (dy + 1) + 9 (dz + 1) is set if the neighbour at that
    /// offset is not solid.
    pub(super) around: Vec<u32>,
    /// Flag of each row of cells, halo included: true if the bit `ROUGH` of any cell in the row is
    /// set.
    pub(super) rough: Vec<bool>,
}

impl SolidBits {
    /// Returns a state in which all faces are closed, before the first call of `read`.
    pub(super) fn unread(grid: AirGrid) -> Self {
        let low = std::array::from_fn(|_| vec![0; grid.len()]);
        Self {
            grid,
            low,
            around: vec![0; grid.len()],
            rough: vec![false; grid.len() / grid.strides()[1]],
        }
    }

    /// Open shares of the lower and the upper face of the cell with index `at` along `axis`, from 0
    /// to 2¹⁵.
    pub(super) fn faces(&self, axis: usize, at: usize) -> (u16, u16) {
        (
            self.low[axis][at],
            self.low[axis][at + self.grid.strides()[axis]],
        )
    }

    /// Updates the faces and bits of all cells that depend on the ground in the changed `columns`
    /// (x, z).
    pub(super) fn read(&mut self, openness: &Openness, columns: &[(usize, usize)]) {
        let around = Around(openness);
        let (grid, [_, row, slab]) = (self.grid, self.grid.strides());
        let [nx, ny, nz] = grid.size().map(|n| n as i32);
        // A column affects the bits of the columns that touch it, so that the neighbours of
        // neighbours must be updated too.
        let mut chosen: Vec<Vec<i32>> = vec![Vec::new(); (nz + 3) as usize];
        for (x, z) in near(grid, &near(grid, columns)) {
            let images = |n: usize, cells: i32, side: Side| {
                let n = n as i32;
                let reach = move |n: &i32| (-1..=cells + 1).contains(n);
                let edge = if n == 0 { -1 } else { n };
                match side {
                    Side::Wrap => (-3..=3)
                        .map(|k| n + k * cells)
                        .filter(reach)
                        .collect::<Vec<_>>(),
                    _ if n == cells - 1 => (edge..=cells + 1).collect(),
                    _ => (edge..=n).collect(),
                }
            };
            for z in images(z, nz, grid.sides[2]) {
                chosen[(z + 1) as usize].extend(images(x, nx, grid.sides[0]));
            }
        }
        let beyond = BEYOND as i32;
        let [xs, ys, zs] = &mut self.low;
        let parts = xs
            .par_chunks_mut(slab)
            .zip(ys.par_chunks_mut(slab))
            .zip(zs.par_chunks_mut(slab));
        let parts = parts
            .zip(self.around.par_chunks_mut(slab))
            .zip(self.rough.par_chunks_mut(slab / row))
            .enumerate();
        parts.for_each(|(z, ((((xs, ys), zs), corners), rough))| {
            let z = z as i32 - beyond;
            let columns = usize::try_from(z + 1).ok().and_then(|z| chosen.get(z));
            let Some(columns) = columns.filter(|columns| !columns.is_empty()) else {
                return;
            };
            for y in -1..=ny + 1 {
                let start = (y + beyond) as usize * row;
                for &x in columns {
                    let (at, cell) = ([x, y, z], start + (x + beyond) as usize);
                    (xs[cell], ys[cell], zs[cell]) =
                        (around.low(0, at), around.low(1, at), around.low(2, at));
                    corners[cell] = corners_of(around, at);
                }
                rough[(y + beyond) as usize] = corners[start..start + row]
                    .iter()
                    .any(|bits| bits & ROUGH != 0);
            }
        });
    }
}

/// Returns the bits of the cell `at` for [`SolidBits::around`], including [`ROUGH`].
fn corners_of(around: Around<'_>, at: At) -> u32 {
    if around.spot(at) == Spot::Solid {
        return 0;
    }
    let (mut bits, mut rough) = (0, 0);
    let faces = [0, 1, 2].map(|axis| [around.low(axis, at), 1, around.high(axis, at)]);
    for bit in 0..27 {
        let d = [bit % 3, bit / 3 % 3, bit / 9];
        let there = [0, 1, 2].map(|axis| at[axis] + d[axis] as i32 - 1);
        if around.spot(there) != Spot::Solid {
            bits |= 1 << bit;
        } else if (0..3).all(|axis| faces[axis][d[axis]] > 0) {
            rough = ROUGH;
        }
    }
    bits | rough
}
