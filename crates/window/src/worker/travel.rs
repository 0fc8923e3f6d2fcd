//! The way of the simulation to another moment: back to the nearest snapshot before it, then the steps and the acts from there,
//! in slices between which the thread listens to the window.

use std::time::{Duration, Instant};

use super::session::Session;
use crate::messages::{BranchError, Deed, Moment, Notice, Way};
use crate::past::history::words;

/// Time of a slice, after which the window is heard and shown the state that is passed.
const SLICE: Duration = Duration::from_millis(12);

/// A way to a moment.
#[derive(Debug)]
pub(super) struct Travel {
    to: Moment,
    /// Acts up to that moment and beyond, in order.
    path: Vec<u64>,
    /// Whether the simulation is on the path.
    is_on: bool,
}

impl Session {
    /// Whether the simulation is on its way to another moment.
    pub(super) fn travels(&self) -> bool {
        self.travel.is_some()
    }

    /// The moment to which it is on its way, or where it is.
    pub(super) fn goal(&self) -> Moment {
        self.travel.as_ref().map_or(self.at, |travel| travel.to)
    }

    /// The branch that is shown instead of the present one, once its state is there.
    pub(super) fn visited(&self) -> Option<u64> {
        self.visit.filter(|_| !self.travels())
    }

    /// Sets out for a moment that the user asked for. Returns whether to pause there, and fails where it is not to be had.
    pub(super) fn go(&mut self, way: Way) -> Result<bool, String> {
        self.leave();
        self.visit = None;
        let gone = self.choose(way);
        self.ways += u64::from(gone.is_ok());
        self.touch_timeline();
        self.set_out(self.history.here(), self.history.line().to_vec());
        gone.map(|()| !matches!(way, Way::Start | Way::Undo | Way::Redo | Way::Branch(_)))
    }

    /// Moves the present moment of the history.
    fn choose(&mut self, way: Way) -> Result<(), String> {
        let here = self.history.here();
        let text = |error: BranchError| error.to_string();
        match way {
            Way::To(moment) => self.history.go(moment).map_err(|_| format!("step {} lies elsewhere", moment.step)),
            Way::Step(step) => {
                let to = self.history.at(self.history.present().number, step);
                to.and_then(|to| self.history.go(to)).map_err(text)
            }
            Way::Start => self.history.go(Moment::START).map_err(text),
            Way::Back | Way::Ahead => {
                let side = if way == Way::Back { "before" } else { "after" };
                let to = self.next_kept(way == Way::Ahead).filter(|to| *to != here);
                let to = to.ok_or_else(|| format!("nothing lies {side} step {}", here.step))?;
                self.history.go(to).map_err(text)
            }
            Way::Undo => {
                let deed = self.history.undo();
                self.tell(deed, "taken back", "there is nothing to take back");
                Ok(())
            }
            Way::Redo => {
                let deed = self.history.redo();
                self.tell(deed, "back again", "there is nothing to bring back");
                self.snapshots.prune(&self.history);
                Ok(())
            }
            Way::Branch(number) => {
                let to = self.history.at(number, here.step).map_err(text)?;
                self.history.switch(number, to).map_err(text)?;
                self.snapshots.prune(&self.history);
                let name = &self.history.present().name;
                self.notices.push(Notice::new(format!("{name}, step {}", to.step)));
                Ok(())
            }
        }
    }

    /// Says what was taken back or came back.
    fn tell(&mut self, deed: Option<Deed>, done: &str, nothing: &str) {
        let text = match deed {
            Some(deed) => {
                let what = self.history.deed_begins_with(&deed).map(words).unwrap_or_default();
                format!("{what} {done}, step {}", self.history.here().step)
            }
            None => nothing.to_owned(),
        };
        self.notices.push(Notice::new(text));
    }

    /// The kept moment before or after the present one, else the start or the end of the branch.
    fn next_kept(&self, ahead: bool) -> Option<Moment> {
        let (here, line, tip) = (self.history.here(), self.history.line(), self.history.present().tip());
        let mut kept = self.snapshots.by_hand().filter(|moment| self.history.leads_to(line, tip, *moment));
        match ahead {
            true => kept.find(|moment| *moment > here).or(Some(tip)),
            false => kept.rfind(|moment| *moment < here).or(Some(Moment::START)),
        }
    }

    /// Shows the present step of another branch, or its end; `None` goes back.
    pub(super) fn look_at(&mut self, branch: Option<u64>) -> Result<(), String> {
        let Some(number) = branch else {
            self.visit_ends();
            return Ok(());
        };
        let to = self.history.at(number, self.history.here().step).map_err(|error| error.to_string())?;
        self.leave();
        // The way back is short.
        self.snapshots.before_visit(&self.simulation, &self.history, self.at);
        let path = self.history.branch(number).map(|branch| self.history.path(branch.last));
        self.visit = Some(number);
        self.set_out(to, path.unwrap_or_default());
        Ok(())
    }

    /// Sets out for the present moment where another branch is shown. Returns whether it was.
    pub(super) fn visit_ends(&mut self) -> bool {
        let visits = self.visit.take().is_some();
        if visits {
            self.set_out(self.history.here(), self.history.line().to_vec());
        }
        visits
    }

    fn set_out(&mut self, to: Moment, path: Vec<u64>) {
        self.travel = (self.at != to).then_some(Travel { to, path, is_on: false });
    }

    /// Keeps the end of the branch before something else begins.
    pub(super) fn leave(&mut self) {
        if !self.travels() && self.visit.is_none() && self.at == self.history.here() && self.history.is_at_tip() {
            self.snapshots.leave(&self.simulation, &self.history, self.at);
        }
    }

    /// Goes on for a slice of time. Returns whether the simulation has jumped to a snapshot, and then does nothing else, so that
    /// the window sees it at once.
    pub(super) fn go_on(&mut self) -> bool {
        let Some(mut travel) = self.travel.take() else { return false };
        let jumps = !std::mem::replace(&mut travel.is_on, true) && self.depart(&travel);
        if !jumps {
            self.follow(&travel);
        }
        self.travel = (self.at != travel.to).then_some(travel);
        self.compare_with_saved();
        jumps
    }

    /// Tells the user when the replay of a session file comes to another state than the one that was saved: a file that the scene
    /// reads differs, or the file is of a version with other rules.
    pub(super) fn compare_with_saved(&mut self) {
        let Some((moment, hash)) = self.saved.take_if(|(moment, _)| *moment == self.at) else { return };
        let replayed = self.simulation.world().state_hash();
        if replayed != hash {
            let text = format!(
                "step {}: not the state that was saved (hash {replayed:016x}, saved {hash:016x}): the session file was changed, or is of \
                 another version",
                moment.step
            );
            self.notices.push(Notice::wrong(text));
        }
    }

    /// Goes back to the nearest snapshot, unless the present state is nearer. Returns whether it did.
    fn depart(&mut self, travel: &Travel) -> bool {
        let nearest = self.snapshots.nearest(&self.history, &travel.path, travel.to);
        if self.history.leads_to(&travel.path, travel.to, self.at) && self.at >= nearest {
            return false;
        }
        let Some(snapshot) = self.snapshots.at(nearest) else { return false };
        self.simulation.go_back(snapshot);
        self.at = nearest;
        self.came_back();
        true
    }

    /// Makes steps and acts for a slice of time.
    fn follow(&mut self, travel: &Travel) {
        let start = Instant::now();
        while self.at != travel.to && start.elapsed() < SLICE {
            let next = self.history.next_on(&travel.path, self.at.act);
            if let Some((act, _)) = next.filter(|(act, step)| *step <= self.at.step && *act <= travel.to.act) {
                self.do_again(act);
                continue;
            }
            let begin = Instant::now();
            self.simulation.step();
            self.at.step = self.simulation.steps();
            self.snapshots.offer(&self.simulation, &self.history, self.at, begin.elapsed());
        }
    }

    /// Ends the way where the simulation is; a visit to another branch ends with the way back. Returns whether the simulation
    /// has jumped.
    pub(super) fn stop_here(&mut self) -> bool {
        if self.visit_ends() {
            return false;
        }
        let Some(travel) = self.travel.take() else { return false };
        let jumps = !travel.is_on && self.depart(&travel);
        // A state on the way lies on the present branch.
        if self.history.go(self.at).is_err() {
            self.travel = Some(Travel { is_on: true, ..travel });
        }
        self.touch_timeline();
        jumps
    }
}
