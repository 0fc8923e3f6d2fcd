//! Access to the values of a [`Quantity`] in the cells of a state; only this module knows the
//! storage of each quantity.

use ndarray::Array3;

use super::{State, StateRef};
use lavoxel_air::Air;
use lavoxel_automaton::matter::Material;
use lavoxel_automaton::world::{ColumnQuantity, Content, Layer, Quantity, UnknownQuantity, World};
use lavoxel_base::grid::Place;
use lavoxel_base::measure::{CellMeasure, Measure, Of};
use lavoxel_base::units::{amount, energy};
use lavoxel_flow::Flow;

/// Accessor of a quantity's values, cell by cell. The value is 0 everywhere if the world lacks the
/// material.
#[derive(Clone, Copy)]
pub struct CellValues<'a> {
    world: &'a World,
    measure: CellMeasure,
    /// Layer that stores the quantity; `None` for the ground and for an absent material.
    layer: Option<&'a Layer>,
    /// Air model; `Some` only for quantities of the air.
    air: Option<&'a Air>,
    /// Flow; `Some` only for quantities that the flow stores exactly and the displaying layer
    /// rounds.
    flow: Option<&'a Flow>,
}

impl<'a> StateRef<'a> {
    /// All quantities of cells, lava first.
    pub fn quantities(self) -> Vec<Quantity> {
        let materials: Vec<_> = self.world.materials().cloned().collect();
        Quantity::of_cells(&materials, self.flow.is_some(), self.air.is_some())
    }

    /// All quantities of columns, lava first.
    pub fn column_quantities(self) -> Vec<ColumnQuantity> {
        let materials: Vec<_> = self.world.materials().cloned().collect();
        Quantity::of_columns(
            &materials,
            self.flow.map(|flow| flow.setup().lava.melts()),
            self.air.is_some(),
        )
    }

    /// Finds a quantity of cells by its name, such as `amount`, `water.amount` or `solid`.
    ///
    /// # Errors
    /// Returns an error that lists all known quantities.
    pub fn quantity(self, name: &str) -> Result<Quantity, UnknownQuantity> {
        Quantity::find(name, &self.quantities()).cloned()
    }

    /// Creates an accessor of the quantity's values.
    pub fn values(self, quantity: &Quantity) -> CellValues<'a> {
        let layer = quantity
            .material()
            .and_then(|material| self.world.layer(material));
        let air = self
            .air
            .filter(|_| quantity.measure().facts().of == Of::Air);
        let measure = quantity.measure();
        // Lava that melts is displayed as materials cell by cell, so that its layers are exact.
        let is_exact = |flow: &&Flow| match measure {
            CellMeasure::Amount => {
                quantity.material() == Some(Material::LAVA) && !flow.setup().lava.melts()
            }
            _ => measure.facts().of == Of::Flow,
        };
        CellValues {
            world: self.world,
            measure,
            layer,
            air,
            flow: self.flow.filter(is_exact),
        }
    }

    /// Values at the lower and upper end of the quantity's colour scale: [`CellMeasure::range`];
    /// for a temperature in kelvin, the values of just-solidified lava and of lava at the vent.
    pub fn range(self, quantity: &Quantity) -> (f32, f32) {
        match self
            .flow
            .filter(|_| quantity.measure() == CellMeasure::Temperature)
        {
            Some(flow) => flow
                .setup()
                .lava
                .warmth_k()
                .map(|kelvin| kelvin as f32)
                .into(),
            None => quantity.measure().range(),
        }
    }

    /// Values of the quantity called `name` in every cell as an array of shape (z, y, x), with z to
    /// the south, y up and x to the east. Takes four bytes a cell, empty cells included.
    ///
    /// # Errors
    /// Returns an error that lists all known quantities.
    pub fn array(self, name: &str) -> Result<Array3<f32>, UnknownQuantity> {
        let (grid, quantity) = (self.world.grid(), self.quantity(name)?);
        let values = self.values(&quantity);
        let mut array = Array3::zeros((grid.nz, grid.ny, grid.nx));
        for ((z, y), mut row) in (0..grid.nz)
            .flat_map(|z| (0..grid.ny).map(move |y| (z, y)))
            .zip(array.rows_mut())
        {
            values.row(y, z, row.as_slice_mut().expect("rows lie in a piece"));
        }
        Ok(array)
    }

    /// Copies a quantity's values of the row (y, z) into `values`, a buffer of `nx` cells.
    pub fn read_row(self, quantity: &Quantity, y: usize, z: usize, values: &mut [f32]) {
        self.values(quantity).row(y, z, values);
    }
}

impl State {
    /// All quantities of cells, lava first.
    pub fn quantities(&self) -> Vec<Quantity> {
        self.view().quantities()
    }

    /// All quantities of columns, lava first.
    pub fn column_quantities(&self) -> Vec<ColumnQuantity> {
        self.view().column_quantities()
    }

    /// Finds a quantity of cells by its name, such as `amount`, `water.amount` or `solid`.
    ///
    /// # Errors
    /// Returns an error that lists all known quantities.
    pub fn quantity(&self, name: &str) -> Result<Quantity, UnknownQuantity> {
        self.view().quantity(name)
    }

    /// Creates an accessor of the quantity's values.
    pub fn values(&self, quantity: &Quantity) -> CellValues<'_> {
        self.view().values(quantity)
    }

    /// Values of the quantity called `name` in every cell; shape and order are those of
    /// [`StateRef::array`].
    ///
    /// # Errors
    /// Returns an error that lists all known quantities.
    pub fn array(&self, name: &str) -> Result<Array3<f32>, UnknownQuantity> {
        self.view().array(name)
    }

    /// Copies a quantity's values of the row (y, z) into `values`, a buffer of `nx` cells.
    pub fn read_row(&self, quantity: &Quantity, y: usize, z: usize, values: &mut [f32]) {
        self.view().read_row(quantity, y, z, values);
    }
}

impl CellValues<'_> {
    /// Value of the quantity in one cell.
    #[inline]
    pub fn at(&self, place: Place) -> f32 {
        match (self.measure, self.flow, self.air) {
            (CellMeasure::Solid, ..) => f32::from(u8::from(self.world.ground().is_solid(place))),
            (measure, Some(flow), _) => flow.measure(measure, place),
            (measure, _, Some(air)) => air.measure(measure, place),
            (measure, ..) => self
                .layer
                .map_or(0.0, |layer| value(measure, layer.at(place))),
        }
    }

    /// Returns true if the cell contains the material, or a nonzero value for a quantity of the air
    /// or of solidified lava; always false for the ground.
    #[inline]
    pub fn holds(&self, place: Place) -> bool {
        if let Some(flow) = self.flow {
            return flow.has(self.measure, place);
        }
        if let Some(air) = self.air {
            return air.measure(self.measure, place) != 0.0;
        }
        self.layer.is_some_and(|layer| layer.at(place).amount > 0)
    }

    /// Copies the values of the row (y, z) into `values`, a buffer of `nx` cells; returns false if
    /// all are 0, true if any may be nonzero.
    pub fn row(&self, y: usize, z: usize, values: &mut [f32]) -> bool {
        if self.measure == CellMeasure::Solid || self.air.is_some() || self.flow.is_some() {
            values
                .iter_mut()
                .enumerate()
                .for_each(|(x, value)| *value = self.at([x, y, z]));
            return true;
        }
        values.fill(0.0);
        let Some(layer) = self.layer.filter(|layer| !layer.span(y, z).is_empty()) else {
            return false;
        };
        for (x, cell) in layer.row(y, z, 0..values.len()) {
            values[x] = value(self.measure, cell);
        }
        true
    }

    /// Iterates over the cells that contain the material, or a nonzero quantity of the air, with
    /// their values, in no particular order; empty for the ground.
    pub fn held(&self) -> impl Iterator<Item = (Place, f32)> + '_ {
        let measure = self.measure;
        let of_air = self.air.into_iter().flat_map(move |air| {
            let values = self
                .world
                .grid()
                .places()
                .map(move |place| (place, air.measure(measure, place)));
            values.filter(|(_, value)| *value != 0.0)
        });
        let of_flow = self.flow.into_iter().flat_map(move |flow| {
            let held = flow.stored().filter(move |&place| flow.has(measure, place));
            held.map(move |place| (place, flow.measure(measure, place)))
        });
        let of_layer = self
            .layer
            .filter(|_| self.flow.is_none())
            .into_iter()
            .flat_map(move |layer| {
                layer
                    .held()
                    .map(move |(place, cell)| (place, value(measure, cell)))
            });
        of_layer.chain(of_air).chain(of_flow)
    }
}

/// Value of a measure for the content of a layer's cell.
#[inline]
fn value(measure: CellMeasure, cell: Content) -> f32 {
    match measure {
        CellMeasure::Amount => amount(cell.amount),
        CellMeasure::Energy => energy(cell.energy),
        CellMeasure::SpecificEnergy if cell.amount > 0 => energy(cell.energy) / amount(cell.amount),
        _ => 0.0,
    }
}
