//! Baking again only the part of a land whose ground changed.
//!
//! Every map is a function of the heights within some cells, so a patch makes the same numbers as a new bake. Two things reach
//! far: shadows, which are traced again in the swath that the changed ground can darken, and rills, each of which has a record
//! of the columns that it read.

use std::ops::{Range, RangeInclusive};

use crate::parallel::*;
use ndarray::Array2;

use super::light::{disc, open_sky, sun};
use super::surface::{albedo, height, rill, rill_length};
use super::{Altitudes, TerrainLook, grained, plain, rise};
use crate::render::heightfield::Caves;
use crate::render::math::{V3, v3};
use crate::render::raster::Raster;
use crate::render::sky::Sky;
use crate::render::transfer::lamp;
use crate::view::LookSpec;

/// Cells around a changed column whose smooth height or steepness it changes.
const HEIGHTS: usize = 2;
/// Cells from changed relief to the end of what its slope changes.
const SLOPES: usize = 2;
/// Cells from changed relief to the last node whose sky it may cover.
const SKY: usize = 9;
/// Cells from a changed column to the last whose smoothed slope it changes.
const SMOOTHED: usize = 5;
/// A patch of more than one in so many columns takes as long as a new bake.
const LARGEST: usize = 24;

/// What [`TerrainLook::patch`] did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Patched {
    /// The heights are those that were baked.
    Nothing,
    /// Some maps changed in a part.
    Part,
    /// Too many heights changed: a new bake takes no longer.
    TooMuch,
}

impl TerrainLook {
    /// Bakes again what the difference between the baked heights and those of `ground` changes.
    ///
    /// Panics when the shape of `ground` is not that of the baked one.
    pub(crate) fn patch(&mut self, ground: &Array2<f32>, caves: Caves, look: &LookSpec) -> Patched {
        assert_eq!(ground.dim(), (self.coarse.depth, self.coarse.width), "the ground keeps its shape");
        let changed = Mask::of_difference(&self.coarse, ground);
        let hollow = Mask::of_columns(&self.coarse, &self.block.caves.differing(&caves));
        if changed.is_empty() && hollow.is_empty() {
            return Patched::Nothing;
        }
        let roof = self.block.caves.roof().max(caves.roof());
        self.block.caves = caves;
        if changed.count() * LARGEST > ground.len() {
            return Patched::TooMuch;
        }
        for (x, z) in changed.columns() {
            self.coarse.data[z * self.coarse.width + x] = ground[[z, x]];
        }
        let mut relief = changed.grown(HEIGHTS);
        relief.add(&hollow);
        relief.add(&self.patch_rills(&changed));
        let old = self.highest(&relief);
        self.patch_relief(&relief);
        let near = relief.grown(SLOPES);
        self.patch_colour(&near);
        self.patch_light(&near, &relief, old.max(roof).max(self.highest(&relief)), &Sky::new(look));
        self.patch_slope(&changed);
        Patched::Part
    }

    /// The highest node in these columns.
    fn highest(&self, mask: &Mask) -> f32 {
        let heights = &self.block.heights;
        let nodes = Nodes::of(heights, mask);
        nodes
            .rows
            .map(|j| heights.data[j * heights.width..][nodes.across.clone()].iter().copied().fold(f32::MIN, f32::max))
            .fold(f32::MIN, f32::max)
    }

    /// Washes again the rills that read changed columns, and gives the columns around those that changed.
    fn patch_rills(&mut self, changed: &Mask) -> Mask {
        let Self { coarse, seeds, rills, unit, .. } = self;
        let (near, counts) = (changed.grown(rill_length(*unit)), Counts::of(changed));
        let old = rills.data.clone();
        refill(rills, &near, |k, x, z| match counts.has_any(old[k].columns(*unit, (x, z))) {
            true => rill(seeds, coarse, *unit, (x, z)),
            false => old[k],
        });
        let mut around = Mask::none(changed.nx, changed.nz);
        let nodes = Nodes::of(rills, &near);
        for (j, i) in nodes.rows.clone().flat_map(|j| nodes.across.clone().map(move |i| (j, i))) {
            let k = j * rills.width + i;
            if rills.data[k].value != old[k].value {
                nodes
                    .cells(j, changed.nz)
                    .for_each(|z| nodes.cells(i, changed.nx).for_each(|x| around.mark(x..x + 1, z)));
            }
        }
        around
    }

    fn patch_relief(&mut self, relief: &Mask) {
        let Self { coarse, rills, block, unit, .. } = self;
        refill(&mut block.heights, relief, |k, x, z| height(coarse, rills.data[k].value, *unit, (x, z)));
        let Nodes { rows, across, .. } = Nodes::of(&block.heights, relief);
        block.refresh(across, rows);
    }

    fn patch_colour(&mut self, near: &Mask) {
        let Self { block, rills, unit, .. } = self;
        let scale = Altitudes::of(block, self.scale.side);
        let heights = &block.heights.data;
        let color = |k: usize, x: f32, z: f32| albedo(&scale.place(block, rills.data[k].value, *unit, (x, z)));
        if scale == self.scale {
            refill(&mut self.albedo, near, color);
        } else {
            // Another summit or lowest point: the colours of all altitudes move.
            let all = Mask::all(self.coarse.width, self.coarse.depth);
            refill(&mut self.albedo, &all, color);
            self.scale = scale;
        }
        refill(&mut self.normal, near, |k, x, z| grained(block, *unit, [x, heights[k], z]));
    }

    /// `near` are the columns with other slopes, `relief` those with other heights, none of them above `highest`.
    fn patch_light(&mut self, near: &Mask, relief: &Mask, highest: f32, sky: &Sky) {
        let Self { block, sun: hard, soft, light, .. } = self;
        let heights = &block.heights.data;
        let mut shaded = relief.shadow(sky.sun, highest - self.scale.lowest);
        shaded.add(near);
        refill(hard, &shaded, |k, x, z| sun(block, sky.sun, [x, heights[k], z]));
        let nodes = Nodes::of(hard, &shaded);
        hard.blur_part(disc(hard.per_cell), (nodes.across, nodes.rows), soft);
        // The blur reaches three times its radius, which is less than a cell.
        let mut lit = shaded.grown(1);
        lit.add(&relief.grown(SKY));
        refill(light, &lit, |k, x, z| nalgebra::Vector2::new(open_sky(block, v3(x, heights[k], z)), soft.at(x, z)));
        let lamp = lamp();
        refill(&mut self.plain, &lit, |k, x, z| plain(block, &lamp, light.data[k], (x, z)));
    }

    fn patch_slope(&mut self, changed: &Mask) {
        let near = changed.grown(SMOOTHED);
        self.coarse.blur_part(1, (near.xs.clone(), near.zs.clone()), &mut self.gentle);
        let gentle = &self.gentle;
        refill(&mut self.slope, &near, |_, x, z| rise(gentle, (x, z)));
    }
}

/// Some columns of a box.
#[derive(Clone, Debug)]
struct Mask {
    nx: usize,
    nz: usize,
    marked: Vec<bool>,
    /// Columns along x and z outside of which none is marked.
    xs: Range<usize>,
    zs: Range<usize>,
}

impl Mask {
    fn none(nx: usize, nz: usize) -> Self {
        Self { nx, nz, marked: vec![false; nx * nz], xs: nx..0, zs: nz..0 }
    }

    fn all(nx: usize, nz: usize) -> Self {
        Self { nx, nz, marked: vec![true; nx * nz], xs: 0..nx, zs: 0..nz }
    }

    /// The columns that have another height in `ground` than in `baked`.
    fn of_difference(baked: &Raster<f32>, ground: &Array2<f32>) -> Self {
        let mut mask = Self::none(baked.width, baked.depth);
        for (z, (old, new)) in baked.data.chunks(baked.width).zip(ground.rows()).enumerate() {
            for (x, _) in old.iter().zip(new).enumerate().filter(|(_, (old, new))| old != new) {
                mask.mark(x..x + 1, z);
            }
        }
        mask
    }

    fn of_columns(map: &Raster<f32>, columns: &[(usize, usize)]) -> Self {
        let mut mask = Self::none(map.width, map.depth);
        columns.iter().for_each(|&(x, z)| mask.mark(x..x + 1, z));
        mask
    }

    fn mark(&mut self, xs: Range<usize>, z: usize) {
        if !xs.is_empty() {
            self.marked[z * self.nx..][xs.clone()].fill(true);
            self.xs = self.xs.start.min(xs.start)..self.xs.end.max(xs.end);
            self.zs = self.zs.start.min(z)..self.zs.end.max(z + 1);
        }
    }

    fn is_empty(&self) -> bool {
        self.xs.is_empty()
    }

    fn count(&self) -> usize {
        self.marked.iter().filter(|&&marked| marked).count()
    }

    /// The marked columns as (x, z).
    fn columns(&self) -> impl Iterator<Item = (usize, usize)> {
        let row = |z: usize| self.xs.clone().map(move |x| (x, z)).filter(|&(x, z)| self.marked[z * self.nx + x]);
        self.zs.clone().flat_map(row)
    }

    /// Marked columns in a row of one z, as ranges along x, with that z.
    fn runs(&self) -> impl Iterator<Item = (Range<usize>, usize)> {
        self.zs.clone().flat_map(move |z| {
            let row = &self.marked[z * self.nx..][..self.xs.end];
            let mut x = self.xs.start;
            std::iter::from_fn(move || {
                let from = x + row.get(x..)?.iter().position(|&marked| marked)?;
                x = from + row[from..].iter().position(|&marked| !marked).unwrap_or(row.len() - from);
                Some((from..x, z))
            })
        })
    }

    /// The columns at most `by` columns away from a marked one along each axis.
    fn grown(&self, by: usize) -> Self {
        let mut grown = Self::none(self.nx, self.nz);
        for (xs, z) in self.runs() {
            let xs = xs.start.saturating_sub(by)..(xs.end + by).min(self.nx);
            (z.saturating_sub(by)..(z + by + 1).min(self.nz)).for_each(|z| grown.mark(xs.clone(), z));
        }
        grown
    }

    /// Marks the columns of another mask too.
    fn add(&mut self, other: &Self) {
        other.runs().for_each(|(xs, z)| self.mark(xs, z));
    }

    /// The columns in which a thing of this height over marked columns may hide the sun, and those next to them.
    fn shadow(&self, sun: V3, height: f32) -> Self {
        const STRIDE: f32 = 0.5;
        let mut shadow = Self::none(self.nx, self.nz);
        let across = sun.x.hypot(sun.z);
        let farthest = (self.nx as f32).hypot(self.nz as f32);
        let length = if sun.y > 1e-3 { (height.max(0.0) * across / sun.y).min(farthest) } else { farthest };
        let away = if across > 1e-6 { [-sun.x / across, -sun.z / across] } else { [0.0; 2] };
        let clip = |low: f32, high: f32, n: usize| low.max(0.0) as usize..(high.max(0.0) as usize).min(n);
        for (xs, z) in self.runs() {
            for stride in 0..=(length / STRIDE) as usize + 1 {
                let [dx, dz] = away.map(|step| step * STRIDE * stride as f32);
                let along = clip(xs.start as f32 + dx - 1.0, xs.end as f32 + dx + 2.0, self.nx);
                let rows = clip(z as f32 + dz - 1.0, z as f32 + dz + 3.0, self.nz);
                rows.for_each(|z| shadow.mark(along.clone(), z));
            }
        }
        shadow
    }
}

/// The samples of a map that a mask covers: those at the columns' centres, or the nodes in and around them.
struct Nodes<'a> {
    mask: &'a Mask,
    /// Nodes to a cell; `None` for a map of column centres.
    per_cell: Option<usize>,
    across: Range<usize>,
    rows: Range<usize>,
}

impl<'a> Nodes<'a> {
    fn of<T>(map: &Raster<T>, mask: &'a Mask) -> Self {
        let per_cell = (map.origin == 0.0).then_some(map.per_cell as usize);
        let samples = |cells: &Range<usize>| match per_cell {
            Some(n) if !cells.is_empty() => cells.start * n..cells.end * n + 1,
            _ => cells.clone(),
        };
        Self { mask, per_cell, across: samples(&mask.xs), rows: samples(&mask.zs) }
    }

    /// The one or two cells, of `n`, that the sample `k` along an axis touches.
    fn cells(&self, k: usize, n: usize) -> RangeInclusive<usize> {
        match self.per_cell {
            Some(per_cell) => k.saturating_sub(1) / per_cell..=(k / per_cell).min(n - 1),
            None => k..=k,
        }
    }

    /// Whether one of the cells around the sample (i, j) is marked.
    fn has(&self, i: usize, j: usize) -> bool {
        let Mask { nx, nz, marked, .. } = self.mask;
        self.cells(j, *nz).any(|z| self.cells(i, *nx).any(|x| marked[z * nx + x]))
    }
}

/// Sums over a mask from one corner, which tell at once whether a rectangle has marked columns.
struct Counts {
    xs: Range<usize>,
    zs: Range<usize>,
    /// For each corner of the columns `xs` × `zs`, the marked ones north-west of it.
    sums: Vec<u32>,
    sides: [usize; 2],
}

impl Counts {
    fn of(mask: &Mask) -> Self {
        let (xs, zs, width) = (mask.xs.clone(), mask.zs.clone(), mask.xs.len() + 1);
        let mut sums = vec![0; width * (zs.len() + 1)];
        for (j, z) in zs.clone().enumerate() {
            let mut row = 0;
            for (i, x) in xs.clone().enumerate() {
                row += u32::from(mask.marked[z * mask.nx + x]);
                sums[(j + 1) * width + i + 1] = sums[j * width + i + 1] + row;
            }
        }
        Self { xs, zs, sums, sides: [mask.nx, mask.nz] }
    }

    /// Whether one of the columns that a rectangle, in cells, touches is marked.
    fn has_any(&self, [along_x, along_z]: [[f32; 2]; 2]) -> bool {
        let clip = |[low, high]: [f32; 2], marked: &Range<usize>, n: usize| {
            let cell = |v: f32| (v.max(0.0) as usize).min(n - 1);
            let inside = |k: usize| k.clamp(marked.start, marked.end) - marked.start;
            inside(cell(low))..inside(cell(high) + 1)
        };
        let (xs, zs) = (clip(along_x, &self.xs, self.sides[0]), clip(along_z, &self.zs, self.sides[1]));
        let at = |i: usize, j: usize| self.sums[j * (self.xs.len() + 1) + i];
        at(xs.end, zs.end) + at(xs.start, zs.start) > at(xs.start, zs.end) + at(xs.end, zs.start)
    }
}

/// Makes the samples of a map in marked columns again; `make` is given the number of the sample and its x and z in cells.
fn refill<T: Copy + Send + Sync>(map: &mut Raster<T>, mask: &Mask, make: impl Fn(usize, f32, f32) -> T + Sync) {
    let nodes = Nodes::of(map, mask);
    let (width, per_cell, origin) = (map.width, map.per_cell, map.origin);
    let place = |k: usize| (k as f32 + origin) / per_cell;
    if nodes.rows.is_empty() {
        return;
    }
    let rows = map.data[nodes.rows.start * width..nodes.rows.end * width].par_chunks_mut(width).enumerate();
    rows.for_each(|(j, row)| {
        let j = nodes.rows.start + j;
        for i in nodes.across.clone().filter(|&i| nodes.has(i, j)) {
            row[i] = make(j * width + i, place(i), place(j));
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Grid;
    use crate::random::mix64;

    fn hills(nx: usize, nz: usize) -> Array2<f32> {
        Array2::from_shape_fn((nz, nx), |(z, x)| 6.0 + 3.0 * (x as f32 * 0.4).sin() + 2.5 * (z as f32 * 0.5).cos())
    }

    fn assert_near<T: Copy>(name: &str, ours: &Raster<T>, theirs: &Raster<T>, apart: impl Fn(T, T) -> f32) {
        let worst = ours.data.iter().zip(&theirs.data).map(|(&a, &b)| apart(a, b)).fold(0.0, f32::max);
        assert!(worst < 1e-4, "{name}: {worst}");
    }

    fn assert_same(ours: &TerrainLook, theirs: &TerrainLook) {
        let number = |a: f32, b: f32| (a - b).abs();
        assert_near("rills", &ours.rills, &theirs.rills, |a, b| (a.value - b.value).abs());
        assert_near("heights", &ours.block.heights, &theirs.block.heights, number);
        assert_near("albedo", &ours.albedo, &theirs.albedo, |a, b| (a - b).norm());
        assert_near("normal", &ours.normal, &theirs.normal, |a, b| (a - b).norm());
        assert_near("light", &ours.light, &theirs.light, |a, b| (a - b).norm());
        assert_near("plain", &ours.plain, &theirs.plain, number);
        assert_near("slope", &ours.slope, &theirs.slope, |a, b| (a - b).norm());
        assert_eq!((ours.block.top, ours.scale), (theirs.block.top, theirs.scale));
        assert!(ours.block.has_levels_of(&theirs.block), "the pyramid");
    }

    #[test]
    fn a_patch_bakes_what_a_new_bake_does() {
        for (turn, (nx, nz, nodes)) in [(24, 20, 24), (9, 24, 100), (90, 61, 180)].into_iter().enumerate() {
            let grid = Grid::new(nx, 40, nz);
            for elevation in [None, Some(4.0), Some(89.9)] {
                let look = LookSpec { sun_elevation_deg: elevation, ..LookSpec::default() };
                let mut ground = hills(nx, nz);
                let mut land = TerrainLook::bake(&ground, grid, &look, nodes);
                assert_eq!(land.patch(&ground, Caves::default(), &look), Patched::Nothing);
                for step in 0..12 {
                    let random = mix64(step + 100 * turn as u64) as usize;
                    let (x, z) = (random % nx, (random >> 16) % nz);
                    // Now and then a summit, a pit, or two places at once.
                    ground[[z, x]] = [7.0, 8.0, 25.0, 1.0][(random >> 32) % 4] + step as f32;
                    if step % 3 == 0 {
                        ground[[nz - 1 - z, 0]] += 1.0;
                    }
                    assert_eq!(land.patch(&ground, Caves::default(), &look), Patched::Part);
                    assert_same(&land, &TerrainLook::bake(&ground, grid, &look, nodes));
                }
                assert_eq!(land.patch(&(ground + 1.0), Caves::default(), &look), Patched::TooMuch);
            }
        }
    }
}
