//! `lavoxel calibrate`: finds the parameters of a scene that agree best with observations of an
//! eruption.

use std::path::PathBuf;

use clap::Args;
use lavoxel::calibrate::{CalibrateError, Fit, Settings, Vary};
use lavoxel::compare::DatedFile;
use lavoxel::hazard::{Opening, overrides_of_heightmap};
use lavoxel::output;
use lavoxel::scene::Scene;

use crate::cli::flags::count;
use crate::cli::flags::shard::Shard;
use crate::cli::process::stop;
use crate::cli::show::progress::Runs;
use crate::cli::show::say;
use crate::cli::{FILE_OF_FLOW, NoThreads, Outcome, SceneOptions, hazard, start_threads};

const EXAMPLES: &str = "\
Examples:
  Yield strength and a factor on the rates, from outlines of two days; judged by a third that the fit does not see:
      lavoxel calibrate etna.toml --observed day1.geojson@1d --observed day3.geojson@3d --check day5.geojson@5d \\
          --vary flow.lava.yield_pa=100..10000:log --vary rates=0.5..2 --runs 300
  From a map of thickness at the end, and positions of the front:
      lavoxel calibrate etna.toml --thickness lidar.tif --fronts fronts.csv --vary flow.lava.viscosity.crystals=1..50:log
  A heightmap whose heights may be wrong by 2 m: wider bounds of what is plausible
      lavoxel calibrate etna.tif --vent map:500547,4178262@5m3/s --duration 2d --dem-error 2 …
  After Ctrl-C, a kill or a power failure: the same command goes on with the runs that are missing.
  On three machines with one folder: --shard 1/3, 2/3 and 3/3, all at once

Scores of a run, from 0 to 1, of which the fit takes the mean:
  outline    fit √(∩/∪), as `lavoxel compare` says it
  thickness  1 − Σ|a − b| / Σ(a + b) over all columns
  fronts     the smaller distance from the vent over the larger, mean of all rows of a table";

/// Search the numbers of a scene that agree best with what was observed
///
/// Many runs of the physical model, each with other values of the numbers that --vary names, are compared with outlines, thicknesses or
/// positions of the front. A population of runs searches for the best values; the best is made again with other seeds (and other errors
/// of the heightmap, with --dem-error), and what agrees no worse than those repetitions is plausible. Each run leaves a small
/// file in the folder --out; then come the scene of the best (best.toml), a report (calibration.md, .json), plots of the scores by each
/// number (profiles.svg) and a table of all runs (trace.csv). A fit is no forecast.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, mut_arg("file", |file| file.help(FILE_OF_FLOW)))]
pub(crate) struct CalibrateArgs {
    #[command(flatten)]
    scene: SceneOptions,

    /// Outline of the lava: polygons (.geojson) or a raster (.tif, .asc), at a time since the start such as @3d, or at the end;
    /// repeatable
    #[arg(long, value_name = "FILE[@TIME]")]
    observed: Vec<DatedFile>,

    /// Map of thickness in metres (.tif, .asc), likewise; repeatable
    #[arg(long, value_name = "FILE[@TIME]")]
    thickness: Vec<DatedFile>,

    /// Positions of the front (.csv): time (6h, or seconds), time_h or time_d, and distance_m, or x and y on the map; repeatable
    #[arg(long, value_name = "FILE")]
    fronts: Vec<PathBuf>,

    /// Outline that the fit does not see: the score of the best against it is reported; repeatable
    #[arg(long, value_name = "FILE[@TIME]")]
    check: Vec<DatedFile>,

    /// Number of the scene by its key, and its bounds; with :log its logarithm is searched. `rates` is a factor on all effusion
    /// rates; repeatable
    #[arg(long, value_name = "KEY=LOW..HIGH[:log]", allow_hyphen_values = true, required = true)]
    vary: Vec<Vary>,

    /// Number of runs
    #[arg(long, value_name = "N", value_parser = count::runs, allow_negative_numbers = true, default_value = "300")]
    runs: u64,

    /// Runs of a generation [default: 6 for each number, from 8 to 40]
    #[arg(long, value_name = "N", value_parser = count::runs, allow_negative_numbers = true)]
    population: Option<u64>,

    /// Repetitions of the best with other seeds
    #[arg(long, value_name = "N", value_parser = count::runs, allow_negative_numbers = true, default_value = "8")]
    repeats: u64,

    /// Lava covers a column where it was at some time thicker than this, in metres
    #[arg(long, value_name = "METRES", default_value_t = 0.05, allow_negative_numbers = true)]
    above: f64,

    /// Measure how far fronts are from this point, in coordinates of the map [default: the first vent]
    #[arg(long, value_name = "X,Y", value_parser = super::compare::point, allow_hyphen_values = true)]
    from: Option<[f64; 2]>,

    /// Folder of the runs and the results [default: lavoxel-out/NAME-calibrate]
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,

    /// Make this part of the runs of each generation and wait for the others, made at once by others into the same folder
    #[arg(long, value_name = "I/N", conflicts_with = "force")]
    shard: Option<Shard>,

    /// Remove the runs of another plan from the folder, and start again
    #[arg(long)]
    force: bool,

    /// Print the report as one JSON object
    #[arg(long)]
    json: bool,
}

/// Runs `lavoxel calibrate`.
pub(super) fn run(args: &CalibrateArgs) -> anyhow::Result<Outcome> {
    begin(args).map_err(|error| args.scene.source.typed().name(error))
}

fn begin(args: &CalibrateArgs) -> anyhow::Result<Outcome> {
    let scene = args.load()?;
    // Inputs are checked and protected before the long work: no output may replace one.
    for file in args.files() {
        anyhow::ensure!(file.exists(), super::no_file(file));
        output::protect(file);
    }
    start_threads(scene.spec.threads)?;
    let at_once = rayon::current_num_threads();
    let fit = Fit::new(&scene, &args.settings(), at_once, stop::flag()).map_err(told)?;
    let path = args.out.clone().unwrap_or_else(|| Fit::usual_folder(&scene.spec.name));
    let opening = if args.force { Opening::Clear } else { Opening::GoOn };
    let shard = args.shard.map(|Shard { number, of }| (number as usize - 1, of as usize));
    stop::after_the_step();
    let progress = Runs::new(args.runs, 0, args.scene.quiet);
    let made = fit.make((path.clone(), opening), (at_once, shard), &stop::asked, &|| progress.add_one());
    progress.finish();
    let Some((report, written)) = made.map_err(told)? else {
        say::note(&format!(
            "stopped; the runs that are made are in {}; the same command makes the others",
            path.display()
        ));
        return Ok(Outcome::Stopped);
    };
    say::data(&if args.json { serde_json::to_string_pretty(&report)? } else { report.text() })?;
    report.warnings().into_iter().for_each(|warning| say::warn(Some(warning)));
    if !args.scene.quiet {
        written.iter().for_each(|path| say::note(&path.display().to_string()));
    }
    Ok(Outcome::Done)
}

/// Unwraps an error to its cause, which determines the exit code.
fn told(error: CalibrateError) -> anyhow::Error {
    match error {
        CalibrateError::Scene(error) => error.into(),
        CalibrateError::Memory(error) => error.into(),
        CalibrateError::Output(error) => error.into(),
        CalibrateError::Plan(error) => hazard::told(error),
        CalibrateError::Threads(error) => NoThreads(error.to_string()).into(),
        other => other.into(),
    }
}

impl CalibrateArgs {
    /// Reads the scene with the overrides of the flags. A bare heightmap gets the physical model.
    fn load(&self) -> anyhow::Result<Scene> {
        let source = &self.scene.source;
        anyhow::ensure!(source.file.is_some(), "name a heightmap, or a scene with model = \"flow\"");
        let asked = source.place.overrides()?;
        match source.heightmap() {
            Some(_) => source.load_with(&overrides_of_heightmap(&asked).map_err(hazard::told)?),
            None => source.load_with(&asked),
        }
    }

    /// Files that are read in addition to the scene.
    fn files(&self) -> impl Iterator<Item = &PathBuf> {
        let timed = self.observed.iter().chain(&self.thickness).chain(&self.check);
        timed.map(|file| &file.path).chain(&self.fronts)
    }

    fn settings(&self) -> Settings {
        let mut settings = Settings::default();
        settings.observed.clone_from(&self.observed);
        settings.thickness.clone_from(&self.thickness);
        settings.fronts.clone_from(&self.fronts);
        settings.check.clone_from(&self.check);
        settings.vary.clone_from(&self.vary);
        (settings.runs, settings.repeats) = (self.runs as usize, self.repeats as usize);
        settings.population = self.population.map(|population| population as usize);
        (settings.above, settings.from) = (self.above, self.from);
        settings
    }
}
