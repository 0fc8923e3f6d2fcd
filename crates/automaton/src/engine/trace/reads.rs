//! Records when the tracing rule last read each layer, from which follows which tiles changed
//! since.

use crate::world::{Changes, Cursor, Layer, Reading};

/// Times of the last reads of a group of layers, the traced layer last.
///
/// A layer records only the changes since its last read by any tracing rule. If several tracing
/// rules that heed trapped air read a layer in a step, each rule reads its strips as a whole.
#[derive(Debug, Default)]
pub(super) struct Reads(Vec<Cursor>);

impl Reads {
    /// Forgets the last reads, so that the next reads return whole strips.
    pub(super) fn forget(&mut self) {
        self.0.clear();
    }

    /// Records that all `layers` are read now; the next queries return the changes made after this
    /// read.
    pub(super) fn advance<'a>(&mut self, layers: impl Iterator<Item = &'a Layer>) {
        self.0.clear();
        self.0
            .extend(layers.map(|layer| layer.clock.read(Reading::Trace)));
    }

    /// Returns a superset of the changed tiles in the strip with z index `tz` of the traced
    /// `layer`; `None` if the whole strip must be read.
    pub(super) fn own<'a>(&self, layer: &'a Layer, tz: usize) -> Option<Changes<'a>> {
        layer.changes_since(&layer.strips[tz], self.0.last().copied())
    }

    /// Iterates over supersets of the changed tiles in the strip with z index `tz`, one for each of
    /// `layers`; leaves out layers whose strip must be read as a whole.
    pub(super) fn changes<'a>(
        &self,
        layers: impl Iterator<Item = &'a Layer>,
        tz: usize,
    ) -> impl Iterator<Item = Changes<'a>> {
        let cursors = self.0.iter().copied();
        layers
            .zip(cursors)
            .filter_map(move |(layer, cursor)| layer.changes_since(&layer.strips[tz], Some(cursor)))
    }

    /// Returns true if the changes in the strip with z index `tz` are known for all `layers`.
    pub(super) fn reaches<'a>(
        &self,
        layers: impl Iterator<Item = &'a Layer> + Clone,
        tz: usize,
    ) -> bool {
        self.changes(layers.clone(), tz).count() == layers.count()
    }
}
