//! What each column of the box has seen of one material: when it first stood there, how thick it ever was, and its peak
//! energy. Kept step by step for maps, since a state of the world does not tell its past.
//!
//! A look after a step costs what that step changed: of the tiles of 8 × 4 columns those in which a rule, a source or an
//! edit changed a cell are added up over their heights, and all others are left alone. On the built-in volcano a look takes
//! two fifths of a step, see `BENCHMARKS.md`; of a settled world it only asks each strip whether anything changed.

use crate::parallel::*;
use ndarray::ArrayView2;
use serde::{Deserialize, Serialize};

use crate::grid::Grid;
use crate::grid::tile::{TILE_X, TILE_Z, bits};
use crate::matter::Material;
use crate::world::{Changes, Cursor, Reading, Strip, World};

/// Arrival in a column that the material never reached.
pub const NEVER: u32 = u32::MAX;

/// Fewest tiles of a layer for which other threads help.
const MANY_TILES: usize = 1 << 13;

/// The past of every column; all fields have shape (`nz`, `nx`), row 0 north, column 0 west.
///
/// Same world, same steps, same bits; a copy that was saved and read back goes on as the original would.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Records {
    /// The material that is recorded.
    #[serde(skip, default = "lava")]
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

/// Records hold the same past, in whatever order they were read.
impl PartialEq for Records {
    fn eq(&self, other: &Self) -> bool {
        (&self.material, self.nx, self.nz) == (&other.material, other.nx, other.nz)
            && self.arrival == other.arrival
            && self.thickest == other.thickest
            && self.peak_energy == other.peak_energy
    }
}

impl Records {
    /// Records of the lava in a box in which none was seen yet.
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

    /// The same of another material; they have to be those of it.
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
    /// [`NEVER`] where it never did. What came and went within a step was not seen.
    pub fn arrival(&self) -> ArrayView2<'_, u32> {
        self.view(&self.arrival)
    }

    /// The largest amount that the whole column held after any step, in units ([`crate::units::AMOUNT_ONE`] to a cell).
    pub fn thickest(&self) -> ArrayView2<'_, u32> {
        self.view(&self.thickest)
    }

    /// The largest energy that any one cell of the column held after any step, in units
    /// ([`crate::units::ENERGY_ONE`] to energy 1.0).
    pub fn peak_energy(&self) -> ArrayView2<'_, u16> {
        self.view(&self.peak_energy)
    }

    fn view<'a, T>(&self, columns: &'a [T]) -> ArrayView2<'a, T> {
        ArrayView2::from_shape((self.nz, self.nx), columns).expect("every field has a value for each column")
    }

    /// Looks at the world after `step` steps. To be called before the first step and after every one, on one world of the
    /// shape that the records are for; a world that was put in another's place needs [`Records::forget`] first.
    pub fn observe(&mut self, world: &World, step: u64) {
        assert!(self.fits(world.grid()), "records are looked up in the box that they are for");
        // The largest number stands for never; no scene has so many steps.
        let step = step.min(u64::from(NEVER) - 1) as u32;
        let Some(layer) = world.layer(&self.material) else { return };
        let seen = self.seen.replace(layer.clock.read(Reading::Records));
        let (nx, strips) = (self.nx, &layer.strips);
        let rows = TILE_Z * nx;
        let look = |scratch: &mut Scratch, strip: &Strip, mut part: Part<'_>| {
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
                look(&mut scratch, strip, Part { arrival, thickest, peak_energy });
            }
        } else {
            let fields = self.arrival.par_chunks_mut(rows).zip(self.thickest.par_chunks_mut(rows));
            let fields = fields.zip(self.peak_energy.par_chunks_mut(rows)).zip(strips);
            fields.for_each_init(Scratch::default, |scratch, (((arrival, thickest), peak_energy), strip)| {
                look(scratch, strip, Part { arrival, thickest, peak_energy });
            });
        }
    }

    /// Forgets which world was read last, not what was seen: the next read goes over the whole layer.
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
    /// Marks the columns of tiles in which anything changed; all of them where the changes are not known. Whether any did.
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

    /// Takes the sums up into the records of the marked columns. What lies outside of the box is left out.
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

/// The tiles along x that are marked, of so many.
fn marked(columns: &[u64], count: usize) -> impl Iterator<Item = usize> {
    let all = columns.iter().enumerate().flat_map(|(w, &word)| bits(word).map(move |bit| w * 64 + bit));
    all.take_while(move |&tx| tx < count)
}
