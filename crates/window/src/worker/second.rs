//! Second run of the window: a session that follows the first run step by step (two physical
//! models: up to the same simulated time), and the comparison of both runs by measured values.

use std::time::{Duration, Instant};

use super::clock::Clock;
use super::publish::{Eye, Publisher};
use super::watch::spread_of;
use crate::flow::FlowReport;
use crate::messages::{AirAccount, Moment, Notice, SecondUpdate, TwoRuns, Versus, Way};
use lavoxel_automaton::matter::{Kind, Material};
use lavoxel_automaton::world::{CellMeasure, Quantity};
use lavoxel_base::measure::Measure;
use lavoxel_base::memory::Held;
use lavoxel_base::units::cells;
use lavoxel_geo::map::Site;
use lavoxel_render::{Glow, LookSpec};
use lavoxel_scene::scene::{Scene, SceneError};
use lavoxel_session::Session;
use lavoxel_sim::simulation::Simulation;

/// Smallest time between two measurements of both runs; a user cannot read numbers that change more
/// often.
const SELDOM: Duration = Duration::from_millis(250);
/// Smallest interval between two measurements of both runs, as a multiple of the duration of the
/// last one; limits measurements to a twentieth of the time.
const WORTH: u32 = 20;

/// Second run: its session, and a record of which data of this run the window has.
pub(super) struct Second {
    session: Session,
    publisher: Publisher,
    /// Parameters of the light that the second run's lava casts on the rock; `None` if the window
    /// computes this light.
    pub(super) glow: Option<Glow>,
    /// Number of times that the second run was moved back to step 0.
    epoch: u64,
    /// Step number of the first run at the last moment at which the second run had caught up.
    level_at: u64,
    /// Latest measured values of both runs; `None` before the first measurement.
    numbers: Option<TwoRuns>,
    /// Last measurement of both runs: its time, duration and the measured states; `None` before the
    /// first.
    measured: Option<Measurement>,
    /// Entry for this session in the memory accounting of the program, which reduces the memory
    /// left for later scenes.
    _held: Held,
}

/// Last measurement of both runs: the states measured, the start time, and the duration.
struct Measurement {
    of: Measured,
    at: Instant,
    took: Duration,
}

/// Identifies the states of both runs for which a measurement was made.
#[derive(PartialEq)]
struct Measured {
    /// Moments of the first and of the second run at the measurement.
    moments: [Moment; 2],
    /// Set if both runs were at rest (clock paused, second run caught up); only then are the state
    /// hashes measured.
    rests: bool,
}

impl Second {
    /// Builds a second run of `scene` at step 0, compared with the session `first`.
    ///
    /// # Errors
    /// If the scene is invalid, or if both runs together exceed the memory limit.
    pub(super) fn open(scene: Scene, first: &Session) -> Result<Self, SceneError> {
        let _first = first.need().held();
        let session = Session::open(scene)?;
        Ok(Self {
            publisher: Publisher::new(&session),
            glow: None,
            epoch: 0,
            level_at: 0,
            numbers: None,
            measured: None,
            _held: session.need().held(),
            session,
        })
    }

    /// Begins to move the second run back to step 0; until the run has arrived there, `is_behind`
    /// returns true.
    pub(super) fn restart(&mut self) -> Result<(), String> {
        self.session.go(Way::Start).map(drop)
    }

    /// Returns true while the second run has work to do: it has made fewer steps (for physical
    /// models, less simulated time) than `first`, or is on its way back to step 0.
    pub(super) fn is_behind(&self, first: &Session) -> bool {
        self.session.travels() || self.session.simulation().is_behind(first.simulation())
    }

    /// Makes one step of the second run, or replays one time slice on the way back to step 0.
    pub(super) fn step(&mut self, first: &Session) {
        if !self.session.travels() {
            self.session.advance();
        } else if self.session.go_on() {
            self.epoch += 1;
            self.publisher = Publisher::new(&self.session);
        }
        self.publisher.touch();
        if !self.is_behind(first) {
            self.level_at = first.simulation().steps();
        }
    }

    /// Returns the notices of the second run since the last call; each text begins with the name of
    /// the run's scene.
    pub(super) fn take_notices(&mut self) -> Vec<Notice> {
        let name = self.session.name().to_owned();
        let named = |notice: Notice| Notice {
            text: format!("{name}, the run at the right: {}", notice.text),
            mend: None,
            ..notice
        };
        self.session.take_notices().into_iter().map(named).collect()
    }

    /// Builds an update of the second run with all data that the window does not have yet, and
    /// measures both runs if a measurement is due. `eye`: the window's requests for the first run;
    /// `sides`: number of cells of the first run's box along x, y and z.
    pub(super) fn update(
        &mut self,
        first: &Session,
        clock: &Clock,
        (eye, sides): (&Eye, [usize; 3]),
    ) -> SecondUpdate {
        let eye = self.eye(eye, sides);
        let update = self
            .publisher
            .update(&mut self.session, clock, &eye, [self.epoch, 0]);
        self.measure(first, clock.is_paused());
        SecondUpdate {
            look: update.changes.reset.then(|| Box::new(self.look())),
            numbers: self.numbers.clone(),
            update: Box::new(update),
        }
    }

    /// Returns the requests for the second run that correspond to those for the first run, `first`:
    /// slices at the same fraction of the simulation box, but no probe. `sides`: number of cells of
    /// the first run's box along x, y and z.
    fn eye(&self, first: &Eye, sides: [usize; 3]) -> Eye {
        let world = self.session.simulation().world();
        let (grid, quantities) = (world.grid(), world.quantities());
        let own = [grid.nx, grid.ny, grid.nz];
        let cell = |axis: usize| first.cuts[axis].map(|at| at * own[axis] / sides[axis].max(1));
        let is_known = quantities.contains(&first.quantity);
        Eye {
            cuts: [cell(0), cell(1), cell(2)].map(|cell| cell.filter(|_| is_known)),
            quantity: first.quantity.clone(),
            glow: self.glow,
            ..Eye::default()
        }
    }

    fn look(&self) -> LookSpec {
        LookSpec {
            cell_height: self.session.proportion(),
            drape: self.session.drape().cloned(),
            ..self.session.look()
        }
    }

    /// Discards the measured values of both runs; called after the first run was moved to another
    /// moment.
    pub(super) fn forget(&mut self) {
        (self.numbers, self.measured) = (None, None);
    }

    /// Measures both runs if their states have changed since the last measurement and the next
    /// measurement is due; measures at once when the clock is paused (`is_paused`) and the second
    /// run has caught up.
    fn measure(&mut self, first: &Session, is_paused: bool) {
        let runs = [first, &self.session];
        let is_behind = self.is_behind(first);
        let rests = is_paused && !is_behind;
        // While the second run still catches up with a step of the first run, the numbers at the
        // previous step stay.
        if is_behind && first.simulation().steps() == self.level_at + 1 {
            return;
        }
        let of = Measured {
            moments: runs.map(|session| session.at()),
            rests,
        };
        let (is_old, is_due) = self.measured.as_ref().map_or((true, true), |last| {
            let wait = SELDOM.max(WORTH * last.took);
            (last.of != of, rests || last.at.elapsed() >= wait)
        });
        if is_old && is_due {
            let at = Instant::now();
            self.numbers = Some(two_runs(runs, rests));
            let took = at.elapsed();
            self.measured = Some(Measurement { of, at, took });
        }
    }
}

/// Measures the two runs `runs` (left, right). With `hashed`, the result also contains the hashes
/// of both states.
fn two_runs(runs: [&Session; 2], hashed: bool) -> TwoRuns {
    let [left, right] = runs.map(|session| session.simulation());
    let [first, second] = runs.map(|session| readings(session.simulation(), session.site()));
    let rows = first.into_iter().filter_map(|(name, unit, value)| {
        let same = second
            .iter()
            .find(|(other, of, _)| (other, *of) == (&name, unit))?;
        let values = [value, same.2];
        (values != [0.0; 2]).then_some(Versus { name, unit, values })
    });
    TwoRuns {
        names: runs.map(|session| session.name().to_owned()),
        steps: [left.steps(), right.steps()],
        times_s: left.time_s().zip(right.time_s()).map(Into::into),
        is_behind: right.is_behind(left),
        rows: rows.collect(),
        hashes: hashed.then(|| [left, right].map(|run| run.world().state_hash())),
    }
}

/// Measured quantity of one run: name, unit and value.
type Reading = (String, &'static str, f64);

/// Returns the measured quantities of `run`: those of its materials, its lava and its air, and the
/// computing time of a step.
fn readings(run: &Simulation, site: &Site) -> Vec<Reading> {
    let mut all = of_materials(run, site);
    all.push(of_lava(run));
    all.extend(of_air(run));
    all.push(("time of a step".to_owned(), "ms", step_ms(run)));
    all
}

/// Returns the quantities of each material: volume (m³), for all materials except gases covered
/// area (m²) and runout (m), and for lava of the physical model the solidified volume (m³).
fn of_materials(run: &Simulation, site: &Site) -> Vec<Reading> {
    let (world, flow) = (run.world(), FlowReport::from_state(run.world()));
    let mut all = Vec::new();
    for layer in world.layers() {
        let (name, tally) = (&layer.material().name, layer.tally());
        let flowing = flow.as_ref().filter(|_| *name == Material::LAVA);
        let volume_m3 = cells(tally.mass) * site.cell_volume_m3();
        let volume_m3 = flowing.map_or(volume_m3, |flow| flow.liquid);
        all.push((format!("{name} in the box"), "m³", volume_m3));
        all.extend(flowing.map(|flow| (format!("{name} turned to rock"), "m³", flow.set)));
        if layer.material().kind != Kind::Gas {
            let extent = spread_of((world, site), (run.steps(), run.vents()), name);
            all.push((format!("area under {name}"), "m²", extent.area_m2));
            let front = extent.front_m.map(|m| (format!("front of {name}"), "m", m));
            all.extend(front);
        }
    }
    all
}

/// Returns the total energy of the lava in the classic model, or the mean lava temperature of the
/// cells in the physical model.
fn of_lava(run: &Simulation) -> Reading {
    let world = run.world();
    let (measure, words) = match world.flow() {
        Some(_) => (CellMeasure::Temperature, "mean temperature of lava"),
        None => (CellMeasure::Energy, "energy of lava"),
    };
    let values = world.values(&Quantity::new(measure, Material::LAVA));
    let (mut sum, mut count) = (0.0, 0_u32);
    for (_, value) in values.held().filter(|(_, value)| *value > 0.0) {
        sum += f64::from(value);
        count += 1;
    }
    if measure == CellMeasure::Temperature {
        sum /= f64::from(count.max(1));
    }
    (words.to_owned(), measure.facts().unit, sum)
}

/// Returns the total content of each quantity that the air transports, and the largest air speed
/// (m/s); empty without air.
fn of_air(run: &Simulation) -> Vec<Reading> {
    let Some(air) = run.world().air() else {
        return Vec::new();
    };
    let of = |field: AirAccount| {
        let name = format!("{} of the air", field.name);
        (name, field.unit, field.account.present)
    };
    let speed = ("fastest air".to_owned(), "m/s", air.max_speed_m_s());
    AirAccount::all_from_air(air)
        .into_iter()
        .map(of)
        .chain([speed])
        .collect()
}

/// Returns the mean computing time of a step in milliseconds; 0 before the first step.
fn step_ms(run: &Simulation) -> f64 {
    let (mut total, mut steps) = (Duration::ZERO, 0);
    for (_, stage) in run.timings().iter() {
        total += stage.total;
        steps = steps.max(stage.runs);
    }
    total.as_secs_f64() * 1e3 / steps.max(1) as f64
}
