//! Access to the values of a [`Quantity`] in the cells of a state. Only this module knows where
//! each quantity is stored.

use ndarray::Array3;

use super::{State, StateRef};
use lavoxel_air::Air;
use lavoxel_automaton::matter::Material;
use lavoxel_automaton::world::{ColumnQuantity, Content, Layer, Quantity, UnknownQuantity, World};
use lavoxel_base::grid::Place;
use lavoxel_base::measure::{CellMeasure, Measure, Of};
use lavoxel_base::units::{amount, energy};
use lavoxel_flow::Flow;

/// Reader of the values of one quantity, cell by cell. All values are 0 if the world lacks the
/// quantity's material.
#[derive(Clone, Copy)]
pub struct CellValues<'a> {
    world: &'a World,
    measure: CellMeasure,
    /// Layer that stores the quantity; `None` for the ground and for a material that the world
    /// lacks.
    layer: Option<&'a Layer>,
    /// Air, if it stores the quantity; otherwise `None`.
    air: Option<&'a Air>,
    /// Flow, if the quantity is read from the flow, which stores the exact value (the layer that
    /// displays the flow stores a rounded one); otherwise `None`.
    flow: Option<&'a Flow>,
}

impl<'a> StateRef<'a> {
    /// Returns all cell quantities of the state, lava first.
    pub fn quantities(self) -> Vec<Quantity> {
        let materials: Vec<_> = self.world.materials().cloned().collect();
        Quantity::of_cells(&materials, self.flow.is_some(), self.air.is_some())
    }

    /// Returns all column quantities of the state, lava first.
    pub fn column_quantities(self) -> Vec<ColumnQuantity> {
        let materials: Vec<_> = self.world.materials().cloned().collect();
        Quantity::of_columns(
            &materials,
            self.flow.map(|flow| flow.setup().lava.melts()),
            self.air.is_some(),
        )
    }

    /// Finds a cell quantity by its name, such as `amount`, `water.amount` or `solid`.
    ///
    /// # Errors
    /// Returns an error that lists all quantities of the state.
    pub fn quantity(self, name: &str) -> Result<Quantity, UnknownQuantity> {
        Quantity::find(name, &self.quantities()).cloned()
    }

    /// Returns a reader of the values of `quantity` in the cells.
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

    /// Returns the values at the lower and the upper end of the quantity's colour scale:
    /// [`CellMeasure::range`], or, for the temperature of lava in the physical model, the solidus
    /// and the vent temperature in kelvin.
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

    /// Returns the values of the quantity `name` in all cells, as an array of shape (z, y, x), with
    /// z to the south, y up and x to the east. Takes four bytes per cell, including empty cells.
    ///
    /// # Errors
    /// Returns an error that lists all quantities of the state.
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

    /// Copies the values of `quantity` in the row (`y`, `z`) into `values`, a buffer of `nx`
    /// elements.
    pub fn read_row(self, quantity: &Quantity, y: usize, z: usize, values: &mut [f32]) {
        self.values(quantity).row(y, z, values);
    }
}

impl State {
    /// Returns all cell quantities of the state, lava first.
    pub fn quantities(&self) -> Vec<Quantity> {
        self.view().quantities()
    }

    /// Returns all column quantities of the state, lava first.
    pub fn column_quantities(&self) -> Vec<ColumnQuantity> {
        self.view().column_quantities()
    }

    /// Finds a cell quantity by its name, such as `amount`, `water.amount` or `solid`.
    ///
    /// # Errors
    /// Returns an error that lists all quantities of the state.
    pub fn quantity(&self, name: &str) -> Result<Quantity, UnknownQuantity> {
        self.view().quantity(name)
    }

    /// Returns a reader of the values of `quantity`.
    pub fn values(&self, quantity: &Quantity) -> CellValues<'_> {
        self.view().values(quantity)
    }

    /// Returns the values of the quantity `name` in all cells, as [`StateRef::array`].
    ///
    /// # Errors
    /// Returns an error that lists all quantities of the state.
    pub fn array(&self, name: &str) -> Result<Array3<f32>, UnknownQuantity> {
        self.view().array(name)
    }

    /// Copies the values of `quantity` in the row (`y`, `z`) into `values`, a buffer of `nx`
    /// elements.
    pub fn read_row(&self, quantity: &Quantity, y: usize, z: usize, values: &mut [f32]) {
        self.view().read_row(quantity, y, z, values);
    }
}

impl CellValues<'_> {
    /// Returns the value of the quantity in the cell `place`, in its unit.
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

    /// Returns true if the cell `place` contains the quantity's material; for a quantity of the air
    /// or of solidified lava, true if the value there is not 0. Always false for the ground.
    #[inline]
    pub fn has_value(&self, place: Place) -> bool {
        if let Some(flow) = self.flow {
            return flow.has(self.measure, place);
        }
        if let Some(air) = self.air {
            return air.measure(self.measure, place) != 0.0;
        }
        self.layer.is_some_and(|layer| layer.at(place).amount > 0)
    }

    /// Copies the values in the row (`y`, `z`) into `values`, a buffer of `nx` elements. Returns
    /// false only if all values are 0.
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

    /// Iterates over pairs (cell, value) of the cells that contain the quantity's material or, for
    /// a quantity of the air, a value other than 0; in no particular order. Empty for the ground.
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

/// Returns the value of the quantity `measure` for `cell`, the content of a layer in one cell.
#[inline]
fn value(measure: CellMeasure, cell: Content) -> f32 {
    match measure {
        CellMeasure::Amount => amount(cell.amount),
        CellMeasure::Energy => energy(cell.energy),
        CellMeasure::SpecificEnergy if cell.amount > 0 => energy(cell.energy) / amount(cell.amount),
        _ => 0.0,
    }
}
