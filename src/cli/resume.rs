//! `lavoxel resume`: continues a run from a checkpoint.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use lavoxel::checkpoint::{Checkpoint, Keeper, previous, steps_of};
use lavoxel::output::{is_same_file, protect};
use lavoxel::scene::{BuiltScene, RatesFiles, Scene, Seconds, VentOverride};
use lavoxel::simulation::Simulation;
use lavoxel::source::{VentChange, VentSpec};
use lavoxel::validate::escape_for_terminal;
use lavoxel::world::Edit;

use crate::cli::flags::count;
use crate::cli::run::{Work, WorkOptions};
use crate::cli::{NoThreads, Outcome, start_threads, useful_threads};

/// Continue from a checkpoint that `lavoxel run --checkpoint FILE` kept
///
/// Gives the same bits as a run that was never stopped, and reports like `lavoxel run`. The
/// checkpoint holds all data: neither the scene file nor its heightmap is read again. Further
/// checkpoints are kept in the same file.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ResumeArgs {
    /// Checkpoint to continue from
    #[arg(value_name = "FILE")]
    file: PathBuf,

    #[command(flatten)]
    work: WorkOptions,

    /// Set the rates of an open vent from now on by a table (.csv), such as new.csv, or 2=new.csv
    /// for the second open vent; repeatable
    ///
    /// Needs the physical model. The table is that of vent.rates_files in a scene: time_h, or date
    /// with --rates-start, and rate_m3_s.
    #[arg(long, value_name = "[N=]FILE.csv")]
    rates: Vec<String>,

    /// Set the date at which the simulation started, for tables of --rates with dates
    #[arg(long, value_name = "DATE", requires = "rates")]
    rates_start: Option<String>,

    /// Open a vent now, in addition to the vents of the scene; repeatable
    ///
    /// Places and rates are written as in lavoxel run --vent.
    #[arg(long, value_name = "X,Z[@RATE]", allow_hyphen_values = true)]
    vent: Vec<VentOverride>,

    /// Raise the ground now along the lines of a file, and remove the lava there; repeatable
    ///
    /// Lines have the properties height_m (default 5; below 0 a ditch), width_m and name.
    #[arg(long, value_name = "LINES.geojson")]
    barrier: Vec<PathBuf>,

    /// Give the ground the heights of another survey (.tif, .asc) now, where no lava of the run
    /// lies
    #[arg(long, value_name = "HEIGHTS.tif")]
    survey: Option<PathBuf>,

    /// Simulate a scene of the physical model up to TIME since the start, instead of the scene's
    /// duration: 90s, 20min, 12h, 10d
    #[arg(long, value_name = "TIME", conflicts_with = "steps")]
    duration: Option<Seconds>,

    /// Use N threads, instead of the scene's number; results do not depend on N
    #[arg(long, value_name = "N", value_parser = count::threads, allow_negative_numbers = true)]
    threads: Option<u64>,

    /// Show no progress
    #[arg(long, short)]
    quiet: bool,
}

const EXAMPLES: &str = "\
Examples:
  lavoxel run --steps 100000 --checkpoint long.lvx     start a long run, which is then interrupted
  lavoxel resume long.lvx                              continue to step 100000
  lavoxel resume long.lvx --steps 200000 --json        continue to step 200000
  lavoxel resume etna.lvx --rates today.csv            continue with new effusion rates
  lavoxel resume etna.lvx --barrier dams.geojson       continue with dams
  lavoxel resume etna.lvx --survey drone.tif           continue on the ground of a new survey
  lavoxel resume long.lvx.previous                     previous checkpoint, if long.lvx is damaged";

/// Runs `lavoxel resume`.
pub(super) fn run(args: &ResumeArgs) -> anyhow::Result<Outcome> {
    let Checkpoint {
        mut scene,
        mut stage,
        extras,
    } = load(args)?;
    args.work.put_into(&mut scene);
    if let Some(duration) = args.duration {
        scene.run_for(duration)?;
    }
    stage.simulation.end_at(
        scene
            .spec
            .flow_spec()
            .and_then(|flow| flow.duration)
            .map(|Seconds(end)| end),
    );
    args.change_rates(&mut stage.simulation)?;
    let (step, steps) = (stage.simulation.steps(), scene.spec.film.steps);
    let file = args.file.display();
    let asked = args
        .duration
        .map_or(format!("--steps {steps}"), |duration| {
            format!("--duration {duration}")
        });
    anyhow::ensure!(
        step <= steps,
        "{asked}: {file} is at step {step} already; give a later one, or start again with lavoxel run"
    );
    let world = stage.simulation.world();
    let held = world.taken().held();
    // Files of future events are already in the checkpoint, but must not be overwritten.
    scene
        .files()
        .iter()
        .filter(|path| !is_same_file(path, &args.file))
        .for_each(|path| protect(path));
    // Only new checkpoints may replace the one being resumed.
    let mut files = args.work.files(&scene, Some(&args.file))?;
    files.keeps = true;
    files.need(world.grid()).check("write fewer files")?;
    drop(held);
    files.maps.go_on(&extras, &scene, step)?;
    files.exports.go_on(&extras, step)?;
    files.exports.check_files()?;
    drop(extras);
    start_threads(args.threads.map_or(scene.spec.threads, |n| n as usize))?;
    args.open_vents(&scene, &mut stage)?;
    args.renew_ground(&scene, &mut stage)?;
    args.raise_barriers(&scene, &mut stage)?;
    let keeper = Some(args.keeper(step)?);
    Work {
        scene,
        stage,
        files,
        keeper,
        json: args.work.json,
        quiet: args.quiet,
    }
    .run()
}

/// Reads the checkpoint to continue from. If this fails, the error suggests the previous
/// checkpoint, if that file is intact.
fn load(args: &ResumeArgs) -> anyhow::Result<Checkpoint> {
    // Reads on a temporary thread pool: only the checkpoint says how many threads the later work
    // may use.
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
    /// Replaces the effusion rates of open vents, from the present step on, by the tables of
    /// `--rates`.
    fn change_rates(&self, simulation: &mut Simulation) -> anyhow::Result<()> {
        // Numbers of `--rates` count the open vents of the physical model from 1, not all vents of
        // the scene.
        let open: Vec<(usize, VentSpec)> = simulation
            .open_vents()
            .map(|(number, vent)| (number, vent.clone()))
            .collect();
        let mut of_flow = open
            .into_iter()
            .filter(|(_, vent)| vent.flow.is_some())
            .collect::<Vec<_>>();
        for text in &self.rates {
            let numbered = text
                .split_once('=')
                .and_then(|(number, file)| Some((number.parse::<usize>().ok()?, file)));
            anyhow::ensure!(
                numbered.is_some() || of_flow.len() == 1,
                "--rates {text}: {} vents of the physical model are open; say which, such as --rates 1={text}",
                of_flow.len()
            );
            let (number, file) = numbered.unwrap_or((1, text));
            let vent = number.checked_sub(1).and_then(|i| of_flow.get_mut(i));
            let (number, vent) = vent.with_context(|| {
                format!("--rates {text}: there is no vent {number} that is open")
            })?;
            let rates = RatesFiles {
                files: vec![file.to_owned()],
                start: self.rates_start.clone(),
                shift: 0.0,
                radiant_j_m3: None,
            };
            let wrong = |(name, fault): (String, String)| {
                anyhow::anyhow!("--rates: {} must be {fault}", escape_for_terminal(&name))
            };
            anyhow::ensure!(
                self.rates_start.is_some() || !rates.has_dates(Path::new("")),
                "--rates {text} has dates: say the date at which the simulation started with --rates-start"
            );
            if let Some(flow) = vent.flow.as_mut() {
                flow.rates_m3_s = rates.read(Path::new("")).map_err(wrong)?;
            }
            simulation
                .command(VentChange::Change(*number, vent.clone()))
                .map_err(|fault| anyhow::anyhow!("--rates {text}: {fault}"))?;
        }
        Ok(())
    }

    /// Opens the vents of `--vent` in the running simulation.
    fn open_vents(&self, scene: &Scene, stage: &mut BuiltScene) -> anyhow::Result<()> {
        for vent in &self.vent {
            let spec = scene.vent_now(vent, stage)?;
            stage
                .simulation
                .command(VentChange::Place(spec))
                .map_err(|fault| anyhow::anyhow!("--vent: {fault}"))?;
        }
        Ok(())
    }

    /// Replaces the ground by the heights of the survey in `--survey`, where no lava lies; does
    /// nothing without the flag.
    fn renew_ground(&self, scene: &Scene, stage: &mut BuiltScene) -> anyhow::Result<()> {
        let Some(file) = &self.survey else {
            return Ok(());
        };
        let edit = scene.survey_on(Edit::survey(std::path::absolute(file)?), &stage.site);
        let edit = edit.map_err(|fault| {
            anyhow::anyhow!("{}", fault.to_string().replace("matter.file", "--survey"))
        })?;
        stage
            .simulation
            .command(edit)
            .map_err(|fault| anyhow::anyhow!("--survey {}: {fault}", file.display()))
    }

    /// Raises the ground along the lines in the files of `--barrier`.
    fn raise_barriers(&self, scene: &Scene, stage: &mut BuiltScene) -> anyhow::Result<()> {
        for barrier in scene.barriers_of(&self.barrier, &stage.site)? {
            for edit in barrier.edits(&stage.site, 1.0) {
                stage
                    .simulation
                    .command(edit)
                    .map_err(|fault| anyhow::anyhow!("--barrier {}: {fault}", barrier.name))?;
            }
        }
        Ok(())
    }

    /// Creates the writer of further checkpoints, which writes to the resumed file or to the file
    /// of `--checkpoint`. `step`: step of the resumed checkpoint.
    fn keeper(&self, step: u64) -> anyhow::Result<Keeper> {
        let (every, existing) = (self.work.every(), self.work.existing());
        Ok(
            match self
                .work
                .checkpoint
                .as_deref()
                .filter(|other| !is_same_file(other, &self.file))
            {
                Some(other) => {
                    protect(&self.file);
                    Keeper::new(other, every, existing)?
                }
                None => Keeper::going_on(&self.file, step, every, existing)?,
            },
        )
    }
}
