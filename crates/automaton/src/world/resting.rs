//! Tells grains at rest (deposits) from falling grains.
//!
//! A grain slides off where a neighbouring column is free both at the grain's height and one cell
//! lower ([`crate::rules`], grains). So a grain rests where the cell below supports it and each of
//! its four sides is blocked at its height or one cell lower. The slope of a pile is thus one cell
//! per column, and a stream of falling grains above a pile does not count as deposit, at any width.

use ndarray::Array2;

use super::World;
use crate::matter::Kind;
use lavoxel_base::grid::Place;
use lavoxel_base::units::AMOUNT_HALF;

impl World {
    /// Amount of the layer with index `number` in each column of cells, in units; in a layer of
    /// grains, only grains at rest are included. Shape (`nz`, `nx`).
    pub fn lying_amounts(&self, number: usize) -> Array2<u64> {
        let layer = &self.layers[number];
        if !layer.is_grains() {
            return layer.column_amounts();
        }
        let grid = self.grid;
        let mut sums = Array2::zeros((grid.nz, grid.nx));
        // Columns whose grain is at rest, for the row below and for this row.
        let (mut below, mut here) = (vec![false; grid.columns()], vec![false; grid.columns()]);
        let (mut of_below, mut of_here): (Vec<usize>, Vec<usize>) = (Vec::new(), Vec::new());
        for y in 0..grid.ny {
            for z in 0..grid.nz {
                for (x, cell) in layer.row(y, z, layer.span(y, z).range()) {
                    let bears = |at: Option<[usize; 2]>, y: Option<usize>| match (at, y) {
                        (Some([x, z]), Some(y)) => {
                            below[grid.column(x, z)] || self.bars(number, [x, y, z])
                        }
                        // The floor and the sides of the simulation box support a grain.
                        _ => true,
                    };
                    let under = y.checked_sub(1);
                    let is_held = |[dx, dz]: [isize; 2]| {
                        let side = self.neighbour_column([x, z], [dx, dz]);
                        bears(side, under) || side.is_none_or(|[x, z]| self.bars(number, [x, y, z]))
                    };
                    let rests = cell.amount >= AMOUNT_HALF && bears(Some([x, z]), under);
                    if rests && [[1, 0], [-1, 0], [0, 1], [0, -1]].into_iter().all(is_held) {
                        sums[[z, x]] += u64::from(cell.amount);
                        here[grid.column(x, z)] = true;
                        of_here.push(grid.column(x, z));
                    }
                }
            }
            of_below.drain(..).for_each(|column| below[column] = false);
            std::mem::swap(&mut below, &mut here);
            std::mem::swap(&mut of_below, &mut of_here);
        }
        sums
    }

    /// Returns the column at the offset (`dx`, `dz`), in cells, from the column (x, z); `None`
    /// outside of the simulation box.
    fn neighbour_column(&self, [x, z]: [usize; 2], [dx, dz]: [isize; 2]) -> Option<[usize; 2]> {
        let (x, z) = (x.checked_add_signed(dx)?, z.checked_add_signed(dz)?);
        (x < self.grid.nx && z < self.grid.nz).then_some([x, z])
    }

    /// Returns true if a grain of the layer with index `number` cannot enter the cell `place`: the
    /// cell is solid, contains still matter or other grains, or is at least half full of denser
    /// fluids.
    fn bars(&self, number: usize, place: Place) -> bool {
        let amount = |layer: &super::Layer| u32::from(layer.at(place).amount);
        let others = || {
            self.layers
                .iter()
                .enumerate()
                .filter(|&(other, _)| other != number)
        };
        let firm = others().filter(|(other, layer)| {
            layer.material().kind == Kind::Still || *other < number && layer.is_grains()
        });
        let fluids = others().filter(|(other, layer)| *other < number && !layer.is_grains());
        let half = u32::from(AMOUNT_HALF);
        self.ground.is_solid(place)
            || firm
                .map(|(_, layer)| amount(layer))
                .any(|amount| amount >= half)
            || fluids.map(|(_, layer)| amount(layer)).sum::<u32>() >= half
    }
}
