//! The two shapes of sweep. A rule implements one shape twice: as a scalar form, which is the
//! definition and the oracle, and as lanes, which give the same bits for the 32 cells of a tile.

use crate::rules::Parcel;
use crate::world::{Content, RuleNumbers, World};
use lavoxel_base::grid::Place;
use lavoxel_base::grid::Walls;
use lavoxel_base::grid::tile::Lanes;
use lavoxel_base::random::{Draw, Salt};
use lavoxel_base::simd::Simd;

/// The four directions across as (dx, dz): west, east, north, south. Bit `d` of a pattern means
/// `DIRECTIONS[d]`.
pub const DIRECTIONS: [(isize, isize); 4] = [(-1, 0), (1, 0), (0, -1), (0, 1)];

/// Rule that moves the `Q` quantities of a layer within columns: pairs of cells, in place, from the
/// bottom up.
pub(crate) trait Column<const Q: usize>: Sync {
    /// Set if matter may move up where no heavier matter displaces it.
    const UP: bool;
    /// Parameters of the rule as lanes.
    type Kernel<S: Simd>;

    /// Returns all numbers on which the rule depends.
    fn numbers(&self) -> RuleNumbers;

    /// Returns the contents afterwards of a cell and of the cell above, both open; `heavier` is the
    /// amount of heavier matter in the lower cell.
    fn settle(&self, below: Content, above: Content, heavier: u16) -> [Content; 2];

    /// Converts the parameters of the rule to lanes.
    fn kernel<S: Simd>(&self, s: S) -> Self::Kernel<S>;

    /// Returns the contents afterwards of the pairs of two tiles: below, above. `None` when nothing
    /// moves.
    fn settle_lanes<S: Simd>(kernel: &Self::Kernel<S>, s: S, pair: &Pair<'_, S, Q>) -> Option<[[S::V; Q]; 2]>;

    /// Returns bits of the cells from which matter may move up.
    #[inline(always)]
    fn rises<S: Simd>(_kernel: &Self::Kernel<S>, _s: S, _below: &[Lanes; Q], _heavier: S::V) -> u32 {
        0
    }
}

/// Tile and the tile above.
pub(crate) struct Pair<'a, S: Simd, const Q: usize> {
    pub(crate) below: &'a [Lanes; Q],
    pub(crate) above: &'a [Lanes; Q],
    /// Amount of heavier matter below; the flag is set if the layer may meet any.
    pub(crate) heavier: S::V,
    pub(crate) meets_heavier: bool,
    /// Bits of the pairs in which both cells are open.
    pub(crate) open: u32,
}

/// Rule by which cells give to their four neighbours across, and perhaps to those below and above,
/// all at once: every decision reads the state before.
pub(crate) trait Exchange<const Q: usize>: Sync {
    /// Set if cells give below and above too.
    const VERTICAL: bool = false;
    /// Set if the rule reads the cell above.
    const ABOVE: bool = Self::VERTICAL;
    /// Parameters of the rule as lanes.
    type Kernel<S: Simd>;

    /// Returns all numbers on which the rule depends.
    fn numbers(&self) -> RuleNumbers;

    /// Boundary at the sides of the box.
    fn walls(&self) -> Walls;

    /// Returns the gifts of a cell; `pattern` has the cell's random bits of this step, a bit per
    /// direction.
    fn gives(&self, here: &Here, pattern: u8) -> Gifts;

    /// Converts the parameters of the rule to lanes; some depend on `step`.
    fn kernel<S: Simd>(&self, s: S, step: u64) -> Self::Kernel<S>;

    /// Returns bits of the cells that may give, judged by their own content alone.
    fn able<S: Simd>(kernel: &Self::Kernel<S>, s: S, tile: &[Lanes; Q]) -> u32;

    /// Returns bits of the cells that are carried: by rock where `bed` has a bit, or by the filling
    /// of the cells below. A rule that gives below needs no support and is not asked.
    #[inline(always)]
    fn supported<S: Simd>(_kernel: &Self::Kernel<S>, _s: S, _below: S::V, _bed: u32) -> u32 {
        u32::MAX
    }

    /// Returns the gifts of the cells of a tile; `free` has bits of the cells that may give, by
    /// direction.
    fn flow<S: Simd, N: Near<S, Q>>(kernel: &Self::Kernel<S>, s: S, near: &N, free: [u32; 4]) -> Flow<S, Q>;

    /// Returns the loss of a quantity on the way from cells on rock, where `bed` has a bit, or on
    /// liquid; `None` if nothing is ever lost.
    #[inline(always)]
    fn lost<S: Simd>(_kernel: &Self::Kernel<S>, _s: S, _quantity: usize, _v: S::V, _bed: u32) -> Option<S::V> {
        None
    }
}

/// Tile and its surroundings, read only when a rule asks.
pub(crate) trait Near<S: Simd, const Q: usize> {
    /// Contents of the tile.
    fn tile(&self) -> &[Lanes; Q];
    /// Returns one quantity of the four neighbours of each cell.
    fn around(&self, quantity: usize) -> [S::V; 4];
    /// Returns true if the layer may meet heavier matter, which takes room from it.
    fn meets_heavier(&self) -> bool;
    /// Returns the fillings of the cells, heavier matter included, and of their four neighbours.
    fn fillings(&self) -> (S::V, [S::V; 4]);
    /// Returns the random bits of each cell, by direction.
    fn drawn(&self) -> [u32; 4];
    /// Returns bits of the cells that another use of random numbers chooses: `share` of 256 cells,
    /// with draws for `number`.
    fn chosen(&self, salt: Salt, number: usize, share: u16) -> u32;
    /// Returns the cells below.
    fn below(&self) -> Next<S>;
    /// Returns the cells above.
    fn above(&self) -> Next<S>;
}

/// Cells below or above those of a tile.
pub(crate) struct Next<S: Simd> {
    /// Amounts of the layer.
    pub(crate) amount: S::V,
    /// Amounts of the layer and of heavier matter.
    pub(crate) filling: S::V,
    /// Bits of the cells that are inside of the box and not solid.
    pub(crate) open: u32,
}

/// Gifts of a tile.
pub(crate) enum Flow<S: Simd, const Q: usize> {
    /// No gift, whatever is drawn.
    Still,
    /// No gift, but another draw might have given something.
    Idle,
    /// Quantities for each direction, and bits of the cells that give in each.
    Gives([[S::V; 4]; Q], [u32; 4]),
    /// Amounts for all sides, bits of the giving cells, and quantities for the cells below and
    /// above.
    All([[S::V; 4]; Q], [u32; 4], [[S::V; 2]; Q]),
}

/// Bed of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bed {
    /// Solid cell or the floor of the box.
    Solid,
    /// Cell that is not solid, with the amount in units that fills it (0: air).
    Liquid(u16),
}

impl Bed {
    /// Returns the bed of a cell of a layer.
    #[inline]
    pub fn under(world: &World, layer: usize, [x, y, z]: Place) -> Self {
        if y == 0 || world.ground().is_solid([x, y - 1, z]) {
            return Self::Solid;
        }
        let amount = world.layers()[layer].at([x, y - 1, z]).amount;
        Self::Liquid(amount.saturating_add(world.heavier_than(layer, [x, y - 1, z])))
    }
}

/// Neighbour at a side of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Rock.
    Solid,
    /// Outside of the box.
    Outside,
    /// Cell that is not solid.
    Open {
        /// Contents of the layer.
        cell: Content,
        /// Amount of heavier matter in the neighbour, in units.
        heavier: u16,
    },
}

/// Cell with its surroundings.
#[derive(Clone, Copy, Debug)]
pub struct Here {
    /// Contents of the layer.
    pub cell: Content,
    /// Amount of heavier matter in the cell, in units.
    pub heavier: u16,
    /// Bed below the cell.
    pub bed: Bed,
    /// Neighbours at the sides, by [`DIRECTIONS`].
    pub beside: [Side; 4],
    /// Neighbour below.
    pub below: Side,
    /// Neighbour above.
    pub above: Side,
    /// Place of the cell.
    pub place: Place,
    /// Step and source of random draws.
    pub draw: Draw,
}

/// Gifts of a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gifts {
    /// Gifts to the neighbours across, by [`DIRECTIONS`].
    pub beside: [Gift; 4],
    /// Gift to the cell below.
    pub below: Gift,
    /// Gift to the cell above.
    pub above: Gift,
}

impl From<[Gift; 4]> for Gifts {
    fn from(beside: [Gift; 4]) -> Self {
        Self { beside, ..Self::default() }
    }
}

/// Gift to one neighbour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gift {
    /// Parcel that leaves the giver.
    pub parcel: Parcel,
    /// Energy that is lost on the way, in units.
    pub friction: u16,
}

impl From<u16> for Gift {
    /// Makes a gift of an amount without energy.
    fn from(amount: u16) -> Self {
        Self { parcel: Parcel { amount, energy: 0 }, friction: 0 }
    }
}

/// Returns by how much less each neighbour is filled than the cell, where the cell may give. No
/// closure: it would be compiled without the instructions of the SIMD level.
#[inline(always)]
pub(in crate::rules) fn lower<S: Simd>(s: S, full: S::V, there: [S::V; 4], free: [u32; 4]) -> [S::V; 4] {
    [
        s.keep(s.sub_saturating(full, there[0]), free[0]),
        s.keep(s.sub_saturating(full, there[1]), free[1]),
        s.keep(s.sub_saturating(full, there[2]), free[2]),
        s.keep(s.sub_saturating(full, there[3]), free[3]),
    ]
}
