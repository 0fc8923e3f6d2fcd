//! Constants of a step of the article's solver, from its parameters and the forces, converted to
//! integers.

use super::PracticalFluidParams;
use super::numbers::{Fine, WHOLE, mul, quotient, root, share};
use crate::{Forces, UNIT};

/// Largest velocity component: 2 cells per step, in units of 2⁻²⁰ cells per step. Each advection
/// pass moves the air by half a step, so at this speed by one cell, the largest distance of a pass.
pub(super) const FASTEST: i32 = 2 << 20;

/// Largest density for pressure and largest amount for lift (256.0), to which larger values are
/// clamped, so that a sum of forces stays far below 2³¹.
const STRONGEST: u32 = 1 << 28;

/// Width in cells of the sponge layer inside an inflow side, in which the velocity is relaxed
/// towards the wind.
pub(super) const SPONGE: usize = 4;

/// Relaxation in the sponge layer: share of the difference to the wind that a step removes.
const RELAXED: f32 = 0.1;

/// Constants of a step of the article's solver as integers: shares in units of 2⁻¹⁵, speeds in
/// units of 2⁻²⁰ cells per step, amounts in units of 2⁻²⁰.
#[derive(Clone, Debug)]
pub(super) struct Rates {
    pub(super) pressure: u32,
    pub(super) filter_velocity: u32,
    pub(super) filter_density: u32,
    pub(super) lift: Fine,
    pub(super) weight: Fine,
    pub(super) relaxed: u32,
    pub(super) still_asks: bool,
    friction: Friction,
    decay: Decay,
    wind: Vec<[i32; 2]>,
    background: Vec<u32>,
}

/// Coefficients of friction: a step removes the share a·v + b + c/v of a speed v; fields
/// `quadratic`, `linear` and `constant` are a, b and c.
#[derive(Clone, Copy, Debug)]
pub(super) struct Friction {
    quadratic: u32,
    linear: u32,
    constant: u32,
}

/// Coefficients of the decay of heat: a step removes a·h² + b·h + c of the heat h; fields
/// `quadratic`, `linear` and `constant` are a, b and c.
#[derive(Clone, Copy, Debug)]
struct Decay {
    quadratic: Fine,
    linear: Fine,
    constant: u32,
}

impl Rates {
    pub(super) fn new(params: &PracticalFluidParams, forces: &Forces) -> Self {
        let [quadratic, linear, constant] = forces.friction;
        let friction = Friction {
            quadratic: share(quadratic),
            linear: share(linear),
            constant: share(constant) >> 1,
        };
        let [quadratic, linear, constant] = params.heat_decay;
        let constant = (f64::from(constant) * f64::from(UNIT)).round() as u32;
        let speed =
            |v: f32| ((f64::from(v) * f64::from(UNIT)).round() as i32).clamp(-FASTEST, FASTEST);
        Self {
            pressure: share(params.pressure),
            filter_velocity: share(params.filter_velocity),
            filter_density: share(params.filter_density),
            lift: Fine::new(forces.lift),
            weight: Fine::new(forces.weight),
            relaxed: share(RELAXED),
            still_asks: params.still_asks,
            friction,
            decay: Decay {
                quadratic: Fine::new(quadratic),
                linear: Fine::new(linear),
                constant,
            },
            wind: forces.wind.iter().map(|wind| wind.map(speed)).collect(),
            background: forces.background.clone(),
        }
    }

    /// Wind velocity at height `y` (in cells) along x, y and z, in units of 2⁻²⁰ cells per step;
    /// constant above the last height of the table.
    pub(super) fn wind(&self, y: usize) -> [i32; 3] {
        let [x, z] = self
            .wind
            .get(y)
            .or(self.wind.last())
            .copied()
            .unwrap_or_default();
        [x, 0, z]
    }

    /// Returns true if the scene has wind at any height.
    pub(super) fn blows(&self) -> bool {
        !self.wind.is_empty()
    }

    /// Heat of air at rest, which has no lift, at height `y` (in cells), in units of 2⁻²⁰; above
    /// the last height of the table extrapolated from the last two.
    pub(super) fn background(&self, y: usize) -> u32 {
        match self.background[..] {
            [] => 0,
            [only] => only,
            [.., below, last] if y >= self.background.len() => {
                let above = i64::from(last) - i64::from(below);
                let beyond = (y + 1 - self.background.len()) as i64;
                (i64::from(last) + beyond * above).clamp(0, i64::from(u32::MAX)) as u32
            }
            _ => self.background[y],
        }
    }

    /// Amounts of heat, ash, steam and density in the ambient air at height `y` (in cells), in
    /// units of 2⁻²⁰.
    pub(super) fn ambient(&self, y: usize) -> [u32; 4] {
        [self.background(y), 0, 0, UNIT]
    }

    /// Upward acceleration, in units of 2⁻²⁰ cells/step², of a cell with the amounts
    /// `[heat, ash, steam]`; `background` is the heat of air at rest at the cell's height. Amounts
    /// and heat are in units of 2⁻²⁰.
    #[inline(always)]
    pub(super) fn rise(&self, [heat, ash, steam]: [u32; 3], background: u32) -> i32 {
        let excess = (heat.max(background) - heat.min(background)).min(STRONGEST);
        let lift = self.lift.times(excess) as i32;
        let lift = if heat < background { -lift } else { lift };
        lift - self.weight.times(ash.min(STRONGEST)) as i32
            - self.weight.times(steam.min(STRONGEST)) as i32
    }

    /// Coefficients of friction; `None` if all are 0.
    pub(super) fn friction(&self) -> Option<Friction> {
        let Friction {
            quadratic,
            linear,
            constant,
        } = self.friction;
        (quadratic | linear | constant != 0).then_some(self.friction)
    }

    /// Returns true if the decay of heat has any coefficient other than 0.
    pub(super) fn decays(&self) -> bool {
        !(self.decay.quadratic.is_zero() && self.decay.linear.is_zero() && self.decay.constant == 0)
    }

    /// Heat that a cell with the heat `heat` loses by decay in a step, in units of 2⁻²⁰. Only the
    /// excess over `background`, the heat of air at rest, decays.
    #[inline(always)]
    pub(super) fn decayed(&self, heat: u32, background: u32) -> u32 {
        let excess = heat.saturating_sub(background);
        let linear = self.decay.linear.times(excess);
        let rate = (self.decay.quadratic.times(excess) >> 5).min(WHOLE);
        let quadratic = mul(excess, rate).min(excess - linear);
        linear + quadratic + self.decay.constant.min(excess - linear - quadratic)
    }
}

impl Friction {
    /// Share of the velocity `[x, y, z]` (units of 2⁻²⁰ cells per step) that friction removes in a
    /// step; 2¹⁵ = 1.
    #[inline(always)]
    pub(super) fn loss(self, [x, y, z]: [i32; 3]) -> u32 {
        // Speed in units of 2⁻¹⁴, so that the sum of three squares fits 32 bits.
        let (x, y, z) = (
            (x.unsigned_abs() >> 6),
            (y.unsigned_abs() >> 6),
            (z.unsigned_abs() >> 6),
        );
        let speed = root(
            x.wrapping_mul(x)
                .wrapping_add(y.wrapping_mul(y))
                .wrapping_add(z.wrapping_mul(z)),
        );
        let rising = 2 * mul(speed, self.quadratic);
        let stopping = if speed <= self.constant {
            if self.constant == 0 { 0 } else { WHOLE }
        } else {
            quotient(self.constant << 15, speed)
        };
        (rising + self.linear + stopping).min(WHOLE)
    }
}

/// Density for the computation of pressure: `density` clamped to `STRONGEST`.
#[inline(always)]
pub(super) fn press(density: u32) -> i32 {
    density.min(STRONGEST) as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rates(params: &PracticalFluidParams, forces: &Forces) -> Rates {
        Rates::new(params, forces)
    }

    #[test]
    fn friction_is_a_polynomial_of_the_speed() {
        let of = |friction: [f32; 3], v: [f32; 3]| {
            let rates = rates(
                &PracticalFluidParams::default(),
                &Forces {
                    friction,
                    ..Forces::default()
                },
            );
            let v = v.map(|v| (v * UNIT as f32) as i32);
            rates
                .friction()
                .map(|friction| f64::from(friction.loss(v)) / 32768.0)
        };
        assert_eq!(of([0.0; 3], [1.0, 0.0, 0.0]), None);
        for (friction, v, lost) in [
            ([0.5, 0.25, 0.0], [0.3, 0.4, 0.0], 0.5),
            ([0.0, 0.25, 0.1], [0.0, 0.4, 0.3], 0.45),
            ([0.0, 0.0, 0.1], [0.05, 0.0, 0.0], 1.0),
            ([0.0, 0.01, 0.0], [0.0, 0.0, 0.0], 0.01),
            ([1.0, 1.0, 0.0], [1.0, 0.0, 0.0], 1.0),
        ] {
            let found = of(friction, v).unwrap_or_default();
            assert!(
                (found - lost).abs() < 3e-4,
                "{friction:?} at {v:?}: {found} of {lost}"
            );
        }
    }

    #[test]
    fn heat_decays_to_the_background_and_not_below() {
        let params = PracticalFluidParams {
            heat_decay: [0.01, 0.004, 0.0002],
            ..PracticalFluidParams::default()
        };
        let rates = rates(
            &params,
            &Forces {
                background: vec![0, 1000, 3000],
                ..Forces::default()
            },
        );
        let h = 2 * UNIT;
        let expected = f64::from(UNIT) * (0.01 * 4.0 + 0.004 * 2.0 + 0.0002);
        assert!((f64::from(rates.decayed(h, 0)) - expected).abs() < 100.0);
        assert_eq!(rates.decayed(h + 1000, 1000), rates.decayed(h, 0));
        assert_eq!(
            (rates.decayed(1050, 1000), rates.decayed(10, 1000)),
            (50, 0)
        );
        for heat in [0, 1, 77, UNIT, u32::MAX] {
            assert!(rates.decayed(heat, 0) <= heat);
        }
        assert_eq!(
            [0, 1, 2, 3, 5].map(|y| rates.background(y)),
            [0, 1000, 3000, 5000, 9000]
        );
    }
}
