//! Coupling flow ↔ setting: in a world of the physical model, matter other than lava that turns to
//! rock (sets) becomes rock of the flow.

use super::FlowInCells;
use lavoxel_automaton::engine::Engine;
use lavoxel_automaton::rules::solidify::Solidifying;
use lavoxel_automaton::world::World;
use lavoxel_base::grid::Place;
use lavoxel_base::random::Draw;
use lavoxel_flow::FlowEdit;

impl FlowInCells {
    /// Turns the cells in which matter solidifies by `rule` into rock of the flow. A cell that also
    /// contains lava stays as it is until the lava is gone, because setting must not remove lava.
    /// `engine` finds the cells; `draw`: seed and number of the step.
    pub(crate) fn set_rock(
        &mut self,
        world: &mut World,
        rule: &Solidifying,
        (engine, draw): (&mut dyn Engine, Draw),
    ) {
        let due = engine
            .due(world, rule, draw, 0)
            .into_iter()
            .map(|due| due.places[0]);
        let mut due: Vec<Place> = due.filter(|&place| self.is_free(world, place)).collect();
        if due.is_empty() {
            return;
        }
        // Engines find the setting cells in different orders; sorted, all engines give the same
        // result.
        due.sort_unstable_by_key(|&[x, y, z]| (z, x, y));
        due.iter()
            .for_each(|&place| world.set_rock(rule.layer, place));
        // The cell below is displayed as ground but may have room at its top: filling this room
        // avoids a hollow.
        let below = |[x, y, z]: Place| y.checked_sub(1).map(|y| [x, y, z]);
        let filled: Vec<Place> = due
            .iter()
            .flat_map(|&place| [below(place), Some(place)])
            .flatten()
            .collect();
        let columns = self.flow.edit(filled, FlowEdit::Rock);
        self.show_columns(world, &columns);
    }

    /// Returns true if the cell `place` neither contains nor displays lava, liquid or solid.
    fn is_free(&self, world: &World, place: Place) -> bool {
        world.mirrored().all(|layer| layer.at(place).amount == 0)
            && self.flow.cell(place).amount == 0
            && self.flow.solid(place) == 0
    }
}
