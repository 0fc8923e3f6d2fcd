//! `lavoxel hazard`: simulates many sampled eruptions, and maps probability, arrival time and
//! thickness of lava.

use std::path::PathBuf;
use std::time::Instant;

use clap::{Args, ValueEnum};
use lavoxel::hazard::{Curve, Seeds, Settings, Source, Study};
use lavoxel::scene::Seconds;
use lavoxel::study::Opening;

use crate::cli::flags::count;
use crate::cli::flags::shard::Shard;
use crate::cli::process::stop;
use crate::cli::show::messages;
use crate::cli::show::progress::Runs;
use crate::cli::{FILE_OF_FLOW, Outcome, SceneOptions, start_threads, told};

const EXAMPLES: &str = "\
Examples:
  Simulate 500 eruptions of a rift zone, each with 1 to 50 m³/s and about a million m³:
      lavoxel hazard etna.tif --vent-area rift.geojson --rates log-uniform:1,50 --volumes log-normal:1e6,3 --runs 500
  Sample durations in place of volumes, take vents from a table (x,y,weight), and draw pictures:
      lavoxel hazard etna.tif --vent-area vents.csv --rates uniform:2,20 --durations uniform:6h,10d --picture
  After Ctrl-C, a kill or a power failure, the same command makes the missing runs.
  Make a fortieth of the runs as a job of a cluster; then draw the maps of all parts:
      lavoxel hazard etna.tif … --shard 3/40 --out parts/3
      lavoxel hazard etna.tif … --merge parts/* --out maps
  Map other quantiles and another limit from the same runs:
      lavoxel hazard etna.tif … --reduce-only --above 1 --quantiles 0.05,0.95
  Find the heights of a dam along a wall that no lava overtops, so that 5 % of the runs overtop it:
      lavoxel hazard etna.tif … --barrier wall.geojson --crest 0.05 --out walled
  Forecast from the same runs by what was observed until now:
      lavoxel hazard etna.tif … --reduce-only --began 2026-03-01 --observed day1.geojson@2026-03-02 --observed day3.geojson@2026-03-04

Laws of --rates, --volumes and --durations:
  5                      constant
  uniform:1,10           uniform from 1 to 10
  log-uniform:1,100      from 1 to 100, uniform in the logarithm
  log-normal:5,2         median 5, two of three values within a factor of 2; cut off at a factor of 8
  power-law:1e5,1e8,1.5  from 1e5 to 1e8, density proportional to the value to the power of -1.5
  list:1,5,20            one of the values 1, 5 and 20; with weights list:1=3,5=2,20=1
Durations may have units: s, min, h, d.";

/// Map probability, arrival and thickness of lava from many sampled eruptions
///
/// Each run of the physical model has its own vent, effusion rate and volume, sampled from the laws
/// of the flags. Runs are made on all threads, and each run writes a small file into the folder of
/// --out. The maps are then made from these files: probability of inundation, quantiles of arrival
/// and thickness (GeoTIFF with styles for QGIS), contours of probability (GeoJSON) and a table of
/// all runs (CSV). The maps are the same for any number of threads, and after any interruption.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, mut_arg("file", |file| file.help(FILE_OF_FLOW)))]
pub(crate) struct HazardArgs {
    #[command(flatten)]
    scene: SceneOptions,

    /// Make N runs in total; a larger N keeps the finished runs
    #[arg(long, value_name = "N", value_parser = count::runs, allow_negative_numbers = true, default_value = "100")]
    runs: u64,

    /// Open vents at the points, lines and polygons of FILE (.geojson), or at the points of a table
    /// (.csv)
    ///
    /// Features of a .geojson file have a property weight; a .csv table has the columns x, y and
    /// weight, in the coordinates of the heightmap. Without --vent-area, vents are those of --vent
    /// or of the scene, with equal weights.
    #[arg(long, value_name = "FILE")]
    vent_area: Option<PathBuf>,

    /// Sample the effusion rate in m³/s from LAW [default: the rate of --vent PLACE@15m3/s, or of
    /// the scene's vents]
    #[arg(long, value_name = "LAW", allow_hyphen_values = true)]
    rates: Option<String>,

    /// Sample the volume of an eruption in m³ from LAW; the duration is the volume divided by the
    /// rate
    #[arg(long, value_name = "LAW", allow_hyphen_values = true)]
    volumes: Option<String>,

    /// Sample the duration of an eruption from LAW, in place of --volumes; the volume is the
    /// duration times the rate
    #[arg(long, value_name = "LAW", allow_hyphen_values = true)]
    durations: Option<String>,

    /// Correlate rate and volume (or duration) by a Gaussian copula with the correlation R, from -1
    /// to 1
    ///
    /// With 0.7, most large eruptions are fast eruptions. Rate and volume keep their own
    /// distributions.
    #[arg(long, value_name = "R", allow_negative_numbers = true)]
    correlation: Option<f64>,

    /// Shape of the rate over an eruption of unchanged volume: steady, or wane:SHARE,FACTOR such as
    /// wane:0.1,20
    ///
    /// wane:0.1,20 rises linearly to a peak in a tenth of the duration, and then falls
    /// exponentially to a twentieth of the peak rate.
    #[arg(long, value_name = "CURVE", default_value_t = Curve::Steady)]
    curve: Curve,

    /// Sample the number KEY of the scene from LAW in each run, such as
    /// flow.lava.yield_pa=log-uniform:100,5000; repeatable
    ///
    /// With --dem-error, each run also samples an error of the heights.
    #[arg(long, value_name = "KEY=LAW")]
    draw: Vec<String>,

    /// Seed for the rounding of amounts in each run
    #[arg(long, value_enum, value_name = "SEEDS", default_value_t = SeedsName::Own)]
    seeds: SeedsName,

    /// Keep runs and maps in FOLDER [default: lavoxel-out/NAME-hazard]
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,

    /// Count a place as inundated if its lava is at some time thicker than METRES
    #[arg(
        long,
        value_name = "METRES",
        default_value_t = 0.05,
        allow_negative_numbers = true
    )]
    above: f64,

    /// Map the quantiles A, B, … of arrival and thickness
    #[arg(long, value_name = "A,B,…", value_delimiter = ',', default_values_t = [0.1, 0.5, 0.9], allow_negative_numbers = true)]
    quantiles: Vec<f64>,

    /// Also map the probability that lava arrives before each time T, such as 6h,1d,3d
    #[arg(long, value_name = "T,T,…", value_delimiter = ',', value_parser = str::parse::<Seconds>)]
    before: Vec<Seconds>,

    /// Also map the annual probability of lava, 1 − exp(−RATE · p), for RATE eruptions per year
    /// (0.2: one in five years)
    #[arg(long, value_name = "RATE", allow_negative_numbers = true)]
    annual: Option<f64>,

    /// Write probability, arrival and thickness of lava at each feature of FILE (.geojson), such as
    /// buildings and roads; repeatable
    ///
    /// FILE has points, lines and polygons. Results are exposure_NAME.csv and exposure_NAME.geojson
    /// in the folder of --out.
    #[arg(long, value_name = "FILE")]
    exposure: Vec<PathBuf>,

    /// Weight runs by their fit to an outline of the lava (.geojson, .gpkg, .tif, .asc) at TIME, a
    /// time since the start such as @18h or a date such as @2026-03-04T12:00; repeatable
    ///
    /// The maps are then a forecast of the runs that have behaved as the eruption has: the weight
    /// of a run is exp(-½ Σ ((1 - fit) / W)²) with the fit √(∩/∪) to each outline and the width W
    /// of --kernel. Without TIME an outline is that of the final lava.
    #[arg(long, value_name = "FILE[@TIME]")]
    observed: Vec<String>,

    /// Date of the start of the eruption, which dates of --observed need, such as 2026-03-01T06:00
    /// (UTC, or with a zone)
    #[arg(long, value_name = "DATE")]
    began: Option<String>,

    /// Width of the kernel of --observed: a run whose misfit 1 - √(∩/∪) is W has 0.61 of the weight
    /// of a run without misfit
    #[arg(
        long,
        value_name = "W",
        default_value_t = 0.2,
        allow_negative_numbers = true
    )]
    kernel: f64,

    /// Find the heights of a dam along the barriers (--barrier), so that no more than the share P of
    /// the runs overtops it
    ///
    /// The runs are made with the barriers as walls, so give them a height_m that no lava overtops.
    /// The heights by sections of four cells are in crest.csv and crest.geojson, which --barrier
    /// takes for a check by other runs (--seed).
    #[arg(long, value_name = "P", allow_negative_numbers = true)]
    crest: Option<f64>,

    /// Height of the dam of --crest above the lava
    #[arg(
        long,
        value_name = "METRES",
        default_value_t = 0.5,
        allow_negative_numbers = true
    )]
    freeboard: f64,

    /// Draw contours of probability at the levels A, B, … [default: 0.05, 0.1, 0.25, 0.5, 0.75,
    /// 0.9]
    #[arg(
        long,
        value_name = "A,B,…",
        value_delimiter = ',',
        allow_negative_numbers = true
    )]
    levels: Option<Vec<f64>>,

    /// Also write all maps into one file, maps.nc (netCDF-4, CF-1.11)
    #[arg(long)]
    netcdf: bool,

    /// Also draw every map over the ground, as .png
    #[arg(long)]
    picture: bool,

    /// Make no runs; draw the maps of the existing runs
    #[arg(long)]
    reduce_only: bool,

    /// Make part I of N of the runs, and no maps: 3/40 is every fortieth run, from the third
    ///
    /// Parts may run at the same time, on many machines, into one folder or into separate folders.
    #[arg(long, value_name = "I/N", conflicts_with_all = ["reduce_only", "force"])]
    shard: Option<Shard>,

    /// Copy the runs of each FOLDER into the folder of --out, make no others, and draw the maps
    #[arg(long, value_name = "FOLDER", num_args = 1.., conflicts_with_all = ["shard", "reduce_only", "force"])]
    merge: Vec<PathBuf>,

    /// Remove the runs of another plan from the folder, and start again
    #[arg(long, conflicts_with = "reduce_only")]
    force: bool,

    /// Print the report as one JSON object
    #[arg(long)]
    json: bool,
}

/// Seeds of `--seeds`.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum SeedsName {
    /// Own seed for each run, derived from --seed and the number of the run
    Own,
    /// Seed of --seed for all runs
    Same,
}

impl From<SeedsName> for Seeds {
    fn from(name: SeedsName) -> Self {
        match name {
            SeedsName::Own => Self::Own,
            SeedsName::Same => Self::Same,
        }
    }
}

/// Runs `lavoxel hazard`.
pub(super) fn run(args: &HazardArgs) -> anyhow::Result<Outcome> {
    begin(args).map_err(|error| args.scene.source.typed().name(error))
}

fn begin(args: &HazardArgs) -> anyhow::Result<Outcome> {
    let start = Instant::now();
    let (scene, asked) = args.scene.source.load_flow()?;
    start_threads(scene.spec.threads)?;
    let source = Source {
        scene: &scene,
        asked: &asked,
        is_bare: args.scene.source.heightmap().is_some(),
    };
    let at_once = rayon::current_num_threads();
    let study = Study::new(&source, &args.settings(), at_once, stop::flag()).map_err(told)?;
    let path = args
        .out
        .clone()
        .unwrap_or_else(|| Study::usual_folder(&scene.spec.name));
    args.merge
        .iter()
        .try_for_each(|other| study.check_part(other))
        .map_err(told)?;
    let folder = study.open(path, args.opening()).map_err(told)?;
    for other in &args.merge {
        let taken = study.take(&folder, other).map_err(told)?;
        if !args.scene.quiet {
            messages::note(&format!("{}: {taken} runs taken", other.display()));
        }
    }
    let (found, missing) = folder.runs(args.runs);
    let mut made = 0;
    if args.makes_runs() {
        if !found.is_empty() && !args.scene.quiet {
            let count = found.len();
            messages::note(&format!(
                "{}: {count} of {} runs are there already",
                folder.path.display(),
                args.runs
            ));
        }
        let mine: Vec<u64> = missing
            .iter()
            .copied()
            .filter(|run| args.shard.is_none_or(|shard| shard.has(*run)))
            .collect();
        stop::after_the_step();
        let all = if args.shard.is_some() {
            mine.len() as u64
        } else {
            args.runs
        };
        let progress = Runs::new(all, all - mine.len() as u64, args.scene.quiet);
        let result = study.make(&folder, (&mine, at_once), &stop::asked, &|_| {
            progress.add_one()
        });
        progress.finish();
        made = result.map_err(told)?;
        let (path, done) = (folder.path.display(), folder.runs(args.runs).0.len());
        if made < mine.len() {
            let rest = "the same command makes the others";
            messages::note(&format!(
                "stopped after {done} of {} runs in {path}; {rest}",
                args.runs
            ));
            return Ok(Outcome::Stopped);
        }
        if let Some(Shard { number, of }) = args.shard {
            let maps = "when all parts are made: the same command with --reduce-only, or --merge, in place of --shard";
            messages::note(&format!(
                "part {number} of {of} is made, {done} of {} runs in {path}; {maps}",
                args.runs
            ));
            return Ok(Outcome::Done);
        }
    }
    // Maps can be made again from the runs, so a signal may abandon them from now on.
    stop::only_files_are_left(true);
    let (report, written) = study
        .draw(&folder, (made, &|| start.elapsed()))
        .map_err(told)?;
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

impl HazardArgs {
    fn settings(&self) -> Settings {
        let mut settings = Settings::default();
        settings.runs = self.runs;
        settings.vent_area.clone_from(&self.vent_area);
        (settings.rates, settings.volumes, settings.durations) = (
            self.rates.clone(),
            self.volumes.clone(),
            self.durations.clone(),
        );
        (settings.correlation, settings.curve) = (self.correlation, self.curve);
        settings.draw.clone_from(&self.draw);
        settings.seeds = self.seeds.into();
        (settings.above, settings.quantiles, settings.levels) =
            (self.above, self.quantiles.clone(), self.levels.clone());
        settings.before.clone_from(&self.before);
        settings.annual = self.annual;
        settings.exposure.clone_from(&self.exposure);
        settings.observed.clone_from(&self.observed);
        settings.began.clone_from(&self.began);
        settings.kernel = self.kernel;
        (settings.crest, settings.freeboard) = (self.crest, self.freeboard);
        settings.netcdf = self.netcdf;
        settings.picture = self.picture;
        settings
    }

    /// Returns true if the command simulates the runs whose result files are missing.
    fn makes_runs(&self) -> bool {
        !self.reduce_only && self.merge.is_empty()
    }

    fn opening(&self) -> Opening {
        match (self.reduce_only, self.force) {
            (true, _) => Opening::Read,
            (false, true) => Opening::Clear,
            (false, false) => Opening::GoOn,
        }
    }
}
