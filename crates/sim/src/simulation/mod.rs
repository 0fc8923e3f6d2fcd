//! A running simulation: `step` reads as the recipe of the automaton, with a timer for each stage.
//!
//! Whatever happens to it besides the steps is a [`Command`]: an [`Event`] of the scene gives it at its step,
//! [`Simulation::command`] gives it now. A simulation records them, changes of vents in their first and last steps
//! and the rest as events, so that `lavoxel::scene::Scene::recorded` can write a scene that replays to the same bits.

mod command;
mod event;
mod origin;
mod stage;
mod timings;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::goals::Goals;
use crate::source::{List, VentSpec, Vents};
use crate::state::{PackedState, State};
use lavoxel_air::Wind;
use lavoxel_automaton::engine::Engine;
use lavoxel_automaton::engine::tiled::Tiled;
use lavoxel_automaton::matter::{Material, Reaction, check_known};
use lavoxel_automaton::rules::{Rule, Rules, RulesSpec, Walls, calm};
use lavoxel_automaton::world::{Ground, Layer, World};
use lavoxel_base::grid::Grid;
use lavoxel_base::random::Draw;
use lavoxel_base::validate::{Invalid, within};
use lavoxel_flow::{Flow, FlowClock};

pub use self::command::Command;
pub use self::command::check_seed;
pub use self::event::{Event, EventSpec, MAX_EVENTS};
pub use self::origin::Origin;
pub use self::stage::Stage;
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
pub use self::timings::system_clock;
pub use self::timings::{Clock, StageTime, Timings};

/// A state, its rules, vents and events, and the engine that carries them out.
pub struct Simulation {
    state: State,
    history: History,
    engine: Box<dyn Engine>,
    timings: Timings,
    /// Cuts a step between two stages.
    cut: Option<Arc<AtomicBool>>,
}

/// Everything besides the state on which the bits of later states depend, and the record of it.
#[derive(Clone, Debug)]
struct History {
    step: u64,
    /// Stages of the next step that are made: those before it was cut.
    made: usize,
    seed: u64,
    rules: Rules,
    spec: RulesSpec,
    /// The lava, then the other materials in the order of the layers, with the parameters in force.
    materials: Vec<Material>,
    reactions: Vec<Reaction>,
    vents: Vents,
    /// The wind in force, where there is air.
    wind: Option<Wind>,
    /// In the order of their steps; the first `past` have taken place.
    events: Vec<Event>,
    past: usize,
    goals: Goals,
}

impl History {
    /// The stages of a step, in order. In a world of the physical model its flow comes first, and no rule moves what shows it. Lava
    /// that is fed does not calm down.
    fn stages(&self, state: &State) -> impl Iterator<Item = Stage<'_>> + use<'_> {
        let (unfed, mirrors) = (self.is_unfed(), state.mirrors());
        let flow = mirrors.any().then_some(Stage::Flow(&self.vents));
        let sources = (!mirrors.any() || self.materials.len() > 1).then_some(Stage::Sources(&self.vents));
        let is_idle = move |stage: &Stage<'_>| match stage {
            stage if stage.calms() && !unfed => true,
            Stage::Rule { layer, rule } => !matches!(rule, Rule::React(_)) && mirrors.has(*layer),
            _ => false,
        };
        let rules = Stage::of_rules(&self.rules).filter(move |stage| !is_idle(stage));
        flow.into_iter().chain(sources).chain(rules).chain(Stage::of_air(state, &self.vents))
    }

    /// Whether nothing was poured and no event took place for so long that lava calms down.
    fn is_unfed(&self) -> bool {
        let event = self.events[..self.past].last().map_or(0, |event| event.at);
        let fed = self.vents.last_pour(self.step).unwrap_or(0).max(event);
        self.step >= fed + calm::AFTER
    }

    /// Puts the parameters or the seed of a command in force.
    fn set(&mut self, command: &Command, grid: Grid) {
        match command {
            Command::Put(_) | Command::Pour(_) => {}
            Command::Rules(change) => {
                self.spec = change.applied(self.spec.clone());
            }
            Command::Material(change) => {
                let named = self.materials.iter_mut().filter(|material| material.name == change.name());
                named.for_each(|material| *material = change.applied(material.clone()));
            }
            Command::Seed(seed) => self.seed = *seed,
            Command::Wind(wind) => self.wind = Some(wind.clone()),
        }
        self.rules = Rules::new(&self.spec, &self.materials, &self.reactions, grid);
    }

    /// Refuses a command that names a material that is not there, or a wind where there is no air.
    fn check_there(&self, command: &Command) -> Result<(), Invalid> {
        if matches!(command, Command::Wind(_)) && self.wind.is_none() {
            return Err(Invalid::new("wind", "a wind", "absent: the scene has no [air]"));
        }
        let known = || Material::besides_lava(&self.materials).map(|material| material.name.as_str());
        if let Command::Put(edit) = command
            && let Some(name) = edit.matter.replaced()
        {
            check_known("put.matter.of", name, known().collect::<Vec<_>>().into_iter())?;
        }
        let Some((key, name)) = command.material() else { return Ok(()) };
        check_known(key, name, Material::besides_lava(&self.materials).map(|material| material.name.as_str()))
    }

    /// Whether a command asks for what is in force already.
    fn has(&self, command: &Command) -> bool {
        match command {
            Command::Put(_) | Command::Pour(_) => false,
            Command::Rules(change) => change.applied(self.spec.clone()) == self.spec,
            Command::Material(change) => {
                self.materials.iter().any(|m| m.name == change.name() && change.applied(m.clone()) == *m)
            }
            Command::Seed(seed) => *seed == self.seed,
            Command::Wind(wind) => self.wind.as_ref() == Some(wind),
        }
    }

    /// Records a command of this step as an event that has taken place. Settings of one kind between two steps become
    /// one event, as those of a dragged slider.
    fn record(&mut self, command: Command) -> Result<(), Invalid> {
        let before = self.events[..self.past].last_mut().filter(|event| event.at == self.step);
        if let Some((before, both)) = before.and_then(|event| event.command.merged(&command).map(|both| (event, both)))
        {
            before.command = both;
            return Ok(());
        }
        within("number of [[event]] tables", (self.events.len() + 1) as f64, 0.0, MAX_EVENTS as f64)?;
        self.events.insert(self.past, Event { at: self.step, command });
        self.past += 1;
        Ok(())
    }
}

/// How far a simulation is in the course of its scene.
pub struct Passed<'a> {
    /// Steps made.
    pub step: u64,
    /// Stages made of the next step.
    pub made: usize,
    /// The numbers of [`Simulation::vents`].
    pub vent_numbers: Vec<usize>,
    /// The number of the next vent.
    pub next_vent: usize,
    /// The goals with their progress.
    pub goals: &'a Goals,
}

/// A saved state of a simulation, to come back to it.
#[derive(Clone, Debug)]
pub struct Snapshot {
    state: PackedState,
    history: History,
    /// Times of the steps of its flow.
    clock: Option<FlowClock>,
}

impl Snapshot {
    /// Steps that were made.
    pub fn steps(&self) -> u64 {
        self.history.step
    }

    /// The ground, which several snapshots may share.
    pub fn ground(&self) -> &std::sync::Arc<Ground> {
        self.state.ground()
    }

    /// Memory that it takes besides the ground, in bytes.
    pub fn bytes(&self) -> usize {
        self.state.bytes() + self.history.events.len() * size_of::<Event>() + self.history.vents.bytes()
    }
}

impl Simulation {
    /// A simulation at step 0 with rules and vents that were checked. The bits of every later state follow from these
    /// arguments and from what happens; the engine only decides how fast they come.
    pub fn new(
        state: impl Into<State>,
        rules: &RulesSpec,
        vents: &[VentSpec],
        seed: u64,
        engine: Box<dyn Engine>,
    ) -> Self {
        let state = state.into();
        let vents = Vents::new(vents, state.grid());
        let (events, past) = (Vec::new(), 0);
        let mut materials: Vec<_> = state.layers().iter().map(Layer::material).cloned().collect();
        materials.sort_by_key(|material| !material.carries_energy());
        let wind = state.air().map(|air| Wind(air.spec().wind.clone()));
        let history = History {
            wind,
            step: 0,
            made: 0,
            seed,
            rules: Rules::new(rules, &materials, &[], state.grid()),
            spec: rules.clone(),
            materials,
            reactions: Vec::new(),
            vents,
            events,
            past,
            goals: Goals::default(),
        };
        Self { state, history, engine, timings: Timings::default(), cut: None }
    }

    /// Has materials react from now on; the reactions were checked beside the materials of the world
    /// ([`Reaction::validate_all`]).
    #[must_use]
    pub fn with_reactions(mut self, reactions: Vec<Reaction>) -> Self {
        let History { spec, materials, .. } = &self.history;
        self.history.rules = Rules::new(spec, materials, &reactions, self.state.grid());
        self.history.reactions = reactions;
        self
    }

    /// Measures the time of every stage by `clock` from now on; without one only the runs are counted.
    #[must_use]
    pub fn with_clock(self, clock: Clock) -> Self {
        Self { timings: Timings::by(clock), ..self }
    }

    /// Adds events that take place by themselves; of equal steps, in the given order.
    ///
    /// # Errors
    /// Names what no scene could say in its `[[event]]` tables.
    pub fn with_events(mut self, events: Vec<Event>) -> Result<Self, Invalid> {
        let number = self.history.events.len() + events.len();
        within("number of [[event]] tables", number as f64, 0.0, MAX_EVENTS as f64)?;
        for (i, event) in events.iter().enumerate() {
            event.validate(&format!("event[{i}]"))?;
            let known = self.history.check_there(&event.command);
            known.map_err(|e| Invalid { key: format!("event[{i}].{}", e.key), ..e })?;
        }
        self.history.events.extend(events);
        self.history.events[self.history.past..].sort_by_key(|event| event.at);
        self.run_due_events();
        Ok(self)
    }

    /// Counts these goals after every step.
    #[must_use]
    pub fn with_goals(mut self, goals: Goals) -> Self {
        self.history.goals = goals;
        self
    }

    /// Goals of the scene, and how far they are.
    pub fn goals(&self) -> &Goals {
        &self.history.goals
    }

    /// This simulation at a later step, with the world as it was then, so many stages of the next step made; `numbers` and
    /// `next` are those of [`Simulation::passed`]. Vents, rules and events were checked.
    ///
    /// # Errors
    /// Names what cannot be together.
    pub fn resumed(
        self,
        events: Vec<Event>,
        (step, made): (u64, usize),
        numbers: &[usize],
        next: usize,
    ) -> Result<Self, Invalid> {
        let Self { mut state, history, engine, timings, cut } = self;
        let past = events.iter().position(|event| event.at > step).unwrap_or(events.len());
        if !events[past..].is_sorted_by_key(|event| event.at) {
            return Err(Invalid::new("event", "in disorder", "in the order of their steps"));
        }
        let vents = history.vents.numbered(numbers, next)?;
        let mut history = History { step, made, vents, past, ..history };
        events.iter().try_for_each(|event| history.check_there(&event.command))?;
        for event in &events[..past] {
            history.set(&event.command, state.grid());
        }
        history.events = events;
        put_in_force(history.wind.as_ref(), &mut state);
        let stages = history.stages(&state).count();
        within("stages", made as f64, 0.0, stages as f64 - 1.0)?;
        Ok(Self { state, history, engine, timings, cut })
    }

    /// One step: the stages that are due, in their order; then the events that are due after it. A step that was cut goes on
    /// with its next stage.
    pub fn step(&mut self) {
        let draw = Draw { seed: self.history.seed, step: self.history.step };
        let (made, is_asked) = (self.history.made, |cut: &AtomicBool| cut.load(Ordering::Relaxed));
        let mut cut = 0;
        for (number, stage) in self.history.stages(&self.state).enumerate().skip(made) {
            if number > made && stage.can_wait(&self.state) && self.cut.as_deref().is_some_and(is_asked) {
                cut = number;
                break;
            }
            if stage.is_due(draw.step) {
                self.timings.time(stage, || stage.run(&mut self.state, &mut *self.engine, draw));
            }
            if self.state.flow().is_some_and(Flow::was_stopped) {
                return;
            }
        }
        self.history.made = cut;
        if cut > 0 {
            return;
        }
        self.history.step += 1;
        self.run_due_events();
        if self.history.goals.are_open() {
            self.state.show_flow();
            self.history.goals.update(&self.state, self.history.step);
        }
    }

    /// Makes the rest of a step that was cut.
    fn end_step(&mut self) {
        let cut = self.cut.take();
        if self.history.made > 0 {
            self.step();
        }
        self.cut = cut;
    }

    /// From now on a long step of a world of the physical model is given up as soon as `stop` is set: the simulation is then as it
    /// was before the step, and goes on to the bits that it would have come to.
    pub fn stop_by(&mut self, stop: Arc<AtomicBool>) {
        if let Some(flowing) = &mut self.state.flow {
            flowing.flow.stop_by(stop);
        }
    }

    /// From now on a step is cut between two of its stages once `cut` is set: the next [`Simulation::step`], also that of a snapshot or a
    /// checkpoint, goes on with the stages that are left, to the bits that it would have come to.
    pub fn cut_by(&mut self, cut: Arc<AtomicBool>) {
        self.cut = Some(cut);
    }

    /// From now on the lava of a physical model without other matter and air is put into cells only by [`Simulation::show`]: what
    /// reads cells, but for [`State::flow`], calls that before.
    pub fn show_when_asked(&mut self) {
        self.state.defer_flow();
    }

    /// Puts the lava of the physical model into cells, as far as it is not.
    pub fn show(&mut self) {
        self.state.show_flow();
    }

    /// Whether the last step was given up or cut.
    pub fn was_stopped(&self) -> bool {
        self.history.made > 0 || self.state.flow().is_some_and(Flow::was_stopped)
    }

    /// How many stages of the next step are made already, those before the cut; 0 at the end of a step.
    pub fn stages_made(&self) -> usize {
        self.history.made
    }

    fn run_due_events(&mut self) {
        while let Some(event) = self.history.events.get(self.history.past).filter(|event| event.at <= self.history.step)
        {
            let command = event.command.clone();
            self.history.past += 1;
            self.state.show_flow();
            self.carry_out(&command);
        }
    }

    fn carry_out(&mut self, command: &Command) {
        match command {
            Command::Put(edit) => self.state.edit(edit),
            Command::Wind(wind) => {
                let State { world, air, .. } = &mut self.state;
                air.iter_mut().for_each(|air| air.change_wind(world, wind));
            }
            _ => {}
        }
        self.history.set(command, self.state.grid());
    }

    /// Does something to the simulation now and records it: an edit, a change of vents, of rules or of the seed. A step that was
    /// cut is made to its end before.
    ///
    /// # Errors
    /// Names what is out of range, the vent that is not there, or what the model of this world has not; nothing is changed
    /// then.
    pub fn command(&mut self, command: impl Into<Command>) -> Result<(), Invalid> {
        let mut command = command.into();
        command.validate()?;
        self.end_step();
        let Self { state, history, .. } = self;
        command.fit_to(state)?;
        history.check_there(&command)?;
        if let Command::Pour(change) = command {
            return history.vents.apply(change, history.step, state.grid());
        }
        if history.has(&command) {
            return Ok(());
        }
        history.record(command.clone())?;
        self.carry_out(&command);
        Ok(())
    }

    /// Whether a command asks for a setting that is in force already, so that it changes nothing.
    pub fn has_in_force(&self, command: &Command) -> bool {
        self.history.has(command)
    }

    /// The present state, to come back to it; it shares the ground of `other` where that is the same.
    pub fn snapshot(&self, other: Option<&Snapshot>) -> Snapshot {
        let state = PackedState::new(&self.state, other.map(|other| &other.state));
        Snapshot { state, history: self.history.clone(), clock: self.state.flow().map(Flow::clock).cloned() }
    }

    /// Goes back to a snapshot of this simulation and forgets what happened after it; the steps that follow give the
    /// bits that they gave the first time.
    pub fn go_back(&mut self, snapshot: &Snapshot) {
        snapshot.state.unpack_into(&mut self.state);
        self.history.clone_from(&snapshot.history);
        for (flowing, clock) in self.state.flow.iter_mut().zip(&snapshot.clock) {
            flowing.flow.set_clock(clock.clone());
        }
        put_in_force(self.history.wind.as_ref(), &mut self.state);
    }

    /// The state as it is now: a world, with its flow and its air where it has them.
    pub fn world(&self) -> &State {
        &self.state
    }

    /// The rules in force.
    pub fn rules(&self) -> &Rules {
        &self.history.rules
    }

    /// The rules in force, as a scene writes them.
    pub fn rules_spec(&self) -> &RulesSpec {
        &self.history.spec
    }

    /// Walls that lava finds at the sides of the box, in any model.
    pub fn walls(&self) -> Walls {
        match self.state.flow().map(|flow| flow.setup().open_sides) {
            None => self.history.spec.walls,
            Some(true) => Walls::Open,
            Some(false) => Walls::Closed,
        }
    }

    /// Seconds from the start, in a world of the physical model.
    pub fn time_s(&self) -> Option<f64> {
        self.state.flow().map(|flow| flow.clock().time_s(self.history.step))
    }

    /// Plans the end of the run in a world of the physical model: the step within which `end_s` lies ends there, and later ones are
    /// whole. Without an end all steps to come are whole. With air, which has steps of one length alone, they are whole too.
    pub fn end_at(&mut self, end_s: Option<f64>) {
        let end_s = end_s.filter(|_| self.state.air().is_none());
        if let Some(flowing) = &mut self.state.flow {
            flowing.flow.end_at(end_s);
        }
    }

    /// The materials besides the lava, in the order of the layers, with the parameters in force.
    pub fn materials(&self) -> &[Material] {
        &self.history.materials[1..]
    }

    /// Number and spec of the vents that pour or will pour; the one that was placed last comes last.
    pub fn open_vents(&self) -> impl Iterator<Item = (usize, &VentSpec)> {
        self.history.vents.open(self.history.step)
    }

    /// The wind in force, where there is air.
    pub fn wind(&self) -> Option<&Wind> {
        self.history.wind.as_ref()
    }

    /// All vents that poured or will pour, in the order in which they do.
    pub fn vents(&self) -> impl Iterator<Item = &VentSpec> {
        self.history.vents.specs()
    }

    /// Those of [`Simulation::vents`] that pour lava.
    pub fn lava_vents(&self) -> impl Iterator<Item = &VentSpec> {
        self.vents().filter(|vent| vent.list() == List::Vents)
    }

    /// All of the history that a scene with its vents and events (`lavoxel::scene::Scene::recorded`) does not say.
    pub fn passed(&self) -> Passed<'_> {
        // What is left out follows from the scene: rules, materials, wind and seed in force from its events.
        let History {
            step,
            made,
            seed: _,
            rules: _,
            spec: _,
            materials: _,
            reactions: _,
            vents,
            wind: _,
            events: _,
            past: _,
            goals,
        } = &self.history;
        let (vent_numbers, next_vent) = vents.numbers();
        Passed { step: *step, made: *made, vent_numbers, next_vent, goals }
    }

    /// All events, past and to come, in their order.
    pub fn events(&self) -> &[Event] {
        &self.history.events
    }

    /// Steps made so far.
    pub fn steps(&self) -> u64 {
        self.history.step
    }

    /// The seed of the random patterns.
    pub fn seed(&self) -> u64 {
        self.history.seed
    }

    /// Time spent so far.
    pub fn timings(&self) -> &Timings {
        &self.timings
    }
}

impl From<World> for Simulation {
    /// A simulation at step 0 with the default rules, no vents, seed 1, and the engine that users get.
    fn from(world: World) -> Self {
        Self::new(world, &RulesSpec::default(), &[], 1, Box::new(Tiled::default()))
    }
}

/// Puts a wind in force that the air of a state, restored, has already.
fn put_in_force(wind: Option<&Wind>, state: &mut State) {
    state.air.iter_mut().zip(wind).for_each(|(over, wind)| over.air.set_wind(wind));
}
