//! `lavoxel resume`: go on from a checkpoint.

use std::fs::canonicalize;
use std::path::{Path, PathBuf};

use clap::Args;
use lavoxel::checkpoint::{Checkpoint, Keeper, previous, steps_of};
use lavoxel::output::protect;

use crate::cli::flags::count;
use crate::cli::run::{Work, WorkOptions};
use crate::cli::{NoThreads, Outcome, start_threads, useful_threads};

/// Go on from a checkpoint that `lavoxel run --checkpoint FILE` kept
///
/// Gives the same bits as a run that was never stopped, and reports like `lavoxel run`. The checkpoint holds all that
/// is needed: neither the scene file nor its heightmap is read again. Further checkpoints are kept in the same file.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ResumeArgs {
    /// The checkpoint
    #[arg(value_name = "FILE")]
    file: PathBuf,

    #[command(flatten)]
    work: WorkOptions,

    /// Number of threads, instead of the scene's; results do not depend on it
    #[arg(long, value_name = "N", value_parser = count::threads, allow_negative_numbers = true)]
    threads: Option<u64>,

    /// Show no progress
    #[arg(long, short)]
    quiet: bool,
}

const EXAMPLES: &str = "\
Examples:
  lavoxel run --steps 100000 --checkpoint long.lvx     killed somewhere on the way
  lavoxel resume long.lvx                              goes on to step 100000
  lavoxel resume long.lvx --steps 200000 --json        and further
  lavoxel resume long.lvx.previous                     where long.lvx was damaged";

/// Runs `lavoxel resume`.
pub(super) fn run(args: &ResumeArgs) -> anyhow::Result<Outcome> {
    let Checkpoint { mut scene, stage, extras } = load(args)?;
    args.work.put_into(&mut scene);
    let (step, steps) = (stage.simulation.steps(), scene.spec.film.steps);
    let file = args.file.display();
    anyhow::ensure!(
        step <= steps,
        "--steps {steps}: {file} is at step {step} already; give a later one, or start again with lavoxel run"
    );
    let world = stage.simulation.world();
    let held = world.taken().held();
    // Those of events to come were read.
    scene.files().iter().filter(|path| !is_same(path, &args.file)).for_each(|path| protect(path));
    // Only checkpoints take the place of the one that is gone on from.
    let mut files = args.work.files(&scene, Some(&args.file))?;
    files.keeps = true;
    files.need(world.grid()).check("write fewer files")?;
    drop(held);
    files.maps.go_on(&extras, &scene, step)?;
    drop(extras);
    start_threads(args.threads.map_or(scene.spec.threads, |n| n as usize))?;
    let keeper = Some(args.keeper(step)?);
    Work { scene, stage, files, keeper, json: args.work.json, quiet: args.quiet }.run()
}

/// Reads the checkpoint, or offers the one before it.
fn load(args: &ResumeArgs) -> anyhow::Result<Checkpoint> {
    // On threads of its own, because only the checkpoint says how many threads the later work may use.
    let threads = useful_threads(args.threads.unwrap_or(0) as usize);
    let threads = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let threads = threads.map_err(|error| NoThreads(error.to_string()))?;
    threads.install(|| {
        let error = match Checkpoint::load(&args.file, args.work.engine.make()) {
            Ok(checkpoint) => return Ok(checkpoint),
            Err(error) => error,
        };
        let before = previous(&args.file);
        let offer = steps_of(&before).map(|step| {
            let before = before.display();
            format!("; the one before it is good and has step {step}: go on with lavoxel resume {before}")
        });
        Err(anyhow::anyhow!("{error}{}", offer.unwrap_or_default()))
    })
}

impl ResumeArgs {
    /// A keeper of the checkpoints from now on.
    fn keeper(&self, step: u64) -> anyhow::Result<Keeper> {
        let (every, existing) = (self.work.every(), self.work.existing());
        Ok(match self.work.checkpoint.as_deref().filter(|other| !is_same(other, &self.file)) {
            Some(other) => {
                protect(&self.file);
                Keeper::new(other, every, existing)?
            }
            None => Keeper::going_on(&self.file, step, every, existing)?,
        })
    }
}

/// Whether two paths lead to the same file.
pub(super) fn is_same(a: &Path, b: &Path) -> bool {
    canonicalize(a).is_ok_and(|a| canonicalize(b).is_ok_and(|b| a == b))
}
