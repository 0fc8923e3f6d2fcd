//! The history of one material in each column of the box: when it first stood there, how thick it ever was, and its
//! peak energy. Updated after every step, for maps of the whole run.
//!
//! An update costs what the step changed: the tiles of 8 × 4 columns in which a rule, a source or an edit changed a
//! cell are summed over their heights, and the rest is skipped. On the built-in volcano an update takes two fifths of a
//! step, see `BENCHMARKS.md`; for a settled world it only checks each strip for changes.

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

/// Arrival in a column that the material never reached.
pub const NEVER: u32 = u32::MAX;

/// Fewest tiles of a layer that are shared among threads.
const MANY_TILES: usize = 1 << 13;

/// Units of height of a flow in one of an amount.
const UNIT: i64 = UNITS as i64 / AMOUNT_ONE as i64;

/// Most bytes of a column in a file: numbers of 32, 32 and 16 bits, seven bits a byte.
const BYTES_A_COLUMN: usize = 5 + 5 + 3;

/// The history of every column; all fields have shape (`nz`, `nx`), row 0 north, column 0 west.
///
/// Same world, same steps, same bits; a copy that was saved and read back continues as the original would.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Records {
    /// The material that is recorded: by it, and not by their place in a list, records are found in a file.
    material: String,
    nx: usize,
    nz: usize,
    arrival: Vec<u32>,
    thickest: Vec<u32>,
    peak_energy: Vec<u16>,
    /// The last read; `None` before the first.
    #[serde(skip)]
    seen: Option<Cursor>,
}

/// The material of records that do not name one.
fn lava() -> String {
    Material::LAVA.to_owned()
}

/// Compares the histories only, not how far each record has read the world.
impl PartialEq for Records {
    fn eq(&self, other: &Self) -> bool {
        (&self.material, self.nx, self.nz) == (&other.material, other.nx, other.nz)
            && self.arrival == other.arrival
            && self.thickest == other.thickest
            && self.peak_energy == other.peak_energy
    }
}

impl Records {
    /// Memory of the records of so many materials.
    pub fn need(grid: Grid, materials: usize) -> MemoryEstimate {
        MemoryEstimate::of("the records of maps", grid.columns() * materials, 10.0)
    }

    /// Memory that a checkpoint of so many materials takes for a while: their bytes.
    pub fn need_of_keeping(grid: Grid, materials: usize) -> MemoryEstimate {
        MemoryEstimate::of("the records in a checkpoint", grid.columns() * materials, BYTES_A_COLUMN as f64)
    }

    /// Most bytes that they have in a file.
    pub fn most_bytes(&self) -> usize {
        BYTES_A_COLUMN * self.nx * self.nz + self.material.len() + 64
    }

    /// Records of the lava before the first update.
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

    /// These records for another material than the lava.
    #[must_use]
    pub fn of(self, material: &str) -> Self {
        Self { material: material.to_owned(), ..self }
    }

    /// The material that is recorded.
    pub fn material(&self) -> &str {
        &self.material
    }

    /// Whether these records, which may have been read from a file, are whole and those of a box of this shape.
    pub fn fits(&self, grid: Grid) -> bool {
        let lengths = [self.arrival.len(), self.thickest.len(), self.peak_energy.len()];
        (self.nx, self.nz) == (grid.nx, grid.nz) && lengths == [grid.columns(); 3]
    }

    /// The first number of steps after which the material stood in the column: 0 where it stood before the first step,
    /// [`NEVER`] where it never did. What came and went within a step does not count.
    pub fn arrival(&self) -> ArrayView2<'_, u32> {
        self.view(&self.arrival)
    }

    /// The largest amount that the whole column held after any step, in units ([`lavoxel_base::units::AMOUNT_ONE`] to a cell); of the lava
    /// of the physical model liquid and set.
    pub fn thickest(&self) -> ArrayView2<'_, u32> {
        self.view(&self.thickest)
    }

    /// The largest energy that any one cell of the column held after any step, in units
    /// ([`lavoxel_base::units::ENERGY_ONE`] to energy 1.0).
    pub fn peak_energy(&self) -> ArrayView2<'_, u16> {
        self.view(&self.peak_energy)
    }

    fn view<'a, T>(&self, columns: &'a [T]) -> ArrayView2<'a, T> {
        ArrayView2::from_shape((self.nz, self.nx), columns).expect("every field has a value for each column")
    }

    /// Updates the records after `step` steps. To be called before the first step and after every one, with one world
    /// of the shape of the records and its flow, if it has one; before the call for another world, call [`Records::forget`].
    pub fn observe(&mut self, world: &World, flow: Option<&Flow>, step: u64) {
        assert!(self.fits(world.grid()), "records are of one box");
        // The largest number means never; no scene has that many steps.
        let step = step.min(u64::from(NEVER) - 1) as u32;
        let Some(layer) = world.layer(&self.material) else { return };
        let seen = self.seen.replace(layer.clock.read(Reading::Records));
        if let Some(flow) = flow.filter(|_| self.material == Material::LAVA) {
            self.observe_flow(flow, seen.is_none(), step);
            return;
        }
        let (nx, strips) = (self.nx, &layer.strips);
        let rows = TILE_Z * nx;
        let update = |scratch: &mut Scratch, strip: &Strip, mut part: Part<'_>| {
            if scratch.mark(strip, layer.changes_since(strip, seen)) {
                scratch.add_up(strip);
                scratch.take_up(&mut part, nx, step);
            }
        };
        let mut scratch = Scratch::default();
        if strips.iter().map(Strip::tiles).sum::<usize>() < MANY_TILES {
            let fields = self.arrival.chunks_mut(rows).zip(self.thickest.chunks_mut(rows));
            let fields = fields.zip(self.peak_energy.chunks_mut(rows)).zip(strips);
            for (((arrival, thickest), peak_energy), strip) in fields {
                update(&mut scratch, strip, Part { arrival, thickest, peak_energy });
            }
        } else {
            let fields = self.arrival.par_chunks_mut(rows).zip(self.thickest.par_chunks_mut(rows));
            let fields = fields.zip(self.peak_energy.par_chunks_mut(rows)).zip(strips);
            fields.for_each_init(Scratch::default, |scratch, (((arrival, thickest), peak_energy), strip)| {
                update(scratch, strip, Part { arrival, thickest, peak_energy });
            });
        }
    }

    /// Updates the records of the lava of the physical model, liquid and set: the layer that mirrors it shows the liquid alone, and
    /// ground that rubble buries or a film reaches in the step in which it sets never holds any.
    fn observe_flow(&mut self, flow: &Flow, all: bool, step: u32) {
        let columns = if all { self.arrival.len() as u32 } else { 0 };
        // Lava that an edit put somewhere may not have moved since.
        let changed = (0..columns).chain(flow.changed().iter().copied()).chain(flow.wet().iter().copied());
        for number in changed.map(|number| number as usize) {
            // A film of less than a unit is lava, too.
            let thickness = (flow.thickness_units(number) + UNIT - 1) / UNIT;
            if thickness > 0 {
                self.arrival[number] = step.min(self.arrival[number]);
                self.thickest[number] = self.thickest[number].max(u32::try_from(thickness).unwrap_or(u32::MAX));
            }
        }
    }

    /// Keeps the histories but forgets the last world: the next update reads the whole layer.
    pub fn forget(&mut self) {
        self.seen = None;
    }
}

/// The columns of one strip of the world, `x` fastest.
struct Part<'a> {
    arrival: &'a mut [u32],
    thickest: &'a mut [u32],
    peak_energy: &'a mut [u16],
}

/// The amount and the largest energy of each of the 32 columns of a tile.
type Sums = ([u32; 32], [u16; 32]);

const EMPTY: Sums = ([0; 32], [0; 32]);

/// Sums over the heights of the tiles of a strip.
#[derive(Default)]
struct Scratch {
    /// A bit for each tile along x that is read.
    columns: Vec<u64>,
    /// For each tile along x; only those that are read are up to date.
    tiles: Vec<Sums>,
}

impl Scratch {
    /// Marks the columns of tiles in which anything changed, or all of them where the changes are not known. Returns
    /// whether any is marked.
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

    /// Adds up the tiles of the marked columns.
    fn add_up(&mut self, strip: &Strip) {
        let Self { columns, tiles } = self;
        tiles.resize(strip.count, EMPTY);
        marked(columns, strip.count).for_each(|tx| tiles[tx] = EMPTY);
        strip.visit(columns, |tx, tile| {
            let (amounts, energies) = &mut tiles[tx];
            amounts.iter_mut().zip(&tile.amount().0).for_each(|(sum, &amount)| *sum += u32::from(amount));
            energies.iter_mut().zip(&tile.energy().0).for_each(|(most, &energy)| *most = energy.max(*most));
        });
    }

    /// Adds the sums to the records of the marked columns, without those outside of the box.
    fn take_up(&self, part: &mut Part<'_>, nx: usize, step: u32) {
        for tx in marked(&self.columns, self.tiles.len()) {
            let (amounts, energies) = &self.tiles[tx];
            let own = (tx * TILE_X, nx.min((tx + 1) * TILE_X));
            for row in 0..part.arrival.len() / nx {
                let columns = row * nx + own.0..row * nx + own.1;
                let lanes = row * TILE_X..;
                for (arrival, &amount) in part.arrival[columns.clone()].iter_mut().zip(&amounts[lanes.clone()]) {
                    *arrival = if amount > 0 { step.min(*arrival) } else { *arrival };
                }
                for (thickest, &amount) in part.thickest[columns.clone()].iter_mut().zip(&amounts[lanes.clone()]) {
                    *thickest = amount.max(*thickest);
                }
                for (peak, &energy) in part.peak_energy[columns].iter_mut().zip(&energies[lanes]) {
                    *peak = energy.max(*peak);
                }
            }
        }
    }
}

/// The marked tiles along x, of `count` tiles.
fn marked(columns: &[u64], count: usize) -> impl Iterator<Item = usize> {
    let all = columns.iter().enumerate().flat_map(|(w, &word)| bits(word).map(move |bit| w * 64 + bit));
    all.take_while(move |&tx| tx < count)
}
