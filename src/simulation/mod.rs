//! A running simulation: `step` reads as the recipe of the automaton, with a timer for each stage.
//!
//! Whatever happens to it beside the steps is a vent or an [`Event`], whether a scene foresaw it or a person wants it
//! now. Both are remembered, so that [`crate::scene::Scene::recorded`] can write a scene that replays to the same bits.

mod event;
mod timings;

use crate::engine::tiled::Tiled;
use crate::engine::{Engine, Stage};
use crate::random::Draw;
use crate::rules::{Rules, RulesSpec};
use crate::source::{VentSpec, Vents};
use crate::validate::{Invalid, within};
use crate::world::{Ground, PackedWorld, World};

#[cfg(feature = "files")]
pub(crate) use self::event::check_seed;
pub use self::event::{Act, Event, EventSpec, MAX_EVENTS};
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
pub use self::timings::system_clock;
pub use self::timings::{Clock, StageTime, Timings};

/// A world, its rules, vents and events, and the engine that carries them out.
pub struct Simulation {
    world: World,
    history: History,
    engine: Box<dyn Engine>,
    timings: Timings,
}

/// Everything beside the world on which the bits of later states depend, and how it came to be.
#[derive(Clone, Debug)]
struct History {
    step: u64,
    seed: u64,
    rules: Rules,
    spec: RulesSpec,
    vents: Vents,
    /// In the order of their steps; the first `past` have taken place.
    events: Vec<Event>,
    past: usize,
}

impl History {
    /// What a step consists of, in order.
    fn stages(&self) -> impl Iterator<Item = Stage<'_>> {
        std::iter::once(Stage::Sources(&self.vents)).chain(Stage::of_rules(&self.rules))
    }

    /// Puts the rules or the seed of an act in force.
    fn set(&mut self, act: &Act) {
        match act {
            Act::Put(_) => {}
            Act::Rules(spec) => (self.rules, self.spec) = (Rules::from(spec), spec.clone()),
            Act::Seed(seed) => self.seed = *seed,
        }
    }
}

/// A state of a simulation put aside, to come back to it.
#[derive(Clone, Debug)]
pub struct Snapshot {
    world: PackedWorld,
    history: History,
}

impl Snapshot {
    /// Steps that were made.
    pub fn steps(&self) -> u64 {
        self.history.step
    }

    /// The ground, which other moments may share.
    pub fn ground(&self) -> &std::sync::Arc<Ground> {
        self.world.ground()
    }

    /// Memory that it takes beside the ground, in bytes.
    pub fn bytes(&self) -> usize {
        self.world.bytes() + self.history.events.len() * size_of::<Event>() + self.history.vents.bytes()
    }
}

impl Simulation {
    /// A simulation at step 0 with rules and vents that were checked. The bits of every later state follow from these
    /// arguments and from what happens; the engine only decides how fast they come.
    pub fn new(world: World, rules: &RulesSpec, vents: &[VentSpec], seed: u64, engine: Box<dyn Engine>) -> Self {
        let vents = Vents::new(vents, world.grid());
        let (events, past) = (Vec::new(), 0);
        let history = History { step: 0, seed, rules: Rules::from(rules), spec: rules.clone(), vents, events, past };
        Self { world, history, engine, timings: Timings::default() }
    }

    /// Measures the time of every stage by `clock` from now on; without one only the runs are counted.
    #[must_use]
    pub fn with_clock(self, clock: Clock) -> Self {
        Self { timings: Timings::by(clock), ..self }
    }

    /// Adds checked events that will take place by themselves; of equal steps, in the given order.
    #[must_use]
    pub fn with_events(mut self, events: Vec<Event>) -> Self {
        self.history.events.extend(events);
        self.history.events[self.history.past..].sort_by_key(|event| event.at);
        self.let_happen();
        self
    }

    /// A simulation in its midst: `world` is what the events before came to in `step` steps, and `numbers` are those of
    /// [`Simulation::vent_numbers`]. Vents, rules and events were checked.
    ///
    /// # Errors
    /// Names what cannot be together.
    pub(crate) fn resumed(
        self,
        events: Vec<Event>,
        step: u64,
        numbers: &[usize],
        next: usize,
    ) -> Result<Self, Invalid> {
        let Self { world, history, engine, timings } = self;
        let past = events.iter().position(|event| event.at > step).unwrap_or(events.len());
        if !events[past..].is_sorted_by_key(|event| event.at) {
            return Err(Invalid::new("event", "in disorder", "in the order of their steps"));
        }
        let vents = history.vents.numbered(numbers, next)?;
        let mut history = History { step, vents, past, ..history };
        for event in &events[..past] {
            history.set(&event.act);
        }
        history.events = events;
        Ok(Self { world, history, engine, timings })
    }

    /// One step: the stages that are due, in their order; then the events that are due after it.
    pub fn step(&mut self) {
        let draw = Draw { seed: self.history.seed, step: self.history.step };
        for stage in self.history.stages() {
            if stage.is_due(draw.step) {
                self.timings.time(stage, || self.engine.run(&mut self.world, stage, draw));
            }
        }
        self.history.step += 1;
        self.let_happen();
    }

    /// Lets all events take place that are due.
    fn let_happen(&mut self) {
        while let Some(event) = self.history.events.get(self.history.past).filter(|event| event.at <= self.history.step)
        {
            let act = event.act.clone();
            self.history.past += 1;
            self.carry_out(&act);
        }
    }

    fn carry_out(&mut self, act: &Act) {
        if let Act::Put(edit) = act {
            self.world.edit(edit);
        }
        self.history.set(act);
    }

    /// Lets something happen now and remembers it.
    pub fn act(&mut self, act: Act) -> Result<(), Invalid> {
        act.validate()?;
        let history = &mut self.history;
        let nothing_new = match &act {
            Act::Put(_) => false,
            Act::Rules(spec) => *spec == history.spec,
            Act::Seed(seed) => *seed == history.seed,
        };
        if nothing_new {
            return Ok(());
        }
        // Of several settings between two steps only the last counts: a dragged slider leaves one event.
        let replaces = |old: &&Event| {
            let alike = std::mem::discriminant(&old.act) == std::mem::discriminant(&act);
            old.at == history.step && alike && !matches!(act, Act::Put(_))
        };
        if history.events[..history.past].last().filter(replaces).is_some() {
            history.past -= 1;
            history.events.remove(history.past);
        }
        let events = history.events.len() + 1;
        within("number of [[event]] tables", events as f64, 0.0, MAX_EVENTS as f64)?;
        self.carry_out(&act);
        let history = &mut self.history;
        history.events.insert(history.past, Event { at: history.step, act });
        history.past += 1;
        Ok(())
    }

    /// Adds a vent and gives its number; a start in the past becomes the present step.
    pub fn place_vent(&mut self, spec: VentSpec) -> Result<usize, Invalid> {
        self.history.vents.place(spec, self.history.step, self.world.grid())
    }

    /// Gives a vent that is not over another place, rate or time from the present step on; it keeps its number.
    pub fn change_vent(&mut self, number: usize, spec: VentSpec) -> Result<(), Invalid> {
        self.history.vents.change(number, spec, self.history.step, self.world.grid())
    }

    /// Ends a vent now.
    pub fn close_vent(&mut self, number: usize) -> Result<(), Invalid> {
        self.history.vents.close(number, self.history.step, self.world.grid())
    }

    /// The present state, to come back to it; `beside` is another one that may share its ground.
    pub fn snapshot(&self, beside: Option<&Snapshot>) -> Snapshot {
        let world = PackedWorld::new(&self.world, beside.map(|moment| &moment.world));
        Snapshot { world, history: self.history.clone() }
    }

    /// Goes back to a moment of this simulation. What happened after it is forgotten; the steps that follow give the
    /// bits that they gave the first time.
    pub fn go_back(&mut self, moment: &Snapshot) {
        moment.world.unpack_into(&mut self.world);
        self.history.clone_from(&moment.history);
    }

    /// The world as it is now.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// The rules in force.
    pub fn rules(&self) -> &Rules {
        &self.history.rules
    }

    /// The rules in force, as a person writes them.
    pub fn rules_spec(&self) -> &RulesSpec {
        &self.history.spec
    }

    /// Number and spec of the vents that pour or will pour.
    pub fn open_vents(&self) -> impl Iterator<Item = (usize, &VentSpec)> {
        self.history.vents.open(self.history.step)
    }

    /// All vents that poured or will pour, in the order in which they do.
    pub fn vents(&self) -> impl Iterator<Item = &VentSpec> {
        self.history.vents.specs()
    }

    /// The numbers of [`Simulation::vents`], and that of the next vent.
    pub(crate) fn vent_numbers(&self) -> (Vec<usize>, usize) {
        self.history.vents.numbers()
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
