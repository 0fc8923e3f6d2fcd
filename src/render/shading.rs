//! What the cinematic style reads of a frame.

use super::blackbody::BlackBody;
use super::clear::Clear;
use super::contents::Slices;
use super::ember::EmberLight;
use super::field::MediumField;
use super::heightfield::Part;
use super::land::TerrainLook;
use super::sky::Sky;
use crate::view::LookSpec;

/// Field, ground, sky and look of one frame, for shading.
pub(crate) struct ShadeContext<'a> {
    pub(crate) field: &'a MediumField<'a>,
    /// The media besides the lava, all of which light passes.
    pub(crate) media: &'a [Clear<'a>],
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
