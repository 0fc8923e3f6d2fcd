//! Inputs of the cinematic style from a frame.

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
    pub(crate) field: &'a MediumField<'a>,
    /// The media with a surface that light passes.
    pub(crate) clear: &'a [Clear<'a>],
    /// The media besides the lava at whose surface a ray ends.
    pub(crate) solids: &'a [Clear<'a>],
    /// The gases and the shade of solid media, where there are any.
    pub(crate) fog: Option<&'a FogField<'a>>,
    /// Smoke, where there is any.
    pub(crate) smoke: Option<&'a SmokeField<'a>>,
    pub(crate) land: &'a TerrainLook,
    /// The shown part of the ground.
    pub(crate) part: Part,
    pub(crate) ember: &'a EmberLight,
    pub(crate) sky: &'a Sky,
    /// The floor around the box, where there is one.
    pub(crate) floor: Option<Floor>,
    /// Clots that vents throw, and the width of a pixel at distance 1.
    pub(crate) sparks: &'a Sparks,
    pub(crate) pixel: f32,
    /// Whether the ground goes on around it.
    pub(crate) goes_on: bool,
    /// The flame of the look, where it has one.
    pub(crate) flame: Option<Flame>,
    /// The sea around it, where there is one.
    pub(crate) sea: Option<SeaField>,
    pub(crate) look: &'a LookSpec,
    pub(crate) blackbody: &'a BlackBody,
    pub(crate) slices: Slices<'a>,
    /// The billows of smoke.
    pub(crate) billows: Generations,
    /// Steps since the beginning, for patterns that move with the flow.
    pub(crate) steps: f64,
    /// Whether the frame is one of many of a scene that runs: gas before a surface may be taken from the rays beside.
    pub(crate) running: bool,
}

impl ShadeContext<'_> {
    /// Direction of a ray where cells have their true proportions.
    #[inline(always)]
    pub(crate) fn view(&self, ray: &Ray) -> V3 {
        match self.look.cell_height == 1.0 {
            true => ray.direction,
            false => unit_or_up(in_widths(ray.direction, self.look.cell_height)),
        }
    }

    /// How far a ray goes in widths of a cell while it goes one on in cells.
    #[inline(always)]
    pub(crate) fn pace(&self, ray: &Ray) -> f32 {
        match self.look.cell_height == 1.0 {
            true => 1.0,
            false => in_widths(ray.direction, self.look.cell_height).norm(),
        }
    }

    /// Share of the sun that gases, smoke and solid media on its way leave at a point.
    pub(crate) fn sunlight(&self, p: V3) -> f32 {
        self.fog.map_or(1.0, |fog| fog.sunlight(p)) * self.smoke.map_or(1.0, |field| field.smoke.sunlight(p))
    }

    /// Share that they leave at a point of the ground around the box, where they stand in the box between it and the sun.
    pub(crate) fn sunlight_beside(&self, p: V3) -> f32 {
        let block = &self.land.block;
        let size = [block.width(), block.depth()];
        entry((size, self.look.cell_height), p, self.sky.sun).map_or(1.0, |entry| self.sunlight(entry))
    }

    /// Share that the ground leaves at a point: its shade reaches up a little.
    pub(crate) fn beside_ground(&self, p: V3) -> f32 {
        let above = p.y - self.land.block.heights.at(p.x, p.z);
        lerp(self.land.sunlight(p.x, p.z), 1.0, saturate(above / (LIFTED * self.land.unit)))
    }

    /// Share that all of them leave at a point.
    pub(crate) fn open(&self, p: V3) -> f32 {
        self.beside_ground(p) * self.sunlight(p)
    }

    /// Share that all of them leave at the surface of a solid medium with this normal.
    pub(crate) fn open_on(&self, p: V3, normal: V3) -> f32 {
        let off = self.fog.map_or(0.0, |fog| OFF * fog.edge());
        let sun = in_cells(self.sky.sun, self.look.cell_height);
        self.beside_ground(p) * self.sunlight(p + (normal + sun) * off)
    }

    /// The ground around the box, where it goes on there.
    pub(crate) fn around(&self) -> Option<&Beyond> {
        self.land.beyond.as_ref().filter(|_| self.goes_on)
    }

    /// Whether there is any gas or smoke.
    pub(crate) fn is_cloudy(&self) -> bool {
        self.fog.is_some_and(|fog| !fog.is_clear()) || self.smoke.is_some()
    }
}
