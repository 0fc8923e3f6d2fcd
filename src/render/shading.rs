//! What the cinematic style reads of a frame.

use super::blackbody::BlackBody;
use super::clear::Clear;
use super::contents::Slices;
use super::ember::EmberLight;
use super::field::MediumField;
use super::fog::FogField;
use super::heightfield::Part;
use super::land::TerrainLook;
use super::sky::Sky;
use crate::view::LookSpec;

/// Field, ground, sky and look of one frame, for shading.
pub(crate) struct ShadeContext<'a> {
    pub(crate) field: &'a MediumField<'a>,
    /// The media with a surface that light passes.
    pub(crate) clear: &'a [Clear<'a>],
    /// The media besides the lava at whose surface a ray ends.
    pub(crate) solids: &'a [Clear<'a>],
    /// The gases, where there are any.
    pub(crate) fog: Option<&'a FogField<'a>>,
    pub(crate) land: &'a TerrainLook,
    /// The shown part of the ground.
    pub(crate) part: Part,
    pub(crate) ember: &'a EmberLight,
    pub(crate) sky: &'a Sky,
    pub(crate) look: &'a LookSpec,
    pub(crate) blackbody: &'a BlackBody,
    pub(crate) slices: Slices<'a>,
    /// Steps since the beginning, for patterns that move with the flow.
    pub(crate) steps: f64,
}
