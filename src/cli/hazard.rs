//! `lavoxel hazard`: runs many sampled eruptions, and maps probability, arrival and thickness of
//! lava.

use std::path::PathBuf;
use std::time::Instant;

use clap::{Args, ValueEnum};
use lavoxel::hazard::{Curve, HazardError, Opening, Seeds, Settings, Source, Study, overrides_of_heightmap};
use lavoxel::scene::{Overrides, Scene, Seconds};

use crate::cli::flags::count;
use crate::cli::flags::shard::Shard;
use crate::cli::process::stop;
use crate::cli::show::progress::Runs;
use crate::cli::show::say;
use crate::cli::{FILE_OF_FLOW, NoThreads, Outcome, SceneOptions, start_threads};

const EXAMPLES: &str = "\
Examples:
  500 eruptions from a rift zone, of 1 to 50 m³/s and about a million m³ each:
      lavoxel hazard etna.tif --vent-area rift.geojson --rates log-uniform:1,50 --volumes log-normal:1e6,3 --runs 500
  The same from a table of vents (x,y,weight), by durations, with pictures:
      lavoxel hazard etna.tif --vent-area vents.csv --rates uniform:2,20 --durations uniform:6h,10d --picture
  After Ctrl-C, a kill or a power failure: the same command goes on with the runs that are missing.
  A fortieth of the runs, as a job of a cluster; then the maps of all parts:
      lavoxel hazard etna.tif … --shard 3/40 --out parts/3
      lavoxel hazard etna.tif … --merge parts/* --out maps
  Other quantiles and another limit from the same runs:
      lavoxel hazard etna.tif … --reduce-only --above 1 --quantiles 0.05,0.95

Laws of --rates, --volumes and --durations:
  5                      always the same
  uniform:1,10           evenly from 1 to 10
  log-uniform:1,100      its logarithm evenly from that of 1 to that of 100
  log-normal:5,2         median 5, two of three within a factor of 2; cut off at three factors
  power-law:1e5,1e8,1.5  from the first to the second, ever fewer: density as the number to the power of -1.5
  list:1,5,20            one of these; with weights list:1=3,5=2,20=1
Durations may have units: s, min, h, d.";

/// Map how probable, how soon and how thick lava is, from many sampled eruptions
///
/// Each run of the physical model has a vent, an effusion rate and a volume of its own, drawn by the laws of the flags.
/// Runs are made on all threads and each leaves a small file in the folder --out; then the maps are made of those
/// files: probability of inundation, quantiles of arrival and thickness (GeoTIFF with styles for QGIS), contours of
/// probability (GeoJSON) and a table of all runs (CSV). The maps are the same for any number of threads, and after any
/// interruption.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, mut_arg("file", |file| file.help(FILE_OF_FLOW)))]
pub(crate) struct HazardArgs {
    #[command(flatten)]
    scene: SceneOptions,

    /// Number of runs; with more than before, the finished ones are kept
    #[arg(long, value_name = "N", value_parser = count::runs, allow_negative_numbers = true, default_value = "100")]
    runs: u64,

    /// Where vents open: points, lines and polygons (.geojson), each with a property weight, or points (.csv) with
    /// columns x, y and weight, in coordinates of the heightmap. Without it: the vents of --vent or of the scene, with
    /// equal weights
    #[arg(long, value_name = "FILE")]
    vent_area: Option<PathBuf>,

    /// Law of the effusion rate in m³/s [default: the rate of --vent PLACE@15m3/s, or of the scene's vents]
    #[arg(long, value_name = "LAW", allow_hyphen_values = true)]
    rates: Option<String>,

    /// Law of the volume of an eruption in m³; its duration is the volume over the rate
    #[arg(long, value_name = "LAW", allow_hyphen_values = true)]
    volumes: Option<String>,

    /// Law of the duration of an eruption, in place of --volumes; its volume is the duration times the rate
    #[arg(long, value_name = "LAW", allow_hyphen_values = true)]
    durations: Option<String>,

    /// Correlation of rate and volume (or duration) by a Gaussian copula, from -1 to 1: with 0.7 large eruptions are mostly
    /// fast ones. Each quantity keeps its own distribution
    #[arg(long, value_name = "R", allow_negative_numbers = true)]
    correlation: Option<f64>,

    /// How the rate changes over an eruption of the same volume: steady, or wane:0.1,20, up to a peak in a tenth of the
    /// duration, then down exponentially to a twentieth of it
    #[arg(long, value_name = "CURVE", default_value_t = Curve::Steady)]
    curve: Curve,

    /// Number of the scene that each run draws by a law, such as flow.lava.yield_pa=log-uniform:100,5000; repeatable. With
    /// --dem-error, each run also draws an error of the heights
    #[arg(long, value_name = "KEY=LAW")]
    draw: Vec<String>,

    /// Whether each run rounds amounts by a seed of its own, drawn by --seed and its number, or all by --seed
    #[arg(long, value_enum, value_name = "SEEDS", default_value_t = SeedsName::Own)]
    seeds: SeedsName,

    /// Folder of the runs and the maps [default: lavoxel-out/NAME-hazard]
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,

    /// A run inundates a place where its lava is at some time thicker than this, in metres
    #[arg(long, value_name = "METRES", default_value_t = 0.05, allow_negative_numbers = true)]
    above: f64,

    /// Quantiles of arrival and thickness
    #[arg(long, value_name = "A,B,…", value_delimiter = ',', default_values_t = [0.1, 0.5, 0.9], allow_negative_numbers = true)]
    quantiles: Vec<f64>,

    /// Also map the probability that lava came before each of these times, such as 6h,1d,3d
    #[arg(long, value_name = "T,T,…", value_delimiter = ',', value_parser = str::parse::<Seconds>)]
    before: Vec<Seconds>,

    /// Eruptions in a year (0.2: one in five years): also map the probability that lava comes in a year, 1 − exp(−RATE · p)
    #[arg(long, value_name = "RATE", allow_negative_numbers = true)]
    annual: Option<f64>,

    /// Points, lines and polygons (.geojson), such as buildings and roads: write how probable, how soon and how thick lava is at each
    /// (exposure_NAME.csv and .geojson); repeatable
    #[arg(long, value_name = "FILE")]
    exposure: Vec<PathBuf>,

    /// Levels of the contours of probability [default: 0.05, 0.1, 0.25, 0.5, 0.75, 0.9]
    #[arg(long, value_name = "A,B,…", value_delimiter = ',', allow_negative_numbers = true)]
    levels: Option<Vec<f64>>,

    /// Also draw every map over the ground, as .png
    #[arg(long)]
    picture: bool,

    /// Make no runs, only the maps of those that are there
    #[arg(long)]
    reduce_only: bool,

    /// Make this part of the runs, and no maps: 3/40 is every fortieth run, from the third. Parts may run at once, on many
    /// machines, into one folder or into folders of their own
    #[arg(long, value_name = "I/N", conflicts_with_all = ["reduce_only", "force"])]
    shard: Option<Shard>,

    /// Take the runs of these folders into that of --out, make no others, and draw the maps
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
    /// Each run by its own
    Own,
    /// All runs by the same
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
    let (scene, asked) = args.load()?;
    start_threads(scene.spec.threads)?;
    let source = Source { scene: &scene, asked: &asked, is_bare: args.is_bare() };
    let at_once = rayon::current_num_threads();
    let study = Study::new(&source, &args.settings(), at_once, stop::flag()).map_err(told)?;
    let path = args.out.clone().unwrap_or_else(|| Study::usual_folder(&scene.spec.name));
    args.merge.iter().try_for_each(|other| study.check_part(other)).map_err(told)?;
    let folder = study.open(path, args.opening()).map_err(told)?;
    for other in &args.merge {
        let taken = folder.take_from(other, args.runs, study.ground.site.grid.columns()).map_err(told)?;
        if !args.scene.quiet {
            say::note(&format!("{}: {taken} runs taken", other.display()));
        }
    }
    let (found, missing) = folder.runs(args.runs);
    let mut made = 0;
    if args.makes_runs() {
        if !found.is_empty() && !args.scene.quiet {
            let count = found.len();
            say::note(&format!("{}: {count} of {} runs are there already", folder.path.display(), args.runs));
        }
        let mine: Vec<u64> =
            missing.iter().copied().filter(|run| args.shard.is_none_or(|shard| shard.has(*run))).collect();
        stop::after_the_step();
        let all = if args.shard.is_some() { mine.len() as u64 } else { args.runs };
        let progress = Runs::new(all, all - mine.len() as u64, args.scene.quiet);
        let result = study.make(&folder, (&mine, at_once), &stop::asked, &|_| progress.add_one());
        progress.finish();
        made = result.map_err(told)?;
        let (path, done) = (folder.path.display(), folder.runs(args.runs).0.len());
        if made < mine.len() {
            let rest = "the same command makes the others";
            say::note(&format!("stopped after {done} of {} runs in {path}; {rest}", args.runs));
            return Ok(Outcome::Stopped);
        }
        if let Some(Shard { number, of }) = args.shard {
            let maps = "when all parts are made: the same command with --reduce-only, or --merge, in place of --shard";
            say::note(&format!("part {number} of {of} is made, {done} of {} runs in {path}; {maps}", args.runs));
            return Ok(Outcome::Done);
        }
    }
    // Maps can be made again from the runs, so a signal may abandon them from now on.
    stop::only_files_are_left(true);
    let (report, written) = study.draw(&folder, (made, &|| start.elapsed())).map_err(told)?;
    say::data(&if args.json { serde_json::to_string_pretty(&report)? } else { report.text() })?;
    report.warnings().into_iter().for_each(|warning| say::warn(Some(warning)));
    if !args.scene.quiet {
        written.iter().for_each(|path| say::note(&path.display().to_string()));
    }
    Ok(Outcome::Done)
}

/// Unwraps an error to its cause, which determines the exit code.
pub(super) fn told(error: HazardError) -> anyhow::Error {
    match error {
        HazardError::Scene(error) => error.into(),
        HazardError::Memory(error) => error.into(),
        HazardError::Record(error) => error.into(),
        HazardError::Output(error) => error.into(),
        HazardError::Export(error) => error.into(),
        HazardError::Threads(error) => NoThreads(error.to_string()).into(),
        other => other.into(),
    }
}

impl HazardArgs {
    /// Reads the scene with the overrides of the flags. A bare heightmap gets the physical model.
    fn load(&self) -> anyhow::Result<(Scene, Overrides)> {
        let source = &self.scene.source;
        let asked = source.place.overrides()?;
        anyhow::ensure!(source.file.is_some(), "name a heightmap, or a scene with model = \"flow\"");
        let overrides = if self.is_bare() { overrides_of_heightmap(&asked).map_err(told)? } else { asked.clone() };
        Ok((source.load_with(&overrides)?, asked))
    }

    /// Returns true if the file is a heightmap without a scene.
    fn is_bare(&self) -> bool {
        self.scene.source.heightmap().is_some()
    }

    fn settings(&self) -> Settings {
        let mut settings = Settings::default();
        settings.runs = self.runs;
        settings.vent_area.clone_from(&self.vent_area);
        (settings.rates, settings.volumes, settings.durations) =
            (self.rates.clone(), self.volumes.clone(), self.durations.clone());
        (settings.correlation, settings.curve) = (self.correlation, self.curve);
        settings.draw.clone_from(&self.draw);
        settings.seeds = self.seeds.into();
        (settings.above, settings.quantiles, settings.levels) =
            (self.above, self.quantiles.clone(), self.levels.clone());
        settings.before.clone_from(&self.before);
        settings.annual = self.annual;
        settings.exposure.clone_from(&self.exposure);
        settings.picture = self.picture;
        settings
    }

    /// Returns true if missing runs are to be made.
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
