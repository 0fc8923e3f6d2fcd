//! Automatic camera position for a lava flow that has not begun: frames the land that a flood from
//! the vents would reach first.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use lavoxel_automaton::world::World;

/// Upper bound on the number of flooded columns, as a multiple of the flow's length in columns;
/// large enough for the flood to fill hollows on its way.
const MOST_REACHED: f64 = 24.0;
/// Ratio of the radius of the land that the picture shows to the radius of the flooded land; leaves
/// a margin around the flow.
const AIR: f64 = 1.3;
/// Lower bound on the radius of the land shown in the picture, as a fraction of the simulation
/// box's longest side.
const LEAST_SHARE: f64 = 0.05;
/// Lower bound on the radius of the land shown in the picture, in cells.
const LEAST_CELLS: f64 = 8.0;
/// Number of integer height units per cell; ground heights are compared as integers.
const UNITS_OF_HEIGHT: f64 = 1024.0;
/// Angle in degrees from the downhill direction to the direction in which the camera stands, so
/// that the flow is not seen end-on.
const ASIDE_DEG: f64 = 35.0;

/// Viewpoint: bounding sphere of the land that a flow will reach, and compass direction of the
/// camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Vantage {
    /// Centre of the sphere around the flow, on the ground (x, y, z), in cells.
    pub target: [f64; 3],
    /// Radius of the sphere around the flow, in cells.
    pub radius: f64,
    /// Compass direction in degrees from the target to the camera: the downhill direction plus a
    /// fixed angle.
    pub azimuth_deg: f64,
}

impl Vantage {
    /// Computes the viewpoint for a flow that will be about `length` columns long. `vents`:
    /// positions (x, z) in cells; `None` if there are no vents.
    pub fn from_world(world: &World, vents: &[[f64; 2]], length: f64) -> Option<Self> {
        let (grid, surface) = (world.grid(), world.ground().surface());
        // Integer cell heights would form terraces, along which the flood would spread sideways.
        let height = |x: usize, z: usize| (f64::from(surface[[z, x]]) * UNITS_OF_HEIGHT) as i64;
        let column = |value: f64, side: usize| (value.max(0.0) as usize).min(side - 1);
        let starts = vents
            .iter()
            .map(|[x, z]| (column(*x, grid.nx), column(*z, grid.nz)));
        let mut seen = vec![false; grid.columns()];
        // Priority flood: the lowest column adjacent to the flooded region is flooded next.
        let mut next = BinaryHeap::new();
        for (x, z) in starts.clone() {
            if !std::mem::replace(&mut seen[grid.column(x, z)], true) {
                next.push(Reverse((i64::MIN, next.len(), x, z)));
            }
        }
        let (start_x, start_z) = starts.clone().next()?;
        let away =
            |x: usize, z: usize| (x as f64 - start_x as f64).hypot(z as f64 - start_z as f64);
        let most = (MOST_REACHED * length).max(1.0) as usize;
        let (mut low, mut high, mut far) = ([f64::MAX; 2], [f64::MIN; 2], (0.0, [0.0; 2]));
        let (mut reached, mut found) = (0, 0);
        while let Some(Reverse((_, _, x, z))) = next.pop() {
            reached += 1;
            for (k, value) in [x, z].into_iter().enumerate() {
                (low[k], high[k]) = (low[k].min(value as f64), high[k].max(value as f64 + 1.0));
            }
            if away(x, z) > far.0 {
                far = (
                    away(x, z),
                    [x as f64 - start_x as f64, z as f64 - start_z as f64],
                );
            }
            let is_at_side = x == 0 || z == 0 || x + 1 == grid.nx || z + 1 == grid.nz;
            if far.0 >= length || reached >= most || is_at_side {
                break;
            }
            for (x, z) in [(x - 1, z), (x + 1, z), (x, z - 1), (x, z + 1)] {
                if !std::mem::replace(&mut seen[grid.column(x, z)], true) {
                    // Ties in height are broken by order of discovery: a plain is flooded in rings.
                    found += 1;
                    next.push(Reverse((height(x, z), found, x, z)));
                }
            }
        }
        let [x, z] = [0, 1].map(|k| 0.5 * (low[k] + high[k]));
        let longest = grid.nx.max(grid.nz) as f64;
        let least = (LEAST_SHARE * longest).max(LEAST_CELLS);
        let radius = (0.5 * AIR * (high[0] - low[0]).hypot(high[1] - low[1])).max(least);
        let height = f64::from(surface[[column(z, grid.nz), column(x, grid.nx)]]);
        let [east, south] = far.1;
        let azimuth_deg = (east.atan2(-south).to_degrees() + ASIDE_DEG).rem_euclid(360.0);
        Some(Self {
            target: [x, height, z],
            radius,
            azimuth_deg,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lavoxel_automaton::world::Ground;
    use lavoxel_base::grid::Grid;
    use ndarray::Array2;

    #[test]
    fn it_looks_at_the_land_below_the_vent_from_below() {
        // A slope down to the east, with a hollow on the way.
        let grid = Grid::new(100, 60, 40);
        let height = |(z, x): (usize, usize)| {
            if (30..33).contains(&x) && (18..22).contains(&z) {
                15.0
            } else {
                50.0 - 0.4 * x as f32
            }
        };
        let world = World::new(Ground::from_surface(
            grid.ny,
            Array2::from_shape_fn((grid.nz, grid.nx), height),
        ));
        let view = Vantage::from_world(&world, &[[10.5, 20.5]], 40.0).expect("there is a vent");
        assert!(
            (20.0..45.0).contains(&view.target[0]) && (10.0..30.0).contains(&view.target[2]),
            "{view:?}"
        );
        assert!((20.0..60.0).contains(&view.radius), "{view:?}");
        assert!(
            (60.0..180.0).contains(&view.azimuth_deg),
            "it stands in the east: {view:?}"
        );
        assert_eq!(Vantage::from_world(&world, &[], 40.0), None);
        let at_a_side = Vantage::from_world(&world, &[[0.0, 39.9]], 40.0).expect("there is a vent");
        assert_eq!(at_a_side.radius, 8.0);
    }
}
