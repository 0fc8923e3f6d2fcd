//! The numbers of a [`Quantity`] in the cells of a state: the one place that knows how each is stored.

use ndarray::Array3;

use super::{State, StateRef};
use crate::air::Air;
use crate::grid::Place;
use crate::measure::{CellMeasure, Measure, Of};
use crate::units::{amount, energy};
use crate::world::{ColumnQuantity, Content, Layer, Quantity, UnknownQuantity, World};

/// A quantity of a world, cell by cell. It is 0 in all cells where the world does not have its material.
#[derive(Clone, Copy)]
pub struct CellValues<'a> {
    world: &'a World,
    measure: CellMeasure,
    /// What is measured; none for the ground and for a material that is not there.
    layer: Option<&'a Layer>,
    /// Only for what is measured of it.
    air: Option<&'a Air>,
}

impl<'a> StateRef<'a> {
    /// All quantities of its cells, those of the lava first.
    pub fn quantities(self) -> Vec<Quantity> {
        let mut quantities = Quantity::of_materials(self.world.materials());
        quantities.extend(self.air.into_iter().flat_map(|_| Quantity::of_air()));
        quantities
    }

    /// All quantities of its columns, those of the lava first.
    pub fn column_quantities(self) -> Vec<ColumnQuantity> {
        let materials: Vec<_> = self.world.materials().cloned().collect();
        Quantity::of_columns(&materials, self.flow.map(|flow| flow.setup().lava.melts()), self.air.is_some())
    }

    /// The quantity of its cells that goes by a name: `amount`, `water.amount`, `solid`.
    ///
    /// # Errors
    /// Names all that there are.
    pub fn quantity(self, name: &str) -> Result<Quantity, UnknownQuantity> {
        Quantity::find(name, &self.quantities()).cloned()
    }

    /// The numbers of a quantity.
    pub fn values(self, quantity: &Quantity) -> CellValues<'a> {
        let layer = quantity.material().and_then(|material| self.world.layer(material));
        let air = self.air.filter(|_| quantity.measure().facts().of == Of::Air);
        CellValues { world: self.world, measure: quantity.measure(), layer, air }
    }

    /// The numbers of the quantity with a name in every cell, shape (z, y, x): z runs south, y up, x east. Four bytes a cell,
    /// the empty ones too.
    ///
    /// # Errors
    /// Names all quantities that there are.
    pub fn array(self, name: &str) -> Result<Array3<f32>, UnknownQuantity> {
        let (grid, quantity) = (self.world.grid(), self.quantity(name)?);
        let values = self.values(&quantity);
        let mut array = Array3::zeros((grid.nz, grid.ny, grid.nx));
        for ((z, y), mut row) in (0..grid.nz).flat_map(|z| (0..grid.ny).map(move |y| (z, y))).zip(array.rows_mut()) {
            values.row(y, z, row.as_slice_mut().expect("rows lie in a piece"));
        }
        Ok(array)
    }

    /// Writes the numbers of a quantity in the row (y, z) into `values`, of `nx` cells.
    pub fn read_row(self, quantity: &Quantity, y: usize, z: usize, values: &mut [f32]) {
        self.values(quantity).row(y, z, values);
    }
}

impl State {
    /// All quantities of its cells, those of the lava first.
    pub fn quantities(&self) -> Vec<Quantity> {
        self.view().quantities()
    }

    /// All quantities of its columns, those of the lava first.
    pub fn column_quantities(&self) -> Vec<ColumnQuantity> {
        self.view().column_quantities()
    }

    /// The quantity of its cells that goes by a name: `amount`, `water.amount`, `solid`.
    ///
    /// # Errors
    /// Names all that there are.
    pub fn quantity(&self, name: &str) -> Result<Quantity, UnknownQuantity> {
        self.view().quantity(name)
    }

    /// The numbers of a quantity.
    pub fn values(&self, quantity: &Quantity) -> CellValues<'_> {
        self.view().values(quantity)
    }

    /// The numbers of the quantity with a name in every cell, as [`StateRef::array`] gives them.
    ///
    /// # Errors
    /// Names all quantities that there are.
    pub fn array(&self, name: &str) -> Result<Array3<f32>, UnknownQuantity> {
        self.view().array(name)
    }

    /// Writes the numbers of a quantity in the row (y, z) into `values`, of `nx` cells.
    pub fn read_row(&self, quantity: &Quantity, y: usize, z: usize, values: &mut [f32]) {
        self.view().read_row(quantity, y, z, values);
    }
}

impl CellValues<'_> {
    /// The number of a cell.
    #[inline]
    pub fn at(&self, place: Place) -> f32 {
        match self.measure {
            CellMeasure::Solid => f32::from(u8::from(self.world.ground().is_solid(place))),
            measure => match self.air {
                Some(air) => air.measure(measure, place),
                None => self.layer.map_or(0.0, |layer| value(measure, layer.at(place))),
            },
        }
    }

    /// Whether a cell holds the material, or has any of what is measured of the air; never of the ground.
    #[inline]
    pub fn holds(&self, place: Place) -> bool {
        if let Some(air) = self.air {
            return air.measure(self.measure, place) != 0.0;
        }
        self.layer.is_some_and(|layer| layer.at(place).amount > 0)
    }

    /// Writes the numbers of the row (y, z) into `values`, of `nx` cells, and returns whether any may be other than 0.
    pub fn row(&self, y: usize, z: usize, values: &mut [f32]) -> bool {
        if self.measure == CellMeasure::Solid || self.air.is_some() {
            values.iter_mut().enumerate().for_each(|(x, value)| *value = self.at([x, y, z]));
            return true;
        }
        values.fill(0.0);
        let Some(layer) = self.layer.filter(|layer| !layer.span(y, z).is_empty()) else { return false };
        for (x, cell) in layer.row(y, z, 0..values.len()) {
            values[x] = value(self.measure, cell);
        }
        true
    }

    /// The cells that hold the material, or have any of what is measured of the air, with their numbers, in no particular order;
    /// none for the ground.
    pub fn held(&self) -> impl Iterator<Item = (Place, f32)> + '_ {
        let measure = self.measure;
        let of_air = self.air.into_iter().flat_map(move |air| {
            let values = self.world.grid().places().map(move |place| (place, air.measure(measure, place)));
            values.filter(|(_, value)| *value != 0.0)
        });
        let of_layer = self
            .layer
            .into_iter()
            .flat_map(move |layer| layer.held().map(move |(place, cell)| (place, value(measure, cell))));
        of_layer.chain(of_air)
    }
}

/// What a cell of a layer measures.
#[inline]
fn value(measure: CellMeasure, cell: Content) -> f32 {
    match measure {
        CellMeasure::Amount => amount(cell.amount),
        CellMeasure::Energy => energy(cell.energy),
        CellMeasure::SpecificEnergy if cell.amount > 0 => energy(cell.energy) / amount(cell.amount),
        _ => 0.0,
    }
}
