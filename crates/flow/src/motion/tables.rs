//! Tables of viscosity and yield strength by temperature, in the number format of fluxes.

use crate::cooling::lid::CrustLaw;
use crate::cooling::rubble::REPOSE;
use crate::motion::face::HELD;
use crate::motion::mag::Mag;
use crate::motion::plan::FINEST;
use crate::store::column::Warmth;
use crate::{FlowBox, FlowSetup, HEAT_UNITS, UNITS};

/// Acceleration of gravity in m/s².
pub const GRAVITY: f64 = 9.81;

/// Table rows for a kelvin: 0.25 K apart.
const ROWS: i64 = 4;

/// Number of table rows: up to 2,000 K, and as much again for latent heat.
const COUNT: usize = 4000 * ROWS as usize + 1;

/// Upper bounds of a column's sub-step: `D Δt/dx² ≤ 0.24`, times 0.7 because the level holds for a
/// whole sub-step, and `c Δt/dx ≤ 0.42`. With 0.35 for the latter a mountain takes a seventh
/// longer, and depths on an incline are off by 0.25 % in place of 0.5 %.
const DIFFUSION: f64 = 0.24 * 0.7;
const WAVE: f64 = 0.42;

/// Steepest slope within the theory, tan 30°, and the steepest that limits a sub-step.
const STEEPEST: f64 = 0.577;
const STEEPEST_WAVE: f64 = 0.6;

/// Slope of a surface that may be evened out late: 0.25 mm a metre.
const TOLERANCE: f64 = 2.5e-4;

/// Power of two: at least a 4096th of the depth may be evened out late.
const DEEP: i32 = 12;

/// Constants of a setup in the units of fluxes.
#[derive(Clone, Debug)]
pub(crate) struct Tables {
    /// Fluidity by row: flux in units of amount for a unit of head and a cubic unit of depth, over
    /// a step. ρ g s³ Δt/(3 η dx²), with `s` the metres of a unit of height.
    pub(crate) fluidity: Vec<Mag>,
    /// Yield strength by row: 2 τ dx/(ρ g s²).
    pub(crate) strength: Vec<Mag>,
    /// Difference of height in units between columns beyond which a bed is a cliff.
    pub(crate) cliff: i64,
    /// Difference of height in units between columns beyond which rubble falls.
    pub(crate) repose: i64,
    /// Largest difference of heads in units that counts for the speed of a wave.
    pub(crate) steepest: i64,
    /// Inverses of the upper bounds of a sub-step, for diffusion and for waves.
    pub(crate) diffusion: Mag,
    pub(crate) wave: Mag,
    /// Difference of heads between columns, in units of height, that sub-steps need not resolve: in
    /// one sub-step at most a quarter moves, even where the depth would let more through. So deep
    /// liquid, whose surface is level up to such differences, costs by its flow and not by its
    /// depth. The tolerance is a 64th of the depth at most, and a 4096th at least.
    pub(crate) tolerance: i64,
    /// Power of two: the tolerance is at least the depth/2^deep.
    pub(crate) deep: i32,
    /// Share of the stress from which a strength holds the liquid, see [`HELD`].
    pub(crate) held: Mag,
    /// Table row of lava at the vent's temperature.
    hottest: usize,
    /// Crust flag: a crust is carried with the liquid.
    pub(crate) carries_skin: bool,
    pub(crate) crust: CrustLaw,
    /// Fluidity of a viscosity of 1 Pa s, and strength of a yield strength of 1 Pa.
    flux: f64,
    unit_of_strength: f64,
}

impl Tables {
    pub(crate) fn new(space: FlowBox, setup: &FlowSetup) -> Self {
        let lava = &setup.lava;
        let unit_m = space.dz_m / f64::from(UNITS);
        let weight = lava.density_kg_m3 * GRAVITY;
        let flux = weight * unit_m * unit_m * unit_m * setup.step_s / (3.0 * space.dx_m * space.dx_m);
        let strength = 2.0 * space.dx_m / (weight * unit_m * unit_m);
        let kelvin = |row: usize| lava.temperature_of(row as f64 / ROWS as f64);
        let steep = |slope: f64| (slope * space.dx_m / unit_m) as i64;
        Self {
            fluidity: (0..COUNT).map(|row| Mag::from_f64(flux / lava.viscosity_pa_s(kelvin(row)))).collect(),
            strength: (0..COUNT).map(|row| Mag::from_f64(strength * lava.yield_pa(kelvin(row)))).collect(),
            flux,
            unit_of_strength: strength,
            cliff: steep(STEEPEST),
            repose: steep(REPOSE),
            steepest: steep(STEEPEST_WAVE),
            diffusion: Mag::from_f64(1.0 / DIFFUSION),
            // 3: the fluidity holds 1/(3η), and a wave has the speed ρ g h² S/η.
            wave: Mag::from_f64(3.0 / WAVE),
            tolerance: steep(TOLERANCE),
            deep: DEEP,
            held: Mag::from_f64(HELD),
            hottest: ((lava.heat_at(lava.vent_k) * ROWS as f64).max(0.0) as usize).min(COUNT - 1),
            crust: CrustLaw::of(lava),
            carries_skin: matches!(lava.cooling, crate::Cooling::Skin { .. }),
        }
    }

    /// Viscosity in Pa s of a fluidity.
    pub(crate) fn viscosity_pa_s(&self, fluidity: Mag) -> f64 {
        self.flux / fluidity.to_f64()
    }

    /// Depth, in units of height, at which a layer of `heat` kelvin needs the finest level.
    pub(crate) fn deepest(&self, heat: f64) -> f64 {
        let row = ((heat * ROWS as f64).max(0.0) as usize).min(COUNT - 1);
        let finest = (1_u64 << FINEST) as f64;
        libm::cbrt(finest / (self.fluidity[row].to_f64() * self.diffusion.to_f64()))
    }

    /// Yield strength in Pa of a strength in the units of the table.
    pub(crate) fn yield_pa(&self, strength: Mag) -> f64 {
        strength.to_f64() / self.unit_of_strength
    }

    /// Table row of liquid with the heat `warmth` per unit of amount.
    #[inline]
    pub(crate) fn row_of(&self, warmth: Warmth) -> usize {
        ((warmth.whole() / (HEAT_UNITS / ROWS) as u64) as usize).min(COUNT - 1)
    }

    /// Table row of the core below a crust with the deficit `skin` in kelvin (spread over the
    /// depth), in liquid with the mean heat `warmth` per unit: the crust rides along, and the core
    /// sets the speed. The core is at most as hot as the vent, unless the mean already exceeds
    /// that.
    #[inline]
    pub(crate) fn row_of_core(&self, warmth: Warmth, skin: f32) -> usize {
        let mean = self.row_of(warmth);
        let core = mean + (skin * ROWS as f32) as usize;
        core.min(mean.max(self.hottest))
    }

    /// Table row of `amount` units of liquid with `heat` units of heat.
    #[inline]
    pub(crate) fn row(&self, heat: i64, amount: i64) -> usize {
        ((heat / amount / (HEAT_UNITS / ROWS)).max(0) as usize).min(COUNT - 1)
    }
}
