//! Which kept snapshot a rewind goes to.

use std::time::{Duration, Instant};

/// A rewind within this time of the last one goes to the snapshot before that one.
const AGAIN: Duration = Duration::from_secs(1);

/// Where the last rewind went, and when.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Rewind {
    last: Option<(Instant, u64)>,
}

impl Rewind {
    /// The snapshot to go back to from a step; `snapshots` are the kept ones. A simulation that runs on has passed the
    /// snapshot of the last rewind again before the next key press: within a second of it, the one before is meant.
    pub(crate) fn target(&mut self, snapshots: &[u64], step: u64, now: Instant) -> Option<u64> {
        let again = self.last.filter(|(at, _)| now.duration_since(*at) <= AGAIN);
        let limit = again.map_or(step, |(_, snapshot)| snapshot.min(step));
        let target = snapshots.iter().copied().filter(|&snapshot| snapshot < limit).max();
        self.last = target.map(|snapshot| (now, snapshot)).or(again);
        target
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_running_simulation_is_rewound_further_each_time() {
        let (mut rewind, start) = (Rewind::default(), Instant::now());
        let snapshots = [0, 100, 200, 300];
        let at = |ms| start + Duration::from_millis(ms);
        assert_eq!(rewind.target(&snapshots, 350, at(0)), Some(300));
        assert_eq!(rewind.target(&snapshots, 320, at(400)), Some(200));
        assert_eq!(rewind.target(&snapshots, 230, at(1300)), Some(100));
        assert_eq!(rewind.target(&snapshots, 180, at(4000)), Some(100), "later it is a rewind of its own");
        assert_eq!(rewind.target(&snapshots, 130, at(4100)), Some(0));
        assert_eq!(rewind.target(&snapshots, 40, at(4200)), None, "there is none before the start");
    }
}
