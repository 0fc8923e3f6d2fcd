//! Viscosity and yield strength by temperature, in the numbers that fluxes are worked out in.

use crate::cooling::lid::CrustLaw;
use crate::cooling::rubble::REPOSE;
use crate::motion::face::HELD;
use crate::motion::mag::Mag;
use crate::motion::plan::FINEST;
use crate::store::column::Warmth;
use crate::{FlowBox, FlowSetup, HEAT_UNITS, UNITS};

/// Acceleration of gravity in m/s².
pub const GRAVITY: f64 = 9.81;

/// Rows for a kelvin.
const ROWS: i64 = 4;

/// Rows of the tables: up to 2,000 K, and as much again for latent heat.
const COUNT: usize = 4000 * ROWS as usize + 1;

/// The longest sub-step of a column: `D Δt/dx² ≤ 0.24`, times 0.7 because it holds for a whole sub-step, and `c Δt/dx ≤ 0.42`. With
/// 0.35 for the latter a mountain takes a seventh longer, and depths on an incline are off by 0.25 % in place of 0.5 %.
const DIFFUSION: f64 = 0.24 * 0.7;
const WAVE: f64 = 0.42;

/// The steepest slope in the theory, tan 30°, and the steepest that limits a time step.
const STEEPEST: f64 = 0.577;
const STEEPEST_WAVE: f64 = 0.6;

/// Slope of a surface that may be evened out later than it would be: 0.25 mm a metre.
const TOLERANCE: f64 = 2.5e-4;

/// A 4096th of the depth may be, too.
const DEEP: i32 = 12;

/// The numbers of a setup.
#[derive(Clone, Debug)]
pub(crate) struct Tables {
    /// Flux in units of amount for a unit of head and a cubic unit of depth, over a step: ρ g s³ Δt/(3 η dx²), with `s` the
    /// metres of a unit of height.
    pub(crate) fluidity: Vec<Mag>,
    /// Yield strength: 2 τ dx/(ρ g s²).
    pub(crate) strength: Vec<Mag>,
    /// Difference of height between columns beyond which a bed is a cliff.
    pub(crate) cliff: i64,
    /// That beyond which rubble falls.
    pub(crate) repose: i64,
    /// Largest difference of heads that counts for the speed of a wave.
    pub(crate) steepest: i64,
    /// Inverses of the limits of a time step.
    pub(crate) diffusion: Mag,
    pub(crate) wave: Mag,
    /// Difference of heads between columns, in units of height, that sub-steps need not resolve: a quarter of it or less moves in
    /// one, however much the depth would let through. So deep liquid, whose surface is level but for such differences, costs
    /// what flows through it and no more. It is a 64th of the depth at most, and a 4096th at least.
    pub(crate) tolerance: i64,
    /// Power of two of which it is a part of the depth, at least.
    pub(crate) deep: i32,
    /// See [`HELD`].
    pub(crate) held: Mag,
    /// The row of what vents pour.
    hottest: usize,
    /// Whether a crust is carried with the liquid.
    pub(crate) carries_skin: bool,
    pub(crate) crust: CrustLaw,
    /// Fluidity of 1 Pa s, and strength of 1 Pa.
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
            wave: Mag::from_f64(3.0 / WAVE),
            tolerance: steep(TOLERANCE),
            deep: DEEP,
            held: Mag::from_f64(HELD),
            hottest: ((lava.heat_at(lava.vent_k) * ROWS as f64).max(0.0) as usize).min(COUNT - 1),
            crust: CrustLaw::of(lava),
            carries_skin: matches!(lava.cooling, crate::Cooling::Skin { .. }),
        }
    }

    /// Viscosity of a fluidity.
    pub(crate) fn viscosity_pa_s(&self, fluidity: Mag) -> f64 {
        self.flux / fluidity.to_f64()
    }

    /// Depth, in units of height, of a layer with this heat that needs the finest level.
    pub(crate) fn deepest(&self, heat: f64) -> f64 {
        let row = ((heat * ROWS as f64).max(0.0) as usize).min(COUNT - 1);
        let finest = (1_u64 << FINEST) as f64;
        libm::cbrt(finest / (self.fluidity[row].to_f64() * self.diffusion.to_f64()))
    }

    /// Yield strength of a strength.
    pub(crate) fn yield_pa(&self, strength: Mag) -> f64 {
        strength.to_f64() / self.unit_of_strength
    }

    /// The row of liquid with this heat of a unit.
    #[inline]
    pub(crate) fn row_of(&self, warmth: Warmth) -> usize {
        ((warmth.whole() / (HEAT_UNITS / ROWS) as u64) as usize).min(COUNT - 1)
    }

    /// The row of the core below a crust that lacks so many kelvin beside it, in liquid with this heat of a unit on its average:
    /// the crust rides along, and the core sets the speed. It is no warmer than the vent, if the average is not.
    #[inline]
    pub(crate) fn row_of_core(&self, warmth: Warmth, skin: f32) -> usize {
        let mean = self.row_of(warmth);
        let core = mean + (skin * ROWS as f32) as usize;
        core.min(mean.max(self.hottest))
    }

    /// The row of liquid with this heat.
    #[inline]
    pub(crate) fn row(&self, heat: i64, amount: i64) -> usize {
        ((heat / amount / (HEAT_UNITS / ROWS)).max(0) as usize).min(COUNT - 1)
    }
}
