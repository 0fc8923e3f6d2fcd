//! Two-dimensional map of scalars or vectors over the horizontal plane, with bilinear and
//! Catmull–Rom interpolation, and a blur.

use std::ops::{Add, Mul, Range, Sub};

use lavoxel_base::parallel::*;

/// Largest radius in samples of a box filter that sums each window from its first sample on, so
/// that a part of a map has the same rounding as the whole map. A running sum, faster for larger
/// radii, keeps the rounding of all samples before.
const SUMMED: usize = 8;

/// Samples on a regular grid over (x, z); x fastest.
#[derive(Clone, Debug)]
pub struct Raster<T> {
    /// Number of samples along x.
    pub width: usize,
    /// Number of samples along z.
    pub depth: usize,
    /// Number of samples per cell along an axis.
    pub per_cell: f32,
    /// Distance of the first sample from the corner of the simulation box along each axis, in
    /// samples: 0 for nodes at cell corners, 0.5 for column centres.
    pub(crate) origin: f32,
    /// Values of the samples, x fastest.
    pub data: Vec<T>,
}

impl<T: Copy + Send + Sync> Raster<T> {
    /// Returns a map of `cells` (nx, nz) cells with `per_cell` nodes per cell along each axis; the
    /// outermost nodes lie on the borders. `make` returns the value of a node from its x and z in
    /// cells.
    pub(crate) fn nodes(
        cells: (usize, usize),
        per_cell: usize,
        make: impl Fn(f32, f32) -> T + Sync,
    ) -> Self {
        let scale = 1.0 / per_cell as f32;
        let mut nodes = Self::begun(cells, per_cell);
        nodes.grow(usize::MAX, |_, [i, j]| {
            make(i as f32 * scale, j as f32 * scale)
        });
        nodes
    }

    /// Returns a map of `cells` (nx, nz) cells with `per_cell` nodes per cell along each axis that
    /// has no values yet; [`Self::grow`] computes them. The outermost nodes lie on the borders.
    pub(crate) fn begun(cells: (usize, usize), per_cell: usize) -> Self {
        Self {
            width: cells.0 * per_cell + 1,
            depth: cells.1 * per_cell + 1,
            per_cell: per_cell as f32,
            origin: 0.0,
            data: Vec::new(),
        }
    }

    /// Computes the next `rows` rows of a map that has no values there yet. `make` returns the value
    /// of a node from its index in `data` and its indices along x and z. Returns true if the map
    /// has all its values.
    pub(crate) fn grow(
        &mut self,
        rows: usize,
        make: impl Fn(usize, [usize; 2]) -> T + Sync,
    ) -> bool {
        let (width, first) = (self.width, self.data.len() / self.width);
        let end = first.saturating_add(rows).min(self.depth);
        let row = |j: usize| (0..width).map(move |i| (j * width + i, [i, j]));
        let new: Vec<T> = (first..end)
            .into_par_iter()
            .flat_map_iter(|j| row(j).map(|(k, place)| make(k, place)))
            .collect();
        if self.data.is_empty() {
            self.data = new;
            self.data.reserve_exact(width * (self.depth - end));
        } else {
            self.data.extend(new);
        }
        end == self.depth
    }

    /// Returns true if the map has all its values.
    pub(crate) fn is_full(&self) -> bool {
        self.data.len() == self.width * self.depth
    }

    /// Returns the position (x, z) in cells of the node with the index `k`.
    pub(crate) fn place(&self, k: usize) -> [f32; 2] {
        [k % self.width, k / self.width].map(|n| (n as f32 + self.origin) / self.per_cell)
    }

    /// Returns a map with one sample per column, at the column's centre; `cells`: number of columns
    /// (nx, nz), `data`: values with x fastest.
    pub(crate) fn columns(cells: (usize, usize), data: Vec<T>) -> Self {
        Self {
            width: cells.0,
            depth: cells.1,
            per_cell: 1.0,
            origin: 0.5,
            data,
        }
    }

    /// Returns the sample with the indices (`i`, `j`) along x and z; indices are clamped to the
    /// map.
    pub(crate) fn held(&self, i: isize, j: isize) -> T {
        let i = i.clamp(0, self.width as isize - 1) as usize;
        let j = j.clamp(0, self.depth as isize - 1) as usize;
        self.data[j * self.width + i]
    }

    /// Returns the map with each sample replaced by the value of `make`, called with the sample's
    /// position (x, z) in cells and its value.
    pub(crate) fn map<U: Copy + Send + Sync>(
        &self,
        make: impl Fn(f32, f32, T) -> U + Sync,
    ) -> Raster<U> {
        let value = |k: usize| {
            let [x, z] = self.place(k);
            make(x, z, self.data[k])
        };
        let data = (0..self.data.len()).into_par_iter().map(value).collect();
        Raster {
            width: self.width,
            depth: self.depth,
            per_cell: self.per_cell,
            origin: self.origin,
            data,
        }
    }
}

impl<T> Raster<T>
where
    T: Copy + Add<Output = T> + Sub<Output = T> + Mul<f32, Output = T>,
{
    /// Returns the bilinearly interpolated value at (`x`, `z`) in cells; positions outside are
    /// clamped to the map.
    #[inline(always)]
    pub(crate) fn at(&self, x: f32, z: f32) -> T {
        let (i, fx) = split(x * self.per_cell - self.origin, self.width);
        let (j, fz) = split(z * self.per_cell - self.origin, self.depth);
        let (i1, j1) = ((i + 1).min(self.width - 1), (j + 1).min(self.depth - 1));
        let blend = |a: T, b: T, f: f32| a + (b - a) * f;
        let near = blend(
            self.data[j * self.width + i],
            self.data[j * self.width + i1],
            fx,
        );
        let far = blend(
            self.data[j1 * self.width + i],
            self.data[j1 * self.width + i1],
            fx,
        );
        blend(near, far, fz)
    }

    /// Returns one value per sample along x, interpolated at `z` (cells), as the input of
    /// `Self::along`.
    pub(crate) fn row(&self, z: f32) -> Vec<T> {
        let (j, fz) = split(z * self.per_cell - self.origin, self.depth);
        let j1 = (j + 1).min(self.depth - 1);
        let (near, far) = (
            &self.data[j * self.width..][..self.width],
            &self.data[j1 * self.width..][..self.width],
        );
        near.iter()
            .zip(far)
            .map(|(near, far)| *near + (*far - *near) * fz)
            .collect()
    }

    /// Returns the value at `x` (cells), interpolated in `row`, a result of `Self::row`; bit for
    /// bit that of `Self::at`.
    #[inline(always)]
    pub(crate) fn along(&self, row: &[T], x: f32) -> T {
        let (i, fx) = split(x * self.per_cell - self.origin, self.width);
        let i1 = (i + 1).min(self.width - 1);
        row[i] + (row[i1] - row[i]) * fx
    }

    /// Returns the rise per cell towards +x and towards +z at (`x`, `z`) in cells, by central
    /// differences over `reach` cells to each side.
    #[inline(always)]
    pub(crate) fn slope(&self, x: f32, z: f32, reach: f32) -> (T, T) {
        let scale = 0.5 / reach;
        let east = (self.at(x + reach, z) - self.at(x - reach, z)) * scale;
        let south = (self.at(x, z + reach) - self.at(x, z - reach)) * scale;
        (east, south)
    }
}

impl<T> Raster<T>
where
    T: Copy + Send + Sync + Add<Output = T> + Sub<Output = T> + Mul<f32, Output = T>,
{
    /// Returns the map blurred with three box filters, each averaging `radius` samples to each side
    /// (nearly Gaussian); border values are repeated outside.
    pub(crate) fn blurred(&self, radius: usize) -> Self {
        let mut now = self.clone();
        for _ in 0..3 {
            now = now
                .box_rows(radius)
                .transposed()
                .box_rows(radius)
                .transposed();
        }
        now
    }

    /// Recomputes those samples of `blurred`, an earlier result of `Self::blurred`, that depend on
    /// the changed samples with indices in `across` (along x) and `rows` (along z).
    pub(crate) fn blur_part(
        &self,
        radius: usize,
        (across, rows): (Range<usize>, Range<usize>),
        blurred: &mut Self,
    ) {
        assert!(radius <= SUMMED, "a running sum depends on where it begins");
        if across.is_empty() || rows.is_empty() {
            return;
        }
        // Three passes spread a change over 3 radii, and the changed sums read another 3 radii.
        let wide = |range: &Range<usize>, n: usize, by: usize| {
            range.start.saturating_sub(by)..(range.end + by).min(n)
        };
        let window = |by: usize| (wide(&across, self.width, by), wide(&rows, self.depth, by));
        let ((xs, zs), (all_xs, all_zs)) = (window(3 * radius), window(6 * radius));
        let data = all_zs
            .clone()
            .flat_map(|z| self.data[z * self.width..][all_xs.clone()].iter().copied())
            .collect();
        let part = Self {
            width: all_xs.len(),
            depth: all_zs.len(),
            data,
            ..*self
        }
        .blurred(radius);
        for z in zs {
            let from = (z - all_zs.start) * part.width + xs.start - all_xs.start;
            let row = &part.data[from..from + xs.len()];
            blurred.data[z * self.width..][xs.clone()].copy_from_slice(row);
        }
    }

    /// Returns the map after one box filter along x, averaging `radius` samples to each side.
    fn box_rows(&self, radius: usize) -> Self {
        let (n, r) = (self.width as isize, radius as isize);
        let scale = 1.0 / (2 * r + 1) as f32;
        let mut data = self.data.clone();
        data.par_chunks_mut(self.width)
            .zip(self.data.par_chunks(self.width))
            .for_each(|(out, row)| {
                let at = |i: isize| row[i.clamp(0, n - 1) as usize];
                let whole = |i: isize| (i + 1 - r..=i + r).fold(at(i - r), |sum, k| sum + at(k));
                if radius <= SUMMED {
                    (0..n).for_each(|i| out[i as usize] = whole(i) * scale);
                    return;
                }
                // A running sum makes the cost independent of the radius.
                let mut sum = whole(0);
                for i in 0..n {
                    out[i as usize] = sum * scale;
                    sum = sum + (at(i + r + 1) - at(i - r));
                }
            });
        Self { data, ..*self }
    }

    /// Returns the map with x and z exchanged, which lets one filter function serve both axes.
    fn transposed(&self) -> Self {
        let mut data = self.data.clone();
        data.par_chunks_mut(self.depth)
            .enumerate()
            .for_each(|(i, row)| {
                row.iter_mut()
                    .zip(self.data[i..].iter().step_by(self.width))
                    .for_each(|(to, from)| *to = *from);
            });
        Self {
            width: self.depth,
            depth: self.width,
            data,
            ..*self
        }
    }
}

impl Raster<f32> {
    /// Returns the value at (`x`, `z`) in cells by Catmull–Rom interpolation, which passes through
    /// the samples with a continuous slope.
    pub(crate) fn smooth_at(&self, x: f32, z: f32) -> f32 {
        let (u, v) = (
            x * self.per_cell - self.origin,
            z * self.per_cell - self.origin,
        );
        let (i, j) = (u.floor(), v.floor());
        let (wx, wz) = (catmull_rom(u - i), catmull_rom(v - j));
        let (i, j) = (i as isize - 1, j as isize - 1);
        let row = |b: isize| {
            (0..4)
                .map(|a| wx[a as usize] * self.held(i + a, j + b))
                .sum::<f32>()
        };
        (0..4).map(|b| wz[b as usize] * row(b)).sum()
    }
}

/// Returns the index of the sample at or before `position` (in samples, clamped to a map of `count`
/// samples), and the fraction (0 to 1) of the way from this sample to the next.
#[inline(always)]
fn split(position: f32, count: usize) -> (usize, f32) {
    let held = position.clamp(0.0, (count - 1) as f32);
    let i = held as usize;
    (i, held - i as f32)
}

/// Returns the Catmull–Rom weights of four consecutive samples for a position between the second
/// (`t` = 0) and the third (`t` = 1).
fn catmull_rom(t: f32) -> [f32; 4] {
    let (t2, t3) = (t * t, t * t * t);
    [
        0.5 * (-t3 + 2.0 * t2 - t),
        0.5 * (3.0 * t3 - 5.0 * t2 + 2.0),
        0.5 * (-3.0 * t3 + 4.0 * t2 + t),
        0.5 * (t3 - t2),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn smooth_sampling_passes_through_the_columns() {
        let map = Raster::columns((3, 2), vec![1.0, 4.0, 2.0, 0.0, 3.0, 5.0]);
        assert!((map.smooth_at(1.5, 0.5) - 4.0).abs() < 1e-5);
        assert!((map.smooth_at(2.5, 1.5) - 5.0).abs() < 1e-5);
        assert!((map.at(2.0, 0.5) - 3.0).abs() < 1e-5);
        let row = map.row(0.9);
        for x in [0.0, 0.7, 1.9, 3.0] {
            assert!((map.along(&row, x) - map.at(x, 0.9)).abs() < 1e-5, "at {x}");
        }
    }

    #[test]
    fn a_part_is_blurred_to_the_same_bits_as_the_whole() {
        let (width, depth) = (37, 29);
        let value = |k: usize| (k as f32 * 0.731).sin() * 17.3 + (k % 7) as f32 * 1e-3;
        let mut map = Raster::columns((width, depth), (0..width * depth).map(value).collect());
        for radius in [1, 3, SUMMED] {
            let mut blurred = map.blurred(radius);
            for (x, z) in [(0, 0), (20, 11), (36, 28), (5, 17)] {
                map.data[z * width + x] += 3.7;
                map.blur_part(radius, (x..x + 1, z..z + 1), &mut blurred);
                assert!(
                    blurred.data == map.blurred(radius).data,
                    "{radius} at {x}, {z}"
                );
            }
        }
    }

    #[test]
    fn blurring_keeps_the_sum_away_from_edges() {
        let mut data = vec![0.0; 41 * 31];
        data[15 * 41 + 20] = 1.0;
        let map = Raster::columns((41, 31), data).blurred(2);
        assert!((map.data.iter().sum::<f32>() - 1.0).abs() < 1e-4);
        assert!(
            (map.held(18, 15) - map.held(20, 13)).abs() < 1e-6,
            "the same along x and z"
        );
    }
}
