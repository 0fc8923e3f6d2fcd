//! A layer in a checkpoint: the tiles that hold any of its material.

use std::io::{self, Read, Write};

use super::sections::{SectionReader, SectionWriter};
use super::{Fault, MEND};
use lavoxel_automaton::world::{Layer, Tile, World};
use lavoxel_base::grid::tile::{Lanes, TILE_X, TILE_Z};
use lavoxel_base::memory::MemoryEstimate;

/// Tiles between checks of the memory limit.
const TILES_ASKED: f64 = 4096.0;

/// Writes the section's bytes.
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
            tile.0.iter().for_each(|lanes| bytes.extend(lanes.0[lane].to_le_bytes()));
        }
        writer.add(&bytes)?;
    }
    Ok(())
}

/// Reads what [`write`] wrote into a layer without matter. Whether it fits the ground and the account is not checked
/// here. `held` is the memory of what was read before.
pub(super) fn read<R: Read>(
    layer: &mut Layer,
    held: &MemoryEstimate,
    reader: &mut SectionReader<R>,
) -> Result<(), Fault> {
    let (grid, mut tile) = (layer.grid(), vec![Lanes::ZERO; layer.quantities()]);
    let ends = [grid.nx.div_ceil(TILE_X), grid.ny, grid.nz.div_ceil(TILE_Z)];
    let (mut last, mut tiles, mut strips) = (None, 0.0, 0.0);
    while !reader.is_at_end()? {
        let [tx, y, tz] = [reader.read_array()?, reader.read_array()?, reader.read_array()?].map(u16::from_le_bytes);
        let inside = [tx, y, tz].iter().zip(ends).all(|(&at, end)| usize::from(at) < end);
        // No tile comes twice, so that the file cannot have more of them than the box.
        let before = last.replace([tz, y, tx]);
        if !inside || before >= last {
            return Err(reader.damaged(format!("no place for a tile at ({tx}, {y}, {tz})")));
        }
        tiles += 1.0;
        // A strip takes memory for all of its places with its first tile; tiles by themselves take little.
        let first = before.is_none_or(|[strip, ..]| strip != tz);
        strips += if first { 1.0 } else { 0.0 };
        if first || tiles % TILES_ASKED == 0.0 {
            let cells = tiles * (TILE_X * TILE_Z) as f64;
            held.clone().and(World::need_of_lava(grid, cells, strips * TILE_Z as f64)).check(MEND)?;
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

/// A bit for each cell that holds matter.
fn held(tile: Tile<'_>) -> u32 {
    tile.amount().0.iter().rfold(0, |bits, &amount| bits << 1 | u32::from(amount > 0))
}

/// The numbers of the cells with a bit.
fn lanes(held: u32) -> impl Iterator<Item = usize> {
    (0..32).filter(move |lane| held >> lane & 1 == 1)
}
