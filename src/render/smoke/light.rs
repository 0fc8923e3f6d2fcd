//! The light that reaches each cell of smoke: of a distant source, and of the lava below.

use super::DETOURS;
use crate::grid::{Grid, Place};
use crate::parallel::*;
use crate::render::ember::Patch;
use crate::render::math::{V3, v3};

/// Radius of a patch of lava in voxels, squared, and the samples between it and a place.
const PATCH: f32 = 6.0;
const SAMPLES: usize = 6;
/// Air cells along the edge of one of the light volume of the lava.
const COARSE: usize = 2;

/// What a length of smoke lets through; most of the box holds none.
#[inline(always)]
fn left(exponent: f32) -> f32 {
    if exponent > 0.0 { (-exponent).exp() } else { 1.0 }
}

/// The share of the light from a direction that is left in each cell.
pub(super) fn left_along(dense: &[f32], grid: Grid, toward: V3, edge: f32) -> Vec<f32> {
    let size = [grid.nx, grid.ny, grid.nz];
    let stride = [1, grid.nx, grid.slab()];
    // Layers lie across the axis nearest to the direction, so that a layer's neighbours are those that the ray passes.
    let axis = (0..3).max_by(|a, b| toward[*a].abs().total_cmp(&toward[*b].abs())).unwrap_or(1);
    let [b, c] = [(axis + 1) % 3, (axis + 2) % 3];
    let steep = toward[axis].abs().max(1e-3);
    let aside = [toward[b] / steep, toward[c] / steep];
    let half = 0.5 * edge * (1.0 + aside[0] * aside[0] + aside[1] * aside[1]).sqrt();
    let [whole, share] = [aside.map(f32::floor), aside.map(|d| d - d.floor())];
    let mut lit = vec![1.0_f32; dense.len()];
    let mut before = vec![1.0_f32; size[b] * size[c]];
    let mut after = before.clone();
    let mut untouched = true;
    for k in 0..size[axis] {
        let layer = if toward[axis] > 0.0 { size[axis] - 1 - k } else { k };
        let start = layer * stride[axis];
        let line = |j: usize| (0..size[b]).map(move |i| start + j * stride[c] + i * stride[b]);
        if untouched && (0..size[c]).all(|j| line(j).all(|i| dense[i] == 0.0)) {
            continue;
        }
        untouched = false;
        let at = |i: isize, j: isize| {
            let inside = i >= 0 && j >= 0 && i < size[b] as isize && j < size[c] as isize;
            if inside { before[j as usize * size[b] + i as usize] } else { 1.0 }
        };
        for j in 0..size[c] {
            for (i, here) in line(j).enumerate() {
                let (u, v) = (i as isize + whole[0] as isize, j as isize + whole[1] as isize);
                let near = at(u, v) * (1.0 - share[0]) + at(u + 1, v) * share[0];
                let far = at(u, v + 1) * (1.0 - share[0]) + at(u + 1, v + 1) * share[0];
                let through = left(half * dense[here]);
                lit[here] = (near * (1.0 - share[1]) + far * share[1]) * through;
                after[j * size[b] + i] = lit[here] * through;
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

/// The light of the lava in each cell, computed for blocks of cells near smoke.
pub(super) fn lava_light(lit: &Lit, patches: &[Patch]) -> Vec<f32> {
    let grid = lit.grid;
    if patches.is_empty() {
        return vec![0.0; grid.cells()];
    }
    let coarse = Grid::new(grid.nx.div_ceil(COARSE), grid.ny.div_ceil(COARSE), grid.nz.div_ceil(COARSE));
    let holds = |[x, y, z]: Place| {
        let part = |n: usize, of: usize| (n * COARSE).saturating_sub(1)..((n + 1) * COARSE + 1).min(of);
        part(z, grid.nz)
            .any(|k| part(y, grid.ny).any(|j| part(x, grid.nx).any(|i| lit.dense[grid.index([i, j, k])] > 0.0)))
    };
    let places: Vec<Place> = coarse.places().collect();
    let middle = |n: usize| (n as f32 + 0.5) * COARSE as f32 * lit.edge;
    let light = |place: &Place| {
        if !holds(*place) {
            return 0.0;
        }
        let p = lit.low + v3(middle(place[0]), middle(place[1]), middle(place[2]));
        patches.iter().map(|patch| lit.of(patch, p)).sum::<f32>()
    };
    let lights: Vec<f32> = places.par_iter().map(light).collect();
    let between = |n: usize, count: usize| {
        let place = ((n as f32 + 0.5) / COARSE as f32 - 0.5).clamp(0.0, count as f32 - 1.0);
        (place as usize, (place as usize + 1).min(count - 1), place.fract())
    };
    let fine = |[x, y, z]: Place| {
        if lit.dense[grid.index([x, y, z])] <= 0.0 {
            return 0.0;
        }
        let (i, i1, u) = between(x, coarse.nx);
        let (j, j1, v) = between(y, coarse.ny);
        let (k, k1, w) = between(z, coarse.nz);
        let row = |j: usize, k: usize| {
            let (a, b) = (lights[coarse.index([i, j, k])], lights[coarse.index([i1, j, k])]);
            a + (b - a) * u
        };
        let sheet = |k: usize| row(j, k) + (row(j1, k) - row(j, k)) * v;
        sheet(k) + (sheet(k1) - sheet(k)) * w
    };
    grid.places().map(fine).collect()
}
