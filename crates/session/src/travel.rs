//! Seeking: moves the simulation to another moment of the session. The simulation is restored from
//! the nearest snapshot before that moment; steps and acts are replayed from there in time slices;
//! between slices, the thread handles messages.

use std::time::Duration;

use web_time::Instant;

use crate::history::{BranchError, Deed, Moment, words};
use crate::notice::Notice;
use crate::session::Session;

/// Duration of a time slice of the replay; between two slices, the thread handles messages and
/// sends the state reached so far.
const SLICE: Duration = Duration::from_millis(12);

/// Target of a seek: the moment to which the session moves. The target determines the pace after
/// the seek.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Moves to this moment of the present branch, and pauses.
    To(Moment),
    /// Moves to this step of the present branch, after all acts at that step, and pauses.
    Step(u64),
    /// Returns to step 0 of the scene as opened, without a change of pace.
    Start,
    /// Returns to the nearest earlier moment that the user has kept, or to the start if there is
    /// none, and pauses.
    Back,
    /// Moves to the nearest later moment that the user has kept, or to the tip of the branch if
    /// there is none, and pauses.
    Ahead,
    /// Undoes the last user action: returns to the moment just before that action.
    Undo,
    /// Redoes a user action and moves to the moment just after that action: the action undone last
    /// if it belongs to the present branch, else the next action ahead.
    Redo,
    /// Moves to the branch with this number, at the present step, or at the branch's tip if the tip
    /// lies earlier.
    Branch(u64),
}

/// Seek in progress: a move of the simulation to another moment of the session.
#[derive(Debug)]
pub(crate) struct Travel {
    /// Target moment of the seek.
    to: Moment,
    /// Numbers of all acts on the branch that contains the target, in order; acts after the target
    /// are included.
    path: Vec<u64>,
    /// Set once the simulation's state lies on the path to the target, if necessary after it was
    /// restored from a snapshot.
    is_on: bool,
}

impl Session {
    /// Returns true while a seek to another moment is in progress.
    pub fn travels(&self) -> bool {
        self.travel.is_some()
    }

    /// Returns the target moment of the seek in progress, or without a seek the moment of the
    /// simulation's state.
    pub fn goal(&self) -> Moment {
        self.travel.as_ref().map_or(self.at, |travel| travel.to)
    }

    /// Returns the number of the branch that is shown in place of the present branch; `None` if no
    /// other branch is shown, or if the seek to its state is not finished.
    pub fn visited(&self) -> Option<u64> {
        self.visit.filter(|_| !self.travels())
    }

    /// Begins a seek to the moment of the session that `way` names. Returns true if the simulation
    /// should pause on arrival.
    ///
    /// # Errors
    /// When there is no such moment.
    pub fn go(&mut self, way: Way) -> Result<bool, String> {
        self.leave();
        self.visit = None;
        let gone = self.choose(way);
        self.ways += u64::from(gone.is_ok());
        self.touch_timeline();
        self.set_out(self.history.here(), self.history.line().to_vec());
        gone.map(|()| !matches!(way, Way::Start | Way::Undo | Way::Redo | Way::Branch(_)))
    }

    /// Moves the present moment of the history to the moment that `way` names; fails if there is
    /// none.
    fn choose(&mut self, way: Way) -> Result<(), String> {
        let here = self.history.here();
        let text = |error: BranchError| error.to_string();
        match way {
            Way::To(moment) => self
                .history
                .go(moment)
                .map_err(|_| format!("step {} lies elsewhere", moment.step)),
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
            // Undo and redo without an action left are no errors: a notice tells the user.
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
                self.notices
                    .push(Notice::new(format!("{name}, step {}", to.step)));
                Ok(())
            }
        }
    }

    /// Adds a notice for the user about the action `deed` that was undone or redone. The text is
    /// the action's description, `done` (such as "undone"), and the step; if `deed` is `None`, the
    /// text is `nothing`.
    fn tell(&mut self, deed: Option<Deed>, done: &str, nothing: &str) {
        let text = match deed {
            Some(deed) => {
                let what = self
                    .history
                    .deed_begins_with(&deed)
                    .map(words)
                    .unwrap_or_default();
                format!("{what} {done}, step {}", self.history.here().step)
            }
            None => nothing.to_owned(),
        };
        self.notices.push(Notice::new(text));
    }

    /// Returns the nearest moment that the user has kept, after the present moment if `ahead` is
    /// true, else before. If there is none, returns the tip or the start of the present branch.
    fn next_kept(&self, ahead: bool) -> Option<Moment> {
        let (here, line, tip) = (
            self.history.here(),
            self.history.line(),
            self.history.present().tip(),
        );
        let mut kept = self
            .snapshots
            .by_hand()
            .filter(|moment| self.history.leads_to(line, tip, *moment));
        match ahead {
            true => kept.find(|moment| *moment > here).or(Some(tip)),
            false => kept.rfind(|moment| *moment < here).or(Some(Moment::START)),
        }
    }

    /// Begins to show the branch number `branch`, at the present step or at the branch's tip if the
    /// tip lies earlier; the present branch stays the same. `None` returns to the present branch.
    /// Fails if there is no such branch.
    pub fn look_at(&mut self, branch: Option<u64>) -> Result<(), String> {
        let Some(number) = branch else {
            self.visit_ends();
            return Ok(());
        };
        let to = self
            .history
            .at(number, self.history.here().step)
            .map_err(|error| error.to_string())?;
        self.leave();
        // A snapshot here makes the return immediate.
        self.snapshots
            .before_visit(&self.simulation, &self.history, self.at);
        let path = self
            .history
            .branch(number)
            .map(|branch| self.history.path(branch.last));
        self.visit = Some(number);
        self.set_out(to, path.unwrap_or_default());
        Ok(())
    }

    /// Ends the visit to another branch, and begins the seek back to the present moment. Returns
    /// false if no other branch was shown.
    pub fn visit_ends(&mut self) -> bool {
        let visits = self.visit.take().is_some();
        if visits {
            self.set_out(self.history.here(), self.history.line().to_vec());
        }
        visits
    }

    fn set_out(&mut self, to: Moment, path: Vec<u64>) {
        self.travel = (self.at != to).then_some(Travel {
            to,
            path,
            is_on: false,
        });
    }

    /// Takes a snapshot if the simulation is at the tip of the present branch; called before the
    /// session leaves the branch.
    pub(crate) fn leave(&mut self) {
        if !self.travels()
            && self.visit.is_none()
            && self.at == self.history.here()
            && self.history.is_at_tip()
        {
            self.snapshots
                .leave(&self.simulation, &self.history, self.at);
        }
    }

    /// Continues the seek for one time slice. Returns true if the simulation was restored from a
    /// snapshot; the slice then ends at once, so that the window shows the restored state.
    pub fn go_on(&mut self) -> bool {
        let Some(mut travel) = self.travel.take() else {
            return false;
        };
        let jumps = !std::mem::replace(&mut travel.is_on, true) && self.depart(&travel);
        if !jumps {
            self.follow(&travel);
        }
        self.travel = (self.at != travel.to).then_some(travel);
        self.compare_with_saved();
        jumps
    }

    /// Warns the user if the state at the end of the replay of a session file has another hash than
    /// the saved one: the file was changed, or was written by a version of the program with other
    /// rules.
    pub(crate) fn compare_with_saved(&mut self) {
        let Some((moment, hash)) = self.saved.take_if(|(moment, _)| *moment == self.at) else {
            return;
        };
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

    /// Restores the simulation from the nearest snapshot before the target, unless the present
    /// state lies on the path and nearer to the target. Returns true if the simulation was
    /// restored.
    fn depart(&mut self, travel: &Travel) -> bool {
        let nearest = self
            .snapshots
            .nearest(&self.history, &travel.path, travel.to);
        if self.history.leads_to(&travel.path, travel.to, self.at) && self.at >= nearest {
            return false;
        }
        let Some(snapshot) = self.snapshots.at(nearest) else {
            return false;
        };
        self.simulation.go_back(snapshot);
        self.at = nearest;
        self.came_back();
        true
    }

    /// Replays steps and acts on the path of `travel` for one time slice (`SLICE`).
    fn follow(&mut self, travel: &Travel) {
        let start = Instant::now();
        while self.at != travel.to && start.elapsed() < SLICE {
            let next = self.history.next_on(&travel.path, self.at.act);
            if let Some((act, _)) =
                next.filter(|(act, step)| *step <= self.at.step && *act <= travel.to.act)
            {
                self.do_again(act);
                continue;
            }
            let begin = Instant::now();
            self.simulation.step();
            self.at.step = self.simulation.steps();
            self.snapshots
                .offer(&self.simulation, &self.history, self.at, begin.elapsed());
        }
    }

    /// Ends the seek at the simulation's present state; while another branch is shown, begins the
    /// return to the present moment instead. Returns true if the simulation was restored from a
    /// snapshot.
    pub fn stop_here(&mut self) -> bool {
        if self.visit_ends() {
            return false;
        }
        let Some(travel) = self.travel.take() else {
            return false;
        };
        let jumps = !travel.is_on && self.depart(&travel);
        // States during a seek normally lie on the present branch, so the history can move here;
        // otherwise the seek continues.
        if self.history.go(self.at).is_err() {
            self.travel = Some(Travel {
                is_on: true,
                ..travel
            });
        }
        self.touch_timeline();
        jumps
    }
}
