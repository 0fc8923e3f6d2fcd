//! The state of the automaton: the ground and the liquids over one grid, with the accounts that prove that nothing
//! was lost. No rule and no picture lives here.

mod edit;
mod ground;
mod ledger;
mod liquid;
mod packed;

pub use edit::{Edit, Matter, Shape};
pub use ground::Ground;
pub use ledger::{EnergyLedger, Ledger};
pub use liquid::{Liquid, Span, Tally};
pub use packed::PackedWorld;

use crate::grid::Grid;
use crate::random::mix64;
use crate::rules::gravity::Cell;
use crate::rules::spreading::Bed;
use crate::units::{AMOUNT_ONE, ENERGY_ONE};

/// Ground and liquids over one grid.
///
/// Each liquid is a [`Liquid`] layer with its own account. Lava is the first; others stand beside it as further
/// fields and share the ground, the sources, the low-pass and the renderer.
#[derive(Clone, Debug)]
pub struct World {
    /// Shape of the box.
    pub grid: Grid,
    /// What is solid.
    pub ground: Ground,
    /// The lava.
    pub lava: Liquid,
}

impl World {
    /// A world without liquid over `ground`.
    pub fn new(ground: Ground) -> Self {
        let grid = ground.grid();
        Self { grid, ground, lava: Liquid::empty(grid) }
    }

    /// What the cell stands on, given the amounts of its liquid.
    #[inline]
    pub fn bed(&self, x: usize, y: usize, z: usize) -> Bed {
        if y == 0 || self.ground.is_solid(x, y - 1, z) {
            Bed::Solid
        } else {
            Bed::Liquid(self.lava.cell(self.grid.index(x, y - 1, z)).amount)
        }
    }

    /// A box without rock whose lower part, of the given `share` of its height, holds random amounts from 0.5 to 1 and
    /// full energy: every cell can move. The worst case for an engine.
    pub fn restless(grid: Grid, share: f64) -> Self {
        let mut world = Self::new(Ground::none(grid));
        for y in 0..(grid.ny as f64 * share) as usize {
            for z in 0..grid.nz {
                for x in 0..grid.nx {
                    let random = (mix64(grid.index(x, y, z) as u64) >> 50) as u16;
                    world.place(x, y, z, AMOUNT_ONE / 2 + random, ENERGY_ONE);
                }
            }
        }
        world.open_account();
        world
    }

    /// Writes one cell of the initial state; [`World::open_account`] then makes it count. Nothing is written into a
    /// solid cell, and energy needs liquid to hold it.
    pub fn place(&mut self, x: usize, y: usize, z: usize, amount: u16, energy: u16) {
        if amount > 0 && !self.ground.is_solid(x, y, z) {
            self.lava.set(x, y, z, Cell { amount: amount.min(AMOUNT_ONE), energy });
        }
    }

    /// Starts the account anew: what is in the box now is the initial state.
    pub fn open_account(&mut self) {
        self.lava.ledger = Ledger::open(self.lava.mass(), self.lava.energy());
    }

    /// Checks the invariants that hold after every step, and names the first that does not.
    ///
    /// 1. mass now + outflow + solidified + removed = initial + sourced, to the unit; the same for energy with
    ///    what friction took;
    /// 2. no amount above one, no liquid in a solid cell, no energy without liquid.
    pub fn check(&self) -> Result<(), String> {
        for (i, cell) in self.lava.cells().enumerate() {
            self.check_cell(i, cell)?;
        }
        self.lava.ledger.check(self.lava.mass(), self.lava.energy())
    }

    fn check_cell(&self, i: usize, cell: Cell) -> Result<(), String> {
        let fault = if cell.amount > AMOUNT_ONE {
            "more than a full cell"
        } else if cell.amount > 0 && self.ground.is_solid_at(i) {
            "liquid in a solid cell"
        } else if cell.amount == 0 && cell.energy > 0 {
            "energy without liquid"
        } else {
            return Ok(());
        };
        Err(format!("{fault} at flat index {i}: {cell:?}"))
    }

    /// Hash of the whole state: shape, solids, amounts, energies and accounts, in an order that does not depend on how
    /// they are stored. The same on every machine.
    pub fn state_hash(&self) -> u64 {
        let mut hash = xxhash_rust::xxh3::Xxh3::new();
        for side in [self.grid.nx, self.grid.ny, self.grid.nz] {
            hash.update(&(side as u64).to_le_bytes());
        }
        let mut row = Vec::with_capacity(self.grid.nx * 5);
        for start in (0..self.grid.cells()).step_by(self.grid.nx) {
            row.clear();
            for i in start..start + self.grid.nx {
                let cell = self.lava.cell(i);
                row.push(u8::from(self.ground.is_solid_at(i)));
                row.extend_from_slice(&cell.amount.to_le_bytes());
                row.extend_from_slice(&cell.energy.to_le_bytes());
            }
            hash.update(&row);
        }
        for account in self.lava.ledger.accounts() {
            hash.update(&account.to_le_bytes());
        }
        hash.digest()
    }
}
