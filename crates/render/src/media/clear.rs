//! A medium besides the lava, and those of a frame by what rays meet of them.

use crate::math::{V3, at_stops, saturate};
use crate::media::fog::{Fog, FogField};
use crate::media::haze::Haze;
use crate::media::smoke::{Smoke, SmokeField};
use crate::media::water::Liquid;
use crate::volume::field::MediumField;
use crate::volume::places::Skipping;
use lavoxel_automaton::view::{Form, LookSpec, MaterialLook};

/// Density up to which nothing is drawn of a medium besides the lava.
pub const LEAST: f32 = 0.02;
/// Entries of a table of opacities.
const ENTRIES: usize = 256;

/// The media besides the lava, for one frame of the cinematic style.
pub(crate) struct Media<'a> {
    /// Those with a surface that light passes.
    pub(crate) clear: Vec<Clear<'a>>,
    /// Those at whose surface a ray ends.
    pub(crate) solids: Vec<Clear<'a>>,
    /// Gases.
    pub(crate) fog: Option<FogField<'a>>,
    /// Contents of the air.
    pub(crate) smoke: Option<SmokeField<'a>>,
}

/// Gases and smoke of a frame.
#[derive(Clone, Copy)]
pub(crate) struct Clouds<'a> {
    pub(crate) fog: Option<&'a Fog>,
    pub(crate) smoke: Option<&'a Smoke>,
    /// Haze that the plain styles draw instead of smoke.
    pub(crate) haze: Option<&'a Haze>,
    /// Cells of the box of voxels.
    pub(crate) size: [f32; 3],
    /// Step of the look.
    pub(crate) step: f32,
}

impl<'a> Media<'a> {
    /// Sorts them; `shown`: the shares of the box in which they are drawn.
    pub(crate) fn new(all: Vec<Clear<'a>>, clouds: Clouds<'a>, (shown, skipping): ([[f32; 2]; 3], Skipping)) -> Self {
        let Clouds { fog, smoke, size, step, .. } = clouds;
        let with_surface = all.into_iter().filter(|medium| medium.look.preset.form() != Form::Cloud);
        let (clear, solids) = with_surface.partition(|medium| medium.look.preset.form() == Form::Clear);
        Self {
            clear,
            solids,
            fog: fog.map(|fog| FogField::new(fog, step, (shown, skipping))),
            smoke: smoke.map(|smoke| SmokeField::new(smoke, step, (shown, size), skipping)),
        }
    }
}

/// A medium besides the lava, for one frame.
pub(crate) struct Clear<'a> {
    pub(crate) field: MediumField<'a>,
    pub(crate) look: &'a MaterialLook,
    /// Its effect on light, if that passes it.
    pub(crate) liquid: Liquid,
    /// Plain styles: its linear colour.
    color: V3,
    /// Plain styles: opacity of one step by density, evenly spaced from 0 to 1.
    opacity: Vec<f32>,
}

impl<'a> Clear<'a> {
    /// A medium sampled at the step of `look`.
    pub(crate) fn new(field: MediumField<'a>, medium: &'a MaterialLook, look: &LookSpec) -> Self {
        let color = V3::from(medium.linear_color());
        let liquid = if medium.preset.form() == Form::Clear { Liquid::of(medium) } else { Liquid::NONE };
        Self { field, look: medium, liquid, color, opacity: step_opacity(medium, look.step, ENTRIES) }
    }

    /// Plain styles: colour and opacity of one step through matter of this density.
    #[inline(always)]
    pub(crate) fn matter(&self, density: f32) -> [f32; 4] {
        let place = saturate(density) * (ENTRIES - 1) as f32;
        let i = (place as u32 as usize).min(ENTRIES - 2);
        let opacity = self.opacity[i] + (self.opacity[i + 1] - self.opacity[i]) * (place - i as f32);
        [self.color.x, self.color.y, self.color.z, opacity]
    }
}

/// Plain styles: opacity of one step through a medium, for `entries` densities evenly spaced from 0 to 1.
pub fn step_opacity(medium: &MaterialLook, step: f32, entries: usize) -> Vec<f32> {
    let of_step = |i: usize| {
        let density = i as f32 / (entries - 1) as f32;
        if density <= LEAST { 0.0 } else { 1.0 - (1.0 - at_stops(medium.plain_opacity(), density)).powf(step) }
    };
    (0..entries).map(of_step).collect()
}
