//! Steps of the simulation of a run, and the memory that concurrent runs need.

use std::sync::Mutex;

use lavoxel_base::memory::{Held, MemoryEstimate, OWN, TooMuchMemory};
use lavoxel_flow::Flow;
use lavoxel_sim::records::FlowRecords;
use lavoxel_sim::simulation::Simulation;
use lavoxel_sim::state::State;

/// Memory of a run in bytes per column, in addition to the state of its flow.
const BYTES_A_COLUMN: f64 = 4.0 + 13.0;

/// Interval between two memory checks of a run, in steps.
const WEIGHED: u64 = 64;
/// Advice in messages about runs that exceed the memory limit.
pub(crate) const MEND: &str = "ask for fewer threads (--threads) or larger cells";

/// Lock that lets only one thread at a time build a scene, because reading the files of a scene may
/// need more memory than its run.
pub(crate) static BUILDING: Mutex<()> = Mutex::new(());

/// Estimates the memory of `count` concurrent runs whose states are as large as `state`.
pub(crate) fn need_of_runs(state: &State, count: usize) -> MemoryEstimate {
    let bytes = (state.taken().bytes() - OWN) as f64;
    MemoryEstimate::new(
        "the runs that are made at once",
        count,
        bytes + BYTES_A_COLUMN * state.grid().columns() as f64,
    )
}

/// Memory that is reserved for one run until the value is dropped; empty before the first call of
/// `weigh`.
#[derive(Default)]
pub(crate) struct Weighed(Option<Held>);

impl Weighed {
    /// Replaces the reservation by one for the current size of `state`.
    ///
    /// # Errors
    /// [`TooMuchMemory`] when the concurrent runs outgrow the limit.
    pub(crate) fn weigh(&mut self, state: &State) -> Result<(), TooMuchMemory> {
        self.0 = None;
        let need = need_of_runs(state, 1);
        need.check(MEND)?;
        self.0 = Some(need.held());
        Ok(())
    }
}

/// Simulation of a run, with the records of the lava in each column.
pub(crate) struct Watched {
    pub(crate) simulation: Simulation,
    pub(crate) records: FlowRecords,
}

impl Watched {
    pub(crate) fn new(simulation: Simulation) -> Self {
        Self {
            records: FlowRecords::new(simulation.world().grid()),
            simulation,
        }
    }

    /// Returns the lava flow of the simulation; `None` for a simulation of the cellular automaton
    /// (classic model).
    pub(crate) fn flow(&self) -> Option<&Flow> {
        self.simulation.world().flow()
    }

    /// Advances the simulation by one step and records the lava in each column. Calls `weigh` with
    /// the state after every 64th step. Returns false if the step was aborted, or if the simulation
    /// has no flow.
    ///
    /// # Errors
    /// The error of `weigh`.
    pub(crate) fn step(
        &mut self,
        weigh: impl FnOnce(&State) -> Result<(), TooMuchMemory>,
    ) -> Result<bool, TooMuchMemory> {
        let Self {
            simulation,
            records,
        } = self;
        let to_come = simulation.events_to_come();
        simulation.step();
        if simulation.was_stopped() {
            return Ok(false);
        }
        if simulation.steps().is_multiple_of(WEIGHED) {
            weigh(simulation.world())?;
        }
        let Some(flow) = simulation.world().flow() else {
            return Ok(false);
        };
        if simulation.events_to_come() < to_come {
            // Lava that an event places may never move, so `changed` would miss it.
            records.observe(flow, flow.wet());
        }
        records.observe(flow, flow.changed());
        Ok(true)
    }
}
