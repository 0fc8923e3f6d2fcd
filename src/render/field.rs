//! The volume as rays see it: padded for sampling without edge cases, with empty space marked.

use std::ops::ControlFlow;

use rayon::prelude::*;

use crate::lowpass::{ENERGY_SHOWN, Volume};

use super::bricks::{Bricks, Skipping};
use super::camera::Ray;
use super::math::{V3, v3};

/// Refinements of a crossing after it has been bracketed.
const REFINEMENTS: usize = 4;

/// How a ray is sampled.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    /// Distance between samples in cells.
    pub(crate) step: f32,
    /// Shift of the first sample, 0..1 steps.
    pub(crate) jitter: f32,
}

/// What a ray met of a surface of equal density.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Crossing {
    /// The ray enters the surface at `t`; `face` is the box side's normal when it enters through one.
    At { t: f32, face: Option<V3> },
    /// The ray stays outside; the largest density seen, and where.
    Grazed { t: f32, density: f32 },
    /// Nothing near.
    Missed,
}

#[derive(Clone, Debug)]
pub(crate) struct LavaField {
    /// Cells along x, y, z.
    size: [f32; 3],
    /// Corners of the part of the box that is shown, in cells.
    shown: [[f32; 2]; 3],
    /// Index steps along y and z of the padded arrays.
    strides: [usize; 2],
    density: Vec<u8>,
    energy: Vec<u8>,
    bricks: Bricks,
    /// Densities up to this, 0..1, need not be sampled.
    empty: f32,
}

impl LavaField {
    /// Prepares a volume; densities up to `empty` (0..255) are of no interest to the caller.
    pub(crate) fn new(volume: &Volume, smoothing: f32, empty: u8, skipping: Skipping) -> Self {
        let shape = [volume.grid.nx, volume.grid.ny, volume.grid.nz];
        let mut density = padded(&volume.density, shape);
        let mut energy = padded(&volume.energy, shape);
        if smoothing > 0.0 {
            density = smoothed(density, shape, smoothing);
            energy = smoothed(energy, shape, smoothing);
        }
        let bricks = Bricks::new(&density, shape, empty, skipping);
        let strides = [shape[0] + 2, (shape[0] + 2) * (shape[1] + 2)];
        let size = shape.map(|n| n as f32);
        let shown = size.map(|n| [0.0, n]);
        Self { size, shown, strides, density, energy, bricks, empty: f32::from(empty) / 255.0 }
    }

    /// Shows only a part of the box, given as shares along x, y and z: rays meet lava nowhere else.
    pub(crate) fn clipped(mut self, clip: [[f32; 2]; 3]) -> Self {
        self.shown = std::array::from_fn(|axis| clip[axis].map(|share| share * self.size[axis]));
        self
    }

    /// Whether lava at `p` is shown. The box's own sides hide nothing: the ground may reach a little beyond them.
    pub(crate) fn shows(&self, p: V3) -> bool {
        (0..3).all(|axis| {
            let [low, high] = self.shown[axis];
            (low <= 0.0 || p[axis] >= low) && (high >= self.size[axis] || p[axis] <= high)
        })
    }

    /// Density 0..1 at a point in cells, held at the box's sides.
    #[inline]
    pub(crate) fn density(&self, p: V3) -> f32 {
        self.sample(&self.density, p) * (1.0 / 255.0)
    }

    /// Energy per unit of amount at a point, in vent units.
    #[inline]
    pub(crate) fn specific_energy(&self, p: V3) -> f32 {
        let amount = self.sample(&self.density, p);
        self.sample(&self.energy, p) * ENERGY_SHOWN / amount.max(1.0)
    }

    #[inline]
    fn sample(&self, values: &[u8], p: V3) -> f32 {
        let place = |axis: usize| (p[axis] + 0.5).clamp(0.0, self.size[axis] + 0.999);
        let (x, y, z) = (place(0), place(1), place(2));
        let (i, j, k) = (x as usize, y as usize, z as usize);
        let (fx, fy, fz) = (x - i as f32, y - j as f32, z - k as f32);
        let corner = k * self.strides[1] + j * self.strides[0] + i;
        let row = |start: usize| {
            let pair = &values[start..start + 2];
            let (a, b) = (f32::from(pair[0]), f32::from(pair[1]));
            a + (b - a) * fx
        };
        let sheet = |start: usize| {
            let (a, b) = (row(start), row(start + self.strides[0]));
            a + (b - a) * fy
        };
        let (a, b) = (sheet(corner), sheet(corner + self.strides[1]));
        a + (b - a) * fz
    }

    /// Direction of rising density, from differences over `reach` cells to each side. Not normalised.
    pub(crate) fn gradient(&self, p: V3, reach: f32) -> V3 {
        let along = |e: V3| self.density(p + e) - self.density(p - e);
        v3(along(v3(reach, 0.0, 0.0)), along(v3(0.0, reach, 0.0)), along(v3(0.0, 0.0, reach))) * (0.5 / reach)
    }

    /// Outward normal of the lava, smoothed over about one and a half cells so that cell steps do not show.
    pub(crate) fn normal(&self, p: V3) -> V3 {
        super::math::unit_or_up(-(self.gradient(p, 1.5) + self.gradient(p, 0.8) * 0.6))
    }

    /// The length of a ray inside the shown part of the box, and the normal of the side it comes in by.
    pub(crate) fn span(&self, ray: &Ray, far: f32) -> Option<(f32, f32, Option<V3>)> {
        let (mut near, mut far, mut entry) = (0.0_f32, far, None);
        for axis in 0..3 {
            let (o, d) = (ray.origin[axis], ray.direction[axis]);
            let [low, high] = self.shown[axis];
            if d.abs() < 1e-9 {
                if o < low || o > high {
                    return None;
                }
                continue;
            }
            let (a, b) = ((low - o) / d, (high - o) / d);
            if a.min(b) > near {
                near = a.min(b);
                let mut normal = V3::zeros();
                normal[axis] = -d.signum();
                entry = Some(normal);
            }
            far = far.min(a.max(b));
        }
        (near < far).then_some((near, far, entry))
    }

    /// Calls `visit(t, density)` at every sample between `near` and `far` whose density may matter. Samples lie at
    /// whole multiples of the step plus the jitter, wherever jumps begin or end.
    pub(crate) fn walk(
        &self,
        ray: &Ray,
        (near, far): (f32, f32),
        pace: Pace,
        mut visit: impl FnMut(f32, f32) -> ControlFlow<()>,
    ) {
        let inverse = ray.direction.map(|d| if d.abs() < 1e-9 { 1e9_f32.copysign(d) } else { 1.0 / d });
        let first = |t: f32| (t / pace.step - pace.jitter).ceil();
        let mut n = first(near);
        loop {
            let t = (n + pace.jitter) * pace.step;
            // From very far away samples cannot be told apart any more, and neither can pixels.
            if t >= far || n + 1.0 <= n {
                return;
            }
            let p = ray.at(t);
            if let Some(leave) = self.bricks.jump(p, ray.origin, inverse) {
                // Rounding must not carry a jump past a sample in the next brick: stop a little early.
                n = first(leave - 1e-3).max(n + 1.0);
                continue;
            }
            let density = self.density(p);
            if density > self.empty && visit(t, density).is_break() {
                return;
            }
            n += 1.0;
        }
    }

    /// The first place where density rises through `iso` before `far`.
    pub(crate) fn cross(&self, ray: &Ray, far: f32, iso: f32, pace: Pace) -> Crossing {
        let Some((near, far, entry)) = self.span(ray, far) else { return Crossing::Missed };
        if near > 0.0 && self.density(ray.at(near)) >= iso {
            return Crossing::At { t: near, face: entry };
        }
        let mut found = Crossing::Missed;
        let (mut peak, mut hit) = (0.0, false);
        self.walk(ray, (near, far), pace, |t, density| {
            if density >= iso {
                found = Crossing::At { t: self.refine(ray, ((t - pace.step).max(near), t), iso), face: None };
                hit = true;
                return ControlFlow::Break(());
            }
            if density > peak {
                peak = density;
                found = Crossing::Grazed { t, density };
            }
            ControlFlow::Continue(())
        });
        // A sheet thinner than a step may lie between the last sample and the ground: whether it is seen must not
        // depend on the jitter.
        if hit || far == f32::MAX {
            return found;
        }
        let end = self.density(ray.at(far));
        if end >= iso {
            return Crossing::At { t: self.refine(ray, ((far - pace.step).max(near), far), iso), face: None };
        }
        match found {
            // Density that only rises towards the ground belongs to a film on it, not to an edge before it.
            Crossing::Grazed { t, density } => Crossing::Grazed { t, density: density - end },
            other => other,
        }
    }

    /// Regula falsi between a point outside and one inside.
    fn refine(&self, ray: &Ray, (mut a, mut b): (f32, f32), iso: f32) -> f32 {
        let (mut fa, mut fb) = (self.density(ray.at(a)) - iso, self.density(ray.at(b)) - iso);
        if fa >= 0.0 {
            return a;
        }
        for _ in 0..REFINEMENTS {
            let middle = a + (b - a) * (-fa / (fb - fa).max(1e-6)).clamp(0.05, 0.95);
            let value = self.density(ray.at(middle)) - iso;
            if value < 0.0 {
                (a, fa) = (middle, value);
            } else {
                (b, fb) = (middle, value);
            }
        }
        b
    }
}

/// A copy with one more cell on each side that repeats the edge.
fn padded(values: &[u8], [nx, ny, nz]: [usize; 3]) -> Vec<u8> {
    let inner = |i: usize, n: usize| i.saturating_sub(1).min(n - 1);
    let mut out = vec![0; (nx + 2) * (ny + 2) * (nz + 2)];
    out.par_chunks_mut((nx + 2) * (ny + 2)).enumerate().for_each(|(k, slab)| {
        for (j, row) in slab.chunks_mut(nx + 2).enumerate() {
            let start = (inner(k, nz) * ny + inner(j, ny)) * nx;
            let source = &values[start..start + nx];
            row[1..=nx].copy_from_slice(source);
            row[0] = source[0];
            row[nx + 1] = source[nx - 1];
        }
    });
    out
}

/// Gaussian smoothing of a padded field, one axis after another, with five taps.
fn smoothed(values: Vec<u8>, shape: [usize; 3], radius: f32) -> Vec<u8> {
    let side = shape.map(|n| n + 2);
    let taps: [f32; 5] = std::array::from_fn(|i| (-0.5 * ((i as f32 - 2.0) / radius).powi(2)).exp());
    let total: f32 = taps.iter().sum();
    let strides = [1, side[0], side[0] * side[1]];
    (0..3).fold(values, |from, axis| {
        let at = |index: usize| {
            let place = (index / strides[axis] % side[axis]) as isize;
            let tap = |i: usize| {
                let moved = (place + i as isize - 2).clamp(0, side[axis] as isize - 1) - place;
                taps[i] * f32::from(from[(index as isize + moved * strides[axis] as isize) as usize])
            };
            ((0..5).map(tap).sum::<f32>() / total + 0.5) as u8
        };
        (0..from.len()).into_par_iter().map(at).collect()
    })
}
