//! Plan of a hazard study, and the sampled parameters of each run.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use xxhash_rust::xxh3::xxh3_64;

use super::curve::Curve;
use super::distribution::{Distribution, below};
use super::draw::{Numbers, Use};
use super::places::{Metres, Places};
use super::rules;
use crate::study::{PlanFile, hash_of_debug};
use lavoxel_base::validate::{Invalid, within};
use lavoxel_flow::FlowSetup;
use lavoxel_geo::map::Site;
use lavoxel_io::export::Provenance;
use lavoxel_scene::scene::{NumberKey, Template};
use lavoxel_sim::simulation::Origin;
use lavoxel_sim::source::VentSpec;

/// Upper bound on the number of runs of a hazard study.
pub const MAX_RUNS: u64 = 1_000_000;

/// Upper bound on the erupted volume, in m³.
const MOST_M3: f64 = 1e13;
/// Upper bound on the duration of an eruption, in seconds.
const MOST_S: f64 = 1e11;
/// Upper bound on the effusion rate, in m³/s.
const MOST_M3_S: f64 = 1e6;
/// Lower bound on volumes (m³), durations (s) and effusion rates (m³/s).
const LEAST: f64 = 1e-9;

/// Default limit on the simulated time of a run, as a multiple of the duration of its eruption.
const USUAL_LIMIT: f64 = 4.0;
/// Lower bound on the default limit on the simulated time of a run: one day, in seconds.
const LEAST_LIMIT_S: f64 = 86_400.0;

/// Choice of the random seed of each run's simulation; the seed determines how amounts are rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Seeds {
    /// Different random seed in each run, sampled from the seed of the plan.
    Own,
    /// Seed of the scene, equal in all runs.
    Same,
}

/// Distribution of the size of an eruption, as volume or as duration.
#[derive(Clone, Debug, PartialEq)]
pub enum Size {
    /// Distribution of the erupted volume in m³; the duration is the volume divided by the rate.
    Volume(Distribution),
    /// Distribution of the duration in seconds; the volume is the duration times the rate.
    Duration(Distribution),
}

/// Plan of a hazard study: number of runs, seed, and distributions of vents, rates, sizes and scene
/// parameters.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Total number of runs, including runs that have no file yet.
    pub runs: u64,
    /// Seed of the random numbers from which all runs are sampled.
    pub seed: u64,
    /// Choice of the seeds of the simulations: a different seed in each run, or the seed of the
    /// scene in all runs.
    pub seeds: Seeds,
    /// Distribution from which vent positions are drawn.
    pub places: Places,
    /// Distribution from which the mean effusion rate of an eruption (m³/s) is drawn.
    pub rates: Distribution,
    /// Distribution of the size of an eruption: erupted volume or duration.
    pub size: Size,
    /// Correlation of rate and size in a Gaussian copula, −1 to 1; `None` if both are independent.
    pub correlation: Option<f64>,
    /// Shape of the effusion rate over the duration of an eruption.
    pub curve: Curve,
    /// Upper bound on the simulated time of a run, in seconds; `None`: four times the duration of
    /// the run's eruption, at least a day.
    pub limit_s: Option<f64>,
    /// Template of each run's vent: its shape and its lava temperature are used; position and rate
    /// are those of the sample.
    pub vent: VentSpec,
    /// Scene parameters that are drawn for each run, each with its distribution.
    pub draws: Vec<(NumberKey, Distribution)>,
}

/// Sampled parameters of one run: vent, rate, size and seed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// Number of the run, counted from 0.
    pub run: u64,
    /// Index of the vent feature (point, line or polygon) in its file, from 0.
    pub feature: usize,
    /// Vent position [east, south] in metres from the north-west corner of the simulation box.
    pub vent_m: Metres,
    /// Mean effusion rate of the run's eruption, in m³/s.
    pub rate_m3_s: f64,
    /// Volume that the run's eruption is to pour, in m³.
    pub volume_m3: f64,
    /// Duration of the run's eruption, in seconds.
    pub duration_s: f64,
    /// Upper bound on the simulated time of the run, in seconds.
    pub limit_s: f64,
    /// Seed of the simulation of the run.
    pub seed: u64,
}

impl Plan {
    /// Checks that the number of runs and the ranges of all distributions are accepted.
    ///
    /// # Errors
    /// Names the flag of the faulty number or distribution: `--runs`, `--rates`, `--volumes` or
    /// `--durations`.
    pub fn validate(&self) -> Result<(), Invalid> {
        within("--runs", self.runs as f64, 1.0, MAX_RUNS as f64)?;
        let check = |flag: &str, law: &Distribution, most: f64| {
            let (low, high) = law.range();
            let fits = low >= LEAST && high <= most;
            let expected = format!("a law of numbers above 0, at most {most:e}");
            if fits {
                Ok(())
            } else {
                Err(Invalid::new(flag, law, expected))
            }
        };
        check("--rates", &self.rates, MOST_M3_S)?;
        match &self.size {
            Size::Volume(law) => check("--volumes", law, MOST_M3),
            Size::Duration(law) => check("--durations", law, MOST_S),
        }
    }

    /// Returns the parameters of run `run`, sampled from the distributions of the plan.
    pub fn sample(&self, run: u64) -> Sample {
        let (feature, vent_m) = self.places.draw(self.seed, run);
        let (rate_m3_s, size) = self.rate_and_size(run);
        let (volume_m3, duration_s) = match &self.size {
            Size::Volume(_) => (size, size / rate_m3_s),
            Size::Duration(_) => (size * rate_m3_s, size),
        };
        let seed = match self.seeds {
            Seeds::Own => Numbers::new(self.seed, run, Use::Seed).bits(),
            Seeds::Same => self.seed,
        };
        let limit_s = self
            .limit_s
            .unwrap_or((USUAL_LIMIT * duration_s).max(LEAST_LIMIT_S));
        Sample {
            run,
            feature,
            vent_m,
            rate_m3_s,
            volume_m3,
            duration_s,
            limit_s,
            seed,
        }
    }

    /// Draws the mean effusion rate of a run in m³/s, and its volume in m³ or its duration in s,
    /// whichever `size` describes.
    fn rate_and_size(&self, run: u64) -> (f64, f64) {
        let (Size::Volume(law) | Size::Duration(law)) = &self.size;
        let [rate, size] =
            [Use::Rate, Use::Size].map(|used_for| Numbers::new(self.seed, run, used_for));
        let Some(correlation) = self.correlation else {
            return (self.rates.draw(rate), law.draw(size));
        };
        // Gaussian copula: normal numbers with this correlation, each mapped through its own
        // distribution (Nelsen 2006, section 2.3).
        let (first, own) = (rate.normal(0), size.normal(0));
        let second = correlation * first + (1.0 - correlation * correlation).max(0.0).sqrt() * own;
        (
            self.rates.at_share(below(first)),
            law.at_share(below(second)),
        )
    }

    /// Draws the values of the scene parameters of run `run`, in the order of `Plan::draws` and in
    /// the units of the scene file.
    pub fn numbers(&self, run: u64) -> Vec<f64> {
        let draws = self.draws.iter().enumerate();
        draws
            .map(|(place, (_, law))| law.draw(Numbers::of_number(self.seed, run, place)))
            .collect()
    }

    /// Returns the seed of the random heightmap error of run `run`.
    pub(super) fn survey_seed(&self, run: u64) -> u32 {
        Numbers::new(self.seed, run, Use::Survey).bits() as u32
    }

    /// Returns all inputs that determine the outcome of a run, as texts by readable names. The
    /// number of runs is no such input, because additional runs do not change earlier runs.
    fn parts(&self, ground: &Ground) -> BTreeMap<&'static str, String> {
        let flow = ground.flow();
        let FlowSetup {
            lava,
            step_s,
            open_sides,
            heaters,
            seed: _,
        } = flow.setup();
        let hash = |value: &Value| format!("{:016x}", xxh3_64(value.to_string().as_bytes()));
        let VentSpec {
            radius,
            height,
            flow: pours,
            ..
        } = &self.vent;
        let temperature = pours.as_ref().and_then(|pours| pours.temperature_k);
        let (size, law) = match &self.size {
            Size::Volume(law) => ("volumes", law),
            Size::Duration(law) => ("durations", law),
        };
        let draws: Vec<String> = self
            .draws
            .iter()
            .map(|(key, law)| format!("{key}={law}"))
            .collect();
        // Unused optional parts are left out: a plan without draws then equals that of earlier
        // programs.
        let drawn = (!draws.is_empty()).then(|| ("draws", draws.join(" ")));
        let error = ground.height_error_m();
        let drawn = drawn
            .into_iter()
            .chain(error.map(|error| ("error of the heights", error.to_string())));
        let together = self
            .correlation
            .map(|correlation| ("correlation", correlation.to_string()));
        let curve = (self.curve != Curve::Steady).then(|| ("curve", self.curve.to_string()));
        let drawn = drawn.chain(together).chain(curve);
        BTreeMap::from([
            ("program", Provenance::SOFTWARE.to_owned()),
            ("rules", format!("{:016x}", rules::FINGERPRINT)),
            (
                "ground",
                format!("{:016x}", ground.origin.world().state_hash()),
            ),
            (
                "course",
                format!("{:016x}", xxh3_64(ground.origin.course().as_bytes())),
            ),
            ("box", hash(&json!([flow.space(), ground.site.floor_m]))),
            ("lava", hash(&json!([lava, heaters]))),
            ("steps", step_s.to_string()),
            (
                "walls",
                if *open_sides { "open" } else { "closed" }.to_owned(),
            ),
            ("vents", format!("{:016x}", hash_of_debug(&self.places))),
            (
                "form of the vent",
                hash(&json!([radius, height, temperature])),
            ),
            ("rates", self.rates.to_string()),
            (size, law.to_string()),
            (
                "duration",
                self.limit_s
                    .map_or("by the eruption".to_owned(), |limit| limit.to_string()),
            ),
            ("seed", self.seed.to_string()),
            ("seeds", format!("{:?}", self.seeds).to_lowercase()),
        ])
        .into_iter()
        .chain(drawn)
        .collect()
    }

    /// Returns the content of the plan file. `scene`: name of the scene; `vents`: description of
    /// the source of the vents. Both texts only inform people who read the file.
    pub fn file(&self, ground: &Ground, scene: &str, vents: &str) -> PlanFile {
        let decides = self
            .parts(ground)
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value))
            .collect();
        PlanFile {
            scene: scene.to_owned(),
            vents: vents.to_owned(),
            runs: self.runs,
            decides,
        }
    }
}

/// State before the first step that all runs share: the scene without the sampled eruption.
#[derive(Clone, Debug)]
pub struct Ground {
    /// Simulation before its first step; always one of the flow model.
    pub(super) origin: Origin,
    /// Scene from which the state is rebuilt for each run; `None` if runs draw neither scene
    /// parameters nor a heightmap error, so that all begin with `origin`.
    pub(super) template: Option<Template>,
    /// Cells of the simulation box, and position of the box on the map.
    pub site: Site,
    /// Assumptions made while the files of the scene were read, one sentence each.
    pub(super) notes: Vec<String>,
    /// Number of runs of the study that are simulated concurrently.
    pub(super) at_once: usize,
    /// Stop flag: once set, all simulations abort their current step.
    pub(super) stop: Arc<AtomicBool>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use lavoxel_geo::map::features::{Feature, Geometry};

    fn plan() -> Plan {
        let geometry = Geometry::Lines(vec![vec![[5.0, 5.0], [45.0, 5.0]]]);
        Plan {
            runs: 10,
            seed: 5,
            seeds: Seeds::Own,
            places: Places::new(vec![Feature::new(geometry, 1.0)]).expect("a line"),
            rates: Distribution::Uniform(1.0, 4.0),
            size: Size::Volume(Distribution::Fixed(1000.0)),
            correlation: None,
            curve: Curve::Steady,
            limit_s: None,
            vent: VentSpec::default(),
            draws: Vec::new(),
        }
    }

    #[test]
    fn a_run_does_not_depend_on_how_many_there_are() {
        let (few, many) = (
            plan(),
            Plan {
                runs: 500,
                ..plan()
            },
        );
        assert_eq!(
            (0..10).map(|run| few.sample(run)).collect::<Vec<_>>(),
            (0..10).map(|run| many.sample(run)).collect::<Vec<_>>()
        );
        let seeds: std::collections::BTreeSet<_> =
            (0..500).map(|run| many.sample(run).seed).collect();
        assert_eq!(seeds.len(), 500);
        assert!((0..500).all(|run| {
            Plan {
                seeds: Seeds::Same,
                ..plan()
            }
            .sample(run)
            .seed
                == 5
        }));
    }

    #[test]
    fn rate_and_size_go_together_as_asked() {
        let of = |correlation| Plan {
            rates: Distribution::LogNormal(5.0, 3.0),
            size: Size::Volume(Distribution::LogUniform(1e4, 1e7)),
            correlation: Some(correlation),
            ..plan()
        };
        for correlation in [-1.0, -0.5, 0.0, 0.8, 1.0] {
            let samples: Vec<Sample> = (0..4000).map(|run| of(correlation).sample(run)).collect();
            let ranks = |of: &dyn Fn(&Sample) -> f64| {
                let mut order: Vec<usize> = (0..samples.len()).collect();
                order.sort_by(|a, b| of(&samples[*a]).total_cmp(&of(&samples[*b])));
                let mut ranks = vec![0.0; samples.len()];
                order
                    .iter()
                    .enumerate()
                    .for_each(|(rank, i)| ranks[*i] = rank as f64 / samples.len() as f64 - 0.5);
                ranks
            };
            let (a, b) = (
                ranks(&|sample| sample.rate_m3_s),
                ranks(&|sample| sample.volume_m3),
            );
            let found =
                12.0 * a.iter().zip(&b).map(|(a, b)| a * b).sum::<f64>() / samples.len() as f64;
            // Rank correlation of a Gaussian copula (Pearson 1907).
            let expected = 6.0 / std::f64::consts::PI * libm::asin(0.5 * correlation);
            assert!(
                (found - expected).abs() < 0.04,
                "{correlation}: {found} for {expected}"
            );
            let median = |of: &dyn Fn(&Sample) -> f64| {
                let mut all: Vec<f64> = samples.iter().map(of).collect();
                all.sort_by(f64::total_cmp);
                all[all.len() / 2]
            };
            assert!((median(&|sample| sample.rate_m3_s) / 5.0 - 1.0).abs() < 0.1);
        }
    }

    #[test]
    fn volume_is_rate_times_duration() {
        let by_time = Plan {
            size: Size::Duration(Distribution::Uniform(3600.0, 7200.0)),
            limit_s: Some(9000.0),
            ..plan()
        };
        for run in 0..50 {
            let (a, b) = (plan().sample(run), by_time.sample(run));
            assert!((a.rate_m3_s * a.duration_s - 1000.0).abs() < 1e-9 && a.volume_m3 == 1000.0);
            assert_eq!(
                (b.volume_m3, b.limit_s),
                (b.rate_m3_s * b.duration_s, 9000.0)
            );
            assert_eq!(a.limit_s, LEAST_LIMIT_S);
            assert_eq!((a.rate_m3_s, a.vent_m), (b.rate_m3_s, b.vent_m));
        }
    }

    #[test]
    fn laws_out_of_range_are_named_by_their_flag() {
        let refused = |plan: Plan| plan.validate().expect_err("refused").to_string();
        assert!(
            refused(Plan {
                rates: Distribution::Uniform(0.0, 5.0),
                ..plan()
            })
            .starts_with("--rates = uniform:0,5: must be a law")
        );
        assert!(
            refused(Plan {
                size: Size::Volume(Distribution::Fixed(-1.0)),
                ..plan()
            })
            .starts_with("--volumes = -1")
        );
        assert!(
            refused(Plan {
                size: Size::Duration(Distribution::Fixed(1e99)),
                ..plan()
            })
            .starts_with("--durations = ")
        );
        assert!(
            refused(Plan { runs: 0, ..plan() })
                .starts_with("--runs = 0: must be a number from 1 to 1000000")
        );
        assert!(plan().validate().is_ok());
    }
}
