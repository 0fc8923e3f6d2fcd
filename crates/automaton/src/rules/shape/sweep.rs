//! Rule shapes of sweeps over all cells. A rule implements its shape twice: in scalar form, which
//! is the definition and test oracle, and as SIMD lanes with bit-identical results for the 32 cells
//! of a tile.

use crate::rules::Parcel;
use crate::world::{Content, RuleNumbers, World};
use lavoxel_base::grid::Place;
use lavoxel_base::grid::Walls;
use lavoxel_base::grid::tile::Lanes;
use lavoxel_base::random::{Draw, Salt};
use lavoxel_base::simd::Simd;

/// Horizontal directions as (dx, dz): west, east, north, south. Bit `d` of a pattern stands for
/// `DIRECTIONS[d]`.
pub const DIRECTIONS: [(isize, isize); 4] = [(-1, 0), (1, 0), (0, -1), (0, 1)];

/// Rule that moves the `Q` quantities of a layer vertically: pairs of adjacent cells, in place,
/// from the bottom up.
pub(crate) trait Column<const Q: usize>: Sync {
    /// Upward flag: set if matter may rise even without displacement by heavier matter.
    const UP: bool;
    /// Parameters of the rule as lanes.
    type Kernel<S: Simd>;

    /// Returns all numbers on which the rule depends.
    fn numbers(&self) -> RuleNumbers;

    /// Returns the new contents of two adjacent open cells, the lower first; `heavier` is the
    /// amount of heavier matter in the lower cell, in units.
    fn settle(&self, below: Content, above: Content, heavier: u16) -> [Content; 2];

    /// Converts the rule parameters to SIMD lanes.
    fn kernel<S: Simd>(&self, s: S) -> Self::Kernel<S>;

    /// Returns the new contents of a tile pair, the lower first; `None` if nothing moves.
    fn settle_lanes<S: Simd>(
        kernel: &Self::Kernel<S>,
        s: S,
        pair: &Pair<'_, S, Q>,
    ) -> Option<[[S::V; Q]; 2]>;

    /// Returns the bit mask of cells from which matter may rise.
    #[inline(always)]
    fn rises<S: Simd>(
        _kernel: &Self::Kernel<S>,
        _s: S,
        _below: &[Lanes; Q],
        _heavier: S::V,
    ) -> u32 {
        0
    }
}

/// Two vertically adjacent tiles.
pub(crate) struct Pair<'a, S: Simd, const Q: usize> {
    pub(crate) below: &'a [Lanes; Q],
    pub(crate) above: &'a [Lanes; Q],
    /// Amount of heavier matter in the lower tile, in units.
    pub(crate) heavier: S::V,
    pub(crate) meets_heavier: bool,
    /// Bit mask of pairs in which both cells are open.
    pub(crate) open: u32,
}

/// Rule by which cells give to their four horizontal neighbours, and optionally to the cells below
/// and above. Synchronous: every decision reads the state before the step.
pub(crate) trait Exchange<const Q: usize>: Sync {
    /// Vertical flag: cells also give to the cells below and above.
    const VERTICAL: bool = false;
    /// Set if the rule reads the content of the cell above.
    const ABOVE: bool = Self::VERTICAL;
    /// Parameters of the rule as lanes.
    type Kernel<S: Simd>;

    /// Returns all numbers on which the rule depends.
    fn numbers(&self) -> RuleNumbers;

    /// Boundary at the sides of the box.
    fn walls(&self) -> Walls;

    /// Returns the amounts that a cell gives to its neighbours; `pattern` contains the cell's
    /// random bits of this step, one per direction.
    fn gives(&self, here: &Here, pattern: u8) -> Gifts;

    /// Converts the rule parameters to SIMD lanes for step number `step`.
    fn kernel<S: Simd>(&self, s: S, step: u64) -> Self::Kernel<S>;

    /// Returns the bit mask of cells that may give, as far as their own content decides.
    fn able<S: Simd>(kernel: &Self::Kernel<S>, s: S, tile: &[Lanes; Q]) -> u32;

    /// Returns the bit mask of supported cells: on rock (bits of `bed`), or on cells with a
    /// sufficient filling `below`. Not called for rules that give downwards.
    #[inline(always)]
    fn supported<S: Simd>(_kernel: &Self::Kernel<S>, _s: S, _below: S::V, _bed: u32) -> u32 {
        u32::MAX
    }

    /// Returns the amounts that the cells of a tile give; `free` marks the cells that may give, one
    /// mask per direction.
    fn flow<S: Simd, N: Near<S, Q>>(
        kernel: &Self::Kernel<S>,
        s: S,
        near: &N,
        free: [u32; 4],
    ) -> Flow<S, Q>;

    /// Returns the loss of `quantity` during transport of `v` from cells on rock (bits of `bed`) or
    /// on liquid; `None` if the rule is lossless.
    #[inline(always)]
    fn lost<S: Simd>(
        _kernel: &Self::Kernel<S>,
        _s: S,
        _quantity: usize,
        _v: S::V,
        _bed: u32,
    ) -> Option<S::V> {
        None
    }
}

/// Tile with lazily evaluated surroundings.
pub(crate) trait Near<S: Simd, const Q: usize> {
    /// Quantities of the tile.
    fn tile(&self) -> &[Lanes; Q];
    /// Returns one quantity of the four horizontal neighbours of each cell, by direction.
    fn around(&self, quantity: usize) -> [S::V; 4];
    /// Returns true if heavier matter may share cells with the layer.
    fn meets_heavier(&self) -> bool;
    /// Returns the fillings (amount plus heavier matter) of the cells and of their four neighbours,
    /// in units.
    fn fillings(&self) -> (S::V, [S::V; 4]);
    /// Returns one random bit per cell for each direction.
    fn drawn(&self) -> [u32; 4];
    /// Returns the bit mask of randomly selected cells: each with probability `share`/256, from the
    /// random stream of `salt` and `number`.
    fn chosen(&self, salt: Salt, number: usize, share: u16) -> u32;
    /// Returns the layer of cells below.
    fn below(&self) -> Next<S>;
    /// Returns the layer of cells above.
    fn above(&self) -> Next<S>;
}

/// Cells directly below or above the cells of a tile.
pub(crate) struct Next<S: Simd> {
    /// Amount of the layer, in units.
    pub(crate) amount: S::V,
    /// Amount of the layer plus heavier matter, in units.
    pub(crate) filling: S::V,
    /// Bit mask of open cells.
    pub(crate) open: u32,
}

/// Outgoing flow of a tile.
pub(crate) enum Flow<S: Simd, const Q: usize> {
    /// No flow with any random draw; the tile may sleep.
    Still,
    /// No flow with this random draw, but possible with another.
    Idle,
    /// Outgoing quantities per direction, and the bit mask of giving cells per direction.
    Gives([[S::V; 4]; Q], [u32; 4]),
    /// Outgoing quantities per horizontal direction, bit masks of giving cells, and quantities for
    /// the cells below and above.
    All([[S::V; 4]; Q], [u32; 4], [[S::V; 2]; Q]),
}

/// Support below a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bed {
    /// Solid cell or the floor of the box.
    Solid,
    /// Open cell with this filling in units (0: air).
    Liquid(u16),
}

impl Bed {
    /// Returns the support below the cell (x, y, z) of a layer.
    #[inline]
    pub fn under(world: &World, layer: usize, [x, y, z]: Place) -> Self {
        if y == 0 || world.ground().is_solid([x, y - 1, z]) {
            return Self::Solid;
        }
        let amount = world.layers()[layer].at([x, y - 1, z]).amount;
        Self::Liquid(amount.saturating_add(world.heavier_than(layer, [x, y - 1, z])))
    }
}

/// Neighbour cell.
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

/// Cell with its six neighbours, as read by a scalar rule.
#[derive(Clone, Copy, Debug)]
pub struct Here {
    /// Content of the layer.
    pub cell: Content,
    /// Amount of heavier matter in the cell, in units.
    pub heavier: u16,
    /// Support below the cell.
    pub bed: Bed,
    /// Horizontal neighbours, by [`DIRECTIONS`].
    pub beside: [Side; 4],
    /// Neighbour below.
    pub below: Side,
    /// Neighbour above.
    pub above: Side,
    /// Place of the cell.
    pub place: Place,
    /// Step and seed of random draws.
    pub draw: Draw,
}

/// Outgoing flow of a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gifts {
    /// Flow to the horizontal neighbours, by [`DIRECTIONS`].
    pub beside: [Gift; 4],
    /// Flow to the cell below.
    pub below: Gift,
    /// Flow to the cell above.
    pub above: Gift,
}

impl From<[Gift; 4]> for Gifts {
    fn from(beside: [Gift; 4]) -> Self {
        Self {
            beside,
            ..Self::default()
        }
    }
}

/// Flow to one neighbour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gift {
    /// Parcel that leaves the giver.
    pub parcel: Parcel,
    /// Energy that is lost on the way, in units.
    pub friction: u16,
}

impl From<u16> for Gift {
    /// Converts an amount in units to a flow without energy.
    fn from(amount: u16) -> Self {
        Self {
            parcel: Parcel { amount, energy: 0 },
            friction: 0,
        }
    }
}

/// Returns the filling difference cell − neighbour per direction, in units; 0 where the neighbour
/// is fuller or the cell is not in `free`.
#[inline(always)]
pub(in crate::rules) fn lower<S: Simd>(
    s: S,
    full: S::V,
    there: [S::V; 4],
    free: [u32; 4],
) -> [S::V; 4] {
    [
        s.keep(s.sub_saturating(full, there[0]), free[0]),
        s.keep(s.sub_saturating(full, there[1]), free[1]),
        s.keep(s.sub_saturating(full, there[2]), free[2]),
        s.keep(s.sub_saturating(full, there[3]), free[3]),
    ]
}
