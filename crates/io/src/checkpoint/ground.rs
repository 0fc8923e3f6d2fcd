//! Checkpoint section of the ground: surface heights of all columns, and solid cells of columns
//! with caves.

use std::io::{self, Read, Write};

use ndarray::Array2;

use super::sections::{SectionReader, SectionWriter};
use super::{Fault, MEND};
use lavoxel_automaton::world::{Ground, World};
use lavoxel_base::grid::Grid;

/// Number of columns with caves that are read between two checks of the memory limit.
const CAVES_ASKED: u32 = 256;

/// Writes `ground` to `writer` as the checkpoint section of the ground.
pub(super) fn write<W: Write>(ground: &Ground, writer: &mut SectionWriter<W>) -> io::Result<()> {
    for height in ground.surface() {
        writer.add(&height.to_le_bytes())?;
    }
    let caves = ground.caves();
    writer.add(&(caves.len() as u32).to_le_bytes())?;
    for (column, cells) in caves {
        writer.add(&(column as u32).to_le_bytes())?;
        for word in cells {
            writer.add(&word.to_le_bytes())?;
        }
    }
    Ok(())
}

/// Reads the section written by [`write()`] and returns the ground of a box of shape `grid`.
pub(super) fn read<R: Read>(grid: Grid, reader: &mut SectionReader<R>) -> Result<Ground, Fault> {
    // Memory grows with the rows present in the file, so a forged size allocates nothing.
    let mut heights = Vec::new();
    let mut row = vec![0; 4 * grid.nx];
    for _ in 0..grid.nz {
        reader.read(&mut row)?;
        heights.extend(
            row.as_chunks()
                .0
                .iter()
                .map(|&bytes| f32::from_le_bytes(bytes)),
        );
    }
    let surface = Array2::from_shape_vec((grid.nz, grid.nx), heights)
        .map_err(|error| reader.damaged(error))?;
    let mut caves = Vec::new();
    let mut words = vec![0; 8 * grid.ny.div_ceil(64)];
    for count in 0..u32::from_le_bytes(reader.read_array()?).min(grid.columns() as u32) {
        if count % CAVES_ASKED == 0 {
            let columns = f64::from(count + CAVES_ASKED);
            World::need(grid)
                .and(World::need_of_hollows(grid, columns))
                .check(MEND)?;
        }
        let column = u32::from_le_bytes(reader.read_array()?) as usize;
        reader.read(&mut words)?;
        caves.push((
            column,
            words
                .as_chunks()
                .0
                .iter()
                .map(|&bytes| u64::from_le_bytes(bytes))
                .collect(),
        ));
    }
    Ground::from_parts(grid.ny, surface, caves).map_err(|reason| reader.damaged(reason))
}
