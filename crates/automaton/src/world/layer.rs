//! Layers: one material each over the whole grid, with fixed-point amounts, optional energy and an
//! account.

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

/// Range of cells `from..to` along x of one row (equal y and z) outside of which the row holds no
/// liquid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// x of the first cell.
    pub from: u16,
    /// x of the last cell plus one.
    pub to: u16,
}

impl Span {
    /// Empty span, neutral element of `union`.
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

    /// Returns the span as a range of x, `0..0` if empty.
    #[inline]
    pub fn range(self) -> std::ops::Range<usize> {
        if self.is_empty() {
            0..0
        } else {
            usize::from(self.from)..usize::from(self.to)
        }
    }
}

/// Total amount and number of non-empty cells of a layer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Total amount, in units.
    pub mass: u64,
    /// Number of cells with an amount above 0.
    pub cells: u64,
}

/// Material over the grid, stored sparsely: only tiles that contain matter take memory.
///
/// Invariant: an empty cell has no energy. Amounts and energies are changed only by the engine, the
/// sources and [`super::Edit`], which book all changes in the ledger.
#[derive(Clone, Debug)]
pub struct Layer {
    pub(super) grid: Grid,
    pub(super) material: Material,
    #[doc(hidden)]
    pub strips: Vec<Strip>,
    /// Tile activity per strip, as recorded on the last visit of the horizontal rule.
    pub(crate) activities: Vec<Activities>,
    /// Awake flag per strip: set if some rule has tiles to visit in the strip.
    pub(crate) awake: Vec<bool>,
    /// Rule parameters and ground stamp under which the sleeping tiles became inactive.
    pub(crate) settled: Settled,
    /// Input state of the last tracing or drift run in which nothing moved; `None` if something
    /// moved.
    pub(crate) traced: Option<Traced>,
    /// Layer version at the last search for films, and the amount in units below which films dried;
    /// `None` before the first search.
    pub(super) searched: Option<(LayerVersion, u16)>,
    /// Change clock, which records which tiles changed since each reader's last read.
    pub clock: ChangeClock,
    /// Read number of the last read by the lighter layers; `None` without lighter layers.
    pub(super) read_by_lighter: Option<u64>,
    /// Read number of the last read by layers of grains less dense than this fluid; `None` without
    /// such layers.
    pub(super) read_by_grains: Option<u64>,
    #[doc(hidden)]
    pub ledger: Ledger,
}

impl Layer {
    /// Creates an empty layer; `above` is set if the world has lighter layers that read this layer.
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

    /// Returns an empty layer with the same grid, material and kinds of registered readers.
    pub(crate) fn emptied(&self) -> Self {
        let mut layer = Self::empty(
            self.grid,
            self.material.clone(),
            self.read_by_lighter.is_some(),
        );
        layer.let_grains_read(self.read_by_grains.is_some());
        layer
    }

    /// Registers (`any` set) or removes layers of less dense grains as readers of this layer.
    pub(super) fn let_grains_read(&mut self, any: bool) {
        self.read_by_grains = any.then(|| self.clock.count(Reading::Grains));
    }

    /// Grid: number of cells along x, y and z.
    pub fn grid(&self) -> Grid {
        self.grid
    }

    /// Number of stored quantities per cell: 1 (amount), or 2 if the material carries energy.
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

    /// Returns true if the layer is inactive: no rule has tiles to visit until the layer or its
    /// surroundings change.
    pub fn is_asleep(&self) -> bool {
        let traced = || {
            self.traced
                .as_ref()
                .is_some_and(|traced| traced.layers.last() == Some(&self.version()))
        };
        let looks_everywhere = self.material.traces() || self.material.kind == Kind::Gas;
        !self.awake.contains(&true) && (!looks_everywhere || traced())
    }

    /// Version of the layer: differs after every change of the layer or of heavier matter near the
    /// layer.
    pub(crate) fn version(&self) -> LayerVersion {
        [
            self.clock.stamp(),
            self.strips.iter().map(|strip| strip.changes).sum(),
        ]
    }

    /// Conservation account of the layer.
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Returns a superset of the tiles of `strip` that changed since the read that returned
    /// `cursor`. `None`: no earlier read, a cursor of another layer, or a record that does not
    /// reach back far enough; the caller must then read the whole strip.
    pub fn changes_since<'a>(
        &self,
        strip: &'a Strip,
        cursor: Option<Cursor>,
    ) -> Option<Changes<'a>> {
        let (kind, number) = self.clock.number(cursor?)?;
        strip.changes_after(kind, number)
    }

    /// Returns amount and energy of the cell at (x, y, z), in units.
    #[inline]
    pub fn at(&self, [x, y, z]: Place) -> Content {
        let strip = &self.strips[z / TILE_Z];
        strip.at(x / TILE_X, y).cell(lane(x, z))
    }

    /// Returns all cells in the order of [`Grid::places`], empty ones included.
    pub fn cells(&self) -> impl Iterator<Item = Content> + '_ {
        self.grid.places().map(|place| self.at(place))
    }

    /// Iterator over all non-empty cells with their places, in no particular order.
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

    /// Returns place and amount of all cells of the strip at `tz` with an amount above 0 and less
    /// than `below`, in units.
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

    /// Iterator over the non-empty tiles in the order z, y, x: place (x in tiles, y in cells, strip
    /// index) and contents.
    pub fn tiles(&self) -> impl Iterator<Item = ([u16; 3], Tile<'_>)> {
        self.strips.iter().enumerate().flat_map(|(tz, strip)| {
            strip
                .iter()
                .map(move |(tx, y, tile)| ([tx as u16, y as u16, tz as u16], tile))
        })
    }

    /// Stores a tile, as returned by [`Layer::tiles`], in a layer that no reader has read yet; the
    /// change is not recorded.
    pub fn put_tile(&mut self, [tx, y, tz]: [u16; 3], tile: &[Lanes]) {
        debug_assert!(self.clock.is_unread(), "this is not recorded as a change");
        self.strips[usize::from(tz)].put(tx.into(), y.into(), tile);
    }

    /// Iterator over the non-empty tiles that contain the row (y, z), each with its x index in
    /// tiles.
    pub(crate) fn row_of_tiles(
        &self,
        y: usize,
        z: usize,
    ) -> impl Iterator<Item = (usize, Tile<'_>)> {
        self.strips[z / TILE_Z].tiles_at(y)
    }

    /// Iterator over the non-empty tiles that contain the row (y, z) and have an x index in `txs`,
    /// in tiles.
    pub fn part_of_row(
        &self,
        y: usize,
        z: usize,
        txs: Range<usize>,
    ) -> impl Iterator<Item = (usize, Tile<'_>)> {
        self.strips[z / TILE_Z].tiles_among(y, txs)
    }

    /// Iterator over cells (x, content) of the row (y, z) within `xs`: contains all non-empty cells
    /// of that range, and possibly empty ones.
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

    /// Returns a span that contains all non-empty cells of the row (y, z), with ends at multiples
    /// of eight cells; empty if the row is empty.
    #[inline]
    pub fn span(&self, y: usize, z: usize) -> Span {
        self.strips[z / TILE_Z]
            .ends_at(y)
            .map_or(Span::EMPTY, |(from, to)| Span {
                from: (from * TILE_X) as u16,
                to: (to * TILE_X).min(self.grid.nx) as u16,
            })
    }

    /// Returns `cell` normalized for storage: energy is set to 0 if the amount is 0 or the material
    /// carries no energy.
    pub(super) fn kept(&self, cell: Content) -> Content {
        let carries = cell.amount > 0 && self.carries_energy();
        Content {
            energy: if carries { cell.energy } else { 0 },
            ..cell
        }
    }

    /// Writes the content `cell` at (x, y, z) and marks its strip as awake; no effect if the
    /// content is equal.
    pub fn set(&mut self, [x, y, z]: Place, cell: Content) {
        let (tx, tz, lane) = (x / TILE_X, z / TILE_Z, lane(x, z));
        let strip = &mut self.strips[tz];
        if strip.at(tx, y).cell(lane) == cell {
            return;
        }
        strip.set(tx, y, lane, cell);
        self.awake[tz] = true;
    }

    /// Total amount per column in units, shape (`nz`, `nx`).
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

    /// Amount in the whole box, in units.
    pub fn mass(&self) -> u64 {
        self.tally().mass
    }

    /// Energy in the whole box, in units.
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

/// Index (0–31) of the cell (x, z) within its tile of 8 × 4 cells.
#[inline]
pub(super) fn lane(x: usize, z: usize) -> usize {
    z % TILE_Z * TILE_X + x % TILE_X
}
