//! `lavoxel hazard`: many sampled eruptions, and maps of how probable, how soon and how thick lava is.

mod folder;
mod pool;
mod report;
mod vents;

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::{Args, ValueEnum};
use lavoxel::engine::tiled::Tiled;
use lavoxel::export::maps::need_of;
use lavoxel::hazard::{Drawing, Ground, Law, Plan, Reduction, RunFiles, Seeds, Size, Summary};
use lavoxel::output::{self, Existing, file_name};
use lavoxel::scene::{LavaSpec, Model, Overrides, Scene, Seconds, Stage, VentOverride, VentPlace};
use lavoxel::source::VentSpec;
use lavoxel::validate::tame;

use self::folder::Folder;
use self::pool::Pool;
use self::report::Report;
use self::vents::Vents;
use crate::cli::flags::count;
use crate::cli::process::stop;
use crate::cli::show::say;
use crate::cli::{Outcome, SceneOptions, start_threads};

/// Lava of a heightmap that comes without a scene and without `--lava`.
const USUAL_LAVA: &str = "etna-basalt";

/// Largest limit of what a run inundates, in metres: more than any mountain is high.
const MOST_ABOVE_M: f64 = 10_000.0;

const EXAMPLES: &str = "\
Examples:
  500 eruptions from a rift zone, of 1 to 50 m³/s and about a million m³ each:
      lavoxel hazard etna.tif --vent-area rift.geojson --rates log-uniform:1,50 --volumes log-normal:1e6,3 --runs 500
  The same from a table of vents (x,y,weight), by durations, with pictures:
      lavoxel hazard etna.tif --vent-area vents.csv --rates uniform:2,20 --durations uniform:6h,10d --picture
  After Ctrl-C, a kill or a power failure: the same command goes on with the runs that are missing.
  Other quantiles and another limit from the same runs:
      lavoxel hazard etna.tif … --reduce-only --above 1 --quantiles 0.05,0.95

Laws of --rates, --volumes and --durations:
  5                      always the same
  uniform:1,10           evenly from 1 to 10
  log-uniform:1,100      its logarithm evenly from that of 1 to that of 100
  log-normal:5,2         median 5, two of three within a factor of 2; cut off at three factors
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
#[command(after_help = EXAMPLES)]
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

    /// Levels of the contours of probability [default: 0.05, 0.1, 0.25, 0.5, 0.75, 0.9]
    #[arg(long, value_name = "A,B,…", value_delimiter = ',', allow_negative_numbers = true)]
    levels: Option<Vec<f64>>,

    /// Also draw every map over the ground, as .png
    #[arg(long)]
    picture: bool,

    /// Make no runs, only the maps of those that are there
    #[arg(long)]
    reduce_only: bool,

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
    let (size, reduction) = (args.size()?, args.reduction()?);
    let (scene, asked) = args.load()?;
    start_threads(scene.spec.threads)?;
    let stage = scene.build(Box::new(Tiled::default()))?;
    let vents = args.vents(&asked, &stage)?;
    let rates = args.rates(&asked, &scene)?;
    let limit_s = asked.duration.or_else(|| args.limit_of(&scene)).map(|Seconds(time)| time);
    let plan = Plan {
        runs: args.runs,
        seed: scene.spec.seed,
        seeds: args.seeds.into(),
        places: vents.places,
        rates,
        size,
        limit_s,
        vent: model_vent(&stage)?,
    };
    plan.validate().map_err(|wrong| anyhow::anyhow!("{} {}: must be {}", wrong.key, wrong.value, wrong.expected))?;
    let columns = stage.site.grid.columns();
    let summary = Summary::need(columns, args.runs, reduction.quantiles.len());
    // Runs come first, then the maps of all of them.
    let ending = if args.picture { "kmz" } else { "gpkg" };
    let drawn = need_of(&Path::new("map").with_extension(ending), stage.site.grid);
    let at_once = rayon::current_num_threads();
    let runs = Ground::need(&stage, at_once).and(summary.clone());
    let need = runs.or(summary.clone().and(drawn));
    need.check("ask for fewer threads (--threads), larger cells or fewer quantiles")?;
    let ground = Ground::of(stage, at_once, stop::flag()).ok_or_else(no_flow)?;

    let file = plan.file(&ground, &scene.spec.name, &vents.words);
    let folder = Folder::open(args.folder(&scene), &file, args, &reduction)?;
    let (found, missing) = folder.runs(args.runs);
    if !found.is_empty() && !args.scene.quiet && !args.reduce_only {
        say::note(&format!("{}: {} of {} runs are there already", folder.path.display(), found.len(), args.runs));
    }
    let mut made = Vec::new();
    if !args.reduce_only {
        stop::after_the_step();
        let pool = Pool { plan: &plan, ground: &ground, folder: &folder, quiet: args.scene.quiet };
        made = pool.make(&missing, (found.len() as u64, args.runs))?;
    }
    let runs = sorted(found.iter().chain(&made).copied().collect());
    if made.len() < missing.len() && !args.reduce_only {
        let (path, done) = (folder.path.display(), runs.len());
        say::note(&format!("stopped after {done} of {} runs in {path}; the same command makes the others", args.runs));
        return Ok(Outcome::Stopped);
    }
    anyhow::ensure!(!runs.is_empty(), "{}: holds no runs; leave out --reduce-only", folder.path.display());
    stop::only_files_are_left(true);
    let _held = summary.held();
    let files = RunFiles { folder: folder.runs_path(), fingerprint: file.fingerprint(), columns, runs };
    let summary = Summary::of(&files, &reduction, &ground)?;
    let drawing = Drawing {
        summary: &summary,
        reduction: &reduction,
        ground: &ground,
        scene: &scene.spec.name,
        seed: plan.seed,
        pictures: args.picture,
        levels: args.levels.as_deref(),
    };
    let written = drawing.write(&folder.path, Existing::Replace)?;
    let report = Report::new(&plan, &file, &drawing, made.len(), start.elapsed());
    say::data(&if args.json { serde_json::to_string_pretty(&report)? } else { report.text() })?;
    report.warnings().into_iter().for_each(|warning| say::warn(Some(warning)));
    if !args.scene.quiet {
        written.iter().for_each(|path| say::note(&path.display().to_string()));
    }
    Ok(Outcome::Done)
}

fn sorted(mut runs: Vec<u64>) -> Vec<u64> {
    runs.sort_unstable();
    runs
}

/// The radius, height and temperature that all vents of a scene share.
fn model_vent(stage: &Stage) -> anyhow::Result<VentSpec> {
    let form = |vent: &VentSpec| (vent.radius, vent.height, vent.flow.as_ref().and_then(|flow| flow.temperature_k));
    let mut vents = stage.simulation.lava_vents();
    let first = vents.next().cloned().unwrap_or(VentSpec { radius: 0.0, ..VentSpec::default() });
    let alike = vents.all(|vent| form(vent) == form(&first));
    anyhow::ensure!(alike, "the vents of the scene differ in radius, height or temperature_k: give all the same");
    Ok(first)
}

fn no_flow() -> anyhow::Error {
    anyhow::anyhow!(
        "hazard needs the physical model, in m³ and seconds: name a scene with model = \"flow\", or a heightmap with or \
         without --lava NAME"
    )
}

impl HazardArgs {
    /// Reads the scene, and what the flags say of it. A bare heightmap gets the physical model.
    fn load(&self) -> anyhow::Result<(Scene, Overrides)> {
        let source = &self.scene.source;
        let asked = source.place.overrides()?;
        let mut overrides = asked.clone();
        if self.is_bare() {
            overrides.lava = asked.lava.clone().or(Some(LavaSpec::preset(USUAL_LAVA).map_err(anyhow::Error::msg)?));
            // Both are sampled; what `lavoxel run` would choose for them is not said.
            overrides.duration = asked.duration.or(Some(Seconds(0.0)));
            if overrides.vents.is_empty() {
                overrides.vents.push(VentOverride { place: VentPlace::Summit, rate: None, rate_m3_s: None });
            }
        }
        anyhow::ensure!(source.file.is_some(), "name a heightmap, or a scene with model = \"flow\"");
        let scene = source.load_with(&overrides)?;
        anyhow::ensure!(scene.spec.model == Model::Flow, no_flow());
        Ok((scene, asked))
    }

    /// Whether the file is a heightmap without a scene.
    fn is_bare(&self) -> bool {
        self.scene.source.path().is_ok_and(|path| path.is_some_and(|path| Scene::is_heightmap(&path)))
    }

    /// How long runs of a scene last at most.
    fn limit_of(&self, scene: &Scene) -> Option<Seconds> {
        scene.spec.flow_spec().and_then(|flow| flow.duration).filter(|_| !self.is_bare())
    }

    fn vents(&self, asked: &Overrides, stage: &Stage) -> anyhow::Result<Vents> {
        match &self.vent_area {
            Some(_) if !asked.vents.is_empty() => anyhow::bail!("--vent-area: pass it or --vent, not both"),
            Some(path) => Vents::read(path, &stage.site),
            None => Vents::of(stage),
        }
    }

    /// The law of the rates, or the one rate of all vents.
    fn rates(&self, asked: &Overrides, scene: &Scene) -> anyhow::Result<Law> {
        if let Some(text) = &self.rates {
            return law("--rates", text, |number| number.parse().ok());
        }
        let rates: Vec<Option<f64>> = if asked.vents.is_empty() && !self.is_bare() {
            let steady = |flow: &lavoxel::source::VentFlow| flow.steady_rate();
            scene.spec.vents.iter().map(|vent| vent.flow.as_deref().and_then(steady)).collect()
        } else {
            asked.vents.iter().map(|vent| vent.rate_m3_s).collect()
        };
        let first = rates.first().copied().flatten().filter(|first| rates.iter().all(|rate| *rate == Some(*first)));
        first.map(Law::Fixed).ok_or_else(|| {
            anyhow::anyhow!("--rates: give the effusion rate in m³/s, such as --rates 10 or --rates log-uniform:1,50")
        })
    }

    fn size(&self) -> anyhow::Result<Size> {
        match (&self.volumes, &self.durations) {
            (Some(text), None) => Ok(Size::Volume(law("--volumes", text, |number| number.parse().ok())?)),
            (None, Some(text)) => {
                let seconds = |text: &str| text.parse::<Seconds>().ok().map(|Seconds(time)| time);
                Ok(Size::Duration(law("--durations", text, seconds)?))
            }
            (None, None) => anyhow::bail!(
                "--volumes: give how much erupts in m³, such as --volumes 1e6 or --volumes log-normal:1e6,3; or pass \
                 --durations"
            ),
            (Some(_), Some(_)) => anyhow::bail!("--durations: pass it or --volumes, not both"),
        }
    }

    fn reduction(&self) -> anyhow::Result<Reduction> {
        let above_m = self.above;
        let told = |value: f64| tame(&value.to_string());
        let is_thickness = (0.0..=MOST_ABOVE_M).contains(&above_m);
        anyhow::ensure!(
            is_thickness,
            "--above {}: must be a number from 0 to {MOST_ABOVE_M}, in metres",
            told(above_m)
        );
        let share = |flag: &str, value: &f64| {
            let is_share = (0.0..=1.0).contains(value);
            anyhow::ensure!(is_share, "--{flag} {}: must be numbers from 0 to 1", told(*value));
            Ok(())
        };
        self.quantiles.iter().try_for_each(|quantile| share("quantiles", quantile))?;
        self.levels.iter().flatten().try_for_each(|level| share("levels", level))?;
        let mut quantiles = self.quantiles.clone();
        quantiles.sort_by(f64::total_cmp);
        quantiles.dedup();
        Ok(Reduction { above_m, quantiles })
    }

    fn folder(&self, scene: &Scene) -> PathBuf {
        self.out.clone().unwrap_or_else(|| usual_folder(&scene.spec.name))
    }
}

/// The folder of a scene without `--out`.
fn usual_folder(scene: &str) -> PathBuf {
    let name = file_name(scene);
    let ends = name.ends_with("hazard");
    PathBuf::from(output::FOLDER).join(if ends { name } else { format!("{name}-hazard") })
}

/// A law from the text of a flag.
fn law(flag: &str, text: &str, number: impl Fn(&str) -> Option<f64>) -> anyhow::Result<Law> {
    Law::parse(text, number).map_err(|expected| anyhow::anyhow!("{flag} {}: {expected}", tame(text)))
}

#[cfg(test)]
mod tests {
    use lavoxel::shipped;

    use super::*;

    #[test]
    fn a_scene_and_the_heightmap_of_its_ground_have_folders_of_their_own() {
        assert_eq!(usual_folder("maunga_whau"), PathBuf::from("lavoxel-out/maunga-whau-hazard"));
        let scene = Scene::open(Path::new(shipped::FOLDER).join("hazard.toml").as_path()).expect("shipped");
        assert_eq!(usual_folder(&scene.spec.name), PathBuf::from("lavoxel-out/hazard"));
    }
}
