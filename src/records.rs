//! What each column of the box has seen: when lava first stood there, how thick it ever was, and its peak energy. Kept
//! step by step for maps, since a state of the world does not tell its past.
//!
//! A look after a step costs what that step changed: of the tiles of 8 × 4 columns those in which a rule, a source or an
//! edit changed a cell are added up over their heights, and all others are left alone. A settled world costs next to
//! nothing. Measured on the built-in volcano on two threads (`cargo bench --bench goals records`): see `BENCHMARKS.md`.

use ndarray::ArrayView2;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::grid::Grid;
use crate::world::{Strip, TILE_X, TILE_Z, World};

/// Arrival in a column that lava never reached.
pub const NEVER: u32 = u32::MAX;

/// Fewest tiles of lava for which other threads help.
const MANY_TILES: usize = 1 << 13;

/// The past of every column; all fields have shape (`nz`, `nx`), row 0 north, column 0 west.
///
/// Same world, same steps, same bits; a copy that was saved and read back goes on as the original would.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Records {
    nx: usize,
    nz: usize,
    arrival: Vec<u32>,
    thickest: Vec<u32>,
    peak_energy: Vec<u16>,
    /// Cells that had been written by hand at the last look; nobody has looked yet when there is none.
    #[serde(skip)]
    seen: Option<u64>,
}

/// Records hold the same past, whoever looked last.
impl PartialEq for Records {
    fn eq(&self, other: &Self) -> bool {
        let fields = |r: &Self| (r.nx, r.nz);
        fields(self) == fields(other)
            && self.arrival == other.arrival
            && self.thickest == other.thickest
            && self.peak_energy == other.peak_energy
    }
}

impl Records {
    /// Records of a box in which no lava was seen yet.
    pub fn new(grid: Grid) -> Self {
        let columns = grid.columns();
        Self {
            nx: grid.nx,
            nz: grid.nz,
            arrival: vec![NEVER; columns],
            thickest: vec![0; columns],
            peak_energy: vec![0; columns],
            seen: None,
        }
    }

    /// Whether these records, which may have been read from a file, are whole and those of a box of this shape.
    pub fn fits(&self, grid: Grid) -> bool {
        let lengths = [self.arrival.len(), self.thickest.len(), self.peak_energy.len()];
        (self.nx, self.nz) == (grid.nx, grid.nz) && lengths == [grid.columns(); 3]
    }

    /// The first number of steps after which lava stood in the column: 0 where it stood before the first step,
    /// [`NEVER`] where it never did. Lava that came and went within a step was not seen.
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
        assert!(self.fits(world.grid), "records are looked up in the box that they are for");
        // The largest number stands for never; no scene has so many steps.
        let step = step.min(u64::from(NEVER) - 1) as u32;
        let seen = self.seen.replace(world.lava.writes);
        let strips = &world.lava.strips;
        let rows = TILE_Z * self.nx;
        let mut parts: Vec<_> = self
            .arrival
            .chunks_mut(rows)
            .zip(self.thickest.chunks_mut(rows))
            .zip(self.peak_energy.chunks_mut(rows))
            .zip(strips)
            .map(|(((arrival, thickest), peak_energy), strip)| (Part { arrival, thickest, peak_energy }, strip))
            .collect();
        let look = |scratch: &mut Scratch, (part, strip): &mut (Part<'_>, &Strip)| {
            scratch.look(part, strip, (world.grid.nx, seen, step));
        };
        if strips.iter().map(Strip::tiles).sum::<usize>() < MANY_TILES {
            let mut scratch = Scratch::default();
            parts.iter_mut().for_each(|part| look(&mut scratch, part));
        } else {
            parts.par_iter_mut().for_each_init(Scratch::default, look);
        }
    }

    /// Forgets which world was looked at last, not what was seen: the next look goes over all lava.
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

/// Sums over the heights of the tiles of a strip.
#[derive(Default)]
struct Scratch {
    /// A bit for each tile along x that is looked at.
    columns: Vec<u64>,
    /// For each tile along x, the amount and the largest energy of its 32 columns.
    tiles: Vec<([u32; 32], [u16; 32])>,
}

impl Scratch {
    /// Takes up what changed in a strip since `seen` cells had been written by hand.
    fn look(&mut self, part: &mut Part<'_>, strip: &Strip, (nx, seen, step): (usize, Option<u64>, u32)) {
        self.columns.resize(strip.width, 0);
        match seen {
            Some(writes) if !strip.changed_columns(writes, &mut self.columns) => return,
            Some(_) => {}
            None => self.columns.fill(u64::MAX),
        }
        self.add_up(strip);
        for (tx, (amounts, energies)) in self.tiles.iter().enumerate() {
            if self.columns[tx / 64] >> (tx % 64) & 1 == 0 {
                continue;
            }
            for lane in (0..32).filter(|&lane| amounts[lane] > 0) {
                // Lanes outside of the box are empty.
                let column = lane / TILE_X * nx + tx * TILE_X + lane % TILE_X;
                part.arrival[column] = part.arrival[column].min(step);
                part.thickest[column] = part.thickest[column].max(amounts[lane]);
                part.peak_energy[column] = part.peak_energy[column].max(energies[lane]);
            }
        }
    }

    /// Adds up the tiles of the marked columns.
    fn add_up(&mut self, strip: &Strip) {
        self.tiles.clear();
        self.tiles.resize(strip.count, ([0; 32], [0; 32]));
        let Self { columns, tiles } = self;
        for y in strip.held.range() {
            for (tx, tile) in strip.tiles_among(y, |w| columns[w]) {
                let (amounts, energies) = &mut tiles[tx];
                for lane in 0..32 {
                    amounts[lane] += u32::from(tile.amount.0[lane]);
                    energies[lane] = energies[lane].max(tile.energy.0[lane]);
                }
            }
        }
    }
}
