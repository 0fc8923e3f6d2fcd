//! Gravity (equations 1–5): lava falls into the cell below as far as there is free volume.
//!
//! ```text
//! m = min(a_c · factor, 1 − a_b)                   c the cell, b the cell below it, not solid
//! q = e_c if m = a_c, else min(e_c, e_c · β · m / a_c)
//! a_c −= m ; a_b += m ; e_c −= q ; e_b += q
//! ```
//!
//! A column is processed from the bottom up, with immediate effect. In this order equation 1 is
//! exact: a falling stack moves down as a stack, and nothing moves more than one cell in a step.
//! The rule reads and changes one column only.
//!
//! In a cell that contains the amount h of denser matter, the free volume for lava is 1 − h. Lava
//! without free volume is displaced upwards as other liquids are ([`super::squeeze`]), and takes
//! its energy along as falling lava does:
//!
//! ```text
//! if a_b > 1 − h_b:  m = min(a_b − (1 − h_b), 2 − a_c) goes up
//! ```

use super::params::{LEAST_SHARE, share};
use super::shape::{Column, Driver, Listed, Pair, Site};
use super::transfer::{Share, carried, ratio};
use super::{Parcel, RulesSpec};
use crate::world::{AMOUNT, Content, ENERGY, RuleNumbers, World};
use lavoxel_base::grid::tile::Lanes;
use lavoxel_base::param::{Param, param};
use lavoxel_base::random::Draw;
use lavoxel_base::simd::Simd;
use lavoxel_base::units::{AMOUNT_ONE, ENERGY_MAX};

/// Parameters of gravity in the table `[rules]` of a scene.
pub const PARAMS: &[Param<RulesSpec>] = &[
    param!(factor: Linear, [LEAST_SHARE, 1.0] "share",
        "share of a cell's liquid that falls in a step; less makes it trickle"),
    param!(beta: Linear, [0.0, 4.0] "",
        "energy that falls with it, relative to its mass; above 1, falling lava runs further"),
];

/// Rule of gravity for lava, with its parameters in fixed point with 16 fractional bits (65536 =
/// 1.0).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gravity {
    /// Share of a cell's lava that falls in a step, in units of 1/65536: from 1 to 65536 (1.0).
    pub factor: u32,
    /// Factor of the energy that falling lava takes along: at 65536 (1.0) the share of the cell's
    /// energy that falls equals the share of the cell's amount that falls.
    pub beta: u32,
}

impl From<&RulesSpec> for Gravity {
    fn from(spec: &RulesSpec) -> Self {
        Self {
            factor: share(spec.factor).clamp(1, 1 << 16),
            beta: share(spec.beta),
        }
    }
}

impl Listed for Gravity {
    fn from_site(site: &Site<'_>) -> Option<Self> {
        Some(site.spec.into())
    }

    fn run<D: Driver>(&self, driver: &mut D, on: (&mut World, usize), _draw: Draw) {
        driver.column(on, self);
    }
}

/// Returns the amount and energy that fall from the cell `from` into the open cell `into` below,
/// which contains the amount `heavier` (units) of denser matter.
///
/// Rounding: the amount is rounded up, so that the last unit of lava in a cell falls, too, and
/// nothing is left hanging in the air. Energy that would exceed [`ENERGY_MAX`] below stays above,
/// together with one unit of amount, because an empty cell has no energy.
#[inline]
pub fn fall(from: Content, into: Content, heavier: u16, rule: &Gravity) -> Parcel {
    let wanted = (u32::from(from.amount) * rule.factor).div_ceil(1 << 16) as u16;
    carry(
        wanted.min((AMOUNT_ONE - heavier).saturating_sub(into.amount)),
        from,
        into,
        rule.beta,
    )
}

/// Returns the amount and energy that denser matter in the cell `from`, of the amount `heavier`
/// (units), presses up into the open cell `into` above; `beta` as in `Gravity`.
#[inline]
fn climb(from: Content, into: Content, heavier: u16, beta: u32) -> Parcel {
    let excess = from.amount.saturating_sub(AMOUNT_ONE - heavier);
    carry(excess.min(u16::MAX - into.amount), from, into, beta)
}

/// Returns the parcel of `amount` (units) and the energy that this amount takes along from the cell
/// `from` to the cell `into`, which has room for the amount; `beta` as in `Gravity`.
#[inline]
fn carry(mut amount: u16, from: Content, into: Content, beta: u32) -> Parcel {
    if amount == 0 {
        return Parcel::default();
    }
    let room = ENERGY_MAX - into.energy;
    if amount < from.amount {
        let energy = carried(amount, ratio(from.amount, from.energy, beta));
        return Parcel {
            amount,
            energy: energy.min(from.energy).min(room),
        };
    }
    if from.energy > room {
        amount -= 1;
    }
    Parcel {
        amount,
        energy: if amount == 0 {
            0
        } else {
            from.energy.min(room)
        },
    }
}

/// Parameters of gravity as SIMD vectors, for computing [`fall`] in the 32 cells of a tile at once
/// with the same bits.
pub(crate) struct Kernel<S: Simd> {
    one: S::V,
    zero: S::V,
    /// Share of a cell's lava that falls, in units of 1/65536; `None` if everything falls (65536).
    factor: Option<S::V>,
    beta: Share<S>,
}

impl Column<2> for Gravity {
    const UP: bool = false;
    type Kernel<S: Simd> = Kernel<S>;

    fn numbers(&self) -> RuleNumbers {
        [self.factor, self.beta, 0, 0, 0, 0, 0, 0]
    }

    fn settle(&self, below: Content, above: Content, heavier: u16) -> [Content; 2] {
        let Parcel { amount, energy } = climb(below, above, heavier, self.beta);
        if amount > 0 {
            return [
                Content {
                    amount: below.amount - amount,
                    energy: below.energy - energy,
                },
                Content {
                    amount: above.amount + amount,
                    energy: above.energy + energy,
                },
            ];
        }
        let Parcel { amount, energy } = fall(above, below, heavier, self);
        [
            Content {
                amount: below.amount + amount,
                energy: below.energy + energy,
            },
            Content {
                amount: above.amount - amount,
                energy: above.energy - energy,
            },
        ]
    }

    #[inline(always)]
    fn kernel<S: Simd>(&self, s: S) -> Kernel<S> {
        Kernel {
            one: s.splat(AMOUNT_ONE),
            zero: s.splat(0),
            factor: if self.factor < 1 << 16 {
                Some(s.splat(self.factor as u16))
            } else {
                None
            },
            beta: Share::new(s, self.beta),
        }
    }

    #[inline(always)]
    fn settle_lanes<S: Simd>(
        kernel: &Kernel<S>,
        s: S,
        pair: &Pair<'_, S, 2>,
    ) -> Option<[[S::V; 2]; 2]> {
        let under = pair.meets_heavier;
        let (a, e) = (s.load(&pair.above[AMOUNT]), s.load(&pair.above[ENERGY]));
        let b = s.load(&pair.below[AMOUNT]);
        let room = if under {
            s.sub(kernel.one, pair.heavier)
        } else {
            kernel.one
        };
        let free = if under {
            s.sub_saturating(room, b)
        } else {
            s.sub(room, b)
        };
        let amount = kernel.wanted(s, a, free, pair.open);
        let excess = if under {
            s.keep(s.sub_saturating(b, room), pair.open)
        } else {
            kernel.zero
        };
        if !s.any(if under { s.or(amount, excess) } else { amount }) {
            return None;
        }
        let f = s.load(&pair.below[ENERGY]);
        let (amount, energy) = kernel.carried(s, (a, e), amount, f);
        if !under || !s.any(excess) {
            return Some([
                [s.add(b, amount), s.add(f, energy)],
                [s.sub(a, amount), s.sub(e, energy)],
            ]);
        }
        // A cell whose lava is pressed up receives none from above.
        let up = s.min(excess, s.sub(s.splat(u16::MAX), a));
        let (up, lifted) = kernel.carried(s, (b, f), up, e);
        Some([
            [s.sub(s.add(b, amount), up), s.sub(s.add(f, energy), lifted)],
            [s.add(s.sub(a, amount), up), s.add(s.sub(e, energy), lifted)],
        ])
    }

    #[inline(always)]
    fn rises<S: Simd>(kernel: &Kernel<S>, s: S, below: &[Lanes; 2], heavier: S::V) -> u32 {
        s.above(s.load(&below[AMOUNT]), s.sub(kernel.one, heavier))
    }
}

impl<S: Simd> Kernel<S> {
    /// Returns the amounts that would fall from cells with the amounts `a` into cells with the free
    /// volumes `room`; 0 for cells without a bit in the mask `open`. All in units.
    #[inline(always)]
    fn wanted(&self, s: S, a: S::V, room: S::V, open: u32) -> S::V {
        let wanted = match self.factor {
            None => a,
            Some(factor) => {
                let broken = s.above(s.mul_low(a, factor), self.zero);
                s.add(s.mul_high(a, factor), s.keep(s.splat(1), broken))
            }
        };
        s.keep(s.min(wanted, room), open)
    }

    /// Returns the amounts that fall and the energies that they take along: `a` and `e` are amounts
    /// and energies of the upper cells, `amount` the amounts that would fall, and `f` the energies
    /// of the lower cells, which limit what these can still take. All in units.
    #[inline(always)]
    fn carried(&self, s: S, (a, e): (S::V, S::V), amount: S::V, f: S::V) -> (S::V, S::V) {
        let room = s.sub(s.splat(ENERGY_MAX), f);
        let moved = s.above(amount, self.zero);
        let part = s.above(a, amount) & moved;
        let whole = moved & !part;
        let all = s.keep(s.min(e, room), whole);
        // Energy that does not fit below keeps one unit of amount above; if that unit was all,
        // nothing falls.
        let held = s.above(e, room) & whole;
        let amount = s.sub(amount, s.keep(s.splat(1), held));
        let mut energy = s.keep(all, s.above(amount, self.zero));
        if part != 0 {
            let ratio = s.ratio(a, self.beta.apply(s, e));
            let (high, low) = (s.mul_high(amount, ratio), s.mul_low(amount, ratio));
            let over = s.keep(s.splat(u16::MAX), s.above(high, s.splat((1 << 14) - 1)));
            let carried = s.or(over, s.or(s.left::<2>(high), s.right::<14>(low)));
            energy = s.or(energy, s.keep(s.min(s.min(carried, e), room), part));
        }
        (amount, energy)
    }
}
