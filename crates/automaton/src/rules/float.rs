//! Floating: pieces of still matter and of grains fall, sink and rise, as their weight and that of
//! the liquids around them decide.
//!
//! A *piece* is a connected component (cells that share faces) of still matter with the flag
//! `floats`, or of grains with this flag for which the scene has a denser liquid. In a step a piece
//! moves down by one cell, or else up by one, if this reduces the potential energy of the
//! simulation box,
//!
//! ```text
//! E = Σ ρ · a · (y + b + a / 2)     over all cells and layers: a the amount of one, b that of the layers before it in the cell
//! ```
//!
//! In each column of the piece, the contents of the cell in front move to the cell behind the
//! piece. If this cell lies above the surface of the liquid:
//!
//! 1. down: the liquid that came to lie on top of the piece moves to the surface around the piece,
//!    the lowest columns first;
//! 2. up: the gap below the piece is filled from the surface around the piece, the highest columns
//!    first, as far as this surface is higher.
//!
//! *Around* a piece are rings of columns, beginning at its sides, over the connected surface of the
//! liquid, until there are `SPREAD` columns for each cell of liquid that moves. The liquid's own
//! rules do the rest.
//!
//! Archimedes (*On Floating Bodies*): at rest the piece and the displaced liquid have the same
//! weight, within half a cell of depth. **Decided:** every move reduces the exact energy of the
//! whole box, as falling and levelling do, so that no piece moves up and down for ever. Grains that
//! touch are as rigid as ice in this rule; their own rule lets them slide. Lava, liquids that turn
//! to rock and mirrors of a flow support a piece as rock does. Rock above or next to a piece does
//! not hold the piece: without liquid or rock below, it falls.

mod draft;
mod piece;

use super::shape::{Driver, Listed};
use crate::matter::{Capacity, Kind, Material, can_float, carries};
use crate::world::{Layer, RuleNumbers, Traced, World};
use lavoxel_base::param::{Param, param};
use lavoxel_base::random::Draw;

use self::draft::Draft;
use self::piece::{FloatingPiece, Way, pieces};

/// Parameter of floating in the table of a material.
pub const PARAMS: &[Param<Material>] = &[param!(floats: Switch, [0.0, 1.0] "",
        "whether pieces of it fall, sink in lighter liquids and rise in denser ones; else they stay where they are")];

/// Number of columns around a piece over which each cell of displaced liquid is spread at once.
/// With 16 columns, the surface of the liquid rises by about 1/16 of a cell.
const SPREAD: u64 = 16;

/// Floating rule of a world: density of each layer, and effect of the layer's matter on floating
/// pieces.
#[derive(Clone, Debug, PartialEq)]
pub struct Floating {
    layers: Vec<Buoyancy>,
}

/// Density of one layer, and effect of its matter on floating pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Buoyancy {
    /// Density of the layer's material in units of 0.01 kg/m³.
    density: u32,
    part: FloatRole,
}

/// Effect of the matter of a layer on floating pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FloatRole {
    /// Floating matter: forms pieces that can float.
    Piece,
    /// Liquid: pieces can move into it, and it carries them by buoyancy.
    Liquid,
    /// Gas: pieces can move into it, without buoyancy.
    Gas,
    /// Obstacle: pieces cannot move into it.
    Bar,
}

impl Floating {
    /// Creates the rule for `materials`, in the order of the layers; `None` if none of the
    /// materials can float.
    pub(super) fn new(materials: &[Material]) -> Option<Self> {
        let part = |m: &Material| match m.kind {
            Kind::Still | Kind::Grain if can_float(m, materials.iter()) => FloatRole::Piece,
            Kind::Liquid if carries(m) => FloatRole::Liquid,
            Kind::Gas => FloatRole::Gas,
            _ => FloatRole::Bar,
        };
        let buoyancy = |m: &Material| Buoyancy {
            density: (m.density * 100.0).round() as u32,
            part: part(m),
        };
        let layers: Vec<_> = materials.iter().map(buoyancy).collect();
        layers
            .iter()
            .any(|layer| layer.part == FloatRole::Piece)
            .then_some(Self { layers })
    }

    /// Index of the first layer whose matter forms floating pieces; 0 if there is none.
    pub(super) fn first(&self) -> usize {
        self.layers
            .iter()
            .position(|layer| layer.part == FloatRole::Piece)
            .unwrap_or(0)
    }

    /// Returns a hash of all parameters that influence the result of floating, as eight numbers.
    fn numbers(&self) -> RuleNumbers {
        let mut numbers = RuleNumbers::default();
        for (number, layer) in self.layers.iter().enumerate() {
            // Layers with equal indices modulo 8 share a number; the rotation keeps them apart.
            let mixed = (layer.density << 2 | layer.part as u32).rotate_left(number as u32);
            numbers[number % 8] = numbers[number % 8].wrapping_mul(31).wrapping_add(mixed);
        }
        numbers
    }
}

impl Listed for Floating {
    const PARAMS: &'static [Param<Material>] = PARAMS;

    /// Moves all pieces by up to one cell down or up, the lowest piece first. Does nothing if no
    /// piece moved when the rule was last applied, and ground and layers are unchanged since.
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
    /// Moves the piece one cell down, or else up, if this lowers the energy of the simulation box;
    /// returns true if the piece moved.
    fn shift(&self, world: &mut World, piece: &FloatingPiece) -> bool {
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
