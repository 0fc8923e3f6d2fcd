//! Calibration as a whole, from its settings to the result files.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use serde_json::json;
use xxhash_rust::xxh3::xxh3_64;

use super::observed::{Observation, Onto};
use super::record::{RunFile, plan_name};
use super::report::{Report, WRITTEN};
use super::search::{Done, Phase, Point, Search};
use super::space::Vary;
use super::trial::{Placed, SHIFTS, Scores, Trials, weighted};
use crate::compare::DatedFile;
use crate::hazard::{FINGERPRINT, Ground};
use crate::study::{Folder, Opening, PlanFile, StudyError, VARIED, hash_of_debug};
use lavoxel_automaton::engine::tiled::Tiled;
use lavoxel_base::memory::MemoryEstimate;
use lavoxel_base::parallel::share_out;
use lavoxel_files::output::{FOLDER, file_name};
use lavoxel_geo::terrain::TerrainKind;
use lavoxel_io::export::Provenance;
use lavoxel_scene::scene::{
    BuiltScene, Model, NumberKey, Scene, Seconds, Template, VentPlace, VentTable,
};

/// Upper bound on the number of runs of a calibration.
const MOST_RUNS: usize = 100_000;
/// Upper bound on the number of scene parameters that a calibration varies.
const MOST_NUMBERS: usize = 20;

/// Lower bound on the population size, and upper bound on the population size that is chosen by
/// default.
const POPULATION: [usize; 2] = [8, 40];
/// Default number of population members per varied scene parameter.
const EACH: usize = 6;

/// Time between two looks for the run files that the processes of other shards write.
const PAUSE: Duration = Duration::from_millis(500);

/// Settings of a calibration; each field is a flag of `lavoxel calibrate`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Settings {
    /// Observed outlines: polygons, or rasters whose cells with values greater than `above` are
    /// covered by lava.
    pub observed: Vec<DatedFile>,
    /// Observed thickness rasters (values in metres) with which runs are compared.
    pub thickness: Vec<DatedFile>,
    /// Paths of tables of observed front positions.
    pub fronts: Vec<PathBuf>,
    /// Outlines withheld from the search; the best run is compared with these outlines at the end.
    pub check: Vec<DatedFile>,
    /// Varied scene parameters with their bounds.
    pub vary: Vec<Vary>,
    /// Total number of runs of the calibration, including repetitions.
    pub runs: usize,
    /// Number of runs in a generation of the search; `None`: six per varied scene parameter,
    /// clamped to 8 to 40.
    pub population: Option<usize>,
    /// Number of times that the best run is repeated with other random seeds.
    pub repeats: usize,
    /// Thickness in metres above which a column counts as covered by lava.
    pub above: f64,
    /// Number of grids on which each run is made, 1 to 8: the score of a run is the mean over the
    /// box as the scene places it and boxes that lie by parts of a cell beside it.
    pub grids: usize,
    /// Point [x, y] in map coordinates from which front distances are measured; `None`: the centre
    /// of the first vent.
    pub from: Option<[f64; 2]>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            observed: Vec::new(),
            thickness: Vec::new(),
            fronts: Vec::new(),
            check: Vec::new(),
            vary: Vec::new(),
            runs: 300,
            population: None,
            repeats: 8,
            above: 0.05,
            grids: 1,
            from: None,
        }
    }
}

/// Share of each generation's runs that this process simulates: (index of the shard from 0, number
/// of shards).
type Shard = (usize, usize);

/// Calibration of a scene whose settings have been validated.
pub struct Fit {
    trials: Trials,
    vary: Vec<Vary>,
    search: Search,
    file: PlanFile,
}

impl Fit {
    /// Prepares the calibration of `scene`, which must use the flow model. `at_once`: number of
    /// concurrent runs; setting `stop` makes all runs abort their current step.
    ///
    /// # Errors
    /// Names the invalid setting as the flag of the program, or the missing memory.
    pub fn new(
        scene: &Scene,
        settings: &Settings,
        at_once: usize,
        stop: Arc<AtomicBool>,
    ) -> Result<Self, StudyError> {
        if scene.spec.model != Model::Flow {
            let mend =
                "name a scene with model = \"flow\", or a heightmap with or without --lava NAME";
            return Err(format!("calibrate needs the physical model: {mend}").into());
        }
        // The number of threads depends on the machine and must not enter the plan.
        let mut scene = scene.clone();
        scene.spec.threads = 0;
        let scene = &scene;
        let search = settings.search(scene.spec.seed)?;
        let stage = scene.build(Box::new(Tiled::default()))?;
        let shifts = settings.shifts(scene)?;
        let files = [&settings.observed, &settings.thickness, &settings.check];
        let maps = shifts.len() * files.iter().map(|files| files.len()).sum::<usize>();
        let columns = stage.simulation.world().grid().columns();
        Ground::need(&stage, at_once)
            .and(MemoryEstimate::new(
                "the observations on all grids",
                columns.saturating_mul(maps),
                size_of::<f32>() as f64,
            ))
            .check("ask for fewer threads (--threads) or larger cells")?;
        let mut grids = Vec::new();
        for &shift in shifts {
            let moved;
            let there = if shift == [0.0; 2] {
                &stage
            } else {
                moved = scene
                    .clone()
                    .shifted(shift)
                    .build(Box::new(Tiled::default()))?;
                &moved
            };
            let (observed, checked) = settings.observations(scene, there)?;
            grids.push(Placed {
                shift,
                site: there.site.clone(),
                observed,
                checked,
            });
        }
        let keys: Vec<NumberKey> = settings.vary.iter().map(|vary| vary.key.clone()).collect();
        let trials = Trials {
            template: Template::new(scene)?,
            keys,
            grids,
            notes: stage.notes,
            stop,
        };
        for end in [0.0, 1.0] {
            settings.vary.iter().try_for_each(|vary| {
                VARIED.check_value(&trials.template, &vary.key, vary.value(end))
            })?;
        }
        let file = settings.plan(
            &search,
            &trials,
            stage.simulation.world().state_hash(),
            &scene.spec.name,
        );
        Ok(Self {
            trials,
            vary: settings.vary.clone(),
            search,
            file,
        })
    }

    /// Returns the default output folder for the scene name `scene`: `lavoxel-out/NAME-calibrate`.
    pub fn usual_folder(scene: &str) -> PathBuf {
        PathBuf::from(FOLDER).join(format!("{}-calibrate", file_name(scene)))
    }

    /// Simulates all runs that have no file, `at_once` concurrently, and writes the results; `None`
    /// if `ends` returned true before all runs had a file. Calls `made` once for each run that has
    /// a file. With a `shard`, simulates only the runs of this shard and waits for the run files of
    /// the other shards.
    ///
    /// # Errors
    /// When the folder is of another plan, memory does not suffice, or a file cannot be read or
    /// written.
    pub fn make(
        &self,
        (path, opening): (PathBuf, Opening),
        (at_once, shard): (usize, Option<Shard>),
        ends: &(dyn Fn() -> bool + Sync),
        made: &(dyn Fn() + Sync),
    ) -> Result<Option<(Report, Vec<PathBuf>)>, StudyError> {
        let results = WRITTEN.map(str::to_owned);
        let folder = Folder::open(path, &self.file, opening, ("json", &results))?;
        let (mut done, mut all): (Vec<Done>, Vec<RunFile>) = (Vec::new(), Vec::new());
        loop {
            let points = self.search.next(&done);
            if points.is_empty() {
                break;
            }
            let first = done.len();
            let jobs: Vec<(usize, Point, Vec<f64>)> = points
                .into_iter()
                .enumerate()
                .map(|(i, point)| {
                    let values = self.values(&point);
                    (first + i, point, values)
                })
                .collect();
            if !self.generation(&folder, &jobs, (at_once, shard), ends, made)? {
                return Ok(None);
            }
            for (run, point, values) in jobs {
                // Scores are read back from the file, also those just made: all shards then see the
                // same digits.
                let mut file = RunFile::read(&folder, run as u64)?;
                file.values = values;
                let score = self.score(&file.scores);
                done.push(Done { point, score });
                all.push(file);
            }
        }
        let report = Report::new(&self.vary, &self.trials, (&done, &all));
        let best = self.trials.scene(&report.best_values())?;
        let written = report.write(&folder, (&done, &all), &best)?;
        Ok(Some((report, written)))
    }

    /// Simulates those runs of one generation that have no file, `at_once` concurrently. `jobs`:
    /// number, point and scene parameters of each run of the generation. Returns false if `ends`
    /// returned true before all runs had a file.
    fn generation(
        &self,
        folder: &Folder,
        jobs: &[(usize, Point, Vec<f64>)],
        (at_once, shard): (usize, Option<Shard>),
        ends: &(dyn Fn() -> bool + Sync),
        made: &(dyn Fn() + Sync),
    ) -> Result<bool, StudyError> {
        let is_mine = |run: usize| shard.is_none_or(|(number, of)| run % of == number);
        let (there, missing): (Vec<_>, Vec<_>) = jobs
            .iter()
            .partition(|(run, ..)| folder.path_of(*run as u64).exists());
        there.iter().for_each(|_| made());
        let mine: Vec<_> = missing.iter().filter(|(run, ..)| is_mine(*run)).collect();
        let work = |job: &&&(usize, Point, Vec<f64>),
                    stopped: &dyn Fn() -> bool|
         -> Result<bool, StudyError> {
            let (run, point, values) = **job;
            let start = Instant::now();
            let again = if point.phase == Phase::Repeat {
                *run as u32
            } else {
                0
            };
            let Some(scores) = self.trials.run(values, again, stopped)? else {
                return Ok(false);
            };
            let seconds = start.elapsed().as_secs_f64();
            let file = RunFile {
                plan: plan_name(folder),
                values: values.clone(),
                scores,
                seconds,
            };
            folder.write_run(*run as u64, &file.bytes(*run as u64))?;
            made();
            Ok(true)
        };
        if share_out(&mine, at_once, ends, &work)? < mine.len() {
            return Ok(false);
        }
        // The next generation depends on all runs of this generation, so a shard waits for the
        // others.
        for (run, ..) in missing.iter().filter(|(run, ..)| !is_mine(*run)) {
            while !folder.path_of(*run as u64).exists() {
                if ends() {
                    return Ok(false);
                }
                std::thread::sleep(PAUSE);
            }
            made();
        }
        Ok(true)
    }

    fn values(&self, point: &Point) -> Vec<f64> {
        self.vary
            .iter()
            .zip(&point.shares)
            .map(|(vary, share)| vary.value(*share))
            .collect()
    }

    /// Returns the score of a run: the mean of its `scores` against the observations of the search,
    /// weighted by the weights of the observations.
    fn score(&self, scores: &Scores) -> f64 {
        weighted(self.trials.observed(), &scores.observed)
    }
}

impl Settings {
    fn search(&self, seed: u64) -> Result<Search, String> {
        let numbers = self.vary.len();
        if !(1..=MOST_NUMBERS).contains(&numbers) {
            let example = "such as --vary flow.lava.yield_pa=100..5000:log";
            return Err(format!(
                "--vary: name from 1 to {MOST_NUMBERS} numbers and their bounds, {example}"
            ));
        }
        for (i, vary) in self.vary.iter().enumerate() {
            VARIED.check_key(&vary.key, self.vary[..i].iter().map(|other| &other.key))?;
        }
        let population = self
            .population
            .unwrap_or((EACH * numbers).clamp(POPULATION[0], POPULATION[1]));
        if !(4..=MOST_RUNS).contains(&population) {
            return Err(format!(
                "--population {population}: must be a number from 4 to {MOST_RUNS}"
            ));
        }
        let least = 2 * population + self.repeats;
        if !(least..=MOST_RUNS).contains(&self.runs) {
            let why = "two generations and the repetitions at least";
            return Err(format!(
                "--runs {}: must be a number from {least} to {MOST_RUNS}: {why}",
                self.runs
            ));
        }
        Ok(Search {
            seed,
            numbers,
            runs: self.runs,
            population,
            repeats: self.repeats,
        })
    }

    /// Returns the shifts of the grids, in cells; the first shift is zero.
    fn shifts(&self, scene: &Scene) -> Result<&'static [[f64; 2]], String> {
        let shifts = SHIFTS.get(..self.grids).filter(|shifts| !shifts.is_empty());
        let shifts = shifts.ok_or_else(|| {
            let most = SHIFTS.len();
            format!("--grids {}: must be a number from 1 to {most}", self.grids)
        })?;
        if shifts.len() == 1 {
            return Ok(shifts);
        }
        if scene.spec.terrain.kind != TerrainKind::Heightmap {
            return Err("--grids: only a heightmap lies on several grids".to_owned());
        }
        // Cells and metres from the corner of the box would move with the grid.
        let is_on_land =
            |vent: &VentTable| matches!(vent.place, VentPlace::Map { .. } | VentPlace::Summit);
        match scene.spec.vents.iter().all(is_on_land) {
            true => Ok(shifts),
            false => Err(
                "--grids: place all vents by map coordinates (map_x, map_y; --vent map:X,Y)"
                    .to_owned(),
            ),
        }
    }

    /// Reads all observation files. Returns (observations for the search, observations withheld for
    /// the final check).
    fn observations(
        &self,
        scene: &Scene,
        stage: &BuiltScene,
    ) -> Result<(Vec<Observation>, Vec<Observation>), String> {
        let duration = scene.spec.flow_spec().and_then(|flow| flow.duration);
        let timed = [&self.observed, &self.thickness, &self.check]
            .into_iter()
            .flatten()
            .filter_map(|file| file.at);
        let latest = timed.map(|Seconds(at)| at).reduce(f64::max);
        // Without a duration, a run ends at the latest dated observation.
        let end_s = duration.map(|Seconds(end)| end).or(latest);
        let end_s = end_s.ok_or("pass --duration, or when it was observed: --observed FILE@6h")?;
        let vent = stage
            .simulation
            .lava_vents()
            .next()
            .map(|vent| [vent.x, vent.z]);
        let from = self.from.map(|point| stage.site.cells_near(point)).or(vent);
        let from = from.ok_or("the scene has no vent of lava")?;
        let onto = Onto {
            site: &stage.site,
            end_s,
            above_m: self.above,
            from,
        };
        let mut observed = Vec::new();
        for file in &self.observed {
            observed.push(onto.outline(file)?);
        }
        for file in &self.thickness {
            observed.push(onto.thickness(file)?);
        }
        for path in &self.fronts {
            observed.extend(onto.fronts(path)?);
        }
        if observed.is_empty() {
            return Err(
                "name what was observed with --observed, --thickness or --fronts".to_owned(),
            );
        }
        let checked = self
            .check
            .iter()
            .map(|file| onto.outline(file))
            .collect::<Result<_, _>>()?;
        Ok((observed, checked))
    }

    /// Returns the plan file, which states all inputs that determine the outcome of a run.
    /// `ground`: hash of the ground; `scene`: name of the scene.
    fn plan(&self, search: &Search, trials: &Trials, ground: u64, scene: &str) -> PlanFile {
        let hash = |words: &str| format!("{:016x}", xxh3_64(words.as_bytes()));
        let vary: Vec<String> = self.vary.iter().map(ToString::to_string).collect();
        let mut decides = BTreeMap::from([
            ("program", Provenance::SOFTWARE.to_owned()),
            ("rules", format!("{:016x}", FINGERPRINT)),
            ("ground", format!("{ground:016x}")),
            ("scene", hash(&trials.template.to_string())),
            (
                "observations",
                format!(
                    "{:016x}",
                    hash_of_debug(&(trials.observed(), trials.checked()))
                ),
            ),
            ("vary", vary.join(" ")),
            ("seed", search.seed.to_string()),
            (
                "search",
                json!([search.runs, search.population, search.repeats]).to_string(),
            ),
        ]);
        if self.grids > 1 {
            decides.insert("grids", self.grids.to_string());
        }
        let decides = decides
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value))
            .collect();
        PlanFile {
            scene: scene.to_owned(),
            vents: "of the scene".to_owned(),
            runs: search.runs as u64,
            decides,
        }
    }
}
