//! Totals and largest values of the fields in the air's box.

use crate::{AirGrid, Amounts, Field};
use lavoxel_base::parallel::*;
use lavoxel_base::simd::{Level, Simd, Work};

/// Total of each field in the air's box, and `most`, the largest amount of any field in a cell; in
/// units of 2⁻²⁰.
#[derive(Clone, Copy, Default)]
pub(super) struct Held {
    pub(super) totals: [i64; Field::COUNT],
    pub(super) most: u32,
}

impl Held {
    pub(super) fn new(amounts: &Amounts, level: Level) -> Self {
        let (grid, mut held) = (amounts.grid(), Self::default());
        for field in amounts.present() {
            let count = |z| {
                let mut sum = (0, 0);
                level.run(Count {
                    grid,
                    field: amounts.field(field),
                    z,
                    sum: &mut sum,
                });
                sum
            };
            let join = |(a, b): (u64, u32), (c, d): (u64, u32)| (a + c, b.max(d));
            let (total, most) = (0..grid.cells.nz)
                .into_par_iter()
                .map(count)
                .reduce(|| (0, 0), join);
            held.totals[field as usize] = total as i64;
            held.most = held.most.max(most);
        }
        held
    }
}

/// Computation of the total and the largest amount of a field in one slab: the cells with the same
/// `z`.
struct Count<'a> {
    grid: AirGrid,
    field: &'a [u32],
    z: usize,
    sum: &'a mut (u64, u32),
}

impl Work for Count<'_> {
    #[inline(always)]
    fn with<S: Simd>(self, _: S) {
        let (mut sum, mut most) = (0, 0);
        for y in 0..self.grid.cells.ny {
            let row = &self.field[self.grid.at([0, y, self.z])..][..self.grid.cells.nx];
            for &units in row {
                sum += u64::from(units);
                most = units.max(most);
            }
        }
        *self.sum = (sum, most);
    }
}
