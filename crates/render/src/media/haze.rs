//! Haze: ash and steam in the air as the plain styles draw them, translucent and coloured by
//! density.
//!
//! Densities differ by powers of ten between a vent and the sky. Colour and opacity therefore
//! depend on the logarithm of the density, over a fixed range: a colour stands for one density in
//! all pictures.

use std::sync::LazyLock;

use lavoxel_air::AirGrid;
use lavoxel_automaton::view::Palette;
use lavoxel_base::grid::Grid;
use lavoxel_base::parallel::*;
use lavoxel_sim::lowpass::AirVolume;

use crate::camera::Ray;
use crate::chart::legend::Scale;
use crate::math::{V3, v3};
use crate::media::smoke::{cut, stride};
use crate::volume::blocks::{Blocks, Places, Stride};
use crate::volume::bricks::Drawn;
use crate::volume::field::span_in;
use crate::volume::places::Skipping;

/// Densities of ash and steam at the lower and the upper end of the haze's colour scale, as powers
/// of ten of kg/m³; thinner air is transparent.
const RANGE: (f32, f32) = (-6.0, 0.0);
/// Opacity per cell length at the upper end of the haze's colour scale; at the position x (0 to 1)
/// on the scale, the opacity is x² times this value. Chosen by eye.
pub const OPACITY: f32 = 0.14;
/// Number of entries of the haze's colour table.
const ENTRIES: usize = 256;

/// Palette of the haze, from dark slate through blue to pale sand; different from the palettes of
/// lava.
pub static PALETTE: LazyLock<Palette> = LazyLock::new(|| {
    const STOPS: [[f32; 3]; 5] = [
        [0.17, 0.23, 0.36],
        [0.24, 0.42, 0.58],
        [0.40, 0.62, 0.68],
        [0.70, 0.78, 0.70],
        [0.97, 0.94, 0.80],
    ];
    Palette::sampled(|t| {
        let place = t.clamp(0.0, 1.0) * (STOPS.len() - 1) as f32;
        let i = (place as usize).min(STOPS.len() - 2);
        std::array::from_fn(|k| STOPS[i][k] + (STOPS[i + 1][k] - STOPS[i][k]) * (place - i as f32))
    })
});

/// Returns the scale of the haze's colour bar: name and unit of the density, and the range of its
/// power of ten.
pub fn scale() -> Scale {
    Scale::new("ash and steam", "log10 kg/m³", RANGE)
}

/// Returns the linear RGB colour (not premultiplied) and the opacity (0 to 1) of a ray-marching
/// step of `step` cells through haze, for `ENTRIES` positions on the colour scale evenly spaced
/// from 0 to 1.
pub(crate) fn table(step: f32) -> Vec<[f32; 4]> {
    let entry = |i: usize| {
        let place = i as f32 / (ENTRIES - 1) as f32;
        let [red, green, blue] = PALETTE.linear(place);
        [
            red,
            green,
            blue,
            1.0 - (1.0 - OPACITY * place * place).powf(step),
        ]
    };
    (0..ENTRIES).map(entry).collect()
}

/// Haze of a frame: encoded cells of the air, and a grid of blocks that marks where there is haze.
#[derive(Clone, Debug)]
pub struct Haze {
    pub grid: Grid,
    /// Lower corner of the grid of the air, in cells of the simulation.
    pub low: V3,
    /// Edge length of an air cell, in cells of the simulation.
    pub edge: f32,
    /// Position of each air cell's density on the colour scale, 255 for 1, 0 for clear air; x
    /// fastest.
    pub cells: Vec<u8>,
    blocks: Blocks,
}

impl Haze {
    /// Computes the haze from the densities of ash and steam in `air`.
    pub fn new(air: &AirVolume) -> Self {
        let AirGrid {
            cells: grid,
            ratio,
            corner,
            ..
        } = air.grid;
        let edge = ratio as f32;
        let low = v3(corner[0] as f32, 0.0, corner[1] as f32);
        let place = |i: usize| {
            let [ash, steam] = air.kg_m3(i);
            let share = ((ash + steam).max(1e-12).log10() - RANGE.0) / (RANGE.1 - RANGE.0);
            (share.clamp(0.0, 1.0) * 255.0 + 0.5) as u8
        };
        let is_clear = |i: usize| air.carried[i] == [0; 2];
        let cells: Vec<u8> = (0..grid.cells())
            .into_par_iter()
            .map(|i| if is_clear(i) { 0 } else { place(i) })
            .collect();
        let high = low + v3(grid.nx as f32, grid.ny as f32, grid.nz as f32) * edge;
        let blocks = Blocks::new(grid, ratio, [low, high], |_| 0..grid.nx, |i| cells[i] > 0);
        Self {
            grid,
            low,
            edge,
            cells,
            blocks,
        }
    }

    /// Returns true if no air cell contains haze.
    pub(crate) fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// Returns the bounding boxes of the blocks that contain haze, in cells of the simulation.
    pub fn boxes(&self) -> impl Iterator<Item = Drawn> {
        self.blocks.boxes()
    }

    /// Returns the trilinearly interpolated position on the colour scale (0 to 1) of the density at
    /// the point `p` (cells of the simulation), clamped to the grid of the air.
    #[inline(always)]
    fn at(&self, p: V3) -> f32 {
        let (mut first, mut between, mut step) = (0, [0.0; 3], [0; 3]);
        let axes = [
            (self.grid.nx, 1),
            (self.grid.ny, self.grid.nx),
            (self.grid.nz, self.grid.slab()),
        ];
        for (axis, (n, along)) in axes.into_iter().enumerate() {
            let place = ((p[axis] - self.low[axis]) / self.edge - 0.5)
                .clamp(0.0, (n as f32 - 1.0).next_down().max(0.0));
            let cell = (place as u32 as usize).min(n.saturating_sub(2));
            first += cell * along;
            between[axis] = place - cell as f32;
            // A box that is one cell thick has no neighbour along that axis: its only layer is read
            // twice.
            step[axis] = if n > 1 { along } else { 0 };
        }
        let mix = |a: f32, b: f32, t: f32| a + (b - a) * t;
        let row = |at: usize| {
            mix(
                f32::from(self.cells[at]),
                f32::from(self.cells[at + step[0]]),
                between[0],
            )
        };
        let sheet = |at: usize| mix(row(at), row(at + step[1]), between[1]);
        mix(sheet(first), sheet(first + step[2]), between[2]) * (1.0 / 255.0)
    }
}

/// Haze of a frame prepared for ray marching, with the distance between samples and the visible
/// region of the air.
#[derive(Clone, Debug)]
pub(crate) struct HazeField<'a> {
    haze: &'a Haze,
    /// Lower and upper bound of the visible region of the air along x, y and z, in cells of the
    /// simulation.
    shown: [[f32; 2]; 3],
    step: f32,
    table: Vec<[f32; 4]>,
    skipping: Skipping,
}

impl<'a> HazeField<'a> {
    /// Returns the haze in the region `clip` (lower and upper bound per axis, as fractions) of the
    /// simulation box of `size` cells. `step`: step of ray marching of the look, in cells;
    /// `skipping`: method by which rays skip empty space.
    pub(crate) fn new(
        haze: &'a Haze,
        step: f32,
        (clip, size): ([[f32; 2]; 3], [f32; 3]),
        skipping: Skipping,
    ) -> Self {
        let step = stride(haze.edge, step);
        let shown = cut(haze.blocks.whole(), clip, size);
        Self {
            haze,
            shown,
            step,
            table: table(step),
            skipping,
        }
    }

    /// Returns an iterator over the samples along `ray` between the distances `near` and `far`
    /// (cells); `jitter` is the offset (0 to 1) of the first sample, in steps.
    #[inline(always)]
    pub(crate) fn walk<'r>(
        &'r self,
        ray: &'r Ray,
        (near, far): (f32, f32),
        jitter: f32,
    ) -> HazeWalk<'r> {
        let span =
            span_in(&self.shown, ray, far).map_or((0.0, 0.0), |(from, to, _)| (from.max(near), to));
        let stride = Stride {
            step: self.step,
            jitter,
            skipping: self.skipping,
        };
        HazeWalk {
            field: self,
            places: self.haze.blocks.places(ray, span, stride),
        }
    }
}

/// Iterator over the samples with haze along a ray, in order of distance.
pub(crate) struct HazeWalk<'a> {
    field: &'a HazeField<'a>,
    places: Places<'a>,
}

/// Sample of haze: distance `t` along the ray in cells, and `entry`: linear RGB colour and opacity
/// of the ray-marching step that the sample represents.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HazeSample {
    pub(crate) t: f32,
    pub(crate) entry: [f32; 4],
}

impl HazeWalk<'_> {
    /// Returns the next sample with haze; `None` at the end of the ray.
    #[inline(always)]
    pub(crate) fn next(&mut self) -> Option<HazeSample> {
        loop {
            let (t, p) = self.places.next()?;
            let place = self.field.haze.at(p);
            if place > 0.0 {
                let at = place.min(1.0) * (ENTRIES - 1) as f32;
                let i = (at as u32 as usize).min(ENTRIES - 2);
                let (a, b, share) = (self.field.table[i], self.field.table[i + 1], at - i as f32);
                return Some(HazeSample {
                    t,
                    entry: std::array::from_fn(|k| a[k] + (b[k] - a[k]) * share),
                });
            }
        }
    }
}
