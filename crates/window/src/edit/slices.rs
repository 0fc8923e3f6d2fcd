//! Slices: planes across x, y and z that cut the simulation box open and show one quantity of its
//! cells. State of the slices, and the handles by which the user drags each slice along its axis.

use nalgebra::{Point3, Vector3};

use lavoxel_automaton::world::{CellMeasure, Quantity};
use lavoxel_render::{Axis, Camera, Ray, Style};

/// All three axes; arrays with one element per slice have this order.
pub(crate) const AXES: [Axis; 3] = [Axis::X, Axis::Y, Axis::Z];
/// Lower-case names of the axes, in the order of [`AXES`].
pub(crate) const AXIS_NAMES: [&str; 3] = ["x", "y", "z"];
/// Radius in logical pixels around a handle within which the pointer grabs that handle.
pub(crate) const REACH: f32 = 12.0;

/// Height of the ground, as a share of the box's height, from which on the slice across y belongs
/// into the ground; what stands on lower ground is higher than the ground.
const MOUNTAIN: f32 = 0.15;

/// State of the three slices, one across each axis.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Cuts {
    /// For each slice across x, y and z, true if it is visible.
    pub(crate) shown: [bool; 3],
    /// For each slice across x, y and z, the cell index at which it cuts the simulation box.
    pub(crate) at: [usize; 3],
    /// Quantity whose values all three slices show.
    pub(crate) quantity: Quantity,
    /// Axis of the slice that the keyboard moves: 0 x, 1 y, 2 z.
    pub(crate) chosen: usize,
}

impl Cuts {
    /// Creates three hidden slices through the middle of a box of `size` cells (x, y, z).
    /// `quantity`: the quantity that the slices show; the keyboard at first moves the slice across
    /// z.
    pub(crate) fn middle(size: [usize; 3], quantity: Quantity) -> Self {
        Self {
            shown: [false; 3],
            at: size.map(|n| n / 2),
            quantity,
            chosen: 2,
        }
    }

    /// Lowers the slice across y to half the height `top` (cells) of a mountain, which it would miss
    /// in the middle of a high box of `height` cells.
    pub(crate) fn fit(&mut self, top: f32, height: usize) {
        if top > MOUNTAIN * height as f32 {
            self.at[1] = self.at[1].min((0.5 * top) as usize);
        }
    }

    /// Returns the cell index of each slice along its axis, for which the simulation is to send
    /// values; `None` for a hidden slice.
    pub(crate) fn wanted(&self) -> [Option<usize>; 3] {
        std::array::from_fn(|k| self.shown[k].then_some(self.at[k]))
    }

    /// Returns true if the slices only cut the simulation box open and show no values. This holds
    /// for amounts in the cinematic style, which draws the matter on the cut.
    pub(crate) fn opens(&self, style: Style) -> bool {
        style.at_once() == Style::Cinematic && self.quantity.measure() == CellMeasure::Amount
    }

    /// Returns the axis (0 x, 1 y, 2 z) of the visible slice whose handle lies under `pixel` (from
    /// the top left); `None` if there is no handle. `size`: size of the simulation box in cells;
    /// `scale`: physical pixels per logical pixel.
    pub(crate) fn under(
        &self,
        camera: &Camera,
        size: [f32; 3],
        pixel: (f32, f32),
        scale: f32,
    ) -> Option<usize> {
        (0..3).filter(|&k| self.shown[k]).find(|&k| {
            let place = camera.project(handle(k, self.at[k], size));
            place.is_some_and(|(x, y, _)| (x - pixel.0).hypot(y - pixel.1) < REACH * scale)
        })
    }
}

/// Returns the quantity that follows `now` in `all`. Returns the first quantity of `all` if `now`
/// is the last or is missing.
pub(crate) fn after(all: &[Quantity], now: &Quantity) -> Quantity {
    let next = all
        .iter()
        .position(|quantity| quantity == now)
        .map_or(0, |i| i + 1);
    all.get(next).or(all.first()).cloned().unwrap_or_default()
}

/// Returns the position in cells of the handle of the slice across axis `k` at the cell index
/// `cell`, in a box of `size` cells. Slice across x: on the southern bottom edge of the simulation
/// box; across z: on the eastern bottom edge; across y: on the vertical south-east edge.
pub(crate) fn handle(k: usize, cell: usize, size: [f32; 3]) -> Point3<f32> {
    let mut point = Point3::new(size[0], 0.0, size[2]);
    point[k] = cell as f32 + 0.5;
    point
}

/// Returns the cell index to which a drag along `ray` moves the slice across axis `k`: the cell of
/// the point on the handle's line that is nearest to `ray`. `None` if `ray` is parallel to that
/// line. `size`: size of the simulation box in cells.
pub(crate) fn dragged_to(k: usize, ray: &Ray, size: [f32; 3]) -> Option<usize> {
    let mut along = Vector3::zeros();
    along[k] = 1.0;
    let from = ray.origin - (handle(k, 0, size).coords - 0.5 * along);
    let (lean, ahead, side) = (
        along.dot(&ray.direction),
        ray.direction.dot(&from),
        along.dot(&from),
    );
    let apart = 1.0 - lean * lean;
    let place = (side - lean * ahead) / apart;
    (apart > 1e-3).then(|| place.clamp(0.0, size[k] - 1.0) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lavoxel_automaton::matter::Material;
    use lavoxel_base::grid::Grid;
    use lavoxel_render::{Bounds, CameraSpec};

    #[test]
    fn the_last_quantity_is_followed_by_the_first() {
        let all = Quantity::of_materials(&[Material::lava(), Material::water()]);
        let round = (0..6).scan(Quantity::default(), |now, _| {
            let next = after(&all, now);
            Some(std::mem::replace(now, next).name())
        });
        assert_eq!(
            round.collect::<Vec<_>>(),
            [
                "amount",
                "energy",
                "specific-energy",
                "solid",
                "water.amount",
                "amount"
            ]
        );
        let gone = Quantity::new(CellMeasure::Amount, "oil");
        assert_eq!(after(&all, &gone), all[0]);
    }

    #[test]
    fn the_level_slice_cuts_mountains_and_what_stands_on_low_ground() {
        let at = |top: f32| {
            let mut cuts = Cuts::middle([40, 100, 50], Quantity::default());
            cuts.fit(top, 100);
            cuts.at
        };
        assert_eq!(at(30.0), [20, 15, 25]);
        assert_eq!(at(3.0), [20, 50, 25]);
        assert_eq!(at(100.0), [20, 50, 25]);
    }

    #[test]
    fn a_slice_follows_the_pointer_on_its_handle() {
        let size = [40.0, 30.0, 50.0];
        let camera = Camera::new(
            &CameraSpec::default(),
            &Bounds::from_grid(Grid::new(40, 30, 50)),
            (800, 600),
        );
        for k in 0..3 {
            for cell in [0, 7, 29] {
                let cuts = Cuts {
                    shown: [true; 3],
                    at: [cell; 3],
                    quantity: Quantity::default(),
                    chosen: 0,
                };
                let (x, y, _) = camera.project(handle(k, cell, size)).expect("in front");
                assert_eq!(
                    dragged_to(k, &camera.ray(x, y), size),
                    Some(cell),
                    "axis {k}"
                );
                assert!(cuts.under(&camera, size, (x + 4.0, y), 1.0).is_some());
            }
        }
        let none = Cuts::middle([40, 30, 50], Quantity::default());
        let (x, y, _) = camera.project(handle(0, 20, size)).expect("in front");
        assert_eq!(
            none.under(&camera, size, (x, y), 1.0),
            None,
            "hidden slices have no handle"
        );
    }
}
