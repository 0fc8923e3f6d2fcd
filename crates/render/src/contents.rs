//! Selection of what a picture shows: lava, ground, and slices (cross-sections of cells) drawn in
//! the 3D scene.

use std::sync::Arc;

use super::camera::Ray;
use super::math::V3;
use crate::ground::heightfield::{Face, GroundHit};
use crate::style::transfer::Transfer;
use lavoxel_automaton::view::srgb_to_linear;

/// Kind byte of an empty cell, not drawn. The kind is the last byte of an entry of [`Cut::texels`].
pub(crate) const NOTHING: u8 = 0;
/// Kind byte of a cell that shows a value; the value is in the first byte.
pub(crate) const VALUE: u8 = 1;
/// Kind byte of a cell of rock.
pub(crate) const ROCK: u8 = 2;
/// Kind byte of a cell of a material shown without values; the material's colour is in the first
/// three bytes.
pub(crate) const MATERIAL: u8 = 3;

/// Colour of rock in a slice, linear RGB.
pub const CUT_ROCK: V3 = V3::new(0.105, 0.105, 0.112);

/// Slice (one layer of cells) as a texture, one texel per cell, drawn without interpolation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    /// Index of the layer of cells along the axis perpendicular to the slice.
    pub cell: usize,
    /// Number of texels per row: cells along z for a slice perpendicular to x, otherwise along x.
    pub width: usize,
    /// Number of rows: cells along z for a slice perpendicular to y, otherwise along y from the
    /// floor up.
    pub height: usize,
    /// Set if the slice shows amounts. The cinematic style then draws the cut-open matter itself
    /// instead of the cells.
    pub of_amounts: bool,
    /// Texels in rows, `width · height` entries. The last byte is the kind of the cell; the meaning
    /// of the first three depends on the kind: 0 nothing; 1 a value, in the first byte, scaled from
    /// the [range](lavoxel_automaton::world::CellMeasure::range) of its measure to 0..255; 2 rock;
    /// 3 a material without values, by its colour in sRGB.
    pub texels: Vec<[u8; 4]>,
}

impl Cut {
    /// Returns the position of the slice along its axis, in cells: the centre of its layer.
    pub(crate) fn middle(&self) -> f32 {
        self.cell as f32 + 0.5
    }
}

/// Returns the part of the simulation box that remains visible if slices cut the box open: `clip`
/// without the matter between each slice and the camera at `eye`. All arguments and the result are
/// fractions of the box along x, y and z: `clip` and the result as lower and upper bound per axis,
/// `slices` as position per axis. A slice outside of `clip` has no effect.
pub fn opened(clip: [[f32; 2]; 3], slices: [Option<f32>; 3], eye: [f32; 3]) -> [[f32; 2]; 3] {
    std::array::from_fn(|k| {
        let [low, high] = clip[k];
        match slices[k].filter(|plane| low < *plane && *plane < high) {
            Some(plane) if eye[k] < plane => [plane, high],
            Some(plane) => [low, plane],
            None => [low, high],
        }
    })
}

/// Selection of the parts of a scene that are drawn.
#[derive(Clone, Debug)]
pub struct Contents {
    /// Set to draw the lava, its light on the ground, and all other media.
    pub lava: bool,
    /// Set to draw the ground.
    pub ground: bool,
    /// Set to draw the colour bar, in the plain styles.
    pub legend: bool,
    /// Slices perpendicular to x, y and z; `None` where there is no slice.
    pub slices: [Option<Arc<Cut>>; 3],
}

impl Default for Contents {
    /// Returns a selection that shows lava, ground and colour bar, and no slices.
    fn default() -> Self {
        Self {
            lava: true,
            ground: true,
            legend: true,
            slices: [None, None, None],
        }
    }
}

impl Contents {
    /// Returns the layer indices of the slices perpendicular to x, y and z; `None` where there is
    /// no slice.
    pub(crate) fn cells(&self) -> [Option<usize>; 3] {
        self.slices
            .each_ref()
            .map(|cut| cut.as_ref().map(|cut| cut.cell))
    }
}

/// Slices of a frame, prepared for intersection with rays.
#[derive(Clone, Copy)]
pub(crate) struct Slices<'a> {
    /// Size of the simulation box in cells along x, y and z.
    size: [f32; 3],
    /// Lower and upper bound of the shown part of the simulation box along x, y and z, in cells;
    /// slices are clipped to this part.
    shown: [[f32; 2]; 3],
    cuts: &'a [Option<Arc<Cut>>; 3],
    transfer: &'a Transfer,
    /// Set in the cinematic style: there, rock shows its strata, and slices of amounts cut the
    /// simulation box open without being drawn themselves.
    natural: bool,
}

/// Intersection of a ray with a slice: the distance from the ray's start in cells, and the colour
/// there as linear light.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SliceHit {
    pub(crate) t: f32,
    pub(crate) light: V3,
}

impl<'a> Slices<'a> {
    /// Returns the slices of `contents` in a box of `size` cells. `shown`: lower and upper bound of
    /// the shown part of the simulation box per axis, as fractions; `transfer` gives the colours of
    /// values.
    pub(crate) fn new(
        size: [usize; 3],
        shown: [[f32; 2]; 3],
        contents: &'a Contents,
        transfer: &'a Transfer,
    ) -> Self {
        let size = size.map(|n| n as f32);
        let shown = std::array::from_fn(|axis| shown[axis].map(|share| share * size[axis]));
        Self {
            size,
            shown,
            cuts: &contents.slices,
            transfer,
            natural: false,
        }
    }

    /// Returns these slices with the flag `natural` set, for the cinematic style.
    pub(crate) fn natural(self) -> Self {
        Self {
            natural: true,
            ..self
        }
    }

    /// Returns true if no slice is drawn.
    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        !self.cuts.iter().flatten().any(|cut| self.shows(cut))
    }

    /// Returns true if the cells of `cut` are drawn; false where the cut-open matter is drawn
    /// instead.
    #[inline(always)]
    fn shows(&self, cut: &Cut) -> bool {
        !(self.natural && cut.of_amounts)
    }

    /// Returns the nearest intersection of `ray` with a drawn cell of a slice; `None` if there is
    /// none within `limit` (cells).
    pub(crate) fn nearest(&self, ray: &Ray, limit: f32) -> Option<SliceHit> {
        let mut nearest: Option<(f32, [u8; 4])> = None;
        for (axis, cut) in self.cuts.iter().enumerate() {
            let Some(cut) = cut.as_ref().filter(|cut| self.shows(cut)) else {
                continue;
            };
            if ray.direction[axis].abs() < 1e-9 {
                continue;
            }
            let t = (cut.middle() - ray.origin[axis]) / ray.direction[axis];
            if t <= 0.0 || t >= nearest.map_or(limit, |(t, _)| t) {
                continue;
            }
            if let Some(texel) = self
                .texel(axis, cut, ray.at(t))
                .filter(|texel| self.is_seen(texel[3]))
            {
                nearest = Some((t, texel));
            }
        }
        nearest.map(|(t, texel)| SliceHit {
            t,
            light: self.light(texel),
        })
    }

    /// Returns true if cells of the kind `content` are drawn. In the cinematic style rock cells are
    /// not, because the cut face of the ground is drawn there.
    #[inline(always)]
    fn is_seen(&self, content: u8) -> bool {
        content != NOTHING && !(self.natural && content == ROCK)
    }

    /// Returns a hit with the colour of rock if `hit` lies on the cut face of the ground in the
    /// plane of a slice, otherwise `None`. Needed because a cell of a slice is either rock or not
    /// as a whole, while the top of the ground is smooth.
    pub(crate) fn rock(&self, hit: &GroundHit) -> Option<SliceHit> {
        let Face::Cut(normal) = hit.face else {
            return None;
        };
        let near = 0.02 + 1e-4 * hit.t;
        let holds = |axis: usize, cut: &Cut| {
            normal[axis] != 0.0 && (hit.point[axis] - cut.middle()).abs() < near
        };
        let mut cuts = self.cuts.iter().enumerate();
        cuts.any(|(axis, cut)| cut.as_ref().is_some_and(|cut| holds(axis, cut)))
            .then_some(SliceHit {
                t: hit.t,
                light: CUT_ROCK,
            })
    }

    /// Returns the texel of `cut`, a slice perpendicular to `axis`, at the point `p` (cells) in its
    /// plane; `None` outside of the shown part.
    fn texel(&self, axis: usize, cut: &Cut, p: V3) -> Option<[u8; 4]> {
        let (across, down) = [(2, 1), (0, 2), (0, 1)][axis];
        let cell = |k: usize| {
            let [low, high] = self.shown[k];
            (p[k] >= low && p[k] <= high).then(|| p[k].min(self.size[k] - 1.0) as usize)
        };
        cut.texels
            .get(cell(down)? * cut.width + cell(across)?)
            .copied()
    }

    fn light(&self, [first, green, blue, content]: [u8; 4]) -> V3 {
        match content {
            ROCK => CUT_ROCK,
            MATERIAL => {
                V3::from([first, green, blue].map(|c| srgb_to_linear(f32::from(c) / 255.0)))
            }
            _ => self.transfer.linear(f32::from(first) / 255.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_open_the_box_on_the_side_of_the_eye() {
        let clip = [[0.0, 1.0], [0.0, 1.0], [0.0, 0.4]];
        let slices = [Some(0.25), None, Some(0.3)];
        assert_eq!(
            opened(clip, slices, [2.0, 0.5, 3.0]),
            [[0.0, 0.25], [0.0, 1.0], [0.0, 0.3]]
        );
        assert_eq!(
            opened(clip, slices, [-2.0, 0.5, -3.0]),
            [[0.25, 1.0], [0.0, 1.0], [0.3, 0.4]]
        );
        assert_eq!(opened(clip, [None; 3], [0.0; 3]), clip);
    }
}
