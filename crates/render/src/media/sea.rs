//! Sea around a simulation box that stands in water: continues the water at the sides of the box as
//! a level surface to the horizon.
//!
//! Sea and water in the simulation box form a single body for rays, without a surface at the sides
//! of the box:
//!
//! ```text
//!  eye
//!    `·.        box
//!       `·.   ┌──────┐
//!  ~~~~~~~~`·.│~~~~~~│~~~~~~~~  enters here
//!     A       `·.    │   B
//!             │  `·.─┘
//! ```

use super::events::{Event, Events};
use crate::camera::Ray;
use crate::ground::surroundings::beyond;
use crate::math::{V3, in_widths, unit_or_up, v3};
use crate::volume::field::{Border, span_in};
use lavoxel_automaton::view::Form;
use lavoxel_sim::lowpass::Volume;

/// Minimum fraction of the columns at the sides of the simulation box that must contain a liquid
/// for a sea to be drawn.
const LEAST: f32 = 0.1;
/// Density byte (0 to 255) at which the surface of a liquid lies.
const SURFACE: f32 = 127.5;
/// Length of a ray in the sea, in cells, from which the water is treated as opaque.
pub const DEEPEST: f32 = 240.0;
/// Distance from a side of the simulation box, in cells, up to which the surface of the water is
/// taken as level.
const SEAM: f32 = 1.3;
/// Distance over which the sea fades into haze (to 1/e), in lengths of the simulation box's longer
/// side. Chosen by eye.
pub const FAR: f32 = 16.0;

/// Sea around the simulation box: its liquid and the height of its surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sea {
    /// Index of the sea's liquid in `Volume::media`.
    pub medium: usize,
    /// Height of the sea's surface in cells above the floor of the simulation box.
    pub level: f32,
}

impl Sea {
    /// Returns a sea of the liquid that is in most of the columns at the sides of the simulation
    /// box; its height is the median of the liquid's surface heights there. `None` if too few of
    /// these columns contain a liquid.
    pub fn from_volume(volume: &Volume) -> Option<Self> {
        let clear = |(_, medium): &(usize, &lavoxel_sim::lowpass::Medium)| {
            !medium.density.is_empty() && medium.look.preset.form() == Form::Clear
        };
        let of = |(medium, field): (usize, &lavoxel_sim::lowpass::Medium)| {
            (medium, surfaces(volume, &field.density))
        };
        let (medium, mut heights) = volume
            .media
            .iter()
            .enumerate()
            .filter(clear)
            .map(of)
            .max_by_key(|(_, heights)| heights.len())?;
        let sides = 2 * (volume.grid.nx + volume.grid.nz);
        if (heights.len() as f32) < LEAST * sides as f32 {
            return None;
        }
        let middle = heights.len() / 2;
        let (_, level, _) = heights.select_nth_unstable_by(middle, f32::total_cmp);
        Some(Self {
            medium,
            level: *level,
        })
    }
}

/// Returns the heights in cells of a liquid's surface in those columns at the sides of the
/// simulation box that contain the liquid. `density`: density of the liquid per cell as bytes.
fn surfaces(volume: &Volume, density: &[u8]) -> Vec<f32> {
    let grid = volume.grid;
    let rows = (0..grid.nx).flat_map(|x| [[x, 0], [x, grid.nz - 1]]);
    let columns = (0..grid.nz).flat_map(|z| [[0, z], [grid.nx - 1, z]]);
    let at = |[x, z]: [usize; 2], y: usize| f32::from(density[grid.index([x, y, z])]);
    let surface = |column: [usize; 2]| {
        let y = (0..grid.ny).rev().find(|&y| at(column, y) >= SURFACE)?;
        let (here, above) = (
            at(column, y),
            if y + 1 < grid.ny {
                at(column, y + 1)
            } else {
                0.0
            },
        );
        Some(y as f32 + 0.5 + (here - SURFACE) / (here - above).max(1.0))
    };
    rows.chain(columns).filter_map(surface).collect()
}

/// Sea of a frame, prepared for the intersection with rays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SeaField {
    /// Index of the sea's liquid among the translucent media of the frame.
    pub(crate) medium: usize,
    pub(crate) level: f32,
    /// Size of the simulation box in cells along x, y and z.
    pub(crate) size: [f32; 3],
}

impl SeaField {
    /// Returns the horizontal distance in cells from the simulation box to the point `p` (cells); 0
    /// inside.
    pub(crate) fn beyond(&self, p: V3) -> f32 {
        beyond([self.size[0], self.size[2]], p)
    }

    /// Returns true if the point `p` (cells) of the surface lies outside of the simulation box, or at
    /// the sea's height so near to a side that the density's gradient reads beyond the side.
    pub(crate) fn is_level(&self, p: V3) -> bool {
        let side = |at: f32, size: f32| at.min(size - at);
        let inside = side(p.x, self.size[0]).min(side(p.z, self.size[2]));
        inside < 0.0 || inside < SEAM && (p.y - self.level).abs() < SEAM
    }

    /// Returns the distance in cells over which the sea fades into haze (to 1/e).
    pub(crate) fn far(&self) -> f32 {
        FAR * self.size[0].max(self.size[2])
    }

    /// Returns the first and last distance in cells, up to `far`, at which `ray` is below the
    /// height of the sea's surface; `None` if the ray stays above.
    pub(crate) fn under(&self, ray: &Ray, far: f32) -> Option<(f32, f32)> {
        let (over, falls) = (ray.origin.y - self.level, ray.direction.y);
        let meets = if falls.abs() < 1e-6 {
            f32::MAX
        } else {
            -over / falls
        };
        let (from, to) = match (over > 0.0, falls < 0.0) {
            (true, true) => (meets, far),
            (true, false) => return None,
            (false, true) => (0.0, far),
            (false, false) => (0.0, far.min(meets)),
        };
        (from < to).then_some((from, to))
    }

    /// Returns the distances in cells at which `ray` enters and leaves the simulation box, limited
    /// to `far`; both `f32::MAX` if the ray misses.
    fn span(&self, ray: &Ray, far: f32) -> (f32, f32) {
        let corners = self.size.map(|n| [0.0, n]);
        span_in(&corners, ray, far).map_or((f32::MAX, f32::MAX), |(near, leaves, _)| (near, leaves))
    }

    /// Returns true if `ray` meets the sea outside of the simulation box before the distance `far`
    /// (cells).
    pub(crate) fn is_met(&self, ray: &Ray, far: f32) -> bool {
        let Some((from, to)) = self.under(ray, far) else {
            return false;
        };
        let (near, leaves) = self.span(ray, far);
        from < near || (leaves < to)
    }

    /// Adds the events at which `ray` meets the sea's surface to `events`, which holds the events
    /// along `ray` up to `far` (cells), and removes events at the simulation box's sides between
    /// the sea and the water in the box.
    pub(super) fn join(&self, events: &mut Events, ray: &Ray, far: f32) {
        let Some((from, to)) = self.under(ray, far) else {
            return;
        };
        let (near, leaves) = self.span(ray, far);
        let event = |t: f32, border: Border| Event {
            t,
            medium: self.medium,
            border,
        };
        let enters = if from <= 0.0 {
            Border::Inside
        } else {
            Border::Enters
        };
        if from < near {
            events.insert(event(from, enters));
            let end = near.min(to).min(from + DEEPEST);
            // The water in the simulation box continues the sea without a surface.
            if end < near
                || !events.remove(self.medium, near, |border| matches!(border, Border::Cut(_)))
            {
                events.insert(event(end, Border::Leaves));
            }
        }
        if leaves < to {
            let begin = from.max(leaves);
            let goes_on = from <= leaves
                && events.remove(self.medium, leaves, |border| border == Border::Leaves);
            if !goes_on {
                events.insert(event(
                    begin,
                    if from <= leaves {
                        Border::Inside
                    } else {
                        enters
                    },
                ));
            }
            events.insert(event(to.min(begin + DEEPEST), Border::Leaves));
        }
    }
}

/// Returns the horizontal unit direction of `ray` in true proportions; `tall` is the height of a
/// cell in cell widths.
pub(crate) fn level_way(ray: &Ray, tall: f32) -> V3 {
    let way = in_widths(ray.direction, tall);
    unit_or_up(v3(way.x, 0.0, way.z))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lavoxel_automaton::view::MaterialLook;
    use lavoxel_base::grid::Grid;
    use lavoxel_sim::lowpass::Medium;

    fn flooded(high: f32) -> Volume {
        let mut volume = Volume::empty(Grid::new(10, 8, 6));
        let grid = volume.grid;
        let cell =
            |i: usize| ((high - (i / grid.nx % grid.ny) as f32).clamp(0.0, 1.0) * 255.0) as u8;
        let density = (0..grid.cells()).map(cell).collect();
        volume.media = vec![Medium {
            name: "water".into(),
            look: MaterialLook::default(),
            density,
        }];
        volume
    }

    #[test]
    fn the_level_is_that_of_the_water_at_the_sides() {
        let sea = Sea::from_volume(&flooded(4.0)).expect("water at all sides");
        assert_eq!((sea.medium, sea.level), (0, 4.0));
        assert_eq!(Sea::from_volume(&flooded(0.0)), None);
    }

    #[test]
    fn a_ray_passes_the_water_in_and_around_the_box_as_one() {
        let sea = SeaField {
            medium: 0,
            level: 4.0,
            size: [10.0, 8.0, 6.0],
        };
        let ray = Ray {
            origin: v3(-10.0, 8.0, 3.0),
            direction: v3(1.0, -0.5, 0.0).normalize(),
        };
        // The ray falls through the level at x = −2, enters the simulation box through its side and
        // leaves through its floor.
        let [enters, side, floor] = [8.0, 10.0, 16.0].map(|along| along / ray.direction.x);
        let mut events = Events::none();
        events.insert(Event {
            t: side,
            medium: 0,
            border: Border::Cut(-V3::x()),
        });
        events.insert(Event {
            t: floor,
            medium: 0,
            border: Border::Leaves,
        });
        sea.join(&mut events, &ray, 1000.0);
        let kinds: Vec<_> = events.all().iter().map(|event| event.border).collect();
        assert_eq!(kinds, [Border::Enters, Border::Leaves]);
        assert!((events.all()[0].t - enters).abs() < 1e-3 && events.all()[1].t > floor + 1.0);
        let up = Ray {
            direction: V3::y(),
            ..ray
        };
        assert!(sea.is_met(&ray, 1000.0) && !sea.is_met(&up, 1000.0));
    }
}
