//! Temperature at and below the surface of the lava, for pictures and the probe.
//!
//! With `skin` cooling both temperatures come from the crust of the model (`lid`). A lava without
//! such a crust is shown with a quasi-steady crust: the conductive flux of a half-space that has
//! cooled for t seconds balances radiation and convection:
//!
//! ```text
//! k (T − Ts) / √(π κ t) = ε σ (Ts⁴ − Ta⁴) + h (Ts − Ta)
//! ```

use crate::cooling::heat::{RADIATION, run_content};
use crate::cooling::lid::{Crusted, Profile, WATER};
use crate::store::column::UNIT;
use crate::{Cooling, Flow, FlowCell, HEAT_UNITS, Lava, UNITS};

/// Distance of flow in metres after which a crust is torn, for the displayed surface temperature of
/// a lava without a crust in the model. The displayed age of the crust is the time for that
/// distance, or the time since lava came if that is less.
const TEAR_M: f64 = 100.0;
/// Thermal conductivity in W/(m K) of the displayed crust of a lava whose own conductivity is 0.
const CONDUCTIVITY: f64 = 1.5;
/// Smallest age in seconds of a displayed crust: a crust of age 0 would have an infinite flux.
const YOUNGEST_S: f64 = 1.0;
/// Number of Newton iterations for the surface temperature. Starting above the root, the iterates
/// decrease monotonically; the remaining error is below 1 K.
const NEWTON: usize = 7;

impl Flow {
    /// Returns true if the flow's lava grows a crust: it loses heat at its surface, has a solidus,
    /// and never melts again.
    pub fn grows_crust(&self) -> bool {
        let lava = &self.setup.lava;
        !lava.melts() && lava.cooling != Cooling::None && lava.solidus_k > 0.0
    }

    /// Surface temperature in K of the uppermost liquid in column `number`; `None` without liquid
    /// or below a roof.
    pub fn crust_k(&self, number: usize) -> Option<f64> {
        let column = self.columns.get(number)?;
        let run = column
            .runs
            .iter()
            .rev()
            .find(|run| run.is_wet())
            .filter(|run| run.is_under_sky())?;
        if let Some(profile) = self.profile(number) {
            return Some(profile.surface_k);
        }
        let kelvin = column.cell(run.top).temperature_k(&self.setup.lava)?;
        let mark = &self.marks[number];
        let there_s = (self.time_s() - mark.warmed_s).max(0.0);
        let age_s = there_s.min(TEAR_M / f64::from(mark.speed).max(1e-9));
        Some(surface_k(&self.setup.lava, (kelvin, column.covered), age_s))
    }

    /// Profile of heat over depth in the uppermost run of column `number`, crust included; `None`
    /// if the run is dry or the lava's cooling model has no crust.
    pub(crate) fn profile(&self, number: usize) -> Option<Profile> {
        let column = self.columns.get(number)?;
        let run = column
            .runs
            .last()
            .filter(|run| self.tables.carries_skin && run.is_wet())?;
        // The cells are summed here, since reactions take liquid between steps and the sums of the
        // run are stale.
        let (amount, heat) = run_content(column, run);
        let depth_m =
            amount as f64 / f64::from(UNITS) * self.space.dz_m / self.ground().wetted(number);
        let mean = heat as f64 / amount as f64 / HEAT_UNITS as f64;
        let body = Crusted {
            law: &self.tables.crust,
            mean,
            skin: f64::from(column.skin()),
            depth_m,
            covered: column.covered,
        };
        (amount > 0).then(|| body.profile())
    }

    /// Amounts of liquid and rock and heat of the cell with the index `level` in column `number`;
    /// under a crust the heat is taken from the crust's profile at the depth of the cell.
    pub(crate) fn shown_cell(&self, number: usize, level: i32) -> FlowCell {
        let column = self.column_at(number);
        let mut cell = column.cell(level);
        let has_crust = column.crust > 0 && cell.amount > 0;
        let Some(run) = column
            .runs
            .last()
            .filter(|run| has_crust && level >= run.first)
        else {
            return cell;
        };
        if let Some(profile) = self.profile(number) {
            let unit_m = self.space.dz_m / UNIT as f64 / self.ground().wetted(number);
            let from = run.surface() - run.surface().min(i64::from(level + 1) * UNIT);
            let to = from + i64::from(cell.amount);
            let warm = profile.mean(from as f64 * unit_m, to as f64 * unit_m);
            cell.heat = (warm * f64::from(cell.amount) * HEAT_UNITS as f64) as i64;
        }
        cell
    }
}

/// Surface temperature in K of a crust of age `age_s` (seconds) over lava of temperature `kelvin`
/// (K), at which conduction through the crust balances radiation and convection. `is_covered`: true
/// if water lies on the lava.
fn surface_k(lava: &Lava, (kelvin, is_covered): (f64, bool), age_s: f64) -> f64 {
    let convection = if is_covered { WATER } else { lava.convection };
    let conductivity = if lava.conduction > 0.0 {
        lava.conduction
    } else {
        CONDUCTIVITY
    };
    let through =
        conductivity / (core::f64::consts::PI * lava.diffusivity * age_s.max(YOUNGEST_S)).sqrt();
    let (radiated, air) = (lava.emissivity * RADIATION, lava.ambient_k);
    let mut surface = kelvin.max(air);
    for _ in 0..NEWTON {
        let cube = surface * surface * surface;
        let excess = radiated * (cube * surface - air.powi(4)) + convection * (surface - air)
            - through * (kelvin - surface);
        surface -= excess / (4.0 * radiated * cube + convection + through);
    }
    surface.clamp(air.min(kelvin), kelvin.max(air))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crust_grows_dark_with_its_age_as_heat_comes_through() {
        let lava = Lava {
            conduction: 1.5,
            convection: 20.0,
            ..Lava::default()
        };
        let mut last = lava.vent_k;
        for age_s in [1.0, 10.0, 60.0, 600.0, 3600.0, 36e3, 360e3] {
            let surface = surface_k(&lava, (lava.vent_k, false), age_s);
            let under_water = surface_k(&lava, (lava.vent_k, true), age_s);
            assert!(
                under_water < surface && under_water > lava.ambient_k,
                "{under_water} K under water"
            );
            assert!(
                surface < last && surface > lava.ambient_k,
                "{surface} K after {age_s} s, {last} K before"
            );
            let through = 1.5 * (lava.vent_k - surface)
                / (core::f64::consts::PI * lava.diffusivity * age_s).sqrt();
            let lost = lava.emissivity * RADIATION * (surface.powi(4) - lava.ambient_k.powi(4))
                + lava.convection * (surface - lava.ambient_k);
            assert!(
                (through / lost - 1.0).abs() < 1e-3,
                "{through} W/m² come, {lost} go after {age_s} s"
            );
            last = surface;
        }
        assert!(
            (350.0..390.0).contains(&last),
            "{last} K after a hundred hours"
        );
        assert_eq!(
            surface_k(&lava, (lava.ambient_k, false), 60.0),
            lava.ambient_k,
            "nothing is lost by cold lava"
        );
    }
}
