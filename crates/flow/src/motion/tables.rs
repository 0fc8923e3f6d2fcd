//! Tables of fluidity (inverse viscosity) and yield strength as functions of the liquid's heat, in
//! the number format and units of fluxes.

use crate::cooling::lid::CrustLaw;
use crate::cooling::rubble::REPOSE;
use crate::motion::face::HELD;
use crate::motion::plan::FINEST;
use crate::motion::soft_float::SoftFloat;
use crate::store::column::Warmth;
use crate::{FlowBox, FlowSetup, HEAT_UNITS, UNITS};

/// Acceleration of gravity in m/s².
pub const GRAVITY: f64 = 9.81;

/// Number of table rows per kelvin of enthalpy over heat capacity: rows are 0.25 K apart.
const ROWS: i64 = 4;

/// Number of table rows: up to 2,000 K of temperature, plus 2,000 K for latent heat.
const COUNT: usize = 4000 * ROWS as usize + 1;

/// Stability limit of a sub-step for diffusion: `D Δt/dx² ≤ 0.24`, times 0.7 because the time level
/// stays the same for a whole sub-step.
const DIFFUSION: f64 = 0.24 * 0.7;
/// Stability limit of a sub-step for waves: `c Δt/dx ≤ 0.42`. With 0.35 the simulation of a
/// mountain takes a seventh longer; depths on an incline are then off by 0.25 % instead of 0.5 %.
const WAVE: f64 = 0.42;

/// Steepest slope of the ground within the range of lubrication theory: tan 30°.
const STEEPEST: f64 = 0.577;
/// Steepest slope (tan of the angle) of the liquid's surface that enters the wave speed; steeper
/// slopes are clamped.
const STEEPEST_WAVE: f64 = 0.6;

/// Largest slope of the liquid's surface (0.25 mm per metre) whose levelling may be deferred to
/// later sub-steps.
const TOLERANCE: f64 = 2.5e-4;

/// Binary logarithm of a divisor: the levelling of a head difference up to depth/4096 may be
/// deferred to later sub-steps, whatever the slope.
const DEEP: i32 = 12;

/// Tables and constants of a flow's setup, in the units and the number format in which fluxes are
/// computed.
#[derive(Clone, Debug)]
pub(crate) struct Tables {
    /// Fluidity by table row: flux in units of amount per step, for a head difference and a depth
    /// of one unit of height each: ρ g s³ Δt/(3 η dx²), with `s` the length of a unit of height in
    /// metres.
    pub(crate) fluidity: Vec<SoftFloat>,
    /// Yield strength by table row, as the product of depth and head difference that it balances: 2
    /// τ dx/(ρ g s²), with the yield strength τ in Pa and `s` the length of a unit of height in
    /// metres.
    pub(crate) strength: Vec<SoftFloat>,
    /// Drop of the floor from one column to the next, in units of height, above which the bed
    /// counts as a cliff (30°).
    pub(crate) cliff: i64,
    /// Height difference between neighbouring columns, in units of height, above which rubble falls
    /// (45°).
    pub(crate) repose: i64,
    /// Largest head difference between neighbouring columns, in units of height, that enters the
    /// speed of a wave.
    pub(crate) steepest: i64,
    /// Inverse of the stability limit of a sub-step for diffusion.
    pub(crate) diffusion: SoftFloat,
    /// Three times the inverse of the stability limit of a sub-step for waves.
    pub(crate) wave: SoftFloat,
    /// Head difference between neighbouring columns, in units of height, that sub-steps need not
    /// resolve: in one sub-step at most a quarter of such a difference is levelled, even where the
    /// depth would allow more. So the cost of deep, nearly level liquid depends on its flux alone.
    /// For each column the tolerance is at most a 64th and at least a 4096th of the depth.
    pub(crate) tolerance: i64,
    /// Binary logarithm of a divisor: the tolerance (head difference that sub-steps need not
    /// resolve) is at least depth/2^`deep`.
    pub(crate) deep: i32,
    /// Yield strength, as a share of the driving stress, from which the liquid does not move, see
    /// [`HELD`].
    pub(crate) held: SoftFloat,
    /// Table row of lava at the temperature of the vent.
    hottest: usize,
    /// Second-order flag: true if heat and crust of the liquid that crosses a face are computed to
    /// second order. False for a lava that melts, whose cells keep their own heat.
    pub(crate) is_second_order: bool,
    /// Enthalpies over heat capacity (K) of the coldest liquid, at the solidus (or at the ambient
    /// temperature, if that is higher), and of the hottest, at the temperature of the vent.
    pub(crate) heats: [f32; 2],
    /// Crust flag: true if the heat deficit of a crust is carried with the liquid (`skin` cooling).
    pub(crate) carries_skin: bool,
    pub(crate) crust: CrustLaw,
    /// Fluidity, in the unit of `fluidity`, of liquid with a viscosity of 1 Pa s.
    flux: f64,
    /// Yield strength, in the unit of `strength`, of liquid with a yield strength of 1 Pa.
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

    /// Viscosity in Pa s of liquid whose entry in the table of fluidities is `fluidity`.
    pub(crate) fn viscosity_pa_s(&self, fluidity: SoftFloat) -> f64 {
        self.flux / fluidity.to_f64()
    }

    /// Depth in units of height from which liquid with the enthalpy over heat capacity `heat` (K)
    /// would need sub-steps shorter than the finest.
    pub(crate) fn deepest(&self, heat: f64) -> f64 {
        let row = ((heat * ROWS as f64).max(0.0) as usize).min(COUNT - 1);
        let finest = (1_u64 << FINEST) as f64;
        libm::cbrt(finest / (self.fluidity[row].to_f64() * self.diffusion.to_f64()))
    }

    /// Yield strength in Pa of liquid whose entry in the table of strengths is `strength`.
    pub(crate) fn yield_pa(&self, strength: SoftFloat) -> f64 {
        strength.to_f64() / self.unit_of_strength
    }

    /// Index of the table row for liquid with the heat `warmth` per unit of amount.
    #[inline]
    pub(crate) fn row_of(&self, warmth: Warmth) -> usize {
        ((warmth.whole() / (HEAT_UNITS / ROWS) as u64) as usize).min(COUNT - 1)
    }

    /// Index of the table row for the core below a crust with the heat deficit `skin` (kelvin,
    /// averaged over the depth), in liquid with the mean heat `warmth` per unit of amount: the
    /// crust is carried passively, and the viscosity of the core decides the speed. The core is at
    /// most as hot as the vent, unless the mean is hotter.
    #[inline]
    pub(crate) fn row_of_core(&self, warmth: Warmth, skin: f32) -> usize {
        let mean = self.row_of(warmth);
        let core = mean + (skin * ROWS as f32) as usize;
        core.min(mean.max(self.hottest))
    }

    /// Index of the table row for `amount` units of liquid with `heat` units of heat.
    #[inline]
    pub(crate) fn row(&self, heat: i64, amount: i64) -> usize {
        ((heat / amount / (HEAT_UNITS / ROWS)).max(0) as usize).min(COUNT - 1)
    }
}
