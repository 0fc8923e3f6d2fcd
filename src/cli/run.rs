//! `lavoxel run`: simulate without pictures, and report.

use clap::{Args, ValueEnum};
use lavoxel::engine::Engine;
use lavoxel::engine::plain::Plain;
use lavoxel::engine::tiled::Tiled;
use lavoxel::export::frame::Frame;
use lavoxel::lowpass::LowPass;
use lavoxel::scene::Scene;
use lavoxel::simulation::Stage;

use super::progress::Progress;
use super::report::{Context, Report};
use super::volumes::{Exports, VolumeArgs};
use super::{Outcome, SceneOptions, say, start_threads, stop};

/// Steps from one refresh of the low-pass to the next; it serves pictures only, and is timed here.
const FILTER_EVERY: u64 = 10;

/// Simulate a scene without pictures and report
///
/// Prints the mass account, the extent of the lava and the mean time of each stage. The low-pass filter that pictures
/// need is refreshed every 10 steps, so that its time is known too, unless the box is too large to be drawn. The lava
/// is written for other programs with --volume and --mesh; after Ctrl-C they get the step at which the run ended.
#[derive(Args, Debug)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    scene: SceneOptions,

    /// Number of steps, instead of the scene's
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..=1_000_000_000))]
    steps: Option<u64>,

    /// Print the report as one JSON object
    #[arg(long)]
    json: bool,

    /// The engine; both give the same bits
    #[arg(long, value_enum, default_value_t = EngineName::Fast)]
    engine: EngineName,

    #[command(flatten)]
    volumes: VolumeArgs,
}

/// Engines by name.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum EngineName {
    /// The one for work
    Fast,
    /// The one that reads like the specification, slow
    Plain,
}

impl EngineName {
    fn make(self) -> Box<dyn Engine> {
        match self {
            Self::Fast => Box::new(Tiled::default()),
            Self::Plain => Box::new(Plain),
        }
    }
}

/// Runs `lavoxel run`.
pub(super) fn run(args: &RunArgs) -> anyhow::Result<Outcome> {
    let scene = args.scene.load()?;
    let steps = args.steps.unwrap_or(scene.spec.film.steps);
    let exports = args.volumes.check(&scene, steps)?;
    start_threads(scene.spec.threads)?;
    // On one of the threads that share the work: handing every step over from outside takes longer than some steps.
    rayon::scope(|_| simulate(args, scene, steps, exports))
}

/// Simulates and reports.
fn simulate(args: &RunArgs, scene: Scene, steps: u64, mut exports: Exports) -> anyhow::Result<Outcome> {
    let stage = scene.build(args.engine.make())?;
    let frame = Frame::of(&stage);
    let mut simulation = stage.simulation;
    let grid = simulation.world().grid;
    let mut lowpass = LowPass::check(grid).is_ok().then(|| LowPass::new(grid));
    let mut filter = Stage::default();
    let mut progress = Progress::new(steps, args.scene.quiet);
    while simulation.steps() < steps && !stop::asked() {
        simulation.step();
        if let Some(lowpass) = lowpass.as_mut().filter(|_| simulation.steps().is_multiple_of(FILTER_EVERY)) {
            filter.time(|| {
                lowpass.refresh(simulation.world());
            });
        }
        exports.after_step(&simulation, &frame)?;
        progress.update(&simulation);
    }
    progress.finish();
    exports.finish(&simulation, &frame, args.scene.quiet)?;
    let interrupted = simulation.steps() < steps;
    let context = Context { scene: scene.spec.name, cell_size_m: stage.cell_size_m, filter, interrupted };
    let report = Report::new(&simulation, context);
    say::data(&if args.json { serde_json::to_string_pretty(&report)? } else { report.text() })?;
    Ok(if interrupted { Outcome::Stopped } else { Outcome::Done })
}
