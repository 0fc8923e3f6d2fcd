//! Frame-wide inputs of the cinematic style, and the sunlight that reaches a point.

use crate::camera::Ray;
use crate::contents::Slices;
use crate::ground::beyond::Beyond;
use crate::ground::ember::EmberLight;
use crate::ground::floor::{Floor, entry};
use crate::ground::heightfield::Part;
use crate::ground::land::TerrainLook;
use crate::ground::sky::Sky;
use crate::lava::blackbody::BlackBody;
use crate::lava::sparks::Sparks;
use crate::math::{V3, in_cells, in_widths, lerp, saturate, unit_or_up};
use crate::media::clear::Clear;
use crate::media::flame::Flame;
use crate::media::fog::{FogField, OFF};
use crate::media::plume::Generations;
use crate::media::sea::SeaField;
use crate::media::smoke::SmokeField;
use crate::media::steam::LIFTED;
use crate::volume::field::MediumField;
use lavoxel_automaton::view::LookSpec;

/// Field, ground, sky and look of one frame, for shading.
pub(crate) struct ShadeContext<'a> {
    /// Lava as rays see it.
    pub(crate) field: &'a MediumField<'a>,
    /// Media with a surface that light passes through.
    pub(crate) clear: &'a [Clear<'a>],
    /// Media other than lava at whose surface a ray ends.
    pub(crate) solids: &'a [Clear<'a>],
    /// Gases and the shade of solid media; `None` where there are neither.
    pub(crate) fog: Option<&'a FogField<'a>>,
    /// Smoke of the air; `None` without any.
    pub(crate) smoke: Option<&'a SmokeField<'a>>,
    /// Ground of the box and around.
    pub(crate) land: &'a TerrainLook,
    /// Shown part of the ground.
    pub(crate) part: Part,
    /// Light of the lava on its surroundings.
    pub(crate) ember: &'a EmberLight,
    /// Sun and sky.
    pub(crate) sky: &'a Sky,
    /// Floor around the box; `None` if the look has no floor.
    pub(crate) floor: Option<Floor>,
    /// Clots that vents throw.
    pub(crate) sparks: &'a Sparks,
    /// Width of a pixel at distance 1.
    pub(crate) pixel: f32,
    /// Set if the ground continues around the box.
    pub(crate) goes_on: bool,
    /// Flame of the look; `None` if the look has no flame.
    pub(crate) flame: Option<Flame>,
    /// Sea around the box; `None` if there is no sea.
    pub(crate) sea: Option<SeaField>,
    /// Settings of the picture.
    pub(crate) look: &'a LookSpec,
    /// Colours of hot rock.
    pub(crate) blackbody: &'a BlackBody,
    /// Slices that stand in the scene.
    pub(crate) slices: Slices<'a>,
    /// Phases and weights of the billows of smoke.
    pub(crate) billows: Generations,
    /// Number of the step, for patterns that move with the flow.
    pub(crate) steps: f64,
    /// Set if the frame is one of many of a running scene: gas before a surface may be interpolated
    /// from neighbouring rays.
    pub(crate) running: bool,
}

impl ShadeContext<'_> {
    /// Unit direction of `ray` in true proportions, where cells may be oblong.
    #[inline(always)]
    pub(crate) fn view(&self, ray: &Ray) -> V3 {
        match self.look.cell_height == 1.0 {
            true => ray.direction,
            false => unit_or_up(in_widths(ray.direction, self.look.cell_height)),
        }
    }

    /// Length in widths of a cell of a piece of `ray` that is 1 cell long in cell coordinates.
    #[inline(always)]
    pub(crate) fn pace(&self, ray: &Ray) -> f32 {
        match self.look.cell_height == 1.0 {
            true => 1.0,
            false => in_widths(ray.direction, self.look.cell_height).norm(),
        }
    }

    /// Transmittance towards the sun of gases, smoke and solid media at `p`.
    pub(crate) fn sunlight(&self, p: V3) -> f32 {
        self.fog.map_or(1.0, |fog| fog.sunlight(p)) * self.smoke.map_or(1.0, |field| field.smoke.sunlight(p))
    }

    /// [`Self::sunlight`] for a point `p` of the ground around the box: taken where the way to the
    /// sun enters the box.
    pub(crate) fn sunlight_beside(&self, p: V3) -> f32 {
        let block = &self.land.block;
        let size = [block.width(), block.depth()];
        entry((size, self.look.cell_height), p, self.sky.sun).map_or(1.0, |entry| self.sunlight(entry))
    }

    /// Share of sunlight that the ground leaves at `p`.
    pub(crate) fn beside_ground(&self, p: V3) -> f32 {
        // The ground's shade reaches up a little and fades with height.
        let above = p.y - self.land.block.heights.at(p.x, p.z);
        lerp(self.land.sunlight(p.x, p.z), 1.0, saturate(above / (LIFTED * self.land.unit)))
    }

    /// Share of sunlight that ground, gases, smoke and solid media leave at `p`.
    pub(crate) fn open(&self, p: V3) -> f32 {
        self.beside_ground(p) * self.sunlight(p)
    }

    /// [`Self::open`] for the surface of a solid medium with normal `normal`.
    pub(crate) fn open_on(&self, p: V3, normal: V3) -> f32 {
        // The point is moved out by a part of the coarse cells, so that the medium does not shade
        // itself.
        let off = self.fog.map_or(0.0, |fog| OFF * fog.edge());
        let sun = in_cells(self.sky.sun, self.look.cell_height);
        self.beside_ground(p) * self.sunlight(p + (normal + sun) * off)
    }

    /// Ground around the box; `None` where the ground ends at the sides of the box.
    pub(crate) fn around(&self) -> Option<&Beyond> {
        self.land.beyond.as_ref().filter(|_| self.goes_on)
    }

    /// Returns true if there is any gas or smoke.
    pub(crate) fn is_cloudy(&self) -> bool {
        self.fog.is_some_and(|fog| !fog.is_clear()) || self.smoke.is_some()
    }
}
