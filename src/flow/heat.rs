//! Heat, once a step: loss to the sky, to roofs and to the bed, conduction between cells. Every loss is a whole number that
//! leaves a cell and enters a ledger.

use super::column::Column;
use super::{Cooling, FlowBox, FlowCell, FlowSetup, HEAT_UNITS, Lava, Mark, UNITS};

/// The constant of Stefan and Boltzmann in W/(m² K⁴).
pub(crate) const RADIATION: f64 = 5.67e-8;

/// Largest part of a temperature difference that conduction evens out in a step.
const EVENED: f64 = 0.25;

/// What a column lost in a step, in units of heat.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Losses {
    pub(crate) sky: i64,
    pub(crate) roof: i64,
    pub(crate) bed: i64,
}

impl Losses {
    pub(crate) fn plus(self, other: Self) -> Self {
        Self { sky: self.sky + other.sky, roof: self.roof + other.roof, bed: self.bed + other.bed }
    }
}

/// The numbers of a step's heat.
pub(crate) struct Cool<'a> {
    lava: &'a Lava,
    dz_m: f64,
    step_s: f64,
    /// Time at the end of the step.
    now_s: f64,
}

impl<'a> Cool<'a> {
    pub(crate) fn new(space: FlowBox, setup: &'a FlowSetup, now_s: f64) -> Self {
        Self { lava: &setup.lava, dz_m: space.dz_m, step_s: setup.step_s, now_s }
    }

    /// Whether any heat is lost at all.
    pub(crate) fn is_needed(&self) -> bool {
        let lava = self.lava;
        lava.cooling != Cooling::None || lava.bed_conduction > 0.0 || lava.conduction > 0.0
    }

    /// Takes the heat of a wet column for one step. Its runs keep their cells; their temperatures are stale.
    pub(crate) fn column(&self, column: &mut Column, mark: &Mark) -> Losses {
        let mut losses = Losses::default();
        let uppermost = column.runs.len() - 1;
        for i in 0..column.runs.len() {
            let run = column.runs[i];
            if !run.is_wet() {
                continue;
            }
            if let Cooling::Skin { tear_m } = self.lava.cooling
                && i == uppermost
            {
                let torn = 1.0 + f64::from(mark.speed) * self.step_s / tear_m;
                column.skin = ((f64::from(column.skin) + self.step_s) / torn) as f32;
            }
            let skin_s = f64::from(column.skin);
            let touched_s = (self.now_s - mark.arrival_s).max(0.0);
            let start = (run.first - column.base) as usize;
            let cells = &mut column.cells[start..start + (run.top - run.first + 1) as usize];
            if run.is_under_sky() && column.covered {
                // Water takes its heat by a reaction.
            } else if run.is_under_sky() {
                losses.sky += self.lose_above(cells, |t, depth| self.to_sky(t, depth, skin_s));
            } else if run.full {
                losses.roof += self.lose_above(cells, |t, depth| self.to_rock(t, depth, touched_s));
            }
            losses.bed += self.lose_to_bed(cells, touched_s);
            if self.lava.conduction > 0.0 {
                self.conduct(cells);
            }
        }
        losses
    }

    /// Takes heat from the top layer: the cells from the top down that hold half a cell, so that a sliver does not set alone.
    fn lose_above(&self, cells: &mut [FlowCell], cooled_by: impl Fn(f64, f64) -> f64) -> i64 {
        let (mut amount, mut heat, mut lowest) = (0i64, 0i64, cells.len());
        while lowest > 0 && amount < i64::from(UNITS / 2) {
            lowest -= 1;
            amount += i64::from(cells[lowest].amount);
            heat += cells[lowest].heat;
        }
        let kelvin = heat as f64 / amount as f64 / HEAT_UNITS as f64;
        let depth = amount as f64 / f64::from(UNITS) * self.dz_m;
        take_from(&mut cells[lowest..], cooled_by(kelvin, depth))
    }

    /// Kelvin that a layer under the sky loses in a step.
    fn to_sky(&self, kelvin: f64, depth_m: f64, skin_s: f64) -> f64 {
        let lava = self.lava;
        let capacity = lava.heat_per_m3() * depth_m;
        let above = kelvin - lava.ambient_k;
        match lava.cooling {
            Cooling::None => 0.0,
            Cooling::Bare { exposed } => {
                // Exact for any step: dT/dt = −f ε σ T⁴/(ρ c h).
                let cube = kelvin * kelvin * kelvin;
                let rate = 3.0 * exposed * lava.emissivity * RADIATION * cube * self.step_s / capacity;
                let radiated = kelvin - kelvin * inverse_cube_root(rate);
                let around = lava.ambient_k * lava.ambient_k * lava.ambient_k * lava.ambient_k;
                let received = exposed * lava.emissivity * RADIATION * around * self.step_s / capacity;
                let blown = if lava.convection > 0.0 {
                    above.max(0.0) * (1.0 - libm::exp(-exposed * lava.convection * self.step_s / capacity))
                } else {
                    0.0
                };
                (radiated - received + blown).clamp(0.0, above.max(0.0))
            }
            Cooling::Skin { .. } => {
                if above <= 0.0 {
                    return 0.0;
                }
                let fourth = |t: f64| t * t * t * t;
                let bare =
                    lava.emissivity * RADIATION * (fourth(kelvin) - fourth(lava.ambient_k)) + lava.convection * above;
                let through = lava.bed_conduction.max(1e-9) * above
                    / (core::f64::consts::PI * lava.diffusivity * skin_s.max(1.0)).sqrt();
                let flux = 1.0 / (1.0 / bare + 1.0 / through);
                above * (1.0 - libm::exp(-flux * self.step_s / (capacity * above)))
            }
        }
    }

    /// Kelvin that a layer loses in a step to rock that was at ambient temperature when it was touched: a half-space takes
    /// 2 k ΔT √(t/(π κ)) up to a time `t`.
    fn to_rock(&self, kelvin: f64, depth_m: f64, touched_s: f64) -> f64 {
        let lava = self.lava;
        if lava.bed_conduction <= 0.0 {
            return 0.0;
        }
        let above = (kelvin - lava.ambient_k).max(0.0);
        let roots = (touched_s + self.step_s).sqrt() - touched_s.sqrt();
        let taken = 2.0 * lava.bed_conduction * above * roots / (core::f64::consts::PI * lava.diffusivity).sqrt();
        (taken / (lava.heat_per_m3() * depth_m)).min(0.2 * above)
    }

    /// The same for the bed: from the lowest cell, and the next one where that holds less than half a cell.
    fn lose_to_bed(&self, cells: &mut [FlowCell], touched_s: f64) -> i64 {
        if self.lava.bed_conduction <= 0.0 {
            return 0;
        }
        let both = cells.len() > 1 && cells[0].amount < UNITS / 2;
        let lowest = &mut cells[..if both { 2 } else { 1 }];
        let amount: i64 = lowest.iter().map(|cell| i64::from(cell.amount)).sum();
        let heat: i64 = lowest.iter().map(|cell| cell.heat).sum();
        let kelvin = heat as f64 / amount as f64 / HEAT_UNITS as f64;
        let depth_m = amount as f64 / f64::from(UNITS) * self.dz_m;
        take_from(lowest, self.to_rock(kelvin, depth_m, touched_s))
    }

    /// Conduction between the cells of a run.
    fn conduct(&self, cells: &mut [FlowCell]) {
        for i in 1..cells.len() {
            let [below, above] = [cells[i - 1], cells[i]];
            let kelvin = |cell: FlowCell| cell.heat as f64 / f64::from(cell.amount) / HEAT_UNITS as f64;
            let thick = |cell: FlowCell| f64::from(cell.amount) / f64::from(UNITS) * self.dz_m;
            let apart = (0.5 * (thick(below) + thick(above))).max(0.25 * self.dz_m);
            let warmer = kelvin(below) - kelvin(above);
            let most = EVENED * warmer.abs() * thick(below).min(thick(above));
            let carried =
                (self.lava.conduction * warmer / apart * self.step_s / self.lava.heat_per_m3()).clamp(-most, most);
            let units = (carried / self.dz_m * f64::from(UNITS) * HEAT_UNITS as f64) as i64;
            cells[i - 1].heat -= units;
            cells[i].heat += units;
        }
    }
}

/// (1 + x)^(−1/3) for x from 0 on; by Newton's method where its series begins well.
fn inverse_cube_root(x: f64) -> f64 {
    if x > 0.05 {
        return 1.0 / libm::cbrt(1.0 + x);
    }
    let better = |y: f64| y * (4.0 - (1.0 + x) * (y * y * y)) * (1.0 / 3.0);
    better(better(1.0 + x * (x * (2.0 / 9.0) - 1.0 / 3.0)))
}

/// Cools cells by some kelvin and gives the heat taken.
fn take_from(cells: &mut [FlowCell], kelvin: f64) -> i64 {
    let mut taken = 0;
    for cell in cells {
        let heat = (f64::from(cell.amount) * kelvin * HEAT_UNITS as f64 + 0.5) as i64;
        let heat = heat.clamp(0, cell.heat);
        cell.heat -= heat;
        taken += heat;
    }
    taken
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_inverse_cube_root_is_one() {
        for i in 0..2000 {
            let x = libm::exp2(f64::from(i) * 0.02 - 35.0);
            let error = inverse_cube_root(x) * libm::cbrt(1.0 + x) - 1.0;
            assert!(error.abs() < 1e-15, "{x}: {error}");
        }
        assert_eq!(inverse_cube_root(0.0), 1.0);
    }
}
