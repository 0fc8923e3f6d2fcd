//! Estimates of the memory of a world, computed before the world is made.

use super::masks::Masks;
use super::{Ground, Layer, World};
use crate::matter::{FLOATED, can_float};
use lavoxel_base::grid::Grid;
use lavoxel_base::grid::tile::{Lanes, TILE_X, TILE_Z};
use lavoxel_base::memory::MemoryEstimate;

/// Bytes per column of cells for the ground: height of the rendered surface, height of the highest
/// solid cell, and a share of the versions.
const BYTES_A_COLUMN: f64 = 6.25;

/// Bytes per strip (four slabs of cells of equal z) of a layer without matter.
const BYTES_A_STRIP: f64 = 640.0;

/// Bytes per column of the simulation box for the index of hollow columns (`Caves::slots`), once
/// one column is hollow.
const BYTES_A_PLACE: f64 = 4.0;

/// Bytes per hollow column that loading from a file takes, in addition to the column's bit set.
const BYTES_A_HOLLOW: f64 = 64.0;

/// Ratio of the memory that lava takes to that of its tiles alone; above 1, because vectors
/// over-allocate when they grow and the engine keeps a list of changes.
const ROOM: f64 = 1.25;

/// Ratio of the memory that tracing needs to find connected bodies and their surfaces to the memory
/// of the traced liquid. A deep sea takes 0.2 (12 MB for one of 12 million cells); a thin sheet,
/// whose every tile has a surface, takes more, but little in total.
pub const TRACED: f64 = 0.5;

/// Bytes per column of cells for the cache of open cells that the tracing rule keeps.
const BYTES_A_TRACED_COLUMN: f64 = 4.0;

impl World {
    /// Memory estimate for the cache of open cells that tracing keeps, for `layers` traced layers;
    /// `hollow` is the number of hollow columns, in which an open cell lies below a solid one.
    pub fn need_of_tracing(grid: Grid, layers: usize, hollow: usize) -> MemoryEstimate {
        // Columns of tiles with a cave keep a mask for every y.
        let tiles = hollow.min(grid.columns().div_ceil(TILE_X * TILE_Z));
        let bytes =
            grid.columns() as f64 * BYTES_A_TRACED_COLUMN + tiles as f64 * grid.ny as f64 * 4.0;
        MemoryEstimate::new("the open cells of tracing", layers, bytes)
    }

    /// Memory estimate for a world without matter and without hollow columns (caves, overhangs).
    pub fn need(grid: Grid) -> MemoryEstimate {
        MemoryEstimate::new("the ground", grid.columns(), BYTES_A_COLUMN).and(MemoryEstimate::new(
            "the rows of the box",
            grid.nz.div_ceil(TILE_Z),
            BYTES_A_STRIP,
        ))
    }

    /// Memory estimate for `layers` layers without matter, in addition to the lava's layer.
    pub fn need_of_layers(grid: Grid, layers: usize) -> MemoryEstimate {
        MemoryEstimate::new(
            "the rows of its materials",
            layers * grid.nz.div_ceil(TILE_Z),
            BYTES_A_STRIP,
        )
    }

    /// Memory estimate for `cells` cells of lava that extend over `deep` cells from north to south;
    /// both numbers are limited to the simulation box.
    pub fn need_of_lava(grid: Grid, cells: f64, deep: f64) -> MemoryEstimate {
        let tile =
            (2 * size_of::<Lanes>() + size_of::<Masks>() + 1) as f64 / (TILE_X * TILE_Z) as f64;
        let strips = (deep / TILE_Z as f64 + 1.0).min(grid.nz.div_ceil(TILE_Z) as f64);
        // Place of a tile: four bytes for its slot, and six bits for marks and activity.
        let places = grid.nx.div_ceil(TILE_X) as f64 * grid.ny as f64 * (4.0 + 6.0 / 8.0);
        let lava = ROOM * (cells.min(grid.cells() as f64) * tile + strips * places);
        MemoryEstimate::new("the lava", 1, if deep > 0.0 { lava } else { 0.0 })
    }

    /// Memory estimate for `columns` hollow columns, in which an open cell lies below a solid one;
    /// limited to the number of columns of the simulation box.
    pub fn need_of_hollows(grid: Grid, columns: f64) -> MemoryEstimate {
        let (bits, columns) = (
            grid.ny.div_ceil(64) as f64 * 8.0,
            (columns as usize).min(grid.columns()),
        );
        let index = if columns > 0 {
            grid.columns() as f64 * BYTES_A_PLACE
        } else {
            0.0
        };
        // The list of bits doubles when it grows.
        MemoryEstimate::new(
            "hollow columns",
            1,
            index + columns as f64 * (2.0 * bits + BYTES_A_HOLLOW),
        )
    }
}

impl Ground {
    /// Present memory of the ground, as an estimate that can be added to others.
    pub fn taken(&self) -> MemoryEstimate {
        MemoryEstimate::new("the ground", self.bytes(), 1.0)
    }
}

impl Layer {
    /// Present memory of this layer of `world`, including the caches of its rules, as an estimate
    /// that can be added to others.
    pub fn taken(&self, world: &World) -> MemoryEstimate {
        let (bytes, material) = (self.bytes(), self.material());
        let named = if self.carries_energy() {
            "the lava"
        } else {
            "the other materials"
        };
        let mut taken = MemoryEstimate::new(named, bytes, ROOM);
        if material.traces() {
            let opened = World::need_of_tracing(world.grid, 1, world.ground.hollow_columns());
            taken = taken
                .and(MemoryEstimate::new("tracing", bytes, TRACED))
                .and(opened);
        }
        if can_float(material, world.materials()) {
            taken = taken.and(MemoryEstimate::new("what floats", bytes, FLOATED));
        }
        taken
    }
}
