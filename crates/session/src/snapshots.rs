//! Snapshots of the simulation's state at some moments, from which the session returns to earlier
//! states: the start, moments kept by the user, tips of branches that were left, and automatic
//! snapshots. A moment consists of an act (recorded command) and a step, so branches share the
//! snapshots of their common acts.
//!
//! An automatic snapshot is due once the steps since the last snapshot have taken the computing
//! time `APART`, which bounds the replay time to any later moment. Above the limits of count and
//! memory, snapshots with the smallest gap relative to their distance from the present are dropped
//! first: the remaining snapshots are dense near the present and become sparser towards the past.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use web_time::Instant;

use crate::history::{History, Moment};
use lavoxel_base::memory::Held;
use lavoxel_sim::simulation::{Simulation, Snapshot};

/// Upper bound of the memory of all snapshots in bytes (128 MiB), reduced if the program's memory
/// limit leaves less. The snapshot of the start is kept even if its memory alone exceeds this
/// bound.
pub(crate) const MOST_BYTES: u64 = 128 << 20;
/// Smallest computing time of the steps between two automatic snapshots; determines the longest
/// time of a replay.
const APART: Duration = Duration::from_millis(100);
/// Smallest computing time of the steps since the last snapshot for which a snapshot is taken just
/// before an act, so that undoing the act is immediate.
const BEFORE_ACT: Duration = Duration::from_millis(25);
/// Smallest ratio between the computing time of the steps since the last snapshot and the time to
/// take a snapshot: snapshots then cost at most a tenth of the steps' time.
const WORTH: u32 = 10;
/// Upper bound of the number of automatic snapshots of a session.
const MOST: usize = 256;
/// Number of steps that is added to a snapshot's distance from the present when snapshots are
/// thinned; without this offset, snapshots at the present would have an unbounded weight.
const NEAR: f64 = 8.0;
/// Factor on a snapshot's distance from the present if the snapshot lies on another branch, so that
/// such snapshots are dropped earlier.
const ELSEWHERE: f64 = 4.0;

/// All snapshots of one session, by moment.
#[derive(Debug)]
pub(crate) struct Snapshots {
    start: Snapshot,
    kept: BTreeMap<Moment, Kept>,
    /// Computing time of the steps since the last snapshot on the path to the present moment.
    spent: Duration,
    /// Time that the last automatic snapshot took.
    cost: Duration,
    most_bytes: u64,
    /// Entry for the memory of the snapshots in the memory accounting of the program.
    held: Held,
}

#[derive(Debug)]
struct Kept {
    snapshot: Snapshot,
    why: Why,
}

/// Reason for which a snapshot was taken; only automatic snapshots may be dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Why {
    /// Automatic snapshot: taken after enough computing time, before an act, or before another
    /// branch was shown.
    Automatic,
    /// Snapshot of the tip of a branch, taken when the session left the branch.
    Left,
    /// Snapshot requested by the user, who wants to return to its moment.
    ByHand,
}

impl Snapshots {
    /// Creates the collection of a session; the present state of `simulation` becomes the snapshot
    /// of the start. `most_bytes`: upper bound of the snapshots' memory in bytes.
    pub(crate) fn new(simulation: &Simulation, most_bytes: u64) -> Self {
        let (spent, cost, kept) = (Duration::ZERO, Duration::ZERO, BTreeMap::new());
        let mut new = Self {
            start: simulation.snapshot(None),
            kept,
            spent,
            cost,
            most_bytes,
            held: Held::bytes(0),
        };
        new.count();
        new
    }

    /// Lowers the upper bound of the snapshots' memory to `most_bytes` bytes.
    pub(crate) fn limit(&mut self, most_bytes: u64) {
        self.most_bytes = self.most_bytes.min(most_bytes);
    }

    /// Returns the upper bound of the snapshots' memory in bytes.
    pub(crate) fn most_bytes(&self) -> u64 {
        self.most_bytes
    }

    /// Records a step that led to the moment `at` and took the computing time `took`; takes an
    /// automatic snapshot of that moment if one is due.
    pub(crate) fn offer(
        &mut self,
        simulation: &Simulation,
        history: &History,
        at: Moment,
        took: Duration,
    ) {
        self.spent += took;
        if self.has(at) {
            self.spent = Duration::ZERO;
        } else if self.spent >= APART.max(self.cost * WORTH) {
            self.keep_automatic(simulation, history, at);
        }
    }

    /// Takes a snapshot of the moment `at`, just before an act, if the steps since the last
    /// snapshot took at least `BEFORE_ACT` and as long as the last snapshot.
    pub(crate) fn before_act(&mut self, simulation: &Simulation, history: &History, at: Moment) {
        if self.spent >= BEFORE_ACT.max(self.cost) && !self.has(at) {
            self.keep_automatic(simulation, history, at);
        }
    }

    /// Takes a snapshot of the moment `at`, before the session shows another branch; does nothing
    /// if there is a snapshot of that moment.
    pub(crate) fn before_visit(&mut self, simulation: &Simulation, history: &History, at: Moment) {
        if !self.has(at) {
            self.keep_automatic(simulation, history, at);
        }
    }

    /// Resets the computing time since the last snapshot; called after the simulation has been
    /// restored from a snapshot.
    pub(crate) fn came_back(&mut self) {
        self.spent = Duration::ZERO;
    }

    fn keep_automatic(&mut self, simulation: &Simulation, history: &History, at: Moment) {
        let start = Instant::now();
        self.insert(simulation, at, Why::Automatic);
        self.cost = start.elapsed();
        self.thin(history, at);
    }

    /// Takes a snapshot of the present moment `at` on the user's request. Returns false if the
    /// memory limit leaves no room for the snapshot.
    pub(crate) fn keep(&mut self, simulation: &Simulation, history: &History, at: Moment) -> bool {
        self.insert_if_it_fits(simulation, history, at, Why::ByHand)
    }

    /// Takes a snapshot of the present moment `at`, the tip of a branch that the session leaves,
    /// unless the memory limit leaves no room.
    pub(crate) fn leave(&mut self, simulation: &Simulation, history: &History, at: Moment) {
        // A branch that has grown since no longer ends at its old tip: that snapshot becomes
        // automatic and may be thinned.
        for (moment, kept) in &mut self.kept {
            if kept.why == Why::Left
                && history
                    .branches()
                    .iter()
                    .all(|branch| branch.tip() != *moment)
            {
                kept.why = Why::Automatic;
            }
        }
        if !self.has(at) {
            self.insert_if_it_fits(simulation, history, at, Why::Left);
        }
    }

    fn insert_if_it_fits(
        &mut self,
        simulation: &Simulation,
        history: &History,
        at: Moment,
        why: Why,
    ) -> bool {
        self.insert(simulation, at, why);
        self.thin(history, at);
        let fits = self.bytes() <= self.most_bytes;
        if !fits {
            self.kept.remove(&at);
            self.count();
        }
        fits
    }

    fn insert(&mut self, simulation: &Simulation, at: Moment, why: Why) {
        self.spent = Duration::ZERO;
        let before = self
            .kept
            .range(..=at)
            .next_back()
            .map_or(&self.start, |(_, kept)| &kept.snapshot);
        let snapshot = simulation.snapshot(Some(before));
        self.kept.insert(at, Kept { snapshot, why });
    }

    /// Drops automatic snapshots until their number and the memory of all snapshots are within the
    /// limits. The snapshot of the present moment `here` is dropped last.
    fn thin(&mut self, history: &History, here: Moment) {
        loop {
            let automatic = self
                .kept
                .values()
                .filter(|kept| kept.why == Why::Automatic)
                .count();
            if automatic <= MOST && self.bytes() <= self.most_bytes {
                break;
            }
            let last = || {
                self.kept
                    .get(&here)
                    .filter(|kept| kept.why == Why::Automatic)
                    .map(|_| here)
            };
            let Some(spare) = self.spare(history, here).or_else(last) else {
                break;
            };
            self.kept.remove(&spare);
        }
        self.count();
    }

    /// Returns the moment of the automatic snapshot to drop next: the one whose neighbouring
    /// snapshots are closest together, relative to its distance from `here`. `None` if there is no
    /// automatic snapshot except at `here`.
    fn spare(&self, history: &History, here: Moment) -> Option<Moment> {
        let (line, tip) = (history.line(), history.present().tip());
        let (on, off): (Vec<Moment>, Vec<Moment>) = self
            .kept
            .keys()
            .partition(|moment| history.leads_to(line, tip, **moment));
        // On other branches, only snapshots after the same act count as neighbours.
        let mut beside = off;
        beside.sort_by_key(|moment| (moment.act, moment.step));
        let mut spare: Option<(f64, Moment)> = None;
        for (moments, far) in [(on, 1.0), (beside, ELSEWHERE)] {
            for (k, moment) in moments.iter().enumerate() {
                if self.kept[moment].why != Why::Automatic || *moment == here {
                    continue;
                }
                let joined = |other: &&Moment| far == 1.0 || other.act == moment.act;
                let before = k
                    .checked_sub(1)
                    .map(|k| &moments[k])
                    .filter(joined)
                    .map_or(0, |before| before.step);
                let after = moments
                    .get(k + 1)
                    .filter(joined)
                    .map_or(moment.step, |after| after.step);
                let gap = after.abs_diff(before) as f64;
                let worth = gap / ((NEAR + here.step.abs_diff(moment.step) as f64) * far);
                if spare.is_none_or(|(least, _)| worth < least) {
                    spare = Some((worth, *moment));
                }
            }
        }
        spare.map(|(_, moment)| moment)
    }

    /// Returns the memory of all snapshots in bytes; a ground that several snapshots share is
    /// counted once.
    fn bytes(&self) -> u64 {
        let mut bytes = self.start.bytes() + self.start.ground().bytes();
        let mut grounds = vec![Arc::as_ptr(self.start.ground())];
        for Kept { snapshot, .. } in self.kept.values() {
            bytes += snapshot.bytes();
            let ground = Arc::as_ptr(snapshot.ground());
            if !grounds.contains(&ground) {
                grounds.push(ground);
                bytes += snapshot.ground().bytes();
            }
        }
        bytes as u64
    }

    /// Updates the entry for the memory of the snapshots in the memory accounting of the program.
    fn count(&mut self) {
        self.held = Held::bytes(self.bytes());
    }

    /// Returns the snapshot of `moment`; `None` if there is none.
    pub(crate) fn at(&self, moment: Moment) -> Option<&Snapshot> {
        self.kept
            .get(&moment)
            .map(|kept| &kept.snapshot)
            .or((moment == Moment::START).then_some(&self.start))
    }

    fn has(&self, moment: Moment) -> bool {
        self.at(moment).is_some()
    }

    /// Returns the latest moment with a snapshot from which a replay along `path` (numbers of acts)
    /// leads to the moment `to`; the start of the session at the earliest.
    pub(crate) fn nearest(&self, history: &History, path: &[u64], to: Moment) -> Moment {
        let before = self
            .kept
            .range(
                ..=Moment {
                    act: u64::MAX,
                    ..to
                },
            )
            .rev()
            .map(|(moment, _)| *moment);
        before
            .into_iter()
            .find(|moment| history.leads_to(path, to, *moment))
            .unwrap_or(Moment::START)
    }

    /// Drops the snapshots of moments that lie on no branch any more.
    pub(crate) fn prune(&mut self, history: &History) {
        self.kept.retain(|moment, _| history.contains(*moment));
        self.count();
    }

    /// Returns the moments of the snapshots requested by the user, in ascending order.
    pub(crate) fn by_hand(&self) -> impl DoubleEndedIterator<Item = Moment> {
        self.kept
            .iter()
            .filter(|(_, kept)| kept.why == Why::ByHand)
            .map(|(moment, _)| *moment)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lavoxel_automaton::engine::tiled::Tiled;
    use lavoxel_automaton::rules::RulesSpec;
    use lavoxel_automaton::world::{Edit, Matter, Shape, World};
    use lavoxel_base::grid::Grid;

    fn simulation(grid: Grid, share: f64) -> Simulation {
        let world = World::restless(grid, share);
        Simulation::new(
            world,
            &RulesSpec::default(),
            &[],
            1,
            Box::new(Tiled::default()),
        )
    }

    fn at(step: u64) -> Moment {
        Moment { step, act: 0 }
    }

    #[test]
    fn memory_stays_under_its_cap_and_snapshots_lie_densely_near_the_present() {
        let mut simulation = simulation(Grid::new(10, 8, 10), 0.4);
        let one = simulation.snapshot(None);
        let cap = (one.ground().bytes() + 24 * one.bytes()) as u64;
        let (mut snapshots, mut history) = (Snapshots::new(&simulation, cap), History::new());
        for step in 1..=2000 {
            simulation.step();
            history.stepped();
            snapshots.offer(&simulation, &history, at(step), 2 * APART);
            snapshots.cost = Duration::ZERO;
            if step == 777 {
                assert!(snapshots.keep(&simulation, &history, at(step)));
            }
            assert!(snapshots.bytes() <= cap, "step {step}");
        }
        let steps: Vec<u64> = snapshots.kept.keys().map(|moment| moment.step).collect();
        assert!(steps.len() > 12 && steps.contains(&777), "{steps:?}");
        // A gap is at most half the distance from its later end to the present.
        let gaps = steps
            .windows(2)
            .map(|pair| (pair[1] - pair[0], 2000 - pair[1]));
        assert!(gaps.clone().all(|(gap, back)| gap <= 8 + back), "{steps:?}");
        let nearest = |step| snapshots.nearest(&history, &[], at(step)).step;
        assert_eq!(
            (nearest(777), nearest(2000), nearest(0)),
            (777, *steps.last().expect("many"), 0)
        );
        assert_eq!(snapshots.at(at(777)).expect("kept by hand").steps(), 777);
        assert_eq!(snapshots.at(Moment::START).expect("always kept").steps(), 0);
        assert_eq!(snapshots.by_hand().collect::<Vec<_>>(), [at(777)]);
    }

    #[test]
    fn grounds_that_differ_take_their_memory() {
        let mut simulation = simulation(Grid::new(20, 20, 20), 0.05);
        let one = simulation.snapshot(None);
        let cap = (4 * one.bytes() + one.ground().bytes() * 3 / 2) as u64;
        let (mut snapshots, mut history) = (Snapshots::new(&simulation, cap), History::new());
        assert!(
            snapshots.keep(&simulation, &history, at(0)),
            "the ground is shared"
        );
        simulation.step();
        history.stepped();
        assert!(snapshots.keep(&simulation, &history, at(1)) && snapshots.bytes() < cap);
        let shape = Shape::Sphere {
            center: [5.0; 3],
            radius: 2.0,
        };
        let edit = Edit {
            shape,
            matter: Matter::Rock,
        };
        simulation.command(edit.clone()).expect("a small edit");
        history.give(edit.into(), false).expect("room");
        assert!(
            !snapshots.keep(&simulation, &history, history.here()),
            "no room for another ground"
        );
        assert_eq!(snapshots.by_hand().collect::<Vec<_>>(), [at(0), at(1)]);
    }

    #[test]
    fn branches_share_what_they_have_in_common() {
        let mut simulation = simulation(Grid::new(10, 8, 10), 0.1);
        let (mut snapshots, mut history) = (Snapshots::new(&simulation, 1 << 30), History::new());
        let steps =
            |simulation: &mut Simulation, snapshots: &mut Snapshots, history: &mut History| {
                for _ in 0..5 {
                    simulation.step();
                    history.stepped();
                }
                assert!(snapshots.keep(simulation, history, history.here()));
            };
        steps(&mut simulation, &mut snapshots, &mut history);
        simulation
            .command(lavoxel_sim::simulation::Command::Seed(3))
            .expect("a seed");
        history
            .give(lavoxel_sim::simulation::Command::Seed(3), false)
            .expect("room");
        steps(&mut simulation, &mut snapshots, &mut history);
        history.go(at(5)).expect("on the line");
        simulation.go_back(snapshots.at(at(5)).expect("kept"));
        history
            .give(lavoxel_sim::simulation::Command::Seed(4), false)
            .expect("room");
        steps(&mut simulation, &mut snapshots, &mut history);
        for (branch, act) in [(1, 1), (2, 2)] {
            let path = history.path(act);
            let tip = history.branch(branch).expect("there").tip();
            assert_eq!(
                snapshots.nearest(&history, &path, tip),
                Moment { step: 10, act }
            );
            assert_eq!(
                snapshots.nearest(&history, &path, Moment { step: 9, act }),
                at(5)
            );
        }
        history.remove(1).expect("not the present one");
        snapshots.prune(&history);
        assert_eq!(
            snapshots.by_hand().collect::<Vec<_>>(),
            [at(5), Moment { step: 10, act: 2 }]
        );
    }
}
