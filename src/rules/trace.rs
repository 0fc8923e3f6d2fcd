//! Trace (*Grid Based Fluid Systems*, `doPressureFlow`, after *Dwarf Fortress*): liquid under pressure passes through cells
//! that are already full, from the high surfaces of a body of liquid to the low ones.
//!
//! In every step that is a multiple of `every`:
//!
//! 1. *Body cells* are open and hold more than `through`; *bodies* are their 6-connected components.
//! 2. *Surface cells* are open and lie below an open cell that has `min_pressure` of room or more. A body cell belongs to its own
//!    body; with `rest`, another cell that holds liquid to the body below it; any other to each of the bodies that touch it, and
//!    it offers each of them an equal part of its room. The cells that belong to one body as its own or by rest, with
//!    `min_liquid` or more, *give*: they offer their amount. Those with room *take*.
//! 3. By body and height: the highest offers go to the lowest heights that have room, as long as the giver is higher and the room
//!    is `min_flow` or more. A height that neither gave nor took comes level where its cells differ by more than `min_flow`: half of what
//!    its cells hold above their mean goes to those below it, as far as they have room.
//! 4. Each cell has its share of what moved by *running sums* in the order of tiles (`in_order`): of G that leaves cells with
//!    offers v that add up to S, a cell gives G (P + v) / S − G P / S, P being the offers before it, rounded down. Takers alike.
//!    All amounts are those before the step, and all sums are exact.
//!
//! **Decided:** liquid goes to strictly lower heights, so that nothing rises above where it came from, and the rule comes to rest. The
//! published search moves liquid while it looks and depends on the order of the cells. With `air = "kept"` the cell
//! above a giver or a taker must reach the roof, or an open side, through open cells with `min_pressure` of room: a closed
//! arm keeps its air. Only tracing knows the air; liquid falls and runs level through it.

mod plain;

use super::Walls;
use super::params::{Param, param};
use crate::grid::tile::{TILE_X, TILE_Z};
use crate::grid::{Grid, Place};
use crate::matter::{Air, Material};
use crate::units::{AMOUNT_ONE, amount_units};
use crate::world::RuleNumbers;

/// The parameters of tracing, in the table of a material.
pub const PARAMS: &[Param<Material>] = &[
    param!(
        trace.through,
        "amount",
        0.0,
        1.0,
        Linear,
        "amount above which liquid passes through a cell; 0.5 passes through running films and empties high ponds faster"
    ),
    param!(
        trace.min_liquid,
        "amount",
        0.0,
        1.0,
        Linear,
        "least amount of a cell that gives; more leaves films behind where a surface sinks"
    ),
    param!(
        trace.min_pressure,
        "amount",
        0.001,
        1.0,
        Linear,
        "least room above a cell that gives or takes; more holds liquid back below what falls on it"
    ),
    param!(
        trace.min_flow,
        "amount",
        0.0001,
        1.0,
        Logarithmic,
        "least room of a height that takes, and least difference in one that comes level; more rests sooner and less level"
    ),
    param!(trace.every, "steps", 1.0, 1000.0, Whole, "steps between two runs of the rule; more is cheaper and slower"),
];

/// The rule's parameters in units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tracing {
    /// Amount above which liquid passes through a cell.
    pub through: u16,
    /// Least amount of a cell that gives.
    pub min_liquid: u16,
    /// Largest filling of the cell above a surface.
    pub fullest: u16,
    /// Least room of a height that takes, and least difference in one that comes level.
    pub min_flow: u16,
    /// Whether what stands on a body belongs to it.
    pub rest: bool,
    /// What the air above a surface does.
    pub air: Air,
    /// Runs in every so many steps.
    pub every: u32,
    /// The sides of the box.
    pub walls: Walls,
}

impl Tracing {
    /// The rule of a material in a box with these sides.
    pub fn new(material: &Material, walls: Walls) -> Self {
        let spec = &material.trace;
        Self {
            through: amount_units(spec.through),
            min_liquid: amount_units(spec.min_liquid),
            fullest: AMOUNT_ONE - amount_units(spec.min_pressure).max(1),
            min_flow: amount_units(spec.min_flow).max(1),
            rest: spec.rest,
            air: spec.air,
            every: spec.every.max(1),
            walls,
        }
    }

    /// All numbers on which the result depends.
    pub(crate) fn numbers(&self) -> RuleNumbers {
        let [through, min_liquid, fullest, min_flow] =
            [self.through, self.min_liquid, self.fullest, self.min_flow].map(u32::from);
        let (kept, open) = (self.air == Air::Kept, self.walls == Walls::Open);
        [through, min_liquid, fullest, min_flow, self.rest.into(), kept.into(), open.into(), 0]
    }

    /// What a cell that belongs to one body offers.
    pub(crate) fn offer(&self, amount: u16) -> u16 {
        if amount >= self.min_liquid { amount } else { 0 }
    }

    /// Books what goes from the high to the low of one body's heights, which come from the lowest on; those that come level have
    /// their means then.
    pub(crate) fn exchange(&self, heights: &mut [Height]) {
        let (mut low, mut high) = (0, heights.len() - 1);
        while low < high {
            let offered = heights[high].offers - heights[high].given;
            let room = heights[low].room - heights[low].taken;
            if offered == 0 {
                high -= 1;
            } else if room < u64::from(self.min_flow) {
                low += 1;
            } else {
                let moved = offered.min(room);
                heights[high].given += moved;
                heights[low].taken += moved;
            }
        }
        for height in heights.iter_mut().filter(|height| height.given == 0 && height.taken == 0) {
            height.come_level(self.min_flow);
        }
    }
}

/// The surface cells of a body at one height: what they offer, and what room they have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Height {
    /// The body's number, and y.
    pub(crate) body: u32,
    pub(crate) y: u32,
    cells: u64,
    /// Amount of all, the least, and the largest.
    sum: u64,
    least: u16,
    most: u16,
    /// Sums over the cells; of one that comes level, of what is above the mean and of what is missing to it.
    offers: u64,
    room: u64,
    /// What moves.
    given: u64,
    taken: u64,
    /// The mean of one that comes level.
    mean: Option<u16>,
}

/// What a surface cell offers, holds, and has room for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Surface {
    pub(crate) offer: u16,
    pub(crate) amount: u16,
    pub(crate) room: u16,
}

impl Height {
    /// One without cells.
    pub(crate) fn new(body: u32, y: u32) -> Self {
        let [cells, sum, offers, room, given, taken] = [0; 6];
        Self { body, y, cells, sum, least: u16::MAX, most: 0, offers, room, given, taken, mean: None }
    }

    /// Adds a cell.
    #[inline(always)]
    pub(crate) fn add(&mut self, cell: Surface) {
        self.cells += 1;
        self.sum += u64::from(cell.amount);
        self.least = self.least.min(cell.amount);
        self.most = self.most.max(cell.amount);
        self.offers += u64::from(cell.offer);
        self.room += u64::from(cell.room);
    }

    /// Adds cells of the same body and height.
    pub(crate) fn join(&mut self, other: &Self) {
        self.cells += other.cells;
        self.sum += other.sum;
        self.least = self.least.min(other.least);
        self.most = self.most.max(other.most);
        self.offers += other.offers;
        self.room += other.room;
    }

    /// Sets the mean where the cells differ by more than `min_flow`; [`Height::add_around_mean`] then adds them up again.
    fn come_level(&mut self, min_flow: u16) {
        if self.most.saturating_sub(self.least) > min_flow {
            self.mean = Some((self.sum / self.cells) as u16);
            (self.offers, self.room) = (0, 0);
        }
    }

    /// Whether its cells are added up a second time, around their mean.
    pub(crate) fn comes_level(&self) -> bool {
        self.mean.is_some()
    }

    /// Adds a cell of a height that comes level.
    #[inline(always)]
    pub(crate) fn add_around_mean(&mut self, cell: Surface) {
        self.offers += u64::from(self.gives(cell));
        self.room += u64::from(self.takes(cell));
    }

    /// Adds what others added around the same mean.
    pub(crate) fn join_around_mean(&mut self, other: &Self) {
        self.offers += other.offers;
        self.room += other.room;
    }

    /// The same height, booked, of which no cell was added yet around the mean.
    pub(crate) fn without_sums(&self) -> Self {
        Self { offers: 0, room: 0, ..*self }
    }

    /// Books what moves in a height that comes level.
    pub(crate) fn book_level(&mut self) {
        (self.given, self.taken) = (self.offers.min(self.room) / 2, self.offers.min(self.room) / 2);
    }

    /// Whether anything moves.
    pub(crate) fn moves(&self) -> bool {
        self.given | self.taken != 0
    }

    /// Sums that decide about the shares of the cells that follow: offers and room.
    pub(crate) fn sums(&self) -> [u64; 2] {
        [self.offers, self.room]
    }

    /// For what a cell counts among those that give.
    #[inline(always)]
    fn gives(&self, cell: Surface) -> u16 {
        cell.offer.saturating_sub(self.mean.unwrap_or(0))
    }

    /// For what a cell counts among those that take.
    #[inline(always)]
    fn takes(&self, cell: Surface) -> u16 {
        self.mean.map_or(cell.room, |mean| cell.room.min(mean.saturating_sub(cell.amount)))
    }

    /// The shares of its cells, from one on before which offers and room add up to so much.
    pub(crate) fn shares(&self, [offers, room]: [u64; 2]) -> Shares {
        Shares {
            height: *self,
            gives: Running::from(self.given, self.offers, offers),
            takes: Running::from(self.taken, self.room, room),
        }
    }
}

/// The shares of the cells of a height, one after the other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shares {
    height: Height,
    gives: Running,
    takes: Running,
}

impl Shares {
    /// Whether all of them are zero.
    #[inline(always)]
    pub(crate) fn move_nothing(&self) -> bool {
        !self.height.moves()
    }

    /// What the next cell gives and takes.
    #[inline(always)]
    pub(crate) fn next(&mut self, cell: Surface) -> [u16; 2] {
        [self.gives.next(self.height.gives(cell)), self.takes.next(self.height.takes(cell))]
    }
}

/// Parts of a whole that add up to it: running sums, rounded down.
#[derive(Clone, Copy, Debug)]
struct Running {
    whole: u64,
    /// Sum of all values.
    of: u64,
    passed: u64,
    paid: u64,
}

impl Running {
    /// From the value on before which the values add up to `passed`.
    fn from(whole: u64, of: u64, passed: u64) -> Self {
        let mut running = Self { whole, of, passed, paid: 0 };
        running.paid = running.due();
        running
    }

    /// What the values so far have together.
    #[inline(always)]
    fn due(&self) -> u64 {
        if self.whole == 0 {
            0
        } else if self.whole == self.of {
            self.passed
        } else if self.of <= u64::from(u32::MAX) {
            self.whole * self.passed / self.of
        } else {
            // Of a very wide sea.
            (u128::from(self.whole) * u128::from(self.passed) / u128::from(self.of)) as u64
        }
    }

    /// The part of the next value, which is not more than the value.
    #[inline(always)]
    fn next(&mut self, value: u16) -> u16 {
        if self.whole == 0 || value == 0 {
            return 0;
        }
        self.passed += u64::from(value);
        let due = self.due();
        (due - std::mem::replace(&mut self.paid, due)) as u16
    }
}

/// The places of a box in the order of the shares: strip after strip of tiles, by height, and the cells of each tile together.
pub(crate) fn in_order(grid: Grid) -> impl Iterator<Item = Place> {
    let tiles = move |z: usize, y: usize| (0..grid.nx).step_by(TILE_X).map(move |x| [x, y, z]);
    let corners = (0..grid.nz).step_by(TILE_Z).flat_map(move |z| (0..grid.ny).flat_map(move |y| tiles(z, y)));
    corners.flat_map(move |[x, y, z]| {
        let (xs, zs) = (x..(x + TILE_X).min(grid.nx), z..(z + TILE_Z).min(grid.nz));
        zs.flat_map(move |z| xs.clone().map(move |x| [x, y, z]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_add_up_to_the_whole_from_any_cell_on() {
        for (whole, values) in [(7, vec![3, 0, 9, 1, 1]), (14, vec![14]), (1, vec![5, 5]), (0, vec![4])] {
            let of: u64 = values.iter().map(|&v| u64::from(v)).sum();
            let mut all = Running::from(whole, of, 0);
            let parts: Vec<u16> = values.iter().map(|&v| all.next(v)).collect();
            assert_eq!(parts.iter().map(|&v| u64::from(v)).sum::<u64>(), whole);
            assert!(parts.iter().zip(&values).all(|(part, value)| part <= value));
            for start in 0..values.len() {
                let passed = values[..start].iter().map(|&v| u64::from(v)).sum();
                let mut rest = Running::from(whole, of, passed);
                assert!(values[start..].iter().zip(&parts[start..]).all(|(&v, &part)| rest.next(v) == part));
            }
        }
    }

    #[test]
    fn shares_of_a_very_wide_sea_do_not_overflow() {
        let most = u64::from(u16::MAX);
        let of = most << 26;
        for whole in [of, of - 1, of / 3] {
            let mut last = Running::from(whole, of, of - 2 * most);
            let parts = [0; 2].map(|_| u64::from(last.next(u16::MAX)));
            let before = (u128::from(whole) * u128::from(of - 2 * most) / u128::from(of)) as u64;
            assert_eq!(parts.iter().sum::<u64>(), whole - before);
            assert!(parts.iter().all(|part| part.abs_diff(most * whole / of) <= 1 || whole == of));
        }
    }

    #[test]
    fn the_highest_gives_to_the_lowest_and_never_up() {
        let rule = Tracing::new(&Material::water(), Walls::Closed);
        let mut heights: Vec<_> = (0..4).map(|y| Height::new(1, y)).collect();
        heights[0].add(Surface { offer: 0, amount: 0, room: 1000 });
        heights[1].add(Surface { offer: 500, amount: 500, room: 300 });
        heights[3].add(Surface { offer: 900, amount: 900, room: 0 });
        heights[3].add(Surface { offer: 400, amount: 400, room: 9000 });
        rule.exchange(&mut heights);
        assert_eq!(
            heights.iter().map(|h| (h.given, h.taken)).collect::<Vec<_>>(),
            [(0, 1000), (0, 300), (0, 0), (1300, 0)]
        );
    }

    #[test]
    fn every_place_comes_once_and_tiles_stay_together() {
        let grid = Grid::new(11, 3, 6);
        let order: Vec<_> = in_order(grid).collect();
        assert_eq!(
            order[..12].iter().map(|&[x, y, z]| (x, y, z)).collect::<Vec<_>>()[6..],
            [(6, 0, 0), (7, 0, 0), (0, 0, 1), (1, 0, 1), (2, 0, 1), (3, 0, 1)]
        );
        let mut sorted: Vec<_> = order.iter().map(|&place| grid.index(place)).collect();
        sorted.sort_unstable();
        assert!(sorted.into_iter().eq(0..grid.cells()));
    }
}
