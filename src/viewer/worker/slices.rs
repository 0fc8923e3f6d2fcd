//! The cells of slices, unfiltered.

use crate::render::contents::{FILLED, NOTHING, ROCK};
use crate::render::{Content, Sample};
use crate::viewer::messages::Cut;
use crate::world::{CellMeasure, Quantity, World};

/// The slice at `cell` along an axis (0 x, 1 y, 2 z); a cell outside the box becomes the last one.
pub(super) fn cut(world: &World, axis: usize, cell: usize, quantity: &Quantity) -> Cut {
    let grid = world.grid();
    let size = [grid.nx, grid.ny, grid.nz];
    let cell = cell.min(size[axis] - 1);
    let (across, down) = [(2, 1), (0, 2), (0, 1)][axis];
    let (width, height) = (size[across], size[down]);
    let sample = Sample::new(world, quantity);
    let texel = |i: usize| {
        let mut place = [cell; 3];
        (place[across], place[down]) = (i % width, i / width);
        texel(sample.at(place), quantity.measure())
    };
    Cut { cell, width, height, texels: (0..width * height).map(texel).collect() }
}

fn texel(content: Content, measure: CellMeasure) -> [u8; 2] {
    let (low, high) = measure.range();
    match content {
        Content::Solid => [if measure == CellMeasure::Solid { 255 } else { 0 }, ROCK],
        Content::Value(value) => [((value - low) / (high - low) * 255.0).round().clamp(0.0, 255.0) as u8, FILLED],
        // Beside rock, materials show that they are there.
        Content::Material(_) if measure == CellMeasure::Solid => [0, FILLED],
        Content::Material(_) | Content::Empty => [0, NOTHING],
    }
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
        world.place([3, 1, 0], AMOUNT_ONE, ENERGY_ONE);
        let shape = Shape::Box { from: [0.0; 3], to: [1.0; 3] };
        world.edit(&Edit { shape, matter: Matter::Rock });

        let quantity = |name: &str| world.quantity(name).expect("a known name");
        let x = cut(&world, 0, 3, &quantity("amount"));
        assert_eq!((x.width, x.height, x.texels[2]), (2, 3, [255, FILLED]));
        let y = cut(&world, 1, 1, &quantity("energy"));
        assert_eq!((y.width, y.height, y.texels[3]), (4, 2, [128, FILLED]));
        let z = cut(&world, 2, 0, &quantity("solid"));
        assert_eq!((z.width, z.height, z.texels[0], z.texels[7]), (4, 3, [255, ROCK], [0, FILLED]));
        assert_eq!(z.texels.iter().filter(|texel| **texel == [0, NOTHING]).count(), 10);
        assert_eq!(cut(&world, 0, 99, &quantity("amount")).cell, 3);
    }
}
