//! Heat, ash, steam and wind put into the air by hand.

use crate::air::{Air, Field, UNIT};
use crate::grid::Place;
use crate::world::{Breath, Shape};

impl Air {
    /// Cells whose middles lie in a shape, in voxels, get what a breath says; a cell that holds more keeps it.
    pub(crate) fn stir(&mut self, shape: &Shape, breath: &Breath) {
        let (grid, half) = (self.grid(), self.grid().ratio as f64 / 2.0);
        let inside = |&place: &Place| shape.contains(grid.voxel_of(place).map(|voxel| voxel as f64 + half));
        let cells: Vec<_> =
            grid.cells.places().filter(inside).filter(|&place| !self.openness.is_solid(place)).collect();
        let mass = |kg_m3: f64| kg_m3 / self.scale.ash_unit_kg_m3 * f64::from(UNIT);
        let heat = breath.heat_k / self.scale.ambient_k * f64::from(UNIT);
        let (ash, steam) = (mass(breath.ash_kg_m3), mass(breath.steam_kg_m3));
        let wind = breath.wind_m_s.map(|speed| self.scale.speed(speed) as f32);
        for place in cells {
            self.top_up(Field::Heat, place, f64::from(self.background(place[1])) + heat);
            self.top_up(Field::Ash, place, ash);
            self.top_up(Field::Steam, place, steam);
            if wind != [0.0; 3] {
                let now = self.solver.velocity(place);
                self.solver.push(place, std::array::from_fn(|axis| wind[axis] - now[axis]));
            }
        }
    }

    /// Puts what a cell lacks of so many units.
    fn top_up(&mut self, field: Field, place: Place, units: f64) {
        let missing = (units as u32).saturating_sub(self.amounts.get(field, place));
        self.put(field, place, missing);
    }
}
