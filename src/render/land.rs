//! The look of the ground: colour, fine relief, occlusion and sunlight, worked out once and kept between frames.

use nalgebra::Point3;
use ndarray::Array2;

use crate::grid::Grid;

use super::camera::Bounds;
use super::heightfield::Heightfield;
use super::math::{V3, lerp, mix, saturate, smoothstep, v3};
use super::noise;
use super::raster::Raster;
use super::sky::Sky;
use super::transfer::lamp;
use crate::view::LookSpec;

/// Nodes along the longer side of a final picture: about one per pixel of a usual one.
pub(crate) const NODES: usize = 768;
/// The side of the box, in cells, for which pattern sizes are written down.
const REFERENCE_SIDE: f32 = 128.0;
/// More nodes per cell than this show nothing new.
const MOST_PER_CELL: usize = 8;

/// Surface properties at one node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rock {
    pub(crate) albedo: V3,
    pub(crate) normal: V3,
    /// x: open share of the sky, y: share of the sun that arrives.
    pub(crate) light: nalgebra::Vector2<f32>,
}

/// The ground, ready to be drawn: baked from heights once, then shared by all frames.
#[derive(Clone, Debug)]
pub(crate) struct TerrainLook {
    /// The ground as drawn: the top with its relief, one node in `per_cell`, and the cut sides.
    pub(crate) block: Heightfield,
    /// Colour of the rock, linear RGB.
    pub(crate) albedo: Raster<V3>,
    /// Unit normals with the finest grain; between nodes they are to be made unit vectors again.
    pub(crate) normal: Raster<V3>,
    /// x: open share of the sky, y: share of the sun that arrives.
    pub(crate) light: Raster<nalgebra::Vector2<f32>>,
    /// Light of the plain styles on the top: a lamp that does not move, and the open sky.
    pub(crate) plain: Raster<f32>,
    /// Cells per unit of pattern: a fine and a coarse grid of the same land look alike.
    pub(crate) unit: f32,
    /// Rise per cell of the ground towards +x and +z, smoothed over a few cells.
    pub(crate) slope: Raster<nalgebra::Vector2<f32>>,
}

/// Nodes to a cell on land of so many cells along its longer side.
fn per_cell(side: usize, nodes: usize) -> usize {
    (nodes / side).clamp(1, MOST_PER_CELL)
}

/// Number of nodes in a final picture of this box.
pub(crate) fn nodes(grid: Grid) -> usize {
    let per_cell = per_cell(grid.nx.max(grid.nz), NODES);
    (grid.nx * per_cell + 1) * (grid.nz * per_cell + 1)
}

impl TerrainLook {
    /// Bakes the look of `ground`: heights in cells above the box floor at column centres, shape (nz, nx).
    ///
    /// Panics when the shape of `ground` is not (nz, nx) of `grid`.
    pub(crate) fn bake(ground: &Array2<f32>, grid: Grid, look: &LookSpec, nodes: usize) -> Self {
        assert_eq!(ground.dim(), (grid.nz, grid.nx), "the ground has one height per column");
        let cells = (grid.nx, grid.nz);
        let side = grid.nx.max(grid.nz);
        let per_cell = per_cell(side, nodes);
        let coarse = Raster::columns(cells, ground.iter().copied().collect());
        let smooth = Raster::nodes(cells, per_cell, |x, z| coarse.smooth_at(x, z));
        let unit = side as f32 / REFERENCE_SIDE;
        let rills = rills(&smooth, &coarse, unit);
        // A coarse grid has fewer cells to a wave, so the same waves must be lower to be as steep.
        let heights = smooth
            .map(|x, z, h| h + relief(v3(x, h, z) / unit, rills.at(x, z), steepness(&coarse, x, z)) * unit.min(1.0));
        let foot = -(0.05 * side as f32).max(1.0);
        let block = Heightfield::new(heights, foot);
        let lowest = block.heights.data.iter().copied().fold(f32::MAX, f32::min);
        // Low hills have no summit to colour: a land counts as at least so high.
        let rise = (block.top - lowest).max(0.3 * side as f32);
        let albedo = block.heights.map(|x, z, h| {
            let (rill, up) = (rills.at(x, z), block.normal(x, z, 0.8).y);
            albedo(&Place { p: v3(x, h, z) / unit, rill, up, altitude: saturate((h - lowest) / rise) })
        });
        let fine = 1.0 / per_cell as f32;
        let normal = block.heights.map(|x, z, h| bumped(block.normal(x, z, fine), v3(x, h, z) / unit));
        let light = light(&block, &Sky::new(look));
        let lamp = lamp();
        let plain = light.map(|x, z, light| 0.30 * light.x + 0.75 * saturate(block.normal(x, z, 0.7).dot(&lamp)));
        let gentle = coarse.blurred(1);
        let slope = gentle.map(|x, z, _| {
            let (east, south) = gentle.slope(x, z, 1.0);
            nalgebra::Vector2::new(east, south)
        });
        Self { block, albedo, normal, light, plain, unit, slope }
    }

    /// Bakes the sunlight again for another time of day; everything else is kept.
    pub(crate) fn relight(&mut self, look: &LookSpec) {
        self.light = light(&self.block, &Sky::new(look));
    }

    /// What a camera should frame: the ground block of a box of `grid`'s shape, with air for the lava on it, in cells.
    pub(crate) fn subject(&self, grid: Grid) -> Bounds {
        // Lava lies on the ground and piles up over vents: leave it some air, but no more than the box has.
        let air = 0.06 * (grid.nx.max(grid.nz) as f32);
        let roof = |y: f32| (y + air).min(grid.ny as f32).max(1.0);
        let ground = &self.block.heights;
        let points = ground.data.iter().enumerate().map(|(k, &y)| {
            let node = |n: usize| n as f32 / ground.per_cell;
            Point3::new(node(k % ground.width), roof(y), node(k / ground.width))
        });
        Bounds::of_ground(grid, (self.block.foot, roof(self.block.top)), points)
    }

    /// Surface properties of the top at (x, z) in cells.
    #[inline(always)]
    pub(crate) fn rock(&self, x: f32, z: f32) -> Rock {
        let normal = super::math::unit_or_up(self.normal.at(x, z));
        Rock { albedo: self.albedo.at(x, z), normal, light: self.light.at(x, z) }
    }

    /// Share of the sun that arrives at (x, z).
    pub(crate) fn sunlight(&self, x: f32, z: f32) -> f32 {
        self.light.at(x, z).y
    }
}

fn steepness(heights: &Raster<f32>, x: f32, z: f32) -> f32 {
    let (east, south) = heights.slope(x, z, 1.0);
    east.hypot(south)
}

/// Noise averaged along the way water would run: streaks that follow the fall line, -1..1. This is what makes a
/// flank look washed by rain instead of rough.
fn rills(smooth: &Raster<f32>, coarse: &Raster<f32>, unit: f32) -> Raster<f32> {
    const STEPS: usize = 18;
    let grain = |x: f32, z: f32| noise::gradient(v3(x * 1.15, 0.5, z * 1.15));
    let seeds = smooth.map(|x, z, _| grain(x / unit, z / unit) + 0.5 * grain(x / unit * 2.3 + 11.0, z / unit * 2.3));
    smooth.map(|x, z, _| {
        let (mut px, mut pz, mut sum) = (x, z, 0.0);
        for _ in 0..STEPS {
            sum += seeds.at(px, pz);
            let (east, south) = coarse.slope(px, pz, 1.0);
            let slope = east.hypot(south);
            let stride = 0.55 * unit * saturate(slope * 3.0) / slope.max(1e-4);
            px -= east * stride;
            pz -= south * stride;
        }
        (sum / STEPS as f32 * 2.6).clamp(-1.0, 1.0)
    })
}

/// Height added to the smooth ground: rills on slopes and rubble everywhere, well under half a cell, so that the
/// picture still agrees with the cells that are solid.
fn relief(p: V3, rill: f32, steepness: f32) -> f32 {
    let washed = smoothstep(0.12, 0.7, steepness);
    let fields = smoothstep(-0.25, 0.35, noise::fractal(p * 0.06 + v3(9.0, 2.0, 7.0), 3));
    let rubble = noise::fractal(p * 0.8, 4) * lerp(0.25, 1.1, fields) * lerp(0.55, 1.0, washed);
    let blocks = noise::fractal(p * 0.23 + v3(3.0, 8.0, 1.0), 3);
    0.30 * rill * washed + 0.16 * rubble + 0.20 * blocks
}

/// Where on the ground a colour is asked for.
struct Place {
    /// Position in units of pattern.
    p: V3,
    rill: f32,
    /// Vertical part of the unit normal.
    up: f32,
    /// Height between the lowest and the highest ground, 0..1.
    altitude: f32,
}

/// Basalt, ash on gentle ground and in the rills, oxidised scoria towards the top and in patches.
fn albedo(place: &Place) -> V3 {
    let (p, rill, altitude) = (place.p, place.rill, place.altitude);
    let speckle = noise::fractal(p * 1.7, 4);
    let mottled = noise::fractal(p * 0.11 + v3(7.0, 1.0, 3.0), 4);
    let patches = noise::fractal(p * 0.055 + v3(31.0, 4.0, 12.0), 4);
    let basalt = mix(v3(0.040, 0.036, 0.036), v3(0.092, 0.080, 0.072), saturate(0.5 + 0.6 * mottled + 0.25 * rill));
    let ash = mix(v3(0.150, 0.128, 0.108), v3(0.205, 0.172, 0.140), saturate(0.5 + speckle));
    let scoria = mix(v3(0.120, 0.060, 0.044), v3(0.180, 0.100, 0.066), saturate(0.5 + mottled));
    let lying = smoothstep(0.62, 0.95, place.up);
    let ashy = saturate(lying * (0.35 + 0.9 * patches) + 0.35 * rill.max(0.0) + 0.10);
    let red = smoothstep(0.05, 0.45, mottled + 0.55 * (altitude - 0.62)) * (0.35 + 0.5 * altitude);
    let ground = mix(mix(basalt, ash, ashy * 0.75), scoria, saturate(red));
    // Old flows on the plain: darker tongues with a ragged edge.
    let old = smoothstep(0.02, 0.16, noise::fractal(v3(p.x, 0.0, p.z) * 0.045 + v3(2.0, 5.0, 9.0), 5));
    let ground = mix(ground, basalt * 0.75, old * lying * 0.7);
    ground * lerp(0.78, 1.22, saturate(0.5 + 0.7 * speckle))
}

/// Grain finer than the nodes' own relief.
fn bumped(n: V3, p: V3) -> V3 {
    let e = 0.12;
    let height = |q: V3| noise::fractal(q * 1.9 + v3(2.0, 6.0, 4.0), 3);
    let here = height(p);
    let tilt = v3(height(p + v3(e, 0.0, 0.0)) - here, 0.0, height(p + v3(0.0, 0.0, e)) - here) / e;
    let fields = smoothstep(-0.25, 0.35, noise::fractal(p * 0.06 + v3(9.0, 2.0, 7.0), 3));
    (n - tilt * lerp(0.06, 0.15, fields) * lerp(1.0, 0.6, smoothstep(0.75, 0.98, n.y))).normalize()
}

/// Sky and sun visibility. The sun's disc is imitated by a small blur of the hard shadow.
fn light(block: &Heightfield, sky: &Sky) -> Raster<nalgebra::Vector2<f32>> {
    let sun = block.heights.map(|x, z, h| {
        let start = v3(x, h, z) + block.normal(x, z, 0.3) * 0.25;
        if block.lit(start, sky.sun) { 1.0 } else { 0.0 }
    });
    let sun = sun.blurred((sun.per_cell * 0.16).round() as usize);
    block.heights.map(|x, z, h| nalgebra::Vector2::new(open_sky(block, v3(x, h, z)), sun.at(x, z)))
}

/// Share of the sky that higher ground around leaves open, from sixteen looks at three distances.
fn open_sky(block: &Heightfield, p: V3) -> f32 {
    const AROUND: usize = 8;
    let mut shut = 0.0;
    for (radius, weight) in [(0.7, 0.3), (2.5, 0.35), (8.0, 0.35)] {
        let mut rise = 0.0;
        for k in 0..AROUND {
            let angle = (k as f32 + radius) * std::f32::consts::TAU / AROUND as f32;
            let other = block.heights.at(p.x + radius * angle.cos(), p.z + radius * angle.sin());
            rise += saturate((other - p.y) / radius);
        }
        shut += weight * rise / AROUND as f32;
    }
    1.0 - saturate(shut * 1.5) * 0.85
}
