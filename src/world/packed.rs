//! A world put aside in little memory: empty cells take none, and worlds over the same ground share it.

use std::sync::Arc;

use super::{Ground, Layer, Ledger, World};
use crate::grid::tile::Lanes;

/// The state of a [`World`], to come back to it.
#[derive(Clone, Debug)]
pub struct PackedWorld {
    ground: Arc<Ground>,
    layers: Vec<PackedLayer>,
}

#[derive(Clone, Debug)]
struct PackedLayer {
    /// The tiles that hold matter, strip after strip: x and y in tiles, number of the strip.
    places: Vec<[u16; 3]>,
    /// Contents, quantity after quantity.
    lanes: Vec<Lanes>,
    ledger: Ledger,
}

impl PackedLayer {
    fn new(layer: &Layer) -> Self {
        let places = layer.tiles().map(|(at, _)| at).collect();
        let lanes = layer.tiles().flat_map(|(_, tile)| tile.0).copied().collect();
        Self { places, lanes, ledger: layer.ledger }
    }

    fn unpack_into(&self, layer: &mut Layer) {
        *layer = layer.emptied();
        let quantities = self.lanes.len() / self.places.len().max(1);
        for (at, tile) in self.places.iter().zip(self.lanes.chunks(quantities.max(1))) {
            layer.put_tile(*at, tile);
        }
        layer.ledger = self.ledger;
    }
}

impl PackedWorld {
    /// Puts a world aside; the ground is shared with `last` where it is the same.
    pub fn new(world: &World, last: Option<&Self>) -> Self {
        // All that a world has: what is left out is that of the world to which it comes back.
        let World { grid: _, ground, layers, lava: _, capacity: _, mirrors: _ } = world;
        let ground = match last {
            Some(other) if other.ground.stamp() == ground.stamp() => other.ground.clone(),
            _ => Arc::new(ground.clone()),
        };
        let layers = layers.iter().map(PackedLayer::new).collect();
        Self { ground, layers }
    }

    /// Makes `world`, of the same shape and materials, what the packed one was.
    pub fn unpack_into(&self, world: &mut World) {
        assert_eq!(world.grid, self.ground.grid(), "a world goes back into its own box");
        assert_eq!(world.layers.len(), self.layers.len(), "a world keeps its materials");
        if world.ground.stamp() != self.ground.stamp() {
            world.ground = (*self.ground).clone();
        }
        self.layers.iter().zip(&mut world.layers).for_each(|(packed, layer)| packed.unpack_into(layer));
    }

    /// The ground, which other packed worlds may share.
    pub fn ground(&self) -> &Arc<Ground> {
        &self.ground
    }

    /// Memory that it takes besides the ground, in bytes.
    pub fn bytes(&self) -> usize {
        let bytes = |layer: &PackedLayer| size_of_val(&layer.places[..]) + size_of_val(&layer.lanes[..]);
        self.layers.iter().map(bytes).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Grid;
    use crate::world::{Edit, Matter, Shape};

    #[test]
    fn comes_back_as_it_was() {
        let mut world = World::restless(Grid::new(9, 8, 7), 0.5);
        let rock = Edit { shape: Shape::Sphere { center: [4.0; 3], radius: 2.0 }, matter: Matter::Rock };
        let packed = PackedWorld::new(&world, None);
        let hash = world.state_hash();
        let again = PackedWorld::new(&world, Some(&packed));
        assert!(Arc::ptr_eq(packed.ground(), again.ground()));

        world.edit(&rock);
        assert_ne!(world.state_hash(), hash);
        assert!(!Arc::ptr_eq(packed.ground(), PackedWorld::new(&world, Some(&packed)).ground()));
        packed.unpack_into(&mut world);
        assert_eq!(world.state_hash(), hash);
        assert_eq!(world.ground.stamp(), packed.ground().stamp());
        world.check().expect("the account is exact");
    }
}
