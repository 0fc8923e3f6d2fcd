//! Smoke baked below the air's cells, and collisions of light with it, drawn without bias:
//! tentative collisions at the largest extinction of each block, of which those with real smoke are
//! kept (delta tracking), or by which the transmittance is weighted (ratio tracking).

use std::sync::atomic::{AtomicBool, Ordering};

use crate::camera::Ray;
use crate::math::{V3, in_cells, lerp, mix, saturate, smoothstep, v3};
use crate::media::fog::FogField;
use crate::media::plume;
use crate::media::smoke::SmokeField;
use crate::media::steam;
use crate::print::random::Draws;
use crate::print::world::Collision;
use crate::style::shading::ShadeContext;
use crate::volume::field::span_in;
use lavoxel_base::parallel::*;
use lavoxel_base::simd::Portable;

/// Largest number of nodes per air cell along an axis, and largest number of all nodes.
pub(crate) const FINEST: usize = 6;
pub(crate) const MOST_NODES: usize = 64_000_000;
/// Number of nodes along an edge of a block.
const BLOCK: usize = 4;
/// Number of nodes per sample of sunlight along an axis.
const OF_SUN: usize = 3;
/// Optical depth through which no sunlight comes, and exponent with which a byte holds
/// transmittance.
const DARK: f32 = 14.0;
const ROOT: i32 = 4;
/// Albedo of steam's water drops for a single scattering, linear RGB; `plume::DROPS` is the albedo
/// after many scatterings.
const DROPS: V3 = V3::new(0.985, 0.988, 0.992);
/// Share of its darkness that ash keeps for a single scattering, for the same reason.
const DARKNESS: f32 = 0.75;
/// Share of its darkness that a gas of the automaton keeps for a single scattering.
const PALE: f32 = 0.15;
/// Asymmetry of the phase functions of ash and of steam.
const AHEAD: [f32; 2] = [0.45, 0.65];
/// Transmittance below which ratio tracking ends half of its walks.
const FAINT: f32 = 0.1;

// Billows: numbers found by trying them against photographs.
/// Decimal logarithms of the optical depth across an air cell between which smoke goes from thin to
/// dense. Smoke spans decades, so billows cut its logarithm.
const DECADES: [f32; 2] = [-1.5, 1.4];
/// Share of the logarithm's range that the deepest hollow between billows cuts away, in thin and in
/// dense smoke.
const CUTS: [f32; 2] = [0.22, 0.96];
/// Denseness at which the cut begins to grow and at which it is complete.
const CUT_GROWS: [f32; 2] = [0.15, 0.75];
/// Optical depth of an air cell inside billows of thin and of dense smoke.
const DEPTHS: [f32; 2] = [1.0, 14.0];
/// Factor on the extinction in hollows and on heads.
const HEADS: [f32; 2] = [0.6, 1.4];
/// Octaves of the billows: number of broadest billows per air cell, and weight.
const OCTAVES: [[f32; 2]; 4] = [[0.13, 0.30], [0.33, 0.30], [0.83, 0.24], [2.1, 0.16]];
/// Denseness between which a place counts as outside and inside of a cloud, and half width in air
/// cells of the stretch over which this is averaged.
const FULL: [f32; 2] = [0.03, 0.3];
const BROAD: f32 = 1.3;
/// Share of the surroundings that must be inside of steam where its deepest hollows end, and change
/// of this share over which steam grows dense; and depth of the hollows of ash relative to steam's.
const CARVED: [f32; 2] = [0.95, 0.3];
const OF_ASH: f32 = 0.6;
/// Distance in air cells over which smoke fades out towards a side or the top of the air's grid.
const FADES: f32 = 2.5;

/// Returns the extinction per cell width of smoke whose air cell of the edge `edge` has the mean
/// extinction `dense`, on a billow of the height `head` (0 hollow, 1 top). `detail`: strength of
/// the billows, 0 to 1.
fn shaped(dense: f32, edge: f32, head: f32, detail: f32) -> f32 {
    let place = denseness(dense, edge);
    let grows = smoothstep(CUT_GROWS[0], CUT_GROWS[1], place);
    let cut = detail * (1.0 - head) * lerp(CUTS[0], CUTS[1], grows);
    let body = smoothstep(0.0, 1.0, (place - cut) / (1.0 - cut).max(0.08));
    let depth = lerp(DEPTHS[0], DEPTHS[1], place * place);
    body * depth / edge * lerp(HEADS[0], HEADS[1], head)
}

/// Returns the denseness (0 thin, 1 dense) of smoke with the mean extinction `dense` per cell width
/// in an air cell of the edge `edge`.
fn denseness(dense: f32, edge: f32) -> f32 {
    let [thin, thick] = DECADES;
    saturate(((dense * edge).max(1e-9).log10() - thin) / (thick - thin))
}

/// Bytes on a regular grid of nodes, interpolated linearly.
struct Nodes {
    count: [usize; 3],
    /// Place of the first node, in cells of the simulation, and distance between nodes.
    first: V3,
    edge: f32,
    bytes: Vec<u8>,
}

impl Nodes {
    /// Computes `byte` (of a place in cells) at each of `count` nodes, beginning at `first` and
    /// `edge` apart.
    fn new(count: [usize; 3], first: V3, edge: f32, byte: impl Fn(V3) -> u8 + Sync) -> Self {
        let slab = count[0] * count[1];
        let mut bytes = vec![0; slab * count[2]];
        bytes
            .par_chunks_mut(slab)
            .enumerate()
            .for_each(|(z, slab)| {
                for (i, to) in slab.iter_mut().enumerate() {
                    let node = v3((i % count[0]) as f32, (i / count[0]) as f32, z as f32);
                    *to = byte(first + node * edge);
                }
            });
        Self {
            count,
            first,
            edge,
            bytes,
        }
    }

    /// Returns the byte at the point `p` (cells), interpolated, as 0 to 1; `None` outside.
    #[inline]
    fn at(&self, p: V3) -> Option<f32> {
        let q = (p - self.first) / self.edge;
        let last = |axis: usize| (self.count[axis] - 1) as f32;
        if !(0..3).all(|axis| q[axis] >= 0.0 && q[axis] < last(axis)) {
            return None;
        }
        let [i, j, k] = [q.x as usize, q.y as usize, q.z as usize];
        let (row, slab) = (self.count[0], self.count[0] * self.count[1]);
        let near = &self.bytes[k * slab + j * row + i..];
        let (x, y, z) = (q.x - i as f32, q.y - j as f32, q.z - k as f32);
        let pair = |at: usize| lerp(f32::from(near[at]), f32::from(near[at + 1]), x);
        let low = lerp(pair(0), pair(row), y);
        let high = lerp(pair(slab), pair(slab + row), y);
        Some(lerp(low, high, z) * (1.0 / 255.0))
    }
}

/// Matter of a cloud before it is baked.
#[derive(Clone, Copy)]
enum Source<'a> {
    /// Ash and steam in the air.
    Smoke(&'a SmokeField<'a>),
    /// Gases of the automaton.
    Gas(&'a FogField<'a>),
}

/// Matter of a cloud at a point, interpolated between the cells of its source.
struct Matter {
    /// Extinction per cell width, without billows.
    dense: f32,
    /// Velocity by which billows ride, in cells per step.
    flow: V3,
    /// Single-scattering albedo, linear RGB.
    albedo: V3,
    /// Share of water drops, 0 to 1.
    steam: f32,
}

impl Source<'_> {
    /// Returns the edge length in cells of the grid from which the source is interpolated.
    fn edge(self) -> f32 {
        match self {
            Source::Smoke(field) => field.smoke.edge(),
            Source::Gas(field) => field.edge(),
        }
    }

    /// Returns the bounds of the source along each axis, in cells.
    fn bounds(self) -> [[f32; 2]; 3] {
        match self {
            Source::Smoke(field) => {
                let texels = field.smoke.texels();
                let cells = [texels.grid.nx, texels.grid.ny, texels.grid.nz];
                std::array::from_fn(|axis| {
                    let low = texels.low[axis];
                    [low, low + cells[axis] as f32 * self.edge()]
                })
            }
            Source::Gas(field) => field.shown(),
        }
    }

    /// Returns the largest extinction per cell width.
    fn most(self) -> f32 {
        match self {
            Source::Smoke(field) => field.smoke.texels().most,
            Source::Gas(field) => field.kinds().iter().map(|kind| kind.extinction).sum(),
        }
    }

    /// Returns the strength of the billows, 0 to 1.
    fn detail(self, context: &ShadeContext) -> f32 {
        match self {
            Source::Smoke(_) => (2.0 * context.look.air.detail).min(1.0),
            Source::Gas(field) => {
                let kinds = field.kinds().iter();
                kinds.map(|kind| kind.billows).fold(0.0, f32::max).min(1.0)
            }
        }
    }

    /// Returns how much of the surroundings of each of its cells the source fills. (`low`, `sides`):
    /// first corner and edges of the bounds, in cells.
    fn broad(self, context: &ShadeContext, (low, sides): (V3, [f32; 3])) -> Nodes {
        let edge = self.edge();
        let is_in = |p: V3| {
            let dense = self.at(context, p).map_or(0.0, |matter| matter.dense);
            smoothstep(FULL[0], FULL[1], denseness(dense, edge))
        };
        let around = |p: V3| {
            let step = |k: usize| BROAD * edge * (k as f32 - 1.0);
            let near = (0..27).map(|k| is_in(p + v3(step(k % 3), step(k / 3 % 3), step(k / 9))));
            (255.0 / 27.0 * near.sum::<f32>() + 0.5) as u8
        };
        let count = sides.map(|side| ((side / edge).round() as usize).max(2));
        Nodes::new(count, low.add_scalar(0.5 * edge), edge, around)
    }

    /// Returns the matter at the point `p` (cells); `None` where there is too little.
    fn at(self, context: &ShadeContext, p: V3) -> Option<Matter> {
        match self {
            Source::Smoke(field) => {
                let puff = field.smoke.at(Portable, p)?;
                let ash = plume::tinted(context.look.air.albedo.into(), puff.tint);
                let ash = ash.map(|a| 1.0 - DARKNESS * (1.0 - a));
                Some(Matter {
                    dense: puff.dense,
                    flow: puff.flow,
                    albedo: mix(ash, DROPS, puff.steam),
                    steam: puff.steam,
                })
            }
            Source::Gas(field) => {
                let gas = field.at(p);
                let (mut dense, mut albedo) = (0.0, V3::zeros());
                for (kind, density) in field.kinds().iter().zip(gas.densities) {
                    let part = density * kind.extinction;
                    dense += part;
                    albedo += kind.albedo * part;
                }
                (dense > 0.0).then(|| Matter {
                    dense,
                    flow: v3(0.0, steam::RISE as f32, 0.0),
                    albedo: (albedo / dense).map(|a| 1.0 - PALE * (1.0 - a)),
                    steam: 1.0,
                })
            }
        }
    }
}

/// Smoke or gas baked for paths.
pub(crate) struct Cloud<'a> {
    context: &'a ShadeContext<'a>,
    source: Source<'a>,
    /// Extinction per cell width at nodes, as shares of `most`.
    dense: Nodes,
    most: f32,
    /// Transmittance towards the sun, as roots of the order `ROOT`.
    sun: Nodes,
    /// Number of blocks along x, y and z, and largest extinction in each, x fastest.
    count: [usize; 3],
    bounds: Vec<f32>,
}

impl<'a> Cloud<'a> {
    /// Bakes the smoke and the gases of `context`; leaves the rest empty once `stop` is set.
    pub(crate) fn all(context: &'a ShadeContext<'a>, stop: &AtomicBool) -> Vec<Self> {
        let smoke = context.smoke.filter(|field| !field.smoke.is_empty());
        let gas = context.fog.filter(|field| !field.is_clear());
        let sources = [smoke.map(Source::Smoke), gas.map(Source::Gas)];
        let sources = sources.into_iter().flatten();
        sources
            .map(|source| Self::new(context, source, stop))
            .collect()
    }

    fn new(context: &'a ShadeContext<'a>, source: Source<'a>, stop: &AtomicBool) -> Self {
        let (corners, cell) = (source.bounds(), source.edge());
        let low = v3(corners[0][0], corners[1][0], corners[2][0]);
        let sides = corners.map(|[low, high]| (high - low).max(cell));
        let all: f32 = sides.iter().map(|side| side / cell).product();
        let finer = (1..=FINEST)
            .rev()
            .find(|n| all * n.pow(3) as f32 <= MOST_NODES as f32);
        let finer = finer.unwrap_or(1) as f32;
        let edge = cell / finer;
        let first = low.add_scalar(0.5 * edge);
        let nodes = sides.map(|side| ((side / edge).round() as usize).max(2));
        let most = shaped(source.most(), cell, 1.0, 0.0).max(1e-9);
        // Smoke in a thin box does not end at its panes.
        let is_thin = [0, 2].map(|axis| sides[axis] < 4.0 * FADES * cell);
        let fade = |p: V3| {
            let away = |axis: usize| (p[axis] - corners[axis][0]).min(corners[axis][1] - p[axis]);
            let beside = |axis: usize, is_thin| if is_thin { f32::MAX } else { away(axis) };
            let side = beside(0, is_thin[0]).min(beside(2, is_thin[1]));
            smoothstep(0.0, FADES * cell, side.min(corners[1][1] - p.y))
        };
        let detail = source.detail(context);
        let broad = source.broad(context, (low, sides));
        let dense = Nodes::new(nodes, first, edge, |p| {
            let matter = source.at(context, p);
            let Some(matter) = matter.filter(|_| !stop.load(Ordering::Relaxed)) else {
                return 0;
            };
            let head = heads(context, matter.flow, p, cell);
            let hollow = CARVED[0] * detail * (1.0 - head) * lerp(OF_ASH, 1.0, matter.steam);
            let within = smoothstep(0.0, CARVED[1], broad.at(p).unwrap_or(0.0) - hollow);
            let dense = within * shaped(matter.dense * fade(p), cell, head, detail);
            (255.0 * dense / most + 0.5).min(255.0) as u8
        });
        let (count, bounds) = bounds(&dense, most);
        let mut cloud = Self {
            context,
            source,
            dense,
            most,
            sun: Nodes::new([2; 3], first, edge, |_| 255),
            count,
            bounds,
        };
        let sun = in_cells(context.sky.sun, context.look.cell_height);
        let few = nodes.map(|n| n.div_ceil(OF_SUN) + 1);
        cloud.sun = Nodes::new(few, first, edge * OF_SUN as f32, |p| {
            if stop.load(Ordering::Relaxed) {
                return 0;
            }
            let depth = cloud.depth(p, sun);
            (255.0 * (-depth / ROOT as f32).exp() + 0.5) as u8
        });
        cloud
    }

    /// Returns the extinction per cell width at the point `p` (cells).
    #[inline]
    fn at(&self, p: V3) -> f32 {
        self.dense.at(p).map_or(0.0, |share| share * self.most)
    }

    /// Returns the bounds of the smoke along each axis, in cells.
    fn bounds(&self) -> [[f32; 2]; 3] {
        std::array::from_fn(|axis| {
            let first = self.dense.first[axis];
            let last = (self.dense.count[axis] - 1) as f32 * self.dense.edge;
            [first, first + last]
        })
    }

    /// Returns the optical depth from the point `p` (cells) along `way` (cells per cell width).
    fn depth(&self, p: V3, way: V3) -> f32 {
        let step = 1.7 * self.dense.edge;
        let (mut t, mut depth) = (0.5 * step, 0.0);
        while depth < DARK {
            let Some(share) = self.dense.at(p + way * t) else {
                break;
            };
            depth += share * self.most * step;
            t += step;
        }
        depth
    }

    /// Returns the transmittance of the smoke along `ray` (cells), which goes to the sun.
    pub(crate) fn sunlit(&self, ray: &Ray) -> f32 {
        let Some((near, ..)) = span_in(&self.bounds(), ray, f32::MAX) else {
            return 1.0;
        };
        let inside = if near > 0.0 { near + 0.01 } else { 0.0 };
        self.sun
            .at(ray.at(inside))
            .map_or(1.0, |root| root.powi(ROOT))
    }

    /// Calls `pass` with the largest extinction and the first and last distance (cell widths) of
    /// each block with smoke on `ray` (in cells, of which `pace` widths make one length along the
    /// ray) up to the distance `far` (widths), until `pass` returns false.
    fn walk(&self, ray: &Ray, pace: f32, far: f32, mut pass: impl FnMut(f32, f32, f32) -> bool) {
        let (bounds, edge) = (self.bounds(), BLOCK as f32 * self.dense.edge);
        let Some((near, end, _)) = span_in(&bounds, ray, far / pace) else {
            return;
        };
        let (mut at, start) = (near, ray.at(near + 1e-4));
        let mut cell = [0_isize; 3];
        let (mut next, mut stride, mut way) = ([f32::MAX; 3], [f32::MAX; 3], [0_isize; 3]);
        for axis in 0..3 {
            let (low, d) = (bounds[axis][0], ray.direction[axis]);
            let last = self.count[axis] as isize - 1;
            cell[axis] = (((start[axis] - low) / edge).floor() as isize).clamp(0, last);
            if d.abs() > 1e-7 {
                way[axis] = if d > 0.0 { 1 } else { -1 };
                let face = low + (cell[axis] + isize::from(d > 0.0)) as f32 * edge;
                next[axis] = (face - ray.origin[axis]) / d;
                stride[axis] = edge / d.abs();
            }
        }
        loop {
            let nearest =
                |best: usize, axis: usize| if next[axis] < next[best] { axis } else { best };
            let axis = (1..3).fold(0, nearest);
            let leaves = next[axis].min(end);
            let [x, y, z] = cell.map(|n| n as usize);
            let most = self.bounds[(z * self.count[1] + y) * self.count[0] + x];
            if most > 0.0 && leaves > at && !pass(most, at * pace, leaves * pace) {
                return;
            }
            at = leaves.max(at);
            cell[axis] += way[axis];
            next[axis] += stride[axis];
            let is_inside = (0..self.count[axis] as isize).contains(&cell[axis]);
            if leaves >= end || leaves.is_nan() || !is_inside || way[axis] == 0 {
                return;
            }
        }
    }

    /// Returns the transmittance on `ray` (in cells; `pace`: widths per cell length) up to the
    /// distance `far` (cell widths), from one sample a block: about what neighbours agree on.
    pub(crate) fn veil(&self, ray: &Ray, pace: f32, far: f32) -> f32 {
        let mut depth = 0.0;
        self.walk(ray, pace, far, |_, from, to| {
            depth += (to - from) * self.at(ray.at(0.5 * (from + to) / pace));
            depth < DARK
        });
        (-depth).exp()
    }

    /// Draws tentative collisions on `ray` (in cells; `pace`: widths per cell length) before the
    /// distance `far` (cell widths) at the largest extinction of each block, and calls `see` with
    /// the distance, the extinction there, the largest extinction and `draws`, until `see` returns
    /// false.
    fn tentative(
        &self,
        ray: &Ray,
        pace: f32,
        far: f32,
        draws: &mut Draws,
        mut see: impl FnMut(f32, f32, f32, &mut Draws) -> bool,
    ) {
        self.walk(ray, pace, far, |most, from, to| {
            let mut t = from;
            loop {
                t -= (1.0 - draws.free()).ln() / most;
                if t >= to || t.is_nan() {
                    return true;
                }
                if !see(t, self.at(ray.at(t / pace)), most, draws) {
                    return false;
                }
            }
        });
    }

    /// Returns the first collision on `ray` (in cells; `pace`: widths per cell length) before the
    /// distance `far` (cell widths).
    pub(crate) fn collide(
        &self,
        ray: &Ray,
        pace: f32,
        far: f32,
        draws: &mut Draws,
    ) -> Option<Collision> {
        let mut found = None;
        self.tentative(ray, pace, far, draws, |t, dense, most, draws| {
            let is_real = dense > draws.free() * most;
            found = is_real.then_some(t);
            !is_real
        });
        found.map(|t| self.collision(t, ray.at(t / pace)))
    }

    /// Returns the collision with a particle at the point `p` (cells) at the distance `t`.
    fn collision(&self, t: f32, p: V3) -> Collision {
        let matter = self.source.at(self.context, p);
        let (albedo, steam) = matter.map_or((DROPS, 1.0), |matter| (matter.albedo, matter.steam));
        Collision {
            t,
            albedo,
            ahead: lerp(AHEAD[0], AHEAD[1], steam),
            glow: match self.source {
                Source::Smoke(_) => self.context.look.air.glow,
                Source::Gas(_) => 1.0,
            },
        }
    }

    /// Returns an estimate of the transmittance along `ray` (in cells; `pace`: widths per cell
    /// length) up to the distance `far` (cell widths).
    pub(crate) fn passed(&self, ray: &Ray, pace: f32, far: f32, draws: &mut Draws) -> f32 {
        let mut passed = 1.0_f32;
        self.tentative(ray, pace, far, draws, |_, dense, most, draws| {
            passed *= 1.0 - dense / most;
            if passed < FAINT {
                if draws.free() < 0.5 {
                    passed = 0.0;
                    return false;
                }
                passed *= 2.0;
            }
            true
        });
        passed.max(0.0)
    }
}

/// Returns the height (0 to 1) of the billows that ride on `flow` (cells per step) at the point `p`
/// (cells); `cell`: edge of an air cell.
fn heads(context: &ShadeContext, flow: V3, p: V3, cell: f32) -> f32 {
    let octave = |[count, weight]: [f32; 2]| {
        let billow = context.billows.billow(Portable, p, flow, count / cell);
        0.75 * weight * billow.0
    };
    saturate(0.5 + OCTAVES.into_iter().map(octave).sum::<f32>())
}

/// Returns the number of blocks of `dense` along each axis, and the largest extinction in each;
/// `most`: extinction of the byte 255.
fn bounds(dense: &Nodes, most: f32) -> ([usize; 3], Vec<f32>) {
    let [nx, ny, nz] = dense.count;
    let count = dense.count.map(|n| (n - 1).div_ceil(BLOCK));
    let block = |b: usize| {
        let place = [
            b % count[0],
            b / count[0] % count[1],
            b / (count[0] * count[1]),
        ];
        // A block is bounded by nodes on all sides, those of its far sides included.
        let range = |axis: usize, n: usize| {
            let low = place[axis] * BLOCK;
            low..(low + BLOCK + 1).min(n)
        };
        let mut byte = 0;
        for z in range(2, nz) {
            for y in range(1, ny) {
                let row = &dense.bytes[(z * ny + y) * nx..][range(0, nx)];
                byte = row.iter().fold(byte, |byte: u8, b| byte.max(*b));
            }
        }
        f32::from(byte) / 255.0 * most
    };
    let all = count.iter().product::<usize>();
    (count, (0..all).into_par_iter().map(block).collect())
}
