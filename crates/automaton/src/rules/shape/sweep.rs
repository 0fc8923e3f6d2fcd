//! The two shapes of sweep. A rule implements one of them: as a scalar form, which is the definition and the oracle, and as
//! lanes, which give the same bits for the 32 cells of a tile.

use crate::rules::Parcel;
use crate::world::{Content, RuleNumbers, World};
use lavoxel_base::grid::Place;
use lavoxel_base::grid::Walls;
use lavoxel_base::grid::tile::Lanes;
use lavoxel_base::random::{Draw, Salt};
use lavoxel_base::simd::Simd;

/// The four directions across as (dx, dz): west, east, north, south. Bit `d` of a pattern means `DIRECTIONS[d]`.
pub const DIRECTIONS: [(isize, isize); 4] = [(-1, 0), (1, 0), (0, -1), (0, 1)];

/// A rule that moves the `Q` quantities of a layer within columns: pairs of cells, in place, from the bottom up.
pub(crate) trait Column<const Q: usize>: Sync {
    /// Whether anything may move up where no heavier matter displaces it.
    const UP: bool;
    /// The rule's numbers as lanes.
    type Kernel<S: Simd>;

    /// All numbers on which the rule depends.
    fn numbers(&self) -> RuleNumbers;

    /// Contents afterwards of a cell and the one above it, both open; `heavier` is the amount of heavier matter in the lower one.
    fn settle(&self, below: Content, above: Content, heavier: u16) -> [Content; 2];

    /// The rule's numbers as lanes.
    fn kernel<S: Simd>(&self, s: S) -> Self::Kernel<S>;

    /// Contents afterwards of the pairs of two tiles: below, above. `None` when nothing moves.
    fn settle_lanes<S: Simd>(kernel: &Self::Kernel<S>, s: S, pair: &Pair<'_, S, Q>) -> Option<[[S::V; Q]; 2]>;

    /// Cells from which something may move up.
    #[inline(always)]
    fn rises<S: Simd>(_kernel: &Self::Kernel<S>, _s: S, _below: &[Lanes; Q], _heavier: S::V) -> u32 {
        0
    }
}

/// A tile and the one above it.
pub(crate) struct Pair<'a, S: Simd, const Q: usize> {
    pub(crate) below: &'a [Lanes; Q],
    pub(crate) above: &'a [Lanes; Q],
    /// Amount of heavier matter below, and whether the layer may meet any.
    pub(crate) heavier: S::V,
    pub(crate) meets_heavier: bool,
    /// A bit for each pair of two open cells.
    pub(crate) open: u32,
}

/// A rule by which cells give to their four neighbours across, and perhaps to those below and above, all at once: every
/// decision reads the state before.
pub(crate) trait Exchange<const Q: usize>: Sync {
    /// Whether cells give below and above too.
    const VERTICAL: bool = false;
    /// Whether the rule reads what is above a cell.
    const ABOVE: bool = Self::VERTICAL;
    /// The rule's numbers as lanes.
    type Kernel<S: Simd>;

    /// All numbers on which the rule depends.
    fn numbers(&self) -> RuleNumbers;

    /// The sides of the box.
    fn walls(&self) -> Walls;

    /// Gifts of a cell; `pattern` has its random bits of this step.
    fn gives(&self, here: &Here, pattern: u8) -> Gifts;

    /// The rule's numbers in `step` as lanes.
    fn kernel<S: Simd>(&self, s: S, step: u64) -> Self::Kernel<S>;

    /// Cells that may give, as far as their own content says.
    fn able<S: Simd>(kernel: &Self::Kernel<S>, s: S, tile: &[Lanes; Q]) -> u32;

    /// Cells that are carried: by rock where `bed` has a bit, or by what fills the cells below. A rule that gives below needs
    /// no support and is not asked.
    #[inline(always)]
    fn supported<S: Simd>(_kernel: &Self::Kernel<S>, _s: S, _below: S::V, _bed: u32) -> u32 {
        u32::MAX
    }

    /// Gifts of the cells of a tile; `free` has the cells that may give in each direction.
    fn flow<S: Simd, N: Near<S, Q>>(kernel: &Self::Kernel<S>, s: S, near: &N, free: [u32; 4]) -> Flow<S, Q>;

    /// Loss of a quantity on the way from cells on rock, where `bed` has a bit, or on liquid; `None` where nothing
    /// ever is.
    #[inline(always)]
    fn lost<S: Simd>(_kernel: &Self::Kernel<S>, _s: S, _quantity: usize, _v: S::V, _bed: u32) -> Option<S::V> {
        None
    }
}

/// A tile and what is around it, read only when a rule asks.
pub(crate) trait Near<S: Simd, const Q: usize> {
    /// The tile itself.
    fn tile(&self) -> &[Lanes; Q];
    /// One quantity of the four neighbours of each cell.
    fn around(&self, quantity: usize) -> [S::V; 4];
    /// Whether the layer may meet heavier matter, which takes room from it.
    fn meets_heavier(&self) -> bool;
    /// How full the cells are, heavier matter included, and how full their four neighbours are.
    fn fillings(&self) -> (S::V, [S::V; 4]);
    /// Random bits of each cell, for each direction.
    fn drawn(&self) -> [u32; 4];
    /// Cells that another use of random numbers chooses: so many of 256, for the layer with a number.
    fn chosen(&self, salt: Salt, number: usize, share: u16) -> u32;
    /// The cells below.
    fn below(&self) -> Next<S>;
    /// The cells above.
    fn above(&self) -> Next<S>;
}

/// The cells below or above those of a tile.
pub(crate) struct Next<S: Simd> {
    /// Amounts of the layer.
    pub(crate) amount: S::V,
    /// Amounts of the layer and of heavier matter.
    pub(crate) filling: S::V,
    /// A bit for each that is inside of the box and not solid.
    pub(crate) open: u32,
}

/// Gifts of a tile.
pub(crate) enum Flow<S: Simd, const Q: usize> {
    /// Nothing, whatever is drawn.
    Still,
    /// Nothing, but another draw might have given something.
    Idle,
    /// Quantities for each direction, and the cells that give in each.
    Gives([[S::V; 4]; Q], [u32; 4]),
    /// Amounts for all sides, and quantities for the cells below and above.
    All([[S::V; 4]; Q], [u32; 4], [[S::V; 2]; Q]),
}

/// Bed of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bed {
    /// A solid cell or the floor of the box.
    Solid,
    /// A cell that is not solid, with the amount in units that fills it (0: air).
    Liquid(u16),
}

impl Bed {
    /// Bed of a cell of a layer.
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
    /// The outside of the box.
    Outside,
    /// A cell that is not solid.
    Open {
        /// Contents of the layer.
        cell: Content,
        /// Amount of heavier matter in it.
        heavier: u16,
    },
}

/// A cell with what is around it.
#[derive(Clone, Copy, Debug)]
pub struct Here {
    /// Contents of the layer.
    pub cell: Content,
    /// Amount of heavier matter in it.
    pub heavier: u16,
    /// Bed below it.
    pub bed: Bed,
    /// Neighbours, by [`DIRECTIONS`].
    pub beside: [Side; 4],
    /// The cell below.
    pub below: Side,
    /// The cell above.
    pub above: Side,
    /// Its place.
    pub place: Place,
    /// The step, and what it draws from.
    pub draw: Draw,
}

/// Gifts of a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gifts {
    /// To its neighbours across, by [`DIRECTIONS`].
    pub beside: [Gift; 4],
    /// To the cell below.
    pub below: Gift,
    /// To the cell above.
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
    /// Energy that is lost on the way.
    pub friction: u16,
}

impl From<u16> for Gift {
    /// An amount without energy.
    fn from(amount: u16) -> Self {
        Self { parcel: Parcel { amount, energy: 0 }, friction: 0 }
    }
}

/// How much less full the neighbours of each cell are, where it may give. No closure: it would be compiled without the
/// instructions of the level.
#[inline(always)]
pub(in crate::rules) fn lower<S: Simd>(s: S, full: S::V, there: [S::V; 4], free: [u32; 4]) -> [S::V; 4] {
    [
        s.keep(s.sub_saturating(full, there[0]), free[0]),
        s.keep(s.sub_saturating(full, there[1]), free[1]),
        s.keep(s.sub_saturating(full, there[2]), free[2]),
        s.keep(s.sub_saturating(full, there[3]), free[3]),
    ]
}
