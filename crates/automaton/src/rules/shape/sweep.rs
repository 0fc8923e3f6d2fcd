//! Rule shapes for rules that are applied to all cells. A rule implements its shape twice: in
//! scalar form, which is the definition and the reference in tests, and for the 32 cells of a tile
//! as SIMD lanes; both give the same bits.

use crate::rules::Parcel;
use crate::world::{Content, RuleNumbers, World};
use lavoxel_base::grid::Place;
use lavoxel_base::grid::Walls;
use lavoxel_base::grid::tile::Lanes;
use lavoxel_base::random::{Draw, Salt};
use lavoxel_base::simd::Simd;

/// Horizontal directions as (dx, dz): west, east, north, south. Bit `d` of a random bit pattern
/// belongs to `DIRECTIONS[d]`.
pub const DIRECTIONS: [(isize, isize); 4] = [(-1, 0), (1, 0), (0, -1), (0, 1)];

/// Vertical rule: moves matter between two vertically adjacent cells, pair by pair from the bottom
/// up; a pair sees the changes of the pairs below. `Q` is the number of values per cell: 1 (amount)
/// or 2 (amount, energy).
pub(crate) trait Column<const Q: usize>: Sync {
    /// True if matter can move up even where no denser matter displaces it.
    const UP: bool;
    /// Parameters of the rule as SIMD vectors.
    type Kernel<S: Simd>;

    /// Returns all parameters that influence the result of the rule, as raw bits for comparison.
    fn numbers(&self) -> RuleNumbers;

    /// Returns the new contents of two open, vertically adjacent cells, the lower one first;
    /// `heavier` is the amount of denser matter in the lower cell, in units.
    fn settle(&self, below: Content, above: Content, heavier: u16) -> [Content; 2];

    /// Converts the parameters of the rule to SIMD vectors.
    fn kernel<S: Simd>(&self, s: S) -> Self::Kernel<S>;

    /// Returns the new contents of the two tiles of `pair`, the lower tile first; `None` if nothing
    /// moves.
    fn settle_lanes<S: Simd>(
        kernel: &Self::Kernel<S>,
        s: S,
        pair: &Pair<'_, S, Q>,
    ) -> Option<[[S::V; Q]; 2]>;

    /// Returns the bit mask of the cells of the lower tile from which matter may move up; `_below`:
    /// contents of the lower tile, `_heavier`: amounts of denser matter there, in units.
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

/// Two vertically adjacent tiles, as input of a vertical rule.
pub(crate) struct Pair<'a, S: Simd, const Q: usize> {
    pub(crate) below: &'a [Lanes; Q],
    pub(crate) above: &'a [Lanes; Q],
    /// Amount of denser matter in each cell of the lower tile, in units.
    pub(crate) heavier: S::V,
    pub(crate) meets_heavier: bool,
    /// Bit mask of the columns of the tiles in which both the lower and the upper cell are open.
    pub(crate) open: u32,
}

/// Exchange rule: cells give to their four horizontal neighbours and possibly to the cells below
/// and above. All flow is computed from the state before the step. `Q` is the number of values per
/// cell: 1 (amount) or 2 (amount, energy).
pub(crate) trait Exchange<const Q: usize>: Sync {
    /// True if matter also flows to the cells below and above.
    const VERTICAL: bool = false;
    /// True if the rule reads the contents of the cell above.
    const ABOVE: bool = Self::VERTICAL;
    /// Parameters of the rule as SIMD vectors.
    type Kernel<S: Simd>;

    /// Returns all parameters that influence the result of the rule, as raw bits for comparison.
    fn numbers(&self) -> RuleNumbers;

    /// Boundary condition at the sides of the simulation box.
    fn walls(&self) -> Walls;

    /// Returns the flow out of the cell `here`; bit d of `pattern` is the cell's random bit of this
    /// step for `DIRECTIONS[d]`.
    fn gifts(&self, here: &Here, pattern: u8) -> Gifts;

    /// Converts the parameters of the rule to SIMD vectors, for the step number `step`.
    fn kernel<S: Simd>(&self, s: S, step: u64) -> Self::Kernel<S>;

    /// Returns the bit mask of the cells of `tile` from which matter may flow, as far as their own
    /// contents decide.
    fn able<S: Simd>(kernel: &Self::Kernel<S>, s: S, tile: &[Lanes; Q]) -> u32;

    /// Returns the bit mask of the cells that have support: solid ground directly below (bit mask
    /// `_bed`), or a cell below with at least the rule's minimum filling (`_below`, in units). Not
    /// called for rules that give downwards.
    #[inline(always)]
    fn supported<S: Simd>(_kernel: &Self::Kernel<S>, _s: S, _below: S::V, _bed: u32) -> u32 {
        u32::MAX
    }

    /// Returns the flow out of the cells of the tile in `near`; `free`: for each direction the bit
    /// mask of the cells that may give.
    fn flow<S: Simd, N: Near<S, Q>>(
        kernel: &Self::Kernel<S>,
        s: S,
        near: &N,
        free: [u32; 4],
    ) -> Flow<S, Q>;

    /// Returns the loss on the way to a neighbour, in units, when cells give `_v` units of the
    /// value with index `_quantity` (0 amount, 1 energy); `_bed`: bit mask of the cells on solid
    /// ground. `None` if the rule has no losses.
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

/// Tile and its surroundings, as an exchange rule reads them; values are computed when the rule
/// asks for them.
pub(crate) trait Near<S: Simd, const Q: usize> {
    /// Contents of the tile: amounts of the 32 cells, then their energies if the material carries
    /// energy.
    fn tile(&self) -> &[Lanes; Q];
    /// Returns the value with index `quantity` (0 amount, 1 energy) of the four horizontal
    /// neighbours of each cell, one vector per direction.
    fn side_values(&self, quantity: usize) -> [S::V; 4];
    /// Returns true if the cells of the layer may also contain denser matter.
    fn meets_heavier(&self) -> bool;
    /// Returns the fillings (amount plus denser matter) of the cells and of their four horizontal
    /// neighbours, in units.
    fn fillings(&self) -> (S::V, [S::V; 4]);
    /// Returns random bits of this step: for each of the four directions a word with one bit per
    /// cell.
    fn drawn(&self) -> [u32; 4];
    /// Returns the bit mask of randomly selected cells, each with probability `share`/256; the
    /// purpose `salt` and the random stream `stream` select independent random numbers.
    fn chosen(&self, salt: Salt, stream: u64, share: u16) -> u32;
    /// Returns amounts, fillings and open cells of the 32 cells directly below the tile.
    fn below(&self) -> Next<S>;
    /// Returns amounts, fillings and open cells of the 32 cells directly above the tile.
    fn above(&self) -> Next<S>;
}

/// Cells directly below or above the cells of a tile.
pub(crate) struct Next<S: Simd> {
    /// Amount of the layer's material in each cell, in units.
    pub(crate) amount: S::V,
    /// Filling of each cell (amount of the layer's material plus denser matter), in units.
    pub(crate) filling: S::V,
    /// Bit mask of the open (not solid) cells.
    pub(crate) open: u32,
}

/// Flow out of the cells of a tile by an exchange rule.
pub(crate) enum Flow<S: Simd, const Q: usize> {
    /// No flow, whatever the random numbers; the tile need not be processed until its surroundings
    /// change.
    Still,
    /// No flow with the random numbers of this step, but possibly with others; the tile must be
    /// processed again in the next step.
    Idle,
    /// Flow to the horizontal neighbours: amount (and energy, if the material carries energy) per
    /// direction, in units; and for each direction the bit mask of the giving cells.
    Gives([[S::V; 4]; Q], [u32; 4]),
    /// Flow to all neighbours: amount (and energy, if the material carries energy) per horizontal
    /// direction; for each direction the bit mask of the giving cells; and amount (and energy) that
    /// flow to the cells below and above. In units.
    All([[S::V; 4]; Q], [u32; 4], [[S::V; 2]; Q]),
}

/// Support of a cell by the cell directly below.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bed {
    /// Solid cell, or the floor of the simulation box.
    Solid,
    /// Open cell; the field is its filling (amount plus denser matter) in units, 0 for air.
    Liquid(u16),
}

impl Bed {
    /// Returns the support below the cell (x, y, z) for the layer with index `layer`.
    #[inline]
    pub fn under(world: &World, layer: usize, [x, y, z]: Place) -> Self {
        if y == 0 || world.ground().is_solid([x, y - 1, z]) {
            return Self::Solid;
        }
        let amount = world.layers()[layer].at([x, y - 1, z]).amount;
        Self::Liquid(amount.saturating_add(world.heavier_than(layer, [x, y - 1, z])))
    }
}

/// Neighbour of a cell, as the scalar form of a rule reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Solid cell of the ground.
    Solid,
    /// No cell: the neighbour lies outside of the simulation box.
    Outside,
    /// Open cell: not solid, inside of the simulation box.
    Open {
        /// Contents (amount, energy) of the neighbour in the layer that the rule moves.
        cell: Content,
        /// Amount of denser matter in the neighbour, in units.
        heavier: u16,
    },
}

/// Cell with its six neighbours, as the scalar form of a rule reads them.
#[derive(Clone, Copy, Debug)]
pub struct Here {
    /// Contents of the cell in the layer that the rule moves.
    pub cell: Content,
    /// Amount of denser matter in the cell, in units.
    pub heavier: u16,
    /// Support of the cell by the cell directly below.
    pub bed: Bed,
    /// Horizontal neighbours, in the order of [`DIRECTIONS`].
    pub beside: [Side; 4],
    /// Neighbour directly below the cell.
    pub below: Side,
    /// Neighbour directly above the cell.
    pub above: Side,
    /// Place (x, y, z) of the cell in the grid.
    pub place: Place,
    /// Seed and step number, which determine all random numbers of the step.
    pub draw: Draw,
}

/// Flow out of a cell to each of its six neighbours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gifts {
    /// Flow to the four horizontal neighbours, in the order of [`DIRECTIONS`].
    pub beside: [Gift; 4],
    /// Flow to the cell directly below.
    pub below: Gift,
    /// Flow to the cell directly above.
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

/// Flow from a cell to one neighbour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gift {
    /// Amount and energy that leave the giving cell, in units.
    pub parcel: Parcel,
    /// Energy that is lost to friction on the way, in units.
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

/// Returns each of the four bit masks `masks` restricted to the cells of `mask`.
#[inline(always)]
pub(crate) fn masked(masks: [u32; 4], mask: u32) -> [u32; 4] {
    [
        masks[0] & mask,
        masks[1] & mask,
        masks[2] & mask,
        masks[3] & mask,
    ]
}

/// Returns, for each direction, the filling `full` of each cell minus that of its neighbour
/// (`there`), in units; 0 where the neighbour has more or the cell has no bit in `free`.
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
