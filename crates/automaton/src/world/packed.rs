//! Compact copies of layers: only non-empty tiles take memory.

use super::{Layer, Ledger};
use lavoxel_base::grid::tile::Lanes;

/// Compact copy of the contents and the account of a [`Layer`].
#[derive(Clone, Debug)]
pub struct PackedLayer {
    /// Indices of the non-empty tiles (x in tiles, y in cells, z in tiles).
    places: Vec<[u16; 3]>,
    /// Contents of the tiles in the order of `places`: amounts of the 32 cells, then energies if
    /// the material carries energy.
    lanes: Vec<Lanes>,
    ledger: Ledger,
}

impl PackedLayer {
    /// Creates a compact copy of the contents and the account of `layer`.
    pub fn new(layer: &Layer) -> Self {
        let places = layer.tiles().map(|(at, _)| at).collect();
        let lanes = layer
            .tiles()
            .flat_map(|(_, tile)| tile.0)
            .copied()
            .collect();
        Self {
            places,
            lanes,
            ledger: layer.ledger,
        }
    }

    /// Replaces the contents and the account of `layer` by those of this copy; `layer` must have
    /// the grid and material of the original.
    pub fn unpack_into(&self, layer: &mut Layer) {
        *layer = layer.emptied();
        let quantities = self.lanes.len() / self.places.len().max(1);
        for (at, tile) in self.places.iter().zip(self.lanes.chunks(quantities.max(1))) {
            layer.put_tile(*at, tile);
        }
        layer.ledger = self.ledger;
    }

    /// Heap memory of the copy in bytes.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.places[..]) + size_of_val(&self.lanes[..])
    }
}
