//! Borders of translucent media along a ray, in order of distance.

use crate::camera::Ray;
use crate::media::clear::{Clear, ISO};
use crate::volume::field::{Border, Pace};

/// Maximum number of surface events per ray; surfaces farther away are ignored.
const MOST: usize = 24;
/// Tolerance in cells for the position of a side of the simulation box along a ray.
pub(crate) const SEAM: f32 = 0.05;

/// Event along a ray: the ray meets the border `border` of the translucent medium with the index
/// `medium` at the distance `t` (cells).
#[derive(Clone, Copy, Debug)]
pub(super) struct Event {
    pub(super) t: f32,
    pub(super) medium: usize,
    pub(super) border: Border,
}

/// Events along a ray, in order of distance.
pub(super) struct Events {
    count: usize,
    events: [Event; MOST],
}

impl Events {
    pub(super) fn none() -> Self {
        Self {
            count: 0,
            events: [Event {
                t: f32::MAX,
                medium: 0,
                border: Border::Leaves,
            }; MOST],
        }
    }

    pub(super) fn along(media: &[Clear], ray: &Ray, far: f32, pace: Pace) -> Self {
        let mut events = Self::none();
        for (medium, clear) in media.iter().enumerate() {
            clear.field.borders(ray, far, ISO, pace, |t, border| {
                events.insert(Event { t, medium, border })
            });
        }
        events
    }

    /// Inserts `event` in order of distance, after events at an equal distance. If `MOST` events
    /// are stored already, the farthest is dropped.
    pub(super) fn insert(&mut self, event: Event) {
        let place = self.events[..self.count].partition_point(|known| known.t <= event.t);
        if place < MOST {
            self.count = (self.count + 1).min(MOST);
            self.events[place..self.count].rotate_right(1);
            self.events[place] = event;
        }
    }

    /// Removes the first event in order of distance that belongs to the medium with the index
    /// `medium`, lies within `SEAM` cells of the distance `t`, and has a border for which `is`
    /// returns true. Returns true if an event was removed.
    pub(super) fn remove(&mut self, medium: usize, t: f32, is: impl Fn(Border) -> bool) -> bool {
        let is_it = |event: &Event| {
            event.medium == medium && (event.t - t).abs() < SEAM && is(event.border)
        };
        let Some(place) = self.all().iter().position(is_it) else {
            return false;
        };
        self.events[place..self.count].rotate_left(1);
        self.count -= 1;
        true
    }

    pub(super) fn all(&self) -> &[Event] {
        &self.events[..self.count]
    }
}
