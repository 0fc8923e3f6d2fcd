//! `lavoxel calibrate`: finds the parameters of a scene with which runs agree best with
//! observations of an eruption.

use std::path::PathBuf;

use clap::Args;
use lavoxel::calibrate::{Fit, Settings, Vary};
use lavoxel::compare::DatedFile;
use lavoxel::output;
use lavoxel::study::Opening;

use crate::cli::flags::count;
use crate::cli::flags::shard::Shard;
use crate::cli::process::stop;
use crate::cli::show::messages;
use crate::cli::show::progress::Runs;
use crate::cli::{FILE_OF_FLOW, Outcome, SceneOptions, start_threads, told};

const EXAMPLES: &str = "\
Examples:
  Fit yield strength and a factor on the rates to two outlines; check the fit with a third outline:
      lavoxel calibrate etna.toml --observed day1.geojson@1d --observed day3.geojson@3d --check day5.geojson@5d \\
          --vary flow.lava.yield_pa=100..10000:log --vary rates=0.5..2 --runs 300
  Fit to a map of thickness at the end, and to positions of the front:
      lavoxel calibrate etna.toml --thickness lidar.tif --fronts fronts.csv --vary flow.lava.viscosity.crystals=1..50:log
  Score each run by its mean over four grids:
      lavoxel calibrate etna.toml --observed mapped.geojson --vary flow.lava.cooling.exposed=0.02..0.12:log --grids 4
  Allow an error of 2 m in the heights, which widens the plausible ranges:
      lavoxel calibrate etna.tif --vent map:500547,4178262@5m3/s --duration 2d --dem-error 2 …
  After Ctrl-C, a kill or a power failure, the same command makes the missing runs.
  Three machines share one folder with --shard 1/3, 2/3 and 3/3, all at the same time.

Scores of a run, from 0 to 1; the fit uses their mean:
  outline    fit √(∩/∪), as in `lavoxel compare`
  thickness  1 − Σ|a − b| / Σ(a + b) over all columns
  fronts     smaller distance from the vent divided by the larger, mean over all rows of a table";

/// Search the numbers of a scene that agree best with observations
///
/// Many runs of the physical model, each with other values of the numbers of --vary, are compared
/// with outlines, thicknesses or positions of the front. A population of runs searches for the best
/// values. The best run is repeated with other seeds (and, with --dem-error, with other errors of
/// the heightmap); runs that score no worse than these repetitions are plausible.
///
/// Each run writes a small file into the folder of --out. At the end the command writes the scene
/// of the best run (best.toml), a report (calibration.md, .json), plots of the scores over each
/// number (profiles.svg) and a table of all runs (trace.csv). A fit is no forecast.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, mut_arg("file", |file| file.help(FILE_OF_FLOW)))]
pub(crate) struct CalibrateArgs {
    #[command(flatten)]
    scene: SceneOptions,

    /// Compare with an outline of the lava at TIME since the start, such as @3d, or at the end:
    /// polygons (.geojson) or a raster (.tif, .asc); repeatable
    #[arg(long, value_name = "FILE[@TIME]")]
    observed: Vec<DatedFile>,

    /// Compare with a map of thickness in metres (.tif, .asc) at TIME since the start, or at the
    /// end; repeatable
    #[arg(long, value_name = "FILE[@TIME]")]
    thickness: Vec<DatedFile>,

    /// Compare with positions of the front in a table (.csv): time (6h, or seconds), time_h or
    /// time_d, and distance_m, or x and y on the map; repeatable
    #[arg(long, value_name = "FILE")]
    fronts: Vec<PathBuf>,

    /// Report the score of the best run against an outline that the fit does not use; repeatable
    #[arg(long, value_name = "FILE[@TIME]")]
    check: Vec<DatedFile>,

    /// Search the number KEY of the scene between LOW and HIGH; repeatable
    ///
    /// With :log the search is over the logarithm of the number. The KEY `rates` is a factor on all
    /// effusion rates.
    #[arg(
        long,
        value_name = "KEY=LOW..HIGH[:log]",
        allow_hyphen_values = true,
        required = true
    )]
    vary: Vec<Vary>,

    /// Make N runs in total
    #[arg(long, value_name = "N", value_parser = count::runs, allow_negative_numbers = true, default_value = "300")]
    runs: u64,

    /// Make N runs per generation [default: 6 for each number of --vary, from 8 to 40]
    #[arg(long, value_name = "N", value_parser = count::runs, allow_negative_numbers = true)]
    population: Option<u64>,

    /// Repeat the best run N times with other seeds
    #[arg(long, value_name = "N", value_parser = count::runs, allow_negative_numbers = true, default_value = "8")]
    repeats: u64,

    /// Make each run on N grids, 1 to 8, and score the mean
    ///
    /// The first grid is that of the scene; the others lie by half a cell or a quarter beside it.
    /// One grid may send a flow into another valley than the next, so that single scores scatter.
    /// For a heightmap with vents in map coordinates; a run takes N times as long.
    #[arg(long, value_name = "N", value_parser = count::grids, allow_negative_numbers = true, default_value = "1")]
    grids: u64,

    /// Count a column as covered if its lava is at some time thicker than METRES
    #[arg(
        long,
        value_name = "METRES",
        default_value_t = 0.05,
        allow_negative_numbers = true
    )]
    above: f64,

    /// Measure the distances of fronts from the point X,Y, in coordinates of the map [default: the
    /// first vent]
    #[arg(long, value_name = "X,Y", value_parser = super::compare::point, allow_hyphen_values = true)]
    from: Option<[f64; 2]>,

    /// Keep runs and results in FOLDER [default: lavoxel-out/NAME-calibrate]
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,

    /// Make part I of N of the runs of each generation, and wait for the other parts
    ///
    /// Other processes make the other parts at the same time, into the same folder.
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
    let (scene, _) = args.scene.source.load_flow()?;
    // Inputs are checked and protected before the long work: no output may replace one.
    for file in args.files() {
        anyhow::ensure!(file.exists(), super::no_file(file));
        output::protect(file);
    }
    start_threads(scene.spec.threads)?;
    let at_once = rayon::current_num_threads();
    let fit = Fit::new(&scene, &args.settings(), at_once, stop::flag()).map_err(told)?;
    let path = args
        .out
        .clone()
        .unwrap_or_else(|| Fit::usual_folder(&scene.spec.name));
    let opening = if args.force {
        Opening::Clear
    } else {
        Opening::GoOn
    };
    let shard = args
        .shard
        .map(|Shard { number, of }| (number as usize - 1, of as usize));
    stop::after_the_step();
    let progress = Runs::new(args.runs, 0, args.scene.quiet);
    let made = fit.make(
        (path.clone(), opening),
        (at_once, shard),
        &stop::asked,
        &|| progress.add_one(),
    );
    progress.finish();
    let Some((report, written)) = made.map_err(told)? else {
        messages::note(&format!(
            "stopped; the runs that are made are in {}; the same command makes the others",
            path.display()
        ));
        return Ok(Outcome::Stopped);
    };
    messages::data(&if args.json {
        serde_json::to_string_pretty(&report)?
    } else {
        report.text()
    })?;
    messages::warn(report.warnings());
    if !args.scene.quiet {
        messages::files(&written);
    }
    Ok(Outcome::Done)
}

impl CalibrateArgs {
    /// Iterates over the paths of all files with observations that the flags name.
    fn files(&self) -> impl Iterator<Item = &PathBuf> {
        let timed = self
            .observed
            .iter()
            .chain(&self.thickness)
            .chain(&self.check);
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
        settings.grids = self.grids as usize;
        settings
    }
}
