//! Deferred display of the flow: lava is written into the cells only on demand, so that a
//! simulation without pictures pays only for the steps that are exported.

use super::FlowInCells;
use lavoxel_automaton::world::World;
use lavoxel_flow::store::blocks::Blocks;

/// List of the flow's columns that changed since they were last displayed.
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

    /// Returns the indices of the changed columns, ascending, and clears the list.
    fn take(&mut self) -> Vec<u32> {
        let mut columns = std::mem::take(&mut self.columns);
        columns
            .iter()
            .for_each(|&c| self.is_listed[c as usize] = false);
        columns.sort_unstable();
        columns
    }
}

impl FlowInCells {
    /// Switches to deferred display: from now on, only [`Self::show_unseen`] and edits write the
    /// flow into the cells.
    pub(crate) fn defer(&mut self) {
        let columns = self.flow.space().columns();
        self.unseen = Some(Unseen {
            is_listed: Blocks::at_rest(columns, false),
            columns: Vec::new(),
        });
    }

    /// Displays all columns of the flow that changed since they were last displayed.
    pub(crate) fn show_unseen(&mut self, world: &mut World) {
        let columns = self
            .unseen
            .as_mut()
            .map(Unseen::take)
            .filter(|columns| !columns.is_empty());
        let Some(columns) = columns else { return };
        self.show_columns(world, &columns);
        world.stay_mirrored();
    }
}
