//! Baseline for the engine's speed: the automaton as a tutorial would write it, with one array of
//! cells in 32-bit floats, double-buffered, on one thread. It is not slowed down on purpose: cells
//! without lava are skipped early, a column's neighbours are read directly from memory, and
//! compilation is fully optimised. Speeds of the fast engine are given as multiples of the
//! baseline's.
//!
//! The rules are those of the automaton, with floats instead of fixed point.
#![allow(dead_code, reason = "each bench uses its own part")]

use lavoxel::grid::Grid;
use lavoxel::random::mix64;
use lavoxel::rules::RulesSpec;
use lavoxel::units;
use lavoxel::world::World;

/// World of the baseline: amount and energy of each cell as floats, in the automaton's order of
/// cells.
pub(crate) struct Baseline {
    grid: Grid,
    solid: Vec<bool>,
    pub(crate) amount: Vec<f32>,
    energy: Vec<f32>,
    next_amount: Vec<f32>,
    next_energy: Vec<f32>,
}

/// Parameters of the rules gravity and spreading as floats.
#[derive(Clone, Copy)]
pub(crate) struct Numbers {
    factor: f32,
    beta: f32,
    threshold: f32,
    spread: f32,
    alpha: f32,
    support: f32,
}

impl From<&RulesSpec> for Numbers {
    fn from(spec: &RulesSpec) -> Self {
        Self {
            factor: spec.factor as f32,
            beta: spec.beta as f32,
            threshold: spec.threshold as f32,
            spread: spec.spread as f32,
            alpha: spec.alpha as f32,
            support: spec.support as f32,
        }
    }
}

impl Baseline {
    /// Creates a copy of the state of `world`.
    pub(crate) fn new(world: &World) -> Self {
        let grid = world.grid();
        let cells: Vec<_> = world.lava().cells().collect();
        let amount: Vec<f32> = cells
            .iter()
            .map(|cell| units::amount(cell.amount))
            .collect();
        let energy: Vec<f32> = cells
            .iter()
            .map(|cell| units::energy(cell.energy))
            .collect();
        let solid = grid
            .places()
            .map(|place| world.ground().is_solid(place))
            .collect();
        Self {
            grid,
            solid,
            next_amount: amount.clone(),
            next_energy: energy.clone(),
            amount,
            energy,
        }
    }

    /// Adds lava from a vent: fills cells on top of the standing lava in `columns` (x, z).
    /// `amount`: amount in full cells for all columns together; `energy`: energy per unit of
    /// amount.
    pub(crate) fn pour(&mut self, columns: &[(usize, usize)], amount: f32, energy: f32) {
        for &(x, z) in columns {
            let mut left = amount / columns.len() as f32;
            for y in 0..self.grid.ny {
                let i = self.grid.index([x, y, z]);
                if !self.solid[i] && left > 0.0 {
                    let poured = left.min(1.0 - self.amount[i]);
                    self.amount[i] += poured;
                    self.energy[i] += poured * energy;
                    left -= poured;
                }
            }
        }
    }

    /// Applies the rule gravity (equations 1–5 of the paper) in place, each column from the bottom
    /// up.
    pub(crate) fn gravity(&mut self, rules: &Numbers) {
        let grid = self.grid;
        for z in 0..grid.nz {
            for y in 1..grid.ny {
                let below = grid.index([0, y - 1, z]);
                for b in below..below + grid.nx {
                    let c = b + grid.nx;
                    let a = self.amount[c];
                    if a <= 0.0 || self.solid[b] {
                        continue;
                    }
                    let m = (a * rules.factor).min(1.0 - self.amount[b]);
                    if m <= 0.0 {
                        continue;
                    }
                    let e = self.energy[c];
                    let q = if m == a {
                        e
                    } else {
                        e.min(e * rules.beta * m / a)
                    };
                    self.amount[c] -= m;
                    self.amount[b] += m;
                    self.energy[c] -= q;
                    self.energy[b] += q;
                }
            }
        }
    }

    /// Applies the rule spreading (equations 6–19 of the paper), from one buffer to the other.
    pub(crate) fn spreading(&mut self, rules: &Numbers, step: u64) {
        let grid = self.grid;
        self.next_amount.copy_from_slice(&self.amount);
        self.next_energy.copy_from_slice(&self.energy);
        let seed = mix64(step);
        for z in 0..grid.nz {
            for y in 0..grid.ny {
                for x in 0..grid.nx {
                    let c = grid.index([x, y, z]);
                    let (a, e) = (self.amount[c], self.energy[c]);
                    if a <= 0.0 || e <= rules.threshold {
                        continue;
                    }
                    let b = c.wrapping_sub(grid.nx);
                    if y > 0 && !self.solid[b] && self.amount[b] < rules.support {
                        continue;
                    }
                    let pattern = mix64(seed ^ c as u64) >> 60;
                    let sides = [
                        (x > 0, c.wrapping_sub(1)),
                        (x + 1 < grid.nx, c + 1),
                        (z > 0, c.wrapping_sub(grid.slab())),
                        (z + 1 < grid.nz, c + grid.slab()),
                    ];
                    for (d, (inside, n)) in sides.into_iter().enumerate() {
                        if pattern >> d & 1 == 0 || !inside || self.solid[n] {
                            continue;
                        }
                        let m = (a * rules.spread).min((1.0 - self.amount[n]) / 4.0);
                        let q = e * rules.alpha * m / a;
                        self.next_amount[c] -= m;
                        self.next_amount[n] += m;
                        self.next_energy[c] -= q;
                        self.next_energy[n] += q;
                    }
                }
            }
        }
        std::mem::swap(&mut self.amount, &mut self.next_amount);
        std::mem::swap(&mut self.energy, &mut self.next_energy);
    }

    /// Returns the total amount of lava in the box, in full cells.
    pub(crate) fn mass(&self) -> f64 {
        self.amount.iter().map(|&a| f64::from(a)).sum()
    }
}
