//! Compress (*Simple Fluid Simulation With Cellular Automata*): a liquid whose lower cells contain
//! slightly more than the cells above, so that it comes to the same height on both sides of a pipe.
//!
//! Fillings c, b, u, n: amount + denser matter of the cell, of the cell below, of the cell above
//! and of a neighbour at a side, each at most just below 2. `C` is `max`, made even; K = C / (1 +
//! C); h = s / 2. If two cells, one above the other, contain s together, they are in equilibrium
//! when the lower one contains S(s):
//!
//! ```text
//! S(s) = 1 if s ≤ 1;   1 + (s − 1) K if h < 1 + C / 2;   h + C / 2 otherwise
//! damp(f) = f / 2 if f > min_flow, else f
//!
//! down:  f = damp(S(c + b) − b),              at most max_speed, what the cell has, half of the room below
//! sides: d = c − n > 0, f = d / 8             at most a tenth of the room there
//!        thin box: f = damp(d / 4);  d < 8 units, thin 4, and the turn of the pair: f = d / 2
//!        if they want more than the cell has left: each at most a quarter, in a thin box half
//! up:    f = damp(r − S(r + u)), r the rest with heavier matter;  at most max_speed, the rest, a tenth of the room
//! ```
//!
//! Nothing flows into a cell that denser matter fills, such as a block in the water: the amount
//! above 1 in such a cell is that of the liquid alone.
//!
//! All flows are computed from the state before the step. Together they need less free volume than
//! there is, up to just below 2 per cell.
//!
//! **Not modelled:** outflow under pressure. Along a full pipe a cell gives an eighth of its
//! surplus over the next cell, and at the mouth, where the next cell is empty, nearly all of this
//! surplus is the cell's own amount: each cell of water above the pipe adds only `max`. So the flow
//! through a pipe decreases with its length and hardly increases with the head: 1 : 1.05 : 1.1 for
//! heads of 6, 12 and 24 cells, where Torricelli's law has 1 : 1.41 : 2. Tried: limiting the flow
//! into a cell that is not full to a share k of √(2 (c − 1) / C). This limit starves the pipe,
//! whose own cells are not full at first: with k from 0.0003 to 0.05 nothing or a hundredth of a
//! cell comes through in 1,500 steps. [`super::trace`] follows the law.
//!
//! **Decided:** *turns.* Small differences are exchanged only between pairs of neighbours whose
//! turn it is. In four successive steps these are the pairs along x whose lower cell is even, the
//! pairs along z whose lower cell is even, those along x with an odd one, and those along z with an
//! odd one. Without turns, differences of 7 units per cell add up along a pipe; with turns 1 unit,
//! and the liquid still comes to rest. Except in thin boxes all flows to the sides are damped: four
//! flows of d / 4 would invert a checkerboard pattern in every step. If the rule runs several
//! `passes` per step, each counts as a step for the turns. Outside of an open side every cell
//! counts as empty.

use super::Walls;
use super::shape::{Driver, Exchange, Flow, Gift, Gifts, Here, Listed, Near, Side, Site, lower};
use crate::matter::Material;
use crate::world::{AMOUNT, RuleNumbers, World};
use lavoxel_base::grid::tile::Lanes;
use lavoxel_base::param::{Param, param};
use lavoxel_base::random::Draw;
use lavoxel_base::simd::Simd;
use lavoxel_base::units::{AMOUNT_ONE, amount_units};

/// Parameters of a compressible liquid, in the table of a material.
pub const PARAMS: &[Param<Material>] = &[
    param!(compress.max: Logarithmic, [0.0001, 0.5] "amount",
        "what a cell holds more than the one above it; more levels faster and stands higher when deep"),
    param!(compress.min_flow: Linear, [0.0, 1.0] "amount",
        "flow up or down that is not damped; more is quicker, and restless"),
    param!(compress.max_speed: Linear, [0.001, 1.0] "amount", "largest flow up or down in a pass"),
    param!(compress.passes: Whole, [1.0, 64.0] "a step",
        "times that the rule runs in a step; the time to come level falls in proportion, the cost rises"),
];

/// One tenth in units of 1/65536: the share of the free volume that one flow may fill. A tenth,
/// because four sides and the cell below then leave some of the half that may come from above.
const TENTH: u16 = 6553;

/// Rule of a compressible liquid, with its parameters in fixed point; amounts in units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Compressing {
    /// Amount that a cell at rest contains in addition to that of the cell above (`C` of the module
    /// documentation), in units; even.
    pub max: u16,
    /// Largest vertical flow that is not damped, in units of amount.
    pub min_flow: u16,
    /// Largest vertical flow out of a cell per application of the rule, in units of amount.
    pub max_speed: u16,
    /// Number of times that the rule is applied in each step.
    pub passes: u32,
    /// True if the simulation box is one cell thick along x or z.
    pub thin: bool,
    /// Boundary condition at the sides of the simulation box.
    pub walls: Walls,
}

impl Listed for Compressing {
    const PARAMS: &'static [Param<Material>] = PARAMS;

    fn from_site(site: &Site<'_>) -> Option<Self> {
        let spec = &site.material.compress;
        Some(Self {
            max: spec.step_of_depth(),
            min_flow: amount_units(spec.min_flow),
            max_speed: amount_units(spec.max_speed).max(1),
            passes: spec.passes.max(1),
            thin: site.grid.is_thin(),
            walls: site.spec.walls,
        })
    }

    fn run<D: Driver>(&self, driver: &mut D, on: (&mut World, usize), draw: Draw) {
        draw.passes(self.passes)
            .for_each(|draw| driver.exchange((&mut *on.0, on.1), self, draw));
    }
}

impl Compressing {
    /// Returns the factor K of the module documentation in units of 1/65536.
    fn share(&self) -> u16 {
        ((u32::from(self.max) << 16) / u32::from(AMOUNT_ONE + self.max)) as u16
    }

    /// Returns the amount of the lower of two vertically adjacent cells in equilibrium, if the
    /// cells together contain `upper` + `lower`; in units.
    fn stable(&self, upper: u16, lower: u16) -> u16 {
        let sum = u32::from(upper) + u32::from(lower);
        let (one, half) = (u32::from(AMOUNT_ONE), sum >> 1);
        let stable = if sum <= one {
            one
        } else if half < one + u32::from(self.max / 2) {
            one + (((sum - one) * u32::from(self.share())) >> 16)
        } else {
            half + u32::from(self.max / 2)
        };
        stable as u16
    }

    fn damp(&self, flow: u16) -> u16 {
        if flow > self.min_flow {
            flow >> 1
        } else {
            flow
        }
    }

    /// Difference of fillings, in units of amount, below which two neighbours exchange liquid only
    /// in those of four steps in which it is the turn of their pair.
    fn fine(&self) -> u16 {
        if self.thin { 4 } else { 8 }
    }

    /// Returns the flow to a side neighbour with the filling `there`, which is lower than that of
    /// the cell by `lower` (both in units of amount); `turn` is true if it is the pair's turn to
    /// exchange small differences in this step.
    fn aside(&self, lower: u16, there: u16, turn: bool) -> u16 {
        let flow = if lower < self.fine() && turn {
            lower >> 1
        } else if self.thin {
            self.damp(lower >> 2)
        } else {
            lower >> 3
        };
        flow.min(tenth(u16::MAX - there))
    }
}

/// Returns true if denser matter (`heavier`) alone fills a cell that contains `amount` of the
/// liquid; both in units.
fn is_packed(amount: u16, heavier: u16) -> bool {
    amount.saturating_add(heavier) - amount >= AMOUNT_ONE
}

/// Returns one tenth of the free volume `room` (units), rounded down.
fn tenth(room: u16) -> u16 {
    ((u32::from(room) * u32::from(TENTH)) >> 16) as u16
}

/// Returns true if small differences are exchanged in step number `step` between a cell of the
/// column (x, z) and its neighbour in the direction `DIRECTIONS[d]`.
fn has_turn(d: usize, [x, z]: [usize; 2], step: u64) -> bool {
    let (axis, odd) = ((step & 1) as usize, step >> 1 & 1);
    // The lower cell of the pair is the neighbour to the west or north, or the cell itself.
    let lower = [x.wrapping_sub(1), x, z.wrapping_sub(1), z][d];
    d / 2 == axis && (lower as u64 & 1) == odd
}

impl Exchange<1> for Compressing {
    const VERTICAL: bool = true;
    type Kernel<S: Simd> = Kernel<S>;

    fn numbers(&self) -> RuleNumbers {
        let open = u32::from(self.walls == Walls::Open);
        let [max, min_flow, max_speed] = [self.max, self.min_flow, self.max_speed].map(u32::from);
        [max, min_flow, max_speed, self.thin.into(), open, 0, 0, 0]
    }

    fn walls(&self) -> Walls {
        self.walls
    }

    fn gifts(&self, here: &Here, _pattern: u8) -> Gifts {
        let mut left = here.cell.amount;
        let heavier = here.heavier.min(u16::MAX - left);
        let full = |amount: u16| amount + heavier;
        let mut gifts = Gifts::default();
        // Below, sides, above: each flow takes from what the flows before have left.
        if let Side::Open { cell, heavier } = here.below
            && !is_packed(cell.amount, heavier)
        {
            let filling = cell.amount.saturating_add(heavier);
            let flow = self.damp(self.stable(full(left), filling).saturating_sub(filling));
            gifts.below = flow
                .min(self.max_speed)
                .min(left)
                .min((u16::MAX - cell.amount) >> 1)
                .into();
            left -= gifts.below.parcel.amount;
        }
        let mut sides: [u16; 4] = std::array::from_fn(|d| {
            let (filling, amount) = match here.beside[d] {
                Side::Open { cell, heavier } if is_packed(cell.amount, heavier) => return 0,
                Side::Open { cell, heavier } => (cell.amount.saturating_add(heavier), cell.amount),
                Side::Outside if self.walls == Walls::Open => (0, 0),
                Side::Outside | Side::Solid => return 0,
            };
            let [x, _, z] = here.place;
            let lower = full(here.cell.amount).saturating_sub(filling);
            self.aside(lower, amount, has_turn(d, [x, z], here.draw.step))
        });
        if sides.iter().sum::<u16>() > left {
            let most = if self.walls.leave_two_sides(self.thin) {
                left >> 1
            } else {
                left >> 2
            };
            sides = sides.map(|flow| flow.min(most));
        }
        left -= sides.iter().sum::<u16>();
        gifts.beside = sides.map(Gift::from);
        if let Side::Open { cell, heavier } = here.above
            && !is_packed(cell.amount, heavier)
        {
            let filling = cell.amount.saturating_add(heavier);
            let flow = self.damp(full(left).saturating_sub(self.stable(full(left), filling)));
            gifts.above = flow
                .min(self.max_speed)
                .min(left)
                .min(tenth(u16::MAX - cell.amount))
                .into();
        }
        gifts
    }

    #[inline(always)]
    fn kernel<S: Simd>(&self, s: S, step: u64) -> Kernel<S> {
        let turn: [u32; 4] = std::array::from_fn(|d| {
            (0..32)
                .filter(|lane| has_turn(d, [lane % 8, lane / 8], step))
                .fold(0, |bits, lane| bits | 1 << lane)
        });
        Kernel {
            zero: s.splat(0),
            one: s.splat(AMOUNT_ONE),
            most: s.splat(u16::MAX),
            half: s.splat(self.max / 2),
            middle: s.splat(AMOUNT_ONE + self.max / 2),
            share: s.splat(self.share()),
            min_flow: s.splat(self.min_flow),
            max_speed: s.splat(self.max_speed),
            tenth: s.splat(TENTH),
            fine: s.splat(self.fine()),
            turn,
            thin: self.thin,
            two_sides: self.walls.leave_two_sides(self.thin),
        }
    }

    #[inline(always)]
    fn able<S: Simd>(kernel: &Kernel<S>, s: S, tile: &[Lanes; 1]) -> u32 {
        s.above(s.load(&tile[AMOUNT]), kernel.zero)
    }

    #[inline(always)]
    fn flow<S: Simd, N: Near<S, 1>>(k: &Kernel<S>, s: S, near: &N, free: [u32; 4]) -> Flow<S, 1> {
        let amount = s.load(&near.tile()[AMOUNT]);
        let (full, fillings) = near.fillings();
        let heavier = s.sub(full, amount);
        let under = near.below();
        let down = k.down(
            s,
            (full, amount),
            (under.filling, under.amount),
            under.open & k.fits(s, under.filling, under.amount),
        );
        let left = s.sub(amount, down);
        let there = near.side_values(AMOUNT);
        let open = [
            free[0] & k.fits(s, fillings[0], there[0]),
            free[1] & k.fits(s, fillings[1], there[1]),
            free[2] & k.fits(s, fillings[2], there[2]),
            free[3] & k.fits(s, fillings[3], there[3]),
        ];
        let lower = lower(s, full, fillings, open);
        let sides = [
            k.aside(s, lower[0], there[0], k.turn[0]),
            k.aside(s, lower[1], there[1], k.turn[1]),
            k.aside(s, lower[2], there[2], k.turn[2]),
            k.aside(s, lower[3], there[3], k.turn[3]),
        ];
        let sides = k.at_most(s, sides, left);
        let given = s.sum(sides);
        let left = s.sub(left, given);
        let over = near.above();
        let up = k.up(
            s,
            (s.add(left, heavier), left),
            (over.filling, over.amount),
            over.open & k.fits(s, over.filling, over.amount),
        );
        if s.any(s.or(s.or(down, up), given)) {
            return Flow::All([sides], free, [[down, up]]);
        }
        // Without flow in this step, a small difference may still move in a step in which it is the
        // pair's turn.
        let fine = s.or(s.or(lower[0], lower[1]), s.or(lower[2], lower[3]));
        if s.any(s.right::<1>(fine)) {
            Flow::Idle
        } else {
            Flow::Still
        }
    }
}

/// Parameters of a compressible liquid as SIMD vectors, with the cells whose turn it is to exchange
/// small differences in this step.
pub(crate) struct Kernel<S: Simd> {
    zero: S::V,
    one: S::V,
    most: S::V,
    half: S::V,
    middle: S::V,
    share: S::V,
    min_flow: S::V,
    max_speed: S::V,
    tenth: S::V,
    fine: S::V,
    /// Bit masks of the cells that exchange small differences in this step with their neighbour,
    /// one mask per direction.
    turn: [u32; 4],
    thin: bool,
    two_sides: bool,
}

// No closures here: they would be compiled without the instructions of the SIMD level.

impl<S: Simd> Kernel<S> {
    /// Returns, for the 32 cells of a tile, the equilibrium amount that [`Compressing::stable`]
    /// returns for one cell.
    #[inline(always)]
    fn stable(&self, s: S, upper: S::V, lower: S::V) -> S::V {
        let (upper_half, lower_half) = (s.right::<1>(upper), s.right::<1>(lower));
        let odd = s.add(
            s.sub(upper, s.left::<1>(upper_half)),
            s.sub(lower, s.left::<1>(lower_half)),
        );
        let half = s.add(s.add(upper_half, lower_half), s.right::<1>(odd));
        let small = !s.above(s.add_saturating(upper, lower), self.one);
        let middle = s.above(self.middle, half) & !small;
        // Here the sum is below 3, so that the sum less 1 fits 16 bits.
        let above_one = s.sub(s.add(upper, lower), self.one);
        let mixed = s.keep(s.add(self.one, s.mul_high(above_one, self.share)), middle);
        let deep = s.keep(s.add(half, self.half), !(small | middle));
        s.or(s.or(s.keep(self.one, small), mixed), deep)
    }

    /// Returns the bit mask of the cells that denser matter does not fill completely; `filling`:
    /// amount plus denser matter, `amount`: amount of the liquid, in units.
    #[inline(always)]
    fn fits(&self, s: S, filling: S::V, amount: S::V) -> u32 {
        s.above(self.one, s.sub(filling, amount))
    }

    #[inline(always)]
    fn damp(&self, s: S, flow: S::V) -> S::V {
        let large = s.above(flow, self.min_flow);
        s.or(s.keep(s.right::<1>(flow), large), s.keep(flow, !large))
    }

    #[inline(always)]
    fn down(
        &self,
        s: S,
        (full, amount): (S::V, S::V),
        (filling, below): (S::V, S::V),
        open: u32,
    ) -> S::V {
        let flow = self.damp(s, s.sub_saturating(self.stable(s, full, filling), filling));
        let room = s.right::<1>(s.sub(self.most, below));
        s.keep(
            s.min(s.min(flow, self.max_speed), s.min(amount, room)),
            open,
        )
    }

    #[inline(always)]
    fn up(
        &self,
        s: S,
        (full, left): (S::V, S::V),
        (filling, above): (S::V, S::V),
        open: u32,
    ) -> S::V {
        let flow = s.keep(s.sub_saturating(full, self.stable(s, full, filling)), open);
        if !s.any(flow) {
            return flow;
        }
        let room = s.mul_high(s.sub(self.most, above), self.tenth);
        s.min(s.min(self.damp(s, flow), self.max_speed), s.min(left, room))
    }

    #[inline(always)]
    fn aside(&self, s: S, lower: S::V, there: S::V, turn: u32) -> S::V {
        let flow = if self.thin {
            self.damp(s, s.right::<2>(lower))
        } else {
            s.right::<3>(lower)
        };
        let fine = s.above(self.fine, lower) & turn;
        let flow = s.or(s.keep(s.right::<1>(lower), fine), s.keep(flow, !fine));
        s.min(flow, s.mul_high(s.sub(self.most, there), self.tenth))
    }

    /// Returns the flows `sides` to the four horizontal neighbours; where they add up to more than
    /// `left` (amount left in the cell), each is limited to a quarter of `left`, or half in a
    /// closed box one cell thick. In units.
    #[inline(always)]
    fn at_most(&self, s: S, sides: [S::V; 4], left: S::V) -> [S::V; 4] {
        let over = s.above(s.sum(sides), left);
        if over == 0 {
            return sides;
        }
        let part = if self.two_sides {
            s.right::<1>(left)
        } else {
            s.right::<2>(left)
        };
        let part = s.or(s.keep(part, over), s.keep(self.most, !over));
        s.min_each(sides, part)
    }
}
