//! Age of a lava's crust by the temperature of its surface.

use crate::math::smoothstep;

// Look constants, chosen by eye; shaders read the same values by name.
/// Youth of a crust by its surface temperature: kelvin at and below which the crust is fully old,
/// and at and above which it is fully young; smooth between.
pub const AGES: [f32; 2] = [620.0, 1120.0];
/// Opening of cracks by the surface temperature of the crust: kelvin at and below which all cracks
/// are closed, and at and above which they are fully open; smooth between.
pub const CRACKS: [f32; 2] = [480.0, 760.0];

/// Returns the youth of a crust with the surface temperature `kelvin` (K): 0 is old, 1 is young.
pub(crate) fn youth(kelvin: f32) -> f32 {
    smoothstep(AGES[0], AGES[1], kelvin)
}

/// Returns the factor (0 to 1) on the open fraction of the crust at the surface temperature
/// `kelvin` (K): 0 if all cracks are closed.
pub(crate) fn cracked(kelvin: f32) -> f32 {
    smoothstep(CRACKS[0], CRACKS[1], kelvin)
}
