//! Checkpoint section of a layer: all tiles (8 × 1 × 4 cells) that contain some of the layer's
//! material.

use std::io::{self, Read, Write};

use super::sections::{SectionReader, SectionWriter};
use super::{Fault, MEND};
use lavoxel_automaton::world::{Layer, Tile, World};
use lavoxel_base::grid::tile::{Lanes, TILE_X, TILE_Z};
use lavoxel_base::memory::MemoryEstimate;

/// Number of tiles that are read between two checks of the memory limit.
const TILES_ASKED: f64 = 4096.0;

/// Writes the tiles of `layer` to `writer` as the checkpoint section of this layer.
pub(super) fn write<W: Write>(layer: &Layer, writer: &mut SectionWriter<W>) -> io::Result<()> {
    let mut bytes = Vec::new();
    for (at, tile) in layer.tiles() {
        let held = held(tile);
        if held == 0 {
            continue;
        }
        bytes.clear();
        bytes.extend(at.iter().flat_map(|number| number.to_le_bytes()));
        bytes.extend(held.to_le_bytes());
        for lane in lanes(held) {
            tile.0
                .iter()
                .for_each(|lanes| bytes.extend(lanes.0[lane].to_le_bytes()));
        }
        writer.add(&bytes)?;
    }
    Ok(())
}

/// Reads the section written by `write` into `layer`, which must be empty. Fails if the layer
/// together with `held`, the memory of the state read earlier, exceeds the memory limit. Does not
/// check that the layer agrees with the ground and with its account.
pub(super) fn read<R: Read>(
    layer: &mut Layer,
    held: &MemoryEstimate,
    reader: &mut SectionReader<R>,
) -> Result<(), Fault> {
    let (grid, mut tile) = (layer.grid(), vec![Lanes::ZERO; layer.quantities()]);
    let ends = [grid.nx.div_ceil(TILE_X), grid.ny, grid.nz.div_ceil(TILE_Z)];
    let (mut last, mut tiles, mut strips) = (None, 0.0, 0.0);
    while !reader.is_at_end()? {
        let [tx, y, tz] = [
            reader.read_array()?,
            reader.read_array()?,
            reader.read_array()?,
        ]
        .map(u16::from_le_bytes);
        let inside = [tx, y, tz]
            .iter()
            .zip(ends)
            .all(|(&at, end)| usize::from(at) < end);
        // Strictly ascending order: no tile repeats, so the file cannot have more tiles than the
        // simulation box.
        let before = last.replace([tz, y, tx]);
        if !inside || before >= last {
            return Err(reader.damaged(format!("no place for a tile at ({tx}, {y}, {tz})")));
        }
        tiles += 1.0;
        // The first tile of a strip allocates all places of the strip; further tiles take little.
        let first = before.is_none_or(|[strip, ..]| strip != tz);
        strips += if first { 1.0 } else { 0.0 };
        if first || tiles % TILES_ASKED == 0.0 {
            let cells = tiles * (TILE_X * TILE_Z) as f64;
            held.clone()
                .and(World::need_of_lava(grid, cells, strips * TILE_Z as f64))
                .check(MEND)?;
        }
        read_tile(reader, &mut tile)?;
        layer.put_tile([tx, y, tz], &tile);
    }
    Ok(())
}

fn read_tile<R: Read>(reader: &mut SectionReader<R>, tile: &mut [Lanes]) -> Result<(), Fault> {
    let held_there = u32::from_le_bytes(reader.read_array()?);
    tile.fill(Lanes::ZERO);
    for lane in lanes(held_there) {
        for quantity in &mut *tile {
            quantity.0[lane] = u16::from_le_bytes(reader.read_array()?);
        }
    }
    if held_there == 0 || held(Tile(tile)) != held_there {
        return Err(reader.damaged("a tile with less matter than it says"));
    }
    Ok(())
}

/// Returns a bit mask of the cells of `tile` that contain some of the layer's material: bit 8 · (z
/// mod 4) + (x mod 8).
fn held(tile: Tile<'_>) -> u32 {
    tile.amount()
        .0
        .iter()
        .rfold(0, |bits, &amount| bits << 1 | u32::from(amount > 0))
}

/// Iterates over the indices (0 to 31) of the set bits of the mask `held`, ascending.
fn lanes(held: u32) -> impl Iterator<Item = usize> {
    (0..32).filter(move |lane| held >> lane & 1 == 1)
}
