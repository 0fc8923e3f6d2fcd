//! Tables of viscosity and yield strength by temperature, in the number format of fluxes.

use crate::cooling::lid::CrustLaw;
use crate::cooling::rubble::REPOSE;
use crate::motion::face::HELD;
use crate::motion::plan::FINEST;
use crate::motion::soft_float::SoftFloat;
use crate::store::column::Warmth;
use crate::{FlowBox, FlowSetup, HEAT_UNITS, UNITS};

/// Acceleration of gravity in m/s².
pub const GRAVITY: f64 = 9.81;

/// Number of table rows per kelvin of heat: rows are 0.25 K apart.
const ROWS: i64 = 4;

/// Number of table rows: up to 2,000 K of temperature, plus 2,000 K for latent heat.
const COUNT: usize = 4000 * ROWS as usize + 1;

/// Upper bounds of a column's sub-step: `D Δt/dx² ≤ 0.24`, times 0.7 because the level stays the
/// same for a whole sub-step, and `c Δt/dx ≤ 0.42`. With 0.35 for the latter a mountain takes a
/// seventh longer, and depths on an incline are off by 0.25 % instead of 0.5 %.
const DIFFUSION: f64 = 0.24 * 0.7;
const WAVE: f64 = 0.42;

/// Steepest slope within the range of lubrication theory, tan 30°, and the steepest slope (tan)
/// that enters the wave speed.
const STEEPEST: f64 = 0.577;
const STEEPEST_WAVE: f64 = 0.6;

/// Slope of a surface (0.25 mm per metre) whose levelling may be deferred.
const TOLERANCE: f64 = 2.5e-4;

/// Power of two: a head difference of at least depth/4096 may be levelled later.
const DEEP: i32 = 12;

/// Tables and constants of a setup, in the units of fluxes.
#[derive(Clone, Debug)]
pub(crate) struct Tables {
    /// Fluidity by table row: flux per step in units of amount, for a head difference of one unit
    /// and a depth of one unit: ρ g s³ Δt/(3 η dx²), with `s` the height of a unit in metres.
    pub(crate) fluidity: Vec<SoftFloat>,
    /// Yield strength by table row: 2 τ dx/(ρ g s²), with the yield strength τ in Pa.
    pub(crate) strength: Vec<SoftFloat>,
    /// Height difference in units between neighbouring columns above which the bed is a cliff.
    pub(crate) cliff: i64,
    /// Height difference in units between neighbouring columns above which rubble falls.
    pub(crate) repose: i64,
    /// Upper bound of the head difference in units that enters the speed of a wave.
    pub(crate) steepest: i64,
    /// Inverse stability limits of a sub-step, for diffusion and for waves.
    pub(crate) diffusion: SoftFloat,
    pub(crate) wave: SoftFloat,
    /// Head difference in units between neighbouring columns that sub-steps need not resolve: in
    /// one sub-step at most a quarter is moved, even where the depth would allow more. So the cost
    /// of deep, nearly level liquid depends on its flux and not on its depth. The tolerance is at
    /// most a 64th of the depth, and at least a 4096th.
    pub(crate) tolerance: i64,
    /// Power of two: the tolerance is at least depth/2^deep.
    pub(crate) deep: i32,
    /// Share of the driving stress at which a yield strength stops the liquid, see [`HELD`].
    pub(crate) held: SoftFloat,
    /// Table row of lava at the temperature of the vent.
    hottest: usize,
    /// Parcel flag: true if heat and crust cross faces to second order. Not for a lava that melts,
    /// whose cells keep their own heat.
    pub(crate) is_second_order: bool,
    /// Heats in kelvin of liquid at the solidus (or at the ambient temperature, if that is higher)
    /// and at the temperature of the vent.
    pub(crate) heats: [f32; 2],
    /// Crust flag: true if a crust is carried with the liquid.
    pub(crate) carries_skin: bool,
    pub(crate) crust: CrustLaw,
    /// Fluidity of liquid with a viscosity of 1 Pa s, and table value of a yield strength of 1 Pa.
    flux: f64,
    unit_of_strength: f64,
}

impl Tables {
    pub(crate) fn new(space: FlowBox, setup: &FlowSetup) -> Self {
        let lava = &setup.lava;
        let unit_m = space.dz_m / f64::from(UNITS);
        let weight = lava.density_kg_m3 * GRAVITY;
        let flux =
            weight * unit_m * unit_m * unit_m * setup.step_s / (3.0 * space.dx_m * space.dx_m);
        let strength = 2.0 * space.dx_m / (weight * unit_m * unit_m);
        let kelvin = |row: usize| lava.temperature_of(row as f64 / ROWS as f64);
        let steep = |slope: f64| (slope * space.dx_m / unit_m) as i64;
        Self {
            fluidity: (0..COUNT)
                .map(|row| SoftFloat::from_f64(flux / lava.viscosity_pa_s(kelvin(row))))
                .collect(),
            strength: (0..COUNT)
                .map(|row| SoftFloat::from_f64(strength * lava.yield_pa(kelvin(row))))
                .collect(),
            flux,
            unit_of_strength: strength,
            cliff: steep(STEEPEST),
            repose: steep(REPOSE),
            steepest: steep(STEEPEST_WAVE),
            diffusion: SoftFloat::from_f64(1.0 / DIFFUSION),
            // 3: the fluidity holds 1/(3η), and a wave has the speed ρ g h² S/η.
            wave: SoftFloat::from_f64(3.0 / WAVE),
            tolerance: steep(TOLERANCE),
            deep: DEEP,
            held: SoftFloat::from_f64(HELD),
            hottest: ((lava.heat_at(lava.vent_k) * ROWS as f64).max(0.0) as usize).min(COUNT - 1),
            crust: CrustLaw::from_lava(lava),
            is_second_order: !lava.melts(),
            heats: [lava.solidus_k.max(lava.ambient_k), lava.vent_k]
                .map(|kelvin| lava.heat_at(kelvin) as f32),
            carries_skin: matches!(lava.cooling, crate::Cooling::Skin { .. }),
        }
    }

    /// Converts a fluidity to a viscosity in Pa s.
    pub(crate) fn viscosity_pa_s(&self, fluidity: SoftFloat) -> f64 {
        self.flux / fluidity.to_f64()
    }

    /// Depth in units of height at which a layer with the heat `heat` (kelvin) needs the finest
    /// time level.
    pub(crate) fn deepest(&self, heat: f64) -> f64 {
        let row = ((heat * ROWS as f64).max(0.0) as usize).min(COUNT - 1);
        let finest = (1_u64 << FINEST) as f64;
        libm::cbrt(finest / (self.fluidity[row].to_f64() * self.diffusion.to_f64()))
    }

    /// Converts a strength from table units to a yield strength in Pa.
    pub(crate) fn yield_pa(&self, strength: SoftFloat) -> f64 {
        strength.to_f64() / self.unit_of_strength
    }

    /// Table row for liquid with the heat `warmth` per unit of amount.
    #[inline]
    pub(crate) fn row_of(&self, warmth: Warmth) -> usize {
        ((warmth.whole() / (HEAT_UNITS / ROWS) as u64) as usize).min(COUNT - 1)
    }

    /// Table row for the core below a crust with the heat deficit `skin` (kelvin, averaged over the
    /// depth), in liquid with the mean heat `warmth` per unit of amount: the crust is carried
    /// passively, and the viscosity of the core decides the speed. The core is at most as hot as
    /// the vent, unless the mean is hotter.
    #[inline]
    pub(crate) fn row_of_core(&self, warmth: Warmth, skin: f32) -> usize {
        let mean = self.row_of(warmth);
        let core = mean + (skin * ROWS as f32) as usize;
        core.min(mean.max(self.hottest))
    }

    /// Table row for `amount` units of liquid with `heat` units of heat.
    #[inline]
    pub(crate) fn row(&self, heat: i64, amount: i64) -> usize {
        ((heat / amount / (HEAT_UNITS / ROWS)).max(0) as usize).min(COUNT - 1)
    }
}
