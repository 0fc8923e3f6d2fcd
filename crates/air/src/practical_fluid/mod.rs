//! Solver after Mick West's article (Practical Fluid Mechanics, 2007), in three dimensions and in
//! integers: compressible air, exactly conservative, independent of the order of cells.
//!
//! Density differences accelerate the air, heat lifts it, and one diffusion pass damps ripples.
//! Then velocity, density and the carried fields are advected by half a step in a forward pass and
//! by half a step in a reverse pass, both exactly conservative. A cell beyond an open side contains
//! ambient air or wind and moves like the cell next to it; after each pass that cell is reset to
//! ambient air, and the amounts that crossed the side are booked.
//!
//! [`Plain`] is the reference implementation; [`PracticalFluid`] gives the same bits fast.
//!
//! # Limits
//!
//! Invariant: no number overflows. A velocity component is at most 2 cells per step; for pressure
//! and lift, density and heat are clamped to 256.0. A cell that would contain more than 2³² − 1
//! units of a field receives nothing of this field from its neighbours in the pass, so that the
//! account stays exact. The fast passes have no such check: a step in which the largest amount and
//! the largest speed could fill a cell that far (amounts above 75.8 at least) is computed by the
//! plain passes.

mod borders;
mod carry;
mod chunks;
mod four;
mod ground;
mod held;
mod lanes;
mod neighbours;
mod numbers;
mod params;
mod plain;
mod push;
mod rates;
mod row;
#[cfg(test)]
mod tests;
mod velocity;

pub use self::params::PracticalFluidParams;
pub use self::plain::Plain;

use self::carry::Passes;
use self::four::Four;
use self::ground::SolidBits;
use self::held::Held;
use self::rates::{FASTEST, Rates};
use self::velocity::{Velocity, near};
use crate::{AirGrid, Amounts, Field, Flows, Forces, Openness, Side, Solver};
use lavoxel_base::grid::Place;
use lavoxel_base::simd::Level;

/// Solver after Mick West's article: compressible air in integers.
#[derive(Clone, Debug)]
pub struct PracticalFluid {
    params: PracticalFluidParams,
    level: Level,
    velocity: Velocity,
    ground: SolidBits,
    /// Version of the amounts, and forces, at a last step that changed neither velocities nor
    /// amounts; `None` if the last step changed any.
    rest: Option<(u64, Forces)>,
    /// Buffers for the velocities and amounts within a step.
    scratch: Scratch,
}

/// Buffers for the velocities and amounts within a step, kept to avoid allocation.
#[derive(Clone, Debug)]
struct Scratch {
    /// Velocity components after the forces were applied, in units of 2⁻²⁰ cells per step.
    velocity: [Vec<i32>; 3],
    /// Density of the air after the forces were applied, in units of 2⁻²⁰.
    density: Vec<u32>,
    /// Velocities between the advection passes, packed by cell.
    velocities: [Vec<Four<i32>>; 2],
    /// Amounts of four fields between the advection passes, packed by cell.
    amounts: [Vec<Four<u32>>; 2],
    /// Factor of each cell by which the shares that other cells request in the reverse pass are
    /// scaled, 2¹⁵ = 1.
    factors: Vec<u32>,
    /// Fields of amount 0 in place of missing inks, because the passes work on four fields at once;
    /// used if the air has one to three inks.
    no_inks: [Vec<u32>; 4],
}

impl PracticalFluid {
    /// Returns a solver with air at rest, using the instruction set `level`. `params` must have
    /// been validated.
    pub fn new(grid: AirGrid, params: PracticalFluidParams, level: Level) -> Self {
        assert!(
            Level::available().contains(&level),
            "this processor has no {level:?}"
        );
        let velocity = Velocity::zero(grid);
        let four = || vec![Four::default(); grid.len()];
        let scratch = Scratch {
            velocity: velocity.planes.clone(),
            density: vec![0; grid.len()],
            velocities: [four(), four()],
            amounts: [
                vec![Four::default(); grid.len()],
                vec![Four::default(); grid.len()],
            ],
            factors: vec![0; grid.len()],
            no_inks: Default::default(),
        };
        Self {
            params,
            level,
            velocity,
            ground: SolidBits::unread(grid),
            rest: None,
            scratch,
        }
    }

    fn grid(&self) -> AirGrid {
        self.velocity.grid
    }

    /// Returns the velocity `v` of the cell with index `at`, with all components that point into
    /// closed faces set to 0.
    fn shut(&self, at: usize, v: [i32; 3]) -> [i32; 3] {
        [0, 1, 2].map(|axis| {
            let (low, high) = self.ground.faces(axis, at);
            if if v[axis] < 0 { low } else { high } == 0 {
                0
            } else {
                v[axis]
            }
        })
    }

    /// Returns true if no cell can overflow in this step, given `most`, the largest amount in units
    /// of any field in a cell. A forward pass adds at most the shares of the 27 cells in and around
    /// a cell, and a reverse pass at most the amount of the fullest cell.
    fn is_safe(&self, most: u32) -> bool {
        let safe = |fastest: i32| {
            let spread = 1.0 + f64::from(fastest.min(FASTEST)) / f64::from(FASTEST) * 2.0;
            f64::from(most) * 2.0 * spread * spread * spread < f64::from(u32::MAX)
        };
        safe(FASTEST) || safe(self.velocity.fastest())
    }

    /// Applies the forces to the velocity and advects the velocity by itself. Returns true if the
    /// velocity of any cell is not 0 before or after the step.
    fn move_air(&mut self, amounts: &mut Amounts, rates: &Rates) -> bool {
        let still = self.velocity.is_still();
        let passes = Passes {
            grid: self.grid(),
            level: self.level,
            ground: &self.ground,
            rates,
        };
        let Scratch {
            velocity: next,
            density,
            velocities,
            ..
        } = &mut self.scratch;
        let velocity = &mut self.velocity.planes;
        passes.border_motion(velocity);
        passes.border_density(amounts.field_mut(Field::Density));
        passes.push(velocity, amounts, (next, density));
        std::mem::swap(&mut amounts.fields_mut()[Field::Density as usize], density);
        std::mem::swap(velocity, next);
        // Rest needs three things: nothing moved before, nothing moves now, and the density is the
        // same.
        if still
            && self.velocity.is_still()
            && same_inside(passes.grid, amounts.field(Field::Density), density)
        {
            return false;
        }
        let velocity = &mut self.velocity.planes;
        passes.border_motion(velocity);
        passes.pack_velocity(velocities, velocity);
        let [first, second] = velocities;
        passes.border_velocity(first);
        passes.give(velocity, first, second);
        passes.settle(second, first);
        passes.border_velocity(second);
        passes.border_velocity(first);
        passes.ask(velocity, (second, None), first);
        passes.unpack_velocity(velocity, first);
        passes.border_motion(velocity);
        true
    }

    /// Advects density and all other fields by the new velocity, then applies the decay of heat. Of
    /// the returned flows only the decay is set, not the outflow.
    fn carry(&mut self, amounts: &mut Amounts, rates: &Rates) -> Flows {
        let passes = Passes {
            grid: self.grid(),
            level: self.level,
            ground: &self.ground,
            rates,
        };
        let Scratch {
            amounts: packed,
            factors,
            no_inks,
            ..
        } = &mut self.scratch;
        let velocity = &self.velocity.planes;
        passes.factors(velocity, factors);
        let has_inks = amounts.has(Field::INKS[0]);
        let (air, inks) = amounts.fields_mut().split_at_mut(Field::ALL.len());
        passes.carry((velocity, factors), packed, air, |y| rates.ambient(y));
        if has_inks {
            let missing: Vec<_> = (0..inks.len()).filter(|&k| inks[k].is_empty()).collect();
            for &k in &missing {
                no_inks[k].resize(passes.grid.len(), 0);
                std::mem::swap(&mut inks[k], &mut no_inks[k]);
            }
            passes.carry((velocity, factors), packed, inks, |_| [0; 4]);
            missing
                .into_iter()
                .for_each(|k| std::mem::swap(&mut inks[k], &mut no_inks[k]));
        }
        self.decay(amounts, rates)
    }

    /// Lowers the heat of all cells by its decay in a step; the returned flows contain only the
    /// heat lost, in units of 2⁻²⁰.
    fn decay(&self, amounts: &mut Amounts, rates: &Rates) -> Flows {
        let passes = Passes {
            grid: self.grid(),
            level: self.level,
            ground: &self.ground,
            rates,
        };
        let mut flows = Flows::default();
        flows.decayed[Field::Heat as usize] = passes.decay(amounts.field_mut(Field::Heat));
        flows
    }
}

impl Solver for PracticalFluid {
    fn set_ground(&mut self, openness: &Openness, columns: &[(usize, usize)]) {
        self.ground.read(openness, columns);
        self.rest = None;
        let grid = self.grid();
        for (x, z) in near(grid, columns) {
            (0..grid.cells.ny).for_each(|y| self.push([x, y, z], [0.0; 3]));
        }
    }

    fn step(&mut self, amounts: &mut Amounts, openness: &Openness, forces: &Forces) -> Flows {
        if self
            .rest
            .as_ref()
            .is_some_and(|(version, under)| *version == amounts.version() && under == forces)
        {
            return Flows::default();
        }
        let rates = Rates::new(&self.params, forces);
        let before = Held::new(amounts, self.level);
        let ambient = (0..=self.grid().cells.ny)
            .map(|y| rates.background(y))
            .max()
            .unwrap_or(0);
        self.rest = None;
        if !self.move_air(amounts, &rates) {
            // Without motion only heat can change, by decay.
            let flows = self.decay(amounts, &rates);
            self.rest = (flows == Flows::default()).then(|| (amounts.version(), forces.clone()));
            return flows;
        }
        let mut flows = match self.is_safe(before.most.max(ambient)) {
            true => self.carry(amounts, &rates),
            false => plain::carry(&self.velocity, amounts, openness, &rates),
        };
        if self.grid().sides.contains(&Side::Open) {
            let after = Held::new(amounts, self.level);
            for field in amounts.present() {
                let field = field as usize;
                flows.out[field] =
                    before.totals[field] - after.totals[field] - flows.decayed[field] as i64;
            }
        }
        flows
    }

    fn velocity(&self, place: Place) -> [f32; 3] {
        self.velocity.get(place)
    }

    fn push(&mut self, place: Place, velocity: [f32; 3]) {
        let v = self.shut(self.grid().at(place), self.velocity.with(place, velocity));
        self.velocity.set(place, v);
        self.rest = None;
    }

    fn blow(&mut self, wind: &[[f32; 2]]) {
        for place in self.grid().cells.places() {
            let ([east, south], now) = (wind[place[1]], self.velocity(place));
            self.push(place, [east - now[0], 0.0, south - now[2]]);
        }
    }

    fn change_wind(&mut self, change: &[[f32; 2]]) {
        for place in self.grid().cells.places() {
            let [east, south] = change[place[1]];
            self.push(place, [east, 0.0, south]);
        }
    }

    fn planes(&self) -> Vec<Vec<u32>> {
        self.velocity.planes()
    }

    fn restore(&mut self, planes: &[Vec<u32>]) -> Result<(), String> {
        self.rest = None;
        self.velocity.restore(planes)
    }

    fn bytes(&self) -> usize {
        let cell = 14 * size_of::<i32>() + 11 * size_of::<u32>() + 3 * size_of::<u16>();
        self.grid().len() * cell
            + self
                .scratch
                .no_inks
                .iter()
                .map(|ink| size_of_val(&ink[..]))
                .sum::<usize>()
    }

    fn boxed_clone(&self) -> Box<dyn Solver> {
        Box::new(self.clone())
    }
}

/// Returns true if two fields are equal in all cells of the air's box; their halos may differ.
fn same_inside(grid: AirGrid, a: &[u32], b: &[u32]) -> bool {
    let row = |y, z| {
        let start = grid.at([0, y, z]);
        a[start..start + grid.cells.nx] == b[start..start + grid.cells.nx]
    };
    (0..grid.cells.nz).all(|z| (0..grid.cells.ny).all(|y| row(y, z)))
}
