//! Incompressible solver: velocities on the faces of the cells (staggered grid), a multigrid
//! pressure projection, and conservative advection of integer amounts of heat, ash, steam and inks
//! by limited one-dimensional sweeps.
//!
//! A step has one or two substeps, so that the air moves by at most 3.2 cells in a substep. A
//! substep advects the velocity (`velocity`, `far`) with one sweep along each axis at any speed,
//! adds the forces (`forces`, `swirl`), removes the divergence (`project`, `pressure`) and advects
//! the amounts (`scalars`) with as many sweeps in each line of cells as keep the distance per sweep
//! below 0.8 cells.
//!
//! Invariant: no value becomes NaN or infinite. Velocities are clamped to `FASTEST` before a step,
//! with the lift, and after every projection, where NaN is replaced too; wind and confinement are
//! clamped; volumes are at least 1/16; amounts are integers.
//!
//! Invariant: floating-point results are the same bits on every instruction set and for any number
//! of threads: same operations in the same order, no fused multiply-add, and no function except the
//! square root.

mod chunks;
mod far;
mod forces;
mod pace;
mod pressure;
mod project;
mod scalars;
mod sides;
mod state;
mod swirl;
#[cfg(test)]
mod tests;
mod velocity;

use crate::{AXES, AirGrid, Amounts, Flows, Forces, OPEN, Openness, Side, Solver};
use lavoxel_base::grid::Place;
use lavoxel_base::parallel::join;
use lavoxel_base::simd::Level;

use self::pace::Pace;
use self::pressure::Multigrid;
use self::swirl::Swirl;
use self::velocity::{Faces, Open, Sweep};

/// Largest distance in cells that the air moves in a substep; faster air takes two substeps per
/// step.
const REACH: f32 = 3.2;
/// Largest magnitude of a velocity component, in cells per step.
const FASTEST: f32 = 4.0;
/// Number of multigrid cycles per projection. The number is fixed, so that no sum over the air's
/// box (norm of the residual) decides when to stop.
const CYCLES: usize = 2;
/// Orders of the axes (0: x, 1: y, 2: z) for the advection sweeps, used in alternate substeps so
/// that no direction is preferred.
const ORDERS: [[usize; 3]; 2] = [[0, 2, 1], [1, 2, 0]];

/// Parameters of the incompressible solver.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct IncompressibleParams {
    /// Strength of the vorticity confinement: the change of velocity (cells per step) in a step is
    /// at most this factor (0 to 1) times the curl; 0 for no confinement.
    pub confinement: f32,
}

/// Incompressible solver of the air's motion, with its velocities, pressure and buffers.
#[derive(Clone, Debug)]
pub struct Incompressible {
    grid: AirGrid,
    params: IncompressibleParams,
    simd: Level,
    /// Velocity on the lower faces of the cells along x, y and z, in cells per step.
    u: Faces,
    /// Open shares (0 to 1) of the lower faces of the cells along x, y and z.
    open: Open,
    /// Two buffers for the velocities between the sweeps of an advection.
    swept: [Faces; 2],
    /// Volume of the air in each cell between the sweeps of a substep; 1 for a full cell.
    volume: Vec<f32>,
    pressure: Multigrid,
    /// Cells in which the vorticity confinement acts; `None` before its first use after a change of
    /// the ground.
    swirl: Option<Swirl>,
    /// Order flag: true if the next substep sweeps the axes in the second of the `ORDERS`.
    is_odd: bool,
    /// Start flag: true after the first step, at whose start the air's box is filled with the wind.
    has_begun: bool,
    /// Limit flag: true if all velocities are within ± `FASTEST`, and `pace` and `fastest` are up
    /// to date.
    is_limited: bool,
    pace: Pace,
    /// Largest speed along each axis in the air's box, in cells per step.
    fastest: [f32; 3],
    /// Calm flag: true if neither lift nor wind drives the air in this step.
    is_calm: bool,
    /// Version of the amounts, and forces, with which the air was at rest in the last step; `None`
    /// if the air was moving.
    rest: Option<(u64, Forces)>,
}

impl Incompressible {
    /// Returns a solver with air at rest and no solid cells, using the instruction set `level`.
    pub fn new(grid: AirGrid, params: IncompressibleParams, level: Level) -> Self {
        let mut grid = grid;
        // The floor is a wall, so nothing can wrap there.
        if grid.sides[1] == Side::Wrap {
            grid.sides[1] = Side::Wall;
        }
        let faces = || {
            [
                vec![0.0; grid.len()],
                vec![0.0; grid.len()],
                vec![0.0; grid.len()],
            ]
        };
        let confinement = if params.confinement > 0.0 {
            params.confinement.min(1.0)
        } else {
            0.0
        };
        let mut solver = Self {
            grid,
            params: IncompressibleParams { confinement },
            simd: level,
            u: faces(),
            open: Open::shut(grid),
            swept: [faces(), faces()],
            volume: vec![1.0; grid.len()],
            pressure: Multigrid::new(grid.size(), grid.sides, level),
            swirl: None,
            is_odd: false,
            has_begun: false,
            is_limited: true,
            pace: Pace::still(grid),
            fastest: [0.0; 3],
            is_calm: false,
            rest: None,
        };
        let columns: Vec<_> = (0..grid.cells.nz)
            .flat_map(|z| (0..grid.cells.nx).map(move |x| (x, z)))
            .collect();
        solver.take_ground(&Openness::free(grid), &columns);
        solver
    }

    /// Updates the open shares of all faces of the `columns` (x, z) from `openness`; velocities
    /// through closed faces become 0.
    fn take_ground(&mut self, openness: &Openness, columns: &[(usize, usize)]) {
        let [nx, ny, nz] = self.grid.size();
        let mut changed = Vec::new();
        for &(x, z) in columns {
            // Faces towards the next columns are stored with those.
            let beside = [(x, z), ((x + 1) % nx, z), (x, (z + 1) % nz)];
            for (k, (x, z)) in beside.into_iter().enumerate() {
                for y in 0..ny {
                    let axes: &[usize] = [&AXES[..], &AXES[..1], &AXES[2..]][k];
                    for &axis in axes {
                        self.take_face(openness, (axis, [x, y, z]), &mut changed);
                    }
                }
            }
        }
        changed.sort_unstable();
        changed.dedup();
        for &[y, z] in &changed {
            for axis in AXES {
                let faces = nx + usize::from(axis == 0);
                self.open.survey(axis, (self.grid.at([0, y, z]), faces));
                self.pace.find(axis, [y, z], &self.u[axis]);
            }
        }
        let (grid, open) = (self.grid, &self.open.faces);
        self.pressure.change(changed, |axis, place| {
            let open = open[axis][grid.at(place)];
            let at_side = place[axis] == 0 || place[axis] == grid.size()[axis];
            match grid.sides[axis] {
                _ if !at_side => open,
                Side::Wrap if grid.size()[axis] == 1 => 0.0,
                Side::Wrap => open,
                Side::Wall | Side::Open => 2.0 * open,
            }
        });
        (self.rest, self.swirl) = (None, None);
    }

    /// Updates the open share of the lower face of the cell `place` along `axis` from `openness`,
    /// and of the upper face if the cell is the last one along the axis. Adds the row `[y, z]` of
    /// each face that changed to `changed`.
    fn take_face(
        &mut self,
        openness: &Openness,
        (axis, place): (usize, Place),
        changed: &mut Vec<[usize; 2]>,
    ) {
        let is_last = place[axis] + 1 == self.grid.size()[axis];
        let mut faces = vec![(place, openness.low(axis, place))];
        if is_last {
            let mut beyond = place;
            beyond[axis] += 1;
            faces.push((beyond, openness.high(axis, place)));
        }
        if place[axis] == 0 && self.grid.sides[axis] == Side::Wrap {
            let mut beyond = place;
            beyond[axis] = self.grid.size()[axis];
            faces.push((beyond, openness.low(axis, place)));
        }
        for (place, units) in faces {
            let (at, open) = (self.grid.at(place), f32::from(units) / f32::from(OPEN));
            let was_still = open > 0.0 || std::mem::replace(&mut self.u[axis][at], 0.0) == 0.0;
            if std::mem::replace(&mut self.open.faces[axis][at], open) != open {
                changed.push([place[1], place[2]]);
            } else if !was_still {
                // The stopped face may have been the fastest of a row that is not examined again.
                self.is_limited = false;
            }
        }
    }

    fn step_within(
        &mut self,
        amounts: &mut Amounts,
        openness: &Openness,
        forces: &Forces,
    ) -> Flows {
        let (mut flows, winds) = (Flows::default(), forces::winds(forces, self.grid.cells.ny));
        let is_windy = winds.iter().any(|wind| *wind != [0.0; 3]);
        if !std::mem::replace(&mut self.has_begun, true) && is_windy {
            forces::blow(self.grid, &mut self.u, &self.open, &winds);
            self.is_limited = false;
        }
        if !std::mem::replace(&mut self.is_limited, true) {
            project::limit(self.grid, &mut self.u, &mut self.pace, self.simd);
        }
        self.fastest = self.pace.fastest();
        if self.is_at_rest(amounts, openness, forces, &winds) {
            return flows;
        }
        let fastest = self.fastest.into_iter().fold(0.0, f32::max);
        // As few substeps as the reach of the sweeps allows.
        let substeps = (fastest / REACH).ceil().max(1.0);
        let time = 1.0 / substeps;
        for _ in 0..substeps as usize {
            self.move_air(amounts, forces, &winds, time);
            let (motion, volume) = ((&self.u, &self.open, &self.pace), &mut self.volume);
            let order = ORDERS[usize::from(self.is_odd)];
            scalars::sweep(
                amounts,
                motion,
                volume,
                forces,
                (order, time, self.simd, &mut flows),
            );
            self.is_odd = !self.is_odd;
        }
        flows
    }

    /// Returns true if the air was at rest in the last step, and neither amounts nor forces have
    /// changed since that step.
    fn is_still_at_rest(&self, amounts: &Amounts, forces: &Forces) -> bool {
        self.rest
            .as_ref()
            .is_some_and(|(version, before)| *version == amounts.version() && before == forces)
    }

    /// Returns true if all velocities are 0 and no force acts on the air; also updates `is_calm`
    /// and `rest`.
    fn is_at_rest(
        &mut self,
        amounts: &Amounts,
        openness: &Openness,
        forces: &Forces,
        winds: &sides::Winds,
    ) -> bool {
        let is_still = self.fastest == [0.0; 3];
        if is_still && self.is_still_at_rest(amounts, forces) {
            return true;
        }
        let is_windy = winds.iter().flatten().any(|&wind| wind != 0.0);
        self.is_calm = !is_windy
            && (is_still || forces.calming > 0.0)
            && forces::is_calm(amounts, openness, forces);
        let is_at_rest = is_still && self.is_calm;
        self.rest = is_at_rest.then(|| (amounts.version(), forces.clone()));
        is_at_rest
    }

    /// Sets the velocity on the lower face of the cell `place` along `axis` to `velocity` (cells
    /// per step), or to 0 if the face is closed.
    fn set_face(&mut self, axis: usize, place: Place, velocity: f32) {
        let at = self.grid.at(place);
        self.u[axis][at] = if self.open.faces[axis][at] > 0.0 {
            velocity
        } else {
            0.0
        };
        self.pace.find(axis, [place[1], place[2]], &self.u[axis]);
    }

    /// Advances the velocity by a substep of `time` steps: advection, confinement, forces and
    /// pressure projection.
    fn move_air(&mut self, amounts: &Amounts, forces: &Forces, winds: &sides::Winds, time: f32) {
        let is_confined = self.params.confinement > 0.0;
        let before = if is_confined {
            swirl::energy(self.grid, &self.u, &self.open)
        } else {
            0.0
        };
        self.carry(winds, time);
        if is_confined {
            let lost = before - swirl::energy(self.grid, &self.u, &self.open);
            let swirl = self
                .swirl
                .get_or_insert_with(|| Swirl::new(self.grid, &self.open));
            let strength = (time * self.params.confinement, self.simd);
            swirl.turn_on(
                &mut self.u,
                &mut self.swept[0],
                (&self.open, lost),
                strength,
            );
        }
        let (grid, simd) = (self.grid, self.simd);
        forces::lift(amounts, forces, &mut self.u, (time, simd));
        forces::friction(grid, &mut self.u, &mut self.volume, (forces.friction, time));
        if self.is_calm {
            forces::calm_down(grid, &mut self.u, time * forces.calming);
        }
        if !forces.wind.is_empty() {
            forces::hold_wind(grid, &mut self.u, winds, time);
        }
        project::project(
            grid,
            &mut self.u,
            (&self.open, &mut self.pace),
            &mut self.pressure,
            (CYCLES, simd),
        );
        self.fastest = self.pace.fastest();
    }

    /// Advects the velocity by itself for `time` steps, with one sweep along each axis.
    fn carry(&mut self, winds: &sides::Winds, time: f32) {
        let (grid, simd, [first, second]) = (self.grid, self.simd, &mut self.swept);
        sides::fill(grid, &mut self.u, winds);
        for (k, axis) in ORDERS[usize::from(self.is_odd)].into_iter().enumerate() {
            let is_far = fastest(&self.fastest, winds, axis) * time >= 1.0;
            let from = if k == 0 { &self.u } else { &*first };
            let (speeds, open, share) = (&self.u, &self.open, 0.25 * time);
            velocity::sweep(
                Sweep {
                    grid,
                    axis,
                    share,
                    speeds,
                    open,
                    from,
                    is_far,
                },
                second,
                simd,
            );
            std::mem::swap(first, second);
        }
        std::mem::swap(&mut self.u, first);
    }
}

/// Largest speed along `axis` in cells per step: of the air in the air's box, or of the wind beyond
/// open sides, which moves into the box.
fn fastest(fastest: &[f32; 3], winds: &sides::Winds, axis: usize) -> f32 {
    winds
        .iter()
        .fold(fastest[axis], |most, wind| most.max(wind[axis].abs()))
}

impl Solver for Incompressible {
    fn set_ground(&mut self, openness: &Openness, columns: &[(usize, usize)]) {
        self.take_ground(openness, columns);
    }

    fn step(&mut self, amounts: &mut Amounts, openness: &Openness, forces: &Forces) -> Flows {
        if self.is_limited && self.is_still_at_rest(amounts, forces) {
            return Flows::default();
        }
        // Enters the thread pool once by `join`, so that the many small loops need not.
        join(|| self.step_within(amounts, openness, forces), || ()).0
    }

    fn velocity(&self, place: Place) -> [f32; 3] {
        let (at, strides) = (self.grid.at(place), self.grid.strides());
        AXES.map(|axis| 0.5 * (self.u[axis][at] + self.u[axis][at + strides[axis]]))
    }

    fn push(&mut self, place: Place, velocity: [f32; 3]) {
        let (grid, strides, size) = (self.grid, self.grid.strides(), self.grid.size());
        for axis in AXES {
            let mut ends = [place, place];
            ends[1][axis] += 1;
            for end in ends {
                let value = self.u[axis][grid.at(end)] + velocity[axis];
                self.set_face(axis, end, project::limited_number(value));
            }
            let (wraps, at) = (grid.sides[axis] == Side::Wrap, grid.at(place));
            let mut other = place;
            if wraps && place[axis] == 0 {
                other[axis] = size[axis];
                self.set_face(axis, other, self.u[axis][at]);
            }
            if wraps && place[axis] + 1 == size[axis] {
                other[axis] = 0;
                self.set_face(axis, other, self.u[axis][at + strides[axis]]);
            }
        }
        self.rest = None;
    }

    fn blow(&mut self, wind: &[[f32; 2]]) {
        let forces = Forces {
            wind: wind.to_vec(),
            ..Forces::default()
        };
        let winds = forces::winds(&forces, self.grid.cells.ny);
        forces::blow(self.grid, &mut self.u, &self.open, &winds);
        (self.has_begun, self.is_limited) = (true, false);
    }

    fn change_wind(&mut self, change: &[[f32; 2]]) {
        let change = Forces {
            wind: change.to_vec(),
            ..Forces::default()
        };
        let winds = forces::winds(&change, self.grid.cells.ny);
        forces::change_wind(self.grid, &mut self.u, &self.open, &winds);
        self.is_limited = false;
    }

    fn planes(&self) -> Vec<Vec<u32>> {
        self.to_planes()
    }

    fn restore(&mut self, planes: &[Vec<u32>]) -> Result<(), String> {
        self.take_planes(planes)
    }

    fn bytes(&self) -> usize {
        // Twelve arrays of faces (velocity, openness, two buffers) and one of volumes.
        let swirl = self.swirl.as_ref().map_or(0, Swirl::bytes);
        13 * self.grid.len() * size_of::<f32>() + swirl + self.pace.bytes() + self.pressure.bytes()
    }

    fn boxed_clone(&self) -> Box<dyn Solver> {
        Box::new(self.clone())
    }
}
