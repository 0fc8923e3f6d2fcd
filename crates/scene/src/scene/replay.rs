//! Conversion of a session to a scene; a run of this scene gives the same bits as the session.

use super::{Scene, VentTable};
use lavoxel_sim::simulation::{EventSpec, Simulation};
use lavoxel_sim::source::List;

impl Scene {
    /// Returns this scene with the vents, events and number of steps of `simulation`, which must
    /// have been built from this scene. A run of the returned scene ends in the state of
    /// `simulation`.
    #[must_use]
    pub fn recorded(&self, simulation: &Simulation) -> Self {
        let mut scene = self.with_course_of(simulation);
        scene.spec.set_steps(simulation.steps().max(1));
        scene
    }

    /// Returns this scene with all vents and events of `simulation`, including those before the
    /// current step and those after it.
    pub fn with_course_of(&self, simulation: &Simulation) -> Self {
        let mut scene = self.clone();
        let of_list = |list| {
            simulation
                .vents()
                .filter(move |vent| vent.list() == list)
                .cloned()
                .map(VentTable::from)
        };
        scene.spec.vents = of_list(List::Vents).collect();
        scene.spec.sources = of_list(List::Sources).collect();
        scene.spec.fumes = of_list(List::Fumes)
            .map(|fume| VentTable {
                material: None,
                ..fume
            })
            .collect();
        // The events already include the failures of barriers.
        scene
            .spec
            .barriers
            .iter_mut()
            .for_each(|barrier| barrier.fails = None);
        if let (Some(flow), Some(spec)) = (simulation.world().flow(), scene.spec.flow_mut()) {
            spec.short_steps = flow.clock().short_steps(flow.steps());
        }
        scene.spec.events = simulation
            .events()
            .iter()
            .filter_map(EventSpec::from_event)
            .collect();
        scene
    }
}
