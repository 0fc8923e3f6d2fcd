//! Conditions for floating: which materials form floating pieces (connected cells that move as a
//! rigid body), and which liquids carry such pieces.

use super::{Kind, Material};

/// Ratio of the memory for floating pieces (labels, and buffers for their motion) to the memory of
/// the floating matter itself, which makes 150 bytes per cell.
pub const FLOATED: f64 = 30.0;

/// Returns true if pieces of other materials can float in `material`: any liquid except one that
/// turns to rock (`sets`).
pub fn carries(material: &Material) -> bool {
    material.kind == Kind::Liquid && !material.sets
}

/// Returns true if `material` forms pieces that move as rigid bodies: still matter with the flag
/// `floats`, or grains with this flag if a denser liquid among `others` (the materials of the
/// world) can carry them.
pub fn can_float<'a>(material: &Material, mut others: impl Iterator<Item = &'a Material>) -> bool {
    let is_borne = |other: &Material| carries(other) && other.density > material.density;
    material.floats
        && (material.kind == Kind::Still || material.kind == Kind::Grain && others.any(is_borne))
}
