//! What stands in a picture besides the look: lava and ground may be hidden, and slices of cells stand in space.

use std::sync::Arc;

use super::camera::Ray;
use super::math::{V3, v3};
use super::transfer::Transfer;

/// Content of a cell of a slice, in the second byte of [`Cut::texels`].
pub(crate) const NOTHING: u8 = 0;
pub(crate) const LAVA: u8 = 1;
pub(crate) const ROCK: u8 = 2;

/// The cells of one slice, without any filter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    /// Position along the axis.
    pub cell: usize,
    /// Cells across: along z for a slice on x, else along x.
    pub width: usize,
    /// Cells down: along z for a slice on y, else along y from the floor up.
    pub height: usize,
    /// For each cell its value, 255 for 1 (amount, solid) or for [`crate::lowpass::ENERGY_SHOWN`] (energy), and its
    /// content: 0 nothing, 1 lava, 2 rock.
    pub texels: Vec<[u8; 2]>,
}

/// What is drawn of a scene.
#[derive(Clone, Debug)]
pub(crate) struct Contents {
    /// The lava, and its light on the ground.
    pub(crate) lava: bool,
    /// The ground block.
    pub(crate) ground: bool,
    /// The colour bar of the plain styles.
    pub(crate) legend: bool,
    /// Slices across x, y and z.
    pub(crate) slices: [Option<Arc<Cut>>; 3],
}

impl Default for Contents {
    /// Lava, ground and colour bar.
    fn default() -> Self {
        Self { lava: true, ground: true, legend: true, slices: [None, None, None] }
    }
}

/// The slices of one frame, ready to be met by rays.
#[derive(Clone, Copy)]
pub(crate) struct Slices<'a> {
    /// Cells along x, y and z.
    size: [f32; 3],
    cuts: &'a [Option<Arc<Cut>>; 3],
    transfer: &'a Transfer,
}

/// Where a ray meets a slice, and the light that it sends out there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SliceHit {
    pub(crate) t: f32,
    pub(crate) light: V3,
}

impl<'a> Slices<'a> {
    pub(crate) fn new(size: [usize; 3], contents: &'a Contents, transfer: &'a Transfer) -> Self {
        Self { size: size.map(|n| n as f32), cuts: &contents.slices, transfer }
    }

    /// Whether there are none.
    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.cuts.iter().all(Option::is_none)
    }

    /// The nearest cell of a slice with rock or lava in it before `limit`.
    pub(crate) fn nearest(&self, ray: &Ray, limit: f32) -> Option<SliceHit> {
        let mut nearest: Option<(f32, [u8; 2])> = None;
        for (axis, cut) in self.cuts.iter().enumerate() {
            let Some(cut) = cut else { continue };
            if ray.direction[axis].abs() < 1e-9 {
                continue;
            }
            let t = (cut.cell as f32 + 0.5 - ray.origin[axis]) / ray.direction[axis];
            if t <= 0.0 || t >= nearest.map_or(limit, |(t, _)| t) {
                continue;
            }
            if let Some(texel) = self.texel(axis, cut, ray.at(t)).filter(|texel| texel[1] != NOTHING) {
                nearest = Some((t, texel));
            }
        }
        nearest.map(|(t, texel)| SliceHit { t, light: self.light(texel) })
    }

    /// The cell of a slice at a point on it; `None` beside the slice.
    fn texel(&self, axis: usize, cut: &Cut, p: V3) -> Option<[u8; 2]> {
        let (across, down) = [(2, 1), (0, 2), (0, 1)][axis];
        let cell = |k: usize| (p[k] >= 0.0 && p[k] <= self.size[k]).then(|| p[k].min(self.size[k] - 1.0) as usize);
        cut.texels.get(cell(down)? * cut.width + cell(across)?).copied()
    }

    fn light(&self, [value, content]: [u8; 2]) -> V3 {
        if content == ROCK { v3(0.105, 0.105, 0.112) } else { self.transfer.linear(f32::from(value) / 255.0) }
    }
}
