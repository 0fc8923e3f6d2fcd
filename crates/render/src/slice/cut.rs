//! Slices in the 3D scene: one plane of cells as a texture, drawn without interpolation.

use crate::Cut;
use crate::contents::{MATERIAL, NOTHING, ROCK, VALUE};
use lavoxel_automaton::world::{CellMeasure, Quantity};
use lavoxel_sim::state::StateRef;

use super::{Axis, Content, Sample};
use crate::chart::key::{Plain, palette_of_quantity};

impl Cut {
    /// Returns the slice of `quantity` in the plane of cells with the index `cell` along `axis`,
    /// clamped to the simulation box.
    pub fn new<'a>(
        state: impl Into<StateRef<'a>>,
        axis: Axis,
        cell: usize,
        quantity: &Quantity,
    ) -> Self {
        let state: StateRef<'_> = state.into();
        let world = state.world;
        let grid = world.grid();
        let cell = cell.min(axis.cells(grid) - 1);
        // A texture perpendicular to x has z along its width, as the picture of a slice has.
        let (across, down) = axis.across();
        let (width, height) = (across.cells(grid), down.cells(grid));
        let sample = Sample::new(state, quantity);
        let (plain, (low, high)) = (sample.plain(), state.range(quantity));
        let own = palette_of_quantity(quantity, world.materials());
        let texel = |i: usize| match (sample.at(axis.cell(cell, (i % width, i / width))), &own) {
            (Content::Value(value), Some(palette)) => {
                colored(palette.srgb((value - low) / (high - low)))
            }
            (content, _) => texel(content, (low, high), &plain),
        };
        let of_amounts = quantity.measure() == CellMeasure::Amount;
        Self {
            cell,
            width,
            height,
            of_amounts,
            texels: (0..width * height).map(texel).collect(),
        }
    }
}

fn texel(content: Content, (low, high): (f32, f32), plain: &[Plain]) -> [u8; 4] {
    match content {
        Content::Empty => [0, 0, 0, NOTHING],
        Content::Solid => [0, 0, 0, ROCK],
        Content::Value(value) => [
            ((value - low) / (high - low) * 255.0)
                .round()
                .clamp(0.0, 255.0) as u8,
            0,
            0,
            VALUE,
        ],
        Content::Material(place) => colored(plain[usize::from(place)].color),
    }
}

/// Returns the texel of a cell that is drawn in the sRGB colour (`red`, `green`, `blue`) without a
/// value.
fn colored([red, green, blue]: [u8; 3]) -> [u8; 4] {
    [red, green, blue, MATERIAL]
}

#[cfg(test)]
mod tests {
    use super::*;
    use lavoxel_automaton::matter::Material;
    use lavoxel_automaton::world::{Edit, Ground, Matter, Shape, World};
    use lavoxel_base::grid::Grid;
    use lavoxel_base::units::{AMOUNT_ONE, ENERGY_ONE};
    use lavoxel_sim::state::State;

    fn cell_box([x, y, z]: [f64; 3]) -> Shape {
        Shape::Box {
            from: [x, y, z],
            to: [x + 1.0, y + 1.0, z + 1.0],
        }
    }

    #[test]
    fn cells_lie_where_the_axes_say() {
        let mut world = State::from(World::new(Ground::none(Grid::new(4, 3, 2))));
        world.place([3, 1, 0], AMOUNT_ONE, ENERGY_ONE);
        world.edit(&Edit {
            shape: cell_box([0.0; 3]),
            matter: Matter::Rock,
        });

        let quantity = |name: &str| world.quantity(name).expect("a known name");
        let x = Cut::new(&world, Axis::X, 3, &quantity("amount"));
        assert_eq!(
            (x.width, x.height, x.of_amounts, x.texels[2]),
            (2, 3, true, [255, 0, 0, VALUE])
        );
        let y = Cut::new(&world, Axis::Y, 1, &quantity("energy"));
        assert_eq!(
            (y.width, y.height, y.of_amounts, y.texels[3]),
            (4, 2, false, [128, 0, 0, VALUE])
        );
        let z = Cut::new(&world, Axis::Z, 0, &quantity("solid"));
        assert_eq!((z.width, z.height, z.texels[0]), (4, 3, [0, 0, 0, ROCK]));
        assert_eq!(z.texels[7][3], MATERIAL);
        assert_eq!(
            z.texels.iter().filter(|texel| texel[3] == NOTHING).count(),
            10
        );
        assert_eq!(Cut::new(&world, Axis::X, 99, &quantity("amount")).cell, 3);
    }

    #[test]
    fn other_materials_have_their_colours_in_slices_of_every_quantity() {
        let mut oil = Material {
            name: "oil".into(),
            density: 900.0,
            ..Material::water()
        };
        oil.look.color = Some("#102030".into());
        let mut world = State::from(World::with_materials(
            Ground::none(Grid::new(3, 1, 1)),
            vec![oil, Material::water()],
        ));
        for (x, name) in [(0.0, "lava"), (1.0, "water"), (2.0, "oil")] {
            let matter = Matter::Material {
                name: name.into(),
                amount: 0.5,
            };
            world.edit(&Edit {
                shape: cell_box([x, 0.0, 0.0]),
                matter,
            });
        }
        for quantity in world.quantities() {
            let cut = Cut::new(&world, Axis::Y, 0, &quantity);
            let plain = Plain::without_values(&quantity, world.materials());
            for (texel, name) in cut.texels.iter().zip(["lava", "water", "oil"]) {
                let color = plain
                    .iter()
                    .find(|plain| plain.name == name)
                    .map(|plain| plain.color);
                let expected = color.map(|[r, g, b]| [r, g, b, MATERIAL]);
                let is_lava_value = quantity.material() == Some(name) && name == "lava";
                assert_eq!(
                    texel[3] == VALUE,
                    is_lava_value,
                    "{name} in {}",
                    quantity.name()
                );
                assert_eq!(
                    *texel,
                    expected.unwrap_or(*texel),
                    "{name} in {}",
                    quantity.name()
                );
            }
        }
    }

    #[test]
    fn values_of_water_have_the_colours_of_water() {
        let mut world = State::from(World::with_materials(
            Ground::none(Grid::new(1, 1, 1)),
            vec![Material::water()],
        ));
        world.edit(&Edit {
            shape: cell_box([0.0; 3]),
            matter: Matter::Material {
                name: "water".into(),
                amount: 1.0,
            },
        });
        let quantity = world.quantity("water.amount").expect("there is water");
        let [red, _, blue, content] = Cut::new(&world, Axis::Y, 0, &quantity).texels[0];
        assert!(
            blue > 2 * red && content == MATERIAL,
            "{red}, {blue}, {content}"
        );
        assert!(
            !Sample::new(&world, &quantity)
                .plain()
                .iter()
                .any(|plain| plain.name == "lava"),
            "there is none"
        );
    }
}
