//! Light that arrives in each coarse cell of the air: from a distant source (sun, sky), and from
//! the lava below.

use std::collections::BTreeMap;

use super::DETOURS;
use super::absorbed::Absorbed;
use super::coarse::{Asked, Coarse};
use crate::ground::lava_glow::Patch;
use crate::math::faded;
use crate::math::{V3, in_widths, v3};
use lavoxel_base::grid::Grid;
use lavoxel_base::parallel::*;
use lavoxel_base::simd::{Level, Simd, Work};

/// Square of the radius of a glowing patch of lava as a light source, in squared cell widths.
const PATCH: f32 = 6.0;
/// Number of samples of smoke along the line between a glowing patch of lava and a coarse cell.
const SAMPLES: usize = 6;
/// Light of a glowing patch of lava below which the patch is ignored for a coarse cell.
const FAINTEST: f32 = 1e-4;

/// Width in coarse cells of the border of clear air around each plane of coarse cells in a sweep;
/// light comes from at most two cells to the side.
const RIM: usize = 2;

/// Smoke on the coarse grid, with the geometry from which the light in the smoke is computed.
pub(super) struct Lit<'a> {
    pub(super) coarse: &'a Coarse,
    pub(super) absorbed: &'a Absorbed,
    /// Mean extinction of each coarse cell, per cell length of the simulation, x fastest.
    pub(super) dense: &'a [f32],
    /// Lower corner of the grid of the air, in cells of the simulation.
    pub(super) low: V3,
    pub(super) edges: V3,
    /// Height of a cell of the simulation in cell widths.
    pub(super) tall: f32,
}

impl Lit<'_> {
    /// Returns the transmittance (0 to 1) of the smoke between a distant source and each coarse
    /// cell. `toward`: direction to the source (components in cells, unit length in cell widths);
    /// `rate`: factor on the extinction.
    pub(super) fn left_along(&self, toward: V3, rate: f32) -> Vec<f32> {
        let mut left = vec![1.0_f32; self.dense.len()];
        Level::fastest().run(Sweep {
            lit: self,
            toward: toward.component_div(&self.edges),
            rate,
            left: &mut left,
        });
        left
    }

    /// Returns one flag per coarse cell, set if the cell or a neighbour has smoke, and light must
    /// be computed for it.
    fn wanted(&self) -> Vec<bool> {
        let grid = self.coarse.grid;
        let mut wanted: Vec<bool> = self.dense.iter().map(|dense| *dense > 0.0).collect();
        // Dilates along each axis in turn; `stride` is the index offset between neighbours on a
        // line.
        for (count, stride) in [(grid.nx, 1), (grid.ny, grid.nx), (grid.nz, grid.slab())] {
            let from = wanted.clone();
            for (line, from) in wanted
                .chunks_mut(count * stride)
                .zip(from.chunks(count * stride))
            {
                let (after, before) = (stride.min(line.len()), line.len() - stride.min(line.len()));
                line[after..]
                    .iter_mut()
                    .zip(&from[..before])
                    .for_each(|(wanted, from)| *wanted |= from);
                line[..before]
                    .iter_mut()
                    .zip(&from[after..])
                    .for_each(|(wanted, from)| *wanted |= from);
            }
        }
        wanted
    }

    /// Returns the light of the glowing patches `patches` in each coarse cell that has smoke or a
    /// neighbour with smoke; 0 in other cells.
    pub(super) fn of_lava(&self, patches: &[Patch]) -> Vec<f32> {
        let grid = self.coarse.grid;
        let mut lights = vec![0.0; grid.cells()];
        if patches.is_empty() {
            return lights;
        }
        let (clusters, wanted) = (clusters(patches), self.wanted());
        let rows = lights
            .par_chunks_mut(grid.nx)
            .zip(wanted.par_chunks(grid.nx))
            .enumerate();
        rows.for_each(|(row, (lights, wanted))| {
            if wanted.contains(&true) {
                Level::fastest().run(FromLava {
                    lit: self,
                    clusters: &clusters,
                    row,
                    lights,
                    wanted,
                });
            }
        });
        lights
    }

    /// Returns the light of all patches in `clusters` at the point `p` (cells of the simulation).
    #[inline(always)]
    fn of_clusters(&self, clusters: &[Cluster], p: V3) -> f32 {
        let mut light = 0.0;
        for cluster in clusters {
            if in_widths(p - cluster.whole.place, self.tall).norm_squared() > 4.0 * SQUARE * SQUARE
            {
                light += self.patch_light(&cluster.whole, p);
            } else {
                let mut near = 0.0;
                for patch in &cluster.patches {
                    near += self.patch_light(patch, p);
                }
                light += near;
            }
        }
        light
    }

    /// Returns the light of `patch` at the point `p` (cells of the simulation), attenuated by the
    /// smoke between the two.
    #[inline(always)]
    fn patch_light(&self, patch: &Patch, p: V3) -> f32 {
        let way = p - patch.place;
        let away = in_widths(way, self.tall);
        let squared = away.norm_squared();
        let bare =
            patch.glow / (squared + PATCH) * (0.25 + (away.y / squared.max(1.0).sqrt()).max(0.0));
        if bare < FAINTEST {
            return 0.0;
        }
        bare * faded(self.between(patch.place, way) * (DETOURS * squared.sqrt() / SAMPLES as f32))
    }

    /// Returns the sum of the smoke's extinction at `SAMPLES` evenly spaced points from `from`
    /// along `way` (cells of the simulation), read from the coarse cells without interpolation.
    #[inline(always)]
    fn between(&self, from: V3, way: V3) -> f32 {
        let Grid { nx, ny, nz } = self.coarse.grid;
        let from = (from - self.low).component_div(&self.edges);
        let step = way.component_div(&self.edges) / SAMPLES as f32;
        let mut sum = 0.0;
        for i in 0..SAMPLES {
            let p = from + step * (i as f32 + 0.5);
            let (x, y, z) = (cell(p.x), cell(p.y), cell(p.z));
            if x < nx && y < ny && z < nz {
                sum += self.dense[(z * ny + y) * nx + x];
            }
        }
        sum
    }
}

/// Task that computes the light of the lava in one row of coarse cells.
struct FromLava<'a> {
    lit: &'a Lit<'a>,
    clusters: &'a [Cluster],
    row: usize,
    lights: &'a mut [f32],
    wanted: &'a [bool],
}

impl Work for FromLava<'_> {
    #[inline(always)]
    fn with<S: Simd>(self, _: S) {
        let Self {
            lit,
            clusters,
            row,
            lights,
            wanted,
        } = self;
        let ny = lit.coarse.grid.ny;
        for (x, (light, wanted)) in lights.iter_mut().zip(wanted).enumerate() {
            if *wanted {
                let place = v3(
                    x as f32 + 0.5,
                    (row % ny) as f32 + 0.5,
                    (row / ny) as f32 + 0.5,
                );
                *light = lit.of_clusters(clusters, lit.low + place.component_mul(&lit.edges));
            }
        }
    }
}

/// Task that passes the light of a distant source through the coarse cells, one plane of cells
/// after the other.
struct Sweep<'a> {
    lit: &'a Lit<'a>,
    /// Direction to the light source, with components in coarse cells.
    toward: V3,
    rate: f32,
    /// Transmittance of the smoke between the source and each coarse cell; 1 before the sweep.
    left: &'a mut [f32],
}

impl Work for Sweep<'_> {
    #[inline(always)]
    fn with<S: Simd>(self, _: S) {
        let Self {
            lit,
            toward,
            rate,
            left,
        } = self;
        let grid = lit.coarse.grid;
        let size = [grid.nx, grid.ny, grid.nz];
        let stride = [1, grid.nx, grid.slab()];
        // Layers lie across the axis nearest to the direction: the ray then passes adjacent cells
        // of the next layer.
        let axis = (0..3)
            .max_by(|a, b| toward[*a].abs().total_cmp(&toward[*b].abs()))
            .unwrap_or(1);
        let [b, c] = [[1, 2], [0, 2], [0, 1]][axis];
        let steep = toward[axis].abs().max(1e-6);
        let aside = [toward[b] / steep, toward[c] / steep];
        let whole = rate / steep;
        // Transmittance averaged over the air cells, not transmittance of their mean extinction:
        // the latter would make the surface of dense smoke black.
        let half = 0.5 * whole / lit.coarse.by[axis] as f32;
        let arrives = lit.coarse.mean(lit.absorbed, Asked::Through(half));
        let [u, v] = aside.map(|d| (RIM as isize + d.floor() as isize) as usize);
        let [x, y] = aside.map(|d| d - d.floor());
        let width = size[b] + 2 * RIM;
        let mut before = vec![1.0_f32; width * (size[c] + 2 * RIM)];
        let mut after = before.clone();
        let mut row = ShareRow {
            dense: vec![0.0; size[b]],
            share: vec![0.0; size[b]],
            light: vec![0.0; size[b]],
        };
        let mut untouched = true;
        for k in 0..size[axis] {
            let layer = if toward[axis] > 0.0 {
                size[axis] - 1 - k
            } else {
                k
            };
            let start = |j: usize| layer * stride[axis] + j * stride[c];
            let empty = |j: usize| (0..size[b]).all(|i| lit.dense[start(j) + i * stride[b]] == 0.0);
            if untouched && (0..size[c]).all(empty) {
                continue;
            }
            untouched = false;
            for j in 0..size[c] {
                gather(&lit.dense[start(j)..], stride[b], &mut row.dense);
                gather(&arrives[start(j)..], stride[b], &mut row.share);
                let rows = [
                    &before[(j + v) * width + u..][..=size[b]],
                    &before[(j + v + 1) * width + u..][..=size[b]],
                ];
                row.pass(
                    rows,
                    [x, y],
                    whole,
                    &mut after[(j + RIM) * width + RIM..][..size[b]],
                );
                for (to, arrives) in left[start(j)..]
                    .iter_mut()
                    .step_by(stride[b])
                    .zip(&row.light)
                {
                    *to = *arrives;
                }
            }
            std::mem::swap(&mut before, &mut after);
        }
    }
}

/// Copies every `stride`-th value of `from` to the contiguous row `to`.
#[inline(always)]
fn gather(from: &[f32], stride: usize, to: &mut [f32]) {
    if stride == 1 {
        return to.copy_from_slice(&from[..to.len()]);
    }
    for (to, from) in to.iter_mut().zip(from.iter().step_by(stride)) {
        *to = *from;
    }
}

/// Returns the index of the cell that contains the coordinate `place` (in cells). Negative
/// coordinates give huge indices, which callers treat as outside of the grid.
#[inline(always)]
fn cell(place: f32) -> usize {
    let whole = place as i32;
    (whole - i32::from(place < whole as f32)) as u32 as usize
}

/// Buffers for one row of coarse cells in a sweep.
struct ShareRow {
    dense: Vec<f32>,
    /// Mean over each cell of the fraction of its incident light that arrives inside the cell.
    share: Vec<f32>,
    /// Light that arrives in each cell, relative to the source.
    light: Vec<f32>,
}

impl ShareRow {
    /// Passes light through a row of cells: interpolates the incident light between the rows `near`
    /// and `far` of the previous plane of cells, at the fractions `x` and `y` (0 to 1), and writes
    /// the light that leaves the cells to `after`. `whole`: length of the path through a cell in
    /// cells of the simulation, times the factor on the extinction.
    #[inline(always)]
    fn pass(&mut self, [near, far]: [&[f32]; 2], [x, y]: [f32; 2], whole: f32, after: &mut [f32]) {
        // Slices of equal length: the compiler then vectorises the loop.
        let n = after.len();
        let (light, dense, share) = (&mut self.light[..n], &self.dense[..n], &self.share[..n]);
        let (a, b, c, d) = (&near[..n], &near[1..=n], &far[..n], &far[1..=n]);
        for i in 0..n {
            let falls =
                (a[i] * (1.0 - x) + b[i] * x) * (1.0 - y) + (c[i] * (1.0 - x) + d[i] * x) * y;
            light[i] = falls * share[i];
            after[i] = falls * faded(whole * dense[i]);
        }
    }
}

/// Neighbouring glowing patches of lava, and a single patch with the sum of their light that
/// replaces them for distant points.
struct Cluster {
    whole: Patch,
    patches: Vec<Patch>,
}

/// Edge length in cells of the square whose glowing patches form a cluster. Points farther away
/// than twice this length are lit by the cluster's sum.
const SQUARE: f32 = 16.0;

fn clusters(patches: &[Patch]) -> Vec<Cluster> {
    let mut squares: BTreeMap<[i32; 2], Vec<Patch>> = BTreeMap::new();
    for patch in patches {
        let square = [patch.place.x, patch.place.z].map(|place| (place / SQUARE).floor() as i32);
        squares.entry(square).or_default().push(*patch);
    }
    let merged = |patches: Vec<Patch>| {
        let glow = patches.iter().map(|patch| patch.glow).sum::<f32>();
        let place = patches
            .iter()
            .map(|patch| patch.place * patch.glow)
            .sum::<V3>()
            / glow.max(1e-12);
        Cluster {
            whole: Patch { place, glow },
            patches,
        }
    };
    squares.into_values().map(merged).collect()
}
