//! Predicates for floating: materials that form rigid floating pieces, and liquids that carry such
//! pieces.

use super::{Kind, Material};

/// Memory of floating pieces (labels and scratch buffers of their motion) as a multiple of the
/// memory of the floating matter itself: 150 bytes per cell.
pub const FLOATED: f64 = 30.0;

/// Returns true if floating pieces can rest on `material`: every liquid except liquids that set to
/// ground.
pub fn carries(material: &Material) -> bool {
    material.kind == Kind::Liquid && !material.sets
}

/// Returns true if `material` forms pieces that move as rigid bodies: still matter with the
/// `floats` flag, or grains with the flag if a denser liquid among `others` (the materials of the
/// world) can carry the grains.
pub fn can_float<'a>(material: &Material, mut others: impl Iterator<Item = &'a Material>) -> bool {
    let is_borne = |other: &Material| carries(other) && other.density > material.density;
    material.floats
        && (material.kind == Kind::Still || material.kind == Kind::Grain && others.any(is_borne))
}
