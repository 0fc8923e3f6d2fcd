//! The acts of a session as a tree, and the branches of it: plain data, without a simulation and without a window.
//!
//! A state of a session follows from its [`Moment`]: the last act before it, and the steps made. The path to an act is the
//! chain of acts from the scene as it was opened; a [`Branch`] is such a path with a name and the furthest step that was
//! seen on it. The present branch is the *line*: going on, the acts ahead on it are done again at their steps. An act given
//! where something lies ahead begins another branch, and so does a step after an act was taken back.

mod kind;
mod text;

use std::collections::{BTreeMap, BTreeSet};

pub use self::kind::Kind;
pub(crate) use self::kind::{goes_on, words};
pub use self::text::HistoryError;
use lavoxel_sim::simulation::{Command, MAX_EVENTS};

/// Most branches; before another one begins, the oldest one without a name of its own is dropped.
pub const MOST_BRANCHES: usize = 32;
/// Most letters of the name of a branch.
pub const LONGEST_NAME: usize = 40;
/// Name of the first branch.
const FIRST: &str = "main";

/// A moment of a session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Moment {
    /// Steps made.
    pub step: u64,
    /// Number of the last act before it; 0 where nothing was done.
    pub act: u64,
}

impl Moment {
    /// The scene as it was opened.
    pub const START: Self = Self { step: 0, act: 0 };
}

/// One thing that was done.
#[derive(Clone, Debug, PartialEq)]
pub struct Act {
    /// Number of the act before it, which is smaller than its own; 0 where it is the first.
    pub after: u64,
    /// Steps after which it was given.
    pub step: u64,
    /// Acts in a row of one group are undone together, as those of a stroke.
    pub group: u64,
    /// Command that the simulation was given.
    pub command: Command,
}

/// A path through the acts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch {
    /// Its number, which is used once.
    pub number: u64,
    /// Name for the user.
    pub name: String,
    /// Whether the user gave the name.
    pub named: bool,
    /// Its last act, or 0.
    pub last: u64,
    /// Furthest step that was seen on it.
    pub end: u64,
}

impl Branch {
    /// The furthest moment.
    pub fn tip(&self) -> Moment {
        Moment { step: self.end, act: self.last }
    }
}

/// Neighbouring acts of one group on a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deed {
    /// The moment just before the first of them.
    pub before: Moment,
    /// The moment just after the last of them.
    pub after: Moment,
    /// How they look in the window.
    pub kind: Kind,
}

/// Acts that were taken back, for the way forward.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Taken {
    branch: u64,
    act: u64,
}

/// Cannot be done to the branches.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BranchError {
    /// No branch has this number.
    #[error("there is no branch {0}")]
    Unknown(u64),
    /// The present branch cannot be dropped.
    #[error("{0} is the present branch: go to another one before it is deleted")]
    Present(String),
    /// A name that cannot be shown.
    #[error("the name of a branch has 1 to {LONGEST_NAME} letters")]
    Name,
    /// There is room for no further branch.
    #[error("there are {MOST_BRANCHES} branches with names: delete one")]
    Full,
    /// There is room for no further act.
    #[error("number of changes of the session: at most {MAX_EVENTS}")]
    Acts,
}

/// Everything that was done in a session, and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct History {
    acts: BTreeMap<u64, Act>,
    branches: Vec<Branch>,
    /// Number of the present branch.
    present: u64,
    here: Moment,
    /// Acts of the present branch in order, which is that of their numbers.
    line: Vec<u64>,
    taken: Vec<Taken>,
    /// Hash of the state at `here` in the text that the history was read from.
    pub(crate) state: Option<u64>,
    /// Numbers of the next act, branch and group.
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
    /// A session in which nothing was done.
    pub fn new() -> Self {
        let main = Branch { number: 1, name: FIRST.to_owned(), named: false, last: 0, end: 0 };
        Self {
            acts: BTreeMap::new(),
            branches: vec![main],
            present: 1,
            here: Moment::START,
            line: Vec::new(),
            taken: Vec::new(),
            state: None,
            next: Next { act: 1, branch: 2, group: 1 },
        }
    }

    /// Where the session stands.
    pub fn here(&self) -> Moment {
        self.here
    }

    /// The branches in the order in which they began.
    pub fn branches(&self) -> &[Branch] {
        &self.branches
    }

    /// The branch of this number.
    pub fn branch(&self, number: u64) -> Option<&Branch> {
        self.branches.iter().find(|branch| branch.number == number)
    }

    /// The present branch.
    pub fn present(&self) -> &Branch {
        self.branch(self.present).expect("the present branch is there")
    }

    fn present_mut(&mut self) -> &mut Branch {
        let present = self.present;
        self.branches.iter_mut().find(|branch| branch.number == present).expect("the present branch is there")
    }

    /// An act by its number.
    pub fn act(&self, number: u64) -> Option<&Act> {
        self.acts.get(&number)
    }

    /// Numbers of the acts of the present branch, in order.
    pub fn line(&self) -> &[u64] {
        &self.line
    }

    /// Acts of the line before the present moment.
    pub fn acts_done(&self) -> usize {
        self.line.partition_point(|act| *act <= self.here.act)
    }

    /// Numbers of the acts up to one, in order. Numbers grow along a path.
    pub fn path(&self, last: u64) -> Vec<u64> {
        let acts = std::iter::successors(Some(last), |act| self.acts.get(act).map(|act| act.after));
        let mut path: Vec<u64> = acts.take_while(|act| *act != 0).collect();
        path.reverse();
        path
    }

    /// The number and the step of the act after `act` on a path.
    pub fn next_on(&self, path: &[u64], act: u64) -> Option<(u64, u64)> {
        let next = *path.get(path.partition_point(|other| *other <= act))?;
        Some((next, self.acts.get(&next)?.step))
    }

    /// Whether a moment lies on the path to another one, or is it.
    pub fn leads_to(&self, path: &[u64], to: Moment, moment: Moment) -> bool {
        let begin = self.acts.get(&moment.act).map_or(0, |act| act.step);
        let is_on = (moment.act == 0 || path.binary_search(&moment.act).is_ok()) && moment.step >= begin;
        let until = self.next_on(path, moment.act).map_or(to.step, |(_, step)| step);
        is_on && moment.step <= until.min(to.step) && moment.act <= to.act
    }

    /// Whether a branch holds a moment.
    pub fn holds(&self, moment: Moment) -> bool {
        self.branches.iter().any(|branch| self.leads_to(&self.path(branch.last), branch.tip(), moment))
    }

    /// The acts of the path to a branch's tip, and the tip.
    fn route(&self, branch: &Branch) -> (Vec<u64>, Moment) {
        (self.path(branch.last), branch.tip())
    }

    /// The moment of a step on a branch, with all that was done after it; the end of the branch where that is earlier.
    pub fn at(&self, branch: u64, step: u64) -> Result<Moment, BranchError> {
        let branch = self.branch(branch).ok_or(BranchError::Unknown(branch))?;
        let path = self.path(branch.last);
        let step = step.min(branch.end);
        let done = path.partition_point(|act| self.acts[act].step <= step);
        Ok(Moment { step, act: done.checked_sub(1).map_or(0, |last| path[last]) })
    }

    /// The next act that is done by itself when the session goes on, and its step; none after an act was taken back.
    pub fn next_ahead(&self) -> Option<(u64, u64)> {
        if self.is_apart() { None } else { self.next_on(&self.line, self.here.act) }
    }

    /// Whether the acts ahead on the line were taken back.
    fn is_apart(&self) -> bool {
        self.taken.last().is_some_and(|taken| taken.branch == self.present)
    }

    /// Whether the present moment is the furthest one of its branch.
    pub fn is_at_tip(&self) -> bool {
        self.here == self.present().tip()
    }

    /// The act ahead was done again.
    pub fn has_done(&mut self, act: u64) {
        self.here.act = act;
    }

    /// A step was made. Where acts were taken back and lie ahead, another branch begins; its name is returned.
    pub fn stepped(&mut self) -> Option<String> {
        let apart = self.is_apart();
        // Without room for a branch the acts come back.
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

    /// Whether an act can be given here, before the simulation is asked.
    pub fn has_room(&self) -> Result<(), BranchError> {
        if self.acts.len() >= MAX_EVENTS {
            return Err(BranchError::Acts);
        }
        let full = self.branches.len() >= MOST_BRANCHES && !self.is_at_tip();
        let spare = self.branches.iter().any(|branch| !branch.named && branch.number != self.present);
        if full && !spare { Err(BranchError::Full) } else { Ok(()) }
    }

    /// Adds an act at the present moment; `more`: it goes on with the group of the act before. Where something lies ahead,
    /// another branch begins, whose name is returned.
    ///
    /// # Errors
    /// Names what there is no room for; nothing is changed then.
    pub fn give(&mut self, command: Command, more: bool) -> Result<Option<String>, BranchError> {
        self.has_room()?;
        let begun = if self.is_at_tip() { None } else { Some(self.fork()?) };
        let before = self.acts.get(&self.here.act).map(|act| act.group);
        let group = before.filter(|_| more).unwrap_or_else(|| {
            self.next.group += 1;
            self.next.group - 1
        });
        let number = self.next.act;
        self.next.act += 1;
        self.acts.insert(number, Act { after: self.here.act, step: self.here.step, group, command });
        self.line.push(number);
        self.here.act = number;
        self.taken.clear();
        let here = self.here;
        let present = self.present_mut();
        (present.last, present.end) = (here.act, here.step);
        Ok(begun)
    }

    /// Begins a branch at the present moment and goes on along it.
    fn fork(&mut self) -> Result<String, BranchError> {
        if self.branches.len() >= MOST_BRANCHES {
            let spare = |branch: &Branch| !branch.named && branch.number != self.present;
            let spare = self.branches.iter().position(spare).ok_or(BranchError::Full)?;
            self.branches.remove(spare);
        }
        let number = self.next.branch;
        self.next.branch += 1;
        let name = format!("branch {number}");
        let Moment { step, act } = self.here;
        self.branches.push(Branch { number, name: name.clone(), named: false, last: act, end: step });
        self.present = number;
        self.line.truncate(self.line.partition_point(|other| *other <= act));
        self.prune();
        Ok(name)
    }

    /// Goes to a moment of the present branch. Behind acts that were taken back they stay so: another branch begins before them.
    ///
    /// # Errors
    /// Names what is not there.
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

    /// Goes to a moment of a branch and makes that the present one. The branch that is left is dropped where another one holds
    /// all of it and it has no name of its own.
    ///
    /// # Errors
    /// Names the branch that is not there.
    pub fn switch(&mut self, branch: u64, moment: Moment) -> Result<(), BranchError> {
        let to = self.branch(branch).ok_or(BranchError::Unknown(branch))?;
        let (path, tip) = self.route(to);
        if !self.leads_to(&path, tip, moment) {
            return Err(BranchError::Unknown(branch));
        }
        let left = std::mem::replace(&mut self.present, branch);
        (self.here, self.line) = (moment, path);
        self.taken.clear();
        if left != branch && self.branch(left).is_some_and(|left| !left.named && self.is_held(left)) {
            self.branches.retain(|branch| branch.number != left);
            self.prune();
        }
        Ok(())
    }

    /// Whether another branch holds all of a branch.
    fn is_held(&self, branch: &Branch) -> bool {
        let others = self.branches.iter().filter(|other| other.number != branch.number);
        others.into_iter().any(|other| {
            let (path, tip) = self.route(other);
            self.leads_to(&path, tip, branch.tip())
        })
    }

    /// Takes the last act, with all of its group, back: goes to the moment just before it. What came after stays ahead, and
    /// [`History::redo`] brings it back.
    pub fn undo(&mut self) -> Option<Deed> {
        let last = self.acts_done().checked_sub(1)?;
        let deed = self.deed_around(&self.line, last)?;
        self.taken.push(Taken { branch: self.present, act: deed.after.act });
        self.here = deed.before;
        Some(deed)
    }

    /// Goes to the moment just after the act that was taken back last; where none was, after the next one ahead.
    pub fn redo(&mut self) -> Option<Deed> {
        if let Some(deed) = self.deed_around(&self.line, self.acts_done()).filter(|_| !self.is_apart()) {
            self.here = deed.after;
            return Some(deed);
        }
        while let Some(Taken { branch, act }) = self.taken.pop() {
            let Some(back) = self.branch(branch) else { continue };
            let path = self.path(back.last);
            let Some(deed) = path.binary_search(&act).ok().and_then(|at| self.deed_around(&path, at)) else { continue };
            let left = std::mem::replace(&mut self.present, branch);
            (self.here, self.line) = (deed.after, path);
            // A run without the act is no way of its own once the act is back.
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

    /// Whether a branch has no act that another one has not.
    fn adds_nothing(&self, branch: &Branch) -> bool {
        let others = self.branches.iter().filter(|other| other.number != branch.number);
        branch.last == 0 || others.into_iter().any(|other| self.path(other.last).binary_search(&branch.last).is_ok())
    }

    /// Words about what [`History::undo`] would take back, and what [`History::redo`] would bring back.
    pub fn offers(&self) -> [Option<Deed>; 2] {
        let done = self.acts_done();
        let last = done.checked_sub(1).and_then(|last| self.deed_around(&self.line, last));
        let taken = self.taken.last().and_then(|taken| {
            let path = self.path(self.branch(taken.branch)?.last);
            self.deed_around(&path, path.binary_search(&taken.act).ok()?)
        });
        let ahead = self.deed_around(&self.line, done).filter(|_| !self.is_apart());
        [last, ahead.or(taken)]
    }

    /// The deed that the act at a place of a path belongs to.
    fn deed_around(&self, path: &[u64], at: usize) -> Option<Deed> {
        let group = |at: &usize| path.get(*at).and_then(|act| self.acts.get(act)).map(|act| act.group);
        let own = group(&at)?;
        let first = (0..at).rev().take_while(|at| group(at) == Some(own)).last().unwrap_or(at);
        let last = (at..path.len()).take_while(|at| group(at) == Some(own)).last()?;
        let of = |at: usize| Some((path[at], self.acts.get(&path[at])?));
        let ((_, begin), (number, end)) = (of(first)?, of(last)?);
        Some(Deed {
            before: Moment { step: begin.step, act: begin.after },
            after: Moment { step: end.step, act: number },
            kind: Kind::of(&begin.command),
        })
    }

    /// The first command of a deed.
    pub fn deed_begins_with(&self, deed: &Deed) -> Option<&Command> {
        let path = self.path(deed.after.act);
        let (first, _) = self.next_on(&path, deed.before.act)?;
        self.acts.get(&first).map(|act| &act.command)
    }

    /// The deeds of the present branch, in order.
    pub fn deeds(&self) -> Vec<Deed> {
        let (mut deeds, mut at) = (Vec::<Deed>::new(), 0);
        while let Some(number) = self.line.get(at) {
            let begin = &self.acts[number];
            let same = self.line[at..].iter().take_while(|act| self.acts[*act].group == begin.group).count();
            let last = self.line[at + same - 1];
            deeds.push(Deed {
                before: Moment { step: begin.step, act: begin.after },
                after: Moment { step: self.acts[&last].step, act: last },
                kind: Kind::of(&begin.command),
            });
            at += same;
        }
        deeds
    }

    /// The step up to which a branch goes with the present one.
    pub fn parts_at(&self, branch: &Branch) -> u64 {
        let path = self.path(branch.last);
        let common = path.iter().zip(&self.line).take_while(|(a, b)| a == b).count();
        let next = |path: &[u64], end: u64| path.get(common).map_or(end, |act| self.acts[act].step);
        next(&path, branch.end).min(next(&self.line, self.present().end))
    }

    /// Gives a branch a name.
    ///
    /// # Errors
    /// Refuses a name that is empty, too long or of several lines, and names a branch that is not there.
    pub fn rename(&mut self, number: u64, name: &str) -> Result<(), BranchError> {
        let name = name.trim();
        if !is_name(name) {
            return Err(BranchError::Name);
        }
        let branch = self.branches.iter_mut().find(|branch| branch.number == number);
        let branch = branch.ok_or(BranchError::Unknown(number))?;
        (branch.name, branch.named) = (name.to_owned(), true);
        Ok(())
    }

    /// Drops a branch and the acts that no other one has; returns its name.
    ///
    /// # Errors
    /// Names the branch that is not there, or the present one.
    pub fn remove(&mut self, number: u64) -> Result<String, BranchError> {
        let name = self.branch(number).ok_or(BranchError::Unknown(number))?.name.clone();
        if number == self.present {
            return Err(BranchError::Present(name));
        }
        self.branches.retain(|branch| branch.number != number);
        self.taken.retain(|taken| taken.branch != number);
        self.prune();
        Ok(name)
    }

    /// Drops acts that are on no branch.
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

/// Whether a name can be that of a branch.
fn is_name(name: &str) -> bool {
    (1..=LONGEST_NAME).contains(&name.chars().count()) && !name.chars().any(char::is_control)
}

#[cfg(test)]
mod tests;
