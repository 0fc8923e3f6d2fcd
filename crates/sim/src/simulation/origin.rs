//! Simulation without an engine, from which several simulations can be started, for example on
//! several threads.

use super::{History, Simulation};
use crate::goals::Goals;
use crate::source::{List, VentSpec, Vents};
use crate::state::State;
use lavoxel_automaton::engine::Engine;
use lavoxel_automaton::matter::Material;

/// State and future events, from which several threads can start simulations.
#[derive(Clone, Debug)]
pub struct Origin {
    state: State,
    history: History,
}

impl Origin {
    /// Returns the state at which the simulations start.
    pub fn world(&self) -> &State {
        &self.state
    }

    /// Returns a text with everything that determines later steps except state, lava vents and
    /// seed: rules, materials with their reactions and sources, wind and events. Equal texts mean
    /// equal conditions.
    pub fn course(&self) -> String {
        let History {
            step,
            made: _,
            seed: _,
            rules: _,
            spec,
            materials,
            reactions,
            vents,
            wind,
            events,
            past,
            goals: _,
        } = &self.history;
        let air = self.state.air().map(|air| air.spec());
        let sources: Vec<_> = vents
            .specs()
            .filter(|vent| vent.list() != List::Vents)
            .collect();
        // The default lava is omitted, so that texts from earlier versions, which had no other
        // lava, stay valid.
        let materials: Vec<_> = materials
            .iter()
            .filter(|material| **material != Material::lava())
            .collect();
        format!(
            "{:?}",
            (
                step,
                spec,
                materials,
                reactions,
                sources,
                wind,
                air,
                &events[*past..]
            )
        )
    }

    /// Starts a simulation with the vents `lava` in place of the origin's lava vents, and the seed
    /// `seed`; `engine` applies the rules. Sources of other materials, fumes, rules and events are
    /// those of the origin.
    pub fn begin(&self, lava: Vec<VentSpec>, seed: u64, engine: Box<dyn Engine>) -> Simulation {
        let Self {
            mut state,
            mut history,
        } = self.clone();
        let others = history
            .vents
            .specs()
            .filter(|vent| vent.list() != List::Vents)
            .cloned();
        history.vents = Vents::new(
            &lava.into_iter().chain(others).collect::<Vec<_>>(),
            state.grid(),
        );
        history.seed = seed;
        // Goals belong to an interactive session, not to the started runs.
        history.goals = Goals::default();
        state
            .flow
            .iter_mut()
            .for_each(|flowing| flowing.flow.set_seed(seed));
        Simulation::from_parts(state, history, engine)
    }
}

impl Simulation {
    /// Returns a copy of the simulation that computes further steps with `engine`. Original and
    /// copy give the same bits.
    pub fn copy(&self, engine: Box<dyn Engine>) -> Self {
        let (state, history) = (self.state.clone(), self.history.clone());
        Self::from_parts(state, history, engine)
    }

    /// Converts this simulation to an origin, without its engine.
    pub fn into_origin(self) -> Origin {
        let Self { state, history, .. } = self;
        Origin { state, history }
    }

    /// Returns the number of events that have not been carried out yet.
    pub fn events_to_come(&self) -> usize {
        self.history.events.len() - self.history.past
    }
}
