//! One run: an eruption from its sample to its rest.

use std::time::Instant;

use super::plan::{Ground, Plan, Sample};
use super::record::{Ending, Outcome, RunRecord};
use crate::flow::Flow;
use crate::memory::MemoryEstimate;
use crate::scene::Stage;
use crate::source::{VentFlow, VentSpec, Vents};

/// Thickness in metres from which a column counts as reached by a flow that still advances.
const REACHED_M: f64 = 0.01;

/// Share of the time since the start, and steps, in which no column must be reached before a flow is at rest.
const REST_SHARE: f64 = 0.25;
const REST_STEPS: f64 = 10.0;

/// All that decides when a run ends.
pub(super) const REST: [f64; 3] = [REACHED_M, REST_SHARE, REST_STEPS];

/// Bytes that a run takes for each column, besides its flow.
const BYTES_A_COLUMN: f64 = 4.0 + 13.0;

impl Ground {
    /// The ground of a scene that was built, before its first step; none of a scene of the classic model.
    pub fn of(stage: &Stage) -> Option<Self> {
        let flow = stage.simulation.world().flow()?.clone();
        Some(Self { flow, site: stage.site.clone() })
    }

    /// Has runs give up a long step as soon as `stop` is set.
    pub fn stop_by(&mut self, stop: std::sync::Arc<std::sync::atomic::AtomicBool>) {
        self.flow.stop_by(stop);
    }

    /// Memory of so many runs at once on the ground of a scene.
    pub fn need(stage: &Stage, at_once: usize) -> MemoryEstimate {
        // A run may reach every column.
        let most = |flow: &Flow| Flow::most(flow.space(), &flow.setup().lava);
        let flow = stage.simulation.world().flow().map_or(0, most);
        let columns = BYTES_A_COLUMN * stage.site.grid.columns() as f64;
        // The one from which all begin stays.
        MemoryEstimate::of("the runs that are made at once", at_once + 1, flow as f64 + columns)
    }
}

impl Plan {
    /// Makes a run; none where `cancelled` says so before its end. The same sample on the same ground gives the same
    /// record but for [`Outcome::seconds`].
    ///
    /// A run ends at rest: once its vent is closed and nothing is liquid, or no column came to hold a centimetre in the
    /// last quarter of the time since its start. Or it ends at its limit.
    pub fn run(&self, ground: &Ground, sample: &Sample, cancelled: &dyn Fn() -> bool) -> Option<RunRecord> {
        let start = Instant::now();
        let mut flow = ground.flow.clone().with_seed(sample.seed);
        let vents = Vents::new(&[self.vent_of(ground, sample)], ground.site.grid);
        let mut past = Past { thickness_m: vec![0.0; flow.space().columns()], last_reached_s: 0.0 };
        let ending = loop {
            if cancelled() {
                return None;
            }
            if flow.time_s() >= sample.limit_s {
                break Ending::Limit;
            }
            let about = (flow.setup().step_s, flow.setup().lava.vent_k);
            let pours = vents.flow_pours(flow.steps(), about, ground.site.grid);
            flow.step(&pours);
            if flow.was_stopped() {
                return None;
            }
            past.observe(&flow);
            if flow.time_s() >= sample.duration_s && past.rests(&flow) {
                break Ending::Rest;
            }
        };
        Some(RunRecord::new(*sample, &flow, &past.thickness_m, |flow| Outcome::of(flow, ending, start.elapsed())))
    }

    /// The vent of a run.
    fn vent_of(&self, ground: &Ground, sample: &Sample) -> VentSpec {
        let temperature_k = self.vent.flow.as_ref().and_then(|flow| flow.temperature_k);
        let rates_m3_s = vec![[0.0, sample.rate_m3_s], [sample.duration_s, 0.0]];
        let [x, z] = sample.vent_m.map(|metres| metres / ground.site.cell_size_m);
        let flow = Some(Box::new(VentFlow { rates_m3_s, temperature_k }));
        VentSpec { x, z, start: 0, end: None, flow, ..self.vent.clone() }
    }
}

/// What a run remembers of its steps.
struct Past {
    /// The largest thickness of each column after any step, liquid and set.
    thickness_m: Vec<f32>,
    /// When a column was last reached.
    last_reached_s: f64,
}

impl Past {
    fn observe(&mut self, flow: &Flow) {
        for &number in flow.changed() {
            let column = flow.column(number as usize);
            let thickness = column.liquid_m + column.set_m;
            let most = &mut self.thickness_m[number as usize];
            if f64::from(*most) < REACHED_M && thickness >= REACHED_M {
                self.last_reached_s = flow.time_s();
            }
            *most = most.max(thickness as f32);
        }
    }

    /// Whether a flow whose vent is closed advances no more.
    fn rests(&self, flow: &Flow) -> bool {
        let least = (REST_SHARE * flow.time_s()).max(REST_STEPS * flow.setup().step_s);
        flow.is_dry() || flow.time_s() - self.last_reached_s >= least
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::engine::tiled::Tiled;
    use crate::hazard::{Law, Places, Seeds, Size};
    use crate::map::features::{Feature, Geometry};
    use crate::scene::Scene;

    const SCENE: &str = "seed = 6\nmodel = \"flow\"\n[flow]\nstep_s = 20.0\n[grid]\nsize = [20, 20, 20]\ncell_size_m = 10.0\n\
                         cell_height_m = 5.0\n[terrain]\nkind = \"slope\"\n[[vent]]\nx_m = 93.0\nz_m = 64.0\nradius = 1.0\n";

    fn stage(rates: &str) -> Stage {
        let scene = Scene::parse(&format!("{SCENE}{rates}"), Path::new("scene.toml")).expect("a right scene");
        scene.build(Box::new(Tiled::default())).expect("it fits")
    }

    fn plan(limit_s: f64, vent: VentSpec) -> Plan {
        let geometry = Geometry::Points(vec![[93.0, 64.0]]);
        Plan {
            runs: 1,
            seed: 6,
            seeds: Seeds::Same,
            places: Places::new(vec![Feature { geometry, weight: 1.0 }]).expect("a point"),
            rates: Law::Fixed(8.0),
            size: Size::Duration(Law::Fixed(250.0)),
            limit_s: Some(limit_s),
            vent,
        }
    }

    /// A run is the simulation of the scene that says the same, to the bit.
    #[test]
    fn a_run_is_a_simulation() {
        let Stage { mut simulation, .. } = stage("rates_m3_s = [[0, 8.0], [250, 0.0]]\n");
        let stage = stage("rate_m3_s = 1.0\n");
        let ground = Ground::of(&stage).expect("a flow");
        let plan = plan(1e6, stage.simulation.vents().next().expect("a vent").clone());
        let record = plan.run(&ground, &plan.sample(0), &|| false).expect("it ends");
        assert_eq!((record.outcome.ending, record.outcome.fault.as_deref()), (Ending::Rest, None));

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
        assert!(reached.len() > 20, "{} columns", reached.len());
        // A film that set within the step in which it came has no arrival; it is less than a millimetre thick.
        let came = |column: &usize| flow.column(*column).arrival_s.is_some();
        assert_eq!(reached.len(), (0..400).filter(came).count());
        for here in reached {
            assert_eq!(here.thickness_m, most[here.column]);
            assert_eq!(Some(here.arrival_s), flow.column(here.column).arrival_s.map(|seconds| seconds as f32));
        }
        assert!((record.outcome.poured_m3 - 2000.0).abs() < 0.01);
    }

    #[test]
    fn a_run_ends_at_its_limit_and_when_it_is_asked_to() {
        let stage = stage("rate_m3_s = 1.0\n");
        let ground = Ground::of(&stage).expect("a flow");
        let plan = plan(130.0, VentSpec { radius: 0.0, ..VentSpec::default() });
        let record = plan.run(&ground, &plan.sample(0), &|| false).expect("it ends");
        assert_eq!((record.outcome.ending, record.outcome.time_s), (Ending::Limit, 140.0));
        assert!((record.outcome.poured_m3 - 8.0 * 140.0).abs() < 0.01);
        assert!(plan.run(&ground, &plan.sample(0), &|| true).is_none());
    }
}
