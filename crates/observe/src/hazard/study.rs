//! A hazard map from its settings to its files: one way for the program and for others that use the library.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use serde::Deserialize;

use super::exposed::Exposure;
use super::vents::Vents;
use super::{
    Curve, Drawing, Folder, Ground, Law, Opening, Plan, PlanFile, Reduction, Report, RunFiles, RunRecord, Seeds, Size,
    Summary,
};
use lavoxel_automaton::engine::tiled::Tiled;
use lavoxel_base::memory::{MemoryEstimate, TooMuchMemory};
use lavoxel_base::parallel::share_out;
use lavoxel_base::validate::tame;
use lavoxel_files::output::{Existing, FOLDER, OutputError, file_name};
use lavoxel_geo::map::Site;
use lavoxel_io::export::ExportError;
use lavoxel_io::export::maps::need_of;
use lavoxel_scene::scene::{
    LavaSpec, Model, NumberKey, Overrides, Scene, SceneError, Seconds, Stage, Template, VentOverride, VentPlace,
};
use lavoxel_sim::source::{VentFlow, VentSpec};

/// Lava of a heightmap that comes without a scene and without a lava.
const USUAL_LAVA: &str = "etna-basalt";

/// Largest limit of what a run inundates, in metres: more than any mountain is high.
const MOST_ABOVE_M: f64 = 10_000.0;

/// Most eruptions in a year.
const MOST_ANNUAL: f64 = 1000.0;

/// Fault of a hazard map.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HazardError {
    /// A setting or a folder that is wrong, in words.
    #[error("{0}")]
    Wrong(String),
    /// The scene.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// Memory.
    #[error(transparent)]
    Memory(#[from] TooMuchMemory),
    /// A file of a run.
    #[error(transparent)]
    Record(#[from] super::RecordError),
    /// A file that cannot be written.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// A map that cannot be written.
    #[error(transparent)]
    Export(#[from] ExportError),
    /// A thread that does not start.
    #[error("cannot start the threads: {0}; ask for fewer with --threads")]
    Threads(#[from] std::io::Error),
}

impl From<String> for HazardError {
    fn from(words: String) -> Self {
        Self::Wrong(words)
    }
}

/// Settings of a hazard map, as the flags of `lavoxel hazard` give them.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Settings {
    /// Number of runs.
    pub runs: u64,
    /// File of points, lines and polygons where vents open; without it the vents of the scene, with equal weights.
    pub vent_area: Option<PathBuf>,
    /// Law of the effusion rate in m³/s; without it the one rate of the vents.
    pub rates: Option<String>,
    /// Law of the volume in m³.
    pub volumes: Option<String>,
    /// Law of the duration, in place of the volume.
    pub durations: Option<String>,
    /// Correlation of rate and volume, or rate and duration, from −1 to 1.
    pub correlation: Option<f64>,
    /// How the rate changes over the duration of an eruption; the laws of rates are of its mean.
    pub curve: Curve,
    /// Numbers of the scene that each run draws, as `KEY=LAW`.
    pub draw: Vec<String>,
    /// Whether each run rounds amounts by a seed of its own.
    pub seeds: Seeds,
    /// A run inundates a place where its lava is at some time thicker than this, in metres.
    pub above: f64,
    /// Quantiles of arrival and thickness.
    pub quantiles: Vec<f64>,
    /// Times from the start of the eruption: the probability that lava came before each is a map.
    pub before: Vec<Seconds>,
    /// Eruptions in a year, for a map of the probability of inundation in a year.
    pub annual: Option<f64>,
    /// Files of buildings, roads and areas, of which the probability, arrival and thickness are tables and layers.
    pub exposure: Vec<PathBuf>,
    /// Levels of the contours of probability, in place of the usual ones.
    pub levels: Option<Vec<f64>>,
    /// Whether every map also becomes a picture over the ground.
    pub picture: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            runs: 100,
            vent_area: None,
            rates: None,
            volumes: None,
            durations: None,
            correlation: None,
            curve: Curve::Steady,
            draw: Vec::new(),
            seeds: Seeds::Own,
            above: 0.05,
            quantiles: vec![0.1, 0.5, 0.9],
            before: Vec::new(),
            annual: None,
            exposure: Vec::new(),
            levels: None,
            picture: false,
        }
    }
}

/// A scene of hazard maps, with the overrides that it was read with.
#[derive(Clone, Debug)]
pub struct Source<'a> {
    /// The scene.
    pub scene: &'a Scene,
    /// The overrides, as they were asked for.
    pub asked: &'a Overrides,
    /// Whether it was made around a heightmap.
    pub is_bare: bool,
}

/// Overrides of a bare heightmap for many runs: the physical model in long steps, with a lava, and a vent on the summit whose place
/// is sampled anyway.
///
/// # Errors
/// Never, as long as the usual lava is a preset.
pub fn overrides_of_heightmap(asked: &Overrides) -> Result<Overrides, HazardError> {
    let mut overrides = asked.clone();
    overrides.lava = asked.lava.clone().or(Some(LavaSpec::preset(USUAL_LAVA)?));
    overrides.long_steps = true;
    // Both are sampled; the usual ones are not said.
    overrides.duration = asked.duration.or(Some(Seconds(0.0)));
    if overrides.vents.is_empty() {
        overrides.vents.push(VentOverride {
            place: VentPlace::Summit,
            to: None,
            rate: None,
            rate_m3_s: None,
            rates: None,
        });
    }
    Ok(overrides)
}

/// A plan on its ground, with all that its maps need.
#[derive(Debug)]
pub struct Study {
    /// How runs are sampled.
    pub plan: Plan,
    /// Where they flow.
    pub ground: Ground,
    /// All that decides the runs.
    pub file: PlanFile,
    reduction: Reduction,
    exposures: Vec<Exposure>,
    levels: Option<Vec<f64>>,
    pictures: bool,
    scene: String,
    summary: MemoryEstimate,
}

/// Words where a scene has no flow.
const NO_FLOW: &str = "hazard needs the physical model, in m³ and seconds: name a scene with model = \"flow\", or a heightmap with or \
                       without --lava NAME";

impl Study {
    /// Samples and ground of a map, of which `at_once` runs are made at a time; long steps are given up once `stop` is set.
    ///
    /// # Errors
    /// Names the setting that is wrong, as the flag of the program; and says where memory does not suffice.
    pub fn new(
        source: &Source<'_>,
        settings: &Settings,
        at_once: usize,
        stop: Arc<AtomicBool>,
    ) -> Result<Self, HazardError> {
        let (size, reduction) = (settings.size()?, settings.reduction()?);
        let Source { scene, asked, is_bare } = *source;
        if scene.spec.model != Model::Flow {
            return Err(NO_FLOW.to_owned().into());
        }
        let stage = scene.build(Box::new(Tiled::default()))?;
        let vents = settings.vents(asked, &stage)?;
        let limit = || scene.spec.flow_spec().and_then(|flow| flow.duration).filter(|_| !is_bare);
        let plan = Plan {
            runs: settings.runs,
            seed: scene.spec.seed,
            seeds: settings.seeds,
            places: vents.places,
            rates: settings.rates(source)?,
            size,
            correlation: settings.correlation()?,
            curve: settings.curve,
            limit_s: asked.duration.or_else(limit).map(|Seconds(time)| time),
            vent: model_vent(&stage)?,
            draws: settings.draws()?,
        };
        plan.validate().map_err(|wrong| format!("{} {}: must be {}", wrong.key, wrong.value, wrong.expected))?;
        let exposures = settings.exposures(&stage.site)?;
        let summary = Summary::need(stage.site.grid.columns(), plan.runs, &reduction);
        let summary = exposures.iter().map(|exposure| exposure.need(plan.runs)).fold(summary, MemoryEstimate::and);
        // Runs come first, then the maps of all of them.
        let ending = if settings.picture { "kmz" } else { "gpkg" };
        let drawn = need_of(&Path::new("map").with_extension(ending), stage.site.grid);
        let need = Ground::need(&stage, at_once).and(summary.clone()).or(summary.clone().and(drawn));
        need.check("ask for fewer threads (--threads), larger cells or fewer quantiles")?;
        let ground = Ground::of(stage, at_once, stop).ok_or_else(|| NO_FLOW.to_owned())?;
        let ground = match plan.draws.is_empty() && scene.spec.terrain.error_m.is_none() {
            true => ground,
            false => ground.with_template(plan.template(scene)?),
        };
        let file = plan.file(&ground, &scene.spec.name, &vents.words);
        let (levels, pictures) = (settings.levels.clone(), settings.picture);
        Ok(Self { plan, ground, file, reduction, exposures, levels, pictures, scene: scene.spec.name.clone(), summary })
    }

    /// The folder of a scene's maps that is not named: `lavoxel-out/NAME-hazard`.
    pub fn usual_folder(scene: &str) -> PathBuf {
        let name = file_name(scene);
        let ends = name.ends_with("hazard");
        PathBuf::from(FOLDER).join(if ends { name } else { format!("{name}-hazard") })
    }

    /// Opens the folder of the runs and the maps.
    ///
    /// # Errors
    /// When it is of another plan, or has none.
    pub fn open(&self, path: PathBuf, opening: Opening) -> Result<Folder, HazardError> {
        Folder::open(path, &self.file, opening, (&self.reduction, self.pictures))
    }

    /// Checks that a folder has runs of this plan, before they are [taken](Folder::take_from).
    ///
    /// # Errors
    /// When it is of another plan, or has none.
    pub fn check_part(&self, other: &Path) -> Result<(), HazardError> {
        super::folder::check_part(other, &self.file)
    }

    /// Makes a run and gives its record; none where `cancelled` says so before its end.
    ///
    /// # Errors
    /// As [`Plan::run`].
    pub fn run(&self, run: u64, cancelled: &dyn Fn() -> bool) -> Result<Option<RunRecord>, HazardError> {
        self.plan.run(&self.ground, &self.plan.sample(run), cancelled)
    }

    /// Makes the maps of the runs of a folder; `made` of them are new, and all took `elapsed`.
    ///
    /// # Errors
    /// When there is no run, and when a file cannot be read or written.
    pub fn draw(
        &self,
        folder: &Folder,
        (made, elapsed): (usize, &dyn Fn() -> Duration),
    ) -> Result<(Report, Vec<PathBuf>), HazardError> {
        let (runs, _) = folder.runs(self.plan.runs);
        if runs.is_empty() {
            return Err(format!("{}: holds no runs; leave out --reduce-only", folder.path.display()).into());
        }
        let _held = self.summary.held();
        let columns = self.ground.site.grid.columns();
        let files = RunFiles { folder: folder.runs_path(), fingerprint: folder.fingerprint, columns, runs };
        let summary = Summary::of(&files, &self.reduction, &self.ground)?;
        let drawing = Drawing {
            summary: &summary,
            reduction: &self.reduction,
            ground: &self.ground,
            scene: &self.scene,
            plan: &self.plan,
            pictures: self.pictures,
            levels: self.levels.as_deref(),
        };
        let mut written = drawing.write(&folder.path, Existing::Replace)?;
        let mut exposed = Vec::new();
        for exposure in &self.exposures {
            let reached = exposure.of(&files, &self.reduction)?;
            written.extend(exposure.write(&folder.path, &reached, &self.reduction)?);
            exposed.push(exposure.line(&reached));
        }
        Ok((Report::new(&self.plan, &self.file, &drawing, made, elapsed()).with_exposure(exposed), written))
    }

    /// Makes runs on so many threads, each run on one of them, into a folder, until all are made, `ends` says so or one fails; `made`
    /// is told each. Gives how many were made.
    ///
    /// # Errors
    /// When memory does not suffice, a record cannot be written, or no thread starts.
    pub fn make(
        &self,
        folder: &Folder,
        (runs, threads): (&[u64], usize),
        ends: &(dyn Fn() -> bool + Sync),
        made: &(dyn Fn(u64) + Sync),
    ) -> Result<usize, HazardError> {
        share_out(runs, threads, ends, &|run: &u64, all_end: &dyn Fn() -> bool| {
            let Some(record) = self.run(*run, all_end)? else { return Ok(false) };
            folder.put(*run, &record.bytes(folder.fingerprint))?;
            made(*run);
            Ok(true)
        })
    }
}

impl Plan {
    /// The scene from which runs with numbers of their own are made. Both ends of each law are tried.
    fn template(&self, scene: &Scene) -> Result<Template, HazardError> {
        let template = Template::new(scene)?;
        for (key, law) in &self.draws {
            let (low, high) = law.range();
            for value in [low, high] {
                template.with(&[(key, value)]).map_err(|error| format!("--draw {key}: with {value}, {error}"))?;
            }
        }
        Ok(template)
    }
}

/// The line, radius, height, focus and temperature that all vents of a scene share.
fn model_vent(stage: &Stage) -> Result<VentSpec, String> {
    let of_flow = |vent: &VentSpec| vent.flow.as_ref().map(|flow| (flow.focus.clone(), flow.temperature_k));
    let form = |vent: &VentSpec| (vent.line.clone(), vent.radius, vent.height, of_flow(vent));
    let mut vents = stage.simulation.lava_vents();
    let first = vents.next().cloned().unwrap_or(VentSpec { radius: 0.0, ..VentSpec::default() });
    if vents.all(|vent| form(vent) == form(&first)) {
        return Ok(first);
    }
    Err("the vents of the scene differ in line, radius, height, focus or temperature_k: give all the same".to_owned())
}

impl Settings {
    fn vents(&self, asked: &Overrides, stage: &Stage) -> Result<Vents, String> {
        match &self.vent_area {
            Some(_) if !asked.vents.is_empty() => Err("--vent-area: pass it or --vent, not both".to_owned()),
            Some(path) => Vents::read(path, &stage.site),
            None => Vents::of(stage),
        }
    }

    /// The law of the rates, or the one rate of all vents.
    fn rates(&self, source: &Source<'_>) -> Result<Law, String> {
        if let Some(text) = &self.rates {
            return law("--rates", text, |number| number.parse().ok());
        }
        let Source { scene, asked, is_bare } = *source;
        let rates: Vec<Option<f64>> = if asked.vents.is_empty() && !is_bare {
            let steady = |flow: &VentFlow| flow.steady_rate();
            scene.spec.vents.iter().map(|vent| vent.flow.as_deref().and_then(steady)).collect()
        } else {
            asked.vents.iter().map(|vent| vent.rate_m3_s).collect()
        };
        let first = rates.first().copied().flatten().filter(|first| rates.iter().all(|rate| *rate == Some(*first)));
        let mend = "--rates: give the effusion rate in m³/s, such as --rates 10 or --rates log-uniform:1,50";
        first.map(Law::Fixed).ok_or_else(|| mend.to_owned())
    }

    /// The numbers of the scene that runs draw, with their laws.
    fn draws(&self) -> Result<Vec<(NumberKey, Law)>, String> {
        let mut all: Vec<(NumberKey, Law)> = Vec::new();
        for text in &self.draw {
            let (key, words) = text.split_once('=').ok_or_else(|| {
                format!(
                    "--draw {}: must be a number of the scene and its law: flow.lava.yield_pa=uniform:100,900",
                    tame(text)
                )
            })?;
            let key: NumberKey = key.parse().map_err(|fault| format!("--draw {}: {fault}", tame(text)))?;
            if key.is_rates() {
                return Err("--draw rates: draw rates by --rates".to_owned());
            }
            if key.is_of_the_box() {
                return Err(format!("--draw {key}: changes the box; draw numbers that leave it where it is"));
            }
            if all.iter().any(|(other, _)| *other == key) {
                return Err(format!("--draw {key}: is named twice"));
            }
            all.push((key, law("--draw", words, |number| number.parse().ok())?));
        }
        Ok(all)
    }

    fn size(&self) -> Result<Size, String> {
        match (&self.volumes, &self.durations) {
            (Some(text), None) => Ok(Size::Volume(law("--volumes", text, |number| number.parse().ok())?)),
            (None, Some(text)) => {
                let seconds = |text: &str| text.parse::<Seconds>().ok().map(|Seconds(time)| time);
                Ok(Size::Duration(law("--durations", text, seconds)?))
            }
            (None, None) => Err("--volumes: give how much erupts in m³, such as --volumes 1e6 or --volumes \
                                 log-normal:1e6,3; or pass --durations"
                .to_owned()),
            (Some(_), Some(_)) => Err("--durations: pass it or --volumes, not both".to_owned()),
        }
    }

    fn correlation(&self) -> Result<Option<f64>, String> {
        match self.correlation.filter(|correlation| !(-1.0..=1.0).contains(correlation)) {
            Some(wrong) => Err(format!("--correlation {}: must be a number from -1 to 1", tame(&wrong.to_string()))),
            None => Ok(self.correlation),
        }
    }

    fn reduction(&self) -> Result<Reduction, String> {
        let above_m = self.above;
        let told = |value: f64| tame(&value.to_string());
        if !(0.0..=MOST_ABOVE_M).contains(&above_m) {
            return Err(format!("--above {}: must be a number from 0 to {MOST_ABOVE_M}, in metres", told(above_m)));
        }
        let share = |flag: &str, value: &f64| match (0.0..=1.0).contains(value) {
            true => Ok(()),
            false => Err(format!("--{flag} {}: must be numbers from 0 to 1", told(*value))),
        };
        self.quantiles.iter().try_for_each(|quantile| share("quantiles", quantile))?;
        self.levels.iter().flatten().try_for_each(|level| share("levels", level))?;
        if let Some(Seconds(time)) = self.before.iter().find(|Seconds(time)| *time <= 0.0) {
            return Err(format!("--before {}: must be times above 0", told(*time)));
        }
        let rising = |mut numbers: Vec<f64>| {
            numbers.sort_by(f64::total_cmp);
            numbers.dedup();
            numbers
        };
        let before_s = rising(self.before.iter().map(|Seconds(time)| *time).collect());
        if let Some(rate) = self.annual.filter(|rate| !(*rate > 0.0 && *rate <= MOST_ANNUAL)) {
            return Err(format!("--annual {}: must be a number above 0, at most {MOST_ANNUAL}", told(rate)));
        }
        Ok(Reduction { above_m, quantiles: rising(self.quantiles.clone()), before_s, annual: self.annual })
    }

    /// The files of exposure, each with another name.
    fn exposures(&self, site: &Site) -> Result<Vec<Exposure>, String> {
        let mut all: Vec<Exposure> = Vec::new();
        for path in &self.exposure {
            let exposure = Exposure::read(path, site)?;
            if all.iter().any(|other| other.name == exposure.name) {
                return Err(format!("--exposure {}: two files have the name {}", path.display(), exposure.name));
            }
            all.push(exposure);
        }
        Ok(all)
    }
}

/// A law from the text of a setting.
fn law(flag: &str, text: &str, number: impl Fn(&str) -> Option<f64>) -> Result<Law, String> {
    Law::parse(text, number).map_err(|expected| format!("{flag} {}: {expected}", tame(text)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lavoxel_files::shipped;

    #[test]
    fn a_scene_and_the_heightmap_of_its_ground_have_folders_of_their_own() {
        assert_eq!(Study::usual_folder("maunga_whau"), PathBuf::from("lavoxel-out/maunga-whau-hazard"));
        let scene = Scene::open(Path::new(shipped::FOLDER).join("hazard.toml").as_path()).expect("shipped");
        assert_eq!(Study::usual_folder(&scene.spec.name), PathBuf::from("lavoxel-out/hazard"));
    }
}
