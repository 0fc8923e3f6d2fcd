//! Physical model in a scene: `model = "flow"` and the table `[flow]`. Keys of the classic
//! automaton are rejected in such a scene, and vice versa.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::lava::LavaSpec;
use super::start::{Start, StartSpec};
use super::{BodySpec, Scene, SceneSpec, Seconds};
use lavoxel_automaton::matter::{Capacity, Material};
use lavoxel_automaton::rules::{RulesSpec, Walls};
use lavoxel_automaton::view::LookSpec;
use lavoxel_automaton::world::Matter;
use lavoxel_base::grid::Grid;
use lavoxel_base::memory::MemoryEstimate;
use lavoxel_base::param::{Table, table, words};
use lavoxel_base::validate::{Invalid, within};
use lavoxel_flow::{Flow, FlowBox, FlowClock, FlowSetup};
use lavoxel_sim::simulation::EventSpec;
use lavoxel_sim::state::State;

/// Model that computes the motion of lava in a scene.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Model {
    /// Cellular automaton, whose quantities are in cells and steps.
    #[default]
    Classic,
    /// Physical model, whose quantities are in metres, seconds and kelvin.
    Flow,
}

impl Model {
    /// Returns true for the cellular automaton (classic model), the default of scenes.
    pub(super) fn is_classic(&self) -> bool {
        *self == Self::Classic
    }
}

words!(Model);

/// Upper bound on the number of steps of a scene of the physical model.
const MOST_STEPS: f64 = 1e9;
/// Upper bound on the duration of a step of the physical model, in seconds.
const LONGEST_STEP_S: f64 = 1e5;

/// Upper bound on the number of shortened steps that a scene may list.
const MAX_SHORT: usize = 100_000;

table! {
    /// The `[flow]` table: settings of the physical model.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct FlowSpec {
        /// Duration of a step; the window, films and `--steps` count these steps.
        pub step_s: f64 = 20.0, [1e-4, LONGEST_STEP_S] "s";
        /// Duration of the scene, in place of `film.steps`. The last step ends exactly then, except
        /// in a scene with air, whose steps are whole.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub duration: Option<Seconds> = None, [0.0, MOST_STEPS * LONGEST_STEP_S] "s";
        /// Steps that ended early in a recorded run: rows of the number of the step and the time in
        /// seconds at which it ended.
        #[serde(deserialize_with = "lavoxel_base::fixed_len::many", skip_serializing_if = "Vec::is_empty")]
        pub short_steps: Vec<[f64; 2]> = Vec::new();
        /// Open sides: lava that reaches a side of the box leaves the box; `false`: the sides are
        /// walls.
        pub open_sides: bool = true;
        /// Lava that lies in the box before the first step.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub start: Option<Box<StartSpec>> = None;
        /// The lava: the name of a preset, or a table that starts from one.
        pub lava: LavaSpec = LavaSpec::default();
    }
}

impl FlowSpec {
    /// Checks that all numbers of the `[flow]` table are in range.
    fn validate(&self) -> Result<(), Invalid> {
        self.check("flow")?;
        if let Some(Seconds(duration)) = self.duration {
            within("flow.duration", duration, 0.0, MOST_STEPS * self.step_s)?;
        }
        within(
            "number of rows of flow.short_steps",
            self.short_steps.len() as f64,
            0.0,
            MAX_SHORT as f64,
        )?;
        if FlowClock::new(self.step_s, &self.short_steps).is_none() {
            let expected = "rows of the number of a step and the time at which it ends, before its whole length is over, in order";
            return Err(Invalid::new(
                "flow.short_steps",
                "no times of steps",
                expected,
            ));
        }
        self.lava.lava.validate("flow.lava")?;
        self.start
            .as_ref()
            .map_or(Ok(()), |start| start.validate("flow.start", self))
    }

    /// Returns the number of steps that cover the duration `time` (seconds); the last step may end
    /// after the duration.
    pub fn steps_in(&self, Seconds(time): Seconds) -> u64 {
        self.clock().steps_in(time)
    }

    /// Returns the start and end times of the flow's steps, without shortening the last step to the
    /// end of the run.
    fn clock(&self) -> FlowClock {
        FlowClock::new(self.step_s, &self.short_steps)
            .unwrap_or_else(|| FlowClock::from_step_s(self.step_s))
    }
}

impl SceneSpec {
    /// Returns the `[flow]` table, or its defaults if the scene has none; `None` in the cellular
    /// automaton (classic model).
    pub fn flow_spec(&self) -> Option<FlowSpec> {
        (self.model == Model::Flow).then(|| self.flow.clone().unwrap_or_default())
    }

    /// Returns the `[flow]` table mutably and creates it if missing; `None` in the cellular
    /// automaton (classic model).
    pub(crate) fn flow_mut(&mut self) -> Option<&mut FlowSpec> {
        (self.model == Model::Flow).then(|| self.flow.get_or_insert_default())
    }

    /// Sets the number of steps of the scene, and removes the duration, which would override it.
    pub fn set_steps(&mut self, steps: u64) {
        self.film.steps = steps;
        if let Some(flow) = &mut self.flow {
            flow.duration = None;
        }
    }

    /// Sets the number of steps of the scene to cover the duration in the `[flow]` table; no effect
    /// if the table has no duration.
    pub(super) fn take_duration(&mut self) {
        let steps = self
            .flow
            .as_ref()
            .and_then(|flow| Some(flow.steps_in(flow.duration?)));
        self.film.steps = steps.unwrap_or(self.film.steps);
    }

    /// Returns the height of a cell in metres, if cells are `cell_size_m` metres wide; `None` in
    /// the cellular automaton (classic model), whose cells are cubes.
    pub(super) fn cell_height_m(&self, cell_size_m: f64) -> Option<f64> {
        (self.model == Model::Flow).then(|| self.grid.cell_height_m.unwrap_or(cell_size_m))
    }

    /// Checks that the scene contains no keys of the model that it does not use.
    pub(super) fn check_model(&self) -> Result<(), Invalid> {
        match self.model {
            Model::Classic => self.check_classic(),
            Model::Flow => self.check_flow(),
        }
    }

    fn check_classic(&self) -> Result<(), Invalid> {
        // Rejected instead of ignored: a scene with these keys was meant for the physical model.
        let expected = "left out without model = \"flow\"";
        if let Some(i) = self
            .reactions
            .iter()
            .position(|reaction| reaction.heat.is_some())
        {
            return Err(Invalid::new(
                &format!("reaction[{i}].heat"),
                "set",
                expected,
            ));
        }
        if self.flow.is_some() {
            return Err(Invalid::new("flow", "a table", expected));
        }
        if let Some(height) = self.grid.cell_height_m {
            return Err(Invalid::new("grid.cell_height_m", height, expected));
        }
        if let Some(i) = self
            .bodies
            .iter()
            .position(|body| matches!(body.matter, Matter::Solid { .. }))
        {
            let expected = "\"rock\" without model = \"flow\" and a lava that melts";
            return Err(Invalid::new(
                &format!("body[{i}].matter.kind"),
                "\"solid\"",
                expected,
            ));
        }
        if let Some((key, kelvin)) = self
            .edits()
            .find_map(|(key, edit)| Some((key, edit.matter.temperature_k()?)))
        {
            let expected = "left out without model = \"flow\"; the classic model has energy";
            return Err(Invalid::new(
                &format!("{key}.matter.temperature_k"),
                kelvin,
                expected,
            ));
        }
        let lists = [
            ("vent", &self.vents),
            ("source", &self.sources),
            ("fume", &self.fumes),
        ];
        for (name, list) in lists {
            if let Some(i) = list.iter().position(|vent| vent.flow.is_some()) {
                let expected = "left out without model = \"flow\"; the classic model has rate, in full cells a step";
                return Err(Invalid::new(
                    &format!("{name}[{i}].rate_m3_s"),
                    "set",
                    expected,
                ));
            }
        }
        Ok(())
    }

    fn check_flow(&self) -> Result<(), Invalid> {
        if let Some(flow) = &self.flow {
            flow.validate()?;
        }
        let expected = "left out in a scene with model = \"flow\"";
        let absent = |key: &str, is_there: bool| match is_there {
            true => Err(Invalid::new(key, "set", expected)),
            false => Ok(()),
        };
        // Checked first, because the numbers of such a table have been moved to `[rules]` already.
        let lava = self.materials.iter().position(Material::carries_energy);
        if let Some(i) = lava {
            let expected = "another name in a scene with model = \"flow\": flow.lava has the constants of its lava";
            return Err(Invalid::new(
                &format!("material[{i}].name"),
                Material::LAVA,
                expected,
            ));
        }
        self.check_melting()?;
        let RulesSpec { walls, roof, .. } = self.rules;
        // The walls and the roof apply to other materials too; for lava the key is
        // `flow.open_sides`.
        absent(
            "rules",
            self.rules
                != RulesSpec {
                    walls,
                    roof,
                    ..RulesSpec::default()
                },
        )?;
        absent("grid.capacity", self.grid.capacity != Capacity::Shared)?;
        if let Some(stretch) = self.terrain.vertical_exaggeration {
            let expected = format!("{expected}; grid.cell_height_m says how high a cell is");
            return Err(Invalid::new(
                "terrain.vertical_exaggeration",
                stretch,
                expected,
            ));
        }
        self.check_flow_edits()?;
        self.check_flow_air()?;
        self.check_flow_vents()
    }

    /// Checks the edits of bodies and events for the physical model: solid is allowed only if the
    /// lava melts, and events cannot change rules of the cellular automaton (classic model).
    fn check_flow_edits(&self) -> Result<(), Invalid> {
        for (key, edit) in self.edits() {
            if matches!(edit.matter, Matter::Solid { .. }) && !self.melts() {
                let expected = "\"rock\" here: \"solid\" needs a lava with liquidus_k, such as \"paraffin-wax\"";
                return Err(Invalid::new(
                    &format!("{key}.matter.kind"),
                    "\"solid\"",
                    expected,
                ));
            }
            let by_name = matches!(edit.matter, Matter::Flood { .. } | Matter::Replace { .. });
            if by_name && edit.matter.names().any(|name| name == Material::LAVA) {
                let expected = "another material: { kind = \"lava\", … } puts lava into the box";
                return Err(Invalid::new(
                    &format!("{key}.matter.name"),
                    "\"lava\"",
                    expected,
                ));
            }
        }
        let changes = |event: &EventSpec| {
            let settings = [
                (event.rules.is_some(), "rules"),
                (event.seed.is_some(), "seed"),
            ];
            settings
                .into_iter()
                .find_map(|(is_there, name)| is_there.then_some(name))
        };
        match self
            .events
            .iter()
            .enumerate()
            .find_map(|(i, event)| Some((i, changes(event)?)))
        {
            Some((i, name)) => {
                let expected = "left out in a scene with model = \"flow\", whose events put matter into the box";
                Err(Invalid::new(&format!("event[{i}].{name}"), "set", expected))
            }
            None => Ok(()),
        }
    }

    /// Checks that air and lava have equal time steps, and that cells are cubes if there is air.
    fn check_flow_air(&self) -> Result<(), Invalid> {
        let Some(air) = &self.air else { return Ok(()) };
        let step_s = self
            .flow
            .as_ref()
            .map_or(FlowSpec::default().step_s, |flow| flow.step_s);
        if air.step_s != step_s {
            let expected = format!("flow.step_s = {step_s}: a step is one of both");
            return Err(Invalid::new("air.step_s", air.step_s, expected));
        }
        match self.grid.cell_height_m {
            Some(height) if Some(height) != self.grid.cell_size_m => {
                let expected = "left out, or grid.cell_size_m, in a scene with [air]";
                Err(Invalid::new("grid.cell_height_m", height, expected))
            }
            _ => Ok(()),
        }
    }

    fn check_flow_vents(&self) -> Result<(), Invalid> {
        let flow_spec = self.flow.clone().unwrap_or_default();
        for (i, vent) in self.vents.iter().enumerate() {
            let key = format!("vent[{i}]");
            let Some(flow) = &vent.flow else {
                let expected = "given in a scene with model = \"flow\", in place of rate and energy; or rates_m3_s, a table";
                return Err(Invalid::new(
                    &format!("{key}.rate_m3_s"),
                    "nothing",
                    expected,
                ));
            };
            flow.validate(&key)?;
            let coldest = flow_spec.lava.lava.ambient_k;
            if let Some(kelvin) = flow.temperature_k.filter(|kelvin| *kelvin < coldest) {
                let expected = format!("at least flow.lava.ambient_k = {coldest}");
                return Err(Invalid::new(
                    &format!("{key}.temperature_k"),
                    kelvin,
                    expected,
                ));
            }
        }
        Ok(())
    }
}

impl Scene {
    /// Limits the run of the scene to the simulated time `duration`.
    ///
    /// # Errors
    /// If the scene uses the cellular automaton (classic model), or `duration` is out of range.
    pub fn run_for(&mut self, duration: Seconds) -> Result<(), super::SceneError> {
        self.put_flow(&super::Overrides {
            duration: Some(duration),
            ..super::Overrides::default()
        })?;
        self.validate()
    }

    /// Returns the look of the scene's pictures. In the physical model, lava glows by its
    /// temperature.
    pub fn look(&self) -> LookSpec {
        let mut look = self.spec.look.clone();
        if let Some(flow) = self.spec.flow_spec() {
            look.kelvin
                .get_or_insert(flow.lava.lava.warmth_k().map(|kelvin| kelvin as f32));
        }
        look
    }

    /// Opens or closes the sides of the simulation box for lava, in the tables of the model that
    /// the scene uses.
    pub(super) fn set_walls(&mut self, walls: Walls) {
        match self.spec.flow_mut() {
            Some(flow) => flow.open_sides = walls == Walls::Open,
            None => self.spec.rules.walls = walls,
        }
    }

    /// Creates the dimensions of a flow solver's box from its shape `grid` and from the width and
    /// height of a cell in metres.
    pub fn flow_box(grid: Grid, cell_size_m: f64, cell_height_m: f64) -> FlowBox {
        FlowBox {
            nx: grid.nx,
            ny: grid.ny,
            nz: grid.nz,
            dx_m: cell_size_m,
            dz_m: cell_height_m,
        }
    }

    /// Estimates the memory of the flow in the box `space`, including the cells of the scene's
    /// heaters.
    pub fn need_of_flow(&self, space: FlowBox, spec: &FlowSpec) -> MemoryEstimate {
        let grid = Grid::new(space.nx, space.ny, space.nz);
        MemoryEstimate::new("the flow", 1, Flow::need(space, &spec.lava.lava) as f64)
            .and(self.spec.need_of_heaters(grid))
    }

    /// Returns the start and end times of the flow's steps; in a scene without air, the last step
    /// is shortened to end exactly at the scene's duration.
    pub fn flow_clock(&self, spec: &FlowSpec) -> FlowClock {
        let end_s = spec.duration.filter(|_| self.spec.air.is_none());
        spec.clock().ending_at(end_s.map(|Seconds(end)| end))
    }

    /// Returns the parameters of the flow solver for a box of shape `grid`.
    pub fn flow_setup(&self, spec: &FlowSpec, grid: Grid) -> FlowSetup {
        let (lava, heaters) = (spec.lava.lava.clone(), self.spec.heaters_in(spec, grid));
        FlowSetup {
            lava,
            step_s: spec.step_s,
            open_sides: spec.open_sides,
            seed: self.spec.seed,
            heaters,
        }
    }

    /// Builds the state of the physical model at step 0 by adding a flow on the ground of `state`.
    /// `start`: initial lava; `bodies`: edits before the first step. The caller has checked the
    /// memory limit.
    pub(super) fn state_of_flow(
        &self,
        spec: &FlowSpec,
        space: FlowBox,
        (start, bodies): (Option<Start>, &[Cow<'_, BodySpec>]),
        state: State,
    ) -> Result<State, Invalid> {
        let heights = state.ground().surface();
        let ground = heights.iter().map(|&cells| f64::from(cells) * space.dz_m);
        let mut flow = Flow::on_ground(space, self.flow_setup(spec, state.grid()), ground)?;
        flow.set_clock(self.flow_clock(spec));
        start.iter().for_each(|start| start.add_to(&mut flow));
        let mut state = state.with_flow(flow);
        bodies.iter().for_each(|body| state.edit(body));
        state.open_account();
        Ok(state)
    }
}
