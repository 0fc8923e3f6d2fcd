//! Compact copies of layers: empty cells take no memory.

use super::{Layer, Ledger};
use lavoxel_base::grid::tile::Lanes;

/// Contents of a [`Layer`], to be restored later.
#[derive(Clone, Debug)]
pub struct PackedLayer {
    /// Tiles that hold matter, strip after strip: x in tiles, y in cells, index of the strip.
    places: Vec<[u16; 3]>,
    /// Contents of the tiles, quantity after quantity.
    lanes: Vec<Lanes>,
    ledger: Ledger,
}

impl PackedLayer {
    /// Copies the contents of a layer.
    pub fn new(layer: &Layer) -> Self {
        let places = layer.tiles().map(|(at, _)| at).collect();
        let lanes = layer.tiles().flat_map(|(_, tile)| tile.0).copied().collect();
        Self { places, lanes, ledger: layer.ledger }
    }

    /// Restores the contents into `layer`, which must have the same box and material as the packed
    /// one.
    pub fn unpack_into(&self, layer: &mut Layer) {
        *layer = layer.emptied();
        let quantities = self.lanes.len() / self.places.len().max(1);
        for (at, tile) in self.places.iter().zip(self.lanes.chunks(quantities.max(1))) {
            layer.put_tile(*at, tile);
        }
        layer.ledger = self.ledger;
    }

    /// Memory in bytes.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.places[..]) + size_of_val(&self.lanes[..])
    }
}
