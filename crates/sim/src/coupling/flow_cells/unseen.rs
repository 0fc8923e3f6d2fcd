//! A flow that is put into cells only for what reads them: a run without pictures shows a step when it exports one.

use super::FlowInCells;
use lavoxel_automaton::world::World;
use lavoxel_flow::store::blocks::Blocks;

/// Columns of a flow that have changed since they were shown.
#[derive(Clone, Debug)]
pub(super) struct Unseen {
    is_listed: Blocks<bool>,
    columns: Vec<u32>,
}

impl Unseen {
    pub(super) fn add(&mut self, columns: &[u32]) {
        for &c in columns {
            if !self.is_listed[c as usize] {
                self.is_listed.set(c as usize, true);
                self.columns.push(c);
            }
        }
    }

    /// The columns, ascending; none are left.
    fn take(&mut self) -> Vec<u32> {
        let mut columns = std::mem::take(&mut self.columns);
        columns.iter().for_each(|&c| self.is_listed[c as usize] = false);
        columns.sort_unstable();
        columns
    }
}

impl FlowInCells {
    /// Shows the flow only when [`Self::show_unseen`] is called from now on.
    pub(crate) fn defer(&mut self) {
        let columns = self.flow.space().columns();
        self.unseen = Some(Unseen { is_listed: Blocks::at_rest(columns, false), columns: Vec::new() });
    }

    /// Shows what has changed of the flow since it was shown.
    pub(crate) fn show_unseen(&mut self, world: &mut World) {
        let columns = self.unseen.as_mut().map(Unseen::take).filter(|columns| !columns.is_empty());
        let Some(columns) = columns else { return };
        self.show_columns(world, &columns);
        world.stay_mirrored();
    }
}
