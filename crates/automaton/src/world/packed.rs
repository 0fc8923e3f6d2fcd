//! A layer put aside in little memory: empty cells take none.

use super::{Layer, Ledger};
use lavoxel_base::grid::tile::Lanes;

/// The contents of a [`Layer`], to come back to them.
#[derive(Clone, Debug)]
pub struct PackedLayer {
    /// The tiles that hold matter, strip after strip: x and y in tiles, number of the strip.
    places: Vec<[u16; 3]>,
    /// Contents, quantity after quantity.
    lanes: Vec<Lanes>,
    ledger: Ledger,
}

impl PackedLayer {
    /// Puts the contents of a layer aside.
    pub fn new(layer: &Layer) -> Self {
        let places = layer.tiles().map(|(at, _)| at).collect();
        let lanes = layer.tiles().flat_map(|(_, tile)| tile.0).copied().collect();
        Self { places, lanes, ledger: layer.ledger }
    }

    /// Makes `layer`, of the same box and material, what the packed one was.
    pub fn unpack_into(&self, layer: &mut Layer) {
        *layer = layer.emptied();
        let quantities = self.lanes.len() / self.places.len().max(1);
        for (at, tile) in self.places.iter().zip(self.lanes.chunks(quantities.max(1))) {
            layer.put_tile(*at, tile);
        }
        layer.ledger = self.ledger;
    }

    /// Memory that it takes, in bytes.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.places[..]) + size_of_val(&self.lanes[..])
    }
}
