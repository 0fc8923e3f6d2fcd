//! VTK image data (`.vti`) for ParaView, and the list of a series (`.pvd`).
//!
//! The whole box is written, empty parts included: all steps of a series then have the same extent,
//! which ParaView's filters require, and empty parts compress to almost nothing. Axes are `[east,
//! north, up]`, the origin is that of the map.
//!
//! Cells carry `amount` (0 to 1), `energy` (per amount, vent units; 0 without lava) and `solid` (0
//! or 1), unfiltered. Points, the corners of the cells, carry `density` and `energy`: means over
//! the open cells around. A cell that is partly rock and shown as solid counts as open if it holds
//! some of the material, so that no mean exceeds its cells. In the physical model cells carry
//! `temperature` (K), `viscosity` (Pa s), `velocity-east` and `velocity-north` (m/s) and `set`
//! (lava that turned to rock, 0 to 1) in place of `energy`; points carry means of `temperature` and
//! `viscosity` weighted by amounts. Point data exist because ParaView renders volumes of point data
//! smoothly, and volumes of cell data with artefacts. Other materials have their names as prefix:
//! `water.amount` in cells, `water.density` on points.

use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

use flate2::{Compression, write::ZlibEncoder};
use lavoxel_base::parallel::*;

use super::ExportError;
use super::state::ExportState;
use lavoxel_automaton::world::{CellMeasure, Quantity};
use lavoxel_base::grid::Place;
use lavoxel_files::output::{Existing, whole};
use lavoxel_sim::state::State;

/// Upper bound on the number of cells of a box that can be exported: ParaView needs 17 bytes per
/// cell.
pub const MAX_CELLS: usize = 1 << 29;

/// Size of a compression block of an array in bytes, before compression.
const BLOCK: usize = 1 << 17;
/// Number of compression blocks that are compressed in parallel.
const BATCH: usize = 32;
/// Number of characters reserved for the file offset of an array, which is filled in after the
/// array is written.
const OFFSET_ROOM: usize = 20;

/// Quantity that a VTK array holds, and the way in which its values are computed.
#[derive(Clone, Debug, PartialEq)]
enum ArrayKind {
    /// Values of a quantity in the cells of the simulation box.
    Cells(Quantity),
    /// Values at points: mean of a quantity over the adjacent cells that are open or contain some
    /// of the material.
    Mean(Quantity),
    /// Values at points: sum of the first quantity over the adjacent cells, divided by the sum of
    /// the second quantity.
    Ratio([Quantity; 2]),
    /// Values at points: mean of a lava quantity over the adjacent cells, weighted by the amount of
    /// lava.
    Weighted(Quantity),
}

/// Data array of the VTI file: name, and quantity that gives the values.
#[derive(Clone, Debug, PartialEq)]
struct Array {
    name: String,
    kind: ArrayKind,
}

/// Returns the arrays of the VTI file, in file order: [arrays of cells, arrays of points].
fn arrays(world: &State) -> [Vec<Array>; 2] {
    let quantities = world.quantities();
    let named = |name: &str, of: &Quantity| of.with_name(name);
    let cells = quantities.iter().filter_map(|quantity| {
        let name = match quantity.measure() {
            CellMeasure::SpecificEnergy => named("energy", quantity),
            CellMeasure::Energy => return None,
            _ => quantity.name(),
        };
        Some(Array {
            name,
            kind: ArrayKind::Cells(quantity.clone()),
        })
    });
    let points = quantities
        .iter()
        .filter_map(|quantity| match quantity.measure() {
            CellMeasure::Amount => Some(Array {
                name: named("density", quantity),
                kind: ArrayKind::Mean(quantity.clone()),
            }),
            CellMeasure::Energy => {
                let amount = quantity.like(CellMeasure::Amount);
                Some(Array {
                    name: named("energy", quantity),
                    kind: ArrayKind::Ratio([quantity.clone(), amount]),
                })
            }
            CellMeasure::Temperature | CellMeasure::Viscosity => Some(Array {
                name: quantity.name(),
                kind: ArrayKind::Weighted(quantity.clone()),
            }),
            _ => None,
        });
    [cells.collect(), points.collect()]
}

impl Array {
    /// Returns the VTK name of the type of the array's elements, and the size of an element in
    /// bytes.
    fn format(&self) -> (&'static str, usize) {
        if self.is_truth() {
            ("UInt8", 1)
        } else {
            ("Float32", 4)
        }
    }

    /// Returns true if the elements of the array are booleans (the array of solid cells).
    fn is_truth(&self) -> bool {
        matches!(&self.kind, ArrayKind::Cells(quantity) if quantity.measure() == CellMeasure::Solid)
    }

    fn on_points(&self) -> bool {
        !matches!(self.kind, ArrayKind::Cells(_))
    }
}

/// Writes the simulation step `shot` as VTK image data to `path`.
///
/// # Errors
/// When the simulation box has more than [`MAX_CELLS`] cells or the file cannot be written.
pub fn write_vti(
    path: &Path,
    shot: &ExportState<'_>,
    existing: Existing,
) -> Result<(), ExportError> {
    check_vti(path, shot.world.grid().cells())?;
    Ok(whole(path, existing, |out| write(out, shot))?)
}

/// Checks that a box of `cells` cells is not too large for ParaView; `path` is used in the message.
///
/// # Errors
/// When there are more than [`MAX_CELLS`] cells.
pub fn check_vti(path: &Path, cells: usize) -> Result<(), ExportError> {
    if cells <= MAX_CELLS {
        return Ok(());
    }
    let reason =
        format!("the box has {cells} cells, and .vti takes at most {MAX_CELLS}; .vdb has no limit");
    Err(ExportError::TooLarge {
        path: path.to_owned(),
        reason,
    })
}

fn write<W: Write + Seek>(file: &mut W, shot: &ExportState<'_>) -> io::Result<()> {
    let arrays = arrays(shot.world);
    let places = write_head(file, shot, &arrays)?;
    let first = file.stream_position()?;
    for (array, place) in arrays.iter().flatten().zip(places) {
        let at = file.stream_position()?;
        file.seek(SeekFrom::Start(place))?;
        write!(file, "{:<OFFSET_ROOM$}", format!("{}\"", at - first))?;
        file.seek(SeekFrom::Start(at))?;
        write_array(file, shot, array)?;
    }
    file.write_all(b"\n</AppendedData>\n</VTKFile>\n")
}

/// Writes the XML header with placeholders for the offsets of the arrays. Returns the file position
/// of each placeholder.
fn write_head<W: Write + Seek>(
    file: &mut W,
    shot: &ExportState<'_>,
    arrays: &[Vec<Array>; 2],
) -> io::Result<Vec<u64>> {
    let [nx, ny, nz] = shot.site.shape();
    let extent = format!("0 {nx} 0 {ny} 0 {nz}");
    let triple = |v: [f64; 3]| format!("{} {} {}", v[0], v[1], v[2]);
    writeln!(file, "<?xml version=\"1.0\"?>")?;
    write!(
        file,
        "<VTKFile type=\"ImageData\" version=\"1.0\" byte_order=\"LittleEndian\" "
    )?;
    writeln!(
        file,
        "header_type=\"UInt64\" compressor=\"vtkZLibDataCompressor\">"
    )?;
    let (origin, spacing) = (triple(shot.site.origin_m()), triple(shot.site.spacing_m()));
    writeln!(
        file,
        "<ImageData WholeExtent=\"{extent}\" Origin=\"{origin}\" Spacing=\"{spacing}\">"
    )?;
    write_facts(file, shot)?;
    writeln!(file, "<Piece Extent=\"{extent}\">")?;
    let mut places = Vec::new();
    for ((part, scalars), arrays) in [("Cell", "amount"), ("Point", "density")]
        .into_iter()
        .zip(arrays)
    {
        writeln!(file, "<{part}Data Scalars=\"{scalars}\">")?;
        for array in arrays {
            write!(
                file,
                "<DataArray type=\"{}\" Name=\"{}\" ",
                array.format().0,
                array.name
            )?;
            write!(file, "format=\"appended\" offset=\"")?;
            places.push(file.stream_position()?);
            writeln!(file, "{:OFFSET_ROOM$}/>", "")?;
        }
        writeln!(file, "</{part}Data>")?;
    }
    write!(
        file,
        "</Piece>\n</ImageData>\n<AppendedData encoding=\"raw\">\n_"
    )?;
    Ok(places)
}

/// Writes the simulation step as a time value, and the provenance as arrays with one string each.
fn write_facts(file: &mut impl Write, shot: &ExportState<'_>) -> io::Result<()> {
    writeln!(file, "<FieldData>")?;
    let head = "NumberOfTuples=\"1\" format=\"ascii\"";
    writeln!(
        file,
        "<DataArray type=\"Float64\" Name=\"TimeValue\" {head}>{}</DataArray>",
        shot.about.step
    )?;
    for (name, text) in shot.facts() {
        let codes: Vec<String> = text
            .bytes()
            .chain([0])
            .map(|byte| byte.to_string())
            .collect();
        writeln!(
            file,
            "<Array type=\"String\" Name=\"{name}\" {head}>{}</Array>",
            codes.join(" ")
        )?;
    }
    writeln!(file, "</FieldData>")
}

/// Writes the values of `array` in the layout of compressed VTK arrays: number of blocks, block
/// size, size of a partial last block, compressed sizes, blocks.
fn write_array<W: Write + Seek>(
    file: &mut W,
    shot: &ExportState<'_>,
    array: &Array,
) -> io::Result<()> {
    let more = usize::from(array.on_points());
    let [_, ny, nz] = shot.site.shape().map(|n| n + more);
    let bytes = shot
        .site
        .shape()
        .map(|n| n + more)
        .iter()
        .product::<usize>()
        * array.format().1;
    let count = bytes.div_ceil(BLOCK);
    for number in [count, BLOCK, bytes % BLOCK] {
        file.write_all(&(number as u64).to_le_bytes())?;
    }
    let table = file.stream_position()?;
    // Placeholder for the compressed sizes, which are known after the blocks and written back at
    // the end.
    file.write_all(&vec![0; 8 * count])?;

    let mut blocks = Blocks {
        file,
        pending: Vec::new(),
        sizes: Vec::with_capacity(count),
        empty: None,
    };
    let mut rows = Rows::new(shot);
    for k in 0..nz {
        for j in 0..ny {
            rows.write(array, j, k, &mut blocks.pending);
            blocks.write(BLOCK * BATCH)?;
        }
    }
    blocks.write(1)?;
    let sizes: Vec<u8> = blocks
        .sizes
        .iter()
        .flat_map(|size| size.to_le_bytes())
        .collect();
    let end = file.stream_position()?;
    file.seek(SeekFrom::Start(table))?;
    file.write_all(&sizes)?;
    file.seek(SeekFrom::Start(end)).map(drop)
}

/// Writer that splits the bytes of an array into blocks and compresses these.
struct Blocks<'a, W> {
    file: &'a mut W,
    pending: Vec<u8>,
    sizes: Vec<u64>,
    /// Compressed block of zeros, cached because most of the simulation box is air; `None` before
    /// the first use.
    empty: Option<Vec<u8>>,
}

impl<W: Write> Blocks<'_, W> {
    /// Compresses and writes the pending bytes if their number is at least `least`: whole blocks
    /// only or, if `least` is less than the size of a block, all bytes.
    fn write(&mut self, least: usize) -> io::Result<()> {
        if self.pending.len() < least {
            return Ok(());
        }
        let whole = if least < BLOCK {
            self.pending.len()
        } else {
            self.pending.len() / BLOCK * BLOCK
        };
        if self.empty.is_none() {
            self.empty = Some(compress(&[0; BLOCK])?);
        }
        let empty = self.empty.as_deref().unwrap_or_default();
        let shrink = |block: &[u8]| match () {
            () if block.len() == BLOCK && block.iter().all(|&byte| byte == 0) => Ok(empty.to_vec()),
            () => compress(block),
        };
        let blocks: io::Result<Vec<Vec<u8>>> = self.pending[..whole]
            .par_chunks(BLOCK)
            .map(shrink)
            .collect();
        for block in blocks? {
            self.sizes.push(block.len() as u64);
            self.file.write_all(&block)?;
        }
        self.pending.drain(..whole);
        Ok(())
    }
}

fn compress(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes)?;
    encoder.finish()
}

/// Values of a VTK array, computed one row at a time, from west to east, in buffers that this value
/// owns.
struct Rows<'a> {
    world: &'a State,
    /// Values of the row to be written; one element longer than a row of cells, because a row of
    /// points has one more element.
    values: Vec<f32>,
    /// Values of the row of cells read from the world.
    cells: Vec<f32>,
    sums: [Vec<f32>; 2],
}

impl<'a> Rows<'a> {
    fn new(shot: &'a ExportState<'a>) -> Self {
        let (world, nx) = (shot.world, shot.world.grid().nx);
        let points = || vec![0.0; nx + 1];
        Self {
            world,
            values: points(),
            cells: vec![0.0; nx],
            sums: [points(), points()],
        }
    }

    /// Appends the values of one row of `array` to `bytes`, from west to east. `j`: index of the
    /// row of cells or points from the south; `k`: index from the floor.
    fn write(&mut self, array: &Array, j: usize, k: usize, bytes: &mut Vec<u8>) {
        let grid = self.world.grid();
        let length = match &array.kind {
            ArrayKind::Cells(quantity) => {
                self.world
                    .read_row(quantity, k, grid.nz - 1 - j, &mut self.values[..grid.nx]);
                grid.nx
            }
            ArrayKind::Mean(quantity) => {
                self.add_up(0, quantity, j, k);
                let values = self.world.values(quantity);
                // A solid cell that holds some of the material counts, or the mean would exceed
                // every cell.
                let takes = |place| values.at(place) > 0.0 || !self.world.ground().is_solid(place);
                self.divide(|i, [sum, _]| sum / cells_around(self.world, [i, j, k], takes) as f32);
                grid.nx + 1
            }
            ArrayKind::Ratio([above, below]) => {
                self.add_up(0, below, j, k);
                self.add_up(1, above, j, k);
                self.divide(|_, [below, above]| above / below);
                grid.nx + 1
            }
            ArrayKind::Weighted(quantity) => {
                self.add_up_weighted(quantity, j, k);
                self.divide(|_, [amounts, sum]| sum / amounts);
                grid.nx + 1
            }
        };
        let row = &self.values[..length];
        match array.is_truth() {
            true => bytes.extend(row.iter().map(|&value| u8::from(value > 0.0))),
            false => bytes.extend(row.iter().flat_map(|value| value.to_le_bytes())),
        }
    }

    /// Sets the buffer `sums[number]` to the sum of `quantity` over the cells (up to eight) around
    /// each point of the row (`j` from the south, `k` from the floor). Sums of multiples of a
    /// 16-bit unit are exact.
    fn add_up(&mut self, number: usize, quantity: &Quantity, j: usize, k: usize) {
        let (values, sums) = (self.world.values(quantity), &mut self.sums[number]);
        sums.fill(0.0);
        for (y, z) in rows_around(self.world, j, k) {
            if values.row(y, z, &mut self.cells) {
                for (x, value) in self.cells.iter().enumerate() {
                    sums[x] += value;
                    sums[x + 1] += value;
                }
            }
        }
    }

    /// Sets `sums[0]` to the amount and `sums[1]` to `quantity` × amount, each summed over the
    /// cells (up to eight) around each point of the row (`j` from the south, `k` from the floor).
    fn add_up_weighted(&mut self, quantity: &Quantity, j: usize, k: usize) {
        let [values, amounts] =
            [quantity, &quantity.like(CellMeasure::Amount)].map(|of| self.world.values(of));
        self.sums.iter_mut().for_each(|sums| sums.fill(0.0));
        for (y, z) in rows_around(self.world, j, k) {
            for x in 0..self.cells.len() {
                let amount = amounts.at([x, y, z]);
                if amount > 0.0 {
                    let value = amount * values.at([x, y, z]);
                    self.sums[0][x..x + 2]
                        .iter_mut()
                        .for_each(|sum| *sum += amount);
                    self.sums[1][x..x + 2]
                        .iter_mut()
                        .for_each(|sum| *sum += value);
                }
            }
        }
    }

    /// Sets the value of each point `i` of the row to `value(i, sums at the point)`, or to 0 where
    /// the first sum is 0.
    fn divide(&mut self, value: impl Fn(usize, [f32; 2]) -> f32) {
        let [first, second] = &self.sums;
        for (i, (&first, &second)) in first.iter().zip(second).enumerate() {
            self.values[i] = if first > 0.0 {
                value(i, [first, second])
            } else {
                0.0
            };
        }
    }
}

/// Iterates over the rows (y, z) of cells, at most four, that are adjacent to a row of points. `j`:
/// index of the row of points from the south; `k`: index from the floor.
fn rows_around(world: &State, j: usize, k: usize) -> impl Iterator<Item = (usize, usize)> {
    let (ny, nz) = (world.grid().ny, world.grid().nz);
    let near = |at: usize, n: usize| at.saturating_sub(1)..(at + 1).min(n);
    near(k, ny).flat_map(move |y| near(j, nz).map(move |north| (y, nz - 1 - north)))
}

/// Returns the number of cells around the point `[i, j, k]` (at most eight) for which `takes`
/// returns true.
fn cells_around(world: &State, [i, j, k]: [usize; 3], takes: impl Fn(Place) -> bool) -> usize {
    let xs = i.saturating_sub(1)..(i + 1).min(world.grid().nx);
    rows_around(world, j, k)
        .map(|(y, z)| xs.clone().filter(|&x| takes([x, y, z])).count())
        .sum()
}

/// Writes the index of a series (`.pvd`) to `path`. `steps`: pairs of step and `.vti` file name, in
/// display order.
///
/// # Errors
/// When the file cannot be written.
pub fn write_pvd(
    path: &Path,
    steps: &[(u64, String)],
    existing: Existing,
) -> Result<(), ExportError> {
    let mut text =
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n<Collection>\n"
            .to_owned();
    for (step, name) in steps {
        let name = name
            .replace('&', "&amp;")
            .replace('<', "&lt;")
            .replace('"', "&quot;");
        text += &format!("<DataSet timestep=\"{step}\" part=\"0\" file=\"{name}\"/>\n");
    }
    text += "</Collection>\n</VTKFile>\n";
    Ok(whole(path, existing, |out| out.write_all(text.as_bytes()))?)
}
