//! Squeeze and fall (*Grid Based Fluid Systems*, `doVerticalFlow`): liquid that denser matter
//! displaces rises to the first free volume in its column; other liquid falls.
//!
//! ```text
//! a amount, h heavier matter, room = 1 − h;  b the cell, c the cell above it, both open
//! if a_b > room_b:  t = min(a_b − room_b, 2 − a_c)     goes up
//! else              t = min(a_c, speed, room_b − a_b)  comes down
//! ```
//!
//! A column is processed from the bottom up, with immediate effect: a stack falls as a stack, by
//! one cell in a step, and displaced liquid rises past all denser matter in one step. On the way a
//! cell may contain just below 2; liquid that finds no free volume stays where it is.
//!
//! A gas is displaced in the same way but does not fall ([`super::drift`]).
//!
//! A compressible liquid ([`super::compress`]) falls and rises by its own rule; here such a liquid
//! is displaced only from cells with at least 0.98 of denser matter.

use super::shape::{Column, Driver, Listed, Pair, Site};
use crate::matter::{Kind, Material, Pressure};
use crate::world::{AMOUNT, Content, RuleNumbers, World};
use lavoxel_base::grid::tile::Lanes;
use lavoxel_base::param::{Param, param};
use lavoxel_base::random::Draw;
use lavoxel_base::simd::Simd;
use lavoxel_base::units::{AMOUNT_ONE, amount_units};

/// Parameters of falling and of displacement by denser matter, in the table of a material.
pub const PARAMS: &[Param<Material>] = &[
    param!(speed: Linear, [0.001, 1.0] "amount", "amount that falls from a cell in a step; less makes it drift down"),
];

/// Smallest amount of denser matter in a cell that displaces a compressible liquid, which rises by
/// its own rule, in units: 0.98 of a full cell.
const NEARLY_FULL: u16 = (AMOUNT_ONE as u32 * 98 / 100) as u16;

/// Rule of falling and of displacement by denser matter; amounts in units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Squeezing {
    /// Largest amount that falls from a cell in a step, in units.
    pub speed: u16,
    /// Smallest amount of denser matter in a cell with which this matter displaces the layer's
    /// matter, in units.
    pub least: u16,
}

impl Listed for Squeezing {
    const PARAMS: &'static [Param<Material>] = PARAMS;

    fn from_site(site: &Site<'_>) -> Option<Self> {
        Some(match (site.material.kind, site.material.pressure) {
            (Kind::Gas, _) => Self { speed: 0, least: 0 },
            // Such a liquid falls and rises by compressing instead.
            (_, Pressure::Compress) => Self {
                speed: 0,
                least: NEARLY_FULL,
            },
            _ => Self {
                speed: amount_units(site.material.speed).max(1),
                least: 0,
            },
        })
    }

    fn run<D: Driver>(&self, driver: &mut D, on: (&mut World, usize), _draw: Draw) {
        driver.column(on, self);
    }
}

/// Parameters of falling and displacement as SIMD vectors.
pub(crate) struct Kernel<S: Simd> {
    speed: S::V,
    least: S::V,
    one: S::V,
    most: S::V,
}

impl Column<1> for Squeezing {
    const UP: bool = true;
    type Kernel<S: Simd> = Kernel<S>;

    fn numbers(&self) -> RuleNumbers {
        [self.speed.into(), self.least.into(), 0, 0, 0, 0, 0, 0]
    }

    fn settle(&self, below: Content, above: Content, heavier: u16) -> [Content; 2] {
        let room = AMOUNT_ONE - heavier;
        let (b, c) = (below.amount, above.amount);
        let (b, c) = if b > room {
            let up = if heavier < self.least {
                0
            } else {
                (b - room).min(u16::MAX - c)
            };
            (b - up, c + up)
        } else {
            let down = c.min(self.speed).min(room - b);
            (b + down, c - down)
        };
        [
            Content { amount: b, ..below },
            Content { amount: c, ..above },
        ]
    }

    #[inline(always)]
    fn kernel<S: Simd>(&self, s: S) -> Kernel<S> {
        Kernel {
            speed: s.splat(self.speed),
            least: s.splat(self.least),
            one: s.splat(AMOUNT_ONE),
            most: s.splat(u16::MAX),
        }
    }

    #[inline(always)]
    fn settle_lanes<S: Simd>(
        kernel: &Kernel<S>,
        s: S,
        pair: &Pair<'_, S, 1>,
    ) -> Option<[[S::V; 1]; 2]> {
        let (b, c) = (s.load(&pair.below[AMOUNT]), s.load(&pair.above[AMOUNT]));
        let room = s.sub(kernel.one, pair.heavier);
        // In each cell, one of the two differences is zero.
        let (excess, free) = (s.sub_saturating(b, room), s.sub_saturating(room, b));
        let displaces = pair.open & !s.above(kernel.least, pair.heavier);
        let up = s.keep(s.min(excess, s.sub(kernel.most, c)), displaces);
        let down = s.keep(s.min(s.min(c, kernel.speed), free), pair.open);
        if !s.any(s.or(up, down)) {
            return None;
        }
        Some([[s.sub(s.add(b, down), up)], [s.add(s.sub(c, down), up)]])
    }

    #[inline(always)]
    fn rises<S: Simd>(kernel: &Kernel<S>, s: S, below: &[Lanes; 1], heavier: S::V) -> u32 {
        s.above(s.load(&below[AMOUNT]), s.sub(kernel.one, heavier))
            & !s.above(kernel.least, heavier)
    }
}
