//! The cells of slices, unfiltered.

use crate::lowpass::ENERGY_SHOWN;
use crate::render::contents::{LAVA, NOTHING, ROCK};
use crate::units;
use crate::viewer::messages::{Cut, Field};
use crate::world::World;

/// The slice at `cell` along an axis (0 x, 1 y, 2 z); a cell outside the box becomes the last one.
pub(super) fn cut(world: &World, axis: usize, cell: usize, field: Field) -> Cut {
    let grid = world.grid();
    let size = [grid.nx, grid.ny, grid.nz];
    let cell = cell.min(size[axis] - 1);
    let (across, down) = [(2, 1), (0, 2), (0, 1)][axis];
    let (width, height) = (size[across], size[down]);
    let texel = |i: usize| {
        let mut at = [cell; 3];
        (at[across], at[down]) = (i % width, i / width);
        texel(world, grid.index(at[0], at[1], at[2]), field)
    };
    Cut { cell, width, height, texels: (0..width * height).map(texel).collect() }
}

fn texel(world: &World, index: usize, field: Field) -> [u8; 2] {
    let shade = |share: f32| (share * 255.0).round().min(255.0) as u8;
    let cell = world.lava().cell(index);
    if world.ground().is_solid_at(index) {
        return [if field == Field::Solid { 255 } else { 0 }, ROCK];
    }
    let value = match field {
        Field::Amount => shade(units::amount(cell.amount)),
        Field::Energy => shade(units::energy(cell.energy) / ENERGY_SHOWN),
        Field::Solid => 0,
    };
    [value, if cell.amount > 0 { LAVA } else { NOTHING }]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Grid;
    use crate::units::{AMOUNT_ONE, ENERGY_ONE};
    use crate::world::{Edit, Ground, Matter, Shape};

    #[test]
    fn cells_lie_where_the_axes_say() {
        let mut world = World::new(Ground::none(Grid::new(4, 3, 2)));
        world.place(3, 1, 0, AMOUNT_ONE, ENERGY_ONE);
        let shape = Shape::Box { from: [0.0; 3], to: [1.0; 3] };
        world.edit(&Edit { shape, matter: Matter::Rock });

        let x = cut(&world, 0, 3, Field::Amount);
        assert_eq!((x.width, x.height, x.texels[2]), (2, 3, [255, LAVA]));
        let y = cut(&world, 1, 1, Field::Energy);
        assert_eq!((y.width, y.height, y.texels[3]), (4, 2, [128, LAVA]));
        let z = cut(&world, 2, 0, Field::Solid);
        assert_eq!((z.width, z.height, z.texels[0], z.texels[7]), (4, 3, [255, ROCK], [0, LAVA]));
        assert_eq!(z.texels.iter().filter(|texel| **texel == [0, NOTHING]).count(), 10);
        assert_eq!(cut(&world, 0, 99, Field::Amount).cell, 3);
    }
}
