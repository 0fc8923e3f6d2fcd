//! Undo of an unfinished step: when the program is about to end, a long step is aborted and the
//! state at its start is restored.
//!
//! Invariant: a saved flow is always the state after a whole step.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::motion::plan::Plan;
use crate::store::blocks::{Blocks, WIDE};
use crate::store::column::Column;
use crate::store::column_summary::ColumnSummary;
use crate::{Flow, FlowAccount, FlowWatch};

/// Number of face evaluations from which a step saves its initial state: about 0.1 s of work.
/// Shorter steps always run to completion.
const MANY: u64 = 1 << 20;

/// Upper bound of the memory in bytes of a step's undo list, for a box of `columns` columns of
/// which `wet` contain liquid; growth of `Vec` by doubling included.
pub(crate) fn need(columns: usize, wet: usize) -> u64 {
    let kept = (2 * wet).min(columns);
    // In the worst case each block of marks is allocated for one kept column.
    let marks = Blocks::<bool>::need(columns) + (kept * WIDE).min(columns) as u64;
    marks + (kept * size_of::<(u32, Column)>()) as u64
}

/// Undo list of a step: accounts, extreme values and changed columns as they were at the start of
/// the step.
pub(crate) struct Before {
    account: FlowAccount,
    watch: FlowWatch,
    /// Column number and copy of each saved column, ascending within each call of [`Before::keep`].
    columns: Vec<(u32, Column)>,
    is_kept: Blocks<bool>,
}

impl Before {
    /// Saves copies of the columns with the numbers `active` (ascending), except those already
    /// saved.
    pub(crate) fn keep(&mut self, active: &[u32], columns: &Blocks<Column>) {
        for &c in active {
            if !self.is_kept[c as usize] {
                self.is_kept.set(c as usize, true);
                self.columns.push((c, columns[c as usize].clone()));
            }
        }
    }
}

impl Flow {
    /// Sets the flag by which a long step can be aborted: once `stop` is true, a running
    /// `Flow::step` returns early and leaves the state from before the step.
    pub fn stop_by(&mut self, stop: Arc<AtomicBool>) {
        self.stop = Some(stop);
    }

    /// Returns true if the last call of `Flow::step` was aborted by the stop flag.
    pub fn was_stopped(&self) -> bool {
        self.was_stopped
    }

    /// Returns true if the stop flag is set, so that the present step must be aborted.
    pub(crate) fn is_to_stop(&self) -> bool {
        self.stop
            .as_ref()
            .is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// Returns an empty undo list for the coming step; `None` if no stop flag is set up, or if the
    /// plan and the work of the last step both predict a short step.
    pub(crate) fn before(&self, plan: &Plan) -> Option<Before> {
        self.stop.as_ref()?;
        let is_long = !plan.active.is_empty() && self.work.max(plan.work()) >= MANY;
        is_long.then(|| Before {
            account: self.account,
            watch: self.watch,
            columns: Vec::new(),
            is_kept: Blocks::at_rest(self.space.columns(), false),
        })
    }

    /// Restores the state at the start of the aborted step from its undo list `before`.
    pub(crate) fn undo(&mut self, before: Before) {
        (self.account, self.watch) = (before.account, before.watch);
        for (c, column) in before.columns {
            self.leans[c as usize] = ColumnSummary::from_column(&column);
            self.columns[c as usize] = column;
        }
        self.changed.clear();
        self.is_disturbed = true;
    }
}
