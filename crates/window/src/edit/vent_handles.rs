//! Draggable handles of vents on the screen: a ring on the ground, the ring's centre for the
//! position, a point on the ring for the radius, and a stalk above the centre whose top sets the
//! rate.

use nalgebra::Point3;
use ndarray::Array2;

use crate::flow::rate_of;
use lavoxel_render::Camera;
use lavoxel_sim::source::VentSpec;

/// Property of a vent that the drag of a handle changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Grip {
    /// Position of the vent on the ground.
    Place,
    /// Radius of the vent's disc.
    Radius,
    /// Effusion rate; while Shift is held, the energy (cellular automaton) or the temperature
    /// (physical model).
    Rate,
}

/// Point on the screen by which the user drags one property of a vent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Handle {
    /// Permanent number of the vent in the simulation, counted from 0.
    pub vent: usize,
    /// Property that a drag of the handle changes.
    pub grip: Grip,
    /// Screen position (x, y) in pixels from the top left.
    pub pixel: (f32, f32),
}

/// Radius in logical pixels around a handle within which the pointer grabs that handle.
const REACH: f32 = 11.0;

/// Number of segments of the polyline that draws a vent's ring.
const RING: usize = 40;
/// Number of segments of the polyline that draws the line of a fissure.
const TRACE: usize = 128;

/// Returns the height of the ground in cells at the point (`x`, `z`) in cells, interpolated
/// bilinearly between column centres; outside the simulation box, the height at the nearest edge.
/// `ground`: heights in cells, shape (nz, nx).
pub(crate) fn ground_at(ground: &Array2<f32>, x: f64, z: f64) -> f32 {
    let (rows, cols) = ground.dim();
    let column = |v: f64, n: usize| {
        let v = (v - 0.5).clamp(0.0, n.saturating_sub(1) as f64);
        (
            v as usize,
            (v as usize + 1).min(n.saturating_sub(1)),
            v.fract() as f32,
        )
    };
    let ((north, south, down), (west, east, right)) = (column(z, rows), column(x, cols));
    let row = |z: usize| {
        let at = |x: usize| ground.get((z, x)).copied().unwrap_or(0.0);
        at(west) + (at(east) - at(west)) * right
    };
    row(north) + (row(south) - row(north)) * down
}

/// Returns the name of a vent or spring for the user, such as `vent 1` or `water source 2`.
/// `number`: number of the vent, counted from 0; the name counts from 1.
pub(crate) fn name(number: usize, vent: &VentSpec) -> String {
    match &vent.material {
        None => format!("vent {}", number + 1),
        Some(material) => format!("{material} source {}", number + 1),
    }
}

/// Returns the ring around a vent as a closed polyline just above the ground, in cells. The ring's
/// radius is that of the vent, but at least half a cell.
pub(crate) fn ring(vent: &VentSpec, ground: &Array2<f32>) -> Vec<Point3<f32>> {
    let radius = vent.radius.max(0.5);
    (0..=RING)
        .map(|i| {
            let angle = i as f64 / RING as f64 * std::f64::consts::TAU;
            let (x, z) = (vent.x + radius * angle.cos(), vent.z + radius * angle.sin());
            Point3::new(x as f32, ground_at(ground, x, z) + 0.3, z as f32)
        })
        .collect()
}

/// Returns the line of a fissure as a polyline just above the ground, in cells; empty for a
/// disc-shaped vent.
pub(crate) fn trace(vent: &VentSpec, ground: &Array2<f32>) -> Vec<Point3<f32>> {
    let points = if vent.line.is_empty() { 0 } else { TRACE + 1 };
    let shares = (0..points).map(|i| i as f64 / TRACE as f64);
    shares
        .map(|share| vent.point_at(share))
        .map(|[x, z]| Point3::new(x as f32, ground_at(ground, x, z) + 0.3, z as f32))
        .collect()
}

/// Returns the bottom and the top of a vent's stalk, the vertical line whose top is the handle of
/// the rate, in cells. The height of the top grows with the logarithm of the rate.
pub(crate) fn stalk(vent: &VentSpec, ground: &Array2<f32>) -> [Point3<f32>; 2] {
    let level = ground_at(ground, vent.x, vent.z);
    let height = (3.0 + 4.0 * (1.0 + rate_of(vent)).ln()) as f32;
    [0.3, height].map(|up| Point3::new(vent.x as f32, level + up, vent.z as f32))
}

/// Returns the handles for rate, radius and position of each vent, without handles outside the view
/// of `camera`. `vents`: permanent number and description of each vent; `ground`: heights in cells,
/// shape (nz, nx).
pub(crate) fn handles(
    vents: &[(usize, VentSpec)],
    ground: &Array2<f32>,
    camera: &Camera,
) -> Vec<Handle> {
    let of = |(number, vent): &(usize, VentSpec)| {
        let [foot, top] = stalk(vent, ground);
        let rim = ring(vent, ground)[0];
        [(Grip::Rate, top), (Grip::Radius, rim), (Grip::Place, foot)]
            .into_iter()
            .filter_map({
                let vent = *number;
                move |(grip, point)| {
                    let (x, y, _) = camera.project(point)?;
                    Some(Handle {
                        vent,
                        grip,
                        pixel: (x, y),
                    })
                }
            })
    };
    vents.iter().flat_map(of).collect()
}

/// Returns the handle nearest to the pointer's pixel (`x`, `y`); `None` if no handle lies within
/// `REACH`. `scale`: physical pixels per logical pixel.
pub(crate) fn under(handles: &[Handle], (x, y): (f32, f32), scale: f32) -> Option<&Handle> {
    let away = |handle: &Handle| (handle.pixel.0 - x).hypot(handle.pixel.1 - y);
    let nearest = handles.iter().min_by(|a, b| away(a).total_cmp(&away(b)))?;
    (away(nearest) <= REACH * scale).then_some(nearest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lavoxel_base::grid::Grid;
    use lavoxel_render::{Bounds, CameraSpec};

    #[test]
    fn ground_between_columns_is_between_their_heights() {
        let ground = Array2::from_shape_fn((3, 4), |(z, x)| (10 * z + x) as f32);
        assert_eq!(ground_at(&ground, 2.5, 1.5), 12.0);
        assert_eq!(ground_at(&ground, 3.0, 2.0), 17.5);
        assert_eq!(ground_at(&ground, -5.0, 99.0), 20.0);
    }

    #[test]
    fn each_handle_is_found_where_it_is_drawn() {
        let ground = Array2::from_elem((40, 40), 6.0);
        let camera = Camera::new(
            &CameraSpec::default(),
            &Bounds::from_grid(Grid::new(40, 30, 40)),
            (800, 600),
        );
        let vent = VentSpec {
            x: 20.0,
            z: 20.0,
            radius: 6.0,
            rate: 4.0,
            ..VentSpec::default()
        };
        let all = handles(&[(5, vent)], &ground, &camera);
        assert_eq!(all.len(), 3);
        for handle in &all {
            let found = under(&all, (handle.pixel.0 + 3.0, handle.pixel.1), 1.0).expect("hit");
            assert_eq!((found.grip, found.vent), (handle.grip, 5));
        }
        assert!(under(&all, (5.0, 5.0), 1.0).is_none());
    }
}
