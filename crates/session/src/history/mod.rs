//! History of a session: its recorded commands (acts) as a tree, and named branches through the
//! tree. Plain data, independent of simulation and window.
//!
//! A state of a session is determined by its [`Moment`]: the last act before the state, and the
//! number of steps made. The path to an act is the chain of acts from the opened scene; a
//! [`Branch`] is such a path with a name and the last step reached. The path of the present branch
//! is the *line*: while the session runs, acts on the line after the present moment are repeated at
//! their steps. Another branch begins with a new act while acts or steps lie ahead, and with a step
//! after an undo.

mod kind;
mod text;

use std::collections::{BTreeMap, BTreeSet};

pub use self::kind::ActKind;
pub use self::kind::{goes_on, words};
pub use self::text::HistoryError;
use lavoxel_sim::simulation::{Command, MAX_EVENTS};

/// Upper bound of the number of branches. When another branch begins, the oldest branch without a
/// user-given name is removed.
pub const MOST_BRANCHES: usize = 32;
/// Upper bound of the length of a branch's name, in characters.
pub const LONGEST_NAME: usize = 40;
/// Name of the first branch of a new session.
const FIRST: &str = "main";

/// Point in a session that determines a state of the simulation: number of steps and last act.
/// Moments are ordered by step, then by act.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Moment {
    /// Number of simulation steps made since the opened scene.
    pub step: u64,
    /// Number of the last act before the moment; 0 if there is none.
    pub act: u64,
}

impl Moment {
    /// Moment at which the scene was opened: step 0, no act.
    pub const START: Self = Self { step: 0, act: 0 };
}

/// Act: one command that the simulation received at a step; a node of the history's tree.
#[derive(Clone, Debug, PartialEq)]
pub struct Act {
    /// Number of the previous act on the path, which is always smaller than this act's number; 0 if
    /// this is the first act.
    pub after: u64,
    /// Number of simulation steps made since the opened scene when the command was received.
    pub step: u64,
    /// Group number: undo reverts consecutive acts with the same group number, such as those of a
    /// brush stroke, together.
    pub group: u64,
    /// Command that the simulation received by this act.
    pub command: Command,
}

/// Named path through the tree of acts, from the opened scene to the branch's tip.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch {
    /// Number of the branch, unique within the session and never reused.
    pub number: u64,
    /// Name of the branch as shown to the user.
    pub name: String,
    /// Set if the user has given the name; such a branch is never removed automatically.
    pub named: bool,
    /// Number of the last act on the branch; 0 without acts.
    pub last: u64,
    /// Last step that the session has reached on the branch.
    pub end: u64,
}

impl Branch {
    /// Returns the tip of the branch: its last moment.
    pub fn tip(&self) -> Moment {
        Moment {
            step: self.end,
            act: self.last,
        }
    }
}

/// User action: consecutive acts of one group, which undo and redo treat as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deed {
    /// Moment just before the action's first act.
    pub before: Moment,
    /// Moment just after the action's last act.
    pub after: Moment,
    /// Kind of the action's commands; determines the colour of its mark on the timeline.
    pub kind: ActKind,
}

/// User action that was undone and can be redone. Fields: number of its branch, number of its last
/// act.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Taken {
    branch: u64,
    act: u64,
}

/// Error of an operation on the branches or acts of a history.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BranchError {
    /// There is no branch with this number, or the requested moment does not lie on it.
    #[error("there is no branch {0}")]
    Unknown(u64),
    /// The branch with this name is the present branch, which cannot be removed.
    #[error("{0} is the present branch: go to another one before it is deleted")]
    Present(String),
    /// The new name is empty, longer than `LONGEST_NAME` characters, or contains control
    /// characters.
    #[error("the name of a branch has 1 to {LONGEST_NAME} letters")]
    Name,
    /// Another branch cannot begin: the number of branches is at its limit, and all have user-given
    /// names.
    #[error("there are {MOST_BRANCHES} branches with names: delete one")]
    Full,
    /// Another act cannot be recorded: the number of acts is at its limit.
    #[error("number of changes of the session: at most {MAX_EVENTS}")]
    Acts,
}

/// History of a session: tree of acts, branches, and the present moment.
#[derive(Clone, Debug, PartialEq)]
pub struct History {
    acts: BTreeMap<u64, Act>,
    branches: Vec<Branch>,
    /// Number of the present branch, on which the session runs.
    present: u64,
    here: Moment,
    /// Numbers of the acts on the present branch, in ascending order.
    line: Vec<u64>,
    taken: Vec<Taken>,
    /// Hash of the simulation's state at the present moment, as stored in the session file from
    /// which the history was read; `None` without such a file, or if the file contains no hash.
    pub(crate) state: Option<u64>,
    /// Numbers for the next new act, branch and group.
    next: Next,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Next {
    act: u64,
    branch: u64,
    group: u64,
}

impl Default for History {
    fn default() -> Self {
        Self::new()
    }
}

impl History {
    /// Creates the history of a newly opened scene: one branch, no acts, step 0.
    pub fn new() -> Self {
        let main = Branch {
            number: 1,
            name: FIRST.to_owned(),
            named: false,
            last: 0,
            end: 0,
        };
        Self {
            acts: BTreeMap::new(),
            branches: vec![main],
            present: 1,
            here: Moment::START,
            line: Vec::new(),
            taken: Vec::new(),
            state: None,
            next: Next {
                act: 1,
                branch: 2,
                group: 1,
            },
        }
    }

    /// Returns the present moment of the session: its step number and its last act.
    pub fn here(&self) -> Moment {
        self.here
    }

    /// Returns all branches of the session, oldest first.
    pub fn branches(&self) -> &[Branch] {
        &self.branches
    }

    /// Returns the branch with the number `number`; `None` if there is none.
    pub fn branch(&self, number: u64) -> Option<&Branch> {
        self.branches.iter().find(|branch| branch.number == number)
    }

    /// Returns the present branch, on which the session runs.
    pub fn present(&self) -> &Branch {
        self.branch(self.present)
            .expect("the present branch is there")
    }

    fn present_mut(&mut self) -> &mut Branch {
        let present = self.present;
        self.branches
            .iter_mut()
            .find(|branch| branch.number == present)
            .expect("the present branch is there")
    }

    /// Returns the act with the number `number`; `None` if there is none.
    pub fn act(&self, number: u64) -> Option<&Act> {
        self.acts.get(&number)
    }

    /// Returns the numbers of the acts on the present branch, in ascending order; acts after the
    /// present moment are included.
    pub fn line(&self) -> &[u64] {
        &self.line
    }

    /// Returns the number of acts on the present branch before the present moment.
    pub fn acts_done(&self) -> usize {
        self.line.partition_point(|act| *act <= self.here.act)
    }

    /// Returns the numbers of the acts from the opened scene to the act `last`, which is included,
    /// in ascending order; empty for `last` = 0.
    pub fn path(&self, last: u64) -> Vec<u64> {
        let acts = std::iter::successors(Some(last), |act| self.acts.get(act).map(|act| act.after));
        let mut path: Vec<u64> = acts.take_while(|act| *act != 0).collect();
        path.reverse();
        path
    }

    /// Returns the number and the step of the act that follows the act `act` on `path`; for `act` =
    /// 0, of the first act of `path`. `None` if `act` is the last on `path`.
    pub fn next_on(&self, path: &[u64], act: u64) -> Option<(u64, u64)> {
        let next = *path.get(path.partition_point(|other| *other <= act))?;
        Some((next, self.acts.get(&next)?.step))
    }

    /// Returns true if a replay along `path` (numbers of acts, ascending) to the moment `to` passes
    /// through `moment`.
    pub fn leads_to(&self, path: &[u64], to: Moment, moment: Moment) -> bool {
        let begin = self.acts.get(&moment.act).map_or(0, |act| act.step);
        let is_on =
            (moment.act == 0 || path.binary_search(&moment.act).is_ok()) && moment.step >= begin;
        let until = self
            .next_on(path, moment.act)
            .map_or(to.step, |(_, step)| step);
        is_on && moment.step <= until.min(to.step) && moment.act <= to.act
    }

    /// Returns true if `moment` lies on at least one branch.
    pub fn contains(&self, moment: Moment) -> bool {
        self.branches
            .iter()
            .any(|branch| self.leads_to(&self.path(branch.last), branch.tip(), moment))
    }

    /// Returns the path of `branch` (numbers of its acts in ascending order) and its tip.
    fn route(&self, branch: &Branch) -> (Vec<u64>, Moment) {
        (self.path(branch.last), branch.tip())
    }

    /// Returns the moment at the step `step` on the branch number `branch`, after all acts of that
    /// step; the branch's tip if the branch ends earlier. Fails if there is no such branch.
    pub fn at(&self, branch: u64, step: u64) -> Result<Moment, BranchError> {
        let branch = self.branch(branch).ok_or(BranchError::Unknown(branch))?;
        let path = self.path(branch.last);
        let step = step.min(branch.end);
        let done = path.partition_point(|act| self.acts[act].step <= step);
        Ok(Moment {
            step,
            act: done.checked_sub(1).map_or(0, |last| path[last]),
        })
    }

    /// Returns number and step of the next act that will be repeated as the session runs; `None` if
    /// no act lies ahead, or if the acts ahead were undone.
    pub fn next_ahead(&self) -> Option<(u64, u64)> {
        if self.is_apart() {
            None
        } else {
            self.next_on(&self.line, self.here.act)
        }
    }

    /// Returns true if the acts ahead on the present branch were undone and must not be repeated.
    fn is_apart(&self) -> bool {
        self.taken
            .last()
            .is_some_and(|taken| taken.branch == self.present)
    }

    /// Returns true if the present moment is the tip of its branch: no act or step lies ahead.
    pub fn is_at_tip(&self) -> bool {
        self.here == self.present().tip()
    }

    /// Records that the act number `act`, which comes next on the present branch, has been applied
    /// again.
    pub fn has_done(&mut self, act: u64) {
        self.here.act = act;
    }

    /// Records one simulation step. If undone acts lie ahead, begins a new branch and returns its
    /// name; otherwise returns `None`.
    pub fn stepped(&mut self) -> Option<String> {
        let apart = self.is_apart();
        // Without room for a branch, the undone acts lie ahead again.
        let begun = apart.then(|| self.fork().ok()).flatten();
        if apart && begun.is_none() {
            self.taken.clear();
        }
        self.here.step += 1;
        let here = self.here;
        let present = self.present_mut();
        if present.last == here.act {
            present.end = present.end.max(here.step);
        }
        begun
    }

    /// Fails if the number of acts or branches is at its limit, so that no act can be recorded;
    /// called before the simulation receives a command.
    pub fn has_room(&self) -> Result<(), BranchError> {
        if self.acts.len() >= MAX_EVENTS {
            return Err(BranchError::Acts);
        }
        let full = self.branches.len() >= MOST_BRANCHES && !self.is_at_tip();
        let spare = self
            .branches
            .iter()
            .any(|branch| !branch.named && branch.number != self.present);
        if full && !spare {
            Err(BranchError::Full)
        } else {
            Ok(())
        }
    }

    /// Records `command` as an act at the present moment. `more`: true to join the act to the group
    /// of the previous act. If acts or steps lie ahead, begins a new branch and returns its name.
    ///
    /// # Errors
    /// When there is no room for the act or the branch; the history is then unchanged.
    pub fn give(&mut self, command: Command, more: bool) -> Result<Option<String>, BranchError> {
        self.has_room()?;
        let begun = if self.is_at_tip() {
            None
        } else {
            Some(self.fork()?)
        };
        let before = self.acts.get(&self.here.act).map(|act| act.group);
        let group = before.filter(|_| more).unwrap_or_else(|| {
            self.next.group += 1;
            self.next.group - 1
        });
        let number = self.next.act;
        self.next.act += 1;
        self.acts.insert(
            number,
            Act {
                after: self.here.act,
                step: self.here.step,
                group,
                command,
            },
        );
        self.line.push(number);
        self.here.act = number;
        self.taken.clear();
        let here = self.here;
        let present = self.present_mut();
        (present.last, present.end) = (here.act, here.step);
        Ok(begun)
    }

    /// Begins a branch at the present moment, makes it the present branch, and returns its name.
    /// Fails if there is no room for another branch.
    fn fork(&mut self) -> Result<String, BranchError> {
        if self.branches.len() >= MOST_BRANCHES {
            let spare = |branch: &Branch| !branch.named && branch.number != self.present;
            let spare = self
                .branches
                .iter()
                .position(spare)
                .ok_or(BranchError::Full)?;
            self.branches.remove(spare);
        }
        let number = self.next.branch;
        self.next.branch += 1;
        let name = format!("branch {number}");
        let Moment { step, act } = self.here;
        self.branches.push(Branch {
            number,
            name: name.clone(),
            named: false,
            last: act,
            end: step,
        });
        self.present = number;
        self.line
            .truncate(self.line.partition_point(|other| *other <= act));
        self.prune();
        Ok(name)
    }

    /// Moves the present moment to `moment` on the present branch. If acts were undone, a move back
    /// begins another branch, on which these acts stay undone.
    ///
    /// # Errors
    /// When `moment` does not lie on the present branch, or there is no room for another branch.
    pub fn go(&mut self, moment: Moment) -> Result<(), BranchError> {
        if !self.leads_to(&self.line, self.present().tip(), moment) {
            return Err(BranchError::Unknown(self.present));
        }
        if self.is_apart() && moment < self.here {
            self.fork()?;
        } else if self.is_apart() && moment != self.here {
            self.taken.clear();
        }
        self.here = moment;
        Ok(())
    }

    /// Makes the branch number `branch` the present branch, and moves the present moment to
    /// `moment` on it. The former branch is removed if the user has not named it and another branch
    /// contains its whole path.
    ///
    /// # Errors
    /// When the branch does not exist or does not contain `moment`.
    pub fn switch(&mut self, branch: u64, moment: Moment) -> Result<(), BranchError> {
        let to = self.branch(branch).ok_or(BranchError::Unknown(branch))?;
        let (path, tip) = self.route(to);
        if !self.leads_to(&path, tip, moment) {
            return Err(BranchError::Unknown(branch));
        }
        let left = std::mem::replace(&mut self.present, branch);
        (self.here, self.line) = (moment, path);
        self.taken.clear();
        if left != branch
            && self
                .branch(left)
                .is_some_and(|left| !left.named && self.is_held(left))
        {
            self.branches.retain(|branch| branch.number != left);
            self.prune();
        }
        Ok(())
    }

    /// Returns true if another branch passes through the tip of `branch`, so that the removal of
    /// `branch` loses no moment.
    fn is_held(&self, branch: &Branch) -> bool {
        let others = self
            .branches
            .iter()
            .filter(|other| other.number != branch.number);
        others.into_iter().any(|other| {
            let (path, tip) = self.route(other);
            self.leads_to(&path, tip, branch.tip())
        })
    }

    /// Undoes the last user action before the present moment: moves the present moment to just
    /// before the action, and returns the action. Its acts stay in the tree, and [`History::redo`]
    /// restores them. `None` if there is no action to undo.
    pub fn undo(&mut self) -> Option<Deed> {
        let last = self.acts_done().checked_sub(1)?;
        let deed = self.deed_around(&self.line, last)?;
        self.taken.push(Taken {
            branch: self.present,
            act: deed.after.act,
        });
        self.here = deed.before;
        Some(deed)
    }

    /// Redoes an action, moves the present moment to just after the action, and returns the action:
    /// the next action ahead if it was not undone, or else the action undone last. `None` if there
    /// is none.
    pub fn redo(&mut self) -> Option<Deed> {
        if let Some(deed) = self
            .deed_around(&self.line, self.acts_done())
            .filter(|_| !self.is_apart())
        {
            self.here = deed.after;
            return Some(deed);
        }
        while let Some(Taken { branch, act }) = self.taken.pop() {
            let Some(back) = self.branch(branch) else {
                continue;
            };
            let path = self.path(back.last);
            let Some(deed) = path
                .binary_search(&act)
                .ok()
                .and_then(|at| self.deed_around(&path, at))
            else {
                continue;
            };
            let left = std::mem::replace(&mut self.present, branch);
            (self.here, self.line) = (deed.after, path);
            // Once the act is back, a run without it needs no branch of its own.
            let bare = |branch: &Branch| !branch.named && self.adds_nothing(branch);
            if left != branch && self.branch(left).is_some_and(bare) {
                self.branches.retain(|branch| branch.number != left);
                self.taken.retain(|taken| taken.branch != left);
                self.prune();
            }
            return Some(deed);
        }
        None
    }

    /// Returns true if all acts of `branch` also lie on other branches.
    fn adds_nothing(&self, branch: &Branch) -> bool {
        let others = self
            .branches
            .iter()
            .filter(|other| other.number != branch.number);
        branch.last == 0
            || others
                .into_iter()
                .any(|other| self.path(other.last).binary_search(&branch.last).is_ok())
    }

    /// Returns the user action that [`History::undo`] would undo, and the user action that
    /// [`History::redo`] would redo; `None` if there is none.
    pub fn offers(&self) -> [Option<Deed>; 2] {
        let done = self.acts_done();
        let last = done
            .checked_sub(1)
            .and_then(|last| self.deed_around(&self.line, last));
        let taken = self.taken.last().and_then(|taken| {
            let path = self.path(self.branch(taken.branch)?.last);
            self.deed_around(&path, path.binary_search(&taken.act).ok()?)
        });
        let ahead = self
            .deed_around(&self.line, done)
            .filter(|_| !self.is_apart());
        [last, ahead.or(taken)]
    }

    /// Returns the user action that contains the act at the index `at` of `path` (numbers of acts,
    /// ascending); `None` if `at` is beyond the end.
    fn deed_around(&self, path: &[u64], at: usize) -> Option<Deed> {
        let group = |at: &usize| {
            path.get(*at)
                .and_then(|act| self.acts.get(act))
                .map(|act| act.group)
        };
        let own = group(&at)?;
        let first = (0..at)
            .rev()
            .take_while(|at| group(at) == Some(own))
            .last()
            .unwrap_or(at);
        let last = (at..path.len())
            .take_while(|at| group(at) == Some(own))
            .last()?;
        let of = |at: usize| Some((path[at], self.acts.get(&path[at])?));
        let ((_, begin), (number, end)) = (of(first)?, of(last)?);
        Some(Deed {
            before: Moment {
                step: begin.step,
                act: begin.after,
            },
            after: Moment {
                step: end.step,
                act: number,
            },
            kind: ActKind::from_command(&begin.command),
        })
    }

    /// Returns the first command of the user action `deed`; `None` if the action's first act was
    /// removed.
    pub fn deed_begins_with(&self, deed: &Deed) -> Option<&Command> {
        let path = self.path(deed.after.act);
        let (first, _) = self.next_on(&path, deed.before.act)?;
        self.acts.get(&first).map(|act| &act.command)
    }

    /// Returns the user actions on the present branch, in order of time.
    pub fn deeds(&self) -> Vec<Deed> {
        let (mut deeds, mut at) = (Vec::<Deed>::new(), 0);
        while let Some(number) = self.line.get(at) {
            let begin = &self.acts[number];
            let same = self.line[at..]
                .iter()
                .take_while(|act| self.acts[*act].group == begin.group)
                .count();
            let last = self.line[at + same - 1];
            deeds.push(Deed {
                before: Moment {
                    step: begin.step,
                    act: begin.after,
                },
                after: Moment {
                    step: self.acts[&last].step,
                    act: last,
                },
                kind: ActKind::from_command(&begin.command),
            });
            at += same;
        }
        deeds
    }

    /// Returns the last step up to which `branch` and the present branch have the same states.
    pub fn parts_at(&self, branch: &Branch) -> u64 {
        let path = self.path(branch.last);
        let common = path
            .iter()
            .zip(&self.line)
            .take_while(|(a, b)| a == b)
            .count();
        let next = |path: &[u64], end: u64| path.get(common).map_or(end, |act| self.acts[act].step);
        next(&path, branch.end).min(next(&self.line, self.present().end))
    }

    /// Gives the branch number `number` the name `name`, without surrounding spaces.
    ///
    /// # Errors
    /// When the name is empty, too long or contains control characters, or the branch does not
    /// exist.
    pub fn rename(&mut self, number: u64, name: &str) -> Result<(), BranchError> {
        let name = name.trim();
        if !is_name(name) {
            return Err(BranchError::Name);
        }
        let branch = self
            .branches
            .iter_mut()
            .find(|branch| branch.number == number);
        let branch = branch.ok_or(BranchError::Unknown(number))?;
        (branch.name, branch.named) = (name.to_owned(), true);
        Ok(())
    }

    /// Removes the branch number `number`, and the acts that lie on no other branch. Returns the
    /// branch's name.
    ///
    /// # Errors
    /// When the branch does not exist or is the present branch.
    pub fn remove(&mut self, number: u64) -> Result<String, BranchError> {
        let name = self
            .branch(number)
            .ok_or(BranchError::Unknown(number))?
            .name
            .clone();
        if number == self.present {
            return Err(BranchError::Present(name));
        }
        self.branches.retain(|branch| branch.number != number);
        self.taken.retain(|taken| taken.branch != number);
        self.prune();
        Ok(name)
    }

    /// Removes from the tree the acts that lie on no branch.
    fn prune(&mut self) {
        let mut seen = BTreeSet::new();
        for branch in &self.branches {
            let mut act = branch.last;
            while act != 0 && seen.insert(act) {
                act = self.acts.get(&act).map_or(0, |act| act.after);
            }
        }
        self.acts.retain(|number, _| seen.contains(number));
    }
}

/// Returns true if `name` is a valid name of a branch: 1 to `LONGEST_NAME` characters, no control
/// characters.
fn is_name(name: &str) -> bool {
    (1..=LONGEST_NAME).contains(&name.chars().count()) && !name.chars().any(char::is_control)
}

#[cfg(test)]
mod tests;
