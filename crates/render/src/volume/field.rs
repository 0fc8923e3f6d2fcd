//! Ray marching through one medium: trilinear interpolation of density and energy, intersection
//! with the surface, and iteration over samples that skips empty space.

use lavoxel_base::grid::{Grid, Place};
use lavoxel_base::simd::Simd;
use lavoxel_sim::lowpass::{ENERGY_SHOWN, Fields};

use crate::camera::Ray;
use crate::math::{V3, v3};
use crate::volume::bricks::{Bricks, Look};
use crate::volume::pages::Matter;
use crate::volume::places::{Interest, Skipping};
use crate::volume::tiles::Reach;

/// Number of regula-falsi iterations that refine the intersection with a surface between two
/// samples.
pub const REFINEMENTS: usize = 4;
/// Density outside of the medium, as a fraction of the isovalue, from which on a sample causes an
/// additional sample half a step earlier; finds streams thinner than a step.
pub const NEAR: f32 = 0.6;

/// Sampling parameters of a ray through one medium: step, jitter and range.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    /// Distance between samples along the ray, in cells.
    pub(crate) step: f32,
    /// Offset of the first sample along the ray, as a fraction (0 to 1) of `step`.
    pub(crate) jitter: f32,
    /// Range of distances in cells in which the ray may meet the medium; no sample is taken
    /// outside.
    pub(crate) reach: Reach,
}

/// Result of intersecting a ray with the surface of a medium (points of a given density, the
/// isovalue). Distances `t` are in cells.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Crossing {
    /// The ray enters the medium at the distance `t`. `face`: outward normal of the side of the
    /// simulation box's visible region through which the ray enters the medium; `None` for an entry
    /// through the medium's own surface.
    At { t: f32, face: Option<V3> },
    /// The ray never reaches the isovalue. `t` is the distance of the sample with the highest
    /// density; `density` is this density (0 to 1) minus the density at the ray's end on the
    /// ground, if any.
    Grazed { t: f32, density: f32 },
    /// The ray meets no sample whose density is high enough to be drawn.
    Missed,
}

/// Kind of a ray's entry into a translucent medium, or its exit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Border {
    /// The ray starts inside the medium.
    Inside,
    /// The ray enters through a side of the simulation box or of its visible region, with this
    /// outward normal.
    Cut(V3),
    /// The ray enters through the medium's surface.
    Enters,
    /// The ray leaves the medium, through its surface or a side of the simulation box.
    Leaves,
}

/// Density and energy of one medium with its bricks, ready for ray marching. The grid has at least
/// two cells along each axis.
#[derive(Clone, Debug)]
pub(crate) struct MediumField<'a> {
    /// Size of the simulation box in cells along x, y and z.
    size: [f32; 3],
    /// Largest sampling position along x, y and z, in cells from the centre of the first cell: just
    /// below the last cell's centre, which leaves a next cell for the interpolation. The fourth
    /// entry repeats z to fill a SIMD register.
    last: [f32; 4],
    /// Number of cells of `density` and `energy` along x, y and z.
    cells: [usize; 3],
    /// Lower and upper bound of the visible region of the simulation box along x, y and z, in
    /// cells.
    shown: [[f32; 2]; 3],
    /// Density per cell, 0 to 255 for 0 to 1; x fastest.
    density: &'a [u8],
    /// Energy per cell (not per amount), 0 to 255 for 0 to `ENERGY_SHOWN`, in units of the energy
    /// of a full cell of lava fresh from the vent; x fastest.
    energy: &'a [u8],
    /// Bricks, by which rays skip empty space.
    bricks: &'a Bricks,
    /// Method by which empty space is skipped; tests turn skipping off.
    skipping: Skipping,
    /// Density (0 to 1) up to which samples are not drawn.
    empty: f32,
    /// Drawn height of a cell, in cell widths; 1 for cubes.
    tall: f32,
}

/// Position in a grid of cells for interpolation: index of the lowest of the eight surrounding
/// cells, and the fraction (0 to 1) of the way to the next cell along x, y and z.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spot {
    cell: Place,
    between: [f32; 3],
}

/// Constant 1.5 · 2²³ for fast rounding: after this constant is added to an f32 between −1 and 2²¹,
/// the low bits of the mantissa hold the nearest integer.
// Many times cheaper than `floor`, which is a call on plain x86-64, and than a cast, which checks
// for numbers that do not fit.
const ROUND: f32 = 12_582_912.0;

impl<'a> MediumField<'a> {
    /// Returns the medium with the data `fields` in a simulation box of shape `grid`, which may be
    /// one cell thick along an axis where `fields` repeats that cell. `interest` gives the smallest
    /// density to draw and the height of a cell.
    pub(crate) fn new(
        fields: Fields<'a>,
        grid: Grid,
        bricks: &'a Bricks,
        interest: Interest,
        skipping: Skipping,
    ) -> Self {
        let size = [grid.nx, grid.ny, grid.nz].map(|n| n as f32);
        let shown = size.map(|n| [0.0, n]);
        let cells = [fields.grid.nx, fields.grid.ny, fields.grid.nz];
        let Fields {
            density, energy, ..
        } = fields;
        let last = [0, 1, 2, 2].map(|axis: usize| (size[axis] - 1.0).next_down().max(0.0));
        let (empty, tall) = (f32::from(interest.empty) / 255.0, interest.tall);
        Self {
            size,
            last,
            cells,
            shown,
            density,
            energy,
            bricks,
            skipping,
            empty,
            tall,
        }
    }

    /// Returns the medium restricted to the region `clip` of the simulation box: lower and upper
    /// bound along x, y and z as fractions of the box.
    pub(crate) fn clipped(mut self, clip: [[f32; 2]; 3]) -> Self {
        self.shown = std::array::from_fn(|axis| clip[axis].map(|share| share * self.size[axis]));
        self
    }

    /// Returns the interpolated density (0 to 1) at the point `p` (cells); points outside of the
    /// simulation box are clamped to its sides.
    #[inline]
    pub(crate) fn density(&self, p: V3) -> f32 {
        self.sample(self.density, &self.spot(p)) * (1.0 / 255.0)
    }

    /// Returns true if a sample at the point `p` (cells) may have a density that is drawn,
    /// according to the bricks; reads no density.
    #[inline]
    pub(crate) fn is_occupied(&self, p: V3) -> bool {
        self.bricks.look(self.spot(p).cell) == Look::Drawn
    }

    /// Returns density and gradient at `spot`, the interpolation position of the point `p` (cells).
    /// Reads a page if the style uses pages, otherwise samples the density seven times.
    #[inline(always)]
    pub(crate) fn matter<S: Simd>(&self, s: S, spot: &Spot, p: V3) -> Matter {
        match self.bricks.page(spot.cell) {
            Some(page) => page.at(s, spot.cell, spot.between),
            // Only walks that skip nothing get here.
            None => Matter {
                density: self.sample(self.density, spot),
                slope: self.slope(p) * 255.0,
            },
        }
    }

    /// Returns the energy per amount at the point `p` (cells); 1 is that of lava fresh from the
    /// vent.
    #[inline]
    pub(crate) fn specific_energy(&self, p: V3) -> f32 {
        let spot = self.spot(p);
        let amount = self.sample(self.density, &spot);
        self.sample(self.energy, &spot) * ENERGY_SHOWN / amount.max(1.0)
    }

    /// Returns the interpolation position (cell index and fractions) of the point `p` (cells),
    /// clamped to the simulation box.
    #[inline(always)]
    fn spot(&self, p: V3) -> Spot {
        // Four numbers, the last one unused, take one instruction; three numbers take three.
        let p = [p.x, p.y, p.z, p.z];
        let (mut cell, mut between) = ([0_u32; 4], [0.0; 4]);
        for axis in 0..4 {
            let (place, last) = (p[axis] - 0.5, self.last[axis]);
            let place = if place > 0.0 { place } else { 0.0 };
            let place = if place < last { place } else { last };
            // At the middle of a cell both sides agree, so either rounding will do.
            let rounded = (place - 0.5) + ROUND;
            between[axis] = place - (rounded - ROUND);
            cell[axis] = rounded.to_bits() & 0x3f_ffff;
        }
        let cell = [cell[0] as usize, cell[1] as usize, cell[2] as usize];
        Spot {
            cell,
            between: [between[0], between[1], between[2]],
        }
    }

    /// Returns the index in `density` and `energy` of the cell (`i`, `j`, `k`) along x, y and z.
    #[inline(always)]
    fn index(&self, [i, j, k]: Place) -> usize {
        (k * self.cells[1] + j) * self.cells[0] + i
    }

    /// Returns the trilinear interpolation (0 to 255) of `values`, one byte per cell, at `spot`.
    #[inline(always)]
    fn sample(&self, values: &[u8], spot: &Spot) -> f32 {
        let (row, slab) = (self.cells[0], self.cells[0] * self.cells[1]);
        let near = &values[self.index(spot.cell)..];
        let near = &near[..slab + row + 2];
        let pairs = [
            pair(near, 0),
            pair(near, row),
            pair(near, slab),
            pair(near, slab + row),
        ];
        // No array is mapped, here and below: that would be a call.
        let (mut low, mut high) = ([0.0; 4], [0.0; 4]);
        for i in 0..4 {
            (low[i], high[i]) = (f32::from(pairs[i] & 0xff), f32::from(pairs[i] >> 8));
        }
        blend(low, high, spot.between)
    }

    /// Returns the gradient of the density (0 to 1) per cell at the point `p` (cells), by central
    /// differences over ± `reach` cells.
    pub(crate) fn gradient(&self, p: V3, reach: f32) -> V3 {
        let along = |e: V3| self.density(p + e) - self.density(p - e);
        v3(
            along(v3(reach, 0.0, 0.0)),
            along(v3(0.0, reach, 0.0)),
            along(v3(0.0, 0.0, reach)),
        ) * (0.5 / reach)
    }

    /// Returns the gradient of the density (0 to 1) in true proportions, per cell width along all
    /// axes, at the point `p` (cells), by central differences over ± `reach` cells.
    pub(crate) fn rise(&self, p: V3, reach: f32) -> V3 {
        crate::math::in_cells(self.gradient(p, reach), self.tall)
    }

    /// Returns the gradient of the density (0 to 1) per cell by central differences over ±1 cell;
    /// the point `p` (cells) is clamped to the outermost cell centres.
    fn slope(&self, p: V3) -> V3 {
        let held = |axis: usize| p[axis].clamp(0.5, self.size[axis] - 0.5);
        self.gradient(v3(held(0), held(1), held(2)), 1.0)
    }

    /// Returns the outward unit normal of the medium's surface at the point `p` (cells) in true
    /// proportions, from density differences over about ±1.5 cells.
    // Narrower differences show the steps of cells as stairs and ribs.
    pub(crate) fn normal(&self, p: V3) -> V3 {
        let gradient = self.gradient(p, 1.5) + self.gradient(p, 0.8) * 0.6;
        self.upright(gradient)
    }

    /// Returns the outward unit normal in true proportions of a surface at which the density has
    /// the gradient `gradient` (per cell along x, y and z).
    pub(crate) fn upright(&self, gradient: V3) -> V3 {
        crate::math::unit_or_up(-crate::math::in_cells(gradient, self.tall))
    }

    /// Returns three values: the distances in cells at which `ray` enters and leaves the visible
    /// region of the simulation box (exit at most `far`), and the outward normal of the side of
    /// entry (`None` if the ray starts inside). Returns `None` if the ray misses the region.
    #[inline(always)]
    pub(crate) fn span(&self, ray: &Ray, far: f32) -> Option<(f32, f32, Option<V3>)> {
        span_in(&self.shown, ray, far)
    }

    /// Returns an iterator over the samples along `ray` between the distances `near` and `far`
    /// (cells), without samples in empty bricks or places. `pace`: sampling parameters.
    #[inline(always)]
    pub(crate) fn walk(&self, ray: &Ray, (near, far): (f32, f32), pace: Pace) -> Walk<'_> {
        let inverse = |d: f32| {
            if d.abs() < 1e-9 {
                1e9_f32.copysign(d)
            } else {
                1.0 / d
            }
        };
        let inverse = v3(
            inverse(ray.direction.x),
            inverse(ray.direction.y),
            inverse(ray.direction.z),
        );
        let (near, far) = (near.max(pace.reach.near), far.min(pace.reach.far));
        let mut walk = Walk {
            field: self,
            ray: *ray,
            inverse,
            far,
            pace,
            per_step: 1.0 / pace.step,
            next: 0.0,
        };
        walk.next = walk.first(near);
        walk
    }

    /// Returns the first point before the distance `far` (cells) at which the density along `ray`
    /// rises to the isovalue `iso` (0 to 1). `pace`: sampling parameters.
    pub(crate) fn cross(&self, ray: &Ray, far: f32, iso: f32, pace: Pace) -> Crossing {
        self.cross_by(ray, (far, iso), pace, |_, density| density)
    }

    /// Returns the first point along `ray` before the distance `far` (cells) at which `value` rises
    /// to `iso`. `value` is called with a point (cells) and its density (0 to 1); `pace`: sampling
    /// parameters.
    #[inline(always)]
    pub(crate) fn cross_by(
        &self,
        ray: &Ray,
        (far, iso): (f32, f32),
        pace: Pace,
        value: impl Fn(V3, f32) -> f32,
    ) -> Crossing {
        let valued = |t: f32| {
            let p = ray.at(t);
            value(p, self.density(p))
        };
        if pace.reach.is_empty() {
            return Crossing::Missed;
        }
        let Some((near, far, entry)) = self.span(ray, far) else {
            return Crossing::Missed;
        };
        if near > 0.0 && valued(near) >= iso {
            return Crossing::At {
                t: near,
                face: entry,
            };
        }
        let mut found = Crossing::Missed;
        let mut peak = 0.0;
        let mut walk = self.walk(ray, (near, far), pace);
        while let Some((t, density)) = walk.next_dense() {
            let density = value(ray.at(t), density);
            if density >= iso {
                return Crossing::At {
                    t: refined(((t - pace.step).max(near), t), |t| valued(t) - iso),
                    face: None,
                };
            }
            if density > peak {
                peak = density;
                found = Crossing::Grazed { t, density };
            }
        }
        // A sheet thinner than a step may lie between the last sample and the ground: its
        // visibility must not depend on the jitter.
        if far == f32::MAX {
            return found;
        }
        let end = valued(far);
        if end >= iso {
            return Crossing::At {
                t: refined(((far - pace.step).max(near), far), |t| valued(t) - iso),
                face: None,
            };
        }
        match found {
            // Density that only rises towards the ground belongs to a film on the ground, not to an
            // edge before it.
            Crossing::Grazed { t, density } => Crossing::Grazed {
                t,
                density: density - end,
            },
            other => other,
        }
    }

    /// Calls `put` with the distance and kind of each entry of `ray` into and exit from regions
    /// with a density of at least `iso` (0 to 1), in order of distance, up to the distance `far`
    /// (cells).
    ///
    /// Invariant: entries and exits alternate; the last region ends at `far` at the latest.
    pub(crate) fn borders(
        &self,
        ray: &Ray,
        far: f32,
        iso: f32,
        pace: Pace,
        mut put: impl FnMut(f32, Border),
    ) {
        if pace.reach.is_empty() {
            return;
        }
        let Some((near, far, entry)) = self.span(ray, far) else {
            return;
        };
        let mut inside = self.density(ray.at(near)) >= iso;
        if inside {
            put(
                near,
                entry
                    .filter(|_| near > 0.0)
                    .map_or(Border::Inside, Border::Cut),
            );
        }
        let mut cross = |ends, border| put(self.refine(ray, ends, iso), border);
        let mut last = near;
        let mut walk = self.walk(ray, (near, far), pace);
        while let Some((t, density)) = walk.next_dense() {
            // Samples that the walk skipped are outside.
            if inside && t - last > 1.5 * pace.step {
                cross((last + pace.step, last), Border::Leaves);
                inside = false;
            }
            if (density >= iso) != inside {
                inside = !inside;
                let before = (t - pace.step).max(near);
                if inside {
                    cross((before, t), Border::Enters);
                } else {
                    cross((t, before), Border::Leaves);
                }
            } else if !inside && density >= NEAR * iso {
                let middle = t - 0.5 * pace.step;
                if middle > near && self.density(ray.at(middle)) >= iso {
                    cross(((t - pace.step).max(near), middle), Border::Enters);
                    cross((t, middle), Border::Leaves);
                }
            }
            last = t;
        }
        if inside && far - last > 1.5 * pace.step {
            cross((last + pace.step, last), Border::Leaves);
            inside = false;
        }
        // A sheet thinner than a step may lie between the last sample and the end of the ray.
        if !inside && self.density(ray.at(far)) >= iso {
            cross(((far - pace.step).max(near), far), Border::Enters);
            inside = true;
        }
        if inside {
            put(far, Border::Leaves);
        }
    }

    /// Returns the distance in cells along `ray` at which the density rises to `iso`. `ends`:
    /// distances of a point outside and of a point inside the medium, between which the result
    /// lies; either may be larger.
    fn refine(&self, ray: &Ray, ends: (f32, f32), iso: f32) -> f32 {
        refined(ends, |t| self.density(ray.at(t)) - iso)
    }
}

/// Returns the root of `value_at` by regula falsi between `a` (where `value_at` is negative) and
/// `b` (where it is positive); `a` may be larger than `b`.
#[inline(always)]
fn refined((mut a, mut b): (f32, f32), value_at: impl Fn(f32) -> f32) -> f32 {
    let (mut fa, mut fb) = (value_at(a), value_at(b));
    if fa >= 0.0 {
        return a;
    }
    for _ in 0..REFINEMENTS {
        let middle = a + (b - a) * (-fa / (fb - fa).max(1e-6)).clamp(0.05, 0.95);
        let value = value_at(middle);
        if value < 0.0 {
            (a, fa) = (middle, value);
        } else {
            (b, fb) = (middle, value);
        }
    }
    // If the density is flat along most of the interval, all iterations may move the same end: the
    // last interpolation is then the best estimate.
    a + (b - a) * (-fa / (fb - fa).max(1e-6)).min(1.0)
}

/// Returns three values: the distances at which `ray` enters and leaves an axis-aligned box (exit
/// at most `far`), and the outward normal of the side of entry (`None` if the ray starts inside).
/// Returns `None` if the ray misses the box. `corners`: lower and upper bound along x, y and z.
#[inline(always)]
pub(crate) fn span_in(
    corners: &[[f32; 2]; 3],
    ray: &Ray,
    far: f32,
) -> Option<(f32, f32, Option<V3>)> {
    let (mut near, mut far, mut entry) = (0.0_f32, far, None);
    for axis in 0..3 {
        let (o, d) = (ray.origin[axis], ray.direction[axis]);
        let [low, high] = corners[axis];
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

/// Iterator over the samples along a ray in drawn places (cubes between eight cell centres), in
/// order of distance.
///
/// Invariant: samples lie at the distances (n + jitter) · step for integers n, whichever empty
/// space is skipped.
#[derive(Clone, Debug)]
pub(crate) struct Walk<'a> {
    field: &'a MediumField<'a>,
    ray: Ray,
    /// Component-wise reciprocal of the ray's direction vector.
    inverse: V3,
    far: f32,
    pace: Pace,
    /// Reciprocal of the distance between samples, in 1/cell.
    per_step: f32,
    /// Number n of the next sample, which lies at the distance (n + jitter) · step; stored as f32.
    next: f32,
}

/// Position of one sample along a ray.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample {
    /// Distance of the sample along the ray, in cells.
    pub(crate) t: f32,
    /// Position of the sample in cells.
    pub(crate) point: V3,
    /// Cell index and fractions for the interpolation at `point`.
    pub(crate) spot: Spot,
}

// Not an iterator with closures: wide instructions are used only in code that is certain to be
// inlined.
impl Walk<'_> {
    /// Returns the next sample that lies in a drawn place (cube between eight cell centres); `None`
    /// at the end of the ray.
    #[inline(always)]
    pub(crate) fn next(&mut self) -> Option<Sample> {
        loop {
            let t = (self.next + self.pace.jitter) * self.pace.step;
            // Very far away the next sample has the same number in f32: the walk ends.
            if t >= self.far || self.next + 1.0 <= self.next {
                return None;
            }
            let point = self.ray.at(t);
            let spot = self.field.spot(point);
            let whole = self.field.skipping == Skipping::Never;
            let look = if whole {
                Look::Drawn
            } else {
                self.field.bricks.look(spot.cell)
            };
            self.next += 1.0;
            match look {
                Look::Drawn => return Some(Sample { t, point, spot }),
                Look::Nothing => {}
                Look::Empty => {
                    // The places of a brick begin in the middles of its cells.
                    let corner = self.ray.origin - V3::new(0.5, 0.5, 0.5);
                    let leave = self.field.bricks.leave(spot.cell, corner, self.inverse);
                    // Rounding must not carry a jump past a sample in the next brick: stop a little
                    // early.
                    self.next = self.first(leave - 1e-3).max(self.next);
                }
            }
        }
    }

    /// Returns the distance (cells) and density (0 to 1) of the next sample that is dense enough to
    /// be drawn; `None` at the end of the ray.
    #[inline(always)]
    pub(crate) fn next_dense(&mut self) -> Option<(f32, f32)> {
        let field = self.field;
        while let Some(sample) = self.next() {
            let density = field.sample(field.density, &sample.spot);
            if density > 255.0 * field.empty {
                return Some((sample.t, density * (1.0 / 255.0)));
            }
        }
        None
    }

    /// Returns the number n of the first sample whose distance is at least `t` (cells). Rounding
    /// may give one sample too early, which lies in an empty place and only costs time.
    #[inline(always)]
    fn first(&self, t: f32) -> f32 {
        up(t * self.per_step - self.pace.jitter - 1e-6 * t * self.per_step)
    }
}

/// Returns the ceiling of `x`; valid for `x` ≥ −1 only.
// `ceil` is a call on plain x86-64.
#[inline(always)]
fn up(x: f32) -> f32 {
    let whole = x as i32 as f32;
    if whole < x { whole + 1.0 } else { whole }
}

/// Returns the bytes of `values` at `start` and `start` + 1 as one word, the first byte in the low
/// bits.
#[inline(always)]
fn pair(values: &[u8], start: usize) -> u16 {
    u16::from_le_bytes(values[start..start + 2].try_into().unwrap_or_default())
}

/// Returns the trilinear interpolation at the position (`x`, `y`, `z`) (each 0 to 1) in a unit
/// cube. `low` and `high`: values at the lower and upper ends of the cube's four edges along x, at
/// (y, z) = (0, 0), (1, 0), (0, 1), (1, 1).
#[inline(always)]
fn blend(low: [f32; 4], high: [f32; 4], [x, y, z]: [f32; 3]) -> f32 {
    let mut edges = [0.0; 4];
    for i in 0..4 {
        edges[i] = low[i] + (high[i] - low[i]) * x;
    }
    let (a, b) = (
        edges[0] + (edges[1] - edges[0]) * y,
        edges[2] + (edges[3] - edges[2]) * y,
    );
    a + (b - a) * z
}
