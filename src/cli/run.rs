//! `lavoxel run`: simulates a scene without pictures, writes data files and prints a report.
//! `lavoxel resume` uses the same code.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use lavoxel::checkpoint::{CheckpointError, CheckpointWriter, Keeper};
use lavoxel::engine::Engine;
use lavoxel::engine::plain::Plain;
use lavoxel::engine::tiled::Tiled;
use lavoxel::grid::Grid;
use lavoxel::memory::MemoryEstimate;
use lavoxel::output::{Existing, OutputError, check_distinct, is_same_file};
use lavoxel::report::Report;
use lavoxel::scene::{BuiltScene, Scene};

use crate::cli::flags::count;
use crate::cli::flags::maps::{Ended, MapOptions, MapPlan};
use crate::cli::flags::volumes::{Exports, VolumeArgs};
use crate::cli::process::stop;
use crate::cli::show::messages;
use crate::cli::show::progress::Progress;
use crate::cli::{Outcome, SceneOptions, start_threads, warn_of};

/// Default interval between checkpoints, in steps.
const CHECKPOINT_EVERY: u64 = 500;

/// Simulate without pictures: print a report, export maps, volumes, meshes
///
/// Prints the mass account, the extent of the lava and the mean time of each stage. No work is done
/// for pictures: a flow of the physical model is converted to voxels only for files that read
/// voxels.
///
/// Ctrl-C ends the run after the current step. A long step of the physical model is given up at
/// once; any other step that takes longer than 1 s is cut between two of its stages. Report and
/// files then describe the state that the run has reached. With --checkpoint, files that take
/// longer than 1 s after the end of the run are given up, because the checkpoint keeps the run.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    scene: SceneOptions,

    #[command(flatten)]
    work: WorkOptions,
}

const EXAMPLES: &str = "\
Examples:
  Print a report on the built-in volcano:
      lavoxel run --steps 500
  Simulate a real mountain; print the report as JSON and write maps for QGIS:
      lavoxel run terrains/maunga_whau.toml --steps 1000 --json --map thickness=lava.tif --map arrival=arrival.tif
  Simulate on a heightmap, with a vent in the coordinates of the file:
      lavoxel run terrains/maunga_whau.asc --vent map:2667675,6478995@2
  Write volumes every 200 steps for ParaView and Blender:
      lavoxel run --steps 600 --export-every 200 --volume lava.vti --volume lava.vdb
  Start a long run that can be stopped and resumed:
      lavoxel run --steps 100000 --checkpoint long.lvx";

/// Flags of `run` and `resume`.
#[derive(Args, Debug)]
pub(super) struct WorkOptions {
    /// Simulate N steps in total, instead of the scene's number
    #[arg(long, value_name = "N", value_parser = count::steps, allow_negative_numbers = true)]
    pub(super) steps: Option<u64>,

    /// Print the report as one JSON object
    #[arg(long)]
    pub(super) json: bool,

    /// Engine of the simulation; both engines give the same bits
    #[arg(long, value_enum, default_value_t = EngineName::Fast)]
    pub(super) engine: EngineName,

    /// Keep checkpoints in FILE: at the start, every 500 steps (--checkpoint-every), at the end and
    /// at Ctrl-C
    ///
    /// The previous checkpoint is kept as FILE.previous. `lavoxel resume FILE` continues from the
    /// last checkpoint and gives the same bits as a run without an interruption.
    #[arg(long, value_name = "FILE")]
    pub(super) checkpoint: Option<PathBuf>,

    /// Keep a checkpoint every N steps [default: 500]
    #[arg(long, value_name = "N", value_parser = count::interval, allow_negative_numbers = true)]
    pub(super) checkpoint_every: Option<u64>,

    #[command(flatten)]
    maps: MapOptions,

    #[command(flatten)]
    volumes: VolumeArgs,

    /// Replace existing files
    #[arg(long)]
    force: bool,
}

impl WorkOptions {
    /// Sets the number of steps of `scene` to the value of `--steps`; does nothing without the
    /// flag.
    pub(super) fn put_into(&self, scene: &mut Scene) {
        if let Some(steps) = self.steps {
            scene.spec.set_steps(steps);
        }
    }

    /// Returns the interval between two checkpoints, in steps: the value of `--checkpoint-every`,
    /// or `CHECKPOINT_EVERY`.
    pub(super) fn every(&self) -> u64 {
        self.checkpoint_every.unwrap_or(CHECKPOINT_EVERY)
    }

    /// Returns the rule for existing output files: they are kept, but replaced with `--force`.
    pub(super) fn existing(&self) -> Existing {
        Existing::by_force(self.force)
    }

    /// Checks that all data files can be written, and returns these files; called before lengthy
    /// work, after [`WorkOptions::put_into`] has changed `scene`. Fails if a data file has the path
    /// of the checkpoint to be written, or the path `last` of the resumed checkpoint.
    pub(super) fn files(&self, scene: &Scene, last: Option<&Path>) -> anyhow::Result<Files> {
        let maps = self.maps.check(scene, self.existing())?;
        let exports = self
            .volumes
            .check(scene, scene.spec.film.steps, self.existing())?;
        let kept = || self.checkpoint.as_deref().into_iter().chain(last);
        let is_kept = |path: &&Path| kept().any(|kept| is_same_file(kept, path));
        if let Some(twice) = maps.paths().chain(exports.paths()).find(is_kept) {
            return Err(OutputError::Twice {
                path: twice.to_owned(),
            }
            .into());
        }
        check_distinct(maps.paths().chain(exports.paths()))?;
        Ok(Files {
            maps,
            exports,
            keeps: self.checkpoint.is_some(),
        })
    }

    /// Creates the checkpoint writer of a new run; `None` without `--checkpoint`.
    fn keeper(&self) -> anyhow::Result<Option<Keeper>> {
        let every_what = self.checkpoint_every.is_none() || self.checkpoint.is_some();
        anyhow::ensure!(
            every_what,
            "--checkpoint-every: pass --checkpoint FILE, too, where the checkpoints are kept"
        );
        let keeper = self
            .checkpoint
            .as_deref()
            .map(|path| Keeper::new(path, self.every(), self.existing()));
        Ok(keeper.transpose()?)
    }
}

/// Engines by name.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum EngineName {
    /// Tiled engine on all threads, for normal use
    Fast,
    /// Slow reference engine, for checks of the fast engine
    Plain,
}

impl EngineName {
    pub(super) fn make(self) -> Box<dyn Engine> {
        match self {
            Self::Fast => Box::new(Tiled::default()),
            Self::Plain => Box::new(Plain),
        }
    }
}

/// Runs `lavoxel run`.
pub(super) fn run(args: &RunArgs) -> anyhow::Result<Outcome> {
    begin(args).map_err(|error| args.scene.source.typed().name(error))
}

fn begin(args: &RunArgs) -> anyhow::Result<Outcome> {
    let mut scene = args.scene.load()?;
    args.work.put_into(&mut scene);
    let files = args.work.files(&scene, None)?;
    files.exports.check_files()?;
    let keeper = args.work.keeper()?;
    scene.check_memory(files.need(scene.spec.grid.grid()?))?;
    start_threads(scene.spec.threads)?;
    let stage = scene.build(args.work.engine.make())?;
    warn_of(&scene, &stage);
    Work {
        scene,
        stage,
        files,
        keeper,
        json: args.work.json,
        quiet: args.scene.quiet,
    }
    .run()
}

/// Data files that a run writes in addition to its report: maps, volumes and meshes.
pub(super) struct Files {
    pub(super) maps: MapPlan,
    pub(super) exports: Exports,
    /// Set if the run writes checkpoints in addition to the data files.
    pub(super) keeps: bool,
}

impl Files {
    /// Estimates the memory for writing the largest data file, in addition to the simulation.
    pub(super) fn need(&self, grid: Grid) -> MemoryEstimate {
        let kept = if self.keeps {
            self.maps.need_of_keeping(grid)
        } else {
            MemoryEstimate::default()
        };
        self.maps.need(grid).or(self.exports.need(grid)).or(kept)
    }
}

/// Run in progress: its simulation, output files and checkpoint writer.
pub(super) struct Work {
    pub(super) scene: Scene,
    pub(super) stage: BuiltScene,
    pub(super) files: Files,
    pub(super) keeper: Option<Keeper>,
    pub(super) json: bool,
    pub(super) quiet: bool,
}

impl Work {
    /// Simulates until the last step of the scene or a stop signal, writes the data files and
    /// prints the report.
    pub(super) fn run(mut self) -> anyhow::Result<Outcome> {
        self.files.maps.check_site(&self.stage.site)?;
        self.files.exports.take_drape(&self.scene, &self.stage)?;
        stop::after_the_step();
        self.stage.simulation.stop_by(stop::flag());
        self.stage.simulation.cut_by(stop::overdue());
        // Runs inside the thread pool: entering the pool for every step would take longer than some
        // steps.
        rayon::scope(|_| self.simulate())
    }

    fn simulate(mut self) -> anyhow::Result<Outcome> {
        let steps = self.scene.spec.film.steps;
        let mut progress = Progress::new(steps, self.quiet);
        progress.start_at(self.stage.simulation.steps());
        self.files.maps.observe(&self.stage.simulation);
        // The first checkpoint also verifies that the file is writable.
        self.keep()?;
        if !self.files.maps.reads_steps() {
            self.stage.simulation.show_when_asked();
        }
        self.stage.simulation.world().check_memory()?;
        while self.stage.simulation.steps() < steps && !stop::asked() {
            self.stage.simulation.step();
            if self.stage.simulation.was_stopped() {
                break;
            }
            self.after_step()?;
            progress.update(&self.stage.simulation);
            if let Err(too_much) = self.stage.simulation.world().check_memory() {
                // Saves the state before the error is returned, so that the run can be resumed on a
                // machine with more memory.
                self.keep()?;
                return Err(too_much.into());
            }
        }
        progress.finish();
        self.keep()?;
        if self.keeper.is_some() {
            stop::only_files_are_left(true);
        }
        self.report()
    }

    /// Adds the present state to the records of the run, and writes the data files and the
    /// checkpoint that are due at this step.
    fn after_step(&mut self) -> anyhow::Result<()> {
        let Self {
            stage,
            files,
            keeper,
            ..
        } = self;
        if files.exports.is_due(stage.simulation.steps()) {
            stage.simulation.show();
        }
        files.maps.observe(&stage.simulation);
        files.exports.after_step(&stage.simulation, &stage.site)?;
        if keeper
            .as_ref()
            .is_some_and(|keeper| keeper.is_due(stage.simulation.steps()))
        {
            self.keep()?;
        }
        Ok(())
    }

    /// Writes a checkpoint of the present state; does nothing without the flag `--checkpoint`.
    fn keep(&mut self) -> Result<(), CheckpointError> {
        let Some(keeper) = &mut self.keeper else {
            return Ok(());
        };
        self.stage.simulation.show();
        let extras: Vec<_> = self
            .files
            .maps
            .memory()
            .chain(self.files.exports.memory())
            .collect();
        keeper.keep(&CheckpointWriter {
            scene: &self.scene,
            stage: &self.stage,
            extras: &extras,
        })
    }

    fn report(mut self) -> anyhow::Result<Outcome> {
        self.stage.simulation.show();
        let Self {
            scene,
            stage,
            mut files,
            keeper,
            json,
            quiet,
        } = self;
        let interrupted = stage.simulation.steps() < scene.spec.film.steps;
        let report = Report::new(&scene, &stage, interrupted);
        let about = report.about();
        let said = messages::data(&if json {
            serde_json::to_string_pretty(&report)?
        } else {
            report.text()
        });
        let outcome = if interrupted {
            Outcome::Stopped
        } else {
            Outcome::Done
        };
        let writes = keeper.is_some()
            || files
                .maps
                .paths()
                .chain(files.exports.paths())
                .next()
                .is_some();
        // The text report and the list of files mention the interruption already.
        if interrupted && json && !quiet && !writes {
            messages::note(&format!("stopped after step {}", stage.simulation.steps()));
        }
        if keeper.is_none() {
            stop::only_files_are_left(false);
        }
        // The report is printed first, because a full disk must not suppress it; conversely, a
        // failing standard output must not suppress the files.
        files
            .exports
            .finish(&stage.simulation, &stage.site, quiet)?;
        files.maps.write(
            &stage.simulation,
            &Ended {
                about,
                site: &stage.site,
                outcome,
                quiet,
            },
        )?;
        if let Some(keeper) = keeper.filter(|_| !quiet) {
            let (path, step) = (keeper.path().display(), stage.simulation.steps());
            let next = if interrupted {
                format!("; go on with: lavoxel resume {path}")
            } else {
                String::new()
            };
            messages::note(&format!("{path} (step {step}){next}"));
        }
        said?;
        Ok(outcome)
    }
}
