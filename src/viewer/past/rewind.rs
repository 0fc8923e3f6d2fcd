//! Which kept moment a rewind goes to.

use crate::viewer::messages::{KeptMoment, Moment, Report};

/// Where the last rewind went.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Rewind {
    /// The moment, and the epoch that begins with it.
    last: Option<(Moment, u64)>,
    /// Whether the user asked to go ahead while the rewind was under way.
    goes_ahead: bool,
}

impl Rewind {
    /// The moment that the window is at, or will be at once what was asked for is done, and whether a rewind went there.
    fn position(&self, report: &Report) -> (Moment, bool) {
        match self.last {
            Some((moment, epoch)) if report.epoch < epoch => (moment, true),
            Some((moment, _)) => (report.moment(), moment == report.moment()),
            None => (report.moment(), false),
        }
    }

    /// Remembers that a moment was asked for.
    pub(crate) fn goes_to(&mut self, moment: Moment, report: &Report) {
        let epoch = self.last.map_or(report.epoch, |(_, epoch)| epoch.max(report.epoch));
        *self = Self { last: Some((moment, epoch + 1)), goes_ahead: false };
    }

    /// Remembers that the user asked to go ahead, where the moment that the rewind leaves is not told yet. Returns whether it is so.
    pub(crate) fn waits_to_go_ahead(&mut self, report: &Report) -> bool {
        self.goes_ahead = self.is_under_way(report);
        self.goes_ahead
    }

    /// Whether to go ahead now: the user asked before, and the report of the rewind has come.
    pub(crate) fn goes_ahead_now(&mut self, report: &Report) -> bool {
        let goes = self.goes_ahead && !self.is_under_way(report);
        self.goes_ahead &= !goes;
        goes
    }

    fn is_under_way(&self, report: &Report) -> bool {
        self.last.is_some_and(|(_, epoch)| report.epoch < epoch)
    }

    /// The moment to go back to: the last one that the user kept, without one the last automatic one; where a rewind has just
    /// gone, the one before.
    pub(crate) fn back(&self, report: &Report) -> Option<Moment> {
        let (here, again) = self.position(report);
        let earlier = || report.moments.iter().filter(|kept| kept.moment < here);
        let latest = |kept: Option<&KeptMoment>| kept.map(|kept| kept.moment);
        let by_hand = latest(earlier().rfind(|kept| kept.by_hand)).filter(|_| !again);
        by_hand.or_else(|| latest(earlier().next_back()))
    }

    /// The next moment ahead.
    pub(crate) fn ahead(&self, report: &Report) -> Option<Moment> {
        let (here, _) = self.position(report);
        report.moments.iter().map(|kept| kept.moment).find(|moment| *moment > here)
    }

    /// Another scene.
    pub(crate) fn restart(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Grid;

    fn report(step: u64, epoch: u64) -> Report {
        let kept = |step, acts, by_hand| KeptMoment { moment: Moment { step, acts }, by_hand };
        let moments =
            vec![kept(0, 0, false), kept(800, 0, false), kept(850, 0, true), kept(900, 1, false), kept(1000, 1, false)];
        Report { step, acts: usize::from(step > 850), epoch, moments, ..Report::quiet(Grid::new(8, 8, 8)) }
    }

    #[test]
    fn the_first_rewind_goes_to_what_was_kept_and_each_further_one_goes_one_earlier() {
        let mut rewind = Rewind::default();
        let running = report(1001, 0);
        let kept = rewind.back(&running).expect("a kept moment");
        assert_eq!(kept, Moment { step: 850, acts: 0 });
        rewind.goes_to(kept, &running);
        // The report of the jump may not be there yet.
        for report in [&running, &report(850, 1)] {
            assert_eq!(rewind.back(report).map(|moment| moment.step), Some(800));
            assert_eq!(rewind.ahead(report).map(|moment| moment.step), Some(900));
        }
        rewind.goes_to(Moment { step: 800, acts: 0 }, &running);
        assert_eq!(rewind.back(&running), Some(Moment::START));
        assert_eq!(rewind.back(&report(800, 2)), Some(Moment::START));
        assert_eq!(rewind.back(&report(0, 3)), None, "there is none before the start");
    }

    #[test]
    fn a_wish_to_go_ahead_waits_for_the_moment_that_the_rewind_leaves() {
        let mut rewind = Rewind::default();
        let kept = |acts| KeptMoment { moment: Moment { step: 0, acts }, by_hand: false };
        let painted = Report { acts: 3, moments: vec![kept(0)], ..report(0, 0) };
        assert!(!rewind.waits_to_go_ahead(&painted), "no rewind is under way");
        rewind.goes_to(Moment::START, &painted);
        assert_eq!(rewind.ahead(&painted), None);
        assert!(rewind.waits_to_go_ahead(&painted) && !rewind.goes_ahead_now(&painted));
        let gone = Report { moments: vec![kept(0), kept(3)], ..report(0, 1) };
        assert!(rewind.goes_ahead_now(&gone) && !rewind.goes_ahead_now(&gone), "once");
        assert_eq!(rewind.ahead(&gone), Some(kept(3).moment));
        // Another rewind forgets the wish.
        rewind.goes_to(Moment::START, &gone);
        assert!(rewind.waits_to_go_ahead(&gone));
        rewind.goes_to(Moment::START, &gone);
        assert!(!rewind.goes_ahead_now(&report(0, 3)));
    }

    #[test]
    fn a_change_at_a_kept_moment_is_taken_back() {
        let mut painted = report(850, 0);
        painted.acts = 3;
        assert_eq!(Rewind::default().back(&painted), Some(Moment { step: 850, acts: 0 }));
    }

    #[test]
    fn without_a_moment_that_the_user_kept_it_is_the_last_one() {
        let mut report = report(1001, 0);
        report.moments.retain(|kept| !kept.by_hand);
        assert_eq!(Rewind::default().back(&report).map(|moment| moment.step), Some(1000));
    }
}
