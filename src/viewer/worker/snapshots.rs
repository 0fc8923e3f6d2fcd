//! Kept snapshots: the start, those that the user keeps, and automatic ones, thinned so that their memory stays small.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::simulation::{Simulation, Snapshot};

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
    kept: BTreeMap<u64, Kept>,
    /// Steps between automatic snapshots; doubled when there are too many.
    every: u64,
    most_bytes: usize,
}

#[derive(Debug)]
struct Kept {
    snapshot: Snapshot,
    by_hand: bool,
}

impl Snapshots {
    /// The present snapshot is the start.
    pub(super) fn new(simulation: &Simulation, most_bytes: usize) -> Self {
        Self { start: simulation.snapshot(None), kept: BTreeMap::new(), every: EVERY, most_bytes }
    }

    /// Keeps the present snapshot when it is time for an automatic one.
    pub(super) fn offer(&mut self, simulation: &Simulation) {
        let step = simulation.steps();
        if step.is_multiple_of(self.every) && !self.kept.contains_key(&step) {
            self.insert(simulation, false);
            self.thin();
        }
    }

    /// Keeps the present snapshot until a rewind to before it, and returns whether there was room for it.
    pub(super) fn keep(&mut self, simulation: &Simulation) -> bool {
        self.insert(simulation, true);
        self.thin();
        let fits = self.bytes() <= self.most_bytes;
        if !fits {
            self.kept.remove(&simulation.steps());
        }
        fits
    }

    fn insert(&mut self, simulation: &Simulation, by_hand: bool) {
        let last = self.kept.values().next_back().map_or(&self.start, |kept| &kept.snapshot);
        let snapshot = simulation.snapshot(Some(last));
        self.kept.insert(simulation.steps(), Kept { snapshot, by_hand });
    }

    /// Keeps fewer automatic snapshots until all are few and small.
    fn thin(&mut self) {
        loop {
            let automatic = self.kept.values().filter(|kept| !kept.by_hand).count();
            if automatic == 0 || automatic <= MOST && self.bytes() <= self.most_bytes {
                return;
            }
            self.every = self.every.saturating_mul(2);
            let every = self.every;
            self.kept.retain(|step, kept| kept.by_hand || step.is_multiple_of(every));
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

    /// The snapshot of a step.
    pub(super) fn at(&self, step: u64) -> Option<&Snapshot> {
        self.kept.get(&step).map(|kept| &kept.snapshot).or((step == 0).then_some(&self.start))
    }

    /// Drops the snapshots after a step.
    pub(super) fn forget_after(&mut self, step: u64) {
        self.kept.retain(|&kept, _| kept <= step);
    }

    /// Drops all but the start, and returns it.
    pub(super) fn restart(&mut self) -> &Snapshot {
        self.kept.clear();
        self.every = EVERY;
        &self.start
    }

    /// Their steps, in order.
    pub(super) fn steps(&self) -> Vec<u64> {
        std::iter::once(0).chain(self.kept.keys().copied().filter(|&step| step > 0)).collect()
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
            snapshots.offer(&simulation);
            if step == 777 {
                assert!(snapshots.keep(&simulation));
            }
            assert!(snapshots.bytes() <= cap, "step {step}");
        }
        let steps = snapshots.steps();
        assert!(steps.len() > 4 && steps.contains(&0) && steps.contains(&777), "{steps:?}");
        assert!(steps.iter().all(|step| *step == 777 || step % snapshots.every == 0), "{steps:?}");

        snapshots.forget_after(1000);
        assert!(snapshots.steps().iter().all(|&step| step <= 1000));
        let snapshot = snapshots.at(777).expect("kept by hand");
        assert_eq!(snapshot.steps(), 777);
        assert!(snapshots.at(778).is_none());
        assert_eq!(snapshots.restart().steps(), 0);
        assert_eq!(snapshots.steps(), [0]);
    }

    #[test]
    fn grounds_that_differ_take_their_memory() {
        let mut simulation = simulation(Grid::new(20, 20, 20), 0.05);
        let one = simulation.snapshot(None);
        let cap = 4 * one.bytes() + one.ground().bytes() * 3 / 2;
        let mut snapshots = Snapshots::new(&simulation, cap);
        assert!(snapshots.keep(&simulation), "the ground is shared");
        simulation.step();
        assert!(snapshots.keep(&simulation) && snapshots.bytes() < cap);
        let shape = Shape::Sphere { center: [5.0; 3], radius: 2.0 };
        simulation.command(Edit { shape, matter: Matter::Rock }).expect("a small edit");
        simulation.step();
        assert!(!snapshots.keep(&simulation), "no room for another ground");
        assert_eq!(snapshots.steps(), [0, 1]);
    }
}
