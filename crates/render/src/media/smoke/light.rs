//! The light that reaches each cell of smoke: of a distant source, and of the lava below.

use std::collections::BTreeMap;

use super::DETOURS;
use super::absorbed::Absorbed;
use super::coarse::{Asked, Coarse};
use crate::ground::ember::Patch;
use crate::math::{V3, in_widths, v3};
use crate::media::plume::faded;
use lavoxel_base::grid::Grid;
use lavoxel_base::parallel::*;
use lavoxel_base::simd::{Level, Simd, Work};

/// Radius of a patch of lava in voxels, squared, and the samples between it and a place.
const PATCH: f32 = 6.0;
const SAMPLES: usize = 6;
/// Least light of a patch that counts.
const FAINTEST: f32 = 1e-4;

/// Open air around a layer of cells: light falls in from at most two cells aside.
const RIM: usize = 2;

/// Smoke in the cells of the light.
pub(super) struct Lit<'a> {
    pub(super) coarse: &'a Coarse,
    pub(super) absorbed: &'a Absorbed,
    /// Mean absorption in each.
    pub(super) dense: &'a [f32],
    /// Corner of the air's box in voxels, and the edges of a cell.
    pub(super) low: V3,
    pub(super) edges: V3,
    /// Height of a voxel in its widths.
    pub(super) tall: f32,
}

impl Lit<'_> {
    /// The share of the light from a direction in voxels, of length 1 in widths of one, that is left in each cell, when it loses `rate` of what smoke absorbs.
    pub(super) fn left_along(&self, toward: V3, rate: f32) -> Vec<f32> {
        let mut left = vec![1.0_f32; self.dense.len()];
        Level::fastest().run(Sweep { lit: self, toward: toward.component_div(&self.edges), rate, left: &mut left });
        left
    }

    /// Whether light matters in each cell: there is smoke in it or beside it.
    fn wanted(&self) -> Vec<bool> {
        let grid = self.coarse.grid;
        let mut wanted: Vec<bool> = self.dense.iter().map(|dense| *dense > 0.0).collect();
        // Each axis in turn: lines of cells along it, so many cells apart.
        for (count, stride) in [(grid.nx, 1), (grid.ny, grid.nx), (grid.nz, grid.slab())] {
            let from = wanted.clone();
            for (line, from) in wanted.chunks_mut(count * stride).zip(from.chunks(count * stride)) {
                let (after, before) = (stride.min(line.len()), line.len() - stride.min(line.len()));
                line[after..].iter_mut().zip(&from[..before]).for_each(|(wanted, from)| *wanted |= from);
                line[..before].iter_mut().zip(&from[after..]).for_each(|(wanted, from)| *wanted |= from);
            }
        }
        wanted
    }

    /// The light of the lava in each cell with smoke in it or beside it.
    pub(super) fn of_lava(&self, patches: &[Patch]) -> Vec<f32> {
        let grid = self.coarse.grid;
        let mut lights = vec![0.0; grid.cells()];
        if patches.is_empty() {
            return lights;
        }
        let (clusters, wanted) = (clusters(patches), self.wanted());
        let rows = lights.par_chunks_mut(grid.nx).zip(wanted.par_chunks(grid.nx)).enumerate();
        rows.for_each(|(row, (lights, wanted))| {
            if wanted.contains(&true) {
                Level::fastest().run(FromLava { lit: self, clusters: &clusters, row, lights, wanted });
            }
        });
        lights
    }

    /// Light of all patches at a point.
    #[inline(always)]
    fn of_clusters(&self, clusters: &[Cluster], p: V3) -> f32 {
        let mut light = 0.0;
        for cluster in clusters {
            if in_widths(p - cluster.whole.place, self.tall).norm_squared() > 4.0 * SQUARE * SQUARE {
                light += self.of(&cluster.whole, p);
            } else {
                let mut near = 0.0;
                for patch in &cluster.patches {
                    near += self.of(patch, p);
                }
                light += near;
            }
        }
        light
    }

    /// Light of a patch at a point.
    #[inline(always)]
    fn of(&self, patch: &Patch, p: V3) -> f32 {
        let way = p - patch.place;
        let away = in_widths(way, self.tall);
        let squared = away.norm_squared();
        let bare = patch.glow / (squared + PATCH) * (0.25 + (away.y / squared.max(1.0).sqrt()).max(0.0));
        if bare < FAINTEST {
            return 0.0;
        }
        bare * faded(self.between(patch.place, way) * (DETOURS * squared.sqrt() / SAMPLES as f32))
    }

    /// The sum of the absorption at evenly spaced places from a point on a way, of the nearest cells.
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

/// The light of the lava in a row of cells.
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
        let Self { lit, clusters, row, lights, wanted } = self;
        let ny = lit.coarse.grid.ny;
        for (x, (light, wanted)) in lights.iter_mut().zip(wanted).enumerate() {
            if *wanted {
                let place = v3(x as f32 + 0.5, (row % ny) as f32 + 0.5, (row / ny) as f32 + 0.5);
                *light = lit.of_clusters(clusters, lit.low + place.component_mul(&lit.edges));
            }
        }
    }
}

/// One sweep of light through the cells.
struct Sweep<'a> {
    lit: &'a Lit<'a>,
    /// Where the light comes from, in cells of the light.
    toward: V3,
    rate: f32,
    /// The share that is left in each cell; all of it before the sweep.
    left: &'a mut [f32],
}

impl Work for Sweep<'_> {
    #[inline(always)]
    fn with<S: Simd>(self, _: S) {
        let Self { lit, toward, rate, left } = self;
        let grid = lit.coarse.grid;
        let size = [grid.nx, grid.ny, grid.nz];
        let stride = [1, grid.nx, grid.slab()];
        // Layers lie across the axis nearest to the direction, so that a layer's neighbours are those that the ray passes.
        let axis = (0..3).max_by(|a, b| toward[*a].abs().total_cmp(&toward[*b].abs())).unwrap_or(1);
        let [b, c] = [[1, 2], [0, 2], [0, 1]][axis];
        let steep = toward[axis].abs().max(1e-6);
        let aside = [toward[b] / steep, toward[c] / steep];
        let whole = rate / steep;
        // What arrives in the cells of the air, not in the mean of them: the surface of dense smoke would be black.
        let half = 0.5 * whole / lit.coarse.by[axis] as f32;
        let arrives = lit.coarse.mean(lit.absorbed, Asked::Through(half));
        let [u, v] = aside.map(|d| (RIM as isize + d.floor() as isize) as usize);
        let [x, y] = aside.map(|d| d - d.floor());
        let width = size[b] + 2 * RIM;
        let mut before = vec![1.0_f32; width * (size[c] + 2 * RIM)];
        let mut after = before.clone();
        let mut row = Row { dense: vec![0.0; size[b]], share: vec![0.0; size[b]], light: vec![0.0; size[b]] };
        let mut untouched = true;
        for k in 0..size[axis] {
            let layer = if toward[axis] > 0.0 { size[axis] - 1 - k } else { k };
            let start = |j: usize| layer * stride[axis] + j * stride[c];
            let empty = |j: usize| (0..size[b]).all(|i| lit.dense[start(j) + i * stride[b]] == 0.0);
            if untouched && (0..size[c]).all(empty) {
                continue;
            }
            untouched = false;
            for j in 0..size[c] {
                gather(&lit.dense[start(j)..], stride[b], &mut row.dense);
                gather(&arrives[start(j)..], stride[b], &mut row.share);
                let rows = [&before[(j + v) * width + u..][..=size[b]], &before[(j + v + 1) * width + u..][..=size[b]]];
                row.pass(rows, [x, y], whole, &mut after[(j + RIM) * width + RIM..][..size[b]]);
                for (to, arrives) in left[start(j)..].iter_mut().step_by(stride[b]).zip(&row.light) {
                    *to = *arrives;
                }
            }
            std::mem::swap(&mut before, &mut after);
        }
    }
}

/// Values that lie so far apart, in a row.
#[inline(always)]
fn gather(from: &[f32], stride: usize, to: &mut [f32]) {
    if stride == 1 {
        return to.copy_from_slice(&from[..to.len()]);
    }
    for (to, from) in to.iter_mut().zip(from.iter().step_by(stride)) {
        *to = *from;
    }
}

/// The cell of a place; what lies below 0 is far outside as an unsigned number.
#[inline(always)]
fn cell(place: f32) -> usize {
    let whole = place as i32;
    (whole - i32::from(place < whole as f32)) as u32 as usize
}

/// A row of cells in a layer.
struct Row {
    dense: Vec<f32>,
    /// Share of the light on a cell that arrives in it.
    share: Vec<f32>,
    /// Light that arrives.
    light: Vec<f32>,
}

impl Row {
    /// Lets light pass from a place between the rows `before` of the layer before; `after` is what goes on.
    #[inline(always)]
    fn pass(&mut self, [near, far]: [&[f32]; 2], [x, y]: [f32; 2], whole: f32, after: &mut [f32]) {
        // Slices of one length: the compiler then takes many cells at a time.
        let n = after.len();
        let (light, dense, share) = (&mut self.light[..n], &self.dense[..n], &self.share[..n]);
        let (a, b, c, d) = (&near[..n], &near[1..=n], &far[..n], &far[1..=n]);
        for i in 0..n {
            let falls = (a[i] * (1.0 - x) + b[i] * x) * (1.0 - y) + (c[i] * (1.0 - x) + d[i] * x) * y;
            light[i] = falls * share[i];
            after[i] = falls * faded(whole * dense[i]);
        }
    }
}

/// Neighbouring patches, and all of them as one for what is far away.
struct Cluster {
    whole: Patch,
    patches: Vec<Patch>,
}

/// Voxels along the edge of a square of patches that are one for what is farther away than twice as much.
const SQUARE: f32 = 16.0;

fn clusters(patches: &[Patch]) -> Vec<Cluster> {
    let mut squares: BTreeMap<[i32; 2], Vec<Patch>> = BTreeMap::new();
    for patch in patches {
        let square = [patch.place.x, patch.place.z].map(|place| (place / SQUARE).floor() as i32);
        squares.entry(square).or_default().push(*patch);
    }
    let merged = |patches: Vec<Patch>| {
        let glow = patches.iter().map(|patch| patch.glow).sum::<f32>();
        let place = patches.iter().map(|patch| patch.place * patch.glow).sum::<V3>() / glow.max(1e-12);
        Cluster { whole: Patch { place, glow }, patches }
    };
    squares.into_values().map(merged).collect()
}
