//! Media other than lava, sorted by their interaction with rays: translucent, opaque, or gas.

use crate::math::{V3, at_stops, saturate};
use crate::media::fog::{Fog, FogField};
use crate::media::haze::Haze;
use crate::media::liquid::Liquid;
use crate::media::smoke::{Smoke, SmokeField};
use crate::volume::field::MediumField;
use crate::volume::places::Skipping;
use lavoxel_automaton::view::{Form, LookSpec, MaterialLook};

/// Density (0 to 1) at which the surface of a medium is drawn.
pub const ISO: f32 = 0.5;
/// Density (0 to 1) up to which a medium other than lava is not drawn.
pub const LEAST: f32 = 0.02;
/// Number of entries of a medium's opacity table.
const ENTRIES: usize = 256;

/// Media other than lava, prepared for a frame of the cinematic style.
pub(crate) struct Media<'a> {
    /// Translucent media, such as water, with their surfaces.
    pub(crate) clear: Vec<Clear<'a>>,
    /// Opaque media, such as sand.
    pub(crate) solids: Vec<Clear<'a>>,
    /// Gases of the automaton, and the shadows of opaque media; `None` if the frame has neither
    /// gases nor opaque media.
    pub(crate) fog: Option<FogField<'a>>,
    /// Smoke: ash and steam in the simulated air; `None` if there is none.
    pub(crate) smoke: Option<SmokeField<'a>>,
}

/// Gases, smoke and haze of a frame, with the settings of their ray marching.
#[derive(Clone, Copy)]
pub(crate) struct Clouds<'a> {
    pub(crate) fog: Option<&'a Fog>,
    pub(crate) smoke: Option<&'a Smoke>,
    /// Haze, which the plain styles draw instead of smoke; `None` if there is none.
    pub(crate) haze: Option<&'a Haze>,
    /// Size of the simulation box in cells along x, y and z.
    pub(crate) size: [f32; 3],
    /// Step of ray marching in cells, from the look.
    pub(crate) step: f32,
}

impl<'a> Media<'a> {
    /// Sorts the media `all` of a frame and prepares its gases and smoke. `shown`: region of the
    /// simulation box in which media are drawn (lower and upper bound per axis, as fractions);
    /// `skipping`: method by which rays skip empty space.
    pub(crate) fn new(
        all: Vec<Clear<'a>>,
        clouds: Clouds<'a>,
        (shown, skipping): ([[f32; 2]; 3], Skipping),
    ) -> Self {
        let Clouds {
            fog,
            smoke,
            size,
            step,
            ..
        } = clouds;
        let with_surface = all
            .into_iter()
            .filter(|medium| medium.look.preset.form() != Form::Cloud);
        let (clear, solids) =
            with_surface.partition(|medium| medium.look.preset.form() == Form::Clear);
        Self {
            clear,
            solids,
            fog: fog.map(|fog| FogField::new(fog, step, (shown, skipping))),
            smoke: smoke.map(|smoke| SmokeField::new(smoke, step, (shown, size), skipping)),
        }
    }
}

/// Medium other than lava (translucent, opaque or gas), prepared for a frame.
pub(crate) struct Clear<'a> {
    pub(crate) field: MediumField<'a>,
    pub(crate) look: &'a MaterialLook,
    /// Optical properties for light inside the medium; `Liquid::NONE` unless the medium is
    /// translucent.
    pub(crate) liquid: Liquid,
    /// Colour of the medium in the plain styles, linear RGB.
    color: V3,
    /// Opacity (0 to 1) of one step of ray marching in the plain styles, for `ENTRIES` densities
    /// evenly spaced from 0 to 1.
    opacity: Vec<f32>,
}

impl<'a> Clear<'a> {
    /// Prepares the medium `medium` with the densities `field` for ray marching with the step of
    /// `look`.
    pub(crate) fn new(field: MediumField<'a>, medium: &'a MaterialLook, look: &LookSpec) -> Self {
        let color = V3::from(medium.linear_color());
        let liquid = if medium.preset.form() == Form::Clear {
            Liquid::from_look(medium)
        } else {
            Liquid::NONE
        };
        Self {
            field,
            look: medium,
            liquid,
            color,
            opacity: step_opacity(medium, look.step, ENTRIES),
        }
    }

    /// Returns the linear RGB colour and the opacity (0 to 1) of one ray-marching step through this
    /// medium at the density `density` (0 to 1), for the plain styles.
    #[inline(always)]
    pub(crate) fn matter(&self, density: f32) -> [f32; 4] {
        let place = saturate(density) * (ENTRIES - 1) as f32;
        let i = (place as u32 as usize).min(ENTRIES - 2);
        let opacity =
            self.opacity[i] + (self.opacity[i + 1] - self.opacity[i]) * (place - i as f32);
        [self.color.x, self.color.y, self.color.z, opacity]
    }
}

/// Returns the opacities (0 to 1) of a ray-marching step of `step` cells through a medium, for
/// `entries` densities evenly spaced from 0 to 1; used by the plain styles. Opacity is a power law
/// in the step, which makes the total along a ray independent of the step.
pub fn step_opacity(medium: &MaterialLook, step: f32, entries: usize) -> Vec<f32> {
    let of_step = |i: usize| {
        let density = i as f32 / (entries - 1) as f32;
        if density <= LEAST {
            0.0
        } else {
            1.0 - (1.0 - at_stops(medium.plain_opacity(), density)).powf(step)
        }
    };
    (0..entries).map(of_step).collect()
}
