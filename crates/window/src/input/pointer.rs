//! Position of the mouse pointer, and owner of the drag in progress. A drag that begins over the
//! panel belongs to the panel until the button is released; other drags belong to the camera or the
//! selected tool.

use std::time::{Duration, Instant};

use kiss3d::event::MouseButton;

use lavoxel_render::Ray;

/// Owner of a drag with the mouse, which determines the effect of the drag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Drag {
    /// Drag that began over the panel and belongs to the panel.
    Panel,
    /// Drag that orbits the camera around its target or, in first person, looks around.
    Turn,
    /// Drag that moves the camera sideways (pan).
    Pan,
    /// Drag with the selected mouse tool, which acts along the pointer's path.
    Tool,
    /// Drag of the slice across the axis with this index (0 x, 1 y, 2 z).
    Cut(usize),
}

/// Aim of the pointer in the present frame: pixel, ray into the scene and point on the ground.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Aim {
    /// Position of the pointer in pixels from the top left of the window.
    pub pixel: (f32, f32),
    /// Ray from the camera through `pixel`.
    pub ray: Ray,
    /// Copy of `ray` whose origin is the point where `ray` enters the visible region of the
    /// simulation box.
    pub entered: Ray,
    /// Visible region of the simulation box: lower and upper bound in cells along x, y and z.
    pub part: [[f32; 2]; 3],
    /// Point of the ground under the pointer, as x, y, z in cells; computed only while a vent is
    /// dragged. `None` while no vent is dragged, or over the sky.
    pub ground: Option<[f32; 3]>,
    /// Time in seconds since the window opened.
    pub now: f64,
    /// Set while a Shift key is held.
    pub shift: bool,
}

/// Position of the mouse pointer, drag in progress, and the button that drags.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pointer {
    /// Position of the pointer in pixels from the top left of the window; `None` until the pointer
    /// has entered the window.
    pub(crate) at: Option<(f32, f32)>,
    /// Time of the pointer's last movement; `None` before the first movement.
    moved: Option<Instant>,
    drag: Option<(MouseButton, Drag)>,
}

impl Pointer {
    /// Moves the pointer to the pixel (`x`, `y`). Returns the drag in progress and the pointer's
    /// displacement since the last call, in pixels; `None` if no button drags.
    pub(crate) fn move_to(&mut self, (x, y): (f32, f32)) -> Option<(Drag, (f32, f32))> {
        let before = self.at.replace((x, y));
        if before != self.at {
            self.moved = Some(Instant::now());
        }
        let (drag, (old_x, old_y)) = (self.drag?.1, before?);
        Some((drag, (x - old_x, y - old_y)))
    }

    /// When `button` is pressed, begins the drag that `drag` returns; does nothing while another
    /// button drags.
    pub(crate) fn press(&mut self, button: MouseButton, drag: impl FnOnce() -> Drag) {
        if self.drag.is_none() {
            self.drag = Some((button, drag()));
        }
    }

    /// Ends the drag of `button` when that button is released, and returns the drag; `None` if
    /// `button` does not drag.
    pub(crate) fn release(&mut self, button: MouseButton) -> Option<Drag> {
        let ended = self.drag.filter(|(held, _)| *held == button)?;
        self.drag = None;
        Some(ended.1)
    }

    /// Returns the time since the pointer's last movement; `Duration::MAX` before the first
    /// movement.
    pub(crate) fn rests(&self, now: Instant) -> Duration {
        self.moved
            .map_or(Duration::MAX, |moved| now.saturating_duration_since(moved))
    }

    /// Returns the drag in progress; `None` if no button drags.
    pub(crate) fn drag(&self) -> Option<Drag> {
        self.drag.map(|(_, drag)| drag)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drag_belongs_to_where_it_began_until_its_button_goes_up() {
        let mut pointer = Pointer::default();
        assert_eq!(pointer.move_to((5.0, 5.0)), None);
        pointer.press(MouseButton::Button1, || Drag::Turn);
        pointer.press(MouseButton::Button2, || Drag::Pan);
        assert_eq!(pointer.move_to((8.0, 4.0)), Some((Drag::Turn, (3.0, -1.0))));
        assert_eq!(pointer.release(MouseButton::Button2), None);
        assert_eq!(pointer.drag(), Some(Drag::Turn));
        assert_eq!(pointer.release(MouseButton::Button1), Some(Drag::Turn));
        assert_eq!(pointer.move_to((9.0, 4.0)), None);
    }
}
