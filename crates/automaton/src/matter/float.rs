//! Materials that make pieces that float.

use super::{Kind, Material};

/// Memory of the pieces and of a piece's move, relative to that of the matter: 150 bytes a cell.
pub const FLOATED: f64 = 30.0;

/// Returns true if pieces lie on the material.
pub fn carries(material: &Material) -> bool {
    material.kind == Kind::Liquid && !material.sets
}

/// Returns true if a material makes pieces that move; `others` are the materials of the world.
pub fn can_float<'a>(material: &Material, mut others: impl Iterator<Item = &'a Material>) -> bool {
    let is_borne = |other: &Material| carries(other) && other.density > material.density;
    material.floats && (material.kind == Kind::Still || material.kind == Kind::Grain && others.any(is_borne))
}
