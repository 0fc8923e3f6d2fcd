//! What a checkpoint keeps of a flow, and the hash of its state.

use serde::{Deserialize, Serialize};

use super::column::Column;
use super::melt::Solids;
use super::{Flow, FlowAccount, FlowCell, FlowWatch, Mark, UNITS};
use crate::random::mix64;

/// What a checkpoint keeps of a flow.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FlowState {
    steps: u64,
    account: FlowAccount,
    columns: Vec<SavedColumn>,
    solids: Option<Solids>,
    watch: FlowWatch,
}

/// Largest deficit of a crust in kelvin that a file may claim, and most steps.
const MOST_SKIN: f32 = 1e6;
const MOST_STEPS: u64 = 1 << 48;

/// One column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct SavedColumn {
    base: u32,
    cells: Vec<FlowCell>,
    skin: f32,
    mark: Mark,
}

impl Flow {
    /// What a checkpoint keeps.
    pub fn state(&self) -> FlowState {
        let save = |(column, mark): (&Column, &Mark)| SavedColumn {
            base: column.base as u32,
            cells: column.cells.to_vec(),
            skin: column.skin,
            mark: *mark,
        };
        let columns = self.columns.iter().zip(&self.marks).map(save).collect();
        FlowState { steps: self.steps, account: self.account, columns, solids: self.solids.clone(), watch: self.watch }
    }

    /// Goes on from a state that was kept of a flow with the same box and setup.
    ///
    /// # Errors
    ///
    /// Says what is wrong with the state; the flow is then as it was.
    pub fn restore(&mut self, state: FlowState) -> Result<(), String> {
        if state.columns.len() != self.columns.len() {
            return Err(format!("flow: {} columns for a box of {}", state.columns.len(), self.columns.len()));
        }
        if !state.account.can_be() || !state.watch.can_be(self.columns.len()) || state.steps > MOST_STEPS {
            return Err("flow: a sum that cannot be".to_owned());
        }
        let top = self.space.ny;
        let is_whole = |saved: &SavedColumn| {
            let holds = |cell: &FlowCell| cell.amount >= 0 && cell.heat >= 0 && (0..=UNITS).contains(&cell.rock);
            saved.base as usize <= top
                && (0.0..=MOST_SKIN).contains(&saved.skin)
                && saved.mark.can_be(top)
                && saved.cells.len() <= top + 1024
                && saved.cells.iter().all(holds)
        };
        if !state.columns.iter().all(is_whole) {
            return Err("flow: a column that cannot be".to_owned());
        }
        let solids = state.solids.as_ref();
        if solids.is_some() != self.solids.is_some()
            || solids.is_some_and(|solids| !can_be(solids, &state.columns, top))
        {
            return Err("flow: solid that cannot be".to_owned());
        }
        let mut flow = self.clone();
        for ((column, mark), saved) in flow.columns.iter_mut().zip(&mut flow.marks).zip(state.columns) {
            *column =
                Column { base: saved.base as i32, cells: saved.cells.into(), skin: saved.skin, ..Column::default() };
            *mark = saved.mark;
        }
        (flow.steps, flow.account, flow.solids) = (state.steps, state.account, state.solids);
        flow.watch = state.watch;
        flow.has_loose = true;
        flow.find_runs();
        flow.check()?;
        flow.changed = (0..flow.columns.len() as u32).collect();
        *self = flow;
        Ok(())
    }

    /// Hash of all that decides what comes next.
    pub fn hash(&self) -> u64 {
        let mut hash = mix64(self.steps);
        let mut add = |value: u64| hash = mix64(hash ^ value).wrapping_add(value);
        for (column, mark) in self.columns.iter().zip(&self.marks) {
            add(column.base as u64);
            let used = column.cells.iter().rposition(|cell| *cell != FlowCell::default()).map_or(0, |last| last + 1);
            for cell in &column.cells[..used] {
                add(cell.amount as u64 | (cell.rock as u64) << 32);
                add(cell.heat as u64);
            }
            add(u64::from(column.skin.to_bits()));
            add(mark.arrival_s.to_bits());
        }
        for solid in self.solids.iter().flatten() {
            solid.hash_into(&mut add);
        }
        hash
    }
}

/// Whether solid has numbers in their ranges, inside of the box.
fn can_be(solids: &Solids, columns: &[SavedColumn], top: usize) -> bool {
    solids.len() == columns.len() && solids.iter().all(|solid| solid.is_sound(top))
}
