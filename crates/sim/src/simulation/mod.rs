//! Running simulation. [`Simulation::step`] runs the stages of a step in order and measures the
//! time of each stage.
//!
//! Every action other than a step is a [`Command`], which an [`Event`] of the scene carries out at
//! its step, or [`Simulation::command`] at once. A simulation records changes of vents in the
//! vents' first and last steps, and other commands as events, so that
//! `lavoxel::scene::Scene::recorded` can write a scene that replays to the same bits.

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
use lavoxel_automaton::rules::{Rule, Rules, RulesSpec, Walls, damping};
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

/// Running simulation: a state, its rules, vents and events, and the engine that applies the rules
/// of the automaton.
pub struct Simulation {
    state: State,
    history: History,
    engine: Box<dyn Engine>,
    timings: Timings,
    /// Flag that another thread sets to interrupt a step between two stages; `None` if steps cannot
    /// be interrupted.
    cut: Option<Arc<AtomicBool>>,
}

/// Data outside of the state that determine all later states bit for bit, and the list of past
/// events.
#[derive(Clone, Debug)]
struct History {
    step: u64,
    /// Number of stages completed in an interrupted step that has not been continued; otherwise 0.
    made: usize,
    seed: u64,
    rules: Rules,
    spec: RulesSpec,
    /// Materials with all changes so far: lava first, then all other materials in the order of the
    /// layers.
    materials: Vec<Material>,
    reactions: Vec<Reaction>,
    vents: Vents,
    /// Wind at present; `None` without air.
    wind: Option<Wind>,
    /// All events by ascending step, past and future. The first `past` of these have been carried
    /// out.
    events: Vec<Event>,
    past: usize,
    goals: Goals,
}

impl History {
    /// Iterates over the stages of a step in order. In the physical model the stage of the flow
    /// comes first, and no rule moves the layers that display the flow. The rule that calms lava
    /// down is left out while vents pour or events occur.
    fn stages(&self, state: &State) -> impl Iterator<Item = Stage<'_>> + use<'_> {
        let (unfed, mirrors) = (self.is_unfed(), state.mirrors());
        let flow = mirrors.any().then_some(Stage::Flow(&self.vents));
        let sources =
            (!mirrors.any() || self.materials.len() > 1).then_some(Stage::Sources(&self.vents));
        let is_idle = move |stage: &Stage<'_>| match stage {
            stage if stage.calms() && !unfed => true,
            Stage::Rule { layer, rule } => !matches!(rule, Rule::React(_)) && mirrors.has(*layer),
            _ => false,
        };
        let rules = Stage::of_rules(&self.rules).filter(move |stage| !is_idle(stage));
        flow.into_iter()
            .chain(sources)
            .chain(rules)
            .chain(Stage::of_air(state, &self.vents))
    }

    /// Returns true if no vent poured and no event occurred during the last `damping::AFTER` steps,
    /// so that the calming rule may act on the lava.
    fn is_unfed(&self) -> bool {
        let event = self.events[..self.past].last().map_or(0, |event| event.at);
        let fed = self.vents.last_pour(self.step).unwrap_or(0).max(event);
        self.step >= fed + damping::AFTER
    }

    /// Carries out a command that changes parameters, the wind or the seed in this history. Does
    /// nothing for edits and changes of vents.
    fn set(&mut self, command: &Command, grid: Grid) {
        match command {
            Command::Put(_) | Command::Pour(_) => {}
            Command::Rules(change) => {
                self.spec = change.applied(self.spec.clone());
            }
            Command::Material(change) => {
                let named = self
                    .materials
                    .iter_mut()
                    .filter(|material| material.name == change.name());
                named.for_each(|material| *material = change.applied(material.clone()));
            }
            Command::Seed(seed) => self.seed = *seed,
            Command::Wind(wind) => self.wind = Some(wind.clone()),
        }
        self.rules = Rules::new(&self.spec, &self.materials, &self.reactions, grid);
    }

    /// Checks that the material to which `command` refers exists, and that the simulation has air
    /// if `command` sets a wind.
    fn check_there(&self, command: &Command) -> Result<(), Invalid> {
        if matches!(command, Command::Wind(_)) && self.wind.is_none() {
            return Err(Invalid::new(
                "wind",
                "a wind",
                "absent: the scene has no [air]",
            ));
        }
        let known =
            || Material::besides_lava(&self.materials).map(|material| material.name.as_str());
        if let Command::Put(edit) = command
            && let Some(name) = edit.matter.replaced()
        {
            check_known(
                "put.matter.of",
                name,
                known().collect::<Vec<_>>().into_iter(),
            )?;
        }
        let Some((key, name)) = command.material() else {
            return Ok(());
        };
        check_known(
            key,
            name,
            Material::besides_lava(&self.materials).map(|material| material.name.as_str()),
        )
    }

    /// Returns true if every parameter that `command` sets already has the given value.
    fn has(&self, command: &Command) -> bool {
        match command {
            Command::Put(_) | Command::Pour(_) => false,
            Command::Rules(change) => change.applied(self.spec.clone()) == self.spec,
            Command::Material(change) => self
                .materials
                .iter()
                .any(|m| m.name == change.name() && change.applied(m.clone()) == *m),
            Command::Seed(seed) => *seed == self.seed,
            Command::Wind(wind) => self.wind.as_ref() == Some(wind),
        }
    }

    /// Records `command` as an event of the present step. Successive changes of the same parameters
    /// within a step, such as those of a dragged slider, become one event.
    fn record(&mut self, command: Command) -> Result<(), Invalid> {
        let before = self.events[..self.past]
            .last_mut()
            .filter(|event| event.at == self.step);
        if let Some((before, both)) =
            before.and_then(|event| event.command.merged(&command).map(|both| (event, both)))
        {
            before.command = both;
            return Ok(());
        }
        within(
            "number of [[event]] tables",
            (self.events.len() + 1) as f64,
            0.0,
            MAX_EVENTS as f64,
        )?;
        self.events.insert(
            self.past,
            Event {
                at: self.step,
                command,
            },
        );
        self.past += 1;
        Ok(())
    }
}

/// Data of a simulation that a checkpoint must store in addition to state and recorded scene.
pub struct Passed<'a> {
    /// Number of completed steps.
    pub step: u64,
    /// Number of stages completed in an interrupted step that has not been continued; otherwise 0.
    pub made: usize,
    /// Permanent numbers of the vents, in the order of [`Simulation::vents`]; later changes of a
    /// vent refer to its number.
    pub vent_numbers: Vec<usize>,
    /// Permanent number that the next new vent will get.
    pub next_vent: usize,
    /// Goals of the scene, with their progress.
    pub goals: &'a Goals,
}

/// Saved state and history of a simulation, to which [`Simulation::go_back`] returns.
#[derive(Clone, Debug)]
pub struct Snapshot {
    state: PackedState,
    history: History,
    /// Start and end times, in seconds, of the flow's steps; `None` without a flow.
    clock: Option<FlowClock>,
}

impl Snapshot {
    /// Returns the number of completed steps at the time of the snapshot.
    pub fn steps(&self) -> u64 {
        self.history.step
    }

    /// Returns the ground of the snapshot; snapshots with equal grounds share it.
    pub fn ground(&self) -> &std::sync::Arc<Ground> {
        self.state.ground()
    }

    /// Returns the memory of the snapshot in bytes, without the ground, which may be shared.
    pub fn bytes(&self) -> usize {
        self.state.bytes()
            + self.history.events.len() * size_of::<Event>()
            + self.history.vents.bytes()
    }
}

impl Simulation {
    /// Creates a simulation at step 0 from validated rules and vents. All later states depend, bit
    /// for bit, only on `state`, `rules`, `vents`, `seed`, events and commands; `engine` affects
    /// only the speed.
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
        let mut materials: Vec<_> = state
            .layers()
            .iter()
            .map(Layer::material)
            .cloned()
            .collect();
        // Lava must come first, because `materials()` skips the first entry.
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
        Self::from_parts(state, history, engine)
    }

    /// Creates a simulation from its parts, with all timings 0 and without a flag that interrupts
    /// steps.
    fn from_parts(state: State, history: History, engine: Box<dyn Engine>) -> Self {
        Self {
            state,
            history,
            engine,
            timings: Timings::default(),
            cut: None,
        }
    }

    /// Sets the reactions between materials, which must have been checked together with the
    /// materials by [`Reaction::validate_all`].
    #[must_use]
    pub fn with_reactions(mut self, reactions: Vec<Reaction>) -> Self {
        let History {
            spec, materials, ..
        } = &self.history;
        self.history.rules = Rules::new(spec, materials, &reactions, self.state.grid());
        self.history.reactions = reactions;
        self
    }

    /// Makes the simulation measure the time of every stage with `clock`. Without a clock, a
    /// simulation only counts how often each stage was executed.
    #[must_use]
    pub fn with_clock(self, clock: Clock) -> Self {
        Self {
            timings: Timings::by(clock),
            ..self
        }
    }

    /// Adds `events` to the scheduled events of the simulation; events of the same step keep their
    /// order.
    ///
    /// # Errors
    /// If an event cannot be stored as an `[[event]]` table.
    pub fn with_events(mut self, events: Vec<Event>) -> Result<Self, Invalid> {
        let number = self.history.events.len() + events.len();
        within(
            "number of [[event]] tables",
            number as f64,
            0.0,
            MAX_EVENTS as f64,
        )?;
        for (i, event) in events.iter().enumerate() {
            event.validate(&format!("event[{i}]"))?;
            let known = self.history.check_there(&event.command);
            known.map_err(|e| Invalid {
                key: format!("event[{i}].{}", e.key),
                ..e
            })?;
        }
        self.history.events.extend(events);
        self.history.events[self.history.past..].sort_by_key(|event| event.at);
        self.run_due_events();
        Ok(self)
    }

    /// Sets the goals of the simulation, whose progress is updated after every step from now on.
    #[must_use]
    pub fn with_goals(mut self, goals: Goals) -> Self {
        self.history.goals = goals;
        self
    }

    /// Returns the goals with their progress.
    pub fn goals(&self) -> &Goals {
        &self.history.goals
    }

    /// Continues this simulation from a saved state. `step`: number of completed steps; `made`:
    /// number of completed stages of the present step; `numbers` and `next`: the numbers of the
    /// vents and the next free number, from [`Simulation::passed`]. Vents, rules and events must
    /// have been validated.
    ///
    /// # Errors
    /// Message that names the data which contradict each other.
    pub fn resumed(
        self,
        events: Vec<Event>,
        (step, made): (u64, usize),
        numbers: &[usize],
        next: usize,
    ) -> Result<Self, Invalid> {
        let Self {
            mut state,
            history,
            engine,
            timings,
            cut,
        } = self;
        let past = events
            .iter()
            .position(|event| event.at > step)
            .unwrap_or(events.len());
        if !events[past..].is_sorted_by_key(|event| event.at) {
            return Err(Invalid::new(
                "event",
                "in disorder",
                "in the order of their steps",
            ));
        }
        let vents = history.vents.numbered(numbers, next)?;
        let mut history = History {
            step,
            made,
            vents,
            past,
            ..history
        };
        events
            .iter()
            .try_for_each(|event| history.check_there(&event.command))?;
        for event in &events[..past] {
            history.set(&event.command, state.grid());
        }
        history.events = events;
        put_in_force(history.wind.as_ref(), &mut state);
        let stages = history.stages(&state).count();
        within("stages", made as f64, 0.0, stages as f64 - 1.0)?;
        Ok(Self {
            state,
            history,
            engine,
            timings,
            cut,
        })
    }

    /// Advances the simulation by one step: runs the stages in order, then carries out the events
    /// that are due after the step. Continues an interrupted step from its next stage.
    pub fn step(&mut self) {
        let draw = Draw {
            seed: self.history.seed,
            step: self.history.step,
        };
        let (made, is_asked) = (self.history.made, |cut: &AtomicBool| {
            cut.load(Ordering::Relaxed)
        });
        let mut cut = 0;
        // At least one stage runs per call, so that an interrupted step advances even while `cut`
        // stays set.
        for (number, stage) in self.history.stages(&self.state).enumerate().skip(made) {
            if number > made
                && stage.can_wait(&self.state)
                && self.cut.as_deref().is_some_and(is_asked)
            {
                cut = number;
                break;
            }
            if stage.is_due(draw.step) {
                self.timings.time(stage, || {
                    stage.run(&mut self.state, &mut *self.engine, draw)
                });
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

    /// Completes an interrupted step; does nothing if no step was interrupted.
    fn end_step(&mut self) {
        let cut = self.cut.take();
        if self.history.made > 0 {
            self.step();
        }
        self.cut = cut;
    }

    /// Registers a flag that aborts a step of the physical model: when `stop` is true, the step is
    /// discarded and the simulation has the state before that step. Later steps give the same bits
    /// as without the abort.
    pub fn stop_by(&mut self, stop: Arc<AtomicBool>) {
        if let Some(flowing) = &mut self.state.flow {
            flowing.flow.stop_by(stop);
        }
    }

    /// Registers a flag that interrupts a step between two stages: when `cut` is true,
    /// [`Simulation::step`] returns before the next stage. The next call, even after a snapshot or
    /// a checkpoint, continues with that stage, and the step gives the same bits as without
    /// interruption.
    pub fn cut_by(&mut self, cut: Arc<AtomicBool>) {
        self.cut = Some(cut);
    }

    /// Defers the display of the flow in the cells, if the world contains only lava and no air:
    /// lava is then written into the cells only by [`Simulation::show`], which must be called
    /// before cells are read. [`State::flow`] is always up to date.
    pub fn show_when_asked(&mut self) {
        self.state.defer_flow();
    }

    /// Writes the lava of the physical model into all cells whose display is out of date, after
    /// `Simulation::show_when_asked`.
    pub fn show(&mut self) {
        self.state.show_flow();
    }

    /// Returns true if the last call of [`Simulation::step`] was aborted or interrupted.
    pub fn was_stopped(&self) -> bool {
        self.history.made > 0 || self.state.flow().is_some_and(Flow::was_stopped)
    }

    /// Returns the number of stages completed in an interrupted step that has not been continued;
    /// otherwise 0.
    pub fn stages_made(&self) -> usize {
        self.history.made
    }

    fn run_due_events(&mut self) {
        while let Some(event) = self
            .history
            .events
            .get(self.history.past)
            .filter(|event| event.at <= self.history.step)
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

    /// Carries out a command at once and records it: an edit, or a change of vents, rules, a
    /// material, the wind or the seed. Completes an interrupted step first.
    ///
    /// # Errors
    /// If a number is out of range, a vent is unknown, or the model of this world does not support
    /// the command. The simulation is then unchanged.
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

    /// Returns true if every parameter that `command` sets already has the given value, so that the
    /// command would change nothing.
    pub fn has_in_force(&self, command: &Command) -> bool {
        self.history.has(command)
    }

    /// Returns a snapshot of the simulation. `other`: earlier snapshot, which shares its ground
    /// with the new one if the ground is unchanged.
    pub fn snapshot(&self, other: Option<&Snapshot>) -> Snapshot {
        let state = PackedState::new(&self.state, other.map(|other| &other.state));
        Snapshot {
            state,
            history: self.history.clone(),
            clock: self.state.flow().map(Flow::clock).cloned(),
        }
    }

    /// Returns to a snapshot of this simulation and discards everything since. Steps that are
    /// repeated from there give the same bits as before.
    pub fn go_back(&mut self, snapshot: &Snapshot) {
        snapshot.state.unpack_into(&mut self.state);
        self.history.clone_from(&snapshot.history);
        for (flowing, clock) in self.state.flow.iter_mut().zip(&snapshot.clock) {
            flowing.flow.set_clock(clock.clone());
        }
        put_in_force(self.history.wind.as_ref(), &mut self.state);
    }

    /// Returns the present state: the world, and its flow and its air if there are any.
    pub fn world(&self) -> &State {
        &self.state
    }

    /// Returns the present rules in the form that engines use, with parameters as integers.
    pub fn rules(&self) -> &Rules {
        &self.history.rules
    }

    /// Returns the present parameters of the lava's rules in the form that scene files use.
    pub fn rules_spec(&self) -> &RulesSpec {
        &self.history.spec
    }

    /// Returns the boundary condition at the sides of the simulation box for lava, in the cellular
    /// automaton (classic model) and in the physical model.
    pub fn walls(&self) -> Walls {
        match self.state.flow().map(|flow| flow.setup().open_sides) {
            None => self.history.spec.walls,
            Some(true) => Walls::Open,
            Some(false) => Walls::Closed,
        }
    }

    /// Returns the simulated time in seconds; `None` in the cellular automaton (classic model).
    pub fn time_s(&self) -> Option<f64> {
        self.state
            .flow()
            .map(|flow| flow.clock().time_s(self.history.step))
    }

    /// Returns true if this simulation is behind `other`: in simulated time if both use the
    /// physical model, else in steps.
    pub fn is_behind(&self, other: &Self) -> bool {
        match (self.time_s(), other.time_s()) {
            // Tolerance: sums of different step lengths differ in the last bits.
            (Some(own), Some(to)) => own < to * (1.0 - 1e-9),
            _ => self.steps() < other.steps(),
        }
    }

    /// Sets the end of a simulation of the physical model: the step during which the simulated time
    /// reaches `end_s` (seconds) ends at that time, and later steps have full length. With `None`,
    /// or in a world with air, all steps have full length.
    pub fn end_at(&mut self, end_s: Option<f64>) {
        let end_s = end_s.filter(|_| self.state.air().is_none());
        if let Some(flowing) = &mut self.state.flow {
            flowing.flow.end_at(end_s);
        }
    }

    /// Returns the materials other than lava with all changes so far, in the order of the layers.
    pub fn materials(&self) -> &[Material] {
        &self.history.materials[1..]
    }

    /// Iterates over the vents that pour in the present or a later step, as pairs (permanent
    /// number, vent), by ascending number.
    pub fn open_vents(&self) -> impl Iterator<Item = (usize, &VentSpec)> {
        self.history.vents.open(self.history.step)
    }

    /// Returns the wind at present; `None` without air.
    pub fn wind(&self) -> Option<&Wind> {
        self.history.wind.as_ref()
    }

    /// Iterates over all vents, past, present and future, in the order in which they pour.
    pub fn vents(&self) -> impl Iterator<Item = &VentSpec> {
        self.history.vents.specs()
    }

    /// Iterates over those of [`Simulation::vents`] that pour lava.
    pub fn lava_vents(&self) -> impl Iterator<Item = &VentSpec> {
        self.vents().filter(|vent| vent.list() == List::Vents)
    }

    /// Returns the data that a checkpoint must store in addition to the state and the recorded
    /// scene (`lavoxel::scene::Scene::recorded`).
    pub fn passed(&self) -> Passed<'_> {
        // The omitted fields follow from the scene: its events determine the current rules,
        // materials, wind and seed.
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
        Passed {
            step: *step,
            made: *made,
            vent_numbers,
            next_vent,
            goals,
        }
    }

    /// Returns all events, past and future, by ascending step.
    pub fn events(&self) -> &[Event] {
        &self.history.events
    }

    /// Returns the number of completed steps.
    pub fn steps(&self) -> u64 {
        self.history.step
    }

    /// Returns the present seed of the random numbers, such as those that choose the spreading
    /// directions of lava.
    pub fn seed(&self) -> u64 {
        self.history.seed
    }

    /// Returns the time that each kind of stage has taken so far, and how often it was executed.
    pub fn timings(&self) -> &Timings {
        &self.timings
    }
}

impl From<World> for Simulation {
    /// Creates a simulation at step 0 with the default rules, no vents, seed 1 and the default
    /// engine.
    fn from(world: World) -> Self {
        Self::new(
            world,
            &RulesSpec::default(),
            &[],
            1,
            Box::new(Tiled::default()),
        )
    }
}

/// Sets the wind of the restored air in `state` to `wind` without changing the velocity of the air.
fn put_in_force(wind: Option<&Wind>, state: &mut State) {
    state
        .air
        .iter_mut()
        .zip(wind)
        .for_each(|(over, wind)| over.air.set_wind(wind));
}
