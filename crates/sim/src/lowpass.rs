//! Low-pass filter (paper, section 5): converts amounts into a smoothed 8-bit density for
//! rendering. After a step, only cells within the kernel's reach of a change are filtered again.
//!
//! The kernel is binomial, (1 2 1)/4 along each axis. **Decided:** solid cells and cells outside
//! the simulation box have no weight; the remaining weights are normalized to one. Density
//! therefore does not decrease towards the ground, and reaches one cell into the rock, where the
//! drawn terrain hides its end. Module `clear` filters media that transmit light, by slightly
//! different rules.

mod air;
mod bricks;
mod changes;
mod clear;
mod crust;
mod layer_changes;
mod rows;
mod thin;

use std::ops::Range;
use std::sync::Arc;

use ndarray::{ArrayRef, ArrayView3, Ix3};

use lavoxel_base::parallel::*;

pub use self::air::AirVolume;
pub use self::bricks::Bricks;
use self::changes::SlabChanges;
pub use self::changes::{BRICK, Change};
use self::clear::{ClearFilter, Matter, Rows as AroundRow};
pub use self::crust::CrustMap;
use self::crust::Crusts;
use self::layer_changes::{Around, LayerChanges, LayerCursor};
pub use self::rows::RowFilter;
use crate::state::StateRef;
use lavoxel_air::Air;
use lavoxel_automaton::matter::Material;
use lavoxel_automaton::view::MaterialLook;
use lavoxel_automaton::world::{Layer, Span, World};
use lavoxel_base::grid::tile::TILE_X;
use lavoxel_base::grid::{Grid, MAX_SIDE};
use lavoxel_base::memory::MemoryEstimate;
use lavoxel_base::stamp;
pub use lavoxel_base::units::ENERGY_SHOWN;
use lavoxel_base::units::{AMOUNT_ONE, ENERGY_ONE};
use lavoxel_base::validate::{Invalid, within};

/// Upper bound on the number of cells of a box that can be rendered, because the fields are dense
/// arrays with two bytes per cell.
pub const MAX_CELLS: usize = 1 << 29;

/// Low-passed (smoothed) fields of a world for volume rendering: 8 bits per cell, in the order of
/// [`Grid::index`].
#[derive(Clone, Debug, PartialEq)]
pub struct Volume {
    /// Number of cells along x, y and z of all fields.
    pub grid: Grid,
    /// Low-passed amount of lava per cell; 255 means a full cell.
    pub density: Vec<u8>,
    /// Low-passed energy of the lava per cell, as a total and not per amount of lava; 255 means
    /// [`ENERGY_SHOWN`].
    pub energy: Vec<u8>,
    /// Fields of the materials other than lava.
    pub media: Vec<Medium>,
    /// Ash, steam and inks in the air; `None` if the air contains none of these.
    pub air: Option<Arc<AirVolume>>,
    /// Surface temperature of the lava; `None` if the model computes no crust.
    pub crust: Option<Arc<CrustMap>>,
}

/// Low-passed (smoothed) field of one material other than lava.
#[derive(Clone, Debug, PartialEq)]
pub struct Medium {
    /// Name of the material.
    pub name: String,
    /// Appearance of the material in pictures.
    pub look: MaterialLook,
    /// Low-passed amount per cell, in the order of [`Grid::index`]; 255 means a full cell. A
    /// falling liquid gets at least the density at which its surface (level 1/2) is drawn; a built
    /// material keeps its amount unfiltered. Empty until the material first appears.
    pub density: Vec<u8>,
}

impl Volume {
    /// Creates the volume of an empty box of shape `grid`.
    pub fn empty(grid: Grid) -> Self {
        let none = || vec![0; grid.cells()];
        Self {
            grid,
            density: none(),
            energy: none(),
            media: Vec::new(),
            air: None,
            crust: None,
        }
    }

    /// Creates a volume from arrays of lava density (1: full cell) and lava energy per cell, shape
    /// (z, y, x), with z to the south, y up and x to the east. Densities are clamped to 0..=1 and
    /// energies to 0..=[`ENERGY_SHOWN`]; NaN becomes 0.
    ///
    /// # Errors
    /// If the shapes differ, an axis is empty or longer than [`MAX_SIDE`], or the simulation box
    /// has more than [`MAX_CELLS`] cells.
    pub fn from_arrays(
        density: &ArrayRef<f32, Ix3>,
        energy: &ArrayRef<f32, Ix3>,
    ) -> Result<Self, Invalid> {
        let (nz, ny, nx) = density.dim();
        if energy.dim() != density.dim() {
            let shapes = format!("{:?} and {:?}", density.shape(), energy.shape());
            return Err(Invalid::new(
                "shape of density and energy",
                shapes,
                "the same for both",
            ));
        }
        for n in [nx, ny, nz] {
            within("side of a volume", n as f64, 1.0, MAX_SIDE as f64)?;
        }
        let grid = Grid::new(nx, ny, nz);
        LowPass::check(grid)?;
        Ok(Self {
            grid,
            density: bytes(density, 1.0),
            energy: bytes(energy, ENERGY_SHOWN),
            media: Vec::new(),
            air: None,
            crust: None,
        })
    }

    /// Adds the material `name` with the given densities (1: full cell), shape (z, y, x), clamped
    /// to 0..=1. Where lava and the material overlap, the lava is drawn.
    ///
    /// # Errors
    /// If the shape differs from that of this volume, or a value of the look is out of range.
    pub fn with_medium(
        mut self,
        name: &str,
        look: MaterialLook,
        density: &ArrayRef<f32, Ix3>,
    ) -> Result<Self, Invalid> {
        look.validate(&format!("material.{name}.look"))?;
        let Grid { nx, ny, nz } = self.grid;
        if density.dim() != (nz, ny, nx) {
            let shape = format!("{:?}", density.shape());
            return Err(Invalid::new(
                &format!("shape of {name}"),
                shape,
                format!("that of the volume, {:?}", (nz, ny, nx)),
            ));
        }
        self.media.push(Medium {
            name: name.to_owned(),
            look,
            density: bytes(density, 1.0),
        });
        Ok(self)
    }

    /// Returns the low-passed amount of lava, shape (z, y, x); 255 means a full cell.
    pub fn densities(&self) -> ArrayView3<'_, u8> {
        self.view(&self.density)
    }

    /// Returns the low-passed energy of the lava per cell, shape (z, y, x); 255 means
    /// [`ENERGY_SHOWN`].
    pub fn energies(&self) -> ArrayView3<'_, u8> {
        self.view(&self.energy)
    }

    /// Returns the fields of the lava.
    pub fn lava(&self) -> Fields<'_> {
        Fields {
            grid: self.grid,
            density: &self.density,
            energy: &self.energy,
        }
    }

    fn view<'a>(&self, field: &'a [u8]) -> ArrayView3<'a, u8> {
        let Grid { nx, ny, nz } = self.grid;
        ArrayView3::from_shape((nz, ny, nx), field).expect("a field has a value for each cell")
    }
}

/// Borrowed low-passed fields of lava or another material, in the order of [`Grid::index`].
#[derive(Clone, Copy, Debug)]
pub struct Fields<'a> {
    /// Number of cells along x, y and z of both fields.
    pub grid: Grid,
    /// Low-passed amount per cell; 255 means a full cell.
    pub density: &'a [u8],
    /// Low-passed energy per cell; 255 means [`ENERGY_SHOWN`]. Empty for a material without energy.
    pub energy: &'a [u8],
}

impl Medium {
    /// Creates the field of `material` without cells, for a material that the world does not
    /// contain yet.
    fn absent(material: &Material) -> Self {
        Self {
            name: material.name.clone(),
            look: material.look.clone(),
            density: Vec::new(),
        }
    }

    /// Returns the field of the material; `None` while the material is absent. `grid`: shape of the
    /// volume.
    pub fn fields(&self, grid: Grid) -> Option<Fields<'_>> {
        (!self.density.is_empty()).then_some(Fields {
            grid,
            density: &self.density,
            energy: &[],
        })
    }
}

/// Converts the values of `field` from 0..=`most` to 0..=255, rounded to nearest and clamped.
fn bytes(field: &ArrayRef<f32, Ix3>, most: f32) -> Vec<u8> {
    // The cast clamps to 0..=255 and turns NaN into 0.
    field
        .iter()
        .map(|value| (value / most * 255.0).round() as u8)
        .collect()
}

/// Position of a reader of changes: identifies a call of `LowPass::take_changes_since`, so that the
/// next call can tell if a different call took changes in between.
#[derive(Debug, PartialEq, Eq)]
pub struct VolumeCursor {
    /// Identifier of the `LowPass` on which the call was made.
    stamp: u64,
    /// Number of calls on that `LowPass` up to and including this call.
    taken: u64,
}

impl VolumeCursor {
    fn first() -> Self {
        Self {
            stamp: stamp::new(),
            taken: 0,
        }
    }
}

impl Clone for VolumeCursor {
    /// Returns a copy with a new identifier: cursors of the original filter do not apply to the
    /// copy, because the two filters change independently.
    fn clone(&self) -> Self {
        Self::first()
    }
}

/// Cells of a volume that changed since the previous call of `LowPass::take_changes_since`.
#[derive(Debug)]
pub struct TakenChanges {
    /// Changed cells of the lava's fields.
    pub lava: Vec<Change>,
    /// Changed cells of the materials other than lava, one list per material in the order of
    /// [`Volume::media`].
    pub media: Vec<Vec<Change>>,
}

/// Filter that computes the [`Volume`] of a world and updates the volume after each step where the
/// world changed.
#[derive(Clone, Debug)]
pub struct LowPass {
    cursor: VolumeCursor,
    volume: Volume,
    /// Read position in the change record of each layer when it was last filtered; `None` before
    /// the first time.
    cursors: Vec<Option<LayerCursor>>,
    filtered: usize,
    /// For each row along x, at index `z · ny + y`, a range of cells that contains all cells with
    /// nonzero lava fields.
    shown: Vec<Span>,
    /// Changed cells of the lava's fields since these were last taken, one list per slab (constant
    /// z).
    changed: Vec<SlabChanges>,
    /// Filters of the materials other than lava, in the order of [`Volume::media`].
    clear: Vec<ClearFilter>,
    /// Version of the air for which [`Volume::air`] was computed; `None` without air.
    air: Option<u64>,
    /// Writer of [`Volume::crust`].
    crusts: Crusts,
}

impl LowPass {
    /// Creates a low-pass filter for boxes of shape `grid`, with empty fields.
    pub fn new(grid: Grid) -> Self {
        let (shown, changed) = (
            vec![Span::EMPTY; grid.ny * grid.nz],
            vec![SlabChanges::default(); grid.nz],
        );
        let volume = Volume::empty(grid);
        Self {
            cursor: VolumeCursor::first(),
            volume,
            cursors: Vec::new(),
            filtered: 0,
            shown,
            changed,
            clear: Vec::new(),
            air: None,
            crusts: Crusts::default(),
        }
    }

    /// Estimates the memory of a low-pass filter for a box of shape `grid`, with lava as the only
    /// material.
    pub fn need(grid: Grid) -> MemoryEstimate {
        let changes = (SlabChanges::most(grid.ny) * size_of::<Change>()) as f64 / grid.ny as f64;
        let rows = MemoryEstimate::new(
            "the rows of the low-pass",
            grid.ny * grid.nz,
            size_of::<Span>() as f64 + changes,
        );
        let cursor = MemoryEstimate::new(
            "the low-pass's versions of the ground",
            grid.columns(),
            0.25,
        );
        MemoryEstimate::new("the low-pass", grid.cells(), 2.0)
            .and(rows)
            .and(cursor)
    }

    /// Estimates the additional memory for `media` materials other than lava, once all of these are
    /// present.
    pub fn need_of_media(grid: Grid, media: usize) -> MemoryEstimate {
        // Each thread copies the rows around the row that it writes. Asking rayon for its threads
        // would start the pool before the program has chosen their number.
        let threads = if media > 0 {
            std::thread::available_parallelism().map_or(1, usize::from)
        } else {
            0
        };
        let copies = AroundRow::length(grid) * threads;
        MemoryEstimate::new(
            "the low-pass of the other materials",
            grid.cells(),
            1.0 * media as f64,
        )
        .and(MemoryEstimate::new(
            "its rows",
            grid.ny * grid.nz,
            20.0 * media as f64,
        ))
        .and(MemoryEstimate::new(
            "its versions of the ground",
            grid.columns(),
            0.25 * media as f64,
        ))
        .and(MemoryEstimate::new(
            "the amounts around its rows",
            copies,
            AroundRow::BYTES_A_CELL as f64,
        ))
    }

    /// Estimates the memory of the ash and steam fields of an air with `cells` cells.
    pub fn need_of_air(cells: usize) -> MemoryEstimate {
        MemoryEstimate::new("what the air carries", cells, AirVolume::BYTES_A_CELL)
    }

    /// Checks that a box of shape `grid` has at most [`MAX_CELLS`] cells.
    pub fn check(grid: Grid) -> Result<(), Invalid> {
        if grid.cells() <= MAX_CELLS {
            return Ok(());
        }
        let size = format!("{:?}", [grid.nx, grid.ny, grid.nz]);
        Err(Invalid::new(
            "grid.size",
            size,
            format!("at most {MAX_CELLS} cells in all to be drawn as a volume"),
        ))
    }

    /// Returns for each row along x, at index `z · ny + y`, a range of cells that contains all
    /// cells with nonzero lava fields.
    pub fn rows(&self) -> &[Span] {
        &self.shown
    }

    /// Returns the fields as computed by the last `LowPass::refresh`.
    pub fn volume(&self) -> &Volume {
        &self.volume
    }

    /// Returns the cells whose lava density or energy changed since the last call (at the first
    /// call, since the volume was empty), and clears the list. After many refreshes without a call,
    /// changes may overlap and may include unchanged cells.
    pub fn take_changes(&mut self) -> Vec<Change> {
        self.cursor.taken += 1;
        let mut changes = Vec::new();
        self.changed
            .iter_mut()
            .for_each(|slab| slab.append_to(&mut changes));
        changes
    }

    /// Returns the changed cells of the material [`Volume::media`]`[medium]` since the last call
    /// for this material, and clears its list; the lava's list is unchanged.
    pub fn take_changes_of(&mut self, medium: usize) -> Vec<Change> {
        let mut changes = Vec::new();
        self.clear[medium]
            .changed
            .iter_mut()
            .for_each(|slab| slab.append_to(&mut changes));
        changes
    }

    /// Returns for each row along x, at index `z · ny + y`, a range of cells that contains all
    /// cells in which the field of [`Volume::media`]`[medium]` is nonzero; empty while the material
    /// is absent.
    pub fn rows_of(&self, medium: usize) -> &[Span] {
        &self.clear[medium].shown
    }

    /// Returns all cells that changed since the call that set `last`, and clears all lists. `None`
    /// if changes were missed: a different call came in between, or `last` belongs to another
    /// filter. Sets `last` to the cursor of this call in every case.
    pub fn take_changes_since(&mut self, last: &mut Option<VolumeCursor>) -> Option<TakenChanges> {
        let known = last.as_ref() == Some(&self.cursor);
        let lava = self.take_changes();
        let changes = TakenChanges {
            lava,
            media: (0..self.clear.len())
                .map(|k| self.take_changes_of(k))
                .collect(),
        };
        *last = Some(VolumeCursor {
            stamp: self.cursor.stamp,
            taken: self.cursor.taken,
        });
        known.then_some(changes)
    }

    /// Returns the number of cells whose values the last `LowPass::refresh` computed.
    pub fn filtered(&self) -> usize {
        self.filtered
    }

    /// Updates the volume: computes the cells within reach of the kernel from any change of layers
    /// or ground since the last refresh. The first refresh, and a refresh with a different world,
    /// computes all cells within reach of present or previous matter.
    pub fn refresh<'a>(&mut self, state: impl Into<StateRef<'a>>) -> &Volume {
        let state: StateRef<'_> = state.into();
        let world = state.world;
        self.cursors.resize(world.layers().len(), None);
        let layers = self.cursors.iter_mut().zip(world.layers());
        let changes: Vec<_> = layers
            .map(|(cursor, layer)| LayerChanges::since(cursor, layer, world.ground()))
            .collect();
        let lava = world
            .layers()
            .iter()
            .position(Layer::carries_energy)
            .map(|lava| &changes[lava]);
        self.filtered = lava
            .filter(|changes| !changes.is_empty())
            .map_or(0, |changes| self.filter(world, changes));
        self.filtered += self.refresh_media(world, &changes);
        self.refresh_air(state.air);
        self.volume.crust = self.crusts.refresh(state.flow);
        &self.volume
    }

    /// Recomputes the fields of the air if the version of `air` changed.
    fn refresh_air(&mut self, air: Option<&Air>) {
        let version = air.map(|air| air.amounts().version());
        if version != self.air {
            self.volume.air = air.and_then(AirVolume::from_air).map(Arc::new);
            self.air = version;
        }
    }

    /// Filters the materials other than lava in the cells near `changes` (one entry per layer).
    /// Returns the number of computed cells.
    fn refresh_media(&mut self, world: &World, changes: &[LayerChanges<'_>]) -> usize {
        let layers = || {
            world
                .layers()
                .iter()
                .enumerate()
                .filter(|(_, layer)| !layer.carries_energy())
        };
        let same =
            |(medium, (_, layer)): (&Medium, (usize, &Layer))| medium.name == layer.material().name;
        let (media, clear) = (&mut self.volume.media, &mut self.clear);
        if layers().count() != media.len() || !media.iter().zip(layers()).all(same) {
            *media = layers()
                .map(|(_, layer)| Medium::absent(layer.material()))
                .collect();
            clear.clear();
            clear.resize_with(media.len(), ClearFilter::default);
        }
        let filters = clear.iter_mut().zip(media).zip(layers());
        filters
            .map(|((filter, medium), (number, layer))| {
                medium.look.clone_from(&layer.material().look);
                let matter = Matter {
                    ground: world.ground(),
                    layer,
                    heavier: &world.layers()[..number],
                };
                let changes: Vec<_> = changes[..=number].iter().collect();
                filter.refresh(&matter, &changes, medium)
            })
            .sum()
    }

    /// Filters the lava in the cells near `changes`. Returns the number of computed cells.
    fn filter(&mut self, world: &World, changes: &LayerChanges<'_>) -> usize {
        let (grid, layer) = (world.grid(), world.number_of_lava());
        self.shown
            .par_chunks_mut(grid.ny)
            .zip(&mut self.changed)
            .zip(self.volume.density.par_chunks_mut(grid.slab()))
            .zip(self.volume.energy.par_chunks_mut(grid.slab()))
            .enumerate()
            .map_init(
                || Taps {
                    layer,
                    ..Taps::default()
                },
                |taps, (z, (((shown, changed), density), energy))| {
                    Slab {
                        z,
                        shown,
                        changed,
                        density,
                        energy,
                    }
                    .filter(taps, world, &changes.near_slab(grid, z, 1))
                },
            )
            .sum()
    }
}

/// Lava fields of one slab of cells (constant z), with its lists of nonzero and of changed cells,
/// borrowed mutably.
struct Slab<'a> {
    z: usize,
    shown: &'a mut [Span],
    changed: &'a mut SlabChanges,
    density: &'a mut [u8],
    energy: &'a mut [u8],
}

impl Slab<'_> {
    /// Filters the cells of this slab near the changes `around`, with `taps` as buffer. Returns the
    /// number of computed cells.
    fn filter(&mut self, taps: &mut Taps, world: &World, around: &Around<'_>) -> usize {
        let (grid, known) = (world.grid(), around.is_known());
        let rows = if known { around.rows() } else { 0..grid.ny };
        if rows.is_empty() {
            return 0;
        }
        taps.read_spans(world, rows.clone(), self.z);
        let mut filtered = 0;
        for y in rows {
            let reached = taps.reach(grid, y);
            // Cells that were reached before must be cleared where no lava is within reach now.
            let stale = std::mem::replace(&mut self.shown[y], reached).union(reached);
            let row = y * grid.nx..(y + 1) * grid.nx;
            let (density, energy) = (&mut self.density[row.clone()], &mut self.energy[row]);
            let mut filter = |span: Span| {
                let changed = |x| self.changed.add(self.z * grid.ny + y, x);
                taps.filter_row(
                    world,
                    (y, self.z),
                    span,
                    (&mut *density, &mut *energy),
                    changed,
                );
                filtered += span.range().len();
            };
            if known {
                around.spans(y, !stale.is_empty()).for_each(filter);
            } else if !stale.is_empty() {
                filter(stale);
            }
        }
        self.changed.shorten(grid);
        filtered
    }
}

/// Iterates over the row (`y`, `z`) and its up to eight neighbours in the simulation box, as (y, z,
/// weight of the row in the kernel).
fn rows_around(grid: Grid, y: usize, z: usize) -> impl Iterator<Item = (usize, usize, u32)> {
    let near = |v: usize, n: usize| {
        (v.saturating_sub(1)..=(v + 1).min(n - 1)).map(move |w| (w, if w == v { 2 } else { 1 }))
    };
    near(z, grid.nz).flat_map(move |(z, weight_z)| {
        near(y, grid.ny).map(move |(y, weight_y)| (y, z, weight_y * weight_z))
    })
}

/// Kernel-weighted sums over the 3 × 3 rows around one row, for each x: open cells, amounts and
/// energies.
#[derive(Default)]
struct Taps {
    /// Index of the layer that is filtered.
    layer: usize,
    weight: Vec<u32>,
    amount: Vec<u32>,
    energy: Vec<u32>,
    /// For each y, the range of cells along x that contain material of the layer in the slab or its
    /// two neighbours; valid for the rows of the last `Taps::read_spans`.
    held: Vec<Span>,
}

impl Taps {
    /// Stores in `held` the ranges of cells with material, for the rows `ys` of the slab `z` and
    /// the rows next to them.
    fn read_spans(&mut self, world: &World, ys: Range<usize>, z: usize) {
        let grid = world.grid();
        self.held.resize(grid.ny, Span::EMPTY);
        for y in ys.start.saturating_sub(1)..(ys.end + 1).min(grid.ny) {
            let slabs = z.saturating_sub(1)..(z + 2).min(grid.nz);
            self.held[y] = slabs.fold(Span::EMPTY, |span, z| {
                span.union(world.layers()[self.layer].span(y, z))
            });
        }
    }

    /// Returns the range of cells along x in row `y` that lie within the kernel's reach of cells
    /// with material; valid for the rows of the last `Taps::read_spans`.
    fn reach(&self, grid: Grid, y: usize) -> Span {
        let near = &self.held[y.saturating_sub(1)..(y + 2).min(grid.ny)];
        near.iter()
            .fold(Span::EMPTY, |span, &held| span.union(held))
            .grown(grid.nx)
    }

    /// Filters the cells `span` of the row (`y`, `z`) and stores the results in `density` and
    /// `energy`, indexed by x. Calls `changed` with the x of each cell whose value changed.
    fn filter_row(
        &mut self,
        world: &World,
        (y, z): (usize, usize),
        span: Span,
        (density, energy): (&mut [u8], &mut [u8]),
        mut changed: impl FnMut(usize),
    ) {
        let grid = world.grid();
        let wide = span.grown(grid.nx).range();
        let tiles = wide.start / TILE_X..wide.end.div_ceil(TILE_X);
        for taps in [&mut self.weight, &mut self.amount, &mut self.energy] {
            // Beyond the ends of the row the sums stay 0.
            taps.resize((grid.nx.div_ceil(TILE_X) + 2) * TILE_X, 0);
            taps[place(tiles.start * TILE_X)..place(tiles.end * TILE_X)].fill(0);
        }
        for (near_y, near_z, weight) in rows_around(grid, y, z) {
            let open = &mut self.weight[place(wide.start)..place(wide.end)];
            world
                .ground()
                .add_open((near_y, near_z), wide.start, weight, open);
            for (tx, tile) in world.layers()[self.layer].part_of_row(near_y, near_z, tiles.clone())
            {
                let from = place(tx * TILE_X);
                add_to(&mut self.amount[from..], weight, tile.amount().row(near_z));
                add_to(&mut self.energy[from..], weight, tile.energy().row(near_z));
            }
        }
        for x in span.range() {
            let across =
                |taps: &[u32]| taps[place(x) - 1] + 2 * taps[place(x)] + taps[place(x) + 1];
            let weight = across(&self.weight);
            let shades = (
                shade(across(&self.amount), weight, AMOUNT_ONE, 1.0),
                shade(across(&self.energy), weight, ENERGY_ONE, ENERGY_SHOWN),
            );
            if shades != (density[x], energy[x]) {
                (density[x], energy[x]) = shades;
                changed(x);
            }
        }
    }
}

/// Returns the index of the cell `x` in the lists of `Taps`, which begin with one tile of padding.
fn place(x: usize) -> usize {
    x + TILE_X
}

/// Adds `weight` × the values in `cells`, the eight cells of a tile's row, to the first eight
/// elements of `sums`.
fn add_to(sums: &mut [u32], weight: u32, cells: &[u16; TILE_X]) {
    // A fixed-size chunk lets the compiler add all cells at once.
    if let Some(sums) = sums.first_chunk_mut::<TILE_X>() {
        sums.iter_mut()
            .zip(cells)
            .for_each(|(sum, &cell)| *sum += weight * u32::from(cell));
    }
}

/// Converts the weighted mean `sum / weight` (in units) to 0..=255, where 255 means `shown` × `one`
/// units; rounded to nearest and clamped.
fn shade(sum: u32, weight: u32, one: u16, shown: f32) -> u8 {
    if sum == 0 {
        return 0;
    }
    // At most 64 · 65535 · 255, which fits.
    let full = weight * (f32::from(one) * shown) as u32;
    ((sum * 255 + full / 2) / full).min(255) as u8
}
