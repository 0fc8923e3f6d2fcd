//! Progress displays of commands: a bar with counts and remaining time, or log lines where there is
//! no terminal.

use std::fmt::Write;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use lavoxel::scene::Seconds;
use lavoxel::simulation::Simulation;
use lavoxel::units::cells;
use lavoxel::words::volume;
use lavoxel::world::Layer;

use crate::cli::show::messages;
use crate::cli::show::painter::Traced;

/// Interval between two updates of the numbers shown next to the bar.
const REFRESH: Duration = Duration::from_millis(250);

/// Interval between two log lines, which replace the bar where there is no terminal.
const EVERY: Duration = Duration::from_secs(10);

/// Progress display over the steps of a simulation: a bar on a terminal; elsewhere, for example in
/// a file or a notebook, a log line every ten seconds.
pub(in crate::cli) struct Progress {
    bar: ProgressBar,
    shown: Instant,
    log: Option<Log>,
}

impl Progress {
    /// Creates the progress display of a run up to the step number `steps`; prints nothing if
    /// `quiet`.
    pub(in crate::cli) fn new(steps: u64, quiet: bool) -> Self {
        let bar = bar(
            steps,
            quiet,
            "{bar:28} step {pos}/{len}  {rate}  {msg}  {eta} left",
        );
        let log = Log::instead_of(&bar, quiet, "step");
        Self {
            bar,
            shown: Instant::now(),
            log,
        }
    }

    /// Sets the step at which the run starts or continues; step rate and remaining time are
    /// measured from this step.
    pub(in crate::cli) fn start_at(&mut self, step: u64) {
        self.bar.set_position(step);
        self.bar.reset_eta();
        self.log.iter_mut().for_each(|log| log.first = step);
    }

    /// Displays the number of the present step, and the contents of the simulation box.
    pub(in crate::cli) fn update(&mut self, simulation: &Simulation) {
        self.bar.set_position(simulation.steps());
        if let Some(log) = &mut self.log {
            log.say(simulation.steps(), self.bar.length());
        } else if !self.bar.is_hidden() && self.shown.elapsed() > REFRESH {
            self.bar.set_message(contents(simulation));
            self.shown = Instant::now();
        }
    }

    /// Removes the progress bar from the terminal.
    pub(in crate::cli) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// Progress display over the frames of a film: a bar or log lines, of the same form as in
/// [`Progress`]. The remaining time is estimated from the mean durations of steps and frames.
pub(in crate::cli) struct Frames {
    bar: ProgressBar,
    shown: Instant,
    log: Option<Log>,
    costs: Costs,
    /// Total number of frames of the film, and total number of its simulation steps.
    all: [u64; 2],
    /// Number of completed frames, and number of completed simulation steps.
    now: [u64; 2],
}

impl Frames {
    /// Creates the progress display of a film of `frames` frames and `steps` simulation steps;
    /// prints nothing if `quiet`.
    pub(in crate::cli) fn new(frames: u64, steps: u64, quiet: bool) -> Self {
        let bar = bar(frames, quiet, "{bar:28} frame {pos}/{len}  {msg}");
        let log = Log::instead_of(&bar, quiet, "frame");
        Self {
            bar,
            shown: Instant::now(),
            log,
            costs: Costs::default(),
            all: [frames, steps],
            now: [0; 2],
        }
    }

    /// Registers that the frame number `frame`, at the step `step`, was drawn by an earlier
    /// command.
    pub(in crate::cli) fn skip(&mut self, frame: u64, step: u64) {
        self.now = [frame, step];
        self.bar.set_position(frame);
        self.log.iter_mut().for_each(|log| log.first = frame);
    }

    /// Sets the step at which the simulation continues after it was restored from a checkpoint.
    pub(in crate::cli) fn start_at(&mut self, step: u64) {
        self.now[1] = step;
    }

    /// Registers a completed step of `simulation` that took the time `took`.
    pub(in crate::cli) fn step(&mut self, simulation: &Simulation, took: Duration) {
        self.costs.add(1, took);
        self.now[1] = simulation.steps();
        self.show(Some(simulation));
    }

    /// Registers that frame number `frame` was drawn and written in the time `took`.
    pub(in crate::cli) fn frame(&mut self, frame: u64, simulation: &Simulation, took: Duration) {
        self.costs.add(0, took);
        self.now[0] = frame;
        self.bar.set_position(frame);
        self.show(Some(simulation));
    }

    /// Displays the samples of the frame that is being traced.
    pub(in crate::cli) fn trace(&mut self, traced: Traced) {
        let left = self.left();
        if let Some(log) = &mut self.log {
            let more = format!(", sample {} of {}", traced.samples, traced.most);
            log.say_with(self.now[0], Some(self.all[0]), &more, left);
        } else if !self.bar.is_hidden() && self.shown.elapsed() > REFRESH {
            let left = left
                .map(|left| format!("  {left} left"))
                .unwrap_or_default();
            self.bar.set_message(format!(
                "step {}/{}  sample {}/{}  {}{left}",
                self.now[1],
                self.all[1],
                traced.samples,
                traced.most,
                noise_of(traced)
            ));
            self.shown = Instant::now();
        }
    }

    fn show(&mut self, simulation: Option<&Simulation>) {
        let left = self.left();
        if let Some(log) = &mut self.log {
            log.say_with(
                self.now[0],
                Some(self.all[0]),
                &format!(", step {} of {}", self.now[1], self.all[1]),
                left,
            );
        } else if !self.bar.is_hidden() && self.shown.elapsed() > REFRESH {
            let left = left
                .map(|left| format!("  {left} left"))
                .unwrap_or_default();
            let contents = simulation.map(contents).unwrap_or_default();
            self.bar.set_message(format!(
                "step {}/{}  {contents}{left}",
                self.now[1], self.all[1]
            ));
            self.shown = Instant::now();
        }
    }

    /// Returns the estimated time until the film is complete; `None` before the first drawn frame,
    /// or before the first step if steps remain.
    fn left(&self) -> Option<Seconds> {
        let left: [u64; 2] = std::array::from_fn(|k| self.all[k].saturating_sub(self.now[k]));
        self.costs
            .estimate_s(left)
            .map(|seconds| Seconds(seconds.ceil()))
    }

    /// Removes the progress bar from the terminal.
    pub(in crate::cli) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// Progress display over the samples of a traced picture: a bar or log lines, of the same form as
/// in [`Progress`].
pub(in crate::cli) struct Samples {
    bar: ProgressBar,
    log: Option<Log>,
}

impl Samples {
    /// Creates the progress display of a picture that is traced, which shows nothing before the
    /// first pass; prints nothing if `quiet`.
    pub(in crate::cli) fn new(quiet: bool) -> Self {
        let bar = bar(
            0,
            quiet,
            "{bar:28} sample {pos}/{len}  {msg}  {eta} left at most",
        );
        let log = Log::instead_of(&bar, quiet, "sample");
        Self { bar, log }
    }

    /// Displays the number of samples and the noise of the picture.
    pub(in crate::cli) fn update(&mut self, traced: Traced) {
        let [samples, most] = [traced.samples, traced.most].map(u64::from);
        if let Some(log) = &mut self.log {
            log.say(samples, Some(most));
        } else {
            self.bar.set_length(most);
            self.bar.set_position(samples);
            self.bar.set_message(noise_of(traced));
        }
    }

    /// Removes the progress bar from the terminal.
    pub(in crate::cli) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// Returns a text about the noise of a traced picture, which has none before the second sample.
fn noise_of(traced: Traced) -> String {
    if traced.noise.is_finite() {
        format!("noise {:.1} %", 100.0 * traced.noise)
    } else {
        String::new()
    }
}

/// Mean duration in seconds of a frame (first) and of a step (second); `None` before the first. The
/// means are exponential moving averages, because a growing flow makes later frames and steps
/// slower.
#[derive(Default)]
struct Costs([Option<f64>; 2]);

impl Costs {
    /// Weight (0 to 1) of the latest duration in the moving average of frames, and in that of
    /// steps.
    const SHARES: [f64; 2] = [0.1, 0.02];

    fn add(&mut self, kind: usize, took: Duration) {
        let took = took.as_secs_f64();
        let mean = self.0[kind].get_or_insert(took);
        *mean += (took - *mean) * Self::SHARES[kind];
    }

    /// Returns the estimated time in seconds for `frames` frames and `steps` steps; `None` before
    /// the first measured frame, or before the first measured step if `steps` is not 0.
    fn estimate_s(&self, [frames, steps]: [u64; 2]) -> Option<f64> {
        let stepping = if steps == 0 {
            0.0
        } else {
            self.0[1]? * steps as f64
        };
        Some(self.0[0]? * frames as f64 + stepping)
    }
}

/// Progress display over the runs of a hazard map, shared by threads: a bar or log lines, of the
/// same form as in [`Progress`].
pub(in crate::cli) struct Runs {
    bar: ProgressBar,
    log: Option<Mutex<Log>>,
}

impl Runs {
    /// Creates the progress display of `runs` runs, of which `done` were completed by an earlier
    /// command; prints nothing if `quiet`.
    pub(in crate::cli) fn new(runs: u64, done: u64, quiet: bool) -> Self {
        let bar = bar(
            runs,
            quiet,
            "{bar:28} run {pos}/{len}  {elapsed} so far  {eta} left",
        );
        bar.set_position(done);
        bar.reset_eta();
        bar.enable_steady_tick(REFRESH);
        let log =
            Log::instead_of(&bar, quiet, "run").map(|log| Mutex::new(Log { first: done, ..log }));
        Self { bar, log }
    }

    /// Registers that one more run has been completed.
    pub(in crate::cli) fn add_one(&self) {
        self.bar.inc(1);
        if let Some(log) = &self.log {
            log.lock()
                .unwrap_or_else(PoisonError::into_inner)
                .say(self.bar.position(), self.bar.length());
        }
    }

    /// Removes the progress bar from the terminal.
    pub(in crate::cli) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

fn bar(length: u64, quiet: bool, template: &str) -> ProgressBar {
    let target = if quiet {
        ProgressDrawTarget::hidden()
    } else {
        ProgressDrawTarget::stderr()
    };
    let bar = ProgressBar::with_draw_target(Some(length), target);
    let style =
        ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    let rate = |state: &ProgressState, out: &mut dyn Write| {
        // A failure to draw the bar must not fail the run.
        write!(out, "{:.1} steps/s", state.per_sec()).ok();
    };
    bar.set_style(style.with_key("rate", rate));
    bar
}

/// Log lines that replace a progress bar where there is no terminal.
struct Log {
    /// Name of the counted items in the singular, such as `step`.
    unit: &'static str,
    /// Number of items completed before the start, which are not used to measure the rate.
    first: u64,
    start: Instant,
    last: Instant,
}

impl Log {
    /// Creates log lines in place of `bar` if there is no terminal; `None` on a terminal, or if
    /// `quiet`. `unit`: name of the counted items in the singular.
    fn instead_of(bar: &ProgressBar, quiet: bool, unit: &'static str) -> Option<Self> {
        let now = Instant::now();
        (bar.is_hidden() && !quiet).then_some(Self {
            unit,
            first: 0,
            start: now,
            last: now,
        })
    }

    fn say(&mut self, done: u64, all: Option<u64>) {
        if let Some(line) = self.due(Instant::now(), done, all.unwrap_or(done)) {
            messages::note(&line);
        }
    }

    /// Prints a log line if the interval `EVERY` is over and not all items are completed. `done` of
    /// `all` items are completed; `more`: additional text; `left`: remaining time. With `None` for
    /// `all`, prints nothing.
    fn say_with(&mut self, done: u64, all: Option<u64>, more: &str, left: Option<Seconds>) {
        let now = Instant::now();
        if self.is_due(now, done, all.unwrap_or(done)) {
            let took = now.duration_since(self.start).as_secs_f64();
            messages::note(&self.line(done, all.unwrap_or(done), (more, took, left)));
        }
    }

    /// Returns the log line to print at the time `now`, with `done` of `all` items completed;
    /// `None` if no line is due.
    fn due(&mut self, now: Instant, done: u64, all: u64) -> Option<String> {
        if !self.is_due(now, done, all) {
            return None;
        }
        let (made, took) = (
            done.saturating_sub(self.first),
            now.duration_since(self.start).as_secs_f64(),
        );
        let left = (made > 0).then(|| Seconds((took / made as f64 * (all - done) as f64).ceil()));
        Some(self.line(done, all, ("", took, left)))
    }

    fn is_due(&mut self, now: Instant, done: u64, all: u64) -> bool {
        let is_due = done < all && now.duration_since(self.last) >= EVERY;
        self.last = if is_due { now } else { self.last };
        is_due
    }

    fn line(
        &self,
        done: u64,
        all: u64,
        (more, took, left): (&str, f64, Option<Seconds>),
    ) -> String {
        let left = left
            .map(|left| format!(", about {left} left"))
            .unwrap_or_default();
        format!(
            "{} {done} of {all}{more}, {} so far{left}",
            self.unit,
            Seconds(took.round())
        )
    }
}

/// Returns a text about the contents of the simulation box: simulated time and volume of lava in
/// the physical model, number of liquid cells and mass in the classic model.
fn contents(simulation: &Simulation) -> String {
    flow_words(simulation).unwrap_or_else(|| {
        let tallies: Vec<_> = simulation
            .world()
            .layers()
            .iter()
            .map(Layer::tally)
            .collect();
        let held: u64 = tallies.iter().map(|tally| tally.cells).sum();
        let mass = cells(tallies.iter().map(|tally| tally.mass).sum());
        format!("{held} liquid cells  mass {mass:.1}")
    })
}

/// Returns a text with simulated time and volume of lava; `None` in the classic model.
fn flow_words(simulation: &Simulation) -> Option<String> {
    let (flow, time) = (simulation.world().flow()?, simulation.time_s()?);
    let account = flow.account();
    let held = account.liquid() as f64 * flow.space().unit_m3();
    Some(format!(
        "{} simulated  {} liquid",
        Seconds(time),
        volume(held)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_of_a_film_counts_steps_and_frames() {
        let mut costs = Costs::default();
        assert_eq!(costs.estimate_s([3, 0]), None);
        costs.add(0, Duration::from_secs(2));
        assert_eq!(
            (costs.estimate_s([3, 0]), costs.estimate_s([3, 10])),
            (Some(6.0), None)
        );
        costs.add(1, Duration::from_millis(500));
        assert_eq!(costs.estimate_s([3, 10]), Some(11.0));
        (0..2000).for_each(|_| costs.add(1, Duration::from_secs(1)));
        assert!(
            costs
                .estimate_s([0, 10])
                .is_some_and(|seconds| (seconds - 10.0).abs() < 0.01),
            "late steps count more"
        );
    }

    #[test]
    fn a_log_has_a_line_every_ten_seconds_with_the_time_left() {
        let start = Instant::now();
        let mut log = Log {
            unit: "step",
            first: 100,
            start,
            last: start,
        };
        let mut at = |seconds: u64, done| log.due(start + Duration::from_secs(seconds), done, 1000);
        assert_eq!(at(9, 190), None);
        assert_eq!(
            at(10, 200).as_deref(),
            Some("step 200 of 1000, 10 s so far, about 1.33 min left")
        );
        assert_eq!(at(15, 300), None);
        assert_eq!(
            at(20, 300).as_deref(),
            Some("step 300 of 1000, 20 s so far, about 1.17 min left")
        );
        assert_eq!(at(30, 1000), None, "the report comes now");
        assert_eq!(
            log.due(start + Duration::from_secs(60), 100, 1000)
                .as_deref(),
            Some("step 100 of 1000, 1 min so far")
        );
    }
}
