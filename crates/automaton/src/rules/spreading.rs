//! Spreading (equations 6–19): lava with enough energy moves to a random set of its four horizontal
//! neighbours.
//!
//! A cell spreads if it contains lava, its energy is above `threshold`, and it has support: the
//! cell below is solid, the floor of the simulation box, or contains at least `support`. One of the
//! 2⁴ patterns is drawn at random, uniformly among the subsets of the neighbours that are inside
//! the box and not solid. Each neighbour n in the pattern gets
//!
//! ```text
//! m = min(a_c · spread, (1 − a_n) / 4)             four givers can never overfill n
//! q = e_c · α · m / a_c
//! a_c −= m ; a_n += m ; e_c −= q ; e_n += q · (1 − friction)
//! ```
//!
//! All flow is computed from the state before the step. Results are rounded down, in favour of the
//! giving cell.
//!
//! Denser matter in n is added to a_n, and denser matter in the cell below gives support as lava
//! does.

use super::params::{LEAST_SHARE, MOST_ENERGY, share};
use super::shape::{Driver, Exchange, Flow, Listed, Near, Site};
use super::transfer::{Share, carried, ratio};
use super::{Bed, Gift, Gifts, Here, Parcel, RulesSpec, Side, Walls};
use crate::world::{AMOUNT, Content, ENERGY, RuleNumbers, World};
use lavoxel_base::grid::tile::Lanes;
use lavoxel_base::param::{Param, param};
use lavoxel_base::random::Draw;
use lavoxel_base::simd::Simd;
use lavoxel_base::units::{AMOUNT_ONE, ENERGY_MAX, amount_units, energy_units};

/// Parameters of spreading in the table `[rules]` of a scene.
pub const PARAMS: &[Param<RulesSpec>] = &[
    param!(threshold: Logarithmic, [0.0, MOST_ENERGY] "energy",
        "energy above which a cell spreads; 0.05 like water, 0.2 an apron, 0.5 tongues"),
    param!(spread: Linear, [LEAST_SHARE, 0.25] "share",
        "share that goes to each neighbour of the random pattern; less is more viscous"),
    param!(alpha: Linear, [0.0, 1.0] "",
        "energy that spreads with it, relative to its mass; less tires the front sooner"),
    param!(support: Linear, [0.0, 1.0] "amount",
        "amount that liquid beneath must have to carry; 0 lets liquid spread in mid-air"),
    param!(friction.on_solid: Linear, [0.0, 1.0] "on rock",
        "share of the energy lost on the way over rock; more shortens the flow"),
    param!(friction.on_liquid: Linear, [0.0, 1.0] "on lava", "share of the energy lost on the way over lava"),
    param!(spreading_every: Whole, [1.0, 1000.0] "steps", "gravity steps for each spreading step; more is stiffer"),
];

/// Rule of spreading for lava, with its parameters in fixed point with 16 fractional bits (65536 =
/// 1.0).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spreading {
    /// Energy of a cell above which its lava spreads, in units.
    pub threshold: u16,
    /// Smallest filling of the cell below with which a cell spreads, in units of amount.
    pub support: u16,
    /// Share of a cell's lava that flows to one neighbour, 1 to 16383 in units of 1/65536: below
    /// 1/4, so that a cell never gives its last unit.
    pub spread: u32,
    /// Factor of the energy that spreading lava takes along, 0 to 65536 (1.0): at 1.0 the share of
    /// the cell's energy that flows equals the share of the cell's amount that flows.
    pub alpha: u32,
    /// Share of the energy of the flowing lava that is lost if the giving cell lies on solid
    /// ground, in 1/65536.
    pub friction_on_solid: u32,
    /// Share of the energy of the flowing lava that is lost if the giving cell lies on liquid, in
    /// 1/65536.
    pub friction_on_liquid: u32,
    /// Boundary condition at the sides of the simulation box.
    pub walls: Walls,
    /// Number of steps from one application of the rule to the next; the rule acts in the last step
    /// of each such period.
    pub every: u32,
}

impl From<&RulesSpec> for Spreading {
    fn from(spec: &RulesSpec) -> Self {
        Self {
            threshold: energy_units(spec.threshold),
            support: amount_units(spec.support).min(AMOUNT_ONE),
            spread: share(spec.spread).clamp(1, (1 << 14) - 1),
            alpha: share(spec.alpha).min(1 << 16),
            friction_on_solid: share(spec.friction.on_solid).min(1 << 16),
            friction_on_liquid: share(spec.friction.on_liquid).min(1 << 16),
            walls: spec.walls,
            every: spec.spreading_every.max(1),
        }
    }
}

impl Listed for Spreading {
    fn from_site(site: &Site<'_>) -> Option<Self> {
        Some(site.spec.into())
    }

    fn is_due(&self, step: u64) -> bool {
        (step + 1).is_multiple_of(self.every.into())
    }

    fn run<D: Driver>(&self, driver: &mut D, on: (&mut World, usize), draw: Draw) {
        driver.exchange(on, self, draw);
    }
}

/// Returns true if `cell` has enough energy to spread and the cell below (`bed`) gives enough
/// support: solid ground, or a filling of at least `support`.
#[inline]
pub fn spreads(cell: Content, bed: Bed, rule: &Spreading) -> bool {
    let supported = match bed {
        Bed::Solid => true,
        Bed::Liquid(amount) => amount >= rule.support,
    };
    cell.amount > 0 && cell.energy > rule.threshold && supported
}

/// Cell that spreads, with the values that its flows to all neighbours share.
#[derive(Clone, Copy, Debug)]
pub struct Giver {
    share: u16,
    ratio: u32,
    friction: u32,
}

impl Giver {
    /// Creates the giver for `cell`, for which [`spreads`] must be true with the same arguments.
    #[inline]
    pub fn new(cell: Content, bed: Bed, rule: &Spreading) -> Self {
        Self {
            share: ((u32::from(cell.amount) * rule.spread) >> 16) as u16,
            ratio: ratio(cell.amount, cell.energy, rule.alpha),
            friction: match bed {
                Bed::Solid => rule.friction_on_solid,
                Bed::Liquid(_) => rule.friction_on_liquid,
            },
        }
    }

    /// Returns the amount and energy that flow to the neighbour `to`, which contains the amount
    /// `heavier` (units) of denser matter. Four such parcels never take more than the cell has:
    /// `spread` is below 1/4 and `alpha` at most 1, so that at least one unit of amount remains
    /// with the remaining energy.
    #[inline]
    pub fn parcel_for(self, to: Content, heavier: u16) -> Parcel {
        let amount = self
            .share
            .min(AMOUNT_ONE.saturating_sub(to.amount.saturating_add(heavier)) / 4);
        Parcel {
            amount,
            energy: carried(amount, self.ratio).min((ENERGY_MAX - to.energy) / 4),
        }
    }

    /// Returns the part of `energy` (units) that arrives at the neighbour, after the loss to
    /// friction.
    #[inline]
    pub fn arrives(self, energy: u16) -> u16 {
        energy - ((u32::from(energy) * self.friction) >> 16) as u16
    }
}

/// Parameters of spreading as SIMD vectors, for computing [`spreads`] and [`Giver`] in the 32 cells
/// of a tile at once with the same bits.
pub(crate) struct Kernel<S: Simd> {
    zero: S::V,
    one: S::V,
    full: S::V,
    threshold: S::V,
    support: S::V,
    spread: S::V,
    alpha: Share<S>,
    /// Shares of its energy that the flowing lava loses to friction: the first from cells on solid
    /// ground, the second from cells on liquid; `None` if both are 0.
    friction: Option<[Share<S>; 2]>,
}

impl Exchange<2> for Spreading {
    type Kernel<S: Simd> = Kernel<S>;

    fn numbers(&self) -> RuleNumbers {
        let open = u32::from(self.walls == Walls::Open);
        let [threshold, support] = [self.threshold, self.support].map(u32::from);
        [
            threshold,
            support,
            self.spread,
            self.alpha,
            self.friction_on_solid,
            self.friction_on_liquid,
            open,
            0,
        ]
    }

    fn walls(&self) -> Walls {
        self.walls
    }

    fn gifts(&self, here: &Here, pattern: u8) -> Gifts {
        if !spreads(here.cell, here.bed, self) {
            return Gifts::default();
        }
        let giver = Giver::new(here.cell, here.bed, self);
        let gift = |d: usize| match here.beside[d] {
            _ if pattern >> d & 1 == 0 => Gift::default(),
            Side::Open { cell, heavier } => {
                let parcel = giver.parcel_for(cell, heavier);
                Gift {
                    parcel,
                    friction: parcel.energy - giver.arrives(parcel.energy),
                }
            }
            Side::Outside if self.walls == Walls::Open => Gift {
                parcel: giver.parcel_for(Content::default(), 0),
                friction: 0,
            },
            Side::Outside | Side::Solid => Gift::default(),
        };
        std::array::from_fn(gift).into()
    }

    #[inline(always)]
    fn kernel<S: Simd>(&self, s: S, _step: u64) -> Kernel<S> {
        let friction = [self.friction_on_solid, self.friction_on_liquid];
        Kernel {
            zero: s.splat(0),
            one: s.splat(AMOUNT_ONE),
            full: s.splat(ENERGY_MAX),
            threshold: s.splat(self.threshold),
            support: s.splat(self.support),
            spread: s.splat(self.spread as u16),
            alpha: Share::new(s, self.alpha),
            friction: if friction == [0, 0] {
                None
            } else {
                Some([Share::new(s, friction[0]), Share::new(s, friction[1])])
            },
        }
    }

    #[inline(always)]
    fn able<S: Simd>(kernel: &Kernel<S>, s: S, tile: &[Lanes; 2]) -> u32 {
        s.above(s.load(&tile[AMOUNT]), kernel.zero)
            & s.above(s.load(&tile[ENERGY]), kernel.threshold)
    }

    #[inline(always)]
    fn supported<S: Simd>(kernel: &Kernel<S>, s: S, below: S::V, bed: u32) -> u32 {
        bed | !s.above(kernel.support, below)
    }

    #[inline(always)]
    fn flow<S: Simd, N: Near<S, 2>>(
        kernel: &Kernel<S>,
        s: S,
        near: &N,
        free: [u32; 4],
    ) -> Flow<S, 2> {
        let tile = near.tile();
        let (a, e) = (s.load(&tile[AMOUNT]), s.load(&tile[ENERGY]));
        let fits = if near.meets_heavier() {
            let (_, there) = near.fillings();
            let full = kernel.one;
            // A filling above 1 leaves no room.
            kernel.amounts(s, a, s.min_each(there, full))
        } else {
            kernel.amounts(s, a, near.side_values(AMOUNT))
        };
        let drawn = near.drawn();
        let given = [
            free[0] & drawn[0],
            free[1] & drawn[1],
            free[2] & drawn[2],
            free[3] & drawn[3],
        ];
        let amount = s.keep_each(fits, given);
        if !s.any_of(amount) {
            return if s.any_of(s.keep_each(fits, free)) {
                Flow::Idle
            } else {
                Flow::Still
            };
        }
        let energy = kernel.energies(s, (a, e), amount, near.side_values(ENERGY));
        Flow::Gives([amount, energy], given)
    }

    #[inline(always)]
    fn lost<S: Simd>(kernel: &Kernel<S>, s: S, quantity: usize, v: S::V, bed: u32) -> Option<S::V> {
        match &kernel.friction {
            Some([on_rock, on_liquid]) if quantity == ENERGY => Some(s.or(
                s.keep(on_rock.apply(s, v), bed),
                s.keep(on_liquid.apply(s, v), !bed),
            )),
            _ => None,
        }
    }
}

impl<S: Simd> Kernel<S> {
    // No closures here: they would be compiled without the instructions of the SIMD level.

    /// Returns the amounts that flow from cells with the amounts `a` to neighbours with the
    /// fillings `there`, one vector per direction; all in units.
    #[inline(always)]
    fn amounts(&self, s: S, a: S::V, there: [S::V; 4]) -> [S::V; 4] {
        let share = s.mul_high(a, self.spread);
        [
            s.min(share, s.right::<2>(s.sub(self.one, there[0]))),
            s.min(share, s.right::<2>(s.sub(self.one, there[1]))),
            s.min(share, s.right::<2>(s.sub(self.one, there[2]))),
            s.min(share, s.right::<2>(s.sub(self.one, there[3]))),
        ]
    }

    /// Returns the energies that the amounts `moved` take along to neighbours with the energies
    /// `there`, one vector per direction; `a` and `e` are amounts and energies of the giving cells.
    /// All in units.
    #[inline(always)]
    fn energies(
        &self,
        s: S,
        (a, e): (S::V, S::V),
        moved: [S::V; 4],
        there: [S::V; 4],
    ) -> [S::V; 4] {
        let ratio = s.ratio(a, self.alpha.apply(s, e));
        [
            self.carried(s, moved[0], ratio, there[0]),
            self.carried(s, moved[1], ratio, there[1]),
            self.carried(s, moved[2], ratio, there[2]),
            self.carried(s, moved[3], ratio, there[3]),
        ]
    }

    #[inline(always)]
    fn carried(&self, s: S, moved: S::V, ratio: S::V, there: S::V) -> S::V {
        // A share is below 2^13, so that four times the share fits 16 bits.
        s.min(
            s.mul_high(s.left::<2>(moved), ratio),
            s.right::<2>(s.sub(self.full, there)),
        )
    }
}
