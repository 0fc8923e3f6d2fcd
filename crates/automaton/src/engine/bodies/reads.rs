//! Up to when tracing has read the layers that it reads.

use crate::world::{Changes, Cursor, Layer, Reading};

/// The moments of the last reads of some layers, the traced one last.
///
/// The layers record changes since their last read by any tracing. Where the air of several layers is kept, those that are read
/// more than once a step are read as a whole.
#[derive(Debug, Default)]
pub(super) struct Reads(Vec<Cursor>);

impl Reads {
    /// Has the next reads be of everything.
    pub(super) fn forget(&mut self) {
        self.0.clear();
    }

    /// Has read all layers up to this moment.
    pub(super) fn advance<'a>(&mut self, layers: impl Iterator<Item = &'a Layer>) {
        self.0.clear();
        self.0.extend(layers.map(|layer| layer.clock.read(Reading::Trace)));
    }

    /// At least what changed in a strip of the traced layer; `None` where all of it is to be read.
    pub(super) fn own<'a>(&self, layer: &'a Layer, tz: usize) -> Option<Changes<'a>> {
        layer.changes_since(&layer.strips[tz], self.0.last().copied())
    }

    /// At least what changed in a strip of each layer; less than all where a whole layer is to be read.
    pub(super) fn changes<'a>(
        &self,
        layers: impl Iterator<Item = &'a Layer>,
        tz: usize,
    ) -> impl Iterator<Item = Changes<'a>> {
        let cursors = self.0.iter().copied();
        layers.zip(cursors).filter_map(move |(layer, cursor)| layer.changes_since(&layer.strips[tz], Some(cursor)))
    }

    /// Whether what changed in a strip is known of all layers.
    pub(super) fn reaches<'a>(&self, layers: impl Iterator<Item = &'a Layer> + Clone, tz: usize) -> bool {
        self.changes(layers.clone(), tz).count() == layers.count()
    }
}
