//! Gravity (equations 1–5): liquid falls into the cell below as far as there is room.
//!
//! ```text
//! m = min(a_c · factor, 1 − a_b)                   c the cell, b the cell below it, not solid
//! q = e_c if m = a_c, else min(e_c, e_c · β · m / a_c)
//! a_c −= m ; a_b += m ; e_c −= q ; e_b += q
//! ```
//!
//! A column is worked from the bottom up and in place. That order makes equation 1 true: a falling
//! stack moves down as a stack, and no parcel moves more than one cell a step. The rule touches one
//! column only.
//!
//! Where a cell holds heavier matter, its room is 1 − h, with h the amount of that matter. Lava
//! that has no room climbs as other liquids do ([`super::squeeze`]) and takes its energy along as
//! falling lava does:
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

/// Parameters of gravity.
pub const PARAMS: &[Param<RulesSpec>] = &[
    param!(factor: Linear, [LEAST_SHARE, 1.0] "share",
        "share of a cell's liquid that falls in a step; less makes it trickle"),
    param!(beta: Linear, [0.0, 4.0] "",
        "energy that falls with it, relative to its mass; above 1, falling lava runs further"),
];

/// Parameters of gravity in fixed point: shares have 16 binary digits after the point (65536 =
/// 1.0).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gravity {
    /// Fraction of a cell's liquid that falls per step, 1..=65536.
    pub factor: u32,
    /// Energy fraction transported by falling liquid, relative to its mass fraction; 65536 = 1.0.
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
    fn of(site: &Site<'_>) -> Option<Self> {
        Some(site.spec.into())
    }

    fn run<D: Driver>(&self, driver: &mut D, on: (&mut World, usize), _draw: Draw) {
        driver.column(on, self);
    }
}

/// Returns the parcel that falls from the cell `from` into the open cell below, `into`, which
/// contains `heavier` units of heavier matter.
///
/// Rounding: the amount is rounded up, so that the last unit of a parcel falls too and nothing is
/// left hanging in the air. Energy that would pass [`ENERGY_MAX`] below stays above, and with it
/// one unit of amount that holds it, because an empty cell holds no energy.
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

/// Returns the parcel displaced from the cell `from`, which contains `heavier` units of heavier
/// matter, into the open cell above, `into`; `beta` as in `Gravity`.
#[inline]
fn climb(from: Content, into: Content, heavier: u16, beta: u32) -> Parcel {
    let excess = from.amount.saturating_sub(AMOUNT_ONE - heavier);
    carry(excess.min(u16::MAX - into.amount), from, into, beta)
}

/// Returns the parcel of `amount` units, for which `into` has room, with the energy that the parcel
/// transports.
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

/// SIMD form of [`fall`]: 32 cells of a tile at once, bit-identical.
pub(crate) struct Kernel<S: Simd> {
    one: S::V,
    zero: S::V,
    /// Fraction that falls; `None` if everything falls (65536).
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
        // A cell whose lava climbs takes none from above.
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
    /// Returns the amounts that would fall from cells with amounts `a` into cells with free volume
    /// `room`, where `open` has a bit.
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

    /// Returns the amounts that actually fall, given the wanted `amount`, and the energies that
    /// they transport into cells with energy `f`.
    #[inline(always)]
    fn carried(&self, s: S, (a, e): (S::V, S::V), amount: S::V, f: S::V) -> (S::V, S::V) {
        let room = s.sub(s.splat(ENERGY_MAX), f);
        let moved = s.above(amount, self.zero);
        let part = s.above(a, amount) & moved;
        let whole = moved & !part;
        let all = s.keep(s.min(e, room), whole);
        // Energy without room keeps one unit of amount above; where that unit was all, nothing
        // falls.
        let held = s.above(e, room) & whole;
        let amount = s.sub(amount, s.keep(s.splat(1), held));
        let mut energy = s.keep(all, s.above(amount, self.zero));
        if part != 0 {
            let ratio = s.ratio(a, self.beta.of(s, e));
            let (high, low) = (s.mul_high(amount, ratio), s.mul_low(amount, ratio));
            let over = s.keep(s.splat(u16::MAX), s.above(high, s.splat((1 << 14) - 1)));
            let carried = s.or(over, s.or(s.left::<2>(high), s.right::<14>(low)));
            energy = s.or(energy, s.keep(s.min(s.min(carried, e), room), part));
        }
        (amount, energy)
    }
}
