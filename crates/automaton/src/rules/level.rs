//! Level (*Grid Based Fluid Systems*, `doHorizontalFlow`): a liquid that lies on something gives to
//! its lower neighbours until they are as high as it is.
//!
//! A cell acts if it contains more than `stickiness` and the cell below is solid, the floor of the
//! simulation box, or filled to at least `viscosity`. With fillings f = amount + denser matter, for
//! each open neighbour n:
//!
//! ```text
//! d_n  = max(0, f_c − f_n)
//! g_n  = min(d_n / 5 / fluidity, (1 − f_n) / 4)
//!
//! thin box:
//! drop = k + Σ d_n / (k + 1)                    k = number of d_n > 0; f_c less the mean of the cell and its lower
//!                                               neighbours, never too small
//! g_n  = min(max(0, d_n − drop) / fluidity, (1 − f_n) / 4)
//!
//! if Σ g > a_c:  g_n = min(g_n, a_c / 4)
//! ```
//!
//! **Decided:** *a fifth.* In the published split, which is used in thin boxes, each giving cell
//! fills a neighbour up to a mean of its own. In three dimensions four cells do so at once: a low
//! cell overshoots by as much as it was below them, and a checkerboard of ±0.4 cells remains around
//! every source. Suppose that every pair of neighbours exchanges a share s of its difference. A
//! wave of the filling along x and z with the phase angles p and q per cell is then multiplied in a
//! step by
//!
//! ```text
//! 1 − 2 s (2 − cos p − cos q)                   checkerboard, p = q = π:  1 − 8 s
//! ```
//!
//! A share above 1/8 to each neighbour overshoots, a share of 1/4 inverts the checkerboard for
//! ever, and 1/5 leaves −0.6 of the checkerboard. A flow g over a difference d takes 2 g d from the
//! sum of the squares of all fillings of the layer and gives back at most 8 g², because the square
//! of a cell's gain is at most four times the sum of the squares of its four flows. So every flow
//! lowers this sum by 2 g (d − 4 g) or more, which is above zero for each g below d / 4, limited or
//! not: the liquid comes to rest exactly. Reach: of 900 cells poured in 300 steps, the rms radius
//! 200 steps later is 16.6 cells at 1/5, 13.1 at 1/8 and 20.4 as published. The published split
//! times 0.75 is as smooth and reaches 19.7, but its film extends a fifth further along the axes
//! than along the diagonals.
//!
//! Each neighbour gets at most a quarter of its free volume, so that four giving cells never
//! overfill a cell. In a closed box one cell thick, where a cell has two neighbours and the
//! published split is used, it gets at most half. Outside of an open side every cell counts as
//! empty. Results are rounded down, except for `drop`.

use super::Walls;
use super::shape::{
    Bed, Driver, Exchange, Flow, Gift, Gifts, Here, Listed, Near, Side, Site, lower,
};
use crate::matter::Material;
use crate::world::{AMOUNT, RuleNumbers, World};
use lavoxel_base::grid::tile::Lanes;
use lavoxel_base::param::{Param, param};
use lavoxel_base::random::Draw;
use lavoxel_base::simd::Simd;
use lavoxel_base::units::{AMOUNT_ONE, amount_units};

/// Parameters of levelling in the table of a material.
pub const PARAMS: &[Param<Material>] = &[
    param!(viscosity: Linear, [0.0, 1.0] "amount",
        "how full the cell below must be for a cell to spread; less runs further over air, 1 holds together"),
    param!(stickiness: Linear, [0.0, 1.0] "amount",
        "amount up to which a cell keeps what it has; 0 spreads to a film, 0.8 is a paste"),
    param!(fluidity: Whole, [1.0, 1000.0] "", "divides what flows to a side in a step; 1 like water, more is slower"),
];

/// Reciprocals 1 / (k + 1) in units of 1/65536, rounded up, indexed by the number k of lower
/// neighbours; index 0 is unused.
const PARTS: [u16; 5] = [0, 32768, 21846, 16384, 13108];

/// Rule of levelling, with its parameters in fixed point; amounts in units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leveling {
    /// Smallest filling (amount plus denser matter) of the cell below with which a cell gives
    /// sideways, in units.
    pub viscosity: u16,
    /// Amount up to which a cell gives nothing sideways, in units.
    pub stickiness: u16,
    /// Share of the difference of fillings that flows to a lower neighbour, in units of 1/65536. If
    /// `thin` is true, share of the amount by which the neighbour lies below the mean of the cell
    /// and its lower neighbours.
    pub share: u16,
    /// True if the simulation box is one cell thick along x or z.
    pub thin: bool,
    /// Boundary condition at the sides of the simulation box.
    pub walls: Walls,
}

impl Listed for Leveling {
    const PARAMS: &'static [Param<Material>] = PARAMS;

    fn from_site(site: &Site<'_>) -> Option<Self> {
        let (material, thin) = (site.material, site.grid.is_thin());
        Some(Self {
            viscosity: amount_units(material.viscosity),
            stickiness: amount_units(material.stickiness),
            share: share(material.fluidity.max(1), thin),
            thin,
            walls: site.spec.walls,
        })
    }

    fn run<D: Driver>(&self, driver: &mut D, on: (&mut World, usize), draw: Draw) {
        driver.exchange(on, self, draw);
    }
}

/// Returns the value of the field `share` of [`Leveling`] in units of 1/65536: 1/5 divided by
/// `fluidity` (from 1), or 1/`fluidity` if the simulation box is one cell thick (`thin`).
fn share(fluidity: u32, thin: bool) -> u16 {
    if thin {
        (65536 / fluidity).min(65535) as u16
    } else {
        65536_u32.div_ceil(5 * fluidity) as u16
    }
}

impl Leveling {
    /// Returns the amount that flows from the cell `here` to each of its four horizontal
    /// neighbours.
    pub(super) fn shares(&self, here: &Here) -> [Gift; 4] {
        let full = here.cell.amount.saturating_add(here.heavier);
        let filling = |side: Side| match side {
            Side::Open { cell, heavier } => Some(cell.amount.saturating_add(heavier)),
            Side::Outside if self.walls == Walls::Open => Some(0),
            Side::Outside | Side::Solid => None,
        };
        let there = here.beside.map(filling);
        let lower = there.map(|there| there.map_or(0, |there| full.saturating_sub(there)));
        let drop = if self.thin { drop(lower) } else { 0 };
        let mut gives: [u16; 4] = std::array::from_fn(|n| {
            let room = AMOUNT_ONE.saturating_sub(there[n].unwrap_or(AMOUNT_ONE));
            let wanted = (u32::from(lower[n].saturating_sub(drop)) * u32::from(self.share)) >> 16;
            (wanted as u16).min(if self.walls.leave_two_sides(self.thin) {
                room >> 1
            } else {
                room >> 2
            })
        });
        if gives.iter().sum::<u16>() > here.cell.amount {
            gives = gives.map(|g| g.min(here.cell.amount >> 2));
        }
        gives.map(Gift::from)
    }
}

/// Returns the difference between the filling of a cell and the mean filling of the cell and its
/// lower neighbours, in units, rounded up; `lower[n]`: filling of the cell minus that of neighbour
/// n, 0 if that neighbour is not lower.
fn drop(lower: [u16; 4]) -> u16 {
    let k = lower.iter().filter(|&&d| d > 0).count();
    let share = |d: u16| ((u32::from(d) * u32::from(PARTS[k])) >> 16) as u16;
    k as u16 + lower.iter().map(|&d| share(d)).sum::<u16>()
}

/// Parameters of levelling as SIMD vectors.
pub(crate) struct Kernel<S: Simd> {
    zero: S::V,
    one: S::V,
    viscosity: S::V,
    stickiness: S::V,
    share: S::V,
    thin: bool,
    two_sides: bool,
}

impl Exchange<1> for Leveling {
    type Kernel<S: Simd> = Kernel<S>;

    fn numbers(&self) -> RuleNumbers {
        let [viscosity, stickiness, share] =
            [self.viscosity, self.stickiness, self.share].map(u32::from);
        [
            viscosity,
            stickiness,
            share,
            self.thin.into(),
            u32::from(self.walls == Walls::Open),
            0,
            0,
            0,
        ]
    }

    fn walls(&self) -> Walls {
        self.walls
    }

    fn gifts(&self, here: &Here, _pattern: u8) -> Gifts {
        let carried = match here.bed {
            Bed::Solid => true,
            Bed::Liquid(filling) => filling >= self.viscosity,
        };
        if here.cell.amount > self.stickiness && carried {
            self.shares(here).into()
        } else {
            Gifts::default()
        }
    }

    #[inline(always)]
    fn kernel<S: Simd>(&self, s: S, _step: u64) -> Kernel<S> {
        Kernel {
            zero: s.splat(0),
            one: s.splat(AMOUNT_ONE),
            viscosity: s.splat(self.viscosity),
            stickiness: s.splat(self.stickiness),
            share: s.splat(self.share),
            thin: self.thin,
            two_sides: self.walls.leave_two_sides(self.thin),
        }
    }

    #[inline(always)]
    fn able<S: Simd>(kernel: &Kernel<S>, s: S, tile: &[Lanes; 1]) -> u32 {
        s.above(s.load(&tile[AMOUNT]), kernel.stickiness)
    }

    #[inline(always)]
    fn supported<S: Simd>(kernel: &Kernel<S>, s: S, below: S::V, bed: u32) -> u32 {
        bed | !s.above(kernel.viscosity, below)
    }

    #[inline(always)]
    fn flow<S: Simd, N: Near<S, 1>>(
        kernel: &Kernel<S>,
        s: S,
        near: &N,
        free: [u32; 4],
    ) -> Flow<S, 1> {
        match kernel.shares(s, near, free) {
            Some(gives) => Flow::Gives([gives], free),
            None => Flow::Still,
        }
    }
}

impl<S: Simd> Kernel<S> {
    /// Returns the flow from each cell of a tile to its four horizontal neighbours, in units of
    /// amount; `free`: for each direction the bit mask of the cells that may give. `None` if
    /// nothing flows.
    #[inline(always)]
    pub(super) fn shares<N: Near<S, 1>>(
        &self,
        s: S,
        near: &N,
        free: [u32; 4],
    ) -> Option<[S::V; 4]> {
        let (full, there) = near.fillings();
        let lower = lower(s, full, there, free);
        // A tile that gives nothing is still whatever the random numbers, so that the engine need
        // not process it again.
        if !s.any_of(lower) {
            return None;
        }
        let drop = if self.thin {
            drop_of(s, self.zero, lower)
        } else {
            self.zero
        };
        let amount = s.load(&near.tile()[AMOUNT]);
        let gives = [
            self.flow_to(s, lower[0], drop, there[0]),
            self.flow_to(s, lower[1], drop, there[1]),
            self.flow_to(s, lower[2], drop, there[2]),
            self.flow_to(s, lower[3], drop, there[3]),
        ];
        let sum = s.sum(gives);
        if !s.any(sum) {
            return None;
        }
        let over = s.above(sum, amount);
        let gives = if over == 0 {
            gives
        } else {
            let quarter = s.or(
                s.keep(s.right::<2>(amount), over),
                s.keep(s.splat(u16::MAX), !over),
            );
            s.min_each(gives, quarter)
        };
        Some(gives)
    }

    /// Returns the flow from the cells of a tile to their neighbours in one direction, whose
    /// filling is `there`, lower than that of the cells by `lower`. If the simulation box is one
    /// cell thick, `drop` is subtracted from this difference. All in units of amount.
    #[inline(always)]
    fn flow_to(&self, s: S, lower: S::V, drop: S::V, there: S::V) -> S::V {
        let wanted = s.mul_high(s.sub_saturating(lower, drop), self.share);
        let room = s.sub_saturating(self.one, there);
        s.min(
            wanted,
            if self.two_sides {
                s.right::<1>(room)
            } else {
                s.right::<2>(room)
            },
        )
    }
}

/// Returns for each cell of a tile the difference between its filling and the mean filling of the
/// cell and its lower neighbours; `lower`: filling of the cell minus that of each neighbour, 0 if
/// the neighbour is not lower. All in units.
#[inline(always)]
fn drop_of<S: Simd>(s: S, zero: S::V, lower: [S::V; 4]) -> S::V {
    let one = s.splat(1);
    let count = [
        s.keep(one, s.above(lower[0], zero)),
        s.keep(one, s.above(lower[1], zero)),
        s.keep(one, s.above(lower[2], zero)),
        s.keep(one, s.above(lower[3], zero)),
    ];
    let k = s.sum(count);
    let mut part = s.splat(0);
    for (fewer, value) in [PARTS[1], PARTS[2], PARTS[3], PARTS[4]]
        .into_iter()
        .enumerate()
    {
        let cells = s.above(k, s.splat(fewer as u16)) & !s.above(k, s.splat(fewer as u16 + 1));
        part = s.or(part, s.keep(s.splat(value), cells));
    }
    let parts = [
        s.mul_high(lower[0], part),
        s.mul_high(lower[1], part),
        s.mul_high(lower[2], part),
        s.mul_high(lower[3], part),
    ];
    s.add(k, s.sum(parts))
}
