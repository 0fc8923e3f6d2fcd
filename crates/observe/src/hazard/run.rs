//! Simulation of one run of a hazard study, from its sample until the flow is at rest.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use super::plan::{Ground, Plan, Sample};
use super::record::{Ending, Outcome, RunRecord};
use crate::study::{BUILDING, DRAWN, MEND, StudyError, Watched, need_of_runs};
use lavoxel_automaton::engine::tiled::Tiled;
use lavoxel_base::memory::MemoryEstimate;
use lavoxel_flow::Flow;
use lavoxel_scene::scene::{BuiltScene, Template};
use lavoxel_sim::records::FlowRecords;
use lavoxel_sim::simulation::Origin;
use lavoxel_sim::source::{VentFlow, VentSpec};

/// Length of the period without newly reached columns after which a flow counts as at rest, as a
/// fraction of the time since the start.
const REST_SHARE: f64 = 0.1;
/// Smallest length, in steps, of the period without newly reached columns after which a flow counts
/// as at rest.
const REST_STEPS: f64 = 10.0;

/// Numbers that decide when a flow counts as at rest: the thickness in metres above which a column
/// counts as reached, `REST_SHARE` and `REST_STEPS`. Part of the fingerprint of the rules.
#[cfg(test)]
pub(super) const REST: [f64; 3] = [lavoxel_sim::records::REACHED_M, REST_SHARE, REST_STEPS];

impl Ground {
    /// Creates the state that all runs share, from a built scene before its first step. `at_once`:
    /// number of concurrent runs; setting `stop` makes runs abort their current step. `None` for a
    /// scene of the cellular automaton (classic model).
    pub fn new(stage: BuiltScene, at_once: usize, stop: Arc<AtomicBool>) -> Option<Self> {
        let BuiltScene {
            mut simulation,
            site,
            notes,
        } = stage;
        simulation.world().flow()?;
        simulation.stop_by(stop.clone());
        // Only other matter and air read the cells; skipping their update saves time.
        simulation.show_when_asked();
        Some(Self {
            origin: simulation.into_origin(),
            template: None,
            site,
            notes,
            at_once,
            stop,
        })
    }

    /// Returns this state with `template`, the scene from which each run rebuilds its state if runs
    /// draw scene parameters or a heightmap error.
    #[must_use]
    pub(super) fn with_template(self, template: Template) -> Self {
        Self {
            template: Some(template),
            ..self
        }
    }

    /// Returns the standard deviation in metres of the random heightmap error of each run; `None`
    /// if runs have no such error.
    pub(super) fn height_error_m(&self) -> Option<f64> {
        self.template
            .as_ref()
            .and_then(|template| template.scene().spec.terrain.error_m)
    }

    /// Returns the lava flow in the state before the first step that all runs share.
    pub(super) fn flow(&self) -> &Flow {
        self.origin
            .world()
            .flow()
            .expect("a ground was made of a flow")
    }

    /// Estimates the memory of `at_once` concurrent runs that begin with the state of `stage`.
    pub fn need(stage: &BuiltScene, at_once: usize) -> MemoryEstimate {
        // The initial state stays in memory next to the running copies.
        need_of_runs(stage.simulation.world(), at_once + 1)
    }
}

impl Plan {
    /// Simulates a run; `None` if `cancelled` returned true before completion. The record depends
    /// only on `ground` and `sample`, except for [`Outcome::seconds`].
    ///
    /// A run simulates the scene with the vent of `sample` in place of the scene's own vents. The
    /// run ends at rest: the vent is closed, no event is due, and either nothing is liquid or no
    /// new column held a centimetre of lava in the last tenth of the time since the start.
    /// Otherwise the run ends at its time limit.
    ///
    /// # Errors
    /// [`StudyError::Memory`] when the concurrent runs outgrow the limit, and
    /// [`StudyError::Scene`] for scene parameters that contradict each other.
    pub fn run(
        &self,
        ground: &Ground,
        sample: &Sample,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Option<RunRecord>, StudyError> {
        let start = Instant::now();
        let vent = self.vent_of(ground, sample);
        let drawn = ground
            .template
            .as_ref()
            .map(|template| self.origin_of(ground, template, sample.run))
            .transpose()?;
        let origin = drawn.as_ref().unwrap_or(&ground.origin);
        let mut simulation = origin.begin(vec![vent], sample.seed, Box::new(Tiled::default()));
        simulation.end_at(Some(sample.limit_s));
        let mut run = Watched::new(simulation);
        let ending = loop {
            if cancelled() {
                return Ok(None);
            }
            let is_late = |time: f64| time >= sample.limit_s;
            if run.simulation.time_s().is_some_and(is_late) {
                break Ending::Limit;
            }
            if !run.step(|state| need_of_runs(state, ground.at_once).check(MEND))? {
                return Ok(None);
            }
            let rests = |flow: &Flow| {
                flow.time_s() >= sample.duration_s
                    && run.simulation.events_to_come() == 0
                    && rests(&run.records, flow)
            };
            if run.flow().is_some_and(rests) {
                break Ending::Rest;
            }
        };
        let outcome = |flow: &Flow| Outcome::from_flow(flow, ending, start.elapsed());
        Ok(run
            .flow()
            .map(|flow| RunRecord::new(*sample, flow, run.records.thickness_m(), outcome)))
    }

    /// Builds the state before the first step of run `run` from the scene `template`, with the
    /// scene parameters and the heightmap error drawn for this run.
    fn origin_of(
        &self,
        ground: &Ground,
        template: &Template,
        run: u64,
    ) -> Result<Origin, StudyError> {
        let numbers = self.numbers(run);
        let pairs: Vec<_> = self.draws.iter().map(|(key, _)| key).zip(numbers).collect();
        let mut scene = template.with(&pairs)?;
        if scene.spec.terrain.error_m.is_some() {
            scene.spec.terrain.error_seed = Some(self.survey_seed(run));
        }
        let alone = BUILDING.lock();
        let stage = scene.build(Box::new(Tiled::default()))?;
        drop(alone);
        DRAWN.check_box(&stage.site, &ground.site)?;
        let at_once = ground.at_once;
        let drawn = Ground::new(stage, at_once, ground.stop.clone())
            .ok_or_else(|| "--draw: the scene has no flow".to_owned())?;
        Ok(drawn.origin)
    }

    /// Returns the vent that erupts in the run of `sample`: the plan's template at the sampled
    /// position, with the rate curve of the plan.
    fn vent_of(&self, ground: &Ground, sample: &Sample) -> VentSpec {
        let ours = self.vent.flow.as_deref().cloned().unwrap_or_default();
        let (rates_m3_s, linear) = self.curve.rates(sample.rate_m3_s, sample.duration_s);
        let [x, z] = sample.vent_m.map(|metres| metres / ground.site.cell_size_m);
        let flow = Some(Box::new(VentFlow {
            rates_m3_s,
            linear,
            ..ours
        }));
        VentSpec {
            x,
            z,
            start: 0,
            end: None,
            flow,
            ..self.vent.clone()
        }
    }
}

/// Returns true if the flow is at rest: nothing is liquid, or no column was newly reached for the
/// period that `REST_SHARE` and `REST_STEPS` define. The caller has checked that the vent is
/// closed.
fn rests(records: &FlowRecords, flow: &Flow) -> bool {
    let least = (REST_SHARE * flow.time_s()).max(REST_STEPS * flow.setup().step_s);
    flow.is_dry() || flow.time_s() - records.last_reached_s() >= least
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::hazard::{Curve, Distribution, Places, Seeds, Size};
    use lavoxel_geo::map::features::{Feature, Geometry};
    use lavoxel_scene::scene::Scene;
    use lavoxel_sim::simulation::Simulation;

    const SCENE: &str = "seed = 6\nmodel = \"flow\"\n[flow]\nstep_s = 20.0\n[grid]\nsize = [20, 20, 20]\ncell_size_m = 10.0\n\
                         cell_height_m = 5.0\n[terrain]\nkind = \"slope\"\n[[vent]]\nx_m = 93.0\nz_m = 64.0\nradius = 1.0\n";

    /// Text that is appended to a test scene: a sea at the foot of the slope, and a wall that an
    /// event builds across the slope.
    const MORE: &str = "[[material]]\nname = \"water\"\n[[material]]\nname = \"steam\"\n[[body]]\n\
                        shape = { kind = \"below\", level = 6.0 }\n\
                        matter = { kind = \"material\", name = \"water\", amount = 1.0 }\n[[event]]\nat = 5\n\
                        put = { shape = { kind = \"box\", from = [0, 0, 9], to = [20, 20, 10] }, matter = { kind = \"rock\" } }\n";

    fn stage(rates: &str, more: &str) -> BuiltScene {
        let scene = Scene::parse(&format!("{SCENE}{rates}{more}"), Path::new("scene.toml"))
            .expect("a right scene");
        scene.build(Box::new(Tiled::default())).expect("it fits")
    }

    fn ground(more: &str) -> (Ground, VentSpec) {
        let stage = stage("rate_m3_s = 1.0\n", more);
        let vent = stage
            .simulation
            .lava_vents()
            .next()
            .expect("a vent")
            .clone();
        (Ground::new(stage, 1, Arc::default()).expect("a flow"), vent)
    }

    fn record(plan: &Plan, ground: &Ground) -> RunRecord {
        plan.run(ground, &plan.sample(0), &|| false)
            .expect("it fits")
            .expect("it ends")
    }

    fn plan(limit_s: f64, vent: VentSpec) -> Plan {
        let geometry = Geometry::Points(vec![[93.0, 64.0]]);
        Plan {
            runs: 1,
            seed: 6,
            seeds: Seeds::Same,
            places: Places::new(vec![Feature::new(geometry, 1.0)]).expect("a point"),
            rates: Distribution::Fixed(8.0),
            size: Size::Duration(Distribution::Fixed(250.0)),
            correlation: None,
            curve: Curve::Steady,
            limit_s: Some(limit_s),
            vent,
            draws: Vec::new(),
        }
    }

    /// Checks that a run equals the simulation of a scene with the same settings, bit for bit.
    #[test]
    fn a_run_is_a_simulation() {
        let run_outs = ["", MORE].map(|more| {
            let (ground, vent) = ground(more);
            let record = record(&plan(1e6, vent), &ground);
            assert_eq!(
                (record.outcome.ending, record.outcome.fault.as_deref()),
                (Ending::Rest, None)
            );
            compare(
                &record,
                stage("rates_m3_s = [[0, 8.0], [250, 0.0]]\n", more).simulation,
            );
            record.reached().count()
        });
        assert!(
            run_outs[1] < run_outs[0],
            "neither the sea nor the wall holds lava back: {run_outs:?}"
        );
    }

    fn compare(record: &RunRecord, mut simulation: Simulation) {
        let mut most = vec![0.0_f32; 400];
        while simulation.time_s() < Some(record.outcome.time_s) {
            simulation.step();
            let flow = simulation.world().flow().expect("a flow");
            for (number, most) in most.iter_mut().enumerate() {
                let column = flow.column(number);
                *most = most.max((column.liquid_m + column.set_m) as f32);
            }
        }
        let flow = simulation.world().flow().expect("a flow");
        let reached: Vec<_> = record.reached().collect();
        assert!(reached.len() > 10, "{} columns", reached.len());
        // A film that set within the step of its arrival has no arrival time until lava covers the
        // column.
        let came = |column: &usize| flow.column(*column).arrival_s.is_some();
        assert_eq!(reached.len(), (0..400).filter(came).count());
        assert!((0..400).all(|column| came(&column) || most[column] <= 0.05));
        for here in reached {
            assert_eq!(here.thickness_m, most[here.column]);
            assert_eq!(
                Some(here.arrival_s),
                flow.column(here.column)
                    .arrival_s
                    .map(|seconds| seconds as f32)
            );
        }
        assert!((record.outcome.poured_m3 - 2000.0).abs() < 0.01);
    }

    #[test]
    fn all_that_is_beside_the_lava_decides() {
        let words = |more: &str| {
            let (ground, vent) = ground(more);
            plan(1e6, vent).file(&ground, "one", "a vent").fingerprint()
        };
        let others = [
            "",
            MORE,
            &MORE.replace("at = 5", "at = 6"),
            &MORE.replace("6.0", "5.0"),
        ]
        .map(words);
        for (i, one) in others.iter().enumerate() {
            assert!(!others[..i].contains(one), "{i}");
        }
        assert_eq!(words(MORE), others[1]);
    }

    #[test]
    fn a_run_ends_at_its_limit_and_when_it_is_asked_to() {
        let (ground, _) = ground("");
        let plan = plan(
            130.0,
            VentSpec {
                radius: 0.0,
                ..VentSpec::default()
            },
        );
        let record = record(&plan, &ground);
        assert_eq!(
            (record.outcome.ending, record.outcome.time_s),
            (Ending::Limit, 130.0)
        );
        assert!((record.outcome.poured_m3 - 8.0 * 130.0).abs() < 0.01);
        assert!(
            plan.run(&ground, &plan.sample(0), &|| true)
                .expect("it fits")
                .is_none()
        );
    }
}
