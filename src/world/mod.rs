//! The state of the automaton: the ground and the liquids over one grid, with the accounts that prove that nothing
//! was lost. No rule and no picture lives here.

mod arrays;
mod clock;
mod content;
mod digest;
mod edit;
mod ground;
mod hash;
mod ledger;
mod liquid;
mod need;
mod packed;
mod tiles;
mod wake;

pub(crate) use clock::{Changes, Cursor};
pub use content::Content;
pub use edit::{Edit, Matter, Shape};
pub use ground::Ground;
pub(crate) use ground::{GroundChanges, GroundCursor, GroundStrip};
pub use ledger::{EnergyLedger, Ledger};
pub use liquid::{Liquid, Span, Tally};
pub use packed::PackedWorld;
pub(crate) use tiles::{Activities, Activity, Masks, Row, Rows, Strip, Tile};
pub(crate) use wake::{Reader, RuleNumbers};

use crate::parallel::*;

use crate::grid::Grid;
use crate::grid::tile::{TILE_X, TILE_Z};
use crate::random::mix64;
use crate::units::{AMOUNT_ONE, ENERGY_ONE};

/// Ground and liquids over one grid.
///
/// Each liquid is a [`Liquid`] layer with its own account. Lava is the first; more can stand next to it as further
/// fields and share the ground, the sources, the low-pass and the renderer.
#[derive(Clone, Debug)]
pub struct World {
    pub(crate) grid: Grid,
    pub(crate) ground: Ground,
    pub(crate) lava: Liquid,
}

impl World {
    /// A world without liquid over `ground`.
    pub fn new(ground: Ground) -> Self {
        let grid = ground.grid();
        Self { grid, ground, lava: Liquid::empty(grid) }
    }

    /// Shape of the box.
    pub fn grid(&self) -> Grid {
        self.grid
    }

    /// What is solid.
    pub fn ground(&self) -> &Ground {
        &self.ground
    }

    /// The lava.
    pub fn lava(&self) -> &Liquid {
        &self.lava
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

    /// A box without rock whose floor is covered by full cells too tired to move: nothing will ever happen in it.
    pub fn at_rest(grid: Grid) -> Self {
        let mut world = Self::new(Ground::none(grid));
        for z in 0..grid.nz {
            (0..grid.nx).for_each(|x| world.place(x, 0, z, AMOUNT_ONE, 1));
        }
        world.open_account();
        world
    }

    /// Writes one cell of the initial state; [`World::open_account`] then makes it count. Nothing is written into a
    /// solid cell, and energy needs liquid to hold it.
    pub fn place(&mut self, x: usize, y: usize, z: usize, amount: u16, energy: u16) {
        if amount > 0 && !self.ground.is_solid(x, y, z) {
            self.lava.set(x, y, z, Content { amount: amount.min(AMOUNT_ONE), energy });
        }
    }

    /// Resets the account: what is in the box now is the initial state.
    pub fn open_account(&mut self) {
        self.lava.ledger = Ledger::open(self.lava.mass(), self.lava.energy());
    }

    /// Checks the invariants that hold after every step, and names the first that does not.
    ///
    /// 1. mass now + outflow + solidified + removed = initial + sourced, to the unit; the same for energy with
    ///    what friction took;
    /// 2. no amount above one, no liquid in a solid cell, no energy without liquid.
    pub fn check(&self) -> Result<(), String> {
        self.lava.strips.par_iter().enumerate().try_for_each(|(tz, strip)| {
            strip.iter().try_for_each(|(tx, y, tile)| {
                (0..32).try_for_each(|lane| {
                    let at = [tx * TILE_X + lane % TILE_X, y, tz * TILE_Z + lane / TILE_X];
                    self.check_cell(at, tile.cell(lane))
                })
            })
        })?;
        self.lava.ledger.check(self.lava.mass(), self.lava.energy())
    }

    fn check_cell(&self, [x, y, z]: [usize; 3], cell: Content) -> Result<(), String> {
        if cell == Content::default() {
            return Ok(());
        }
        let fault = if x >= self.grid.nx || z >= self.grid.nz {
            "liquid outside of the box"
        } else if cell.amount > AMOUNT_ONE {
            "more than a full cell"
        } else if cell.amount > 0 && self.ground.is_solid(x, y, z) {
            "liquid in a solid cell"
        } else if cell.amount == 0 && cell.energy > 0 {
            "energy without liquid"
        } else {
            return Ok(());
        };
        Err(format!("{fault} in cell ({x}, {y}, {z}): {cell:?}"))
    }
}
