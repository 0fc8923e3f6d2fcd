//! Soak test: random sequences of all actions on a simulation, whose accounts must stay exact to
//! the smallest unit.
//!
//! `LAVOXEL_SOAK_STEPS=1000000 cargo test --release --no-default-features --test files soak --
//! --nocapture` is the long run.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::path::Path;
use std::time::Instant;

use crate::common::{Dice, SCENE, meddle, one_in, plain, tiled};
use lavoxel::checkpoint::{Checkpoint, CheckpointWriter};
use lavoxel::scene::Scene;
use lavoxel::simulation::Snapshot;

/// Number of simulation steps of a full run unless `LAVOXEL_SOAK_STEPS` is set.
const STEPS: u64 = 4000;

/// Upper bound of the number of edits: a simulation stores every edit, and rejects edits beyond its
/// own limit.
const MOST_CHANGES: u64 = 8000;

/// Numbers of actions, for the last line of output.
#[derive(Debug, Default)]
struct Counts {
    changes: u64,
    rewinds: u64,
    checkpoints: u64,
    checks: u64,
}

/// State of the running soak test.
struct Soak {
    run: Checkpoint,
    dice: Dice,
    moments: Vec<Snapshot>,
    counts: Counts,
}

impl Soak {
    fn new() -> Self {
        let scene = Scene::parse(SCENE, Path::new("scene.toml")).unwrap();
        let stage = scene.build(tiled()).unwrap();
        let run = Checkpoint {
            scene,
            stage,
            extras: [].into(),
        };
        Self {
            run,
            dice: Dice(2026),
            moments: Vec::new(),
            counts: Counts::default(),
        }
    }

    /// Makes one step, and sometimes random actions. `of`: total number of steps of the test.
    fn step(&mut self, of: u64) {
        self.run.stage.simulation.step();
        if self.dice.below((of / MOST_CHANGES).max(10)) == 0 {
            meddle(&mut self.run.stage.simulation, &mut self.dice);
            self.counts.changes += 1;
        }
        match self.dice.below(2000) {
            0..20 => self
                .moments
                .push(self.run.stage.simulation.snapshot(self.moments.last())),
            20..30 => self.rewind(),
            30..34 => self.save_and_load(),
            _ => {}
        }
        if self.dice.below(50) == 0 {
            self.check();
        }
    }

    /// Restores one of the last few snapshots.
    fn rewind(&mut self) {
        let last = self.moments.len().saturating_sub(5);
        self.moments.drain(..last);
        if !self.moments.is_empty() {
            self.moments
                .truncate(1 + self.dice.below(self.moments.len() as u64) as usize);
            self.run
                .stage
                .simulation
                .go_back(self.moments.last().unwrap());
            self.counts.rewinds += 1;
        }
    }

    /// Writes a checkpoint, and resumes from it on either engine.
    fn save_and_load(&mut self) {
        let Checkpoint { scene, stage, .. } = &self.run;
        let (hash, mut bytes) = (stage.simulation.world().state_hash(), Vec::new());
        CheckpointWriter {
            scene,
            stage,
            extras: &[],
        }
        .write(Path::new("soak.lvx"), &mut bytes)
        .unwrap();
        let engine = if self.dice.below(4) == 0 {
            plain()
        } else {
            tiled()
        };
        self.run = Checkpoint::read(&bytes[..], Path::new("soak.lvx"), engine)
            .unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(self.run.stage.simulation.world().state_hash(), hash);
        self.counts.checkpoints += 1;
    }

    fn check(&mut self) {
        let simulation = &self.run.stage.simulation;
        simulation
            .world()
            .check()
            .unwrap_or_else(|fault| panic!("at step {}: {fault}", simulation.steps()));
        self.counts.checks += 1;
    }
}

#[test]
fn the_account_is_exact_after_whatever_happens() {
    let steps = std::env::var("LAVOXEL_SOAK_STEPS").map_or(STEPS / one_in(2) as u64, |text| {
        text.parse().expect("a number of steps")
    });
    let (start, mut soak) = (Instant::now(), Soak::new());
    for made in 1..=steps {
        soak.step(steps);
        if made.is_multiple_of((steps / 10).max(1)) {
            eprintln!(
                "{made} steps, {:.0} s: {:?}",
                start.elapsed().as_secs_f64(),
                soak.counts
            );
        }
    }
    soak.check();
    let world = soak.run.stage.simulation.world();
    let ledger = world.lava().ledger();
    let (mass, gone) = (
        world.lava().mass(),
        ledger.outflow + ledger.solidified + ledger.removed + ledger.used,
    );
    assert_eq!(
        mass + gone,
        ledger.initial + ledger.sourced + ledger.made,
        "exact to the unit"
    );
    for (element, account) in world.elements() {
        assert_eq!(account.now + account.left, account.came, "{element}");
    }
    assert!(
        ledger.outflow > 0 && ledger.removed > 0 && ledger.sourced > 0,
        "something happened: {ledger:?}"
    );
    assert!(
        soak.counts.rewinds > 0 && soak.counts.checkpoints > 0,
        "{:?}",
        soak.counts
    );
    eprintln!("exact after {steps} steps: {mass} units there, {ledger:?}");
}
