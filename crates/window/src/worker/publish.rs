//! Builds the updates for the window: the report, and the picture data that changed since the last
//! update.

use std::sync::Arc;
use std::time::Instant;

use super::clock::Clock;
use super::lava_glow::LavaLight;
use super::media::MediaPublisher;
use super::patches::patches;
use super::watch::Watcher;
use crate::messages::{
    AirAccount, Cut, FlowReport, GroundPatch, MaterialReport, PrintSubject, Report, Update, Watch,
    Watched,
};
use lavoxel_automaton::world::{GroundCursor, Layer, Quantity, Tally};
use lavoxel_base::memory::Held;
use lavoxel_render::media::sea::Sea;
use lavoxel_render::{Axis, Glow, Mouth, Ray};
use lavoxel_session::{Session, probe};
use lavoxel_sim::lowpass::{AirVolume, Bricks, CrustMap, LowPass};
use lavoxel_sim::simulation::{Simulation, StageTime};
use lavoxel_sim::state::State;

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
    lowpass: LowPass,
    bricks: Bricks,
    media: MediaPublisher,
    /// Ash and steam of the last update; `None` for clear air, and before the first update.
    sent_air: Option<Arc<AirVolume>>,
    /// Crust temperatures of the last update; `None` if unknown, and before the first update.
    sent_crust: Option<Arc<CrustMap>>,
    tallies: Vec<Tally>,
    cuts: [Option<Cut>; 3],
    embers: LavaLight,
    /// Position in the list of ground changes up to which changes were sent to the window; `None`
    /// before the first update.
    ground: Option<GroundCursor>,
    filter: StageTime,
    watcher: Watcher,
    /// Set until the first update, whose data replace all data of the window.
    reset: bool,
    /// Set if cells of the world may have changed since the last update.
    stale: bool,
}

impl Publisher {
    /// Creates a builder for `session`; its first update contains all data.
    pub(super) fn new(session: &Session) -> Self {
        let grid = session.simulation().world().grid();
        Self {
            lowpass: LowPass::new(grid),
            bricks: Bricks::new(grid),
            media: MediaPublisher::default(),
            sent_air: None,
            sent_crust: None,
            tallies: Vec::new(),
            cuts: [None, None, None],
            embers: LavaLight::default(),
            ground: None,
            filter: StageTime::default(),
            watcher: Watcher::default(),
            reset: true,
            stale: true,
        }
    }

    /// Marks the cells of the world as possibly changed, so that the next update searches for
    /// changes.
    pub(super) fn touch(&mut self) {
        self.stale = true;
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
        let world = session.simulation().world();
        // If the world has not changed since the last update, low-pass and bricks are still valid.
        let (mut changes, mut patched, mut others) = (false, Vec::new(), None);
        if std::mem::take(&mut self.stale) {
            let Self {
                lowpass,
                bricks,
                media,
                filter,
                ..
            } = self;
            filter.time(|| {
                lowpass.refresh(world);
                let changed = lowpass.take_changes();
                changes = bricks.refresh(lowpass.volume(), &changed);
                patched = patches(lowpass.volume(), bricks, &changed);
                others = media.update(lowpass);
            });
            self.tallies = world.layers().iter().map(Layer::tally).collect();
        }
        let reset = std::mem::take(&mut self.reset);
        let crust = newer(&mut self.sent_crust, &self.lowpass.volume().crust);
        let ember = self.embers.update(
            &self.lowpass,
            !patched.is_empty() || crust.is_some(),
            eye.glow,
        );
        Update {
            report: Report {
                timeline,
                watched: self.watched(session, eye),
                ..self.report(session, clock, eye, numbers)
            },
            reset,
            patches: patched,
            bricks: (reset || changes).then(|| self.bricks.densest().to_vec()),
            media: others,
            air: newer(&mut self.sent_air, &self.lowpass.volume().air),
            crust,
            ground: self.ground(world, proportion(session)),
            cuts: self.cuts(world, eye),
            ember,
            sea: Sea::from_volume(self.lowpass.volume()),
            mouths: self.mouths(session.simulation()),
            print: None,
            second: None,
            notices: Vec::new(),
        }
    }

    /// Returns a copy of what a print of `session` shows, as of the last update. `held`: entry of
    /// the print in the memory accounting.
    pub(super) fn subject(&self, session: &Session, held: Held) -> PrintSubject {
        PrintSubject {
            volume: self.lowpass.volume().clone(),
            cuts: self.cuts.clone(),
            steps: session.simulation().steps(),
            mouths: self.mouths(session.simulation()),
            held,
        }
    }

    /// Returns the mouths of the vents that throw sparks; empty in the physical model.
    fn mouths(&self, simulation: &Simulation) -> Vec<Mouth> {
        let world = simulation.world();
        let vents = simulation.vents().filter(|_| world.flow().is_none());
        let seen = (self.lowpass.volume(), world.ground().surface());
        Mouth::all_from_vents(vents, seen, (simulation.seed(), simulation.steps()))
    }

    /// Measures the values that `eye` requests; returns `None` if no value is requested or can be
    /// measured.
    fn watched(&mut self, session: &Session, eye: &Eye) -> Option<Watched> {
        let simulation = session.simulation();
        let of = (simulation.world(), session.site());
        self.watcher
            .watch(of, (simulation.steps(), simulation.vents()), &eye.watch)
    }

    /// Returns the rectangle of the ground that changed since the last update, or the whole ground
    /// in the first update; `None` without changes. `tall`: height of a cell divided by its width.
    fn ground(&mut self, world: &State, tall: f32) -> Option<GroundPatch> {
        match &mut self.ground {
            Some(cursor) => GroundPatch::since(cursor, world.ground(), tall),
            none => {
                *none = Some(world.ground().cursor());
                Some(GroundPatch::whole(world.ground(), tall))
            }
        }
    }

    /// Returns the slices across x, y and z that `eye` requests; `None` for each slice that is not
    /// requested or equals the one sent last.
    fn cuts(&mut self, world: &State, eye: &Eye) -> [Option<Cut>; 3] {
        [Axis::X, Axis::Y, Axis::Z].map(|axis| {
            let new =
                eye.cuts[axis.number()].map(|cell| Cut::new(world, axis, cell, &eye.quantity));
            let old = &mut self.cuts[axis.number()];
            if new == *old {
                return None;
            }
            old.clone_from(&new);
            new
        })
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
            .chain([("filter", &self.filter)]);
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

/// Compares `now` (such as the air) by pointer with `sent`, its value in the last update, and
/// stores `now` in `sent`. Returns `None` if both are equal, else a copy of `now`.
fn newer<T>(sent: &mut Option<Arc<T>>, now: &Option<Arc<T>>) -> Option<Option<Arc<T>>> {
    if now.as_ref().map(Arc::as_ptr) == sent.as_ref().map(Arc::as_ptr) {
        return None;
    }
    sent.clone_from(now);
    Some(now.clone())
}

/// Returns the height of a cell divided by its width, as pictures draw the cell: 1 in the classic
/// model, the ratio of the site's cell sizes in the physical model.
pub(super) fn proportion(session: &Session) -> f32 {
    let (flow, site) = (session.simulation().world().flow(), session.site());
    flow.map_or(1.0, |_| (site.cell_height_m() / site.cell_size_m) as f32)
}
