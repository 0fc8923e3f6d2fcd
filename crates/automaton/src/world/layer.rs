//! Layers: amounts of one material in the cells of the grid, with energies if the material carries
//! energy, and the account of the material.

use std::ops::Range;

use lavoxel_base::parallel::*;
use ndarray::Array2;

use super::Content;
use super::Ledger;
use super::activity::Activities;
use super::clock::{ChangeClock, Changes, Cursor, Reading};
use super::settled::{LayerVersion, Settled, Traced};
use super::tiles::{Strip, Tile};
use crate::matter::{Kind, Material};
use lavoxel_base::grid::tile::{Lanes, TILE_X, TILE_Z};
use lavoxel_base::grid::{Grid, Place};
use lavoxel_base::units::{AMOUNT_ONE, ENERGY_MAX};

/// Range of cells along x, from `from` up to `to` (exclusive), in one row of cells of equal y and
/// z; the cells of the row outside of the range contain no matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// x of the first cell.
    pub from: u16,
    /// x of the last cell plus one.
    pub to: u16,
}

impl Span {
    /// Span that contains no cells; its union with another span is that other span.
    pub const EMPTY: Self = Self {
        from: u16::MAX,
        to: 0,
    };

    /// Returns true if the span contains no cell.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.from >= self.to
    }

    /// Returns the smallest span that contains both spans.
    #[inline]
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self {
            from: self.from.min(other.from),
            to: self.to.max(other.to),
        }
    }

    /// Returns the span extended by one cell at either end, clamped to a row of `nx` cells; an
    /// empty span is returned unchanged.
    #[inline]
    #[must_use]
    pub fn grown(self, nx: usize) -> Self {
        if self.is_empty() {
            return self;
        }
        Self {
            from: self.from.saturating_sub(1),
            to: (self.to + 1).min(nx as u16),
        }
    }

    /// Returns the span as a range of x; `0..0` if the span is empty.
    #[inline]
    pub fn range(self) -> std::ops::Range<usize> {
        if self.is_empty() {
            0..0
        } else {
            usize::from(self.from)..usize::from(self.to)
        }
    }
}

/// Total amount of a layer, and number of its non-empty cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Total amount in units.
    pub mass: u64,
    /// Number of cells with an amount above 0.
    pub cells: u64,
}

/// Layer of the world: amounts (and energies) of one material in the cells of the grid. Only tiles
/// that contain matter take memory.
///
/// Invariant: an empty cell has no energy. Amounts and energies are changed only by the engine, the
/// sources and [`super::Edit`], which book all changes in the ledger.
#[derive(Clone, Debug)]
pub struct Layer {
    pub(super) grid: Grid,
    pub(super) material: Material,
    #[doc(hidden)]
    pub strips: Vec<Strip>,
    /// Activity of the tiles of each strip, recorded when spreading last processed them.
    pub(crate) activities: Vec<Activities>,
    /// Flag per strip: true if some rule has tiles to process in the strip in the next step.
    pub(crate) awake: Vec<bool>,
    /// Rule parameters and version of the ground for which all tiles without a mark were last found
    /// at rest.
    pub(crate) settled: Settled,
    /// Inputs of the last application of a rule without records per tile (tracing, drift,
    /// floating), if no matter moved; else `None`.
    pub(crate) traced: Option<Traced>,
    /// Version of the layer at the last search for cells that dry, and the amount (units) below
    /// which cells dried; `None` before the first search.
    pub(super) searched: Option<(LayerVersion, u16)>,
    /// Clock of the change tracking, from which a reader learns which tiles changed since its last
    /// read.
    pub clock: ChangeClock,
    /// Number of the last read of this layer by layers of less dense materials; `None` if the world
    /// has no such layers.
    pub(super) read_by_lighter: Option<u64>,
    /// Number of the last read of this layer (a fluid) by layers of less dense grains; `None` if
    /// the world has no such layers.
    pub(super) read_by_grains: Option<u64>,
    #[doc(hidden)]
    pub ledger: Ledger,
}

impl Layer {
    /// Creates a layer of `material` without matter; `above` is true if the world has less dense
    /// layers, which must learn of the changes of this layer.
    pub(super) fn empty(grid: Grid, material: Material, above: bool) -> Self {
        let strips = grid.nz.div_ceil(TILE_Z);
        let quantities = 1 + usize::from(material.carries_energy());
        let clock = ChangeClock::none();
        Self {
            grid,
            material,
            strips: (0..strips)
                .map(|_| Strip::empty(grid, quantities))
                .collect(),
            activities: vec![Activities::default(); strips],
            awake: vec![false; strips],
            settled: Settled::default(),
            traced: None,
            searched: None,
            read_by_lighter: above.then(|| clock.count(Reading::Lighter)),
            read_by_grains: None,
            clock,
            ledger: Ledger::default(),
        }
    }

    /// Returns a layer without matter that has the grid, the material and the registered readers of
    /// this layer.
    pub(crate) fn emptied(&self) -> Self {
        let mut layer = Self::empty(
            self.grid,
            self.material.clone(),
            self.read_by_lighter.is_some(),
        );
        layer.let_grains_read(self.read_by_grains.is_some());
        layer
    }

    /// Registers the layers of less dense grains as readers of this layer if `any` is true, else
    /// removes them as readers.
    pub(super) fn let_grains_read(&mut self, any: bool) {
        self.read_by_grains = any.then(|| self.clock.count(Reading::Grains));
    }

    /// Grid of the layer: number of cells along x, y and z.
    pub fn grid(&self) -> Grid {
        self.grid
    }

    /// Number of values stored per cell: 1 (amount), or 2 (amount and energy) if the material
    /// carries energy.
    pub fn quantities(&self) -> usize {
        1 + usize::from(self.material.carries_energy())
    }

    /// Material of the layer.
    pub fn material(&self) -> &Material {
        &self.material
    }

    /// Returns true if the cells store energy in addition to the amount.
    pub fn carries_energy(&self) -> bool {
        self.material.carries_energy()
    }

    /// Returns true if the layer is at rest: no rule has tiles of this layer to process until the
    /// layer or its surroundings change.
    pub fn is_asleep(&self) -> bool {
        let traced = || {
            self.traced
                .as_ref()
                .is_some_and(|traced| traced.layers.last() == Some(&self.version()))
        };
        let looks_everywhere = self.material.traces() || self.material.kind == Kind::Gas;
        !self.awake.contains(&true) && (!looks_everywhere || traced())
    }

    /// Version of the layer, different after every change of the layer or of denser matter near it.
    pub(crate) fn version(&self) -> LayerVersion {
        [
            self.clock.stamp(),
            self.strips.iter().map(|strip| strip.changes).sum(),
        ]
    }

    /// Account of the layer: sums of the inflows and outflows of amount and energy.
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Returns a superset of the tiles of `strip` that changed since the read that returned
    /// `cursor`. Returns `None` if the reader must read the whole strip: without a cursor, with a
    /// cursor of another layer, or if the change record does not reach back far enough.
    pub fn changes_since<'a>(
        &self,
        strip: &'a Strip,
        cursor: Option<Cursor>,
    ) -> Option<Changes<'a>> {
        let (kind, number) = self.clock.number(cursor?)?;
        strip.changes_after(kind, number)
    }

    /// Returns the amount and energy in the cell (x, y, z).
    #[inline]
    pub fn at(&self, [x, y, z]: Place) -> Content {
        let strip = &self.strips[z / TILE_Z];
        strip.at(x / TILE_X, y).cell(lane(x, z))
    }

    /// Iterates over the amounts and energies of all cells, including empty ones, in the order of
    /// [`Grid::places`].
    pub fn cells(&self) -> impl Iterator<Item = Content> + '_ {
        self.grid.places().map(|place| self.at(place))
    }

    /// Iterates over all non-empty cells as place and contents, in no particular order.
    pub fn held(&self) -> impl Iterator<Item = (Place, Content)> + '_ {
        self.strips.iter().enumerate().flat_map(|(tz, strip)| {
            strip.iter().flat_map(move |(tx, y, tile)| {
                let held = (0..32).filter(move |&lane| tile.amount().0[lane] > 0);
                held.map(move |lane| {
                    (
                        [tx * TILE_X + lane % TILE_X, y, tz * TILE_Z + lane / TILE_X],
                        tile.cell(lane),
                    )
                })
            })
        })
    }

    /// Returns the cells of the strip with z index `tz` whose amount is above 0 and below `below`
    /// (units), each with its amount.
    pub(super) fn films(&self, tz: usize, below: u16) -> Vec<(Place, u16)> {
        // The subtraction wraps an amount of 0 to the largest number, so that one comparison tests
        // both bounds.
        let is_film = |amount: u16| amount.wrapping_sub(1) < below.saturating_sub(1);
        let thin = self.strips[tz]
            .iter()
            .filter(|(_, _, tile)| tile.amount().0.iter().any(|&amount| is_film(amount)));
        let cells = thin.flat_map(|(tx, y, tile)| {
            let films = (0..TILE_X * TILE_Z).filter(move |&lane| is_film(tile.amount().0[lane]));
            films.map(move |lane| {
                (
                    [tx * TILE_X + lane % TILE_X, y, tz * TILE_Z + lane / TILE_X],
                    tile.amount().0[lane],
                )
            })
        });
        cells.collect()
    }

    /// Iterates over the non-empty tiles, sorted by z, y, x: index of the tile (x in tiles, y in
    /// cells, z in tiles) and contents.
    pub fn tiles(&self) -> impl Iterator<Item = ([u16; 3], Tile<'_>)> {
        self.strips.iter().enumerate().flat_map(|(tz, strip)| {
            strip
                .iter()
                .map(move |(tx, y, tile)| ([tx as u16, y as u16, tz as u16], tile))
        })
    }

    /// Stores the contents `tile` in the tile with the index (tx, y, tz), in the form that
    /// [`Layer::tiles`] returns. No reader may have read the layer yet, because the change is not
    /// recorded.
    pub fn put_tile(&mut self, [tx, y, tz]: [u16; 3], tile: &[Lanes]) {
        debug_assert!(self.clock.is_unread(), "this is not recorded as a change");
        self.strips[usize::from(tz)].store_tile(tx.into(), y.into(), tile);
    }

    /// Iterates over the non-empty tiles that contain cells at the given `y` and `z`, each with its
    /// x index in tiles.
    pub(crate) fn row_of_tiles(
        &self,
        y: usize,
        z: usize,
    ) -> impl Iterator<Item = (usize, Tile<'_>)> {
        self.strips[z / TILE_Z].tiles_at(y)
    }

    /// Iterates over the non-empty tiles that contain cells at the given `y` and `z` and whose x
    /// index in tiles lies in `txs`, each with its x index.
    pub fn part_of_row(
        &self,
        y: usize,
        z: usize,
        txs: Range<usize>,
    ) -> impl Iterator<Item = (usize, Tile<'_>)> {
        self.strips[z / TILE_Z].tiles_among(y, txs)
    }

    /// Iterates over cells at the given `y` and `z` with x in `xs`, as (x, contents): all non-empty
    /// cells of the range, and possibly empty ones.
    pub fn row(
        &self,
        y: usize,
        z: usize,
        xs: Range<usize>,
    ) -> impl Iterator<Item = (usize, Content)> + '_ {
        let first = z % TILE_Z * TILE_X;
        let txs = xs.start / TILE_X..xs.end.div_ceil(TILE_X);
        self.part_of_row(y, z, txs).flat_map(move |(tx, tile)| {
            let from = tx * TILE_X;
            let cells = xs.start.max(from)..xs.end.min(from + TILE_X);
            cells.map(move |x| (x, tile.cell(first + x % TILE_X)))
        })
    }

    /// Returns a span that contains all non-empty cells at the given `y` and `z`, with ends at
    /// multiples of eight cells; empty if there are none.
    #[inline]
    pub fn span(&self, y: usize, z: usize) -> Span {
        self.strips[z / TILE_Z]
            .ends_at(y)
            .map_or(Span::EMPTY, |(from, to)| Span {
                from: (from * TILE_X) as u16,
                to: (to * TILE_X).min(self.grid.nx) as u16,
            })
    }

    /// Returns `cell` in the form in which the layer stores contents: with energy 0 if the amount
    /// is 0 or the material carries no energy.
    pub(super) fn kept(&self, cell: Content) -> Content {
        let carries = cell.amount > 0 && self.carries_energy();
        Content {
            energy: if carries { cell.energy } else { 0 },
            ..cell
        }
    }

    /// Sets the amount and energy in the cell (x, y, z) to `cell` and marks its tile as changed;
    /// does nothing if the cell has these values already.
    pub fn set(&mut self, [x, y, z]: Place, cell: Content) {
        let (tx, tz, lane) = (x / TILE_X, z / TILE_Z, lane(x, z));
        let strip = &mut self.strips[tz];
        if strip.at(tx, y).cell(lane) == cell {
            return;
        }
        strip.set(tx, y, lane, cell);
        self.awake[tz] = true;
    }

    /// Adds `amount` (units) to the cell `place`, which must have room, and returns the added
    /// energy in units. `energy`: energy of a full cell of the added matter in units, ignored for
    /// materials without energy.
    pub(super) fn add(&mut self, place: Place, amount: u16, energy: u16) -> u64 {
        let old = self.at(place);
        let added = (u32::from(amount) * u32::from(energy) / u32::from(AMOUNT_ONE))
            .min(u32::from(ENERGY_MAX - old.energy));
        let added = if self.carries_energy() {
            added as u16
        } else {
            0
        };
        self.set(
            place,
            Content {
                amount: old.amount + amount,
                energy: old.energy + added,
            },
        );
        added.into()
    }

    /// Total amount of the layer in each column of cells, in units; shape (`nz`, `nx`).
    pub fn column_amounts(&self) -> Array2<u64> {
        let mut sums = Array2::zeros((self.grid.nz, self.grid.nx));
        for ([x, _, z], cell) in self.held() {
            sums[[z, x]] += u64::from(cell.amount);
        }
        sums
    }

    /// Total amount and number of non-empty cells of the layer.
    pub fn tally(&self) -> Tally {
        let tally = |strip: &Strip| {
            strip
                .iter()
                .fold(Tally::default(), |sum, (_, _, tile)| Tally {
                    mass: sum.mass + tile.amount().sum(),
                    cells: sum.cells + tile.amount().0.iter().filter(|&&a| a > 0).count() as u64,
                })
        };
        let add = |a: Tally, b: Tally| Tally {
            mass: a.mass + b.mass,
            cells: a.cells + b.cells,
        };
        self.strips
            .par_iter()
            .map(tally)
            .reduce(Tally::default, add)
    }

    /// Total amount of the layer in the simulation box, in units.
    pub fn mass(&self) -> u64 {
        self.tally().mass
    }

    /// Total energy of the layer in the simulation box, in units.
    pub fn energy(&self) -> u64 {
        let energy = |(_, _, tile): (usize, usize, Tile<'_>)| tile.energy().sum();
        self.strips
            .par_iter()
            .map(|strip| strip.iter().map(energy).sum::<u64>())
            .sum()
    }

    /// Heap memory of the layer in bytes.
    pub fn bytes(&self) -> usize {
        self.strips.iter().map(Strip::bytes).sum()
    }
}

/// Index (0–31) of the cell with the grid coordinates `x` and `z` within its tile: x fastest, then
/// z.
#[inline]
pub(super) fn lane(x: usize, z: usize) -> usize {
    z % TILE_Z * TILE_X + x % TILE_X
}
