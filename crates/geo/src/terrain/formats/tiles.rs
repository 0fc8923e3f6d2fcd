//! Reader of a folder of rasters that are tiles of one map, such as those of SRTM or of a survey.
//!
//! ```text
//!   N38E014.hgt  N38E015.hgt       one grid: equal cells, edges that fit
//!   N37E014.hgt     (none)         no data where there is no tile
//! ```
//!
//! **Decided:** where tiles overlap, the first one by name that has data counts; the note says in how
//! many cells the others differ, and by how much.

use std::fs;
use std::path::{Path, PathBuf};

use ndarray::{Array2, s};

use super::read::LoadOptions;
use super::{endings, load};
use crate::terrain::error::checked_samples;
use crate::terrain::{Crs, Georeference, Heightmap, TerrainError};
use lavoxel_base::memory::{Held, MemoryEstimate};
use lavoxel_base::words::{grouped, short};
use lavoxel_files::input::ending;

/// Largest number of tiles of a map.
const MOST: usize = 4096;
/// Largest distance of a tile's cells from those of the others, in cells.
const OFF: f64 = 0.05;
/// Smallest difference of two heights of a place in metres that is counted.
const DIFFERS_M: f32 = 0.01;

/// Returns the rasters in `folder`, by name; folders in it are not entered.
///
/// # Errors
/// If the folder cannot be read, or has more than `MOST` rasters.
fn rasters_in(folder: &Path) -> Result<Vec<PathBuf>, TerrainError> {
    let mut rasters = Vec::new();
    for entry in fs::read_dir(folder).map_err(TerrainError::read(folder))? {
        let path = entry.map_err(TerrainError::read(folder))?.path();
        let ending = ending(&path);
        if endings().any(|known| known == ending) && path.is_file() {
            rasters.push(path);
        }
        if rasters.len() > MOST {
            let found = format!("more than {MOST}; join them first: gdal_merge.py");
            return Err(TerrainError::content(folder, "tiles of a map", found));
        }
    }
    rasters.sort();
    Ok(rasters)
}

/// Returns true if `folder` is a folder with rasters.
pub(super) fn are_in(folder: &Path) -> bool {
    folder.is_dir() && rasters_in(folder).is_ok_and(|rasters| !rasters.is_empty())
}

/// Reads all rasters in `folder` as one map.
///
/// # Errors
/// The errors of the tiles; [`TerrainError::Content`], naming the tile, if tiles have another
/// system or another cell size than the first, or cells between those of the first.
pub(super) fn read(folder: &Path, options: &LoadOptions) -> Result<Heightmap, TerrainError> {
    if options.cell_size_m.is_some() {
        let found = "a cell size (cell_size_m, or --cell-size), which takes their places away";
        return Err(TerrainError::content(folder, "tiles of a map", found));
    }
    let mut tiles: Vec<Tile> = Vec::new();
    for path in rasters_in(folder)? {
        let tile = Tile::load(&path, options)?;
        if let Some(first) = tiles.first() {
            tile.check(first, &path)?;
        }
        tiles.push(tile);
    }
    let Some(first) = tiles.first() else {
        let found = "a folder without rasters";
        return Err(TerrainError::content(folder, "tiles of a map", found));
    };
    let (crs, size) = (first.crs.clone(), first.size);
    let fold = |of: fn(&Tile) -> f64, pick: fn(f64, f64) -> f64| tiles.iter().map(of).reduce(pick);
    let west = fold(|tile| tile.west, f64::min).unwrap_or_default();
    let north = fold(|tile| tile.north, f64::max).unwrap_or_default();
    let at = |tile: &Tile| {
        let places = [(north - tile.north) / size.1, (tile.west - west) / size.0];
        places.map(|place| place.round() as usize)
    };
    let (mut rows, mut cols) = (0, 0);
    for tile in &tiles {
        let ([row, col], (height, width)) = (at(tile), tile.map.heights.dim());
        (rows, cols) = (rows.max(row + height), cols.max(col + width));
    }
    checked_samples(folder, (cols, rows), u64::MAX, 0.0)?;
    let mut heights = Array2::from_elem((rows, cols), f32::NAN);
    let mut apart = (0_u64, 0.0_f32);
    for tile in &tiles {
        let ([row, col], (height, width)) = (at(tile), tile.map.heights.dim());
        let place = heights.slice_mut(s![row..row + height, col..col + width]);
        ndarray::Zip::from(place)
            .and(&tile.map.heights)
            .for_each(|height, &new| {
                let difference = (*height - new).abs();
                if height.is_nan() {
                    *height = new;
                } else if difference > DIFFERS_M {
                    apart = (apart.0 + 1, apart.1.max(difference));
                }
            });
    }
    let mut notes = Vec::new();
    if apart.0 > 0 {
        notes.push(format!(
            "tiles that overlap differ in {} cells, by up to {} m; the first by name counts",
            grouped(apart.0),
            short(f64::from(apart.1), 3)
        ));
    }
    for note in tiles.iter().flat_map(|tile| &tile.map.notes) {
        if !notes.contains(note) {
            notes.push(note.clone());
        }
    }
    let (origin, cell_size_m) =
        Georeference::north_up(folder, heights.dim(), (west, north), size, crs)?;
    Ok(Heightmap {
        heights,
        cell_size_m,
        origin: Some(origin),
        notes,
    })
}

/// Tile of a map.
struct Tile {
    map: Heightmap,
    crs: Crs,
    west: f64,
    north: f64,
    /// Width and depth of a cell in map units.
    size: (f64, f64),
    /// Entry of the heights in the memory account.
    _held: Held,
}

impl Tile {
    fn load(path: &Path, options: &LoadOptions) -> Result<Self, TerrainError> {
        let map = load(path, options)?;
        let held = MemoryEstimate::new("the heights of a tile", map.heights.len(), 4.0);
        let Some(origin) = &map.origin else {
            let found = "none; take it out of the folder, or give it one: gdal_translate -a_ullr";
            return Err(TerrainError::content(path, "a place on the map", found));
        };
        let (x, y) = origin.metres_per_unit;
        Ok(Self {
            crs: origin.crs.clone(),
            west: origin.x_west,
            north: origin.y_north,
            size: (map.cell_size_m.0 / x, map.cell_size_m.1 / y),
            _held: held.held(),
            map,
        })
    }

    /// Fails if the tile, read from `path`, does not lie on the grid of `first`.
    fn check(&self, first: &Self, path: &Path) -> Result<(), TerrainError> {
        let mend = "bring the tiles onto one grid: gdalwarp or gdalbuildvrt";
        let wrong = |expected: String, found: String| {
            Err(TerrainError::content(
                path,
                expected,
                format!("{found}; {mend}"),
            ))
        };
        if !self.crs.is_same(&first.crs) {
            let name = |crs: &Crs| crs.name().unwrap_or_else(|| "none".to_owned());
            return wrong(
                format!(
                    "the coordinate system of the other tiles, {}",
                    name(&first.crs)
                ),
                name(&self.crs),
            );
        }
        let near = |a: f64, b: f64| (a - b).abs() <= 1e-6 * b.abs();
        if !(near(self.size.0, first.size.0) && near(self.size.1, first.size.1)) {
            return wrong(
                format!("cells of {} × {} map units", first.size.0, first.size.1),
                format!("{} × {}", self.size.0, self.size.1),
            );
        }
        let off = |distance: f64, size: f64| {
            let cells = distance / size;
            (cells - cells.round()).abs()
        };
        let apart = off(self.west - first.west, first.size.0)
            .max(off(self.north - first.north, first.size.1));
        if apart > OFF {
            return wrong(
                "cells on the grid of the other tiles".to_owned(),
                format!("cells {} of a cell beside", short(apart, 2)),
            );
        }
        Ok(())
    }
}
