//! Incremental update of the ground's maps: recomputes only the regions that a change of the ground
//! affects.
//!
//! Invariant: a patch makes the same numbers as a new bake, because every map is a function of the
//! heights within some cells. Two effects reach farther: rills, each of which records the columns
//! that it read, and shadows. A shadow is traced again where the ground meets the band between the
//! sunlight over the changed columns before and after the change.
//!
//! ```text
//!   sun ╲    ╲
//!        ╲  ▒▒╲        ▒ ground that rose
//!         ╲▓▓▓▓╲
//!          ╲▓▓▓▓╲____  only ground between the two rays may have other light
//! ```

use std::ops::{Range, RangeInclusive};

use lavoxel_base::parallel::*;
use ndarray::Array2;

use super::light::{OpenSky, disc, sun};
use super::surface::{height, rill, rill_length};
use super::{Altitudes, TerrainLook, colour, grained, plain, rise};
use crate::ground::heightfield::Caves;
use crate::ground::raster::Raster;
use crate::ground::sky::{Sky, lamp};
use crate::math::{V3, in_cells, v3};
use lavoxel_automaton::view::LookSpec;

/// Distance in cells within which a changed column affects the drawn heights and their steepness.
const HEIGHTS: usize = 2;
/// Distance in cells within which a changed node height affects slopes, normals and colours.
const SLOPES: usize = 2;
/// Distance in cells within which a changed node height affects the visible sky of nodes.
const SKY: usize = 9;
/// Distance in cells within which a changed node height affects the two inner rings of height
/// samples for the visible sky.
const CLOSE: usize = 4;
/// Distance in cells within which a changed column affects the smoothed slopes.
const SMOOTHED: usize = 5;
/// Reciprocal of the largest fraction of changed columns for which the maps are patched: if more
/// than 1/24 of all columns changed, computing all maps takes no longer.
const LARGEST: usize = 24;
/// Distance in cells within which a column of solidified lava affects the colours around.
const FRESH: usize = 3;

/// Outcome of `TerrainLook::patch`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Patched {
    /// No height, cave or solidified lava changed, hence the maps are still right.
    Nothing,
    /// The affected regions of the maps were computed again.
    Part,
    /// Too many columns changed, and computing all maps takes no longer; the maps are not updated.
    TooMuch,
}

impl TerrainLook {
    /// Recomputes every region of the maps that depends on the difference between the heights of
    /// the maps and `ground` (heights in cells, shape (nz, nx)), or between the maps' caves and
    /// `caves`.
    ///
    /// Panics when the shape of `ground` is not that of the present ground.
    pub(crate) fn patch(&mut self, ground: &Array2<f32>, caves: Caves, look: &LookSpec) -> Patched {
        assert_eq!(
            ground.dim(),
            (self.coarse.depth, self.coarse.width),
            "the ground keeps its shape"
        );
        // Each stage widens the mask by the reach of its maps, so that no dependent sample is
        // missed.
        let changed = Mask::of_difference(&self.coarse, ground);
        let hollow = Mask::of_columns(&self.coarse, &self.block.caves.differing(&caves));
        let tinted = Mask::of_columns(&self.coarse, &self.block.caves.differing_in_fresh(&caves));
        if changed.is_empty() && hollow.is_empty() && tinted.is_empty() {
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
        let mut near = changed.grown(HEIGHTS);
        near.add(&self.patch_rills(&changed));
        let mut moved = self.patch_relief(&near);
        moved.hollow(&hollow, [self.block.foot, roof.max(self.block.top)]);
        let near = moved.mask.grown(SLOPES);
        let mut coloured = near.clone();
        coloured.add(&tinted.grown(FRESH));
        self.patch_colour(&coloured);
        self.patch_light(&near, &moved, &Sky::new(look));
        self.patch_slope(&changed);
        Patched::Part
    }

    /// Computes again the rills that depend on the columns `changed`; returns the columns in which
    /// a node's rill changed.
    fn patch_rills(&mut self, changed: &Mask) -> Mask {
        let Self {
            coarse,
            seeds,
            rills,
            unit,
            ..
        } = self;
        let (near, counts) = (changed.grown(rill_length(*unit)), Counts::new(changed));
        let old = rills.data.clone();
        refill(rills, &near, |k, x, z| {
            match counts.has_any(old[k].columns(*unit, (x, z))) {
                true => rill(seeds, coarse, *unit, (x, z)),
                false => old[k],
            }
        });
        let mut around = Mask::none(changed.nx, changed.nz);
        let nodes = Nodes::new(rills, &near);
        for (j, i) in nodes
            .rows
            .clone()
            .flat_map(|j| nodes.across.clone().map(move |i| (j, i)))
        {
            let k = j * rills.width + i;
            if rills.data[k].value != old[k].value {
                nodes.cells(j, changed.nz).for_each(|z| {
                    nodes
                        .cells(i, changed.nx)
                        .for_each(|x| around.mark(x..x + 1, z))
                });
            }
        }
        around
    }

    /// Computes again the heights of the nodes in the columns `near`; returns the columns in which
    /// a node changed its height, with the range of heights.
    fn patch_relief(&mut self, near: &Mask) -> Moved {
        let old = Extents::new(&self.block.heights, near);
        let Self {
            coarse,
            rills,
            block,
            unit,
            scale,
            ..
        } = self;
        let before = block.heights.data.clone();
        let washed = |k: usize| (!scale.stone).then_some(rills.data[k].value);
        refill(&mut block.heights, near, |k, x, z| {
            height(coarse, washed(k), *unit, (x, z))
        });
        let Nodes { rows, across, .. } = Nodes::new(&block.heights, near);
        block.refresh(across, rows);
        let mut moved = Moved {
            mask: Mask::none(near.nx, near.nz),
            extents: Extents::new(&block.heights, near),
        };
        let (heights, per_cell) = (&block.heights, block.heights.per_cell as usize);
        for (x, z) in near.columns() {
            let row = |j: usize| {
                j * heights.width + x * per_cell..=j * heights.width + (x + 1) * per_cell
            };
            let differs = |j: usize| heights.data[row(j)] != before[row(j)];
            if (z * per_cell..=(z + 1) * per_cell).any(differs) {
                moved.mask.mark(x..x + 1, z);
            }
        }
        moved.extents.widen(&old);
        moved
    }

    /// Computes again the colours and normals of the nodes in the columns `near`.
    fn patch_colour(&mut self, near: &Mask) {
        let Self {
            block,
            rills,
            unit,
            drape,
            ..
        } = self;
        let scale = Altitudes::new(block, self.scale.side, self.scale.stone);
        let heights = &block.heights.data;
        let color = |k: usize, x: f32, z: f32| {
            colour(
                block,
                drape.as_ref(),
                &scale.place(block, rills.data[k].value, *unit, (x, z)),
                (x, z),
            )
        };
        if scale == self.scale {
            refill(&mut self.albedo, near, color);
        } else {
            // Another summit or lowest point changes the colours of all altitudes.
            let all = Mask::all(self.coarse.width, self.coarse.depth);
            refill(&mut self.albedo, &all, color);
            self.scale = scale;
        }
        refill(&mut self.normal, near, |k, x, z| {
            grained(block, *unit, scale.stone, [x, heights[k], z])
        });
    }

    /// Computes again the sunlight and visible sky of the nodes that a change affects. `near`:
    /// columns with changed slopes; `moved`: columns with changed heights; `sky`: gives the sun.
    fn patch_light(&mut self, near: &Mask, moved: &Moved, sky: &Sky) {
        let Self {
            block,
            sun: hard,
            soft,
            light,
            ..
        } = self;
        let heights = &block.heights.data;
        let mut shaded = moved.shadow(in_cells(sky.sun, block.tall), &block.heights);
        shaded.add(near);
        refill(hard, &shaded, |k, x, z| {
            sun(block, sky.sun, [x, heights[k], z])
        });
        let nodes = Nodes::new(hard, &shaded);
        hard.blur_part(disc(hard.per_cell), (nodes.across, nodes.rows), soft);
        // The blur extends three times its radius, which is less than a cell.
        let mut lit = shaded.grown(1);
        update(light, &lit, |_, x, z, light| {
            nalgebra::Vector2::new(light.x, soft.at(x, z))
        });
        let (open, around) = (OpenSky::new(), moved.mask.grown(SKY));
        let close = moved.mask.grown(CLOSE);
        update(light, &around, |k, x, z, light| {
            let other = close.is_marked(x, z)
                || open.farthest(x, z).any(|[x, z]| moved.mask.is_marked(x, z));
            match other {
                true => nalgebra::Vector2::new(open.open(block, v3(x, heights[k], z)), light.y),
                false => light,
            }
        });
        lit.add(&around);
        let lamp = lamp();
        refill(&mut self.plain, &lit, |k, x, z| {
            plain(block, &lamp, light.data[k], (x, z))
        });
    }

    /// Computes again the smoothed slopes around the columns `changed`.
    fn patch_slope(&mut self, changed: &Mask) {
        let near = changed.grown(SMOOTHED);
        self.coarse
            .blur_part(1, (near.xs.clone(), near.zs.clone()), &mut self.gentle);
        let gentle = &self.gentle;
        refill(&mut self.slope, &near, |_, x, z| rise(gentle, (x, z)));
    }
}

/// Set of columns of the simulation box: one flag per column, and bounding ranges.
#[derive(Clone, Debug)]
struct Mask {
    /// Number of columns of the simulation box along x.
    nx: usize,
    /// Number of columns of the simulation box along z.
    nz: usize,
    /// One flag per column, set if the column belongs to the set; x fastest.
    marked: Vec<bool>,
    /// Range along x that contains all marked columns.
    xs: Range<usize>,
    /// Range along z that contains all marked columns.
    zs: Range<usize>,
}

impl Mask {
    /// Returns the empty set for a box of `nx` × `nz` columns.
    fn none(nx: usize, nz: usize) -> Self {
        Self {
            nx,
            nz,
            marked: vec![false; nx * nz],
            xs: nx..0,
            zs: nz..0,
        }
    }

    /// Returns the set of all columns of a box of `nx` × `nz` columns.
    fn all(nx: usize, nz: usize) -> Self {
        Self {
            nx,
            nz,
            marked: vec![true; nx * nz],
            xs: 0..nx,
            zs: 0..nz,
        }
    }

    /// Returns the set of columns whose height in `ground` differs from that in `baked`.
    fn of_difference(baked: &Raster<f32>, ground: &Array2<f32>) -> Self {
        let mut mask = Self::none(baked.width, baked.depth);
        for (z, (old, new)) in baked
            .data
            .chunks(baked.width)
            .zip(ground.rows())
            .enumerate()
        {
            for (x, _) in old
                .iter()
                .zip(new)
                .enumerate()
                .filter(|(_, (old, new))| old != new)
            {
                mask.mark(x..x + 1, z);
            }
        }
        mask
    }

    /// Returns the set that contains exactly `columns` (x, z), for a simulation box of as many
    /// columns as `map` has samples.
    fn of_columns(map: &Raster<f32>, columns: &[(usize, usize)]) -> Self {
        let mut mask = Self::none(map.width, map.depth);
        columns.iter().for_each(|&(x, z)| mask.mark(x..x + 1, z));
        mask
    }

    /// Adds the columns of the row `z` whose x is in the range `xs` to the set.
    fn mark(&mut self, xs: Range<usize>, z: usize) {
        if !xs.is_empty() {
            self.marked[z * self.nx..][xs.clone()].fill(true);
            self.xs = self.xs.start.min(xs.start)..self.xs.end.max(xs.end);
            self.zs = self.zs.start.min(z)..self.zs.end.max(z + 1);
        }
    }

    /// Returns true if the set is empty.
    fn is_empty(&self) -> bool {
        self.xs.is_empty()
    }

    /// Returns the number of columns in the set.
    fn count(&self) -> usize {
        self.marked.iter().filter(|&&marked| marked).count()
    }

    /// Returns an iterator over the columns of the set as (x, z).
    fn columns(&self) -> impl Iterator<Item = (usize, usize)> {
        let row = |z: usize| {
            self.xs
                .clone()
                .map(move |x| (x, z))
                .filter(|&(x, z)| self.marked[z * self.nx + x])
        };
        self.zs.clone().flat_map(row)
    }

    /// Returns an iterator over the sequences of adjacent columns of the set in each row: range
    /// along x, and z.
    fn runs(&self) -> impl Iterator<Item = (Range<usize>, usize)> {
        self.zs.clone().flat_map(move |z| {
            let row = &self.marked[z * self.nx..][..self.xs.end];
            let mut x = self.xs.start;
            std::iter::from_fn(move || {
                let from = x + row.get(x..)?.iter().position(|&marked| marked)?;
                x = from
                    + row[from..]
                        .iter()
                        .position(|&marked| !marked)
                        .unwrap_or(row.len() - from);
                Some((from..x, z))
            })
        })
    }

    /// Returns the set of all columns that lie at most `by` columns along each axis from a column
    /// of this set.
    fn grown(&self, by: usize) -> Self {
        let mut grown = Self::none(self.nx, self.nz);
        for (xs, z) in self.runs() {
            let xs = xs.start.saturating_sub(by)..(xs.end + by).min(self.nx);
            (z.saturating_sub(by)..(z + by + 1).min(self.nz))
                .for_each(|z| grown.mark(xs.clone(), z));
        }
        grown
    }

    /// Adds all columns of the set `other` to this set.
    fn add(&mut self, other: &Self) {
        other.runs().for_each(|(xs, z)| self.mark(xs, z));
    }

    /// Returns true if the column that contains (`x`, `z`) in cells belongs to the set; positions
    /// are clamped to the simulation box.
    fn is_marked(&self, x: f32, z: f32) -> bool {
        // Negative numbers become 0.
        let (x, z) = ((x as usize).min(self.nx - 1), (z as usize).min(self.nz - 1));
        self.marked[z * self.nx + x]
    }
}

/// Lowest and highest node height in each column of the simulation box, in cells, x fastest; nodes
/// on the edges of a column belong to the column. Empty range (low above high) for columns that
/// were not computed.
struct Extents(Vec<[f32; 2]>);

impl Extents {
    /// Returns the height ranges of the columns in the set `mask`; other columns get an empty
    /// range.
    fn new(heights: &Raster<f32>, mask: &Mask) -> Self {
        let mut extents = vec![[f32::MAX, f32::MIN]; mask.nx * mask.nz];
        let per_cell = heights.per_cell as usize;
        extents
            .par_chunks_mut(mask.nx)
            .enumerate()
            .filter(|(z, _)| mask.zs.contains(z))
            .for_each(|(z, extents)| {
                for x in mask.xs.clone().filter(|&x| mask.marked[z * mask.nx + x]) {
                    for j in z * per_cell..=(z + 1) * per_cell {
                        for &h in
                            &heights.data[j * heights.width..][x * per_cell..=(x + 1) * per_cell]
                        {
                            extents[x] = [extents[x][0].min(h), extents[x][1].max(h)];
                        }
                    }
                }
            });
        Self(extents)
    }

    /// Extends the height range of each column so that it contains the range of the same column in
    /// `other`.
    fn widen(&mut self, other: &Self) {
        for ([low, high], other) in self.0.iter_mut().zip(&other.0) {
            (*low, *high) = (low.min(other[0]), high.max(other[1]));
        }
    }
}

/// Set of the columns whose ground changed, with the height range of the change.
struct Moved {
    mask: Mask,
    /// Height range per column, in cells, that contains the column's ground before and after the
    /// change.
    extents: Extents,
}

impl Moved {
    /// Adds `columns`, whose caves changed, to the set, with the height range from `low` to `high`
    /// (cells).
    fn hollow(&mut self, columns: &Mask, [low, high]: [f32; 2]) {
        self.mask.add(columns);
        for (x, z) in columns.columns() {
            self.extents.0[z * columns.nx + x] = [low, high];
        }
    }

    /// Returns the columns whose sunlight may have changed, and their neighbours. `sun`: direction
    /// of the sun with components in cells; `heights`: present heights of the nodes in cells.
    fn shadow(&self, sun: V3, heights: &Raster<f32>) -> Mask {
        /// Distance in cells between the points at which a shadow's path over the ground is tested.
        const STRIDE: f32 = 0.5;
        /// Tolerance in cells along a shadow's path, for the position of points within their
        /// columns.
        const OFF: f32 = 2.5;
        /// Tolerance in cells in height, for rays that start above their node.
        const LIFT: f32 = 0.3;
        let (nx, nz) = (self.mask.nx, self.mask.nz);
        let mut shadow = Mask::none(nx, nz);
        let ground = Extents::new(heights, &Mask::all(nx, nz)).0;
        let lowest = ground
            .iter()
            .fold(f32::MAX, |lowest, extent| lowest.min(extent[0]));
        let across = sun.x.hypot(sun.z);
        let farthest = (nx as f32).hypot(nz as f32);
        let away = if across > 1e-6 {
            [-sun.x / across, -sun.z / across]
        } else {
            [0.0; 2]
        };
        // A sun at the zenith falls fast, a sun at the horizon hardly.
        let falls = sun.y.max(0.0) / across.max(1e-3);
        let clip =
            |low: f32, high: f32, n: usize| low.max(0.0) as usize..(high.max(0.0) as usize).min(n);
        for (x, z) in self.mask.columns() {
            let [low, high] = self.extents.0[z * nx + x];
            for stride in 0..=(farthest / STRIDE) as usize + 1 {
                let far = STRIDE * stride as f32;
                let band = [
                    low - falls * (far + OFF) - LIFT,
                    high - falls * (far - OFF) + LIFT,
                ];
                if band[1] < lowest {
                    break;
                }
                let along = clip(
                    x as f32 + away[0] * far - 1.0,
                    x as f32 + away[0] * far + 3.0,
                    nx,
                );
                for z in clip(
                    z as f32 + away[1] * far - 1.0,
                    z as f32 + away[1] * far + 3.0,
                    nz,
                ) {
                    for x in along.clone() {
                        let [foot, top] = ground[z * nx + x];
                        if foot <= band[1] && top >= band[0] {
                            shadow.mark(x..x + 1, z);
                        }
                    }
                }
            }
        }
        shadow
    }
}

/// Samples of a map that belong to the columns of a mask: one per column centre, or the nodes
/// inside and on the edges of the columns.
struct Nodes<'a> {
    mask: &'a Mask,
    /// Number of nodes per cell along an axis; `None` for a map with one sample per column centre.
    per_cell: Option<usize>,
    /// Range along x of the sample indices that the mask's columns span.
    across: Range<usize>,
    /// Range along z of the sample indices that the mask's columns span.
    rows: Range<usize>,
}

impl<'a> Nodes<'a> {
    /// Returns the samples of `map` that lie in the columns of `mask`.
    fn new<T>(map: &Raster<T>, mask: &'a Mask) -> Self {
        let per_cell = (map.origin == 0.0).then_some(map.per_cell as usize);
        let samples = |cells: &Range<usize>| match per_cell {
            Some(n) if !cells.is_empty() => cells.start * n..cells.end * n + 1,
            _ => cells.clone(),
        };
        Self {
            mask,
            per_cell,
            across: samples(&mask.xs),
            rows: samples(&mask.zs),
        }
    }

    /// Returns the indices of the one or two cells along an axis that touch the sample with the
    /// index `k`; `n`: number of cells along the axis.
    fn cells(&self, k: usize, n: usize) -> RangeInclusive<usize> {
        match self.per_cell {
            Some(per_cell) => k.saturating_sub(1) / per_cell..=(k / per_cell).min(n - 1),
            None => k..=k,
        }
    }

    /// Returns true if a column that touches the sample (`i`, `j`) belongs to the mask.
    fn has(&self, i: usize, j: usize) -> bool {
        let Mask { nx, nz, marked, .. } = self.mask;
        self.cells(j, *nz)
            .any(|z| self.cells(i, *nx).any(|x| marked[z * nx + x]))
    }
}

/// Summed-area table of a set of columns; finds in constant time if a rectangle contains a column
/// of the set.
struct Counts {
    /// Range along x of the columns that the table covers.
    xs: Range<usize>,
    /// Range along z of the columns that the table covers.
    zs: Range<usize>,
    /// Number of columns of the set that lie north-west of each corner point of the columns `xs` ×
    /// `zs`; x fastest.
    sums: Vec<u32>,
    /// Number of columns of the simulation box along x and z; rectangles are clamped to these
    /// columns.
    sides: [usize; 2],
}

impl Counts {
    /// Computes the summed-area table of the columns in `mask`.
    fn new(mask: &Mask) -> Self {
        let (xs, zs, width) = (mask.xs.clone(), mask.zs.clone(), mask.xs.len() + 1);
        let mut sums = vec![0; width * (zs.len() + 1)];
        for (j, z) in zs.clone().enumerate() {
            let mut row = 0;
            for (i, x) in xs.clone().enumerate() {
                row += u32::from(mask.marked[z * mask.nx + x]);
                sums[(j + 1) * width + i + 1] = sums[j * width + i + 1] + row;
            }
        }
        Self {
            xs,
            zs,
            sums,
            sides: [mask.nx, mask.nz],
        }
    }

    /// Returns true if the rectangle with the bounds `along_x` and `along_z` (lower, upper; in
    /// cells) contains a column of the set; bounds are clamped to the simulation box.
    fn has_any(&self, [along_x, along_z]: [[f32; 2]; 2]) -> bool {
        let clip = |[low, high]: [f32; 2], marked: &Range<usize>, n: usize| {
            let cell = |v: f32| (v.max(0.0) as usize).min(n - 1);
            let inside = |k: usize| k.clamp(marked.start, marked.end) - marked.start;
            inside(cell(low))..inside(cell(high) + 1)
        };
        let (xs, zs) = (
            clip(along_x, &self.xs, self.sides[0]),
            clip(along_z, &self.zs, self.sides[1]),
        );
        let at = |i: usize, j: usize| self.sums[j * (self.xs.len() + 1) + i];
        at(xs.end, zs.end) + at(xs.start, zs.start) > at(xs.start, zs.end) + at(xs.end, zs.start)
    }
}

/// Computes again the samples of `map` in the columns of `mask`; `make` returns a sample from its
/// index and its x and z in cells.
fn refill<T: Copy + Send + Sync>(
    map: &mut Raster<T>,
    mask: &Mask,
    make: impl Fn(usize, f32, f32) -> T + Sync,
) {
    update(map, mask, |k, x, z, _| make(k, x, z));
}

/// Computes again the samples of `map` in the columns of `mask`; `make` returns a sample from its
/// index, its x and z in cells, and its previous value.
fn update<T: Copy + Send + Sync>(
    map: &mut Raster<T>,
    mask: &Mask,
    make: impl Fn(usize, f32, f32, T) -> T + Sync,
) {
    let nodes = Nodes::new(map, mask);
    let (width, per_cell, origin) = (map.width, map.per_cell, map.origin);
    let place = |k: usize| (k as f32 + origin) / per_cell;
    if nodes.rows.is_empty() {
        return;
    }
    let rows = map.data[nodes.rows.start * width..nodes.rows.end * width]
        .par_chunks_mut(width)
        .enumerate();
    rows.for_each(|(j, row)| {
        let j = nodes.rows.start + j;
        for i in nodes.across.clone().filter(|&i| nodes.has(i, j)) {
            row[i] = make(j * width + i, place(i), place(j), row[i]);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use lavoxel_base::grid::Grid;
    use lavoxel_base::random::mix64;

    fn hills(nx: usize, nz: usize) -> Array2<f32> {
        Array2::from_shape_fn((nz, nx), |(z, x)| {
            6.0 + 3.0 * (x as f32 * 0.4).sin() + 2.5 * (z as f32 * 0.5).cos()
        })
    }

    fn assert_near<T: Copy>(
        name: &str,
        ours: &Raster<T>,
        theirs: &Raster<T>,
        apart: impl Fn(T, T) -> f32,
    ) {
        let worst = ours
            .data
            .iter()
            .zip(&theirs.data)
            .map(|(&a, &b)| apart(a, b))
            .fold(0.0, f32::max);
        assert!(worst < 1e-4, "{name}: {worst}");
    }

    fn assert_same(ours: &TerrainLook, theirs: &TerrainLook) {
        let number = |a: f32, b: f32| (a - b).abs();
        assert_near("rills", &ours.rills, &theirs.rills, |a, b| {
            (a.value - b.value).abs()
        });
        assert_near(
            "heights",
            &ours.block.heights,
            &theirs.block.heights,
            number,
        );
        assert_near("albedo", &ours.albedo, &theirs.albedo, |a, b| {
            (a - b).norm()
        });
        assert_near("normal", &ours.normal, &theirs.normal, |a, b| {
            (a - b).norm()
        });
        assert_near("light", &ours.light, &theirs.light, |a, b| (a - b).norm());
        assert_near("plain", &ours.plain, &theirs.plain, number);
        assert_near("slope", &ours.slope, &theirs.slope, |a, b| (a - b).norm());
        assert_eq!(
            (ours.block.top, ours.scale),
            (theirs.block.top, theirs.scale)
        );
        assert!(ours.block.has_levels_of(&theirs.block), "the pyramid");
    }

    #[test]
    fn a_summit_that_grows_by_a_film_of_lava_colours_no_land_again() {
        let (grid, look) = (Grid::new(64, 40, 64), LookSpec::default());
        let mut ground = hills(64, 64);
        ground[[30, 30]] = 25.3;
        let mut land = TerrainLook::bake(&ground, grid, &look, 64);
        let (scale, far) = (land.scale, land.albedo.data[0]);
        ground[[30, 30]] += 0.1;
        assert_eq!(land.patch(&ground, Caves::default(), &look), Patched::Part);
        assert_eq!((land.scale, land.albedo.data[0]), (scale, far));
        assert_same(&land, &TerrainLook::bake(&ground, grid, &look, 64));
    }

    #[test]
    fn a_patch_bakes_what_a_new_bake_does() {
        for (turn, (nx, nz, nodes)) in [(24, 20, 24), (9, 24, 100), (90, 61, 180)]
            .into_iter()
            .enumerate()
        {
            let grid = Grid::new(nx, 40, nz);
            for elevation in [None, Some(4.0), Some(89.9)] {
                let look = LookSpec {
                    sun_elevation_deg: elevation,
                    ..LookSpec::default()
                };
                let mut ground = hills(nx, nz);
                let mut land = TerrainLook::bake(&ground, grid, &look, nodes);
                assert_eq!(
                    land.patch(&ground, Caves::default(), &look),
                    Patched::Nothing
                );
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
                assert_eq!(
                    land.patch(&(ground + 1.0), Caves::default(), &look),
                    Patched::TooMuch
                );
            }
        }
    }
}
