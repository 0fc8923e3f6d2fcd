//! Builds the updates for the window: the report, and the picture data that changed since the last
//! update.

use std::sync::Arc;
use std::time::Instant;

use super::clock::Clock;
use super::watch::Watcher;
use crate::messages::{
    AirAccount, FlowReport, MaterialReport, PrintSubject, Report, Update, Watch, Watched,
};
use lavoxel_automaton::world::{Layer, Quantity, Tally};
use lavoxel_base::memory::Held;
use lavoxel_paint::changes::{Asked, ChangeFinder};
use lavoxel_render::{Glow, Ray};
use lavoxel_session::{Session, probe};
use lavoxel_sim::simulation::Simulation;

/// Window's requests for the content of updates, in addition to report and volume.
#[derive(Clone, Debug, Default)]
pub(super) struct Eye {
    /// Ray from the camera through the pointer, along which a cell is probed; `None`: no probe.
    pub(super) pick: Option<Ray>,
    /// Cell index of the slice across x, y and z; `None`: no values of this slice are sent.
    pub(super) cuts: [Option<usize>; 3],
    /// Quantity whose values the slices show.
    pub(super) quantity: Quantity,
    /// Parameters of the light that the lava casts on the rock; `None` if the window computes this
    /// light.
    pub(super) glow: Option<Glow>,
    /// Measurements requested for the live plots and the first-person camera.
    pub(super) watch: Watch,
}

/// Builder of the updates of one session; stores which data the window has.
pub(super) struct Publisher {
    finder: ChangeFinder,
    tallies: Vec<Tally>,
    watcher: Watcher,
}

impl Publisher {
    /// Creates a builder for `session`; its first update contains all data.
    pub(super) fn new(session: &Session) -> Self {
        Self {
            finder: ChangeFinder::new(session.simulation().world().grid()),
            tallies: Vec::new(),
            watcher: Watcher::default(),
        }
    }

    /// Marks the cells of the world as possibly changed, so that the next update searches for
    /// changes.
    pub(super) fn touch(&mut self) {
        self.finder.touch();
    }

    /// Builds an update with all data that the window does not have yet. `eye`: requests of the
    /// window; `numbers`: values of `Report::epoch` and `Report::opened`.
    pub(super) fn update(
        &mut self,
        session: &mut Session,
        clock: &Clock,
        eye: &Eye,
        numbers: [u64; 2],
    ) -> Update {
        let timeline = session.timeline();
        let session = &*session;
        if self.finder.is_stale() {
            let layers = session.simulation().world().layers();
            self.tallies = layers.iter().map(Layer::tally).collect();
        }
        let asked = Asked {
            cuts: eye.cuts,
            quantity: &eye.quantity,
            glow: eye.glow,
            tall: session.proportion(),
        };
        Update {
            changes: self.finder.changes(session.simulation(), &asked),
            report: Report {
                timeline,
                watched: self.watched(session, eye),
                ..self.report(session, clock, eye, numbers)
            },
            print: None,
            second: None,
            notices: Vec::new(),
        }
    }

    /// Returns a copy of what a print of `session` shows, as of the last update. `held`: entry of
    /// the print in the memory accounting.
    pub(super) fn subject(&self, session: &Session, held: Held) -> PrintSubject {
        PrintSubject {
            volume: self.finder.volume().clone(),
            cuts: self.finder.cuts().clone(),
            steps: session.simulation().steps(),
            mouths: self.finder.mouths(session.simulation()),
            held,
        }
    }

    /// Measures the values that `eye` requests; returns `None` if no value is requested or can be
    /// measured.
    fn watched(&mut self, session: &Session, eye: &Eye) -> Option<Watched> {
        let simulation = session.simulation();
        let of = (simulation.world(), session.site());
        self.watcher
            .watch(of, (simulation.steps(), simulation.vents()), &eye.watch)
    }

    fn report(
        &self,
        session: &Session,
        clock: &Clock,
        eye: &Eye,
        [epoch, opened]: [u64; 2],
    ) -> Report {
        let simulation = session.simulation();
        let world = simulation.world();
        let line = session.history().line();
        // The acts of a line have ascending numbers: those up to the present act are done.
        let done = line.partition_point(|act| *act <= session.at().act);
        let timings = simulation
            .timings()
            .iter()
            .chain([("filter", self.finder.filter())]);
        Report {
            name: session.name().to_owned(),
            epoch,
            opened,
            grid: world.grid(),
            cell_size_m: session.site().cell_size_m,
            drape: session.drape().cloned(),
            cell_height_m: session.site().cell_height_m(),
            floor_m: session.site().floor_m,
            cell_volume_m3: session.site().cell_volume_m3(),
            step: simulation.steps(),
            seed: simulation.seed(),
            rules: simulation.rules_spec().clone(),
            vents: simulation
                .open_vents()
                .map(|(number, spec)| (number, spec.clone()))
                .collect(),
            pace: clock.pace(),
            steps_per_second: clock.rate(Instant::now()),
            materials: self.materials(session.simulation()),
            air: world.air().map_or_else(Vec::new, AirAccount::all_from_air),
            flow: FlowReport::from_state(world),
            wind: simulation.wind().cloned(),
            goals: simulation
                .goals()
                .iter()
                .map(|(goal, progress)| (goal.clone(), progress))
                .collect(),
            times: timings.map(|(name, time)| (name, time.last)).collect(),
            acts: done,
            acts_ahead: line.len() - done,
            moment: session.at(),
            goal: session.goal(),
            ways: session.ways(),
            timeline: Arc::default(),
            visited: session.visited(),
            built: session.built().clone(),
            quantities: world.quantities(),
            picked: eye.pick,
            watched: None,
            probe: eye
                .pick
                .as_ref()
                .and_then(|ray| probe(world, session.site(), ray)),
        }
    }

    /// Returns a report for each material: its present parameters, and the account of its layer at
    /// the last update.
    fn materials(&self, simulation: &Simulation) -> Vec<MaterialReport> {
        let world = simulation.world();
        let layers = world.layers().iter().zip(&self.tallies).enumerate();
        let report = |(number, (layer, tally)): (usize, (&Layer, &Tally))| {
            let material = layer.material();
            let in_force = simulation
                .materials()
                .iter()
                .find(|m| m.name == material.name)
                .unwrap_or(material);
            // The mirror layer of lava itself is not marked: tools pour lava under its own name.
            let shows_flow = !material.carries_energy() && world.is_mirror(number);
            MaterialReport::new(in_force.clone(), (layer, shows_flow), *tally)
        };
        layers.map(report).collect()
    }
}
