//! Ash and steam that the air carries, ready to be drawn: how much light a place absorbs, and how much light arrives there.
//!
//! ```text
//!   sun ╲ ╲ ╲            light of the sun that is left after the smoke on its way: one sweep along the axis
//!        ░▒▒░            nearest to the sun's direction, from layer to layer
//!       ░▒▓▓▒░           light of the sky: the same from above
//!        ▒▓▓▒            light of the lava: patches of 4 × 4 columns, each through the smoke between
//!     ____▓▓____
//!        lava
//! ```

mod absorbed;
mod coarse;
mod encoded;
mod light;
mod tint;

use lavoxel_air::AirGrid;
use lavoxel_automaton::view::AirLook;
use lavoxel_base::grid::Grid;
use lavoxel_base::parallel::*;
use lavoxel_base::simd::{Level, Portable, Simd};
use lavoxel_sim::lowpass::AirVolume;

use self::absorbed::Absorbed;
use self::encoded::{Light, Slab};
use crate::camera::Ray;
use crate::ground::ember::Patch;
use crate::math::{V3, v3};
use crate::volume::blocks::{Blocks, Places, Stride};
use crate::volume::bricks::Drawn;
use crate::volume::field::span_in;
use crate::volume::places::Skipping;

/// Share of the absorption that counts for light from the sky and from the lava, which comes by detours.
const DETOURS: f32 = 0.35;
/// Optical depth of an air cell up to which nothing is drawn.
pub const LEAST: f32 = 2e-3;
/// Glow that a byte of the lava's light holds at most; its square root is stored.
pub const BRIGHTEST: f32 = 4.0;
/// The bytes of two cells that stand for how much light they absorb.
const ROOTS: u64 = 0x0000_00ff_0000_00ff;

/// Distance between samples in air cells, up to this step of a look; it grows with a longer one.
const STEP: f32 = 1.0;
const USUAL_STEP: f32 = 0.5;

/// Inputs of smoke besides the amounts.
#[derive(Clone, Debug, PartialEq)]
pub struct Wanted {
    /// Direction to the sun.
    pub sun: V3,
    /// Height of a cell in its widths.
    pub tall: f32,
    pub look: AirLook,
}

/// The smoke of a frame.
#[derive(Clone, Debug)]
pub struct Smoke {
    grid: Grid,
    /// Corner of the air's box in voxels.
    low: V3,
    /// Voxels along the edge of an air cell.
    edge: f32,
    /// Absorption to a voxel of way that the largest density stands for.
    most: f32,
    /// By axis the largest place between the middles of cells, and the number of the last cell with one behind it.
    last: [(f32, u32); 3],
    /// For each cell: the square root of the absorption, the share of steam in it, light of the sun, light of the lava.
    cells: Vec<[u8; 4]>,
    /// For each cell with smoke in it or beside it: velocity east, up and south, 128 for none, and light of the sky. Elsewhere
    /// it is not written.
    flow: Vec<[u8; 4]>,
    /// For each cell: roots of the colour of its inks, and their share. None without inks.
    tints: Vec<[u8; 4]>,
    blocks: Blocks,
}

/// The cells of smoke as a graphics card reads them.
pub struct Texels<'a> {
    pub grid: Grid,
    /// Corner of the air's box in voxels.
    pub low: V3,
    /// Absorption to a voxel of way that the largest density stands for.
    pub most: f32,
    /// For each cell: the square root of the absorption, the share of steam in it, light of the sun, light of the lava.
    pub cells: &'a [[u8; 4]],
    /// For each cell with smoke in it or beside it: velocity east, up and south, 128 for none, and light of the sky.
    pub flow: &'a [[u8; 4]],
    /// For each cell: roots of the colour of its inks, and their share. None without inks.
    pub tints: &'a [[u8; 4]],
}

/// The smoke at a point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Puff {
    /// Absorption to a voxel of way.
    pub(crate) dense: f32,
    /// Share of it that is steam.
    pub(crate) steam: f32,
    /// Shares of the light of the sun and of the sky that arrive.
    pub(crate) sun: f32,
    pub(crate) sky: f32,
    /// Light of the lava.
    pub(crate) glow: f32,
    /// Velocity in voxels a step of the air.
    pub(crate) flow: V3,
    /// Roots of the colour of its inks, and their share in what is not steam.
    pub(crate) tint: [f32; 4],
}

impl Smoke {
    /// The smoke of a volume, lit by patches of lava, in the memory of an earlier one that is not needed any more.
    pub fn new(air: &AirVolume, wanted: &Wanted, lava: &[Patch], earlier: Option<Self>) -> Self {
        let AirGrid { cells: grid, ratio, corner, .. } = air.grid;
        let edge = ratio as f32;
        let low = v3(corner[0] as f32, 0.0, corner[1] as f32);
        let absorbed = Absorbed::of(air, wanted.look.extinction_m2_kg * air.cell_m);
        let (light, most) = (Light::new(&absorbed, (grid, low, edge), wanted, lava), absorbed.most);
        let (mut cells, mut flow) = earlier.map_or_else(Default::default, |earlier| (earlier.cells, earlier.flow));
        cells.resize(grid.cells(), [0; 4]);
        flow.resize(grid.cells(), [0; 4]);
        let slabs = cells.par_chunks_mut(grid.slab()).zip(flow.par_chunks_mut(grid.slab())).enumerate();
        slabs.for_each(|(z, (cells, flow))| {
            Level::fastest().run(Slab { light: &light, air, absorbed: &absorbed, z, cells, flow });
        });
        let high = low + v3(grid.nx as f32, grid.ny as f32, grid.nz as f32) * edge;
        // The smallest byte that stands for enough.
        let least = (0..=u8::MAX).find(|&root| decoded(f32::from(root) / 255.0, most) * edge > LEAST);
        let least = least.map_or(u32::MAX, u32::from);
        let span = |row: usize| absorbed.held[row].range();
        let blocks = Blocks::new(grid, ratio, [low, high], span, |i| u32::from(cells[i][0]) >= least);
        let last =
            [grid.nx, grid.ny, grid.nz].map(|n| ((n as f32 - 1.0).next_down().max(0.0), n.saturating_sub(2) as u32));
        let tints = tint::of(&air.inks, wanted.look.ink_colors());
        Self { grid, low, edge, most, last, cells, flow, tints, blocks }
    }

    /// Whether there is too little of it anywhere.
    pub(crate) fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// The blocks with smoke, as boxes in voxels.
    pub fn boxes(&self) -> impl Iterator<Item = Drawn> {
        self.blocks.boxes()
    }

    /// Voxels along the edge of an air cell.
    pub fn edge(&self) -> f32 {
        self.edge
    }

    /// Parts that a graphics card needs.
    pub fn texels(&self) -> Texels<'_> {
        let Self { grid, low, most, ref cells, ref flow, ref tints, .. } = *self;
        Texels { grid, low, most, cells, flow, tints }
    }

    /// The first of eight cells around a point, and the place between them; held at the sides.
    #[inline(always)]
    fn spot(&self, p: V3) -> (usize, [f32; 3]) {
        let (mut cell, mut between) = ([0; 3], [0.0; 3]);
        // Edges are powers of two, of which the reciprocal is exact.
        let per_edge = 1.0 / self.edge;
        for axis in 0..3 {
            let place = ((p[axis] - self.low[axis]) * per_edge - 0.5).clamp(0.0, self.last[axis].0);
            cell[axis] = (place as u32).min(self.last[axis].1) as usize;
            between[axis] = place - cell[axis] as f32;
        }
        (self.grid.index(cell), between)
    }

    /// Cells from one to the next along y and z. A box that is one cell thick repeats its only layer.
    #[inline(always)]
    fn strides(&self) -> (usize, usize) {
        let row = if self.grid.ny > 1 { self.grid.nx } else { 0 };
        (row, if self.grid.nz > 1 { self.grid.slab() } else { 0 })
    }

    /// The rows of two cells around a place.
    #[inline(always)]
    fn rows<'a>(&self, values: &'a [[u8; 4]], first: usize) -> [&'a [u8; 8]; 4] {
        let (bytes, (row, slab)) = (values.as_flattened(), self.strides());
        // No closure: it would be compiled without the instructions of the level.
        [pair(bytes, first), pair(bytes, first + row), pair(bytes, first + slab), pair(bytes, first + slab + row)]
    }

    #[inline(always)]
    fn blend<S: Simd>(&self, s: S, values: &[[u8; 4]], first: usize, between: [f32; 3]) -> [f32; 4] {
        let mut to;
        if self.grid.nx > 1 {
            to = s.blend(self.rows(values, first), between);
        } else {
            let (row, slab) = self.strides();
            let twice = [first, first + row, first + slab, first + slab + row].map(|start| {
                let [a, b, c, d] = values[start];
                [a, b, c, d, a, b, c, d]
            });
            to = s.blend([&twice[0], &twice[1], &twice[2], &twice[3]], between);
        }
        for value in &mut to {
            *value *= 1.0 / 255.0;
        }
        to
    }

    /// Whether there is no smoke in any of the eight cells from the first one on.
    #[inline(always)]
    fn is_clear(&self, first: usize) -> bool {
        if self.grid.nx == 1 {
            return false;
        }
        let [a, b, c, d] = self.rows(&self.cells, first);
        let bits = |row: &[u8; 8]| u64::from_le_bytes(*row);
        (bits(a) | bits(b) | bits(c) | bits(d)) & ROOTS == 0
    }

    /// The smoke at a point, where there is enough of it.
    #[inline(always)]
    pub(crate) fn at<S: Simd>(&self, s: S, p: V3) -> Option<Puff> {
        let (first, between) = self.spot(p);
        // A third of the places in blocks with smoke are beside it.
        if self.is_clear(first) {
            return None;
        }
        let [root, steam, sun, glow] = self.blend(s, &self.cells, first, between);
        let dense = decoded(root, self.most);
        if dense * self.edge <= LEAST {
            return None;
        }
        let [east, up, south, sky] = self.blend(s, &self.flow, first, between);
        let flow = (v3(east, up, south) * 255.0 - V3::new(128.0, 128.0, 128.0)) * (2.0 / 127.0 * self.edge);
        let tint = if self.tints.is_empty() { [0.0; 4] } else { self.blend(s, &self.tints, first, between) };
        Some(Puff { dense, steam, sun, sky, glow: glow * glow * BRIGHTEST, flow, tint })
    }

    /// Share of the sun that the smoke on its way leaves at a point; all of it outside of the air's box.
    pub(crate) fn sunlight(&self, p: V3) -> f32 {
        let inside = |axis: usize, n: usize| (0.0..=n as f32 * self.edge).contains(&(p[axis] - self.low[axis]));
        if !(inside(0, self.grid.nx) && inside(1, self.grid.ny) && inside(2, self.grid.nz)) {
            return 1.0;
        }
        let (first, between) = self.spot(p);
        self.blend(Portable, &self.cells, first, between)[2]
    }
}

/// The smoke as rays see it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SmokeField<'a> {
    pub(crate) smoke: &'a Smoke,
    /// Corners of the part of the air that is shown, in voxels.
    shown: [[f32; 2]; 3],
    step: f32,
    skipping: Skipping,
}

impl<'a> SmokeField<'a> {
    /// The smoke in a part of the box of voxels of `size`, given as shares along x, y and z, for the step of a look. A side that
    /// is not cut does not end the smoke.
    pub(crate) fn new(
        smoke: &'a Smoke,
        step: f32,
        (clip, size): ([[f32; 2]; 3], [f32; 3]),
        skipping: Skipping,
    ) -> Self {
        let shown = cut(smoke.blocks.whole(), clip, size);
        Self { smoke, shown, step: stride(smoke.edge, step), skipping }
    }

    /// Distance between samples in voxels.
    pub(crate) fn step(&self) -> f32 {
        self.step
    }

    /// Between which distances a ray passes the shown part, before `far`.
    pub(crate) fn span(&self, ray: &Ray, far: f32) -> Option<(f32, f32)> {
        span_in(&self.shown, ray, far).map(|(near, far, _)| (near, far))
    }

    /// The places of a ray in a part of its span where there may be smoke.
    #[inline(always)]
    pub(crate) fn places<'r>(&'r self, ray: &'r Ray, span: (f32, f32), jitter: f32) -> Places<'r> {
        let stride = Stride { step: self.step, jitter, skipping: self.skipping };
        self.smoke.blocks.places(ray, span, stride)
    }
}

/// The part of a box between these corners that is shown, where a part of the box of voxels of `size` is, given as shares along x,
/// y and z. A side that is not cut does not end it.
pub fn cut(mut whole: [[f32; 2]; 3], clip: [[f32; 2]; 3], size: [f32; 3]) -> [[f32; 2]; 3] {
    for axis in 0..3 {
        let [low, high] = clip[axis];
        if low > 0.0 {
            whole[axis][0] = whole[axis][0].max(low * size[axis]);
        }
        if high < 1.0 {
            whole[axis][1] = whole[axis][1].min(high * size[axis]);
        }
    }
    whole
}

/// Distance between samples in voxels, among air cells of this edge and for this step of a look.
pub fn stride(edge: f32, step: f32) -> f32 {
    STEP * edge * (step / USUAL_STEP).max(1.0)
}

/// A cell and the one to its east.
#[inline(always)]
fn pair(bytes: &[u8], start: usize) -> &[u8; 8] {
    bytes[4 * start..].first_chunk().expect("a cell has one to its east")
}

/// The absorption for its square root as it is stored.
#[inline(always)]
fn decoded(root: f32, most: f32) -> f32 {
    root * root * most
}
