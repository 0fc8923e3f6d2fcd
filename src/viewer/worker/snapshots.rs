//! Kept moments: the start, those that the user keeps, those that a rewind leaves, and automatic ones, thinned so that
//! their memory stays small.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::simulation::{Simulation, Snapshot};
use crate::viewer::messages::{KeptMoment, Moment};

/// Most memory of all snapshots in bytes; the start is kept even if it takes more.
pub(super) const MOST_BYTES: usize = 512 << 20;
/// Steps between automatic snapshots, at first.
const EVERY: u64 = 100;
/// Most automatic snapshots.
const MOST: usize = 64;

/// The snapshots of one session.
#[derive(Debug)]
pub(super) struct Snapshots {
    start: Snapshot,
    kept: BTreeMap<Moment, Kept>,
    /// Steps between automatic snapshots; doubled when there are too many.
    every: u64,
    most_bytes: usize,
}

#[derive(Debug)]
struct Kept {
    snapshot: Snapshot,
    why: Why,
}

/// Why a moment is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Why {
    /// Its time had come.
    Automatic,
    /// A rewind went away from it.
    Left,
    /// The user wanted it.
    ByHand,
}

impl Snapshots {
    /// The present snapshot is the start.
    pub(super) fn new(simulation: &Simulation, most_bytes: usize) -> Self {
        Self { start: simulation.snapshot(None), kept: BTreeMap::new(), every: EVERY, most_bytes }
    }

    /// Keeps the present moment, before which so many commands were given, when it is time for an automatic one.
    pub(super) fn offer(&mut self, simulation: &Simulation, acts: usize) {
        let step = simulation.steps();
        if step.is_multiple_of(self.every) && !self.kept.contains_key(&Moment { step, acts }) {
            self.insert(simulation, acts, Why::Automatic);
            self.thin();
        }
    }

    /// Keeps the present moment for the user, and returns whether there was room for it.
    pub(super) fn keep(&mut self, simulation: &Simulation, acts: usize) -> bool {
        self.insert_if_it_fits(simulation, acts, Why::ByHand)
    }

    /// Keeps the present moment, from which a rewind goes away, and returns whether there was room for it.
    pub(super) fn leave(&mut self, simulation: &Simulation, acts: usize) -> bool {
        let moment = Moment { step: simulation.steps(), acts };
        self.at(moment).is_some() || self.insert_if_it_fits(simulation, acts, Why::Left)
    }

    fn insert_if_it_fits(&mut self, simulation: &Simulation, acts: usize, why: Why) -> bool {
        self.insert(simulation, acts, why);
        self.thin();
        let fits = self.bytes() <= self.most_bytes;
        if !fits {
            self.kept.remove(&Moment { step: simulation.steps(), acts });
        }
        fits
    }

    fn insert(&mut self, simulation: &Simulation, acts: usize, why: Why) {
        let moment = Moment { step: simulation.steps(), acts };
        let before = self.kept.range(..=moment).next_back().map_or(&self.start, |(_, kept)| &kept.snapshot);
        let snapshot = simulation.snapshot(Some(before));
        self.kept.insert(moment, Kept { snapshot, why });
    }

    /// Keeps fewer automatic snapshots until all are few and small.
    fn thin(&mut self) {
        loop {
            let automatic = self.kept.values().filter(|kept| kept.why == Why::Automatic).count();
            if automatic == 0 || automatic <= MOST && self.bytes() <= self.most_bytes {
                return;
            }
            self.every = self.every.saturating_mul(2);
            let every = self.every;
            self.kept.retain(|moment, kept| kept.why != Why::Automatic || moment.step.is_multiple_of(every));
        }
    }

    /// Memory of all of them; a shared ground counts once.
    fn bytes(&self) -> usize {
        let mut bytes = self.start.bytes() + self.start.ground().bytes();
        let mut ground = self.start.ground();
        for Kept { snapshot, .. } in self.kept.values() {
            bytes += snapshot.bytes();
            if !Arc::ptr_eq(ground, snapshot.ground()) {
                ground = snapshot.ground();
                bytes += ground.bytes();
            }
        }
        bytes
    }

    /// The snapshot of a moment.
    pub(super) fn at(&self, moment: Moment) -> Option<&Snapshot> {
        self.kept.get(&moment).map(|kept| &kept.snapshot).or((moment == Moment::START).then_some(&self.start))
    }

    /// Whether one of them lies ahead of a moment.
    pub(super) fn any_after(&self, moment: Moment) -> bool {
        self.kept.keys().any(|kept| *kept > moment)
    }

    /// Drops the moments ahead of this one, and returns how many they were.
    pub(super) fn forget_after(&mut self, moment: Moment) -> usize {
        let before = self.kept.len();
        self.kept.retain(|kept, _| kept.step <= moment.step && kept.acts <= moment.acts);
        before - self.kept.len()
    }

    /// All of them, in order.
    pub(super) fn list(&self) -> Vec<KeptMoment> {
        let by_hand = |why: Why| why == Why::ByHand;
        let start = KeptMoment {
            moment: Moment::START,
            by_hand: self.kept.get(&Moment::START).is_some_and(|kept| by_hand(kept.why)),
        };
        let others = self.kept.iter().filter(|(moment, _)| **moment != Moment::START);
        let others = others.map(|(moment, kept)| KeptMoment { moment: *moment, by_hand: by_hand(kept.why) });
        std::iter::once(start).chain(others).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::tiled::Tiled;
    use crate::grid::Grid;
    use crate::rules::RulesSpec;
    use crate::world::{Edit, Matter, Shape, World};

    fn simulation(grid: Grid, share: f64) -> Simulation {
        let world = World::restless(grid, share);
        Simulation::new(world, &RulesSpec::default(), &[], 1, Box::new(Tiled::default()))
    }

    #[test]
    fn memory_stays_under_its_cap_and_the_start_is_kept() {
        let mut simulation = simulation(Grid::new(10, 8, 10), 0.4);
        let one = simulation.snapshot(None);
        let cap = one.ground().bytes() + 9 * one.bytes();
        let mut snapshots = Snapshots::new(&simulation, cap);
        for step in 1..=3000 {
            simulation.step();
            snapshots.offer(&simulation, 0);
            if step == 777 {
                assert!(snapshots.keep(&simulation, 0));
            }
            assert!(snapshots.bytes() <= cap, "step {step}");
        }
        let steps: Vec<u64> = snapshots.list().iter().map(|kept| kept.moment.step).collect();
        assert!(steps.len() > 4 && steps.contains(&0) && steps.contains(&777), "{steps:?}");
        assert!(steps.iter().all(|step| *step == 777 || step % snapshots.every == 0), "{steps:?}");

        let at = |step: u64| Moment { step, acts: 0 };
        assert!(snapshots.any_after(at(1000)) && snapshots.forget_after(at(1000)) > 1);
        assert!(snapshots.list().iter().all(|kept| kept.moment.step <= 1000) && !snapshots.any_after(at(1000)));
        assert_eq!(snapshots.at(at(777)).expect("kept by hand").steps(), 777);
        assert!(snapshots.at(at(778)).is_none());
        assert_eq!(snapshots.at(Moment::START).expect("always kept").steps(), 0);
    }

    #[test]
    fn grounds_that_differ_take_their_memory() {
        let mut simulation = simulation(Grid::new(20, 20, 20), 0.05);
        let one = simulation.snapshot(None);
        let cap = 4 * one.bytes() + one.ground().bytes() * 3 / 2;
        let mut snapshots = Snapshots::new(&simulation, cap);
        assert!(snapshots.keep(&simulation, 0), "the ground is shared");
        simulation.step();
        assert!(snapshots.keep(&simulation, 0) && snapshots.bytes() < cap);
        let shape = Shape::Sphere { center: [5.0; 3], radius: 2.0 };
        simulation.command(Edit { shape, matter: Matter::Rock }).expect("a small edit");
        simulation.step();
        assert!(!snapshots.keep(&simulation, 1), "no room for another ground");
        let moments: Vec<_> = snapshots.list().iter().map(|kept| (kept.moment.step, kept.moment.acts)).collect();
        assert_eq!(moments, [(0, 0), (1, 0)]);
    }
}
