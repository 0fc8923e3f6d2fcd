//! Collisions of light with smoke, drawn without bias: tentative collisions at the largest
//! extinction of each block, of which those with real smoke are kept (delta tracking), or by which
//! the transmittance is weighted (ratio tracking).

use crate::camera::Ray;
use crate::math::{V3, mix};
use crate::media::plume::{self, HIGHEST, Generations, RAGGED, ROUGH};
use crate::media::smoke::{Puff, SmokeField};
use crate::print::random::Draws;
use crate::print::world::Collision;
use crate::style::shading::ShadeContext;
use crate::volume::field::span_in;

/// Number of air cells along an edge of a block.
const BLOCK: usize = 2;
/// Albedo of steam's water drops for light of a single scattering, linear RGB; `plume::DROPS` holds
/// what many scatterings leave of it.
const DROPS: V3 = V3::new(0.985, 0.988, 0.992);
/// Share of its darkness that ash keeps for a single scattering, for the same reason.
const DARKNESS: f32 = 0.75;
/// Asymmetry of the phase functions of ash and of steam.
const AHEAD: [f32; 2] = [0.45, 0.65];
/// Transmittance below which ratio tracking ends half of its walks.
const FAINT: f32 = 0.1;

/// Smoke with bounds of its extinction.
pub(crate) struct Cloud<'a> {
    context: &'a ShadeContext<'a>,
    field: &'a SmokeField<'a>,
    generations: Generations,
    /// Bounds of the air, in cells of the simulation.
    bounds: [[f32; 2]; 3],
    /// Edge length of a block in cells of the simulation.
    edge: f32,
    /// Number of blocks along x, y and z.
    count: [usize; 3],
    /// Largest extinction per cell width in each block, x fastest.
    most: Vec<f32>,
}

impl<'a> Cloud<'a> {
    /// Finds the bounds of the extinction of the smoke of `context`; `None` without smoke.
    pub(crate) fn new(context: &'a ShadeContext<'a>) -> Option<Self> {
        let field = context.smoke?;
        let smoke = field.smoke;
        if smoke.is_empty() {
            return None;
        }
        let (texels, cell) = (smoke.texels(), smoke.edge());
        let grid = texels.grid;
        let cells = [grid.nx, grid.ny, grid.nz];
        let count = cells.map(|n| n.div_ceil(BLOCK));
        let mut roots = vec![0_u8; count.iter().product()];
        for (i, place) in grid.places().enumerate() {
            let root = texels.cells[i][0];
            if root == 0 {
                continue;
            }
            // Samples are interpolated up to half a cell beyond a cell's sides.
            let reach = |axis: usize| {
                let n = place[axis];
                n.saturating_sub(1) / BLOCK..=((n + 1) / BLOCK).min(count[axis] - 1)
            };
            for z in reach(2) {
                for y in reach(1) {
                    for x in reach(0) {
                        let block = &mut roots[(z * count[1] + y) * count[0] + x];
                        *block = root.max(*block);
                    }
                }
            }
        }
        let detail = context.look.air.detail;
        let bound = |root: u8| {
            let share = f32::from(root) / 255.0;
            let dense = share * share * texels.most;
            let thin = (-dense * cell).exp();
            dense * (1.0 + detail * HIGHEST * (ROUGH + RAGGED * thin)).min(4.0)
        };
        let low = texels.low;
        Some(Self {
            context,
            field,
            generations: context.billows,
            bounds: std::array::from_fn(|axis| {
                [low[axis], low[axis] + cells[axis] as f32 * cell]
            }),
            edge: BLOCK as f32 * cell,
            count,
            most: roots.into_iter().map(bound).collect(),
        })
    }

    /// Returns smoke and extinction (per cell width) at the point `p` (cells).
    fn at(&self, p: V3) -> Option<(Puff, f32)> {
        plume::dense_at(self.context, self.field, self.generations, p)
    }

    /// Calls `pass` with the largest extinction and the first and last distance (cell widths) of
    /// each block with smoke on `ray` (in cells, of which `pace` widths make one length along the
    /// ray) up to the distance `far` (widths), until `pass` returns false.
    fn walk(&self, ray: &Ray, pace: f32, far: f32, mut pass: impl FnMut(f32, f32, f32) -> bool) {
        let Some((near, end, _)) = span_in(&self.bounds, ray, far / pace) else {
            return;
        };
        let (mut at, start) = (near, ray.at(near + 1e-4));
        let mut cell = [0_isize; 3];
        let (mut next, mut stride, mut way) = ([f32::MAX; 3], [f32::MAX; 3], [0_isize; 3]);
        for axis in 0..3 {
            let (low, d) = (self.bounds[axis][0], ray.direction[axis]);
            let last = self.count[axis] as isize - 1;
            cell[axis] = (((start[axis] - low) / self.edge).floor() as isize).clamp(0, last);
            if d.abs() > 1e-7 {
                way[axis] = if d > 0.0 { 1 } else { -1 };
                let face = low + (cell[axis] + isize::from(d > 0.0)) as f32 * self.edge;
                next[axis] = (face - ray.origin[axis]) / d;
                stride[axis] = self.edge / d.abs();
            }
        }
        loop {
            let axis = (0..3).fold(0, |best, axis| if next[axis] < next[best] { axis } else { best });
            let leaves = next[axis].min(end);
            let [x, y, z] = cell.map(|n| n as usize);
            let most = self.most[(z * self.count[1] + y) * self.count[0] + x];
            if most > 0.0 && leaves > at && !pass(most, at * pace, leaves * pace) {
                return;
            }
            // A comparison that a number without value fails, too.
            if !(leaves < end) {
                return;
            }
            at = leaves.max(at);
            cell[axis] += way[axis];
            next[axis] += stride[axis];
            if cell[axis] < 0 || cell[axis] >= self.count[axis] as isize {
                return;
            }
        }
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
        self.walk(ray, pace, far, |most, from, to| {
            let mut t = from;
            loop {
                t -= (1.0 - draws.free()).ln() / most;
                if !(t < to) {
                    return true;
                }
                let chance = draws.free() * most;
                if let Some((puff, dense)) = self.at(ray.at(t / pace))
                    && dense > chance
                {
                    found = Some(self.collision(t, &puff));
                    return false;
                }
            }
        });
        found
    }

    /// Returns the collision with a particle of `puff` at the distance `t`.
    fn collision(&self, t: f32, puff: &Puff) -> Collision {
        let ash = plume::tinted(self.context.look.air.albedo.into(), puff.tint);
        let ash = ash.map(|a| 1.0 - DARKNESS * (1.0 - a));
        Collision {
            t,
            albedo: mix(ash, DROPS, puff.steam),
            ahead: AHEAD[0] + (AHEAD[1] - AHEAD[0]) * puff.steam,
        }
    }

    /// Returns an estimate of the transmittance along `ray` (in cells; `pace`: widths per cell
    /// length) up to the distance `far` (cell widths).
    pub(crate) fn passed(&self, ray: &Ray, pace: f32, far: f32, draws: &mut Draws) -> f32 {
        let mut passed = 1.0_f32;
        self.walk(ray, pace, far, |most, from, to| {
            let mut t = from;
            loop {
                t -= (1.0 - draws.free()).ln() / most;
                if !(t < to) {
                    return true;
                }
                let dense = self.at(ray.at(t / pace)).map_or(0.0, |(_, dense)| dense);
                passed *= 1.0 - dense / most;
                if passed < FAINT {
                    if draws.free() < 0.5 {
                        passed = 0.0;
                        return false;
                    }
                    passed *= 2.0;
                }
            }
        });
        passed.max(0.0)
    }
}

