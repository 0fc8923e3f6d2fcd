//! Coupling edit → air: an edit adds heat, ash, steam and wind to the air.

use super::AirOverGround;
use lavoxel_air::{Air, Field, UNIT};
use lavoxel_automaton::world::{Breath, Shape, World};
use lavoxel_base::grid::Place;

impl AirOverGround {
    /// Raises heat, ash and steam of the open air cells whose centres lie in `shape` (voxel
    /// coordinates) to at least the values of `breath`. Sets the velocity in these cells to the
    /// wind of `breath` unless that wind is 0.
    pub(crate) fn stir(&mut self, world: &World, shape: &Shape, breath: &Breath) {
        self.read_ground(world);
        let air = &mut self.air;
        let (grid, half) = (air.grid(), air.grid().ratio as f64 / 2.0);
        let inside =
            |&place: &Place| shape.contains(grid.voxel_of(place).map(|voxel| voxel as f64 + half));
        let cells: Vec<_> = grid
            .cells
            .places()
            .filter(inside)
            .filter(|&place| !air.openness.is_solid(place))
            .collect();
        let mass = |kg_m3: f64| kg_m3 / air.scale.ash_unit_kg_m3 * f64::from(UNIT);
        let heat = breath.heat_k / air.scale.ambient_k * f64::from(UNIT);
        let (ash, steam) = (mass(breath.ash_kg_m3), mass(breath.steam_kg_m3));
        let wind = breath.wind_m_s.map(|speed| air.scale.speed(speed) as f32);
        for place in cells {
            top_up(
                air,
                Field::Heat,
                place,
                f64::from(air.background(place[1])) + heat,
            );
            top_up(air, Field::Ash, place, ash);
            top_up(air, Field::Steam, place, steam);
            if wind != [0.0; 3] {
                let now = air.solver.velocity(place);
                air.solver
                    .push(place, std::array::from_fn(|axis| wind[axis] - now[axis]));
            }
        }
    }
}

/// Raises the content of the field `field` in the air cell `place` to at least `units`, in units of
/// that field.
fn top_up(air: &mut Air, field: Field, place: Place, units: f64) {
    let missing = (units as u32).saturating_sub(air.amounts.get(field, place));
    air.add_units(field, place, missing);
}
