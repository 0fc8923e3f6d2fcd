//! Which materials make pieces that float.

use super::{Kind, Material};

/// Memory of the pieces and of a move of one, relative to that of the matter: 150 bytes a cell.
pub const FLOATED: f64 = 30.0;

/// Whether pieces lie on it.
pub fn carries(material: &Material) -> bool {
    material.kind == Kind::Liquid && !material.sets
}

/// Whether a material makes pieces that move, beside these in a world.
pub fn can_float<'a>(material: &Material, mut others: impl Iterator<Item = &'a Material>) -> bool {
    let is_borne = |other: &Material| carries(other) && other.density > material.density;
    material.floats && (material.kind == Kind::Still || material.kind == Kind::Grain && others.any(is_borne))
}
