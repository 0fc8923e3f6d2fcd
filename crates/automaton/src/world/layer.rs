//! Layers, each with one material over the grid: amounts in fixed point, the energy that the
//! material may carry, and its account.

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
    /// First cell.
    pub from: u16,
    /// One past the last cell.
    pub to: u16,
}

impl Span {
    /// Empty span.
    pub const EMPTY: Self = Self { from: u16::MAX, to: 0 };

    /// Returns true if the span has no cell.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.from >= self.to
    }

    /// Returns the smallest span around both.
    #[inline]
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self { from: self.from.min(other.from), to: self.to.max(other.to) }
    }

    /// Extends the span by one cell at either end, inside a row of `nx` cells.
    #[inline]
    #[must_use]
    pub fn grown(self, nx: usize) -> Self {
        if self.is_empty() {
            return self;
        }
        Self { from: self.from.saturating_sub(1), to: (self.to + 1).min(nx as u16) }
    }

    /// Converts the span to a range of cells.
    #[inline]
    pub fn range(self) -> std::ops::Range<usize> {
        if self.is_empty() { 0..0 } else { usize::from(self.from)..usize::from(self.to) }
    }
}

/// Sums of liquid over a box.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Amount in units.
    pub mass: u64,
    /// Number of cells that hold liquid.
    pub cells: u64,
}

/// One material over the grid, stored only where there is any.
///
/// Invariant: an empty cell has no energy. Amounts and energies are changed only by the engine, the
/// sources and [`super::Edit`], which book all changes in the ledger.
#[derive(Clone, Debug)]
pub struct Layer {
    pub(super) grid: Grid,
    pub(super) material: Material,
    #[doc(hidden)]
    pub strips: Vec<Strip>,
    /// Activity seen by the rule across on its last visit, for each strip.
    pub(crate) activities: Vec<Activities>,
    /// Awake flag of each strip: set if a rule has tiles to visit there.
    pub(crate) awake: Vec<bool>,
    /// Rules and ground stamp under which sleeping tiles came to rest.
    pub(crate) settled: Settled,
    /// State under which tracing last moved nothing, or no gas could drift; `None` if something
    /// moved.
    pub(crate) traced: Option<Traced>,
    /// Version after the last search for films, and the amount below which films dried.
    pub(super) searched: Option<(LayerVersion, u16)>,
    /// Clock of the layer's reads, by the low-pass, the records and the lighter layers.
    pub clock: ChangeClock,
    /// Number of the last read by the lighter layers; `None` without lighter layers.
    pub(super) read_by_lighter: Option<u64>,
    /// Number of the last read by grains that are less dense than this fluid; `None` without such
    /// grains.
    pub(super) read_by_grains: Option<u64>,
    #[doc(hidden)]
    pub ledger: Ledger,
}

impl Layer {
    /// Makes a layer without matter; `above` is set if there are lighter layers.
    pub(super) fn empty(grid: Grid, material: Material, above: bool) -> Self {
        let strips = grid.nz.div_ceil(TILE_Z);
        let quantities = 1 + usize::from(material.carries_energy());
        let clock = ChangeClock::none();
        Self {
            grid,
            material,
            strips: (0..strips).map(|_| Strip::empty(grid, quantities)).collect(),
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

    /// Returns an empty copy of the layer, not yet read by any reader.
    pub(crate) fn emptied(&self) -> Self {
        let mut layer = Self::empty(self.grid, self.material.clone(), self.read_by_lighter.is_some());
        layer.let_grains_read(self.read_by_grains.is_some());
        layer
    }

    /// Registers grains that are less dense as readers, if there are `any`.
    pub(super) fn let_grains_read(&mut self, any: bool) {
        self.read_by_grains = any.then(|| self.clock.count(Reading::Grains));
    }

    /// Shape of the layer's box.
    pub fn grid(&self) -> Grid {
        self.grid
    }

    /// Number of lanes of a tile: one for the amounts, and one for the carried energy.
    pub fn quantities(&self) -> usize {
        1 + usize::from(self.material.carries_energy())
    }

    /// Material of the layer.
    pub fn material(&self) -> &Material {
        &self.material
    }

    /// Returns true if the cells hold energy in addition to their amount.
    pub fn carries_energy(&self) -> bool {
        self.material.carries_energy()
    }

    /// Returns true if no rule of the layer has a tile to visit until something changes.
    pub fn is_asleep(&self) -> bool {
        let traced = || self.traced.as_ref().is_some_and(|traced| traced.layers.last() == Some(&self.version()));
        let looks_everywhere = self.material.traces() || self.material.kind == Kind::Gas;
        !self.awake.contains(&true) && (!looks_everywhere || traced())
    }

    /// Version of the layer, which differs after every change of the layer or of heavier matter
    /// near it.
    pub(crate) fn version(&self) -> LayerVersion {
        [self.clock.stamp(), self.strips.iter().map(|strip| strip.changes).sum()]
    }

    /// Account of the layer.
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Returns a superset of the tiles of a strip that changed since a read; `None` if there was no
    /// read, if the read was of another layer, or if the record does not reach back far enough.
    pub fn changes_since<'a>(&self, strip: &'a Strip, cursor: Option<Cursor>) -> Option<Changes<'a>> {
        let (kind, number) = self.clock.number(cursor?)?;
        strip.changes_after(kind, number)
    }

    /// Returns amount and energy of a cell.
    #[inline]
    pub fn at(&self, [x, y, z]: Place) -> Content {
        let strip = &self.strips[z / TILE_Z];
        strip.at(x / TILE_X, y).cell(lane(x, z))
    }

    /// Returns all cells in the order of [`Grid::places`], empty ones included.
    pub fn cells(&self) -> impl Iterator<Item = Content> + '_ {
        self.grid.places().map(|place| self.at(place))
    }

    /// Returns the cells that hold liquid, with their places, in no particular order.
    pub fn held(&self) -> impl Iterator<Item = (Place, Content)> + '_ {
        self.strips.iter().enumerate().flat_map(|(tz, strip)| {
            strip.iter().flat_map(move |(tx, y, tile)| {
                let held = (0..32).filter(move |&lane| tile.amount().0[lane] > 0);
                held.map(move |lane| ([tx * TILE_X + lane % TILE_X, y, tz * TILE_Z + lane / TILE_X], tile.cell(lane)))
            })
        })
    }

    /// Returns the cells of a strip that hold some matter, but less than `below`, with their
    /// amounts.
    pub(super) fn films(&self, tz: usize, below: u16) -> Vec<(Place, u16)> {
        // The subtraction wraps an amount of 0 to the largest number, so that one comparison tests
        // both bounds.
        let is_film = |amount: u16| amount.wrapping_sub(1) < below.saturating_sub(1);
        let thin = self.strips[tz].iter().filter(|(_, _, tile)| tile.amount().0.iter().any(|&amount| is_film(amount)));
        let cells = thin.flat_map(|(tx, y, tile)| {
            let films = (0..TILE_X * TILE_Z).filter(move |&lane| is_film(tile.amount().0[lane]));
            films
                .map(move |lane| ([tx * TILE_X + lane % TILE_X, y, tz * TILE_Z + lane / TILE_X], tile.amount().0[lane]))
        });
        cells.collect()
    }

    /// Returns the tiles that hold liquid, by z, then y, then x: place (x in tiles, y in cells,
    /// index of the strip), and contents.
    pub fn tiles(&self) -> impl Iterator<Item = ([u16; 3], Tile<'_>)> {
        self.strips
            .iter()
            .enumerate()
            .flat_map(|(tz, strip)| strip.iter().map(move |(tx, y, tile)| ([tx as u16, y as u16, tz as u16], tile)))
    }

    /// Stores a tile from [`Layer::tiles`] in a liquid that has no reader yet.
    pub fn put_tile(&mut self, [tx, y, tz]: [u16; 3], tile: &[Lanes]) {
        debug_assert!(self.clock.is_unread(), "this is not recorded as a change");
        self.strips[usize::from(tz)].put(tx.into(), y.into(), tile);
    }

    /// Returns the tiles of the row (y, z) that hold liquid, each with its tx.
    pub(crate) fn row_of_tiles(&self, y: usize, z: usize) -> impl Iterator<Item = (usize, Tile<'_>)> {
        self.strips[z / TILE_Z].tiles_at(y)
    }

    /// Returns the tiles of the row (y, z) that hold liquid, among those at `txs`.
    pub fn part_of_row(&self, y: usize, z: usize, txs: Range<usize>) -> impl Iterator<Item = (usize, Tile<'_>)> {
        self.strips[z / TILE_Z].tiles_among(y, txs)
    }

    /// Returns cells of the row (y, z) with their x: at least those in the range `xs` that hold
    /// liquid, and none outside of `xs`.
    pub fn row(&self, y: usize, z: usize, xs: Range<usize>) -> impl Iterator<Item = (usize, Content)> + '_ {
        let first = z % TILE_Z * TILE_X;
        let txs = xs.start / TILE_X..xs.end.div_ceil(TILE_X);
        self.part_of_row(y, z, txs).flat_map(move |(tx, tile)| {
            let from = tx * TILE_X;
            let cells = xs.start.max(from)..xs.end.min(from + TILE_X);
            cells.map(move |x| (x, tile.cell(first + x % TILE_X)))
        })
    }

    /// Returns the span outside of which the row (y, z) is empty; its ends lie on multiples of
    /// eight cells.
    #[inline]
    pub fn span(&self, y: usize, z: usize) -> Span {
        self.strips[z / TILE_Z].ends_at(y).map_or(Span::EMPTY, |(from, to)| Span {
            from: (from * TILE_X) as u16,
            to: (to * TILE_X).min(self.grid.nx) as u16,
        })
    }

    /// Returns a content as the layer stores it: energy only with an amount, in a layer that
    /// carries energy.
    pub(super) fn kept(&self, cell: Content) -> Content {
        let carries = cell.amount > 0 && self.carries_energy();
        Content { energy: if carries { cell.energy } else { 0 }, ..cell }
    }

    /// Writes a cell and wakes its strip.
    pub fn set(&mut self, [x, y, z]: Place, cell: Content) {
        let (tx, tz, lane) = (x / TILE_X, z / TILE_Z, lane(x, z));
        let strip = &mut self.strips[tz];
        if strip.at(tx, y).cell(lane) == cell {
            return;
        }
        strip.set(tx, y, lane, cell);
        self.awake[tz] = true;
    }

    /// Amount in each column in units, shape (`nz`, `nx`).
    pub fn column_amounts(&self) -> Array2<u64> {
        let mut sums = Array2::zeros((self.grid.nz, self.grid.nx));
        for ([x, _, z], cell) in self.held() {
            sums[[z, x]] += u64::from(cell.amount);
        }
        sums
    }

    /// Sums amount and cells over the box.
    pub fn tally(&self) -> Tally {
        let tally = |strip: &Strip| {
            strip.iter().fold(Tally::default(), |sum, (_, _, tile)| Tally {
                mass: sum.mass + tile.amount().sum(),
                cells: sum.cells + tile.amount().0.iter().filter(|&&a| a > 0).count() as u64,
            })
        };
        let add = |a: Tally, b: Tally| Tally { mass: a.mass + b.mass, cells: a.cells + b.cells };
        self.strips.par_iter().map(tally).reduce(Tally::default, add)
    }

    /// Amount in the whole box, in units.
    pub fn mass(&self) -> u64 {
        self.tally().mass
    }

    /// Energy in the whole box, in units.
    pub fn energy(&self) -> u64 {
        let energy = |(_, _, tile): (usize, usize, Tile<'_>)| tile.energy().sum();
        self.strips.par_iter().map(|strip| strip.iter().map(energy).sum::<u64>()).sum()
    }

    /// Memory in bytes.
    pub fn bytes(&self) -> usize {
        self.strips.iter().map(Strip::bytes).sum()
    }
}

/// Index of a cell in its tile.
#[inline]
pub(super) fn lane(x: usize, z: usize) -> usize {
    z % TILE_Z * TILE_X + x % TILE_X
}
