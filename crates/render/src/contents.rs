//! Selection of what a picture shows: lava, ground, and slices (cross-sections of the simulation
//! box, one cell thick) drawn in the 3D scene.

use std::sync::Arc;

use super::camera::Ray;
use super::math::V3;
use crate::ground::heightfield::{Face, GroundHit};
use crate::style::transfer::Transfer;
use lavoxel_automaton::view::srgb_to_linear;

/// Kind (last byte of an entry of `Cut::texels`) of an empty cell, which is not drawn.
pub(crate) const NOTHING: u8 = 0;
/// Kind (last byte of an entry of `Cut::texels`) of a cell that shows a value; the value is the
/// entry's first byte.
pub(crate) const VALUE: u8 = 1;
/// Kind (last byte of an entry of `Cut::texels`) of a cell of rock.
pub(crate) const ROCK: u8 = 2;
/// Kind (last byte of an entry of `Cut::texels`) of a cell of a material shown without values;
/// the material's colour is in the entry's first three bytes.
pub(crate) const MATERIAL: u8 = 3;

/// Colour of rock in slices, linear RGB.
pub const CUT_ROCK: V3 = V3::new(0.105, 0.105, 0.112);

/// Slice (one plane of cells of the simulation box) as a texture, one texel per cell, drawn in the
/// 3D scene without interpolation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    /// Index of the shown plane of cells, counted along the axis perpendicular to the slice.
    pub cell: usize,
    /// Number of texels per row, which is the number of cells along z for a slice perpendicular to
    /// x, otherwise along x.
    pub width: usize,
    /// Number of rows of texels, which is the number of cells along z for a slice perpendicular to
    /// y, otherwise along y; vertical slices begin with the row at the floor of the simulation box.
    pub height: usize,
    /// Set if the slice shows amounts of materials. The cinematic style does not draw such a slice:
    /// it opens the simulation box at the slice and draws the matter cut open.
    pub of_amounts: bool,
    /// Texels in rows, `width · height` entries. The last byte is the kind of the cell; the meaning
    /// of the first three depends on the kind: 0 nothing; 1 a value, in the first byte, scaled from
    /// the [range](lavoxel_automaton::world::CellMeasure::range) of its measure to 0..255; 2 rock;
    /// 3 a material without values, by its colour in sRGB.
    pub texels: Vec<[u8; 4]>,
}

impl Cut {
    /// Returns the position of the slice along its axis, in cells: the centre of its plane of
    /// cells.
    pub(crate) fn middle(&self) -> f32 {
        self.cell as f32 + 0.5
    }
}

/// Returns the region of the simulation box that stays visible when slices cut the box open: `clip`
/// without the region between each slice and the camera at `eye`. All positions are fractions of
/// the box along x, y and z: lower and upper bound per axis in `clip` and in the result, one
/// position per axis in `slices`. A slice outside of `clip` has no effect.
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

/// Selection of the parts of a scene that pictures show.
#[derive(Clone, Debug)]
pub struct Contents {
    /// Set to draw the lava, its light on the ground, and all other materials and gases.
    pub lava: bool,
    /// Set to draw the ground.
    pub ground: bool,
    /// Set to draw the colour bar, in the plain styles.
    pub legend: bool,
    /// Slices perpendicular to x, y and z; `None` for an axis without a slice.
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
    /// Returns the indices of the planes of cells shown by the slices perpendicular to x, y and z;
    /// `None` where there is no slice.
    pub(crate) fn cells(&self) -> [Option<usize>; 3] {
        self.slices
            .each_ref()
            .map(|cut| cut.as_ref().map(|cut| cut.cell))
    }
}

/// Slices that a frame shows, prepared for intersection with rays.
#[derive(Clone, Copy)]
pub(crate) struct Slices<'a> {
    /// Size of the simulation box in cells along x, y and z.
    size: [f32; 3],
    /// Lower and upper bound of the visible region of the simulation box along x, y and z, in
    /// cells; slices are clipped to this region.
    shown: [[f32; 2]; 3],
    cuts: &'a [Option<Arc<Cut>>; 3],
    transfer: &'a Transfer,
    /// Set in the cinematic style, which draws no rock cells of slices (the ground's own cut
    /// surface shows its strata instead) and no slices of amounts (which only cut the box open).
    natural: bool,
}

/// Intersection of a ray with a slice: distance `t` from the ray's start in cells, and colour
/// `light` of the cell as linear RGB.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SliceHit {
    pub(crate) t: f32,
    pub(crate) light: V3,
}

impl<'a> Slices<'a> {
    /// Returns the slices of `contents` in a box of `size` cells. `shown`: lower and upper bound of
    /// the box's visible region per axis, as fractions of the box; `transfer` maps values to
    /// colours.
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

    /// Returns these slices as the cinematic style draws them: without rock cells and without
    /// slices of amounts.
    pub(crate) fn natural(self) -> Self {
        Self {
            natural: true,
            ..self
        }
    }

    /// Returns true if none of the slices is drawn.
    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        !self.cuts.iter().flatten().any(|cut| self.shows(cut))
    }

    /// Returns true if the cells of `cut` are drawn; false in the cinematic style if `cut` shows
    /// amounts, because there the matter itself is drawn cut open.
    #[inline(always)]
    fn shows(&self, cut: &Cut) -> bool {
        !(self.natural && cut.of_amounts)
    }

    /// Returns the nearest intersection of `ray` with a drawn cell of a slice; `None` if `ray`
    /// meets none within the distance `limit` (cells).
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

    /// Returns true if slice cells of the kind `content` (last byte of a texel) are drawn. The
    /// cinematic style draws no rock cells, because it draws the cut-open ground in their place.
    #[inline(always)]
    fn is_seen(&self, content: u8) -> bool {
        content != NOTHING && !(self.natural && content == ROCK)
    }

    /// Returns a hit in the colour of rock if `hit` lies where the plane of a slice cuts the
    /// ground, otherwise `None`. Fills the gap between the cells of a slice, which are rock as a
    /// whole or not at all, and the smooth top of the ground.
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

    /// Returns the texel of `cut`, a slice perpendicular to `axis`, at the point `p` (cells) in the
    /// plane of the slice; `None` outside of the visible region of the box.
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
