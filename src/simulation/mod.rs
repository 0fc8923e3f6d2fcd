//! A running simulation: `step` reads as the recipe of the automaton, with a timer for each stage.

use std::time::{Duration, Instant};

use crate::engine::Engine;
use crate::random::StepKey;
use crate::rules::Rules;
use crate::source::Vent;
use crate::world::{Edit, World};

/// Time spent in one stage.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stage {
    /// Times it ran.
    pub runs: u64,
    /// Time in all.
    pub total: Duration,
    /// Time of the last run.
    pub last: Duration,
}

impl Stage {
    /// Runs `work` and adds its time.
    pub fn time<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = work();
        self.last = start.elapsed();
        self.total += self.last;
        self.runs += 1;
        result
    }

    /// Mean time of a run in milliseconds, 0 when it never ran.
    pub fn mean_ms(&self) -> f64 {
        if self.runs == 0 { 0.0 } else { self.total.as_secs_f64() * 1e3 / self.runs as f64 }
    }
}

/// Time spent in each stage of the steps so far.
#[derive(Clone, Copy, Debug, Default)]
pub struct Timings {
    /// Vents.
    pub sources: Stage,
    /// Gravity.
    pub gravity: Stage,
    /// Spreading.
    pub spreading: Stage,
}

/// A world, its rules and vents, and the engine that carries them out.
pub struct Simulation {
    world: World,
    rules: Rules,
    vents: Vec<Vent>,
    engine: Box<dyn Engine>,
    seed: u64,
    step: u64,
    timings: Timings,
}

impl Simulation {
    /// A simulation at step 0. The bits of every later state follow from these arguments alone; the engine only
    /// decides how fast they come.
    pub fn new(world: World, rules: Rules, vents: Vec<Vent>, seed: u64, engine: Box<dyn Engine>) -> Self {
        Self { world, rules, vents, engine, seed, step: 0, timings: Timings::default() }
    }

    /// One step: sources, gravity, spreading.
    pub fn step(&mut self) {
        self.timings.sources.time(|| {
            for vent in &self.vents {
                vent.pour(&mut self.world, self.step);
            }
        });
        self.timings.gravity.time(|| self.engine.gravity(&mut self.world, &self.rules));
        if self.spreads_now() {
            let key = StepKey::new(self.seed, self.step);
            self.timings.spreading.time(|| self.engine.spreading(&mut self.world, &self.rules, key));
        }
        self.step += 1;
    }

    /// Whether this step has a spreading step: the last of every `spreading_every`.
    fn spreads_now(&self) -> bool {
        (self.step + 1).is_multiple_of(u64::from(self.rules.spreading_every))
    }

    /// Changes the world between two steps.
    pub fn edit(&mut self, edit: &Edit) {
        self.world.edit(edit);
    }

    /// The world as it is now.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// The rules in force.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Steps made so far.
    pub fn steps(&self) -> u64 {
        self.step
    }

    /// The seed of the random patterns.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Time spent so far.
    pub fn timings(&self) -> &Timings {
        &self.timings
    }
}
