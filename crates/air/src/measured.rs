//! Physical quantities of the air at a voxel (a cell of the lava's grid), in metres, seconds and
//! kelvin.

use crate::{Air, Field, UNIT};
use lavoxel_base::grid::Place;
use lavoxel_base::measure::CellMeasure;

impl Air {
    /// Value of the quantity `measure` in the air cell that contains `voxel`, in the unit of the
    /// measure; 0 in solid cells, outside the air's box, and for measures that do not belong to the
    /// air.
    pub fn measure(&self, measure: CellMeasure, voxel: Place) -> f32 {
        let Some(place) = self.grid().cell_of(voxel.map(|n| n as i64)) else {
            return 0.0;
        };
        if self.openness.is_solid(place) {
            return 0.0;
        }
        let units = |units: f64| units / f64::from(UNIT);
        let mass = |field| units(self.amounts.get(field, place).into()) * self.scale.ash_unit_kg_m3;
        let value = match measure {
            CellMeasure::Heat => units(self.excess(place) as f64) * self.scale.ambient_k,
            CellMeasure::Ash => mass(Field::Ash),
            CellMeasure::Steam => mass(Field::Steam),
            CellMeasure::Ink => self.inks().map(mass).sum(),
            CellMeasure::Speed => self.speed_m_s(place),
            _ => 0.0,
        };
        value as f32
    }

    /// Iterates over the ink fields that exist in this air.
    pub fn inks(&self) -> impl Iterator<Item = Field> + '_ {
        Field::INKS.into_iter().filter(|&ink| self.amounts.has(ink))
    }

    /// Velocity in m/s of the air at `voxel` (x east, y up, z south); `None` in solid cells and
    /// outside the air's box.
    pub fn motion(&self, voxel: Place) -> Option<[f32; 3]> {
        let place = self.grid().cell_of(voxel.map(|n| n as i64))?;
        (!self.openness.is_solid(place)).then(|| self.velocity_m_s(place).map(|speed| speed as f32))
    }

    /// Velocity in m/s at the centre of the air cell `place` (x east, y up, z south).
    pub fn velocity_m_s(&self, place: Place) -> [f64; 3] {
        self.velocity(place)
            .map(|cells| f64::from(cells) * self.scale.edge_m / self.scale.step_s)
    }

    fn speed_m_s(&self, place: Place) -> f64 {
        self.velocity_m_s(place)
            .iter()
            .map(|v| v * v)
            .sum::<f64>()
            .sqrt()
    }

    /// Largest speed in m/s over all air cells.
    pub fn max_speed_m_s(&self) -> f64 {
        let speeds = self
            .grid()
            .cells
            .places()
            .map(|place| self.speed_m_s(place));
        speeds.fold(0.0, f64::max)
    }

    /// Mass of ash deposited on the ground in the voxel column (`x`, `z`), in kg/m²; 0 outside the
    /// air's box.
    pub fn ash_on(&self, x: usize, z: usize) -> f64 {
        let place = self.grid().cell_of([x as i64, 0, z as i64]);
        place.map_or(0.0, |[x, _, z]| self.scale.deposit(self.deposited(x, z)))
    }
}
