//! Smoke (ash and steam in the air) prepared for ray marching: per air cell the extinction, and the
//! transmittances of sunlight, skylight and lava light.
//!
//! ```text
//!   sun ╲ ╲ ╲            transmittance of sunlight through smoke: a sweep along the axis
//!        ░▒▒░            nearest to the sun's direction, plane by plane
//!       ░▒▓▓▒░           transmittance of skylight: the same sweep from above
//!        ▒▓▓▒            light of the lava: patches of 4 × 4 columns, through the smoke between
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
use crate::ground::lava_glow::Patch;
use crate::math::{V3, v3};
use crate::volume::blocks::{Blocks, Places, Stride};
use crate::volume::bricks::Drawn;
use crate::volume::field::span_in;
use crate::volume::places::Skipping;

/// Fraction of the smoke's extinction that applies to light from the sky and the lava, because this
/// light is scattered around obstacles.
const DETOURS: f32 = 0.35;
/// Optical depth across an air cell up to which its smoke is not drawn.
pub const LEAST: f32 = 2e-3;
/// Maximum light of the lava that a byte of a smoke cell can encode; the byte stores the light's
/// square root.
pub const BRIGHTEST: f32 = 4.0;
/// Bit mask of the extinction bytes of two neighbouring smoke cells in a 64-bit word.
const ROOTS: u64 = 0x0000_00ff_0000_00ff;

/// Distance between samples of smoke, in air cells, for looks with a ray-marching step of up to
/// `USUAL_STEP`; grows in proportion to longer steps.
const STEP: f32 = 1.0;
/// Longest ray-marching step of a look, in cells, for which the distance between samples of smoke
/// is `STEP`.
const USUAL_STEP: f32 = 0.5;

/// Inputs on which smoke depends in addition to the ash and steam in the air; existing smoke is
/// reused while these inputs are unchanged.
#[derive(Clone, Debug, PartialEq)]
pub struct Wanted {
    /// Unit direction towards the sun.
    pub sun: V3,
    /// Drawn height of a cell, in cell widths; 1 for cubes.
    pub tall: f32,
    /// Look of the air: colours, extinction and billows.
    pub look: AirLook,
}

/// Smoke of a frame: one set of encoded values per air cell, and a grid of blocks that marks where
/// there is smoke.
#[derive(Clone, Debug)]
pub struct Smoke {
    grid: Grid,
    /// Lower corner of the grid of the air, in cells of the simulation.
    low: V3,
    /// Edge length of an air cell, in cells of the simulation.
    edge: f32,
    /// Extinction per cell length of the simulation that the byte 255 encodes.
    most: f32,
    /// Limits of interpolation per axis: largest position, in air cells from the centre of the
    /// first cell, and index of the last cell that has a successor.
    last: [(f32, u32); 3],
    /// Encoded cells of the air, x fastest. Bytes: square root of the extinction, mass fraction of
    /// steam, transmittance of sunlight, light of the lava.
    cells: Vec<[u8; 4]>,
    /// Encoded velocity of the air, and skylight, for each air cell that has smoke or a neighbour
    /// with smoke, x fastest. Bytes: velocity east, up and south (128 for 0), and transmittance of
    /// skylight. Undefined for other cells.
    flow: Vec<[u8; 4]>,
    /// Colour of the inks (coloured tracers) in each air cell, x fastest, as bytes in which 255
    /// means 1: square roots of the mixture's linear red, green and blue, and the inks' fraction of
    /// the mass of ash and inks. Empty for an air without inks.
    tints: Vec<[u8; 4]>,
    blocks: Blocks,
}

/// Smoke in the layout of the textures on the graphics card.
pub struct Texels<'a> {
    pub grid: Grid,
    /// Lower corner of the grid of the air, in cells of the simulation.
    pub low: V3,
    /// Extinction per cell length of the simulation that the byte 255 encodes.
    pub most: f32,
    /// Encoded cells of the air, x fastest. Bytes: square root of the extinction, mass fraction of
    /// steam, transmittance of sunlight, light of the lava.
    pub cells: &'a [[u8; 4]],
    /// Encoded velocity of the air, and skylight, for each air cell that has smoke or a neighbour
    /// with smoke, x fastest. Bytes: velocity east, up and south (128 for 0), and transmittance of
    /// skylight. Undefined for other cells.
    pub flow: &'a [[u8; 4]],
    /// Colour of the inks (coloured tracers) in each air cell, x fastest, as bytes in which 255
    /// means 1: square roots of the mixture's linear red, green and blue, and the inks' fraction of
    /// the mass of ash and inks. Empty for an air without inks.
    pub tints: &'a [[u8; 4]],
}

/// Properties of the smoke at a point, interpolated between air cells.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Puff {
    /// Extinction of the smoke per cell length of the simulation.
    pub(crate) dense: f32,
    /// Mass fraction of steam in the smoke, 0 to 1.
    pub(crate) steam: f32,
    /// Transmittance (0 to 1) of the smoke between the sun and the point.
    pub(crate) sun: f32,
    /// Transmittance (0 to 1) of the smoke between the sky and the point.
    pub(crate) sky: f32,
    /// Light of the lava that arrives at the point, 0 to `BRIGHTEST`.
    pub(crate) glow: f32,
    /// Velocity of the air (east, up, south) in cells of the simulation per step of the air.
    pub(crate) flow: V3,
    /// Colour of the inks (coloured tracers): square roots of the mixture's linear red, green and
    /// blue, and the inks' fraction of the mass of ash and inks, each 0 to 1.
    pub(crate) tint: [f32; 4],
}

impl Smoke {
    /// Returns the smoke of `air` for the inputs `wanted`, lit by the glowing lava patches `lava`;
    /// reuses the allocations of `earlier`.
    pub fn new(air: &AirVolume, wanted: &Wanted, lava: &[Patch], earlier: Option<Self>) -> Self {
        let AirGrid {
            cells: grid,
            ratio,
            corner,
            ..
        } = air.grid;
        let edge = ratio as f32;
        let low = v3(corner[0] as f32, 0.0, corner[1] as f32);
        let absorbed = Absorbed::new(air, wanted.look.extinction_m2_kg * air.cell_m);
        let (light, most) = (
            Light::new(&absorbed, (grid, low, edge), wanted, lava),
            absorbed.most,
        );
        let (mut cells, mut flow) =
            earlier.map_or_else(Default::default, |earlier| (earlier.cells, earlier.flow));
        cells.resize(grid.cells(), [0; 4]);
        flow.resize(grid.cells(), [0; 4]);
        let slabs = cells
            .par_chunks_mut(grid.slab())
            .zip(flow.par_chunks_mut(grid.slab()))
            .enumerate();
        slabs.for_each(|(z, (cells, flow))| {
            Level::fastest().run(Slab {
                light: &light,
                air,
                absorbed: &absorbed,
                z,
                cells,
                flow,
            });
        });
        let high = low + v3(grid.nx as f32, grid.ny as f32, grid.nz as f32) * edge;
        // Smallest extinction byte that exceeds the drawing threshold.
        let least =
            (0..=u8::MAX).find(|&root| decoded(f32::from(root) / 255.0, most) * edge > LEAST);
        let least = least.map_or(u32::MAX, u32::from);
        let span = |row: usize| absorbed.held[row].range();
        let blocks = Blocks::new(grid, ratio, [low, high], span, |i| {
            u32::from(cells[i][0]) >= least
        });
        let last = [grid.nx, grid.ny, grid.nz].map(|n| {
            (
                (n as f32 - 1.0).next_down().max(0.0),
                n.saturating_sub(2) as u32,
            )
        });
        let tints = tint::tints(&air.inks, wanted.look.ink_colors());
        Self {
            grid,
            low,
            edge,
            most,
            last,
            cells,
            flow,
            tints,
            blocks,
        }
    }

    /// Returns true if the smoke of all air cells is too thin to be drawn.
    pub(crate) fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// Returns the bounding boxes of the blocks that contain smoke, in cells of the simulation.
    pub fn boxes(&self) -> impl Iterator<Item = Drawn> {
        self.blocks.boxes()
    }

    /// Returns the edge length of an air cell in cells of the simulation.
    pub fn edge(&self) -> f32 {
        self.edge
    }

    /// Returns the smoke in the layout of the textures on the graphics card.
    pub fn texels(&self) -> Texels<'_> {
        let Self {
            grid,
            low,
            most,
            ref cells,
            ref flow,
            ref tints,
            ..
        } = *self;
        Texels {
            grid,
            low,
            most,
            cells,
            flow,
            tints,
        }
    }

    /// Returns the index of the lowest of the eight air cells around the point `p` (cells of the
    /// simulation), and the fraction (0 to 1) of the way to the next cell along x, y and z; clamped
    /// to the grid of the air.
    #[inline(always)]
    fn spot(&self, p: V3) -> (usize, [f32; 3]) {
        let (mut cell, mut between) = ([0; 3], [0.0; 3]);
        // Edges are powers of two, whose reciprocals are exact.
        let per_edge = 1.0 / self.edge;
        for axis in 0..3 {
            let place = ((p[axis] - self.low[axis]) * per_edge - 0.5).clamp(0.0, self.last[axis].0);
            cell[axis] = (place as u32).min(self.last[axis].1) as usize;
            between[axis] = place - cell[axis] as f32;
        }
        (self.grid.index(cell), between)
    }

    /// Returns the index offsets from an air cell to its neighbours along y and along z; 0 along an
    /// axis with a single cell, which is then its own neighbour.
    #[inline(always)]
    fn strides(&self) -> (usize, usize) {
        let row = if self.grid.ny > 1 { self.grid.nx } else { 0 };
        (
            row,
            if self.grid.nz > 1 {
                self.grid.slab()
            } else {
                0
            },
        )
    }

    /// Returns the eight air cells between which a value is interpolated, as four pairs along x;
    /// `first`: index of the cell with the lowest coordinates.
    #[inline(always)]
    fn rows<'a>(&self, values: &'a [[u8; 4]], first: usize) -> [&'a [u8; 8]; 4] {
        let (bytes, (row, slab)) = (values.as_flattened(), self.strides());
        // No closure: a closure would be compiled without the SIMD instructions of the level.
        [
            pair(bytes, first),
            pair(bytes, first + row),
            pair(bytes, first + slab),
            pair(bytes, first + slab + row),
        ]
    }

    #[inline(always)]
    fn blend<S: Simd>(
        &self,
        s: S,
        values: &[[u8; 4]],
        first: usize,
        between: [f32; 3],
    ) -> [f32; 4] {
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

    /// Returns true if the smoke of all eight air cells around a point is too thin to be drawn;
    /// `first`: index of the cell with the lowest coordinates.
    #[inline(always)]
    fn is_clear(&self, first: usize) -> bool {
        if self.grid.nx == 1 {
            return false;
        }
        let [a, b, c, d] = self.rows(&self.cells, first);
        let bits = |row: &[u8; 8]| u64::from_le_bytes(*row);
        (bits(a) | bits(b) | bits(c) | bits(d)) & ROOTS == 0
    }

    /// Returns the smoke at the point `p` (cells of the simulation), interpolated between air
    /// cells; `None` if the smoke is too thin to be drawn. `s` selects the SIMD instructions.
    #[inline(always)]
    pub(crate) fn at<S: Simd>(&self, s: S, p: V3) -> Option<Puff> {
        let (first, between) = self.spot(p);
        // A third of the samples in occupied blocks lie next to the smoke; this cheap test of the
        // bytes skips them without interpolation.
        if self.is_clear(first) {
            return None;
        }
        let [root, steam, sun, glow] = self.blend(s, &self.cells, first, between);
        let dense = decoded(root, self.most);
        if dense * self.edge <= LEAST {
            return None;
        }
        let [east, up, south, sky] = self.blend(s, &self.flow, first, between);
        let flow = (v3(east, up, south) * 255.0 - V3::new(128.0, 128.0, 128.0))
            * (2.0 / 127.0 * self.edge);
        let tint = if self.tints.is_empty() {
            [0.0; 4]
        } else {
            self.blend(s, &self.tints, first, between)
        };
        Some(Puff {
            dense,
            steam,
            sun,
            sky,
            glow: glow * glow * BRIGHTEST,
            flow,
            tint,
        })
    }

    /// Returns the transmittance (0 to 1) of sunlight through smoke to the point `p` (cells of the
    /// simulation); 1 outside of the grid of the air.
    pub(crate) fn sunlight(&self, p: V3) -> f32 {
        let inside = |axis: usize, n: usize| {
            (0.0..=n as f32 * self.edge).contains(&(p[axis] - self.low[axis]))
        };
        if !(inside(0, self.grid.nx) && inside(1, self.grid.ny) && inside(2, self.grid.nz)) {
            return 1.0;
        }
        let (first, between) = self.spot(p);
        self.blend(Portable, &self.cells, first, between)[2]
    }
}

/// Smoke of a frame prepared for ray marching, with the distance between samples and the visible
/// region of the air.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SmokeField<'a> {
    pub(crate) smoke: &'a Smoke,
    /// Lower and upper bound of the visible region of the air along x, y and z, in cells of the
    /// simulation.
    shown: [[f32; 2]; 3],
    step: f32,
    skipping: Skipping,
}

impl<'a> SmokeField<'a> {
    /// Returns the smoke in the region `clip` (lower and upper bound per axis, as fractions) of the
    /// simulation box of `size` cells; a bound of 0 or 1 does not clip. `step`: step of ray
    /// marching of the look, in cells; `skipping`: method by which rays skip empty space.
    pub(crate) fn new(
        smoke: &'a Smoke,
        step: f32,
        (clip, size): ([[f32; 2]; 3], [f32; 3]),
        skipping: Skipping,
    ) -> Self {
        let shown = cut(smoke.blocks.whole(), clip, size);
        Self {
            smoke,
            shown,
            step: stride(smoke.edge, step),
            skipping,
        }
    }

    /// Returns the distance between samples of smoke along a ray, in cells of the simulation.
    pub(crate) fn step(&self) -> f32 {
        self.step
    }

    /// Returns the distances at which `ray` enters and leaves the visible region of the air,
    /// limited to `far`, in cells of the simulation; `None` if the ray misses.
    pub(crate) fn span(&self, ray: &Ray, far: f32) -> Option<(f32, f32)> {
        span_in(&self.shown, ray, far).map(|(near, far, _)| (near, far))
    }

    /// Returns an iterator over the samples along `ray` that lie in blocks with smoke. `span`:
    /// first and last distance in cells; `jitter`: offset (0 to 1) of the first sample, in steps.
    #[inline(always)]
    pub(crate) fn places<'r>(&'r self, ray: &'r Ray, span: (f32, f32), jitter: f32) -> Places<'r> {
        let stride = Stride {
            step: self.step,
            jitter,
            skipping: self.skipping,
        };
        self.smoke.blocks.places(ray, span, stride)
    }
}

/// Returns the box `whole` of the air (lower and upper bound per axis, in cells of the simulation)
/// clipped to the region `clip` (bounds as fractions) of the simulation box of `size` cells. Bounds
/// of 0 and 1 do not clip, because the air may extend beyond the simulation box.
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

/// Returns the distance between samples of smoke along a ray, in cells of the simulation. `edge`:
/// edge length of an air cell in cells of the simulation; `step`: ray-marching step of the look in
/// cells.
pub fn stride(edge: f32, step: f32) -> f32 {
    STEP * edge * (step / USUAL_STEP).max(1.0)
}

/// Returns the bytes of two air cells that are neighbours along x: the cell with the index `start`
/// and the next.
#[inline(always)]
fn pair(bytes: &[u8], start: usize) -> &[u8; 8] {
    bytes[4 * start..]
        .first_chunk()
        .expect("a cell has one to its east")
}

/// Returns the extinction per cell length whose encoded square root is `root` (0 to 1); `most`:
/// extinction that `root` = 1 encodes.
#[inline(always)]
fn decoded(root: f32, most: f32) -> f32 {
    root * root * most
}
