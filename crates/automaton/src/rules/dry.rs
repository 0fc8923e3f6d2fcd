//! Drying (*Simple Fluid Simulation With Cellular Automata*, `MinMass`): a cell that contains less
//! than `dry_below` becomes dry at the end of a step.
//!
//! In the article such a cell is marked as air but keeps its mass, which flows on invisibly.
//! **Decided:** the dried amount is removed and booked in a sum of the account, so that a film
//! ends, a liquid that has run off comes to rest, and mass stays exact.

use super::shape::{Driver, Listed};
use crate::matter::{Kind, Material};
use crate::world::World;
use lavoxel_base::param::{Param, param};
use lavoxel_base::random::Draw;
use lavoxel_base::units::AMOUNT_ONE;

/// Parameter of drying in the table of a material.
pub const PARAMS: &[Param<Material>] = &[param!(dry_below: Linear, [0.0, 0.5] "",
    "amount below which a cell becomes dry at the end of a step; 0 keeps every film, 0.0001 is the article's")];

/// Rule of drying for one layer: removes amounts below a limit at the end of each step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Drying {
    /// Smallest amount that does not dry, in units.
    pub below: u16,
}

impl Drying {
    /// Returns the drying rule for `material`; `None` if the material is no liquid or gas, or if
    /// its `dry_below` is too small for any amount to dry.
    pub(super) fn new(material: &Material) -> Option<Self> {
        let can_dry = matches!(material.kind, Kind::Liquid | Kind::Gas);
        let below = (material.dry_below * f64::from(AMOUNT_ONE)).ceil() as u16;
        (can_dry && below > 1).then_some(Self { below })
    }
}

impl Listed for Drying {
    const PARAMS: &'static [Param<Material>] = PARAMS;

    fn run<D: Driver>(&self, _driver: &mut D, (world, layer): (&mut World, usize), _draw: Draw) {
        world.dry(layer, self.below);
    }
}
