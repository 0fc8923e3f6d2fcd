//! Hazard study as a whole, from its settings to the maps.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use serde::Deserialize;

use super::crest::Walls;
use super::exposed::Exposure;
use super::vents::Vents;
use super::weights::{Observations, Weights};
use super::{
    Curve, Distribution, Drawing, Ground, Plan, Reduction, Report, RunFiles, RunRecord, Seeds,
    Size, Summary, names,
};
use crate::study::{DRAWN, Folder, Opening, PlanFile, StudyError, check_part};
use lavoxel_automaton::engine::tiled::Tiled;
use lavoxel_base::memory::MemoryEstimate;
use lavoxel_base::parallel::share_out;
use lavoxel_base::validate::escape_for_terminal;
use lavoxel_files::output::{Existing, FOLDER, file_name};
use lavoxel_geo::map::Site;
use lavoxel_io::export::maps::need_of;
use lavoxel_io::export::netcdf;
use lavoxel_scene::scene::{
    BuiltScene, LavaSpec, Model, NumberKey, Overrides, Scene, Seconds, Template, VentOverride,
    VentPlace,
};
use lavoxel_sim::source::{VentFlow, VentSpec};

/// Name of the lava preset that is used for a heightmap without a scene.
const USUAL_LAVA: &str = "etna-basalt";

/// Upper bound in metres on the inundation threshold: higher than any mountain.
const MOST_ABOVE_M: f64 = 10_000.0;

/// Upper bound on the mean number of eruptions per year.
const MOST_ANNUAL: f64 = 1000.0;

/// Settings of a hazard map; each field is a flag of `lavoxel hazard`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Settings {
    /// Total number of runs of the hazard study.
    pub runs: u64,
    /// Path of a file with points, lines and polygons in which vents open; `None`: the vents of the
    /// scene, with equal weights.
    pub vent_area: Option<PathBuf>,
    /// Text of the probability distribution of the effusion rate in m³/s; `None`: the rate of the
    /// scene's vents, which must be equal.
    pub rates: Option<String>,
    /// Text of the probability distribution of the erupted volume in m³; `None` if durations are
    /// given.
    pub volumes: Option<String>,
    /// Text of the probability distribution of the duration of an eruption in seconds or with
    /// units; `None` if volumes are given.
    pub durations: Option<String>,
    /// Correlation of rate with volume or duration, −1 to 1; `None` if both are independent.
    pub correlation: Option<f64>,
    /// Shape of the effusion rate over the duration of an eruption.
    pub curve: Curve,
    /// Scene parameters that each run draws, as texts `KEY=LAW` (LAW: a probability distribution),
    /// such as `flow.lava.yield_pa=uniform:100,900`.
    pub draw: Vec<String>,
    /// Choice of the seeds of the simulations: a different seed in each run, or the seed of the
    /// scene in all runs.
    pub seeds: Seeds,
    /// Inundation threshold in metres: a column counts as inundated if its largest thickness is
    /// greater than the threshold.
    pub above: f64,
    /// Probabilities of the quantiles of arrival and thickness to be mapped, each between 0 and 1.
    pub quantiles: Vec<f64>,
    /// Times from the start of the eruption; for each time t, a map of the probability that lava
    /// arrives before t is written.
    pub before: Vec<Seconds>,
    /// Mean number of eruptions per year, for the map of annual inundation probability; `None`: no
    /// such map.
    pub annual: Option<f64>,
    /// Feature files of buildings, roads and areas. For each file, probability, arrival and
    /// thickness at each feature are written as a table and as a copy of the file with these
    /// properties.
    pub exposure: Vec<PathBuf>,
    /// Outlines of the lava that were observed, each a text `FILE` or `FILE@TIME`; the maps weight
    /// runs by their fit to all outlines.
    pub observed: Vec<String>,
    /// Date of the start of the eruption, which dates in `observed` need.
    pub began: Option<String>,
    /// Width of the kernel of the weights: misfit 1 − √(∩/∪) at which the weight of a run is
    /// exp(−½).
    pub kernel: f64,
    /// Share of the runs (0 to 1) that may overtop a dam along the barriers of the scene, whose
    /// heights are sought; `None`: no heights.
    pub crest: Option<f64>,
    /// Height of a dam above the lava in metres.
    pub freeboard: f64,
    /// Contour levels of probability, 0 to 1; `None`: the levels in `LEVELS`.
    pub levels: Option<Vec<f64>>,
    /// Set to write all maps into one netCDF file, too.
    pub netcdf: bool,
    /// Set to write a picture of every map over the hill-shaded ground, in addition to the data
    /// file.
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
            observed: Vec::new(),
            began: None,
            kernel: 0.2,
            crest: None,
            freeboard: 0.5,
            levels: None,
            netcdf: false,
            picture: false,
        }
    }
}

/// Scene of a hazard study, together with the command-line overrides that were applied to the
/// scene.
#[derive(Clone, Debug)]
pub struct Source<'a> {
    /// Scene after the overrides were applied.
    pub scene: &'a Scene,
    /// Overrides that the user gave on the command line.
    pub asked: &'a Overrides,
    /// Set if the scene was generated for a heightmap, without a scene file.
    pub is_bare: bool,
}

/// Returns the overrides `asked`, completed by the defaults for a heightmap without a scene:
/// physical model with long steps, a lava, and a placeholder vent at the summit that each run
/// replaces.
///
/// # Errors
/// Never, as long as the default lava is a preset.
pub fn overrides_of_heightmap(asked: &Overrides) -> Result<Overrides, StudyError> {
    let mut overrides = asked.clone();
    overrides.lava = asked.lava.clone().or(Some(LavaSpec::preset(USUAL_LAVA)?));
    overrides.long_steps = true;
    // Rate and duration are sampled; the placeholders keep the usual values from being reported.
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

/// Hazard study whose settings have been validated.
#[derive(Debug)]
pub struct Study {
    /// Plan from which the runs of the study are sampled.
    pub plan: Plan,
    /// State before the first step that all runs of the study share.
    pub ground: Ground,
    /// Content of the plan file, by which the runs in a folder are recognised as runs of this
    /// study.
    pub file: PlanFile,
    reduction: Reduction,
    exposures: Vec<Exposure>,
    observations: Observations,
    walls: Option<Walls>,
    levels: Option<Vec<f64>>,
    netcdf: bool,
    pictures: bool,
    scene: String,
    summary: MemoryEstimate,
}

/// Error message for a scene that does not use the physical model.
const NO_FLOW: &str = "hazard needs the physical model, in m³ and seconds: name a scene with model = \"flow\", or a heightmap with or \
                       without --lava NAME";

impl Study {
    /// Prepares the plan and the shared initial state of a study. `at_once`: number of concurrent
    /// runs; setting `stop` makes all runs abort their current step.
    ///
    /// # Errors
    /// Names the invalid setting as the flag of the program, or the missing memory.
    pub fn new(
        source: &Source<'_>,
        settings: &Settings,
        at_once: usize,
        stop: Arc<AtomicBool>,
    ) -> Result<Self, StudyError> {
        let (size, reduction) = (settings.size()?, settings.reduction()?);
        let Source {
            scene,
            asked,
            is_bare,
        } = *source;
        if scene.spec.model != Model::Flow {
            return Err(NO_FLOW.to_owned().into());
        }
        let stage = scene.build(Box::new(Tiled::default()))?;
        let vents = settings.vents(asked, &stage)?;
        let limit = || {
            scene
                .spec
                .flow_spec()
                .and_then(|flow| flow.duration)
                .filter(|_| !is_bare)
        };
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
        plan.validate().map_err(|wrong| {
            format!("{} {}: must be {}", wrong.key, wrong.value, wrong.expected)
        })?;
        let exposures = settings.exposures(&stage.site)?;
        let observations = Observations::read(
            &settings.observed,
            settings.began.as_deref(),
            settings.kernel,
            (&stage.site, reduction.above_m),
        )?;
        let columns = stage.site.grid.columns();
        let summary = Summary::need(columns, plan.runs, &reduction)
            .and(observations.need(columns, plan.runs));
        let summary = exposures
            .iter()
            .map(|exposure| exposure.need(plan.runs))
            .fold(summary, MemoryEstimate::and);
        // Peak memory: first the concurrent runs, then the maps; never both at once.
        let ending = if settings.picture { "kmz" } else { "gpkg" };
        let drawn = need_of(&Path::new("map").with_extension(ending), stage.site.grid);
        let maps = if settings.netcdf { reduction.maps() } else { 0 };
        let drawn = drawn.or(netcdf::need(columns, maps));
        let need = Ground::need(&stage, at_once)
            .and(summary.clone())
            .or(summary.clone().and(drawn));
        need.check("ask for fewer threads (--threads), larger cells or fewer quantiles")?;
        let ground = Ground::new(stage, at_once, stop).ok_or_else(|| NO_FLOW.to_owned())?;
        let ground = match plan.draws.is_empty() && scene.spec.terrain.error_m.is_none() {
            true => ground,
            false => ground.with_template(plan.template(scene)?),
        };
        let walls = settings
            .crest
            .map(|share| Walls::new(scene, &ground, (share, settings.freeboard)))
            .transpose()?;
        let summary = walls
            .iter()
            .map(|walls| walls.need(plan.runs))
            .fold(summary, MemoryEstimate::and);
        let file = plan.file(&ground, &scene.spec.name, &vents.words);
        let (levels, pictures) = (settings.levels.clone(), settings.picture);
        Ok(Self {
            plan,
            ground,
            file,
            reduction,
            exposures,
            observations,
            walls,
            levels,
            netcdf: settings.netcdf,
            pictures,
            scene: scene.spec.name.clone(),
            summary,
        })
    }

    /// Returns the default output folder for the scene name `scene`: `lavoxel-out/NAME-hazard`.
    pub fn usual_folder(scene: &str) -> PathBuf {
        let name = file_name(scene);
        let ends = name.ends_with("hazard");
        PathBuf::from(FOLDER).join(if ends { name } else { format!("{name}-hazard") })
    }

    /// Opens the folder of the study at `path` in the mode `opening`.
    ///
    /// # Errors
    /// When the folder is of another plan, or is to be read and has no plan.
    pub fn open(&self, path: PathBuf, opening: Opening) -> Result<Folder, StudyError> {
        let plain = opening == Opening::GoOn && !path.join("plan.json").exists();
        if plain && RunRecord::path(&path.join("runs"), 0).exists() {
            let shown = path.display();
            return Err(format!(
                "{shown}: holds runs without their plan.json; name another folder with --out"
            )
            .into());
        }
        let results = names(&self.reduction, self.pictures);
        Folder::open(path, &self.file, opening, ("", &results))
    }

    /// Checks that the folder `other` contains runs of this plan. To be called before
    /// `Study::take`.
    ///
    /// # Errors
    /// When `other` is of another plan, or has none.
    pub fn check_part(&self, other: &Path) -> Result<(), StudyError> {
        check_part(other, &self.file)
    }

    /// Copies runs of the same plan from the folder `other`: those that `folder` lacks. Returns the
    /// number of copied runs.
    ///
    /// # Errors
    /// When a file cannot be read or written, is damaged or of another plan.
    pub fn take(&self, folder: &Folder, other: &Path) -> Result<u64, StudyError> {
        let (from, columns) = (other.join("runs"), self.ground.site.grid.columns());
        let mut taken = 0;
        for run in folder.runs(self.plan.runs).1 {
            if let Some(record) = RunRecord::read(&from, run, folder.fingerprint, columns)? {
                folder.write_run(run, &record.bytes(folder.fingerprint))?;
                taken += 1;
            }
        }
        Ok(taken)
    }

    /// Simulates run `run` and returns its record; `None` if `cancelled` returned true before the
    /// end.
    ///
    /// # Errors
    /// The errors of [`Plan::run`].
    pub fn run(
        &self,
        run: u64,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Option<RunRecord>, StudyError> {
        self.plan
            .run(&self.ground, &self.plan.sample(run), cancelled)
    }

    /// Writes the maps of all runs in `folder`; returns the report and the paths of the files.
    /// `made`: number of runs that this command simulated; `elapsed`: function that returns the
    /// command's wall-clock time.
    ///
    /// # Errors
    /// When there is no run, and when a file cannot be read or written.
    pub fn draw(
        &self,
        folder: &Folder,
        (made, elapsed): (usize, &dyn Fn() -> Duration),
    ) -> Result<(Report, Vec<PathBuf>), StudyError> {
        let (runs, _) = folder.runs(self.plan.runs);
        if runs.is_empty() {
            return Err(format!(
                "{}: holds no runs; leave out --reduce-only",
                folder.path.display()
            )
            .into());
        }
        // Reserves the memory of the summary, so that other work in the process sees it as taken.
        let _held = self.summary.held();
        let columns = self.ground.site.grid.columns();
        let mut files = RunFiles {
            folder: folder.runs_path(),
            fingerprint: folder.fingerprint,
            columns,
            runs,
            weights: Weights::default(),
        };
        files.weights = self.observations.weights(&files, self.reduction.above_m)?;
        let summary = Summary::from_runs(&files, &self.reduction, &self.ground)?;
        let drawing = Drawing {
            summary: &summary,
            reduction: &self.reduction,
            ground: &self.ground,
            scene: &self.scene,
            plan: &self.plan,
            pictures: self.pictures,
            levels: self.levels.as_deref(),
            netcdf: self.netcdf,
        };
        let mut written = drawing.write(&folder.path, Existing::Replace)?;
        let mut exposed = Vec::new();
        for exposure in &self.exposures {
            let reached = exposure.reached_assets(&files, &self.reduction)?;
            written.extend(exposure.write(&folder.path, &reached, &self.reduction)?);
            exposed.push(exposure.line(&reached));
        }
        let mut report =
            Report::new(&self.plan, &self.file, &drawing, made, elapsed()).with_exposure(exposed);
        if let Some(walls) = &self.walls {
            let crest = walls.crest(&files, &self.ground)?;
            written.extend(walls.write(&crest, &folder.path, &self.ground.site)?);
            report.crest = Some(walls.summary(&crest));
        }
        Ok((report, written))
    }

    /// Simulates the runs with the numbers `runs` on `threads` worker threads until all are
    /// complete, `ends` returns true, or a run fails. Calls `made` with the number of each
    /// completed run and returns how many runs were completed.
    ///
    /// # Errors
    /// When memory does not suffice, a record cannot be written, or no thread starts.
    pub fn make(
        &self,
        folder: &Folder,
        (runs, threads): (&[u64], usize),
        ends: &(dyn Fn() -> bool + Sync),
        made: &(dyn Fn(u64) + Sync),
    ) -> Result<usize, StudyError> {
        share_out(
            runs,
            threads,
            ends,
            &|run: &u64, all_end: &dyn Fn() -> bool| {
                let Some(record) = self.run(*run, all_end)? else {
                    return Ok(false);
                };
                folder.write_run(*run, &record.bytes(folder.fingerprint))?;
                made(*run);
                Ok(true)
            },
        )
    }
}

impl Plan {
    /// Returns the template from which runs with drawn scene parameters build their scene. Builds
    /// the scene with both ends of the range of each distribution, so that invalid ranges fail
    /// before the first run.
    fn template(&self, scene: &Scene) -> Result<Template, StudyError> {
        let template = Template::new(scene)?;
        for (key, law) in &self.draws {
            let (low, high) = law.range();
            DRAWN.check_value(&template, key, low)?;
            DRAWN.check_value(&template, key, high)?;
        }
        Ok(template)
    }
}

/// Returns the shape and the lava temperature that all vents of the scene `stage` share, as a vent.
/// Returns a message if they differ between vents.
fn model_vent(stage: &BuiltScene) -> Result<VentSpec, String> {
    let of_flow = |vent: &VentSpec| {
        vent.flow
            .as_ref()
            .map(|flow| (flow.focus.clone(), flow.temperature_k))
    };
    let form = |vent: &VentSpec| (vent.line.clone(), vent.radius, vent.height, of_flow(vent));
    let mut vents = stage.simulation.lava_vents();
    let first = vents.next().cloned().unwrap_or(VentSpec {
        radius: 0.0,
        ..VentSpec::default()
    });
    if vents.all(|vent| form(vent) == form(&first)) {
        return Ok(first);
    }
    Err("the vents of the scene differ in line, radius, height, focus or temperature_k: give all the same".to_owned())
}

impl Settings {
    fn vents(&self, asked: &Overrides, stage: &BuiltScene) -> Result<Vents, String> {
        match &self.vent_area {
            Some(_) if !asked.vents.is_empty() => {
                Err("--vent-area: pass it or --vent, not both".to_owned())
            }
            Some(path) => Vents::read(path, &stage.site),
            None => Vents::from_stage(stage),
        }
    }

    /// Returns the probability distribution of the effusion rate in m³/s: that of the settings, or
    /// else the constant rate of the scene's vents. Returns a message if the settings have none and
    /// the rates of the vents differ.
    fn rates(&self, source: &Source<'_>) -> Result<Distribution, String> {
        if let Some(text) = &self.rates {
            return law("--rates", text, |number| number.parse().ok());
        }
        let Source {
            scene,
            asked,
            is_bare,
        } = *source;
        let rates: Vec<Option<f64>> = if asked.vents.is_empty() && !is_bare {
            let steady = |flow: &VentFlow| flow.steady_rate();
            scene
                .spec
                .vents
                .iter()
                .map(|vent| vent.flow.as_deref().and_then(steady))
                .collect()
        } else {
            asked.vents.iter().map(|vent| vent.rate_m3_s).collect()
        };
        let first = rates
            .first()
            .copied()
            .flatten()
            .filter(|first| rates.iter().all(|rate| *rate == Some(*first)));
        let mend = "--rates: give the effusion rate in m³/s, such as --rates 10 or --rates log-uniform:1,50";
        first
            .map(Distribution::Fixed)
            .ok_or_else(|| mend.to_owned())
    }

    /// Parses the texts `KEY=LAW` (LAW: a probability distribution) of the drawn scene parameters.
    /// Returns a message for an invalid text.
    fn draws(&self) -> Result<Vec<(NumberKey, Distribution)>, String> {
        let mut all: Vec<(NumberKey, Distribution)> = Vec::new();
        for text in &self.draw {
            let (key, words) = text.split_once('=').ok_or_else(|| {
                format!(
                    "--draw {}: must be a number of the scene and its law: flow.lava.yield_pa=uniform:100,900",
                    escape_for_terminal(text)
                )
            })?;
            let key: NumberKey = key
                .parse()
                .map_err(|fault| format!("--draw {}: {fault}", escape_for_terminal(text)))?;
            if key.is_rates() {
                return Err("--draw rates: draw rates by --rates".to_owned());
            }
            DRAWN.check_key(&key, all.iter().map(|(other, _)| other))?;
            all.push((key, law("--draw", words, |number| number.parse().ok())?));
        }
        Ok(all)
    }

    fn size(&self) -> Result<Size, String> {
        match (&self.volumes, &self.durations) {
            (Some(text), None) => Ok(Size::Volume(law("--volumes", text, |number| {
                number.parse().ok()
            })?)),
            (None, Some(text)) => {
                let seconds = |text: &str| text.parse::<Seconds>().ok().map(|Seconds(time)| time);
                Ok(Size::Duration(law("--durations", text, seconds)?))
            }
            (None, None) => Err(
                "--volumes: give how much erupts in m³, such as --volumes 1e6 or --volumes \
                                 log-normal:1e6,3; or pass --durations"
                    .to_owned(),
            ),
            (Some(_), Some(_)) => Err("--durations: pass it or --volumes, not both".to_owned()),
        }
    }

    fn correlation(&self) -> Result<Option<f64>, String> {
        match self
            .correlation
            .filter(|correlation| !(-1.0..=1.0).contains(correlation))
        {
            Some(wrong) => Err(format!(
                "--correlation {}: must be a number from -1 to 1",
                escape_for_terminal(&wrong.to_string())
            )),
            None => Ok(self.correlation),
        }
    }

    fn reduction(&self) -> Result<Reduction, String> {
        let above_m = self.above;
        let told = |value: f64| escape_for_terminal(&value.to_string());
        if !(0.0..=MOST_ABOVE_M).contains(&above_m) {
            return Err(format!(
                "--above {}: must be a number from 0 to {MOST_ABOVE_M}, in metres",
                told(above_m)
            ));
        }
        let share = |flag: &str, value: &f64| match (0.0..=1.0).contains(value) {
            true => Ok(()),
            false => Err(format!(
                "--{flag} {}: must be numbers from 0 to 1",
                told(*value)
            )),
        };
        self.quantiles
            .iter()
            .try_for_each(|quantile| share("quantiles", quantile))?;
        self.levels
            .iter()
            .flatten()
            .try_for_each(|level| share("levels", level))?;
        if let Some(Seconds(time)) = self.before.iter().find(|Seconds(time)| *time <= 0.0) {
            return Err(format!("--before {}: must be times above 0", told(*time)));
        }
        // Sorted without duplicates: every value becomes a file of its own name.
        let rising = |mut numbers: Vec<f64>| {
            numbers.sort_by(f64::total_cmp);
            numbers.dedup();
            numbers
        };
        let before_s = rising(self.before.iter().map(|Seconds(time)| *time).collect());
        if let Some(rate) = self
            .annual
            .filter(|rate| !(*rate > 0.0 && *rate <= MOST_ANNUAL))
        {
            return Err(format!(
                "--annual {}: must be a number above 0, at most {MOST_ANNUAL}",
                told(rate)
            ));
        }
        Ok(Reduction {
            above_m,
            quantiles: rising(self.quantiles.clone()),
            before_s,
            annual: self.annual,
        })
    }

    /// Reads all exposure files. Returns a message if two files have the same name.
    fn exposures(&self, site: &Site) -> Result<Vec<Exposure>, String> {
        let mut all: Vec<Exposure> = Vec::new();
        for path in &self.exposure {
            let exposure = Exposure::read(path, site)?;
            if all.iter().any(|other| other.name == exposure.name) {
                return Err(format!(
                    "--exposure {}: two files have the name {}",
                    path.display(),
                    exposure.name
                ));
            }
            all.push(exposure);
        }
        Ok(all)
    }
}

/// Parses `text`, a probability distribution; `flag` names the setting in error messages, `number`
/// parses each number.
fn law(
    flag: &str,
    text: &str,
    number: impl Fn(&str) -> Option<f64>,
) -> Result<Distribution, String> {
    Distribution::parse(text, number)
        .map_err(|expected| format!("{flag} {}: {expected}", escape_for_terminal(text)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lavoxel_files::shipped;

    #[test]
    fn a_scene_and_the_heightmap_of_its_ground_have_folders_of_their_own() {
        assert_eq!(
            Study::usual_folder("maunga_whau"),
            PathBuf::from("lavoxel-out/maunga-whau-hazard")
        );
        let scene =
            Scene::open(Path::new(shipped::FOLDER).join("hazard.toml").as_path()).expect("shipped");
        assert_eq!(
            Study::usual_folder(&scene.spec.name),
            PathBuf::from("lavoxel-out/hazard")
        );
    }
}
