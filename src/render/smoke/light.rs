//! The light that reaches each cell of smoke: of a distant source, and of the lava below.

use std::collections::BTreeMap;

use super::DETOURS;
use crate::grid::{Grid, Place};
use crate::parallel::*;
use crate::render::ember::Patch;
use crate::render::math::{V3, v3};
use crate::render::plume::faded;

/// Radius of a patch of lava in voxels, squared, and the samples between it and a place.
const PATCH: f32 = 6.0;
const SAMPLES: usize = 6;
/// Air cells along the edge of one of the light volume of the lava.
const COARSE: usize = 2;

/// What a length of smoke lets through; most of the box holds none.
#[inline(always)]
fn left(exponent: f32) -> f32 {
    if exponent > 0.0 { faded(exponent) } else { 1.0 }
}

/// Open air around a layer of cells: light falls in from at most two cells aside.
const RIM: usize = 2;

/// The share of the light from a direction that is left in each cell.
pub(super) fn left_along(dense: &[f32], grid: Grid, toward: V3, edge: f32) -> Vec<f32> {
    let size = [grid.nx, grid.ny, grid.nz];
    let stride = [1, grid.nx, grid.slab()];
    // Layers lie across the axis nearest to the direction, so that a layer's neighbours are those that the ray passes.
    let axis = (0..3).max_by(|a, b| toward[*a].abs().total_cmp(&toward[*b].abs())).unwrap_or(1);
    let [b, c] = [[1, 2], [0, 2], [0, 1]][axis];
    let steep = toward[axis].abs().max(1e-3);
    let aside = [toward[b] / steep, toward[c] / steep];
    let half = 0.5 * edge * (1.0 + aside[0] * aside[0] + aside[1] * aside[1]).sqrt();
    let [u, v] = aside.map(|d| (RIM as isize + d.floor() as isize) as usize);
    let [x, y] = aside.map(|d| d - d.floor());
    let mut lit = vec![1.0_f32; dense.len()];
    let width = size[b] + 2 * RIM;
    let mut before = vec![1.0_f32; width * (size[c] + 2 * RIM)];
    let mut after = before.clone();
    let mut untouched = true;
    for k in 0..size[axis] {
        let layer = if toward[axis] > 0.0 { size[axis] - 1 - k } else { k };
        let start = |j: usize| layer * stride[axis] + j * stride[c];
        if untouched && (0..size[c]).all(|j| (0..size[b]).all(|i| dense[start(j) + i * stride[b]] == 0.0)) {
            continue;
        }
        untouched = false;
        for j in 0..size[c] {
            let rows = [v, v + 1].map(|v| &before[(j + v) * width + u..][..=size[b]]);
            let after = &mut after[(j + RIM) * width + RIM..][..size[b]];
            let mut here = start(j);
            for (i, after) in after.iter_mut().enumerate() {
                let near = rows[0][i] * (1.0 - x) + rows[0][i + 1] * x;
                let far = rows[1][i] * (1.0 - x) + rows[1][i + 1] * x;
                let through = left(half * dense[here]);
                let arrives = (near * (1.0 - y) + far * y) * through;
                lit[here] = arrives;
                *after = arrives * through;
                here += stride[b];
            }
        }
        std::mem::swap(&mut before, &mut after);
    }
    lit
}

/// Smoke that lava lights.
pub(super) struct Lit<'a> {
    pub(super) dense: &'a [f32],
    pub(super) grid: Grid,
    pub(super) low: V3,
    pub(super) edge: f32,
}

impl Lit<'_> {
    /// Absorption at a point, of the nearest cell.
    fn at(&self, p: V3) -> f32 {
        let q = (p - self.low) / self.edge;
        let inside = |n: usize, v: f32| (0.0..n as f32).contains(&v);
        if !(inside(self.grid.nx, q.x) && inside(self.grid.ny, q.y) && inside(self.grid.nz, q.z)) {
            return 0.0;
        }
        self.dense[self.grid.index([q.x as usize, q.y as usize, q.z as usize])]
    }

    /// Light of a patch at a point.
    fn of(&self, patch: &Patch, p: V3) -> f32 {
        let away = p - patch.place;
        let squared = away.norm_squared();
        let bare = patch.glow / (squared + PATCH) * (0.25 + (away.y / squared.max(1.0).sqrt()).max(0.0));
        if bare < 1e-4 {
            return 0.0;
        }
        let between = (0..SAMPLES).map(|i| self.at(patch.place + away * ((i as f32 + 0.5) / SAMPLES as f32)));
        let depth = between.sum::<f32>() * (DETOURS * squared.sqrt() / SAMPLES as f32);
        bare * left(depth)
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

/// The light of the lava in each cell, computed for blocks of cells near smoke.
pub(super) fn lava_light(lit: &Lit, patches: &[Patch]) -> Vec<f32> {
    let grid = lit.grid;
    if patches.is_empty() {
        return vec![0.0; grid.cells()];
    }
    let clusters = clusters(patches);
    let coarse = Grid::new(grid.nx.div_ceil(COARSE), grid.ny.div_ceil(COARSE), grid.nz.div_ceil(COARSE));
    let holds = |[x, y, z]: Place| {
        let part = |n: usize, of: usize| (n * COARSE).saturating_sub(1)..((n + 1) * COARSE + 1).min(of);
        let (along, rows) = (part(x, grid.nx), part(y, grid.ny));
        part(z, grid.nz).any(|k| {
            rows.clone().any(|j| lit.dense[grid.index([0, j, k])..][along.clone()].iter().any(|dense| *dense > 0.0))
        })
    };
    let places: Vec<Place> = coarse.places().collect();
    let middle = |n: usize| (n as f32 + 0.5) * COARSE as f32 * lit.edge;
    let light = |place: &Place| {
        if !holds(*place) {
            return 0.0;
        }
        let p = lit.low + v3(middle(place[0]), middle(place[1]), middle(place[2]));
        let of = |cluster: &Cluster| match (p - cluster.whole.place).norm_squared() > 4.0 * SQUARE * SQUARE {
            true => lit.of(&cluster.whole, p),
            false => cluster.patches.iter().map(|patch| lit.of(patch, p)).sum(),
        };
        clusters.iter().map(of).sum::<f32>()
    };
    let lights: Vec<f32> = places.par_iter().map(light).collect();
    let between = |n: usize, count: usize| {
        let place = ((n as f32 + 0.5) / COARSE as f32 - 0.5).clamp(0.0, count as f32 - 1.0);
        (place as usize, (place as usize + 1).min(count - 1), place.fract())
    };
    let across: Vec<_> = (0..grid.nx).map(|x| between(x, coarse.nx)).collect();
    let mut fine = vec![0.0; grid.cells()];
    fine.par_chunks_mut(grid.nx).zip(lit.dense.par_chunks(grid.nx)).enumerate().for_each(|(row, (fine, dense))| {
        let (j, j1, v) = between(row % grid.ny, coarse.ny);
        let (k, k1, w) = between(row / grid.ny, coarse.nz);
        let rows = [[j, k], [j1, k], [j, k1], [j1, k1]].map(|[j, k]| &lights[coarse.index([0, j, k])..][..coarse.nx]);
        let held = fine.iter_mut().zip(dense).zip(&across).filter(|((_, dense), _)| **dense > 0.0);
        for ((fine, _), &(i, i1, u)) in held {
            let at = |n: usize| rows[n][i] + (rows[n][i1] - rows[n][i]) * u;
            let (near, far) = (at(0) + (at(1) - at(0)) * v, at(2) + (at(3) - at(2)) * v);
            *fine = near + (far - near) * w;
        }
    });
    fine
}
