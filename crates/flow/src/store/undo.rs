//! A step that is given up: when the program is to end, a step of many sub-steps goes back to where it began, so that what is
//! kept of the flow is always the state after a whole step.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::motion::plan::Plan;
use crate::store::blocks::{Blocks, WIDE};
use crate::store::column::Column;
use crate::store::lean::Lean;
use crate::{Flow, FlowAccount, FlowWatch};

/// Faces from which a step keeps what it changes: about a tenth of a second of work. Shorter steps are made to their end.
const MANY: u64 = 1 << 20;

/// Most bytes that a step of so many columns, so many of them wet, keeps in a list that doubles as it grows.
pub(crate) fn need(columns: usize, wet: usize) -> u64 {
    let kept = (2 * wet).min(columns);
    // A block of marks may hold one column that is kept.
    let marks = Blocks::<bool>::need(columns) + (kept * WIDE).min(columns) as u64;
    marks + (kept * size_of::<(u32, Column)>()) as u64
}

/// State that a step may change, as it was before.
pub(crate) struct Before {
    account: FlowAccount,
    watch: FlowWatch,
    /// Numbers of the columns, ascending within each call of [`Before::keep`], and the columns.
    columns: Vec<(u32, Column)>,
    is_kept: Blocks<bool>,
}

impl Before {
    /// Keeps these columns as they are, but for those that are kept already.
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
    /// From now on a long step is given up as soon as `stop` is set: the flow is then as it was before the step.
    pub fn stop_by(&mut self, stop: Arc<AtomicBool>) {
        self.stop = Some(stop);
    }

    /// Whether the last step was given up.
    pub fn was_stopped(&self) -> bool {
        self.was_stopped
    }

    /// Whether the step is to be given up.
    pub(crate) fn is_to_stop(&self) -> bool {
        self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// Room for what a step changes, if it may be given up and is long by its plan or by the step before it.
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

    /// Goes back to the begin of a step.
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
