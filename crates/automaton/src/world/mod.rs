//! State of the automaton: the ground and one layer per material over the same grid, with an
//! account for every layer. Contains no rules and no rendering.

mod activity;
mod clock;
mod content;
mod displace;
mod edit;
mod flood;
mod grains;
mod ground;
mod hash;
mod layer;
mod ledger;
mod masks;
mod mirrors;
mod need;
mod packed;
pub mod quantity;
mod react;
mod record;
mod resting;
mod rows;
mod settled;
mod shape;
mod tiles;
mod wake;

pub(crate) use activity::{Activities, Activity};
pub use clock::{Changes, Cursor, Reading};
pub use content::Content;
pub use displace::BYTES_A_CELL as BYTES_A_DISPLACED_CELL;
pub use edit::{Breath, Edit, Matter};
pub use flood::MOST_FLOODED;
pub use grains::{Barriers, Words, denser, lighter_grains};
pub use ground::Ground;
pub use ground::{GroundChanges, GroundCursor, GroundStrip};
pub use lavoxel_base::measure::{CellMeasure, ColumnMeasure};
pub use layer::{Layer, Span, Tally};
pub use ledger::{ElementAccount, EnergyLedger, Ledger};
pub(crate) use masks::Masks;
pub(crate) use mirrors::Mirrors;
pub use need::TRACED;
pub use packed::PackedLayer;
pub use quantity::{ColumnQuantity, Quantity, UnknownQuantity};
pub use react::ReactionTerm;
pub(crate) use record::Reads;
pub use rows::Rows;
pub(crate) use settled::{Reader, RuleNumbers, Traced};
pub use shape::Shape;
pub use tiles::Tile;
pub use tiles::{AMOUNT, ENERGY, Strip, TileRow};

pub use std::collections::BTreeMap;

use lavoxel_base::parallel::*;

use crate::matter::{Capacity, Material};
use lavoxel_base::grid::tile::{TILE_X, TILE_Z};
use lavoxel_base::grid::{Grid, Place};
use lavoxel_base::random::mix64;
use lavoxel_base::units::{AMOUNT_ONE, ENERGY_ONE};

/// Ground and material layers over one grid.
///
/// Each material is a [`Layer`] with its own account, in the order still matter, grains, fluids,
/// each group by decreasing density. A layer can only use the cell volume that earlier layers leave
/// free. The lava layer always exists. Empty layers are stored sparsely and take little memory.
#[derive(Clone, Debug)]
pub struct World {
    #[doc(hidden)]
    pub grid: Grid,
    #[doc(hidden)]
    pub ground: Ground,
    #[doc(hidden)]
    pub layers: Vec<Layer>,
    /// Index of the lava layer in `layers`.
    lava: usize,
    /// Rule that says how much matter of all layers a cell can contain.
    pub(crate) capacity: Capacity,
    /// Set of layers whose contents are copied from another model (the flow), which keeps their
    /// account.
    mirrors: Mirrors,
}

impl World {
    /// Creates a world over `ground` with a lava layer without matter and no other materials.
    pub fn new(ground: Ground) -> Self {
        Self::with_materials(ground, Vec::new())
    }

    /// Creates a world over `ground` with one layer without matter for the lava and for each of
    /// `materials`, whose names must be unique; layers are in the order of [`Material::with_lava`].
    pub fn with_materials(ground: Ground, materials: Vec<Material>) -> Self {
        let materials = Material::with_lava(materials);
        let (grid, last) = (ground.grid(), materials.len() - 1);
        let layer = |(i, material)| Layer::empty(grid, material, i < last);
        let lava = materials
            .iter()
            .position(Material::carries_energy)
            .expect("with_lava puts it there");
        let mut layers: Vec<_> = materials.into_iter().enumerate().map(layer).collect();
        let fluids = layers
            .iter()
            .position(Layer::is_fluid)
            .expect("the lava is one");
        let (grains, fluids) = layers.split_at_mut(fluids);
        for fluid in fluids {
            fluid.let_grains_read(grains.iter().any(|layer| layer.is_carried_by(fluid)));
        }
        Self {
            grid,
            ground,
            layers,
            lava,
            capacity: Capacity::Shared,
            mirrors: Mirrors::default(),
        }
    }

    /// Sets the rule that says how much matter of all layers a cell can contain to `capacity`; must
    /// be called before any matter is placed.
    #[must_use]
    pub fn with_capacity(self, capacity: Capacity) -> Self {
        Self { capacity, ..self }
    }

    /// Returns the complete state of the world: ground and layers. All other fields follow from the
    /// scene.
    pub fn held(&self) -> (&Ground, &[Layer]) {
        let Self {
            grid: _,
            ground,
            layers,
            lava: _,
            capacity: _,
            mirrors: _,
        } = self;
        (ground, layers)
    }

    /// Grid of the world: number of cells along x, y and z.
    pub fn grid(&self) -> Grid {
        self.grid
    }

    /// Ground of the world: solid cells and surface heights.
    pub fn ground(&self) -> &Ground {
        &self.ground
    }

    /// All layers of the world, in the order of [`Material::with_lava`].
    pub fn layers(&self) -> &[Layer] {
        &self.layers
    }

    /// Returns the layer of the material called `name`; `None` if the world has no such material.
    pub fn layer(&self, name: &str) -> Option<&Layer> {
        self.layers.iter().find(|layer| layer.material.name == name)
    }

    /// Returns the index of the layer of the material called `name`; `None` if the world has no
    /// such material.
    pub fn number_of(&self, name: &str) -> Option<usize> {
        self.layers
            .iter()
            .position(|layer| layer.material.name == name)
    }

    /// Iterates over the materials of the world, in the order of the layers.
    pub fn materials(&self) -> impl Iterator<Item = &Material> {
        self.layers().iter().map(Layer::material)
    }

    /// Layer that contains the lava.
    pub fn lava(&self) -> &Layer {
        &self.layers[self.lava]
    }

    /// Index of the lava's layer.
    pub fn number_of_lava(&self) -> usize {
        self.lava
    }

    /// Volume of the cell `place` that denser layers take from the layer with index `layer`, in
    /// units of amount; at most a full cell.
    pub fn heavier_than(&self, layer: usize, place: Place) -> u16 {
        let sum: u32 = self.layers[..self.capacity.layers_above(layer)]
            .iter()
            .map(|heavier| u32::from(heavier.at(place).amount))
            .sum();
        sum.min(AMOUNT_ONE.into()) as u16
    }

    /// Largest amount that a cell of the layer with index `layer` can store, in units: a full cell
    /// for lava if no denser layer shares the cell volume; just below 2 full cells for all other
    /// matter, which pressure can compress.
    pub fn most_of(&self, layer: usize) -> u16 {
        if layer == self.lava && self.capacity.layers_above(layer) == 0 {
            AMOUNT_ONE
        } else {
            u16::MAX
        }
    }

    /// Creates a world for benchmarks, without ground: the lowest `share` (0–1) of the height
    /// contains random amounts of 0.5 to 1 cell of lava with full energy, so that every cell can
    /// move. This is the worst case for an engine.
    pub fn restless(grid: Grid, share: f64) -> Self {
        let mut world = Self::new(Ground::none(grid));
        let height = (grid.ny as f64 * share) as usize;
        for place in grid.places().filter(|&[_, y, _]| y < height) {
            let random = (mix64(grid.index(place) as u64) >> 50) as u16;
            world.place(place, AMOUNT_ONE / 2 + random, ENERGY_ONE);
        }
        world.open_account();
        world
    }

    /// Creates a world for benchmarks, without ground: the cells at height 0 are full of lava whose
    /// energy is too low to move, so that the state never changes.
    pub fn at_rest(grid: Grid) -> Self {
        let mut world = Self::new(Ground::none(grid));
        for z in 0..grid.nz {
            (0..grid.nx).for_each(|x| world.place([x, 0, z], AMOUNT_ONE, 1));
        }
        world.open_account();
        world
    }

    /// Puts lava into a cell of the initial state: `amount` and `energy` in units. Does nothing in
    /// a solid cell; the energy is dropped if `amount` is 0. Call [`World::open_account`]
    /// afterwards to include the lava in the account.
    pub fn place(&mut self, place: Place, amount: u16, energy: u16) {
        if amount > 0 && !self.ground.is_solid(place) {
            self.layers[self.lava].set(
                place,
                Content {
                    amount: amount.min(AMOUNT_ONE),
                    energy,
                },
            );
        }
    }

    /// Returns the ground, the denser layers whose matter reduces the cell volume for the layer
    /// with index `layer`, and that layer itself.
    pub(crate) fn split(&mut self, layer: usize) -> (&Ground, &[Layer], &mut Layer) {
        let (heavier, rest) = self.layers.split_at_mut(layer);
        let heavier = &heavier[..self.capacity.layers_above(layer)];
        (&self.ground, heavier, &mut rest[0])
    }

    /// Resets the account of every layer that does not mirror another model: the present contents
    /// of the simulation box become the initial contents, and all other sums 0.
    pub fn open_account(&mut self) {
        for layer in self.accounted_mut() {
            let Ledger {
                crushed, refused, ..
            } = layer.ledger;
            layer.ledger = Ledger {
                crushed,
                refused,
                ..Ledger::open(layer.mass(), layer.energy())
            };
        }
    }

    /// Checks the invariants of conservation and storage that hold after every step, layer by
    /// layer.
    ///
    /// 1. In every layer that has an account of its own, mass now + outflow + solidified + removed
    ///    = initial + sourced, to the unit; the same for energy, with the energy lost to friction.
    /// 2. Reactions produce as much of every element as they consume.
    /// 3. No amount of lava is above one where no layer takes room from it, no liquid is in a solid
    ///    cell, no energy is without liquid.
    ///
    /// # Errors
    /// If an invariant is violated; the error names the first one found.
    pub fn check(&self) -> Result<(), String> {
        let named = |layer: &Layer, fault| format!("{}: {fault}", layer.material.name);
        let mut numbered = self.layers.iter().enumerate();
        numbered.try_for_each(|(i, layer)| {
            self.check_layer(i, layer)
                .map_err(|fault| named(layer, fault))
        })?;
        let unbalanced = self
            .elements()
            .into_iter()
            .find(|(_, account)| account.used != account.made);
        unbalanced.map_or(Ok(()), |(element, account)| {
            Err(format!("element {element}: {account:?}"))
        })
    }

    /// Returns the account of each chemical element that the materials declare, keyed by the
    /// element's name; sums are in units of amount times the element's number in the material.
    pub fn elements(&self) -> BTreeMap<&str, ElementAccount> {
        let mut accounts = BTreeMap::<&str, ElementAccount>::new();
        for (number, layer) in self.layers.iter().enumerate() {
            // The mirrored model keeps the account of a mirror; here only its reactions count.
            let (ledger, is_mirror) = (layer.ledger, self.is_mirror(number));
            let reacts = Ledger {
                sourced: ledger.used,
                outflow: ledger.made,
                ..ledger.reacted()
            };
            let ledger = if is_mirror { reacts } else { ledger };
            let mass = if layer.material.elements.is_empty() || is_mirror {
                0
            } else {
                layer.mass()
            };
            for (element, &parts) in &layer.material.elements {
                accounts
                    .entry(element)
                    .or_default()
                    .add(&ledger, mass, parts.into());
            }
        }
        accounts
    }

    fn check_layer(&self, number: usize, layer: &Layer) -> Result<(), String> {
        layer
            .strips
            .par_iter()
            .enumerate()
            .try_for_each(|(tz, strip)| {
                strip.iter().try_for_each(|(tx, y, tile)| {
                    (0..32).try_for_each(|lane| {
                        let place = [tx * TILE_X + lane % TILE_X, y, tz * TILE_Z + lane / TILE_X];
                        self.check_cell(layer, place, tile.cell(lane))
                    })
                })
            })?;
        if self.is_mirror(number) {
            return Ok(());
        }
        layer.ledger.check(layer.mass(), layer.energy())
    }

    fn check_cell(&self, layer: &Layer, place: Place, cell: Content) -> Result<(), String> {
        if cell == Content::default() {
            return Ok(());
        }
        let [x, y, z] = place;
        let fault = if x >= self.grid.nx || z >= self.grid.nz {
            "liquid outside of the box"
        } else if layer.carries_energy() && cell.amount > self.most_of(self.lava) {
            "more than a full cell"
        } else if cell.amount > 0 && self.ground.is_solid(place) {
            "liquid in a solid cell"
        } else if cell.amount == 0 && cell.energy > 0 {
            "energy without liquid"
        } else if layer.is_grains() && cell.amount != AMOUNT_ONE {
            "no whole grain"
        } else if layer.is_grains() && self.is_shared(place) {
            "two grains"
        } else {
            return Ok(());
        };
        Err(format!("{fault} in cell ({x}, {y}, {z}): {cell:?}"))
    }
}
