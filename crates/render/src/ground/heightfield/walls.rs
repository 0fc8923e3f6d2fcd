//! Walls of built bodies: vertical steps next to columns that were built or dug, which a smooth top
//! cannot show.
//!
//! **Decided:** a wall is a step of more than [`WALL`] widths of a cell next to a column that a
//! body has built or dug. The height of such a column is a whole number of cells; heights of
//! terrains and of solidified lava are whole numbers by chance alone.

use lavoxel_automaton::world::Ground;
use lavoxel_base::parallel::*;

/// Height difference between neighbouring columns, in cell widths, above which the side of a built
/// body is drawn as a wall.
pub(super) const WALL: f32 = 2.5;

/// Returns true if the top of the column (`x`, `z`) was built or dug as part of a body: its height
/// is a whole number of cells, and no solidified lava tops the column.
pub(super) fn is_built(ground: &Ground, x: usize, z: usize) -> bool {
    let column = ground.grid().column(x, z);
    let is_fresh = ground
        .fresh()
        .get(column / 64)
        .is_some_and(|word| word >> (column % 64) & 1 == 1);
    ground.surface()[[z, x]] == ground.top(x, z) as f32 && !is_fresh
}

/// Returns the indices of the built or dug columns that have a wall at one of their sides; `tall`:
/// height of a cell in cell widths.
pub(super) fn walls(ground: &Ground, tall: f32) -> Vec<usize> {
    let grid = ground.grid();
    let near = |v: usize, n: usize| [v.checked_sub(1), (v + 1 < n).then_some(v + 1)];
    let is_wall = |x: usize, z: usize| {
        let height = ground.surface()[[z, x]];
        let steep = |x: usize, z: usize| (ground.surface()[[z, x]] - height).abs() * tall > WALL;
        height.fract() == 0.0
            && (near(x, grid.nx).into_iter().flatten().any(|x| steep(x, z))
                || near(z, grid.nz).into_iter().flatten().any(|z| steep(x, z)))
            && is_built(ground, x, z)
    };
    let row = |z: usize| {
        (0..grid.nx)
            .filter(move |&x| is_wall(x, z))
            .map(move |x| grid.column(x, z))
    };
    (0..grid.nz).into_par_iter().flat_map_iter(row).collect()
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;

    use super::super::{Caves, Face};
    use super::*;
    use crate::camera::Ray;
    use crate::ground::land::TerrainLook;
    use crate::math::{V3, v3};
    use lavoxel_automaton::view::LookSpec;
    use lavoxel_automaton::world::{Edit, Matter, Shape, World};
    use lavoxel_base::grid::Grid;

    const GRID: Grid = Grid {
        nx: 22,
        ny: 18,
        nz: 19,
    };

    #[test]
    fn walls_of_bodies_are_upright_up_to_their_corners() {
        let mut world = World::new(Ground::from_surface(
            GRID.ny,
            Array2::from_elem((GRID.nz, GRID.nx), 4.0),
        ));
        let shape = Shape::Box {
            from: [6.0, 4.0, 6.0],
            to: [8.0, 14.0, 12.0],
        };
        world.edit(&Edit {
            shape,
            matter: Matter::Rock,
        });
        let caves = Caves::from_ground(world.ground(), 1.0);
        let block =
            TerrainLook::bake_with(world.ground().surface(), caves, &LookSpec::default(), 2).block;
        let met =
            |origin: V3, direction: V3| block.hit(&Ray { origin, direction }, &block.whole(), 0.0);
        for (y, z) in [(5.3, 6.05), (9.0, 9.0), (13.9, 6.05), (13.9, 11.95)] {
            let hit = met(v3(-5.0, y, z), V3::x()).expect("the wall is there");
            assert!(
                (hit.t - 11.0).abs() < 1e-3 && hit.face == Face::Block(-V3::x()),
                "{y}, {z}: {hit:?}"
            );
        }
        for z in [5.95, 12.05] {
            assert!(
                met(v3(-5.0, 9.0, z), V3::x()).is_none(),
                "beside the corner"
            );
        }
        for x in [6.05, 7.95] {
            let hit = met(v3(x, 30.0, 9.0), -V3::y()).expect("the crest is there");
            assert!((hit.t - 16.0).abs() < 1e-3, "{x}: {hit:?}");
        }
        // A mountain as steep has no walls.
        let cliff =
            Array2::from_shape_fn((GRID.nz, GRID.nx), |(_, x)| if x < 9 { 12.3 } else { 4.1 });
        assert!(Caves::from_ground(&Ground::from_surface(GRID.ny, cliff), 1.0).is_empty());
    }
}
