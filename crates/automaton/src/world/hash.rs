//! Hash of the complete state of a world, used to compare simulations.

use xxhash_rust::xxh3::Xxh3;

use super::{Ground, Layer, World};
use lavoxel_base::grid::tile::{TILE_X, TILE_Z};

impl World {
    /// Hash of grid, solid cells, layer contents and accounts, in a storage-independent order;
    /// identical on every machine. Flow and air are included only in `State::state_hash`.
    ///
    /// The hash is XXH3 (64 bits) of these numbers, little-endian and 8 bytes each unless stated
    /// otherwise: nx, ny, nz; the lengths of the runs of cells that are all solid or all open, in
    /// [`Grid::index`](lavoxel_base::grid::Grid::index) order, the first run solid and perhaps 0;
    /// then for each layer that holds any matter or has an account other than 0 its name in bytes,
    /// for each cell that holds any, in the same order, x, y, z, amount and, where the material
    /// carries it, energy (2 bytes each), the number of these cells, and
    /// [`Ledger::accounts`](super::Ledger::accounts).
    pub fn state_hash(&self) -> u64 {
        let mut hash = Xxh3::new();
        let (ground, layers) = self.held();
        ground.hash_into(&mut hash);
        layers.iter().for_each(|layer| layer.hash_into(&mut hash));
        hash.digest()
    }
}

impl Ground {
    /// Adds the size of the grid and the solid cells to `hash`, in the form that
    /// [`World::state_hash`] documents.
    pub fn hash_into(&self, hash: &mut Xxh3) {
        let (grid, mut add) = (self.grid(), |number: u64| {
            hash.update(&number.to_le_bytes())
        });
        [grid.nx, grid.ny, grid.nz]
            .iter()
            .for_each(|&side| add(side as u64));
        self.visit_runs(add);
    }

    /// Calls `visit` with the number of cells of each stretch of equal cells in the grid (in the
    /// order of `Grid::index`), alternately solid and open; the first stretch is solid and may have
    /// 0 cells.
    fn visit_runs(&self, mut visit: impl FnMut(u64)) {
        let grid = self.grid();
        let (mut now, mut length) = (true, 0);
        let mut add = |solid: bool, cells: usize| {
            if cells > 0 && solid != now {
                visit(length);
                (now, length) = (solid, 0);
            }
            length += cells as u64;
        };
        for z in 0..grid.nz {
            // Below the row `lowest` all is rock, and from the row `highest` on all is air.
            let (lowest, highest) = self.heights(z);
            add(true, lowest * grid.nx);
            for y in lowest..highest {
                self.runs(y, z).for_each(|(solid, cells)| add(solid, cells));
            }
            add(false, (grid.ny - highest.max(lowest)) * grid.nx);
        }
        visit(length);
    }
}

impl Layer {
    /// Returns true if the layer contains matter now or contained some earlier in the simulation.
    /// Layers without matter stay out of the hash, because the window offers more materials than
    /// its scene has.
    fn was_there(&self) -> bool {
        self.ledger.accounts().iter().any(|account| *account != 0) || self.held().next().is_some()
    }

    /// Adds the layer to `hash`, in the form that [`World::state_hash`] documents; adds nothing if
    /// the layer never contained matter.
    pub fn hash_into(&self, hash: &mut Xxh3) {
        if !self.was_there() {
            return;
        }
        hash.update(self.material.name.as_bytes());
        let (mut cells, mut bytes) = (0u64, Vec::new());
        for z in 0..self.grid.nz {
            for y in self.strips[z / TILE_Z].held.range() {
                bytes.clear();
                cells += self.write_row(y, z, &mut bytes);
                hash.update(&bytes);
            }
        }
        hash.update(&cells.to_le_bytes());
        self.ledger
            .hashed()
            .for_each(|account| hash.update(&account.to_le_bytes()));
    }

    /// Appends the non-empty cells at the given `y` and `z` to `bytes`, in the form that
    /// `World::state_hash` documents; returns the number of these cells.
    fn write_row(&self, y: usize, z: usize, bytes: &mut Vec<u8>) -> u64 {
        let (first, mut cells) = (z % TILE_Z * TILE_X, 0);
        for (tx, tile) in self.row_of_tiles(y, z) {
            for x in 0..TILE_X {
                let lane = first + x;
                if tile.amount().0[lane] == 0 {
                    continue;
                }
                let place = [tx * TILE_X + x, y, z].map(|v| v as u16);
                bytes.extend(place.iter().flat_map(|v| v.to_le_bytes()));
                tile.0
                    .iter()
                    .for_each(|lanes| bytes.extend(lanes.0[lane].to_le_bytes()));
                cells += 1;
            }
        }
        cells
    }
}

#[cfg(test)]
mod tests {
    use xxhash_rust::xxh3::Xxh3;

    use super::*;
    use crate::matter::Material;
    use crate::world::{Edit, Matter, Shape};
    use lavoxel_base::grid::{Grid, Place};
    use lavoxel_base::random::mix64;

    /// Computes the hash of the state cell by cell, as [`World::state_hash`] documents it.
    fn plain_hash(world: &World) -> u64 {
        let grid = world.grid;
        let mut hash = Xxh3::new();
        [grid.nx, grid.ny, grid.nz]
            .iter()
            .for_each(|&side| hash.update(&(side as u64).to_le_bytes()));
        let mut runs = vec![0u64];
        for place in grid.places() {
            // Runs at even positions are solid.
            if world.ground.is_solid(place) != (runs.len() % 2 == 1) {
                runs.push(0);
            }
            *runs.last_mut().expect("one at least") += 1;
        }
        runs.iter()
            .for_each(|length| hash.update(&length.to_le_bytes()));
        for layer in world.layers() {
            let is_empty = grid.places().all(|place| layer.at(place).amount == 0);
            if is_empty && layer.ledger().hashed().all(|account| account == 0) {
                continue;
            }
            hash.update(layer.material().name.as_bytes());
            let held = |&place: &Place| layer.at(place).amount > 0;
            for place in grid.places().filter(held) {
                place
                    .iter()
                    .for_each(|&v| hash.update(&(v as u16).to_le_bytes()));
                hash.update(&layer.at(place).amount.to_le_bytes());
                if layer.carries_energy() {
                    hash.update(&layer.at(place).energy.to_le_bytes());
                }
            }
            hash.update(&(grid.places().filter(held).count() as u64).to_le_bytes());
            layer
                .ledger()
                .hashed()
                .for_each(|account| hash.update(&account.to_le_bytes()));
        }
        hash.digest()
    }

    #[test]
    fn is_what_its_definition_says() {
        let sizes = [
            [1, 1, 1],
            [2, 3, 4],
            [5, 5, 1],
            [40, 70, 9],
            [700, 30, 6],
            [2500, 20, 3],
        ];
        for ([nx, ny, nz], seed) in sizes.into_iter().cycle().zip(0..24_u64) {
            let mut random = (0_u64..).map(|i| mix64(mix64(seed) ^ i) as usize);
            let mut below = |n: usize| random.next().expect("no end") % n;
            let heights =
                ndarray::Array2::from_shape_fn((nz, nx), |(z, x)| ((x / 60 + z) % 13) as f32);
            let mut world =
                World::with_materials(Ground::from_surface(ny, heights), vec![Material::water()]);
            for i in 0..below(9) {
                let from = [below(nx), below(ny), below(nz)].map(|v| v as f64);
                let water = Matter::Material {
                    name: "water".to_owned(),
                    amount: 0.7,
                };
                let lava = Matter::Lava {
                    amount: 0.4,
                    energy: 1.0,
                    temperature_k: None,
                };
                let matter = [Matter::Rock, Matter::Nothing, lava, water][i % 4].clone();
                world.edit(&Edit {
                    shape: Shape::Box {
                        from,
                        to: from.map(|v| v + 3.0),
                    },
                    matter,
                });
            }
            assert_eq!(
                world.state_hash(),
                plain_hash(&world),
                "{:?}, seed {seed}",
                Grid::new(nx, ny, nz)
            );
        }
    }
}
