//! Contents of a picture besides the look: lava and ground may be hidden, and slices of cells stand in space.

use std::sync::Arc;

use super::camera::Ray;
use super::math::V3;
use crate::ground::heightfield::{Face, GroundHit};
use crate::style::transfer::Transfer;
use lavoxel_automaton::view::srgb_to_linear;

/// Content of a cell of a slice, in the last byte of [`Cut::texels`].
pub(crate) const NOTHING: u8 = 0;
pub(crate) const VALUE: u8 = 1;
pub(crate) const ROCK: u8 = 2;
pub(crate) const MATERIAL: u8 = 3;

/// Linear light of rock in a slice.
pub const CUT_ROCK: V3 = V3::new(0.105, 0.105, 0.112);

/// The cells of one slice, without any filter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    /// Position along the axis.
    pub cell: usize,
    /// Cells across: along z for a slice on x, else along x.
    pub width: usize,
    /// Cells down: along z for a slice on y, else along y from the floor up.
    pub height: usize,
    /// It shows amounts: the cinematic look draws the matter itself in their place, cut open.
    pub of_amounts: bool,
    /// For each cell three bytes that depend on the last one, its content:
    /// 0 nothing; 1 a value, 0 to 255 for the [range](lavoxel_automaton::world::CellMeasure::range) of the measure, in the first byte;
    /// 2 rock; 3 a material without values, by its colour in sRGB.
    pub texels: Vec<[u8; 4]>,
}

impl Cut {
    /// Where the slice lies along its axis, in cells: in the middle of its own.
    pub(crate) fn middle(&self) -> f32 {
        self.cell as f32 + 0.5
    }
}

/// The part of the box that is shown when slices cut it open: of `clip`, without what lies between each slice and the
/// eye. All are shares of the box along x, y and z; a slice outside the clip cuts nothing.
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

/// Parts of a scene that are drawn.
#[derive(Clone, Debug)]
pub struct Contents {
    /// The lava, its light on the ground, and other media.
    pub lava: bool,
    /// The ground block.
    pub ground: bool,
    /// The colour bar of the plain styles.
    pub legend: bool,
    /// Slices across x, y and z.
    pub slices: [Option<Arc<Cut>>; 3],
}

impl Default for Contents {
    /// Lava, ground and colour bar.
    fn default() -> Self {
        Self { lava: true, ground: true, legend: true, slices: [None, None, None] }
    }
}

impl Contents {
    /// Cells of the slices across x, y and z.
    pub(crate) fn cells(&self) -> [Option<usize>; 3] {
        self.slices.each_ref().map(|cut| cut.as_ref().map(|cut| cut.cell))
    }
}

/// The slices of one frame, ready to be met by rays.
#[derive(Clone, Copy)]
pub(crate) struct Slices<'a> {
    /// Cells along x, y and z.
    size: [f32; 3],
    /// The part of the box that is shown, in cells: slices end where it does.
    shown: [[f32; 2]; 3],
    cuts: &'a [Option<Arc<Cut>>; 3],
    transfer: &'a Transfer,
    /// Matter is drawn as it looks: rock has its strata, and slices of amounts only cut the box open.
    natural: bool,
}

/// Where a ray meets a slice, and the light that it sends out there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SliceHit {
    pub(crate) t: f32,
    pub(crate) light: V3,
}

impl<'a> Slices<'a> {
    /// Slices of a box of `size` cells, of which the part between these shares is shown.
    pub(crate) fn new(size: [usize; 3], shown: [[f32; 2]; 3], contents: &'a Contents, transfer: &'a Transfer) -> Self {
        let size = size.map(|n| n as f32);
        let shown = std::array::from_fn(|axis| shown[axis].map(|share| share * size[axis]));
        Self { size, shown, cuts: &contents.slices, transfer, natural: false }
    }

    /// Contents in a look that draws matter as it is.
    pub(crate) fn natural(self) -> Self {
        Self { natural: true, ..self }
    }

    /// Whether none has cells of its own to show.
    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        !self.cuts.iter().flatten().any(|cut| self.shows(cut))
    }

    /// Whether the cells of a slice are seen, and not the matter in its plane.
    #[inline(always)]
    fn shows(&self, cut: &Cut) -> bool {
        !(self.natural && cut.of_amounts)
    }

    /// The nearest cell of a slice with something to show before `limit`.
    pub(crate) fn nearest(&self, ray: &Ray, limit: f32) -> Option<SliceHit> {
        let mut nearest: Option<(f32, [u8; 4])> = None;
        for (axis, cut) in self.cuts.iter().enumerate() {
            let Some(cut) = cut.as_ref().filter(|cut| self.shows(cut)) else { continue };
            if ray.direction[axis].abs() < 1e-9 {
                continue;
            }
            let t = (cut.middle() - ray.origin[axis]) / ray.direction[axis];
            if t <= 0.0 || t >= nearest.map_or(limit, |(t, _)| t) {
                continue;
            }
            if let Some(texel) = self.texel(axis, cut, ray.at(t)).filter(|texel| self.is_seen(texel[3])) {
                nearest = Some((t, texel));
            }
        }
        nearest.map(|(t, texel)| SliceHit { t, light: self.light(texel) })
    }

    /// Whether a cell with this content is drawn: natural rock is the ground's own cut face.
    #[inline(always)]
    fn is_seen(&self, content: u8) -> bool {
        content != NOTHING && !(self.natural && content == ROCK)
    }

    /// The rock of a slice in whose plane the ground is cut open: cells of a slice are rock or not, while the ground's top
    /// is smooth.
    pub(crate) fn rock(&self, hit: &GroundHit) -> Option<SliceHit> {
        let Face::Cut(normal) = hit.face else { return None };
        let near = 0.02 + 1e-4 * hit.t;
        let holds = |axis: usize, cut: &Cut| normal[axis] != 0.0 && (hit.point[axis] - cut.middle()).abs() < near;
        let mut cuts = self.cuts.iter().enumerate();
        cuts.any(|(axis, cut)| cut.as_ref().is_some_and(|cut| holds(axis, cut)))
            .then_some(SliceHit { t: hit.t, light: CUT_ROCK })
    }

    /// The cell of a slice at a point on it; `None` outside of its shown part.
    fn texel(&self, axis: usize, cut: &Cut, p: V3) -> Option<[u8; 4]> {
        let (across, down) = [(2, 1), (0, 2), (0, 1)][axis];
        let cell = |k: usize| {
            let [low, high] = self.shown[k];
            (p[k] >= low && p[k] <= high).then(|| p[k].min(self.size[k] - 1.0) as usize)
        };
        cut.texels.get(cell(down)? * cut.width + cell(across)?).copied()
    }

    fn light(&self, [first, green, blue, content]: [u8; 4]) -> V3 {
        match content {
            ROCK => CUT_ROCK,
            MATERIAL => V3::from([first, green, blue].map(|c| srgb_to_linear(f32::from(c) / 255.0))),
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
        assert_eq!(opened(clip, slices, [2.0, 0.5, 3.0]), [[0.0, 0.25], [0.0, 1.0], [0.0, 0.3]]);
        assert_eq!(opened(clip, slices, [-2.0, 0.5, -3.0]), [[0.25, 1.0], [0.0, 1.0], [0.3, 0.4]]);
        assert_eq!(opened(clip, [None; 3], [0.0; 3]), clip);
    }
}
