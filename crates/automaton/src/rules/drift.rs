//! Drift (*Grid Based Fluid Systems*, steam): a gas rises at random, sometimes sinks, and spreads
//! below ceilings.
//!
//! ```text
//! r, r' random bytes of the cell in this step and layer, room = max(0, 1 − a − h)
//! top down:   if r < up:           t = min(a, up_speed, room above)      goes up
//! bottom up:  if r ≥ 256 − down, and the cell above is open and less than viscosity full:
//!                                  t = min(a, down_speed, room below)    goes down
//! across:     if r' < side, a > stickiness, and the cell above is closed or at least viscosity full: as liquids level
//! ```
//!
//! Columns are processed from the top down for rising, so that no gas rises more than one cell per
//! step, and then from the bottom up for sinking. In the original, 30 of 100 cells act in a step;
//! of these, 1 in 20 sinks by 0.1 and the others rise by 0.4.
//!
//! **Decided:** gas with too little room above does not sink. In the original such gas sinks from a
//! ceiling and rises again for ever; here the gas fills the cells below the ceiling, levels out and
//! comes to rest.
//!
//! Denser matter displaces a gas ([`super::squeeze`]), which does not fall.

use super::Walls;
use super::level::{self, Leveling};
use super::shape::{Driver, Exchange, Flow, Gifts, Here, Listed, Near, Side, Site, UpDown, masked};
use crate::matter::Material;
use crate::world::{RuleNumbers, World};
use lavoxel_base::grid::Place;
use lavoxel_base::grid::tile::{Lanes, TilePlace};
use lavoxel_base::param::{Param, param};
use lavoxel_base::random::{Draw, Salt, StepKey, stream_of};
use lavoxel_base::simd::Simd;
use lavoxel_base::units::{AMOUNT_ONE, amount_units};

/// Parameters of the random motion of a gas, in the table of a material; a gas also has the
/// parameters of [`super::level`].
pub const PARAMS: &[Param<Material>] = &[
    param!(drift.up: Linear, [0.0, 1.0] "share",
        "share of the cells that rise in a step; more is a faster, smoother plume"),
    param!(drift.up_speed: Linear, [0.0, 1.0] "amount", "amount that rises from a cell in a step"),
    param!(drift.down: Linear, [0.0, 1.0] "share", "share of the cells that sink in a step; a little makes billows"),
    param!(drift.down_speed: Linear, [0.0, 1.0] "amount", "amount that sinks from a cell in a step"),
    param!(drift.side: Linear, [0.0, 1.0] "share", "share of the cells that spread in a step; more widens the plume"),
];

/// Vertical random motion of a gas: amounts in units, probabilities in 1/256.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Drifting {
    /// Probability with which gas rises from a cell in a step, in 1/256.
    pub up: u16,
    /// Largest amount that rises from a cell in a step, in units.
    pub up_speed: u16,
    /// Probability with which gas sinks from a cell in a step, in 1/256.
    pub down: u16,
    /// Largest amount that sinks from a cell in a step, in units.
    pub down_speed: u16,
    /// Filling (amount plus denser matter) of the cell above from which on gas does not sink, in
    /// units.
    pub viscosity: u16,
    /// Random stream of the gas, from its name ([`stream_of`]).
    pub stream: u64,
}

/// Converts a share (clamped to 0–1) to units of 1/256, rounded.
fn of_bytes(share: f64) -> u16 {
    (share.clamp(0.0, 1.0) * 256.0).round() as u16
}

impl Drifting {
    /// Largest amount, in units, that moves from a cell in a step: upwards if `up` is true, else
    /// downwards.
    #[inline]
    pub fn speed(&self, up: bool) -> u16 {
        if up { self.up_speed } else { self.down_speed }
    }
}

impl UpDown for Drifting {
    fn numbers(&self) -> RuleNumbers {
        let [up, up_speed, down, down_speed] =
            [self.up, self.up_speed, self.down, self.down_speed].map(u32::from);
        [
            up,
            up_speed,
            down,
            down_speed,
            self.viscosity.into(),
            0,
            0,
            0,
        ]
    }

    fn key(&self, draw: Draw) -> StepKey {
        draw.key_of(Salt::Drift, self.stream)
    }

    fn acts(&self, key: StepKey, place: Place, up: bool) -> bool {
        if up {
            key.chooses(place, self.up)
        } else {
            !key.chooses(place, 256 - self.down)
        }
    }

    #[inline]
    fn acting(&self, key: StepKey, tile: TilePlace, up: bool) -> u32 {
        if up {
            key.chosen(tile, self.up)
        } else {
            !key.chosen(tile, 256 - self.down)
        }
    }

    fn ever_acts(&self, up: bool) -> bool {
        (if up { self.up } else { self.down }) > 0
    }

    fn blocking_filling(&self) -> u16 {
        self.viscosity
    }

    fn moved(&self, amount: u16, full: u16, up: bool) -> u16 {
        amount
            .min(self.speed(up))
            .min(AMOUNT_ONE.saturating_sub(full))
    }

    #[inline(always)]
    fn moved_lanes<S: Simd>(&self, s: S, amount: S::V, full: S::V, up: bool) -> S::V {
        let room = s.sub_saturating(s.splat(AMOUNT_ONE), full);
        s.min(s.min(amount, s.splat(self.speed(up))), room)
    }
}

impl Listed for Drifting {
    const PARAMS: &'static [Param<Material>] = PARAMS;

    fn from_site(site: &Site<'_>) -> Option<Self> {
        let drift = &site.material.drift;
        Some(Self {
            up: of_bytes(drift.up),
            up_speed: amount_units(drift.up_speed),
            down: of_bytes(drift.down),
            down_speed: amount_units(drift.down_speed),
            viscosity: amount_units(site.material.viscosity),
            stream: stream_of(&site.material.name),
        })
    }

    fn run<D: Driver>(&self, driver: &mut D, on: (&mut World, usize), draw: Draw) {
        driver.updown(on, self, draw);
    }
}

/// Sideways motion of a gas: randomly selected cells give to their lower neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wafting {
    /// Levelling rule that determines the flow from the selected cells to their neighbours.
    pub leveling: Leveling,
    /// Probability with which a cell may give sideways in a step, in 1/256.
    pub side: u16,
    /// Random stream of the gas, from its name ([`stream_of`]).
    pub stream: u64,
}

impl Listed for Wafting {
    fn from_site(site: &Site<'_>) -> Option<Self> {
        let side = of_bytes(site.material.drift.side);
        Leveling::from_site(site).map(|leveling| Self {
            leveling,
            side,
            stream: stream_of(&site.material.name),
        })
    }

    fn run<D: Driver>(&self, driver: &mut D, on: (&mut World, usize), draw: Draw) {
        driver.exchange(on, self, draw);
    }
}

/// Parameters of the sideways motion of a gas as SIMD vectors.
pub(crate) struct Kernel<S: Simd> {
    leveling: level::Kernel<S>,
    viscosity: S::V,
    side: u16,
    stream: u64,
}

impl Exchange<1> for Wafting {
    const ABOVE: bool = true;
    type Kernel<S: Simd> = Kernel<S>;

    fn numbers(&self) -> RuleNumbers {
        let mut numbers = self.leveling.numbers();
        numbers[5] = self.side.into();
        numbers
    }

    fn walls(&self) -> Walls {
        self.leveling.walls
    }

    fn gifts(&self, here: &Here, _pattern: u8) -> Gifts {
        let held = match here.above {
            Side::Open { cell, heavier } => {
                cell.amount.saturating_add(heavier) >= self.leveling.viscosity
            }
            Side::Outside | Side::Solid => true,
        };
        let acts = held && here.cell.amount > self.leveling.stickiness;
        if acts
            && here
                .draw
                .key_of(Salt::Waft, self.stream)
                .chooses(here.place, self.side)
        {
            return self.leveling.shares(here).into();
        }
        Gifts::default()
    }

    #[inline(always)]
    fn kernel<S: Simd>(&self, s: S, step: u64) -> Kernel<S> {
        Kernel {
            leveling: self.leveling.kernel(s, step),
            viscosity: s.splat(self.leveling.viscosity),
            side: self.side,
            stream: self.stream,
        }
    }

    #[inline(always)]
    fn able<S: Simd>(kernel: &Kernel<S>, s: S, tile: &[Lanes; 1]) -> u32 {
        Leveling::able(&kernel.leveling, s, tile)
    }

    #[inline(always)]
    fn flow<S: Simd, N: Near<S, 1>>(
        kernel: &Kernel<S>,
        s: S,
        near: &N,
        free: [u32; 4],
    ) -> Flow<S, 1> {
        let above = near.above();
        let held = !above.open | !s.above(kernel.viscosity, above.filling);
        if held & (free[0] | free[1] | free[2] | free[3]) == 0 {
            return Flow::Still;
        }
        let chosen = held & near.chosen(Salt::Waft, kernel.stream, kernel.side);
        let chosen = masked(free, chosen);
        if let Some(gives) = kernel.leveling.shares(s, near, chosen) {
            return Flow::Gives([gives], chosen);
        }
        // Cells that are not selected now may be selected in another step, so that the tile is
        // idle, not still.
        match kernel.leveling.shares(s, near, masked(free, held)) {
            Some(_) => Flow::Idle,
            None => Flow::Still,
        }
    }
}
