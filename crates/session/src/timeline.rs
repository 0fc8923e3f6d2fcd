//! Timeline of a session: its branches, its user actions, and the moments that the user has kept.

use crate::history::{Branch, Deed, History, Moment, words};
use crate::snapshots::Snapshots;

/// Branch of the session's history, and the last step that it has in common with the present
/// branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BranchReport {
    /// Number, name and last moment of the branch.
    pub branch: Branch,
    /// Last step at which this branch and the present branch still have the same state.
    pub parts_at: u64,
}

/// User action on the present branch, which is undone as a whole, with its description.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeedReport {
    /// Moments before and after the action, and its kind.
    pub deed: Deed,
    /// Description of the action for the user, such as "stroke of lava".
    pub words: String,
}

/// Timeline of the session: branches, user actions and kept moments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TimeLine {
    /// Number of the present branch, on which the session runs.
    pub present: u64,
    /// All branches, oldest first, the present branch included.
    pub branches: Vec<BranchReport>,
    /// User actions on the present branch, in order of time.
    pub deeds: Vec<DeedReport>,
    /// Moments of the present branch of which the user has kept a snapshot, in order of time.
    pub kept: Vec<Moment>,
    /// Descriptions of the user actions that the next undo (first) and the next redo (second) would
    /// affect; `None` if there is nothing to undo or redo.
    pub offers: [Option<String>; 2],
}

impl TimeLine {
    /// Returns the present branch; `None` for a timeline without branches.
    pub fn branch(&self) -> Option<&Branch> {
        self.branches
            .iter()
            .map(|report| &report.branch)
            .find(|branch| branch.number == self.present)
    }

    /// Returns the last step reached on the present branch; 0 without branches.
    pub fn end(&self) -> u64 {
        self.branch().map_or(0, |branch| branch.end)
    }
}

/// Builds the timeline for the user: branches, user actions with their descriptions, moments kept
/// by the user, and the actions that undo and redo would affect.
pub(crate) fn timeline(history: &History, snapshots: &Snapshots) -> TimeLine {
    let words_of = |deed: &Deed| {
        let first = history.deed_begins_with(deed);
        first.map(words).unwrap_or_default()
    };
    let (line, tip) = (history.line(), history.present().tip());
    let branch = |branch: &Branch| BranchReport {
        branch: branch.clone(),
        parts_at: history.parts_at(branch),
    };
    TimeLine {
        present: history.present().number,
        branches: history.branches().iter().map(branch).collect(),
        deeds: history
            .deeds()
            .into_iter()
            .map(|deed| DeedReport {
                words: words_of(&deed),
                deed,
            })
            .collect(),
        kept: snapshots
            .by_hand()
            .filter(|moment| history.leads_to(line, tip, *moment))
            .collect(),
        offers: history.offers().map(|deed| deed.as_ref().map(words_of)),
    }
}
