//! Undo of an unfinished step: when the program is to end, a step of many sub-steps goes back to
//! its start.
//!
//! Invariant: a saved flow is always the state after a whole step.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::motion::plan::Plan;
use crate::store::blocks::{Blocks, WIDE};
use crate::store::column::Column;
use crate::store::lean::Lean;
use crate::{Flow, FlowAccount, FlowWatch};

/// Number of faces from which a step keeps its previous state: about a tenth of a second of work.
/// Shorter steps run to their end.
const MANY: u64 = 1 << 20;

/// Upper bound of a step's undo list in bytes, for a box of `columns` columns of which `wet` are
/// wet; `Vec` doubling included.
pub(crate) fn need(columns: usize, wet: usize) -> u64 {
    let kept = (2 * wet).min(columns);
    // In the worst case each block of marks is allocated for one kept column.
    let marks = Blocks::<bool>::need(columns) + (kept * WIDE).min(columns) as u64;
    marks + (kept * size_of::<(u32, Column)>()) as u64
}

/// State that a step may change, from before the step.
pub(crate) struct Before {
    account: FlowAccount,
    watch: FlowWatch,
    /// Number and copy of each kept column, ascending within each call of [`Before::keep`].
    columns: Vec<(u32, Column)>,
    is_kept: Blocks<bool>,
}

impl Before {
    /// Keeps copies of the columns `active`, except those that are kept already.
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
    /// Lets long steps give up as soon as `stop` is set: the flow is then as it was before the
    /// step.
    pub fn stop_by(&mut self, stop: Arc<AtomicBool>) {
        self.stop = Some(stop);
    }

    /// Returns true if the last step was given up.
    pub fn was_stopped(&self) -> bool {
        self.was_stopped
    }

    /// Returns true if the present step is to be given up.
    pub(crate) fn is_to_stop(&self) -> bool {
        self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// Undo list for the coming step, if steps may be given up and this one is long, by its plan or
    /// by the step before.
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

    /// Restores the state from the start of a step.
    pub(crate) fn undo(&mut self, before: Before) {
        (self.account, self.watch) = (before.account, before.watch);
        for (c, column) in before.columns {
            self.leans[c as usize] = Lean::of(&column);
            self.columns[c as usize] = column;
        }
        self.changed.clear();
        self.is_disturbed = true;
    }
}
