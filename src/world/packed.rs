//! A world put aside in little memory: empty cells take none, and worlds over the same ground share it.

use std::sync::Arc;

use super::{Ground, Ledger, Liquid, Tile, World};

/// The state of a [`World`], to come back to it.
#[derive(Clone, Debug)]
pub struct PackedWorld {
    ground: Arc<Ground>,
    /// The tiles that hold liquid, strip after strip: x and y in tiles, number of the strip, and what they hold.
    tiles: Vec<([u16; 3], Tile)>,
    ledger: Ledger,
}

impl PackedWorld {
    /// Puts a world aside; the ground is shared with `beside` where it is the same.
    pub fn new(world: &World, beside: Option<&Self>) -> Self {
        let ground = match beside {
            Some(other) if other.ground.stamp() == world.ground.stamp() => other.ground.clone(),
            _ => Arc::new(world.ground.clone()),
        };
        let tiles =
            world.lava.strips.iter().enumerate().flat_map(|(tz, strip)| {
                strip.iter().map(move |(tx, y, tile)| ([tx as u16, y as u16, tz as u16], *tile))
            });
        Self { ground, tiles: tiles.collect(), ledger: world.lava.ledger }
    }

    /// Makes `world`, of the same shape, what the packed one was.
    pub fn unpack_into(&self, world: &mut World) {
        assert_eq!(world.grid, self.ground.grid(), "a world goes back into its own box");
        if world.ground.stamp() != self.ground.stamp() {
            world.ground = (*self.ground).clone();
        }
        world.lava = Liquid::empty(world.grid);
        for &([tx, y, tz], tile) in &self.tiles {
            let strip = &mut world.lava.strips[usize::from(tz)];
            strip.put(tx.into(), y.into(), tile);
        }
        world.lava.ledger = self.ledger;
    }

    /// The ground, which other packed worlds may share.
    pub fn ground(&self) -> &Arc<Ground> {
        &self.ground
    }

    /// Memory that it takes beside the ground, in bytes.
    pub fn bytes(&self) -> usize {
        self.tiles.len() * size_of::<([u16; 3], Tile)>()
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
