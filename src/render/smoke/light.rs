//! The light that reaches each cell of smoke: of a distant source, and of the lava below.

use std::collections::BTreeMap;

use super::DETOURS;
use super::absorbed::Absorbed;
use super::coarse::Coarse;
use crate::grid::Grid;
use crate::parallel::*;
use crate::render::ember::Patch;
use crate::render::math::{V3, v3};
use crate::render::plume::faded;

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
}

impl Lit<'_> {
    /// The share of the light from a direction that is left in each cell, when it loses `rate` of what smoke absorbs.
    pub(super) fn left_along(&self, toward: V3, rate: f32) -> Vec<f32> {
        let grid = self.coarse.grid;
        let size = [grid.nx, grid.ny, grid.nz];
        let stride = [1, grid.nx, grid.slab()];
        let toward = toward.component_div(&self.edges);
        // Layers lie across the axis nearest to the direction, so that a layer's neighbours are those that the ray passes.
        let axis = (0..3).max_by(|a, b| toward[*a].abs().total_cmp(&toward[*b].abs())).unwrap_or(1);
        let [b, c] = [[1, 2], [0, 2], [0, 1]][axis];
        let steep = toward[axis].abs().max(1e-6);
        let aside = [toward[b] / steep, toward[c] / steep];
        let whole = rate / steep;
        // What arrives in the cells of the air, not in the mean of them: the surface of dense smoke would be black.
        let half = 0.5 * whole / self.coarse.by[axis] as f32;
        let arrives = self.coarse.mean(self.absorbed, 1.0, |dense| faded(half * dense));
        let [u, v] = aside.map(|d| (RIM as isize + d.floor() as isize) as usize);
        let [x, y] = aside.map(|d| d - d.floor());
        let mut lit = vec![1.0_f32; self.dense.len()];
        let width = size[b] + 2 * RIM;
        let mut before = vec![1.0_f32; width * (size[c] + 2 * RIM)];
        let mut after = before.clone();
        let mut row = Row { dense: vec![0.0; size[b]], share: vec![0.0; size[b]], light: vec![0.0; size[b]] };
        let mut untouched = true;
        for k in 0..size[axis] {
            let layer = if toward[axis] > 0.0 { size[axis] - 1 - k } else { k };
            let start = |j: usize| layer * stride[axis] + j * stride[c];
            let empty = |j: usize| (0..size[b]).all(|i| self.dense[start(j) + i * stride[b]] == 0.0);
            if untouched && (0..size[c]).all(empty) {
                continue;
            }
            untouched = false;
            for j in 0..size[c] {
                let of = |cells: &[f32], to: &mut [f32]| {
                    to.iter_mut().zip(cells[start(j)..].iter().step_by(stride[b])).for_each(|(to, cell)| *to = *cell);
                };
                of(self.dense, &mut row.dense);
                of(&arrives, &mut row.share);
                let rows = [v, v + 1].map(|v| &before[(j + v) * width + u..][..=size[b]]);
                let after = &mut after[(j + RIM) * width + RIM..][..size[b]];
                row.pass(rows, [x, y], whole, after);
                let to = lit[start(j)..].iter_mut().step_by(stride[b]);
                to.zip(&row.light).for_each(|(to, arrives)| *to = *arrives);
            }
            std::mem::swap(&mut before, &mut after);
        }
        lit
    }

    /// Whether light matters in each cell: there is smoke in it or beside it.
    fn wanted(&self) -> Vec<bool> {
        let grid = self.coarse.grid;
        let size = [grid.nx, grid.ny, grid.nz];
        let stride = [1, grid.nx, grid.slab()];
        let mut wanted: Vec<bool> = self.dense.iter().map(|dense| *dense > 0.0).collect();
        for axis in 0..3 {
            let from = wanted.clone();
            for (i, wanted) in wanted.iter_mut().enumerate().filter(|(_, wanted)| !**wanted) {
                let place = i / stride[axis] % size[axis];
                *wanted = (place > 0 && from[i - stride[axis]]) || (place + 1 < size[axis] && from[i + stride[axis]]);
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
        lights.par_chunks_mut(grid.nx).zip(wanted.par_chunks(grid.nx)).enumerate().for_each(
            |(row, (lights, wanted))| {
                for (x, (light, _)) in lights.iter_mut().zip(wanted).enumerate().filter(|(_, (_, wanted))| **wanted) {
                    let place = v3(x as f32, (row % grid.ny) as f32, (row / grid.ny) as f32) + V3::repeat(0.5);
                    *light = self.of_clusters(&clusters, self.low + place.component_mul(&self.edges));
                }
            },
        );
        lights
    }

    /// Light of all patches at a point.
    fn of_clusters(&self, clusters: &[Cluster], p: V3) -> f32 {
        let of = |cluster: &Cluster| match (p - cluster.whole.place).norm_squared() > 4.0 * SQUARE * SQUARE {
            true => self.of(&cluster.whole, p),
            false => cluster.patches.iter().map(|patch| self.of(patch, p)).sum(),
        };
        clusters.iter().map(of).sum()
    }

    /// Light of a patch at a point.
    fn of(&self, patch: &Patch, p: V3) -> f32 {
        let away = p - patch.place;
        let squared = away.norm_squared();
        let bare = patch.glow / (squared + PATCH) * (0.25 + (away.y / squared.max(1.0).sqrt()).max(0.0));
        if bare < FAINTEST {
            return 0.0;
        }
        bare * faded(self.between(patch.place, away) * (DETOURS * squared.sqrt() / SAMPLES as f32))
    }

    /// The sum of the absorption at evenly spaced places from a point on a way, of the nearest cells.
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

/// The cell of a place; what lies below 0 is far outside as an unsigned number.
#[inline(always)]
fn cell(place: f32) -> usize {
    place.floor() as i32 as u32 as usize
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
    fn pass(&mut self, before: [&[f32]; 2], [x, y]: [f32; 2], whole: f32, after: &mut [f32]) {
        let cells = self.light.iter_mut().zip(after).zip(self.dense.iter().zip(&self.share));
        for (i, ((light, after), (dense, share))) in cells.enumerate() {
            let near = before[0][i] * (1.0 - x) + before[0][i + 1] * x;
            let far = before[1][i] * (1.0 - x) + before[1][i + 1] * x;
            let falls = near * (1.0 - y) + far * y;
            *light = falls * share;
            *after = falls * faded(whole * dense);
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
