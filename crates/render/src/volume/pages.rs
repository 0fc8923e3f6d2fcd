//! Pages: density and gradient of the cells around a non-empty brick, interleaved so that one read
//! gets all four values of a cell.
//!
//! Gradients are central differences, computed once when a cell changes. A page stores the four
//! bytes of a cell next to each other, and shading reads the gradient at the cost of the density
//! alone.

use crate::math::{V3, v3};
use crate::volume::places::{Around, EDGE};
use lavoxel_base::grid::Place;
use lavoxel_base::simd::Simd;

/// Number of cells along a page's edge; the centres of these cells are the corners of the brick's
/// places.
const SIDE: usize = EDGE + 1;
/// Number of cells of a page, 5³.
const CELLS: usize = SIDE * SIDE * SIDE;

/// Mean of the stored bytes, over cells, that encode a density difference of 0.
// 128 would be biased: `halves` rounds by a quarter on average, so 128 − 0.25.
const FLAT: f32 = 127.75;

/// Density and gradient of the 5³ cells around the places of a brick, interleaved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Page {
    /// Four bytes per cell, x fastest: density (0 to 255), and, plus 128, half of the density
    /// difference between the next and the previous cell along x, y and z.
    cells: [[u8; 4]; CELLS],
}

/// Density and gradient at a point, interpolated.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Matter {
    /// Interpolated density, 0 to 255 for 0 to 1.
    pub(crate) density: f32,
    /// Gradient of the density along x, y and z, in 1/255 per cell.
    pub(crate) slope: V3,
}

impl Page {
    /// Computes the page of a brick; `around`: densities of the cells on which the brick depends.
    pub(crate) fn new(around: &Around) -> Self {
        let mut cells = [[0; 4]; CELLS];
        for (row, cells) in cells.chunks_exact_mut(SIDE).enumerate() {
            let (j, k) = (row % SIDE + 1, row / SIDE + 1);
            let here = &around[k][j];
            let word = u64::from_le_bytes(*here);
            let x = halves(&(word << 8).to_le_bytes(), &(word >> 8).to_le_bytes());
            let y = halves(&around[k][j - 1], &around[k][j + 1]);
            let z = halves(&around[k - 1][j], &around[k + 1][j]);
            for i in 0..SIDE {
                cells[i] = [here[i + 1], x[i + 1], y[i + 1], z[i + 1]];
            }
        }
        Self { cells }
    }

    /// Returns density and gradient at a point of `place` (cube between eight cell centres) by
    /// trilinear interpolation. `between`: position in the place along x, y and z, from 0 at the
    /// lower cell centre to 1 at the upper; `s` selects the SIMD instructions.
    #[inline(always)]
    pub(crate) fn at<S: Simd>(&self, s: S, place: Place, between: [f32; 3]) -> Matter {
        let first = ((place[2] % EDGE) * SIDE + place[1] % EDGE) * SIDE + place[0] % EDGE;
        let rows = [
            self.row(first),
            self.row(first + SIDE),
            self.row(first + SIDE * SIDE),
            self.row(first + SIDE * (SIDE + 1)),
        ];
        let [density, x, y, z] = s.blend(rows, between);
        Matter {
            density,
            slope: v3(x - FLAT, y - FLAT, z - FLAT),
        }
    }

    /// Returns the eight bytes of two cells of the page that are neighbours along x: the cell with
    /// the index `first` and the next.
    #[inline(always)]
    fn row(&self, first: usize) -> &[u8; 8] {
        let bytes = self.cells.as_flattened()[4 * first..].first_chunk();
        bytes.expect("a place has a cell to its east")
    }
}

/// Returns half of each difference `high` − `low` of a row of cells, plus an offset that maps
/// −255..=255 to 0..=255.
#[inline(always)]
fn halves(low: &[u8; 8], high: &[u8; 8]) -> [u8; 8] {
    let mut halves = [0; 8];
    for i in 0..8 {
        // Written as the rounded mean of two bytes, which is a single vector instruction for all
        // eight.
        halves[i] = ((u16::from(high[i]) + u16::from(!low[i]) + 1) >> 1) as u8;
    }
    halves
}

/// Pages of the bricks in one plane of bricks; the memory of removed pages is reused.
#[derive(Clone, Debug)]
pub(crate) struct Pages {
    /// Index into `pages` for each brick; `NONE` for a brick without a page.
    numbers: Vec<u32>,
    /// Pages of the non-empty bricks; entries whose indices are in `free` are unused.
    pages: Vec<Page>,
    /// Indices of the unused entries of `pages`.
    free: Vec<u32>,
}

/// Value in `Pages::numbers` of a brick without a page.
const NONE: u32 = u32::MAX;

impl Pages {
    /// Returns a store for the pages of `bricks` bricks, none of which has a page yet.
    pub(crate) fn new(bricks: usize) -> Self {
        Self {
            numbers: vec![NONE; bricks],
            pages: Vec::new(),
            free: Vec::new(),
        }
    }

    /// Returns the page of the brick with the index `brick`; `None` if the brick has no page.
    #[inline(always)]
    pub(crate) fn get(&self, brick: usize) -> Option<&Page> {
        self.pages.get(self.numbers[brick] as usize)
    }

    /// Stores `page` for the brick with the index `brick`, or removes its page if `page` is `None`.
    pub(crate) fn keep(&mut self, brick: usize, page: Option<Page>) {
        let number = &mut self.numbers[brick];
        match (page, *number) {
            (Some(page), NONE) => {
                *number = self.free.pop().unwrap_or(self.pages.len() as u32);
                match self.pages.get_mut(*number as usize) {
                    Some(free) => *free = page,
                    None => self.pages.push(page),
                }
            }
            (Some(page), known) => self.pages[known as usize] = page,
            (None, NONE) => {}
            (None, known) => {
                self.free.push(known);
                *number = NONE;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lavoxel_base::simd::Portable;

    #[test]
    fn a_page_tells_density_and_slope_of_a_ramp() {
        let ramp = |x: f32, y: f32, z: f32| 20.0 + 9.0 * x - 7.0 * y + 30.0 * z + 50.0;
        let around: Around = std::array::from_fn(|k| {
            std::array::from_fn(|j| {
                std::array::from_fn(|i| {
                    if i < 7 {
                        ramp(i as f32 - 1.0, j as f32 - 1.0, k as f32 - 1.0) as u8
                    } else {
                        0
                    }
                })
            })
        });
        let page = Page::new(&around);
        for (place, between) in [
            ([0, 0, 0], [0.0, 0.5, 0.25]),
            ([3, 3, 3], [0.9, 0.1, 0.4]),
            ([1, 0, 2], [0.3; 3]),
        ] {
            let [x, y, z]: [f32; 3] =
                std::array::from_fn(|axis| place[axis] as f32 + between[axis]);
            let matter = page.at(Portable, place, between);
            assert!(
                (matter.density - ramp(x, y, z)).abs() < 1e-3,
                "{matter:?} at {place:?}"
            );
            assert!(
                (matter.slope - v3(9.0, -7.0, 30.0)).abs().max() <= 0.251,
                "{matter:?} at {place:?}"
            );
        }
    }
}
