//! Edits that depend on the present contents of cells: filling a hollow like a basin, and replacing
//! one material by another.

use std::collections::HashSet;

use super::{Shape, World};
use crate::world::content::Content;
use lavoxel_base::grid::Place;
use lavoxel_base::units::AMOUNT_ONE;

/// Largest number of cells of a hollow that an edit can fill; a larger hollow stays as it is.
pub const MOST_FLOODED: usize = 1 << 21;

impl World {
    /// Returns the open cells of the hollow that contains `shape`: the cells of the shape and all
    /// open cells connected with it below the top of the shape, row by row from the bottom. Empty
    /// if there are more than [`MOST_FLOODED`] cells.
    pub(crate) fn hollow(&self, shape: &Shape) -> Vec<Place> {
        let grid = self.grid;
        let top = shape.top(grid) as usize;
        let is_open = |place: &Place| place[1] < top && !self.ground.is_solid(*place);
        let mut seen: HashSet<Place> = shape.cells(grid).filter(is_open).collect();
        let mut edge: Vec<Place> = seen.iter().copied().collect();
        while let Some(place) = edge.pop() {
            for next in grid.face_neighbours(place).filter(is_open) {
                if seen.insert(next) {
                    edge.push(next);
                }
            }
            if seen.len() > MOST_FLOODED {
                return Vec::new();
            }
        }
        let mut hollow: Vec<Place> = seen.into_iter().collect();
        hollow.sort_unstable_by_key(|[x, y, z]| [*y, *z, *x]);
        hollow
    }

    /// Replaces matter in the cell `place` by an equal amount of the material of the layer with
    /// index `layer`; does nothing in a solid cell. `of`: index of the layer to replace, or `None`
    /// for all layers except those that mirror another model. `energy`: energy per full cell of the
    /// new matter, in units.
    pub(super) fn put_in_place(
        &mut self,
        place: Place,
        of: Option<usize>,
        layer: usize,
        energy: u16,
    ) {
        if self.ground.is_solid(place) {
            return;
        }
        let mirrors = self.mirrors();
        let mut amount = 0u32;
        for (number, other) in self.layers.iter_mut().enumerate() {
            if number == layer || mirrors.has(number) || of.is_some_and(|of| of != number) {
                continue;
            }
            let old = other.at(place);
            if old.amount == 0 {
                continue;
            }
            other.set(place, Content::default());
            other.ledger.removed += u64::from(old.amount);
            other.ledger.energy.removed += u64::from(old.energy);
            amount += u32::from(old.amount);
        }
        if amount == 0 {
            return;
        }
        // A grain is a whole cell, so that less than a full cell of removed matter is not replaced.
        if self.layers[layer].is_grains() {
            if amount >= u32::from(AMOUNT_ONE) && self.takes_grain(layer, place) {
                self.pour(layer, place, AMOUNT_ONE, 0);
            }
            return;
        }
        let room = self.room(layer, place);
        self.pour(layer, place, amount.min(u32::from(room)) as u16, energy);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matter::Material;
    use crate::world::{Edit, Ground, Matter};
    use lavoxel_base::grid::Grid;

    /// Creates a world with a floor, a bowl between two walls, and water and oil as materials for
    /// the bowl.
    fn world() -> World {
        let materials = ["water", "oil"].map(|name| Material {
            name: name.into(),
            ..Material::water()
        });
        let mut world =
            World::with_materials(Ground::none(Grid::new(16, 12, 8)), materials.to_vec());
        let wall = |from: [f64; 3], to: [f64; 3]| Edit {
            shape: Shape::Box { from, to },
            matter: Matter::Rock,
        };
        world.edit(&wall([0.0, 0.0, 0.0], [16.0, 1.0, 8.0]));
        for x in [4.0, 11.0] {
            world.edit(&wall([x, 1.0, 0.0], [x + 1.0, 6.0, 8.0]));
        }
        world.open_account();
        world
    }

    fn cell(x: f64, y: f64) -> Shape {
        Shape::Box {
            from: [x, y, 3.0],
            to: [x + 1.0, y + 1.0, 4.0],
        }
    }

    fn flood(shape: Shape, name: &str) -> Edit {
        Edit {
            shape,
            matter: Matter::Flood {
                name: name.to_owned(),
                amount: 1.0,
            },
        }
    }

    fn amount(world: &World, name: &str) -> u64 {
        world.layer(name).expect("it is there").tally().mass / u64::from(AMOUNT_ONE)
    }

    #[test]
    fn a_hollow_is_filled_up_to_the_top_of_the_shape_and_no_further() {
        let mut world = world();
        world.edit(&flood(cell(7.0, 4.0), "water"));
        // Six columns between the walls, eight deep, rows 1 to 4.
        assert_eq!(amount(&world, "water"), 6 * 8 * 4);
        assert!(world.check().is_ok());
        world.edit(&flood(cell(7.0, 4.0), "water"));
        assert_eq!(amount(&world, "water"), 6 * 8 * 4, "it is full");
        // Over the walls the whole box is one hollow.
        world.edit(&flood(cell(1.0, 7.0), "oil"));
        assert_eq!(
            amount(&world, "oil") + amount(&world, "water"),
            16 * 8 * 7 - 2 * 5 * 8
        );
        assert!(world.check().is_ok());
        let before = world.state_hash();
        world.edit(&flood(cell(4.0, 2.0), "oil"));
        assert_eq!(world.state_hash(), before, "rock is no hollow");
    }

    #[test]
    fn one_material_takes_the_place_of_another_and_the_account_closes() {
        let mut world = world();
        world.edit(&flood(cell(7.0, 2.0), "water"));
        let matter = |of: Option<&str>| Matter::Replace {
            of: of.map(str::to_owned),
            name: "oil".to_owned(),
        };
        let shape = || Shape::Box {
            from: [5.0, 1.0, 0.0],
            to: [8.0, 3.0, 8.0],
        };
        let before = world.state_hash();
        world.edit(&Edit {
            shape: shape(),
            matter: matter(Some("lava")),
        });
        assert_eq!(world.state_hash(), before, "there is no lava");
        world.edit(&Edit {
            shape: shape(),
            matter: matter(Some("water")),
        });
        assert_eq!(
            (amount(&world, "water"), amount(&world, "oil")),
            (3 * 8 * 2, 3 * 8 * 2)
        );
        world.edit(&Edit {
            shape: Shape::Below { level: 9.0 },
            matter: matter(None),
        });
        assert_eq!(
            (amount(&world, "water"), amount(&world, "oil")),
            (0, 6 * 8 * 2)
        );
        assert!(world.check().is_ok());
    }
}
