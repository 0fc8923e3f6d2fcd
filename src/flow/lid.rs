//! The crust on a run under the sky: heat conducted through it, and temperature over depth, by the heat-balance integral of
//! Goodman (1958) with a quadratic profile, which knows no cells.
//!
//! A run of depth H has a mean heat, and a crust that lacks Q J/m² beside the core. With `e` the heat of a unit of volume:
//!
//! ```text
//! e_core = ē + Q/H,  δ = 3 Q/(e_core − e_surface), at most H;  then e_core = e_surface + 1.5 (ē − e_surface)
//! 2 k (T_core − T_surface)/δ = ε σ (T_surface⁴ − T_a⁴) + h_c (T_surface − T_a)
//! e(z) = e_core − (e_core − e_surface) (1 − z/δ)²
//! ```
//!
//! Heat is in kelvin of [`Lava::heat_per_m3`], and Q is kept as that over H (`Column::skin`).

use super::Lava;
use super::heat::RADIATION;

/// Heat in W/(m² K) that water takes from the surface of lava.
pub(crate) const WATER: f64 = 1000.0;

/// Steps towards the temperature of the surface, and the kelvin that end them.
const STEPS: usize = 30;
const NEAR_K: f64 = 0.01;

/// A run under the sky: its heat, its crust, and its surroundings.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Crusted<'a> {
    pub(crate) lava: &'a Lava,
    /// Mean heat in kelvin, and what the crust lacks, spread over the depth.
    pub(crate) mean: f64,
    pub(crate) skin: f64,
    pub(crate) depth_m: f64,
    /// Whether other matter covers it.
    pub(crate) covered: bool,
}

/// Heat over depth below a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Profile {
    /// Heat in kelvin of core and surface.
    pub(crate) core: f64,
    pub(crate) surface: f64,
    /// Depth from which on there is core.
    pub(crate) crust_m: f64,
    pub(crate) surface_k: f64,
    /// W/m² that leave a surface of crust.
    pub(crate) flux: f64,
}

/// Balance of a surface at a temperature: what comes out of the crust less what leaves, its slope, and the profile.
struct Balance {
    excess: f64,
    slope: f64,
    profile: Profile,
}

impl Crusted<'_> {
    /// Heat of the core: no more than that of the vent, if the mean is not.
    pub(crate) fn core(&self) -> f64 {
        (self.mean + self.skin).min(self.lava.heat_at(self.lava.vent_k).max(self.mean))
    }

    /// The profile while the crust grows for some seconds: half of what it loses in them counts for its thickness.
    pub(crate) fn profile(&self, seconds: f64) -> Profile {
        let air = self.lava.ambient_k;
        let core_k = self.lava.temperature_of(self.core());
        let (mut low, mut high) = (air.min(core_k), core_k.max(air));
        let mut kelvin = high;
        let mut found = self.balance(kelvin, seconds);
        for _ in 0..STEPS {
            if found.excess < 0.0 {
                high = kelvin
            } else {
                low = kelvin
            }
            let newton = kelvin - found.excess / found.slope;
            let next = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
            let is_near = (next - kelvin).abs() < NEAR_K;
            kelvin = next;
            found = self.balance(kelvin, seconds);
            if is_near {
                break;
            }
        }
        found.profile
    }

    fn balance(&self, kelvin: f64, seconds: f64) -> Balance {
        let lava = self.lava;
        let convection = if self.covered { WATER } else { lava.convection };
        let (radiated, air) = (lava.emissivity * RADIATION, lava.ambient_k);
        let (cube, air_cube) = (kelvin * kelvin * kelvin, air * air * air);
        let flux = radiated * (cube * kelvin - air_cube * air) + convection * (kelvin - air);
        let flux_slope = 4.0 * radiated * cube + convection;
        let (surface, each) = (lava.heat_at(kelvin), lava.heat_of_kelvin(kelvin));
        let capacity = lava.heat_per_m3();
        // Three times what the crust lacks, in kelvin times metres.
        let grown = 1.5 * seconds / capacity;
        let lacks = (3.0 * self.skin * self.depth_m + grown * flux.max(0.0)).max(1e-9);
        let core = self.core();
        let conducted = 2.0 * lava.conduction;
        if lacks < self.depth_m * (core - surface) {
            let (over, over_k) = (core - surface, lava.temperature_of(core) - kelvin);
            let through = conducted * over_k * over / lacks;
            let slope = -conducted * (over + over_k * each) / lacks - through * grown * flux_slope / lacks;
            let profile = Profile { core, surface, crust_m: lacks / over, surface_k: kelvin, flux };
            return Balance { excess: through - flux, slope: slope - flux_slope, profile };
        }
        let core = surface + 1.5 * (self.mean - surface).max(0.0);
        let core_k = lava.temperature_of(core);
        let through = conducted * (core_k - kelvin) / self.depth_m;
        let slope = -conducted * (1.0 + 0.5 * each / lava.heat_of_kelvin(core_k)) / self.depth_m;
        let profile = Profile { core, surface, crust_m: self.depth_m, surface_k: kelvin, flux };
        Balance { excess: through - flux, slope: slope - flux_slope, profile }
    }
}

impl Profile {
    /// Mean heat between two depths.
    pub(crate) fn mean(&self, from_m: f64, to_m: f64) -> f64 {
        let cube = |depth_m: f64| {
            let rest = (1.0 - depth_m / self.crust_m).max(0.0);
            rest * rest * rest
        };
        let lacks = (self.core - self.surface) * self.crust_m / 3.0 * (cube(from_m) - cube(to_m));
        self.core - lacks / (to_m - from_m).max(1e-12)
    }

    /// Depth down to which nothing is warmer than some heat; infinite where the core is not.
    pub(crate) fn lid_m(&self, heat: f64) -> f64 {
        if self.core <= heat {
            return f64::INFINITY;
        }
        if self.surface >= heat {
            return 0.0;
        }
        self.crust_m * (1.0 - ((self.core - heat) / (self.core - self.surface)).sqrt())
    }

    /// Resistance of the crust in m² K/W.
    pub(crate) fn resistance(&self, lava: &Lava) -> f64 {
        self.crust_m / (2.0 * lava.conduction.max(1e-9))
    }
}
