//! Floating: pieces of still matter and of grains fall, sink and rise by their weight against that
//! of the liquids around them.
//!
//! A *piece* is a 6-connected component of cells that hold still matter that `floats`, or grains
//! that float and for which there is a denser liquid. In a step a piece goes down by one cell, or
//! else up by one, when the box then has less potential energy,
//!
//! ```text
//! E = Σ ρ · a · (y + b + a / 2)     over all cells and layers: a the amount of one, b that of the layers before it in the cell
//! ```
//!
//! In each of its columns the cell in front of the piece goes behind the piece with all its
//! contents. Where the cell is above the liquid:
//!
//! 1. down: the liquid that came to lie on top of the piece goes to the surface around the piece,
//!    the lowest columns first;
//! 2. up: the gap below is filled from the surface around the piece, the highest columns first, as
//!    far as the surface stands higher.
//!
//! *Around* a piece are rings of columns, from the sides of the piece on, over the connected
//! surface of that liquid, until there are `SPREAD` columns for each cell of liquid that moves. The
//! liquid's own rules do the rest.
//!
//! Archimedes (*On Floating Bodies*): at rest the piece and the displaced liquid weigh the same, to
//! half a cell of depth. **Decided:** every move lowers the exact energy of the whole box, as
//! falling and levelling do, so that no piece goes up and down for ever. Grains that touch are as
//! rigid as ice in this rule; their own rule lets them slide. Lava, liquids that set and mirrors of
//! a flow carry as rock does. Rock above, below or next to a piece is no hold: a piece without
//! liquid or rock below it falls.

mod draft;
mod piece;

use super::shape::{Driver, Listed};
use crate::matter::{Capacity, Kind, Material, can_float, carries};
use crate::world::{Layer, RuleNumbers, Traced, World};
use lavoxel_base::param::{Param, param};
use lavoxel_base::random::Draw;

use self::draft::Draft;
use self::piece::{Piece, Way, pieces};

/// Parameter of floating, in the table of a material.
pub const PARAMS: &[Param<Material>] = &[param!(floats: Switch, [0.0, 1.0] "",
        "whether pieces of it fall, sink in lighter liquids and rise in denser ones; else they stay where they are")];

/// Number of columns around a piece over which a cell of displaced liquid spreads at once, so that
/// the surface rises by about 1/16 of a cell.
const SPREAD: u64 = 16;

/// Floating rule of a world: density and role of each layer.
#[derive(Clone, Debug, PartialEq)]
pub struct Floating {
    layers: Vec<Buoyancy>,
}

/// Density and role of one layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Buoyancy {
    /// Density of a full cell in units of 0.01 kg/m³.
    density: u32,
    part: Part,
}

/// Role of a layer's matter towards floating pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// Forms floating pieces.
    Piece,
    /// Gives way to pieces and carries them by buoyancy.
    Liquid,
    /// Gives way to pieces without buoyancy.
    Gas,
    /// Blocks pieces.
    Bar,
}

impl Floating {
    /// Creates the rule for `materials`, in layer order; `None` if no material can float.
    pub(super) fn new(materials: &[Material]) -> Option<Self> {
        let part = |m: &Material| match m.kind {
            Kind::Still | Kind::Grain if can_float(m, materials.iter()) => Part::Piece,
            Kind::Liquid if carries(m) => Part::Liquid,
            Kind::Gas => Part::Gas,
            _ => Part::Bar,
        };
        let buoyancy = |m: &Material| Buoyancy {
            density: (m.density * 100.0).round() as u32,
            part: part(m),
        };
        let layers: Vec<_> = materials.iter().map(buoyancy).collect();
        layers
            .iter()
            .any(|layer| layer.part == Part::Piece)
            .then_some(Self { layers })
    }

    /// Index of the first layer that forms pieces; 0 if there is none.
    pub(super) fn first(&self) -> usize {
        self.layers
            .iter()
            .position(|layer| layer.part == Part::Piece)
            .unwrap_or(0)
    }

    /// Returns all parameters that influence the result, hashed to eight numbers.
    fn numbers(&self) -> RuleNumbers {
        let mut numbers = RuleNumbers::default();
        for (number, layer) in self.layers.iter().enumerate() {
            // Layers with the same number modulo 8 share a place; the rotation keeps them apart.
            let mixed = (layer.density << 2 | layer.part as u32).rotate_left(number as u32);
            numbers[number % 8] = numbers[number % 8].wrapping_mul(31).wrapping_add(mixed);
        }
        numbers
    }
}

impl Listed for Floating {
    const PARAMS: &'static [Param<Material>] = PARAMS;

    /// Moves all pieces that float or fall, the lowest first. Does nothing while ground and layers
    /// are as after a run in which no piece moved.
    fn run<D: Driver>(&self, _driver: &mut D, (world, first): (&mut World, usize), _draw: Draw) {
        if world.capacity == Capacity::Own {
            return;
        }
        let layers = world.layers.iter().map(Layer::version).collect();
        let now = Traced {
            rule: self.numbers(),
            ground: world.ground.stamp(),
            layers,
        };
        if world.layers[first].traced.as_ref() == Some(&now) {
            return;
        }
        let mut moved = false;
        for piece in pieces(world, self) {
            moved |= self.shift(world, &piece);
        }
        world.layers[first].traced = (!moved).then_some(now);
    }
}

impl Floating {
    /// Moves a piece by a cell if the move lowers the energy; returns true if the piece moved.
    fn shift(&self, world: &mut World, piece: &Piece) -> bool {
        for way in [Way::Down, Way::Up] {
            if piece.is_barred(world, self, way) {
                continue;
            }
            let mut draft = Draft::new(world, self);
            if draft.shift(piece, way).is_some() && draft.energy() < 0 {
                let cells = draft.into_cells();
                cells
                    .into_iter()
                    .for_each(|(place, amounts)| world.put_amounts(place, &amounts));
                return true;
            }
        }
        false
    }
}
