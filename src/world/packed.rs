//! A world put aside in little memory: empty cells take none, and worlds over the same ground share it.

use std::sync::Arc;

use super::{Ground, Ledger, Span, World};

/// The state of a [`World`], to come back to it.
#[derive(Clone, Debug)]
pub struct PackedWorld {
    ground: Arc<Ground>,
    spans: Vec<Span>,
    /// Amounts and energies of the cells inside the spans, row after row.
    amount: Vec<u16>,
    energy: Vec<u16>,
    ledger: Ledger,
}

impl PackedWorld {
    /// Puts a world aside; the ground is shared with `beside` where it is the same.
    pub fn new(world: &World, beside: Option<&Self>) -> Self {
        let ground = match beside {
            Some(other) if other.ground.stamp() == world.ground.stamp() => other.ground.clone(),
            _ => Arc::new(world.ground.clone()),
        };
        let lava = &world.lava;
        let held = |field: &[u16]| {
            let rows = field.chunks_exact(world.grid.nx).zip(&lava.spans);
            rows.flat_map(|(row, span)| &row[span.range()]).copied().collect()
        };
        Self {
            ground,
            spans: lava.spans.clone(),
            amount: held(&lava.amount),
            energy: held(&lava.energy),
            ledger: lava.ledger,
        }
    }

    /// Makes `world`, of the same shape, what the packed one was.
    pub fn unpack_into(&self, world: &mut World) {
        assert_eq!(world.grid, self.ground.grid(), "a world goes back into its own box");
        if world.ground.stamp() != self.ground.stamp() {
            world.ground = (*self.ground).clone();
        }
        let (nx, lava) = (world.grid.nx, &mut world.lava);
        let mut from = 0;
        for (row, (old, &span)) in lava.spans.iter_mut().zip(&self.spans).enumerate() {
            let cells = row * nx..(row + 1) * nx;
            let (amount, energy) = (&mut lava.amount[cells.clone()], &mut lava.energy[cells]);
            amount[old.range()].fill(0);
            energy[old.range()].fill(0);
            let held = from..from + span.range().len();
            amount[span.range()].copy_from_slice(&self.amount[held.clone()]);
            energy[span.range()].copy_from_slice(&self.energy[held.clone()]);
            from = held.end;
            *old = span;
        }
        lava.ledger = self.ledger;
    }

    /// The ground, which other packed worlds may share.
    pub fn ground(&self) -> &Arc<Ground> {
        &self.ground
    }

    /// Memory that it takes beside the ground, in bytes.
    pub fn bytes(&self) -> usize {
        self.spans.len() * size_of::<Span>() + 2 * self.amount.len() * size_of::<u16>()
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
        let (hash, spans) = (world.state_hash(), world.lava.spans.clone());
        let again = PackedWorld::new(&world, Some(&packed));
        assert!(Arc::ptr_eq(packed.ground(), again.ground()));

        world.edit(&rock);
        assert_ne!(world.state_hash(), hash);
        assert!(!Arc::ptr_eq(packed.ground(), PackedWorld::new(&world, Some(&packed)).ground()));
        packed.unpack_into(&mut world);
        assert_eq!((world.state_hash(), &world.lava.spans), (hash, &spans));
        assert_eq!(world.ground.stamp(), packed.ground().stamp());
        world.check().expect("the account is exact");
    }
}
