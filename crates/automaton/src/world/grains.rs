//! Bit words for the rule of grains: one 32-bit word per tile, one bit per cell.
//!
//! Invariant: the amounts in the tiles are the state. The bit words follow from the amounts, the
//! ground and the layers around; the engine computes the bit words when a layer of grains has tiles
//! to process, and every change of a cell updates them.

use super::layer::lane;
use super::{Ground, Layer, Strip, World};
use crate::matter::Kind;
use lavoxel_base::grid::tile::{Lanes, ROW, TILE_X, TILE_Z};
use lavoxel_base::grid::{Grid, Place, Walls};

/// One 32-bit word for each tile of a strip, with one bit per cell of the tile; a border of one
/// more tile surrounds the strip on all sides.
#[derive(Clone, Debug, Default)]
pub struct Words {
    words: Vec<u32>,
    /// Number of bit words per row: number of tiles along x plus two border tiles.
    pub(crate) pitch: usize,
}

impl Words {
    /// Creates bit words that are all equal to `word`: one for each tile of a strip of `grid`, and
    /// one for each tile of the border.
    pub(crate) fn filled(grid: Grid, word: u32) -> Self {
        let pitch = grid.nx.div_ceil(TILE_X) + 2;
        Self {
            words: vec![word; pitch * (grid.ny + 2)],
            pitch,
        }
    }

    /// Index of the bit word of the tile at (`tx`, `y`), x in tiles and y in cells. The west
    /// neighbour's word is at index − 1, that of the tile below at index − `pitch`.
    #[inline]
    pub(crate) fn at(&self, tx: usize, y: usize) -> usize {
        (y + 1) * self.pitch + tx + 1
    }

    /// Heap memory of the bit words in bytes.
    fn bytes(&self) -> usize {
        size_of_val(&self.words[..])
    }
}

impl std::ops::Deref for Words {
    type Target = [u32];

    fn deref(&self) -> &[u32] {
        &self.words
    }
}

impl std::ops::DerefMut for Words {
    fn deref_mut(&mut self) -> &mut [u32] {
        &mut self.words
    }
}

/// Cells of a strip that a grain of a layer cannot enter; the grains of this layer itself are not
/// included.
#[derive(Clone, Debug, Default)]
pub struct Barriers {
    /// Solid cells of the ground, and the cells outside of the simulation box if its sides are
    /// closed.
    pub(crate) solid: Words,
    /// Cells of `solid`, and the cells whose heavier grains, still matter or denser fluids block
    /// the grains.
    pub(crate) barred: Words,
    /// Bit mask of the cells of a tile that lie inside of the simulation box, one mask per column
    /// of tiles.
    pub(crate) inside: Vec<u32>,
}

impl Barriers {
    /// Creates the barriers of the strip with z index `tz` from the ground and the sides of the
    /// simulation box, without barriers by matter.
    pub(crate) fn new(ground: &Ground, tz: usize, walls: Walls) -> Self {
        let grid = ground.grid();
        let outside = if walls == Walls::Open { 0 } else { u32::MAX };
        let inside: Vec<_> = (0..grid.nx.div_ceil(TILE_X))
            .map(|tx| inside(grid, tx, tz))
            .collect();
        let mut solid = Words::filled(grid, outside);
        for (tx, &inside) in inside.iter().enumerate() {
            let floor = solid.at(tx, 0) - solid.pitch;
            solid[floor] |= inside;
            for y in 0..grid.ny {
                let at = solid.at(tx, y);
                solid[at] = ground.solid_cells([tx, y, tz]) & inside | outside & !inside;
            }
        }
        Self {
            barred: solid.clone(),
            solid,
            inside,
        }
    }

    /// Marks the cell with index `lane` (0–31) of the tile at (`tx`, `y`) as solid if `solid` is
    /// true, else as open.
    fn set(&mut self, tx: usize, y: usize, lane: usize, solid: bool) {
        let at = self.solid.at(tx, y);
        let word = &mut self.solid[at];
        *word = *word & !(1 << lane) | u32::from(solid) << lane;
    }
}

/// Returns the bit mask of the cells inside of the simulation box, for the tiles with x index `tx`
/// and z index `tz`.
fn inside(grid: Grid, tx: usize, tz: usize) -> u32 {
    let wide = (grid.nx - tx * TILE_X).min(TILE_X);
    let deep = (grid.nz - tz * TILE_Z).min(TILE_Z);
    let row = (1_u32 << wide) - 1;
    (0..deep).fold(0, |cells, z| cells | row << (TILE_X * z))
}

/// Cached bit words of a strip for the rule of grains; each is `None` until the rule needs the
/// words.
#[derive(Clone, Debug, Default)]
pub(crate) struct GrainWords {
    /// Bit words of the cells that contain a grain.
    pub(crate) held: Option<Box<Words>>,
    /// Bit words of the cells that no grain can enter.
    pub(crate) barriers: Option<Box<Barriers>>,
}

impl GrainWords {
    /// Updates the cached bit words after a change of the cell with index `lane` (0–31) of the tile
    /// at (`tx`, `y`); `holds` is true if the cell now contains a grain.
    #[inline]
    pub(super) fn set(&mut self, tx: usize, y: usize, lane: usize, holds: bool) {
        if let Some(held) = &mut self.held {
            let at = held.at(tx, y);
            held[at] = held[at] & !(1 << lane) | u32::from(holds) << lane;
        }
    }

    /// Updates the cached barriers after the cell with index `lane` (0–31) of the tile at (`tx`,
    /// `y`) became solid (`solid` is true) or open.
    pub(super) fn set_solid(&mut self, tx: usize, y: usize, lane: usize, solid: bool) {
        if let Some(barriers) = &mut self.barriers {
            barriers.set(tx, y, lane, solid);
        }
    }

    /// Heap memory of the cached bit words in bytes.
    pub(super) fn bytes(&self) -> usize {
        let barriers = self
            .barriers
            .iter()
            .map(|b| b.solid.bytes() + b.barred.bytes() + size_of_val(&b.inside[..]));
        self.held.iter().map(|words| words.bytes()).sum::<usize>() + barriers.sum::<usize>()
    }
}

impl Strip {
    /// Returns the bit mask of the cells that contain matter in the tile at (`tx`, `y`), x in tiles
    /// and y in cells.
    #[inline]
    pub(crate) fn held_cells(&self, tx: usize, y: usize) -> u32 {
        match &self.grains.held {
            Some(words) => words[words.at(tx, y)],
            None => self
                .at(tx, y)
                .amount()
                .0
                .iter()
                .rfold(0, |cells, &amount| cells << 1 | u32::from(amount > 0)),
        }
    }

    /// Computes, from the stored amounts, the bit words of the cells that contain a grain.
    pub(crate) fn grains(&self, grid: Grid) -> Words {
        let mut words = Words::filled(grid, 0);
        for (tx, y, tile) in self.iter() {
            let at = words.at(tx, y);
            words[at] = tile
                .amount()
                .0
                .iter()
                .rfold(0, |cells, &amount| cells << 1 | u32::from(amount > 0));
        }
        words
    }
}

impl Layer {
    /// Returns true if the layer's material consists of grains.
    pub fn is_grains(&self) -> bool {
        self.material.kind == Kind::Grain
    }

    /// Updates the cached barriers after the cell (x, y, z) of the ground became solid (`solid` is
    /// true) or open.
    pub(super) fn set_barrier(&mut self, [x, y, z]: Place, solid: bool) {
        self.strips[z / TILE_Z]
            .grains
            .set_solid(x / TILE_X, y, lane(x, z), solid);
    }

    /// Returns true if the material of the layer is a liquid (including lava) or a gas.
    pub(crate) fn is_fluid(&self) -> bool {
        matches!(self.material.kind, Kind::Liquid | Kind::Gas | Kind::Viscous)
    }

    /// Returns true if the layer consists of grains less dense than `fluid`, so that they float in
    /// the fluid.
    pub(crate) fn is_carried_by(&self, fluid: &Self) -> bool {
        self.is_grains() && self.material.density < fluid.material.density
    }

    /// Returns two numbers of tiles: those with grains that the rule of grains will process in the
    /// next step, and all with grains of this layer.
    pub fn grains_looked_at(&self) -> [usize; 2] {
        let near = |tz: usize| {
            self.strips[tz.saturating_sub(1)..]
                .iter()
                .take(2 + usize::from(tz > 0))
        };
        let tiles = self
            .tiles()
            .filter(|(_, tile)| self.is_grains() && *tile.amount() != Lanes::ZERO);
        tiles.fold([0; 2], |[looked, all], ([tx, y, tz], _)| {
            let (tx, y) = (usize::from(tx), usize::from(y));
            let changed = |strip: &Strip, tx: usize, y: usize| {
                y < self.grid.ny
                    && strip.row(strip.index(y, tx / ROW)).falling >> (tx % ROW) & 1 == 1
            };
            let wakes = |strip: &Strip, tx: usize| {
                changed(strip, tx, y)
                    || changed(strip, tx, y.wrapping_sub(1))
                    || changed(strip, tx, y + 1)
            };
            let wakes = near(tz.into())
                .any(|strip| (tx.max(1) - 1..(tx + 2).min(strip.count)).any(|tx| wakes(strip, tx)));
            [looked + usize::from(wakes), all + 1]
        })
    }

    /// Returns true if the layer has memory allocated for tiles in the strip with z index `tz` or
    /// in one of the two neighbouring strips.
    pub(crate) fn is_near(&self, tz: usize) -> bool {
        self.strips[tz.saturating_sub(1)..]
            .iter()
            .take(2 + usize::from(tz > 0))
            .any(|strip| strip.tiles() > 0)
    }
}

impl World {
    /// Fluid layers that are denser than the grains of the layer with index `layer`.
    pub(crate) fn denser_fluids(&self, layer: usize) -> &[Layer] {
        self.fluids_around(layer).0
    }

    /// Fluid layers that are not denser than the grains of the layer with index `layer`.
    pub(crate) fn lighter_fluids(&self, layer: usize) -> &[Layer] {
        self.fluids_around(layer).1
    }

    fn fluids_around(&self, layer: usize) -> (&[Layer], &[Layer]) {
        let (grain, rest) = self.layers[layer..]
            .split_first()
            .expect("there is such a layer");
        let (_, fluids) = rest.split_at(lighter_grains(rest));
        fluids.split_at(denser(fluids, grain))
    }

    /// Returns true if a grain of the layer with index `layer` can be put into the cell `place`:
    /// denser matter leaves room, and the cell contains no lighter grain.
    pub fn takes_grain(&self, layer: usize, place: Place) -> bool {
        self.is_free_for(layer, place)
            && self
                .lighter_grains(layer)
                .iter()
                .all(|layer| layer.at(place).amount == 0)
    }

    /// Returns true if the cell `place` contains grains of more than one layer, which no valid
    /// world has.
    pub(super) fn is_shared(&self, place: Place) -> bool {
        self.layers
            .iter()
            .filter(|layer| layer.is_grains() && layer.at(place).amount > 0)
            .count()
            > 1
    }

    /// Layers of grains that are less dense than the layer with index `layer`.
    pub fn lighter_grains(&self, layer: usize) -> &[Layer] {
        let rest = &self.layers[layer + 1..];
        &rest[..lighter_grains(rest)]
    }
}

/// Number of layers at the start of `layers` that consist of grains.
pub fn lighter_grains(layers: &[Layer]) -> usize {
    layers.iter().take_while(|layer| layer.is_grains()).count()
}

/// Number of layers at the start of `fluids` (sorted by decreasing density) that are denser than
/// the grains of `grain`.
pub fn denser(fluids: &[Layer], grain: &Layer) -> usize {
    fluids
        .iter()
        .take_while(|fluid| grain.is_carried_by(fluid))
        .count()
}
