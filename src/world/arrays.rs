//! The cells of a liquid as arrays, for programs that compute with them.

use ndarray::Array3;

use super::{Content, Layer};
use crate::units::{amount, energy};

impl Layer {
    /// Amount of every cell, 0 to 1, shape (z, y, x): z runs south, y up, x east. Four bytes a cell, the empty ones too.
    pub fn amounts(&self) -> Array3<f32> {
        self.array(|cell| amount(cell.amount))
    }

    /// Energy of every cell, 1 for a full cell from the vent, in the same shape.
    pub fn energies(&self) -> Array3<f32> {
        self.array(|cell| energy(cell.energy))
    }

    fn array(&self, value: impl Fn(Content) -> f32) -> Array3<f32> {
        let grid = self.grid;
        let mut array = Array3::zeros((grid.nz, grid.ny, grid.nx));
        self.held().for_each(|([x, y, z], cell)| array[[z, y, x]] = value(cell));
        array
    }
}
