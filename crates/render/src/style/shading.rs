//! Inputs of a frame in the cinematic style, and the transmittance of sunlight towards a point.

use crate::camera::Ray;
use crate::contents::Slices;
use crate::ground::floor::{Floor, entry};
use crate::ground::heightfield::ShownPart;
use crate::ground::land::TerrainLook;
use crate::ground::lava_glow::EmberLight;
use crate::ground::sky::Sky;
use crate::ground::surroundings::Beyond;
use crate::lava::blackbody::BlackBody;
use crate::lava::sparks::Sparks;
use crate::math::{V3, in_cells, in_widths, lerp, mix, saturate, unit_or_up};
use crate::media::billows::Generations;
use crate::media::clear::Clear;
use crate::media::flame::Flame;
use crate::media::fog::{FogField, LIFTED, OFF};
use crate::media::sea::SeaField;
use crate::media::smoke::SmokeField;
use crate::volume::field::MediumField;
use lavoxel_automaton::view::LookSpec;

/// Inputs of a frame for shading in the cinematic style: densities of the media, ground, sky and
/// look.
pub(crate) struct ShadeContext<'a> {
    /// Densities and energies of the lava, ready for ray marching.
    pub(crate) field: &'a MediumField<'a>,
    /// Translucent media with a surface, such as water.
    pub(crate) clear: &'a [Clear<'a>],
    /// Opaque media other than lava.
    pub(crate) solids: &'a [Clear<'a>],
    /// Gases of the automaton, and the shadows of opaque media; `None` if the frame has neither
    /// gases nor opaque media.
    pub(crate) fog: Option<&'a FogField<'a>>,
    /// Smoke in the air; `None` if there is none.
    pub(crate) smoke: Option<&'a SmokeField<'a>>,
    /// Maps of the ground and of the land around the simulation box.
    pub(crate) land: &'a TerrainLook,
    /// Visible region of the ground.
    pub(crate) part: ShownPart,
    /// Light of the lava on its surroundings.
    pub(crate) ember: &'a EmberLight,
    /// Light of the environment: sun and sky, or a studio.
    pub(crate) sky: &'a Sky,
    /// Floor around the simulation box; `None` if the look has no floor.
    pub(crate) floor: Option<Floor>,
    /// Sparks (glowing drops of lava) in flight.
    pub(crate) sparks: &'a Sparks,
    /// Width of a pixel divided by its depth (distance from the camera along the view direction).
    pub(crate) pixel: f32,
    /// Set if land or sea floor is drawn beyond the sides of the simulation box.
    pub(crate) goes_on: bool,
    /// Flame of a candle; `None` if the look has none.
    pub(crate) flame: Option<Flame>,
    /// Sea around the simulation box; `None` if there is no sea.
    pub(crate) sea: Option<SeaField>,
    /// Settings by which the picture is drawn.
    pub(crate) look: &'a LookSpec,
    /// Table of black-body colours by temperature.
    pub(crate) blackbody: &'a BlackBody,
    /// Slices (cross-sections) that are drawn in the scene.
    pub(crate) slices: Slices<'a>,
    /// Generations of the billows of smoke, for the present step.
    pub(crate) billows: Generations,
    /// Number of simulation steps from the start, by which moving patterns are advanced.
    pub(crate) steps: f64,
    /// Set for frames of a running scene, in which gas in front of a surface may be interpolated
    /// between neighbouring rays.
    pub(crate) running: bool,
}

impl ShadeContext<'_> {
    /// Returns the unit direction of `ray` in true proportions (corrected for the height of cells).
    #[inline(always)]
    pub(crate) fn view(&self, ray: &Ray) -> V3 {
        match self.look.cell_height == 1.0 {
            true => ray.direction,
            false => unit_or_up(in_widths(ray.direction, self.look.cell_height)),
        }
    }

    /// Returns the number of cell widths per cell length along `ray`; 1 for cubic cells.
    #[inline(always)]
    pub(crate) fn pace(&self, ray: &Ray) -> f32 {
        match self.look.cell_height == 1.0 {
            true => 1.0,
            false => in_widths(ray.direction, self.look.cell_height).norm(),
        }
    }

    /// Returns the transmittance (0 to 1) of gases, smoke and opaque media between the point `p`
    /// (cells) and the sun; shadows of the ground are not included.
    pub(crate) fn sunlight(&self, p: V3) -> f32 {
        self.fog.map_or(1.0, |fog| fog.sunlight(p))
            * self.smoke.map_or(1.0, |field| field.smoke.sunlight(p))
    }

    /// Returns the result of `ShadeContext::sunlight` for a point `p` (cells) on the ground outside
    /// of the simulation box, evaluated where the ray to the sun enters the box; 1 if the ray
    /// misses the box.
    pub(crate) fn sunlight_beside(&self, p: V3) -> f32 {
        let block = &self.land.block;
        let size = [block.width(), block.depth()];
        entry((size, self.look.cell_height), p, self.sky.sun)
            .map_or(1.0, |entry| self.sunlight(entry))
    }

    /// Returns the fraction (0 to 1) of sunlight at the point `p` (cells) that the shadows of the
    /// ground leave; `p` may be above the ground.
    pub(crate) fn beside_ground(&self, p: V3) -> f32 {
        // The ground's shade reaches up a little and fades with height.
        let above = p.y - self.land.block.heights.at(p.x, p.z);
        lerp(
            self.land.sunlight(p.x, p.z),
            1.0,
            saturate(above / (LIFTED * self.land.unit)),
        )
    }

    /// Returns the fraction (0 to 1) of sunlight at the point `p` (cells) that the shadows of
    /// ground, gases, smoke and opaque media leave.
    pub(crate) fn open(&self, p: V3) -> f32 {
        self.beside_ground(p) * self.sunlight(p)
    }

    /// Returns the result of `ShadeContext::open` at the point `p` (cells) on the surface of an
    /// opaque medium with the outward normal `normal`, evaluated a little outside of the surface.
    pub(crate) fn open_on(&self, p: V3, normal: V3) -> f32 {
        // The point is offset by a fraction of the coarse cells, so that the medium does not shadow
        // itself.
        let off = self.fog.map_or(0.0, |fog| OFF * fog.edge());
        let sun = in_cells(self.sky.sun, self.look.cell_height);
        self.beside_ground(p) * self.sunlight(p + (normal + sun) * off)
    }

    /// Returns the land around the simulation box; `None` if the frame shows no such land.
    pub(crate) fn surroundings(&self) -> Option<&Beyond> {
        self.land.beyond.as_ref().filter(|_| self.goes_on)
    }

    /// Returns true if the frame has any gas or smoke.
    pub(crate) fn is_cloudy(&self) -> bool {
        self.fog.is_some_and(|fog| !fog.is_clear()) || self.smoke.is_some()
    }

    /// Returns the linear RGB colour `color`, seen at the distance `t` (cells) along `ray`, mixed
    /// with the haze between it and the camera.
    pub(crate) fn hazed(&self, ray: &Ray, t: f32, color: V3) -> V3 {
        mix(self.sky.haze(self.view(ray)), color, self.clear_air(ray, t))
    }

    /// Returns the transmittance (0 to 1) of the haze along `ray` from the camera to the distance
    /// `t` (cells).
    pub(crate) fn clear_air(&self, ray: &Ray, t: f32) -> f32 {
        let thickness = 0.00045 * self.look.haze * (t * self.pace(ray)) / self.land.unit;
        (-thickness).exp()
    }
}
