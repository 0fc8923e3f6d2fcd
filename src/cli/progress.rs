//! The progress bar: steps, step rate, liquid cells and mass.

use std::fmt::Write;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use lavoxel::scene::Seconds;
use lavoxel::simulation::Simulation;
use lavoxel::units::cells;
use lavoxel::words::volume;
use lavoxel::world::Layer;

/// Time between two refreshes of the numbers next to the bar.
const REFRESH: Duration = Duration::from_millis(250);

/// A bar over the steps of a simulation. It draws on a terminal only.
pub(super) struct Progress {
    bar: ProgressBar,
    shown: Instant,
}

impl Progress {
    /// A bar for `steps` steps; a quiet one draws nothing.
    pub(super) fn new(steps: u64, quiet: bool) -> Self {
        let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let bar = ProgressBar::with_draw_target(Some(steps), target);
        let template = "{bar:28} step {pos}/{len}  {rate}  {msg}  {eta} left";
        let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        let rate = |state: &ProgressState, out: &mut dyn Write| {
            // A bar that cannot be drawn is not an error of the run.
            write!(out, "{:.1} steps/s", state.per_sec()).ok();
        };
        bar.set_style(style.with_key("rate", rate));
        Self { bar, shown: Instant::now() }
    }

    /// Starts the bar at a later step, from which rate and remaining time count.
    pub(super) fn start_at(&self, step: u64) {
        self.bar.set_position(step);
        self.bar.reset_eta();
    }

    /// Shows how far the simulation is, and what is in the box.
    pub(super) fn update(&mut self, simulation: &Simulation) {
        self.bar.set_position(simulation.steps());
        if !self.bar.is_hidden() && self.shown.elapsed() > REFRESH {
            if let Some(words) = flow_words(simulation) {
                self.bar.set_message(words);
                self.shown = Instant::now();
                return;
            }
            let tallies: Vec<_> = simulation.world().layers().iter().map(Layer::tally).collect();
            let held: u64 = tallies.iter().map(|tally| tally.cells).sum();
            let mass = cells(tallies.iter().map(|tally| tally.mass).sum());
            self.bar.set_message(format!("{held} liquid cells  mass {mass:.1}"));
            self.shown = Instant::now();
        }
    }

    /// Removes the bar.
    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// A bar over the runs of a hazard map, of which `done` are there already.
pub(super) fn runs_bar(runs: u64, done: u64, quiet: bool) -> ProgressBar {
    let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
    let bar = ProgressBar::with_draw_target(Some(runs), target);
    let style = ProgressStyle::with_template("{bar:28} run {pos}/{len}  {elapsed} so far  {eta} left");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.set_position(done);
    bar.reset_eta();
    bar.enable_steady_tick(REFRESH);
    bar
}

/// Simulated time and volume, in the physical model.
fn flow_words(simulation: &Simulation) -> Option<String> {
    let (flow, time) = (simulation.world().flow()?, simulation.time_s()?);
    let account = flow.account();
    let held = account.liquid() as f64 * flow.space().unit_m3();
    Some(format!("{} simulated  {} liquid", Seconds(time), volume(held)))
}
