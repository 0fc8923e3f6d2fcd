//! A flow that is put into cells only for what reads them: a run without pictures shows a step when it exports one.

use super::World;

/// Columns of a flow that have changed since they were shown.
#[derive(Clone, Debug, Default)]
pub(super) struct Unseen {
    is_listed: Vec<bool>,
    columns: Vec<u32>,
}

impl Unseen {
    pub(super) fn add(&mut self, columns: &[u32]) {
        for &c in columns {
            if !std::mem::replace(&mut self.is_listed[c as usize], true) {
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

impl World {
    /// Shows the flow only when [`World::show_flow`] is called from now on, if nothing but the lava reads the layers.
    pub(crate) fn defer_flow(&mut self) {
        let shown = self.layers_of_flow();
        let is_alone = self.air.is_none() && (0..self.layers.len()).all(|layer| shown.has(layer));
        let columns = self.grid.columns();
        if let Some(flowing) = self.flow.as_deref_mut().filter(|_| is_alone) {
            flowing.unseen = Some(Unseen { is_listed: vec![false; columns], columns: Vec::new() });
        }
    }

    /// Shows what has changed of the flow since it was shown.
    pub(crate) fn show_flow(&mut self) {
        let unseen = self.flow.as_deref_mut().and_then(|flowing| flowing.unseen.as_mut());
        let Some(columns) = unseen.map(Unseen::take).filter(|columns| !columns.is_empty()) else { return };
        self.show(|_| columns);
        self.stay_shown();
    }
}
