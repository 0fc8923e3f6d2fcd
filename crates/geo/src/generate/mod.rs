//! Ground generated from noise and a seed: heights in cells above the floor of the simulation box,
//! shape `(nz, nx)`.
//!
//! Shapes are defined in units of the simulation box (horizontally its shorter side, vertically its
//! height), so that a finer grid gives the same land with more detail. Rows are computed in
//! parallel; a height depends only on its position and the seed, so that results are equal bit by
//! bit for any number of threads. Apart from one tangent in [`slope`], only `+ − × ÷ √` are used,
//! so that results do not depend on the system's mathematical library either.

mod volcano;

use lavoxel_base::parallel::*;
use ndarray::Array2;
use noise::{Fbm, MultiFractal, NoiseFn, SuperSimplex};

use lavoxel_base::grid::Grid;

pub use self::volcano::{Cone, crater, volcano};

/// Parameters that all terrain generators have in common.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bed {
    /// Seed of the noise, any value; two seeds give two different grounds of the same kind.
    pub seed: u32,
    /// Height of the plain or of the lowest ground, in cells above the floor of the simulation box.
    pub base: f64,
    /// Factor on the amplitude of the noise: 0 gives the smooth shape; 1 is the default of volcano
    /// and hills.
    pub roughness: f64,
}

/// Returns the heights `height(u, v)` of all columns in cells, negative ones set to 0, computed in
/// parallel. `u` and `v`: distance of the column's centre from the centre of the simulation box to
/// the east and to the south, in units of the box's shorter side.
fn from_place(grid: Grid, height: impl Fn(f64, f64) -> f64 + Sync) -> Array2<f32> {
    let mut ground = Array2::zeros((grid.nz, grid.nx));
    let side = grid.nx.min(grid.nz) as f64;
    let (half_x, half_z) = (0.5 * grid.nx as f64, 0.5 * grid.nz as f64);
    let cells = ground.as_slice_mut().expect("a new array is contiguous");
    cells
        .par_chunks_mut(grid.nx)
        .enumerate()
        .for_each(|(z, row)| {
            let v = (z as f64 + 0.5 - half_z) / side;
            for (x, cell) in row.iter_mut().enumerate() {
                let u = (x as f64 + 0.5 - half_x) / side;
                *cell = height(u, v).max(0.0) as f32;
            }
        });
    ground
}

/// Returns fractal simplex noise with `octaves` octaves, mostly within ±0.5. Perlin noise would
/// show its lattice on gentle slopes.
fn rolling(seed: u32, octaves: usize) -> Fbm<SuperSimplex> {
    // The octaves use the seed and its successors: clamped, so that none overflows.
    Fbm::new(seed.min(u32::MAX - 16))
        .set_octaves(octaves)
        .set_persistence(0.5)
}

/// Returns the noise in cells that the generators of plane, slope and bowl add to their heights.
/// Arguments of the function returned: distance from the centre of the simulation box to the east
/// and to the south, in units of the box's shorter side; amplitude proportional to `bed.roughness`.
fn relief(grid: Grid, bed: &Bed) -> impl Fn(f64, f64) -> f64 + Sync {
    let noise = rolling(bed.seed, 5);
    let strength = 0.06 * grid.ny as f64 * bed.roughness;
    move |u, v| {
        if strength == 0.0 {
            0.0
        } else {
            strength * noise.get([5.0 * u + 0.31, 5.0 * v + 0.57])
        }
    }
}

/// Generates a flat floor at the height `bed.base`, plus noise.
pub fn plane(grid: Grid, bed: &Bed) -> Array2<f32> {
    let relief = relief(grid, bed);
    from_place(grid, |u, v| bed.base + relief(u, v))
}

/// Generates a slope that descends from north to south at `angle_deg` degrees; the south edge is at
/// `bed.base`.
pub fn slope(grid: Grid, bed: &Bed, angle_deg: f64) -> Array2<f32> {
    let relief = relief(grid, bed);
    let side = grid.nx.min(grid.nz) as f64;
    // libm gives the same bits on every system, which std does not promise.
    let fall = libm::tan(angle_deg.to_radians()) * side;
    let south = 0.5 * (grid.nz as f64 - 1.0) / side;
    from_place(grid, |u, v| bed.base + fall * (south - v) + relief(u, v))
}

/// Generates a round bowl: `bed.base` at the centre, `height` cells higher at the circle that
/// touches the nearest sides of the simulation box, flat outside of the circle.
pub fn bowl(grid: Grid, bed: &Bed, height: f64) -> Array2<f32> {
    let relief = relief(grid, bed);
    from_place(grid, |u, v| {
        bed.base + height * (4.0 * (u * u + v * v)).min(1.0) + relief(u, v)
    })
}

/// Generates rounded hills with valleys between them, with heights from `bed.base` to about
/// `height` cells above the floor of the simulation box.
///
/// The position at which the noise is taken is displaced by noise of lower frequency (domain
/// warping), which turns single hills into chains; valleys are wider than crests. `bed.roughness`
/// sets the amplitude of the small features.
pub fn hills(grid: Grid, bed: &Bed, height: f64) -> Array2<f32> {
    let broad = rolling(bed.seed, 2);
    let fine = rolling(bed.seed.wrapping_add(1), 5);
    let bend = rolling(bed.seed.wrapping_add(2), 2);
    from_place(grid, |u, v| {
        let du = 0.10 * bend.get([2.0 * u + 0.13, 2.0 * v + 0.71]);
        let dv = 0.10 * bend.get([2.0 * u + 7.19, 2.0 * v + 3.37]);
        let (u, v) = (u + du, v + dv);
        let broad = broad.get([1.5 * u + 0.43, 1.5 * v + 0.29]);
        let fine = bed.roughness * fine.get([4.0 * u + 0.17, 4.0 * v + 0.83]);
        // Levels off towards both ends without ever being cut: no table-tops.
        let level = 1.1 * broad + 0.3 * fine * (0.7 + broad);
        let rise = 0.5 + 0.5 * level / (level * level + 0.5).sqrt();
        bed.base + (height - bed.base).max(0.0) * rise * (0.4 + 0.6 * rise)
    })
}

/// Smoothstep: returns the cubic that rises from 0 at `t` = 0 to 1 at `t` = 1 with slope 0 at both
/// ends; constant outside.
fn smooth(t: f64) -> f64 {
    let t = t.clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}
