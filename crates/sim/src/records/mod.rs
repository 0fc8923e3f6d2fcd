//! History of one material, per column: arrival, maximum thickness and peak energy, updated after
//! every step, for maps of the whole run.
//!
//! An update costs time in proportion to the changes of the step: tiles of 8 × 4 columns in which a
//! rule, a source or an edit changed a cell are summed over their heights, and the rest is skipped.
//! On the built-in volcano an update takes two fifths of the time of a step, see `BENCHMARKS.md`;
//! for a settled world it only checks each strip for changes.

mod flow;

use lavoxel_base::parallel::*;
use ndarray::ArrayView2;
use serde::{Deserialize, Serialize};

use lavoxel_automaton::matter::Material;
use lavoxel_automaton::world::{Changes, Cursor, Reading, Strip, World};
use lavoxel_base::grid::Grid;
use lavoxel_base::grid::tile::{TILE_X, TILE_Z, bits};
use lavoxel_base::memory::MemoryEstimate;
use lavoxel_base::units::AMOUNT_ONE;
use lavoxel_flow::{Flow, UNITS};

pub use self::flow::{FlowRecords, REACHED_M};

/// Value of `Records::arrival` for a column that the material has not reached.
pub const NEVER: u32 = u32::MAX;

/// Minimum number of tiles of a layer for which updates run in parallel.
const MANY_TILES: usize = 1 << 13;

/// Number of units of amount of the flow that make one unit of a layer.
const UNIT: i64 = UNITS as i64 / AMOUNT_ONE as i64;

/// Upper bound on the encoded size of one column's records in bytes: integers of 32, 32 and 16
/// bits, encoded with seven bits per byte.
const BYTES_A_COLUMN: usize = 5 + 5 + 3;

/// History of one material in every column of cells: arrays of shape (`nz`, `nx`), where row 0 is
/// in the north and column 0 in the west.
///
/// Invariant: equal worlds and steps give equal bits, for records from a file as well.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Records {
    /// Name of the recorded material, by which the records of several materials in a file are told
    /// apart.
    material: String,
    nx: usize,
    nz: usize,
    arrival: Vec<u32>,
    thickest: Vec<u32>,
    peak_energy: Vec<u16>,
    /// Read position in the change record of the layer at the last update; `None` before the first
    /// update.
    #[serde(skip)]
    seen: Option<Cursor>,
}

/// Returns the material of records from a file that names none: lava.
fn lava() -> String {
    Material::LAVA.to_owned()
}

/// Compares material and histories; the change cursor `seen` is ignored.
impl PartialEq for Records {
    fn eq(&self, other: &Self) -> bool {
        (&self.material, self.nx, self.nz) == (&other.material, other.nx, other.nz)
            && self.arrival == other.arrival
            && self.thickest == other.thickest
            && self.peak_energy == other.peak_energy
    }
}

impl Records {
    /// Estimates the memory of the records of `materials` materials in a box of shape `grid`.
    pub fn need(grid: Grid, materials: usize) -> MemoryEstimate {
        MemoryEstimate::new("the records of maps", grid.columns() * materials, 10.0)
    }

    /// Estimates the memory of the encoded records of `materials` materials, which exist while a
    /// checkpoint is written.
    pub fn need_of_keeping(grid: Grid, materials: usize) -> MemoryEstimate {
        MemoryEstimate::new(
            "the records in a checkpoint",
            grid.columns() * materials,
            BYTES_A_COLUMN as f64,
        )
    }

    /// Returns an upper bound on the encoded size of the records in bytes.
    pub fn most_bytes(&self) -> usize {
        BYTES_A_COLUMN * self.nx * self.nz + self.material.len() + 64
    }

    /// Creates empty records of the lava for a box of shape `grid`.
    pub fn new(grid: Grid) -> Self {
        let columns = grid.columns();
        Self {
            material: lava(),
            nx: grid.nx,
            nz: grid.nz,
            arrival: vec![NEVER; columns],
            thickest: vec![0; columns],
            peak_energy: vec![0; columns],
            seen: None,
        }
    }

    /// Sets the recorded material to `material`; must be called before the first update.
    #[must_use]
    pub fn for_material(self, material: &str) -> Self {
        Self {
            material: material.to_owned(),
            ..self
        }
    }

    /// Returns the name of the recorded material.
    pub fn material(&self) -> &str {
        &self.material
    }

    /// Returns true if these records, possibly from a file, are complete and belong to a box of
    /// shape `grid`.
    pub fn fits(&self, grid: Grid) -> bool {
        let lengths = [
            self.arrival.len(),
            self.thickest.len(),
            self.peak_energy.len(),
        ];
        (self.nx, self.nz) == (grid.nx, grid.nz) && lengths == [grid.columns(); 3]
    }

    /// Returns, for each column, the number of steps after which the column first contained the
    /// material: 0 if before the first step, [`NEVER`] if not reached. Matter that came and
    /// vanished within one step does not count.
    pub fn arrival(&self) -> ArrayView2<'_, u32> {
        self.view(&self.arrival)
    }

    /// Returns the maximum amount in each column of cells after any step, in units
    /// ([`lavoxel_base::units::AMOUNT_ONE`] per full cell); in the physical model, liquid and
    /// solidified lava together.
    pub fn thickest(&self) -> ArrayView2<'_, u32> {
        self.view(&self.thickest)
    }

    /// Returns the maximum energy of any cell in each column after any step, in units
    /// ([`lavoxel_base::units::ENERGY_ONE`] for energy 1.0).
    pub fn peak_energy(&self) -> ArrayView2<'_, u16> {
        self.view(&self.peak_energy)
    }

    fn view<'a, T>(&self, columns: &'a [T]) -> ArrayView2<'a, T> {
        ArrayView2::from_shape((self.nz, self.nx), columns)
            .expect("every field has a value for each column")
    }

    /// Updates the records after `step` steps. Must be called before the first step and after every
    /// step, with the same world and, if there is one, its `flow`; call [`Records::forget`] before
    /// a call with a different world.
    ///
    /// # Panics
    /// If the world's shape differs from that of the records.
    pub fn observe(&mut self, world: &World, flow: Option<&Flow>, step: u64) {
        assert!(self.fits(world.grid()), "records are of one box");
        // `u32::MAX` is reserved for `NEVER`; no scene has that many steps.
        let step = step.min(u64::from(NEVER) - 1) as u32;
        let Some(layer) = world.layer(&self.material) else {
            return;
        };
        let seen = self.seen.replace(layer.clock.read(Reading::Records));
        if let Some(flow) = flow.filter(|_| self.material == Material::LAVA) {
            self.observe_flow(flow, seen.is_none(), step);
            return;
        }
        let (nx, strips) = (self.nx, &layer.strips);
        let rows = TILE_Z * nx;
        let update = |scratch: &mut Scratch, strip: &Strip, mut part: StripRecords<'_>| {
            if scratch.mark(strip, layer.changes_since(strip, seen)) {
                scratch.add_up(strip);
                scratch.take_up(&mut part, nx, step);
            }
        };
        let mut scratch = Scratch::default();
        if strips.iter().map(Strip::tiles).sum::<usize>() < MANY_TILES {
            let fields = self
                .arrival
                .chunks_mut(rows)
                .zip(self.thickest.chunks_mut(rows));
            let fields = fields.zip(self.peak_energy.chunks_mut(rows)).zip(strips);
            for (((arrival, thickest), peak_energy), strip) in fields {
                let part = StripRecords {
                    arrival,
                    thickest,
                    peak_energy,
                };
                update(&mut scratch, strip, part);
            }
        } else {
            let fields = self
                .arrival
                .par_chunks_mut(rows)
                .zip(self.thickest.par_chunks_mut(rows));
            let fields = fields
                .zip(self.peak_energy.par_chunks_mut(rows))
                .zip(strips);
            fields.for_each_init(
                Scratch::default,
                |scratch, (((arrival, thickest), peak_energy), strip)| {
                    let part = StripRecords {
                        arrival,
                        thickest,
                        peak_energy,
                    };
                    update(scratch, strip, part);
                },
            );
        }
    }

    /// Updates the records of the physical model's lava, liquid and solidified. Reads the flow
    /// instead of its layer, because the layer displays the liquid alone, and misses lava that
    /// rubble buries or a film that solidifies in the step in which it arrives. `all`: read all
    /// columns, not only changed ones.
    fn observe_flow(&mut self, flow: &Flow, all: bool, step: u32) {
        let columns = if all { self.arrival.len() as u32 } else { 0 };
        // Includes wet columns: lava placed by an edit may not have moved since.
        let changed = (0..columns)
            .chain(flow.changed().iter().copied())
            .chain(flow.wet().iter().copied());
        for number in changed.map(|number| number as usize) {
            // Rounded up, so that a film below one unit counts as lava.
            let thickness = (flow.thickness_units(number) + UNIT - 1) / UNIT;
            if thickness > 0 {
                self.arrival[number] = step.min(self.arrival[number]);
                self.thickest[number] =
                    self.thickest[number].max(u32::try_from(thickness).unwrap_or(u32::MAX));
            }
        }
    }

    /// Forgets the world of the last update but keeps the histories; the next update then reads the
    /// whole layer.
    pub fn forget(&mut self) {
        self.seen = None;
    }
}

/// Records of the columns in one strip (four rows of columns along x), borrowed mutably; `x` varies
/// fastest.
struct StripRecords<'a> {
    arrival: &'a mut [u32],
    thickest: &'a mut [u32],
    peak_energy: &'a mut [u16],
}

/// Values of the 32 cell columns of a tile column: amount summed over the height, and maximum
/// energy of a cell, both in units.
type Sums = ([u32; 32], [u16; 32]);

const EMPTY: Sums = ([0; 32], [0; 32]);

/// Reusable buffer for the sums over the height in the tile columns of a strip (8 × 4 columns of
/// cells each).
#[derive(Default)]
struct Scratch {
    /// Bit set of the tile columns (by index along x) whose tiles must be summed.
    columns: Vec<u64>,
    /// Sums of each tile column; valid only for tile columns in the bit set.
    tiles: Vec<Sums>,
}

impl Scratch {
    /// Marks the tile columns of `strip` that `changes` names, or all if `changes` is `None`.
    /// Returns true if any tile column is marked.
    fn mark(&mut self, strip: &Strip, changes: Option<Changes<'_>>) -> bool {
        self.columns.resize(strip.width, 0);
        let Some(changes) = changes else {
            self.columns.fill(u64::MAX);
            return strip.tiles() > 0;
        };
        self.columns.fill(0);
        for y in changes.rows.range() {
            for (w, word) in self.columns.iter_mut().enumerate() {
                *word |= changes.word(y, w);
            }
        }
        !changes.rows.is_empty()
    }

    /// Sums the tiles of `strip` over the height, in the marked tile columns.
    fn add_up(&mut self, strip: &Strip) {
        let Self { columns, tiles } = self;
        tiles.resize(strip.count, EMPTY);
        marked(columns, strip.count).for_each(|tx| tiles[tx] = EMPTY);
        strip.visit(columns, |tx, tile| {
            let (amounts, energies) = &mut tiles[tx];
            amounts
                .iter_mut()
                .zip(&tile.amount().0)
                .for_each(|(sum, &amount)| *sum += u32::from(amount));
            energies
                .iter_mut()
                .zip(&tile.energy().0)
                .for_each(|(most, &energy)| *most = energy.max(*most));
        });
    }

    /// Updates the records `part` of a strip by the sums of the marked tile columns after step
    /// `step`; columns outside of the simulation box are skipped. `nx`: number of columns along x.
    fn take_up(&self, part: &mut StripRecords<'_>, nx: usize, step: u32) {
        for tx in marked(&self.columns, self.tiles.len()) {
            let (amounts, energies) = &self.tiles[tx];
            let own = (tx * TILE_X, nx.min((tx + 1) * TILE_X));
            for row in 0..part.arrival.len() / nx {
                let columns = row * nx + own.0..row * nx + own.1;
                let lanes = row * TILE_X..;
                for (arrival, &amount) in part.arrival[columns.clone()]
                    .iter_mut()
                    .zip(&amounts[lanes.clone()])
                {
                    *arrival = if amount > 0 {
                        step.min(*arrival)
                    } else {
                        *arrival
                    };
                }
                for (thickest, &amount) in part.thickest[columns.clone()]
                    .iter_mut()
                    .zip(&amounts[lanes.clone()])
                {
                    *thickest = amount.max(*thickest);
                }
                for (peak, &energy) in part.peak_energy[columns].iter_mut().zip(&energies[lanes]) {
                    *peak = energy.max(*peak);
                }
            }
        }
    }
}

/// Iterates over the indices, below `count`, of the set bits in `columns`, which are the marked
/// tile columns.
fn marked(columns: &[u64], count: usize) -> impl Iterator<Item = usize> {
    let all = columns
        .iter()
        .enumerate()
        .flat_map(|(w, &word)| bits(word).map(move |bit| w * 64 + bit));
    all.take_while(move |&tx| tx < count)
}
