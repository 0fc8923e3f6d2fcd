//! Boundary conditions of the article's solver: values of the halo, the cells beyond the sides of
//! the air's box, which are set before each advection pass.

use super::carry::Passes;
use super::four::Four;
use crate::{AirGrid, BEYOND, Side, UNIT};
use lavoxel_base::parallel::*;

impl Passes<'_> {
    /// Sets the advecting velocity `planes` in the halo: beyond open sides to that of the nearest
    /// cell of the air's box.
    pub(super) fn border_motion(&self, planes: &mut [Vec<i32>; 3]) {
        for plane in planes {
            border(self.grid, plane, None);
        }
    }

    /// Sets the advected velocity `cells` in the halo: beyond open sides to the wind, or to 0
    /// without wind.
    pub(super) fn border_velocity(&self, cells: &mut [Four<i32>]) {
        let wind = |y: usize| {
            let [x, y, z] = self.rates.wind(y);
            Four([x, y, z, 0])
        };
        border(
            self.grid,
            cells,
            Some(&(0..=self.grid.cells.ny).map(wind).collect()),
        );
    }

    /// Sets the density `plane` in the halo: beyond open sides to 1.0, the density of air at rest.
    pub(super) fn border_density(&self, plane: &mut [u32]) {
        border(self.grid, plane, Some(&vec![UNIT; self.grid.cells.ny + 1]));
    }

    /// Sets the amounts `cells` of four fields in the halo: beyond open sides to those of ambient
    /// air, which `outside(y)` returns for the height `y` in cells.
    pub(super) fn border_amounts(
        &self,
        cells: &mut [Four<u32>],
        outside: impl Fn(usize) -> [u32; 4],
    ) {
        let ambient = (0..=self.grid.cells.ny).map(|y| Four(outside(y))).collect();
        border(self.grid, cells, Some(&ambient));
    }

    /// Sets the factors (see `Passes::factors`) in the halo beyond periodic sides to those of the
    /// opposite side; leaves the factors beyond open sides, which `Passes::factors` computed.
    pub(super) fn border_factors(&self, factors: &mut [u32]) {
        let (grid, [_, _, slab]) = (self.grid, self.grid.strides());
        if grid.sides[0] == Side::Wrap {
            factors
                .par_chunks_mut(slab)
                .for_each(|slab| wrap_rows(grid, slab));
        }
        if grid.sides[2] == Side::Wrap {
            wrap_slabs(grid, factors);
        }
    }
}

/// Sets the field `plane` in the halo: beyond open sides to `outside` (one value for each height),
/// or, if `None`, to the value of the nearest cell; beyond periodic sides to that of the opposite
/// side.
fn border<T: Copy + Default + Send + Sync>(
    grid: AirGrid,
    plane: &mut [T],
    outside: Option<&Vec<T>>,
) {
    let ([nx, ny, nz], [_, row, slab]) = (grid.size(), grid.strides());
    match grid.sides[2] {
        Side::Wall => {}
        Side::Wrap => wrap_slabs(grid, plane),
        Side::Open => {
            for (to, from) in [(BEYOND - 1, BEYOND), (BEYOND + nz, BEYOND + nz - 1)] {
                plane.copy_within(from * slab..(from + 1) * slab, to * slab);
                if let Some(values) = outside {
                    let rows = plane[to * slab..][BEYOND * row..].chunks_mut(row);
                    rows.zip(values).for_each(|(row, &value)| row.fill(value));
                }
            }
        }
    }
    // After the outer slabs along z, so that their rows get the values beyond x and the top, too.
    plane.par_chunks_mut(slab).for_each(|slab| {
        let top = (BEYOND + ny) * row;
        match (grid.sides[1], outside) {
            (Side::Open, Some(values)) => slab[top..top + row].fill(values[ny]),
            (Side::Open, None) => slab.copy_within(top - row..top, top),
            _ => {}
        }
        for (y, cells) in slab[BEYOND * row..top + row].chunks_mut(row).enumerate() {
            let (first, last) = (cells[BEYOND], cells[BEYOND + nx - 1]);
            cells[..BEYOND].fill(T::default());
            cells[BEYOND + nx..].fill(T::default());
            let (west, east) = match (grid.sides[0], outside) {
                (Side::Wall, _) => continue,
                (Side::Wrap, _) => (last, first),
                (Side::Open, Some(values)) => (values[y], values[y]),
                (Side::Open, None) => (first, last),
            };
            (cells[BEYOND - 1], cells[BEYOND + nx]) = (west, east);
        }
    });
}

fn wrap_rows<T: Copy>(grid: AirGrid, slab: &mut [T]) {
    let nx = grid.cells.nx;
    for cells in slab.chunks_mut(grid.strides()[1]) {
        (cells[BEYOND - 1], cells[BEYOND + nx]) = (cells[BEYOND + nx - 1], cells[BEYOND]);
    }
}

fn wrap_slabs<T: Copy>(grid: AirGrid, plane: &mut [T]) {
    let (nz, slab) = (grid.cells.nz, grid.strides()[2]);
    for (to, from) in [(BEYOND - 1, BEYOND + nz - 1), (BEYOND + nz, BEYOND)] {
        plane.copy_within(from * slab..(from + 1) * slab, to * slab);
    }
}
